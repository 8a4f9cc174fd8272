#include "serve/mcp_http.h"

#include "base/str.h"
#include "serve/mcp_listen.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

struct mcp_http {
    struct http *http;
    const struct mcp *m;
    const char *token;
    bool others; /* --insecure-listen: names of this host are not known */
};

enum { TOKEN_LEAST = 16, TOKEN_MOST = 4096 };

int mcp_token(const char *path, char **token, struct err *err) {
    struct stat s;
    size_t n;
    int rc = str_read_file(path, TOKEN_MOST, token, &n, err);
    if (rc < 0)
        return rc;
    (*token)[strcspn(*token, "\r\n")] = '\0';
    if (stat(path, &s) == 0 && (s.st_mode & (S_IRWXG | S_IRWXO)))
        rc = err_set(err, -EACCES, "--token-file %s: others may read it; chmod 600 %s", path, path);
    else if (strlen(*token) < TOKEN_LEAST)
        rc = err_set(err, -EINVAL,
                     "--token-file %s: its first line has less than %d characters; as: openssl "
                     "rand -hex 32 >%s",
                     path, TOKEN_LEAST, path);
    if (rc < 0) {
        free(*token);
        *token = NULL;
    }
    return rc;
}

/* As long for any guess of that length. */
static bool is_token(const struct mcp_http *h, const char *authorization) {
    static const char scheme[] = "Bearer ";
    if (!authorization || strncasecmp(authorization, scheme, sizeof(scheme) - 1) != 0)
        return false;
    const char *given = authorization + sizeof(scheme) - 1;
    const size_t n = strlen(h->token);
    unsigned char differ = strlen(given) != n;
    for (size_t i = 0; i < n && strlen(given) == n; i++)
        differ |= (unsigned char)(given[i] ^ h->token[i]);
    return !differ;
}

/* "localhost", "127.0.0.1" or "[::1]", with a port or without. */
static bool is_here(const char *host) {
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const size_t n = strlen(names[i]);
        if (strncasecmp(host, names[i], n) == 0 &&
            (host[n] == '\0' ||
             (host[n] == ':' && host[n + 1 + strspn(host + n + 1, "0123456789")] == '\0')))
            return true;
    }
    return false;
}

/* A page in a browser has an origin; one whose name was made to point here has another host. */
static bool is_foreign(const struct mcp_http *h, const struct http_request *r) {
    const char *origin = http_header(r, "Origin"), *host = http_header(r, "Host");
    if (origin && str_starts(origin, "http://"))
        origin = is_here(origin + 7) ? NULL : origin;
    return origin || (!h->others && host && !is_here(host));
}

/* False: it is answered. */
static bool may(const struct mcp_http *h, const struct http_request *r, struct http_reply *to) {
    const char *type = http_header(r, "Content-Type");
    if (is_foreign(h, r))
        http_say(to, 403, "this origin or host may not\n");
    else if (!is_token(h, http_header(r, "Authorization")))
        http_say(to, 401, "Authorization: Bearer TOKEN, of --token-file\n");
    else if (strcmp(r->path, "/mcp") != 0)
        http_say(to, 404, "tdtop: /mcp\n");
    else if (strcmp(r->method, "POST") != 0) {
        http_say(to, 405, "POST /mcp\n");
        to->allow = "POST";
    } else if (!type || strncasecmp(type, "application/json", 16) != 0)
        http_say(to, 415, "Content-Type: application/json\n");
    else
        return true;
    return false;
}

/* ---- a stream of Server-Sent Events: what a request listens to ---- */

struct events {
    struct mcp_listens *all; /* borrowed */
    struct mcp_listen *listen;
    int fd;     /* the connection */
    char *text; /* owned: what is being sent; NULL: nothing is */
    size_t at, n;
    bool over;
};
enum { ALIVE_MS = 15000 }; /* a comment then: a proxy ends what is silent */

