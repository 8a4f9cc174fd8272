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
    where_notes(sc, note, sizeof(note));
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

static void note_selected(struct where_state *w) {
    w->selected = w->n_shown ? (int)w->shown[w->list.at] : WHERE_NONE;
}

static void selection_moved(void *owner) {
    note_selected(owner);
}

/* ---- what is looked at ---- */

static bool same_event(const struct hot *h, const struct sampling_event *e) {
    return h->event.n && strcmp(h->event.at[0].name, e->name) == 0;
}

/* Samples of the baseline of that event. */
static const struct hot *base_of(const struct scene *sc) {
    const struct sampling_event *e = where_event(where_state_of(sc));
    const struct run *r = &sc->base.run;
    for (size_t i = r->hot.n; e && sc->base.on && i-- > 0;)
        if (same_event(&r->hot.at[i], e))
            return &r->hot.at[i];
    return NULL;
}

/* The moment or span of the time cursor; beside a baseline what came since. */
static struct where_span span_of(const struct scene *sc, bool compared) {
    const uint64_t start = sc->s->t_start_ns;
    const struct cursor *cu = &sc->cursor;
    if (cu->shows != CURSOR_LIVE) {
        const uint64_t from = (start + cu->t0_ns + NS_PER_S / 2) / NS_PER_S,
                       to = (start + cu->t1_ns + NS_PER_S / 2) / NS_PER_S;
        return (struct where_span){from, to > from ? to : from + 1};
    }
    if (compared && sc->base.since_ns)
        return (struct where_span){(start + sc->base.since_ns) / NS_PER_S + 1, UINT64_MAX};
    return (struct where_span){0};
}

static void update(struct scene *sc) {
    struct where_live *l = &where_state_of(sc)->live;
    const struct hot *base = base_of(sc);
    const struct where_span span = span_of(sc, base != NULL);
    const bool other =
        base != l->base || memcmp(&span, &l->span, sizeof(span)) != 0 || l->due_ns == 0;
    l->base = base;
    l->span = span;
    if (other)
        l->due_ns = 0;
    if (other || !sc->frozen || l->stored)
        where_live_update(l, clock_now_ns());
}

