/*
 * Sets of events, and whether they fit on the counters: both answer from what they keep while they
 * grow. Held against what is found by trying everything, on the events of built-in models.
 */
#include "pmu/plan/plan_fit.h"

#include "model/load/code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed;

static uint32_t pick(uint32_t n) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(seed >> 33) % n;
}

/* ---- sets ---- */

static bool is_among(const uint16_t *all, uint32_t n, uint16_t event) {
    for (uint32_t i = 0; i < n; i++)
        if (all[i] == event)
            return true;
    return false;
}

static void sets_keep_what_was_added(void **state) {
    (void)state;
    for (int round = 0; round < 2000; round++) {
        struct event_set set = {.n = 0}, other = set_of((uint16_t)pick(300));
        uint16_t plain[8];
        uint32_t n = 0;
        for (uint32_t step = pick(12); step > 0; step--) {
            const uint16_t event = (uint16_t)pick(300);
            if (pick(5) == 0) {
                n = pick(n + 1);
                set_cut(&set, n);
            } else if (n < 8 && !is_among(plain, n, event)) {
                plain[n++] = event;
                set_add(&set, event);
                set_add(&set, event);
            }
        }
        assert_int_equal(set.n, n);
        assert_true(n == 0 || memcmp(set.at, plain, n * sizeof(*plain)) == 0);
        for (uint16_t event = 0; event < 300; event++)
            assert_int_equal(set_has(&set, event), is_among(plain, n, event));
        assert_int_equal(set_has_all(&set, &other), set_has(&set, other.at[0]));
        set_add_all(&other, &set);
        assert_true(set_has_all(&other, &set));
    }
}

/* ---- counters ---- */

/* What is to be counted, group by group. */
struct wish {
    const struct fit *fit;
    const struct event *ev[64];
    int group[64];
    int n;
};

static bool is_offcore(const struct model *m, const struct event *ev) {
    const char *name = ev->config1 ? code_config1_name(m->vendor, ev->config) : "";
    return ev->pmu == EVENT_CORE && strcmp(name, "offcore_rsp") == 0;
}

/* No two values of the MSR that there is once, no three of the one that there is twice. */
static bool msrs_do(const struct wish *w) {
    uint64_t alone[64], offcore[64];
    int n_alone = 0, n_offcore = 0;
    for (int i = 0; i < w->n; i++) {
        int k = 0;
        while (w->ev[i]->alone && k < n_alone && alone[k] != w->ev[i]->config1)
            k++;
        if (w->ev[i]->alone && k == n_alone)
            alone[n_alone++] = w->ev[i]->config1;
        k = 0;
        const bool off = is_offcore(w->fit->model, w->ev[i]);
        while (off && k < n_offcore && offcore[k] != w->ev[i]->config1)
            k++;
        if (off && k == n_offcore)
            offcore[n_offcore++] = w->ev[i]->config1;
    }
    return n_alone <= 1 && n_offcore <= 2;
}

/* Every way to seat those from i on, general counters first to last. */
static bool seats_do(const struct wish *w, int i, uint64_t general, uint64_t fixed) {
    if (i == w->n)
        return true;
    const struct event *ev = w->ev[i];
    if (ev->perf_metrics)
        return seats_do(w, i + 1, general, fixed);
    for (int k = 0; k < i; k++)
        if (w->group[k] == w->group[i] && plan_same_count(w->ev[k], ev))
            return seats_do(w, i + 1, general, fixed);
    /* A fixed counter that is free is always taken: the first come has it. */
    if (ev->fixed >= 0 && !(fixed >> ev->fixed & 1))
        return seats_do(w, i + 1, general, fixed | 1ull << ev->fixed);
    if (ev->fixed >= 0 && model_fixed_only(ev))
        return false;
    const uint64_t may = w->fit->free & (ev->counters ? ev->counters : UINT64_MAX);
    for (int c = 0; c < 64; c++)
        if (may >> c & 1 && !(general >> c & 1) && seats_do(w, i + 1, general | 1ull << c, fixed))
            return true;
    return false;
}

static void wish_add(struct wish *w, const struct event_set *set, int group) {
    for (uint32_t i = 0; i < set->n; i++) {
        w->ev[w->n] = &w->fit->model->event[set->at[i]];
        w->group[w->n++] = group;
    }
}

static bool can_be(const struct wish *w) {
    return msrs_do(w) && seats_do(w, 0, 0, w->fit->fixed_taken);
}

/* Events near each other, so that codes and MSRs are shared, and choosy ones meet. */
static struct event_set some_events(const struct model *m, uint32_t most) {
    struct event_set set = {.n = 0};
    const uint32_t from = pick(m->n_event);
    for (uint32_t n = 1 + pick(most); n > 0; n--) {
        const uint32_t e = (from + pick(16)) % m->n_event;
        if (m->event[e].pmu == EVENT_CORE)
            set_add(&set, (uint16_t)e);
    }
    return set;
}

/* A pinned group, then groups that grow: each answer is that of trying everything. */
static int grow(const struct fit *fit, int *n_room) {
    struct wish w = {.fit = fit};
    struct fit_taken t;
    int asked = 0;
    wish_add(&w, &fit->always, 0);
    fit_begin(fit, &t);
    assert_int_equal(t.now.fits, can_be(&w));
    for (int group = 1; t.now.fits && w.n < 20;) {
        const struct event_set more = some_events(fit->model, 3);
        struct wish with = w;
        wish_add(&with, &more, group);
        const bool room = can_be(&with), other = pick(6) == 0;
        assert_int_equal(fit_has_room(fit, &t, &more), room);
        assert_int_equal(fit_has_room(fit, &t, &more), room); /* it left no trace */
        asked++;
        *n_room += room;
        if (group == 1) {
            struct event_set own = {.n = 0};
            for (int i = (int)fit->always.n; i < w.n; i++)
                set_add(&own, (uint16_t)(w.ev[i] - fit->model->event));
            assert_int_equal(fit_together(fit, &own, &more), room);
        }
        if (!room && pick(3))
            continue;
        group += other;
        wish_add(&w, &more, group);
        assert_int_equal(other ? fit_add_group(fit, &t, &more) : fit_add(fit, &t, &more),
                         can_be(&w));
    }
    return asked;
}

static void answers_are_those_of_trying_all(void **state) {
    (void)state;
    static const char *const names[] = {"snb",     "hsw",  "skx",        "spr",
                                        "adl-grt", "zen4", "neoverse-v1"};
    int asked = 0, room = 0;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct model m;
        struct err err = {0};
        if (model_open(&m, names[i], NULL, &err) < 0)
            fail_msg("%s", err.text);
        for (int round = 0; round < 150; round++) {
            const struct plan_options opt = {.general = 2 + (int)pick(4),
                                             .nmi_watchdog = pick(2) == 0};
            struct fit fit;
            fit_init(&fit, &m, &opt);
            const struct event_set always = some_events(&m, 2);
            if (pick(2))
                fit_hold(&fit, &always);
            asked += grow(&fit, &room);
        }
        model_free(&m);
    }
    assert_true(room > asked / 4 && room < asked * 3 / 4); /* both answers were to be had */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_keep_what_was_added),
        cmocka_unit_test(answers_are_those_of_trying_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
