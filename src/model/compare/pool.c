#include "model/compare/pool.h"

#include "base/clock.h"
#include "model/run/run.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <strings.h>

/* One metric over the runs that know it. */
struct pool_metric {
    struct run_node node; /* of the first run; its texts are owned */
    double n, mean, m2;   /* Welford */
    double least, most, n_over;
};

static int fail(struct err *err) {
    return err_set(err, -ENOMEM, "pooling runs: out of memory");
}

/* ---- runs as samples ---- */

/* Runs of one model list their metrics in nearly the same order, so the search begins at `hint`. */
static struct pool_metric *find(struct pool *p, const char *path, size_t hint) {
    for (size_t k = 0; k < p->metric.n; k++) {
        struct pool_metric *m = &p->metric.at[(hint + k) % p->metric.n];
        if (!strcmp(m->node.path, path))
            return m;
    }
    return NULL;
}

static struct pool_metric *find_or_add(struct pool *p, const struct run_node *n, size_t hint) {
    struct pool_metric *found = find(p, n->path, hint), m = {.least = NAN, .most = NAN};
    if (found)
        return found;
    if (run_node_copy(&m.node, n) < 0)
        return NULL;
    if (array_push(&p->metric, m) == 0)
        return &p->metric.at[p->metric.n - 1];
    run_node_free(&m.node);
    return NULL;
}

/* The first run that knows it says what it is; before that there is only a reason. */
static int know(struct pool_metric *m, const struct run_node *n) {
    struct run_node known;
    if (m->n > 0 || run_node_copy(&known, n) < 0)
        return m->n > 0 ? 0 : -ENOMEM;
    run_node_free(&m->node);
    m->node = known;
    return 0;
}

/* Sums per second: runs are of different lengths. */
static void take(struct pool_metric *m, const struct run_node *n, double seconds) {
    const double v = m->node.total ? n->value.v / seconds : n->value.v;
    if (!isfinite(v))
        return;
    m->n += 1;
    const double d = v - m->mean;
    m->mean += d / m->n;
    m->m2 += d * (v - m->mean);
    m->least = fmin(m->least, v);
    m->most = fmax(m->most, v);
    m->n_over += n->value.over;
    m->node.value.duty = fminf(m->node.value.duty, n->value.duty);
    m->node.value.approx |= n->value.approx;
}

static int same_model(const char *a, const char *b, struct err *err) {
    if (!strcasecmp(a, b))
        return 0;
    return err_set(err, -EINVAL,
                   "runs of different models (%s and %s) are not samples of one thing; narrow them "
                   "down with --filter model=%s",
                   *a ? a : "none", *b ? b : "none", a);
}

uint64_t pool_intervals(const struct run *r) {
    uint64_t n = 0;
    for (size_t i = 0; i < r->node.n; i++)
        n = r->node.at[i].m.n > n ? r->node.at[i].m.n : n;
    return n;
}

static int add_value(struct pool *p, const struct run_node *n, size_t hint, double seconds) {
    struct pool_metric *m = find_or_add(p, n, hint);
    if (!m || (isfinite(n->value.v) && know(m, n) < 0))
        return -ENOMEM;
    if (isfinite(n->value.v))
        take(m, n, seconds);
    return 0;
}

int pool_add(struct pool *p, const struct run *r, struct err *err) {
    const double seconds = (double)r->measured_ns / 1e9;
    if (!p->model && !(p->model = strdup(r->model)))
        return fail(err);
    const int rc = same_model(p->model, r->model, err);
    if (rc < 0)
        return rc;
    struct run_node work[RUN_WORK_N];
    const int n_work = run_work(r, work);
    for (size_t i = 0; i < r->node.n; i++)
        if (add_value(p, &r->node.at[i], i, seconds) < 0)
            return fail(err);
    for (int i = 0; i < n_work; i++)
        if (add_value(p, &work[i], r->node.n + (size_t)i, seconds) < 0)
            return fail(err);
    moments_add(&p->measured_s, seconds);
    p->n_through += r->ran_through;
    p->n_interval += pool_intervals(r);
    p->n_run++;
    return 0;
}

