/*
 * A page of wrapped text that may be longer than its place: lines above `skip` are counted but not
 * drawn. Used by popups and the side panel. Draws straight onto the canvas; nothing is allocated.
 */
#ifndef TDTOP_UI_PAGE_H
#define TDTOP_UI_PAGE_H

#include "model/knowledge/text_sink.h"
#include "ui/term/canvas.h"

#include <stdbool.h>
#include <stddef.h>

struct page {
    struct canvas *c; /* borrowed */
    struct rect r;
    int skip;          /* lines scrolled away */
    int line;          /* next line, from 0; at the end: how many there are */
    int pid;           /* page_sink: of the process that rows of lists call PID; 0: not known */
    int below;         /* page_sink: the line below its last heading */
    bool framed;       /* there is a frame around r to write on: of popups */
    const char *match; /* what is looked for is marked; NULL or "": nothing */
    int seek;          /* the first line of interest of those that have it */
    int hit, first;    /* the first from seek on, the first of all; -1: none */

    /* Called for each word of texts and of the left half of pairs, drawn or not, in line - 1 and at
     * column x of r; returns how it is drawn. NULL: as the text around it. */
    enum style (*word)(struct page *p, const char *word, size_t len, int x, enum style st);
    void *user; /* of word */
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
/* The same of one line, on its ground from edge to edge. */
void page_band(struct page *p, enum style st, const char *text);
/* Two texts in one line, the second from column `at` on, cut where they do not fit. */
void page_pair(struct page *p, int at, enum style st1, const char *left, enum style st2,
               const char *right);
/* The same, but the second is wrapped: nothing of it is lost. */
void page_item(struct page *p, int at, enum style st1, const char *left, enum style st2,
               const char *right);
/* A page of text (the knowledge base, the guide) onto this one. */
struct text_sink page_sink(struct page *p);

#endif
