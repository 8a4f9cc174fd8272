#include "cli/verb/collect.h"

#include "base/clock.h"
#include "base/spawn.h"
#include "base/str.h"
#include "base/when.h"
#include "base/words.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- what is asked for ---- */

int collect_when_check(const struct args *a, struct err *err) {
    const char *lonely = a->around_ns ? "around" : a->then ? "then" : a->baseline ? "baseline" : "";
    if (!a->whens.n && lonely[0])
        return err_set(err, -EINVAL, "collect --%s: it goes with --when RULE", lonely);
    if (a->whens.n && (a->every_ns || a->repeat))
        return err_set(err, -EINVAL, "collect --when watches all the time: leave out --%s",
                       a->repeat ? "repeat" : "every");
    struct rule r;
    int rc = 0;
    for (int i = 0; i < a->whens.n && rc == 0; i++)
        rc = rule_parse(a->whens.at[i], &r, err);
    return rc;
}

int collect_when_open(struct collect *c, struct err *err) {
    struct collect_when *w = &c->when;
    const struct args *a = c->a;
    int rc = 0;
    w->on = a->whens.n > 0;
    for (int i = 0; i < a->whens.n && rc == 0; i++)
        rc = flight_add(&w->flight, a->whens.at[i], NULL, NULL, err);
    if (a->around_ns)
        w->flight.before_ns = w->flight.behind_ns = a->around_ns;
    if (rc == 0 && a->baseline)
        rc = run_pick_load(collect_pick(c), a->baseline, RUN_HEAD, &w->base, err);
    return rc;
}

size_t collect_when_bytes(const struct collect *c) {
    enum { ROW = 2048, LEAST = 256 << 10 }; /* bytes; a row of the largest model, packed */
    const struct flight *fl = &c->when.flight;
    const uint64_t span = fl->before_ns + fl->behind_ns, every = c->measure.opt[0].interval_ns;
    const uint64_t n = every ? span / every * ROW : 0;
    return n < LEAST ? LEAST : n < TIMELINE_BYTES ? n : TIMELINE_BYTES;
}

int collect_when_begin(struct collect *c, struct err *err) {
    c->when.code = EXIT_OK;
    return flight_bind(&c->when.flight, &c->all, c->when.base.id[0] ? &c->when.base : NULL, err);
}

static void drop_samples(struct run **r) {
    if (*r)
        run_free(*r);
    free(*r);
    *r = NULL;
}

void collect_when_close(struct collect_when *w) {
    for (int i = 0; i < FLIGHT_KEPT; i++)
        drop_samples(&w->samples[i]);
    run_free(&w->base);
    *w = (struct collect_when){0};
}

/* ---- --then ---- */

/* Commands that run, of all rows of the process: one may outlive its row. */
static struct {
    pthread_mutex_t lock;
    pid_t at[64];
    int n;
} children = {.lock = PTHREAD_MUTEX_INITIALIZER};
enum { CHILDREN = sizeof(children.at) / sizeof(children.at[0]) };

static void reap(void) {
    pthread_mutex_lock(&children.lock);
    for (int i = 0; i < children.n;)
        if (waitpid(children.at[i], NULL, WNOHANG) != 0)
            children.at[i] = children.at[--children.n];
        else
            i++;
    pthread_mutex_unlock(&children.lock);
}

static bool is_ours(const struct words *w, const char *variable) {
    for (size_t i = 0; i < w->list.n; i++)
        if (strncmp(variable, w->list.at[i], strcspn(w->list.at[i], "=") + 1) == 0)
            return true;
    return false;
}

