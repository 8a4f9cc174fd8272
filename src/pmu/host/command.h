/* A command that is forked, held back until its counters are open, then let run. */
#ifndef TDTOP_PMU_COMMAND_H
#define TDTOP_PMU_COMMAND_H

#include "base/err.h"

#include <sys/resource.h>
#include <sys/types.h>

enum command_streams {
    STREAMS_SHARED,
    STREAMS_OFF_TERMINAL, /* those that are a terminal are /dev/null */
    STREAMS_ERRORS,       /* all but standard error are /dev/null */
};
/* Forks; the child waits with ordinary signals and `files` (NULL: ours) as its limit. Its pid, or a
 * negative errno with words. */
pid_t command_fork(char **argv, const struct rlimit *files, enum command_streams streams,
                   int *go_fd, int *fail_fd, struct err *err);

/* Lets it run. Returns 0 once exec has worked, else exec's errno. Closes both descriptors. */
int command_go(int *go_fd, int *fail_fd);

/* What a shell would exit with after this errno of exec: 127 not found, 126 otherwise. */
int command_exit_code(int exec_errno);
const char *command_remedy(int exec_errno);

/* Closes what is open. A child that still waits then ends by itself. */
void command_close(int *go_fd, int *fail_fd);

/* Asks it to end (SIGTERM) and waits a few ms; one that does not listen is left to itself. */
void command_end(pid_t pid);

#endif
