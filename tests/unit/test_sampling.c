/* Real samples of real processes, by the clock of the CPU, which every machine has. What their
 * periods add up to is the CPU time that the process has used: nothing was missed, nothing counted
 * twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf_children.h"

#include "base/clock.h"
#include "pmu/host/perf_open.h"
#include "pmu/sampling/sampling.h"

#include <errno.h>
#include <linux/perf_event.h>

struct box {
    struct target_set target;
    struct machine machine;
    struct locate locate;
    struct sampling *sampling;
    struct tally_copy copy;
    struct sampling_info info;
    char pid[32];
};

/* All opens ask for branch records, which a clock does not have. */
static int open_on(struct box *b, const struct target *t, double rate_hz, struct err *err) {
    struct rlimit files;
    memset(b, 0, sizeof(*b));
    getrlimit(RLIMIT_NOFILE, &files);
    locate_events(&b->locate, &b->machine, "", NULL, METRIC_NONE);
    int rc = target_open(&b->target, t, &files, err);
    const struct sampling_options opt = {.target = &b->target,
                                         .list = &b->locate,
                                         .n_list = 1,
                                         .rate_hz = rate_hz,
                                         .cpu_share = 1, /* a sanitizer is slow */
                                         .stacks = true,
                                         .branches = true};
    if (rc == 0)
        rc = sampling_open(&b->sampling, &opt, err);
    return rc;
}

static void open_pid(struct box *b, pid_t pid, double rate_hz) {
    struct err err = {0};
    char text[32];
    snprintf(text, sizeof(text), "%d", (int)pid);
    const struct target t = {.kind = TARGET_PIDS, .pids = text};
    if (open_on(b, &t, rate_hz, &err))
        fail_msg("%s", err.text);
}

static void stop_and_read(struct box *b) {
    const uint64_t begin = clock_now_ns();
    sampling_stop(b->sampling);
    assert_true(clock_now_ns() - begin < NS_PER_S);
    assert_int_equal(sampling_read(b->sampling, &b->copy), 0);
    sampling_info(b->sampling, &b->info);
    assert_int_equal(b->info.n_sample, b->copy.total.all.n);
    assert_int_equal(b->info.n_garbled, 0);
}

static void close_box(struct box *b) {
    sampling_close(b->sampling);
    tally_copy_free(&b->copy);
    target_close(&b->target);
}

static int threads_seen(const struct tally_copy *c) {
    int n = 0;
    for (uint32_t i = 1; i < c->n_leaf; i++) {
        bool first = true;
        for (uint32_t k = 1; k < i; k++)
            first &= c->leaf[k].tid != c->leaf[i].tid;
        n += first;
    }
    return n;
}

/* What the hypervisor took from all CPUs: a timer of the clock that is late by several periods
 * fires once. */
static double stolen_ns(void) {
    char text[256];
    unsigned long long t = 0;
    if (str_read_small("/proc/stat", text, sizeof(text)) > 0)
        sscanf(text, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &t);
    return (double)t * NS_PER_S / (double)sysconf(_SC_CLK_TCK);
}

enum { RATE_HZ = 10000 };

static void samples_add_up_to_cpu_time(void **state) {
    (void)state;
    static const struct {
        const char *what;
        void (*run)(void);
        double s, share;
        int threads; /* that must be seen at least */
    } cases[] = {
        {"one thread", be_busy, 0.5, 0.1, 1},
        {"threads that begin later", be_late, 0.8, 0.1, 2},
        {"many threads, one of which works", be_many, 0.6, 0.1, 1},
        {"threads that come and go", be_restless, 0.6, 0.25,
         20}, /* some come while all is opened again */
        {"some of everything", be_mixed, 1.0, 0.15, 4},
    };
    const int open = count_open();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct box b;
        const pid_t pid = start_halted(cases[i].run);
        const double stolen = stolen_ns();
        struct reference ref;
        reference_open(&ref, pid);
        open_pid(&b, pid, RATE_HZ);
        kill(pid, SIGCONT);
        sleep_ms((int)(cases[i].s * 1e3));
        halt(pid);
        const double used = reference_ns(&ref);
        stop_and_read(&b);
        const double late = stolen_ns() - stolen;
        /* The clock begins its period anew whenever a thread gets a CPU: half of one is lost each
         * time, which is much on a busy host. */
        const double cut = reference_switches(&ref) * NS_PER_S / RATE_HZ;
        if (!agrees(b.copy.total.all.weight, used, cases[i].share + (late + cut) / used) ||
            threads_seen(&b.copy) < cases[i].threads)
            fail_msg(
                "%s: samples stand for %.1f ms of %d threads, it used %.1f ms, stolen %.1f ms, "
                "%llu throttled, %llu lost",
                cases[i].what, b.copy.total.all.weight / 1e6, threads_seen(&b.copy), used / 1e6,
                late / 1e6, (unsigned long long)b.info.n_throttled,
                (unsigned long long)b.info.n_lost);
        reference_close(&ref);
        end(pid);
        close_box(&b);
    }
    assert_int_equal(count_open(), open);
}

