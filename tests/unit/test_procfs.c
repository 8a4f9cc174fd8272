#include "pmu/host/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "perf_children.h"

/* All but the clock, which processes of paper do not have. */
static const bool all[PROC_EVENTS] = {true, true, true, true, false, true, true, true};
static char root[64];

static int make_root(void **state) {
    (void)state;
    snprintf(root, sizeof(root), "/tmp/tdtop-proc.XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state) {
    (void)state;
    char cmd[96];
    snprintf(cmd, sizeof(cmd), "rm -rf '%s'", root);
    return system(cmd);
}

/* Rewrites in place, as /proc does: descriptors stay valid. */
static void put(const char *path, const char *text) {
    char full[512];
    snprintf(full, sizeof(full), "%s%s", root, path);
    for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')); p++) {
        *p = '\0';
        mkdir(full, 0755);
        *p = '/';
    }
    FILE *f = fopen(full, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static struct target_process seven[] = {{.pid = 7, .pidfd = -1}};
static struct target_set one = {.kind = TARGET_PIDS, .process = seven, .n_process = 1};

static void names_are_found(void **state) {
    (void)state;
    assert_int_equal(proc_event_find("utime_ns"), PROC_UTIME_NS);
    assert_int_equal(proc_event_find("threads"), PROC_THREADS);
    assert_int_equal(proc_event_find("nonsense"), -1);
}

/* A comm with a ')' and spaces; threads that come, stay and go. */
static void a_process_of_paper(void **state) {
    (void)state;
    put("/7/stat", "7 (a) R 1) S 1 7 7 0 -1 0 0 0 0 0 100 50 0 0 20 0 2 0 1 0 0\n");
    put("/7/task/7/schedstat", "1000 200 3\n");
    put("/7/task/8/schedstat", "5000 300 4\n");
    struct procfs pf;
    struct count c[PROC_EVENTS];
    uint64_t tick = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
    assert_int_equal(procfs_open(&pf, root, &one, all), 0);
    procfs_read(&pf, NULL, c); /* the beginning */
    assert_true(c[PROC_THREADS].value == 2);

    put("/7/stat", "7 (a) R 1) S 1 7 7 0 -1 0 6 70 2 80 103 51 0 0 20 0 2 0 1 0 0\n");
    put("/7/task/7/schedstat", "1000 250 9\n");
    put("/7/task/9/schedstat", "1 40 1\n"); /* appears: counts from its start */
    procfs_read(&pf, NULL, c);
    assert_true(c[PROC_UTIME_NS].value == 3.0 * (double)tick);
    assert_true(c[PROC_STIME_NS].value == 1.0 * (double)tick);
    assert_true(c[PROC_RUN_WAIT_NS].value == 90);
    assert_true(c[PROC_THREADS].value == 3);
    assert_true(c[PROC_SWITCHES].value == 7);
    assert_true(c[PROC_MINOR_FAULTS].value == 6 && c[PROC_MAJOR_FAULTS].value == 2);
    for (int i = 0; i < PROC_EVENTS; i++)
        assert_int_equal(c[i].state, all[i] ? COUNT_OK : COUNT_NOT_PLANNED);

    procfs_read(&pf, NULL, c);
    assert_true(c[PROC_UTIME_NS].value == 0 && c[PROC_RUN_WAIT_NS].value == 0 &&
                c[PROC_THREADS].value == 3);
    procfs_close(&pf);
    procfs_close(&pf);
}

static bool is_in(const void *who, pid_t tid) {
    for (const pid_t *p = who; *p; p++)
        if (*p == tid)
            return true;
    return false;
}

/* A thread that slept has no file read; what its file says counts when it has run. */
static void who_slept_is_not_read(void **state) {
    (void)state;
    static const pid_t eight[] = {8, 0}, both[] = {7, 8, 0};
    const struct proc_sleepers some = {is_in, eight}, all_sleep = {is_in, both};
    static const struct {
        const char *what, *seven, *eight;
        double waited, times;
        uint64_t of_eight;
    } cases[] = {
        {"the beginning is read in any case", "1000 200 3\n", "5000 300 4\n", NAN, NAN, 300},
        {"one slept", "1000 250 9\n", "5000 999 4\n", 50, 6, 300},
        {"both slept", "9999 9999 99\n", "5000 999 4\n", 0, 0, 300},
        {"both ran", "1000 260 10\n", "5001 350 5\n", 60, 2, 350},
    };
    const struct proc_sleepers *who[] = {&all_sleep, &some, &all_sleep, NULL};
    struct procfs pf;
    struct count c[PROC_EVENTS];
    uint64_t ns;
    put("/7/stat", "7 (x) S 1 7 7 0 -1 0 0 0 0 0 100 50 0 0 20 0 2 0 1 0 0\n");
    put("/7/task/7/schedstat", "0 0 0\n");
    put("/7/task/8/schedstat", "0 0 0\n");
    assert_int_equal(procfs_open(&pf, root, &one, all), 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        put("/7/task/7/schedstat", cases[i].seven);
        put("/7/task/8/schedstat", cases[i].eight);
        procfs_read(&pf, who[i], c);
        bool ok = i == 0 || (c[PROC_RUN_WAIT_NS].value == cases[i].waited &&
                             c[PROC_SWITCHES].value == cases[i].times);
        if (!ok || !procfs_waited(&pf, 7, 8, &ns) || ns != cases[i].of_eight)
            fail_msg("%s: waited %g, %g times", cases[i].what, c[PROC_RUN_WAIT_NS].value,
                     c[PROC_SWITCHES].value);
    }
    assert_false(procfs_waited(&pf, 7, 9, &ns) || procfs_waited(&pf, 6, 8, &ns));
    put("/7/task/9/schedstat", "1 40 1\n"); /* a new one has never been read */
    procfs_read(&pf, &(struct proc_sleepers){is_in, (pid_t[]){7, 8, 9, 0}}, c);
    assert_true(c[PROC_RUN_WAIT_NS].value == 40 && c[PROC_THREADS].value == 3);
    procfs_close(&pf);
}

static void what_is_missing_is_not_zero(void **state) {
    (void)state;
    put("/7/stat", "7 (x) S 1 7 7 0 -1 0 0 0 0 0 100 50 0 0 20 0 1 0 1 0 0\n");
    put("/7/task/7/comm", "x\n"); /* a kernel without schedstat */
    struct procfs pf;
    struct count c[PROC_EVENTS];
    assert_int_equal(procfs_open(&pf, root, &one, all), 0);
    procfs_read(&pf, NULL, c);
    procfs_read(&pf, NULL, c);
    assert_int_equal(c[PROC_UTIME_NS].state, COUNT_OK);
    assert_int_equal(c[PROC_RUN_WAIT_NS].state, COUNT_NOT_SUPPORTED);
    assert_true(isnan(c[PROC_RUN_WAIT_NS].value));
    procfs_close(&pf);
}

static void paste(char *at, const char *text) {
    memcpy(at, text, strlen(text));
}

/* Two of four CPUs; lines that are longer than any buffer of ours would like. */
static void cpus_of_paper(void **state) {
    (void)state;
    int cpu[] = {1, 3};
    struct target_set ts = {.kind = TARGET_CPUS, .cpu = cpu, .n_cpu = 2};
    static char text[200000];
    put("/stat",
        "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\ncpu1 10 1 20 99 9 2 3 9 0 0\n"
        "cpu2 1 1 1 1 1 1 1 1 0 0\ncpu3 100 0 0 0 0 0 0 0 0 0\nintr 1 2 3\ncpu1 7777 0 0\n");
    put("/loadavg", "0.15 0.11 0.06 3/99 24295\n");
    put("/schedstat", "version 15\ncpu1 0 0 0 0 0 0 500 1000 7\ncpu3 0 0 0 0 0 0 500 2000 7\n");
    struct procfs pf;
    struct count c[PROC_EVENTS];
    double tick = 1e9 / (double)sysconf(_SC_CLK_TCK);
    assert_int_equal(procfs_open(&pf, root, &ts, all), 0);
    procfs_read(&pf, NULL, c);
    assert_true(c[PROC_THREADS].value == 99);

    put("/stat",
        "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 500 1 1 1 1 1 1 1 0 0\ncpu1 11 2 21 999 99 3 4 99 0 0\n"
        "cpu2 1 1 1 1 1 1 1 1 0 0\ncpu3 105 0 0 0 0 0 0 0 0 0\nintr 1 2 3\n");
    memset(text, 'f', sizeof(text) - 1);
    paste(text, "version 15\ncpu0 0 0 0 0 0 0 1 9 7\ndomain0 ");
    paste(text + 150000, "\ncpu1 0 0 0 0 0 0 600 1001 8\ndomain0 ");
    paste(text + sizeof(text) - 40, "\ncpu3 0 0 0 0 0 0 600 2010 8\n");
    put("/schedstat", text);
    procfs_read(&pf, NULL, c);
    assert_true(c[PROC_UTIME_NS].value == 7 * tick);
    assert_true(c[PROC_STIME_NS].value == 3 * tick);
    assert_true(c[PROC_RUN_WAIT_NS].value == 11);

    /* CPU 3 goes offline and takes its line along; then the file cannot be understood; then all is
     * well. */
    static const struct {
        const char *what, *stat;
        enum count_state state;
    } then[] = {
        {"a CPU gone", "cpu1 11 2 21 999 99 3 4 99 0 0\n", COUNT_LOST},
        {"counting goes on", "cpu1 21 2 21 999 99 3 4 99 0 0\n", COUNT_OK},
        {"no line of ours", "cpu0 1 1 1 1 1 1 1 1 0 0\n", COUNT_LOST},
        {"first after a failure", "cpu1 31 2 21 999 99 3 4 99 0 0\n", COUNT_LOST},
        {"well again", "cpu1 41 2 21 999 99 3 4 99 0 0\n", COUNT_OK},
    };
    for (size_t i = 0; i < sizeof(then) / sizeof(then[0]); i++) {
        put("/stat", then[i].stat);
        procfs_read(&pf, NULL, c);
        const struct count *u = &c[PROC_UTIME_NS];
        if (u->state != then[i].state ||
            (u->state == COUNT_OK ? u->value != 10 * tick : !isnan(u->value)))
            fail_msg("%s: state %d, value %g", then[i].what, u->state, u->value);
    }
    procfs_close(&pf);
}

/* Two of the three threads of a process: what the third does is not theirs. */
static void threads_of_paper(void **state) {
    (void)state;
    struct target_thread thread[] = {{.pid = 7, .tid = 8}, {.pid = 7, .tid = 9}};
    struct target_set ts = {
        .kind = TARGET_TIDS, .process = seven, .n_process = 1, .thread = thread, .n_thread = 2};
    double tick = 1e9 / (double)sysconf(_SC_CLK_TCK);
    put("/7/stat", "7 (x) S 1 7 7 0 -1 0 0 0 0 0 999 999 0 0 20 0 3 0 1 0 0\n");
    put("/7/task/7/stat", "7 (x) S 1 7 7 0 -1 0 0 0 0 0 700 700 0 0 20 0 3 0 1 0 0\n");
    put("/7/task/7/schedstat", "1 7000 1\n");
    put("/7/task/8/stat", "8 (y) S 1 7 7 0 -1 0 0 0 0 0 10 5 0 0 20 0 3 0 1 0 0\n");
    put("/7/task/8/schedstat", "1 100 1\n");
    put("/7/task/9/stat", "9 (z) S 1 7 7 0 -1 0 0 0 0 0 20 6 0 0 20 0 3 0 1 0 0\n");
    put("/7/task/9/schedstat", "1 200 1\n");
    struct procfs pf;
    struct count c[PROC_EVENTS];
    assert_int_equal(procfs_open(&pf, root, &ts, all), 0);
    procfs_read(&pf, NULL, c);
    assert_true(c[PROC_THREADS].value == 2);
    put("/7/task/7/stat", "7 (x) S 1 7 7 0 -1 0 0 0 0 0 800 800 0 0 20 0 3 0 1 0 0\n");
    put("/7/task/8/stat", "8 (y) S 1 7 7 0 -1 0 0 0 0 0 13 6 0 0 20 0 3 0 1 0 0\n");
    put("/7/task/8/schedstat", "1 130 1\n");
    procfs_read(&pf, NULL, c);
    assert_true(c[PROC_UTIME_NS].value == 3 * tick && c[PROC_STIME_NS].value == tick);
    assert_true(c[PROC_RUN_WAIT_NS].value == 30);
    char path[128];
    snprintf(path, sizeof(path), "%s/7/task/8/stat", root);
    remove(path); /* it has ended */
    procfs_read(&pf, NULL, c);
    assert_true(c[PROC_THREADS].value == 1);
    assert_true(c[PROC_UTIME_NS].state == COUNT_OK && c[PROC_UTIME_NS].value == 0);
    procfs_close(&pf);
}

static void a_cgroup_of_paper(void **state) {
    (void)state;
    char path[128];
    put("/group/cpu.stat", "usage_usec 900\nuser_usec 500\nsystem_usec 400\nnr_periods 0\n");
    put("/group/pids.current", "6\n");
    snprintf(path, sizeof(path), "%s/group", root);
    int cpu[] = {0};
    struct target_set ts = {.kind = TARGET_CGROUP,
                            .cpu = cpu,
                            .n_cpu = 1,
                            .cgroup_fd = open(path, O_RDONLY | O_DIRECTORY)};
    struct procfs pf;
    struct count c[PROC_EVENTS];
    assert_int_equal(procfs_open(&pf, root, &ts, all), 0);
    procfs_read(&pf, NULL, c);
    put("/group/cpu.stat", "usage_usec 960\nuser_usec 550\nsystem_usec 410\nnr_periods 0\n");
    procfs_read(&pf, NULL, c);
    assert_true(c[PROC_UTIME_NS].value == 50e3 && c[PROC_STIME_NS].value == 10e3);
    assert_true(c[PROC_THREADS].value == 6);
    assert_int_equal(c[PROC_RUN_WAIT_NS].state, COUNT_NOT_SUPPORTED);
    put("/group/cpu.stat", "nothing we know\n");
    procfs_read(&pf, NULL, c);
    assert_int_equal(c[PROC_UTIME_NS].state, COUNT_LOST);
    procfs_close(&pf);

    snprintf(path, sizeof(path), "%s/group/pids.current", root);
    remove(path); /* no pids controller */
    assert_int_equal(procfs_open(&pf, root, &ts, all), 0);
    procfs_read(&pf, NULL, c);
    assert_int_equal(c[PROC_THREADS].state, COUNT_NOT_SUPPORTED);
    procfs_close(&pf);
    close(ts.cgroup_fd);
}

static atomic_bool told_end;

static void *burn(void *arg) {
    while (!atomic_load(&told_end)) {
    }
    return arg;
}

static int go[2]; /* the child reads what we write */

/* Each byte read starts three busy threads, the next one ends them. */
static void be_told(void) {
    char byte;
    pthread_t t[3];
    close(go[1]);
    while (read(go[0], &byte, 1) == 1) {
        atomic_store(&told_end, false);
        for (int i = 0; i < 3; i++)
            pthread_create(&t[i], NULL, burn, NULL);
        if (read(go[0], &byte, 1) != 1)
            break;
        atomic_store(&told_end, true);
        for (int i = 0; i < 3; i++)
            pthread_join(t[i], NULL);
    }
}

static pid_t start_told(void) {
    assert_int_equal(pipe(go), 0);
    pid_t pid = start(be_told);
    close(go[0]);
    return pid;
}

static void tell(const char *byte) {
    assert_int_equal(write(go[1], byte, 1), 1);
}

static double ns_since(const struct timespec *from) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - from->tv_sec) * 1e9 + (double)(now.tv_nsec - from->tv_nsec);
}

