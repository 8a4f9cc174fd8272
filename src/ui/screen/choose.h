/*
 * A list to choose from in a pop-up (popup_choose): what is typed narrows it down. Whoever asks
 * fills it and gets the answer, as of a question in the key line (ui/screen/ask.h).
 */
#ifndef TDTOP_UI_CHOOSE_H
#define TDTOP_UI_CHOOSE_H

#include "base/array.h"
#include "ui/draw/list.h"

#include <stdint.h>

struct screen;

struct choice {
    char *text, *words; /* owned */
    bool on;            /* what counts now */
};

struct choose {
    char title[48];
    ARRAY(struct choice) all;
    ARRAY(uint32_t) shown; /* [list.n] of `all`; room for all of them */
    struct list list;
    char typed[512];
    /* at: of `all`; -1: the text was typed, and is none of them. */
    void (*done)(struct screen *sc, const char *text, int at);
};

struct choose *choose_of(const struct screen *sc);
/* Empties the list; done is called once something was chosen, after the pop-up has closed. */
void choose_begin(struct screen *sc, const char *title,
                  void (*done)(struct screen *sc, const char *text, int at));
/* Both texts are copied, and made safe to be shown. Without memory it is left out. */
void choose_add(struct screen *sc, const char *text, const char *words, bool on);
/* Opens the pop-up with what counts now selected; false: there is nothing to choose. */
bool choose_open(struct screen *sc);

/* The selected one; where none is like what is typed, that text. */
void choose_accept(struct screen *sc);
void choose_cancel(struct screen *sc);
void choose_type(struct screen *sc, uint32_t key);
bool choose_paste(struct screen *sc, const char *text);
void choose_free(void *choose); /* accepts a zeroed one */

#endif
