/*
 * `tdtop collect`: measures without a screen and stores the run. Standard output gets the run's id
 * alone, so that a script can take it; what is said to people is on standard error.
 */
#include "cli/verb/collect.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
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

/* ---- the line of progress ---- */

void progress_begin(struct progress *p, int64_t done, int64_t n, const struct args *a) {
    *p = (struct progress){.on = isatty(STDERR_FILENO)};
    p->whole_ns = a->duration_ns;
    p->whole_count = a->count;
    struct strbuf sb = strbuf_on(p->which, sizeof(p->which));
    if (n > 1)
        strbuf_add(&sb, "run %lld of %lld, ", (long long)done + 1, (long long)n);
    else if (n == 0)
        strbuf_add(&sb, "run %lld, ", (long long)done + 1);
}

/* Text in at most as many columns as the terminal has, over what stood there. */
static void write_line(struct progress *p, const char *text) {
    const int room = table_terminal(stderr) - 1;
    int width = 0;
    size_t n = 0, used;
    char safe[512];
    str_safe(safe, sizeof(safe), text);
    for (; safe[n]; n += used) {
        const int w = str_cp_width(str_decode(safe + n, &used));
        if (width + w > room)
            break;
        width += w;
    }
    /* Not through stderr, which lets no carriage return out: base/door.h. */
    dprintf(STDERR_FILENO, "\r%.*s%*s\r", (int)n, safe, p->shown > width ? p->shown - width : 0,
            "");
    p->shown = width;
}

/* After an interval: at most ten times a second. */
static void progress_show(struct progress *p, const struct session *s) {
    const uint64_t now = clock_now_ns();
    char line[512], at[32], of[32], path[256];
    if (!p->on || now - p->last_ns < 100 * NS_PER_MS)
        return;
    p->last_ns = now;
    struct strbuf sb = strbuf_on(line, sizeof(line));
    strbuf_add(&sb, "%s%s", p->which, when_duration(s->sample.t1_ns, at, sizeof(at)));
    if (p->whole_ns)
        strbuf_add(&sb, " of %s", when_duration(p->whole_ns, of, sizeof(of)));
    strbuf_add(&sb, ", %llu", (unsigned long long)s->n_frames);
    if (p->whole_count)
        strbuf_add(&sb, " of %lld", (long long)p->whole_count);
    strbuf_add(&sb, " interval%s  %s%s", s->n_frames == 1 && !p->whole_count ? "" : "s",
               bottleneck_text(&s->model, &s->frame, &s->frame.bottleneck, path, sizeof(path)),
               s->source.simulated ? "  SIMULATED" : "");
    write_line(p, line);
}

void progress_say(struct progress *p, const char *text) {
    if (p->on)
        write_line(p, text);
}

static void progress_wait(struct progress *p, uint64_t left_ns) {
    char line[96], left[32];
    if (!p->on)
        return;
    snprintf(line, sizeof(line), "the next run begins in %s",
             when_duration(left_ns, left, sizeof(left)));
    write_line(p, line);
}

void progress_clear(struct progress *p) {
    if (p->on && p->shown)
        write_line(p, "");
}

/* ---- mean and standard deviation of several runs ---- */

static struct sum_value *sum_find(struct collect_sum *sum, const char *name) {
    for (int i = 0; i < sum->n; i++)
        if (!strcmp(sum->at[i].name, name))
            return &sum->at[i];
    if (sum->n == SUM_VALUES)
        return NULL;
    struct sum_value *v = &sum->at[sum->n++];
    str_copy(v->name, sizeof(v->name), name);
    return v;
}

static void sum_value_add(struct collect_sum *sum, const char *name, const char *unit, bool share,
                          double v) {
    struct sum_value *to = isfinite(v) ? sum_find(sum, name) : NULL;
    if (!to)
        return;
    str_copy(to->unit, sizeof(to->unit), unit);
    to->share = share;
    to->n++;
    const double off = v - to->mean;
    to->mean += off / (double)to->n;
    to->m2 += off * (v - to->mean);
}