/* A real process: our own child, with threads that begin and end, until it has ended itself. */
static void a_real_process(void **state) {
    (void)state;
    pid_t pid = start_told();
    struct target_process p = {.pid = pid, .pidfd = -1};
    struct target_set ts = {.kind = TARGET_PIDS, .process = &p, .n_process = 1};
    struct procfs pf;
    struct count c[PROC_EVENTS];
    assert_int_equal(procfs_open(&pf, "/proc", &ts, all), 0);
    int before = 0;
    for (int i = 0; i < 100 && (i == 0 || before != threads_of(pid)); i++) {
        before = threads_of(pid); /* a sanitizer's own thread may come just now */
        procfs_read(&pf, NULL, c);
    }
    assert_true(c[PROC_THREADS].value == before);
    struct timespec from;
    clock_gettime(CLOCK_MONOTONIC, &from);
    tell("b");
    await_threads(pid, before + 3);
    await_cpu_ns(pid, 200e6);
    procfs_read(&pf, NULL, c);
    int busy = threads_of(pid); /* a sanitizer may have added one of its own */
    assert_true(c[PROC_THREADS].value == busy && busy >= before + 3);
    double used = c[PROC_UTIME_NS].value + c[PROC_STIME_NS].value;
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    if (c[PROC_RUN_WAIT_NS].state == COUNT_OK && cpus < 3)
        assert_true(c[PROC_RUN_WAIT_NS].value >
                    20e6); /* three threads, fewer CPUs: somebody waits */
    assert_true(used > 100e6 && used < ns_since(&from) * (double)cpus + 60e6); /* 10 ms ticks */
    tell("e");
    for (int i = 0; i < 10000 && c[PROC_THREADS].value != busy - 3; i++) {
        sleep_ms(1);
        procfs_read(&pf, NULL, c);
    }
    assert_true(c[PROC_THREADS].value == busy - 3);
    close(go[1]);
    waitpid(pid, NULL, 0);
    procfs_read(&pf, NULL, c);
    assert_int_equal(c[PROC_UTIME_NS].state, COUNT_NOT_COUNTED);
    assert_true(isnan(c[PROC_UTIME_NS].value));
    assert_true(c[PROC_THREADS].value == 0);
    procfs_read(&pf, NULL, c);
    assert_int_equal(c[PROC_UTIME_NS].state, COUNT_NOT_COUNTED);
    procfs_close(&pf);
}

