/* The rows of the threads and CPUs views: order, selection, filter, what is taken and what not. */
#include "rows_fixture.h"

#include "ui/view/rows.h"

enum { TID, NAME, BUSY, LOST, FRONTEND, BAD, BACKEND, RETIRING, IPC, DUTY };

static const struct made crowd[] = {
    {.tid = 10, .comm = "main", .busy = 0.9, .frontend = 0.1},
    {.tid = 11, .comm = "io_1", .busy = 0.4, .frontend = 0.3, .duty = 0.5},
    {.tid = 12, .comm = "io_2", .busy = 0.4, .frontend = 0.2},
    {.tid = 13, .comm = "idle", .busy = 0},
    {.tid = 9, .comm = "late", .busy = 0.6, .frontend = 0.4, .duty = 0.25},
};
enum { CROWD = sizeof(crowd) / sizeof(crowd[0]) };

struct bench {
    struct fixture f;
    struct unit_table t;
    struct rows r;
};

static void begin(struct bench *b) {
    memset(b, 0, sizeof(*b));
    fixture_open(&b->f, "redis-server 4242");
    rows_table(&b->t, &b->f);
    assert_int_equal(rows_init(&b->r, &b->f.s.model, b->f.s.source.layout.n_slot), 0);
    rows_begin(&b->r, ROWS_THREADS, 0, &b->f.s.eval);
}

static void end(struct bench *b) {
    rows_destroy(&b->r);
    unit_table_destroy(&b->t);
    fixture_close(&b->f);
}

static void take(struct bench *b, uint64_t t0_ms, uint64_t t1_ms, const struct made *m, int n) {
    rows_fill(&b->t, &b->f, t0_ms, t1_ms, m, n);
    assert_int_equal(rows_update(&b->r, &b->t, true, &b->f.s.eval), 0);
}

/* "10 9 11": the units in their order, the selected one in brackets. */
static const char *seen(const struct bench *b) {
    static char text[256];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    for (int i = 0; rows_at(&b->r, i); i++) {
        const struct unit_row *row = rows_at(&b->r, i);
        bool here = i == b->r.list.at;
        strbuf_add(&sb, "%s%s%d%s", i ? " " : "", here ? "[" : "",
                   row->tid < 0 ? row->cpu : (int)row->tid, here ? "]" : "");
    }
    return text;
}

static void test_columns(void **state) {
    (void)state;
    static const enum row_field want[] = {FIELD_ID,     FIELD_NAME,   FIELD_BUSY,   FIELD_LOST,
                                          FIELD_METRIC, FIELD_METRIC, FIELD_METRIC, FIELD_METRIC,
                                          FIELD_METRIC, FIELD_DUTY};
    struct bench b;
    begin(&b);
    assert_int_equal(b.r.n_column, DUTY + 1);
    for (int i = 0; i <= DUTY; i++)
        assert_int_equal(b.r.column[i].field, want[i]);
    const struct metric *m = b.f.s.model.metric;
    assert_string_equal(m[b.r.column[FRONTEND].metric].name, "Frontend_Bound");
    assert_string_equal(m[b.r.column[RETIRING].metric].name, "Retiring");
    assert_string_equal(m[b.r.column[IPC].metric].name, "IPC");
    end(&b);
}

