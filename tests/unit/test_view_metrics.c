/* The list of metrics: groups, filter, orders, what is said of what is not known. */
#include "alone.h"

#include "ui/view/metrics.h"

#include "ui/screen/keys.h"

static struct metrics *metrics_in(const struct fixture *f) {
    return screen_state(&f->sc, &view_metrics);
}

static const char more[] =
    "[metric.Mem_L1MPKI]\ngroups='Mem;CacheHits'\nunit='MPKI'\nthreshold=50\n"
    "formula='1000 * BE.L1 / INSTRUCTIONS'\nsummary='Misses of the first cache'\n"
    "[metric.Mem_L2MPKI]\ngroups='Mem;CacheHits'\nunit='MPKI'\n"
    "formula='1000 * BE.L2 / INSTRUCTIONS'\nsummary='Misses of the second cache'\n"
    "[metric.Mem_Bandwidth]\ngroups='Mem;MemoryBW'\nunit='GB/s'\n"
    "formula='BE.DRAM / DURATION_S / 1000000000'\n"
    "[metric.Branch_Ratio]\ngroups='Branches'\nshare=true\nformula='BAD.MISPREDICTS / SLOTS'\n"
    "[metric.Divider_Share]\ngroups='Compute'\nshare=true\nformula='BE.DIVIDER / SLOTS'\n"
    "[metric.Queue_Share]\ngroups='Offcore'\nshare=true\nformula='L3.QUEUE_FULL / SLOTS'\n"
    "[metric.Store_Share]\ngroups='Mem'\nshare=true\nformula='BE.STORES / SLOTS'\n"
    "[metric.Alone]\nformula='BE.PORTS / CYCLES'\n";

static void open_at(struct fixture *f, int w, int h) {
    fixture_open_with(f, "redis-server 4242", more);
    fixture_screen(f, w, h);
    fixture_run(f, 40);
    fixture_keys(f, "6");
    assert_ptr_equal(f->sc.scene.view, &view_metrics);
}

static const char *name_at(const struct fixture *f, int row) {
    const struct metrics_row *r = &metrics_in(f)->row[row];
    return r->metric == METRIC_NONE ? r->heading : f->s.model.metric[r->metric].name;
}

static int row_of(const struct fixture *f, const char *name) {
    for (int i = 0; i < metrics_in(f)->list.n; i++)
        if (strcmp(name_at(f, i), name) == 0)
            return i;
    return -1;
}

/* What has no value here is below a heading of its own, and closed. */
static void open_lacking(struct fixture *f) {
    struct metrics *mt = metrics_in(f);
    const int at = row_of(f, "Without a value");
    assert_int_equal(at, mt->list.n - 1);
    list_select(&mt->list, at);
    fixture_keys(f, "\n");
    assert_int_equal(mt->list.n - 1, at + mt->row[at].n);
}

static void select_metric(struct fixture *f, const char *name) {
    struct metrics *mt = metrics_in(f);
    if (mt->order == METRICS_BY_GROUP && mt->lacks[model_find(&f->s.model, name)])
        open_lacking(f);
    for (int i = 0; i < mt->list.n; i++)
        if (mt->row[i].metric == model_find(&f->s.model, name))
            list_select(&mt->list, i);
    assert_int_equal(metrics_metric(mt), model_find(&f->s.model, name));
}

static void test_golden(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(alone_sizes) / sizeof(alone_sizes[0]); i++) {
        struct fixture f;
        char name[64];
        open_at(&f, alone_sizes[i].w, alone_sizes[i].h);
        select_metric(&f, "Divider_Share");
        snprintf(name, sizeof(name), "metrics_%s", alone_sizes[i].name);
        alone_golden(&f, &view_metrics, name);
        fixture_close(&f);
    }
}

/* Each once, in the largest of its groups; the tree's nodes on a key. */
static void test_groups(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 80, 24);
    const struct metrics *mt = metrics_in(&f);
    assert_int_equal(mt->n_hit, (int)(f.s.model.n_metric - f.s.model.n_tree));
    assert_int_equal(row_of(&f, "Mem_L2MPKI"), row_of(&f, "Mem") + 2);
    assert_int_equal(row_of(&f, "CacheHits"), -1); /* all it has stand in Mem */
    assert_true(row_of(&f, "Others") > 0 && row_of(&f, "Vital signs") >= 0);
    assert_int_equal(row_of(&f, "L3_Bound"), -1);
    fixture_keys(&f, "T");
    assert_true(row_of(&f, "L3_Bound") > row_of(&f, "Backend_Bound"));
    fixture_keys(&f, "T*");
    for (int i = 0; i < mt->list.n; i++) /* all are closed */
        assert_int_equal(mt->row[i].metric, METRIC_NONE);
    list_select(&metrics_in(&f)->list, row_of(&f, "Mem"));
    fixture_keys(&f, "\n");
    assert_true(row_of(&f, "Mem_L1MPKI") > 0);
    assert_int_equal(row_of(&f, "Alone"), -1);
    fixture_keys(&f, "j<"); /* closes it from inside: its heading is selected */
    assert_string_equal(name_at(&f, mt->list.at), "Mem");
    fixture_close(&f);
}

