/*
 * Everything is read from small files below root, so that tests can show us any machine. Only the
 * hypervisor's name and the TSC frequency also ask the CPU itself, and only where root is "".
 */
#include "pmu/machine.h"

#include "base/str.h"
#include "pmu/perf_open.h"

#include <dirent.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

enum { CPUS_MAX = 8192 }; /* Linux' own limit, NR_CPUS with MAXSMP */

static int read_file(const char *root, const char *path, char *buf, size_t cap) {
    char full[512];
    buf[0] = '\0';
    snprintf(full, sizeof(full), "%s%s", root, path);
    return str_read_small(full, buf, cap);
}

static int read_int(const char *root, const char *path, int absent) {
    char buf[32];
    if (read_file(root, path, buf, sizeof(buf)) <= 0)
        return absent;
    char *end;
    long v = strtol(buf, &end, 0);
    return end == buf ? absent : (int)v;
}

static bool exists(const char *root, const char *dir, const char *pmu, const char *rest) {
    char full[512];
    snprintf(full, sizeof(full), "%s%s%s%s", root, dir, pmu, rest);
    return access(full, F_OK) == 0;
}

/* Value of the first "key : value" line of /proc/cpuinfo; "" if there is none. */
static void cpuinfo_get(const char *text, const char *key, char *out, size_t cap) {
    out[0] = '\0';
    size_t n = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, n) != 0)
            continue;
        const char *p = line + n + strspn(line + n, " \t");
        if (*p++ != ':')
            continue;
        p += strspn(p, " \t");
        size_t len = strcspn(p, "\n");
        snprintf(out, cap, "%.*s", (int)len, p);
        return;
    }
}

/* "GenuineIntel-6-8F-8", as perf's mapfile.csv spells it: family in decimal, the rest in hex. */
static void detect_x86(struct machine *mc, const char *text) {
    char vendor[32], family[16], model[16], stepping[16];
    cpuinfo_get(text, "vendor_id", vendor, sizeof(vendor));
    cpuinfo_get(text, "cpu family", family, sizeof(family));
    cpuinfo_get(text, "model", model, sizeof(model));
    cpuinfo_get(text, "stepping", stepping, sizeof(stepping));
    if (vendor[0] && family[0] && model[0])
        snprintf(mc->id, sizeof(mc->id), "%s-%u-%X-%X", vendor, (unsigned)atoi(family),
                 (unsigned)atoi(model), (unsigned)atoi(stepping));
}

/* "0x410fd490": the MIDR of the first CPU, from sysfs, else put together from /proc/cpuinfo. */
static void detect_arm(struct machine *mc, const char *root, const char *text) {
    char buf[32];
    if (read_file(root, "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", buf,
                  sizeof(buf)) > 0) {
        snprintf(mc->id, sizeof(mc->id), "0x%08llx", strtoull(buf, NULL, 16) & 0xffffffffull);
        return;
    }
    static const struct {
        const char *key;
        int shift;
    } parts[] = {
        {"CPU implementer", 24}, {"CPU variant", 20}, {"CPU part", 4}, {"CPU revision", 0}};
    unsigned long midr = 0xf0000; /* architecture: "see the ID registers" on every ARMv8 */
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        cpuinfo_get(text, parts[i].key, buf, sizeof(buf));
        if (!buf[0])
            return;
        midr |= strtoul(buf, NULL, 0) << parts[i].shift;
    }
    snprintf(mc->id, sizeof(mc->id), "0x%08lx", midr);
}

static bool has_word(const char *list, const char *word) {
    size_t n = strlen(word);
    for (const char *p = strstr(list, word); p; p = strstr(p + n, word))
        if ((p == list || p[-1] == ' ') && (p[n] == '\0' || p[n] == ' '))
            return true;
    return false;
}

static void detect_cpu(struct machine *mc, const char *root) {
    /* The first CPU is enough, and with hundreds of CPUs the whole file takes long to make. */
    char text[8192], flags[4096], name[96];
    read_file(root, "/proc/cpuinfo", text, sizeof(text));
    detect_x86(mc, text);
    if (!mc->id[0])
        detect_arm(mc, root, text);
    cpuinfo_get(text, "model name", name, sizeof(name));
    str_safe(mc->cpu_name, sizeof(mc->cpu_name), name);
    cpuinfo_get(text, "flags", flags, sizeof(flags));
    mc->hypervisor = has_word(flags, "hypervisor");
}

