/* What the screen wants to be counted, when it says so, and how the tree follows the path. */
#include "ui_fixture.h"

/* The groups of a session that were asked for last; posted requests are counted by the box. */
static int take_no_groups(struct source *src, const struct group_set *groups, struct err *err) {
    (void)src;
    (void)groups;
    (void)err;
    return 0;
}

static const struct source_ops focus_ops = {.name = "perf", .focus = take_no_groups};

/* Each event a group of its own, so that groups tell which events are wanted. */
static void open_focus(struct fixture *f) {
    struct session *s = &f->s;
    struct err err = {0};
    fixture_open(f, "redis-server 4242");
    struct layout *l = &s->source.layout;
    for (uint32_t i = 0; i < l->n_slot; i++)
        l->slot[i].group = (uint16_t)i;
    l->n_group = l->n_slot;
    eval_destroy(&s->eval);
    assert_int_equal(eval_init(&s->eval, &s->model, l, &s->source.consts, &err), 0);
    assert_int_equal(focus_init(&s->focus, &s->model, l, &s->eval), 0);
    assert_int_equal(mailbox_init(&s->box, l->n_slot, false, &s->control), 0);
    s->source.ops = &focus_ops;
    s->opened = true;
    fixture_screen(f, 120, 40);
}

static void close_focus(struct fixture *f) {
    f->s.opened = false;
    mailbox_destroy(&f->s.box);
    focus_destroy(&f->s.focus);
    fixture_close(f);
}

static bool is_wanted(const struct fixture *f, const char *event) {
    const struct layout *l = &f->s.source.layout;
    int want = model_find_event(&f->s.model, event);
    for (uint32_t i = 0; i < l->n_slot; i++)
        if (l->slot[i].event == want)
            return group_set_has(&f->s.control.groups, l->slot[i].group);
    fail_msg("%s has no slot", event);
    return false;
}

static int node(const struct fixture *f, const char *name) {
    int i = model_find(&f->s.model, name);
    if (i < 0)
        fail_msg("no %s", name);
    return i;
}

/* An interval passes in which the bottleneck is `end`. */
static void pass(struct fixture *f, const char *end) {
    struct session *s = &f->s;
    struct bottleneck b = {.tie = {METRIC_NONE, METRIC_NONE}};
    fixture_sample(f, s->n_frames);
    eval_run(&s->eval, &s->sample, &s->frame);
    for (int i = node(f, end); i != METRIC_NONE; i = s->model.metric[i].parent)
        b.n = s->model.metric[i].level > b.n ? s->model.metric[i].level : b.n;
    for (int i = node(f, end); i != METRIC_NONE; i = s->model.metric[i].parent)
        b.at[s->model.metric[i].level - 1] = (int16_t)i;
    s->frame.bottleneck = b;
    tiers_push(&s->timeline.tiers, &s->sample);
    s->n_frames++;
    screen_update(&f->sc);
}

static void pass_n(struct fixture *f, const char *end, int n) {
    for (int i = 0; i < n; i++)
        pass(f, end);
}

static bool is_open(const struct fixture *f, const char *name) {
    return f->sc.scene.tree.open[node(f, name)];
}

static void assert_selected(const struct fixture *f, const char *name) {
    assert_string_equal(f->s.model.metric[scene_selected(&f->sc.scene)].name, name);
}

/* --- what is selected --- */

/* In focus open no row moves, but what is selected follows, until somebody selects something. */
static void test_selection_follows(void **state) {
    (void)state;
    struct fixture f;
    fixture_open(&f, "redis-server 4242");
    fixture_screen(&f, 120, 40);
    assert_true(focus_policy_follows(&f.sc)); /* also where all is counted */
    f.sc.scene.focus = FOCUS_OPEN;
    assert_false(focus_policy_follows(&f.sc));
    fixture_rows_stay(&f);
    pass_n(&f, "L3_Bound", 4);
    assert_selected(&f, "L3_Bound");
    const int rows = f.sc.scene.tree.list.n;
    pass(&f, "Fetch_Latency");
    assert_selected(&f, "L3_Bound"); /* it may be noise */
    pass_n(&f, "Fetch_Latency", 3);
    assert_selected(&f, "Fetch_Latency");
    assert_int_equal(f.sc.scene.tree.list.n, rows);
    assert_false(f.sc.scene.touched);
    fixture_keys(&f, "e"); /* what is being read stays */
    pass_n(&f, "L3_Bound", 4);
    assert_selected(&f, "Fetch_Latency");
    fixture_keys(&f, "qj");
    pass_n(&f, "L3_Bound", 4);
    assert_selected(&f, "Fetch_Bandwidth");
    fixture_close(&f);
}

/* --- what is wanted --- */

