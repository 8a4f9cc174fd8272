/*
 * Work of libraries on what hostile files hold (DWARF, names that grow without end), done in a
 * child process that has nothing to lose: it may crash, loop or eat memory, and all that it had is
 * gone when it ends. It can be used off the main thread.
 */
#ifndef TDTOP_PMU_SYMBOLS_APART_H
#define TDTOP_PMU_SYMBOLS_APART_H

#include "base/err.h"

#include <stddef.h>

/*
 * Forks, runs `work`, which writes to fd what it has found, and returns all that was written as
 * malloc'ed, NUL terminated text of *n bytes. 0, -ETIMEDOUT after ms, -EFBIG for more than max,
 * -EIO if the child died; *out is NULL then. Libraries must be loaded before: a child of a process
 * with threads may not.
 */
int apart_run(void (*work)(void *user, int fd), void *user, int ms, size_t max, char **out,
              size_t *n, struct err *err);

#endif
