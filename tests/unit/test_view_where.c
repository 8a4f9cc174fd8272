/* The Where view, drawn of samples that were made up: a table, source and instructions, the flame
 * graph, and why there is nothing. test_where.c has real ones. */
#include "count_malloc.h"
#include "ui_fixture.h"

#include "ui/screen/keys.h"
#include "ui/view/where_view.h"

#include <errno.h>
#include <inttypes.h>

static const struct {
    const char *name, *file, *thread;
    bool kernel;
    uint64_t n;
} made[] = {
    {"dictFind", "redis-server", "redis-server", false, 496},
    {"lookupKeyReadWithFlags", "redis-server", "redis-server", false, 138},
    {"sdscmplen", "redis-server", "redis-server", false, 73},
    {"std::vector<int, std::allocator<int> >::push_back(int const&)", "libwide.so.6", "io_thd_1",
     false, 32},
    {"je_malloc", "libjemalloc.so.2", "bio_lazy_free", false, 24},
    {"copy_user_enhanced_fast_string", "kernel", "io_thd_1", true, 16},
    {NULL, "libz.so.1", "redis-server", false, 14},
    {"rarely", "redis-server", "redis-server", false, 9},
};
enum { MADE = sizeof(made) / sizeof(made[0]), ALL = 812, REST = 10 };

static struct where_state *where_in(const struct fixture *f) {
    return screen_state(&f->sc, &view_where);
}

static void make_function(struct where_live *l, uint32_t at, uint64_t n) {
    struct where_function *f = &l->function[at];
    const double share = (double)n / ALL;
    f->module = 2;
    f->start = at;
    f->count = (struct hot_count){n, (double)n, (double)n};
    f->share = n >= WHERE_LEAST ? share : (double)NAN;
    f->low = share * 0.9;
    f->high = share * 1.1;
}

static void make_functions(struct where_live *l) {
    l->n_function = l->cap_function = 1 + MADE + REST;
    l->function = calloc(l->n_function, sizeof(*l->function));
    l->row = calloc(l->n_function, sizeof(*l->row));
    for (uint32_t i = 0; i < MADE; i++) {
        struct where_function *f = &l->function[i + 1];
        make_function(l, i + 1, made[i].n);
        f->name = made[i].name;
        f->pending = !made[i].name;
        f->kernel = made[i].kernel;
        if (!made[i].name)
            snprintf(f->text, sizeof(f->text), "libz.so.1+0x4f2a0");
        snprintf(f->file, sizeof(f->file), "%s", made[i].file);
        snprintf(f->thread, sizeof(f->thread), "%s", made[i].thread);
    }
    for (uint32_t i = 0; i < REST; i++) {
        make_function(l, 1 + MADE + i, 1);
        snprintf(l->function[1 + MADE + i].text, 64, "least_%u", i);
    }
    for (uint32_t i = 1; i < l->n_function; i++)
        l->row[l->n_row++] = i;
    snprintf(l->function[1].line, sizeof(l->function[1].line), "dict.c:512");
}

/* main and a thread; below main what is called, down to dictFind. */
static void make_blocks(struct where_live *l) {
    static const struct {
        uint32_t parent, function;
        double x, w;
    } blocks[] = {{0, 0, 0, 1},    {0, 2, 0, 0.9},    {0, 5, 0.9, 0.1},
                  {1, 3, 0, 0.8},  {1, 6, 0.8, 0.08}, {2, 5, 0.9, 0.06},
                  {3, 4, 0, 0.75}, {6, 1, 0, 0.61},   {6, 7, 0.61, 0.004}};
    l->n_block = sizeof(blocks) / sizeof(blocks[0]);
    l->block = calloc(l->n_block, sizeof(*l->block));
    for (uint32_t i = 0; i < l->n_block; i++)
        l->block[i] = (struct where_block){
            .parent = blocks[i].parent,
            .function = blocks[i].function,
            .node = i,
            .depth = i ? l->block[blocks[i].parent].depth + 1 : 0,
            .weight = blocks[i].w * ALL,
            .x = blocks[i].x,
            .w = blocks[i].w,
        };
}

static char *copy(const char *text) {
    char *to = strdup(text);
    assert_non_null(to);
    return to;
}

