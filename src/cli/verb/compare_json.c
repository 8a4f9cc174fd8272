/*
 * A comparison for programs. A row has the keys of topdown-profiler's compare (metric_name,
 * value_a, value_b, delta, delta_percent, direction, unit, level): shares in percent, their deltas
 * in points; and ours beside them.
 */
#include "cli/verb/compare_view.h"

#include "cli/file/json_out.h"
#include "cli/file/run_json.h"
#include "cli/out/csv.h"

#include <math.h>

static void put(json_t *o, const char *key, json_t *v) {
    json_object_set_new(o, key, v);
}

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

static json_t *row(const struct compare_row *r) {
    const struct run_node *n = compare_node(r);
    json_t *o = json_object();
    put(o, "metric_name", run_json_text(n->name));
    put(o, "path", run_json_text(n->path));
    put(o, "value_a", run_json_number(shown(r->a, n)));
    put(o, "value_b", run_json_number(shown(r->b, n)));
    put(o, "delta", run_json_number(run_shown(n->share, r->delta)));
    put(o, "delta_percent", run_json_number(r->relative * 100));
    put(o, "direction", json_string(compare_direction(r)));
    put(o, "unit", run_json_text(run_unit(n->share, n->unit)));
    put(o, "level", json_integer(n->level));
    put(o, "verdict", json_string(verdict_name(r->verdict)));
    put(o, "err", run_json_number(run_shown(n->share, r->err)));
    put(o, "p", run_json_number(r->p));
    put(o, "effect", run_json_number(r->effect));
    put(o, "leads", json_boolean(r->leads));
    put(o, "scaled_to_time_of_a", json_boolean(r->total));
    put(o, "samples_a", samples(r->a));
    put(o, "samples_b", samples(r->b));
    put(o, "needed", needed(r));
    put(o, "reason", *r->reason ? run_json_text(r->reason) : json_null());
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
    put(o, "run_ids", ids);
    put(o, "runs", json_integer((json_int_t)s->n_run));
    put(o, "runs_matched", json_integer((json_int_t)s->n_matched));
    put(o, "samples_are", json_string(kinds[s->kind]));
    put(o, "intervals", json_integer((json_int_t)s->n_interval));
    put(o, "measured_s", run_json_number((double)s->run.measured_ns / 1e9));
    put(o, "shortest_s", run_json_number(s->shortest_s));
    put(o, "longest_s", run_json_number(s->longest_s));
    put(o, "model", run_json_text(s->run.model));
    put(o, "simulated", json_boolean(s->run.simulated));
    put(o, "process_name", run_json_text(s->run.process));
    return o;
}

static json_t *gate(const struct gate_line *g) {
    static const char *const states[] = {"ok", "failed", "unclear", "skipped"};
    json_t *o = json_object();
    put(o, "metric_name", run_json_text(g->result.gate.name));
    put(o, "limit", run_json_number(g->result.gate.limit * (g->result.gate.relative ? 100 : 1)));
    put(o, "relative", json_boolean(g->result.gate.relative));
    put(o, "state", json_string(states[g->state]));
    put(o, "words", run_json_text(g->result.words));
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
        put(o, all[i].key, run_json_number(all[i].v));
    return o;
}

/* Of the rows that are shown. */
static json_t *tally(const struct compare_view *v) {
    int n[VERDICTS] = {0};
    json_t *o = json_object();
    for (size_t i = 0; i < v->n_row; i++)
        n[v->row[i]->verdict]++;
    for (int i = 0; i < VERDICTS; i++)
        put(o, verdict_name((enum verdict)i), json_integer(n[i]));
    return o;
}

static json_t *ab(const struct ab_result *r) {
    json_t *o = json_object();
    put(o, "id", json_string(r->id));
    put(o, "cores", json_string(r->cores));
    put(o, "seed", json_integer((json_int_t)r->seed));
    put(o, "pairs", json_integer((json_int_t)r->n));
    put(o, "answer", json_string(r->answer));
    put(o, "stopped", json_string(r->stopped));
    put(o, "words", run_json_text(r->words));
    return o;
}

int compare_print_json(const struct compare_view *v) {
    char words[512];
    json_t *o = json_object(), *rows = json_array(), *gates = json_array();
    for (size_t i = 0; i < v->n_row; i++)
        json_array_append_new(rows, row(v->row[i]));
    for (size_t i = 0; i < v->gate.n; i++)
        json_array_append_new(gates, gate(&v->gate.at[i]));
    put(o, "run_a", side(&v->side[0]));
    put(o, "run_b", side(&v->side[1]));
    put(o, "confidence", run_json_number(v->opt.confidence * 100));
    put(o, "least_points", run_json_number(v->opt.least_points * 100));
    put(o, "least_percent", run_json_number(v->opt.least_relative * 100));
    put(o, "shared", run_json_text(v->c.shared));
    put(o, "verdicts", tally(v));
    put(o, "needed", run_json_text(compare_needed_words(v, words, sizeof(words))));
    put(o, "counts", counts(&v->c));
    put(o, "work", run_json_text(compare_work_words(v, words, sizeof(words))));
    put(o, "metrics", rows);
    put(o, "gates", gates);
    if (v->ab)
        put(o, "ab", ab(v->ab));
    put(o, "result", v->result[0] ? json_string(v->result) : json_null());
    return json_print(o, JSON_INDENT(1)) == EXIT_OK ? EXIT_OK : EXIT_USAGE;
}

int compare_print_csv(const struct compare_view *v) {
    struct csv c = {.out = stdout};
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
