#include "serve/metrics_page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct metrics_page {
    struct http *http;
    struct exposition *e;
};

static void give(struct metrics_page *p, bool open, struct http_reply *to) {
    *to = (struct http_reply){.status = 200,
                              .type = open ? "application/openmetrics-text; version=1.0.0; "
                                             "charset=utf-8"
                                           : "text/plain; version=0.0.4; charset=utf-8"};
    to->text = exposition_text(p->e, open, &to->n);
    if (!to->text)
        http_say(to, 503, "out of memory\n");
}

static void answer(void *user, const struct http_request *r, struct http_reply *to) {
    if (strcmp(r->method, "GET") != 0 && strcmp(r->method, "HEAD") != 0) {
        http_say(to, 405, "GET /metrics\n");
        to->allow = "GET, HEAD";
    } else if (strcmp(r->path, "/metrics") == 0) {
        const char *accept = http_header(r, "Accept");
        give(user, accept && strstr(accept, "application/openmetrics-text"), to);
    } else {
        http_say(to, strcmp(r->path, "/") == 0 ? 200 : 404, "tdtop: /metrics\n");
    }
}

static const struct http_kind kind = {.body_most = 1 << 10, .answer = answer};

int metrics_page_check(const char *listen, bool insecure, struct err *err) {
    return http_check(listen, insecure, &kind, err);
}

int metrics_page_open(struct metrics_page **out, struct exposition *e, const char *listen,
                      bool insecure, struct err *err) {
    *out = NULL;
    struct metrics_page *p = calloc(1, sizeof(*p));
    if (!p)
        return err_set(err, -ENOMEM, "--listen: out of memory");
    p->e = e;
    const int rc = http_open(&p->http, listen, insecure, &kind, p, err);
    if (rc < 0)
        metrics_page_close(p);
    else
        *out = p;
    return rc;
}

void metrics_page_close(struct metrics_page *p) {
    if (!p)
        return;
    http_close(p->http);
    free(p);
}

int metrics_page_port(const struct metrics_page *p) {
    return http_port(p->http);
}
