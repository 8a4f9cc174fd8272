/* libpq: loaded when it is needed, its failures in words, statements and their parameters. */
#include "base/libraries.h"
#include "base/str.h"
#include "base/thread.h"
#include "db/store_postgres.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the library --- */

/* What is used of it. */
static struct {
    __typeof__(PQconninfoParse) *parse;
    __typeof__(PQconninfoFree) *parse_free;
    __typeof__(PQfreemem) *freemem;
    __typeof__(PQconnectdbParams) *connect;
    __typeof__(PQfinish) *finish;
    __typeof__(PQstatus) *status;
    __typeof__(PQerrorMessage) *message;
    __typeof__(PQsocket) *socket;
    __typeof__(PQsetNoticeProcessor) *notice;
    __typeof__(PQsendQueryParams) *send;
    __typeof__(PQgetResult) *get;
    __typeof__(PQconsumeInput) *consume;
    __typeof__(PQisBusy) *busy;
    __typeof__(PQgetCancel) *get_cancel;
    __typeof__(PQcancel) *cancel;
    __typeof__(PQfreeCancel) *free_cancel;
    __typeof__(PQresultStatus) *result_status;
    __typeof__(PQresultErrorField) *error_field;
    __typeof__(PQclear) *clear;
    __typeof__(PQntuples) *n_row;
    __typeof__(PQnfields) *n_column;
    __typeof__(PQfname) *column_name;
    __typeof__(PQftype) *column_type;
    __typeof__(PQgetvalue) *value;
    __typeof__(PQgetlength) *length;
    __typeof__(PQgetisnull) *is_null;
    __typeof__(PQcmdTuples) *changed;
    __typeof__(PQcmdStatus) *command;
    __typeof__(PQconndefaults) *defaults;
} pq;
static pthread_mutex_t pq_lock = PTHREAD_MUTEX_INITIALIZER;

static int load(struct err *err) {
    const struct library_function functions[] = {{"PQconninfoParse", &pq.parse},
                                                 {"PQconninfoFree", &pq.parse_free},
                                                 {"PQfreemem", &pq.freemem},
                                                 {"PQconnectdbParams", &pq.connect},
                                                 {"PQfinish", &pq.finish},
                                                 {"PQstatus", &pq.status},
                                                 {"PQerrorMessage", &pq.message},
                                                 {"PQsocket", &pq.socket},
                                                 {"PQsetNoticeProcessor", &pq.notice},
                                                 {"PQsendQueryParams", &pq.send},
                                                 {"PQgetResult", &pq.get},
                                                 {"PQconsumeInput", &pq.consume},
                                                 {"PQisBusy", &pq.busy},
                                                 {"PQgetCancel", &pq.get_cancel},
                                                 {"PQcancel", &pq.cancel},
                                                 {"PQfreeCancel", &pq.free_cancel},
                                                 {"PQresultStatus", &pq.result_status},
                                                 {"PQresultErrorField", &pq.error_field},
                                                 {"PQclear", &pq.clear},
                                                 {"PQntuples", &pq.n_row},
                                                 {"PQnfields", &pq.n_column},
                                                 {"PQfname", &pq.column_name},
                                                 {"PQftype", &pq.column_type},
                                                 {"PQgetvalue", &pq.value},
                                                 {"PQgetlength", &pq.length},
                                                 {"PQgetisnull", &pq.is_null},
                                                 {"PQcmdTuples", &pq.changed},
                                                 {"PQcmdStatus", &pq.command},
                                                 {"PQconndefaults", &pq.defaults}};
    if (pq.defaults)
        return 0;
    const int rc =
        library_load(LIBRARY_PQ, functions, sizeof(functions) / sizeof(functions[0]), err);
    if (rc < 0)
        err_prefix(err, "postgresql://");
    return rc;
}

static int load_once(struct err *err) {
    pthread_mutex_lock(&pq_lock);
    const int rc = load(err);
    pthread_mutex_unlock(&pq_lock);
    return rc;
}

/* --- names --- */

static const char *option(const PQconninfoOption *all, const char *keyword) {
    for (const PQconninfoOption *o = all; o && o->keyword; o++)
        if (strcmp(o->keyword, keyword) == 0 && o->val && *o->val)
            return o->val;
    return NULL;
}

static const char *option_or(const PQconninfoOption *all, const PQconninfoOption *usual,
                             const char *keyword) {
    const char *given = option(all, keyword);
    return given ? given : option(usual, keyword);
}

