/*
 * `tdtop query`: the values of a run. The views and their orders are topdown-profiler's: by default
 * the deepest node that matters under each root, but the bottleneck first; --bottlenecks, --funnel,
 * --tree; and --bottleneck NODE, the runs in which that node is large.
 */
#include "base/clock.h"
#include "base/str.h"
#include "base/when.h"
#include "cli/verb/query_nodes.h"
#include "cli/verb/query_print.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TOP_N = 10, FUNNEL_LEVEL = 3 };
static const double least_percent = 5;

struct query {
    const struct args *a;
    struct run_pick pick;
    struct run run;
    struct node_list nodes;
    struct model loaded;
    const struct model *model; /* the run's, for what its shares are shares of; NULL: not known */
};

static double least_share(const struct args *a) {
    return (isnan(a->min_pct) ? least_percent : a->min_pct) / 100;
}

/* ---- nodes of one run ---- */

static int load(struct query *q, struct err *err) {
    const struct args *a = q->a;
    const char *word = a->run ? a->run : a->word[0];
    char id[RUN_ID_LEN + 1];
    int rc =
        word ? run_pick_find(&q->pick, word, id, err) : run_pick_newest(&q->pick, NULL, id, err);
    if (rc == 0)
        rc = store_load(&q->pick.store, id, RUN_MODEL, &q->run, err);
    if (rc != -EUCLEAN)
        return rc;
    run_free(&q->run); /* the values may be sound where the model's text is not */
    if (store_load(&q->pick.store, id, RUN_HEAD, &q->run, NULL) < 0)
        return rc;
    cli_error(err);
    return 0;
}

/* Runs of values that other tools measured have none; values are shown without it, too. */
static void load_model(struct query *q) {
    const char *text = q->run.model_text;
    const int rc =
        text && text[0] ? model_load(&q->loaded, text, strlen(text), q->run.model, NULL) : -ENOENT;
    if (rc == -ENOMEM)
        cli_lack();
    if (rc == 0)
        q->model = &q->loaded;
}

/* What each view takes, and how deep. */
static int choose(struct query *q, struct err *err) {
    const struct args *a = q->a;
    const int level = a->level < 0 ? (a->funnel ? FUNNEL_LEVEL : 0) : (int)a->level;
    const size_t limit = a->limit < 0 ? TOP_N : (size_t)a->limit;
    int rc;
    if (a->tree || a->funnel)
        rc = nodes_in_order(&q->run, level, a->tree && a->verbose, &q->nodes);
    else if (a->bottlenecks)
        rc = nodes_over(&q->run, q->model, least_share(a), level, limit, &q->nodes);
    else
        rc = nodes_deepest(&q->run, q->model, least_share(a), level, limit, &q->nodes);
    return rc < 0 ? err_set(err, rc, "query: out of memory; close other programs") : 0;
}

static int show_nodes(struct query *q, struct err *err) {
    const struct args *a = q->a;
    int rc = load(q, err);
    if (rc == 0)
        load_model(q);
    if (rc == 0)
        rc = choose(q, err);
    if (rc < 0)
        return run_pick_exit(err);
    const struct query_view view = {&q->run,   q->model, &q->nodes,
                                    a->funnel, a->tree,  a->bottlenecks};
    return (a->json ? query_print_json : a->csv ? query_print_csv : query_print_text)(&view);
}

/* ---- runs by one node ---- */

/* "Backend_Bound.Memory_Bound" is kept under its last name. */
static const char *last_name(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && dot[1] ? dot + 1 : path;
}

static int list_runs(struct query *q, const char *node, struct run_list *list, struct err *err) {
    static const char *no_keys[] = {NULL};
    struct metric_shape shape;
    q->pick.query.limit = q->a->limit > 0 ? (uint64_t)q->a->limit : 0;
    q->pick.query.keys = q->a->json ? NULL : no_keys;
    q->pick.query.metric = node;
    q->pick.query.order = BY_METRIC;
    q->pick.query.without_top = true;
    int rc = store_list(&q->pick.store, &q->pick.query, list, err);
    if (rc == 0)
        rc = run_pick_shape(&q->pick, list, node, &shape, err);
    if (rc == 0 && !shape.share)
        rc = err_set(err, -EINVAL,
                     "--bottleneck %s: it is no share of anything; `tdtop list --metric %s --sort "
                     "metric` orders runs by it",
                     node, node);
    return rc;
}

static int show_runs(struct query *q, struct err *err) {
    const struct args *a = q->a;
    const char *node = last_name(a->bottleneck);
    struct run_list list = {0};
    const int rc = list_runs(q, node, &list, err);
    size_t n = 0;
    while (rc == 0 && n < list.n && list.row[n].value >= least_share(a))
        n++;
    const struct query_runs runs = {node, list.row, n, least_share(a)};
    const int code = rc < 0    ? run_pick_exit(err)
                     : a->json ? query_runs_json(&runs)
                     : a->csv  ? query_runs_csv(&runs)
                               : query_runs_text(&runs);
    run_list_free(&list);
    return code;
}

/* ---- the verb ---- */

static int check(const struct args *a, struct err *err) {
    if (a->funnel + a->tree + a->bottlenecks + !!a->bottleneck > 1)
        return err_set(err, -EINVAL,
                       "--funnel, --tree, --bottlenecks and --bottleneck exclude each other; give "
                       "one of them");
    if (a->run && a->n_word)
        return err_set(err, -EINVAL, "--run %s and %s: one run at a time", a->run, a->word[0]);
    const char *run = a->run ? a->run : a->word[0];
    if (a->bottleneck && run)
        return err_set(err, -EINVAL, "--bottleneck lists runs; %s does not go with it", run);
    if (run && (a->filters.n || a->labels.n || a->name || a->since_ns || a->until_ns))
        return err_set(err, -EINVAL, "%s names a run; conditions that choose one do not go with it",
                       run);
    return 0;
}

int verb_query(const struct args *a) {
    struct query *q = calloc(1, sizeof(*q));
    struct err err = {0};
    int rc = q ? check(a, &err) : err_set(&err, -ENOMEM, "out of memory; close other programs");
    if (rc == 0)
        rc = run_pick_open(&q->pick, a, STORE_READ, &err);
    int code;
    if (rc < 0) {
        code = run_pick_exit(&err);
    } else {
        q->a = a;
        code = (a->bottleneck ? show_runs : show_nodes)(q, &err);
        array_free(&q->nodes);
        model_free(&q->loaded);
        run_free(&q->run);
        run_pick_close(&q->pick);
    }
    free(q);
    return cli_finish(code);
}
