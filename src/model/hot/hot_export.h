/* Samples as other tools read them: folded stacks, a flame graph, profiles of speedscope and pprof.
 */
#ifndef TDTOP_MODEL_HOT_EXPORT_H
#define TDTOP_MODEL_HOT_EXPORT_H

#include "model/hot/hot.h"

#include <stdio.h>

struct hot_format {
    const char *ending; /* ".folded" */
    /* Writes all of it. 0 or -ENOMEM; an error of writing is left in out. */
    int (*write)(const struct hot *h, FILE *out);
    bool bytes; /* no text: out must pass on all bytes as they are */
};

/* The format of a file of that name; NULL: none. */
const struct hot_format *hot_format_of(const char *path);

/* A line per stack: frames from the outermost on, ';' between them, and the number of samples. */
int hot_folded(const struct hot *h, FILE *out);
/* One file that needs no other: a click zooms, a search marks. Widths are events. */
int hot_svg(const struct hot *h, FILE *out);
/* https://www.speedscope.app/file-format-schema.json, one profile of type "sampled". */
int hot_speedscope(const struct hot *h, FILE *out);
/* profile.proto of github.com/google/pprof, not compressed. */
int hot_pprof(const struct hot *h, FILE *out);

#endif
