/* What the Where view shows, of a real process: its functions by name, stacks, the lines and
 * instructions of one; and why there is nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "model/run/run.h"
#include "session/where.h"

#include <errno.h>
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

/* A frame of its own, by which callers are found. */
#define HAS_FRAME() __asm__ volatile("" ::"r"(__builtin_frame_address(0)))

/* ThreadSanitizer would spend its time in its own functions. */
__attribute__((noinline, no_sanitize("thread"))) static void spins_here(void) {
    HAS_FRAME();
    for (uint64_t i = 0; i < 100000; i++)
        sink = sink * 2862933555777941757ull + i;
    __asm__ volatile("");
}

__attribute__((noinline)) static void calls_it(void) {
    HAS_FRAME();
    for (;;)
        spins_here();
}

__attribute__((noinline, no_sanitize("thread"))) static void spins_there(void) {
    HAS_FRAME();
    for (uint64_t i = 0; i < 100000; i++) /* not the same code, or the two would be one */
        sink = sink * 3202034522624059733ull + i;
    __asm__ volatile("");
}

__attribute__((noinline)) static void calls_both(void) {
    HAS_FRAME();
    for (;;) {
        spins_here();
        spins_there();
        spins_there();
    }
}

static void *thread(void *arg) {
    (void)arg;
    calls_it();
    return NULL;
}

static void calls_in_threads(void) {
    pthread_t t;
    if (pthread_create(&t, NULL, thread, NULL) == 0)
        calls_both();
}

static pid_t start_of(void (*runs)(void)) {
    const pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        runs();
        _exit(1);
    }
    assert_true(pid > 0);
    return pid;
}

