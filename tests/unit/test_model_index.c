/* The tables that the build makes of the built-in models, held against the parser: every model, all
 * that an outline has. */
#include "model/load/model_index.h"

#include "model/load/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void check_text(const char *model, const char *what, const char *own, const char *parsed) {
    if (!own != !parsed || (own && strcmp(own, parsed) != 0))
        fail_msg("%s: %s is '%s' in the table, '%s' in the file", model, what, own ? own : "(none)",
                 parsed ? parsed : "(none)");
}

static void check_number(const char *model, const char *what, int64_t own, int64_t parsed) {
    if (own != parsed)
        fail_msg("%s: %s is %lld in the table, %lld in the file", model, what, (long long)own,
                 (long long)parsed);
}

static void check_identity(const struct model *own, const struct model *m) {
    check_text(m->name, "name", own->name, m->name);
    check_text(m->name, "title", own->title, m->title);
    check_text(m->name, "tma", own->tma, m->tma);
    check_text(m->name, "vendor", own->vendor, m->vendor);
    check_text(m->name, "origin", own->origin, m->origin);
    check_text(m->name, "rung", own->rung, m->rung);
    check_text(m->name, "core_type", own->core_type, m->core_type);
    check_text(m->name, "limits", own->limits, m->limits);
    check_text(m->name, "scope", own->scope, m->scope);
    uint32_t n = 0;
    for (; own->match[n] && m->match[n]; n++)
        check_text(m->name, "match", own->match[n], m->match[n]);
    check_text(m->name, "match", own->match[n], m->match[n]);
    check_number(m->name, "slots_per_cycle", own->slots_per_cycle, m->slots_per_cycle);
    check_number(m->name, "number of nodes", own->n_tree, m->n_tree);
    check_number(m->name, "number of metrics", own->n_metric, m->n_metric);
    check_number(m->name, "number of events", own->n_event, m->n_event);
    check_number(m->name, "number of latencies", own->n_latency, m->n_latency);
}

static void check_metric(const char *model, const struct metric *own, const struct metric *x) {
    check_text(model, "name of a metric", own->name, x->name);
    check_text(model, x->name, own->path, x->path);
    check_text(model, x->name, own->vendor, x->vendor);
    check_text(model, x->name, own->groups, x->groups);
    check_number(model, x->name, own->kind, x->kind);
    check_number(model, x->name, own->parent, x->parent);
    check_number(model, x->name, own->level, x->level);
    check_number(model, x->name, own->first_child, x->first_child);
    check_number(model, x->name, own->next_sibling, x->next_sibling);
}

static void outlines_are_what_a_parser_finds(void **state) {
    (void)state;
    size_t n = 0;
    for (; embedded_models[n].name; n++) {
        const struct embedded *e = &embedded_models[n];
        struct model own, m;
        struct err err = {0};
        if (model_outline_metrics(&own, n, &err) < 0 || model_open(&m, e->name, NULL, &err) < 0)
            fail_msg("%s: %s", e->name, err.text);
        check_identity(&own, &m);
        uint32_t bottlenecks = 0;
        for (uint32_t i = 0; i < m.n_metric; i++)
            bottlenecks += m.metric[i].kind == METRIC_BOTTLENECK;
        check_number(m.name, "number of bottlenecks", model_indexes[n].n_bottleneck, bottlenecks);
        for (uint32_t i = 0; i < m.n_metric; i++)
            check_metric(m.name, &own.metric[i], &m.metric[i]);
        model_free(&own);
        model_free(&m);
    }
    assert_true(n > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outlines_are_what_a_parser_finds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
