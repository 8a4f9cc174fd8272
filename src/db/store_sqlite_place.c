/*
 * Where in a list a run stands: how many of the list's runs come before it. Counted along the index
 * that gives the list its order, so that no run is read for it.
 */
#include "db/store_sqlite_pick.h"
#include "db/store_sqlite_values.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

struct placing {
    struct sq *sq;
    const struct run_query *q;
    int64_t run;
    double value; /* of the metric that they are sorted by */
    struct err *err;
};

/* What the lists are sorted by: store_sqlite_list.c. Of a metric this decides among equals. */
static const char *const orders[] = {
    [BY_TIME] = "begun_ns, run",
    [BY_DURATION] = "duration_ns, run",
    [BY_PROCESS] = "process, begun_ns, run",
    [BY_MODEL] = "model, begun_ns, run",
    [BY_METRIC] = "begun_ns, run",
};

static const char *order_of(const struct run_query *q) {
    return q->removed && q->order == BY_TIME ? "deleted_ns, run" : orders[q->order];
}

/* Among equals, and those without the metric last. */
static const char *by_value(const struct placing *p) {
    if (isnan(p->value))
        return "value_of(run) IS NOT NULL OR";
    return p->q->ascending ? "value_of(run) < ?2 OR value_of(run) = ?2 AND"
                           : "value_of(run) > ?2 OR value_of(run) = ?2 AND";
}

static int count(const struct placing *p, uint64_t *place) {
    const char *order = order_of(p->q);
    char sql[512];
    int64_t n = 0;
    snprintf(sql, sizeof(sql),
             "SELECT count(*) FROM runs WHERE deleted_ns IS %sNULL%s AND (%s (%s) %s"
             " (SELECT %s FROM runs WHERE run = ?1))",
             p->q->removed ? "NOT " : "", pick_is_needed(p->q) ? " AND picked(run)" : "",
             p->q->order == BY_METRIC ? by_value(p) : "", order, p->q->ascending ? "<" : ">",
             order);
    const int rc = p->q->order == BY_METRIC && !isnan(p->value)
                       ? sq_number(p->sq, &n, p->err, sql, "id", p->run, p->value)
                       : sq_number(p->sq, &n, p->err, sql, "i", p->run);
    *place = (uint64_t)n;
    return rc;
}

static int find(struct placing *p, const char *id) {
    char sql[160];
    snprintf(sql, sizeof(sql), "SELECT run FROM runs WHERE id = ?1 AND deleted_ns IS %sNULL%s",
             p->q->removed ? "NOT " : "", pick_is_needed(p->q) ? " AND picked(run)" : "");
    const int rc = sq_number(p->sq, &p->run, p->err, sql, "t", id);
    return rc == -ENOENT ? err_set(p->err, rc, "run %.40s: not in this list", id) : rc;
}

static int read_values(struct placing *p, struct values *v) {
    const char *name = p->q->by ? p->q->by : p->q->metric;
    double se;
    int rc = values_open(p->sq, v, name, VALUES_ALONE, p->err);
    return rc < 0 ? rc : values_get(p->sq, v, p->run, &p->value, &se, p->err);
}

int sq_place(void *impl, const struct run_query *q, const char *id, uint64_t *place,
             struct err *err) {
    struct placing p = {.sq = impl, .q = q, .err = err, .value = NAN};
    struct values values = {0};
    struct pick pick = {0};
    int rc = sq_begin(p.sq, "looking for a run", SQ_READS, err);
    if (rc == 0 && pick_is_needed(q))
        rc = pick_runs(p.sq, q, &pick, err);
    p.sq->pick = &pick;
    p.sq->values = &values;
    if (rc == 0)
        rc = find(&p, id);
    if (rc == 0 && q->order == BY_METRIC)
        rc = read_values(&p, &values);
    if (rc == 0)
        rc = count(&p, place);
    p.sq->pick = NULL;
    p.sq->values = NULL;
    pick_free(&pick);
    values_close(&values);
    return sq_end(p.sq, rc, err);
}
