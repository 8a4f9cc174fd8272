/* Text of any length on lines of a given width. */
#ifndef TDTOP_CLI_WRAP_H
#define TDTOP_CLI_WRAP_H

#include <stdio.h>

/* The terminal's columns between 60 and 120; 100 where out is none. */
int wrap_width(FILE *out);

/*
 * Prints a text behind what already stands in `used` columns of the line, wrapped at blanks before
 * column `width` with that indentation, and a newline. Newlines in the text are blanks. A word that
 * is longer than a line stays whole.
 */
void wrap_put(FILE *out, int width, int used, const char *text);

#endif
