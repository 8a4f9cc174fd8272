/*
 * A and B beside each other: what they are and how well they are known; below them what changed
 * from A to B as bars around zero, the largest first, with whiskers to the end of the interval;
 * at the bottom the same in words. On small screens the boxes are a line each.
 */
#include "base/str.h"
#include "ui/draw/page.h"
#include "ui/draw/widget.h"
#include "ui/draw/words.h"
#include "ui/scene/app.h"
#include "ui/scene/scene.h"
#include "ui/view/bench_side.h"
#include "ui/view/bench_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    BOXES_FROM_W = 78, /* and BOXES_FROM_H: the sides are boxes beside each other */
    BOXES_FROM_H = 26,
    BOX_H = 6,
    PROGRESS_W = 24,
    NAME_LEAST = 20,
    VERDICT_FROM_W = 40, /* on less, names give two columns for it */
    NAME_MOST = 32,
    NUMBER_W = 7,
    POINTS_W = 9,
    ERR_W = 7,
    VERDICT_W = 9,
    BAR_LEAST = 11,
    SENTENCE_H = 2,
    SENTENCE_FROM_H = 8,
};

/* Widths of columns; 0: there is no room for it. */
struct places {
    int name, a, b, bar, points, err, verdict;
};

/* First numbers, then bars that can be read, then the whole of long names, then larger bars. */
static struct places places_for(int w) {
    const int least = w < VERDICT_FROM_W ? NAME_LEAST - 2 : NAME_LEAST;
    struct places p = {.name = least, .points = POINTS_W};
    int left = w - least - POINTS_W;
    int *const in_turn[] = {&p.verdict, &p.err, &p.b, &p.a};
    static const int width[] = {VERDICT_W, ERR_W, NUMBER_W, NUMBER_W};
    for (int i = 0; i < 4 && left >= width[i]; i++) {
        *in_turn[i] = width[i];
        left -= width[i];
    }
    if (left < 2 * BAR_LEAST) { /* wide enough for bars, or names instead of them */
        p.bar = left >= BAR_LEAST ? left : 0;
        p.name += left - p.bar < NAME_MOST - least ? left - p.bar : NAME_MOST - least;
        return p;
    }
    const int more = (left - 2 * BAR_LEAST) / 2;
    p.name += more < NAME_MOST - least ? more : NAME_MOST - least;
    p.bar = left - (p.name - least);
    return p;
}

/* ---- the sides ---- */

/* A title line: a rule, or the top of a box, with words at both ends. */
static void draw_title(struct canvas *c, struct rect r, const char *left, const char *right,
                       bool chosen) {
    char text[96];
    const int w = str_width(right);
    snprintf(text, sizeof(text), " %s%s ", chosen ? "▸ " : "", left);
    widget_text(c, r, r.x + 2, r.y, r.w - 4, STYLE_TITLE, text);
    if (w && w + str_width(text) + 8 < r.w) {
        snprintf(text, sizeof(text), " %s ", right);
        widget_text(c, r, r.x + r.w - w - 4, r.y, w + 2, STYLE_LABEL, text);
    }
}

/* What differs is bright. Returns the columns used. */
static int draw_labels(const struct bench_side *s, struct canvas *c, struct rect r, int w) {
    char text[96];
    int x = 0;
    if (s->n_label == 0)
        return widget_text(c, r, r.x, r.y, w, STYLE_TITLE, s->name);
    for (int i = 0; i < s->n_label && x < w; i++) {
        snprintf(text, sizeof(text), "%s=%s", s->label[i].key, s->label[i].value);
        x += widget_text(c, r, r.x + x, r.y, w - x, s->label[i].differs ? STYLE_TITLE : STYLE_LABEL,
                         text);
        x += 2;
    }
    return x;
}

static const char *measured_words(const struct bench_side *s, char *buf, size_t cap) {
    char span[16];
    struct strbuf sb = strbuf_on(buf, cap);
    strbuf_add(&sb, "%s%s", words_span(span, sizeof(span), s->measured_ns), s->runs ? " each" : "");
    if (s->n)
        strbuf_add(&sb, " · %llu %s%s", (unsigned long long)s->n, s->runs ? "run" : "interval",
                   s->n == 1 ? "" : "s");
    if (s->n_left_out)
        strbuf_add(&sb, " (%llu before it left out)", (unsigned long long)s->n_left_out);
    if (s->steadiness[0])
        strbuf_add(&sb, " · %s", s->steadiness);
    if (s->apart)
        strbuf_add(&sb, " · %s", s->apart);
    return buf;
}

