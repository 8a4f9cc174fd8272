/* Small files of /proc and /sys that tell how a machine is set. */
#include "base/str.h"
#include "pmu/host/doctor.h"
#include "pmu/host/environment_impl.h"
#include "pmu/host/machine_impl.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

long env_read_long(const char *root, const char *path, long absent) {
    char buf[32], *end;
    if (machine_read(root, path, buf, sizeof(buf)) <= 0)
        return absent;
    long v = strtol(buf, &end, 10);
    return end == buf ? absent : v;
}

/* ---- clock ---- */

enum { KINDS = 4 };

static int add_kind(char kind[KINDS][24], int n, const char *name) {
    for (int i = 0; i < n; i++)
        if (strcmp(kind[i], name) == 0)
            return n;
    if (n == KINDS)
        return n;
    str_safe(kind[n], sizeof(kind[n]), name);
    return n + 1;
}

static int by_name(const void *a, const void *b) {
    return strcmp(a, b);
}

void env_read_governor(const char *root, char *buf, size_t cap) {
    char path[512], text[48], kind[KINDS][24];
    int n = 0;
    buf[0] = '\0';
    snprintf(path, sizeof(path), "%s" MACHINE_CPU_DIR "cpufreq", root);
    DIR *dir = opendir(path);
    for (struct dirent *de; dir && (de = readdir(dir));) {
        snprintf(path, sizeof(path), MACHINE_CPU_DIR "cpufreq/%.200s/scaling_governor", de->d_name);
        if (str_starts(de->d_name, "policy") && machine_read(root, path, text, sizeof(text)) > 0)
            n = add_kind(kind, n, text);
    }
    if (dir)
        closedir(dir);
    /* Before Linux 4.3 there are no folders of policies. */
    if (!n && machine_read_cpu(root, 0, "cpufreq/scaling_governor", text, sizeof(text)) > 0)
        n = add_kind(kind, n, text);
    qsort(kind, (size_t)n, sizeof(kind[0]), by_name);
    struct strbuf sb = strbuf_on(buf, cap);
    for (int i = 0; i < n; i++)
        strbuf_add(&sb, "%s%s", i ? ", " : n > 1 ? "mixed: " : "", kind[i]);
}

int env_read_turbo(const char *root, const char **fix_off) {
    long off = env_read_long(root, MACHINE_CPU_DIR "intel_pstate/no_turbo", -1);
    long boost = env_read_long(root, MACHINE_CPU_DIR "cpufreq/boost", -1);
    *fix_off = off >= 0 ? "echo 1 >" MACHINE_CPU_DIR "intel_pstate/no_turbo"
                        : "echo 0 >" MACHINE_CPU_DIR "cpufreq/boost";
    return off >= 0 ? off == 0 : boost < 0 ? -1 : boost == 1;
}

bool env_read_throttle(const char *root, int cpu, bool package, uint64_t *times) {
    char text[32], *end;
    const char *file = package ? "thermal_throttle/package_throttle_count"
                               : "thermal_throttle/core_throttle_count";
    if (machine_read_cpu(root, cpu, file, text, sizeof(text)) <= 0)
        return false;
    *times = strtoull(text, &end, 10);
    return end != text;
}

/* proc(5): user nice system idle iowait irq softirq steal; guests are part of user. */
bool env_parse_steal(const char *line, uint64_t *wanted, uint64_t *stolen) {
    enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, N };
    uint64_t v[N];
    line += strcspn(line, " ");
    for (int i = 0; i < N; i++) {
        char *end;
        v[i] = strtoull(line, &end, 10);
        if (end == line)
            return false;
        line = end;
    }
    *stolen = v[STEAL];
    *wanted = v[USER] + v[NICE] + v[SYSTEM] + v[IRQ] + v[SOFTIRQ] + v[STEAL];
    return true;
}

/* ---- what does not change ---- */

void env_check_fixed(struct environment *env, const struct machine *mc) {
    static const char *const names[] = {
        "nmi_watchdog", "perf_event_paranoid", "mux_interval", "hypervisor", "governor", "turbo",
        "smt"};
    _Static_assert(sizeof(names) / sizeof(names[0]) <= ENV_FIXED_MAX, "ENV_FIXED_MAX");
    env->n_fixed = 0;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        env->n_fixed += doctor_check(mc, env->root, names[i], &env->fixed[env->n_fixed]);
}