static void detect_topology(struct machine *mc, const char *root) {
    char text[32768]; /* CPUs may be listed one by one */
    int *cpu = malloc(CPUS_MAX * sizeof(*cpu));
    int n = 0;
    if (cpu && read_file(root, "/sys/devices/system/cpu/online", text, sizeof(text)) > 0)
        n = str_list(text, cpu, CPUS_MAX, NULL);
    int highest = 0; /* packages are numbered from 0 */
    for (int i = 0; i < n; i++) {
        char path[96];
        snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/physical_package_id",
                 cpu[i]);
        int package = read_int(root, path, 0);
        highest = package > highest ? package : highest;
    }
    free(cpu);
    if (n <= 0)
        n = root[0] ? 1 : (int)sysconf(_SC_NPROCESSORS_ONLN);
    mc->n_cpu = n > 0 ? n : 1;
    mc->n_socket = highest + 1;
    mc->smt_on = read_int(root, "/sys/devices/system/cpu/smt/active", -1);
}

/* Who the hypervisor is: by its CPUID signature, else by the firmware's vendor. */
static void detect_hypervisor(struct machine *mc, const char *root) {
    static const struct {
        const char *signature, *name;
    } known[] = {
        {"KVMKVMKVM", "KVM"},
        {"Linux KVM Hv", "KVM"},
        {"Microsoft Hv", "Hyper-V"},
        {"VMwareVMware", "VMware"},
        {"XenVMMXenVMM", "Xen"},
        {"TCGTCGTCGTCG", "QEMU TCG"},
        {"bhyve bhyve ", "bhyve"},
        {"VBoxVBoxVBox", "VirtualBox"},
        {"QEMU", "QEMU"},
        {"VMware, Inc.", "VMware"},
        {"Xen", "Xen"},
        {"Microsoft Corporation", "Hyper-V"},
        {"Amazon EC2", "Amazon EC2"},
        {"Google", "Google Cloud"},
    };
    char text[64] = "";
    if (!mc->hypervisor)
        return;
#if defined(__x86_64__) || defined(__i386__)
    unsigned a, r[3];
    if (!root[0]) {
        __cpuid(0x40000000, a, r[0], r[1], r[2]);
        memcpy(text, r, sizeof(r));
        text[sizeof(r)] = '\0';
    }
#endif
    if (!text[0])
        read_file(root, "/sys/class/dmi/id/sys_vendor", text, sizeof(text));
    str_copy(mc->hypervisor_name, sizeof(mc->hypervisor_name), "an unknown hypervisor");
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(text, known[i].signature) == 0)
            str_copy(mc->hypervisor_name, sizeof(mc->hypervisor_name), known[i].name);
}

#define PMU_DIR "/sys/bus/event_source/devices/"

/* Arm numbers its core PMUs: armv8_pmuv3_0, armv8_cortex_a76 ...; the first by name. */
static void find_arm_pmu(struct machine *mc, const char *root) {
    char path[512];
    snprintf(path, sizeof(path), "%s" PMU_DIR, root);
    DIR *dir = opendir(path);
    if (!dir)
        return;
    for (struct dirent *de; (de = readdir(dir));)
        if ((str_starts(de->d_name, "armv8_") || str_starts(de->d_name, "armv9_")) &&
            strlen(de->d_name) < sizeof(mc->pmu) &&
            (!mc->pmu[0] || strcmp(de->d_name, mc->pmu) < 0))
            str_copy(mc->pmu, sizeof(mc->pmu), de->d_name);
    closedir(dir);
}

static void detect_pmu(struct machine *mc, const char *root) {
    static const char *const names[] = {"cpu", "cpu_core"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !mc->pmu[0]; i++)
        if (exists(root, PMU_DIR, names[i], "/type"))
            str_copy(mc->pmu, sizeof(mc->pmu), names[i]);
    if (!mc->pmu[0])
        find_arm_pmu(mc, root);
    mc->pmu_type = PERF_TYPE_RAW;
    if (!mc->pmu[0])
        return;
    char path[128];
    snprintf(path, sizeof(path), PMU_DIR "%s/type", mc->pmu);
    mc->pmu_type = (uint32_t)read_int(root, path, PERF_TYPE_RAW);
    mc->has_topdown = exists(root, PMU_DIR, mc->pmu, "/events/slots") &&
                      exists(root, PMU_DIR, mc->pmu, "/events/topdown-retiring");
}

static bool has_capability(const char *root) {
    char text[4096];
    if (read_file(root, "/proc/self/status", text, sizeof(text)) <= 0)
        return false;
    const char *line = strstr(text, "\nCapEff:");
    unsigned long long caps = line ? strtoull(line + strlen("\nCapEff:"), NULL, 16) : 0;
    return caps & (1ull << CAP_PERFMON | 1ull << CAP_SYS_ADMIN);
}

