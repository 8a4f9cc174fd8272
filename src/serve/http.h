/*
 * A page of metrics over HTTP, by libmicrohttpd, which is loaded when it is asked for. It has a
 * thread of its own, which never waits for whoever measures: it answers with the newest page.
 */
#ifndef TDTOP_SERVE_HTTP_H
#define TDTOP_SERVE_HTTP_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct http;

/* "127.0.0.1:9464", "[::1]:9464", "localhost:9464", ":9464" (loopback). Of addresses that others
 * can reach only with `insecure`: there are neither passwords nor TLS. 0 or negative errno with
 * words. */
int http_open(struct http **out, const char *listen, bool insecure, struct err *err);
void http_close(struct http *h); /* NULL is nothing */
/* The port, also where 0 was asked for. */
int http_port(const struct http *h);
/* The pages from now on: text format 0.0.4, and OpenMetrics for who accepts it. Taken over, also
 * where they are NULL: then there is none yet. malloc'ed. */
void http_publish(struct http *h, char *text, size_t n_text, char *open, size_t n_open);

#endif
