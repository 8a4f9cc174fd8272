/*
 * When samples are drawn: nobody reads numbers faster than four times a second (PACE_NS); keys are
 * answered at once. A sample that comes sooner after a drawing is left to the next one; only if
 * none follows soon a timer draws it. So a steady session wakes up once a sample, at any interval,
 * and the last sample before a pause is seen all the same.
 */
#ifndef TDTOP_UI_PACE_H
#define TDTOP_UI_PACE_H

#include "base/clock.h"

#include <stdbool.h>
#include <stdint.h>

#define PACE_NS (240 * NS_PER_MS)

struct pace {
    uint64_t drawn_ns; /* CLOCK_MONOTONIC of the last drawing */
    uint64_t due_ns;   /* a sample waits and is drawn then at the latest; 0 = none waits */
};

void pace_drawn(struct pace *p, uint64_t now_ns);
/* A sample came: true if it is to be drawn at once, else it waits. */
bool pace_sample(struct pace *p, uint64_t now_ns);
/* True if a sample has waited long enough. */
bool pace_due(const struct pace *p, uint64_t now_ns);

/* For poll(): milliseconds until the earlier of two times, of which 0 means never; -1 = no limit.
 */
int pace_timeout_ms(uint64_t a_ns, uint64_t b_ns, uint64_t now_ns);

#endif
