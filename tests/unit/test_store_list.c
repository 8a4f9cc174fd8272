/* Lists, filters, ids and words of the store: they are what was asked for. */
#include "store_box.h"

#include "base/str.h"

static void test_list(void **state) {
    struct box *b = *state;
    four_runs(b);
    const int64_t at = 1700000000000000000ll, s = 1000000000ll;
    const struct {
        const char *what;
        struct run_query q;
        const char *want;
        uint64_t total;
    } cases[] = {
        {"newest first", {0}, "c3 c4 b2 a1", 4},
        {"oldest first", {.ascending = true}, "a1 b2 c4 c3", 4},
        {"two", {.limit = 2}, "c3 c4", 4},
        {"two more", {.limit = 2, .skip = 2}, "b2 a1", 4},
        {"beyond", {.limit = 2, .skip = 9}, "", 4},
        {"the end", {.limit = 2, .skip = 3}, "a1", 4},
        {"the end of the longest", {.order = BY_DURATION, .limit = 1, .skip = 3}, "b2", 4},
        {"the other end", {.ascending = true, .limit = 9, .skip = 3}, "c3", 4},
        {"longest", {.order = BY_DURATION}, "c4 a1 c3 b2", 4},
        {"process", {.order = BY_PROCESS, .ascending = true}, "b2 a1 c4 c3", 4},
        {"of a process", {.process = "redis"}, "c3 c4 a1", 3},
        {"of no process", {.process = "redi"}, "", 0},
        {"since", {.since_ns = at + 20 * s}, "c3 c4 b2", 3},
        {"until", {.until_ns = at + 20 * s}, "b2 a1", 2},
        {"between", {.since_ns = at + 20 * s, .until_ns = at + 30 * s}, "c4 b2", 2},
        {"text of a label", {.text = "quiCK"}, "c3", 1},
        {"text of a process", {.text = "GIN"}, "b2", 1},
        {"text of a note", {.text = "A Not"}, "c3 c4 b2 a1", 4},
        {"key of a label", {.text = "BRANC"}, "c3 b2 a1", 3},
        {"a label as it is written", {.text = "branch=ma"}, "c3 a1", 2},
        {"end of a key, begin of a value", {.text = "ch=m"}, "c3 a1", 2},
        {"key and value of two labels", {.text = "branch=4"}, "", 0},
        {"text of a bottleneck", {.text = "node_6"}, "c3 c4 b2 a1", 4},
        {"of no bottleneck", {.text = "node_5"}, "", 0},
        {"text of a model", {.text = "TIN"}, "c3 c4 b2 a1", 4},
        {"text with the signs of a pattern", {.text = "0% of_it\\"}, "a1", 1},
        {"a pattern is a text", {.text = "o%t"}, "", 0},
        {"text and process", {.text = "a note", .process = "nginx"}, "b2", 1},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        listed(b, &cases[i].q, cases[i].what, cases[i].want, cases[i].total);
}

/* What was deleted, the last one first, by the same conditions. */
static void test_list_removed(void **state) {
    struct box *b = *state;
    four_runs(b);
    struct label_filter main_only = {.key = (char[]){"branch"}, .value = (char[]){"main"}};
    const char *gone[] = {"a1aaaaaaaaaaaaaa", "c3cccccccccccccc", "b2bbbbbbbbbbbbbb"};
    listed(b, &(struct run_query){.removed = true}, "none removed", "", 0);
    for (size_t i = 0; i < COUNT_OF(gone); i++)
        ok(b, store_delete(&b->st, gone[i], &b->err));
    const int64_t at = 1700000000000000000ll, s = 1000000000ll;
    const struct {
        const char *what;
        struct run_query q;
        const char *want;
        uint64_t total;
    } cases[] = {
        {"the others", {0}, "c4", 1},
        {"removed", {.removed = true}, "b2 c3 a1", 3},
        {"the other way round", {.removed = true, .ascending = true}, "a1 c3 b2", 3},
        {"the last", {.removed = true, .limit = 1}, "b2", 3},
        {"by a label", {.removed = true, .filter = &main_only, .n_filter = 1}, "c3 a1", 2},
        {"by a process", {.removed = true, .process = "nginx"}, "b2", 1},
        {"by time", {.removed = true, .since_ns = at + 20 * s}, "b2 c3", 2},
        {"by text", {.removed = true, .text = "quick"}, "c3", 1},
        {"longest", {.removed = true, .order = BY_DURATION}, "a1 c3 b2", 3},
        {"by a metric", {.removed = true, .order = BY_METRIC, .metric = "Nothing"}, "c3 b2 a1", 3},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        listed(b, &cases[i].q, cases[i].what, cases[i].want, cases[i].total);
    struct run_list l;
    ok(b, store_list(&b->st, &(struct run_query){.removed = true}, &l, &b->err));
    assert_true(l.row[0].removed_ns >= l.row[1].removed_ns && l.row[2].removed_ns > 0);
    run_list_free(&l);
}

/* One name in two places of the tree: the first of the run, looked up alone or with all others. */
static void test_list_two_places(void **state) {
    struct box *b = *state;
    char id[RUN_ID_LEN + 1];
    const struct run_query all[] = {{.metric = "Node_5"},
                                    {.metric = "Node_5", .order = BY_METRIC, .ascending = true}};
    for (int i = 0; i < 2; i++) { /* the metric of the other place is older in one of them */
        struct run r;
        fix_run(&r, (uint64_t)i + 1, 3, 4);
        memset(r.id, 'a' + i, RUN_ID_LEN);
        str_copy(id, sizeof(id), r.id);
        struct run_node *n = &r.node.at[i ? 30 : 2], *five = &r.node.at[5];
        ok(b, run_set_text(&n->name, "Node_5"));
        ok(b, run_set_text(&n->path, "Elsewhere.Node_5"));
        const double first = i ? five->value.v : n->value.v;
        ok(b, store_save(&b->st, &r, &b->err));
        for (size_t k = 0; k < COUNT_OF(all); k++) {
            struct run_list l;
            ok(b, store_list(&b->st, &all[k], &l, &b->err));
            for (size_t row = 0; row < l.n; row++)
                if (!strcmp(l.row[row].id, id) && l.row[row].value != first)
                    fail_msg("run %d, way %zu: %g, wanted %g", i, k, l.row[row].value, first);
            run_list_free(&l);
        }
        run_free(&r);
    }
}

static void test_list_labels(void **state) {
    struct box *b = *state;
    four_runs(b);
    const struct {
        const char *filter[3];
        const char *want;
        uint64_t total;
    } cases[] = {
        {{"branch=main"}, "c3 a1", 2},
        {{"branch=main", "io=4"}, "c3", 1},
        {{"branch=main", "io=5"}, "", 0},
        {{"branch!=main"}, "c4 b2", 2},
        {{"branch"}, "c3 b2 a1", 3},
        {{"!branch"}, "c4", 1},
        {{"!branch", "!io"}, "c4", 1},
        {{"branch~AI"}, "c3 a1", 2},
        {{"branch~"}, "c3 b2 a1", 3},
        {{"x~% of_"}, "a1", 1},
        {{"x~%_of"}, "", 0},
        {{"branch!=fix", "io!=1", "y"}, "c3", 1},
        {{"nothing"}, "", 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct label_filter f[3];
        size_t n = 0;
        for (; n < 3 && cases[i].filter[n]; n++)
            ok(b, label_filter_parse(cases[i].filter[n], &f[n], &b->err));
        listed(b, &(struct run_query){.filter = f, .n_filter = n}, cases[i].filter[0],
               cases[i].want, cases[i].total);
        while (n > 0)
            label_filter_free(&f[--n]);
    }
}

static void test_list_rows(void **state) {
    struct box *b = *state;
    four_runs(b);
    struct run r;
    struct run_list l;
    const char *keys[] = {"io", "nothing", "branch", NULL};
    ok(b, store_load(&b->st, "c3cccccccccccccc", RUN_HEAD, &r, &b->err));
    ok(b, store_list(&b->st, &(struct run_query){.metric = "Node_5", .keys = keys, .limit = 1}, &l,
                     &b->err));
    const struct run_row *row = &l.row[0];
    assert_string_equal(row->id, r.id);
    assert_int_equal(row->begun_ns, r.begun_ns);
    assert_int_equal(row->duration_ns, r.t1_ns - r.t0_ns);
    assert_int_equal(row->n_interval, 20);
    assert_string_equal(row->process, "redis");
    assert_string_equal(row->note, "a note");
    assert_string_equal(row->bottleneck, r.bottleneck);
    assert_true(row->simulated && !row->system_wide);
    assert_int_equal(row->n_label, 2);
    assert_string_equal(row->label[0].value, "4");
    assert_string_equal(row->label[1].value, "main");
    assert_true(row->value == r.node.at[5].value.v && row->value_se == r.node.at[5].m.se);
    for (int i = 0; i < 4; i++)
        assert_true(row->top[i] == r.node.at[i].value.v);
    run_list_free(&l);

    ok(b, store_list(&b->st,
                     &(struct run_query){.metric = "Backend_Bound.Node_6", .without_top = true}, &l,
                     &b->err));
    assert_true(l.row[0].value == r.node.at[6].value.v && isnan(l.row[0].top[0]));
    assert_int_equal(l.row[0].n_label, 6);
    run_list_free(&l);
    run_free(&r);
}

/* Many rows, so that whole columns are read; some without the metric. */
static void test_list_by_metric(void **state) {
    struct box *b = *state;
    char id[3];
    for (int i = 0; i < 12; i++) {
        snprintf(id, sizeof(id), "%02x", i);
        save(b, (uint64_t)i + 1, id, "p", NULL, 2);
    }
    for (int ascending = 0; ascending < 2; ascending++) {
        struct run_list l;
        ok(b, store_list(&b->st,
                         &(struct run_query){
                             .metric = "Node_7", .order = BY_METRIC, .ascending = ascending},
                         &l, &b->err));
        assert_int_equal(l.n, 12);
        for (size_t i = 1; i < l.n; i++)
            assert_true(ascending ? l.row[i - 1].value < l.row[i].value
                                  : l.row[i - 1].value > l.row[i].value);
        run_list_free(&l);
    }
    listed(b, &(struct run_query){.metric = "Node_9", .order = BY_METRIC, .limit = 2}, "unknown",
           "0b 0a", 12);
    struct run_list l;
    refused(b, store_list(&b->st, &(struct run_query){.order = BY_METRIC}, &l, &b->err), -EINVAL,
            "which metric");
}

/* Pages are parts of the whole list, and each run has its place in it. */
static void paged(struct box *b, struct run_query q) {
    struct run_list all, page;
    ok(b, store_list(&b->st, &q, &all, &b->err));
    q.limit = 2;
    for (size_t i = 0; i < all.n; i++) {
        uint64_t place;
        q.skip = i;
        ok(b, store_list(&b->st, &q, &page, &b->err));
        assert_int_equal(page.n, all.n - i < 2 ? 1 : 2);
        for (size_t k = 0; k < page.n; k++)
            assert_string_equal(page.row[k].id, all.row[i + k].id);
        run_list_free(&page);
        ok(b, store_place(&b->st, &q, all.row[i].id, &place, &b->err));
        assert_int_equal(place, i);
    }
    run_list_free(&all);
    refused(b, store_place(&b->st, &q, "eeeeeeeeeeeeeeee", &q.skip, &b->err), -ENOENT,
            "not in this list");
}

/* Two of them without the metric, in every order. */
static void test_list_pages(void **state) {
    struct box *b = *state;
    char id[3];
    for (int i = 0; i < 6; i++) {
        struct run r;
        fix_run(&r, (uint64_t)(i * 7 % 6) + 1, 2, 4);
        snprintf(id, sizeof(id), "%02x", i);
        memset(r.id, '0', RUN_ID_LEN);
        memcpy(r.id, id, strlen(id));
        if (i % 3 == 0) /* Backend_Bound and another one */
            r.node.at[2].value.v = r.node.at[7].value.v = NAN;
        ok(b, store_save(&b->st, &r, &b->err));
        run_free(&r);
    }
    const char *const by[] = {"Backend_Bound", "Node_7"};
    for (int ascending = 0; ascending < 2; ascending++) {
        for (enum run_order order = BY_TIME; order <= BY_MODEL; order++)
            paged(b, (struct run_query){.order = order, .ascending = ascending});
        for (size_t i = 0; i < COUNT_OF(by); i++)
            paged(b, (struct run_query){.order = BY_METRIC, .by = by[i], .ascending = ascending});
        paged(b, (struct run_query){
                     .order = BY_METRIC, .by = by[0], .ascending = ascending, .text = "a not"});
    }
}

static void test_filter_words(void **state) {
    (void)state;
    const struct {
        const char *text;
        int rc;
        enum label_op op;
        const char *key, *value;
    } cases[] = {
        {"a=b", 0, LABEL_IS, "a", "b"},
        {"a=", 0, LABEL_IS, "a", ""},
        {"a=b=c~d!e", 0, LABEL_IS, "a", "b=c~d!e"},
        {"a!=b", 0, LABEL_IS_NOT, "a", "b"},
        {"a~b c", 0, LABEL_HAS, "a", "b c"},
        {"a/b.c", 0, LABEL_EXISTS, "a/b.c", ""},
        {"!a", 0, LABEL_MISSING, "a", ""},
        {"", -EINVAL, 0, NULL, NULL},
        {"!", -EINVAL, 0, NULL, NULL},
        {"=b", -EINVAL, 0, NULL, NULL},
        {"!a=b", -EINVAL, 0, NULL, NULL},
        {"a!b", -EINVAL, 0, NULL, NULL},
        {"a b", -EINVAL, 0, NULL, NULL},
        {"a=\xc3", -EINVAL, 0, NULL, NULL},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct label_filter f;
        struct err err = {0};
        const int rc = label_filter_parse(cases[i].text, &f, &err);
        if (rc != cases[i].rc || (rc == 0 && (f.op != cases[i].op || strcmp(f.key, cases[i].key) ||
                                              strcmp(f.value, cases[i].value))))
            fail_msg("'%s': rc %d, %s", cases[i].text, rc, err.text);
        assert_true(rc == 0 || err.text[0]);
        label_filter_free(&f);
    }
}

static void test_find(void **state) {
    struct box *b = *state;
    char id[RUN_ID_LEN + 1];
    four_runs(b);
    const struct {
        const char *prefix;
        int rc;
        const char *want; /* the begin of the id, or words */
    } cases[] = {
        {"a", 0, "a1"},
        {"A1", 0, "a1"},
        {"c4", 0, "c4"},
        {"b2bbbbbbbbbbbbbb", 0, "b2"},
        {"c", -EINVAL, "c3cccccccccccccc, c4cccccccccccccc"},
        {"d", -ENOENT, "begins so"},
        {"", -EINVAL, "not an id"},
        {"x", -EINVAL, "not an id"},
        {"a' OR 1=1", -EINVAL, "not an id"},
        {"b2bbbbbbbbbbbbbbb", -EINVAL, "not an id"},
        {"@0", 0, "c3"},
        {"@3", 0, "a1"},
        {"@4", -ENOENT, "not so many"},
        {"@", -EINVAL, "@0 is the run measured last"},
        {"@-1", -EINVAL, "@0 is the run measured last"},
        {"@1x", -EINVAL, "@0 is the run measured last"},
        {"@99999999999999999999", -EINVAL, "@0 is the run measured last"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const int rc = store_find(&b->st, cases[i].prefix, id, &b->err);
        if (rc != cases[i].rc || !strstr(rc ? b->err.text : id, cases[i].want))
            fail_msg("'%s': rc %d, %s", cases[i].prefix, rc, rc ? b->err.text : id);
    }
}

static void test_find_deleted(void **state) {
    struct box *b = *state;
    char id[RUN_ID_LEN + 1];
    four_runs(b);
    refused(b, store_find_deleted(&b->st, "a", id, &b->err), -ENOENT, "begins so");
    ok(b, store_delete(&b->st, "c3cccccccccccccc", &b->err));
    ok(b, store_delete(&b->st, "a1aaaaaaaaaaaaaa", &b->err));
    ok(b, store_find_deleted(&b->st, "a", id, &b->err));
    assert_string_equal(id, "a1aaaaaaaaaaaaaa");
    ok(b, store_find_deleted(&b->st, "c", id, &b->err)); /* the other with a c is not deleted */
    assert_string_equal(id, "c3cccccccccccccc");
    ok(b, store_find_deleted(&b->st, "@0", id, &b->err));
    assert_string_equal(id, "a1aaaaaaaaaaaaaa");
    ok(b, store_find_deleted(&b->st, "@1", id, &b->err));
    assert_string_equal(id, "c3cccccccccccccc");
    assert_int_equal(store_find_deleted(&b->st, "@2", id, &b->err), -ENOENT);
}

static void words_are(struct box *b, const char *key, const char *prefix, size_t limit,
                      const char *want) {
    char got[256] = "", **w;
    ok(b, store_words(&b->st, key, prefix, limit, &w, &b->err));
    for (char **at = w; *at; at++) {
        strcat(got, *at);
        strcat(got, at[1] ? " " : "");
    }
    if (strcmp(got, want) != 0)
        fail_msg("words of %s: '%s', wanted '%s'", key ? key : "keys", got, want);
    store_words_free(w);
}

static void test_words(void **state) {
    struct box *b = *state;
    four_runs(b);
    words_are(b, "branch", "", 0, "main fix");
    words_are(b, "io", NULL, 0, "4 1");
    words_are(b, "seed", "", 2, "40 30"); /* used as often: the newest first */
    words_are(b, "branch", "m", 0, "main");
    words_are(b, NULL, "", 3, "arch seed test");
    words_are(b, NULL, "b", 0, "branch");
    words_are(b, "none", "", 0, "");
    ok(b, store_label(&b->st, "a1aaaaaaaaaaaaaa", "branch", "fix", &b->err));
    words_are(b, "branch", "", 0, "fix main");
    ok(b, store_label(&b->st, "a1aaaaaaaaaaaaaa", "io", NULL, &b->err));
    words_are(b, "io", "", 0, "4");
    ok(b, store_delete(&b->st, "b2bbbbbbbbbbbbbb", &b->err));
    struct store_prune n;
    ok(b, store_prune(&b->st, 0, false, &n, &b->err));
    words_are(b, "branch", "", 0, "main fix");
    int problems = store_check(&b->st, NULL, NULL, &b->err);
    assert_int_equal(problems, 0);
}

int main(void) {
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(test_list),
        CASE(test_list_labels),
        CASE(test_list_rows),
        CASE(test_list_by_metric),
        CASE(test_list_pages),
        CASE(test_find),
        CASE(test_find_deleted),
        CASE(test_list_removed),
        CASE(test_list_two_places),
        CASE(test_words),
        cmocka_unit_test(test_filter_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
