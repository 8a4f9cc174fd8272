/* What there is to choose from in a recording: its cgroups, or its threads. */
#ifndef TDTOP_PMU_REPLAY_PARTS_H
#define TDTOP_PMU_REPLAY_PARTS_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct replay_parts {
    char **name;  /* owned; [n], as they first come; each is fit for source_options.only */
    uint32_t n;   /* 0: fewer than two, so nothing is to be chosen */
    bool threads; /* of threads: all of them together can be shown, too */
};

/* Reads a regular file through. 0, or negative errno with words. */
int replay_parts_read(const char *path, struct replay_parts *out, struct err *err);
void replay_parts_free(struct replay_parts *p); /* accepts a zeroed one */

#endif
