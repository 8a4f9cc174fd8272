#include "base/str.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void strbuf_appends_and_cuts(void **state) {
    (void)state;
    char buf[9];
    struct strbuf sb = strbuf_on(buf, sizeof(buf));
    strbuf_add(&sb, "%s", "ab");
    strbuf_add(&sb, "%d", 12);
    assert_string_equal(buf, "ab12");
    assert_int_equal(sb.n, 4);
    strbuf_add(&sb, "%s", "3456789");
    assert_string_equal(buf, "ab123456");
    assert_int_equal(sb.n, 8);
    strbuf_add(&sb, "x");
    assert_string_equal(buf, "ab123456");
    struct strbuf none = strbuf_on(NULL, 0);
    strbuf_add(&none, "x");
    assert_int_equal(none.n, 0);
}

static void strbuf_never_splits_a_character(void **state) {
    (void)state;
    char buf[6];
    struct strbuf sb = strbuf_on(buf, sizeof(buf));
    strbuf_add(&sb, "abc€"); /* three bytes, room for two */
    assert_string_equal(buf, "abc");
    strbuf_add(&sb, "z"); /* would stand where the cut was */
    assert_string_equal(buf, "abc");
}

static void copy_cuts(void **state) {
    (void)state;
    static const struct {
        const char *what, *src;
        size_t cap;
        const char *want;
    } cases[] = {
        {"fits", "abc", 4, "abc"},           {"cut", "abcd", 4, "abc"},
        {"room for nothing", "abc", 1, ""},  {"character kept", "aé", 4, "aé"},
        {"character dropped", "aé", 3, "a"}, {"four bytes", "a😀b", 6, "a😀"},
        {"of four bytes", "a😀b", 5, "a"},    {"empty", "", 4, ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char buf[16] = "unchanged";
        assert_ptr_equal(str_copy(buf, cases[i].cap, cases[i].src), buf);
        if (strcmp(buf, cases[i].want) != 0)
            fail_msg("%s: '%s'", cases[i].what, buf);
    }
}

static void starts_ends_same(void **state) {
    (void)state;
    assert_true(str_starts("abc", "ab") && str_starts("abc", "") && !str_starts("ab", "abc"));
    assert_true(str_ends("a.toml", ".toml") && str_ends("x", "") && !str_ends("toml", ".toml"));
    assert_true(str_same_name("Backend-Bound", "backend_bound"));
    assert_true(str_same_name("", ""));
    assert_false(str_same_name("ab", "abc"));
    assert_false(str_same_name("abc", "ab"));
    assert_false(str_same_name("a b", "a_b"));
}

static void durations(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t unit;
        int rc;
        uint64_t ns;
    } cases[] = {
        {"250ms", 0, 0, 250000000},
        {"1s", 0, 0, 1000000000},
        {"5m", 0, 0, 300000000000},
        {"2h", 0, 0, 7200000000000},
        {"1.5s", 0, 0, 1500000000},
        {".5s", 0, 0, 500000000},
        {"0.1s", 0, 0, 100000000},
        {"20us", 0, 0, 20000},
        {"7ns", 0, 0, 7},
        {"1000", 1000000, 0, 1000000000},
        {"2.5", 1000000000, 0, 2500000000},
        {"0", 1000000, 0, 0},
        {"1000", 0, -EINVAL, 0},
        {"", 1000000, -EINVAL, 0},
        {"s", 1000000, -EINVAL, 0},
        {".", 1000000, -EINVAL, 0},
        {"1.", 1000000, -EINVAL, 0},
        {"-1s", 0, -EINVAL, 0},
        {"1 s", 0, -EINVAL, 0},
        {"1S", 0, -EINVAL, 0},
        {"1sec", 0, -EINVAL, 0},
        {"1s ", 0, -EINVAL, 0},
        {"1e3s", 0, -EINVAL, 0},
        {"nan", 1, -EINVAL, 0},
        {"18446744073709551615ns", 0, 0, UINT64_MAX},
        {"18446744073709551616ns", 0, -ERANGE, 0},
        {"9999999h", 0, -ERANGE, 0},
        {"1.5d", 0, 0, 129600000000000},
        {"2w", 0, 0, 1209600000000000},
        {"99999999999999999999999s", 0, -ERANGE, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct err err = {0};
        uint64_t ns = 0;
        const int rc = str_duration(cases[i].text, cases[i].unit, &ns, &err);
        if (rc != cases[i].rc || ns != cases[i].ns || err.code != rc)
            fail_msg("'%s': rc %d, %llu ns, %s", cases[i].text, rc, (unsigned long long)ns,
                     err.text);
    }
}

/* What is written is read back as it was, in the largest unit from seconds down that is whole. */
static void duration_texts(void **state) {
    (void)state;
    static const struct {
        uint64_t ns;
        const char *want;
    } cases[] = {
        {0, "0s"},
        {1000000000, "1s"},
        {90000000000, "90s"},
        {250000000, "250ms"},
        {33300000, "33300us"},
        {1500000, "1500us"},
        {1000001, "1000001ns"},
        {UINT64_MAX, "18446744073709551615ns"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[32];
        uint64_t ns = 1;
        assert_string_equal(str_duration_text(text, sizeof(text), cases[i].ns), cases[i].want);
        assert_int_equal(str_duration(text, 0, &ns, NULL), 0);
        assert_true(ns == cases[i].ns);
    }
}

static void lists(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int cap, rc;
        int want[8];
    } cases[] = {
        {"0", 8, 1, {0}},
        {"0-3,8", 8, 5, {0, 1, 2, 3, 8}},
        {"8,0-3", 8, 5, {0, 1, 2, 3, 8}},
        {"3,1,2,1-3", 8, 3, {1, 2, 3}},
        {"0-7,0-7", 8, 8, {0, 1, 2, 3, 4, 5, 6, 7}},
        {"2147483646-2147483647", 8, 2, {INT_MAX - 1, INT_MAX}},
        {"5-5", 8, 1, {5}},
        {"0-8", 8, -ERANGE, {0}},
        {"0-2147483647", 8, -ERANGE, {0}},
        {"2147483648", 8, -ERANGE, {0}},
        {"3-1", 8, -EINVAL, {0}},
        {"", 8, -EINVAL, {0}},
        {"1,", 8, -EINVAL, {0}},
        {",1", 8, -EINVAL, {0}},
        {"1-", 8, -EINVAL, {0}},
        {"-1", 8, -EINVAL, {0}},
        {"1 2", 8, -EINVAL, {0}},
        {"a", 8, -EINVAL, {0}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct err err = {0};
        int out[8] = {0};
        const int rc = str_list(cases[i].text, out, cases[i].cap, &err);
        if (rc != cases[i].rc || (rc < 0 && (err.code != rc || !err.text[0])))
            fail_msg("'%s': rc %d, %s", cases[i].text, rc, err.text);
        if (rc > 0 && memcmp(out, cases[i].want, (size_t)rc * sizeof(int)) != 0)
            fail_msg("'%s': wrong numbers", cases[i].text);
    }
}

static void safe_text(void **state) {
    (void)state;
    static const struct {
        const char *what, *src;
        size_t cap;
        const char *want;
    } cases[] = {
        {"plain", "redis-server", 32, "redis-server"},
        {"umlaut", "größe", 32, "größe"},
        {"escape", "a\033[31mb", 32, "a?[31mb"},
        {"newline and tab", "a\n\tb", 32, "a??b"},
        {"delete", "a\177", 32, "a?"},
        {"C1 as UTF-8",
         "a\xC2\x9B"
         "b",
         32, "a?b"},
        {"lone continuation", "\x80x", 32, "?x"},
        {"overlong slash", "\xC0\xAF", 32, "??"},
        {"surrogate", "\xED\xA0\x80", 32, "???"},
        {"above the last", "\xF4\x90\x80\x80", 32, "????"},
        {"truncated", "a\xE2\x82", 32, "a??"},
        {"right-to-left override",
         "a\xE2\x80\xAE"
         "b",
         32, "a?b"},
        {"a real U+FFFD", "\xEF\xBF\xBD", 32, "\xEF\xBF\xBD"},
        {"cut between characters", "abé", 4, "ab"},
        {"cut", "abcdef", 4, "abc"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char buf[32];
        assert_ptr_equal(str_safe(buf, cases[i].cap, cases[i].src), buf);
        if (strcmp(buf, cases[i].want) != 0)
            fail_msg("%s: '%s'", cases[i].what, buf);
    }
}

static void widths(void **state) {
    (void)state;
    static const struct {
        const char *what;
        uint32_t cp;
        int width;
    } cases[] = {
        {"NUL", 0, 0},
        {"control", 0x1B, 0},
        {"letter", 'a', 1},
        {"C1", 0x9B, 0},
        {"no-break space", 0xA0, 1},
        {"soft hyphen", 0xAD, 1},
        {"combining acute", 0x301, 0},
        {"Arabic number sign", 0x600, 1},
        {"Hebrew point", 0x5B0, 0},
        {"Devanagari virama", 0x94D, 0},
        {"Devanagari spacing vowel", 0x93E, 1},
        {"Hangul lead", 0x1100, 2},
        {"Hangul vowel", 0x1161, 0},
        {"zero width space", 0x200B, 0},
        {"zero width joiner", 0x200D, 0},
        {"euro", 0x20AC, 1},
        {"watch", 0x231A, 2},
        {"box drawing", 0x2500, 1},
        {"full block", 0x2588, 1},
        {"braille", 0x28FF, 1},
        {"black right triangle", 0x25B8, 1},
        {"warning sign", 0x26A0, 1},
        {"variation selector 16", 0xFE0F, 0},
        {"ideographic space", 0x3000, 2},
        {"tone mark in a wide block", 0x302A, 0},
        {"hiragana", 0x3042, 2},
        {"CJK", 0x4E00, 2},
        {"Hangul syllable", 0xAC00, 2},
        {"fullwidth A", 0xFF21, 2},
        {"halfwidth katakana", 0xFF71, 1},
        {"byte order mark", 0xFEFF, 0},
        {"grinning face", 0x1F600, 2},
        {"skin tone", 0x1F3FB, 2},
        {"wireless, new in 15.0", 0x1F6DC, 2},
        {"Kawi sign, new in 15.0", 0x11F00, 0},
        {"CJK extension H, new in 15.0", 0x31350, 2},
        {"tag", 0xE0041, 0},
        {"private use", 0xE000, 1},
        {"last", 0x10FFFF, 1},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        if (str_cp_width(cases[i].cp) != cases[i].width)
            fail_msg("%s U+%04X: %d", cases[i].what, cases[i].cp, str_cp_width(cases[i].cp));
    assert_int_equal(str_width(""), 0);
    assert_int_equal(str_width("Backend 48.0 ▇▇"), 15);
    assert_int_equal(str_width("日本e\xCC\x81"), 5);
    assert_int_equal(str_width("\xFFx"), 2);
}

/* Totals by class, counted from the files of Unicode 15.0.0: a lost table row would show. */
static void width_totals(void **state) {
    (void)state;
    unsigned long n[3] = {0};
    for (uint32_t cp = 0x300; cp <= 0x10FFFF; cp++)
        n[str_cp_width(cp)]++;
    assert_int_equal(n[0], 2388);
    assert_int_equal(n[2], 182509);
    assert_int_equal(n[1], 0x10FFFF + 1 - 0x300 - 2388 - 182509);
}

/* Where the tables are not asked they would have said the same. */
static void plain_characters(void **state) {
    (void)state;
    unsigned n = 0;
    for (uint32_t cp = 0; cp <= 0x10FFFF; cp++) {
        n += str_cp_plain(cp);
        if (str_cp_plain(cp) && (str_cp_width(cp) != 1 || str_cp_unsafe(cp)))
            fail_msg("U+%04X is not plain", cp);
    }
    assert_int_equal(n, 95 + 253 + 256);
}

static void check_fixed(double v) {
    for (int decimals = 0; decimals <= 4; decimals++) {
        char want[400], got[400];
        snprintf(want, sizeof(want), "%.*f", decimals, v);
        if (strcmp(str_fixed(got, sizeof(got), v, decimals), want) != 0)
            fail_msg("%.17g with %d decimals: %s, expected %s", v, decimals, got, want);
    }
}

/* As printf has it, at and beside every half too, on both sides of zero. */
static void fixed_numbers(void **state) {
    (void)state;
    static const double odd[] = {0.0,   0.05,    0.15,   0.25,    0.35,        2.5,
                                 3.5,   0.00005, 9.995,  99.995,  1e8,         1e9,
                                 1e10,  1e300,   5e-324, 1.0 / 3, INFINITY,    NAN,
                                 0.005, 1.005,   999.95, 9999.5,  123456.78905};
    uint64_t random = 88172645463325252ull;
    char small[4];
    for (size_t i = 0; i < COUNT(odd); i++)
        for (int side = -1; side <= 1; side++) {
            const double v = side ? nextafter(odd[i], side * (double)INFINITY) : odd[i];
            check_fixed(v);
            check_fixed(-v);
        }
    for (int i = 0; i < 20000; i++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        check_fixed((double)(random >> 40) / (i % 2 ? 1000 : 64) - 100);
    }
    assert_string_equal(str_fixed(small, sizeof(small), 123.45, 1), "123");
}

static void encode_decode(void **state) {
    (void)state;
    for (uint32_t cp = 1; cp <= 0x10FFFF; cp += cp < 0x3000 ? 1 : 97) {
        if (cp >= 0xD800 && cp <= 0xDFFF)
            continue;
        char buf[5] = {0};
        size_t used = 0;
        const size_t n = str_encode(cp, buf);
        const uint32_t back = str_decode(buf, &used);
        if (back != cp || used != n || n != strlen(buf))
            fail_msg("U+%04X: back %X, %zu of %zu bytes", cp, back, used, n);
    }
    char buf[4];
    size_t used = 9;
    assert_int_equal(str_encode(0xD800, buf), 3); /* becomes U+FFFD */
    assert_int_equal(str_encode(0x110000, buf), 3);
    assert_int_equal(str_decode("", &used), 0);
    assert_int_equal(used, 0);
    assert_int_equal(str_decode("\xE2\x82", &used), 0xFFFD);
    assert_int_equal(used, 1);
}

static void si_numbers(void **state) {
    (void)state;
    static const struct {
        double v;
        const char *want;
    } cases[] = {
        {0, "0"},
        {-0.0, "0"},
        {0.7, "0.7"},
        {1, "1"},
        {12, "12"},
        {12.34, "12.3"},
        {0.012, "0.012"},
        {0.9996, "1"},
        {9.996, "10"},
        {99.96, "100"},
        {999.4, "999"},
        {999.6, "1.00k"},
        {1500, "1.50k"},
        {45600, "45.6k"},
        {1.23e9, "1.23G"},
        {-1.23e9, "-1.23G"},
        {-45.6e3, "-45.6k"},
        {999499, "999k"},
        {999600, "1.00M"},
        {2e12, "2.00T"},
        {3e15, "3.00P"},
        {4e18, "4.00E"},
        {1e21, "1e21"},
        {-1.5e300, "-2e300"},
        {0.00012, "1e-4"},
        {-3e-12, "-3e-12"},
        {1e-300, "~0"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
        {NAN, "n/a"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char buf[16];
        if (strcmp(str_si(buf, sizeof(buf), cases[i].v), cases[i].want) != 0 || strlen(buf) > 6)
            fail_msg("%g: '%s', expected '%s'", cases[i].v, buf, cases[i].want);
    }
    char small[3];
    assert_string_equal(str_si(small, sizeof(small), 1234), "1.");
    for (double v = 1e-320; v < 1e300; v *= 1.07) {
        char buf[16];
        assert_in_range(strlen(str_si(buf, sizeof(buf), v)), 1, 6);
        assert_in_range(strlen(str_si(buf, sizeof(buf), -v)), 1, 7 - (fabs(v) < 1e100));
    }
}

/* The plain table, to hold the banded one against. */
static int distance_by_the_book(const char *a, const char *b) {
    int table[16][16];
    const size_t n = strlen(a), m = strlen(b);
    for (size_t i = 0; i <= n; i++) {
        for (size_t j = 0; j <= m; j++) {
            if (!i || !j) {
                table[i][j] = (int)(i + j);
                continue;
            }
            int best = table[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            best = table[i - 1][j] + 1 < best ? table[i - 1][j] + 1 : best;
            table[i][j] = table[i][j - 1] + 1 < best ? table[i][j - 1] + 1 : best;
        }
    }
    return table[n][m];
}

static void distances(void **state) {
    (void)state;
    assert_int_equal(str_distance("kitten", "sitting"), 3);
    assert_int_equal(str_distance("", ""), 0);
    assert_int_equal(str_distance("", "abc"), 3);
    assert_int_equal(str_distance("abcdefghijkl", "zyxwvutsrqpo"), 8);
    assert_int_equal(str_distance("a", "abcdefghijklmnop"), 8);
    unsigned seed = 7;
    for (int i = 0; i < 2000; i++) {
        char a[16], b[16];
        for (int k = 0; k < 2; k++) {
            char *s = k ? b : a;
            seed = seed * 1103515245u + 12345u;
            const unsigned n = (seed >> 16) % 15;
            for (unsigned c = 0; c < n; c++) {
                seed = seed * 1103515245u + 12345u;
                s[c] = (char)('a' + (seed >> 16) % 3);
            }
            s[n] = '\0';
        }
        const int book = distance_by_the_book(a, b);
        if (str_distance(a, b) != (book < 8 ? book : 8))
            fail_msg("'%s' '%s': %d, by the book %d", a, b, str_distance(a, b), book);
    }
}

static void cleaned(void **state) {
    (void)state;
    static const struct {
        const char *text, *keep, *want;
    } cases[] = {
        {"", "", ""},
        {"plain µ", "", "plain µ"},
        {"a\x1b[2J\x7f\xc2\x9bz", "", "a?[2J??z"},
        {"a\u200fb\u202e", "", "a\u200fb\u202e"}, /* text to its readers: shown by the door */
        {"a\nb\tc\r", "\n\t", "a\nb\tc?"},
        {"a\nb", "", "a?b"},
        {"no \xff UTF-8 \xc2", "", "no \xff UTF-8 \xc2"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[64];
        str_copy(text, sizeof(text), cases[i].text);
        const bool bad = str_find_unsafe(text, cases[i].keep) != NULL;
        assert_int_equal(str_clean(text, cases[i].keep), strlen(cases[i].want));
        assert_string_equal(text, cases[i].want);
        assert_int_equal(bad, strcmp(cases[i].text, cases[i].want) != 0);
    }
}

/* At each place of a word of eight, by each byte. */
static void printable(void **state) {
    (void)state;
    for (int c = 1; c < 256; c++)
        for (size_t at = 0; at < 19; at++) {
            char text[20] = "Plain ASCII ~ text.";
            text[at] = (char)c;
            const size_t want = c >= ' ' && c <= '~' ? 19 : at;
            if (str_printable(text, 19) != want || str_printable(text, at) != at)
                fail_msg("byte %d at %zu: %zu", c, at, str_printable(text, 19));
        }
}

static void files(void **state) {
    (void)state;
    char path[] = "/tmp/test_str_XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    enum { SIZE = 70000 };
    char *big = malloc(SIZE);
    memset(big, 'x', SIZE);
    big[SIZE - 1] = '\n';
    assert_int_equal(write(fd, big, SIZE), SIZE);
    close(fd);

    char *text = NULL;
    size_t len = 0;
    struct err err = {0};
    assert_int_equal(str_read_file(path, SIZE, &text, &len, &err), 0);
    assert_int_equal(len, SIZE);
    assert_memory_equal(text, big, SIZE);
    assert_int_equal(text[SIZE], 0);
    free(text);
    assert_int_equal(str_read_file(path, SIZE - 1, &text, &len, &err), -EFBIG);
    assert_non_null(strstr(err.text, path));
    assert_int_equal(str_read_file(path, 100, &text, &len, &err), -EFBIG);

    char small[8];
    assert_int_equal(str_read_small(path, small, sizeof(small)), 7);
    assert_string_equal(small, "xxxxxxx");
    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(str_read_small(path, small, sizeof(small)), 0);
    assert_string_equal(small, "");
    assert_int_equal(str_read_file(path, 10, &text, &len, &err), 0);
    assert_int_equal(len, 0);
    free(text);
    unlink(path);
    assert_int_equal(str_read_small(path, small, sizeof(small)), -ENOENT);
    assert_int_equal(str_read_file(path, 10, &text, &len, &err), -ENOENT);
    assert_int_equal(mkfifo(path, 0600), 0); /* without a writer: an open that waits would hang */
    assert_int_equal(str_read_file(path, 10, &text, &len, &err), -EINVAL);
    assert_non_null(strstr(err.text, "a pipe"));
    unlink(path);
    assert_int_equal(str_read_file("/dev/null", 10, &text, &len, &err), 0);
    free(text);
    assert_int_equal(str_read_file("/dev/zero", 10, &text, &len, &err), -EFBIG);
    assert_int_equal(str_read_file("/tmp", 10, &text, &len, &err), -EISDIR);
    assert_int_equal(err.code, -EISDIR);
    const int comm = str_read_small("/proc/self/comm", small, sizeof(small));
    assert_in_range(comm, 1, 7);
    assert_int_equal(comm, strlen(small));
    assert_null(strchr(small, '\n'));
    free(big);
}

static void test_put_word(void **state) {
    (void)state;
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"perf record -p PID", "perf record -p 42"},
        {"/proc/PID/smaps, PID", "/proc/42/smaps, 42"},
        {"PIDS, MY_PID and xPID stay", "PIDS, MY_PID and xPID stay"},
        {"nothing", "nothing"},
        {"", ""},
    };
    char text[64], few[8];
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(str_put_word(text, sizeof(text), cases[i].text, "PID", "42"),
                            cases[i].want);
    assert_string_equal(str_put_word(few, sizeof(few), "a PID and b", "PID", "42"), "a 42 an");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_put_word),
        cmocka_unit_test(strbuf_appends_and_cuts),
        cmocka_unit_test(strbuf_never_splits_a_character),
        cmocka_unit_test(copy_cuts),
        cmocka_unit_test(starts_ends_same),
        cmocka_unit_test(durations),
        cmocka_unit_test(duration_texts),
        cmocka_unit_test(lists),
        cmocka_unit_test(safe_text),
        cmocka_unit_test(widths),
        cmocka_unit_test(width_totals),
        cmocka_unit_test(plain_characters),
        cmocka_unit_test(fixed_numbers),
        cmocka_unit_test(encode_decode),
        cmocka_unit_test(si_numbers),
        cmocka_unit_test(distances),
        cmocka_unit_test(cleaned),
        cmocka_unit_test(printable),
        cmocka_unit_test(files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
