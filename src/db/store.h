/*
 * The store of runs: one interface, behind it SQLite or PostgreSQL. Several processes may read and
 * write at once; one handle belongs to one thread at a time. docs/STORE.md has the tables, for who
 * reads them with SQL.
 *
 * Everything that can go wrong comes back as words (file, cause, remedy), and loses nothing: a run
 * that could not be saved is still the caller's, and can be saved into another file. Codes to act
 * on: -ENOENT not there, -EROFS read-only, -EACCES no permission, -ENOSPC disk full, -EBUSY locked
 * (the wait was given up), -EPROTO a newer (or, for a reader, an older) version, -EUCLEAN damaged
 * or no database, -EINVAL another program's database.
 */
#ifndef TDTOP_DB_STORE_H
#define TDTOP_DB_STORE_H

#include "model/run/run.h"

struct store {
    const struct store_ops *ops;
    void *impl;      /* private; NULL: not open */
    char path[4096]; /* the file, or the server without its password; after a failed open too */
    bool read_only;
};

enum store_mode {
    STORE_READ,   /* it must be there; nothing is written */
    STORE_WRITE,  /* made if it is not there, with its folder */
    STORE_KEEP,   /* as STORE_WRITE, and a server that cannot be used now is no failure */
    STORE_CHANGE, /* written, but it must be there: what is to be changed is in it */
};

/*
 * path NULL: $TDTOP_DB, else $XDG_DATA_HOME/tdtop/runs.db, else ~/.local/share/tdtop/runs.db.
 * postgresql://...: a server (libpq's address). What is saved there is on this host's disk first,
 * and waits while the server is gone: STORE_WRITE opens nevertheless (store_outbox). An
 * older file is migrated after a copy of it was put beside it (runs.db.vN.bak); a newer one is
 * refused. STORE_READ and STORE_CHANGE of a file that is not there, or STORE_READ of an empty one:
 * -ENOENT, there are no runs yet; it works in folders that cannot be written. A file that is moved
 * or removed while it is open is opened again by the next operation (STORE_WRITE: made again).
 */
int store_open(struct store *st, const char *path, enum store_mode mode, struct err *err);
/* Whether a store of that address (not NULL) is on a server. */
bool store_is_server(const char *address);
/* The same with `wait` (store_on_wait) from the beginning: opening may meet the lock, too. */
int store_open_waiting(struct store *st, const char *path, enum store_mode mode,
                       bool (*wait)(void *user, double waited_s), void *user, struct err *err);
void store_close(struct store *st); /* accepts a zeroed one */

/* Called while another process holds the lock, from 0.2 s on some times a second; true: go on
 * waiting. Without it a wait ends after 30 s. Readers never wait. */
void store_on_wait(struct store *st, bool (*wait)(void *user, double waited_s), void *user);

/* Saves in one transaction; it is on the disk when this returns. run->id must be set (run_new_id).
 * -EEXIST: it is in the store. -EINVAL: a label that run_label_check refuses. */
int store_save(struct store *st, const struct run *r, struct err *err);

/*
 * A run that is stored while it is measured, so that it takes no more memory the longer it lasts,
 * and is there up to the last call if the process is killed.
 */
struct store_growth { /* zeroed at first; store_growth_free */
    bool begun;       /* the run is in the store */
    uint32_t n_chunk; /* of it, for good: chunks and intervals, */
    uint64_t n_row;   /* run.n_stored */
    void *total_;     /* private: what was counted in them */
};
enum store_grow {
    GROW_MORE,    /* r->series stays in memory: the next call has it, and more */
    GROW_SETTLED, /* it goes: the next call has what comes behind it */
    GROW_DONE,    /* the run is over */
};
/*
 * r->series holds what is not in the store for good; all else is the whole run's. The run in the
 * store is then as r is, but labels, note and deletion that were changed there stay. As store_save,
 * but only GROW_DONE waits for another writer (-EBUSY else), and for the disk. -ENOENT: the run was
 * removed, or the file is another one now. After any failure g and the store are as they were.
 */
int store_grow(struct store *st, const struct run *r, enum store_grow how, struct store_growth *g,
               struct err *err);
void store_growth_free(struct store_growth *g);

/* Conditions on labels, all of which must hold; and what else narrows a list. */
enum label_op {
    LABEL_IS,      /* key=value */
    LABEL_IS_NOT,  /* key!=value; also runs without the key */
    LABEL_HAS,     /* key~text: contains, ignoring the case of ASCII letters */
    LABEL_EXISTS,  /* key */
    LABEL_MISSING, /* !key */
};
struct label_filter {
    char *key, *value;
    enum label_op op;
};
/* Parses "key=value", "key!=value", "key~text", "key", "!key". 0, -ENOMEM, -EINVAL with words. */
int label_filter_parse(const char *text, struct label_filter *f, struct err *err);
void label_filter_free(struct label_filter *f);

