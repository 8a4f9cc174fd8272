#include "db/pool_of_runs.h"

#include "base/str.h"
#include "model/compare/pool.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* "nginx, redis-server": each once. */
struct names {
    char text[512];
};

static void add_process(struct names *names, const char *process) {
    char *all = names->text;
    const size_t n = strlen(process);
    struct strbuf sb = {all, strlen(all), sizeof(names->text)};
    for (const char *at = all; n && *at;) {
        if (!strncmp(at, process, n) && (at[n] == '\0' || at[n] == ','))
            return;
        const char *comma = strstr(at, ", ");
        at = comma ? comma + 2 : "";
    }
    strbuf_add(&sb, "%s%s", *all && n ? ", " : "", process);
}

static void add_time(struct pool_of_runs *p, const struct run *r) {
    const double took = (double)r->measured_ns / 1e9;
    p->shortest_s = p->longest_s > 0 ? fmin(p->shortest_s, took) : took;
    p->longest_s = fmax(p->longest_s, took);
}

static void add_run(struct pool_of_runs *p, struct names *names, const struct run *r) {
    add_process(names, r->process);
    add_time(p, r);
}

static int set_process(struct run *r, const struct names *names, struct err *err) {
    return run_set_text(&r->process, names->text) == 0
               ? 0
               : err_set(err, -ENOMEM, "pooling runs: out of memory");
}

static int sample_runs(struct store *st, const struct run_list *list, struct pool_of_runs *out,
                       struct err *err) {
    struct pool pool = {0};
    struct names names = {""};
    bool simulated = false;
    int rc = 0;
    for (size_t i = 0; i < list->n && rc == 0; i++) {
        struct run r = {0};
        rc = store_load(st, list->row[i].id, RUN_HEAD, &r, err);
        if (rc == 0)
            rc = pool_add(&pool, &r, err);
        if (rc == 0)
            add_run(out, &names, &r);
        simulated |= r.simulated;
        run_free(&r);
    }
    out->kind = SIDE_RUNS;
    out->n_interval = pool.n_interval;
    if (rc == 0)
        rc = pool_finish(&pool, &out->run, err);
    if (rc == 0)
        rc = set_process(&out->run, &names, err);
    out->run.simulated = simulated;
    pool_free(&pool);
    return rc;
}

/* Of two runs, the older one first. */
static int join_runs(struct store *st, const struct run_list *list, struct pool_of_runs *out,
                     struct err *err) {
    struct run newer = {0};
    struct names names = {""};
    bool by_counts = true;
    int rc = store_load(st, list->row[list->n - 1].id, RUN_ALL, &out->run, err);
    if (rc == 0 && list->n > 1)
        rc = store_load(st, list->row[0].id, RUN_ALL, &newer, err);
    out->n_interval = pool_intervals(&out->run) + pool_intervals(&newer);
    if (rc == 0)
        add_run(out, &names, &out->run);
    if (rc == 0 && list->n > 1)
        add_run(out, &names, &newer);
    if (rc == 0 && list->n > 1)
        rc = pool_join(&out->run, &newer, &by_counts, err);
    if (rc == 0)
        rc = set_process(&out->run, &names, err);
    out->run.simulated |= newer.simulated;
    out->kind = list->n == 1 ? SIDE_RUN : by_counts ? SIDE_INTERVALS : SIDE_VALUES;
    run_free(&newer);
    return rc;
}

int pool_of_runs(struct store *st, const struct run_list *list, struct pool_of_runs *out,
                 struct err *err) {
    *out = (struct pool_of_runs){0};
    const int rc = (list->n >= POOL_LEAST ? sample_runs : join_runs)(st, list, out, err);
    if (rc < 0)
        pool_of_runs_free(out);
    return rc;
}

void pool_of_runs_free(struct pool_of_runs *p) {
    run_free(&p->run);
    *p = (struct pool_of_runs){0};
}
