/*
 * Where 100 % goes: level 1 as one stacked bar over the full width, names and numbers inside the
 * segments. The one that the bottleneck is in stands out, the others are quiet. The ends of
 * segments stay where they are until a share has moved by most of a cell: a bar that trembles
 * cannot be read and costs bytes.
 */
#include "base/str.h"
#include "ui/draw/widget.h"
#include "ui/draw/words.h"
#include "ui/scene/scene.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Ends of segments as they were drawn last. */
struct level1_state {
    int edge[ROOTS_MAX];   /* right end of each segment */
    int anchor[ROOTS_MAX]; /* where the text of each begins */
    int edge_w;            /* width those ends were made for; 0 = none yet */
    unsigned jumps;        /* of the scene then */
};

static struct level1_state *bar_of(const struct scene *sc) {
    return sc->state;
}

enum {
    NARROW = 50,      /* numbers have no room inside the segments below this */
    READABLE_W = 5,   /* " 2.6%": a segment with a name and a number in it */
    READABLE_FROM = 5 /* per thousand of the whole: less is not worth a place */
};

/* Roots that are shares, in model order. Returns how many. */
static int roots(const struct model *m, int *out) {
    int n = 0;
    for (int i = 0; i < (int)m->n_tree && n < ROOTS_MAX; i++)
        if (m->metric[i].level == 1 && m->metric[i].share)
            out[n++] = i;
    return n;
}

static double share_of(const struct frame *f, int metric) {
    double v = f->at[metric].v;
    return isnan(v) || v < 0 ? 0 : v;
}

static bool has_unknown(const struct frame *f, const int *root, int n) {
    for (int i = 0; i < n; i++)
        if (isnan(f->at[root[i]].v))
            return true;
    return false;
}

/* Widths in proportion; what is small, but not nothing, is wide enough to be read, at the cost of
 * the widest. */
static void widths(const struct frame *f, const int *root, int n, double whole, int w,
                   double *out) {
    int widest = 0;
    for (int i = 0; i < n; i++) {
        out[i] = share_of(f, root[i]) / whole * w;
        widest = out[i] > out[widest] ? i : widest;
    }
    for (int i = 0; w >= NARROW && i < n; i++) {
        const double more = READABLE_W - out[i];
        if (more <= 0 || out[i] * 1000 < READABLE_FROM * w || out[widest] < w / 4 + more)
            continue;
        out[i] += more;
        out[widest] -= more;
    }
}

/*
 * Right ends of the segments. A sum over 100 % is shrunk, one that is 100 % within the tolerance
 * fills the line; a smaller one leaves a rest, and so does one that lacks a root.
 */
static void place(const struct scene *sc, const int *root, int n, int w) {
    double sum = 0, at = 0, width[ROOTS_MAX];
    for (int i = 0; i < n; i++)
        sum += share_of(sc->frame, root[i]);
    if (sum < (has_unknown(sc->frame, root, n) ? 1 : 0.95))
        sum = 1;
    widths(sc->frame, root, n, sum, w, width);
    bool fresh = bar_of(sc)->edge_w != w;
    for (int i = 0; i < n; i++) {
        at += width[i];
        if (fresh || fabs(at - bar_of(sc)->edge[i]) > 0.8)
            bar_of(sc)->edge[i] = (int)lround(at);
        if (i > 0 && bar_of(sc)->edge[i] < bar_of(sc)->edge[i - 1])
            bar_of(sc)->edge[i] = bar_of(sc)->edge[i - 1];
    }
    bar_of(sc)->edge_w = w;
}

enum { TEXT = 128 };

/* The longest of the texts that fits into w columns; the last one may be empty. */
static const char *longest(char text[][TEXT], int n, int w) {
    int i = 0;
    while (i < n - 1 && str_width(text[i]) > w)
        i++;
    return str_width(text[i]) <= w ? text[i] : "";
}

