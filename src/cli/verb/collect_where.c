#include "cli/verb/collect_where.h"

#include "base/clock.h"
#include "cli/measure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is asked for ---- */

static int split(struct collect_where *w, struct err *err) {
    w->words = strdup(w->a->where);
    if (!w->words)
        return err_set(err, -ENOMEM, "out of memory");
    char *rest = w->words;
    for (char *one; (one = strsep(&rest, ","));) {
        if (!*one)
            continue;
        if (w->n == WHERE_MOST)
            return err_set(err, -EINVAL, "--where: more than %d at once", WHERE_MOST);
        w->what[w->n++] = one;
    }
    return w->n ? 0 : err_set(err, -EINVAL, "--where '%s': name a node or an event", w->a->where);
}

int collect_where_check(struct collect_where *w, const struct args *a, struct err *err) {
    *w = (struct collect_where){.a = a};
    if (!a->where)
        return 0;
    int rc = a->demo ? err_set(err, -EINVAL,
                               "--where samples this machine, and --demo is a simulated one")
                     : split(w, err);
    const uint64_t whole =
        a->duration_ns ? a->duration_ns : (uint64_t)(a->count > 0 ? a->count : 0) * a->interval_ns;
    w->turn_ns = w->n > 1 ? whole / (uint64_t)w->n : 0;
    if (rc == 0 && w->n > 1 && !whole)
        rc = err_set(err, -EINVAL,
                     "--where %s: one after the other, each for its part of the time: give -d TIME",
                     a->where);
    for (int i = 0; rc == 0 && i < w->n; i++)
        rc = where_find(&w->sample, a, w->what[i], err);
    return rc;
}

/* ---- one after the other ---- */

static int begin_one(struct collect_where *w, struct err *err) {
    const int rc = where_find(&w->sample, w->a, w->what[w->at], err);
    return rc < 0 ? rc : where_begin(&w->sample, &w->target, err);
}

/* The target again: a command is the first session's. */
static int open_target(struct collect_where *w, const struct sessions *all, struct err *err) {
    struct target t;
    char pid[16];
    measure_target(&t, w->a);
    const pid_t command = all->at[0]->source.command;
    if (t.kind == TARGET_COMMAND && command) {
        snprintf(pid, sizeof(pid), "%d", (int)command);
        t.kind = TARGET_PIDS;
        t.pids = pid;
        t.waits = true;
    }
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    return target_open(&w->target, &t, &files, err);
}

int collect_where_begin(struct collect_where *w, const struct sessions *all, struct err *err) {
    w->at = 0;
    if (!w->n)
        return 0;
    const int rc = open_target(w, all, err);
    return rc < 0 ? rc : begin_one(w, err);
}

/* What was sampled, by that number; the run goes on without what cannot be had. */
static void keep(struct collect_where *w, struct where_sample *s, int at) {
    struct err err = {0};
    struct hot h = {0};
    where_end(s);
    int rc = where_keep(s, &w->target, w->what[at], WHERE_LINES, &h, &err);
    if (rc == 0 && (rc = array_push(&w->done, h)) < 0) {
        err_set(&err, rc, "out of memory");
        hot_free(&h);
    }
    if (rc < 0)
        cli_note("--where %s: %s", w->what[at], err.text);
    where_halt(s);
}

/* One that cannot be sampled now is left out. */
static void begin_next(struct collect_where *w) {
    for (; w->at < w->n; w->at++) {
        struct err err = {0};
        if (begin_one(w, &err) == 0)
            return;
        cli_note("--where %s: %s", w->what[w->at], err.text);
        where_halt(&w->sample);
    }
}

int collect_where_wait_ms(const struct collect_where *w) {
    if (!w->turn_ns || w->at >= w->n - 1)
        return -1;
    const uint64_t now = clock_now_ns(), due = w->sample.begin_ns + w->turn_ns;
    return now < due ? (int)((due - now) / NS_PER_MS) + 1 : 0;
}

/* The next begins before names are looked for, which takes its time. */
void collect_where_turn(struct collect_where *w) {
    if (collect_where_wait_ms(w) != 0)
        return;
    struct where_sample over = w->sample;
    const int at = w->at++;
    where_end(&over);
    w->sample = (struct where_sample){.names = over.names};
    begin_next(w);
    keep(w, &over, at);
}

void collect_where_end(struct collect_where *w) {
    if (w->at < w->n && w->sample.sampling)
        keep(w, &w->sample, w->at);
    w->at = w->n;
    target_close(&w->target);
    w->target = (struct target_set){0};
}

int collect_where_give(struct collect_where *w, struct run *r, struct err *err) {
    for (size_t i = 0; i < w->done.n; i++) {
        if (array_push(&r->hot, w->done.at[i]) < 0)
            return err_set(err, -ENOMEM, "out of memory for the samples");
        w->done.at[i] = (struct hot){0};
    }
    w->done.n = 0;
    return 0;
}

void collect_where_free(struct collect_where *w) {
    where_close(&w->sample);
    target_close(&w->target);
    for (size_t i = 0; i < w->done.n; i++)
        hot_free(&w->done.at[i]);
    array_free(&w->done);
    free(w->words);
    *w = (struct collect_where){0};
}
