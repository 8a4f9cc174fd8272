#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *err, int code, const char *fmt, ...) {
    if (!err)
        return code;
    err->code = code;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(err->text, sizeof(err->text), fmt, ap);
    va_end(ap);
    return code;
}

void err_prefix(struct err *err, const char *fmt, ...) {
    if (!err)
        return;
    char prefix[sizeof(err->text)];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(prefix, sizeof(prefix) - 2, fmt, ap);
    va_end(ap);
    strcat(prefix, ": ");
    size_t n = strlen(prefix), rest = strlen(err->text);
    if (rest > sizeof(err->text) - 1 - n)
        rest = sizeof(err->text) - 1 - n;
    memmove(err->text + n, err->text, rest);
    memcpy(err->text, prefix, n);
    err->text[n + rest] = '\0';
}
