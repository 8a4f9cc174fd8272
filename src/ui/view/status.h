/* What there is to know beside the numbers: an end, warnings, the baseline, how much was counted.
 */
#ifndef TDTOP_UI_STATUS_H
#define TDTOP_UI_STATUS_H

#include "ui/scene/scene.h"

/* In the first line of r, which is drawn over. Returns the column behind the last word; r.x if
 * there is nothing to say. */
int status_draw(const struct scene *sc, struct canvas *c, struct rect r);

#endif
