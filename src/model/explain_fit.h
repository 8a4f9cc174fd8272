/* The knowledge base knows the metrics of all models: what is said about others is left out. */
#ifndef TDTOP_MODEL_EXPLAIN_FIT_H
#define TDTOP_MODEL_EXPLAIN_FIT_H

#include "model/explain.h"
#include "model/model.h"

/* In entries of what the model has: drops the causes, hints and places to look at that name a
 * metric which it does not have, or an event of Intel's where the core is another's; and what is
 * related but not there. 0, or -ENOMEM: then nothing was dropped. */
int explain_fit(struct explain *ex, const struct model *m);

#endif
