#include "cli/verb/collect.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "base/thread.h"
#include "base/when.h"
#include "cli/cli.h"
#include "cli/config/config.h"
#include "cli/file/json_out.h"
#include "cli/file/run_export.h"
#include "cli/file/run_json.h"
#include "cli/out/table.h"
#include "cli/stop.h"
#include "db/store.h"
#include "model/eval/bottleneck.h"
#include "model/run/run.h"
#include "session/session.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SERVES_LOOK_MS = 1000 };         /* of an agent: for an absent target */
#define SERVES_RETRY_NS (10 * NS_PER_S) /* after a failure */
/* What is measured is in the store after this time: a row of an agent is one of many. */
#define KEEP_NS        (10 * NS_PER_S)
#define SERVES_KEEP_NS (60 * NS_PER_S)

/* ---- one run: what is said of it ---- */

static int set_labels(const struct collect *c, struct run *r, struct err *err) {
    char text[48];
    int rc = 0;
    if (!c->shared && (c->a->repeat || c->a->every_ns)) {
        struct strbuf sb = strbuf_on(text, sizeof(text));
        strbuf_add(&sb, c->n ? "%lld/%lld" : "%lld", (long long)c->done + 1, (long long)c->n);
        rc = run_label_set(r, "repeat", text, false, err);
    }
    for (int i = 0; i < c->a->labels.n && rc == 0; i++)
        rc = run_label_set_text(r, c->a->labels.at[i], err);
    return rc;
}

/* What a rule found stays, unless something is said. */
static int set_note(const struct collect *c, struct run *r, struct err *err) {
    if (!c->a->note && c->when.on)
        return 0;
    const int rc = run_set_text(&r->note, c->a->note ? c->a->note : "");
    return rc < 0 ? err_set(err, rc, "--note: out of memory; close other programs") : 0;
}

int collect_words(const struct collect *c, int type, struct run *r, struct err *err) {
    const char *cores = session_type(c->all.at[type]);
    int rc = cores[0] ? run_label_set(r, "cores", cores, true, err) : 0;
    if (rc == 0 && c->shared)
        rc = run_label_set(r, "target", c->expose.target, true, err);
    if (rc == 0)
        rc = set_labels(c, r, err);
    return rc == 0 ? set_note(c, r, err) : rc;
}

/* ---- one run: measured ---- */

/* -d is what is measured: that -P waits at most as long is no part of it. */
static bool is_over(const struct collect *c, const struct session *s) {
    const uint64_t most = c->a->duration_ns;
    return s->state != STREAM_LIVE || (c->a->count && s->n_frames >= (uint64_t)c->a->count) ||
           (most && s->n_frames && s->sample.t1_ns + NS_PER_MS >= most);
}

/* Measuring goes on; the run will say how many are missing. */
static void say_lost(struct collect *c, const struct session *s) {
    if (c->said_lost || s->timeline.n_lost == 0)
        return;
    c->said_lost = true;
    progress_clear(&c->progress);
    cli_note("out of memory: from %.1f s on intervals are missing; a longer -I needs less",
             (double)s->timeline.loss[0].first_ns / 1e9);
}

static int make_run(struct collect *c, int type, struct run *r, struct err *err) {
    const struct session *s = c->all.at[type];
    int rc = s->n_frames ? collect_keep_run(&c->keep[type], s, r, err)
                         : err_set(err, -ENODATA,
                                   "collect: it ended before the first interval was over, so "
                                   "nothing is stored; give a shorter -I");
    return rc == 0 ? collect_words(c, type, r, err) : rc;
}

/* It waits, or (false) does something again. Returns what it was. */
static bool collect_waits(struct collect *c, bool waits) {
    return atomic_exchange(&c->busy_ns, waits ? 0 : clock_now_ns()) == 0;
}

/* An agent goes on, whatever its server says. */
static void say_unready(struct run_pick *p) {
    struct store_outbox o;
    store_outbox(&p->store, &o);
    if (o.why.text[0])
        cli_note("%s; runs wait on this host", o.why.text);
}

