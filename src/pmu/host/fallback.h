/*
 * Which model is for this machine: full, architecture, generic or
 * software, and which model file is for which CPU, by the keys on top of the file.
 */
#ifndef TDTOP_PMU_FALLBACK_H
#define TDTOP_PMU_FALLBACK_H

#include "base/err.h"
#include "model/load/model.h"
#include "pmu/host/machine.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Opens the best model for the chosen core type: full model by match (if the core PMU can be
 * opened), else the architecture's, else generic, else software; `want` (--model) overrides. `why`
 * gets one line: which and why, and what of a hybrid CPU is not counted.
 */
int fallback_pick(struct model *m, const struct machine *mc, const char *want,
                  const struct model_places *places, char *why, size_t cap, struct err *err);

/* What the kernel answers when cycles are to be counted on the chosen PMU: 0 or a negative errno.
 */
struct fallback_probe {
    int raw;     /* at all */
    int generic; /* as a generic event of this PMU alone; on hybrid CPUs that needs Linux 5.13, on
                    Arm 6.6 */
};

/* fallback_pick without --model, with the kernel's answers given. */
int fallback_climb(struct model *m, const struct machine *mc, const struct fallback_probe *probe,
                   const struct model_places *places, char *why, size_t cap, struct err *err);

/*
 * Name of the built-in or user's full model for an id ("GenuineIntel-6-8F", "AuthenticAMD-25-11-1",
 * "0x410fd490") and a kind of core. A model with a core_type is for that kind only, one without for
 * "". Where the kind is not known ("" or NULL; a recording's header) and no model without a
 * core_type matches, it is that of the biggest core. False if none.
 */
bool fallback_find(const struct model_places *places, const char *id, const char *kind, char *name,
                   size_t cap);

struct fallback_wish {
    const char *rung; /* "full", "architecture" */
    const char *id;   /* "GenuineIntel-6-97-2" */
    const char *kind; /* of core: "atom"; "" = not a hybrid CPU, or not known */
};

/* Name of the best model of that rung, the user's own folder first. False if there is none. */
bool fallback_search(const struct model_places *places, const struct fallback_wish *wish,
                     char *name, size_t cap);

#endif
