/* What the funnel says in words about a block. */
#ifndef TDTOP_UI_SLOTS_WORDS_H
#define TDTOP_UI_SLOTS_WORDS_H

#include <stdbool.h>
#include <stddef.h>

struct scene;

/* Where the bottleneck path ends, or METRIC_NONE. */
int funnel_path_end(const struct scene *sc);
/* "▾ Memory_Bound", or a shorter name, in w columns; the sign is for what lies on the path to the
 * bottleneck, "◀" for the bottleneck, "≈" for a tie. False and "" if none fits. */
bool funnel_name(const struct scene *sc, int metric, int w, char *buf, size_t cap);
/* "26.0%". Returns buf. */
const char *funnel_number(const struct scene *sc, int metric, char *buf, size_t cap);
/* "✓ 31.2% useful  ✗ 68.8% wasted"; false where the model cannot tell. */
bool funnel_sums(const struct scene *sc, char *buf, size_t cap);
/* "╱  2.7% SMT Contention", for each share that is neither, so that all adds up. Returns buf. */
const char *funnel_neutral(const struct scene *sc, char *buf, size_t cap);
/* "14.8% ± 0.9 of clocks · threshold 5%: over it · 31.0% of Memory_Bound". Returns buf. */
const char *funnel_detail(const struct scene *sc, int metric, char *buf, size_t cap);
/* What it means, in one sentence; of what is not known why. "" if there are no words. */
const char *funnel_sentence(const struct scene *sc, int metric, char *buf, size_t cap);

#endif
