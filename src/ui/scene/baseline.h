/*
 * A, what is shown is compared with: the values of a stretch of this session, or of a stored run.
 * The other side, B, is what came since it was pinned, or the moment or span that the time cursor
 * is at; of a stored run that is open the whole. The two are compared as two runs are
 * (model/compare/compare.h): live once a second, else when the cursor moves.
 *
 * B starts again with a reset, a mark, a restart of the target, and with each change of level that
 * is found after the pin, until BASELINE_SHORTS levels in a row lasted less than BASELINE_SHORT
 * intervals: then the program has phases of its own, and B goes on over them until it is asked to
 * start again. The intervals of the change are left out on both sides: where A was pinned while a
 * change had begun that was not found yet, A ends before it. The interval in which the target ended
 * is not in B.
 */
#ifndef TDTOP_UI_BASELINE_H
#define TDTOP_UI_BASELINE_H

#include "model/compare/compare.h"
#include "model/load/frame.h"
#include "model/run/change_point.h"
#include "ui/scene/past.h"
#include "ui/term/canvas.h"

struct scene;

enum { BASELINE_SHORT = 30, BASELINE_SHORTS = 3 };

struct baseline {
    bool on;
    char name[96];       /* "since the reset, 42s", "3f9a1c22 redis-server" */
    struct run run;      /* owned: its nodes count */
    uint64_t n_interval; /* that it is of; 0: not known */

    struct past live;       /* B: what came since */
    uint64_t since_ns;      /* session time that live begins at */
    enum break_cause since; /* why there */
    uint64_t n_left_out;    /* intervals since the pin, or since B was asked to restart, that are
                               on neither side */
    int n_short;            /* private, as the next three: short levels in a row */
    uint64_t level_ns;      /* begin of the newest level */
    uint64_t seen_seq, seen_id; /* of the breaks of the session */
    bool of_session;            /* A is of this session, until it was pinned */
    struct break_point from;    /* of_session: what it begins with */

    /* The other side. Texts of its nodes are the model's. */
    struct frame sums;
    struct moments_result *result; /* [n_metric] */
    struct run_node *live_node;    /* [n_metric] */
    int32_t *row;                  /* [n_metric] its row of the comparison, or -1 */

    struct comparison c;
    uint64_t compared_ns; /* session time of the newest interval that is in it */
};

void baseline_destroy(struct baseline *b); /* accepts a zeroed one; leaves it zeroed */

/* Pins what was measured since the last change of anything (session_since), or the moment or span
 * of the time cursor. 0, or negative errno with words. */
int baseline_pin_live(struct scene *sc, struct err *err);
/* Reads the head of a stored run, to be pinned: db as --db, id as the user writes it. 0, or
 * negative errno with words. */
int baseline_load(const char *db, const char *id, struct run *out, struct err *err);
/* Pins a stored run, of which nodes and head are enough. Takes it over, whatever the result. */
int baseline_pin_run(struct scene *sc, struct run *r, struct err *err);
void baseline_unpin(struct scene *sc);
/* B starts again with the next interval, and so do the sums of the session. */
void baseline_restart(struct scene *sc);
/* The value that the difference of a metric is of: the mean of B, where that is what is shown;
 * NULL: that of the frame. */
const struct value *baseline_of_other(const struct scene *sc, int metric);

/* A new interval was taken: compares if that is due. */
void baseline_update(struct scene *sc);
/* Another moment is shown: it is compared. */
void baseline_moved(struct scene *sc);

/* The row of a metric, or NULL. */
const struct compare_row *baseline_row(const struct baseline *b, int metric);
/* "+3.2", "-4.1%": the difference, in points of a share and else relative; "only B": A does not
 * know it; "" where it is not known. Returns buf. */
const char *baseline_delta(const struct compare_row *r, char *buf, size_t cap);
/* "✗" worse, "✓" better, "◆" changed, "~" noise, "?" unsure, "" nothing to compare. */
const char *baseline_sign(enum verdict v, enum style *st);
/* "pinned: 60s until 00:01:12, 60 intervals; ...": what was done, for the key line. Returns buf. */
const char *baseline_pinned(const struct scene *sc, char *buf, size_t cap);
/* "Δ: the last 12s against ...": for the header. Returns buf. */
const char *baseline_words(const struct scene *sc, char *buf, size_t cap);

/* ---- moves: B becomes A, B begins again, A and B change places; and the last of these undone ----
 */

/* Before the last move; private. */
struct baseline_moves {
    bool can_undo;
    bool replaced;       /* A was another: `was` */
    struct baseline was; /* owned; on: false if none was pinned */
    uint64_t since_ns, n_left_out;
    bool swapped;
};

void baseline_moves_destroy(struct baseline_moves *mv); /* accepts a zeroed one */

/* B becomes A, and B begins with the next interval. Without a baseline, and of a moment or span of
 * the time cursor, what is shown is pinned as A. 0, or negative errno with words: nothing has
 * changed. */
int baseline_advance(struct scene *sc, struct err *err);
/* B begins with the next interval. */
void baseline_begin_again(struct scene *sc);
/* A and B change places. */
void baseline_exchange(struct scene *sc);
/* A and B as they were before the last of these. False: there was none. */
bool baseline_undo(struct scene *sc);

/* What was pinned has the labels of the newest snapshot, if that was taken in its time. */
void baseline_label(struct scene *sc);

#endif
