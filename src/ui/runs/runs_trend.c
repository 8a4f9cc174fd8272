#include "ui/runs/runs_trend.h"

#include "base/str.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void runs_trend_free(struct runs_trend *t) {
    run_list_free(&t->list);
    free(t->row);
    free(t->v);
    free(t->o);
    *t = (struct runs_trend){0};
}

static int read_list(struct runs_trend *t, struct runs *r, const struct runs_group *of,
                     struct err *err) {
    static const char *no_labels[] = {NULL};
    struct label_filter filter[RUNS_FILTERS + 1];
    struct run_query q = runs_query(r, of, filter);
    q.order = BY_TIME;
    q.by = NULL;
    q.ascending = false;
    q.keys = no_labels;
    q.without_top = true;
    q.limit = RUNS_TREND_MOST;
    r->queries++;
    const int rc = store_list(&r->store, &q, &t->list, err);
    t->older = t->list.total - t->list.n;
    return rc;
}

static int make_room(struct runs_trend *t) {
    const size_t n = t->list.n + 1;
    t->row = calloc(n, sizeof(struct run_row *));
    t->v = calloc(n, sizeof(*t->v));
    t->o = calloc(n, sizeof(*t->o));
    return t->row && t->v && t->o ? 0 : -ENOMEM;
}

static void take_rows(struct runs_trend *t) {
    for (size_t i = t->list.n; i-- > 0;) {
        const struct run_row *row = &t->list.row[i];
        if (!isfinite(row->value)) {
            t->n_without++;
            continue;
        }
        t->many_models |= t->n > 0 && strcmp(row->model, t->row[0]->model) != 0;
        t->v[t->n] = row->value;
        t->row[t->n++] = row;
    }
    t->sum = outlier_find(t->v, t->n, t->o);
    for (size_t i = 0; i < t->n; i++)
        t->n_anomaly += t->o[i].anomaly;
    t->selected = t->n ? t->n - 1 : 0;
}

static void name_group(struct runs_trend *t, const struct runs *r, const struct runs_group *of) {
    struct strbuf sb = strbuf_on(t->group, sizeof(t->group));
    char safe[96];
    if (of && r->key[0])
        strbuf_add(&sb, "%s%s%s", of->value ? r->key : "without ", of->value ? "=" : r->key,
                   of->value ? str_safe(safe, sizeof(safe), of->value) : "");
}

int runs_trend_read(struct runs_trend *t, struct runs *r, const struct runs_group *of,
                    struct err *err) {
    runs_trend_free(t);
    str_copy(t->metric, sizeof(t->metric), r->metric);
    name_group(t, r, of);
    int rc = read_list(t, r, of, err);
    if (rc == 0 && make_room(t) < 0)
        rc = err_set(err, -ENOMEM, "trend: out of memory; close other programs");
    if (rc == 0)
        take_rows(t);
    else
        runs_trend_free(t);
    return rc;
}

void runs_trend_move(struct runs_trend *t, int64_t by) {
    const int64_t to = (int64_t)t->selected + by, last = t->n ? (int64_t)t->n - 1 : 0;
    t->selected = (size_t)(to < 0 ? 0 : to > last ? last : to);
}

bool runs_trend_jump(struct runs_trend *t, int step) {
    for (int64_t i = (int64_t)t->selected + step; i >= 0 && i < (int64_t)t->n; i += step)
        if (t->o[i].anomaly) {
            t->selected = (size_t)i;
            return true;
        }
    return false;
}
