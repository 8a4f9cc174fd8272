#include "model/hot/hot_access.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *data_source_name(enum data_source s) {
    static const char *const names[] = {[DATA_UNKNOWN] = "",
                                        [DATA_L1] = "L1",
                                        [DATA_FILL_BUFFER] = "fill buffer",
                                        [DATA_L2] = "L2",
                                        [DATA_L3] = "L3",
                                        [DATA_OTHER_CORE] = "other core",
                                        [DATA_DRAM] = "DRAM",
                                        [DATA_REMOTE_CACHE] = "remote cache",
                                        [DATA_REMOTE_DRAM] = "remote DRAM",
                                        [DATA_SLOW] = "CXL or I/O"};
    return (unsigned)s < DATA_SOURCES ? names[s] : "";
}

enum data_source data_source_named(const char *name) {
    for (int i = DATA_UNKNOWN + 1; i < DATA_SOURCES; i++)
        if (strcmp(data_source_name((enum data_source)i), name) == 0)
            return (enum data_source)i;
    return DATA_UNKNOWN;
}

double access_cycles(const struct access_count *c) {
    return c->n_timed ? (double)c->cycles / (double)c->n_timed : (double)NAN;
}

void access_by_source(const struct hot_access *a, size_t n, struct access_count by[DATA_SOURCES]) {
    for (size_t i = 0; i < n; i++)
        access_add(&by[a[i].source], &a[i].sum);
}

void access_sum_add(struct access_sum *to, const struct hot_access *a) {
    access_add(&to->all, &a->sum);
    to->from[a->source] += a->sum.count.weight;
}

enum data_source access_mostly(const struct access_sum *s, double *share) {
    enum data_source most = DATA_UNKNOWN;
    double known = 0;
    for (int i = DATA_UNKNOWN + 1; i < DATA_SOURCES; i++) {
        known += s->from[i];
        if (s->from[i] > (most == DATA_UNKNOWN ? 0 : s->from[most]))
            most = (enum data_source)i;
    }
    *share = most == DATA_UNKNOWN ? (double)NAN : s->from[most] / known;
    return most;
}

/* ---- lines ---- */

static int by_line(const void *a, const void *b) {
    const struct hot_access *x = a, *y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->space != y->space)
        return x->space < y->space ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->function > y->function) - (x->function < y->function);
}

static int by_function(const void *a, const void *b) {
    const struct hot_access *x = a, *y = b;
    return (x->function > y->function) - (x->function < y->function);
}

static int by_weight(const void *a, const void *b) {
    const struct access_line *x = a, *y = b;
    const double wx = x->sum.all.count.weight, wy = y->sum.all.count.weight;
    return wx != wy ? (wx < wy ? 1 : -1) : (x->line > y->line) - (x->line < y->line);
}

/* Of the samples of a line, so that a thread counts for its sharing. */
enum { SHARED_LEAST = 2, SHARED_PART = 50 };

static bool is_contended(const struct access_sum *s) {
    return s->all.n_store || s->from[DATA_OTHER_CORE] + s->from[DATA_REMOTE_CACHE] > 0;
}

/* Accesses of one line, thread by thread: who has most of it, and whether they meet. */
static void look_at_threads(struct access_line *l, const struct hot_access *a, size_t n) {
    bool meet = false;
    uint32_t n_counts = 0;
    uint64_t taken = 0;
    double most = -1;
    for (size_t i = 0, k; i < n; i = k) {
        struct hot_count of = {0};
        uint64_t bytes = 0;
        for (k = i; k < n && a[k].thread == a[i].thread; k++) {
            hot_add(&of, &a[k].sum.count);
            bytes |= a[k].bytes;
        }
        if (of.n >= SHARED_LEAST && of.n * SHARED_PART >= l->sum.all.count.n) {
            n_counts++;
            meet |= (taken & bytes) != 0;
            taken |= bytes;
        }
        l->bytes |= bytes;
        l->n_thread++;
        if (of.weight > most) {
            most = of.weight;
            l->thread = a[i].thread;
        }
    }
    l->sharing = l->n_thread < 2                                   ? LINE_PRIVATE
                 : n_counts >= 2 && !meet && is_contended(&l->sum) ? LINE_FALSE_SHARED
                                                                   : LINE_SHARED;
}

static void look_at_functions(struct access_line *l, struct hot_access *a, size_t n) {
    double most = -1;
    qsort(a, n, sizeof(*a), by_function);
    for (size_t i = 0, k; i < n; i = k) {
        double of = 0;
        for (k = i; k < n && a[k].function == a[i].function; k++)
            of += a[k].sum.count.weight;
        l->n_function++;
        if (of > most) {
            most = of;
            l->function = a[i].function;
        }
    }
}

int access_lines(struct hot_access *a, size_t n, struct access_line **line, size_t *n_line) {
    struct access_line *out = calloc(n + 1, sizeof(*out));
    *line = out;
    *n_line = 0;
    if (!out)
        return -ENOMEM;
    if (n)
        qsort(a, n, sizeof(*a), by_line);
    for (size_t i = 0, k; i < n && a[i].line != ACCESS_NO_LINE; i = k) {
        struct access_line *l = &out[(*n_line)++];
        l->line = a[i].line;
        l->space = a[i].space;
        for (k = i; k < n && a[k].line == a[i].line && a[k].space == a[i].space; k++)
            access_sum_add(&l->sum, &a[k]);
        look_at_threads(l, &a[i], k - i);
        look_at_functions(l, &a[i], k - i);
    }
    qsort(out, *n_line, sizeof(*out), by_weight);
    return 0;
}
