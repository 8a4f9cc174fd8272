/* Bytes on their way to the terminal, and as terminfo has them. */
#ifndef TDTOP_UI_TERM_BYTES_H
#define TDTOP_UI_TERM_BYTES_H

#include <stddef.h>
#include <stdint.h>

/*
 * Writes to standard output, all of it: a slow terminal is waited for, since half a sequence is no
 * frame. Gives up when the terminal has gone (SIGHUP says so too).
 */
void bytes_send(const char *at, size_t n);
uint64_t bytes_sent(void); /* so far */

/* A capability without its padding ("$<5>"), which only real hardware needed; NULL = "". Returns
 * out. */
char *bytes_unpadded(char *out, size_t cap, const char *from);

/*
 * sgr0 without what leaves the alternate character set (ESC ( B, or SI): nothing here enters it,
 * and it would be sent with every change of look. Returns out.
 */
char *bytes_plain(char *out, size_t cap, const char *sgr0);

#endif
