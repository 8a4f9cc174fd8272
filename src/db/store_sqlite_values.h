/* One metric of many runs: looked up one by one, or all at once where most are wanted. */
#ifndef TDTOP_DB_STORE_SQLITE_VALUES_H
#define TDTOP_DB_STORE_SQLITE_VALUES_H

#include "db/store_sqlite.h"

enum { VALUES_METRICS = 32 };

struct values {
    int64_t metric[VALUES_METRICS]; /* the rows of metrics that have the name or the path */
    int n_metric;
    sqlite3_stmt *one;
    int64_t n;          /* all at once: */
    double *value, *se; /* [n] by row of runs, NAN: not there; se NULL: not wanted */
};
enum values_how {
    VALUES_ONE,   /* looked up one by one */
    VALUES_ALL,   /* read all at once */
    VALUES_ALONE, /* the same without their standard errors */
};

int values_open(struct sq *sq, struct values *v, const char *name, enum values_how how,
                struct err *err);
/* *se is NAN where it is not wanted. */
int values_get(struct sq *sq, struct values *v, int64_t run, double *value, double *se,
               struct err *err);
void values_close(struct values *v); /* accepts a zeroed one */

#endif
