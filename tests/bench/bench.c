/*
 * What the parts of tdtop cost that run for each interval, each frame or each start.
 *
 *   bench            every path: median CPU time of a step
 *   bench PATH [N]   one path, N steps of it
 *
 * Steps are counted alone: under `valgrind --tool=callgrind --instr-atstart=no` only they are
 * instrumented, which is how counts.py gets instructions; with --collect-atstart=no those of the
 * thread that steps, which is for all paths but those of all threads. Everything follows from a
 * seed; no step waits for a clock. Exits 1 above a path's limit, which is wide: machines differ,
 * orders of magnitude do not.
 */
#include "../unit/sim_run.h"
#include "../unit/term_vocabulary.h"
#include "base/clock.h"
#include "model/compare/compare.h"
#include "pmu/plan/plan.h"
#include "ui/popup/snapshot.h"
#include "ui/screen/screen.h"
#include "ui/term/term_draw.h"
#include "ui/term/theme.h"
#include "ui/view/rows.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_STOP_INSTRUMENTATION
#define CALLGRIND_TOGGLE_COLLECT
#endif

enum {
    THREADS = 10000,
    COLUMN_BUSY = 2,
    COLUMN_ROOT = 3,
    WARM_UP = 100, /* intervals, after which the focus stays and rows come */
    MINUTES_10 = 600,
    STEPS_MAX = 2000
};

static struct session s;
static struct screen sc;
static struct model model;
static struct err err;
static uint64_t n_byte; /* to the terminal */

static void must(bool ok, const char *what) {
    if (ok)
        return;
    fprintf(stderr, "bench: %s: %s\n", what, err.text);
    exit(2);
}

/* ---- a session of the simulated core, and its screen ---- */

static void session_begin(uint64_t length_ns) {
    struct source_options opt = {.seed = 1, .interval_ns = NS_PER_S, .until_ns = length_ns};
    consts_init(&opt.consts);
    must(model_open(&s.model, "spr", NULL, &err) == 0, "model");
    must(session_open(&s, &source_sim, &opt, &err) == 0, "session");
}

static void to_terminal(const char *bytes, size_t n) {
    (void)bytes;
    n_byte += n;
}

static void screen_begin(int w, int h) {
    static struct theme theme;
    must(screen_init(&sc, &s, 2, &err) == 0, "screen");
    must(screen_attach(&sc, &err) == 0, "screen");
    must(screen_resize(&sc, w, h) == 0, "memory");
    must(theme_load(&theme, "default", &err) == 0, "theme");
    draw_open(&xterm, to_terminal, &theme, 256, false);
    must(draw_resize(w, h) == 0, "memory");
}

static void frame(void) {
    screen_draw(&sc);
    draw_canvas(&sc.canvas);
}

static void interval(void) {
    struct pollfd fd = {.fd = session_fd(&s), .events = POLLIN};
    while (!session_take(&s)) {
        must(s.state == STREAM_LIVE, "the simulated core has ended");
        poll(&fd, 1, 10000);
    }
    screen_update(&sc);
}

/* ---- a refresh: an interval is taken, evaluated, drawn and sent ---- */

static void refresh_open(const struct view *view) {
    session_begin(1000 * NS_PER_S);
    screen_begin(120, 40);
    must(session_start(&s, &err) == 0, "session");
    screen_view(&sc, view);
    for (int i = 0; i < WARM_UP; i++) {
        interval();
        frame();
    }
}

static void tree_open(void) {
    refresh_open(&view_tree);
}

static void history_open(void) {
    refresh_open(&view_history);
}

static void threads_open(void) {
    refresh_open(&view_threads);
}

static void refresh(int i) {
    (void)i;
    interval();
    frame();
}

/* ---- the time cursor is dragged over the history, a column at a time from end to end ---- */

