#include "cli/csv.h"

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

void csv_text(struct csv *c, const char *text) {
    next(c);
    if (!must_quote(text)) {
        fputs(text, c->out);
        return;
    }
    fputc('"', c->out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', c->out);
        fputc(*text, c->out);
    }
    fputc('"', c->out);
}

void csv_number(struct csv *c, double v) {
    next(c);
    if (isfinite(v))
        fprintf(c->out, "%.17g", v);
}

void csv_integer(struct csv *c, int64_t v) {
    next(c);
    fprintf(c->out, "%" PRId64, v);
}

void csv_end(struct csv *c) {
    fputc('\n', c->out);
    c->begun = false;
}

void csv_head(struct csv *c, const char *names) {
    fputs(names, c->out);
    csv_end(c);
}
