/* `tdtop plan -j`: the same as data. */
#include "cli/verb/plan_view.h"

#include "cli/cli.h"
#include "cli/file/json_out.h"
#include "model/eval/sample.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>

static json_t *json_share(double v) {
    return isfinite(v) ? json_real(v) : json_null();
}

static json_t *metrics_of(const struct plan_view *v, uint32_t group) {
    json_t *out = json_array();
    for (uint32_t i = 0; i < v->model.n_metric; i++)
        if (v->shown[i] && plan_view_reads(v, i, group))
            json_array_append_new(out, json_string(v->model.metric[i].name));
    return out;
}

static json_t *events_of(const struct plan_view *v, uint32_t group) {
    const struct plan_group *pg = &v->plan.group[group];
    struct plan_seat seat[PLAN_GROUP_MAX];
    json_t *out = json_array();
    plan_seats(&v->plan, &v->model, &v->opt, group, seat);
    for (uint32_t i = 0; i < pg->n; i++) {
        char words[128];
        json_array_append_new(
            out, json_pack("{ssss}", "event", v->model.event[v->plan.event[pg->first + i]].name,
                           "counter", plan_seat_words(v, &seat[i], words, sizeof(words))));
    }
    return out;
}

static json_t *json_groups(const struct plan_view *v) {
    static const char *const kinds[] = {[EVENT_CORE] = "core",
                                        [EVENT_GENERIC] = "generic",
                                        [EVENT_SOFTWARE] = "software",
                                        [EVENT_PROC] = "proc",
                                        [EVENT_UNCORE] = "uncore"};
    json_t *out = json_array();
    for (uint32_t g = 0; g < v->plan.n_group; g++) {
        const struct plan_group *pg = &v->plan.group[g];
        json_t *o =
            json_pack("{sissso}", "group", (int)g, "of", kinds[pg->pmu], "events", events_of(v, g));
        json_object_set_new(o, "metrics", metrics_of(v, g));
        json_object_set_new(o, "duty", json_share(v->duty[g]));
        json_object_set_new(o, "pinned", json_boolean(pg->pinned));
        json_object_set_new(o, "always_in_focus", json_boolean(pg->top));
        json_object_set_new(o, "parts_of_cut_formulas", json_boolean(pg->unfit));
        json_array_append_new(out, o);
    }
    return out;
}

static json_t *json_shared(const struct plan_view *v) {
    json_t *out = json_array();
    for (uint32_t e = 0; e < v->model.n_event; e++) {
        json_t *users = json_array();
        json_int_t groups = 0;
        for (uint32_t i = 0; i < v->model.n_metric; i++)
            if (v->shown[i] && plan_view_names(v, i, e))
                json_array_append_new(users, json_string(v->model.metric[i].name));
        for (uint32_t i = 0; i < v->plan.n_event; i++)
            groups += v->plan.event[i] == e;
        if (groups > 0 && json_array_size(users) > 1)
            json_array_append_new(out, json_pack("{sssIsO}", "event", v->model.event[e].name,
                                                 "groups", groups, "metrics", users));
        json_decref(users);
    }
    return out;
}

static json_t *json_levels(const struct plan_view *v) {
    enum { LEVELS = 16 };
    json_t *out = json_array();
    for (int level = 0; level < LEVELS; level++) {
        const struct plan_level lv = plan_view_level(v, level);
        if (lv.n_metric)
            json_array_append_new(out, json_pack("{sisisisoso}", "level", level, "metrics",
                                                 (int)lv.n_metric, "groups", (int)lv.n_group,
                                                 "duty_least", json_share(lv.least), "duty_most",
                                                 json_share(lv.most)));
    }
    return out;
}

static void add_opening(json_t *to, const struct plan_view *v, int node) {
    struct plan_opening open;
    if (plan_view_open(v, node, &open) < 0) {
        cli_lack();
        return;
    }
    json_t *o = json_pack("{sisiso}", "metrics", (int)open.n_metric, "turns", (int)open.n_group,
                          "duty", json_share(open.duty));
    json_object_set_new(
        o, "node", node == METRIC_NONE ? json_null() : json_string(v->model.metric[node].name));
    json_array_append_new(to, o);
}

static json_t *json_openings(const struct plan_view *v) {
    json_t *out = json_array();
    add_opening(out, v, METRIC_NONE);
    for (uint32_t i = 0; i < v->model.n_tree; i++) {
        const struct metric *mt = &v->model.metric[i];
        if (mt->level >= 2 && mt->first_child != METRIC_NONE && v->shown[mt->first_child])
            add_opening(out, v, (int)i);
    }
    return out;
}

static json_t *json_unfit(const struct plan_view *v) {
    json_t *out = json_object();
    for (uint32_t i = 0; i < v->model.n_metric; i++) {
        if (!plan_view_split(v, i) || !v->shown[i])
            continue;
        json_t *groups = json_array();
        for (uint32_t g = 0; g < v->plan.n_group; g++)
            if (plan_view_reads(v, i, g))
                json_array_append_new(groups, json_integer(g));
        json_object_set_new(out, v->model.metric[i].name, groups);
    }
    return out;
}

static void append_name(void *user, const char *name) {
    json_array_append_new(user, json_string(name));
}

/* Formulas that read such values. */
static json_t *json_inherited(const struct plan_view *v) {
    json_t *out = json_object();
    for (uint32_t i = 0; i < v->model.n_metric; i++) {
        json_t *names = json_array();
        if (v->shown[i])
            plan_view_inherited(v, i, append_name, names);
        if (json_array_size(names))
            json_object_set(out, v->model.metric[i].name, names);
        json_decref(names);
    }
    return out;
}

static json_t *json_missing(const struct plan_view *v) {
    json_t *out = json_object();
    for (uint32_t e = 0; e < v->model.n_event; e++)
        if (v->plan.missing[e] != COUNT_OK)
            json_object_set_new(
                out, v->model.event[e].name,
                json_string(count_state_text((enum count_state)v->plan.missing[e])));
    return out;
}

void plan_print_json(const struct plan_view *v) {
    const struct model *m = &v->model;
    json_t *o = json_pack("{ssssssssss}", "model", m->name, "title", m->title, "why", v->why_model,
                          "assumed", v->assumed, "version", TDTOP_VERSION);
    json_object_set_new(o, "general_counters", json_integer(plan_view_general(v)));
    json_object_set_new(o, "probed", json_boolean(v->opt.probed));
    json_object_set_new(o, "fixed_taken", json_integer(__builtin_popcountll(v->opt.fixed_taken)));
    json_object_set_new(o, "fixed_counters", json_integer(m->fixed_counters));
    json_object_set_new(o, "nmi_watchdog", json_boolean(v->opt.nmi_watchdog));
    json_object_set_new(o, "perf_metrics", json_boolean(!v->opt.no_perf_metrics));
    json_object_set_new(o, "groups", json_groups(v));
    json_object_set_new(o, "shared", json_shared(v));
    json_object_set_new(o, "levels", json_levels(v));
    json_object_set_new(o, "openings", json_openings(v));
    json_object_set_new(o, "unfit", json_unfit(v));
    json_object_set_new(o, "unfit_below", json_inherited(v));
    json_object_set_new(o, "missing", json_missing(v));
    json_print(o, JSON_INDENT(1));
}
