#include "pmu/replay/replay_header.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void test_id(void **state) {
    (void)state;
    static const struct {
        const char *text, *id; /* NULL: no id */
    } cases[] = {
        {"GenuineIntel-6-8F-8", "GenuineIntel-6-8F-8"},
        {"GenuineIntel-6-8F", "GenuineIntel-6-8F"},
        {"GenuineIntel,6,143,8", "GenuineIntel-6-8F-8"}, /* as perf's header has it */
        {"AuthenticAMD,25,17,1", "AuthenticAMD-25-11-1"},
        {"AuthenticAMD-25-11-1", "AuthenticAMD-25-11-1"},
        {"0x00000000410fd490", "0x410fd490"},
        {"0x410fd490", "0x410fd490"},
        {"0X410FD490", "0x410fd490"},
        {"spr", NULL},
        {"zen4", NULL},
        {"neoverse-n1", NULL},
        {"neoverse-n2-r0p3", NULL},
        {"adl-glc", NULL},
        {"arm-6-a-b.toml", NULL},
        {"GenuineIntel", NULL},
        {"GenuineIntel-6", NULL},
        {"GenuineIntel-6-8F-8-1", NULL},
        {"GenuineIntel-6-8F-8 ", NULL},
        {"GenuineIntel-6-", NULL},
        {"-6-8F-8", NULL},
        {"GenuineIntel-6-8F8F8F", NULL},
        {"0x", NULL},
        {"0x0", NULL},
        {"0x1410fd490", NULL},
        {"0x410fd490g", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char id[64] = "untouched";
        bool is = replay_header_id(cases[i].text, id, sizeof(id));
        if (is != (cases[i].id != NULL) || (is && strcmp(id, cases[i].id) != 0))
            fail_msg("'%s': %d, %s", cases[i].text, is, id);
    }
}

static void test_line(void **state) {
    (void)state;
    static const struct {
        const char *line, *id;
    } cases[] = {
        {"# cpuid : GenuineIntel,6,143,8", "GenuineIntel-6-8F-8"},
        {"# cpuid : GenuineIntel-6-8F-8\n", "GenuineIntel-6-8F-8"},
        {"#cpuid=AuthenticAMD-25-11-1", "AuthenticAMD-25-11-1"},
        {"# CPUID\t: 0x00000000410fd490\r\n", "0x410fd490"},
        {"# midr: 0x410fd490", "0x410fd490"},
        {"{\"tdtop\": 1, \"cpuid\": \"AuthenticAMD,25,17,1\", \"x\": 2}", "AuthenticAMD-25-11-1"},
        {"{\"cpuid\":\"0x410fd490\"}", "0x410fd490"},
        {"  cpuid: GenuineIntel-6-8F-8", "GenuineIntel-6-8F-8"},
        {"# cpudesc : Intel(R) Xeon(R) Platinum 8480+", NULL},
        {"# my_cpuid : GenuineIntel-6-8F-8", NULL},
        {"# cpuids : GenuineIntel-6-8F-8", NULL},
        {"# cpuid GenuineIntel-6-8F-8", NULL},
        {"# cpuid : ", NULL},
        {"# cpuid : unknown", NULL},
        {"1.0;100;;cpuid : GenuineIntel-6-8F-8;1;100", NULL}, /* a row */
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char id[64] = "";
        bool is = replay_header_line(cases[i].line, id, sizeof(id));
        if (is != (cases[i].id != NULL) || (is && strcmp(id, cases[i].id) != 0))
            fail_msg("'%s': %d, %s", cases[i].line, is, id);
    }
}

static void test_find(void **state) {
    (void)state;
    char path[] = "/tmp/test_replay_header_XXXXXX", id[64] = "";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    static const char text[] = "# started on Sat Nov 21 2026\n\n# cpuid : GenuineIntel,6,143,8\n"
                               "1.0;100;;cycles;1000;100.00\n";
    assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
    assert_true(replay_header_find(path, id, sizeof(id)));
    assert_string_equal(id, "GenuineIntel-6-8F-8");
    assert_int_equal(ftruncate(fd, 29), 0);
    assert_false(replay_header_find(path, id, sizeof(id)));
    close(fd);
    unlink(path);
    assert_false(replay_header_find(path, id, sizeof(id)));
    assert_false(replay_header_find("/tmp", id, sizeof(id)));
    assert_false(replay_header_find("/dev/null", id, sizeof(id)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_id),
        cmocka_unit_test(test_line),
        cmocka_unit_test(test_find),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
