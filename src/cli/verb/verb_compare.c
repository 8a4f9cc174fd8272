/*
 * `tdtop compare`: what really changed between two runs, or two sets of runs; and a gate for
 * scripts. Exit: 0 ok; 1 a condition of --fail-on failed; 2 an error, or a condition that cannot be
 * judged.
 */
#include "cli/verb/compare_view.h"
#include "cli/verb/compare_where.h"

#include "base/str.h"
#include "cli/file/json_out.h"
#include "cli/file/run_json.h"
#include "cli/out/csv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- as JSON and CSV ---- */

static double shown(const struct run_node *side, const struct run_node *n) {
    return side ? run_shown(n->share, side->value.v) : NAN;
}

static json_t *samples(const struct run_node *n) {
    return n ? json_integer((json_int_t)n->m.n) : json_null();
}

/* Of a row without enough data; null. */
static json_t *needed(const struct compare_row *r) {
    return isfinite(r->needed) ? json_integer((json_int_t)r->needed) : json_null();
}

/* A row has the keys of topdown-profiler's compare (metric_name, value_a, value_b, delta,
 * delta_percent, direction, unit, level): shares in percent, their deltas in points; and more keys
 * of tdtop's own. */
static json_t *row(const struct compare_row *r) {
    const struct run_node *n = compare_node(r);
    json_t *o = json_object();
    json_set(o, "metric_name", run_json_text(n->name));
    json_set(o, "path", run_json_text(n->path));
    json_set(o, "value_a", json_number(shown(r->a, n)));
    json_set(o, "value_b", json_number(shown(r->b, n)));
    json_set(o, "delta", json_number(run_shown(n->share, r->delta)));
    json_set(o, "delta_percent", json_number(r->relative * 100));
    json_set(o, "direction", json_string(compare_direction(r)));
    json_set(o, "unit", run_json_text(run_unit(n->share, n->unit)));
    json_set(o, "level", json_integer(n->level));
    json_set(o, "verdict", json_string(verdict_name(r->verdict)));
    json_set(o, "err", json_number(run_shown(n->share, r->err)));
    json_set(o, "p", json_number(r->p));
    json_set(o, "effect", json_number(r->effect));
    json_set(o, "leads", json_boolean(r->leads));
    json_set(o, "scaled_to_time_of_a", json_boolean(r->total));
    json_set(o, "samples_a", samples(r->a));
    json_set(o, "samples_b", samples(r->b));
    json_set(o, "needed", needed(r));
    json_set(o, "reason", *r->reason ? run_json_text(r->reason) : json_null());
    return o;
}

static json_t *side(const struct side *s) {
    static const char *const kinds[] = {[SIDE_RUN] = "intervals",
                                        [SIDE_RUNS] = "runs",
                                        [SIDE_INTERVALS] = "intervals",
                                        [SIDE_VALUES] = "values weighted by time"};
    json_t *o = json_object(), *ids = json_array();
    for (size_t i = 0; i < s->span.n; i++)
        json_array_append_new(ids, json_string(s->span.at[i].id));
    json_set(o, "run_ids", ids);
    json_set(o, "runs", json_integer((json_int_t)s->n_run));
    json_set(o, "runs_matched", json_integer((json_int_t)s->n_matched));
    json_set(o, "more_matched", json_boolean(s->more_matched));
    json_set(o, "samples_are", json_string(kinds[s->kind]));
    json_set(o, "intervals", json_integer((json_int_t)s->n_interval));
    json_set(o, "measured_s", json_number((double)s->run.measured_ns / 1e9));
    json_set(o, "shortest_s", json_number(s->shortest_s));
    json_set(o, "longest_s", json_number(s->longest_s));
    json_set(o, "model", run_json_text(s->run.model));
    json_set(o, "simulated", json_boolean(s->run.simulated));
    json_set(o, "process_name", run_json_text(s->run.process));
    return o;
}

static json_t *gate(const struct gate_line *g) {
    static const char *const states[] = {"ok", "failed", "unclear", "skipped"};
    json_t *o = json_object();
    json_set(o, "metric_name", run_json_text(g->result.gate.name));
    json_set(o, "limit", json_number(g->result.gate.limit * (g->result.gate.relative ? 100 : 1)));
    json_set(o, "relative", json_boolean(g->result.gate.relative));
    json_set(o, "state", json_string(states[g->state]));
    json_set(o, "words", run_json_text(g->result.words));
    return o;
}

