/* The real kernel: software events, which exist on every machine, on children of our own. */
#include "pmu/source.h"

#include "base/str.h"
#include "pmu/host/target.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "perf_source_fixture.h"

/*
 * task-clock of a process over some intervals is what its CPU clock says, whatever its threads do.
 */
static void task_clock_agrees(void **state) {
    (void)state;
    static const struct {
        const char *what;
        void (*child)(void);
        double least_ms, share;
    } cases[] = {
        {"one busy thread", be_busy, 5, 0.01},
        {"threads that start later", be_late, 5, 0.01},
        {"threads that come and go", be_restless, 5, 0.02},
        {"an idle process", be_idle, 0, 0.01},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        pid_t pid = start(cases[i].child);
        struct run r;
        sleep_ms(20);
        if (run_open_pid(&r, pid))
            fail_msg("%s: %s", cases[i].what, r.err.text);
        /* The clock of a process that runs is only as new as its last tick: so it stands still. */
        halt(pid);
        double before = cpu_ns(pid);
        struct reference ref;
        reference_open(&ref, pid);
        assert_int_equal(r.src.ops->start(&r.src, &r.err), 0);
        kill(pid, SIGCONT);
        for (int k = 0; k < 4; k++) {
            sleep_ms(80);
            if (k == 3)
                halt(pid);
            assert_int_equal(run_read(&r), 0);
        }
        /* A thread's exit is the last thing it needs time for, and perf's clock stops before the
           scheduler's: where threads end all the time, only perf can be compared with. */
        const double used =
            cases[i].child == be_restless ? reference_ns(&ref) : cpu_ns(pid) - before;
        const double seen = total_of(&r, "task_clock");
        reference_close(&ref);
        if (!agrees(seen, used, cases[i].share) || used < cases[i].least_ms * 1e6)
            fail_msg("%s: %g ms seen, %g ms used", cases[i].what, seen / 1e6, used / 1e6);
        run_close(&r);
        end(pid);
    }
}

static void a_target_that_ends(void **state) {
    (void)state;
    pid_t pid = start_halted(burn_and_end); /* else it may have ended before we look */
    struct run r;
    assert_int_equal(run_open_pid(&r, pid), 0);
    assert_int_equal(r.src.ops->start(&r.src, &r.err), 0);
    kill(pid, SIGCONT);
    struct pollfd pfd = {.fd = r.src.wait_fd, .events = POLLIN};
    assert_true(pfd.fd >= 0);
    assert_int_equal(poll(&pfd, 1, 60000), 1); /* 50 ms of CPU time, whenever it gets them */
    assert_int_equal(run_read(&r), -ESRCH);
    if (!strstr(r.err.text, "ended with exit code 3 at"))
        fail_msg("\"%s\"", r.err.text);
    assert_true(total_of(&r, "task_clock") > 1e6); /* the last sample holds what there was */
    assert_int_equal(run_read(&r), -ESRCH);
    assert_int_equal(r.src.ops->exit_code(&r.src), -1); /* not a command of ours */
    run_close(&r);
    waitpid(pid, NULL, 0);
}

/* Threads that sleep are hardly read: the sum of all intervals is nevertheless the kernel's. */
static void nothing_of_sleepers_is_lost(void **state) {
    (void)state;
    pid_t pid = start(be_mixed);
    struct run r;
    await_threads(pid, mixed_threads());
    halt(pid);
    const double before = waited_ns(pid), switches_before = switches(pid);
    assert_int_equal(run_open_pid(&r, pid), 0);
    assert_int_equal(r.src.ops->start(&r.src, &r.err), 0);
    kill(pid, SIGCONT);
    for (int i = 0; i < 15; i++) {
        sleep_ms(20);
        assert_int_equal(run_read(&r), 0);
    }
    halt(pid);
    assert_int_equal(run_read(&r), 0);
    const double waited = waited_ns(pid) - before;
    if (total_of(&r, "run_wait_ns") != waited || waited < 1e6)
        fail_msg("%.0f ns in all, the kernel says %.0f", total_of(&r, "run_wait_ns"), waited);
    const double n = switches(pid) - switches_before;
    if (total_of(&r, "context_switches") != n || n < 100)
        fail_msg("%.0f switches, the kernel says %.0f", total_of(&r, "context_switches"), n);
    run_close(&r);
    end(pid);
}

