#include "model/hot/hot.h"

#include "base/str.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double z_95 = 1.959964;

void hot_free(struct hot *h) {
    for (size_t i = 0; i < h->event.n; i++) {
        free(h->event.at[i].name);
        free(h->event.at[i].precision);
        free(h->event.at[i].of);
        free(h->event.at[i].why);
    }
    for (size_t i = 0; i < h->note.n; i++)
        free(h->note.at[i]);
    for (size_t i = 0; i < h->module.n; i++) {
        free(h->module.at[i].path);
        free(h->module.at[i].kind);
        free(h->module.at[i].lack);
    }
    for (size_t i = 0; i < h->function.n; i++) {
        free(h->function.at[i].name);
        free(h->function.at[i].file);
    }
    for (size_t i = 0; i < h->thread.n; i++)
        free(h->thread.at[i].name);
    for (size_t i = 0; i < h->branch.n; i++)
        free(h->branch.at[i].file);
    free(h->target);
    free(h->asked);
    free(h->no_branches);
    array_free(&h->branch);
    array_free(&h->access);
    array_free(&h->event);
    array_free(&h->note);
    array_free(&h->module);
    array_free(&h->function);
    array_free(&h->thread);
    array_free(&h->leaf);
    array_free(&h->node);
    *h = (struct hot){0};
}

/* ---- a copy ---- */

/* Room for as many elements, of which none is there yet. */
#define ROOM(a, count)                                                                             \
    ((a)->at = calloc((count) + 1, sizeof(*(a)->at)), (a)->n = 0, (a)->cap = (count) + 1,          \
     (a)->at != NULL)

/* Of texts that were not copied for want of memory one is NULL. */
static char *own(const char *text, bool *all) {
    char *to = strdup(text);
    *all = *all && to;
    return to;
}

static bool copy_texts(struct hot *to, const struct hot *from) {
    bool all = true;
    to->target = own(from->target, &all);
    to->asked = own(from->asked, &all);
    to->no_branches = own(from->no_branches, &all);
    for (size_t i = 0; i < from->branch.n && all; i++) {
        struct hot_branch *b = &to->branch.at[to->branch.n++];
        *b = from->branch.at[i];
        b->file = own(b->file, &all);
    }
    for (size_t i = 0; i < from->event.n && all; i++) {
        const struct hot_event *e = &from->event.at[i];
        to->event.at[to->event.n++] =
            (struct hot_event){own(e->name, &all), own(e->precision, &all), own(e->of, &all),
                               own(e->why, &all),  e->precise_ip,           e->clock};
    }
    for (size_t i = 0; i < from->note.n && all; i++)
        to->note.at[to->note.n++] = own(from->note.at[i], &all);
    for (size_t i = 0; i < from->module.n && all; i++) {
        struct hot_module *m = &to->module.at[to->module.n++];
        *m = from->module.at[i];
        m->path = own(m->path, &all);
        m->kind = own(m->kind, &all);
        m->lack = own(m->lack, &all);
    }
    for (size_t i = 0; i < from->function.n && all; i++) {
        struct hot_function *f = &to->function.at[to->function.n++];
        *f = from->function.at[i];
        f->name = own(f->name, &all);
        f->file = own(f->file, &all);
    }
    for (size_t i = 0; i < from->thread.n && all; i++) {
        struct hot_thread *t = &to->thread.at[to->thread.n++];
        *t = from->thread.at[i];
        t->name = own(t->name, &all);
    }
    return all;
}

int hot_copy(struct hot *to, const struct hot *from) {
    *to = *from;
    to->target = to->asked = to->no_branches = NULL;
    bool all = ROOM(&to->event, from->event.n);
    all = ROOM(&to->note, from->note.n) && all;
    all = ROOM(&to->module, from->module.n) && all;
    all = ROOM(&to->function, from->function.n) && all;
    all = ROOM(&to->thread, from->thread.n) && all;
    all = ROOM(&to->leaf, from->leaf.n) && all;
    all = ROOM(&to->node, from->node.n) && all;
    all = ROOM(&to->branch, from->branch.n) && all;
    all = ROOM(&to->access, from->access.n) && all;
    all = all && copy_texts(to, from);
    for (size_t i = 0; i < from->leaf.n && all; i++)
        to->leaf.at[to->leaf.n++] = from->leaf.at[i];
    for (size_t i = 0; i < from->node.n && all; i++)
        to->node.at[to->node.n++] = from->node.at[i];
    for (size_t i = 0; i < from->access.n && all; i++)
        to->access.at[to->access.n++] = from->access.at[i];
    if (!all)
        hot_free(to);
    return all ? 0 : -ENOMEM;
}

