#include "cli/verb/mcp_live.h"

#include "base/clock.h"
#include "base/str.h"
#include "base/thread.h"
#include "base/wake.h"
#include "base/words.h"
#include "cli/config/config.h"
#include "cli/measure.h"
#include "cli/verb/query_view.h"
#include "pmu/host/target.h"
#include "serve/mcp_listen.h"
#include "serve/mcp_tools.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define SPAN_NS   (MCP_LIVE_SPAN_S * NS_PER_S)
#define LINGER_NS (MCP_LIVE_LINGER_S * NS_PER_S)
#define REMIND_NS (10 * NS_PER_S) /* values change: at most so often that is told */
enum { KEEP_BYTES = 512 << 10, LOOK_MS = 1000, FIRST_MS = 15000 };

enum live_state {
    LIVE_WAITS, /* it is not there yet, or for now */
    LIVE_RUNS,
    LIVE_OVER, /* and does not come again */
};

struct live_target {
    struct live *live; /* borrowed */
    char name[MCP_TARGET];
    struct words words; /* as behind `tdtop collect`; args point into it */
    struct args args;
    struct config config;
    struct measure measure;
    pthread_t thread;
    int stop_fd;  /* an eventfd: it is to end */
    int ready_fd; /* an eventfd, readable once there is something to tell */
    /* Of its thread alone. */
    char told[512]; /* what was last told to who listens: state and verdict */
    uint64_t told_ns;
    /* With live.lock, from when it is in the list. */
    struct sessions all;
    enum live_state state;
    struct err why;    /* of LIVE_OVER */
    uint64_t begun_ns; /* session time: when its process began, as far as that was seen */
    uint64_t last_ns;  /* session time: the end of the last measured interval; 0: of none */
    uint64_t read_ns;  /* CLOCK_MONOTONIC: begun, or read last */
    int n_reading;
    bool was_away;
    bool told_away; /* a reader knows that it has ended: it may go */
    bool ended;     /* its thread is to be joined */
};

struct live {
    struct mcp_listens *listens; /* owned */
    pthread_mutex_t lock;
    pthread_mutex_t opens; /* one opens its counters at a time, and the list stays as it is; taken
                              before lock */
    struct live_target *at[MCP_LIVE_MOST]; /* owned; NULL: free */
};

/* ---- to open, and to close ---- */

static bool is_number(const char *name) {
    return !name[strspn(name, "0123456789")];
}

static bool is_cgroup(const char *name) {
    return strchr(name, '/') || str_ends(name, ".service") || str_ends(name, ".slice") ||
           str_ends(name, ".scope");
}

static int prepare(struct live_target *t, struct err *err) {
    struct words *w = &t->words;
    const char *option = is_number(t->name) ? "pid" : is_cgroup(t->name) ? "cgroup" : "process";
    int rc = words_add(w, "tdtop");
    rc = rc ? rc : words_add(w, "collect");
    rc = rc ? rc : words_add(w, "--interval=1s");
    rc = rc ? rc : words_add(w, "--%s=%s", option, t->name);
    if (rc < 0)
        return err_set(err, rc, "out of memory");
    rc = cli_parse(&t->args, (int)w->list.n, w->list.at, err);
    config_defaults(&t->config);
    if (rc == 0)
        rc = config_for(&t->config, &t->args, err);
    if (rc == 0)
        rc = measure_prepare(&t->measure, &t->all, &t->args, false, err);
    for (int i = 0; rc == 0 && i < t->all.n; i++) {
        t->measure.opt[i].target.follows = t->args.name; /* one after the other of that name */
        t->all.at[i]->keep_bytes = KEEP_BYTES;
    }
    return rc;
}

/* 0, MEASURE_WAITS, or negative errno with words. */
static int start(struct live_target *t, struct err *err) {
    const int rc = measure_open(&t->measure, &t->all, err);
    return rc ? rc : sessions_start(&t->all, err);
}

static void free_target(struct live_target *t) {
    sessions_close(&t->all);
    measure_destroy(&t->measure);
    config_free(&t->config);
    words_free(&t->words);
    if (t->stop_fd >= 0)
        close(t->stop_fd);
    if (t->ready_fd >= 0)
        close(t->ready_fd);
    free(t);
}

