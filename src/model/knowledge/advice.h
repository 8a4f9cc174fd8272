/*
 * The sentence below the tree: what is seen, and what to look at next. It is put together from the
 * values and from one source of advice, a file of src/model/advice that says which limits count and
 * what follows from them. Sources disagree, so one is used at a time, and it is named.
 *
 *   rule "tree"    the thresholds of the model decide (bottleneck.h), and the next step comes from
 *                  the tree: nodes below, events to sample, what the knowledge base would try
 *   rule "table"   rows of limits decide: of those over their limit the first by rank, then the one
 *                  that is furthest over it
 *
 * Pure: after advice_load nothing is allocated and no file is read.
 */
#ifndef TDTOP_MODEL_ADVICE_H
#define TDTOP_MODEL_ADVICE_H

#include "base/err.h"
#include "base/toml.h"
#include "model/knowledge/explain.h"
#include "model/load/frame.h"
#include "model/load/model.h"

#include <stddef.h>

#define ADVICE_DEFAULT "toplev"

/* "> 5%": op '>', value 0.05. op 0: the row has no such limit; 'm': the model's own threshold. */
struct advice_limit {
    char op;
    bool equal; /* ">=", "<=" */
    bool percent;
    double value;
    const char *text; /* "5%" */
};

enum advice_vendor { ADVICE_ANY, ADVICE_INTEL, ADVICE_AMD, ADVICE_ARM, ADVICE_VENDORS };

/* One row of a source. Lists end with NULL and may be NULL; so may texts that are not required. */
struct advice_row {
    const char *id;      /* "branch_misses"; where the rule is "tree": the node it is for */
    const char *section; /* of the source */
    const char *label;   /* "branch misses": what the value is called */
    const char **metric; /* what is compared: "IPC", or a product "1 / IPC"; the first that is known
                          */
    struct advice_limit ok, bad; /* between them the source does not judge */
    struct advice_limit good;    /* the row speaks only where this holds, and praises */
    const char **also;       /* "Frontend_Stalls|frontend_stalled_cycles < 10%": all hold, too */
    int rank;                /* 1 is said first */
    const char *says, *fine; /* what it means to be over the limit; and to be fine */
    const char *next;        /* what to look at */
    const char **node, **group, **event; /* the first that the model has: to open, to watch, to
                                            sample; groups: all of them */
    const char **beside;                 /* metrics to name with the value */
    const char *command[ADVICE_VENDORS]; /* outside of tdtop */
};

struct advice {
    const char *name, *title, *origin;
    const char *vendor; /* it is for cores of this vendor only; or NULL */
    bool tree;          /* rule "tree" */
    struct advice_row *row;
    size_t n_row;
    const struct toml *words_; /* private: what nodes are called in a sentence; or NULL */
    struct toml_doc doc_;      /* private */
};

struct embedded;

/* Loads a built-in source. 0, -ENOENT (err lists the names), -EINVAL (file:line:column), -ENOMEM;
 * on failure nothing is left to free. */
int advice_load(struct advice *a, const char *source, struct err *err);
/* The same from a text; `name` is used in errors. */
int advice_load_text(struct advice *a, const char *text, size_t len, const char *name,
                     struct err *err);
void advice_free(struct advice *a);

/* What an event, node or command is on a model: the first that it has; or NULL. */
const char *advice_row_event(const struct model *m, const struct advice_row *row);
int advice_row_node(const struct model *m, const struct advice_row *row); /* or METRIC_NONE */
const char *advice_row_command(const struct model *m, const struct advice_row *row);

struct advice_source {
    char name[32], title[64], origin[128];
};
/* Lists the built-in sources, the default first; cap is room in out. Returns how many there are. */
int advice_sources(struct advice_source *out, int cap);

enum { ADVICE_PLAIN = 80 };
/* A node in plain words: "Waiting for DRAM", inside a sentence (`first` false) "waiting for DRAM".
 * Its name with blanks where the source has no words for it. Returns buf. */
const char *advice_plain(const struct advice *a, const struct metric *mt, bool first, char *buf,
                         size_t cap);

/* --- the sentence --- */

struct advice_change {
    double delta, relative;
    bool sure;
    int better; /* 1: for the better; -1: for the worse; 0: it is not known */
};

