/* What the files of procfs share. */
#ifndef TDTOP_PMU_PROCFS_IMPL_H
#define TDTOP_PMU_PROCFS_IMPL_H

#include "pmu/host/procfs.h"

#include <stddef.h>
#include <sys/types.h>

enum { PROCFS_BUF = 32768 /* of procfs.buf */ };

/* A descriptor or a negative errno. */
int procfs_open_file(const char *dir, const char *rest);
void procfs_close_file(int fd); /* accepts a negative one */

/* Length read from `at` on, or a negative errno. A negative fd is one, too. buf is terminated. */
int procfs_read_at(int fd, char *buf, size_t cap, off_t at);

/* Adds the n-th number (from 0) of a text of numbers, times unit. 0, or -ENODATA if there is none.
 */
int procfs_add_number(const char *p, int n, uint64_t unit, uint64_t *sum);

/* The totals of now, and for each a negative errno if it could not be read. */
void procfs_read_tasks(struct procfs *pf, uint64_t total[PROC_EVENTS], int rc[PROC_EVENTS]);
void procfs_read_cpus(struct procfs *pf, uint64_t total[PROC_EVENTS], int rc[PROC_EVENTS]);
void procfs_read_cgroup(struct procfs *pf, uint64_t total[PROC_EVENTS], int rc[PROC_EVENTS]);

int procfs_open_tasks(struct procfs *pf, const char *proc); /* 0 or -ENOMEM */
void procfs_close_tasks(struct procfs *pf);
void procfs_open_cgroup(struct procfs *pf);

#endif