static double weight_of(const struct tally_copy *c, pid_t tid) {
    double weight = 0;
    for (uint32_t i = 1; i < c->n_leaf; i++)
        weight += c->leaf[i].tid == tid ? c->leaf_count[i].weight : 0;
    return weight;
}

static double ran_ns(pid_t tid) {
    char path[64], text[96];
    snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)tid);
    return str_read_small(path, text, sizeof(text)) > 0 ? strtod(text, NULL) : 0;
}

struct thread_seen {
    pid_t tid;
    double ran, weight;
};

static int look(const struct box *b, pid_t pid, struct thread_seen *out) {
    pid_t *tid = NULL;
    int cap = 0, n = target_tids(pid, &tid, &cap);
    for (int i = 0; i < n; i++)
        out[i] = (struct thread_seen){tid[i], ran_ns(tid[i]), weight_of(&b->copy, tid[i])};
    free(tid);
    return n;
}

/* So long; which part of it threads were being opened, as they are again for a lower rate. */
static double part_opening(struct box *b, int ms) {
    enum { TURN_MS = 10 };
    int n = 0;
    for (int i = 0; i < ms; i += TURN_MS) {
        sleep_ms(TURN_MS);
        sampling_info(b->sampling, &b->info);
        n += b->info.opening;
    }
    return (double)n * TURN_MS / ms;
}

/* It runs and makes threads while it is opened: none is left out, none counted twice. How much
 * faster perf's clock runs than the scheduler's on this host is the same for all of them. Until it
 * is opened again a thread has no samples, which takes long on a busy host. */
static void opened_while_threads_begin(void **state) {
    (void)state;
    for (int i = 0; i < 8; i++) {
        struct box b;
        struct thread_seen before[256], after[256];
        const pid_t pid = start(be_mixed);
        sleep_ms(i % 4);
        open_pid(&b, pid, 1e4);
        for (b.info.opening = true; b.info.opening; sleep_ms(10))
            sampling_info(b.sampling, &b.info);
        await_threads(pid, mixed_threads());
        sleep_ms(200); /* what is in doubt has been found out */
        assert_int_equal(sampling_read(b.sampling, &b.copy), 0);
        const double all = b.copy.total.all.weight, used = cpu_ns(pid);
        const int n = look(&b, pid, before);
        const double without = part_opening(&b, 400);
        halt(pid);
        const double more = cpu_ns(pid) - used;
        stop_and_read(&b);
        const double faster = (b.copy.total.all.weight - all) / more;
        assert_int_equal(look(&b, pid, after), n);
        for (int k = 0; k < n; k++) {
            const double ran = after[k].ran - before[k].ran;
            const double ratio = (after[k].weight - before[k].weight) / ran / faster;
            if (ran > 30e6 && (ratio < 0.6 * (1 - without) || ratio > 1.5 / (1 - without / 2)))
                fail_msg("thread %d of %d ran %.1f ms, its samples stand for %.2f of it", k, n,
                         ran / 1e6, ratio * faster);
        }
        end(pid);
        close_box(&b);
    }
}

/* The rate that threads have inherited is not changed in them: they are opened again. */
static void too_many_samples_are_fewer_later(void **state) {
    (void)state;
    struct box b;
    const pid_t pid = start_halted(be_three);
    open_pid(&b, pid, 100);
    kill(pid, SIGCONT);
    sleep_ms(3000);
    assert_int_equal(sampling_read(b.sampling, &b.copy), 0);
    const uint64_t before = b.copy.total.all.n;
    sleep_ms(2000);
    stop_and_read(&b);
    const double rate = (double)(b.copy.total.all.n - before) / 2;
    if (rate > 160 || (b.info.n_reopened == 0 && rate > 130))
        fail_msg("%.0f samples per second, opened again %d times", rate, (int)b.info.n_reopened);
    assert_true(threads_seen(&b.copy) >= 3);
    end(pid);
    close_box(&b);
}

