/* Which model file is for which CPU: by what stands on top of it. */
#ifndef TDTOP_PMU_FALLBACK_FIND_H
#define TDTOP_PMU_FALLBACK_FIND_H

#include "pmu/host/machine.h"

struct fallback_wish {
    const char *rung; /* "full", "architecture" */
    const char *id;   /* "GenuineIntel-6-97-2" */
    const char *kind; /* of core: "atom"; "" = not a hybrid CPU, or not known */
};

/* Name of the best model of that rung, the user's own folder first. False if there is none. */
bool fallback_search(const struct model_places *places, const struct fallback_wish *wish,
                     char *name, size_t cap);

#endif
