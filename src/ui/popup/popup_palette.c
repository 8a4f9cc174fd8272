/* The palette: a line that is typed, and below it what fits, the best first. */
#include "base/str.h"
#include "ui/app/keys.h"
#include "ui/app/screen.h"
#include "ui/app/settings.h"
#include "ui/draw/widget.h"
#include "ui/popup/palette.h"
#include "ui/popup/popup.h"

#include <stdio.h>
#include <string.h>

enum {
    WIDTH = 92,
    HEIGHT = 22,
    NAME_W = 18,
    VALUE_W = 32,
    KEYS_W = 13,
    ABOVE = 2 /* lines over the list */
};

/* Lines of the list in a room; the last line of the box is for a problem. */
static int list_lines(int h) {
    return h - ABOVE - 1 > 1 ? h - ABOVE - 1 : 1;
}

static int box_lines(struct rect r) {
    return HEIGHT + 2 < r.h ? HEIGHT : r.h >= 8 ? r.h - 2 : r.h;
}

static struct rect rows_in(struct rect in) {
    return (struct rect){in.x, in.y + ABOVE, in.w, list_lines(in.h)};
}

static void prepare(struct screen *sc, struct rect r) {
    list_reset(&sc->text);
    list_fit(palette_list(sc), list_lines(popup_inner(r, WIDTH, box_lines(r)).h));
}

/* The letters that were typed stand out. */
static void draw_name(struct canvas *c, struct rect r, int x, int y, enum style st,
                      const char *name, int w, uint64_t marks) {
    struct rect cell = {x, y, w - 1, 1};
    cell.w = x + cell.w > r.x + r.w ? r.x + r.w - x : cell.w;
    widget_text(c, cell, x, y, cell.w, st, name);
    for (int i = 0; i < cell.w - 1 && name[i] && i < 64; i++)
        if (marks & (1ULL << i))
            canvas_put(c, cell, x + i, y, STYLE_MATCH, (unsigned char)name[i]);
}

static void draw_row(struct screen *sc, struct canvas *c, struct rect r, int at) {
    const struct palette *p = &sc->palette;
    const struct palette_hit *h = &p->hit[at];
    struct palette_row row;
    palette_row(sc, h, &row);
    enum style st = h->here ? STYLE_POPUP : STYLE_DIM;
    bool on = at == p->list.at && !p->past_at;
    if (at == p->list.at)
        canvas_text(c, r, r.x, r.y, STYLE_VALUE, "▸");
    int w = h->kind == PALETTE_VALUE ? VALUE_W : NAME_W;
    draw_name(c, r, r.x + 2, r.y, h->here ? STYLE_VALUE : STYLE_DIM, row.name, w, h->marks);
    int x = r.x + 2 + w, end = r.x + r.w;
    if (x < end)
        widget_text(c, r, x, r.y, KEYS_W - 1 < end - x ? KEYS_W - 1 : end - x,
                    h->here ? STYLE_KEY : STYLE_DIM, row.keys);
    x += KEYS_W;
    if (x < end)
        widget_text(c, r, x, r.y, end - x, st, row.words);
    if (on)
        canvas_select(c, r);
}

static void draw_input(const struct palette *p, struct canvas *c, struct rect r) {
    char text[32];
    snprintf(text, sizeof(text), "%d", p->list.n);
    canvas_text(c, r, r.x, r.y, STYLE_KEY, ":");
    widget_right(c, r, r.x + r.w - 6, r.y, 6, STYLE_LABEL, text);
    form_draw(&p->text, c, r, r.x + 2, r.y, r.w - 9, STYLE_VALUE, true);
}

static void draw_foot(const struct palette *p, struct canvas *c, struct rect r) {
    int y = r.y + r.h - 1;
    char words[64];
    if (p->problem[0])
        widget_text(c, r, r.x, y, r.w, STYLE_ERROR, p->problem);
    else if (p->past_at)
        widget_text(
            c, r, r.x, y, r.w, STYLE_LABEL,
            keys_in_words("typed before: {palette-accept} does it again", words, sizeof(words)));
    else if (p->list.n == 0 && p->setting >= 0)
        widget_text(c, r, r.x, y, r.w, STYLE_LABEL,
                    keys_in_words("{palette-accept} takes what is typed", words, sizeof(words)));
    else if (p->list.n == 0)
        widget_text(c, r, r.x, y, r.w, STYLE_WARN,
                    "no action and no setting has these letters in this order");
    else if (p->n_past && !p->text.text[0])
        widget_text(c, r, r.x, y, r.w, STYLE_LABEL, "Up: what was typed before");
}

static void draw(struct screen *sc, struct canvas *c, struct rect r) {
    struct palette *p = &sc->palette;
    char title[96];
    if (p->setting >= 0)
        snprintf(title, sizeof(title), "Palette: values of %s", sc->settings->row[p->setting].key);
    else
        str_copy(title, sizeof(title), "Palette");
    struct page page = popup_begin(sc, c, r, WIDTH, box_lines(r), title);
    struct rect in = page.r;
    struct rect line;
    draw_input(p, c, in);
    for (int i = 0, at; list_line(&p->list, rows_in(in), i, &line, &at); i++)
        draw_row(sc, c, line, at);
    draw_foot(p, c, in);
}

static void mouse(struct screen *sc, struct rect r, const struct mouse *m) {
    if (list_mouse(palette_list(sc), rows_in(popup_inner(r, WIDTH, box_lines(r))), m) == LIST_AGAIN)
        palette_accept(sc);
}

const struct overlay popup_palette = {
    .name = "palette", .prepare = prepare, .draw = draw, .mouse = mouse, .list = palette_list};
