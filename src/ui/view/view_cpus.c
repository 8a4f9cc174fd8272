/*
 * The CPUs. Where all of them fit, a line each as a thread has it: numbers and the last minute. Of
 * more a map, a cell each in the order of their numbers, as large as the place allows: the last
 * minute beside the number that the user chose; of still more how busy the CPU was and that number,
 * with a shade: signs that get brighter, so that no colour is needed. On the smallest cells only
 * the shade is left.
 */
#include "base/str.h"
#include "ui/draw/widget.h"
#include "ui/draw/words.h"
#include "ui/scene/scene.h"
#include "ui/view/rows_draw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- a line each ---- */

#define CPUS_IDLE_BELOW 0.0005 /* of the time: would be shown as 0.0 % */

enum { ABOVE = 2 /* headings, and all CPUs together */ };

/* Lines that n CPUs take. */
static int cpus_table_lines(int n) {
    return n + ABOVE;
}

/* False of a CPU that was counted while nothing came: shares of that are not missed. */
static bool cpus_ran(const struct rows *rows, const struct unit_row *row, const struct frame *f) {
    if (!(rows_busy(rows, row) < CPUS_IDLE_BELOW))
        return true;
    bool known = false;
    for (int i = 0; i < rows->n_column; i++)
        known |= rows->column[i].field == FIELD_METRIC && !isnan(f->at[rows->column[i].metric].v);
    return known;
}

static void draw_sum_row(const struct scene *sc, struct canvas *c, struct rect r,
                         const struct places *p) {
    const struct rows *rows = rows_of(sc);
    const int busy = threads_column(sc, FIELD_BUSY);
    const double each = rows->n_order ? rows->busy / rows->n_order : (double)NAN;
    widget_text(c, r, r.x + 1 + THREADS_MARK_W, r.y, p->x[busy] - r.x - 1, STYLE_TITLE, "all");
    rows_draw_busy(c, r, p->x[busy], p->w[busy], STYLE_TITLE, each);
    if (!sc->frame)
        return;
    rows_draw_frame(sc, c, r, p, sc->frame, each, (double)sc->frame->duty, STYLE_TITLE);
    rows_draw_changes(sc, c, r, p);
}

static void draw_cpu(const struct scene *sc, struct canvas *c, struct rect r,
                     const struct places *p, int at) {
    struct rows *rows = rows_of(sc);
    const struct unit_row *row = rows_at(rows, at);
    if (p->bar_w)
        rows_draw_strip(sc, c, (struct rect){p->bar_x, r.y, p->bar_w, 1}, row);
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
        rows_draw_frame(sc, c, r, p, f, rows_busy(rows, row), rows_duty(row), st);
        rows_draw_moves(sc, c, r, p, at);
        return;
    }
    const int x = p->x[busy] + p->w[busy] + 1;
    widget_text(c, r, x, r.y, (p->bar_w ? p->bar_x - 1 : r.x + r.w) - x, STYLE_DIM,
                row->ended ? "offline" : "nothing ran on it");
}

static void cpus_table_draw(const struct scene *sc, struct canvas *c, struct rect r) {
    const struct places p = threads_place(sc, r);
    const int n = (int)rows_of(sc)->n_shown;
    rows_draw_headings(sc, c, (struct rect){r.x, r.y, r.w, 1}, &p, n);
    draw_sum_row(sc, c, (struct rect){r.x, r.y + 1, r.w, 1}, &p);
    for (int i = 0; i < n && i + ABOVE < r.h; i++) {
        struct rect line = {r.x, r.y + ABOVE + i, r.w, 1};
        draw_cpu(sc, c, line, &p, i);
        if (i == rows_of(sc)->list.at)
            list_mark(c, line, r.x);
    }
}

/* The place of the CPU in that line of r, or -1. */
static int cpus_table_at(const struct scene *sc, struct rect r, int y) {
    const int at = y - r.y - ABOVE;
    return at >= 0 && y < r.y + r.h && rows_at(rows_of(sc), at) ? at : -1;
}

/* ---- the map ---- */