static struct live_target *new_target(struct live *lv, const char *name, struct err *err) {
    struct live_target *t = calloc(1, sizeof(*t));
    if (!t) {
        err_set(err, -ENOMEM, "out of memory");
        return NULL;
    }
    t->live = lv;
    t->read_ns = clock_now_ns();
    str_copy(t->name, sizeof(t->name), name);
    t->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    t->ready_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (t->stop_fd >= 0 && t->ready_fd >= 0)
        return t;
    err_set(err, -errno, "%s: %s", name, strerror(errno));
    free_target(t);
    return NULL;
}

/* ---- what is told ---- */

/* The runs of its last seconds, one of each core type: copies, which need the session no more.
 * Returns how many, or negative errno with words. With the lock held. */
static int draft(const struct live_target *t, struct session_draft *d, struct err *err) {
    const uint64_t t0 = t->last_ns > SPAN_NS ? t->last_ns - SPAN_NS : 0;
    int n = 0, rc = 0;
    if (!t->last_ns) /* its thread may be opening them */
        return 0;
    for (int i = 0; i < t->all.n; i++) {
        rc = session_draft(t->all.at[i], t0 > t->begun_ns ? t0 : t->begun_ns, t->last_ns, 0, &d[n],
                           err);
        if (rc == -ENODATA) /* no thread ran on this type */
            continue;
        if (rc < 0)
            break;
        n++;
    }
    if (rc >= 0 || rc == -ENODATA)
        return n;
    for (int i = 0; i < n; i++)
        session_draft_free(&d[i]);
    return rc;
}

/* Puts those entries of the tree that fit under a key. */
static void pick_entries(json_t *o, const char *key, const json_t *tree, const char *path) {
    json_t *picked = json_array(), *e;
    size_t i;
    json_array_foreach(json_object_get(tree, "entries"), i, e) {
        const char *its = json_string_value(json_object_get(e, "path"));
        const size_t n = its ? strlen(its) : 0;
        const bool on_path =
            path && n && strncmp(path, its, n) == 0 && (path[n] == '.' || path[n] == '\0');
        if (path ? on_path : json_integer_value(json_object_get(e, "level")) == 1)
            json_array_append(picked, e);
    }
    json_object_set_new(o, key, picked);
}

/* One core type. */
static json_t *answer_of(const struct run *r, const struct model *m) {
    json_t *o = query_json(r, m, QUERY_BOTTLENECKS), *tree = query_json(r, m, QUERY_FUNNEL);
    if (o && tree) {
        json_object_set_new(o, "verdict", json_string(query_verdict(r)));
        pick_entries(o, "level1", tree, NULL);
        pick_entries(o, "path", tree, r->bottleneck);
        json_object_set_new(o, "vital_signs", query_json(r, m, QUERY_VITAL));
        mcp_conclude(o, tree);
        json_object_del(o, "run_id"); /* it is in no store */
    }
    json_decref(tree);
    return o;
}

/* What is told besides: whether it is there. */
static json_t *about(const struct live_target *t, enum live_state state, const struct err *why) {
    static const char *const words[] = {"not there", "measured", "ended"};
    json_t *o = json_object();
    json_object_set_new(o, "live", json_string(t->name));
    json_object_set_new(o, "state", json_string(words[state]));
    if (state == LIVE_OVER)
        json_object_set_new(o, "why", json_string(why->text));
    return o;
}

static char *dump(json_t *o) {
    char *text = o ? json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(6)) : NULL;
    json_decref(o);
    return text;
}

/* Of several core types one answer each, in a list. Takes the drafts over. */
static char *answer(const struct live_target *t, enum live_state state, const struct err *why,
                    struct session_draft *d, int n, struct err *err) {
    json_t *all = json_array();
    int rc = 0;
    for (int i = 0; i < n; i++) {
        struct model m = {0};
        rc = rc ? rc : session_draft_finish(&d[i], err);
        const char *text = d[i].run.model_text;
        if (rc == 0)
            rc = model_load(&m, text, strlen(text), d[i].run.model, err);
        json_t *o = rc == 0 ? about(t, state, why) : NULL, *a = o ? answer_of(&d[i].run, &m) : NULL;
        json_object_update_missing(o, a);
        json_decref(a);
        if (o)
            json_array_append_new(all, o);
        model_free(&m);
        session_draft_free(&d[i]);
    }
    if (rc < 0) {
        json_decref(all);
        return NULL;
    }
    json_t *o = n == 0   ? about(t, state, why)
                : n == 1 ? json_incref(json_array_get(all, 0))
                         : json_incref(all);
    json_decref(all);
    return dump(o);
}

/* ---- who listens ---- */

