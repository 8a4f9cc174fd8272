/* Separated values for programs (RFC 4180, lines end in "\n"). Nothing is cut or rounded; what
 * could command a terminal is the door's business (base/door.h). */
#ifndef TDTOP_CLI_CSV_H
#define TDTOP_CLI_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Private: the line on its way. stdio is asked once for all of its fields. */
struct csv {
    FILE *out;
    const char *separator;
    size_t n_separator, n;
    bool begun;
    char special[5]; /* a text with one of these is quoted */
    char at[1024];
};

/* separator: borrowed. */
void csv_init(struct csv *c, FILE *out, const char *separator);

void csv_text(struct csv *c, const char *text); /* quoted where it must be */
void csv_number(struct csv *c, double v);       /* empty if it is not known */
void csv_integer(struct csv *c, int64_t v);
void csv_bool(struct csv *c, bool v);
void csv_time(struct csv *c, int64_t ns); /* CLOCK_REALTIME, as ISO 8601 */
void csv_end(struct csv *c);              /* of the line */
/* A line of names: "a,b,c". */
void csv_head(struct csv *c, const char *names);

#endif
