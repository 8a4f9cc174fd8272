#include "serve/metrics_page.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct page {
    char *at;
    size_t n;
};

struct metrics_page {
    struct http *http;
    pthread_mutex_t lock; /* guards both */
    struct page text, open;
};

static void give(struct metrics_page *p, bool open, struct http_reply *to) {
    pthread_mutex_lock(&p->lock);
    const struct page *page = open ? &p->open : &p->text;
    char *copy = page->at ? malloc(page->n + 1) : NULL;
    if (copy)
        memcpy(copy, page->at, page->n);
    *to = (struct http_reply){.status = 200,
                              .type = open ? "application/openmetrics-text; version=1.0.0; "
                                             "charset=utf-8"
                                           : "text/plain; version=0.0.4; charset=utf-8",
                              .text = copy,
                              .n = copy ? page->n : 0};
    pthread_mutex_unlock(&p->lock);
    if (!copy)
        http_say(to, 503, "nothing is measured yet\n");
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

int metrics_page_open(struct metrics_page **out, const char *listen, bool insecure,
                      struct err *err) {
    static const struct http_kind kind = {.body_most = 1 << 10, .answer = answer};
    *out = NULL;
    struct metrics_page *p = calloc(1, sizeof(*p));
    if (!p)
        return err_set(err, -ENOMEM, "--listen: out of memory");
    pthread_mutex_init(&p->lock, NULL);
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
    free(p->text.at);
    free(p->open.at);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

int metrics_page_port(const struct metrics_page *p) {
    return http_port(p->http);
}

void metrics_page_publish(struct metrics_page *p, char *text, size_t n_text, char *open,
                          size_t n_open) {
    pthread_mutex_lock(&p->lock);
    char *was[] = {p->text.at, p->open.at};
    p->text = (struct page){text, n_text};
    p->open = (struct page){open, n_open};
    pthread_mutex_unlock(&p->lock);
    free(was[0]);
    free(was[1]);
}
