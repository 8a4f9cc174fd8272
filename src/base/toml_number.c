/* TOML integers and floats. */
#include "base/toml_impl.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Value of a digit in any of the bases, 99 for other characters and the end. */
static unsigned digit_value(const struct toml_parser *ps, const char *p) {
    if (p >= ps->end)
        return 99;
    if (*p >= '0' && *p <= '9')
        return (unsigned)(*p - '0');
    const char c = (char)(*p | 0x20);
    return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10) : 99;
}

/* Moves *p past digits with single underscores between them. */
static int skip_digits(struct toml_parser *ps, const char **p, unsigned base, const char *what) {
    if (digit_value(ps, *p) >= base)
        return toml_fail_expected(ps, *p, "%s", what);
    while (digit_value(ps, *p) < base) {
        (*p)++;
        if (*p >= ps->end || **p != '_')
            continue;
        (*p)++;
        if (digit_value(ps, *p) >= base)
            return toml_fail_expected(ps, *p, "a digit after '_'");
    }
    return 0;
}

static bool at_delimiter(const struct toml_parser *ps, const char *p) {
    return p >= ps->end || strchr(" \t\r\n,]}#", *p);
}

static int expect_delimiter(struct toml_parser *ps, const char *p) {
    if (!at_delimiter(ps, p))
        return toml_fail_expected(ps, p, "the end of the number");
    ps->p = p;
    return 0;
}

static int integer_value(struct toml_parser *ps, const char *start, const char *end, unsigned base,
                         bool negative, struct toml *out) {
    int64_t v = 0; /* summed up below zero, where there is one number more */
    bool over = false;
    for (const char *p = start; p < end; p++) {
        if (*p == '_')
            continue;
        over |= __builtin_mul_overflow(v, (int64_t)base, &v);
        over |= __builtin_sub_overflow(v, (int64_t)digit_value(ps, p), &v);
    }
    if (over || (!negative && v == INT64_MIN))
        return toml_fail(ps, ps->p,
                         "found an integer beyond 64 bits; expected -9223372036854775808 to "
                         "9223372036854775807");
    out->type = TOML_INTEGER;
    out->integer = negative ? v : -v;
    return expect_delimiter(ps, end);
}

/* "0x", "0o", "0b": no sign, leading zeros allowed, at least one digit. */
static int prefixed_integer(struct toml_parser *ps, unsigned base, struct toml *out) {
    const char *p = ps->p + 2;
    const int rc = skip_digits(ps, &p, base,
                               base == 16  ? "a hexadecimal digit"
                               : base == 8 ? "an octal digit"
                                           : "a binary digit");
    return rc < 0 ? rc : integer_value(ps, ps->p + 2, p, base, false, out);
}

static int float_value(struct toml_parser *ps, const char *end, struct toml *out) {
    char small[64], *digits = small;
    if ((size_t)(end - ps->p) >= sizeof(small))
        digits = toml_alloc(ps, (size_t)(end - ps->p) + 1);
    if (!digits)
        return -ENOMEM;
    char *q = digits;
    for (const char *p = ps->p; p < end; p++)
        if (*p != '_')
            *q++ = *p;
    *q = '\0';
    out->type = TOML_FLOAT;
    out->real = strtod_l(digits, NULL, ps->c_locale);
    return expect_delimiter(ps, end);
}

static bool word_at(const struct toml_parser *ps, const char *p, const char *word) {
    return ps->end - p >= 3 && memcmp(p, word, 3) == 0;
}

static int decimal(struct toml_parser *ps, const char *p, bool negative, struct toml *out) {
    const char *digits = p;
    int rc = skip_digits(ps, &p, 10, "a digit");
    if (rc < 0)
        return rc;
    if (*digits == '0' && p - digits > 1)
        return toml_fail(ps, digits, "found a leading zero; expected a number without it");
    const bool point = p < ps->end && *p == '.';
    if (point) {
        p++;
        rc = skip_digits(ps, &p, 10, "a digit after the decimal point");
        if (rc < 0)
            return rc;
    }
    const bool exponent = p < ps->end && (*p == 'e' || *p == 'E');
    if (exponent) {
        p++;
        p += p < ps->end && (*p == '+' || *p == '-');
        rc = skip_digits(ps, &p, 10, "a digit of the exponent");
        if (rc < 0)
            return rc;
    }
    if (point || exponent)
        return float_value(ps, p, out);
    return integer_value(ps, digits, p, 10, negative, out);
}

int toml_number_or_date(struct toml_parser *ps, struct toml *out) {
    static const struct {
        char letter;
        unsigned base;
    } prefixes[] = {{'x', 16}, {'o', 8}, {'b', 2}};
    if (toml_is_date(ps))
        return toml_date(ps, out);
    const bool negative = *ps->p == '-', sign = negative || *ps->p == '+';
    const char *p = ps->p + sign;
    if (word_at(ps, p, "inf") || word_at(ps, p, "nan")) {
        out->type = TOML_FLOAT;
        out->real = *p == 'i' ? (double)INFINITY : (double)NAN;
        out->real = negative ? -out->real : out->real;
        return expect_delimiter(ps, p + 3);
    }
    for (size_t i = 0; !sign && i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
        if (ps->end - p >= 2 && p[0] == '0' && p[1] == prefixes[i].letter)
            return prefixed_integer(ps, prefixes[i].base, out);
    if (!sign && digit_value(ps, p) >= 10)
        return toml_fail_expected(ps, p, "a value (strings stand in quotes)");
    return decimal(ps, p, negative, out);
}
