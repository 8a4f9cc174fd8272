/* Runs that were evaluated again are one measurement, and count once. */
#ifndef TDTOP_DB_RUN_LATEST_H
#define TDTOP_DB_RUN_LATEST_H

#include "db/store.h"

/*
 * Takes the rows out of a list whose runs another row of it has evaluated again. The list must have
 * been asked for with the label RUN_REEVAL_OF. Returns how many were taken out, or -ENOMEM.
 */
long run_latest(struct run_list *list);

#endif
