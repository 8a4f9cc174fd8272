/* Keys of the layout, of the palette, of the settings screen, and of the chooser of themes. */
#include "ui/app/actions.h"
#include "ui/app/borders.h"
#include "ui/app/screen.h"
#include "ui/app/settings.h"
#include "ui/app/settings_keys.h"
#include "ui/popup/palette.h"

void action_layout(struct screen *sc, uint32_t key) {
    (void)key;
    borders_next(sc);
}

void action_palette(struct screen *sc, uint32_t key) {
    (void)key;
    palette_open(sc, "");
}

void action_palette_accept(struct screen *sc, uint32_t key) {
    (void)key;
    palette_accept(sc);
}

void action_palette_up(struct screen *sc, uint32_t key) {
    (void)key;
    palette_move(sc, -1);
}

void action_palette_down(struct screen *sc, uint32_t key) {
    (void)key;
    palette_move(sc, 1);
}

void action_palette_page_up(struct screen *sc, uint32_t key) {
    (void)key;
    palette_page(sc, -1);
}

void action_palette_page_down(struct screen *sc, uint32_t key) {
    (void)key;
    palette_page(sc, 1);
}

void action_palette_complete(struct screen *sc, uint32_t key) {
    (void)key;
    palette_complete(sc);
}

void action_palette_close(struct screen *sc, uint32_t key) {
    (void)key;
    palette_close(sc);
}

void action_settings(struct screen *sc, uint32_t key) {
    (void)key;
    settings_open(sc);
}

void action_settings_up(struct screen *sc, uint32_t key) {
    (void)key;
    settings_move(sc, -1);
}

void action_settings_down(struct screen *sc, uint32_t key) {
    (void)key;
    settings_move(sc, 1);
}

void action_settings_page_up(struct screen *sc, uint32_t key) {
    (void)key;
    settings_move(sc, -sc->settings->page);
}

void action_settings_page_down(struct screen *sc, uint32_t key) {
    (void)key;
    settings_move(sc, sc->settings->page);
}

void action_settings_first(struct screen *sc, uint32_t key) {
    (void)key;
    settings_move(sc, -SETTINGS_MAX);
}

void action_settings_last(struct screen *sc, uint32_t key) {
    (void)key;
    settings_move(sc, SETTINGS_MAX);
}

void action_settings_enter(struct screen *sc, uint32_t key) {
    (void)key;
    settings_enter(sc);
}

void action_settings_before(struct screen *sc, uint32_t key) {
    (void)key;
    settings_turn(sc, -1);
}

void action_settings_next(struct screen *sc, uint32_t key) {
    (void)key;
    settings_turn(sc, 1);
}

void action_settings_default(struct screen *sc, uint32_t key) {
    (void)key;
    settings_reset(sc);
}

void action_settings_write(struct screen *sc, uint32_t key) {
    (void)key;
    settings_save(sc);
}

void action_settings_close(struct screen *sc, uint32_t key) {
    (void)key;
    settings_close(sc);
}

void action_theme(struct screen *sc, uint32_t key) {
    (void)key;
    themes_open(sc);
}

void action_theme_up(struct screen *sc, uint32_t key) {
    (void)key;
    themes_move(sc, -1);
}

void action_theme_down(struct screen *sc, uint32_t key) {
    (void)key;
    themes_move(sc, 1);
}

void action_theme_first(struct screen *sc, uint32_t key) {
    (void)key;
    themes_move(sc, -THEMES_MAX);
}

void action_theme_last(struct screen *sc, uint32_t key) {
    (void)key;
    themes_move(sc, THEMES_MAX);
}

void action_theme_keep(struct screen *sc, uint32_t key) {
    (void)key;
    themes_keep(sc);
}

void action_theme_cancel(struct screen *sc, uint32_t key) {
    (void)key;
    themes_cancel(sc);
}
