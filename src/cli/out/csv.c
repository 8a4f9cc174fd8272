#include "cli/out/csv.h"

#include "base/str.h"
#include "base/when.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void next(struct csv *c) {
    if (c->begun)
        fputc(',', c->out);
    c->begun = true;
}

/* Spaces at the ends are quoted too, because some programs strip them. */
static bool must_quote(const char *text) {
    const size_t n = strlen(text);
    return text[strcspn(text, ",\"\r\n")] || (n && (text[0] == ' ' || text[n - 1] == ' '));
}

/* ASCII that needs nothing, as nearly all is. */
static size_t plain(const char *text) {
    return str_printable(text, strcspn(text, "\""));
}

/* The output may be a terminal, and a text may come from anywhere. */
static void put_sign(FILE *out, const char *text, size_t n, uint32_t cp) {
    const bool control = (cp < 0x20 && cp != '\n' && cp != '\t') || (cp >= 0x7f && cp < 0xa0);
    if (control || (cp == 0xfffd && n == 1))
        fputc('?', out);
    else
        fwrite(text, 1, n, out);
}

void csv_text(struct csv *c, const char *text) {
    const bool quoted = must_quote(text);
    next(c);
    if (quoted)
        fputc('"', c->out);
    for (size_t n; *text; text += n) {
        if ((n = plain(text)) > 0) {
            fwrite(text, 1, n, c->out);
            continue;
        }
        const uint32_t cp = str_decode(text, &n);
        if (cp == '"')
            fputc('"', c->out);
        put_sign(c->out, text, n, cp);
    }
    if (quoted)
        fputc('"', c->out);
}

void csv_number(struct csv *c, double v) {
    char text[STR_NUMBER];
    next(c);
    if (isfinite(v))
        fputs(str_number(text, sizeof(text), v), c->out);
}

void csv_integer(struct csv *c, int64_t v) {
    next(c);
    fprintf(c->out, "%" PRId64, v);
}

void csv_bool(struct csv *c, bool v) {
    csv_text(c, v ? "true" : "false");
}

void csv_time(struct csv *c, int64_t ns) {
    char text[64];
    csv_text(c, when_iso(ns, text, sizeof(text)));
}

void csv_end(struct csv *c) {
    fputc('\n', c->out);
    c->begun = false;
}

void csv_head(struct csv *c, const char *names) {
    fputs(names, c->out);
    csv_end(c);
}