static struct listing *make_listing(bool source) {
    static const char text[] = "mov 0x8(%rbx), %rdi\0cmp (%rax), %r12\0je 0x4f2a0\0callq *%rax";
    static const uint32_t at[] = {0, 20, 37, 48};
    struct listing *l = calloc(1, sizeof(*l));
    l->file = copy(source ? "/usr/src/redis/src/dict.c" : "");
    l->code =
        (struct code){.n = 4, .at = calloc(4, sizeof(*l->code.at)), .text = {.at = malloc(64)}};
    memcpy(l->code.text.at, text, sizeof(text));
    for (uint32_t i = 0; i < 4; i++)
        l->code.at[i] = (struct instruction){.at = 0x4f2a0 + 4 * i, .length = 4, .text = at[i]};
    l->code.at[2].target = 0x4f2a0;
    if (!source) {
        snprintf(l->lines_lack, sizeof(l->lines_lack),
                 "redis-server has no lines (debug information): install redis-server-dbgsym");
        return l;
    }
    l->text.n_line = 520;
    l->text.text = copy("\twhile (he) {\0");
    l->text.line = calloc(520, sizeof(*l->text.line));
    return l;
}

/* What an update would do with the function that is open. */
static void answer(struct where_live *l, bool source) {
    l->listing = make_listing(source);
    l->listing_rc = 0;
    l->spots = (struct where_spots){.code = calloc(5, sizeof(double)),
                                    .line = calloc(521, sizeof(double)),
                                    .n = 496,
                                    .hot_code = 1,
                                    .hot_line = source ? 512 : 0};
    l->spots.code[1] = 0.69;
    l->spots.code[3] = 0.07;
    l->spots.line[511] = 0.22;
    l->spots.line[512] = 0.71;
}

static void make(struct fixture *f) {
    struct where_live *l = &where_in(f)->live;
    assert_non_null(strstr(l->lack, "no target")); /* the fixture's session has none */
    l->lack[0] = '\0';
    l->info = (struct sampling_info){.n_event = 1};
    l->info.event[0] = (struct sampling_event){.name = "MEM_LOAD_RETIRED.L3_HIT",
                                               .of = "MEM_LOAD_RETIRED.L3_HIT events",
                                               .precision = "precise",
                                               .precise_ip = 3,
                                               .node = l->node};
    l->now_ns = 4 * NS_PER_S;
    l->total.all = (struct hot_count){ALL, ALL, ALL};
    make_functions(l);
    make_blocks(l);
}

static void open_at(struct fixture *f, int w, int h) {
    fixture_open(f, "redis-server 4242");
    fixture_screen(f, w, h);
    fixture_run(f, 20);
    outline_go(&f->sc.scene.tree, model_find(&f->s.model, "Contested_Accesses"));
    fixture_keys(f, "h");
    assert_ptr_equal(f->sc.scene.view, &view_where);
    make(f);
}

static void press(struct fixture *f, uint32_t key) {
    screen_draw(&f->sc);
    screen_key(&f->sc, key, NULL);
}

static void golden_at(struct fixture *f, const char *what) {
    char name[64];
    snprintf(name, sizeof(name), "where_%s_%dx%d", what, f->sc.canvas.w, f->sc.canvas.h);
    fixture_golden(f, name);
}

static const int sizes[][2] = {{80, 24}, {120, 40}, {200, 60}};

static void test_pictures(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct fixture f;
        open_at(&f, sizes[i][0], sizes[i][1]);
        golden_at(&f, "functions");
        press(&f, KEYC_ENTER);
        assert_true(fixture_shows(&f, "reading symbols"));
        answer(&where_in(&f)->live, true);
        golden_at(&f, "open");
        press(&f, 'f');
        golden_at(&f, "flame");
        fixture_close(&f);
    }
}

static void test_nothing(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    struct where_live *l = &where_in(&f)->live;
    l->total.all.n = 0;
    l->n_row = l->n_block = 0;
    assert_true(fixture_shows(&f, "no sample in 4 s: the target has used no CPU"));
    snprintf(l->lack, sizeof(l->lack), "a simulated core runs no code that could be sampled");
    assert_true(fixture_shows(&f, "a simulated core runs no code"));
    press(&f, 'f');
    assert_true(fixture_shows(&f, "a simulated core runs no code"));
    press(&f, KEYC_ENTER);
    press(&f, KEYC_DOWN);
    press(&f, KEYC_RIGHT);
    fixture_close(&f);
}