static pid_t start(void) {
    return start_of(calls_it);
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

static bool has_line(const struct where_live *w) {
    return is_named(w) && first(w)->line[0];
}

/* The line that is shown of a function is kept, too, where another place of it is the hottest now.
 */
static void check_kept_line(struct where_live *w) {
    struct run r = {0};
    wait_for(w, has_line);
    w->function[w->row[0]].hottest_leaf = 0;
    assert_int_equal(where_live_give(w, 0, UINT64_MAX, &r), 0);
    assert_int_equal(r.hot.n, 1);
    const struct hot *h = &r.hot.at[0];
    size_t i = 0;
    while (i < h->function.n && strcmp(h->function.at[i].name, "spins_here") != 0)
        i++;
    assert_true(i < h->function.n);
    assert_non_null(strstr(h->function.at[i].file, "test_where.c"));
    assert_true(h->function.at[i].line > 0);
    run_free(&r);
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
    check_kept_line(&w);
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

/* ---- kept, and shown again ---- */

static const struct where_function *named(const struct where_live *w, const char *name) {
    for (uint32_t i = 0; i < w->n_row; i++)
        if (strcmp(where_function_name(&w->function[w->row[i]]), name) == 0)
            return &w->function[w->row[i]];
    return NULL;
}

static bool has_both(const struct where_live *w) {
    const struct where_function *here = named(w, "spins_here"), *there = named(w, "spins_there");
    return here && there && here->count.n >= 100 && there->count.n >= 100;
}

/* Far ahead: the kernel has done with what it had to do when the process began, and samples that
 * are still to come do not change who is first. */
static bool leads(const struct where_live *w) {
    return is_named(w) && first(w)->share > 0.7;
}

/* Samples what runs until it holds; into a run. False, said: nothing may be sampled here. */
static bool sample_into(struct where_live *w, struct session *s, void (*runs)(void),
                        bool (*holds)(const struct where_live *w), struct run *r) {
    char text[16];
    const pid_t pid = start_of(runs);
    session_on(s, pid, text);
    if (!where_live_open(w, s, METRIC_NONE)) {
        print_message("SKIP test_where: %s\n", w->lack);
        end(pid);
        return false;
    }
    w->flame = true;
    wait_for(w, holds);
    assert_int_equal(where_live_give(w, w->info.begin_ns, clock_now_ns(), r), 0);
    end(pid);
    return true;
}

static uint64_t all_of(const struct hot *h) {
    uint64_t n = 0;
    for (size_t i = 0; i < h->leaf.n; i++)
        n += h->leaf.at[i].count.n;
    return n + h->n_no_leaf;
}

static void check_stored(struct where_live *w, const struct hot *h) {
    assert_true(where_live_due(w) > 0);
    assert_true(where_live_update(w, clock_now_ns()));
    assert_int_equal(w->total.all.n, h->all.n);
    const struct where_function *f = first(w);
    assert_string_equal(where_function_name(f), "spins_here");
    assert_true(f->share > 0.5 && f->low < f->share && f->high >= f->share);
    assert_string_equal(f->file, "test_where");
    assert_string_equal(f->thread, "test_where");
    check_flame(w);
}

/* The kernel's own work may have been seen before it. */
static const struct hot_leaf *leaf_here(const struct hot *h) {
    size_t i = 0;
    while (i < h->leaf.n && strcmp(h->function.at[h->leaf.at[i].function].name, "spins_here") != 0)
        i++;
    assert_true(i < h->leaf.n);
    return &h->leaf.at[i];
}

static void put_branch(struct hot *h, uint64_t offset, uint64_t n_missed, const char *file) {
    const uint32_t f = leaf_here(h)->function;
    const double missed = (double)n_missed; /* 20 samples that are all alike */
    const struct hot_branch b = {.from = f,
                                 .to = f,
                                 .from_offset = h->function.at[f].start + offset,
                                 .to_offset = h->function.at[f].start,
                                 .file = strdup(file),
                                 .line = 12,
                                 .count = {100, 100, n_missed, 100, 350, 100, missed, 500,
                                           5 * missed, missed * missed / 20, missed * 2.5}};
    assert_int_equal(array_push(&h->branch, b), 0);
}

static void check_branches(struct where_live *w) {
    w->by = WHERE_BY_BRANCH;
    w->due_ns = 0;
    assert_true(where_live_update(w, clock_now_ns()));
    assert_int_equal(w->n_row, 2);
    const struct where_function *f = first(w);
    assert_int_equal(f->module, WHERE_BRANCH);
    assert_int_equal(f->taken.count.n_missed, 40);
    assert_true(f->taken.rate == 0.4 && f->taken.low > 0.2 && f->taken.high < 0.65);
    assert_true(fabs(f->share - 0.8) < 1e-12 && f->low < 0.8 && f->high > 0.8);
    assert_string_equal(f->line, "b.c:12");
    const int function = where_row_function(w, (int)w->row[0]);
    assert_true(function > 0);
    assert_string_equal(where_function_name(&w->function[function]), "spins_here");
    w->by = WHERE_BY_FUNCTION;
    w->due_ns = 0;
    assert_true(where_live_update(w, clock_now_ns()));
    assert_string_equal(where_function_name(first(w)), "spins_here");
}

/* Two threads take a line from each other; another is of one thread. */
static void put_accesses(struct hot *h) {
    const struct hot_leaf *l = leaf_here(h);
    const struct hot_thread t = {h->thread.at[0].pid, 1 << 22, strdup("other")};
    const uint32_t other = (uint32_t)h->thread.n;
    assert_int_equal(array_push(&h->thread, t), 0);
    const struct hot_access a[] = {
        {l->function, l->thread, 0, 9, 1, DATA_OTHER_CORE, {{30, 30, 30}, 0, 30, 2700}},
        {l->function, other, 0, 9, 2, DATA_OTHER_CORE, {{30, 30, 30}, 0, 30, 2700}},
        {l->function, other, 0, 10, 2, DATA_DRAM, {{40, 40, 40}, 0, 40, 12000}}};
    for (int i = 0; i < 3; i++)
        assert_int_equal(array_push(&h->access, a[i]), 0);
    h->data = (struct hot_count){100, 100, 100};
}

static void check_accesses(struct where_live *w) {
    double share;
    w->by = WHERE_BY_ACCESS;
    w->due_ns = 0;
    assert_true(where_live_update(w, clock_now_ns()));
    assert_int_equal(w->n_row, 2);
    const struct where_function *f = first(w);
    assert_int_equal(f->module, WHERE_CACHE_LINE);
    assert_string_equal(where_function_name(f), "0x240");
    assert_true(f->share == 0.6 && f->low > 0.5 && f->low < 0.6 && f->high > 0.6);
    assert_int_equal(f->data.sharing, LINE_FALSE_SHARED);
    assert_int_equal(f->data.n_thread, 2);
    assert_string_equal(where_function_name(&w->function[f->top]), "spins_here");
    assert_int_equal(where_row_function(w, (int)w->row[0]), f->top);
    assert_true(access_cycles(&w->by_source[DATA_DRAM]) == 300);
    w->by = WHERE_BY_FUNCTION;
    w->due_ns = 0;
    assert_true(where_live_update(w, clock_now_ns()));
    assert_true(access_cycles(&first(w)->data.sum.all) == 174);
    assert_int_equal(access_mostly(&first(w)->data.sum, &share), DATA_OTHER_CORE);
    assert_true(share == 0.6);
}

static void test_stored(void **state) {
    (void)state;
    static struct session s;
    static struct where_live w, stored;
    struct run r = {0};
    struct hot copy;
    if (!sample_into(&w, &s, calls_it, leads, &r))
        skip();
    assert_int_equal(r.hot.n, 1);
    const struct hot *h = &r.hot.at[0];
    assert_true(!h->branches && !h->taken.n && !h->no_branches[0]); /* none were asked for */
    assert_int_equal(all_of(h), h->all.n);
    assert_true(h->seconds > 0 && h->all.n >= 50);
    assert_int_equal(hot_check(&r.hot.at[0], NULL), 0);
    assert_int_equal(hot_copy(&copy, h), 0);
    assert_int_equal(all_of(&copy), h->all.n);
    assert_string_equal(copy.event.at[0].name, h->event.at[0].name);
    hot_free(&copy);

    /* What was closed is given until its time is over. */
    const uint64_t begin = w.info.begin_ns;
    where_live_close(&w);
    assert_int_equal(w.kept.n, 1);
    struct run again = {0};
    assert_int_equal(where_live_give(&w, begin, clock_now_ns(), &again), 0);
    assert_int_equal(again.hot.n, 1);
    assert_true(again.hot.at[0].all.n >= h->all.n);
    run_free(&again);
    assert_int_equal(where_live_give(&w, clock_now_ns(), clock_now_ns() + 1, &again), 0);
    assert_int_equal(again.hot.n, 0);
    where_live_destroy(&w);

    put_branch(&r.hot.at[0], 4, 10, "");
    put_branch(&r.hot.at[0], 8, 40, "/src/b.c");
    r.hot.at[0].branches = true;
    r.hot.at[0].taken = (struct hot_taken){200, 200, 50, 200, 700, 200, 50, 2000, 500, 125, 125};
    put_accesses(&r.hot.at[0]);
    stored.flame = true;
    where_live_show(&stored, h, &s, METRIC_NONE);
    check_stored(&stored, h);
    check_branches(&stored);
    check_accesses(&stored);
    where_live_ask(&stored, (int)stored.row[0]);
    wait_for(&stored, is_open);
    check_listing(&stored);
    where_live_destroy(&stored);
    run_free(&r);
}

/* ---- lines and threads ---- */

static bool has_lines(const struct where_live *w) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->n_row; i++)
        n += strncmp(where_function_name(&w->function[w->row[i]]), "test_where.c:", 13) == 0;
    return n >= 2;
}

