/* What the files of advice share; private to advice*.c. */
#ifndef TDTOP_MODEL_ADVICE_IMPL_H
#define TDTOP_MODEL_ADVICE_IMPL_H

#include "base/str.h"
#include "model/knowledge/advice.h"
#include "model/load/expr.h"

enum clause_flags {
    CLAUSE_TIED = 1, /* means nothing without the nearest clause before it that is not tied */
    CLAUSE_NAME = 2, /* begins with a name, whose first letter stays as it is */
};

/* How long clauses are kept: the value and the first step outlive all others. */
enum clause_keep {
    KEEP_VALUE = 100,
    KEEP_NUMBER = 96,
    KEEP_OTHER = 95, /* of a tie; what is near its threshold */
    KEEP_LACK = 88,
    KEEP_LIMIT = 85,
    KEEP_SINCE = 84, /* what a comparison says */
    KEEP_IDLE = 83,
    KEEP_STEP = 80,
    KEEP_HEAD = 70,
    KEEP_OF = 65,
    KEEP_LARGER = 64,
    KEEP_WARNING = 62,
    KEEP_CHANGE = 60,
    KEEP_DETAIL = 55,
    KEEP_ERR = 50,
    KEEP_SAMPLE = 48,
    KEEP_LONGER = 45,
    KEEP_BESIDE = 42,
    KEEP_COUNT = 38,
    KEEP_SAME = 33, /* no change */
    KEEP_COMMAND = 25,
};

/* A sentence as it grows, before it is known what finds room. */
struct draft {
    char text[2048];
    struct strbuf sb;
    struct advice_clause c[ADVICE_CLAUSES];
    int n, pid; /* what PID stands for in its words; 0: itself */
};

void draft_init(struct draft *d, int pid);
/* Adds a clause with its own punctuation in front: it is dropped where the clause comes first. */
void draft_add(struct draft *d, int keep, unsigned flags, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Copies what finds room into a text of cap bytes. Returns the number of clauses. */
uint8_t draft_settle(const struct draft *d, char *text, size_t cap, struct advice_clause *c);

struct work {
    const struct advice *a;
    const struct advice_input *in;
    const struct model *m;
    const struct frame *f;
    struct advice_keys keys;
    struct draft seen, next;
    struct advice_text *out;
    bool near;     /* a limit lies within the ± of a value: counting longer would tell */
    bool moved;    /* the same, but only because the value has just changed */
    bool compared; /* the change since the baseline is told */
};

void advice_by_tree(struct work *w);
void advice_by_table(struct work *w);

/* A value and its half width. */
struct reading {
    double v, err;
    bool share; /* shown in percent */
};

/* "12.8%" or "0.42"; returns buf. */
const char *advice_number(char *buf, size_t cap, double v, bool share);
/* " ± 0.9", where it is known and not too small to be seen. */
void advice_add_err(struct draft *d, const struct reading *r);
/* ", up 4.9 points since the baseline", where the change is sure (more than the ± of both). Of what
 * a comparison judges (advice_past.judge) only what is sure: advice_make adds the rest. */
void advice_add_change(struct work *w, const struct reading *now, const struct reading *then,
                       const struct advice_past *past, int node);
/* "; mostly idle: 0.02 CPUs busy", and what to do about it. */
bool advice_add_idle(struct work *w);
/* "; IPC 0.42, Threads 12": those of a list that are known, at most two. */
void advice_add_beside(struct work *w, const char **names);
void advice_add_command(struct work *w, const struct advice_row *row);
/* Does a key show the code that a node's event finds? */
static inline bool advice_shows_code(const struct work *w) {
    return w->keys.where && w->keys.where[0];
}
/* "; sample EVENT", where no key does it. Accepts NULL. */
void advice_add_sample(struct work *w, const char *event);
/* The first hint of the knowledge base for a node, else for the nearest one above; what it says
 * behind its first part goes before the rest of it does. */
void advice_add_hint(struct work *w, int node, int keep);
/* "A, B and C", or "A, B and 3 more". */
void advice_list_names(char *buf, size_t cap, const char *const *names, int n, int most);

/* The limit of a metric's own threshold: "> 0.05" of its name. False if it has no such part. */
bool advice_own_limit(const struct model *m, int metric, double *limit);

/* "> 5%", "<= 2" or "model": the metric's own threshold, which has op 'm'. text is borrowed. False
 * if it is none. */
bool advice_limit_parse(const char *text, struct advice_limit *out);

/* Is the value known, or could it become so: it waits for its turn, or to be looked at? Not what is
 * not to be had of this machine, recording or moment. */
bool advice_can_know(const struct work *w, int node);
bool advice_is_open(const struct work *w, int node); /* on the screen */

#endif
