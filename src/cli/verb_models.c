#include "base/str.h"
#include "cli/cli.h"
#include "model/model.h"
#include "pmu/machine.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

static int fail(const struct err *err) {
    cli_error(err);
    return EXIT_ERROR;
}

static int list(const struct args *a) {
    struct err err = {0};
    json_t *all = json_array();
    if (!a->json)
        printf("%-12s %-34s %-22s %-5s %6s %8s %7s\n", "name", "title", "match", "TMA", "nodes",
               "metrics", "events");
    for (const struct embedded *e = embedded_models; e->name; e++) {
        struct model m = {0};
        if (model_open(&m, e->name, &a->places, &err) < 0) {
            json_decref(all);
            return fail(&err);
        }
        const char *match = m.match && m.match[0] ? m.match[0] : "";
        if (a->json)
            json_array_append_new(
                all, json_pack("{sssssssssisisi}", "name", m.name, "title", m.title, "match", match,
                               "tma", m.tma, "nodes", (int)m.n_tree, "metrics",
                               (int)(m.n_metric - m.n_tree), "events", (int)m.n_event));
        else
            printf("%-12s %-34s %-22s %-5s %6u %8u %7u\n", m.name, m.title, match, m.tma, m.n_tree,
                   m.n_metric - m.n_tree, m.n_event);
        model_free(&m);
    }
    if (a->json) {
        json_dumpf(all, stdout, JSON_INDENT(1));
        putchar('\n');
    }
    json_decref(all);
    return EXIT_OK;
}

static json_t *text_or_null(const char *s) {
    return s ? json_string(s) : json_null();
}

static json_t *metric_json(const struct model *m, const struct metric *x) {
    static const char *const kinds[] = {
        [METRIC_TREE] = "tree", [METRIC_BOTTLENECK] = "bottleneck", [METRIC_INFO] = "info"};
    json_t *o = json_object(), *locate = json_array();
    json_object_set_new(o, "name", json_string(x->name));
    json_object_set_new(o, "vendor", text_or_null(x->vendor));
    json_object_set_new(o, "kind", json_string(kinds[x->kind]));
    json_object_set_new(o, "path", json_string(x->path));
    json_object_set_new(o, "parent",
                        text_or_null(x->parent >= 0 ? m->metric[x->parent].name : NULL));
    json_object_set_new(o, "level", json_integer(x->level));
    json_object_set_new(o, "unit", text_or_null(x->unit));
    json_object_set_new(o, "domain", text_or_null(x->domain));
    json_object_set_new(o, "groups", text_or_null(x->groups));
    json_object_set_new(o, "formula", text_or_null(x->formula));
    json_object_set_new(o, "alt", text_or_null(x->alt_formula));
    json_object_set_new(o, "fallback", text_or_null(x->fallback_formula));
    json_object_set_new(o, "threshold", text_or_null(x->threshold_text));
    json_object_set_new(o, "unavailable", text_or_null(x->unavailable));
    for (int i = 0; x->locate && x->locate[i]; i++)
        json_array_append_new(locate, json_string(x->locate[i]));
    json_object_set_new(o, "locate", locate);
    return o;
}

static json_t *event_json(const struct event *e) {
    char code[24], code1[24];
    struct strbuf a = strbuf_on(code, sizeof(code)), b = strbuf_on(code1, sizeof(code1));
    strbuf_add(&a, "0x%llx", (unsigned long long)e->config);
    strbuf_add(&b, "0x%llx", (unsigned long long)e->config1);
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(e->name));
    json_object_set_new(o, "config", e->has_code ? json_string(code) : json_null());
    json_object_set_new(o, "config1", e->has_code ? json_string(code1) : json_null());
    json_object_set_new(o, "sysfs", text_or_null(e->sysfs));
    return o;
}

static void show_json(const struct model *m) {
    json_t *o = json_object(), *metrics = json_array(), *events = json_array(),
           *match = json_array();
    json_object_set_new(o, "name", json_string(m->name));
    json_object_set_new(o, "title", json_string(m->title));
    json_object_set_new(o, "tma", json_string(m->tma));
    for (int i = 0; m->match && m->match[i]; i++)
        json_array_append_new(match, json_string(m->match[i]));
    json_object_set_new(o, "match", match);
    for (uint32_t i = 0; i < m->n_metric; i++)
        json_array_append_new(metrics, metric_json(m, &m->metric[i]));
    for (uint32_t i = 0; i < m->n_event; i++)
        json_array_append_new(events, event_json(&m->event[i]));
    json_object_set_new(o, "metrics", metrics);
    json_object_set_new(o, "events", events);
    json_dumpf(o, stdout, JSON_INDENT(1));
    putchar('\n');
    json_decref(o);
}

static void show_metric(const struct metric *x) {
    printf("%*s%s%s%s%s\n", x->kind == METRIC_TREE ? 2 * x->level : 2, "", x->name,
           x->vendor ? " (" : "", x->vendor ? x->vendor : "", x->vendor ? ")" : "");
    int in = x->kind == METRIC_TREE ? 2 * x->level + 4 : 6;
    if (x->unavailable)
        printf("%*snot available: %s\n", in, "", x->unavailable);
    printf("%*s= %s\n", in, "", x->formula ? x->formula : "");
    if (x->alt_formula)
        printf("%*swithout topdown events: %s\n", in, "", x->alt_formula);
    if (x->threshold_text)
        printf("%*sover when %s\n", in, "", x->threshold_text);
}

static void show_words(const struct model *m) {
    printf("%s: %s%s%s\n", m->name, m->title, m->tma[0] ? ", TMA " : "", m->tma);
    if (m->origin)
        printf("origin: %s\n", m->origin);
    if (m->limits)
        printf("limits: %s\n", m->limits);
    printf("\nTree (shares of %s):\n", m->scope ? m->scope : "slots");
    for (uint32_t i = 0; i < m->n_metric; i++) {
        if (i == m->n_tree)
            printf("\nBeside the tree:\n");
        show_metric(&m->metric[i]);
    }
    printf("\nEvents:\n");
    for (uint32_t i = 0; i < m->n_event; i++) {
        const struct event *e = &m->event[i];
        printf("  %-58s", e->name);
        if (e->has_code)
            printf(" config=0x%llx", (unsigned long long)e->config);
        if (e->config1)
            printf(" config1=0x%llx", (unsigned long long)e->config1);
        printf("%s%s\n", e->sysfs ? " " : "", e->sysfs ? e->sysfs : "");
    }
}

static int here(const struct args *a) {
    struct machine mc;
    struct model m = {0};
    struct err err = {0};
    char why[256];
    machine_detect(&mc, "");
    if (ladder_pick(&m, &mc, a->model, &a->places, why, sizeof(why), &err) < 0)
        return fail(&err);
    printf("%s%s%s\n", str_starts(why, m.name) ? "" : m.name, str_starts(why, m.name) ? "" : ": ",
           why);
    model_free(&m);
    return EXIT_OK;
}

int verb_models(const struct args *a) {
    const char *name = a->n_word ? a->word[0] : a->model;
    if (a->here)
        return here(a);
    if (!name)
        return list(a);
    struct model m = {0};
    struct err err = {0};
    if (model_open(&m, name, &a->places, &err) < 0)
        return fail(&err);
    if (a->json)
        show_json(&m);
    else
        show_words(&m);
    model_free(&m);
    return EXIT_OK;
}
