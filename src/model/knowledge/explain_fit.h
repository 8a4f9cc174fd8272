/* The knowledge base knows the metrics of all models: what is said about others is left out. */
#ifndef TDTOP_MODEL_EXPLAIN_FIT_H
#define TDTOP_MODEL_EXPLAIN_FIT_H

#include "model/knowledge/explain.h"
#include "model/load/model.h"
#include "model/load/name_set.h"

/* What is known of the model, for all texts. */
struct explain_fit {
    struct name_set names;
    bool intel;
};

int explain_fit_init(struct explain_fit *f, const struct model *m); /* 0 or -ENOMEM */
void explain_fit_destroy(struct explain_fit *f);

/* True if the model has a metric, node or group of this name. */
bool explain_fit_has(const struct explain_fit *f, const char *name);
/* False if the text names a metric which the model does not have, or an event of Intel's where the
 * core is another's. */
bool explain_fit_text(const struct explain_fit *f, const char *text);

/* In entries of what the model has: drops the causes, hints and places to look at that do not fit,
 * and what is related but not there. */
void explain_fit_entries(const struct explain_fit *f, struct explain *ex);
/* The same. 0, or -ENOMEM: then nothing was dropped. */
int explain_fit(struct explain *ex, const struct model *m);

#endif