static void test_wanted(void **state) {
    (void)state;
    struct fixture f;
    open_focus(&f);
    assert_true(f.s.control.groups.only);
    assert_true(is_wanted(&f, "FE.LATENCY")); /* level 2 */
    assert_true(is_wanted(&f, "INSTRUCTIONS"));
    assert_false(is_wanted(&f, "BE.STORES")); /* level 3 alone reads it */

    pass(&f, "Memory_Bound"); /* its children may be the bottleneck */
    assert_true(is_wanted(&f, "BE.STORES"));
    assert_false(is_wanted(&f, "L3.CONTESTED"));
    pass(&f, "L3_Bound");
    assert_true(is_wanted(&f, "L3.CONTESTED"));

    fixture_keys(&f, "F"); /* open: what the path has opened is still to be seen */
    assert_true(fixture_shows(&f, "focus open: what is open on the screen"));
    assert_true(is_wanted(&f, "BE.STORES"));
    assert_false(is_wanted(&f, "L3.CONTESTED"));
    pass(&f, "L3_Bound");
    fixture_keys(&f, "((((");
    assert_false(is_wanted(&f, "BE.STORES"));
    pass(&f, "L3_Bound");
    assert_true(fixture_shows(&f, "focus open"));
    fixture_keys(&f, "F");
    assert_false(f.s.control.groups.only);
    assert_true(fixture_shows(&f, "focus off"));
    fixture_keys(&f, "F");
    assert_true(f.s.control.groups.only && is_wanted(&f, "L3.CONTESTED"));
    close_focus(&f);
}

/* A key is answered at once, but in one interval the counters change only once. */
static void test_once_an_interval(void **state) {
    (void)state;
    struct fixture f;
    open_focus(&f);
    fixture_keys(&f, "F"); /* the path shall not take part */
    fixture_rows_stay(&f);
    pass(&f, "Retiring");
    pass(&f, "Retiring");
    uint64_t seq = f.s.box.control_seq;
    fixture_keys(&f, "gjjjjjjj>"); /* opens Memory_Bound */
    assert_int_equal(f.s.box.control_seq, seq + 1);
    assert_true(is_wanted(&f, "BE.STORES"));
    fixture_keys(&f, "<>jjj>"); /* closes and opens it; opens L3_Bound */
    assert_int_equal(f.s.box.control_seq, seq + 1);
    assert_false(is_wanted(&f, "L3.CONTESTED"));
    pass(&f, "Retiring");
    assert_int_equal(f.s.box.control_seq, seq + 2);
    assert_true(is_wanted(&f, "L3.CONTESTED"));
    pass_n(&f, "Retiring", 5);
    assert_int_equal(f.s.box.control_seq, seq + 2);
    fixture_keys(&f, " (((("); /* frozen: what is looked at is counted all the same */
    pass(&f, "Retiring");
    assert_false(is_wanted(&f, "L3.CONTESTED"));
    close_focus(&f);
}

/* The selected node is wanted wherever it is; rows far below what is to be seen are not. */
static void test_far_rows(void **state) {
    (void)state;
    struct fixture f;
    open_focus(&f);
    fixture_keys(&f, "F*g");
    pass(&f, "Retiring");
    assert_true(is_wanted(&f, "L3.CONTESTED"));
    assert_int_equal(screen_resize(&f.sc, 40, 6), 0); /* two rows */
    screen_draw(&f.sc);
    pass(&f, "Retiring");
    assert_false(is_wanted(&f, "L3.CONTESTED"));
    fixture_keys(&f, "/Contested\n");
    screen_draw(&f.sc);
    pass(&f, "Retiring");
    assert_true(is_wanted(&f, "L3.CONTESTED"));
    close_focus(&f);
}

/* --- the tree follows the path --- */

static void test_follows(void **state) {
    (void)state;
    struct fixture f;
    open_focus(&f);
    pass(&f, "Memory_Bound");
    assert_selected(&f, "Memory_Bound");
    assert_false(is_open(&f, "Memory_Bound"));
    pass(&f, "L3_Bound"); /* deeper: at once */
    assert_selected(&f, "L3_Bound");
    pass(&f, "Divider"); /* elsewhere: when it stays there */
    assert_selected(&f, "L3_Bound");
    assert_false(is_open(&f, "Core_Bound"));
    pass_n(&f, "Divider", 2);
    assert_selected(&f, "Divider");
    assert_true(is_open(&f, "Core_Bound"));
    assert_true(is_open(&f, "Memory_Bound")); /* for a while */
    assert_true(is_wanted(&f, "BE.STORES"));
    pass_n(&f, "Divider", 10);
    assert_false(is_open(&f, "Memory_Bound"));
    assert_false(is_wanted(&f, "BE.STORES"));
    pass_n(&f, "Retiring", 20);
    assert_false(is_open(&f, "Core_Bound"));
    assert_selected(&f, "Retiring");
    close_focus(&f);
}

/* One that wanders between two branches changes neither rows nor counters. */
static void test_wanders(void **state) {
    (void)state;
    struct fixture f;
    open_focus(&f);
    pass(&f, "L3_Bound");
    pass_n(&f, "Divider", 3);
    uint64_t seq = f.s.box.control_seq;
    for (int i = 0; i < 30; i++)
        pass(&f, i % 2 ? "L3_Bound" : "Divider");
    assert_int_equal(f.s.box.control_seq, seq);
    assert_selected(&f, "Divider");
    assert_true(is_open(&f, "Memory_Bound") && is_open(&f, "Core_Bound"));
    close_focus(&f);
}

