#include "base/words.h"

#include <stdarg.h>
#include <stdio.h>

int words_add(struct words *w, const char *fmt, ...) {
    char *text = NULL, *end = NULL;
    va_list ap;
    va_start(ap, fmt);
    const int n = vasprintf(&text, fmt, ap);
    va_end(ap);
    if (n < 0)
        return -ENOMEM;
    int rc = array_push(&w->list, text);
    if (rc < 0) {
        free(text);
        return rc;
    }
    if ((rc = array_push(&w->list, end)) < 0)
        free(text);
    w->list.n--;
    return rc;
}

void words_free(struct words *w) {
    for (size_t i = 0; i < w->list.n; i++)
        free(w->list.at[i]);
    array_free(&w->list);
}
