/* Two sides joined by path, and what statistics say of each pair. */
#include "model/compare.h"

#include "model/compare_impl.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <strings.h>

static const char *const verdict_names[VERDICTS] = {
    [VERDICT_REGRESSED] = "regressed",     [VERDICT_IMPROVED] = "improved",
    [VERDICT_CHANGED] = "changed",         [VERDICT_NOISE] = "noise",
    [VERDICT_TOO_FEW] = "not enough data", [VERDICT_ONLY_A] = "only in A",
    [VERDICT_ONLY_B] = "only in B",
};

const char *verdict_name(enum verdict v) {
    return (unsigned)v < VERDICTS ? verdict_names[v] : "unknown verdict";
}

struct compare_options compare_defaults(void) {
    return (struct compare_options){
        .confidence = 0.95, .least_points = 0.01, .least_relative = 0.01};
}

struct compare_side compare_side_of(const struct run *r) {
    return (struct compare_side){.name = r->id,
                                 .model = r->model ? r->model : "",
                                 .node = r->node.at,
                                 .n_node = r->node.n,
                                 .measured_s = (double)r->measured_ns / 1e9,
                                 .ran_through = r->ran_through};
}

/* ---- joining ---- */

static int by_path(const void *a, const void *b) {
    const struct run_node *const *x = a, *const *y = b;
    return strcasecmp((*x)->path, (*y)->path);
}

/* The nodes of a side in order of their paths, NULL at the end. */
static const struct run_node **sorted(const struct compare_side *s) {
    const struct run_node **at = calloc(s->n_node + 1, sizeof(*at));
    for (size_t i = 0; at && i < s->n_node; i++)
        at[i] = &s->node[i];
    if (at)
        qsort(at, s->n_node, sizeof(*at), by_path);
    return at;
}

/* The same name may stand for something else in another model. */
static bool same_kind(const struct run_node *a, const struct run_node *b) {
    return a->share == b->share && a->level == b->level && !strcmp(a->unit, b->unit);
}

static uint32_t order_of(const struct compare_side *s, const struct run_node *n) {
    return (uint32_t)(n - s->node);
}

static const char *reason_of(const struct run_node *n) {
    return n && !run_node_is_known(n) ? n->reason : "";
}

static void add_row(struct comparison *c, const struct sides *s, const struct run_node *in_a,
                    const struct run_node *in_b) {
    const struct run_node *a = run_node_is_known(in_a) ? in_a : NULL,
                          *b = run_node_is_known(in_b) ? in_b : NULL;
    if (!a && !b) {
        c->unknown[c->n_unknown++] = in_a && *in_a->reason ? in_a : in_b ? in_b : in_a;
        return;
    }
    c->row[c->n_row++] = (struct compare_row){
        .a = a,
        .b = b,
        .reason = a && b ? "" : reason_of(a ? in_b : in_a),
        .needed = NAN,
        .delta = NAN,
        .relative = NAN,
        .err = NAN,
        .p = NAN,
        .verdict = a && b ? VERDICT_TOO_FEW
                   : a    ? VERDICT_ONLY_A
                          : VERDICT_ONLY_B,
        .order_ = a ? order_of(s->a, a) : order_of(s->b, b),
    };
}

/* Rows in order of their paths. */
static void join(struct comparison *c, const struct sides *s, const struct run_node **a,
                 const struct run_node **b) {
    while (*a || *b) {
        const int order = !*a ? 1 : !*b ? -1 : strcasecmp((*a)->path, (*b)->path);
        if (order == 0 && same_kind(*a, *b)) {
            add_row(c, s, *a++, *b++);
            continue;
        }
        if (order <= 0)
            add_row(c, s, *a++, NULL);
        if (order >= 0)
            add_row(c, s, NULL, *b++);
    }
}

static int join_sides(struct comparison *c, const struct sides *s) {
    const struct run_node **a = sorted(s->a), **b = sorted(s->b);
    c->row = calloc(s->a->n_node + s->b->n_node + 1, sizeof(*c->row));
    c->unknown = calloc(s->a->n_node + s->b->n_node + 1, sizeof(struct run_node *));
    const bool ok = a && b && c->row && c->unknown;
    if (ok)
        join(c, s, a, b);
    free(a);
    free(b);
    return ok ? 0 : -ENOMEM;
}

