/*
 * CPUs with several core types: one session for each, with a plan, a model, counters and a history
 * of its own. What they count is never summed. They share the target: it is the first that runs a
 * command and looks after the machine. Elsewhere there is one session.
 */
#ifndef TDTOP_HYBRID_H
#define TDTOP_HYBRID_H

#include "session/session.h"

enum { SESSIONS_MAX = 8 };

struct sessions {
    struct session *at[SESSIONS_MAX]; /* owned; those that are open, or all before they are */
    int n;
    int n_made;   /* behind the n those that could not be opened */
    char pid[16]; /* private: of the command that the first session runs */
};

/* One more, zeroed; the caller loads its model. NULL: out of memory, or there are too many. */
struct session *sessions_add(struct sessions *all);
/* Takes the last one away again. */
void sessions_drop(struct sessions *all);

/*
 * Opens them with opt[n]. One that cannot be opened is left out, and the first says why; if none
 * can be, that is the error of the first. 0 or negative errno with words.
 */
int sessions_open(struct sessions *all, const struct source_ops *ops,
                  const struct source_options *opt, struct err *err);
/* Starts all, the first last: a command begins when all count. 0 or a negative errno with words. */
int sessions_start(struct sessions *all, struct err *err);
/* session_halt for all. */
void sessions_halt(struct sessions *all);
void sessions_close(struct sessions *all); /* and frees; accepts zeroed ones */

/* "P-cores", "E-cores", "cpu_x": what a session counts on; "" where all cores are alike. */
const char *session_cores(const struct session *s);
/* The key of its rows: "core", "atom", or the name of the PMU; "" where all cores are alike. */
const char *session_type(const struct session *s);
/* What is known of the machine while the sessions run. */
const struct environment *session_environment(const struct session *s);

#endif
