#include "model/stats/outlier.h"

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

struct outlier_sum outlier_find(const double *v, size_t n, struct outlier *out) {
    const double mean = mean_of(v, n), sd = sd_of(v, n, mean);
    const bool varies = sd > 1e-12 * fabs(mean); /* else rounding would have its say */
    for (size_t i = 0; i < n; i++) {
        out[i].rolling =
            i + 1 >= OUTLIER_WINDOW ? mean_of(v + i + 1 - OUTLIER_WINDOW, OUTLIER_WINDOW) : NAN;
        out[i].z = varies ? (v[i] - mean) / sd : NAN;
        out[i].anomaly = varies && fabs(out[i].z) > 2.0;
    }
    return (struct outlier_sum){n, mean, sd};
}
