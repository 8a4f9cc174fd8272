/* Source lines of functions as they are kept (model/hot/hot.h): of the hottest place of each. */
#ifndef TDTOP_SESSION_HOT_LINES_H
#define TDTOP_SESSION_HOT_LINES_H

#include "model/hot/hot.h"
#include "pmu/symbols/names.h"

/* Of the `most` functions with most samples. module: where the code of a module of h is to be found
 * now. Waits for files. 0 or -ENOMEM. */
int hot_lines(struct hot *h, struct names *names, size_t most,
              void (*module)(void *user, uint32_t number, struct module *out), void *user);
/* The same, of the files that are there now and have the build ids of h. */
int hot_lines_now(struct hot *h, struct names *names, size_t most);

#endif
