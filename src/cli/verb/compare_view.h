/* A comparison of two sides: shared by verb_compare.c, compare_*.c and verb_ab.c. */
#ifndef TDTOP_CLI_COMPARE_VIEW_H
#define TDTOP_CLI_COMPARE_VIEW_H

#include "cli/file/run_pick.h"
#include "db/pool_of_runs.h"
#include "model/compare/gate.h"

#include <stdio.h>

struct side_span { /* of a run, CLOCK_REALTIME */
    char id[RUN_ID_LEN + 1];
    int64_t begun_ns, ended_ns;
};

struct side {
    struct run run; /* of several: their values */
    enum side_kind kind;
    size_t n_run, n_matched; /* in use; that the labels found, */
    bool more_matched;       /* which are more than that */
    size_t n_again;          /* left out, because a newer evaluation of them is in use */
    uint64_t n_interval;
    double shortest_s, longest_s; /* of the runs in use: measured */
    ARRAY(struct side_span) span; /* of the runs in use */
    char labels[256];             /* "build=old, threads=4": as they were asked for; "" */
};

struct gate_line {
    struct gate_result result;
    bool preset; /* of --preset: what a model does not have is left out */
    enum gate_state { GATE_OK, GATE_FAILED, GATE_UNCLEAR, GATE_SKIPPED } state;
};

enum { EXIT_REGRESSED = 1, EXIT_UNCLEAR = 2 };

/* What `tdtop ab` adds to a comparison. */
struct ab_result {
    char id[12];                  /* label ab_id of the runs */
    char cores[32];               /* core type that was compared; "" where all are alike */
    uint64_t seed;                /* of the order */
    size_t n;                     /* pairs */
    const char *answer, *stopped; /* "changed", "same", "open"; "sure", "-n", "-d", "signal" */
    char words[256];
};

struct compare_view {
    const struct args *a;
    const struct ab_result *ab; /* borrowed; NULL: of stored runs */
    struct side side[2];
    struct compare_options opt;
    struct comparison c;
    const struct compare_row **row; /* [n_row] those to be shown, in order */
    size_t n_row;
    ARRAY(struct gate_line) gate;
    int n_gate[GATE_SKIPPED + 1];
    const char *result; /* "ok", "regressed", "unclear"; "" without conditions */
};

/* verb_compare.c: options and rules that the command line says; both sides compared, the rows
 * chosen; printed, and what the rules say. The last returns an exit code; the others 0 or a
 * negative errno with words. compare_view_free whatever they returned. */
int compare_view_init(struct compare_view *v, const struct args *a, struct err *err);
int compare_view_sides(struct compare_view *v, struct err *err);
int compare_view_print(struct compare_view *v);
void compare_view_free(struct compare_view *v);

/* compare_side.c: from what the command line says; p is opened where a side needs it. 0 or negative
 * errno with words. */
int side_open_all(struct compare_view *v, struct err *err);
void side_free(struct side *s);
/* "run 3f9a1c22 of 2026-11-21 20:14:03: redis-server 4242; 60 intervals, 1:00". Returns buf. */
const char *side_words(const struct side *s, char *buf, size_t cap);
/* What the samples are, where that is not plain; "" else. */
const char *side_samples(const struct side *s);

/* compare_words.c: sentences. Each returns buf; "" if there is nothing to say. */
const char *compare_work_words(const struct compare_view *v, char *buf, size_t cap);
/* What is too little, and how much would about do, of the shown rows without a verdict for that. */
const char *compare_needed_words(const struct compare_view *v, char *buf, size_t cap);
/* "+6.1 points", "-5.3%"; of what was 0, in its own unit. The ± likewise. */
const char *compare_delta_words(const struct compare_row *r, char *buf, size_t cap);
const char *compare_err_words(const struct compare_row *r, char *buf, size_t cap);
/* "regressed", "improved", "changed", "unchanged": which way it went, for programs. */
const char *compare_direction(const struct compare_row *r);
const struct run_node *compare_node(const struct compare_row *r); /* of either side */

/* Each returns an exit code for output alone. */
int compare_print_text(const struct compare_view *v);
int compare_print_markdown(const struct compare_view *v);

#endif
