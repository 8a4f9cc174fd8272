/*
 * From a target to open counters.
 *
 * The plan proposes, opening it on the first thread or CPU decides. Then it is known what one of
 * them costs, and how much of it the descriptors suffice for: everything, else the groups of levels
 * 1 and 2, else that of level 1, else as many threads as there are descriptors for. It is opened
 * for a moment only; what is not open by then follows while it is measured.
 */
#include "pmu/perf/source_perf.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "pmu/host/perf_open.h"
#include "pmu/perf/perf_residency.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FIRST_MS = 100, /* opening takes that long, */
    WHOLE_MS = 400, /* or that long if it is done then */
};

/* Descriptors for terminal, store, pipes, watching the target; and what nothing goes without. */
enum { OURS = 64, OURS_LEAST = 6 };

bool perf_on_cpus(const struct perf *p) {
    return p->target.kind == TARGET_ALL || p->target.kind == TARGET_CPUS ||
           p->target.kind == TARGET_CGROUP;
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

/* Open descriptors of this process. */
static uint64_t count_files(void) {
    uint64_t n = 0;
    DIR *dir = opendir("/proc/self/fd");
    for (struct dirent *de; dir && (de = readdir(dir));)
        n += isdigit((unsigned char)de->d_name[0]) != 0;
    if (dir)
        closedir(dir);
    return n ? n - 1 : 0; /* its own */
}

/* /proc keeps a file open per thread where the time spent waiting for a CPU is wanted. */
static bool wants_waits(const struct perf *p) {
    return p->proc.process && p->proc.want[PROC_RUN_WAIT_NS];
}

/* Those that it has not opened yet. */
static uint64_t files_of_proc(const struct perf *p) {
    return wants_waits(p) && p->proc.keep > p->proc.kept ? p->proc.keep - p->proc.kept : 0;
}

/* Sources that have to share what is left now: those of further core types are opened after it. */
static int sharers(const struct source *src) {
    return src->opt.n_type > src->opt.type_at ? src->opt.n_type - src->opt.type_at : 1;
}

/* What a limit leaves beside what is taken, and some of our own. */
static uint64_t room_of(const struct source *src, uint64_t limit, uint64_t taken) {
    uint64_t ours = limit / 8 < OURS ? limit / 8 : OURS;
    taken += ours < OURS_LEAST ? OURS_LEAST : ours;
    uint64_t left = limit > taken + 1 ? limit - taken : 1;
    return left / (uint64_t)sharers(src) ? left / (uint64_t)sharers(src) : 1;
}

/*
 * Descriptors that the counters may take: what the limit leaves beside those that are open (other
 * than the counters'), those that /proc will take, and some of our own; of that a share, where
 * sources of further core types are opened after this one. At least 1.
 */
static uint64_t files_room(const struct source *src, uint64_t limit) {
    const struct perf *p = src->priv;
    return room_of(src, limit, count_files() - p->units.n_fd + files_of_proc(p));
}

/* Files that /proc keeps open where there are enough are no need; those that it lacks are. */
static uint64_t files_limit(const struct source *src, uint64_t n) {
    const struct perf *p = src->priv;
    uint64_t taken = count_files() - p->units.n_fd - p->proc.kept + procfs_lacks(&p->proc);
    uint64_t limit = taken + n * (uint64_t)sharers(src);
    while (room_of(src, limit, taken) < n)
        limit++;
    return limit;
}

/*
 * While there is one thread, the kernel enlarges the table of descriptors at once; later, with the
 * sampler beside the screen, it waits for all CPUs each time it doubles (expand_fdtable).
 */
static void widen_table(uint64_t n) {
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int high = fd < 0 || n > INT32_MAX ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, (int)n - 1);
    if (high >= 0)
        close(high);
    if (fd >= 0)
        close(fd);
}

