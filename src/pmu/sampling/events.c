#include "pmu/sampling/events.h"

#include "base/str.h"
#include "pmu/host/perf_open.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum {
    RING_PAGES = 32,
    EVENTS_READ = 256, /* descriptors, to see whether the event has a counter */
};

/* ---- what not every kernel has ---- */

/* The newest first: that is what a refusal may be about. */
static void set_lost(struct perf_event_attr *a) { /* Linux 6.0 */
    a->read_format |= PERF_FORMAT_LOST;
}

static void set_build_id(struct perf_event_attr *a) { /* Linux 5.12 */
    a->build_id = 1;
}

static void set_ksymbol(struct perf_event_attr *a) { /* Linux 5.1 */
    a->ksymbol = 1;
}

static void set_clock(struct perf_event_attr *a) { /* Linux 4.1 */
    a->use_clockid = 1;
    a->clockid = CLOCK_MONOTONIC;
}

static void set_mmap2(struct perf_event_attr *a) { /* Linux 3.16 */
    a->mmap2 = 1;
}

static void (*const features[])(struct perf_event_attr *) = {set_lost, set_build_id, set_ksymbol,
                                                             set_clock, set_mmap2};
enum {
    FEATURE_BUILD_ID = 1,
    FEATURE_CLOCK = 3,
    N_FEATURE = sizeof(features) / sizeof(features[0])
};

static uint64_t sample_type(const struct events_options *o) {
    return PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
           PERF_SAMPLE_STREAM_ID | (o->stacks ? PERF_SAMPLE_CALLCHAIN : 0) |
           (o->off_cpu ? 0 : PERF_SAMPLE_PERIOD) | /* which would make each event one,
                                                      kernel/events/core.c, perf_swevent_event */
           (o->branches || o->calls ? PERF_SAMPLE_BRANCH_STACK : 0) |
           (o->memory ? PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC : 0);
}

/* What all events that share a ring have in common. */
static void set_common(const struct events *ev, struct perf_event_attr *a) {
    a->size = sizeof(*a);
    a->disabled = 1;
    a->sample_type = sample_type(&ev->opt);
    a->sample_id_all = 1;
    a->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    a->exclude_kernel = ev->user_only;
    a->exclude_callchain_kernel = ev->user_only;
    if (ev->opt.branches) /* of user or kernel: as the event */
        a->branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
    else if (ev->opt.calls)
        a->branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_USER;
    for (int i = 0; i < N_FEATURE; i++)
        if (!(ev->refused >> i & 1))
            features[i](a);
}

/* ---- rings ---- */

static int open_dummy(const struct events *ev, int cpu, uint32_t pages) {
    struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY};
    set_common(ev, &a);
    a.sample_type &= ~(uint64_t)(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK);
    a.branch_sample_type = 0;
    a.exclude_kernel = 1; /* it is on ourselves */
    a.sample_period = 1;
    a.watermark = 1;
    a.wakeup_watermark = pages * (uint32_t)sysconf(_SC_PAGESIZE) / 2;
    return perf_open_fd(&a, 0, cpu, -1);
}

static int open_ring(struct events *ev, struct events_cpu *c) {
    c->fd = open_dummy(ev, c->cpu, ev->ring_pages);
    while ((c->fd == -EINVAL || c->fd == -E2BIG) && ev->refused + 1 < 1u << N_FEATURE) {
        ev->refused |= ev->refused + 1; /* one more */
        c->fd = open_dummy(ev, c->cpu, ev->ring_pages);
    }
    if (c->fd < 0)
        return c->fd;
    const int rc = ring_open(&c->ring, c->fd, ev->ring_pages);
    if (rc)
        close(c->fd);
    return rc;
}

static void close_rings(struct events *ev) {
    while (ev->n_cpu) {
        ev->n_cpu--;
        ring_close(&ev->cpu[ev->n_cpu].ring);
        close(ev->cpu[ev->n_cpu].fd);
    }
}

static int list_of(const struct events_options *o, int cpu) {
    int own[8192];
    for (int i = 0; i < o->n_list; i++) {
        if (!o->list[i].cpus[0])
            return i;
        const int n = str_list(o->list[i].cpus, own, 8192, NULL);
        for (int k = 0; k < n; k++)
            if (own[k] == cpu)
                return i;
    }
    return -1;
}

