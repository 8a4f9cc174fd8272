/*
 * The area is drawn cell column by cell column. First the columns of dots are turned into heights:
 * of the line, of its envelope, of its band. A step from one height to the next is shared between
 * the two columns, so that steep lines do not look like stairs; a cell in which the line runs shows
 * nothing else, because a cell has one style.
 */
#include "ui/draw/plot.h"

#include <math.h>

enum { NOTHING = -1 };

/* Parts of the height, counted from below; low > high: nothing. */
struct reach {
    int low, high;
};

static const struct reach none = {0, NOTHING};

/* A column of dots (or of characters). */
struct spot {
    int at; /* height of the line; NOTHING: a gap */
    struct reach envelope, band;
    bool above, below; /* the axis */
};

/* The curve, and the grid that it is drawn on: parts are dots, eighths or thirds of a row. */
struct pencil {
    struct canvas *c;
    struct rect area;
    const struct chart *ch;
    const struct chart_values *cv;
    enum style st;
    int columns; /* per cell */
    int parts;   /* per cell */
};

/* ---- from values to heights ---- */

static uint64_t begin_of(const struct pencil *p, int column) {
    const struct scale_time *t = &p->ch->x;
    const uint64_t x = (uint64_t)(column / p->columns), part = (uint64_t)(column % p->columns);
    const uint64_t begin_ns = scale_time_begin(t, (int)x);
    return (int)x < t->blank ? begin_ns : begin_ns + t->cell_ns * part / (uint64_t)p->columns;
}

/* Between the middles of two values that are longer than a column. NAN if one is not known. */
static double between(const struct chart_values *cv, uint64_t t_ns) {
    const double at = ((double)t_ns - (double)cv->first_ns) / (double)cv->step_ns - 0.5;
    const double i = floor(at);
    if (i < 0 || i + 1 >= cv->n)
        return (double)NAN;
    const double a = (double)cv->v[(int)i], b = (double)cv->v[(int)i + 1];
    return isfinite(a) && isfinite(b) ? a + (b - a) * (at - i) : (double)NAN;
}

static struct reach reach_of(const struct pencil *p, double low, double high) {
    const struct scale *y = p->ch->y;
    const int n = p->area.h * p->parts;
    if (isnan(low) || isnan(high) || scale_above(y, low) || scale_below(y, high))
        return none;
    return (struct reach){scale_part(y, low, n), scale_part(y, high, n)};
}

/* Part of the height where 0 is: columns stand on it, or hang from it. At the nearest edge of a
 * row, because there are no upper eighths; with a row on each side where there are numbers. */
static int ground_of(const struct pencil *p) {
    const struct scale *y = p->ch->y;
    const int h = p->area.h;
    if (y->low >= 0)
        return 0;
    int row = (scale_part(y, 0, 2 * h) + 1) / 2;
    if (y->top > 0 && row > h - 1)
        row = h - 1;
    return (row > 0 || h == 1 ? row : 1) * p->parts;
}

/* Columns of blocks end at the nearest part; a line goes through the part that holds the value. */
static int height_of(const struct pencil *p, double v) {
    const struct scale *y = p->ch->y;
    const int n = p->area.h * p->parts;
    if (p->ch->glyph != CHART_BLOCKS)
        return scale_part(y, v, n);
    const double half = (y->top - y->low) / (2 * n);
    const int at = scale_part(y, v >= 0 ? v - half : v + half, n), ground = ground_of(p);
    const int zero = scale_part(y, 0, n); /* what cannot be told from it is next to the ground */
    if (v >= 0)
        return at <= zero || at < ground ? ground : at;
    return at < zero && at < ground ? at : ground > 0 ? ground - 1 : 0;
}

