/*
 * What counting costs the program where it starts threads: each inherits every counter, and gives
 * it back at its end, in the program's own CPU time. How much that is for a counter is measured on
 * this machine. The kernel does not tell how many threads the program starts; how many tasks begin
 * on the whole machine it does, and that is the most they can be.
 */
#ifndef TDTOP_PMU_THREAD_COST_H
#define TDTOP_PMU_THREAD_COST_H

#include "base/str.h"

#include <stdint.h>

struct thread_cost {
    uint64_t counter_ns;    /* CPU time that a counter costs a new thread; 0: not known */
    double per_s;           /* new tasks on the machine, as last said */
    uint64_t newest, at_ns; /* private: number of the newest task, and when that was */
};

/* Measures what a counter costs; some milliseconds. */
void thread_cost_measure(struct thread_cost *b);

/* Once an interval: how many new tasks are there? */
void thread_cost_update(struct thread_cost *b);

/* Says what n_counter of them cost, if that is worth a word and n_pending of them could be left
 * out.
 */
void thread_cost_format(const struct thread_cost *b, uint32_t n_counter, uint32_t n_pending,
                        struct strbuf *sb);

#endif
