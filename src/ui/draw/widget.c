#include "ui/draw/widget.h"

#include "base/str.h"

#include <math.h>

/* Bytes of the longest beginning of s that takes at most w columns; *used gets its columns. */
static size_t fitting(const char *s, int w, int *used) {
    size_t at = 0;
    *used = 0;
    while (s[at]) {
        size_t len = 1;
        const bool plain = str_cp_plain((unsigned char)s[at]);
        int cols = plain ? 1 : str_cp_width(str_decode(s + at, &len));
        if (*used + cols > w)
            break;
        *used += cols;
        at += len;
    }
    return at;
}

int widget_text(struct canvas *c, struct rect clip, int x, int y, int w, enum style st,
                const char *utf8) {
    if (w <= 0)
        return 0;
    int used;
    if (utf8[fitting(utf8, w, &used)] == '\0') {
        canvas_text(c, clip, x, y, st, utf8);
        return used;
    }
    int room = (int)fitting(utf8, w - 1, &used);
    canvas_printf(c, clip, x, y, st, "%.*s", room, utf8);
    canvas_put(c, clip, x + used, y, st, 0x2026);
    return used + 1;
}

void widget_right(struct canvas *c, struct rect clip, int x, int y, int w, enum style st,
                  const char *utf8) {
    int cols = str_width(utf8);
    int pad = cols < w ? w - cols : 0;
    widget_text(c, clip, x + pad, y, w - pad, st, utf8);
}

void widget_rule(struct canvas *c, struct rect clip, int x, int y, int w, enum style st) {
    for (int i = 0; i < w; i++)
        canvas_put(c, clip, x + i, y, st, 0x2500);
}

void widget_box(struct canvas *c, struct rect r) {
    const int right = r.x + r.w - 1, bottom = r.y + r.h - 1;
    widget_rule(c, r, r.x + 1, r.y, r.w - 2, STYLE_BORDER);
    widget_rule(c, r, r.x + 1, bottom, r.w - 2, STYLE_BORDER);
    for (int y = r.y + 1; y < bottom; y++) {
        canvas_put(c, r, r.x, y, STYLE_BORDER, 0x2502);
        canvas_put(c, r, right, y, STYLE_BORDER, 0x2502);
    }
    canvas_put(c, r, r.x, r.y, STYLE_BORDER, 0x256d);
    canvas_put(c, r, right, r.y, STYLE_BORDER, 0x256e);
    canvas_put(c, r, r.x, bottom, STYLE_BORDER, 0x2570);
    canvas_put(c, r, right, bottom, STYLE_BORDER, 0x256f);
}

void widget_ground(struct canvas *c, struct rect r, enum style st) {
    bool fill = st != STYLE_TEXT;
    canvas_fill(c, r, fill ? st : STYLE_BORDER, fill ? ' ' : WIDGET_HATCH);
}

void widget_bar(struct canvas *c, struct rect clip, int x, int y, int w, enum style st,
                double share) {
    if (isnan(share) || share <= 0 || w <= 0)
        return;
    int eighths = share >= 1 ? w * 8 : (int)lround(share * w * 8);
    if (eighths == 0)
        eighths = 1;
    for (int i = 0; i < eighths / 8; i++)
        canvas_put(c, clip, x + i, y, st, 0x2588);
    if (eighths % 8) /* U+258F is one eighth, U+2589 seven */
        canvas_put(c, clip, x + eighths / 8, y, st, 0x2590 - (uint32_t)(eighths % 8));
}

/* Cells of a thin bar from the left: of half a cell, of a whole one, of one with the limit in it.
 */
static const struct {
    uint32_t half, whole, limit;
} strokes[2] = {{0x2578, 0x2501, 0x253f}, {0x2574, 0x2500, 0x253c}};

void widget_share(struct canvas *c, struct rect clip, int x, int y, int w, enum style st,
                  double share, bool hollow, double limit) {
    const bool known = share > 0 && w > 0, over = known && share >= limit;
    int halves = !known ? 0 : share >= 1 ? w * 2 : (int)lround(share * w * 2);
    if (known && halves == 0)
        halves = 1;
    const int cells = (halves + 1) / 2;
    for (int i = 0; i < cells; i++)
        canvas_put(c, clip, x + i, y, st,
                   2 * i + 1 == halves ? strokes[hollow].half : strokes[hollow].whole);
    if (!(limit >= 0 && limit <= 1))
        return;
    int at = (int)lround(limit * (w - 1)); /* on the bar or behind it, as it is true */
    at = over && at >= cells ? cells - 1 : !over && at < cells ? cells : at;
    if (at < w)
        canvas_put(c, clip, x + at, y, over ? STYLE_TITLE : STYLE_BORDER,
                   over ? strokes[hollow].limit : 0x250a);
}

double widget_nice_top(double max) {
    if (isnan(max) || max <= 0)
        return 1;
    double unit = pow(10, floor(log10(max)));
    static const double step[] = {1, 2.5, 5, 10};
    for (size_t i = 0; i < sizeof(step) / sizeof(step[0]); i++)
        if (max <= step[i] * unit * (1 + 1e-9))
            return step[i] * unit;
    return 10 * unit;
}
