/* GET /metrics: the newest page, for who comes and asks. Whoever measures never waits for it. */
#ifndef TDTOP_SERVE_METRICS_PAGE_H
#define TDTOP_SERVE_METRICS_PAGE_H

#include "serve/http.h"

struct metrics_page;

/* As http_open. */
int metrics_page_open(struct metrics_page **out, const char *listen, bool insecure,
                      struct err *err);
void metrics_page_close(struct metrics_page *p); /* NULL is nothing */
int metrics_page_port(const struct metrics_page *p);
/* The pages from now on: text format 0.0.4, and OpenMetrics for who accepts it. Taken over, also
 * where they are NULL: then there is none yet. malloc'ed. */
void metrics_page_publish(struct metrics_page *p, char *text, size_t n_text, char *open,
                          size_t n_open);

#endif
