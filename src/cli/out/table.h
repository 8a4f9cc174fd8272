/*
 * A table for people: columns aligned by what a terminal makes of their text (wide characters take
 * two columns). Where it is printed to a terminal it is cut to its width; elsewhere nothing is cut.
 * Text from outside is made safe for the terminal; its newlines and tabs are shown as \n and \t.
 */
#ifndef TDTOP_CLI_TABLE_H
#define TDTOP_CLI_TABLE_H

#include "base/array.h"

#include <stdbool.h>
#include <stdio.h>

struct table_column {
    const char *title;
    bool right; /* aligned right: numbers */
    int least;  /* may be cut down to this many columns on a terminal; 0: not at all */
};

struct table {
    const struct table_column *column; /* borrowed */
    int n_column;
    ARRAY(char *) cell; /* owned, row after row; NULL in the first column: a heading follows */
    bool failed;        /* out of memory */
};

void table_init(struct table *t, const struct table_column *column, int n_column);
/* The next cell of the row. Running out of memory shows at table_print. */
void table_add(struct table *t, const char *text);
void table_addf(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A line of its own between rows. */
void table_heading(struct table *t, const char *text);
size_t table_rows(const struct table *t); /* headings included */

/* Empty columns at the right end are left out. 0, or -ENOMEM; what writing failed with is in out.
 */
int table_print(const struct table *t, FILE *out);
void table_free(struct table *t);

/* Columns of the terminal that out is, 0 if it is none. */
int table_terminal(FILE *out);

#endif
