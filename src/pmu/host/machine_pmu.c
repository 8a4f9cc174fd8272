/*
 * The core PMUs below /sys/bus/event_source/devices: "cpu" where all cores are alike, on Intel's
 * hybrid CPUs one for each kind (cpu_core, cpu_atom, cpu_lowpower), on Arm one for each cluster,
 * numbered (armv8_pmuv3_0) or named by its core (armv8_cortex_a76). As for perf, a PMU with a file
 * `cpus` is one of cores; those outside have a `cpumask`.
 */
#include "pmu/host/machine_impl.h"

#include "base/log.h"
#include "base/str.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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
    pmu_path(path, sizeof(path), pmu, rest);
    return machine_has_file(root, path);
}

static bool is_core_pmu(const char *root, const char *pmu) {
    return x86_rank(pmu) < N_X86 || str_starts(pmu, "armv8_") || str_starts(pmu, "armv9_") ||
           pmu_has(root, pmu, "cpus");
}

/* ---- kind ---- */

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

/* ---- one PMU ---- */

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
        machine_midr(root, 0, ct->id, sizeof(ct->id));
    for (int i = 0; i < n && i < TRIES && !ct->id[0]; i++)
        machine_midr(root, cpu[i], ct->id, sizeof(ct->id));
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

/* How big a core is, 0 to 1024, on machines whose kernel says so. */
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

/* ---- all ---- */

static void take(struct machine *mc, int chosen) {
    const struct core_type *ct = &mc->core[chosen];
    mc->chosen = chosen;
    str_copy(mc->id, sizeof(mc->id), ct->id);
    str_copy(mc->pmu, sizeof(mc->pmu), ct->pmu);
    mc->pmu_type = ct->pmu_type;
    mc->has_topdown = ct->has_topdown;
}

void machine_detect_pmus(struct machine *mc, const char *root) {
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

/* ---- choosing ---- */

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