/* ---- what comes from a file ---- */

static bool count_is_good(const struct hot_count *c) {
    return isfinite(c->weight) && isfinite(c->square) && c->weight >= 0 && c->square >= 0;
}

static bool node_is_good(const struct hot *h, size_t i) {
    const struct hot_node *n = &h->node.at[i];
    if (!count_is_good(&n->count))
        return false;
    return n->parent == HOT_NONE ? n->function == HOT_NONE && n->thread < h->thread.n
                                 : n->parent < i && n->function < h->function.n;
}

static bool taken_is_good(const struct hot_taken *t) {
    return t->n_missed <= t->n_told && t->n_told <= t->n && t->n_timed <= t->n &&
           isfinite(t->told) && isfinite(t->missed) && isfinite(t->told2) &&
           isfinite(t->told_missed) && isfinite(t->missed2) && isfinite(t->missed_all) &&
           t->told >= 0 && t->missed >= 0 && t->missed <= t->told && t->told2 >= 0 &&
           t->missed2 >= 0;
}

static bool access_is_good(const struct hot *h, const struct hot_access *a) {
    const struct access_count *c = &a->sum;
    return a->function < h->function.n && a->thread < h->thread.n &&
           (unsigned)a->source < DATA_SOURCES && count_is_good(&c->count) &&
           c->n_store <= c->count.n && c->n_timed <= c->count.n;
}

static int bad(const char *what, size_t i, struct err *err) {
    return err_set(err, -EINVAL, "samples: %s %zu is none", what, i);
}

int hot_check(struct hot *h, struct err *err) {
    str_clean(h->target, "");
    str_clean(h->asked, "");
    str_clean(h->no_branches, "");
    if (!taken_is_good(&h->taken))
        return bad("sum of branches", 0, err);
    if (!count_is_good(&h->all))
        return bad("sum", 0, err);
    for (size_t i = 0; i < h->event.n; i++) {
        str_clean(h->event.at[i].name, "");
        str_clean(h->event.at[i].precision, "");
        str_clean(h->event.at[i].of, "");
        str_clean(h->event.at[i].why, "");
    }
    for (size_t i = 0; i < h->note.n; i++)
        str_clean(h->note.at[i], "");
    for (size_t i = 0; i < h->module.n; i++) {
        str_clean(h->module.at[i].path, "");
        str_clean(h->module.at[i].lack, "");
        str_clean(h->module.at[i].build_id, "");
    }
    for (size_t i = 0; i < h->function.n; i++) {
        str_clean(h->function.at[i].name, "");
        str_clean(h->function.at[i].file, "");
        if (h->function.at[i].module >= h->module.n)
            return bad("function", i, err);
    }
    for (size_t i = 0; i < h->thread.n; i++)
        str_clean(h->thread.at[i].name, "");
    for (size_t i = 0; i < h->leaf.n; i++)
        if (h->leaf.at[i].function >= h->function.n || h->leaf.at[i].thread >= h->thread.n ||
            !count_is_good(&h->leaf.at[i].count))
            return bad("place", i, err);
    for (size_t i = 0; i < h->node.n; i++)
        if (!node_is_good(h, i))
            return bad("stack", i, err);
    for (size_t i = 0; i < h->branch.n; i++) {
        const struct hot_branch *b = &h->branch.at[i];
        str_clean(b->file, "");
        if (b->from >= h->function.n || b->to >= h->function.n || !taken_is_good(&b->count))
            return bad("branch", i, err);
    }
    if (!count_is_good(&h->data))
        return bad("sum of accesses", 0, err);
    for (size_t i = 0; i < h->access.n; i++)
        if (!access_is_good(h, &h->access.at[i]))
            return bad("access", i, err);
    return 0;
}

/* ---- sums ---- */

bool hot_is_off_cpu(const struct hot *h) {
    return h->event.n && strcmp(h->event.at[0].name, "off-cpu") == 0;
}

