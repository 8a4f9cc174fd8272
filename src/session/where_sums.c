/* Samples added up by what rows are: functions, source lines, threads. */
#include "base/str.h"
#include "model/stats/binomial.h"
#include "session/where_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double z_95 = 1.959964;

static uint64_t thread_key(const struct tally_leaf *leaf) {
    return (uint64_t)(uint32_t)leaf->pid << 32 | (uint32_t)leaf->tid;
}

bool where_shows(const struct where_live *w, const struct tally_leaf *leaf) {
    return !w->only || thread_key(leaf) == w->only;
}

/* ---- the row of a place ---- */

static uint32_t number_of(const struct where_live *w, const struct where_function *f) {
    return f ? (uint32_t)(f - w->function) : WHERE_REST;
}

enum { NO_LINE_SHIFT = 32 }; /* rows of places whose line is not known: one for each function */

static void name_line_row(struct where_function *row, const struct where_line *l,
                          const struct where_function *of) {
    if (l)
        snprintf(row->text, sizeof(row->text), "%.48s:%u", str_base_name(l->file), l->line);
    else
        str_copy(row->text, sizeof(row->text), where_function_name(of));
    str_copy(row->file, sizeof(row->file), of->file);
    row->kernel = of->kernel;
    row->pending = of->pending;
}

static uint32_t line_row(struct where_live *w, uint32_t leaf, uint32_t function) {
    const struct where_line *l = where_line_at(w, leaf, true);
    const uint64_t key = l ? where_line_number(w, l) : (uint64_t)function << NO_LINE_SHIFT;
    bool fresh;
    struct where_function *f = where_function_add(w, WHERE_LINE, key, &fresh);
    if (f && f != &w->function[WHERE_REST] && (fresh || f->pending))
        name_line_row(f, l, &w->function[function]);
    return number_of(w, f);
}

static uint32_t thread_row(struct where_live *w, const struct tally_leaf *leaf) {
    char comm[COMM_SIZE] = "", safe[32];
    bool fresh;
    struct where_function *f = where_function_add(w, WHERE_THREAD, thread_key(leaf), &fresh);
    if (f && fresh) {
        where_comm(w, leaf->pid, leaf->tid, comm);
        snprintf(f->text, sizeof(f->text), "%s %d",
                 comm[0] ? str_safe(safe, sizeof(safe), comm) : "thread", (int)leaf->tid);
    }
    return number_of(w, f);
}

static uint32_t row_of(struct where_live *w, uint32_t leaf, uint32_t function) {
    if (leaf == TALLY_OTHER || (w->by != WHERE_BY_LINE && w->by != WHERE_BY_THREAD))
        return function;
    return w->by == WHERE_BY_LINE ? line_row(w, leaf, function)
                                  : thread_row(w, &w->copy.leaf[leaf]);
}

static bool is_row(const struct where_live *w, uint32_t i) {
    static const uint32_t module[] = {[WHERE_BY_LINE] = WHERE_LINE,
                                      [WHERE_BY_THREAD] = WHERE_THREAD,
                                      [WHERE_BY_BRANCH] = WHERE_BRANCH,
                                      [WHERE_BY_ACCESS] = WHERE_CACHE_LINE};
    const struct where_function *f = &w->function[i];
    if (f->count.n == 0)
        return false;
    return (i == WHERE_REST && w->by != WHERE_BY_BRANCH && w->by != WHERE_BY_ACCESS) ||
           (w->by == WHERE_BY_FUNCTION ? f->module <= WHERE_MODULE_MOST
                                       : f->module == module[w->by]);
}

/* ---- sums ---- */

static void add(struct where_function *f, const struct hot_count *c, const struct tally_leaf *leaf,
                uint32_t i, uint32_t function) {
    hot_add(&f->count, c);
    if (c->weight > f->hottest_weight) {
        f->hottest_weight = c->weight;
        f->hottest = leaf->at.offset;
        f->hottest_leaf = i;
        f->top = function;
    }
    if (c->weight > f->thread_weight) {
        f->thread_weight = c->weight;
        f->pid = leaf->pid;
        f->tid = leaf->tid;
    }
}

/* Functions have their sums whatever rows are: one of them may be open. */
static void sum_leaf(struct where_live *w, uint32_t i) {
    const struct hot_count *c = &w->leaf_count[i];
    const struct tally_leaf *leaf = &w->copy.leaf[i];
    if (c->n == 0 || w->leaf_function[i] == WHERE_NONE || !where_shows(w, leaf))
        return;
    const uint32_t function = where_of(w->leaf_function[i]);
    const uint32_t row = row_of(w, i, function); /* the table may move */
    add(&w->function[function], c, leaf, i, function);
    if (row != function)
        add(&w->function[row], c, leaf, i, function);
}

/* ---- branches ---- */

