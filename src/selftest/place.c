#include "selftest/place.h"

#include "base/str.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CPUS_MAX = 4096 };

struct candidates {
    int cpu[CPUS_MAX];
    uint64_t idle[CPUS_MAX]; /* ticks, in the time that was watched */
    int n;
};

/* ---- small files ---- */

static int read_text(const char *root, int cpu, const char *name, char *buf, size_t cap) {
    char path[512];
    snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu%d/%s", root, cpu, name);
    return str_read_small(path, buf, cap);
}

static bool is_listed(const char *list, int cpu) {
    int *at = malloc(CPUS_MAX * sizeof(*at));
    int n = at ? str_list(list, at, CPUS_MAX, NULL) : 0;
    bool found = false;
    for (int i = 0; i < n; i++)
        found |= at[i] == cpu;
    free(at);
    return found;
}

/* Does the list in a file of cpu's have other? */
static bool shares(const char *root, int cpu, const char *name, int other) {
    char list[1024];
    return read_text(root, cpu, name, list, sizeof(list)) > 0 && is_listed(list, other);
}

/* ---- caches ---- */

/* "48K", "2048K", "105M" */
static size_t parse_size(const char *text) {
    char *end;
    size_t v = strtoul(text, &end, 10);
    return *end == 'K' ? v << 10 : *end == 'M' ? v << 20 : *end == 'G' ? v << 30 : v;
}

static void read_caches(struct kernel_place *p, const char *root) {
    size_t size[5] = {0}; /* by level */
    for (int i = 0; i < 8; i++) {
        char name[64], level[16], type[32], text[32];
        snprintf(name, sizeof(name), "cache/index%d/level", i);
        if (read_text(root, p->cpu[0], name, level, sizeof(level)) <= 0)
            break;
        snprintf(name, sizeof(name), "cache/index%d/type", i);
        read_text(root, p->cpu[0], name, type, sizeof(type));
        snprintf(name, sizeof(name), "cache/index%d/size", i);
        if (!strcmp(type, "Instruction") ||
            read_text(root, p->cpu[0], name, text, sizeof(text)) <= 0)
            continue;
        int at = atoi(level);
        if (at > 0 && at < 5)
            size[at] = parse_size(text);
    }
    p->l1d = size[1] ? size[1] : (size_t)32 << 10;
    p->l2 = size[2] ? size[2] : (size_t)1 << 20;
    p->l3 = size[4] ? size[4] : size[3] ? size[3] : size[2] ? size[2] : (size_t)32 << 20;
}

/* A third of what is free: others live here, too. */
static size_t free_memory(const char *root) {
    const size_t most = (size_t)2 << 30;
    char path[512], text[4096];
    snprintf(path, sizeof(path), "%s/proc/meminfo", root);
    const char *line =
        str_read_small(path, text, sizeof(text)) > 0 ? strstr(text, "MemAvailable:") : NULL;
    size_t third = line ? strtoul(line + strlen("MemAvailable:"), NULL, 10) * 1024 / 3 : most / 8;
    return third < most ? third : most;
}

/* ---- CPUs ---- */

static void find_allowed(struct candidates *c, const char *cpus) {
    cpu_set_t *set = CPU_ALLOC(CPUS_MAX);
    size_t size = CPU_ALLOC_SIZE(CPUS_MAX);
    c->n = 0;
    if (!set)
        return;
    CPU_ZERO_S(size, set);
    if (sched_getaffinity(0, size, set) == 0)
        for (int i = 0; i < CPUS_MAX; i++)
            if (CPU_ISSET_S((size_t)i, size, set))
                c->cpu[c->n++] = i;
    CPU_FREE(set);
    int keep = 0, *own = calloc(CPUS_MAX, sizeof(*own));
    int n = own && cpus[0] ? str_list(cpus, own, CPUS_MAX, NULL) : -1;
    for (int i = 0; i < c->n; i++) {
        bool has = n < 0;
        for (int k = 0; k < n; k++)
            has |= own[k] == c->cpu[i];
        if (has)
            c->cpu[keep++] = c->cpu[i];
    }
    c->n = keep;
    free(own);
}

/* Adds (sign 1) or takes off (-1) the idle ticks of /proc/stat, fields 4 and 5 of "cpuN ...". */
static void add_idle(struct candidates *c, const char *root, int sign) {
    char path[512];
    char *text = NULL;
    size_t len;
    snprintf(path, sizeof(path), "%s/proc/stat", root);
    if (str_read_file(path, (size_t)4 << 20, &text, &len, NULL) < 0)
        return;
    int at = 0;
    for (char *line = text; line; line = strchr(line, '\n')) {
        int cpu;
        unsigned long long idle, wait;
        line += *line == '\n';
        if (sscanf(line, "cpu%d %*u %*u %*u %llu %llu", &cpu, &idle, &wait) != 3)
            continue;
        while (at < c->n && c->cpu[at] < cpu)
            at++;
        if (at < c->n && c->cpu[at] == cpu)
            c->idle[at] += (uint64_t)sign * (idle + wait);
    }
    free(text);
}

static void watch_idle(struct candidates *c, const char *root) {
    const struct timespec nap = {.tv_nsec = 100000000};
    memset(c->idle, 0, sizeof(c->idle));
    add_idle(c, root, -1);
    nanosleep(&nap, NULL);
    add_idle(c, root, 1);
}

/* The later of those that are alike: the first CPU serves most interrupts. */
static int quietest(const struct candidates *c) {
    int best = 0;
    for (int i = 1; i < c->n; i++)
        if (c->idle[i] >= c->idle[best])
            best = i;
    return c->cpu[best];
}

/* On another core; below the same last cache before elsewhere; then the quietest. */
static int find_second(const struct candidates *c, const char *root, int first) {
    int best = -1, best_near = -1;
    uint64_t best_idle = 0;
    for (int i = 0; i < c->n; i++) {
        if (c->cpu[i] == first || shares(root, first, "topology/thread_siblings_list", c->cpu[i]))
            continue;
        int near = shares(root, first, "cache/index3/shared_cpu_list", c->cpu[i]);
        if (near < best_near || (near == best_near && c->idle[i] < best_idle))
            continue;
        best = c->cpu[i];
        best_near = near;
        best_idle = c->idle[i];
    }
    return best;
}

int place_find(struct kernel_place *place, const char *root, const char *cpus, struct err *err) {
    struct candidates *c = malloc(sizeof(*c));
    *place = (struct kernel_place){.cpu = {-1, -1}};
    if (!c)
        return err_set(err, -ENOMEM, "out of memory");
    find_allowed(c, cpus);
    int rc = 0;
    if (c->n == 0) {
        rc =
            err_set(err, -ENODEV, "none of the CPUs %s may be used here (see taskset -p $$)", cpus);
    } else {
        watch_idle(c, root);
        place->cpu[0] = quietest(c);
        place->cpu[1] = find_second(c, root, place->cpu[0]);
        read_caches(place, root);
        place->memory = free_memory(root);
    }
    free(c);
    return rc;
}

int place_pin(int cpu) {
    size_t size = CPU_ALLOC_SIZE((size_t)cpu + 1);
    cpu_set_t *set = CPU_ALLOC((size_t)cpu + 1);
    if (!set)
        return -ENOMEM;
    CPU_ZERO_S(size, set);
    CPU_SET_S((size_t)cpu, size, set);
    int rc = sched_setaffinity(0, size, set) < 0 ? -errno : 0;
    CPU_FREE(set);
    return rc;
}