/* What a cell has room for; the number of the CPU takes `digits` more. A blank is included. */
enum form { FORM_STRIP, FORM_LINE, FORM_SHORT, FORM_SIGN, FORM_DOT, FORMS };
static const struct {
    int w;
    bool id; /* it says its number; else the line does, in front */
} forms[FORMS] = {
    [FORM_STRIP] = {16, true}, /* "12 ▁▁▁▂▂▃▃▄  87%  ": number, the last seconds, what is chosen */
    [FORM_LINE] = {9, true},  /* "12  87▒ 45 ": number, busy, shade, share */
    [FORM_SHORT] = {5, true}, /* "12▒ 45 " */
    [FORM_SIGN] = {2, true},  /* "12▒ " */
    [FORM_DOT] = {1, false},  /* "▒" */
};

enum { STRIP_MIN = 8, FOOT = 2, SIGN_W = 1, NUMBER_W = 3 };

struct grid {
    enum form form;
    int digits;
    int w;          /* of a cell */
    int cols, rows; /* cells that fit */
};

/* ---- places ---- */

static int digits_of(const struct rows *r) {
    char text[16];
    int cpu = r->n_order ? r->table.row[r->order[r->n_order - 1]].cpu : 0;
    int n = snprintf(text, sizeof(text), "%d", cpu);
    return n < 2 ? 2 : n;
}

/* Round numbers of columns are easier to count in: the least of them in which n cells fit, or the
 * largest; -1: they do not fit in any number. */
static int columns_for(int most, int rows, int n, bool least) {
    static const int round[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256};
    int found = -1;
    for (size_t i = 0; i < sizeof(round) / sizeof(round[0]) && round[i] <= most; i++)
        if ((n + round[i] - 1) / round[i] <= rows && (found < 0 || !least))
            found = round[i];
    return found;
}

/* The largest form of which n fit into r; the smallest if none does: then it scrolls. */
static struct grid make_grid(struct rect r, int n, int digits) {
    struct grid g = {.digits = digits, .rows = r.h};
    for (int f = 0; f < FORMS; f++) {
        int front = forms[f].id ? 0 : digits + 2;
        g.form = (enum form)f;
        g.w = forms[f].w + (forms[f].id ? digits : 0);
        int most = (r.w - 1 - front + (g.w > 1)) / g.w; /* the last one needs no blank */
        g.cols = columns_for(most, g.rows, n, f == FORM_STRIP);
        if (g.cols < 0 && f == FORMS - 1)
            g.cols = most >= 64 ? most / 64 * 64 : most >= 8 ? most / 8 * 8 : most > 0 ? most : 1;
        if (g.cols > 0)
            break;
    }
    const int whole = g.w + STRIP_CELLS - STRIP_MIN, room = (r.w - 1) / g.cols;
    if (g.form == FORM_STRIP)
        g.w = room < whole ? room : whole;
    return g;
}

/* Between the number of the CPU and that of the share, with blanks around. */
static int strip_width(const struct grid *g) {
    return g->w - g->digits - 1 - (NUMBER_W + 1) - 3;
}

/* Lines of the pane: what is shown, the cells, all CPUs together, the selected one. */
static struct rect map_of(struct rect r) {
    int head = r.h >= 3, foot = r.h >= 6 ? FOOT : r.h >= 2;
    return (struct rect){r.x, r.y + head, r.w, r.h - head - foot};
}

/* Lines of all CPUs, or a map where these do not fit. */
struct parts {
    struct rect map, table; /* table.h == 0: the map */
    struct grid grid;
};

static struct parts parts_of(const struct rows *rows, struct rect r) {
    const int n = (int)rows->n_order;
    struct parts p = {.map = map_of(r)};
    if (cpus_table_lines(n) <= r.h) {
        p.table = (struct rect){r.x, r.y, r.w, cpus_table_lines(n)};
        p.grid = (struct grid){.cols = 1, .rows = n};
    } else
        p.grid = make_grid(p.map, n, digits_of(rows));
    return p;
}

/* ---- what is shown ---- */

static const struct row_column *shown(const struct scene *sc) {
    return &rows_of(sc)->column[rows_of(sc)->chosen[ROWS_CPUS]];
}

static const struct metric *metric_of(const struct scene *sc) {
    const struct row_column *col = shown(sc);
    return col->field == FIELD_METRIC ? &scene_model(sc)->metric[col->metric] : NULL;
}

