/* Two sides joined by path, and what statistics say of each pair. */
#include "model/compare/compare.h"

#include "base/sort.h"
#include "base/str.h"
#include "model/compare/pairs.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <strings.h>

struct sides {
    const struct compare_side *a, *b;
    const struct compare_options *opt;
};

static const struct run_node *find_node(const struct compare_side *s, const char *name, size_t n) {
    for (size_t i = 0; i < s->n_node; i++)
        if (!strncasecmp(s->node[i].path, name, n) && s->node[i].path[n] == '\0')
            return &s->node[i];
    return NULL;
}

/* ---- where to look first ---- */

static bool in_tree(const struct compare_row *r) {
    return (r->a ? r->a : r->b)->level > 0;
}

static const char *path_of(const struct compare_row *r) {
    return r->a ? r->a->path : r->b->path;
}

/* The row of the path of n characters: rows are in order of their paths. */
static struct compare_row *find_row(struct comparison *c, const char *path, size_t n) {
    size_t low = 0, high = c->n_row;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        const char *at = path_of(&c->row[mid]);
        int order = strncasecmp(at, path, n);
        order = order ? order : at[n] != '\0';
        if (order == 0)
            return &c->row[mid];
        if (order < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

/* A child that has half of its parent's change, the same way, leads in its place. */
static void take_lead(struct comparison *c, const struct compare_row *child) {
    const char *path = path_of(child), *dot = strrchr(path, '.');
    struct compare_row *parent = dot ? find_row(c, path, (size_t)(dot - path)) : NULL;
    if (parent && child->delta / parent->delta >= 0.5)
        parent->leads = false;
}

/* What is better neither way says how, not what. */
static bool is_stronger(const struct compare_row *r, const struct compare_row *than) {
    const bool has_way = r->verdict != VERDICT_CHANGED;
    if (than && has_way != (than->verdict != VERDICT_CHANGED))
        return has_way;
    return !than || r->effect > than->effect;
}

/* Many places to look first are none. */
static void keep_strongest(struct comparison *c) {
    struct compare_row *kept[COMPARE_LEADS] = {NULL};
    for (size_t i = 0; i < c->n_row; i++) {
        struct compare_row *r = &c->row[i], *weaker;
        for (int k = 0; k < COMPARE_LEADS && r && r->leads; k++)
            if (is_stronger(r, kept[k])) {
                weaker = kept[k];
                kept[k] = r;
                r = weaker;
            }
        if (r)
            r->leads = false;
    }
}

static void find_leads(struct comparison *c) {
    for (size_t i = 0; i < c->n_row; i++)
        c->row[i].leads = in_tree(&c->row[i]) && compare_is_sure(&c->row[i]);
    for (size_t i = 0; i < c->n_row; i++)
        if (in_tree(&c->row[i]) && compare_is_sure(&c->row[i]))
            take_lead(c, &c->row[i]);
    keep_strongest(c);
}

/* ---- how much work was done ---- */

static double value_of(const struct compare_side *s, const char *name) {
    const struct run_node *n = find_node(s, name, strlen(name));
    return n ? n->value.v : NAN;
}

static double instructions_per_s(const struct compare_side *s) {
    return value_of(s, "IPC") * value_of(s, "GHz") * 1e9 * value_of(s, "CPUs_Utilized");
}

/* Instructions are IPC * GHz * CPUs_Utilized: if each is in its interval, so is the product,
 * whatever they have to do with each other. */
bool compare_work_is_sure(const struct comparison *c) {
    static const char *const factor[] = {"IPC", "GHz", "CPUs_Utilized"};
    double low = 1, high = 1;
    bool sure = false;
    for (size_t i = 0; i < sizeof(factor) / sizeof(factor[0]); i++) {
        const struct compare_row *r = compare_find(c, factor[i]);
        if (!r || !r->a || !r->b || !(r->a->value.v > 0))
            return false;
        low *= fmax(r->b->value.v - r->err, 0) / r->a->value.v;
        high *= (r->b->value.v + r->err) / r->a->value.v;
        sure |= compare_is_sure(r);
    }
    return sure && (low > 1 || high < 1);
}

/* By the names that vendors give to all slots of the time. What does not add up with time is not
 * all of them, and nothing per second. */
static double slots_per_s(const struct compare_side *s) {
    static const char *const names[] = {"Info_Thread_SLOTS", "total_dispatch_slots"};
    const struct run_node *n;
    double v = NAN;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && isnan(v); i++)
        if ((n = find_node(s, names[i], strlen(names[i]))) && n->total)
            v = n->value.v;
    return s->measured_s > 0 ? v / s->measured_s : NAN;
}

static double cpi(const struct compare_side *s) {
    const double ipc = value_of(s, "IPC");
    return ipc > 0 ? 1.0 / ipc : NAN;
}

/* ---- what different models share ---- */

static int on_both(const struct comparison *c, int level) {
    int n = 0;
    for (size_t i = 0; i < c->n_row; i++)
        n += c->row[i].a && c->row[i].b && c->row[i].a->level == level;
    return n;
}

static void shared_words(const struct comparison *c, const struct sides *s, struct strbuf *sb) {
    enum { LEVELS = 12 };
    strbuf_add(sb, "the models differ (%s, %s): ", s->a->model, s->b->model);
    const size_t begin = sb->n;
    for (int level = 1; level <= LEVELS; level++) {
        const int n = on_both(c, level);
        if (n)
            strbuf_add(sb, "%slevel %d (%d node%s)", sb->n > begin ? ", " : "compared are ", level,
                       n, n == 1 ? "" : "s");
    }
    const int beside = on_both(c, 0);
    if (beside)
        strbuf_add(sb, "%s%d metric%s beside the tree", sb->n > begin ? ", " : "compared are ",
                   beside, beside == 1 ? "" : "s");
    strbuf_add(sb, sb->n > begin ? "; the same name need not be the same formula"
                                 : "they share no metric that both know");
}

bool compare_is_of_slots(const struct comparison *c, const struct compare_row *r) {
    const bool counted = c->counts.slots_a > 0 && c->counts.slots_b > 0;
    return counted && r->a && r->b && r->a->share && r->a->level >= 1 && r->a->level <= 2;
}

/* Fills leads, counts and shared. The rows are in order of their paths. */
static void explain_rows(struct comparison *c, const struct sides *s) {
    struct strbuf sb = strbuf_on(c->shared, sizeof(c->shared));
    find_leads(c);
    c->counts = (struct compare_counts){
        .instructions_a = instructions_per_s(s->a),
        .instructions_b = instructions_per_s(s->b),
        .cpi_a = cpi(s->a),
        .cpi_b = cpi(s->b),
        .slots_a = slots_per_s(s->a),
        .slots_b = slots_per_s(s->b),
    };
    if (strcasecmp(s->a->model, s->b->model) != 0)
        shared_words(c, s, &sb);
}

/* ---- words and options ---- */

static const char *const verdict_names[VERDICTS] = {
    [VERDICT_REGRESSED] = "regressed", [VERDICT_IMPROVED] = "improved",
    [VERDICT_CHANGED] = "changed",     [VERDICT_NOISE] = "noise",
    [VERDICT_UNSURE] = "unsure",       [VERDICT_ONLY_A] = "only in A",
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

/* The nodes of a side in order of their paths, NULL at the end. Returns what is behind that. */
static const struct run_node **put_sorted(const struct run_node **at,
                                          const struct compare_side *s) {
    for (size_t i = 0; i < s->n_node; i++)
        at[i] = &s->node[i];
    at[s->n_node] = NULL;
    sort_in_place(at, s->n_node, sizeof(*at), by_path);
    return at + s->n_node + 1;
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

static bool is_asked(const struct run_node *n, const struct compare_options *opt) {
    const char *name = opt->question ? opt->question : RUN_ELAPSED;
    return !strcasecmp(n->path, name) || !strcasecmp(n->name, name);
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
        .needed_of_b = NAN,
        .delta = NAN,
        .relative = NAN,
        .err = NAN,
        .p = NAN,
        .verdict = a && b ? VERDICT_UNSURE
                   : a    ? VERDICT_ONLY_A
                          : VERDICT_ONLY_B,
        .asked = is_asked(a ? a : b, s->opt),
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

static void join_sides(struct comparison *c, const struct sides *s) {
    const struct run_node **a = c->order, **b = put_sorted(a, s->a);
    put_sorted(b, s->b);
    join(c, s, a, b);
}

/* ---- one metric ---- */

double compare_point(const struct run_node *n) {
    if (n->share)
        return 0.01;
    return strcmp(n->unit, "%") == 0 ? 1.0 : 0.0;
}

double compare_in_least(const struct run_node *n, double delta, double relative,
                        const struct compare_options *opt) {
    const double point = compare_point(n);
    return fabs(point > 0 ? delta * 0.01 / point / opt->least_points
                          : relative / opt->least_relative);
}

/* What one side says of a metric: its value, and how sure that is. */
struct estimate {
    double v, se, dof;
    double n;  /* independent values */
    double by; /* what the value is in terms of the mean of the intervals' */
};

/* A sum varies as its mean does, times what it is of the mean: the number of intervals; 1 where
 * runs are the samples. */
static struct estimate estimate_of(const struct run_node *n, bool total, double scale) {
    const double times = total && n->m.mean != 0 ? n->value.v / n->m.mean : 1.0;
    const double by = total ? times * scale : 1.0, v = n->value.v * (total ? scale : 1.0);
    if (isnan(n->m.se)) /* of one value; or of few, stored by a release that then knew none */
        return (struct estimate){v, n->m.sd * by, 1, 1, by};
    return (struct estimate){v, n->m.se * by, n->m.dof, n->m.effective_n, by};
}

/* To have b measured for as long as a. */
static double time_scale(const struct sides *s, const struct compare_row *r) {
    if (s->a->measured_s > 0 && s->b->measured_s > 0)
        return s->a->measured_s / s->b->measured_s;
    return r->b->m.n ? (double)r->a->m.n / (double)r->b->m.n : 1.0;
}

/*
 * The chance that any look at a growing b, from its first interval on for ever, is as far out as z,
 * and the z of a chance. a stands still, so that the difference is a Brownian motion in the time
 * f = n_b / (n_a + n_b), which ends at 1: bounds c f^-0.2 (Wang and Tsiatis 1987) are crossed with
 * LOOKS times the chance of one look at c, for any c from 2 to 4 (simulated: 2.4 to 2.9; n_a of 15
 * to 240, b of 1 to 10 n_a). At f = 1/2 the interval is 1.4 times as wide as that of one look.
 */
static const double looks = 2.9, earlier = 0.2;

static double watched_bound(double chance, double f) {
    return normal_quantile(chance / looks) * pow(f, -earlier);
}

static double watched_chance(double z, double f) {
    return fmin(looks * normal_tail(z * pow(f, earlier)), 1.0);
}

/* Half width of the interval that misses with this chance, of the looks together where there are
 * some: from z to t through the chance of one look, so that what few values are worth stays in it.
 */
static double half_width(const struct compare_row *r, double chance, bool watched) {
    const double one_look = watched ? normal_tail(watched_bound(chance, r->f_)) : chance;
    const double half = student_quantile(1.0 - one_look, r->dof_) * r->se_;
    return r->a->share && half > 1.0 ? 1.0 : half;
}

/*
 * b has few values of its own at first, a many: until b knows better, it is taken to vary as a
 * does, and as both together do; as itself, where that is more.
 */
static void lend_spread(const struct run_node *from, const struct run_node *to,
                        const struct estimate *a, struct estimate *b) {
    if (isnan(from->m.se) || to->m.n == 0)
        return;
    const double n = (double)to->m.n, lent = from->m.sd * from->m.sd * (double)from->m.n / a->n;
    const double own = to->m.dof > 0 ? to->m.se * to->m.se * n : 0.0;
    const double dof = a->dof + to->m.dof, both = (a->dof * lent + to->m.dof * own) / dof;
    b->se = sqrt(fmax(both, own) / n) * b->by;
    b->dof = dof;
    b->n = n * a->n / (double)from->m.n;
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
    r->part_of_a_ = va / (va + vb);
    const double below = (va > 0 ? va * va / a->dof : 0.0) + (vb > 0 ? vb * vb / b->dof : 0.0);
    r->se_ = se;
    r->dof_ = (va + vb) * (va + vb) / below;
    r->f_ = b->n / (a->n + b->n);
    r->p = student_tail(r->delta / se, r->dof_);
    if (opt->watched)
        r->p = watched_chance(normal_quantile(r->p), r->f_);
}

/* The sides as they are: each has its own samples. */
static void compare_alone(struct compare_row *r, const struct sides *s) {
    const struct estimate a = estimate_of(r->a, r->total, 1.0);
    struct estimate b = estimate_of(r->b, r->total, r->total ? time_scale(s, r) : 1.0);
    if (s->opt->watched)
        lend_spread(r->a, r->b, &a, &b);
    r->delta = b.v - a.v;
    welch(r, &a, &b, s->opt);
}

static void compare_values(struct compare_row *r, const struct sides *s) {
    r->total = r->a->total && r->b->total;
    if (!s->opt->pairs)
        compare_alone(r, s);
    else if (!pairs_decide(r, r->total ? s->a->measured_s : 1.0, s->opt))
        return;
    const double from = r->a->value.v, to = from + r->delta;
    if (from != 0.0)
        r->relative = r->delta / fabs(from);
    const double of_least = fabs(isnan(r->relative) ? r->delta / fabs(to) : r->relative);
    r->effect = r->delta == 0.0 ? 0.0 : compare_in_least(r->a, r->delta, of_least, s->opt);
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

/* Sure by itself but not among so many, or nothing but two numbers; or so large a part of all slots
 * that it is no noise, however little is known of it. */
static bool is_open(const struct compare_row *r, const struct sides *s) {
    const double large = 5 * s->opt->least_points;
    return r->effect >= 1.0 && (!(r->p > 1.0 - s->opt->confidence) ||
                                (r->a->share && r->a->level == 1 && fabs(r->delta) >= large));
}

/*
 * How many samples on each side would do: a difference that stays as it is grows with the square
 * root of them, in its standard errors, to where it is sure.
 */
static double needed_of(const struct compare_row *r, double chance) {
    const double n = (double)(r->a->m.n < r->b->m.n ? r->a->m.n : r->b->m.n);
    const double times = normal_quantile(chance) / normal_quantile(r->p);
    return isnan(times) ? NAN : ceil(fmax(n * times * times, n + 1));
}

/* Of the variance of the difference only b's part shrinks. */
static double needed_of_b(const struct compare_row *r, double chance) {
    const double times = normal_quantile(r->p) / normal_quantile(chance), n = (double)r->b->m.n;
    const double left = times * times - r->part_of_a_;
    if (isnan(left))
        return NAN;
    return left > 0 ? ceil(fmax(n * (1 - r->part_of_a_) / left, n + 1)) : INFINITY;
}

static void widen(struct compare_row *r, const struct sides *s, double chance) {
    if (r->se_ > 0)
        r->err = half_width(r, chance, s->opt->watched);
}

double compare_err_alone(const struct comparison *c, const struct compare_row *r) {
    return r->se_ > 0 ? half_width(r, 1.0 - c->confidence, c->watched) : r->err;
}

static void decide_one(struct compare_row *r, const struct sides *s, bool sure, double chance) {
    r->verdict = sure ? sure_verdict(r) : is_open(r, s) ? VERDICT_UNSURE : VERDICT_NOISE;
    if (r->verdict == VERDICT_UNSURE) {
        r->needed = needed_of(r, chance);
        r->needed_of_b = needed_of_b(r, chance);
    }
}

/*
 * Holm (1979): the smallest p is held against alpha / n, the next against alpha / (n - 1) ..., and
 * from the first that fails on, nothing is sure.
 */
static void decide_family(struct compare_row **told, size_t n, double alpha,
                          const struct sides *s) {
    bool sure = true;
    double step = alpha; /* the last that was held against: no interval of the rest is narrower */
    sort_in_place(told, n, sizeof(*told), by_p);
    for (size_t i = 0; i < n; i++) {
        const double chance = alpha / (double)(n - i);
        step = sure ? chance : step;
        sure = sure && told[i]->p <= chance;
        widen(told[i], s, step);
        decide_one(told[i], s, sure, chance);
    }
}

/* What is looked at first: level 1, what an instruction costs, and how many there are. */
static bool is_first(const struct compare_row *r) {
    static const char *const names[] = {"IPC", "CPI", "Info_Thread_CPI", "GHz", "CPUs_Utilized"};
    bool first = r->a->share && r->a->level == 1;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        first |= strcasecmp(r->a->name, names[i]) == 0;
    return first;
}

/* Rows that have a p, the first ones or the others. Returns how many. */
static size_t put_told(struct comparison *c, struct compare_row **told, bool first) {
    size_t n = 0;
    for (size_t i = 0; i < c->n_row; i++)
        if (!c->row[i].asked && !isnan(c->row[i].p) && is_first(&c->row[i]) == first)
            told[n++] = &c->row[i];
    return n;
}

/*
 * The few that are looked at first have half of the chance of an error for themselves, all others
 * the other half: so few runs, or seconds, tell something of them though there are hundreds.
 */
static void decide(struct comparison *c, const struct sides *s) {
    const double alpha = 1.0 - s->opt->confidence;
    struct compare_row **told = c->told;
    const size_t n_first = put_told(c, told, true), n_other = put_told(c, told + n_first, false);
    const double part = n_first && n_other ? alpha / 2 : alpha;
    decide_family(told, n_first, part, s);
    decide_family(told + n_first, n_other, part, s);
    for (size_t i = 0; i < c->n_row; i++)
        if (c->row[i].asked) {
            widen(&c->row[i], s, alpha);
            decide_one(&c->row[i], s, c->row[i].p <= alpha, alpha);
        }
}

bool compare_is_sure(const struct compare_row *r) {
    return r->verdict == VERDICT_REGRESSED || r->verdict == VERDICT_IMPROVED ||
           r->verdict == VERDICT_CHANGED;
}

static int rank(const struct compare_row *r) {
    static const int ranks[VERDICTS] = {
        [VERDICT_UNSURE] = 1, [VERDICT_ONLY_A] = 2, [VERDICT_ONLY_B] = 3, [VERDICT_NOISE] = 4};
    return ranks[r->verdict];
}

bool compare_more_would_do(const struct compare_row *r) {
    const uint64_t least = r->a->m.n < r->b->m.n ? r->a->m.n : r->b->m.n;
    return r->needed <= 20 * (double)least;
}

/* The tree first: what stands beside it is many times as much, and explains less. */
static int by_effect(const void *a, const void *b) {
    const struct compare_row *x = a, *y = b;
    if (rank(x) != rank(y))
        return rank(x) - rank(y);
    if (x->asked != y->asked)
        return x->asked ? -1 : 1;
    if (in_tree(x) != in_tree(y))
        return in_tree(x) ? -1 : 1;
    if (x->effect != y->effect)
        return x->effect > y->effect ? -1 : 1;
    return x->order_ < y->order_ ? -1 : x->order_ > y->order_;
}

int compare_reserve(struct comparison *c, size_t n_node) {
    const size_t n = n_node + 2; /* lists of pointers end in NULL */
    if (c->room >= n)
        return 0;
    compare_free(c);
    c->row = calloc(n, sizeof(*c->row));
    c->unknown = calloc(n, sizeof(struct run_node *));
    c->order = calloc(n, sizeof(struct run_node *));
    c->told = calloc(n, sizeof(struct compare_row *));
    if (!c->row || !c->unknown || !c->order || !c->told) {
        compare_free(c);
        return -ENOMEM;
    }
    c->room = n;
    return 0;
}

void compare_clear(struct comparison *c) {
    *c = (struct comparison){
        .row = c->row, .unknown = c->unknown, .order = c->order, .told = c->told, .room = c->room};
}

int compare_again(struct comparison *c, const struct compare_side *a, const struct compare_side *b,
                  const struct compare_options *opt, struct err *err) {
    const struct sides s = {a, b, opt};
    int rc = compare_reserve(c, a->n_node + b->n_node);
    if (rc < 0)
        return err_set(err, rc, "comparing %s with %s: out of memory", a->name, b->name);
    compare_clear(c);
    c->measured_s_a = a->measured_s;
    c->measured_s_b = b->measured_s;
    c->ran_through = a->ran_through && b->ran_through;
    c->confidence = opt->confidence;
    c->watched = opt->watched;
    join_sides(c, &s);
    for (size_t i = 0; i < c->n_row; i++)
        if (c->row[i].a && c->row[i].b)
            compare_values(&c->row[i], &s);
    decide(c, &s);
    explain_rows(c, &s);
    sort_in_place(c->row, c->n_row, sizeof(*c->row), by_effect);
    for (size_t i = 0; i < c->n_row; i++)
        c->n_verdict[c->row[i].verdict]++;
    return 0;
}

int compare_sides(const struct compare_side *a, const struct compare_side *b,
                  const struct compare_options *opt, struct comparison *out, struct err *err) {
    *out = (struct comparison){0};
    return compare_again(out, a, b, opt, err);
}

void compare_free(struct comparison *c) {
    free(c->row);
    free(c->unknown);
    free(c->order);
    free(c->told);
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

/* Rows are in that order. */
const struct compare_row *compare_largest_unsure(const struct comparison *c) {
    for (size_t i = 0; i < c->n_row; i++)
        if (c->row[i].verdict == VERDICT_UNSURE && !isnan(c->row[i].needed))
            return &c->row[i];
    return NULL;
}