/* Without files that stay open the numbers are the same: both look at the same threads. */
static void few_files_change_nothing(void **state) {
    (void)state;
    pid_t pid = start_told();
    struct target_process p = {.pid = pid, .pidfd = -1};
    struct target_set ts = {.kind = TARGET_PIDS, .process = &p, .n_process = 1};
    struct procfs many, few;
    struct count a[PROC_EVENTS], b[PROC_EVENTS];
    assert_int_equal(procfs_open(&many, "/proc", &ts, all), 0);
    assert_int_equal(procfs_open(&few, "/proc", &ts, all), 0);
    tell("b");
    await_threads(pid, 4);
    procfs_read(&many, NULL, a);
    procfs_read(&few, NULL, b);
    assert_true(many.kept >= 4 && few.kept >= 4);
    procfs_keep(&few, 1);
    assert_int_equal(few.kept, 1);
    sleep_ms(300);
    procfs_read(&many, NULL, a);
    procfs_read(&few, NULL, b);
    assert_int_equal(b[PROC_RUN_WAIT_NS].state, a[PROC_RUN_WAIT_NS].state);
    if (a[PROC_RUN_WAIT_NS].state == COUNT_OK) /* read one after the other */
        assert_true(fabs(b[PROC_RUN_WAIT_NS].value - a[PROC_RUN_WAIT_NS].value) <
                    0.1 * a[PROC_RUN_WAIT_NS].value + 60e6);
    tell("e");
    for (int i = 0; i < 10000 && threads_of(pid) > 3; i++)
        sleep_ms(1);
    procfs_read(&few, NULL, b); /* those that have ended are found without their files, too */
    assert_int_equal(b[PROC_RUN_WAIT_NS].state, a[PROC_RUN_WAIT_NS].state);
    assert_true(few.process[0].n_thread < 4 && few.kept <= 1);
    procfs_close(&many);
    procfs_close(&few);
    close(go[1]);
    waitpid(pid, NULL, 0);
}

