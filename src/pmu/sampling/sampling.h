/*
 * Samples of one event, from the kernel to a table of counts: opened when someone looks and closed
 * when they have seen enough. A thread of its own empties the ring buffers, follows the address
 * spaces and adds up; a reader copies what it wants (tally_read) and waits for the kernel never.
 * All is bounded, and what is left out is counted.
 *
 * The rate follows a budget: so many samples per second in all, and a share of one CPU for the
 * thread.
 */
#ifndef TDTOP_PMU_SAMPLING_H
#define TDTOP_PMU_SAMPLING_H

#include "base/err.h"
#include "pmu/host/target.h"
#include "pmu/sampling/comms.h"
#include "pmu/sampling/locate.h"
#include "pmu/sampling/tally.h"

struct sampling;

struct sampling_options {
    const struct target_set *target; /* borrowed by sampling_open; a command may still wait */
    const struct locate *list;       /* one for each core type; borrowed by sampling_open */
    int n_list;
    int paranoid;                  /* kernel.perf_event_paranoid, for words */
    double rate_hz;                /* samples per second in all; 0: 1,000 */
    double cpu_share;              /* of one CPU for our thread; 0: 0.01 */
    bool stacks, branches, memory; /* where they can be had; stacks of the CPU's own, too */
    bool user_only;
    struct tally_limits limits;
};

struct sampling_event {
    char name[96];
    const char *precision; /* locate_precision */
    char of[128], why[256];
    bool clock, off_cpu;
    int precise_ip;
    int node; /* METRIC_NONE: it belongs to none */
};

/* Of so many samples more than a fifth have broken stacks: that is worth a word. */
enum { SAMPLING_BROKEN_FROM = 100, SAMPLING_BROKEN_PART = 5 };

#define SAMPLING_NO_COUNTER 0.02 /* more of its time without a counter is worth a word */

/* What was opened, and how it goes. */
struct sampling_info {
    struct sampling_event event[4]; /* of each core type */
    int n_event;
    int n_cpu;                     /* that are sampled */
    uint32_t n_thread, n_left_out; /* with an event of their own; without, for there are too many */
    uint32_t ring_pages, ring_wanted; /* fewer than wanted: the user may lock no more memory */
    bool opening;                     /* not all threads have their event yet */
    bool user_only;                   /* the kernel is left out */
    bool branches;                    /* samples have branch records */
    bool accesses;                    /* they may say which address was accessed */
    char no_branches[96];             /* why there are none, though they were asked for; "" */
    bool system_wide;  /* too many threads: all CPUs are sampled, and others' samples left out */
    double no_counter; /* how much of its time others had its counter, 0..1; NAN: not known */
    double freq_hz;    /* samples per second asked of each CPU that the target is on */
    uint64_t n_broken; /* samples with a caller that is no code, as without frame pointers */
    uint32_t n_asleep; /* of off-cpu, once it has stopped: threads that blocked all the time */
    uint64_t n_sample, n_lost, n_throttled, n_foreign, n_garbled;
    uint64_t n_evicted;    /* address spaces, mappings, modules without room */
    uint64_t n_unreadable; /* processes whose mappings could not be read */
    uint64_t n_reopened;   /* times that all was opened again with a lower rate */
    uint64_t cpu_ns;       /* CPU time of our thread */
    uint64_t begin_ns;     /* CLOCK_MONOTONIC */
};

/*
 * Opens the best event that the kernel takes, on the first thread or on the CPUs, and starts the
 * thread, which opens the others. 0 or a negative errno with words; nothing is left open then. A
 * command that waits is sampled from its first instruction.
 */
int sampling_open(struct sampling **out, const struct sampling_options *opt, struct err *err);

/* No more samples; those that are in the buffers are added up. Within a second. */
void sampling_stop(struct sampling *s);
/* Stops and frees; NULL is nothing. */
void sampling_close(struct sampling *s);

/* From any thread; none of them waits for the kernel. */
int sampling_read(struct sampling *s, struct tally_copy *copy); /* as tally_read */
void sampling_reset(struct sampling *s);                        /* counts begin again */
void sampling_info(struct sampling *s, struct sampling_info *out);
/* Of the places in a copy; path is borrowed until sampling_close. */
void sampling_module(struct sampling *s, uint32_t id, struct module *out);
/* The name of a thread, its own if it is the process's first; reads /proc where no record has told
 * it. False if it is not known. Not safe for a terminal. */
bool sampling_comm(struct sampling *s, pid_t pid, pid_t tid, char name[COMM_SIZE]);
uint32_t sampling_modules(struct sampling *s); /* how many there are */

/* The share of samples with broken stacks, 0..1; 0 where it is not worth a word. */
static inline double sampling_broken(const struct sampling_info *i) {
    return i->n_sample >= SAMPLING_BROKEN_FROM && i->n_broken * SAMPLING_BROKEN_PART > i->n_sample
               ? (double)i->n_broken / (double)i->n_sample
               : 0;
}

#endif
