/* A run as JSON: what is read back is what was written, to the last bit; what cannot be is refused.
 */
#include "cli/file/run_export.h"
#include "cli/file/run_import.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { N_EVENT = 3, N_SLOT = 4, N_GROUP = 2, N_ROW = 200 };

static const char *const event_names[N_EVENT] = {"CYCLES", "INST:c1", "GONE"};

static char *text(const char *s) {
    char *copy = strdup(s);
    assert_non_null(copy);
    return copy;
}

/* Counts with all that can be odd about them. */
static struct count count_of(int row, int slot) {
    static const double odd[] = {0.0,
                                 -0.0,
                                 1.0 / 3,
                                 5e-324,
                                 1.7976931348623157e308,
                                 9007199254740993.0,
                                 1e-10,
                                 3.0,
                                 123456789012345678.0};
    struct count c = {.value = odd[(row + slot) % 9] + (row % 3 ? row * 1000003 : 0),
                      .enabled_ns = 1000000000u,
                      .running_ns = slot < 2 ? 1000000000u : 333333333u};
    if (row == 4 && slot == 0)
        c.value = -0.0;
    if (row % 7 == 3) {
        c.state = (uint8_t)(1 + row % (COUNT_STATES - 1));
        c.value = NAN;
    }
    if (row % 5 == 1 && slot == 3)
        c.enabled_ns = c.running_ns = 77; /* not its group's */
    return c;
}

static void add_counts(struct run *r) {
    struct sample s;
    assert_int_equal(layout_init(&r->layout, N_EVENT, COUNT_NOT_SUPPORTED, N_SLOT), 0);
    layout_add(&r->layout, 0, 0);
    layout_add(&r->layout, 1, 0);
    layout_add(&r->layout, 0, 1);
    layout_add(&r->layout, 1, 1);
    r->layout.slot[3].event = SLOT_NO_EVENT;
    r->layout.no_perf_metrics = true;
    r->layout.n_pinned = 1;
    r->event = calloc(N_EVENT, sizeof(*r->event));
    for (int i = 0; i < N_EVENT; i++)
        r->event[i] = text(event_names[i]);
    assert_int_equal(series_init(&r->series, &r->layout, 0), 0);
    assert_int_equal(sample_init(&s, N_SLOT), 0);
    for (int row = 0; row < N_ROW; row++) {
        s.t0_ns = s.t1_ns;
        s.t1_ns += 1000000000u + (unsigned)row;
        s.target_threads = (uint32_t)row % 9;
        for (int i = 0; i < N_SLOT; i++)
            s.at[i] = count_of(row, i);
        assert_int_equal(series_push(&r->series, &s), 0);
    }
    sample_destroy(&s);
}

static void add_node(struct run *r, const char *path, double v) {
    struct run_node n = {
        .name = text("n"), .path = text(path), .unit = text("percent"), .level = 2};
    n.reason = text("because \"of\" it\n");
    n.good_up = n.total = true;
    n.better = -1;
    n.value =
        (struct value){.v = v, .err = NAN, .duty = 1.0f / 3, .state = VALUE_ODD, .over = true};
    n.value.split = true;
    n.m = (struct moments_result){7, v / 3, NAN, -v, v, 1e-300, INFINITY, 6.5};
    assert_int_equal(array_push(&r->node, n), 0);
}

static void make(struct run *r, bool counts) {
    struct consts c;
    struct latency_setting l = {.event = "MEM:retire_latency", .cycles = 12.25};
    *r = (struct run){
        .begun_ns = 1763754000123456789, .ended_ns = -1, .t0_ns = 1, .t1_ns = 1ull << 62};
    strcpy(r->id, "0123456789abcdef");
    char **const texts[] = {&r->process, &r->target, &r->command, &r->source,  &r->version,
                            &r->note,    &r->parent, &r->model,   &r->warning, &r->bottleneck};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        *texts[i] = text(i == 5 ? "a \"note\"\twith µ, \n and \\" : "x");
    r->model_text = text("");
    r->simulated = r->ran_through = true;
    r->level = 3;
    consts_init(&c);
    c.value[CONST_SMT_ON] = 1.0 / 3;
    c.fixed_by_user[CONST_TSC] = true;
    c.latency = &l;
    c.n_latency = 1;
    assert_int_equal(run_set_consts(r, &c), 0);
    assert_int_equal(run_label_set(r, "k", "v=\n'\"", false, NULL), 0);
    assert_int_equal(run_label_set(r, "a", "", true, NULL), 0);
    assert_int_equal(run_label_set(r, "host", "found", true, NULL), 0);
    assert_int_equal(run_label_set(r, "host", "mine", false, NULL), 0);
    assert_int_equal(array_push(&r->fact, (struct run_fact){text("governor"), text("mixed")}), 0);
    assert_int_equal(array_push(&r->mark, (struct run_mark){42, text("here")}), 0);
    add_node(r, "A.B", 0.1);
    add_node(r, "A.C", NAN);
    if (counts)
        add_counts(r);
}

