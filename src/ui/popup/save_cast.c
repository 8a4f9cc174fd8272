/*
 * What can be shared of a screen beside a picture: a recording for asciinema players, and a card
 * for a pull request. asciicast v2 (docs.asciinema.org/manual/asciicast/v2): a line of JSON with
 * the size, then a line [seconds, "o", what the terminal gets] for each frame.
 */
#include "base/json_put.h"
#include "ui/popup/save_screen.h"

#include <stdlib.h>
#include <string.h>

/* Each frame paints all of the screen: players may jump. */
static void put_frame(struct json_put *w, const struct canvas *c, const struct save_options *opt,
                      double at_s) {
    char *text = NULL;
    size_t n = 0;
    FILE *mem = open_memstream(&text, &n);
    if (mem) {
        fputs("\033[H", mem);
        save_ansi(c, opt, mem, "\033[K\r\n");
    }
    if (!mem || fclose(mem) != 0) {
        w->lacks = true;
        return;
    }
    for (int ends = 0; ends < 2 && n > 0; ends++) /* behind the last row: it would scroll */
        text[--n] = '\0';
    json_put_begin(w, NULL, '[');
    json_put_number(w, NULL, at_s);
    json_put_text(w, NULL, "o");
    json_put_text(w, NULL, text);
    json_put_end(w, ']');
    free(text);
}

int save_cast(const struct canvas *c, const struct save_options *opt, FILE *out) {
    struct json_put w = {0};
    double at_s = 0;
    json_put_begin(&w, NULL, '{');
    json_put_integer(&w, "version", 2);
    json_put_integer(&w, "width", c->w);
    json_put_integer(&w, "height", c->h);
    json_put_text(&w, "title", opt->title ? opt->title : "tdtop");
    json_put_end(&w, '}');
    int rc = json_put_line(&w, out);
    for (int i = 0; rc == 0 && (opt->moment ? opt->moment(opt->user, i, &at_s) : i == 0); i++) {
        put_frame(&w, c, opt, at_s);
        rc = json_put_line(&w, out);
    }
    json_put_free(&w);
    return rc;
}

/* What Markdown would take for its own signs. */
static void put_plain(FILE *out, const char *text) {
    for (; text && *text; text++) {
        if (strchr("\\`*_{}[]<>#|", *text))
            fputc('\\', out);
        fputc(*text, out);
    }
}

int save_card(const struct canvas *c, const struct save_options *opt, FILE *out) {
    fputs("### ", out);
    put_plain(out, opt->title ? opt->title : "tdtop");
    if (opt->seen && opt->seen[0]) {
        fputs("\n\n**", out);
        put_plain(out, opt->seen);
        fputs("**", out);
    }
    if (opt->next && opt->next[0]) {
        fputs("  \n", out);
        put_plain(out, opt->next);
    }
    fputs("\n\n```text\n", out);
    save_text(c, opt, out);
    fputs("```\n", out);
    return 0;
}