/* Two addresses of one server have one name as far as libpq tells: runs wait for it by that. */
static void write_name(const PQconninfoOption *all, const PQconninfoOption *usual, char *out,
                       size_t cap) {
    const char *user = option_or(all, usual, "user"), *host = option_or(all, usual, "host");
    const char *port = option_or(all, usual, "port"), *name = option_or(all, usual, "dbname");
    const char *number = option_or(all, usual, "hostaddr"), *service = option(all, "service");
    struct strbuf sb = strbuf_on(out, cap);
    strbuf_add(&sb, "postgresql://%s%s%s", user ? user : "", user ? "@" : "", host ? host : "");
    if (number)
        strbuf_add(&sb, "%s%s%s", host ? "(" : "", number, host ? ")" : "");
    strbuf_add(&sb, "%s%s/%s", port ? ":" : "", port ? port : "", name ? name : user ? user : "");
    if (service)
        strbuf_add(&sb, "?service=%s", service);
}

int store_server_name(const char *dsn, char *out, size_t cap, struct err *err) {
    char *said = NULL, safe[200];
    const int rc = load_once(err);
    if (rc < 0)
        return rc;
    PQconninfoOption *all = pq.parse(dsn, &said);
    if (!all) { /* what is wrong may be the password: not shown */
        const bool open = said && str_starts(said, "invalid URI query parameter");
        if (said)
            said[strcspn(said, open ? "\n" : "\n\"")] = '\0';
        err_set(err, -EINVAL,
                "postgresql://: this is no address of a server: %s%s; as in "
                "postgresql://user@host/database",
                said ? str_safe(safe, sizeof(safe), said) : "", open ? "" : "...");
        pq.freemem(said);
        return -EINVAL;
    }
    PQconninfoOption *usual = pq.defaults(); /* of the environment */
    write_name(all, usual, out, cap);
    pq.parse_free(usual);
    pq.parse_free(all);
    return 0;
}

/* --- words of failures --- */

#define NOTHING "nothing was changed"

static const struct cause {
    const char *state; /* begin of an SQLSTATE: PostgreSQL 15, appendix A */
    int rc;
    const char *cause, *remedy;
} causes[] = {
    {"08", -EHOSTUNREACH, "the connection broke",
     "whether it was done is not known: look, and try again"},
    {"57P", -EHOSTUNREACH, "the server is stopping or starting", NOTHING "; try again"},
    {"57014", -EINTR, "stopped by a signal, or by a limit of the server", NOTHING},
    {"28", -EACCES, "the server refuses the user",
     "see user and password (~/.pgpass), and the server's pg_hba.conf"},
    {"3D", -ENOENT, "there is no such database", "make it with createdb, or name another"},
    {"42501", -EACCES, "permission denied",
     "ask the owner of the store; docs/FLEET.md has the roles"},
    {"25006", -EROFS, "the server only reads", "name the one that writes"},
    {"53100", -ENOSPC, "the server's disk is full", NOTHING "; make room there"},
    {"53300", -EBUSY, "the server has too many connections", NOTHING "; try again"},
    {"40", -EBUSY, "another client changed the same", NOTHING "; try again"},
    {"55P03", -EBUSY, "another client holds the lock", NOTHING "; try again"},
    {"42", -EUCLEAN, "its tables are not those of a store", "see docs/STORE.md, or name another"},
    {"XX001", -EUCLEAN, "the server's files are damaged", "see its log"},
};
static const struct cause other = {"", -EIO, "the server gave up", NOTHING "; see its log"};

static const struct cause *cause_of(const char *state) {
    for (size_t i = 0; state && i < sizeof(causes) / sizeof(causes[0]); i++)
        if (str_starts(state, causes[i].state))
            return &causes[i];
    return &other;
}

/* The first line, without "ERROR:  " and the like. */
static const char *first_line(const char *said, char *out, size_t cap) {
    const char *text = said ? said : "";
    const char *colon = strstr(text, ":  ");
    char line[512];
    if (colon && colon - text < 10)
        text = colon + 3;
    str_copy(line, sizeof(line), text);
    line[strcspn(line, "\n")] = '\0';
    return str_safe(out, cap, line);
}

static int fail(struct pg *pg, const PGresult *result, struct err *err) {
    char *said = pg->said;
    const char *state = result ? pq.error_field(result, PG_DIAG_SQLSTATE) : NULL;
    const bool broken = pq.status(pg->link) == CONNECTION_BAD;
    const struct cause *c = broken && !state ? &causes[0] : cause_of(state);
    first_line(state ? pq.error_field(result, PG_DIAG_MESSAGE_PRIMARY) : pq.message(pg->link), said,
               sizeof(pg->said));
    const int rc = broken ? -EHOSTUNREACH : c->rc;
    if (broken)
        pg_disconnect(pg);
    return err_set(err, rc, "%.200s: %s: %s%s%s%s; %s", pg->path, pg->doing, c->cause,
                   said[0] ? " (" : "", said, said[0] ? ")" : "", c->remedy);
}

