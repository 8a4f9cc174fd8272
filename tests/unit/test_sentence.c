/* The sentence: words that hold still, and numbers that are those of the tree. */
#include "ui/scene/sentence.h"
#include "ui_fixture.h"

#include <ctype.h>

static void open_at(struct fixture *f, int w, int h) {
    fixture_open(f, "redis-server 4242");
    fixture_screen(f, w, h);
    fixture_run(f, 20);
}

/* What the tree's row says of a metric: "14.8%". */
static void number_now(struct fixture *f, int metric, char *buf, size_t cap) {
    const double v = f->s.frame.at[metric].v;
    snprintf(buf, cap, fabs(v) < 0.01 ? "%.2f%%" : "%.1f%%", 100 * v);
}

/* "Waiting for L3, 14.8%" stands in the text. */
static bool says(const struct sentence *se, const struct metric *mt, const char *number) {
    char plain[ADVICE_PLAIN], inside[ADVICE_PLAIN], one[160], of_two[160], below[160];
    advice_plain(&se->advice, mt, true, plain, sizeof(plain));
    snprintf(one, sizeof(one), "%s, %s", plain, number);
    snprintf(of_two, sizeof(of_two), "%s %s", plain, number);
    advice_plain(&se->advice, mt, false, inside, sizeof(inside));
    snprintf(below, sizeof(below), "below it %s %s", inside, number);
    return strstr(se->text.seen, one) || strstr(se->text.seen, of_two) ||
           strstr(se->text.seen, below);
}

/* The same with numbers as '#': what may not change while the same is said. */
static void words_of(const char *text, char *out, size_t cap) {
    size_t n = 0;
    for (const char *p = text; *p && n + 1 < cap; p++) {
        const bool number = isdigit((unsigned char)*p) && n > 0 && out[n - 1] == ' ';
        while (number && (isdigit((unsigned char)p[1]) || p[1] == '.'))
            p++;
        out[n++] = number ? '#' : *p;
    }
    out[n] = '\0';
}

/* Drawn or not, every interval: the number is of this interval, the words are not younger than 5 s
 * unless another thing is said. */
static void test_numbers_are_of_now(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    const struct sentence *se = &f.sc.scene.sentence;
    char number[32], words[240], last[240] = "";
    uint64_t made_ns = 0;
    int node = METRIC_NONE, moved = 0, held = 0;
    for (int i = 0; i < 120; i++) {
        char before[32];
        number_now(&f, se->text.node, before, sizeof(before));
        fixture_run(&f, 1);
        assert_true(se->made);
        number_now(&f, se->text.node, number, sizeof(number));
        if (!says(se, &f.s.model.metric[se->text.node], number))
            fail_msg("interval %d: \"%s\" has not %s", i, se->text.seen, number);
        moved += strcmp(before, number) != 0;
        words_of(se->text.seen, words, sizeof(words));
        if (se->made_ns == made_ns && se->text.node == node) {
            held++;
            if (strlen(words) > strlen(last)) /* what has gone may leave, nothing may come */
                fail_msg("interval %d: \"%s\" after \"%s\"", i, words, last);
        }
        made_ns = se->made_ns;
        node = se->text.node;
        str_copy(last, sizeof(last), words);
    }
    assert_true(moved > 60 && held > 60);
    fixture_close(&f);
}

/* How often the screen was drawn is not to be seen. */
static void test_drawn_or_not(void **state) {
    (void)state;
    static struct fixture often, never;
    open_at(&often, 120, 40);
    open_at(&never, 120, 40);
    for (int i = 0; i < 100; i++) {
        often.more_clears = never.more_clears = i % 17 < 5 ? 0.3 : 0;
        fixture_run(&often, 1);
        fixture_run(&never, 1);
        screen_draw(&often.sc);
        assert_string_equal(often.sc.scene.sentence.text.seen, never.sc.scene.sentence.text.seen);
        assert_string_equal(often.sc.scene.sentence.text.next, never.sc.scene.sentence.text.next);
        assert_memory_equal(often.sc.scene.changes.at, never.sc.scene.changes.at,
                            often.s.model.n_metric * sizeof(struct fade));
    }
    fixture_close(&often);
    fixture_close(&never);
}

