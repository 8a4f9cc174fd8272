#include "db/store_sqlite_pick.h"

#include "db/store_sqlite_values.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BITS = 64 };

/* Ends the word of a label or another text for LIKE: any text that holds this one. ASCII letters
 * are the same in both cases. */
#define HOLDS "LIKE ?2 ESCAPE '\\'"
#define OF_WORDS(text)                                                                             \
    "FROM words w CROSS JOIN labels l ON l.key = w.key AND l.value = w.value WHERE " text " " HOLDS

static const struct {
    const char *sql; /* ?1: key, ?2: value */
    bool among;      /* the runs it gives; false: all the others */
} label_ops[] = {
    [LABEL_IS] = {"SELECT run FROM labels WHERE key = ?1 AND value = ?2", true},
    [LABEL_IS_NOT] = {"SELECT run FROM labels WHERE key = ?1 AND value = ?2", false},
    [LABEL_HAS] = {"SELECT l.run " OF_WORDS("w.value") " AND w.key = ?1", true},
    [LABEL_EXISTS] = {"SELECT run FROM labels WHERE key = ?1", true},
    [LABEL_MISSING] = {"SELECT run FROM labels WHERE key = ?1", false},
};

static const char anywhere[] = "SELECT run FROM runs WHERE process " HOLDS " OR target " HOLDS
                               " OR note " HOLDS " OR model " HOLDS " OR bottleneck " HOLDS
                               " UNION ALL SELECT l.run " OF_WORDS("w.key || '=' || w.value");

struct picking {
    struct sq *sq;
    struct pick *p;
    struct err *err;
    uint64_t *fresh; /* the runs of the condition at hand */
    size_t words;    /* in p->bit and in fresh */
    bool narrowed;   /* by a condition that names runs: the set holds none that are not there */
    bool removed;    /* those that were deleted are meant */
};

/* All runs of the statement, into fresh. */
static int collect(struct picking *p, sqlite3_stmt *s) {
    int rc;
    memset(p->fresh, 0, p->words * sizeof(*p->fresh));
    while ((rc = sq_step(p->sq, s, p->err)) > 0) {
        const int64_t run = sqlite3_column_int64(s, 0);
        if (run >= 0 && run < p->p->n)
            p->fresh[run / BITS] |= 1ull << run % BITS;
    }
    return rc;
}

static void narrow(struct picking *p, bool among) {
    for (size_t i = 0; i < p->words; i++)
        p->p->bit[i] &= among ? p->fresh[i] : ~p->fresh[i];
    p->narrowed = p->narrowed || among;
}

static int apply(struct picking *p, sqlite3_stmt *s, bool among) {
    const int rc = collect(p, s);
    if (rc == 0)
        narrow(p, among);
    return rc;
}

/* text with % before and behind, and \ before what LIKE would take for a pattern; malloc'ed. */
static char *pattern_of(const char *text) {
    char *out = malloc(2 * strlen(text) + 3);
    if (!out)
        return NULL;
    char *at = out;
    *at++ = '%';
    for (; *text; text++) {
        if (strchr("%_\\", *text))
            *at++ = '\\';
        *at++ = *text;
    }
    *at++ = '%';
    *at = '\0';
    return out;
}

static int apply_text(struct picking *p, const char *sql, const char *key, const char *text,
                      bool among) {
    char *pattern = pattern_of(text);
    sqlite3_stmt *s = NULL;
    int rc = pattern ? sq_prepare(p->sq, &s, p->err, sql, "tt", key, pattern)
                     : sq_fail_code(p->sq, SQLITE_NOMEM, 0, NULL, p->err);
    if (rc == 0)
        rc = apply(p, s, among);
    sqlite3_finalize(s);
    free(pattern);
    return rc;
}

static int apply_label(struct picking *p, const struct label_filter *f) {
    const char *sql = label_ops[f->op].sql;
    if (f->op == LABEL_HAS)
        return apply_text(p, sql, f->key, f->value, true);
    sqlite3_stmt *s;
    int rc = sq_prepare(p->sq, &s, p->err, sql, strstr(sql, "?2") ? "tt" : "t", f->key, f->value);
    if (rc == 0)
        rc = apply(p, s, label_ops[f->op].among);
    sqlite3_finalize(s);
    return rc;
}

