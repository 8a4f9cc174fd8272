/* One model, or a metric or group of it, as text (whole or as a summary) and as JSON. */
#include "cli/verb/models.h"

#include "base/array.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/out/wrap.h"
#include "model/knowledge/explain.h"
#include "model/load/model_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { WIDTH = 100, LABEL_W = 11, EVENT_W = 44, TREE_W = 44, UNIT_MAX_W = 6 };

static void put_wrapped(int used, const char *text) {
    wrap_put(stdout, WIDTH, used, text);
}

static void put_pair(int indent, const char *label, const char *text) {
    wrap_pair(stdout, WIDTH, indent, LABEL_W, label, text);
}

static void put_list(int indent, const char *label, const char **list) {
    char text[4096] = "";
    struct strbuf sb = strbuf_on(text, sizeof(text));
    for (int i = 0; list && list[i]; i++)
        strbuf_add(&sb, "%s%s", i ? ", " : "", list[i]);
    put_pair(indent, label, text);
}

/* ---- metrics ---- */

static void put_approximate(const struct model *m, const struct metric *x, int in) {
    char text[1024] = "";
    struct strbuf sb = strbuf_on(text, sizeof(text));
    if (!x->approximate)
        return;
    strbuf_add(&sb, "%s", x->approximate);
    if (x->approximate_when) {
        strbuf_add(&sb, "; only where ");
        model_expr_text(m, x->approximate_when, &sb);
    }
    put_pair(in, "approximate:", text);
}

static void put_rules(const struct model *m, const struct metric *x, int in) {
    if (x->unavailable)
        put_pair(in, "not available:", x->unavailable);
    if (x->formula) {
        printf("%*s= ", in, "");
        put_wrapped(in + 2, x->formula);
    }
    put_pair(in, "without topdown-* events:", x->alt_formula);
    put_pair(in, "where an event is missing:", x->fallback_formula);
    put_pair(in, "that leaves out:", x->fallback_note);
    put_pair(in, "divided by zero:", x->zero_note);
    put_approximate(m, x, in);
    put_pair(in, "over when", x->threshold_text);
    put_list(in, "leads to", x->next);
}

/* What is not a bare number: "percent of Slots", "GHz", "Clocks". */
static void put_unit(const struct metric *x) {
    const char *unit = x->unit && x->unit[0] ? x->unit : NULL;
    const char *domain = x->domain && unit && !strcasecmp(x->domain, unit) ? NULL : x->domain;
    if (unit || domain)
        printf("  [%s%s%s]", unit ? unit : "",
               !unit || !domain ? ""
               : x->share       ? " of "
                                : "; ",
               domain ? domain : "");
}

static void show_metric(const struct model *m, const struct metric *x, int in) {
    printf("%*s%s", in, "", x->name);
    if (x->vendor)
        printf(" (%s)", x->vendor);
    put_unit(x);
    if (x->vital)
        printf("  on the screen's line of vital signs");
    putchar('\n');
    put_rules(m, x, in + 4);
}

static void show_tree(const struct model *m) {
    printf("\nTree (100%% = %s)\n", m->scope ? m->scope : "slots");
    for (uint32_t i = 0; i < m->n_tree; i++)
        show_metric(m, &m->metric[i], 2 * m->metric[i].level);
}

static void show_bottlenecks(const struct model *m) {
    bool any = false;
    for (uint32_t i = m->n_tree; i < m->n_metric; i++) {
        if (m->metric[i].kind != METRIC_BOTTLENECK)
            continue;
        if (!any)
            printf("\nBottlenecks (the same slots, by what one would do about them)\n");
        any = true;
        show_metric(m, &m->metric[i], 2);
    }
}

/* A metric is listed under the first of its groups. */
static void first_group(const struct metric *x, char *buf, size_t cap) {
    const char *list = x->groups, *g;
    size_t n;
    model_group_next(&list, &g, &n);
    str_copy(buf, n + 1 < cap ? n + 1 : cap, g);
}

static bool in_list(const struct metric *x, const char *group) {
    char first[128];
    first_group(x, first, sizeof(first));
    return x->kind == METRIC_INFO && !strcmp(first, group);
}

static void show_group(const struct model *m, const char *group, uint32_t from) {
    printf("\nMetrics%s%s\n", group[0] ? ": " : " of no group", group);
    for (uint32_t i = from; i < m->n_metric; i++)
        if (in_list(&m->metric[i], group)) {
            show_metric(m, &m->metric[i], 2);
            if (m->metric[i].groups && strchr(m->metric[i].groups, ';'))
                put_pair(6, "groups", m->metric[i].groups);
        }
}