/* The value that the fullest sign stands for. */
static double top_of(const struct scene *sc) {
    const struct metric *mt = metric_of(sc);
    double max = 0;
    if (!mt || mt->share)
        return 1;
    for (uint32_t i = 0; i < rows_of(sc)->n_order; i++)
        max = fmax(max, rows_of(sc)->key[rows_of(sc)->order[i]]); /* fmax ignores NAN */
    return widget_nice_top(max);
}

static const char *const signs[] = {"▁", "░", "▒", "▓", "█"};
static const double sign_from[] = {0, 0.05, 0.25, 0.5, 0.75}; /* of the top */

/* Which of the signs; the heat of the same number is its colour. -1: not known. */
static int heat_of(double v, double top) {
    int i = 0;
    if (isnan(v))
        return -1;
    while (i + 1 < (int)(sizeof(signs) / sizeof(signs[0])) && v >= sign_from[i + 1] * top)
        i++;
    return i;
}

static enum style heat_style(int heat) {
    return heat < 0 ? STYLE_DIM : (enum style)(STYLE_HEAT_0 + heat);
}

/* "Backend", "IPC". */
static const char *name_of(const struct scene *sc, char *buf, size_t cap) {
    const struct metric *mt = metric_of(sc);
    return mt ? words_short(buf, cap, mt) : "";
}

/* In three columns: a share in percent, "1.8", "n/a". */
static const char *number_of(const struct scene *sc, double v, char *buf, size_t cap) {
    const struct metric *mt = metric_of(sc);
    if (isnan(v))
        return str_copy(buf, cap, "n/a");
    if (!mt || mt->share)
        snprintf(buf, cap, "%.0f", v * 100);
    else
        snprintf(buf, cap, v < 9.95 ? "%.1f" : "%.0f", v);
    return buf;
}

/* ---- cells ---- */

struct cpu {
    const struct unit_row *row;
    double busy, v;
    bool known; /* it ran: else there is nothing to know about shares */
    const char *sign;
    enum style heat;
    struct fade_mark moved; /* what is shown of it */
    char number[16], percent[16];
};

static struct cpu cpu_at(const struct scene *sc, int at, double top) {
    const struct rows *r = rows_of(sc);
    struct cpu u = {.row = rows_at(r, at), .v = r->key[r->shown[at]]};
    u.busy = rows_busy(r, u.row);
    u.known = u.row->enabled_ns || !(u.busy <= 0);
    if (isnan(u.v) && u.busy < CPUS_IDLE_BELOW) /* counted, but nothing came */
        u.known = false;
    bool idle = !u.known && metric_of(sc);
    int heat = idle ? -1 : heat_of(u.v, top);
    u.sign = idle ? "-" : heat < 0 ? "?" : signs[heat];
    u.heat = heat_style(heat);
    u.moved = rows_moved(r, at, r->chosen[ROWS_CPUS]);
    if (idle)
        str_copy(u.number, sizeof(u.number), "-");
    else
        number_of(sc, u.v, u.number, sizeof(u.number));
    snprintf(u.percent, sizeof(u.percent), isnan(u.busy) ? "n/a" : "%.0f", u.busy * 100);
    return u;
}

static enum style text_style(const struct cpu *u) {
    return u->row->ended || !u->known ? STYLE_DIM : STYLE_TEXT;
}

/* "34%": where a number is known and is a share. */
static const char *number_with_unit(const struct scene *sc, const struct cpu *u, char *buf,
                                    size_t cap) {
    const struct metric *mt = metric_of(sc);
    const bool share = !isnan(u->v) && (!mt || (u->known && mt->share));
    snprintf(buf, cap, "%s%s", u->number, share ? "%" : "");
    return buf;
}

/* Number of the CPU, its last seconds, and the share that was chosen. */
static void draw_strip_cell(const struct scene *sc, struct canvas *c, struct rect r,
                            const struct grid *g, const struct cpu *u) {
    const int strip = strip_width(g), number = NUMBER_W + 1, digits = g->digits;
    char text[24];
    rows_draw_strip(sc, c, (struct rect){r.x + digits + 1, r.y, strip, 1}, u->row);
    if (u->row->ended)
        canvas_text(c, r, r.x + digits + 1, r.y, STYLE_DIM, "offline");
    const int x = r.x + digits + 1 + strip + 1;
    widget_right(c, r, x, r.y, number, text_style(u), number_with_unit(sc, u, text, sizeof(text)));
    if (u->moved.step > 0) /* behind the number that it is about */
        canvas_put(c, r, x + number, r.y, fade_style(u->moved), fade_glyph(u->moved));
}

