/* The groups behind a layout are put together anew while the target runs: counts go on, and nothing
 * stays open. Software events, which exist on every machine. */
#include "pmu/perf/source_perf.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "perf_source_fixture.h"

static void counts_go_on(void **state) {
    (void)state;
    const struct budget none = {.known = true};
    pid_t pid = start(be_busy);
    int before = count_open();
    struct run r;
    sleep_ms(20);
    assert_int_equal(run_open_pid(&r, pid), 0);
    struct perf *p = r.src.priv;
    uint32_t n_slot = r.src.layout.n_slot, n_fd = p->units.n_fd;
    int open = 0, clock = slot_of(&r, "task_clock");
    assert_true(clock >= 0);
    assert_int_equal(r.src.ops->start(&r.src, &r.err), 0);
    for (int i = 0; i < 4; i++) {
        sleep_ms(50);
        assert_int_equal(run_read(&r), 0);
        const struct count *c = &r.sample.at[clock];
        assert_int_equal(c->state, COUNT_OK);
        assert_true(c->value > 1e6);       /* ns, of the 50 ms */
        open = open ? open : count_open(); /* files of /proc are there after a read */
        assert_int_equal(perf_regroup(&r.src, &none), 0);
        assert_int_equal(r.src.layout.n_slot, n_slot);
        assert_int_equal(p->units.n_fd, n_fd);
        assert_int_equal(count_open(), open);
    }
    struct unit_table rows = {0};
    assert_int_equal(r.src.ops->units(&r.src, &rows), 0);
    assert_true(rows.n >= 1); /* a sanitizer may add a thread of its own */
    unit_table_destroy(&rows);
    run_close(&r);
    end(pid);
    assert_int_equal(count_open(), before);
}

/* What was focused stays so. */
static void focus_stays(void **state) {
    (void)state;
    const struct budget none = {.known = true};
    struct group_set nothing = {.only = true};
    pid_t pid = start(be_busy);
    struct run r;
    sleep_ms(20);
    assert_int_equal(run_open_pid(&r, pid), 0);
    struct perf *p = r.src.priv;
    assert_int_equal(r.src.ops->start(&r.src, &r.err), 0);
    for (uint32_t g = 0; g < p->shape.n_group; g++)
        p->shape.group[g].top = p->watch.top[g] = false; /* else it is always in focus */
    assert_int_equal(r.src.ops->focus(&r.src, &nothing, &r.err), 0);
    assert_int_equal(p->units.n_fd, 0);
    assert_int_equal(perf_regroup(&r.src, &none), 0);
    for (uint32_t g = 0; g < p->shape.n_group; g++)
        assert_false(p->units.on[g]);
    run_close(&r);
    end(pid);
}

/* New groups that cannot be opened: the old ones go on, for the counters that they were made for.
 */
static void the_old_groups_again(void **state) {
    (void)state;
    const struct budget fewer = {.known = true, .general = 2};
    pid_t pid = start(be_busy);
    struct run r;
    sleep_ms(20);
    assert_int_equal(run_open_pid(&r, pid), 0);
    struct perf *p = r.src.priv;
    const uint32_t n_fd = p->units.n_fd;
    const int clock = slot_of(&r, "task_clock");
    assert_int_equal(r.src.ops->start(&r.src, &r.err), 0);
    for (uint32_t g = 0; g < p->shape.n_group; g++)
        p->watch.top[g] = p->watch.level1[g] = false;
    r.src.opt.n_type = 1000000; /* so many share the descriptors: there is room for none of ours */
    assert_int_not_equal(perf_regroup(&r.src, &fewer), 0);
    assert_int_equal(p->units.n_fd, n_fd);
    assert_int_equal(p->budget.general, 0);
    assert_int_equal(p->stage, STAGE_ALL);
    assert_false(p->short_of_files);
    for (int i = 0; i < 2; i++) {
        sleep_ms(50);
        assert_int_equal(run_read(&r), 0);
    }
    assert_int_equal(r.sample.at[clock].state, COUNT_OK);
    assert_true(r.sample.at[clock].value > 1e6);
    run_close(&r);
    end(pid);
}

/* The sampler opens, too, while the screen may write target_text. */
static void refusals_have_the_sampler_s_name(void **state) {
    (void)state;
    pid_t pid = start(be_busy);
    struct run r;
    struct err err = {0};
    sleep_ms(20);
    assert_int_equal(run_open_pid(&r, pid), 0);
    strcpy(r.src.name, "renamed");
    assert_int_equal(perf_say_refused(&r.src, -ESRCH, &err), -ESRCH);
    assert_string_equal(err.text, "renamed: no such process; it has ended");
    run_close(&r);
    end(pid);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_go_on),
        cmocka_unit_test(focus_stays),
        cmocka_unit_test(the_old_groups_again),
        cmocka_unit_test(refusals_have_the_sampler_s_name),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
