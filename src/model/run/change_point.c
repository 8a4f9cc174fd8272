#include "model/run/change_point.h"

#include "model/load/model.h"

#include <math.h>
#include <string.h>

enum {
    NEWER_LEAST = 3, /* intervals of the newer part: fewer are outliers */
    OLDER_LEAST = 8, /* intervals of a level before its noise is believed */
    OWN = 16,        /* intervals that a level needs to be calmer than the one before */
    ON_WAY_MOST = 5, /* more intervals on the way to a level are one of their own */
    SKIP = 8,        /* newest intervals that the correlation of the level is taken without */
    PRIOR_N = 20,    /* values that the assumption about the correlation is worth */
    POOL_N = 48,     /* intervals that the correlation of all metrics is worth for one of them */
};

/* Of the mean over all metrics, until there are many intervals. */
#define PRIOR_RHO 0.4
#define RHO_MOST  0.95
/* Normal deviates that a change needs, and that its end needs to move on. Both by simulation
 * (tests/bench/bench_changes.c): the first so that changes are found where there are none less
 * than once in an hour. */
#define FOUND  4.42
#define MOVED  4.0
#define CUT_SD 4.5
/* What counts as constant: a change that matters is then sure at once. */
#define NOISE_LEAST (1.0 / 3)

/* ---- life ---- */

static void forget_level(struct change_metric *m) {
    m->n = m->sum = m->squares = m->pairs = m->products = 0;
    m->origin = m->newest = m->rho_now = NAN;
}

static void add_metric(struct change_point *cp, int metric, double points, double relative) {
    if (metric == METRIC_NONE || cp->n_metric == CHANGE_METRICS)
        return;
    struct change_metric *m = &cp->at[cp->n_metric++];
    *m =
        (struct change_metric){.metric = metric, .points = points, .relative = relative, .sd = NAN};
    forget_level(m);
}

void change_point_init_plain(struct change_point *cp, int n, double points, double relative) {
    *cp = (struct change_point){.metric = METRIC_NONE, .rho = PRIOR_RHO};
    for (int i = 0; i < n; i++)
        add_metric(cp, i, points, relative);
}

void change_point_init(struct change_point *cp, const struct model *m) {
    change_point_init_plain(cp, 0, 0, 0);
    add_metric(cp, model_find(m, "IPC"), 0, 0.02);
    add_metric(cp, model_find(m, "CPUs_Utilized"), 0.05, 0.05);
    for (int i = 0; i < (int)m->n_tree; i++)
        if (m->metric[i].level == 1 && m->metric[i].share)
            add_metric(cp, i, 0.01, 0);
}

/* ---- noise ---- */

/* n var(mean of n) / var, of an AR(1) process. */
static double inflation(double n, double rho) {
    const double rest = 1 - rho;
    return (1 + rho) / rest - 2 * rho * (1 - pow(rho, n)) / (n * rest * rest);
}

/* The correlation of neighbours, its bias taken out (Kendall 1954); NAN: too few. */
static double correlation(const struct change_metric *s) {
    const double mean = s->sum / s->n, var = s->squares / s->n - mean * mean;
    if (s->n < OLDER_LEAST || s->pairs < 2 || !(var > 0))
        return NAN;
    const double r = (s->products / s->pairs - mean * mean) / var;
    return fmin((s->n * r + 1) / (s->n - 3), 1);
}

/* Drawn to the mean of all metrics, the more the less there is to go by. */
static double rho_of(const struct change_point *cp, const struct change_metric *older) {
    const double r = correlation(older), n = isnan(r) ? 0 : older->n;
    const double own = (n * (n > 0 ? r : 0) + POOL_N * cp->rho) / (n + POOL_N);
    return fmin(fmax(own, 0), RHO_MOST);
}

struct noise {
    double sd, rho, dof;
};

static double least_change(const struct change_metric *m, double level) {
    return fmax(m->points, m->relative * fabs(level));
}

static struct noise noise_of(const struct change_point *cp, const struct change_metric *m,
                             const struct change_metric *older) {
    struct noise w = {.rho = rho_of(cp, older), .sd = NAN};
    const double n = older->n, level = m->origin + older->sum / n;
    const double least = NOISE_LEAST * least_change(m, level);
    const double left = n - inflation(n, w.rho); /* values that follow each other differ less */
    const double squares = older->squares - older->sum * older->sum / n;
    w.dof = fmax((n - 1) * (1 - w.rho * w.rho) / (1 + w.rho * w.rho), 1);
    if (n >= 2 && left > 0.5)
        w.sd = sqrt(fmax(squares, 0) / left);
    if (n < OWN && !isnan(m->sd)) {
        w.sd = fmax(w.sd, m->sd); /* fmax knows NAN */
        w.dof = fmax(w.dof, OLDER_LEAST);
    } else if (n < OLDER_LEAST)
        w.sd = NAN;
    w.sd = w.sd < least ? least : w.sd;
    return w;
}

