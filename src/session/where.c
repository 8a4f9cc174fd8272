/* Opening, closing, and what an update does. The other files of where_impl.h hold its parts. */
#include "session/where.h"

#include "base/clock.h"
#include "base/str.h"
#include "base/thread.h"
#include "session/where_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening ---- */

/* Why there is no code to sample; NULL: there is. */
static const char *no_code(const struct session *s) {
    return s->source.simulated
               ? "a simulated core runs no code that could be sampled: tdtop -p PID, "
                 "or -- COMMAND, measures a real one"
           : !s->source.live ? "what is recorded has counts, but no samples of code: measure the "
                               "program itself to see where it spends them"
                             : NULL;
}

static int open_target(struct where_live *w, struct err *err) {
    struct target t = w->s->source.opt.target;
    struct rlimit files;
    char pid[16];
    if (t.kind == TARGET_NONE)
        return err_set(err, -EINVAL, "there is no target to sample");
    if (t.kind == TARGET_COMMAND) { /* it runs already */
        snprintf(pid, sizeof(pid), "%d", (int)w->s->source.command);
        t.kind = TARGET_PIDS;
        t.pids = pid;
    }
    t.waits = false;
    getrlimit(RLIMIT_NOFILE, &files);
    return target_open(&w->target, &t, &files, err);
}

/* Where addresses are asked for, and the event of the node has none: the one that has. */
static void choose_event(struct where_live *w, const struct machine *mc, struct locate *l) {
    w->no_accesses[0] = '\0';
    if (w->off_cpu && locate_named(l, mc, "", NULL, "off-cpu") == 0)
        return;
    locate_events(l, mc, "", &w->s->model, w->node);
    if (!w->accesses || locate_is_access(l) || locate_accesses(l, mc, "") == 0)
        return;
    str_copy(w->no_accesses, sizeof(w->no_accesses),
             mc->n_core ? "no event of this CPU tells which address a load goes to"
                        : "there is no PMU that could tell them");
    locate_events(l, mc, "", &w->s->model, w->node);
}

static int open_sampling(struct where_live *w, struct err *err) {
    struct found {
        struct machine mc;
        struct locate locate;
    } *f = calloc(1, sizeof(*f));
    if (!f)
        return err_set(err, -ENOMEM, "out of memory for samples");
    machine_detect(&f->mc, "");
    int rc = f->mc.n_core > 1 && w->s->pmu[0] ? machine_choose(&f->mc, w->s->pmu, err) : 0;
    if (rc == 0) {
        choose_event(w, &f->mc, &f->locate);
        const struct sampling_options opt = {.target = &w->target,
                                             .list = &f->locate,
                                             .n_list = 1,
                                             .paranoid = f->mc.paranoid,
                                             .stacks = true,
                                             .branches =
                                                 w->branches || locate_is_mispredict(&f->locate),
                                             .memory = locate_is_access(&f->locate),
                                             .user_only = w->s->source.opt.target.user_only};
        rc = sampling_open(&w->sampling, &opt, err);
    }
    free(f);
    return rc;
}

static void forget_counts(struct where_live *w) {
    for (uint32_t i = 0; i < w->n_function; i++)
        w->function[i].count = (struct hot_count){0};
    w->n_leaf = w->n_node = w->n_branch = w->n_access = w->n_row = w->n_block = w->n_pending = 0;
    w->total = (struct tally_total){0};
    where_lines_forget(w);
}

/* Modules have other numbers with other samples. */
static void forget_functions(struct where_live *w) {
    where_live_ask(w, WHERE_NONE);
    forget_counts(w);
    w->n_function = 0;
    if (w->hash)
        memset(w->hash, 0, w->n_hash * sizeof(*w->hash));
    tally_copy_free(&w->copy);
    w->copy = (struct tally_copy){0};
    w->leaf_count = w->node_count = NULL;
}

static void *close_it(void *user) {
    sampling_close(user);
    return NULL;
}

