/*
 * Which entry of the knowledge base is meant by what somebody typed: a leaf (L3_Bound), a path
 * (Memory_Bound/L3_Bound), what the vendor or perf calls it (tma_l3_bound), or how one of these
 * begins.
 */
#ifndef TDTOP_MODEL_EXPLAIN_NAMES_H
#define TDTOP_MODEL_EXPLAIN_NAMES_H

#include "model/explain.h"

enum { EXPLAIN_CHOICES_MAX = 24 };

struct explain_choices {
    const struct explain_entry *at[EXPLAIN_CHOICES_MAX];
    size_t n;   /* of at */
    size_t all; /* with those that had no room */
};

/* The models, loaded: n of them. */
struct explain_models {
    const struct model *at;
    size_t n;
};

/*
 * The entry, or NULL. NULL with c->n > 0: the name begins, or is part of, that many names; with
 * c->n == 0 nothing has it.
 */
const struct explain_entry *explain_resolve(const struct explain *ex,
                                            const struct explain_models *ms, const char *name,
                                            struct explain_choices *c);

/* The names spelt most like it, nearest first; at most a third of the letters differ. */
void explain_nearest(const struct explain *ex, const char *name, struct explain_choices *c);

#endif
