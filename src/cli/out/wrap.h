/* Text of any length on lines of a given width. */
#ifndef TDTOP_CLI_WRAP_H
#define TDTOP_CLI_WRAP_H

#include <stdio.h>

/* The terminal's columns between 40 and 120. Where out is none: those of $COLUMNS, else 100. */
int wrap_width(FILE *out);
/* The same for lists, whose rows stay whole where out is no terminal and $COLUMNS is not set. */
int wrap_list_width(FILE *out);

/*
 * Prints a text behind what already stands in `used` columns of the line, wrapped at blanks before
 * column `width` with that indentation, and a newline. Newlines in the text are blanks. A word that
 * is longer than a line stays whole.
 */
void wrap_put(FILE *out, int width, int used, const char *text);

/* A row of a list: a name in its columns, and the text behind it; on lines of its own where there
 * is no room for it there. */
void wrap_row(FILE *out, int width, int indent, int name_w, const char *name, const char *text);

/* "  origin     Intel perfmon ...": a label in label_w columns, more if it is longer, and the text
 * behind it; nothing for NULL or "". */
void wrap_pair(FILE *out, int width, int indent, int label_w, const char *label, const char *text);

#endif
