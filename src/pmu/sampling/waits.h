/*
 * Where threads block: the stack with which each left its CPU (a sample of context-switches), kept
 * until the kernel says that it came back (PERF_RECORD_SWITCH), which tells for how long. Who lost
 * the CPU while it could have gone on is not blocked.
 *
 * The scheduler's own functions on top of a stack are the same in all: what is above them is where
 * it waits, as WCHAN of ps(1) has it.
 */
#ifndef TDTOP_PMU_WAITS_H
#define TDTOP_PMU_WAITS_H

#include "pmu/sampling/spaces.h"

enum { WAITS_MOST = 1 << 14 }; /* threads at once */

struct wait {
    pid_t tid, pid;
    uint64_t left_ns; /* when it left; 0: the record of that was not seen yet */
    double times;     /* waits that it stands for */
    uint64_t told_ns; /* what was before is counted already; 0: nothing is */
    double told;      /* so much, in ns times `times` */
    bool kernel;
    bool asleep, unsure; /* of waits_add; records were lost since it was looked at */
    uint64_t n_switch;   /* of that: how often it had blocked then */
    struct wait *next;   /* private */
    uint32_t n_stack;
    struct place stack[]; /* [n_stack] */
};

struct waits {    /* zeroed at first */
    void *by_tid; /* private: a tree of struct wait, by tsearch(3) */
    uint32_t n;
    uint64_t n_no_room;
    uint64_t first, end; /* addresses of the scheduler; 0: the kernel does not tell them */
};

/* proc: "/proc", where kallsyms lies; NULL: of user space alone is told. */
void waits_init(struct waits *w, const char *proc);
void waits_destroy(struct waits *w); /* accepts a zeroed one */

/* A sample of a thread that leaves its CPU. One that was waited for before is forgotten: the record
 * of its coming back was lost. */
void waits_begin(struct waits *w, const struct record *sample, double times,
                 const struct place *stack, uint32_t n_stack);
/* A thread that blocks when it is looked at for the first time: of what it waits for /proc says
 * less than a sample. */
struct asleep {
    pid_t pid, tid;
    char wchan[64];        /* "futex_do_wait"; "": not told */
    uint64_t wchan_at, pc; /* its address; where the thread called the kernel; 0: not known */
    uint64_t n_switch;     /* how often it has blocked */
};
/* False: it runs, or has ended. proc as above. */
bool asleep_read(struct asleep *a, const char *proc, pid_t tid);
/* The addresses of their functions, as far as they are told. Sorts them. */
void asleep_find(struct asleep *a, size_t n, const char *proc);
/* It has blocked since then. */
void waits_add(struct waits *w, const struct asleep *a, uint64_t since_ns,
               const struct place *stack, uint32_t n_stack);
bool waits_has(const struct waits *w, pid_t tid);

/* Records were lost, or are not made for a while: what was waited for may be over. Of a thread that
 * blocks all the time waits_check tells. */
void waits_lose(struct waits *w);
/* Those that waits_lose left and that have not blocked again go on, the others are forgotten. proc
 * as above. */
void waits_check(struct waits *w, const char *proc);

/* SWITCH and EXIT: what is over by it, for the caller to free(3); or NULL. */
struct wait *waits_end(struct waits *w, const struct record *r);
/* Calls `each` for all that go on. */
void waits_each(const struct waits *w, void (*each)(void *user, struct wait *one), void *user);
/* Any that goes on, taken out; NULL: none does. As above. */
struct wait *waits_take(struct waits *w);

#endif