/* --- connecting --- */

static void hear_nothing(void *user, const char *text) {
    (void)user, (void)text;
}

void pg_disconnect(struct pg *pg) {
    if (pg->link)
        pq.finish(pg->link);
    pg->link = NULL;
}

/* Trying again will not help: what else a server says may be otherwise in a minute. */
static bool is_final(const char *said) {
    static const char *const words[] = {"authentication failed", "pg_hba.conf", "role \"",
                                        "permission denied", "not permitted to log in"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strstr(said, words[i]))
            return !strstr(said, "too many connections");
    return false;
}

static int refused(struct pg *pg, struct err *err) {
    char said[300], text[300];
    const char *message = pq.message(pg->link);
    /* the server's words follow those of libpq; a host that refuses has said nothing */
    const char *fatal = strstr(message, "FATAL:  ");
    first_line(fatal ? fatal : message, said, sizeof(said));
    const char *why = strstr(said, " failed: "); /* the address is named already */
    str_copy(text, sizeof(text), why ? why + 9 : said);
    pg_disconnect(pg);
    const bool asked = why || str_starts(text, "could not");
    if (strstr(text, "no password supplied"))
        return err_set(err, -EACCES,
                       "%.200s: it wants a password, and there is none: a line "
                       "HOST:PORT:DATABASE:USER:PASSWORD in ~/.pgpass, or the file that PGPASSFILE "
                       "names, mode 600",
                       pg->path);
    if (!fatal && !asked) /* libpq itself does not understand it */
        return err_set(err, -EINVAL, "%.200s: %s; as in postgresql://user@host/database", pg->path,
                       text);
    if (fatal && strstr(text, "database") && strstr(text, "does not exist"))
        return err_set(err, -ENOENT, "%.200s: %s; make it with createdb, or name another", pg->path,
                       text);
    if (fatal && is_final(text))
        return err_set(err, -EACCES,
                       "%.200s: %s; see user and password (~/.pgpass), and the server's "
                       "pg_hba.conf",
                       pg->path, text);
    return err_set(err, -EHOSTUNREACH,
                   "%.200s: the server does not answer: %s; see whether it runs, and whether this "
                   "host may reach it",
                   pg->path, text);
}

/* What the dsn says itself comes behind, and counts. */
int pg_connect(struct pg *pg, struct err *err) {
    static const char *const keyword[] = {"connect_timeout",
                                          "tcp_user_timeout",
                                          "keepalives_idle",
                                          "client_encoding",
                                          "fallback_application_name",
                                          "dbname",
                                          NULL};
    const char *const value[] = {"5", "10000", "10", "UTF8", "tdtop", pg->dsn, NULL};
    if (pg->link && pq.status(pg->link) == CONNECTION_OK)
        return 0;
    pg_disconnect(pg);
    pg->link = pq.connect(keyword, value, 1);
    if (!pg->link)
        return err_set(err, -ENOMEM, "%.200s: out of memory", pg->path);
    if (pq.status(pg->link) != CONNECTION_OK)
        return refused(pg, err);
    pq.notice(pg->link, hear_nothing, NULL);
    const char *doing = pg->doing;
    pg->doing = "connecting";
    const int rc =
        pg_do(pg, err,
              "SELECT set_config('search_path', 'tdtop, pg_temp', false),"
              " set_config('lock_timeout', '30s', false),"
              " set_config('bytea_output', 'hex', false),"
              /* all rows of a cursor are read; as set, a tenth of them would be planned for */
              " set_config('cursor_tuple_fraction', '1', false),"
              " set_config('jit', 'off', false)", /* it takes longer than what is asked */
              "");
    pg->doing = doing;
    if (rc < 0)
        pg_disconnect(pg);
    return rc;
}

/* --- statements --- */

enum { LOOK_MS = 200 };

static void cancel(struct pg *pg) {
    char why[256];
    PGcancel *c = pq.get_cancel(pg->link);
    if (c)
        pq.cancel(c, why, sizeof(why));
    pq.free_cancel(c);
}

/* Until the answer is there; a signal that asks for the end is passed on. */
static bool wait_for(struct pg *pg) {
    struct pollfd p = {.fd = pq.socket(pg->link), .events = POLLIN};
    bool cancelled = false;
    while (pq.busy(pg->link)) {
        if (poll(&p, 1, LOOK_MS) > 0 && !pq.consume(pg->link))
            return false;
        if (!cancelled && pg->ends && thread_end_waits()) {
            cancel(pg);
            cancelled = true;
        }
    }
    return true;
}

