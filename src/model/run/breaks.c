#include "model/run/breaks.h"

#include "model/load/model.h"

#include <string.h>

/* From place i on there is room for one more. */
static void shift(struct breaks *b, int i) {
    memmove(&b->at[i + 1], &b->at[i], (size_t)(b->n - i) * sizeof(b->at[0]));
    b->n++;
}

struct break_point *breaks_add(struct breaks *b, uint64_t left_ns, uint64_t t_ns,
                               enum break_cause cause) {
    if (b->n == BREAKS_MOST)
        memmove(&b->at[0], &b->at[1], (size_t)--b->n * sizeof(b->at[0]));
    int i = b->n;
    while (i > 0 && b->at[i - 1].t_ns > t_ns)
        i--;
    shift(b, i);
    b->at[i] = (struct break_point){left_ns, t_ns, ++b->id, ++b->seq, cause, METRIC_NONE};
    return &b->at[i];
}

void breaks_move(struct breaks *b, uint64_t t_ns) {
    int i = b->n - 1;
    while (i >= 0 && b->at[i].cause != BREAK_LEVEL)
        i--;
    if (i < 0)
        return;
    struct break_point p = b->at[i];
    p.t_ns = t_ns;
    p.seq = ++b->seq;
    for (; i + 1 < b->n && b->at[i + 1].t_ns <= t_ns; i++)
        b->at[i] = b->at[i + 1];
    b->at[i] = p;
}

const char *break_words(enum break_cause cause) {
    static const char *const words[] = {
        [BREAK_START] = "the start",     [BREAK_LEVEL] = "the change",
        [BREAK_RESTART] = "the restart", [BREAK_PAUSE] = "the pause",
        [BREAK_MARK] = "the mark",       [BREAK_RESET] = "the reset",
        [BREAK_PIN] = "the pin",         [BREAK_SNAPSHOT] = "the snapshot",
    };
    return words[cause];
}