static struct spot spot_of(const struct pencil *p, int column) {
    struct spot s = {NOTHING, none, none, false, false};
    if (column < 0 || column >= p->ch->x.cells * p->columns)
        return s;
    const uint64_t t0_ns = begin_of(p, column), t1_ns = begin_of(p, column + 1);
    struct chart_column col = chart_column_of(p->cv, t0_ns, t1_ns);
    if (isnan(col.mean))
        return s;
    const bool joins = p->cv->step_ns > t1_ns - t0_ns && p->ch->glyph != CHART_BLOCKS;
    const double way = joins ? between(p->cv, t0_ns + (t1_ns - t0_ns) / 2) : (double)NAN;
    if (!isnan(way))
        col.mean = way;
    s.at = height_of(p, col.mean);
    s.above = scale_above(p->ch->y, col.mean);
    s.below = scale_below(p->ch->y, col.mean);
    if (col.n > 1)
        s.envelope = reach_of(p, col.min, col.max);
    if (col.err > 0)
        s.band = reach_of(p, col.mean - col.err, col.mean + col.err);
    return s;
}

/* The line within a column: its height, and its half of the way to either neighbour. */
static struct reach stroke(int before, int at, int after) {
    struct reach r = {at, at};
    if (at == NOTHING)
        return none;
    if (before != NOTHING && before < at)
        r.low = (before + at) / 2 + 1;
    if (before != NOTHING && before > at)
        r.high = (before + at + 1) / 2 - 1;
    if (after != NOTHING && after > at && (at + after) / 2 > r.high)
        r.high = (at + after) / 2;
    if (after != NOTHING && after < at && (at + after + 1) / 2 < r.low)
        r.low = (at + after + 1) / 2;
    if (r.low > at)
        r.low = at;
    if (r.high < at)
        r.high = at;
    return r;
}

static bool holds(struct reach r, int part) {
    return part >= r.low && part <= r.high;
}

static bool meets(struct reach r, int low, int high) {
    return r.low <= high && r.high >= low && r.low <= r.high;
}

static void put(const struct pencil *p, int x, int row, enum style st, uint32_t cp) {
    canvas_put(p->c, p->area, p->area.x + x, p->area.y + p->area.h - 1 - row, st, cp);
}

static void put_faint(const struct pencil *p, int x, int row, uint32_t cp) {
    chart_put_behind(p->c, p->area, p->area.x + x, p->area.y + p->area.h - 1 - row, STYLE_BAND, cp);
}

/* ---- braille ---- */

/* Unicode, Braille Patterns: bit n is dot n + 1; 1 2 3 7 are the left column from the top. */
static const uint8_t dot_bit[2][4] = {{0x40, 0x04, 0x02, 0x01}, {0x80, 0x20, 0x10, 0x08}};

/* How dense a reach is drawn: every dot; every other one, as on a chess board; one of four. */
enum tone { SOLID, HALF, QUARTER };

static bool is_lit(enum tone tone, int side, int i) {
    return tone == SOLID || (tone == HALF ? (side + i) % 2 == 0 : side == 0 && i % 2 == 0);
}

/* Dots of a reach in one column of a cell. */
static uint32_t dots_of(struct reach r, int side, int row, enum tone tone) {
    uint32_t bits = 0;
    for (int i = 0; i < 4; i++)
        if (holds(r, row * 4 + i) && is_lit(tone, side, i))
            bits |= dot_bit[side][i];
    return bits;
}

struct braille_cell {
    struct reach line[2], envelope[2], band[2];
};

static void put_braille(const struct pencil *p, int x, int row, const struct braille_cell *b) {
    uint32_t line = 0, faint = 0;
    for (int side = 0; side < 2; side++) {
        line |= dots_of(b->line[side], side, row, SOLID);
        faint |= dots_of(b->envelope[side], side, row, HALF);
        faint |= dots_of(b->band[side], side, row, QUARTER);
    }
    if (line)
        put(p, x, row, p->st, 0x2800 | line);
    else if (faint)
        put_faint(p, x, row, 0x2800 | faint);
}

