/* "/": finds nodes by a part of their name, also in closed branches; of threads, metrics and the
 * lines of the help it leaves the hits; an explanation is scrolled to them. */
#ifndef TDTOP_UI_FIND_H
#define TDTOP_UI_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct screen;
struct search;

void search_begin(struct screen *sc);
/* What "/" looks for here: a node of the tree, a part of the names of threads, a line of a text. */
struct search *search_here(const struct screen *sc);
/* True if keys go into it: its line is seen, and nothing lies over it. */
bool search_is_typed(const struct screen *sc);
/* Typing ends, and what was typed stays: in any case, or if its line is not seen. */
void search_end(struct screen *sc);
void search_settle(struct screen *sc);
/* A key while typing: a character, Backspace, Ctrl-W, Ctrl-U (form.h); what is found is selected at
 * once. */
void search_type(struct screen *sc, uint32_t key);
void search_paste(struct screen *sc, const char *text);
void search_accept(struct screen *sc);
/* While typing: back to where it began. Else: marks go away. Returns false if there was nothing. */
bool search_cancel(struct screen *sc);
/* The next (step 1) or previous (-1) node that has the text, round the end. */
void search_next(struct screen *sc, int step);

#endif
