/* `tdtop list`: the stored runs, newest first. */
#include "base/clock.h"
#include "base/str.h"
#include "base/when.h"
#include "cli/file/run_json.h"
#include "cli/out/csv.h"
#include "cli/out/table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LIMIT = 20,   /* as topdown-profiler's */
    OF_GROUP = 5, /* shown of each group */
    SHORT_ID = 8, /* digits that name a run among some thousands */
    LONG_ID = 11, /* among millions */
    MANY_RUNS = 5000,
};

struct listing {
    const struct args *a;
    struct run_pick pick;
    struct run_list list;
    const char *metric; /* or NULL */
    struct metric_shape shape;
    uint64_t n_printed; /* rows that were printed as they were read */
    char *text;         /* the labels of a row; n_text bytes */
    size_t n_text;
    size_t of_group; /* rows shown of each group; 0: all */
};

/* ---- in which order ---- */

static const struct {
    const char *name;
    enum run_order order;
} orders[] = {{"time", BY_TIME},
              {"duration", BY_DURATION},
              {"process", BY_PROCESS},
              {"model", BY_MODEL},
              {"metric", BY_METRIC}};
enum { N_ORDER = sizeof(orders) / sizeof(orders[0]) };

/* "KEY", or "KEY-" and "-KEY": reversed. Texts begin at A, all else with the most. */
static int set_order(struct listing *l, struct err *err) {
    const char *text = l->a->sort ? l->a->sort : "time";
    char key[32];
    bool reversed = text[0] == '-';
    str_copy(key, sizeof(key), text + reversed);
    const size_t n = strlen(key);
    if (n && key[n - 1] == '-') {
        reversed = true;
        key[n - 1] = '\0';
    }
    int i = 0;
    while (i < N_ORDER && strcmp(key, orders[i].name) != 0)
        i++;
    if (i == N_ORDER)
        return err_set(err, -EINVAL, "--sort %s: it takes time, duration, process, model or metric",
                       text);
    if (orders[i].order == BY_METRIC && !l->metric)
        return err_set(err, -EINVAL, "--sort metric: which one? add --metric NAME");
    const bool text_order = orders[i].order == BY_PROCESS || orders[i].order == BY_MODEL;
    l->pick.query.order = orders[i].order;
    l->pick.query.ascending = reversed != text_order;
    return 0;
}

static int set_metric(struct listing *l, struct err *err) {
    if (l->a->metrics.n > 1)
        return err_set(err, -EINVAL, "--metric %s: list shows one metric; %s was given first",
                       l->a->metrics.at[1], l->a->metrics.at[0]);
    l->metric = l->a->metrics.n ? l->a->metrics.at[0] : NULL;
    l->pick.query.metric = l->metric;
    return 0;
}

/* For people, groups are made of all runs; of each the first ones are shown. */
static bool is_grouped_text(const struct listing *l) {
    return l->a->group_by && !l->a->json && !l->a->csv;
}

static int make_query(struct listing *l, struct err *err) {
    int rc = set_metric(l, err);
    if (rc == 0)
        rc = set_order(l, err);
    l->pick.query.limit = l->a->limit >= 0 ? (uint64_t)l->a->limit : LIMIT;
    if (is_grouped_text(l)) {
        l->of_group = l->a->limit >= 0 ? (size_t)l->a->limit : OF_GROUP;
        l->pick.query.limit = run_pick_most(&l->pick, l->a);
    }
    l->pick.query.without_top = !l->a->json && !l->a->csv;
    l->pick.query.without_share = true;
    return rc;
}

static int read_list(struct listing *l, struct err *err) {
    int rc = store_list(&l->pick.store, &l->pick.query, &l->list, err);
    if (rc == 0 && l->metric && l->list.n)
        rc = run_pick_shape(&l->pick, &l->list, l->metric, &l->shape, err);
    return rc;
}

/* ---- runs of one value of a label together ---- */

