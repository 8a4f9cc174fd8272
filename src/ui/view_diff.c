/*
 * All differences between two sides: on top what they are, how much work each did, and where the
 * slots went; below a row a metric, what changed for sure first, by effect; at the end what one
 * side alone has.
 */
#include "base/str.h"
#include "model/moments.h"
#include "ui/diff_words.h"
#include "ui/keys_map.h"
#include "ui/runs_open.h"
#include "ui/screen.h"
#include "ui/widget.h"
#include "ui/words.h"

#include <stdio.h>
#include <string.h>

enum {
    VERDICT_W = 19, /* "? not enough data" */
    SIGN_W = 3,
    NUMBER_W = 10,
    P_W = 8,
    NAME_MIN_W = 14,
    NAME_MAX_W = 40,
    ROWS_LEAST = 4, /* of the table, before words take their lines */
};

/* Widths; 0: there is no room for it. */
struct places {
    int verdict, name, a, b, delta, err, p;
    bool words; /* the verdict is told, not only its sign */
};

static struct places places_for(int w) {
    struct places p = {.verdict = SIGN_W, .name = NAME_MIN_W, .delta = NUMBER_W};
    int left = w - SIGN_W - NAME_MIN_W - NUMBER_W;
    int *const in_turn[] = {&p.b, &p.a, &p.err, &p.p};
    const int width[] = {NUMBER_W, NUMBER_W, NUMBER_W, P_W};
    for (int i = 0; i < 4 && left >= width[i]; i++) {
        *in_turn[i] = width[i];
        left -= width[i];
    }
    int name = left < NAME_MAX_W - NAME_MIN_W ? left : NAME_MAX_W - NAME_MIN_W;
    p.words = left - (VERDICT_W - SIGN_W) >= 8;
    if (p.words) {
        p.verdict = VERDICT_W;
        left -= VERDICT_W - SIGN_W;
        name = left < NAME_MAX_W - NAME_MIN_W ? left : NAME_MAX_W - NAME_MIN_W;
    }
    p.name += name > 0 ? name : 0;
    return p;
}

/* ---- what is compared ---- */

/* What is compared with the baseline, as the header says it too. */
static const char *other_word(const struct screen *sc) {
    if (sc->cursor.shows != CURSOR_LIVE)
        return sc->cursor.shows == CURSOR_SPAN ? "this span" : "this moment";
    return sc->opened ? "this run" : "live";
}

static void other_words(const struct screen *sc, char *buf, size_t cap) {
    const bool past = sc->cursor.shows != CURSOR_LIVE;
    const struct cursor *cu = &sc->cursor;
    const uint64_t ns = past ? cu->t1_ns - cu->t0_ns : sc->base.live.sums.covered_ns;
    char span[16], safe[96] = "";
    if (sc->opened && sc->opened->run.process)
        str_safe(safe, sizeof(safe), sc->opened->run.process);
    words_span(span, sizeof(span), ns);
    if (sc->opened)
        snprintf(buf, cap, "%s%s%.8s %s, %s", past ? other_word(sc) : "", past ? " of " : "",
                 sc->opened->run.id, safe, span);
    else if (past)
        snprintf(buf, cap, "%s, %s", other_word(sc), span);
    else
        snprintf(buf, cap, "live, %s since it was pinned", span);
}

static void side_words(const struct screen *sc, bool b, char *buf, size_t cap) {
    const struct diff *d = &sc->diff;
    const struct run *r = b ? &d->b : d->stored ? &d->a : &sc->base.run;
    char span[16], safe[96];
    if (!d->stored && b) {
        other_words(sc, buf, cap);
        return;
    }
    struct strbuf sb = strbuf_on(buf, cap);
    strbuf_add(&sb, "%s", d->stored ? "" : sc->base.name);
    if (r->id[0] && d->stored)
        strbuf_add(&sb, "%.8s %s%s, %s", r->id, r->simulated ? "SIMULATED " : "",
                   str_safe(safe, sizeof(safe), r->process ? r->process : ""),
                   words_span(span, sizeof(span), r->measured_ns));
    else if (d->stored) /* several runs */
        strbuf_add(&sb, "%s%s, %s each", r->simulated ? "SIMULATED " : "",
                   str_safe(safe, sizeof(safe), r->process ? r->process : ""),
                   words_span(span, sizeof(span), r->measured_ns));
    for (size_t i = 0; i < r->label.n; i++)
        if (!r->label.at[i].automatic)
            strbuf_add(&sb, "  %s=%.40s", r->label.at[i].key,
                       str_safe(safe, sizeof(safe), r->label.at[i].value));
}

