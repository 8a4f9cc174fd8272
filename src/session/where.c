/* Opening, closing, and the functions of samples; where_flame.c: their stacks. */
#include "session/where.h"

#include "base/clock.h"
#include "base/str.h"
#include "base/thread.h"
#include "model/stats/binomial.h"
#include "session/where_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double z_95 = 1.959964;

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
        locate_events(&f->locate, &f->mc, "", &w->s->model, w->node);
        const struct sampling_options opt = {.target = &w->target,
                                             .list = &f->locate,
                                             .n_list = 1,
                                             .paranoid = f->mc.paranoid,
                                             .stacks = true,
                                             .user_only = w->s->source.opt.target.user_only};
        rc = sampling_open(&w->sampling, &opt, err);
    }
    free(f);
    return rc;
}

static void forget_counts(struct where_live *w) {
    for (uint32_t i = 0; i < w->n_function; i++)
        w->function[i].count = (struct tally_count){0};
    w->n_leaf = w->n_node = w->n_row = w->n_block = w->n_pending = 0;
    w->total = (struct tally_total){0};
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

bool where_live_open(struct where_live *w, const struct session *s, int node) {
    struct err err = {0};
    const char *none = no_code(s);
    close_sampling(w);
    forget_functions(w);
    w->s = s;
    w->node = node;
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

void where_live_close(struct where_live *w) {
    close_sampling(w);
    w->tried = false;
}

void where_live_destroy(struct where_live *w) {
    where_live_close(w);
    if (w->closing)
        pthread_join(w->closer, NULL);
    where_live_ask(w, WHERE_NONE);
    names_close(w->names);
    tally_copy_free(&w->copy);
    free(w->function);
    free(w->row);
    free(w->block);
    free(w->leaf_function);
    free(w->node_function);
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

/* ---- functions ---- */

static uint32_t *place_of(struct where_live *w, uint32_t module, uint64_t start) {
    uint64_t h = (start + 1) * 0x9e3779b97f4a7c15ull ^ (uint64_t)module * 0xbf58476d1ce4e5b9ull;
    h ^= h >> 29;
    for (;; h++) {
        uint32_t *at = &w->hash[h & (w->n_hash - 1)];
        const struct where_function *f = *at ? &w->function[*at - 1] : NULL;
        if (!f || (f->module == module && f->start == start))
            return at;
    }
}

static bool make_room(struct where_live *w) {
    if (!w->hash) {
        w->n_hash = 2 * WHERE_FUNCTIONS;
        w->hash = calloc(w->n_hash, sizeof(*w->hash));
    }
    if (!w->hash)
        return false;
    if (w->n_function < w->cap_function)
        return true;
    const uint32_t cap = w->cap_function ? 2 * w->cap_function : 256;
    struct where_function *to = realloc(w->function, cap * sizeof(*to));
    if (!to)
        return false;
    w->function = to;
    uint32_t *row = realloc(w->row, cap * sizeof(*row));
    if (!row)
        return false;
    w->row = row;
    w->cap_function = cap;
    return true;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static bool is_kernel(enum module_kind kind) {
    return kind == MODULE_KERNEL || kind == MODULE_KMODULE || kind == MODULE_BPF;
}

/* "kernel", "xfs", "redis-server". */
static void name_file(struct where_function *f, const struct module *m) {
    char name[sizeof(f->file)];
    str_copy(name, sizeof(name), base_name(m->path ? m->path : ""));
    size_t n = strlen(name);
    if (name[0] == '[' && n > 2 && name[n - 1] == ']') {
        memmove(name, name + 1, n - 2);
        name[n - 2] = '\0';
    }
    str_safe(f->file, sizeof(f->file), name);
}

/* The function with that beginning, a new one if there is none: WHERE_REST if there is no room. */
static struct where_function *add(struct where_live *w, uint32_t module, uint64_t start,
                                  bool *fresh) {
    *fresh = false;
    if (!make_room(w))
        return NULL;
    if (w->n_function == 0)
        w->function[w->n_function++] = (struct where_function){
            .module = TALLY_PROCESS, .start = UINT64_MAX, .text = "all others"};
    uint32_t *at = place_of(w, module, start);
    if (*at)
        return &w->function[*at - 1];
    if (w->n_function >= WHERE_FUNCTIONS || !make_room(w))
        return &w->function[WHERE_REST];
    *fresh = true;
    *at = ++w->n_function;
    struct where_function *f = &w->function[*at - 1];
    *f = (struct where_function){.module = module, .start = start};
    return f;
}

/* What calls all of a process. */
static struct where_function *add_process(struct where_live *w, uint64_t pid) {
    char comm[COMM_SIZE] = "";
    bool fresh;
    struct where_function *f = add(w, TALLY_PROCESS, pid, &fresh);
    if (!f || !fresh)
        return f;
    if (sampling_comm(w->sampling, (pid_t)pid, (pid_t)pid, comm))
        str_safe(f->text, sizeof(f->text), comm);
    else
        snprintf(f->text, sizeof(f->text), "process %" PRIu64, pid);
    return f;
}

/* Of a place; *again: a name may still come. */
static struct where_function *find(struct where_live *w, const struct place *at, bool *again) {
    struct module m;
    struct function known = {0};
    bool fresh;
    *again = false;
    if (at->module == TALLY_PROCESS)
        return add_process(w, at->offset);
    sampling_module(w->sampling, at->module, &m);
    const bool unknown = m.kind == MODULE_UNKNOWN; /* return addresses that are none */
    const int rc = unknown ? -ENOENT : names_peek(w->names, &m, at->offset, &known);
    struct where_function *f = add(w, at->module,
                                   rc == 0   ? known.start
                                   : unknown ? 0
                                             : at->offset,
                                   &fresh);
    if (!f || f == &w->function[WHERE_REST])
        return f;
    *again = rc == -EAGAIN || (rc < 0 && m.kind == MODULE_JIT);
    f->pending = rc == -EAGAIN;
    if (fresh) {
        f->kernel = is_kernel(m.kind);
        name_file(f, &m);
    }
    if (rc == 0) {
        f->name = known.name;
        if (known.kmodule)
            str_safe(f->file, sizeof(f->file), known.kmodule);
    } else if (unknown) {
        str_copy(f->text, sizeof(f->text), "[unknown]");
    } else if (!f->name) {
        snprintf(f->text, sizeof(f->text), "%.40s+0x%" PRIx64, f->file, at->offset);
    }
    return f;
}

static bool grow(int32_t **of, uint32_t *cap, uint32_t n) {
    if (n <= *cap)
        return true;
    const uint32_t to = n + n / 2 + 256;
    int32_t *p = realloc(*of, to * sizeof(*p));
    if (!p)
        return false;
    *of = p;
    *cap = to;
    return true;
}

/* Numbers below -1 are ~function: known so far, to be asked again. */
static int32_t found(struct where_live *w, const struct place *at, int32_t was) {
    bool again;
    if (was >= 0)
        return was;
    const struct where_function *f = find(w, at, &again);
    if (!f)
        return WHERE_NONE;
    w->n_pending += again;
    const int32_t i = (int32_t)(f - w->function);
    return again && i > 0 ? ~i : i;
}

uint32_t where_of(int32_t function) {
    return (uint32_t)(function >= 0 ? function : ~function);
}

static bool find_functions(struct where_live *w) {
    const struct tally_copy *c = &w->copy;
    if (!grow(&w->leaf_function, &w->cap_leaf, c->n_leaf) ||
        !grow(&w->node_function, &w->cap_node, c->n_node))
        return false;
    w->n_pending = 0;
    for (uint32_t i = 0; i < c->n_leaf; i++) {
        const int32_t was = i < w->n_leaf ? w->leaf_function[i] : WHERE_NONE;
        w->leaf_function[i] = i == TALLY_OTHER ? WHERE_REST : found(w, &c->leaf[i].at, was);
    }
    w->n_leaf = c->n_leaf;
    for (uint32_t i = 0; i < c->n_node && w->flame; i++) {
        const int32_t was = i < w->n_node ? w->node_function[i] : WHERE_NONE;
        w->node_function[i] = i == TALLY_ROOT ? WHERE_REST : found(w, &c->node[i].at, was);
    }
    w->n_node = w->flame ? c->n_node : 0;
    return true;
}

/* ---- sums ---- */

static void sum_leaf(struct where_live *w, uint32_t i) {
    const struct tally_count *c = &w->copy.leaf_count[i];
    const struct tally_leaf *leaf = &w->copy.leaf[i];
    if (c->n == 0 || w->leaf_function[i] == WHERE_NONE)
        return;
    struct where_function *f = &w->function[where_of(w->leaf_function[i])];
    f->count.n += c->n;
    f->count.weight += c->weight;
    f->count.square += c->square;
    if (c->weight > f->hottest_weight) {
        f->hottest_weight = c->weight;
        f->hottest = leaf->at.offset;
    }
    if (c->weight > f->thread_weight) {
        f->thread_weight = c->weight;
        f->pid = leaf->pid;
        f->tid = leaf->tid;
    }
}

static void judge(struct where_live *w, struct where_function *f) {
    const struct tally_count *all = &w->total.all;
    char comm[COMM_SIZE] = "";
    f->share = f->low = f->high = NAN;
    if (f->count.n >= WHERE_LEAST && all->weight > 0) {
        const double share = f->count.weight / all->weight;
        const struct binomial in = binomial_wilson(share, tally_effective(all), z_95);
        f->share = share;
        f->low = in.low;
        f->high = in.high;
    }
    if (f->thread_of != f->tid && sampling_comm(w->sampling, f->pid, f->tid, comm)) {
        str_safe(f->thread, sizeof(f->thread), comm);
        f->thread_of = f->tid;
    }
}

static int by_weight(const void *a, const void *b, void *user) {
    const struct where_live *w = user;
    const struct where_function *x = &w->function[*(const uint32_t *)a],
                                *y = &w->function[*(const uint32_t *)b];
    return x->count.weight != y->count.weight ? (x->count.weight < y->count.weight ? 1 : -1)
                                              : (x > y) - (x < y);
}

static void add_up(struct where_live *w) {
    for (uint32_t i = 0; i < w->n_function; i++) {
        struct where_function *f = &w->function[i];
        f->count = (struct tally_count){0};
        f->hottest_weight = f->thread_weight = 0;
    }
    for (uint32_t i = 0; i < w->copy.n_leaf; i++)
        sum_leaf(w, i);
    w->n_row = 0;
    for (uint32_t i = 0; i < w->n_function; i++)
        if (w->function[i].count.n) {
            judge(w, &w->function[i]);
            w->row[w->n_row++] = i;
        }
    qsort_r(w->row, w->n_row, sizeof(*w->row), by_weight, w);
}

/* ---- the function that is open ---- */

static void drop_spots(struct where_live *w) {
    free(w->spots.code);
    free(w->spots.line);
    w->spots = (struct where_spots){0};
    listing_free(w->listing);
    w->listing = NULL;
}

void where_live_ask(struct where_live *w, int function) {
    struct module m;
    drop_spots(w);
    w->listing_rc = -EAGAIN;
    w->open = function;
    if (function < 0 || (uint32_t)function >= w->n_function || !w->sampling)
        return;
    const struct where_function *f = &w->function[function];
    if (f->module == TALLY_PROCESS) {
        w->listing_rc = -ENOENT;
        return;
    }
    sampling_module(w->sampling, f->module, &m);
    const int rc = names_ask(w->names, &m, f->hottest);
    if (rc < 0)
        w->listing_rc = rc;
    w->due_ns = 0;
}

static bool take_listing(struct where_live *w) {
    if (w->open < 0 || w->listing || w->listing_rc != -EAGAIN)
        return w->listing != NULL;
    w->listing = names_take(w->names, &w->listing_rc);
    if (!w->listing)
        return false;
    w->spots.code = calloc(w->listing->code.n + 1, sizeof(double));
    w->spots.line = calloc(w->listing->text.n_line + 1, sizeof(double));
    if (!w->spots.code || !w->spots.line) {
        drop_spots(w);
        w->listing_rc = -ENOMEM;
    }
    return w->listing != NULL;
}

/* The instruction that has an offset, or n. */
static size_t instruction_at(const struct code *c, uint64_t offset) {
    size_t low = 0, high = c->n;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (c->at[mid].at + c->at[mid].length <= offset)
            low = mid + 1;
        else
            high = mid;
    }
    return low < c->n && c->at[low].at <= offset ? low : c->n;
}

/* The line of the file that is shown, 0: it is of another one. */
static uint32_t line_of(const struct listing *l, size_t instruction) {
    const struct line_table *t = &l->lines;
    for (uint32_t k = instruction < t->n ? t->first[instruction] : 0;
         instruction < t->n && k < t->first[instruction + 1]; k++)
        if (strcmp(t->frame[k].file, l->file) == 0)
            return t->frame[k].line;
    return 0;
}

static void find_spots(struct where_live *w) {
    struct where_spots *sp = &w->spots;
    const struct listing *l = w->listing;
    struct where_function *f = &w->function[w->open];
    const double all = f->count.weight;
    memset(sp->code, 0, l->code.n * sizeof(double));
    memset(sp->line, 0, (l->text.n_line + 1) * sizeof(double));
    sp->n = f->count.n;
    sp->hot_code = sp->hot_line = 0;
    uint32_t hot = 0;
    for (uint32_t i = 0; i < w->copy.n_leaf && all > 0; i++) {
        const struct tally_leaf *leaf = &w->copy.leaf[i];
        if (!w->copy.leaf_count[i].n || where_of(w->leaf_function[i]) != (uint32_t)w->open)
            continue;
        const size_t at = instruction_at(&l->code, leaf->at.offset);
        if (at == l->code.n)
            continue;
        sp->code[at] += w->copy.leaf_count[i].weight / all;
        if (sp->code[at] > sp->code[sp->hot_code])
            sp->hot_code = (uint32_t)at;
    }
    for (size_t i = 0; i < l->code.n; i++) {
        const uint32_t line = sp->code[i] > 0 ? line_of(l, i) : 0;
        if (i == sp->hot_code && line)
            hot = line;
        if (line == 0 || line > l->text.n_line)
            continue;
        sp->line[line] += sp->code[i];
        if (sp->line[line] > sp->line[sp->hot_line])
            sp->hot_line = line;
    }
    hot = sp->hot_line ? sp->hot_line : hot;
    if (hot)
        snprintf(f->line, sizeof(f->line), "%.48s:%u", base_name(l->file), hot);
}

const char *where_live_lack(struct where_live *w, int function, char *buf, size_t cap) {
    struct module m;
    buf[0] = '\0';
    if (!w->sampling || function < 0 || (uint32_t)function >= w->n_function ||
        w->function[function].module == TALLY_PROCESS)
        return buf;
    sampling_module(w->sampling, w->function[function].module, &m);
    return names_lack(w->names, &m, buf, cap);
}

/* ---- now ---- */

/* What has its name may come again. */
static bool follows(const struct where_live *w) {
    return w->tried && w->s && w->s->source.live && w->s->source.opt.target.follows;
}

uint64_t where_live_due(const struct where_live *w) {
    return w->sampling || follows(w) ? (w->due_ns ? w->due_ns : 1) : 0;
}

bool where_live_update(struct where_live *w, uint64_t now_ns) {
    if (now_ns < w->due_ns || !where_live_due(w))
        return false;
    if (follows(w) && (!w->sampling || target_gone(&w->target))) {
        where_live_open(w, w->s, w->node); /* its successor, once it is there */
        w->due_ns = now_ns + NS_PER_S;
        return true;
    }
    w->due_ns = now_ns + WHERE_UPDATE_NS;
    if (sampling_read(w->sampling, &w->copy) < 0)
        return false;
    if (w->epoch != w->copy.epoch)
        w->n_leaf = w->n_node = 0;
    w->epoch = w->copy.epoch;
    const uint64_t begin_ns = w->info.begin_ns;
    sampling_info(w->sampling, &w->info);
    w->info.begin_ns = begin_ns;
    w->total = w->copy.total;
    w->now_ns = now_ns;
    names_seen(w->names);
    if (!find_functions(w))
        return false;
    add_up(w);
    if (w->flame)
        where_flame_make(w);
    if (take_listing(w))
        find_spots(w);
    return true;
}