static bool has_listing(const struct where_live *w) {
    return w->listing || w->listing_rc != -EAGAIN;
}

/* Debug information is in this program, or it is not: then there is nothing to look for. */
static bool lines_are_known(struct where_live *w) {
    where_live_ask(w, (int)w->row[0]);
    wait_for(w, has_listing);
    return w->listing && w->listing->lines.n_frame > 0;
}

static bool has_threads(const struct where_live *w) {
    return w->n_row == 2 && w->function[w->row[1]].count.n >= 20;
}

static double sum_of_rows(const struct where_live *w) {
    double sum = 0;
    for (uint32_t i = 0; i < w->n_row; i++)
        sum += w->function[w->row[i]].count.weight;
    return sum / w->total.all.weight;
}

static void rows_of(struct where_live *w, enum where_by by) {
    w->by = by;
    w->due_ns = 0;
    where_live_update(w, clock_now_ns());
}

static void test_rows(void **state) {
    (void)state;
    static struct session s;
    static struct where_live w;
    char text[16];
    const pid_t pid = start_of(calls_in_threads);
    session_on(&s, pid, text);
    if (!where_live_open(&w, &s, METRIC_NONE)) {
        print_message("SKIP test_where: %s\n", w.lack);
        end(pid);
        skip();
    }
    wait_for(&w, has_both);
    const double all = sum_of_rows(&w);
    assert_true(all > 0.999 && all < 1.0001);
    rows_of(&w, WHERE_BY_THREAD);
    wait_for(&w, has_threads);
    assert_true(sum_of_rows(&w) > 0.999);
    w.only = w.function[w.row[0]].start;
    const pid_t tid = w.function[w.row[0]].tid;
    rows_of(&w, WHERE_BY_FUNCTION);
    assert_true(w.n_row > 0);
    for (uint32_t i = 0; i < w.n_row; i++)
        assert_int_equal(w.function[w.row[i]].tid, tid);
    assert_true(sum_of_rows(&w) < 0.9);
    w.only = 0;
    rows_of(&w, WHERE_BY_FUNCTION);
    if (lines_are_known(&w)) {
        rows_of(&w, WHERE_BY_LINE);
        wait_for(&w, has_lines);
        assert_true(sum_of_rows(&w) > 0.999 && sum_of_rows(&w) < 1.0001);
        const int function = where_row_function(&w, (int)w.row[0]);
        assert_int_equal(strncmp(where_function_name(&w.function[function]), "spins_", 6), 0);
    }
    end(pid);
    where_live_destroy(&w);
}

