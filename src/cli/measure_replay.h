/* Recordings and stored runs: whose events they are, by which model. */
#ifndef TDTOP_CLI_MEASURE_REPLAY_H
#define TDTOP_CLI_MEASURE_REPLAY_H

#include "cli/measure.h"
#include "cli/pick.h"

/* Opens the model of a->word[0], a file or a run, in the first session, and fills m. 0 or negative
 * errno with words. */
int measure_replay(struct measure *m, struct sessions *all, const struct args *a,
                   const struct pick *want, struct err *err);

#endif