static void test_order(void **state) {
    (void)state;
    static const struct {
        const char *what;
        int column;
        bool inverted;
        const char *want;
    } cases[] = {
        {"by CPU time; a tie by number", BUSY, false, "[10] 9 11 12 13"},
        {"the least busy first", BUSY, true, "[13] 11 12 9 10"},
        {"by number", TID, false, "[9] 10 11 12 13"},
        {"by number downwards", TID, true, "[13] 12 11 10 9"},
        {"by what is lost: 0.42, 0.36, 0.24, 0.2 CPUs", LOST, false, "[9] 10 11 12 13"},
        {"by name", NAME, false, "[13] 11 12 9 10"},
        {"by a share; who did not run comes last", FRONTEND, false, "[9] 11 12 10 13"},
        {"upwards: last all the same", FRONTEND, true, "[10] 12 11 9 13"},
        {"by IPC", IPC, false, "[10] 12 11 9 13"},
        {"by duty", DUTY, false, "[10] 12 11 9 13"},
    };
    struct bench b;
    begin(&b);
    take(&b, 0, 1000, crowd, CROWD);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        rows_choose(&b.r, cases[i].column, &b.f.s.eval);
        if (cases[i].inverted)
            rows_invert(&b.r, &b.f.s.eval);
        if (strcmp(seen(&b), cases[i].want) != 0)
            fail_msg("%s: %s, wanted %s", cases[i].what, seen(&b), cases[i].want);
    }
    rows_choose(&b.r, -1, &b.f.s.eval); /* nothing happens */
    rows_choose(&b.r, DUTY + 1, &b.f.s.eval);
    rows_choose(&b.r, DUTY, &b.f.s.eval);
    rows_step(&b.r, 1, &b.f.s.eval); /* round the end */
    assert_string_equal(seen(&b), "[9] 10 11 12 13");
    rows_step(&b.r, -1, &b.f.s.eval);
    assert_string_equal(seen(&b), "[10] 12 11 9 13");
    end(&b);
}

static void test_values(void **state) {
    (void)state;
    struct bench b;
    begin(&b);
    take(&b, 0, 500, crowd, CROWD);
    const struct frame *f = rows_eval(&b.r, 1, &b.f.s.eval); /* 9, "late" */
    assert_non_null(f);
    assert_true(fabs(f->at[b.r.column[FRONTEND].metric].v - 0.4) < 1e-9);
    assert_true(fabs(f->at[b.r.column[BACKEND].metric].v - 0.2) < 1e-9);
    assert_true(fabs(f->root_sum - 1) < 1e-9);
    assert_true(fabs(rows_busy(&b.r, rows_at(&b.r, 1)) - 0.6) < 1e-9);
    assert_true(fabs(rows_duty(rows_at(&b.r, 1)) - 0.25) < 1e-6);
    assert_true(fabs(b.r.busy - 2.3) < 1e-9);
    assert_null(rows_eval(&b.r, 4, &b.f.s.eval)); /* did not run */
    assert_true(isnan(rows_duty(rows_at(&b.r, 4))));
    assert_null(rows_eval(&b.r, 5, &b.f.s.eval));
    assert_null(rows_at(&b.r, -1));
    end(&b);
}

/* Rows keep their places for a second; those that come are at the end until then. */
static void test_held(void **state) {
    (void)state;
    static const struct made later[] = {
        {.tid = 12, .busy = 0.95, .frontend = 0.1}, {.tid = 14, .busy = 1, .fresh = true},
        {.tid = 10, .busy = 0.1, .frontend = 0.1},  {.tid = 9, .busy = 0.2, .frontend = 0.1},
        {.tid = 8, .busy = 0.3, .fresh = true},
    };
    static const struct {
        uint64_t t0_ms, t1_ms;
        const char *want;
    } cases[] = {
        {1000, 1200, "[10] 9 12 14 8"}, /* 11 and 13 have gone */
        {1200, 1400, "[10] 9 12 14 8"},
        {1400, 1800, "[10] 9 12 14 8"},
        {1800, 1990, "[14] 12 8 9 10"}, /* nearly a second */
    };
    struct bench b;
    begin(&b);
    take(&b, 0, 1000, crowd, CROWD);
    assert_string_equal(seen(&b), "[10] 9 11 12 13");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        take(&b, cases[i].t0_ms, cases[i].t1_ms, later, 5);
        if (strcmp(seen(&b), cases[i].want) != 0)
            fail_msg("at %d ms: %s, wanted %s", (int)cases[i].t1_ms, seen(&b), cases[i].want);
    }
    take(&b, 1990, 2990, crowd, CROWD); /* intervals of a second: sorted each time */
    assert_string_equal(seen(&b), "[10] 9 11 12 13");
    end(&b);
}

