/*
 * The one event that is sampled, opened on CPUs and threads, and a ring buffer on each CPU.
 *
 * A ring belongs to a dummy event of our own thread on that CPU, and all others write into it
 * (PERF_EVENT_IOC_SET_OUTPUT): so it outlives threads that end, and poll(2) on it never says that
 * one has. The kernel permits this only among events of one CPU, and maps no buffer for an event
 * that is inherited and on any CPU (perf_mmap in kernel/events/core.c); so a thread takes an event
 * on each CPU, as in perf record. It costs a descriptor and 1 kB of the kernel's memory each and
 * nothing while the thread runs elsewhere. Without inherit one event per thread would do, but with
 * a buffer each, and what new threads do until they are opened would be lost. Where there are too
 * many (EVENTS_MOST, or descriptors) whole CPUs are sampled and others' samples left out, where
 * that is permitted; else the threads that have run longest are taken.
 */
#ifndef TDTOP_PMU_EVENTS_H
#define TDTOP_PMU_EVENTS_H

#include "base/err.h"
#include "pmu/sampling/locate.h"
#include "pmu/sampling/record.h"
#include "pmu/sampling/ring.h"

enum { EVENTS_MOST = 1 << 14, EVENTS_LISTS = 8 };

struct events_cpu {
    int cpu;
    int fd;   /* of the dummy */
    int list; /* which of the lists its events are of */
    struct ring ring;
};

struct events_options {
    const struct locate *list; /* one for each core type; borrowed while it is opened */
    int n_list;
    uint64_t freq; /* samples per second of each CPU that the target is on; of off_cpu: as at the
                      beginning, all switches, else a part of them */
    bool off_cpu;  /* the lists are of that, and there are records of switches */
    bool stacks, memory; /* call chains; addresses and latencies */
    bool branches;       /* branch stacks; false again once the event has none */
    bool calls;          /* else the CPU's own stack of calls; likewise */
    bool inherit;
    bool on_exec;   /* begins with the exec of the command */
    bool user_only; /* as asked for */
    bool build_ids; /* records may have them instead of device and inode */
    int paranoid;
};

struct events {
    struct events_options opt;
    struct events_cpu *cpu; /* [n_cpu] */
    int n_cpu;
    int *fd;      /* of the target; owned */
    int *aux_fd;  /* what leads their groups, or -1; owned */
    int *on;      /* which of cpu each is on; owned */
    uint64_t *id; /* as the kernel numbers it, where it was asked; owned */
    uint32_t n_fd, cap;
    struct record_format format;
    uint32_t ring_pages, ring_wanted;
    uint64_t first_freq; /* private: at the beginning */
    unsigned refused;    /* private: features that the kernel does not have */
    int no_branches;     /* what the event was refused with when branch stacks were asked for; 0 */
    bool timed;          /* records have times of CLOCK_MONOTONIC */
    bool user_only;      /* the kernel permits no more, or it was asked for */
    bool by_cpu;         /* private: on CPUs, not on threads */
    bool partial;        /* private: not on CPUs that are of another core type */
    /* What was opened, of each list. */
    struct perf_event_attr attr[EVENTS_LISTS];
    struct perf_event_attr aux[EVENTS_LISTS]; /* size 0: nothing has to lead it */
    int chosen[EVENTS_LISTS];                 /* which of the list; -1: no CPU of it is there */
};

/* What an event is opened on. */
struct events_on {
    pid_t tid;     /* or -1: everything on the CPU */
    int cgroup_fd; /* or -1 */
};

/* Rings on these CPUs; those that are offline are left out. 0 or a negative errno with words. */
int events_open(struct events *ev, const struct events_options *opt, const int *cpu, int n_cpu,
                struct err *err);

/* Finds what the kernel opens, best first, and opens it on `on`. 0; -ESRCH without words if the
 * thread has ended; other negative errno with words. */
int events_choose(struct events *ev, const struct events_on *on, const char *words, bool foreign,
                  struct err *err);

/* Opens what was chosen on one more. 0; -ESRCH, -EMFILE and others; then nothing of it is open. */
int events_add(struct events *ev, const struct events_on *on);

/* The same, but threads that it starts do not inherit it. */
int events_add_alone(struct events *ev, const struct events_on *on);
/* Of n descriptors from `first` on: asks for their numbers; is that the number of one, even if it
 * is closed? */
void events_learn_ids(struct events *ev, uint32_t first, uint32_t n);
bool events_have_id(const struct events *ev, uint32_t first, uint32_t n, uint64_t id);
/* Closes that on a CPU; is it still open? */
void events_close_on(struct events *ev, uint32_t first, uint32_t n, uint32_t cpu);
bool events_are_open_on(const struct events *ev, uint32_t first, uint32_t n, uint32_t cpu);

/* Of off_cpu: one of so many switches is a sample. */
uint64_t events_period(const struct events *ev);
/* Samples per second and CPU from now on, of what is open; threads that have inherited keep theirs.
 */
void events_set_freq(struct events *ev, uint64_t freq);
/* How much of its time the event was on a counter, 0..1, of those that were opened first (reading
 * takes microseconds for each); NAN: it was not on for 100 ms yet, or threads may have run on CPUs
 * of another core type. */
double events_counted(const struct events *ev);
/* Samples that found no room in their ring, also those that no record tells of: the kernel writes
 * one when there is room again and something comes. 0: before Linux 6.0. Reads all descriptors. */
uint64_t events_lost(const struct events *ev);
/* Closes those of the target; rings stay. */
void events_forget(struct events *ev);
/* Stops them: what is in the rings then is all. */
void events_stop(struct events *ev);
void events_close(struct events *ev); /* accepts a zeroed or failed one */

#endif