static void drag_open(void) {
    session_begin(300 * NS_PER_S);
    screen_begin(200, 60);
    must(session_start(&s, &err) == 0, "session");
    for (int i = 0; i < 300; i++)
        interval();
    screen_key(&sc, '3', NULL);
    frame();
    const struct rect r = sc.panes[LAYOUT_MAIN].at[PANE_MAIN];
    struct mouse m = {.x = r.x + r.w / 2, .y = r.y + r.h / 2, .what = MOUSE_PRESS};
    screen_key(&sc, KEYC_MOUSE, &m);
}

static void drag(int i) {
    const struct rect r = sc.panes[LAYOUT_MAIN].at[PANE_MAIN];
    const int at = i % (2 * (r.w - 10));
    struct mouse m = {.x = r.x + 9 + (at < r.w - 10 ? at : 2 * (r.w - 10) - 1 - at),
                      .y = r.y + r.h / 2,
                      .what = MOUSE_DRAG};
    screen_key(&sc, KEYC_MOUSE, &m);
    frame();
}

/* ---- 10,000 threads: the simulated four again and again, busy by chance; one in four idle ---- */

static struct unit_table few, many;

static void rows_fill(int i) {
    static uint32_t x = 1;
    many.n = THREADS;
    many.seq = (uint64_t)i + 1;
    many.t0_ns = few.t1_ns + (uint64_t)i * NS_PER_S;
    many.t1_ns = many.t0_ns + NS_PER_S;
    for (uint32_t k = 0; k < many.n; k++) {
        const uint32_t from = k % 4;    /* all four of them run */
        x = x * 1664525u + 1013904223u; /* Numerical Recipes */
        many.row[k] = few.row[from];
        many.row[k].tid = (pid_t)(1000 + k);
        many.row[k].busy = from == 3 ? 0 : (double)(x >> 8) / (1 << 24);
        if (from == 3)
            many.row[k].enabled_ns = many.row[k].running_ns = 0;
        memcpy(many.value + (size_t)k * many.n_slot, few.value + (size_t)from * few.n_slot,
               many.n_slot * sizeof(*many.value));
    }
}

static void rows_take(int i) {
    (void)i;
    rows_update(screen_state(&sc, &view_threads), &many, true, &s.eval);
    screen_draw(&sc);
}

static void rows_open(int column) {
    session_begin(0);
    screen_begin(200, 60);
    must(s.source.ops->read(&s.source, &s.sample, &err) == 0, "the simulated core");
    must(s.source.ops->units(&s.source, &few) == 0, "its threads");
    few.t1_ns = s.sample.t1_ns;
    eval_run(&s.eval, &s.sample, &s.frame);
    s.n_frames = 1;
    screen_update(&sc);
    screen_view(&sc, &view_threads);
    must(unit_table_init(&many, few.slot, few.n_slot) == 0 &&
             unit_table_reserve(&many, THREADS) == 0,
         "memory");
    rows_fill(0);
    rows_take(0);
    rows_choose(screen_state(&sc, &view_threads), column, &s.eval);
}

static void rows_busy_open(void) {
    rows_open(COLUMN_BUSY);
}

static void rows_share_open(void) {
    rows_open(COLUMN_ROOT);
}

static void rows_next(int i) {
    rows_fill(i + 1);
}

/* ---- a snapshot of ten minutes: the key alone, and until it is stored ---- */

static struct snapshots snapshots;
static char store[400];

static void store_remove(void) {
    static const char *const ends[] = {"", "-wal", "-shm"};
    char name[420];
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof(name), "%s%s", store, ends[i]);
        unlink(name);
    }
}

static void snapshot_open_form(int i) {
    (void)i;
    screen_key(&sc, 's', NULL);
}