/* ---- one metric ---- */

double compare_point(const struct run_node *n) {
    if (n->share)
        return 0.01;
    return strcmp(n->unit, "%") == 0 ? 1.0 : 0.0;
}

/* How many least changes a change is: in points, or relative. */
static double in_least(const struct run_node *n, double delta, double relative,
                       const struct compare_options *opt) {
    const double point = compare_point(n);
    return fabs(point > 0 ? delta * 0.01 / point / opt->least_points
                          : relative / opt->least_relative);
}

/* What one side says of a metric: its value, and how sure that is. */
struct estimate {
    double v, se, dof;
    double n;   /* independent values */
    bool rough; /* of neighbours so alike that their own spread tells little of the mean's */
};

/*
 * Where moments.h sees too few independent values for a standard error, an interval is still not
 * nothing: a change that is many times what either side ever did within itself is one. Such a side
 * counts as three values, of three times the spread that was seen, because neighbours that are
 * alike hide a part of it. Both numbers are found by simulation (bench_compare statistics): with
 * them the kinds of noise there give no more false alarms than without this rule.
 */
enum { FEW_VALUES = 3 };
static const double few_spread = 3.0;

/* A sum varies as its mean does, times what it is of the mean: the number of intervals; 1 where
 * runs are the samples. */
static struct estimate estimate_of(const struct run_node *n, bool total, double scale) {
    const double times = total && n->m.mean != 0 ? n->value.v / n->m.mean : 1.0;
    const double by = total ? times * scale : 1.0, v = n->value.v * (total ? scale : 1.0);
    if (isnan(n->m.se) && n->m.n >= MOMENTS_LEAST && n->m.sd > 0)
        return (struct estimate){v, few_spread * n->m.sd / sqrt(FEW_VALUES) * by, FEW_VALUES - 1,
                                 FEW_VALUES, true};
    return (struct estimate){v, n->m.se * by, n->m.dof, n->m.effective_n, false};
}

/* To have b measured for as long as a. */
static double time_scale(const struct sides *s, const struct compare_row *r) {
    if (s->a->measured_s > 0 && s->b->measured_s > 0)
        return s->a->measured_s / s->b->measured_s;
    return r->b->m.n ? (double)r->a->m.n / (double)r->b->m.n : 1.0;
}

/*
 * The bound of all looks, in standard errors of a normal distribution, and the chance that the
 * motion ever comes so far out as z. n: independent values of both sides as one (half the harmonic
 * mean). The mixture is tightest around mixed * 2 ln(1 / chance) of them: where tests of a minute
 * at 1 s are.
 */
static const double mixed = 2.0;

static double watched_bound(double chance, double n) {
    return sqrt((1.0 + mixed / n) * (log1p(n / mixed) - 2.0 * log(chance)));
}

static double watched_chance(double z, double n) {
    const double p = sqrt((n + mixed) / mixed) * exp(-z * z / 2.0 * n / (n + mixed));
    return fmin(p, 1.0);
}

/* Both are of as many independent values as the two sides together. */
static double values_of(const struct estimate *a, const struct estimate *b) {
    const double na = fmax(a->n, 1.0), nb = fmax(b->n, 1.0);
    return na * nb / (na + nb);
}

/* A side that is rough stays so from look to look: as many chances as a few that are independent
 * (test_compare: looking_often_finds_nothing_false). */
enum { ROUGH_LOOKS = 8 };

static void watch_rough(struct compare_row *r, double se, double dof, double confidence) {
    r->err = student_quantile(1.0 - (1.0 - confidence) / ROUGH_LOOKS, dof) * se;
    r->p = fmin(r->p * ROUGH_LOOKS, 1.0);
}

/* From t to z and back through the chance of each: what few values are worth stays in it. */
static void watch(struct compare_row *r, double se, double dof, double n, double confidence) {
    const double one_look = normal_tail(watched_bound(1.0 - confidence, n));
    r->err = student_quantile(1.0 - one_look, dof) * se;
    r->p = watched_chance(normal_quantile(r->p), n);
}

