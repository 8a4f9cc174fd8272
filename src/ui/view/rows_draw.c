#include "ui/view/rows_draw.h"

#include "base/clock.h"
#include "base/str.h"
#include "ui/draw/page.h"
#include "ui/draw/widget.h"
#include "ui/draw/words.h"
#include "ui/scene/app.h"
#include "ui/scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DUTY_FULL 0.995 /* would be shown as 100 % */

enum {
    ID_W = 7, /* the kernel's numbers end at 4194304 */
    NAME_MIN = 10,
    NAME_MID = 14,
    NAME_MAX = 17, /* the kernel keeps 15 characters */
    NAME_ALL = 32, /* for the longer names of processes */
    BUSY_W = 8,
    ROOT_W = 7,   /* " 48.0%" */
    METRIC_W = 6, /* " 1.86" */
    DUTY_W = 6,   /* " duty▾" */
    BAR_GAP = 2,
    BAR_MIN = 12,
    BAR_MAX = 60,
};

int threads_column(const struct scene *sc, enum row_field field) {
    int i = 0;
    while (i < rows_of(sc)->n_column - 1 && rows_of(sc)->column[i].field != field)
        i++;
    return i;
}

/* True if the column is a root of the tree. */
static bool threads_is_root(const struct scene *sc, int column) {
    const struct row_column *col = &rows_of(sc)->column[column];
    return col->field == FIELD_METRIC && scene_model(sc)->metric[col->metric].level == 1;
}

/* Columns that its heading takes, whole or its first word alone, the mark of the sort included. */
static int heading_width(const struct scene *sc, int column, bool whole) {
    char name[64];
    const struct metric *mt = &scene_model(sc)->metric[rows_of(sc)->column[column].metric];
    words_short(name, sizeof(name), mt);
    return str_width(whole ? name : words_cut(name)) + 2;
}

static void give(int *w, int want, int *left) {
    int n = want - *w < *left ? want - *w : *left;
    if (n <= 0)
        return;
    *w += n;
    *left -= n;
}

/* Roots as wide as their names, or the first word of these. */
static void widen_roots(const struct scene *sc, struct places *p, bool whole, int *left) {
    for (int i = 0; i < rows_of(sc)->n_column; i++)
        if (threads_is_root(sc, i) && p->w[i] > 0)
            give(&p->w[i], heading_width(sc, i, whole), left);
}

/* CPUs have no names, and what is lost on one is nobody's. */
static bool is_shown(const struct scene *sc, int column) {
    const enum row_field field = rows_of(sc)->column[column].field;
    return rows_of(sc)->kind == ROWS_THREADS || (field != FIELD_NAME && field != FIELD_LOST);
}

/* More of the name, if there is one. */
static void widen_name(const struct scene *sc, struct places *p, int want, int *left) {
    int name = threads_column(sc, FIELD_NAME);
    if (is_shown(sc, name))
        give(&p->w[name], want, left);
}

static int least_width(const struct scene *sc, int column) {
    static const int w[] = {
        [FIELD_ID] = ID_W,     [FIELD_NAME] = NAME_MIN,   [FIELD_BUSY] = BUSY_W,
        [FIELD_LOST] = BUSY_W, [FIELD_METRIC] = METRIC_W, [FIELD_DUTY] = DUTY_W};
    return threads_is_root(sc, column) ? ROOT_W : w[rows_of(sc)->column[column].field];
}

/* Columns from that one on, as many as fit. Returns the last one. */
static int place_from(const struct scene *sc, struct places *p, int first, int *left) {
    int i = first;
    for (; i < rows_of(sc)->n_column && least_width(sc, i) <= *left; i++)
        if (is_shown(sc, i))
            give(&p->w[i], least_width(sc, i), left);
    return i - 1;
}

/* Who, and as many numbers as fit; the one that rows are sorted by is among them. */
static void place_least(const struct scene *sc, struct places *p, int *left) {
    int busy = threads_column(sc, FIELD_BUSY), chosen = rows_of(sc)->chosen[rows_of(sc)->kind];
    for (int i = 0; i <= busy; i++)
        if (is_shown(sc, i))
            give(&p->w[i], least_width(sc, i), left);
    const struct places who = *p;
    const int room = *left;
    for (int first = busy + 1; first < rows_of(sc)->n_column; first++) {
        *p = who;
        *left = room;
        if (place_from(sc, p, first, left) >= chosen || first == chosen)
            return;
    }
}

