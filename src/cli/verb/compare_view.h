/* Two sides and what comes out of comparing them: shared by verb_compare.c and compare_*.c. */
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
    size_t n_run, n_matched; /* in use; that the labels found */
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
const char *gate_state_name(enum gate_state s); /* "ok", "FAILED", ... */

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
/* compare_overlap.c: 0, or -EINVAL with words that name two runs, one of each side, that have
 * measured the same target at the same time. A run on both sides is none. */
int side_check_overlap(struct run_pick *p, const struct side side[2], struct err *err);
/* "run 3f9a1c22 of 2026-11-21 20:14:03: redis-server 4242; 60 intervals, 1:00". Returns buf. */
const char *side_words(const struct side *s, char *buf, size_t cap);
/* "3f9a1c22", "5 runs": for titles. Returns buf. */
const char *side_name(const struct side *s, char *buf, size_t cap);
/* What the samples are, where that is not plain; "" else. */
const char *side_samples(const struct side *s);

/* compare_words.c: sentences. Each returns buf; "" if there is nothing to say. */
const char *compare_work_words(const struct compare_view *v, char *buf, size_t cap);
/* Why the widest ± of a share is so wide, where it is more than a few least changes. */
const char *compare_wide_words(const struct compare_view *v, char *buf, size_t cap);
/* What the samples of a side are, where that is not plain; "" else. Constant. */
const char *compare_samples_words(const struct compare_view *v, int side);
/* What is too little, and how much would about do, of the shown rows without a verdict for that. */
const char *compare_needed_words(const struct compare_view *v, char *buf, size_t cap);
/* How long that many samples of a side take, in s; NAN: not known. */
double compare_needed_s(const struct side *s, double needed);
/* Of a node of level 1 or 2, how many slots it takes. */
const char *compare_slot_words(const struct comparison *c, const struct compare_row *r, char *buf,
                               size_t cap);
const char *compare_result_words(const struct compare_view *v, char *buf, size_t cap);
/* "+6.1 points", "-5.3 %"; of what was 0, in its own unit. The ± likewise. */
const char *compare_delta_words(const struct compare_row *r, char *buf, size_t cap);
const char *compare_err_words(const struct compare_row *r, char *buf, size_t cap);
/* "regressed", "improved", "changed", "unchanged": which way it went, for programs. */
const char *compare_direction(const struct compare_row *r);
const struct run_node *compare_node(const struct compare_row *r); /* of either side */

/* Each returns an exit code for output alone. */
int compare_print_text(const struct compare_view *v);
int compare_print_markdown(const struct compare_view *v);
int compare_print_json(const struct compare_view *v);
int compare_print_csv(const struct compare_view *v);

#endif
