/* Waits, from the sample of a thread that leaves its CPU to the record of its coming back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pmu/sampling/waits.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MS = 1000000, SCHEDULE = 0x1010, PIPE_READ = 0x5000, VFS_READ = 0x6000, MAIN = 0x42 };

static const struct place stack[] = {{MODULES_KERNEL, SCHEDULE},
                                     {MODULES_KERNEL, SCHEDULE + 8},
                                     {MODULES_KERNEL, PIPE_READ},
                                     {MODULES_KERNEL, VFS_READ},
                                     {7, MAIN}};
enum { DEPTH = sizeof(stack) / sizeof(stack[0]) };

static void begin(struct waits *w, pid_t tid, uint64_t ns) {
    const struct record r = {.kind = RECORD_SAMPLE, .pid = 40, .tid = tid, .time = ns};
    waits_begin(w, &r, 2, stack, DEPTH);
}

static struct wait *out(struct waits *w, pid_t tid, uint64_t ns, bool runnable) {
    const struct record r = {
        .kind = RECORD_SWITCH, .tid = tid, .time = ns, .change = {true, runnable}};
    return waits_end(w, &r);
}

static struct wait *in(struct waits *w, pid_t tid, uint64_t ns) {
    const struct record r = {.kind = RECORD_SWITCH, .tid = tid, .time = ns};
    return waits_end(w, &r);
}

/* A folder with kallsyms. */
static void open_with(struct waits *w, const char *text) {
    char dir[] = "/tmp/test_waits.XXXXXX", path[64];
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/kallsyms", dir);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    waits_init(w, dir);
    unlink(path);
    rmdir(dir);
}

static const char symbols[] = "0000000000000900 T __sched_text_start_of_another\n"
                              "0000000000001000 T __sched_text_start\n"
                              "0000000000001010 T schedule\n"
                              "0000000000002000 T __sched_text_end\n"
                              "0000000000005000 t pipe_read\t[m]\n";

static void expect_top(struct waits *w, uint32_t module, uint64_t offset, uint32_t n) {
    begin(w, 42, MS);
    assert_null(out(w, 42, MS + 10, false));
    struct wait *one = in(w, 42, 8 * MS);
    assert_non_null(one);
    assert_int_equal(one->left_ns, MS + 10);
    assert_int_equal(one->pid, 40);
    assert_true(one->times == 2);
    assert_int_equal(one->n_stack, n);
    assert_int_equal(one->stack[0].module, module);
    assert_int_equal(one->stack[0].offset, offset);
    assert_int_equal(one->stack[n - 1].offset, MAIN);
    assert_int_equal(one->kernel, module == MODULES_KERNEL);
    free(one);
    assert_int_equal(w->n, 0);
    assert_null(in(w, 42, 9 * MS));
}

static void the_scheduler_is_not_where_it_waits(void **state) {
    (void)state;
    struct waits w;
    open_with(&w, symbols);
    expect_top(&w, MODULES_KERNEL, PIPE_READ, DEPTH - 2);
    open_with(&w, "0000000000000000 T __sched_text_start\n0000000000000000 T __sched_text_end\n");
    expect_top(&w, 7, MAIN, 1); /* addresses are not told */
    waits_init(&w, NULL);
    expect_top(&w, 7, MAIN, 1);
    waits_destroy(&w);
}

static void who_could_have_gone_on_is_not_blocked(void **state) {
    (void)state;
    struct waits w;
    waits_init(&w, NULL);
    begin(&w, 42, MS);
    assert_null(out(&w, 42, MS + 10, true));
    assert_null(in(&w, 42, 8 * MS));
    assert_int_equal(w.n, 0);
}

static void what_was_lost_makes_no_wait_longer(void **state) {
    (void)state;
    struct waits w;
    waits_init(&w, NULL);
    begin(&w, 42, MS);
    out(&w, 42, MS + 10, false);
    out(&w, 42, 5 * MS, false); /* it came back meanwhile */
    assert_null(in(&w, 42, 8 * MS));
    begin(&w, 42, 10 * MS); /* likewise */
    out(&w, 42, 10 * MS + 10, false);
    begin(&w, 42, 20 * MS);
    out(&w, 42, 20 * MS + 10, false);
    struct wait *one = in(&w, 42, 21 * MS);
    assert_non_null(one);
    assert_int_equal(one->left_ns, 20 * MS + 10);
    free(one);
    begin(&w, 42, 30 * MS); /* that it left was lost: when, is not known for sure */
    assert_null(in(&w, 42, 31 * MS));
    begin(&w, 42, 40 * MS); /* a thread that has the event twice: each record comes twice */
    out(&w, 42, 40 * MS + 10, false);
    out(&w, 42, 40 * MS + 900, false);
    one = in(&w, 42, 41 * MS);
    assert_non_null(one);
    free(one);
    assert_null(in(&w, 42, 41 * MS + 900));
    assert_int_equal(w.n, 0);
}

