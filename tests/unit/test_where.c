/* What the Where view shows, of a real process: its functions by name, stacks, the lines and
 * instructions of one; and why there is nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "session/where.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t sink;

/* ThreadSanitizer would spend its time in its own functions. */
__attribute__((noinline, no_sanitize("thread"))) static void spins_here(void) {
    for (uint64_t i = 0; i < 100000; i++)
        sink = sink * 2862933555777941757ull + i;
    __asm__ volatile("");
}

__attribute__((noinline)) static void calls_it(void) {
    for (;;)
        spins_here();
}

static pid_t start(void) {
    const pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        calls_it();
    }
    assert_true(pid > 0);
    return pid;
}

static void end(pid_t pid) {
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static void session_on(struct session *s, pid_t pid, char text[16]) {
    *s = (struct session){0};
    snprintf(text, 16, "%d", (int)pid);
    s->source.live = true;
    s->source.opt.target = (struct target){.kind = TARGET_PIDS, .pids = text};
}

/* Until it holds, 10 s at most. */
static void wait_for(struct where_live *w, bool (*holds)(const struct where_live *w)) {
    for (int i = 0; i < 1000 && !holds(w); i++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        where_live_update(w, clock_now_ns());
    }
    assert_true(holds(w));
}

static const struct where_function *first(const struct where_live *w) {
    return w->n_row ? &w->function[w->row[0]] : NULL;
}

static bool is_named(const struct where_live *w) {
    const struct where_function *f = first(w);
    return f && f->count.n >= 50 && strcmp(where_function_name(f), "spins_here") == 0;
}

static bool is_open(const struct where_live *w) {
    return w->listing && w->spots.n >= 50;
}

static bool has_samples(const struct where_live *w) {
    return w->total.all.n > 0;
}

static void check_flame(const struct where_live *w) {
    double below = 0;
    bool seen = false;
    assert_true(w->n_block > 2 && w->block[0].w == 1);
    for (uint32_t i = 1; i < w->n_block; i++) {
        const struct where_block *b = &w->block[i], *of = &w->block[b->parent];
        assert_true(b->parent < i && b->depth == of->depth + 1);
        assert_true(b->x >= of->x - 1e-9 && b->x + b->w <= of->x + of->w + 1e-9);
        below += b->depth == 1 ? b->w : 0;
        seen |=
            strcmp(where_function_name(&w->function[b->function]), "spins_here") == 0 && b->w > 0.5;
    }
    assert_true(below > 0.99 && below < 1.0001);
    assert_true(seen);
}

static void check_listing(struct where_live *w) {
    const struct listing *l = w->listing;
    double code = 0, line = 0;
    char lack[NAMES_LACK];
    if (l->code.n == 0) {
        assert_true(l->code_lack[0]);
        return;
    }
    for (size_t i = 0; i < l->code.n; i++)
        code += w->spots.code[i];
    assert_true(code > 0.99 && code < 1.0001);
    assert_true(w->spots.code[w->spots.hot_code] > 0);
    if (!l->text.n_line)
        return;
    for (size_t i = 1; i <= l->text.n_line; i++)
        line += w->spots.line[i];
    assert_true(line > 0.9 && line < 1.0001);
    assert_non_null(strstr(source_text_line(&l->text, w->spots.hot_line), "i"));
    assert_non_null(strstr(first(w)->line, "test_where.c:"));
    assert_string_equal(where_live_lack(w, w->open, lack, sizeof(lack)), "");
}

static void test_real(void **state) {
    (void)state;
    static struct session s;
    static struct where_live w;
    char text[16];
    const pid_t pid = start();
    session_on(&s, pid, text);
    const uint64_t begin = clock_now_ns();
    if (!where_live_open(&w, &s, METRIC_NONE)) {
        print_message("SKIP test_where: %s\n", w.lack);
        end(pid);
        skip();
    }
    print_message("opened in %.1f ms\n", (double)(clock_now_ns() - begin) / 1e6);
    w.flame = true;
    wait_for(&w, is_named);
    const struct where_function *f = first(&w);
    assert_true(f->share > 0.5 && f->low < f->share && f->high >= f->share && f->high <= 1);
    assert_string_equal(f->file, "test_where");
    assert_string_equal(f->thread, "test_where");
    assert_int_equal(f->tid, pid);
    check_flame(&w);
    where_live_ask(&w, (int)w.row[0]);
    wait_for(&w, is_open);
    check_listing(&w);
    where_live_reset(&w);
    assert_int_equal(w.n_row, 0);
    wait_for(&w, has_samples);
    assert_true(where_live_due(&w) > 0);
    end(pid);
    const uint64_t closing = clock_now_ns();
    where_live_close(&w);
    print_message("closed in %.1f ms\n", (double)(clock_now_ns() - closing) / 1e6);
    assert_int_equal(where_live_due(&w), 0);
    assert_false(where_live_update(&w, clock_now_ns()));
    assert_true(w.total.all.n > 0);                     /* what was seen stays */
    assert_false(where_live_open(&w, &s, METRIC_NONE)); /* it has ended */
    assert_non_null(strstr(w.lack, "no such process"));
    assert_int_equal(w.total.all.n, 0);
    where_live_destroy(&w);
}

static void test_none(void **state) {
    (void)state;
    static struct session s;
    static struct where_live w;
    s.source.simulated = true;
    assert_false(where_live_open(&w, &s, METRIC_NONE));
    assert_non_null(strstr(w.lack, "simulated"));
    s.source.simulated = false;
    assert_false(where_live_open(&w, &s, METRIC_NONE));
    assert_non_null(strstr(w.lack, "recorded"));
    s.source.live = true;
    assert_false(where_live_open(&w, &s, METRIC_NONE));
    assert_non_null(strstr(w.lack, "no target"));
    where_live_destroy(&w);
}

/* A process that comes again under its name. */
static void test_follows(void **state) {
    (void)state;
    static struct session s;
    static struct where_live w;
    s.source.live = true;
    s.source.opt.target =
        (struct target){.kind = TARGET_NAME, .name = "tdtop-nobody", .follows = true};
    assert_false(where_live_open(&w, &s, METRIC_NONE));
    assert_true(where_live_due(&w) > 0);
    const pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_NAME, "tdtop-nobody");
        calls_it();
    }
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    where_live_update(&w, clock_now_ns());
    if (w.lack[0])
        print_message("SKIP test_where: %s\n", w.lack);
    else
        wait_for(&w, is_named);
    end(pid);
    where_live_destroy(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_real),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_follows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
