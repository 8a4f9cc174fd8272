/*
 * Which entry of the knowledge base is meant by what the user typed: a leaf (L3_Bound), a path
 * (Memory_Bound/L3_Bound, Mem/L3), what the vendor or perf calls it (tma_l3_bound), or a part of a
 * name. Names of the model that is looked at come before those of others.
 */
#ifndef TDTOP_MODEL_EXPLAIN_NAMES_H
#define TDTOP_MODEL_EXPLAIN_NAMES_H

#include "model/knowledge/explain.h"

enum { EXPLAIN_CHOICES_MAX = 1024 }; /* more than there are names */

struct explain_choices {
    const struct explain_entry *at[EXPLAIN_CHOICES_MAX];
    size_t n;
};

/* The models, or outlines of them (model_index.h): n of them. */
struct explain_models {
    const struct model *at;
    size_t n;
    const struct model *chosen; /* the one that is looked at; or NULL */
};

/*
 * The entry, or NULL. NULL with c->n > 0: the name begins, or is part of, that many names, those of
 * the chosen model first; with c->n == 0 nothing has it. With an entry: c has the other names that
 * the text is a part of; none if it was a whole name.
 */
const struct explain_entry *explain_resolve(const struct explain *ex,
                                            const struct explain_models *ms, const char *name,
                                            struct explain_choices *c);

/* The names spelt most like it, nearest first; at most a third of the letters differ. */
void explain_nearest(const struct explain *ex, const char *name, struct explain_choices *c);

#endif