/* One more run: IPC and level 1; with_time: how long it took, too, because that is its own. */
static void collect_sum_add(struct collect_sum *sum, const struct run *r, bool with_time) {
    const char *cores = run_label_get(r, "cores");
    sum->n_run++;
    sum->simulated = r->simulated;
    str_copy(sum->cores, sizeof(sum->cores), cores ? cores : "");
    if (with_time)
        sum_value_add(sum, "time", "s", false, (double)r->measured_ns / 1e9);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < r->node.n; i++) {
            const struct run_node *n = &r->node.at[i];
            if (pass ? n->level == 1 : !strcmp(n->name, "IPC"))
                sum_value_add(sum, n->name, n->unit, n->share, n->value.v);
        }
}

/* "mean ± standard deviation of 3 runs: IPC 1.23 ± 0.02, ..."; "" for fewer than two. Returns buf.
 */
static const char *collect_sum_text(const struct collect_sum *sum, char *buf, size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    char value[64], sd[64];
    if (sum->n_run < 2 || sum->n == 0)
        return buf;
    strbuf_add(&sb, "mean ± standard deviation of %llu runs%s%s%s:", (unsigned long long)sum->n_run,
               sum->cores[0] ? " on cores " : "", sum->cores, sum->simulated ? " (SIMULATED)" : "");
    const char *before = " ";
    for (int i = 0; i < sum->n; i++) {
        struct sum_value v = sum->at[i];
        const struct run_node of = {.unit = v.unit,
                                    .share = v.share,
                                    .value.v = v.mean,
                                    .m.sd = v.n < 2 ? NAN : sqrt(v.m2 / (double)(v.n - 1))};
        run_value_text(v.share, v.unit, v.mean, value, sizeof(value));
        run_sd_text(&of, sd, sizeof(sd));
        strbuf_add(&sb, "%s%s %s%s%s", before, v.name, value, sd[0] ? " ± " : "", sd);
        before = ", ";
    }
    return buf;
}

/*
 * ---- a long record goes into the store while it is measured ----
 *
 * Memory does not grow with it, and a process that is killed leaves a run up to its last seconds,
 * which says that it is unfinished. A short run is saved at its end, in one piece.
 */

enum { KEEP_BYTES = 1 << 20, KEEP_EVERY_S = 60 };

/* When the session was started. */
static void collect_keep_begin(struct collect_keep *k) {
    *k = (struct collect_keep){.tried_ns = clock_now_ns()};
}

/* accepts a zeroed one */
static void collect_keep_end(struct collect_keep *k) {
    run_tally_end(&k->tally);
    store_growth_free(&k->growth);
    *k = (struct collect_keep){0};
}

/* No row will be added to what is there. */
static bool is_settled(const struct series *se) {
    const uint32_t n = series_chunks(se);
    return n > 0 && series_chunk_at(se, n - 1).n_row == SERIES_ROWS;
}

/* True if the record should go into the store now: it is large, or the last time is long ago. */
static bool collect_keep_is_due(const struct collect_keep *k, const struct session *s) {
    const struct series *se = &s->timeline.series;
    if (series_rows(se) > k->n_tallied && clock_now_ns() >= k->tried_ns + KEEP_EVERY_S * NS_PER_S)
        return true;
    return series_bytes(se) >= k->tried_bytes + KEEP_BYTES && is_settled(se);
}

static int tally(struct collect_keep *k, const struct run *r, struct err *err) {
    int rc = k->tally.impl_ ? 0 : run_tally_begin(&k->tally, r, NULL, err);
    if (rc < 0)
        return rc;
    if ((rc = run_tally_add(&k->tally, &r->series, k->n_tallied)) < 0)
        return err_set(err, rc, "run %s: out of memory", r->id);
    k->n_tallied = series_rows(&r->series);
    return 0;
}

