/* What does not work of the user's own metrics: a slip of the pen must not start in silence. */
#ifndef TDTOP_CLI_OWN_H
#define TDTOP_CLI_OWN_H

#include "model/load/model.h"

#include <stddef.h>

/*
 * "1 own metric is unavailable: NAME: reason", of those that the model took from the folder, and
 * "FILE: 'for' fits no model" of those that no model takes. "" if all is well, or dir is NULL.
 * Returns buf.
 */
const char *own_note(const struct model *m, const char *dir, char *buf, size_t cap);

#endif
