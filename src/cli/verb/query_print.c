#include "cli/verb/query_print.h"

#include "base/clock.h"
#include "base/str.h"
#include "base/when.h"
#include "cli/file/json_out.h"
#include "cli/out/csv.h"
#include "cli/out/table.h"
#include "model/eval/steady.h"
#include "model/load/time_parts.h"

#include <langinfo.h>
#include <math.h>
#include <string.h>

enum { BAR = 40 }; /* columns that 100 % has in the funnel */

static int no_memory(void) {
    cli_note("query: out of memory; close other programs");
    return EXIT_ERROR;
}

/* ---- for people: one run ---- */

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

/* "running 3.0 %, waiting for a CPU 0.1 %, idle 96.9 %" */
static void print_time(const struct run *r) {
    static const char *const parts[][2] = {
        {"Running", "running"}, {"Run_Queue_Wait", "waiting for a CPU"}, {"Idle", "idle"}};
    char text[192] = "";
    struct strbuf sb = strbuf_on(text, sizeof(text));
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        const struct run_node *n = run_pick_node(r, parts[i][0]);
        if (n && !isnan(n->value.v))
            strbuf_add(&sb, "%s%s %.1f %%", sb.n ? ", " : "", parts[i][1], n->value.v * 100);
    }
    if (sb.n)
        printf("time: %s\n", text);
}

/* "bottleneck: Backend_Bound > Memory_Bound 40.0 %" */
static void print_bottleneck(const struct run *r) {
    char value[64], safe[256];
    double cpus;
    if (was_idle(r, &cpus)) {
        printf("mostly idle: %s%.2f CPUs busy\n", cpus < 0.01 ? "under " : "", fmax(cpus, 0.01));
        return;
    }
    const struct run_node *n = run_pick_node(r, r->bottleneck);
    if (!r->bottleneck[0]) {
        printf("bottleneck: %s\n", has_level1(r) ? "nothing is over its threshold"
                                                 : "not known: level 1 was not measured");
        return;
    }
    printf("bottleneck: ");
    for (const char *at = str_safe(safe, sizeof(safe), r->bottleneck); *at; at++)
        printf(*at == '.' ? " > " : "%c", *at);
    printf(" %s\n", n ? run_value_text(n->share, n->unit, n->value.v, value, sizeof(value)) : "");
}

void query_print_head(const struct run *r) {
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
        printf("doubt: %s\n", str_safe(text, sizeof(text), r->warning));
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
        table_addf(t, "%.0f %%", (double)n->value.duty * 100);
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
    {"node", false, 18}, {"value", true, 0}, {"of 100 %", false, 4}, {"", false, 8}};
/* Depth first says where a node is; a list has to. */
static const struct table_column columns_values[] = {
    {"node", false, 18}, {"value", true, 0}, {"±", true, 0}, {"sd", true, 0},    {"least", true, 0},
    {"most", true, 0},   {"duty", true, 0},  {"", false, 8}, {"below", false, 8}};

int query_print_text(const struct query_view *v) {
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

/* ---- useful and wasted ---- */

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
        strbuf_add(&sb, "useful %.1f %%, wasted %.1f %%\n", f.useful * 100, f.wasted * 100);
    return buf;
}

/* ---- for programs: one run ---- */

static json_t *json_list(const struct query_view *v) {
    json_t *all = json_array();
    for (size_t i = 0; i < v->nodes->n; i++) {
        json_t *o = run_json_node(v->nodes->at[i]);
        const char *of = nodes_share_of(v->model, v->nodes->at[i]);
        json_object_set_new(o, "is_useful", json_boolean(is_useful(v->run, v->nodes->at[i])));
        json_object_set_new(o, "share_of", of ? run_json_text(of) : json_null());
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

int query_print_json(const struct query_view *v) {
    json_t *o = run_json_head(v->run);
    const struct funnel f = funnel_of(v->run);
    if (v->funnel) {
        json_object_set_new(o, "total_slots", run_json_number(f.total * 100));
        json_object_set_new(o, "useful_work_pct",
                            run_json_number(isnan(f.total) ? NAN : f.useful * 100));
        json_object_set_new(o, "wasted_pct",
                            run_json_number(isnan(f.total) ? NAN : f.wasted * 100));
    }
    if (v->tree)
        json_object_set_new(o, "tree", json_tree(v));
    else
        json_object_set_new(o, "entries", json_list(v));
    return json_print(o, JSON_INDENT(1));
}

int query_print_csv(const struct query_view *v) {
    struct csv c = {.out = stdout};
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
        csv_text(&c, n->value.over ? "true" : "false");
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

/* ---- runs by one node ---- */

int query_runs_text(const struct query_runs *q) {
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
        cli_note("%s: no run has %.3g %% of it or more", q->node, q->least * 100);
    return rc < 0 ? no_memory() : EXIT_OK;
}

int query_runs_json(const struct query_runs *q) {
    json_t *all = json_array();
    for (size_t i = 0; i < q->n; i++) {
        json_t *o = run_json_row(&q->row[i]);
        json_object_del(o, "level1"); /* not asked for */
        json_object_set_new(o, "metric_name", run_json_text(q->node));
        json_object_set_new(o, "value", run_json_number(q->row[i].value * 100));
        json_object_set_new(o, "se", run_json_number(q->row[i].value_se * 100));
        json_object_set_new(o, "unit", json_string("%"));
        json_array_append_new(all, o);
    }
    return json_print(all, JSON_INDENT(1));
}

int query_runs_csv(const struct query_runs *q) {
    struct csv c = {.out = stdout};
    csv_head(&c, "run_id,started_at,duration,process_name,model,simulated,metric_name,value,unit");
    for (size_t i = 0; i < q->n; i++) {
        const struct run_row *row = &q->row[i];
        char when[64];
        csv_text(&c, row->id);
        csv_text(&c, when_iso(row->begun_ns, when, sizeof(when)));
        csv_number(&c, (double)row->duration_ns / 1e9);
        csv_text(&c, row->process);
        csv_text(&c, row->model);
        csv_text(&c, row->simulated ? "true" : "false");
        csv_text(&c, q->node);
        csv_number(&c, row->value * 100);
        csv_text(&c, "%");
        csv_end(&c);
    }
    return EXIT_OK;
}