static void show_groups(const struct model *m) {
    char group[128];
    for (uint32_t i = m->n_tree; i < m->n_metric; i++) {
        first_group(&m->metric[i], group, sizeof(group));
        bool fresh = m->metric[i].kind == METRIC_INFO;
        for (uint32_t k = m->n_tree; k < i && fresh; k++)
            fresh = !in_list(&m->metric[k], group);
        if (fresh)
            show_group(m, group, i);
    }
}

/* ---- events ---- */

static void counter_words(const struct event *e, struct strbuf *sb) {
    if (e->fixed >= 0)
        strbuf_add(sb, "  fixed counter %d", e->fixed);
    if (e->counters) {
        strbuf_add(sb, "  counters ");
        strbuf_add_mask(sb, e->counters);
    }
    if (e->alone)
        strbuf_add(sb, "  alone in its group");
}

static void show_event(const struct model *m, const struct event *e) {
    char text[768], perf[512];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    model_event_text(m, e, perf, sizeof(perf));
    strbuf_add(&sb, "%s",
               perf[0]                ? perf
               : e->pmu == EVENT_PROC ? "from /proc"
                                      : "its code is not known");
    if (e->pmu == EVENT_CORE && e->has_code && e->sysfs)
        strbuf_add(&sb, "  or %s/%s/", model_core_pmu(m), e->sysfs);
    if (e->pmu == EVENT_UNCORE && e->device && e->terms && e->sysfs)
        strbuf_add(&sb, "  or %s/%s/", e->device, e->sysfs);
    if (e->pmu == EVENT_CORE && e->has_code && e->alias)
        strbuf_add(&sb, "  also called %s", e->alias);
    counter_words(e, &sb);
    if (e->one_unit)
        strbuf_add(&sb, "  on one box");
    if (e->pmu == EVENT_UNCORE && e->scale != 1)
        strbuf_add(&sb, "  times %g", e->scale);
    printf("  %-*s ", EVENT_W, e->name);
    fputs(text, stdout); /* one line, however long: it is there to be copied */
    putchar('\n');
    if (e->libpfm4) {
        printf("      libpfm4 differs: ");
        put_wrapped(23, e->libpfm4);
    }
}

static void show_events(const struct model *m, const bool *only) {
    bool any = false;
    for (uint32_t i = 0; i < m->n_event; i++) {
        if (only && !only[i])
            continue;
        if (!any)
            printf("\nEvents, as perf stat -e takes them\n");
        any = true;
        show_event(m, &m->event[i]);
    }
}

static void show_latencies(const struct model *m) {
    if (m->n_latency)
        printf("\nRetire latencies: cycles, the vendor's averages (--const EVENT:retire_latency=N "
               "for measured ones)\n");
    for (uint32_t i = 0; i < m->n_latency; i++)
        if (isnan(m->latency[i].cycles))
            printf("  %-*s not published\n", EVENT_W, m->latency[i].event);
        else
            printf("  %-*s %g%s\n", EVENT_W, m->latency[i].event, m->latency[i].cycles,
                   m->latency[i].own ? ", your own" : "");
}

/* ---- one metric ---- */

struct walk {
    bool *done, *seen;
    ARRAY(int) todo;
};

static void note_leaf(const struct ast *leaf, void *user) {
    struct walk *w = user;
    if (leaf->op == AST_EVENT)
        w->seen[leaf->index] = true;
    if (leaf->op != AST_METRIC || w->done[leaf->index])
        return;
    w->done[leaf->index] = true;
    (void)array_push(&w->todo, leaf->index); /* without memory the list is shorter */
}

bool *models_events_of(const struct model *m, int metric) {
    struct walk w = {.done = calloc(m->n_metric + 1, sizeof(*w.done)),
                     .seen = calloc(m->n_event + 1, sizeof(*w.seen))};
    if (!w.done || !w.seen) {
        cli_lack();
        free(w.done);
        free(w.seen);
        return NULL;
    }
    w.done[metric] = true;
    (void)array_push(&w.todo, metric);
    for (size_t i = 0; i < w.todo.n; i++) {
        const struct metric *x = &m->metric[w.todo.at[i]];
        const struct ast *const of[] = {x->ast, x->alt, x->fallback};
        for (size_t k = 0; k < sizeof(of) / sizeof(of[0]); k++)
            if (of[k])
                expr_leaves(of[k], note_leaf, &w);
    }
    array_free(&w.todo);
    free(w.done);
    return w.seen;
}

static void show_knowledge(const struct metric *x) {
    struct explain ex = {0};
    if (explain_load_for(&ex, NULL, NULL) < 0)
        return;
    const struct explain_entry *e = explain_find(&ex, x->name);
    const char *summary = e && e->summary ? e->summary : x->summary;
    if (summary) {
        putchar('\n');
        put_wrapped(0, summary);
    }
    if (e && e->description) {
        putchar('\n');
        put_wrapped(0, e->description);
    }
    explain_free(&ex);
}

