#include "ui/app/settings_keys.h"

#include "ui/app/screen.h"
#include "ui/app/settings.h"
#include "ui/popup/palette.h"

#include <stdio.h>
#include <string.h>

/* ---- the settings screen ---- */

static struct setting_row *selected(struct screen *sc) {
    return &sc->settings->row[sc->settings->at];
}

static void show(struct screen *sc, const struct view_ops *popup) {
    sc->popup = popup;
    sc->scroll = sc->scroll_max = 0;
}

void settings_open(struct screen *sc) {
    if (!settings_here(sc))
        return;
    theme_list_read(&sc->settings->themes, NULL);
    settings_look(sc);
    show(sc, &popup_settings);
}

void settings_close(struct screen *sc) {
    int n = settings_n_changed(sc->settings);
    show(sc, NULL);
    if (n)
        screen_say(sc, "%d setting%s changed until the end; F2, then w, keeps %s", n,
                   n == 1 ? "" : "s", n == 1 ? "it" : "them");
}

void settings_move(struct screen *sc, int rows) {
    struct settings *set = sc->settings;
    set->at += rows;
    set->at = set->at >= set->n ? set->n - 1 : set->at;
    set->at = set->at < 0 ? 0 : set->at;
}

void settings_page(struct screen *sc, int pages) {
    settings_move(sc, pages * sc->settings->page);
}

void settings_turn(struct screen *sc, int by) {
    const struct setting_row *r = selected(sc);
    const char *value[THEMES_MAX + SETTING_CHOICES];
    int n = palette_values(sc, sc->settings->at, value, sizeof(value) / sizeof(value[0]));
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

/* ---- themes ---- */

void themes_open(struct screen *sc) {
    struct settings *set = sc->settings;
    if (!settings_here(sc))
        return;
    theme_list_read(&set->themes, NULL);
    set->theme_before = set->theme;
    set->theme_back = sc->popup == &popup_settings;
    set->theme_at = theme_list_find(&set->themes, set->theme.name);
    if (set->theme_at < 0)
        set->theme_at = 0;
    show(sc, &popup_theme);
}

void themes_move(struct screen *sc, int rows) {
    struct settings *set = sc->settings;
    set->theme_at += rows;
    set->theme_at = set->theme_at >= set->themes.n ? set->themes.n - 1 : set->theme_at;
    set->theme_at = set->theme_at < 0 ? 0 : set->theme_at;
    const struct theme_entry *e = &set->themes.at[set->theme_at];
    if (e->problem[0])
        return; /* the last one that could be shown stays; the chooser says why */
    set->theme = e->theme;
    set->restyle = true;
}

void themes_cancel(struct screen *sc) {
    struct settings *set = sc->settings;
    set->theme = set->theme_before;
    set->restyle = true;
    show(sc, set->theme_back ? &popup_settings : NULL);
}

void themes_keep(struct screen *sc) {
    struct settings *set = sc->settings;
    const struct theme_entry *e = &set->themes.at[set->theme_at];
    if (e->problem[0]) {
        screen_say(sc, "%s", e->problem);
        return;
    }
    if (settings_set(sc, "theme", e->name) == 0)
        show(sc, set->theme_back ? &popup_settings : NULL);
}
