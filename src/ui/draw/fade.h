/*
 * What just changed: an arrow beside a value that moved by more than chance, bold at first, then
 * normal, then dim, gone after 4 s of session time. A value that creeps gets none: it is compared
 * with its own recent mean, which follows it. Nor does one that goes on to jump about: a move is
 * more than FADE_SPREADS times what the last values were off that mean, and its arrow goes when
 * the value comes back. 32 bytes per metric, no
 * history.
 */
#ifndef TDTOP_UI_FADE_H
#define TDTOP_UI_FADE_H

#include "ui/term/canvas.h"

#include <stdint.h>

enum { FADE_SPREADS = 4 }; /* mean absolute deviations: 3.2 sd of white noise */

struct fade { /* private; zeroed: nothing seen yet */
    uint64_t seen_ns, moved_ns;
    float mean; /* of the last seconds, since the last move */
    float off;  /* how far the last values were off it, in the mean */
    uint8_t n;  /* values that is of */
    int8_t way; /* -1, 0, 1 */
    bool known;
};

struct fade_mark {
    int step; /* 3 fresh, 2, 1 about to go; 0: none */
    int way;  /* 1 up, -1 down */
};

/*
 * A new value, at the session time of its interval's end. err: its half width, NAN if not known.
 * least: a move must be greater than this, too; fade_least gives what the screen uses. An unknown
 * value changes nothing; after more than 10 s without any, the next one begins anew.
 */
void fade_push(struct fade *f, uint64_t now_ns, double v, double err, double least);
/* 1 point of a share; of others, 2 percent of what they were. */
double fade_least(const struct fade *f, bool share);

struct fade_mark fade_at(const struct fade *f, uint64_t now_ns);
/* An arrow up, one down, or a blank; and how it is drawn. */
uint32_t fade_glyph(struct fade_mark m);
enum style fade_style(struct fade_mark m);

#endif
