/*
 * What is counted: the plan, as far as the kernel accepts it on the first thread or CPU.
 */
#include "pmu/perf/source_perf.h"

#include "pmu/host/perf_open.h"

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
        snprintf(on, sizeof(on), "thread %d of %s", (int)u->tid, src->name);
    uint32_t units = p->units.n_wanted ? p->units.n_wanted : 1;
    uint32_t events = p->shape.n_counter ? p->shape.n_counter : p->shape.n_wish;
    struct perf_where where = {
        .event =
            p->units.event < src->model->n_event ? src->model->event[p->units.event].name : "?",
        .on = on,
        .paranoid = p->mc.paranoid,
        .system_wide = perf_on_cpus(p),
        .foreign = u->cpu < 0 && target_is_foreign(u->tid),
        .fds_needed =
            perf_files_limit(src, (uint64_t)events * units + uncore_fds(&p->uncore, &p->plan)),
        .fds_limit = now.rlim_cur,
        .events = events,
        .units = units,
    };
    if (rc == -ESRCH)
        return err_set(err, rc, "%s: no such process; it has ended", src->name);
    return perf_explain(err, rc, &where);
}

/* ---- the plan ---- */

/* Boxes outside the cores serve all CPUs and do not know whom: only the whole machine has them. */
static bool wants_uncore(const struct source *src) {
    return src->opt.target.kind == TARGET_ALL;
}

bool perf_counts_here(const struct perf *p) {
    return p->mc.n_core > 1 && !perf_on_cpus(p);
}

struct plan_options perf_plan_options(const struct source *src) {
    const struct perf *p = src->priv;
    return (struct plan_options){.refused = p->refused,
                                 .wanted = p->level1_only ? NULL : src->opt.wanted,
                                 .level = p->level1_only ? 1 : src->opt.level,
                                 .general = p->budget.general,
                                 .free = p->budget.free,
                                 .probed = p->budget.known,
                                 .fixed_taken = p->budget.fixed_taken | p->budget.fixed_gone,
                                 .no_perf_metrics = p->no_perf_metrics,
                                 .nmi_watchdog = p->mc.nmi_watchdog == 1,
                                 .consts = &src->consts,
                                 .clock = perf_counts_here(p),
                                 .uncore = wants_uncore(src)};
}

static int make_plan(struct source *src, struct err *err) {
    struct perf *p = src->priv;
    const struct plan_options opt = perf_plan_options(src);
    return plan_make(&p->plan, src->model, &opt, err);
}

/* ---- the first thread or CPU ---- */

static struct perf_mode mode_of(const struct perf *p) {
    return (struct perf_mode){.inherit = !perf_on_cpus(p) && p->target.kind != TARGET_TIDS,
                              .enable_on_exec = p->target.kind == TARGET_COMMAND || p->target.waits,
                              .cgroup = p->target.kind == TARGET_CGROUP,
                              .hybrid = perf_counts_here(p),
                              .cgroup_fd = p->target.cgroup_fd};
}

static int begin_units(struct source *src, struct err *err) {
    struct perf *p = src->priv;
    int rc = perf_shape_wish(&p->shape, src->model, &p->plan, &p->mc, &p->how, err);
    if (rc)
        return rc;
    p->units = (struct perf_units){
        .plan = &p->plan, .target = &p->target, .shape = &p->shape, .mode = mode_of(p)};
    p->units.adopts = (p->target.kind == TARGET_ALL || p->target.kind == TARGET_CGROUP) &&
                      p->mc.n_core <= 1; /* else it may be a core of another type */
    return perf_units_begin(&p->units);
}

/* Where the kernel's share is not permitted, user space alone is better than nothing, and said. */
int perf_begin_permitted(struct source *src, struct err *err) {
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

static void forget_plan(struct perf *p) {
    uncore_close(&p->uncore);
    perf_units_close(&p->units);
    perf_shape_free(&p->shape);
    plan_free(&p->plan);
    p->said[0] = '\0';
}

/*
 * What the kernel refuses is known only once it was asked. Then the plan is made again without it:
 * its place goes to others, and formulas that have a fallback get the events of that.
 */
static int plan_and_begin(struct source *src, struct err *err) {
    enum { ROUNDS = 3 };
    struct perf *p = src->priv;
    for (int i = 0;; i++) {
        int rc = make_plan(src, err);
        if (!rc)
            rc = perf_begin_permitted(src, err);
        if (rc)
            return rc;
        open_uncore(src);
        if (i == ROUNDS || !learn(src))
            return 0;
        forget_plan(p);
    }
}

/* ---- few descriptors ---- */

/* What level 1 takes of them on one thread or CPU; it cannot be less. */
static uint64_t files_of_level1(const struct perf_shape *sh) {
    uint64_t n = 0;
    for (uint32_t g = 0; g < sh->n_group; g++)
        n += sh->group[g].level1 ? sh->group[g].n : 0;
    return n;
}

/* The group of level 1 has company: what else is always wanted, and costs descriptors only. */
static bool is_too_much(const struct source *src, int rc) {
    const struct perf *p = src->priv;
    struct rlimit now = p->files;
    getrlimit(RLIMIT_NOFILE, &now);
    return rc == -EMFILE ||
           (!rc && files_of_level1(&p->shape) > perf_files_room(src, now.rlim_cur));
}

/* Descriptors that the plan takes on one thread or CPU, as it begins; at most, if it could not even
 * be opened on one. */
static uint32_t counters_of_plan(const struct source *src) {
    const struct perf *p = src->priv;
    uint32_t n = 0;
    for (uint32_t g = 0; g < p->shape.n_group; g++)
        n += p->shape.group[g].top || !src->opt.focus ? p->shape.group[g].n : 0;
    return n ? n : p->shape.n_wish;
}

/*
 * Level 1 and the vital signs, whatever was asked for; what they leave out says why. rc is what the
 * whole plan came to.
 */
static int begin_level1(struct source *src, int rc, struct err *err) {
    struct perf *p = src->priv;
    const uint32_t all = counters_of_plan(src);
    uint8_t *planned = malloc(src->model->n_event + 1u);
    struct plan level1 = {0};
    p->level1_only = true;
    const struct plan_options opt = perf_plan_options(src);
    int made = planned ? plan_make(&level1, src->model, &opt, err) : -ENOMEM;
    if (made || level1.n_event >= p->plan.n_event) { /* there is nothing to leave out */
        plan_free(&level1);
        free(planned);
        p->level1_only = false;
        return rc;
    }
    *err = (struct err){0};
    memcpy(planned, p->plan.missing, src->model->n_event);
    forget_plan(p);
    p->plan = level1;
    p->counters_wanted = all;
    for (uint32_t i = 0; i < src->model->n_event; i++)
        if (planned[i] == COUNT_OK && level1.missing[i] != COUNT_OK)
            level1.missing[i] = COUNT_NO_FDS;
    free(planned);
    rc = perf_begin_permitted(src, err);
    if (!rc)
        open_uncore(src);
    return rc;
}

int perf_plan_and_begin(struct source *src, struct err *err) {
    struct perf *p = src->priv;
    p->refused = calloc(src->model->n_event + 1, sizeof(*p->refused));
    if (!p->refused)
        return err_set(err, -ENOMEM, "out of memory for the events");
    perf_budget_find(src);
    int rc = find_uncore(src, err);
    if (!rc)
        rc = plan_and_begin(src, err);
    return is_too_much(src, rc) ? begin_level1(src, rc, err) : rc;
}
