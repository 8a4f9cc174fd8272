/*
 * run_intervals: a table for SELECTs of the user's, which unpacks the counts of each interval of a
 * run as it is read. Nothing of it is in the file: https://www.sqlite.org/vtab.html.
 */
#include "db/store_names.h"
#include "db/store_sqlite.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char columns[] =
    "CREATE TABLE run_intervals (id TEXT, interval INTEGER, slot INTEGER, t0_ns INTEGER,"
    " t1_ns INTEGER, event TEXT, count REAL, enabled_ns INTEGER, running_ns INTEGER, state TEXT)";
enum column { ID, INTERVAL, SLOT, T0, T1, EVENT, COUNT, ENABLED, RUNNING, STATE };

struct table {
    sqlite3_vtab base; /* the first: SQLite's */
    struct sq *sq;
};

struct cursor {
    sqlite3_vtab_cursor base; /* the first: SQLite's */
    struct sq *sq;
    sqlite3_stmt *ids; /* of the runs that are wanted */
    struct run run;    /* the one at hand */
    struct series_reader reader;
    struct sample row;
    uint32_t slot;
    int64_t n; /* rows given */
    bool open, over;
};

static int connect(sqlite3 *db, void *user, int n, const char *const *arg, sqlite3_vtab **out,
                   char **said) {
    (void)n, (void)arg, (void)said;
    struct table *t = sqlite3_malloc(sizeof(*t));
    if (!t)
        return SQLITE_NOMEM;
    *t = (struct table){.sq = user};
    *out = &t->base;
    sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
    return sqlite3_declare_vtab(db, columns);
}

static int disconnect(sqlite3_vtab *t) {
    sqlite3_free(t);
    return SQLITE_OK;
}

/* A run that is named is looked up; else all are read. */
static int best_index(sqlite3_vtab *t, sqlite3_index_info *info) {
    (void)t;
    info->estimatedCost = 1e12;
    for (int i = 0; i < info->nConstraint; i++) {
        const struct sqlite3_index_constraint *c = &info->aConstraint[i];
        if (!c->usable || c->iColumn != ID || c->op != SQLITE_INDEX_CONSTRAINT_EQ)
            continue;
        info->aConstraintUsage[i].argvIndex = 1;
        info->idxNum = 1;
        info->estimatedCost = 1e4;
        break;
    }
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *t, sqlite3_vtab_cursor **out) {
    struct cursor *c = calloc(1, sizeof(*c));
    if (!c)
        return SQLITE_NOMEM;
    c->sq = ((struct table *)t)->sq;
    *out = &c->base;
    return SQLITE_OK;
}

static void end_run(struct cursor *c) {
    if (c->open) {
        series_reader_destroy(&c->reader);
        sample_destroy(&c->row);
    }
    run_free(&c->run);
    c->open = false;
}

static int close_cursor(sqlite3_vtab_cursor *base) {
    struct cursor *c = (struct cursor *)base;
    end_run(c);
    sqlite3_finalize(c->ids);
    free(c);
    return SQLITE_OK;
}

static int begin_run(struct cursor *c, const char *id) {
    struct err err = {0};
    int rc = sq_load_here(c->sq, id, RUN_COUNTS, &c->run, &err);
    if (rc == 0 && (rc = series_reader_init(&c->reader, &c->run.series)) == 0 &&
        (rc = sample_init(&c->row, c->run.layout.n_slot)) < 0)
        series_reader_destroy(&c->reader);
    c->open = rc == 0;
    if (rc < 0) {
        sqlite3_free(c->base.pVtab->zErrMsg);
        c->base.pVtab->zErrMsg = sqlite3_mprintf("%s", err.code ? err.text : strerror(-rc));
    }
    return rc < 0 ? SQLITE_ERROR : SQLITE_OK;
}

/* The next interval that has counts, of this run or of those that follow. */
static int next_interval(struct cursor *c) {
    c->slot = 0;
    while (!(c->open && c->row.n_slot && series_reader_next(&c->reader, &c->row))) {
        end_run(c);
        const int rc = sqlite3_step(c->ids);
        if (rc == SQLITE_DONE) {
            c->over = true;
            return SQLITE_OK;
        }
        if (rc != SQLITE_ROW)
            return rc;
        const int begun = begin_run(c, sq_peek(c->ids, 0));
        if (begun != SQLITE_OK)
            return begun;
    }
    return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *base, int which, const char *text, int n,
                  sqlite3_value **arg) {
    static const char *const sql[] = {"SELECT id FROM runs WHERE deleted_ns IS NULL ORDER BY run",
                                      "SELECT id FROM runs WHERE deleted_ns IS NULL AND id = ?1"};
    struct cursor *c = (struct cursor *)base;
    (void)text;
    end_run(c);
    sqlite3_finalize(c->ids);
    c->over = false;
    c->n = 0;
    int rc = sqlite3_prepare_v2(c->sq->db, sql[which], -1, &c->ids, NULL);
    if (rc == SQLITE_OK && n > 0)
        rc = sqlite3_bind_value(c->ids, 1, arg[0]);
    return rc == SQLITE_OK ? next_interval(c) : rc;
}

static int next(sqlite3_vtab_cursor *base) {
    struct cursor *c = (struct cursor *)base;
    c->n++;
    return ++c->slot < c->row.n_slot ? SQLITE_OK : next_interval(c);
}

static int is_over(sqlite3_vtab_cursor *base) {
    return ((struct cursor *)base)->over;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *id) {
    *id = ((struct cursor *)base)->n;
    return SQLITE_OK;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *to, int i) {
    const struct cursor *c = (const struct cursor *)base;
    const struct count *count = &c->row.at[c->slot];
    const uint64_t t0 = c->run.t0_ns;
    switch ((enum column)i) {
    case ID:
        sqlite3_result_text(to, c->run.id, -1, SQLITE_TRANSIENT);
        break;
    case INTERVAL:
        sqlite3_result_int64(to, (int64_t)c->row.seq);
        break;
    case SLOT:
        sqlite3_result_int64(to, c->slot);
        break;
    case T0:
        sqlite3_result_int64(to, (int64_t)(c->row.t0_ns - t0));
        break;
    case T1:
        sqlite3_result_int64(to, (int64_t)(c->row.t1_ns - t0));
        break;
    case EVENT:
        sqlite3_result_text(to, c->run.event[c->run.layout.slot[c->slot].event], -1,
                            SQLITE_TRANSIENT);
        break;
    case COUNT:
        if (!isnan(count->value))
            sqlite3_result_double(to, count->value);
        break;
    case ENABLED:
        sqlite3_result_int64(to, (int64_t)count->enabled_ns);
        break;
    case RUNNING:
        sqlite3_result_int64(to, (int64_t)count->running_ns);
        break;
    case STATE:
        sqlite3_result_text(to, store_count_state(count->state), -1, SQLITE_STATIC);
    }
    return SQLITE_OK;
}

int sq_add_intervals(struct sq *sq) {
    static const sqlite3_module module = {
        .xConnect = connect, /* no xCreate: there in every file, and in none */
        .xDisconnect = disconnect,
        .xDestroy = disconnect,
        .xBestIndex = best_index,
        .xOpen = open_cursor,
        .xClose = close_cursor,
        .xFilter = filter,
        .xNext = next,
        .xEof = is_over,
        .xColumn = column,
        .xRowid = row_id,
    };
    const int rc = sqlite3_create_module(sq->db, "run_intervals", &module, sq);
    /* connected by its first use, which takes more than to select */
    return rc ? rc : sqlite3_exec(sq->db, "SELECT 1 FROM run_intervals LIMIT 0", NULL, NULL, NULL);
}
