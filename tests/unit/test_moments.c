/* How sure a mean is: against tables, against arithmetic, and against noise of known memory. */
#include "count_malloc.h"
#include "model/stats/moments.h"
#include "model_fixture.h"
#include "noise.h"

/* ---- distributions ---- */

static void student_table(void **state) {
    (void)state;
    /* Two-sided quantiles as tables have them (Abramowitz and Stegun, table 26.10). */
    static const struct {
        double p, dof, t;
    } cases[] = {
        {0.95, 1, 12.7062},  {0.95, 2, 4.3027},    {0.95, 9, 2.2622},    {0.95, 30, 2.0423},
        {0.99, 5, 4.0321},   {0.99, 60, 2.6603},   {0.998, 10, 4.1437},  {0.998, 120, 3.1595},
        {0.5, 1, 1.0},       {0.5, 4, 0.7407},     {0.95, 1e7, 1.95996}, {0.0, 7, 0.0},
        {0.9999, 3, 28.000}, {0.95, 2.5, 3.57465},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const double t = student_quantile(cases[i].p, cases[i].dof);
        if (fabs(t - cases[i].t) > 1e-4 * fmax(1.0, cases[i].t))
            fail_msg("p %g dof %g: %.6f, not %.6f", cases[i].p, cases[i].dof, t, cases[i].t);
        const double tail = student_tail(-t, cases[i].dof); /* either sign */
        if (fabs(tail - (1.0 - cases[i].p)) > 1e-9)
            fail_msg("p %g dof %g: tail %.9f", cases[i].p, cases[i].dof, tail);
    }
    /* One degree of freedom is Cauchy's, with its tail in closed form; so is one of two. */
    for (double t = 1e-6; t < 1e12; t *= 7) {
        assert_true(same_number(student_tail(t, 1), 2 / M_PI * atan(1 / t), 1e-10));
        assert_true(same_number(student_tail(t, 2), 1 - t / sqrt(2 + t * t), 1e-8) || t > 1e3);
    }
    assert_true(isnan(student_tail(NAN, 3)) && isnan(student_tail(1, 0)));
    assert_true(isnan(student_quantile(1.0, 3)) && isnan(student_quantile(0.9, -1)));
    assert_true(student_tail(INFINITY, 3) == 0.0);
}

static void fisher_table(void **state) {
    (void)state;
    /* Integrals of the density by Simpson's rule. */
    static const struct {
        double f, above, below, p;
    } cases[] = {
        {4.0662, 3, 8, 0.0499995}, {2.3479, 12, 18, 0.0495173}, {6.0, 1, 1, 0.2467517},
        {5.417, 3, 13, 0.0122315}, {3.3, 6, 40.5, 0.0097444},   {1.0, 7, 7, 0.5},
        {0.0, 3, 3, 1.0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const double p = fisher_tail(cases[i].f, cases[i].above, cases[i].below);
        if (fabs(p - cases[i].p) > 1e-6)
            fail_msg("F %g (%g, %g): %.6f, not %.6f", cases[i].f, cases[i].above, cases[i].below, p,
                     cases[i].p);
    }
    /* With one degree above it is Student's, squared. */
    for (double t = 0.1; t < 30; t *= 2)
        assert_true(same_number(fisher_tail(t * t, 1, 6.5), student_tail(t, 6.5), 1e-9));
}

/* ---- values ---- */

static void mean_and_spread(void **state) {
    (void)state;
    enum { N = 1000 };
    struct noise_random r = {.state = 5};
    struct moments m = {0};
    double x[N], sum = 0, squares = 0, least = INFINITY, most = -INFINITY;
    for (int i = 0; i < N; i++) {
        x[i] = 1e6 + noise_normal(&r);
        moments_add(&m, x[i]);
        moments_add(&m, i % 2 ? (double)NAN : (double)INFINITY); /* left out */
        sum += x[i];
        least = fmin(least, x[i]);
        most = fmax(most, x[i]);
    }
    for (int i = 0; i < N; i++)
        squares += (x[i] - sum / N) * (x[i] - sum / N);
    const struct moments_result got = moments_result(&m);
    assert_int_equal(got.n, N);
    assert_true(same_number(got.mean, sum / N, 1e-14));
    assert_true(same_number(got.sd, sqrt(squares / (N - 1)), 1e-9));
    assert_true(got.least == least && got.most == most);
}

/* Every value is in one batch, whenever one looks. */
static void batches_hold_all(void **state) {
    (void)state;
    struct moments m = {0};
    for (int i = 1; i <= 5000; i++) {
        moments_add(&m, i);
        assert_int_equal(m.n_batch * m.batch_len + m.in_last, i);
        assert_true(m.n_batch <= MOMENTS_BATCHES && m.in_last < m.batch_len);
        double sum = m.last;
        for (uint32_t k = 0; k < m.n_batch; k++)
            sum += m.batch[k] * m.batch_len;
        assert_true(same_number(sum, i * (i + 1) / 2.0, 1e-12));
    }
    assert_true(m.n_batch > MOMENTS_BATCHES / 2);
}

static void too_few(void **state) {
    (void)state;
    struct moments m = {0};
    struct moments_result r = moments_result(&m);
    assert_true(r.n == 0 && isnan(r.mean) && isnan(r.sd) && isnan(r.se) && r.dof == 0);
    moments_add(&m, 3.0);
    r = moments_result(&m);
    assert_true(r.mean == 3.0 && r.least == 3.0 && r.most == 3.0 && isnan(r.sd) && isnan(r.se));
    moments_add(&m, 5.0); /* two tell something: little */
    r = moments_result(&m);
    assert_true(r.se >= r.sd / sqrt(2) && r.dof == 1);
    moments_reset(&m);
    for (int i = 0; i < 200; i++) /* a trend has no mean to be sure of */
        moments_add(&m, i);
    r = moments_result(&m);
    assert_true(r.dof == 2 && r.se > r.sd / 2 && r.effective_n < 2);
}

static void a_constant_is_sure(void **state) {
    (void)state;
    struct moments m = {0};
    for (int i = 0; i < 50; i++)
        moments_add(&m, 0.1);
    const struct moments_result r = moments_result(&m);
    assert_true(r.se == 0.0 && r.dof == 49 && r.effective_n == 50);
}

/* ---- the standard error against what it should be ---- */

/* Variance of the mean of n values of AR(1) noise of variance 1 (exact). */
static double ar1_variance(double phi, int n) {
    double sum = n;
    for (int k = 1; k < n; k++)
        sum += 2.0 * (n - k) * pow(phi, k);
    return sum / n / n;
}

static void noise_with_a_memory(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double phi;
        int n;
        double least_known; /* part of the metrics that have a standard error */
    } cases[] = {
        {"white", 0, 30, 0.9},       {"white", 0, 60, 1},           {"white", 0, 3600, 1},
        {"AR(1) 0.5", 0.5, 60, 0.5}, {"AR(1) 0.5", 0.5, 300, 1},    {"AR(1) 0.8", 0.8, 300, 0.8},
        {"AR(1) 0.8", 0.8, 3600, 1}, {"AR(1) 0.95", 0.95, 3600, 1},
    };
    static struct noise_run run;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        enum { TIMES = 12 };
        const struct noise how = {NOISE_AR1, cases[i].phi, 0, 0, 0};
        struct noise_random r = {.state = 100 + i};
        struct noise_program p;
        double sum = 0;
        int known = 0;
        for (int k = 0; k < TIMES; k++) {
            noise_program(&r, &how, &p);
            noise_run(&r, &how, &p, cases[i].n, 0, &run);
            for (int m = 0; m < METRICS; m++) {
                const struct moments_result *got = &run.result[m];
                known += !isnan(got->se);
                sum += isnan(got->se) ? 0 : got->se * got->se;
                if (!isnan(got->se))
                    assert_true(got->effective_n <= cases[i].n && got->dof >= 1);
            }
        }
        const double ratio = sqrt(sum / known / ar1_variance(cases[i].phi, cases[i].n)) / 0.02;
        if (known < cases[i].least_known * TIMES * METRICS)
            fail_msg("%s, %d: only %d known", cases[i].name, cases[i].n, known);
        if (!(ratio > 0.95 && ratio < 1.5)) /* rather too wide than too narrow */
            fail_msg("%s, %d: standard errors are %.2f times what is true", cases[i].name,
                     cases[i].n, ratio);
    }
}

