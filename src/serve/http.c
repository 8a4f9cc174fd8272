#include "serve/http.h"

#include "base/str.h"
#include "base/thread.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CONNECTIONS = 64, SLOW_S = 10 };

/* What is used of the library. */
static struct {
    __typeof__(MHD_start_daemon) *start;
    __typeof__(MHD_stop_daemon) *stop;
    __typeof__(MHD_get_daemon_info) *info;
    __typeof__(MHD_create_response_from_buffer) *response;
    __typeof__(MHD_destroy_response) *destroy;
    __typeof__(MHD_add_response_header) *header;
    __typeof__(MHD_queue_response) *queue;
    __typeof__(MHD_lookup_connection_value) *lookup;
} mhd;

struct page {
    char *at;
    size_t n;
};

struct http {
    struct MHD_Daemon *daemon;
    pthread_mutex_t lock; /* guards both */
    struct page text, open;
    int port;
};

static int load(struct err *err) {
    static const char file[] = "libmicrohttpd.so.12";
    const struct {
        const char *name;
        void *at;
    } functions[] = {
        {"MHD_start_daemon", &mhd.start},       {"MHD_stop_daemon", &mhd.stop},
        {"MHD_get_daemon_info", &mhd.info},     {"MHD_create_response_from_buffer", &mhd.response},
        {"MHD_destroy_response", &mhd.destroy}, {"MHD_add_response_header", &mhd.header},
        {"MHD_queue_response", &mhd.queue},     {"MHD_lookup_connection_value", &mhd.lookup}};
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return err_set(err, -ENOENT,
                       "--listen: %s is not installed: apt install libmicrohttpd12; --textfile DIR "
                       "needs none",
                       file);
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        void *symbol = dlsym(handle, functions[i].name);
        if (!symbol)
            return err_set(err, -ENOTSUP, "--listen: %s has no %s: another version", file,
                           functions[i].name);
        memcpy(functions[i].at, &symbol, sizeof(symbol));
    }
    return 0;
}

/* ---- answers ---- */

