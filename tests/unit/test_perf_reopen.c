/* Threads and processes that are born and end while they are counted one by one. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "count_malloc.h"
#include "perf_units_fixture.h"

static void *burn_ms_and_end(void *arg) {
    burn_us(30000);
    return arg;
}

/* Threads that live for a few intervals: they get rows, and lose them. */
static void be_a_pool(void) {
    for (;;) {
        add_threads(2, burn_ms_and_end);
        burn_us(10000);
        sleep_ms(5);
    }
}

/* Starts processes that work for a moment and end, as make does. */
static void be_a_shell(void) {
    for (;;) {
        pid_t pid = fork();
        if (pid == 0) {
            burn_us(20000);
            _exit(0);
        }
        waitpid(pid, NULL, 0);
    }
}

static void *exec_self(void *arg) {
    sleep_ms(60);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* each thread has its own */
    execl("/bin/sh", "sh", "-c", "while :; do :; done", (char *)NULL);
    return arg;
}

/* A thread that is not the first becomes another program; the others end by it. */
static void be_replaced(void) {
    add_threads(1, exec_self);
    add_threads(2, sleep_long);
    for (;;)
        pause();
}

/* CPU time of a thread that stands still, by the scheduler. */
static double thread_ns(pid_t pid, pid_t tid) {
    char path[96], text[96] = "";
    snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", (int)pid, (int)tid);
    FILE *f = fopen(path, "r");
    if (f && !fgets(text, sizeof(text), f))
        text[0] = '\0';
    if (f)
        fclose(f);
    return strtod(text, NULL);
}

/* Does each thread of the process have counters of its own? */
static bool all_have_units(const struct run *r, pid_t pid) {
    pid_t *tids = NULL;
    int cap = 0, n = target_tids(pid, &tids, &cap);
    bool all = true;
    for (int i = 0; i < n; i++) {
        int64_t u = perf_units_find(&r->pu, tids[i]);
        all &= u >= 0 && r->pu.unit[u].state == UNIT_OPEN;
    }
    free(tids);
    return all;
}

static void each_thread_has_a_row(void **state) {
    (void)state;
    pid_t pid = start(be_late);
    struct run r;
    run_open(&r, pid, all_on);
    uint32_t n = r.pu.n;
    await_threads(pid, 3);
    run_read(&r, false);
    assert_int_equal(r.pu.n, n); /* nobody asked */
    for (int i = 0; i < 100 && !all_have_units(&r, pid); i++)
        run_read(&r, true); /* rows may wait where the CPUs have other work */
    assert_true(all_have_units(&r, pid));
    halt(pid);
    run_read(&r, true);
    double before[8], after;
    assert_true(r.pu.n <= 8);
    for (uint32_t u = 0; u < r.pu.n; u++)
        before[u] = thread_ns(pid, r.pu.unit[u].tid);
    kill(pid, SIGCONT);
    sleep_ms(100);
    halt(pid);
    run_read(&r, true);
    for (uint32_t u = 0; u < r.pu.n; u++) {
        after = thread_ns(pid, r.pu.unit[u].tid);
        double row = r.pu.row[(size_t)u * r.pu.n_row + CLOCK];
        if (!agrees(row, after - before[u], 0.02) ||
            fabs(row - (double)r.pu.unit[u].enabled_ns) > 0.01 * row + 1e6)
            fail_msg("thread %u: %g ms, by the scheduler %g ms", u, row / 1e6,
                     (after - before[u]) / 1e6);
    }
    run_close(&r);
    end(pid);
}

/* Rows cost no counts, whoever comes and goes; and leave no descriptor behind. */
static void rows_lose_nothing(void **state) {
    (void)state;
    static const struct {
        const char *what;
        void (*child)(void);
    } cases[] = {
        {"threads that live for some intervals", be_a_pool},
        {"threads that live shorter than one", be_restless},
        {"threads that begin later", be_late},
        {"processes that come and go", be_a_shell},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        pid_t pid = start(cases[i].child);
        struct run r;
        struct reference ref;
        int files = count_open();
        sleep_ms(10);
        run_open(&r, pid, all_on);
        halt(pid);
        await_children(pid); /* the reference does not have those that are there */
        perf_units_read(&r.pu);
        reference_open(&ref, pid);
        kill(pid, SIGCONT);
        uint32_t most = 0;
        for (int k = 0; k < 8; k++) {
            sleep_ms(20);
            if (k == 7) {
                halt(pid);
                await_children(pid);
            }
            run_read(&r, true);
            most = r.pu.n > most ? r.pu.n : most;
        }
        double used = reference_ns(&ref), seen = r.total[CLOCK];
        if (fabs(seen - used) > 0.02 * used + 2e6 || used < 10e6 || most > 64)
            fail_msg("%s: %g ms seen, %g ms in the reference, %u units", cases[i].what, seen / 1e6,
                     used / 1e6, most);
        uint32_t fds = 0;
        for (uint32_t u = 0; u < r.pu.n; u++)
            for (int k = 0; k < COUNTERS; k++)
                fds += perf_units_fds(&r.pu, u)[k] >= 0;
        assert_int_equal(fds, r.pu.n_fd);
        reference_close(&ref);
        run_close(&r);
        assert_int_equal(r.pu.n_fd, 0);
        if (count_open() != files)
            fail_msg("%s: %d descriptors, %d before", cases[i].what, count_open(), files);
        end(pid);
    }
}

