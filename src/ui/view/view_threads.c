/*
 * One row per thread: who used the CPU, and where its slots went. Sorted by a column that the user
 * chooses; the line on top of the rows is the whole target, as the other views show it. A thread
 * that has come since the last interval has a "+"; one that has ended has a "-", and stays for a
 * minute without numbers. At the right is what each did in the last minute.
 */
#include "base/str.h"
#include "model/load/model_text.h"
#include "ui/draw/widget.h"
#include "ui/draw/words.h"
#include "ui/scene/scene.h"
#include "ui/view/rows_draw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- a row ---- */

/* What is known of a thread without evaluating anything. */
static void draw_who(const struct scene *sc, struct canvas *c, struct rect r,
                     const struct places *p, const struct unit_row *row, enum style st) {
    int id = threads_column(sc, FIELD_ID), name = threads_column(sc, FIELD_NAME);
    int busy = threads_column(sc, FIELD_BUSY);
    char text[16];
    if (row->fresh || row->ended)
        canvas_text(c, r, r.x + 1, r.y, row->ended ? STYLE_DIM : STYLE_GOOD,
                    row->ended ? "-" : "+");
    snprintf(text, sizeof(text), "%d", (int)row->tid);
    widget_right(c, r, p->x[id], r.y, p->w[id], st == STYLE_DIM ? st : STYLE_LABEL, text);
    search_draw(&rows_of(sc)->filter, c, r, p->x[name] + 1, r.y, p->w[name] - 1, st, row->comm);
    rows_draw_busy(c, r, p->x[busy], p->w[busy], st == STYLE_DIM ? st : STYLE_VALUE,
                   rows_busy(rows_of(sc), row));
}

static bool knows_nothing(const struct scene *sc, const struct frame *f) {
    for (int i = 0; i < rows_of(sc)->n_column; i++)
        if (rows_of(sc)->column[i].field == FIELD_METRIC &&
            !isnan(f->at[rows_of(sc)->column[i].metric].v))
            return false;
    return true;
}

/* Why there is no number but that of the CPU; NULL: there are some. */
static const char *why_none(const struct scene *sc, const struct unit_row *row,
                            const struct frame *f, char *buf, size_t cap) {
    const uint64_t gone_ns = rows_gone_ns(rows_of(sc), row);
    if (gone_ns) {
        char span[16];
        words_span(span, sizeof(span), rows_of(sc)->table.t1_ns - gone_ns);
        snprintf(buf, cap, "exited %s ago", span);
        return buf;
    }
    if (!f)
        return "did not run";
    return row->begins && knows_nothing(sc, f) ? "n/a: known from the next interval on" : NULL;
}

static void draw_row(const struct scene *sc, struct canvas *c, struct rect r,
                     const struct places *p, int at) {
    const struct unit_row *row = rows_at(rows_of(sc), at);
    const struct frame *f = rows_eval(rows_of(sc), at, &sc->s->eval);
    enum style st = row->ended || !f ? STYLE_DIM : STYLE_TEXT;
    draw_who(sc, c, r, p, row, st);
    if (p->bar_w)
        rows_draw_strip(sc, c, (struct rect){p->bar_x, r.y, p->bar_w, 1}, row);
    char text[48];
    const char *why = why_none(sc, row, f, text, sizeof(text));
    if (!why) {
        rows_draw_frame(sc, c, r, p, f, rows_busy(rows_of(sc), row), rows_duty(row), st);
        rows_draw_moves(sc, c, r, p, at);
        return;
    }
    int busy = threads_column(sc, FIELD_BUSY), x = p->x[busy] + p->w[busy] + 1;
    widget_text(c, r, x, r.y, (p->bar_w ? p->bar_x - 1 : r.x + r.w) - x, STYLE_DIM, why);
}

/* ---- around the rows ---- */

/* CPU time of the whole target: as the vital signs have it, else the sum of the rows. */
static double whole_busy(const struct scene *sc) {
    int metric = model_find(scene_model(sc), "CPUs_Utilized");
    double v = metric == METRIC_NONE ? (double)NAN : sc->frame->at[metric].v;
    return isnan(v) ? rows_of(sc)->busy : v;
}

