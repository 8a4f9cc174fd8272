/* Frames as text, JSON lines, or CSV. A format is one const table at the end of its part of
 * print.c. */
#ifndef TDTOP_CLI_PRINT_H
#define TDTOP_CLI_PRINT_H

#include "base/json_put.h"
#include "model/eval/derivation.h"
#include "session/session.h"

#include <stdio.h>

struct print_units;

/* What the rows have told of a metric so far. */
enum printer_said { SAID_NOTHING, SAID_ABSENT, SAID_A_VALUE };

struct printer {
    FILE *out;
    const char *separator; /* CSV */
    struct json_put *json; /* JSON: the row at hand */
    bool verbose;
    int level;                     /* text: deepest level shown without --verbose; 0 = 2 */
    struct derivation *derivation; /* --explain-value; NULL: not wanted */
    int explained;                 /* the metric */
    struct print_units *units;     /* --per-thread, --per-cpu; NULL: not wanted */
    bool *warned;                  /* [n_metric] text: why it is approximate was said in this run */
    enum printer_said *absent; /* [n_metric] that it never has a value; NULL: say it each time */
    const bool *only;          /* CSV: [n_metric] the metrics that are wanted; NULL: all */
};

/* Where a format has what the source says of itself, and what is approximate in the rows. */
enum print_notes {
    NOTES_BETWEEN, /* in lines of their own, the first of them in its begin */
    NOTES_IN_ROWS,
    NOTES_ASIDE, /* nowhere: on standard error */
};

struct print_ops {
    void (*begin)(const struct printer *p, const struct session *s); /* optional */
    bool begins_each; /* of several sessions each has its begin, not the first alone */
    enum print_notes notes;
    /* f is an interval, or with summary the whole run (dt: seconds measured). */
    void (*frame)(const struct printer *p, const struct session *s, const struct frame *f,
                  double dt, bool summary);
};

extern const struct print_ops print_text, print_json, print_csv;

/* The metric's value as text in its unit: "48.0%", "3.21 GHz", "n/a". Returns buf. */
const char *print_value(const struct metric *m, const struct value *v, char *buf, size_t cap);

/* --explain-value, after the rows of a frame or as an object in them. */
void print_derivation(const struct printer *p, const struct session *s, const struct frame *f,
                      bool summary);
void print_derivation_json(struct json_put *w, const char *key, const struct printer *p,
                           const struct session *s, const struct frame *f, bool summary);

#endif
