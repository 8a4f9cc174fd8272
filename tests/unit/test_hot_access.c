/* Accesses to memory: where their data came from, cache lines, and who shares them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/hot/hot.h"
#include "pmu/sampling/data_source.h"

#include <linux/perf_event.h>
#include <math.h>

static struct hot_access access_of(uint32_t function, uint32_t thread, uint64_t line,
                                   uint64_t bytes, enum data_source source, uint64_t n) {
    const double weight = (double)n;
    return (struct hot_access){.function = function,
                               .thread = thread,
                               .line = line,
                               .bytes = bytes,
                               .source = source,
                               .sum = {{n, weight, weight}, 0, n, 10 * n}};
}

static void lines_know_their_threads(void **state) {
    (void)state;
    struct hot_access a[] = {
        access_of(1, 7, 100, 0x0f, DATA_OTHER_CORE, 40), /* false sharing, and one look at it */
        access_of(2, 8, 100, 0xf0, DATA_OTHER_CORE, 60),
        access_of(3, 9, 100, 0xff, DATA_L3, 1),
        access_of(1, 7, 200, 0x0f, DATA_OTHER_CORE, 20), /* the same bytes */
        access_of(1, 8, 200, 0x3c, DATA_OTHER_CORE, 20),
        access_of(1, 7, 300, 0x0f, DATA_L1, 15),
        access_of(1, 8, 300, 0xf0, DATA_L1, 15),             /* nobody writes */
        access_of(2, 7, 400, 0x0f, DATA_DRAM, 5),            /* of one thread */
        access_of(1, 7, ACCESS_NO_LINE, 0, DATA_DRAM, 1000), /* no line */
        access_of(1, 8, 500, 1, DATA_L2, 2),
        access_of(1, 7, 500, 2, DATA_L2, 2)};
    a[sizeof(a) / sizeof(a[0]) - 1].sum.n_store = 1;
    struct access_line *l;
    size_t n;
    double share;
    assert_int_equal(access_lines(a, sizeof(a) / sizeof(a[0]), &l, &n), 0);
    assert_int_equal(n, 5);
    assert_int_equal(l[0].line, 100);
    assert_int_equal(l[0].sharing, LINE_FALSE_SHARED);
    assert_int_equal(l[0].n_thread, 3);
    assert_int_equal(l[0].n_function, 3);
    assert_true(l[0].function == 2 && l[0].thread == 8 && l[0].bytes == 0xff);
    assert_int_equal(access_mostly(&l[0].sum, &share), DATA_OTHER_CORE);
    assert_true(share == 100.0 / 101);
    assert_true(access_cycles(&l[0].sum.all) == 10);
    assert_true(l[1].line == 200 && l[1].sharing == LINE_SHARED && l[1].n_function == 1);
    assert_true(l[2].line == 300 && l[2].sharing == LINE_SHARED);
    assert_true(l[3].line == 400 && l[3].sharing == LINE_PRIVATE);
    assert_true(l[4].line == 500 && l[4].sharing == LINE_FALSE_SHARED); /* one stores */
    free(l);
    assert_int_equal(access_lines(NULL, 0, &l, &n), 0);
    assert_int_equal(n, 0);
    free(l);
}

/* The same address in other processes is other memory; the kernel's is the same. */
static void lines_are_of_a_process(void **state) {
    (void)state;
    const uint64_t kernel = UINT64_MAX / CACHE_LINE;
    struct hot_access a[] = {access_of(1, 7, 100, 1, DATA_OTHER_CORE, 40),
                             access_of(1, 8, 100, 2, DATA_OTHER_CORE, 30),
                             access_of(1, 7, kernel, 1, DATA_OTHER_CORE, 20),
                             access_of(1, 8, kernel, 2, DATA_OTHER_CORE, 20)};
    struct access_line *l;
    size_t n;
    for (int i = 0; i < 4; i++)
        a[i].space = access_space((int32_t)a[i].thread, a[i].line);
    assert_int_equal(access_lines(a, 4, &l, &n), 0);
    assert_int_equal(n, 3);
    assert_true(l[0].line == 100 && l[0].space == 7 && l[0].sharing == LINE_PRIVATE);
    assert_true(l[1].line == kernel && l[1].space == 0 && l[1].sharing == LINE_FALSE_SHARED);
    assert_true(l[2].line == 100 && l[2].space == 8 && l[2].sharing == LINE_PRIVATE);
    free(l);
}

