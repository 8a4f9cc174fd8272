/* Pages of text (model/knowledge/text_sink.h) as people read them in a terminal, and as Markdown.
 */
#ifndef TDTOP_CLI_PLAIN_H
#define TDTOP_CLI_PLAIN_H

#include "model/knowledge/text_sink.h"

#include <stdbool.h>
#include <stdio.h>

struct plain {
    FILE *out;
    int width;   /* columns; not of Markdown */
    bool headed; /* private: a heading was the last */
    bool listed; /* private: a row of a list was, of Markdown */
};

/* The sink borrows p. */
struct text_sink plain_sink(struct plain *p);
struct text_sink markdown_sink(struct plain *p);

/* Text in which Markdown finds no signs of its own, with something before and after it. */
void markdown_line(FILE *out, const char *before, const char *text, const char *after);

/* The same for text that is not tdtop's own: backquotes and brackets are escaped, too, and control
 * characters are replaced. It can stand in a table. */
void markdown_put(FILE *out, const char *text);

#endif
