#include "cli/verb/collect.h"

#include "base/clock.h"
#include "base/spawn.h"
#include "base/str.h"
#include "base/when.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
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
    return 0;
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

void collect_when_close(struct collect_when *w) {
    run_free(&w->base);
    *w = (struct collect_when){0};
}

/* ---- --then ---- */

static void reap(struct collect_when *w) {
    for (int i = 0; i < w->n_child;)
        if (waitpid(w->child[i], NULL, WNOHANG) != 0)
            w->child[i] = w->child[--w->n_child];
        else
            i++;
}

/* NAME=VALUE each; the environment of the command. */
struct facts {
    char *at[16];
    int n;
};

__attribute__((format(printf, 2, 3))) static void add(struct facts *f, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    if (vasprintf(&f->at[f->n], fmt, ap) >= 0)
        f->n++;
    va_end(ap);
}

static struct facts facts_of(const struct collect *c, const struct flight_kept *k) {
    const struct session *s = c->all.at[k->type];
    const struct rule_watch *w = &c->when.flight.watch[k->rule][k->type];
    struct facts f = {0};
    char time[64];
    add(&f, "TDTOP_RULE=%s", w->rule.text);
    add(&f, "TDTOP_METRIC=%s", s->model.metric[w->metric].name);
    add(&f, "TDTOP_VALUE=%.6g", w->mean);
    add(&f, isnan(w->err) ? "TDTOP_ERR=" : "TDTOP_ERR=%.3g", w->err);
    add(&f, "TDTOP_LIMIT=%.6g", w->limit);
    add(&f, "TDTOP_FOUND=%s", k->found);
    add(&f, "TDTOP_RUN=%s", k->id);
    add(&f, "TDTOP_TARGET=%s", s->source.target_text);
    add(&f, "TDTOP_PIDS=%s", s->names.pid);
    add(&f, "TDTOP_TIME=%s", when_iso((int64_t)(s->t_wall_ns + k->t_ns), time, sizeof(time)));
    add(&f, "TDTOP_DB=%s", c->db);
    return f;
}

static char **environment_of(const struct facts *f) {
    size_t n = 0, to = 0;
    while (environ[n])
        n++;
    char **all = calloc(n + (size_t)f->n + 1, sizeof(*all));
    for (size_t i = 0; all && i < n; i++) {
        bool ours = false;
        for (int k = 0; k < f->n && !ours; k++)
            ours = strncmp(environ[i], f->at[k], strcspn(f->at[k], "=") + 1) == 0;
        if (!ours)
            all[to++] = environ[i];
    }
    for (int k = 0; all && k < f->n; k++)
        all[to++] = f->at[k];
    return all;
}

/* It runs beside the measurement; what it prints goes to standard error. */
static int start(const char *command, char **env, pid_t *pid) {
    char sh[] = "sh", dash_c[] = "-c", *text = strdup(command);
    char *const argv[] = {sh, dash_c, text, NULL};
    const int rc = text && env
                       ? spawn_start("/bin/sh", argv, env, STDERR_FILENO, STDERR_FILENO, pid)
                       : -ENOMEM;
    free(text);
    return rc;
}

static void run_command(struct collect *c, const struct flight_kept *k) {
    struct collect_when *w = &c->when;
    reap(w);
    if (w->n_child == WHEN_CHILDREN) {
        cli_note("--then: %d commands of before still run; not run for %.8s", WHEN_CHILDREN, k->id);
        return;
    }
    struct facts f = facts_of(c, k);
    char **env = environment_of(&f);
    const int rc = start(c->a->then, env, &w->child[w->n_child]);
    if (rc == 0)
        w->n_child++;
    else
        cli_note("--then '%s': %s", c->a->then, strerror(-rc));
    free(env);
    for (int i = 0; i < f.n; i++)
        free(f.at[i]);
}

/* ---- interval after interval ---- */

static void sample(struct collect *c, const struct flight_kept *k) {
    struct err err = {0};
    if (!c->a->where || c->when.until_ns || c->when.sampled[0])
        return; /* those of one at a time: until it is stored */
    if (collect_where_begin(&c->where, &c->all, &err) < 0) {
        cli_note("--where: %s", err.text);
        collect_where_end(&c->where);
        return;
    }
    str_copy(c->when.sampled, sizeof(c->when.sampled), k->id);
    c->when.until_ns = clock_now_ns() + WHERE_WHEN_NS;
}

static void fired(void *user, const struct flight_kept *k) {
    struct collect *c = user;
    const struct session *s = c->all.at[k->type];
    char time[32], span[32];
    progress_clear(&c->progress);
    cli_note("%s  %s: %s; run %.8s, in %s",
             when_text((int64_t)(s->t_wall_ns + k->t_ns), time, sizeof(time)), s->names.process,
             k->found, k->id, when_duration(c->when.flight.behind_ns, span, sizeof(span)));
    sample(c, k);
    if (c->a->then)
        run_command(c, k);
}

void collect_when_take(struct collect *c, int type) {
    flight_take(&c->when.flight, &c->all, type, fired, c);
}

static int store_one(struct collect *c, int type, struct run *r, struct err *err) {
    int rc = collect_words(c, type, r, err);
    if (rc == 0 && type == 0 && strcmp(r->id, c->when.sampled) == 0)
        rc = collect_where_give(&c->where, r, err);
    if (rc < 0)
        return rc;
    rc = collect_store_use(c, err);
    if (rc == 0)
        rc = store_save(&collect_pick(c)->store, r, err);
    if (rc < 0)
        collect_rescue(r);
    collect_store_rest(c);
    return rc;
}

static void store(struct collect *c, const struct flight_kept *k) {
    progress_clear(&c->progress);
    for (int type = 0; type < c->all.n; type++) {
        struct session_draft d = {0};
        struct err err = {0};
        int rc = flight_draft(k, c->all.at[type], type == 0, &d, &err);
        if (rc == 0)
            rc = session_draft_finish(&d, &err);
        if (rc == 0)
            rc = store_one(c, type, &d.run, &err);
        if (rc < 0)
            cli_error(&err);
        const int code = rc < 0 ? EXIT_ERROR : collect_say(c, &d.run);
        c->when.code = code ? code : c->when.code;
        session_draft_free(&d);
    }
    if (strcmp(k->id, c->when.sampled) == 0)
        c->when.sampled[0] = '\0';
}

static void end_samples(struct collect *c) {
    if (c->when.until_ns)
        collect_where_end(&c->where);
    c->when.until_ns = 0;
}

void collect_when_turn(struct collect *c) {
    struct flight_kept k;
    reap(&c->when);
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
    reap(&c->when);
    if (c->when.code == EXIT_OK && c->all.at[0]->n_frames)
        cli_note("watched for %s: fired %s%.0llu%s%s",
                 when_duration(c->all.at[0]->frame.t1_ns, time, sizeof(time)),
                 fl->n_fired ? "" : "never", (unsigned long long)fl->n_fired,
                 fl->n_fired == 1  ? " time"
                 : fl->n_fired > 1 ? " times"
                                   : "",
                 fl->n_missed ? "; more at once than can be kept" : "");
    return c->when.code;
}