/* What is not a root is set apart from them. */
static void widen_rest(const struct scene *sc, struct places *p, int *left) {
    for (int i = 0; i < rows_of(sc)->n_column; i++)
        if (p->w[i] > 0 && !threads_is_root(sc, i))
            give(&p->w[i], least_width(sc, i) + 1, left);
}

struct places threads_place(const struct scene *sc, struct rect r) {
    const struct rows *rows = rows_of(sc);
    struct places p = {0};
    int left = r.w - 1 - THREADS_MARK_W - 1;
    place_least(sc, &p, &left);
    widen_name(sc, &p, NAME_MID, &left);
    widen_roots(sc, &p, false, &left);
    if (left >= BAR_GAP + BAR_MIN) {
        left -= BAR_GAP;
        give(&p.bar_w, STRIP_CELLS, &left);
    }
    widen_name(sc, &p, NAME_MAX, &left);
    widen_rest(sc, &p, &left);
    if (p.bar_w) {
        widen_roots(sc, &p, true, &left);
        give(&p.bar_w, BAR_MAX, &left);
        widen_name(sc, &p, NAME_ALL, &left);
    }
    int x = r.x + 1 + THREADS_MARK_W;
    for (int i = 0; i < rows->n_column; i++) {
        p.x[i] = x;
        x += p.w[i];
    }
    p.bar_x = x + BAR_GAP;
    return p;
}

/* ---- headings ---- */

static enum style heading_style(const struct scene *sc, int column) {
    if (column == rows_of(sc)->chosen[rows_of(sc)->kind])
        return STYLE_TITLE;
    return threads_is_root(sc, column)
               ? words_hue(scene_model(sc), rows_of(sc)->column[column].metric)
               : STYLE_LABEL;
}

/* The name, or its first word, where the whole has no room. */
static const char *heading(const struct scene *sc, int column, int w, char *buf, size_t cap) {
    static const char *const word[] = {[FIELD_ID] = "tid",
                                       [FIELD_NAME] = "name",
                                       [FIELD_BUSY] = "CPU %",
                                       [FIELD_LOST] = "lost %",
                                       [FIELD_DUTY] = "duty"};
    const struct row_column *col = &rows_of(sc)->column[column];
    if (rows_of(sc)->kind == ROWS_CPUS && col->field < FIELD_METRIC)
        return str_copy(buf, cap, col->field == FIELD_ID ? "CPU" : "busy %");
    if (col->field != FIELD_METRIC)
        return str_copy(buf, cap, word[col->field]);
    words_short(buf, cap, &scene_model(sc)->metric[col->metric]);
    if (str_width(buf) > w)
        words_cut(buf);
    if (str_width(buf) > w)
        words_brief(buf, cap, &scene_model(sc)->metric[col->metric]);
    return buf;
}

/* The sort's mark stands behind the name: at the right edge of a column of numbers. */
static void draw_heading(const struct scene *sc, struct canvas *c, struct rect r,
                         const struct places *p, int column) {
    const struct rows *rows = rows_of(sc);
    const bool sorted = rows->kind == ROWS_THREADS && column == rows->chosen[rows->kind];
    const char *mark = !sorted ? "" : rows_descend(rows) ? "▾" : "▴";
    enum style st = heading_style(sc, column);
    int x = p->x[column] + 1, w = p->w[column] - 1 - str_width(mark);
    char name[64];
    heading(sc, column, w, name, sizeof(name));
    if (rows->column[column].field == FIELD_NAME)
        x += widget_text(c, r, x, r.y, w, st, name);
    else
        widget_right(c, r, x, r.y, w, st, name);
    canvas_text(c, r, rows->column[column].field == FIELD_NAME ? x : x + w, r.y, st, mark);
}

/* True if duties are to be seen: of what is counted all the time nothing is said. */
static bool has_duty(const struct scene *sc, int h) {
    bool some = sc->frame && sc->frame->duty < DUTY_FULL;
    const int from = rows_of(sc)->kind == ROWS_CPUS ? 0 : rows_of(sc)->list.top;
    for (int i = 0; i < h && rows_at(rows_of(sc), from + i) && !some; i++)
        some = rows_duty(rows_at(rows_of(sc), from + i)) < DUTY_FULL;
    return some;
}