static enum MHD_Result answer(struct MHD_Connection *c, unsigned status, const char *type,
                              const char *text, size_t n) {
    struct MHD_Response *r = mhd.response(n, (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);
    if (!r)
        return MHD_NO;
    mhd.header(r, "Content-Type", type);
    mhd.header(r, "Cache-Control", "no-store");
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        mhd.header(r, "Allow", "GET, HEAD");
    const enum MHD_Result rc = mhd.queue(c, status, r);
    mhd.destroy(r);
    return rc;
}

static enum MHD_Result answer_words(struct MHD_Connection *c, unsigned status, const char *words) {
    return answer(c, status, "text/plain; charset=utf-8", words, strlen(words));
}

static enum MHD_Result answer_metrics(struct http *h, struct MHD_Connection *c) {
    const char *accept = mhd.lookup(c, MHD_HEADER_KIND, "Accept");
    const bool open = accept && strstr(accept, "application/openmetrics-text");
    pthread_mutex_lock(&h->lock);
    const struct page *p = open ? &h->open : &h->text;
    const enum MHD_Result rc =
        p->at ? answer(c, MHD_HTTP_OK,
                       open ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                            : "text/plain; version=0.0.4; charset=utf-8",
                       p->at, p->n)
              : answer_words(c, MHD_HTTP_SERVICE_UNAVAILABLE, "nothing is measured yet\n");
    pthread_mutex_unlock(&h->lock);
    return rc;
}

static enum MHD_Result handle(void *user, struct MHD_Connection *c, const char *url,
                              const char *method, const char *version, const char *body,
                              size_t *n_body, void **state) {
    static int begun;
    (void)version, (void)body;
    if (!*state) { /* the headers are there, and a body may follow */
        *state = &begun;
        return MHD_YES;
    }
    if (*n_body) { /* of no interest */
        *n_body = 0;
        return MHD_YES;
    }
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return answer_words(c, MHD_HTTP_METHOD_NOT_ALLOWED, "GET /metrics\n");
    if (strcmp(url, "/metrics") == 0)
        return answer_metrics(user, c);
    return answer_words(c, strcmp(url, "/") == 0 ? MHD_HTTP_OK : MHD_HTTP_NOT_FOUND,
                        "tdtop: /metrics\n");
}

/* ---- where to listen ---- */

struct address {
    union {
        struct sockaddr any;
        struct sockaddr_in in;
        struct sockaddr_in6 in6;
    } at;
    bool v6, loopback;
};

static bool parse_host(const char *host, struct address *a) {
    if (!host[0] || strcmp(host, "localhost") == 0)
        host = "127.0.0.1";
    if (inet_pton(AF_INET, host, &a->at.in.sin_addr) == 1) {
        a->at.in.sin_family = AF_INET;
        a->loopback = ntohl(a->at.in.sin_addr.s_addr) >> 24 == 127;
        return true;
    }
    a->v6 = inet_pton(AF_INET6, host, &a->at.in6.sin6_addr) == 1;
    a->at.in6.sin6_family = AF_INET6;
    a->loopback = a->v6 && IN6_IS_ADDR_LOOPBACK(&a->at.in6.sin6_addr);
    return a->v6;
}

static int parse(const char *listen, struct address *a, struct err *err) {
    char host[64];
    const char *colon = strrchr(listen, ':');
    char *end;
    const long port = colon ? strtol(colon + 1, &end, 10) : -1;
    if (!colon || !colon[1] || *end || port < 0 || port > UINT16_MAX ||
        (size_t)(colon - listen) >= sizeof(host))
        return err_set(err, -EINVAL, "--listen %s: give ADDRESS:PORT, as 127.0.0.1:9464", listen);
    str_copy(host, sizeof(host), listen);
    host[colon - listen] = '\0';
    const size_t n = strlen(host);
    const bool brackets = n > 2 && host[0] == '[' && host[n - 1] == ']';
    if (brackets)
        host[n - 1] = '\0';
    *a = (struct address){0};
    if (!parse_host(host + brackets, a))
        return err_set(err, -EINVAL,
                       "--listen %s: %s is no address; give a number, as 127.0.0.1:9464", listen,
                       host + brackets);
    if (a->v6)
        a->at.in6.sin6_port = htons((uint16_t)port);
    else
        a->at.in.sin_port = htons((uint16_t)port);
    return 0;
}

/* Its thread takes no signal of ours. */
static struct MHD_Daemon *start(struct http *h, struct address *a) {
    sigset_t all, was;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &was);
    errno = 0;
    struct MHD_Daemon *d = mhd.start(
        MHD_USE_AUTO_INTERNAL_THREAD | (a->v6 ? MHD_USE_IPv6 : 0), 0, NULL, NULL, handle, h,
        MHD_OPTION_SOCK_ADDR, &a->at.any, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SLOW_S, MHD_OPTION_END);
    const int why = errno;
    pthread_sigmask(SIG_SETMASK, &was, NULL);
    errno = why;
    return d;
}

int http_open(struct http **out, const char *listen, bool insecure, struct err *err) {
    struct address a;
    *out = NULL;
    int rc = parse(listen, &a, err);
    if (rc == 0 && !a.loopback && !insecure)
        rc = err_set(
            err, -EINVAL,
            "--listen %s: others can reach it, and there are neither passwords nor TLS; put "
            "a proxy in front of 127.0.0.1, or say --insecure-listen",
            listen);
    if (rc == 0)
        rc = load(err);
    struct http *h = rc == 0 ? calloc(1, sizeof(*h)) : NULL;
    if (rc < 0)
        return rc;
    if (!h)
        return err_set(err, -ENOMEM, "--listen: out of memory");
    pthread_mutex_init(&h->lock, NULL);
    h->daemon = start(h, &a);
    if (!h->daemon) {
        rc = errno ? -errno : -EADDRINUSE;
        pthread_mutex_destroy(&h->lock);
        free(h);
        return err_set(err, rc, "--listen %s: %s%s", listen, strerror(-rc),
                       rc == -EADDRINUSE ? "; another port is free, as 127.0.0.1:0" : "");
    }
    const union MHD_DaemonInfo *info = mhd.info(h->daemon, MHD_DAEMON_INFO_BIND_PORT);
    h->port = info ? info->port : 0;
    *out = h;
    return 0;
}

int http_port(const struct http *h) {
    return h->port;
}

void http_publish(struct http *h, char *text, size_t n_text, char *open, size_t n_open) {
    pthread_mutex_lock(&h->lock);
    char *was[] = {h->text.at, h->open.at};
    h->text = (struct page){text, n_text};
    h->open = (struct page){open, n_open};
    pthread_mutex_unlock(&h->lock);
    free(was[0]);
    free(was[1]);
}

void http_close(struct http *h) {
    if (!h)
        return;
    mhd.stop(h->daemon);
    free(h->text.at);
    free(h->open.at);
    pthread_mutex_destroy(&h->lock);
    free(h);
}
