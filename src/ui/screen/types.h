/*
 * Several core types on one screen: each has a screen of its own, with its session, tree and
 * history. One is active: it has the keys, and its canvas is what is shown. Where there is room the
 * others are drawn beside it, else as a line each. What is asked of all (to stand still, another
 * interval, the focus) goes from the active one to the others.
 */
#ifndef TDTOP_UI_TYPES_H
#define TDTOP_UI_TYPES_H

#include "base/err.h"
#include "session/hybrid.h"

#include <stdbool.h>
#include <stddef.h>

struct screen;
struct panes;
struct mouse;
struct runs_view;
struct settings;
struct snapshots;

struct types {
    struct screen *at[SESSIONS_MAX]; /* owned */
    int n, active;
};

static inline bool types_many(const struct types *t) {
    return t && t->n > 1;
}

/* What a screen is made with; what is not owned is borrowed by all of them. */
struct types_options {
    int level, focus; /* as ui_options (ui.h), like the next */
    const char *advice, *layout;
    struct snapshots *snapshots;
    struct runs_view *runs;
    struct settings *settings;
};

/* Adds the screen of a session. 0, or a negative errno with words: it is there to be destroyed. */
int types_add(struct types *t, struct session *s, const struct types_options *opt, struct err *err);
void types_destroy(struct types *t);

/* The panes of a screen whose canvas is w x h: its column, or room for the others' lines. */
void types_layout(struct screen *sc, int w, int h);

/* All core types on the screen, or the one screen there is; out has room for SESSIONS_MAX. Returns
 * how many. */
int types_all(struct screen *sc, struct screen **out);

/* Makes another one active: `by` further on. */
void types_switch(struct screen *sc, int by);
/* What a mouse is on: one that is drawn beside this one, or this one. */
struct screen *types_under(struct screen *sc, const struct mouse *m);
/* After a key: the others do as this one. */
void types_follow(struct screen *sc);

#endif