/* The selection belongs to the unit that the user chose; before that, to the first place. */
static void test_selection(void **state) {
    (void)state;
    struct made now[CROWD];
    memcpy(now, crowd, sizeof(now));
    struct bench b;
    begin(&b);
    take(&b, 0, 1000, now, CROWD);
    now[2].busy = 1;
    take(&b, 1000, 2000, now, CROWD);
    assert_string_equal(seen(&b), "[12] 10 9 11 13");
    list_move(&b.r.list, 2);
    assert_string_equal(seen(&b), "12 10 [9] 11 13");
    now[4].busy = 0.05;
    take(&b, 2000, 3000, now, CROWD);
    assert_string_equal(seen(&b), "12 10 11 [9] 13");
    take(&b, 3000, 4000, now, CROWD - 1); /* 9 ends: its place has another */
    assert_string_equal(seen(&b), "12 10 11 [13]");
    list_move(&b.r.list, 100);
    assert_string_equal(seen(&b), "12 10 11 [13]");
    list_move(&b.r.list, -100);
    assert_string_equal(seen(&b), "[12] 10 11 13");
    take(&b, 4000, 5000, now, 2);
    assert_string_equal(seen(&b), "[10] 11");
    list_end(&b.r.list, false);
    now[1].busy = 2;
    take(&b, 5000, 6000, now, 2);
    assert_string_equal(seen(&b), "[11] 10");
    take(&b, 6000, 7000, now, 0);
    assert_string_equal(seen(&b), "");
    list_move(&b.r.list, 1);
    assert_int_equal(b.r.list.at, 0);
    end(&b);
}

static void filter(struct bench *b, const char *text) {
    str_copy(b->r.filter.text, sizeof(b->r.filter.text), text);
    rows_filter(&b->r);
}

static void test_filter(void **state) {
    (void)state;
    struct bench b;
    begin(&b);
    take(&b, 0, 1000, crowd, CROWD);
    filter(&b, "IO_");
    assert_string_equal(seen(&b), "[11] 12");
    list_move(&b.r.list, 1);
    take(&b, 1000, 2000, crowd, CROWD);
    assert_string_equal(seen(&b), "11 [12]");
    filter(&b, "nobody");
    assert_string_equal(seen(&b), "");
    assert_int_equal(b.r.n_order, CROWD);
    filter(&b, "");
    assert_int_equal(b.r.n_shown, CROWD);
    end(&b);
}

/* Threads and CPUs of one table are two sets of rows. */
static void test_kinds(void **state) {
    (void)state;
    static const struct made both[] = {
        {.tid = 10, .comm = "main", .busy = 0.9, .frontend = 0.1},
        {.tid = -1, .cpu = 3, .busy = 0.2, .frontend = 0.6},
        {.tid = -1, .cpu = 0, .busy = 0.7, .frontend = 0.1},
        {.tid = 11, .comm = "io", .busy = 0.3, .frontend = 0.3},
        {.tid = -1, .cpu = 1, .busy = 0},
    };
    struct bench b;
    begin(&b);
    take(&b, 0, 1000, both, 5);
    assert_string_equal(seen(&b), "[10] 11");
    assert_true(fabs(b.r.busy - 1.2) < 1e-9);
    filter(&b, "main");
    rows_begin(&b.r, ROWS_CPUS, 1000 * NS_PER_MS, &b.f.s.eval);
    assert_string_equal(seen(&b), "[0] 1 3"); /* by number, whatever is shown */
    assert_true(fabs(b.r.busy - 0.9) < 1e-9);
    assert_int_equal(b.r.chosen[ROWS_CPUS], BUSY);
    rows_step(&b.r, 1, &b.f.s.eval);
    assert_int_equal(b.r.chosen[ROWS_CPUS], FRONTEND);
    assert_string_equal(seen(&b), "[0] 1 3");
    assert_true(fabs(b.r.key[b.r.shown[2]] - 0.6) < 1e-9);
    assert_true(isnan(b.r.key[b.r.shown[1]]));
    rows_step(&b.r, -1, &b.f.s.eval);
    rows_step(&b.r, -1, &b.f.s.eval); /* there is no map of duties or names */
    assert_int_equal(b.r.chosen[ROWS_CPUS], IPC);
    rows_choose(&b.r, NAME, &b.f.s.eval);
    assert_int_equal(b.r.chosen[ROWS_CPUS], IPC);
    rows_begin(&b.r, ROWS_THREADS, 1000 * NS_PER_MS, &b.f.s.eval);
    assert_string_equal(seen(&b), "[10]"); /* the filter is still there */
    end(&b);
}