static void draw_cell(const struct scene *sc, struct canvas *c, struct rect r, const struct grid *g,
                      const struct cpu *u) {
    int x = r.x;
    char id[16];
    if (forms[g->form].id) {
        snprintf(id, sizeof(id), "%d", u->row->cpu);
        widget_right(c, r, x, r.y, g->digits, u->row->ended ? STYLE_DIM : STYLE_LABEL, id);
        x += g->digits;
    }
    if (g->form == FORM_STRIP) {
        draw_strip_cell(sc, c, r, g, u);
        return;
    }
    if (g->form == FORM_LINE) {
        widget_right(c, r, x + 1, r.y, NUMBER_W, text_style(u), u->percent);
        x += 1 + NUMBER_W;
    }
    bool number = g->form == FORM_LINE || g->form == FORM_SHORT;
    if (u->row->ended)
        canvas_text(c, r, x, r.y, STYLE_DIM, "x");
    else if (u->known || !number) /* else the number says it */
        canvas_text(c, r, x, r.y, u->known ? u->heat : STYLE_DIM, u->sign);
    if (number)
        widget_right(c, r, x + SIGN_W, r.y, NUMBER_W, text_style(u), u->number);
}

/* Not the sign: where the selection is shown reversed it would be another. */
static void select_cell(struct canvas *c, struct rect cell, const struct grid *g) {
    if (forms[g->form].id)
        cell.w = g->digits;
    canvas_select(c, cell);
}

static void draw_map(const struct scene *sc, struct canvas *c, struct rect r,
                     const struct grid *g) {
    struct rows *rows = rows_of(sc);
    double top = top_of(sc);
    int front = forms[g->form].id ? 0 : g->digits + 2;
    for (int i = 0; i < g->rows * g->cols; i++) {
        int at = rows->list.top * g->cols + i;
        if (!rows_at(rows, at))
            return;
        struct rect cell = {r.x + 1 + front + i % g->cols * g->w, r.y + i / g->cols, g->w, 1};
        struct cpu u = cpu_at(sc, at, top);
        if (front && i % g->cols == 0) {
            char id[16];
            snprintf(id, sizeof(id), "%d", u.row->cpu);
            widget_right(c, r, r.x + 1, cell.y, g->digits, STYLE_LABEL, id);
        }
        draw_cell(sc, c, cell, g, &u);
        if (at == rows->list.at)
            select_cell(c, cell, g);
    }
}

/* ---- around the map ---- */

/* " ░ 5  ▒ 25  ▓ 50  █ 75%" */
static int draw_scale(const struct scene *sc, struct canvas *c, struct rect r, int x) {
    const struct metric *mt = metric_of(sc);
    double top = top_of(sc);
    bool share = !mt || mt->share;
    for (size_t i = 1; i < sizeof(signs) / sizeof(signs[0]); i++) {
        x += canvas_text(c, r, x, r.y, heat_style((int)i), signs[i]);
        x += canvas_printf(c, r, x, r.y, STYLE_LABEL, " %.2g  ",
                           sign_from[i] * top * (share ? 100 : 1));
    }
    return x + canvas_text(c, r, share ? x - 2 : x - 1, r.y, STYLE_LABEL,
                           share ? "% and more" : "and more");
}

/* "16 CPUs · Backend   last 40s", "256 CPUs · how busy, and Backend   ░ 5  ▒ 25  ▓ 50  █ 75%" */
static void draw_head(const struct scene *sc, struct canvas *c, struct rect r,
                      const struct grid *g) {
    struct rows *rows = rows_of(sc);
    const bool strips = g->form == FORM_STRIP, busy = !metric_of(sc);
    char name[64], text[80];
    int x = r.x + 1;
    x += canvas_printf(c, r, x, r.y, STYLE_LABEL, "%u CPUs · %s%s", rows->n_order,
                       busy || !strips ? "how busy" : "", busy || strips ? "" : ", and ");
    x += canvas_text(c, r, x, r.y, STYLE_TITLE, name_of(sc, name, sizeof(name))) + 3;
    if (strips)
        canvas_text(c, r, x, r.y, STYLE_LABEL,
                    rows_strip_words(strip_width(g), text, sizeof(text)));
    else if (r.x + r.w - x >= 34)
        draw_scale(sc, c, r, x);
    widget_right(c, r, r.x, r.y, r.w - 1, STYLE_LABEL, list_more(&rows->list, text, sizeof(text)));
}

