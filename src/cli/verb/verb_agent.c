/*
 * `tdtop agent`: many rows of `tdtop collect` in one process, each on a thread of its own, until it
 * is stopped. Targets that are absent are waited for, and one that fails stops no other.
 */
#include "cli/verb/collect.h"

#include "base/clock.h"
#include "base/str.h"
#include "base/thread.h"
#include "base/wake.h"
#include "cli/stop.h"
#include "cli/verb/agent_config.h"
#include "serve/notify.h"

#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#define CLEAN_EVERY_NS (3600 * NS_PER_S)
#define STUCK_NS       (60 * NS_PER_S) /* nothing that a row does by itself takes as long */

enum { SEND_EVERY_MS = 30000 };

struct watched {
    struct agent_target target; /* its words owned */
    struct collect c;
    pthread_t thread;
    bool runs;
    _Atomic bool over;
};

struct agent {
    struct agent_config config;
    struct watched **at; /* owned: [config.n_target] */
    struct collect_shared shared;
    struct exposition exposition; /* of all targets, if they are to be read */
    struct publish publish;
    uint64_t clean_ns; /* when what is old goes next */
    pthread_t sender;  /* of what waits for a server */
    int sender_fd;
    bool sends;
};

/* ---- one target ---- */

static void *watch(void *user) {
    struct watched *w = user;
    struct err err = {0};
    cli_about(w->target.name);
    atomic_store(&w->c.busy_ns, clock_now_ns());
    pthread_mutex_lock(&w->c.shared->opens);
    const int rc = collect_open(&w->c, &w->target.args, &err);
    pthread_mutex_unlock(&w->c.shared->opens);
    if (rc == 0)
        collect_all(&w->c);
    else
        cli_error(&err);
    if (!w->c.stopped)
        cli_note("is not watched any more");
    collect_close(&w->c);
    atomic_store(&w->c.busy_ns, 0);
    atomic_store(&w->over, true);
    return NULL;
}

static bool is_published(const struct agent_config *c) {
    return c->publish.listen || c->publish.textfile;
}

/* Takes over the words of the target. */
static struct watched *begin(struct agent *ag, struct agent_target *t) {
    struct watched *w = calloc(1, sizeof(*w));
    int rc = -ENOMEM;
    if (w) {
        str_copy(w->target.name, sizeof(w->target.name), t->name);
        cli_copy_args(&w->target.args, &t->args);
        w->target.words = t->words;
        t->words = (struct words){0};
        w->c.shared = &ag->shared;
        w->c.expose = (struct collect_expose){
            .e = is_published(&ag->config) ? &ag->exposition : NULL, .target = w->target.name};
        w->c.stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        rc = w->c.stop_fd < 0 ? -errno : thread_start(&w->thread, "agent", watch, w);
        w->runs = rc == 0;
    }
    if (rc < 0)
        cli_note("%s: not watched: %s", t->name, strerror(-rc));
    return w;
}

static void begin_rest(struct agent *ag) {
    for (int i = 0; i < ag->config.n_target; i++)
        if (!ag->at[i])
            ag->at[i] = begin(ag, &ag->config.target[i]);
}

static void end_all(struct watched **at, int n) {
    for (int i = 0; i < n; i++)
        if (at[i] && at[i]->runs)
            wake_ring(at[i]->c.stop_fd);
    for (int i = 0; i < n; i++) {
        if (!at[i])
            continue;
        if (at[i]->runs)
            pthread_join(at[i]->thread, NULL);
        if (at[i]->c.stop_fd >= 0)
            close(at[i]->c.stop_fd);
        words_free(&at[i]->target.words);
        free(at[i]);
    }
    free(at);
}

static bool is_watched(const struct watched *w) {
    return w && w->runs && !atomic_load(&w->over);
}

static bool has_any(const struct agent *ag) {
    for (int i = 0; i < ag->config.n_target; i++)
        if (is_watched(ag->at[i]))
            return true;
    return false;
}

/* One that does something for so long will never end; systemd restarts the agent then. */
static const char *stuck(const struct agent *ag) {
    const uint64_t now = clock_now_ns();
    for (int i = 0; i < ag->config.n_target; i++) {
        const uint64_t busy = is_watched(ag->at[i]) ? atomic_load(&ag->at[i]->c.busy_ns) : 0;
        if (busy && now > busy + STUCK_NS)
            return ag->at[i]->target.name;
    }
    return NULL;
}

/* ---- their series ---- */

