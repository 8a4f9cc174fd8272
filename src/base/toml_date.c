/* TOML dates and times: RFC 3339 with optional parts left out. */
#include "base/toml_impl.h"

#include <string.h>

static bool digit_at(const struct toml_parser *ps, ptrdiff_t i) {
    return ps->end - ps->p > i && ps->p[i] >= '0' && ps->p[i] <= '9';
}

static bool char_at(const struct toml_parser *ps, ptrdiff_t i, char c) {
    return ps->end - ps->p > i && ps->p[i] == c;
}

/* "1979-..." or "07:...": no number looks like that. */
bool toml_is_date(const struct toml_parser *ps) {
    if (!digit_at(ps, 0) || !digit_at(ps, 1))
        return false;
    return char_at(ps, 2, ':') || (digit_at(ps, 2) && digit_at(ps, 3) && char_at(ps, 4, '-'));
}

/* Reads exactly n digits, a number from min to max. */
static int field(struct toml_parser *ps, int n, const char *what, int min, int max, int *out) {
    int v = 0;
    for (int i = 0; i < n; i++) {
        if (!digit_at(ps, i))
            return toml_fail_expected(ps, ps->p + i, "%s of %d digits", what, n);
        v = v * 10 + (ps->p[i] - '0');
    }
    if (v < min || v > max)
        return toml_fail(ps, ps->p, "found %s %0*d; expected %0*d to %0*d", what, n, v, n, min, n,
                         max);
    ps->p += n;
    *out = v;
    return 0;
}

static int separator(struct toml_parser *ps, char c, const char *where) {
    if (!char_at(ps, 0, c))
        return toml_fail_expected(ps, ps->p, "'%c' %s", c, where);
    ps->p++;
    return 0;
}

static int days_of_month(int year, int month) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

static int date(struct toml_parser *ps, struct toml_datetime *d) {
    int rc = field(ps, 4, "year", 0, 9999, &d->year);
    if (rc == 0)
        rc = separator(ps, '-', "after the year");
    if (rc == 0)
        rc = field(ps, 2, "month", 1, 12, &d->month);
    if (rc == 0)
        rc = separator(ps, '-', "after the month");
    if (rc == 0)
        rc = field(ps, 2, "day", 1, days_of_month(d->year, d->month), &d->day);
    return rc;
}

static int fraction(struct toml_parser *ps, int *nanosecond) {
    if (!digit_at(ps, 0))
        return toml_fail_expected(ps, ps->p, "a digit of the second");
    for (int unit = 100000000; digit_at(ps, 0); ps->p++, unit /= 10)
        *nanosecond += unit * (*ps->p - '0');
    return 0;
}

static int time_of_day(struct toml_parser *ps, struct toml_datetime *d) {
    int rc = field(ps, 2, "hour", 0, 23, &d->hour);
    if (rc == 0)
        rc = separator(ps, ':', "after the hour");
    if (rc == 0)
        rc = field(ps, 2, "minute", 0, 59, &d->minute);
    if (rc == 0)
        rc = separator(ps, ':', "after the minute");
    if (rc == 0)
        rc = field(ps, 2, "second", 0, 60, &d->second); /* 60: a leap second */
    if (rc < 0 || !char_at(ps, 0, '.'))
        return rc;
    ps->p++;
    return fraction(ps, &d->nanosecond);
}

/* Z, +hh:mm or -hh:mm. */
static int offset(struct toml_parser *ps, int *offset_min) {
    const char c = *ps->p++;
    if (c == 'Z' || c == 'z')
        return 0;
    int hour = 0, minute = 0;
    int rc = field(ps, 2, "offset hour", 0, 23, &hour);
    if (rc == 0)
        rc = separator(ps, ':', "in the offset");
    if (rc == 0)
        rc = field(ps, 2, "offset minute", 0, 59, &minute);
    *offset_min = (hour * 60 + minute) * (c == '-' ? -1 : 1);
    return rc;
}

/* The time may follow after T, t or one space; a space and no digit ends the date. */
static bool time_follows(const struct toml_parser *ps) {
    return char_at(ps, 0, 'T') || char_at(ps, 0, 't') || (char_at(ps, 0, ' ') && digit_at(ps, 1));
}

static int finish(struct toml_parser *ps, enum toml_type type, struct toml *out) {
    if (ps->p < ps->end && !strchr(" \t\r\n,]}#", *ps->p))
        return toml_fail_expected(ps, ps->p, "the end of the %s", toml_type_name(type));
    out->type = type;
    return 0;
}

int toml_date(struct toml_parser *ps, struct toml *out) {
    struct toml_datetime *d = &out->datetime;
    *d = (struct toml_datetime){-1, -1, -1, -1, -1, -1, 0, 0};
    int rc;
    if (char_at(ps, 2, ':')) {
        rc = time_of_day(ps, d);
        return rc < 0 ? rc : finish(ps, TOML_LOCAL_TIME, out);
    }
    rc = date(ps, d);
    if (rc < 0)
        return rc;
    if (!time_follows(ps))
        return finish(ps, TOML_LOCAL_DATE, out);
    ps->p++;
    rc = time_of_day(ps, d);
    if (rc < 0)
        return rc;
    if (ps->p >= ps->end || !strchr("Zz+-", *ps->p))
        return finish(ps, TOML_LOCAL_DATETIME, out);
    rc = offset(ps, &d->offset_min);
    return rc < 0 ? rc : finish(ps, TOML_OFFSET_DATETIME, out);
}
