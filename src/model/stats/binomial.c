#include "model/stats/binomial.h"

#include <math.h>

struct binomial binomial_wilson(double share, double n, double z) {
    if (!(n > 0))
        return (struct binomial){0, 1};
    const double zz = z * z / n, middle = (share + zz / 2) / (1 + zz);
    const double half = z / (1 + zz) * sqrt(share * (1 - share) / n + zz / (4 * n));
    return (struct binomial){fmax(0, middle - half), fmin(1, middle + half)};
}