static int strip_cells(int w) {
    return w < STRIP_CELLS ? w : STRIP_CELLS;
}

const char *rows_strip_words(int w, char *buf, size_t cap) {
    char span[16];
    words_span(span, sizeof(span), 2 * NS_PER_S * (uint64_t)strip_cells(w));
    snprintf(buf, cap, "last %s", span);
    return buf;
}

void rows_draw_headings(const struct scene *sc, struct canvas *c, struct rect r,
                        const struct places *p, int h) {
    const struct rows *rows = rows_of(sc);
    for (int i = 0; i < rows->n_column; i++) {
        bool silent = rows->column[i].field == FIELD_DUTY && i != rows->chosen[rows->kind] &&
                      !has_duty(sc, h);
        if (p->w[i] > 0 && !silent)
            draw_heading(sc, c, r, p, i);
    }
    if (p->bar_w) {
        char text[32];
        widget_right(c, r, p->bar_x, r.y, p->bar_w, STYLE_LABEL,
                     rows_strip_words(p->bar_w, text, sizeof(text)));
    }
}

/* ---- a row ---- */

static void draw_metric(const struct scene *sc, struct canvas *c, struct rect r,
                        const struct places *p, int column, const struct frame *f,
                        enum style plain) {
    int metric = rows_of(sc)->column[column].metric;
    const struct value *v = &f->at[metric];
    char text[48];
    enum style st = plain;
    if (isnan(v->v))
        st = STYLE_DIM;
    else if (v->state == VALUE_ODD)
        st = STYLE_WARN;
    else if (plain != STYLE_DIM && v->over && threads_is_root(sc, column))
        st = words_hue(scene_model(sc), metric);
    widget_right(c, r, p->x[column] + 1, r.y, p->w[column] - 1, st,
                 words_cell(text, sizeof(text), &scene_model(sc)->metric[metric], v));
}

/* Only where something was not counted all the time. */
static void draw_duty(struct canvas *c, struct rect r, int x, int w, double duty) {
    char text[16];
    if (!(duty < DUTY_FULL))
        return;
    snprintf(text, sizeof(text), "%.0f%%", duty * 100);
    widget_right(c, r, x + 1, r.y, w - 1, duty < 0.25 ? STYLE_WARN : STYLE_TEXT, text);
}

/* A row or the totals: what a frame says. */
void rows_draw_frame(const struct scene *sc, struct canvas *c, struct rect r,
                     const struct places *p, const struct frame *f, double busy, double duty,
                     enum style plain) {
    for (int i = 0; i < rows_of(sc)->n_column; i++) {
        const struct row_column *col = &rows_of(sc)->column[i];
        const enum row_field field = col->field;
        if (p->w[i] > 0 && field == FIELD_LOST)
            rows_draw_busy(c, r, p->x[i], p->w[i], plain, busy * (1 - f->at[col->metric].v));
        if (p->w[i] > 0 && field == FIELD_METRIC)
            draw_metric(sc, c, r, p, i, f, plain);
        if (p->w[i] > 0 && field == FIELD_DUTY)
            draw_duty(c, r, p->x[i], p->w[i], duty);
    }
}

void rows_draw_strip(const struct scene *sc, struct canvas *c, struct rect r,
                     const struct unit_row *row) {
    enum { LEVELS = 7 };
    static const enum style hue[] = {[ROLE_NONE] = STYLE_PLOT,
                                     [ROLE_FRONTEND] = STYLE_FRONTEND,
                                     [ROLE_BAD_SPECULATION] = STYLE_BADSPEC,
                                     [ROLE_BACKEND] = STYLE_BACKEND,
                                     [ROLE_RETIRING] = STYLE_RETIRING};
    const int n = strip_cells(r.w), wide = n > 0 ? r.w / n : 0;
    for (int i = 0; i < n * wide; i++) {
        enum metric_role role;
        const double busy = rows_strip(rows_of(sc), row, i / wide, &role);
        const int x = r.x + r.w - 1 - i;
        const int level = busy < 1 ? (int)(busy * LEVELS) : LEVELS - 1;
        if (busy >= 0.0005)
            canvas_put(c, r, x, r.y, hue[role], 0x2581 + (uint32_t)level);
        else if (busy >= 0)
            canvas_put(c, r, x, r.y, STYLE_BORDER, 0xb7);
    }
}

