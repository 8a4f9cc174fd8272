/*
 * Counts from the kernel: perf_event_open(2) for events, /proc for what only it knows.
 *
 * open: target -> plan -> encodings -> descriptors; what the kernel refuses is noted in the layout.
 * read: one read() per group and thread, plus /proc where the model asks for it; nothing else, and
 * nothing is allocated. The one exception is a pinned group that loses its place to another user of
 * the PMU: then everything is opened anew, unpinned, and this interval's counts are stale.
 */
#include "pmu/source.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "pmu/machine.h"
#include "pmu/perf_open.h"
#include "pmu/perf_slots.h"
#include "pmu/plan.h"
#include "pmu/target.h"
#include "pmu/uncore.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

struct perf {
    struct machine mc;
    struct rlimit files; /* as we found it */
    struct target_set target;
    struct plan plan;
    uint8_t *refused; /* [n_event] enum count_state: what the kernel does not count here */
    struct encode_options how;
    struct perf_shape shape;
    struct perf_units units;
    struct uncore uncore;
    struct procfs proc;
    struct perf_slots slots;
    uint64_t start_ns, last_ns;
    struct err ended; /* what is said once the target is gone */
};

enum { OURS = 64 /* descriptors for terminal, store, pipes, watching the target */ };

static bool on_cpus(const struct perf *p) {
    return p->target.kind == TARGET_ALL || p->target.kind == TARGET_CPUS;
}

/* ---- descriptors ---- */

/* The soft limit is a default for programs that use select(2); we may take what is there. */
static void raise_file_limit(struct perf *p) {
    if (getrlimit(RLIMIT_NOFILE, &p->files) < 0)
        return;
    struct rlimit all = p->files;
    all.rlim_cur = all.rlim_max;
    if (all.rlim_cur != p->files.rlim_cur && setrlimit(RLIMIT_NOFILE, &all) == 0)
        log_line("perf: open files: %llu, were %llu", (unsigned long long)all.rlim_cur,
                 (unsigned long long)p->files.rlim_cur);
}

static int say_refused(struct source *src, int rc, struct err *err) {
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
        .system_wide = on_cpus(p),
        .foreign = u->cpu < 0 && target_is_foreign(u->tid),
        .fds_needed = (uint64_t)events * units + uncore_fds(&p->uncore, &p->plan) + OURS,
        .fds_limit = now.rlim_cur,
        .events = events,
        .units = units,
    };
    if (rc == -ESRCH)
        return err_set(err, rc, "%s: no such process; it has ended", src->target_text);
    return perf_explain(err, rc, &where);
}

/* ---- what to count ---- */

/* Boxes outside the cores serve all CPUs and do not know whom: only the whole machine has them. */
static bool wants_uncore(const struct source *src) {
    return src->opt.target.kind == TARGET_ALL;
}

static bool counts_hardware(const struct model *m) {
    for (uint32_t i = 0; i < m->n_event; i++)
        if (m->event[i].pmu == EVENT_CORE || m->event[i].pmu == EVENT_GENERIC)
            return true;
    return false;
}

/* On a hybrid CPU the events of one core type exist on its own CPUs only. */
static int keep_cpus_of_core(const struct source *src, struct err *err) {
    enum { CPUS_MAX = 4096 };
    struct perf *p = src->priv;
    const struct core_type *core = &p->mc.core[p->mc.chosen];
    if (!on_cpus(p) || !p->mc.n_core || !core->cpus[0] || !counts_hardware(src->model))
        return 0;
    int *own = calloc(CPUS_MAX, sizeof(*own));
    if (!own)
        return err_set(err, -ENOMEM, "out of memory for the CPUs of %s", core->pmu);
    int n_own = str_list(core->cpus, own, CPUS_MAX, NULL), n = 0;
    for (int i = 0; i < p->target.n_cpu; i++)
        for (int k = 0; k < n_own; k++)
            if (own[k] == p->target.cpu[i])
                p->target.cpu[n++] = own[k];
    free(own);
    if (n == 0)
        return err_set(err, -ENODEV,
                       "none of these CPUs belongs to %s, which is measured (its CPUs: %s); "
                       "--cputype chooses another",
                       core->pmu, core->cpus);
    p->target.n_cpu = n;
    return 0;
}

/*
 * Are counts of threads all that their cores did? Not if a sibling's work is left out: then Intel's
 * formulas estimate what the core did.
 */
static void set_ebs_mode(struct source *src) {
    const struct perf *p = src->priv;
    double *value = src->consts.value;
    const struct target *t = &src->opt.target;
    if (!isnan(value[CONST_EBS_MODE]))
        return;
    bool whole = value[CONST_SMT_ON] == 0.0 || t->kind == TARGET_ALL ||
                 (t->kind == TARGET_CPUS && machine_has_whole_cores(&p->mc, "", t->cpus));
    value[CONST_EBS_MODE] = !whole;
}

