/* The doctor's checks of what makes two runs differ: clock, heat, neighbours, others who count. */
#include "base/str.h"
#include "pmu/host/doctor_impl.h"
#include "pmu/host/environment_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Sandy Bridge to Comet Lake and Cascade Lake: slots are those of a core, but events those of one
 * of its two threads, so that a process alone does not know how many slots it was given. A closed
 * list: from Ice Lake on the slots of a thread are counted.
 */
static bool slots_are_of_cores(const char *id) {
    return machine_matches("GenuineIntel-6-(2A|2D|3A|3C|3D|3E|3F|45|46|47|4E|4F|55|56|5E|8E|9E|A5|"
                           "A6)",
                           id);
}

void doctor_smt(const struct patient *p, struct check *c) {
    if (!p->mc->n_cpu)
        return;
    bool guest = p->mc->smt_on >= 0 && !machine_knows_smt(p->mc);
    doctor_found(c, "%s, %d CPUs%s",
                 !machine_knows_smt(p->mc) ? "not known"
                 : p->mc->smt_on           ? "on"
                                           : "off",
                 p->mc->n_cpu, guest ? ": the hypervisor shows no hardware threads" : "");
    if (guest)
        doctor_blame(c, CHECK_NOTE,
                     "they may share cores with each other or with other guests: a busy neighbour "
                     "looks like a slower program",
                     "");
    if (p->mc->smt_on <= 0 || !p->mc->pmu[0])
        return;
    if (slots_are_of_cores(p->mc->id))
        doctor_blame(
            c, CHECK_NOTE,
            "before Ice Lake slots belong to a core: a process's share of them is estimated, its "
            "values are approximate",
            "-a, or -C with both siblings of a core; or echo off >" MACHINE_CPU_DIR "smt/control");
    else
        doctor_blame(c, CHECK_NOTE,
                     "siblings share a core: a busy neighbour looks like a slower program",
                     "echo off >" MACHINE_CPU_DIR "smt/control, while comparing");
}

/* ---- neighbours ---- */

void doctor_perf_users(const struct patient *p, struct check *c) {
    char names[160];
    int n = env_find_perf_users(p->root, names, sizeof(names));
    if (n <= 0) {
        doctor_found(c, n ? "not known" : "none that we may see");
        return;
    }
    doctor_found(c, "%d other process%s: %s%s", n,
                 n == 1 ? " holds perf events"
                        : "es hold perf "
                          "events",
                 names, n > 3 ? " ..." : "");
    if (p->mc->pmu[0])
        doctor_blame(
            c, CHECK_NOTE,
            "counters that they hold are not ours: fewer events fit, and groups take turns",
            "end them while measuring");
}

void doctor_hypervisor(const struct patient *p, struct check *c) {
    const struct machine *mc = p->mc;
    if (!mc->hypervisor)
        return;
    doctor_found(c, "%s", mc->hypervisor_name);
    if (mc->pmu[0])
        doctor_blame(c, CHECK_NOTE,
                     "the host shares cores, caches and counters among guests: some events are "
                     "missing, and neighbours show in the numbers",
                     "");
}

/* Since boot; what happens while tdtop runs is in its header. */
void doctor_steal(const struct patient *p, struct check *c) {
    char text[512];
    uint64_t wanted, stolen;
    if (doctor_read(p, "/proc/stat", text, sizeof(text)) <= 0 ||
        !env_parse_steal(text, &wanted, &stolen) || !wanted || (!stolen && !p->mc->hypervisor))
        return;
    double share = (double)stolen / (double)wanted;
    doctor_found(c, "%.2f%% of the time that CPUs had work since boot", share * 100);
    if (share >= 0.02)
        doctor_blame(c, CHECK_WARN,
                     "other guests of the host take CPUs away from this one: programs look slower "
                     "than they are",
                     "a dedicated host or CPUs that are not overcommitted");
}

/* ---- clock and heat ---- */

void doctor_governor(const struct patient *p, struct check *c) {
    env_read_governor(p->root, c->found, sizeof(c->found));
    if (c->found[0] && strcmp(c->found, "performance") != 0)
        doctor_blame(c, CHECK_NOTE,
                     "the clock follows the load: times of two runs differ, shares of slots hardly",
                     "cpupower frequency-set -g performance");
}

