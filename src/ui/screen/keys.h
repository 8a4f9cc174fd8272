/*
 * What keys do. One table: the key line, the help screen and the dispatch all read it, so they
 * cannot disagree.
 */
#ifndef TDTOP_UI_KEYS_H
#define TDTOP_UI_KEYS_H

#include "base/err.h"
#include "ui/scene/app.h"
#include "ui/scene/key_context.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct screen;

enum { KEYS_EACH = 4, KEYS_MAX = 512 }; /* of a row; rows */

/* A row: an action with its keys and words; or, without an action, a heading of the help, `where`
 * saying which contexts' keys are below it. */
struct key_binding {
    const char *name; /* of the action, in the palette and in [keys] of the settings; rows of one
                         name are one action with the same keys everywhere it counts */
    uint32_t key[KEYS_EACH]; /* code points and KEYC_*; 0 = none */
    unsigned where;          /* enum key_context */
    /* What it does: one of these. */
    const struct view *view; /* goes there; */
    bool back;               /* or, from there, to the tree */
    void (*act)(struct screen *sc);
    void (*with)(struct screen *sc, const char *text); /* `act` with a text, which stands behind its
                                                          name in the palette; or NULL */
    void (*step)(struct screen *sc, int by);
    void (*view_act)(struct scene *sc); /* with the state of the view that is shown */
    void (*view_step)(struct scene *sc, int by);
    int by;            /* what the steps get: -1 and 1 where two keys are a pair */
    const char *show;  /* the keys as the help names them */
    const char *words; /* what they do */
    const char *brief; /* key and word of the key line, "? help"; NULL: not there */
    int rank; /* place in the key line, which leaves out the highest first; 0: always there, last */
};

extern const struct key_binding keys[];
extern const size_t n_keys;

/* The binding of a key, or NULL. */
const struct key_binding *keys_find(uint32_t key, enum key_context where);
/* Its keys: those of the table, or the user's own (keys_map); unused ones, at the end, are 0. */
const uint32_t *keys_of(const struct key_binding *k);
bool keys_is_own(const struct key_binding *k);
/* Does what a binding does; a heading does nothing. */
void keys_do(struct screen *sc, const struct key_binding *k);
/* The first row of that name, or NULL. */
const struct key_binding *keys_named(const char *name);
/* True for a heading of the help. */
bool keys_is_heading(const struct key_binding *k);
/* That of a view; one without keys of its own has those of all. */
enum key_context keys_context_of(const struct view *v);
/* The context that the screen is in. */
enum key_context keys_context(const struct screen *sc);

/* ---- keys of the user's own: for the whole program, set once, before there is a screen ---- */

/*
 * Gives an action these keys instead of its own, wherever it counts; n = 0: none. 0, or -EINVAL
 * with words: there is no such action, or no such key, or it is a letter that is typed there.
 */
int keys_map(const char *name, const char *const *key, int n, struct err *err);
/* All as in the table again. */
void keys_map_reset(void);

/* Two actions that have one key in one context, of which at least one is the user's. */
struct keys_clash {
    const struct key_binding *a, *b;
    uint32_t key;
};
bool keys_map_clash(struct keys_clash *out);
/* "K is the key of 'snapshot' and of 'runs' in the tree: ..." Returns buf. */
const char *keys_clash_words(const struct keys_clash *cl, char *buf, size_t cap);

/* The keys of a binding as the help names them, "" where it names none; and its place in the key
 * line, "F1 help", or NULL. Return buf. */
const char *keys_show(const struct key_binding *k, char *buf, size_t cap);
const char *keys_brief(const struct key_binding *k, char *buf, size_t cap);

#endif