static const char *work_words(const struct bench_side *s, char *buf, size_t cap) {
    char si[16];
    struct strbuf sb = strbuf_on(buf, cap);
    if (isfinite(s->ipc))
        strbuf_add(&sb, "IPC %.2f", s->ipc);
    if (isfinite(s->instructions))
        strbuf_add(&sb, "%s%s instructions/s", sb.n ? "   " : "",
                   str_si(si, sizeof(si), s->instructions));
    if (s->bottleneck[0])
        strbuf_add(&sb, "%s%s", sb.n ? "   " : "", s->bottleneck);
    return buf;
}

static void draw_progress(const struct bench_side *s, struct canvas *c, struct rect r,
                          enum style st) {
    char words[64];
    const double done = bench_progress(s);
    const bool ready = s->err <= 0.01;
    bench_progress_words(s, words, sizeof(words));
    int w = r.w - str_width(words) - 2 < PROGRESS_W ? r.w - str_width(words) - 2 : PROGRESS_W;
    if (isnan(done) || w < 4)
        w = 0;
    for (int i = 0; i < w; i++)
        canvas_put(c, r, r.x + i, r.y, STYLE_BORDER, 0x2591);
    widget_bar(c, r, r.x, r.y, w, st, done);
    widget_text(c, r, r.x + w + (w ? 2 : 0), r.y, r.w - w, ready ? STYLE_GOOD : STYLE_LABEL, words);
}

static void draw_box(const struct bench_side *s, struct canvas *c, struct rect r, bool b,
                     bool chosen) {
    char text[160];
    struct rect line = {r.x + 3, r.y + 1, r.w - 6, 1};
    widget_box(c, r);
    draw_title(c, r, b ? "B" : "A", s->state, chosen);
    draw_labels(s, c, line, line.w);
    line.y++;
    widget_text(c, line, line.x, line.y, line.w, STYLE_LABEL,
                measured_words(s, text, sizeof(text)));
    line.y++;
    widget_text(c, line, line.x, line.y, line.w, STYLE_TEXT, work_words(s, text, sizeof(text)));
    line.y++;
    draw_progress(s, c, line, b ? STYLE_PLOT : STYLE_BASELINE);
}

/* The same in one line: what has no room is left out, the time and how well it is known last. */
static void draw_short(const struct bench_side *s, struct canvas *c, struct rect r, bool b,
                       bool chosen) {
    char progress[64], span[16], ipc[16] = "", text[192] = "";
    if (isfinite(s->ipc))
        snprintf(ipc, sizeof(ipc), "IPC %.2f", s->ipc);
    if (s->runs)
        snprintf(span, sizeof(span), "%llu runs", (unsigned long long)s->n);
    else
        words_span(span, sizeof(span), s->measured_ns);
    const char *part[] = {span, bench_progress_words(s, progress, sizeof(progress)), s->bottleneck,
                          ipc, strcmp(s->steadiness, "steady") == 0 ? "" : s->steadiness};
    int x = r.x + 1 + canvas_text(c, r, r.x + 1, r.y, STYLE_TITLE, chosen ? "▸" : " ");
    x += canvas_text(c, r, x, r.y, STYLE_TITLE, b ? "B  " : "A  ");
    x += draw_labels(s, c, (struct rect){x, r.y, r.w - x, 1}, (r.w - 8) * 2 / 5) + 2;
    struct strbuf sb = strbuf_on(text, sizeof(text));
    for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++)
        if (part[i][0] && str_width(text) + str_width(part[i]) + 3 <= r.x + r.w - x)
            strbuf_add(&sb, "%s%s", sb.n ? " · " : "", part[i]);
    widget_text(c, r, x, r.y, r.x + r.w - x, STYLE_LABEL, text);
}

static void draw_sides(const struct scene *sc, struct canvas *c, struct rect *r, bool boxed) {
    struct bench_side s[2];
    for (int i = 0; i < 2; i++)
        bench_side_of(sc, i == 1, &s[i]);
    bench_sides_differ(&s[0], &s[1]);
    const int h = boxed ? BOX_H : 1, half = r->w / 2;
    for (int i = 0; i < 2; i++) {
        const struct rect at =
            boxed ? (struct rect){r->x + i * (half + 1), r->y, i ? r->w - half - 1 : half, h}
                  : (struct rect){r->x, r->y + i, r->w, h};
        const bool chosen = sc->bench.stored && sc->bench.side == i;
        (boxed ? draw_box : draw_short)(&s[i], c, at, i == 1, chosen);
    }
    r->y += boxed ? h : 2;
    r->h -= boxed ? h : 2;
}

/* ---- bars ---- */

