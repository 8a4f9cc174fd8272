/*
 * Names of states as they are in the file. The words that people read may change, these never; a
 * state that this program does not know was written by a newer one, or by hand.
 */
#ifndef TDTOP_DB_STORE_NAMES_H
#define TDTOP_DB_STORE_NAMES_H

#include "model/eval/sample.h"
#include "model/load/frame.h"

const char *store_count_state(unsigned state); /* "ok", "not_counted"; "unknown" beyond the last */
int store_count_state_find(const char *name);  /* or -1 */
const char *store_value_state(unsigned state); /* "exact", "na" */
int store_value_state_find(const char *name);

#endif
