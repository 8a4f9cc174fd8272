/* docs/MODELS.md: its examples load, and every key and constant there is stands in it. */
#include "model/load/model.h"

#include "base/str.h"
#include "model/load/expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { BLOCKS_MAX = 16 };

static struct {
    char *text;
    const char *block[BLOCKS_MAX]; /* what stands between ```toml and ``` */
    size_t len[BLOCKS_MAX];
    int n;
} doc;

static int doc_read(void **state) {
    (void)state;
    static const char open[] = "\n```toml\n", close[] = "\n```\n";
    size_t len;
    struct err err = {0};
    if (str_read_file("docs/MODELS.md", 1 << 20, &doc.text, &len, &err) < 0) {
        print_error("%s\n", err.text);
        return -1;
    }
    for (const char *at = doc.text; (at = strstr(at, open)) && doc.n < BLOCKS_MAX; doc.n++) {
        at += strlen(open);
        const char *end = strstr(at, close);
        if (!end)
            return -1;
        doc.block[doc.n] = at;
        doc.len[doc.n] = (size_t)(end + 1 - at);
        at = end;
    }
    return 0;
}

static int doc_free(void **state) {
    (void)state;
    free(doc.text);
    return 0;
}

static void print_problem(void *user, const char *text) {
    (void)user;
    print_error("%s\n", text);
}

static void test_blocks_check_clean(void **state) {
    (void)state;
    assert_int_equal(doc.n, 4); /* a core, two files of metrics, a core that extends one */
    for (int i = 0; i < doc.n; i++) {
        struct err err = {0};
        char name[64];
        snprintf(name, sizeof(name), "docs/MODELS.md, example %d", i + 1);
        int n = model_check_text(doc.block[i], doc.len[i], name, print_problem, NULL, &err);
        if (n != 0)
            fail_msg("%s: %d problems %s", name, n, err.text);
    }
}

static void test_new_core(void **state) {
    (void)state;
    struct model m;
    struct err err = {0};
    if (model_load(&m, doc.block[0], doc.len[0], "cortex-a76.toml", &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(m.name, "cortex-a76");
    assert_int_equal(m.n_tree, 3);
    assert_int_equal(m.n_event, 12);
    model_free(&m);
}

static void write_block(const char *path, int block) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(doc.block[block], 1, doc.len[block], f), doc.len[block]);
    assert_int_equal(fclose(f), 0);
}

/* Both files of metrics in one folder, as a user would have them. */
static void test_own_metrics(void **state) {
    (void)state;
    static const struct {
        const char *model, *metric;
        bool there, available;
    } cases[] = {
        {"spr", "Waste_By_Memory", true, true},
        {"spr", "Indirect_Branches_PKI", true, true},
        {"gnr", "Indirect_Branches_PKI", true, true},
        {"zen4", "Waste_By_Memory", true, true},
        {"zen4", "Indirect_Branches_PKI", false, false},
        {"generic", "Waste_By_Memory", true, false},
    };
    char dir[] = "/tmp/tdtop-docs-XXXXXX", path[2][64];
    assert_non_null(mkdtemp(dir));
    for (int i = 0; i < 2; i++) {
        snprintf(path[i], sizeof(path[i]), "%s/%d.toml", dir, i);
        write_block(path[i], 1 + i);
    }
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct model m;
        struct err err = {0};
        if (model_open(&m, cases[i].model, &(struct model_places){.metrics = dir}, &err) < 0)
            fail_msg("%s: %s", cases[i].model, err.text);
        int at = model_find(&m, cases[i].metric);
        bool available = at != METRIC_NONE && m.metric[at].ast && !m.metric[at].unavailable;
        if ((at != METRIC_NONE) != cases[i].there || available != cases[i].available)
            fail_msg("%s, %s: %s", cases[i].model, cases[i].metric,
                     at == METRIC_NONE ? "not there" : m.metric[at].unavailable);
        model_free(&m);
    }
    for (int i = 0; i < 2; i++)
        unlink(path[i]);
    assert_int_equal(rmdir(dir), 0);
}

/* Is `word` in the text, between backticks, commas or spaces? */
static bool named(const char *word) {
    size_t len = strlen(word);
    for (const char *at = doc.text; (at = strstr(at, word)); at++)
        if (strchr("`[.", at[-1]) && strchr("`].", at[len]))
            return true;
    return false;
}

/* The loader lists the keys of a table when it meets one that it does not know. */
static void test_keys_are_described(void **state) {
    (void)state;
    static const char *const texts[] = {
        "zzz = 1\n",
        "name='t'\ntitle='T'\nrung='full'\nscope='s'\nevent.E = { zzz = 1 }\n",
        "name='t'\ntitle='T'\nrung='full'\nscope='s'\nmetric.M = { zzz = 1 }\n",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct model m;
        struct err err = {0};
        assert_int_not_equal(model_load(&m, texts[i], strlen(texts[i]), "t.toml", &err), 0);
        char *known = strstr(err.text, "known: ");
        assert_non_null(known);
        int n = 0;
        for (char *key = strtok(known + strlen("known: "), ", "); key;
             key = strtok(NULL, ", "), n++)
            if (!named(key))
                fail_msg("docs/MODELS.md does not describe the key `%s`", key);
        assert_true(n > 10);
    }
}

static void test_constants_are_described(void **state) {
    (void)state;
    for (int i = 0; i < CONST_N; i++)
        if (!named(const_name((enum const_id)i)))
            fail_msg("docs/MODELS.md does not describe the constant `%s`",
                     const_name((enum const_id)i));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks_check_clean),
        cmocka_unit_test(test_new_core),
        cmocka_unit_test(test_own_metrics),
        cmocka_unit_test(test_keys_are_described),
        cmocka_unit_test(test_constants_are_described),
    };
    return cmocka_run_group_tests(tests, doc_read, doc_free);
}
