/*
 * A run as JSON: docs/STORE.md, "Run as JSON", has the format. Everything is in it, numbers with
 * the digits that give back the very same bits; one line per value and per interval, so that it can
 * be read in part, kept beside a program's source, and compared line by line.
 */
#include "cli/file/run_export.h"

#include "base/str.h"
#include "cli/cli.h"
#include "cli/file/json_out.h"
#include "cli/file/run_import.h"
#include "cli/file/run_json.h"
#include "db/store_names.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FLAGS = JSON_ENCODE_ANY | JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17) };

struct writer {
    FILE *out;
    bool begun;  /* a member was written */
    bool failed; /* out of memory */
};

/* ---- values; all of them take over what they are given ---- */

static void dump(struct writer *w, json_t *v) {
    if (!v || cli_lacks() || json_dumpf(v, w->out, FLAGS) < 0)
        w->failed |= !ferror(w->out);
    json_decref(v);
}

static void key(struct writer *w, const char *name) {
    fprintf(w->out, "%s\n \"%s\": ", w->begun ? "," : "", name);
    w->begun = true;
}

static void member(struct writer *w, const char *name, json_t *v) {
    key(w, name);
    dump(w, v);
}

/* Not known is null; infinite is a text, because JSON has no number for it. */
static json_t *real(double v) {
    if (isnan(v))
        return json_null();
    return isinf(v) ? json_string(v > 0 ? "inf" : "-inf") : json_real(v);
}

static json_t *whole(uint64_t v) {
    return json_integer((json_int_t)v);
}

/* ---- lists of the head ---- */

static void list_item(struct writer *w, size_t i, json_t *v) {
    fputs(i ? ",\n  " : "\n  ", w->out);
    dump(w, v);
}

static void list_begin(struct writer *w, const char *name) {
    key(w, name);
    fputc('[', w->out);
}

static void list_end(struct writer *w) {
    fputc(']', w->out);
}

/* What each gives of the first n. */
static void list(struct writer *w, const char *name, size_t n, const struct run *r,
                 json_t *(*each)(const struct run *r, size_t i)) {
    list_begin(w, name);
    for (size_t i = 0; i < n; i++)
        list_item(w, i, each(r, i));
    list_end(w);
}

static json_t *label(const char *name, const char *value, bool automatic) {
    json_t *o = json_object();
    json_set(o, "key", run_json_text(name));
    json_set(o, "value", run_json_text(value));
    json_set(o, "automatic", json_boolean(automatic));
    return o;
}

/* An automatic value that is covered comes before the one of the user: an older tdtop, which keeps
 * the last, then has the user's. */
static void labels(struct writer *w, const struct run *r) {
    size_t n = 0;
    list_begin(w, "labels");
    for (size_t i = 0; i < r->label.n; i++) {
        const struct run_label *l = &r->label.at[i];
        if (l->covered)
            list_item(w, n++, label(l->key, l->covered, true));
        list_item(w, n++, label(l->key, l->value, l->automatic));
    }
    list_end(w);
}

static json_t *fact(const struct run *r, size_t i) {
    json_t *o = json_object();
    json_set(o, "key", run_json_text(r->fact.at[i].key));
    json_set(o, "value", run_json_text(r->fact.at[i].value));
    return o;
}

static json_t *mark(const struct run *r, size_t i) {
    json_t *o = json_object();
    json_set(o, "t_ns", whole(r->mark.at[i].t_ns));
    json_set(o, "name", run_json_text(r->mark.at[i].name));
    return o;
}

static json_t *latency(const struct run *r, size_t i) {
    json_t *o = json_object();
    json_set(o, "event", run_json_text(r->consts.latency[i].event));
    json_set(o, "cycles", real(r->consts.latency[i].cycles));
    return o;
}

static void constants(struct writer *w, const struct run *r) {
    size_t n = 0;
    list_begin(w, "constants");
    for (int i = 0; i < CONST_N; i++) {
        json_t *o;
        if (isnan(r->consts.value[i]) && !r->consts.fixed_by_user[i])
            continue;
        o = json_object();
        json_set(o, "name", json_string(const_name((enum const_id)i)));
        json_set(o, "value", real(r->consts.value[i]));
        json_set(o, "fixed", json_boolean(r->consts.fixed_by_user[i]));
        list_item(w, n++, o);
    }
    list_end(w);
}

