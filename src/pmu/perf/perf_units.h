/*
 * All counters of all threads or CPUs of a target, and reading them. A unit is one thread or CPU;
 * it has a descriptor per counter and costs one read() per group.
 *
 * Not everything is open at any time. Groups that are off (focus, few descriptors) have no
 * descriptors anywhere; a target of thousands of threads is opened in slices. What a unit's group
 * counted before it was closed is kept for the next read. Counters of threads are inherited by the
 * threads (and processes) that they start, and what these count is read with their creator's; so
 * without need nothing is opened for them. Who wants them apart (rows) reopens: see
 * perf_units_maintain.
 *
 * Counts that miss a part of the interval, or units that are not open yet, are stretched to the
 * time that the whole target was enabled, so that rates stay right. That time is known from groups
 * that were there all along, or from the CPU clock of the processes. Units that never get
 * descriptors are left out: counts are those of the others then, and say so (`part`).
 */
#ifndef TDTOP_PMU_PERF_UNITS_H
#define TDTOP_PMU_PERF_UNITS_H

#include "pmu/host/target.h"
#include "pmu/perf/perf_list.h"
#include "pmu/perf/perf_shape.h"

enum { PERF_CPUS_MAX = 8192 };

enum unit_state {
    UNIT_PENDING, /* waits to be opened */
    UNIT_OPEN,
    UNIT_HIDDEN, /* no descriptors are left for it */
    UNIT_AWAY,   /* an offline CPU, or a thread that has ended: nothing is open */
    UNIT_LATE,   /* has ended; its counters still hold those of threads that it has started */
};

/* What reading a unit's counters says of the time since they were read before. */
enum unit_ran { UNIT_RAN_UNKNOWN, UNIT_SLEPT, UNIT_RAN };

/* What /proc says of a unit; for rows only (perf_rows.h). */
struct perf_unit_proc {
    char comm[32];
    int cpu;                              /* that a thread ran on last, or -1 */
    uint64_t utime_ns, stime_ns, wait_ns; /* since it was created */
    double utime, stime, wait;            /* in the last interval, ns; NAN if not known */
    bool known;                           /* the totals are there */
    bool due;                             /* private: not read yet */
};

struct perf_unit {
    pid_t pid, tid;     /* or -1 */
    int cpu;            /* or -1 */
    uint8_t state;      /* enum unit_state */
    bool ended;         /* is no longer there: dropped before the next read */
    bool partial;       /* has its own counters only since some time within this interval */
    bool lost;          /* a group of it can no longer be read as it is: to be reopened */
    uint8_t failures;   /* of reading in a row */
    uint8_t ran;        /* enum unit_ran */
    uint8_t ran_before; /* in the interval before */
    uint64_t member_ns; /* private to perf_read.c */
    bool listed;        /* private to perf_reopen.c */
    bool threads_ended; /* likewise: its process has lost threads: one of them may have taken its
                           number */
    bool reopening;     /* private to perf_reopen.c, as are these two */
    uint32_t mark;
    uint64_t mark_ns;
    int clock;                       /* a descriptor + 1, or 0; private to perf_reopen.c */
    uint64_t clock_from_ns;          /* what it said at first; likewise */
    bool shown;                      /* has had a row */
    uint64_t enabled_ns, running_ns; /* in the last interval, of its first top group */
    double residency;                /* share of its time on cores of our type: perf_residency.h */
    struct perf_unit_proc proc;
};

/* Of one group, over all units, in one interval. */
struct perf_sum {
    uint64_t enabled_ns, running_ns;
    uint64_t counted_ns; /* enabled time of the units where it ran at all */
    uint32_t reads;      /* that succeeded */
};

struct perf_units {
    const struct plan *plan;         /* borrowed */
    const struct target_set *target; /* borrowed */
    struct perf_shape *shape;        /* borrowed */
    struct perf_mode mode;
    uint64_t room; /* descriptors that may be taken; 0 = as many as the kernel gives */
    bool adopts;   /* CPUs that come online for the first time are counted, too */

    struct perf_unit *unit;
    uint32_t n, cap;
    int *fd;        /* [cap][n_counter]; -1 = not open */
    uint64_t *last; /* [cap][shape->n_word]: what was read last */
    double
        *row; /* [cap][n_row]: counts of the last interval in the top groups, scaled; NAN = none */
    uint32_t n_row;
    uint32_t row_group; /* the first that is on: rows have its times */
    uint32_t *row_at;   /* [n_group] where a group's begin in a row; UINT32_MAX = not in rows */

