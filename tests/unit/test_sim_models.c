/* The simulated core by the formulas of every model: its counts must make sense there. */
#include "base/clock.h"
#include "model/eval/eval.h"
#include "pmu/sim/sim.h"
#include "pmu/source.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* A model bound to the simulated core. */
struct run {
    struct model model;
    struct source src;
    struct eval eval;
    struct sample sample;
    struct frame frame;
};

static void run_open(struct run *r, const char *name, uint64_t seed, uint64_t interval_ns) {
    struct source_options opt = {.seed = seed, .interval_ns = interval_ns};
    struct err err = {0};
    memset(r, 0, sizeof(*r));
    consts_init(&opt.consts);
    if (model_open(&r->model, name, NULL, &err) < 0 ||
        source_open(&r->src, &source_sim, &r->model, &opt, &err) < 0 ||
        eval_init(&r->eval, &r->model, &r->src.layout, &r->src.consts, &err) < 0)
        fail_msg("%s: %s", name, err.text);
    assert_int_equal(sample_init(&r->sample, r->src.layout.n_slot), 0);
    assert_int_equal(frame_init(&r->frame, r->model.n_metric), 0);
}

static void run_step(struct run *r) {
    struct err err = {0};
    assert_int_equal(r->src.ops->read(&r->src, &r->sample, &err), 0);
    eval_run(&r->eval, &r->sample, &r->frame);
}

static void run_close(struct run *r) {
    frame_destroy(&r->frame);
    sample_destroy(&r->sample);
    eval_destroy(&r->eval);
    source_close(&r->src);
    model_free(&r->model);
}

/* The tables name what the models name: a new event gets a row rather than a made-up rate. */
static bool in_table(const char *event, const struct sim_event *row, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const size_t len = strlen(row[i].name) - 1;
        if (row[i].name[len] == '*' ? !strncmp(row[i].name, event, len)
                                    : !strcmp(row[i].name, event))
            return true;
    }
    return false;
}

static bool has_row(const char *event) {
    return in_table(event, sim_events, sim_n_events) ||
           in_table(event, sim_intel_events, sim_n_intel_events) ||
           in_table(event, sim_atom_events, sim_n_atom_events) ||
           in_table(event, sim_amd_events, sim_n_amd_events) ||
           in_table(event, sim_arm_events, sim_n_arm_events) ||
           in_table(event, sim_kernel_events, sim_n_kernel_events);
}

/* Counters outside the core are missing, those of whole cores, and what no formula reads here; and
 * they say so. check_node finds those that were left out but needed. */
static void check_events(const struct run *r) {
    for (uint32_t i = 0; i < r->model.n_event; i++) {
        const struct event *ev = &r->model.event[i];
        const bool uncore = ev->pmu == EVENT_UNCORE;
        const uint8_t missing = r->src.layout.missing[i];
        const bool right = uncore        ? missing == COUNT_NOT_SIMULATED
                           : ev->percore ? missing == COUNT_PERCORE
                                         : missing == COUNT_OK || missing == COUNT_NOT_PLANNED;
        if (!right)
            fail_msg("%s: %s: %s", r->model.name, ev->name, count_state_text(missing));
        if (!uncore && !has_row(ev->name))
            fail_msg("%s: no row for %s", r->model.name, ev->name);
    }
}

/* Noise of events that shared counters; less would be too good to be true. */
#define TREE_LOW  (-0.02)
#define TREE_HIGH 1.02

/* A node may be unknown only for a reason that no counter could mend. */
static void check_node(const struct run *r, const struct metric *m, const struct value *v) {
    char why[256];
    why_text(&r->model, v->why, why, sizeof(why));
    const bool excused = v->why.kind == WHY_LATENCY || v->why.kind == WHY_UNAVAILABLE ||
                         (v->why.kind == WHY_EVENT && v->why.code == COUNT_NOT_SIMULATED);
    if (isnan(v->v) && (m->level == 1 || !excused))
        fail_msg("%s: %s is not known: %s", r->model.name, m->path, why);
    if (!isnan(v->v) && m->share && !(v->v >= TREE_LOW && v->v <= TREE_HIGH))
        fail_msg("%s at %d s: %s is %g", r->model.name, (int)(r->sample.t0_ns / NS_PER_S), m->path,
                 v->v);
    if (v->state == VALUE_ODD)
        fail_msg("%s: %s is odd", r->model.name, m->path);
}

