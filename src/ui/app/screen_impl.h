/* What the files of the screen share: screen.c (its life, and what is shown), screen_trend.c,
 * screen_draw.c. */
#ifndef TDTOP_UI_SCREEN_IMPL_H
#define TDTOP_UI_SCREEN_IMPL_H

#include "ui/app/screen.h"

/* Trends as long as the screen is wide. 0 or -ENOMEM. */
int screen_make_trends(struct screen *sc);
void screen_drop_trends(struct screen *sc);
void screen_update_trends(struct screen *sc);
/* Follows the interval between frames once three in a row agree that it has changed. */
void screen_follow_interval(struct screen *sc);

void screen_mouse(struct screen *sc, const struct mouse *m);

#endif
