/* Rows of the Where view that are of records beside a sample: branches that were taken, cache lines
 * that were accessed; and what such records say of functions. */
#include "base/str.h"
#include "ui/draw/widget.h"
#include "ui/term/term.h"
#include "ui/view/where_view.h"

#include <math.h>
#include <stdio.h>

enum { SHARE_W = 6, ERR_W = 5, CYCLES_W = 6, KERNEL_W = 4, NAME_LEAST_W = 8 };

/* "61.0%  1.2". Returns where it ends. */
static int draw_part(struct canvas *c, struct rect r, int x, double share, double low,
                     double high) {
    char text[32];
    widget_right(c, r, x, r.y, SHARE_W + 1, isnan(share) ? STYLE_DIM : STYLE_VALUE,
                 where_share(share, text, sizeof(text)));
    snprintf(text, sizeof(text), "%.1f", (high - low) * 50);
    widget_right(c, r, x + SHARE_W + 1, r.y, ERR_W, STYLE_DIM, isnan(share) ? "" : text);
    return x + SHARE_W + 1 + ERR_W;
}

/* ---- branches ---- */

enum { TAKEN_W = 8, FIGURES_W = 2 * (SHARE_W + 1 + ERR_W) + TAKEN_W + CYCLES_W + 5 };

/* Columns: figures, then from, to, source. */
static void branch_columns(struct rect r, int x[4]) {
    const int from = r.x + FIGURES_W, room = r.x + r.w - 1 - from;
    for (int i = 0; i < 4; i++)
        x[i] = from + room * i / 3;
}

static void draw_branch_headings(struct canvas *c, struct rect r) {
    static const char *const places[] = {"from", "to", "source"};
    int x = r.x, at[4];
    static const char *const parts[] = {"share", "rate"};
    for (int i = 0; i < 2; i++) {
        widget_right(c, r, x, r.y, SHARE_W + 1, STYLE_LABEL, parts[i]);
        widget_right(c, r, x + SHARE_W + 1, r.y, ERR_W, STYLE_LABEL, "±");
        x += SHARE_W + 1 + ERR_W;
    }
    widget_right(c, r, x, r.y, TAKEN_W, STYLE_LABEL, "taken");
    widget_right(c, r, x + TAKEN_W, r.y, CYCLES_W + 1, STYLE_LABEL, "cycles");
    branch_columns(r, at);
    for (int i = 0; i < 3; i++)
        widget_text(c, r, at[i], r.y, at[i + 1] - at[i] - 1, STYLE_LABEL, places[i]);
}

/* "dictFind+0x1a"; what is cut is the name, but not down to a few letters. */
static void draw_place(const struct where_state *w, struct canvas *c, struct rect r, int x,
                       int room, enum style st, const struct where_function *f, uint64_t offset) {
    char at[24] = "";
    if (f->name && offset > f->start)
        snprintf(at, sizeof(at), "+0x%llx", (unsigned long long)(offset - f->start));
    if (room - str_width(at) < NAME_LEAST_W)
        at[0] = '\0';
    const int name = str_width(where_function_name(f)) + (f->kernel ? KERNEL_W : 0),
              left = room - str_width(at);
    where_name_draw(w, c, r, x, left, st, f);
    widget_text(c, r, x + (name < left ? name : left), r.y, room, st, at);
}

