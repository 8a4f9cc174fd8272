/*
 * What all plots have around and behind them: where they are, numbers at the side, times below,
 * marks, the time cursor and a shaded span. Arrays in, cells out; plot.h draws a line into it,
 * area.h shares that stand on each other.
 *
 *   50% ┤┈┈┈┈┈┈┈┈┈A┈┈┈┈┈┈┈┈┈┈
 *       │         ╎
 *   25% ┤┈┈┈┈┈┈┈┈┈╎┈┈┈┈┈┈┈┈┈┈
 *       │         ╎
 *    0% ┤         ╎
 *        ╵0:45       ╵1:00
 */
#ifndef TDTOP_UI_CHART_H
#define TDTOP_UI_CHART_H

#include "ui/draw/scale.h"
#include "ui/term/canvas.h"

/* Which characters carry the curve. ASCII forms are drawn as such, so that they keep their shape
 * where term_glyph.h could only find the nearest character. */
enum chart_glyph { CHART_BRAILLE, CHART_BLOCKS, CHART_ASCII };

struct chart_mark {
    uint64_t t_ns;
    const char *name; /* a letter or more; as much of it as has room */
};

struct chart {
    enum chart_glyph glyph;
    const struct scale *y; /* fitted */
    struct scale_time x;   /* of as many cells as chart_area is wide */
    enum scale_words words;
    int64_t clock_s;  /* with SCALE_CLOCK: seconds since midnight at session time 0 */
    const char *unit; /* in the corner below the numbers, where it has room; NULL: none */
    bool plain;       /* no grid */
    bool through;     /* ASCII letters fill the area: marks and cursor are drawn through them */

    const struct chart_mark *mark; /* by time, the oldest first */
    int n_mark;
    uint64_t cursor_ns; /* 0 = none */
    /* (span0, span1] is shaded; equal: none; span1 0: only its begin is known */
    uint64_t span0_ns, span1_ns;
};

/* Space for the curve: beside the numbers, above the times and `lanes` rows of the caller's. By
 * the size of r alone; small ones do without times, then without numbers. */
struct rect chart_area(struct rect r, int lanes);

/* Before the curve: grid, numbers, times. */
void chart_draw_back(struct canvas *c, struct rect r, int lanes, const struct chart *ch);
/* After it: the lines of marks and cursor behind the curve; over it the names of marks and the
 * shade of the span; below it the hand of the cursor. */
void chart_draw_front(struct canvas *c, struct rect r, int lanes, const struct chart *ch);

/* A line over the whole width at a value, behind the curve; and how one is told from another. */
enum chart_rule { CHART_GRID, CHART_THRESHOLD, CHART_BASELINE };
void chart_draw_rule(struct canvas *c, struct rect area, const struct chart *ch,
                     enum chart_rule rule, double v);
/* A line over the whole height at a time, behind the curve. 0: none. */
void chart_draw_upright(struct canvas *c, struct rect area, const struct chart *ch, uint64_t t_ns,
                        enum style st, uint32_t cp);
/* One cell of what is behind a curve that is drawn already: a line of dots or letters stays; on a
 * filled cell the character is drawn on its hue. */
void chart_put_behind(struct canvas *c, struct rect area, int x, int y, enum style st, uint32_t cp);

/* Three columns of such a line, for a legend. */
const char *chart_rule_sample(enum chart_glyph glyph, enum chart_rule rule);

/* The character of the lower `eighths` (1 to 8) of a cell. */
static inline uint32_t chart_eighths(int eighths) {
    return 0x2580u + (uint32_t)eighths;
}

/*
 * Values at equal steps of time, and what a column of the plot shows of them. Where several end
 * within a column they become their mean, with the least and the greatest; a column shorter than
 * a step shows the value of its time. NAN is not measured: a column of nothing else is a gap.
 */
struct chart_values {
    const float *v; /* [n]; value i covers (first_ns + i * step_ns, first_ns + (i + 1) * step_ns] */
    const float *err; /* [n] half width of what is not certain, or NULL */
    int n;
    uint64_t first_ns, step_ns; /* step_ns > 0 */
};

struct chart_column {
    double mean, min, max; /* NAN: a gap */
    double err;            /* mean half width; NAN: none known */
    int n;                 /* values that it holds */
};

/* Values i0 .. i1 - 1 are those that end in (t0_ns, t1_ns], or the one in which it lies. False: it
 * is before or behind all of them. */
bool chart_indexes(const struct chart_values *cv, uint64_t t0_ns, uint64_t t1_ns, int *i0, int *i1);
/* Of the time (t0_ns, t1_ns]. */
struct chart_column chart_column_of(const struct chart_values *cv, uint64_t t0_ns, uint64_t t1_ns);

/* Least and greatest known value within the axis; NAN, NAN if there is none. */
void chart_range(const struct chart_values *cv, const struct scale_time *x, double *min,
                 double *max);

#endif
