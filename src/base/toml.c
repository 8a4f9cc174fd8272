/*
 * The reader of TOML documents. The parser walks the text once with a pointer: strings, dates,
 * numbers, then keys, tables, arrays, and the rules about what may be defined twice (never) and
 * what may still be added to (enum toml_state). Lines and columns are not kept on the way: they
 * are counted from the last place that was asked for, which is always a little behind.
 */
#include "base/toml.h"

#include "base/str.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOML_DEPTH_MAX = 64 }; /* of nested arrays and inline tables; of the parts of one key */

/* struct toml.state_: who made a table or array, which decides what may still be added to it. */
enum toml_state {
    TABLE_IMPLICIT, /* by [a.b] for a: may be defined once, by [a] or by dotted keys */
    TABLE_DOTTED,   /* by a.b = 1 for a: more dotted keys and sub-tables, but no [a] */
    TABLE_DEFINED,  /* by [a], an element of [[a]], the root: sub-tables only */
    TABLE_INLINE,   /* closed */
    ARRAY_STATIC,   /* closed */
    ARRAY_TABLES,   /* by [[a]] */
};

struct parser {
    const char *text, *end;
    const char *p; /* the next byte */
    struct toml_doc *doc;
    struct err *err;
    int depth;
    locale_t c_locale; /* strtod with a point, whatever the user's locale */
    const char *mark;  /* text before it is counted in: */
    int mark_line, mark_col;
};

/* Next byte, or -1 at the end. */
static inline int peek(const struct parser *ps) {
    return ps->p < ps->end ? (unsigned char)*ps->p : -1;
}

/* ---- memory: blocks that are freed together ---- */

struct block {
    struct block *next;
    size_t used, cap;
    _Alignas(8) char bytes[];
};

/* Each block is twice the one before, up to what malloc does not yet map alone. */
enum { FIRST_BYTES = 2 * 1024, BLOCK_BYTES = 60 * 1024 };

static void *arena_alloc(struct toml_doc *doc, size_t size) {
    struct block *b = doc->arena_;
    size = (size + 7) & ~(size_t)7; /* nothing here is stricter than a pointer or a double */
    if (!b || b->cap - b->used < size) {
        const size_t next = !b ? FIRST_BYTES : b->cap < BLOCK_BYTES / 2 ? 2 * b->cap : BLOCK_BYTES;
        const size_t cap = size > next ? size : next;
        b = malloc(sizeof(*b) + cap);
        if (!b)
            return NULL;
        *b = (struct block){.next = doc->arena_, .cap = cap};
        doc->arena_ = b;
    }
    void *p = b->bytes + b->used;
    b->used += size;
    return p;
}

static void *alloc(struct parser *ps, size_t size) {
    void *p = arena_alloc(ps->doc, size);
    if (!p) {
        err_set(ps->err, -ENOMEM, "%s: out of memory; free some", ps->doc->name);
        return NULL;
    }
    return memset(p, 0, size);
}

static char *alloc_text(struct parser *ps, const char *text, size_t len) {
    char *copy = alloc(ps, len + 1);
    return copy ? memcpy(copy, text, len) : NULL;
}

void toml_free(struct toml_doc *doc) {
    for (struct block *b = doc->arena_; b;) {
        struct block *next = b->next;
        free(b);
        b = next;
    }
    *doc = (struct toml_doc){0};
}

/* ---- tables ---- */

/* Open addressing, at most half full. Small tables have none: reading a few keys is faster. */
struct index {
    size_t cap; /* a power of two */
    struct toml *slot[];
};

enum { INDEX_FROM = 8 }; /* keys */

static size_t key_hash(const char *key) { /* FNV-1a */
    uint64_t h = 0xcbf29ce484222325u;
    for (; *key; key++)
        h = (h ^ (unsigned char)*key) * 0x100000001b3u;
    return (size_t)(h ^ h >> 32);
}

/* The slot that holds the key, or the free one where it belongs. */
static struct toml **index_slot(struct index *index, const char *key) {
    size_t i = key_hash(key) & (index->cap - 1);
    while (index->slot[i] && strcmp(index->slot[i]->key, key) != 0)
        i = (i + 1) & (index->cap - 1);
    return &index->slot[i];
}

static int index_add(struct parser *ps, struct toml *table, struct toml *value) {
    struct index *index = table->index_;
    if (index && table->n * 2 <= index->cap) {
        *index_slot(index, value->key) = value;
        return 0;
    }
    const size_t cap = index ? index->cap * 2 : INDEX_FROM * 4;
    index = alloc(ps, sizeof(*index) + cap * sizeof(struct toml *));
    if (!index)
        return -ENOMEM;
    index->cap = cap;
    for (struct toml *t = table->first; t; t = t->next)
        *index_slot(index, t->key) = t;
    table->index_ = index;
    return 0;
}

