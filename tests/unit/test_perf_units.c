/* Threads and CPUs with their counters: opening in slices, limits, focus. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "perf_units_fixture.h"

static const bool two_on[GROUPS] = {true, true, false};

/* ---- slices and limits ---- */

static void opening_goes_on_while_it_is_read(void **state) {
    (void)state;
    pid_t pid = start(be_many);
    struct run r;
    await_threads(pid, 40);
    run_begin(&r, pid, all_on, UINT32_MAX);
    uint32_t all = r.pu.n;
    assert_int_equal(perf_units_open(&r.pu, 0), -EAGAIN); /* one, and time is up */
    assert_int_equal(perf_units_counted(&r.pu), 1);
    assert_int_equal(perf_units_present(&r.pu), all);
    perf_units_read(&r.pu);
    int reads = 0;
    for (; r.pu.next < r.pu.n && reads < 100; reads++) {
        perf_units_maintain(&r.pu, false, 0);
        perf_units_read(&r.pu);
    }
    assert_true(reads >= 30 && reads < 100); /* a unit per slice of no time at all */
    assert_int_equal(perf_units_counted(&r.pu), all);
    assert_int_equal(r.pu.n_fd, all * COUNTERS);
    run_close(&r);
    end(pid);
}

/* One of three busy threads is open; an interval of it. Returns what the process used, in ns. */
static double measure_one_of_three(struct run *r, pid_t pid, uint32_t most) {
    await_threads(pid, 3);
    run_begin(r, pid, all_on, most);
    int rc = perf_units_open(&r->pu, most == 1 ? FOREVER : 0);
    assert_int_equal(rc, most == 1 ? 0 : -EAGAIN);
    assert_int_equal(perf_units_counted(&r->pu), 1);
    assert_int_equal(perf_units_present(&r->pu), threads_of(pid));
    perf_units_read(&r->pu);
    halt(pid);
    perf_units_read(&r->pu);
    double before = cpu_ns(pid);
    kill(pid, SIGCONT);
    sleep_ms(150);
    halt(pid);
    perf_units_read(&r->pu);
    return cpu_ns(pid) - before;
}

/* What is not open yet is taken to do like the rest: the sum is that of the whole process. */
static void threads_that_are_not_open_yet_are_estimated(void **state) {
    (void)state;
    pid_t pid = start(be_three);
    struct run r;
    double used = measure_one_of_three(&r, pid, UINT32_MAX);
    assert_true(agrees(r.pu.value[CLOCK], used, 0.05));
    assert_true(agrees((double)r.pu.span_ns, used, 0.05));
    assert_int_equal(r.pu.part, 0);
    const struct perf_sum *sum = &r.pu.sum[TOP];
    assert_true(sum->enabled_ns >= sum->running_ns * 3 / 2); /* the duty says what was counted */
    run_close(&r);
    end(pid);
}

/* What will never be open is left out: nothing is made of the others, and it is said. */
static void threads_without_counters_are_left_out(void **state) {
    (void)state;
    pid_t pid = start(be_three);
    struct run r;
    double used = measure_one_of_three(&r, pid, 1);
    const struct perf_sum *sum = &r.pu.sum[TOP];
    assert_int_equal(r.pu.part, 100 / threads_of(pid));
    assert_int_equal(sum->enabled_ns, sum->running_ns);
    assert_true(agrees(r.pu.value[CLOCK], (double)sum->running_ns, 0.01));
    assert_int_equal(r.pu.span_ns, sum->running_ns);
    assert_true(r.pu.value[CLOCK] < 0.8 * used);
    run_close(&r);
    end(pid);
}

static int with_few_files(pid_t pid) {
    struct rlimit lim = {.rlim_cur = 64, .rlim_max = 64};
    struct run r;
    setrlimit(RLIMIT_NOFILE, &lim);
    run_begin(&r, pid, all_on, UINT32_MAX);
    if (perf_units_open(&r.pu, FOREVER))
        return 1;
    uint32_t n = perf_units_counted(&r.pu);
    if (n < 5 || n > 12 || !r.pu.too_many_fds || perf_units_present(&r.pu) < 40)
        return 2;
    if (perf_units_focus(&r.pu, top_on, FOREVER)) /* fewer always can */
        return 3;
    if (perf_units_focus(&r.pu, all_on, FOREVER)) /* and as many as before */
        return 4;
    run_close(&r);
    return 0;
}

