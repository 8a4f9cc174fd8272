/* GET /metrics: what an exposition has, made when it is asked for. Whoever measures never waits for
 * it. */
#ifndef TDTOP_SERVE_METRICS_PAGE_H
#define TDTOP_SERVE_METRICS_PAGE_H

#include "serve/exposition.h"
#include "serve/http.h"

struct metrics_page;

/* As http_open. e is borrowed until it is closed. */
int metrics_page_open(struct metrics_page **out, struct exposition *e, const char *listen,
                      bool insecure, struct err *err);
void metrics_page_close(struct metrics_page *p); /* NULL is nothing */
int metrics_page_port(const struct metrics_page *p);
/* As http_check. */
int metrics_page_check(const char *listen, bool insecure, struct err *err);

#endif
