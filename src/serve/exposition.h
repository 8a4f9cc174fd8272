/*
 * What is measured, for Prometheus: counters that can be added up over targets and hosts before
 * they are divided, and beside them the shares of the newest interval for people. Text format
 * 0.0.4, or OpenMetrics 1.0 (https://prometheus.io/docs/instrumenting/exposition_formats/).
 *
 * Counters are sums of what each interval counted, scaled for multiplexing; how long an event was
 * wanted, and on a counter, stands beside them. Slots of a category are its share of an interval
 * times the slots of that interval, so that rates of several targets give the level 1 of all.
 */
#ifndef TDTOP_SERVE_EXPOSITION_H
#define TDTOP_SERVE_EXPOSITION_H

#include "session/session.h"

#include <stdio.h>

struct exposed { /* of one session */
    const struct session *s;
    char *labels;  /* target="...",...: in front of those of a series; owned */
    double *event; /* [n_event] sums, as the next two; owned */
    double *enabled_s, *running_s;
    double *category; /* [n_metric] slots of each root; owned */
    double slots, measured_s;
    uint64_t n_interval;
};

struct exposition {
    struct exposed *at; /* [n], owned */
    int n;
};

struct exposition_label {
    const char *name, *value;
};

/* Of opened sessions, which are borrowed; labels are copied. 0 or -ENOMEM; exposition_free. */
int exposition_init(struct exposition *e, struct session *const *s, int n,
                    const struct exposition_label *label, int n_label);
void exposition_free(struct exposition *e); /* accepts a failed one */

/* The newest interval of a session, once: after session_take. */
void exposition_add(struct exposition *e, int which);

/* All of it. open: as OpenMetrics. */
void exposition_write(const struct exposition *e, bool open, FILE *out);

/* A name of a label: letters, digits and '_', not a digit first, not "__" first. */
bool exposition_label_is_good(const char *name);

#endif
