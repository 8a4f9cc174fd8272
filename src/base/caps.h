/*
 * Capabilities of the program file (`setcap cap_perfmon+ep tdtop`) are for perf_event_open(2) and
 * nothing else: CAP_PERFMON alone also opens /proc/PID/maps of any process, and the user names
 * files. So they are lowered before anything is read, and raised by the one thread that opens an
 * event, while it does. Rights of root, and ambient ones, are the user's own and stay.
 */
#ifndef TDTOP_BASE_CAPS_H
#define TDTOP_BASE_CAPS_H

#include "base/err.h"

/* First thing in main, before there is another thread. 0, or a negative errno with words: then the
 * program must not go on. */
int caps_init(struct err *err);

/* Of the calling thread; nothing happens where the file has no capabilities. */
void caps_raise(void);
void caps_lower(void);

#endif
