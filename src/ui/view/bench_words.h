/* The bench in cells and sentences. All that take one fill buf and return it. */
#ifndef TDTOP_UI_BENCH_WORDS_H
#define TDTOP_UI_BENCH_WORDS_H

#include "ui/scene/bench.h"
#include "ui/term/canvas.h"

struct scene;

/* "61.9", "1.12", "12.3k": a or b of a change, a share times 100; "" where it is not known. */
const char *bench_value(const struct bench_change *ch, double v, char *buf, size_t cap);
/* "+43.9" of a share, in points; "+69%" of anything else; "" where it is not known. */
const char *bench_delta(const struct bench_change *ch, char *buf, size_t cap);
/* "±0.9", "±2": likewise; a share never has more than ±100. */
const char *bench_err(const struct bench_change *ch, char *buf, size_t cap);
/* "worse", "better", "changed", in capitals if it is at least half of the largest change of the
 * tree and five points; "unsure", "noise", "only A". st gets its colour. */
const char *bench_verdict(const struct bench_change *ch, double largest, enum style *st);

/* "Memory_Bound +3.1 ±4.0, 12s more". */
const char *bench_unsure_words(const struct scene *sc, const struct compare_row *r, char *buf,
                               size_t cap);
/* "44 others: no sure change above 1 point; 11 could still hide 2". */
const char *bench_fold_words(const struct scene *sc, enum bench_fold f, int n, char *buf,
                             size_t cap);
/* "sure at 95% for all 64 metrics together". */
const char *bench_sure_words(const struct comparison *c, char *buf, size_t cap);
/*
 * What changed, in one sentence: "B does more work per second but each instruction costs 69 % more
 * cycles; the added cost is MEM_Latency (+34.1 points)". Each part stands there only if its verdict
 * is sure.
 */
const char *bench_sentence(const struct scene *sc, char *buf, size_t cap);

#endif
