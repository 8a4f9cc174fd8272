/* The sampler against a source that does what the test says and notes what it saw. */
#include "base/clock.h"
#include "pmu/sampler.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { MAX_READS = 256 };

struct fake {
    bool live;
    uint64_t span_ns; /* of a recording's samples */
    uint64_t busy_ns; /* each read takes this long */
    int slow_read;    /* this one takes slow_ns; -1: none */
    uint64_t slow_ns;
    int last_read; /* this one returns last_rc; -1: none */
    int last_rc;
    const char *words;
    int exit_code;
    int work_left, work_done; /* slices of work between reads */
    /* What it saw: written by the thread, read after join or by index below n. */
    atomic_int n;
    uint64_t at_ns[MAX_READS], interval_ns[MAX_READS];
    long sleeps[MAX_READS];
    sigset_t mask;
};

static void nap(uint64_t ns) {
    struct timespec ts = {.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
    while (nanosleep(&ts, &ts) < 0 && errno == EINTR)
        continue;
}

static struct fake *fake; /* of the running test: the ops have no other way to it */

static int fake_open(struct source *src, struct err *err) {
    (void)err;
    src->priv = fake;
    src->live = fake->live;
    strcpy(src->target_text, "fake 42");
    int rc = layout_init(&src->layout, 1, COUNT_ABSENT, 1);
    if (rc == 0)
        layout_add(&src->layout, 0, 0);
    return rc;
}

static void note(struct fake *f, const struct source *src, int i) {
    struct rusage use;
    getrusage(RUSAGE_THREAD, &use);
    pthread_sigmask(SIG_BLOCK, NULL, &f->mask);
    f->at_ns[i] = clock_now_ns();
    f->interval_ns[i] = src->opt.interval_ns;
    f->sleeps[i] = use.ru_nvcsw;
}

static int fake_read(struct source *src, struct sample *out, struct err *err) {
    struct fake *f = src->priv;
    int i = atomic_load(&f->n);
    if (i >= MAX_READS)
        return -ENODATA;
    note(f, src, i);
    out->t0_ns = (uint64_t)i * f->span_ns;
    out->t1_ns = out->t0_ns + f->span_ns;
    out->at[0] = (struct count){.value = i, .state = COUNT_OK};
    if (f->busy_ns)
        nap(f->busy_ns);
    if (i == f->slow_read)
        nap(f->slow_ns);
    atomic_store(&f->n, i + 1);
    if (i == f->last_read)
        return err_set(err, f->last_rc, "%s", f->words);
    return 0;
}

/* So many slices of work are left; each takes its time. */
static bool fake_work(struct source *src, uint64_t until_ns) {
    struct fake *f = src->priv;
    uint64_t now = clock_now_ns();
    if (f->work_left == 0)
        return false;
    if (until_ns > now)
        nap(until_ns - now);
    f->work_done++;
    return --f->work_left > 0;
}

static int fake_exit_code(struct source *src) {
    return ((struct fake *)src->priv)->exit_code;
}

static void fake_close(struct source *src) {
    layout_destroy(&src->layout);
}

static const struct source_ops ops = {.name = "fake",
                                      .open = fake_open,
                                      .read = fake_read,
                                      .work = fake_work,
                                      .exit_code = fake_exit_code,
                                      .close = fake_close};

struct bench {
    struct fake fake;
    struct source src;
    struct mailbox box;
    struct sampler sampler;
    struct sample got;
};

static void begin(struct bench *b, uint64_t interval_ns, double speed) {
    struct source_options opt = {.interval_ns = interval_ns, .speed = speed};
    struct control first = {.interval_ns = interval_ns};
    fake = &b->fake;
    assert_int_equal(source_open(&b->src, &ops, NULL, &opt, NULL), 0);
    assert_int_equal(mailbox_init(&b->box, 1, !b->fake.live, &first), 0);
    assert_int_equal(sample_init(&b->got, 1), 0);
}

static void run(struct bench *b) {
    struct err err = {0};
    assert_int_equal(sampler_start(&b->sampler, &b->src, &b->box, NULL, &err), 0);
}

static void end(struct bench *b) {
    sampler_join(&b->sampler);
    source_close(&b->src);
    mailbox_destroy(&b->box);
    sample_destroy(&b->got);
}

static struct bench new_bench(bool live, uint64_t span_ns) {
    return (struct bench){.fake = {.live = live,
                                   .span_ns = span_ns,
                                   .slow_read = -1,
                                   .last_read = -1,
                                   .words = "",
                                   .exit_code = -1}};
}

/* Waits for a sample; false if the stream ended or none came in time. */
static bool take(struct bench *b, int timeout_ms) {
    uint64_t until = clock_now_ns() + (uint64_t)timeout_ms * NS_PER_MS;
    while (!mailbox_pop(&b->box, &b->got, NULL)) {
        if (mailbox_state(&b->box, NULL, NULL) != STREAM_LIVE || clock_now_ns() > until)
            return false;
        struct pollfd fd = {.fd = b->box.event_fd, .events = POLLIN};
        poll(&fd, 1, 10);
    }
    return true;
}

static int by_size(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t median(uint64_t *v, size_t n) {
    qsort(v, n, sizeof(*v), by_size);
    return v[n / 2];
}

#define TICK (20 * NS_PER_MS)

/*
 * How far ticks lie from the nearest point of a grid, by the median: of all grids that one of them
 * is on, the best, because any of them may have come late. A drift spreads them, 15 ms of 60.
 */
static uint64_t least_off(const uint64_t *at_ns, size_t n, uint64_t tick) {
    uint64_t least = UINT64_MAX, off[16];
    for (size_t from = 0; from < n; from++) {
        for (size_t i = 0; i < n; i++) {
            uint64_t apart =
                at_ns[i] > at_ns[from] ? at_ns[i] - at_ns[from] : at_ns[from] - at_ns[i];
            off[i] = apart % tick < tick - apart % tick ? apart % tick : tick - apart % tick;
        }
        uint64_t mid = median(off, n);
        least = mid < least ? mid : least;
    }
    return least;
}

/* Ticks stay on the grid although each read takes a third of the interval. */
static void ticks_do_not_drift(void **state) {
    (void)state;
    const uint64_t tick = 3 * TICK; /* wide enough for a machine that has other work */
    struct bench b = new_bench(true, tick);
    b.fake.busy_ns = 21 * NS_PER_MS;
    begin(&b, tick, 1);
    run(&b);
    for (uint64_t i = 0; i < 12; i++) {
        assert_true(take(&b, 2000));
        assert_int_equal(b.got.seq, i);
    }
    sampler_join(&b.sampler);
    uint64_t off = least_off(b.fake.at_ns, 12, tick);
    if (off > 15 * NS_PER_MS / 2)
        fail_msg("ticks are %llu us off their grid", (unsigned long long)off / 1000);
    end(&b);
}

/*
 * The reader's thread counts: each wait is one tick, ends early for what the reader waits for, and
 * signals nothing. Then a thread goes on, with the next number, on the same grid, to the end.
 */
static void counts_without_a_thread(void **state) {
    (void)state;
    struct bench b = new_bench(true, TICK);
    struct err err = {0};
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    b.fake.last_read = 8;
    b.fake.last_rc = -ESRCH;
    begin(&b, TICK, 1);
    assert_int_equal(sampler_prepare(&b.sampler, &b.src, &b.box, NULL, &err), 0);
    for (uint64_t i = 0; i < 4; i++) {
        assert_false(sampler_wait(&b.sampler, fds[0]));
        struct pollfd fd = {.fd = b.box.event_fd, .events = POLLIN};
        assert_int_equal(poll(&fd, 1, 0), 0);
        assert_true(mailbox_pop(&b.box, &b.got, NULL));
        assert_int_equal(b.got.seq, i);
        assert_false(mailbox_pop(&b.box, &b.got, NULL));
    }
    assert_int_equal(write(fds[1], "", 1), 1);
    assert_true(sampler_wait(&b.sampler, fds[0]));
    assert_false(mailbox_pop(&b.box, &b.got, NULL));
    assert_int_equal(sampler_spawn(&b.sampler, &err), 0);
    assert_int_equal(sampler_spawn(&b.sampler, &err), 0); /* once */
    for (uint64_t i = 4; i < 9; i++) {
        assert_true(take(&b, 2000));
        assert_int_equal(b.got.seq, i);
    }
    assert_false(take(&b, 2000));
    assert_int_equal(mailbox_state(&b.box, NULL, NULL), STREAM_GONE);
    sampler_join(&b.sampler);
    uint64_t off = least_off(b.fake.at_ns, 9, TICK);
    if (off > TICK / 4)
        fail_msg("ticks are %llu us off their grid", (unsigned long long)off / 1000);
    close(fds[0]);
    close(fds[1]);
    end(&b);
}

static void one_wake_up_per_tick(void **state) {
    (void)state;
    static const struct {
        const char *what;
        bool live;
    } cases[] = {{"live", true}, {"recording", false}};
    for (size_t c = 0; c < 2; c++) {
        struct bench b = new_bench(cases[c].live, TICK);
        begin(&b, TICK, 1);
        run(&b);
        for (int i = 0; i < 9; i++)
            assert_true(take(&b, 2000));
        sampler_join(&b.sampler);
        uint64_t sleeps[7];
        for (int i = 1; i < 8; i++)
            sleeps[i - 1] = (uint64_t)(b.fake.sleeps[i + 1] - b.fake.sleeps[i]);
        uint64_t mid = median(sleeps, 7);
        if (mid != 1)
            fail_msg("%s: %llu sleeps per tick", cases[c].what, (unsigned long long)mid);
        end(&b);
    }
}

/* One read takes five ticks and a quarter: the next sample belongs to tick six, none is made up. */
static bool skips_late_ticks(void) {
    struct bench b = new_bench(true, TICK);
    b.fake.slow_read = 1;
    b.fake.slow_ns = 5 * TICK + TICK / 4;
    begin(&b, TICK, 1);
    run(&b);
    for (int i = 0; i < 4; i++)
        assert_true(take(&b, 2000));
    sampler_join(&b.sampler);
    uint64_t late = b.fake.at_ns[2] - b.fake.at_ns[1], next = b.fake.at_ns[3] - b.fake.at_ns[2];
    end(&b);
    return late > 5 * TICK + TICK * 6 / 10 && next > TICK / 2;
}

static void late_ticks_are_skipped(void **state) {
    (void)state;
    int tries = 5; /* a busy machine may itself be late by half a tick */
    while (!skips_late_ticks())
        assert_true(--tries > 0);
}

/* What a source has left to do is done between the ticks, and makes none of them late. */
static bool works_between_ticks(void) {
    struct bench b = new_bench(true, TICK);
    b.fake.work_left = 12;
    begin(&b, 5 * TICK, 1);
    run(&b);
    for (int i = 0; i < 4; i++)
        assert_true(take(&b, 3000));
    sampler_join(&b.sampler);
    int done = b.fake.work_done;
    uint64_t whole = b.fake.at_ns[3] - b.fake.at_ns[0], off = 0;
    for (int i = 1; i < 4; i++) {
        uint64_t dt = b.fake.at_ns[i] - b.fake.at_ns[i - 1];
        uint64_t d = dt > 5 * TICK ? dt - 5 * TICK : 5 * TICK - dt;
        off = d > off ? d : off;
    }
    end(&b);
    assert_int_equal(done, 12);
    return off < TICK && whole > 14 * TICK && whole < 16 * TICK;
}

static void work_is_done_between_ticks(void **state) {
    (void)state;
    int tries = 5; /* a busy machine may itself be late */
    while (!works_between_ticks())
        assert_true(--tries > 0);
}

/* Not even endless work keeps the thread from ending. */
static void endless_work_can_be_ended(void **state) {
    (void)state;
    struct bench b = new_bench(true, TICK);
    b.fake.work_left = 1 << 30;
    begin(&b, 100 * NS_PER_S, 1);
    run(&b);
    nap(30 * NS_PER_MS);
    uint64_t began = clock_now_ns();
    sampler_join(&b.sampler);
    assert_true(clock_now_ns() - began < NS_PER_S);
    assert_true(b.fake.work_done > 0);
    end(&b);
}

static void a_shorter_interval_is_felt_at_once(void **state) {
    (void)state;
    struct bench b = new_bench(true, TICK);
    begin(&b, 100 * NS_PER_S, 1);
    run(&b);
    assert_false(take(&b, 50));
    mailbox_request(&b.box, &(struct control){.interval_ns = 1}); /* below the floor */
    assert_true(take(&b, 2000));
    assert_true(take(&b, 2000));
    sampler_join(&b.sampler);
    assert_int_equal(b.fake.interval_ns[1], SAMPLER_MIN_INTERVAL_NS);
    assert_true(b.fake.at_ns[1] - b.fake.at_ns[0] < 2 * NS_PER_S);
    end(&b);
}

static void join_waits_for_nothing(void **state) {
    (void)state;
    static const struct {
        const char *what;
        bool live, paused;
        double speed;
    } cases[] = {
        {"a tick", true, false, 1},
        {"the pace of a recording", false, false, 1},
        {"being released from a pause", false, true, 1},
        {"room in the box", false, false, 0},
    };
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        struct bench b = new_bench(cases[c].live, 100 * NS_PER_S);
        begin(&b, 100 * NS_PER_S, cases[c].speed);
        run(&b);
        if (cases[c].paused)
            mailbox_request(&b.box, &(struct control){.interval_ns = NS_PER_S, .paused = true});
        nap(20 * NS_PER_MS);
        uint64_t t = clock_now_ns();
        sampler_join(&b.sampler);
        t = clock_now_ns() - t;
        if (t > 20 * NS_PER_S) /* of 100: well under 1 ms, but for a machine that is busy */
            fail_msg("waiting for %s: join took %llu ms", cases[c].what,
                     (unsigned long long)(t / NS_PER_MS));
        sampler_join(&b.sampler); /* again is harmless */
        end(&b);
    }
}

static void the_stream_ends_as_the_source_says(void **state) {
    (void)state;
    static const struct {
        const char *what;
        bool live;
        int rc, exit_code;
        uint64_t samples;
        enum stream_state end;
    } cases[] = {
        {"end of a recording", false, -ENODATA, -1, 3, STREAM_ENDED},
        {"target gone, seen by read", true, -ESRCH, 137, 4, STREAM_GONE},
        {"a live read fails", true, -EIO, -1, 3, STREAM_FAILED},
        {"a recording is broken", false, -EINVAL, -1, 3, STREAM_FAILED},
    };
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        struct bench b = new_bench(cases[c].live, NS_PER_MS);
        b.fake.last_read = 3;
        b.fake.last_rc = cases[c].rc;
        b.fake.words = "so it was";
        b.fake.exit_code = cases[c].exit_code;
        begin(&b, TICK, 1);
        run(&b);
        uint64_t n = 0;
        while (take(&b, 2000))
            assert_int_equal(b.got.seq, n++);
        int code = 0;
        struct err why = {0};
        enum stream_state is = mailbox_state(&b.box, &code, &why);
        if (n != cases[c].samples || is != cases[c].end || code != cases[c].exit_code ||
            strcmp(why.text, "so it was"))
            fail_msg("%s: %d samples, state %d, exit code %d, \"%s\"", cases[c].what, (int)n, is,
                     code, why.text);
        end(&b);
    }
}

