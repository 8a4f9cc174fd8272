/* The kernels of `tdtop selftest`: that they do their work, in this process and in one of its own,
 * and that the suite counts it. */
#include "selftest/suite.h"

#include "base/clock.h"
#include "selftest/child.h"
#include "selftest/place.h"

#include "fake_root.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>

/* Small caches: setting up takes no time, and all sizes are in proportion. */
static const struct kernel_place small = {
    .l1d = 32 << 10, .l2 = 256 << 10, .l3 = 1 << 20, .memory = 64 << 20, .cpu = {0, -1}};

/* ---- the kernels themselves ---- */

static void test_shuffle(void **state) {
    (void)state;
    static const struct {
        uint32_t n, window;
    } cases[] = {{1, 64}, {64, 64}, {1000, 64}, {4096, 64}, {100, 1000}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint32_t n = cases[i].n, window = cases[i].window, in_place = 0;
        uint32_t *order = malloc(n * sizeof(*order));
        bool *seen = calloc(n, sizeof(*seen));
        kernel_shuffle(order, n, window);
        for (uint32_t k = 0; k < n; k++) {
            assert_true(order[k] < n);
            assert_false(seen[order[k]]);
            seen[order[k]] = true;
            in_place += order[k] == k;
            if (k % window) /* a window is left only at its end */
                assert_int_equal(order[k] / window, order[k - 1] / window);
        }
        if (n > 1)
            assert_true(in_place < n / 2);
        free(order);
        free(seen);
    }
}

/* CPUs that we may use: at most two. */
static int allowed_cpus(int cpu[2]) {
    cpu_set_t set;
    int n = 0;
    if (sched_getaffinity(0, sizeof(set), &set) < 0)
        return 0;
    for (int i = 0; i < CPU_SETSIZE && n < 2; i++)
        if (CPU_ISSET(i, &set))
            cpu[n++] = i;
    return n;
}

static struct kernel_place small_here(void) {
    struct kernel_place p = small;
    int cpu[2] = {0, -1};
    int n = allowed_cpus(cpu);
    p.cpu[0] = cpu[0];
    p.cpu[1] = n == 2 ? cpu[1] : -1;
    return p;
}

/* Runs rounds for at least 20 ms. Returns how many. */
static uint64_t run_20_ms(const struct kernel *k, struct kernel_run *run) {
    uint64_t n = 0, begin = clock_now_ns();
    do
        k->round(run);
    while (++n && clock_now_ns() - begin < 20 * NS_PER_MS);
    return n;
}

static void test_kernels_work(void **state) {
    (void)state;
    struct kernel_place place = small_here();
    for (size_t i = 0; i < kernel_count; i++) {
        const struct kernel *k = &kernels[i];
        struct kernel_run run = {.place = &place};
        struct err err = {0};
        if (kernel_prepare(k, &run, &err) == 0) {
            uint64_t before = run.sum;
            assert_true(run_20_ms(k, &run) > 0);
            if (run.sum == before)
                fail_msg("%s did nothing", k->name);
        } else if (strcmp(k->name, "contend") != 0 || place.cpu[1] >= 0) {
            fail_msg("%s: %s", k->name, err.text);
        }
        kernel_finish(k, &run);
    }
}

/* The same work has the same sum: nothing is left out, and nothing depends on time. */
static void test_sums_repeat(void **state) {
    (void)state;
    static const char *const names[] = {"branches", "divide",   "integer", "vector", "code",
                                        "stores",   "chase-l2", "busy",    "faults"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const struct kernel *k = kernel_find(names[i]);
        uint64_t sum[2];
        assert_non_null(k);
        for (int n = 0; n < 2; n++) {
            struct kernel_run run = {.place = &small};
            assert_int_equal(kernel_prepare(k, &run, NULL), 0);
            k->round(&run);
            k->round(&run);
            sum[n] = run.sum;
            kernel_finish(k, &run);
        }
        if (sum[0] != sum[1])
            fail_msg("%s: %llx and %llx", names[i], (unsigned long long)sum[0],
                     (unsigned long long)sum[1]);
    }
}

/* One ring through every node, and as much memory as it was told. */
static void test_chase_visits_all(void **state) {
    (void)state;
    static const struct {
        const char *kernel;
        size_t size;
    } cases[] = {{"chase-dram", 16 << 20}, {"chase-l2", 128 << 10}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct kernel *k = kernel_find(cases[i].kernel);
        struct kernel_run run = {.place = &small};
        assert_int_equal(kernel_prepare(k, &run, NULL), 0);
        assert_int_equal(run.size, cases[i].size);
        size_t n = 0;
        void *const *at = run.state;
        do {
            at = *at;
            n++;
        } while (at != run.state && n <= run.size);
        assert_int_equal(n, run.size / (2 * KERNEL_LINE));
        kernel_finish(k, &run);
    }
}

