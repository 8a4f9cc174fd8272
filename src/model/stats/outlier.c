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

void outlier_groups(const double *mean, size_t n, struct outlier_group *out) {
    double sum = 0, square = 0;
    for (size_t i = 0; i < n; i++)
        sum += mean[i] / (double)n;
    for (size_t i = 0; i < n; i++) /* about the mean, so that nothing is lost to cancellation */
        square += (mean[i] - sum) * (mean[i] - sum);
    const double others = (double)n - 1;
    for (size_t i = 0; i < n; i++) {
        const double off = mean[i] - sum;
        out[i] = (struct outlier_group){n > 1 ? off * (double)n / others : NAN, NAN};
        /* what is left without this one: sum of squares about the mean of the others */
        const double rest = square - off * off * (double)n / others;
        if (n < OUTLIER_LEAST || rest <= square * 1e-12)
            continue;
        const double sd = sqrt(rest / (others - 1));
        const double t = out[i].by / (sd * sqrt(1 + 1 / others));
        out[i].p = fmin(1, student_tail(fabs(t), others - 1) * (double)n);
    }
}
