/* Between modules as the sampler has them and as they are kept with a run (model/hot/hot.h). */
#ifndef TDTOP_SESSION_HOT_MODULE_H
#define TDTOP_SESSION_HOT_MODULE_H

#include "model/hot/hot.h"
#include "pmu/symbols/names.h"

/* "file", "kernel", as hot_module.kind has it. */
const char *hot_module_kind(enum module_kind kind);
bool hot_module_is_kernel(const struct hot_module *m); /* its modules and programs, too */
/* The file of that name as it is there now; its texts are borrowed. 0, or -ENOENT: no build id was
 * kept, so that it is not known which file has this code. */
int hot_module_now(const struct hot_module *is, struct module *m);
/* What is there now is what was sampled: an address of the kernel is another's after a boot. */
bool hot_is_same(uint64_t start, const char *name, const struct listing *l);

#endif
