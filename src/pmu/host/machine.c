/*
 * Everything is read from small files below root, so that tests can show us any machine. Only the
 * hypervisor's name also asks the CPU itself, and only where root is "" (and the TSC's frequency,
 * machine_tsc.c).
 */
#include "pmu/host/machine_impl.h"

#include "base/log.h"
#include "base/str.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
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

/* ---- the CPU ---- */

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

/* "0x410fd490": the MIDR of one CPU; "" if unknown or not Arm. */
static void detect_midr(const char *root, int cpu, char *id, size_t cap) {
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
        detect_midr(root, 0, mc->id, sizeof(mc->id));
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

/* ---- CPUs, cores, sockets ---- */

/* The online CPUs. Returns how many; 0 if the kernel does not say. */
static int online_cpus(const char *root, int *cpu) {
    char text[32768]; /* CPUs may be listed one by one */
    if (machine_read(root, MACHINE_CPU_DIR "online", text, sizeof(text)) <= 0)
        return 0;
    int n = str_list(text, cpu, MACHINE_CPUS_MAX, NULL);
    return n > 0 ? n : 0;
}

static int by_number(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Packages need not be numbered 0, 1, 2: firmware of Arm servers puts any number there. 0 if the
 * kernel does not say, or says -1: it does not know. */
static int count_packages(const char *root, const int *cpu, int n, int *package) {
    int different = 0;
    for (int i = 0; i < n; i++) {
        char buf[32];
        if (machine_read_cpu(root, cpu[i], "topology/physical_package_id", buf, sizeof(buf)) <= 0)
            return 0;
        package[i] = (int)strtol(buf, NULL, 0);
        if (package[i] < 0)
            return 0;
    }
    qsort(package, (size_t)n, sizeof(*package), by_number);
    for (int i = 0; i < n; i++)
        different += i == 0 || package[i] != package[i - 1];
    return different;
}

/* Cores: CPUs that are the first of their siblings. 0 if the kernel does not say. */
static int count_cores(const char *root, const int *cpu, int n) {
    int cores = 0;
    for (int i = 0; i < n; i++) {
        char buf[256];
        if (machine_read_cpu(root, cpu[i], "topology/thread_siblings_list", buf, sizeof(buf)) <= 0)
            return 0;
        cores += strtol(buf, NULL, 10) == cpu[i];
    }
    return cores;
}

/* ---- boxes of PMUs outside the cores ---- */

size_t machine_box_split(const char *pmu, int *number) {
    enum { DIGITS_MAX = 5 };
    size_t len = strlen(pmu), at = len;
    while (at > 0 && isdigit((unsigned char)pmu[at - 1]))
        at--;
    *number = 0;
    if (at == len || len - at > DIGITS_MAX || at < 2 || pmu[at - 1] != '_')
        return len;
    *number = atoi(pmu + at);
    return at - 1;
}

int machine_box_number(const char *pmu, const char *device) {
    int number;
    if (strcmp(pmu, device) == 0) /* whatever its name ends in */
        return 0;
    size_t len = machine_box_split(pmu, &number);
    return strlen(device) == len && strncmp(pmu, device, len) == 0 ? number : -1;
}

/*
 * Boxes of the last level cache in one socket. The kernel has one PMU for each number of a box,
 * which counts that box of every socket (arch/x86/events/intel/uncore.c, uncore_get_pmu_name and
 * the cpumask with one CPU per die): the number of PMUs is that of one socket already.
 */
static int count_chas(const char *root) {
    char path[512];
    int cha = 0, cbox = 0;
    snprintf(path, sizeof(path), "%s" MACHINE_PMU_DIR, root);
    DIR *dir = opendir(path);
    if (!dir)
        return 0;
    for (struct dirent *de; (de = readdir(dir));) {
        cha += machine_box_number(de->d_name, "uncore_cha") >= 0;
        cbox += machine_box_number(de->d_name, "uncore_cbox") >= 0;
    }
    closedir(dir);
    return cha ? cha : cbox;
}

static void detect_topology(struct machine *mc, const char *root) {
    int *cpu = malloc(2 * MACHINE_CPUS_MAX * sizeof(*cpu)), n = 0, cores = 0;
    char control[32] = "";
    mc->smt_on = machine_read_int(root, MACHINE_CPU_DIR "smt/active", -1);
    mc->no_smt = machine_read(root, MACHINE_CPU_DIR "smt/control", control, sizeof(control)) > 0 &&
                 strcmp(control, "notsupported") == 0;
    if (cpu && (n = online_cpus(root, cpu)) > 0) {
        mc->n_socket = count_packages(root, cpu, n, cpu + MACHINE_CPUS_MAX);
        cores = mc->smt_on == 0 ? n : count_cores(root, cpu, n);
    }
    free(cpu);
    mc->n_cpu = n;
    if (mc->n_socket > 0)
        mc->cores_per_socket = (cores + mc->n_socket / 2) / mc->n_socket;
    mc->chas_per_socket = count_chas(root);
}

/* ---- core PMUs ---- */

/*
 * The core PMUs below /sys/bus/event_source/devices: "cpu" where all cores are alike, on Intel's
 * hybrid CPUs one for each kind (cpu_core, cpu_atom, cpu_lowpower), on Arm one for each cluster,
 * numbered (armv8_pmuv3_0) or named by its core (armv8_cortex_a76). As for perf, a PMU with a file
 * `cpus` is one of cores; those outside have a `cpumask`.
 */

/* x86, in the order in which they are preferred: the biggest cores first. */
static const struct {
    const char *pmu, *kind;
} x86_pmus[] = {
    {"cpu", ""}, {"cpu_core", "core"}, {"cpu_atom", "atom"}, {"cpu_lowpower", "lowpower"}};

enum { N_X86 = sizeof(x86_pmus) / sizeof(x86_pmus[0]) };

static int x86_rank(const char *pmu) {
    int i = 0;
    while (i < N_X86 && strcmp(x86_pmus[i].pmu, pmu) != 0)
        i++;
    return i;
}

static void pmu_path(char *path, size_t cap, const char *pmu, const char *rest) {
    snprintf(path, cap, MACHINE_PMU_DIR "%s/%s", pmu, rest);
}

static bool pmu_has(const char *root, const char *pmu, const char *rest) {
    char path[512];
    snprintf(path, sizeof(path), "%s" MACHINE_PMU_DIR "%s/%s", root, pmu, rest);
    return access(path, F_OK) == 0;
}

static bool is_core_pmu(const char *root, const char *pmu) {
    return x86_rank(pmu) < N_X86 || str_starts(pmu, "armv8_") || str_starts(pmu, "armv9_") ||
           pmu_has(root, pmu, "cpus");
}

/*
 * A part of a hybrid family with one kind of core has a plain "cpu"; the kernel's name for its PMU
 * tells (arch/x86/events/intel/core.c, intel_pmu_init). Alder Lake-N is "gracemont"; Linux 5.18 to
 * 6.0 took it for a hybrid with big cores only, so its CPUID goes first. Servers of E-cores alone
 * ("crestmont", "darkmont") are no part of a hybrid family: their kind is "".
 */
static const char *kind_of(const char *root, const char *pmu, const char *id) {
    char path[512], name[64];
    if (str_starts(id, "GenuineIntel-6-BE"))
        return "atom";
    int rank = x86_rank(pmu);
    if (rank > 0)
        return rank < N_X86 ? x86_pmus[rank].kind : "";
    pmu_path(path, sizeof(path), pmu, "caps/pmu_name");
    if (machine_read(root, path, name, sizeof(name)) <= 0)
        return "";
    if (strcasecmp(name, "gracemont") == 0)
        return "atom";
    return str_ends(name, "_hybrid") ? "core" : "";
}

/* A list cut at the last number that fits: better too few CPUs than wrong ones. */
static void keep_cpus(struct core_type *ct, char *text) {
    char words[128];
    ct->cpus_cut = strlen(text) >= sizeof(ct->cpus);
    if (ct->cpus_cut) {
        text[sizeof(ct->cpus)] = '\0';
        char *cut = strrchr(text, ',');
        if (cut)
            *cut = '\0';
    }
    str_copy(ct->cpus, sizeof(ct->cpus), text);
    if (ct->cpus_cut)
        log_line("machine: %s", machine_cut_words(ct, words, sizeof(words)));
}

const char *machine_cut_words(const struct core_type *ct, char *words, size_t cap) {
    const char *last = ct->cpus + strlen(ct->cpus);
    while (last > ct->cpus && isdigit((unsigned char)last[-1]))
        last--;
    words[0] = '\0';
    if (ct->cpus_cut)
        snprintf(words, cap, "%s has too long a list of CPUs: those behind %d are left out",
                 ct->pmu, atoi(last));
    return words;
}

/* MIDR of the first CPU that shows one: those that are offline do not. */
static void read_midr(struct core_type *ct, const char *root, const char *cpus) {
    enum { TRIES = 64 };
    int cpu[MACHINE_CPUS_MAX], n = str_list(cpus, cpu, MACHINE_CPUS_MAX, NULL);
    ct->id[0] = '\0';
    if (n <= 0)
        detect_midr(root, 0, ct->id, sizeof(ct->id));
    for (int i = 0; i < n && i < TRIES && !ct->id[0]; i++)
        detect_midr(root, cpu[i], ct->id, sizeof(ct->id));
}

/* False if the kernel shows the PMU, but none of its CPUs is online. */
static bool read_core(struct core_type *ct, const struct machine *mc, const char *root,
                      const char *pmu) {
    char path[512], cpus[32768];
    *ct = (struct core_type){0};
    str_copy(ct->pmu, sizeof(ct->pmu), pmu);
    pmu_path(path, sizeof(path), pmu, "cpus");
    if (machine_read(root, path, cpus, sizeof(cpus)) == 0)
        return false;
    keep_cpus(ct, cpus);
    pmu_path(path, sizeof(path), pmu, "type");
    ct->pmu_type = (uint32_t)machine_read_int(root, path, PERF_TYPE_RAW);
    pmu_path(path, sizeof(path), pmu, "caps/slots");
    ct->slots = machine_read_int(root, path, 0);
    ct->has_topdown =
        pmu_has(root, pmu, "events/slots") && pmu_has(root, pmu, "events/topdown-retiring");
    str_copy(ct->id, sizeof(ct->id), mc->id);
    if (x86_rank(pmu) == N_X86)
        read_midr(ct, root, cpus);
    str_copy(ct->kind, sizeof(ct->kind), kind_of(root, pmu, ct->id));
    return true;
}

/* How big a core is, 0 to 1024, on machines where the kernel says so. */
static int capacity(const char *root, const struct core_type *ct) {
    char buf[32];
    return machine_read_cpu(root, atoi(ct->cpus), "cpu_capacity", buf, sizeof(buf)) > 0 ? atoi(buf)
                                                                                        : 0;
}

/* The biggest cores first; among equals by name. */
static bool goes_before(const char *root, const struct core_type *a, const struct core_type *b) {
    int rank = x86_rank(a->pmu) - x86_rank(b->pmu);
    int bigger = capacity(root, a) - capacity(root, b);
    if (rank || bigger)
        return rank ? rank < 0 : bigger > 0;
    return strcmp(a->pmu, b->pmu) < 0;
}

static void insert(struct machine *mc, const char *root, const struct core_type *ct) {
    int at = mc->n_core++;
    for (; at > 0 && goes_before(root, ct, &mc->core[at - 1]); at--)
        mc->core[at] = mc->core[at - 1];
    mc->core[at] = *ct;
}

static void take(struct machine *mc, int chosen) {
    const struct core_type *ct = &mc->core[chosen];
    mc->chosen = chosen;
    str_copy(mc->id, sizeof(mc->id), ct->id);
    str_copy(mc->pmu, sizeof(mc->pmu), ct->pmu);
    mc->pmu_type = ct->pmu_type;
    mc->has_topdown = ct->has_topdown;
}

static void detect_pmus(struct machine *mc, const char *root) {
    char path[512];
    struct core_type ct;
    mc->pmu_type = PERF_TYPE_RAW;
    snprintf(path, sizeof(path), "%s" MACHINE_PMU_DIR, root);
    DIR *dir = opendir(path);
    if (!dir)
        return;
    for (struct dirent *de; (de = readdir(dir));)
        if (de->d_name[0] != '.' && strlen(de->d_name) < sizeof(ct.pmu) &&
            mc->n_core < CORE_TYPES_MAX && is_core_pmu(root, de->d_name) &&
            read_core(&ct, mc, root, de->d_name))
            insert(mc, root, &ct);
    closedir(dir);
    if (mc->n_core)
        take(mc, 0);
}

/* ---- the whole machine ---- */

void machine_detect(struct machine *mc, const char *root) {
    *mc = (struct machine){0};
    detect_cpu(mc, root);
    detect_topology(mc, root);
    detect_hypervisor(mc, root);
    detect_pmus(mc, root);
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

/* ---- choosing a core type ---- */

static bool is_wanted(const struct machine *mc, int i, const char *want) {
    char *end;
    long number = strtol(want, &end, 10);
    return strcasecmp(mc->core[i].pmu, want) == 0 ||
           (mc->core[i].kind[0] && strcasecmp(mc->core[i].kind, want) == 0) ||
           (end != want && !*end && number == i);
}

static int say_unknown(const struct machine *mc, const char *want, struct err *err) {
    char list[256];
    struct strbuf sb = strbuf_on(list, sizeof(list));
    if (!mc->n_core)
        return err_set(err, -ENOENT, "core type '%s': this machine shows no CPU PMU at all", want);
    for (int i = 0; i < mc->n_core; i++)
        strbuf_add(&sb, "%s%s%s%s%s", i ? ", " : "", mc->core[i].kind,
                   mc->core[i].kind[0] ? " (" : "", mc->core[i].pmu,
                   mc->core[i].kind[0] ? ")" : "");
    return err_set(err, -ENOENT, "core type '%s' is not there; there %s: %s", want,
                   mc->n_core > 1 ? "are" : "is only", list);
}

int machine_choose(struct machine *mc, const char *want, struct err *err) {
    if (!want || !want[0])
        return 0;
    for (int i = 0; i < mc->n_core; i++)
        if (is_wanted(mc, i, want)) {
            take(mc, i);
            return 0;
        }
    return say_unknown(mc, want, err);
}

/* ---- questions ---- */

bool machine_knows_smt(const struct machine *mc) {
    return mc->smt_on > 0 || (mc->smt_on == 0 && !(mc->hypervisor && mc->no_smt));
}

static bool has_cpu(const int *cpu, int n, int wanted) {
    return bsearch(&wanted, cpu, (size_t)n, sizeof(*cpu), by_number) != NULL;
}

/* Without a list of siblings there are none, unless the kernel says that SMT is on. */
static bool has_siblings(const struct machine *mc, const char *root, const int *cpu, int n,
                         int one) {
    enum { THREADS_MAX = 64 };
    char text[256];
    int sibling[THREADS_MAX];
    if (machine_read_cpu(root, one, "topology/thread_siblings_list", text, sizeof(text)) <= 0)
        return mc->smt_on != 1;
    int n_sibling = str_list(text, sibling, THREADS_MAX, NULL);
    for (int i = 0; i < n_sibling; i++)
        if (!has_cpu(cpu, n, sibling[i]))
            return false;
    return n_sibling > 0;
}

bool machine_has_whole_cores(const struct machine *mc, const char *root, const char *cpus) {
    if (!cpus || !cpus[0] || mc->smt_on == 0)
        return true;
    int *cpu = malloc(MACHINE_CPUS_MAX * sizeof(*cpu));
    int n = cpu ? str_list(cpus, cpu, MACHINE_CPUS_MAX, NULL) : 0;
    bool whole = n > 0;
    for (int i = 0; whole && i < n; i++)
        whole = has_siblings(mc, root, cpu, n, cpu[i]);
    free(cpu);
    return whole;
}

/* ---- patterns of models ---- */

/*
 * Does a model's pattern fit a CPU? At every start some hundred patterns are tried against one id:
 * what stands before the first special character decides nearly all of them, so that only one or
 * two are compiled.
 */

/* Is there an alternative outside of all parentheses? Then nothing in front is common to all. */
static bool has_top_level_choice(const char *pattern) {
    int depth = 0;
    for (const char *p = pattern; *p; p++) {
        if (*p == '\\' && p[1])
            p++;
        else if (*p == '[' && strchr(p + 1, ']'))
            p = strchr(p + 1 + (p[1] == ']'), ']') ? strchr(p + 1 + (p[1] == ']'), ']') : p;
        depth += *p == '(';
        depth -= *p == ')';
        if (*p == '|' && depth == 0)
            return true;
    }
    return false;
}

/* Length of what every text that fits must begin with. */
static size_t fixed_part(const char *pattern) {
    size_t n = strcspn(pattern, ".[]()*+?{}|^$\\");
    if (n > 0 && pattern[n] && strchr("*?{", pattern[n]))
        n--; /* the last character may be absent */
    return has_top_level_choice(pattern) ? 0 : n;
}

/* "GenuineIntel-6-8F" of "GenuineIntel-6-8F-8": most patterns leave the stepping out. */
static void cut_stepping(char *shorter, size_t cap, const char *id) {
    str_copy(shorter, cap, id);
    char *cut = strrchr(shorter, '-');
    if (cut)
        *cut = '\0';
}

static bool fits_regex(const char *pattern, const char *id, const char *shorter) {
    char text[256];
    regex_t re;
    if (strlen(pattern) + 5 > sizeof(text))
        return false;
    snprintf(text, sizeof(text), "^(%s)$", pattern);
    if (regcomp(&re, text, REG_EXTENDED | REG_NOSUB))
        return false;
    bool hit = regexec(&re, id, 0, NULL, 0) == 0 || regexec(&re, shorter, 0, NULL, 0) == 0;
    regfree(&re);
    return hit;
}

bool machine_matches(const char *pattern, const char *id) {
    char shorter[64];
    size_t fixed = fixed_part(pattern);
    if (!id[0] || strncmp(pattern, id, fixed) != 0)
        return false;
    cut_stepping(shorter, sizeof(shorter), id);
    if (!pattern[fixed])
        return strcmp(pattern, id) == 0 || strcmp(pattern, shorter) == 0;
    return fits_regex(pattern, id, shorter);
}

const char *machine_vendor(const char *id) {
    static const struct {
        const char *prefix, *vendor;
    } known[] = {{"GenuineIntel", "Intel"},
                 {"AuthenticAMD", "AMD"},
                 {"HygonGenuine", "AMD"}, /* Zen under licence */
                 {"0x", "Arm"}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (str_starts(id, known[i].prefix))
            return known[i].vendor;
    return "";
}
