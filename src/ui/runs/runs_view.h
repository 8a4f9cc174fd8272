/*
 * The stored runs on the screen: the list, the trend of a metric over it, and a run that was
 * opened. One for all screens of a session, which goes on measuring behind it; or alone, without
 * one.
 */
#ifndef TDTOP_UI_RUNS_VIEW_H
#define TDTOP_UI_RUNS_VIEW_H

#include "ui/runs/runs.h"
#include "ui/runs/runs_edit.h"
#include "ui/runs/runs_trend.h"
#include "ui/term/canvas.h"

struct screen;
struct mouse;
struct runs_open; /* ui/runs/runs_open.h */

enum runs_mode { RUNS_HIDDEN, RUNS_LIST, RUNS_TREND };

struct runs_view {
    struct runs list;
    enum runs_mode mode;
    bool alone; /* there is no session to go back to */
    struct runs_trend trend;
    bool over_bench; /* the list was called from the bench, where it goes back to */
    bool of_bench;   /* the trend is of a metric of the bench, where Esc goes back to */
    struct runs_undo undo;
    char asked[RUN_ID_LEN + 1]; /* the run that a question is about */
    struct runs_mark asked_of;  /* or the group, which had asked_n runs then */
    uint64_t asked_n;
    struct run about;       /* the run that popup_run shows; owned */
    struct runs_open *open; /* owned: lies over everything; NULL */
    bool closing;           /* the run that is open is to be closed after this key */
    uint64_t looked_ns;     /* CLOCK_MONOTONIC: when the file was last looked at */
    /* Writes a run into a file, as the file's ending says. NULL: it cannot be done here. */
    int (*export_run)(const struct run *r, const char *path, struct err *err);
};

/* path: borrowed; NULL: the usual store. Nothing is read until the list is shown. */
void runs_view_init(struct runs_view *rv, const char *path);
void runs_view_destroy(struct runs_view *rv); /* accepts a zeroed one */

/* The screen that has the terminal: this one, or that of the run which is open. */
struct screen *runs_top(struct screen *sc);
/* A key for the screen on top; then closes what it wanted to be closed. */
void runs_key(struct screen *sc, uint32_t key, const struct mouse *m);

/* While the list is shown, when the file is to be looked at again (CLOCK_MONOTONIC); 0: never. */
uint64_t runs_due_ns(const struct runs_view *rv);
/* Looks if it is time. True if there is something new to be drawn. */
bool runs_tick(struct runs_view *rv, uint64_t now_ns);

/* Reads what is going to be seen in r, which then is drawn without reading. */
void runs_prepare(struct screen *sc, struct rect r);

/* "48.0%", "1.12": the metric of the list. Returns buf. */
const char *runs_value(const struct runs *r, double v, char *buf, size_t cap);
/* "48.0 ± 0.3%"; the mean alone where sd is NAN. Returns buf. */
const char *runs_mean(const struct runs *r, double mean, double sd, char *buf, size_t cap);

#endif
