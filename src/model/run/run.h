/*
 * A run: a stretch of measuring that was kept, with everything needed to show, evaluate, compare
 * and explain it years later: the counts of which process, under which labels and circumstances, by
 * which model (its exact text), the counts of each interval, and the values that came out then.
 *
 * All strings are owned by the run; absent ones are "". Lists are owned too.
 */
#ifndef TDTOP_MODEL_RUN_H
#define TDTOP_MODEL_RUN_H

#include "base/array.h"
#include "base/err.h"
#include "model/eval/eval.h"
#include "model/hot/hot.h"
#include "model/run/series.h"
#include "model/stats/moments.h"

enum { RUN_ID_LEN = 16 }; /* hex digits; shown by any prefix that is unique */
/* The automatic label that `tdtop reeval` gives its runs: the id of the run it began with. */
#define RUN_REEVAL_OF "reeval_of"

/* What the warning of a run begins with that is still measured, or was killed. */
#define RUN_UNFINISHED "unfinished: "

struct run_label {
    char *key, *value;
    bool automatic; /* found by tdtop; false: given by the user */
    char *covered;  /* the automatic value below the user's, which covers it; NULL: none */
};
struct run_fact { /* of the environment: pmu/host/environment.h */
    char *key, *value;
};
struct run_mark {
    uint64_t t_ns; /* session time, as the intervals' */
    char *name;
};

/* The value of one metric over the whole run, and how it varied. */
struct run_node {
    char *name, *path, *unit; /* unit "" for none; "percent": value is a fraction 0..1 */
    int level;                /* 0 outside the tree */
    bool good_up, share;
    bool total;         /* it adds up with time: the value is the sum of those of the intervals */
    signed char better; /* 1: a rise is an improvement, -1: a fall is, 0: neither (direction.h) */
    struct value value; /* of the summed counts; value.why is not kept: `reason` is. err: how far it
                           may be off from what happened in that time (spread.h) */
    struct moments_result m; /* of the values of the intervals */
    char *reason;            /* why it is unknown or approximate; "" */
};

struct run {
    char id[RUN_ID_LEN + 1];
    int64_t begun_ns, ended_ns; /* CLOCK_REALTIME */
    uint64_t t0_ns, t1_ns;      /* session time of the span kept; measured_ns may be less */
    uint64_t measured_ns, interval_ns;
    char *process; /* "redis-server"; "system" for -a */
    char *target;  /* "redis-server 4242, 5 threads", "CPUs 0-3" */
    char *command; /* command line of the target; "" */
    char *source;  /* "perf", "replay", "sim", "import" */
    char *version; /* of the tdtop that measured; or the tool it was imported from */
    char *note;    /* the user's words */
    char *parent;  /* id of the run it was re-evaluated from, or kept from its replay; "" */
    int level;     /* deepest level measured; 0: all */
    bool system_wide, simulated;
    /* A command that tdtop began, counted from its first instruction until it ended by itself: how
     * long it was measured is how long it took. */
    bool ran_through;

    char *model;      /* name */
    char *model_text; /* model_text() of the model; "" for imports of values without counts */
    char *warning;    /* session_warning of the whole; "" */
    /* That formulas were evaluated with; set by run_set_consts. */
    struct consts consts;
    struct latency_setting *latency; /* what consts.latency points to, consts.n_latency of them */

    /* What the slots of the series are. Events are kept by name, so that another model can use
     * them. n_slot == 0: no counts were kept (imports of values). */
    char **event;         /* [layout.n_event] full spelling */
    struct layout layout; /* events index `event` */
    struct series series;
    uint64_t n_stored; /* intervals in front of those: of a run that is stored while it is measured,
                          they are in the store alone (store_grow) */

    ARRAY(struct run_label) label;
    ARRAY(struct run_fact) fact;
    ARRAY(struct run_mark) mark;
    ARRAY(struct run_node) node;
    ARRAY(struct hot) hot; /* samples of one event each, taken meanwhile */
    char *bottleneck;      /* path of names, '.' between; "" if nothing is over its threshold */
};

void run_node_free(struct run_node *n);           /* its strings */
bool run_node_is_known(const struct run_node *n); /* NULL is not */
/* The metric, in no model, of runs that ran_through: how long they took, in seconds; of one run
 * measured_ns, of several the node that pool_finish makes. */
#define RUN_ELAPSED "elapsed"
bool run_is_elapsed(const char *metric);
/* All of it, its strings too. 0 or -ENOMEM: nothing is left. */
int run_node_copy(struct run_node *to, const struct run_node *from);
/* Fills total and better as far as name and numbers tell, where it was not said (runs of before).
 */
void run_node_guess(struct run_node *n);
/* Half the 95 % interval of the mean of the intervals, for a program that goes on like this: not
 * `value.err`, but what comparisons rest on. In the unit of `value`; NAN: not known. */
double run_mean_err(const struct run_node *n);
/* Makes a text of a run another; NULL: "". 0 or -ENOMEM: it is as it was. */
int run_set_text(char **at, const char *text);
/* Of a run from outside: control characters in its texts become '?' (str_clean). Note and
 * labels keep newlines and tabs. The model's text stays as it is: loading it refuses such names. */