enum run_order { BY_TIME, BY_DURATION, BY_PROCESS, BY_MODEL, BY_METRIC };

struct run_query {
    const struct label_filter *filter;
    size_t n_filter;
    const char *process;        /* exact name, or NULL */
    const char *text;           /* anywhere in process, target, note, model, bottleneck, or a label
                                   as "key=value", ignoring the case of ASCII letters; NULL */
    int64_t since_ns, until_ns; /* CLOCK_REALTIME of the begin, both included; 0: no limit */
    bool removed;               /* the deleted runs instead of the others: BY_TIME is then the
                                   time of their deletion, as "@N" of store_find_deleted counts */
    const char *metric;         /* name or path, or RUN_ELAPSED, of which `value` is wanted in
                                   each row; or NULL */
    const char **keys;          /* labels wanted in each row, NULL terminated; or NULL: all */
    bool without_top;           /* row.top and bottleneck_share are not wanted: NAN */
    bool without_share;         /* row.bottleneck_share alone is not */
    enum run_order order;       /* newest, longest, highest first; those without the metric last */
    const char *by;             /* of BY_METRIC: the metric, where it is not `metric`; or NULL */
    bool ascending;             /* the other way round */
    uint64_t skip, limit;       /* limit 0: all */
};

/* One line of a list. */
struct run_row {
    char id[RUN_ID_LEN + 1];
    int64_t begun_ns;
    int64_t removed_ns; /* when it was deleted, CLOCK_REALTIME; 0: it was not */
    uint64_t duration_ns;
    uint64_t n_interval;
    char *process, *target, *model, *note, *bottleneck;
    int level;
    bool simulated, system_wide;
    bool unfinished;         /* still measured, or killed: RUN_UNFINISHED */
    double value, value_se;  /* of query.metric; NAN */
    double bottleneck_share; /* NAN: none, not known, or not wanted */
    struct run_label *label;
    size_t n_label;
    double top[4]; /* Frontend_Bound, Bad_Speculation, Backend_Bound, Retiring; NAN */
};
/* The value of a label among those that were asked for (run_query.keys); NULL: it has none. */
const char *run_row_label(const struct run_row *row, const char *key);
struct run_list {
    struct run_row *row;
    size_t n;
    uint64_t total; /* that match, whatever the limit */
    bool more;      /* there are more: a server counts up to STORE_COUNTED, and keeps a count of all
                       runs alone */
    bool newest;    /* with a limit, by a metric that has no index: those are sorted that are the
                       newest `total` of more */
    void *arena_;   /* private */
};
enum { STORE_COUNTED = 5000 };
int store_list(struct store *st, const struct run_query *q, struct run_list *out, struct err *err);
void run_list_free(struct run_list *l);

/*
 * Runs that were evaluated again are one measurement, and count once: takes the rows out of a list
 * that another row of it has evaluated again. The list must have been asked for with the label
 * RUN_REEVAL_OF. Returns how many were taken out, or -ENOMEM.
 */
long run_latest(struct run_list *list);
/*
 * The same, each row as it is read and only while `each` has it, so that memory does not grow with
 * their number. each returns 0, or a negative errno, which ends the list. Rows before a failure
 * were given. The store is being read meanwhile: each asks nothing of it.
 */
typedef int run_each(void *user, const struct run_row *row);
int store_list_each(struct store *st, const struct run_query *q, run_each *each, void *user,
                    struct err *err);

/* Runs that have the same value of a label. */
struct run_group {
    char *value; /* NULL: those without the label, the last group */
    uint64_t n;
};
struct run_group_list {
    struct run_group *group;
    size_t n;
    uint64_t total; /* runs */
    bool newest;    /* of more: as of a list */
    void *arena_;   /* private */
};
/* The runs of a query by the value of a label: in order of the values, numbers in them by size.
 * What the query says of order, skip, limit and columns is not used. */
int store_groups(struct store *st, const struct run_query *q, const char *key,
                 struct run_group_list *out, struct err *err);
void run_group_list_free(struct run_group_list *l);

/* How many runs of the query come before this one in its order, whatever its skip and limit.
 * -ENOENT: it is not among them; on a server also if STORE_COUNTED or more come before it. */
int store_place(struct store *st, const struct run_query *q, const char *id, uint64_t *place,
                struct err *err);

/* The full id of a unique prefix, or of "@N", the N-th newest ("@0") by when it was measured, not
 * imported. -ENOENT; -EINVAL where it is not an id, or more than one begins so: err names them. */
int store_find(struct store *st, const char *prefix, char id[RUN_ID_LEN + 1], struct err *err);
/* The same of those that were deleted; "@0" is the one that was deleted last. */
int store_find_deleted(struct store *st, const char *prefix, char id[RUN_ID_LEN + 1],
                       struct err *err);