/* By a thread: the kernel takes milliseconds for each descriptor of an event. */
static void close_sampling(struct where_live *w) {
    if (w->closing)
        pthread_join(w->closer, NULL);
    w->closing = w->sampling && thread_start(&w->closer, "tdtop-close", close_it, w->sampling) == 0;
    if (!w->closing)
        sampling_close(w->sampling);
    w->sampling = NULL;
    target_close(&w->target);
    w->target = (struct target_set){0};
    w->due_ns = 0;
}

static void drop_kept(struct where_live *w, size_t i) {
    hot_free(&w->kept.at[i].hot);
    memmove(&w->kept.at[i], &w->kept.at[i + 1], (--w->kept.n - i) * sizeof(*w->kept.at));
}

/* What was sampled stays for a snapshot, but the oldest of many. */
static void keep(struct where_live *w) {
    struct where_kept k = {.begin_ns = w->info.begin_ns, .end_ns = clock_now_ns()};
    if (!w->sampling || sampling_read(w->sampling, &w->copy) < 0 || w->copy.total.all.n == 0)
        return;
    if (w->kept.n == WHERE_KEPT)
        drop_kept(w, 0);
    if (where_to_hot(w, (struct where_span){0}, &k.hot) == 0 && array_push(&w->kept, k) < 0)
        hot_free(&k.hot);
}

bool where_live_open(struct where_live *w, const struct session *s, int node) {
    struct err err = {0};
    const char *none = no_code(s);
    keep(w);
    close_sampling(w);
    forget_functions(w);
    w->s = s;
    w->node = node;
    w->stored = NULL;
    w->tried = true;
    w->lack[0] = '\0';
    w->info = (struct sampling_info){0};
    int rc = none ? err_set(&err, -ENOTSUP, "%s", none) : open_target(w, &err);
    if (rc == 0)
        rc = open_sampling(w, &err);
    if (rc == 0 && !w->names && names_open(&w->names, NULL) < 0)
        rc = err_set(&err, -ENOMEM, "out of memory for names");
    if (rc < 0) {
        close_sampling(w);
        str_copy(w->lack, sizeof(w->lack), err.text);
        return false;
    }
    sampling_info(w->sampling, &w->info);
    w->now_ns = w->info.begin_ns;
    return true;
}

void where_live_show(struct where_live *w, const struct hot *h, const struct session *s, int node) {
    where_live_close(w);
    forget_functions(w);
    w->s = s;
    w->node = node;
    w->tried = true;
    w->stored = h;
    w->lack[0] = '\0';
    if ((!w->names && names_open(&w->names, NULL) < 0) || where_stored_read(w) < 0)
        str_copy(w->lack, sizeof(w->lack), "out of memory for samples");
}

void where_live_close(struct where_live *w) {
    keep(w);
    close_sampling(w);
    w->tried = false;
}

void where_live_destroy(struct where_live *w) {
    close_sampling(w);
    if (w->closing)
        pthread_join(w->closer, NULL);
    where_live_ask(w, WHERE_NONE);
    names_close(w->names);
    tally_copy_free(&w->copy);
    while (w->kept.n)
        drop_kept(w, w->kept.n - 1);
    array_free(&w->kept);
    where_lines_free(w);
    free(w->function);
    free(w->row);
    free(w->block);
    free(w->block_of);
    free(w->leaf_function);
    free(w->node_function);
    free(w->from_function);
    free(w->to_function);
    free(w->span_count);
    free(w->access);
    free(w->hash);
    *w = (struct where_live){0};
}

void where_live_reset(struct where_live *w) {
    if (!w->sampling)
        return;
    sampling_reset(w->sampling);
    sampling_info(w->sampling, &w->info);
    w->info.begin_ns = clock_now_ns();
    forget_counts(w);
    w->due_ns = 0;
}

/* ---- where samples are from ---- */

static const struct hot_thread *thread_of(const struct hot *h, pid_t tid) {
    for (size_t i = 0; i < h->thread.n; i++)
        if (h->thread.at[i].tid == tid)
            return &h->thread.at[i];
    return NULL;
}