/* The normal deviate that is as rare as a t of that many degrees of freedom (Wallace 1959). */
static double as_normal(double t, double dof) {
    return (8 * dof + 1) / (8 * dof + 3) * sqrt(dof * log1p(t * t / dof));
}

/* How sure the difference of the means of both parts is; 0: not at all, or it does not matter. */
static double judge(const struct change_point *cp, const struct change_metric *m,
                    const struct change_metric *older, double n_newer, double newer,
                    double least_z) {
    if (older->n < 2 || n_newer < 1)
        return 0;
    const double mean = older->sum / older->n, by = fabs(newer / n_newer - mean);
    const double each = 1 / older->n + 1 / n_newer,
                 sample = older->squares / older->n - mean * mean;
    if (by < least_change(m, m->origin + mean) || by * by < least_z * least_z * sample * each)
        return 0;
    const struct noise w = noise_of(cp, m, older);
    if (isnan(w.sd))
        return 0;
    const double of_means =
        inflation(older->n, w.rho) / older->n + inflation(n_newer, w.rho) / n_newer;
    return as_normal(by / (w.sd * sqrt(of_means)), w.dof);
}

/* ---- the level ---- */

static int ring(const struct change_point *cp, uint32_t ago) {
    return (int)((cp->n_taken - 1 - ago) % CHANGE_WINDOW);
}

/* Values far from the level count as at its edge. */
static double cut(const struct change_point *cp, const struct change_metric *m, double v) {
    const struct noise w = m->n > 0 ? noise_of(cp, m, m) : (struct noise){.sd = NAN};
    const double mean = m->sum / m->n;
    if (isnan(w.sd))
        return v;
    const double most = CUT_SD * w.sd * sqrt(inflation(NEWER_LEAST, w.rho));
    return fmin(fmax(v, mean - most), mean + most);
}

static void enter(struct change_metric *m, double v) {
    if (!isnan(v)) {
        m->n++;
        m->sum += v;
        m->squares += v * v;
        if (!isnan(m->newest)) {
            m->pairs++;
            m->products += v * m->newest;
        }
    }
    m->newest = v;
}

static void take_value(struct change_point *cp, struct change_metric *m, double v) {
    const int at = ring(cp, 0);
    if (!isfinite(v))
        v = NAN;
    if (isnan(m->origin))
        m->origin = v;
    m->value[at] = v - m->origin;
    m->cut[at] = isnan(v) ? NAN : cut(cp, m, v - m->origin);
    enter(m, m->cut[at]);
}

/* The sums without the value that came `ago` intervals before the newest, which is their last. */
static void leave(const struct change_point *cp, const struct change_metric *m, uint32_t ago,
                  struct change_metric *s) {
    const double v = m->cut[ring(cp, ago)];
    const bool has_before = ago + 1 < cp->n_level && ago + 1 < CHANGE_WINDOW;
    const double before = has_before ? m->cut[ring(cp, ago + 1)] : NAN;
    if (isnan(v))
        return;
    s->n--;
    s->sum -= v;
    s->squares -= v * v;
    if (!isnan(before)) {
        s->pairs--;
        s->products -= v * before;
    }
}

/* ---- finding ---- */

struct split {
    double z;
    int metric;       /* of cp->at */
    uint32_t n_newer; /* intervals */
};

static uint32_t most_newer(const struct change_point *cp) {
    return cp->n_level < CHANGE_WINDOW ? cp->n_level : CHANGE_WINDOW - 1;
}

/* The surest split of a metric's level into two. */
static void find_split(struct change_point *cp, int metric, struct split *best) {
    struct change_metric *m = &cp->at[metric], s = *m;
    double n = 0, newer = 0;
    for (uint32_t k = 1; k <= most_newer(cp) && s.n > 2; k++) {
        const double v = m->cut[ring(cp, k - 1)];
        leave(cp, m, k - 1, &s);
        n += !isnan(v);
        newer += isnan(v) ? 0 : v;
        if (k == SKIP)
            m->rho_now = correlation(&s);
        const double z = n < NEWER_LEAST ? 0 : judge(cp, m, &s, n, newer, FOUND);
        if (z > best->z)
            *best = (struct split){z, metric, k};
    }
}

