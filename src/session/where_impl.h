/* What the files of where.h share. */
#ifndef TDTOP_SESSION_WHERE_IMPL_H
#define TDTOP_SESSION_WHERE_IMPL_H

#include "session/where.h"

/* ---- where samples are from: a sampler, or a stored run (where.c, where_stored.c) ---- */

void where_module(const struct where_live *w, uint32_t id, struct module *m);
bool where_comm(const struct where_live *w, pid_t pid, pid_t tid, char name[COMM_SIZE]);
/* The copy of a stored run, and its functions. 0 or -ENOMEM. */
int where_stored_read(struct where_live *w);

/* ---- where_functions.c ---- */

/* The function that a number of leaf_function or node_function stands for; WHERE_REST of
 * WHERE_NONE. */
uint32_t where_of(int32_t function);
/* The function with that beginning, a new one if there is none: WHERE_REST if there is no room.
 * NULL: no memory. */
struct where_function *where_function_add(struct where_live *w, uint32_t module, uint64_t start,
                                          bool *fresh);
/* The same, NULL if there is none. */
struct where_function *where_function_find(struct where_live *w, uint32_t module, uint64_t start);
/* The process of a node. */
struct where_function *where_process_add(struct where_live *w, pid_t pid);
/* "kernel", "xfs", "redis-server". */
void where_file_name(char *buf, size_t cap, const char *path);
/* Functions of all leaves and, for a flame graph, nodes. False: no memory. */
bool where_functions_find(struct where_live *w);
bool where_functions_grow(int32_t **of, uint32_t *cap, uint32_t n);

/* ---- sums ---- */

/* A place is of the thread that rows are of. */
bool where_shows(const struct where_live *w, const struct tally_leaf *leaf);
void where_sums_make(struct where_live *w);  /* where_sums.c: rows */
void where_flame_make(struct where_live *w); /* where_flame.c: blocks; none if there is no memory */
/* where_access.c: accesses, sums of functions by them, and rows of cache lines; those of a stored
 * run. False: no memory. */
bool where_access_make(struct where_live *w);
bool where_access_store(struct where_live *w, const int32_t *number);
/* where_diff.c: changes of rows and blocks against w->base. */
void where_diff_rows(struct where_live *w);
void where_diff_blocks(struct where_live *w);

/* ---- where_spots.c: the function that is open ---- */

bool where_spots_take(struct where_live *w); /* its listing, once it is there */
void where_spots_find(struct where_live *w);

/* ---- where_lines.c: source lines of places, which a thread finds ---- */

/* Those that are there now, and asks for others. */
void where_lines_update(struct where_live *w);
void where_lines_forget(struct where_live *w); /* of all places */
void where_lines_free(struct where_live *w);
bool where_lines_wait(const struct where_live *w); /* for some that were asked for */
/* A line of a place, and where it was written if it was inlined; NULL: not known. */
struct where_line {
    char *file;
    uint32_t line;
};
/* leaf: or WHERE_LINE_OF_BRANCH + the number of a branch. */
#define WHERE_LINE_OF_BRANCH (1u << 31)
const struct where_line *where_line_at(const struct where_live *w, uint32_t leaf, bool inlined);
uint32_t where_line_number(const struct where_live *w, const struct where_line *l);

/* ---- where_keep.c ---- */

/* What there is now, as it is kept; from what is known. Of `span`. 0 or -ENOMEM. */
int where_to_hot(struct where_live *w, struct where_span span, struct hot *out);

#endif
