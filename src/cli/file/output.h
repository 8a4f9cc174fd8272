/* A file that is written whole or not at all, or standard output. */
#ifndef TDTOP_CLI_OUTPUT_H
#define TDTOP_CLI_OUTPUT_H

#include "base/err.h"

#include <stdio.h>
#include <sys/types.h>

struct output {
    FILE *out;
    int fd;            /* of the draft */
    const char *path;  /* as it was named; NULL: standard output */
    char target[4096]; /* the file that is meant: where a link leads */
    char draft[4096];  /* what becomes the file; "": it is written directly, being no plain file */
};

/* path NULL: standard output. mode: the rights of a new file. A link stays one, and what it leads
 * to is replaced. 0 or negative errno with words: nothing is to be closed. */
int output_open(struct output *o, const char *path, mode_t mode, struct err *err);
/* What is no text, before anything else is written. 0 or negative errno with words. */
int output_bytes(struct output *o, const void *at, size_t n, struct err *err);
/* rc: how writing went. Returns it, or why the file is not there. */
int output_close(struct output *o, int rc, struct err *err);

#endif
