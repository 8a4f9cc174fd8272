/* A comparison in sentences and cells. All fill buf and return it. */
#ifndef TDTOP_UI_DIFF_WORDS_H
#define TDTOP_UI_DIFF_WORDS_H

#include "model/compare.h"

/* "instructions 1.20G -> 1.31G/s (+9.2%) x CPI 0.89 -> 0.85 (-4.5%) = cycles +4.3%"; "" if IPC, GHz
 * or CPUs_Utilized are not known on both sides. */
const char *diff_work_words(const struct comparison *c, char *buf, size_t cap);
/* "L3_Bound +3.2 points: 384M more slots lost a second"; "" if the row is no share of slots. */
const char *diff_slot_words(const struct comparison *c, const struct compare_row *r, char *buf,
                            size_t cap);
/* "2 worse, 1 better, 40 noise, 3 not enough data, 1 only in A" */
const char *diff_count_words(const struct comparison *c, char *buf, size_t cap);

/* One side of a row in at most w columns: "12.4%", "1.12", "3.40 GHz", "n/a". What adds up with
 * time is that of b as if it had been measured as long as a. */
const char *diff_value(const struct compare_row *r, bool b, int w, char *buf, size_t cap);
/* "±0.8" in the unit of baseline_delta; "" where it is not known. */
const char *diff_err(const struct compare_row *r, char *buf, size_t cap);
/* "0.003", "<1e-6"; "" where nothing could be tested. */
const char *diff_p(const struct compare_row *r, char *buf, size_t cap);

#endif
