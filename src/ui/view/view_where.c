/*
 * Where it happens: the functions in which samples of the selected node's event are. Sampling runs
 * while this is shown and not longer. Enter opens source and instructions of a function, another
 * key stacks as a flame graph.
 */
#include "base/clock.h"
#include "base/str.h"
#include "ui/draw/page.h"
#include "ui/draw/widget.h"
#include "ui/scene/app.h"
#include "ui/term/term.h"
#include "ui/view/where_view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

const char *where_share(double share, char *buf, size_t cap) {
    if (isnan(share))
        return str_copy(buf, cap, "-");
    snprintf(buf, cap, "%.1f%%", share * 100);
    return buf;
}

void where_frame(struct canvas *c, struct rect r, bool strong, const char *title,
                 const char *right) {
    widget_box(c, r);
    const int w = str_width(right);
    int x = r.x + 2;
    x += widget_text(c, r, x, r.y, r.w - 4, STYLE_TEXT, " ");
    x += widget_text(c, r, x, r.y, r.w - 6, strong ? STYLE_TITLE : STYLE_LABEL, title);
    canvas_put(c, r, x++, r.y, STYLE_TEXT, ' ');
    if (w == 0 || r.x + r.w - x < w + 4)
        return;
    canvas_printf(c, r, r.x + r.w - w - 4, r.y, STYLE_LABEL, " %s ", right);
}

/* "DRAM_Bound › MEM_Latency"; without a node what the event says. */
static void path_words(const struct scene *sc, char *buf, size_t cap) {
    const struct model *m = scene_model(sc);
    const int node = where_state_of(sc)->live.node;
    if (node == METRIC_NONE) {
        str_copy(buf, cap, "Where");
        return;
    }
    const int parent = m->metric[node].parent;
    snprintf(buf, cap, "%s%s%s", parent == METRIC_NONE ? "" : m->metric[parent].name,
             parent == METRIC_NONE ? "" : " › ", m->metric[node].name);
}

static const struct sampling_event *event_of(const struct where_state *w) {
    return w->live.info.n_event ? &w->live.info.event[0] : NULL;
}

/* "precise · 812 samples · 4 s · 203/s". */
static void figures(const struct where_state *w, char *buf, size_t cap) {
    const struct where_live *l = &w->live;
    const struct sampling_event *e = event_of(w);
    struct strbuf sb = strbuf_on(buf, cap);
    buf[0] = '\0';
    if (!e)
        return;
    const double s = (double)(l->now_ns - l->info.begin_ns) / 1e9;
    strbuf_add(&sb, "%s · %llu samples · %.0f s", e->precision, (unsigned long long)l->total.all.n,
               s);
    if (s >= 1)
        strbuf_add(&sb, " · %.0f/s", (double)l->total.all.n / s);
}

/* What is not as one would think: another event, the kernel left out, losses. */
static void notes(const struct scene *sc, char *buf, size_t cap) {
    const struct where_state *w = where_state_of(sc);
    const struct sampling_info *i = &w->live.info;
    const struct sampling_event *e = event_of(w);
    struct strbuf sb = strbuf_on(buf, cap);
    buf[0] = '\0';
    if (e && e->node != w->live.node)
        strbuf_add(&sb, " · %s", e->why);
    else if (e && w->live.node == METRIC_NONE)
        strbuf_add(&sb, " · %s", e->why);
    if (i->user_only)
        strbuf_add(&sb, " · user space only: root, cap_perfmon or kernel.perf_event_paranoid=1 "
                        "show the kernel, too");
    if (i->n_lost)
        strbuf_add(&sb, " · %llu samples lost", (unsigned long long)i->n_lost);
    if (i->n_throttled)
        strbuf_add(&sb, " · throttled %llu times", (unsigned long long)i->n_throttled);
    if (i->n_left_out)
        strbuf_add(&sb, " · %u threads left out: raise ulimit -n", i->n_left_out);
    if (i->n_unreadable)
        strbuf_add(&sb, " · mappings of %llu processes cannot be read",
                   (unsigned long long)i->n_unreadable);
    if (w->live.total.n_no_leaf || i->n_evicted)
        strbuf_add(&sb, " · no room for %llu places",
                   (unsigned long long)(w->live.total.n_no_leaf + i->n_evicted));
    memmove(buf, buf + (sb.n ? 4 : 0), strlen(buf) + 1 - (sb.n ? 4 : 0)); /* " · " */
}

