/*
 * Level 1 of the busiest processes, each by itself: a source of the kernel's counters for each of
 * them, opened when it becomes one of them and closed when it no longer is. Where there is no PMU,
 * or a process may not be counted, user, kernel and waiting as /proc has them, as shares of the
 * time that it wanted a CPU.
 */
#ifndef TDTOP_BUSIEST_H
#define TDTOP_BUSIEST_H

#include "model/load/model.h"
#include "model/run/process.h"
#include "pmu/source.h"

enum { BUSIEST_MAX = 20 };

struct busiest_seat; /* private: one process that is counted */

struct busiest {
    const struct source_ops *ops;
    const struct model_places *places; /* borrowed; may be NULL */
    const char *name;                  /* borrowed: of the model; NULL: as the machine says */
    struct model slots;                /* private: of the counters; unused without a PMU */
    struct model times;                /* private: names of user, kernel, waiting */
    bool counts;                       /* private: there are counters for level 1 */
    bool *wanted;                      /* private: [slots.n_metric] its roots */
    bool ready;                        /* private: the models are there */
    char core_type[32];                /* private: the PMU whose slots these are; "" = any */
    struct busiest_seat *seat;         /* private: [BUSIEST_MAX] */
    uint64_t n_opened;                 /* counters, so far, for tests */
};

/* ops: &source_perf, or another that gives numbers. 0 or -ENOMEM. Opens nothing yet. */
int busiest_open(struct busiest *b, const struct source_ops *ops, const char *model,
                 const struct model_places *places);

/*
 * Fills level1 of the busiest rows; call it after each reading of the table. From the second
 * reading on, as the first knows only what they used in all their lives. A process has numbers from
 * the reading after that in which it was opened. Opening goes on for some 40 ms at a time, the
 * busiest first. What cannot be counted stays without numbers.
 */
void busiest_read(struct busiest *b, struct process_table *t);

/* Closes all; level1 of rows is not to be used any more. Accepts a zeroed one. */
void busiest_close(struct busiest *b);

#endif
