/* Processes that a target starts are found, whatever else is on the machine. */
#include "pmu/perf/perf_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf_children.h"

static int go[2], done[2];

/* Starts a process that stays for each byte that it is told, and answers with its number. */
static void be_parent(void) {
    char byte;
    while (read(go[0], &byte, 1) == 1) {
        pid_t pid = start(be_idle);
        if (write(done[1], &pid, sizeof(pid)) != (ssize_t)sizeof(pid))
            _exit(1);
    }
}

/* Each look begins behind the last one, in what /proc lists: what came since is all there. */
static void new_processes_are_found(void **state) {
    (void)state;
    assert_int_equal(pipe(go), 0);
    assert_int_equal(pipe(done), 0);
    pid_t pid = start(be_parent), child[5];
    struct target_process process = {.pid = pid, .pidfd = -1};
    const struct target_set ts = {.kind = TARGET_PIDS, .process = &process, .n_process = 1};
    struct perf_list l;
    assert_int_equal(perf_list_init(&l, &ts), 0);
    assert_int_equal(perf_list_read(&l, true), 0);
    assert_int_equal(l.process.n, 1);
    assert_true(l.pids_at > 0);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(write(go[1], "b", 1), 1);
        assert_int_equal(read(done[0], &child[i], sizeof(*child)), sizeof(*child));
        if (i == 3) /* as if numbers had begun again since the last look */
            l.looked = perf_list_newest() + 1000000;
        assert_true(perf_list_changed(&l));
        assert_int_equal(perf_list_read(&l, true), 0);
        assert_int_equal(l.process.n, i + 2);
        assert_non_null(perf_list_process(&l, child[i]));
    }
    perf_list_free(&l);
    for (int i = 0; i < 5; i++)
        kill(child[i], SIGKILL);
    end(pid);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(new_processes_are_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