/* The statements of both kinds of run: the first one finds its way by an index of the live ones. */
static int apply_process(struct picking *p, const char *process) {
    sqlite3_stmt *s;
    int rc =
        sq_prepare(p->sq, &s, p->err,
                   p->removed ? "SELECT run FROM runs WHERE process = ?1 AND deleted_ns IS NOT NULL"
                              : "SELECT run FROM runs WHERE process = ?1 AND deleted_ns IS NULL",
                   "t", process);
    if (rc == 0)
        rc = apply(p, s, true);
    sqlite3_finalize(s);
    return rc;
}

#define BEGUN "SELECT run FROM runs WHERE begun_ns BETWEEN ?1 AND ?2 AND deleted_ns IS "

static int apply_time(struct picking *p, int64_t since_ns, int64_t until_ns) {
    sqlite3_stmt *s;
    int rc = sq_prepare(p->sq, &s, p->err, p->removed ? BEGUN "NOT NULL" : BEGUN "NULL", "ii",
                        since_ns, until_ns ? until_ns : INT64_MAX);
    if (rc == 0)
        rc = apply(p, s, true);
    sqlite3_finalize(s);
    return rc;
}

/* Leaves out what is deleted, or what is not. Where no condition has named runs, the set still
 * holds rows that are no runs. */
static int apply_live(struct picking *p) {
    sqlite3_stmt *s;
    int rc =
        sq_prepare(p->sq, &s, p->err,
                   p->narrowed != p->removed ? "SELECT run FROM runs WHERE deleted_ns IS NOT NULL"
                                             : "SELECT run FROM runs WHERE deleted_ns IS NULL",
                   "");
    if (rc == 0)
        rc = apply(p, s, !p->narrowed);
    sqlite3_finalize(s);
    return rc;
}

static int begin(struct picking *p) {
    const int rc = sq_rows(p->sq, &p->p->n, p->err);
    if (rc < 0)
        return rc;
    p->words = (size_t)p->p->n / BITS + 1;
    p->p->bit = malloc(p->words * sizeof(*p->p->bit));
    p->fresh = malloc(p->words * sizeof(*p->fresh));
    if (!p->p->bit || !p->fresh)
        return sq_fail_code(p->sq, SQLITE_NOMEM, 0, NULL, p->err);
    memset(p->p->bit, 0xff, p->words * sizeof(*p->p->bit));
    return 0;
}

bool pick_is_needed(const struct run_query *q) {
    return q->n_filter || q->process || q->text || q->since_ns || q->until_ns;
}

int pick_runs(struct sq *sq, const struct run_query *q, struct pick *out, struct err *err) {
    struct picking p = {.sq = sq, .p = out, .err = err, .removed = q->removed};
    *out = (struct pick){0};
    int rc = begin(&p);
    for (size_t i = 0; rc == 0 && i < q->n_filter; i++)
        rc = apply_label(&p, &q->filter[i]);
    if (rc == 0 && q->process)
        rc = apply_process(&p, q->process);
    if (rc == 0 && q->text)
        rc = apply_text(&p, anywhere, NULL, q->text, true);
    if (rc == 0 && (q->since_ns || q->until_ns))
        rc = apply_time(&p, q->since_ns, q->until_ns);
    if (rc == 0)
        rc = apply_live(&p);
    for (size_t i = 0; rc == 0 && i < p.words; i++)
        out->count += (uint64_t)__builtin_popcountll(out->bit[i]);
    free(p.fresh);
    if (rc < 0)
        pick_free(out);
    return rc;
}

void pick_free(struct pick *p) {
    free(p->bit);
    *p = (struct pick){0};
}

/* ---- for SQL ---- */

static void picked(sqlite3_context *c, int n, sqlite3_value **arg) {
    (void)n;
    const struct sq *sq = sqlite3_user_data(c);
    const struct pick *p = sq->pick;
    const int64_t run = sqlite3_value_int64(arg[0]);
    const bool in = p && run >= 0 && run < p->n && p->bit[run / BITS] >> run % BITS & 1;
    sqlite3_result_int(c, in);
}

static void value_of(sqlite3_context *c, int n, sqlite3_value **arg) {
    (void)n;
    const struct sq *sq = sqlite3_user_data(c);
    const struct values *v = sq->values;
    const int64_t run = sqlite3_value_int64(arg[0]);
    if (v && run >= 0 && run < v->n && !isnan(v->value[run]))
        sqlite3_result_double(c, v->value[run]);
}

int sq_add_functions(struct sq *sq) {
    const int flags = SQLITE_UTF8 | SQLITE_DIRECTONLY;
    const int rc = sqlite3_create_function(sq->db, "picked", 1, flags, sq, picked, NULL, NULL);
    return rc ? rc
              : sqlite3_create_function(sq->db, "value_of", 1, flags, sq, value_of, NULL, NULL);
}