enum { PADDED_W = 4 }; /* segments this wide begin with a blank */

struct segment {
    struct rect at;
    enum style fill;
    const struct metric *mt;
    char letter;
    bool loud; /* the bottleneck is in it */
    char number[32];
    char below[48], below_number[32]; /* " › MEMORY", " › 26.0%": where the path goes on; or "" */
    double percent;
    int *anchor; /* column where its text begins; kept while the text fits there */
    int after;   /* where the text of the segment before it ends */
    int tail;    /* blanks that it needs at its end: none if its neighbour begins with one */
};

static void to_capitals(char *p) {
    for (; *p; p++)
        *p = (char)toupper((unsigned char)*p);
}

/* "Backend"; in capitals where it stands out: colour alone would not tell everybody. */
static void name_of(const struct segment *sg, char *buf, size_t cap) {
    words_short(buf, cap, sg->mt);
    if (sg->loud)
        to_capitals(buf);
}

#define ONWARD " › "

/* The last node of the path that is a share of slots, too: the verdict is about it, or about what
 * is below it. */
static void add_below(const struct scene *sc, struct segment *sg) {
    const struct model *m = scene_model(sc);
    const struct bottleneck *b = &sc->frame->bottleneck;
    int last = 0;
    while (last + 1 < b->n && !metric_share_of(m, &m->metric[b->at[last + 1]]))
        last++;
    if (last == 0)
        return;
    const struct metric *mt = &m->metric[b->at[last]];
    char name[24], number[24];
    words_short(name, sizeof(name), mt);
    to_capitals(name);
    words_number(number, sizeof(number), mt, sc->frame->at[b->at[last]].v);
    snprintf(sg->below, sizeof(sg->below), ONWARD "%s", name);
    snprintf(sg->below_number, sizeof(sg->below_number), ONWARD "%s%%", number);
}

/* The most that can be said about a segment in w columns: its name, its number, or both. */
static void name_text(const struct segment *sg, int w, char *buf, size_t cap) {
    char name[32], text[4][TEXT];
    name_of(sg, name, sizeof(name));
    snprintf(text[0], sizeof(text[0]), "%s%s", name, sg->below);
    snprintf(text[1], sizeof(text[1]), "%s", name);
    words_brief(text[2], sizeof(text[2]), sg->mt);
    snprintf(text[3], sizeof(text[3]), "%c", sg->letter);
    str_copy(buf, cap, longest(text, 4, w));
}

static void number_text(const struct segment *sg, int w, char *buf, size_t cap) {
    char text[3][TEXT];
    snprintf(text[0], sizeof(text[0]), "%s%%%s", sg->number, sg->below_number);
    snprintf(text[1], sizeof(text[1]), "%s%%", sg->number);
    text[2][0] = '\0'; /* a part of a number is another number */
    str_copy(buf, cap, longest(text, 3, w));
}

static void both_text(const struct segment *sg, int w, char *buf, size_t cap) {
    char name[32], word[32], text[7][TEXT];
    const char *below = sg->below[0] ? sg->below_number + strlen(ONWARD) - 1 : "";
    name_of(sg, name, sizeof(name));
    snprintf(text[0], sizeof(text[0]), "%s %s%%%s%s", name, sg->number, sg->below, below);
    snprintf(text[1], sizeof(text[1]), "%s%s%s", name, sg->below, below);
    snprintf(text[2], sizeof(text[2]), "%s %s%%", name, sg->number);
    words_brief(word, sizeof(word), sg->mt);
    snprintf(text[3], sizeof(text[3]), "%s %s%%", word, sg->number);
    snprintf(text[4], sizeof(text[4]), "%c %s%%", sg->letter, sg->number);
    snprintf(text[5], sizeof(text[5]), "%c %.0f%%", sg->letter, sg->percent);
    snprintf(text[6], sizeof(text[6]), "%c", sg->letter); /* a name says more than a number */
    if (!below[0]) /* without a number it is none of the second kind */
        str_copy(text[1], sizeof(text[1]), text[2]);
    str_copy(buf, cap, longest(text, 7, w));
}

