/* The live screen. */
#ifndef TDTOP_UI_UI_H
#define TDTOP_UI_UI_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sessions; /* hybrid.h */
struct run;      /* model/run/run.h */
struct settings; /* ui/screen/settings.h */

/* What the user leaves behind. */
struct ui_left {
    int n_kept;       /* runs that were stored */
    char last_id[17]; /* of them; "" */
    bool asked;       /* the form of a snapshot was open: that is not stored */
    bool returned;    /* Esc, or a thread: who called goes on, and gets the terminal as it is */
    pid_t thread;     /* that is to be measured alone; 0: none */
};

struct ui_options {
    const char *theme;
    bool any_theme; /* nobody chose it: on a light terminal it may be "light" */
    bool returns;   /* Esc at the top goes back to where the target was chosen: ui_left.returned */
    bool scopes;    /* a thread can be measured alone: ui_left.thread */
    bool mouse, ascii;
    int colors;           /* as term_options */
    int level;            /* tree is open down to this level at start */
    int focus;            /* enum focus_mode */
    uint64_t duration_ns; /* 0 = until quit */
    const char *db;       /* the store; NULL: the default */
    const char *control;  /* a FIFO (control.h), or NULL */
    const char *baseline; /* a stored run to compare with: a prefix of its id, @N; or NULL */
    /* What F2 and the palette change; its rows say theme, colours and so on. NULL: nothing. */
    struct settings *settings;
    bool runs;          /* nothing is measured: the stored runs alone */
    const char *advice; /* source of the sentence; NULL or "": the default one */
    const char *layout; /* where borders are (borders.h); NULL or "": as the size says */
    const char *view;   /* id of the view at start (views.h); NULL: the tree */
    const char *note;   /* a message at the start; NULL or "": none */
    /* Writes a stored run into a file, as its ending says; NULL: that cannot be done. */
    int (*export_run)(const struct run *r, const char *path, struct err *err);
    /* The same for what could not be stored: for the user alone to read. */
    int (*rescue_run)(const struct run *r, const char *path, struct err *err);
    /* Called after the first frame was drawn: opens and starts the session (may take a while). 1
     * with words if what is to be measured is not there yet: it is called again then. */
    int (*connect)(void *user, struct err *err);
    void *user;
    struct ui_left *left; /* filled in at the end; or NULL */
};

/* Runs until quit. Returns 0, or a negative errno with words (the terminal is restored first). */
int ui_run(struct sessions *all, const struct ui_options *opt, struct err *err);

#endif