static void test_words(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    struct where_live *l = &where_in(&f)->live;
    assert_true(fixture_shows(&f, "L3_Bound › Contested_Accesses"));
    assert_true(fixture_shows(&f, "a share is one of MEM_LOAD_RETIRED.L3_HIT events"));
    assert_true(fixture_shows(&f, "precise · 812 samples · 4 s · 203/s"));
    assert_true(fixture_shows(&f, "MEM_LOAD_RETIRED.L3_HIT:ppp"));
    assert_true(fixture_shows(&f, "[k] copy_user"));
    assert_true(fixture_shows(&f, "11 more with fewer than 10 samples"));
    l->info.event[0].node = METRIC_NONE;
    snprintf(l->info.event[0].why, 64, "it is that of its parent");
    l->info.user_only = true;
    assert_true(fixture_shows(&f, "it is that of its parent · user space only: root, cap_"));
    l->info.user_only = false;
    l->info.n_lost = 3;
    assert_true(fixture_shows(&f, "3 samples lost"));
    fixture_close(&f);
}

static void test_filter(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 80, 24);
    fixture_keys(&f, "/push\n");
    assert_true(fixture_shows(&f, "filter \"push\": 1 of 18 functions"));
    assert_false(fixture_shows(&f, "dictFind"));
    assert_int_equal(where_in(&f)->selected, 4);
    press(&f, KEYC_ESC);
    assert_ptr_equal(f.sc.scene.view, &view_where);
    assert_true(fixture_shows(&f, "dictFind"));
    press(&f, KEYC_ESC);
    assert_ptr_equal(f.sc.scene.view, &view_tree);
    fixture_close(&f);
}

/* What is selected stays so when the order changes. */
static void test_selection(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    struct where_state *w = where_in(&f);
    press(&f, KEYC_DOWN);
    screen_draw(&f.sc);
    assert_int_equal(w->selected, 2);
    w->live.row[0] = 2;
    w->live.row[1] = 1;
    screen_draw(&f.sc);
    assert_int_equal(w->selected, 2);
    assert_int_equal(w->list.at, 0);
    fixture_close(&f);
}

static void test_smallest(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 80, 16);
    assert_true(fixture_shows(&f, "11 more with"));
    assert_false(fixture_shows(&f, "least_9"));
    press(&f, '*');
    press(&f, KEYC_END);
    assert_true(fixture_shows(&f, "least_9"));
    fixture_close(&f);
}

static void test_open(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    struct where_state *w = where_in(&f);
    press(&f, KEYC_ENTER);
    assert_int_equal(w->live.open, 1);
    answer(&w->live, false);
    assert_true(fixture_shows(&f, "redis-server has no lines"));
    press(&f, KEYC_RIGHT); /* to the source, to the instructions */
    press(&f, KEYC_RIGHT);
    assert_int_equal(w->part, WHERE_CODE);
    assert_int_equal(w->code.at, 1); /* the hottest */
    press(&f, KEYC_DOWN);
    press(&f, KEYC_ENTER); /* a branch */
    assert_int_equal(w->code.at, 0);
    press(&f, KEYC_LEFT);
    press(&f, KEYC_LEFT);
    assert_int_equal(w->part, WHERE_LIST);
    press(&f, KEYC_DOWN);
    press(&f, KEYC_ENTER); /* another one */
    assert_int_equal(w->live.open, 2);
    assert_null(w->live.listing);
    w->live.listing_rc = -ENOENT;
    assert_true(fixture_shows(&f, "no symbol says"));
    press(&f, KEYC_ESC);
    assert_false(w->open);
    fixture_close(&f);
}