static void the_kernel_has_no_descriptors(void **state) {
    (void)state;
    pid_t pid = start(be_many);
    await_threads(pid, 40);
    assert_int_equal(in_child(with_few_files, pid), 0);
    end(pid);
}

/* ---- focus ---- */

static void what_is_off_is_closed(void **state) {
    (void)state;
    pid_t pid = start(be_many);
    struct run r;
    await_threads(pid, 40);
    run_open(&r, pid, top_on);
    uint32_t n = r.pu.n;
    assert_int_equal(r.pu.n_fd, n * 2);
    assert_int_equal(perf_units_need(&r.pu, two_on), n * 4);
    assert_int_equal(perf_units_focus(&r.pu, two_on, FOREVER), 0);
    assert_int_equal(r.pu.n_fd, n * 4);
    assert_int_equal(perf_units_focus(&r.pu, all_on, FOREVER), 0);
    assert_int_equal(r.pu.n_fd, n * COUNTERS);
    assert_int_equal(perf_units_focus(&r.pu, top_on, FOREVER), 0);
    assert_int_equal(r.pu.n_fd, n * 2);
    run_close(&r);
    end(pid);
}

/* The middle is one of CPU time: on a busy machine the process works when it may. */
static void await_work(pid_t pid, double ns) {
    const double begin = cpu_ns(pid);
    for (int i = 0; i < 5000 && cpu_ns(pid) < begin + ns; i++)
        sleep_ms(2);
}

/* A group opened or closed in the middle of an interval stands for all of it. */
static void focus_in_the_middle(void **state) {
    (void)state;
    static const struct {
        const char *what;
        const bool *first, *then;
    } cases[] = {{"opened", top_on, two_on}, {"closed", two_on, top_on}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        pid_t pid = start(be_busy);
        struct run r;
        run_open(&r, pid, cases[i].first);
        perf_units_read(&r.pu);
        await_work(pid, 60e6);
        assert_int_equal(perf_units_focus(&r.pu, cases[i].then, FOREVER), 0);
        await_work(pid, 60e6);
        run_read(&r, false);
        double top = r.pu.value[CLOCK], second = r.pu.value[CLOCK_2];
        if (fabs(second - top) > top * 0.03 || top < 20e6)
            fail_msg("%s: %g ms, %g ms all along", cases[i].what, second / 1e6, top / 1e6);
        const struct perf_sum *sum = &r.pu.sum[SECOND];
        assert_int_equal(sum->enabled_ns, r.pu.span_ns);
        assert_true(sum->running_ns < sum->enabled_ns * 3 / 4); /* the duty tells it */
        await_work(pid, 10e6);
        run_read(&r, false);
        const bool on = cases[i].then[SECOND];
        assert_int_equal(r.pu.sum[SECOND].reads, on ? r.pu.n : 0);
        assert_true(on == (r.pu.value[CLOCK_2] > 0));
        run_close(&r);
        end(pid);
    }
}

static void focus_is_fast_and_sliced(void **state) {
    (void)state;
    pid_t pid = start(be_many);
    struct run r;
    await_threads(pid, 40);
    run_open(&r, pid, top_on);
    perf_units_read(&r.pu);
    assert_int_equal(perf_units_focus(&r.pu, all_on, 0), 0); /* no time: one thread */
    assert_true(r.pu.next < r.pu.n && r.pu.have[SECOND] < r.pu.n);
    for (int i = 0; i < 100 && r.pu.next < r.pu.n; i++)
        run_read(&r, false);
    assert_int_equal(r.pu.have[SECOND], r.pu.n);
    assert_int_equal(perf_units_focus(&r.pu, top_on, 0), 0);
    for (int i = 0; i < 100 && r.pu.next < r.pu.n; i++)
        run_read(&r, false);
    assert_int_equal(r.pu.have[SECOND], 0);
    assert_int_equal(r.pu.n_fd, r.pu.n * 2);
    run_close(&r);
    end(pid);
}

static void too_much_focus_changes_nothing(void **state) {
    (void)state;
    pid_t pid = start(be_many);
    struct run r;
    await_threads(pid, 40);
    run_open(&r, pid, top_on);
    uint32_t fds = r.pu.n_fd;
    r.pu.room = fds + 10;
    assert_int_equal(perf_units_focus(&r.pu, all_on, FOREVER), -EMFILE);
    assert_int_equal(r.pu.n_fd, fds);
    assert_true(r.pu.on[TOP] && !r.pu.on[SECOND]);
    run_close(&r);
    end(pid);
}

