/* The live screen. */
#ifndef TDTOP_UI_UI_H
#define TDTOP_UI_UI_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct sessions; /* hybrid.h */

struct ui_options {
    const char *theme;
    bool taken; /* the terminal is ours already, with the settings below (picker.h) */
    bool mouse, ascii;
    int colors;           /* as term_options */
    int level;            /* tree is open down to this level at start */
    int focus;            /* enum focus_mode */
    uint64_t duration_ns; /* 0 = until quit */
    /* Called once after the first frame was drawn: opens and starts the session (may take a while).
     */
    int (*connect)(void *user, struct err *err);
    void *user;
};

/* Runs until quit. Returns 0, or a negative errno with words (the terminal is restored first). */
int ui_run(struct sessions *all, const struct ui_options *opt, struct err *err);

#endif
