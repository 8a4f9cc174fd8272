/* Everything that is known about one metric, as a page: for the popup and the side panel. */
#ifndef TDTOP_UI_EXPLAIN_PAGE_H
#define TDTOP_UI_EXPLAIN_PAGE_H

#include "ui/page.h"

struct screen;

void explain_page(struct screen *sc, struct page *p, int metric);

#endif
