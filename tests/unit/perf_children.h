/* Processes of our own: what they do and their threads; starting, halting and ending them. */
#ifndef TDTOP_TESTS_PERF_CHILDREN_H
#define TDTOP_TESTS_PERF_CHILDREN_H

#include "base/str.h"
#include "pmu/host/perf_open.h"
#include "pmu/host/target.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static inline void sleep_ms(int ms) {
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    nanosleep(&t, NULL);
}

/* ---- what they do ---- */

static inline void burn_us(long us) {
    struct timespec a, b;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
    while ((b.tv_sec - a.tv_sec) * 1000000 + (b.tv_nsec - a.tv_nsec) / 1000 < us);
}

static inline void *burn_short(void *arg) {
    burn_us(500);
    return arg;
}

static inline void *burn_long(void *arg) {
    for (;;)
        burn_us(1000);
    return arg;
}

static inline void be_busy(void) {
    burn_long(NULL);
}

/* Threads come and go all the time; hardly any lives through an interval. */
static inline void be_restless(void) {
    for (;;) {
        pthread_t t[2];
        for (int i = 0; i < 2; i++)
            if (pthread_create(&t[i], NULL, burn_short, NULL))
                _exit(1);
        for (int i = 0; i < 2; i++)
            pthread_join(t[i], NULL);
    }
}

/* Two threads that begin after 60 ms, and stay. */
static inline void be_late(void) {
    pthread_t t[2];
    sleep_ms(60);
    for (int i = 0; i < 2; i++)
        if (pthread_create(&t[i], NULL, burn_long, NULL))
            _exit(1);
    pause();
}

static inline void be_idle(void) {
    for (;;)
        pause();
}

static inline void burn_and_end(void) {
    burn_us(50000);
    _exit(3);
}

static inline void *sleep_long(void *arg) {
    for (;;)
        pause();
    return arg;
}

static inline void add_threads(int n, void *(*what)(void *)) {
    for (int i = 0; i < n; i++) {
        pthread_t t;
        if (pthread_create(&t, NULL, what, NULL))
            _exit(1);
    }
}

/* 39 threads that do nothing, and one that works: hundreds of descriptors, little noise. */
static inline void be_many(void) {
    add_threads(39, sleep_long);
    burn_long(NULL);
}

static inline void be_three(void) {
    add_threads(2, burn_long);
    burn_long(NULL);
}

static inline void *pulse(void *arg) {
    for (;;) {
        burn_us(200);
        sleep_ms(7);
    }
    return arg;
}

static inline void *pulse_rarely(void *arg) {
    for (;;) {
        burn_us(200);
        sleep_ms(70);
    }
    return arg;
}

static inline int mixed_threads(void) {
    return 31 + 2 * (int)sysconf(_SC_NPROCESSORS_ONLN);
}

/* More that work than there are CPUs, some that work now and then, many that sleep. */
static inline void be_mixed(void) {
    add_threads(mixed_threads() - 31, burn_long);
    add_threads(5, pulse);
    add_threads(5, pulse_rarely);
    add_threads(20, sleep_long);
    be_idle();
}

/* Long beside what it takes to start it, which a sanitizer makes ten times as much. */
static inline void burn_a_moment(void) {
    burn_us(30000);
    _exit(0);
}

/* ---- starting and ending them ---- */

static inline pid_t start(void (*what)(void)) {
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        what();
        _exit(0);
    }
    assert_true(pid > 0);
    return pid;
}

/* Halted before its first instruction, however long we are kept waiting for a CPU; SIGCONT. */
static inline pid_t start_halted(void (*what)(void)) {
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        raise(SIGSTOP);
        what();
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
    assert_true(WIFSTOPPED(status));
    return pid;
}