/* What was found, and our own environment behind it. */
static int make_environment(const struct collect *c, const struct flight_kept *k,
                            struct words *to) {
    const struct session *s = c->all.at[k->type];
    const struct rule_watch *w = &c->when.flight.watch[k->rule][k->type];
    struct words f = {0};
    char time[64], err[32] = "";
    if (!isnan(w->err))
        snprintf(err, sizeof(err), "%.3g", w->err);
    int rc = words_add(&f, "TDTOP_RULE=%s", k->rule_text);
    rc = rc ? rc : words_add(&f, "TDTOP_METRIC=%s", s->model.metric[w->metric].name);
    rc = rc ? rc : words_add(&f, "TDTOP_VALUE=%.6g", w->mean);
    rc = rc ? rc : words_add(&f, "TDTOP_ERR=%s", err);
    rc = rc ? rc : words_add(&f, "TDTOP_LIMIT=%.6g", w->limit);
    rc = rc ? rc : words_add(&f, "TDTOP_FOUND=%s", k->found);
    rc = rc ? rc : words_add(&f, "TDTOP_RUN=%s", k->id);
    rc = rc ? rc : words_add(&f, "TDTOP_TARGET=%s", s->source.target_text);
    rc = rc ? rc : words_add(&f, "TDTOP_PIDS=%s", s->names.pid);
    when_iso((int64_t)(s->t_wall_ns + k->t_ns), time, sizeof(time));
    rc = rc ? rc : words_add(&f, "TDTOP_TIME=%s", time);
    rc = rc ? rc : words_add(&f, "TDTOP_DB=%s", c->db);
    const size_t own = f.list.n;
    for (char **v = environ; *v && rc == 0; v++)
        if (!is_ours(&(struct words){.list = {.at = f.list.at, .n = own}}, *v))
            rc = words_add(&f, "%s", *v);
    *to = f;
    return rc;
}

/* It runs beside the measurement; what it prints goes to standard error. */
static int start(const struct collect *c, const struct flight_kept *k, pid_t *pid) {
    struct words env, argv = {0};
    int rc = make_environment(c, k, &env);
    rc = rc ? rc : words_add(&argv, "sh");
    rc = rc ? rc : words_add(&argv, "-c");
    rc = rc ? rc : words_add(&argv, "%s", c->a->then);
    if (rc == 0)
        rc = spawn_start("/bin/sh", argv.list.at, env.list.at, STDERR_FILENO, STDERR_FILENO, pid);
    words_free(&argv);
    words_free(&env);
    return rc;
}

static void run_command(const struct collect *c, const struct flight_kept *k) {
    int rc = -EBUSY;
    reap();
    pthread_mutex_lock(&children.lock);
    if (children.n < CHILDREN && (rc = start(c, k, &children.at[children.n])) == 0)
        children.n++;
    pthread_mutex_unlock(&children.lock);
    if (rc == -EBUSY)
        cli_note("--then: %d commands of before still run; it is not run", CHILDREN);
    else if (rc < 0)
        cli_note("--then '%s': %s", c->a->then, strerror(-rc));
}

/* ---- interval after interval ---- */

static void sample(struct collect *c, const struct flight_kept *k) {
    struct err err = {0};
    if (!c->a->where)
        return;
    if (c->when.until_ns) {
        cli_note("--where: run %.8s has no samples: those of %.8s are being taken", k->id,
                 c->when.sampled);
        return;
    }
    if (collect_where_begin(&c->where, &c->all, &err) < 0) {
        cli_note("--where: %s", err.text);
        collect_where_end(&c->where);
        return;
    }
    str_copy(c->when.sampled, sizeof(c->when.sampled), k->id);
    c->when.until_ns = clock_now_ns() + collect_where_when_ns(&c->where);
}

static void fired(void *user, const struct flight_kept *k) {
    struct collect *c = user;
    const struct session *s = c->all.at[k->type];
    char time[32], span[32];
    progress_clear(&c->progress);
    cli_note("%s  %s: %s; %s%.8s%s%s",
             when_text((int64_t)(s->t_wall_ns + k->t_ns), time, sizeof(time)), s->names.process,
             k->found, k->id[0] ? "run " : "not kept: too many are waited for", k->id,
             k->id[0] ? ", in " : "",
             k->id[0] ? when_duration(c->when.flight.behind_ns, span, sizeof(span)) : "");
    if (k->id[0])
        sample(c, k);
    if (c->a->then)
        run_command(c, k);
}

void collect_when_take(struct collect *c, int type) {
    flight_take(&c->when.flight, &c->all, type, fired, c);
}

