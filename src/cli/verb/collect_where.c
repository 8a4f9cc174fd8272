#include "cli/verb/collect_where.h"

#include "base/clock.h"
#include "base/str.h"
#include "cli/measure.h"
#include "model/hot/hot_merge.h"
#include "session/hot_lines.h"

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

static bool is_auto(const char *what) {
    return strcmp(what, "auto") == 0;
}

int collect_where_check(struct collect_where *w, const struct args *a, struct err *err) {
    w->a = a;
    if (!a->where)
        return 0;
    w->by_path = is_auto(a->where);
    int rc = a->demo      ? err_set(err, -EINVAL,
                                    "--where samples this machine, and --demo is a simulated one")
             : w->by_path ? 0
                          : split(w, err);
    const uint64_t whole = a->whens.n ? collect_where_when_ns(w)
                           : a->duration_ns
                               ? a->duration_ns
                               : (uint64_t)(a->count > 0 ? a->count : 0) * a->interval_ns;
    w->turn_ns = w->n > 1 ? whole / (uint64_t)w->n : 0;
    if (rc == 0 && w->n > 1 && !whole)
        rc = err_set(err, -EINVAL,
                     "--where %s: one after the other, each for its part of the time: give -d TIME",
                     a->where);
    for (int i = 0; rc == 0 && i < w->n; i++)
        rc = is_auto(w->what[i]) ? 0 : where_find(&w->sample, a, w->what[i], err);
    return rc;
}

/* ---- what is sampled next ---- */

/* The events of a node of each core type; METRIC_NONE: cycles, or time. */
static int find_events(const struct collect_where *w, int node, struct where_sample *to,
                       struct err *err) {
    const struct model *first = &w->all->at[0]->model;
    to->n_locate = 0;
    for (int i = 0; i < w->all->n && i < CORE_TYPES_MAX; i++) {
        const struct session *s = w->all->at[i];
        const int own =
            node == METRIC_NONE ? METRIC_NONE : model_find(&s->model, first->metric[node].name);
        const int rc = to->mc.n_core > 1 && s->pmu[0] ? machine_choose(&to->mc, s->pmu, err) : 0;
        if (rc < 0)
            return rc;
        locate_events(&to->locate[to->n_locate++], &to->mc, "", &s->model, own);
    }
    return 0;
}

/* The node of the path whose event has its turn after that of `now`: each event once. METRIC_NONE
 * without a path. */
static int next_node(struct collect_where *w, const char *now, struct err *err) {
    const struct bottleneck *path = &w->all->at[0]->frame.bottleneck;
    char seen[WHERE_MOST][sizeof(w->sample.locate[0].at[0].name)];
    int node[WHERE_MOST], n = 0, next = 0;
    for (int i = path->n; i-- > 0 && n < WHERE_MOST;) { /* the deepest says most */
        int k = 0;
        if (find_events(w, path->at[i], &w->sample, err) < 0)
            continue;
        const char *event = w->sample.locate[0].at[0].name;
        while (k < n && strcmp(seen[k], event) != 0)
            k++;
        if (k < n)
            continue;
        str_copy(seen[n], sizeof(seen[n]), event);
        next = strcmp(event, now) == 0 ? n + 1 : next;
        node[n++] = path->at[i];
    }
    return n ? node[next % n] : METRIC_NONE;
}

/* Begins with the next of the path. `now`: the event before, "" for none. */
static int begin_path(struct collect_where *w, const char *now, struct err *err) {
    w->sample.a = w->a;
    if (!w->detected)
        machine_detect(&w->sample.mc, "");
    w->detected = true;
    const int node = next_node(w, now, err);
    str_copy(w->asked, sizeof(w->asked),
             node == METRIC_NONE ? "" : w->all->at[0]->model.metric[node].name);
    w->due_ns = clock_now_ns() + WHERE_AUTO_NS;
    const int rc = find_events(w, node, &w->sample, err);
    return rc < 0 ? rc : where_begin(&w->sample, &w->target, err);
}

/* The one whose turn it is. */
static int begin_one(struct collect_where *w, struct err *err) {
    const char *what = w->what[w->at];
    if (is_auto(what))
        return begin_path(w, "", err);
    str_copy(w->asked, sizeof(w->asked), what);
    const int rc = where_find(&w->sample, w->a, what, err);
    return rc < 0 ? rc : where_begin(&w->sample, &w->target, err);
}

/* ---- one after the other ---- */

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
    w->all = all;
    if (!w->n && !w->by_path)
        return 0;
    const int rc = open_target(w, all, err);
    return rc < 0 ? rc : w->by_path ? begin_path(w, "", err) : begin_one(w, err);
}

