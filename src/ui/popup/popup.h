/* The frame of a popup: a titled box over the faded screen, with a page in it. */
#ifndef TDTOP_UI_POPUP_H
#define TDTOP_UI_POPUP_H

#include "ui/draw/page.h"

struct mouse;
struct screen;

/*
 * Draws the box, at most w columns and h lines of text, in the middle of r. Returns the page
 * inside, scrolled as the screen says.
 */
struct page popup_begin(struct screen *sc, struct canvas *c, struct rect r, int w, int h,
                        const char *title);
/* Where that page is: the room of its text, without the frame. */
struct rect popup_inner(struct rect r, int w, int h);
/* Notes how far the page can be scrolled and shows that there is more. */
void popup_end(struct screen *sc, const struct page *p);
/* A box as high as what `fill` puts on its page, which it is asked for twice: first it is measured.
 */
void popup_page(struct screen *sc, struct canvas *c, struct rect r, int w, const char *title,
                void (*fill)(struct screen *sc, struct page *p));
/* The wheel scrolls. */
void popup_mouse(struct screen *sc, struct rect r, const struct mouse *m);

#endif
