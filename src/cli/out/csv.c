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

static void next(struct csv *c) {
    if (c->begun && c->n_separator == 1 && c->n < sizeof(c->at)) /* as nearly all have */
        c->at[c->n++] = c->separator[0];
    else if (c->begun)
        put(c, c->separator, c->n_separator);
    c->begun = true;
}

/* Spaces at the ends are quoted too, because some programs strip them. */
static bool must_quote(const struct csv *c, const char *text, size_t *n) {
    const char special[] = {'"', '\n', '\r', c->separator[0], '\0'};
    *n = strcspn(text, special);
    if (text[*n] && (text[*n] != c->separator[0] || strstr(text + *n, c->separator) ||
                     strpbrk(text + *n, "\"\r\n")))
        return true;
    *n += text[*n] ? strlen(text + *n) : 0;
    return text[0] == ' ' || text[*n - 1] == ' ';
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
    put(c, "\"", 1);
    for (; *text; text++)
        put(c, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    put(c, "\"", 1);
}

void csv_number(struct csv *c, double v) {
    char text[STR_NUMBER] = "";
    next(c);
    if (isfinite(v))
        str_number(text, sizeof(text), v);
    put(c, text, strlen(text));
}

void csv_integer(struct csv *c, int64_t v) {
    char text[32];
    next(c);
    put(c, text, (size_t)snprintf(text, sizeof(text), "%" PRId64, v));
}

void csv_bool(struct csv *c, bool v) {
    csv_text(c, v ? "true" : "false");
}

void csv_time(struct csv *c, int64_t ns) {
    char text[64];
    csv_text(c, when_iso(ns, text, sizeof(text)));
}

void csv_end(struct csv *c) {
    put(c, "\n", 1);
    flush(c);
    c->begun = false;
}

void csv_head(struct csv *c, const char *names) {
    put(c, names, strlen(names));
    csv_end(c);
}