static int say_no_ring(const struct events *ev, int rc, int cpu, struct err *err) {
    char on[32];
    snprintf(on, sizeof(on), "CPU %d", cpu);
    const struct perf_where where = {
        .event = "a ring buffer", .on = on, .paranoid = ev->opt.paranoid};
    if (rc != -EPERM || ev->ring_pages > 1)
        return perf_explain(err, rc, &where);
    return err_set(err, rc,
                   "no ring buffer of even one page may be locked on %s; raise sysctl "
                   "kernel.perf_event_mlock_kb, or ulimit -l",
                   on);
}

/* Rings of ev->ring_pages on all CPUs, or none. */
static int open_rings(struct events *ev, const int *cpu, int n, int *failed) {
    for (int i = 0; i < n; i++) {
        struct events_cpu *c = &ev->cpu[ev->n_cpu];
        *c = (struct events_cpu){.cpu = cpu[i], .fd = -1, .list = list_of(&ev->opt, cpu[i])};
        const int rc = c->list < 0 ? -ENODEV : open_ring(ev, c);
        ev->partial |= c->list < 0;
        if (rc == 0)
            ev->n_cpu++;
        if (rc == 0 || rc == -ENODEV) /* it is offline */
            continue;
        close_rings(ev);
        *failed = cpu[i];
        return rc;
    }
    return 0;
}

int events_open(struct events *ev, const struct events_options *opt, const int *cpu, int n_cpu,
                struct err *err) {
    *ev = (struct events){
        .opt = *opt, .ring_pages = RING_PAGES, .ring_wanted = RING_PAGES, .first_freq = opt->freq};
    ev->user_only = opt->user_only;
    ev->refused = opt->build_ids ? 0 : 1u << FEATURE_BUILD_ID;
    for (int i = 0; i < EVENTS_LISTS; i++)
        ev->chosen[i] = -1;
    ev->cpu = calloc((size_t)n_cpu + 1, sizeof(*ev->cpu));
    if (!ev->cpu)
        return err_set(err, -ENOMEM, "out of memory for the ring buffers");
    int failed, rc = open_rings(ev, cpu, n_cpu, &failed);
    /* As large as the user may lock (kernel.perf_event_mlock_kb). */
    while ((rc == -EPERM || rc == -ENOMEM) && ev->ring_pages > 1) {
        ev->ring_pages /= 2;
        rc = open_rings(ev, cpu, n_cpu, &failed);
    }
    if (rc)
        return say_no_ring(ev, rc, failed, err);
    ev->timed = !(ev->refused >> FEATURE_CLOCK & 1);
    return ev->n_cpu ? 0 : err_set(err, -ENODEV, "no CPU is there to be sampled");
}

/* ---- the event ---- */

uint64_t events_period(const struct events *ev) {
    const uint64_t n = (ev->first_freq + ev->opt.freq / 2) / ev->opt.freq;
    return n ? n : 1;
}

/* Of an event that has no frequency. */
static uint64_t period_of(const struct events *ev) {
    return ev->opt.off_cpu ? events_period(ev) : 1000000000u / ev->opt.freq;
}

/* `wide`: hypervisors and guests, too. AMD's IBS, which serves what is precise there, takes no
 * exclude flag (arch/x86/events/amd/ibs.c, PERF_PMU_CAP_NO_EXCLUDE). */
static void set_event(const struct events *ev, const struct locate_event *e, int precise, bool wide,
                      struct perf_event_attr *a) {
    *a = e->attr;
    set_common(ev, a);
    a->exclude_hv = a->exclude_guest = !wide;
    a->exclude_idle = e->clock;
    a->mmap = a->comm = a->comm_exec = a->task = 1;
    a->inherit = ev->opt.inherit;
    a->enable_on_exec = ev->opt.on_exec;
    a->precise_ip = (uint64_t)precise & 3;
    a->freq = !e->clock;
    if (e->clock)
        a->sample_period = period_of(ev);
    else
        a->sample_freq = ev->opt.freq;
    if (e->off_cpu) {
        a->exclude_kernel = 0; /* a switch is the kernel's doing */
        a->context_switch = 1;
    }
}

