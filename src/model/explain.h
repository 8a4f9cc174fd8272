/* The knowledge base: what a metric means, why it is high, what to try. Shared by all models. */
#ifndef TDTOP_MODEL_EXPLAIN_H
#define TDTOP_MODEL_EXPLAIN_H

#include "base/err.h"
#include "base/toml.h"

struct explain_entry {
    const char *name;    /* "L3_Bound"; matched to a metric's name, ignoring case */
    const char *summary; /* one line */
    const char *description;
    const char **causes; /* NULL terminated lists; may be NULL */
    const char **hints;
    const char **confirm;
};

struct explain {
    struct explain_entry *at;
    size_t n;
    void *docs_; /* private */
};

struct embedded; /* model/model.h */

/* Loads all embedded entries. 0, or -EINVAL with file:line:column; then nothing is left to free. */
int explain_load(struct explain *ex, struct err *err);
/* The same from a given list of files. */
int explain_load_from(struct explain *ex, const struct embedded *files, struct err *err);
void explain_free(struct explain *ex);
const struct explain_entry *explain_find(const struct explain *ex, const char *name); /* or NULL */

#endif
