/*
 * The door for text that leaves the program: standard output and error, files of rows and exports,
 * the pager, the log. A stream made here passes text on as it is, but for what could command the
 * terminal that shows it: control characters other than newline and tab, DEL, C1, and the marks
 * that reorder a line (str_cp_unsafe) become "\u001b", "\u202e"; bytes that are no UTF-8 "\x9b". So
 * code that prints a name from a file, a store or a process need not think of it. In JSON, where
 * such characters stand in strings only, this is their escape: who reads it gets the very same
 * text.
 *
 * Pictures of the screen (ui/popup/save_screen.h) hold sequences of our own and do not go through
 * it.
 */
#ifndef TDTOP_BASE_DOOR_H
#define TDTOP_BASE_DOOR_H

#include <stdbool.h>
#include <stdio.h>

/* Makes stdout and stderr such streams; once, before anything is printed. 0 or a negative errno. */
int door_init(void);

/* A stream to a descriptor, which it closes in the end. NULL: errno says why, and fd stays open. */
FILE *door_open(int fd);
/* To a file: made, or emptied first; or (door_append) added to. NULL: errno says why. */
FILE *door_create(const char *path);
FILE *door_append(const char *path);

/* The descriptor behind stdout, stderr or a plain stream; -1: none, or that of another door. */
int door_fd(FILE *stream);

/*
 * Calls full(user) once, before a write to standard output blocks: a pipe, FIFO or terminal that is
 * not read. False: it cannot be told beforehand. NULL for full: no longer.
 */
bool door_before_block(void (*full)(void *user), void *user);

#endif
