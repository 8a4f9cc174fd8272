/* How many counters can be had, asked of a made-up PMU whose holders are known. */
#include "pmu/perf/probe.h"

#include "model/load/expr.h"
#include "pmu/plan/plan.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* General counters from bit 0, fixed ones from bit 32. */
struct fake {
    uint64_t there, held;
    const struct model *m;
    int n_opened, n_tried;
    enum probe_answer always; /* PROBE_RUNS: as the counters are */
};

/*
 * What goes onto a fixed counter by the kernel's tables, not the model's: by code and umask,
 * without filters but AnyThread (arch/x86/events/intel/core.c, Linux 6.12, the union over all
 * cores; drivers/perf/arm_pmuv3.c).
 */
static const struct {
    const char *vendor;
    uint64_t config;
    int fixed;
} kernel_fixed[] = {
    {"Intel", 0x00c0, 0}, {"Intel", 0x0100, 0}, {"Intel", 0x003c, 1}, {"Intel", 0x0300, 2},
    {"Intel", 0x013c, 2}, {"Intel", 0x0400, 3}, {"Intel", 0x0073, 4}, {"Intel", 0x019c, 5},
    {"Intel", 0x02c2, 6}, {"Arm", 0x11, 0},
};

/* Where the core has no such counter, only those of the general ones are left. */
static uint64_t counters_of(const struct fake *f, const struct perf_event_attr *attr) {
    const uint64_t general = 0xffffffff, any_thread = 1ull << 21;
    for (size_t i = 0; i < sizeof(kernel_fixed) / sizeof(kernel_fixed[0]); i++)
        if (strcmp(f->m->vendor, kernel_fixed[i].vendor) == 0 &&
            (attr->config & ~any_thread) == kernel_fixed[i].config)
            return 1ull << (32 + kernel_fixed[i].fixed) | (attr->config & 0xff ? general : 0);
    for (uint32_t i = 0; i < f->m->n_event; i++)
        if (f->m->event[i].config == attr->config && f->m->event[i].counters)
            return f->m->event[i].counters;
    return general;
}

/* As the kernel does: fixed counters first, and what is there makes room if it can. */
struct taken {
    uint64_t may[64]; /* of who is on a counter; 0 = free */
};

static bool take(struct taken *t, uint64_t may, uint64_t *seen) {
    for (int c = 63; c >= 0; c--) {
        if (!(may & ~*seen & 1ull << c))
            continue;
        *seen |= 1ull << c;
        if (!t->may[c] || take(t, t->may[c], seen)) {
            t->may[c] = may;
            return true;
        }
    }
    return false;
}

static enum probe_answer fake_try(void *user, const struct perf_event_attr *attr, int n,
                                  bool pinned, int *n_run) {
    struct fake *f = user;
    const uint64_t all = f->there, left = f->there & ~f->held;
    struct taken fits = {{0}}, runs = {{0}};
    f->n_tried++;
    if (f->always != PROBE_RUNS)
        return f->always;
    for (*n_run = 0; *n_run < n; (*n_run)++) {
        uint64_t may = counters_of(f, &attr[*n_run]);
        f->n_opened++;
        if (!take(&fits, may, &(uint64_t){~all}))
            return PROBE_REFUSED;
        if (pinned && !take(&runs, may, &(uint64_t){~left}))
            return PROBE_HELD;
    }
    return PROBE_RUNS;
}

static const struct machine machine = {
    .id = "GenuineIntel-6-8F-8", .pmu = "no_such_pmu", .pmu_type = PERF_TYPE_RAW};

static struct budget ask(struct fake *f) {
    struct budget b;
    const struct probe_pmu pmu = {fake_try, f};
    probe_budget(&machine, f->m, &pmu, &b);
    return b;
}

