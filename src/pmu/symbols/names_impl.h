/* What names.c, names_known.c, names_work.c and listing.c share. */
#ifndef TDTOP_PMU_SYMBOLS_NAMES_IMPL_H
#define TDTOP_PMU_SYMBOLS_NAMES_IMPL_H

#include "base/array.h"
#include "pmu/symbols/loaded.h"
#include "pmu/symbols/names.h"

#include <pthread.h>

enum { WISHES = 512, LOADED_MAX = 4096 };

/* A function that was asked for: one row, whatever of its addresses was. */
struct known {
    uint32_t id, seq; /* of the module; id 0: a free place */
    struct function f;
};

/* A module keeps its id when its table is taken away and read again. */
struct module_id {
    struct module_key key;
    uint32_t id;
};

struct wish {
    struct module m; /* path: owned */
    struct module_key key;
    uint64_t offset;
};

struct names {
    struct names_options opt;      /* its texts: owned */
    pthread_mutex_t work;          /* held by who reads files: one at a time; taken before lock */
    pthread_mutex_t lock;          /* held for moments; guards all below */
    ARRAY(struct loaded *) loaded; /* changed by who holds both */
    ARRAY(struct module_id) ids;
    uint32_t last_id;
    uint64_t clock; /* counts questions, for what was used last */
    struct known *known;
    size_t n_known, cap_known; /* cap_known: a power of two */
    ARRAY(char *) text;        /* blocks of names */
    size_t n_text, left_text;
    char *at_text;
    /* the workers: for names; for the function that is open, which takes longer; for lines of many
     * places, which the other two need not wait for */
    struct worker {
        bool started;
        pthread_t thread;
        pthread_cond_t wake; /* it has something to do */
    } finder, opener, liner;
    bool stop;
    struct wish wish[WISHES];
    unsigned first_wish, n_wish;
    struct wish open; /* names_ask */
    bool asked, answered;
    uint64_t question; /* counts names_ask */
    struct listing *answer;
    int answer_rc;
    struct line_wish { /* names_ask_lines */
        struct wish of;
        uint64_t *offset; /* owned */
        size_t n;
        bool asked, answered; /* asked until the answer is taken */
        struct line_table answer;
        int rc;
    } line;
};

/* names_known.c; with the lock held. */
struct known *known_find(struct names *n, uint32_t id, uint64_t start, uint32_t seq);
/* Keeps its texts. NULL: text_max is reached, or no memory. */
struct known *known_put(struct names *n, uint32_t id, uint32_t seq, const struct function *f);

/* names.c */
struct loaded *names_loaded(struct names *n, const struct module_key *key); /* with the lock held */

/* names_work.c */
void names_stop(struct names *n);
/* With the lock held: asks the worker. 0 or a negative errno. */
int names_wish(struct names *n, const struct module *m, uint64_t offset);

#endif
