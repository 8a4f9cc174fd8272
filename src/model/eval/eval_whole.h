/*
 * Private to eval*.c: values of which only a part of the target was counted, because descriptors
 * were too few for all of its threads or CPUs. Nothing is put in for those that are missing: they
 * are no random sample, and may do something else. So a share is that of the counted ones, and is
 * marked; what means the whole target, a rate or a total in time, is unknown; and so is what
 * relates a part's counts to those of the whole (/proc, boxes outside the cores).
 */
#ifndef TDTOP_MODEL_EVAL_WHOLE_H
#define TDTOP_MODEL_EVAL_WHOLE_H

#include "model/eval/eval_graph.h"

/* Notes the slots that a metric's value is made of, and whether time is in it. Sets graph->rc. */
void whole_note(struct graph *graph, struct program *p, uint16_t metric, uint32_t node);
/* Marks or withdraws values of out: needed only where a count of s is of a part. */
void whole_run(const struct program *p, const struct sample *s, struct frame *out);

#endif
