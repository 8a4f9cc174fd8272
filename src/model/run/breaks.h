/*
 * Where spans of a session begin: what changed, and when. Found by itself (change_point.h), said by
 * the user (a mark, a reset, a pin, a snapshot), or seen (a restart, a pause).
 */
#ifndef TDTOP_MODEL_BREAKS_H
#define TDTOP_MODEL_BREAKS_H

#include <stdint.h>

enum break_cause {
    BREAK_START, /* nothing came before */
    BREAK_LEVEL, /* the values changed their level */
    BREAK_RESTART,
    BREAK_PAUSE,
    BREAK_MARK,
    BREAK_RESET,
    BREAK_PIN, /* a baseline: nothing changed, and what comes is to be compared */
    BREAK_SNAPSHOT,
};

enum { BREAKS_MOST = 256 }; /* the oldest give way */

struct break_point {
    uint64_t left_ns; /* session time: what came before ends here, */
    uint64_t t_ns;    /* and the span begins; what lies between belongs to neither */
    uint64_t id;      /* 1, 2, ... in the order in which they became known */
    uint64_t seq;     /* grows when it became known, and when its begin moved on */
    enum break_cause cause;
    int main_before; /* of BREAK_LEVEL and BREAK_RESTART: the main bottleneck of the phase that
                        ended (session_phase); METRIC_NONE: not known */
};

struct breaks {
    struct break_point at[BREAKS_MOST]; /* by t_ns */
    int n;
    uint64_t id, seq; /* of the newest */
};

/* Adds one where its time belongs. It is valid until the next call. */
struct break_point *breaks_add(struct breaks *b, uint64_t left_ns, uint64_t t_ns,
                               enum break_cause cause);
/* The begin of the newest BREAK_LEVEL moves on. */
void breaks_move(struct breaks *b, uint64_t t_ns);
/* "the change", "the mark", "the reset", "the start", ...: for "since the change at 1:04". */
const char *break_words(enum break_cause cause);
/* True of one that begins another phase of the program, whoever watches. */
static inline int break_is_phase(const struct break_point *p) {
    return p->cause == BREAK_LEVEL || p->cause == BREAK_RESTART;
}

#endif
