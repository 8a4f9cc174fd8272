/* Names of a folder without readdir(3): all of them, however small the buffer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/folder.h"

enum { FILES = 300, SMALL = 512 };

static char root[] = "/tmp/test_folder_XXXXXX";

static int make_files(void **state) {
    (void)state;
    char path[64];
    if (!mkdtemp(root))
        return -1;
    for (int i = 0; i < FILES; i++) {
        snprintf(path, sizeof(path), "%s/%d", root, i);
        int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
        if (fd < 0)
            return -1;
        close(fd);
    }
    return 0;
}

static int remove_files(void **state) {
    (void)state;
    char path[64];
    for (int i = 0; i < FILES; i++) {
        snprintf(path, sizeof(path), "%s/%d", root, i);
        unlink(path);
    }
    return rmdir(root);
}

static void each_name_comes_once(void **state) {
    (void)state;
    char *buf = malloc(SMALL);
    int seen[FILES] = {0}, dots = 0;
    struct folder f = {
        .fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC), .buf = buf, .size = SMALL};
    assert_true(buf && f.fd >= 0);
    for (const char *name; (name = folder_next(&f));) {
        int i = atoi(name);
        dots += name[0] == '.';
        if (name[0] != '.' && i >= 0 && i < FILES)
            seen[i]++;
    }
    assert_int_equal(f.rc, 0);
    assert_int_equal(dots, 2);
    for (int i = 0; i < FILES; i++)
        assert_int_equal(seen[i], 1);
    assert_null(folder_next(&f)); /* the end stays the end */
    close(f.fd);
    free(buf);
}

static void what_is_no_folder_says_so(void **state) {
    (void)state;
    char buf[SMALL] __attribute__((aligned(8)));
    struct folder f = {.fd = open("/dev/null", O_RDONLY | O_CLOEXEC), .buf = buf, .size = SMALL};
    assert_null(folder_next(&f));
    assert_int_equal(f.rc, -ENOTDIR);
    close(f.fd);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_name_comes_once, make_files, remove_files),
        cmocka_unit_test(what_is_no_folder_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