/* Welch's difference of two means; two that never varied differ for sure, or not at all. */
static void welch(struct compare_row *r, const struct estimate *a, const struct estimate *b,
                  const struct compare_options *opt) {
    const double va = a->se * a->se, vb = b->se * b->se, se = sqrt(va + vb);
    if (isnan(se))
        return;
    const double rounding = 1e-12 * fmax(fabs(a->v), fabs(b->v));
    if (!(se > rounding)) {
        r->err = rounding;
        r->p = fabs(r->delta) > 2 * rounding ? 0.0 : 1.0;
        return;
    }
    const double below = (va > 0 ? va * va / a->dof : 0.0) + (vb > 0 ? vb * vb / b->dof : 0.0);
    const double dof = (va + vb) * (va + vb) / below;
    r->err = student_quantile(opt->confidence, dof) * se;
    r->p = student_tail(r->delta / se, dof);
    if (opt->watched && (a->rough || b->rough))
        watch_rough(r, se, dof, opt->confidence);
    else if (opt->watched)
        watch(r, se, dof, values_of(a, b), opt->confidence);
}

static double side_needs(const struct compare_row *r, const struct run_node *n,
                         const struct compare_options *opt) {
    const double sd = in_least(n, n->m.sd, n->m.sd / n->m.mean, opt), by = fmax(r->effect, 1.0);
    const double needs = 8.0 * (sd / by) * (sd / by);
    const double had = isnan(n->m.se) && n->m.n >= MOMENTS_LEAST ? 2.0 * (double)n->m.n : 0.0;
    return fmax(isfinite(needs) ? needs : 0.0, had);
}

/* How many samples of this spread tell this change, or the least that matters: means of n on each
 * side differ by chance by less than 2 sqrt(2 / n) standard deviations. Where there were enough and
 * they were too alike, it takes double at least. */
static double needed_of(const struct compare_row *r, const struct compare_options *opt) {
    const double n = fmax(side_needs(r, r->a, opt), side_needs(r, r->b, opt));
    return ceil(fmax(n, MOMENTS_LEAST));
}

static void compare_values(struct compare_row *r, const struct sides *s) {
    r->total = r->a->total && r->b->total;
    const struct estimate a = estimate_of(r->a, r->total, 1.0);
    const struct estimate b = estimate_of(r->b, r->total, r->total ? time_scale(s, r) : 1.0);
    r->delta = b.v - a.v;
    if (a.v != 0.0)
        r->relative = r->delta / fabs(a.v);
    const double of_least = fabs(isnan(r->relative) ? r->delta / fabs(b.v) : r->relative);
    r->effect = r->delta == 0.0 ? 0.0 : in_least(r->a, r->delta, of_least, s->opt);
    welch(r, &a, &b, s->opt);
    r->rough_ = a.rough || b.rough;
    if (isnan(r->p) || r->rough_)
        r->needed = needed_of(r, s->opt);
}

/* ---- all of them ---- */

static int by_p(const void *a, const void *b) {
    const struct compare_row *const *x = a, *const *y = b;
    return (*x)->p < (*y)->p ? -1 : (*x)->p > (*y)->p;
}

/* Two models may differ in that: then neither is right. */
static int better_of(const struct compare_row *r) {
    return r->a->better == r->b->better ? r->a->better : 0;
}

static enum verdict sure_verdict(const struct compare_row *r) {
    if (r->effect < 1.0)
        return VERDICT_NOISE;
    const int better = better_of(r);
    if (better == 0)
        return VERDICT_CHANGED;
    return (r->delta > 0) == (better > 0) ? VERDICT_IMPROVED : VERDICT_REGRESSED;
}

/* The time that a command took is what its user asks first: no other metric's chance counts. */
static bool is_elapsed(const struct compare_row *r) {
    return !strcmp((r->a ? r->a : r->b)->path, COMPARE_ELAPSED);
}

static void decide_alone(struct compare_row *r, const struct sides *s) {
    if (!isnan(r->p))
        r->verdict = r->p <= 1.0 - s->opt->confidence ? sure_verdict(r)
                     : r->rough_                      ? VERDICT_TOO_FEW
                                                      : VERDICT_NOISE;
}