/* What a check returns in a process of its own, whose limits it may change. */
static inline int in_child(int (*check)(pid_t pid), pid_t pid) {
    int status = -1;
    pid_t child = fork();
    if (child == 0)
        _exit(check(pid));
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static inline void end(pid_t pid) {
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* Stops all its threads, and waits until they have. */
static inline void halt(pid_t pid) {
    int status;
    kill(pid, SIGSTOP);
    assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
    assert_true(WIFSTOPPED(status));
    sleep_ms(
        2); /* we are told a moment before it leaves its CPU and its clock is brought up to date */
}

/* Waits until the processes that it has started have ended. It stands still, so no new ones come.
 */
static inline void await_children(pid_t pid) {
    char path[64], list[4096], stat[512];
    for (int i = 0, lives = 1; lives; i++) {
        assert_true(i < 20000);
        lives = 0;
        snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
        if (str_read_small(path, list, sizeof(list)) <= 0)
            return;
        for (char *at = list, *next; strtol(at, &next, 10) > 0; at = next) {
            snprintf(path, sizeof(path), "/proc/%ld/stat", strtol(at, NULL, 10));
            if (str_read_small(path, stat, sizeof(stat)) > 0)
                lives += strstr(stat, ") Z") == NULL;
        }
        sleep_ms(1);
    }
}

/* What the process has used of CPU, by a clock that has nothing to do with perf. */
static inline double cpu_ns(pid_t pid) {
    clockid_t clock;
    struct timespec t;
    assert_int_equal(clock_getcpuclockid(pid, &clock), 0);
    assert_int_equal(clock_gettime(clock, &t), 0);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* A sanitizer may run a thread of its own in each process, so one is not always 1. */
static inline int threads_of(pid_t pid) {
    pid_t *tids = NULL;
    int cap = 0, n = target_tids(pid, &tids, &cap);
    free(tids);
    return n;
}

/* Waits until a process has so many threads, and no more come. */
static inline void await_threads(pid_t pid, int n) {
    int same = 0, last = 0;
    for (int i = 0; i < 20000 && same < 10; i++) {
        int now = threads_of(pid);
        same = now >= n && now == last ? same + 1 : 0;
        last = now;
        sleep_ms(1);
    }
    assert_true(last >= n);
}

/* The number behind some words in a file of each of its threads, in sum. */
static inline double threads_sum(pid_t pid, const char *file, const char *words) {
    pid_t *tids = NULL;
    int cap = 0, n = target_tids(pid, &tids, &cap);
    double sum = 0;
    for (int i = 0; i < n; i++) {
        char path[64], text[4096];
        snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)pid, (int)tids[i], file);
        assert_true(str_read_small(path, text, sizeof(text)) > 0);
        const char *at = strstr(text, words);
        assert_non_null(at);
        sum += (double)strtoull(at + strlen(words), NULL, 10);
    }
    free(tids);
    return sum;
}

/* What its threads have waited for a CPU in ns, and how often they left one, by the kernel's own
 * numbers. */
static inline double waited_ns(pid_t pid) {
    return threads_sum(pid, "schedstat", " ");
}

static inline double switches(pid_t pid) {
    return threads_sum(pid, "status", "\nvoluntary_ctxt_switches:") +
           threads_sum(pid, "status", "nonvoluntary_ctxt_switches:");
}

/* Waits until it has used so much CPU time, whenever it gets it. */
static inline void await_cpu_ns(pid_t pid, double ns) {
    for (int i = 0; i < 20000 && cpu_ns(pid) < ns; i++)
        sleep_ms(1);
    assert_true(cpu_ns(pid) >= ns);
}

/*
 * Has nothing been lost, and nothing counted twice? perf's clock runs on while an interrupt or the
 * hypervisor has the CPU, the scheduler's does not: so it may say more, on a busy host by far more
 * than it may say less.
 */
static inline bool agrees(double seen, double used, double share) {
    return seen >= used * (1 - share) - 4e6 && seen <= used * 1.2 + 20e6;
}

/* What perf stat would count: task clocks that are inherited, on each thread of a process that
 * stands still. (The scheduler's own time includes what the kernel does of a thread after its
 * counters: a tenth of one that lives for a millisecond, on a busy machine.) */
enum { REFERENCE_THREADS = 256 }; /* short ones are many where the CPUs are busy */
struct reference {
    int clock[REFERENCE_THREADS], switches[REFERENCE_THREADS];
    int n;
};

static inline int reference_event(pid_t tid, uint64_t config) {
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = config, .inherit = 1};
    attr.exclude_kernel = geteuid() != 0;
    return perf_open_fd(&attr, tid, -1, -1);
}

static inline void reference_open(struct reference *ref, pid_t pid) {
    pid_t *tids = NULL;
    int cap = 0, n = target_tids(pid, &tids, &cap);
    *ref = (struct reference){0};
    assert_true(n > 0);
    assert_true(n <= REFERENCE_THREADS);
    for (int i = 0; i < n; i++) {
        const int fd = reference_event(tids[i], PERF_COUNT_SW_TASK_CLOCK);
        if (fd < 0)
            continue; /* a thread may have just ended */
        ref->clock[ref->n] = fd;
        ref->switches[ref->n++] = reference_event(tids[i], PERF_COUNT_SW_CONTEXT_SWITCHES);
    }
    free(tids);
    assert_true(ref->n > 0);
}

static inline double reference_sum(const int *fd, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        uint64_t v = 0;
        if (fd[i] >= 0)
            assert_int_equal(read(fd[i], &v, sizeof(v)), sizeof(v));
        sum += (double)v;
    }
    return sum;
}

static inline double reference_ns(const struct reference *ref) {
    return reference_sum(ref->clock, ref->n);
}

/* How often its threads lost a CPU; 0 where that is not for us to know. */
static inline double reference_switches(const struct reference *ref) {
    return reference_sum(ref->switches, ref->n);
}

static inline void reference_close(struct reference *ref) {
    for (int i = 0; i < ref->n; i++) {
        close(ref->clock[i]);
        if (ref->switches[i] >= 0)
            close(ref->switches[i]);
    }
}

static inline int count_open(void) {
    int n = 0;
    for (int fd = 0; fd < 4096; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

#endif
