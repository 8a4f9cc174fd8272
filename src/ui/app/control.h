/*
 * --control FIFO: what a benchmark tells the screen, a line a command.
 *
 *   mark NAME            a mark on the time line
 *   snapshot [k=v ...]   stores what came since the reset, under these labels
 *   pause, resume        leaves out of sums and history what is in between
 *   reset                sums start anew
 *   quit
 *
 * Empty lines and those that begin with "#" mean nothing.
 */
#ifndef TDTOP_UI_CONTROL_H
#define TDTOP_UI_CONTROL_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct screen;

enum control_verb {
    CONTROL_MARK,
    CONTROL_SNAPSHOT,
    CONTROL_PAUSE,
    CONTROL_RESUME,
    CONTROL_RESET,
    CONTROL_QUIT,
    CONTROL_VERBS,
};

enum { CONTROL_LINE = 4096 };

struct control_fifo {
    int fd; /* for poll(); -1: not open */
    char path[4096];
    bool made;               /* by us: removed at the end */
    char line[CONTROL_LINE]; /* what was read of lines that are not over */
    size_t n;
    bool too_long; /* the line at hand is, and is left out */
    bool has_read; /* in this turn */
};

/* Makes the FIFO if it is not there; for this user alone. 0, or negative errno with words. */
int control_fifo_open(struct control_fifo *cf, const char *path, struct err *err);
void control_fifo_close(struct control_fifo *cf); /* accepts a zeroed one */

/*
 * The next command, never waiting for one; rest (CONTROL_LINE bytes) gets what stands behind its
 * verb. 1; 0: there is none, or it was enough for a turn of the main loop: what is left wakes
 * poll() again; -EINVAL: a line that cannot be understood, with words; or a negative
 * errno of reading.
 */
int control_fifo_next(struct control_fifo *cf, enum control_verb *verb, char *rest,
                      struct err *err);

/*
 * Takes the commands that wait, as many as a turn of the main loop allows. What goes wrong is said
 * on the screen and stops nothing; where reading itself fails the FIFO is closed. Returns true if
 * the screen changed.
 */
bool control_take(struct control_fifo *cf, struct screen *sc);

#endif
