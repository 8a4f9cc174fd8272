/* Rows: what single threads and CPUs did. */
#include "pmu/source.h"

#include "base/clock.h"
#include "base/str.h"
#include "pmu/host/procfs.h"
#include "pmu/perf/perf_rows.h"
#include "pmu/perf/perf_slots.h"
#include "pmu/perf/source_perf.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "count_malloc.h"
#include "perf_source_fixture.h"

static void wait_for_signal(int number) {
    (void)number;
}

static void *wait_and_end(void *arg) {
    pause();
    return arg;
}

/* A thread that ends at a signal; the first one blocks it and stays. */
static void be_brief(void) {
    sigset_t one;
    pthread_t t;
    signal(SIGUSR1, wait_for_signal);
    if (pthread_create(&t, NULL, wait_and_end, NULL))
        _exit(1);
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &one, NULL);
    be_idle();
}

static void await_two(pid_t pid) {
    for (int i = 0; i < 500 && threads_of(pid) < 2; i++)
        sleep_ms(1);
    sleep_ms(20); /* it waits */
}

/* The youngest thread. */
static pid_t other_thread(pid_t pid) {
    pid_t *tids = NULL;
    int cap = 0, n = target_tids(pid, &tids, &cap);
    assert_true(n >= 2);
    pid_t last = tids[n - 1];
    free(tids);
    return last;
}

static const struct unit_row *row_of(const struct unit_table *t, pid_t tid) {
    for (uint32_t i = 0; i < t->n; i++)
        if (t->row[i].tid == tid)
            return &t->row[i];
    return NULL;
}

/* CPU time in a row by the counter of the clock, in seconds. */
static double row_clock_s(const struct run *r, const struct unit_table *t, uint32_t row) {
    for (uint32_t k = 0; k < t->n_slot; k++)
        if ((int)t->slot[k] == slot_of(r, "task_clock"))
            return t->value[(size_t)row * t->n_slot + k] / 1e9;
    return NAN;
}

/* A sanitizer may have a thread of its own among them: then the last one is still to come. */
static void await_all(pid_t pid, int n) {
    await_threads(pid, n);
    sleep_ms(100);
}

/* However slow the host is, and a sanitizer: all threads are read. */
static void read_rows(struct run *r, struct unit_table *t) {
    struct perf *p = r->src.priv;
    p->rows.budget_ns = 10 * NS_PER_S;
    assert_int_equal(run_read(r), 0);
    assert_int_equal(r->src.ops->units(&r->src, t), 0);
}

/* Each thread has a row with its name and its time, and together they are the process. */
static void a_row_per_thread(void **state) {
    (void)state;
    pid_t pid = start_halted(be_late); /* its threads begin when it has been looked at */
    struct unit_table t = {0};
    struct run r;
    int first = threads_of(pid);
    assert_int_equal(run_open_pid(&r, pid), 0);
    assert_int_equal(r.src.ops->start(&r.src, &r.err), 0);
    read_rows(&r, &t);
    assert_true((int)t.n >= first);
    assert_true(t.row[0].begins); /* what /proc says is compared with nothing yet */
    kill(pid, SIGCONT);
    bool fresh = false; /* two threads begin; when they are looked for depends on the load */
    for (int i = 0; i < 100 && (int)t.n < first + 2; i++) {
        sleep_ms(20);
        read_rows(&r, &t);
        fresh |= t.n > 0 && t.row[t.n - 1].fresh;
    }
    assert_true((int)t.n >= first + 2); /* a sanitizer may add one of its own */
    assert_true(fresh);
    read_rows(&r, &t);
    sleep_ms(100);
    read_rows(&r, &t);
    double sum = 0;
    for (uint32_t i = 0; i < t.n; i++) {
        const struct unit_row *row = &t.row[i];
        assert_int_equal(row->pid, pid);
        assert_string_equal(row->comm, "test_perf_rows");
        assert_true(!row->fresh && !row->ended && !row->begins && row->cpu >= 0);
        if (fabs(row->busy - row_clock_s(&r, &t, i)) > 0.01 * row->busy + 0.001)
            fail_msg("thread %d: %g s, its clock %g s", (int)row->tid, row->busy,
                     row_clock_s(&r, &t, i));
        sum += row->busy;
    }
    double all = r.sample.at[slot_of(&r, "task_clock")].value / 1e9;
    if (fabs(sum - all) > 0.01 * all + 0.001 || all < 0.005)
        fail_msg("%g s in rows, %g s in all", sum, all);
    assert_int_equal(t.n_hidden, 0);
    unit_table_destroy(&t);
    run_close(&r);
    end(pid);
}

