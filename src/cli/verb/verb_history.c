/* `tdtop history METRIC`: one metric over the runs of a filter, by date, and which runs stand out.
 */
#include "base/str.h"
#include "base/when.h"
#include "cli/file/json_out.h"
#include "cli/file/run_json.h"
#include "cli/out/csv.h"
#include "cli/out/table.h"
#include "db/store.h"
#include "model/stats/outlier.h"

#include <errno.h>
#include <langinfo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Runs [from, from + n) of the list have the same value of the label. */
struct group {
    const char *value; /* NULL: without the label, or there is no --group-by */
    size_t from, n;
    struct outlier_sum sum;
    struct outlier_group apart; /* among the groups */
};

enum { APART_PERCENT = 5 }; /* chance that any of groups which do not differ is told apart */

struct chart {
    const struct args *a;
    struct run_pick pick;
    struct run_list list;
    const char *metric;
    struct metric_shape shape;
    bool left_out;              /* there are older runs, which were not asked for */
    const struct run_row **row; /* [n] with the metric: group by group, the oldest first */
    double *v;                  /* [n] */
    struct outlier *o;          /* [n] */
    size_t n;
    ARRAY(struct group) group;
};

/* ---- which runs ---- */

static int no_memory(struct err *err) {
    return err_set(err, -ENOMEM, "history: out of memory; close other programs");
}

static const char *group_of(const struct chart *h, const struct run_row *row) {
    return h->a->group_by ? run_row_label(row, h->a->group_by) : NULL;
}

/* Of a server those that are likely to have so many with the metric, then as many as it counts. */
static int list_newest(struct chart *h, struct err *err) {
    enum { SPARE = 100 };
    struct run_query *q = &h->pick.query;
    const uint64_t most = run_pick_most(&h->pick, h->a);
    const uint64_t asked = h->a->limit > 0 ? (uint64_t)h->a->limit : 0;
    size_t known = 0;
    q->limit = most && asked ? 2 * asked + SPARE : most;
    int rc = store_list(&h->pick.store, q, &h->list, err);
    for (size_t i = 0; rc == 0 && i < h->list.n; i++)
        known += isfinite(h->list.row[i].value) != 0;
    if (rc < 0 || q->limit == most || known >= asked || h->list.n < q->limit)
        return rc;
    run_list_free(&h->list);
    q->limit = most > asked ? most : asked;
    return store_list(&h->pick.store, q, &h->list, err);
}

static int read_list(struct chart *h, struct err *err) {
    const char *keys[] = {RUN_REEVAL_OF, h->a->group_by, NULL};
    struct run_query *q = &h->pick.query;
    q->metric = h->metric;
    q->order = BY_TIME;
    q->without_top = true;
    q->keys = keys;
    int rc = list_newest(h, err);
    q->keys = NULL;
    h->left_out = rc == 0 && h->a->limit < 0 && (h->list.more || h->list.n < h->list.total);
    if (rc == 0 && run_latest(&h->list) < 0)
        rc = no_memory(err);
    return rc < 0 ? rc : run_pick_shape(&h->pick, &h->list, h->metric, &h->shape, err);
}

/* Of those with the metric the newest that are asked for, the oldest first. */
static int take_rows(struct chart *h, struct err *err) {
    const size_t most = h->a->limit > 0 ? (size_t)h->a->limit : h->list.n;
    h->row = calloc(h->list.n + 1, sizeof(struct run_row *));
    h->v = calloc(h->list.n + 1, sizeof(*h->v));
    h->o = calloc(h->list.n + 1, sizeof(*h->o));
    if (!h->row || !h->v || !h->o)
        return no_memory(err);
    for (size_t i = 0; i < h->list.n && h->n < most; i++)
        if (isfinite(h->list.row[i].value))
            h->row[h->n++] = &h->list.row[i];
    for (size_t i = 0; i < h->n / 2; i++) {
        const struct run_row *r = h->row[i];
        h->row[i] = h->row[h->n - 1 - i];
        h->row[h->n - 1 - i] = r;
    }
    return 0;
}

static int make_groups(struct chart *h, struct err *err) {
    if (run_pick_group(h->row, h->n, h->a->group_by) < 0)
        return no_memory(err);
    for (size_t i = 0; i < h->n; i++) {
        if (i && run_pick_same(h->row[i - 1], h->row[i], h->a->group_by))
            h->group.at[h->group.n - 1].n++;
        else if (array_push(&h->group,
                            (struct group){.value = group_of(h, h->row[i]), .from = i, .n = 1}) < 0)
            return no_memory(err);
    }
    return 0;
}