static bool has_totals(const struct comparison *c) {
    for (size_t i = 0; i < c->n_row; i++)
        if (c->row[i].total)
            return true;
    return false;
}

static void draw_line(struct canvas *c, struct rect *r, enum style st, const char *head,
                      const char *text) {
    if (!text[0] || r->h <= ROWS_LEAST)
        return;
    int x = r->x + 1;
    x += canvas_text(c, *r, x, r->y, STYLE_LABEL, head);
    widget_text(c, *r, x, r->y, r->x + r->w - x, st, text);
    r->y++;
    r->h--;
}

/* Where the slots went: of the nodes to look at first, as many as have room. */
static void draw_slots(const struct comparison *c, struct canvas *cv, struct rect *r) {
    char words[160];
    int n = r->h > 20 ? 4 : 1;
    for (size_t i = 0; i < c->n_row && n > 0; i++)
        if (c->row[i].leads && diff_slot_words(c, &c->row[i], words, sizeof(words))[0]) {
            draw_line(cv, r, STYLE_VALUE, "   ", words);
            n--;
        }
}

/* Of what is live: how long until something can be told, or that the baseline is too short. */
static const char *wait_words(const struct screen *sc, char *buf, size_t cap) {
    const struct baseline *b = &sc->base;
    const uint64_t n = b->live.sums.n, ns = b->live.sums.covered_ns;
    char span[16];
    buf[0] = '\0';
    if (sc->diff.stored || sc->opened || sc->cursor.shows != CURSOR_LIVE)
        return buf;
    if (b->n_interval > 0 && b->n_interval < MOMENTS_LEAST)
        snprintf(buf, cap,
                 "the baseline has %llu interval%s: too few to tell; pin one of %d or more",
                 (unsigned long long)b->n_interval, b->n_interval == 1 ? "" : "s", MOMENTS_LEAST);
    else if (n > 0 && n < MOMENTS_LEAST)
        snprintf(buf, cap, "too few to tell yet: wait %s",
                 words_span(span, sizeof(span), ns / n * (MOMENTS_LEAST - n)));
    return buf;
}

static void draw_words(struct screen *sc, struct canvas *cv, struct rect *r) {
    const struct comparison *c = diff_shown(sc);
    char text[512];
    side_words(sc, false, text, sizeof(text));
    draw_line(cv, r, STYLE_TEXT, "A  ", text);
    side_words(sc, true, text, sizeof(text));
    size_t n = strlen(text);
    if (has_totals(c) && c->measured_s_a != c->measured_s_b)
        str_copy(text + n, sizeof(text) - n, "; totals as if measured as long as A");
    draw_line(cv, r, STYLE_TEXT, "B  ", text);
    draw_line(cv, r, STYLE_TEXT, "   ", diff_count_words(c, text, sizeof(text)));
    draw_line(cv, r, STYLE_WARN, "   ", wait_words(sc, text, sizeof(text)));
    draw_line(cv, r, STYLE_WARN, "   ", c->shared ? c->shared : "");
    draw_line(cv, r, STYLE_TEXT, "   ", diff_work_words(c, text, sizeof(text)));
    draw_slots(c, cv, r);
}

/* ---- the table ---- */

static int cell(struct canvas *c, struct rect r, int x, int w, enum style st, const char *text) {
    if (w > 1)
        widget_right(c, r, x, r.y, w - 1, st, text);
    return x + w;
}

static void draw_heading(const struct screen *sc, struct canvas *c, struct rect r,
                         const struct places *p) {
    int x = r.x + 1;
    if (p->words)
        canvas_text(c, r, x, r.y, STYLE_LABEL, "verdict");
    x += p->verdict;
    canvas_text(c, r, x, r.y, STYLE_LABEL, "metric");
    x += p->name;
    x = cell(c, r, x, p->a, STYLE_LABEL, sc->diff.stored ? "A" : "base");
    x = cell(c, r, x, p->b, STYLE_LABEL,
             sc->diff.stored                   ? "B"
             : sc->cursor.shows != CURSOR_LIVE ? "then"
             : sc->opened                      ? "this run"
                                               : "live");
    x = cell(c, r, x, p->delta, STYLE_LABEL, "Δ");
    x = cell(c, r, x, p->err, STYLE_LABEL, "±");
    cell(c, r, x, p->p, STYLE_LABEL, "p");
}