static int group(struct listing *l, struct err *err) {
    const size_t n = l->list.n;
    if (!l->a->group_by || n == 0)
        return 0;
    const struct run_row **at = calloc(n, sizeof(struct run_row *));
    struct run_row *row = calloc(n, sizeof(*row));
    for (size_t i = 0; i < n && at; i++)
        at[i] = &l->list.row[i];
    const bool ok = at && row && run_pick_group(at, n, l->a->group_by) == 0;
    for (size_t i = 0; i < n && ok; i++)
        row[i] = *at[i];
    if (ok)
        memcpy(l->list.row, row, n * sizeof(*row));
    free(at);
    free(row);
    return ok ? 0 : err_set(err, -ENOMEM, "list: out of memory; close other programs");
}

static void add_heading(struct table *t, const struct listing *l, size_t from) {
    const struct run_row *row = l->list.row;
    const char *value = run_row_label(&row[from], l->a->group_by);
    char text[256];
    size_t n = 1;
    while (from + n < l->list.n && run_pick_same(&row[from], &row[from + n], l->a->group_by))
        n++;
    struct strbuf sb = strbuf_on(text, sizeof(text));
    strbuf_add(&sb, "%s%s%.180s, %zu run%s", value ? l->a->group_by : "without ",
               value ? "=" : l->a->group_by, value ? value : "", n, n == 1 ? "" : "s");
    table_heading(t, text);
}

/* ---- for people ---- */

static const struct table_column columns[] = {
    {"run", false, 0},     {"begun", false, 0}, {"time", true, 0},         {"process", false, 8},
    {"model", false, 12},  {"level", true, 0},  {"bottleneck", false, 12}, {"metric", true, 0},
    {"labels", false, 12}, {"note", false, 12}, {"removed", false, 0},     {"state", false, 0},
};

static void add_labels(struct table *t, const struct run_row *row, const struct args *a) {
    char text[512] = "";
    struct strbuf sb = strbuf_on(text, sizeof(text));
    for (size_t i = 0; i < row->n_label; i++)
        if (a->verbose || !row->label[i].automatic)
            strbuf_add(&sb, "%s%s=%s", sb.n ? " " : "", row->label[i].key, row->label[i].value);
    table_add(t, text);
}

static void add_row(struct table *t, const struct listing *l, const struct run_row *row) {
    char text[64];
    const char *limit = strrchr(row->bottleneck, '.');
    table_addf(t, "%.*s",
               l->a->verbose               ? RUN_ID_LEN
               : l->list.total > MANY_RUNS ? LONG_ID
                                           : SHORT_ID,
               row->id);
    table_add(t, when_short(row->begun_ns, (int64_t)clock_wall_ns(), text, sizeof(text)));
    table_add(t, when_duration(row->duration_ns, text, sizeof(text)));
    table_add(t, row->process);
    table_addf(t, "%s%s", row->simulated ? "SIMULATED " : "", row->model);
    table_addf(t, row->level ? "%d" : "all", row->level);
    table_add(t, limit ? limit + 1 : row->bottleneck);
    table_add(t, l->metric
                     ? run_value_text(l->shape.share, l->shape.unit, row->value, text, sizeof(text))
                     : "");
    add_labels(t, row, l->a);
    table_add(t, row->note);
    table_add(t, row->removed_ns
                     ? when_short(row->removed_ns, (int64_t)clock_wall_ns(), text, sizeof(text))
                     : "");
    table_add(t, row->unfinished ? "unfinished" : "");
}

/* An empty list is an answer, not an error: why it is empty, and what would not be. */
static void say_nothing(struct listing *l) {
    const struct run_query *q = &l->pick.query;
    const char *path = l->pick.store.path;
    const bool narrowed = q->n_filter || q->since_ns || q->until_ns || q->process;
    struct store_stats s = {0};
    if (!narrowed)
        store_stats(&l->pick.store, &s, NULL);
    if (narrowed)
        cli_note("%s: no %s match", path, q->removed ? "removed runs" : "runs");
    else if (q->removed)
        cli_note("%s: no runs are removed", path);
    else if (s.n_deleted)
        cli_note("%s: no runs but %llu removed; tdtop list --removed shows them", path,
                 (unsigned long long)s.n_deleted);
    else
        cli_note("%s: no runs yet; tdtop collect makes some", path);
}