/* Runs that have the metric, but could not count it, make no history. */
static int none_known(const struct chart *h, struct err *err) {
    return err_set(err, -ENODATA,
                   "%s: known in none of %zu run%s; tdtop query %.8s --tree -v says why", h->metric,
                   h->list.n, h->list.n == 1 ? "" : "s", h->list.row[0].id);
}

/* A label that no run has is a slip of the pen. */
static void check_group(const struct chart *h) {
    if (h->a->group_by && h->group.n == 1 && !h->group.at[0].value)
        cli_note("--group-by %s: none of these runs has such a label; tdtop list -v shows theirs",
                 h->a->group_by);
}

static bool is_apart(const struct group *g) {
    return g->apart.p < APART_PERCENT / 100.0;
}

/* Those that differ first, then the largest. */
static int by_difference(const void *a, const void *b) {
    const struct group *x = a, *y = b;
    if (is_apart(x) != is_apart(y))
        return is_apart(x) ? -1 : 1;
    return (x->sum.mean < y->sum.mean) - (x->sum.mean > y->sum.mean);
}

static int compare_groups(struct chart *h, struct err *err) {
    struct outlier_of *of = calloc(h->group.n + 1, sizeof(*of));
    struct outlier_group *apart = calloc(h->group.n + 1, sizeof(*apart));
    for (size_t g = 0; of && g < h->group.n; g++) {
        const struct outlier_sum *sum = &h->group.at[g].sum;
        of[g] = (struct outlier_of){sum->mean, sum->sd, sum->n};
    }
    if (of && apart)
        outlier_groups(of, h->group.n, apart);
    for (size_t g = 0; of && apart && g < h->group.n; g++)
        h->group.at[g].apart = apart[g];
    const int rc = of && apart ? 0 : no_memory(err);
    if (rc == 0)
        qsort(h->group.at, h->group.n, sizeof(h->group.at[0]), by_difference);
    free(of);
    free(apart);
    return rc;
}

static int compute(struct chart *h, struct err *err) {
    int rc = take_rows(h, err);
    if (rc == 0 && h->n == 0)
        return none_known(h, err);
    if (rc == 0)
        rc = make_groups(h, err);
    for (size_t i = 0; i < h->n && rc == 0; i++)
        h->v[i] = h->row[i]->value;
    for (size_t g = 0; g < h->group.n && rc == 0; g++) {
        struct group *of = &h->group.at[g];
        of->sum = outlier_find(h->v + of->from, of->n, h->o + of->from);
    }
    if (rc == 0)
        check_group(h);
    return rc == 0 && h->a->summary ? compare_groups(h, err) : rc;
}

static double shown(const struct chart *h, double v) {
    return run_shown(h->shape.share, v);
}

/* ---- for people ---- */

/* One sign per run, of the newest that fit; below it '!' under those that stand out. */
static void print_spark(const struct chart *h, const struct group *g) {
    static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const ascii[] = {"_", "_", ".", "-", "-", "=", "=", "#"};
    const bool utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    const int width = table_terminal(stdout);
    if (width <= 0 || g->n < 2)
        return;
    const size_t n = g->n < (size_t)width ? g->n : (size_t)width, from = g->from + g->n - n;
    double least = h->v[from], most = least;
    bool any = false;
    for (size_t i = from; i < from + n; i++) {
        least = fmin(least, h->v[i]);
        most = fmax(most, h->v[i]);
        any |= h->o[i].anomaly;
    }
    for (size_t i = from; i < from + n; i++) {
        const int level = most > least ? (int)((h->v[i] - least) / (most - least) * 7.999) : 3;
        fputs((utf8 ? blocks : ascii)[level], stdout);
    }
    putchar('\n');
    for (size_t i = from; i < from + n && any; i++)
        putchar(h->o[i].anomaly ? '!' : ' ');
    fputs(any ? "\n" : "", stdout);
}

static const char *value_text(const struct chart *h, double v, char *buf, size_t cap) {
    if (isnan(v))
        buf[0] = '\0';
    else
        run_value_text(h->shape.share, h->shape.unit, v, buf, cap);
    return buf;
}

static void add_row(struct table *t, const struct chart *h, size_t i) {
    const struct run_row *row = h->row[i];
    char text[64];
    table_add(t, when_text(row->begun_ns, text, sizeof(text)));
    table_addf(t, "%.8s", row->id);
    table_add(t, value_text(h, h->v[i], text, sizeof(text)));
    table_add(t, value_text(h, h->o[i].rolling, text, sizeof(text)));
    if (isnan(h->o[i].z))
        table_add(t, "");
    else
        table_addf(t, "%+.2f", h->o[i].z);
    table_add(t, h->o[i].anomaly ? "anomaly" : "");
    table_add(t, row->process);
    table_addf(t, "%s%s", row->model, row->simulated ? " SIMULATED" : "");
    table_add(t, row->note);
}

