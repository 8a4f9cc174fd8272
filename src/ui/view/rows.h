/*
 * The rows of the threads and CPUs views: which units there are, in which order, which of them pass
 * the filter and which is selected. Knows no canvas. It has a copy of the newest table, so that
 * what is shown stands still while counting goes on. Memory is taken when there are more units than
 * ever before, never while drawing.
 */
#ifndef TDTOP_UI_ROWS_H
#define TDTOP_UI_ROWS_H

#include "model/eval/eval.h"
#include "model/eval/units.h"
#include "model/load/model.h"
#include "ui/draw/fade.h"
#include "ui/draw/list.h"
#include "ui/scene/search.h"

/* Which numbers of which rows have just moved (fade.h): found by the number of the thread or CPU,
 * as rows change places; of a fixed number of rows, the one that was not seen for longest makes
 * room. */
struct rows_moves {    /* private */
    int32_t *id;       /* [MOVES_ROWS] owned */
    uint64_t *seen_ns; /* [MOVES_ROWS] owned; 0: nobody has this place */
    struct fade *at;   /* [MOVES_ROWS][n_column] owned */
    int n_column;
};

int rows_moves_init(struct rows_moves *m, int n_column); /* 0 or -ENOMEM */
void rows_moves_destroy(struct rows_moves *m);           /* accepts a zeroed one */
void rows_moves_forget(struct rows_moves *m);            /* other rows from now on */

/* The values of that id, one for each column, made where it is new. Never NULL after init. */
struct fade *rows_moves_of(struct rows_moves *m, int32_t id, uint64_t now_ns);
/* The same, or NULL if nothing is known of it. */
const struct fade *rows_moves_find(const struct rows_moves *m, int32_t id);

/* The last minute of some rows, a cell for each 2 s; the row that was not noted for longest makes
 * room. Cells of other times, and those that nobody saw, are not known. */
enum { STRIP_CELLS = 30, GONE_MAX = 64, ROWS_KEPT = 64 /* are counted also while nobody looks */ };

struct strip_cell {
    uint32_t bucket; /* the time it is of; 0: none */
    float busy_s, covered_s;
    float part[4]; /* by role: CPU seconds weighted with the share */
};

struct strip {
    int32_t id;
    uint32_t newest;   /* bucket; 0: nobody has this place */
    uint64_t noted_ns; /* end of the newest interval in it */
    struct strip_cell cell[STRIP_CELLS];
};

/* A thread that has ended: its row stays for a minute, without numbers. */
struct rows_gone {
    struct unit_row row;
    uint64_t ended_ns; /* 0: free */
};

enum rows_kind { ROWS_THREADS, ROWS_CPUS, ROWS_KINDS };

enum row_field {
    FIELD_ID, /* thread or CPU */
    FIELD_NAME,
    FIELD_BUSY,   /* CPU time per time: 1 = one CPU */
    FIELD_LOST,   /* that part of it whose slots were not useful: rows add up to the whole */
    FIELD_METRIC, /* a root of the tree, or IPC */
    FIELD_DUTY,
};

struct row_column {
    enum row_field field;
    int metric; /* of FIELD_METRIC; of FIELD_LOST the useful share; else METRIC_NONE */
};

enum { ROWS_ROOTS = 16, ROWS_COLUMNS = ROWS_ROOTS + 6 };

struct rows {
    struct row_column column[ROWS_COLUMNS];
    int n_column;

    /* What the user wants to see. */
    enum rows_kind kind;
    int chosen[ROWS_KINDS]; /* column: threads are sorted by it, the map of CPUs shows it */
    bool inverted;          /* threads: the other way round than the column does by itself */
    struct search filter;   /* threads: part of the name */

    /* What is there. */
    struct unit_table table; /* copy of the newest, both kinds; n == 0: none yet */
    double busy;             /* sum over the rows of the kind, as FIELD_BUSY */
    uint32_t *order;         /* [n_order] rows of the kind in their order */
    uint32_t *shown;         /* [n_shown] those of them that pass the filter */
    uint32_t n_order, n_shown;
    double *key; /* [table.n] what the chosen column says of a row; NAN = unknown */

    /* What is seen of it: places in `shown`. The selection stays on the unit that was chosen. */
    struct list list;
    int32_t selected_id;
    bool brief; /* set by the view: of a row only the chosen column is seen */

    /* private */
    uint64_t since_ns, sorted_ns;
    struct rows_moves moves;
    struct strip *strip; /* [MOVES_ROWS] owned */
    struct rows_gone gone[GONE_MAX];
    struct sample sample; /* one row */
    struct frame frame;
    uint32_t *scratch; /* [cap] for sorting */
    int32_t *was;      /* [cap] ids in their order before */
    uint32_t *bucket;  /* [n_bucket] place + 1 by id; 0 = empty */
    uint32_t cap, n_bucket;
};

/* n_slot: of the session's layout. 0 or -ENOMEM. */
int rows_init(struct rows *r, const struct model *m, uint32_t n_slot);
void rows_destroy(struct rows *r); /* accepts a zeroed one */

/*
 * Shows rows of this kind from now on. What is there is kept if it belongs to the interval that
 * ended at now_ns; later tables are taken, earlier ones are of another time.
 */
void rows_begin(struct rows *r, enum rows_kind kind, uint64_t now_ns, struct eval *ev);
/* Takes a table that has not been seen. Rows are sorted anew at most once a second, so that they
 * can be read. Not shown: nobody looks, only their past is noted. 0 or -ENOMEM: the old rows stay.
 */
int rows_update(struct rows *r, const struct unit_table *t, bool shown, struct eval *ev);

/* Chooses the next column that the kind can have (step 1) or the one before (-1); or that column.
 */
void rows_step(struct rows *r, int step, struct eval *ev);
void rows_choose(struct rows *r, int column, struct eval *ev);
void rows_invert(struct rows *r, struct eval *ev);
/* True if the largest are on top: numbers do by themselves, names and ids do not. */
bool rows_descend(const struct rows *r);
/* After the text of the filter has changed. */
void rows_filter(struct rows *r);

/* The unit at a place of `shown`, or NULL. */
const struct unit_row *rows_at(const struct rows *r, int at);
/* Its values, until the next call; NULL if it did not run, so that nothing is known of it. */
const struct frame *rows_eval(struct rows *r, int at, struct eval *ev);
/* Duty of a unit's counters; NAN if it did not run. */
double rows_duty(const struct unit_row *row);
/* Which way a number of the unit at that place has just moved, by more than its CPU time explains.
 */
struct fade_mark rows_moved(const struct rows *r, int at, int column);
/* CPU time per time of a unit in the cell `back` cells before now, and the role that it has its
 * hue of: the largest loss, or ROLE_RETIRING where more than half was of use; ROLE_NONE: not known.
 * NAN: nobody saw it. */
double rows_strip(const struct rows *r, const struct unit_row *row, int back,
                  enum metric_role *role);
/* When a thread ended whose row is only kept; 0: it is counted. */
uint64_t rows_gone_ns(const struct rows *r, const struct unit_row *row);
/* Its CPU time per time. */
double rows_busy(const struct rows *r, const struct unit_row *row);

#endif
