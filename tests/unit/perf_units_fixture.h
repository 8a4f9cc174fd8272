/* Units with three groups of software events, on children of our own; for test_perf_*.c. */
#ifndef TDTOP_TESTS_PERF_UNITS_FIXTURE_H
#define TDTOP_TESTS_PERF_UNITS_FIXTURE_H

#include "base/clock.h"
#include "model/eval/sample.h"
#include "pmu/perf/perf_units.h"

#include "perf_children.h"

#define FOREVER UINT64_MAX

/* ---- the groups ---- */

enum { TOP, SECOND, THIRD, GROUPS };
/* Counters: the clock leads each group, so that each tells how much of the time it saw. */
enum { CLOCK, SWITCHES, CLOCK_2, FAULTS, CLOCK_3, COUNTERS };

static struct perf_counter counters[COUNTERS] = {
    [CLOCK] = {.attr.config = PERF_COUNT_SW_TASK_CLOCK},
    [SWITCHES] = {.attr.config = PERF_COUNT_SW_CONTEXT_SWITCHES},
    [CLOCK_2] = {.attr.config = PERF_COUNT_SW_TASK_CLOCK},
    [FAULTS] = {.attr.config = PERF_COUNT_SW_PAGE_FAULTS},
    [CLOCK_3] = {.attr.config = PERF_COUNT_SW_TASK_CLOCK},
};

static struct perf_group groups[GROUPS] = {
    [TOP] = {.first = CLOCK, .n = 2, .at = 0, .top = true, .level1 = true},
    [SECOND] = {.first = CLOCK_2, .n = 2, .at = 4},
    [THIRD] = {.first = CLOCK_3, .n = 1, .at = 8},
};

static struct perf_shape shape = {
    .counter = counters, .n_counter = COUNTERS, .group = groups, .n_group = GROUPS, .n_word = 11};

static const bool all_on[GROUPS] = {true, true, true}, top_on[GROUPS] = {true, false, false};

static inline int setup(void **state) {
    (void)state;
    for (int i = 0; i < COUNTERS; i++) {
        counters[i].attr.type = PERF_TYPE_SOFTWARE;
        counters[i].attr.size = sizeof(counters[i].attr);
        counters[i].attr.exclude_kernel = geteuid() != 0;
    }
    return 0;
}

/* ---- a target and its units ---- */

struct run {
    struct target_process process;
    struct target_set target;
    struct perf_units pu;
    double total[COUNTERS];
};

/* What is on, on at most `most` threads; nothing is open yet. */
static inline void run_begin(struct run *r, pid_t pid, const bool *on, uint32_t most) {
    *r = (struct run){.process = {.pid = pid, .pidfd = -1}};
    r->target = (struct target_set){.kind = TARGET_PIDS, .process = &r->process, .n_process = 1};
    r->pu = (struct perf_units){.target = &r->target, .shape = &shape, .mode.inherit = true};
    assert_int_equal(perf_units_begin(&r->pu), 0);
    perf_units_limit(&r->pu, on, most, COUNT_NOT_FOCUSED);
}

static inline void run_open(struct run *r, pid_t pid, const bool *on) {
    run_begin(r, pid, on, UINT32_MAX);
    assert_int_equal(perf_units_open(&r->pu, FOREVER), 0);
}

/* One interval ends, as the source does it. */
static inline void run_read(struct run *r, bool rows) {
    perf_units_maintain(&r->pu, rows, 20 * NS_PER_MS);
    perf_units_read(&r->pu);
    for (int i = 0; i < COUNTERS; i++)
        r->total[i] += r->pu.value[i];
}

static inline void run_close(struct run *r) {
    perf_units_close(&r->pu);
}

#endif