/*
 * Holm (1979): the smallest p is held against alpha / n, the next against alpha / (n - 1) ..., and
 * from the first that fails on, nothing is sure.
 */
static int decide(struct comparison *c, const struct sides *s) {
    struct compare_row **told = calloc(c->n_row + 1, sizeof(struct compare_row *));
    size_t n = 0;
    if (!told)
        return -ENOMEM;
    for (size_t i = 0; i < c->n_row; i++)
        if (is_elapsed(&c->row[i]))
            decide_alone(&c->row[i], s);
        else if (!isnan(c->row[i].p))
            told[n++] = &c->row[i];
    qsort(told, n, sizeof(*told), by_p);
    bool sure = true;
    for (size_t i = 0; i < n; i++) {
        sure = sure && told[i]->p <= (1.0 - s->opt->confidence) / (double)(n - i);
        told[i]->verdict = sure              ? sure_verdict(told[i])
                           : told[i]->rough_ ? VERDICT_TOO_FEW
                                             : VERDICT_NOISE;
    }
    free(told);
    return 0;
}

bool compare_is_sure(const struct compare_row *r) {
    return r->verdict == VERDICT_REGRESSED || r->verdict == VERDICT_IMPROVED ||
           r->verdict == VERDICT_CHANGED;
}

static int rank(const struct compare_row *r) {
    static const int ranks[VERDICTS] = {
        [VERDICT_TOO_FEW] = 1, [VERDICT_ONLY_A] = 2, [VERDICT_ONLY_B] = 3, [VERDICT_NOISE] = 4};
    return ranks[r->verdict];
}

bool compare_in_tree(const struct compare_row *r) {
    return (r->a ? r->a : r->b)->level > 0;
}

/* The tree first: what stands beside it is many times as much, and explains less. */
static int by_effect(const void *a, const void *b) {
    const struct compare_row *x = a, *y = b;
    if (rank(x) != rank(y))
        return rank(x) - rank(y);
    if (is_elapsed(x) != is_elapsed(y))
        return is_elapsed(x) ? -1 : 1;
    if (compare_in_tree(x) != compare_in_tree(y))
        return compare_in_tree(x) ? -1 : 1;
    if (x->effect != y->effect)
        return x->effect > y->effect ? -1 : 1;
    return x->order_ < y->order_ ? -1 : x->order_ > y->order_;
}

int compare_sides(const struct compare_side *a, const struct compare_side *b,
                  const struct compare_options *opt, struct comparison *out, struct err *err) {
    const struct sides s = {a, b, opt};
    *out = (struct comparison){.measured_s_a = a->measured_s,
                               .measured_s_b = b->measured_s,
                               .ran_through = a->ran_through && b->ran_through,
                               .confidence = opt->confidence};
    int rc = join_sides(out, &s);
    for (size_t i = 0; i < out->n_row; i++)
        if (out->row[i].a && out->row[i].b)
            compare_values(&out->row[i], &s);
    if (rc == 0)
        rc = decide(out, &s);
    if (rc == 0)
        rc = compare_explain(out, &s);
    if (rc < 0) {
        compare_free(out);
        return err_set(err, rc, "comparing %s with %s: out of memory", a->name, b->name);
    }
    qsort(out->row, out->n_row, sizeof(*out->row), by_effect);
    for (size_t i = 0; i < out->n_row; i++)
        out->n_verdict[out->row[i].verdict]++;
    return 0;
}

void compare_free(struct comparison *c) {
    free(c->row);
    free(c->unknown);
    free(c->shared);
    *c = (struct comparison){0};
}

static bool is_called(const struct run_node *n, const char *name) {
    return !strcasecmp(n->name, name) || !strcasecmp(n->path, name);
}

const char *compare_unknown(const struct comparison *c, const char *name) {
    for (size_t i = 0; i < c->n_unknown; i++)
        if (is_called(c->unknown[i], name))
            return c->unknown[i]->reason;
    return NULL;
}

const struct compare_row *compare_find(const struct comparison *c, const char *name) {
    for (size_t i = 0; i < c->n_row; i++) {
        if (is_called(c->row[i].a ? c->row[i].a : c->row[i].b, name))
            return &c->row[i];
    }
    return NULL;
}