void rows_draw_busy(struct canvas *c, struct rect r, int x, int w, enum style st, double busy) {
    char text[16];
    snprintf(text, sizeof(text), isnan(busy) ? "n/a" : "%.1f", busy * 100);
    widget_right(c, r, x + 1, r.y, w - 1, st, text);
}

/* ---- what has moved ---- */

/* What has just moved has an arrow in the blank behind its number. */
void rows_draw_changes(const struct scene *sc, struct canvas *c, struct rect r,
                       const struct places *p) {
    for (int i = 0; i < rows_of(sc)->n_column; i++)
        if (p->w[i] > 0 && rows_of(sc)->column[i].field == FIELD_METRIC)
            changes_draw(sc, c, r, p->x[i] + p->w[i], r.y, rows_of(sc)->column[i].metric,
                         STYLE_TEXT);
}

void rows_draw_moves(const struct scene *sc, struct canvas *c, struct rect r,
                     const struct places *p, int at) {
    for (int i = 0; i < rows_of(sc)->n_column; i++) {
        const struct fade_mark m = rows_moved(rows_of(sc), at, i);
        if (p->w[i] > 0 && m.step > 0)
            canvas_put(c, r, p->x[i] + p->w[i], r.y, fade_style(m), fade_glyph(m));
    }
}

/* Why there are no rows, for the place where they would be. Returns buf. */
static const char *no_rows_words(const struct scene *sc, char *buf, size_t cap) {
    const struct session *s = sc->s;
    bool cpus = sc->view == &view_cpus;
    if (!sc->connected || !s->source.ops)
        return str_copy(buf, cap, "opening counters ...");
    if (!s->source.ops->units)
        return str_copy(buf, cap, "no rows per thread or CPU: this source has sums only");
    if (rows_of(sc)->table.n > 0)
        return keys_in_words(cpus ? "What is measured are threads: {threads} shows them. A row for "
                                    "each CPU needs the whole machine: start tdtop -a."
                                  : "What is measured are CPUs: {cpus} shows them. A row for each "
                                    "thread needs a process: start tdtop -p PID, or tdtop alone to "
                                    "choose one.",
                             buf, cap);
    if (s->state != STREAM_LIVE)
        return str_copy(buf, cap, "no rows: none were counted at the end");
    if (sc->frozen)
        return keys_in_words("frozen before rows were counted: {freeze} goes on", buf, cap);
    char text[16];
    snprintf(buf, cap, "rows are counted from now on (%s) ...",
             words_interval(text, sizeof(text), s->control.interval_ns));
    return buf;
}

/* Low ones have one line for it. */
void rows_draw_none(const struct scene *sc, struct canvas *c, struct rect r) {
    enum { MIDDLE_W = 60, MIDDLE_FROM_H = 8 };
    char text[240];
    no_rows_words(sc, text, sizeof(text));
    if (r.h < MIDDLE_FROM_H) {
        widget_text(c, r, r.x + 1, r.y, r.w - 2, STYLE_LABEL, text);
        return;
    }
    const int room = r.w - 2 < MIDDLE_W ? r.w - 2 : MIDDLE_W, all = str_width(text);
    const int w = all < room ? all : room;
    struct page p =
        page_on(c, (struct rect){r.x + (r.w - w) / 2, r.y + r.h / 3, w, r.h - r.h / 3}, 0);
    page_text(&p, STYLE_TEXT, 0, NULL, text);
}

/* --- the rows of views.h --- */

void rows_enter(struct scene *sc) {
    enum rows_kind kind = sc->view == &view_cpus ? ROWS_CPUS : ROWS_THREADS;
    rows_begin(rows_of(sc), kind, scene_newest_ns(sc), &sc->s->eval);
}

struct list *rows_list(struct scene *sc) {
    return &rows_of(sc)->list;
}

struct search *rows_search(struct scene *sc) {
    return &rows_of(sc)->filter;
}

void rows_look(struct scene *sc) {
    struct rows *rows = rows_of(sc);
    rows_filter(rows);
    rows->filter.missing = rows->filter.text[0] && rows->n_shown == 0;
}
