/* What the files of target.h share. */
#ifndef TDTOP_PMU_TARGET_IMPL_H
#define TDTOP_PMU_TARGET_IMPL_H

#include "base/str.h"
#include "pmu/host/target.h"

enum { TARGET_LIST_MAX = 256 };

/* "42,43", or "42 43" as pidof prints it, into out[TARGET_LIST_MAX]: order kept, doubles dropped.
 * How many, or negative with words that name the option. */
int target_list(const char *text, const char *option, const char *what, pid_t *out,
                struct err *err);
/* Watches these processes. 0 or negative with words. */
int target_add_processes(struct target_set *ts, const pid_t *pid, int n, struct err *err);
/* Process of a thread, or 0 if there is no such thread. */
pid_t target_group_of(pid_t tid);
/* Name of a thread (of a process: of its first), safe for the screen. False if there is none. */
bool target_read_comm(pid_t tid, char *out, size_t cap);

/* Has the whole process ended? */
bool target_process_ended(const struct target_process *p);

/* How a process that has just ended did so: as waitpid's status, or -1: target_end.c */
int target_how(const struct target_process *p);

/* TARGET_TIDS: target_threads.c */
int target_open_threads(struct target_set *ts, const char *text, struct err *err);
bool target_threads_gone(struct target_set *ts);
void target_thread_words(const struct target_set *ts, struct strbuf *sb);

#endif
