/* Comma separated values for programs (RFC 4180, lines end in "\n"). Nothing is cut or rounded;
 * control characters other than newline and tab, and what is not UTF-8, become '?'. */
#ifndef TDTOP_CLI_CSV_H
#define TDTOP_CLI_CSV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct csv {
    FILE *out;
    bool begun; /* private: a field of this line was written */
};

void csv_text(struct csv *c, const char *text); /* quoted where it must be */
void csv_number(struct csv *c, double v);       /* empty if it is not known */
void csv_integer(struct csv *c, int64_t v);
void csv_bool(struct csv *c, bool v);
void csv_time(struct csv *c, int64_t ns); /* CLOCK_REALTIME, as ISO 8601 */
void csv_end(struct csv *c);              /* of the line */
/* A line of names: "a,b,c". */
void csv_head(struct csv *c, const char *names);

#endif
