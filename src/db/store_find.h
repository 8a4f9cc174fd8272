/* What people write for a run, and text that is looked for: the same for any kind of store. */
#ifndef TDTOP_DB_STORE_FIND_H
#define TDTOP_DB_STORE_FIND_H

#include "base/str.h"
#include "db/store.h"

/* Names of level 1, in the order of run_row.top. */
enum { STORE_TOPS = 4 };
extern const char *const store_tops[STORE_TOPS];

/* The columns of runs that lists are sorted by; by a metric those that decide among equals. */
const char *store_order(const struct run_query *q);

/* Text with % before and behind, and \ before what LIKE would take for a pattern. malloc'ed, or
 * NULL. */
char *store_pattern(const char *text);

/* "@N", or the first digits of an id, as store_find has it. */
struct store_word {
    char prefix[RUN_ID_LEN + 1]; /* in small letters; "": `newest` */
    uint64_t newest;
};
/* 0 or -EINVAL with words. */
int store_find_word(const char *word, struct store_word *out, struct err *err);
/* -ENOENT with words: there is no "@N". */
int store_find_too_few(const char *path, const char *word, bool deleted, struct err *err);

/* Ids that begin so, live ones and deleted ones, in their order. */
enum { STORE_NAMED = 5 }; /* this many are named */
struct store_found {
    const char *path, *prefix; /* borrowed */
    bool deleted;              /* those are meant */
    int n, n_other;            /* private, as is what follows */
    char first[RUN_ID_LEN + 1], names[STORE_NAMED * (RUN_ID_LEN + 2) + 1];
};
void store_find_add(struct store_found *f, const char *id, bool deleted);
/* -ENOENT with words: there is no run of that id; it is not in the list (store_place). */
int store_find_no_run(const char *path, const char *id, struct err *err);
int store_find_no_place(const char *id, struct err *err);
/* The one that is meant. 0; -ENOENT or -EINVAL with words. */
int store_find_judge(const struct store_found *f, char id[RUN_ID_LEN + 1], struct err *err);

#endif
