#include "pmu/sampling/comms.h"

#include "base/str.h"
#include "pmu/sampling/hash.h"

#include <errno.h>
#include <stdlib.h>

enum { MOST = 1 << 13, TRIES = 8 };

int comms_init(struct comms *c) {
    *c = (struct comms){.at = calloc(MOST, sizeof(*c->at))};
    pthread_mutex_init(&c->lock, NULL);
    return c->at ? 0 : -ENOMEM;
}

void comms_destroy(struct comms *c) {
    free(c->at);
    pthread_mutex_destroy(&c->lock);
    *c = (struct comms){0};
}

/* Where it is, else a free place, else that of the oldest. */
static struct comm *seat(struct comms *c, pid_t tid) {
    const uint64_t h = hash_add(0, (uint64_t)tid);
    struct comm *best = NULL;
    for (uint64_t i = 0; i < TRIES; i++) {
        struct comm *at = &c->at[(h + i) & (MOST - 1)];
        if (at->tid == tid)
            return at;
        if (!best || (best->tid && (!at->tid || at->order < best->order)))
            best = at;
    }
    return best;
}

static void put(struct comms *c, pid_t tid, const char *name) {
    if (tid <= 0)
        return;
    struct comm *at = seat(c, tid);
    at->tid = tid;
    at->order = ++c->order;
    str_copy(at->name, sizeof(at->name), name);
}

void comms_put(struct comms *c, pid_t tid, const char *name) {
    pthread_mutex_lock(&c->lock);
    put(c, tid, name);
    pthread_mutex_unlock(&c->lock);
}

void comms_fork(struct comms *c, pid_t tid, pid_t parent) {
    pthread_mutex_lock(&c->lock);
    const struct comm from = *seat(c, parent);
    if (from.tid == parent)
        put(c, tid, from.name);
    pthread_mutex_unlock(&c->lock);
}

bool comms_get(struct comms *c, pid_t tid, char name[COMM_SIZE]) {
    pthread_mutex_lock(&c->lock);
    const struct comm *at = seat(c, tid);
    const bool known = tid > 0 && at->tid == tid;
    str_copy(name, COMM_SIZE, known ? at->name : "");
    pthread_mutex_unlock(&c->lock);
    return known;
}
