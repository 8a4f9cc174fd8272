#include "base/when.h"

#include "base/str.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECOND 1000000000ll

/* ---- spans ---- */

#define LONGEST_NS (73050ull * 86400 * SECOND) /* 200 years: what 64 bits hold beside a date */

int when_span(const char *text, uint64_t *ns, struct err *err) {
    const int rc = str_duration(text, 0, ns, NULL);
    if (rc == -EINVAL)
        return err_set(err, rc, "'%s': not a span of time; write 30m, 36h, 90d or 2w", text);
    if (rc < 0 || *ns > LONGEST_NS)
        return err_set(err, -ERANGE,
                       "'%.40s': longer than 200 years, the most there is; write 30m, 36h, 90d or "
                       "2w",
                       text);
    return 0;
}

/* ---- points ---- */

static const char *const dates[] = {"%Y-%m-%d"}, *const times[] = {"%H:%M:%S", "%H:%M"};

/* What follows a part that reads by one of the formats, or NULL. */
static const char *scan(const char *text, const char *const *formats, int n, struct tm *tm) {
    for (int i = 0; i < n; i++) {
        struct tm read = *tm;
        const char *rest = strptime(text, formats[i], &read);
        if (!rest)
            continue;
        *tm = read;
        return rest;
    }
    return NULL;
}

/* "Z", "+01:00", "-0530": seconds east of Greenwich. False if it is none of these. */
static bool scan_zone(const char *text, long *east) {
    int hours, minutes, used = 0;
    *east = 0;
    if (!strcmp(text, "Z"))
        return true;
    if (text[0] != '+' && text[0] != '-')
        return false;
    if (sscanf(text + 1, "%2d:%2d%n", &hours, &minutes, &used) < 2 &&
        sscanf(text + 1, "%2d%2d%n", &hours, &minutes, &used) < 2)
        return false;
    if (text[1 + used] || hours > 14 || minutes > 59 || hours < 0 || minutes < 0)
        return false;
    *east = (hours * 3600l + minutes * 60l) * (text[0] == '-' ? -1 : 1);
    return true;
}

static bool scan_fraction(const char **text, long *ns) {
    char digits[10] = "000000000";
    if (**text != '.' && **text != ',')
        return true;
    const size_t n = strspn(*text + 1, "0123456789");
    memcpy(digits, *text + 1, n < 9 ? n : 9);
    *ns = atol(digits);
    *text += 1 + n;
    return n > 0;
}

static struct tm day_of(int64_t ns) {
    const time_t t = (time_t)(ns / SECOND);
    struct tm tm;
    localtime_r(&t, &tm);
    tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
    tm.tm_isdst = -1;
    return tm;
}

/* Before and after, 64 bits of nanoseconds do not reach. */
static bool fits(int64_t t) {
    return t > -9000000000 && t < 9000000000;
}

/* mktime moves the 31st of a short month on; that was a slip of the pen. */
static bool to_ns(struct tm tm, int64_t *ns) {
    const int day = tm.tm_mday, hour = tm.tm_hour;
    const time_t t = mktime(&tm);
    *ns = fits(t) ? (int64_t)t * SECOND : 0;
    return t != (time_t)-1 && fits(t) && tm.tm_mday == day && abs(tm.tm_hour - hour) <= 1;
}

static bool to_ns_at(struct tm tm, long east, int64_t *ns) {
    const int day = tm.tm_mday;
    const time_t t = timegm(&tm);
    *ns = fits(t) ? ((int64_t)t - east) * SECOND : 0;
    return fits(t) && tm.tm_mday == day;
}

/* A date with or without a time, or a time of today. */
static bool scan_point(const char *text, int64_t now_ns, int64_t *ns) {
    struct tm tm = day_of(now_ns);
    long fraction = 0, east;
    const char *rest = scan(text, dates, 1, &tm);
    const bool dated = rest;
    if (dated && (*rest == ' ' || *rest == 'T'))
        rest = scan(rest + 1, times, 2, &tm);
    else if (!dated)
        rest = scan(text, times, 2, &tm);
    if (!rest || !scan_fraction(&rest, &fraction))
        return false;
    bool ok = dated && scan_zone(rest, &east) ? to_ns_at(tm, east, ns) : !*rest && to_ns(tm, ns);
    *ns += fraction;
    return ok;
}

