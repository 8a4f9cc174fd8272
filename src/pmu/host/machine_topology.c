/* CPUs, cores, sockets, and the boxes of the last level cache. */
#include "pmu/host/machine_impl.h"

#include "base/str.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- boxes ---- */

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

void machine_detect_topology(struct machine *mc, const char *root) {
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

bool machine_knows_smt(const struct machine *mc) {
    return mc->smt_on > 0 || (mc->smt_on == 0 && !(mc->hypervisor && mc->no_smt));
}

/* ---- whole cores ---- */

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
