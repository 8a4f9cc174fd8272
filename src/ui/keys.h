/*
 * What keys do. One table: the key line, the help screen and the dispatch all read it, so they
 * cannot disagree.
 */
#ifndef TDTOP_UI_KEYS_H
#define TDTOP_UI_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct screen;

/* Where a key is meant. */
enum key_context {
    IN_TREE = 1 << 0,
    IN_POPUP = 1 << 1,
    IN_SEARCH = 1 << 2, /* while typing */
    IN_THREADS = 1 << 3,
    IN_CPUS = 1 << 4,
    IN_DIFF = 1 << 5,
    IN_FORM = 1 << 6, /* of a snapshot: most keys are typed */
    IN_ASK = 1 << 7,  /* a question in the key line */
    IN_RUNS = 1 << 8, /* the list of stored runs */
    IN_TREND = 1 << 9,
    IN_OVER = 1 << 10, /* a popup over the stored runs */
    IN_STORE = IN_RUNS | IN_TREND,
    IN_ROWS = IN_THREADS | IN_CPUS,
    IN_VIEW = IN_TREE | IN_ROWS | IN_DIFF,
    IN_TYPING = IN_SEARCH | IN_FORM | IN_ASK,
    IN_ANY = IN_VIEW | IN_POPUP | IN_OVER | IN_TYPING | IN_STORE,
};

struct key_binding {
    uint32_t key[4]; /* code points and KEYC_*; 0 = none. No key at all: a heading of the help,
                        `where` saying which contexts' keys are below it */
    unsigned where;  /* enum key_context */
    void (*act)(struct screen *sc, uint32_t key);
    const char *show;  /* the keys as the help names them */
    const char *words; /* what they do */
    const char *brief; /* key and word of the key line, "F1 help"; NULL: not there */
    int rank; /* place in the key line, which leaves out the highest first; 0: always there, last */
};

extern const struct key_binding keys[];
extern const size_t n_keys;

/* The binding of a key, or NULL. */
const struct key_binding *keys_find(uint32_t key, enum key_context where);
/* True for a heading of the help. */
bool keys_is_heading(const struct key_binding *k);
/* The context that the screen is in. */
enum key_context keys_context(const struct screen *sc);

#endif
