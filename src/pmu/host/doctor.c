/* Each check is one function and one row of the table at the end. Nothing is changed, only read.
 * The checks of what makes two runs differ are in doctor_system.c. */
#include "pmu/host/doctor_impl.h"

#include "base/str.h"
#include "pmu/host/encode.h"
#include "pmu/host/perf_open.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>

int doctor_read(const struct patient *p, const char *path, char *buf, size_t cap) {
    char full[512];
    buf[0] = '\0';
    snprintf(full, sizeof(full), "%s%s", p->root, path);
    return str_read_small(full, buf, cap);
}

long doctor_read_long(const struct patient *p, const char *path) {
    char buf[32];
    return doctor_read(p, path, buf, sizeof(buf)) > 0 ? strtol(buf, NULL, 10) : -1;
}

void doctor_found(struct check *c, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(c->found, sizeof(c->found), fmt, ap);
    va_end(ap);
}

void doctor_blame(struct check *c, enum check_state state, const char *effect, const char *fix) {
    c->state = state;
    str_copy(c->effect, sizeof(c->effect), effect);
    str_copy(c->fix, sizeof(c->fix), fix);
}

/* ---- may we, can we ---- */

static void check_kernel(const struct patient *p, struct check *c) {
    struct utsname u;
    char release[80];
    if (doctor_read(p, "/proc/sys/kernel/osrelease", release, sizeof(release)) <= 0) {
        if (uname(&u) < 0)
            return;
        str_copy(release, sizeof(release), u.release);
    }
    int major = 0, minor = 0;
    doctor_found(c, "Linux %s", release);
    if (sscanf(release, "%d.%d", &major, &minor) == 2 && major * 100 + minor < 510)
        doctor_blame(
            c, CHECK_WARN,
            "before Linux 5.10 there are no topdown-* events: Intel's top level comes from more "
            "counters",
            "a newer kernel");
}

void doctor_paranoid(const struct patient *p, struct check *c) {
    const struct machine *mc = p->mc;
    char caps[64] = "";
    bool strict = !p->root[0] && perf_is_strict(mc->paranoid);
    if (mc->cap_perfmon && strict)
        str_copy(caps, sizeof(caps), ", and this kernel does not accept CAP_PERFMON");
    else if (mc->cap_perfmon)
        str_copy(caps, sizeof(caps), ", but we have CAP_PERFMON or are root");
    if (mc->paranoid == 99) {
        doctor_found(c, "not readable%s", caps);
        doctor_blame(
            c, CHECK_FAIL,
            "this kernel shows no perf events (CONFIG_PERF_EVENTS): nothing can be counted",
            "a kernel built with perf events");
        return;
    }
    doctor_found(c, "%d%s", mc->paranoid, caps);
    if ((mc->cap_perfmon && !strict) || mc->paranoid <= 0)
        return;
    if (strict)
        doctor_blame(c, CHECK_FAIL, "an ordinary user may count nothing at all",
                     "run as root, or sysctl kernel.perf_event_paranoid=1, or setcap "
                     "cap_sys_admin+ep tdtop");
    else if (mc->paranoid > 2)
        doctor_blame(
            c, CHECK_FAIL, "an ordinary user may count nothing at all",
            "run as root, or setcap cap_perfmon+ep tdtop, or sysctl kernel.perf_event_paranoid=1");
    else if (mc->paranoid == 2)
        doctor_blame(
            c, CHECK_WARN,
            "user space of your own processes only: no kernel time, no context switches, no -a",
            "setcap cap_perfmon+ep tdtop, or sysctl kernel.perf_event_paranoid=1 (-1 for -a and "
            "-C)");
    else
        doctor_blame(c, CHECK_NOTE, "your own processes only: -a and -C are not permitted",
                     "setcap cap_perfmon+ep tdtop, or sysctl kernel.perf_event_paranoid=0");
}

