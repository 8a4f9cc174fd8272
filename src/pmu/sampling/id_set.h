/* A set of process or thread ids: a bit for each that there can be (PID_MAX_LIMIT, proc(5)). */
#ifndef TDTOP_PMU_ID_SET_H
#define TDTOP_PMU_ID_SET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { ID_MOST = 1 << 22 };

struct id_set {
    uint64_t *bits; /* pages that are not used cost nothing */
};

int id_set_init(struct id_set *set); /* 0 or -ENOMEM */
void id_set_destroy(struct id_set *set);
void id_set_put(struct id_set *set, pid_t id, bool in); /* ids that cannot be are nothing */
bool id_set_has(const struct id_set *set, pid_t id);
/* The next above id (0: the first), or 0. */
pid_t id_set_next(const struct id_set *set, pid_t id);
void id_set_clear(struct id_set *set);

#endif
