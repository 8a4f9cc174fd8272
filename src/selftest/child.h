/*
 * A kernel in a process of its own, so that it can be measured from outside like any program. fork
 * without exec: the kernels are in tdtop itself. To be started while this process has one thread.
 *
 * One that is judged by counts waits for child_go and stops after its rounds; any other runs from
 * the beginning (which brings the clock up to speed) until child_stop.
 */
#ifndef TDTOP_SELFTEST_CHILD_H
#define TDTOP_SELFTEST_CHILD_H

#include "selftest/kernel.h"

#include <sys/types.h>

enum child_state { CHILD_PREPARES, CHILD_READY, CHILD_DONE, CHILD_FAILED };

/* What the operating system says it did: getrusage(2) around the rounds. */
struct child_usage {
    uint64_t wall_ns, cpu_ns, user_ns;
    uint64_t minor_faults, switches;
};

struct child {
    pid_t pid;
    int go_fd;             /* writing starts the rounds, closing it ends the wait */
    struct child_box *box; /* private: memory that both see */
};

/* Forks; returns when the kernel is ready, or cannot be (-ENOTSUP and the like, with words), or has
 * died (-ECHILD; -ENOMEM if it was killed). After a failure nothing is left to stop. */
int child_start(struct child *c, const struct kernel *k, const struct kernel_place *place,
                struct err *err);

void child_go(struct child *c);

/* CHILD_DONE: the rounds are over. CHILD_FAILED: the process is gone. */
enum child_state child_state(struct child *c);

/* How often it has run. Any time before child_stop. */
uint64_t child_rounds(const struct child *c);

/* Ends the kernel and the process, and frees. Usage: of its rounds; may be NULL. 0, or with words
 * -ECHILD or -ENOMEM if it had died before. */
int child_stop(struct child *c, struct child_usage *usage, struct err *err);

#endif