static struct reach joined(struct reach a, struct reach b) {
    if (a.low > a.high)
        return b;
    if (b.low > b.high)
        return a;
    return (struct reach){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

/* s: the column before the cell, its two, and the one behind it. */
static void draw_braille(const struct pencil *p, int x, const struct spot *s) {
    struct braille_cell b;
    struct reach all = none;
    for (int k = 0; k < 2; k++) {
        b.line[k] = stroke(s[k].at, s[k + 1].at, s[k + 2].at);
        b.envelope[k] = s[k + 1].envelope;
        b.band[k] = s[k + 1].band;
        all = joined(joined(all, b.line[k]), joined(b.envelope[k], b.band[k]));
    }
    for (int row = all.low / 4; all.high >= 0 && row <= all.high / 4; row++)
        put_braille(p, x, row, &b);
}

/* ---- blocks ---- */

static bool has_fill(const struct pencil *p) {
    return p->st >= STYLE_FRONTEND && p->st <= STYLE_RETIRING;
}

/* Without colours another texture than that of the bar. */
static enum style shade_of(const struct pencil *p) {
    return p->st == STYLE_FRONTEND ? STYLE_BADSPEC_GREY : STYLE_FRONTEND_GREY;
}

/* Up to its edge, of which the rest of the cell is a shade if it may be that much. */
static void put_fill(const struct pencil *p, int x, int row, int filled, bool shaded) {
    const enum style fill = p->st - STYLE_FRONTEND + STYLE_FRONTEND_QUIET;
    if (filled >= 8)
        put(p, x, row, fill, ' ');
    else
        canvas_put_on(p->c, p->area, p->area.x + x, p->area.y + p->area.h - 1 - row, fill,
                      shaded ? shade_of(p) : STYLE_TEXT, chart_eighths(filled));
}

/* high: how far up it may be. */
static void put_block(const struct pencil *p, int x, int row, struct reach bar, int high) {
    const int low = row * 8, filled = bar.high - low + 1;
    if (!meets(bar, low, low + 7))
        return;
    if (bar.low > low) /* hangs: half a cell is the finest there is */
        put(p, x, row, p->st, bar.low - low < 4 ? 0x2588 : 0x2580);
    else if (has_fill(p))
        put_fill(p, x, row, filled, high >= low + 7);
    else
        put(p, x, row, p->st, chart_eighths(filled > 8 ? 8 : filled));
}

/* How far up it may be: a shade above the bar. What it may be less is as much. */
static void put_shade(const struct pencil *p, int x, int at, int high) {
    for (int row = at / 8 + 1; row * 8 <= high && row < p->area.h; row++) {
        const int filled = high - row * 8 + 1, y = p->area.y + p->area.h - 1 - row;
        if (!has_fill(p)) {
            if (filled > 4)
                put_faint(p, x, row, 0x2592);
        } else if (filled >= 8) {
            put(p, x, row, shade_of(p), ' ');
        } else {
            canvas_put_on(p->c, p->area, p->area.x + x, y, shade_of(p), STYLE_TEXT,
                          chart_eighths(filled));
        }
    }
}

static void draw_blocks(const struct pencil *p, int x, const struct spot *s) {
    const int ground = ground_of(p), at = s[1].at;
    const struct reach warning = joined(s[1].envelope, s[1].band);
    if (at == NOTHING)
        return;
    const struct reach bar = {at < ground ? at : ground, at < ground ? ground - 1 : at};
    for (int row = 0; row < p->area.h; row++)
        put_block(p, x, row, bar, warning.high);
    if (at >= ground)
        put_shade(p, x, at, warning.high);
}

/* ---- ASCII ---- */

/* A third of a row each, from below. */
static const char third[3] = {'_', '-', '\''};

static void put_ascii(const struct pencil *p, int x, int row, struct reach line,
                      const struct spot *s) {
    const int low = row * 3, high = low + 2;
    if (holds((struct reach){low, high}, s->at))
        put(p, x, row, p->st, (unsigned char)third[s->at - low]);
    else if (meets(line, low, high))
        put(p, x, row, p->st, '|');
    else if (meets(joined(s->envelope, s->band), low, high))
        put_faint(p, x, row, ':');
}

static void draw_ascii(const struct pencil *p, int x, const struct spot *s) {
    if (s[1].at == NOTHING)
        return;
    const struct reach line = stroke(s[0].at, s[1].at, s[2].at);
    for (int row = 0; row < p->area.h; row++)
        put_ascii(p, x, row, line, &s[1]);
}

/* ---- the whole ---- */

/* Each draws cell x from the columns s[0] (before it) to s[columns + 1] (behind it). */
static const struct shape {
    int columns, parts;
    void (*draw)(const struct pencil *p, int x, const struct spot *s);
    uint32_t gap, above, below;
} shapes[] = {
    [CHART_BRAILLE] = {2, 4, draw_braille, 0x2591, 0x25b4, 0x25be},
    [CHART_BLOCKS] = {1, 8, draw_blocks, 0x2591, 0x25b4, 0x25be},
    [CHART_ASCII] = {1, 3, draw_ascii, '?', '^', 'v'},
};

/* True where values were due and none is known. */
static bool is_gap(const struct pencil *p, int x, const struct spot *s) {
    const struct chart_values *cv = p->cv;
    for (int k = 1; k <= p->columns; k++)
        if (s[k].at != NOTHING)
            return false;
    const uint64_t t0_ns = begin_of(p, x * p->columns), t1_ns = begin_of(p, (x + 1) * p->columns);
    return t1_ns > t0_ns && t0_ns >= cv->first_ns &&
           t1_ns <= cv->first_ns + (uint64_t)cv->n * cv->step_ns;
}

static void draw_edges(const struct pencil *p, int x, const struct spot *s) {
    const struct shape *sh = &shapes[p->ch->glyph];
    if (is_gap(p, x, s))
        put(p, x, 0, STYLE_AXIS, sh->gap);
    for (int k = 1; k <= p->columns; k++) {
        if (s[k].above)
            put(p, x, p->area.h - 1, STYLE_WARN, sh->above);
        if (s[k].below)
            put(p, x, 0, STYLE_WARN, sh->below);
    }
}

void plot_draw_line(struct canvas *c, struct rect area, const struct chart *ch,
                    const struct chart_values *cv, enum style st) {
    const struct shape *sh = &shapes[ch->glyph];
    const struct pencil p = {c, area, ch, cv, st, sh->columns, sh->parts};
    const int cells = area.w < ch->x.cells ? area.w : ch->x.cells;
    if (area.h <= 0 || cv->n <= 0)
        return;
    struct spot s[4] = {{NOTHING, none, none, false, false}};
    for (int k = 1; k <= sh->columns; k++)
        s[k] = spot_of(&p, k - 1);
    for (int x = 0; x < cells; x++) {
        s[sh->columns + 1] = spot_of(&p, (x + 1) * sh->columns);
        sh->draw(&p, x, s);
        draw_edges(&p, x, s);
        s[0] = s[sh->columns];
        s[1] = s[sh->columns + 1];
        if (sh->columns == 2)
            s[2] = spot_of(&p, (x + 1) * 2 + 1);
    }
}

bool plot_has_gap(const struct plot *p) {
    const struct chart_values *cv = &p->values;
    const uint64_t end_ns = cv->first_ns + (uint64_t)cv->n * cv->step_ns;
    for (int x = 0; x < p->chart.x.cells; x++) {
        const uint64_t t0_ns = scale_time_begin(&p->chart.x, x),
                       t1_ns = scale_time_begin(&p->chart.x, x + 1);
        if (t1_ns > t0_ns && t0_ns >= cv->first_ns && t1_ns <= end_ns &&
            isnan(chart_column_of(cv, t0_ns, t1_ns).mean))
            return true;
    }
    return false;
}

const char *plot_gap_sample(enum chart_glyph glyph) {
    return glyph == CHART_ASCII ? "???" : "░░░";
}

void plot_range(const struct plot *p, double *min, double *max) {
    chart_range(&p->values, &p->chart.x, min, max);
    const double rule[2] = {p->threshold, p->baseline};
    const double most = 2 * *max;
    for (int i = 0; i < 2; i++)
        if (rule[i] > *max && rule[i] <= most)
            *max = rule[i];
}

void plot_draw(struct canvas *c, struct rect r, const struct plot *p) {
    const struct rect area = chart_area(r, 0);
    if (area.w <= 0 || area.h <= 0)
        return;
    chart_draw_back(c, r, 0, &p->chart);
    plot_draw_line(c, area, &p->chart, &p->values, p->style);
    chart_draw_rule(c, area, &p->chart, CHART_THRESHOLD, p->threshold);
    chart_draw_rule(c, area, &p->chart, CHART_BASELINE, p->baseline);
    chart_draw_front(c, r, 0, &p->chart);
}
