/*
 * What the user looks at: the session, what of it is shown (the newest frame, or a held one), the
 * open tree, the popup, the search. Knows canvases and keys but no terminal, so a test can press
 * keys and read whole screens. Memory is taken at init, attach and resize only.
 */
#ifndef TDTOP_UI_SCREEN_H
#define TDTOP_UI_SCREEN_H

#include "model/eval/derivation.h"
#include "model/eval/needs.h"
#include "model/knowledge/guide.h"
#include "ui/app/focus_policy.h"
#include "ui/app/types.h"
#include "ui/draw/layout.h"
#include "ui/popup/ask.h"
#include "ui/popup/help.h"
#include "ui/popup/links.h"
#include "ui/popup/overlay.h"
#include "ui/popup/palette.h"
#include "ui/popup/snapshot.h"
#include "ui/runs/runs_view.h"
#include "ui/scene/scene.h"

enum { PANES_STATE_MAX = 16 };

struct screen {
    struct scene scene;  /* first: screen_of */
    struct types *types; /* borrowed: all of them, of several core types; or NULL */
    int level;           /* the tree is open down to here at start */

    struct canvas canvas;
    struct panes panes;           /* with the tree */
    struct panes row_panes;       /* with threads or CPUs */
    struct panes list_panes;      /* with rows that leave other panes beside them */
    struct panes main_panes;      /* with a view that takes all */
    struct panes whole_panes;     /* with one that has words of its own, in place of the advice */
    struct splits splits;         /* where the user has put borders */
    void *state[PANES_STATE_MAX]; /* owned: of views and panes, screen_state */

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
    struct list text; /* the lines of the popup */
    struct help help;
    struct guide guide;      /* owned; of help, see popup_help.c */
    struct search page_find; /* in the explanation of a metric */
    struct links links;      /* of the pop-ups that explain a metric */
    struct needs needs;      /* what scene.needs points to; owned, as the next */
    struct derivation derivation;
    struct ask ask;
    struct palette palette;
    char save_path[FORM_CAP]; /* of a screen that is to be saved, while a question is asked */
    char message[256];        /* one line for the user, until the next key */

    int pressed;      /* pane in which the mouse went down; it gets what is dragged */
    int border;       /* that the mouse holds (borders.h); 0: none */
    bool hint;        /* the first keys are told, until one is pressed, or for 20 s */
    uint64_t hint_ns; /* private: since when */
    bool quit, suspend, repaint;

    struct settings *settings;  /* borrowed: of all screens; NULL: there are none */
    struct snapshots *snapshot; /* borrowed: of all screens; NULL: nothing can be stored */
    struct runs_view *runs;   /* borrowed: the stored runs, of all screens; NULL: there are none */
    struct runs_open *opened; /* borrowed: this is the screen of a stored run; NULL */
};

/* The screen that a scene is of. */
static inline struct screen *screen_of(const struct scene *sc) {
    return (struct screen *)(uintptr_t)sc;
}

/* What a view or pane keeps on this screen. */
void *screen_state(const struct screen *sc, const struct view *view);
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
/* Reads and allocates what is about to be drawn; again, it finds all of it there. */
void screen_prepare(struct screen *sc);
/* Prepares, and draws everything that is to be seen onto the canvas. */
void screen_draw(struct screen *sc);
/* One key; m is used for KEYC_MOUSE. */
void screen_key(struct screen *sc, uint32_t key, const struct mouse *m);
/* What was pasted, at once, into what is being typed; it presses no key. No control characters. */
void screen_paste(struct screen *sc, const char *text);

/* Shows a view, whatever views_go would say; asks for rows only while they are shown. */
void screen_view(struct screen *sc, const struct view *view);
/* What is typed after "/": a node of the tree, or a part of the names of threads. */
struct search *screen_search(struct screen *sc);

/* A line for the user; shown in the key line until the next key. */
void screen_say(struct screen *sc, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The newest is shown again, after another moment was. */
void screen_shows_newest(struct screen *sc);

#endif