/* "today" is a whole number of days ago. */
static bool scan_word(const char *text, int64_t now_ns, int64_t *ns) {
    static const char *const words[] = {"today", "yesterday"};
    *ns = now_ns;
    if (!strcmp(text, "now"))
        return true;
    for (int i = 0; i < 2; i++) {
        struct tm tm = day_of(now_ns);
        tm.tm_mday -= i;
        if (!strcmp(text, words[i])) {
            *ns = (int64_t)mktime(&tm) * SECOND;
            return true;
        }
    }
    return false;
}

/* A date that 64 bits of nanoseconds do not reach. */
static bool is_too_far(const char *text) {
    int year, month, used = 0;
    return sscanf(text, "%d-%2d-%*2d%n", &year, &month, &used) == 2 && used > 0 &&
           (year < 1700 || year > 2250);
}

int when_point(const char *text, int64_t now_ns, int64_t *ns, struct err *err) {
    uint64_t ago;
    const int rc = when_span(text, &ago, NULL);
    if (rc == -ERANGE)
        return when_span(text, &ago, err);
    if (rc == 0) {
        *ns = now_ns - (int64_t)ago;
        return 0;
    }
    if (scan_word(text, now_ns, ns) || scan_point(text, now_ns, ns))
        return 0;
    if (is_too_far(text))
        return err_set(err, -EINVAL, "'%.40s': dates go from 1700 to 2250", text);
    return err_set(err, -EINVAL,
                   "'%s': not a point of time; write 30m or 2d (so long ago), today, 14:30, "
                   "2026-11-01 or \"2026-11-01 14:30\"",
                   text);
}

/* ---- as text ---- */

static struct tm local(int64_t ns) {
    const time_t t = (time_t)(ns / SECOND);
    struct tm tm;
    localtime_r(&t, &tm);
    return tm;
}

const char *when_text(int64_t ns, char *buf, size_t cap) {
    const struct tm tm = local(ns);
    if (strftime(buf, cap, "%Y-%m-%d %H:%M:%S", &tm) == 0 && cap)
        buf[0] = '\0';
    return buf;
}

const char *when_short(int64_t ns, int64_t now_ns, char *buf, size_t cap) {
    static const char month[12][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const struct tm tm = local(ns);
    const struct tm now = local(now_ns);
    const bool near = llabs(now_ns - ns) / SECOND < 183ll * 86400;
    if (tm.tm_year == now.tm_year && tm.tm_yday == now.tm_yday)
        snprintf(buf, cap, "%02d:%02d:%02d", tm.tm_hour, tm.tm_min, tm.tm_sec);
    else if (near || tm.tm_year == now.tm_year)
        snprintf(buf, cap, "%s %2d %02d:%02d", month[tm.tm_mon], tm.tm_mday, tm.tm_hour, tm.tm_min);
    else
        snprintf(buf, cap, "%s %2d  %4d", month[tm.tm_mon], tm.tm_mday, 1900 + tm.tm_year);
    return buf;
}

const char *when_iso(int64_t ns, char *buf, size_t cap) {
    const struct tm tm = local(ns);
    const long east = tm.tm_gmtoff / 60;
    char date[64] = "";
    strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(buf, cap, "%s.%03d%c%02ld:%02ld", date, (int)(ns % SECOND / 1000000),
             east < 0 ? '-' : '+', labs(east) / 60, labs(east) % 60);
    return buf;
}

const char *when_duration(uint64_t ns, char *buf, size_t cap) {
    const unsigned long long s = (ns + SECOND / 2) / SECOND;
    if (ns < 10 * SECOND && ns % SECOND >= SECOND / 20)
        snprintf(buf, cap, "%.1f s", (double)ns / SECOND);
    else if (s < 60)
        snprintf(buf, cap, "%llu s", s);
    else if (s < 3600)
        snprintf(buf, cap, "%llu:%02llu", s / 60, s % 60);
    else
        snprintf(buf, cap, "%llu:%02llu:%02llu", s / 3600, s % 3600 / 60, s % 60);
    return buf;
}
