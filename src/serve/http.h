/*
 * An HTTP server by libmicrohttpd, which is loaded when it is asked for. It has threads of its own:
 * what answers is called by them, with all signals blocked.
 */
#ifndef TDTOP_SERVE_HTTP_H
#define TDTOP_SERVE_HTTP_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct http;

struct http_request {
    const char *method, *path; /* "GET", "/metrics"; borrowed, as is the body */
    const char *body;
    size_t n_body;
    int fd;           /* the connection: who has gone has closed it */
    void *connection; /* private */
};
/* A header by its name, in any case; NULL: it has none. */
const char *http_header(const struct http_request *r, const char *name);

/* An answer that comes bit by bit. Only of http_kind.at_once, as `more` may wait. */
struct http_stream {
    /* Writes the next 1 to cap bytes; 0: the end; -1: the reader has gone. NULL: no stream. */
    long (*more)(void *user, char *to, size_t cap);
    void (*over)(void *user); /* once, whatever the end */
    void *user;
};

struct http_reply {
    unsigned status;  /* 200 and others of RFC 9110 */
    const char *type; /* Content-Type; NULL: text/plain */
    char *text;       /* malloc'ed, taken over */
    size_t n;
    const char *allow;         /* of 405: the methods; else NULL */
    struct http_stream stream; /* in the place of text */
};
/* Words as an answer. */
void http_say(struct http_reply *to, unsigned status, const char *words);

struct http_kind {
    bool at_once;      /* a thread for each connection, as answering can take long */
    bool has_password; /* what answers asks for one */
    size_t body_most;  /* a longer one is answered with 413 */
    void (*answer)(void *user, const struct http_request *r, struct http_reply *to);
};

/* "127.0.0.1:9464", "[::1]:9464", "localhost:9464", ":9464" (loopback). Of addresses that others
 * can reach only with `insecure`: there is no TLS. kind and user are borrowed until http_close. 0
 * or negative errno with words. */
int http_open(struct http **out, const char *listen, bool insecure, const struct http_kind *kind,
              void *user, struct err *err);
/* What http_open would say of the address before it is tried: 0 or -EINVAL with words. */
int http_check(const char *listen, bool insecure, const struct http_kind *kind, struct err *err);
void http_close(struct http *h); /* waits for what is being answered; NULL is nothing */
/* The port, also where 0 was asked for. */
int http_port(const struct http *h);

#endif
