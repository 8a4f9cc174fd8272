/*
 * A whole session with its sampler thread and its screen allocates nothing after start-up: real
 * kernel counters of this very process, and the simulated core, both at 20 ms.
 */
#include "base/clock.h"
#include "session.h"
#include "ui/screen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "count_malloc.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct session s;
static struct screen sc;

static void take_one(void) {
    struct pollfd fd = {.fd = session_fd(&s), .events = POLLIN};
    while (!session_take(&s))
        if (poll(&fd, 1, 5000) != 1)
            fail_msg("no sample within 5 s");
    screen_update(&sc);
    screen_draw(&sc);
}

static void run(const char *model, const struct source_ops *ops, const struct source_options *opt,
                enum main_view view) {
    struct err err = {0};
    memset(&s, 0, sizeof(s));
    if (model_open(&s.model, model, NULL, &err) < 0 || session_open(&s, ops, opt, &err) < 0 ||
        screen_init(&sc, &s, 2, &err) < 0)
        fail_msg("%s: %s", model, err.text);
    assert_int_equal(screen_resize(&sc, 120, 40), 0);
    if (screen_attach(&sc, &err) < 0 || session_start(&s, &err) < 0)
        fail_msg("%s: %s", model, err.text);
    screen_view(&sc, view);
    for (int i = 0; i < 8; i++) /* tables of rows go round three hands */
        take_one();
    unsigned long before = calls_now();
    static const char keys[] = "xWqjjjFF*F1u"; /* popups and focus do not either */
    for (size_t i = 0; i < 25; i++) {
        take_one();
        if (i < sizeof(keys) - 1)
            screen_key(&sc, (unsigned char)keys[i], NULL);
    }
    unsigned long after = calls_now();
    screen_destroy(&sc);
    session_close(&s);
    model_free(&s.model);
    if (after != before)
        fail_msg("%s: %lu allocations in 25 intervals", model, after - before);
}

static void the_kernel(void **state) {
    (void)state;
    char pid[16];
    snprintf(pid, sizeof(pid), "%d", (int)getpid());
    struct source_options opt = {.interval_ns = 20 * NS_PER_MS};
    opt.target = (struct target){.kind = TARGET_PIDS, .pids = pid};
    consts_init(&opt.consts);
    run("software", &source_perf, &opt, VIEW_TREE);
}

static void the_simulated_core(void **state) {
    (void)state;
    struct source_options opt = {.interval_ns = 20 * NS_PER_MS, .speed = 1, .seed = 1};
    consts_init(&opt.consts);
    run("spr", &source_sim, &opt, VIEW_TREE);
    run("spr", &source_sim, &opt, VIEW_THREADS);
    run("spr", &source_sim, &opt, VIEW_CPUS);
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
