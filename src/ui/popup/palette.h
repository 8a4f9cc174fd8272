/*
 * ":" - every action by its name, and every setting with its values, found by typing some of its
 * letters.
 */
#ifndef TDTOP_UI_PALETTE_H
#define TDTOP_UI_PALETTE_H

#include "ui/draw/form.h"
#include "ui/draw/list.h"

#include <stdbool.h>
#include <stdint.h>

struct screen;
struct key_binding;

enum { PALETTE_HITS = 256, PALETTE_NAMES = 256, PALETTE_PAST = 32, PALETTE_LINE = 160 };

enum palette_kind {
    PALETTE_ACTION,  /* at: the first row of its name in keys[] */
    PALETTE_SETTING, /* at: its row */
    PALETTE_VALUE,   /* at: which of the values of `setting` */
};

struct palette_hit {
    enum palette_kind kind;
    int at;
    bool here; /* it can be done where the palette was opened */
    int score;
    uint64_t marks; /* bit i: byte i of its name is one of the letters typed */
};

/* What the palette keeps on its screen. */
struct palette {
    struct form_text text;
    unsigned where; /* enum key_context in which it was opened */
    bool stale;     /* the text has changed since `hit` was made: palette_settle */
    struct palette_name {
        int at; /* the first row of its name in keys[] */
        bool here;
    } name[PALETTE_NAMES]; /* of the actions, with where it was opened */
    int n_name;
    struct palette_hit hit[PALETTE_HITS];
    struct list list; /* of `hit` */
    int setting;      /* whose values are listed; -1: names are */
    char problem[320];
    char past[PALETTE_PAST][PALETTE_LINE]; /* the newest last */
    int n_past, past_at;                   /* past_at: steps back from what is being typed */
};

/*
 * How well the letters of a query fit a name, in order and with anything between; capitals do not
 * count, and blank, - and _ are one. 0: not at all. Letters in a row and at the begin of words
 * count more, so "lede" finds level-deeper before anything else. marks may be NULL.
 */
int palette_score(const char *query, const char *name, uint64_t *marks);

struct palette *palette_of(const struct screen *sc);
void palette_open(struct screen *sc, const char *text);
void palette_close(struct screen *sc);
/* Before `hit` is looked at, and before drawing: it follows the text, which may have changed. */
void palette_settle(struct screen *sc);
void palette_move(struct screen *sc, int rows); /* above the first row is what was typed before */
void palette_complete(struct screen *sc);
void palette_accept(struct screen *sc);

/* What a row shows. Texts live until the next call. */
struct palette_row {
    const char *name, *keys, *words;
    char buf[264]; /* "= " and a value */
};
void palette_row(struct screen *sc, const struct palette_hit *h, struct palette_row *out);

/* The values that a setting is offered with: choices, themes; how many. */
int palette_values(struct screen *sc, int setting, const char **out, int cap);

#endif