/* The last of the answers: there is one, but for a connection that broke. */
static PGresult *take_answer(struct pg *pg) {
    PGresult *last = NULL, *next;
    while (wait_for(pg) && (next = pq.get(pg->link))) {
        pq.clear(last);
        last = next;
    }
    return last;
}

static int judge(struct pg *pg, PGresult *result, struct pg_rows *rows, struct err *err) {
    const ExecStatusType s = result ? pq.result_status(result) : PGRES_FATAL_ERROR;
    *rows = (struct pg_rows){0};
    if (s == PGRES_TUPLES_OK || s == PGRES_COMMAND_OK) {
        *rows = (struct pg_rows){result, pq.n_row(result), pq.n_column(result)};
        if (s == PGRES_COMMAND_OK)
            rows->n = atoi(pq.changed(result));
        return 0;
    }
    const int rc = fail(pg, result, err);
    pq.clear(result);
    return rc;
}

struct values {
    int n;
    const char *at[PG_PARAMS];
    int length[PG_PARAMS], is_bytes[PG_PARAMS];
    Oid type[PG_PARAMS];
    char number[PG_PARAMS][32];
    char *cleaned[PG_PARAMS]; /* owned */
};

static bool is_utf8(const char *text) {
    size_t used;
    for (const unsigned char *s = (const unsigned char *)text; *s; s += used) {
        used = 1;
        if (*s >= 0x80 && str_decode((const char *)s, &used) == 0xFFFD && used == 1)
            return false;
    }
    return true;
}

static const char *clean(struct values *v, const char *text) {
    if (!text || is_utf8(text))
        return text;
    const size_t cap = strlen(text) + 1;
    char *out = malloc(cap);
    if (!out)
        return "";
    v->cleaned[v->n] = str_safe(out, cap, text);
    return out;
}

static void take_values(struct values *v, const char *types, va_list ap) {
    for (v->n = 0; types[v->n]; v->n++) {
        const int i = v->n;
        v->at[i] = v->number[i];
        switch (types[i]) {
        case 'i':
            snprintf(v->number[i], sizeof(v->number[i]), "%" PRId64, va_arg(ap, int64_t));
            break;
        case 't':
            v->at[i] = clean(v, va_arg(ap, const char *));
            break;
        default:
            v->at[i] = va_arg(ap, const void *);
            v->length[i] = (int)va_arg(ap, size_t);
            v->is_bytes[i] = 1;
            v->type[i] = PG_BYTES;
        }
    }
}

/* What was done before has gone with the connection. */
static int broken_batch(struct pg *pg, struct err *err) {
    return err_set(err, -EHOSTUNREACH, "%.200s: the connection broke; nothing was changed",
                   pg->path);
}

static int ask(struct pg *pg, struct pg_rows *rows, struct err *err, const char *sql,
               struct values *v, int bytes) {
    int rc = pg->in_batch && !pg->link ? broken_batch(pg, err) : pg_connect(pg, err);
    if (rc == 0)
        rc = pq.send(pg->link, sql, v->n, v->type, v->at, v->length, v->is_bytes, bytes)
                 ? judge(pg, take_answer(pg), rows, err)
                 : fail(pg, NULL, err);
    for (int i = 0; i < v->n; i++)
        free(v->cleaned[i]);
    return rc;
}

static int ask_va(struct pg *pg, struct pg_rows *rows, struct err *err, const char *sql, int bytes,
                  const char *types, va_list ap) {
    struct values v = {0};
    take_values(&v, types, ap);
    return ask(pg, rows, err, sql, &v, bytes);
}

int pg_ask(struct pg *pg, struct pg_rows *rows, struct err *err, const char *sql, const char *types,
           ...) {
    va_list ap;
    va_start(ap, types);
    const int rc = ask_va(pg, rows, err, sql, 0, types, ap);
    va_end(ap);
    return rc;
}

int pg_ask_bytes(struct pg *pg, struct pg_rows *rows, struct err *err, const char *sql,
                 const char *types, ...) {
    va_list ap;
    va_start(ap, types);
    const int rc = ask_va(pg, rows, err, sql, 1, types, ap);
    va_end(ap);
    return rc;
}

int pg_do(struct pg *pg, struct err *err, const char *sql, const char *types, ...) {
    struct pg_rows rows = {0};
    va_list ap;
    va_start(ap, types);
    const int rc = ask_va(pg, &rows, err, sql, 0, types, ap);
    va_end(ap);
    pg_rows_free(&rows);
    return rc;
}

