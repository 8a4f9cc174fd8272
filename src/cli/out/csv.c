#include "cli/out/csv.h"

#include "base/str.h"
#include "base/when.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void csv_init(struct csv *c, FILE *out, const char *separator) {
    c->out = out; /* a line of its own for each interval: the room for it is not cleared */
    c->separator = separator;
    c->n_separator = strlen(separator);
    memcpy(c->special, (char[]){'"', '\n', '\r', separator[0], '\0'}, sizeof(c->special));
    c->n = 0;
    c->begun = false;
}

static void flush(struct csv *c) {
    fwrite(c->at, 1, c->n, c->out);
    c->n = 0;
}

static void put(struct csv *c, const char *text, size_t n) {
    if (n > sizeof(c->at) - c->n)
        flush(c);
    if (n > sizeof(c->at)) {
        fwrite(text, 1, n, c->out);
        return;
    }
    memcpy(c->at + c->n, text, n);
    c->n += n;
}

static void put_char(struct csv *c, char ch) {
    if (c->n == sizeof(c->at))
        flush(c);
    c->at[c->n++] = ch;
}

static void next(struct csv *c) {
    for (size_t i = 0; c->begun && i < c->n_separator; i++)
        put_char(c, c->separator[i]);
    c->begun = true;
}

/* What may end the field or the line, and spaces at the ends, which some programs strip. If not, *n
 * is the length. */
static bool must_quote(const struct csv *c, const char *text, size_t *n) {
    *n = strcspn(text, c->special);
    return text[*n] || text[0] == ' ' || text[*n - 1] == ' ';
}

void csv_text(struct csv *c, const char *text) {
    size_t n;
    next(c);
    if (!*text)
        return;
    if (!must_quote(c, text, &n)) {
        put(c, text, n);
        return;
    }
    put_char(c, '"');
    for (; *text; text++) {
        if (*text == '"')
            put_char(c, '"');
        put_char(c, *text);
    }
    put_char(c, '"');
}

void csv_number(struct csv *c, double v) {
    char text[STR_NUMBER];
    next(c);
    if (!isfinite(v))
        return;
    str_number(text, sizeof(text), v);
    put(c, text, strlen(text));
}

void csv_integer(struct csv *c, int64_t v) {
    char text[32];
    next(c);
    put(c, text, (size_t)snprintf(text, sizeof(text), "%" PRId64, v));
}

void csv_bool(struct csv *c, bool v) {
    next(c);
    put(c, v ? "true" : "false", v ? 4 : 5);
}

void csv_time(struct csv *c, int64_t ns) {
    char text[64];
    csv_text(c, when_iso(ns, text, sizeof(text)));
}

void csv_end(struct csv *c) {
    put_char(c, '\n');
    flush(c);
    c->begun = false;
}

void csv_head(struct csv *c, const char *names) {
    put(c, names, strlen(names));
    csv_end(c);
}
