/*
 * Student's t and Fisher's F, both from the incomplete beta function by its continued fraction
 * (Abramowitz and Stegun, 26.5.8, 26.6.2 and 26.7.1; evaluated after Lentz 1976).
 */
#include "model/stats/moments.h"

#include <math.h>

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

/* I_x(a, b); y is 1 - x, given apart because it may be far smaller than what a double can take
 * from 1. */
static double beta_part(double a, double b, double x, double y) {
    if (!(x > 0.0))
        return 0.0;
    if (!(y > 0.0))
        return 1.0;
    const double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(y));
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
    const double of = lgamma((dof + 1.0) / 2.0) - lgamma(dof / 2.0) - 0.5 * log(dof * M_PI);
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