/* ---- values ---- */

static void put_moments(json_t *o, const struct moments_result *m) {
    json_set(o, "n", whole(m->n));
    json_set(o, "mean", real(m->mean));
    json_set(o, "sd", real(m->sd));
    json_set(o, "min", real(m->least));
    json_set(o, "max", real(m->most));
    json_set(o, "se", real(m->se));
    json_set(o, "dof", real(m->dof));
    json_set(o, "effective_n", real(m->effective_n));
}

static json_t *node(const struct run *r, size_t i) {
    const struct run_node *n = &r->node.at[i];
    json_t *o = json_object();
    json_set(o, "name", run_json_text(n->name));
    json_set(o, "path", run_json_text(n->path));
    json_set(o, "unit", run_json_text(n->unit));
    json_set(o, "level", json_integer(n->level));
    json_set(o, "good_up", json_boolean(n->good_up));
    json_set(o, "share", json_boolean(n->share));
    json_set(o, "total", json_boolean(n->total));
    json_set(o, "better", json_integer(n->better));
    json_set(o, "value", real(n->value.v));
    json_set(o, "err", real(n->value.err));
    json_set(o, "duty", real((double)n->value.duty));
    json_set(o, "state", json_string(store_value_state(n->value.state)));
    json_set(o, "over", json_boolean(n->value.over));
    json_set(o, "parted", json_boolean(n->value.split));
    json_set(o, "approximate", json_boolean(n->value.approx));
    json_set(o, "reason", run_json_text(n->reason));
    json_set(o, "mean_err", real(run_mean_err(n)));
    put_moments(o, &n->m);
    return o;
}

/* ---- counts ---- */

static json_t *event(const struct run *r, size_t i) {
    json_t *o = json_object();
    json_set(o, "name", run_json_text(r->event[i]));
    json_set(o, "state", json_string(store_count_state(r->layout.missing[i])));
    return o;
}

static json_t *slot(const struct run *r, size_t i) {
    const uint16_t e = r->layout.slot[i].event;
    json_t *o = json_object();
    json_set(o, "event", e == SLOT_NO_EVENT ? json_null() : json_integer(e));
    json_set(o, "group", json_integer(r->layout.slot[i].group));
    return o;
}

static void events(struct writer *w, const struct run *r) {
    const struct layout *l = &r->layout;
    list(w, "events", l->n_event, r, event);
    list(w, "slots", l->n_slot, r, slot);
    member(w, "n_group", json_integer(l->n_group));
    member(w, "n_pinned", json_integer(l->n_pinned));
    member(w, "no_perf_metrics", json_boolean(l->no_perf_metrics));
}

/* The times of a group are those of its first slot. */
static const struct count *of_group(const struct layout *l, const struct sample *s,
                                    uint32_t group) {
    for (uint32_t i = 0; i < s->n_slot; i++)
        if (l->slot[i].group == group)
            return &s->at[i];
    return NULL;
}

static void number(FILE *out, double v) {
    char text[STR_NUMBER];
    const bool minus_0 = v == 0 && signbit(v); /* a whole -0 would be read as 0 */
    fputs(minus_0 ? "-0.0" : str_number(text, sizeof(text), v), out);
}

static void put_count(FILE *out, const struct count *c, const struct count *group) {
    const bool own =
        c->part || c->enabled_ns != group->enabled_ns || c->running_ns != group->running_ns;
    if (own)
        fputc('[', out);
    if (c->state == COUNT_OK && isfinite(c->value))
        number(out, c->value);
    else
        fprintf(out, "\"%s\"", store_count_state(c->state));
    if (own)
        fprintf(out, ",%" PRIu64 ",%" PRIu64, c->enabled_ns, c->running_ns);
    if (c->part)
        fprintf(out, ",%u", c->part);
    if (own)
        fputc(']', out);
}

