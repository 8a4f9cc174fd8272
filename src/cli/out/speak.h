/*
 * --speak: tdtop for a screen reader, or for a line printer. Plain lines on standard output, and
 * only what changes: the sentence of advice when it says something else, and what the program has
 * to tell. Level 1 comes when it is asked for (Enter), or every so often. What is typed on standard
 * input, a line a command, is answered. No escape codes, nothing is drawn again.
 */
#ifndef TDTOP_CLI_SPEAK_H
#define TDTOP_CLI_SPEAK_H

#include "cli/cli.h"
#include "model/knowledge/advice.h"
#include "model/knowledge/explain.h"
#include "session/hybrid.h"

#include <stdio.h>

/* One session, and what was said of it. */
struct speaker {
    FILE *out;
    struct session *s;
    const struct advice *advice; /* borrowed, as the next */
    const struct explain *explain;
    bool many; /* there are other sessions: lines say whose they are */

    struct advice_text text; /* said last, if `said` */
    bool said;
    struct advice_text next_; /* private: scratch */
    uint64_t said_ns;         /* session time */
    int differs;              /* intervals in a row in which it would be that: */
    int other_node;
    enum advice_certainty other_certainty;
    char note[256], warning[256], phase[48]; /* said last */
    enum stream_state state;
};

enum speak_answer { SPEAK_ON, SPEAK_QUIT, SPEAK_EVERY };

/* The session has a new frame: what is new of it is said. */
void speak_frame(struct speaker *sp);
/* The session has ended, or failed: says so, once. */
void speak_end(struct speaker *sp);
/*
 * A line that was typed, for all n of them. SPEAK_EVERY: *every_ns is how often the status is to
 * come from now on, 0 = only when asked.
 */
enum speak_answer speak_command(struct speaker *sp, int n, const char *line, uint64_t *every_ns);

/* Until all end, a signal comes, or quit. Returns an exit code; errors are printed. */
int speak_run(struct sessions *all, const struct args *a, const char *advice);

#endif