static double largest_change(const struct scene *sc) {
    const struct comparison *c = bench_shown(sc);
    double most = 0;
    for (size_t i = 0; i < c->n_row && bench_is_sure(c->row[i].verdict); i++)
        if (c->row[i].a->level > 0 && c->row[i].a->share)
            most = fmax(most, fabs(c->row[i].delta));
    return most;
}

/* What the half of the axis means, a share: steps that are small enough for bars to be large. */
static double axis_top(double largest) {
    static const double step[] = {0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8};
    for (size_t i = 0; i < sizeof(step) / sizeof(step[0]); i++)
        if (largest <= step[i])
            return step[i];
    return 1;
}

/* To the left of zero in halves of a cell: there are no eighths that end at the right. */
static void bar_left(struct canvas *c, struct rect r, int zero, double cells, enum style st) {
    int halves = (int)lround(cells * 2);
    halves = halves < 1 ? 1 : halves;
    for (int i = 0; i < halves / 2; i++)
        canvas_put(c, r, zero - 1 - i, r.y, st, 0x2588);
    if (halves % 2)
        canvas_put(c, r, zero - 1 - halves / 2, r.y, st, 0x2590);
}

static void draw_bar(const struct bench_change *ch, struct canvas *c, struct rect r, double top,
                     enum style st) {
    const int half = (r.w - 2) / 2, zero = r.x + half, way = ch->delta < 0 ? -1 : 1;
    const double cells = fmin(fabs(ch->delta) / top, 1) * half;
    const double end = fmin((fabs(ch->delta) + ch->err) / top, 1) * half;
    canvas_put(c, r, zero, r.y, STYLE_AXIS, 0x2502);
    if (!ch->node->share || !bench_is_sure(ch->verdict))
        return;
    if (way > 0)
        widget_bar(c, r, zero + 1, r.y, half, st, cells / half);
    else
        bar_left(c, r, zero, cells, st);
    const double parts = way > 0 ? 8 : 2, drawn = round(cells * parts) / parts;
    const int from = (int)fmin(fmax(ceil(drawn), 1), half);
    for (int i = from; i < (int)lround(end); i++)
        canvas_put(c, r, zero + way * (i + 1), r.y, STYLE_TEXT, 0x2500);
    if (lround(end) <= from && from < half && ch->err > 0) /* shorter than half a cell */
        canvas_put(c, r, zero + way * (from + 1), r.y, STYLE_DIM, way > 0 ? 0x2574 : 0x2576);
}

static void draw_axis(struct canvas *c, struct rect r, double top) {
    const int half = (r.w - 2) / 2;
    char text[16];
    snprintf(text, sizeof(text), "%+g", -top * 100);
    canvas_text(c, r, r.x, r.y, STYLE_AXIS, text);
    canvas_text(c, r, r.x + half, r.y, STYLE_AXIS, "0");
    snprintf(text, sizeof(text), "%+g", top * 100);
    canvas_text(c, r, r.x + 2 * half + 1 - str_width(text), r.y, STYLE_AXIS, text);
}

/* ---- the lines ---- */

static int cell(struct canvas *c, struct rect r, int x, int w, enum style st, const char *text) {
    if (w > 1)
        widget_right(c, r, x, r.y, w - 1, st, text);
    return x + w;
}

static void draw_heading(struct canvas *c, struct rect r, const struct places *p, double top) {
    int x = r.x + p->name;
    canvas_text(c, r, r.x, r.y, STYLE_LABEL, "metric");
    x = cell(c, r, x, p->a, STYLE_LABEL, "A");
    x = cell(c, r, x, p->b, STYLE_LABEL, "B");
    if (p->bar && top > 0)
        draw_axis(c, (struct rect){x + 1, r.y, p->bar - 1, 1}, top);
    x = cell(c, r, x + p->bar, p->points, STYLE_LABEL, "points");
    cell(c, r, x, p->err, STYLE_LABEL, "±");
}

/* What the lines of a frame share. */
struct scales {
    double top, largest;
};

static void draw_change(const struct bench_change *ch, const char *name, int depth,
                        struct canvas *c, struct rect r, const struct places *p,
                        const struct scales *by) {
    char text[64];
    enum style st;
    const char *verdict = bench_verdict(ch, by->largest, &st);
    const enum style quiet = bench_is_sure(ch->verdict) ? STYLE_TEXT : STYLE_DIM;
    const int indent = 2 * depth < p->name / 2 ? 2 * depth : p->name / 2;
    widget_text(c, r, r.x + indent, r.y, p->name - 1 - indent, quiet, name);
    int x = r.x + p->name;
    x = cell(c, r, x, p->a, STYLE_LABEL, bench_value(ch, ch->a, text, sizeof(text)));
    x = cell(c, r, x, p->b, quiet, bench_value(ch, ch->b, text, sizeof(text)));
    if (p->bar && ch->node && ch->node->level > 0)
        draw_bar(ch, c, (struct rect){x + 1, r.y, p->bar - 1, 1}, by->top, st);
    x = cell(c, r, x + p->bar, p->points, st, bench_delta(ch, text, sizeof(text)));
    x = cell(c, r, x, p->err, STYLE_DIM, bench_err(ch, text, sizeof(text)));
    if (p->verdict)
        widget_text(c, r, x + 1, r.y, p->verdict - 1, st, verdict);
}

