/*
 * A log for developers, to a file only (TDTOP_LOG=FILE or --log FILE): never to the terminal,
 * which belongs to the screen. Off by default; then a call costs one branch.
 */
#ifndef TDTOP_BASE_LOG_H
#define TDTOP_BASE_LOG_H

#include "base/err.h"

int log_open(const char *path, struct err *err);
void log_close(void);
void log_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