static bool is_idle(const struct where_state *w) {
    return !w->live.lack[0] && w->live.total.all.n == 0;
}

/* ---- where all is ---- */

struct where_places {
    struct rect head, note, list, listing, flame;
};

enum {
    BOTH_FROM_H = 28, /* functions and what is open, below each other */
    LISTING_H = 12,
    FLAME_H = 8,
    FLAME_FROM_H = 22,
    TWO_NOTES_FROM_H = 20,
};

static struct where_places places_of(const struct scene *sc, struct rect r) {
    const struct where_state *w = where_state_of(sc);
    char note[512];
    notes(sc, note, sizeof(note));
    struct where_places p = {.head = {r.x, r.y, r.w, r.h > 2}};
    const int lines = str_width(note) > r.w - 2 && r.h >= TWO_NOTES_FROM_H ? 2 : 1;
    p.note = (struct rect){r.x, r.y + p.head.h, r.w, note[0] && r.h > 8 ? lines : 0};
    const int top = p.head.h + p.note.h;
    struct rect rest = {r.x, r.y + top, r.w, r.h - top};
    if (w->flame) {
        p.flame = rest;
        return p;
    }
    if (w->open && !w->both) {
        p.listing = rest;
        return p;
    }
    if (rest.h >= FLAME_FROM_H && w->live.n_row > 0) {
        const int h = FLAME_H + (rest.h - FLAME_FROM_H) / 8;
        p.flame = (struct rect){rest.x, rest.y + rest.h - h, rest.w, h};
        rest.h -= h;
    }
    if (w->open) {
        const int h = LISTING_H + (rest.h > 28 ? (rest.h - 28) * 2 / 3 : 0);
        p.listing = (struct rect){rest.x, rest.y + rest.h - h, rest.w, h};
        rest.h -= h;
    }
    p.list = rest;
    return p;
}

/* Without its frame: the heading, the rows, what is said of those that are left out. */
static struct rect inside(struct rect r) {
    return (struct rect){r.x + 1, r.y + 1, r.w - 2, r.h > 2 ? r.h - 2 : 0};
}

static struct rect rows_in(const struct where_state *w, struct rect list) {
    const struct rect in = inside(list);
    const int foot = w->n_less > 0 || w->lack[0] || w->filter.text[0];
    return (struct rect){in.x, in.y + 1, in.w, in.h - 1 - foot};
}

/* ---- which rows ---- */

static bool is_hit(const struct where_state *w, const struct where_function *f) {
    size_t at, len;
    return !w->filter.text[0] || search_hit(&w->filter, where_function_name(f), &at, &len) ||
           search_hit(&w->filter, f->file, &at, &len) ||
           search_hit(&w->filter, f->thread, &at, &len);
}

enum { EVERY = -1 }; /* those without a share, too */