/* ---- the plan ---- */

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
        .fds_needed = files_limit(src, (uint64_t)events * units + uncore_fds(&p->uncore, &p->plan)),
        .fds_limit = now.rlim_cur,
        .events = events,
        .units = units,
    };
    if (rc == -ESRCH)
        return err_set(err, rc, "%s: no such process; it has ended", src->name);
    return perf_explain(err, rc, &where);
}

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
    uint64_t taken = (uint64_t)p->units.n_wanted * p->shape.n_counter + OURS;
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
static int begin_plan(struct source *src, struct err *err) {
    enum { ROUNDS = 3 };
    struct perf *p = src->priv;
    for (int i = 0;; i++) {
        const struct plan_options opt = perf_plan_options(src);
        int rc = plan_make(&p->plan, src->model, &opt, err);
        if (!rc)
            rc = begin_permitted(src, err);
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
    return rc == -EMFILE || (!rc && files_of_level1(&p->shape) > files_room(src, now.rlim_cur));
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
    rc = begin_permitted(src, err);
    if (!rc)
        open_uncore(src);
    return rc;
}

/* Makes the plan and opens it on the first thread or CPU; what is refused there is planned around
 */
static int plan_and_begin(struct source *src, struct err *err) {
    struct perf *p = src->priv;
    p->refused = calloc(src->model->n_event + 1, sizeof(*p->refused));
    if (!p->refused)
        return err_set(err, -ENOMEM, "out of memory for the events");
    perf_budget_find(src);
    int rc = find_uncore(src, err);
    if (!rc)
        rc = begin_plan(src, err);
    return is_too_much(src, rc) ? begin_level1(src, rc, err) : rc;
}

/* ---- how much of it ---- */

static void choose_groups(const struct perf_shape *sh, enum perf_stage stage, bool *on) {
    for (uint32_t g = 0; g < sh->n_group; g++)
        on[g] = stage == STAGE_ALL || (stage == STAGE_TOP ? sh->group[g].top : sh->group[g].level1);
}

static uint64_t need(struct perf *p, enum perf_stage stage) {
    choose_groups(&p->shape, stage, p->on);
    return perf_units_need(&p->units, p->on);
}

/* The first that there is room for; only steps that save something are taken. */
static enum perf_stage choose_stage(struct perf *p, enum perf_stage first, uint64_t room) {
    enum perf_stage stage = first;
    for (enum perf_stage next = first + 1; next <= STAGE_LEVEL1 && need(p, stage) > room; next++)
        if (need(p, next) < need(p, stage))
            stage = next;
    return stage;
}

static uint32_t choose_most(const struct perf *p, uint64_t wanted, uint64_t room) {
    if (wanted <= room || p->units.n == 0)
        return UINT32_MAX;
    uint64_t per_unit = wanted / p->units.n, most = per_unit ? room / per_unit : UINT32_MAX;
    return most > 0 ? (uint32_t)most : 1; /* the kernel will say if it is too many */
}

/* Counters come first: what /proc may keep open is half of what they leave even if all are on. */
static void share_with_proc(struct source *src, uint64_t limit) {
    struct perf *p = src->priv;
    if (!wants_waits(p))
        return;
    p->proc.keep = p->proc.kept;
    uint64_t room = files_room(src, limit) + p->proc.kept, most = need(p, STAGE_ALL);
    uint64_t keep = room > most ? (room - most) / 2 : 0, enough = 4ull * p->units.n_wanted + 256;
    procfs_keep(&p->proc, (uint32_t)(keep < enough ? keep : enough));
}

static void limit_units(struct source *src) {
    struct perf *p = src->priv;
    struct rlimit now = p->files;
    getrlimit(RLIMIT_NOFILE, &now);
    share_with_proc(src, now.rlim_cur);
    uint64_t room = files_room(src, now.rlim_cur), most = need(p, STAGE_ALL);
    enum perf_stage first = src->opt.focus ? STAGE_TOP : STAGE_ALL;
    p->stage = choose_stage(p, first, room);
    uint64_t wanted = need(p, p->stage);
    p->units.room = room;
    uint64_t all = (uint64_t)p->counters_wanted * p->units.n, known = need(p, first);
    p->files_wanted = files_limit(src, all > known ? all : known);
    p->short_of_files = p->stage != first || wanted > room || p->level1_only;
    widen_table(most < room ? now.rlim_cur - room + most : now.rlim_cur);
    choose_groups(&p->shape, p->stage, p->on);
    perf_units_limit(&p->units, p->on, choose_most(p, wanted, room),
                     p->stage == first ? COUNT_NOT_FOCUSED : COUNT_NO_FDS);
}

/* A little more than a moment if that is all it takes; of thousands of threads the rest follows. */
static int open_units(struct source *src, struct err *err) {
    struct perf *p = src->priv;
    uint64_t begin = clock_now_ns();
    int rc = perf_units_open(&p->units, begin + FIRST_MS * NS_PER_MS);
    uint64_t spent = clock_now_ns() - begin;
    if (rc == -EAGAIN && spent * p->units.n / p->units.next < WHOLE_MS * NS_PER_MS)
        rc = perf_units_open(&p->units, begin + WHOLE_MS * NS_PER_MS);
    return rc && rc != -EAGAIN ? perf_say_refused(src, rc, err) : 0;
}

/* Tasks that may leave the cores of our type are counted by what is always on: perf_residency.h. */
static int choose_turns(struct source *src, struct err *err) {
    struct perf *p = src->priv;
    const struct plan_options opt = perf_plan_options(src);
    const bool first = src->opt.level1_first && !p->units.mode.hybrid && !p->units.mode.no_pin;
    const int rc = perf_turns_begin(&p->turns, &p->units, src->model, first ? &opt : NULL,
                                    src->opt.interval_ns);
    return rc ? err_set(err, rc, "out of memory for the turns of the counters") : 0;
}

int perf_count(struct source *src, struct err *err) {
    int rc = choose_turns(src, err);
    if (rc)
        return rc;
    limit_units(src);
    perf_residency_plan(src);
    return open_units(src, err);
}

/* ---- what to count ---- */

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
    if (!perf_on_cpus(p) || !p->mc.n_core || !core->cpus[0] || !counts_hardware(src->model))
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

/* Of CPUs the time of each; tasks of a cgroup are as those of a process. */
static void set_target_cpus(struct source *src) {
    const struct perf *p = src->priv;
    double *n = &src->consts.value[CONST_TARGET_CPUS];
    if (isnan(*n) && (p->target.kind == TARGET_ALL || p->target.kind == TARGET_CPUS))
        *n = p->target.n_cpu;
}

/* ---- the layout ---- */

static int say_nothing_counts(const struct source *src, struct err *err) {
    const struct perf *p = src->priv;
    return err_set(
        err, -ENODEV,
        "no event of model %s can be counted here: %s; leave --model out to get the best that can, "
        "and see tdtop doctor",
        src->model->name, p->mc.pmu[0] ? "the kernel refuses them all" : "there is no CPU PMU");
}

static enum proc_scope scope_of(const struct perf *p) {
    if (p->target.kind == TARGET_CGROUP)
        return PROC_OF_CGROUP;
    return perf_on_cpus(p) ? PROC_OF_CPUS : PROC_OF_TASKS;
}

static int make_layout(struct source *src, struct err *err) {
    struct perf *p = src->priv;
    bool want[PROC_EVENTS] = {[PROC_THREADS] = scope_of(p) != PROC_OF_CPUS};
    int rc = perf_slots_make(&p->slots, &src->layout, src->model, &p->plan, &p->shape, &p->uncore,
                             scope_of(p), want, err);
    if (rc)
        return rc;
    src->layout.no_perf_metrics = p->no_perf_metrics;
    if (!p->shape.n_counter && !p->slots.n_uncore && !p->slots.n_proc)
        return say_nothing_counts(src, err);
    rc = procfs_open(&p->proc, "/proc", &p->target, want);
    if (!rc && p->units.mode.inherit)
        rc = procfs_follow(&p->proc, "/proc");
    return rc ? err_set(err, rc, "out of memory for the files of /proc") : 0;
}

static int make_rows(struct source *src, struct err *err) {
    struct perf *p = src->priv;
    p->on = calloc(p->shape.n_group + 1u, sizeof(*p->on));
    int rc =
        p->on ? perf_rows_init(&p->rows, &p->slots, &p->units, &p->proc, scope_of(p)) : -ENOMEM;
    return rc ? err_set(err, rc, "out of memory for the threads") : 0;
}

int perf_source_open(struct source *src, struct err *err) {
    struct perf *p = src->priv;
    machine_detect(&p->mc, "");
    int rc = src->opt.core_type ? machine_choose(&p->mc, src->opt.core_type, err) : 0;
    if (rc)
        return rc;
    machine_detect_tsc(&p->mc);
    machine_consts(&p->mc, &src->consts);
    set_ebs_mode(src);
    raise_file_limit(p);
    rc = target_open(&p->target, &src->opt.target, &p->files, err);
    if (rc)
        return rc;
    target_words(&p->target, src->target_text, sizeof(src->target_text));
    str_copy(src->name, sizeof(src->name), src->target_text);
    if (p->target.kind == TARGET_CGROUP)
        snprintf(src->cgroup, sizeof(src->cgroup), "/%s", p->target.cgroup.path);
    src->command = p->target.kind == TARGET_COMMAND ? p->target.process[0].pid : 0;
    rc = keep_cpus_of_core(src, err);
    set_target_cpus(src);
    if (!rc)
        rc = plan_and_begin(src, err);
    if (!rc)
        rc = make_layout(src, err);
    if (!rc)
        rc = make_rows(src, err);
    if (rc)
        return rc;
    rc = perf_budget_begin(src);
    if (rc)
        return err_set(err, rc, "out of memory for the counters");
    return perf_count(src, err);
}