static void prepare(struct scene *sc, struct rect r) {
    struct where_state *w = where_state_of(sc);
    w->list.moved = selection_moved;
    w->list.owner = w;
    w->live.flame = w->flame || r.h >= FLAME_FROM_H;
    w->both = r.h >= BOTH_FROM_H;
    if (w->open && !w->both && w->part == WHERE_LIST)
        w->part = WHERE_SOURCE;
    update(sc);
    const struct where_places p = places_of(sc, r);
    const int lines = where_table_rows(w, p.list).h;
    where_table_choose(w, lines > 0 ? lines : 1);
    list_fit(&w->list, where_table_rows(w, p.list).h);
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

static void draw(const struct scene *sc, struct canvas *c, struct rect r) {
    const struct where_state *w = where_state_of(sc);
    const struct where_places p = places_of(sc, r);
    char text[512];
    if (p.head.h)
        where_head_draw(sc, c, p.head);
    where_notes(sc, text, sizeof(text));
    if (p.note.h == 1)
        widget_text(c, p.note, p.note.x + 1, p.note.y, p.note.w - 2, STYLE_DIM, text);
    struct page note = page_on(c, (struct rect){p.note.x + 1, p.note.y, p.note.w - 2, p.note.h}, 0);
    if (p.note.h > 1)
        page_text(&note, STYLE_DIM, 0, NULL, text);
    if (p.list.h)
        where_table_draw(sc, c, p.list);
    if (p.listing.h)
        where_listing_draw(w, c, p.listing);
    if (p.flame.h && (w->live.lack[0] || where_is_idle(w))) {
        where_frame(c, p.flame, true, "flame graph", "");
        where_nothing_draw(sc, c, where_inside(p.flame));
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

/* Other rows; those of one thread are its functions and lines. */
static void show_rows(struct where_state *w, enum where_by by) {
    w->live.by = by;
    w->live.due_ns = 0;
    if (by == WHERE_BY_THREAD || by == WHERE_BY_BRANCH || by == WHERE_BY_ACCESS)
        w->live.only = 0;
    w->selected = WHERE_NONE;
    list_reset(&w->list);
}

/* Rows of its samples alone. */
static void choose_thread(struct where_state *w) {
    const struct where_function *f = &w->live.function[w->selected];
    if (f->module != WHERE_THREAD)
        return;
    str_copy(w->only_name, sizeof(w->only_name), where_function_name(f));
    w->live.only = f->start;
    show_rows(w, WHERE_BY_FUNCTION);
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
    if (w->live.by == WHERE_BY_THREAD) {
        choose_thread(w);
        return;
    }
    const int function = where_row_function(&w->live, w->selected);
    if (function < 0)
        return;
    if (w->open && w->live.open == function) {
        where_key_out(sc);
        return;
    }
    w->open = true;
    w->part = w->both ? WHERE_LIST : WHERE_SOURCE;
    where_live_ask(&w->live, function);
    where_listing_begin(w);
}

void where_key_by(struct scene *sc, int by) {
    struct where_state *w = where_state_of(sc);
    w->flame = false;
    show_rows(w, w->live.by == (enum where_by)by ? WHERE_BY_FUNCTION : (enum where_by)by);
}

/* By another event, or with more in its samples. */
static void sample_anew(struct scene *sc) {
    struct where_state *w = where_state_of(sc);
    w->open = false;
    w->part = WHERE_LIST;
    where_live_open(&w->live, sc->s, w->live.node);
}

/* Rows of records, which samples of other nodes have once they are asked for: they start anew.
 * Those of a clock never have any. */
static void show_records(struct scene *sc, enum where_by by, bool *asked, bool there) {
    struct where_state *w = where_state_of(sc);
    const struct sampling_event *e = where_event(w);
    where_key_by(sc, (int)by);
    if (w->live.by != by || w->live.stored || w->live.lack[0] || *asked || there || (e && e->clock))
        return;
    *asked = true;
    sample_anew(sc);
}

void where_key_branches(struct scene *sc) {
    struct where_live *l = &where_state_of(sc)->live;
    show_records(sc, WHERE_BY_BRANCH, &l->branches, l->info.branches || l->info.no_branches[0]);
}

void where_key_accesses(struct scene *sc) {
    struct where_live *l = &where_state_of(sc)->live;
    show_records(sc, WHERE_BY_ACCESS, &l->accesses, l->info.accesses || l->no_accesses[0]);
}

void where_key_waits(struct scene *sc) {
    if (sc->view != &view_where)
        where_go(sc);
    struct where_state *w = where_state_of(sc);
    if (w->live.info.event[0].off_cpu && !w->live.off_cpu) /* the node's own event */
        return;
    if (w->live.stored) {
        app_say(sc, "these are the samples of a stored run: it has those that were taken then");
        return;
    }
    w->live.off_cpu = !w->live.off_cpu;
    if (where_is_records(w))
        show_rows(w, WHERE_BY_FUNCTION);
    sample_anew(sc);
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
    else if (w->live.only)
        show_rows(w, WHERE_BY_THREAD);
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

void where_key_explain(struct scene *sc) {
    const int node = where_state_of(sc)->live.node;
    if (node != METRIC_NONE)
        app_explain(sc, node);
    else
        app_say(sc, "{explain} explains a node: {where} on one samples its event");
}

void where_key_reset(struct scene *sc) {
    struct where_state *w = where_state_of(sc);
    where_live_reset(&w->live);
    app_say(sc,
            w->live.stored ? "samples of a stored run do not start anew" : "samples start anew");
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
        if (list_mouse(&w->list, where_table_rows(w, p.list), m) == LIST_DOUBLE)
            where_key_enter(sc);
    }
}

/* Of a stored run the samples of that node, else the first. */
static const struct hot *stored_of(const struct scene *sc) {
    if (!sc->stored || !sc->stored->hot.n)
        return NULL;
    const struct hot *h =
        sc->where == METRIC_NONE
            ? NULL
            : run_samples(sc->stored, scene_model(sc)->metric[sc->where].name, NULL);
    return h ? h : run_samples(sc->stored, NULL, NULL);
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
    w->live.by = WHERE_BY_FUNCTION;
    w->live.only = 0;
    w->live.branches = w->live.accesses = w->live.off_cpu = false;
    w->live.base = NULL;
    const struct hot *stored = stored_of(sc);
    if (stored)
        where_live_show(&w->live, stored, sc->s, model_find(scene_model(sc), stored->asked));
    else
        where_live_open(&w->live, sc->s, node);
}

static void leave(struct scene *sc) {
    where_live_close(&where_state_of(sc)->live);
}

static uint64_t due(const struct scene *sc) {
    const struct where_live *l = &where_state_of(sc)->live;
    return sc->frozen && !l->stored ? 0 : where_live_due(l);
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
    .past = true,
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