static void draw_verdict(const struct compare_row *row, struct canvas *c, struct rect r,
                         const struct places *p, enum style *st) {
    const char *sign = baseline_sign(row->verdict, st);
    canvas_text(c, r, r.x + 1, r.y, *st, sign[0] ? sign : "-");
    if (p->words)
        widget_text(c, r, r.x + 3, r.y, p->verdict - 3, *st, verdict_name(row->verdict));
}

static void draw_row(const struct compare_row *row, struct canvas *c, struct rect r,
                     const struct places *p) {
    const struct run_node *n = row->a ? row->a : row->b;
    char text[64];
    enum style st;
    draw_verdict(row, c, r, p, &st);
    enum style quiet = st == STYLE_DIM ? STYLE_DIM : STYLE_VALUE;
    int x = r.x + 1 + p->verdict;
    snprintf(text, sizeof(text), "%s%s", n->name, row->leads ? " ◀" : "");
    widget_text(c, r, x, r.y, p->name - 1, st == STYLE_DIM ? STYLE_DIM : STYLE_TEXT, text);
    x += p->name;
    x = cell(c, r, x, p->a, quiet, diff_value(row, false, p->a - 1, text, sizeof(text)));
    x = cell(c, r, x, p->b, quiet, diff_value(row, true, p->b - 1, text, sizeof(text)));
    x = cell(c, r, x, p->delta, st, baseline_delta(row, text, sizeof(text)));
    x = cell(c, r, x, p->err, STYLE_DIM, diff_err(row, text, sizeof(text)));
    cell(c, r, x, p->p, STYLE_DIM, diff_p(row, text, sizeof(text)));
}

static void scroll(struct diff *d, int n_row, int selected, int h) {
    d->page = h > 1 ? h - 1 : 1;
    if (selected < d->top)
        d->top = selected;
    if (selected >= d->top + h)
        d->top = selected - h + 1;
    if (d->top > n_row - h)
        d->top = n_row - h;
    if (d->top < 0)
        d->top = 0;
}

static void draw_rows(struct screen *sc, struct canvas *c, struct rect r, const struct places *p) {
    const struct comparison *cmp = diff_shown(sc);
    int selected = diff_selected(sc), n = (int)cmp->n_row;
    scroll(&sc->diff, n, selected, r.h);
    for (int i = 0; i < r.h && sc->diff.top + i < n; i++) {
        struct rect line = {r.x, r.y + i, r.w, 1};
        draw_row(diff_row(cmp, sc->diff.top + i), c, line, p);
        if (sc->diff.top + i != selected)
            continue;
        canvas_put(c, line, r.x, line.y, STYLE_SELECTED, 0x203a); /* some grounds are faint */
        canvas_select(c, line);
    }
}

static void draw(struct screen *sc, struct canvas *c, struct rect r) {
    struct places p = places_for(r.w - 2);
    char words[64];
    if (!sc->diff.stored && !sc->base.on) {
        canvas_text(
            c, r, r.x + 1, r.y, STYLE_LABEL,
            keys_in_words("no baseline: {baseline} pins what is live now", words, sizeof(words)));
        return;
    }
    if (diff_shown(sc)->n_row == 0) {
        canvas_text(c, r, r.x + 1, r.y, STYLE_LABEL,
                    "nothing was measured since it was pinned ...");
        return;
    }
    draw_words(sc, c, &r);
    if (r.h > 1) {
        draw_heading(sc, c, (struct rect){r.x, r.y, r.w, 1}, &p);
        r.y++;
        r.h--;
    }
    draw_rows(sc, c, r, &p);
}

static void mouse(struct screen *sc, struct rect r, const struct mouse *m) {
    int h = sc->diff.page + 1, row = m->y - (r.y + r.h - h);
    if (m->what == MOUSE_WHEEL_UP || m->what == MOUSE_WHEEL_DOWN) {
        diff_move(sc, m->what == MOUSE_WHEEL_UP ? -3 : 3);
        return;
    }
    if (row < 0 || sc->diff.top + row >= (int)diff_shown(sc)->n_row)
        return;
    diff_move(sc, sc->diff.top + row - diff_selected(sc));
    if (m->what == MOUSE_DOUBLE)
        diff_enter(sc);
}

const struct view_ops view_diff = {.name = "diff", .draw = draw, .mouse = mouse, .twice = true};