/* What there is to be said next. False: there is nothing now. */
static bool find_event(struct events *e) {
    char *message = e->over ? NULL : mcp_listen_next(e->all, e->listen, &e->over);
    free(e->text);
    e->text = NULL;
    e->at = e->n = 0;
    if (!message)
        return false;
    const int n = asprintf(&e->text, "data: %s\n\n", message);
    free(message);
    if (n < 0)
        e->text = NULL;
    e->n = n < 0 ? 0 : (size_t)n;
    return e->text;
}

static long more_events(void *user, char *to, size_t cap) {
    static const char alive[] = ":\n\n";
    struct events *e = user;
    while (e->at == e->n && !find_event(e)) {
        struct pollfd p[] = {{.fd = mcp_listen_fd(e->listen), .events = POLLIN},
                             {.fd = e->fd, .events = POLLRDHUP}};
        if (e->over)
            return 0;
        const int n = poll(p, 2, ALIVE_MS);
        if (n < 0 ? errno != EINTR : p[1].revents != 0)
            return -1;
        if (n == 0) {
            memcpy(to, alive, sizeof(alive) - 1);
            return sizeof(alive) - 1;
        }
    }
    const size_t n = e->n - e->at < cap ? e->n - e->at : cap;
    memcpy(to, e->text + e->at, n);
    e->at += n;
    return (long)n;
}

static void end_events(void *user) {
    struct events *e = user;
    mcp_listen_drop(e->all, e->listen);
    free(e->text);
    free(e);
}

static void begin_events(struct mcp_listens *all, struct mcp_listen *listen, int fd,
                         struct http_reply *to) {
    struct events *e = malloc(sizeof(*e));
    if (!e) {
        mcp_listen_drop(all, listen);
        http_say(to, 503, "out of memory\n");
        return;
    }
    *e = (struct events){.all = all, .listen = listen, .fd = fd};
    *to = (struct http_reply){
        .status = 200, .type = "text/event-stream", .stream = {more_events, end_events, e}};
}

/* ---- a message ---- */

static void answer(void *user, const struct http_request *r, struct http_reply *to) {
    const struct mcp_http *h = user;
    const struct mcp_headers headers = {.version = http_header(r, "MCP-Protocol-Version"),
                                        .method = http_header(r, "Mcp-Method"),
                                        .name = http_header(r, "Mcp-Name")};
    bool refused = false;
    struct mcp m = *h->m;
    m.client_fd = r->fd;
    m.headers = &headers;
    m.refused = &refused;
    struct mcp_listen *listen = NULL;
    m.stream = &listen;
    if (!may(h, r, to))
        return;
    char *text = mcp_answer(&m, r->body, r->n_body);
    if (listen) {
        begin_events(m.live->listens, listen, r->fd, to);
        return;
    }
    *to = (struct http_reply){.status = !text     ? 202
                                        : refused ? 400
                                                  : 200,
                              .type = "application/json",
                              .text = text,
                              .n = text ? strlen(text) : 0};
}

int mcp_http_open(struct mcp_http **out, const struct mcp *m, const char *listen, bool insecure,
                  const char *token, struct err *err) {
    static const struct http_kind kind = {
        .at_once = true, .has_password = true, .body_most = MCP_LINE, .answer = answer};
    *out = NULL;
    struct mcp_http *h = calloc(1, sizeof(*h));
    if (!h)
        return err_set(err, -ENOMEM, "--listen: out of memory");
    *h = (struct mcp_http){.m = m, .token = token, .others = insecure};
    const int rc = http_open(&h->http, listen, insecure, &kind, h, err);
    if (rc < 0)
        free(h);
    else
        *out = h;
    return rc;
}

int mcp_http_port(const struct mcp_http *h) {
    return http_port(h->http);
}

void mcp_http_close(struct mcp_http *h) {
    if (!h)
        return;
    if (h->m->live) /* streams end with an answer */
        mcp_listens_end(h->m->live->listens);
    http_close(h->http);
    free(h);
}