static void add_verdicts(struct live_target *t, struct strbuf *sb) {
    struct session_draft d[SESSIONS_MAX];
    struct err err = {0};
    pthread_mutex_lock(&t->live->lock);
    const int n = draft(t, d, &err);
    pthread_mutex_unlock(&t->live->lock);
    for (int i = 0; i < n; i++) {
        if (session_draft_finish(&d[i], &err) == 0)
            strbuf_add(sb, " %s", query_verdict(&d[i].run));
        session_draft_free(&d[i]);
    }
}

/* Tells who listens what one would act on at once, and that values have changed now and then. */
static void tell(struct live_target *t) {
    char now[sizeof(t->told)];
    struct strbuf sb = strbuf_on(now, sizeof(now));
    const uint64_t now_ns = clock_now_ns();
    if (!mcp_listens_has(t->live->listens, t->name))
        return;
    pthread_mutex_lock(&t->live->lock);
    const enum live_state state = t->state;
    const bool any = t->last_ns || state == LIVE_OVER;
    pthread_mutex_unlock(&t->live->lock);
    strbuf_add(&sb, "%d", (int)state);
    if (state == LIVE_RUNS)
        add_verdicts(t, &sb);
    const bool differs = strcmp(now, t->told) != 0;
    if (!any || (!differs && (state != LIVE_RUNS || now_ns < t->told_ns + REMIND_NS)))
        return;
    str_copy(t->told, sizeof(t->told), now);
    t->told_ns = now_ns;
    mcp_listens_changed(t->live->listens, t->name);
}

/* ---- the thread of a target ---- */

static void end_for(struct live_target *t, const struct err *why) {
    t->state = LIVE_OVER;
    t->why = *why;
    wake_ring(t->ready_fd);
}

/* -P: whether it has come. */
static void look_again(struct live_target *t) {
    struct err err = {0};
    pthread_mutex_lock(&t->live->opens);
    const int rc = start(t, &err); /* no reader uses its sessions before that */
    pthread_mutex_unlock(&t->live->opens);
    pthread_mutex_lock(&t->live->lock);
    if (rc < 0)
        end_for(t, &err);
    else if (rc == 0)
        t->state = LIVE_RUNS;
    pthread_mutex_unlock(&t->live->lock);
}

static void take_one(struct live_target *t, struct session *s) {
    while (session_take(s)) {
        t->was_away |= s->sample.away;
        if (s->sample.away || s->sample.early)
            continue;
        if (t->was_away)
            t->begun_ns = s->sample.t0_ns;
        t->was_away = false;
        t->last_ns = s->frame.t1_ns;
    }
}

/* With the lock held. */
static bool take_all(struct live_target *t) {
    const uint64_t was_ns = t->last_ns;
    const enum live_state was = t->state;
    const struct session *first = t->all.at[0];
    bool lives = false;
    for (int i = 0; i < t->all.n; i++) {
        take_one(t, t->all.at[i]);
        lives |= t->all.at[i]->state == STREAM_LIVE;
    }
    if (lives)
        t->state = first->away ? LIVE_WAITS : LIVE_RUNS;
    else
        end_for(t, &first->last);
    t->told_away = t->told_away && t->state != LIVE_RUNS;
    if (t->last_ns || t->state != LIVE_RUNS)
        wake_ring(t->ready_fd);
    return t->last_ns != was_ns || t->state != was;
}

/* With the lock held. Who listens does not wait for what does not come again. */
static bool is_wanted(const struct live_target *t, bool heard) {
    const bool lately = clock_now_ns() < t->read_ns + LINGER_NS;
    if (t->n_reading)
        return true;
    if (t->told_away && (t->state == LIVE_OVER || !heard))
        return false;
    return lately || (heard && t->state != LIVE_OVER);
}

/* False: it is to end. */
static bool turn(struct live_target *t) {
    struct pollfd fd[SESSIONS_MAX + 1] = {{.fd = t->stop_fd, .events = POLLIN}};
    const bool opened = t->all.at[0]->opened;
    for (int i = 0; i < t->all.n; i++)
        fd[i + 1] = (struct pollfd){
            .fd = t->all.at[i]->state == STREAM_LIVE ? session_fd(t->all.at[i]) : -1,
            .events = POLLIN};
    poll(fd, (nfds_t)t->all.n + 1, LOOK_MS);
    if (fd[0].revents)
        return false;
    bool changed = true;
    if (!opened && t->state == LIVE_WAITS) {
        look_again(t);
    } else if (opened && t->state != LIVE_OVER) {
        pthread_mutex_lock(&t->live->lock);
        changed = take_all(t);
        pthread_mutex_unlock(&t->live->lock);
    }
    if (changed)
        tell(t);
    const bool heard = mcp_listens_has(t->live->listens, t->name);
    pthread_mutex_lock(&t->live->lock);
    t->ended |= !is_wanted(t, heard);
    pthread_mutex_unlock(&t->live->lock);
    return !t->ended;
}

