/* What is known of one side of the bench, as plain data. */
#ifndef TDTOP_UI_BENCH_SIDE_H
#define TDTOP_UI_BENCH_SIDE_H

#include "ui/scene/bench.h"

enum { BENCH_LABELS = 8 };

struct bench_label {
    char key[32], value[48];
    bool differs; /* the other side has another value, or none */
};

struct bench_side {
    char state[32]; /* "pinned 00:00:31", "live", "3f9a1c22" */
    char name[160]; /* "the 24s before", "redis-server": where there are no labels */
    struct bench_label label[BENCH_LABELS]; /* those that differ first */
    int n_label;
    uint64_t measured_ns;
    uint64_t n;               /* intervals, or runs */
    bool runs;                /* n are runs */
    uint64_t n_left_out;      /* intervals of the change, in neither side */
    bool growing;             /* intervals still come */
    const char *steadiness;   /* "steady", "not steady"; "": too few to tell */
    const char *apart;        /* the run that stands out among them, in words; NULL; borrowed */
    double ipc, instructions; /* per second; NAN */
    char bottleneck[64];      /* "" if none, or not known */
    double err;               /* half width of the widest 95 % interval of level 1; NAN */
};

/* A, or with b B, as it is drawn: swapped if they are. */
void bench_side_of(const struct scene *sc, bool b, struct bench_side *out);
/* Marks labels that differ, and puts them first. */
void bench_sides_differ(struct bench_side *a, struct bench_side *b);

/* What is done of the way to ±1 point: 0 to 1; NAN: not known. The rest needs (err / 1 point)^2 - 1
 * times what was measured. */
double bench_progress(const struct bench_side *s);
/* "ready", "6s more for ±1 point", "±1.8 points" of what does not grow, "". Returns buf. */
const char *bench_progress_words(const struct bench_side *s, char *buf, size_t cap);

#endif
