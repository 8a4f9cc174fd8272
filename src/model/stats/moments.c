#include "model/stats/moments.h"

#include <math.h>
#include <string.h>

void moments_reset(struct moments *m) {
    memset(m, 0, sizeof(*m));
}

/* ---- one value at a time ---- */

/* Neighbours become one batch of twice the length. */
static void join_batches(struct moments *m) {
    for (uint32_t i = 0; i < MOMENTS_BATCHES / 2; i++)
        m->batch[i] = (m->batch[2 * i] + m->batch[2 * i + 1]) / 2.0;
    m->n_batch = MOMENTS_BATCHES / 2;
    m->batch_len *= 2;
}

static void add_to_batch(struct moments *m, double v) {
    if (m->batch_len == 0)
        m->batch_len = 1;
    if (m->n_batch == MOMENTS_BATCHES)
        join_batches(m);
    m->last += v;
    if (++m->in_last < m->batch_len)
        return;
    m->batch[m->n_batch++] = m->last / m->batch_len;
    m->last = 0.0;
    m->in_last = 0;
}

void moments_add(struct moments *m, double v) {
    if (!isfinite(v))
        return;
    m->n++;
    const double off = v - m->mean;
    m->mean += off / (double)m->n;
    m->m2 += off * (v - m->mean);
    m->least = m->n == 1 || v < m->least ? v : m->least;
    m->most = m->n == 1 || v > m->most ? v : m->most;
    add_to_batch(m, v);
}

/* ---- the memory of the batches ---- */

/*
 * Found by simulation (tests/bench/bench_compare.c statistics): at most 5 % false alarms over 20 to
 * 200 metrics under white noise, AR(1) noise of a memory up to 0.8 in all or half of the metrics,
 * and phases that show in the run, at the least cost in changes that are missed.
 */
enum { WAVES = 12, WAVES_FEW = 3, WAVES_SOME = 6, ALONE_ENOUGH = 8 };
static const double unsure = 0.6;        /* standard errors by which a memory is taken for longer */
static const double alone_margin = 1.64; /* the same without others: one in twenty is beyond */
static const double wave_chance = 0.05;  /* of the F test */
static const double few_weight = 0.9;    /* of the power of the three lowest waves */
static const double slow_weight = 1.15;  /* of that of the lowest one and two: slow phases */
static const double dof_least = 2.0;     /* 1 is three times as wide, and no surer among many */
static const double dof_pooled = 3.0;    /* more, where many metrics agree on the memory */
static const double memory_most = 0.97;  /* no AR(1) noise above it leaves anything to tell */
static const double part_most = 0.95;    /* of the variance, that the mean took */

/* What the batches of one metric are like. */
struct shape {
    uint32_t n;
    double variance;      /* of the batches */
    double memory, error; /* correlation of neighbours, bias taken out; its standard error */
    double wave[WAVES];   /* squared cosine transforms: of white noise, the variance / n each */
    int n_wave;
};

/* A table of cosines for one number of batches. */
struct waves {
    uint32_t n;
    int n_wave;
    double cosine[WAVES][MOMENTS_BATCHES];
};

static void waves_of(struct waves *w, uint32_t n) {
    if (w->n == n)
        return;
    w->n = n;
    w->n_wave = WAVES;
    while (w->n_wave > (int)n / 4)
        w->n_wave /= 2;
    for (int j = 0; j < w->n_wave; j++)
        for (uint32_t i = 0; i < n; i++)
            w->cosine[j][i] = cos(M_PI * (j + 1) * (i + 0.5) / n);
}

static double mean_of(const double *x, uint32_t n) {
    double sum = 0.0;
    for (uint32_t i = 0; i < n; i++)
        sum += x[i];
    return sum / n;
}

static void find_memory(struct shape *s, const double *x) {
    const double mean = mean_of(x, s->n), n = s->n;
    double squares = 0.0, products = 0.0;
    for (uint32_t i = 0; i < s->n; i++) {
        const double off = x[i] - mean;
        squares += off * off;
        products += i ? off * (x[i - 1] - mean) : 0.0;
    }
    const double r = squares > 0.0 ? products / squares : 0.0;
    s->variance = squares / (n - 1);
    /* Kendall: r is (1 + 4 times the true one) / n too small; of few values 1 + 4 r says it */
    const double by = n > 8 ? n / (n - 4) : 1 + 4 / n;
    s->memory = by * (r + 1 / n);
    s->error = by * sqrt(fmax(1.0 - r * r, 0.0) / n);
}

