/*
 * What is counted: the plan, as far as the kernel accepts it on the first thread or CPU.
 */
#include "pmu/source_perf.h"

#include "pmu/perf_open.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

int perf_say_refused(struct source *src, int rc, struct err *err) {
    struct perf *p = src->priv;
    const struct perf_unit *u = &p->units.failed;
    char on[192];
    struct rlimit now = p->files;
    getrlimit(RLIMIT_NOFILE, &now);
    if (u->cpu >= 0)
        snprintf(on, sizeof(on), "CPU %d", u->cpu);
    else
        snprintf(on, sizeof(on), "thread %d of %s", (int)u->tid, src->target_text);
    uint32_t units = p->units.n_wanted ? p->units.n_wanted : 1;
    uint32_t events = p->shape.n_counter ? p->shape.n_counter : p->shape.n_wish;
    struct perf_where where = {
        .event =
            p->units.event < src->model->n_event ? src->model->event[p->units.event].name : "?",
        .on = on,
        .paranoid = p->mc.paranoid,
        .system_wide = perf_on_cpus(p),
        .foreign = u->cpu < 0 && target_is_foreign(u->tid),
        .fds_needed = (uint64_t)events * units + uncore_fds(&p->uncore, &p->plan) + PERF_OURS,
        .fds_limit = now.rlim_cur,
        .events = events,
        .units = units,
    };
    if (rc == -ESRCH)
        return err_set(err, rc, "%s: no such process; it has ended", src->target_text);
    return perf_explain(err, rc, &where);
}

/* ---- the plan ---- */

/* Boxes outside the cores serve all CPUs and do not know whom: only the whole machine has them. */
static bool wants_uncore(const struct source *src) {
    return src->opt.target.kind == TARGET_ALL;
}

static int make_plan(struct source *src, struct err *err) {
    struct perf *p = src->priv;
    struct plan_options opt = {.refused = p->refused,
                               .wanted = src->opt.wanted,
                               .level = src->opt.level,
                               .no_perf_metrics = !p->mc.has_topdown,
                               .nmi_watchdog = p->mc.nmi_watchdog == 1,
                               .consts = &src->consts,
                               .uncore = wants_uncore(src)};
    return plan_make(&p->plan, src->model, &opt, err);
}

/* ---- the first thread or CPU ---- */

static struct perf_mode mode_of(const struct perf *p) {
    return (struct perf_mode){.inherit = !perf_on_cpus(p) && p->target.kind != TARGET_TIDS,
                              .enable_on_exec = p->target.kind == TARGET_COMMAND,
                              .cgroup = p->target.kind == TARGET_CGROUP,
                              .cgroup_fd = p->target.cgroup_fd};
}

static int begin_units(struct source *src, struct err *err) {
    struct perf *p = src->priv;
    int rc = perf_shape_wish(&p->shape, src->model, &p->plan, &p->mc, &p->how, err);
    if (rc)
        return rc;
    p->units = (struct perf_units){
        .plan = &p->plan, .target = &p->target, .shape = &p->shape, .mode = mode_of(p)};
    return perf_units_begin(&p->units);
}

/* Where the kernel's share is not permitted, user space alone is better than nothing, and said. */
static int begin_permitted(struct source *src, struct err *err) {
    struct perf *p = src->priv;
    p->how = (struct encode_options){.root = "",
                                     .on_cpus = p->target.kind == TARGET_ALL ||
                                                p->target.kind == TARGET_CPUS,
                                     .user_only = src->opt.target.user_only,
                                     .kernel_only = src->opt.target.kernel_only};
    int rc = begin_units(src, err);
    if (perf_is_denied(rc) && !perf_on_cpus(p) && !p->how.user_only && !p->how.kernel_only) {
        perf_shape_free(&p->shape);
        p->how.user_only = p->how.user_only_forced = true;
        int again = begin_units(src, err);
        if (again == 0)
            snprintf(p->said, sizeof(p->said),
                     "user space only: perf_event_paranoid is %d; root, cap_perfmon or sysctl "
                     "kernel.perf_event_paranoid=1 show the kernel's share, too",
                     p->mc.paranoid);
        rc = again;
    }
    return rc ? perf_say_refused(src, rc, err) : 0;
}

static bool is_hardware(enum event_pmu pmu) {
    return pmu == EVENT_CORE || pmu == EVENT_GENERIC || pmu == EVENT_UNCORE;
}

static bool is_counted(const struct perf *p, const struct event *ev, uint32_t i) {
    return p->shape.missing[i] == COUNT_OK ||
           (ev->pmu != EVENT_UNCORE && perf_shape_has(&p->shape, (uint16_t)i));
}

/* Takes note of hardware events that were planned and refused. Were there any? */
static bool learn(struct source *src) {
    struct perf *p = src->priv;
    bool learned = false;
    for (uint32_t i = 0; i < src->model->n_event; i++) {
        const struct event *ev = &src->model->event[i];
        if (!is_hardware(ev->pmu) || p->plan.missing[i] != COUNT_OK || is_counted(p, ev, i))
            continue;
        p->refused[i] = p->shape.missing[i];
        learned = true;
    }
    return learned;
}

/* After the counters of the cores, with what they have left of the descriptors. */
static void open_uncore(struct source *src) {
    struct perf *p = src->priv;
    struct rlimit now = p->files;
    getrlimit(RLIMIT_NOFILE, &now);
    uint64_t taken = (uint64_t)p->units.n_wanted * p->shape.n_counter + PERF_OURS;
    uncore_open(&p->uncore, src->model, &p->plan, now.rlim_cur > taken ? now.rlim_cur - taken : 0,
                p->shape.missing);
}

/* A box cannot tell user space from the kernel. */
static void refuse_uncore(const struct model *m, uint8_t *refused) {
    for (uint32_t i = 0; i < m->n_event; i++)
        if (m->event[i].pmu == EVENT_UNCORE)
            refused[i] = COUNT_NOT_SUPPORTED;
}

static int find_uncore(struct source *src, struct err *err) {
    struct perf *p = src->priv;
    if (!wants_uncore(src))
        return 0;
    if (src->opt.target.user_only || src->opt.target.kernel_only) {
        refuse_uncore(src->model, p->refused);
        return 0;
    }
    int rc = uncore_find(&p->uncore, src->model, "", p->refused);
    return rc ? err_set(err, rc, "out of memory for the events outside the cores") : 0;
}

/*
 * What the kernel refuses is known only once it was asked. Then the plan is made anew without it:
 * its place goes to others, and formulas that have a fallback get the events of that.
 */
int perf_plan_and_begin(struct source *src, struct err *err) {
    enum { ROUNDS = 3 };
    struct perf *p = src->priv;
    p->refused = calloc(src->model->n_event + 1, sizeof(*p->refused));
    if (!p->refused)
        return err_set(err, -ENOMEM, "out of memory for the events");
    int rc = find_uncore(src, err);
    for (int i = 0; !rc; i++) {
        rc = make_plan(src, err);
        if (!rc)
            rc = begin_permitted(src, err);
        if (rc)
            break;
        open_uncore(src);
        if (i == ROUNDS || !learn(src))
            break;
        uncore_close(&p->uncore);
        perf_units_close(&p->units);
        perf_shape_free(&p->shape);
        plan_free(&p->plan);
        p->said[0] = '\0';
    }
    return rc;
}