static void *watch(void *user) {
    struct live_target *t = user;
    while (turn(t))
        continue;
    sessions_halt(&t->all);
    return NULL;
}

/* ---- all targets ---- */

/* What has ended goes; as find, for who opens. */
static void reap(struct live *lv) {
    for (int i = 0; i < MCP_LIVE_MOST; i++) {
        pthread_mutex_lock(&lv->lock);
        struct live_target *t = lv->at[i] && lv->at[i]->ended ? lv->at[i] : NULL;
        if (t)
            lv->at[i] = NULL;
        pthread_mutex_unlock(&lv->lock);
        if (!t)
            continue;
        pthread_join(t->thread, NULL);
        free_target(t);
    }
}

/* What does not come again makes room for another of its name; as find. */
static void retire(struct live *lv, const char *name) {
    pthread_mutex_lock(&lv->lock);
    for (int i = 0; i < MCP_LIVE_MOST; i++) {
        struct live_target *t = lv->at[i];
        if (!t || t->state != LIVE_OVER || t->n_reading || strcmp(t->name, name) != 0)
            continue;
        t->ended = true;
        wake_ring(t->stop_fd);
    }
    pthread_mutex_unlock(&lv->lock);
}

/* That of this name, which stays for now. NULL: it is not measured; *room: where it could be, or
 * -1. */
static struct live_target *find(struct live *lv, const char *name, bool reads, int *room) {
    struct live_target *found = NULL;
    *room = -1;
    pthread_mutex_lock(&lv->lock);
    for (int i = 0; i < MCP_LIVE_MOST; i++) {
        if (!lv->at[i])
            *room = i;
        else if (!lv->at[i]->ended && strcmp(lv->at[i]->name, name) == 0)
            found = lv->at[i];
    }
    if (found) {
        found->told_away = false; /* another wants to know it */
        found->n_reading += reads;
        found->read_ns = clock_now_ns();
    }
    pthread_mutex_unlock(&lv->lock);
    return found;
}

static void say_full(const struct live *lv, struct err *err) {
    char names[MCP_LIVE_MOST * 40];
    struct strbuf sb = strbuf_on(names, sizeof(names));
    for (int i = 0; i < MCP_LIVE_MOST; i++)
        strbuf_add(&sb, "%s%.32s", i ? ", " : "", lv->at[i]->name);
    err_set(
        err, -EBUSY,
        "%d targets are measured already: %s; unsubscribe from one, or wait until %d s after its "
        "last read",
        MCP_LIVE_MOST, names, MCP_LIVE_LINGER_S);
}

/* Words for -P NAME of which there is none. */
static int say_absent(const char *name, struct err *err) {
    pid_t *pid = NULL;
    const int n = target_find("/proc", name, &pid, err);
    free(pid);
    return n < 0 ? n : err_set(err, -EAGAIN, "%s: it came just now; ask again", name);
}

/* Prepares and opens it, and starts its thread. Who does not read it waits for it to come. */
static struct live_target *make(struct live *lv, const char *name, bool reads, struct err *err) {
    struct live_target *t = new_target(lv, name, err);
    int rc = t ? prepare(t, err) : -ENOMEM;
    if (rc == 0)
        rc = start(t, err);
    if (rc == 0)
        t->state = LIVE_RUNS;
    if (rc == MEASURE_WAITS)
        rc = reads ? say_absent(name, err) : 0;
    if (t)
        t->n_reading = reads;
    if (rc == 0 && (rc = thread_start(&t->thread, "tdtop-live", watch, t)) < 0)
        err_set(err, rc, "%s: %s", name, strerror(-rc));
    if (rc == 0)
        return t;
    if (t)
        free_target(t);
    return NULL;
}