static void test_filter(void **state) {
    (void)state;
    static const struct {
        const char *what, *keys, *first;
        int hits;
    } cases[] = {
        {"a name", "L2mp", "Mem_L2MPKI", 1},
        {"a group that is not its place", "cachehits", "Mem_L1MPKI", 2},
        {"what the group's name stands for", "floating", NULL, 0},
        {"what it is", "second cache", "Mem_L2MPKI", 1},
        {"words in any order", "cache first", "Mem_L1MPKI", 1},
        {"a unit", "gb/s", "Mem_Bandwidth", 1},
        {"nothing", "zzz", NULL, 0},
    };
    struct fixture f;
    open_at(&f, 80, 24);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fixture_keys(&f, "/");
        assert_int_equal(keys_context(&f.sc), IN_SEARCH);
        fixture_keys(&f, cases[i].keys);
        int metric = metrics_metric(metrics_in(&f));
        const char *got = metric == METRIC_NONE ? NULL : f.s.model.metric[metric].name;
        if (metrics_in(&f)->n_hit != cases[i].hits || (cases[i].first && !got) ||
            (got && strcmp(got, cases[i].first) != 0))
            fail_msg("%s: %d hits, first %s", cases[i].what, metrics_in(&f)->n_hit, got);
        assert_true(alone_shows(&f, &view_metrics, cases[i].hits ? "with \"" : "Esc"));
        assert_int_equal(metrics_in(&f)->filter.missing, cases[i].hits == 0);
        fixture_keys(&f, "\n"); /* accepts; Esc: all are there again, and the view stays */
        screen_key(&f.sc, KEYC_ESC, NULL);
        assert_ptr_equal(f.sc.scene.view, &view_metrics);
        assert_int_equal(metrics_in(&f)->n_hit, 10);
        for (int row = 0; row < metrics_in(&f)->list.n; row += 3) { /* Esc at once: as before */
            list_select(&metrics_in(&f)->list, row);
            screen_draw(&f.sc);
            const struct list was = metrics_in(&f)->list;
            fixture_keys(&f, "/");
            fixture_keys(&f, cases[i].keys);
            screen_draw(&f.sc);
            screen_key(&f.sc, KEYC_ESC, NULL);
            screen_draw(&f.sc);
            assert_int_equal(metrics_in(&f)->list.at, was.at);
            assert_int_equal(metrics_in(&f)->list.top, was.top);
        }
    }
    screen_key(&f.sc, KEYC_ESC, NULL);
    assert_ptr_equal(f.sc.scene.view, &view_tree);
    fixture_close(&f);
}

static void test_orders(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    screen_key(&f.sc, '>', NULL);
    assert_string_equal(name_at(&f, 0), "Alone");
    screen_key(&f.sc, 'I', NULL);
    assert_string_equal(name_at(&f, 0), "Store_Share");
    screen_key(&f.sc, '>', NULL); /* by value, below units; what is not known is last */
    assert_true(row_of(&f, "Mem_L1MPKI") == row_of(&f, "MPKI") + 1);
    assert_true(row_of(&f, "Queue_Share") > row_of(&f, "Branch_Ratio"));
    screen_key(&f.sc, '>', NULL); /* by duty */
    int stores = row_of(&f, "Store_Share"), l1 = row_of(&f, "Mem_L1MPKI");
    assert_true(l1 >= 0 && stores >= 0 && row_of(&f, "Alone") > l1);
    screen_key(&f.sc, '>', NULL);
    assert_int_equal(metrics_in(&f)->order, METRICS_BY_GROUP);
    fixture_close(&f);
}

/* An order by values holds still for a while; the selection stays with its metric. */
static void test_order_is_calm(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    fixture_keys(&f, "6");
    screen_key(&f.sc, '>', NULL);
    screen_key(&f.sc, '>', NULL);
    select_metric(&f, "Mem_L2MPKI");
    uint64_t made = metrics_in(&f)->made_ns;
    fixture_run(&f, 2);
    screen_draw(&f.sc);
    assert_true(metrics_in(&f)->made_ns == made);
    fixture_run(&f, 2);
    screen_draw(&f.sc);
    assert_true(metrics_in(&f)->made_ns > made);
    assert_string_equal(name_at(&f, metrics_in(&f)->list.at), "Mem_L2MPKI");
    fixture_close(&f);
}

