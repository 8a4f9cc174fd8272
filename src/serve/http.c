#include "serve/http.h"

#include "base/libraries.h"
#include "base/str.h"
#include "base/thread.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CONNECTIONS = 128, SLOW_S = 10, LONG_S = 600 };

/* What is used of the library. */
static struct {
    __typeof__(MHD_start_daemon) *start;
    __typeof__(MHD_stop_daemon) *stop;
    __typeof__(MHD_get_daemon_info) *info;
    __typeof__(MHD_get_connection_info) *connection;
    __typeof__(MHD_create_response_from_buffer) *response;
    __typeof__(MHD_create_response_from_callback) *stream;
    __typeof__(MHD_destroy_response) *destroy;
    __typeof__(MHD_add_response_header) *header;
    __typeof__(MHD_queue_response) *queue;
    __typeof__(MHD_lookup_connection_value) *lookup;
} mhd;

struct http {
    struct MHD_Daemon *daemon;
    const struct http_kind *kind;
    void *user;
    int port;
};

/* What has come of a request. */
struct coming {
    char *body;
    size_t n;
    bool too_long;
};

static int load(struct err *err) {
    const struct library_function functions[] = {{"MHD_start_daemon", &mhd.start},
                                                 {"MHD_stop_daemon", &mhd.stop},
                                                 {"MHD_get_daemon_info", &mhd.info},
                                                 {"MHD_get_connection_info", &mhd.connection},
                                                 {"MHD_create_response_from_buffer", &mhd.response},
                                                 {"MHD_create_response_from_callback", &mhd.stream},
                                                 {"MHD_destroy_response", &mhd.destroy},
                                                 {"MHD_add_response_header", &mhd.header},
                                                 {"MHD_queue_response", &mhd.queue},
                                                 {"MHD_lookup_connection_value", &mhd.lookup}};
    const int rc =
        library_load(LIBRARY_MICROHTTPD, functions, sizeof(functions) / sizeof(functions[0]), err);
    if (rc < 0)
        err_prefix(err, "--listen");
    return rc;
}

/* ---- answers ---- */

const char *http_header(const struct http_request *r, const char *name) {
    return mhd.lookup(r->connection, MHD_HEADER_KIND, name);
}

void http_say(struct http_reply *to, unsigned status, const char *words) {
    *to = (struct http_reply){.status = status, .text = strdup(words), .n = strlen(words)};
}

static ssize_t more(void *user, uint64_t at, char *to, size_t cap) {
    const struct http_stream *s = user;
    const long n = s->more(s->user, to, cap);
    (void)at;
    return n > 0    ? n
           : n == 0 ? MHD_CONTENT_READER_END_OF_STREAM
                    : MHD_CONTENT_READER_END_WITH_ERROR;
}

static void end_stream(void *user) {
    struct http_stream *s = user;
    s->over(s->user);
    free(s);
}

static struct MHD_Response *make_stream(const struct http_stream *of) {
    enum { BLOCK = 4096 };
    struct http_stream *s = malloc(sizeof(*s));
    if (s)
        *s = *of;
    struct MHD_Response *r = s ? mhd.stream(MHD_SIZE_UNKNOWN, BLOCK, more, s, end_stream) : NULL;
    if (!r) {
        of->over(of->user);
        free(s);
        return NULL;
    }
    mhd.header(r, "X-Accel-Buffering", "no"); /* a proxy passes it on as it comes */
    return r;
}

static struct MHD_Response *make_response(const struct http_reply *reply) {
    static char none[] = "";
    if (reply->stream.more)
        return make_stream(&reply->stream);
    return reply->text ? mhd.response(reply->n, reply->text, MHD_RESPMEM_MUST_FREE)
                       : mhd.response(0, none, MHD_RESPMEM_PERSISTENT);
}

/* Takes the text over, or the stream. */
static enum MHD_Result send_reply(struct MHD_Connection *c, struct http_reply *reply) {
    struct MHD_Response *r = make_response(reply);
    if (!r) {
        free(reply->text);
        return MHD_NO;
    }
    mhd.header(r, "Content-Type", reply->type ? reply->type : "text/plain; charset=utf-8");
    mhd.header(r, "Cache-Control", "no-store");
    if (reply->allow)
        mhd.header(r, "Allow", reply->allow);
    if (reply->status == MHD_HTTP_UNAUTHORIZED)
        mhd.header(r, "WWW-Authenticate", "Bearer");
    const enum MHD_Result rc = mhd.queue(c, reply->status, r);
    mhd.destroy(r);
    return rc;
}

