/*
 * What tdtop itself costs: processor time, wake-ups, memory, descriptors, bytes for the terminal. A
 * monitor must not be the load, and whoever doubts it can look. Two system calls a second keep the
 * last seconds; the rest is read only while somebody looks. Allocates nothing.
 */
#ifndef TDTOP_UI_COST_H
#define TDTOP_UI_COST_H

#include <stdint.h>

/* What has been used up to a moment. */
struct cost_point {
    uint64_t at_ns;     /* CLOCK_MONOTONIC */
    uint64_t cpu_ns;    /* user and kernel time of all threads */
    uint64_t screen_ns; /* of it, the thread that asks: the screen's */
    uint64_t wakes;     /* times a thread slept and was woken: voluntary context switches */
    uint64_t samples, frames, bytes;
};

enum { COST_POINTS = 12 }; /* about so many seconds */

struct cost {
    struct cost_point start; /* only at_ns: the rest began at 0 */
    struct cost_point ring[COST_POINTS];
    unsigned n;             /* points ever noted */
    uint64_t frames, bytes; /* drawn and sent so far; the loop keeps them */

    /* Read by cost_look. -1 = not known. */
    int64_t descriptors, descriptors_max, resident_bytes;
    uint64_t looked_ns;
};

/* How much of it a second. */
struct cost_rate {
    double seconds;
    double cpu, screen; /* share of one CPU */
    double wakes, samples, frames, bytes;
};

void cost_begin(struct cost *c);
/* Notes a point, at most one a second. */
void cost_note(struct cost *c, uint64_t samples);
/* The same with a point made elsewhere. */
void cost_add(struct cost *c, const struct cost_point *p);
/* Reads what is slow to read, seldom. */
void cost_look(struct cost *c);

/* Between two points: NAN where no time lies between them. */
struct cost_rate cost_rate(const struct cost_point *from, const struct cost_point *to);
/* Since the beginning, and over the points that are kept. */
struct cost_rate cost_since_start(const struct cost *c);
struct cost_rate cost_lately(const struct cost *c);

#endif