int pg_number(struct pg *pg, int64_t *out, struct err *err, const char *sql, const char *types,
              ...) {
    struct pg_rows rows = {0};
    va_list ap;
    va_start(ap, types);
    const int rc = ask_va(pg, &rows, err, sql, 0, types, ap);
    va_end(ap);
    const bool none = rc == 0 && (rows.n == 0 || pg_is_null(&rows, 0, 0));
    if (rc == 0 && !none)
        *out = pg_integer(&rows, 0, 0);
    pg_rows_free(&rows);
    return none ? -ENOENT : rc;
}

/* ---- parameters of a statement that is put together ---- */

int pg_param_text(struct pg_params *p, const char *text) {
    if (p->n == PG_PARAMS)
        return 0;
    p->text[p->n] = text;
    return ++p->n;
}

int pg_param_number(struct pg_params *p, int64_t number) {
    if (p->n == PG_PARAMS)
        return 0;
    snprintf(p->number[p->n], sizeof(p->number[0]), "%" PRId64, number);
    p->text[p->n] = NULL;
    return ++p->n;
}

int pg_ask_with(struct pg *pg, struct pg_rows *rows, struct err *err, const char *sql,
                const struct pg_params *p) {
    struct values v = {0};
    for (v.n = 0; v.n < p->n; v.n++)
        v.at[v.n] = p->text[v.n] ? clean(&v, p->text[v.n]) : p->number[v.n];
    return ask(pg, rows, err, sql, &v, 0);
}

/* ---- answers ---- */

void pg_rows_free(struct pg_rows *rows) {
    if (rows->result)
        pq.clear(rows->result);
    *rows = (struct pg_rows){0};
}

const char *pg_peek(const struct pg_rows *rows, int row, int column) {
    return pq.value(rows->result, row, column); /* NULL: "", says libpq */
}

size_t pg_length(const struct pg_rows *rows, int row, int column) {
    return (size_t)pq.length(rows->result, row, column);
}

bool pg_is_null(const struct pg_rows *rows, int row, int column) {
    return pq.is_null(rows->result, row, column);
}

int64_t pg_integer(const struct pg_rows *rows, int row, int column) {
    return strtoll(pg_peek(rows, row, column), NULL, 10);
}

double pg_real(const struct pg_rows *rows, int row, int column) {
    return pg_is_null(rows, row, column) ? NAN : strtod(pg_peek(rows, row, column), NULL);
}

unsigned pg_type(const struct pg_rows *rows, int column) {
    return pq.column_type(rows->result, column);
}

const char *pg_column(const struct pg_rows *rows, int column) {
    return pq.column_name(rows->result, column);
}

/* ---- transactions ---- */

/* A connection that was lost since it was last used is made again. */
static int open_transaction(struct pg *pg, const char *doing, const char *sql, struct err *err) {
    const bool again = pg->link != NULL;
    pg->doing = doing;
    if (pg->in_batch)
        return 0;
    int rc = pg_ready(pg, err);
    if (rc == 0)
        rc = pg_do(pg, err, sql, "");
    return rc == -EHOSTUNREACH && again ? pg_do(pg, err, sql, "") : rc;
}

int pg_begin(struct pg *pg, const char *doing, struct err *err) {
    pg->ends = false; /* what is to be saved is saved */
    return open_transaction(pg, doing, "BEGIN", err);
}

int pg_begin_reading(struct pg *pg, const char *doing, struct err *err) {
    pg->ends = true;
    return open_transaction(pg, doing, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", err);
}

/* One that has failed is answered to with ROLLBACK. */
static int commit(struct pg *pg, struct err *err) {
    struct pg_rows rows = {0};
    int rc = pg_ask(pg, &rows, err, "COMMIT", "");
    if (rc == 0 && strcmp(pq.command(rows.result), "COMMIT") != 0)
        rc = err_set(err, -EIO, "%.200s: %s: it failed; nothing was changed", pg->path, pg->doing);
    pg_rows_free(&rows);
    return rc;
}

int pg_end(struct pg *pg, int rc, struct err *err) {
    if (pg->in_batch)
        return rc;
    if (rc >= 0)
        return pg->link ? commit(pg, err) : broken_batch(pg, err);
    if (pg->link)
        pg_do(pg, NULL, "ROLLBACK", "");
    return rc;
}

int pg_lock(struct pg *pg, enum pg_lock which, bool shared, struct err *err) {
    return pg_do(pg, err,
                 shared ? "SELECT pg_advisory_xact_lock_shared(1952740464, $1::int)"
                        : "SELECT pg_advisory_xact_lock(1952740464, $1::int)",
                 "i", (int64_t)which);
}
