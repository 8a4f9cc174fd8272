/* F2: every setting with its value, its default, and what it costs. */
#include "base/str.h"
#include "ui/app/keys.h"
#include "ui/app/screen.h"
#include "ui/app/settings.h"
#include "ui/draw/widget.h"
#include "ui/popup/popup.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 76, KEY_W = 14, VALUE_W = 22, WORDS_LINES = 7, LEAST_ROWS = 3 };

/* Lines below the list: a rule and what is known of the selected row; none where there is no room.
 */
static int words_lines(int h) {
    return h - LEAST_ROWS >= WORDS_LINES ? WORDS_LINES : 0;
}

static int box_lines(const struct settings *set, struct rect r) {
    int h = set->n + 1 + WORDS_LINES, room = r.h >= 8 ? r.h - 2 : r.h;
    return h < room ? h : room;
}

static int list_lines(int h) {
    int n = h - 1 - words_lines(h);
    return n > 1 ? n : 1;
}

static void follow(struct settings *set, int lines) {
    set->page = lines;
    if (set->at < set->top)
        set->top = set->at;
    if (set->at >= set->top + lines)
        set->top = set->at - lines + 1;
    if (set->top + lines > set->n)
        set->top = set->n > lines ? set->n - lines : 0;
}

static void prepare(struct screen *sc, struct rect r) {
    sc->scroll = 0;
    settings_look(sc);
    follow(sc->settings, list_lines(box_lines(sc->settings, r)));
}

static const char *shown(const char *value) {
    return value[0] ? value : "\"\"";
}

static void cell(struct canvas *c, struct rect r, int x, int y, int w, enum style st,
                 const char *text) {
    int room = r.x + r.w - x;
    if (room > 0)
        widget_text(c, r, x, y, w < room ? w : room, st, text);
}

static void draw_heading(const struct settings *set, struct canvas *c, struct rect r) {
    char text[32];
    snprintf(text, sizeof(text), "%d of %d", set->at + 1, set->n);
    cell(c, r, r.x + 2, r.y, KEY_W, STYLE_LABEL, "setting");
    cell(c, r, r.x + 4 + KEY_W, r.y, VALUE_W, STYLE_LABEL, "now");
    cell(c, r, r.x + 4 + KEY_W + VALUE_W, r.y, 24, STYLE_LABEL, "default");
    if (r.w > 4 + KEY_W + VALUE_W + 20)
        widget_right(c, r, r.x + r.w - 10, r.y, 10, STYLE_LABEL, text);
}

/* A star before the value: it is not what the file says. */
static void draw_row(const struct settings *set, struct canvas *c, struct rect r, int y, int at) {
    const struct setting_row *row = &set->row[at];
    bool changed = settings_changed(row);
    if (at == set->at)
        cell(c, r, r.x, y, 1, STYLE_VALUE, "▸");
    cell(c, r, r.x + 2, y, KEY_W - 1, STYLE_POPUP, row->key);
    cell(c, r, r.x + 2 + KEY_W, y, 1, STYLE_WARN, changed ? "*" : " ");
    cell(c, r, r.x + 4 + KEY_W, y, VALUE_W - 1, changed ? STYLE_WARN : STYLE_VALUE,
         shown(row->value));
    cell(c, r, r.x + 4 + KEY_W + VALUE_W, y, 24, STYLE_DIM, shown(row->preset));
    if (at == set->at)
        canvas_select(c, (struct rect){r.x, y, r.w, 1});
}

static void draw_words(const struct settings *set, struct canvas *c, struct rect r) {
    const struct setting_row *row = &set->row[set->at];
    char text[512], cost[400];
    struct page p = page_on(c, (struct rect){r.x, r.y + 1, r.w, r.h - 1}, 0);
    widget_rule(c, r, r.x, r.y, r.w, STYLE_BORDER);
    page_text(&p, STYLE_POPUP, 0, NULL, row->help);
    page_text(&p, STYLE_LABEL, 0, NULL, keys_in_words(settings_cost(row->key), cost, sizeof(cost)));
    int n = settings_n_changed(set);
    if (n == 0)
        return;
    snprintf(text, sizeof(text), "* %d changed, not in the file; w writes %s into %s", n,
             n == 1 ? "it" : "them", set->path ? set->path : "it");
    page_text(&p, STYLE_WARN, 0, NULL, text);
}

static void draw(struct screen *sc, struct canvas *c, struct rect r) {
    struct settings *set = sc->settings;
    struct page p = popup_begin(sc, c, r, WIDTH, box_lines(set, r), "Settings");
    int lines = list_lines(p.r.h), words = words_lines(p.r.h);
    follow(set, lines);
    draw_heading(set, c, p.r);
    for (int i = 0; i < lines && set->top + i < set->n; i++)
        draw_row(set, c, p.r, p.r.y + 1 + i, set->top + i);
    if (words)
        draw_words(set, c, (struct rect){p.r.x, p.r.y + p.r.h - words, p.r.w, words});
}

static void mouse(struct screen *sc, struct rect r, const struct mouse *m) {
    struct settings *set = sc->settings;
    const struct rect in = popup_inner(r, WIDTH, box_lines(set, r));
    const int row = popup_line(in, m) - 1; /* below the heading */
    if (m->what == MOUSE_WHEEL_UP)
        settings_move(sc, -1);
    else if (m->what == MOUSE_WHEEL_DOWN)
        settings_move(sc, 1);
    else if (m->what != MOUSE_PRESS && m->what != MOUSE_DOUBLE)
        return;
    else if (row >= 0 && row < list_lines(in.h) && set->top + row < set->n) {
        bool again = set->at == set->top + row;
        set->at = set->top + row;
        if (again)
            settings_enter(sc);
    }
}

const struct overlay popup_settings = {
    .name = "settings", .prepare = prepare, .draw = draw, .mouse = mouse};
