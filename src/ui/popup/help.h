/* The help (popup_help.c): what its keys do. */
#ifndef TDTOP_UI_HELP_H
#define TDTOP_UI_HELP_H

#include "ui/app/search.h"

struct screen;

enum { HELP_SECTIONS = 96 };

struct help {
    struct search find;         /* only lines that have it are shown */
    int section[HELP_SECTIONS]; /* line of each heading, as it was drawn last */
    int n_section;
};

void action_help_next(struct screen *sc, uint32_t key); /* section */
void action_help_previous(struct screen *sc, uint32_t key);
void action_help_back(struct screen *sc, uint32_t key); /* forgets what was looked for; closes */

#endif
