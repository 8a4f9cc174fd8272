/*
 * `tdtop query`: the values of a run. The views and their orders are topdown-profiler's: by default
 * the deepest node that matters under each root, but the bottleneck first; --bottlenecks, --funnel,
 * --tree; and --bottleneck NODE, the runs in which that node is large.
 */
#include "base/array.h"
#include "base/clock.h"
#include "base/str.h"
#include "base/when.h"
#include "cli/file/json_out.h"
#include "cli/file/run_json.h"
#include "cli/out/csv.h"
#include "cli/out/table.h"
#include "cli/verb/query_view.h"
#include "model/eval/steady.h"
#include "model/load/model.h"
#include "model/load/model_text.h"
#include "model/load/time_parts.h"
#include "model/run/run.h"

#include <errno.h>
#include <langinfo.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct node_list {
    const struct run_node **at; /* borrowed from the run */
    void *grown_;               /* private, as in base/array.h */
    size_t n, cap;
};

/* Nodes of one run. */
struct query_view {
    const struct run *run;
    const struct model *model; /* that gave the values; NULL: not known */
    const struct node_list *nodes;
    bool funnel, tree; /* neither: a list */
    bool over;         /* of nodes over their threshold */
};

/* Runs in which a node has at least `least`. */
struct query_runs {
    const char *node;
    const struct run_row *row;
    size_t n;
    double least;
};

/* ---- which nodes, in which order ---- */

static bool in_tree(const struct run_node *n, int level) {
    return n->level > 0 && (!level || n->level <= level);
}

/* "A.B" is above "A.B.C" and "A.B.C.D". */
static bool is_above(const struct run_node *up, const struct run_node *n) {
    const size_t len = strlen(up->path);
    return up != n && !strncmp(n->path, up->path, len) && n->path[len] == '.';
}

static bool is_child(const struct run_node *up, const struct run_node *n) {
    return is_above(up, n) && n->level == up->level + 1;
}

/* The root above a node (or itself), NULL outside the tree or if the run does not have it. */
static const struct run_node *nodes_root(const struct run *r, const struct run_node *n) {
    for (size_t i = 0; i < r->node.n && n->level > 0; i++) {
        const struct run_node *up = &r->node.at[i];
        if (up->level == 1 && (up == n || is_above(up, n)))
            return up;
    }
    return NULL;
}

/* Largest first, unknown last, then as the model has them. */
static int by_value(const void *a, const void *b) {
    const struct run_node *const *x = a, *const *y = b;
    const double v = (*x)->value.v, w = (*y)->value.v;
    if (isnan(v) != isnan(w))
        return isnan(v) ? 1 : -1;
    if (v > w || v < w)
        return v > w ? -1 : 1;
    return *x < *y ? -1 : *x > *y;
}

static void sort(struct node_list *l, size_t from) {
    if (l->n > from)
        qsort(l->at + from, l->n - from, sizeof(*l->at), by_value);
}

/* What it is a share of where that is not the scope of its model ("clocks"); NULL: it is the scope,
 * or not known (m may be NULL). */
static const char *nodes_share_of(const struct model *m, const struct run_node *n) {
    const int i = m ? model_find(m, n->name) : METRIC_NONE;
    return i == METRIC_NONE ? NULL : metric_share_of(m, &m->metric[i]);
}

/* Shares of something else behind those of the scope. 0 or -ENOMEM. */
static int rank(struct node_list *l, const struct model *m, size_t from, size_t limit) {
    struct node_list others = {0};
    size_t n = from;
    int rc = 0;
    sort(l, from);
    for (size_t i = from; i < l->n && rc == 0; i++)
        if (nodes_share_of(m, l->at[i]))
            rc = array_push(&others, l->at[i]);
        else
            l->at[n++] = l->at[i];
    for (size_t i = 0; i < others.n && rc == 0; i++)
        l->at[n++] = others.at[i];
    array_free(&others);
    if (limit && l->n > limit)
        l->n = limit;
    return rc;
}

/* The children of a node; of NULL, those that no other is above. */
static int children(const struct run *r, const struct run_node *up, int level,
                    struct node_list *out) {
    int rc = 0;
    for (size_t i = 0; i < r->node.n && rc == 0; i++) {
        const struct run_node *n = &r->node.at[i];
        if (in_tree(n, level) && (up ? is_child(up, n) : n->level == 1))
            rc = array_push(out, n);
    }
    sort(out, 0);
    return rc;
}

