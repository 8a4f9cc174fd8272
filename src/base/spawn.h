/* Starts programs beside this one, which goes on. */
#ifndef TDTOP_BASE_SPAWN_H
#define TDTOP_BASE_SPAWN_H

#include <sys/types.h>

/*
 * Runs path with argv and env (NULL: ours), all signals as they are by default, its standard input
 * empty, its output and errors to these descriptors. 0, or a negative errno: nothing was started.
 * waitpid is the caller's.
 */
int spawn_start(const char *path, char *const *argv, char *const *env, int out, int err,
                pid_t *pid);

#endif
