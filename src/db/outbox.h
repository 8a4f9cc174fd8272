/*
 * Runs on their way to a server: each is a store of its own in a folder of this host until the
 * server has it, so that neither a server that is gone nor an end of this process loses one. A file
 * that is locked (flock) is being worked on; one that is not, waits. Closing any descriptor of a
 * file drops SQLite's own locks on it: a descriptor is closed while its store is not open.
 */
#ifndef TDTOP_DB_OUTBOX_H
#define TDTOP_DB_OUTBOX_H

#include "db/store_ops.h"

struct outbox {
    char folder[2048];  /* "": there is none; it is made by the first run */
    const char *server; /* its name, which is in a file there; NULL: not known */
};
struct outbox_item { /* zeroed: none */
    char path[2400];
    int fd;     /* holds the lock */
    void *impl; /* of store_sqlite; NULL: not open */
};

/* The folder for what goes to the store of that name (borrowed): beside the user's own store. */
void outbox_find(struct outbox *o, const char *name);
/* Makes or opens the file of a run, and locks it. `waits`: what is left of it is sent later.
 * 0, -EBUSY: another process works on it, or negative errno with words. */
int outbox_open(const struct outbox *o, const char *id, bool waits, struct outbox_item *it,
                struct err *err);
/* Its store is closed, the lock is held; and it is opened again. */
void outbox_rest(struct outbox_item *it);
int outbox_wake(struct outbox_item *it, struct err *err);
/* The run of a file, and how many intervals it has. 1; 0: none was written; or negative errno with
 * words. */
int outbox_load(struct outbox_item *it, unsigned parts, struct run *r, uint64_t *n_interval,
                struct err *err);
void outbox_close(struct outbox_item *it);  /* the file stays; accepts a zeroed one */
void outbox_remove(struct outbox_item *it); /* closes it, and the file goes */
/* Calls send for each run that waits; where it returns 0 the run goes. Returns the first failure;
 * ends with one that the next would meet, too (no server, or one that is busy or full; a signal).
 */
typedef int outbox_send(void *user, struct outbox_item *it, struct err *err);
int outbox_each(const struct outbox *o, outbox_send *send, void *user, struct err *err);
/* All of the user's: their folders, and names of their servers. */
void outbox_all(void (*each)(void *user, const struct outbox *o, const char *server), void *user);
/* How many wait; none of this process may be open. */
size_t outbox_count(const struct outbox *o);

#endif
