/* Wrapped text: where lines break, what is scrolled away. */
#include "ui/draw/page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static char text[4096];

static const char *dump(struct canvas *c) {
    canvas_dump(c, text, sizeof(text));
    canvas_destroy(c);
    size_t n = strlen(text); /* without the empty lines at the end */
    while (n > 1 && text[n - 1] == '\n' && text[n - 2] == '\n')
        text[--n] = '\0';
    return text;
}

static void test_wrap(void **state) {
    (void)state;
    static const struct {
        const char *what, *in;
        int w, indent;
        const char *bullet, *out;
    } cases[] = {
        {"one line", "a few words", 12, 0, NULL, "a few words\n"},
        {"breaks at a blank", "a few words more", 12, 0, NULL, "a few words\nmore\n"},
        {"exactly full", "abcdef ghijkl", 6, 0, NULL, "abcdef\nghijkl\n"},
        {"a word that is too long", "abcdefghij kl", 6, 0, NULL, "abcdef\nghij\nkl\n"},
        {"newlines are blanks", "a\nb\n  c", 12, 0, NULL, "a b   c\n"},
        {"paragraphs", "one\n\ntwo", 12, 0, NULL, "one\n\ntwo\n"},
        {"end of file newline", "one\n", 12, 0, NULL, "one\n"},
        {"nothing", "", 12, 0, NULL, "\n"},
        {"blanks only", "   \n\n  ", 12, 0, NULL, "\n"},
        {"indented", "a few words more", 12, 2, NULL, "  a few\n  words more\n"},
        {"bullet", "a few words more", 12, 2, "•", "• a few\n  words more\n"},
        {"multi-byte", "äöü äöü ◀◀◀", 7, 0, NULL, "äöü äöü\n◀◀◀\n"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct canvas c;
        canvas_init(&c, cases[i].w, 8);
        struct page p = page_on(&c, canvas_rect(&c), 0);
        page_text(&p, STYLE_TEXT, cases[i].indent, cases[i].bullet, cases[i].in);
        if (strcmp(dump(&c), cases[i].out) != 0)
            fail_msg("%s: %s, wanted %s", cases[i].what, text, cases[i].out);
    }
}

static struct page fill(struct canvas *c, int skip) {
    canvas_init(c, 20, 3);
    struct page p = page_on(c, canvas_rect(c), skip);
    page_heading(&p, "First");
    page_pair(&p, 8, STYLE_KEY, "left", STYLE_TEXT, "right");
    page_heading(&p, "Second");
    page_text(&p, STYLE_TEXT, 0, NULL, "three words here and more");
    return p;
}

static void test_scroll(void **state) {
    (void)state;
    static const char *const screens[] = {
        "First\nleft    right\n",
        "left    right\n\nSecond\n",
        "\nSecond\nthree words here and\n",
        "Second\nthree words here and\nmore\n",
        "three words here and\nmore\n",
        "more\n",
        "\n",
    };
    for (int skip = 0; skip < 7; skip++) {
        struct canvas c;
        struct page p = fill(&c, skip);
        assert_int_equal(p.line, 6);
        if (strcmp(dump(&c), screens[skip]) != 0)
            fail_msg("from line %d: %s", skip, text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrap),
        cmocka_unit_test(test_scroll),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
