/* One function with its samples, as `tdtop annotate` prints it. */
#ifndef TDTOP_CLI_ANNOTATE_VIEW_H
#define TDTOP_CLI_ANNOTATE_VIEW_H

#include "cli/cli.h"
#include "model/hot/hot.h"
#include "pmu/symbols/names.h"

struct annotate {
    const struct hot *h;     /* borrowed */
    uint32_t function;       /* of h */
    struct hot_count count;  /* its samples */
    struct listing *listing; /* NULL: code and lines cannot be had; lack says why */
    char lack[NAMES_LACK];
    struct hot_count *at; /* [code.n] of each instruction; owned */
    uint64_t n_between;   /* samples of it at no instruction */
};

/* Each prints all of it. 0 or -ENOMEM. */
int annotate_print_text(const struct annotate *a, FILE *out);
int annotate_print_json(const struct annotate *a, FILE *out);

#endif
