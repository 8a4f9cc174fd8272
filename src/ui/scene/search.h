/* A text that is looked for: in the names of nodes, threads and metrics, in help and explanations.
 * Who types it, and what follows, is in ui/screen/find.h. */
#ifndef TDTOP_UI_SCENE_SEARCH_H
#define TDTOP_UI_SCENE_SEARCH_H

#include "ui/term/canvas.h"

#include <stdbool.h>

struct search {
    char text[48]; /* what is looked for; "" = nothing */
    bool missing;  /* no node has it */
    int from;      /* metric that was selected when typing began; of an explanation: a line */
    int row, top;  /* of a list: the same, and the first line on the screen */
    bool seek;     /* of an explanation: its next drawing scrolls to what is found */
};

/* Is the text in a name? False of none. */
bool search_has(const struct search *se, const char *name);
/* A name in w columns, the part that was looked for in STYLE_MATCH. Returns columns used. */
int search_draw(const struct search *se, struct canvas *c, struct rect clip, int x, int y, int w,
                enum style st, const char *name);

#endif
