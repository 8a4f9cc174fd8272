/* What the metrics view (view_metrics.c) does beside drawing: rows of views.c and keys.c lead here.
 */
#ifndef TDTOP_UI_METRICS_VIEW_H
#define TDTOP_UI_METRICS_VIEW_H

#include "ui/scene/scene.h"
#include "ui/view/metrics.h"

#include <stdbool.h>

/* The state of the metrics view. */
static inline struct metrics *metrics_of(const struct scene *sc) {
    return sc->state;
}

void metrics_enter(struct scene *sc);
struct list *metrics_list(struct scene *sc);
/* What is typed has changed: only its hits are left, and the first is selected. */
struct search *metrics_search(struct scene *sc);
void metrics_look(struct scene *sc);

void action_metrics_enter(struct scene *sc); /* explains it, or folds the group */
void action_metrics_explain(struct scene *sc);
void action_metrics_value(struct scene *sc);
void action_metrics_fold(struct scene *sc, int open); /* the group: 1 opens, 0 closes it */
void action_metrics_all(struct scene *sc);
void action_metrics_order(struct scene *sc, int by);
void action_metrics_invert(struct scene *sc);
void action_metrics_tree(struct scene *sc); /* nodes of the tree, too, or not */

#endif
