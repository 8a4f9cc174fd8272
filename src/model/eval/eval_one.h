/* Private to eval*.c: one metric by itself, by the steps that its value is made of. */
#ifndef TDTOP_MODEL_EVAL_ONE_H
#define TDTOP_MODEL_EVAL_ONE_H

#include "model/eval/eval_program.h"

/* Makes room for the steps of any metric. 0 or -ENOMEM. */
int one_reserve(struct program *p);
void one_destroy(struct program *p);

#endif
