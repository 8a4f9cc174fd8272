#include "db/store_sqlite_values.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The same name stands for several metrics where models place it differently in their trees. */
static int find_metrics(struct sq *sq, struct values *v, const char *name, struct err *err) {
    sqlite3_stmt *s;
    int rc = sq_prepare(sq, &s, err,
                        "SELECT metric FROM metrics WHERE name = ?1 UNION"
                        " SELECT metric FROM metrics WHERE path = ?1 LIMIT ?2",
                        "ti", name, (int64_t)VALUES_METRICS);
    while (rc == 0 && (rc = sq_step(sq, s, err)) > 0) {
        v->metric[v->n_metric++] = sqlite3_column_int64(s, 0);
        rc = 0;
    }
    sqlite3_finalize(s);
    return rc;
}

static int make_room(struct sq *sq, struct values *v, bool alone, struct err *err) {
    const int rc = sq_rows(sq, &v->n, err);
    if (rc < 0)
        return rc;
    v->value = malloc((size_t)v->n * sizeof(*v->value));
    v->se = alone ? NULL : malloc((size_t)v->n * sizeof(*v->se));
    if (!v->value || (!v->se && !alone))
        return sq_fail_code(sq, SQLITE_NOMEM, 0, NULL, err);
    for (int64_t i = 0; i < v->n; i++)
        v->value[i] = NAN;
    for (int64_t i = 0; i < v->n && v->se; i++)
        v->se[i] = NAN;
    return 0;
}

/* A run can have the name in several places of its tree: the first one counts, as in the run. The
 * index of nodes has the place, ord, too. */
static int load_all(struct sq *sq, struct values *v, bool alone, const char *sql, struct err *err) {
    int rc = make_room(sq, v, alone, err);
    uint32_t *ord = rc == 0 ? malloc((size_t)v->n * sizeof(*ord)) : NULL;
    sqlite3_stmt *s = NULL;
    if (rc == 0 && !ord)
        rc = sq_fail_code(sq, SQLITE_NOMEM, 0, NULL, err);
    if (rc == 0) {
        memset(ord, 0xff, (size_t)v->n * sizeof(*ord));
        rc = sq_prepare(sq, &s, err, sql, "");
    }
    for (int i = 0; rc == 0 && i < v->n_metric; i++) {
        sq_bind(s, "i", v->metric[i]);
        while ((rc = sq_step(sq, s, err)) > 0) {
            const int64_t run = sqlite3_column_int64(s, 0), at = sqlite3_column_int64(s, 1);
            if (run < 0 || run >= v->n || at < 0 || at >= ord[run])
                continue;
            ord[run] = (uint32_t)at;
            v->value[run] = sq_real(s, 2);
            if (v->se)
                v->se[run] = sq_real(s, 3);
        }
    }
    sqlite3_finalize(s);
    free(ord);
    return rc;
}

int values_open(struct sq *sq, struct values *v, const char *name, enum values_how how,
                struct err *err) {
    static const char *const of_nodes[] = {
        "SELECT ord, value, se FROM nodes WHERE metric = ?1 AND run = ?2",
        "SELECT run, ord, value, se FROM nodes WHERE metric = ?1"};
    static const char *const of_runs[] = {
        "SELECT 0, measured_ns / 1e9, NULL FROM runs WHERE ?1 AND ran_through AND run = ?2",
        "SELECT run, 0, measured_ns / 1e9, NULL FROM runs WHERE ?1 AND ran_through"};
    const char *const *sql = of_nodes;
    *v = (struct values){0};
    int rc = find_metrics(sq, v, name, err);
    if (v->n_metric == 0 && run_is_elapsed(name) && sq->file_version >= SQ_HAS_KINDS) {
        v->metric[v->n_metric++] = 1; /* the runs' own: one there is */
        sql = of_runs;
    }
    if (rc == 0)
        rc = how ? load_all(sq, v, how == VALUES_ALONE, sql[1], err)
                 : sq_prepare(sq, &v->one, err, sql[0], "");
    return rc;
}

int values_get(struct sq *sq, struct values *v, int64_t run, double *value, double *se,
               struct err *err) {
    *value = *se = NAN;
    if (v->value) {
        *value = run < v->n ? v->value[run] : NAN;
        *se = run < v->n && v->se ? v->se[run] : NAN;
        return 0;
    }
    int64_t first = INT64_MAX;
    int rc = 0;
    for (int i = 0; rc == 0 && i < v->n_metric; i++) {
        sq_bind(v->one, "ii", v->metric[i], run);
        while ((rc = sq_step(sq, v->one, err)) > 0) {
            if (sqlite3_column_int64(v->one, 0) >= first)
                continue;
            first = sqlite3_column_int64(v->one, 0);
            *value = sq_real(v->one, 1);
            *se = sq_real(v->one, 2);
        }
        sqlite3_reset(v->one);
    }
    return rc;
}

void values_close(struct values *v) {
    sqlite3_finalize(v->one);
    free(v->value);
    free(v->se);
    *v = (struct values){0};
}