static void draw_branch(const struct where_state *w, struct canvas *c, struct rect r,
                        const struct where_function *f) {
    const struct tally_branch *b = &w->live.copy.branch[f->start];
    const struct hot_taken *t = &f->taken.count;
    const enum style st = isnan(f->taken.rate) ? STYLE_DIM : STYLE_TEXT;
    char text[32];
    int at[4], x = draw_part(c, r, r.x, f->share, f->low, f->high);
    x = draw_part(c, r, x, f->taken.rate, f->taken.low, f->taken.high);
    snprintf(text, sizeof(text), "%llu", (unsigned long long)t->n);
    widget_right(c, r, x, r.y, TAKEN_W, st, text);
    snprintf(text, sizeof(text), t->n_timed ? "%.1f" : "-", hot_taken_cycles(t));
    widget_right(c, r, x + TAKEN_W, r.y, CYCLES_W + 1, STYLE_DIM, text);
    branch_columns(r, at);
    draw_place(w, c, r, at[0], at[1] - at[0] - 1, st, &w->live.function[f->top], b->from.offset);
    draw_place(w, c, r, at[1], at[2] - at[1] - 1, st, &w->live.function[f->taken.to], b->to.offset);
    widget_text(c, r, at[2], r.y, at[3] - at[2] - 1, STYLE_LABEL, f->line[0] ? f->line : f->file);
}

/* ---- accesses: of a function ---- */

enum { FROM_W = WHERE_MEMORY_W - CYCLES_W - 2 };

void where_memory_headings(struct canvas *c, struct rect r, int x) {
    widget_right(c, r, x, r.y, CYCLES_W, STYLE_LABEL, "cycles");
    widget_text(c, r, x + CYCLES_W + 1, r.y, FROM_W, STYLE_LABEL, "from");
}

/* "312 DRAM 96%" */
void where_memory_draw(struct canvas *c, struct rect r, int x, const struct access_sum *s) {
    char text[48];
    double share;
    const double cycles = access_cycles(&s->all);
    const enum data_source most = access_mostly(s, &share);
    if (s->all.count.n < WHERE_LEAST)
        return;
    snprintf(text, sizeof(text), isnan(cycles) ? "-" : "%.0f", cycles);
    widget_right(c, r, x, r.y, CYCLES_W, STYLE_TEXT, text);
    x += CYCLES_W + 1;
    if (most != DATA_UNKNOWN)
        snprintf(text, sizeof(text), share < 0.995 ? "%s %.0f%%" : "%s", data_source_name(most),
                 100 * share);
    widget_text(c, r, x, r.y, FROM_W, most == DATA_UNKNOWN ? STYLE_DIM : STYLE_TEXT,
                most == DATA_UNKNOWN ? "-" : text);
}

/* ---- accesses: where data came from ---- */

/* Accesses are of all time, so not beside shares of a part of it. */
bool where_has_memory(const struct where_state *w) {
    const bool part = w->live.span.to && !w->live.stored && w->live.by != WHERE_BY_ACCESS;
    return w->live.total.data.n >= WHERE_LEAST && !part;
}

bool where_has_sources(const struct where_state *w, struct rect list) {
    enum { FROM_H = 8 };
    return where_has_memory(w) && list.h >= FROM_H &&
           (w->live.by == WHERE_BY_FUNCTION || w->live.by == WHERE_BY_ACCESS);
}

/* "DRAM 64% 312 cycles · L3 20% 41 cycles · ...", the most first. */
void where_sources_draw(const struct where_state *w, struct canvas *c, struct rect r) {
    const struct access_count *by = w->live.by_source;
    double all = 0;
    char text[64];
    for (int i = 0; i < DATA_SOURCES; i++)
        all += by[i].count.weight;
    int x = r.x + 1 + widget_text(c, r, r.x + 1, r.y, r.w, STYLE_LABEL, "data from  ");
    unsigned said = 0;
    for (int k = 0; k < DATA_SOURCES; k++) {
        int most = -1;
        for (int i = 0; i < DATA_SOURCES; i++)
            if (!(said >> i & 1) && by[i].count.n &&
                (most < 0 || by[i].count.weight > by[most].count.weight))
                most = i;
        if (most < 0)
            return;
        said |= 1u << most;
        const double cycles = access_cycles(&by[most]);
        const char *name = data_source_name((enum data_source)most);
        x += k ? widget_text(c, r, x, r.y, r.x + r.w - x, STYLE_DIM, " · ") : 0;
        snprintf(text, sizeof(text), "%s %.1f%%", name[0] ? name : "not said",
                 100 * by[most].count.weight / all);
        x += widget_text(c, r, x, r.y, r.x + r.w - x, k ? STYLE_TEXT : STYLE_VALUE, text);
        snprintf(text, sizeof(text), " %.0f cycles", cycles);
        x += isnan(cycles) ? 0 : widget_text(c, r, x, r.y, r.x + r.w - x, STYLE_DIM, text);
    }
}

