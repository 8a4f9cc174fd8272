#include "cli/out/plain.h"

#include "base/str.h"
#include "cli/cli.h"
#include "cli/out/wrap.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { ITEM_INDENT = 4 };

/* --- for a terminal --- */

static void plain_heading(void *user, const char *text) {
    struct plain *p = user;
    fprintf(p->out, "\n%s\n", text);
    p->headed = true;
}

static void plain_summary(void *user, const char *text) {
    const struct plain *p = user;
    wrap_put(p->out, p->width, 0, text);
}

static void plain_text(void *user, const char *text) {
    struct plain *p = user;
    if (!p->headed)
        fputc('\n', p->out);
    wrap_put(p->out, p->width, 0, text);
    p->headed = false;
}

static void plain_item(void *user, const char *text) {
    struct plain *p = user;
    p->headed = false;
    fputs("  - ", p->out);
    wrap_put(p->out, p->width, ITEM_INDENT, text);
}

struct text_sink plain_sink(struct plain *p) {
    return (struct text_sink){plain_heading, plain_summary, plain_text, plain_item, p};
}

/* --- Markdown --- */

static void put_escaped(FILE *out, const char *text) {
    for (bool code = false; *text; text++) {
        code ^= *text == '`';
        if (!code && strchr("*_<>|", *text))
            fputc('\\', out);
        fputc(*text, out);
    }
}

void markdown_line(FILE *out, const char *before, const char *text, const char *after) {
    fputs(before, out);
    put_escaped(out, text);
    fputs(after, out);
}

void markdown_put(FILE *out, const char *text) {
    const size_t cap = strlen(text) + 1;
    char *safe = malloc(cap), before = ' ';
    if (!safe) {
        cli_lack();
        return;
    }
    for (const char *c = str_safe(safe, cap, text); *c; before = *c++) {
        const bool in_word = *c == '_' && isalnum((unsigned char)before); /* no emphasis there */
        if (strchr("\\`*_[]<|", *c) && !in_word)
            fputc('\\', out);
        fputc(*c, out);
    }
    free(safe);
}

static void markdown_heading(void *user, const char *text) {
    struct plain *p = user;
    markdown_line(p->out, "\n**", text, "**\n\n");
    p->headed = true;
}

static void markdown_summary(void *user, const char *text) {
    struct plain *p = user;
    markdown_line(p->out, "", text, ".\n");
    p->headed = p->listed = false;
}

static void markdown_text(void *user, const char *text) {
    struct plain *p = user;
    markdown_line(p->out, p->headed ? "" : "\n", text, "\n");
    p->headed = p->listed = false;
}

/* Strict readers take a list right behind a paragraph for a part of it. */
static void markdown_item(void *user, const char *text) {
    struct plain *p = user;
    markdown_line(p->out, p->headed || p->listed ? "- " : "\n- ", text, "\n");
    p->headed = false;
    p->listed = true;
}

struct text_sink markdown_sink(struct plain *p) {
    return (struct text_sink){markdown_heading, markdown_summary, markdown_text, markdown_item, p};
}
