/*
 * --nodes: which metrics are wanted, in the grammar of toplev (pmu-tools, its --nodes option).
 *
 *   spec  := ["!"] item { "," item }     "!": only what the items name, not the level's nodes
 *   item  := ["+" | "-" | "^"] pattern ["^"] ["/" LEVEL]
 *
 * "+" or nothing adds, "-" and "^" in front remove. A pattern is a metric's name, path or group
 * with the wildcards of the shell (ignoring case); one that ends in "*" also takes everything below
 * what it names. "/2" keeps to level 2 and above. "^" behind it adds the siblings and the metrics
 * beside the tree that share a group with it. Items work from left to right; the ancestors of a
 * wanted node are always wanted, because thresholds ask for them.
 */
#ifndef TDTOP_MODEL_SELECT_H
#define TDTOP_MODEL_SELECT_H

#include "base/err.h"
#include "model/load/model.h"

/*
 * wanted[n_metric] holds what is wanted without the spec and is changed by it. -EINVAL with words
 * for a bad item or a name that nothing has (the nearest is offered).
 */
int select_nodes(const struct model *m, const char *spec, bool *wanted, struct err *err);

/* What is wanted of a level: nodes down to it, the vital metrics and the
 * parts of the time; 0 = everything. */
void select_level(const struct model *m, int level, bool *wanted);

#endif
