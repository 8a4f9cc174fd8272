/*
 * The two axes of a plot as arithmetic: what the upper end of the value axis is, where its numbers
 * stand and how they are written; which time a column shows, and where round times are. Neither
 * jumps: the value axis grows at once and comes down only when much room was left for a while; time
 * goes on in steps.
 */
#ifndef TDTOP_UI_SCALE_H
#define TDTOP_UI_SCALE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- values ---- */

/* What an axis may do. */
struct scale_rule {
    bool share;    /* numbers are percent */
    bool loose;    /* need not hold 0: for differences, where the numbers say where 0 is not */
    double least;  /* the upper end is never below; 0 = no rule */
    double most;   /* nor above it, while the values are not; 0 = no rule */
    int calm;      /* so many frames with more than half the axis empty let it shrink; 0 = 8 */
    uint64_t what; /* a name for what is shown: another one begins anew */
    uint64_t when; /* of the newest value: drawn again, it counts once; 0: each fit is a frame */
};

struct scale {
    double low, top; /* the ends; low < top once fitted */
    bool share;
    int empty;           /* private: frames in a row in which less than half was used */
    uint64_t what, when; /* private */
};

/* Makes room for values from min to max; NAN where there are none, which changes nothing. */
void scale_fit(struct scale *s, double min, double max, const struct scale_rule *rule);

/* The next round number that is not below v > 0: 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten. */
double scale_nice(double v);

/* Numbers of an axis of so many rows: the step between them, so that each has a row of its own. */
double scale_step(const struct scale *s, int rows);
/* The first multiple of the step that is on the axis. */
double scale_first(const struct scale *s, double step);

/* Bytes of a number of the axis, with its NUL; SCALE_LABEL_W columns. */
enum { SCALE_LABEL_W = 6, SCALE_LABEL_MAX = 16 };
/* "25%", "2.5%", "1.5k": as many decimals as the step has, one prefix for all. Returns buf. */
const char *scale_label(char *buf, size_t cap, const struct scale *s, double step, double v);

/* Which of n equal parts, counted from below, the value is in; the ends are cut. v is not NAN. */
int scale_part(const struct scale *s, double v, int n);
/* True if v is beyond an end of the axis, or infinite. */
bool scale_above(const struct scale *s, double v);
bool scale_below(const struct scale *s, double v);

/* ---- time ---- */

/* Column x of an area shows (from_ns + x * cell_ns, from_ns + (x + 1) * cell_ns]; with blank
 * columns at the left, which are before all that is known, x counts from behind these. */
struct scale_time {
    uint64_t from_ns, cell_ns; /* cell_ns > 0 */
    int cells;
    int blank;
};

/*
 * The axis on which now_ns is near the right edge. It moves on by 1/parts of its width at once, so
 * that between two such steps a new value changes one column; parts 0: by single columns.
 */
struct scale_time scale_time_until(uint64_t now_ns, uint64_t cell_ns, int cells, int parts);

/* The same with now_ns at the right edge, also of a session that is younger than the axis, or fewer
 * than `jump` columns before it: it moves on by so many at once. */
struct scale_time scale_time_right(uint64_t now_ns, uint64_t cell_ns, int cells, int jump);

/* The column of a time, or -1 if it is not on the axis. */
int scale_time_x(const struct scale_time *t, uint64_t at_ns);
/* The begin of a column; of a blank one from_ns. */
uint64_t scale_time_begin(const struct scale_time *t, int x);
/* The end of a column, 0 <= x < cells; others are cut. */
uint64_t scale_time_at(const struct scale_time *t, int x);

enum scale_words {
    SCALE_ELAPSED, /* "0:45", "1:02:00": time of the session */
    SCALE_AGO,     /* "-60s", "-5m", "-2h": before the right edge; for axes of parts 0 */
    SCALE_CLOCK,   /* "14:03:20", "14:03" */
};

struct scale_tick {
    int x; /* its column; the text begins in the next one */
    char text[16];
};

/*
 * Round times on the axis, the oldest first: texts are apart from each other and end before the
 * right edge. clock_s: seconds since midnight at session time 0, for SCALE_CLOCK. Returns how many.
 */
int scale_time_ticks(const struct scale_time *t, enum scale_words words, int64_t clock_s,
                     struct scale_tick *out, int cap);

#endif
