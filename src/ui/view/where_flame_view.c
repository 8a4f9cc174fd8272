/*
 * Stacks as a flame graph that hangs from the top: a block is as wide as its share of the samples,
 * and below it are those that it calls. What is zoomed takes the width.
 */
#include "base/str.h"
#include "ui/draw/widget.h"
#include "ui/scene/app.h"
#include "ui/term/term.h"
#include "ui/view/where_view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The block of a node of the tally; the root if it is none any more. */
static uint32_t block_of(const struct where_live *l, uint32_t node) {
    for (uint32_t i = 1; node && i < l->n_block; i++)
        if (l->block[i].node == node)
            return i;
    return 0;
}

/* What has the width, and the depth of the first row: the root itself is not drawn. */
static uint32_t zoomed(const struct where_state *w, bool small, int *first) {
    const uint32_t z = small ? 0 : block_of(&w->live, w->zoom);
    *first = z ? w->live.block[z].depth : 1;
    return z;
}

static bool is_below(const struct where_live *l, uint32_t block, uint32_t of) {
    while (block > of)
        block = l->block[block].parent;
    return block == of;
}

/* Columns of a block in r. */
static bool place(const struct where_live *l, uint32_t zoom, const struct where_block *b,
                  struct rect r, int *x0, int *x1) {
    const struct where_block *z = &l->block[zoom];
    if (z->w <= 0 || b->x < z->x - 1e-12 || b->x + b->w > z->x + z->w + 1e-9)
        return false;
    *x0 = r.x + (int)lround((b->x - z->x) / z->w * r.w);
    *x1 = r.x + (int)lround((b->x + b->w - z->x) / z->w * r.w);
    return *x1 > *x0;
}

/* ---- the selection ---- */

static uint32_t marked(const struct where_state *w) {
    const uint32_t b = block_of(&w->live, w->mark);
    return b ? b : w->live.n_block > 1;
}

void where_flame_prepare(struct where_state *w, struct rect r) {
    int first;
    const uint32_t zoom = zoomed(w, false, &first), mark = marked(w);
    const int row = mark < w->live.n_block ? w->live.block[mark].depth - first : 0;
    const int lines = where_inside(r).h;
    if (!is_below(&w->live, mark, zoom))
        w->mark = w->zoom;
    if (row < w->flame_top)
        w->flame_top = row > 0 ? row : 0;
    if (row >= w->flame_top + lines && lines > 0)
        w->flame_top = row - lines + 1;
}

/* Beside it at the same depth, whoever calls that. */
static uint32_t beside(const struct where_live *l, uint32_t b, int by, uint32_t zoom) {
    uint32_t best = b;
    for (uint32_t i = 1; i < l->n_block; i++) {
        const double from = (l->block[i].x - l->block[b].x) * by;
        if (l->block[i].depth != l->block[b].depth || from <= 0 || !is_below(l, i, zoom))
            continue;
        if (best == b || (l->block[i].x - l->block[best].x) * by < 0)
            best = i;
    }
    return best;
}

static uint32_t first_below(const struct where_live *l, uint32_t b) {
    for (uint32_t i = b + 1; i < l->n_block; i++)
        if (l->block[i].parent == b)
            return i;
    return b;
}

void where_flame_move(struct where_state *w, int down, int right) {
    const struct where_live *l = &w->live;
    uint32_t at = marked(w);
    int first;
    const uint32_t zoom = zoomed(w, false, &first);
    if (at == 0)
        return;
    for (; down > 0; down--)
        at = first_below(l, at);
    for (; down < 0 && l->block[at].parent && at != zoom; down++)
        at = l->block[at].parent;
    if (right)
        at = beside(l, at, right, zoom);
    w->mark = l->block[at].node;
}

void where_flame_zoom(struct where_state *w) {
    const uint32_t at = marked(w);
    if (at)
        w->zoom = w->mark = w->live.block[at].node;
    w->flame_top = 0;
}

bool where_flame_out(struct where_state *w) {
    const uint32_t zoom = block_of(&w->live, w->zoom);
    w->flame_top = 0;
    w->zoom = zoom ? w->live.block[w->live.block[zoom].parent].node : 0;
    return zoom != 0;
}

/* What is selected, in words. Returns buf. */
static const char *words_of(const struct where_state *w, char *buf, size_t cap) {
    const struct where_live *l = &w->live;
    const uint32_t at = marked(w);
    struct strbuf sb = strbuf_on(buf, cap);
    buf[0] = '\0';
    if (at == 0)
        return buf;
    strbuf_add(&sb, "%.1f%%  ", l->block[at].w * 100);
    const struct where_change *d = &l->block[at].change;
    if (l->base && !isnan(d->delta))
        strbuf_add(&sb, "%+.1f ±%.1f  ", d->delta * 100, (d->high - d->low) * 50);
    strbuf_add(&sb, "%s", where_function_name(&l->function[l->block[at].function]));
    for (uint32_t b = l->block[at].parent; b; b = l->block[b].parent)
        strbuf_add(&sb, " ‹ %s", where_function_name(&l->function[l->block[b].function]));
    return buf;
}

