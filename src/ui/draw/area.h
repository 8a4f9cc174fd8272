/*
 * Shares of one whole over time, standing on each other, in blocks: the end of a share is drawn to
 * an eighth of a cell, with the lower hue on the upper one's ground. Below, a lane of one row says
 * what the bottleneck was in each column. Pure: arrays in, cells out.
 *
 *   ASCII      KKKKKKKK     the letter of each share; '?' where some shares are not known
 *              KKKKBBKK
 *              RRRRRRRR
 *   lane       L3_Bound    Fetch_Latency
 */
#ifndef TDTOP_UI_AREA_H
#define TDTOP_UI_AREA_H

#include "ui/draw/chart.h"

enum { AREA_ROOTS_MAX = 16, AREA_KEYS_MAX = 256 };

/* A share. Columns in which it is NAN while others are known are hatched above what is known. */
struct area_root {
    const float *v;             /* [n] of 1 */
    enum style hue, fill, grey; /* grey: where the bottleneck is in another */
    char letter;
};

/* What the lane may name: a root or a leaf, in the hue of its root. */
struct area_key {
    const char *name;
    enum style fill;
    char letter;
};

enum { AREA_NOTHING = -1, AREA_UNKNOWN = -2 };

struct area {
    struct chart chart;           /* its y is not used: the axis is 0 to 100 % */
    const struct area_root *root; /* from the bottom up */
    int n_root;
    int n; /* values of each root, as in struct chart_values */
    uint64_t first_ns, step_ns;

    const int16_t *lane; /* [n] index of a key, AREA_NOTHING or AREA_UNKNOWN; NULL: no lane */
    const struct area_key *key;
    int n_key;
};

/* Rows that it needs below: for chart_area. */
static inline int area_lanes(const struct area *a) {
    return a->lane ? 1 : 0;
}

/* Everything, axes included. a->chart.x has as many cells as chart_area(r, lanes) is wide. */
void area_draw(struct canvas *c, struct rect r, const struct area *a);

#endif
