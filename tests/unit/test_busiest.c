/* Who of a list of processes is counted, and what is said of them: over the simulated core, over a
 * source that fails as told, and over processes of our own. */
#include "session/busiest.h"

#include "base/clock.h"
#include "base/str.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROWS = 40 };

static struct process_row rows[ROWS];
static struct process_table table;
static struct busiest b;

static void put(pid_t pid, double cpu) {
    rows[table.n++] =
        (struct process_row){.pid = pid, .cpu = cpu, .n_thread = 1, .start_ticks = (uint64_t)pid};
}

static struct process_row *row(pid_t pid) {
    for (uint32_t i = 0; i < table.n; i++)
        if (rows[i].pid == pid)
            return &rows[i];
    fail_msg("no process %d", (int)pid);
    return NULL;
}

/* As processes_read leaves it: rows begin without numbers. */
static void read_again(void) {
    table.reading++;
    for (uint32_t i = 0; i < table.n; i++)
        rows[i].level1 = (struct process_level1){0};
    busiest_read(&b, &table);
}

static int with_bars(void) {
    int n = 0;
    for (uint32_t i = 0; i < table.n; i++)
        n += rows[i].level1.model != NULL;
    return n;
}

static void begin(const struct source_ops *ops, const char *model) {
    table = (struct process_table){.row = rows, .cap = ROWS};
    assert_int_equal(busiest_open(&b, ops, model, NULL), 0);
}

static int finish(void **state) {
    (void)state;
    busiest_close(&b);
    busiest_close(&b);
    return 0;
}

/* ---- a source with known numbers: the simulated core ---- */

static int n_open, open_rc, read_rc;

static int counted_open(struct source *src, struct err *err) {
    if (open_rc)
        return err_set(err, open_rc, "refused");
    assert_int_equal(src->opt.level, 1);
    n_open++;
    return source_sim.open(src, err);
}

static int counted_read(struct source *src, struct sample *out, struct err *err) {
    return read_rc ? read_rc : source_sim.read(src, out, err);
}

static void counted_close(struct source *src) {
    n_open -= src->priv != NULL;
    source_sim.close(src);
}

static struct source_ops ops;

static int start(void **state) {
    (void)state;
    ops = source_sim;
    ops.open = counted_open;
    ops.read = counted_read;
    ops.close = counted_close;
    n_open = open_rc = read_rc = 0;
    begin(&ops, "spr");
    return 0;
}

static void read_until_open(int n) {
    for (int i = 0; i < 100 && n_open < n; i++)
        read_again();
    assert_int_equal(n_open, n);
}

static void the_busiest_are_counted(void **state) {
    (void)state;
    for (int i = 0; i < 30; i++)
        put(100 + i, 0.01 * (i + 1));
    put(200, 9);
    rows[table.n - 1].kernel = true;
    put(201, 0.001); /* idle */
    read_again();
    assert_int_equal(n_open, 0); /* it knows whole lives only */
    read_until_open(BUSIEST_MAX);
    read_again();
    assert_int_equal(with_bars(), BUSIEST_MAX);
    assert_int_equal(b.n_opened, BUSIEST_MAX);
    for (int i = 0; i < 30; i++)
        assert_int_equal(row(100 + i)->level1.model != NULL, i >= 10);
    assert_null(row(200)->level1.model);
    assert_null(row(201)->level1.model);
}

static void shares_are_those_of_level_1(void **state) {
    (void)state;
    static const char *const want[] = {"Frontend_Bound", "Bad_Speculation", "Backend_Bound",
                                       "Retiring"};
    put(7, 1);
    read_until_open(0);
    read_again();
    read_again();
    read_again();
    const struct process_level1 *l = &row(7)->level1;
    double sum = 0;
    assert_non_null(l->model);
    assert_string_equal(l->model->name, "spr");
    assert_int_equal(l->n, 4);
    for (int i = 0; i < l->n; i++) {
        int k = 0;
        while (k < 4 && strcmp(l->model->metric[l->root[i]].name, want[k]) != 0)
            k++;
        assert_true(k < 4 && l->share[i] >= 0 && l->share[i] <= 1);
        sum += l->share[i];
    }
    assert_true(fabs(sum - 1) < 0.02);
}