static char path[64];

static void write_text(const char *s) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(s, f);
    fclose(f);
}

static char *export_text(const struct run *r) {
    char *s = NULL;
    size_t n = 0;
    struct err err = {0};
    FILE *f = open_memstream(&s, &n);
    if (run_export_json(r, f, &err) < 0)
        fail_msg("%s", err.text);
    fclose(f);
    return s;
}

static void assert_same_bits(double a, double b) {
    if (isnan(a) && isnan(b))
        return;
    assert_memory_equal(&a, &b, sizeof(a));
}

static void assert_same_rows(const struct run *a, const struct run *b) {
    struct series_reader x, y;
    struct sample s, t;
    size_t n = 0;
    assert_int_equal(series_reader_init(&x, &a->series) | series_reader_init(&y, &b->series), 0);
    assert_int_equal(sample_init(&s, N_SLOT) | sample_init(&t, N_SLOT), 0);
    while (series_reader_next(&x, &s)) {
        assert_true(series_reader_next(&y, &t));
        assert_true(s.t0_ns == t.t0_ns && s.t1_ns == t.t1_ns &&
                    s.target_threads == t.target_threads);
        for (int i = 0; i < N_SLOT; i++) {
            assert_same_bits(s.at[i].value, t.at[i].value);
            assert_int_equal(s.at[i].state, t.at[i].state);
            assert_true(s.at[i].enabled_ns == t.at[i].enabled_ns);
            assert_true(s.at[i].running_ns == t.at[i].running_ns);
        }
        n++;
    }
    assert_false(series_reader_next(&y, &t));
    assert_int_equal(n, N_ROW);
    sample_destroy(&s);
    sample_destroy(&t);
    series_reader_destroy(&x);
    series_reader_destroy(&y);
}

static void comes_back_bit_for_bit(void **state) {
    (void)state;
    for (int counts = 0; counts < 2; counts++) {
        struct run a, b;
        struct err err = {0};
        make(&a, counts);
        char *first = export_text(&a);
        assert_true(run_import_is_json(first));
        write_text(first);
        if (run_import_json(path, &b, &err) < 0)
            fail_msg("%s", err.text);
        char *again = export_text(&b);
        assert_string_equal(first, again);
        assert_string_equal(a.note, b.note);
        assert_same_bits(b.node.at[0].value.v, 0.1);
        assert_true(b.node.at[0].total && b.node.at[0].better == -1 && b.ran_through);
        assert_true(isnan(b.node.at[1].value.v) && isinf(b.node.at[0].m.dof));
        assert_true(b.node.at[0].value.duty == 1.0f / 3 && b.node.at[0].value.split);
        assert_same_bits(b.consts.value[CONST_SMT_ON], 1.0 / 3);
        assert_true(b.consts.fixed_by_user[CONST_TSC] && b.consts.n_latency == 1);
        assert_int_equal(b.layout.n_slot, counts ? N_SLOT : 0);
        assert_int_equal(b.layout.n_pinned, counts);
        assert_string_equal(run_label_get(&b, "host"), "mine");
        assert_string_equal(b.label.at[b.label.n - 1].covered, "found");
        if (counts) {
            assert_int_equal(b.layout.slot[3].event, SLOT_NO_EVENT);
            assert_int_equal(b.layout.missing[2], COUNT_NOT_SUPPORTED);
            assert_same_rows(&a, &b);
        }
        free(first);
        free(again);
        run_free(&a);
        run_free(&b);
    }
}

