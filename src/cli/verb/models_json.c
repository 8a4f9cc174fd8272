/* A model as data: everything that its file says, and each event as perf takes it. */
#include "base/str.h"
#include "cli/file/json_out.h"
#include "cli/verb/models.h"
#include "model/load/model_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void set_text(json_t *o, const char *key, const char *text) {
    json_object_set_new(o, key, text ? json_string(text) : json_null());
}

static void set_list(json_t *o, const char *key, const char **list) {
    json_t *all = json_array();
    for (int i = 0; list && list[i]; i++)
        json_array_append_new(all, json_string(list[i]));
    json_object_set_new(o, key, all);
}

static const char *role_name(enum metric_role role) {
    static const char *const names[] = {[ROLE_NONE] = NULL,
                                        [ROLE_FRONTEND] = "frontend",
                                        [ROLE_BAD_SPECULATION] = "bad_speculation",
                                        [ROLE_BACKEND] = "backend",
                                        [ROLE_RETIRING] = "retiring"};
    return names[role];
}

static void set_formulas(json_t *o, const struct model *m, const struct metric *x) {
    char when[1024] = "";
    struct strbuf sb = strbuf_on(when, sizeof(when));
    model_expr_text(m, x->approximate_when, &sb);
    set_text(o, "formula", x->formula);
    set_text(o, "alt", x->alt_formula);
    set_text(o, "fallback", x->fallback_formula);
    set_text(o, "fallback_note", x->fallback_note);
    set_text(o, "zero_note", x->zero_note);
    set_text(o, "approximate", x->approximate);
    set_text(o, "approximate_when", when[0] ? when : NULL);
    set_text(o, "threshold", x->threshold_text);
    set_text(o, "unavailable", x->unavailable);
}

static json_t *metric_json(const struct model *m, const struct metric *x) {
    static const char *const kinds[] = {
        [METRIC_TREE] = "tree", [METRIC_BOTTLENECK] = "bottleneck", [METRIC_INFO] = "info"};
    json_t *o = json_object();
    set_text(o, "name", x->name);
    set_text(o, "vendor", x->vendor);
    set_text(o, "kind", kinds[x->kind]);
    set_text(o, "path", x->path);
    set_text(o, "parent", x->parent >= 0 ? m->metric[x->parent].name : NULL);
    json_object_set_new(o, "level", json_integer(x->level));
    set_text(o, "role", role_name(x->role));
    set_text(o, "unit", x->unit);
    json_object_set_new(o, "share", json_boolean(x->share));
    set_text(o, "domain", x->domain);
    set_text(o, "groups", x->groups);
    set_list(o, "next", x->next);
    set_text(o, "summary", x->summary);
    json_object_set_new(o, "vital", json_boolean(x->vital));
    json_object_set_new(o, "good_up", json_boolean(x->good_up));
    set_formulas(o, m, x);
    set_list(o, "locate", x->locate);
    return o;
}

static void set_code(json_t *o, const char *key, const struct event *e, uint64_t code) {
    char text[24];
    snprintf(text, sizeof(text), "0x%" PRIx64, code);
    set_text(o, key, e->has_code ? text : NULL);
}

static void set_counters(json_t *o, const struct event *e) {
    json_t *list = json_array();
    for (int i = 0; i < 64; i++)
        if (e->counters >> i & 1)
            json_array_append_new(list, json_integer(i));
    json_object_set_new(o, "counters", list); /* empty: any */
    json_object_set_new(o, "fixed", e->fixed >= 0 ? json_integer(e->fixed) : json_null());
}

static json_t *event_json(const struct model *m, const struct event *e) {
    static const char *const pmus[] = {[EVENT_CORE] = "core",
                                       [EVENT_GENERIC] = "generic",
                                       [EVENT_SOFTWARE] = "software",
                                       [EVENT_PROC] = "proc",
                                       [EVENT_UNCORE] = "uncore"};
    char perf[512];
    json_t *o = json_object();
    model_event_text(m, e, perf, sizeof(perf));
    set_text(o, "name", e->name);
    set_text(o, "base", e->base);
    set_text(o, "pmu", pmus[e->pmu]);
    set_text(o, "perf", perf[0] ? perf : NULL);
    set_code(o, "config", e, e->config);
    set_code(o, "config1", e, e->config1);
    set_text(o, "sysfs", e->sysfs);
    set_text(o, "alias", e->alias);
    set_counters(o, e);
    json_object_set_new(o, "perf_metrics", json_boolean(e->perf_metrics));
    json_object_set_new(o, "alone", json_boolean(e->alone));
    set_text(o, "only", e->user_only ? "user" : e->kernel_only ? "kernel" : NULL);
    set_text(o, "libpfm4", e->libpfm4);
    if (e->pmu != EVENT_UNCORE)
        return o;
    set_text(o, "device", e->device);
    set_text(o, "terms", e->terms);
    json_object_set_new(o, "scale", json_real(e->scale));
    json_object_set_new(o, "one_unit", json_boolean(e->one_unit));
    return o;
}

static void set_model(json_t *o, const struct model *m) {
    set_text(o, "name", m->name);
    set_text(o, "title", m->title);
    set_text(o, "tma", m->tma);
    set_text(o, "vendor", m->vendor);
    set_text(o, "rung", m->rung);
    set_text(o, "core_type", m->core_type);
    set_text(o, "scope", m->scope);
    set_text(o, "origin", m->origin);
    set_text(o, "limits", m->limits);
    set_list(o, "match", m->match);
    json_object_set_new(o, "slots_per_cycle", json_integer(m->slots_per_cycle));
    json_object_set_new(o, "general_counters", json_integer(m->general_counters));
    json_object_set_new(o, "fixed_counters", json_integer(m->fixed_counters));
}

json_t *models_json(const struct model *m) {
    json_t *o = json_object(), *metrics = json_array(), *events = json_array(),
           *latencies = json_object();
    set_model(o, m);
    for (uint32_t i = 0; i < m->n_metric; i++)
        json_array_append_new(metrics, metric_json(m, &m->metric[i]));
    for (uint32_t i = 0; i < m->n_event; i++)
        json_array_append_new(events, event_json(m, &m->event[i]));
    for (uint32_t i = 0; i < m->n_latency; i++)
        json_object_set_new(latencies, m->latency[i].event,
                            isnan(m->latency[i].cycles) ? json_null()
                                                        : json_real(m->latency[i].cycles));
    json_object_set_new(o, "metrics", metrics);
    json_object_set_new(o, "latencies", latencies);
    json_object_set_new(o, "events", events);
    return o;
}

json_t *models_json_metric(const struct model *m, int metric) {
    json_t *o = metric_json(m, &m->metric[metric]), *events = json_array();
    bool *done = calloc(m->n_metric + 1, sizeof(*done)),
         *seen = calloc(m->n_event + 1, sizeof(*seen));
    if (!done || !seen)
        cli_lack();
    if (done && seen)
        models_events_of(m, metric, done, seen);
    for (uint32_t i = 0; seen && i < m->n_event; i++)
        if (seen[i])
            json_array_append_new(events, event_json(m, &m->event[i]));
    json_object_set_new(o, "model", json_string(m->name));
    json_object_set_new(o, "events", events);
    free(done);
    free(seen);
    return o;
}

json_t *models_json_group(const struct model *m, const char *group) {
    json_t *all = json_array();
    for (uint32_t i = 0; i < m->n_metric; i++)
        if (model_in_group(&m->metric[i], group))
            json_array_append_new(all, models_json_metric(m, (int)i));
    return all;
}

void models_print_json(json_t *o) {
    json_print(o, stdout, JSON_INDENT(1));
}