static int print_group(const struct chart *h, const struct group *g) {
    static const struct table_column columns[] = {
        {"begun", false, 0},    {"run", false, 0},   {"value", true, 0},
        {"mean of 7", true, 0}, {"z", true, 0},      {"", false, 0},
        {"process", false, 8},  {"model", false, 6}, {"note", false, 12}};
    struct table t;
    char mean[48], sd[48], safe[256];
    if (h->a->group_by)
        printf("%s%s%s%s\n", g->from ? "\n" : "", g->value ? h->a->group_by : "without ",
               g->value ? "=" : h->a->group_by,
               str_safe(safe, sizeof(safe), g->value ? g->value : ""));
    print_spark(h, g);
    table_init(&t, columns, sizeof(columns) / sizeof(columns[0]));
    for (size_t i = g->from; i < g->from + g->n; i++)
        add_row(&t, h, i);
    const int rc = table_print(&t, stdout);
    table_free(&t);
    if (rc == 0 && g->n > 1)
        printf("%zu runs: mean %s, standard deviation %s\n", g->n,
               value_text(h, g->sum.mean, mean, sizeof(mean)),
               value_text(h, g->sum.sd, sd, sizeof(sd)));
    return rc;
}

static bool one_model(const struct chart *h) {
    for (size_t i = 1; i < h->n; i++)
        if (strcmp(h->row[i]->model, h->row[0]->model) != 0)
            return false;
    return true;
}

/* A line for each group. */
static int print_groups(const struct chart *h) {
    const struct table_column columns[] = {{h->a->group_by, false, 0}, {"runs", true, 0},
                                           {"mean", true, 0},          {"sd", true, 0},
                                           {"from others", true, 0},   {"", false, 0}};
    struct table t;
    char text[64];
    size_t n_apart = 0;
    table_init(&t, columns, sizeof(columns) / sizeof(columns[0]));
    for (size_t i = 0; i < h->group.n; i++) {
        const struct group *g = &h->group.at[i];
        table_add(&t, g->value ? g->value : "(none)");
        table_addf(&t, "%zu", g->n);
        table_add(&t, value_text(h, g->sum.mean, text, sizeof(text)));
        table_add(&t, value_text(h, g->sum.sd, text, sizeof(text)));
        if (isnan(g->apart.by)) /* the only one */
            table_add(&t, "-");
        else if (h->shape.share)
            table_addf(&t, "%+.1f points", g->apart.by * 100);
        else
            table_addf(&t, "%s%s", g->apart.by > 0 ? "+" : "",
                       value_text(h, g->apart.by, text, sizeof(text)));
        table_add(&t, is_apart(g) ? "differs" : "");
        n_apart += is_apart(g);
    }
    const int rc = table_print(&t, stdout);
    table_free(&t);
    if (rc == 0 && h->group.n < OUTLIER_LEAST)
        printf("%zu group%s: too few to tell whether one differs\n", h->group.n,
               h->group.n == 1 ? "" : "s");
    else if (rc == 0)
        printf("%zu of %zu groups differ from the others (%d%% chance that any does without a "
               "cause)\n",
               n_apart, h->group.n, APART_PERCENT);
    return rc;
}

static int print_text(const struct chart *h) {
    int rc = h->a->summary ? print_groups(h) : 0;
    for (size_t i = 0; i < h->group.n && rc == 0 && !h->a->summary; i++)
        rc = print_group(h, &h->group.at[i]);
    if (rc < 0)
        cli_note("history: out of memory; close other programs");
    if (!one_model(h))
        cli_note("the runs are of different models: the same name need not be the same formula; "
                 "--filter model=NAME narrows them down");
    const size_t known = h->a->limit > 0 && h->n == (size_t)h->a->limit ? h->list.n : h->n;
    if (known < h->list.n)
        cli_note("%zu of %zu runs do not have %s", h->list.n - known, h->list.n, h->metric);
    return rc < 0 ? EXIT_ERROR : EXIT_OK;
}

/* ---- for programs ---- */

