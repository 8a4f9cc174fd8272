/*
 * The time cursor: the screen shows a moment of the past, or the sums of a span that was marked,
 * while measuring goes on. A moment is a bucket of the plot, so that what is read in the tree is
 * what stands under the cursor. Values come from the packed counts of the session, with the ± that
 * they had then (past.h); beyond those, and for a column of the history that holds very many, from
 * the coarser history, which has no ±.
 */
#ifndef TDTOP_UI_CURSOR_H
#define TDTOP_UI_CURSOR_H

#include "model/run/trend.h"
#include "session/session.h"
#include "ui/scene/past.h"

struct scene;

enum cursor_shows { CURSOR_LIVE, CURSOR_MOMENT, CURSOR_SPAN };

struct cursor {
    enum cursor_shows shows;
    bool focused;              /* Left and Right move through time, not through the tree */
    uint64_t t0_ns, t1_ns;     /* what is shown of the past: (t0, t1] of session time */
    bool begun, ended;         /* both: a span is marked */
    uint64_t begin_ns, end_ns; /* of the span; begin < end */
    struct sample sample;      /* what is shown */
    struct sample found;       /* what is looked for: it may not be there */
    struct frame frame;
    struct past past; /* of what is shown, if `packed` */
    bool packed;
};

int cursor_init(struct cursor *cu, const struct session *s); /* that is open. 0 or -ENOMEM */
void cursor_destroy(struct cursor *cu); /* accepts a zeroed one; leaves it zeroed */

/* So many buckets on, over gaps; beyond the newest it is live again. */
void cursor_step(struct scene *sc, int buckets);
/* To the bucket that covers a time. */
void cursor_go(struct scene *sc, uint64_t t_ns);
void cursor_live(struct scene *sc);
/* One step back: to what is live, then the span is forgotten. False if there was nothing. */
bool cursor_back(struct scene *sc);

/* The span begins, or ends, with the moment that is shown; live: now. An end shows the span. */
void cursor_begin_span(struct scene *sc);
void cursor_end_span(struct scene *sc);
/* The phase before (-1) the one that is shown, or the next (1), becomes the span; live: the one
 * that goes on is the first before. Behind the last it is live again. */
void cursor_phase(struct scene *sc, int by);
bool cursor_has_span(const struct cursor *cu);
/* Shows the sums of (t0, t1]. False, with a message, if nothing was measured then. */
bool cursor_show(struct scene *sc, uint64_t t0_ns, uint64_t t1_ns, enum cursor_shows as);

/* "Frontend", "DRAM", "idle": by its main bottleneck. Returns buf. */
const char *phase_name(const struct model *m, const struct session_phase *p, char *buf, size_t cap);

/* "12s ago", "10s until 22s ago"; "" while live. Returns buf. */
const char *cursor_words(const struct scene *sc, char *buf, size_t cap);

#endif