static int make_plan(struct source *src, struct err *err) {
    struct perf *p = src->priv;
    struct plan_options opt = {.refused = p->refused,
                               .level = src->opt.level,
                               .no_perf_metrics = !p->mc.has_topdown,
                               .nmi_watchdog = p->mc.nmi_watchdog == 1,
                               .consts = &src->consts,
                               .uncore = wants_uncore(src)};
    return plan_make(&p->plan, src->model, &opt, err);
}

/* ---- opening ---- */

static int open_counters(struct source *src, struct err *err) {
    struct perf *p = src->priv;
    int rc = perf_shape_wish(&p->shape, src->model, &p->plan, &p->mc, &p->how, err);
    if (rc)
        return rc;
    bool command = p->target.kind == TARGET_COMMAND;
    p->units = (struct perf_units){.plan = &p->plan,
                                   .target = &p->target,
                                   .shape = &p->shape,
                                   .mode = {.inherit = !on_cpus(p), .enable_on_exec = command}};
    return perf_units_open(&p->units);
}

/* Where the kernel's share is not permitted, user space alone is better than nothing, and said. */
static int open_permitted(struct source *src, struct err *err) {
    struct perf *p = src->priv;
    p->how = (struct encode_options){.root = "",
                                     .on_cpus = on_cpus(p),
                                     .user_only = src->opt.target.user_only,
                                     .kernel_only = src->opt.target.kernel_only};
    int rc = open_counters(src, err);
    if (perf_is_denied(rc) && !on_cpus(p) && !p->how.user_only && !p->how.kernel_only) {
        perf_shape_free(&p->shape);
        p->how.user_only = p->how.user_only_forced = true;
        int again = open_counters(src, err);
        if (again == 0)
            snprintf(src->note, sizeof(src->note),
                     "user space only: perf_event_paranoid is %d; root, cap_perfmon or sysctl "
                     "kernel.perf_event_paranoid=1 show the kernel's share, too",
                     p->mc.paranoid);
        rc = again;
    }
    return rc ? say_refused(src, rc, err) : 0;
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
    uint64_t taken = (uint64_t)p->units.n * p->shape.n_counter + OURS;
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
static int plan_and_open(struct source *src, struct err *err) {
    enum { ROUNDS = 3 };
    struct perf *p = src->priv;
    p->refused = calloc(src->model->n_event + 1, sizeof(*p->refused));
    if (!p->refused)
        return err_set(err, -ENOMEM, "out of memory for the events");
    int rc = find_uncore(src, err);
    for (int i = 0; !rc; i++) {
        rc = make_plan(src, err);
        if (!rc)
            rc = open_permitted(src, err);
        if (rc)
            break;
        open_uncore(src);
        if (i == ROUNDS || !learn(src))
            break;
        uncore_close(&p->uncore);
        perf_units_close(&p->units);
        perf_shape_free(&p->shape);
        plan_free(&p->plan);
        src->note[0] = '\0';
    }
    return rc;
}

static bool any_wish(const struct source *src) {
    const struct perf *p = src->priv;
    return p->shape.n_counter > 0 || p->slots.n_uncore > 0 || p->slots.n_proc > 0;
}

static int say_nothing_counts(const struct source *src, struct err *err) {
    const struct perf *p = src->priv;
    return err_set(
        err, -ENODEV,
        "no event of model %s can be counted here: %s; leave --model out to get the best that can, "
        "and see tdtop doctor",
        src->model->name, p->mc.pmu[0] ? "the kernel refuses them all" : "there is no CPU PMU");
}

static int make_layout(struct source *src, struct err *err) {
    struct perf *p = src->priv;
    bool want[PROC_EVENTS] = {[PROC_THREADS] = !on_cpus(p)};
    int rc = perf_slots_make(&p->slots, &src->layout, src->model, &p->plan, &p->shape, &p->uncore,
                             on_cpus(p), want, err);
    if (rc)
        return rc;
    src->layout.no_perf_metrics = !p->mc.has_topdown;
    if (!any_wish(src))
        return say_nothing_counts(src, err);
    rc = procfs_open(&p->proc, "/proc", &p->target, want);
    return rc ? err_set(err, rc, "out of memory for the files of /proc") : 0;
}

/* ---- words ---- */

static void describe(struct source *src) {
    struct perf *p = src->priv;
    target_words(&p->target, src->target_text, sizeof(src->target_text));
    if (on_cpus(p) || p->target.kind == TARGET_COMMAND)
        return;
    size_t used = strlen(src->target_text);
    snprintf(src->target_text + used, sizeof(src->target_text) - used, " · %u thread%s", p->units.n,
             p->units.n == 1 ? "" : "s");
}

static void add_note(struct source *src, const char *words) {
    size_t used = strlen(src->note);
    if (words[0])
        snprintf(src->note + used, sizeof(src->note) - used, "%s%s", used ? "; " : "", words);
}

/* Tasks are counted wherever they run; of CPUs only those that we know of. */
static void note_cut(struct source *src) {
    const struct perf *p = src->priv;
    char words[128];
    if (on_cpus(p) && p->mc.n_core)
        add_note(src, machine_cut_words(&p->mc.core[p->mc.chosen], words, sizeof(words)));
}

/* Groups of one PMU that are not pinned take turns. */
static void note_turns(struct source *src) {
    const struct perf *p = src->priv;
    char words[160];
    unsigned turns = 0;
    for (uint32_t g = 0; g < p->shape.n_group; g++) {
        enum event_pmu pmu = p->plan.group[p->shape.group[g].plan_group].pmu;
        turns += (pmu == EVENT_CORE || pmu == EVENT_GENERIC) && !p->shape.group[g].pinned;
    }
    if (turns < 2)
        return;
    snprintf(words, sizeof(words),
             "duty will be low: %u groups of events take turns on the counters; a lower level (-l) "
             "needs fewer",
             turns);
    add_note(src, words);
}

static int perf_open(struct source *src, struct err *err) {
    struct perf *p = calloc(1, sizeof(*p));
    if (!p)
        return err_set(err, -ENOMEM, "out of memory");
    src->priv = p;
    src->live = true;
    machine_detect(&p->mc, "");
    int rc = src->opt.core_type ? machine_choose(&p->mc, src->opt.core_type, err) : 0;
    if (rc)
        return rc;
    machine_consts(&p->mc, &src->consts);
    set_ebs_mode(src);
    raise_file_limit(p);
    rc = target_open(&p->target, &src->opt.target, &p->files, err);
    if (rc)
        return rc;
    target_words(&p->target, src->target_text, sizeof(src->target_text));
    rc = keep_cpus_of_core(src, err);
    if (!rc)
        rc = plan_and_open(src, err);
    if (!rc)
        rc = make_layout(src, err);
    if (rc)
        return rc;
    describe(src);
    note_cut(src);
    note_turns(src);
    src->wait_fd = p->target.n_process == 1 ? p->target.process[0].pidfd : -1;
    p->start_ns = p->last_ns = clock_now_ns();
    return 0;
}

/* ---- measuring ---- */

static int perf_start(struct source *src, struct err *err) {
    struct perf *p = src->priv;
    struct count ignored[PROC_EVENTS];
    procfs_read(&p->proc, ignored);
    perf_units_read(&p->units);
    uncore_read(&p->uncore);
    p->start_ns = p->last_ns = clock_now_ns();
    return target_start(&p->target, err);
}

/* Somebody else uses the counters that the pinned group needs: from now on it takes turns. */
static int give_up_pin(struct source *src, struct err *err) {
    struct perf *p = src->priv;
    log_line("perf: the pinned group has lost its place; opening all groups unpinned");
    perf_units_close(&p->units);
    p->units.mode.no_pin = true;
    p->units.mode.enable_on_exec = false;
    int rc = perf_units_open(&p->units);
    if (rc == -ESRCH)
        return 0; /* it has just ended: the next read says so */
    return rc ? say_refused(src, rc, err) : 0;
}

static int perf_read(struct source *src, struct sample *out, struct err *err) {
    struct perf *p = src->priv;
    struct count proc[PROC_EVENTS];
    uint64_t now = clock_now_ns();
    out->t0_ns = p->last_ns - p->start_ns;
    out->t1_ns = now - p->start_ns;
    out->n_slot = src->layout.n_slot;
    p->last_ns = now;
    /* First /proc, which a reaped process takes along; then whether it has ended; then the
     * counters, which stay, so that a last sample holds everything. */
    procfs_read(&p->proc, proc);
    bool gone = target_gone(&p->target);
    if (p->units.sum)
        perf_units_read(&p->units);
    uncore_read(&p->uncore);
    out->target_threads = proc[PROC_THREADS].state == COUNT_OK && !on_cpus(p)
                              ? (uint32_t)proc[PROC_THREADS].value
                              : 0;
    perf_slots_fill(&p->slots, &src->layout, &p->units, &p->uncore, proc, out);
    if (gone) {
        if (!p->ended.code) {
            char words[256];
            target_last_words(&p->target, clock_wall_ns(), words, sizeof(words));
            err_set(&p->ended, -ESRCH, "%s", words);
        }
        return err_set(err, -ESRCH, "%s", p->ended.text);
    }
    return p->units.pin_failed && !p->units.mode.no_pin ? give_up_pin(src, err) : 0;
}

static int perf_exit_code(struct source *src) {
    struct perf *p = src->priv;
    return p ? p->target.status : -1;
}

static void perf_close(struct source *src) {
    struct perf *p = src->priv;
    if (!p)
        return;
    perf_units_close(&p->units);
    uncore_free(&p->uncore);
    procfs_close(&p->proc);
    target_close(&p->target);
    perf_shape_free(&p->shape);
    plan_free(&p->plan);
    free(p->refused);
    perf_slots_free(&p->slots);
    free(p);
    src->priv = NULL;
}

const struct source_ops source_perf = {
    .name = "perf",
    .open = perf_open,
    .start = perf_start,
    .read = perf_read,
    .exit_code = perf_exit_code,
    .close = perf_close,
};
