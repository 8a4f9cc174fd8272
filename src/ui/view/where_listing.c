/* Source and instructions of one function beside each other, with the shares of its samples. */
#include "base/str.h"
#include "ui/draw/page.h"
#include "ui/draw/widget.h"
#include "ui/term/term.h"
#include "ui/view/where_view.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct halves {
    struct rect source, code;
};

static struct halves halves_of(struct rect r) {
    const int w = r.w / 2;
    return (struct halves){{r.x, r.y, w, r.h}, {r.x + w, r.y, r.w - w, r.h}};
}

void where_listing_begin(struct where_state *w) {
    list_reset(&w->source);
    list_reset(&w->code);
}

/* The hottest stays in the middle until the user goes elsewhere. */
static void follow(struct list *l, int n, int hot, int lines) {
    l->n = n;
    if (!l->chosen) {
        l->at = hot < n ? hot : 0;
        l->top = l->at - lines / 2;
    }
    list_fit(l, lines);
}

void where_listing_prepare(struct where_state *w, struct rect r) {
    const struct listing *l = w->live.listing;
    const struct where_spots *sp = &w->live.spots;
    const int lines = where_inside(r).h;
    follow(&w->source, l ? (int)l->text.n_line : 0, sp->hot_line ? (int)sp->hot_line - 1 : 0,
           lines);
    follow(&w->code, l ? (int)l->code.n : 0, (int)sp->hot_code, lines);
}

struct list *where_listing_list(struct where_state *w) {
    return w->part == WHERE_SOURCE ? &w->source : &w->code;
}

bool where_listing_follow(struct where_state *w) {
    const struct listing *l = w->live.listing;
    const uint64_t to = l && w->code.at < (int)l->code.n ? l->code.at[w->code.at].target : 0;
    for (size_t i = 0; to && i < l->code.n; i++)
        if (l->code.at[i].at == to) {
            list_select(&w->code, (int)i);
            return true;
        }
    return false;
}

/* ---- drawing ---- */

enum { SHARE_W = 3, HOT = 10 };

static void draw_share(const struct where_state *w, struct canvas *c, struct rect line, int x,
                       double share) {
    char text[16];
    if (share < 0.005 || w->live.spots.n < WHERE_LEAST)
        return;
    snprintf(text, sizeof(text), "%.0f", share * 100);
    widget_right(c, line, x, line.y, SHARE_W, share * 100 >= HOT ? STYLE_ERROR : STYLE_WARN, text);
}

/* With blanks for tabs. */
static void draw_text(struct canvas *c, struct rect line, int x, enum style st, const char *text) {
    enum { TAB = 4 };
    char wide[256];
    size_t n = 0;
    for (; *text && n < sizeof(wide) - TAB - 1; text++) {
        if (*text != '\t') {
            wide[n++] = *text;
            continue;
        }
        do
            wide[n++] = ' ';
        while (n % TAB);
    }
    wide[n] = '\0';
    widget_text(c, line, x, line.y, line.x + line.w - x, st, wide);
}

static int digits(size_t n) {
    int w = 1;
    for (; n >= 10; n /= 10)
        w++;
    return w;
}

static void draw_line(const struct where_state *w, struct canvas *c, struct rect line, int row) {
    const struct source_text *t = &w->live.listing->text;
    const int number_w = digits(t->n_line);
    const double share = w->live.spots.line[row + 1];
    const char *text = source_text_line(t, (uint32_t)row + 1);
    char number[16];
    snprintf(number, sizeof(number), "%d", row + 1);
    widget_right(c, line, line.x + 1, line.y, number_w, STYLE_DIM, number);
    draw_share(w, c, line, line.x + 2 + number_w, share);
    draw_text(c, line, line.x + 4 + number_w + SHARE_W, share > 0 ? STYLE_TEXT : STYLE_DIM,
              text ? text : "");
}

