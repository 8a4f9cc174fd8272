/*
 * SQLite behind the store: what its files share. An operation is one transaction:
 *
 *   int rc = sq_begin(sq, "saving a run", SQ_WRITES, err);
 *   if (rc == 0)
 *       rc = ...sq_run(sq, err, "INSERT ...", "it", ...)...
 *   return sq_end(sq, rc, err);
 *
 * Every failure of SQLite becomes words in one place (sq_fail): which file, what was being done,
 * the cause, the remedy.
 */
#ifndef TDTOP_DB_STORE_SQLITE_H
#define TDTOP_DB_STORE_SQLITE_H

#include "db/store_ops.h"

#include <sqlite3.h>
#include <sys/stat.h>

enum { SQ_APPLICATION_ID = 0x74647470 }; /* "tdtp", in the header of the file */
#define SQ_CACHE_KB "16384"              /* of pages that are kept */
enum { SQ_LIMIT_S = 300 };               /* of CPU time that an operation takes at most */

struct pick;   /* which runs: store_sqlite_list.c */
struct values; /* one metric of all runs: store_sqlite_list.c */

/* One version to the next: statements, ended by NULL. */
struct sq_step {
    const char *const *sql;
    bool adds_only; /* what a reader can do without: it reads an older file as it is */
};

/* Ends a statement that does not end by itself. */
struct sq_watch {
    double limit_s; /* CPU time of this thread; 0: none */
    double begin_s;
    bool hears; /* INT, TERM or HUP end it, too */
};

struct sq {
    sqlite3 *db;
    char *path;
    const char *doing; /* in words: "saving a run" */
    bool read_only;
    bool immutable;   /* opened as a file that does not change: its folder cannot be written */
    struct stat seen; /* the file when it was opened; private to store_sqlite.c */
    const struct sq_step *steps;
    int version;          /* of this program: steps[version - 1] was the last */
    int64_t file_version; /* of the file, as the operation at hand found it */
    bool in_transaction;
    bool in_batch; /* of several operations: sq_begin and sq_end are the batch's */

    bool (*wait)(void *user, double waited_s);
    void *wait_user;
    uint64_t waited_ns, asked_ns; /* of this wait; when `wait` was last asked */
    bool impatient;               /* do not wait now */

    struct sq_watch watch;  /* of the operation at hand */
    int64_t schema_version; /* the tables are those that they must be, since; -1: not looked */
    bool terse;             /* sq_damaged: without file and remedy, for lists of problems */

    const struct pick *pick;     /* what the SQL function picked(run) answers from */
    const struct values *values; /* what value_of(run) answers from */
};

enum sq_mode { SQ_READS, SQ_WRITES };

/* Of version 2 on: automatic labels that one of the user covers. */
enum { SQ_HAS_COVERED = 2, SQ_HAS_KINDS = 2 };
/* Of version 3 on: sums of a run's rows. */
enum { SQ_HAS_SUMS = 3 };
/* Of version 4 on: samples. */
enum { SQ_HAS_HOT = 4 };
/* Of version 5 on: branch records of samples. */
enum { SQ_HAS_BRANCHES = 5 };

/* Of version 6 on: accesses to memory of samples. */
enum { SQ_HAS_ACCESSES = 6 };

/* store_sqlite_sql.c: as store_sql. */
int sq_sql(void *impl, const char *sql, const struct store_rows *to, struct err *err);

/* store_sqlite.c. steps[i] leads from version i to i + 1; n is the version of this program. */
int sq_open(struct sq **sq, const char *path, enum store_mode mode, const struct sq_step *steps,
            int n, struct err *err);
void sq_close(struct sq *sq);
/* Opens again where the file of that name is another one now, or was opened as unchanging and has
 * changed. */
int sq_refresh(struct sq *sq, struct err *err);

/* store_sqlite_intervals.c: the table run_intervals for this connection. Returns SQLite's code. */
int sq_add_intervals(struct sq *sq);

/* store_sqlite_list.c: picked(run) and value_of(run) for this connection. */
int sq_add_functions(struct sq *sq);

extern const struct sq_step sq_steps[];

/* Refuses a file that a newer program has migrated since it was opened. */
int sq_check_version(struct sq *sq, struct err *err);

/* store_sqlite_call.c: waiting */
int sq_busy(void *sq, int n); /* for sqlite3_busy_handler */
void sq_wait_reset(struct sq *sq);
/* Statements of this connection end with SQLITE_INTERRUPT beyond watch->limit_s of CPU time, and
 * after a second where a signal that this thread blocks asks for the end. */