/* The sums of a metric's level without its newest n intervals. */
static struct change_metric older_part(const struct change_point *cp, const struct change_metric *m,
                                       uint32_t n) {
    struct change_metric s = *m;
    for (uint32_t k = 0; k < n; k++)
        leave(cp, m, k, &s);
    return s;
}

/* Where the metric leaves the level of the older part, by least squares of what was measured: the
 * split was found in values that are cut, and may have one too many. */
static uint32_t place_split(const struct change_point *cp, const struct split *at) {
    const struct change_metric *m = &cp->at[at->metric];
    const struct change_metric s = older_part(cp, m, at->n_newer);
    double n = 0, sum = 0, best = 0;
    uint32_t place = 0;
    for (uint32_t k = 1; k <= most_newer(cp); k++) {
        const double v = m->value[ring(cp, k - 1)];
        if (isnan(v))
            continue;
        n++;
        sum += v - s.sum / s.n;
        if (sum * sum / n > best) {
            best = sum * sum / n;
            place = k;
        }
    }
    return place;
}

static void pool_correlation(struct change_point *cp) {
    double sum = 0, n = 0, weight = 0;
    for (int i = 0; i < cp->n_metric; i++) {
        const struct change_metric *m = &cp->at[i];
        if (isnan(m->rho_now))
            continue;
        sum += m->rho_now;
        weight += m->n;
        n++;
    }
    if (n > 0)
        cp->rho = fmax((weight * sum / n + PRIOR_N * PRIOR_RHO) / (weight + PRIOR_N), 0);
}

/* Intervals before the split that are on their way to the new level already. */
static uint32_t on_the_way(const struct change_point *cp, const struct split *at) {
    const struct change_metric *m = &cp->at[at->metric];
    const struct change_metric s = older_part(cp, m, at->n_newer);
    const double mean = s.sum / s.n, sd = noise_of(cp, m, &s).sd;
    const double way = (m->sum - s.sum) / (m->n - s.n) > mean ? 1 : -1;
    uint32_t more = 0;
    while (at->n_newer + more < most_newer(cp) &&
           (m->cut[ring(cp, at->n_newer + more)] - mean) * way > 2.5 * sd)
        more++;
    return more;
}

/* The newest n intervals are the level: its sums are theirs, of what was really measured. */
static void begin_level(struct change_point *cp, uint32_t n) {
    for (int i = 0; i < cp->n_metric; i++) {
        struct change_metric *m = &cp->at[i];
        const double origin = m->origin;
        forget_level(m);
        m->origin = origin;
        for (uint32_t k = n; k-- > 0;) {
            m->cut[ring(cp, k)] = m->value[ring(cp, k)];
            enter(m, m->cut[ring(cp, k)]);
        }
    }
    cp->n_level = n;
    cp->level_ns = cp->t0_ns[ring(cp, n - 1)];
}

/* What is known of the noise when a level ends goes to the next. */
static void hand_noise(struct change_point *cp, uint32_t n_newer) {
    for (int i = 0; i < cp->n_metric; i++) {
        struct change_metric *m = &cp->at[i];
        const struct change_metric s = older_part(cp, m, n_newer);
        const struct noise w = s.n >= 2 ? noise_of(cp, m, &s) : (struct noise){.sd = NAN};
        if (isnan(w.sd))
            continue;
        m->sd = w.sd;
        m->rho = w.rho;
    }
}

/* How sure the older n_older values of a new level differ from the n newer ones; 0: that does not
 * matter. */
static double judge_way(const struct change_metric *m, double n_older, double older, double n,
                        double newer, double squares) {
    const double by = fabs(newer / n - older / n_older);
    const double own = n >= NEWER_LEAST ? fmax(squares - newer * newer / n, 0) / (n - 1) : 0;
    const double of_means = inflation(n, m->rho) / n + inflation(n_older, m->rho) / n_older;
    if (by < least_change(m, m->origin + newer / n))
        return 0;
    return by / sqrt(fmax(own, m->sd * m->sd) * of_means);
}

/* The newest intervals that are of the new level, if its first ones are not yet: 0, or how many. */
static uint32_t find_settled(const struct change_point *cp) {
    uint32_t best = 0;
    double best_z = MOVED;
    for (int i = 0; i < cp->n_metric; i++) {
        const struct change_metric *m = &cp->at[i];
        double n = 0, newer = 0, squares = 0;
        for (uint32_t k = 1; k < most_newer(cp) && !isnan(m->sd); k++) {
            const double v = m->cut[ring(cp, k - 1)];
            if (isnan(v) || n + 1 >= m->n)
                continue;
            n++;
            newer += v;
            squares += v * v;
            const double z = judge_way(m, m->n - n, m->sum - newer, n, newer, squares);
            if (z > best_z) {
                best_z = z;
                best = k;
            }
        }
    }
    return cp->n_level - best <= ON_WAY_MOST ? best : 0;
}