static void say_rest(const struct listing *l, size_t shown) {
    char first[64] = "";
    if (l->of_group)
        str_copy(first, sizeof(first), ", the first of each group");
    if (l->of_group && (l->list.more || l->list.n < l->list.total))
        snprintf(first, sizeof(first), ", the first of each group in the first %zu", l->list.n);
    if (shown < l->list.total || l->list.more)
        cli_note("%zu of %s%llu runs%s; -n 0 shows all", shown, l->list.more ? "more than " : "",
                 (unsigned long long)l->list.total, first);
}

static int print_text(struct listing *l) {
    enum { N = sizeof(columns) / sizeof(columns[0]), METRIC = 7 };
    struct table_column column[N];
    struct table t;
    memcpy(column, columns, sizeof(column));
    column[METRIC].title = l->metric ? l->metric : "";
    table_init(&t, column, N);
    size_t in_group = 0, shown = 0;
    for (size_t i = 0; i < l->list.n; i++) {
        const struct run_row *row = l->list.row;
        if (l->a->group_by && (i == 0 || !run_pick_same(&row[i - 1], &row[i], l->a->group_by))) {
            add_heading(&t, l, i);
            in_group = 0;
        }
        if (l->of_group && in_group++ >= l->of_group)
            continue;
        add_row(&t, l, &row[i]);
        shown++;
    }
    int rc = l->list.n ? table_print(&t, stdout) : 0;
    table_free(&t);
    if (rc < 0)
        cli_note("list: out of memory; close other programs");
    fflush(stdout); /* so that the words come last */
    if (l->list.n == 0)
        say_nothing(l);
    else
        say_rest(l, shown);
    return rc < 0 ? EXIT_ERROR : EXIT_OK;
}

/* ---- for programs ---- */

static json_t *json_row(const struct listing *l, const struct run_row *row) {
    json_t *o = run_json_row(row);
    if (l->metric) {
        json_object_set_new(o, "metric_name", run_json_text(l->metric));
        json_object_set_new(o, "value", json_number(run_shown(l->shape.share, row->value)));
        json_object_set_new(o, "se", json_number(run_shown(l->shape.share, row->value_se)));
        json_object_set_new(o, "unit", run_json_text(run_unit(l->shape.share, l->shape.unit)));
    }
    return o;
}

/* Elements of an array, indented by one as jansson would print the whole. */
static void json_element(const struct listing *l, const struct run_row *row, bool first) {
    json_t *o = json_row(l, row);
    char *text = cli_lacks() ? NULL : json_dumps(o, JSON_INDENT(1));
    json_decref(o);
    if (!text)
        cli_lack();
    fputs(first ? "[" : ",", stdout);
    for (char *line = text, *end; line; line = end) {
        if ((end = strchr(line, '\n')))
            *end++ = '\0';
        fputs("\n ", stdout);
        fputs(line, stdout);
    }
    free(text);
}

static int print_json(struct listing *l) {
    for (size_t i = 0; i < l->list.n; i++)
        json_element(l, &l->list.row[i], i == 0);
    puts(l->list.n ? "\n]" : "[]");
    return cli_lacks() ? EXIT_ERROR : EXIT_OK;
}

/* Labels of a row are one field, "a=b;c=d": a ';' or '\' in a value has a '\' before it, a newline
 * is "\n" and a tab "\t". Keys have none of these, and no '='. */
static char *put_value(char *to, const char *value) {
    for (; *value; value++) {
        const bool named = *value == '\n' || *value == '\t';
        if (named || *value == ';' || *value == '\\')
            *to++ = '\\';
        *to++ = named ? (*value == '\n' ? 'n' : 't') : *value;
    }
    return to;
}

static void csv_labels(struct listing *l, struct csv *c, const struct run_row *row) {
    size_t most = 1;
    for (size_t i = 0; i < row->n_label; i++)
        most += strlen(row->label[i].key) + 2 * strlen(row->label[i].value) + 2;
    if (most > l->n_text) {
        free(l->text);
        l->text = malloc(most);
        l->n_text = l->text ? most : 0;
    }
    if (!l->text) {
        cli_lack();
        return;
    }
    char *to = l->text;
    for (size_t i = 0; i < row->n_label; i++) {
        if (i)
            *to++ = ';';
        to = stpcpy(to, row->label[i].key);
        *to++ = '=';
        to = put_value(to, row->label[i].value);
    }
    *to = '\0';
    csv_text(c, l->text);
}

