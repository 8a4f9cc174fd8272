/* Which metrics have just changed: an arrow for each that fades (fade.h), of the newest frame. */
#ifndef TDTOP_UI_CHANGES_H
#define TDTOP_UI_CHANGES_H

#include "ui/draw/fade.h"

struct scene;
struct model;

struct changes {
    struct fade *at; /* [n_metric] owned */
};

int changes_init(struct changes *ch, const struct model *m); /* 0 or -ENOMEM */
void changes_destroy(struct changes *ch);                    /* accepts a zeroed one */
/* A new frame has come. */
void changes_frame(struct scene *sc);
/* The mark of a metric: none while another moment than now is shown. */
struct fade_mark changes_mark(const struct scene *sc, int metric);
/* Draws it, in its own style, or on a ground (STYLE_TEXT: none) in that one's. */
void changes_draw(const struct scene *sc, struct canvas *c, struct rect clip, int x, int y,
                  int metric, enum style ground);

#endif