static void find_waves(struct shape *s, const double *x, const struct waves *w) {
    s->n_wave = w->n_wave;
    for (int j = 0; j < w->n_wave; j++) {
        double sum = 0.0;
        for (uint32_t i = 0; i < s->n; i++)
            sum += x[i] * w->cosine[j][i];
        s->wave[j] = 2.0 * sum * sum / ((double)s->n * s->n);
    }
}

/* False if there are too few batches, or nothing that varies beyond rounding. */
static bool find_shape(struct shape *s, const struct moments *m, struct waves *w) {
    *s = (struct shape){.n = m->n_batch};
    if (s->n < MOMENTS_LEAST)
        return false;
    find_memory(s, m->batch);
    const double rounding = 1e-13 * fmax(fabs(m->least), fabs(m->most));
    if (!(s->variance > rounding * rounding))
        return false;
    waves_of(w, s->n);
    find_waves(s, m->batch, w);
    return true;
}

/* ---- of many metrics ---- */

/* What the metrics of a run have in common: their memory, and how much theirs differ. */
struct pool {
    uint32_t batch_len, n_batch; /* of those it is of */
    uint32_t n;                  /* metrics; 0: there is none */
    double memory, scatter;      /* mean over the metrics, and variance between them */
    double alone;                /* of how many metrics that have nothing in common it is worth */
    double wave[WAVES];          /* mean power, in terms of white noise: 1 each */
};

static bool in_pool(const struct pool *p, const struct moments *m) {
    return m->batch_len == p->batch_len && m->n_batch == p->n_batch;
}

static void pool_add(struct pool *p, const struct shape *s) {
    const double off = s->memory - p->memory;
    p->n++;
    p->memory += off / p->n;
    p->scatter += off * (s->memory - p->memory);
    for (int j = 0; j < s->n_wave; j++)
        p->wave[j] += s->wave[j] * s->n / s->variance;
}

/* The batches of one metric, with mean 0 and squares that add up to 1. */
static void standard(const struct moments *m, const struct shape *s, double *x) {
    const double mean = mean_of(m->batch, s->n), by = sqrt(s->variance * (s->n - 1));
    for (uint32_t i = 0; i < s->n; i++)
        x[i] = (m->batch[i] - mean) / by;
}

