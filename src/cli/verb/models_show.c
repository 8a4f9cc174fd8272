/* One model, or one metric of it, for people: sections that can be read from top to bottom. */
#include "base/array.h"
#include "base/str.h"
#include "cli/out/wrap.h"
#include "cli/verb/models.h"
#include "model/knowledge/explain.h"
#include "model/load/model_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { WIDTH = 100, LABEL_W = 11, EVENT_W = 44 };

void models_put_wrapped(int used, const char *text) {
    wrap_put(stdout, WIDTH, used, text);
}

/* "  origin     Intel perfmon ...": nothing if there is no text. */
void models_put_pair(int indent, const char *label, const char *text) {
    if (!text || !text[0])
        return;
    int w = (int)strlen(label) < LABEL_W ? LABEL_W : (int)strlen(label) + 1;
    printf("%*s%-*s", indent, "", w, label);
    models_put_wrapped(indent + w, text);
}

static void put_list(int indent, const char *label, const char **list) {
    char text[4096] = "";
    struct strbuf sb = strbuf_on(text, sizeof(text));
    for (int i = 0; list && list[i]; i++)
        strbuf_add(&sb, "%s%s", i ? ", " : "", list[i]);
    models_put_pair(indent, label, text);
}

/* --- metrics --- */

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
    models_put_pair(in, "approximate:", text);
}

static void put_rules(const struct model *m, const struct metric *x, int in) {
    if (x->unavailable)
        models_put_pair(in, "not available:", x->unavailable);
    if (x->formula) {
        printf("%*s= ", in, "");
        models_put_wrapped(in + 2, x->formula);
    }
    models_put_pair(in, "without topdown-* events:", x->alt_formula);
    models_put_pair(in, "where an event is missing:", x->fallback_formula);
    models_put_pair(in, "that leaves out:", x->fallback_note);
    models_put_pair(in, "divided by zero:", x->zero_note);
    put_approximate(m, x, in);
    models_put_pair(in, "over when", x->threshold_text);
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
    const char *g = x->groups ? x->groups + strspn(x->groups, "; ") : "";
    size_t n = strcspn(g, ";");
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
                models_put_pair(6, "groups", m->metric[i].groups);
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

/* --- events --- */

static void counter_words(const struct event *e, struct strbuf *sb) {
    if (e->fixed >= 0)
        strbuf_add(sb, "  fixed counter %d", e->fixed);
    if (e->counters) {
        strbuf_add(sb, "  counters ");
        for (int i = 0, n = 0; i < 64; i++) {
            if (!(e->counters >> i & 1))
                continue;
            int last = i;
            while (last < 63 && e->counters >> (last + 1) & 1)
                last++;
            strbuf_add(sb, last > i ? "%s%d-%d" : "%s%d", n++ ? "," : "", i, last);
            i = last;
        }
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
        models_put_wrapped(23, e->libpfm4);
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

/* --- one metric --- */

struct walk {
    const struct model *m;
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

void models_events_of(const struct model *m, int metric, bool *done, bool *seen) {
    struct walk w = {.m = m, .done = done, .seen = seen};
    done[metric] = true;
    (void)array_push(&w.todo, metric);
    for (size_t i = 0; i < w.todo.n; i++) {
        const struct metric *x = &m->metric[w.todo.at[i]];
        const struct ast *const of[] = {x->ast, x->alt, x->fallback};
        for (size_t k = 0; k < sizeof(of) / sizeof(of[0]); k++)
            if (of[k])
                expr_leaves(of[k], note_leaf, &w);
    }
    array_free(&w.todo);
}

static void show_events_of(const struct model *m, int metric) {
    bool *done = calloc(m->n_metric + 1, sizeof(*done)),
         *seen = calloc(m->n_event + 1, sizeof(*seen));
    if (!done || !seen)
        cli_lack();
    if (done && seen) {
        models_events_of(m, metric, done, seen);
        show_events(m, seen);
    }
    free(done);
    free(seen);
}

static void show_knowledge(const struct metric *x) {
    struct explain ex = {0};
    if (explain_load_for(&ex, NULL, NULL) < 0)
        return;
    const struct explain_entry *e = explain_find(&ex, x->name);
    const char *summary = e && e->summary ? e->summary : x->summary;
    if (summary) {
        putchar('\n');
        models_put_wrapped(0, summary);
    }
    if (e && e->description) {
        putchar('\n');
        models_put_wrapped(0, e->description);
    }
    explain_free(&ex);
}

static void show_children(const struct model *m, const struct metric *x) {
    char text[2048] = "";
    struct strbuf sb = strbuf_on(text, sizeof(text));
    for (int i = x->first_child; i != METRIC_NONE; i = m->metric[i].next_sibling)
        strbuf_add(&sb, "%s%s", sb.n ? ", " : "", m->metric[i].name);
    models_put_pair(0, "children", text);
}

void models_show_metric(const struct model *m, int metric) {
    const struct metric *x = &m->metric[metric];
    printf("%s (%s)", x->name, m->title);
    put_unit(x);
    putchar('\n');
    if (strcmp(x->path, x->name) != 0)
        models_put_pair(0, "path", x->path);
    models_put_pair(0, "vendor", x->vendor);
    models_put_pair(0, "groups", x->groups);
    show_children(m, x);
    show_knowledge(x);
    putchar('\n');
    put_rules(m, x, 0);
    put_list(0, "to locate", x->locate);
    show_events_of(m, metric);
}

/* --- one group --- */

bool models_has_group(const struct model *m, const char *group) {
    for (uint32_t i = 0; i < m->n_metric; i++)
        if (model_in_group(&m->metric[i], group))
            return true;
    return false;
}

void models_show_group(const struct model *m, const char *group) {
    printf("%s (%s)\n", group, m->title);
    for (uint32_t i = 0; i < m->n_metric; i++)
        if (model_in_group(&m->metric[i], group)) {
            putchar('\n');
            show_metric(m, &m->metric[i], 0);
            models_put_pair(4, "groups", m->metric[i].groups);
        }
}

/* --- all --- */

void models_put_head(const struct model *m) {
    char text[160] = "";
    struct strbuf sb = strbuf_on(text, sizeof(text));
    printf("%s: %s%s%s\n\n", m->name, m->title, m->tma[0] ? ", TMA " : "", m->tma);
    models_put_pair(0, "vendor", m->vendor);
    models_put_pair(0, "rung", m->rung);
    models_put_pair(0, "core type", m->core_type);
    put_list(0, "match", m->match);
    if (m->slots_per_cycle)
        strbuf_add(&sb, "%d per cycle", m->slots_per_cycle);
    models_put_pair(0, "slots", text);
    sb = strbuf_on(text, sizeof(text));
    if (m->general_counters)
        strbuf_add(&sb, "%d general", m->general_counters);
    if (m->fixed_counters)
        strbuf_add(&sb, ", %d fixed", m->fixed_counters);
    models_put_pair(0, "counters", text);
    models_put_pair(0, "origin", m->origin);
    models_put_pair(0, "limits", m->limits);
}

void models_show(const struct model *m) {
    models_put_head(m);
    show_tree(m);
    show_bottlenecks(m);
    show_groups(m);
    show_latencies(m);
    show_events(m, NULL);
}
