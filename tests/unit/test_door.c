#include "base/door.h"

#include "base/str.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define TEMPLATE "/tmp/test_door-XXXXXX" /* for mkstemp */

/* What comes out of a door when text goes in, so many bytes at a time. */
static void pass(const char *text, size_t at_once, char *out, size_t cap) {
    char path[] = TEMPLATE;
    char *got = NULL;
    size_t len = 0;
    close(mkstemp(path));
    FILE *f = door_create(path);
    assert_non_null(f);
    for (size_t n = strlen(text); n > 0;) {
        const size_t part = n < at_once ? n : at_once;
        assert_int_equal(fwrite(text + strlen(text) - n, 1, part, f), part);
        assert_int_equal(fflush(f), 0);
        n -= part;
    }
    assert_int_equal(fclose(f), 0);
    assert_int_equal(str_read_file(path, 1 << 20, &got, &len, NULL), 0);
    unlink(path);
    assert_int_equal(strlen(got), len);
    str_copy(out, cap, got);
    free(got);
}

static void what_commands_is_shown(void **state) {
    (void)state;
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"", ""},
        {"two\tcolumns\n", "two\tcolumns\n"},
        {"µ … 測 😀 \xef\xbf\xbd", "µ … 測 😀 \xef\xbf\xbd"},
        {"\x1b]0;title\x07", "\\u001b]0;title\\u0007"},
        {"a\rb\x7f", "a\\u000db\\u007f"},
        {"\xc2\x80\xc2\x9b\xc2\x9f\u00a0", "\\u0080\\u009b\\u009f\u00a0"},
        {"\u202eabc\u2069\u200f\u061c\u2028", "\\u202eabc\\u2069\\u200f\\u061c\\u2028"},
        {"\x9b"
         "2J",
         "\\x9b"
         "2J"},
        {"\xc3(", "\\xc3("},
        {"\xe2\x80", "\\xe2\\x80"}, /* cut at the end */
        {"\xe2\x80\xc2\x9b", "\\xe2\\x80\\u009b"},
        {"\xc0\x9b\xed\xa0\x80\xff", "\\xc0\\x9b\\xed\\xa0\\x80\\xff"}, /* overlong, surrogate */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (size_t at_once = 1; at_once <= 8; at_once++) {
            char out[128];
            pass(cases[i].text, at_once, out, sizeof(out));
            if (strcmp(out, cases[i].want) != 0)
                fail_msg("case %zu, %zu at once: \"%s\"", i, at_once, out);
        }
}

static void much_comes_out_whole(void **state) {
    (void)state;
    enum { N = 20000 };
    char *text = calloc(N, 4), *want = calloc(N, 16), *out = calloc(N, 16);
    struct strbuf in = strbuf_on(text, N * 4), to = strbuf_on(want, N * 16);
    for (int i = 0; i < N / 4; i++) {
        strbuf_add(&in, "%s", i % 3 ? "€" : "\x1b");
        strbuf_add(&to, "%s", i % 3 ? "€" : "\\u001b");
    }
    pass(text, 4099, out, N * 16);
    assert_string_equal(out, want);
    free(text);
    free(want);
    free(out);
}

static void errors_are_told(void **state) {
    (void)state;
    assert_null(door_create("/nowhere/file"));
    FILE *f = door_create("/dev/full");
    assert_non_null(f);
    assert_true(fputs("text", f) >= 0);
    assert_int_not_equal(fflush(f), 0);
    assert_true(ferror(f));
    fclose(f);
}

struct reader {
    int fd, calls;
};

/* Somebody begins to read. */
static void drain(void *user) {
    struct reader *r = user;
    char text[4096];
    r->calls++;
    assert_true(read(r->fd, text, sizeof(text)) > 0);
}

/* Of standard output it is told before a write blocks, once; and the bytes come all the same. */
static void a_full_pipe_is_told(void **state) {
    (void)state;
    char path[] = TEMPLATE, text[4096];
    struct reader r = {0};
    FILE *before = stdout;
    int fds[2], kept = dup(STDOUT_FILENO), file = mkstemp(path);
    assert_int_equal(pipe(fds), 0);
    assert_true(fcntl(fds[1], F_SETPIPE_SZ, 4096) >= 4096);
    r.fd = fds[0];
    memset(text, 'x', sizeof(text));
    fflush(stdout);
    dup2(fds[1], STDOUT_FILENO);
    int rc = door_init();
    bool told = door_before_block(drain, &r);
    int flags = fcntl(STDOUT_FILENO, F_GETFL); /* others have the pipe, too */
    bool first = fwrite(text, 1, sizeof(text), stdout) == sizeof(text) && fflush(stdout) == 0;
    int calls = r.calls;
    bool second = fwrite(text, 1, sizeof(text), stdout) == sizeof(text) && fflush(stdout) == 0;
    ssize_t rest = read(fds[0], text, sizeof(text));
    bool off = door_before_block(NULL, NULL);
    dup2(file, STDOUT_FILENO);
    bool of_file = door_before_block(drain, &r);
    door_before_block(NULL, NULL);
    dup2(kept, STDOUT_FILENO);
    stdout = before;
    assert_int_equal(rc, 0);
    assert_true(told && first && second && of_file);
    assert_false(off);
    assert_false(flags & O_NONBLOCK);
    assert_int_equal(calls, 0);
    assert_int_equal(r.calls, 1);
    assert_int_equal(rest, sizeof(text));
    unlink(path);
    close(file);
    close(kept);
    close(fds[0]);
    close(fds[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_commands_is_shown),
        cmocka_unit_test(much_comes_out_whole),
        cmocka_unit_test(errors_are_told),
        cmocka_unit_test(a_full_pipe_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
