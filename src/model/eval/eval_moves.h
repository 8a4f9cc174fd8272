/*
 * Private to eval*.c: what a count of PERF_METRICS reaches. Only the steps between it and the
 * values are run again when it moves: a tenth of the program, or less.
 */
#ifndef TDTOP_MODEL_EVAL_MOVES_H
#define TDTOP_MODEL_EVAL_MOVES_H

#include "model/eval/eval_program.h"

/* Notes the steps and the metrics that each slot of PERF_METRICS reaches; after graph_schedule and
 * with the results written. 0 or -ENOMEM. */
int moves_note(struct program *p, const struct model *m);

#endif