static void be_forking(void) {
    for (;;)
        waitpid(start(burn_a_moment), NULL, 0);
}

/* Of processes that come and go between two looks it is not known how long they waited. */
static void what_was_not_seen_is_not_zero(void **state) {
    (void)state;
    pid_t pid = start(be_forking);
    struct run r;
    uint8_t is = COUNT_OK;
    assert_int_equal(run_open_pid(&r, pid), 0);
    assert_int_equal(r.src.ops->start(&r.src, &r.err), 0);
    const struct count *wait = &r.sample.at[slot_of(&r, "run_wait_ns")];
    for (int i = 0; i < 50 && is != COUNT_UNSEEN; i++) { /* once the first one has been seen */
        sleep_ms(300);
        assert_int_equal(run_read(&r), 0);
        is = wait->state;
    }
    assert_int_equal(is, COUNT_UNSEEN);
    run_close(&r);
    end(pid);
}

static void several_processes(void **state) {
    (void)state;
    pid_t a = start(be_busy), b = start(be_busy);
    char text[64];
    struct run r;
    snprintf(text, sizeof(text), "%d,%d", (int)a, (int)b);
    assert_int_equal(run_open(&r, &(struct target){.kind = TARGET_PIDS, .pids = text}), 0);
    halt(a);
    halt(b);
    double before = cpu_ns(a) + cpu_ns(b);
    assert_int_equal(r.src.ops->start(&r.src, &r.err), 0);
    kill(a, SIGCONT);
    kill(b, SIGCONT);
    sleep_ms(150);
    halt(a);
    halt(b);
    assert_int_equal(run_read(&r), 0);
    double used = cpu_ns(a) + cpu_ns(b) - before;
    assert_true(agrees(total_of(&r, "task_clock"), used, 0.01));
    assert_int_equal(r.sample.target_threads, threads_of(a) + threads_of(b));
    end(a);
    assert_int_equal(run_read(&r), 0); /* one is left */
    assert_int_equal(r.sample.target_threads, threads_of(b));
    end(b);
    assert_int_equal(run_read(&r), -ESRCH);
    run_close(&r);
}

static void a_command(void **state) {
    (void)state;
    char *argv[] = {(char[]){"sh"}, (char[]){"-c"},
                    (char[]){"i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; exit 5"}, NULL};
    struct run r;
    assert_int_equal(run_open(&r, &(struct target){.kind = TARGET_COMMAND, .argv = argv}), 0);
    assert_true(str_starts(r.src.target_text, "sh "));
    assert_int_equal(r.src.ops->start(&r.src, &r.err), 0);
    int rc = 0;
    for (int i = 0; i < 500 && rc == 0; i++) {
        sleep_ms(10);
        rc = run_read(&r);
    }
    assert_int_equal(rc, -ESRCH);
    assert_int_equal(r.src.ops->exit_code(&r.src), 5);
    assert_non_null(strstr(r.err.text, "ended with exit code 5"));
    assert_true(total_of(&r, "task_clock") > 1e6);
    assert_true(total_of(&r, "minor_faults") > 10); /* from its exec on */
    run_close(&r);
}

static void a_command_that_is_none(void **state) {
    (void)state;
    char *argv[] = {(char[]){"/no/such/command"}, NULL};
    struct run r;
    assert_int_equal(run_open(&r, &(struct target){.kind = TARGET_COMMAND, .argv = argv}), 0);
    assert_int_equal(r.src.ops->start(&r.src, &r.err), -ENOENT);
    assert_int_equal(r.src.ops->exit_code(&r.src), 127);
    run_close(&r);
}

