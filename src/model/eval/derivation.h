/*
 * The derivation of a value: how it came about, from the counts up. The formula as it is bound, the
 * events with their counts and times, what it names, the same formula with the numbers in it, the
 * threshold, and what the ± is made of. For a window on the screen and for --explain-value.
 *
 * It is computed again from the sample, formula by formula, not taken from the frame: one
 * that ends in another number than the one on the screen would show a mistake of either.
 */
#ifndef TDTOP_MODEL_DERIVATION_H
#define TDTOP_MODEL_DERIVATION_H

#include "base/str.h"
#include "model/eval/eval.h"
#include "model/eval/window.h"

/* What is accounted for. All borrowed, and of one session. */
struct derivation_of {
    const struct model *model;
    const struct layout *layout;
    const struct eval *eval;
    const struct sample *sample;
    const struct frame *frame;   /* the evaluation of that sample */
    const struct window *window; /* knows how `err` came about; NULL: nothing is said about it */
    bool sum;                    /* sample and frame are window_sample and window_frame */
};

enum derivation_formula { DERIVATION_NONE, DERIVATION_MAIN, DERIVATION_ALT, DERIVATION_FALLBACK };

struct derivation_event {
    int event;
    int slot; /* that is read for it; -1: it is not measured */
    bool own; /* of the formula itself (with its inlined metrics), not of a metric that it names */
};

struct derivation_const {
    int index;    /* as of AST_CONST */
    bool decides; /* it only chooses between the branches of the formula */
};

struct derivation {
    struct derivation_of of;
    int metric;
    enum derivation_formula kind;
    const struct ast *formula;      /* NULL: unavailable */
    uint16_t group;                 /* its own group of the layout */
    struct derivation_event *event; /* own ones first */
    uint32_t n_event;
    int *named; /* metrics that the formula names, inlined ones too */
    uint32_t n_named;
    struct derivation_const *constant;
    uint32_t n_constant;
    /* private */
    bool *seen_slot, *seen_event, *seen_metric, *seen_constant;
    int *todo;
    uint32_t n_todo;
};

int derivation_init(struct derivation *ac, const struct model *m, const struct layout *layout);
void derivation_destroy(struct derivation *ac); /* accepts a zeroed one */

/* Fills everything for a metric. Never allocates; what `of` points to must stay while it is read.
 */
void derivation_make(struct derivation *ac, const struct derivation_of *of, int metric);

/* Value of the formula, of a metric that it names (as this formula reads it) and of a constant. */
double derivation_value(const struct derivation *ac);
double derivation_named(const struct derivation *ac, int metric);
double derivation_constant(const struct derivation *ac, int index);
/* Where a constant comes from, in words. */
const char *derivation_origin(const struct derivation *ac, int index);

/* What was seen of a count before it was scaled to the whole time: of one thread exactly, of
 * several by the time that they were counted together. */
double derivation_counted(const struct count *c);

/* ---- in words: each returns buf, "" where there is nothing to say ---- */

/* Said of such a value on the screen and in rows. */
#define DERIVATION_SPLIT "parts counted at different times"

enum { DERIVATION_TEXT_MAX = 8192 }; /* the longest formula with its numbers, and room */

/* Which formula it is, and why not the main one. */
char *derivation_kind_text(const struct derivation *ac, char *buf, size_t cap);
/* The formula as it is bound; the same with numbers for names, branches not taken left out. */
char *derivation_formula_text(const struct derivation *ac, char *buf, size_t cap);
char *derivation_filled(const struct derivation *ac, char *buf, size_t cap);
/* The threshold with numbers for names. */
char *derivation_threshold(const struct derivation *ac, char *buf, size_t cap);
/* What the ± is made of, in one sentence. */
char *derivation_err(const struct derivation *ac, char *buf, size_t cap);
/* That its parts were counted at different times: in which groups, how much of the time each. */
char *derivation_parts(const struct derivation *ac, char *buf, size_t cap);
/* Why the value is unknown, approximate or odd. */
char *derivation_reason(const struct derivation *ac, char *buf, size_t cap);

/* ---- the same as lines ---- */

enum derivation_style { DERIVATION_HEADING, DERIVATION_STRONG, DERIVATION_TEXT, DERIVATION_DIM };

struct derivation_line {
    enum derivation_style style;
    const char *label; /* left of the text; NULL: the text stands alone */
    const char *text;  /* may be long: to be wrapped */
};

/* Calls line for each, from top to bottom; its texts last until it returns. */
void derivation_lines(const struct derivation *ac,
                      void (*line)(void *user, const struct derivation_line *line), void *user);

#endif