/* The path of the tree goes elsewhere: the words go with it, in the same interval. */
static void test_another_node(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    const struct sentence *se = &f.sc.scene.sentence;
    fixture_run(&f, 1);
    const int clears = model_find(&f.s.model, "Machine_Clears");
    assert_int_not_equal(se->text.node, clears);
    f.sc.scene.sentence.made_ns = f.s.frame.t1_ns; /* not due */
    f.more_clears = 0.5;
    for (int i = 0; i < 8; i++) {
        fixture_run(&f, 1);
        const struct bottleneck *b = &f.s.frame.bottleneck;
        assert_true(b->n > 0);
        assert_int_equal(se->text.node, b->tie[0] == METRIC_NONE ? b->at[b->n - 1] : b->tie[0]);
    }
    assert_int_equal(se->text.node, clears);
    fixture_close(&f);
}

/* A table of limits knows no path: another row speaks after two intervals. Until then the one that
 * spoke says its value of now. */
static void test_another_row(void **state) {
    (void)state;
    struct fixture f;
    struct err err = {0};
    open_at(&f, 120, 40);
    assert_int_equal(sentence_load(&f.sc.scene.sentence, "perf-topdown", &err), 0);
    const struct sentence *se = &f.sc.scene.sentence;
    fixture_run(&f, 6);
    int held = 0;
    for (int i = 0; i < 200; i++) {
        const int node = se->text.node;
        const uint64_t made_ns = se->made_ns;
        char number[32];
        f.more_clears = i % 3 == 0 ? 0.25 : 0;
        fixture_run(&f, 1);
        if (se->text.node == METRIC_NONE || se->text.certainty == ADVICE_CLEAR)
            continue; /* of a metric that is no share */
        number_now(&f, se->text.node, number, sizeof(number));
        if (!strstr(se->text.seen, number))
            fail_msg("interval %d: \"%s\" has not %s", i, se->text.seen, number);
        held += se->differs > 0 && se->text.node == node && se->made_ns == made_ns;
    }
    assert_true(held > 0);
    fixture_close(&f);
}

/* Keys are named in views where they act on a node. */
static void test_keys_of_the_view(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 200, 60);
    screen_draw(&f.sc);
    assert_true(fixture_shows(&f, "e why"));
    fixture_keys(&f, "4");
    screen_draw(&f.sc);
    assert_false(fixture_shows(&f, "e why"));
    fixture_keys(&f, "2");
    screen_draw(&f.sc);
    assert_true(fixture_shows(&f, "e why"));
    fixture_close(&f);
}

/* A key is answered at once. */
static void test_baseline_is_named(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 200, 60);
    f.more_clears = 0.4;
    fixture_run(&f, 4);
    fixture_keys(&f, "b");
    f.more_clears = 0.2;
    fixture_run(&f, 1);
    screen_draw(&f.sc);
    assert_non_null(strstr(f.sc.scene.sentence.text.seen, "since the baseline"));
    fixture_keys(&f, "b");
    screen_draw(&f.sc);
    assert_null(strstr(f.sc.scene.sentence.text.seen, "since the baseline"));
    fixture_close(&f);
}

/* Of the change since the baseline it says what the column beside it says, whatever the intervals
 * do; and it comes to a verdict. */
static void test_one_meaning(void **state) {
    (void)state;
    struct fixture f;
    int n_same = 0, n_moved = 0;
    fixture_open(&f, "redis-server 4242");
    fixture_screen(&f, 200, 60);
    f.more_clears = 0.4;
    fixture_run(&f, 40);
    fixture_keys(&f, "b");
    for (int i = 0; i < 60; i++) {
        if (i == 20) { /* pinned anew, and changed */
            fixture_keys(&f, "bb");
            f.more_clears = 0.7;
        }
        fixture_run(&f, 1);
        screen_draw(&f.sc);
        const struct sentence *se = &f.sc.scene.sentence;
        const struct compare_row *row = baseline_row(&f.sc.scene.base, se->text.node);
        const struct compare_row *first = f.sc.scene.base.c.row;
        const char *seen = se->text.seen;
        if (f.sc.scene.base.c.n_row == 0)
            continue;
        const bool same = strstr(seen, "no clear change since the baseline"),
                   moved = strstr(seen, "points since the baseline");
        const bool node_sure = row && bench_is_sure(row->verdict);
        const bool any_sure = bench_is_sure(first->verdict);
        if (same == moved || moved != any_sure ||
            (moved && !node_sure && !strstr(seen, first->b->name)))
            fail_msg("interval %d: %s: \"%s\"", i, verdict_name(first->verdict), seen);
        n_same += same;
        n_moved += moved;
    }
    assert_true(n_same > 0 && n_moved > 0);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_are_of_now), cmocka_unit_test(test_drawn_or_not),
        cmocka_unit_test(test_another_node),       cmocka_unit_test(test_another_row),
        cmocka_unit_test(test_keys_of_the_view),   cmocka_unit_test(test_baseline_is_named),
        cmocka_unit_test(test_one_meaning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