static void test_flame(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    struct where_state *w = where_in(&f);
    press(&f, 'f');
    assert_true(fixture_shows(&f, "90.0%  lookupKeyReadWithFlags"));
    fixture_keys(&f, "/je_m\n"); /* once of each stack */
    assert_true(fixture_shows(&f, "\"je_m\" in 10.0%"));
    screen_draw(&f.sc);
    screen_key(&f.sc, KEYC_ESC, NULL);
    assert_true(w->flame && !w->filter.text[0]);
    press(&f, KEYC_RIGHT);
    assert_true(fixture_shows(&f, "10.0%  je_malloc"));
    press(&f, KEYC_LEFT);
    press(&f, KEYC_DOWN);
    press(&f, KEYC_DOWN);
    press(&f, KEYC_DOWN);
    assert_true(fixture_shows(&f, "61.0%  dictFind ‹ std::vector"));
    press(&f, KEYC_ENTER);
    assert_int_equal(w->zoom, 7);
    assert_false(fixture_shows(&f, " je_malloc"));
    press(&f, KEYC_BACKSPACE);
    assert_int_equal(w->zoom, 6);
    struct mouse m = {.x = 100, .y = 6, .what = MOUSE_PRESS};
    press(&f, KEYC_BACKSPACE);
    press(&f, KEYC_BACKSPACE);
    press(&f, KEYC_BACKSPACE);
    assert_int_equal(w->zoom, 0);
    screen_draw(&f.sc);
    const struct rect r = f.sc.panes[LAYOUT_WHOLE].at[PANE_MAIN];
    m.y = r.y + 2;
    m.x = 110;
    screen_key(&f.sc, KEYC_MOUSE, &m);
    assert_int_equal(w->zoom, 2);
    press(&f, KEYC_BACKSPACE);
    press(&f, KEYC_BACKSPACE); /* all of it is there: back to the functions */
    assert_false(w->flame);
    fixture_close(&f);
}

/* Two branches, and one of which little is known, as an update would find them. */
static void make_branches(struct where_live *l) {
    static const struct {
        uint32_t from, to;
        uint64_t at, n, n_missed, cycles;
        double share, rate;
    } b[] = {{1, 2, 0x2a, 51234, 10123, 614808, 0.812, 0.1976},
             {6, 6, 0x110, 900, 90, 3600, 0.0072, 0.1},
             {7, 4, 0, 12, 1, 0, NAN, NAN}};
    enum { N = sizeof(b) / sizeof(b[0]) };
    l->copy.branch = calloc(N, sizeof(*l->copy.branch));
    l->n_row = 0;
    for (uint32_t i = 0; i < N; i++) {
        struct where_function *f = &l->function[l->n_function - N + i];
        const struct where_function *from = &l->function[b[i].from];
        assert_true(f != from);
        l->copy.branch[i].from.offset = from->start + b[i].at;
        l->copy.branch[i].to.offset = l->function[b[i].to].start;
        *f = (struct where_function){.module = WHERE_BRANCH, .start = i, .top = b[i].from};
        f->count.n = b[i].n;
        f->taken = (struct where_taken){.to = b[i].to, .rate = b[i].rate};
        f->taken.low = b[i].rate - 0.01;
        f->taken.high = b[i].rate + 0.01;
        f->taken.count = (struct hot_taken){.n = b[i].n, .n_told = b[i].n};
        f->taken.count.n_missed = b[i].n_missed;
        f->taken.count.n_timed = b[i].cycles ? b[i].n : 0;
        f->taken.count.cycles = b[i].cycles;
        f->share = b[i].share;
        f->low = b[i].share - 0.02;
        f->high = b[i].share + 0.02;
        memcpy(f->file, from->file, sizeof(f->file));
        l->row[l->n_row++] = (uint32_t)(f - l->function);
    }
    snprintf(l->function[l->row[0]].line, 64, "dict.c:498");
}

static void test_branches(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct fixture f;
        open_at(&f, sizes[i][0], sizes[i][1]);
        struct where_live *l = &where_in(&f)->live;
        l->info.branches = true;
        press(&f, 'M');
        assert_int_equal(l->by, WHERE_BY_BRANCH);
        make_branches(l);
        where_in(&f)->all = true; /* the last, too */
        golden_at(&f, "branches");
        assert_true(fixture_shows(&f, "shares of mispredicted branches, rates of taken") ||
                    sizes[i][0] == 80);
        press(&f, KEYC_ENTER);
        assert_int_equal(l->open, 1);
        press(&f, KEYC_ESC);
        fixture_keys(&f, "/copy_user");
        press(&f, KEYC_ENTER);
        assert_true(fixture_shows(&f, "1 of 3 branches"));
        press(&f, 'M');
        assert_int_equal(l->by, WHERE_BY_FUNCTION);
        fixture_close(&f);
    }
}