int collect_store_use(struct collect *c, struct err *err) {
    struct args store_only = {.db = c->a->db}; /* --label is for the new run, not for choosing */
    struct run_pick *p = collect_pick(c);
    const bool busy = collect_waits(c, true);
    if (c->shared && !c->holds)
        pthread_mutex_lock(&c->shared->stores);
    collect_waits(c, busy);
    c->holds = c->shared != NULL;
    const bool opens = !p->store.impl;
    const int rc =
        opens ? run_pick_open(p, &store_only, c->shared ? STORE_KEEP : STORE_WRITE, err) : 0;
    str_copy(c->db, sizeof(c->db), p->store.path);
    if (opens && rc == 0 && c->shared)
        say_unready(p);
    return rc;
}

void collect_store_rest(struct collect *c) {
    if (!c->holds)
        return;
    c->holds = false;
    pthread_mutex_unlock(&c->shared->stores);
    malloc_trim(0);
    thread_rest();
}

/* As collect_keep_store. */
static int put(struct collect *c, int type, struct run *r, bool over, struct err *err) {
    const struct collect_keep *k = &c->keep[type];
    int rc = collect_store_use(c, err);
    if (rc == 0)
        rc = collect_keep_store(&c->keep[type], &collect_pick(c)->store, c->all.at[type], r, over,
                                err);
    if (rc > 0) {
        progress_clear(&c->progress);
        cli_note("%s; what was measured from %.1f s on is a run of its own", err->text,
                 (double)k->from_ns / 1e9);
    }
    return rc;
}

/* What cannot be put into the store now stays in memory, and is tried again. */
static void put_away(struct collect *c, int type) {
    struct run r = {0};
    struct err err = {0};
    if (make_run(c, type, &r, &err) == 0)
        put(c, type, &r, false, &err);
    run_free(&r);
    collect_store_rest(c);
}

/* One interval of each session that has one. */
static bool take_each(struct collect *c) {
    bool took = false;
    for (int i = 0; i < c->all.n; i++) {
        struct session *s = c->all.at[i];
        if (is_over(c, s) || !session_take(s))
            continue;
        took = true;
        say_lost(c, s);
        collect_expose_take(&c->expose, &c->all, i);
        if (c->when.on)
            collect_when_take(c, i);
        else if (collect_keep_is_due(&c->keep[i], s))
            put_away(c, i);
        if (i == 0)
            progress_show(&c->progress, s);
    }
    return took;
}

static bool all_over(const struct collect *c) {
    for (int i = 0; i < c->all.n; i++)
        if (!is_over(c, c->all.at[i]))
            return false;
    return true;
}

static void measure_until_over(struct collect *c) {
    for (bool took = false; !c->stopped && !all_over(c);) {
        const bool again = take_each(c);
        collect_where_turn(&c->where);
        collect_when_turn(c);
        /* A box that fills faster than it is emptied never lets poll() see the signal. */
        if (again) {
            c->stopped = took && stop_came(c->stop_fd);
            took = true;
            continue;
        }
        took = false;
        struct pollfd fds[SESSIONS_MAX + 1] = {{.fd = c->stop_fd, .events = POLLIN}};
        for (int i = 0; i < c->all.n; i++) /* poll leaves out what is negative */
            fds[i + 1] = (struct pollfd){
                .fd = is_over(c, c->all.at[i]) ? -1 : session_fd(c->all.at[i]), .events = POLLIN};
        const int ms = collect_when_wait_ms(&c->when, collect_where_wait_ms(&c->where));
        if (all_over(c))
            return;
        const bool busy = collect_waits(c, true);
        if (c->all.at[0]->alone)
            session_wait(c->all.at[0], c->stop_fd, ms);
        else if (poll(fds, (nfds_t)c->all.n + 1, ms) < 0 && errno != EINTR)
            return;
        collect_waits(c, busy);
        c->stopped = stop_came(c->stop_fd);
    }
}

