/*
 * A whole session with its sampler thread and its screen allocates nothing after start-up: real
 * kernel counters of this very process, and the simulated core, both at 20 ms. Nor does the thread
 * of the screen read files.
 */
#include "base/clock.h"
#include "session/session.h"
#include "ui/screen/screen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "count_malloc.h"

#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* This program's own open() and pread() stand before the C library's: who looks at /proc and /sys
 * uses them. */
static _Thread_local unsigned long my_reads;
static unsigned long all_reads;

static void count_read(void) {
    my_reads++;
    __atomic_add_fetch(&all_reads, 1, __ATOMIC_RELAXED);
}

int open(const char *path, int flags, ...) {
    va_list ap;
    va_start(ap, flags);
    const int mode = flags & O_CREAT ? va_arg(ap, int) : 0;
    va_end(ap);
    if (strncmp(path, "/proc/self/", 11) != 0) /* what tdtop itself costs: of its popup */
        count_read();
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

ssize_t pread(int fd, void *buf, size_t n, off_t at) {
    count_read();
    return syscall(SYS_pread64, fd, buf, n, at);
}

static struct session s;
static struct screen sc;

static unsigned long reads_to_take; /* keys may read: they are not counted */

static void take_one(void) {
    const unsigned long before = my_reads;
    struct pollfd fd = {.fd = session_fd(&s), .events = POLLIN};
    while (!session_take(&s))
        if (poll(&fd, 1, 5000) != 1)
            fail_msg("no sample within 5 s");
    screen_update(&sc);
    screen_draw(&sc);
    reads_to_take += my_reads - before;
}

static void pin(void) {
    struct err err = {0};
    if (baseline_pin_live(&sc.scene, &err) < 0)
        fail_msg("%s", err.text);
}

/* Tables of rows go round three hands, and the last is needed when a sample has to wait: it may
 * come late, but not again and again. */
static void settle(void) {
    enum { QUIET = 20, MOST = 400 };
    for (int i = 0, quiet = 0; i < MOST && quiet < QUIET; i++) {
        const unsigned long before = calls_now();
        take_one();
        quiet = calls_now() == before ? quiet + 1 : 0;
    }
}

/* With a baseline, enough intervals for it to be compared again and again. */
static void run(const char *model, const struct source_ops *ops, const struct source_options *opt,
                const struct view *view, bool pinned) {
    struct err err = {0};
    memset(&s, 0, sizeof(s));
    if (model_open(&s.model, model, NULL, &err) < 0 || session_open(&s, ops, opt, &err) < 0 ||
        screen_init(&sc, &s, 2, &err) < 0)
        fail_msg("%s: %s", model, err.text);
    assert_int_equal(screen_resize(&sc, 120, 40), 0);
    if (screen_attach(&sc, &err) < 0 || session_start(&s, &err) < 0)
        fail_msg("%s: %s", model, err.text);
    screen_view(&sc, view);
    if (pinned) {
        take_one();
        pin();
    }
    settle();
    const unsigned long before = calls_now();
    reads_to_take = 0;
    static const char keys[] = "xWqjjjFF*F1u"; /* popups and focus do not either */
    const uint64_t n = 25, least_ns = s.sample.t1_ns + (pinned ? 3 * NS_PER_S : 0);
    for (uint64_t i = 0; i < n || s.sample.t1_ns < least_ns; i++) {
        take_one();
        if (i < sizeof(keys) - 1)
            screen_key(&sc, (unsigned char)keys[i], NULL);
    }
    unsigned long after = calls_now();
    assert_true(!pinned || sc.scene.base.c.n_row > 0);
    screen_destroy(&sc);
    session_close(&s);
    model_free(&s.model);
    if (after != before)
        fail_msg("%s, view %s%s: %lu allocations", model, view->id,
                 pinned ? ", with a baseline" : "", after - before);
    if (reads_to_take)
        fail_msg("%s, view %s: the screen's thread read %lu files", model, view->id, reads_to_take);
}

static void the_kernel(void **state) {
    (void)state;
    char pid[16];
    snprintf(pid, sizeof(pid), "%d", (int)getpid());
    struct source_options opt = {.interval_ns = 20 * NS_PER_MS};
    opt.target = (struct target){.kind = TARGET_PIDS, .pids = pid};
    consts_init(&opt.consts);
    run("software", &source_perf, &opt, &view_tree, false);
    run("software", &source_perf, &opt, &view_tree, true);
}

static void the_simulated_core(void **state) {
    (void)state;
    struct source_options opt = {.interval_ns = 20 * NS_PER_MS, .speed = 1, .seed = 1};
    consts_init(&opt.consts);
    run("spr", &source_sim, &opt, &view_tree, false);
    run("spr", &source_sim, &opt, &view_threads, false);
    run("spr", &source_sim, &opt, &view_cpus, false);
    opt.speed = 20;
    run("spr", &source_sim, &opt, &view_tree, true);
    run("spr", &source_sim, &opt, &view_bench, true);
}

/* The machine is looked at, by the other thread. */
static void looks_at_the_machine(void **state) {
    (void)state;
    struct err err = {0};
    struct source_options opt = {.interval_ns = 20 * NS_PER_MS};
    opt.target = (struct target){.kind = TARGET_ALL};
    consts_init(&opt.consts);
    memset(&s, 0, sizeof(s));
    if (model_open(&s.model, "software", NULL, &err) < 0 ||
        session_open(&s, &source_perf, &opt, &err) < 0 || session_start(&s, &err) < 0)
        fail_msg("%s", err.text);
    const unsigned long mine = my_reads, all = __atomic_load_n(&all_reads, __ATOMIC_RELAXED);
    const uint64_t cost_ns = s.env.cost_ns;
    struct pollfd fd = {.fd = session_fd(&s), .events = POLLIN};
    /* The first look may have been before this, and be told after it. */
    for (int i = 0; i < 1000 && (s.env.cost_ns == cost_ns ||
                                 __atomic_load_n(&all_reads, __ATOMIC_RELAXED) == all);
         i++)
        if (!session_take(&s) && poll(&fd, 1, 5000) != 1)
            fail_msg("no sample within 5 s");
    assert_true(s.env.cost_ns != cost_ns); /* that of another look */
    assert_true(__atomic_load_n(&all_reads, __ATOMIC_RELAXED) > all);
    assert_int_equal(my_reads, mine);
    session_close(&s);
}

static void the_counter_works(void **state) {
    (void)state;
    unsigned long before = calls_now();
    void *volatile block = malloc(100); /* volatile: or the pair is optimised away */
    free(block);
#ifndef SANITIZED
    assert_true(calls_now() > before);
#else
    (void)before;
    printf("SKIP test_noalloc_live: the sanitizer brings its own malloc, calls are not counted\n");
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_counter_works),
        cmocka_unit_test(the_kernel),
        cmocka_unit_test(the_simulated_core),
        cmocka_unit_test(looks_at_the_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
