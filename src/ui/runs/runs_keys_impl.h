/* What the keys of the stored runs share. Private to runs_keys*.c. */
#ifndef TDTOP_UI_RUNS_KEYS_IMPL_H
#define TDTOP_UI_RUNS_KEYS_IMPL_H

#include "ui/app/screen.h"

static inline struct runs *runs_list(const struct screen *sc) {
    return &sc->runs->list;
}

/* The run that is selected, in the list or in the trend; or NULL. */
const struct run_row *runs_selected(const struct screen *sc);
/* The same where a key needs one; says so if there is none. */
const struct run_row *runs_needed(struct screen *sc);
/* Loads a run, or says why not. 0 or negative errno. */
int runs_load(struct screen *sc, const char *id, unsigned parts, struct run *out);

#endif