/* Asked of the kernel itself, so not on fake trees. */
static void check_syscall(const struct patient *p, struct check *c) {
    if (p->root[0])
        return;
    int rc = perf_probe(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
    doctor_found(c, "%s", rc ? strerror(-rc) : "works");
    if (rc == -ENOSYS)
        doctor_blame(c, CHECK_FAIL, "nothing can be counted",
                     "a kernel built with CONFIG_PERF_EVENTS");
    else if (perf_is_denied(rc) && p->mc->paranoid <= 2)
        doctor_blame(
            c, CHECK_FAIL, "a seccomp filter (container?) forbids it: nothing can be counted",
            "--cap-add PERFMON --security-opt seccomp=unconfined, or run outside the container");
    else if (rc)
        doctor_blame(c, CHECK_FAIL, "nothing can be counted", "see perf_event_paranoid above");
}

static void check_pmu(const struct patient *p, struct check *c) {
    const struct machine *mc = p->mc;
    if (!mc->pmu[0] && mc->hypervisor) {
        doctor_found(c, "none: %s guest without a virtual PMU", mc->hypervisor_name);
        doctor_blame(
            c, CHECK_WARN, "no cycles, no instructions, no top-down: only the software model",
            "enable the vPMU on the host (KVM/libvirt: <cpu mode='host-passthrough'/> and <pmu "
            "state='on'/>; cloud: "
            "a metal or full-socket instance)");
        return;
    }
    if (!mc->pmu[0]) {
        doctor_found(c, "none");
        doctor_blame(c, CHECK_WARN,
                     "no cycles, no instructions, no top-down: only the software model",
                     "check the kernel's messages for the PMU driver (dmesg | grep -i pmu)");
        return;
    }
    int rc = p->root[0] ? 0 : perf_probe(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
    doctor_found(c, "%s (type %u)%s%s", mc->pmu, mc->pmu_type, rc ? ", cycles: " : "",
                 rc ? strerror(-rc) : "");
    if (perf_is_denied(rc))
        doctor_blame(c, CHECK_FAIL, "there, but not permitted", "see perf_event_paranoid above");
    else if (rc)
        doctor_blame(c, CHECK_WARN, "there, but it cannot count cycles: only the software model",
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
        doctor_blame(c, CHECK_NOTE,
                     "cores without a model of their own are counted by events that all cores have",
                     "a model file of your own: docs/MODELS.md");
    else if (mc->n_core > 1)
        doctor_blame(
            c, CHECK_NOTE,
            "each kind of core has counters, model and tree of its own; they are never summed",
            "--cputype NAME measures one alone");
}

static void check_topdown(const struct patient *p, struct check *c) {
    const struct machine *mc = p->mc;
    if (!mc->pmu[0] || !str_starts(mc->id, "GenuineIntel"))
        return;
    doctor_found(c, "%s", mc->has_topdown ? "slots, topdown-*" : "none");
    if (!mc->has_topdown)
        doctor_blame(
            c, CHECK_NOTE,
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
        doctor_found(c, "libpfm4%s%s, CPU: %s", version[0] ? " " : "", version,
                     pmu[0] ? pmu : "not known");
    else
        doctor_found(c, "libpfm4: not installed");
    if (!pmu[0] && p->mc->pmu[0])
        doctor_blame(c, CHECK_NOTE, "events come from the model's own codes, which is just as good",
                     "");
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
        doctor_blame(c, CHECK_NOTE,
                     "they count for the whole system, which is not permitted: what needs "
                     "them is n/a",
                     "setcap cap_perfmon+ep tdtop, or sysctl kernel.perf_event_paranoid=0");
}

/* ---- what takes counters or descriptors ---- */

void doctor_watchdog(const struct patient *p, struct check *c) {
    if (p->mc->nmi_watchdog < 0)
        return;
    doctor_found(c, "%s", p->mc->nmi_watchdog ? "on" : "off");
    if (p->mc->nmi_watchdog && p->mc->pmu[0])
        doctor_blame(c, CHECK_WARN,
                     "it holds one counter of each CPU: fewer events fit, more take turns",
                     "sysctl kernel.nmi_watchdog=0");
}

static void check_files(const struct patient *p, struct check *c) {
    enum { FEW = 1024 };
    struct rlimit lim;
    char text[4096];
    unsigned long long soft = 0, hard = 0;
    if (p->root[0]) {
        const char *line = doctor_read(p, "/proc/self/limits", text, sizeof(text)) > 0
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
    doctor_found(c, "soft %llu, hard %llu", soft, hard);
    if (hard < FEW)
        doctor_blame(c, CHECK_WARN,
                     "one is needed for each event of each thread: large processes will not fit",
                     "ulimit -Hn 65536 as root, or LimitNOFILE= of the service");
}

void doctor_mux(const struct patient *p, struct check *c) {
    enum { SLOW = 20 };
    char path[96];
    if (!p->mc->pmu[0])
        return;
    snprintf(path, sizeof(path), MACHINE_PMU_DIR "%s/perf_event_mux_interval_ms", p->mc->pmu);
    long ms = doctor_read_long(p, path);
    if (ms < 0)
        return;
    doctor_found(c, "%ld ms", ms);
    if (ms > SLOW) {
        char fix[160];
        snprintf(fix, sizeof(fix), "echo 4 >%s", path);
        doctor_blame(c, CHECK_NOTE,
                     "groups take turns slowly: at short intervals many values are stale", fix);
    }
}

static const struct {
    const char *name;
    void (*run)(const struct patient *p, struct check *c);
} checks[] = {
    {"kernel", check_kernel},
    {"perf_event_paranoid", doctor_paranoid},
    {"perf_event_open", check_syscall},
    {"cpu_pmu", check_pmu},
    {"core_types", check_cores},
    {"topdown_events", check_topdown},
    {"libpfm4", check_pfm},
    {"uncore_pmus", check_uncore},
    {"nmi_watchdog", doctor_watchdog},
    {"open_files", check_files},
    {"mux_interval", doctor_mux},
    {"perf_users", doctor_perf_users},
    {"smt", doctor_smt},
    {"hypervisor", doctor_hypervisor},
    {"steal", doctor_steal},
    {"governor", doctor_governor},
    {"turbo", doctor_turbo},
    {"clock", doctor_clock},
    {"thermal_throttle", doctor_throttle},
    {"run_queue", doctor_run_queue},
    {"kptr_restrict", doctor_kptr},
};

int doctor_run(const struct machine *mc, const char *root, struct check *out) {
    _Static_assert(sizeof(checks) / sizeof(checks[0]) <= CHECKS_MAX, "CHECKS_MAX is too small");
    const struct patient p = {.mc = mc, .root = root};
    int n = 0;
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
        struct check c = {.state = CHECK_OK};
        str_copy(c.name, sizeof(c.name), checks[i].name);
        checks[i].run(&p, &c);
        if (c.found[0]) /* a check that does not apply here finds nothing */
            out[n++] = c;
    }
    return n;
}
