/* A fake /proc, read twice; then the real one with hundreds of processes of ours. */
#include "pmu/host/processes.h"

#include "base/clock.h"
#include "base/str.h"
#include "fake_root.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static struct processes ps;

static void put_process(int pid, const char *comm, char state, unsigned flags, int utime, int stime,
                        int threads, int start, int pages) {
    char path[64], text[256];
    snprintf(path, sizeof(path), "/%d/stat", pid);
    snprintf(text, sizeof(text),
             "%d (%s) %c 1 1 1 0 -1 %u 9 9 9 9 %d %d 0 0 20 0 %d 0 %d 1000000 %d 99 0 0\n", pid,
             comm, state, flags, utime, stime, threads, start, pages);
    put(path, text);
}

/* Arguments are separated by zero bytes. */
static void put_command(int pid, const char *text, size_t n) {
    char path[64], full[128];
    snprintf(path, sizeof(path), "/%d/cmdline", pid);
    put(path, "");
    snprintf(full, sizeof(full), "%s%s", root, path);
    FILE *f = fopen(full, "w");
    assert_non_null(f);
    fwrite(text, 1, n, f);
    fclose(f);
}

static const struct process_row *row(pid_t pid) {
    for (uint32_t i = 0; i < ps.table.n; i++)
        if (ps.table.row[i].pid == pid)
            return &ps.table.row[i];
    return NULL;
}

static const char *command(pid_t pid) {
    for (uint32_t i = 0; i < ps.table.n; i++)
        if (ps.table.row[i].pid == pid) {
            assert_int_equal(processes_detail(&ps, &ps.table.row[i]), 0);
            return ps.table.row[i].command;
        }
    return "";
}

static void two_readings(void **state) {
    (void)state;
    struct err err = {0};
    long hz = sysconf(_SC_CLK_TCK);
    put("/uptime", "1000.00 3000.00\n");
    put_process(7, "redis-server", 'S', 0, 40, 10, 5, (int)(900 * hz), 3);
    put_process(30, "a) R (b", 'R', 0, 0, 0, 1, (int)(999 * hz), 100);
    put_process(2, "kthreadd", 'S', 0x00200040, 0, 5, 1, 0, 0);
    put_process(8, "x\033[2J", 'S', 0, 0, 0, 1, (int)(10 * hz), 1);
    put("/9/stat", "9 (cut off) S 1 2 3\n");
    put("/10/comm", "no stat\n");
    put("/self/stat", "7 (x) S\n");
    put_command(7, "redis-server *:6379\0\0\0", 22);
    put_command(8, "x\0--eval\0\033[31m a\nb\0", 19);
    assert_int_equal(processes_open(&ps, root, &err), 0);
    assert_int_equal(processes_read(&ps), 0);
    assert_int_equal(ps.table.n, 4);
    assert_int_equal(ps.table.n_thread, 8);
    for (uint32_t i = 1; i < ps.table.n; i++)
        assert_true(ps.table.row[i - 1].pid < ps.table.row[i].pid);
    const struct process_row *r = row(7);
    assert_non_null(r);
    assert_string_equal(r->comm, "redis-server");
    assert_int_equal(r->n_thread, 5);
    assert_int_equal(r->rss, 3 * sysconf(_SC_PAGESIZE));
    assert_int_equal(r->uid, getuid());
    assert_true(r->user[0] != '\0');
    assert_true(r->fresh && !r->kernel);
    double lifetime = 50.0 / (double)hz / 100; /* 50 ticks in 100 s */
    assert_true(r->cpu > lifetime * 0.99 && r->cpu < lifetime * 1.01);
    assert_string_equal(row(30)->comm, "a) R (b");
    assert_int_equal(row(30)->state, 'R');
    assert_true(row(2)->kernel);
    assert_string_equal(row(8)->comm, "x?[2J");
    assert_string_equal(command(7), "redis-server *:6379");
    assert_string_equal(command(8), "x --eval ?[31m a b");
    assert_string_equal(command(2), "[kthreadd]");
    assert_string_equal(command(30), "[a) R (b]"); /* no arguments at all */
    const char *kept = row(7)->command;

    uint64_t before = ps.table.at_ns;
    usleep(50000);
    put_process(7, "redis-server", 'R', 0, 42, 11, 6, (int)(900 * hz), 4);
    put_process(8, "other", 'S', 0, 0, 0, 1, (int)(10 * hz), 1);     /* another program now */
    put_process(30, "reborn", 'S', 0, 9, 9, 1, (int)(1000 * hz), 1); /* another process */
    put_process(31, "new", 'S', 0, 0, 0, 1, (int)(1000 * hz), 1);
    assert_int_equal(processes_read(&ps), 0);
    double dt = (double)(ps.table.at_ns - before) / 1e9, cpu = 3.0 / (double)hz / dt;
    r = row(7);
    assert_true(r->cpu > cpu * 0.99 && r->cpu < cpu * 1.01 && !r->fresh);
    assert_int_equal(r->n_thread, 6);
    assert_ptr_equal(r->command, kept);
    assert_null(row(8)->command);
    assert_true(row(30)->fresh && row(31)->fresh && !row(8)->fresh);

    char cmd[192];
    snprintf(cmd, sizeof(cmd), "rm -r %s/7 %s/8", root, root);
    assert_int_equal(system(cmd), 0);
    assert_int_equal(processes_read(&ps), 0);
    assert_null(row(7));
    assert_int_equal(ps.table.n, 3);
    processes_close(&ps);
    processes_close(&ps);
}

static void no_proc(void **state) {
    (void)state;
    struct err err = {0};
    assert_int_equal(processes_open(&ps, "/no/such/proc", &err), -ENOENT);
    assert_non_null(strstr(err.text, "/no/such/proc"));
    processes_close(&ps);
}

enum { MANY = 300 };

static void hundreds_of_processes(void **state) {
    (void)state;
    pid_t child[MANY];
    struct err err = {0};
    uint64_t first, least = UINT64_MAX;
    for (int i = 0; i < MANY; i++) {
        child[i] = fork();
        if (child[i] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            _exit(pause());
        }
    }
    assert_int_equal(processes_open(&ps, "/proc", &err), 0);
    uint64_t t = clock_now_ns();
    assert_int_equal(processes_read(&ps), 0);
    first = clock_now_ns() - t;
    for (int i = 0; i < 10; i++) {
        t = clock_now_ns();
        assert_int_equal(processes_read(&ps), 0);
        t = clock_now_ns() - t;
        least = t < least ? t : least;
    }
    uint32_t n = ps.table.n;
    int found = 0;
    for (int i = 0; i < MANY; i++)
        found += child[i] > 0 && row(child[i]) != NULL;
    assert_null(row(getpid())); /* never ourselves */
    processes_close(&ps);
    for (int i = 0; i < MANY; i++)
        if (child[i] > 0) {
            kill(child[i], SIGKILL);
            waitpid(child[i], NULL, 0);
        }
    print_message("%u processes: first reading %.2f ms, later ones %.2f ms\n", n,
                  (double)first / 1e6, (double)least / 1e6);
    assert_int_equal(found, MANY);
    /* 5 ms for 300; ten times as much for a sanitizer on a busy machine */
    assert_true((double)least / n < 10 * 5e6 / 300);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(two_readings, make_root, remove_root),
        cmocka_unit_test(no_proc),
        cmocka_unit_test(hundreds_of_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