/* Cache lines as an update would find them: falsely shared, shared, one thread's, hardly seen. */
static void make_lines(struct where_live *l) {
    static const struct {
        uint32_t function, n_thread;
        uint64_t line, n, cycles;
        enum data_source source;
        enum line_sharing sharing;
        double share;
    } b[] = {{1, 4, 0x1fd3c0a81, 6120, 92, DATA_OTHER_CORE, LINE_FALSE_SHARED, 0.612},
             {2, 2, 0x1fd3c0a99, 900, 71, DATA_OTHER_CORE, LINE_SHARED, 0.09},
             {6, 1, 0x3ffe204a07ff, 300, 312, DATA_DRAM, LINE_PRIVATE, 0.03},
             {4, 1, 0x1fd3c0b00, 7, 0, DATA_UNKNOWN, LINE_PRIVATE, NAN}};
    enum { N = sizeof(b) / sizeof(b[0]) };
    l->n_row = 0;
    for (uint32_t i = 0; i < N; i++) {
        struct where_function *f = &l->function[l->n_function - N + i];
        const double weight = (double)b[i].n;
        *f = (struct where_function){.module = WHERE_CACHE_LINE, .start = i};
        f->top = b[i].function;
        f->count = (struct hot_count){b[i].n, weight, weight};
        f->share = b[i].share;
        f->low = b[i].share - 0.012;
        f->high = b[i].share + 0.012;
        f->data.sum.all =
            (struct access_count){f->count, 0, b[i].cycles ? b[i].n : 0, b[i].n * b[i].cycles};
        f->data.sum.from[b[i].source] = weight;
        f->data.n_thread = b[i].n_thread;
        f->data.sharing = b[i].sharing;
        snprintf(f->text, sizeof(f->text), "0x%" PRIx64, b[i].line * CACHE_LINE);
        l->row[l->n_row++] = (uint32_t)(f - l->function);
        access_add(&l->by_source[b[i].source], &f->data.sum.all);
    }
    l->function[1].data.sum = l->function[l->row[0]].data.sum;
    l->total.data = (struct hot_count){10000, 10000, 10000};
}

static void test_accesses(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct fixture f;
        open_at(&f, sizes[i][0], sizes[i][1]);
        struct where_live *l = &where_in(&f)->live;
        l->info.accesses = true;
        press(&f, 'A');
        assert_int_equal(l->by, WHERE_BY_ACCESS);
        make_lines(l);
        where_in(&f)->all = true;
        golden_at(&f, "accesses");
        press(&f, KEYC_ENTER);
        assert_int_equal(l->open, 1);
        press(&f, KEYC_ESC);
        fixture_keys(&f, "/0x7f4f02a040");
        press(&f, KEYC_ENTER);
        assert_true(fixture_shows(&f, "1 of 4 cache lines"));
        press(&f, 'A');
        assert_int_equal(l->by, WHERE_BY_FUNCTION);
        fixture_close(&f);
    }
}

/* What they say of functions stands beside these. */
static void test_memory(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct fixture f;
        open_at(&f, sizes[i][0], sizes[i][1]);
        struct where_live *l = &where_in(&f)->live;
        const uint32_t n = l->n_row;
        uint32_t row[64];
        assert_true(n < 64);
        memcpy(row, l->row, n * sizeof(*row));
        make_lines(l);
        memcpy(l->row, row, n * sizeof(*row));
        l->n_row = n;
        golden_at(&f, "memory");
        fixture_close(&f);
    }
}

/* The node that is sampled, without leaving the view. */
static void test_explain(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    struct where_live *l = &where_in(&f)->live;
    press(&f, 'e');
    assert_true(fixture_shows(&f, "Formula"));
    press(&f, KEYC_ESC);
    assert_false(fixture_shows(&f, "Formula"));
    assert_true(fixture_shows(&f, "functions"));
    l->node = METRIC_NONE;
    press(&f, 'e');
    assert_true(fixture_shows(&f, "explains a node"));
    fixture_close(&f);
}

static void test_broken_stacks(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 200, 60);
    struct sampling_info *i = &where_in(&f)->live.info;
    i->n_sample = 1000;
    i->n_broken = 199;
    assert_false(fixture_shows(&f, "frame pointers"));
    i->n_broken = 930;
    assert_true(fixture_shows(&f, "stacks of 93% are broken: built without frame pointers"));
    fixture_close(&f);
}

static void test_no_accesses(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    struct where_live *l = &where_in(&f)->live;
    l->info.accesses = true;
    press(&f, 'A');
    l->n_row = 0;
    assert_true(fixture_shows(&f, "no sample says an address so far"));
    l->info.accesses = false;
    snprintf(l->no_accesses, sizeof(l->no_accesses), "the CPU tells none");
    assert_true(fixture_shows(&f, "no addresses: the CPU tells none"));
    fixture_close(&f);
}