static void test_reasons(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    assert_false(isnan(f.s.frame.at[metrics_metric(metrics_in(&f))].v)); /* begins there */
    assert_int_equal(row_of(&f, "Divider_Share"), -1);
    open_lacking(&f);
    assert_true(alone_shows(&f, &view_metrics, "not supported → a newer kernel"));
    assert_true(alone_shows(&f, &view_metrics, "not permitted → root, CAP_PERFMON"));
    static const struct {
        uint8_t kind, code;
        bool asked;
        const char *part;
    } cases[] = {
        {WHY_EVENT, COUNT_NOT_FOCUSED, true, "asked for now"},
        {WHY_EVENT, COUNT_NOT_FOCUSED, false, "focus off"},
        {WHY_EVENT, COUNT_UNCORE, false, "tdtop -a"},
        {WHY_EVENT, COUNT_UNSEEN, false, "a shorter interval (-)"},
        {WHY_UNAVAILABLE, 0, false, "nothing:"},
        {WHY_NOTHING, 0, false, ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[160];
        struct why why = {.kind = cases[i].kind, .code = cases[i].code};
        metrics_remedy(why, cases[i].asked, text, sizeof(text));
        if (!strstr(text, cases[i].part) || (!cases[i].part[0] && text[0]))
            fail_msg("%zu: %s", i, text);
    }
    fixture_close(&f);
}

/* What is on the screen is asked for, and a screenful around it. */
static void test_wants(void **state) {
    (void)state;
    struct fixture f;
    alone_crowd(&f, 500);
    bool *wanted = calloc(f.s.model.n_metric, sizeof(*wanted));
    assert_int_equal(screen_resize(&f.sc, 80, 24), 0);
    fixture_keys(&f, "6");
    screen_draw(&f.sc);
    metrics_want(metrics_in(&f), wanted);
    uint32_t n = 0;
    for (uint32_t i = 0; i < f.s.model.n_metric; i++)
        n += wanted[i];
    assert_true(n >= 10 && n < 80);
    fixture_keys(&f, "G");
    screen_draw(&f.sc);
    memset(wanted, 0, f.s.model.n_metric);
    metrics_want(metrics_in(&f), wanted);
    assert_true(wanted[metrics_metric(metrics_in(&f))]);
    free(wanted);
    fixture_close(&f);
}

/* Headings of units belong to no group: the selected one stays when the list is made anew. */
static void test_heading_stays(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    struct metrics *mt = metrics_in(&f);
    fixture_keys(&f, "6");
    screen_key(&f.sc, '>', NULL);
    screen_key(&f.sc, '>', NULL);
    assert_int_equal(mt->order, METRICS_BY_VALUE);
    int second = -1;
    for (int i = 1; i < mt->list.n && second < 0; i++)
        if (mt->row[i].metric == METRIC_NONE)
            second = i;
    assert_true(second > 0);
    list_select(&mt->list, second);
    const char *unit = mt->row[second].heading;
    fixture_keys(&f, "*"); /* makes the list anew */
    assert_string_equal(mt->row[mt->list.at].heading, unit);
    fixture_run(&f, 4); /* as what is live does */
    screen_draw(&f.sc);
    assert_string_equal(mt->row[mt->list.at].heading, unit);
    fixture_close(&f);
}

static void test_mouse(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 80, 24);
    screen_draw(&f.sc);
    struct rect r = f.sc.panes[LAYOUT_MAIN].at[PANE_MAIN];
    struct mouse m = {.what = MOUSE_PRESS, .x = r.x + 4, .y = r.y + 3};
    screen_key(&f.sc, KEYC_MOUSE, &m);
    assert_int_equal(metrics_in(&f)->list.at, metrics_in(&f)->list.top + 2);
    m.what = MOUSE_WHEEL_DOWN;
    screen_key(&f.sc, KEYC_MOUSE, &m);
    assert_int_equal(metrics_in(&f)->list.at, metrics_in(&f)->list.top + 5);
    fixture_close(&f);
}

static void test_inside(void **state) {
    (void)state;
    struct fixture f;
    alone_crowd(&f, 960);
    fixture_keys(&f, "6jjj");
    alone_inside(&f, &view_metrics, 300, 100);
    fixture_keys(&f, "T>>");
    alone_inside(&f, &view_metrics, 200, 60);
    fixture_close(&f);
    struct session s = {0}; /* before anything is known */
    struct fixture none = {0};
    struct err err;
    assert_int_equal(screen_init(&none.sc, &s, 2, &err), 0);
    alone_inside(&none, &view_metrics, 120, 40);
    fixture_keys(&none, "6jT>I*/x\n");
    screen_draw(&none.sc);
    screen_destroy(&none.sc);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_filter),        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_order_is_calm), cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_wants),         cmocka_unit_test(test_mouse),
        cmocka_unit_test(test_heading_stays), cmocka_unit_test(test_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