static void what_cannot_be_opened(void **state) {
    (void)state;
    static const struct {
        const char *what;
        struct target target;
        int rc;
        const char *says;
    } cases[] = {
        {"nobody", {.kind = TARGET_PIDS, .pids = "2147483646"}, -ESRCH, "no such process"},
        {"no list", {.kind = TARGET_PIDS, .pids = "x"}, -EINVAL, "not a list"},
        {"no name",
         {.kind = TARGET_NAME, .name = "no-process-is-called-this"},
         -ENOENT,
         "no process of that name"},
        {"nothing", {.kind = TARGET_NONE}, -EINVAL, "nothing to measure"},
        {"no CPU", {.kind = TARGET_CPUS, .cpus = "8191"}, -ENODEV, "not online"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct run r;
        int rc = run_open(&r, &cases[i].target);
        if (rc != cases[i].rc || !strstr(r.err.text, cases[i].says))
            fail_msg("%s: rc %d, %s", cases[i].what, rc, r.err.text);
    }
}

/* ---- limits and permissions, each in a process of its own ---- */

static int with_soft_limit(pid_t busy) {
    struct rlimit lim;
    struct run r;
    getrlimit(RLIMIT_NOFILE, &lim);
    lim.rlim_cur = 20;
    setrlimit(RLIMIT_NOFILE, &lim);
    int rc = run_open_pid(&r, busy);
    if (rc)
        print_message("%s\n", r.err.text);
    else
        run_close(&r);
    return rc ? 1 : 0;
}

/* Leaves so many descriptors; returns the lowest that is free. */
static int leave_files(rlim_t n) {
    int first = open("/dev/null", O_RDONLY);
    close(first);
    struct rlimit lim = {.rlim_cur = (rlim_t)first + n, .rlim_max = (rlim_t)first + n};
    setrlimit(RLIMIT_NOFILE, &lim);
    return first;
}

/* Too few for all, enough for level 1 of one thread. */
static int with_few_files(pid_t busy) {
    struct run r;
    leave_files(5);
    if (run_open_pid(&r, busy))
        return 1;
    bool said =
        strstr(r.src.note, "level 1 only: descriptor limit") && strstr(r.src.note, "ulimit -n");
    uint8_t why = r.src.layout.missing[model_find_event(&software, "major_faults")];
    run_close(&r);
    return !said ? 2 : why != COUNT_NO_FDS ? 3 : 0;
}

/* The limit that the note asks for; 0: it asks for none. */
static rlim_t asked_limit(const char *note) {
    const char *at = strstr(note, "ulimit -n ");
    return at ? strtoul(at + strlen("ulimit -n "), NULL, 10) : 0;
}

/*
 * Descriptors for a few of the threads: the first ones do something else than the others, so
 * nothing is made of them. What /proc knows of all is shown instead, and the rest says that it is
 * of a part.
 */
static int with_a_part(pid_t many) {
    struct run r;
    char words[64]; /* a sanitizer may add a thread of its own */
    snprintf(words, sizeof(words), "of %d threads: descriptor limit", threads_of(many));
    leave_files(24);
    if (run_open_pid(&r, many))
        return 1;
    if (!strstr(r.src.note, words))
        return 2;
    /* It runs while we look, and we may be kept waiting: what it used at the least and the most. */
    double before = cpu_ns(many);
    if (r.src.ops->start(&r.src, &r.err))
        return 3;
    double began = cpu_ns(many);
    await_cpu_ns(many, began + 100e6);
    double least = cpu_ns(many) - began;
    if (run_read(&r))
        return 4;
    double most = cpu_ns(many) - before;
    double seconds = (double)(r.sample.t1_ns - r.sample.t0_ns) / 1e9;
    double clock = total_of(&r, "task_clock"), switches = total_of(&r, "context_switches");
    print_message("%g ms seen, %g to %g ms used, %g switches/s, part %u%%\n", clock / 1e6,
                  least / 1e6, most / 1e6, switches / seconds,
                  r.sample.at[slot_of(&r, "cpu_migrations")].part);
    bool right = clock > 0.8 * least - 30e6 && clock < 1.2 * most + 30e6;
    bool of_all = r.sample.at[slot_of(&r, "task_clock")].part == 0 &&
                  r.sample.at[slot_of(&r, "context_switches")].part == 0;
    uint8_t part = r.sample.at[slot_of(&r, "cpu_migrations")].part;
    run_close(&r);
    if (!right)
        return 5;
    if (switches / seconds < 40 * 5) /* each of 40 threads blinks 50 times a second, if it may */
        return 6;
    return !of_all ? 7 : part < 1 || part > 50 ? 8 : 0;
}

/* Between the children in which it is tried: what limit there is, and which is asked for. */
static struct { rlim_t limit, asked; } * shared;

static int with_shared_limit(pid_t many) {
    struct rlimit lim = {.rlim_cur = shared->limit, .rlim_max = shared->limit};
    struct run r;
    setrlimit(RLIMIT_NOFILE, &lim);
    if (run_open_pid(&r, many))
        return 1;
    print_message("limit %lu: %s\n", (unsigned long)shared->limit, r.src.note);
    shared->asked = asked_limit(r.src.note);
    run_close(&r);
    return 0;
}

/* What is asked for does not depend on what there is, and it is enough. */
static void check_asked_limits(pid_t many) {
    static const rlim_t limits[] = {18, 24, 40, 120, 200};
    rlim_t asked = 0;
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        shared->limit = limits[i];
        assert_int_equal(in_child(with_shared_limit, many), 0);
        assert_true(shared->asked > limits[i]);
        assert_true(!asked || asked == shared->asked);
        asked = shared->asked;
    }
    shared->limit = asked - 1;
    assert_int_equal(in_child(with_shared_limit, many), 0);
    assert_int_equal(shared->asked, asked);
    shared->limit = asked;
    assert_int_equal(in_child(with_shared_limit, many), 0);
    assert_int_equal(shared->asked, 0);
    munmap(shared, sizeof(*shared));
}