static void the_last_partial_interval_is_read_when_the_target_exits(void **state) {
    (void)state;
    struct bench b = new_bench(true, TICK);
    int end_of_target[2];
    assert_int_equal(pipe(end_of_target), 0);
    b.fake.exit_code = 7;
    begin(&b, 100 * NS_PER_S, 1);
    b.src.wait_fd = end_of_target[0];
    run(&b);
    nap(10 * NS_PER_MS);
    close(end_of_target[1]); /* as a pidfd: becomes readable, stays so */
    assert_true(take(&b, 2000));
    assert_false(take(&b, 2000));
    int code = -1;
    struct err why = {0};
    assert_int_equal(mailbox_state(&b.box, &code, &why), STREAM_GONE);
    assert_int_equal(code, 7);
    assert_string_equal(why.text, "fake 42: has exited");
    end(&b);
    assert_int_equal(atomic_load(&b.fake.n), 1);
    close(end_of_target[0]);
}

/* How long five samples of 50 ms take. */
static uint64_t five_samples_ms(double speed) {
    struct bench b = new_bench(false, 50 * NS_PER_MS);
    begin(&b, NS_PER_S, speed);
    uint64_t began = clock_now_ns();
    run(&b);
    for (int i = 0; i < 5; i++)
        assert_true(take(&b, 20000));
    sampler_join(&b.sampler);
    uint64_t took = b.fake.at_ns[4] - began;
    end(&b);
    return took / NS_PER_MS;
}

