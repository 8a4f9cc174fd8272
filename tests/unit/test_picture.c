/* Pictures without a terminal: the same moment gives the same picture, and keys change it. */
#include "ui/app/picture.h"

#include "base/str.h"
#include "session/hybrid.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct demo {
    struct sessions all;
    struct source_options opt;
    int opened;
};

static int connect_demo(void *user, struct err *err) {
    struct demo *d = user;
    d->opened++;
    const int rc = sessions_open(&d->all, &source_sim, &d->opt, err);
    return rc < 0 ? rc : sessions_start(&d->all, err);
}

/* One picture of the simulated core after `seconds`. Returns picture_save's. */
static int take(const char *path, const char *size, const char *press, int seconds, int *opened,
                struct err *err) {
    struct demo d = {
        .opt = {.seed = 1, .interval_ns = 1000000000, .until_ns = (uint64_t)seconds * 1000000000}};
    struct picture_options opt = {.level = 2, .press = press, .path = path, .user = &d};
    opt.connect = connect_demo;
    consts_init(&d.opt.consts);
    struct session *s = sessions_add(&d.all);
    assert_non_null(s);
    assert_int_equal(model_open(&s->model, "spr", NULL, NULL), 0);
    int rc = picture_size(size, &opt.w, &opt.h, err);
    if (rc == 0)
        rc = picture_save(&d.all, &opt, err);
    *opened = d.opened;
    sessions_close(&d.all);
    return rc;
}

static char *text_of(const char *path) {
    char *text;
    size_t n;
    assert_int_equal(str_read_file(path, 1 << 20, &text, &n, NULL), 0);
    unlink(path);
    return text;
}

static void test_pictures(void **state) {
    (void)state;
    static const struct {
        const char *ending, *size, *press;
        int seconds;
        const char *has;
    } cases[] = {
        {"txt", "80x24", NULL, 3, "ENDED 00:00:03"},
        {"txt", "80x24", "?", 3, "help"},
        {"txt", "80x24", "?\033", 3, "Frontend_Bound"},
        {"txt", "1x1", NULL, 2, "\n"},
        {"ansi", "120x40", NULL, 4, "\033[0;"},
        {"svg", "200x60", NULL, 5, "SIMULATED</text>"},
    };
    char dir[] = "/tmp/tdtop-picture-XXXXXX", path[128];
    assert_non_null(mkdtemp(dir));
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *text[2];
        for (int again = 0; again < 2; again++) {
            struct err err = {0};
            int opened;
            snprintf(path, sizeof(path), "%s/a.%s", dir, cases[i].ending);
            if (take(path, cases[i].size, cases[i].press, cases[i].seconds, &opened, &err) != 0)
                fail_msg("case %zu: %s", i, err.text);
            text[again] = text_of(path);
        }
        assert_string_equal(text[0], text[1]);
        if (!strstr(text[0], cases[i].has))
            fail_msg("case %zu lacks %s:\n%s", i, cases[i].has, text[0]);
        free(text[0]);
        free(text[1]);
    }
    rmdir(dir);
}

static void test_refusals(void **state) {
    (void)state;
    static const struct {
        const char *path, *size;
        int rc, opened;
        const char *words;
    } cases[] = {
        {"/tmp/x.png", "80x24", -EINVAL, 0, ".svg"}, /* before anything is measured */
        {"/tmp/x.svg", "80", -EINVAL, 0, "columns x rows"},
        {"/tmp/x.svg", "80x", -EINVAL, 0, "columns x rows"},
        {"/tmp/x.svg", "0x24", -EINVAL, 0, "columns x rows"},
        {"/tmp/x.svg", "80x-1", -EINVAL, 0, "columns x rows"},
        {"/tmp/x.svg", "80x24x", -EINVAL, 0, "columns x rows"},
        {"/tmp/x.svg", "1001x24", -EINVAL, 0, "columns x rows"},
        {"/tmp/x.svg", "99999999999x24", -EINVAL, 0, "columns x rows"},
        {"/nonexistent/x.svg", "80x24", -ENOENT, 1, "folder"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct err err = {0};
        int opened;
        const int rc = take(cases[i].path, cases[i].size, NULL, 1, &opened, &err);
        if (rc != cases[i].rc || opened != cases[i].opened || !strstr(err.text, cases[i].words))
            fail_msg("case %zu: %d, opened %d (%s)", i, rc, opened, err.text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pictures),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests_name("picture", tests, NULL, NULL);
}