void run_clean(struct run *r);
void run_free(struct run *r); /* accepts a zeroed one; leaves it zeroed */
/* Its node of that path, or NULL; and what that is worth, NAN without one. */
struct run_node *run_node_find(const struct run *r, const char *path);
double run_node_value(const struct run *r, const char *path);
/* Moves the samples of a run behind those of another. 0 or -ENOMEM: each has what it has. */
int run_take_samples(struct run *to, struct run *from);
/* The first samples behind `after` (NULL: of all) that were asked for by that node or event, or are
 * of that event, ignoring case; what NULL: of anything. Each core type has its own. NULL: there are
 * none. */
const struct hot *run_samples(const struct run *r, const char *what, const struct hot *after);
/* A new random id (getrandom). */
void run_new_id(char id[RUN_ID_LEN + 1]);

/* Copies the constants, the user's latencies too. 0 or -ENOMEM. */
int run_set_consts(struct run *r, const struct consts *c);

const char *run_label_get(const struct run *r, const char *key); /* or NULL */
/*
 * Adds, or replaces the label of that key. An automatic value and the user's stand side by side,
 * whichever came first: the user's covers, and when it is removed (value NULL) the automatic one is
 * back; an automatic one that nothing covers is removed for good. Automatic values are cleaned
 * (str_safe) and cut where run_label_check would refuse them. 0, -ENOMEM, or -EINVAL with words.
 */
int run_label_set(struct run *r, const char *key, const char *value, bool automatic,
                  struct err *err);
/* Keys: 1..64 of letters, digits, '_', '.', '-', '/', ':'. Values: valid UTF-8 of at most
 * 4096 bytes without control characters other than newline and tab. 0 or -EINVAL with words that
 * name the key, the cause and the remedy. */
int run_label_check(const char *key, const char *value, struct err *err);
/* The same of a note, of at most 64 kB. */
int run_note_check(const char *note, struct err *err);
/* Both of "key=value": of the user's own labels. */
int run_label_set_text(struct run *r, const char *text, struct err *err);
int run_label_check_text(const char *text, struct err *err);
/* Splits "key=value" at the first '='. 0 or -EINVAL with words. *key is malloc'ed, *value points
 * into text. */
int run_label_split(const char *text, char **key, const char **value, struct err *err);

/* The layout of the run's counts for a model, as run_bind makes it. 0 or -ENOMEM; layout_destroy in
 * both cases. */
int run_layout(const struct run *r, const struct model *m, struct layout *out);

/*
 * Loads the run's own model and binds it to its counts: ev evaluates rows of r->series. The model
 * stays with the caller (model_free), ev too (eval_destroy). text: another model's text, NULL: the
 * run's own. Slots of events that the model does not know have SLOT_NO_EVENT; events the run does
 * not have are COUNT_ABSENT, or missing for the reason that they were then. bound is the layout for
 * that model, to be destroyed by the caller; its slots are in the order of the series. 0, or
 * negative errno with words (-ENODATA: no counts or no model text were kept), and nothing is left.
 */
int run_bind(const struct run *r, const char *text, struct model *m, struct layout *bound,
             struct eval *ev, struct err *err);

/*
 * Fills r->node and r->bottleneck from the counts by the model that it is bound to, and r->model,
 * model_text, measured_ns. Metrics that were not planned, or that the model cannot give here, have
 * no node. `err` of a value is what multiplexing left unseen (spread.h). 0, -ENOMEM, or -ENODATA:
 * no counts; r is then as it was.
 */
int run_evaluate(struct run *r, const struct model *m, struct eval *ev, struct err *err);
/* Both at once: binds it to the model of that text (NULL: its own) and evaluates it. */
int run_evaluate_by(struct run *r, const char *text, struct err *err);

/* The same of a run that grows: its values are gathered as its intervals come, in fixed memory. */
struct run_tally {
    void *impl_; /* private; NULL: not begun */
};
/* Model (text NULL: its own), layout and constants are those of r, as run_bind takes them; of its
 * intervals it has none yet. 0, or negative errno with words: not begun. */
int run_tally_begin(struct run_tally *t, const struct run *r, const char *text, struct err *err);
/* The same by a model that is there, whose text is the run's: borrowed until run_tally_end. */
int run_tally_begin_by(struct run_tally *t, const struct run *r, const struct model *m,
                       struct err *err);
/* Adds the rows of a series of that layout but the first `skip`. 0 or -ENOMEM: none were. */
int run_tally_add(struct run_tally *t, const struct series *se, uint64_t skip);
/* What run_evaluate fills, of the intervals so far. 0 or -ENOMEM: r is as it was. */
int run_tally_values(struct run_tally *t, struct run *r);
const struct model *run_tally_model(const struct run_tally *t);
void run_tally_end(struct run_tally *t); /* accepts a zeroed one */

/*
 * What a command took as a whole: metrics of no model, known of runs that ran_through. Two commands
 * that do the same work are compared by them; rates per second do not tell which is faster.
 */

#define RUN_CPU_TIME "cpu_time"
enum { RUN_WORK_N = 4 };

/*
 * Elapsed time and CPU time in s, instructions (IPC * GHz * CPUs_Utilized * time: all models of a
 * core have these), context switches. Fills those that the run tells; their texts are constants.
 * Returns how many, 0 of a run that did not run through.
 */
int run_work(const struct run *r, struct run_node out[RUN_WORK_N]);
bool run_is_work(const struct run_node *n); /* it is one of these */

#endif
