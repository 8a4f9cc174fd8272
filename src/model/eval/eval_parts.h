/*
 * Private to eval*.c: whose parts were counted at different times. The events of a formula that did
 * not fit one group, or were recorded without groups, come from several; where two of those take
 * turns, a ratio of them compares two moments. So it does where one takes turns and the other is
 * always on, as cycles are that were left to the pinned group for want of counters; but what no
 * general counter counts (slots, reference cycles) stands nowhere else, and does not count. A
 * formula that reads another's value has that one's parts.
 *
 * Where all are on all the time nothing is wrong: so it is decided in each interval from what was
 * really counted, not from the plan.
 */
#ifndef TDTOP_MODEL_EVAL_PARTS_H
#define TDTOP_MODEL_EVAL_PARTS_H

#include "model/eval/eval_program.h"
#include "model/eval/slot_index.h"

/* What a formula reads. */
struct parts_of {
    const bool *event; /* [n_event] that it names, inlined metrics included */
    const bool *below; /* [n_metric] other metrics whose values it reads; noted before */
    uint16_t group;    /* its own */
};

/* Notes the groups that a formula reads if they are several, and whose parts it has besides. 0 or
 * -ENOMEM. */
int parts_note(struct program *p, const struct model *m, const struct slot_index *slots,
               uint16_t metric, const struct parts_of *of);
enum slot_turn { SLOT_UNKNOWN, SLOT_MULTIPLEXED = 1, SLOT_ALWAYS_ON = 2 }; /* bits */

/* Of a slot with a count. */
static inline uint8_t parts_turn(double duty) {
    return duty < (double)SCALED_BELOW ? SLOT_MULTIPLEXED : SLOT_ALWAYS_ON;
}

/* Fills p->parted from p->turn, of all values, known or not. */
void parts_find(struct program *p, uint32_t n_metric);

#endif
