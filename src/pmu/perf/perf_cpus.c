/*
 * CPUs that go offline and come back: the others go on without them. What a CPU counted until it
 * went is taken, and where the whole machine is the target one that was never there before is
 * counted from then on.
 */
#include "pmu/perf/perf_units.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"

#include <errno.h>
#include <unistd.h>

static bool is_in(const int *cpu, int n, int wanted) {
    for (int i = 0; i < n; i++)
        if (cpu[i] == wanted)
            return true;
    return false;
}

bool perf_unit_is_offline(const struct perf_unit *unit) {
    return unit->cpu >= 0 && unit->state == UNIT_AWAY;
}

/* ---- going ---- */

/*
 * The kernel takes the groups of a CPU that goes apart (__perf_event_exit_context): each counter is
 * a group of its own then and keeps what it had, all up to the same moment.
 */
int perf_cpus_read_apart(const int *fd, uint32_t n, uint64_t *buf) {
    enum { TIMES = 3, ALONE = TIMES + 1 };
    uint64_t one[ALONE];
    for (uint32_t i = 0; i < n; i++) {
        if (read(fd[i], one, sizeof(one)) != (ssize_t)sizeof(one))
            return -EIO;
        if (i == 0) {
            buf[1] = one[1];
            buf[2] = one[2];
        }
        buf[TIMES + i] = one[TIMES];
    }
    buf[0] = n;
    return 0;
}

static void go(struct perf_units *pu, uint32_t u) {
    log_line("perf: CPU %d is offline", pu->unit[u].cpu);
    perf_units_carry(pu, u);
    perf_units_close_unit(pu, u);
    pu->unit[u].state = UNIT_AWAY;
}

/* ---- coming ---- */

static void come_back(struct perf_units *pu, uint32_t u) {
    struct perf_unit *unit = &pu->unit[u];
    if (perf_units_complete(pu, u) != 0) {
        perf_units_close_unit(pu, u);
        unit->state = UNIT_AWAY;
        return;
    }
    unit->partial = true;
    log_line("perf: CPU %d is online", unit->cpu);
}

static bool has_unit(const struct perf_units *pu, int cpu) {
    for (uint32_t u = 0; u < pu->n; u++)
        if (pu->unit[u].cpu == cpu)
            return true;
    return false;
}

/* CPUs that were not there when the target was listed. They are counted if there is room. */
static void adopt(struct perf_units *pu, const int *cpu, int n) {
    for (int i = 0; i < n; i++) {
        if (has_unit(pu, cpu[i]) || perf_units_reserve(pu, pu->n + 1))
            continue;
        perf_units_add(pu, (struct perf_unit){.pid = -1,
                                              .tid = -1,
                                              .cpu = cpu[i],
                                              .state = UNIT_AWAY,
                                              .partial = true,
                                              .proc.cpu = -1});
        pu->next = pu->n;
    }
}

/* ---- both ---- */

void perf_units_online(struct perf_units *pu, const int *cpu, int n) {
    perf_units_interval(pu);
    if (pu->adopts)
        adopt(pu, cpu, n);
    pu->n_offline = 0;
    for (uint32_t u = 0; u < pu->n; u++) {
        struct perf_unit *unit = &pu->unit[u];
        bool online = is_in(cpu, n, unit->cpu);
        if (!online && unit->state == UNIT_OPEN)
            go(pu, u);
        else if (online && unit->state == UNIT_AWAY)
            come_back(pu, u);
        pu->n_offline += unit->state == UNIT_AWAY;
    }
}

/* One that is away is looked for often, so that little is missed when it comes back. */
void perf_units_look_online(struct perf_units *pu) {
    enum { AWAY_MS = 50 };
    char text[4096];
    uint64_t now = clock_now_ns();
    if (now < pu->cpus_due_ns)
        return;
    if (str_read_small("/sys/devices/system/cpu/online", text, sizeof(text)) <= 0)
        return;
    int n = str_list(text, pu->online, PERF_CPUS_MAX, NULL);
    if (n > 0)
        perf_units_online(pu, pu->online, n);
    pu->cpus_due_ns = now + (pu->n_offline ? AWAY_MS * NS_PER_MS : NS_PER_S);
}