static void test_who_holds_what(void **state) {
    (void)state;
    const uint64_t all = 0xf000000ff, cycles = 1ull << 33, slots = 1ull << 35;
    const struct {
        const char *what, *model;
        uint64_t there, held;
        int general, n_there;
        uint64_t taken, gone;
    } cases[] = {
        {"nobody", "spr", all, 0, 8, 8, 0, 0},
        {"nobody, and twice what the model knows of", "skx", 0x7000000ff, 0, 8, 8, 0, 0},
        {"one of twice what the model knows of", "skx", 0x7000000ff, 1, 7, 8, 0, 0},
        {"of these, instructions", "clx", 0x7000000ff, 1ull << 32, 8, 8, 1, 0},
        {"a guest with three", "spr", 0xf00000007, 0, 3, 3, 0, 0},
        {"a guest with three and no slots", "spr", 0x700000007, 0, 3, 3, 0, 8},
        {"the watchdog, cycles", "spr", all, cycles, 8, 8, 2, 0},
        {"the watchdog, a general counter", "zen4", 0x3f, 1, 5, 6, 0, 0},
        {"another user's three", "spr", all, 0x7, 5, 8, 0, 0},
        {"another user's three in a guest with four", "spr", 0xf0000000f, 0x7, 1, 4, 0, 0},
        {"another user's slots", "spr", all, slots, 8, 8, 8, 0},
        {"all of them, cycles too", "spr", all, 0xff | cycles, 0, 8, 2, 0},
        {"Arm's only fixed one", "neoverse-n1", 0x10000003f, 1ull << 32, 6, 6, 1, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct model m;
        assert_int_equal(model_open(&m, cases[i].model, NULL, NULL), 0);
        struct fake f = {.there = cases[i].there, .held = cases[i].held, .m = &m};
        struct budget b = ask(&f);
        if (!b.known || b.general != cases[i].general || b.there != cases[i].n_there ||
            b.fixed_taken != cases[i].taken || b.fixed_gone != cases[i].gone)
            fail_msg("%s: %s, %d of %d, held %llx, gone %llx", cases[i].what,
                     b.known ? "known" : "not known", b.general, b.there,
                     (unsigned long long)b.fixed_taken, (unsigned long long)b.fixed_gone);
        model_free(&m);
    }
}

/* Puts a group of a plan onto counters; false if one of its events has none. */
static bool put_on(const struct fake *f, const struct plan *p, const struct plan_options *opt,
                   uint32_t group, struct taken *t) {
    const struct plan_group *pg = &p->group[group];
    struct plan_seat seat[PLAN_GROUP_MAX];
    plan_seats(p, f->m, opt, group, seat);
    for (uint32_t i = 0; i < pg->n; i++) {
        const struct event *ev = &f->m->event[p->event[pg->first + i]];
        const struct perf_event_attr attr = {.config = ev->config};
        if ((seat[i].kind == SEAT_GENERAL || seat[i].kind == SEAT_FIXED) &&
            !take(t, counters_of(f, &attr) & f->there, &(uint64_t){f->held}))
            return false;
    }
    return true;
}

/* Is there an event in the group that nothing counts any more? */
static bool has_lost(const struct fake *f, const struct plan *p, uint32_t group) {
    const struct plan_group *pg = &p->group[group];
    for (uint32_t i = 0; i < pg->n; i++) {
        const struct event *ev = &f->m->event[p->event[pg->first + i]];
        const struct perf_event_attr attr = {.config = ev->config};
        if (ev->pmu == EVENT_CORE && !(counters_of(f, &attr) & f->there & ~f->held))
            return true;
    }
    return false;
}

/* Every group of the plan for what was found runs, beside those that are pinned. */
static void plan_runs(const struct fake *f, const struct budget *b) {
    const struct plan_options opt = {.level = 3,
                                     .probed = true,
                                     .general = b->general,
                                     .free = b->free,
                                     .fixed_taken = b->fixed_taken,
                                     .no_perf_metrics = (b->fixed_taken & probe_slots(f->m)) != 0};
    struct plan p;
    assert_int_equal(plan_make(&p, f->m, &opt, NULL), 0);
    for (uint32_t g = 0; g < p.n_group; g++) {
        struct taken t = {{0}};
        bool ok = true;
        for (uint32_t k = 0; k < p.n_group; k++)
            if (k == g || p.group[k].pinned)
                ok = ok && put_on(f, &p, &opt, k, &t);
        if (!ok && !has_lost(f, &p, g))
            fail_msg("%s, held %llx, counters %llx: group %u of %u events finds no place",
                     f->m->name, (unsigned long long)f->held, (unsigned long long)b->free, g,
                     p.group[g].n);
    }
    plan_free(&p);
}

/* Each counter held alone, and all but it, on every core whose counters are known. */
static void test_every_model(void **state) {
    (void)state;
    uint32_t n_asked = 0;
    for (const struct embedded *e = embedded_models; e->name; e++) {
        struct model m;
        assert_int_equal(model_open(&m, e->name, NULL, NULL), 0);
        const uint64_t general = (1ull << m.general_counters) - 1, bits = 0x7f0000ffff;
        uint64_t fixed = 0;
        for (uint32_t k = 0; k < m.n_event; k++)
            fixed |= m.event[k].fixed >= 0 ? 1ull << m.event[k].fixed : 0;
        const uint64_t there = general | ((1ull << m.fixed_counters) - 1) << 32;
        for (uint64_t bit = 1; m.general_counters && bit <= bits; bit <<= 1) {
            const uint64_t held[] = {bit & there, there & ~bit};
            for (size_t h = 0; h < 2 && (bit & there); h++) {
                struct fake f = {.there = there, .held = held[h], .m = &m};
                const struct budget b = ask(&f);
                const int n = __builtin_popcountll(general & ~held[h]);
                n_asked++;
                if (!b.known || b.general != n || b.there != m.general_counters ||
                    b.fixed_taken != (held[h] >> 32 & fixed) || b.fixed_gone)
                    fail_msg("%s, held %llx: %s, %d of %d, fixed held %llx, gone %llx", m.name,
                             (unsigned long long)held[h], b.known ? "known" : "not known",
                             b.general, b.there, (unsigned long long)b.fixed_taken,
                             (unsigned long long)b.fixed_gone);
                if (h == 0)
                    plan_runs(&f, &b);
            }
        }
        model_free(&m);
    }
    assert_true(n_asked > 900);
}

static void test_not_told(void **state) {
    (void)state;
    struct model m;
    assert_int_equal(model_open(&m, "spr", NULL, NULL), 0);
    for (int answer = PROBE_REFUSED; answer <= PROBE_UNKNOWN; answer++) {
        struct fake f = {.there = 0xff, .m = &m, .always = (enum probe_answer)answer};
        assert_false(ask(&f).known);
        assert_true(f.n_tried > 0);
    }
    model_free(&m);
    assert_int_equal(model_open(&m, "software", NULL, NULL), 0);
    struct fake f = {.there = 0xff, .m = &m};
    assert_false(ask(&f).known); /* nothing there to ask with */
    model_free(&m);
}

/* On most machines nobody holds anything: then one group is enough. */
static void test_one_group_is_enough(void **state) {
    (void)state;
    struct model m;
    assert_int_equal(model_open(&m, "spr", NULL, NULL), 0);
    struct fake f = {.there = 0xf000000ff, .m = &m};
    ask(&f);
    assert_int_equal(f.n_tried, 1);
    assert_int_equal(f.n_opened, 13); /* 4 fixed, 8 general, one that is refused */
    model_free(&m);
}

static void test_less(void **state) {
    (void)state;
    const struct budget all = {.known = true, .general = 8, .there = 8},
                        fewer = {.known = true, .general = 5, .there = 8},
                        no_cycles = {.known = true, .general = 8, .there = 8, .fixed_taken = 2},
                        unknown = {.known = false};
    assert_true(budget_is_less(&fewer, &all));
    assert_true(budget_is_less(&no_cycles, &all));
    assert_false(budget_is_less(&all, &fewer));
    assert_false(budget_is_less(&all, &all));
    assert_false(budget_is_less(&unknown, &all));
    const struct budget low = {.known = true, .general = 5, .there = 8, .free = 0x1f},
                        high = {.known = true, .general = 5, .there = 8, .free = 0xf8};
    assert_true(budget_is_less(&high, &low)); /* as many, but not of those that were used */
    assert_false(budget_is_same(&high, &low));
    assert_true(budget_is_same(&all, &all));
    assert_false(budget_is_same(&all, &no_cycles));
}

/* What was found is planned for: no group takes more than there is. */
static void test_planned_for(void **state) {
    (void)state;
    struct model m;
    assert_int_equal(model_open(&m, "spr", NULL, NULL), 0);
    for (int general = 0; general <= 8; general++) {
        struct plan_options opt = {
            .level = 3, .probed = true, .general = general, .fixed_taken = 1u << 1};
        struct plan_seat seat[PLAN_GROUP_MAX];
        struct plan p;
        assert_int_equal(plan_make(&p, &m, &opt, NULL), 0);
        for (uint32_t g = 0; g < p.n_group; g++) {
            int n = 0;
            plan_seats(&p, &m, &opt, g, seat);
            for (uint32_t i = 0; i < p.group[g].n; i++) {
                n += seat[i].kind == SEAT_GENERAL;
                assert_false(seat[i].kind == SEAT_FIXED && seat[i].fixed == 1);
            }
            if (n > general && p.group[g].n > 1)
                fail_msg("%d general counters, group %u takes %d", general, g, n);
        }
        plan_free(&p);
    }
    model_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_holds_what), cmocka_unit_test(test_every_model),
        cmocka_unit_test(test_not_told),       cmocka_unit_test(test_one_group_is_enough),
        cmocka_unit_test(test_less),           cmocka_unit_test(test_planned_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
