/*
 * What the user looks at: the session, what of it is shown (the newest frame, or a held one), the
 * open tree, the popup, the search. Knows canvases and keys but no terminal, so a test can press
 * keys and read whole screens. Memory is taken at init, attach and resize only.
 */
#ifndef TDTOP_UI_SCREEN_H
#define TDTOP_UI_SCREEN_H

#include "base/clock.h"
#include "model/eval/derivation.h"
#include "model/eval/needs.h"
#include "ui/draw/layout.h"
#include "ui/draw/list.h"
#include "ui/scene/scene.h"
#include "ui/screen/ask.h"
#include "ui/screen/focus_policy.h"
#include "ui/screen/overlay.h"
#include "ui/screen/types.h"

struct runs_view;
struct runs_open;

#define SCREEN_MESSAGE_NS (4 * NS_PER_S) /* that a message is shown */

struct screen {
    struct scene scene;  /* first: screen_of */
    struct types *types; /* borrowed: all of them, of several core types; or NULL */
    int level;           /* the tree is open down to here at start */

    struct canvas canvas;
    struct panes panes[LAYOUT_N]; /* where all is, by the layout of what is shown */
    struct splits splits;         /* where the user has put borders */
    void **state; /* owned, with each of them: of views, panes and pop-ups, screen_state */

    /* The moment that is shown. */
    uint64_t seen;     /* frames that screen_sample has looked at, as session.n_frames */
    struct frame held; /* what scene.frame and scene.sample point to while frozen */
    struct sample held_sample;
    struct frame whole; /* values and counts of the whole session, when it is over */
    struct sample whole_sample;
    int odd_intervals; /* frames in a row whose interval was another */
    struct focus_policy focus_policy;
    bool path_opened; /* the bottleneck path is opened once, not again and again */

    /* What lies over the views, and what is typed. */
    const struct overlay *popup;
    struct list text;           /* the lines of the popup */
    const struct search *typed; /* keys go into its text (find.h); NULL: none */
    struct needs needs;         /* what scene.needs points to; owned, as the next */
    struct derivation derivation;
    struct ask ask;
    char save_path[FORM_CAP]; /* of a screen that is to be saved, while a question is asked */
    char message[256];        /* one line for the user, until the next key or for a while */
    uint64_t message_ns;      /* CLOCK_MONOTONIC: since when */

    bool rows_come_fast; /* new threads, once; then rows are counted only while they are shown */
    uint64_t rows_minute, rows_seen; /* private: the minute of `rows_came`; seq of the last table */
    int rows_came;                   /* private: new ones in that minute */
    int pressed; /* pane in which the mouse went down; it gets what is dragged */
    int border;  /* that the mouse holds (borders.h); 0: none */
    bool quit, suspend, repaint;
    bool returns, returned; /* Esc at the top goes to where the target was chosen; it did */
    bool scopes;            /* a thread can be measured alone */
    pid_t thread;           /* that is to be; 0: none */

    struct settings *settings;  /* borrowed: of all screens; NULL: there are none */
    struct snapshots *snapshot; /* borrowed: of all screens; NULL: nothing can be stored */
    struct runs_view *runs;   /* borrowed: the stored runs, of all screens; NULL: there are none */
    struct runs_open *opened; /* borrowed: this is the screen of a stored run; NULL */
    const struct frame *run_frame; /* borrowed: values of all its counts, once they are in; NULL */
    const struct sample *run_sample;
};

/* The screen that a scene is of. */
static inline struct screen *screen_of(const struct scene *sc) {
    return (struct screen *)(uintptr_t)sc;
}

/* What a view or pane keeps on this screen; what a pop-up does. */
void *screen_state(const struct screen *sc, const struct view *view);
void *screen_popup(const struct screen *sc, const struct overlay *popup);
/* The scene, with that state: what a callback of the view gets. */
struct scene *screen_scene(struct screen *sc, const struct view *view);

/* Makes the screen of a session that may not be open yet. 0, or a negative errno with words. */
int screen_init(struct screen *sc, struct session *s, int level, struct err *err);
/* The session is open now: takes the memory that depends on its model. */
int screen_attach(struct screen *sc, struct err *err);
int screen_resize(struct screen *sc, int w, int h); /* 0 or -ENOMEM */
int screen_place(struct screen *sc);                /* the same size, other splits. 0 or -ENOMEM */
void screen_destroy(struct screen *sc);

/* The session took a sample: what follows every one does, drawn or not. Who takes several at once
 * calls it for each, and screen_update after the last. */
void screen_sample(struct screen *sc);
/* The rest, of the newest sample. Returns false if the screen is frozen: nothing to draw. */
bool screen_update(struct screen *sc);
/* The stream has ended: what was held back for calm is shown as it is. */
void screen_settle(struct screen *sc);
/* Shows a view, whatever views_go would say; asks for rows only while they are shown. */
void screen_view(struct screen *sc, const struct view *view);

/* True if the list of stored runs or the trend has the screen; true if there is nothing but those
 * and what is compared there: no session, and this is not the screen of a run that was opened.
 * Defined in ui/runs/runs_view.c. */
bool runs_shown(const struct screen *sc);
bool runs_alone(const struct screen *sc);

/* A line for the user; shown in the last line until the next key, at most SCREEN_MESSAGE_NS. */
void screen_say(struct screen *sc, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* What is shown stands still, or goes on with the newest. */
void screen_freeze(struct screen *sc);
/* Shows a pop-up, scrolled to its begin; NULL closes the one that is shown. */
void screen_open(struct screen *sc, const struct overlay *popup);

/* ---- defined in ui/app, which knows all views and pop-ups ---- */

/* Reads and allocates what is about to be drawn; again, it finds all of it there. */
void screen_prepare(struct screen *sc);
/* Prepares, and draws everything that is to be seen onto the canvas. */
void screen_draw(struct screen *sc);
/* One key; m is used for KEYC_MOUSE. */
void screen_key(struct screen *sc, uint32_t key, const struct mouse *m);
/* What was pasted, at once, into what is being typed; it presses no key. No control characters. */
void screen_paste(struct screen *sc, const char *text);

#endif
