/*
 * A page of wrapped text that may be longer than its place: lines above `skip` are counted but not
 * drawn. Used by popups and the side panel. Draws straight onto the canvas; nothing is allocated.
 */
#ifndef TDTOP_UI_PAGE_H
#define TDTOP_UI_PAGE_H

#include "ui/canvas.h"

struct page {
    struct canvas *c; /* borrowed */
    struct rect r;
    int skip; /* lines scrolled away */
    int line; /* next line, from 0; at the end: how many there are */
};

struct page page_on(struct canvas *c, struct rect r, int skip);
void page_blank(struct page *p);
/* A heading of its own line. */
void page_heading(struct page *p, const char *text);
/*
 * A paragraph, wrapped at blanks, `indent` columns from the left; `bullet` (or NULL) stands before
 * its first line. Single newlines are blanks, an empty line begins a new paragraph.
 */
void page_text(struct page *p, enum style st, int indent, const char *bullet, const char *text);
/* Two texts in one line, the second from column `at` on, cut where they do not fit. */
void page_pair(struct page *p, int at, enum style st1, const char *left, enum style st2,
               const char *right);

#endif
