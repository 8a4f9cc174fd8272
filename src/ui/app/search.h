/* "/": finds nodes by a part of their name, also in closed branches; of threads, metrics and the
 * lines of the help it leaves the hits; an explanation is scrolled to them. */
#ifndef TDTOP_UI_SEARCH_H
#define TDTOP_UI_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct screen;

struct search {
    char text[48]; /* what is looked for; "" = nothing */
    bool typing;   /* keys go into the text */
    bool missing;  /* no node has it */
    int from;      /* metric that was selected when typing began; of an explanation: a line */
    bool seek;     /* of an explanation: its next drawing scrolls to what is found */
};

void search_begin(struct screen *sc);
/* True if keys go into what is looked for: its line is seen, and nothing lies over it. */
bool search_is_typed(const struct screen *sc);
/* Typing ends, and what was typed stays: of all texts, or of those whose line is not seen. */
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

/* Where in the name the text is found: offset and length in bytes, or false. */
bool search_hit(const struct search *se, const char *name, size_t *at, size_t *len);

#endif
