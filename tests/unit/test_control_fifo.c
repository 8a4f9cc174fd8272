/* Commands through a FIFO: parsed, refused with words, never waited for. */
#include "ui/app/control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char dir[] = "/tmp/tdtop-control.XXXXXX";
static char path[64];

static int make_dir(void **state) {
    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/fifo", dir);
    return 0;
}

static int remove_dir(void **state) {
    (void)state;
    return rmdir(dir); /* fails if a FIFO was left behind */
}

static void put(const struct control_fifo *cf, const char *text) {
    int fd = open(cf->path, O_WRONLY | O_NONBLOCK);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static bool waits(const struct control_fifo *cf) {
    struct pollfd fd = {.fd = cf->fd, .events = POLLIN};
    return poll(&fd, 1, 0) == 1 && (fd.revents & POLLIN);
}

static void test_lines(void **state) {
    (void)state;
    static const struct {
        const char *line;
        int rc;
        enum control_verb verb;
        const char *rest; /* or what the error says */
    } cases[] = {
        {"mark warm-up\n", 1, CONTROL_MARK, "warm-up"},
        {"  mark two words\r\n", 1, CONTROL_MARK, "two words"},
        {"snapshot\n", 1, CONTROL_SNAPSHOT, ""},
        {"snapshot a=b  c=\"d e\"\n", 1, CONTROL_SNAPSHOT, "a=b  c=\"d e\""},
        {"\n# not a word\n\npause\n", 1, CONTROL_PAUSE, ""},
        {"resume\n", 1, CONTROL_RESUME, ""},
        {"reset\n", 1, CONTROL_RESET, ""},
        {"quit\n", 1, CONTROL_QUIT, ""},
        {"mark\n", -EINVAL, 0, "needs a name"},
        {"pause now\n", -EINVAL, 0, "stands alone"},
        {"stop\n", -EINVAL, 0, "known are mark NAME"},
        {"\x1b[2J\n", -EINVAL, 0, "no command"},
        {"qui", 0, 0, ""},
        {"t\n", 1, CONTROL_QUIT, ""}, /* the rest of the line before */
    };
    struct control_fifo cf;
    struct err err = {0};
    struct stat st;
    if (control_fifo_open(&cf, path, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        enum control_verb verb = CONTROL_VERBS;
        char rest[CONTROL_LINE];
        put(&cf, cases[i].line);
        int rc = control_fifo_next(&cf, &verb, rest, &err);
        if (rc != cases[i].rc || (rc > 0 && verb != cases[i].verb) ||
            (rc > 0 && strcmp(rest, cases[i].rest) != 0) ||
            (rc < 0 && (!strstr(err.text, cases[i].rest) || strchr(err.text, '\x1b'))))
            fail_msg("%s: %d %d, %s", cases[i].line, rc, (int)verb, rc < 0 ? err.text : rest);
        if (rc != 0)
            assert_int_equal(control_fifo_next(&cf, &verb, rest, &err), 0);
    }
    control_fifo_close(&cf);
    assert_int_equal(access(path, F_OK), -1); /* we made it */
}

/* A line without an end is left out, and the next is understood. */
static void test_long(void **state) {
    (void)state;
    struct control_fifo cf;
    struct err err = {0};
    enum control_verb verb;
    char rest[CONTROL_LINE], much[3001];
    memset(much, 'x', sizeof(much) - 1);
    much[sizeof(much) - 1] = '\0';
    assert_int_equal(control_fifo_open(&cf, path, &err), 0);
    for (int i = 0; i < 3; i++) {
        put(&cf, much);
        while (waits(&cf))
            assert_int_equal(control_fifo_next(&cf, &verb, rest, &err), 0);
    }
    put(&cf, "\nquit\n");
    assert_int_equal(control_fifo_next(&cf, &verb, rest, &err), -EINVAL);
    assert_non_null(strstr(err.text, "longer than"));
    assert_int_equal(control_fifo_next(&cf, &verb, rest, &err), 1);
    assert_int_equal(verb, CONTROL_QUIT);
    control_fifo_close(&cf);
}

static void test_places(void **state) {
    (void)state;
    struct control_fifo cf;
    struct err err = {0};
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(control_fifo_open(&cf, path, &err), 0);
    control_fifo_close(&cf);
    assert_int_equal(access(path, F_OK), 0); /* it was there before us */
    assert_int_equal(unlink(path), 0);
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    close(fd);
    assert_int_equal(control_fifo_open(&cf, path, &err), -EINVAL);
    assert_non_null(strstr(err.text, "no FIFO"));
    control_fifo_close(&cf);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(control_fifo_open(&cf, "/nowhere/at/all", &err), -ENOENT);
    control_fifo_close(&cf);
}

/* Who never stops writing does not keep the screen from everything else: between two turns all
 * else has its own, and nothing is lost. */
static void test_flood(void **state) {
    (void)state;
    static const struct {
        const char *line;
        bool is_command;
    } cases[] = {{"reset\n", true}, {"\n", false}, {"# nothing\n", false}, {"xxxxxxx", false}};
    enum { LINES = 8000 };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct control_fifo cf;
        struct err err = {0};
        enum control_verb verb;
        char rest[CONTROL_LINE];
        int turns = 0, heard = 0, most = 0;
        assert_int_equal(control_fifo_open(&cf, path, &err), 0);
        for (int k = 0; k < LINES / 100; k++) {
            char some[1200] = "";
            for (int line = 0; line < 100; line++)
                strcat(some, cases[i].line);
            put(&cf, some);
            while (k % 40 == 39 && waits(&cf)) { /* the pipe holds 64 KB */
                int n = 0, rc;
                while ((rc = control_fifo_next(&cf, &verb, rest, &err)) > 0)
                    n++;
                heard += n;
                most = n > most ? n : most;
                turns++;
            }
        }
        if ((size_t)turns * 2048 < LINES * strlen(cases[i].line) || most > 300 ||
            (cases[i].is_command && heard != LINES))
            fail_msg("case %zu: %d turns, %d lines in one, %d heard", i, turns, most, heard);
        control_fifo_close(&cf);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flood),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_long),
        cmocka_unit_test(test_places),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
