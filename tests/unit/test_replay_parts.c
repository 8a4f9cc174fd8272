/* What a recording offers to choose from: its cgroups, or its threads. */
#include "pmu/replay/replay_parts.h"

#include "base/str.h"
#include "replay_fixture.h"

static void test_parts(void **state) {
    (void)state;
    static const struct {
        const char *name, *text;
        const char *want; /* "": nothing is to be chosen */
        bool threads;
    } cases[] = {
        {"the whole", "1,,cycles,7,100.00,,\n", "", true},
        {"one cgroup", "1,,cycles,a/b.scope,7,100.00,,\n", "", true},
        {"cgroups", "1,,cycles,a/b.scope,7,100.00,,\n2,,cycles,c.scope,7,100.00,,\n",
         "a/b.scope c.scope ", false},
        {"threads",
         "1.000000000,redis-100,5,,cycles,7,100.00,,\n1.000000000,io-101,5,,cycles,7,100.00,,\n"
         "2.000000000,redis-100,5,,cycles,7,100.00,,\n",
         "redis-100 io-101 ", true},
        {"CPUs are summed", "CPU0,1,,cycles,7,100.00,,\nCPU1,1,,cycles,7,100.00,,\n", "", true},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct recording r = {.path = ""};
        struct replay_parts p;
        struct err err = {0};
        char got[128] = "";
        struct strbuf sb = strbuf_on(got, sizeof(got));
        recording_write(&r, cases[i].text, strlen(cases[i].text));
        if (replay_parts_read(r.path, &p, &err) < 0)
            fail_msg("%s: %s", cases[i].name, err.text);
        for (uint32_t k = 0; k < p.n; k++)
            strbuf_add(&sb, "%s ", p.name[k]);
        if (strcmp(got, cases[i].want) != 0 || p.threads != cases[i].threads)
            fail_msg("%s: '%s' %d", cases[i].name, got, p.threads);
        replay_parts_free(&p);
        unlink(r.path);
    }
    struct replay_parts none;
    struct err err = {0};
    assert_int_equal(replay_parts_read("/nonexistent/file", &none, &err), -ENOENT);
    replay_parts_free(&none);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
