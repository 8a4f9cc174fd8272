#include "model/knowledge/guide.h"

#include "model/load/model.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct told {
    int summaries, headings, texts, items;
};

static void tell_summary(void *user, const char *text) {
    assert_true(text[0] != '\0');
    ((struct told *)user)->summaries++;
}

static void tell_heading(void *user, const char *text) {
    assert_true(text[0] != '\0');
    ((struct told *)user)->headings++;
}

static void tell_text(void *user, const char *text) {
    assert_true(text[0] != '\0');
    ((struct told *)user)->texts++;
}

static void tell_item(void *user, const char *text) {
    assert_true(text[0] != '\0');
    ((struct told *)user)->items++;
}

/* The pages that users of the method look for. */
static void pages_are_there(void **state) {
    (void)state;
    static const char *const names[] = {"slots", "categories", "walking", "confidence",
                                        "noise", "comparing",  "sampling"};
    struct guide g;
    struct err err = {0};
    if (guide_load(&g, &err) < 0)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < COUNT(names); i++)
        if (!guide_find(&g, names[i]))
            fail_msg("no page '%s'", names[i]);
    for (size_t i = 0; i < g.n; i++) {
        struct told told = {0};
        const struct text_sink sink = {tell_heading, tell_summary, tell_text, tell_item, &told};
        guide_tell(&g.page[i], &sink);
        assert_int_equal(told.summaries, 1);
        assert_true(told.texts + told.items >= 3);
    }
    guide_free(&g);
}

static void pages_are_found(void **state) {
    (void)state;
    static const char page[] = "title='t'\nsummary='s'\n[[part]]\ntext='x'\n";
    const struct embedded files[] = {{"1-slots", page, sizeof(page) - 1},
                                     {"2-sampling", page, sizeof(page) - 1},
                                     {"3-noise", page, sizeof(page) - 1},
                                     {"4-pages", page, sizeof(page) - 1},
                                     {"5-pager", page, sizeof(page) - 1},
                                     {"6-page", page, sizeof(page) - 1},
                                     {NULL, NULL, 0}};
    struct guide g;
    assert_int_equal(guide_load_from(&g, files, NULL), 0);
    assert_ptr_equal(guide_find(&g, "slots"), &g.page[0]);
    assert_ptr_equal(guide_find(&g, "NOISE"), &g.page[2]);
    assert_ptr_equal(guide_find(&g, "2"), &g.page[1]);
    assert_ptr_equal(guide_find(&g, "no"), &g.page[2]);
    assert_null(guide_find(&g, "s")); /* of two */
    assert_null(guide_find(&g, "0"));
    assert_null(guide_find(&g, "7"));
    assert_ptr_equal(guide_find(&g, "page"), &g.page[5]); /* though others begin so before it */
    assert_null(guide_find(&g, "pag"));
    assert_null(guide_find(&g, ""));
    guide_free(&g);
    guide_free(&g); /* harmless */
}

static void files_are_checked(void **state) {
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"title='t'\nsummary='s'\n", "guide/1-a.toml"},
        {"title='t'\n[[part]]\ntext='x'\n", "guide/1-a.toml:1:1: found no 'summary'"},
        {"summary='t'\n[[part]]\ntext='x'\n", "guide/1-a.toml:1:1: found no 'title'"},
        {"title='t'\nsummary='s'\n[[part]]\n", "guide/1-a.toml:3:3: found an empty part"},
        {"title='t'\nsummary='s'\n[[part]]\nitems=[]\n", "guide/1-a.toml:3:3: found an empty part"},
        {"title='t'\nsummary='s'\n[[part]]\ntext=1\n", "guide/1-a.toml:4:1: found integer"},
        {"title='t'\nsummary='s'\npart=[1]\n", "guide/1-a.toml:3:7: found integer"},
        {"title='t'\nsummary='s'\n[[part]]\nwords='x'\n", "guide/1-a.toml:4:1: found 'words'"},
        {"titel='t'\n", "guide/1-a.toml:1:1: found 'titel'"},
        {"title", "guide/1-a.toml:1:6"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct embedded files[] = {{"1-a", cases[i].text, strlen(cases[i].text)},
                                         {NULL, NULL, 0}};
        struct guide g;
        struct err err = {0};
        assert_int_equal(guide_load_from(&g, files, &err), -EINVAL);
        if (strstr(err.text, cases[i].words) != err.text)
            fail_msg("case %zu: %s", i, err.text);
        guide_free(&g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_there),
        cmocka_unit_test(pages_are_found),
        cmocka_unit_test(files_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
