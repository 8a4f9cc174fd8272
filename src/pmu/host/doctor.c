/* Each check is one function and one row of the table at the end. Nothing is changed, only read. */
#include "pmu/host/doctor.h"

#include "base/str.h"
#include "pmu/host/encode.h"
#include "pmu/host/environment_impl.h"
#include "pmu/host/fallback.h"
#include "pmu/host/machine_impl.h"
#include "pmu/host/perf_open.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>

struct patient {
    const struct machine *mc;
    const char *root;
};

static void found(struct check *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void found(struct check *c, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(c->found, sizeof(c->found), fmt, ap);
    va_end(ap);
}

/* The effect of a finding, and what to do about it. */
static void blame(struct check *c, enum check_state state, const char *effect, const char *fix) {
    c->state = state;
    str_copy(c->effect, sizeof(c->effect), effect);
    str_copy(c->fix, sizeof(c->fix), fix);
}

/* ---- may we, can we ---- */

static void check_kernel(const struct patient *p, struct check *c) {
    struct utsname u;
    char release[80];
    if (machine_read(p->root, "/proc/sys/kernel/osrelease", release, sizeof(release)) <= 0) {
        if (uname(&u) < 0)
            return;
        str_copy(release, sizeof(release), u.release);
    }
    int major = 0, minor = 0;
    found(c, "Linux %s", release);
    if (sscanf(release, "%d.%d", &major, &minor) == 2 && major * 100 + minor < 510)
        blame(c, CHECK_WARN,
              "before Linux 5.10 there are no topdown-* events: Intel's top level comes from more "
              "counters",
              "a newer kernel");
}

static void check_paranoid(const struct patient *p, struct check *c) {
    const struct machine *mc = p->mc;
    char caps[64] = "";
    bool strict = !p->root[0] && perf_is_strict(mc->paranoid);
    if (mc->cap_perfmon && strict)
        str_copy(caps, sizeof(caps), ", and this kernel does not accept CAP_PERFMON");
    else if (mc->cap_perfmon)
        str_copy(caps, sizeof(caps), ", but we have CAP_PERFMON or are root");
    if (mc->paranoid == 99) {
        found(c, "not readable%s", caps);
        blame(c, CHECK_FAIL,
              "this kernel shows no perf events (CONFIG_PERF_EVENTS): nothing can be counted",
              "a kernel built with perf events");
        return;
    }
    found(c, "%d%s", mc->paranoid, caps);
    if ((mc->cap_perfmon && !strict) || mc->paranoid <= 0)
        return;
    if (strict)
        blame(c, CHECK_FAIL, "an ordinary user may count nothing at all",
              "run as root, or sysctl kernel.perf_event_paranoid=1, or setcap "
              "cap_sys_admin+ep tdtop");
    else if (mc->paranoid > 2)
        blame(
            c, CHECK_FAIL, "an ordinary user may count nothing at all",
            "run as root, or setcap cap_perfmon+ep tdtop, or sysctl kernel.perf_event_paranoid=1");
    else if (mc->paranoid == 2)
        blame(c, CHECK_WARN,
              "user space of your own processes only: no kernel time, no context switches, no -a",
              "setcap cap_perfmon+ep tdtop, or sysctl kernel.perf_event_paranoid=1 (-1 for -a and "
              "-C)");
    else
        blame(c, CHECK_NOTE, "your own processes only: -a and -C are not permitted",
              "setcap cap_perfmon+ep tdtop, or sysctl kernel.perf_event_paranoid=0");
}

/* Asked of the kernel itself, so not on fake trees. */
static void check_syscall(const struct patient *p, struct check *c) {
    if (p->root[0])
        return;
    int rc = perf_probe(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
    found(c, "%s", rc ? strerror(-rc) : "works");
    if (rc == -ENOSYS)
        blame(c, CHECK_FAIL, "nothing can be counted", "a kernel built with CONFIG_PERF_EVENTS");
    else if (perf_is_denied(rc) && p->mc->paranoid <= 2)
        blame(c, CHECK_FAIL, "a seccomp filter (container?) forbids it: nothing can be counted",
              "--cap-add PERFMON --security-opt seccomp=unconfined, or run outside the container");
    else if (rc)
        blame(c, CHECK_FAIL, "nothing can be counted", "see perf_event_paranoid above");
}

static void check_pmu(const struct patient *p, struct check *c) {
    const struct machine *mc = p->mc;
    if (!mc->pmu[0] && mc->hypervisor) {
        found(c, "none: %s guest without a virtual PMU", mc->hypervisor_name);
        blame(c, CHECK_WARN, "no cycles, no instructions, no top-down: only the software model",
              "enable the vPMU on the host (KVM/libvirt: <cpu mode='host-passthrough'/> and <pmu "
              "state='on'/>; cloud: "
              "a metal or full-socket instance)");
        return;
    }
    if (!mc->pmu[0]) {
        found(c, "none");
        blame(c, CHECK_WARN, "no cycles, no instructions, no top-down: only the software model",
              "check the kernel's messages for the PMU driver (dmesg | grep -i pmu)");
        return;
    }
    int rc = p->root[0] ? 0 : perf_probe(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
    found(c, "%s (type %u)%s%s", mc->pmu, mc->pmu_type, rc ? ", cycles: " : "",
          rc ? strerror(-rc) : "");
    if (perf_is_denied(rc))
        blame(c, CHECK_FAIL, "there, but not permitted", "see perf_event_paranoid above");
    else if (rc)
        blame(c, CHECK_WARN, "there, but it cannot count cycles: only the software model",
              mc->hypervisor ? "enable the vPMU on the host"
                             : "end other profilers, then look at dmesg | grep -i pmu");
}

/* "cpu_core: adl-glc, CPUs 0-15; cpu_atom: adl-grt, CPUs 16-23" */
static void check_cores(const struct patient *p, struct check *c) {
    const struct machine *mc = p->mc;
    struct strbuf sb = strbuf_on(c->found, sizeof(c->found));
    int unknown = 0;
    for (int i = 0; i < mc->n_core; i++) {
        const struct core_type *ct = &mc->core[i];
        char name[64];
        bool known = fallback_find(NULL, ct->id, ct->kind, name, sizeof(name));
        unknown += !known;
        strbuf_add(&sb, "%s%s: %s, %s%s", i ? "; " : "", ct->pmu, known ? name : "no model",
                   ct->cpus[0] ? "CPUs " : "all CPUs", ct->cpus);
    }
    if (unknown)
        blame(c, CHECK_NOTE,
              "cores without a model of their own are counted by events that all cores have",
              "a model file of your own: docs/MODELS.md");
    else if (mc->n_core > 1)
        blame(c, CHECK_NOTE,
              "each kind of core has counters, model and tree of its own; they are never summed",
              "--cputype NAME measures one alone");
}

static void check_topdown(const struct patient *p, struct check *c) {
    const struct machine *mc = p->mc;
    if (!mc->pmu[0] || !str_starts(mc->id, "GenuineIntel"))
        return;
    found(c, "%s", mc->has_topdown ? "slots, topdown-*" : "none");
    if (!mc->has_topdown)
        blame(c, CHECK_NOTE,
              mc->hypervisor
                  ? "the hypervisor hides PERF_METRICS: levels 1 and 2 take more counters and turns"
                  : "levels 1 and 2 take more counters and turns (normal before Ice Lake and on "
                    "E-cores)",
              mc->hypervisor ? "run on the host or on a metal instance" : "");
}

static void check_pfm(const struct patient *p, struct check *c) {
    char version[16], pmu[80];
    if (p->root[0])
        return;
    if (encode_pfm_version(version, sizeof(version), pmu, sizeof(pmu)))
        found(c, "libpfm4%s%s, CPU: %s", version[0] ? " " : "", version,
              pmu[0] ? pmu : "not known");
    else
        found(c, "libpfm4: not installed");
    if (!pmu[0] && p->mc->pmu[0])
        blame(c, CHECK_NOTE, "events come from the model's own codes, which is just as good", "");
}

/* ---- outside the cores ---- */

enum { DEVICES_MAX = 64 };

struct device {
    char name[32]; /* without the number of its box */
    int boxes;
};

static bool is_uncore(const char *pmu) {
    static const char *const starts[] = {"uncore_", "amd_l3",  "amd_df", "amd_umc",
                                         "arm_cmn", "arm_dsu", "dmc620", "nvidia_scf"};
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
        if (str_starts(pmu, starts[i]))
            return true;
    return strcmp(pmu, "power") == 0;
}

/* Returns how many devices there are then. */
static int add_box(struct device *dev, int n, const char *pmu) {
    int number;
    size_t len = machine_box_split(pmu, &number);
    if (len >= sizeof(dev->name))
        return n;
    for (int i = 0; i < n; i++)
        if (strlen(dev[i].name) == len && strncmp(dev[i].name, pmu, len) == 0) {
            dev[i].boxes++;
            return n;
        }
    if (n == DEVICES_MAX)
        return n;
    str_copy(dev[n].name, len + 1, pmu);
    dev[n].boxes = 1;
    return n + 1;
}

static int by_name(const void *a, const void *b) {
    const struct device *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static int find_uncore(const struct patient *p, struct device *dev) {
    char path[512];
    int n = 0;
    snprintf(path, sizeof(path), "%s" MACHINE_PMU_DIR, p->root);
    DIR *dir = opendir(path);
    if (!dir)
        return 0;
    for (struct dirent *de; (de = readdir(dir));)
        if (is_uncore(de->d_name))
            n = add_box(dev, n, de->d_name);
    closedir(dir);
    qsort(dev, (size_t)n, sizeof(*dev), by_name);
    return n;
}

static void check_uncore(const struct patient *p, struct check *c) {
    enum { TAIL = 40 }; /* room for "and N more" and what follows */
    struct device dev[DEVICES_MAX];
    struct strbuf sb = strbuf_on(c->found, sizeof(c->found));
    int n = find_uncore(p, dev), i = 0;
    for (; i < n && sb.n + sizeof(dev->name) + TAIL < sb.cap; i++) {
        strbuf_add(&sb, "%s%s", i ? ", " : "", dev[i].name);
        if (dev[i].boxes > 1)
            strbuf_add(&sb, " x%d", dev[i].boxes);
    }
    if (i < n)
        strbuf_add(&sb, " and %d more", n - i);
    if (n)
        strbuf_add(&sb, "; counted with -a");
    if (n && p->mc->paranoid > 0 && !p->mc->cap_perfmon)
        blame(c, CHECK_NOTE,
              "they count for the whole system, which is not permitted: what needs "
              "them is n/a",
              "setcap cap_perfmon+ep tdtop, or sysctl kernel.perf_event_paranoid=0");
}

/* ---- what takes counters or descriptors ---- */

static void check_watchdog(const struct patient *p, struct check *c) {
    if (p->mc->nmi_watchdog < 0)
        return;
    found(c, "%s", p->mc->nmi_watchdog ? "on" : "off");
    if (p->mc->nmi_watchdog && p->mc->pmu[0])
        blame(c, CHECK_WARN,
              "it holds one counter of each CPU: fewer events fit, more are multiplexed",
              "sysctl kernel.nmi_watchdog=0");
}

static void check_files(const struct patient *p, struct check *c) {
    enum { FEW = 1024 };
    struct rlimit lim;
    char text[4096];
    unsigned long long soft = 0, hard = 0;
    if (p->root[0]) {
        const char *line = machine_read(p->root, "/proc/self/limits", text, sizeof(text)) > 0
                               ? strstr(text, "Max open files")
                               : NULL;
        if (!line || sscanf(line, "Max open files %llu %llu", &soft, &hard) != 2)
            return;
    } else {
        if (getrlimit(RLIMIT_NOFILE, &lim) < 0)
            return;
        soft = lim.rlim_cur;
        hard = lim.rlim_max;
    }
    found(c, "soft %llu, hard %llu", soft, hard);
    if (hard < FEW)
        blame(c, CHECK_WARN,
              "one is needed for each event of each thread: large processes will not fit",
              "ulimit -Hn 65536 as root, or LimitNOFILE= of the service");
}

static void check_mux(const struct patient *p, struct check *c) {
    enum { SLOW = 20 };
    char path[96];
    if (!p->mc->pmu[0])
        return;
    snprintf(path, sizeof(path), MACHINE_PMU_DIR "%s/perf_event_mux_interval_ms", p->mc->pmu);
    const int ms = machine_read_int(p->root, path, -1);
    if (ms < 0)
        return;
    found(c, "%d ms", ms);
    if (ms > SLOW) {
        char fix[160];
        snprintf(fix, sizeof(fix), "echo 4 >%s", path);
        blame(c, CHECK_NOTE,
              "groups are multiplexed slowly: at short intervals many values are stale", fix);
    }
}

/* ---- what makes two runs differ: SMT, neighbours, clock, heat ---- */

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

static void check_smt(const struct patient *p, struct check *c) {
    if (!p->mc->n_cpu)
        return;
    bool guest = p->mc->smt_on >= 0 && !machine_knows_smt(p->mc);
    found(c, "%s, %d CPUs%s",
          !machine_knows_smt(p->mc) ? "not known"
          : p->mc->smt_on           ? "on"
                                    : "off",
          p->mc->n_cpu, guest ? ": the hypervisor shows no hardware threads" : "");
    if (guest)
        blame(c, CHECK_NOTE,
              "they may share cores with each other or with other guests: a busy neighbour "
              "looks like a slower program",
              "");
    if (p->mc->smt_on <= 0 || !p->mc->pmu[0])
        return;
    if (slots_are_of_cores(p->mc->id))
        blame(c, CHECK_NOTE,
              "before Ice Lake slots belong to a core: a process's share of them is estimated, its "
              "values are approximate",
              "-a, or -C with both siblings of a core; or echo off >" MACHINE_CPU_DIR
              "smt/control");
    else
        blame(c, CHECK_NOTE, "siblings share a core: a busy neighbour looks like a slower program",
              "echo off >" MACHINE_CPU_DIR "smt/control, while comparing");
}

/* ---- neighbours ---- */

static void check_perf_users(const struct patient *p, struct check *c) {
    char names[160];
    int n = env_find_perf_users(p->root, names, sizeof(names));
    if (n <= 0) {
        found(c, n ? "not known" : "none that we may see");
        return;
    }
    found(c, "%d other process%s: %s%s", n,
          n == 1 ? " holds perf events"
                 : "es hold perf "
                   "events",
          names, n > 3 ? " ..." : "");
    if (p->mc->pmu[0])
        blame(c, CHECK_NOTE,
              "counters that they hold are not ours: fewer events fit, and groups are multiplexed",
              "end them while measuring");
}

static void check_hypervisor(const struct patient *p, struct check *c) {
    const struct machine *mc = p->mc;
    if (!mc->hypervisor)
        return;
    found(c, "%s", mc->hypervisor_name);
    if (mc->pmu[0])
        blame(c, CHECK_NOTE,
              "the host shares cores, caches and counters among guests: some events are "
              "missing, and neighbours show in the numbers",
              "");
}

/* Since boot; what happens while tdtop runs is in its header. */
static void check_steal(const struct patient *p, struct check *c) {
    char text[512];
    uint64_t wanted, stolen;
    if (machine_read(p->root, "/proc/stat", text, sizeof(text)) <= 0 ||
        !env_parse_steal(text, &wanted, &stolen) || !wanted || (!stolen && !p->mc->hypervisor))
        return;
    double share = (double)stolen / (double)wanted;
    found(c, "%.2f%% of the time that CPUs had work since boot", share * 100);
    if (share >= 0.02)
        blame(c, CHECK_WARN,
              "other guests of the host take CPUs away from this one: programs look slower "
              "than they are",
              "a dedicated host or CPUs that are not overcommitted");
}

/* ---- clock and heat ---- */

static void check_governor(const struct patient *p, struct check *c) {
    env_read_governor(p->root, c->found, sizeof(c->found));
    if (c->found[0] && strcmp(c->found, "performance") != 0)
        blame(c, CHECK_NOTE,
              "the clock follows the load: times of two runs differ, shares of slots hardly",
              "cpupower frequency-set -g performance");
}

static void check_turbo(const struct patient *p, struct check *c) {
    const char *fix;
    int on = env_read_turbo(p->root, &fix);
    if (on < 0)
        return;
    found(c, "%s", on ? "on" : "off");
    if (on)
        blame(c, CHECK_NOTE, "the clock depends on heat and neighbours: times of two runs differ",
              fix);
}

/* In GHz, or NAN. */
static double read_clock(const struct patient *p, const char *file) {
    char path[128];
    snprintf(path, sizeof(path), MACHINE_CPU_DIR "cpu0/cpufreq/%s", file);
    const int khz = machine_read_int(p->root, path, -1);
    return khz > 0 ? (double)khz / 1e6 : NAN;
}

/* What the first CPU may do, and what it is allowed to. */
static void check_clock(const struct patient *p, struct check *c) {
    double least = read_clock(p, "cpuinfo_min_freq"), most = read_clock(p, "cpuinfo_max_freq");
    double limit = read_clock(p, "scaling_max_freq");
    if (isnan(most))
        return;
    if (isnan(least))
        found(c, "up to %.2f GHz", most);
    else
        found(c, "%.2f to %.2f GHz", least, most);
    if (!(limit < most * 0.99))
        return;
    size_t n = strlen(c->found);
    snprintf(c->found + n, sizeof(c->found) - n, ", limited to %.2f GHz", limit);
    blame(c, CHECK_NOTE, "the CPU is kept below its own highest clock",
          "cpupower frequency-set -u, if that was not meant");
}

/* The worst CPU counts: a package counts once for all of its own. */
static void check_throttle(const struct patient *p, struct check *c) {
    char text[32768];
    int *cpu = calloc(MACHINE_CPUS_MAX, sizeof(*cpu)), n = 0;
    uint64_t core = 0, package = 0, times;
    bool known = false;
    if (cpu && machine_read(p->root, MACHINE_CPU_DIR "online", text, sizeof(text)) > 0)
        n = str_list(text, cpu, MACHINE_CPUS_MAX, NULL);
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
    found(c, "core %llu times, package %llu times since boot", (unsigned long long)core,
          (unsigned long long)package);
    if (core > 0 || package > 0)
        blame(c, CHECK_WARN,
              "the CPU has been slowed down for heat or power: the clock is not what it could be",
              "cooling, or a lower power limit");
}

/*
 * Whether threads have to share CPUs, and so are moved between them. How often the target's really
 * were is counted while tdtop measures it.
 */
static void check_run_queue(const struct patient *p, struct check *c) {
    char text[64];
    double load;
    if (machine_read(p->root, "/proc/loadavg", text, sizeof(text)) <= 0 ||
        sscanf(text, "%lf", &load) != 1)
        return;
    found(c, "%.1f threads on %d CPUs, over the last minute", load, p->mc->n_cpu);
    if (p->mc->n_cpu && load > p->mc->n_cpu)
        blame(c, CHECK_NOTE,
              "threads wait for CPUs and are moved between them, where caches are cold: "
              "part of a memory bound share is not the program's own",
              "taskset or cpusets, or less beside it, while measuring");
}

/* ---- names of the kernel ---- */

static void check_kptr(const struct patient *p, struct check *c) {
    const int v = machine_read_int(p->root, "/proc/sys/kernel/kptr_restrict", -1);
    if (v < 0)
        return;
    found(c, "%d", v);
    if (v > 0 && !p->mc->cap_perfmon)
        blame(c, CHECK_NOTE,
              "addresses of kernel functions are hidden; counting does not need them",
              "sysctl kernel.kptr_restrict=0, to name kernel functions");
}

static const struct {
    const char *name;
    void (*run)(const struct patient *p, struct check *c);
} checks[] = {
    {"kernel", check_kernel},
    {"perf_event_paranoid", check_paranoid},
    {"perf_event_open", check_syscall},
    {"cpu_pmu", check_pmu},
    {"core_types", check_cores},
    {"topdown_events", check_topdown},
    {"libpfm4", check_pfm},
    {"uncore_pmus", check_uncore},
    {"nmi_watchdog", check_watchdog},
    {"open_files", check_files},
    {"mux_interval", check_mux},
    {"perf_users", check_perf_users},
    {"smt", check_smt},
    {"hypervisor", check_hypervisor},
    {"steal", check_steal},
    {"governor", check_governor},
    {"turbo", check_turbo},
    {"clock", check_clock},
    {"thermal_throttle", check_throttle},
    {"run_queue", check_run_queue},
    {"kptr_restrict", check_kptr},
};

/* False if the check finds nothing: it does not apply here. */
static bool run_check(size_t i, const struct patient *p, struct check *out) {
    *out = (struct check){.state = CHECK_OK};
    str_copy(out->name, sizeof(out->name), checks[i].name);
    checks[i].run(p, out);
    return out->found[0];
}

bool doctor_check(const struct machine *mc, const char *root, const char *name, struct check *out) {
    const struct patient p = {.mc = mc, .root = root};
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
        if (strcmp(checks[i].name, name) == 0)
            return run_check(i, &p, out);
    return false;
}

int doctor_run(const struct machine *mc, const char *root, struct check *out) {
    _Static_assert(sizeof(checks) / sizeof(checks[0]) <= CHECKS_MAX, "CHECKS_MAX is too small");
    const struct patient p = {.mc = mc, .root = root};
    int n = 0;
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
        n += run_check(i, &p, &out[n]);
    return n;
}
