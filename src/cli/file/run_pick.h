/* Which stored runs are meant: the store that the command line names, a run by its id, runs by what
 * is said of them. */
#ifndef TDTOP_CLI_RUN_PICK_H
#define TDTOP_CLI_RUN_PICK_H

#include "cli/cli.h"
#include "db/store.h"

#include <stdbool.h>

struct run_pick {
    struct store store;
    struct label_filter filter[2 * TEXTS_MAX]; /* of --filter, then of --label */
    struct run_query query; /* what the options say; the caller adds order, limit, metric, keys */
    bool waits;             /* private: that was said */
    size_t said_waiting;    /* private: so many were said to wait */
};

/*
 * Opens the store of --db, and makes the query of --filter, --label, --process, --since and
 * --until. 0; -EINVAL: usage; other negative errno with words. run_pick_close accepts a zeroed one.
 */
int run_pick_open(struct run_pick *p, const struct args *a, enum store_mode mode, struct err *err);
void run_pick_close(struct run_pick *p);
/* Says what is on its way to a server: what was sent, and that runs wait, once and whenever they
 * are twice as many; closing does, too. Returns how many wait. */
size_t run_pick_say_outbox(struct run_pick *p);
/* The same of a store; *said: how many were said to wait, 0 at first. */
size_t store_say_outbox(struct store *st, size_t *said);
/* How many runs of a query are read where -n does not say: 0, all; of a server what it counts. */
uint64_t run_pick_most(const struct run_pick *p, const struct args *a);
/* That a list by a metric is one of the newest runs alone, where it is. */
void run_pick_say_newest(const struct run_list *l);
/* One of these options is given, but --db. */
bool run_pick_has_conditions(const struct args *a);

/* The whole id of its first digits, or of "@N". 0, -ENOENT (none, several, no id) with words. */
int run_pick_find(struct run_pick *p, const char *word, char id[RUN_ID_LEN + 1], struct err *err);
/* The same of runs that `tdtop rm` removed. */
int run_pick_find_removed(struct run_pick *p, const char *word, char id[RUN_ID_LEN + 1],
                          struct err *err);
/* Loads that run. */
int run_pick_load(struct run_pick *p, const char *word, unsigned parts, struct run *out,
                  struct err *err);

/* The id of the newest run that the query finds, or that has all of these labels ("key=value")
 * besides. 0, -ENOENT with words, -EINVAL. */
int run_pick_newest(struct run_pick *p, const struct text_list *labels, char id[RUN_ID_LEN + 1],
                    struct err *err);

/* How a metric of the rows of a list is to be shown: as the newest run that has it says. */
struct metric_shape {
    bool share;
    char unit[32]; /* "" for none */
};
/* list was made with query.metric = name. 0, or -ENOENT if no row has a value: words name what is
 * spelt most like it. */
int run_pick_shape(struct run_pick *p, const struct run_list *list, const char *name,
                   struct metric_shape *out, struct err *err);

/* The node of that name or path, or NULL. */
const struct run_node *run_pick_node(const struct run *r, const char *name);

/* EXIT_USAGE for -EINVAL, else EXIT_ERROR; prints the words. */
int run_pick_exit(const struct err *err);

/* Puts rows with the same value of a label together (NULL: none is asked for): values by name,
 * those without one last; rows of one value stay in their order. 0 or -ENOMEM. */
int run_pick_group(const struct run_row **row, size_t n, const char *key);
bool run_pick_same(const struct run_row *a, const struct run_row *b, const char *key);

#endif
