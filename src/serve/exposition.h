/*
 * What is measured, for Prometheus: counters that can be added up over targets and hosts before
 * they are divided, and beside them the shares of the newest interval for people. Text format
 * 0.0.4, or OpenMetrics 1.0 (https://prometheus.io/docs/instrumenting/exposition_formats/).
 *
 * Counters are sums of what each interval counted, scaled for multiplexing; how long an event was
 * wanted, and on a counter, stands beside them. Slots of a category are its share of an interval
 * times the slots of that interval, so that rates of several targets give the level 1 of all.
 *
 * A table of entries that come and go, each changed by the thread that measures it. Text is made of
 * a copy of all: a reader delays measuring by the time of copying, not by that of its text.
 */
#ifndef TDTOP_SERVE_EXPOSITION_H
#define TDTOP_SERVE_EXPOSITION_H

#include "session/session.h"

#include <pthread.h>
#include <stddef.h>

struct exposed; /* an entry: the series of one target, of one core type */

struct exposition {
    pthread_mutex_t lock;
    struct exposed *first;     /* owned; guarded by lock, as all below */
    struct catalog *catalogs;  /* private: what series there are, by model; owned */
    unsigned long long change; /* counts changes */
};

/* Whose series they are: its labels beside those that follow from the session, which are
 * core_type, cgroup (its path) and simulated. */
struct exposition_who {
    const char *target;
    const char *const
        *label; /* [n] "NAME=VALUE"; with a fault: left out; of a name the last is it */
    int n;
};

void exposition_init(struct exposition *e);
void exposition_destroy(struct exposition *e); /* with the entries that are left */

/*
 * *x (NULL: a new entry) gets the series of a session that is open. Sums go on from one session to
 * the next while labels and series are the same, else the entry begins again. `absent`: what is to
 * be measured is not there, and the session not open; target_up is 0. 0 or -ENOMEM: *x is as it
 * was. Below, an entry of NULL is nothing.
 */
int exposition_enter(struct exposition *e, struct exposed **x, const struct session *s,
                     const struct exposition_who *who, bool absent);
/* The newest interval of a session, once: after session_take. Allocates nothing. */
void exposition_add(struct exposition *e, struct exposed *x, const struct session *s);
/* Nothing is measured now: sums stay. up: of target_up; NAN: absent. */
void exposition_rest(struct exposition *e, struct exposed *x, double up);
void exposition_drop(struct exposition *e, struct exposed **x);

/* All of it, malloc'ed; open: as OpenMetrics. NULL: out of memory. */
char *exposition_text(struct exposition *e, bool open, size_t *n);
/* Another number with each change. */
unsigned long long exposition_change(struct exposition *e);

/* NULL: "NAME=VALUE" is a label of Prometheus, and not one of the series' own. Else what to do. */
const char *exposition_label_fault(const char *text);

#endif
