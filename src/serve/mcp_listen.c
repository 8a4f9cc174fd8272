#include "serve/mcp_listen.h"

#include "base/array.h"
#include "base/wake.h"

#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct listened {
    char *uri, *target; /* owned */
    bool due;
};

struct mcp_listen {
    char *id;    /* owned; NULL: of resources/subscribe */
    int fd;      /* an eventfd, of one with a connection to itself; -1 */
    bool starts; /* the acknowledgement is due */
    bool started, ends;
    ARRAY(struct listened) uri;
};

struct mcp_listens {
    pthread_mutex_t lock; /* of all that follows */
    int fd;               /* an eventfd */
    ARRAY(struct mcp_listen *) at;
};

static int fd_of(const struct mcp_listens *all, const struct mcp_listen *l) {
    return l->fd >= 0 ? l->fd : all->fd;
}

struct mcp_listens *mcp_listens_open(void) {
    struct mcp_listens *all = calloc(1, sizeof(*all));
    if (!all)
        return NULL;
    *all = (struct mcp_listens){.lock = PTHREAD_MUTEX_INITIALIZER,
                                .fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    if (all->fd >= 0)
        return all;
    free(all);
    return NULL;
}

static void free_one(struct mcp_listen *l) {
    for (size_t i = 0; i < l->uri.n; i++) {
        free(l->uri.at[i].uri);
        free(l->uri.at[i].target);
    }
    array_free(&l->uri);
    if (l->fd >= 0)
        close(l->fd);
    free(l->id);
    free(l);
}

void mcp_listens_close(struct mcp_listens *all) {
    if (!all)
        return;
    for (size_t i = 0; i < all->at.n; i++)
        free_one(all->at.at[i]);
    array_free(&all->at);
    close(all->fd);
    free(all);
}

int mcp_listens_fd(const struct mcp_listens *all) {
    return all->fd;
}

int mcp_listen_fd(const struct mcp_listen *l) {
    return l->fd;
}

/* ---- what is listened to ---- */

void mcp_listens_changed(struct mcp_listens *all, const char *target) {
    pthread_mutex_lock(&all->lock);
    for (size_t i = 0; i < all->at.n; i++) {
        struct mcp_listen *l = all->at.at[i];
        for (size_t k = 0; k < l->uri.n; k++)
            if (strcmp(l->uri.at[k].target, target) == 0) {
                l->uri.at[k].due = true;
                wake_ring(fd_of(all, l));
            }
    }
    pthread_mutex_unlock(&all->lock);
}

bool mcp_listens_has(struct mcp_listens *all, const char *target) {
    bool has = false;
    pthread_mutex_lock(&all->lock);
    for (size_t i = 0; i < all->at.n; i++)
        for (size_t k = 0; k < all->at.at[i]->uri.n; k++)
            has |= strcmp(all->at.at[i]->uri.at[k].target, target) == 0;
    pthread_mutex_unlock(&all->lock);
    return has;
}

/* Returns how many have a connection to themselves. */
static int end_all(struct mcp_listens *all) {
    int own = 0;
    pthread_mutex_lock(&all->lock);
    for (size_t i = 0; i < all->at.n; i++) {
        all->at.at[i]->ends = true;
        own += all->at.at[i]->fd >= 0;
        wake_ring(fd_of(all, all->at.at[i]));
    }
    pthread_mutex_unlock(&all->lock);
    return own;
}

void mcp_listens_end(struct mcp_listens *all) {
    enum { TRIES = 30, EACH_MS = 10 };
    for (int i = 0; i < TRIES && end_all(all); i++)
        poll(NULL, 0, EACH_MS);
}

/* ---- one stream ---- */

/* Of those that share standard output. */
static struct mcp_listen *find(const struct mcp_listens *all, const char *id) {
    for (size_t i = 0; i < all->at.n; i++) {
        struct mcp_listen *l = all->at.at[i];
        if (l->fd < 0 && (id && l->id ? strcmp(id, l->id) == 0 : id == l->id))
            return l;
    }
    return NULL;
}

static struct mcp_listen *make(const char *id, bool own) {
    struct mcp_listen *l = calloc(1, sizeof(*l));
    if (!l)
        return NULL;
    l->fd = own ? eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) : -1;
    l->id = id ? strdup(id) : NULL;
    l->started = !id;
    if ((!own || l->fd >= 0) && (!id || l->id))
        return l;
    free_one(l);
    return NULL;
}

int mcp_listen_begin(struct mcp_listens *all, const char *id, bool own, struct mcp_listen **out) {
    int rc = 0;
    pthread_mutex_lock(&all->lock);
    *out = own ? NULL : find(all, id);
    if (*out)
        rc = id ? -EEXIST : 0;
    else if (all->at.n == MCP_LISTEN_MOST)
        rc = -ENOSPC;
    else if (!(*out = make(id, own)))
        rc = -ENOMEM;
    else if (array_push(&all->at, *out) < 0) {
        free_one(*out);
        rc = -ENOMEM;
    }
    if (rc < 0)
        *out = NULL;
    pthread_mutex_unlock(&all->lock);
    return rc;
}