static json_t *counts(const struct comparison *c) {
    const struct compare_counts *k = &c->counts;
    const struct {
        const char *key;
        double v;
    } all[] = {
        {"instructions_per_s_a", k->instructions_a},
        {"instructions_per_s_b", k->instructions_b},
        {"cpi_a", k->cpi_a},
        {"cpi_b", k->cpi_b},
        {"slots_per_s_a", k->slots_a},
        {"slots_per_s_b", k->slots_b},
    };
    json_t *o = json_object();
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        json_set(o, all[i].key, json_number(all[i].v));
    return o;
}

/* Of the rows that are shown. */
static json_t *tally(const struct compare_view *v) {
    int n[VERDICTS] = {0};
    json_t *o = json_object();
    for (size_t i = 0; i < v->n_row; i++)
        n[v->row[i]->verdict]++;
    for (int i = 0; i < VERDICTS; i++)
        json_set(o, verdict_name((enum verdict)i), json_integer(n[i]));
    return o;
}

static json_t *ab(const struct ab_result *r) {
    json_t *o = json_object();
    json_set(o, "id", json_string(r->id));
    json_set(o, "cores", json_string(r->cores));
    json_set(o, "seed", json_integer((json_int_t)r->seed));
    json_set(o, "pairs", json_integer((json_int_t)r->n));
    json_set(o, "answer", json_string(r->answer));
    json_set(o, "stopped", json_string(r->stopped));
    json_set(o, "words", run_json_text(r->words));
    return o;
}

static int compare_print_json(const struct compare_view *v) {
    char words[512];
    json_t *o = json_object(), *rows = json_array(), *gates = json_array();
    for (size_t i = 0; i < v->n_row; i++)
        json_array_append_new(rows, row(v->row[i]));
    for (size_t i = 0; i < v->gate.n; i++)
        json_array_append_new(gates, gate(&v->gate.at[i]));
    json_set(o, "run_a", side(&v->side[0]));
    json_set(o, "run_b", side(&v->side[1]));
    json_set(o, "confidence", json_number(v->opt.confidence * 100));
    json_set(o, "least_points", json_number(v->opt.least_points * 100));
    json_set(o, "least_percent", json_number(v->opt.least_relative * 100));
    json_set(o, "shared", run_json_text(v->c.shared));
    json_set(o, "verdicts", tally(v));
    json_set(o, "needed", run_json_text(compare_needed_words(v, words, sizeof(words))));
    json_set(o, "counts", counts(&v->c));
    json_set(o, "work", run_json_text(compare_work_words(v, words, sizeof(words))));
    json_set(o, "metrics", rows);
    json_set(o, "gates", gates);
    if (v->ab)
        json_set(o, "ab", ab(v->ab));
    json_set(o, "result", v->result[0] ? json_string(v->result) : json_null());
    return json_print(o, JSON_INDENT(1)) == EXIT_OK ? EXIT_OK : EXIT_USAGE;
}

static int compare_print_csv(const struct compare_view *v) {
    struct csv c;
    csv_init(&c, stdout, ",");
    csv_head(&c,
             "metric_name,path,value_a,value_b,delta,delta_percent,direction,unit,level,verdict,"
             "err,p,samples_a,samples_b,scaled_to_time_of_a,needed,reason");
    for (size_t i = 0; i < v->n_row; i++) {
        const struct compare_row *r = v->row[i];
        const struct run_node *n = compare_node(r);
        csv_text(&c, n->name);
        csv_text(&c, n->path);
        csv_number(&c, shown(r->a, n));
        csv_number(&c, shown(r->b, n));
        csv_number(&c, run_shown(n->share, r->delta));
        csv_number(&c, r->relative * 100);
        csv_text(&c, compare_direction(r));
        csv_text(&c, run_unit(n->share, n->unit));
        csv_integer(&c, n->level);
        csv_text(&c, verdict_name(r->verdict));
        csv_number(&c, run_shown(n->share, r->err));
        csv_number(&c, r->p);
        csv_number(&c, r->a ? (double)r->a->m.n : NAN);
        csv_number(&c, r->b ? (double)r->b->m.n : NAN);
        csv_integer(&c, r->total);
        csv_number(&c, r->needed);
        csv_text(&c, r->reason);
        csv_end(&c);
    }
    return EXIT_OK;
}

