/* A question in the key line that is answered with a line of text: "mark: warm-up_". */
#ifndef TDTOP_UI_ASK_H
#define TDTOP_UI_ASK_H

#include "ui/draw/form.h"

struct screen;

struct ask {
    bool typing; /* keys go into the text */
    bool yes_no; /* one key answers */
    char question[48];
    struct form_text text;
    void (*done)(struct screen *sc, const char *text); /* called once it is answered */
    bool follows;     /* and with each change; cancelled, with what was there before */
    char before[128]; /* that */
};

void ask_begin(struct screen *sc, const char *question, const char *text,
               void (*done)(struct screen *sc, const char *text));
/* "remove run 1234? y:": one key answers; done gets "y", or "" for any other. */
void ask_yes(struct screen *sc, const char *question,
             void (*done)(struct screen *sc, const char *text));
/* The same of an answer that is seen while it is typed; `before` comes back if it is cancelled. */
void ask_begin_following(struct screen *sc, const char *question, const char *before,
                         void (*done)(struct screen *sc, const char *text));
/* A key while typing. */
void ask_type(struct screen *sc, uint32_t key);
void ask_paste(struct screen *sc, const char *text); /* what is pasted answers no ask_yes */
void ask_accept(struct screen *sc);
void ask_cancel(struct screen *sc);
void ask_draw(const struct ask *a, struct canvas *c, struct rect r);

#endif
