/*
 * The views: what digits, Tab and the names in the last line go to. One list, in the order of the
 * digits. A view is added by its file, whose last lines are its row (ui/scene/view.h); one with a
 * digit by a line in ui/app/views.c, too.
 */
#ifndef TDTOP_UI_VIEWS_H
#define TDTOP_UI_VIEWS_H

#include "ui/screen/screen.h"

extern const struct view view_runs; /* the stored runs, which lie over another view */

extern const struct view *const views[];
extern const int n_views;

/* By its id; NULL if there is none. */
const struct view *views_find(const char *id);
/* What has the screen now: the view, or the stored runs that lie over it. */
const struct view *views_current(const struct screen *sc);

/* Where it draws now. */
enum view_layout views_layout(struct screen *sc, const struct view *v);

/* False of those that show nothing at start: the setting 'view' does not take them. */
bool views_can_begin(const struct view *v);
bool views_is_offered(struct screen *sc, const struct view *v);
/* Goes to a view; what cannot be shown now says why. */
void views_go(struct screen *sc, const struct view *v);
/* The next one that is offered, or with by = -1 the one before. */
void views_turn(struct screen *sc, int by);

#endif
