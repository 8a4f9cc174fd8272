#include "cli/file/run_json.h"

#include "base/clock.h"
#include "base/str.h"
#include "base/when.h"
#include "cli/file/json_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

double run_shown(bool share, double v) {
    return share ? v * 100 : v;
}

const char *run_unit(bool share, const char *unit) {
    return share ? "%" : unit ? unit : "";
}

const char *run_value_text(bool share, const char *unit, double v, char *buf, size_t cap) {
    const char *of = run_unit(share, unit);
    char si[16];
    if (isnan(v))
        snprintf(buf, cap, "n/a");
    else if (share)
        snprintf(buf, cap, "%.1f%%", v * 100);
    else if (v != 0 && fabs(v) < 0.01)
        snprintf(buf, cap, "%.2g%s%s", v, *of ? " " : "", of);
    else if (fabs(v) < 1e5)
        snprintf(buf, cap, "%.*f%s%s", fabs(v) < 10 ? 3 : 1, v, *of ? " " : "", of);
    else
        snprintf(buf, cap, "%s%s%s", str_si(si, sizeof(si), v), *of ? " " : "", of);
    return buf;
}

static const char *width_text(const struct run_node *n, double width, char *buf, size_t cap) {
    char si[16];
    if (isnan(width) || isnan(n->value.v))
        snprintf(buf, cap, "%s", "");
    else if (n->share)
        snprintf(buf, cap, "%.1f", width * 100);
    else if (width > 0 && width < 0.001 && fabs(n->value.v) < 10)
        snprintf(buf, cap, "%.1g", width);
    else if (width < 1e5)
        snprintf(buf, cap, "%.*f", fabs(n->value.v) < 10 ? 3 : 1, width);
    else
        snprintf(buf, cap, "%s", str_si(si, sizeof(si), width));
    return buf;
}

const char *run_err_text(const struct run_node *n, char *buf, size_t cap) {
    return width_text(n, n->value.err, buf, cap);
}

const char *run_sd_text(const struct run_node *n, char *buf, size_t cap) {
    return width_text(n, n->m.sd, buf, cap);
}

json_t *run_json_text(const char *text) {
    json_t *o = json_string(text ? text : "");
    if (o)
        return o;
    const size_t cap = strlen(text) + 1;
    char *safe = malloc(cap);
    o = safe ? json_string(str_safe(safe, cap, text)) : NULL;
    if (!safe)
        cli_lack();
    free(safe);
    return o;
}

uint64_t run_intervals(const struct run *r) {
    const uint64_t known = r->n_stored + series_rows(&r->series);
    uint64_t n = known;
    for (size_t i = 0; i < r->node.n && !known; i++)
        n = r->node.at[i].m.n > n ? r->node.at[i].m.n : n;
    return n;
}

/* ---- objects ---- */

static void put_text(json_t *o, const char *key, const char *text) {
    json_set(o, key, run_json_text(text));
}

static void put_time(json_t *o, const char *key, int64_t ns) {
    char text[64];
    put_text(o, key, when_iso(ns, text, sizeof(text)));
}

json_t *run_json_labels(const struct run_label *label, size_t n) {
    json_t *o = json_object();
    for (size_t i = 0; i < n; i++)
        put_text(o, label[i].key, label[i].value);
    return o;
}

json_t *run_json_head(const struct run *r) {
    json_t *o = json_object();
    put_text(o, "run_id", r->id);
    put_time(o, "started_at", r->begun_ns);
    put_time(o, "ended_at", r->ended_ns);
    json_set(o, "duration", json_real((double)r->measured_ns / (double)NS_PER_S));
    json_set(o, "samples", json_integer((json_int_t)run_intervals(r)));
    put_text(o, "process_name", r->process);
    put_text(o, "target", r->target);
    put_text(o, "command", r->command);
    put_text(o, "source", r->source);
    put_text(o, "version", r->version);
    put_text(o, "model", r->model);
    json_set(o, "level", json_integer(r->level));
    json_set(o, "system_wide", json_boolean(r->system_wide));
    json_set(o, "simulated", json_boolean(r->simulated));
    put_text(o, "bottleneck", r->bottleneck);
    put_text(o, "doubt", r->warning);
    put_text(o, "note", r->note);
    json_set(o, "labels", run_json_labels(r->label.at, r->label.n));
    return o;
}

static json_t *tops(const struct run_row *row) {
    static const char *const names[] = {"Frontend_Bound", "Bad_Speculation", "Backend_Bound",
                                        "Retiring"};
    json_t *o = json_object();
    for (int i = 0; i < 4; i++)
        json_set(o, names[i], json_number(run_shown(true, row->top[i])));
    return o;
}

json_t *run_json_row(const struct run_row *row) {
    json_t *o = json_object();
    put_text(o, "run_id", row->id);
    put_time(o, "started_at", row->begun_ns);
    json_set(o, "duration", json_real((double)row->duration_ns / (double)NS_PER_S));
    json_set(o, "samples", json_integer((json_int_t)row->n_interval));
    put_text(o, "process_name", row->process);
    put_text(o, "target", row->target);
    put_text(o, "model", row->model);
    json_set(o, "level", json_integer(row->level));
    json_set(o, "system_wide", json_boolean(row->system_wide));
    json_set(o, "simulated", json_boolean(row->simulated));
    json_set(o, "unfinished", json_boolean(row->unfinished));
    put_text(o, "bottleneck", row->bottleneck);
    json_set(o, "level1", tops(row));
    if (row->removed_ns)
        put_time(o, "removed_at", row->removed_ns);
    put_text(o, "note", row->note);
    json_set(o, "labels", run_json_labels(row->label, row->n_label));
    return o;
}

json_t *run_json_node(const struct run_node *n) {
    json_t *o = json_object();
    put_text(o, "metric_name", n->name);
    put_text(o, "path", n->path);
    json_set(o, "value", json_number(run_shown(n->share, n->value.v)));
    put_text(o, "unit", run_unit(n->share, n->unit));
    json_set(o, "err", json_number(run_shown(n->share, n->value.err)));
    json_set(o, "level", json_integer(n->level));
    put_text(o, "status", value_state_name((enum value_state)n->value.state));
    put_text(o, "reason", n->reason);
    json_set(o, "over", json_boolean(n->value.over));
    json_set(o, "approximate", json_boolean(n->value.approx));
    json_set(o, "duty", json_number((double)n->value.duty));
    json_set(o, "intervals", json_integer((json_int_t)n->m.n));
    json_set(o, "mean", json_number(run_shown(n->share, n->m.mean)));
    json_set(o, "sd", json_number(run_shown(n->share, n->m.sd)));
    json_set(o, "mean_err", json_number(run_shown(n->share, run_mean_err(n))));
    json_set(o, "min", json_number(run_shown(n->share, n->m.least)));
    json_set(o, "max", json_number(run_shown(n->share, n->m.most)));
    return o;
}