static void what_is_not_said_is_not_known(void **state) {
    (void)state;
    struct access_sum s = {0};
    double share;
    const struct hot_access a = access_of(0, 0, 1, 1, DATA_UNKNOWN, 3);
    access_sum_add(&s, &a);
    assert_int_equal(access_mostly(&s, &share), DATA_UNKNOWN);
    assert_true(isnan(share));
    s.all.n_timed = 0;
    assert_true(isnan(access_cycles(&s.all)));
    for (int i = 1; i < DATA_SOURCES; i++)
        assert_int_equal(data_source_named(data_source_name((enum data_source)i)), i);
    assert_int_equal(data_source_named("tape"), DATA_UNKNOWN);
    assert_string_equal(data_source_name(DATA_UNKNOWN), "");
}

/* Those of most samples stay; the sums do, too. */
static void what_has_no_room_has_no_line(void **state) {
    (void)state;
    enum { N = 100, MOST = 40 };
    struct hot h = {0};
    uint64_t all = 0, kept = 0, none = 0;
    const struct hot_function f = {.name = strdup("f"), .file = strdup("")};
    assert_int_equal(array_push(&h.function, f), 0);
    for (uint64_t i = 0; i < N; i++) {
        const struct hot_access a = access_of(0, 0, i + 1, 1, i % 2 ? DATA_L1 : DATA_L2, i + 1);
        assert_int_equal(array_push(&h.access, a), 0);
        all += i + 1;
    }
    hot_fold_accesses(&h, N);
    assert_int_equal(h.access.n, N);
    hot_fold_accesses(&h, MOST);
    assert_int_equal(h.access.n, 32); /* 30 lines, and the rest of each source */
    for (size_t i = 0; i < h.access.n; i++) {
        const struct hot_access *a = &h.access.at[i];
        kept += a->sum.count.n;
        none += a->line == ACCESS_NO_LINE ? a->sum.count.n : 0;
        assert_true(a->line == ACCESS_NO_LINE || a->sum.count.n > 70);
    }
    assert_int_equal(kept, all);
    assert_int_equal(none, h.n_no_line);
    struct access_sum *sum = hot_access_sums(&h);
    assert_int_equal(sum[0].all.count.n, all);
    free(sum);
    hot_free(&h);
}

static uint64_t src(union perf_mem_data_src d) {
    return d.val;
}

