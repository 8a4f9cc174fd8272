/* Themes to choose from; the screen shows the selected one at once. */
#include "ui/draw/widget.h"
#include "ui/popup/popup.h"
#include "ui/popup/popup_settings.h"
#include "ui/screen/screen.h"
#include "ui/screen/settings.h"

#include <stdio.h>

/* ---- keys ---- */

/* The last one that could be shown stays; of one that is broken the chooser says why. */
static void show_theme(void *settings) {
    struct settings *set = settings;
    const struct theme_entry *e = &set->themes.at[set->theme_list.at];
    if (e->problem[0])
        return;
    set->theme = e->theme;
    set->restyle = true;
}

void themes_open(struct screen *sc) {
    struct settings *set = sc->settings;
    if (!settings_are_here(sc))
        return;
    theme_list_read(&set->themes, NULL);
    set->theme_before = set->theme;
    set->theme_back = sc->popup == &popup_settings;
    set->theme_list = (struct list){
        .n = set->themes.n, .chosen = true, .wheel = 1, .moved = show_theme, .owner = set};
    list_follow(&set->theme_list, set->themes.n, theme_list_find(&set->themes, set->theme.name));
    screen_open(sc, &popup_theme);
}

void themes_cancel(struct screen *sc) {
    struct settings *set = sc->settings;
    set->theme = set->theme_before;
    set->restyle = true;
    screen_open(sc, set->theme_back ? &popup_settings : NULL);
}

void themes_keep(struct screen *sc) {
    struct settings *set = sc->settings;
    const struct theme_entry *e = &set->themes.at[set->theme_list.at];
    if (e->problem[0]) {
        screen_say(sc, "%s", e->problem);
        return;
    }
    if (settings_set(sc, "theme", e->name) == 0)
        screen_open(sc, set->theme_back ? &popup_settings : NULL);
}

/* ---- drawing ---- */

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

static void draw_row(const struct settings *set, struct canvas *c, struct rect r, int at) {
    const struct theme_entry *e = &set->themes.at[at];
    bool on = at == set->theme_list.at;
    if (on)
        canvas_text(c, r, r.x, r.y, STYLE_VALUE, "▸");
    widget_text(c, r, r.x + 2, r.y, r.w - 12, e->problem[0] ? STYLE_DIM : STYLE_POPUP, e->name);
    if (e->problem[0])
        widget_right(c, r, r.x + r.w - 9, r.y, 9, STYLE_ERROR, "broken");
    else if (e->own)
        widget_right(c, r, r.x + r.w - 9, r.y, 9, STYLE_LABEL, "yours");
    if (on)
        canvas_select(c, r);
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
    const struct theme_entry *e = &set->themes.at[set->theme_list.at];
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
    bool broken = set->themes.at[set->theme_list.at].problem[0];
    return broken && h >= LEAST_ROWS + MORE ? MORE : foot(h);
}

static struct rect rows_in(const struct settings *set, struct rect in) {
    return (struct rect){in.x, in.y, in.w, in.h - foot_of(set, in.h)};
}

static struct rect inner(const struct settings *set, struct rect r) {
    return popup_inner(room(r), WIDTH, box_lines(set, r));
}

static void prepare(struct screen *sc, struct rect r) {
    struct settings *set = sc->settings;
    list_reset(&sc->text);
    list_fit(&set->theme_list, rows_in(set, inner(set, r)).h);
}

static void draw(struct screen *sc, struct canvas *c, struct rect r) {
    const struct settings *set = sc->settings;
    struct page p = popup_begin(sc, c, room(r), WIDTH, box_lines(set, r), "Theme");
    const struct rect rows = rows_in(set, p.r);
    struct rect line;
    for (int i = 0, at; list_line(&set->theme_list, rows, i, &line, &at); i++)
        draw_row(set, c, line, at);
    if (rows.h < p.r.h)
        draw_foot(set, c, (struct rect){p.r.x, p.r.y + rows.h, p.r.w, p.r.h - rows.h});
}

static struct list *list(struct screen *sc) {
    return &sc->settings->theme_list;
}

static void mouse(struct screen *sc, struct rect r, const struct mouse *m) {
    struct settings *set = sc->settings;
    if (list_mouse(&set->theme_list, rows_in(set, inner(set, r)), m) == LIST_AGAIN)
        themes_keep(sc);
}

const struct overlay popup_theme = {.name = "theme",
                                    .context = IN_THEMES,
                                    .own_keys = true,
                                    .prepare = prepare,
                                    .draw = draw,
                                    .mouse = mouse,
                                    .list = list,
                                    .bright = true};
