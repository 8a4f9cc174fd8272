/*
 * The pop-ups about one metric: what it is (explain_view.c) and how its value came about
 * (popup_value.c). Both are of sc->links.metric; names in the text lead on (links.h).
 */
#ifndef TDTOP_UI_EXPLAIN_VIEW_H
#define TDTOP_UI_EXPLAIN_VIEW_H

struct screen;
struct overlay;

/* Opens one of the two on a metric. */
void explain_open(struct screen *sc, const struct overlay *popup, int metric);
/* The metric that they are about: the selected one unless a link was followed. METRIC_NONE. */
int explain_metric(const struct screen *sc);

/* Open one of them on the selected node, or close it. */
void action_explain(struct screen *sc);
void action_value(struct screen *sc);
/* Scrolls to the next place of what was looked for. */
void action_find_next(struct screen *sc);
void action_link(struct screen *sc, int by); /* chooses the next link, or the one before */
void action_link_follow(struct screen *sc);  /* closes where no link is chosen */
void action_link_back(struct screen *sc);

#endif
