/*
 * The screen before a session: which process is to be measured? A list like htop's, by CPU, read
 * anew each second, with level 1 of the busiest as far as the rows have it; what is typed narrows
 * it down. Its state knows canvases and keys but no terminal and no /proc, so a test can press keys
 * and read whole screens.
 */
#ifndef TDTOP_UI_PICKER_H
#define TDTOP_UI_PICKER_H

#include "base/err.h"
#include "model/run/process.h"
#include "ui/draw/list.h"
#include "ui/term/canvas.h"

struct mouse;

struct picker_options {
    const char *theme;
    bool mouse, ascii;
    int colors;                                         /* as term_options */
    const struct process_table *table;                  /* borrowed; `read` fills it */
    int (*read)(void *user);                            /* 0 or a negative errno */
    int (*detail)(void *user, struct process_row *row); /* its command line */
    void *user;
    /* "Which thread?": names to choose from, in `command` of each row, not processes. NULL. */
    const char *question;
    bool whole;       /* of names: all of them together can be chosen, too */
    bool any_theme;   /* nobody chose it: on a light terminal it may be "light" */
    pid_t select;     /* the process that we are back from; 0: the busiest is selected */
    const char *note; /* why, until a key is pressed; NULL or "" */
};

enum picker_choice { PICK_NOTHING, PICK_PROCESS, PICK_ALL };
struct picked {
    enum picker_choice choice;
    pid_t pid;
    bool light; /* the theme is that now */
};

enum picker_order { ORDER_CPU, ORDER_MEMORY, ORDER_PID, ORDERS };

struct picker {
    const struct picker_options *opt; /* borrowed */
    struct canvas canvas;

    uint32_t *shown; /* [list.n] rows of the table, as sorted and narrowed down */
    uint32_t cap_shown;
    enum picker_order order;
    bool kernel_threads; /* shown, too */

    pid_t selected; /* followed wherever its row goes, once the user has chosen it */
    struct list list;

    char search[48];
    bool typing; /* the line for it is shown: something was typed, or "/" */
    int failed;  /* negative errno of the last reading */
    const char *note;

    enum picker_choice choice;
    bool done, repaint, suspend;
};

int picker_init(struct picker *pk, const struct picker_options *opt); /* 0; -ENOMEM */
void picker_destroy(struct picker *pk);
int picker_resize(struct picker *pk, int w, int h); /* 0 or -ENOMEM */
/* Reads all processes again and puts them in order. 0 or -ENOMEM. */
int picker_update(struct picker *pk);
/* Reads and allocates what is about to be drawn; drawing does neither. */
void picker_prepare(struct picker *pk);
void picker_draw(struct picker *pk);
void picker_key(struct picker *pk, uint32_t key, const struct mouse *m);
void picker_paste(struct picker *pk, const char *text); /* into the search */
/* The row at a place of the list, or NULL. */
struct process_row *picker_row(const struct picker *pk, int at);
/* First line of the list on the canvas. */
int picker_first_line(const struct picker *pk);

/*
 * Takes the terminal, lets the user choose, and keeps the terminal for the
 * session unless nothing was chosen. Negative errno with words: the terminal is given back.
 */
int picker_run(const struct picker_options *opt, struct picked *picked, struct err *err);

#endif