static int root_path(const struct frame *f) {
    return f->bottleneck.n ? f->bottleneck.at[0] : METRIC_NONE;
}

/* Through all phases, the second round of the first ones included. */
static void check_model(const char *name) {
    enum { STEPS = 18 };
    struct run r;
    int first = METRIC_NONE;
    bool moves = false;
    run_open(&r, name, 1, 10 * NS_PER_S);
    check_events(&r);
    for (int i = 0; i < STEPS; i++) {
        run_step(&r);
        if (!(fabs(r.frame.root_sum - 1) < 0.02))
            fail_msg("%s: the roots sum to %g", name, r.frame.root_sum);
        for (uint32_t k = 0; k < r.model.n_tree; k++)
            check_node(&r, &r.model.metric[k], &r.frame.at[k]);
        first = i == 0 ? root_path(&r.frame) : first;
        moves |= root_path(&r.frame) != first;
    }
    if (!moves)
        fail_msg("%s: the bottleneck is the same in every phase", name);
    run_close(&r);
}

static void every_model_makes_sense(void **state) {
    (void)state;
    for (const struct embedded *e = embedded_models; e->name; e++)
        check_model(e->name);
}

/* An event of the user's own: little of it, and the same whenever asked. */
static void unheard_of_events_count_a_little(void **state) {
    (void)state;
    static const char text[] =
        "name = 'own'\ntitle = 'Own'\nrung = 'full'\nscope = 'slots'\nmatch = []\n[event]\n"
        "'INST_RETIRED.ANY' = { config = 0xc0, fixed = 0 }\n"
        "'MY.OWN' = { code = 1 }\n'MY.OTHER' = { code = 2 }\n"
        "[metric.Own]\nformula = 'MY.OWN / INST_RETIRED.ANY'\n"
        "[metric.Other]\nformula = 'MY.OTHER / INST_RETIRED.ANY'\n";
    struct model m = {0};
    struct source src;
    struct source_options opt = {.seed = 1, .interval_ns = NS_PER_S};
    struct err err = {0};
    struct sample s;
    consts_init(&opt.consts);
    assert_int_equal(model_load(&m, text, strlen(text), "own.toml", &err), 0);
    assert_int_equal(source_open(&src, &source_sim, &m, &opt, &err), 0);
    assert_int_equal(src.layout.n_slot, 3);
    assert_int_equal(sample_init(&s, src.layout.n_slot), 0);
    assert_int_equal(src.ops->read(&src, &s, &err), 0);
    double of_own = s.at[1].value / s.at[0].value, of_other = s.at[2].value / s.at[0].value;
    assert_true(of_own > 1e-5 && of_own < 2e-3);
    assert_true(of_other > 1e-5 && of_other < 2e-3);
    assert_true(of_own != of_other);
    sample_destroy(&s);
    source_close(&src);
    model_free(&m);
}

static void the_seed_decides(void **state) {
    (void)state;
    static const char *const names[] = {"skx", "zen4", "neoverse-v2", "srf", "generic"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct run a, b, c;
        run_open(&a, names[i], 7, NS_PER_S);
        run_open(&b, names[i], 7, NS_PER_S);
        run_open(&c, names[i], 8, NS_PER_S);
        for (int step = 0; step < 3; step++) {
            run_step(&a);
            run_step(&b);
            run_step(&c);
        }
        uint32_t other = 0;
        for (uint32_t k = 0; k < a.sample.n_slot; k++) {
            assert_true(a.sample.at[k].value == b.sample.at[k].value);
            other += a.sample.at[k].value != c.sample.at[k].value;
        }
        if (other < a.sample.n_slot / 2)
            fail_msg("%s: %u of %u counts change with the seed", names[i], other, a.sample.n_slot);
        run_close(&a);
        run_close(&b);
        run_close(&c);
    }
}