static void add_body(const struct http *h, struct coming *in, const char *body, size_t n) {
    if (n > h->kind->body_most - in->n || in->too_long) {
        in->too_long = true;
        return;
    }
    char *more = realloc(in->body, in->n + n + 1);
    in->too_long = !more;
    if (!more)
        return;
    memcpy(more + in->n, body, n);
    in->body = more;
    in->n += n;
    more[in->n] = '\0';
}

static enum MHD_Result handle(void *user, struct MHD_Connection *c, const char *url,
                              const char *method, const char *version, const char *body,
                              size_t *n_body, void **state) {
    const struct http *h = user;
    struct coming *in = *state;
    (void)version;
    if (!in) { /* the headers are there, and a body may follow */
        *state = calloc(1, sizeof(*in));
        return *state ? MHD_YES : MHD_NO;
    }
    if (*n_body) {
        add_body(h, in, body, *n_body);
        *n_body = 0;
        return MHD_YES;
    }
    const union MHD_ConnectionInfo *info = mhd.connection(c, MHD_CONNECTION_INFO_CONNECTION_FD);
    const struct http_request r = {.method = method,
                                   .path = url,
                                   .body = in->body ? in->body : "",
                                   .n_body = in->n,
                                   .fd = info ? info->connect_fd : -1,
                                   .connection = c};
    struct http_reply reply = {.status = MHD_HTTP_INTERNAL_SERVER_ERROR};
    if (in->too_long)
        http_say(&reply, MHD_HTTP_CONTENT_TOO_LARGE, "too long\n");
    else
        h->kind->answer(h->user, &r, &reply);
    return send_reply(c, &reply);
}

static void forget(void *user, struct MHD_Connection *c, void **state,
                   enum MHD_RequestTerminationCode why) {
    struct coming *in = *state;
    (void)user, (void)c, (void)why;
    if (in)
        free(in->body);
    free(in);
    *state = NULL;
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
    const unsigned threads = h->kind->at_once
                                 ? MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION
                                 : MHD_USE_AUTO_INTERNAL_THREAD;
    struct MHD_Daemon *d = mhd.start(threads | (a->v6 ? MHD_USE_IPv6 : 0), 0, NULL, NULL, handle, h,
                                     MHD_OPTION_SOCK_ADDR, &a->at.any, MHD_OPTION_CONNECTION_LIMIT,
                                     (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
                                     h->kind->at_once ? (unsigned)LONG_S : (unsigned)SLOW_S,
                                     MHD_OPTION_NOTIFY_COMPLETED, forget, NULL, MHD_OPTION_END);
    const int why = errno;
    pthread_sigmask(SIG_SETMASK, &was, NULL);
    errno = why;
    return d;
}

/* Where to listen, if it may be. */
static int choose(const char *listen, bool insecure, const struct http_kind *kind,
                  struct address *a, struct err *err) {
    const int rc = parse(listen, a, err);
    if (rc < 0 || a->loopback || insecure)
        return rc;
    return err_set(err, -EINVAL,
                   "--listen %s: others can reach it, and there %s; put a proxy in front of "
                   "127.0.0.1, or say --insecure-listen%s",
                   listen, kind->has_password ? "is no TLS" : "are neither passwords nor TLS",
                   kind->has_password ? "" : " (insecure_listen = true in agent.toml)");
}

int http_check(const char *listen, bool insecure, const struct http_kind *kind, struct err *err) {
    struct address a;
    return choose(listen, insecure, kind, &a, err);
}

int http_open(struct http **out, const char *listen, bool insecure, const struct http_kind *kind,
              void *user, struct err *err) {
    struct address a;
    *out = NULL;
    int rc = choose(listen, insecure, kind, &a, err);
    if (rc == 0)
        rc = load(err);
    struct http *h = rc == 0 ? calloc(1, sizeof(*h)) : NULL;
    if (rc < 0)
        return rc;
    if (!h)
        return err_set(err, -ENOMEM, "--listen: out of memory");
    *h = (struct http){.kind = kind, .user = user};
    h->daemon = start(h, &a);
    if (!h->daemon) {
        rc = errno ? -errno : -EADDRINUSE;
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

void http_close(struct http *h) {
    if (!h)
        return;
    mhd.stop(h->daemon);
    free(h);
}