/* That target, which is measured from now on if it was not. NULL with words. */
static struct live_target *want(struct live *lv, const char *name, bool reads, struct err *err) {
    int room;
    pthread_mutex_lock(&lv->opens);
    if (!reads)
        retire(lv, name);
    reap(lv);
    struct live_target *t = find(lv, name, reads, &room);
    if (!t && room < 0)
        say_full(lv, err);
    else if (!t && (t = make(lv, name, reads, err))) {
        pthread_mutex_lock(&lv->lock);
        lv->at[room] = t;
        pthread_mutex_unlock(&lv->lock);
    }
    pthread_mutex_unlock(&lv->opens);
    return t;
}

/* ---- what is asked ---- */

static int begin(void *user, const char *target, struct err *err) {
    return want(user, target, false, err) ? 0 : err->code;
}

/* Until there is something to tell. False: the request was cancelled, or it takes too long. */
static bool wait_ready(struct live_target *t, const struct mcp *m) {
    pthread_mutex_lock(&t->live->lock);
    const bool waits = t->state == LIVE_WAITS;
    pthread_mutex_unlock(&t->live->lock);
    if (waits) /* which is what there is to tell */
        return true;
    struct pollfd p[] = {{.fd = t->ready_fd, .events = POLLIN},
                         {.fd = m->cancel_fd, .events = POLLIN},
                         {.fd = m->client_fd, .events = POLLRDHUP}};
    const uint64_t end_ns = clock_now_ns() + FIRST_MS * NS_PER_MS;
    while (clock_now_ns() < end_ns) {
        if (poll(p, 3, LOOK_MS) < 0 && errno != EINTR)
            return false;
        if (p[0].revents || p[1].revents || p[2].revents)
            break;
    }
    return p[0].revents;
}

static char *read_target(void *user, const struct mcp *m, const char *target, struct err *err) {
    struct live *lv = user;
    struct session_draft d[SESSIONS_MAX];
    struct live_target *t = want(lv, target, true, err);
    char *text = NULL;
    if (!t)
        return NULL;
    if (wait_ready(t, m)) {
        pthread_mutex_lock(&lv->lock);
        const enum live_state state = t->state;
        const struct err why = t->why;
        const int n = state == LIVE_WAITS ? 0 : draft(t, d, err);
        t->told_away |= state != LIVE_RUNS;
        pthread_mutex_unlock(&lv->lock);
        if (n >= 0)
            text = answer(t, state, &why, d, n, err);
    } else if (!mcp_is_cancelled(m)) {
        err_set(err, -ETIMEDOUT, "%s: no interval within %d s; ask again", target, FIRST_MS / 1000);
    }
    pthread_mutex_lock(&lv->lock);
    t->n_reading--;
    t->read_ns = clock_now_ns();
    pthread_mutex_unlock(&lv->lock);
    return text;
}

static char *list(void *user) {
    struct live *lv = user;
    json_t *all = json_array();
    pthread_mutex_lock(&lv->opens);
    reap(lv);
    pthread_mutex_lock(&lv->lock);
    for (int i = 0; i < MCP_LIVE_MOST; i++) {
        const struct live_target *t = lv->at[i];
        if (!t)
            continue;
        json_t *o = about(t, t->state, &t->why);
        json_object_set_new(o, "subscribed", json_boolean(mcp_listens_has(lv->listens, t->name)));
        json_array_append_new(all, o);
    }
    pthread_mutex_unlock(&lv->lock);
    pthread_mutex_unlock(&lv->opens);
    return dump(json_pack("{s:o, s:i}", "targets", all, "most", MCP_LIVE_MOST));
}

struct live *live_open(struct mcp_live *as) {
    struct live *lv = calloc(1, sizeof(*lv));
    if (!lv)
        return NULL;
    *lv = (struct live){.listens = mcp_listens_open(),
                        .lock = PTHREAD_MUTEX_INITIALIZER,
                        .opens = PTHREAD_MUTEX_INITIALIZER};
    *as = (struct mcp_live){
        .listens = lv->listens, .list = list, .read = read_target, .begin = begin, .user = lv};
    if (lv->listens)
        return lv;
    free(lv);
    return NULL;
}

void live_close(struct live *lv) {
    for (int i = 0; lv && i < MCP_LIVE_MOST; i++)
        if (lv->at[i])
            wake_ring(lv->at[i]->stop_fd);
    for (int i = 0; lv && i < MCP_LIVE_MOST; i++) {
        if (!lv->at[i])
            continue;
        pthread_join(lv->at[i]->thread, NULL);
        free_target(lv->at[i]);
    }
    if (lv)
        mcp_listens_close(lv->listens);
    free(lv);
}
