#include "ui/draw/area.h"

#include "base/str.h"
#include "ui/draw/widget.h"

#include <math.h>
#include <string.h>

/* A sum this near to 1 is 1 but for rounding and multiplexing: it is stretched or shrunk. */
static const double least_whole = 0.95;

enum { HATCH = 0x2591 };

/* One column: end[i] is the upper end of root i, in eighths of a row. */
struct pile {
    int end[AREA_ROOTS_MAX];
    int n;         /* roots */
    bool known;    /* at least one is */
    bool complete; /* all are */
};

static struct chart_values values_of(const struct area *a, const float *v) {
    return (struct chart_values){.v = v, .n = a->n, .first_ns = a->first_ns, .step_ns = a->step_ns};
}

static struct pile pile_of(const struct area *a, uint64_t t0_ns, uint64_t t1_ns, int height) {
    struct pile p = {.n = a->n_root < AREA_ROOTS_MAX ? a->n_root : AREA_ROOTS_MAX};
    double share[AREA_ROOTS_MAX], sum = 0;
    int known = 0;
    for (int i = 0; i < p.n; i++) {
        const struct chart_values cv = values_of(a, a->root[i].v);
        const double v = chart_column_of(&cv, t0_ns, t1_ns).mean;
        known += isfinite(v);
        share[i] = isfinite(v) && v > 0 ? v : 0;
        sum += share[i];
    }
    p.known = known > 0;
    p.complete = known == p.n;
    const double whole = sum > 1 || (p.complete && sum >= least_whole) ? sum : 1;
    double up = 0;
    for (int i = 0; i < p.n; i++) {
        up += share[i] / whole;
        p.end[i] = (int)lround((up < 1 ? up : 1) * height);
    }
    return p;
}

/* ---- cells ---- */

/* The two parts of a pile that take most of a cell, the lower one first; n stands for what is
 * above the pile. */
struct parts {
    int lower, upper; /* the same if the cell is of one kind */
    int eighths;      /* of the lower one */
};

/* Eighths of the cell from `low` that part i of the pile takes. */
static int share_of_cell(const struct pile *p, int i, int low) {
    const int from = i > 0 ? p->end[i - 1] : 0, to = i < p->n ? p->end[i] : low + 8;
    const int first = from > low ? from : low, last = to < low + 8 ? to : low + 8;
    return last > first ? last - first : 0;
}

static struct parts parts_of(const struct pile *p, int low) {
    int best = 0, second = -1, size[AREA_ROOTS_MAX + 1];
    for (int i = 0; i <= p->n; i++)
        size[i] = share_of_cell(p, i, low);
    for (int i = 1; i <= p->n; i++) {
        if (size[i] > size[best]) {
            second = best;
            best = i;
        } else if (second < 0 || size[i] > size[second]) {
            second = i;
        }
    }
    if (second < 0 || size[second] == 0)
        return (struct parts){best, best, 8};
    const int lower = best < second ? best : second, upper = best < second ? second : best;
    const int eighths =
        (size[lower] * 8 + (size[lower] + size[upper]) / 2) / (size[lower] + size[upper]);
    return (struct parts){lower, upper, eighths < 1 ? 1 : eighths > 7 ? 7 : eighths};
}

/* loud: the fill of the only root that has its hue; STYLE_TEXT: all have. */
static bool is_loud(const struct area_root *root, enum style loud) {
    return loud == STYLE_TEXT || root->fill == loud;
}

static enum style fill_of(const struct area_root *root, enum style loud) {
    return is_loud(root, loud) ? root->fill : root->grey;
}

static void put_letter(struct canvas *c, struct rect area, int x, int y, const struct area *a,
                       const struct pile *p, struct parts in, enum style loud) {
    const int i = in.eighths >= 4 ? in.lower : in.upper;
    if (i < p->n)
        canvas_put(c, area, x, y, is_loud(&a->root[i], loud) ? a->root[i].hue : STYLE_DIM,
                   (unsigned char)a->root[i].letter);
    else if (!p->complete)
        canvas_put(c, area, x, y, STYLE_AXIS, '?');
}

static void put_block(struct canvas *c, struct rect area, int x, int y, const struct area *a,
                      const struct pile *p, struct parts in, enum style loud) {
    const enum style lower = in.lower < p->n ? fill_of(&a->root[in.lower], loud) : STYLE_TEXT;
    const enum style upper = in.upper < p->n ? fill_of(&a->root[in.upper], loud) : STYLE_TEXT;
    if (in.lower == p->n) {
        if (!p->complete)
            canvas_put(c, area, x, y, STYLE_AXIS, HATCH);
    } else if (in.lower == in.upper || lower == STYLE_TEXT ||
               (upper == STYLE_TEXT && in.upper < p->n)) { /* a hatch takes a cell or none */
        widget_ground(c, (struct rect){x, y, 1, 1}, in.eighths >= 4 ? lower : upper);
    } else {
        canvas_put_on(c, area, x, y, lower, upper, chart_eighths(in.eighths));
    }
}

static void draw_column(struct canvas *c, struct rect area, int x, const struct area *a,
                        const struct pile *p, enum style loud) {
    for (int row = 0; p->known && row < area.h; row++) {
        const struct parts in = parts_of(p, row * 8);
        const int y = area.y + area.h - 1 - row;
        if (a->chart.glyph == CHART_ASCII)
            put_letter(c, area, area.x + x, y, a, p, in, loud);
        else
            put_block(c, area, area.x + x, y, a, p, in, loud);
    }
}