static int focus_without_files(pid_t pid) {
    struct run r;
    run_open(&r, pid, top_on);
    uint32_t fds = r.pu.n_fd;
    struct rlimit lim = {.rlim_cur = fds + 20, .rlim_max = fds + 20};
    setrlimit(RLIMIT_NOFILE, &lim);
    perf_units_read(&r.pu);
    sleep_ms(30);
    if (perf_units_focus(&r.pu, all_on, FOREVER) != -EMFILE)
        return 1;
    if (r.pu.n_fd != fds || r.pu.have[TOP] != r.pu.n || r.pu.have[SECOND])
        return 2;
    for (int i = 0; i < 50 && r.total[CLOCK] < 1e6; i++) {
        sleep_ms(10);
        run_read(&r, false);
    }
    return r.total[CLOCK] > 1e6 ? 0 : 3;
}

/* The limit was said to be higher than it is. */
static void focus_that_the_kernel_refuses(void **state) {
    (void)state;
    pid_t pid = start(be_many);
    await_threads(pid, 40);
    assert_int_equal(in_child(focus_without_files, pid), 0);
    end(pid);
}

static double read_took(struct run *r) {
    const uint64_t begin = clock_now_ns();
    run_read(r, false);
    return (double)(clock_now_ns() - begin);
}

/* A group that is opened late sees all threads of that time, and those that they start. */
static void late_groups_are_inherited(void **state) {
    (void)state;
    pid_t pid = start(be_restless);
    struct run r;
    run_open(&r, pid, top_on);
    perf_units_read(&r.pu);
    sleep_ms(20);
    assert_int_equal(perf_units_focus(&r.pu, two_on, FOREVER), 0);
    double took_before = read_took(&r);
    for (int i = 0; i < 3; i++) {
        sleep_ms(40);
        const double took = read_took(&r);
        double top = r.pu.value[CLOCK], second = r.pu.value[CLOCK_2];
        /* One group is read after the other, and we may lose the CPU between them. */
        if (fabs(top - second) > 0.05 * top + 1e6 + took + took_before)
            fail_msg("%g ms, %g ms; read in %g and %g ms", top / 1e6, second / 1e6,
                     took_before / 1e6, took / 1e6);
        took_before = took;
    }
    run_close(&r);
    end(pid);
}

/* ---- CPUs ---- */

/*
 * CPUs are enabled all the time, however busy the machine is; but it may come between a read and
 * our look at the clock. Then once more.
 */
static uint64_t enabled_in_20_ms(struct perf_units *pu, uint64_t *elapsed) {
    uint64_t shortest, longest;
    int tries = 0;
    do {
        uint64_t a = clock_now_ns();
        perf_units_read(pu);
        uint64_t b = clock_now_ns();
        sleep_ms(20);
        uint64_t c = clock_now_ns();
        perf_units_read(pu);
        longest = clock_now_ns() - a;
        shortest = c - b;
    } while (longest - shortest > shortest / 10 && ++tries < 100);
    *elapsed = shortest;
    return pu->sum[TOP].enabled_ns;
}

static void a_cpu_that_goes_and_comes_back(void **state) {
    (void)state;
    int cpu[2] = {0, 1};
    struct target_set ts = {.kind = TARGET_CPUS, .cpu = cpu, .n_cpu = 2};
    struct perf_units pu = {.target = &ts, .shape = &shape};
    assert_int_equal(perf_units_begin(&pu), 0);
    perf_units_limit(&pu, top_on, UINT32_MAX, COUNT_NOT_FOCUSED);
    int rc = sysconf(_SC_NPROCESSORS_ONLN) < 2 ? -ENODEV : perf_units_open(&pu, FOREVER);
    if (rc) {
        print_message("SKIP a_cpu_that_goes_and_comes_back: two CPUs cannot be counted (%s)\n",
                      strerror(-rc));
        perf_units_close(&pu);
        skip();
    }
    uint64_t elapsed, both = enabled_in_20_ms(&pu, &elapsed);
    assert_true(both > elapsed * 3 / 2);
    perf_units_online(&pu, cpu, 1); /* CPU 1 is gone */
    assert_int_equal(pu.n_offline, 1);
    assert_int_equal(pu.n_fd, 2);
    uint64_t one = enabled_in_20_ms(&pu, &elapsed);
    assert_int_equal(pu.sum[TOP].reads, 1);
    assert_true(one > elapsed / 2 && one < elapsed * 5 / 4);
    perf_units_online(&pu, cpu, 2);
    assert_int_equal(pu.n_offline, 0);
    assert_int_equal(pu.n_fd, 4);
    sleep_ms(20);
    perf_units_read(&pu);
    assert_int_equal(pu.sum[TOP].reads, 2);
    assert_true(pu.unit[1].partial);
    perf_units_close(&pu);
}