/* The simulated core's repeats differ. All counts are kept until they are in the store. */
static void adjust(struct collect *c) {
    for (int i = 0; i < c->all.n; i++) {
        c->measure.opt[i].seed += (uint64_t)c->done;
        c->all.at[i]->keep_bytes = c->when.on ? collect_when_bytes(c) : SIZE_MAX;
        if (c->done == 0 && c->all.at[i]->own_note[0])
            cli_note("%s", c->all.at[i]->own_note);
    }
}

/* An interval longer than the whole would measure longer than was said. */
static void cut_intervals(struct collect *c) {
    const uint64_t most = c->a->duration_ns;
    for (int i = 0; i < c->all.n; i++)
        if (most && c->measure.opt[i].interval_ns > most)
            c->measure.opt[i].interval_ns = most;
}

static int wait_for_target(struct collect *c, struct err *err) {
    const bool busy = collect_waits(c, true);
    c->measure.look_ms = c->shared ? SERVES_LOOK_MS : 0;
    int rc = collect_expose_begin(&c->expose, &c->all, c->a, true, err);
    if (rc == 0)
        rc = measure_wait(&c->measure, c->shared ? 0 : c->a->duration_ns, c->stop_fd, err);
    c->stopped = rc == -EINTR;
    collect_waits(c, busy);
    return rc;
}

static int prepare_one(struct collect *c, struct err *err) {
    const int rc = measure_prepare(&c->measure, &c->all, c->a, false, err);
    if (rc == 0) {
        adjust(c);
        cut_intervals(c);
    }
    return rc;
}

static int start_one(struct collect *c, struct err *err) {
    for (int i = 0; i < c->all.n; i++)
        collect_keep_begin(&c->keep[i], c->shared ? SERVES_KEEP_NS : KEEP_NS);
    c->all.at[0]->alone = c->shared && c->all.n == 1 && !c->a->where;
    int rc = c->when.on ? collect_when_begin(c, err) : collect_where_begin(&c->where, &c->all, err);
    rc = rc < 0 ? rc : sessions_start(&c->all, err);
    rc = rc < 0 ? rc : collect_expose_begin(&c->expose, &c->all, c->a, false, err);
    c->begun_ns = clock_now_ns();
    if (c->shared)
        malloc_trim(0);
    return rc;
}

/* Of several rows in one process one opens at a time. */
static int in_turn(struct collect *c, int (*step)(struct collect *c, struct err *err),
                   struct err *err) {
    const bool busy = collect_waits(c, true); /* for the others, that is no fault */
    if (c->shared)
        pthread_mutex_lock(&c->shared->opens);
    collect_waits(c, busy);
    const int rc = step(c, err);
    if (c->shared)
        pthread_mutex_unlock(&c->shared->opens);
    return rc;
}

static int try_open(struct collect *c, struct err *err) {
    return measure_open(&c->measure, &c->all, err);
}

static int open_sessions(struct collect *c, struct err *err) {
    int rc = in_turn(c, prepare_one, err);
    while (rc == 0) {
        rc = in_turn(c, try_open, err);
        if (rc != MEASURE_WAITS)
            break;
        rc = wait_for_target(c, err);
    }
    return rc < 0 ? rc : in_turn(c, start_one, err);
}

/* ---- one run: kept ---- */

/* What could not be stored is not lost: a file in this folder holds it, or one where there is room
 * for what is passing. */
void collect_rescue(const struct run *r) {
    const char *tmp = getenv("TMPDIR"), *const folder[] = {"", tmp && *tmp ? tmp : "/tmp"};
    struct err err = {0};
    for (int i = 0; i < 2; i++) {
        char path[PATH_MAX];
        const int n =
            snprintf(path, sizeof(path), "%s%stdtop-run-%s.json", folder[i], i ? "/" : "", r->id);
        const int rc = n < PATH_MAX
                           ? run_export_rescue(r, path, &err)
                           : err_set(&err, -ENAMETOOLONG, "%.60s...: %s; set a shorter TMPDIR",
                                     folder[i], strerror(ENAMETOOLONG));
        if (rc < 0) {
            cli_error(&err);
            continue;
        }
        cli_note("the run is in %s; `tdtop import %s` stores it", path, path);
        return;
    }
    cli_note("run %s is lost", r->id);
}