static void a_command_is_sampled_from_its_first_instruction(void **state) {
    (void)state;
    static char sh[] = "sh", c[] = "-c",
                loop[] = "i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done";
    static char *argv[] = {sh, c, loop, NULL};
    const struct target t = {.kind = TARGET_COMMAND, .argv = argv};
    struct err err = {0};
    struct box b;
    char name[COMM_SIZE];
    if (open_on(&b, &t, 1e4, &err) || target_start(&b.target, &err))
        fail_msg("%s", err.text);
    const pid_t pid = b.target.process[0].pid;
    for (int i = 0; i < 10000 && !target_gone(&b.target); i++)
        sleep_ms(1);
    stop_and_read(&b);
    const struct tally_total *total = &b.copy.total;
    assert_true(total->all.n > 20);
    if (total->n_unknown * 50 > total->all.n)
        fail_msg("%d of %d samples are in no module", (int)total->n_unknown, (int)total->all.n);
    uint64_t in_shell = 0;
    for (uint32_t i = 1; i < b.copy.n_leaf; i++) {
        struct module m;
        sampling_module(b.sampling, b.copy.leaf[i].at.module, &m);
        if (m.kind == MODULE_FILE && strstr(m.path, "sh"))
            in_shell += b.copy.leaf_count[i].n;
    }
    assert_true(in_shell * 4 > total->all.n);
    assert_true(sampling_comm(b.sampling, pid, pid, name)); /* though it has ended */
    assert_string_equal(name, "sh");
    close_box(&b);
}

static void a_process_that_ends(void **state) {
    (void)state;
    struct box b;
    const pid_t pid = start_halted(burn_and_end);
    const double before = cpu_ns(pid);
    open_pid(&b, pid, 1e4);
    kill(pid, SIGCONT);
    waitpid(pid, NULL, 0);
    sleep_ms(300);
    sampling_info(b.sampling, &b.info);
    const uint64_t cpu = b.info.cpu_ns;
    sleep_ms(500);
    sampling_info(b.sampling, &b.info);
    assert_true(b.info.cpu_ns - cpu < 100 * NS_PER_MS); /* no event that has ended keeps it awake */
    stop_and_read(&b);
    assert_true(agrees(b.copy.total.all.weight, 50e6 - before, 0.2));
    close_box(&b);
}

static void what_is_not_there_is_said(void **state) {
    (void)state;
    struct box b;
    struct err err = {0};
    const pid_t pid = start(be_idle);
    open_pid(&b, pid, 0);
    sampling_info(b.sampling, &b.info);
    assert_true(!b.info.branches);
    assert_string_equal(b.info.no_branches, "a clock has none, only an event of the PMU");
    close_box(&b);
    memset(&b, 0, sizeof(b));
    struct target_process process = {.pid = pid, .pidfd = -1};
    b.target = (struct target_set){.kind = TARGET_PIDS, .process = &process, .n_process = 1};
    end(pid);
    locate_events(&b.locate, &b.machine, "", NULL, METRIC_NONE);
    const struct sampling_options opt = {.target = &b.target, .list = &b.locate, .n_list = 1};
    assert_int_equal(sampling_open(&b.sampling, &opt, &err), -ESRCH);
    assert_null(b.sampling);
    assert_non_null(strstr(err.text, "ended"));
    sampling_close(NULL);
}

static void counts_begin_again(void **state) {
    (void)state;
    struct box b;
    const pid_t pid = start(be_busy);
    open_pid(&b, pid, 0);
    for (int i = 0; i < 2000 && b.copy.total.all.n < 20; i++) {
        sleep_ms(5);
        assert_int_equal(sampling_read(b.sampling, &b.copy), 0);
    }
    assert_true(b.copy.total.all.n >= 20);
    sampling_reset(b.sampling);
    assert_int_equal(sampling_read(b.sampling, &b.copy), 0);
    assert_true(b.copy.total.all.n < 20);
    end(pid);
    close_box(&b);
}

int main(void) {
    const struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                         .config = PERF_COUNT_SW_CPU_CLOCK,
                                         .size = sizeof(attr),
                                         .disabled = 1};
    const int fd = perf_open_fd(&attr, 0, -1, -1);
    if (fd < 0) {
        printf("SKIP test_sampling: perf_event_open: %s\n", strerror(-fd));
        return 0;
    }
    close(fd);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_add_up_to_cpu_time),
        cmocka_unit_test(opened_while_threads_begin),
        cmocka_unit_test(too_many_samples_are_fewer_later),
        cmocka_unit_test(a_command_is_sampled_from_its_first_instruction),
        cmocka_unit_test(a_process_that_ends),
        cmocka_unit_test(what_is_not_there_is_said),
        cmocka_unit_test(counts_begin_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
