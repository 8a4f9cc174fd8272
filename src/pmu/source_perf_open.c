/*
 * From a target to open counters.
 *
 * The plan proposes, opening it on the first thread or CPU decides. Then it is known what one of
 * them costs, and how much of it the descriptors suffice for: everything, else the groups of levels
 * 1 and 2, else that of level 1, else as many threads as there are descriptors for. It is opened
 * for a moment only; what is not open by then follows while it is measured.
 */
#include "pmu/source_perf.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"

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
static uint64_t files_of_proc(const struct perf *p) {
    bool waits = p->proc.process && p->proc.want[PROC_RUN_WAIT_NS];
    return waits ? p->units.n_wanted : 0;
}

/*
 * Descriptors that the units may take: what the limit leaves beside those that are open, those that
 * /proc will take, and some of our own.
 */
static uint64_t find_room(const struct perf *p, uint64_t limit) {
    uint64_t ours = limit / 8 < PERF_OURS ? limit / 8 : PERF_OURS;
    uint64_t taken = count_files() - p->units.n_fd + files_of_proc(p) + ours;
    return limit > taken + 1 ? limit - taken : 1;
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

/* ---- how much of it ---- */

static void choose_groups(const struct perf_shape *sh, enum perf_stage stage, bool *on) {
    for (uint32_t g = 0; g < sh->n_group; g++)
        on[g] = stage == STAGE_ALL || (stage == STAGE_TOP ? sh->group[g].top : sh->group[g].level1);
}

static uint64_t need(struct perf *p, enum perf_stage stage) {
    choose_groups(&p->shape, stage, p->on);
    return perf_units_need(&p->units, p->on);
}

static uint32_t choose_most(const struct perf *p, uint64_t wanted, uint64_t room) {
    if (wanted <= room || p->units.n == 0)
        return UINT32_MAX;
    uint64_t per_unit = wanted / p->units.n, most = per_unit ? room / per_unit : UINT32_MAX;
    return most > 0 ? (uint32_t)most : 1; /* the kernel will say if it is too many */
}

static void limit_units(struct source *src) {
    struct perf *p = src->priv;
    struct rlimit now = p->files;
    getrlimit(RLIMIT_NOFILE, &now);
    uint64_t room = find_room(p, now.rlim_cur), most = need(p, STAGE_ALL);
    enum perf_stage first = src->opt.focus ? STAGE_TOP : STAGE_ALL;
    p->stage = first;
    while (p->stage < STAGE_LEVEL1 && need(p, p->stage) > room)
        p->stage++;
    if (need(p, p->stage) == need(p, first)) /* fewer groups would not help */
        p->stage = first;
    uint64_t wanted = need(p, p->stage);
    p->units.room = room;
    uint64_t all = now.rlim_cur - room + need(p, first);
    p->files_wanted = all > p->files_wanted ? all : p->files_wanted;
    p->short_of_files = p->stage != first || wanted > room;
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

/* ---- the layout ---- */

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
    src->layout.no_perf_metrics = !p->mc.has_topdown;
    if (!any_wish(src))
        return say_nothing_counts(src, err);
    rc = procfs_open(&p->proc, "/proc", &p->target, want);
    return rc ? err_set(err, rc, "out of memory for the files of /proc") : 0;
}

static int make_rows(struct source *src, struct err *err) {
    struct perf *p = src->priv;
    p->on = calloc(p->shape.n_group + 1u, sizeof(*p->on));
    int rc =
        p->on ? perf_rows_init(&p->rows, &p->slots, &src->layout, &p->units, scope_of(p)) : -ENOMEM;
    return rc ? err_set(err, rc, "out of memory for the threads") : 0;
}

static void describe(struct source *src) {
    struct perf *p = src->priv;
    target_words(&p->target, src->target_text, sizeof(src->target_text));
    if (perf_on_cpus(p) || p->target.kind == TARGET_COMMAND || p->target.kind == TARGET_TIDS)
        return;
    uint32_t n = perf_units_present(&p->units);
    size_t used = strlen(src->target_text);
    snprintf(src->target_text + used, sizeof(src->target_text) - used, " · %u thread%s", n,
             n == 1 ? "" : "s");
}

int perf_source_open(struct source *src, struct err *err) {
    struct perf *p = src->priv;
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
        rc = perf_plan_and_begin(src, err);
    if (!rc)
        rc = make_layout(src, err);
    if (!rc)
        rc = make_rows(src, err);
    if (rc)
        return rc;
    limit_units(src);
    rc = open_units(src, err);
    if (!rc)
        describe(src);
    return rc;
}