static bool settle(struct change_point *cp) {
    const uint32_t n = find_settled(cp);
    if (n == 0)
        return false;
    cp->left_out += cp->n_level - n;
    begin_level(cp, n);
    cp->settles = CHANGE_SETTLES;
    return true;
}

static enum change_status found(struct change_point *cp, const struct split *at) {
    const uint32_t more = on_the_way(cp, at);
    hand_noise(cp, at->n_newer + more);
    cp->left_ns = cp->t0_ns[ring(cp, at->n_newer + more - 1)];
    cp->left_out = more;
    cp->metric = cp->at[at->metric].metric;
    cp->n_found++;
    begin_level(cp, at->n_newer);
    cp->settles = CHANGE_SETTLES;
    settle(cp);
    return CHANGE_FOUND;
}

/* ---- intervals ---- */

enum change_status change_point_values(struct change_point *cp, const double *v, uint64_t t0_ns,
                                       uint64_t t1_ns) {
    struct split best = {.z = FOUND};
    cp->n_taken++;
    cp->n_level++;
    cp->t0_ns[ring(cp, 0)] = t0_ns;
    cp->t1_ns[ring(cp, 0)] = t1_ns;
    for (int i = 0; i < cp->n_metric; i++)
        take_value(cp, &cp->at[i], v[i]);
    if (cp->settles > 0) {
        cp->settles--;
        if (settle(cp))
            return CHANGE_MOVED;
    }
    for (int i = 0; i < cp->n_metric; i++)
        find_split(cp, i, &best);
    pool_correlation(cp);
    if (best.z > FOUND)
        best.n_newer = place_split(cp, &best);
    return best.z > FOUND && best.n_newer >= NEWER_LEAST ? found(cp, &best) : CHANGE_NONE;
}

enum change_status change_point_take(struct change_point *cp, const struct frame *f) {
    double v[CHANGE_METRICS];
    for (int i = 0; i < cp->n_metric; i++)
        v[i] = f->at[cp->at[i].metric].v;
    return change_point_values(cp, v, f->t0_ns, f->t1_ns);
}

void change_point_begin(struct change_point *cp) {
    hand_noise(cp, 0);
    for (int i = 0; i < cp->n_metric; i++)
        forget_level(&cp->at[i]);
    cp->n_level = 0;
    cp->settles = 0;
}

/* ---- breaks ---- */

/* From place i on there is room for one more. */
static void shift(struct breaks *b, int i) {
    memmove(&b->at[i + 1], &b->at[i], (size_t)(b->n - i) * sizeof(b->at[0]));
    b->n++;
}

struct break_point *breaks_add(struct breaks *b, uint64_t left_ns, uint64_t t_ns,
                               enum break_cause cause) {
    if (b->n == BREAKS_MOST)
        memmove(&b->at[0], &b->at[1], (size_t)--b->n * sizeof(b->at[0]));
    int i = b->n;
    while (i > 0 && b->at[i - 1].t_ns > t_ns)
        i--;
    shift(b, i);
    b->at[i] = (struct break_point){left_ns, t_ns, ++b->id, ++b->seq, cause, METRIC_NONE};
    return &b->at[i];
}

void breaks_move(struct breaks *b, uint64_t t_ns) {
    int i = b->n - 1;
    while (i >= 0 && b->at[i].cause != BREAK_LEVEL)
        i--;
    if (i < 0)
        return;
    struct break_point p = b->at[i];
    p.t_ns = t_ns;
    p.seq = ++b->seq;
    for (; i + 1 < b->n && b->at[i + 1].t_ns <= t_ns; i++)
        b->at[i] = b->at[i + 1];
    b->at[i] = p;
}

const char *break_words(enum break_cause cause) {
    static const char *const words[] = {
        [BREAK_START] = "the start",     [BREAK_LEVEL] = "the change",
        [BREAK_RESTART] = "the restart", [BREAK_PAUSE] = "the pause",
        [BREAK_MARK] = "the mark",       [BREAK_RESET] = "the reset",
        [BREAK_PIN] = "the pin",         [BREAK_SNAPSHOT] = "the snapshot",
    };
    return words[cause];
}