/* Counts only, and is of the same tasks, modes and clock as the event that it leads. */
static struct perf_event_attr aux_of(const struct locate_event *e,
                                     const struct perf_event_attr *a) {
    struct perf_event_attr x = e->has_aux ? e->aux : (struct perf_event_attr){0};
    if (!e->has_aux)
        return x;
    x.size = sizeof(x);
    x.disabled = 1;
    x.read_format = a->read_format;
    x.exclude_kernel = a->exclude_kernel;
    x.exclude_hv = a->exclude_hv;
    x.exclude_guest = a->exclude_guest;
    x.inherit = a->inherit;
    x.use_clockid = a->use_clockid;
    x.clockid = a->clockid;
    x.enable_on_exec = a->enable_on_exec;
    return x;
}

static int open_in(const struct perf_event_attr *a, const struct events_on *on, int cpu,
                   int group) {
    return on->cgroup_fd >= 0 ? perf_open_cgroup(a, on->cgroup_fd, cpu, group)
                              : perf_open_fd(a, on->tid, cpu, group);
}

/* With what has to lead it: *aux_fd, or -1. */
static int open_one(const struct perf_event_attr *a, const struct perf_event_attr *aux,
                    const struct events_on *on, int cpu, int *aux_fd) {
    *aux_fd = -1;
    if (aux->size == 0)
        return open_in(a, on, cpu, -1);
    const int lead = open_in(aux, on, cpu, -1);
    const int fd = lead < 0 ? lead : open_in(a, on, cpu, lead);
    if (fd < 0 && lead >= 0)
        close(lead);
    else
        *aux_fd = lead;
    return fd;
}

static void close_both(int fd, int aux_fd) {
    close(fd);
    if (aux_fd >= 0)
        close(aux_fd);
}

static bool is_final(int rc) {
    return rc == 0 || rc == -ESRCH || rc == -EMFILE || perf_is_denied(rc);
}

/* Tries one event from what is asked for down to what is taken. 0 with ev->attr, or an errno. */
static int try_precise(struct events *ev, const struct locate_event *e, int list, int cpu,
                       const struct events_on *on) {
    int rc = -EINVAL;
    for (int precise = e->precise; precise >= 0; precise--)
        for (int wide = 0; wide < 2; wide++) {
            struct perf_event_attr a;
            int aux_fd;
            set_event(ev, e, precise, wide, &a);
            const struct perf_event_attr aux = aux_of(e, &a);
            const int fd = open_one(&a, &aux, on, cpu, &aux_fd);
            if (fd >= 0) {
                close_both(fd, aux_fd);
                ev->attr[list] = a;
                ev->aux[list] = aux;
                return 0;
            }
            rc = fd;
            if (is_final(rc))
                return rc;
        }
    return rc;
}

/* With branch stacks or those of calls, else without: samples of the event are worth more than
 * those of another one. What shares a ring has records of one form. */
static int try_event(struct events *ev, const struct locate_event *e, int list, int cpu,
                     const struct events_on *on) {
    const bool branches = ev->opt.branches, calls = ev->opt.calls;
    const int rc = e->clock && !branches ? -EOPNOTSUPP : try_precise(ev, e, list, cpu, on);
    if (is_final(rc) || !(branches || calls || e->clock))
        return rc;
    ev->opt.branches = ev->opt.calls = false;
    const int without = try_precise(ev, e, list, cpu, on);
    if (without < 0) {
        ev->opt.branches = branches;
        ev->opt.calls = calls;
        return without;
    }
    if (branches)
        ev->no_branches = rc;
    for (int i = 0; i < EVENTS_LISTS; i++) {
        ev->attr[i].sample_type &= ~(uint64_t)PERF_SAMPLE_BRANCH_STACK;
        ev->attr[i].branch_sample_type = 0;
    }
    return 0;
}

static int choose(struct events *ev, int list, int cpu, const struct events_on *on,
                  const char **event) {
    const struct locate *l = &ev->opt.list[list];
    int rc = -ENOENT;
    for (int i = 0; i < l->n; i++) {
        *event = l->at[i].name;
        rc = try_event(ev, &l->at[i], list, cpu, on);
        if (rc == 0)
            ev->chosen[list] = i;
        if (is_final(rc))
            return rc;
    }
    return rc;
}

