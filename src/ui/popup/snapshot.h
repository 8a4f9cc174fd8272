/*
 * Snapshots: a stretch of the session becomes a run of the store. A small form asks what span,
 * which labels and a note; the saver writes while measuring goes on. One for all screens: of a CPU
 * with several core types each becomes a run of its own.
 */
#ifndef TDTOP_UI_SNAPSHOT_H
#define TDTOP_UI_SNAPSHOT_H

#include "session/flight.h"
#include "ui/draw/form.h"
#include "ui/popup/saver.h"

struct screen;

/* Since the last change of anything; the whole session; the last seconds; the marked one. */
enum snapshot_span { SPAN_SINCE, SPAN_WHOLE, SPAN_LAST, SPAN_MARKED, SPANS };

/* Lines of the form; SNAPSHOT_PATH alone where a run could not be saved. */
enum snapshot_line { SNAPSHOT_SPAN, SNAPSHOT_LABELS, SNAPSHOT_NOTE, SNAPSHOT_PATH };

enum { OFFERS_MAX = 8, OFFER_LEN = 160 };

struct snapshots {
    const char *db; /* borrowed: --db, or NULL */
    struct saver saver;
    struct flight flight; /* a rule that is watched (snapshot_when.h) */

    /* The form. */
    enum snapshot_span span;
    struct break_point since; /* where SPAN_SINCE begins: as it was when the form opened */
    enum snapshot_line line;
    struct form_text seconds, labels, note, path;
    struct run automatic;              /* its labels */
    char offer[OFFERS_MAX][OFFER_LEN]; /* what Tab puts in the place of the word at the cursor */
    int n_offer, offered;              /* the one that is in its place, or -1 */
    bool offer_stale;                  /* the word has changed since: offer_settle */
    bool has_store, store_tried;       /* `store` is open; opening it was tried */
    struct store store;                /* for what is offered; open while the form is */
    char problem[768];                 /* why it was not accepted; "" */

    /* What was asked for last. */
    bool repeats;
    char last_labels[FORM_CAP];
    uint64_t labels_ns; /* session time of the end of what they were given to */
    int said_unsaved;   /* the user has been told of so many; quitting is possible */
    bool gives_up;      /* told of them, the user quits: they are lost */
    bool asks;          /* one has failed, and where else to is asked as soon as nothing is typed */
};

int snapshots_init(struct snapshots *sn, const char *db, struct err *err);
void snapshots_destroy(struct snapshots *sn);

/* Opens the form; where something could not be saved, the question where else to. */
void snapshot_open(struct screen *sc);
void snapshot_line(struct screen *sc, int lines); /* up, down */
void snapshot_complete(struct screen *sc);        /* Tab: or the next line */
void snapshot_complete_back(struct screen *sc);   /* Shift-Tab */
void snapshot_accept(struct screen *sc);          /* Enter */
void snapshot_close(struct screen *sc);           /* Esc: what failed stays in memory */
/* After a key: asks what had to wait until nothing else is typed. */
void snapshot_asks(struct screen *sc);
/* False where there is nothing that could be stored: a stored run, of which no span is marked. */
bool snapshot_is_offered(const struct screen *sc);
/* True while the form asks for what is not kept yet. */
bool snapshot_is_asked(const struct screen *sc);
/* What came since the last change, at once: with the labels of the last snapshot, or none where
 * there was none. */
void snapshot_repeat(struct screen *sc);

/* Stores what came since the last change of anything under the labels of a text. 0, or negative
 * errno with words. */
int snapshot_take(struct screen *sc, const char *labels, struct err *err);
/* The saver has something to say. Returns true if the screen changed. */
bool snapshot_status(struct screen *sc);
/* False, with a message, if quitting would lose a run and the user was not told yet. */
bool snapshot_may_quit(struct screen *sc);

#endif