enum { VALUE_W = 5 }; /* "87.2%": shorter ones do not move what follows */

/* "Frontend 12.1%  Backend 60.2%  IPC  1.21", as far as it fits, or first words. Returns where it
 * ends: all of it, if r has the room. */
static int put_values(const struct scene *sc, struct canvas *c, struct rect r, int x,
                      const struct frame *f, bool brief) {
    const struct model *m = scene_model(sc);
    for (int i = 0; i < rows_of(sc)->n_column; i++) {
        int metric = rows_of(sc)->column[i].metric;
        char name[64], value[48];
        if (rows_of(sc)->column[i].field != FIELD_METRIC)
            continue;
        words_short(name, sizeof(name), &m->metric[metric]);
        if (brief)
            name[strcspn(name, " ")] = '\0';
        words_cell(value, sizeof(value), &m->metric[metric], &f->at[metric]);
        int room = str_width(value) > VALUE_W ? str_width(value) : VALUE_W;
        if (c && x + str_width(name) + room + 3 > r.x + r.w)
            return x;
        if (c) {
            canvas_text(c, r, x + 2, r.y, words_hue(m, metric), name);
            canvas_text(c, r, x + 3 + str_width(name) + room - str_width(value), r.y, STYLE_VALUE,
                        value);
        }
        x += 3 + str_width(name) + room;
    }
    return x;
}

/* Why the first value that is not known is not, where there is room left. */
static void draw_reason(const struct scene *sc, struct canvas *c, struct rect r, int x,
                        const struct frame *f) {
    char words[160], text[164];
    for (int i = 0; i < rows_of(sc)->n_column; i++) {
        if (rows_of(sc)->column[i].field != FIELD_METRIC)
            continue;
        const struct value *v = &f->at[rows_of(sc)->column[i].metric];
        if (!isnan(v->v))
            continue;
        why_text(scene_model(sc), v->why, words, sizeof(words));
        snprintf(text, sizeof(text), "(%s)", words);
        if (words[0] && x + 1 + str_width(text) <= r.x + r.w)
            canvas_text(c, r, x + 1, r.y, STYLE_DIM, text);
        return;
    }
}

static void draw_values(const struct scene *sc, struct canvas *c, struct rect r, int x,
                        const struct frame *f) {
    bool brief = put_values(sc, NULL, r, x, f, false) > r.x + r.w;
    draw_reason(sc, c, r, put_values(sc, c, r, x, f, brief), f);
}

/* What a frame says, and at the right edge what part of the time it was counted, if not always. */
static void draw_frame(const struct scene *sc, struct canvas *c, struct rect r, int x,
                       const struct frame *f, double duty) {
    char text[32] = "";
    if (duty < 0.995)
        snprintf(text, sizeof(text), " duty %.0f%%", duty * 100);
    widget_right(c, r, r.x, r.y, r.w - 1, duty < 0.25 ? STYLE_WARN : STYLE_TEXT, text);
    r.w -= (int)strlen(text);
    draw_values(sc, c, r, x, f);
}

enum { WHO_W = 18 }; /* "CPU 1023  busy 87.2%" and the totals above it stand in the same columns */

static int draw_who(struct canvas *c, struct rect r, const char *who, double busy) {
    char text[32];
    int x = r.x + 1 + canvas_text(c, r, r.x + 1, r.y, STYLE_TITLE, who);
    x = x < r.x + 10 ? r.x + 10 : x + 1;
    snprintf(text, sizeof(text), isnan(busy) ? "busy   n/a" : "busy %5.1f%%", busy * 100);
    canvas_text(c, r, x, r.y, STYLE_VALUE, text);
    return x + WHO_W - 6;
}

