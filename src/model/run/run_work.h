/*
 * What a command took as a whole: metrics of no model, known of runs that ran_through. Two commands
 * that do the same work are compared by them; rates per second do not tell which is faster.
 */
#ifndef TDTOP_MODEL_RUN_WORK_H
#define TDTOP_MODEL_RUN_WORK_H

#include "model/run/run.h"

#define RUN_CPU_TIME "cpu_time"
enum { RUN_WORK_N = 4 };

/*
 * Elapsed time and CPU time in s, instructions (IPC * GHz * CPUs_Utilized * time: all models of a
 * core have these), context switches. Fills those that the run tells; their texts are constants.
 * Returns how many, 0 of a run that did not run through.
 */
int run_work(const struct run *r, struct run_node out[RUN_WORK_N]);
bool run_is_work(const struct run_node *n); /* it is one of these */

#endif