/* What is seen of a memory that outlasts the run is a wide interval of few degrees of freedom. */
static void a_long_memory_is_not_believed(void **state) {
    (void)state;
    static struct noise_run run;
    static const struct noise cases[] = {
        {NOISE_AR1, 0.95, 0, 0, 0}, {NOISE_AR1, 0.99, 0, 0, 0}, {NOISE_PHASES, 0, 27, 8, 0}};
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        for (int n = 30; n <= 60; n += 30) {
            struct noise_random r = {.state = 1};
            struct noise_program p;
            int believed = 0;
            for (int k = 0; k < 20; k++) {
                noise_program(&r, &cases[i], &p);
                noise_run(&r, &cases[i], &p, n, 0, &run);
                for (int m = 0; m < METRICS; m++)
                    believed += run.result[m].dof > 8;
            }
            if (believed > 20 * METRICS / 10)
                fail_msg("case %zu, %d: %d of %d", i, n, believed, 20 * METRICS);
        }
}

/* Alone a metric is told by the same rules, but surer margins; one in many by those of all. */
static void alone_and_among_others(void **state) {
    (void)state;
    static struct noise_run run;
    const struct noise how = {NOISE_AR1, 0, 0, 0, 0};
    struct noise_random r = {.state = 3};
    struct noise_program p;
    int alone = 0, among = 0;
    for (int k = 0; k < 20; k++) {
        noise_program(&r, &how, &p);
        noise_run(&r, &how, &p, 30, 0, &run);
        for (int m = 0; m < METRICS; m++) {
            const struct moments_result one = moments_result(&run.moments[m]);
            alone += one.dof > 20;
            among += run.result[m].dof > 20;
            assert_true(one.mean == run.result[m].mean && one.sd == run.result[m].sd);
        }
    }
    if (!(among > alone && among > 20 * METRICS / 3))
        fail_msg("%d alone, %d among others", alone, among);
}

static void nothing_is_allocated(void **state) {
    (void)state;
    static struct moments m[3];
    struct moments_result out[3];
    const unsigned long before = calls_now();
    for (int i = 0; i < 1000; i++)
        for (int k = 0; k < 3; k++)
            moments_add(&m[k], (i * 7919 + k) % 101);
    moments_results(m, 3, out);
    assert_int_equal(calls_now(), before);
    assert_false(isnan(out[0].se));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(student_table),
        cmocka_unit_test(fisher_table),
        cmocka_unit_test(mean_and_spread),
        cmocka_unit_test(batches_hold_all),
        cmocka_unit_test(too_few),
        cmocka_unit_test(a_constant_is_sure),
        cmocka_unit_test(noise_with_a_memory),
        cmocka_unit_test(a_long_memory_is_not_believed),
        cmocka_unit_test(alone_and_among_others),
        cmocka_unit_test(nothing_is_allocated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
