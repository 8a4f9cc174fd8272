/*
 * One function per check, one table of them. A check fills found, effect, fix and state from
 * read-only files below root; one that has nothing to say here returns false.
 */
#include "pmu/doctor.h"

#include "base/str.h"
#include "pmu/perf_open.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <perfmon/pfmlib.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

struct where {
    const struct machine *mc;
    const char *root;
};

static int set(struct check *c, enum check_state state, const char *effect, const char *fix) {
    c->state = state;
    str_copy(c->effect, sizeof(c->effect), effect);
    str_copy(c->fix, sizeof(c->fix), fix);
    return 1;
}

__attribute__((format(printf, 2, 3))) static void found(struct check *c, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(c->found, sizeof(c->found), fmt, ap);
    va_end(ap);
}

/* Reads a small file below root; false if it is not there. */
static bool read_at(const struct where *w, const char *path, char *buf, size_t cap) {
    char full[512];
    snprintf(full, sizeof(full), "%s%s", w->root, path);
    return str_read_small(full, buf, cap) > 0;
}

static int check_pmu(const struct where *w, struct check *c) {
    const struct machine *mc = w->mc;
    int rc = w->root[0] ? (mc->pmu[0] ? 0 : -ENOENT)
                        : perf_probe(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
    if (rc == 0) {
        found(c, "%s, cycles can be counted", mc->pmu[0] ? mc->pmu : "present");
        return set(c, CHECK_OK, "", "");
    }
    if (perf_is_denied(rc)) {
        found(c, "%s, but counting is not permitted", mc->pmu[0] ? mc->pmu : "unknown");
        return set(c, CHECK_FAIL, "no hardware event can be counted by this user",
                   "run as root, or setcap cap_perfmon=ep on the tdtop binary, or sysctl "
                   "kernel.perf_event_paranoid=1");
    }
    found(c, "%s", mc->pmu[0] ? "named under /sys, but refuses cycles" : "none");
    if (mc->hypervisor)
        return set(c, CHECK_WARN, "software counters only: this guest has no virtual PMU",
                   "give the guest a virtual PMU (libvirt: <feature pmu state='on'/>; QEMU: -cpu "
                   "host,pmu=on; clouds: a metal "
                   "or PMU-enabled instance type), or run tdtop on the host");
    return set(c, CHECK_WARN, "software counters only",
               "a kernel with CONFIG_PERF_EVENTS and a driver for this CPU");
}

static int check_topdown(const struct where *w, struct check *c) {
    if (!w->mc->pmu[0] || !str_starts(w->mc->id, "GenuineIntel"))
        return 0;
    found(c, "%s",
          w->mc->has_topdown ? "slots and topdown-* under /sys" : "not shown by the kernel");
    if (w->mc->has_topdown)
        return set(c, CHECK_OK, "", "");
    return set(c, CHECK_NOTE, "level 1 and 2 use the alternative formulas and general counters",
               "Ice Lake or newer on kernel 5.10 or newer, not in a guest");
}

static int check_paranoid(const struct where *w, struct check *c) {
    static const char *const effects[] = {
        "", "", "only user space of your own processes can be counted; not system-wide",
        "nothing can be counted without privilege"};
    static const char fix[] = "sysctl kernel.perf_event_paranoid=1 (0 for -a), or setcap "
                              "cap_perfmon=ep on the tdtop binary";
    int p = w->mc->paranoid;
    if (p == 99) {
        found(c, "not readable");
        return set(c, CHECK_FAIL, "this kernel has no perf events, or /proc is not mounted",
                   "CONFIG_PERF_EVENTS=y");
    }
    found(c, "%d%s", p, w->mc->cap_perfmon ? ", and this user has CAP_PERFMON" : "");
    if (w->mc->cap_perfmon || p <= 0)
        return set(c, CHECK_OK, "", "");
    if (p == 1)
        return set(c, CHECK_NOTE, "system-wide counting (-a, -C) is not permitted",
                   "sysctl kernel.perf_event_paranoid=0");
    return set(c, p == 2 ? CHECK_WARN : CHECK_FAIL, effects[p > 3 ? 3 : p], fix);
}

static int check_watchdog(const struct where *w, struct check *c) {
    if (w->mc->nmi_watchdog < 0)
        return 0;
    found(c, "%s", w->mc->nmi_watchdog ? "on" : "off");
    if (!w->mc->nmi_watchdog || !w->mc->pmu[0])
        return set(c, CHECK_OK, "", "");
    return set(c, CHECK_NOTE, "it keeps one counter of every CPU: more multiplexing",
               "sysctl kernel.nmi_watchdog=0");
}

static int check_fds(const struct where *w, struct check *c) {
    struct rlimit r;
    if (w->root[0] || getrlimit(RLIMIT_NOFILE, &r))
        return 0;
    found(c, "soft %llu, hard %llu (raised to hard at start)", (unsigned long long)r.rlim_cur,
          (unsigned long long)r.rlim_max);
    if (r.rlim_max >= 65536)
        return set(c, CHECK_OK, "", "");
    return set(
        c, CHECK_NOTE,
        "one descriptor per event and thread: large processes may not fit; tdtop then says so",
        "ulimit -Hn 1048576 (limits.conf: nofile), or a smaller --level");
}

static int check_mux(const struct where *w, struct check *c) {
    char path[160], text[32];
    if (!w->mc->pmu[0])
        return 0;
    snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/perf_event_mux_interval_ms",
             w->mc->pmu);
    if (!read_at(w, path, text, sizeof(text)))
        return 0;
    found(c, "%s ms", text);
    if (atoi(text) <= 16)
        return set(c, CHECK_OK, "", "");
    return set(c, CHECK_NOTE, "groups take turns slowly: short intervals miss some (stale)",
               "echo 4 as root into that file");
}

