/*
 * The bottleneck path. Rule (after toplev, features.md C10): at each level the largest
 * over-threshold child of the chosen node; below level 1, if the best two differ by 0.05 or less,
 * stop at the parent and name both: an honest tie. Level 1 has no tie check in toplev; here two
 * roots of which it is not sure which is the larger (by their ±, at least a point) are named as a
 * tie, and the path goes on through the larger; if there is a tie further down as well the path
 * stops there, and the tie of the roots is named.
 * ROLE_RETIRING nodes take part: a path may end in useful work, which the words then say.
 */
#ifndef TDTOP_MODEL_BOTTLENECK_H
#define TDTOP_MODEL_BOTTLENECK_H

#include "model/load/frame.h"
#include "model/load/model.h"

#include <stddef.h>

#define BOTTLENECK_TIE       0.05 /* toplev's SIB_THRESH */
#define BOTTLENECK_TIE_ROOTS 0.01

void bottleneck_find(const struct model *m, const struct frame *f, struct bottleneck *out);

/*
 * The sentence in parts, so that a view can leave some out; put together they are the whole.
 *
 *   way   "Backend_Bound > "
 *   end   "Memory_Bound 40.0%": the end of the path, or words for none
 *   rest  " of clocks" where it is no share of the model's scope; ": L3_Bound 20.0 % ≈ L2_Bound
 *         16.0 %" of a tie; or ", useful work"
 *   note  ", close: look at both"; "; not known: Frontend_Bound" where a root is not, and may be
 * more
 *
 * Where nothing is over its threshold but a root is not known, `end` names it, with the reason.
 * Two roots that tie where the path ends are not named twice: "Kernel 47.5%" " ≈ User 47.1%".
 */
struct bottleneck_words {
    char way[320], end[384], rest[320], note[160];
};

/* Leaves out the first `skip` nodes of the way; "… " stands for them. */
void bottleneck_words(const struct model *m, const struct frame *f, const struct bottleneck *b,
                      int skip, struct bottleneck_words *out);

/* "Backend_Bound > Memory_Bound > L3_Bound 12.8%", or words for none and for a tie. Returns buf.
 */
const char *bottleneck_text(const struct model *m, const struct frame *f,
                            const struct bottleneck *b, char *buf, size_t cap);

/* "level 1 adds up to 75.0%, not 100%", or "" where it does or is not known. Returns buf. */
const char *bottleneck_warning(const struct frame *f, char *buf, size_t cap);

/* The node that a sentence about it names: the larger of a tie, else the end of the path;
 * METRIC_NONE: there is none. */
static inline int bottleneck_named(const struct bottleneck *b) {
    return b->tie[0] != METRIC_NONE ? b->tie[0] : b->n > 0 ? b->at[b->n - 1] : METRIC_NONE;
}

#endif