static void who_falls_out_is_closed(void **state) {
    (void)state;
    for (int i = 0; i < 30; i++)
        put(100 + i, 0.01 * (i + 1));
    read_again();
    read_until_open(BUSIEST_MAX);
    row(109)->cpu = 0.115; /* a little more than 110 has: who is there stays */
    read_again();
    assert_int_equal(b.n_opened, BUSIEST_MAX);
    row(109)->cpu = 5;
    read_again();
    read_again();
    assert_int_equal(b.n_opened, BUSIEST_MAX + 1);
    assert_int_equal(n_open, BUSIEST_MAX);
    assert_non_null(row(109)->level1.model);
    assert_null(row(110)->level1.model);
    row(109)->start_ticks++; /* another process has its number */
    read_again();
    assert_null(row(109)->level1.model);
    read_again();
    assert_non_null(row(109)->level1.model);
    assert_int_equal(b.n_opened, BUSIEST_MAX + 2);
    for (int i = 0; i < 30; i++)
        row(100 + i)->cpu = 0;
    read_again();
    assert_int_equal(n_open, 0);
    assert_int_equal(with_bars(), 0);
}

/* ---- /proc ---- */

static pid_t run_busy(void) {
    const pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (volatile unsigned i = 0;; i++)
            ;
    }
    return pid;
}

static void check_busy(void) {
    const struct process_level1 *l = &rows[0].level1;
    double useful = 0, sum = 0;
    assert_non_null(l->model);
    assert_string_equal(l->model->name, "software");
    assert_int_equal(l->n, 3);
    for (int i = 0; i < l->n; i++) {
        const char *name = l->model->metric[l->root[i]].name;
        sum += l->share[i];
        if (strcmp(name, "Kernel") != 0)
            useful += l->share[i];
    }
    assert_true(fabs(sum - 1) < 0.001);
    assert_true(useful > 0.7); /* it calls nothing */
}

static void with_a_busy_one(void (*check)(pid_t pid)) {
    const pid_t pid = run_busy();
    assert_true(pid > 0);
    put(pid, 1);
    check(pid);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static void is_timed(pid_t pid) {
    (void)pid;
    open_rc = -EACCES;
    read_again();
    read_again();
    usleep(300000);
    read_again();
    check_busy();
    assert_int_equal(n_open, 0);
    assert_int_equal(b.n_opened, 0);
}

static void what_may_not_be_counted_is_timed(void **state) {
    (void)state;
    with_a_busy_one(is_timed);
}

static void becomes_timed(pid_t pid) {
    (void)pid;
    read_again();
    read_again();
    read_rc = -EIO;
    read_again();
    assert_null(rows[0].level1.model);
    assert_int_equal(n_open, 1);
    read_again();
    assert_int_equal(n_open, 0);
    usleep(300000);
    read_again();
    check_busy();
}

static void silent_counters_are_given_up(void **state) {
    (void)state;
    with_a_busy_one(becomes_timed);
}

/* As the program uses it: whatever this machine counts. */
static void is_known(pid_t pid) {
    begin(&source_perf, NULL);
    put(pid, 1);
    double sum = 0;
    for (int i = 0; i < 10 && !rows[0].level1.model; i++) {
        read_again();
        usleep(100000);
    }
    const struct process_level1 *l = &rows[0].level1;
    assert_non_null(l->model);
    for (int i = 0; i < l->n; i++)
        sum += l->share[i];
    assert_true(sum > 0.8 && sum < 1.2);
}

static void on_this_machine(void **state) {
    (void)state;
    busiest_close(&b);
    with_a_busy_one(is_known);
}

/* It has ended between the list and the look at it. */
static void one_that_is_gone(void **state) {
    (void)state;
    open_rc = -ESRCH;
    put(1 << 30, 1);
    read_again();
    read_again();
    read_again();
    assert_int_equal(with_bars(), 0);
}

int main(void) {
#define ON(test) cmocka_unit_test_setup_teardown(test, start, finish)
    const struct CMUnitTest tests[] = {
        ON(the_busiest_are_counted),
        ON(shares_are_those_of_level_1),
        ON(who_falls_out_is_closed),
        ON(what_may_not_be_counted_is_timed),
        ON(silent_counters_are_given_up),
        ON(on_this_machine),
        ON(one_that_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