/* What the lines below it, or those that are closed, are: so many. */
static int folded(const struct scene *sc, enum bench_fold f) {
    const struct bench_view *d = &sc->bench;
    int kept = 0;
    for (int i = 0; i < d->list.n && f == FOLD_SMALLER && d->line[i].kind == BENCH_CHANGE; i++)
        kept++;
    for (int i = 0; i < d->list.n && f == FOLD_UNSURE; i++)
        kept += d->line[i].kind == BENCH_UNSURE;
    return bench_folded(bench_shown(sc), f, kept);
}

static void draw_line(const struct scene *sc, const struct bench_line *l, struct canvas *c,
                      struct rect r, const struct places *p, const struct scales *by) {
    const struct comparison *cmp = bench_shown(sc);
    struct bench_change ch;
    char text[160];
    int x = r.x;
    switch ((enum bench_kind)l->kind) {
    case BENCH_WORDS:
        widget_text(c, r, x, r.y, r.w, STYLE_LABEL, l->text);
        break;
    case BENCH_CHANGE:
        ch = bench_change(&sc->bench, &cmp->row[l->row]);
        draw_change(&ch, ch.node->name, l->depth, c, r, p, by);
        break;
    case BENCH_UNIT:
        ch = bench_unit_change(sc, &bench_units[l->row]);
        draw_change(&ch, bench_units[l->row].words, 0, c, r, p, by);
        break;
    case BENCH_UNSURE:
        x += canvas_text(c, r, x, r.y, STYLE_WARN, "? ");
        widget_text(c, r, x, r.y, r.x + r.w - x, STYLE_TEXT,
                    bench_unsure_words(sc, &cmp->row[l->row], text, sizeof(text)));
        break;
    case BENCH_FOLD:
        x += canvas_text(c, r, x, r.y, STYLE_LABEL, sc->bench.open >> l->row & 1 ? "▾ " : "▸ ");
        widget_text(c, r, x, r.y, r.x + r.w - x, STYLE_LABEL,
                    bench_fold_words(sc, (enum bench_fold)l->row,
                                     folded(sc, (enum bench_fold)l->row), text, sizeof(text)));
    }
}

static void draw_lines(const struct scene *sc, struct canvas *c, struct rect r,
                       const struct places *p, const struct scales *by) {
    const struct bench_view *d = &sc->bench;
    const int selected = bench_selected(sc);
    struct rect line;
    for (int i = 0, at; list_line(&d->list, r, i, &line, &at); i++) {
        draw_line(sc, &d->line[at], c, line, p, by);
        if (at == selected)
            list_mark(c, line, r.x - 1);
    }
}

/* ---- all of it ---- */

/* Where the parts are: by the size alone, so that prepare, draw and mouse agree. */
struct parts {
    bool boxed;
    struct rect sides, frame, lines, words;
};

static struct parts parts_in(const struct scene *sc, struct rect r) {
    struct parts p = {.boxed = r.w >= BOXES_FROM_W && r.h >= BOXES_FROM_H, .sides = r};
    const int top = p.boxed ? BOX_H : 2;
    p.frame = (struct rect){r.x, r.y + top, r.w, r.h - top};
    struct rect in = {r.x + 2, p.frame.y + 1, r.w - 3, p.frame.h - 1};
    if (p.boxed)
        in = (struct rect){r.x + 3, in.y, r.w - 6, p.frame.h - 2};
    if (in.h >= SENTENCE_FROM_H) {
        p.words = (struct rect){in.x, in.y + in.h - SENTENCE_H, in.w, SENTENCE_H};
        in.h -= SENTENCE_H + (p.boxed ? 1 : 0);
    }
    if (bench_shown(sc)->shared[0] && in.h >= SENTENCE_FROM_H) { /* the models differ */
        p.words.y--;
        p.words.h++;
        in.h--;
    }
    p.lines = (struct rect){in.x, in.y + 1, in.w, in.h - 1}; /* below the heading */
    return p;
}

