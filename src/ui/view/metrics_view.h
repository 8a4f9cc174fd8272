/* What the metrics view (view_metrics.c) does beside drawing: rows of views.c and keys.c lead here.
 */
#ifndef TDTOP_UI_METRICS_VIEW_H
#define TDTOP_UI_METRICS_VIEW_H

#include <stdbool.h>

struct screen;

void metrics_enter(struct screen *sc);
void metrics_go_by(struct screen *sc, int rows);
void metrics_end(struct screen *sc, bool last);
int metrics_page(const struct screen *sc);
/* What is typed has changed: only its hits are left, and the first is selected. */
void metrics_look(struct screen *sc);

void action_metrics_enter(struct screen *sc); /* explains it, or folds the group */
void action_metrics_explain(struct screen *sc);
void action_metrics_value(struct screen *sc);
void action_metrics_fold(struct screen *sc, int open); /* the group: 1 opens, 0 closes it */
void action_metrics_all(struct screen *sc);
void action_metrics_order(struct screen *sc, int by);
void action_metrics_invert(struct screen *sc);
void action_metrics_tree(struct screen *sc); /* nodes of the tree, too, or not */

#endif