static void test_the_user_decides(void **state) {
    (void)state;
    struct fixture f;
    open_focus(&f);
    pass(&f, "L3_Bound");
    fixture_keys(&f, "<<"); /* closes Memory_Bound */
    pass_n(&f, "L3_Bound", 20);
    assert_false(is_open(&f, "Memory_Bound"));
    assert_selected(&f, "Memory_Bound");
    assert_true(is_wanted(&f, "BE.STORES")); /* the verdict still needs it */
    fixture_keys(&f, "B");
    assert_true(is_open(&f, "Memory_Bound"));
    pass_n(&f, "Retiring", 20);
    assert_true(is_open(&f, "Memory_Bound")); /* he went there himself */
    assert_selected(&f, "L3_Bound");

    fixture_keys(&f, "**g"); /* as at the start: nothing was decided */
    pass_n(&f, "L3_Bound", 3);
    assert_true(is_open(&f, "Memory_Bound"));
    assert_selected(&f, "Frontend_Bound");
    close_focus(&f);
}

/* What somebody looks at neither vanishes nor changes under his eyes. */
static void test_holds_still(void **state) {
    (void)state;
    struct fixture f;
    open_focus(&f);
    pass(&f, "L3_Bound");
    fixture_keys(&f, "e");
    pass_n(&f, "Divider", 20);
    assert_selected(&f, "L3_Bound");
    fixture_keys(&f, "q");
    pass(&f, "Divider");
    assert_selected(&f, "Divider");

    pass_n(&f, "L3_Bound", 3);
    fixture_keys(&f,
                 "j"); /* the quiet siblings of L3_Bound: what is said is that of their parent */
    pass_n(&f, "Divider", 30);
    assert_selected(&f, "Memory_Bound");
    fixture_keys(&f, "g");
    pass_n(&f, "Divider", 9);
    assert_true(is_open(&f, "Memory_Bound"));
    pass_n(&f, "Divider", 2);
    assert_false(is_open(&f, "Memory_Bound"));
    close_focus(&f);
}

/* --- what is drawn --- */

static void test_resting(void **state) {
    (void)state;
    struct fixture f;
    open_focus(&f);
    pass_n(&f, "L3_Bound", 10);
    fixture_rows_stay(&f);
    struct value *v = &f.s.frame.at[node(&f, "Store_Bound")];
    *v = (struct value){.v = NAN, .state = VALUE_NA, .why = {WHY_EVENT, COUNT_NOT_FOCUSED, 0}};
    assert_true(fixture_shows(&f, "·   not in focus"));
    assert_false(fixture_shows(&f, "n/a             "));
    fixture_golden(&f, "focus_120x40");
    assert_int_equal(screen_resize(&f.sc, 80, 24), 0);
    assert_true(fixture_shows(&f, "not in focus"));
    assert_int_equal(screen_resize(&f.sc, 40, 6), 0);
    screen_draw(&f.sc);
    f.s.state = STREAM_GONE; /* nothing is counted any more */
    assert_int_equal(screen_resize(&f.sc, 120, 40), 0);
    assert_false(fixture_shows(&f, "focus auto"));
    close_focus(&f);
}

/* A recording holds what it holds. */
static void test_no_focus(void **state) {
    (void)state;
    struct fixture f;
    fixture_open(&f, "redis-server 4242");
    fixture_screen(&f, 120, 40);
    fixture_run(&f, 3);
    assert_false(fixture_shows(&f, "focus auto"));
    fixture_keys(&f, "F");
    assert_true(fixture_shows(&f, "focus: this source always gives all"));
    assert_int_equal(f.sc.scene.focus, FOCUS_AUTO);
    fixture_close(&f);
}

/* What --nodes names can be seen from the start. */
static void test_nodes_are_opened(void **state) {
    (void)state;
    struct fixture f;
    bool wanted[64] = {false};
    fixture_open(&f, "redis-server 4242");
    wanted[node(&f, "Contested_Accesses")] = true;
    f.s.source.opt.wanted = wanted;
    fixture_screen(&f, 120, 40);
    assert_true(fixture_shows(&f, "Contested_Accesses"));
    assert_selected(&f, "Frontend_Bound");
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_selection_follows), cmocka_unit_test(test_wanted),
        cmocka_unit_test(test_once_an_interval),  cmocka_unit_test(test_far_rows),
        cmocka_unit_test(test_follows),           cmocka_unit_test(test_wanders),
        cmocka_unit_test(test_the_user_decides),  cmocka_unit_test(test_holds_still),
        cmocka_unit_test(test_resting),           cmocka_unit_test(test_no_focus),
        cmocka_unit_test(test_nodes_are_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