/* Why there are none, in a few words; where they were not asked for it is opened with them. */
static void test_no_branches(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    struct where_live *l = &where_in(&f)->live;
    l->info.branches = true;
    press(&f, 'M');
    l->n_row = 0;
    assert_true(fixture_shows(&f, "no branch record so far"));
    l->info.branches = false;
    snprintf(l->info.no_branches, sizeof(l->info.no_branches), "the CPU offers none");
    assert_true(fixture_shows(&f, "no branch records: the CPU offers none"));
    press(&f, 'M');
    press(&f, 'M');
    assert_false(l->branches); /* it is known already */
    press(&f, 'M');
    l->info.no_branches[0] = '\0';
    press(&f, 'M');
    assert_true(l->branches);
    assert_true(fixture_shows(&f, "there is no target")); /* opened again; the fixture has none */
    fixture_close(&f);
}

/* A baseline with samples of the event, and what an update would find. */
static void compare(struct fixture *f) {
    static const double delta[] = {0.123, -0.08, 0.01, 0, -0.02, 0.004};
    struct where_live *l = &where_in(f)->live;
    press(f, 'b');
    assert_true(f->sc.scene.base.on);
    struct hot h = {.target = copy(""), .asked = copy(""), .no_branches = copy("")};
    assert_int_equal(
        array_push(&h.event, (struct hot_event){.name = copy("MEM_LOAD_RETIRED.L3_HIT"),
                                                .precision = copy("precise"),
                                                .of = copy(""),
                                                .why = copy("")}),
        0);
    assert_int_equal(array_push(&f->sc.scene.base.run.hot, h), 0);
    for (uint32_t i = 1; i < l->n_function; i++) {
        const double d = i <= 6 ? delta[i - 1] : (double)NAN;
        l->function[i].change = (struct where_change){0, d, d - 0.02, d + 0.02, fabs(d) > 0.05};
    }
    for (uint32_t i = 1; i < l->n_block; i++) {
        const double d = delta[i % 6];
        l->block[i].change = (struct where_change){0, d, d - 0.02, d + 0.02, fabs(d) > 0.05};
    }
}

static void test_diff(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct fixture f;
        open_at(&f, sizes[i][0], sizes[i][1]);
        compare(&f);
        golden_at(&f, "diff");
        assert_true(fixture_shows(&f, "▲+12.3"));
        assert_true(fixture_shows(&f, "▼-8.0"));
        press(&f, 'f');
        golden_at(&f, "diff_flame");
        assert_true(fixture_shows(&f, "-8.0 ±2.0"));
        press(&f, 'f');
        snprintf(where_in(&f)->live.info.event[0].name, 32, "cycles");
        assert_true(fixture_shows(&f, "the baseline has samples of MEM_LOAD_RETIRED.L3_HIT"));
        assert_false(fixture_shows(&f, "▲+12.3"));
        fixture_close(&f);
    }
}

static void test_rows(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    struct where_state *w = where_in(&f);
    press(&f, 'l');
    assert_true(fixture_shows(&f, " lines ") && w->live.by == WHERE_BY_LINE);
    press(&f, 'l');
    assert_true(fixture_shows(&f, " functions ") && w->live.by == WHERE_BY_FUNCTION);
    press(&f, 't');
    assert_true(fixture_shows(&f, " threads ") && fixture_shows(&f, "hottest function"));
    struct where_function *t = &w->live.function[w->live.row[0]];
    t->module = WHERE_THREAD;
    t->name = "io_thd_1 4243";
    t->start = 4242ull << 32 | 4243;
    press(&f, KEYC_ENTER);
    assert_int_equal(w->live.only, t->start);
    assert_true(fixture_shows(&f, "functions of io_thd_1 4243"));
    press(&f, 'l'); /* its lines */
    assert_true(fixture_shows(&f, "lines of io_thd_1 4243"));
    press(&f, KEYC_ESC);
    assert_true(fixture_shows(&f, " threads ") && w->live.only == 0);
    press(&f, KEYC_ESC);
    assert_ptr_equal(f.sc.scene.view, &view_tree);
    fixture_close(&f);
}