/* Every line of the emitted code ran, in each round. */
static void test_code_runs_all_lines(void **state) {
    (void)state;
    const struct kernel *k = kernel_find("code");
    struct kernel_run run = {.place = &small};
    struct err err = {0};
    if (kernel_prepare(k, &run, &err) < 0) {
        print_message("SKIP code: %s\n", err.text);
        kernel_finish(k, &run);
        return;
    }
    size_t lines = run.size / KERNEL_LINE;
    assert_int_equal(run.size, 1 << 20);
    for (uint64_t i = 1; i <= 3; i++) {
        k->round(&run);
        assert_int_equal(run.sum, 2 * lines * i);
    }
    kernel_finish(k, &run);
}

/* What does not fit is said, not measured wrongly. */
static void test_prepare_refuses(void **state) {
    (void)state;
    static const struct {
        const char *kernel;
        struct kernel_place place;
        int rc;
        const char *words;
    } cases[] = {
        {"chase-dram",
         {.l1d = 1, .l2 = 1, .l3 = 64 << 20, .memory = 96 << 20},
         -ENOMEM,
         "the last cache has 64 MB"},
        {"stores",
         {.l1d = 1, .l2 = 1, .l3 = 64 << 20, .memory = 96 << 20},
         -ENOMEM,
         "only 96 MB may be taken"},
        {"chase-l2", {.l1d = 64 << 10, .l2 = 128 << 10}, -ENOTSUP, "nothing fits between them"},
        {"contend", {.cpu = {0, -1}}, -ENOTSUP, "two cores"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct kernel *k = kernel_find(cases[i].kernel);
        struct kernel_run run = {.place = &cases[i].place};
        struct err err = {0};
        int rc = kernel_prepare(k, &run, &err);
        if (rc != cases[i].rc || !strstr(err.text, cases[i].words))
            fail_msg("%s: %d, '%s'", cases[i].kernel, rc, err.text);
        kernel_finish(k, &run);
    }
}

/* ---- in a process of its own ---- */

struct seen {
    struct child_usage usage;
    uint64_t rounds;
};

/* A counted kernel from beginning to end. */
static struct seen run_counted(const char *name) {
    const struct kernel *k = kernel_find(name);
    struct kernel_place place = small_here();
    struct child c;
    struct err err = {0};
    struct seen seen;
    if (child_start(&c, k, &place, &err) < 0)
        fail_msg("%s: %s", name, err.text);
    assert_int_equal(child_state(&c), CHILD_READY);
    assert_int_equal(child_rounds(&c), 0);
    const uint64_t begin = clock_now_ns();
    child_go(&c);
    while (child_state(&c) == CHILD_READY && clock_now_ns() - begin < 30 * NS_PER_S)
        usleep(1000);
    assert_int_equal(child_state(&c), CHILD_DONE);
    assert_true(child_rounds(&c) > 0);
    seen.rounds = child_rounds(&c);
    if (child_stop(&c, &seen.usage, &err) < 0)
        fail_msg("%s: %s", name, err.text);
    return seen;
}

/* ThreadSanitizer keeps a shadow of the memory that is touched, with faults of its own. */
#if defined(__SANITIZE_THREAD__)
#define WITH_SHADOW 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WITH_SHADOW 1
#endif
#endif
#ifndef WITH_SHADOW
#define WITH_SHADOW 0
#endif

/* As many as it was made for; a little more comes along, on a busy machine more switches. */
static void test_known_counts(void **state) {
    (void)state;
    struct seen faults = run_counted("faults"), switches = run_counted("switches");
    uint64_t want = kernel_find("faults")->per_round * faults.rounds;
    assert_int_equal(faults.rounds, kernel_find("faults")->rounds);
    uint64_t most = WITH_SHADOW ? 8 * want : want + want / 100 + 16;
    assert_in_range(faults.usage.minor_faults, want, most);
    want = kernel_find("switches")->per_round * switches.rounds;
    assert_int_equal(switches.rounds, kernel_find("switches")->rounds);
    assert_in_range(switches.usage.switches, want, 2 * want);
    assert_true(switches.usage.cpu_ns > 0 && switches.usage.wall_ns > 0);
}

static void test_child_steady(void **state) {
    (void)state;
    struct kernel_place place = small_here();
    struct child c;
    struct child_usage u;
    struct err err = {0};
    assert_int_equal(child_start(&c, kernel_find("syscalls"), &place, &err), 0);
    uint64_t before = child_rounds(&c); /* it runs from the beginning, to warm up */
    assert_true(before > 0);
    usleep(50000);
    assert_true(child_rounds(&c) > before);
    assert_int_equal(child_stop(&c, &u, &err), 0);
    assert_true(u.wall_ns >= 50 * NS_PER_MS);
    assert_true(u.cpu_ns > 0 && u.cpu_ns <= u.wall_ns + 10 * NS_PER_MS);
}

/* One that cannot run says why; one that dies is noticed; nothing hangs. */
static void test_child_fails(void **state) {
    (void)state;
    struct kernel_place place = small_here();
    struct child c;
    struct err err = {0};
    place.cpu[1] = -1;
    assert_int_equal(child_start(&c, kernel_find("contend"), &place, &err), -ENOTSUP);
    assert_non_null(strstr(err.text, "two cores"));

    assert_int_equal(child_start(&c, kernel_find("busy"), &place, &err), 0);
    assert_int_equal(child_stop(&c, NULL, &err), 0); /* never told to go */

    static const struct {
        int sig, rc;
        const char *words;
    } deaths[] = {{SIGKILL, -ENOMEM, "killed"}, {SIGTERM, -ECHILD, "signal 15"}};
    for (size_t i = 0; i < COUNT_OF(deaths); i++) {
        assert_int_equal(child_start(&c, kernel_find("busy"), &place, &err), 0);
        kill(c.pid, deaths[i].sig);
        uint64_t begin = clock_now_ns();
        while (child_state(&c) != CHILD_FAILED && clock_now_ns() - begin < 5 * NS_PER_S)
            usleep(1000);
        assert_int_equal(child_state(&c), CHILD_FAILED);
        assert_int_equal(child_stop(&c, NULL, &err), deaths[i].rc);
        assert_non_null(strstr(err.text, deaths[i].words));
    }
}

/* ---- the whole ---- */

/* Faults need no PMU: the suite's numbers are the kernel's own wherever software events are
 * allowed. */
static void test_suite_counts_faults(void **state) {
    (void)state;
    struct suite s;
    struct suite_result r;
    struct model_places places = {0};
    struct err err = {0};
    if (suite_open(&s, NULL, "software", &places, &err) < 0)
        fail_msg("%s", err.text);
    suite_run(&s, kernel_find("faults"), &r);
    if (r.said.verdict == VERDICT_SKIPPED)
        print_message("SKIP faults: %s\n", r.said.why);
    else if (r.said.verdict != VERDICT_OK)
        fail_msg("%s; %s; %s", r.said.expected, r.said.measured, r.said.why);
    suite_run(&s, kernel_find("divide"), &r);
    assert_int_equal(r.said.verdict, VERDICT_SKIPPED);
    assert_non_null(strstr(r.said.why, "do not see the pipeline"));
    suite_close(&s);
}

static void put_caches(int cpu, const char *siblings) {
    static const char *const files[][2] = {
        {"cache/index0/level", "1\n"},          {"cache/index0/type", "Data\n"},
        {"cache/index0/size", "48K\n"},         {"cache/index1/level", "1\n"},
        {"cache/index1/type", "Instruction\n"}, {"cache/index1/size", "64K\n"},
        {"cache/index2/level", "2\n"},          {"cache/index2/type", "Unified\n"},
        {"cache/index2/size", "2048K\n"},       {"cache/index3/level", "3\n"},
        {"cache/index3/type", "Unified\n"},     {"cache/index3/size", "105M\n"},
    };
    char path[256];
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        snprintf(path, sizeof(path), CPU_DIR "cpu%d/%s", cpu, files[i][0]);
        put(path, files[i][1]);
    }
    snprintf(path, sizeof(path), CPU_DIR "cpu%d/topology/thread_siblings_list", cpu);
    put(path, siblings);
}