/* The run so far: of it, r->series has what is not in the store for good. As session_run. */
static int collect_keep_run(struct collect_keep *k, const struct session *s, struct run *r,
                            struct err *err) {
    struct session_draft d;
    *r = (struct run){0};
    int rc =
        session_draft(s, k->from_ns, k->from_ns ? s->sample.t1_ns : 0, k->growth.n_row, &d, err);
    if (rc < 0)
        return rc;
    if (k->id[0])
        str_copy(d.run.id, sizeof(d.run.id), k->id);
    str_copy(k->id, sizeof(k->id), d.run.id);
    rc = session_draft_join(&d, err);
    if (rc == 0)
        rc = tally(k, &d.run, err);
    if (rc == 0)
        rc = session_draft_values(&d, &k->tally, err);
    if (rc < 0)
        session_draft_free(&d);
    else
        *r = d.run;
    return rc;
}

static int mark_unfinished(struct run *r, struct err *err) {
    char words[512];
    struct strbuf sb = strbuf_on(words, sizeof(words));
    strbuf_add(&sb, RUN_UNFINISHED "tdtop collect still measures, or was killed%s%s",
               r->warning[0] ? "; " : "", r->warning);
    return run_set_text(&r->warning, words) < 0 ? err_set(err, -ENOMEM, "out of memory") : 0;
}

/* With what is in memory, as a run of its own. */
static void begin_again(struct collect_keep *k, const struct session *s) {
    const uint64_t from_ns = series_begin_ns(&s->timeline.series);
    collect_keep_end(k);
    collect_keep_begin(k);
    k->from_ns = from_ns;
}

static void settle(struct collect_keep *k, struct session *s) {
    series_clear(&s->timeline.series);
    k->n_tallied = 0;
    k->tried_bytes = 0;
}

/*
 * Puts it there; on the way (not `over`) it is marked as unfinished, and the session's record gives
 * up what is in the store for good. A run that was removed meanwhile, or a file that was replaced,
 * is begun again with what is still in memory: 1 is returned then, else 0 or as store_grow.
 */
static int collect_keep_store(struct collect_keep *k, struct store *st, struct session *s,
                              struct run *r, bool over, struct err *err) {
    const bool settled = !over && is_settled(&s->timeline.series);
    int rc = over ? 0 : mark_unfinished(r, err);
    if (rc == 0)
        rc = store_grow(st, r,
                        over      ? GROW_DONE
                        : settled ? GROW_SETTLED
                                  : GROW_MORE,
                        &k->growth, err);
    k->tried_ns = clock_now_ns();
    k->tried_bytes = series_bytes(&s->timeline.series);
    if (rc == -ENOENT && k->growth.begun && series_rows(&s->timeline.series)) {
        begin_again(k, s);
        return 1;
    }
    if (rc == 0 && settled)
        settle(k, s);
    if (rc < 0)
        log_line("collect: %s", err->text);
    return rc;
}

/* The chunks that are there for good, then those of the rest. */
static int join_chunks(const struct collect_keep *k, const struct run *stored, const struct run *r,
                       struct series *out) {
    int rc = series_init(out, &r->layout, 0);
    for (uint32_t i = 0; rc == 0 && i < k->growth.n_chunk; i++) {
        const struct series_chunk c = series_chunk_at(&stored->series, i);
        rc = series_push_chunk(out, &c);
    }
    return rc == 0 ? series_copy(out, &r->series, 0, UINT64_MAX) : rc;
}

/* After a failure: r gets the intervals that are in the store, so that it can be saved elsewhere,
 * under another id. 0, or why they cannot be had: it has the rest alone then. */
static int collect_keep_rescue(struct collect_keep *k, struct store *st, struct run *r,
                               struct err *err) {
    struct run stored = {0};
    struct series whole = {0};
    if (!k->growth.begun)
        return 0;
    int rc = store_load(st, r->id, RUN_COUNTS, &stored, err);
    if (rc == 0 && series_chunks(&stored.series) < k->growth.n_chunk)
        rc = err_set(err, -EUCLEAN, "run %s: counts are missing in %s", r->id, st->path);
    if (rc == 0 && (rc = join_chunks(k, &stored, r, &whole)) < 0)
        err_set(err, rc, "run %s: out of memory", r->id);
    run_free(&stored);
    run_new_id(r->id);
    if (rc < 0) {
        series_destroy(&whole);
        return rc;
    }
    series_destroy(&r->series);
    r->series = whole;
    r->n_stored = 0;
    return 0;
}

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

