/*
 * PostgreSQL behind the store: what its files share. A run is one row: what lists ask for in
 * columns, and all of it as bytes, the SQLite store of that run alone (pg_image). So there is one
 * way to keep a run whole, and SQL here is only what finds it.
 *
 * libpq is loaded when a store is named by postgresql://. Every failure becomes words in one place
 * (pg_fail). What is to be saved is first on this host's disk (outbox.h), then on the server.
 */
#ifndef TDTOP_DB_STORE_POSTGRES_H
#define TDTOP_DB_STORE_POSTGRES_H

#include "db/outbox.h"
#include "db/store_ops.h"

#include <jansson.h>
#include <libpq-fe.h>

enum { PG_VERSION = 1 }; /* of the tables: steps in store_postgres.c */

/* A run that is stored while it is measured: until it is over its file is locked. */
struct pg_growing {
    char id[RUN_ID_LEN + 1];
    struct outbox_item file;
};

struct pg {
    PGconn *link;      /* NULL: none at the moment */
    char *dsn;         /* as it was given, a password with it */
    const char *path;  /* the same without, for people; borrowed from the store */
    const char *doing; /* in words: "saving a run" */
    char said[240];    /* the server's words of the last failure */
    enum store_mode mode;
    bool is_checked; /* the tables are those that they must be */
    bool in_batch;
    bool ends;         /* a signal ends what is being done: it changes nothing */
    size_t sent;       /* runs that had waited; until somebody asks */
    uint64_t again_ns; /* it does not answer: saving does not try before */
    struct err unsent; /* why the last one that was to be sent waits */
    struct outbox outbox;
    ARRAY(struct pg_growing) growing;
};

/* ---- store_postgres_call.c: libpq ---- */

/* Connects where it is not connected. 0 or negative errno with words: -EHOSTUNREACH, there is no
 * server; -EACCES, it refuses the user. */
int pg_connect(struct pg *pg, struct err *err);
void pg_disconnect(struct pg *pg);

/* An answer of the server: texts, but for pg_ask_bytes. */
struct pg_rows {
    PGresult *result; /* private; pg_rows_free */
    int n, columns;
};
void pg_rows_free(struct pg_rows *rows); /* accepts a zeroed one */
/*
 * One statement. Parameters by a letter each: i int64_t, t const char * (NULL: NULL; what is no
 * UTF-8 becomes '?'), b const void * and size_t. 0 or a negative errno with words.
 */
int pg_ask(struct pg *pg, struct pg_rows *rows, struct err *err, const char *sql, const char *types,
           ...);
/* The same, and columns are the bytes that a column of bytea or text has. */
int pg_ask_bytes(struct pg *pg, struct pg_rows *rows, struct err *err, const char *sql,
                 const char *types, ...);
/* The same of a statement without rows. */
int pg_do(struct pg *pg, struct err *err, const char *sql, const char *types, ...);
/* The first column of the first row; -ENOENT without words if there is none. */
int pg_number(struct pg *pg, int64_t *out, struct err *err, const char *sql, const char *types,
              ...);
const char *pg_peek(const struct pg_rows *rows, int row, int column); /* NULL: "" */
size_t pg_length(const struct pg_rows *rows, int row, int column);
bool pg_is_null(const struct pg_rows *rows, int row, int column);
int64_t pg_integer(const struct pg_rows *rows, int row, int column); /* NULL: 0 */
double pg_real(const struct pg_rows *rows, int row, int column);     /* NULL: NAN */
unsigned pg_type(const struct pg_rows *rows, int column);            /* its Oid */
const char *pg_column(const struct pg_rows *rows, int column);
enum { PG_BYTES = 17 }; /* the Oid of bytea: pg_type.dat of PostgreSQL */

/* Parameters that are collected while a statement is written. */
enum { PG_PARAMS = 40 };
struct pg_params {
    int n;
    const char *text[PG_PARAMS]; /* borrowed */
    char number[PG_PARAMS][32];
};
int pg_param_text(struct pg_params *p, const char *text); /* its number, from 1; 0: too many */
int pg_param_number(struct pg_params *p, int64_t number);
int pg_ask_with(struct pg *pg, struct pg_rows *rows, struct err *err, const char *sql,
                const struct pg_params *p);

/* A transaction; within a batch it is the batch's. pg_end returns rc, or why it could not. */
int pg_begin(struct pg *pg, const char *doing, struct err *err);
/* The same to read: all of it from one state of the store. */
int pg_begin_reading(struct pg *pg, const char *doing, struct err *err);
int pg_end(struct pg *pg, int rc, struct err *err);
/* Until its end. Who saves, labels or removes a run shares PG_LOCK_WORDS; who does so with many has
 * it alone, so that each may take rows of `words` in its own order. */
enum pg_lock { PG_LOCK_TABLES, PG_LOCK_MONTH, PG_LOCK_WORDS };
int pg_lock(struct pg *pg, enum pg_lock which, bool shared, struct err *err);

/* ---- store_postgres.c ---- */

bool pg_saves(const struct pg *pg); /* opened to save runs */
/* Connected, and with tables of this version. 0 or negative errno with words. */
int pg_ready(struct pg *pg, struct err *err);

/* ---- store_postgres_save.c ---- */

int pg_save(void *impl, const struct run *r, struct err *err);
int pg_grow(void *impl, const struct run *r, enum store_grow how, struct store_growth *g,
            struct err *err);
int pg_load(void *impl, const char *id, unsigned parts, struct run *out, struct err *err);
int pg_edit(void *impl, const char *id, const struct label_change *change, size_t n,
            const char *note, struct err *err);
int pg_batch_begin(void *impl, struct err *err);
int pg_batch_end(void *impl, int rc, struct err *err);
/* Deleted ones too. */
int pg_load_any(struct pg *pg, const char *id, unsigned parts, struct run *out, struct err *err);
void pg_grow_end(struct pg *pg); /* what grows waits from now on */
/* As store_send; pg->unsent says why one could not be, too. */
int pg_send_waiting(void *impl, struct err *err);
/* A text as JSON; what is no UTF-8 becomes '?'. NULL: no memory. */
json_t *pg_json_text(const char *text);

/* ---- store_postgres_list.c ---- */

int pg_list(void *impl, const struct run_query *q, run_each *each, void *user, struct run_list *out,
            struct err *err);
int pg_groups(void *impl, const struct run_query *q, const char *key, struct run_group_list *out,
              struct err *err);
int pg_place(void *impl, const struct run_query *q, const char *id, uint64_t *place,
             struct err *err);
int pg_find(void *impl, const char *prefix, bool deleted, char id[RUN_ID_LEN + 1], struct err *err);
int pg_words(void *impl, const char *key, const char *prefix, size_t limit, char ***words,
             struct err *err);
int pg_sql(void *impl, const char *sql, const struct store_rows *to, struct err *err);

#endif