void doctor_turbo(const struct patient *p, struct check *c) {
    const char *fix;
    int on = env_read_turbo(p->root, &fix);
    if (on < 0)
        return;
    doctor_found(c, "%s", on ? "on" : "off");
    if (on)
        doctor_blame(c, CHECK_NOTE,
                     "the clock depends on heat and neighbours: times of two runs differ", fix);
}

/* In GHz, or NAN. */
static double read_clock(const struct patient *p, const char *file) {
    char path[128];
    snprintf(path, sizeof(path), MACHINE_CPU_DIR "cpu0/cpufreq/%s", file);
    long khz = doctor_read_long(p, path);
    return khz > 0 ? (double)khz / 1e6 : NAN;
}

/* What the first CPU may do, and what it is allowed to. */
void doctor_clock(const struct patient *p, struct check *c) {
    double least = read_clock(p, "cpuinfo_min_freq"), most = read_clock(p, "cpuinfo_max_freq");
    double limit = read_clock(p, "scaling_max_freq");
    if (isnan(most))
        return;
    if (isnan(least))
        doctor_found(c, "up to %.2f GHz", most);
    else
        doctor_found(c, "%.2f to %.2f GHz", least, most);
    if (!(limit < most * 0.99))
        return;
    size_t n = strlen(c->found);
    snprintf(c->found + n, sizeof(c->found) - n, ", limited to %.2f GHz", limit);
    doctor_blame(c, CHECK_NOTE, "the CPU is kept below its own highest clock",
                 "cpupower frequency-set -u, if that was not meant");
}

/* The worst CPU counts: a package counts once for all of its own. */
void doctor_throttle(const struct patient *p, struct check *c) {
    enum { CPUS_MAX = 8192 };
    char text[32768];
    int *cpu = calloc(CPUS_MAX, sizeof(*cpu)), n = 0;
    uint64_t core = 0, package = 0, times;
    bool known = false;
    if (cpu && doctor_read(p, MACHINE_CPU_DIR "online", text, sizeof(text)) > 0)
        n = str_list(text, cpu, CPUS_MAX, NULL);
    for (int i = 0; i < (n > 0 ? n : 1) && cpu; i++) {
        if (env_read_throttle(p->root, cpu[i], false, &times)) {
            known = true;
            core = times > core ? times : core;
        }
        if (env_read_throttle(p->root, cpu[i], true, &times)) {
            known = true;
            package = times > package ? times : package;
        }
    }
    free(cpu);
    if (!known)
        return;
    doctor_found(c, "core %llu times, package %llu times since boot", (unsigned long long)core,
                 (unsigned long long)package);
    if (core > 0 || package > 0)
        doctor_blame(
            c, CHECK_WARN,
            "the CPU has been slowed down for heat or power: the clock is not what it could be",
            "cooling, or a lower power limit");
}

/*
 * Whether threads have to share CPUs, and so are moved between them. How often the target's really
 * were is counted while tdtop measures it.
 */
void doctor_run_queue(const struct patient *p, struct check *c) {
    char text[64];
    double load;
    if (doctor_read(p, "/proc/loadavg", text, sizeof(text)) <= 0 || sscanf(text, "%lf", &load) != 1)
        return;
    doctor_found(c, "%.1f threads on %d CPUs, over the last minute", load, p->mc->n_cpu);
    if (p->mc->n_cpu && load > p->mc->n_cpu)
        doctor_blame(c, CHECK_NOTE,
                     "threads wait for CPUs and are moved between them, where caches are cold: "
                     "part of a memory bound share is not the program's own",
                     "taskset or cpusets, or less beside it, while measuring");
}

/* ---- names of the kernel ---- */

void doctor_kptr(const struct patient *p, struct check *c) {
    long v = doctor_read_long(p, "/proc/sys/kernel/kptr_restrict");
    if (v < 0)
        return;
    doctor_found(c, "%ld", v);
    if (v > 0 && !p->mc->cap_perfmon)
        doctor_blame(c, CHECK_NOTE,
                     "addresses of kernel functions are hidden; counting does not need them",
                     "sysctl kernel.kptr_restrict=0, to name kernel functions");
}