static void threads_are_apart_and_what_goes_on_is_had_at_the_end(void **state) {
    (void)state;
    struct waits w;
    waits_init(&w, NULL);
    for (pid_t tid = 1; tid <= 100; tid++) {
        begin(&w, tid, MS + (uint64_t)tid);
        out(&w, tid, 2 * MS + (uint64_t)tid, false);
    }
    const struct record ended = {.kind = RECORD_EXIT, .tid = 7, .time = 3 * MS};
    assert_null(waits_end(&w, &ended));
    struct wait *one = in(&w, 50, 3 * MS);
    assert_int_equal(one->tid, 50);
    assert_int_equal(one->left_ns, 2 * MS + 50);
    free(one);
    int n = 0;
    for (; (one = waits_take(&w)); n++) {
        assert_true(one->tid != 7 && one->tid != 50);
        free(one);
    }
    assert_int_equal(n, 98);
    assert_int_equal(w.n, 0);
}

static void wakes(int sig) {
    (void)sig;
}

static pid_t sleeper(void) {
    const pid_t pid = fork();
    if (pid == 0) {
        signal(SIGUSR1, wakes);
        for (;;)
            pause();
    }
    return pid;
}

/* When it has blocked so often, but for what it did before its main(). */
static struct asleep blocked(pid_t pid, uint64_t more_than) {
    struct asleep a;
    while (!asleep_read(&a, "/proc", pid) || a.n_switch <= more_than)
        usleep(1000);
    return a;
}

static void sleepers_outlast_what_was_lost(void **state) {
    (void)state;
    struct waits w;
    waits_init(&w, NULL);
    const pid_t pid[] = {sleeper(), sleeper(), sleeper()};
    for (int i = 0; i < 3; i++) {
        const struct asleep a = blocked(pid[i], 0);
        waits_add(&w, &a, MS, stack, DEPTH);
    }
    begin(&w, 1, MS);
    out(&w, 1, MS + 10, false);
    waits_lose(&w);
    assert_int_equal(w.n, 3); /* 1 has no record that it came back */
    waits_check(&w, "/proc");
    assert_int_equal(w.n, 3);
    waits_lose(&w);
    struct asleep was = blocked(pid[1], 0);
    kill(pid[1], SIGUSR1);
    blocked(pid[1], was.n_switch);
    kill(pid[2], SIGKILL);
    waitpid(pid[2], NULL, 0);
    waits_check(&w, "/proc");
    assert_true(waits_has(&w, pid[0]) && !waits_has(&w, pid[1]) && !waits_has(&w, pid[2]));
    struct wait *one = in(&w, pid[0], 9 * MS); /* all of it */
    assert_non_null(one);
    assert_int_equal(one->left_ns, MS);
    free(one);
    was = blocked(pid[0], 0);
    waits_add(&w, &was, MS, stack, DEPTH);
    waits_lose(&w);
    assert_null(in(&w, pid[0], 9 * MS)); /* since when is not sure */
    assert_int_equal(w.n, 0);
    for (int i = 0; i < 2; i++) {
        kill(pid[i], SIGKILL);
        waitpid(pid[i], NULL, 0);
    }
}

static void too_many_are_counted(void **state) {
    (void)state;
    struct waits w;
    waits_init(&w, NULL);
    for (pid_t tid = 1; tid <= WAITS_MOST + 10; tid++)
        begin(&w, tid, MS);
    assert_int_equal(w.n, WAITS_MOST);
    assert_int_equal(w.n_no_room, 10);
    waits_destroy(&w);
    assert_int_equal(w.n, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_scheduler_is_not_where_it_waits),
        cmocka_unit_test(who_could_have_gone_on_is_not_blocked),
        cmocka_unit_test(what_was_lost_makes_no_wait_longer),
        cmocka_unit_test(threads_are_apart_and_what_goes_on_is_had_at_the_end),
        cmocka_unit_test(sleepers_outlast_what_was_lost),
        cmocka_unit_test(too_many_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