int collect_store_use(struct collect *c, struct err *err) {
    struct args store_only = {.db = c->a->db}; /* --label is for the new run, not for choosing */
    struct run_pick *p = collect_pick(c);
    const bool busy = collect_waits(c, true);
    if (c->shared && !c->holds)
        pthread_mutex_lock(&c->shared->stores);
    collect_waits(c, busy);
    c->holds = c->shared != NULL;
    const int rc = p->store.impl ? 0 : run_pick_open(p, &store_only, STORE_WRITE, err);
    str_copy(c->db, sizeof(c->db), p->store.path);
    return rc;
}

void collect_store_rest(struct collect *c) {
    if (!c->holds)
        return;
    c->holds = false;
    pthread_mutex_unlock(&c->shared->stores);
    malloc_trim(0);
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
    const int rc = measure_wait(&c->measure, c->shared ? 0 : c->a->duration_ns, c->stop_fd, err);
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
        collect_keep_begin(&c->keep[i]);
    c->all.at[0]->alone = c->shared && c->all.n == 1 && !c->a->where;
    int rc = c->when.on ? collect_when_begin(c, err) : collect_where_begin(&c->where, &c->all, err);
    rc = rc < 0 ? rc : sessions_start(&c->all, err);
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

int collect_say(const struct collect *c, const struct run *r) {
    int code = EXIT_OK;
    if (c->shared) {
        say_run(r);
        return code;
    }
    if (c->a->json)
        code = json_print(run_json_head(r), JSON_COMPACT);
    else
        print_id(r);
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
        measure_until_over(c);
        c->cut = c->stopped;
        sessions_halt(&c->all);
        collect_where_end(&c->where);
        while (c->cut && take_each(c)) /* what was counted until the signal came */
            continue;
        progress_clear(&c->progress);
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
static bool goes_on(const struct collect *c) {
    return c->shared && (!c->a->pids || kill((pid_t)atoi(c->a->pids), 0) == 0 || errno == EPERM);
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
    while ((code == EXIT_OK || goes_on(c)) && !c->stopped && (!c->n || c->done < c->n)) {
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

/* Slips of the pen are found before anything is measured. */
static int check(const struct collect *c, struct err *err) {
    const struct args *a = c->a;
    int rc = 0;
    for (int i = 0; i < a->labels.n && rc == 0; i++)
        rc = run_label_check_text(a->labels.at[i], err);
    if (rc == 0 && a->note)
        rc = run_note_check(a->note, err);
    if (rc == 0)
        rc = collect_when_check(a, err);
    if (rc == 0 && (a->demo || a->every_ns || a->repeat > 1) && !a->duration_ns && !a->count &&
        !a->command && !c->shared)
        rc = err_set(err, -EINVAL, "collect %s: how long? give -d TIME or -n N",
                     a->demo       ? "--demo"
                     : a->every_ns ? "--every"
                                   : "--repeat");
    return rc;
}

int collect_open(struct collect *c, const struct args *said, struct err *err) {
    c->args = *said; /* the settings add to it */
    c->args.consts.latency = c->args.latency;
    c->a = &c->args;
    config_defaults(&c->config);
    int rc = check(c, err);
    if (rc == 0)
        rc = config_for(&c->config, &c->args, err);
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
    run_pick_close(&c->pick);
    collect_when_close(&c->when);
    collect_where_free(&c->where);
    config_free(&c->config);
}

int verb_collect(const struct args *said) {
    struct collect c = {.stop_fd = -1};
    struct err err = {0};
    int code, rc = collect_open(&c, said, &err);
    if (rc == 0 && c.config.log[0])
        rc = log_open(c.config.log, &err);
    if (rc == 0) {
        c.stop_fd = stop_open();
        code = collect_all(&c);
        stop_close(c.stop_fd);
    } else {
        code = run_pick_exit(&err);
    }
    collect_close(&c);
    log_close();
    return code;
}
