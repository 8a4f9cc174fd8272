/*
 * What single threads or CPUs counted: the rows of the threads and CPUs views. The totals of a
 * sample stay what they are; rows are extra, for level 1 and a few vital events, only while a view
 * asks for them (struct control). Each travels through the mailbox with its sample, by swapping.
 */
#ifndef TDTOP_MODEL_UNITS_H
#define TDTOP_MODEL_UNITS_H

#include "model/eval/sample.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct unit_row {
    pid_t pid, tid;                  /* -1 for a CPU */
    int cpu;                         /* the CPU itself; of a thread the one it ran on last, or -1 */
    char comm[32];                   /* safe for the screen; "" for a CPU */
    double busy;                     /* CPU seconds in the interval; NAN if not known */
    uint64_t enabled_ns, running_ns; /* of the first group */
    bool fresh;                      /* appeared since the last table */
    bool ended;                      /* this is its last row */
    bool begins; /* what /proc says of it was read for the first time: known from the next on */
};

struct unit_table {
    uint64_t seq;          /* of the sample it belongs to */
    uint64_t t0_ns, t1_ns; /* interval */
    uint32_t n, cap;       /* rows */
    struct unit_row *row;
    uint32_t n_slot;   /* slots of the layout that rows have */
    uint16_t *slot;    /* which */
    double *value;     /* [cap][n_slot] scaled counts; NAN = none */
    uint32_t n_hidden; /* units that exist but have no row (descriptor budget) */
};

int unit_table_init(struct unit_table *t, const uint16_t *slot, uint32_t n_slot); /* 0, -ENOMEM */
void unit_table_destroy(struct unit_table *t); /* accepts a zeroed one */
/* Room for n rows. Allocates only when it grows. 0 or -ENOMEM. */
int unit_table_reserve(struct unit_table *t, uint32_t n);
/*
 * Adds the rows of the interval that follows `into`. What is not known in one of the two is not
 * known. 0; -ENOMEM or, of another layout, -EINVAL: then `into` is as it was.
 */
int unit_table_merge(struct unit_table *into, const struct unit_table *next);
/* Row i as a sample of the layout: all slots it lacks are COUNT_NOT_PLANNED. out has the layout's
 * n_slot. */
void unit_table_sample(const struct unit_table *t, uint32_t i, struct sample *out);
/* The same for row after row: begin once, then next of each. */
void unit_table_sample_begin(const struct unit_table *t, struct sample *out);
void unit_table_sample_next(const struct unit_table *t, uint32_t i, struct sample *out);

#endif