/* ---- processes that the target has started ---- */

static int said[2]; /* what the target tells us: pids */

static pid_t hear(void) {
    pid_t pid;
    assert_int_equal(read(said[0], &pid, sizeof(pid)), (int)sizeof(pid));
    return pid;
}

static void say(pid_t pid) {
    if (write(said[1], &pid, sizeof(pid)) != (ssize_t)sizeof(pid))
        _exit(1);
}

static void be_busy_with_a_child(void) {
    say(start(be_busy));
    be_busy();
}

/* On one CPU: a busy child from the beginning; the first byte starts another one that has a child
 * of its own, the second ends it. */
static void be_parent(void) {
    char byte;
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof(set), &set);
    for (int cpu = CPU_SETSIZE - 1, n = CPU_COUNT(&set); cpu >= 0 && n > 1; cpu--)
        if (CPU_ISSET(cpu, &set)) {
            CPU_CLR(cpu, &set);
            n--;
        }
    sched_setaffinity(0, sizeof(set), &set);
    close(go[1]);
    say(start(be_busy));
    if (read(go[0], &byte, 1) != 1)
        return;
    pid_t child = start(be_busy_with_a_child);
    say(child);
    if (read(go[0], &byte, 1) != 1)
        return;
    end(child);
    say(0);
    pause();
}