    bool *on;          /* [n_group] is to be counted */
    uint32_t *have;    /* [n_group] units that have it open */
    bool *changed;     /* [n_group] was opened or closed somewhere in this interval */
    uint8_t off_state; /* enum count_state of groups that are off */

    struct perf_sum *sum; /* [n_group] of the last interval */
    double *value;        /* [n_counter] of the last interval, scaled */
    uint64_t span_ns;     /* enabled time of the whole target in the last interval */
    uint8_t part;         /* percent of the units that are counted, where the others never will be
                             for want of descriptors; 0: all */
    bool pin_failed;      /* a pinned group found no place: to be reopened, unpinned */

    /* With mode.hybrid: perf_residency.h. */
    uint64_t busy_ns, resident_ns; /* CPU time of the target, and what of it on our core type */
    double turns;                  /* how many groups run at once */

    uint32_t n_fd;       /* that are open */
    uint32_t next;       /* units before it have all that is on */
    uint32_t n_unlisted; /* threads that exist, are counted by their creators, and have no unit */
    uint32_t n_offline;  /* CPUs of the target that are offline now */
    bool settled;        /* false: threads may have been missed; the list must be read again */
    bool opening;        /* until the list has been read after the last was opened: some may have
                            no counters at all */
    bool too_many_fds;   /* the kernel had no descriptor where one was expected */

    uint32_t n_wanted; /* units that were listed at first */
    uint16_t event;    /* that opening failed on */
    struct perf_unit failed;

    /* private */
    int *pending;             /* [cap][n_counter] while threads are reopened: both sets are open */
    bool *was;                /* [n_group] on before it was changed */
    int *online;              /* [PERF_CPUS_MAX] that are online, while they are looked at */
    bool rows;                /* rows are asked for */
    bool published;           /* sum, value and row are of a finished interval */
    struct perf_align *ahead; /* [n_group] read already, but of the next interval: perf_align.h */
    double *ahead_value;      /* [n_counter] */
    struct perf_list list;
    uint32_t *hash; /* unit + 1 by thread; 0 = empty */
    uint32_t n_hash;
    ARRAY(struct perf_thread) new_thread;
    uint64_t clock_ns;    /* CPU clock of the target's processes when last looked; 0 = not known */
    uint32_t tries;       /* lists in a row that have found new threads */
    uint64_t due_ns;      /* the list is not read before */
    uint64_t cpus_due_ns; /* nor are the CPUs that are online */
};

/* ---- opening ---- */

/*
 * Lists the units and finds the shape on the first that lives; one that is not empty is kept as it
 * is. Nothing is open yet. 0; -ESRCH if there is nothing to open; else a negative errno with
 * `event` and `failed` set.
 */
int perf_units_begin(struct perf_units *pu);

/* Only these groups [n_group] are on, on at most `most` units; off_state says why not the others.
 * Once, after perf_units_begin. */
void perf_units_limit(struct perf_units *pu, const bool *on, uint32_t most,
                      enum count_state off_state);

/*
 * Goes on opening until that time. Where the descriptors end, the remaining units are hidden. 0
 * when all is open that can be; -EAGAIN if time is up; other negative errno: as above, but all
 * stays open that is.
 */
int perf_units_open(struct perf_units *pu, uint64_t until_ns);

/*
 * Other groups from now on. As far as the time goes everything is open on return, the rest follows
 * in perf_units_maintain. If the descriptors do not suffice the old set stays: -EMFILE.
 */
int perf_units_focus(struct perf_units *pu, const bool *on, uint64_t until_ns);

/* Between reads: goes on opening until that time. True if more is left to be opened. */
bool perf_units_work(struct perf_units *pu, uint64_t until_ns);

/* Descriptors that these groups need on the units that are counted now. */
uint64_t perf_units_need(const struct perf_units *pu, const bool *on);

/* Everything is closed and opened again in the mode that is set now. */
int perf_units_reopen_all(struct perf_units *pu);

/* Everything is closed, but may be opened again (perf_units_open): what was counted so far is in
 * the next read. */
void perf_units_shut(struct perf_units *pu);

void perf_units_close(struct perf_units *pu); /* accepts a zeroed one */

/* ---- measuring ---- */