static int with_hard_limit(pid_t busy) {
    int first = leave_files(3);
    struct run r;
    int rc = run_open_pid(&r, busy);
    if (rc != -EMFILE)
        return 1;
    int fd = open("/dev/null", O_RDONLY); /* nothing has stayed open */
    if (fd != first)
        return 2;
    return strstr(r.err.text, "the limit is") && strstr(r.err.text, "ulimit -n") ? 0 : 3;
}

static void descriptors(void **state) {
    (void)state;
    pid_t busy = start(be_late);
    sleep_ms(100);
    assert_int_equal(in_child(with_soft_limit, busy), 0);
    assert_int_equal(in_child(with_few_files, busy), 0);
    assert_int_equal(in_child(with_hard_limit, busy), 0);
    end(busy);
}

static void *blink(void *arg) {
    for (;;)
        sleep_ms(20);
    return arg;
}

/* 41 threads: 39 wake up all the time. */
static void be_blinking(void) {
    add_threads(39, blink);
    add_threads(1, burn_long);
    be_idle();
}

static void a_part_of_the_threads(void **state) {
    (void)state;
    pid_t many = start(be_blinking);
    await_threads(many, 41);
    assert_int_equal(in_child(with_a_part, many), 0);
    check_asked_limits(many);
    end(many);
}

static sigset_t told_to_end(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    return set;
}

static void *live_until_told(void *arg) {
    sigset_t set = told_to_end();
    int which;
    sigwait(&set, &which);
    return arg;
}

/* Each SIGRTMIN ends one of two threads; they are queued. */
static void be_three_that_end(void) {
    sigset_t set = told_to_end();
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    add_threads(2, live_until_told);
    be_idle();
}

