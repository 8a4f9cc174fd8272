/* Runs that were evaluated again are one measurement, and count once. */
#ifndef TDTOP_CLI_RUN_LATEST_H
#define TDTOP_CLI_RUN_LATEST_H

#include "db/store.h"

/* The automatic label that `tdtop reeval` gives its runs: the id of the run it began with. */
#define RUN_REEVAL_OF "reeval_of"

/*
 * Takes the rows out of a list whose runs another row of it has evaluated again. The list must have
 * been asked for with that label. Returns how many were taken out, or -ENOMEM.
 */
long run_latest(struct run_list *list);

#endif
