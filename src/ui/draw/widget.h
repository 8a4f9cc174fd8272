/*
 * What views are made of: cut text, bars and sparklines. They draw numbers that
 * are given to them and know neither models nor sessions. An unknown number (NAN) is a gap.
 */
#ifndef TDTOP_UI_WIDGET_H
#define TDTOP_UI_WIDGET_H

#include "ui/term/canvas.h"

enum { WIDGET_HATCH = 0x2571 }; /* "╱": neither useful nor lost */

/* Text in at most w columns; what does not fit ends in "…". Returns the columns used, <= w. */
int widget_text(struct canvas *c, struct rect clip, int x, int y, int w, enum style st,
                const char *utf8);

/* The same, ending at the right edge of its w columns. */
void widget_right(struct canvas *c, struct rect clip, int x, int y, int w, enum style st,
                  const char *utf8);

/* A horizontal line from x on, w cells. */
void widget_rule(struct canvas *c, struct rect clip, int x, int y, int w, enum style st);

/* A frame of one cell around r; what is in it stays. */
void widget_box(struct canvas *c, struct rect r);

/* The ground of a block. st is a fill; STYLE_TEXT, where there is none, is hatched: what is neither
 * useful nor lost is there, but does not shine. */
void widget_ground(struct canvas *c, struct rect r, enum style st);

/*
 * A bar whose full length, w cells, means 1. Eighths of a cell are drawn; a known share above 0
 * shows at least one eighth; more than 1 is cut (its number says how much it is).
 */
void widget_bar(struct canvas *c, struct rect clip, int x, int y, int w, enum style st,
                double share);

/*
 * A thin bar whose full length, w cells, means 1, in halves of a cell; hollow: a share of something
 * else than its neighbours'. limit: where it counts as too much, marked on the bar or behind it;
 * NAN: nowhere.
 */
void widget_share(struct canvas *c, struct rect clip, int x, int y, int w, enum style st,
                  double share, bool hollow, double limit);

/* The end of an axis that begins at 0 and holds max: 1, 2.5, 5 or 10 times a power of ten. */
double widget_nice_top(double max);

#endif
