#include "model/compare/pairs.h"

#include "base/clock.h"
#include "model/run/run.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* splitmix64 (Steele, Lea and Flood 2014), a bit for each block. */
bool pairs_b_first(uint64_t seed, size_t pair) {
    uint64_t x = seed + (pair / 2 + 1) * 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return ((x >> 63) ^ pair) & 1;
}

/* ---- differences ---- */

/* Runs of one model list their metrics in the same order, so the search begins there. */
static const struct run_node *find(const struct run *r, const char *path, size_t hint) {
    for (size_t k = 0; k < r->node.n; k++) {
        const struct run_node *n = &r->node.at[(hint + k) % r->node.n];
        if (!strcmp(n->path, path))
            return n;
    }
    return NULL;
}

/* Sums per second, as the pool takes them. The texts are borrowed. */
static int add_difference(struct run *d, const struct run_node *a, const struct run_node *b,
                          double seconds_a, double seconds_b) {
    if (!run_node_is_known(a) || !run_node_is_known(b))
        return 0;
    struct run_node n = *a;
    n.total = a->total && b->total;
    n.value.v = n.total ? b->value.v / seconds_b - a->value.v / seconds_a : b->value.v - a->value.v;
    return array_push(&d->node, n);
}

static int add_differences(struct run *d, const struct run *a, const struct run *b) {
    const double s_a = (double)a->measured_ns / 1e9, s_b = (double)b->measured_ns / 1e9;
    struct run_node work_a[RUN_WORK_N], work_b[RUN_WORK_N];
    const int n_a = run_work(a, work_a), n_b = run_work(b, work_b);
    int rc = 0;
    for (size_t i = 0; i < a->node.n && rc == 0; i++)
        rc = add_difference(d, &a->node.at[i], find(b, a->node.at[i].path, i), s_a, s_b);
    for (int i = 0; i < n_a; i++)
        for (int k = 0; k < n_b && rc == 0; k++)
            if (!strcmp(work_a[i].path, work_b[k].path))
                rc = add_difference(d, &work_a[i], &work_b[k], s_a, s_b);
    return rc;
}

int pairs_add(struct pairs *p, const struct run *a, const struct run *b, struct err *err) {
    struct run d = {.model = a->model, .measured_ns = NS_PER_S}; /* sums are per second */
    int rc = pool_add(&p->a, a, err);
    if (rc == 0)
        rc = pool_add(&p->b, b, err);
    if (rc == 0 && (rc = add_differences(&d, a, b)) < 0)
        err_set(err, rc, "comparing pairs of runs: out of memory");
    if (rc == 0)
        rc = pool_add(&p->difference, &d, err);
    array_free(&d.node);
    p->n += rc == 0;
    return rc;
}

int pairs_runs(struct pairs *p, struct pairs_runs *out, struct err *err) {
    *out = (struct pairs_runs){0};
    int rc = pool_finish(&p->a, &out->a, err);
    if (rc == 0)
        rc = pool_finish(&p->b, &out->b, err);
    return rc == 0 ? pool_finish(&p->difference, &out->difference, err) : rc;
}

void pairs_runs_free(struct pairs_runs *r) {
    run_free(&r->a);
    run_free(&r->b);
    run_free(&r->difference);
}

void pairs_free(struct pairs *p) {
    pool_free(&p->a);
    pool_free(&p->b);
    pool_free(&p->difference);
    *p = (struct pairs){0};
}

/* ---- chance ---- */

double pairs_chance(double t, double n) {
    const double r = PAIRS_PRIOR / (n + PAIRS_PRIOR), of_dof = t * t / (n - 1);
    if (!(n >= 2))
        return 1.0;
    const double log_e = 0.5 * log(r) + n / 2 * (log1p(of_dof) - log1p(r * of_dof));
    return fmin(exp(-log_e), 1.0);
}

double pairs_bound(double chance, double n) {
    const double r = PAIRS_PRIOR / (n + PAIRS_PRIOR);
    const double k = pow(1 / (chance * sqrt(r)), 2 / n);
    return n >= 2 && r * k < 1 ? sqrt((n - 1) * (k - 1) / (1 - r * k)) : INFINITY;
}

bool pairs_decide(struct compare_row *r, double scale, const struct compare_options *opt) {
    const struct run_node *d = find(opt->pairs, r->a->path, 0);
    if (!d || d->m.n == 0)
        return false;
    const double n = (double)d->m.n, se = d->m.se * scale;
    const bool asks = opt->question || find(opt->pairs, RUN_ELAPSED, 0);
    const double parts = asks ? 2 : 1; /* of the chance of an error */
    r->delta = d->value.v * scale;
    if (se > 0) {
        const double bound = pairs_bound((1.0 - opt->confidence) / parts, n) * se;
        r->err = isfinite(bound) ? bound : NAN;
        r->p = fmin(parts * pairs_chance(r->delta / se, n), 1.0);
    } else if (n >= 2) {
        r->p = r->delta == 0.0 ? 1.0 : fmin(parts * exp2(1 - n), 1.0);
        r->err = 0.0;
    }
    return true;
}

/* ---- the answer ---- */

static bool decides(const struct compare_row *r, const struct comparison *c,
                    const struct compare_options *opt) {
    if (!r->a || !r->b)
        return false;
    if (c->ran_through || opt->question)
        return r->asked;
    return (r->a->share && r->a->level == 1) || !strcmp(r->a->path, "IPC");
}

/* A difference in least changes. */
static double in_least(const struct compare_row *r, double off, const struct compare_options *opt) {
    return compare_in_least(r->a, off, off == 0.0 ? 0.0 : off / r->a->value.v, opt);
}

/* How far off it may be, in least changes; INFINITY: not known. */
static double reach_of(const struct compare_row *r, const struct compare_options *opt) {
    const double reach = in_least(r, fabs(r->delta) + r->err, opt);
    return isnan(reach) ? INFINITY : reach;
}

double pairs_needed(const struct compare_row *by, const struct compare_options *opt, double n) {
    const double off = in_least(by, by->delta, opt), err = in_least(by, by->err, opt);
    const double times = err / fmax(1 - off, off); /* to be sure of what is nearer */
    return isnan(times) ? NAN : ceil(fmax(n * times * times, n + 1));
}

enum pairs_answer pairs_answer(const struct comparison *c, const struct compare_options *opt,
                               const struct compare_row **by) {
    double widest = -1;
    *by = NULL;
    for (size_t i = 0; i < c->n_row; i++) { /* what changed stands first, by effect */
        const struct compare_row *r = &c->row[i];
        if (!decides(r, c, opt))
            continue;
        if (compare_is_sure(r)) {
            *by = r;
            return PAIRS_CHANGED;
        }
        const double reach = reach_of(r, opt);
        if (reach > widest) {
            widest = reach;
            *by = r;
        }
    }
    return *by && widest <= 1 ? PAIRS_SAME : PAIRS_OPEN;
}