static int choose_all(struct events *ev, const struct events_on *on, const char **event) {
    for (int i = 0; i < ev->n_cpu; i++) {
        const int list = ev->cpu[i].list;
        const int rc = ev->chosen[list] < 0 ? choose(ev, list, ev->cpu[i].cpu, on, event) : 0;
        if (rc)
            return rc;
    }
    return 0;
}

int events_choose(struct events *ev, const struct events_on *on, const char *words, bool foreign,
                  struct err *err) {
    const char *event = "?";
    int rc = choose_all(ev, on, &event);
    if (perf_is_denied(rc) && !ev->user_only &&
        !ev->opt.off_cpu) { /* then without the kernel's part */
        ev->user_only = true;
        rc = choose_all(ev, on, &event);
    }
    if (rc == -ESRCH)
        return rc;
    const struct perf_where where = {.event = event,
                                     .on = words,
                                     .paranoid = ev->opt.paranoid,
                                     .system_wide = on->tid < 0 || on->cgroup_fd >= 0,
                                     .kernel = ev->opt.off_cpu,
                                     .foreign = foreign};
    if (rc)
        return perf_explain(err, rc, &where);
    const struct perf_event_attr *a = &ev->attr[ev->cpu[0].list];
    ev->by_cpu = on->tid < 0 || on->cgroup_fd >= 0;
    ev->format = (struct record_format){a->sample_type, a->branch_sample_type, true};
    rc = events_add(ev, on);
    return rc && rc != -ESRCH ? perf_explain(err, rc, &where) : rc;
}

/* ---- on threads and CPUs ---- */

static bool room(struct events *ev, uint32_t n) {
    if (n <= ev->cap)
        return true;
    const uint32_t cap = n + n / 2 + 64;
    int *fd = realloc(ev->fd, cap * sizeof(*fd));
    if (fd)
        ev->fd = fd;
    int *on = realloc(ev->on, cap * sizeof(*on));
    if (on)
        ev->on = on;
    uint64_t *id = realloc(ev->id, cap * sizeof(*id));
    if (id)
        ev->id = id;
    int *aux_fd = realloc(ev->aux_fd, cap * sizeof(*aux_fd));
    if (aux_fd)
        ev->aux_fd = aux_fd;
    if (!fd || !on || !id || !aux_fd)
        return false;
    ev->cap = cap;
    return true;
}

/* False with errno. */
static bool enable(const struct events *ev, uint32_t i) {
    return ioctl(ev->fd[i], PERF_EVENT_IOC_ENABLE, 0) == 0 &&
           (ev->aux_fd[i] < 0 || ioctl(ev->aux_fd[i], PERF_EVENT_IOC_ENABLE, 0) == 0);
}

static int add(struct events *ev, const struct events_on *on, bool alone) {
    const uint32_t begin = ev->n_fd;
    int rc = room(ev, begin + (uint32_t)ev->n_cpu) ? 0 : -ENOMEM;
    for (int i = 0; i < ev->n_cpu && rc == 0; i++) {
        const struct events_cpu *c = &ev->cpu[i];
        struct perf_event_attr a = ev->attr[c->list];
        struct perf_event_attr aux = ev->aux[c->list];
        a.inherit &= !alone;
        aux.inherit &= !alone;
        const int fd = open_one(&a, &aux, on, c->cpu, &ev->aux_fd[ev->n_fd]);
        if (fd == -ENODEV) /* it went offline */
            continue;
        if (fd < 0) {
            rc = fd;
            break;
        }
        ev->on[ev->n_fd] = i;
        ev->id[ev->n_fd] = 0;
        ev->fd[ev->n_fd++] = fd;
        if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, c->fd) < 0 ||
            (!ev->opt.on_exec && !enable(ev, ev->n_fd - 1)))
            rc = -errno;
    }
    while (rc && ev->n_fd > begin) {
        ev->n_fd--;
        close_both(ev->fd[ev->n_fd], ev->aux_fd[ev->n_fd]);
    }
    return rc;
}

int events_add(struct events *ev, const struct events_on *on) {
    return add(ev, on, false);
}

int events_add_alone(struct events *ev, const struct events_on *on) {
    return add(ev, on, true);
}

/* The number of that on a CPU, or UINT32_MAX. */
static uint32_t find_on(const struct events *ev, uint32_t first, uint32_t n, uint32_t cpu) {
    for (uint32_t i = first; i < first + n; i++)
        if (ev->fd[i] >= 0 && ev->cpu[ev->on[i]].cpu == (int)cpu)
            return i;
    return UINT32_MAX;
}

