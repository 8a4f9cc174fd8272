/* Themes to choose from; the screen shows the selected one at once. */
#include "ui/app/screen.h"
#include "ui/app/settings.h"
#include "ui/draw/widget.h"
#include "ui/popup/popup.h"

#include <stdio.h>

enum { WIDTH = 36, FOOT = 4 /* lines of samples and words */, LEAST_ROWS = 4 };

/* At the right edge, so that most of the screen can be seen. */
static struct rect room(struct rect r) {
    int w = WIDTH + 4 < r.w ? WIDTH + 4 : r.w;
    return (struct rect){r.x + r.w - w, r.y, w, r.h};
}

static int box_lines(const struct settings *set, struct rect r) {
    int h = set->themes.n + FOOT, most = r.h >= 8 ? r.h - 2 : r.h;
    return h < most ? h : most;
}

static int foot(int h) {
    return h >= LEAST_ROWS + FOOT ? FOOT : 0;
}

static int first_row(const struct settings *set, int lines) {
    int top = set->theme_at - lines / 2;
    top = top > set->themes.n - lines ? set->themes.n - lines : top;
    return top > 0 ? top : 0;
}

static void draw_row(const struct settings *set, struct canvas *c, struct rect r, int y, int at) {
    const struct theme_entry *e = &set->themes.at[at];
    bool on = at == set->theme_at;
    if (on)
        canvas_text(c, r, r.x, y, STYLE_VALUE, "▸");
    widget_text(c, r, r.x + 2, y, r.w - 12, e->problem[0] ? STYLE_DIM : STYLE_POPUP, e->name);
    if (e->problem[0])
        widget_right(c, r, r.x + r.w - 9, y, 9, STYLE_ERROR, "broken");
    else if (e->own)
        widget_right(c, r, r.x + r.w - 9, y, 9, STYLE_LABEL, "yours");
    if (on)
        canvas_select(c, (struct rect){r.x, y, r.w, 1});
}

/* What tells themes apart: the hues of level 1, and what stands out. */
static void draw_samples(struct canvas *c, struct rect r, int y) {
    static const struct {
        enum style st;
        const char *text;
    } fills[] = {{STYLE_FRONTEND_FILL, " Front "},
                 {STYLE_BADSPEC_FILL, " Bad "},
                 {STYLE_BACKEND_FILL, " Back "},
                 {STYLE_RETIRING_FILL, " Ret "}},
      words[] = {{STYLE_BOTTLENECK, "◀ path"}, {STYLE_WARN, " warn"}, {STYLE_ERROR, " error"},
                 {STYLE_GOOD, " good"},        {STYLE_UP, " ↑"},      {STYLE_DOWN, " ↓"}};
    int x = r.x;
    for (size_t i = 0; i < sizeof(fills) / sizeof(fills[0]); i++)
        x += canvas_text(c, r, x, y, fills[i].st, fills[i].text);
    x = r.x;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        x += canvas_text(c, r, x, y + 1, words[i].st, words[i].text);
}

static void draw_foot(const struct settings *set, struct canvas *c, struct rect r) {
    const struct theme_entry *e = &set->themes.at[set->theme_at];
    widget_rule(c, r, r.x, r.y, r.w, STYLE_BORDER);
    if (!e->problem[0]) {
        draw_samples(c, r, r.y + 1);
        return;
    }
    struct page p = page_on(c, (struct rect){r.x, r.y + 1, r.w, r.h - 1}, 0);
    page_text(&p, STYLE_ERROR, 0, NULL, e->problem);
}

/* A problem may be a long line: it has the lines of all that is not the list. */
static int foot_of(const struct settings *set, int h) {
    enum { MORE = 6 };
    bool broken = set->themes.at[set->theme_at].problem[0];
    return broken && h >= LEAST_ROWS + MORE ? MORE : foot(h);
}

static void draw(struct screen *sc, struct canvas *c, struct rect r) {
    const struct settings *set = sc->settings;
    sc->scroll = 0;
    struct page p = popup_begin(sc, c, room(r), WIDTH, box_lines(set, r), "Theme");
    int below = foot_of(set, p.r.h), lines = p.r.h - below, top = first_row(set, lines);
    for (int i = 0; i < lines && top + i < set->themes.n; i++)
        draw_row(set, c, p.r, p.r.y + i, top + i);
    if (below)
        draw_foot(set, c, (struct rect){p.r.x, p.r.y + lines, p.r.w, below});
}

static void mouse(struct screen *sc, struct rect r, const struct mouse *m) {
    const struct settings *set = sc->settings;
    const struct rect in = popup_inner(room(r), WIDTH, box_lines(set, r));
    const int lines = in.h - foot_of(set, in.h), row = popup_line(in, m);
    if (m->what == MOUSE_WHEEL_UP || m->what == MOUSE_WHEEL_DOWN) {
        themes_move(sc, m->what == MOUSE_WHEEL_UP ? -1 : 1);
        return;
    }
    int at = first_row(set, lines) + row;
    if ((m->what != MOUSE_PRESS && m->what != MOUSE_DOUBLE) || row < 0 || row >= lines ||
        at >= set->themes.n)
        return;
    if (at == set->theme_at)
        themes_keep(sc);
    else
        themes_move(sc, at - set->theme_at);
}

const struct overlay popup_theme = {.name = "theme", .draw = draw, .mouse = mouse, .bright = true};
