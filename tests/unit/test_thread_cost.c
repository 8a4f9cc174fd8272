#include "pmu/perf/thread_cost.h"

#include "pmu/perf/perf_list.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void words_only_where_less_would_do(void **state) {
    (void)state;
    static const struct {
        const char *what;
        uint64_t counter_ns;
        double per_s;
        uint32_t n, pending;
        const char *words;
    } cases[] = {
        {"64 threads a second", 1000, 64, 298, 285,
         "a new thread costs the program 0.30 ms for 298 counters, at most 1.9% of a CPU at 64 "
         "new "
         "tasks a second; --focus auto, --nodes or -l need fewer; "},
        {"few threads", 1000, 2, 298, 285, ""},
        {"few counters", 1000, 64, 13, 6, ""},
        {"none that could be left out", 1000, 10000, 13, 0, ""},
        {"not known", 0, 10000, 298, 285, ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct thread_cost b = {.counter_ns = cases[i].counter_ns, .per_s = cases[i].per_s};
        char text[256] = "";
        struct strbuf sb = strbuf_on(text, sizeof(text));
        thread_cost_format(&b, cases[i].n, cases[i].pending, &sb);
        if (strcmp(text, cases[i].words) != 0)
            fail_msg("%s: \"%s\"", cases[i].what, text);
    }
}

static void a_counter_costs_less_than_a_millisecond(void **state) {
    (void)state;
    struct thread_cost b = {0};
    thread_cost_measure(&b);
    if (b.counter_ns == 0)
        skip(); /* no perf events here, or not permitted */
    assert_true(b.counter_ns < 1000000);
}

/* ---- who may be in the middle of a clone ---- */

static pid_t child_that(void (*does)(void)) {
    pid_t pid = fork();
    if (pid == 0) {
        does();
        _exit(0);
    }
    return pid;
}

static void spin(void) {
    for (volatile int i = 0;; i++)
        continue;
}

static void sleep_on(void) {
    for (;;)
        pause();
}

/* It may have to wait for its first moment on a CPU, so that it is asked until it is so. */
static bool becomes(pid_t pid, bool busy) {
    enum { TRIES = 5000 };
    const struct perf_thread t = {.pid = pid, .tid = pid};
    for (int i = 0; i < TRIES && perf_list_is_busy(&t) != busy; i++)
        usleep(1000);
    return perf_list_is_busy(&t) == busy;
}

static void busy_or_not(void **state) {
    (void)state;
    pid_t busy = child_that(spin), idle = child_that(sleep_on);
    assert_true(becomes(busy, true));
    assert_true(becomes(idle, false));
    kill(busy, SIGKILL);
    kill(idle, SIGKILL);
    assert_true(becomes(busy, false)); /* a zombie */
    waitpid(busy, NULL, 0);
    waitpid(idle, NULL, 0);
    assert_true(becomes(busy, false)); /* gone */
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_only_where_less_would_do),
        cmocka_unit_test(a_counter_costs_less_than_a_millisecond),
        cmocka_unit_test(busy_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