/* ---- accesses: cache lines ---- */

struct line_columns {
    int memory, threads, line, function, source, end;
};

enum { THREADS_W = 18, LINE_W = 15, LINE_FROM_W = 100 };

static struct line_columns line_columns(struct rect r) {
    struct line_columns p = {.memory = r.x + SHARE_W + 1 + ERR_W + 1};
    const bool wide = r.w >= LINE_FROM_W;
    p.threads = p.memory + WHERE_MEMORY_W;
    p.line = p.threads + THREADS_W + 1;
    p.function = p.line + (wide ? LINE_W + 1 : 0);
    p.end = r.x + r.w - 1;
    p.source = wide ? p.function + (p.end - p.function) * 3 / 5 : p.end;
    return p;
}

static void draw_line_headings(struct canvas *c, struct rect r) {
    const struct line_columns p = line_columns(r);
    widget_right(c, r, r.x, r.y, SHARE_W + 1, STYLE_LABEL, "share");
    widget_right(c, r, r.x + SHARE_W + 1, r.y, ERR_W, STYLE_LABEL, "±");
    where_memory_headings(c, r, p.memory);
    widget_text(c, r, p.threads, r.y, THREADS_W, STYLE_LABEL, "threads");
    widget_text(c, r, p.line, r.y, p.function - p.line - 1, STYLE_LABEL, "cache line");
    widget_text(c, r, p.function, r.y, p.source - p.function - 1, STYLE_LABEL, "function");
    widget_text(c, r, p.source, r.y, p.end - p.source, STYLE_LABEL, "source");
}

static void draw_line(const struct where_state *w, struct canvas *c, struct rect r,
                      const struct where_function *f) {
    static const char *const words[] = {"", " shared", " false sharing"};
    const struct line_columns p = line_columns(r);
    const struct where_function *of = &w->live.function[f->top];
    const bool known = !isnan(f->share), falsely = f->data.sharing == LINE_FALSE_SHARED;
    char text[48];
    if (known)
        draw_part(c, r, r.x, f->share, f->low, f->high);
    else
        widget_right(c, r, r.x, r.y, SHARE_W + 1, STYLE_DIM, "-");
    where_memory_draw(c, r, p.memory, &f->data.sum);
    snprintf(text, sizeof(text), "%u%s", f->data.n_thread, words[f->data.sharing]);
    widget_text(c, r, p.threads, r.y, THREADS_W,
                falsely ? STYLE_ERROR
                : known ? STYLE_TEXT
                        : STYLE_DIM,
                text);
    widget_text(c, r, p.line, r.y, p.function - p.line - 1, STYLE_LABEL, f->text);
    where_name_draw(w, c, r, p.function, p.source - p.function - 1, known ? STYLE_TEXT : STYLE_DIM,
                    of);
    widget_text(c, r, p.source, r.y, p.end - p.source, STYLE_LABEL,
                of->line[0] ? of->line : of->file);
}

/* ---- both ---- */

bool where_is_records(const struct where_state *w) {
    return w->live.by == WHERE_BY_BRANCH || w->live.by == WHERE_BY_ACCESS;
}

void where_records_headings(const struct where_state *w, struct canvas *c, struct rect r) {
    if (w->live.by == WHERE_BY_BRANCH)
        draw_branch_headings(c, r);
    else
        draw_line_headings(c, r);
}

void where_records_draw(const struct where_state *w, struct canvas *c, struct rect r,
                        const struct where_function *f) {
    if (f->module == WHERE_BRANCH)
        draw_branch(w, c, r, f);
    else if (f->module == WHERE_CACHE_LINE)
        draw_line(w, c, r, f);
}