static void interval(FILE *out, const struct layout *l, const struct sample *s,
                     const struct count **group) {
    fprintf(out, "{\"t0_ns\":%" PRIu64 ",\"t1_ns\":%" PRIu64 ",\"threads\":%" PRIu32, s->t0_ns,
            s->t1_ns, s->target_threads);
    if (s->busy_ns || s->resident_ns)
        fprintf(out, ",\"busy_ns\":%" PRIu64 ",\"here_ns\":%" PRIu64, s->busy_ns, s->resident_ns);
    fputs(",\"groups\":[", out);
    for (uint32_t g = 0; g < l->n_group; g++) {
        group[g] = of_group(l, s, g);
        fprintf(out, "%s[%" PRIu64 ",%" PRIu64 "]", g ? "," : "",
                group[g] ? group[g]->enabled_ns : 0, group[g] ? group[g]->running_ns : 0);
    }
    fputs("],\"counts\":[", out);
    for (uint32_t i = 0; i < s->n_slot; i++) {
        if (i)
            fputc(',', out);
        put_count(out, &s->at[i], group[l->slot[i].group]);
    }
    fputs("]}", out);
}

static int intervals(struct writer *w, const struct run *r) {
    struct series_reader reader;
    struct sample row = {0};
    const struct count **group = calloc(r->layout.n_group + 1u, sizeof(*group));
    key(w, "intervals");
    fputc('[', w->out);
    int rc = group ? series_reader_init(&reader, &r->series) : -ENOMEM;
    if (rc == 0) {
        rc = sample_init(&row, r->layout.n_slot);
        for (bool first = true; rc == 0 && series_reader_next(&reader, &row); first = false) {
            fputs(first ? "\n  " : ",\n  ", w->out);
            interval(w->out, &r->layout, &row, group);
        }
        series_reader_destroy(&reader);
        sample_destroy(&row);
    }
    free(group);
    fputc(']', w->out);
    return rc;
}

/* ---- the whole ---- */

static void head(struct writer *w, const struct run *r) {
    member(w, RUN_JSON_MAGIC, json_integer(RUN_JSON_FORMAT));
    member(w, "id", run_json_text(r->id));
    member(w, "parent", run_json_text(r->parent));
    member(w, "begun_ns", json_integer(r->begun_ns));
    member(w, "ended_ns", json_integer(r->ended_ns));
    member(w, "t0_ns", whole(r->t0_ns));
    member(w, "t1_ns", whole(r->t1_ns));
    member(w, "measured_ns", whole(r->measured_ns));
    member(w, "interval_ns", whole(r->interval_ns));
    member(w, "process", run_json_text(r->process));
    member(w, "target", run_json_text(r->target));
    member(w, "command", run_json_text(r->command));
    member(w, "source", run_json_text(r->source));
    member(w, "version", run_json_text(r->version));
    member(w, "note", run_json_text(r->note));
    member(w, "level", json_integer(r->level));
    member(w, "system_wide", json_boolean(r->system_wide));
    member(w, "simulated", json_boolean(r->simulated));
    member(w, "ran_through", json_boolean(r->ran_through));
    member(w, "doubt", run_json_text(r->warning));
    member(w, "bottleneck", run_json_text(r->bottleneck));
    member(w, "model", run_json_text(r->model));
}

int run_export_json(const struct run *r, FILE *out, struct err *err) {
    struct writer w = {.out = out};
    int rc = 0;
    fputc('{', out);
    head(&w, r);
    labels(&w, r);
    list(&w, "environment", r->fact.n, r, fact);
    list(&w, "marks", r->mark.n, r, mark);
    constants(&w, r);
    list(&w, "latencies", r->consts.n_latency, r, latency);
    list(&w, "nodes", r->node.n, r, node);
    if (r->layout.n_slot) {
        events(&w, r);
        rc = intervals(&w, r);
    }
    member(&w, "model_text", run_json_text(r->model_text));
    fputs("\n}\n", out);
    if (rc < 0 || w.failed || cli_lacks())
        return err_set(err, -ENOMEM, "run %.8s: out of memory", r->id);
    rc = cli_flush(out);
    if (rc < 0)
        err_set(err, rc, "run %.8s: it could not be written: %s; what was written is not complete",
                r->id, strerror(-rc));
    return rc;
}
