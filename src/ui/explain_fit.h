/* The knowledge base knows the metrics of all models: what is said about others is left out. */
#ifndef TDTOP_UI_EXPLAIN_FIT_H
#define TDTOP_UI_EXPLAIN_FIT_H

#include "model/explain.h"
#include "model/model.h"

/* Drops the causes, hints and places to look at that name a metric which the model does not have,
 * or an event of another vendor's; and what is related but not there. */
void explain_fit(struct explain *ex, const struct model *m);

#endif
