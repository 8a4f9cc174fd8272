/* One entry of the knowledge base as `tdtop explain` prints it. */
#ifndef TDTOP_CLI_EXPLAIN_VIEW_H
#define TDTOP_CLI_EXPLAIN_VIEW_H

#include "model/knowledge/explain_names.h"
#include "model/load/model.h"

#include <stdio.h>

struct explain_view {
    struct explain ex;
    struct model *model; /* outlines of all built-in ones (model_index.h), owned */
    size_t n_model;
    const struct model
        *chosen;          /* that of --model or of this CPU: its formulas are shown; or NULL */
    struct model chosen_; /* what chosen points to */
    bool wanted;          /* --model, --cpuid: its names and notes alone */
    const struct explain_choices *also; /* other names that what was typed is a part of; or NULL */
};

/* One entry for people: wrapped to `width` columns. */
void explain_print(const struct explain_view *v, const struct explain_entry *e, int width,
                   FILE *out);

#endif
