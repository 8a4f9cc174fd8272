/*
 * A picture of the screen without a terminal: a session runs to its end (a recording, or the
 * simulated core up to a moment), keys are pressed, and what would be seen is saved.
 */
#ifndef TDTOP_UI_PICTURE_H
#define TDTOP_UI_PICTURE_H

#include "base/err.h"

#include <stdbool.h>

struct sessions; /* hybrid.h */
struct settings; /* ui/screen/settings.h */

struct picture_options {
    const char *theme; /* NULL: "default" */
    int w, h;          /* of the screen, in cells */
    int level;         /* as ui_options */
    bool ascii;
    int colors;           /* of .ansi; as save_options */
    const char *press;    /* characters, each a key, once the stream has ended; NULL: none */
    const char *advice;   /* as ui_options */
    const char *layout;   /* as ui_options */
    const char *db;       /* borrowed; as ui_options */
    const char *baseline; /* as ui_options */
    const char *path;     /* its ending says the format (save_screen.h) */
    bool overwrite;
    struct settings *settings; /* as ui_options */
    /* Opens and starts the sessions. */
    int (*connect)(void *user, struct err *err);
    void *user;
};

enum { PICTURE_MAX_W = 1000, PICTURE_MAX_H = 500 };

/* "120x40" -> w, h. 0, or -EINVAL with words. */
int picture_size(const char *text, int *w, int *h, struct err *err);

int picture_save(struct sessions *all, const struct picture_options *opt, struct err *err);

#endif