static int add(struct mcp_listen *l, const char *uri, const char *target) {
    for (size_t i = 0; i < l->uri.n; i++)
        if (strcmp(l->uri.at[i].uri, uri) == 0)
            return 0;
    if (l->uri.n == MCP_LISTEN_MOST)
        return -ENOSPC;
    struct listened new = {.uri = strdup(uri), .target = strdup(target)};
    if (new.uri &&new.target && array_push(&l->uri, new) == 0)
        return 0;
    free(new.uri);
    free(new.target);
    return -ENOMEM;
}

int mcp_listen_add(struct mcp_listens *all, struct mcp_listen *l, const char *uri,
                   const char *target) {
    pthread_mutex_lock(&all->lock);
    const int rc = add(l, uri, target);
    pthread_mutex_unlock(&all->lock);
    return rc;
}

void mcp_listen_start(struct mcp_listens *all, struct mcp_listen *l) {
    pthread_mutex_lock(&all->lock);
    l->starts = l->started = true;
    wake_ring(fd_of(all, l));
    pthread_mutex_unlock(&all->lock);
}

/* With the lock held. */
static void unlink_one(struct mcp_listens *all, struct mcp_listen *l) {
    size_t i = 0;
    while (i < all->at.n && all->at.at[i] != l)
        i++;
    if (i == all->at.n)
        return;
    all->at.n--;
    memmove(all->at.at + i, all->at.at + i + 1, (all->at.n - i) * sizeof(*all->at.at));
    free_one(l);
}

void mcp_listen_drop(struct mcp_listens *all, struct mcp_listen *l) {
    pthread_mutex_lock(&all->lock);
    if (l)
        unlink_one(all, l);
    pthread_mutex_unlock(&all->lock);
}

void mcp_listen_cancel(struct mcp_listens *all, const char *id) {
    pthread_mutex_lock(&all->lock);
    struct mcp_listen *l = find(all, id);
    if (l && l->started) /* else who makes it sees that it was cancelled */
        unlink_one(all, l);
    pthread_mutex_unlock(&all->lock);
}

void mcp_listen_remove(struct mcp_listens *all, const char *uri) {
    pthread_mutex_lock(&all->lock);
    struct mcp_listen *l = find(all, NULL);
    for (size_t i = 0; l && i < l->uri.n; i++) {
        if (strcmp(l->uri.at[i].uri, uri) != 0)
            continue;
        free(l->uri.at[i].uri);
        free(l->uri.at[i].target);
        l->uri.at[i] = l->uri.at[--l->uri.n];
        break;
    }
    pthread_mutex_unlock(&all->lock);
}

/* ---- messages ---- */

static json_t *id_of(const struct mcp_listen *l) {
    return json_loads(l->id, JSON_DECODE_ANY, NULL);
}

/* To a stream that a request has opened, its id belongs. Takes params over. */
static char *message(const struct mcp_listen *l, const char *method, json_t *params) {
    if (l->id)
        json_object_set_new(params, "_meta",
                            json_pack("{s:o}", "io.modelcontextprotocol/subscriptionId", id_of(l)));
    json_t *o = json_pack("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method", method, "params", params);
    char *text = json_dumps(o, JSON_COMPACT);
    json_decref(o);
    return text;
}

static char *acknowledge(const struct mcp_listen *l) {
    json_t *heard = json_object(), *uris = json_array();
    for (size_t i = 0; i < l->uri.n; i++)
        json_array_append_new(uris, json_string(l->uri.at[i].uri));
    if (l->uri.n)
        json_object_set(heard, "resourceSubscriptions", uris);
    json_decref(uris);
    return message(l, "notifications/subscriptions/acknowledged",
                   json_pack("{s:o}", "notifications", heard));
}

/* The answer to its request, behind which nothing follows. */
static char *end(const struct mcp_listen *l) {
    json_t *o = json_pack("{s:s, s:o, s:{s:s, s:{s:o}}}", "jsonrpc", "2.0", "id", id_of(l),
                          "result", "resultType", "complete", "_meta",
                          "io.modelcontextprotocol/subscriptionId", id_of(l));
    char *text = json_dumps(o, JSON_COMPACT);
    json_decref(o);
    return text;
}

static char *next_of(struct mcp_listen *l) {
    if (!l->started)
        return NULL;
    if (l->starts) {
        l->starts = false;
        return acknowledge(l);
    }
    for (size_t i = 0; i < l->uri.n; i++)
        if (l->uri.at[i].due) {
            l->uri.at[i].due = false;
            return message(l, "notifications/resources/updated",
                           json_pack("{s:s}", "uri", l->uri.at[i].uri));
        }
    return NULL;
}

/* One of those that share standard output. */
static char *next_shared(struct mcp_listens *all) {
    char *text = NULL;
    for (size_t i = 0; i < all->at.n && !text; i++) {
        struct mcp_listen *l = all->at.at[i];
        if (l->fd >= 0)
            continue;
        text = next_of(l);
        if (text || !l->ends)
            continue;
        text = l->id ? end(l) : NULL;
        unlink_one(all, l);
        i--;
    }
    return text;
}

char *mcp_listen_next(struct mcp_listens *all, struct mcp_listen *l, bool *over) {
    pthread_mutex_lock(&all->lock);
    wake_take(l ? l->fd : all->fd);
    char *text = l ? next_of(l) : next_shared(all);
    const bool ends = l && !text && l->ends;
    if (ends && l->id && l->started) {
        text = end(l);
        l->started = false;
    }
    if (over)
        *over = ends;
    pthread_mutex_unlock(&all->lock);
    return text;
}