/* "cmp  (%rax),%r12". */
static void draw_instruction(const struct where_state *w, struct canvas *c, struct rect line,
                             int row) {
    const struct code *code = &w->live.listing->code;
    const struct instruction *in = &code->at[row];
    const double share = w->live.spots.code[row];
    const enum style st = share > 0 ? STYLE_TEXT : STYLE_DIM;
    const char *text = code->text.at + in->text, *blank = strchr(text, ' ');
    const int name = blank ? (int)(blank - text) : (int)strlen(text);
    int x = line.x + 1;
    x += canvas_printf(c, line, x, line.y, STYLE_DIM, "%6" PRIx64, in->at) + 1;
    draw_share(w, c, line, x, share);
    x += SHARE_W + 1;
    const int used = canvas_printf(c, line, x, line.y, st, "%.*s", name, text);
    x += (used < 7 ? 7 : used) + 1;
    draw_text(c, line, x, st, blank ? blank + 1 + strspn(blank + 1, " ") : "");
}

static void draw_lack(struct canvas *c, struct rect r, enum style st, const char *words) {
    struct page p = page_on(c, (struct rect){r.x + 1, r.y, r.w - 2, r.h}, 0);
    page_text(&p, st, 0, NULL, words);
}

typedef void draw_row(const struct where_state *w, struct canvas *c, struct rect line, int row);

static void draw_rows(const struct where_state *w, struct canvas *c, struct rect r,
                      const struct list *l, bool strong, draw_row *one) {
    struct rect line;
    for (int i = 0, row; list_line(l, r, i, &line, &row); i++) {
        one(w, c, line, row);
        if (row != l->at)
            continue;
        if (strong)
            list_mark(c, line, r.x);
        else
            canvas_select(c, line);
    }
}

static const char *waiting_words(const struct where_state *w) {
    const int rc = w->live.listing_rc;
    if (rc == -ESTALE || (rc == -ENOENT && w->live.stored))
        return "the file that was sampled is not there any more, or is another one now";
    return rc == -EAGAIN   ? "reading symbols, lines and source ..."
           : rc == -ENOENT ? "no symbol says where this function begins and ends"
                           : strerror(-rc);
}

/* What the figures beside instructions are. */
static const char *code_words(const struct where_state *w) {
    const struct sampling_event *e = where_event(w);
    return e && !e->clock && e->precise_ip < 2 ? "% of the function, a few instructions late"
                                               : "% of the function";
}

void where_listing_draw(const struct where_state *w, struct canvas *c, struct rect r) {
    const struct halves h = halves_of(r);
    const struct rect in_source = where_inside(h.source), in_code = where_inside(h.code);
    const struct listing *l = w->live.listing;
    const int open = w->live.open;
    const char *name = open >= 0 ? where_function_name(&w->live.function[open]) : "";
    const bool source = w->part == WHERE_SOURCE, code = w->part == WHERE_CODE;
    char cut[80], share[16] = "";
    if (open >= 0)
        where_share(w->live.function[open].share, share, sizeof(share));
    snprintf(cut, sizeof(cut), "%.*s %s", in_source.w / 2 < 60 ? in_source.w / 2 : 60, name, share);
    where_frame(c, h.source, source, l && l->file && l->file[0] ? str_base_name(l->file) : "source",
                cut);
    where_frame(c, h.code, code, "instructions", code_words(w));
    if (!l) {
        draw_lack(c, in_source, w->live.listing_rc == -EAGAIN ? STYLE_DIM : STYLE_WARN,
                  waiting_words(w));
        return;
    }
    if (l->text.n_line)
        draw_rows(w, c, in_source, &w->source, source, draw_line);
    else
        draw_lack(c, in_source, STYLE_WARN, l->lines_lack[0] ? l->lines_lack : l->text_lack);
    if (l->code.n)
        draw_rows(w, c, in_code, &w->code, code, draw_instruction);
    else
        draw_lack(c, in_code, STYLE_WARN, l->code_lack);
}

void where_listing_mouse(struct where_state *w, struct rect r, const struct mouse *m) {
    const struct halves h = halves_of(r);
    w->part = m->x < h.code.x ? WHERE_SOURCE : WHERE_CODE;
    list_mouse(where_listing_list(w), where_inside(w->part == WHERE_SOURCE ? h.source : h.code), m);
}
