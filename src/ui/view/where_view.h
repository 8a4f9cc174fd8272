/* The Where view (view_where.c): what it keeps, what its keys do, and its parts. */
#ifndef TDTOP_UI_WHERE_VIEW_H
#define TDTOP_UI_WHERE_VIEW_H

#include "session/where.h"
#include "ui/draw/list.h"
#include "ui/scene/scene.h"

/* What has the arrow keys. */
enum where_part { WHERE_LIST, WHERE_SOURCE, WHERE_CODE, WHERE_PARTS };

struct where_state {
    struct where_live live;
    struct list list; /* of `shown` */
    uint32_t *shown;  /* [n_shown] functions: what the filter leaves, without the smallest; owned */
    uint32_t n_shown, cap_shown;
    int selected;    /* of live.function, WHERE_NONE */
    double least;    /* share below which functions are left out */
    uint32_t n_less; /* so many */
    bool all;        /* none is left out */
    struct search filter;
    char only_name[64];    /* of the thread that rows are of (live.only) */
    char lack[NAMES_LACK]; /* why the selected one has no name */

    bool both; /* functions and what is open have room below each other */
    bool open; /* source and instructions of live.open are shown */
    enum where_part part;
    struct list source, code; /* lines and instructions */

    bool flame;          /* over the whole place */
    uint32_t zoom, mark; /* nodes of the tally: what takes the width; the block that is selected */
    int flame_top;
};

static inline struct where_state *where_state_of(const struct scene *sc) {
    return sc->state;
}

/* ---- keys ---- */

/* From a node, or a line of the bench, to where it happens; from there back to the tree. */
void where_go(struct scene *sc);
void where_key_enter(struct scene *sc); /* opens the function; a branch: goes there; zooms */
void where_key_flame(struct scene *sc);
void where_key_out(struct scene *sc);
void where_key_all(struct scene *sc);
void where_key_explain(struct scene *sc); /* the node whose event it is */
void where_key_reset(struct scene *sc);
void where_key_side(struct scene *sc, int by);
/* Rows are lines, threads or branches (enum where_by); again: functions. */
void where_key_by(struct scene *sc, int by);
void where_key_branches(struct scene *sc);
void where_key_accesses(struct scene *sc);
/* Samples of waits in the place of those of the node; again: those of the node. */
void where_key_waits(struct scene *sc);

/* ---- parts ---- */

/* "61.0%", "3.4%" as the screen has room; "-" of too few samples. Returns buf. */
const char *where_share(double share, char *buf, size_t cap);
/* A frame with a title at its left, words at its right. */
void where_frame(struct canvas *c, struct rect r, bool strong, const char *title,
                 const char *right);

/* Without its frame. */
static inline struct rect where_inside(struct rect r) {
    return (struct rect){r.x + 1, r.y + 1, r.w - 2, r.h > 2 ? r.h - 2 : 0};
}
/* What is sampled; NULL: nothing is. */
const struct sampling_event *where_event(const struct where_state *w);
/* Rows are branches or cache lines, and there are none: where_nothing_draw says why. */
bool where_lacks_records(const struct where_state *w);
/* No sample has come, and nothing keeps it from coming. */
bool where_is_idle(const struct where_state *w);

/* Words above (where_words.c): of what; "" or what is not as one would think, returns buf; why
 * there is nothing. */
void where_head_draw(const struct scene *sc, struct canvas *c, struct rect r);
const char *where_notes(const struct scene *sc, char *buf, size_t cap);
void where_nothing_draw(const struct scene *sc, struct canvas *c, struct rect r);

/* The table (where_table.c). */
struct rect where_table_rows(const struct where_state *w, struct rect list);
/* Which of the rows are shown, of a table with so many lines. */
void where_table_choose(struct where_state *w, int lines);
void where_table_draw(const struct scene *sc, struct canvas *c, struct rect r);

/* The name of a function in `room` columns, what is looked for in it lit up. */
void where_name_draw(const struct where_state *w, struct canvas *c, struct rect r, int x, int room,
                     enum style st, const struct where_function *f);

/* Rows of branches or cache lines, and what accesses say of a function: WHERE_MEMORY_W columns
 * (where_records.c). */
enum { WHERE_MEMORY_W = 24 };
bool where_is_records(const struct where_state *w);
void where_records_headings(const struct where_state *w, struct canvas *c, struct rect r);
void where_records_draw(const struct where_state *w, struct canvas *c, struct rect r,
                        const struct where_function *f);
void where_memory_headings(struct canvas *c, struct rect r, int x);
void where_memory_draw(struct canvas *c, struct rect r, int x, const struct access_sum *s);
/* Functions have latencies and sources of their data. */
bool where_has_memory(const struct where_state *w);
/* The first line of the list says where data came from. */
bool where_has_sources(const struct where_state *w, struct rect list);
void where_sources_draw(const struct where_state *w, struct canvas *c, struct rect r);

/* Source and instructions of the function that is open (where_listing.c). */
void where_listing_prepare(struct where_state *w, struct rect r);
void where_listing_draw(const struct where_state *w, struct canvas *c, struct rect r);
void where_listing_mouse(struct where_state *w, struct rect r, const struct mouse *m);
/* The list that a part of it moves in. */
struct list *where_listing_list(struct where_state *w);
/* The selected instruction is a branch: goes where it goes. False: it is none. */
bool where_listing_follow(struct where_state *w);
/* Another function is open: its hottest place will be in view. */
void where_listing_begin(struct where_state *w);

/* The flame graph (where_flame_view.c). `small`: without a selection, all of it. */
void where_flame_prepare(struct where_state *w, struct rect r);
void where_flame_draw(const struct where_state *w, struct canvas *c, struct rect r, bool small);
void where_flame_mouse(struct where_state *w, struct rect r, const struct mouse *m);
void where_flame_move(struct where_state *w, int down, int right);
void where_flame_zoom(struct where_state *w);
/* One step out. False: all of it is shown. */
bool where_flame_out(struct where_state *w);

#endif