static void sources_of_samples(void **state) {
    (void)state;
    const struct {
        union perf_mem_data_src d;
        enum data_source is;
    } known[] = {
        {{.mem_lvl_num = PERF_MEM_LVLNUM_L1}, DATA_L1},
        {{.mem_lvl_num = PERF_MEM_LVLNUM_LFB}, DATA_FILL_BUFFER},
        {{.mem_lvl_num = PERF_MEM_LVLNUM_L2}, DATA_L2},
        {{.mem_lvl_num = PERF_MEM_LVLNUM_L3}, DATA_L3},
        {{.mem_lvl_num = PERF_MEM_LVLNUM_L3, .mem_snoop = PERF_MEM_SNOOP_HIT}, DATA_L3},
        {{.mem_lvl_num = PERF_MEM_LVLNUM_L3, .mem_snoop = PERF_MEM_SNOOP_HITM}, DATA_OTHER_CORE},
        {{.mem_lvl_num = PERF_MEM_LVLNUM_L3, .mem_snoopx = PERF_MEM_SNOOPX_FWD}, DATA_OTHER_CORE},
        {{.mem_lvl_num = PERF_MEM_LVLNUM_L3, .mem_snoopx = PERF_MEM_SNOOPX_PEER}, DATA_OTHER_CORE},
        {{.mem_lvl_num = PERF_MEM_LVLNUM_ANY_CACHE, .mem_remote = 1}, DATA_REMOTE_CACHE},
        {{.mem_lvl_num = PERF_MEM_LVLNUM_ANY_CACHE}, DATA_OTHER_CORE},
        /* Zen 4: near CCX cache; before: L3, or another core's */
        {{.mem_lvl_num = PERF_MEM_LVLNUM_ANY_CACHE, .mem_remote = 1, .mem_hops = PERF_MEM_HOPS_0},
         DATA_OTHER_CORE},
        {{.mem_lvl_num = PERF_MEM_LVLNUM_ANY_CACHE,
          .mem_lvl = PERF_MEM_LVL_HIT | PERF_MEM_LVL_L3 | PERF_MEM_LVL_REM_CCE1,
          .mem_remote = 1,
          .mem_hops = PERF_MEM_HOPS_0},
         DATA_L3},
        {{.mem_lvl_num = PERF_MEM_LVLNUM_L3, .mem_remote = 1, .mem_snoop = PERF_MEM_SNOOP_HITM},
         DATA_REMOTE_CACHE},
        {{.mem_lvl_num = PERF_MEM_LVLNUM_RAM}, DATA_DRAM},
        {{.mem_lvl_num = PERF_MEM_LVLNUM_RAM, .mem_remote = 1}, DATA_REMOTE_DRAM},
        {{.mem_lvl_num = PERF_MEM_LVLNUM_CXL}, DATA_SLOW},
        {{.mem_lvl_num = PERF_MEM_LVLNUM_PMEM}, DATA_SLOW},
        {{.mem_lvl_num = PERF_MEM_LVLNUM_NA}, DATA_UNKNOWN},
        {{.mem_lvl = PERF_MEM_LVL_HIT | PERF_MEM_LVL_L1}, DATA_L1},
        {{.mem_lvl = PERF_MEM_LVL_HIT | PERF_MEM_LVL_LOC_RAM}, DATA_DRAM},
        {{.mem_lvl = PERF_MEM_LVL_HIT | PERF_MEM_LVL_REM_CCE1}, DATA_REMOTE_CACHE},
        {{.mem_lvl = PERF_MEM_LVL_MISS | PERF_MEM_LVL_L1}, DATA_UNKNOWN},
        {{.val = 0}, DATA_UNKNOWN}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (data_source_of(src(known[i].d)) != known[i].is)
            fail_msg("row %zu: %s", i, data_source_name(data_source_of(src(known[i].d))));
    assert_true(data_source_is_store(src((union perf_mem_data_src){.mem_op = PERF_MEM_OP_STORE})));
    assert_false(data_source_is_store(src((union perf_mem_data_src){.mem_op = PERF_MEM_OP_LOAD})));
}

static void sources_of_events(void **state) {
    (void)state;
    assert_int_equal(data_source_of_event("MEM_LOAD_RETIRED.L3_HIT"), DATA_L3);
    assert_int_equal(data_source_of_event("MEM_LOAD_L3_HIT_RETIRED.XSNP_FWD"), DATA_OTHER_CORE);
    assert_int_equal(data_source_of_event("MEM_LOAD_L3_HIT_RETIRED.XSNP_MISS"), DATA_L3);
    assert_int_equal(data_source_of_event("MEM_LOAD_RETIRED.L3_MISS"), DATA_UNKNOWN); /* or CXL */
    assert_int_equal(data_source_of_event("MEM_LOAD_L3_MISS_RETIRED.REMOTE_DRAM"),
                     DATA_REMOTE_DRAM);
    assert_int_equal(data_source_of_event("L2_RQSTS.L1_HIT"), DATA_UNKNOWN);
    assert_int_equal(data_source_of_event("cycles"), DATA_UNKNOWN);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines_know_their_threads),
                                       cmocka_unit_test(lines_are_of_a_process),
                                       cmocka_unit_test(what_is_not_said_is_not_known),
                                       cmocka_unit_test(what_has_no_room_has_no_line),
                                       cmocka_unit_test(sources_of_samples),
                                       cmocka_unit_test(sources_of_events)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
