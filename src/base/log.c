#include "base/log.h"

#include "base/clock.h"
#include "base/door.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static FILE *log_file;

int log_open(const char *path, struct err *err) {
    log_file = door_append(path);
    if (!log_file)
        return err_set(err, -errno, "log file %s: %s; give a path that can be written", path,
                       strerror(errno));
    setvbuf(log_file, NULL, _IOLBF, 0);
    return 0;
}

void log_close(void) {
    if (log_file)
        fclose(log_file);
    log_file = NULL;
}

void log_line(const char *fmt, ...) {
    if (!log_file)
        return;
    fprintf(log_file, "%.6f ", (double)clock_now_ns() / 1e9);
    va_list ap;
    va_start(ap, fmt);
    vfprintf(log_file, fmt, ap);
    va_end(ap);
    fputc('\n', log_file);
}