/* ---- a span of the past ---- */

static bool has_seconds(const struct where_live *w) {
    return w->total.end_ns > w->total.begin_ns + 3 * NS_PER_S && w->total.all.n >= 100;
}

static void test_span(void **state) {
    (void)state;
    static struct session s;
    static struct where_live w;
    struct run r = {0};
    if (!sample_into(&w, &s, calls_it, has_seconds, &r))
        skip();
    const uint64_t all = w.total.all.n, first_s = w.total.begin_ns / NS_PER_S;
    w.span = (struct where_span){first_s + 1, first_s + 3};
    rows_of(&w, WHERE_BY_FUNCTION);
    const uint64_t part = w.total.all.n;
    assert_true(part > 0 && part < all);
    assert_true(sum_of_rows(&w) > 0.999 && sum_of_rows(&w) < 1.0001);
    struct run some = {0};
    w.info.branches = true; /* as if there were some: they are of all samples only */
    assert_int_equal(where_live_give(&w, (first_s + 1) * NS_PER_S, (first_s + 3) * NS_PER_S, &some),
                     0);
    assert_int_equal(some.hot.n, 1);
    assert_int_equal(some.hot.at[0].all.n, part);
    assert_int_equal(all_of(&some.hot.at[0]), part);
    assert_false(some.hot.at[0].branches);
    assert_non_null(strstr(some.hot.at[0].no_branches, "a part of the time"));
    run_free(&some);
    assert_int_equal(where_live_give(&w, 0, NS_PER_S, &some), 0);
    assert_int_equal(some.hot.n, 0);
    w.span = (struct where_span){1, 2};
    rows_of(&w, WHERE_BY_FUNCTION);
    assert_int_equal(w.total.all.n, 0);
    assert_int_equal(w.n_row, 0);
    where_live_destroy(&w);
    run_free(&r);
}

/* ---- against a baseline ---- */

static double change_of_block(const struct where_live *w, const char *name, bool *sure) {
    for (uint32_t i = 1; i < w->n_block; i++)
        if (strcmp(where_function_name(&w->function[w->block[i].function]), name) == 0) {
            *sure = w->block[i].change.sure;
            return w->block[i].change.delta;
        }
    return (double)NAN;
}

static bool has_names(const struct where_live *w) {
    return w->n_pending == 0;
}

static void test_diff(void **state) {
    (void)state;
    static struct session s, other;
    static struct where_live w, v;
    struct run a = {0}, b = {0};
    bool sure;
    if (!sample_into(&w, &s, calls_it, leads, &a))
        skip();
    where_live_destroy(&w);
    assert_true(sample_into(&v, &other, calls_both, has_both, &b));
    v.base = &a.hot.at[0];
    rows_of(&v, WHERE_BY_FUNCTION);
    wait_for(&v, has_names); /* of callers, too */
    const struct where_function *there = named(&v, "spins_there"), *here = named(&v, "spins_here");
    assert_true(there->change.sure && there->change.delta > 0.3);
    assert_true(there->change.was == 0 && there->change.low > 0);
    assert_true(here->change.sure && here->change.delta < -0.3 && here->change.high < 0);
    assert_true(here->change.was > 0.7);
    assert_true(change_of_block(&v, "calls_both", &sure) > 0.5 && sure);

    /* From the other side: what has gone has a row, too; of the same nothing is sure. */
    where_live_show(&w, &a.hot.at[0], &s, METRIC_NONE);
    w.base = &b.hot.at[0];
    w.flame = true;
    rows_of(&w, WHERE_BY_FUNCTION);
    const struct where_function *gone = named(&w, "spins_there");
    assert_non_null(gone);
    assert_int_equal(gone->module, WHERE_GONE);
    assert_true(gone->share == 0 && gone->change.sure && gone->change.delta < -0.3);
    w.base = &a.hot.at[0];
    rows_of(&w, WHERE_BY_FUNCTION);
    assert_false(first(&w)->change.sure);
    assert_true(first(&w)->change.delta == 0);
    assert_true(fabs(change_of_block(&w, "spins_here", &sure)) < 1e-9 && !sure);
    where_live_destroy(&w);
    where_live_destroy(&v);
    run_free(&a);
    run_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_real),   cmocka_unit_test(test_none), cmocka_unit_test(test_follows),
        cmocka_unit_test(test_stored), cmocka_unit_test(test_rows), cmocka_unit_test(test_span),
        cmocka_unit_test(test_diff),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
