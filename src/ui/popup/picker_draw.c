/* The picker's screen: title, hint, headings, rows, keys. */
#include "base/str.h"
#include "ui/draw/widget.h"
#include "ui/popup/picker.h"
#include "ui/popup/picker_keys.h"

#include <stdio.h>
#include <string.h>

enum field { F_PID, F_USER, F_CPU, F_THREADS, F_MEMORY, F_NAME, F_COMMAND, F_N };

/* Widths include the blank behind; rank: the highest is left out first where lines are short. */
static const struct {
    const char *title;
    int w, rank;
    bool right;
    int order; /* enum picker_order that sorts by it, or -1 */
} fields[F_N] = {
    [F_PID] = {"PID", 8, 0, true, ORDER_PID},       [F_USER] = {"USER", 11, 3, false, -1},
    [F_CPU] = {"CPU%", 8, 0, true, ORDER_CPU},      [F_THREADS] = {"THR", 6, 1, true, -1},
    [F_MEMORY] = {"RES", 8, 2, true, ORDER_MEMORY}, [F_NAME] = {"NAME", 17, 0, false, -1},
    [F_COMMAND] = {"COMMAND", 12, 4, false, -1}, /* and all that is left */
};

static void lay_out(int room, int w[F_N]) {
    memset(w, 0, F_N * sizeof(*w));
    for (int rank = 0; rank <= 4; rank++)
        for (int i = 0; i < F_N; i++)
            if (fields[i].rank == rank && (rank == 0 || fields[i].w <= room)) {
                w[i] = fields[i].w;
                room -= fields[i].w;
            }
    int last = w[F_COMMAND] ? F_COMMAND : F_NAME;
    w[last] += room; /* also less than nothing, on the smallest screens */
    w[last] = w[last] > 0 ? w[last] : 0;
}

/* In units that htop's users know: powers of 1024, three digits. */
static const char *memory_words(char *buf, size_t cap, uint64_t bytes) {
    static const char unit[] = "KMGTP";
    double v = (double)bytes / 1024;
    int i = 0;
    for (; v >= 999.5 && unit[i + 1]; i++)
        v /= 1024;
    snprintf(buf, cap, v < 9.95 && i > 0 ? "%.1f%c" : "%.0f%c", v, unit[i]);
    return buf;
}

/* The text; what was searched for stands out. */
static void put_text(struct picker *pk, struct rect cell, enum style st, const char *text,
                     bool right) {
    struct canvas *c = &pk->canvas;
    if (right) {
        widget_right(c, cell, cell.x, cell.y, cell.w, st, text);
        return;
    }
    widget_text(c, cell, cell.x, cell.y, cell.w, st, text);
    const char *hit = picker_hit(pk, text);
    if (!hit)
        return;
    char part[256];
    snprintf(part, sizeof(part), "%.*s", (int)(hit - text), text);
    int before = str_width(part);
    snprintf(part, sizeof(part), "%.*s", (int)strlen(pk->search), hit);
    int len = str_width(part);
    if (before + len < cell.w)
        canvas_text(c, cell, cell.x + before, cell.y, STYLE_MATCH, part);
}

static const char *cell_text(struct picker *pk, struct process_row *r, enum field f, char *buf,
                             size_t cap) {
    switch (f) {
    case F_PID:
        snprintf(buf, cap, "%d", (int)r->pid);
        return buf;
    case F_USER:
        return r->user;
    case F_CPU:
        snprintf(buf, cap, "%.1f", r->cpu * 100);
        return buf;
    case F_THREADS:
        snprintf(buf, cap, "%u", r->n_thread);
        return buf;
    case F_MEMORY:
        return r->kernel ? "" : memory_words(buf, cap, r->rss);
    case F_NAME:
        return r->comm;
    default:
        if (!r->command)
            pk->opt->detail(pk->opt->user, r);
        return r->command ? r->command : "";
    }
}

static enum style cell_style(const struct process_row *r, enum field f) {
    const bool idle = r->cpu < 0.0005;
    if (f == F_CPU && !r->fresh && !idle)
        return STYLE_VALUE;
    if (r->kernel || f == F_COMMAND || f == F_USER || (f == F_CPU && (r->fresh || idle)))
        return STYLE_DIM;
    return f == F_NAME ? STYLE_VALUE : STYLE_TEXT;
}

static void draw_row(struct picker *pk, struct process_row *r, int y, const int w[F_N]) {
    char buf[32];
    int x = 0;
    for (int i = 0; i < F_N; x += w[i++]) {
        if (w[i] < 2)
            continue;
        struct rect cell = {x + 1, y, w[i] - 1, 1};
        if (fields[i].right)
            cell.x--; /* the blank stands behind */
        put_text(pk, cell, cell_style(r, (enum field)i),
                 cell_text(pk, r, (enum field)i, buf, sizeof(buf)), fields[i].right);
    }
}

