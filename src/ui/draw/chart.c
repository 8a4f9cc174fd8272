#include "ui/draw/chart.h"

#include "base/str.h"
#include "ui/draw/widget.h"

#include <math.h>
#include <string.h>

/* The column of the axis line is the last of AXIS_W. */
enum { AXIS_W = SCALE_LABEL_W + 2, WIDE_ENOUGH = 3 * AXIS_W, HIGH_ENOUGH = 4, TICKS_MOST = 64 };

static int axis_w(struct rect r) {
    return r.w >= WIDE_ENOUGH ? AXIS_W : 0;
}

static int times_h(struct rect r, int lanes) {
    return r.h - lanes >= HIGH_ENOUGH ? 1 : 0;
}

struct rect chart_area(struct rect r, int lanes) {
    const int left = axis_w(r);
    struct rect area = {r.x + left, r.y, r.w - left, r.h - times_h(r, lanes) - lanes};
    if (area.w < 0)
        area.w = 0;
    if (area.h < 0)
        area.h = 0;
    return area;
}

/* ---- behind the curve ---- */

static bool is_hue(int st) {
    return st >= STYLE_FRONTEND && st <= STYLE_RETIRING;
}

static bool is_fill(int st) {
    return st >= STYLE_FRONTEND_FILL && st <= STYLE_RETIRING_GREY;
}

/* Fainter things than the curve, which may cover each other. */
static bool is_faint(const struct cell *cell) {
    return cell->cp == ' ' || cell->style == STYLE_BORDER || cell->style == STYLE_BAND ||
           cell->style == STYLE_LABEL || cell->style == STYLE_BASELINE;
}

void chart_put_behind(struct canvas *c, struct rect area, int x, int y, enum style st,
                      uint32_t cp) {
    if (x < 0 || y < 0 || x >= c->w || y >= c->h)
        return;
    const struct cell *cell = &c->at[(size_t)y * (size_t)c->w + (size_t)x];
    const bool full = cell->cp == 0x2588;
    if (cell->ground)
        return;
    if (is_fill(cell->style))
        canvas_put(c, area, x, y, (enum style)cell->style, cp);
    else if (full && is_hue(cell->style))
        canvas_put(c, area, x, y, cell->style - STYLE_FRONTEND + STYLE_FRONTEND_FILL, cp);
    else if (full || is_faint(cell))
        canvas_put(c, area, x, y, st, cp);
}

/* ---- lines across ---- */

/*
 * One period of a rule: characters of neighbouring cells, 0 = none. The braille ones stand for
 * their dots alone: the row of dots within the cell is that of the value.
 */
static const struct pattern {
    enum style st;
    uint32_t cell[3][4]; /* [glyph][x % n] */
    int n;
} patterns[] = {
    [CHART_GRID] = {STYLE_BORDER, {{1, 0}, {0x00b7, 0}, {0, 0}}, 2},
    [CHART_THRESHOLD] = {STYLE_LABEL, {{1, 1}, {0x2508, 0x2508}, {'.', ' '}}, 2},
    [CHART_BASELINE] = {STYLE_BASELINE,
                        {{3, 3, 3, 0}, {0x2500, 0x2500, 0x2500, 0}, {'=', '=', '=', 0}},
                        4},
};

/* Dots of one row of a braille cell, the lowest first: left alone, right alone, both (Unicode,
 * Braille Patterns: 7 3 2 1 and 8 6 5 4 from below). */
static uint32_t braille_row(int row, uint32_t which) {
    static const uint8_t left[4] = {0x40, 0x04, 0x02, 0x01}, right[4] = {0x80, 0x20, 0x10, 0x08};
    return 0x2800u | ((which & 1) ? left[row] : 0u) | ((which & 2) ? right[row] : 0u);
}

