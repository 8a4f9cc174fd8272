/*
 * The table of modules. A module is known by its build id, else by device, inode and generation (0
 * is any), else, where it is no file, by its kind, process and name. Its number stays, and so does
 * its path, until modules_destroy. Any thread may read while one adds.
 */
#ifndef TDTOP_PMU_MODULES_H
#define TDTOP_PMU_MODULES_H

#include "base/array.h"
#include "pmu/sampling/module.h"

#include <pthread.h>

/* Two are always there. */
enum { MODULES_UNKNOWN = 0, MODULES_KERNEL = 1 };

struct modules {
    pthread_mutex_t lock;
    uint32_t most;
    ARRAY(struct module) list; /* guarded by lock */
    uint64_t
        n_refused;  /* guarded by lock; mappings that are MODULES_UNKNOWN as the table is full */
    uint32_t *hash; /* private: number + 1 by key; [n_hash] */
    uint32_t n_hash;
};

/* At most so many modules. 0 or -ENOMEM. */
int modules_init(struct modules *m, uint32_t most);
void modules_destroy(struct modules *m); /* accepts a failed one */

/* The number of the module that m is one mapping of, a new one if there is none; m->path is copied
 * then. MODULES_UNKNOWN if the table is full. */
uint32_t modules_add(struct modules *ms, const struct module *m);

/* How many there are; numbers below are valid. */
uint32_t modules_count(struct modules *ms);
/* A copy; path is borrowed until modules_destroy. */
void modules_get(struct modules *ms, uint32_t id, struct module *out);
uint64_t modules_refused(struct modules *ms);

#endif