/* The time cursor chooses seconds of the samples, a baseline those since it was pinned. */
static void test_span(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    const struct where_span *span = &where_in(&f)->live.span;
    screen_draw(&f.sc);
    assert_true(span->from == 0 && span->to == 0);
    press(&f, ',');
    screen_draw(&f.sc);
    assert_true(f.sc.scene.cursor.shows == CURSOR_MOMENT);
    assert_true(span->to > span->from);
    assert_true(fixture_shows(&f, " ago"));
    press(&f, KEYC_ESC);
    screen_draw(&f.sc);
    assert_ptr_equal(f.sc.scene.view, &view_where);
    assert_int_equal(span->to, 0);
    compare(&f);
    screen_draw(&f.sc);
    assert_true(span->to == UINT64_MAX && span->from > 0);
    fixture_close(&f);
}

/* A line of the bench, and a node, are what it is about; the tree is where it ends. */
static void test_go(void **state) {
    (void)state;
    struct fixture f;
    fixture_open(&f, "redis-server 4242");
    fixture_screen(&f, 120, 40);
    fixture_run(&f, 20);
    outline_go(&f.sc.scene.tree, model_find(&f.s.model, "L3_Bound"));
    fixture_keys(&f, "h");
    assert_int_equal(where_in(&f)->live.node, model_find(&f.s.model, "L3_Bound"));
    assert_true(where_in(&f)->live.tried);
    assert_true(fixture_shows(&f, "there is no target to sample"));
    fixture_keys(&f, "h");
    assert_ptr_equal(f.sc.scene.view, &view_tree);
    assert_false(where_in(&f)->live.tried);
    press(&f, '4');
    press(&f, 'h');
    press(&f, KEYC_TAB); /* goes on from the tree */
    assert_ptr_equal(f.sc.scene.view, &view_funnel);
    press(&f, 'b');
    fixture_run(&f, 5);
    f.more_clears = 0.2;
    fixture_run(&f, 20);
    press(&f, '8');
    screen_draw(&f.sc);
    const int metric = bench_metric(&f.sc.scene);
    press(&f, 'h');
    assert_ptr_equal(f.sc.scene.view, &view_where);
    assert_int_equal(where_in(&f)->live.node, metric);
    fixture_close(&f);
}

static void test_draws_without_memory(void **state) {
    (void)state;
#ifdef SANITIZED
    skip();
#endif
    struct fixture f;
    open_at(&f, 120, 40);
    for (int i = 0; i < 3; i++) {
        const struct rect r = f.sc.panes[LAYOUT_WHOLE].at[PANE_MAIN];
        screen_prepare(&f.sc);
        const unsigned long before = calls_now();
        view_where.draw(screen_scene(&f.sc, &view_where), &f.sc.canvas, r);
        assert_int_equal(calls_now(), before);
        press(&f, i ? 'f' : KEYC_ENTER);
        if (!i)
            answer(&where_in(&f)->live, true);
    }
    fixture_close(&f);
}

/* Any size, any key. */
static void test_sizes(void **state) {
    (void)state;
    static const uint32_t pressed[] = {KEYC_ENTER, 'f',        KEYC_DOWN, KEYC_RIGHT, 'f',
                                       KEYC_RIGHT, KEYC_DOWN,  KEYC_END,  KEYC_PGUP,  KEYC_HOME,
                                       'f',        KEYC_ENTER, KEYC_ESC,  KEYC_ENTER};
    for (int h = 4; h < 50; h += 3)
        for (int w = 40; w < 230; w += 37) {
            struct fixture f;
            open_at(&f, w, h);
            for (size_t i = 0; i < sizeof(pressed) / sizeof(pressed[0]); i++) {
                press(&f, pressed[i]);
                if (!where_in(&f)->live.listing && where_in(&f)->open)
                    answer(&where_in(&f)->live, true);
            }
            screen_draw(&f.sc);
            fixture_close(&f);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pictures),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_filter),
        cmocka_unit_test(test_selection),
        cmocka_unit_test(test_smallest),
        cmocka_unit_test(test_open),
        cmocka_unit_test(test_flame),
        cmocka_unit_test(test_go),
        cmocka_unit_test(test_draws_without_memory),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_branches),
        cmocka_unit_test(test_accesses),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_no_accesses),
        cmocka_unit_test(test_explain),
        cmocka_unit_test(test_broken_stacks),
        cmocka_unit_test(test_no_branches),
        cmocka_unit_test(test_diff),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_span),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