/* What belongs to another time is not shown: tables of before, and one's own. */
static void test_times(void **state) {
    (void)state;
    struct bench b;
    begin(&b);
    take(&b, 4000, 5000, crowd, CROWD);
    assert_int_equal(b.r.n_shown, CROWD);
    rows_begin(&b.r, ROWS_THREADS, 9000 * NS_PER_MS, &b.f.s.eval); /* the view was left meanwhile */
    assert_int_equal(b.r.n_shown, 0);
    take(&b, 7000, 8000, crowd, CROWD); /* of before it was asked for: from the last time */
    assert_int_equal(b.r.n_shown, 0);
    take(&b, 8000, 9000, crowd, CROWD); /* of the interval that is shown: somebody else asked */
    assert_int_equal(b.r.n_shown, CROWD);
    take(&b, 9000, 10000, crowd, CROWD);
    assert_int_equal(b.r.n_shown, CROWD);
    b.t.n = 1; /* seen already */
    assert_int_equal(rows_update(&b.r, &b.t, true, &b.f.s.eval), 0);
    assert_int_equal(b.r.n_shown, CROWD);
    struct unit_table none = {.t1_ns = UINT64_MAX};
    assert_int_equal(rows_update(&b.r, &none, true, &b.f.s.eval), 0);
    assert_int_equal(b.r.n_shown, CROWD);
    end(&b);
}

/* The place of a thread, wherever it went. */
static struct fade_mark mark_of(const struct bench *b, int tid, int column) {
    int at = 0;
    while (rows_at(&b->r, at)->tid != tid)
        at++;
    return rows_moved(&b->r, at, column);
}

/* A move is marked on the unit, not on its place; one that chance explains is none; it fades. */
static void test_moves(void **state) {
    (void)state;
    struct made now[CROWD];
    struct bench b;
    memcpy(now, crowd, sizeof(now));
    begin(&b);
    b.r.list.lines = CROWD;
    take(&b, 0, 1000, now, CROWD);
    take(&b, 1000, 2000, now, CROWD);
    for (int i = 0; i < CROWD; i++)
        for (int k = BUSY; k <= DUTY; k++)
            assert_int_equal(rows_moved(&b.r, i, k).step, 0);
    now[1].busy = 1; /* to the top */
    now[1].frontend = 0.5;
    now[0].frontend = 0.12;
    take(&b, 2000, 3000, now, CROWD);
    assert_string_equal(seen(&b), "[11] 10 9 12 13");
    assert_int_equal(mark_of(&b, 11, FRONTEND).way, 1);
    assert_int_equal(mark_of(&b, 11, FRONTEND).step, 3);
    assert_int_equal(mark_of(&b, 11, BUSY).way, 1);
    assert_int_equal(mark_of(&b, 11, RETIRING).way, -1);
    assert_int_equal(mark_of(&b, 10, FRONTEND).step, 0); /* 2 points */
    assert_int_equal(mark_of(&b, 12, FRONTEND).step, 0);
    now[4].busy = 0.01; /* a hundredth of the time: chance moves it ten times as far */
    for (int s = 3; s < 5; s++)
        take(&b, s * 1000u, s * 1000u + 1000, now, CROWD);
    assert_int_equal(mark_of(&b, 9, BUSY).way, -1);
    now[4].frontend = 0.55;
    take(&b, 5000, 5900, now, CROWD);
    assert_int_equal(mark_of(&b, 9, FRONTEND).step, 0);
    assert_int_equal(mark_of(&b, 11, FRONTEND).step, 1);
    take(&b, 6100, 7100, now, CROWD);
    assert_int_equal(mark_of(&b, 11, FRONTEND).step, 0);
    end(&b);
}

/* More units than are remembered: none has the marks of another. */
static void test_moves_of_many(void **state) {
    (void)state;
    enum { MANY = 1000 };
    struct rows_moves m;
    assert_int_equal(rows_moves_init(&m, 2), 0);
    for (uint64_t s = 1; s <= 3; s++)
        for (int i = 0; i < MANY; i++) {
            struct fade *fade = rows_moves_of(&m, i, s * NS_PER_S);
            if (fade[1].known)
                assert_true(fabs((double)fade[1].mean - i) < 0.5);
            fade_push(&fade[1], s * NS_PER_S, i, (double)NAN, 0.1);
            assert_int_equal(fade_at(&fade[1], s * NS_PER_S).step, 0);
            assert_ptr_equal(rows_moves_find(&m, i), fade);
        }
    rows_moves_forget(&m);
    assert_null(rows_moves_find(&m, MANY - 1));
    rows_moves_destroy(&m);
}