static void csv_begin(void) {
    struct csv c;
    csv_init(&c, stdout, ",");
    csv_head(&c, "run_id,started_at,duration,samples,process_name,target,model,level,system_wide,"
                 "simulated,bottleneck,frontend_bound,bad_speculation,backend_bound,retiring,"
                 "metric_name,value,unit,note,labels");
}

static void csv_row(struct listing *l, const struct run_row *row) {
    struct csv c;
    csv_init(&c, stdout, ",");
    csv_text(&c, row->id);
    csv_time(&c, row->begun_ns);
    csv_number(&c, (double)row->duration_ns / 1e9);
    csv_integer(&c, (int64_t)row->n_interval);
    csv_text(&c, row->process);
    csv_text(&c, row->target);
    csv_text(&c, row->model);
    csv_integer(&c, row->level);
    csv_bool(&c, row->system_wide);
    csv_bool(&c, row->simulated);
    csv_text(&c, row->bottleneck);
    for (int k = 0; k < 4; k++)
        csv_number(&c, run_shown(true, row->top[k]));
    csv_text(&c, l->metric ? l->metric : "");
    csv_number(&c, l->metric ? run_shown(l->shape.share, row->value) : NAN);
    csv_text(&c, l->metric ? run_unit(l->shape.share, l->shape.unit) : "");
    csv_text(&c, row->note);
    csv_labels(l, &c, row);
    csv_end(&c);
}

static int print_csv(struct listing *l) {
    csv_begin();
    for (size_t i = 0; i < l->list.n; i++)
        csv_row(l, &l->list.row[i]);
    return EXIT_OK;
}

/* ---- as they are read ---- */

/* How a metric is shown is known when all are, and groups are sorted. */
static bool prints_each(const struct listing *l) {
    return (l->a->csv || l->a->json) && !l->metric && !l->a->group_by;
}

static int print_one(void *user, const struct run_row *row) {
    struct listing *l = user;
    if (l->n_printed == 0 && l->a->csv)
        csv_begin();
    if (l->a->csv)
        csv_row(l, row);
    else
        json_element(l, row, l->n_printed == 0);
    l->n_printed++;
    return 0;
}

/* What is printed ends well where reading does not: standard error and the exit code tell. */
static int print_each(struct listing *l, struct err *err) {
    const int rc = store_list_each(&l->pick.store, &l->pick.query, print_one, l, err);
    if (l->n_printed)
        fputs(l->a->csv ? "" : "\n]\n", stdout);
    else if (rc == 0)
        (l->a->csv ? print_csv : print_json)(l);
    return rc;
}

/* ---- the verb ---- */

/* No store is a store without runs. */
static int print_nothing(const struct args *a, const struct err *err) {
    struct listing none = {.a = a};
    if (a->json)
        print_json(&none);
    else if (a->csv)
        print_csv(&none);
    else
        cli_error(err);
    return EXIT_ERROR;
}

int verb_list(const struct args *a) {
    struct listing *l = calloc(1, sizeof(*l));
    struct err err = {0};
    int code = EXIT_ERROR;
    if (!l) {
        cli_note("list: out of memory; close other programs");
        return EXIT_ERROR;
    }
    l->a = a;
    int rc = run_pick_open(&l->pick, a, STORE_READ, &err);
    const bool missing = rc == -ENOENT;
    if (rc == 0)
        rc = make_query(l, &err);
    const bool each = prints_each(l);
    if (rc == 0)
        rc = (each ? print_each : read_list)(l, &err);
    if (rc == 0 && !each)
        rc = group(l, &err);
    if (missing)
        code = print_nothing(a, &err);
    else if (rc < 0)
        code = run_pick_exit(&err);
    else
        code = each ? EXIT_OK : (a->json ? print_json : a->csv ? print_csv : print_text)(l);
    run_pick_say_newest(&l->list);
    if (rc == 0 && l->list.n + l->n_printed == 0)
        code = EXIT_ERROR; /* as whoever asks for runs, and none is there */
    run_list_free(&l->list);
    run_pick_close(&l->pick);
    free(l->text);
    free(l);
    return cli_finish(code);
}