/* The whole target, as every other view shows it. */
static void draw_totals(const struct scene *sc, struct canvas *c, struct rect r,
                        const struct places *p) {
    int name = threads_column(sc, FIELD_NAME), busy = threads_column(sc, FIELD_BUSY);
    char text[48];
    if (!sc->frame)
        return;
    uint32_t n =
        sc->frame->threads; /* as the header says; rows may be of threads that have ended */
    if (!n)
        n = rows_of(sc)->n_order + rows_of(sc)->table.n_hidden;
    snprintf(text, sizeof(text), "all %u threads", n);
    int x = r.x + 1 + THREADS_MARK_W;
    widget_text(c, r, x, r.y, p->x[name] + p->w[name] - x, STYLE_TITLE, text);
    rows_draw_busy(c, r, p->x[busy], p->w[busy], STYLE_TITLE, whole_busy(sc));
    rows_draw_frame(sc, c, r, p, sc->frame, whole_busy(sc), (double)sc->frame->duty, STYLE_TITLE);
    rows_draw_changes(sc, c, r, p);
}

/* "filter "io": 3 of 12 threads  312 more have no row ..." Returns false if there is nothing. */
static bool draw_notes(const struct scene *sc, struct canvas *c, struct rect r) {
    const struct rows *rows = rows_of(sc);
    int x = r.x + 1;
    char text[160];
    if (rows->filter.text[0])
        x += canvas_printf(c, r, x, r.y, STYLE_VALUE, "filter \"%s\": %u of %u threads  ",
                           rows->filter.text, rows->n_shown, rows->n_order);
    if (rows->table.n_hidden) {
        snprintf(text, sizeof(text),
                 "%u more have no row, only a part in the sum: too few descriptors (ulimit -n), or "
                 "not opened yet",
                 rows->table.n_hidden);
        x += widget_text(c, r, x, r.y, r.x + r.w - 1 - x, STYLE_WARN, text);
    }
    return x > r.x + 1;
}

/* " · User n/a: ran for less than one tick of 10 ms": of the first number that a row lacks. */
static void draw_lack(const struct scene *sc, struct canvas *c, struct rect r, int x) {
    const struct model *m = scene_model(sc);
    const struct frame *f = rows_eval(rows_of(sc), rows_of(sc)->list.at, &sc->s->eval);
    char why[256], text[320];
    for (int i = 0; f && !knows_nothing(sc, f) && i < rows_of(sc)->n_column; i++) {
        const int metric = rows_of(sc)->column[i].metric;
        if (rows_of(sc)->column[i].field != FIELD_METRIC || f->at[metric].state != VALUE_NA)
            continue;
        why_text(m, f->at[metric].why, why, sizeof(why));
        snprintf(text, sizeof(text), " · %s n/a: %s", m->metric[metric].name, why);
        widget_text(c, r, x, r.y, r.x + r.w - x, STYLE_LABEL, text);
        return;
    }
}

/* Who the selected one is, in full. */
static void draw_selected(const struct scene *sc, struct canvas *c, struct rect r) {
    const struct unit_row *row = rows_at(rows_of(sc), rows_of(sc)->list.at);
    if (!row)
        return;
    int x = r.x + 1;
    x += canvas_printf(c, r, x, r.y, STYLE_LABEL, "%s · thread %d of process %d", row->comm,
                       (int)row->tid, (int)row->pid);
    if (row->cpu >= 0)
        x += canvas_printf(c, r, x, r.y, STYLE_LABEL, " · last on CPU %d", row->cpu);
    if (row->fresh || row->ended)
        x += canvas_printf(c, r, x, r.y, STYLE_LABEL, " · %s",
                           row->ended ? "has ended" : "new in this interval");
    draw_lack(sc, c, r, x);
}

