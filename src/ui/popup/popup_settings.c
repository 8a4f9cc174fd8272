#include "ui/popup/popup_settings.h"

#include "base/str.h"
#include "ui/draw/widget.h"
#include "ui/popup/palette.h"
#include "ui/popup/popup.h"
#include "ui/screen/keys.h"
#include "ui/screen/screen.h"
#include "ui/screen/settings.h"

#include <stdio.h>
#include <string.h>

/* F2: every setting with its value, its default, and what it costs. */

/* ---- keys ---- */

static struct setting_row *selected(struct screen *sc) {
    return &sc->settings->row[sc->settings->list.at];
}

void settings_open(struct screen *sc) {
    if (!settings_are_here(sc))
        return;
    theme_list_read(&sc->settings->themes, NULL);
    settings_look(sc);
    screen_open(sc, &popup_settings);
}

void settings_close(struct screen *sc) {
    int n = settings_n_changed(sc->settings);
    screen_open(sc, NULL);
    if (n)
        screen_say(sc, "%d setting%s changed until the end; F2, then w, keeps %s", n,
                   n == 1 ? "" : "s", n == 1 ? "it" : "them");
}

void settings_turn(struct screen *sc, int by) {
    const struct setting_row *r = selected(sc);
    const char *value[THEMES_MAX + SETTING_CHOICES];
    int n = palette_values(sc, sc->settings->list.at, value, sizeof(value) / sizeof(value[0]));
    int at = 0;
    if (n == 0) {
        screen_say(sc, "%s: {settings-change} takes another value", r->key);
        return;
    }
    while (at < n && strcmp(value[at], r->value) != 0)
        at++;
    if (at == n) /* none of these: from the first, or the last */
        at = by > 0 ? -1 : n;
    settings_set(sc, r->key, value[(at + by + n) % n]);
}

static void take_text(struct screen *sc, const char *text) {
    settings_set(sc, selected(sc)->key, text);
}

void settings_enter(struct screen *sc) {
    const struct setting_row *r = selected(sc);
    char question[48];
    if (strcmp(r->key, "theme") == 0) {
        themes_open(sc);
        return;
    }
    if (r->choice[0] && !r->open) {
        settings_turn(sc, 1);
        return;
    }
    snprintf(question, sizeof(question), "%s:", r->key);
    ask_begin(sc, question, r->value, take_text);
}

void settings_reset(struct screen *sc) {
    const struct setting_row *r = selected(sc);
    settings_set(sc, r->key, r->preset);
}

/* ---- drawing ---- */

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

static struct rect rows_in(struct rect in) {
    return (struct rect){in.x, in.y + 1, in.w, list_lines(in.h)};
}

static struct list *list(struct screen *sc) {
    struct settings *set = sc->settings;
    set->list.n = set->n;
    set->list.wheel = 1;
    return &set->list;
}

static void prepare(struct screen *sc, struct rect r) {
    list_reset(&sc->text);
    settings_look(sc);
    list_fit(list(sc), list_lines(popup_inner(r, WIDTH, box_lines(sc->settings, r)).h));
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
    snprintf(text, sizeof(text), "%d of %d", set->list.at + 1, set->n);
    cell(c, r, r.x + 2, r.y, KEY_W, STYLE_LABEL, "setting");
    cell(c, r, r.x + 4 + KEY_W, r.y, VALUE_W, STYLE_LABEL, "now");
    cell(c, r, r.x + 4 + KEY_W + VALUE_W, r.y, 24, STYLE_LABEL, "default");
    if (r.w > 4 + KEY_W + VALUE_W + 20)
        widget_right(c, r, r.x + r.w - 10, r.y, 10, STYLE_LABEL, text);
}

/* A star before the value: it is not what the file says. */
static void draw_row(const struct settings *set, struct canvas *c, struct rect r, int at) {
    const struct setting_row *row = &set->row[at];
    bool changed = settings_changed(row);
    if (at == set->list.at)
        cell(c, r, r.x, r.y, 1, STYLE_VALUE, "▸");
    cell(c, r, r.x + 2, r.y, KEY_W - 1, STYLE_POPUP, row->key);
    cell(c, r, r.x + 2 + KEY_W, r.y, 1, STYLE_WARN, changed ? "*" : " ");
    cell(c, r, r.x + 4 + KEY_W, r.y, VALUE_W - 1, changed ? STYLE_WARN : STYLE_VALUE,
         shown(row->value));
    cell(c, r, r.x + 4 + KEY_W + VALUE_W, r.y, 24, STYLE_DIM, shown(row->preset));
    if (at == set->list.at)
        canvas_select(c, r);
}

static void draw_words(const struct settings *set, struct canvas *c, struct rect r) {
    const struct setting_row *row = &set->row[set->list.at];
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
    int words = words_lines(p.r.h);
    struct rect line;
    draw_heading(set, c, p.r);
    for (int i = 0, at; list_line(&set->list, rows_in(p.r), i, &line, &at); i++)
        draw_row(set, c, line, at);
    if (words)
        draw_words(set, c, (struct rect){p.r.x, p.r.y + p.r.h - words, p.r.w, words});
}

static void mouse(struct screen *sc, struct rect r, const struct mouse *m) {
    const struct rect in = popup_inner(r, WIDTH, box_lines(sc->settings, r));
    if (list_mouse(list(sc), rows_in(in), m) == LIST_AGAIN)
        settings_enter(sc);
}

const struct overlay popup_settings = {.name = "settings",
                                       .context = IN_SETTINGS,
                                       .own_keys = true,
                                       .prepare = prepare,
                                       .draw = draw,
                                       .mouse = mouse,
                                       .list = list};
