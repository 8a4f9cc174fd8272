#include "model/hot/hot_compare.h"

#include "base/str.h"
#include "model/stats/moments.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *x, const void *y) {
    const struct hot_change *a = x, *b = y;
    const int order = strcmp(a->name, b->name);
    return order ? order : strcmp(str_base_name(a->file), str_base_name(b->file));
}

static int put_side(const struct hot *h, bool is_b, struct hot_change *list, size_t *n) {
    struct hot_row *row;
    size_t n_row;
    if (hot_rows(h, &row, &n_row) < 0)
        return -ENOMEM;
    for (size_t i = 0; i < n_row; i++) {
        const struct hot_function *f = &h->function.at[row[i].function];
        struct hot_change *c = &list[(*n)++];
        *c = (struct hot_change){
            .function = f, .name = f->name, .file = h->module.at[f->module].path};
        *(is_b ? &c->b : &c->a) = row[i].count;
    }
    free(row);
    return 0;
}

/* Those of one name become one; too few samples are left out. */
static size_t join(struct hot_change *list, size_t n) {
    size_t kept = 0;
    qsort(list, n, sizeof(*list), by_name);
    for (size_t i = 0, end; i < n; i = end) {
        struct hot_change c = list[i];
        for (end = i + 1; end < n && by_name(&list[i], &list[end]) == 0; end++) {
            hot_add(&c.a, &list[end].a);
            hot_add(&c.b, &list[end].b);
            if (list[end].b.n) {
                c.function = list[end].function;
                c.name = list[end].name;
                c.file = list[end].file;
            }
        }
        if (c.a.n + c.b.n >= HOT_LEAST)
            list[kept++] = c;
    }
    return kept;
}

static void measure(struct hot_change *c, const struct hot_count *all_a,
                    const struct hot_count *all_b, double z) {
    const double na = hot_effective(all_a), nb = hot_effective(all_b);
    const double pa = c->share_a = c->a.weight / all_a->weight;
    const double pb = c->share_b = c->b.weight / all_b->weight;
    const struct binomial ia = binomial_wilson(pa, na, z), ib = binomial_wilson(pb, nb, z);
    const double both = (pa * na + pb * nb) / (na + nb);
    const double se = sqrt(both * (1 - both) * (1 / na + 1 / nb));
    c->delta = pb - pa;
    c->low = c->delta - hypot(pb - ib.low, ia.high - pa);
    c->high = c->delta + hypot(ib.high - pb, pa - ia.low);
    c->p = se > 0 ? normal_tail(fabs(c->delta) / se) : 1;
}

static int by_p(const void *x, const void *y) {
    const struct hot_change *a = x, *b = y;
    return (a->p > b->p) - (a->p < b->p);
}

static int by_size(const void *x, const void *y) {
    const struct hot_change *a = x, *b = y;
    if (a->sure != b->sure)
        return a->sure ? -1 : 1;
    const double d = fabs(b->delta) - fabs(a->delta);
    return d != 0 ? (d > 0 ? 1 : -1) : by_name(x, y);
}

void hot_compare_judge(struct hot_change *list, size_t n, const struct hot_count *all_a,
                       const struct hot_count *all_b, double confidence) {
    const double alpha = 1 - confidence;
    bool sure = true;
    for (size_t i = 0; i < n; i++)
        measure(&list[i], all_a, all_b, normal_quantile(alpha));
    qsort(list, n, sizeof(*list), by_p);
    for (size_t i = 0; i < n; i++)
        list[i].sure = sure = sure && list[i].p <= alpha / (double)(n - i);
    qsort(list, n, sizeof(*list), by_size);
}

int hot_compare(const struct hot *a, const struct hot *b, double confidence,
                struct hot_change **list, size_t *n) {
    *n = 0;
    *list = calloc(a->function.n + b->function.n + 1, sizeof(**list));
    if (!*list || put_side(a, false, *list, n) < 0 || put_side(b, true, *list, n) < 0) {
        free(*list);
        *list = NULL;
        return -ENOMEM;
    }
    *n = a->all.n && b->all.n ? join(*list, *n) : 0;
    hot_compare_judge(*list, *n, &a->all, &b->all, confidence);
    return 0;
}