static void show_children(const struct model *m, const struct metric *x) {
    char text[2048] = "";
    struct strbuf sb = strbuf_on(text, sizeof(text));
    for (int i = x->first_child; i != METRIC_NONE; i = m->metric[i].next_sibling)
        strbuf_add(&sb, "%s%s", sb.n ? ", " : "", m->metric[i].name);
    put_pair(0, "children", text);
}

void models_show_metric(const struct model *m, int metric) {
    const struct metric *x = &m->metric[metric];
    printf("%s (%s)", x->name, m->title);
    put_unit(x);
    putchar('\n');
    if (strcmp(x->path, x->name) != 0)
        put_pair(0, "path", x->path);
    put_pair(0, "vendor", x->vendor);
    put_pair(0, "groups", x->groups);
    show_children(m, x);
    show_knowledge(x);
    putchar('\n');
    put_rules(m, x, 0);
    put_list(0, "to locate", x->locate);
    bool *events = models_events_of(m, metric);
    if (events)
        show_events(m, events);
    free(events);
}

/* ---- one group ---- */

void models_show_group(const struct model *m, const char *group) {
    printf("%s (%s)\n", group, m->title);
    for (uint32_t i = 0; i < m->n_metric; i++)
        if (model_in_group(&m->metric[i], group)) {
            putchar('\n');
            show_metric(m, &m->metric[i], 0);
            put_pair(4, "groups", m->metric[i].groups);
        }
}

/* ---- all of it ---- */

static void put_head(const struct model *m) {
    char text[160] = "";
    struct strbuf sb = strbuf_on(text, sizeof(text));
    printf("%s: %s%s%s\n\n", m->name, m->title, m->tma[0] ? ", TMA " : "", m->tma);
    put_pair(0, "vendor", m->vendor);
    put_pair(0, "rung", m->rung);
    put_pair(0, "core type", m->core_type);
    put_list(0, "match", m->match);
    if (m->slots_per_cycle)
        strbuf_add(&sb, "%d per cycle", m->slots_per_cycle);
    put_pair(0, "slots", text);
    sb = strbuf_on(text, sizeof(text));
    if (m->general_counters)
        strbuf_add(&sb, "%d general", m->general_counters);
    if (m->fixed_counters)
        strbuf_add(&sb, ", %d fixed", m->fixed_counters);
    put_pair(0, "counters", text);
    put_pair(0, "origin", m->origin);
    put_pair(0, "limits", m->limits);
}

void models_show(const struct model *m) {
    put_head(m);
    show_tree(m);
    show_bottlenecks(m);
    show_groups(m);
    show_latencies(m);
    show_events(m, NULL);
}

/* ---- the summary: short thresholds, names of groups ---- */

/* What a threshold asks of others. */
struct others {
    const struct model *m;
    int metric;
    bool above, elsewhere;
};

static bool is_above(const struct model *m, int metric, int other) {
    for (int i = m->metric[metric].parent; i != METRIC_NONE; i = m->metric[i].parent)
        if (i == other)
            return true;
    return false;
}

static void note_other(const struct ast *leaf, void *user) {
    struct others *o = user;
    bool own = leaf->op == AST_METRIC && leaf->index == o->metric;
    bool above = leaf->op == AST_METRIC && is_above(o->m, o->metric, leaf->index);
    o->above |= above;
    o->elsewhere |= !own && !above && leaf->op != AST_NUMBER;
}

/* Does its rule hold its parent's as a whole? */
static bool holds_parents(const struct model *m, const struct metric *x) {
    const char *rule = x->parent == METRIC_NONE ? NULL : m->metric[x->parent].threshold_text;
    return rule && strstr(x->threshold_text, rule);
}

/* "> 5%, and its parent's"; the whole rule where it is not of that kind. */
static void threshold_words(const struct model *m, int metric, struct strbuf *sb) {
    const struct metric *x = &m->metric[metric];
    struct others o = {.m = m, .metric = metric};
    double limit = model_threshold(m, metric);
    if (!x->threshold)
        return;
    expr_leaves(x->threshold, note_other, &o);
    if (holds_parents(m, x)) {
        o.above = true;
        o.elsewhere = false;
    }
    if (isnan(limit) || o.elsewhere)
        strbuf_add(sb, "%s", x->threshold_text);
    else
        strbuf_add(sb, x->share ? "> %.4g%%%s" : "> %.4g%s", limit * (x->share ? 100 : 1),
                   o.above ? ", and its parent's" : "");
}