/* The kernel's own conversion of TSC ticks to ns: perf_event_open(2), cap_user_time. */
static uint64_t tsc_from_perf(void) {
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof(attr),
                                   .config = PERF_COUNT_SW_DUMMY,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    int fd = perf_open_fd(&attr, 0, -1, -1);
    if (fd < 0)
        return 0;
    uint64_t hz = 0;
    struct perf_event_mmap_page *page =
        mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
    if (page != MAP_FAILED) {
        if (page->cap_user_time && page->time_mult)
            hz = (uint64_t)(ldexp(1e9, page->time_shift) / page->time_mult + 0.5);
        munmap(page, (size_t)sysconf(_SC_PAGESIZE));
    }
    close(fd);
    return hz;
}

/* CPUID 0x15: crystal clock times ratio (Intel SDM vol. 2A); under KVM and VMware leaf
 * 0x40000010 has kHz. */
static uint64_t tsc_from_cpuid(void) {
#if defined(__x86_64__) || defined(__i386__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid(0x15, &a, &b, &c, &d) && a && b && c)
        return (uint64_t)c * b / a;
    unsigned has = 0;
    __cpuid(1, a, b, has, d);
    if (!(has >> 31 & 1)) /* no hypervisor */
        return 0;
    __cpuid(0x40000000, a, b, c, d);
    if (a < 0x40000010)
        return 0;
    __cpuid(0x40000010, a, b, c, d);
    return (uint64_t)a * 1000;
#else
    return 0;
#endif
}

/* Last resort, for guests with a PMU whose hypervisor tells nothing: both clocks over 2 ms. */
static uint64_t tsc_from_clock(void) {
#if defined(__x86_64__) || defined(__i386__)
    struct timespec a, b, pause = {.tv_nsec = 2000000};
    clock_gettime(CLOCK_MONOTONIC_RAW, &a);
    uint64_t t0 = __builtin_ia32_rdtsc();
    nanosleep(&pause, NULL);
    clock_gettime(CLOCK_MONOTONIC_RAW, &b);
    uint64_t ticks = __builtin_ia32_rdtsc() - t0;
    double s = (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
    return s > 0 ? (uint64_t)((double)ticks / s + 0.5) : 0;
#else
    return 0;
#endif
}

static uint64_t detect_tsc(const struct machine *mc) {
    uint64_t hz = tsc_from_perf();
    if (!hz)
        hz = tsc_from_cpuid();
    if (!hz && mc->pmu[0]) /* without a PMU no formula asks for it */
        hz = tsc_from_clock();
    return hz;
}

void machine_detect(struct machine *mc, const char *root) {
    *mc = (struct machine){0};
    detect_cpu(mc, root);
    detect_topology(mc, root);
    detect_hypervisor(mc, root);
    detect_pmu(mc, root);
    mc->paranoid = read_int(root, "/proc/sys/kernel/perf_event_paranoid", 99);
    mc->cap_perfmon = has_capability(root);
    mc->nmi_watchdog = read_int(root, "/proc/sys/kernel/nmi_watchdog", -1);
    if (!root[0])
        mc->tsc_hz = detect_tsc(mc);
}

void machine_consts(const struct machine *mc, struct consts *c) {
    const struct {
        enum const_id id;
        double value;
    } known[] = {
        {CONST_SMT_ON, mc->smt_on < 0 ? (double)NAN : mc->smt_on},
        {CONST_NUM_CPUS, mc->n_cpu},
        {CONST_SOCKET_COUNT, mc->n_socket},
        {CONST_SYSTEM_TSC_FREQ, mc->tsc_hz ? (double)mc->tsc_hz : NAN},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (isnan(c->value[known[i].id]))
            c->value[known[i].id] = known[i].value;
}

bool machine_matches(const char *pattern, const char *id) {
    char text[256], shorter[64];
    regex_t re;
    snprintf(text, sizeof(text), "^(%s)$", pattern);
    if (!id[0] || strlen(pattern) + 5 > sizeof(text) ||
        regcomp(&re, text, REG_EXTENDED | REG_NOSUB))
        return false;
    bool hit = regexec(&re, id, 0, NULL, 0) == 0;
    str_copy(shorter, sizeof(shorter), id); /* most patterns leave the stepping out */
    char *cut = strrchr(shorter, '-');
    if (!hit && cut) {
        *cut = '\0';
        hit = regexec(&re, shorter, 0, NULL, 0) == 0;
    }
    regfree(&re);
    return hit;
}