static struct moments_result result_of(const struct pool_metric *m) {
    const double spread = m->n > 1 ? sqrt(m->m2 / (m->n - 1)) : NAN;
    const double sd = spread <= 1e-9 * fabs(m->mean) ? 0 : spread; /* the rest is rounding */
    return (struct moments_result){.n = (uint64_t)m->n,
                                   .mean = m->mean,
                                   .sd = sd,
                                   .least = m->least,
                                   .most = m->most,
                                   .se = sd / sqrt(m->n),
                                   .dof = m->n > 1 ? m->n - 1 : 0,
                                   .effective_n = m->n};
}

/* From per second to the mean time. */
static void make_sum(struct run_node *n, double seconds) {
    double *const all[] = {&n->value.v, &n->m.mean, &n->m.sd, &n->m.least, &n->m.most, &n->m.se};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        *all[i] *= seconds;
}

static int add_node(struct run *out, const struct pool_metric *m, double seconds) {
    struct run_node n;
    if (run_node_copy(&n, &m->node) < 0)
        return -ENOMEM;
    if (m->n > 0) {
        n.m = result_of(m);
        n.value.v = m->mean;
        n.value.over = m->n_over * 2 > m->n;
        n.value.err = NAN; /* not what multiplexing left unseen in one run */
    }
    if (m->n > 0 && m->node.total)
        make_sum(&n, seconds);
    if (array_push(&out->node, n) == 0)
        return 0;
    run_node_free(&n);
    return -ENOMEM;
}

int pool_finish(struct pool *p, struct run *out, struct err *err) {
    *out = (struct run){.model = strdup(p->model ? p->model : "")};
    const double seconds = p->measured_s.mean;
    int rc = out->model ? 0 : -ENOMEM;
    out->measured_ns = clock_ns_of(seconds);
    out->ran_through = p->n_run > 0 && p->n_through == p->n_run;
    const bool work = p->n_run > 1 && out->ran_through;
    for (size_t i = 0; i < p->metric.n && rc == 0; i++)
        if (work || p->n_through == 0 || !run_is_work(&p->metric.at[i].node))
            rc = add_node(out, &p->metric.at[i], seconds);
    return rc < 0 ? fail(err) : 0;
}

void pool_free(struct pool *p) {
    for (size_t i = 0; i < p->metric.n; i++)
        run_node_free(&p->metric.at[i].node);
    array_free(&p->metric);
    free(p->model);
    *p = (struct pool){0};
}

/* ---- two runs as one ---- */