static void snapshot_begin(void) {
    session_begin(MINUTES_10 * NS_PER_S);
    screen_begin(120, 40);
    must(session_start(&s, &err) == 0, "session");
    for (int i = 0; i < MINUTES_10; i++)
        interval();
    snprintf(store, sizeof(store), "%s/tdtop-bench-%d.db",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", getpid());
    atexit(store_remove);
    must(snapshots_init(&snapshots, store, &err) == 0, "store");
    sc.snapshot = &snapshots;
}

static void snapshot_key_step(int i) {
    (void)i;
    screen_key(&sc, KEYC_ENTER, NULL);
}

static void snapshot_wait(int i) {
    struct pollfd fd = {.fd = snapshots.saver.fd, .events = POLLIN};
    (void)i;
    while (snapshots.saver.busy) {
        poll(&fd, 1, 10000);
        snapshot_status(&sc);
    }
    must(!strncmp(sc.message, "saved as ", 9), sc.message);
}

static void snapshot_all_step(int i) {
    snapshot_key_step(i);
    snapshot_wait(i);
}

/* ---- what runs once, at a start ---- */

static void model_begin(void) {
    must(model_open(&model, "spr", NULL, &err) == 0, "model");
}

static void load(int i) {
    (void)i;
    model_begin();
    model_free(&model);
}

static void plan(int i) {
    static struct consts consts;
    const struct plan_options opt = {.consts = &consts};
    struct plan p;
    (void)i;
    consts_init(&consts);
    must(plan_make(&p, &model, &opt, &err) == 0, "plan");
    plan_free(&p);
}

/* ---- formulas ---- */

/* A slot for every event of the model, and the counts of an interval of the demo in them. */
static struct layout layout;
static struct eval eval;
static struct sample sample;
static struct frame values;

static void eval_open(void) {
    struct consts consts;
    model_begin();
    must(layout_init(&layout, model.n_event, COUNT_NO_EVENT, model.n_event) == 0, "memory");
    for (uint32_t e = 0; e < model.n_event; e++)
        layout_add(&layout, (uint16_t)e, (uint16_t)(e / 8));
    consts_init(&consts);
    consts.value[CONST_SYSTEM_TSC_FREQ] = 2e9;
    consts.value[CONST_SMT_ON] = 1;
    consts.value[CONST_NUM_CPUS] = 56;
    consts.value[CONST_SOCKET_COUNT] = 1;
    must(eval_init(&eval, &model, &layout, &consts, &err) == 0, "eval");
    must(sample_init(&sample, layout.n_slot) == 0 && frame_init(&values, model.n_metric) == 0,
         "memory");
    sample.t1_ns = NS_PER_S;
    for (uint32_t i = 0; i < layout.n_slot; i++)
        sample.at[i] = (struct count){.value = 1e6 + i,
                                      .enabled_ns = NS_PER_S,
                                      .running_ns = i % 8 ? NS_PER_S : NS_PER_S / 4,
                                      .state = COUNT_OK};
}

static void eval_step(int i) {
    (void)i;
    eval_run(&eval, &sample, &values);
}

static struct run run_a, run_b;

static void compare_open(void) {
    model_begin();
    sim_run(&run_a, &model, 1, 0, 0, MINUTES_10);
    sim_run(&run_b, &model, 2, 0, 0, MINUTES_10);
}

static void compare_step(int i) {
    const struct compare_options opt = compare_defaults();
    const struct compare_side a = compare_side_of(&run_a), b = compare_side_of(&run_b);
    struct comparison c;
    (void)i;
    must(compare_sides(&a, &b, &opt, &c, &err) == 0, "comparison");
    compare_free(&c);
}

/* ---- the paths ---- */

static const struct path {
    const char *name, *what;
    void (*open)(void);
    void (*before)(int i), (*step)(int i), (*after)(int i); /* step is what is counted */
    int n;                                                  /* steps, if nothing else is said */
    int limit_us;                                           /* CPU time of the thread that steps */
    bool all_threads;                                       /* are counted */
} paths[] = {
    {.name = "tree",
     .what = "a refresh of the demo: tree, 120x40",
     .open = tree_open,
     .step = refresh,
     .n = 300,
     .limit_us = 3000},
    {.name = "history",
     .what = "the same: history",
     .open = history_open,
     .step = refresh,
     .n = 300,
     .limit_us = 3000},
    {.name = "threads",
     .what = "the same: threads",
     .open = threads_open,
     .step = refresh,
     .n = 300,
     .limit_us = 3000},
    {.name = "drag",
     .what = "a drag of the time cursor, history 200x60",
     .open = drag_open,
     .step = drag,
     .n = 300,
     .limit_us = 20000},
    {.name = "busy",
     .what = "10,000 threads, sorted by CPU",
     .open = rows_busy_open,
     .before = rows_next,
     .step = rows_take,
     .n = 31,
     .limit_us = 100000},
    {.name = "share",
     .what = "10,000 threads, sorted by a share",
     .open = rows_share_open,
     .before = rows_next,
     .step = rows_take,
     .n = 11,
     .limit_us = 500000},
    {.name = "key",
     .what = "a snapshot of 10 minutes: until the next key",
     .open = snapshot_begin,
     .before = snapshot_open_form,
     .step = snapshot_key_step,
     .after = snapshot_wait,
     .n = 5,
     .limit_us = 200000},
    {.name = "snapshot",
     .what = "a snapshot of 10 minutes: until it is stored",
     .open = snapshot_begin,
     .before = snapshot_open_form,
     .step = snapshot_all_step,
     .all_threads = true,
     .n = 5,
     .limit_us = 1000000},
    {.name = "model", .what = "spr is read", .step = load, .n = 31, .limit_us = 50000},
    {.name = "plan",
     .what = "spr: groups of counters",
     .open = model_begin,
     .step = plan,
     .n = 31,
     .limit_us = 100000},
    {.name = "eval",
     .what = "spr: all formulas",
     .open = eval_open,
     .step = eval_step,
     .n = 2000,
     .limit_us = 50},
    {.name = "compare",
     .what = "two runs of 10 minutes are compared",
     .open = compare_open,
     .step = compare_step,
     .n = 31,
     .limit_us = 200000},
};

static int by_value(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Prints a line; true if the path kept to its limit. */
static bool run(const struct path *p, int n) {
    static uint64_t ns[STEPS_MAX];
    if (p->open)
        p->open();
    const uint64_t bytes = n_byte;
    for (int i = 0; i < n; i++) {
        if (p->before)
            p->before(i);
        const uint64_t t0 = clock_thread_ns();
        CALLGRIND_START_INSTRUMENTATION;
        if (!p->all_threads)
            CALLGRIND_TOGGLE_COLLECT;
        p->step(i);
        if (!p->all_threads)
            CALLGRIND_TOGGLE_COLLECT;
        CALLGRIND_STOP_INSTRUMENTATION;
        ns[i] = clock_thread_ns() - t0;
        if (p->after)
            p->after(i);
    }
    qsort(ns, (size_t)n, sizeof(ns[0]), by_value);
    const double us = (double)ns[n / 2] / 1000;
    printf("%-9s %-48s %10.1f us (limit %d)", p->name, p->what, us, p->limit_us);
    if (n_byte > bytes)
        printf(" %llu bytes", (unsigned long long)((n_byte - bytes) / (uint64_t)n));
    printf("\n");
    fflush(stdout);
    return us <= p->limit_us;
}

int main(int argc, char **argv) {
    int bad = 0;
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        if (argc > 1 && strcmp(argv[1], paths[i].name) != 0)
            continue;
        const int n = argc > 2 ? atoi(argv[2]) : paths[i].n;
        must(n > 0 && n <= STEPS_MAX, "number of steps");
        if (argc > 1) {
            run(&paths[i], n);
            return 0; /* limits are for where nothing slows it down */
        }
        const pid_t pid = fork(); /* each has a program of its own: no heap of the one before */
        int status = 1;
        if (pid == 0)
            exit(!run(&paths[i], n));
        bad |= waitpid(pid, &status, 0) != pid || status;
    }
    must(argc == 1, "no such path");
    return bad;
}
