/* The table of the Where view: functions, lines or threads with their shares, and how they have
 * changed against a baseline; or branches. */
#include "base/str.h"
#include "ui/draw/widget.h"
#include "ui/term/term.h"
#include "ui/view/where_view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* By enum where_by. */
static const char *const row_words[] = {"functions", "lines", "threads", "branches", "cache lines"};

struct rect where_table_rows(const struct where_state *w, struct rect list) {
    const struct rect in = where_inside(list);
    const int foot = w->n_less > 0 || w->lack[0] || w->filter.text[0];
    const int top = 1 + where_has_sources(w, list);
    return (struct rect){in.x, in.y + top, in.w, in.h - top - foot};
}

/* ---- which rows ---- */

static bool is_hit(const struct where_state *w, const struct where_function *f) {
    if (f->module == WHERE_BRANCH && w->filter.text[0])
        return is_hit(w, &w->live.function[f->top]) || is_hit(w, &w->live.function[f->taken.to]);
    if (f->module == WHERE_CACHE_LINE && w->filter.text[0])
        return search_has(&w->filter, f->text) || is_hit(w, &w->live.function[f->top]);
    return !w->filter.text[0] || search_has(&w->filter, where_function_name(f)) ||
           search_has(&w->filter, f->file) || search_has(&w->filter, f->thread);
}

enum { EVERY = -1 }; /* those without a share, too */

/* What has changed for sure is never left out. */
static bool is_above(const struct where_function *f, double least) {
    return least < 0 || f->change.sure || f->share >= least;
}

static uint32_t n_above(const struct where_live *l, double least) {
    uint32_t n = 0;
    while (n < l->n_row && is_above(&l->function[l->row[n]], least))
        n++;
    return n;
}

/* The smallest are left out, but not so that room is left. */
static void choose_least(struct where_state *w, int lines) {
    static const double steps[] = {0.02, 0.01, 0.005, 0.002, 0};
    size_t i = 0;
    while (steps[i] > 0 && (int)n_above(&w->live, steps[i]) < lines)
        i++;
    w->least = w->all || w->filter.text[0] || n_above(&w->live, 0) == 0 ? EVERY : steps[i];
    w->n_less = w->live.n_row - n_above(&w->live, w->least);
}

void where_table_choose(struct where_state *w, int lines) {
    struct where_live *l = &w->live;
    choose_least(w, lines);
    if (w->cap_shown < l->n_row) {
        uint32_t *to = realloc(w->shown, (l->n_row + 256u) * sizeof(*to));
        if (!to)
            return;
        w->shown = to;
        w->cap_shown = l->n_row + 256;
    }
    int at = -1;
    w->n_shown = 0;
    for (uint32_t i = 0; i < l->n_row - w->n_less; i++) {
        if (!is_hit(w, &l->function[l->row[i]]))
            continue;
        if ((int)l->row[i] == w->selected)
            at = (int)w->n_shown;
        w->shown[w->n_shown++] = l->row[i];
    }
    w->filter.missing = w->filter.text[0] && w->n_shown == 0;
    list_follow(&w->list, (int)w->n_shown, at);
}

/* ---- drawing ---- */

/* Columns of the table. */
struct columns_at {
    double top; /* share that fills the bar */
    int delta;  /* 0: nothing is compared */
    int memory; /* latency and source of data; 0: not known */
    int bar, bar_w, name, name_w, source, source_w, thread, thread_w;
};

enum { SHARE_W = 6, ERR_W = 5, DELTA_W = 7, THREAD_FROM_W = 70, WIDE_W = 100, MEMORY_FROM_W = 70 };

static bool is_compared(const struct where_state *w) {
    return w->live.base && w->live.by == WHERE_BY_FUNCTION && !w->live.only;
}