static int append(struct parser *ps, struct toml *to, struct toml *value) {
    if (to->last_)
        to->last_->next = value;
    else
        to->first = value;
    to->last_ = value;
    to->n++;
    return to->type == TOML_TABLE && to->n > INDEX_FROM ? index_add(ps, to, value) : 0;
}

const struct toml *toml_get(const struct toml *table, const char *key) {
    if (!table || table->type != TOML_TABLE)
        return NULL;
    if (table->index_)
        return *index_slot(table->index_, key);
    const struct toml *t = table->first;
    while (t && strcmp(t->key, key) != 0)
        t = t->next;
    return t;
}

/* ---- errors ---- */

static void place(struct parser *ps, const char *at, int *line, int *col) {
    if (at < ps->mark) {
        ps->mark = ps->text;
        ps->mark_line = ps->mark_col = 1;
    }
    for (; ps->mark < at; ps->mark++) {
        if (*ps->mark == '\n')
            ps->mark_line++, ps->mark_col = 1;
        else if (((unsigned char)*ps->mark & 0xC0) != 0x80)
            ps->mark_col++;
    }
    *line = ps->mark_line;
    *col = ps->mark_col;
}

static int fail_at(struct parser *ps, const char *at, const char *found, const char *fmt,
                   va_list ap) __attribute__((format(printf, 4, 0)));

static int fail_at(struct parser *ps, const char *at, const char *found, const char *fmt,
                   va_list ap) {
    char words[512];
    int line, col;
    vsnprintf(words, sizeof(words), fmt, ap);
    place(ps, at, &line, &col);
    return err_set(ps->err, -EINVAL, "%s:%d:%d: %s%s", ps->doc->name, line, col, found, words);
}

/* "FILE:LINE:COL: " and the words. Returns -EINVAL. */
__attribute__((format(printf, 3, 4))) static int fail(struct parser *ps, const char *at,
                                                      const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    const int rc = fail_at(ps, at, "", fmt, ap);
    va_end(ap);
    return rc;
}

/* The same with "found <what stands at `at`>; expected ...". */
__attribute__((format(printf, 3, 4))) static int fail_expected(struct parser *ps, const char *at,
                                                               const char *fmt, ...) {
    char found[64];
    struct strbuf sb = strbuf_on(found, sizeof(found));
    char character[5] = {0};
    for (size_t i = 0; i < 4 && at + i < ps->end; i++)
        character[i] = at[i];
    size_t used;
    const uint32_t cp = str_decode(character, &used);
    character[used] = '\0';
    if (at >= ps->end)
        strbuf_add(&sb, "found the end of the file; expected ");
    else if (cp == '\n' || cp == '\r')
        strbuf_add(&sb, "found the end of the line; expected ");
    else if (cp == ' ' || cp == '\t')
        strbuf_add(&sb, "found a %s; expected ", cp == ' ' ? "space" : "tab");
    else if (str_cp_width(cp) == 0)
        strbuf_add(&sb, "found U+%04X; expected ", (unsigned)cp);
    else
        strbuf_add(&sb, "found '%s'; expected ", character);
    va_list ap;
    va_start(ap, fmt);
    const int rc = fail_at(ps, at, found, fmt, ap);
    va_end(ap);
    return rc;
}

int toml_err(const struct toml_doc *doc, const struct toml *at, struct err *err, int code,
             const char *fmt, ...) {
    char words[sizeof(err->text)];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(words, sizeof(words), fmt, ap);
    va_end(ap);
    return err_set(err, code, "%s:%d:%d: %s", doc->name, at->line, at->col, words);
}

/*
 * The parser of TOML documents: strings, numbers, dates, then keys, tables, arrays, and the rules
 * about what may be defined twice (never) and what may still be added to (enum toml_state).
 */

/* ---- strings ---- */

/*
 * First the closing quotes are found, then the text between is decoded: it can only become shorter.
 * Control characters and broken UTF-8 were refused before parsing began.
 */

static size_t quote_run(const struct parser *ps, const char *p, char quote) {
    size_t n = 0;
    while (p + n < ps->end && p[n] == quote)
        n++;
    return n;
}

/* Skips "\n" or "\r\n". */
static bool skip_newline(const struct parser *ps, const char **p) {
    const char *q = *p;
    if (q < ps->end && *q == '\r')
        q++;
    if (q >= ps->end || *q != '\n')
        return false;
    *p = q + 1;
    return true;
}

/* A backslash at the end of a line swallows all blanks and line ends up to the next character. */
static bool skip_line_ending(const struct parser *ps, const char **p) {
    const char *q = *p;
    while (q < ps->end && (*q == ' ' || *q == '\t'))
        q++;
    if (!skip_newline(ps, &q))
        return false;
    while (q < ps->end && strchr(" \t\r\n", *q))
        q++;
    *p = q;
    return true;
}

