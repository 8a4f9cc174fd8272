/*
 * Everything is read from small files below root, so that tests can show us any machine. Only the
 * hypervisor's name and the TSC frequency also ask the CPU itself, and only where root is "".
 */
#include "pmu/host/machine_impl.h"

#include "base/str.h"

#include <linux/capability.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

int machine_read(const char *root, const char *path, char *buf, size_t cap) {
    char full[512];
    buf[0] = '\0';
    snprintf(full, sizeof(full), "%s%s", root, path);
    return str_read_small(full, buf, cap);
}

int machine_read_int(const char *root, const char *path, int absent) {
    char buf[32];
    if (machine_read(root, path, buf, sizeof(buf)) <= 0)
        return absent;
    char *end;
    long v = strtol(buf, &end, 0);
    return end == buf ? absent : (int)v;
}

int machine_read_cpu(const char *root, int cpu, const char *rest, char *buf, size_t cap) {
    char path[128];
    snprintf(path, sizeof(path), MACHINE_CPU_DIR "cpu%d/%s", cpu, rest);
    return machine_read(root, path, buf, cap);
}

bool machine_has_file(const char *root, const char *path) {
    char full[512];
    snprintf(full, sizeof(full), "%s%s", root, path);
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

/* The paragraph of one CPU in /proc/cpuinfo; NULL if it is not there. */
static const char *cpuinfo_of(const char *text, int cpu) {
    for (const char *p = text; p; p = strstr(p + 1, "\nprocessor")) {
        char number[16];
        cpuinfo_get(p, "processor", number, sizeof(number));
        if (number[0] && atoi(number) == cpu)
            return p;
    }
    return NULL;
}

/* Put together from what /proc/cpuinfo says of one CPU. */
static void midr_from_cpuinfo(const char *root, int cpu, char *id, size_t cap) {
    static const struct {
        const char *key;
        int shift;
    } parts[] = {
        {"CPU implementer", 24}, {"CPU variant", 20}, {"CPU part", 4}, {"CPU revision", 0}};
    enum { CPUINFO_MAX = 1 << 20 };
    char path[512], buf[32], *text = NULL;
    size_t len = 0;
    unsigned long midr = 0xf0000; /* architecture: "see the ID registers" on every ARMv8 */
    snprintf(path, sizeof(path), "%s/proc/cpuinfo", root);
    bool known = str_read_file(path, CPUINFO_MAX, &text, &len, NULL) == 0;
    const char *own = known ? cpuinfo_of(text, cpu) : NULL;
    known = own != NULL;
    for (size_t i = 0; known && i < sizeof(parts) / sizeof(parts[0]); i++) {
        cpuinfo_get(own, parts[i].key, buf, sizeof(buf));
        known = buf[0] != '\0';
        midr |= strtoul(buf, NULL, 0) << parts[i].shift;
    }
    free(text);
    if (known)
        snprintf(id, cap, "0x%08lx", midr);
}

void machine_midr(const char *root, int cpu, char *id, size_t cap) {
    char buf[32];
    id[0] = '\0';
    if (machine_read_cpu(root, cpu, "regs/identification/midr_el1", buf, sizeof(buf)) > 0)
        snprintf(id, cap, "0x%08llx", strtoull(buf, NULL, 16) & 0xffffffffull);
    else
        midr_from_cpuinfo(root, cpu, id, cap);
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
    machine_read(root, "/proc/cpuinfo", text, sizeof(text));
    detect_x86(mc, text);
    if (!mc->id[0])
        machine_midr(root, 0, mc->id, sizeof(mc->id));
    cpuinfo_get(text, "model name", name, sizeof(name));
    str_safe(mc->cpu_name, sizeof(mc->cpu_name), name);
    cpuinfo_get(text, "flags", flags, sizeof(flags));
    mc->hypervisor = has_word(flags, "hypervisor");
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
        machine_read(root, "/sys/class/dmi/id/sys_vendor", text, sizeof(text));
    str_copy(mc->hypervisor_name, sizeof(mc->hypervisor_name), "an unknown hypervisor");
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(text, known[i].signature) == 0)
            str_copy(mc->hypervisor_name, sizeof(mc->hypervisor_name), known[i].name);
}

/* Permitted is enough: they are raised where an event is opened (base/caps.h). */
static bool has_capability(const char *root) {
    char text[4096];
    if (machine_read(root, "/proc/self/status", text, sizeof(text)) <= 0)
        return false;
    const char *line = strstr(text, "\nCapPrm:");
    unsigned long long caps = line ? strtoull(line + strlen("\nCapPrm:"), NULL, 16) : 0;
    return caps & (1ull << CAP_PERFMON | 1ull << CAP_SYS_ADMIN);
}

void machine_detect(struct machine *mc, const char *root) {
    *mc = (struct machine){0};
    detect_cpu(mc, root);
    machine_detect_topology(mc, root);
    detect_hypervisor(mc, root);
    machine_detect_pmus(mc, root);
    mc->paranoid = machine_read_int(root, "/proc/sys/kernel/perf_event_paranoid", 99);
    mc->cap_perfmon = has_capability(root);
    mc->nmi_watchdog = machine_read_int(root, "/proc/sys/kernel/nmi_watchdog", -1);
}

static double known_or_nan(int n) {
    return n > 0 ? n : (double)NAN;
}

void machine_consts(const struct machine *mc, struct consts *c) {
    int slots = mc->n_core ? mc->core[mc->chosen].slots : 0;
    const struct {
        enum const_id id;
        double value;
    } known[] = {
        {CONST_SMT_ON, mc->smt_on < 0 ? (double)NAN : mc->smt_on},
        {CONST_NUM_CPUS, known_or_nan(mc->n_cpu)},
        {CONST_SOCKET_COUNT, known_or_nan(mc->n_socket)},
        {CONST_CORES_PER_SOCKET, known_or_nan(mc->cores_per_socket)},
        {CONST_CHAS_PER_SOCKET, known_or_nan(mc->chas_per_socket)},
        {CONST_SLOTS_PER_CYCLE, known_or_nan(slots)},
        {CONST_SYSTEM_TSC_FREQ, mc->tsc_hz ? (double)mc->tsc_hz : NAN},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (isnan(c->value[known[i].id]))
            c->value[known[i].id] = known[i].value;
}