/* A full block of no hue has no ground that a line could be drawn on: it would be cut in two. */
static bool is_solid(const struct canvas *c, int x, int y) {
    if (x < 0 || y < 0 || x >= c->w || y >= c->h)
        return false;
    const struct cell *cell = &c->at[(size_t)y * (size_t)c->w + (size_t)x];
    return cell->cp == 0x2588 && !is_hue(cell->style);
}

void chart_draw_rule(struct canvas *c, struct rect area, const struct chart *ch,
                     enum chart_rule rule, double v) {
    const struct pattern *p = &patterns[rule];
    if (isnan(v) || scale_above(ch->y, v) || scale_below(ch->y, v) || area.h <= 0)
        return;
    const int dot = scale_part(ch->y, v, area.h * 4), y = area.y + area.h - 1 - dot / 4;
    for (int x = 0; x < area.w; x++) {
        uint32_t cp = p->cell[ch->glyph][x % p->n];
        if (cp && ch->glyph == CHART_BRAILLE)
            cp = braille_row(dot % 4, cp);
        if (cp && !is_solid(c, area.x + x, y))
            chart_put_behind(c, area, area.x + x, y, p->st, cp);
    }
}

const char *chart_rule_sample(enum chart_glyph glyph, enum chart_rule rule) {
    static const char *const text[3][3] = {
        [CHART_BRAILLE] = {"⠂ ⠂", "⠂⠂⠂", "⠒⠒⠒"},
        [CHART_BLOCKS] = {"· ·", "┈┈┈", "───"},
        [CHART_ASCII] = {"   ", ". .", "==="},
    };
    return text[glyph][rule];
}

/* ---- axes ---- */

static void draw_axis_line(struct canvas *c, struct rect area, const struct chart *ch) {
    const uint32_t cp = ch->glyph == CHART_ASCII ? '|' : 0x2502;
    canvas_fill(c, (struct rect){area.x - 1, area.y, 1, area.h}, STYLE_AXIS, cp);
}

static void draw_number(struct canvas *c, struct rect r, struct rect area, const struct chart *ch,
                        double step, double v) {
    char text[SCALE_LABEL_MAX];
    scale_label(text, sizeof(text), ch->y, step, v);
    const int y = area.y + area.h - 1 - scale_part(ch->y, v, area.h);
    const uint32_t tick = ch->glyph == CHART_ASCII ? '+' : 0x2524;
    canvas_text(c, r, area.x - 2 - str_width(text), y, STYLE_AXIS, text);
    canvas_put(c, r, area.x - 1, y, STYLE_AXIS, tick);
}

/* Numbers and grid, from below. The line at 0 of an axis that begins there would be its edge. */
static void draw_numbers(struct canvas *c, struct rect r, struct rect area,
                         const struct chart *ch) {
    const double step = scale_step(ch->y, area.h);
    const double first = scale_first(ch->y, step), edge = step * 1e-6;
    if (axis_w(r))
        draw_axis_line(c, area, ch);
    for (int i = 0; first + i * step <= ch->y->top + edge; i++) {
        const double v = first + i * step;
        if (!ch->plain && v > ch->y->low + edge)
            chart_draw_rule(c, area, ch, CHART_GRID, v);
        if (axis_w(r))
            draw_number(c, r, area, ch, step, v);
    }
}

/* True where the hand of the cursor or an end of the span will stand in the text of a time. */
static bool is_taken(const struct chart *ch, const struct scale_tick *tick) {
    const bool span = ch->span0_ns < ch->span1_ns, begun = span || ch->span1_ns == 0;
    const uint64_t at_ns[] = {ch->cursor_ns, begun && ch->span0_ns ? ch->span0_ns + 1 : 0,
                              span ? ch->span1_ns : 0};
    for (int i = 0; i < 3; i++) {
        const int x = at_ns[i] ? scale_time_x(&ch->x, at_ns[i]) : -1;
        if (x >= tick->x && x <= tick->x + str_width(tick->text))
            return true;
    }
    return false;
}

