#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- bounded text ---- */

/* Drops a UTF-8 sequence that was cut in its middle at the end of s; returns the new length. */
static size_t whole_characters(char *s, size_t n) {
    size_t start = n;
    while (start > 0 && n - start < 3 && ((unsigned char)s[start - 1] & 0xC0) == 0x80)
        start--;
    if (start == 0)
        return n;
    const unsigned char lead = (unsigned char)s[start - 1];
    const size_t want = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    if (want > n - (start - 1)) {
        s[start - 1] = '\0';
        return start - 1;
    }
    return n;
}

struct strbuf strbuf_on(char *buf, size_t cap) {
    if (cap)
        buf[0] = '\0';
    return (struct strbuf){.at = buf, .cap = cap};
}

void strbuf_add(struct strbuf *sb, const char *fmt, ...) {
    if (sb->n + 1 >= sb->cap)
        return;
    const size_t room = sb->cap - sb->n;
    va_list ap;
    va_start(ap, fmt);
    const int wanted = vsnprintf(sb->at + sb->n, room, fmt, ap);
    va_end(ap);
    if (wanted < 0) {
        sb->at[sb->n] = '\0';
        return;
    }
    if ((size_t)wanted < room) {
        sb->n += (size_t)wanted;
        return;
    }
    sb->n = whole_characters(sb->at, sb->cap - 1);
    sb->cap = sb->n + 1; /* full from now on: nothing may follow a cut */
}

char *str_copy(char *dst, size_t cap, const char *src) {
    if (!cap)
        return dst;
    const size_t len = strnlen(src, cap);
    const size_t n = len < cap ? len : cap - 1;
    memcpy(dst, src, n);
    dst[n] = '\0';
    if (n < len)
        whole_characters(dst, n);
    return dst;
}

/* ---- comparing ---- */

