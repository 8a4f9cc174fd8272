/*
 * Cgroups, version 2: found by a path, by a container's id or by a unit's name, opened for counting
 * (perf_event_open with PERF_FLAG_PID_CGROUP takes the open folder), and what else can be asked.
 * What is counted for a cgroup includes those below it; so does the number of processes here.
 */
#ifndef TDTOP_PMU_CGROUP_H
#define TDTOP_PMU_CGROUP_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CGROUP_PATH_SIZE = 1024 };

struct cgroup {
    int fd;                      /* its folder; -1 = none */
    char path[CGROUP_PATH_SIZE]; /* below the mount: "system.slice/redis.service"; "" = the root */
};

/*
 * Opens what `text` means: a path below the mount of the cgroups (as a whole, or as in
 * /proc/PID/cgroup), else the name of a folder anywhere below it: a systemd unit with or without
 * ".service", a container's id or the beginning of one, a pod's uid. root is "" or a folder with
 * fake /proc and /sys. 0; -ENOENT naming the nearest; -EEXIST listing all that are meant; -ENOTSUP
 * where there is no version 2; other negative errno.
 */
int cgroup_open(struct cgroup *cg, const char *root, const char *text, struct err *err);
void cgroup_close(struct cgroup *cg); /* accepts a zeroed or failed one */

/* True once it has been removed. One without processes is not gone: others may come. */
bool cgroup_gone(const struct cgroup *cg);

/* How many processes are in the cgroup with this open folder, and below. */
int cgroup_processes(int fd);

/* "cgroup system.slice/redis.service"; long ids are cut to the 12 digits that docker shows. */
void cgroup_words(const char *path, char *buf, size_t cap);

#endif