static void say_run(const struct run *r) {
    char duration[32], words[128];
    const char *limit = strrchr(r->bottleneck, '.');
    const uint64_t n = r->n_stored + series_rows(&r->series);
    cli_note("run %.8s: %llu interval%s, %s of %s%s%s%s", r->id, (unsigned long long)n,
             n == 1 ? "" : "s", when_duration(r->measured_ns, duration, sizeof(duration)),
             str_safe(words, sizeof(words), r->target), r->simulated ? " (SIMULATED)" : "",
             r->bottleneck[0] ? ": " : "", limit ? limit + 1 : r->bottleneck);
}

static void print_id(const struct run *r) {
    puts(r->id);
    fflush(stdout);
    say_run(r);
}

/* The part of it that is in the store is there as a run that is unfinished. */
static void rescue(struct collect *c, int type, struct run *r) {
    struct err err = {0};
    char id[RUN_ID_LEN + 1];
    const bool begun = c->keep[type].growth.begun;
    str_copy(id, sizeof(id), r->id);
    if (collect_store_use(c, &err) == 0 &&
        collect_keep_rescue(&c->keep[type], &collect_pick(c)->store, r, &err) < 0)
        cli_error(&err);
    if (begun)
        cli_note("run %s stays in the store as it was then, unfinished", id);
    collect_rescue(r);
}

int collect_store(struct collect *c, int type, struct run *r) {
    struct err err = {0};
    int rc = put(c, type, r, true, &err);
    if (rc > 0) { /* only once: nothing of that run is in the store */
        struct run first = *r;
        *r = (struct run){0};
        rc = make_run(c, type, r, &err);
        if (rc == 0)
            rc = run_take_samples(r, &first);
        run_free(&first);
        rc = rc == 0 ? put(c, type, r, true, &err) : rc;
    }
    if (rc < 0) {
        cli_error(&err);
        rescue(c, type, r);
        return EXIT_ERROR;
    }
    return EXIT_OK;
}

int collect_say(struct collect *c, const struct run *r) {
    int code = EXIT_OK;
    if (c->shared) {
        say_run(r);
        run_pick_say_outbox(collect_pick(c));
        return code;
    }
    if (c->a->json)
        code = json_print(run_json_head(r), JSON_COMPACT);
    else
        print_id(r);
    run_pick_say_outbox(collect_pick(c));
    return cli_finish(code);
}

static int store_run(struct collect *c, int type, struct run *r) {
    const int code = collect_store(c, type, r);
    return code == EXIT_OK ? collect_say(c, r) : code;
}

/* Why it ended, if not because it was over. */
static int end_code(const struct session *s) {
    if (s->state == STREAM_FAILED || (s->state == STREAM_GONE && s->exit_code < 0))
        cli_error(&s->last);
    if (s->state == STREAM_FAILED)
        return EXIT_ERROR;
    return s->exit_code > 0 ? s->exit_code : EXIT_OK;
}

static int keep(struct collect *c, int type) {
    struct run r = {0};
    struct err err = {0};
    c->stopped = c->stopped || stop_came(c->stop_fd);
    if (c->take && c->stopped) /* it wants whole runs */
        return EXIT_OK;
    if (c->shared && c->stopped && c->all.at[type]->n_frames == 0)
        return EXIT_OK;
    int rc = make_run(c, type, &r, &err);
    if (rc == 0 && type == 0) /* samples are of all core types */
        rc = collect_where_give(&c->where, &r, &err);
    const int code = rc < 0    ? run_pick_exit(&err)
                     : c->take ? c->take(c, type, &r)
                               : store_run(c, type, &r);
    if (rc == 0 && !c->take && !c->cut) /* one that was cut short is not like the others */
        collect_sum_add(&c->sum[type], &r, c->a->command && !c->a->duration_ns && !c->a->count);
    run_free(&r);
    collect_store_rest(c);
    return code;
}

