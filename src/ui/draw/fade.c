#include "ui/draw/fade.h"

#include "base/clock.h"

#include <math.h>

#define MEAN_NS (10 * NS_PER_S) /* what has not been seen for so long begins anew */
#define MARK_NS (4 * NS_PER_S)

enum { STEPS = 3 };

static void begin(struct fade *f, uint64_t now_ns, double v) {
    *f = (struct fade){.seen_ns = now_ns, .mean = (float)v, .known = true};
}

double fade_least(const struct fade *f, bool share) {
    return share ? 0.01 : f->known ? 0.02 * fabs((double)f->mean) : 0;
}

/* Of the last dozen values; the first of few has less of a say, or one move would hide the next. */
static void note_off(struct fade *f, double off) {
    enum { FIRST = 4, MEMORY = 12 };
    const int weight = FIRST + f->n < MEMORY ? FIRST + f->n++ : MEMORY;
    f->off += (float)((fabs(off) - (double)f->off) / weight);
}

void fade_push(struct fade *f, uint64_t now_ns, double v, double err, double least) {
    if (!isfinite(v))
        return;
    if (!f->known || now_ns < f->seen_ns || now_ns - f->seen_ns > MEAN_NS) {
        begin(f, now_ns, v);
        return;
    }
    const double off = v - (double)f->mean, lately = FADE_SPREADS * (double)f->off;
    const double band = fmax(least, err); /* err NAN: least */
    if (fabs(off) > fmax(band, lately)) {
        f->way = off > 0 ? 1 : -1;
        f->moved_ns = now_ns;
        f->mean = (float)v;
    } else { /* in a third of that time it is there: a creeping value takes it along */
        const double part = 3 * (double)(now_ns - f->seen_ns) / (double)MEAN_NS;
        f->mean += (float)(off * (part < 1 ? part : 1));
        if (off * f->way < -band) /* back again: the arrow would say its contrary */
            f->way = 0;
    }
    note_off(f, off);
    f->seen_ns = now_ns;
}

struct fade_mark fade_at(const struct fade *f, uint64_t now_ns) {
    if (f->way == 0 || now_ns < f->moved_ns || now_ns - f->moved_ns >= MARK_NS)
        return (struct fade_mark){0, 0};
    return (struct fade_mark){STEPS - (int)((now_ns - f->moved_ns) * STEPS / MARK_NS), f->way};
}

uint32_t fade_glyph(struct fade_mark m) {
    return m.step == 0 ? ' ' : m.way > 0 ? 0x2191 : 0x2193;
}

enum style fade_style(struct fade_mark m) {
    static const enum style by_step[2][STEPS + 1] = {
        {STYLE_TEXT, STYLE_DIM, STYLE_DOWN_FADED, STYLE_DOWN},
        {STYLE_TEXT, STYLE_DIM, STYLE_UP_FADED, STYLE_UP},
    };
    return by_step[m.way > 0][m.step >= 0 && m.step <= STEPS ? m.step : 0];
}