/* Processes that one of ours has started are ours: they get rows, too. */
static void started_processes_have_rows(void **state) {
    (void)state;
    pid_t pid = start(be_a_shell);
    struct run r;
    run_open(&r, pid, top_on);
    bool other = false;
    for (int i = 0; i < 400 && !other; i++) {
        sleep_ms(5);
        run_read(&r, true);
        for (uint32_t u = 0; u < r.pu.n; u++)
            other |= r.pu.unit[u].pid != pid;
    }
    assert_true(other);
    run_close(&r);
    end(pid);
}

static void a_thread_that_calls_exec(void **state) {
    (void)state;
    for (int rows = 0; rows < 2; rows++) {
        pid_t pid = start(be_replaced);
        struct run r;
        await_threads(pid, 4);
        run_open(&r, pid, all_on);
        for (int i = 0; i < 8; i++) {
            sleep_ms(25);
            run_read(&r, rows);
        }
        for (int i = 0; i < 1000 && (threads_of(pid) > 1 || (rows && r.pu.n > 1)); i++) {
            sleep_ms(5); /* on a busy machine the list is read later */
            run_read(&r, rows);
        }
        assert_int_equal(threads_of(pid), 1);
        assert_true(!rows || r.pu.n == 1);
        double before = cpu_ns(pid);
        halt(pid);
        run_read(&r, rows);
        r.total[CLOCK] = 0;
        before = cpu_ns(pid);
        kill(pid, SIGCONT);
        for (int i = 0; i < 100 && cpu_ns(pid) - before < 10e6; i++)
            sleep_ms(20); /* a busy machine may not run it at once */
        halt(pid);
        run_read(&r, rows);
        double used = cpu_ns(pid) - before;
        if (used < 5e6 || !agrees(r.total[CLOCK], used, 0.02))
            fail_msg("rows %d: %g ms seen, %g ms used", rows, r.total[CLOCK] / 1e6, used / 1e6);
        assert_true(!rows || r.pu.n == 1);
        run_close(&r);
        end(pid);
    }
}

static void without_room_they_stay_with_their_creator(void **state) {
    (void)state;
    pid_t pid = start(be_late);
    struct run r;
    run_open(&r, pid, all_on);
    r.pu.room = r.pu.n_fd + 1;
    await_threads(pid, 3);
    run_read(&r, true);
    assert_true(r.pu.n_unlisted >= 2);
    assert_int_equal(r.pu.next, r.pu.n); /* nothing is left to be opened */
    assert_int_equal(r.pu.too_many_fds, false);
    sleep_ms(50);
    halt(pid);
    run_read(&r, true);
    assert_true(agrees(r.total[CLOCK], cpu_ns(pid), 0.1));
    run_close(&r);
    end(pid);
}

static void rows_allocate_nothing_while_nothing_changes(void **state) {
    (void)state;
    pid_t pid = start(be_many);
    struct run r;
    await_threads(pid, 40);
    run_open(&r, pid, all_on);
    run_read(&r, true);
    unsigned long before = calls_now();
    for (int i = 0; i < 20; i++) {
        r.pu.due_ns = r.pu.list.newest = 0; /* as if somebody were born: the list is read */
        run_read(&r, true);
    }
    assert_int_equal(calls_now(), before);
    run_close(&r);
    end(pid);
}

static void named_threads_only(void **state) {
    (void)state;
    pid_t pid = start(be_three);
    await_threads(pid, 3);
    pid_t *tids = NULL;
    int cap = 0, n = target_tids(pid, &tids, &cap);
    struct target_thread two[2] = {{.pid = pid, .tid = tids[n - 1]},
                                   {.pid = pid, .tid = tids[n - 2]}};
    struct target_set ts = {.kind = TARGET_TIDS, .thread = two, .n_thread = 2};
    struct perf_units pu = {.target = &ts, .shape = &shape};
    assert_int_equal(perf_units_begin(&pu), 0);
    perf_units_limit(&pu, all_on, UINT32_MAX, COUNT_NOT_FOCUSED);
    assert_int_equal(perf_units_open(&pu, FOREVER), 0);
    assert_int_equal(pu.n, 2);
    halt(pid);
    double before = thread_ns(pid, two[0].tid) + thread_ns(pid, two[1].tid);
    perf_units_read(&pu);
    kill(pid, SIGCONT);
    sleep_ms(80);
    halt(pid);
    perf_units_maintain(&pu, true, 0);
    perf_units_read(&pu);
    double used = thread_ns(pid, two[0].tid) + thread_ns(pid, two[1].tid) - before;
    assert_true(agrees(pu.value[CLOCK], used, 0.02));
    end(pid);
    pu.due_ns = 0;
    perf_units_maintain(&pu, true, 0);
    perf_units_read(&pu);
    assert_true(pu.unit[0].ended && pu.unit[1].ended);
    perf_units_maintain(&pu, true, 0);
    assert_int_equal(pu.n, 0);
    assert_int_equal(pu.n_fd, 0);
    perf_units_close(&pu);
    free(tids);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_thread_has_a_row),
        cmocka_unit_test(rows_lose_nothing),
        cmocka_unit_test(started_processes_have_rows),
        cmocka_unit_test(a_thread_that_calls_exec),
        cmocka_unit_test(without_room_they_stay_with_their_creator),
        cmocka_unit_test(rows_allocate_nothing_while_nothing_changes),
        cmocka_unit_test(named_threads_only),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
