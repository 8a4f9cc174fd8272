/* Where a byte inside a string value stands in the file: what an error in a formula points at. */
#include "model/load/model_load.h"

#include <string.h>

struct cursor {
    const char *at, *end; /* in the file's text */
    struct place place;
};

static char next_byte(const struct cursor *c) {
    return c->at < c->end ? *c->at : '\0';
}

static void step(struct cursor *c) {
    if (c->at == c->end)
        return;
    bool newline = *c->at++ == '\n';
    if (newline) {
        c->place.line++;
        c->place.col = 1;
    } else if (((unsigned char)next_byte(c) & 0xc0) != 0x80) { /* a new character begins */
        c->place.col++;
    }
}

static const char *line_start(const char *text, const char *end, int line) {
    for (; line > 1; line--) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        if (!newline)
            return end;
        text = newline + 1;
    }
    return text;
}

/* Skips the opening quotes; of a multi-line string also the newline that is not part of it. */
static void skip_quotes(struct cursor *c) {
    char quote = next_byte(c);
    bool multi = c->end - c->at >= 3 && c->at[1] == quote && c->at[2] == quote;
    for (int i = 0; i < (multi ? 3 : 1); i++)
        step(c);
    if (multi && next_byte(c) == '\r')
        step(c);
    if (multi && next_byte(c) == '\n')
        step(c);
}

struct place place_in_string(const struct model_file *file, const struct toml *value,
                             size_t offset) {
    const char *end = file->text + file->len;
    struct cursor c = {line_start(file->text, end, value->line), end, {value->line, 1}};
    while (c.at < end && c.place.col < value->col)
        step(&c);
    while (c.at < end && *c.at != '=')
        step(&c);
    while (c.at < end && *c.at != '"' && *c.at != '\'')
        step(&c);
    bool escapes = next_byte(&c) == '"';
    skip_quotes(&c);
    while (offset-- > 0) {
        if (escapes && next_byte(&c) == '\\')
            step(&c);
        step(&c);
    }
    return c.place;
}