/* Never before its time; and in time, if only the machine lets it once. */
static void a_recording_keeps_its_pace(void **state) {
    (void)state;
    static const struct {
        const char *what;
        double speed;
        uint64_t least_ms, most_ms;
    } cases[] = {{"as recorded", 1, 200, 350}, {"four times", 4, 50, 180}, {"at once", 0, 0, 45}};
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        uint64_t ms = UINT64_MAX;
        for (int tries = 10; ms > cases[c].most_ms && tries > 0; tries--) {
            ms = five_samples_ms(cases[c].speed);
            assert_true(ms >= cases[c].least_ms);
        }
        if (ms > cases[c].most_ms)
            fail_msg("%s: five samples of 50 ms in %llu ms", cases[c].what, (unsigned long long)ms);
    }
}

static void a_recording_loses_nothing(void **state) {
    (void)state;
    struct bench b = new_bench(false, NS_PER_S);
    begin(&b, NS_PER_S, 0);
    b.src.opt.until_ns = 40 * NS_PER_S;
    run(&b);
    nap(20 * NS_PER_MS); /* the box is full now */
    uint64_t n = 0;
    while (take(&b, 2000)) {
        assert_int_equal(b.got.seq, n++);
        assert_int_equal(b.got.merged, 0);
    }
    assert_int_equal(n, 40);
    assert_int_equal(mailbox_state(&b.box, NULL, NULL), STREAM_ENDED);
    end(&b);
}