/* A process that is killed loses its threads one after the other: what it had is still said. */
static void fewer_threads_are_seen_twice(void **state) {
    (void)state;
    struct run r;
    const int own = threads_of(getpid()); /* a sanitizer has one of its own, in each child too */
    char all[32], left[32];
    snprintf(all, sizeof(all), "%d threads", own + 2);
    snprintf(left, sizeof(left), "%d thread", own);
    pid_t three = start(be_three_that_end);
    await_threads(three, own + 2);
    assert_int_equal(run_open_pid(&r, three), 0);
    assert_non_null(strstr(r.src.target_text, all));
    for (int i = 0; i < 2; i++)
        assert_int_equal(kill(three, SIGRTMIN), 0);
    for (int i = 0; i < 5000 && threads_of(three) > own; i++)
        sleep_ms(1);
    int n_read = 0;
    do {
        assert_int_equal(run_read(&r), 0);
        n_read++;
    } while ((int)r.sample.target_threads > own && n_read < 100);
    assert_null(strstr(r.src.name, left));
    assert_int_equal(run_read(&r), 0);
    assert_non_null(strstr(r.src.name, left));
    run_close(&r);
    end(three);
}

static int as_nobody(pid_t other) {
    struct run r;
    if (setgid(65534) || setuid(65534) ||
        prctl(PR_SET_DUMPABLE, 1)) /* or nobody may watch our children */
        return 1;
    if (run_open_pid(&r, other) != -EACCES || !strstr(r.err.text, "belongs to another user"))
        return 2;
    pid_t own = start(be_busy);
    int rc = run_open_pid(&r, own), paranoid = 0;
    char text[16];
    if (str_read_small("/proc/sys/kernel/perf_event_paranoid", text, sizeof(text)) > 0)
        paranoid = atoi(text);
    int verdict = 0;
    if (paranoid > 2)
        verdict = rc == -EACCES && strstr(r.err.text, "kernel.perf_event_paranoid=1") ? 0 : 3;
    else if (rc)
        verdict = 4;
    else if (paranoid == 2)
        verdict = strstr(r.src.note, "user space only") && slot_of(&r, "context_switches") < 0 &&
                          slot_of(&r, "task_clock") >= 0 &&
                          r.src.layout.missing[model_find_event(&software, "context_switches")] ==
                              COUNT_NOT_PERMITTED
                      ? 0
                      : 5;
    if (rc == 0)
        run_close(&r);
    end(own);
    return verdict;
}

static void an_ordinary_user(void **state) {
    (void)state;
    if (geteuid() != 0) {
        print_message("SKIP an_ordinary_user: only root can become somebody else\n");
        skip();
    }
    pid_t other = start(be_idle);
    assert_int_equal(in_child(as_nobody, other), 0);
    end(other);
}

static void a_cpu(void **state) {
    (void)state;
    struct run r;
    int rc = run_open(&r, &(struct target){.kind = TARGET_ALL});
    if (rc == -EACCES) {
        print_message("SKIP a_cpu: %s\n", r.err.text);
        assert_non_null(strstr(r.err.text, "kernel.perf_event_paranoid=0"));
        skip();
    }
    assert_int_equal(rc, 0);
    assert_int_equal(r.src.wait_fd, -1);
    assert_int_equal(r.src.ops->start(&r.src, &r.err), 0);
    burn_us(100000);
    sleep_ms(20);
    assert_int_equal(run_read(&r), 0);
    double wall = (double)(r.sample.t1_ns - r.sample.t0_ns) * (double)sysconf(_SC_NPROCESSORS_ONLN);
    double busy = total_of(&r, "task_clock");
    assert_true(busy >= 80e6 && busy <= wall + 40e6); /* steps of 10 ms; idle time is none */
    assert_true(total_of(&r, "context_switches") > 0);
    run_close(&r);
}

/* ---- what the layout and the samples promise ---- */

