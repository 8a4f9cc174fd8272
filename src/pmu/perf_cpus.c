/* CPUs that go offline and come back: the others go on without them. */
#include "pmu/perf_units.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"

static bool is_in(const int *cpu, int n, int wanted) {
    for (int i = 0; i < n; i++)
        if (cpu[i] == wanted)
            return true;
    return false;
}

static void come_back(struct perf_units *pu, uint32_t u) {
    struct perf_unit *unit = &pu->unit[u];
    if (perf_units_complete(pu, u) != 0) {
        perf_units_close_unit(pu, u);
        unit->state = UNIT_AWAY;
        return;
    }
    unit->partial = true;
    log_line("perf: CPU %d is online again", unit->cpu);
}

void perf_units_online(struct perf_units *pu, const int *cpu, int n) {
    perf_units_interval(pu);
    pu->n_offline = 0;
    for (uint32_t u = 0; u < pu->n; u++) {
        struct perf_unit *unit = &pu->unit[u];
        bool online = is_in(cpu, n, unit->cpu);
        if (!online && unit->state == UNIT_OPEN) {
            log_line("perf: CPU %d is offline", unit->cpu);
            perf_units_carry(pu, u);
            perf_units_close_unit(pu, u);
            unit->state = UNIT_AWAY;
        } else if (online && unit->state == UNIT_AWAY) {
            come_back(pu, u);
        }
        pu->n_offline += unit->state == UNIT_AWAY;
    }
}

void perf_units_look_online(struct perf_units *pu) {
    enum { CPUS_MAX = 8192 };
    static int cpu[CPUS_MAX];
    char text[4096];
    uint64_t now = clock_now_ns();
    if (now < pu->cpus_due_ns)
        return;
    pu->cpus_due_ns = now + NS_PER_S;
    if (str_read_small("/sys/devices/system/cpu/online", text, sizeof(text)) <= 0)
        return;
    int n = str_list(text, cpu, CPUS_MAX, NULL);
    if (n > 0)
        perf_units_online(pu, cpu, n);
}