const char *hot_amount(const struct hot *h, char *buf, size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    const bool waits = hot_is_off_cpu(h);
    strbuf_add(&sb, "%" PRIu64 " %s%s", h->all.n, waits ? "wait" : "sample",
               h->all.n == 1 ? "" : "s");
    if (waits)
        strbuf_add(&sb, " of %.1f s", h->all.weight / 1e9);
    strbuf_add(&sb, " in %.1f s", h->seconds);
    return buf;
}

double hot_share(const struct hot *h, const struct hot_count *c, struct binomial *interval) {
    const bool told =
        c->n >= HOT_LEAST || (c->n && hot_is_off_cpu(h)); /* which are all there were */
    const double share = told ? c->weight / h->all.weight : NAN;
    *interval = isnan(share) ? (struct binomial){NAN, NAN}
                             : binomial_wilson(share, hot_effective(&h->all), z_95);
    return share;
}

static int by_weight(const void *a, const void *b) {
    const struct hot_row *x = a, *y = b;
    if (x->count.weight != y->count.weight)
        return x->count.weight < y->count.weight ? 1 : -1;
    return (x->function > y->function) - (x->function < y->function);
}

int hot_rows(const struct hot *h, struct hot_row **row, size_t *n) {
    struct hot_row *all = calloc(h->function.n + 1, sizeof(*all));
    *row = all;
    *n = 0;
    if (!all)
        return -ENOMEM;
    for (uint32_t i = 0; i < h->function.n; i++)
        all[i].function = i;
    for (uint32_t i = 0; i < h->leaf.n; i++) {
        struct hot_row *r = &all[h->leaf.at[i].function];
        if (r->count.n == 0 || h->leaf.at[i].count.weight > h->leaf.at[r->leaf].count.weight)
            r->leaf = i;
        hot_add(&r->count, &h->leaf.at[i].count);
    }
    qsort(all, h->function.n, sizeof(*all), by_weight);
    while (*n < h->function.n && all[*n].count.n)
        (*n)++;
    return 0;
}

struct hot_count *hot_sums(const struct hot *h) {
    struct hot_count *sum = calloc(h->node.n + 1, sizeof(*sum));
    for (size_t i = h->node.n; sum && i-- > 0;) {
        hot_add(&sum[i], &h->node.at[i].count);
        if (h->node.at[i].parent != HOT_NONE)
            hot_add(&sum[h->node.at[i].parent], &sum[i]);
    }
    return sum;
}

/* ---- branches ---- */

/* part / whole, of sums over samples: of part^2, part * whole, whole^2. No surer than n records. */
static double ratio(double part, double whole, double part2, double both, double whole2, uint64_t n,
                    struct binomial *interval) {
    const double samples = whole2 > 0 ? whole * whole / whole2 : 0; /* Kish, as hot_effective */
    const double share = part / whole;
    *interval = (struct binomial){NAN, NAN};
    if (samples < HOT_LEAST)
        return NAN;
    const double spread = part2 - 2 * share * both + share * share * whole2;
    const double variance = spread / (whole * whole) * samples / (samples - 1);
    const double as_sure = variance > 0 ? share * (1 - share) / variance : samples;
    *interval = binomial_wilson(share, fmin(as_sure, (double)n), z_95);
    return share;
}

double hot_missed_rate(const struct hot_taken *t, struct binomial *interval) {
    return ratio(t->missed, t->told, t->missed2, t->told_missed, t->told2, t->n_told, interval);
}

double hot_missed_share(const struct hot_taken *t, const struct hot_taken *all,
                        struct binomial *interval) {
    return ratio(t->missed, all->missed, t->missed2, t->missed_all, all->missed2, all->n_missed,
                 interval);
}

double hot_taken_cycles(const struct hot_taken *t) {
    return t->n_timed ? (double)t->cycles / (double)t->n_timed : (double)NAN;
}

int hot_taken_order(const struct hot_taken *a, const struct hot_taken *b) {
    return a->missed != b->missed ? (a->missed < b->missed ? 1 : -1)
                                  : (a->n < b->n) - (a->n > b->n);
}

static int by_missed(const void *a, const void *b) {
    const struct hot_branch *x = a, *y = b;
    const int order = hot_taken_order(&x->count, &y->count);
    return order ? order
           : x->from_offset != y->from_offset
               ? (x->from_offset > y->from_offset ? 1 : -1)
               : (x->to_offset > y->to_offset) - (x->to_offset < y->to_offset);
}