static void test_scroll(void **state) {
    (void)state;
    static const struct {
        const char *what;
        int select, h, per_line, top;
    } cases[] = {
        {"all fit", 4, 5, 1, 0},         {"the last of two lines", 4, 2, 1, 3},
        {"back by one", 2, 2, 1, 2},     {"still there", 3, 2, 1, 2},
        {"the first", 0, 2, 1, 0},       {"lines of two", 4, 2, 2, 1},
        {"no place at all", 0, 0, 1, 1}, {"larger again", 4, 9, 1, 0},
    };
    struct bench b;
    begin(&b);
    take(&b, 0, 1000, crowd, CROWD);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        b.r.list.per_line = cases[i].per_line;
        list_select(&b.r.list, cases[i].select);
        list_fit(&b.r.list, cases[i].h);
        if (b.r.list.top != cases[i].top)
            fail_msg("%s: top %d, wanted %d", cases[i].what, b.r.list.top, cases[i].top);
    }
    end(&b);
}

/* Thousands of threads that come and go at random: each has one row, in order or in its place. */
static void test_many(void **state) {
    (void)state;
    enum { MANY = 3000, ROUNDS = 8 };
    static struct made m[MANY];
    static bool there[2 * MANY];
    struct bench b;
    uint32_t x = 1;
    begin(&b);
    for (int round = 0; round < ROUNDS; round++) {
        int n = 0;
        for (int i = 0; i < MANY; i++) {
            x = x * 1664525u + 1013904223u; /* Numerical Recipes */
            if (x >> 24 & 1)
                m[n++] = (struct made){.tid = round * 100 + i, .busy = (double)(x >> 20) / 4096};
        }
        take(&b, (uint64_t)round * 300, (uint64_t)round * 300 + 300, m, n);
        assert_int_equal(b.r.n_shown, n);
        memset(there, 0, sizeof(there));
        bool sorted = b.r.sorted_ns == b.t.t1_ns;
        for (int i = 0; i < n; i++) {
            const struct unit_row *row = rows_at(&b.r, i);
            assert_false(there[row->tid]);
            there[row->tid] = true;
            if (sorted && i > 0)
                assert_true(rows_at(&b.r, i - 1)->busy >= row->busy);
        }
        for (int i = 0; i < n; i++)
            assert_true(there[m[i].tid]);
    }
    end(&b);
}

/* The kernel gives a number out again within an interval: the old and the new are two rows. */
static void test_same_number(void **state) {
    (void)state;
    static const struct made twice[] = {
        {.tid = 10, .comm = "old", .busy = 0.1, .ended = true},
        {.tid = 11, .comm = "else", .busy = 0.2},
        {.tid = 10, .comm = "new", .busy = 0.3, .fresh = true},
    };
    struct bench b;
    begin(&b);
    take(&b, 0, 1000, twice, 2);
    take(&b, 1000, 1100, twice, 3);
    assert_int_equal(b.r.n_shown, 3);
    take(&b, 1100, 1200, twice + 1, 2);
    assert_int_equal(b.r.n_shown, 2);
    take(&b, 1200, 2300, twice, 3);
    assert_int_equal(b.r.n_shown, 3);
    end(&b);
}