/* ---- the verb ---- */

/* ---- options ---- */

/* "1", "2%", "1,2%". */
static int set_least(const char *text, struct compare_options *o, struct err *err) {
    for (const char *at = text; at;) {
        char *end;
        const double v = strtod(at, &end);
        const bool percent = *end == '%';
        if (end == at || !(v > 0) || !isfinite(v) || (end[percent] && end[percent] != ','))
            return err_set(err, -EINVAL,
                           "--least %s: it takes points of shares (1), a percentage of everything "
                           "else (2%%), or both (1,2%%), more than 0",
                           text);
        *(percent ? &o->least_relative : &o->least_points) = v / 100;
        at = end[percent] ? end + percent + 1 : NULL;
    }
    return 0;
}

static int set_options(struct compare_view *v, struct err *err) {
    const struct args *a = v->a;
    v->opt = compare_defaults();
    v->opt.question = a->by;
    if (!isnan(a->confidence))
        v->opt.confidence = a->confidence / 100;
    if (v->opt.confidence >= 1)
        return err_set(err, -EINVAL, "--confidence 100: nothing is that sure; give less, 99.9");
    return a->least ? set_least(a->least, &v->opt, err) : 0;
}

/* ---- conditions ---- */

static int add_gate(struct compare_view *v, const struct gate *g, bool preset, struct err *err) {
    struct gate_line line = {.result = {.gate = *g}, .preset = preset};
    return array_push(&v->gate, line) == 0 ? 0 : err_set(err, -ENOMEM, "compare: out of memory");
}

static int add_preset(struct compare_view *v, const char *name, struct err *err) {
    size_t n;
    char names[128];
    const struct gate *g = gate_preset(name, &n);
    struct strbuf sb = strbuf_on(names, sizeof(names));
    for (int i = 0; gate_presets[i]; i++)
        strbuf_add(&sb, "%s%s", i ? ", " : "", gate_presets[i]);
    int rc =
        g ? 0 : err_set(err, -EINVAL, "--preset %s: no such preset; there are %s", name, names);
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = add_gate(v, &g[i], true, err);
    return rc;
}

static int read_gates(struct compare_view *v, struct err *err) {
    const struct args *a = v->a;
    int rc = a->preset ? add_preset(v, a->preset, err) : 0;
    for (int i = 0; i < a->fail_on.n && rc == 0; i++) {
        struct gate g;
        if ((rc = gate_parse(a->fail_on.at[i], &g, err)) < 0)
            err_prefix(err, "--fail-on");
        else
            rc = add_gate(v, &g, false, err);
    }
    return rc;
}

/*
 * Within the limit, of values that do not tell so small a change: that is no answer either. What
 * a preset names and this model does not have is left out.
 */
static enum gate_state state_of(const struct gate_line *g) {
    const struct gate_result *r = &g->result;
    if (r->missing)
        return g->preset ? GATE_SKIPPED : GATE_UNCLEAR;
    if (r->failed)
        return GATE_FAILED;
    return r->unsure || (r->near && r->coarse) ? GATE_UNCLEAR : GATE_OK;
}

static int judge_gates(struct compare_view *v) {
    struct gate_result **all = calloc(v->gate.n + 1, sizeof(struct gate_result *));
    for (size_t i = 0; all && i < v->gate.n; i++) {
        all[i] = &v->gate.at[i].result;
        *all[i] = gate_check(&all[i]->gate, &v->c);
    }
    const int rc = all ? gate_correct(all, v->gate.n, v->c.confidence) : -ENOMEM;
    free(all);
    return rc;
}

static void check_gate(struct compare_view *v, struct gate_line *g) {
    g->state = state_of(g);
    v->n_gate[g->state]++;
    const struct gate_result *r = &g->result;
    if (g->state == GATE_UNCLEAR && !r->missing && !r->unsure) {
        const size_t n = strlen(r->words);
        snprintf(g->result.words + n, sizeof(g->result.words) - n,
                 ", but a change as large as the limit would not be seen: measure longer, or more "
                 "often");
    }
}

