/* What keys do in the settings screen, and in the chooser of themes. */
#ifndef TDTOP_UI_POPUP_SETTINGS_H
#define TDTOP_UI_POPUP_SETTINGS_H

struct screen;

void settings_open(struct screen *sc);
void settings_close(struct screen *sc);
void settings_turn(struct screen *sc, int by); /* the next value, or the one before */
void settings_enter(struct screen *sc);        /* the next value; themes to choose from; a text */
void settings_reset(struct screen *sc);        /* the default */

void themes_open(struct screen *sc);
void themes_keep(struct screen *sc);
void themes_cancel(struct screen *sc); /* back to what was there */

#endif
