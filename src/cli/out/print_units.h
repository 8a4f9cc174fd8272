/* --per-thread, --per-cpu: what single threads or CPUs counted, below the rows of an interval
 * (model/eval/units.h): level 1 and the vital metrics, as far as rows have their events. */
#ifndef TDTOP_CLI_PRINT_UNITS_H
#define TDTOP_CLI_PRINT_UNITS_H

#include "cli/out/print.h"

struct print_units {
    bool cpus;            /* CPUs, not threads */
    struct sample sample; /* of one row */
    struct frame frame;
    bool *has; /* [n_metric] that rows have the events of; once found */
    bool found;
};

int print_units_init(struct print_units *pu, const struct session *s, bool cpus); /* 0, -ENOMEM */
void print_units_destroy(struct print_units *pu); /* accepts a zeroed one */

/* What there was no memory for, or the source does not have. */
#define PRINT_UNITS_MISSED "no rows: this source has none, or there was no memory for them"
bool print_units_missed(const struct session *s);

/* Each prints the rows of the interval that was taken last; JSON: null if they were missed. */
void print_units_text(const struct printer *p, const struct session *s);
void print_units_csv(const struct printer *p, const struct session *s,
                     void (*line)(const struct printer *p, const struct session *s,
                                  const struct metric *m, const struct value *v, const char *unit));
/* [{"tid" or "cpu": number, "name", "cpu_percent", "nodes": {NAME: {value, duty or reason}}}] */
void print_units_json(struct json_put *w, const char *key, const struct printer *p,
                      const struct session *s);

#endif