static void draw_headings(struct picker *pk, int y, const int w[F_N]) {
    int x = 0;
    for (int i = 0; i < F_N; x += w[i++]) {
        char title[24];
        if (w[i] < 2)
            continue;
        bool sorted = fields[i].order == (int)pk->order;
        const enum style st = sorted ? STYLE_TITLE : STYLE_LABEL;
        snprintf(title, sizeof(title), "%s%s", fields[i].title, sorted ? "▾" : "");
        struct rect cell = {x + 1 - fields[i].right, y, w[i] - 1, 1};
        /* not put_text: a heading is nothing to be found */
        if (fields[i].right)
            widget_right(&pk->canvas, cell, cell.x, y, cell.w, st, title);
        else
            widget_text(&pk->canvas, cell, cell.x, y, cell.w, st, title);
    }
}

static void draw_title(struct picker *pk) {
    struct canvas *c = &pk->canvas;
    const struct process_table *t = pk->opt->table;
    struct rect r = {0, 0, c->w, 1};
    char count[96];
    snprintf(count, sizeof(count), "%u process%s · %u threads ", t->n, t->n == 1 ? "" : "es",
             t->n_thread);
    int x = 1 + canvas_text(c, r, 1, 0, STYLE_LABEL, "tdtop") + 2;
    x += widget_text(c, r, x, 0, c->w - x, STYLE_TITLE, "Which process?");
    if (x + str_width(count) < c->w)
        widget_right(c, r, x, 0, c->w - x, STYLE_TEXT, count);
}

static void draw_hint(struct picker *pk) {
    struct canvas *c = &pk->canvas;
    char text[128];
    if (pk->failed)
        snprintf(text, sizeof(text), "the list is not whole: %s", strerror(-pk->failed));
    else
        snprintf(text, sizeof(text),
                 "its pipeline slots are measured as long as you look; nothing is changed in it");
    widget_text(c, canvas_rect(c), 1, 1, c->w - 2, pk->failed ? STYLE_WARN : STYLE_DIM, text);
}

static void draw_none(struct picker *pk, int y) {
    struct canvas *c = &pk->canvas;
    char text[128];
    if (pk->search[0])
        snprintf(text, sizeof(text), "no process has \"%s\" in its name, command line or user",
                 pk->search);
    else
        snprintf(text, sizeof(text), "no process can be seen; a measures the whole machine");
    widget_text(c, canvas_rect(c), 1, y, c->w - 2, STYLE_WARN, text);
}

static void draw_keys(struct picker *pk, int y) {
    struct canvas *c = &pk->canvas;
    struct rect r = {0, y, c->w, 1};
    int x = 1;
    canvas_fill(c, r, STYLE_KEY_TEXT, ' ');
    if (pk->typing || pk->search[0]) {
        x += canvas_text(c, r, x, y, STYLE_KEY, "/");
        x += canvas_text(c, r, x, y, pk->list.n ? STYLE_VALUE : STYLE_ERROR, pk->search);
        if (pk->typing)
            canvas_put(c, r, x, y, STYLE_TEXT, '_');
        x += 3;
    }
    unsigned where = pk->typing ? PICK_SEARCH : PICK_LIST;
    for (size_t i = 0; i < n_picker_keys; i++) {
        const char *brief = picker_keys[i].brief, *word = brief ? strchr(brief, ' ') : NULL;
        if (!word || !(picker_keys[i].where & where) || x + str_width(brief) >= c->w)
            continue;
        x += canvas_printf(c, r, x, y, STYLE_KEY, "%.*s", (int)(word - brief), brief);
        x += canvas_text(c, r, x, y, STYLE_KEY_TEXT, word) + 2;
    }
}

void picker_draw(struct picker *pk) {
    struct canvas *c = &pk->canvas;
    int w[F_N], y = picker_first_line(pk);
    canvas_clear(c);
    draw_title(pk);
    if (y > 2 || pk->failed)
        draw_hint(pk);
    lay_out(c->w, w);
    draw_headings(pk, y - 1, w);
    list_fit(&pk->list, pk->list.lines);
    const struct rect rows = {0, y, c->w, pk->list.lines};
    struct rect line;
    for (int i = 0, at; list_line(&pk->list, rows, i, &line, &at); i++) {
        draw_row(pk, picker_row(pk, at), line.y, w);
        if (at == pk->list.at)
            list_mark(c, line, 0);
    }
    if (pk->list.n == 0 && pk->list.lines)
        draw_none(pk, y);
    draw_keys(pk, c->h - 1);
}