static double correlation(const double *x, const double *y, uint32_t n) {
    double sum = 0.0;
    for (uint32_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/*
 * Metrics of one cause say the same, however many they are: n metrics whose correlations have the
 * mean square c are worth n / (1 + (n - 1) c). By chance alone c is (1 + r^2) / (1 - r^2) / values
 * (Bartlett 1935). Some metrics stand for all.
 */
enum { ASKED = 24 };

static double find_alone(const struct pool *p, const struct moments *m, uint32_t n,
                         struct waves *w) {
    double x[ASKED][MOMENTS_BATCHES];
    const uint32_t step = p->n > ASKED ? p->n / ASKED : 1;
    uint32_t k = 0, seen = 0;
    struct shape s;
    for (uint32_t i = 0; i < n && k < ASKED; i++)
        if (in_pool(p, &m[i]) && find_shape(&s, &m[i], w) && seen++ % step == 0)
            standard(&m[i], &s, x[k++]);
    double squares = 0.0;
    for (uint32_t i = 0; i < k; i++)
        for (uint32_t j = 0; j < i; j++)
            squares += pow(correlation(x[i], x[j], p->n_batch), 2);
    const double r = fmin(fmax(p->memory, 0.0), memory_most);
    const double chance = (1 + r * r) / (1 - r * r) / p->n_batch;
    const double common = k > 1 ? squares * 2 / k / (k - 1) : 1.0;
    return p->n / (1 + (p->n - 1) * fmax(common - chance, 0.0));
}

/* Of the metrics that were known most often: all of those had their values at the same times. */
static void pool_find(struct pool *p, const struct moments *m, uint32_t n, struct waves *w) {
    struct shape s;
    uint64_t most = 0;
    *p = (struct pool){0};
    for (uint32_t i = 0; i < n; i++)
        if (m[i].n > most) {
            most = m[i].n;
            p->batch_len = m[i].batch_len;
            p->n_batch = m[i].n_batch;
        }
    for (uint32_t i = 0; i < n; i++)
        if (in_pool(p, &m[i]) && find_shape(&s, &m[i], w))
            pool_add(p, &s);
    if (p->n == 0)
        return;
    p->scatter /= p->n > 1 ? p->n - 1 : 1;
    p->alone = find_alone(p, m, n, w);
    for (int j = 0; j < WAVES; j++)
        p->wave[j] /= p->n;
}

/* Mean power of the k lowest waves. */
static double power(const double *wave, int k) {
    double sum = 0.0;
    for (int j = 0; j < k; j++)
        sum += wave[j];
    return sum / k;
}

/* ---- the standard error ---- */

struct spread_of_mean {
    double variance, dof; /* of the mean */
};

static double ar1(double memory) {
    const double r = fmin(fmax(memory, 0.0), memory_most);
    return (1.0 + r) / (1.0 - r);
}

/* A metric's own memory, drawn to that of all by as much as chance can be what they differ by, and
 * a part of how unsure it is. What many metrics agree on costs fewer degrees of freedom. */
static double memory_of(const struct shape *s, const struct pool *p, bool pooled,
                        double *dof_floor) {
    *dof_floor = dof_least;
    const double chance = s->error * s->error;
    if (!pooled)
        return s->memory + alone_margin * s->error;
    const double real = fmax(p->scatter - chance * (1.0 - 1.0 / p->alone), 0.0);
    const double own = real / (real + chance);
    *dof_floor = dof_least + dof_pooled * (1.0 - own) * fmin((p->alone - 1.0) / ALONE_ENOUGH, 1.0);
    const double error = sqrt(chance / p->alone * (1.0 - own) * (1.0 - own) + own * chance);
    return p->memory + own * (s->memory - p->memory) + unsure * error;
}

/* Of the mean of n values of an AR(1) process, over that of a single one. */
static double ar1_of_mean(double r, double n) {
    return ((1 + r) / (1 - r) - 2 * r * (1 - pow(r, n)) / (n * (1 - r) * (1 - r))) / n;
}

/* How many times more the mean varies than with white noise, by the waves. */
static double waves_of_all(const struct shape *s, const struct pool *p) {
    const int some = s->n_wave < WAVES_SOME ? s->n_wave : WAVES_SOME;
    const double few = fmax(power(p->wave, some), few_weight * power(p->wave, WAVES_FEW));
    return fmax(few, slow_weight * fmax(power(p->wave, 1), power(p->wave, 2)));
}

/* Slow waves that are beyond chance say by themselves how the mean varies. */
static void test_waves(struct spread_of_mean *out, const struct shape *s) {
    for (int k = s->n_wave; k >= WAVES_FEW; k /= 2) {
        const double found = power(s->wave, k);
        if (found > out->variance && fisher_tail(found / out->variance, k, out->dof) < wave_chance)
            *out = (struct spread_of_mean){found, fmin(k, out->dof)};
    }
}

/* The mean has taken its part of what the values vary by. */
static void find_error(const struct shape *s, const struct pool *p, bool pooled,
                       struct spread_of_mean *out) {
    double dof_floor;
    const double n = s->n, r = fmin(fmax(memory_of(s, p, pooled, &dof_floor), 0.0), memory_most);
    const double part = fmin(ar1_of_mean(r, n), part_most), waves = pooled ? waves_of_all(s, p) : 1;
    const double by = fmax(ar1(r), waves);
    out->variance =
        s->variance * fmax(part / (1 - part) * (n - 1) / n, waves / n / fmax(1 - waves / n, 0.2));
    out->dof = fmax(n / by - 1.0, fmin(n - 1.0, dof_floor));
    test_waves(out, s);
}

static struct moments_result plain_result(const struct moments *m) {
    struct moments_result r = {.n = m->n,
                               .mean = NAN,
                               .sd = NAN,
                               .least = NAN,
                               .most = NAN,
                               .se = NAN,
                               .effective_n = NAN};
    if (m->n == 0)
        return r;
    r.mean = m->mean;
    r.least = m->least;
    r.most = m->most;
    if (m->n >= 2)
        r.sd = sqrt(m->m2 / (double)(m->n - 1));
    return r;
}

/*
 * What never varied in enough values is sure. Batches that are all alike do not say so: what is
 * left behind them, or cancels within each, varies all the same, and then nothing is known of the
 * mean.
 */
static void say_constant(struct moments_result *r) {
    if (r->most - r->least > 1e-12 * fmax(fabs(r->most), fabs(r->least)))
        return;
    r->se = 0.0;
    r->dof = (double)(r->n - 1);
    r->effective_n = (double)r->n;
}

static struct moments_result result_of(const struct moments *m, const struct pool *p, bool many,
                                       struct waves *w) {
    struct moments_result r = plain_result(m);
    struct shape s;
    struct spread_of_mean mean;
    if (m->n_batch < MOMENTS_LEAST)
        return r;
    if (!find_shape(&s, m, w)) {
        say_constant(&r);
        return r;
    }
    const bool pooled = many && p->n > 1 && m->batch_len == p->batch_len;
    find_error(&s, p, pooled, &mean);
    r.se = sqrt(mean.variance);
    r.dof = mean.dof;
    r.effective_n = fmin(r.sd * r.sd / mean.variance, (double)r.n);
    return r;
}

void moments_results(const struct moments *m, uint32_t n, struct moments_result *out) {
    struct waves w = {0};
    struct pool p;
    pool_find(&p, m, n, &w);
    for (uint32_t i = 0; i < n; i++)
        out[i] = result_of(&m[i], &p, true, &w);
}

struct moments_result moments_result(const struct moments *m) {
    struct waves w = {0};
    const struct pool none = {0};
    return result_of(m, &none, false, &w);
}

/* ---- Student's t and Fisher's F ---- */

/*
 * Both from the incomplete beta function by its continued fraction
 * (Abramowitz and Stegun, 26.5.8, 26.6.2 and 26.7.1; evaluated after Lentz 1976).
 */

#define TINY 1e-300

static double not_zero(double v) {
    return fabs(v) < TINY ? TINY : v;
}

/* The fraction of 26.5.8. */
static double beta_fraction(double a, double b, double x) {
    enum { STEPS = 400 };
    double c = 1.0, d = 1.0 / not_zero(1.0 - (a + b) * x / (a + 1.0)), h = d;
    for (int m = 1; m <= STEPS; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1.0 / not_zero(1.0 + even * d);
        c = not_zero(1.0 + even / c);
        h *= d * c;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1.0 / not_zero(1.0 + odd * d);
        c = not_zero(1.0 + odd / c);
        h *= d * c;
        if (fabs(d * c - 1.0) < 1e-15)
            break;
    }
    return h;
}

/* lgamma(3) writes a sign that all threads share. */
static double log_gamma(double x) {
    int sign;
    return lgamma_r(x, &sign);
}

/* I_x(a, b); y is 1 - x, given apart because it may be far smaller than what a double can take
 * from 1. */
static double beta_part(double a, double b, double x, double y) {
    if (!(x > 0.0))
        return 0.0;
    if (!(y > 0.0))
        return 1.0;
    const double front =
        exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log(y));
    if (x < (a + 1.0) / (a + b + 2.0))
        return front * beta_fraction(a, b, x) / a;
    return 1.0 - front * beta_fraction(b, a, y) / b;
}

double student_tail(double t, double dof) {
    if (isnan(t) || !(dof > 0.0))
        return NAN;
    const double square = t * t;
    if (isinf(square))
        return 0.0;
    return beta_part(dof / 2.0, 0.5, dof / (dof + square), square / (dof + square));
}

double normal_tail(double z) {
    return erfc(fabs(z) / M_SQRT2);
}

/* Newton's steps on the logarithm, which is concave, from beyond the answer: they come nearer from
 * there and never pass it. */
double normal_quantile(double tail) {
    if (!(tail > 0.0))
        return isnan(tail) ? NAN : INFINITY;
    double z = sqrt(-2.0 * log(fmin(tail, 1.0)));
    for (int i = 0; i < 100; i++) {
        const double at = normal_tail(z);
        const double step = log(at / tail) * at / (2.0 / sqrt(2.0 * M_PI) * exp(-z * z / 2.0));
        if (!(step < 0.0) || z + step == z)
            break;
        z = fmax(z + step, 0.0);
    }
    return z;
}

double fisher_tail(double f, double above, double below) {
    if (isnan(f) || !(above > 0.0) || !(below > 0.0))
        return NAN;
    if (!(f > 0.0))
        return 1.0;
    if (isinf(f))
        return 0.0;
    const double sum = below + above * f;
    return beta_part(below / 2.0, above / 2.0, below / sum, above * f / sum);
}

/* Of |t|, both sides together: minus the slope of student_tail. */
static double student_density(double t, double dof) {
    const double of = log_gamma((dof + 1.0) / 2.0) - log_gamma(dof / 2.0) - 0.5 * log(dof * M_PI);
    return 2.0 * exp(of - (dof + 1.0) / 2.0 * log1p(t * t / dof));
}

/* Newton's steps, kept inside of what is known to hold the answer. */
double student_quantile(double p, double dof) {
    if (!(p >= 0.0) || !(p < 1.0) || !(dof > 0.0))
        return NAN;
    double low = 0.0, high = 1.0;
    while (student_tail(high, dof) > 1.0 - p && high < 1e300) {
        low = high;
        high *= 2.0;
    }
    double t = low + (high - low) / 2.0;
    for (int i = 0; i < 200 && high - low > 1e-14 * high; i++) {
        const double over = student_tail(t, dof) - (1.0 - p);
        *(over > 0 ? &low : &high) = t;
        const double next = t + over / student_density(t, dof);
        if (fabs(next - t) <= 1e-13 * t)
            return next;
        t = next > low && next < high ? next : low + (high - low) / 2.0;
    }
    return t;
}