static void a_paused_recording_stands_still(void **state) {
    (void)state;
    struct bench b = new_bench(false, 10 * NS_PER_MS);
    begin(&b, NS_PER_S, 1);
    run(&b);
    assert_true(take(&b, 2000));
    mailbox_request(&b.box, &(struct control){.interval_ns = NS_PER_S, .paused = true});
    int tries = 50; /* until the thread had a CPU to see it, samples still come each 10 ms */
    while (take(&b, 60))
        assert_true(--tries > 0);
    int n = atomic_load(&b.fake.n);
    assert_false(take(&b, 60));
    assert_int_equal(atomic_load(&b.fake.n), n);
    mailbox_request(&b.box, &(struct control){.interval_ns = NS_PER_S});
    assert_true(take(&b, 2000));
    assert_int_equal(b.got.seq, n);
    end(&b);
}

static void signals_are_the_screen_s(void **state) {
    (void)state;
    static const int blocked[] = {SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGCHLD, SIGTSTP, SIGALRM};
    static const int open[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    struct bench b = new_bench(false, NS_PER_MS);
    sigset_t mine;
    begin(&b, NS_PER_S, 0);
    run(&b);
    assert_true(take(&b, 2000));
    pthread_sigmask(SIG_BLOCK, NULL, &mine);
    sampler_join(&b.sampler);
    for (size_t i = 0; i < sizeof(blocked) / sizeof(blocked[0]); i++) {
        assert_true(sigismember(&b.fake.mask, blocked[i]));
        assert_false(sigismember(&mine, blocked[i]));
    }
    for (size_t i = 0; i < sizeof(open) / sizeof(open[0]); i++)
        assert_false(sigismember(&b.fake.mask, open[i])); /* a crash restores the terminal */
    end(&b);
}

static double six_frozen_ms(bool live) {
    struct bench b = new_bench(live, TICK);
    struct timespec t0, t1;
    begin(&b, TICK, 1);
    clock_gettime(CLOCK_MONOTONIC, &t0);
    run(&b);
    for (int i = 0; i < 6; i++) {
        struct pollfd fd = {.fd = b.box.event_fd, .events = POLLIN};
        while (!mailbox_pop(&b.box, &b.got, NULL))
            assert_int_equal(poll(&fd, 1, 20000), 1);
    }
    clock_gettime(CLOCK_MONOTONIC, &t1);
    end(&b);
    return (double)(t1.tv_sec - t0.tv_sec) * 1e3 + (double)(t1.tv_nsec - t0.tv_nsec) / 1e6;
}

/* The screen tests freeze the clock: each wait must then be one interval, no more and no less. */
static void a_frozen_clock_does_not_stop_the_ticks(void **state) {
    (void)state;
    for (int live = 0; live < 2; live++) {
        double ms = 1e9;
        for (int tries = 5; ms > 300 && tries > 0; tries--) {
            ms = six_frozen_ms(live);
            assert_true(ms >= 95);
        }
        if (ms > 300) /* a wait that grows by itself takes 300 ms and more, however often */
            fail_msg("%s: six samples of 20 ms in %.0f ms", live ? "live" : "recording", ms);
    }
}

static void join_without_start_is_harmless(void **state) {
    (void)state;
    struct sampler sp = {0};
    sampler_join(&sp);
    assert_false(sp.started);
}

int main(void) {
    const struct CMUnitTest frozen[] = {
        cmocka_unit_test(a_frozen_clock_does_not_stop_the_ticks),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_do_not_drift),
        cmocka_unit_test(counts_without_a_thread),
        cmocka_unit_test(one_wake_up_per_tick),
        cmocka_unit_test(late_ticks_are_skipped),
        cmocka_unit_test(work_is_done_between_ticks),
        cmocka_unit_test(endless_work_can_be_ended),
        cmocka_unit_test(a_shorter_interval_is_felt_at_once),
        cmocka_unit_test(join_waits_for_nothing),
        cmocka_unit_test(the_stream_ends_as_the_source_says),
        cmocka_unit_test(the_last_partial_interval_is_read_when_the_target_exits),
        cmocka_unit_test(a_recording_keeps_its_pace),
        cmocka_unit_test(a_recording_loses_nothing),
        cmocka_unit_test(a_paused_recording_stands_still),
        cmocka_unit_test(signals_are_the_screen_s),
        cmocka_unit_test(join_without_start_is_harmless),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    clock_freeze(5 * NS_PER_S, 0); /* for good */
    return failed + cmocka_run_group_tests(frozen, NULL, NULL);
}