static int publish_as(struct agent *ag, const struct agent_config *c, struct err *err) {
    return publish_open(&ag->publish, &ag->exposition, &c->publish, "agent", err);
}

static bool is_same(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* As another file has it; what cannot be had leaves it as it was. */
static int republish(struct agent *ag, const struct agent_config *next, struct err *err) {
    const struct publish_to *is = &ag->config.publish, *to = &next->publish;
    struct err again = {0};
    if (is_same(is->listen, to->listen) && is_same(is->textfile, to->textfile) &&
        is->insecure == to->insecure && (!to->listen || ag->publish.page))
        return 0;
    publish_close(&ag->publish); /* its port may be what is asked for */
    const int rc = publish_as(ag, next, err);
    if (rc < 0 && publish_as(ag, &ag->config, &again) < 0)
        cli_error(&again);
    return rc;
}

static bool is_said(const struct agent_config *c, int target, int label) {
    const char *text = c->target[target].args.labels.at[label];
    for (int i = 0; i <= target; i++)
        for (int k = 0; k < (i < target ? c->target[i].args.labels.n : label); k++)
            if (strcmp(c->target[i].args.labels.at[k], text) == 0)
                return true;
    return false;
}

static void say_no_labels(const struct agent *ag) {
    const struct agent_config *c = &ag->config;
    for (int i = 0; is_published(c) && i < c->n_target; i++)
        for (int k = 0; k < c->target[i].args.labels.n; k++) {
            const char *fault = exposition_label_fault(c->target[i].args.labels.at[k]);
            if (fault && !is_said(c, i, k))
                cli_note("label %s: not on series: %s", c->target[i].args.labels.at[k], fault);
        }
}

/* ---- what is old goes ---- */

/* When so many of the oldest runs were begun. 0, or negative errno with words. */
static int begun_of_oldest(struct store *st, uint64_t n, int64_t *ns, struct err *err) {
    struct run_list list = {0};
    const struct run_query q = {.ascending = true, .limit = n, .without_top = true};
    const int rc = store_list(st, &q, &list, err);
    *ns = rc == 0 && list.n ? list.row[list.n - 1].begun_ns : 0;
    run_list_free(&list);
    return rc;
}

/* A tenth of all at a time, until what is used is small enough. */
static int shrink(struct store *st, uint64_t most, uint64_t *n, struct err *err) {
    for (;;) {
        struct store_stats s;
        struct store_prune p = {0};
        int64_t until;
        int rc = store_stats(st, &s, err);
        if (rc < 0 || s.bytes - s.free_bytes <= most || s.n_run == 0)
            return rc;
        rc = begun_of_oldest(st, s.n_run / 10 + 1, &until, err);
        if (rc == 0)
            rc = store_prune(st, until + 1, false, &p, err);
        if (rc < 0 || p.n == 0)
            return rc;
        *n += p.n;
        notify_send("WATCHDOG=1"); /* it may take long */
    }
}

static void clean(struct agent *ag) {
    const struct agent_config *cfg = &ag->config;
    struct store st = {0};
    struct store_prune p = {0};
    struct err err = {0};
    ag->clean_ns = clock_now_ns() + CLEAN_EVERY_NS;
    if (!cfg->keep_ns && !cfg->keep_bytes)
        return;
    uint64_t n = 0;
    pthread_mutex_lock(&ag->shared.stores);
    int rc = store_open(&st, cfg->db, STORE_CHANGE, &err);
    if (rc == 0 && cfg->keep_ns)
        rc = store_prune(&st, (int64_t)(clock_wall_ns() - cfg->keep_ns), false, &p, &err);
    n += p.n;
    if (rc == 0 && cfg->keep_bytes)
        rc = shrink(&st, cfg->keep_bytes, &n, &err);
    store_close(&st);
    pthread_mutex_unlock(&ag->shared.stores);
    malloc_trim(0);
    if (rc < 0 && rc != -ENOENT)
        cli_error(&err);
    if (n)
        cli_note("%llu run%s too old, or too much for keep_size: removed", (unsigned long long)n,
                 n == 1 ? " was" : "s were");
}

/* ---- what waits for a server ---- */

/* Targets that are absent, or run for long, store nothing meanwhile. On a thread of its own: a
 * server may let one wait. */
static void *send_waiting(void *user) {
    struct agent *ag = user;
    struct run_pick *pick = &ag->shared.pick;
    struct pollfd fd = {.fd = ag->sender_fd, .events = POLLIN};
    while (poll(&fd, 1, SEND_EVERY_MS) == 0) {
        pthread_mutex_lock(&ag->shared.stores);
        if (run_pick_say_outbox(pick) > 0 && store_send(&pick->store, NULL) == 0)
            run_pick_say_outbox(pick);
        pthread_mutex_unlock(&ag->shared.stores);
        thread_rest();
    }
    return NULL;
}

static void begin_sending(struct agent *ag) {
    ag->sender_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    ag->sends = ag->sender_fd >= 0 && thread_start(&ag->sender, "sends", send_waiting, ag) == 0;
}

static void end_sending(struct agent *ag) {
    if (ag->sends) {
        wake_ring(ag->sender_fd);
        pthread_join(ag->sender, NULL);
    }
    if (ag->sender_fd >= 0)
        close(ag->sender_fd);
}

/* ---- all of them ---- */

static void say_ready(const struct agent *ag, int n_same) {
    const int n = ag->config.n_target;
    char same[32] = "";
    if (n_same)
        snprintf(same, sizeof(same), ", %d as before", n_same);
    say_no_labels(ag);
    cli_note("%s: %d target%s%s", ag->config.path, n, n == 1 ? "" : "s", same);
    notify_send("READY=1\nSTATUS=%d target%s of %s", n, n == 1 ? "" : "s", ag->config.path);
}

/* What would turn out when it is measured; with words. */
static bool has_fault(const struct agent_target *t, struct err *err) {
    const int rc = collect_try(&t->args, err);
    return rc < 0 && rc != -EACCES && rc != -EPERM; /* who asks may not count: the agent may */
}

static void say_fault(const struct agent_target *t, const struct err *err) {
    cli_about(t->name);
    cli_error(err);
    cli_about("");
}

static bool is_same_target(const struct agent_target *a, const struct agent_target *b) {
    bool same = strcmp(a->name, b->name) == 0 && a->words.list.n == b->words.list.n;
    for (size_t i = 0; same && i < a->words.list.n; i++)
        same = strcmp(a->words.list.at[i], b->words.list.at[i]) == 0;
    return same;
}

/* Moves the first that is watched and like that, or has its name, to *at. */
static bool take(struct agent *ag, const struct agent_target *like, bool by_name,
                 struct watched **at) {
    for (int i = 0; i < ag->config.n_target && !*at; i++) {
        struct watched *w = ag->at[i];
        if (!is_watched(w) ||
            !(by_name ? strcmp(w->target.name, like->name) == 0 : is_same_target(&w->target, like)))
            continue;
        *at = w;
        ag->at[i] = NULL;
    }
    return *at;
}

/* Moves what is to go on from ag to at: what the other file has alike, and what would have a fault
 * there that only this machine finds. Returns how many. */
static int take_same(struct agent *ag, const struct agent_config *next, struct watched **at) {
    int n = 0;
    if (is_published(&ag->config) != is_published(next))
        return 0;
    for (int k = 0; k < next->n_target; k++)
        n += take(ag, &next->target[k], false, &at[k]);
    pthread_mutex_lock(&ag->shared.opens);
    for (int k = 0; k < next->n_target; k++) {
        const struct agent_target *t = &next->target[k];
        struct err err = {0};
        if (!at[k] && has_fault(t, &err) && take(ag, t, true, &at[k])) {
            say_fault(t, &err);
            cli_note("%s: goes on as it was", t->name);
            n++;
        }
        notify_send("WATCHDOG=1");
    }
    pthread_mutex_unlock(&ag->shared.opens);
    return n;
}

/* A file that is wrong changes nothing, and a target that is as before goes on. */
static void reread(struct agent *ag, const char *path) {
    struct agent_config next;
    struct watched **at = NULL;
    struct err err = {0};
    int rc = agent_config_read(&next, path, &err);
    if (rc == 0 && !(at = calloc((size_t)next.n_target, sizeof(*at))))
        rc = err_set(&err, -ENOMEM, "out of memory for the targets");
    if (rc == 0)
        rc = republish(ag, &next, &err);
    if (rc < 0) {
        cli_error(&err);
        cli_note("goes on with what it had");
        agent_config_free(&next);
        free(at);
        return;
    }
    notify_send("RELOADING=1\nMONOTONIC_USEC=%llu", (unsigned long long)(clock_now_ns() / 1000));
    const int n_same = take_same(ag, &next, at);
    end_all(ag->at, ag->config.n_target);
    pthread_mutex_lock(&ag->shared.stores);
    if (n_same == 0) /* also where db is another */
        run_pick_close(&ag->shared.pick);
    pthread_mutex_unlock(&ag->shared.stores);
    agent_config_free(&ag->config);
    ag->config = next;
    ag->at = at;
    ag->clean_ns = 0;
    begin_rest(ag);
    say_ready(ag, n_same);
}

/* Until it is stopped, or nothing is left to be watched. */
static void loop(struct agent *ag, const char *path, int signal_fd) {
    const uint64_t watchdog_ns = notify_watchdog_ns();
    bool said = false;
    while (has_any(ag)) {
        struct pollfd fd = {.fd = signal_fd, .events = POLLIN};
        const uint64_t now = clock_now_ns();
        if (now >= ag->clean_ns)
            clean(ag);
        const char *name = stuck(ag);
        if (!name)
            notify_send("WATCHDOG=1");
        else if (!said)
            cli_note("%s: has not come back for a minute", name);
        said = name;
        const uint64_t ms = watchdog_ns ? watchdog_ns / NS_PER_MS : 10000;
        const int own = ms < 10000 ? (int)ms + 1 : 10000, file = publish_turn(&ag->publish);
        poll(&fd, 1, file >= 0 && file < own ? file : own);
        const int sig = stop_which(signal_fd);
        if (sig == SIGHUP)
            reread(ag, path);
        else if (sig)
            return;
    }
}

/* Of a server also whether it takes runs; nothing is made there. */
static int check_store(const char *db, struct err *err) {
    static const enum store_mode modes[] = {STORE_READ, STORE_WRITE};
    struct stat s;
    int rc = 0;
    if (db && !store_is_server(db) && stat(db, &s) == 0 && S_ISDIR(s.st_mode))
        return err_set(err, -EISDIR, "db: %s is a folder; name a file in it", db);
    for (int i = 0; i < 2 && rc == 0 && db && store_is_server(db); i++) {
        struct store st;
        rc = store_open(&st, db, modes[i], err);
        store_close(&st);
    }
    return rc;
}

static int dry_run(const struct agent_config *c, struct err *err) {
    int rc = check_store(c->db, err);
    if (rc == 0)
        rc = publish_check(&c->publish, err);
    if (rc < 0)
        cli_error(err);
    for (int i = 0; i < c->n_target; i++) {
        struct err why = {0};
        if (has_fault(&c->target[i], &why)) {
            say_fault(&c->target[i], &why);
            rc = -EINVAL;
        }
    }
    if (rc < 0)
        return EXIT_ERROR;
    printf("%s: %d target%s\n", c->path, c->n_target, c->n_target == 1 ? "" : "s");
    return cli_finish(EXIT_OK);
}

int verb_agent(const struct args *a) {
    struct agent ag = {
        .shared = {.opens = PTHREAD_MUTEX_INITIALIZER, .stores = PTHREAD_MUTEX_INITIALIZER}};
    struct err err = {0};
    cli_journal();
    mallopt(M_ARENA_MAX, 1); /* many threads that hardly work */
    /* What is large is given back when it is freed, and comes as pages that are not there yet. */
    mallopt(M_MMAP_THRESHOLD, 32 * 1024);
    int rc = agent_config_read(&ag.config, a->config, &err);
    if (rc == 0 && a->dry_run) {
        const int code = dry_run(&ag.config, &err);
        agent_config_free(&ag.config);
        return code;
    }
    const int signal_fd = rc == 0 ? stop_open() : -1;
    exposition_init(&ag.exposition);
    if (rc == 0)
        rc = publish_as(&ag, &ag.config, &err);
    ag.at = rc == 0 ? calloc((size_t)ag.config.n_target, sizeof(*ag.at)) : NULL;
    if (rc == 0 && !ag.at)
        rc = err_set(&err, -ENOMEM, "out of memory for the targets");
    if (rc == 0) {
        begin_rest(&ag);
        begin_sending(&ag);
        say_ready(&ag, 0);
        loop(&ag, a->config, signal_fd);
        notify_send("STOPPING=1");
        const bool left = has_any(&ag);
        end_all(ag.at, ag.config.n_target);
        end_sending(&ag);
        run_pick_close(&ag.shared.pick);
        if (!left)
            rc = err_set(&err, -ESRCH, "nothing is left to be watched");
    }
    if (rc < 0)
        cli_error(&err);
    stop_close(signal_fd);
    publish_close(&ag.publish);
    exposition_destroy(&ag.exposition);
    agent_config_free(&ag.config);
    return rc == 0 ? EXIT_OK : EXIT_ERROR;
}