static json_t *json_row(const struct chart *h, size_t i) {
    const struct run_row *row = h->row[i];
    char when[64];
    json_t *o = json_object();
    json_set(o, "run_id", run_json_text(row->id));
    json_set(o, "started_at", run_json_text(when_iso(row->begun_ns, when, sizeof(when))));
    json_set(o, "value", json_number(shown(h, h->v[i])));
    json_set(o, "se", json_number(shown(h, row->value_se)));
    json_set(o, "rolling_mean", json_number(shown(h, h->o[i].rolling)));
    json_set(o, "z", json_number(h->o[i].z));
    json_set(o, "anomaly", json_boolean(h->o[i].anomaly));
    json_set(o, "process_name", run_json_text(row->process));
    json_set(o, "model", run_json_text(row->model));
    json_set(o, "simulated", json_boolean(row->simulated));
    return o;
}

static void put_group(json_t *o, const struct chart *h, const struct group *g) {
    json_t *runs = json_array();
    for (size_t i = g->from; i < g->from + g->n; i++)
        json_array_append_new(runs, json_row(h, i));
    json_set(o, "n", json_integer((json_int_t)g->n));
    json_set(o, "mean", json_number(shown(h, g->sum.mean)));
    json_set(o, "sd", json_number(shown(h, g->sum.sd)));
    if (h->a->summary) {
        json_set(o, "from_others", json_number(shown(h, g->apart.by)));
        json_set(o, "p", json_number(g->apart.p));
        json_set(o, "differs", json_boolean(is_apart(g)));
    } else {
        json_set(o, "runs", json_incref(runs));
    }
    json_decref(runs);
}

static int print_json(const struct chart *h) {
    json_t *o = json_object(), *groups = json_array();
    json_set(o, "metric_name", run_json_text(h->metric));
    json_set(o, "unit", run_json_text(run_unit(h->shape.share, h->shape.unit)));
    for (size_t i = 0; i < h->group.n && h->a->group_by; i++) {
        json_t *g = json_object();
        json_set(g, "label", run_json_text(h->a->group_by));
        json_set(g, "label_value",
                 h->group.at[i].value ? run_json_text(h->group.at[i].value) : json_null());
        put_group(g, h, &h->group.at[i]);
        json_array_append_new(groups, g);
    }
    if (h->a->group_by)
        json_set(o, "groups", json_incref(groups));
    else if (h->group.n)
        put_group(o, h, &h->group.at[0]);
    json_decref(groups);
    return json_print(o, JSON_INDENT(1));
}

static int print_csv(const struct chart *h) {
    struct csv c;
    csv_init(&c, stdout, ",");
    csv_head(&c, "started_at,run_id,metric_name,value,unit,se,rolling_mean,z,anomaly,process_name,"
                 "model,simulated,group");
    for (size_t i = 0; i < h->n; i++) {
        const struct run_row *row = h->row[i];
        const char *group = group_of(h, row);
        csv_time(&c, row->begun_ns);
        csv_text(&c, row->id);
        csv_text(&c, h->metric);
        csv_number(&c, shown(h, h->v[i]));
        csv_text(&c, run_unit(h->shape.share, h->shape.unit));
        csv_number(&c, shown(h, row->value_se));
        csv_number(&c, shown(h, h->o[i].rolling));
        csv_number(&c, h->o[i].z);
        csv_bool(&c, h->o[i].anomaly);
        csv_text(&c, row->process);
        csv_text(&c, row->model);
        csv_bool(&c, row->simulated);
        csv_text(&c, group ? group : "");
        csv_end(&c);
    }
    return EXIT_OK;
}

/* ---- the verb ---- */

int verb_history(const struct args *a) {
    struct chart *h = calloc(1, sizeof(*h));
    struct err err = {0};
    if (!h) {
        cli_note("history: out of memory; close other programs");
        return EXIT_ERROR;
    }
    h->a = a;
    h->metric = a->word[0];
    int rc =
        a->summary && !a->group_by
            ? err_set(&err, -EINVAL, "history --summary: of which groups? give --group-by LABEL")
            : run_pick_open(&h->pick, a, STORE_READ, &err);
    if (rc == 0)
        rc = read_list(h, &err);
    if (rc == 0)
        rc = compute(h, &err);
    const int code = rc < 0 ? run_pick_exit(&err)
                            : (a->json  ? print_json
                               : a->csv ? print_csv
                                        : print_text)(h);
    fflush(stdout);
    if (rc == 0 && h->left_out)
        cli_note(
            "of the newest %llu runs of more; a filter, --since or --until chooses others, -n 0 "
            "takes all",
            (unsigned long long)h->pick.query.limit);
    run_list_free(&h->list);
    run_pick_close(&h->pick);
    array_free(&h->group);
    free(h->row);
    free(h->v);
    free(h->o);
    free(h);
    return cli_finish(code);
}
