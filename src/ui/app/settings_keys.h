/* What keys do in the settings screen and in the chooser of themes; bindings are in keys.c. */
#ifndef TDTOP_UI_SETTINGS_KEYS_H
#define TDTOP_UI_SETTINGS_KEYS_H

#include <stdint.h>

struct screen;

void settings_open(struct screen *sc);
void settings_close(struct screen *sc);
void settings_move(struct screen *sc, int rows);
void settings_page(struct screen *sc, int pages);
void settings_turn(struct screen *sc, int by); /* the next value, or the one before */
void settings_enter(struct screen *sc);        /* the next value; themes to choose from; a text */
void settings_reset(struct screen *sc);        /* the default */

void themes_open(struct screen *sc);
void themes_move(struct screen *sc, int rows); /* shows it at once */
void themes_keep(struct screen *sc);
void themes_cancel(struct screen *sc); /* back to what was there */

#endif