/* Stopped, and its clock stands still. */
static void stop(pid_t pid) {
    kill(pid, SIGSTOP);
    double last;
    do {
        last = cpu_ns(pid);
        sleep_ms(10);
    } while (cpu_ns(pid) != last);
}

static void what_is_started_counts(void **state) {
    (void)state;
    assert_int_equal(pipe(go) + pipe(said), 0);
    const pid_t pid = start(be_parent), before = hear();
    struct target_process p = {.pid = pid, .pidfd = -1};
    struct target_set ts = {.kind = TARGET_PIDS, .process = &p, .n_process = 1};
    struct procfs pf, alone;
    struct count c[PROC_EVENTS], own[PROC_EVENTS];
    uint64_t ran;
    assert_int_equal(procfs_open(&pf, "/proc", &ts, all), 0);
    assert_int_equal(procfs_follow(&pf, "/proc"), 0);
    assert_int_equal(procfs_open(&alone, "/proc", &ts, all), 0);
    procfs_read(&pf, NULL, c);
    procfs_read(&alone, NULL, own);
    await_cpu_ns(before, cpu_ns(before) + 50e6);
    procfs_read(&pf, NULL, c);
    if (c[PROC_RUN_WAIT_NS].state == COUNT_NOT_SUPPORTED)
        skip();
    assert_true(c[PROC_UTIME_NS].value + c[PROC_STIME_NS].value == 0); /* it was there before */
    assert_false(procfs_ran(&pf, &ran));

    tell("b");
    pid_t child = hear(), grandchild = hear();
    await_cpu_ns(child, 100e6);
    await_cpu_ns(grandchild, 100e6);
    stop(child);
    stop(grandchild);
    procfs_read(&pf, NULL, c);
    procfs_read(&alone, NULL, own);
    const double waited = waited_ns(child) + waited_ns(grandchild),
                 used = cpu_ns(child) + cpu_ns(grandchild);
    const double got = c[PROC_RUN_WAIT_NS].value - own[PROC_RUN_WAIT_NS].value;
    if (waited < 100e6 || fabs(got - waited) > 0.1 * waited)
        fail_msg("%.0f ns, the kernel says %.0f", got, waited);
    const double ticks = c[PROC_UTIME_NS].value + c[PROC_STIME_NS].value;
    if (fabs(ticks - used) > 0.1 * used + 60e6)
        fail_msg("%.0f ns in ticks of %.0f", ticks, used);
    assert_true(procfs_ran(&pf, &ran) && fabs((double)ran - used) < 0.1 * used + 20e6);

    kill(grandchild, SIGKILL); /* the other one ends by its parent */
    tell("e");
    assert_int_equal(hear(), 0);
    for (int i = 0; i < 2; i++) { /* that they are gone is no fall */
        procfs_read(&pf, NULL, c);
        assert_int_equal(c[PROC_RUN_WAIT_NS].state, COUNT_OK);
        assert_int_equal(c[PROC_UTIME_NS].state, COUNT_OK);
        assert_true(c[PROC_UTIME_NS].value + c[PROC_STIME_NS].value < 60e6);
    }
    procfs_close(&pf);
    procfs_close(&alone);
    close(go[0]);
    close(go[1]);
    close(said[0]);
    close(said[1]);
    end(pid);
}