static void every_event_has_a_slot_or_a_reason(void **state) {
    (void)state;
    pid_t pid = start(be_busy);
    struct run r;
    assert_int_equal(run_open_pid(&r, pid), 0);
    assert_true(r.src.live);
    for (uint32_t e = 0; e < software.n_event; e++) {
        bool has_slot = slot_of(&r, software.event[e].name) >= 0;
        if (has_slot != (r.src.layout.missing[e] == COUNT_OK))
            fail_msg("%s", software.event[e].name);
    }
    assert_int_equal(r.src.ops->start(&r.src, &r.err), 0);
    uint64_t t1 = 0;
    for (int i = 0; i < 3; i++) {
        sleep_ms(10);
        for (uint32_t k = 0; k < r.sample.n_slot; k++)
            r.sample.at[k] = (struct count){.value = -1, .state = 99};
        assert_int_equal(run_read(&r), 0);
        assert_int_equal(r.sample.t0_ns, t1); /* without gaps */
        t1 = r.sample.t1_ns;
        for (uint32_t k = 0; k < r.sample.n_slot; k++) {
            const struct count *c = &r.sample.at[k];
            assert_true(c->state < COUNT_STATES && c->running_ns <= c->enabled_ns);
            assert_true((c->state == COUNT_OK) == !isnan(c->value));
        }
    }
    run_close(&r);
    end(pid);
}

static void reading_allocates_nothing(void **state) {
    (void)state;
    pid_t pid = start(be_restless);
    struct run r;
    assert_int_equal(run_open_pid(&r, pid), 0);
    assert_int_equal(r.src.ops->start(&r.src, &r.err), 0);
    size_t before = mallinfo2().uordblks; /* 0 under sanitizers */
    for (int i = 0; i < 20; i++) {
        sleep_ms(2);
        assert_int_equal(run_read(&r), 0);
    }
    assert_int_equal(mallinfo2().uordblks, before);
    run_close(&r);
    end(pid);
}

static void nothing_stays_open(void **state) {
    (void)state;
    pid_t pid = start(be_restless);
    int before = count_open();
    for (int i = 0; i < 3; i++) {
        struct run r;
        assert_int_equal(run_open_pid(&r, pid), 0);
        if (r.src.ops->start(&r.src, &r.err) < 0)
            fail_msg("%s", r.err.text);
        assert_int_equal(run_read(&r), 0);
        run_close(&r);
        assert_int_equal(run_open_pid(&r, 2147483646), -ESRCH);
    }
    assert_int_equal(count_open(), before);
    end(pid);
}

static void a_model_that_needs_a_pmu(void **state) {
    (void)state;
    struct model spr = {0};
    struct source src;
    struct err err = {0};
    struct source_options opt = {.target = {.kind = TARGET_PIDS}, .level = 1};
    char text[32];
    pid_t pid = start(be_idle);
    snprintf(text, sizeof(text), "%d", (int)pid);
    opt.target.pids = text;
    consts_init(&opt.consts);
    assert_int_equal(model_open(&spr, "spr", NULL, &err), 0);
    int rc = source_open(&src, &source_perf, &spr, &opt, &err);
    if (rc == 0) {
        print_message("SKIP a_model_that_needs_a_pmu: this machine can count it\n");
        source_close(&src);
    } else {
        assert_int_equal(rc, -ENODEV);
        assert_non_null(strstr(err.text, "no event of model spr can be counted here"));
    }
    model_free(&spr);
    end(pid);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(task_clock_agrees),
        cmocka_unit_test(a_target_that_ends),
        cmocka_unit_test(nothing_of_sleepers_is_lost),
        cmocka_unit_test(what_was_not_seen_is_not_zero),
        cmocka_unit_test(several_processes),
        cmocka_unit_test(a_command),
        cmocka_unit_test(a_command_that_is_none),
        cmocka_unit_test(what_cannot_be_opened),
        cmocka_unit_test(descriptors),
        cmocka_unit_test(a_part_of_the_threads),
        cmocka_unit_test(fewer_threads_are_seen_twice),
        cmocka_unit_test(an_ordinary_user),
        cmocka_unit_test(a_cpu),
        cmocka_unit_test(every_event_has_a_slot_or_a_reason),
        cmocka_unit_test(reading_allocates_nothing),
        cmocka_unit_test(nothing_stays_open),
        cmocka_unit_test(a_model_that_needs_a_pmu),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