static int keep_all(struct collect *c) {
    int code = c->when.on ? collect_when_end(c) : EXIT_OK;
    for (int i = 0; i < c->all.n; i++) {
        const int ended = end_code(c->all.at[i]), kept = c->when.on ? EXIT_OK : keep(c, i);
        code = code ? code : kept ? kept : ended;
    }
    return code;
}

/* Of what is tried again and again the same words are said once. */
static int fail_open(struct collect *c, const struct err *err) {
    const bool again = c->shared && c->failed && strcmp(c->said, err->text) == 0;
    if (!again && !(c->shared && c->stopped))
        cli_error(err);
    str_copy(c->said, sizeof(c->said), err->text);
    c->failed = true;
    c->tried_ns = clock_now_ns();
    collect_expose_begin(&c->expose, &c->all, c->a, true, NULL);
    if (cli_is_usage(err))
        return EXIT_USAGE;
    const int code = c->all.n ? c->all.at[0]->exit_code : -1; /* a shell's, of a bad command */
    return code > 0 ? code : EXIT_ERROR;
}

/* ---- all of them ---- */

int collect_one(struct collect *c) {
    struct err err = {0};
    int code;
    if (open_sessions(c, &err) < 0) {
        code = fail_open(c, &err);
    } else {
        c->failed = false;
        c->progress.whole_ns = c->a->duration_ns;
        if (c->shared) /* many such rows wait */
            thread_rest();
        measure_until_over(c);
        c->cut = c->stopped;
        sessions_halt(&c->all);
        collect_where_end(&c->where);
        while (c->cut && take_each(c)) /* what was counted until the signal came */
            continue;
        progress_clear(&c->progress);
        collect_expose_ended(&c->expose, &c->all);
        code = keep_all(c);
    }
    for (int i = 0; i < c->all.n; i++)
        collect_keep_end(&c->keep[i]);
    collect_where_end(&c->where);
    if (code != EXIT_OK && c->shared && !c->failed) { /* not at once again */
        c->failed = true;
        c->said[0] = '\0';
        c->tried_ns = clock_now_ns();
    }
    sessions_close(&c->all);
    measure_destroy(&c->measure);
    c->done++;
    return code;
}

/* Of an agent runs are so far from each other; what failed is tried again soon. */
static uint64_t due_ns(const struct collect *c) {
    if (!c->shared)
        return c->first_ns + (uint64_t)c->done * c->a->every_ns;
    return c->failed ? c->tried_ns + SERVES_RETRY_NS : c->begun_ns + c->a->every_ns;
}

/* Until the next is due, or a signal came. */
static void wait_for_next(struct collect *c) {
    const uint64_t due = due_ns(c);
    uint64_t now = clock_now_ns();
    const bool busy = collect_waits(c, true);
    if (now < due)
        collect_expose_rest(&c->expose, c->failed ? 0 : (double)NAN);
    if (c->a->every_ns && now > due + NS_PER_S && !c->a->demo && !c->shared)
        cli_note("--every: the last run took longer; the next begins %.1f s late",
                 (double)(now - due) / 1e9);
    for (; now < due && !c->stopped; now = clock_now_ns()) {
        struct pollfd fd = {.fd = c->stop_fd, .events = POLLIN};
        const uint64_t ms = (due - now) / NS_PER_MS + 1;
        progress_wait(&c->progress, due - now);
        poll(&fd, 1, ms < 1000 ? (int)ms : 1000);
        c->stopped = stop_came(c->stop_fd);
    }
    collect_waits(c, busy);
    progress_clear(&c->progress);
}

/* What was given by its number does not come again. */
static bool is_there(const char *pids) {
    for (const char *p = pids; *p; p += strspn(p, " ,")) {
        char *end;
        if (kill((pid_t)strtol(p, &end, 10), 0) == 0 || errno == EPERM)
            return true;
        p = end;
    }
    return false;
}