/* What the machine is like is read off the model. */
static void machines(void **state) {
    (void)state;
    static const struct {
        const char *model;
        double width;
        bool smt, core_slots;
        double arm_backend_refills;
        bool arm_extra_slot;
    } cases[] = {
        {"spr", 6, true, false, 0, false},
        {"skx", 4, true, true, 0, false},
        {"srf", 6, false, false, 0, false},
        {"lnl-lnc", 8, false, false, 0, false},
        {"zen5", 8, true, false, 0, false},
        {"neoverse-v1", 8, false, false, 0, false},
        {"neoverse-v2", 8, false, false, 3, false},
        {"neoverse-n2-r0p0", 5, false, false, 3, true},
        {"neoverse-n2-r0p3", 5, false, false, 3, false},
        {"neoverse-v3", 10, false, false, 0, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct run r;
        struct sim_machine mc;
        run_open(&r, cases[i].model, 1, NS_PER_S);
        sim_machine_of(&r.model, &r.src.consts, &mc);
        if (mc.width != cases[i].width || mc.smt != cases[i].smt ||
            mc.core_slots != cases[i].core_slots ||
            mc.arm_backend_refills != cases[i].arm_backend_refills ||
            mc.arm_extra_slot != cases[i].arm_extra_slot || mc.tsc_hz != 2e9)
            fail_msg("%s: width %g, smt %d, core %d, refills %g, extra %d", cases[i].model,
                     mc.width, mc.smt, mc.core_slots, mc.arm_backend_refills, mc.arm_extra_slot);
        assert_true(r.src.consts.value[CONST_SMT_ON] == cases[i].smt);
        run_close(&r);
    }
}

/* The text of a built-in model that calls itself something else, of the same length. */
static void load_as(struct model *m, const char *name, const char *other) {
    char text[64 * 1024], *at;
    struct err err = {0};
    const struct embedded *e = embedded_models;
    while (e->name && strcmp(e->name, name) != 0)
        e++;
    assert_true(e->name && e->len < sizeof(text) && strlen(name) == strlen(other));
    memcpy(text, e->text, e->len);
    text[e->len] = '\0';
    at = strstr(text, "\nname = \"");
    assert_non_null(at);
    memcpy(at + strlen("\nname = \""), other, strlen(other));
    if (model_load(m, text, e->len, "renamed.toml", &err) < 0)
        fail_msg("%s as %s: %s", name, other, err.text);
    assert_string_equal(m->name, other);
}

/* The erratum of N2 is in its formulas: a model of the user's own may have them under any name. */
static void the_formula_decides_not_the_name(void **state) {
    (void)state;
    static const struct {
        const char *model, *name;
        bool extra_slot;
    } cases[] = {
        {"neoverse-n2-r0p0", "my-own-core-r0p0", true},
        {"neoverse-n2-r0p3", "neoverse-n2-r0p1", false},
    };
    struct consts c;
    consts_init(&c);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct model m = {0};
        struct sim_machine mc;
        load_as(&m, cases[i].model, cases[i].name);
        sim_machine_of(&m, &c, &mc);
        if (mc.arm_extra_slot != cases[i].extra_slot)
            fail_msg("%s as %s: extra slot %d", cases[i].model, cases[i].name, mc.arm_extra_slot);
        model_free(&m);
    }
}

/* What rests on a dispatch width that is not the vendor's says so: all of Zen 1 to 3. */
static void zen_before_4_is_approximate(void **state) {
    (void)state;
    static const char *const names[] = {"zen1", "zen2", "zen3", "zen4"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct run r;
        run_open(&r, names[i], 1, NS_PER_S);
        run_step(&r);
        for (uint32_t k = 0; k < r.model.n_tree; k++)
            if (r.frame.at[k].approx != (strcmp(names[i], "zen4") != 0))
                fail_msg("%s: %s: approximate %d", names[i], r.model.metric[k].path,
                         r.frame.at[k].approx);
        run_close(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_model_makes_sense),
        cmocka_unit_test(unheard_of_events_count_a_little),
        cmocka_unit_test(the_seed_decides),
        cmocka_unit_test(machines),
        cmocka_unit_test(the_formula_decides_not_the_name),
        cmocka_unit_test(zen_before_4_is_approximate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