/* "↑4 ↓10": how many more there are. */
static void draw_more(const struct scene *sc, struct canvas *c, struct rect r) {
    char text[48];
    const int w = str_width(list_more(&rows_of(sc)->list, text, sizeof(text)));
    if (w == 0)
        return;
    canvas_fill(c, (struct rect){r.x + r.w - w - 1, r.y, w + 1, 1}, STYLE_TEXT, ' ');
    widget_right(c, r, r.x, r.y, r.w - 1, STYLE_LABEL, text);
}

/* Lines of the pane: headings, totals, rows, and what is to be said about them. */
struct parts {
    struct rect head, totals, rows, foot;
};

static struct parts parts_of(struct rect r) {
    struct parts p = {.head = {r.x, r.y, r.w, r.h >= 3}};
    p.totals = (struct rect){r.x, r.y + p.head.h, r.w, r.h >= 5};
    p.foot = (struct rect){r.x, r.y + r.h - 1, r.w, r.h >= 4};
    int above = p.head.h + p.totals.h;
    p.rows = (struct rect){r.x, r.y + above, r.w, r.h - above - p.foot.h};
    return p;
}

static void draw_empty(const struct scene *sc, struct canvas *c, struct rect r) {
    if (rows_of(sc)->filter.text[0] && rows_of(sc)->n_order)
        return; /* the last line says it */
    rows_draw_none(sc, c, r);
}

static void prepare(struct scene *sc, struct rect r) {
    struct rows *rows = rows_of(sc);
    rows->list.per_line = 1;
    rows->list.wheel = 0;
    rows->brief = false;
    list_fit(&rows->list, parts_of(r).rows.h);
}

static void draw(const struct scene *sc, struct canvas *c, struct rect r) {
    const struct rows *rows = rows_of(sc);
    struct parts at = parts_of(r);
    struct places p = threads_place(sc, r);
    if (at.head.h)
        rows_draw_headings(sc, c, at.head, &p, at.rows.h);
    if (at.totals.h && rows->n_order)
        draw_totals(sc, c, at.totals, &p);
    if (rows->n_shown == 0)
        draw_empty(sc, c, at.rows);
    struct rect line;
    for (int i = 0, row; list_line(&rows->list, at.rows, i, &line, &row); i++) {
        draw_row(sc, c, line, &p, row);
        if (row == rows->list.at)
            list_mark(c, line, r.x);
    }
    if (at.foot.h && !draw_notes(sc, c, at.foot))
        draw_selected(sc, c, at.foot);
    if (at.foot.h)
        draw_more(sc, c, at.foot);
}

/* A click on a heading sorts by it; again, the other way round. */
static void click_heading(struct scene *sc, struct rect r, int x) {
    struct places p = threads_place(sc, r);
    for (int i = 0; i < rows_of(sc)->n_column; i++) {
        if (x < p.x[i] || x >= p.x[i] + p.w[i])
            continue;
        if (i == rows_of(sc)->chosen[ROWS_THREADS])
            rows_invert(rows_of(sc), &sc->s->eval);
        else
            rows_choose(rows_of(sc), i, &sc->s->eval);
    }
}

static void mouse(struct scene *sc, struct rect r, const struct mouse *m) {
    struct parts at = parts_of(r);
    if (m->what == MOUSE_PRESS && at.head.h && m->y == at.head.y)
        click_heading(sc, r, m->x);
    else
        list_mouse(&rows_of(sc)->list, at.rows, m);
}

static int attach(struct scene *sc) {
    rows_destroy(rows_of(sc));
    return rows_init(rows_of(sc), scene_model(sc), sc->s->source.layout.n_slot);
}

static void destroy(void *state) {
    rows_destroy(state);
}

const struct view view_threads = {
    .id = "threads",
    .name = "Threads",
    .digit = '4',
    .context = IN_THREADS,
    .layout = LAYOUT_LIST,
    .about = "A row for each thread: what it is bound by, and its last minute.",
    .state_size = sizeof(struct rows),
    .attach = attach,
    .destroy = destroy,
    .prepare = prepare,
    .draw = draw,
    .mouse = mouse,
    .enter = rows_enter,
    .list = rows_list,
    .search = rows_search,
    .look = rows_look};
