/* A typed line, and labels in it. */
#include "ui/draw/form.h"
#include "ui/draw/label_text.h"
#include "ui/term/term.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Keys: < and > the arrows, ^ Home, $ End, # Backspace, % Delete. */
static void press(struct form_text *f, const char *keys) {
    static const struct {
        char c;
        uint32_t key;
    } special[] = {{'<', KEYC_LEFT}, {'>', KEYC_RIGHT},     {'^', KEYC_HOME},
                   {'$', KEYC_END},  {'#', KEYC_BACKSPACE}, {'%', KEYC_DELETE}};
    for (; *keys; keys++) {
        uint32_t key = (unsigned char)*keys;
        for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++)
            if (special[i].c == *keys)
                key = special[i].key;
        assert_true(form_key(f, key));
    }
}

static void test_typing(void **state) {
    (void)state;
    static const struct {
        const char *from, *keys, *text;
    } cases[] = {
        {"", "abc", "abc"},          {"abc", "#", "ab"},
        {"one two", "\x17", "one "}, {"one two  ", "\x17\x17", ""},
        {"one two", "<\x15", "o"},   {"one", "\x01X\x05Y", "XoneY"},
        {"abc", "<<X", "aXbc"},      {"abc", "^X", "Xabc"},
        {"abc", "^%%", "c"},         {"abc", "^<#X", "Xabc"},
        {"abc", ">$%X", "abcX"},     {"grüße", "<<#", "grße"},
        {"grüße", "^>>%", "grße"},   {"\xe2\x82\xac", "<X", "X\xe2\x82\xac"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct form_text f;
        form_set(&f, cases[i].from);
        press(&f, cases[i].keys);
        if (strcmp(f.text, cases[i].text) != 0)
            fail_msg("%s + %s: %s", cases[i].from, cases[i].keys, f.text);
    }
    struct form_text f;
    form_set(&f, "");
    assert_false(form_key(&f, KEYC_UP));
    assert_true(form_key(&f, 0x20ac));
    assert_string_equal(f.text, "\xe2\x82\xac");
}

/* It never grows over its end, and is never cut inside a character. */
static void test_end_keys(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint32_t key;
        const char *then;
    } cases[] = {
        {"ab", 'c', "abc"},
        {"abc", 'd', "abc"}, /* full */
        {"gr\xc3\xbc", KEYC_BACKSPACE, "gr"},
        {"a b", 0x17, "a "},
        {"a b", 0x15, ""},
        {"", 0x17, ""},
        {"ab", 0x02, "ab"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[5] = "";
        const size_t cap = strlen(cases[i].text) == 3 ? 4 : sizeof(text);
        snprintf(text, sizeof(text), "%s", cases[i].text);
        const bool changed = form_end_key(text, cap, cases[i].key);
        if (strcmp(text, cases[i].then) || changed != (strcmp(text, cases[i].text) != 0))
            fail_msg("%zu: %s", i, text);
    }
}

/* As much as has room, whole characters. */
static void test_paste(void **state) {
    (void)state;
    static const struct {
        const char *text, *pasted, *then;
    } cases[] = {
        {"", "abcd", "abcd"},           {"a", "bcdefgh", "abcde"},
        {"abcde", "f", "abcde"},        {"abc", "\xc3\xbc\xc3\xbc", "abc\xc3\xbc"},
        {"ab", "c\xe4\xb8\xad", "abc"}, {"ab", "", "ab"},
    };
    struct form_text f;
    char much[2 * FORM_CAP];
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[6] = "";
        snprintf(text, sizeof(text), "%s", cases[i].text);
        const bool changed = form_end_paste(text, sizeof(text), cases[i].pasted);
        if (strcmp(text, cases[i].then) || changed != (strcmp(text, cases[i].text) != 0))
            fail_msg("%zu: %s", i, text);
    }
    form_set(&f, "ad");
    form_key(&f, KEYC_LEFT);
    form_paste(&f, "bc");
    assert_string_equal(f.text, "abcd");
    assert_int_equal(f.at, 3);
    memset(much, 'x', sizeof(much) - 1);
    much[sizeof(much) - 1] = '\0';
    form_paste(&f, much);
    assert_int_equal(strlen(f.text), FORM_CAP - 1);
    assert_int_equal(f.text[FORM_CAP - 2], 'd');
}

