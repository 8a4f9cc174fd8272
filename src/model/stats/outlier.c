#include "model/stats/outlier.h"

#include "model/stats/moments.h"

#include <math.h>

static double mean_of(const double *v, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i];
    return n ? sum / (double)n : NAN;
}

/* Two passes, so that a small spread around a large mean is not lost. */
static double sd_of(const double *v, size_t n, double mean) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (v[i] - mean) * (v[i] - mean);
    return n > 1 ? sqrt(sum / (double)(n - 1)) : NAN;
}

/* How far value i is from the mean of the others, beside what one more of them would be. */
static double studentized(const double *v, size_t n, size_t i, double mean, double sd) {
    const double others = (mean * (double)n - v[i]) / (double)(n - 1), far = v[i] - mean;
    const double sum = (double)(n - 1) * sd * sd - (double)n / (double)(n - 1) * far * far;
    const double sd_others = sqrt((sum > 0 ? sum : 0) / (double)(n - 2));
    return (v[i] - others) / (sd_others * sqrt(1 + 1 / (double)(n - 1)));
}

struct outlier_sum outlier_find(const double *v, size_t n, struct outlier *out) {
    const double mean = mean_of(v, n), sd = sd_of(v, n, mean);
    const bool varies = sd > 1e-12 * fabs(mean); /* else rounding would have its say */
    const double limit = n >= OUTLIER_LEAST ? student_quantile(0.995, (double)n - 2) : INFINITY;
    for (size_t i = 0; i < n; i++) {
        out[i].rolling =
            i + 1 >= OUTLIER_WINDOW ? mean_of(v + i + 1 - OUTLIER_WINDOW, OUTLIER_WINDOW) : NAN;
        out[i].z = varies ? (v[i] - mean) / sd : NAN;
        out[i].anomaly =
            varies && n >= OUTLIER_LEAST && fabs(studentized(v, n, i, mean, sd)) > limit;
    }
    return (struct outlier_sum){n, mean, sd};
}

/* Of one value in its group; 0 where no group tells. */
static double variance_within(const struct outlier_of *of, size_t n) {
    double sum = 0, degrees = 0;
    for (size_t i = 0; i < n; i++)
        if (of[i].n > 1 && isfinite(of[i].sd)) {
            sum += (double)(of[i].n - 1) * of[i].sd * of[i].sd;
            degrees += (double)(of[i].n - 1);
        }
    return degrees > 0 ? sum / degrees : 0;
}

void outlier_groups(const struct outlier_of *of, size_t n, struct outlier_group *out) {
    const double within = variance_within(of, n), others = (double)n - 1;
    double sum = 0, square = 0, inverse = 0;
    for (size_t i = 0; i < n; i++) {
        sum += of[i].mean / (double)n;
        inverse += 1 / (double)of[i].n;
    }
    for (size_t i = 0; i < n; i++) /* about the mean, so that nothing is lost to cancellation */
        square += (of[i].mean - sum) * (of[i].mean - sum);
    for (size_t i = 0; i < n; i++) {
        const double off = of[i].mean - sum;
        out[i] = (struct outlier_group){n > 1 ? off * (double)n / others : NAN, NAN};
        /* what is left without this one: sum of squares about the mean of the others */
        const double rest = square - off * off * (double)n / others;
        if (n < OUTLIER_LEAST || rest <= square * 1e-12)
            continue;
        const double variance = rest / (others - 1), one = 1 / (double)of[i].n;
        const double more = within * (one - (inverse - one) / others);
        const double t = out[i].by / sqrt(variance * (1 + 1 / others) + fmax(more, 0));
        out[i].p = fmin(1, student_tail(fabs(t), others - 1) * (double)n);
    }
}
