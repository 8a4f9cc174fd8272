/* Words for a program: its arguments, or NAME=VALUE of its environment. */
#ifndef TDTOP_BASE_WORDS_H
#define TDTOP_BASE_WORDS_H

#include "base/array.h"

struct words { /* zeroed at first */
    ARRAY(char *) list;
};

/* One more, behind which NULL ends the list. 0 or -ENOMEM: it is as it was. */
int words_add(struct words *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void words_free(struct words *w); /* accepts a zeroed one; leaves it zeroed */

#endif
