/*
 * The pop-ups about one metric: what it is (explain_view.c) and how its value came about
 * (popup_value.c). Both are of links.metric; names in the text lead on (links.h).
 */
#ifndef TDTOP_UI_EXPLAIN_VIEW_H
#define TDTOP_UI_EXPLAIN_VIEW_H

#include "ui/popup/links.h"
#include "ui/scene/search.h"

struct screen;
struct overlay;

/* What the two keep on their screen: screen_popup(sc, &popup_explain). */
struct explanation {
    struct links links;
    struct search find; /* in what it is */
};

struct explanation *explanation_of(const struct screen *sc);
/* The metric that they are about: the selected one unless a link was followed. METRIC_NONE. */
int explain_metric(const struct screen *sc);
/* Marks what they show (struct overlay). */
void explain_want(const struct screen *sc, bool *wanted);

/* Open one of them on the selected node, or close it. */
void action_explain(struct screen *sc);
void action_value(struct screen *sc);
/* Scrolls to the next place of what was looked for. */
void action_find_next(struct screen *sc);
void action_link(struct screen *sc, int by); /* chooses the next link, or the one before */
void action_link_follow(struct screen *sc);  /* closes where no link is chosen */
void action_link_back(struct screen *sc);

#endif
