/* Samples as `tdtop where` and others print them. */
#ifndef TDTOP_CLI_WHERE_VIEW_H
#define TDTOP_CLI_WHERE_VIEW_H

#include "cli/cli.h"
#include "model/run/run.h"

#include <stdio.h>

enum { WHERE_ROWS = 20 };

/* How many functions a table has: of -n; SIZE_MAX: all. */
size_t where_rows(const struct args *a);
/* Lines that begin with '#': what was sampled, and how far it is the whole. */
void where_print_head(const struct hot *h, FILE *out);

/* Cache lines of accesses, and where data came from, as text, CSV and members of a JSON object. 0
 * or -ENOMEM. */
int where_print_accesses(const struct hot *h, const struct args *a, FILE *out);
int where_csv_accesses(const struct hot *h, const struct args *a, FILE *out);
struct json_put;
int where_put_accesses(struct json_put *p, const struct hot *h);
/* "# data from DRAM 64.0% 312 cycles, L3 20.1% 41 cycles"; nothing where no sample says. */
void where_print_sources(const struct hot *h, FILE *out);
/* A share and its interval as two cells of a table. */
struct table;
struct binomial;
void where_add_part(struct table *t, double share, const struct binomial *in);

/* Loads the samples of a run: those of `what` (NULL: the first), which belong to r. 0 or negative
 * errno with words; run_free in both cases. */
int where_load(const struct args *a, const char *word, const char *what, struct run *r,
               const struct hot **h, struct err *err);
/* To a.output as its name says, else to standard output as a says. 0 or negative errno with words.
 */
int where_write(const struct hot *h, const struct args *a, struct err *err);
/* Samples in a format of other tools to a file, NULL: standard output. As where_write. */
struct hot_format;
int where_export(const struct hot *h, const struct hot_format *f, const char *path,
                 struct err *err);

#endif
