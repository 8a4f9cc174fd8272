/*
 * The kernel's side of the probe. A pinned group that is enabled is put onto the counters within
 * the system call that adds its last member, or becomes one that reads as end of file
 * (perf_event_open(2), "pinned"); so nothing has to be waited for.
 */
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "pmu/host/perf_open.h"
#include "pmu/perf/probe.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <unistd.h>

enum {
    MOST_MS = 8,    /* of asking many CPUs */
    THREAD_MS = 20, /* of waiting for another thread to run */
};

struct on {
    pid_t tid;
    int cpu;
    uint64_t until_ns; /* another thread, which may sleep: waited for until then; else 0 */
    bool slept;        /* it did not run, so that something is not known */
};

/* A group that is open. */
struct open_group {
    int fd[PROBE_FIXED_MOST + PROBE_MOST];
    int n;
    uint64_t running_ns; /* as last read */
};

static int add_event(struct open_group *g, const struct on *on, const struct perf_event_attr *from,
                     bool pinned) {
    struct perf_event_attr attr = *from;
    attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    attr.exclude_hv = 1;
    attr.pinned = pinned && g->n == 0;
    int fd = perf_open_fd(&attr, on->tid, on->cpu, g->n ? g->fd[0] : -1);
    if (fd >= 0)
        g->fd[g->n++] = fd;
    return fd < 0 ? fd : 0;
}

/*
 * Is it on the counters? That of a pinned group that failed reads as end of file. Some clocks need
 * a while to move on.
 */
static enum probe_answer look(struct open_group *g, struct on *on) {
    enum { TRIES = 5, PAUSE_US = 200 };
    struct {
        uint64_t value, enabled_ns, running_ns;
    } now;
    for (int i = 0; i < TRIES || clock_now_ns() < on->until_ns; i++) {
        ssize_t got = read(g->fd[0], &now, sizeof(now));
        if (got == 0)
            return PROBE_HELD;
        if (got != (ssize_t)sizeof(now))
            return PROBE_UNKNOWN;
        if (now.running_ns > g->running_ns) {
            g->running_ns = now.running_ns;
            return PROBE_RUNS;
        }
        if (i > 0)
            usleep(PAUSE_US);
    }
    on->slept = true;
    return PROBE_UNKNOWN; /* or a core of another kind */
}

static enum probe_answer refused(int rc) {
    return perf_is_unsupported(rc) ? PROBE_REFUSED : PROBE_UNKNOWN;
}

static void close_group(struct open_group *g) {
    while (g->n > 0)
        close(g->fd[--g->n]);
}

/* One more each time, until there is none left. */
static enum probe_answer try_group(void *user, const struct perf_event_attr *attr, int n,
                                   bool pinned, int *n_run) {
    struct open_group g = {.n = 0};
    enum probe_answer answer = PROBE_RUNS;
    *n_run = 0;
    for (int i = 0; i < n && answer == PROBE_RUNS; i++) {
        int rc = add_event(&g, user, &attr[i], pinned);
        answer = rc ? refused(rc) : pinned ? look(&g, user) : PROBE_RUNS;
        *n_run += answer == PROBE_RUNS;
    }
    close_group(&g);
    return answer;
}

/* ---- where ---- */

static void ask(const struct machine *mc, const struct model *m, struct on *on,
                struct budget *out) {
    const struct probe_pmu pmu = {.try = try_group, .user = on};
    probe_budget(mc, m, &pmu, out);
}

/* The least of both. */
static void merge(struct budget *b, const struct budget *other) {
    if (!other->known)
        return;
    if (!b->known) {
        *b = *other;
        return;
    }
    b->free &= other->free;
    b->general = other->general < b->general ? other->general : b->general;
    if (__builtin_popcountll(b->free) < b->general)
        b->general = __builtin_popcountll(b->free);
    b->there = other->there < b->there ? other->there : b->there;
    b->fixed_taken |= other->fixed_taken;
    b->fixed_gone |= other->fixed_gone;
}

static void ask_cpus(const struct machine *mc, const struct model *m, const int *cpu, int n,
                     struct budget *out) {
    const uint64_t end = clock_now_ns() + MOST_MS * NS_PER_MS;
    for (int i = 0; i < n && (i == 0 || clock_now_ns() < end); i++) {
        struct budget one;
        ask(mc, m, &(struct on){.tid = -1, .cpu = cpu[i]}, &one);
        merge(out, &one);
    }
}

/* On a hybrid CPU this thread must stand on a core of the kind in question. */
static bool move_to_core(const struct machine *mc, cpu_set_t *before) {
    enum { CPUS_MAX = CPU_SETSIZE };
    const struct core_type *core = mc->n_core ? &mc->core[mc->chosen] : NULL;
    int cpu[CPUS_MAX];
    cpu_set_t to;
    if (mc->n_core < 2 || !core->cpus[0] || sched_getaffinity(0, sizeof(*before), before))
        return false;
    int n = str_list(core->cpus, cpu, CPUS_MAX, NULL);
    CPU_ZERO(&to);
    for (int i = 0; i < n; i++)
        if (CPU_ISSET(cpu[i], before))
            CPU_SET(cpu[i], &to);
    return CPU_COUNT(&to) > 0 && sched_setaffinity(0, sizeof(to), &to) == 0;
}

static void ask_here(const struct machine *mc, const struct model *m, struct budget *out) {
    cpu_set_t before;
    bool moved = move_to_core(mc, &before);
    ask(mc, m, &(struct on){.tid = 0, .cpu = -1}, out);
    if (moved)
        sched_setaffinity(0, sizeof(before), &before);
}

static void say(const struct budget *b) {
    log_line("probe: %s, %d of %d general counters, fixed held 0x%llx, not there 0x%llx; %llu us",
             b->known ? "known" : "not told", b->general, b->there,
             (unsigned long long)b->fixed_taken, (unsigned long long)b->fixed_gone,
             (unsigned long long)b->cost_ns / 1000);
}

void probe_counters(const struct machine *mc, const struct model *m, const int *cpu, int n,
                    struct budget *out) {
    const uint64_t begin = clock_now_ns();
    *out = (struct budget){.known = false};
    if (n > 0)
        ask_cpus(mc, m, cpu, n, out);
    if (!out->known)
        ask_here(mc, m, out);
    out->cost_ns = clock_now_ns() - begin;
    say(out);
}

void probe_thread(const struct machine *mc, const struct model *m, pid_t tid, struct budget *out) {
    const uint64_t begin = clock_now_ns();
    struct on on = {.tid = tid, .cpu = -1, .until_ns = begin + THREAD_MS * NS_PER_MS};
    ask(mc, m, &on, out);
    out->known = out->known && !on.slept;
    out->cost_ns = clock_now_ns() - begin;
    say(out);
}