static bool same_number(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

static bool same_consts(const struct consts *a, const struct consts *b) {
    bool same = a->n_latency == b->n_latency;
    for (int i = 0; i < CONST_N && same; i++)
        same = same_number(a->value[i], b->value[i]) && a->fixed_by_user[i] == b->fixed_by_user[i];
    for (uint32_t i = 0; i < a->n_latency && same; i++)
        same = !strcmp(a->latency[i].event, b->latency[i].event) &&
               same_number(a->latency[i].cycles, b->latency[i].cycles);
    return same;
}

static bool same_layout(const struct run *a, const struct run *b) {
    const struct layout *x = &a->layout, *y = &b->layout;
    bool same = x->n_slot == y->n_slot && x->n_group == y->n_group && x->n_event == y->n_event &&
                x->no_perf_metrics == y->no_perf_metrics;
    for (uint32_t i = 0; same && i < x->n_event; i++)
        same = !strcmp(a->event[i], b->event[i]) && x->missing[i] == y->missing[i];
    for (uint32_t i = 0; same && i < x->n_slot; i++)
        same = x->slot[i].event == y->slot[i].event && x->slot[i].group == y->slot[i].group;
    return same;
}

static bool counted_alike(const struct run *a, const struct run *b) {
    return series_rows(&a->series) && series_rows(&b->series) && a->model_text[0] &&
           !strcmp(a->model_text, b->model_text) && same_layout(a, b) &&
           same_consts(&a->consts, &b->consts);
}

static int append_rows(struct run *a, const struct run *b) {
    const uint64_t shift = series_end_ns(&a->series) - series_begin_ns(&b->series);
    struct series_reader reader;
    struct sample row = {0};
    int rc = series_reader_init(&reader, &b->series);
    if (rc < 0)
        return rc;
    rc = sample_init(&row, b->layout.n_slot);
    while (rc == 0 && series_reader_next(&reader, &row)) {
        row.t0_ns += shift; /* b may have been measured earlier: the differences count */
        row.t1_ns += shift;
        rc = series_push(&a->series, &row);
    }
    sample_destroy(&row);
    series_reader_destroy(&reader);
    return rc;
}

/* Of two estimates with weights: Welch and Satterthwaite. */
static void mix(struct moments_result *to, const struct moments_result *b, double wa, double wb) {
    const double va = wa * wa * to->se * to->se, vb = wb * wb * b->se * b->se;
    const double below = (va > 0 ? va * va / to->dof : 0) + (vb > 0 ? vb * vb / b->dof : 0);
    const double sum = va + vb;
    to->dof = isnan(sum) ? 0 : below > 0 ? sum * sum / below : to->dof + b->dof;
    to->se = sqrt(sum);
    to->mean = wa * to->mean + wb * b->mean;
    to->n += b->n;
    to->sd = NAN;
    to->least = fmin(to->least, b->least);
    to->most = fmax(to->most, b->most);
    to->effective_n += b->effective_n;
}

static void mix_node(struct run_node *to, const struct run_node *b, double share_a) {
    if (to->total && b->total) {
        const double n = (double)(to->m.n + b->m.n);
        mix(&to->m, &b->m, (double)to->m.n / n, (double)b->m.n / n);
        to->value.v += b->value.v;
    } else {
        mix(&to->m, &b->m, share_a, 1 - share_a);
        to->value.v = share_a * to->value.v + (1 - share_a) * b->value.v;
    }
    to->value.approx |= b->value.approx;
    to->value.duty = fminf(to->value.duty, b->value.duty);
    to->value.err = NAN;
}

/* What b has alone is taken over, as far as it is known; a sum of either alone as if it had gone on
 * for both. */
static int take_alone(struct run *a, const struct run_node *n) {
    struct run_node copy, *there = run_node_find(a, n->path);
    if (there && (run_node_is_known(there) || !run_node_is_known(n)))
        return 0;
    if (run_node_copy(&copy, n) < 0)
        return -ENOMEM;
    if (there) {
        run_node_free(there);
        *there = copy;
        return 0;
    }
    if (array_push(&a->node, copy) == 0)
        return 0;
    run_node_free(&copy);
    return -ENOMEM;
}

static void stretch(struct run_node *n, double share) {
    if (n->total && share > 0)
        n->value.v /= share;
}

static int mix_values(struct run *a, const struct run *b) {
    const double ta = (double)a->measured_ns, tb = (double)b->measured_ns;
    const double share_a = ta + tb > 0 ? ta / (ta + tb) : 0.5;
    int rc = 0;
    for (size_t i = 0; i < a->node.n; i++) {
        const struct run_node *n = run_node_find(b, a->node.at[i].path);
        if (run_node_is_known(n) && run_node_is_known(&a->node.at[i]))
            mix_node(&a->node.at[i], n, share_a);
        else
            stretch(&a->node.at[i], run_node_is_known(n) ? 1 : share_a);
    }
    for (size_t i = 0; i < b->node.n && rc == 0; i++) {
        const bool alone = !run_node_is_known(run_node_find(a, b->node.at[i].path));
        rc = take_alone(a, &b->node.at[i]);
        if (rc == 0 && alone)
            stretch(run_node_find(a, b->node.at[i].path), 1 - share_a);
    }
    a->measured_ns += b->measured_ns;
    return rc;
}

int pool_join(struct run *a, const struct run *b, bool *by_counts, struct err *err) {
    int rc = same_model(a->model, b->model, err);
    if (rc < 0)
        return rc;
    *by_counts = counted_alike(a, b);
    a->ran_through = false; /* two, one behind the other */
    if (!*by_counts)
        return mix_values(a, b) < 0 ? fail(err) : 0;
    rc = append_rows(a, b);
    return rc < 0 ? fail(err) : run_evaluate_by(a, NULL, err);
}