/* Busy of all: CPU time of the rows over their number. */
static void draw_all(const struct scene *sc, struct canvas *c, struct rect r) {
    const struct rows *rows = rows_of(sc);
    int x = draw_who(c, r, "all", rows->n_order ? rows->busy / rows->n_order : (double)NAN);
    if (sc->frame)
        draw_frame(sc, c, r, x, sc->frame, (double)sc->frame->duty);
}

static void draw_selected(const struct scene *sc, struct canvas *c, struct rect r) {
    const struct unit_row *row = rows_at(rows_of(sc), rows_of(sc)->list.at);
    const struct frame *f = rows_eval(rows_of(sc), rows_of(sc)->list.at, &sc->s->eval);
    char who[32];
    snprintf(who, sizeof(who), "CPU %d", row->cpu);
    int x = draw_who(c, r, who, rows_busy(rows_of(sc), row));
    if (row->ended)
        canvas_text(c, r, x + 2, r.y, STYLE_WARN, "offline");
    else if (!f || !cpus_ran(rows_of(sc), row, f))
        canvas_text(c, r, x + 2, r.y, STYLE_DIM, "nothing ran on it");
    else
        draw_frame(sc, c, r, x, f, rows_duty(row));
}

static void prepare(struct scene *sc, struct rect r) {
    struct rows *rows = rows_of(sc);
    if (rows->n_order == 0)
        return;
    const struct parts at = parts_of(rows, r);
    rows->list.per_line = at.grid.cols;
    rows->list.wheel = 1;
    rows->brief = at.table.h == 0 && at.grid.form != FORM_STRIP;
    list_fit(&rows->list, at.grid.rows);
}

static void draw(const struct scene *sc, struct canvas *c, struct rect r) {
    const struct rows *rows = rows_of(sc);
    if (rows->n_order == 0) {
        rows_draw_none(sc, c, r);
        return;
    }
    const struct parts at = parts_of(rows, r);
    if (at.table.h) {
        cpus_table_draw(sc, c, at.table);
        return;
    }
    const struct rect map = at.map;
    if (map.y > r.y)
        draw_head(sc, c, (struct rect){r.x, r.y, r.w, 1}, &at.grid);
    draw_map(sc, c, map, &at.grid);
    int foot = map.y + map.h, lines = r.y + r.h - foot;
    if (lines >= 2)
        draw_all(sc, c, (struct rect){r.x, foot, r.w, 1});
    if (lines >= 1)
        draw_selected(sc, c, (struct rect){r.x, foot + lines - 1, r.w, 1});
}

static void mouse(struct scene *sc, struct rect r, const struct mouse *m) {
    struct rows *rows = rows_of(sc);
    if (rows->n_order == 0)
        return;
    const struct parts is = parts_of(rows, r);
    const struct rect map = is.map;
    const struct grid g = is.grid;
    if (is.table.h) {
        const int at = cpus_table_at(sc, is.table, m->y);
        if (at >= 0 && m->what == MOUSE_PRESS)
            list_select(&rows->list, at);
        return;
    }
    int front = forms[g.form].id ? 0 : g.digits + 2;
    int col = (m->x - map.x - 1 - front) / g.w, line = m->y - map.y;
    int at = (rows->list.top + line) * g.cols + col;
    if (m->what == MOUSE_WHEEL_UP || m->what == MOUSE_WHEEL_DOWN)
        list_mouse(&rows->list, map, m);
    else if (m->y >= map.y && line < g.rows && m->x > map.x + front && col < g.cols &&
             rows_at(rows, at))
        list_select(&rows->list, at);
}

/* So many have a cell with a number each beside the other panes; more need the whole width. */
static bool are_many(const struct scene *sc) {
    return rows_of(sc)->kind == ROWS_CPUS && rows_of(sc)->n_order > 256;
}

const struct view view_cpus = {
    .id = "cpus",
    .name = "CPUs",
    .digit = '5',
    .context = IN_CPUS,
    .layout = LAYOUT_LIST,
    .about = "Each CPU: what it is bound by, and its last minute: higher is busier.",
    .state_of = &view_threads,
    .is_wide = are_many,
    .prepare = prepare,
    .draw = draw,
    .mouse = mouse,
    .enter = rows_enter,
    .list = rows_list,
    .search = rows_search,
    .look = rows_look};
