/* A row of the funnel, drawn: slots.h has what is in it and how wide that is. */
#ifndef TDTOP_UI_SLOTS_BAND_H
#define TDTOP_UI_SLOTS_BAND_H

#include "ui/canvas.h"
#include "ui/slots.h"

enum { SLOTS_GUTTER_WIDE_W = 11 /* "L3 clocks " */ };

struct slots_place {
    struct rect gutter, blocks, legend; /* w or h is 0: no room */
};

void slots_draw_band(const struct screen *sc, struct canvas *c, const struct slots_place *p,
                     const struct slots_band *b);

#endif
