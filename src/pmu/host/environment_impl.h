/* What environment.c, environment_files.c and the doctor share: reading the state of a machine. */
#ifndef TDTOP_PMU_ENVIRONMENT_IMPL_H
#define TDTOP_PMU_ENVIRONMENT_IMPL_H

#include "pmu/host/environment.h"

#include <stddef.h>

/* One CPU. */
struct env_cpu {
    int cpu;
    bool leads; /* the first of its package: the package's count is read from it */
    bool busy;  /* more than half of the time since the last look */
    uint64_t busy_ticks, ticks;
    uint64_t core_first, core, package_first, package; /* times throttled */
};

struct env_users;

/* What looking at the files takes. */
struct env_files {
    char root[64];
    struct env_cpu *cpu; /* [n_cpu] */
    int n_cpu;
    bool knows_throttling;
    struct env_users *users;
    int stat_fd;
    char *buf;
    size_t buf_size;
    int next_cpu;    /* from which the next look goes on */
    int slow_clocks; /* answers in a row that took too long */
    uint64_t steal_ticks, ticks, steal_first, ticks_first;
    bool knows_ticks;
    uint64_t due_ns;     /* session time of the next look */
    struct env_look now; /* the newest */
};

struct env_files *env_files_open(const char *root); /* NULL: no memory */
void env_files_close(struct env_files *ef);         /* accepts NULL */

/* "performance", or "mixed: performance, powersave"; "" where the clock is not governed. */
void env_read_governor(const char *root, char *buf, size_t cap);
/* 1 on, 0 off, -1 not said. *fix_off gets the command that turns it off. */
int env_read_turbo(const char *root, const char **fix_off);
/* How often the core or the package of this CPU was slowed for heat since boot. False: not known.
 */
bool env_read_throttle(const char *root, int cpu, bool package, uint64_t *times);
/* The first line of /proc/stat: ticks that CPUs ran, and that they wanted to and were not let. */
bool env_parse_steal(const char *line, uint64_t *wanted, uint64_t *stolen);
/* Other processes that hold perf events, as far as we may look; the first of them by name. -1: not
 * known, there is no /proc or no memory. */
int env_find_perf_users(const char *root, char *names, size_t cap);

#endif