bool where_comm(const struct where_live *w, pid_t pid, pid_t tid, char name[COMM_SIZE]) {
    const struct hot_thread *t = w->stored ? thread_of(w->stored, tid) : NULL;
    if (!w->stored)
        return w->sampling && sampling_comm(w->sampling, pid, tid, name);
    str_copy(name, COMM_SIZE, t ? t->name : "");
    return name[0] != '\0';
}

/* ---- now ---- */

/* What has its name may come again. */
static bool follows(const struct where_live *w) {
    return w->tried && !w->stored && w->s && w->s->source.live && w->s->source.opt.target.follows;
}

static bool awaits_listing(const struct where_live *w) {
    return w->open >= 0 && !w->listing && w->listing_rc == -EAGAIN;
}

/* What is stored changes when it was asked for something. */
static bool awaits(const struct where_live *w) {
    return !w->lack[0] &&
           (w->due_ns == 0 || w->n_pending || where_lines_wait(w) || awaits_listing(w));
}

/* Later a share changes slowly, names are those of small ones, and the picture that the screen
 * makes anyway shows all that. */
static bool is_slow(const struct where_live *w) {
    return !w->stored && !awaits_listing(w) && w->now_ns - w->info.begin_ns >= 5 * NS_PER_S;
}

uint64_t where_live_due(const struct where_live *w) {
    const bool due = w->stored ? awaits(w) : w->sampling || follows(w);
    const uint64_t at = w->due_ns + (is_slow(w) ? 500 * NS_PER_MS : 0);
    return due ? (w->due_ns ? at : 1) : 0;
}

/* The counts that are shown. False: no memory. */
static bool choose_counts(struct where_live *w) {
    const uint32_t n = w->copy.n_leaf + w->copy.n_node;
    w->leaf_count = w->copy.leaf_count;
    w->node_count = w->copy.node_count;
    w->total = w->copy.total;
    if (!w->span.to || w->stored)
        return true;
    if (n > w->cap_span) {
        struct hot_count *to = realloc(w->span_count, (n + n / 2) * sizeof(*to));
        if (!to)
            return false;
        w->span_count = to;
        w->cap_span = n + n / 2;
    }
    w->leaf_count = w->span_count;
    w->node_count = w->span_count + w->copy.n_leaf;
    tally_span(&w->copy, w->span.from, w->span.to, w->leaf_count, w->node_count, &w->total.all);
    return true;
}

static bool read_live(struct where_live *w, uint64_t now_ns) {
    if (sampling_read(w->sampling, &w->copy) < 0)
        return false;
    if (w->epoch != w->copy.epoch)
        w->n_leaf = w->n_node = w->n_branch = 0;
    w->epoch = w->copy.epoch;
    const uint64_t begin_ns = w->info.begin_ns;
    sampling_info(w->sampling, &w->info);
    w->info.begin_ns = begin_ns;
    w->now_ns = now_ns;
    return true;
}

bool where_live_update(struct where_live *w, uint64_t now_ns) {
    if (now_ns < w->due_ns || !where_live_due(w))
        return false;
    if (follows(w) && (!w->sampling || target_gone(&w->target))) {
        where_live_open(w, w->s, w->node); /* its successor, once it is there */
        w->due_ns = now_ns + NS_PER_S;
        return true;
    }
    w->due_ns = now_ns + (is_slow(w) ? 750 : 250) * NS_PER_MS;
    if (!w->stored && !read_live(w, now_ns))
        return false;
    if (!choose_counts(w) || !where_functions_find(w))
        return false;
    where_lines_update(w);
    where_sums_make(w);
    if (w->base)
        where_diff_rows(w);
    if (w->flame)
        where_flame_make(w);
    if (w->flame && w->base)
        where_diff_blocks(w);
    if (where_spots_take(w))
        where_spots_find(w);
    return true;
}