/* Those of one event go together. */
static int put(struct collect_where *w, struct hot *h) {
    for (size_t i = 0; w->by_path && i < w->done.n; i++) {
        struct hot *to = &w->done.at[i];
        if (!to->event.n || !h->event.n || strcmp(to->event.at[0].name, h->event.at[0].name) != 0)
            continue;
        const int rc = hot_merge(to, h);
        hot_free(h);
        return rc;
    }
    return array_push(&w->done, *h);
}

/* What was sampled; the run goes on without what cannot be had. */
static void keep(struct collect_where *w, struct where_sample *s, const char *asked) {
    struct err err = {0};
    int rc = 0;
    where_end(s);
    for (int i = 0; rc == 0 && i < s->n_sampling; i++) {
        struct hot h = {0};
        rc = where_keep(s, i, &w->target, asked, w->by_path ? 0 : WHERE_LINES, &h, &err);
        if (rc == 0 && (rc = put(w, &h)) < 0) {
            err_set(&err, rc, "out of memory");
            hot_free(&h);
        }
    }
    if (rc < 0)
        cli_note("--where %s: %s", asked, err.text);
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

/* One of several is auto, began before there was a path, and now there is. */
static bool is_blind(const struct collect_where *w) {
    return !w->by_path && w->sample.n_sampling && is_auto(w->what[w->at]) && !w->asked[0] &&
           w->all->at[0]->frame.bottleneck.n > 0;
}

/* CLOCK_MONOTONIC; 0: the one goes on. */
static uint64_t due_ns(const struct collect_where *w) {
    if (w->by_path)
        return w->due_ns;
    if (is_blind(w))
        return w->sample.begin_ns;
    return w->turn_ns && w->sample.n_sampling && w->at < w->n - 1 ? w->sample.begin_ns + w->turn_ns
                                                                  : 0;
}

uint64_t collect_where_when_ns(const struct collect_where *w) {
    const uint64_t most = WHERE_WHEN_NS * (uint64_t)(w->n ? w->n : 1);
    return w->a->around_ns && w->a->around_ns < most ? w->a->around_ns : most;
}

int collect_where_wait_ms(const struct collect_where *w) {
    const uint64_t now = clock_now_ns(), due = due_ns(w);
    if (!due)
        return -1;
    return now < due ? (int)((due - now) / NS_PER_MS) + 1 : 0;
}

/* The event that is sampled; "": none is. */
static void event_now(const struct collect_where *w, char *buf, size_t cap) {
    struct sampling_info info = {0};
    if (w->sample.n_sampling)
        sampling_info(w->sample.sampling[0], &info);
    str_copy(buf, cap, info.n_event ? info.event[0].name : "");
}

/* The path may have no other event: that goes on. */
static bool stays(struct collect_where *w, const char *now) {
    struct err err = {0};
    const int node = next_node(w, now, &err);
    if (find_events(w, node, &w->sample, &err) < 0)
        return true;
    w->due_ns = clock_now_ns() + WHERE_AUTO_NS;
    if (strcmp(w->sample.locate[0].at[0].name, now) != 0)
        return false;
    if (node != METRIC_NONE) /* it is that of a node of the path now */
        str_copy(w->asked, sizeof(w->asked), w->all->at[0]->model.metric[node].name);
    return true;
}

/* The next begins before names are looked for, which takes its time. Its frame is large, and most
 * turns have nothing to do. */
__attribute__((noinline)) static void turn(struct collect_where *w) {
    char now[96], asked[sizeof(w->asked)];
    struct err err = {0};
    event_now(w, now, sizeof(now));
    if (w->by_path && stays(w, now))
        return;
    struct where_sample over = w->sample;
    str_copy(asked, sizeof(asked), w->asked);
    const bool blind = is_blind(w);
    w->at += !blind;
    where_end(&over);
    w->sample.n_sampling = 0;
    w->sample.end_ns = 0;
    if (!w->by_path)
        begin_next(w);
    else if (begin_path(w, now, &err) < 0)
        cli_note("--where auto: %s", err.text);
    if (over.n_sampling && blind)
        where_halt(&over);
    else if (over.n_sampling)
        keep(w, &over, asked);
}

void collect_where_turn(struct collect_where *w) {
    if (collect_where_wait_ms(w) == 0)
        turn(w);
}

void collect_where_end(struct collect_where *w) {
    if (w->sample.n_sampling)
        keep(w, &w->sample, w->asked);
    for (size_t i = 0; w->by_path && i < w->done.n && w->sample.names; i++)
        hot_lines_now(&w->done.at[i], w->sample.names, WHERE_LINES);
    w->at = w->n;
    w->due_ns = 0;
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