static bool is_empty(const struct scene *sc) {
    return (!sc->bench.stored && !sc->base.on) || bench_shown(sc)->n_row == 0;
}

static void prepare(struct scene *sc, struct rect r) {
    if (is_empty(sc)) {
        sc->bench.list.n = 0;
        return;
    }
    bench_make(sc, parts_in(sc, r).lines.h);
    list_fit(&sc->bench.list, parts_in(sc, r).lines.h);
}

static void draw_words(const struct scene *sc, struct canvas *c, struct rect r) {
    char text[512], words[512];
    const char *shared = bench_shown(sc)->shared;
    if (r.h == 0)
        return;
    if (shared[0]) {
        widget_text(c, r, r.x, r.y, r.w, STYLE_WARN, shared);
        r.y++;
        r.h--;
    }
    snprintf(text, sizeof(text), "In words: %s.", bench_sentence(sc, words, sizeof(words)));
    struct page p = page_on(c, r, 0);
    page_text(&p, STYLE_VALUE, 0, NULL, text);
}

/* Nothing to compare yet: how there will be. */
static void draw_empty(const struct scene *sc, struct canvas *c, struct rect r) {
    static const struct {
        const char *action, *words;
    } steps[] = {
        {"baseline", "pins what is shown as A; B is what comes from then on"},
        {"runs", "shows the stored runs: two that are marked there are A and B"},
    };
    enum { KEY_W = 7 };
    struct page p = page_on(c, (struct rect){r.x + 1, r.y, r.w - 2, r.h}, 0);
    if (sc->base.on || sc->bench.stored) {
        page_text(&p, STYLE_LABEL, 0, NULL, "A is pinned; B begins with the next interval ...");
        return;
    }
    page_text(&p, STYLE_TITLE, 0, NULL, "Nothing to compare yet");
    page_blank(&p);
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        char key[24];
        page_item(&p, KEY_W, STYLE_KEY, keys_name_of(steps[i].action, key, sizeof(key)), STYLE_TEXT,
                  steps[i].words);
    }
    page_blank(&p);
    page_text(&p, STYLE_LABEL, 0, NULL,
              "Then each metric has a line: A, B, the change with its ±, what it is per unit of "
              "work, and whether it is better.");
}

static void draw(const struct scene *sc, struct canvas *c, struct rect r) {
    char words[96];
    if (is_empty(sc)) {
        draw_empty(sc, c, r);
        return;
    }
    const struct parts p = parts_in(sc, r);
    const struct places at = places_for(p.lines.w);
    const double largest = largest_change(sc);
    const struct scales by = {axis_top(largest), largest};
    struct rect sides = p.sides;
    draw_sides(sc, c, &sides, p.boxed);
    if (p.boxed)
        widget_box(c, p.frame);
    else
        widget_rule(c, p.frame, p.frame.x, p.frame.y, p.frame.w, STYLE_BORDER);
    draw_title(c, p.frame, "what changed", bench_sure_words(bench_shown(sc), words, sizeof(words)),
               false);
    draw_heading(c, (struct rect){p.lines.x, p.lines.y - 1, p.lines.w, 1}, &at, by.top);
    draw_lines(sc, c, p.lines, &at, &by);
    draw_words(sc, c, p.words);
}

static void mouse(struct scene *sc, struct rect r, const struct mouse *m) {
    const struct rect lines = parts_in(sc, r).lines;
    prepare(sc, r);
    const int line = sc->bench.list.top + m->y - lines.y;
    const bool words =
        line >= 0 && line < sc->bench.list.n && sc->bench.line[line].kind == BENCH_WORDS;
    const bool pressed = m->what == MOUSE_PRESS || m->what == MOUSE_DOUBLE;
    if (!(pressed && words) && list_mouse(&sc->bench.list, lines, m) == LIST_DOUBLE)
        bench_enter(sc);
}

/* A stored comparison needs no session. */
static bool is_offered(const struct scene *sc) {
    return sc->bench.stored || !app_is_store_alone(sc);
}

/* Two stored runs stay until a baseline takes their place. */
static void go(struct scene *sc) {
    if (sc->base.on || !sc->bench.stored)
        bench_open(sc);
    else
        app_view(sc, &view_bench);
}

const struct view view_bench = {
    .id = "bench",
    .name = "Bench",
    .digit = '8',
    .context = IN_BENCH,
    .layout = LAYOUT_WHOLE,
    .about = "A against B: what changed for sure, the largest first, and what it costs per "
             "unit of work.",
    .past = true,
    .prepare = prepare,
    .draw = draw,
    .mouse = mouse,
    .twice = true,
    .is_offered = is_offered,
    .go = go,
    .list = bench_list};
