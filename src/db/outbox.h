/*
 * Runs on their way to a server: each is a store of its own in a folder of this host until the
 * server has it, so that neither a server that is gone nor an end of this process loses one. A file
 * that is locked is being worked on; one that is not, waits. Of POSIX locks only the last closing
 * of a file counts, so a lock is held by a descriptor of its own, which is closed last.
 */
#ifndef TDTOP_DB_OUTBOX_H
#define TDTOP_DB_OUTBOX_H

#include "db/store_ops.h"

struct outbox {
    char folder[2048]; /* "": there is none; it is made by the first run */
};
struct outbox_item { /* zeroed: none */
    char path[2400];
    int fd;     /* holds the lock */
    void *impl; /* of store_sqlite; NULL: not open */
};

/* The folder for what goes to the store of that name: beside the user's own store. */
void outbox_find(struct outbox *o, const char *name);
/* Makes or opens the file of a run, and locks it. `waits`: what is left of it is sent later.
 * 0, -EBUSY: another process works on it, or negative errno with words. */
int outbox_open(const struct outbox *o, const char *id, bool waits, struct outbox_item *it,
                struct err *err);
/* Its store is closed, the lock is held; and it is opened again. */
void outbox_rest(struct outbox_item *it);
int outbox_wake(struct outbox_item *it, struct err *err);
void outbox_close(struct outbox_item *it);  /* the file stays; accepts a zeroed one */
void outbox_remove(struct outbox_item *it); /* closes it, and the file goes */
/* Calls send for each run that waits; where it returns 0 the run goes. Returns the first failure;
 * only -EHOSTUNREACH ends it. */
int outbox_each(const struct outbox *o,
                int (*send)(void *user, struct outbox_item *it, struct err *err), void *user,
                struct err *err);
/* How many wait; none of this process may be open. */
size_t outbox_count(const struct outbox *o);

#endif
