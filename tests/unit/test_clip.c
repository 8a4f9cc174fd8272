/* OSC 52: a reader of our own takes the sequences apart, as tmux, screen and a terminal would. */
#include "ui/term/clip.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void test_way(void **state) {
    (void)state;
    static const struct {
        const char *term, *tmux, *sty;
        enum clip_way way;
    } cases[] = {
        {"xterm-256color", NULL, NULL, CLIP_PLAIN},
        {"xterm-256color", "", "", CLIP_PLAIN},
        {"screen-256color", "/tmp/tmux-0/default,1,0", NULL, CLIP_TMUX},
        {"tmux-256color", "/tmp/tmux-0/default,1,0", "1.pts", CLIP_TMUX},
        {"screen", NULL, "1234.pts-0.host", CLIP_SCREEN},
        {"screen", NULL, NULL, CLIP_PLAIN}, /* over ssh nobody knows which of the two it is */
        {"foot", NULL, NULL, CLIP_PLAIN},
        {"linux", NULL, NULL, CLIP_NEVER},
        {"vt100", NULL, NULL, CLIP_NEVER},
        {"dumb", NULL, NULL, CLIP_NEVER},
        {NULL, NULL, NULL, CLIP_NEVER},
        {"", NULL, NULL, CLIP_NEVER},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        if (clip_way_of(cases[i].term, cases[i].tmux, cases[i].sty) != cases[i].way)
            fail_msg("case %zu: %d", i, clip_way_of(cases[i].term, cases[i].tmux, cases[i].sty));
}

/* RFC 4648, chapter 10, and what is not text. */
static void test_known(void **state) {
    (void)state;
    static const struct {
        const char *text, *bytes;
    } cases[] = {
        {"f", "\033]52;c;Zg==\a"},
        {"fo", "\033]52;c;Zm8=\a"},
        {"foo", "\033]52;c;Zm9v\a"},
        {"foob", "\033]52;c;Zm9vYg==\a"},
        {"foobar", "\033]52;c;Zm9vYmFy\a"},
        {"12.8 % ± 0.9", "\033]52;c;MTIuOCAlIMKxIDAuOQ==\a"},
        {"\033]52;c;\a", "\033]52;c;G101MjtjOwc=\a"},
        {"\xff\xfe\xfd", "\033]52;c;//79\a"},
    };
    char out[256];
    for (size_t i = 0; i < COUNT(cases); i++) {
        const size_t n = strlen(cases[i].text);
        const long len = clip_bytes(true, CLIP_PLAIN, cases[i].text, n, out, sizeof(out), NULL);
        assert_int_equal(len, (long)strlen(cases[i].bytes));
        assert_memory_equal(out, cases[i].bytes, (size_t)len);
    }
    const char tmux[] = "\033]52;c;Zm9v\a\033Ptmux;\033\033]52;c;Zm9v\a\033\\";
    assert_int_equal(clip_bytes(true, CLIP_TMUX, "foo", 3, out, sizeof(out), NULL),
                     sizeof(tmux) - 1);
    assert_memory_equal(out, tmux, sizeof(tmux) - 1);
    const char screen[] = "\033P\033]52;c;Zm9v\a\033\\";
    assert_int_equal(clip_bytes(true, CLIP_SCREEN, "foo", 3, out, sizeof(out), NULL),
                     sizeof(screen) - 1);
    assert_memory_equal(out, screen, sizeof(screen) - 1);
}

/* What comes out of the DCS strings of screen, each of which must be short. */
static size_t unwrap_screen(char *s, size_t n) {
    size_t to = 0;
    for (size_t i = 0; i < n;) {
        assert_memory_equal(s + i, "\033P", 2);
        size_t end = i + 2;
        while (!(s[end] == '\033' && s[end + 1] == '\\'))
            end++;
        assert_true(end - i - 2 <= 250 && end > i + 2);
        memmove(s + to, s + i + 2, end - i - 2);
        to += end - i - 2;
        i = end + 2;
    }
    return to;
}

static int digit(char c) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = strchr(digits, c);
    assert_true(c && at);
    return (int)(at - digits);
}

/* Expects one OSC 52 at s with this text; returns its length. */
static size_t expect_plain(const char *s, const char *text, size_t n) {
    size_t at = 7, done = 0;
    assert_memory_equal(s, "\033]52;c;", 7);
    for (; s[at] != '\a'; at += 4) {
        const size_t left = n - done < 3 ? n - done : 3;
        uint32_t v = 0;
        for (size_t k = 0; k < 4; k++) {
            if (k > left)
                assert_int_equal(s[at + k], '=');
            v = v << 6 | (uint32_t)(k > left ? 0 : digit(s[at + k]));
        }
        for (size_t k = 0; k < left; k++)
            assert_int_equal((unsigned char)text[done + k], v >> (16 - 8 * k) & 255);
        done += left;
    }
    assert_int_equal(done, n);
    return at + 1;
}

static void expect_round(enum clip_way way, const char *text, size_t n, char *out) {
    const long got = clip_bytes(true, way, text, n, out, clip_room(n), NULL);
    assert_true(got > 0 && (size_t)got <= clip_room(n));
    size_t len = (size_t)got;
    if (way == CLIP_SCREEN)
        len = unwrap_screen(out, len);
    const size_t first = expect_plain(out, text, n);
    assert_true(first <= 100000);
    if (way != CLIP_TMUX) {
        assert_int_equal(len, first);
        return;
    }
    assert_memory_equal(out + first, "\033Ptmux;\033", 8);
    const size_t second = expect_plain(out + first + 8, text, n);
    assert_memory_equal(out + first + 8 + second, "\033\\", 2);
    assert_int_equal(len, first + 8 + second + 2);
}

/* Every length up to some, and on to the longest: what is written is what is read, and fits. */
static void test_round(void **state) {
    (void)state;
    enum { SHORT = 1000, LONG = 8 };
    char *text = malloc(CLIP_MAX), *out = malloc(clip_room(CLIP_MAX));
    assert_true(text && out);
    for (size_t i = 0; i < CLIP_MAX; i++)
        text[i] = (char)(i * 7 + i / 256);
    for (size_t i = 1; i <= SHORT + LONG; i++)
        for (int way = CLIP_PLAIN; way <= CLIP_SCREEN; way++)
            expect_round((enum clip_way)way, text,
                         i <= SHORT ? i : CLIP_MAX - (SHORT + LONG - i) * 9973, out);
    free(text);
    free(out);
}

static void test_refusals(void **state) {
    (void)state;
    static const struct {
        bool on;
        enum clip_way way;
        size_t n, cap;
        long rc;
        const char *words;
    } cases[] = {
        {false, CLIP_PLAIN, 3, 999, -EPERM, "switched off"},
        {true, CLIP_NEVER, 3, 999, -ENOTSUP, "no clipboard"},
        {true, CLIP_PLAIN, 0, 999, -ENODATA, "nothing to copy"},
        {true, CLIP_PLAIN, CLIP_MAX + 1, 999, -E2BIG, "75 kB"},
        {true, CLIP_TMUX, 3, 20, -ENOBUFS, "no room"},
    };
    static char text[CLIP_MAX + 1], out[999];
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct err err = {0};
        const long rc =
            clip_bytes(cases[i].on, cases[i].way, text, cases[i].n, out, cases[i].cap, &err);
        if (rc != cases[i].rc || err.code != rc || !strstr(err.text, cases[i].words))
            fail_msg("case %zu: %ld (%s)", i, rc, err.text);
        assert_int_equal(out[0], 0); /* nothing was written */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_way),
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_round),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests_name("clip", tests, NULL, NULL);
}
