/*
 * Signals while the terminal is ours. Those that end, stop or resize the program become bytes in a
 * pipe that the main loop polls; all others whose default action ends the process, those of a crash
 * among them, give the terminal back on the spot, from a text and a termios that were prepared
 * before, with async-signal-safe calls only, and then let the signal do what it would have done.
 */
#ifndef TDTOP_UI_TERM_SIGNAL_H
#define TDTOP_UI_TERM_SIGNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

/* Installs the handlers. 0 or negative errno; nothing is installed then. */
int signals_install(void);
/* Puts back what was installed before. Idempotent. */
void signals_restore(void);

int signals_fd(void);       /* readable when a signal waits; -1 when not installed */
int signals_take(void);     /* one signal number, or 0 */
bool signals_resized(void); /* true once after each SIGWINCH */

/* Lets SIGTSTP stop the process, as without us; returns after SIGCONT. */
void signals_stop(void);

/* What a crash writes to fd (bytes_force) and sets it to. Text is copied (cut if longer than fits).
 */
void crash_arm(int fd, const struct termios *saved, const char *text, size_t n);
void crash_disarm(void);

#endif