static struct columns_at columns_of(const struct where_state *w, struct rect r) {
    const bool wide = r.w >= WIDE_W;
    struct columns_at p = {.bar = r.x + 2 + SHARE_W + 1 + ERR_W + 1};
    if (is_compared(w)) {
        p.delta = p.bar;
        p.bar += DELTA_W + 1 + ERR_W + 1;
    }
    p.bar_w = wide ? r.w / 5 - (p.delta ? DELTA_W : 0) : p.delta ? 0 : 8;
    const bool memory =
        where_has_memory(w) && w->live.by == WHERE_BY_FUNCTION && !p.delta && r.w >= MEMORY_FROM_W;
    p.thread_w = wide ? COMM_SIZE - 1 : r.w >= THREAD_FROM_W && !p.delta && !memory ? 12 : 0;
    p.source_w = wide ? r.w / 5 : 13;
    if (memory) {
        p.memory = p.bar;
        p.bar += WHERE_MEMORY_W;
        p.bar_w = wide ? p.bar_w - WHERE_MEMORY_W / 2 : 0;
    }
    p.thread = r.x + r.w - p.thread_w - 1;
    p.source = p.thread - p.source_w - 1;
    p.name = p.bar + p.bar_w + 1;
    p.name_w = p.source - p.name - 1;
    return p;
}

static void draw_headings(const struct where_state *w, struct canvas *c, struct rect r,
                          const struct columns_at *p) {
    static const char *const what[] = {"function", "line", "thread"};
    static const char *const beside[] = {"source", "function", "hottest function"};
    widget_right(c, r, r.x + 1, r.y, SHARE_W + 1, STYLE_LABEL, "share");
    widget_right(c, r, r.x + 2 + SHARE_W, r.y, ERR_W, STYLE_LABEL, "±");
    if (p->delta) {
        widget_right(c, r, p->delta, r.y, DELTA_W, STYLE_LABEL, "Δ");
        widget_right(c, r, p->delta + DELTA_W, r.y, ERR_W + 1, STYLE_LABEL, "±");
    }
    if (p->memory)
        where_memory_headings(c, r, p->memory);
    widget_text(c, r, p->name, r.y, p->name_w, STYLE_LABEL, what[w->live.by]);
    widget_text(c, r, p->source, r.y, p->source_w, STYLE_LABEL, beside[w->live.by]);
    if (w->live.by != WHERE_BY_THREAD)
        widget_text(c, r, p->thread, r.y, p->thread_w, STYLE_LABEL, "thread");
}

/* "▲+12.3  1.4": sure, by how much, and its interval. */
static void draw_change(struct canvas *c, struct rect r, int x, const struct where_change *d) {
    char text[32];
    if (isnan(d->delta))
        return;
    const bool up = d->delta > 0;
    snprintf(text, sizeof(text), "%s%+.1f", !d->sure ? "" : up ? "▲" : "▼", d->delta * 100);
    widget_right(c, r, x, r.y, DELTA_W, !d->sure ? STYLE_DIM : up ? STYLE_UP : STYLE_DOWN, text);
    snprintf(text, sizeof(text), "%.1f", (d->high - d->low) * 50);
    widget_right(c, r, x + DELTA_W, r.y, ERR_W + 1, STYLE_DIM, text);
}

void where_name_draw(const struct where_state *w, struct canvas *c, struct rect r, int x, int room,
                     enum style st, const struct where_function *f) {
    const char *name = where_function_name(f);
    if (f->kernel) {
        const int mark = widget_text(c, r, x, r.y, room, STYLE_LABEL, "[k] ");
        x += mark;
        room -= mark;
    }
    search_draw(&w->filter, c, r, x, r.y, room, st, name);
}

/* Beside a function where it is in the source; beside a line or thread the function. */
static const char *source_of(const struct where_state *w, const struct where_function *f) {
    if (w->live.by == WHERE_BY_FUNCTION || f->module < WHERE_LINE)
        return f->line[0] ? f->line : f->file;
    return f->top && f->top < w->live.n_function ? where_function_name(&w->live.function[f->top])
                                                 : f->file;
}

