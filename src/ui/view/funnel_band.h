/* A row of the funnel, drawn: slots.h has what is in it and how wide that is. */
#ifndef TDTOP_UI_SLOTS_BAND_H
#define TDTOP_UI_SLOTS_BAND_H

#include "ui/term/canvas.h"
#include "ui/view/funnel.h"

enum { SLOTS_GUTTER_WIDE_W = 11 /* "L3 clocks " */ };

struct funnel_place {
    struct rect gutter, blocks, legend; /* w or h is 0: no room */
};

void funnel_draw_band(const struct scene *sc, struct canvas *c, const struct funnel_place *p,
                      const struct funnel_band *b);

#endif