static void draw_times(struct canvas *c, struct rect r, struct rect times, const struct chart *ch) {
    struct scale_tick tick[TICKS_MOST];
    const int n = scale_time_ticks(&ch->x, ch->words, ch->clock_s, tick, TICKS_MOST);
    for (int i = 0; i < n; i++) {
        if (is_taken(ch, &tick[i]))
            continue;
        canvas_put(c, times, times.x + tick[i].x, times.y, STYLE_AXIS,
                   ch->glyph == CHART_ASCII ? '|' : 0x2575);
        canvas_text(c, times, times.x + tick[i].x + 1, times.y, STYLE_AXIS, tick[i].text);
    }
    if (ch->words == SCALE_AGO)
        canvas_text(c, times, times.x + times.w - 3, times.y, STYLE_AXIS, "now");
    if (ch->unit && axis_w(r) && str_width(ch->unit) <= SCALE_LABEL_W)
        canvas_text(c, r, times.x - 2 - str_width(ch->unit), times.y, STYLE_AXIS, ch->unit);
}

/* ---- moments ---- */

void chart_draw_upright(struct canvas *c, struct rect area, const struct chart *ch, uint64_t t_ns,
                        enum style st, uint32_t cp) {
    const int x = t_ns ? scale_time_x(&ch->x, t_ns) : -1;
    const bool ascii = ch->glyph == CHART_ASCII;
    for (int y = 0; x >= 0 && x < area.w && y < area.h; y++)
        if (ascii && ch->through)
            canvas_put(c, area, area.x + x, area.y + y, st, '|');
        else
            chart_put_behind(c, area, area.x + x, area.y + y, st, ascii ? '|' : cp);
}

static struct rect times_of(struct rect r, struct rect area, int lanes) {
    return (struct rect){area.x, area.y + area.h + lanes, area.w, times_h(r, lanes)};
}

void chart_draw_back(struct canvas *c, struct rect r, int lanes, const struct chart *ch) {
    const struct rect area = chart_area(r, lanes);
    if (area.w <= 0 || area.h <= 0)
        return;
    draw_numbers(c, r, area, ch);
    draw_times(c, r, times_of(r, area, lanes), ch);
}

/* From the newest to the oldest: each ends before the next one begins. */
static void draw_names(struct canvas *c, struct rect area, const struct chart *ch) {
    int end = area.w;
    for (int i = ch->n_mark - 1; i >= 0; i--) {
        const int x = scale_time_x(&ch->x, ch->mark[i].t_ns);
        if (x < 0 || x >= end || !ch->mark[i].name[0])
            continue;
        const struct rect room = {area.x + x, area.y, end - x, area.h > 0 ? 1 : 0};
        widget_text(c, room, room.x, room.y, room.w, STYLE_MARK, ch->mark[i].name);
        end = x - 1;
    }
}

static void draw_span(struct canvas *c, struct rect area, struct rect times,
                      const struct chart *ch) {
    const uint64_t axis_end = scale_time_at(&ch->x, ch->x.cells);
    if (ch->span1_ns == 0 && ch->span0_ns > 0) { /* it has only begun */
        const int x = scale_time_x(&ch->x, ch->span0_ns + 1);
        if (x >= 0)
            canvas_put(c, times, area.x + x, times.y, STYLE_KEY, '[');
    }
    if (ch->span0_ns >= ch->span1_ns || ch->span1_ns <= ch->x.from_ns || ch->span0_ns >= axis_end)
        return;
    const int from = scale_time_x(&ch->x, ch->span0_ns + 1),
              to = scale_time_x(&ch->x, ch->span1_ns);
    const int first = from >= 0 ? from : 0, last = to >= 0 && to < area.w ? to : area.w - 1;
    canvas_select(c, (struct rect){area.x + first, area.y, last - first + 1, area.h});
    if (from >= 0)
        canvas_put(c, times, area.x + from, times.y, STYLE_KEY, '[');
    if (to >= 0)
        canvas_put(c, times, area.x + to, times.y, STYLE_KEY, ']');
}