/* Reads of files that this process has made; -1: the kernel does not count them. */
static long reads(void) {
    char text[512];
    const char *at =
        str_read_small("/proc/self/io", text, sizeof(text)) > 0 ? strstr(text, "syscr: ") : NULL;
    return at ? atol(at + strlen("syscr: ")) : -1;
}

static long reads_of(struct procfs *pf, const struct proc_sleepers *sleepers) {
    struct count c[PROC_EVENTS];
    const long begin = reads();
    procfs_read(pf, sleepers, c);
    return reads() - begin;
}

static void without_children_it_is_one_read(void **state) {
    (void)state;
    const pid_t pid = start(be_idle);
    struct target_process p = {.pid = pid, .pidfd = -1};
    struct target_set ts = {.kind = TARGET_PIDS, .process = &p, .n_process = 1};
    const struct proc_sleepers asleep = {is_in, (pid_t[]){pid, 0}};
    struct procfs pf, alone;
    if (reads() < 0)
        skip();
    await_threads(pid, 1);
    assert_int_equal(procfs_open(&pf, "/proc", &ts, all), 0);
    assert_int_equal(procfs_follow(&pf, "/proc"), 0);
    assert_int_equal(procfs_open(&alone, "/proc", &ts, all), 0);
    reads_of(&pf, NULL);
    reads_of(&alone, NULL);
    if (threads_of(pid) == 1) /* a sanitizer's thread is looked at, too */
        assert_int_equal(reads_of(&pf, NULL), reads_of(&alone, NULL) + 1);
    assert_true(reads_of(&pf, &asleep) <= reads_of(&alone, NULL));
    procfs_close(&pf);
    procfs_close(&alone);
    end(pid);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found),
        cmocka_unit_test_setup_teardown(a_process_of_paper, make_root, remove_root),
        cmocka_unit_test_setup_teardown(who_slept_is_not_read, make_root, remove_root),
        cmocka_unit_test_setup_teardown(what_is_missing_is_not_zero, make_root, remove_root),
        cmocka_unit_test_setup_teardown(cpus_of_paper, make_root, remove_root),
        cmocka_unit_test_setup_teardown(threads_of_paper, make_root, remove_root),
        cmocka_unit_test_setup_teardown(a_cgroup_of_paper, make_root, remove_root),
        cmocka_unit_test(a_real_process),
        cmocka_unit_test(few_files_change_nothing),
        cmocka_unit_test(what_is_started_counts),
        cmocka_unit_test(without_children_it_is_one_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
