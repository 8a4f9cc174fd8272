/*
 * The history: level 1 over time in all the room there is, the bottleneck below it, the selected
 * metric below that. From seconds to the whole session; the time cursor goes through it, and what
 * is read in numbers is what stands under the cursor.
 */
#ifndef TDTOP_UI_VIEW_HISTORY_H
#define TDTOP_UI_VIEW_HISTORY_H

#include "model/run/trend.h"
#include "ui/draw/scale.h"

struct scene;

enum { HISTORY_PHASES = 24 };

/* What it keeps. */
struct history_view {
    uint64_t column_ns;  /* as the user wants it; 0: so that the whole session is on the screen */
    struct scale_time x; /* as it was drawn last; cell_ns 0: not yet */
    struct scale scale;  /* of the selected metric */
    unsigned scales;     /* of the scene then */
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

/* Keys: shorter and longer columns, in which the time cursor stays where it is. */
void history_key_closer(struct scene *sc);
void history_key_farther(struct scene *sc);
/* The time cursor goes most of a screen back (-1), or on (1). */
void history_key_screen(struct scene *sc, int by);

#endif