static int walk(const struct run *r, const struct run_node *up, int level, struct node_list *out) {
    struct node_list below = {0};
    int rc = children(r, up, level, &below);
    for (size_t i = 0; i < below.n && rc == 0; i++) {
        rc = array_push(out, below.at[i]);
        if (rc == 0)
            rc = walk(r, below.at[i], level, out);
    }
    array_free(&below);
    return rc;
}

/* Depth first, siblings by value, unknown ones last; to a level (0: all). beside: then the metrics
 * outside the tree. All return 0 or -ENOMEM; array_free(out). */
static int nodes_in_order(const struct run *r, int level, bool beside, struct node_list *out) {
    int rc = walk(r, NULL, level, out);
    for (size_t i = 0; i < r->node.n && rc == 0 && beside; i++)
        if (r->node.at[i].level == 0)
            rc = array_push(out, &r->node.at[i]);
    return rc;
}

/* Nodes over their threshold of at least this share: those of the scope, largest first, then those
 * of something else, largest first: one share is not larger than another of something else. limit
 * 0: all. */
static int nodes_over(const struct run *r, const struct model *m, double least, int level,
                      size_t limit, struct node_list *out) {
    int rc = 0;
    for (size_t i = 0; i < r->node.n && rc == 0; i++) {
        const struct run_node *n = &r->node.at[i];
        if (in_tree(n, level) && n->value.over && n->value.v >= least)
            rc = array_push(out, n);
    }
    return rc < 0 ? rc : rank(out, m, 0, limit);
}

static bool is_deeper(const struct run_node *n, const struct run_node *than) {
    if (!than || n->level != than->level)
        return !than || n->level > than->level;
    return n->value.v > than->value.v;
}

/* The end of the bottleneck's path, or of as much of it as the level allows; NULL: there is none.
 */
static const struct run_node *limiting(const struct run *r, int level) {
    const struct run_node *end = NULL;
    const size_t len = strlen(r->bottleneck);
    for (size_t i = 0; i < r->node.n && len; i++) {
        const struct run_node *n = &r->node.at[i];
        const size_t at = strlen(n->path);
        const bool on_path = at <= len && !strncmp(r->bottleneck, n->path, at) &&
                             (r->bottleneck[at] == '.' || r->bottleneck[at] == '\0');
        if (on_path && in_tree(n, level) && !isnan(n->value.v) && (!end || n->level > end->level))
            end = n;
    }
    return end;
}

static const struct run_node *deepest_of(const struct run *r, const struct run_node *root,
                                         double least, int level) {
    const struct run_node *deepest = NULL;
    for (size_t k = 0; k < r->node.n; k++) {
        const struct run_node *n = &r->node.at[k];
        if (in_tree(n, level) && (n == root || is_above(root, n)) && n->value.v >= least &&
            is_deeper(n, deepest))
            deepest = n;
    }
    return deepest;
}

/* First the end of the bottleneck's path, then of each other root the deepest node of at least this
 * share, of several as deep the largest; in the order of nodes_over. */
static int nodes_deepest(const struct run *r, const struct model *m, double least, int level,
                         size_t limit, struct node_list *out) {
    const struct run_node *first = limiting(r, level);
    int rc = first ? array_push(out, first) : 0;
    for (size_t i = 0; i < r->node.n && rc == 0; i++) {
        const struct run_node *root = &r->node.at[i], *deepest;
        if (root->level != 1 || (first && (root == first || is_above(root, first))))
            continue;
        if ((deepest = deepest_of(r, root, least, level)))
            rc = array_push(out, deepest);
    }
    return rc < 0 ? rc : rank(out, m, first ? 1 : 0, limit);
}

enum { BAR = 40 }; /* columns that 100 % has in the funnel */

static int no_memory(void) {
    cli_note("query: out of memory; close other programs");
    return EXIT_ERROR;
}

/* ---- one run as text ---- */

static void print_labels(const struct run *r) {
    char text[512] = "", safe[512];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    for (size_t i = 0; i < r->label.n; i++)
        if (!r->label.at[i].automatic)
            strbuf_add(&sb, "%s%s=%s", sb.n ? " " : "", r->label.at[i].key, r->label.at[i].value);
    if (sb.n)
        printf("labels: %s\n", str_safe(safe, sizeof(safe), text));
}

