/* Bytes on their way to the terminal, and as terminfo has them. */
#ifndef TDTOP_UI_TERM_BYTES_H
#define TDTOP_UI_TERM_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Where they go: the terminal of standard output, opened once more, since O_NONBLOCK on standard
 * output would be that of the shell as well; where that cannot be (a terminal of another user,
 * after su), standard output itself, in small pieces. wake_fd ends any wait when it is readable.
 * Before it and after bytes_close: standard output.
 */
void bytes_open(int wake_fd);
void bytes_close(void);
int bytes_fd(void);

/*
 * Writes all of it. A slow terminal is waited for, but not one that takes nothing for a second, nor
 * when wake_fd is readable: then the rest is lost, and so is all that follows until bytes_again.
 */
void bytes_send(const char *at, size_t n);
uint64_t bytes_sent(void); /* so far */

bool bytes_lost(void);   /* what the terminal shows is not known: it is to be drawn again */
int bytes_room_fd(void); /* for poll(POLLOUT): may be worth bytes_again; -1 if nothing was lost */
bool bytes_again(void);  /* true if the terminal takes bytes: nothing counts as lost any more */

/* The process ends: nothing that another thread still sends follows. Async-signal-safe. */
void bytes_give_up(void);
/*
 * For giving the terminal back: waits a second for one that takes nothing, then drops what it has
 * not read yet, to have room. Async-signal-safe; never waits longer than about four seconds.
 */
void bytes_force(int fd, const char *at, size_t n);

/* A capability without its padding ("$<5>"), which only real hardware needed; NULL = "". Returns
 * out. */
char *bytes_unpadded(char *out, size_t cap, const char *from);

/*
 * sgr0 without what leaves the alternate character set (ESC ( B, or SI): nothing here enters it,
 * and it would be sent with every change of look. Returns out.
 */
char *bytes_plain(char *out, size_t cap, const char *sgr0);

#endif