/* An agent's, but one that was asked for what there is not. */
static bool goes_on(const struct collect *c, int code) {
    return c->shared && code != EXIT_USAGE && (!c->a->pids || is_there(c->a->pids));
}

/* What the row has come to, for people. */
static void say_sum(const struct collect *c) {
    char text[1024];
    if (c->stopped && c->n > 1)
        cli_note("ended by a signal: %lld of %lld runs are stored%s", (long long)c->done,
                 (long long)c->n, c->cut ? ", the last cut short" : "");
    for (int i = 0; i < SESSIONS_MAX; i++)
        if (collect_sum_text(&c->sum[i], text, sizeof(text))[0])
            cli_note("%s", text);
}

int collect_all(struct collect *c) {
    int code = EXIT_OK;
    c->n = c->a->repeat ? c->a->repeat : c->a->every_ns || c->shared ? 0 : 1;
    c->first_ns = clock_now_ns();
    while ((code == EXIT_OK || goes_on(c, code)) && !c->stopped && (!c->n || c->done < c->n)) {
        if (c->done)
            wait_for_next(c);
        if (c->stopped)
            break;
        progress_begin(&c->progress, c->done, c->n, c->a);
        code = collect_one(c);
    }
    if (code == EXIT_OK && !c->shared)
        say_sum(c);
    return code;
}

int collect_check(const struct args *a, bool by_agent, struct err *err) {
    int rc = 0;
    for (int i = 0; i < a->labels.n && rc == 0; i++)
        rc = run_label_check_text(a->labels.at[i], err);
    if (rc == 0 && a->note)
        rc = run_note_check(a->note, err);
    if (rc == 0)
        rc = collect_when_check(a, err);
    if (rc == 0 && (a->demo || a->every_ns || a->repeat > 1) && !a->duration_ns && !a->count &&
        !a->command && !by_agent)
        rc = err_set(err, -EINVAL, "collect %s: how long? give -d TIME or -n N",
                     a->demo       ? "--demo"
                     : a->every_ns ? "--every"
                                   : "--repeat");
    return rc;
}

static int take_words(struct collect *c, const struct args *said, struct err *err) {
    cli_copy_args(&c->args, said); /* the settings add to it */
    c->a = &c->args;
    config_defaults(&c->config);
    const int rc = collect_check(c->a, c->shared, err);
    return rc < 0 ? rc : config_for(&c->config, &c->args, err);
}

int collect_try(const struct args *said, struct err *err) {
    struct collect c = {.stop_fd = -1};
    struct collect_shared by_agent = {0};
    c.shared = &by_agent;
    int rc = take_words(&c, said, err);
    if (rc == 0)
        rc = collect_where_check(&c.where, c.a, err);
    c.args.baseline = NULL; /* the store is not looked into */
    if (rc == 0)
        rc = collect_when_open(&c, err);
    for (int i = 0; rc == 0 && i < c.when.flight.n_rule; i++)
        c.when.flight.rule[i].of_base &= !said->baseline;
    if (rc == 0)
        rc = measure_prepare(&c.measure, &c.all, c.a, false, err);
    if (rc == 0)
        rc = collect_when_begin(&c, err);
    sessions_close(&c.all);
    measure_destroy(&c.measure);
    collect_close(&c);
    return rc;
}

int collect_open(struct collect *c, const struct args *said, struct err *err) {
    int rc = take_words(c, said, err);
    if (rc == 0)
        rc = collect_store_use(c, err);
    if (rc == 0)
        rc = collect_where_check(&c->where, c->a, err);
    if (rc == 0)
        rc = collect_when_open(c, err);
    collect_store_rest(c);
    return rc;
}

void collect_close(struct collect *c) {
    collect_expose_end(&c->expose);
    run_pick_close(&c->pick);
    collect_when_close(&c->when);
    collect_where_free(&c->where);
    config_free(&c->config);
}
