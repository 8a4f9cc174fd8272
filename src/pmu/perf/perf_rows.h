/*
 * Rows: what single threads or CPUs did in the last interval (model/eval/units.h). Counts are those
 * of the top groups, as the units have read them; names, CPU and the split of CPU time come from
 * /proc, for threads that have run only, and within a budget of time. The names of the others are
 * read in turns, each every few seconds.
 */
#ifndef TDTOP_PMU_PERF_ROWS_H
#define TDTOP_PMU_PERF_ROWS_H

#include "model/eval/units.h"
#include "pmu/perf/perf_slots.h"
#include "pmu/perf/perf_units.h"

/* Where a slot of a row comes from. */
struct perf_row_from {
    int proc;    /* enum proc_event or PROC_BUSY; -1: a counter */
    uint32_t at; /* of a unit's row */
};

enum { PERF_ROWS_TEXT = 16384 };

struct perf_rows {
    uint16_t *slot; /* [n] of the layout */
    struct perf_row_from *from;
    uint32_t n;
    bool want_wait;
    enum proc_scope scope; /* of CPUs /proc knows how busy they were, of a cgroup's share nothing */
    const struct procfs *proc; /* borrowed: how long threads have waited */
    uint32_t turn;             /* who is read first in the next interval */
    uint32_t name_turn;        /* who is next to have its name read */
    uint32_t names_old;        /* so many may have been changed since they were read */
    uint64_t budget_ns;        /* of an interval, for /proc of threads */
    uint64_t names_ns;         /* names were read then */
    bool again;                /* there was a table before */
    double utime, stime;       /* ns of the whole target in the last interval; NAN: not known */
    uint64_t tick_ns;
    int stat_fd, schedstat_fd; /* of the system; kept open */
    char *text;                /* [PERF_ROWS_TEXT] for reading these */
};

/* 0 or -ENOMEM. Counts of proc have to be of the same interval as those of the units. */
int perf_rows_init(struct perf_rows *pr, const struct perf_slots *ps, const struct perf_units *pu,
                   const struct procfs *proc, enum proc_scope scope);
/* The same rows from other groups of counters. */
void perf_rows_rebind(struct perf_rows *pr, const struct perf_slots *ps,
                      const struct perf_units *pu);
void perf_rows_free(struct perf_rows *pr); /* accepts a zeroed one */

/* After a read of the units. 0 or -ENOMEM; allocates only when there are more rows than ever
 * before. */
int perf_rows_fill(struct perf_rows *pr, struct perf_units *pu, struct unit_table *out);

/*
 * The kernel splits time into user and kernel for each thread and for the whole process, each by
 * its own ticks (cputime_adjust), so the parts add up to the sum only about. Rows are scaled to it
 * where all threads have one, and it is off by no more than ticks explain. Called by
 * perf_rows_fill.
 */
void perf_rows_agree(const struct perf_rows *pr, struct unit_table *t);

/* There was no table of the interval before: what /proc said last is of long ago. */
void perf_rows_forget(struct perf_units *pu);

/* Fills unit[].proc of the last interval; at the start it sets the beginning. */
void perf_rows_read_proc(struct perf_rows *pr, struct perf_units *pu);

#endif