void sq_watch_open(sqlite3 *db, struct sq_watch *watch);
void sq_watch_reset(struct sq_watch *watch, double limit_s);

/* Words of failures: err from what SQLite last said. Returns a negative errno. */
int sq_fail(const struct sq *sq, struct err *err);
/* The same from a code, where the handle says nothing or too much. */
int sq_fail_code(const struct sq *sq, int code, int system, const char *said, struct err *err);
/* What is in the file cannot be: -EUCLEAN. */
int sq_damaged(const struct sq *sq, struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The path, its middle left out where it is too long for a message. */
const char *sq_name(const char *path, char *buf, size_t cap);

/* Transactions, binding, rows. */
int sq_begin(struct sq *sq, const char *doing, enum sq_mode mode, struct err *err);
/* The same without looking whether the file is still the one that was opened. */
int sq_begin_here(struct sq *sq, const char *doing, enum sq_mode mode, struct err *err);
/* Where each page is needed once or so, those of all runs need not be kept. */
void sq_keep_few(struct sq *sq, bool few);
int sq_end(struct sq *sq, int rc, struct err *err); /* commits if rc >= 0; returns rc, or why not */
/* Binds by a letter each: i int64_t, d double (NAN: NULL), t const char * (NULL: NULL), b const
 * void * and size_t, - NULL. */
int sq_prepare(struct sq *sq, sqlite3_stmt **stmt, struct err *err, const char *sql,
               const char *types, ...);
void sq_bind(sqlite3_stmt *stmt, const char *types, ...);        /* resets it first */
int sq_step(struct sq *sq, sqlite3_stmt *stmt, struct err *err); /* 1: a row; 0: done */
/* Binds and runs to the end. */
int sq_put(struct sq *sq, sqlite3_stmt *stmt, struct err *err, const char *types, ...);
/* Prepares, binds and runs to the end. */
int sq_run(struct sq *sq, struct err *err, const char *sql, const char *types, ...);
/* The first column of the first row; -ENOENT without words if there is none. */
int sq_number(struct sq *sq, int64_t *out, struct err *err, const char *sql, const char *types,
              ...);
/* One more than the last row of runs: how long an array by row is. */
int sq_rows(struct sq *sq, int64_t *n, struct err *err);

double sq_real(sqlite3_stmt *stmt, int column);      /* NULL: NAN */
char *sq_text(sqlite3_stmt *stmt, int column);       /* malloc'ed; NULL: "". NULL: no memory */
const char *sq_peek(sqlite3_stmt *stmt, int column); /* valid until the next step; never NULL */

/* The operations: store_sqlite_save.c, _load.c, _list.c, _care.c */
int sq_save(void *impl, const struct run *r, struct err *err);
int sq_grow(void *impl, const struct run *r, enum store_grow how, struct store_growth *g,
            struct err *err);
int sq_list(void *impl, const struct run_query *q, run_each *each, void *user, struct run_list *out,
            struct err *err);
int sq_groups(void *impl, const struct run_query *q, const char *key, struct run_group_list *out,
              struct err *err);
int sq_place(void *impl, const struct run_query *q, const char *id, uint64_t *place,
             struct err *err);
int sq_find(void *impl, const char *prefix, bool deleted, char id[RUN_ID_LEN + 1], struct err *err);
int sq_load(void *impl, const char *id, unsigned parts, struct run *out, struct err *err);
/* In the transaction at hand, and deleted ones too. */
int sq_load_here(struct sq *sq, const char *id, unsigned parts, struct run *out, struct err *err);
int sq_batch_begin(void *impl, struct err *err);
int sq_batch_end(void *impl, int rc, struct err *err);
int sq_edit(void *impl, const char *id, const struct label_change *change, size_t n,
            const char *note, struct err *err);
int sq_mark_deleted(void *impl, const char *id, bool deleted, struct err *err);
int sq_words(void *impl, const char *key, const char *prefix, size_t limit, char ***words,
             struct err *err);
int sq_stats(void *impl, struct store_stats *out, struct err *err);
int sq_check(void *impl, void (*problem)(void *user, const char *text), void *user,
             struct err *err);
int sq_vacuum(void *impl, struct err *err);
int sq_prune(void *impl, int64_t older_than_ns, bool dry_run, struct store_prune *out,
             struct err *err);

#endif