void chart_draw_front(struct canvas *c, struct rect r, int lanes, const struct chart *ch) {
    const struct rect area = chart_area(r, lanes), times = times_of(r, area, lanes);
    if (area.w <= 0 || area.h <= 0)
        return;
    for (int i = 0; i < ch->n_mark; i++)
        chart_draw_upright(c, area, ch, ch->mark[i].t_ns, STYLE_MARK, 0x254e);
    chart_draw_upright(c, area, ch, ch->cursor_ns, STYLE_KEY, 0x2502);
    draw_names(c, area, ch);
    draw_span(c, area, times, ch);
    const int x = ch->cursor_ns ? scale_time_x(&ch->x, ch->cursor_ns) : -1;
    if (x >= 0)
        canvas_put(c, times, area.x + x, times.y, STYLE_KEY,
                   ch->glyph == CHART_ASCII ? '^' : 0x25b2);
}

/* ---- values ---- */

/* Index of the value that covers t_ns > first_ns; may be n and more. */
static uint64_t index_at(const struct chart_values *cv, uint64_t t_ns) {
    return (t_ns - cv->first_ns - 1) / cv->step_ns;
}

bool chart_indexes(const struct chart_values *cv, uint64_t t0_ns, uint64_t t1_ns, int *i0,
                   int *i1) {
    const uint64_t n = cv->n > 0 ? (uint64_t)cv->n : 0;
    if (n == 0 || t1_ns <= cv->first_ns || t1_ns <= t0_ns)
        return false;
    const uint64_t passed = t1_ns - cv->first_ns;
    uint64_t end = passed / cv->step_ns; /* values that ended by t1 */
    uint64_t begin = t0_ns > cv->first_ns ? (t0_ns - cv->first_ns) / cv->step_ns : 0;
    if (begin >= end) { /* none ends here: it lies within one */
        begin = index_at(cv, t0_ns >= cv->first_ns ? t0_ns + (t1_ns - t0_ns + 1) / 2 : t1_ns);
        end = begin + 1;
    }
    if (begin >= n)
        return false;
    *i0 = (int)begin;
    *i1 = (int)(end < n ? end : n);
    return true;
}

struct chart_column chart_column_of(const struct chart_values *cv, uint64_t t0_ns, uint64_t t1_ns) {
    struct chart_column col = {(double)NAN, (double)NAN, (double)NAN, (double)NAN, 0};
    double sum = 0, sum_err = 0;
    int i0, i1, n_err = 0;
    if (!chart_indexes(cv, t0_ns, t1_ns, &i0, &i1))
        return col;
    for (int i = i0; i < i1; i++) {
        const double v = (double)cv->v[i];
        if (isnan(v))
            continue;
        col.min = col.n && col.min <= v ? col.min : v;
        col.max = col.n && col.max >= v ? col.max : v;
        col.n++;
        sum += v;
        if (cv->err && isfinite(cv->err[i])) {
            sum_err += fabs((double)cv->err[i]);
            n_err++;
        }
    }
    if (col.n && !isnan(sum)) /* the sum of both infinities is nothing that could be drawn */
        col.mean = sum / col.n;
    if (n_err)
        col.err = sum_err / n_err;
    return col;
}

void chart_range(const struct chart_values *cv, const struct scale_time *x, double *min,
                 double *max) {
    int i0, i1;
    *min = *max = (double)NAN;
    if (x->cells <= 0 || !chart_indexes(cv, x->from_ns, scale_time_at(x, x->cells), &i0, &i1))
        return;
    for (int i = i0; i < i1; i++) {
        const double v = (double)cv->v[i];
        if (!isfinite(v))
            continue;
        *min = *min <= v ? *min : v;
        *max = *max >= v ? *max : v;
    }
}