enum { ADRIFT = 3 }; /* cells that a text may lie behind the beginning of its segment */

/* Where the text begins: a number that wanders with every interval cannot be read. */
static int anchor(const struct segment *sg, int pad, int w) {
    int first = sg->at.x + pad, end = sg->at.x + sg->at.w - sg->tail;
    if (*sg->anchor < first || *sg->anchor > first + ADRIFT || *sg->anchor + w > end)
        *sg->anchor = first;
    return *sg->anchor;
}

/* There is a blank between its text and those of its neighbours: it ends before its last cell, and
 * begins where there is a blank before it. Returns where it ends. */
static int write_segment(struct canvas *c, const struct segment *sg, bool has_numbers) {
    char upper[TEXT], lower[TEXT] = "";
    int pad = sg->at.w >= PADDED_W || sg->after >= sg->at.x, room = sg->at.w - pad - sg->tail;
    if (sg->at.h >= 2 || has_numbers)
        name_text(sg, room, upper, sizeof(upper));
    else
        both_text(sg, room, upper, sizeof(upper));
    if (sg->at.h >= 2)
        number_text(sg, room, lower, sizeof(lower));
    int w1 = str_width(upper), w2 = str_width(lower);
    int x = anchor(sg, pad, w1 > w2 ? w1 : w2);
    const bool neutral = sg->fill == STYLE_TEXT;
    /* without colours term.c gives each hue a pattern */
    canvas_fill(c, sg->at, neutral ? STYLE_BORDER : sg->fill, neutral ? 0x2508 : ' ');
    canvas_text(c, sg->at, x, sg->at.y, sg->fill, upper);
    canvas_text(c, sg->at, x, sg->at.y + 1, sg->fill, lower);
    return x + (w1 > w2 ? w1 : w2);
}

/* What the known segments leave, where a root is unknown: it may be anything. */
static void draw_unknown(const struct scene *sc, struct canvas *c, struct rect rest) {
    char names[64], text[3][TEXT];
    canvas_fill(c, rest, STYLE_AXIS, 0x2591);
    words_unknown_roots(names, sizeof(names), scene_model(sc), sc->frame);
    snprintf(text[0], sizeof(text[0]), " %s n/a ", names);
    snprintf(text[1], sizeof(text[1]), " n/a ");
    text[2][0] = '\0';
    canvas_text(c, rest, rest.x + 1, rest.y, STYLE_LABEL, longest(text, 3, rest.w - 2));
}

static int tail_of(const struct scene *sc, int i, int n, int w) {
    const int next = (i + 1 < n ? bar_of(sc)->edge[i + 1] : w) - bar_of(sc)->edge[i];
    const int own = bar_of(sc)->edge[i] - (i > 0 ? bar_of(sc)->edge[i - 1] : 0);
    const bool begins_blank = i + 1 < n ? next >= PADDED_W : next == 0;
    return own > 1 && !begins_blank;
}

/* The root that the bottleneck is in; METRIC_NONE: there is none, and all have their hues. */
static int loud_root(const struct scene *sc) {
    const struct bottleneck *b = &sc->frame->bottleneck;
    return b->n > 0 ? b->at[0] : METRIC_NONE;
}

static enum style fill_of(const struct scene *sc, int root, int loud) {
    const enum style fill = scene_fill(sc, root);
    return root == loud && fill == STYLE_TEXT ? STYLE_BOTTLENECK : fill; /* no hue of its own */
}