static bool has_level1(const struct run *r) {
    for (size_t i = 0; i < r->node.n; i++)
        if (r->node.at[i].level == 1 && !isnan(r->node.at[i].value.v))
            return true;
    return false;
}

/* The rule of the screen, on the means of the run. */
static bool was_idle(const struct run *r, double *cpus) {
    const struct run_node *n = run_pick_node(r, "CPUs_Utilized");
    *cpus = n ? n->value.v : NAN;
    return *cpus < STEADY_IDLE_CPUS; /* unknown is not idle */
}

/* "running 3.0%, waiting for a CPU 0.1%, idle 96.9%" */
static void print_time(const struct run *r) {
    static const char *const parts[][2] = {
        {"Running", "running"}, {"Run_Queue_Wait", "waiting for a CPU"}, {"Idle", "idle"}};
    char text[192] = "";
    struct strbuf sb = strbuf_on(text, sizeof(text));
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        const struct run_node *n = run_pick_node(r, parts[i][0]);
        if (n && !isnan(n->value.v))
            strbuf_add(&sb, "%s%s %.1f%%", sb.n ? ", " : "", parts[i][1], n->value.v * 100);
    }
    if (sb.n)
        printf("time: %s\n", text);
}

const char *query_verdict(const struct run *r) {
    double cpus;
    return was_idle(r, &cpus) ? "mostly idle"
           : r->bottleneck[0] ? r->bottleneck
           : has_level1(r)    ? "nothing is over its threshold"
                              : "not known: level 1 was not measured";
}

/* "bottleneck: Backend_Bound > Memory_Bound 40.0%" */
static void print_bottleneck(const struct run *r) {
    char value[64], safe[256];
    double cpus;
    if (was_idle(r, &cpus)) {
        printf("mostly idle: %s%.2f CPUs busy\n", cpus < 0.01 ? "under " : "", fmax(cpus, 0.01));
        return;
    }
    const struct run_node *n = run_pick_node(r, r->bottleneck);
    if (!r->bottleneck[0]) {
        printf("bottleneck: %s\n", query_verdict(r));
        return;
    }
    printf("bottleneck: ");
    for (const char *at = str_safe(safe, sizeof(safe), r->bottleneck); *at; at++)
        printf(*at == '.' ? " > " : "%c", *at);
    printf(" %s\n", n ? run_value_text(n->share, n->unit, n->value.v, value, sizeof(value)) : "");
}

/* "run 3f9a1c22  redis-server 4242  2026-11-01 14:30:05  60 intervals, 1:00  spr", and lines of
 * what is to be known about it: labels, note, warning, bottleneck. */
static void query_print_head(const struct run *r) {
    char when[64], duration[32], text[512];
    printf("run %.8s  %s  %s  %llu interval%s, %s  %s%s\n", r->id,
           str_safe(text, sizeof(text), r->target), when_text(r->begun_ns, when, sizeof(when)),
           (unsigned long long)run_intervals(r), run_intervals(r) == 1 ? "" : "s",
           when_duration(r->measured_ns, duration, sizeof(duration)), r->model,
           r->simulated ? "  SIMULATED" : "");
    print_labels(r);
    if (r->note[0])
        printf("note: %s\n", str_safe(text, sizeof(text), r->note));
    if (r->warning[0])
        printf("warning: %s\n", str_safe(text, sizeof(text), r->warning));
    print_time(r);
    print_bottleneck(r);
}