/* Values of the baseline: get returns false where there is none. get NULL: no baseline. */
struct advice_past {
    bool (*get)(void *user, int metric, double *v, double *err);
    void *user;
    const char *since; /* "since the baseline" */
    /* The difference of a node, signed, in its own unit and relative, and whether it is sure: what
     * a comparison says that is shown beside it. False: it says nothing. NULL: there is none, and
     * the ± of both decide. */
    bool (*judge)(void *user, int metric, struct advice_change *out);
    /* With judge: the largest change of all that is sure, or METRIC_NONE. */
    int (*largest)(void *user);
};
/* A `get` whose user is a const struct frame *. */
bool advice_past_frame(void *frame, int metric, double *v, double *err);

/* Keys as the user would press them; "" for none (batch output, a place where it does nothing).
 * They act on the row under the cursor, wherever that is: words say on what they are to be pressed,
 * and that `go` leads to the end of the path. */
struct advice_keys {
    const char *open, *doctor, *go;
    const char *where; /* shows the code of a node: no event need be named; "" or NULL: none does */
};

struct advice_input {
    const struct model *model;
    const struct frame *frame;
    const struct bottleneck *bottleneck; /* NULL: the frame's own */
    const struct advice_text *held; /* NULL, or what is said already: where the rule is "table",
                                       its row goes before others that are as bad */
    const struct explain *explain;  /* may be NULL */
    struct advice_past baseline;
    int pid;                        /* of the process that commands are for; 0: they say PID */
    const struct advice_keys *keys; /* NULL: Enter, 9, B */
    const bool *open;               /* [n_tree] nodes that are open on the screen; NULL: none */
    const int *cursor;              /* the node that it is on; NULL: none */
    bool over; /* the frame is of the past: what is not known there never will be */
    /* NULL, or: has it just become another value? Its ± is then over what was before, too. */
    bool (*moved)(void *user, int metric);
    void *moved_user;
};

enum advice_certainty {
    ADVICE_SURE,
    ADVICE_TIE,     /* two of level 1 are close to each other (bottleneck.h); both are named */
    ADVICE_UNSURE,  /* a limit lies within the value's ±, or a root is not known */
    ADVICE_CLEAR,   /* nothing is over its limit */
    ADVICE_UNKNOWN, /* what would be needed was not measured */
};

/* A piece of a sentence, and how long it is worth keeping where room is scarce. */
struct advice_clause {
    uint16_t at, len;
    uint8_t keep; /* larger: goes later */
    uint8_t flags;
};
enum { ADVICE_CLAUSES = 12 };

struct advice_text {
    char seen[200];  /* "Waiting for L3, 12.8% of clocks ± 0.9, up ... since the baseline" */
    char next[240];  /* "Open it (Enter) for Contested_Accesses and Data_Sharing; sample ..." */
    char source[48]; /* "toplev thresholds, TMA 5.2" */
    char who[40];    /* "perf-topdown says: ": goes first; "" where the tree's own rule speaks */
    int node;        /* what to select; METRIC_NONE */
    enum advice_certainty certainty;
    const struct advice_row *row_; /* private: of the table, or NULL */
    struct advice_clause seen_[ADVICE_CLAUSES], next_[ADVICE_CLAUSES]; /* private */
    uint8_t n_seen_, n_next_;
};

/* Fills every field of out. Texts are whole words; what finds no room is left out as a clause. */
void advice_make(const struct advice *a, const struct advice_input *in, struct advice_text *out);

/*
 * Brings the numbers of `now` into `t`, a text about the same, whose words stay as they are. A
 * clause with a number that `now` does not have is left out: no number is older than `now`. False,
 * with t unchanged, if that would be what the text is about.
 */
bool advice_refresh(struct advice_text *t, const struct advice_text *now);

enum advice_part { ADVICE_SEEN = 1, ADVICE_NEXT = 2, ADVICE_BOTH = 3 };

/*
 * The text, or a part of it, in one line of at most `columns`: clauses are left out, the least
 * telling first; words are never cut. "" where not even one word fits. Returns buf.
 */
const char *advice_fit(const struct advice_text *t, enum advice_part part, int columns, char *buf,
                       size_t cap);

#endif