static void test_full(void **state) {
    (void)state;
    struct form_text f;
    char much[4 * FORM_CAP];
    for (size_t i = 0; i < sizeof(much) - 1; i++)
        much[i] = i % 2 ? '\xbc' : '\xc3';
    much[sizeof(much) - 1] = '\0';
    form_set(&f, much);
    assert_true(strlen(f.text) < FORM_CAP && strlen(f.text) % 2 == 0);
    char fits[FORM_CAP] = "x";
    memcpy(fits + 1, much, FORM_CAP - 2);
    form_set(&f, fits); /* what has room stays whole */
    assert_string_equal(f.text, fits);
    for (int i = 0; i < 2 * FORM_CAP; i++)
        form_key(&f, 'x');
    assert_int_equal(strlen(f.text), FORM_CAP - 1);
    assert_false(form_replace(&f, f.at, "y"));
}

static void test_drawing(void **state) {
    (void)state;
    struct canvas c;
    struct form_text f;
    char text[64];
    assert_int_equal(canvas_init(&c, 8, 1), 0);
    form_set(&f, "0123456789");
    form_draw(&f, &c, canvas_rect(&c), 0, 0, 8, STYLE_VALUE, true);
    canvas_dump(&c, text, sizeof(text));
    assert_string_equal(text, "3456789_\n"); /* the end is in sight */
    canvas_clear(&c);
    press(&f, "^");
    form_draw(&f, &c, canvas_rect(&c), 0, 0, 8, STYLE_VALUE, true);
    canvas_dump(&c, text, sizeof(text));
    assert_string_equal(text, "01234567\n");
    canvas_destroy(&c);
}

static void test_words(void **state) {
    (void)state;
    static const struct {
        const char *text, *words; /* each word behind a '|' */
    } cases[] = {
        {"", ""},
        {"  ", ""},
        {"a=b c=d", "|a=b|c=d"},
        {" a=\"b c\"  d='\"' ", "|a=b c|d=\""},
        {"a=b\\ c", "|a=b c"},
        {"a=\"b\\\"c\"", "|a=b\"c"},
        {"a=\"open", "|a=open"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char got[256] = "", word[64];
        const char *at = cases[i].text;
        while (label_text_next(&at, word, sizeof(word))) {
            strcat(got, "|");
            strcat(got, word);
        }
        if (strcmp(got, cases[i].words) != 0)
            fail_msg("%s: %s, wanted %s", cases[i].text, got, cases[i].words);
    }
    assert_int_equal(label_text_word("a=b cd", 6), 4);
    assert_int_equal(label_text_word("a=\"b cd", 7), 0);
    assert_int_equal(label_text_word("a=b ", 4), 4);
}

/* What is added is read back as it was. */
static void test_round_trip(void **state) {
    (void)state;
    static const char *const values[] = {"old",         "two words", "it's", "a\"b",
                                         "back\\slash", "",          "\t",   "grüße"};
    char text[512] = "";
    struct run r = {0};
    struct err err = {0};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        char key[8];
        snprintf(key, sizeof(key), "k%zu", i);
        assert_true(label_text_add(text, sizeof(text), key, values[i]));
    }
    if (label_text_set(text, &r, &err) < 0)
        fail_msg("%s: %s", text, err.text);
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        char key[8];
        snprintf(key, sizeof(key), "k%zu", i);
        assert_string_equal(run_label_get(&r, key), values[i]);
    }
    run_free(&r);
    assert_int_equal(label_text_set("no-value", &r, &err), -EINVAL);
    run_free(&r);
    static const char *const open[] = {"a=\"open", "a=b 'c=d e=f", "a='it\"s", "a=b\\"};
    for (size_t i = 0; i < sizeof(open) / sizeof(open[0]); i++) {
        if (label_text_set(open[i], &r, &err) != -EINVAL ||
            !strstr(err.text, i < 3 ? "is not closed" : "backslash at the end"))
            fail_msg("%s: %s", open[i], err.text);
        assert_int_equal(r.label.n, 0);
    }
    char small[8] = "a=b";
    assert_false(label_text_add(small, sizeof(small), "key", "value"));
    assert_string_equal(small, "a=b");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_typing),     cmocka_unit_test(test_full),
        cmocka_unit_test(test_end_keys),   cmocka_unit_test(test_paste),
        cmocka_unit_test(test_drawing),    cmocka_unit_test(test_words),
        cmocka_unit_test(test_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