static void draw_bar(const struct scene *sc, struct canvas *c, struct rect r, const int *root,
                     int n) {
    const struct model *m = scene_model(sc);
    const int loud = loud_root(sc);
    place(sc, root, n, r.w);
    int from = 0, after = r.x - 1;
    for (int i = 0; i < n; i++) {
        struct segment sg = {.at = {r.x + from, r.y, bar_of(sc)->edge[i] - from, r.h},
                             .fill = fill_of(sc, root[i], loud),
                             .loud = root[i] == loud,
                             .mt = &m->metric[root[i]],
                             .letter = words_letter(m, root[i]),
                             .percent = 100 * share_of(sc->frame, root[i]),
                             .anchor = &bar_of(sc)->anchor[i],
                             .after = after,
                             .tail = tail_of(sc, i, n, r.w)};
        words_number(sg.number, sizeof(sg.number), sg.mt, sc->frame->at[root[i]].v);
        if (sg.loud)
            add_below(sc, &sg);
        if (sg.at.w > 0)
            after = write_segment(c, &sg, r.w < NARROW); /* there the numbers are below */
        from = bar_of(sc)->edge[i];
    }
    struct rect rest = {r.x + from, r.y, r.w - from, r.h};
    if (has_unknown(sc->frame, root, n))
        draw_unknown(sc, c, rest);
    else
        widget_rule(c, r, rest.x, r.y, rest.w, STYLE_DIM);
}

/* The numbers in a line of their own, for screens whose segments are too narrow for them. */
static void draw_numbers(const struct scene *sc, struct canvas *c, struct rect r, const int *root,
                         int n) {
    const struct model *m = scene_model(sc);
    for (int i = 0; i < n; i++) {
        char text[64], number[32];
        words_number(number, sizeof(number), &m->metric[root[i]], sc->frame->at[root[i]].v);
        int cell = r.w / n;
        words_brief(text, sizeof(text), &m->metric[root[i]]);
        if (str_width(text) + 1 + str_width(number) >= cell)
            snprintf(text, sizeof(text), "%c", words_letter(m, root[i]));
        const int used = str_width(text);
        int x = r.x + i * cell + (n > 1);
        canvas_text(c, r, x, r.y, words_hue(m, root[i]), text);
        canvas_text(c, r, x + used + 1, r.y, STYLE_VALUE, number);
    }
}

static bool is_known(const struct scene *sc, const int *root, int n) {
    for (int i = 0; sc->frame && i < n; i++)
        if (!isnan(sc->frame->at[root[i]].v))
            return true;
    return false;
}

static void draw(const struct scene *sc, struct canvas *c, struct rect r) {
    struct level1_state *own = bar_of(sc);
    if (own->jumps != sc->jumps)
        *own = (struct level1_state){.jumps = sc->jumps};
    int root[ROOTS_MAX], n = roots(scene_model(sc), root);
    struct rect bar = r;
    if (r.w < NARROW && r.h > 1)
        bar.h = 1;
    if (!is_known(sc, root, n)) {
        canvas_fill(c, bar, STYLE_AXIS, 0x2591);
        return;
    }
    draw_bar(sc, c, bar, root, n);
    if (r.h > bar.h)
        draw_numbers(sc, c, (struct rect){r.x, r.y + 1, r.w, 1}, root, n);
}

/* A click on a segment goes to its node. */
static void mouse(struct scene *sc, struct rect r, const struct mouse *m) {
    int root[ROOTS_MAX], n = roots(scene_model(sc), root);
    if (m->what != MOUSE_PRESS || !bar_of(sc)->edge_w)
        return;
    for (int i = 0; i < n; i++)
        if (m->x - r.x < bar_of(sc)->edge[i]) {
            sc->touched = true;
            outline_go(&sc->tree, root[i]);
            return;
        }
    for (int i = 0; i < n; i++)
        if (sc->frame && isnan(sc->frame->at[root[i]].v)) { /* what is hatched */
            sc->touched = true;
            outline_go(&sc->tree, root[i]);
            return;
        }
}

const struct view pane_level1 = {
    .state_size = sizeof(struct level1_state), .draw = draw, .mouse = mouse};