/* The last minute of a thread: how much it ran, and the role it has its hue of. */
static void test_strip(void **state) {
    (void)state;
    enum metric_role role;
    struct made m[] = {{.tid = 10, .busy = 0.5, .frontend = 0.4}, {.tid = 11}};
    struct bench b;
    begin(&b);
    take(&b, 0, 1000, m, 2);
    m[0].busy = 1;
    take(&b, 1000, 2000, m, 2); /* the same cell */
    assert_true(fabs(rows_strip(&b.r, rows_at(&b.r, 0), 0, &role) - 0.75) < 1e-6);
    assert_int_equal(role, ROLE_FRONTEND);
    assert_true(rows_strip(&b.r, rows_at(&b.r, 1), 0, &role) == 0);
    assert_true(isnan(rows_strip(&b.r, rows_at(&b.r, 0), 1, &role)));
    m[0].frontend = 0.05; /* 0.65 are of use */
    take(&b, 2000, 3000, m, 2);
    assert_true(fabs(rows_strip(&b.r, rows_at(&b.r, 0), 0, &role) - 1) < 1e-6);
    assert_int_equal(role, ROLE_RETIRING);
    assert_true(fabs(rows_strip(&b.r, rows_at(&b.r, 0), 1, &role) - 0.75) < 1e-6);
    take(&b, 10000, 16000, m, 2); /* nobody looked in between; three cells at once */
    assert_true(fabs(rows_strip(&b.r, rows_at(&b.r, 0), 2, &role) - 1) < 1e-6);
    assert_true(isnan(rows_strip(&b.r, rows_at(&b.r, 0), 3, &role)));
    m[0].fresh = true; /* another thread has the number */
    take(&b, 16000, 17000, m, 2);
    assert_true(isnan(rows_strip(&b.r, rows_at(&b.r, 0), 1, &role)));
    end(&b);
}

/* CPUs have a past of their own, also while threads are shown. */
static void test_strip_of_cpus(void **state) {
    (void)state;
    enum metric_role role;
    static const struct made m[] = {{.tid = 5, .busy = 0.25, .frontend = 0.05},
                                    {.tid = -1, .cpu = 5, .busy = 0.5, .frontend = 0.4}};
    struct bench b;
    begin(&b);
    take(&b, 0, 2000, m, 2);
    rows_begin(&b.r, ROWS_CPUS, 2000 * NS_PER_MS, &b.f.s.eval);
    take(&b, 2000, 4000, m, 2);
    assert_int_equal(b.r.n_shown, 1);
    for (int back = 0; back < 2; back++) {
        assert_true(fabs(rows_strip(&b.r, rows_at(&b.r, 0), back, &role) - 0.5) < 1e-6);
        assert_int_equal(role, ROLE_FRONTEND);
    }
    rows_begin(&b.r, ROWS_THREADS, 4000 * NS_PER_MS, &b.f.s.eval);
    for (int back = 0; back < 2; back++) {
        assert_true(fabs(rows_strip(&b.r, rows_at(&b.r, 0), back, &role) - 0.25) < 1e-6);
        assert_int_equal(role, ROLE_RETIRING);
    }
    end(&b);
}

/* The row of a thread that has ended stays for a minute. */
static void test_gone(void **state) {
    (void)state;
    static const struct made m[] = {{.tid = 10, .busy = 0.5},
                                    {.tid = 11, .busy = 0.9, .ended = true}};
    struct bench b;
    begin(&b);
    take(&b, 0, 1000, m, 2);
    assert_int_equal(rows_gone_ns(&b.r, rows_at(&b.r, 0)), 0); /* its last numbers */
    take(&b, 1000, 3000, m, 1);
    assert_int_equal(b.r.n_shown, 2);
    assert_int_equal(rows_at(&b.r, 1)->tid, 11);
    assert_null(rows_eval(&b.r, 1, &b.f.s.eval));
    assert_int_equal(rows_gone_ns(&b.r, rows_at(&b.r, 1)), NS_PER_S);
    take(&b, 3000, 60900, m, 1);
    assert_int_equal(b.r.n_shown, 2);
    take(&b, 60900, 61000, m, 1);
    assert_int_equal(b.r.n_shown, 1);
    end(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns),       cmocka_unit_test(test_order),
        cmocka_unit_test(test_values),        cmocka_unit_test(test_held),
        cmocka_unit_test(test_selection),     cmocka_unit_test(test_filter),
        cmocka_unit_test(test_kinds),         cmocka_unit_test(test_times),
        cmocka_unit_test(test_moves),         cmocka_unit_test(test_moves_of_many),
        cmocka_unit_test(test_scroll),        cmocka_unit_test(test_many),
        cmocka_unit_test(test_same_number),   cmocka_unit_test(test_strip),
        cmocka_unit_test(test_strip_of_cpus), cmocka_unit_test(test_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
