#include "ui/view/cpus_table.h"

#include "base/str.h"
#include "ui/draw/widget.h"
#include "ui/scene/scene.h"
#include "ui/view/rows_draw.h"

#include <math.h>
#include <stdio.h>

enum { ABOVE = 2 /* headings, and all CPUs together */ };

int cpus_table_lines(int n) {
    return n + ABOVE;
}

bool cpus_ran(const struct rows *rows, const struct unit_row *row, const struct frame *f) {
    if (!(rows_busy(rows, row) < CPUS_IDLE_BELOW))
        return true;
    bool known = false;
    for (int i = 0; i < rows->n_column; i++)
        known |= rows->column[i].field == FIELD_METRIC && !isnan(f->at[rows->column[i].metric].v);
    return known;
}

static void draw_all(const struct scene *sc, struct canvas *c, struct rect r,
                     const struct places *p) {
    const struct rows *rows = rows_of(sc);
    const int busy = threads_column(sc, FIELD_BUSY);
    widget_text(c, r, r.x + 1 + THREADS_MARK_W, r.y, p->x[busy] - r.x - 1, STYLE_TITLE, "all");
    rows_draw_busy(c, r, p->x[busy], p->w[busy], STYLE_TITLE,
                   rows->n_order ? rows->busy / rows->n_order : (double)NAN);
    if (!sc->frame)
        return;
    rows_draw_frame(sc, c, r, p, sc->frame, (double)sc->frame->duty, STYLE_TITLE);
    rows_draw_changes(sc, c, r, p);
}

static void draw_cpu(const struct scene *sc, struct canvas *c, struct rect r,
                     const struct places *p, int at) {
    struct rows *rows = rows_of(sc);
    const struct unit_row *row = rows_at(rows, at);
    const struct frame *f = rows_eval(rows, at, &sc->s->eval);
    if (f && !cpus_ran(rows, row, f))
        f = NULL;
    const int id = threads_column(sc, FIELD_ID), busy = threads_column(sc, FIELD_BUSY);
    const enum style st = row->ended || !f ? STYLE_DIM : STYLE_TEXT;
    char text[16];
    snprintf(text, sizeof(text), "%d", row->cpu);
    widget_right(c, r, p->x[id], r.y, p->w[id], st == STYLE_DIM ? st : STYLE_LABEL, text);
    rows_draw_busy(c, r, p->x[busy], p->w[busy], st == STYLE_DIM ? st : STYLE_VALUE,
                   rows_busy(rows, row));
    if (f) {
        rows_draw_frame(sc, c, r, p, f, rows_duty(row), st);
        rows_draw_moves(sc, c, r, p, at);
        return;
    }
    const int x = p->x[busy] + p->w[busy] + 1;
    widget_text(c, r, x, r.y, r.x + r.w - x, STYLE_DIM,
                row->ended ? "offline" : "nothing ran on it");
}

void cpus_table_draw(const struct scene *sc, struct canvas *c, struct rect r) {
    const struct places p = threads_place(sc, r);
    const int n = (int)rows_of(sc)->n_shown;
    rows_draw_headings(sc, c, (struct rect){r.x, r.y, r.w, 1}, &p, n);
    draw_all(sc, c, (struct rect){r.x, r.y + 1, r.w, 1}, &p);
    for (int i = 0; i < n && i + ABOVE < r.h; i++) {
        const struct rect line = {r.x, r.y + ABOVE + i, r.w, 1};
        struct rect selection = line;
        if (p.bar_w) /* patterns of a bar must not be reversed */
            selection.w = p.bar_x - r.x;
        draw_cpu(sc, c, line, &p, i);
        if (i != rows_of(sc)->selected)
            continue;
        canvas_put(c, line, r.x, line.y, STYLE_SELECTED, 0x203a); /* some grounds are faint */
        canvas_select(c, selection);
    }
}

int cpus_table_at(const struct scene *sc, struct rect r, int y) {
    const int at = y - r.y - ABOVE;
    return at >= 0 && y < r.y + r.h && rows_at(rows_of(sc), at) ? at : -1;
}
