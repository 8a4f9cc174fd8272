/* Parts of the page that explains a metric (explain_page.c): where its numbers come from, and where
 * to look next. Each prints nothing where there is nothing to say. */
#ifndef TDTOP_UI_EXPLAIN_MORE_H
#define TDTOP_UI_EXPLAIN_MORE_H

#include "ui/draw/page.h"

struct scene;

/* Why the value is approximate by its very formula, if it is so here. */
void explain_approximate(const struct scene *sc, struct page *p, int metric);
/* Metric groups and nodes that it leads to, with their values now. */
void explain_next(const struct scene *sc, struct page *p, int metric);
/* What is below it in the tree; what is beside it in its group. On pages with links. */
void explain_parts(const struct scene *sc, struct page *p, int metric);
void explain_beside(const struct scene *sc, struct page *p, int metric);
/* The formula, and the threshold, with the numbers of the interval for names. On pages with links:
 * elsewhere it would be made anew with every frame. */
void explain_numbers(const struct scene *sc, struct page *p, int metric);
void explain_threshold(const struct scene *sc, struct page *p, int metric);
/* How an event is sampled. On pages with links. */
void explain_sampling(struct page *p, const char *event);
/* Retire latencies in its formulas, and whose they are. */
void explain_latencies(const struct scene *sc, struct page *p, int metric);
/* Its events as perf takes them. */
void explain_encodings(const struct scene *sc, struct page *p, int metric);
/* What the model as a whole cannot see; the heading, a format of its name. */
#define EXPLAIN_LIMITS "What the model %s cannot see"
void explain_limits(const struct scene *sc, struct page *p);

#endif