static void draw_row(const struct where_state *w, struct canvas *c, struct rect r,
                     const struct columns_at *p, const struct where_function *f) {
    const bool known = !isnan(f->share);
    const enum style st = known ? STYLE_TEXT : STYLE_DIM;
    char text[48];
    widget_right(c, r, r.x + 1, r.y, SHARE_W + 1, known ? STYLE_VALUE : STYLE_DIM,
                 where_share(f->share, text, sizeof(text)));
    if (known) {
        snprintf(text, sizeof(text), "%.1f", (f->high - f->low) * 50);
        widget_right(c, r, r.x + 2 + SHARE_W, r.y, ERR_W, STYLE_DIM, text);
        widget_share(c, r, p->bar, r.y, p->bar_w, STYLE_BACKEND, f->share / p->top, false,
                     (double)NAN);
    } else {
        snprintf(text, sizeof(text), "%llu of %u samples", (unsigned long long)f->count.n,
                 WHERE_LEAST);
        widget_text(c, r, p->bar, r.y, p->bar_w, STYLE_DIM, text);
    }
    if (p->delta)
        draw_change(c, r, p->delta, &f->change);
    if (p->memory)
        where_memory_draw(c, r, p->memory, &f->data.sum);
    where_name_draw(w, c, r, p->name, p->name_w, f->pending ? STYLE_DIM : st, f);
    widget_text(c, r, p->source, r.y, p->source_w, STYLE_LABEL, source_of(w, f));
    if (w->live.by != WHERE_BY_THREAD)
        widget_text(c, r, p->thread, r.y, p->thread_w, STYLE_LABEL, f->thread);
}

/* "functions", "lines", "functions of io_thd_1 4243". */
static void title(struct where_state const *w, char *buf, size_t cap) {
    str_copy(buf, cap, row_words[w->live.by]);
    if (w->live.only)
        snprintf(buf, cap, "%s of %s", row_words[w->live.by], w->only_name);
}

static void draw_foot(const struct where_state *w, struct canvas *c, struct rect r) {
    char text[160];
    int x = r.x + 1;
    if (w->filter.text[0])
        x += canvas_printf(c, r, x, r.y, STYLE_VALUE, "filter \"%s\": %u of %u %s  ",
                           w->filter.text, w->n_shown, w->live.n_row, row_words[w->live.by]);
    if (w->n_less) {
        if (w->least > 0)
            snprintf(text, sizeof(text), "%u more below %g%%", w->n_less, w->least * 100);
        else
            snprintf(text, sizeof(text), "%u more with fewer than %d samples", w->n_less,
                     WHERE_LEAST);
        x += widget_text(c, r, x, r.y, r.x + r.w - x, STYLE_DIM, text) + 2;
    }
    widget_text(c, r, x, r.y, r.x + r.w - 1 - x, STYLE_WARN, w->lack);
}

static double largest(const struct where_live *l) {
    double share = 0;
    for (uint32_t i = 0; i < l->n_row; i++)
        share = l->function[l->row[i]].share > share ? l->function[l->row[i]].share : share;
    return share > 0 ? share : 1;
}

void where_table_draw(const struct scene *sc, struct canvas *c, struct rect r) {
    const struct where_state *w = where_state_of(sc);
    const struct sampling_event *e = where_event(w);
    const struct rect in = where_inside(r), rows = where_table_rows(w, r);
    struct columns_at p = columns_of(w, in);
    p.top = widget_nice_top(largest(&w->live));
    char right[128] = "", more[48], name[96];
    if (e)
        snprintf(right, sizeof(right), "%s%s%.*s", e->name, e->precise_ip ? ":" : "",
                 e->precise_ip < 4 ? e->precise_ip : 3, "ppp");
    title(w, name, sizeof(name));
    where_frame(c, r, !w->open || w->part == WHERE_LIST, name, right);
    if (w->live.lack[0] || where_is_idle(w) || where_lacks_records(w)) {
        where_nothing_draw(sc, c, in);
        return;
    }
    const bool records = where_is_records(w);
    const struct rect head = {in.x, rows.y - 1, in.w, 1};
    if (where_has_sources(w, r))
        where_sources_draw(w, c, (struct rect){in.x, in.y, in.w, 1});
    if (records)
        where_records_headings(w, c, head);
    else
        draw_headings(w, c, head, &p);
    struct rect line;
    for (int i = 0, row; list_line(&w->list, rows, i, &line, &row); i++) {
        if (records)
            where_records_draw(w, c, line, &w->live.function[w->shown[row]]);
        else
            draw_row(w, c, line, &p, &w->live.function[w->shown[row]]);
        if (row == w->list.at)
            list_mark(c, line, in.x);
    }
    if (rows.y + rows.h < in.y + in.h)
        draw_foot(w, c, (struct rect){in.x, rows.y + rows.h, in.w, 1});
    list_more(&w->list, more, sizeof(more));
    if (more[0])
        canvas_printf(c, r, r.x + r.w - str_width(more) - 3, r.y + r.h - 1, STYLE_LABEL, "%s ",
                      more);
}
