/* From what is shown to what is kept with a run: no file is read for it. */
#include "base/clock.h"
#include "base/str.h"
#include "session/hot_take.h"
#include "session/where_impl.h"

#include <errno.h>
#include <stdlib.h>

static bool comm_of(void *user, pid_t pid, pid_t tid, char name[COMM_SIZE]) {
    return where_comm(user, pid, tid, name);
}

static bool line_of(void *user, uint32_t module, uint64_t start, const char **file,
                    uint32_t *line) {
    struct where_live *w = user;
    const struct where_function *f = where_function_find(w, module, start);
    if (!f || !f->path)
        return false;
    *file = f->path;
    *line = f->line_number;
    return true;
}

static bool branch_line_of(void *user, uint32_t branch, const char **file, uint32_t *line) {
    const struct where_line *l = where_line_at(user, WHERE_LINE_OF_BRANCH + branch, false);
    if (l) {
        *file = l->file;
        *line = l->line;
    }
    return l != NULL;
}

/* They are not known by second. */
static void leave_records(struct tally_copy *c, struct sampling_info *info) {
    c->n_branch = c->n_access = 0;
    c->total.data = (struct hot_count){0};
    c->total.n_no_line = 0;
    c->total.taken = (struct hot_taken){0};
    c->total.n_recorded = c->total.n_no_branch = 0;
    if (info->branches)
        str_copy(info->no_branches, sizeof(info->no_branches),
                 "kept with all samples, not with those of a part of the time");
    info->branches = false;
}

/* Counts of that time in place of those of all; the arrays are malloc'ed. */
static int cut(const struct tally_copy *all, struct where_span span, struct tally_copy *out,
               struct sampling_info *info) {
    *out = *all;
    out->leaf_count = calloc(all->n_leaf + 1u, sizeof(*out->leaf_count));
    out->node_count = calloc(all->n_node + 1u, sizeof(*out->node_count));
    if (!out->leaf_count || !out->node_count)
        return -ENOMEM;
    tally_span(all, span.from, span.to, out->leaf_count, out->node_count, &out->total.all);
    if (out->total.all.n < all->total.all.n) { /* of a part these are not known */
        const double part = (double)out->total.all.n / (double)all->total.all.n;
        out->total.n_exact = (uint64_t)((double)all->total.n_exact * part);
        out->total.n_no_leaf = out->leaf_count[TALLY_OTHER].n;
        out->total.n_cut = 0;
        leave_records(out, info);
    }
    return 0;
}

/* Those of the kernel and of no module, of what is kept. */
static void count_kinds(const struct where_live *w, struct tally_copy *c) {
    c->total.n_kernel = c->total.n_unknown = 0;
    for (uint32_t i = 1; i < c->n_leaf; i++) {
        struct module m;
        if (!c->leaf_count[i].n)
            continue;
        where_module(w, c->leaf[i].at.module, &m);
        if (m.kind == MODULE_KERNEL || m.kind == MODULE_KMODULE || m.kind == MODULE_BPF)
            c->total.n_kernel += c->leaf_count[i].n;
        else if (m.kind == MODULE_UNKNOWN)
            c->total.n_unknown += c->leaf_count[i].n;
    }
}

static double seconds_of(const struct where_live *w, struct where_span span) {
    const uint64_t begin = w->info.begin_ns, now = clock_now_ns();
    const uint64_t from = span.to && span.from * NS_PER_S > begin ? span.from * NS_PER_S : begin;
    const uint64_t to = span.to && span.to * NS_PER_S < now ? span.to * NS_PER_S : now;
    return to > from ? (double)(to - from) / 1e9 : 0;
}

/* What is open may be of another node by now; of waits only their event tells. */
static const char *asked_of(const struct where_live *w) {
    return w->info.n_event && w->info.event[0].off_cpu ? w->info.event[0].name
           : w->node == METRIC_NONE                    ? ""
                                                       : w->s->model.metric[w->node].name;
}

int where_to_hot(struct where_live *w, struct where_span span, struct hot *out) {
    struct tally_copy copy = w->copy;
    struct sampling_info info = w->info;
    char words[256];
    const uint32_t n = sampling_modules(w->sampling);
    struct module *module = calloc(n + 1u, sizeof(*module));
    int rc = module ? 0 : -ENOMEM;
    *out = (struct hot){0};
    if (rc == 0 && span.to)
        rc = cut(&w->copy, span, &copy, &info);
    for (uint32_t i = 0; rc == 0 && i < n; i++)
        sampling_module(w->sampling, i, &module[i]);
    if (rc == 0 && span.to)
        count_kinds(w, &copy);
    target_words(&w->target, words, sizeof(words));
    if (rc == 0)
        rc = hot_take(out,
                      &(struct hot_source){.copy = &copy,
                                           .info = &info,
                                           .module = module,
                                           .n_module = n,
                                           .comm = comm_of,
                                           .line = line_of,
                                           .branch_line = branch_line_of,
                                           .user = w},
                      w->names,
                      &(struct hot_options){.target = words,
                                            .asked = asked_of(w),
                                            .seconds = seconds_of(w, span),
                                            .user_asked = w->s->source.opt.target.user_only,
                                            .known = true});
    if (span.to) {
        free(copy.leaf_count);
        free(copy.node_count);
    }
    free(module);
    return rc;
}

/* To whole seconds, one at least; what goes beyond the samples has all of them. */
static struct where_span span_of(const struct where_live *w, uint64_t t0_ns, uint64_t t1_ns) {
    const uint64_t newest_s = w->copy.total.end_ns / NS_PER_S;
    const uint64_t from = t0_ns <= w->info.begin_ns ? 0 : (t0_ns + NS_PER_S / 2) / NS_PER_S;
    const uint64_t to =
        t1_ns >= w->copy.total.end_ns ? newest_s + 1 : (t1_ns + NS_PER_S / 2) / NS_PER_S;
    return (struct where_span){from, to > from ? to : from + 1};
}

static int give_kept(const struct where_kept *k, struct run *to) {
    struct hot copy;
    int rc = hot_copy(&copy, &k->hot);
    if (rc == 0 && (rc = array_push(&to->hot, copy)) < 0)
        hot_free(&copy);
    return rc;
}

static int give_live(struct where_live *w, uint64_t t0_ns, uint64_t t1_ns, struct run *to) {
    struct hot h;
    if (!w->sampling || sampling_read(w->sampling, &w->copy) < 0)
        return 0;
    const struct where_span span = span_of(w, t0_ns, t1_ns);
    if (tally_span(&w->copy, span.from, span.to, NULL, NULL, NULL) == 0)
        return 0;
    int rc = where_to_hot(w, span, &h);
    if (rc == 0 && (rc = array_push(&to->hot, h)) < 0)
        hot_free(&h);
    return rc;
}

int where_live_give(struct where_live *w, uint64_t t0_ns, uint64_t t1_ns, struct run *to) {
    int rc = 0;
    for (size_t i = w->kept.n; rc == 0 && i-- > 0;) /* the newest first */
        if (w->kept.at[i].begin_ns < t1_ns && w->kept.at[i].end_ns > t0_ns)
            rc = give_kept(&w->kept.at[i], to);
    return rc == 0 ? give_live(w, t0_ns, t1_ns, to) : rc;
}
