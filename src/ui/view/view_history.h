/*
 * The history: level 1 over time in all the room there is, the bottleneck below it, the selected
 * metric below that. From seconds to the whole session; the time cursor goes through it, and what
 * is read in numbers is what stands under the cursor.
 */
#ifndef TDTOP_UI_VIEW_HISTORY_H
#define TDTOP_UI_VIEW_HISTORY_H

#include "model/run/history.h"
#include "ui/draw/scale.h"

struct screen;

enum { HISTORY_PHASES = 24 };

/* What a screen keeps for it. */
struct history_view {
    uint64_t column_ns;  /* as the user wants it; 0: so that the whole session is on the screen */
    struct scale_time x; /* as it was drawn last; cell_ns 0: not yet */
    struct scale scale;  /* of the selected metric */
    struct trend trend;  /* as wide as the screen, made when it is first looked at */
    bool has_trend;
    uint64_t tried_ns, tried_t1_ns; /* private: a moment that was to be made a column */
    struct {
        uint64_t t_ns;
        char name[80];
    } phase[HISTORY_PHASES]; /* the newest, as they are named on the time line */
    int n_phase;
    uint64_t phases_at; /* private: frames of the session then */
};

void history_view_drop(struct history_view *hv); /* the trend; accepts a zeroed one */

/* Keys: shorter and longer columns, in which the time cursor stays where it is. */
void history_key_closer(struct screen *sc);
void history_key_farther(struct screen *sc);
/* The time cursor goes most of a screen back (-1), or on (1). */
void history_key_screen(struct screen *sc, int by);
/* What moves through the rows of other views: the metric that is plotted. */
void history_move(struct screen *sc, int rows);
void history_end(struct screen *sc, bool last);
int history_page(const struct screen *sc);

#endif