static int check_gates(struct compare_view *v) {
    if (judge_gates(v) < 0) {
        cli_note("compare: out of memory; close other programs");
        return EXIT_UNCLEAR;
    }
    for (size_t i = 0; i < v->gate.n; i++)
        check_gate(v, &v->gate.at[i]);
    const bool unclear = v->n_gate[GATE_UNCLEAR] || v->n_gate[GATE_SKIPPED] == (int)v->gate.n;
    v->result = v->gate.n == 0           ? ""
                : v->n_gate[GATE_FAILED] ? "regressed"
                : unclear                ? "unclear"
                                         : "ok";
    if (v->gate.n == 0)
        return EXIT_OK;
    return v->n_gate[GATE_FAILED] ? EXIT_REGRESSED : unclear ? EXIT_UNCLEAR : EXIT_OK;
}

/* ---- rows ---- */

static int by_name(const void *a, const void *b) {
    const struct compare_row *const *x = a, *const *y = b;
    return strcasecmp(compare_node(*x)->path, compare_node(*y)->path);
}

static void reverse(struct compare_view *v) {
    for (size_t i = 0; i < v->n_row / 2; i++) {
        const struct compare_row *r = v->row[i];
        v->row[i] = v->row[v->n_row - 1 - i];
        v->row[v->n_row - 1 - i] = r;
    }
}

/* The comparison's own order is that of the effect. */
static int sort_rows(struct compare_view *v, struct err *err) {
    const char *key = v->a->sort ? v->a->sort : "effect";
    const bool reversed = key[0] == '-' || str_ends(key, "-");
    const size_t skip = key[0] == '-', n = strlen(key) - reversed;
    const bool name = n == 4 && !strncmp(key + skip, "name", n);
    if (!name && !(n == 6 && !strncmp(key + skip, "effect", n)))
        return err_set(err, -EINVAL, "--sort %s: compare sorts by effect or name", key);
    if (name)
        qsort(v->row, v->n_row, sizeof(*v->row), by_name);
    if (reversed)
        reverse(v);
    return 0;
}

static int choose_rows(struct compare_view *v, struct err *err) {
    const struct text_list *only = &v->a->metrics;
    v->row = calloc(v->c.n_row + (size_t)only->n + 1, sizeof(struct compare_row *));
    if (!v->row)
        return err_set(err, -ENOMEM, "compare: out of memory");
    for (size_t i = 0; i < v->c.n_row && only->n == 0; i++)
        v->row[v->n_row++] = &v->c.row[i];
    for (int i = 0; i < only->n; i++) {
        const struct compare_row *r = compare_find(&v->c, only->at[i]);
        const char *reason = r ? NULL : compare_unknown(&v->c, only->at[i]);
        if (!r)
            return err_set(err, -EINVAL, "--metric %s: neither side %s%s", only->at[i],
                           reason && *reason ? "knows it: " : "has it",
                           reason && *reason ? reason : "");
        v->row[v->n_row++] = r;
    }
    return sort_rows(v, err);
}

/* ---- the verb ---- */

int compare_view_init(struct compare_view *v, const struct args *a, struct err *err) {
    *v = (struct compare_view){.a = a};
    const int rc = set_options(v, err);
    return rc == 0 ? read_gates(v, err) : rc;
}

int compare_view_sides(struct compare_view *v, struct err *err) {
    const struct compare_side a = compare_side_of(&v->side[0].run),
                              b = compare_side_of(&v->side[1].run);
    const int rc = compare_sides(&a, &b, &v->opt, &v->c, err);
    return rc < 0 ? rc : choose_rows(v, err);
}

int compare_view_print(struct compare_view *v) {
    const struct args *a = v->a;
    const int code = check_gates(v);
    const int printed = (a->json       ? compare_print_json
                         : a->csv      ? compare_print_csv
                         : a->markdown ? compare_print_markdown
                                       : compare_print_text)(v);
    return cli_finish(printed) == EXIT_OK ? code : EXIT_UNCLEAR;
}

void compare_view_free(struct compare_view *v) {
    compare_free(&v->c);
    for (int i = 0; i < 2; i++)
        side_free(&v->side[i]);
    free(v->row);
    array_free(&v->gate);
}

int verb_compare(const struct args *a) {
    struct compare_view v;
    struct err err = {0};
    if (a->samples)
        return compare_where(a);
    int code = EXIT_UNCLEAR, rc = compare_view_init(&v, a, &err);
    if (rc == 0)
        rc = side_open_all(&v, &err);
    if (rc == 0)
        rc = compare_view_sides(&v, &err);
    if (rc < 0)
        cli_error(&err);
    else
        code = compare_view_print(&v);
    compare_view_free(&v);
    return code;
}
