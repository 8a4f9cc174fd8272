#include "cli/verb/where_sample.h"

#include "base/clock.h"
#include "cli/measure.h"
#include "cli/stop.h"
#include "pmu/host/fallback.h"
#include "session/hot_take.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { TURN_MS = 100, DURATION_S = 10 };

static int find_accesses(const struct where_sample *w, struct locate *l, struct err *err) {
    if (locate_accesses(l, &w->mc, "") == 0)
        return 0;
    return err_set(err, -ENOTSUP, "--accesses: %s; tdtop where -p PID shows functions",
                   w->mc.n_core ? "no event of this CPU tells which address a load goes to"
                                : "there is no PMU that could tell which address a load goes to");
}

/* "offcpu", "OFF_CPU" and the like. */
static bool is_like_off_cpu(const char *what) {
    return strncasecmp(what, "off", 3) == 0 && strcasestr(what, "cpu");
}

static int find_events(struct where_sample *w, const char *what, struct locate *l,
                       struct err *err) {
    const struct args *a = w->a;
    struct model m = {0};
    char why[256];
    if (!what && w->a->accesses)
        return find_accesses(w, l, err);
    if (!what) {
        locate_events(l, &w->mc, "", NULL, METRIC_NONE);
        return 0;
    }
    int rc = fallback_pick(&m, &w->mc, a->model, &a->places, why, sizeof(why), err);
    const int at = rc < 0 ? METRIC_NONE : model_find(&m, what);
    if (rc == 0 && at != METRIC_NONE)
        locate_events(l, &w->mc, "", &m, at);
    else if (rc == 0 && locate_named(l, &w->mc, "", &m, what) < 0) {
        const char *near = is_like_off_cpu(what) ? "off-cpu" : model_nearest(&m, what);
        rc = err_set(err, -EINVAL,
                     "where %s: model %s has no such node, and no event of that name can be "
                     "sampled here%s%s",
                     what, m.name, near ? "; did you mean " : "", near ? near : "");
    }
    model_free(&m);
    return rc;
}

/* The model of this core type has no such node. */
static void instead(struct locate *l, const struct machine *mc, const char *what) {
    locate_events(l, mc, "", NULL, METRIC_NONE);
    for (int i = 0; i < l->n; i++)
        snprintf(l->at[i].why, sizeof(l->at[i].why), "%s has no %s: where cycles go", mc->pmu,
                 what);
}

/* Of each core type there is. A node that only some of them have is cycles on the others. */
int where_find(struct where_sample *w, const struct args *a, const char *what, struct err *err) {
    w->a = a;
    w->n_locate = 0;
    machine_detect(&w->mc, "");
    if (a->core_type) {
        const int rc = machine_choose(&w->mc, a->core_type, err);
        return rc ? rc : find_events(w, what, &w->locate[w->n_locate++], err);
    }
    int n_lacking = 0;
    do {
        char number[16];
        struct locate *l = &w->locate[w->n_locate];
        snprintf(number, sizeof(number), "%d", w->n_locate++);
        int rc = w->mc.n_core > 1 ? machine_choose(&w->mc, number, err) : 0;
        if (rc == 0)
            rc = find_events(w, what, l, err);
        if (rc == -EINVAL && ++n_lacking < w->mc.n_core)
            instead(l, &w->mc, what);
        else if (rc)
            return rc;
    } while (w->n_locate < w->mc.n_core && !locate_is_off_cpu(&w->locate[0]));
    return 0;
}

/* A core type on whose CPUs the target is not to be is left out. */
int where_begin(struct where_sample *w, const struct target_set *target, struct err *err) {
    w->end_ns = 0;
    if (!w->names && names_open(&w->names, NULL) < 0)
        return err_set(err, -ENOMEM, "out of memory for names");
    int rc = -ENODEV;
    for (int i = 0; i < w->n_locate; i++) {
        const struct sampling_options opt = {.target = target,
                                             .list = &w->locate[i],
                                             .n_list = 1,
                                             .paranoid = w->mc.paranoid,
                                             .stacks = true,
                                             .branches = w->a->branches ||
                                                         locate_is_mispredict(&w->locate[i]),
                                             .memory = locate_is_access(&w->locate[i]),
                                             .user_only = w->a->user};
        rc = sampling_open(&w->sampling[w->n_sampling], &opt, err);
        w->n_sampling += rc == 0;
        if (rc < 0 && rc != -ENODEV)
            break;
    }
    w->begin_ns = clock_now_ns();
    return rc == -ENODEV && w->n_sampling ? 0 : rc;
}

void where_end(struct where_sample *w) {
    if (!w->n_sampling || w->end_ns)
        return;
    for (int i = 0; i < w->n_sampling; i++)
        sampling_stop(w->sampling[i]);
    w->end_ns = clock_now_ns();
}

static int open_target(struct target_set *out, const struct args *a, struct err *err) {
    struct target t;
    measure_target(&t, a);
    t.mute = (a->json || a->folded) && !a->output; /* standard output is ours */
    if (t.kind == TARGET_NONE)
        return measure_no_target(err);
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    return target_open(out, &t, &files, err);
}

/* Until the time is over, the target has ended, or the user ends it. */
static void wait_until_done(struct where_sample *w, struct target_set *target) {
    const struct args *a = w->a;
    const uint64_t most = a->duration_ns ? a->duration_ns
                          : a->command   ? UINT64_MAX / 2
                                         : DURATION_S * NS_PER_S;
    struct pollfd stop = {.fd = stop_open(), .events = POLLIN};
    for (;;) {
        const uint64_t spent = clock_now_ns() - w->begin_ns;
        if (spent >= most || target_gone(target))
            break;
        const uint64_t left_ms = (most - spent) / NS_PER_MS + 1;
        if (poll(&stop, 1, left_ms < TURN_MS ? (int)left_ms : TURN_MS) > 0)
            break;
    }
    where_end(w);
    stop_close(stop.fd);
}

int where_measure(struct where_sample *w, struct target_set *target, const struct args *a,
                  struct err *err) {
    int rc = open_target(target, a, err);
    if (rc == 0)
        rc = where_begin(w, target, err);
    if (rc == 0 && target->kind == TARGET_COMMAND)
        rc = target_start(target, err);
    if (rc == 0)
        wait_until_done(w, target);
    return rc;
}

int where_keep(struct where_sample *w, int which, struct target_set *target, const char *asked,
               size_t lines, struct hot *out, struct err *err) {
    char words[256];
    target_renamed(target, clock_now_ns());
    target_words(target, words, sizeof(words));
    const uint64_t end = w->end_ns ? w->end_ns : clock_now_ns();
    const struct hot_options opt = {.target = words,
                                    .asked = asked,
                                    .seconds = (double)(end - w->begin_ns) / 1e9,
                                    .paranoid = w->mc.paranoid,
                                    .user_asked = w->a->user,
                                    .lines = lines};
    const int rc = hot_take_now(out, w->sampling[which], w->names, &opt);
    return rc < 0 ? err_set(err, rc, "out of memory for the samples") : 0;
}

void where_halt(struct where_sample *w) {
    while (w->n_sampling)
        sampling_close(w->sampling[--w->n_sampling]);
}

void where_close(struct where_sample *w) {
    where_halt(w);
    names_close(w->names);
    *w = (struct where_sample){0};
}