/* One thing of a good file is made bad. */
static void refuses_what_cannot_be(void **state) {
    (void)state;
    static const struct {
        const char *from, *to, *words;
    } cases[] = {
        {"\"tdtop_run\": 1", "\"tdtop_run\": 2", "a run in format 2, and this tdtop reads 1"},
        {"\"tdtop_run\": 1", "\"other\": 1", "not a run that tdtop exported"},
        {"\"0123456789abcdef\"", "\"0123456789ABCDEF\"", "id: 16 hexadecimal digits"},
        {"\"level\": 3", "\"level\": -3", "level: a whole number of 0 or more"},
        {"\"t0_ns\": 1,", "\"t0_ns\": 9223372036854775807,", "t0_ns: a whole number of 0 or more"},
        {"\"begun_ns\": 1763754000123456789", "\"begun_ns\": -9223372036854775808",
         "begun_ns: a whole number is wanted, not too large on either side of 0"},
        {"\"t1_ns\": 4611686018427387904", "\"t1_ns\": 0", "t1_ns: it ends before it begins"},
        {"\"n_pinned\": 1", "\"n_pinned\": 3", "n_pinned: a whole number"},
        {"\"groups\":[[1000000000", "\"groups\":[[9223372036854775807", "times of 0 or more"},
        {"\"simulated\": true", "\"simulated\": 1", "simulated: true or false"},
        {"\"process\": \"x\"", "\"process\": 7", "process: a text"},
        {"\"process\": \"x\"", "\"process\": \"x\\u009b\"",
         "process: it holds the control character U+009B"},
        {"\"doubt\": \"x\"", "\"doubt\": \"x\\u001by\"",
         "doubt: it holds the control character U+001B"},
        {"\"note\": \"a", "\"note\": \"\\u009ba", "note: it holds the control character U+009B"},
        {"\"key\":\"k\"", "\"key\":\"k k\"", "a key has at most"},
        {"\"state\":\"odd\"", "\"state\":\"even\"", "nodes[0].state: no state"},
        {"\"value\":0.10000000000000001", "\"value\":\"0.1\"", "nodes[0].value: a number or null"},
        {"{\"event\":0,\"group\":0}", "{\"event\":3,\"group\":0}",
         "slots[0].event: there are fewer"},
        {"{\"event\":0,\"group\":0}", "{\"event\":0,\"group\":2}",
         "slots[0].group: there are fewer"},
        {"\"state\":\"not_supported\"", "\"state\":\"what\"", "events[2].state: no state"},
        {"\"groups\":[[", "\"groups\":[[-", "intervals[0].counts: times of 0 or more"},
        {"\"t1_ns\":1000000000,", "\"t1_ns\":1,\"t1_ns\":2,", "not JSON"},
        {"\"counts\":[", "\"counts\":[1,", "the list is too long"},
        {"\"t0_ns\":1000000000,", "\"t0_ns\":9000000000,",
         "intervals[1].t1_ns: intervals in order"},
        {"[[1000000000,1000000000]", "[[1,1000000000]", "cannot have run for longer"},
        {"\"model_text\": \"\"", "\"model_text\": \"[\"", "model_text"},
    };
    struct run a, b;
    make(&a, true);
    char *good = export_text(&a);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *at = strstr(good, cases[i].from);
        struct err err = {0};
        if (!at)
            fail_msg("%s: not in the file", cases[i].from);
        FILE *f = fopen(path, "w");
        fprintf(f, "%.*s%s%s", (int)(at - good), good, cases[i].to, at + strlen(cases[i].from));
        fclose(f);
        int rc = run_import_json(path, &b, &err);
        if (rc >= 0 || !strstr(err.text, cases[i].words) || !strstr(err.text, path))
            fail_msg("%s: %d, %s", cases[i].to, rc, err.text);
        run_free(&b);
    }
    free(good);
    run_free(&a);
}

/* Wherever it is cut, words come back. */
static void refuses_what_was_cut(void **state) {
    (void)state;
    struct run a, b;
    make(&a, true);
    char *good = export_text(&a);
    const size_t n = strlen(good);
    for (size_t len = 0; len + 2 < n; len += 1 + n / 97) {
        struct err err = {0};
        const char kept = good[len];
        good[len] = '\0';
        write_text(good);
        good[len] = kept;
        assert_int_equal(run_import_json(path, &b, &err), -EINVAL);
        assert_non_null(strstr(err.text, path));
        run_free(&b);
    }
    free(good);
    run_free(&a);
}

static int make_path(void **state) {
    (void)state;
    strcpy(path, "/tmp/test_run_json-XXXXXX");
    const int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **state) {
    (void)state;
    return unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back_bit_for_bit),
        cmocka_unit_test(refuses_what_cannot_be),
        cmocka_unit_test(refuses_what_was_cut),
    };
    return cmocka_run_group_tests_name("run_json", tests, make_path, remove_path);
}