static uint32_t n_above(const struct where_live *l, double least) {
    uint32_t n = 0;
    while (n < l->n_row && (least < 0 || l->function[l->row[n]].share >= least))
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

static void choose_rows(struct where_state *w, int lines) {
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

static void note_selected(struct where_state *w) {
    w->selected = w->n_shown ? (int)w->shown[w->list.at] : WHERE_NONE;
}

static void selection_moved(void *owner) {
    note_selected(owner);
}

static void prepare(struct scene *sc, struct rect r) {
    struct where_state *w = where_state_of(sc);
    w->list.moved = selection_moved;
    w->list.owner = w;
    w->live.flame = w->flame || r.h >= FLAME_FROM_H;
    w->both = r.h >= BOTH_FROM_H;
    if (w->open && !w->both && w->part == WHERE_LIST)
        w->part = WHERE_SOURCE;
    if (!sc->frozen)
        where_live_update(&w->live, clock_now_ns());
    const struct where_places p = places_of(sc, r);
    const int lines = rows_in(w, p.list).h;
    choose_rows(w, lines > 0 ? lines : 1);
    list_fit(&w->list, rows_in(w, p.list).h);
    note_selected(w);
    w->lack[0] = '\0';
    const struct where_function *f = w->selected >= 0 ? &w->live.function[w->selected] : NULL;
    if (f && !f->name && !f->pending)
        where_live_lack(&w->live, w->selected, w->lack, sizeof(w->lack));
    if (w->open)
        where_listing_prepare(w, p.listing);
    if (w->flame)
        where_flame_prepare(w, p.flame);
}

/* ---- drawing ---- */

static void draw_head(const struct scene *sc, struct canvas *c, struct rect r) {
    const struct where_state *w = where_state_of(sc);
    const struct sampling_event *e = event_of(w);
    char path[160], right[160], of[192] = "";
    path_words(sc, path, sizeof(path));
    figures(w, right, sizeof(right));
    if (e)
        snprintf(of, sizeof(of), "a share is one of %s", e->of);
    const int wide = str_width(right), room = r.w - 2 - (wide ? wide + 2 : 0);
    const int x = r.x + 1 + widget_text(c, r, r.x + 1, r.y, room, STYLE_TITLE, path) + 3;
    if (r.x + 1 + room - x >= str_width(of))
        widget_text(c, r, x, r.y, r.x + 1 + room - x, STYLE_LABEL, of);
    widget_right(c, r, r.x, r.y, r.w - 1, STYLE_LABEL, right);
}

/* Columns of the table. */
struct columns_at {
    double top; /* share that fills the bar */
    int bar, bar_w, name, name_w, source, source_w, thread, thread_w;
};

enum { SHARE_W = 6, ERR_W = 5, THREAD_FROM_W = 70, WIDE_W = 100 };

static struct columns_at columns_of(struct rect r) {
    struct columns_at p = {.bar = r.x + 2 + SHARE_W + 1 + ERR_W + 1};
    const bool wide = r.w >= WIDE_W;
    p.bar_w = wide ? r.w / 5 : 8;
    p.thread_w = wide ? COMM_SIZE - 1 : r.w >= THREAD_FROM_W ? 12 : 0;
    p.source_w = wide ? r.w / 5 : 13;
    p.thread = r.x + r.w - p.thread_w - 1;
    p.source = p.thread - p.source_w - 1;
    p.name = p.bar + p.bar_w + 1;
    p.name_w = p.source - p.name - 1;
    return p;
}

static void draw_headings(struct canvas *c, struct rect r, const struct columns_at *p) {
    widget_right(c, r, r.x + 1, r.y, SHARE_W + 1, STYLE_LABEL, "share");
    widget_right(c, r, r.x + 2 + SHARE_W, r.y, ERR_W, STYLE_LABEL, "±");
    widget_text(c, r, p->name, r.y, p->name_w, STYLE_LABEL, "function");
    widget_text(c, r, p->source, r.y, p->source_w, STYLE_LABEL, "source");
    widget_text(c, r, p->thread, r.y, p->thread_w, STYLE_LABEL, "thread");
}

static void draw_name(const struct where_state *w, struct canvas *c, struct rect r, int x, int room,
                      enum style st, const struct where_function *f) {
    const char *name = where_function_name(f);
    size_t at, len;
    char part[256];
    if (f->kernel) {
        const int mark = widget_text(c, r, x, r.y, room, STYLE_LABEL, "[k] ");
        x += mark;
        room -= mark;
    }
    widget_text(c, r, x, r.y, room, st, name);
    if (!search_hit(&w->filter, name, &at, &len))
        return;
    snprintf(part, sizeof(part), "%.*s", (int)at, name);
    const int from = str_width(part);
    snprintf(part, sizeof(part), "%.*s", (int)len, name + at);
    widget_text(c, r, x + from, r.y, room - from, STYLE_MATCH, part);
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
    draw_name(w, c, r, p->name, p->name_w, f->pending ? STYLE_DIM : st, f);
    widget_text(c, r, p->source, r.y, p->source_w, STYLE_LABEL, f->line[0] ? f->line : f->file);
    widget_text(c, r, p->thread, r.y, p->thread_w, STYLE_LABEL, f->thread);
}

static void draw_foot(const struct where_state *w, struct canvas *c, struct rect r) {
    char text[160];
    int x = r.x + 1;
    if (w->filter.text[0])
        x += canvas_printf(c, r, x, r.y, STYLE_VALUE, "filter \"%s\": %u of %u functions  ",
                           w->filter.text, w->n_shown, w->live.n_row);
    if (w->n_less) {
        if (w->least > 0)
            snprintf(text, sizeof(text), "%u more below %g %%", w->n_less, w->least * 100);
        else
            snprintf(text, sizeof(text), "%u more with fewer than %d samples", w->n_less,
                     WHERE_LEAST);
        x += widget_text(c, r, x, r.y, r.x + r.w - x, STYLE_DIM, text) + 2;
    }
    widget_text(c, r, x, r.y, r.x + r.w - 1 - x, STYLE_WARN, w->lack);
}

static void draw_nothing(const struct scene *sc, struct canvas *c, struct rect r) {
    const struct where_state *w = where_state_of(sc);
    struct page p = page_on(c, (struct rect){r.x + 1, r.y, r.w - 2, r.h}, 0);
    const double s = (double)(w->live.now_ns - w->live.info.begin_ns) / 1e9;
    char text[160];
    if (w->live.lack[0]) {
        page_text(&p, STYLE_WARN, 0, NULL, w->live.lack);
    } else if (is_idle(w)) {
        snprintf(text, sizeof(text),
                 s < 1 ? "sampling ..."
                       : "no sample in %.0f s: the target has used no CPU, or the event has not "
                         "happened",
                 s);
        page_text(&p, STYLE_DIM, 0, NULL, text);
    }
}

static void draw_list(const struct scene *sc, struct canvas *c, struct rect r) {
    const struct where_state *w = where_state_of(sc);
    const struct sampling_event *e = event_of(w);
    const struct rect in = inside(r), rows = rows_in(w, r);
    struct columns_at p = columns_of(in);
    p.top = widget_nice_top(w->live.n_row ? w->live.function[w->live.row[0]].share : 1);
    char right[128] = "", more[48];
    if (e)
        snprintf(right, sizeof(right), "%s%s%.*s", e->name, e->precise_ip ? ":" : "",
                 e->precise_ip < 4 ? e->precise_ip : 3, "ppp");
    where_frame(c, r, !w->open || w->part == WHERE_LIST, "functions", right);
    if (w->live.lack[0] || is_idle(w)) {
        draw_nothing(sc, c, in);
        return;
    }
    draw_headings(c, (struct rect){in.x, in.y, in.w, 1}, &p);
    struct rect line;
    for (int i = 0, row; list_line(&w->list, rows, i, &line, &row); i++) {
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

static void draw(const struct scene *sc, struct canvas *c, struct rect r) {
    const struct where_state *w = where_state_of(sc);
    const struct where_places p = places_of(sc, r);
    char text[512];
    if (p.head.h)
        draw_head(sc, c, p.head);
    notes(sc, text, sizeof(text));
    if (p.note.h == 1)
        widget_text(c, p.note, p.note.x + 1, p.note.y, p.note.w - 2, STYLE_DIM, text);
    struct page note = page_on(c, (struct rect){p.note.x + 1, p.note.y, p.note.w - 2, p.note.h}, 0);
    if (p.note.h > 1)
        page_text(&note, STYLE_DIM, 0, NULL, text);
    if (p.list.h)
        draw_list(sc, c, p.list);
    if (p.listing.h)
        where_listing_draw(w, c, p.listing);
    if (p.flame.h && (w->live.lack[0] || is_idle(w))) {
        where_frame(c, p.flame, true, "flame graph", "");
        draw_nothing(sc, c, inside(p.flame));
    } else if (p.flame.h) {
        where_flame_draw(w, c, p.flame, !w->flame);
    }
}

/* ---- keys ---- */

void where_go(struct scene *sc) {
    if (sc->view == &view_where) {
        app_view(sc, &view_tree);
        return;
    }
    sc->where = sc->view == &view_bench ? bench_metric(sc) : scene_selected(sc);
    app_view(sc, &view_where);
}

void where_key_enter(struct scene *sc) {
    struct where_state *w = where_state_of(sc);
    if (w->flame) {
        where_flame_zoom(w);
        return;
    }
    if (w->open && w->part == WHERE_CODE && where_listing_follow(w))
        return;
    if (w->selected < 0 || (w->open && w->part != WHERE_LIST))
        return;
    if (w->open && w->live.open == w->selected) {
        where_key_out(sc);
        return;
    }
    w->open = true;
    w->part = w->both ? WHERE_LIST : WHERE_SOURCE;
    where_live_ask(&w->live, w->selected);
    where_listing_begin(w);
}

void where_key_flame(struct scene *sc) {
    struct where_state *w = where_state_of(sc);
    w->flame = !w->flame;
    w->live.due_ns = 0;
}

static bool back(struct scene *sc) {
    struct where_state *w = where_state_of(sc);
    if (w->flame)
        w->flame = false;
    else if (w->open)
        w->open = false;
    else
        return false;
    w->part = WHERE_LIST;
    return true;
}

void where_key_out(struct scene *sc) {
    struct where_state *w = where_state_of(sc);
    if (!w->flame || !where_flame_out(w))
        back(sc);
}

void where_key_all(struct scene *sc) {
    where_state_of(sc)->all = !where_state_of(sc)->all;
}

void where_key_reset(struct scene *sc) {
    struct where_state *w = where_state_of(sc);
    where_live_reset(&w->live);
    app_say(sc, "samples start anew");
}

void where_key_side(struct scene *sc, int by) {
    struct where_state *w = where_state_of(sc);
    if (w->flame) {
        where_flame_move(w, 0, by);
        return;
    }
    const int first = w->both ? WHERE_LIST : WHERE_SOURCE;
    const int to = (int)w->part + by;
    if (w->open)
        w->part = (enum where_part)(to < first ? first : to > WHERE_CODE ? WHERE_CODE : to);
}

/* ---- the row ---- */

static struct list *list_of(struct scene *sc) {
    struct where_state *w = where_state_of(sc);
    return w->flame ? NULL : w->open && w->part != WHERE_LIST ? where_listing_list(w) : &w->list;
}

static void move(struct scene *sc, int lines) {
    where_flame_move(where_state_of(sc), lines, 0);
}

static struct search *search_of(struct scene *sc) {
    return &where_state_of(sc)->filter;
}

static void look(struct scene *sc) {
    list_reset(&where_state_of(sc)->list);
}

static bool holds(struct rect r, const struct mouse *m) {
    return m->x >= r.x && m->x < r.x + r.w && m->y >= r.y && m->y < r.y + r.h;
}

static void mouse(struct scene *sc, struct rect r, const struct mouse *m) {
    struct where_state *w = where_state_of(sc);
    const struct where_places p = places_of(sc, r);
    if (holds(p.flame, m)) {
        if (w->flame)
            where_flame_mouse(w, p.flame, m);
        else if (m->what == MOUSE_PRESS || m->what == MOUSE_DOUBLE)
            where_key_flame(sc);
    } else if (holds(p.listing, m)) {
        where_listing_mouse(w, p.listing, m);
    } else if (holds(p.list, m)) {
        w->part = WHERE_LIST;
        if (list_mouse(&w->list, rows_in(w, p.list), m) == LIST_DOUBLE)
            where_key_enter(sc);
    }
}

static void enter(struct scene *sc) {
    struct where_state *w = where_state_of(sc);
    const int node = sc->where;
    w->open = w->flame = w->all = false;
    w->part = WHERE_LIST;
    w->zoom = w->mark = 0;
    w->selected = WHERE_NONE;
    list_reset(&w->list);
    w->n_shown = 0;
    where_live_open(&w->live, sc->s, node);
}

static void leave(struct scene *sc) {
    where_live_close(&where_state_of(sc)->live);
}

static uint64_t due(const struct scene *sc) {
    return sc->frozen ? 0 : where_live_due(&where_state_of(sc)->live);
}

static void destroy(void *state) {
    struct where_state *w = state;
    where_live_destroy(&w->live);
    free(w->shown);
    *w = (struct where_state){0};
}

const struct view view_where = {
    .id = "where",
    .name = "Where",
    .context = IN_WHERE,
    .layout = LAYOUT_WHOLE,
    .about = "Functions, lines and instructions in which the selected node happens: samples of "
             "its event, while this is shown.",
    .state_size = sizeof(struct where_state),
    .destroy = destroy,
    .prepare = prepare,
    .draw = draw,
    .mouse = mouse,
    .twice = true,
    .enter = enter,
    .leave = leave,
    .back = back,
    .due = due,
    .list = list_of,
    .search = search_of,
    .look = look,
    .move = move};