static void test_place(void **state) {
    (void)state;
    struct kernel_place p;
    struct err err = {0};
    int cpu[2], n = allowed_cpus(cpu);
    char list[32], own[2][32];
    snprintf(list, sizeof(list), n == 2 ? "%d,%d" : "%d", cpu[0], cpu[1]);
    for (int i = 0; i < n; i++) {
        snprintf(own[i], sizeof(own[i]), "%d\n", cpu[i]);
        put_caches(cpu[i], own[i]);
    }
    put("/proc/meminfo", "MemTotal: 9000000 kB\nMemFree: 1 kB\nMemAvailable:  3145728 kB\n");
    assert_int_equal(place_find(&p, root, list, &err), 0);
    assert_int_equal(p.l1d, 48 << 10);
    assert_int_equal(p.l2, 2 << 20);
    assert_int_equal(p.l3, 105 << 20);
    assert_int_equal(p.memory, 1 << 30);
    assert_true(p.cpu[0] == cpu[0] || p.cpu[0] == cpu[n - 1]);
    if (n == 2)
        assert_int_equal(p.cpu[1], p.cpu[0] == cpu[0] ? cpu[1] : cpu[0]);

    for (int i = 0; i < n; i++) /* now they are threads of one core */
        put_caches(cpu[i], list);
    assert_int_equal(place_find(&p, root, list, &err), 0);
    assert_int_equal(p.cpu[1], -1);

    assert_int_equal(place_find(&p, root, "4000", &err), -ENODEV);
    assert_non_null(strstr(err.text, "4000"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shuffle),
        cmocka_unit_test(test_kernels_work),
        cmocka_unit_test(test_sums_repeat),
        cmocka_unit_test(test_chase_visits_all),
        cmocka_unit_test(test_code_runs_all_lines),
        cmocka_unit_test(test_prepare_refuses),
        cmocka_unit_test(test_known_counts),
        cmocka_unit_test(test_child_steady),
        cmocka_unit_test(test_child_fails),
        cmocka_unit_test(test_suite_counts_faults),
        cmocka_unit_test_setup_teardown(test_place, make_root, remove_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
