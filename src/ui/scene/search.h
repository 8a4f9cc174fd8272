/* A text that is looked for: in the names of nodes, threads and metrics, in help and explanations.
 * Who types it, and what follows, is in ui/screen/find.h. */
#ifndef TDTOP_UI_SCENE_SEARCH_H
#define TDTOP_UI_SCENE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

struct search {
    char text[48]; /* what is looked for; "" = nothing */
    bool missing;  /* no node has it */
    int from;      /* metric that was selected when typing began; of an explanation: a line */
    int row, top;  /* of a list: the same, and the first line on the screen */
    bool seek;     /* of an explanation: its next drawing scrolls to what is found */
};

/* Where in a name the text is found: offset and length in bytes, or false. */
bool search_hit(const struct search *se, const char *name, size_t *at, size_t *len);

#endif