/* ---- a cgroup ---- */

/* Where cgroups of version 2 are; "" if nowhere. */
static void find_cgroups(char *path, size_t cap) {
    char line[512], at[256], type[32];
    FILE *f = fopen("/proc/mounts", "r");
    path[0] = '\0';
    while (f && !path[0] && fgets(line, sizeof(line), f))
        if (sscanf(line, "%*s %255s %31s", at, type) == 2 && strcmp(type, "cgroup2") == 0)
            snprintf(path, cap, "%s/tdtop-test-%d", at, (int)getpid());
    if (f)
        fclose(f);
}

static int move_into(const char *cgroup, pid_t pid) {
    char path[400];
    snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
    FILE *f = fopen(path, "w");
    int rc = f && fprintf(f, "%d", (int)pid) > 0 ? 0 : -1;
    if (f && fclose(f))
        rc = -1;
    return rc;
}

static void skip_because(const char *why) {
    print_message("SKIP only_the_tasks_of_a_cgroup: %s\n", why);
    skip();
}

/* Counted on every CPU, but only while one of its tasks is there. */
static void only_the_tasks_of_a_cgroup(void **state) {
    (void)state;
    char path[320];
    find_cgroups(path, sizeof(path));
    if (!path[0] || mkdir(path, 0755))
        skip_because("no cgroup of version 2 can be made here");
    pid_t in = start(be_busy), out = start(be_busy);
    int cpu[256], n = (int)sysconf(_SC_NPROCESSORS_ONLN);
    for (int i = 0; i < n && i < 256; i++)
        cpu[i] = i;
    struct target_set ts = {
        .kind = TARGET_CGROUP, .cpu = cpu, .n_cpu = n, .cgroup_fd = open(path, O_RDONLY)};
    struct perf_units pu = {
        .target = &ts, .shape = &shape, .mode = {.cgroup = true, .cgroup_fd = ts.cgroup_fd}};
    int rc = move_into(path, in);
    if (!rc)
        rc = perf_units_begin(&pu);
    if (!rc) {
        perf_units_limit(&pu, top_on, UINT32_MAX, COUNT_NOT_FOCUSED);
        rc = perf_units_open(&pu, FOREVER);
    }
    double used = 0;
    if (!rc) {
        halt(in);
        perf_units_read(&pu);
        used = cpu_ns(in);
        kill(in, SIGCONT);
        sleep_ms(100);
        halt(in);
        perf_units_read(&pu);
        used = cpu_ns(in) - used;
    }
    double seen = rc ? NAN : pu.value[CLOCK];
    perf_units_close(&pu);
    end(in);
    end(out);
    close(ts.cgroup_fd);
    rmdir(path);
    if (rc)
        skip_because("the kernel counts no cgroups");
    if (used < 5e6 || !agrees(seen, used, 0.05))
        fail_msg("%g ms seen, %g ms used", seen / 1e6, used / 1e6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opening_goes_on_while_it_is_read),
        cmocka_unit_test(threads_that_are_not_open_yet_are_estimated),
        cmocka_unit_test(threads_without_counters_are_left_out),
        cmocka_unit_test(the_kernel_has_no_descriptors),
        cmocka_unit_test(what_is_off_is_closed),
        cmocka_unit_test(focus_in_the_middle),
        cmocka_unit_test(focus_is_fast_and_sliced),
        cmocka_unit_test(too_much_focus_changes_nothing),
        cmocka_unit_test(focus_that_the_kernel_refuses),
        cmocka_unit_test(late_groups_are_inherited),
        cmocka_unit_test(a_cpu_that_goes_and_comes_back),
        cmocka_unit_test(only_the_tasks_of_a_cgroup),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