static int check_kernel(const struct where *w, struct check *c) {
    struct utsname u;
    if (w->root[0] || uname(&u))
        return 0;
    found(c, "%.60s, %.20s", u.release, u.machine);
    if (strtod(u.release, NULL) >= 5.1 || atoi(u.release) > 5)
        return set(c, CHECK_OK, "", "");
    return set(c, CHECK_NOTE,
               "older than 5.10: no topdown-* events for processes, no CAP_PERFMON before 5.8",
               "a newer kernel");
}

static int check_smt(const struct where *w, struct check *c) {
    found(c, "%s", w->mc->smt_on ? "on" : "off");
    if (!w->mc->smt_on)
        return set(c, CHECK_OK, "", "");
    return set(c, CHECK_NOTE,
               "two threads share a core: slots of one are lost to the other, results vary more",
               "for measurements only: echo off > /sys/devices/system/cpu/smt/control");
}

static int check_governor(const struct where *w, struct check *c) {
    char text[64];
    if (!read_at(w, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", text, sizeof(text)))
        return 0;
    found(c, "%s", text);
    if (!strcmp(text, "performance"))
        return set(c, CHECK_OK, "", "");
    return set(c, CHECK_NOTE, "the frequency follows the load: GHz and times vary between runs",
               "cpupower frequency-set -g performance");
}

static int check_turbo(const struct where *w, struct check *c) {
    static const struct {
        const char *path, *on, *fix;
    } files[] = {
        {"/sys/devices/system/cpu/intel_pstate/no_turbo", "0",
         "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo"},
        {"/sys/devices/system/cpu/cpufreq/boost", "1",
         "echo 0 > /sys/devices/system/cpu/cpufreq/boost"},
    };
    char text[16];
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        if (!read_at(w, files[i].path, text, sizeof(text)))
            continue;
        bool on = !strcmp(text, files[i].on);
        found(c, "%s", on ? "on" : "off");
        return set(c, on ? CHECK_NOTE : CHECK_OK,
                   on ? "the frequency depends on heat and on other cores" : "",
                   on ? files[i].fix : "");
    }
    return 0;
}

static int check_rate(const struct where *w, struct check *c) {
    char text[32];
    if (!read_at(w, "/proc/sys/kernel/perf_event_max_sample_rate", text, sizeof(text)))
        return 0;
    found(c, "%s samples/s", text);
    if (atoi(text) >= 10000)
        return set(c, CHECK_OK, "", "");
    return set(c, CHECK_NOTE, "the kernel has throttled perf's sampling; counting is not affected",
               "sysctl kernel.perf_event_max_sample_rate=100000");
}

static int check_pfm(const struct where *w, struct check *c) {
    if (w->root[0] || !w->mc->pmu[0])
        return 0;
    pfm_pmu_info_t info;
    const char *name = NULL;
    if (pfm_initialize() != PFM_SUCCESS)
        return 0;
    for (int i = PFM_PMU_NONE; i < PFM_PMU_MAX; i++) {
        memset(&info, 0, sizeof(info));
        info.size = sizeof(info);
        if (pfm_get_pmu_info((pfm_pmu_t)i, &info) == PFM_SUCCESS && info.is_present &&
            info.type == PFM_PMU_TYPE_CORE)
            name = info.desc;
    }
    int v = pfm_get_version();
    found(c, "%d.%d, %s", PFM_MAJ_VERSION(v), PFM_MIN_VERSION(v),
          name ? name : "does not know this CPU");
    return set(c, CHECK_OK, name ? "" : "events are encoded by the model's own codes", "");
}

static const struct {
    const char *name;
    int (*run)(const struct where *w, struct check *c); /* 0: nothing to say here */
} checks[] = {
    {"CPU PMU", check_pmu},
    {"topdown events", check_topdown},
    {"perf_event_paranoid", check_paranoid},
    {"NMI watchdog", check_watchdog},
    {"file descriptors", check_fds},
    {"perf mux interval", check_mux},
    {"kernel", check_kernel},
    {"libpfm4", check_pfm},
    {"SMT", check_smt},
    {"frequency governor", check_governor},
    {"turbo", check_turbo},
    {"perf sample rate", check_rate},
};
_Static_assert(sizeof(checks) / sizeof(checks[0]) <= CHECKS_MAX, "CHECKS_MAX is too small");

int doctor_run(const struct machine *mc, const char *root, struct check *out) {
    const struct where w = {mc, root};
    int n = 0;
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
        struct check *c = &out[n];
        *c = (struct check){0};
        str_copy(c->name, sizeof(c->name), checks[i].name);
        n += checks[i].run(&w, c);
    }
    return n;
}