/* A ground cannot be shaded: the edges of the span are drawn on it. */
static void draw_edges(struct canvas *c, struct rect area, const struct chart *ch) {
    if (ch->span0_ns >= ch->span1_ns)
        return;
    chart_draw_upright(c, area, ch, ch->span0_ns + 1, STYLE_KEY, 0x258f);
    chart_draw_upright(c, area, ch, ch->span1_ns, STYLE_KEY, 0x2595);
}

/* ---- lane ---- */

enum {
    LANE_EMPTY = -3, /* no values at all */
    NAME_LEAST = 6,  /* columns of a run that can have a name */
    CUT_LEAST = 12,  /* columns of a longer name that still say something */
};

/* What was the bottleneck most often; of equals the newer one. */
static int lane_at(const struct area *a, uint64_t t0_ns, uint64_t t1_ns) {
    const struct chart_values cv = values_of(a, NULL);
    int i0, i1, best = AREA_UNKNOWN;
    int count[AREA_KEYS_MAX + 2]; /* of -2, -1, 0 ... */
    const int n_key = a->n_key < AREA_KEYS_MAX ? a->n_key : AREA_KEYS_MAX;
    for (int i = 0; i < n_key + 2; i++)
        count[i] = 0;
    if (!chart_indexes(&cv, t0_ns, t1_ns, &i0, &i1))
        return LANE_EMPTY;
    for (int i = i0; i < i1; i++) {
        int key = a->lane[i];
        if (key < AREA_UNKNOWN || key >= n_key)
            key = AREA_UNKNOWN;
        if (++count[key + 2] >= count[best + 2])
            best = key;
    }
    return best;
}

struct run {
    int from, to, key; /* cells */
};

static bool is_named(const struct run *r) {
    return r->to - r->from >= NAME_LEAST;
}

/* Its name where there is room, on its hue; in ASCII its letter is the hue. */
static void draw_run(struct canvas *c, struct rect lane, const struct area *a,
                     const struct run *run) {
    const bool ascii = a->chart.glyph == CHART_ASCII;
    const struct rect r = {lane.x + run->from, lane.y, run->to - run->from, 1};
    if (run->key < 0) {
        if (run->key == AREA_UNKNOWN)
            canvas_fill(c, r, STYLE_AXIS, ascii ? '?' : HATCH);
        return;
    }
    const struct area_key *k = &a->key[run->key];
    if (ascii)
        canvas_fill(c, r, k->fill, (unsigned char)k->letter);
    else
        widget_ground(c, r, k->fill);
    if (!is_named(run))
        return;
    canvas_put(c, r, r.x, r.y, k->fill, ascii ? (unsigned char)k->letter : 0x258f);
    canvas_put(c, r, r.x + 1, r.y, k->fill, ' ');
    if (str_width(k->name) > r.w - 3 && r.w - 3 < CUT_LEAST)
        return; /* "Me…" says nothing */
    const int used = widget_text(c, r, r.x + 2, r.y, r.w - 3, k->fill, k->name);
    canvas_put(c, r, r.x + 2 + used, r.y, k->fill, ' ');
}

/* Nodes of one root that are too short to be named are one stretch of its hue. */
static bool goes_on(const struct area *a, const struct run *r, int key) {
    return key == r->key || (key >= 0 && r->key >= 0 && a->key[key].fill == a->key[r->key].fill);
}

/* What the lane draws next, and what may follow it. */
struct phases {
    struct run run, next;
};

/* Phases, not moments: a change that is too short to be named does not interrupt what it is in.
 * Cell x has this key; at the end LANE_EMPTY. */
static void add_cell(struct canvas *c, struct rect lane, const struct area *a, struct phases *p,
                     int x, int key, bool end) {
    struct run *run = &p->run, *next = &p->next;
    if (key != next->key || end) {
        if (next->to > next->from && goes_on(a, run, next->key) &&
            (!is_named(next) || !is_named(run))) {
            if (is_named(next))
                run->key = next->key;
            run->to = next->to;
        } else {
            draw_run(c, lane, a, run);
            *run = *next;
        }
        *next = (struct run){x, x, key};
    }
    next->to = x + 1;
    if (end)
        draw_run(c, lane, a, run);
}

void area_draw(struct canvas *c, struct rect r, const struct area *a) {
    const int lanes = area_lanes(a);
    const struct rect area = chart_area(r, lanes);
    const struct scale whole = {.low = 0, .top = 1, .share = true};
    if (area.w <= 0 || area.h <= 0)
        return;
    struct chart ch = a->chart;
    ch.y = &whole;
    ch.plain = ch.through = true;
    chart_draw_back(c, r, lanes, &ch);
    const int cells = area.w < ch.x.cells ? area.w : ch.x.cells;
    const struct rect lane = {area.x, area.y + area.h, area.w, 1};
    struct phases phases = {{0, 0, LANE_EMPTY}, {0, 0, LANE_EMPTY}};
    for (int x = 0; x < cells; x++) {
        const uint64_t t0_ns = scale_time_begin(&ch.x, x), t1_ns = scale_time_begin(&ch.x, x + 1);
        const struct pile p = pile_of(a, t0_ns, t1_ns, area.h * 8);
        const int key = lanes ? lane_at(a, t0_ns, t1_ns) : LANE_EMPTY;
        draw_column(c, area, x, a, &p, key >= 0 ? a->key[key].fill : STYLE_TEXT);
        if (lanes)
            add_cell(c, lane, a, &phases, x, key, false);
    }
    if (lanes) {
        add_cell(c, lane, a, &phases, cells, LANE_EMPTY, true);
        if (area.x > r.x)
            widget_right(c, r, r.x, lane.y, area.x - 2 - r.x, STYLE_AXIS, "phase");
    }
    draw_edges(c, area, &ch);
    chart_draw_front(c, r, lanes, &ch);
}
