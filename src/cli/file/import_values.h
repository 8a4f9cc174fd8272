/*
 * Files of values without counts (toplev's, perf stat --topdown, uProf's): what their readers
 * share. A reader opens the lines, chooses CPUs, adds values with their times, and makes a run of
 * them.
 */
#ifndef TDTOP_CLI_IMPORT_VALUES_H
#define TDTOP_CLI_IMPORT_VALUES_H

#include "cli/file/import.h"
#include "model/run/run_values.h"
#include "pmu/replay/replay_rows.h"

struct import_values {
    struct importer *im; /* borrowed */
    struct replay_lines in;
    struct run_values values;
    char cpu[64];   /* whose values are taken: the first seen, or --only */
    char other[64]; /* one that is not */
    char model[64], version[64];
    const char *collector; /* the tool: "toplev" */
    const char *reason;    /* of each value */
    double begin_s, end_s; /* of the first and the last time seen; NAN */
    int64_t begun_ns;      /* when it was recorded, if the file says so; or 0 */
    uint64_t n_row;
};

int import_values_open(struct import_values *iv, struct importer *im, struct err *err);
void import_values_close(struct import_values *iv); /* accepts a failed open */

/* Splits in place at the separator; quotes as in RFC 4180. Returns how many fields there are. */
int import_values_split(char *line, char separator, char **field, int max);

/* Values of several CPUs cannot be added up without their counts: is it the one that is taken? */
bool import_values_choose(struct import_values *iv, const char *cpu);

/* The end of an interval, since the begin. False: negative, or more than 30 years. */
bool import_values_time(struct import_values *iv, double seconds);

/* "FILE:LINE: what; is the file complete?" */
int import_values_bad(const struct import_values *iv, const char *what, struct err *err);

/* Makes the run and gives it to import_take, unless several CPUs or no values were seen. */
int import_values_take(struct import_values *iv, struct err *err);

#endif