static int hex_value(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* *p stands after "\u" or "\U". */
static int unicode_escape(struct parser *ps, const char **p, int digits, char **out) {
    const char *first = *p;
    uint32_t cp = 0;
    for (int i = 0; i < digits; i++, (*p)++) {
        const int v = *p < ps->end ? hex_value(**p) : -1;
        if (v < 0)
            return fail_expected(ps, *p, "%d hexadecimal digits after \\%c", digits, first[-1]);
        cp = cp << 4 | (uint32_t)v;
    }
    if (cp == 0)
        return fail(ps, first - 2, "found the character U+0000; expected text without NUL");
    if (cp > 0x10FFFF || (cp >= 0xD800 && cp <= 0xDFFF))
        return fail(ps, first - 2,
                    "found U+%04X; expected a character (U+0001 to U+10FFFF, no surrogate)",
                    (unsigned)cp);
    *out += str_encode(cp, *out);
    return 0;
}

/* *p stands after the backslash. */
static int escape(struct parser *ps, const char **p, bool multiline, char **out) {
    static const char names[] = "btnfr\"\\", means[] = "\b\t\n\f\r\"\\";
    if (multiline && skip_line_ending(ps, p))
        return 0;
    const char c = **p; /* inside the string, so before ps->end */
    const char *known = c ? strchr(names, c) : NULL;
    if (known) {
        (*p)++;
        *(*out)++ = means[known - names];
        return 0;
    }
    if (c != 'u' && c != 'U')
        return fail_expected(ps, *p, "one of b t n f r \" \\ u U after the backslash");
    (*p)++;
    return unicode_escape(ps, p, c == 'u' ? 4 : 8, out);
}

static int decode(struct parser *ps, const char *p, const char *end, bool literal, bool multiline,
                  char *out, size_t *len) {
    const char *start = out;
    if ((literal || !memchr(p, '\\', (size_t)(end - p))) && !memchr(p, '\r', (size_t)(end - p))) {
        *len = (size_t)(end - p); /* as nearly all strings are: nothing to decode */
        memcpy(out, p, *len);
        return 0;
    }
    while (p < end) {
        if (*p == '\\' && !literal) {
            p++;
            const int rc = escape(ps, &p, multiline, &out);
            if (rc < 0)
                return rc;
        } else if (*p == '\r') {
            p++; /* only ever in front of LF */
        } else {
            *out++ = *p++;
        }
    }
    *len = (size_t)(out - start);
    return 0;
}

/* Finds the closing quotes. Up to two quotes directly before them belong to the text. */
static int find_close(struct parser *ps, const char *begin, char quote, bool multiline,
                      const char **close) {
    for (const char *p = begin; p < ps->end; p++) {
        if (*p == '\\' && quote == '"') {
            p += p + 1 < ps->end && p[1] != '\n'; /* the line end is looked at in its turn */
        } else if (*p == '\n' && !multiline) {
            p -= p > begin && p[-1] == '\r';
            return fail_expected(ps, p, "%c at the end of the string", quote);
        } else if (*p == quote) {
            const size_t n = multiline ? quote_run(ps, p, quote) : 1;
            if (!multiline || n >= 3) {
                *close = p + (n > 5 ? 2 : multiline ? n - 3 : 0);
                return 0;
            }
            p += n - 1;
        }
    }
    int line, col;
    place(ps, begin, &line, &col);
    return fail_expected(
        ps, ps->end, "%s to close the string of line %d",
        multiline ? (quote == '"' ? "\"\"\"" : "'''") : (quote == '"' ? "\"" : "'"), line);
}

/* ps->p stands on the opening quote. */
static int parse_text(struct parser *ps, bool multiline_too, const char **out, size_t *len) {
    const char quote = *ps->p;
    const size_t run = quote_run(ps, ps->p, quote);
    if (run >= 3 && !multiline_too)
        return fail(ps, ps->p,
                    "found a multi-line string; expected a key in single quotes or in double "
                    "quotes on one line");
    const bool multiline = run >= 3;
    const char *begin = ps->p + (multiline ? 3 : 1), *close = begin;
    if (multiline)
        skip_newline(ps, &begin);
    int rc = find_close(ps, begin, quote, multiline, &close);
    if (rc < 0)
        return rc;
    char *text = alloc(ps, (size_t)(close - begin) + 1);
    if (!text)
        return -ENOMEM;
    rc = decode(ps, begin, close, quote == '\'', multiline, text, len);
    *out = text;
    ps->p = close + (multiline ? 3 : 1);
    return rc;
}

/* ---- dates and times ---- */

/* RFC 3339 with optional parts left out. */

static bool digit_at(const struct parser *ps, ptrdiff_t i) {
    return ps->end - ps->p > i && ps->p[i] >= '0' && ps->p[i] <= '9';
}

static bool char_at(const struct parser *ps, ptrdiff_t i, char c) {
    return ps->end - ps->p > i && ps->p[i] == c;
}

/* "1979-..." or "07:...": no number looks like that. */
static bool is_date(const struct parser *ps) {
    if (!digit_at(ps, 0) || !digit_at(ps, 1))
        return false;
    return char_at(ps, 2, ':') || (digit_at(ps, 2) && digit_at(ps, 3) && char_at(ps, 4, '-'));
}

/* Reads exactly n digits, a number from min to max. */
static int field(struct parser *ps, int n, const char *what, int min, int max, int *out) {
    int v = 0;
    for (int i = 0; i < n; i++) {
        if (!digit_at(ps, i))
            return fail_expected(ps, ps->p + i, "%s of %d digits", what, n);
        v = v * 10 + (ps->p[i] - '0');
    }
    if (v < min || v > max)
        return fail(ps, ps->p, "found %s %0*d; expected %0*d to %0*d", what, n, v, n, min, n, max);
    ps->p += n;
    *out = v;
    return 0;
}

static int separator(struct parser *ps, char c, const char *where) {
    if (!char_at(ps, 0, c))
        return fail_expected(ps, ps->p, "'%c' %s", c, where);
    ps->p++;
    return 0;
}

static int days_of_month(int year, int month) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

static int date(struct parser *ps, struct toml_datetime *d) {
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

static int fraction(struct parser *ps, int *nanosecond) {
    if (!digit_at(ps, 0))
        return fail_expected(ps, ps->p, "a digit of the second");
    for (int unit = 100000000; digit_at(ps, 0); ps->p++, unit /= 10)
        *nanosecond += unit * (*ps->p - '0');
    return 0;
}

static int time_of_day(struct parser *ps, struct toml_datetime *d) {
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
static int offset(struct parser *ps, int *offset_min) {
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
static bool time_follows(const struct parser *ps) {
    return char_at(ps, 0, 'T') || char_at(ps, 0, 't') || (char_at(ps, 0, ' ') && digit_at(ps, 1));
}

static int finish(struct parser *ps, enum toml_type type, struct toml *out) {
    if (ps->p < ps->end && !strchr(" \t\r\n,]}#", *ps->p))
        return fail_expected(ps, ps->p, "the end of the %s", toml_type_name(type));
    out->type = type;
    return 0;
}

static int parse_date(struct parser *ps, struct toml *out) {
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

/* ---- numbers ---- */

/* Value of a digit in any of the bases, 99 for other characters and the end. */
static unsigned digit_value(const struct parser *ps, const char *p) {
    if (p >= ps->end)
        return 99;
    if (*p >= '0' && *p <= '9')
        return (unsigned)(*p - '0');
    const char c = (char)(*p | 0x20);
    return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10) : 99;
}

/* Moves *p past digits with single underscores between them. */
static int skip_digits(struct parser *ps, const char **p, unsigned base, const char *what) {
    if (digit_value(ps, *p) >= base)
        return fail_expected(ps, *p, "%s", what);
    while (digit_value(ps, *p) < base) {
        (*p)++;
        if (*p >= ps->end || **p != '_')
            continue;
        (*p)++;
        if (digit_value(ps, *p) >= base)
            return fail_expected(ps, *p, "a digit after '_'");
    }
    return 0;
}

static bool at_delimiter(const struct parser *ps, const char *p) {
    return p >= ps->end || strchr(" \t\r\n,]}#", *p);
}

static int expect_delimiter(struct parser *ps, const char *p) {
    if (!at_delimiter(ps, p))
        return fail_expected(ps, p, "the end of the number");
    ps->p = p;
    return 0;
}

static int integer_value(struct parser *ps, const char *start, const char *end, unsigned base,
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
        return fail(ps, ps->p,
                    "found an integer beyond 64 bits; expected -9223372036854775808 to "
                    "9223372036854775807");
    out->type = TOML_INTEGER;
    out->integer = negative ? v : -v;
    return expect_delimiter(ps, end);
}

/* "0x", "0o", "0b": no sign, leading zeros allowed, at least one digit. */
static int prefixed_integer(struct parser *ps, unsigned base, struct toml *out) {
    const char *p = ps->p + 2;
    const int rc = skip_digits(ps, &p, base,
                               base == 16  ? "a hexadecimal digit"
                               : base == 8 ? "an octal digit"
                                           : "a binary digit");
    return rc < 0 ? rc : integer_value(ps, ps->p + 2, p, base, false, out);
}

static int float_value(struct parser *ps, const char *end, struct toml *out) {
    char small[64], *digits = small;
    if ((size_t)(end - ps->p) >= sizeof(small))
        digits = alloc(ps, (size_t)(end - ps->p) + 1);
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

static bool word_at(const struct parser *ps, const char *p, const char *word) {
    return ps->end - p >= 3 && memcmp(p, word, 3) == 0;
}

static int decimal(struct parser *ps, const char *p, bool negative, struct toml *out) {
    const char *digits = p;
    int rc = skip_digits(ps, &p, 10, "a digit");
    if (rc < 0)
        return rc;
    if (*digits == '0' && p - digits > 1)
        return fail(ps, digits, "found a leading zero; expected a number without it");
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

/* ps->p stands on a digit, a sign, 'i' or 'n'. */
static int parse_number_or_date(struct parser *ps, struct toml *out) {
    static const struct {
        char letter;
        unsigned base;
    } prefixes[] = {{'x', 16}, {'o', 8}, {'b', 2}};
    if (is_date(ps))
        return parse_date(ps, out);
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
        return fail_expected(ps, p, "a value (strings stand in quotes)");
    return decimal(ps, p, negative, out);
}

struct part {
    const char *name;
    const char *at; /* in the text */
};

struct key {
    struct part part[TOML_DEPTH_MAX];
    int n;
};

/* ---- blanks ---- */

static void skip_blanks(struct parser *ps) {
    while (ps->p < ps->end && (*ps->p == ' ' || *ps->p == '\t'))
        ps->p++;
}

static void skip_comment(struct parser *ps) {
    if (peek(ps) != '#')
        return;
    const char *newline = memchr(ps->p, '\n', (size_t)(ps->end - ps->p));
    ps->p = newline ? newline : ps->end;
}

/* Blanks, comments and line ends, as between the elements of an array. CR stands only before LF. */
static void skip_lines(struct parser *ps) {
    for (;;) {
        skip_blanks(ps);
        skip_comment(ps);
        const int c = peek(ps);
        if (c != '\n' && c != '\r')
            return;
        ps->p++;
    }
}

static int expect_line_end(struct parser *ps) {
    skip_blanks(ps);
    skip_comment(ps);
    const int c = peek(ps);
    if (c >= 0 && c != '\n' && c != '\r')
        return fail_expected(ps, ps->p, "the end of the line");
    return 0;
}

/* ---- keys ---- */

static bool is_bare(int c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

static int parse_part(struct parser *ps, struct part *part) {
    part->at = ps->p;
    const int c = peek(ps);
    if (c == '"' || c == '\'') {
        size_t len;
        return parse_text(ps, false, &part->name, &len);
    }
    while (is_bare(peek(ps)))
        ps->p++;
    if (ps->p == part->at)
        return fail_expected(ps, ps->p, "a key (letters, digits, _ and -, or in quotes)");
    part->name = alloc_text(ps, part->at, (size_t)(ps->p - part->at));
    return part->name ? 0 : -ENOMEM;
}

/* a . "b" . c; leaves ps->p behind the blanks that follow. */
static int parse_key(struct parser *ps, struct key *key) {
    for (key->n = 0;; ps->p++) {
        skip_blanks(ps);
        if (key->n == TOML_DEPTH_MAX)
            return fail(ps, ps->p, "found a key of more than %d parts; expected at most %d",
                        TOML_DEPTH_MAX, TOML_DEPTH_MAX);
        const int rc = parse_part(ps, &key->part[key->n]);
        if (rc < 0)
            return rc;
        key->n++;
        skip_blanks(ps);
        if (peek(ps) != '.')
            return 0;
    }
}

/* ---- what may be defined ---- */

static struct toml *find(const struct toml *table, const char *key) {
    union { /* the parser owns the document that toml_get shows as const */
        const struct toml *seen;
        struct toml *owned;
    } t = {.seen = toml_get(table, key)};
    return t.owned;
}

static struct toml *add(struct parser *ps, struct toml *to, const struct part *part,
                        enum toml_type type, enum toml_state state) {
    struct toml *t = alloc(ps, sizeof(*t));
    if (!t)
        return NULL;
    t->type = type;
    t->key = part->name;
    t->state_ = (unsigned char)state;
    place(ps, part->at, &t->line, &t->col);
    return append(ps, to, t) < 0 ? NULL : t;
}

static int fail_taken(struct parser *ps, const struct part *part, const struct toml *taken,
                      const char *expected) {
    static const char *const made[] = {
        [TABLE_IMPLICIT] = "table",         [TABLE_DOTTED] = "table of dotted keys",
        [TABLE_DEFINED] = "table",          [TABLE_INLINE] = "inline table",
        [ARRAY_STATIC] = "array of values", [ARRAY_TABLES] = "array of tables",
    };
    char name[64];
    const bool holds = taken->type == TOML_TABLE || taken->type == TOML_ARRAY;
    const char *kind = holds ? made[taken->state_] : toml_type_name(taken->type);
    return fail(ps, part->at, "found '%s', which is %s %s since line %d; expected %s",
                str_safe(name, sizeof(name), part->name), strchr("aeiou", *kind) ? "an" : "a", kind,
                taken->line, expected);
}

/* One step of [a.b.c] before its last part: any table, or the newest table of an array. */
static int header_step(struct parser *ps, struct toml **table, const struct part *part) {
    struct toml *t = find(*table, part->name);
    if (!t)
        t = add(ps, *table, part, TOML_TABLE, TABLE_IMPLICIT);
    if (!t)
        return -ENOMEM;
    if (t->type == TOML_ARRAY && t->state_ == ARRAY_TABLES)
        t = t->last_;
    if (t->type != TOML_TABLE || t->state_ == TABLE_INLINE)
        return fail_taken(ps, part, t, "a name that is free or a table that can be added to");
    *table = t;
    return 0;
}

/* One step of a.b.c = 1 before its last part: only tables that dotted keys may add to. */
static int dotted_step(struct parser *ps, struct toml **table, const struct part *part) {
    struct toml *t = find(*table, part->name);
    if (!t)
        t = add(ps, *table, part, TOML_TABLE, TABLE_DOTTED);
    if (!t)
        return -ENOMEM;
    if (t->type != TOML_TABLE || (t->state_ != TABLE_IMPLICIT && t->state_ != TABLE_DOTTED))
        return fail_taken(ps, part, t, "a name that is free or made by dotted keys right here");
    t->state_ = TABLE_DOTTED;
    *table = t;
    return 0;
}

/* [a]: makes it, or defines it if it was only implied so far. */
static int define_table(struct parser *ps, struct toml **table, const struct part *part) {
    struct toml *t = find(*table, part->name);
    if (!t) {
        *table = add(ps, *table, part, TOML_TABLE, TABLE_DEFINED);
        return *table ? 0 : -ENOMEM;
    }
    if (t->type != TOML_TABLE || t->state_ != TABLE_IMPLICIT)
        return fail_taken(ps, part, t, "each table to be defined once");
    t->state_ = TABLE_DEFINED;
    place(ps, part->at, &t->line, &t->col);
    *table = t;
    return 0;
}

/* [[a]]: appends a table to the array, which it makes at first. */
static int define_element(struct parser *ps, struct toml **table, const struct part *part) {
    struct toml *array = find(*table, part->name);
    if (!array)
        array = add(ps, *table, part, TOML_ARRAY, ARRAY_TABLES);
    if (!array)
        return -ENOMEM;
    if (array->type != TOML_ARRAY || array->state_ != ARRAY_TABLES)
        return fail_taken(ps, part, array, "a name that is free or an array of tables");
    const struct part element = {.at = part->at};
    *table = add(ps, array, &element, TOML_TABLE, TABLE_DEFINED);
    return *table ? 0 : -ENOMEM;
}

static int parse_header(struct parser *ps, struct toml **current) {
    int col;
    if (!ps->doc->header_line)
        place(ps, ps->p, &ps->doc->header_line, &col);
    ps->p++;
    const bool element = peek(ps) == '[';
    ps->p += element;
    struct key key;
    int rc = parse_key(ps, &key);
    if (rc < 0)
        return rc;
    for (int close = 0; close <= element; close++, ps->p++)
        if (peek(ps) != ']')
            return fail_expected(ps, ps->p, "%s after the name of the table", element ? "]]" : "]");
    *current = ps->doc->root;
    for (int i = 0; i + 1 < key.n; i++) {
        rc = header_step(ps, current, &key.part[i]);
        if (rc < 0)
            return rc;
    }
    rc = (element ? define_element : define_table)(ps, current, &key.part[key.n - 1]);
    return rc < 0 ? rc : expect_line_end(ps);
}

/* ---- values ---- */

static int parse_value(struct parser *ps, struct toml *out);

static int parse_key_value(struct parser *ps, struct toml *table) {
    struct key key;
    int rc = parse_key(ps, &key);
    if (rc < 0)
        return rc;
    if (peek(ps) != '=')
        return fail_expected(ps, ps->p, "= after the key");
    ps->p++;
    for (int i = 0; i + 1 < key.n; i++) {
        rc = dotted_step(ps, &table, &key.part[i]);
        if (rc < 0)
            return rc;
    }
    const struct part *last = &key.part[key.n - 1];
    const struct toml *taken = find(table, last->name);
    if (taken)
        return fail_taken(ps, last, taken, "each key once");
    struct toml *value = add(ps, table, last, TOML_TABLE, TABLE_INLINE);
    if (!value)
        return -ENOMEM;
    skip_blanks(ps);
    return parse_value(ps, value);
}

static int parse_array(struct parser *ps, struct toml *out) {
    out->type = TOML_ARRAY;
    out->state_ = ARRAY_STATIC;
    ps->p++;
    for (;;) {
        skip_lines(ps);
        if (peek(ps) == ']')
            break;
        const struct part element = {.at = ps->p};
        struct toml *value = add(ps, out, &element, TOML_TABLE, TABLE_INLINE);
        if (!value)
            return -ENOMEM;
        const int rc = parse_value(ps, value);
        if (rc < 0)
            return rc;
        skip_lines(ps);
        if (peek(ps) == ']')
            break;
        if (peek(ps) != ',')
            return fail_expected(ps, ps->p, "',' or ']' in the array");
        ps->p++;
    }
    ps->p++;
    return 0;
}

/* On one line, without a comma before the brace. */
static int parse_inline_table(struct parser *ps, struct toml *out) {
    out->type = TOML_TABLE;
    ps->p++;
    skip_blanks(ps);
    for (bool first = true; peek(ps) != '}' || !first; first = false) {
        const int rc = parse_key_value(ps, out);
        if (rc < 0)
            return rc;
        skip_blanks(ps);
        if (peek(ps) == '}')
            break;
        if (peek(ps) != ',')
            return fail_expected(ps, ps->p, "',' or '}' in the inline table");
        ps->p++;
    }
    ps->p++;
    out->state_ = TABLE_INLINE;
    return 0;
}

static int parse_nested(struct parser *ps, struct toml *out) {
    if (ps->depth == TOML_DEPTH_MAX)
        return fail(ps, ps->p, "found more than %d nested arrays and tables; expected fewer",
                    TOML_DEPTH_MAX);
    ps->depth++;
    const int rc = *ps->p == '[' ? parse_array(ps, out) : parse_inline_table(ps, out);
    ps->depth--;
    return rc;
}

static int parse_boolean(struct parser *ps, struct toml *out) {
    const char *word = *ps->p == 't' ? "true" : "false";
    const char *p = ps->p;
    while (*word && p < ps->end && *p == *word)
        p++, word++;
    if (*word || (p < ps->end && is_bare((unsigned char)*p)))
        return fail_expected(ps, ps->p, "a value (true, false; strings stand in quotes)");
    out->type = TOML_BOOLEAN;
    out->boolean = *ps->p == 't';
    ps->p = p;
    return 0;
}

static int parse_string(struct parser *ps, struct toml *out) {
    out->type = TOML_STRING;
    return parse_text(ps, true, &out->string, &out->n);
}

static int parse_value(struct parser *ps, struct toml *out) {
    static const struct {
        const char *first;
        int (*parse)(struct parser *ps, struct toml *out);
    } forms[] = {
        {"\"'", parse_string},
        {"0123456789+-in", parse_number_or_date},
        {"tf", parse_boolean},
        {"[{", parse_nested},
    };
    const int c = peek(ps);
    for (size_t i = 0; c > 0 && i < sizeof(forms) / sizeof(forms[0]); i++)
        if (strchr(forms[i].first, c))
            return forms[i].parse(ps, out);
    return fail_expected(ps, ps->p, "a value (strings stand in quotes)");
}

/* ---- the whole text ---- */

/* Moves *p past one character that is not plain ASCII, if it may stand in a document. */
static int check_character(struct parser *ps, const char **p) {
    const unsigned char c = (unsigned char)**p;
    if (c == '\r' && *p + 1 < ps->end && (*p)[1] == '\n') {
        *p += 2;
        return 0;
    }
    if (c == '\r')
        return fail(ps, *p, "found a lone carriage return; expected LF or CRLF");
    if (c < 0x80)
        return fail(ps, *p,
                    "found the control character U+%04X; expected \\u%04X, in double quotes", c, c);
    char four[5] = {0};
    for (size_t i = 0; i < 4 && *p + i < ps->end; i++)
        four[i] = (*p)[i];
    size_t used;
    const uint32_t cp = str_decode(four, &used);
    if (cp == 0xFFFD && used == 1)
        return fail(ps, *p, "found the byte 0x%02X; expected UTF-8", c);
    *p += used;
    return 0;
}

/* UTF-8, and no control character but tab and line ends: nowhere in a document. */
static int check_characters(struct parser *ps) {
    for (const char *p = ps->text; p < ps->end;) {
        const unsigned char c = (unsigned char)*p;
        if ((c >= 0x20 && c < 0x7F) || c == '\n' || c == '\t') {
            p++;
            continue;
        }
        const int rc = check_character(ps, &p);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int parse_document(struct parser *ps) {
    int rc = check_characters(ps);
    if (rc < 0)
        return rc;
    struct toml *root = alloc(ps, sizeof(*root));
    if (!root)
        return -ENOMEM;
    *root = (struct toml){.type = TOML_TABLE, .line = 1, .col = 1, .state_ = TABLE_DEFINED};
    ps->doc->root = root;
    struct toml *current = root;
    for (;;) {
        skip_lines(ps);
        const int c = peek(ps);
        if (c < 0)
            return 0;
        if (c == '[') {
            rc = parse_header(ps, &current);
        } else {
            rc = parse_key_value(ps, current);
            if (rc == 0)
                rc = expect_line_end(ps);
        }
        if (rc < 0)
            return rc;
    }
}

int toml_parse(struct toml_doc *doc, const char *text, size_t len, const char *name,
               struct err *err) {
    *doc = (struct toml_doc){.name = name};
    const char *first = text + str_bom(text, len);
    struct parser ps = {
        .text = first,
        .end = text + len,
        .p = first,
        .doc = doc,
        .err = err,
        .mark = first,
        .mark_line = 1,
        .mark_col = 1,
        .c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0),
    };
    if (!ps.c_locale)
        return err_set(err, -ENOMEM, "%s: no memory for a locale; free some", name);
    const char *copy = alloc_text(&ps, name, strlen(name));
    int rc = -ENOMEM;
    if (copy) {
        doc->name = copy;
        rc = parse_document(&ps);
    }
    freelocale(ps.c_locale);
    if (rc < 0)
        toml_free(doc);
    return rc;
}

enum { FILE_BYTES_MAX = 16 << 20 };

int toml_parse_file(struct toml_doc *doc, const char *path, struct err *err) {
    *doc = (struct toml_doc){0};
    char *text;
    size_t len;
    int rc = str_read_file(path, FILE_BYTES_MAX, &text, &len, err);
    if (rc < 0)
        return rc;
    rc = toml_parse(doc, text, len, path, err);
    free(text);
    return rc;
}

/* ---- typed access ---- */

const char *toml_type_name(enum toml_type type) {
    static const char *const names[] = {
        [TOML_TABLE] = "table",
        [TOML_ARRAY] = "array",
        [TOML_STRING] = "string",
        [TOML_INTEGER] = "integer",
        [TOML_FLOAT] = "float",
        [TOML_BOOLEAN] = "boolean",
        [TOML_OFFSET_DATETIME] = "offset date-time",
        [TOML_LOCAL_DATETIME] = "local date-time",
        [TOML_LOCAL_DATE] = "local date",
        [TOML_LOCAL_TIME] = "local time",
    };
    return names[type];
}

static int wrong_type(const struct toml_doc *doc, const struct toml *t, enum toml_type wanted,
                      struct err *err) {
    return toml_err(doc, t, err, -EINVAL, "found %s for '%s'; expected %s", toml_type_name(t->type),
                    t->key, toml_type_name(wanted));
}

int toml_take_string(const struct toml_doc *doc, const struct toml *table, const char *key,
                     const char **out, struct err *err) {
    const struct toml *t = toml_get(table, key);
    if (!t)
        return 0;
    if (t->type != TOML_STRING)
        return wrong_type(doc, t, TOML_STRING, err);
    *out = t->string;
    return 0;
}

int toml_take_int(const struct toml_doc *doc, const struct toml *table, const char *key,
                  int64_t min, int64_t max, int64_t *out, struct err *err) {
    const struct toml *t = toml_get(table, key);
    if (!t)
        return 0;
    if (t->type != TOML_INTEGER)
        return wrong_type(doc, t, TOML_INTEGER, err);
    if (t->integer < min || t->integer > max)
        return toml_err(doc, t, err, -EINVAL,
                        "found %" PRId64 " for '%s'; expected %" PRId64 " to %" PRId64, t->integer,
                        key, min, max);
    *out = t->integer;
    return 0;
}

int toml_strings(const struct toml_doc *doc, const struct toml *value, const char ***out,
                 struct err *err) {
    if (value->type != TOML_ARRAY)
        return toml_err(doc, value, err, -EINVAL, "found %s for '%s'; expected array of strings",
                        toml_type_name(value->type), value->key);
    const char **list = calloc(value->n + 1, sizeof(*list));
    if (!list)
        return err_set(err, -ENOMEM, "%s: out of memory; free some", doc->name);
    *out = list;
    for (const struct toml *t = value->first; t; t = t->next) {
        if (t->type != TOML_STRING)
            return toml_err(doc, t, err, -EINVAL, "found %s in '%s'; expected string",
                            toml_type_name(t->type), value->key);
        *list++ = t->string;
    }
    return 0;
}

static bool is_known(const char *key, const char *known, size_t n, size_t size) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(*(const char *const *)(const void *)(known + i * size), key) == 0)
            return true;
    return false;
}

int toml_check_keys(const struct toml_doc *doc, const struct toml *table, const void *known,
                    size_t n, size_t size, const char *expected, struct err *err) {
    for (const struct toml *t = table->first; t; t = t->next)
        if (!is_known(t->key, known, n, size))
            return toml_err(doc, t, err, -EINVAL, "found '%s'; expected %s", t->key, expected);
    return 0;
}

int toml_check_strings(const struct toml_doc *doc, const struct toml *table, struct err *err) {
    for (const struct toml *t = table->first; t; t = t->next)
        if (t->type != TOML_STRING)
            return toml_err(doc, t, err, -EINVAL, "found %s for '%s'; expected string",
                            toml_type_name(t->type), t->key);
    return 0;
}