enum run_parts {
    RUN_HEAD = 0,        /* identity, labels, facts, marks, nodes: what compare needs */
    RUN_MODEL = 1 << 0,  /* model_text */
    RUN_COUNTS = 1 << 1, /* events, layout and series */
    RUN_SAMPLES = 1 << 2,
    RUN_ALL = RUN_MODEL | RUN_COUNTS | RUN_SAMPLES,
};
/* What is not wanted is empty. -ENOENT, also for a deleted one; -EUCLEAN. */
int store_load(struct store *st, const char *id, unsigned parts, struct run *out, struct err *err);

/* What is saved, deleted or undeleted between begin and end is so all, or none of it: rc < 0 takes
 * it back. Others wait meanwhile. end returns rc, or why it could not be. */
int store_batch_begin(struct store *st, struct err *err);
int store_batch_end(struct store *st, int rc, struct err *err);

/* A user's label over an automatic one covers it; when it is taken off the automatic one is back
 * (run_label_set). */
struct label_change {
    const char *key, *value; /* value NULL: the label is taken off */
};
/* All of it in one transaction; note NULL: as it is. What was checked fails before anything is
 * changed: -EINVAL. */
int store_edit(struct store *st, const char *id, const struct label_change *change, size_t n,
               const char *note, struct err *err);
int store_note(struct store *st, const char *id, const char *note, struct err *err);
/* A deleted run is only marked: it can be undeleted, by any process, until store_prune runs. */
int store_delete(struct store *st, const char *id, struct err *err);
int store_undelete(struct store *st, const char *id, struct err *err);

/* For completion: keys used so far, or values of a key, most used and newest first. words is
 * malloc'ed, NULL terminated, as are the texts. */
int store_words(struct store *st, const char *key, const char *prefix, size_t limit, char ***words,
                struct err *err);
void store_words_free(char **words);

struct store_stats {
    uint64_t n_run, n_deleted, n_interval, n_model; /* intervals of runs that are not deleted */
    uint64_t bytes, free_bytes;                     /* of the file */
    int version;
    bool about; /* n_interval is an estimate, from a sample of the runs */
};
/* A cell of a row of store_sql. Text is borrowed until the row is over, and not safe for a
 * terminal; of bytes only their number is given. */
enum store_cell_kind { CELL_NULL, CELL_INTEGER, CELL_REAL, CELL_TEXT, CELL_BYTES };
struct store_cell {
    enum store_cell_kind kind;
    int64_t integer;
    double real;
    const char *text;
    size_t n;
};
struct store_rows {
    void (*head)(void *user, const char *const *name, int n);      /* once, before the rows */
    bool (*row)(void *user, const struct store_cell *cell, int n); /* false: no more are wanted */
    void *user;
};
/* The rows of one SELECT, over the tables and views of docs/STORE.md. 0, -EINVAL: SQL says why not,
 * -EPERM: it does more than to read; and others. */
int store_sql(struct store *st, const char *sql, const struct store_rows *to, struct err *err);

int store_stats(struct store *st, struct store_stats *out, struct err *err);
/* What is on its way to the server of a store that is written; of others nothing is. */
struct store_outbox {
    size_t waiting; /* runs on this host until it takes them */
    size_t sent;    /* that had waited, and are there since this was last asked */
    struct err why; /* it did not take the last one; code 0: it was not asked */
};
void store_outbox(struct store *st, struct store_outbox *out);
/* Sends it now; saving does, too. 0, or why the first that waits could not be. */
int store_send(struct store *st, struct err *err);
/* All that wait beside the user's own store, by the server (its name for people) and the folder
 * that they are in. */
void store_outboxes(void (*each)(void *user, const char *folder, const char *server, size_t n),
                    void *user);
/* Whether path is such a folder; and its runs into another store: those that are there go from it.
 * 0 or the first failure with words. */
bool store_is_outbox(const char *path);
int store_outbox_move(const char *folder, struct store *to, uint64_t *n, struct err *err);
/* Whether path is a file, whose changes the file system tells. */
bool store_is_file(const struct store *st);
/* Of a server: another number after any change of what is stored. */
int store_stamp(struct store *st, int64_t *stamp, struct err *err);
/* Reads everything, and calls problem (may be NULL) for all that is wrong. Returns how many, or a
 * negative errno. */
int store_check(struct store *st, void (*problem)(void *user, const char *text), void *user,
                struct err *err);
int store_vacuum(struct store *st, struct err *err);
/* What a prune would take, or took. */
struct store_prune {
    uint64_t n, n_removed;        /* runs; of them, those that were deleted before */
    int64_t oldest_ns, newest_ns; /* CLOCK_REALTIME of their begins; 0 where there are none */
};
/* Removes deleted runs, and (older_than_ns > 0) runs begun before. */
int store_prune(struct store *st, int64_t older_than_ns, bool dry_run, struct store_prune *out,
                struct err *err);

#endif