/* "Divider  [of clocks]"; what is said in many words stands behind the rule. */
static void brief_node(const struct model *m, int metric) {
    const struct metric *x = &m->metric[metric];
    const char *of = metric_share_of(m, x);
    bool brief = of && str_width(of) <= UNIT_MAX_W;
    char name[128], rule[1024] = "";
    struct strbuf sb = strbuf_on(name, sizeof(name)), rule_sb = strbuf_on(rule, sizeof(rule));
    strbuf_add(&sb, "%*s%s", 2 * x->level, "", x->name);
    if (brief)
        strbuf_add(&sb, "  [of %s]", of);
    threshold_words(m, metric, &rule_sb);
    if (of && !brief)
        strbuf_add(&rule_sb, "%s[of %s]", rule[0] ? "  " : "", of);
    if (x->unavailable)
        strbuf_add(&rule_sb, "%snot available: %s", rule[0] ? "; " : "", x->unavailable);
    int w = str_width(name) < TREE_W ? TREE_W : str_width(name) + 2;
    printf("%s%*s", name, rule[0] ? w - str_width(name) : 0, "");
    if (rule[0])
        put_wrapped(w, rule);
    else
        putchar('\n');
}

static void brief_tree(const struct model *m) {
    char head[128];
    snprintf(head, sizeof(head), "Tree (100%% = %s)", m->scope ? m->scope : "slots");
    printf("\n%-*sover its threshold when\n", TREE_W, head);
    for (int i = 0; i < (int)m->n_tree; i++)
        brief_node(m, i);
}

static void brief_bottlenecks(const struct model *m) {
    char text[4096] = "";
    struct strbuf sb = strbuf_on(text, sizeof(text));
    for (uint32_t i = m->n_tree; i < m->n_metric; i++)
        if (m->metric[i].kind == METRIC_BOTTLENECK)
            strbuf_add(&sb, "%s%s", sb.n ? ", " : "", m->metric[i].name);
    if (!text[0])
        return;
    printf("\nBottlenecks (the same slots, by what one would do about them)\n  ");
    put_wrapped(2, text);
}

/* Is this the first metric beside the tree that names the group? */
static bool is_fresh(const struct model *m, uint32_t metric, const char *group) {
    for (uint32_t i = m->n_tree; i < metric; i++)
        if (model_in_group(&m->metric[i], group))
            return false;
    return true;
}

static unsigned group_size(const struct model *m, const char *group) {
    unsigned n = 0;
    for (uint32_t i = m->n_tree; i < m->n_metric; i++)
        n += model_in_group(&m->metric[i], group);
    return n;
}

static void add_groups_of(const struct model *m, uint32_t metric, struct strbuf *sb) {
    const char *list = m->metric[metric].groups, *g;
    size_t n;
    while (model_group_next(&list, &g, &n)) {
        char group[96];
        str_copy(group, n + 1 < sizeof(group) ? n + 1 : sizeof(group), g);
        if (is_fresh(m, metric, group))
            strbuf_add(sb, "%s%s:%u", sb->n ? ", " : "", group, group_size(m, group));
    }
}

static void brief_groups(const struct model *m) {
    char text[8192] = "";
    struct strbuf sb = strbuf_on(text, sizeof(text));
    unsigned n = 0;
    for (uint32_t i = m->n_tree; i < m->n_metric; i++) {
        n += m->metric[i].kind == METRIC_INFO;
        add_groups_of(m, i, &sb);
    }
    printf("\n%u metrics beside the tree%s\n", n, text[0] ? "; groups, and how many of each:" : "");
    if (!text[0])
        return;
    printf("  ");
    put_wrapped(2, text);
}

static void brief_events(const struct model *m) {
    static const char *const kinds[] = {[EVENT_CORE] = "of the core",
                                        [EVENT_GENERIC] = "generic",
                                        [EVENT_SOFTWARE] = "of the kernel",
                                        [EVENT_PROC] = "from /proc",
                                        [EVENT_UNCORE] = "outside the core"};
    enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };
    unsigned n[KINDS] = {0}, listed = 0;
    for (uint32_t i = 0; i < m->n_event; i++)
        n[m->event[i].pmu]++;
    printf("\n%u events: ", m->n_event);
    for (int i = 0; i < KINDS; i++)
        if (n[i])
            printf("%s%u %s", listed++ ? ", " : "", n[i], kinds[i]);
    if (m->n_latency)
        printf("; %u retire latencies", m->n_latency);
    putchar('\n');
}

void models_brief(const struct model *m) {
    put_head(m);
    brief_tree(m);
    brief_bottlenecks(m);
    brief_groups(m);
    brief_events(m);
    printf("\ntdtop models %s NODE or GROUP: one whole; without --summary: all of it; -j: data.\n",
           m->name);
}

/* ---- as JSON ---- */

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
    bool *seen = models_events_of(m, metric);
    for (uint32_t i = 0; seen && i < m->n_event; i++)
        if (seen[i])
            json_array_append_new(events, event_json(m, &m->event[i]));
    json_object_set_new(o, "model", json_string(m->name));
    json_object_set_new(o, "events", events);
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
