/*
 * TOML strings. First the closing quotes are found, then the text between is decoded: it can only
 * become shorter. Control characters and broken UTF-8 were refused before parsing began.
 */
#include "base/toml_impl.h"

#include "base/str.h"

#include <errno.h>
#include <string.h>

static size_t quote_run(const struct toml_parser *ps, const char *p, char quote) {
    size_t n = 0;
    while (p + n < ps->end && p[n] == quote)
        n++;
    return n;
}

/* Skips "\n" or "\r\n". */
static bool skip_newline(const struct toml_parser *ps, const char **p) {
    const char *q = *p;
    if (q < ps->end && *q == '\r')
        q++;
    if (q >= ps->end || *q != '\n')
        return false;
    *p = q + 1;
    return true;
}

/* A backslash at the end of a line swallows all blanks and line ends up to the next character. */
static bool skip_line_ending(const struct toml_parser *ps, const char **p) {
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
static int unicode_escape(struct toml_parser *ps, const char **p, int digits, char **out) {
    const char *first = *p;
    uint32_t cp = 0;
    for (int i = 0; i < digits; i++, (*p)++) {
        const int v = *p < ps->end ? hex_value(**p) : -1;
        if (v < 0)
            return toml_fail_expected(ps, *p, "%d hexadecimal digits after \\%c", digits,
                                      first[-1]);
        cp = cp << 4 | (uint32_t)v;
    }
    if (cp == 0)
        return toml_fail(ps, first - 2, "found the character U+0000; expected text without NUL");
    if (cp > 0x10FFFF || (cp >= 0xD800 && cp <= 0xDFFF))
        return toml_fail(ps, first - 2,
                         "found U+%04X; expected a character (U+0001 to U+10FFFF, no surrogate)",
                         (unsigned)cp);
    *out += str_encode(cp, *out);
    return 0;
}

/* *p stands after the backslash. */
static int escape(struct toml_parser *ps, const char **p, bool multiline, char **out) {
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
        return toml_fail_expected(ps, *p, "one of b t n f r \" \\ u U after the backslash");
    (*p)++;
    return unicode_escape(ps, p, c == 'u' ? 4 : 8, out);
}

static int decode(struct toml_parser *ps, const char *p, const char *end, bool literal,
                  bool multiline, char *out, size_t *len) {
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
static int find_close(struct toml_parser *ps, const char *begin, char quote, bool multiline,
                      const char **close) {
    for (const char *p = begin; p < ps->end; p++) {
        if (*p == '\\' && quote == '"') {
            p += p + 1 < ps->end && p[1] != '\n'; /* the line end is looked at in its turn */
        } else if (*p == '\n' && !multiline) {
            p -= p > begin && p[-1] == '\r';
            return toml_fail_expected(ps, p, "%c at the end of the string", quote);
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
    toml_place(ps, begin, &line, &col);
    return toml_fail_expected(
        ps, ps->end, "%s to close the string of line %d",
        multiline ? (quote == '"' ? "\"\"\"" : "'''") : (quote == '"' ? "\"" : "'"), line);
}

int toml_string(struct toml_parser *ps, bool multiline_too, const char **out, size_t *len) {
    const char quote = *ps->p;
    const size_t run = quote_run(ps, ps->p, quote);
    if (run >= 3 && !multiline_too)
        return toml_fail(ps, ps->p,
                         "found a multi-line string; expected a key in single quotes or in double "
                         "quotes on one line");
    const bool multiline = run >= 3;
    const char *begin = ps->p + (multiline ? 3 : 1), *close = begin;
    if (multiline)
        skip_newline(ps, &begin);
    int rc = find_close(ps, begin, quote, multiline, &close);
    if (rc < 0)
        return rc;
    char *text = toml_alloc(ps, (size_t)(close - begin) + 1);
    if (!text)
        return -ENOMEM;
    rc = decode(ps, begin, close, quote == '\'', multiline, text, len);
    *out = text;
    ps->p = close + (multiline ? 3 : 1);
    return rc;
}