void events_learn_ids(struct events *ev, uint32_t first, uint32_t n) {
    for (uint32_t i = first; i < first + n; i++)
        ioctl(ev->fd[i], PERF_EVENT_IOC_ID, &ev->id[i]);
}

bool events_have_id(const struct events *ev, uint32_t first, uint32_t n, uint64_t id) {
    for (uint32_t i = first; i < first + n; i++)
        if (ev->id[i] == id)
            return true;
    return false;
}

void events_close_on(struct events *ev, uint32_t first, uint32_t n, uint32_t cpu) {
    const uint32_t i = find_on(ev, first, n, cpu);
    if (i == UINT32_MAX)
        return;
    close_both(ev->fd[i], ev->aux_fd[i]);
    ev->fd[i] = ev->aux_fd[i] = -1;
}

bool events_are_open_on(const struct events *ev, uint32_t first, uint32_t n, uint32_t cpu) {
    return find_on(ev, first, n, cpu) != UINT32_MAX;
}

void events_set_freq(struct events *ev, uint64_t freq) {
    ev->opt.freq = freq;
    for (int i = 0; i < EVENTS_LISTS; i++) {
        struct perf_event_attr *a = &ev->attr[i];
        if (a->freq)
            a->sample_freq = freq;
        else
            a->sample_period = period_of(ev);
    }
    for (uint32_t i = 0; i < ev->n_fd; i++)
        ioctl(ev->fd[i], PERF_EVENT_IOC_PERIOD, &ev->attr[ev->cpu[ev->on[i]].list].sample_period);
}

/* What a read gives; lost: of the kernels that have it. */
struct reading {
    uint64_t count, enabled, running, lost;
};

static bool read_one(int fd, struct reading *out) {
    *out = (struct reading){0};
    return fd >= 0 && read(fd, out, sizeof(*out)) >= (ssize_t)offsetof(struct reading, lost);
}

struct counted {
    double enabled, running;
};

/*
 * Of those from *i on that are of one thread, or of one CPU. A thread's event is open on each CPU:
 * it is enabled on all of them while the thread runs, and on a counter where it runs. Nothing is
 * known where one of them is closed.
 */
static struct counted counted_of(const struct events *ev, uint32_t *i) {
    struct counted c = {0};
    bool all = true;
    do {
        struct reading now;
        all &= read_one(ev->fd[*i], &now);
        if (!all)
            continue;
        c.running += (double)now.running;
        if ((double)now.enabled > c.enabled)
            c.enabled = (double)now.enabled;
    } while (++*i < ev->n_fd && !ev->by_cpu && ev->on[*i] > ev->on[*i - 1]);
    return all ? c : (struct counted){0};
}

double events_counted(const struct events *ev) {
    struct counted sum = {0};
    for (uint32_t i = 0; i < ev->n_fd && i < EVENTS_READ && (ev->by_cpu || !ev->partial);) {
        const struct counted c = counted_of(ev, &i);
        sum.enabled += c.enabled;
        sum.running += c.running;
    }
    return sum.enabled < 1e8 ? NAN : sum.running < sum.enabled ? sum.running / sum.enabled : 1;
}

uint64_t events_lost(const struct events *ev) {
    uint64_t sum = 0;
    struct reading now;
    for (uint32_t i = 0; i < ev->n_fd; i++)
        sum += read_one(ev->fd[i], &now) ? now.lost : 0;
    return sum;
}

void events_forget(struct events *ev) {
    while (ev->n_fd)
        if (ev->fd[--ev->n_fd] >= 0)
            close_both(ev->fd[ev->n_fd], ev->aux_fd[ev->n_fd]);
}

/* Those that were inherited stop, too. */
void events_stop(struct events *ev) {
    for (uint32_t i = 0; i < ev->n_fd; i++)
        ioctl(ev->fd[i], PERF_EVENT_IOC_DISABLE, 0);
}

void events_close(struct events *ev) {
    events_forget(ev);
    close_rings(ev);
    free(ev->cpu);
    free(ev->fd);
    free(ev->aux_fd);
    free(ev->on);
    free(ev->id);
    *ev = (struct events){0};
}
