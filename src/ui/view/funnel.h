/*
 * The funnel as arithmetic: the path downwards, a row ("band") of blocks for each level: the roots,
 * the parts of the one that the path leads through, and so on. Blocks of slots lie below their
 * parent, as wide as their shares. What is a share of something else (clocks, uops) has bands of
 * its own: their widths are shares of that unit. Draws nothing.
 */
#ifndef TDTOP_UI_FUNNEL_H
#define TDTOP_UI_FUNNEL_H

#include "model/load/model.h"

struct scene;

enum { FUNNEL_LEVELS = 8, FUNNEL_BANDS = 2 * FUNNEL_LEVELS, FUNNEL_BLOCKS = 64 };

struct funnel_band {
    int level;
    bool own;       /* another unit than slots, or deep */
    int parent;     /* whose parts these are; METRIC_NONE: the roots */
    const char *of; /* its unit: "clocks"; NULL for slots */
    double whole;   /* of own bands: what the full width means, 1 = 100 % */
};

struct funnel_block {
    int metric;
    int x, w;     /* cells; w may be 0: it is there, but too small to be seen */
    bool unknown; /* what the known ones leave: it may be anything of this */
};

/* The bands of the path that the selected block is on, from the top down. Returns how many. */
int funnel_bands(const struct scene *sc, struct funnel_band *out);
/* As many levels as the longest path of the model has. */
int funnel_bands_most(const struct model *m);
/* The blocks of a band in w cells, from left to right. Returns how many. */
int funnel_blocks(const struct scene *sc, const struct funnel_band *b, int w,
                  struct funnel_block *out);
/* True for what has a place in the funnel at all. */
bool funnel_is_block(const struct model *m, int metric);
/* True for what has its place below its parent: shares of slots all the way up, to level 3. Deeper
 * ones would be too small to be seen; they have bands of their own as other units do. */
bool funnel_is_slots(const struct model *m, int metric);
/* "clocks", "uops"; NULL for shares of what the model's 100 % is. */
const char *funnel_unit(const struct model *m, int metric);

/* The block under the cursor: the selected node of the tree, else the bottleneck, else a root;
 * METRIC_NONE if the model has no shares. */
int funnel_at(const struct scene *sc);
int funnel_path_end(const struct scene *sc); /* of the bottleneck path, or METRIC_NONE */
/* The node that takes the full width; METRIC_NONE: all is shown. */
int funnel_zoom(const struct scene *sc);
/* Number of the band that a node is in, or -1. */
int funnel_band_of(const struct funnel_band *b, int n, const struct model *m, int metric);

void funnel_go(struct scene *sc, int metric);           /* selects it; the screen shows it */
void funnel_move(struct scene *sc, int by);             /* along the level */
void funnel_move_level(struct scene *sc, int by);       /* to the parent, or to the main child */
void funnel_drill(struct scene *sc);                    /* the selected one becomes 100 % */
bool funnel_back(struct scene *sc);                     /* one step out; false: there was none */
void funnel_want(const struct scene *sc, bool *wanted); /* [n_metric] what is to be counted */

#endif