bool str_starts(const char *s, const char *prefix) {
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool str_ends(const char *s, const char *suffix) {
    const size_t n = strlen(s), m = strlen(suffix);
    return n >= m && memcmp(s + n - m, suffix, m) == 0;
}

static bool is_word_char(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

char *str_put_word(char *dst, size_t cap, const char *text, const char *word, const char *with) {
    struct strbuf sb = strbuf_on(dst, cap);
    const size_t n = strlen(word);
    const char *from = text;
    dst[0] = '\0';
    for (const char *at = text; (at = strstr(at, word)); at += n) {
        if ((at > text && is_word_char(at[-1])) || is_word_char(at[n]))
            continue;
        strbuf_add(&sb, "%.*s%s", (int)(at - from), from, with);
        from = at + n;
    }
    strbuf_add(&sb, "%s", from);
    return dst;
}

const char *str_base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static char name_fold(char c) {
    if (c >= 'A' && c <= 'Z')
        return (char)(c - 'A' + 'a');
    return c == '-' ? '_' : c;
}

bool str_same_name(const char *a, const char *b) {
    while (*a && name_fold(*a) == name_fold(*b))
        a++, b++;
    return *a == *b;
}

int str_order_names(const char *a, const char *b) {
    while (*a && name_fold(*a) == name_fold(*b))
        a++, b++;
    return (unsigned char)name_fold(*a) - (unsigned char)name_fold(*b);
}

static int min3(int a, int b, int c) {
    const int ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/*
 * Only the band of cells at most FAR off the diagonal can end below FAR, so one row of the
 * classic table is 2 * FAR + 1 numbers whatever the lengths; band[k] is the cell of column
 * row + k - FAR.
 */
int str_distance(const char *a, const char *b) {
    enum { FAR = 8, BAND = 2 * FAR + 1 };
    const long n = (long)strlen(a), m = (long)strlen(b);
    if (labs(n - m) >= FAR)
        return FAR;
    int band[BAND + 2]; /* one border cell on each side */
    for (int k = 0; k < BAND + 2; k++)
        band[k] = k <= FAR ? FAR : k - 1 - FAR;
    band[BAND + 1] = FAR;
    for (long row = 1; row <= n; row++) {
        int left = FAR;
        for (int k = 1; k <= BAND; k++) {
            const long col = row + k - 1 - FAR;
            int cell = FAR;
            if (col == 0)
                cell = row < FAR ? (int)row : FAR;
            else if (col > 0 && col <= m)
                cell = min3(band[k] + (a[row - 1] != b[col - 1]), band[k + 1] + 1, left + 1);
            band[k] = left = cell < FAR ? cell : FAR;
        }
    }
    return band[m - n + FAR + 1];
}

void str_nearest(struct str_nearest *n, const char *name) {
    const int d = str_distance(n->to, name);
    if (d >= n->below)
        return;
    n->below = d;
    n->best = name;
}

/* ---- numbers ---- */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

enum { DURATION_S = 3 };

static const struct {
    const char *name;
    uint64_t ns;
} duration_units[] = {
    {"ns", 1},
    {"us", 1000},
    {"ms", 1000000},
    [DURATION_S] = {"s", 1000000000},
    {"m", 60000000000},
    {"h", 3600000000000},
    {"d", 86400000000000},
    {"w", 7 * 86400000000000},
};

static uint64_t duration_unit(const char *name, uint64_t bare_unit_ns) {
    if (!*name)
        return bare_unit_ns;
    for (size_t i = 0; i < sizeof(duration_units) / sizeof(duration_units[0]); i++)
        if (strcmp(name, duration_units[i].name) == 0)
            return duration_units[i].ns;
    return 0;
}

/* Digit by digit, because strtod would follow the user's locale and its decimal comma. */
int str_duration(const char *s, uint64_t bare_unit_ns, uint64_t *ns, struct err *err) {
    const char *p = s;
    uint64_t whole = 0;
    bool over = false;
    for (; is_digit(*p); p++)
        over |= __builtin_mul_overflow(whole, 10u, &whole) ||
                __builtin_add_overflow(whole, (uint64_t)(*p - '0'), &whole);
    bool digits = p > s;
    double fraction = 0, weight = 0.1;
    if (*p == '.')
        for (p++, digits = is_digit(*p); is_digit(*p); p++, weight /= 10)
            fraction += weight * (*p - '0');
    const uint64_t unit = duration_unit(p, bare_unit_ns);
    if (!digits || !unit)
        return err_set(err, -EINVAL,
                       "'%s': not a duration; write a number and a unit (ns us ms s m h d w), for "
                       "example 250ms, 1.5s or 90d",
                       s);
    uint64_t total;
    over |= __builtin_mul_overflow(whole, unit, &total);
    over |= __builtin_add_overflow(total, (uint64_t)(fraction * (double)unit + 0.5), &total);
    if (over)
        return err_set(err, -ERANGE, "'%s': too long; a duration ends below 584 years", s);
    *ns = total;
    return 0;
}

const char *str_duration_text(char *buf, size_t cap, uint64_t ns) {
    int i = DURATION_S;
    while (ns % duration_units[i].ns)
        i--;
    snprintf(buf, cap, "%llu%s", (unsigned long long)(ns / duration_units[i].ns),
             duration_units[i].name);
    return buf;
}

/* Reads an unsigned number at *p and moves past it. */
static int list_number(const char *s, const char **p, int *out, struct err *err) {
    if (!is_digit(**p))
        return err_set(err, -EINVAL,
                       "'%s': expected a number at character %d; write a list like 0-3,8", s,
                       (int)(*p - s) + 1);
    long v = 0;
    for (; is_digit(**p); (*p)++) {
        v = v * 10 + (**p - '0');
        if (v > INT_MAX)
            return err_set(err, -ERANGE, "'%s': the number is too large; the largest is %d", s,
                           INT_MAX);
    }
    *out = (int)v;
    return 0;
}

/* Inserts v in its place. Returns the new count, or -ERANGE when there is no room. */
static int list_insert(int *out, int n, int cap, int v) {
    int i = n;
    while (i > 0 && out[i - 1] > v)
        i--;
    if (i > 0 && out[i - 1] == v)
        return n;
    if (n == cap)
        return -ERANGE;
    memmove(out + i + 1, out + i, (size_t)(n - i) * sizeof(*out));
    out[i] = v;
    return n + 1;
}

int str_list(const char *s, int *out, int cap, struct err *err) {
    int n = 0;
    for (const char *p = s;; p++) {
        int from, to;
        int rc = list_number(s, &p, &from, err);
        if (rc < 0)
            return rc;
        to = from;
        if (*p == '-') {
            p++;
            rc = list_number(s, &p, &to, err);
            if (rc < 0)
                return rc;
        }
        if (to < from)
            return err_set(err, -EINVAL, "'%s': %d-%d runs backwards; write %d-%d", s, from, to, to,
                           from);
        for (long v = from; v <= to; v++) { /* long: to may be INT_MAX */
            n = list_insert(out, n, cap, (int)v);
            if (n < 0)
                return err_set(err, -ERANGE, "'%s': more than %d numbers; give fewer", s, cap);
        }
        if (!*p)
            return n;
        if (*p != ',')
            return err_set(err, -EINVAL,
                           "'%s': unexpected '%c' at character %d; write a list like 0-3,8", s, *p,
                           (int)(p - s) + 1);
    }
}

void strbuf_add_list(struct strbuf *sb, const int *number, int n) {
    for (int i = 0, last; i < n; i = last + 1) {
        for (last = i; last + 1 < n && number[last + 1] == number[last] + 1;)
            last++;
        strbuf_add(sb, last > i ? "%s%d-%d" : "%s%d", i ? "," : "", number[i], number[last]);
    }
}

void strbuf_add_mask(struct strbuf *sb, uint64_t mask) {
    int bit[64], n = 0;
    for (int i = 0; i < 64; i++)
        if (mask >> i & 1)
            bit[n++] = i;
    strbuf_add_list(sb, bit, n);
}

/* Rounds by integers; where the next decimals are too near a half for that, printf decides. */
char *str_fixed(char *buf, size_t cap, double v, int decimals) {
    static const unsigned power[] = {1, 10, 100, 1000, 10000};
    const double scaled = fabs(v) * power[decimals], rest = scaled - floor(scaled);
    char text[24], *at = text + sizeof(text);
    if (!(scaled < 1e9) || fabs(rest - 0.5) < 1e-6) {
        snprintf(buf, cap, "%.*f", decimals, v);
        return buf;
    }
    unsigned n = (unsigned)scaled + (rest > 0.5);
    *--at = '\0';
    for (int i = 0; i <= decimals || n > 0; i++, n /= 10) {
        if (i == decimals && i > 0)
            *--at = '.';
        *--at = (char)('0' + n % 10);
    }
    if (signbit(v))
        *--at = '-';
    return str_copy(buf, cap, at);
}

/*
 * Writes whole/10^decimals with that many decimals. By integers, because printf("%f") follows the
 * locale. Below 1000 without a suffix, trailing zeros are dropped: "0.7", "12", but "1.50k".
 */
static char *si_digits(char *buf, size_t cap, bool negative, long whole, int decimals,
                       char suffix) {
    static const long power[] = {1, 10, 100, 1000};
    while (!suffix && decimals > 0 && whole % 10 == 0)
        whole /= 10, decimals--;
    struct strbuf sb = strbuf_on(buf, cap);
    strbuf_add(&sb, "%s%ld", negative && whole ? "-" : "", whole / power[decimals]);
    if (decimals)
        strbuf_add(&sb, ".%0*ld", decimals, whole % power[decimals]);
    if (suffix)
        strbuf_add(&sb, "%c", suffix);
    return buf;
}

/* Beyond the suffixes, and so small that 0.000 would hide that it is not zero: one digit. */
static char *si_exponent(char *buf, size_t cap, bool negative, double a) {
    int exponent = (int)floor(log10(a));
    long digit = lround(a / pow(10, exponent));
    if (exponent < -99)
        return str_copy(buf, cap, "~0"); /* has no room for the sign and three digits */
    if (digit == 10)
        digit = 1, exponent++;
    struct strbuf sb = strbuf_on(buf, cap);
    strbuf_add(&sb, "%s%lde%d", negative ? "-" : "", digit, exponent);
    return buf;
}

char *str_si(char *buf, size_t cap, double v) {
    static const char suffixes[] = {0, 'k', 'M', 'G', 'T', 'P', 'E'};
    if (isnan(v))
        return str_copy(buf, cap, "n/a");
    const bool negative = v < 0;
    double a = fabs(v);
    if (isinf(a))
        return str_copy(buf, cap, negative ? "-inf" : "inf");
    if (a >= 999.5e18 || (a > 0 && a < 0.0005))
        return si_exponent(buf, cap, negative, a);
    unsigned i = 0;
    while (a >= 999.5 && i + 1 < sizeof(suffixes))
        a /= 1000, i++;
    /* Three digits; the limits are where rounding would carry into a fourth one. */
    const int decimals = a < 0.9995 ? 3 : a < 9.995 ? 2 : a < 99.95 ? 1 : 0;
    static const double scale[] = {1, 10, 100, 1000};
    return si_digits(buf, cap, negative, lround(a * scale[decimals]), decimals, suffixes[i]);
}

/* ---- the shortest decimal ---- */

/*
 * The shortest decimal that reads back as the same double. A double between 1e-15 and 1e15 is
 * m / 2^s; times the power of ten that makes it a number of 17 digits it is m * 5^d / 2^(s - d),
 * whose numerator is below 2^126, so that all of this is exact: its digits, and how far a number of
 * fewer digits may be away from it and be nearer to it than to its neighbours.
 */

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

/* ---- files ---- */

static int read_all(int fd, char *buf, size_t cap, size_t *len) {
    *len = 0;
    while (*len < cap) {
        const ssize_t got = read(fd, buf + *len, cap - *len);
        if (got == 0)
            return 0;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        *len += (size_t)got;
    }
    return 0;
}

static int read_growing(int fd, size_t max, char **text, size_t *len) {
    size_t cap = 1 << 14, n = 0;
    char *buf = NULL;
    int rc = 0;
    for (;;) {
        char *more = realloc(buf, cap + 1);
        if (!more) {
            rc = -ENOMEM;
            break;
        }
        buf = more;
        size_t got;
        rc = read_all(fd, buf + n, cap - n, &got);
        n += got;
        if (rc < 0 || n < cap)
            break;
        if (n > max) {
            rc = -EFBIG;
            break;
        }
        cap *= 2;
    }
    if (rc == 0 && n > max)
        rc = -EFBIG;
    if (rc < 0) {
        free(buf);
        return rc;
    }
    buf[n] = '\0';
    *text = buf;
    *len = n;
    return 0;
}

static const char *read_remedy(int code) {
    switch (code) {
    case -ENOENT:
        return "check the path";
    case -EACCES:
    case -EPERM:
        return "ask its owner for permission to read it";
    case -EISDIR:
        return "name a file in it";
    default:
        return "try again or use another file";
    }
}

/* A pipe or a socket could be waited for without end; a shell's "<(command)" has its writer. */
static bool may_wait(const char *path, const struct stat *st) {
    return (S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode)) && !str_starts(path, "/dev/fd/") &&
           !str_starts(path, "/proc/self/fd/") && strcmp(path, "/dev/stdin") != 0;
}

int str_open_file(const char *path, struct err *err) {
    struct stat st;
    int fd = -1, rc = stat(path, &st) < 0 ? -errno : 0;
    if (rc == 0 && may_wait(path, &st))
        return err_set(err, -EINVAL, "%s: a pipe, which may have no end; name a file", path);
    if (rc == 0 && S_ISFIFO(st.st_mode))
        fd = open(path, O_RDONLY | O_CLOEXEC);
    else if (rc == 0) /* not even for what took its place in between */
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (rc == 0 && fd < 0)
        rc = -errno;
    return rc < 0 ? err_set(err, rc, "%s: %s; %s", path, strerror(-rc), read_remedy(rc)) : fd;
}

int str_read_file(const char *path, size_t max, char **text, size_t *len, struct err *err) {
    const int fd = str_open_file(path, err);
    if (fd < 0)
        return fd;
    const int rc = read_growing(fd, max, text, len);
    close(fd);
    if (rc == -EFBIG)
        return err_set(err, rc, "%s: larger than %zu bytes; use a smaller file", path, max);
    if (rc < 0)
        return err_set(err, rc, "%s: %s; %s", path, strerror(-rc), read_remedy(rc));
    return 0;
}

int str_read_small(const char *path, char *buf, size_t cap) {
    if (!cap)
        return -EINVAL;
    buf[0] = '\0';
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    size_t n;
    const int rc = read_all(fd, buf, cap - 1, &n);
    close(fd);
    if (rc < 0)
        n = 0;
    while (n > 0 && buf[n - 1] == '\n')
        n--;
    buf[n] = '\0';
    if (strlen(buf) == n) /* a text, and no list of arguments */
        n = str_clean(buf, "\n\t");
    return rc < 0 ? rc : (int)n;
}