/* Eighths of a column where there are signs for them. */
static const char *bar(double share, char *buf, size_t cap) {
    static const char *const part[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const bool utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    struct strbuf sb = strbuf_on(buf, cap);
    const int eighths = isnan(share) || share <= 0 ? 0 : (int)lround(fmin(share, 1) * BAR * 8);
    for (int i = 0; i < eighths / 8; i++)
        strbuf_add(&sb, utf8 ? "█" : "#");
    if (utf8)
        strbuf_add(&sb, "%s", part[eighths % 8]);
    return buf;
}

static const char *remark(const struct query_view *v, const struct run_node *n, char *buf,
                          size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    const bool known = !isnan(n->value.v);
    const char *of = known ? nodes_share_of(v->model, n) : NULL;
    if (known && n->value.over)
        strbuf_add(&sb, "over");
    if (known && n->value.state == VALUE_ODD)
        strbuf_add(&sb, "%sodd", sb.n ? ", " : "");
    if (known && n->value.approx)
        strbuf_add(&sb, "%sapprox", sb.n ? ", " : "");
    if (of)
        strbuf_add(&sb, "%sof %s", sb.n ? ", " : "", of);
    if (n->reason[0])
        strbuf_add(&sb, "%s%s", sb.n ? ": " : "", n->reason);
    return buf;
}

/* "Backend_Bound > Core_Bound" of a node two below. */
static void add_place(struct table *t, const struct run_node *n) {
    char text[512] = "";
    struct strbuf sb = strbuf_on(text, sizeof(text));
    const char *end = strrchr(n->path, '.');
    for (const char *at = n->path; end && at < end; at++)
        strbuf_add(&sb, *at == '.' ? " > " : "%c", *at);
    table_add(t, text);
}

static bool is_multiplexed(const struct query_view *v) {
    for (size_t i = 0; i < v->nodes->n; i++)
        if (v->nodes->at[i]->value.duty < 0.995f)
            return true;
    return false;
}

/* Of one interval least and most are the value; without multiplexing duty says nothing: columns
 * that are empty in all rows are left out. */
static void add_varied(struct table *t, const struct query_view *v, const struct run_node *n) {
    char text[64];
    const bool one = n->m.n < 2;
    const double ends[] = {one ? NAN : n->m.least, one ? NAN : n->m.most};
    table_add(t, run_err_text(n, text, sizeof(text)));
    table_add(t, run_sd_text(n, text, sizeof(text)));
    for (int i = 0; i < 2; i++)
        table_add(t,
                  isnan(ends[i]) ? "" : run_value_text(n->share, "", ends[i], text, sizeof(text)));
    if (isnan(n->value.v) || !is_multiplexed(v))
        table_add(t, "");
    else
        table_addf(t, "%.0f%%", (double)n->value.duty * 100);
}

static void add_node(struct table *t, const struct query_view *v, const struct run_node *n) {
    char text[512];
    const bool nested = v->tree || v->funnel;
    table_addf(t, "%*s%s", nested && n->level > 1 ? 2 * (n->level - 1) : 0, "", n->name);
    table_add(t, run_value_text(n->share, n->unit, n->value.v, text, sizeof(text)));
    if (v->funnel)
        table_add(t, n->share ? bar(n->value.v, text, sizeof(text)) : "");
    else
        add_varied(t, v, n);
    table_add(t, remark(v, n, text, sizeof(text)));
    if (!nested)
        add_place(t, n);
}

static const char *useful_words(const struct query_view *v, char *buf, size_t cap);

static const struct table_column columns_bars[] = {
    {"node", false, 18}, {"value", true, 0}, {"of 100%", false, 4}, {"", false, 8}};
/* Depth first says where a node is; a list has to. */
static const struct table_column columns_values[] = {
    {"node", false, 18}, {"value", true, 0}, {"±", true, 0}, {"sd", true, 0},    {"least", true, 0},
    {"most", true, 0},   {"duty", true, 0},  {"", false, 8}, {"below", false, 8}};

/* all return an exit code */
static int query_print_text(const struct query_view *v) {
    struct table t;
    char words[128];
    query_print_head(v->run);
    if (v->funnel)
        table_init(&t, columns_bars, 4);
    else
        table_init(&t, columns_values, v->tree ? 8 : 9);
    for (size_t i = 0; i < v->nodes->n; i++)
        add_node(&t, v, v->nodes->at[i]);
    const int rc = v->nodes->n ? table_print(&t, stdout) : 0;
    table_free(&t);
    if (v->nodes->n == 0)
        printf(v->over ? "no node that large is over its threshold\n" : "no node is that large\n");
    if (v->funnel)
        printf("%s", useful_words(v, words, sizeof(words)));
    return rc < 0 ? no_memory() : EXIT_OK;
}

/* ---- one run as text: useful and wasted slots ---- */

/* Sums of level 1 in fractions; NAN where a root is not known. */
struct funnel {
    double total, useful, wasted;
};

/* What grows when things get better is useful work: Retiring. */
static bool is_useful(const struct run *r, const struct run_node *n) {
    const struct run_node *root = nodes_root(r, n);
    return root && root->good_up;
}

/* Roots of the software model that are no waste. Waiting for a CPU is. */
static bool is_time(const char *root) {
    return strcmp(root, "Kernel") == 0 || time_part_find(root) == TIME_IDLE;
}

static struct funnel funnel_of(const struct run *r) {
    struct funnel f = {0, 0, 0};
    for (size_t i = 0; i < r->node.n; i++) {
        const struct run_node *n = &r->node.at[i];
        if (n->level != 1)
            continue;
        f.total += n->value.v;
        if (n->good_up)
            f.useful += n->value.v;
        else if (!is_time(n->name)) /* of the software model: neither useful nor lost */
            f.wasted += n->value.v;
    }
    return f;
}

static const char *useful_words(const struct query_view *v, char *buf, size_t cap) {
    const struct funnel f = funnel_of(v->run);
    struct strbuf sb = strbuf_on(buf, cap);
    if (isnan(f.total))
        strbuf_add(&sb, "not all of level 1 is known: no sums\n");
    else
        strbuf_add(&sb, "useful %.1f%%, wasted %.1f%%\n", f.useful * 100, f.wasted * 100);
    return buf;
}

/* ---- one run as JSON and CSV ---- */

/* As `value` is written. NAN: none is known, or it is no plain number. */
static double threshold_of(const struct query_view *v, const struct run_node *n) {
    const int at = v->model ? model_find(v->model, n->name) : METRIC_NONE;
    return at == METRIC_NONE ? NAN : run_shown(n->share, model_threshold(v->model, at));
}

static json_t *json_list(const struct query_view *v) {
    json_t *all = json_array();
    for (size_t i = 0; i < v->nodes->n; i++) {
        json_t *o = run_json_node(v->nodes->at[i]);
        const char *of = nodes_share_of(v->model, v->nodes->at[i]);
        json_object_set_new(o, "is_useful", json_boolean(is_useful(v->run, v->nodes->at[i])));
        json_object_set_new(o, "share_of", of ? run_json_text(of) : json_null());
        json_object_set_new(o, "threshold", json_number(threshold_of(v, v->nodes->at[i])));
        json_array_append_new(all, o);
    }
    return all;
}

/* Nodes come depth first: what is deeper than its forerunner hangs below it. */
static json_t *json_tree(const struct query_view *v) {
    enum { DEEPEST = 16 };
    json_t *roots = json_array(), *children[DEEPEST] = {roots};
    for (size_t i = 0; i < v->nodes->n; i++) {
        const struct run_node *n = v->nodes->at[i];
        const int level = n->level > 0 && n->level < DEEPEST ? n->level : 1;
        json_t *o = run_json_node(n), *below = json_array();
        json_object_set_new(o, "full_path", run_json_text(n->path));
        json_object_set_new(o, "name", run_json_text(n->name));
        json_object_set_new(o, "children", below);
        json_array_append_new(children[level - 1], o);
        for (int k = level; k < DEEPEST; k++)
            children[k] = below;
    }
    return roots;
}

static json_t *view_json(const struct query_view *v) {
    json_t *o = run_json_head(v->run);
    const struct funnel f = funnel_of(v->run);
    if (v->funnel) {
        json_object_set_new(o, "total_slots", json_number(f.total * 100));
        json_object_set_new(o, "useful_work_pct",
                            json_number(isnan(f.total) ? NAN : f.useful * 100));
        json_object_set_new(o, "wasted_pct", json_number(isnan(f.total) ? NAN : f.wasted * 100));
    }
    if (v->tree)
        json_object_set_new(o, "tree", json_tree(v));
    else
        json_object_set_new(o, "entries", json_list(v));
    return o;
}

static int query_print_json(const struct query_view *v) {
    return json_print(view_json(v), JSON_INDENT(1));
}

static int query_print_csv(const struct query_view *v) {
    struct csv c;
    csv_init(&c, stdout, ",");
    csv_head(&c, "run_id,metric_name,path,level,value,unit,status,reason,over,duty,err,intervals,"
                 "mean,sd,mean_err,min,max");
    for (size_t i = 0; i < v->nodes->n; i++) {
        const struct run_node *n = v->nodes->at[i];
        csv_text(&c, v->run->id);
        csv_text(&c, n->name);
        csv_text(&c, n->path);
        csv_integer(&c, n->level);
        csv_number(&c, run_shown(n->share, n->value.v));
        csv_text(&c, run_unit(n->share, n->unit));
        csv_text(&c, value_state_name((enum value_state)n->value.state));
        csv_text(&c, n->reason);
        csv_bool(&c, n->value.over);
        csv_number(&c, (double)n->value.duty);
        csv_number(&c, run_shown(n->share, n->value.err));
        csv_integer(&c, (int64_t)n->m.n);
        csv_number(&c, run_shown(n->share, n->m.mean));
        csv_number(&c, run_shown(n->share, n->m.sd));
        csv_number(&c, run_shown(n->share, run_mean_err(n)));
        csv_number(&c, run_shown(n->share, n->m.least));
        csv_number(&c, run_shown(n->share, n->m.most));
        csv_end(&c);
    }
    return EXIT_OK;
}

/* ---- runs by one node, printed ---- */

static int query_runs_text(const struct query_runs *q) {
    const struct table_column columns[] = {{"run", false, 0},    {"begun", false, 0},
                                           {"time", true, 0},    {"process", false, 8},
                                           {"model", false, 12}, {q->node, true, 0}};
    struct table t;
    char text[64];
    table_init(&t, columns, 6);
    for (size_t i = 0; i < q->n; i++) {
        const struct run_row *row = &q->row[i];
        table_addf(&t, "%.8s", row->id);
        table_add(&t, when_short(row->begun_ns, (int64_t)clock_wall_ns(), text, sizeof(text)));
        table_add(&t, when_duration(row->duration_ns, text, sizeof(text)));
        table_add(&t, row->process);
        table_addf(&t, "%s%s", row->simulated ? "SIMULATED " : "", row->model);
        table_add(&t, run_value_text(true, "", row->value, text, sizeof(text)));
    }
    const int rc = q->n ? table_print(&t, stdout) : 0;
    table_free(&t);
    if (q->n == 0)
        cli_note("%s: no run has %.3g%% of it or more", q->node, q->least * 100);
    return rc < 0 ? no_memory() : EXIT_OK;
}

static int query_runs_json(const struct query_runs *q) {
    json_t *all = json_array();
    for (size_t i = 0; i < q->n; i++) {
        json_t *o = run_json_row(&q->row[i]);
        json_object_del(o, "level1"); /* not asked for */
        json_object_set_new(o, "metric_name", run_json_text(q->node));
        json_object_set_new(o, "value", json_number(q->row[i].value * 100));
        json_object_set_new(o, "se", json_number(q->row[i].value_se * 100));
        json_object_set_new(o, "unit", json_string("%"));
        json_array_append_new(all, o);
    }
    return json_print(all, JSON_INDENT(1));
}

static int query_runs_csv(const struct query_runs *q) {
    struct csv c;
    csv_init(&c, stdout, ",");
    csv_head(&c, "run_id,started_at,duration,process_name,model,simulated,metric_name,value,unit");
    for (size_t i = 0; i < q->n; i++) {
        const struct run_row *row = &q->row[i];
        csv_text(&c, row->id);
        csv_time(&c, row->begun_ns);
        csv_number(&c, (double)row->duration_ns / 1e9);
        csv_text(&c, row->process);
        csv_text(&c, row->model);
        csv_bool(&c, row->simulated);
        csv_text(&c, q->node);
        csv_number(&c, row->value * 100);
        csv_text(&c, "%");
        csv_end(&c);
    }
    return EXIT_OK;
}

/* ---- what is asked for ---- */

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

static int add_vital(const struct run *r, const struct model *m, struct node_list *out) {
    int rc = 0;
    for (size_t i = 0; i < r->node.n && rc == 0; i++) {
        const int at = model_find(m, r->node.at[i].name);
        if (at != METRIC_NONE && m->metric[at].vital)
            rc = array_push(out, &r->node.at[i]);
    }
    return rc;
}

json_t *query_json(const struct run *r, const struct model *m, enum query_part part) {
    struct node_list nodes = {0};
    const struct query_view view = {
        .run = r, .model = m, .nodes = &nodes, .funnel = part == QUERY_FUNNEL};
    const int rc = part == QUERY_FUNNEL  ? nodes_in_order(r, 0, false, &nodes)
                   : part == QUERY_VITAL ? add_vital(r, m, &nodes)
                                         : nodes_over(r, m, least_percent / 100, 0, TOP_N, &nodes);
    json_t *o = rc < 0 ? NULL : part == QUERY_VITAL ? json_list(&view) : view_json(&view);
    array_free(&nodes);
    return o;
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
    q->pick.query.limit = q->a->limit > 0 ? (uint64_t)q->a->limit : run_pick_most(&q->pick, q->a);
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
    run_pick_say_newest(&list);
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
    if (run && run_pick_has_conditions(a))
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
