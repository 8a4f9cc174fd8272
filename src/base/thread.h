/*
 * Starts threads: the one place that decides which signals they take. Asynchronous signals are for
 * the main thread and are blocked in all others; a fault is delivered to the thread that caused it
 * and is blocked in none, so that its handler (ui/term/term_signal.h) can give the terminal back.
 */
#ifndef TDTOP_BASE_THREAD_H
#define TDTOP_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/*
 * As pthread_create(3). name: at most 15 bytes, as /proc shows it; user: borrowed by the thread.
 * Handlers of faults run on a stack of their own, so that an overflow reaches them too.
 * 0, or a negative errno: no thread was started.
 */
int thread_start(pthread_t *thread, const char *name, void *(*run)(void *user), void *user);

/* True of a signal that a fault of the thread itself raises: SEGV, BUS, FPE, ILL, ABRT, TRAP, SYS.
 */
bool thread_is_fault(int sig);
/* Takes them out of the calling thread's signal mask, where whoever started the program may have
 * left them: a blocked fault ends the process without its handler. */
void thread_take_faults(void);

/* For their handlers; SIGSTKSZ may be small, and MINSIGSTKSZ grows with AVX-512. */
enum { THREAD_FAULT_STACK = 32 << 10 };

/* True if INT, TERM or HUP is blocked and has come: for what takes long and has no descriptors to
 * wait for. */
bool thread_end_waits(void);

/* Gives back what memory the calling thread's stack has used and does not need now: of one that has
 * done much, and will wait long. Not of the main thread's. */
void thread_rest(void);

#endif