/* A thread that ends has a last row, which says so. */
static void a_thread_that_ends_has_a_last_row(void **state) {
    (void)state;
    pid_t pid = start(be_brief);
    struct unit_table t = {0};
    struct run r;
    await_two(pid);
    pid_t tid = other_thread(pid);
    assert_int_equal(run_open_pid(&r, pid), 0);
    assert_int_equal(r.src.ops->start(&r.src, &r.err), 0);
    read_rows(&r, &t);
    assert_non_null(row_of(&t, tid));
    kill(pid, SIGUSR1); /* lets it go */
    bool ended = false;
    for (int i = 0; i < 400 && !ended; i++) {
        sleep_ms(10);
        read_rows(&r, &t);
        const struct unit_row *row = row_of(&t, tid);
        assert_non_null(row);
        ended = row->ended;
    }
    assert_true(ended);
    read_rows(&r, &t);
    assert_null(row_of(&t, tid));
    unit_table_destroy(&t);
    run_close(&r);
    end(pid);
}

/* Rows of CPUs know how busy each was, and leave idle time out. */
static void a_row_per_cpu(void **state) {
    (void)state;
    struct unit_table t = {0};
    struct run r;
    if (run_open(&r, &(struct target){.kind = TARGET_ALL})) {
        print_message("SKIP a_row_per_cpu: %s\n", r.err.text);
        skip();
    }
    assert_int_equal(r.src.ops->start(&r.src, &r.err), 0);
    read_rows(&r, &t);            /* sets the beginning */
    for (int k = 0; k < 3; k++) { /* each table is of its own interval */
        burn_us(100000);
        read_rows(&r, &t);
        assert_int_equal(t.n, sysconf(_SC_NPROCESSORS_ONLN));
        double sum = 0, span = (double)(r.sample.t1_ns - r.sample.t0_ns) / 1e9;
        for (uint32_t i = 0; i < t.n; i++) {
            assert_true(t.row[i].tid == -1 && t.row[i].cpu == (int)i);
            assert_true(t.row[i].busy >= 0 && t.row[i].busy <= span + 0.03);
            sum += t.row[i].busy;
        }
        assert_true(sum >= 0.07); /* steps of 10 ms */
    }
    unit_table_destroy(&t);
    run_close(&r);
}

/* Sum over the rows of what /proc says of an event. */
static double rows_sum(const struct run *r, const struct unit_table *t, const char *event) {
    double sum = 0;
    for (uint32_t i = 0; i < t->n; i++)
        for (uint32_t k = 0; k < t->n_slot; k++)
            if ((int)t->slot[k] == slot_of(r, event))
                sum += t->value[(size_t)i * t->n_slot + k];
    return sum;
}

/* Threads that sleep are not read: what all have waited is nevertheless what the kernel says. */
static void rows_wait_as_long_as_their_process(void **state) {
    (void)state;
    pid_t pid = start(be_mixed);
    struct unit_table t = {0};
    struct run r;
    double sum = 0;
    await_all(pid, mixed_threads());
    halt(pid);
    const double before = waited_ns(pid);
    assert_int_equal(run_open_pid(&r, pid), 0);
    assert_int_equal(r.src.ops->start(&r.src, &r.err), 0);
    read_rows(&r, &t); /* sets the beginning */
    kill(pid, SIGCONT);
    for (int i = 0; i < 10; i++) {
        sleep_ms(20);
        if (i == 9)
            halt(pid);
        read_rows(&r, &t);
        const double rows = rows_sum(&r, &t, "run_wait_ns");
        assert_true(rows == r.sample.at[slot_of(&r, "run_wait_ns")].value);
        sum += rows;
    }
    const double waited = waited_ns(pid) - before;
    if (sum != waited || waited < 1e6)
        fail_msg("%.0f ns in the rows, the kernel says %.0f", sum, waited);
    unit_table_destroy(&t);
    run_close(&r);
    end(pid);
}

static void *rename_it(void *arg) {
    pthread_t *sleeper = arg;
    pause(); /* until a signal */
    pthread_setname_np(*sleeper, "another name");
    return sleep_long(NULL);
}

