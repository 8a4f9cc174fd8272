/* Keys and mouse events out of bytes, whole, broken and unknown ones. */
#include "ui/term/term_key.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *input; /* what waits; '|' = nothing there for now */

static uint32_t next_byte(void) {
    if (!*input)
        return 0;
    if (*input == '|') {
        input++;
        return 0;
    }
    return (unsigned char)*input++;
}

static void test_keys(void **state) {
    (void)state;
    static const struct {
        const char *what, *bytes;
        uint32_t keys[6]; /* ends with 0 */
    } cases[] = {
        {"letters", "jk", {'j', 'k'}},
        {"controls",
         "\r\n\t\x7f\b",
         {KEYC_ENTER, KEYC_ENTER, KEYC_TAB, KEYC_BACKSPACE, KEYC_BACKSPACE}},
        {"Ctrl-C, Ctrl-L, Ctrl-Z", "\x03\x0c\x1a", {KEYC_CTRL_C, KEYC_CTRL_L, KEYC_CTRL_Z}},
        {"Escape alone", "\033", {KEYC_ESC}},
        {"Escape, then a letter", "\033q", {KEYC_ESC, 'q'}},
        {"Escape twice", "\033\033", {KEYC_ESC, KEYC_ESC}},
        {"arrows as an xterm sends them",
         "\033[A\033[B\033OC\033OD",
         {KEYC_UP, KEYC_DOWN, KEYC_RIGHT, KEYC_LEFT}},
        {"Home and End in three dialects",
         "\033[H\033[1~\033[8~\033OF",
         {KEYC_HOME, KEYC_HOME, KEYC_END, KEYC_END}},
        {"paging and Delete", "\033[5~\033[6~\033[3~", {KEYC_PGUP, KEYC_PGDN, KEYC_DELETE}},
        {"function keys", "\033OP\033[12~\033[15~\033[21~", {KEYC_F1, KEYC_F2, KEYC_F5, KEYC_F10}},
        {"with modifiers the key stays",
         "\033[1;5C\033[5;2~\033[Z",
         {KEYC_RIGHT, KEYC_PGUP, KEYC_BTAB}},
        {"unknown sequences leave no letters", "\033[200~x\033[?1;2cy\033[>0qz", {'x', 'y', 'z'}},
        {"focus reports", "\033[Ia\033[Ob", {'a', 'b'}},
        {"a report of the old mouse mode", "\033[M !!a", {'a'}},
        {"broken off", "\033[1;|q", {'q'}},
        {"an escape inside a sequence", "\033[1;\033[A", {KEYC_UP}},
        {"a control inside a sequence", "\033[\x03", {KEYC_CTRL_C}},
        {"ESC O alone", "\033O", {KEYC_ESC}},
        {"more than any sequence has",
         "\033[1111111111111111111111111111111122~q",
         {'2', '2', '~', 'q'}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct key_reader r = {.next = next_byte};
        input = cases[i].bytes;
        for (size_t k = 0; k < COUNT(cases[i].keys); k++) {
            const uint32_t got = key_read(&r, 0, NULL);
            if (got != cases[i].keys[k])
                fail_msg("%s: key %zu is %x, want %x", cases[i].what, k, got, cases[i].keys[k]);
            if (!got)
                break;
        }
    }
}

/* What the terminal says of its ground is no key, whole or in parts; nor is what it says instead.
 */
static void test_answers(void **state) {
    (void)state;
    static const struct {
        const char *what, *bytes; /* the time goes on by 200 ms at '|' */
        bool answered;
        int32_t ground;
        uint32_t keys[4];
    } cases[] = {
        {"xterm", "\033]11;rgb:ffff/8080/0000\007q", true, 0xff8000, {'q'}},
        {"ESC \\", "\033]11;rgb:ffff/ffff/ffff\033\\q", true, 0xffffff, {'q'}},
        {"two digits", "\033]11;rgb:1d/1f/21\007", true, 0x1d1f21, {0}},
        {"one digit", "\033]11;rgb:f/0/f\007", true, 0xff00ff, {0}},
        {"with alpha", "\033]11;rgba:0000/ffff/0000/8000\007", true, 0x00ff00, {0}},
        {"keys before and after", "j\033]11;rgb:00/00/00\007k", true, 0, {'j', 'k'}},
        {"torn", "\033]11;rg|b:ff/ff/ff\007q", true, 0xffffff, {'q'}},
        {"torn at its end", "\033]11;rgb:ff/ff/ff\033|\\q", true, 0xffffff, {'q'}},
        {"another question's", "\033]4;1;rgb:ff/ff/ff\007q", false, 0, {'q'}},
        {"a name", "\033]11;white\007q", false, 0, {'q'}},
        {"two parts of three", "\033]11;rgb:ff/ff\007q", false, 0, {'q'}},
        {"no digits", "\033]11;rgb:/ff/ff\007q", false, 0, {'q'}},
        {"nothing", "\033]\007q", false, 0, {'q'}},
        {"more than any has", "\033]11;rgb:ff/ff/ff0000000000000000000000\007q", false, 0, {'q'}},
        {"no end, then Ctrl-C", "\033]11;rgb:\003q", false, 0, {0x03, 'q'}},
        {"no end, then a key", "\033]11;rgb:|||||||q", false, 0, {'q'}},
        {"Escape, then a letter", "\033q", false, 0, {KEYC_ESC, 'q'}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct key_reader r = {.next = next_byte, .asked = true};
        size_t n = 0;
        input = cases[i].bytes;
        for (uint64_t now_ns = 0; now_ns < 20 * 200000000ull; now_ns += 200000000ull)
            for (uint32_t key; (key = key_read(&r, now_ns, NULL)) != 0;) {
                const uint32_t want = cases[i].keys[n++];
                if (key != (want == 3 ? KEYC_CTRL_C : want))
                    fail_msg("%s: key %zu is %x, want %x", cases[i].what, n, key, want);
            }
        if (cases[i].keys[n] || *input)
            fail_msg("%s: only %zu keys", cases[i].what, n);
        if (r.answered != cases[i].answered || (r.answered && r.ground != cases[i].ground))
            fail_msg("%s: answered %d, #%06x", cases[i].what, r.answered, (unsigned)r.ground);
    }
    struct key_reader r = {.next = next_byte}; /* not asked: these are keys */
    input = "\033]1";
    assert_int_equal(key_read(&r, 0, NULL), KEYC_ESC);
    assert_int_equal(key_read(&r, 0, NULL), ']');
    assert_int_equal(key_read(&r, 0, NULL), '1');
}

static void test_mouse(void **state) {
    (void)state;
    enum { MS = 1000000 };
    static const struct {
        const char *what, *bytes;
        uint64_t at_ms;
        uint32_t key;
        struct mouse m;
    } cases[] = {
        {"press", "\033[<0;10;5M", 1000, KEYC_MOUSE, {9, 4, MOUSE_PRESS}},
        {"release says nothing", "\033[<0;10;5m", 1010, 0, {0}},
        {"again soon, same place", "\033[<0;10;5M", 1200, KEYC_MOUSE, {9, 4, MOUSE_DOUBLE}},
        {"a third time is a new one", "\033[<0;10;5M", 1300, KEYC_MOUSE, {9, 4, MOUSE_PRESS}},
        {"soon, elsewhere", "\033[<0;11;5M", 1400, KEYC_MOUSE, {10, 4, MOUSE_PRESS}},
        {"same place, later", "\033[<0;11;5M", 1900, KEYC_MOUSE, {10, 4, MOUSE_PRESS}},
        {"wheel up", "\033[<64;3;2M", 2000, KEYC_MOUSE, {2, 1, MOUSE_WHEEL_UP}},
        {"wheel down", "\033[<65;300;200M", 2000, KEYC_MOUSE, {299, 199, MOUSE_WHEEL_DOWN}},
        {"wheel with control held", "\033[<81;1;1M", 2000, KEYC_MOUSE, {0, 0, MOUSE_WHEEL_DOWN}},
        {"right button is the terminal's", "\033[<2;3;2M", 2000, 0, {0}},
        {"column 0 does not exist", "\033[<0;0;5M", 2000, 0, {0}},
        {"no numbers", "\033[<M", 2000, 0, {0}},
    };
    struct key_reader r = {.next = next_byte};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct mouse m = {-1, -1, MOUSE_PRESS};
        input = cases[i].bytes;
        const uint32_t key = key_read(&r, cases[i].at_ms * MS, &m);
        if (key != cases[i].key || *input)
            fail_msg("%s: key %x", cases[i].what, key);
        if (key && (m.x != cases[i].m.x || m.y != cases[i].m.y || m.what != cases[i].m.what))
            fail_msg("%s: %d,%d %d", cases[i].what, m.x, m.y, (int)m.what);
    }
}

/* Who gives the terminal back waits for the release of what is held. */
static void test_held(void **state) {
    (void)state;
    static const struct {
        const char *what, *bytes;
        bool held;
    } steps[] = {
        {"press", "\033[<0;10;5M", true},       {"dragged", "\033[<32;12;5M", true},
        {"release", "\033[<0;12;5m", false},    {"wheel", "\033[<64;3;2M", false},
        {"press again", "\033[<0;1;1M", true},  {"right button", "\033[<2;1;1M", true},
        {"its release", "\033[<0;1;1m", false},
    };
    struct key_reader r = {.next = next_byte};
    for (size_t i = 0; i < COUNT(steps); i++) {
        input = steps[i].bytes;
        while (key_read(&r, 0, NULL)) {
        }
        if (r.held != steps[i].held)
            fail_msg("%s: %d", steps[i].what, r.held);
    }
}

/* Any bytes at all: the reader ends, and gives nothing that is not a key. */
static void test_noise(void **state) {
    (void)state;
    static const char alphabet[] = "\033\033[[O<;?0159~MmAHZa|\x03\x7f";
    uint32_t seed = 1;
    for (int round = 0; round < 20000; round++) {
        char bytes[24];
        for (size_t i = 0; i + 1 < sizeof(bytes); i++) {
            seed = seed * 1664525u + 1013904223u;
            bytes[i] = alphabet[(seed >> 16) % (sizeof(alphabet) - 1)];
        }
        bytes[sizeof(bytes) - 1] = '\0';
        struct key_reader r = {.next = next_byte};
        input = bytes;
        for (int n = 0; *input || r.pushed; n++) {
            struct mouse m;
            const uint32_t key = key_read(&r, 0, &m);
            assert_true(key < 0x80 || (key > KEYC_BASE && key <= KEYC_MOUSE));
            assert_true(n < 100);
        }
    }
}

static const uint32_t *codes; /* what waits; 1 = nothing there for now */

static uint32_t next_code(void) {
    const uint32_t c = *codes;
    codes += c != 0;
    return c == 1 ? 0 : c;
}

static void test_paste(void **state) {
    (void)state;
    enum { B = KEYC_PASTE, E = KEYC_PASTE_END };
    static const struct {
        const char *what;
        uint32_t codes[12], keys[4]; /* what is read, up to the first 0 that nothing waits behind */
        const char *pasted;
    } cases[] = {
        {"a word", {B, 'a', 'b', E, 'q'}, {KEYC_PASTE, 'q'}, "ab"},
        {"nothing", {B, E}, {KEYC_PASTE}, ""},
        {"in parts", {B, 'a', 1, 'b', 1, E}, {KEYC_PASTE}, "ab"},
        {"lines and tabs", {B, 'a', '\r', 'b', '\n', '\t', 'c', E}, {KEYC_PASTE}, "a b  c"},
        {"controls and keys",
         {B, 3, 0x1b, '[', 'A', KEYC_UP, 0x7f, 0x9b, 'x', E},
         {KEYC_PASTE},
         "[Ax"},
        {"two", {B, 'a', E, B, 0xfc, E}, {KEYC_PASTE, KEYC_PASTE}, "\xc3\xbc"},
        {"an end alone", {'a', E, 'b'}, {'a', 'b'}, ""},
        {"a begin inside", {B, 'a', B, 'b', E}, {KEYC_PASTE}, "ab"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct key_reader r = {.next = next_code};
        size_t n = 0;
        codes = cases[i].codes;
        while (*codes) {
            const uint32_t got = key_read(&r, 0, NULL);
            if (got && (n == COUNT(cases[i].keys) || got != cases[i].keys[n++]))
                fail_msg("%s: key %zu is %x", cases[i].what, n, got);
        }
        if (n == 0 || cases[i].keys[n] || strcmp(r.pasted, cases[i].pasted) != 0)
            fail_msg("%s: \"%s\" after %zu keys", cases[i].what, r.pasted, n);
    }
}

/* Cut at a whole character, and nothing of what follows is taken for keys. */
static void test_long_paste(void **state) {
    (void)state;
    static uint32_t many[3 * PASTE_CAP];
    struct key_reader r = {.next = next_code};
    many[0] = KEYC_PASTE;
    for (size_t i = 1; i < COUNT(many) - 2; i++)
        many[i] = i < PASTE_CAP - 1 ? 'a' : 0x4e2d;
    many[COUNT(many) - 2] = KEYC_PASTE_END;
    codes = many;
    assert_int_equal(key_read(&r, 0, NULL), KEYC_PASTE);
    assert_int_equal(strlen(r.pasted), PASTE_CAP - 2);
    assert_int_equal(r.pasted[PASTE_CAP - 3], 'a');
    assert_int_equal(key_read(&r, 0, NULL), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys),       cmocka_unit_test(test_answers),
        cmocka_unit_test(test_mouse),      cmocka_unit_test(test_held),
        cmocka_unit_test(test_noise),      cmocka_unit_test(test_paste),
        cmocka_unit_test(test_long_paste),
    };
    return cmocka_run_group_tests_name("term_key", tests, NULL, NULL);
}
