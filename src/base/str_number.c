/*
 * The shortest decimal that reads back as the same double. A double between 1e-15 and 1e15 is
 * m / 2^s; times the power of ten that makes it a number of 17 digits it is m * 5^d / 2^(s - d),
 * whose numerator is below 2^126, so that all of this is exact: its digits, and how far a number of
 * fewer digits may be away from it and be nearer to it than to its neighbours.
 */
#include "base/str.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 17 }; /* enough for any double */

static bool reads_back(const char *text, double v) {
    return strtod(text, NULL) == v; /* of a number that has no NAN */
}

/* The C library's own digits, the fewest of these that do; it leaves zeros at their end out. What
 * is smaller than any normal number has fewer than 15. */
static char *by_library(char *buf, size_t cap, double v) {
    for (int digits = fabs(v) < DBL_MIN ? 1 : DBL_DIG; digits <= DIGITS; digits++) {
        snprintf(buf, cap, "%.*g", digits, v);
        if (reads_back(buf, v))
            break;
    }
    return buf;
}

/* The digits of n before `end`. Returns the first. */
static char *digits_before(char *end, uint64_t n) {
    static const char pairs[] = "000102030405060708091011121314151617181920212223242526272829303132"
                                "3334353637383940414243444"
                                "546474849505152535455565758596061626364656667686970717273747576777"
                                "8798081828384858687888990"
                                "919293949596979899";
    for (; n >= 10; n /= 100) {
        end -= 2;
        memcpy(end, pairs + n % 100 * 2, 2);
    }
    if (n > 0)
        *--end = (char)('0' + n);
    return end;
}

/* n / 10^decimals, as "12.5", "0.00125"; below 1e-4 as "1.25e-05". */
static void put_digits(char *out, bool negative, uint64_t n, int decimals) {
    char digits[DIGITS + 3], *const end = digits + sizeof(digits);
    const char *at = digits_before(end, n);
    const int len = (int)(end - at), whole = len - decimals;
    if (negative)
        *out++ = '-';
    if (whole <= -4) {
        *out++ = *at++;
        if (len > 1)
            *out++ = '.';
        memcpy(out, at, (size_t)len - 1);
        memcpy(out + len - 1, "e-00", sizeof("e-00"));
        out[len + 1] = (char)('0' + (1 - whole) / 10);
        out[len + 2] = (char)('0' + (1 - whole) % 10);
        return;
    }
    if (whole > 0) {
        memcpy(out, at, (size_t)whole);
        out += whole;
    } else {
        memcpy(out, "0.0000", (size_t)(2 - whole));
        out += 2 - whole;
    }
    if (whole > 0 && decimals > 0)
        *out++ = '.';
    const int rest = whole > 0 ? decimals : len;
    memcpy(out, end - rest, (size_t)rest);
    out[rest] = '\0';
}

__extension__ typedef unsigned __int128 wide;

/* exact / 2^shift is the number times 10^decimals; the next number is power / 2^shift away. */
struct scaled {
    wide exact, power;
    int shift, decimals;
    bool low; /* the neighbour below is half as far away as the one above */
};

static bool is_near(const struct scaled *s, uint64_t n) {
    const wide at = (wide)n << s->shift;
    if (at < s->exact)
        return (s->exact - at) * (s->low ? 4 : 2) < s->power;
    return (at - s->exact) * 2 < s->power;
}

/* Takes what is left out from the decimals. */
static uint64_t fewest_digits(struct scaled *s) {
    const uint64_t all = (uint64_t)(s->exact >> s->shift);
    uint64_t n = (uint64_t)((s->exact + ((wide)1 << (s->shift - 1))) >> s->shift);
    for (uint64_t unit = 10; unit <= all; unit *= 10) {
        const uint64_t below = all - all % unit, above = below + unit;
        const bool up = all % unit >= unit / 2;
        if (is_near(s, up ? above : below))
            n = up ? above : below;
        else if (is_near(s, up ? below : above))
            n = up ? below : above;
        else
            break;
    }
    for (; s->decimals > 0 && n % 10 == 0; s->decimals--)
        n /= 10;
    return n;
}

/* 5^n, up to 31. */
static wide power_of_five(int n) {
    static const uint64_t fives[] = {
        1,      5,       25,      125,      625,       3125,       15625,      78125,
        390625, 1953125, 9765625, 48828125, 244140625, 1220703125, 6103515625, 30517578125};
    return (wide)fives[n & 15] * (n & 16 ? 152587890625u : 1);
}

char *str_number(char *buf, size_t cap, double v) {
    static const double powers[] = {1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8,
                                    1e-7,  1e-6,  1e-5,  1e-4,  1e-3,  1e-2,  1e-1, 1e0,
                                    1e1,   1e2,   1e3,   1e4,   1e5,   1e6,   1e7,  1e8,
                                    1e9,   1e10,  1e11,  1e12,  1e13,  1e14,  1e15};
    enum { MOST_DECIMALS = DIGITS - 1 + 15, ONE = 15 };
    const double size = fabs(v);
    if (cap < STR_NUMBER)
        return str_copy(buf, cap, "");
    if (size == 0)
        return str_copy(buf, cap, signbit(v) ? "-0" : "0");
    if (size < 1e15 && size == floor(size)) {
        put_digits(buf, signbit(v), (uint64_t)size, 0);
        return buf;
    }
    if (!(size >= powers[0] && size < 1e15))
        return by_library(buf, cap, v);
    int exponent, at = ONE; /* powers[at] <= size < powers[at + 1] */
    while (size < powers[at])
        at--;
    while (size >= powers[at + 1])
        at++;
    struct scaled s = {.low = frexp(size, &exponent) == 0.5, .decimals = MOST_DECIMALS - at};
    s.power = power_of_five(s.decimals);
    s.shift = DBL_MANT_DIG - exponent - s.decimals;
    s.exact = (wide)(uint64_t)ldexp(size, DBL_MANT_DIG - exponent) * s.power;
    const uint64_t n = fewest_digits(&s);
    put_digits(buf, signbit(v), n, s.decimals);
    return buf;
}