void hot_sort_branches(struct hot *h) {
    if (h->branch.n)
        qsort(h->branch.at, h->branch.n, sizeof(*h->branch.at), by_missed);
}

/* ---- accesses ---- */

static int by_samples(const void *a, const void *b) {
    const struct hot_access *x = a, *y = b;
    if ((x->line == ACCESS_NO_LINE) != (y->line == ACCESS_NO_LINE))
        return x->line == ACCESS_NO_LINE ? -1 : 1;
    return (x->sum.count.n < y->sum.count.n) - (x->sum.count.n > y->sum.count.n);
}

/* The same without its line. */
static struct hot_access *without_line(struct hot *h, size_t n, const struct hot_access *like) {
    for (size_t i = 0; i < n; i++) {
        struct hot_access *a = &h->access.at[i];
        if (a->line == ACCESS_NO_LINE && a->function == like->function &&
            a->thread == like->thread && a->source == like->source)
            return a;
    }
    return NULL;
}

/* What has no room even so is left out. */
void hot_fold_accesses(struct hot *h, size_t most) {
    if (h->access.n <= most)
        return;
    qsort(h->access.at, h->access.n, sizeof(*h->access.at), by_samples);
    size_t n = most - most / 4;
    for (size_t i = n; i < h->access.n; i++) {
        struct hot_access a = h->access.at[i];
        struct hot_access *to = without_line(h, n, &a);
        h->n_no_line += a.line == ACCESS_NO_LINE ? 0 : a.sum.count.n;
        if (to) {
            access_add(&to->sum, &a.sum);
        } else if (n < most) {
            a.line = ACCESS_NO_LINE;
            a.bytes = 0;
            h->access.at[n++] = a;
        }
    }
    h->access.n = n;
}

int hot_access_lines(const struct hot *h, struct access_line **line, size_t *n) {
    struct hot_access *copy = calloc(h->access.n + 1, sizeof(*copy)); /* they are sorted */
    int rc = copy ? 0 : -ENOMEM;
    for (size_t i = 0; copy && i < h->access.n; i++) {
        copy[i] = h->access.at[i];
        copy[i].space = access_space(h->thread.at[copy[i].thread].pid, copy[i].line);
    }
    if (rc == 0)
        rc = access_lines(copy, h->access.n, line, n);
    free(copy);
    return rc;
}

struct access_sum *hot_access_sums(const struct hot *h) {
    struct access_sum *sum = calloc(h->function.n + 1, sizeof(*sum));
    for (size_t i = 0; sum && i < h->access.n; i++)
        access_sum_add(&sum[h->access.at[i].function], &h->access.at[i]);
    return sum;
}

/* ---- names ---- */

const char *hot_process(const struct hot *h, uint32_t thread, char *buf, size_t cap) {
    const struct hot_thread *t = &h->thread.at[thread];
    if (t->name[0])
        str_safe(buf, cap, t->name);
    else
        snprintf(buf, cap, "process-%d", (int)t->pid);
    return buf;
}

const char *hot_name(const struct hot *h, uint32_t node, char *buf, size_t cap) {
    const struct hot_node *n = &h->node.at[node];
    return n->function == HOT_NONE ? hot_process(h, n->thread, buf, cap)
                                   : str_copy(buf, cap, h->function.at[n->function].name);
}

static const char *source(const char *file, uint32_t line, char *buf, size_t cap) {
    buf[0] = '\0';
    if (file[0] && line)
        snprintf(buf, cap, "%s:%u", str_base_name(file), line);
    return buf;
}

const char *hot_source(const struct hot_function *f, char *buf, size_t cap) {
    return source(f->file, f->line, buf, cap);
}

const char *hot_branch_source(const struct hot_branch *b, char *buf, size_t cap) {
    return source(b->file, b->line, buf, cap);
}

const char *hot_branch_place(const struct hot *h, uint32_t function, uint64_t offset, char *buf,
                             size_t cap) {
    const struct hot_function *f = &h->function.at[function];
    if (offset == f->start)
        return str_copy(buf, cap, f->name);
    snprintf(buf, cap, "%s+0x%" PRIx64, f->name, offset - f->start);
    return buf;
}