/* Those of a run: where they are, or where there is room. */
static struct run **samples_of(struct collect_when *w, const char *id) {
    struct run **room = NULL;
    for (int i = 0; i < FLIGHT_KEPT; i++)
        if (w->samples[i] && strcmp(w->samples[i]->id, id) == 0)
            return &w->samples[i];
        else if (!w->samples[i])
            room = &w->samples[i];
    return room;
}

/* They are kept for their run, and another may have its turn. */
static void end_samples(struct collect *c) {
    struct collect_when *w = &c->when;
    struct err err = {0};
    if (!w->until_ns)
        return;
    w->until_ns = 0;
    collect_where_end(&c->where);
    struct run **to = samples_of(w, w->sampled);
    if (to && (*to = calloc(1, sizeof(**to)))) {
        str_copy((*to)->id, sizeof((*to)->id), w->sampled);
        if (collect_where_give(&c->where, *to, &err) < 0)
            cli_note("--where: %s", err.text);
    }
    w->sampled[0] = '\0';
}

static int give_samples(struct collect_when *w, struct run *r, struct err *err) {
    struct run **from = samples_of(w, r->id);
    if (!from || !*from)
        return 0;
    const int rc = array_append(&r->hot, (*from)->hot.at, (*from)->hot.n);
    if (rc == 0)
        (*from)->hot.n = 0;
    drop_samples(from);
    return rc < 0 ? err_set(err, rc, "out of memory for the samples") : 0;
}

/* What there is of it is not lost. */
static int store_one(struct collect *c, int type, struct run *r, struct err *err) {
    int rc = collect_words(c, type, r, err);
    if (rc == 0)
        rc = give_samples(&c->when, r, err);
    if (rc == 0)
        rc = collect_store_use(c, err);
    if (rc == 0)
        rc = store_save(&collect_pick(c)->store, r, err);
    if (rc < 0)
        collect_rescue(r);
    return rc;
}

/* The first that can be made has the id that was said. */
static void store(struct collect *c, const struct flight_kept *k) {
    progress_clear(&c->progress);
    for (int type = 0, n = 0; type < c->all.n; type++) {
        struct session_draft d = {0};
        struct err err = {0};
        int rc = flight_draft(k, c->all.at[type], n == 0, &d, &err);
        n += rc == 0;
        if (rc == 0)
            rc = session_draft_finish(&d, &err);
        if (rc == 0)
            rc = store_one(c, type, &d.run, &err);
        if (rc < 0)
            cli_error(&err);
        const int code = rc < 0 ? EXIT_ERROR : collect_say(c, &d.run);
        collect_store_rest(c);
        c->when.code = code ? code : c->when.code;
        session_draft_free(&d);
    }
}

void collect_when_turn(struct collect *c) {
    struct flight_kept k;
    reap();
    if (c->when.until_ns && clock_now_ns() >= c->when.until_ns)
        end_samples(c);
    while (c->when.on && flight_due(&c->when.flight, &c->all, false, &k)) {
        if (strcmp(k.id, c->when.sampled) == 0)
            end_samples(c);
        store(c, &k);
    }
}

int collect_when_wait_ms(const struct collect_when *w, int ms) {
    const uint64_t now = clock_now_ns();
    if (!w->until_ns)
        return ms;
    const int own = w->until_ns > now ? (int)((w->until_ns - now) / NS_PER_MS) + 1 : 0;
    return ms < 0 || own < ms ? own : ms;
}

int collect_when_end(struct collect *c) {
    const struct flight *fl = &c->when.flight;
    struct flight_kept k;
    char time[32];
    end_samples(c);
    while (flight_due(&c->when.flight, &c->all, true, &k))
        store(c, &k);
    reap();
    const char *watched = when_duration(c->all.at[0]->frame.t1_ns, time, sizeof(time));
    if (fl->n_fired)
        cli_note("watched for %s: fired %llu time%s", watched, (unsigned long long)fl->n_fired,
                 fl->n_fired == 1 ? "" : "s");
    else if (c->all.at[0]->n_frames)
        cli_note("watched for %s: never fired", watched);
    return c->when.code;
}
