/* Everything that is known about one metric, as a page: for the popup and the side panel. */
#ifndef TDTOP_UI_EXPLAIN_PAGE_H
#define TDTOP_UI_EXPLAIN_PAGE_H

#include "ui/draw/page.h"

struct scene;

/* What the model as a whole cannot see; the heading, a format of its name. */
#define EXPLAIN_LIMITS "What the model %s cannot see"
void explain_limits(const struct scene *sc, struct page *p);

struct scene;

/* In `prepare`: reads what the page says of a metric. METRIC_NONE: nothing. */
void explain_page_read(struct scene *sc, int metric);
/* From the page's next line on. An entry of the knowledge base is a part of it where there is one;
 * the rest is the model's and the measurement's. */
void explain_page(const struct scene *sc, struct page *p, int metric);

#endif