/* A thread that sleeps is given another name by one that ran. */
static void be_renamed(void) {
    static pthread_t sleeper, other;
    signal(SIGUSR1, wait_for_signal);
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    pthread_create(&other, NULL, rename_it, &sleeper);
    pthread_sigmask(SIG_BLOCK, &one, NULL);
    pthread_create(&sleeper, NULL, sleep_long, NULL);
    be_idle();
}

/* A round of names is over: the next table reads them. */
static void names_are_due(struct run *r) {
    struct perf *p = r->src.priv;
    p->rows.names_ns = 1;
}

static void a_sleeper_is_renamed(void **state) {
    (void)state;
    pid_t pid = start(be_renamed);
    struct unit_table t = {0};
    struct run r;
    char comm[32] = "";
    await_all(pid, 3);
    pid_t tid = other_thread(pid);
    assert_int_equal(run_open_pid(&r, pid), 0);
    assert_int_equal(r.src.ops->start(&r.src, &r.err), 0);
    read_rows(&r, &t);
    assert_string_equal(row_of(&t, tid)->comm, "test_perf_rows");
    kill(pid, SIGUSR1);
    for (int i = 0; i < 2000 && strcmp(comm, "another name") != 0; i++) {
        char path[64];
        snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", (int)pid, (int)tid);
        sleep_ms(1);
        assert_true(str_read_small(path, comm, sizeof(comm)) > 0);
    }
    read_rows(&r, &t); /* one has run */
    names_are_due(&r);
    read_rows(&r, &t);
    assert_string_equal(row_of(&t, tid)->comm, "another name");
    names_are_due(&r);
    read_rows(&r, &t);
    names_are_due(&r);
    read_rows(&r, &t);
    struct perf *p = r.src.priv;
    assert_int_equal(p->rows.names_old, 0); /* nobody runs: nobody can change a name */
    unit_table_destroy(&t);
    run_close(&r);
    end(pid);
}

static void rows_allocate_nothing(void **state) {
    (void)state;
    pid_t pid = start(be_busy);
    char text[32];
    snprintf(text, sizeof(text), "%d", (int)pid);
    const struct target targets[] = {{.kind = TARGET_PIDS, .pids = text}, {.kind = TARGET_ALL}};
    for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
        struct unit_table t = {0};
        struct run r;
        if (run_open(&r, &targets[i])) /* CPUs are not everybody's */
            continue;
        assert_int_equal(r.src.ops->start(&r.src, &r.err), 0);
        read_rows(&r, &t);
        read_rows(&r, &t);
        unsigned long before = calls_now();
        for (int k = 0; k < 10; k++) {
            sleep_ms(5);
            read_rows(&r, &t);
        }
        assert_int_equal(calls_now(), before);
        unit_table_destroy(&t);
        run_close(&r);
    }
    end(pid);
}

/* One thread that ran is all of it, whatever ticks say; what ticks do not explain stays. */
static void rows_add_up_to_the_whole(void **state) {
    (void)state;
    static const struct {
        const char *what;
        double utime, stime, whole_u, whole_s, u, s; /* of the row that ran, in ms */
    } cases[] = {
        {"ticks", 90, 250, 80, 240, 80, 240},
        {"far off", 90, 250, 300, 240, 90, 240},
        {"the whole is not known", 90, 250, NAN, NAN, 90, 250},
    };
    struct perf_row_from from[] = {{.proc = PROC_UTIME_NS}, {.proc = -1}, {.proc = PROC_STIME_NS}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        double value[] = {cases[i].utime, 7, cases[i].stime, 0, 5, 0};
        struct unit_table t = {.n = 2, .n_slot = 3, .value = value};
        const struct perf_rows pr = {.from = from,
                                     .n = 3,
                                     .scope = PROC_OF_TASKS,
                                     .utime = cases[i].whole_u,
                                     .stime = cases[i].whole_s};
        perf_rows_agree(&pr, &t);
        if (fabs(value[0] - cases[i].u) > 1e-9 || fabs(value[2] - cases[i].s) > 1e-9)
            fail_msg("%s: %g, %g", cases[i].what, value[0], value[2]);
        assert_true(value[1] == 7 && value[3] == 0 && value[4] == 5);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_per_thread),
        cmocka_unit_test(a_thread_that_ends_has_a_last_row),
        cmocka_unit_test(a_row_per_cpu),
        cmocka_unit_test(rows_wait_as_long_as_their_process),
        cmocka_unit_test(a_sleeper_is_renamed),
        cmocka_unit_test(rows_add_up_to_the_whole),
        cmocka_unit_test(rows_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
