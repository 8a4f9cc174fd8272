/* The help (popup_help.c): what its keys do. */
#ifndef TDTOP_UI_HELP_H
#define TDTOP_UI_HELP_H

#include "model/knowledge/guide.h"
#include "ui/scene/search.h"

struct screen;

enum { HELP_SECTIONS = 96 };

/* What the help keeps on its screen: screen_popup(sc, &popup_help). */
struct help {
    struct search find;         /* only lines that have it are shown */
    int section[HELP_SECTIONS]; /* line of each heading, as it was drawn last */
    int n_section;
    struct guide guide; /* owned; read when help is opened for the first time */
};

void action_help(struct screen *sc);                 /* opens it, or closes it */
void action_help_section(struct screen *sc, int by); /* to the next section, or the one before */
void action_help_back(struct screen *sc);            /* forgets what was looked for; closes */

#endif
