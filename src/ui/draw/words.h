/* Numbers and states in the words and hues that all views share. */
#ifndef TDTOP_UI_WORDS_H
#define TDTOP_UI_WORDS_H

#include "model/load/frame.h"
#include "model/load/model.h"
#include "ui/term/canvas.h"

/* The hue of a tree node: that of its root, by role; models without roles take turns by root, and a
 * root without one beside others that have one stays neutral if it has no threshold. Other metrics
 * have a hue of their own.
 */
enum style words_hue(const struct model *m, int metric);
/* The same hue as ground for text; STYLE_TEXT: neutral, which has none (widget_ground). */
enum style words_fill(const struct model *m, int metric);
enum style words_quiet(enum style fill); /* the same hue, less bright */
enum style words_sure(enum style fill);  /* the ground of a verdict */
enum style words_grey(enum style fill);  /* where another one is what counts */
/* "Info_Memory_L2MPKI" -> "Memory_L2MPKI": what stands beside the tree needs no such prefix. */
const char *words_name(const struct metric *mt);
/* "Frontend_Bound" -> "Frontend", "Bad_Speculation" -> "Bad Speculation". Returns buf. */
const char *words_short(char *buf, size_t cap, const struct metric *mt);
/* The same for narrow places: "Front", "Bad", "Back", "Ret" of names that begin so, else its most
 * telling word (words_cut). Returns buf. */
const char *words_brief(char *buf, size_t cap, const struct metric *mt);
/* The letter of the root of a node, another for each root: F, B, K, R of the same names, else the
 * first one of its word, or of its name, that is free. */
char words_letter(const struct model *m, int metric);
/* Leaves the one word of a name that says most: the first; but "Wait" of "Run Queue Wait". */
char *words_cut(char *name);
/* "Frontend, Retiring": the level 1 shares that are not known; "" if all are. Returns buf. */
const char *words_unknown_roots(char *buf, size_t cap, const struct model *m,
                                const struct frame *f);
/* True for slots that did useful work, false for lost ones; *known is false without roles. */
bool words_useful(const struct metric *mt, bool *known);

/* "5%", "12.5%", "1.12": a number that stands still, as short as it can be. */
const char *words_mark(char *buf, size_t cap, const struct metric *mt, double v);
/* "48.0%", "1.12", "3.40 GHz", "12.0k/s", "n/a". Returns buf. */
const char *words_value(char *buf, size_t cap, const struct metric *mt, double v);
/* The number alone, as steady as its size allows: a share times 100 with one decimal. */
const char *words_number(char *buf, size_t cap, const struct metric *mt, double v);
/*
 * The ± of the value v, with the decimals that v has: "0" if it is exact, "<0.01" if it is not and
 * would show as 0. Returns buf.
 */
const char *words_err(char *buf, size_t cap, const struct metric *mt, double v, double err);
/* "48.0%"; "~48.0%" by a fallback formula; "106.2?" odd; "stale", "n/a". */
const char *words_cell(char *buf, size_t cap, const struct metric *mt, const struct value *v);

/* True of what was counted all of the time, as far as a whole percent tells. False for NAN. */
static inline bool words_is_whole(float duty) {
    return duty >= 0.995F;
}
/* "4%", or "÷ 4%": of that little the parts of the formula saw different pieces. Where most take
 * turns a low one is nothing new, and the ± says what it costs: only next to none is a warning. */
enum style words_duty(char *buf, size_t cap, float duty, bool split);

/* "20ms", "1.0s", "10s". */
const char *words_interval(char *buf, size_t cap, uint64_t ns);
/* "00:01:23". */
const char *words_clock(char *buf, size_t cap, uint64_t ns);
/* "0.4s", "45s", "90s", "2m09s", "3min", "2h", "2h30m": a span of time. */
const char *words_span(char *buf, size_t cap, uint64_t ns);

#endif
