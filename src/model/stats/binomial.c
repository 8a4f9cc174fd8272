#include "model/stats/binomial.h"

#include <math.h>

struct binomial binomial_wilson(double share, double n, double z) {
    if (!(n > 0))
        return (struct binomial){0, 1};
    const double zz = z * z / n, middle = (share + zz / 2) / (1 + zz);
    const double half = z / (1 + zz) * sqrt(share * (1 - share) / n + zz / (4 * n));
    /* It contains the share; at 0 and 1 rounding may leave it out. */
    return (struct binomial){fmin(share, fmax(0, middle - half)),
                             fmax(share, fmin(1, middle + half))};
}
