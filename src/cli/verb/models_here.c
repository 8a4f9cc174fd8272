/* `tdtop models --here`: what this machine gets, what is made for it, and what was tried. The first
 * word is the name of the model: scripts read it. */
#include "base/str.h"
#include "cli/verb/models.h"
#include "pmu/host/fallback.h"
#include "pmu/host/machine.h"

#include <stdio.h>
#include <string.h>

enum { RUNGS = 4, LABEL_W = 14 };
static const char *const rungs[RUNGS] = {"full", "architecture", "generic", "software"};

struct here {
    const struct args *a;
    struct machine mc;
    struct model m; /* what it gets */
    char why[256];
    char made[64]; /* the model of the CPU itself; "" if there is none */
    char arch[64]; /* that of its architecture */
    int taken;     /* rung; RUNGS: --model chose it, or it is of no known rung */
};

static const char *kind_here(const struct here *h) {
    return h->mc.n_core ? h->mc.core[h->mc.chosen].kind : "";
}

static void look_up(struct here *h) {
    struct fallback_wish common = {"architecture", h->mc.id, kind_here(h)};
    if (!h->mc.id[0] ||
        !fallback_find(&h->a->places, h->mc.id, kind_here(h), h->made, sizeof(h->made)))
        h->made[0] = '\0';
    if (!h->mc.id[0] || !fallback_search(&h->a->places, &common, h->arch, sizeof(h->arch)))
        h->arch[0] = '\0';
    h->taken = 0;
    while (h->taken < RUNGS && (h->a->model || strcmp(rungs[h->taken], h->m.rung) != 0))
        h->taken++;
}

static const char *model_of(const struct here *h, int rung) {
    const char *const names[RUNGS] = {h->made, h->arch, "generic", "software"};
    return names[rung];
}

/* What came of a rung. Those below the one that was taken were not asked for. */
static const char *result_of(const struct here *h, int rung) {
    if (rung == h->taken)
        return "taken";
    if (h->taken == RUNGS)
        return "not tried: --model chose";
    if (rung > h->taken)
        return "not needed";
    if (!model_of(h, rung)[0])
        return "there is none for this CPU";
    if (rung == 1 && str_starts(h->mc.id, "0x") && !strcmp(h->m.rung, "generic"))
        return "the kernel does not say how many slots a cycle has";
    return "cannot be counted here";
}

static void print_words(const struct here *h) {
    const struct machine *mc = &h->mc;
    printf("%s%s%s\n", str_starts(h->why, h->m.name) ? "" : h->m.name,
           str_starts(h->why, h->m.name) ? "" : ": ", h->why);
    printf("%-*s%s%s%s%s\n", LABEL_W, "CPU", mc->id[0] ? mc->id : "no id",
           mc->cpu_name[0] ? " (" : "", mc->cpu_name, mc->cpu_name[0] ? ")" : "");
    printf("%-*s%s\n", LABEL_W, "made for it", h->made[0] ? h->made : "no model");
    for (int i = 0; i < mc->n_core; i++)
        printf("%-*s%s%s%s%s\n", LABEL_W, i ? "" : "PMU", mc->core[i].pmu,
               mc->core[i].kind[0] ? ", --cputype " : "", mc->core[i].kind,
               mc->n_core > 1 && (mc->all_types || i == mc->chosen) ? ", measured" : "");
    if (!mc->n_core)
        printf("%-*s%s\n", LABEL_W, "PMU", "none");
    for (int i = 0; i < RUNGS; i++)
        printf("%-*s%-13s %-18s%s\n", LABEL_W, i ? "" : "tried", rungs[i],
               model_of(h, i)[0] ? model_of(h, i) : "-", result_of(h, i));
}

static json_t *text_or_null(const char *text) {
    return text && text[0] ? json_string(text) : json_null();
}

static json_t *cores_json(const struct here *h) {
    json_t *all = json_array();
    for (int i = 0; i < h->mc.n_core; i++) {
        const struct core_type *c = &h->mc.core[i];
        json_t *o = json_object();
        json_object_set_new(o, "pmu", text_or_null(c->pmu));
        json_object_set_new(o, "cputype", text_or_null(c->kind));
        json_object_set_new(o, "cpuid", text_or_null(c->id));
        json_object_set_new(o, "cpus", text_or_null(c->cpus));
        json_object_set_new(o, "measured", json_boolean(i == h->mc.chosen));
        json_array_append_new(all, o);
    }
    return all;
}

static json_t *here_json(const struct here *h) {
    json_t *o = json_object(), *tried = json_array();
    json_object_set_new(o, "model", json_string(h->m.name));
    json_object_set_new(o, "title", json_string(h->m.title));
    json_object_set_new(o, "rung", text_or_null(h->m.rung));
    json_object_set_new(o, "why", json_string(h->why));
    json_object_set_new(o, "cpuid", text_or_null(h->mc.id));
    json_object_set_new(o, "cpu", text_or_null(h->mc.cpu_name));
    json_object_set_new(o, "made_for_it", text_or_null(h->made));
    json_object_set_new(o, "cores", cores_json(h));
    for (int i = 0; i < RUNGS; i++) {
        json_t *r = json_object();
        json_object_set_new(r, "rung", json_string(rungs[i]));
        json_object_set_new(r, "model", text_or_null(model_of(h, i)));
        json_object_set_new(r, "result", json_string(result_of(h, i)));
        json_array_append_new(tried, r);
    }
    json_object_set_new(o, "tried", tried);
    return o;
}

int models_here(const struct args *a) {
    struct here h = {.a = a};
    struct err err = {0};
    int rc = 0;
    machine_detect(&h.mc, "");
    h.mc.all_types = !a->core_type && !a->model;
    if (a->core_type && (rc = machine_choose(&h.mc, a->core_type, &err)) < 0)
        err_prefix(&err, "--cputype");
    if (rc == 0)
        rc = fallback_pick(&h.m, &h.mc, a->model, &a->places, h.why, sizeof(h.why), &err);
    if (rc < 0) {
        cli_error(&err);
    } else {
        look_up(&h);
        if (a->json)
            models_print_json(here_json(&h));
        else
            print_words(&h);
    }
    model_free(&h.m);
    return rc < 0 ? EXIT_ERROR : EXIT_OK;
}