static void name_branch(const struct where_live *w, struct where_function *row) {
    const struct where_function *from = &w->function[row->top], *to = &w->function[row->taken.to];
    snprintf(row->text, sizeof(row->text), "%.28s > %.28s", where_function_name(from),
             where_function_name(to));
    str_copy(row->file, sizeof(row->file), from->file);
    row->kernel = from->kernel;
    row->pending = from->pending || to->pending;
}

static void add_branch(struct where_live *w, uint32_t i) {
    const struct tally_branch *b = &w->copy.branch[i];
    const uint32_t from = where_of(w->from_function[i]), to = where_of(w->to_function[i]);
    bool fresh;
    struct where_function *f = where_function_add(w, WHERE_BRANCH, i, &fresh);
    if (!f || f == &w->function[WHERE_REST])
        return;
    const bool other = fresh || f->pending || f->top != from || f->taken.to != to;
    f->count = (struct hot_count){b->count.n, b->count.missed, 0};
    f->taken.count = b->count;
    f->taken.to = to;
    f->top = from;
    f->hottest = b->from.offset;
    f->hottest_leaf = WHERE_LINE_OF_BRANCH + i;
    if (other)
        name_branch(w, f);
}

static void judge_branch(const struct where_live *w, struct where_function *f) {
    struct where_taken *t = &f->taken;
    struct binomial in;
    f->share = hot_missed_share(&t->count, &w->copy.total.taken, &in);
    f->low = in.low;
    f->high = in.high;
    t->rate = hot_missed_rate(&t->count, &in);
    t->low = in.low;
    t->high = in.high;
}

/* ---- rows ---- */

static void name_line(const struct where_live *w, struct where_function *f) {
    const struct where_line *l = f->module <= WHERE_MODULE_MOST || f->module == WHERE_BRANCH
                                     ? where_line_at(w, f->hottest_leaf, false)
                                     : NULL;
    if (!l) /* what was known of a place that was hotter before stays */
        return;
    f->path = l->file;
    f->line_number = l->line;
    snprintf(f->line, sizeof(f->line), "%.48s:%u", str_base_name(l->file), l->line);
}

static void judge(struct where_live *w, struct where_function *f) {
    const struct hot_count *all = f->module == WHERE_CACHE_LINE ? &w->total.data : &w->total.all;
    char comm[COMM_SIZE] = "";
    f->share = f->low = f->high = NAN;
    f->change = (struct where_change){NAN, NAN, NAN, NAN, false};
    if (f->module == WHERE_BRANCH) {
        judge_branch(w, f);
    } else if ((f->count.n >= WHERE_LEAST || w->info.event[0].off_cpu) && all->weight > 0) {
        const double share = f->count.weight / all->weight;
        const struct binomial in = binomial_wilson(share, hot_effective(all), z_95);
        f->share = share;
        f->low = in.low;
        f->high = in.high;
    }
    if (f->module != WHERE_BRANCH && f->thread_of != f->tid &&
        where_comm(w, f->pid, f->tid, comm)) {
        str_safe(f->thread, sizeof(f->thread), comm);
        f->thread_of = f->tid;
    }
    name_line(w, f);
}

static int by_weight(const void *a, const void *b, void *user) {
    const struct where_live *w = user;
    const struct where_function *x = &w->function[*(const uint32_t *)a],
                                *y = &w->function[*(const uint32_t *)b];
    if (x->module == WHERE_BRANCH && y->module == WHERE_BRANCH) {
        const int order = hot_taken_order(&x->taken.count, &y->taken.count);
        return order ? order : (x > y) - (x < y);
    }
    return x->count.weight != y->count.weight ? (x->count.weight < y->count.weight ? 1 : -1)
                                              : (x > y) - (x < y);
}

void where_sums_make(struct where_live *w) {
    for (uint32_t i = 0; i < w->n_function; i++) {
        struct where_function *f = &w->function[i];
        f->count = (struct hot_count){0};
        f->hottest_weight = f->thread_weight = 0;
    }
    for (uint32_t i = 0; i < w->copy.n_leaf; i++)
        sum_leaf(w, i);
    for (uint32_t i = 0; i < w->n_branch && w->by == WHERE_BY_BRANCH; i++)
        add_branch(w, i);
    if (!where_access_make(w))
        w->n_access = 0;
    w->n_row = 0;
    for (uint32_t i = 0; i < w->n_function; i++)
        if (is_row(w, i)) {
            judge(w, &w->function[i]);
            w->row[w->n_row++] = i;
        }
    if (w->n_row)
        qsort_r(w->row, w->n_row, sizeof(*w->row), by_weight, w);
}

int where_row_function(const struct where_live *w, int row) {
    if (row < 0 || (uint32_t)row >= w->n_function)
        return WHERE_NONE;
    const struct where_function *f = &w->function[row];
    if (f->module == WHERE_LINE || f->module == WHERE_THREAD || f->module == WHERE_BRANCH ||
        f->module == WHERE_CACHE_LINE)
        return f->top ? (int)f->top : WHERE_NONE;
    return f->module <= WHERE_MODULE_MOST ? row : WHERE_NONE;
}
