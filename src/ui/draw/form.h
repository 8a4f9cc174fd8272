/* A line of text that is typed: for forms and questions. */
#ifndef TDTOP_UI_FORM_H
#define TDTOP_UI_FORM_H

#include "ui/term/canvas.h"

enum { FORM_CAP = 1024 };

struct form_text {
    char text[FORM_CAP]; /* UTF-8 */
    size_t at;           /* of the cursor, in bytes */
};

/* The cursor stands at the end; what is too long is cut. */
void form_set(struct form_text *f, const char *text);
/* A character, Backspace, Delete, Left, Right, Home, End; as in a shell, Ctrl-A and Ctrl-E: begin
 * and end, Ctrl-W: the word before the cursor goes, Ctrl-U: all before it. Returns false if it is
 * another key. */
bool form_key(struct form_text *f, uint32_t key);
/* At the cursor, as much of it as has room; behind it the cursor stands. */
void form_paste(struct form_text *f, const char *text);
/* The same for a text without a cursor: its end is where keys count. False: nothing has changed. */
bool form_end_key(char *text, size_t cap, uint32_t key);
bool form_end_paste(char *text, size_t cap, const char *pasted);
/* Puts text in the place of the bytes from..at; the cursor is behind it. False: no room. */
bool form_replace(struct form_text *f, size_t from, const char *text);
/* Draws what fits into w columns, with the cursor in sight if it is focused. */
void form_draw(const struct form_text *f, struct canvas *c, struct rect clip, int x, int y, int w,
               enum style st, bool focused);

#endif
