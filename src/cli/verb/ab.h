/* `tdtop ab`: two commands, or two settings of what already runs, measured in turns. */
#ifndef TDTOP_CLI_AB_H
#define TDTOP_CLI_AB_H

#include "cli/verb/collect.h"
#include "cli/verb/compare_view.h"
#include "model/compare/pairs.h"

struct ab_side {
    char name;         /* 'A', 'B' */
    const char *shell; /* --a, --b, or NULL */
    bool switches;     /* shell sets what is measured; false: the command itself is measured */
    char *argv[4], sh[3], dash_c[3], *text; /* sh -c SHELL; text is owned */
    struct args args;                       /* of its runs, as of `tdtop collect` */
    char pair[32];                          /* "pair=3", a label */
    char words[200];                        /* for people: "sort -S 1M file" */
    struct run run[SESSIONS_MAX];           /* of the pair at hand, by core type; owned */
    ARRAY(char *) id[SESSIONS_MAX];         /* of the stored runs; owned */
    double shortest_s, longest_s;           /* measured */
};

struct ab {
    const struct args *a; /* as said */
    struct collect c;
    struct compare_view view; /* its options */
    struct ab_side side[2], *at;
    struct pairs pairs[SESSIONS_MAX]; /* by core type */
    char cores[SESSIONS_MAX][32];
    int n_type;
    bool warms_up;                 /* a run that nothing is kept of */
    size_t n;                      /* pairs that are complete */
    uint64_t begun_ns, longest_ns; /* CLOCK_MONOTONIC; the longest pair */
    struct ab_result result;
};

/* ab_run.c: one run of a side, behind its switch. An exit code; errors are printed. */
int ab_run(struct ab *ab, struct ab_side *s);

/* ab_answer.c: whether the pairs so far answer the question, in result.answer and result.words. 0
 * or a negative errno with words. */
enum pairs_answer ab_look(struct ab *ab, struct err *err);
/* Prints the comparison. Returns the exit code of `tdtop compare`. */
int ab_print(struct ab *ab);

#endif