/*
 * Before each read: goes on opening for at most slice_ns, looks for CPUs that went or came back,
 * and drops what has ended. With `rows` each new thread gets counters of its own: what
 * its creators counted so far is kept, they are reopened without it, and nothing is lost by that
 * (perf_reopen.c). It costs at most a twentieth of the time, and waits for no more than a fifth
 * of it. Allocates only when there are more units than ever before.
 */
void perf_units_maintain(struct perf_units *pu, bool rows, uint64_t slice_ns);

/* Reads everything: what was counted since the last call is in sum, value and row, until the next
 * call of any function here. Never allocates. */
void perf_units_read(struct perf_units *pu);

/*
 * Did the thread, by what perf_units_read has read last, not get onto any CPU since it read before?
 * Its own counters say so: they are enabled while it runs, and only then. False also where that is
 * not known.
 */
bool perf_units_slept(const struct perf_units *pu, pid_t tid);

/* Units that exist, open or not; those that are fully open. */
uint32_t perf_units_present(const struct perf_units *pu);
uint32_t perf_units_counted(const struct perf_units *pu);

/* ---- between the files of this part ---- */

int perf_units_reserve(struct perf_units *pu, uint32_t n);
void perf_units_add(struct perf_units *pu, struct perf_unit unit); /* room is there */
/* Begins a new interval if the last one has been read; everything that changes counts calls it. */
void perf_units_interval(struct perf_units *pu);
/* Closes what is off and opens what is on and missing on a unit. 0 or negative errno; what could
 * be opened stays open. */
int perf_units_complete(struct perf_units *pu, uint32_t u);
/* Opens a group into fd [n_counter], which may be others than the unit's. 0 or negative errno. */
int perf_units_open_group(struct perf_units *pu, uint32_t u, uint32_t g, int *fd);
void perf_units_close_unit(struct perf_units *pu, uint32_t u);
void perf_units_close_group(struct perf_units *pu, uint32_t u, uint32_t g);
/* Is the group open on the unit? */
bool perf_units_has(const struct perf_units *pu, uint32_t u, uint32_t g);
int *perf_units_fds(const struct perf_units *pu, uint32_t u);    /* [n_counter] */
void perf_units_index(struct perf_units *pu);                    /* after units have moved */
int64_t perf_units_find(const struct perf_units *pu, pid_t tid); /* its number or -1 */
/*
 * Reads a whole group by its leader: 0, -ENODATA at the end of file, -EIO if it is short, or
 * another negative errno. While a thread ends that has inherited the group it cannot be read for
 * some microseconds (ECHILD): that is waited for.
 */
int perf_units_read_group(int leader, uint64_t *buf, size_t size);
/* Adds what a unit has counted since it was read last to this interval. */
void perf_units_carry(struct perf_units *pu, uint32_t u);
void perf_units_carry_group(struct perf_units *pu, uint32_t u, uint32_t g);
/* The same before a group is closed: what cannot be read then is lost, so that it waits longer for
 * threads that are ending. Returns when it was read. */
uint64_t perf_units_take_last(struct perf_units *pu, uint32_t u, uint32_t g);
/* What a group has counted so far (enabled, running, counts) is not taken, and what that is. */
void perf_units_begin_group(struct perf_units *pu, uint32_t u, uint32_t g, const uint64_t *words);
void perf_units_begun(const struct perf_units *pu, uint32_t u, uint32_t g, uint64_t *words);
/* What a group has counted since it was opened is taken with the next read. */
void perf_units_forget_group(struct perf_units *pu, uint32_t u, uint32_t g);
/* A group's enabled time since it was opened, as far as was read. */
uint64_t perf_units_enabled(const struct perf_units *pu, uint32_t u, uint32_t g);
/* Has it run since it was opened, as far as was read? */
bool perf_units_ran(const struct perf_units *pu, uint32_t u);
/* Adds new threads and closes those that ended (perf_reopen.c). -EAGAIN: there are
 * still more. */
enum reopen { REOPEN_NEW, REOPEN_MANY_ENDED, REOPEN_ALL };
int perf_units_reopen_changed(struct perf_units *pu, enum reopen how);
/* Closes CPUs that are not in the list, opens those that are back. */
void perf_units_online(struct perf_units *pu, const int *cpu, int n);
bool perf_unit_is_offline(const struct perf_unit *unit);

#endif
