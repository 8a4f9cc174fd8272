#include "base/json_put.h"

#include "base/str.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool grow(struct json_put *w, size_t n) {
    enum { FIRST = 4096 };
    const size_t want = (w->cap ? w->cap * 2 : FIRST) + n;
    char *text = realloc(w->text, want);
    if (text) {
        w->text = text;
        w->cap = want;
    }
    w->lacks |= !text;
    return text != NULL;
}

/* Room for n bytes more, or NULL. */
static inline char *room(struct json_put *w, size_t n) {
    return w->cap - w->n >= n || grow(w, n) ? w->text + w->n : NULL;
}

static inline void put(struct json_put *w, const char *text, size_t n) {
    char *at = room(w, n);
    if (!at)
        return;
    memcpy(at, text, n);
    w->n += n;
}

static inline void put_char(struct json_put *w, char c) {
    put(w, &c, 1);
}

/* ---- texts ---- */

/* Whether all of n bytes, a multiple of 8, are printable ASCII without quotes and backslashes,
 * which stand for themselves. It may say no where that is wrong, as a borrow can look like one. */
static bool is_plain(const char *text, size_t n) {
    static const uint64_t each = 0x0101010101010101u;
    uint64_t odd = 0;
    for (uint64_t x, i = 0; i < n; i += sizeof(x)) {
        memcpy(&x, text + i, sizeof(x));
        const uint64_t quote = x ^ (each * '"'), slash = x ^ (each * '\\');
        odd |= (((x - each * 0x20) | (quote - each) | (slash - each)) & ~x) | x | (x + each);
    }
    return !(odd & (each * 0x80));
}

static void put_escape(struct json_put *w, unsigned char c) {
    static const char letters[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    char text[8] = {'\\', 'u', '0', '0'};
    for (const char *at = letters; *at; at += 2)
        if ((unsigned char)*at == c) {
            text[1] = at[1];
            put(w, text, 2);
            return;
        }
    snprintf(text + 4, sizeof(text) - 4, "%02x", (unsigned)c);
    put(w, text, 6);
}

/* Character by character. */
static void put_escaped(struct json_put *w, const char *text) {
    for (size_t n; *text; text += n) {
        const uint32_t cp = str_decode(text, &n);
        if (cp == 0xFFFD && n == 1)
            put(w, "\xEF\xBF\xBD", 3);
        else if (cp < 0x20 || cp == 0x7f || cp == '"' || cp == '\\')
            put_escape(w, (unsigned char)cp);
        else
            put(w, text, n);
    }
}

/* Nearly all texts are plain: one is copied as if it were, and looked at in its place. */
static void put_quoted(struct json_put *w, const char *text) {
    const size_t n = strlen(text);
    char *at = room(w, n + 16);
    if (!at)
        return;
    *at++ = '"';
    w->n++;
    memcpy(at, text, n);
    memset(at + n, ' ', 8);
    if (is_plain(at, (n + 7) / 8 * 8))
        w->n += n;
    else
        put_escaped(w, text);
    put_char(w, '"');
}

/* ---- values ---- */

/* What stands before a value. */
static void lead(struct json_put *w, const char *key) {
    if (w->follows)
        put_char(w, ',');
    w->follows = true;
    if (key) {
        put_quoted(w, key);
        put_char(w, ':');
    }
}

static void word(struct json_put *w, const char *key, const char *text) {
    lead(w, key);
    put(w, text, strlen(text));
}

void json_put_begin(struct json_put *w, const char *key, char bracket) {
    lead(w, key);
    put_char(w, bracket);
    w->follows = false;
}

void json_put_end(struct json_put *w, char bracket) {
    put_char(w, bracket);
    w->follows = true;
}

void json_put_text(struct json_put *w, const char *key, const char *text) {
    lead(w, key);
    put_quoted(w, text);
}

void json_put_number(struct json_put *w, const char *key, double v) {
    if (!isfinite(v) || v == 0) { /* many readers take "-0" for an integer, which has no sign */
        word(w, key, v != 0 ? "null" : signbit(v) ? "-0.0" : "0");
        return;
    }
    lead(w, key);
    char *at = room(w, STR_NUMBER);
    if (at)
        w->n += strlen(str_number(at, STR_NUMBER, v));
}

void json_put_integer(struct json_put *w, const char *key, int64_t v) {
    char text[24];
    snprintf(text, sizeof(text), "%" PRId64, v);
    word(w, key, text);
}

void json_put_bool(struct json_put *w, const char *key, bool v) {
    word(w, key, v ? "true" : "false");
}

void json_put_null(struct json_put *w, const char *key) {
    word(w, key, "null");
}

int json_put_line(struct json_put *w, FILE *out) {
    put_char(w, '\n');
    const bool whole = !w->lacks;
    if (whole)
        fwrite(w->text, 1, w->n, out);
    w->n = 0;
    w->follows = w->lacks = false;
    return whole ? 0 : -ENOMEM;
}

void json_put_free(struct json_put *w) {
    free(w->text);
    *w = (struct json_put){0};
}