/* ---- drawing ---- */

static bool is_hit(const struct where_state *w, const struct where_block *b) {
    return search_has(&w->filter, where_function_name(&w->live.function[b->function]));
}

/* The share of samples that have it in their stacks; of blocks beyond what there is room for none.
 */
static double share_of_hits(const struct where_state *w) {
    enum { MOST = 1 << 14 };
    unsigned char hit[MOST];
    double sum = 0;
    hit[0] = 0;
    for (uint32_t i = 1; i < w->live.n_block && i < MOST; i++) {
        const struct where_block *b = &w->live.block[i];
        const bool above = hit[b->parent], is = !above && is_hit(w, b);
        hit[i] = above || is;
        sum += is ? b->w : 0;
    }
    return sum;
}

static enum style hue(const struct where_state *w, const struct where_block *b, bool on) {
    if (on)
        return STYLE_FRONTEND_FILL;
    if (w->live.base && !w->filter.text[0])
        return !b->change.sure       ? STYLE_BACKEND_QUIET
               : b->change.delta > 0 ? STYLE_BADSPEC_FILL
                                     : STYLE_RETIRING_FILL;
    if (w->filter.text[0])
        return is_hit(w, b) ? STYLE_BACKEND_FILL : STYLE_BACKEND_QUIET;
    return b->depth % 2 ? STYLE_BACKEND_FILL : STYLE_BACKEND_QUIET;
}

static void draw_block(const struct where_state *w, struct canvas *c, struct rect r, int x0, int x1,
                       int y, const struct where_block *b, bool on) {
    enum { GAP_FROM_W = 2, NAME_FROM_W = 4 };
    const enum style st = hue(w, b, on);
    const int width = x1 - x0 - (x1 - x0 >= GAP_FROM_W);
    struct rect at = {x0, y, width, 1};
    canvas_fill(c, at, st, ' ');
    if (width >= NAME_FROM_W)
        widget_text(c, r, x0 + 1, y, width - 1, st,
                    where_function_name(&w->live.function[b->function]));
}

void where_flame_draw(const struct where_state *w, struct canvas *c, struct rect r, bool small) {
    const struct where_live *l = &w->live;
    const struct rect in = where_inside(r);
    const uint32_t mark = small ? 0 : marked(w);
    int first, deepest = 0, x0, x1;
    char text[256], right[48] = "";
    const uint32_t zoom = zoomed(w, small, &first);
    const int top = small ? 0 : w->flame_top;
    for (uint32_t i = 1; i < l->n_block; i++) {
        const struct where_block *b = &l->block[i];
        const int row = b->depth - first - top;
        if (b->depth < first || !place(l, zoom, b, in, &x0, &x1))
            continue;
        deepest = row > deepest ? row : deepest;
        const bool on = small ? w->selected >= 0 && (int)b->function == w->selected : i == mark;
        if (row >= 0 && row < in.h)
            draw_block(w, c, in, x0, x1, in.y + row, b, on);
    }
    if (small)
        snprintf(right, sizeof(right), "flame graph: %s",
                 keys_name_of("where-flame", text, sizeof(text)));
    else if (w->filter.text[0])
        snprintf(right, sizeof(right), "\"%.20s\" in %.1f%%", w->filter.text,
                 share_of_hits(w) * 100);
    else if (deepest >= in.h)
        snprintf(right, sizeof(right), "↓%d deeper", deepest - in.h + 1);
    where_frame(c, r, !small, small ? "callers" : "flame graph", right);
    words_of(w, text, sizeof(text));
    if (!small)
        canvas_printf(c, (struct rect){r.x + 2, r.y + r.h - 1, r.w - 4, 1}, r.x + 2, r.y + r.h - 1,
                      STYLE_LABEL, " %s ", text);
}

void where_flame_mouse(struct where_state *w, struct rect r, const struct mouse *m) {
    const struct where_live *l = &w->live;
    const struct rect in = where_inside(r);
    int first, x0, x1;
    if (m->what == MOUSE_WHEEL_UP || m->what == MOUSE_WHEEL_DOWN) {
        where_flame_move(w, m->what == MOUSE_WHEEL_UP ? -1 : 1, 0);
        return;
    }
    const uint32_t zoom = zoomed(w, false, &first);
    for (uint32_t i = 1; i < l->n_block && (m->what == MOUSE_PRESS || m->what == MOUSE_DOUBLE);
         i++) {
        const int row = l->block[i].depth - first - w->flame_top;
        if (m->y != in.y + row || !place(l, zoom, &l->block[i], in, &x0, &x1) || m->x < x0 ||
            m->x >= x1)
            continue;
        w->mark = l->block[i].node;
        where_flame_zoom(w);
        return;
    }
}
