/* Private to the files kernel*.c: the rounds, and what they share. */
#ifndef TDTOP_SELFTEST_KERNEL_IMPL_H
#define TDTOP_SELFTEST_KERNEL_IMPL_H

#include "selftest/kernel.h"

enum { KERNEL_LINE = 64, KERNEL_PAGE = 4096 };

/* Whatever is in x may have changed: nothing can be known of it, and nothing saved. */
#define KERNEL_OPAQUE(x) __asm__ volatile("" : "+r"(x))

/* Maps run->memory. 0, or -ENOMEM with words. */
int kernel_map(struct kernel_run *run, size_t size, struct err *err);

/*
 * Fills order[n] with 0..n-1 for a walk that no prefetcher guesses: windows of `window` neighbours
 * in random order, and within each in random order. A window small enough for the TLB keeps the
 * walk free of page walks.
 */
void kernel_shuffle(uint32_t *order, uint32_t n, uint32_t window);

/* kernel_core.c: what stays in the core. */
void kernel_branches_round(struct kernel_run *run);
void kernel_divide_round(struct kernel_run *run);
void kernel_integer_round(struct kernel_run *run);
void kernel_vector_round(struct kernel_run *run);
int kernel_integer_prepare(struct kernel_run *run, struct err *err);

/* kernel_memory.c */
int kernel_dram_prepare(struct kernel_run *run, struct err *err);
int kernel_l2_prepare(struct kernel_run *run, struct err *err);
void kernel_chase_round(struct kernel_run *run);
int kernel_stores_prepare(struct kernel_run *run, struct err *err);
void kernel_stores_round(struct kernel_run *run);
int kernel_contend_prepare(struct kernel_run *run, struct err *err);
void kernel_contend_round(struct kernel_run *run);
void kernel_contend_finish(struct kernel_run *run);

/* kernel_code.c */
int kernel_code_prepare(struct kernel_run *run, struct err *err);
void kernel_code_round(struct kernel_run *run);

/* kernel_system.c */
enum { KERNEL_FAULTS = 512, KERNEL_TRIPS = 256 /* to the partner and back, per round */ };
void kernel_busy_round(struct kernel_run *run);
int kernel_syscalls_prepare(struct kernel_run *run, struct err *err);
void kernel_syscalls_round(struct kernel_run *run);
void kernel_syscalls_finish(struct kernel_run *run);
void kernel_faults_round(struct kernel_run *run);
int kernel_switches_prepare(struct kernel_run *run, struct err *err);
void kernel_switches_round(struct kernel_run *run);
void kernel_switches_finish(struct kernel_run *run);

#endif
