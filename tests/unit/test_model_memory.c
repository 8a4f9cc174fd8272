/* Loading and checking when memory runs out: whichever allocation is refused, that is what is said.
 */
#include "model/load/model.h"

#include "count_malloc.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define HEAD "name = 't'\ntitle = 'T'\nrung = 'software'\nscope = 's'\n"

/* Latencies that only formulas name, modifiers, a tree, a threshold on that of the parent. */
static const char good[] =
    HEAD "vendor = 'Intel'\n[event]\nA = { code = 1 }\nB = { code = 2 }\n"
         "[metric.X]\nformula = 'A:c1 * A:retire_latency + B'\ngroups = 'G'\nnext = ['G']\n"
         "[node.Top]\nformula = 'A / B'\nthreshold = 0.2\n"
         "[node.Part]\nparent = 'Top'\nformula = 'B:retire_latency'\nthreshold = 0.1\n";

/* Each unknown name stands twice, the second time to be found among the problems; nothing else is
 * wrong, so that the list of problems has to grow for a name. */
static const char bad[] = HEAD "[event]\nA = { code = 1 }\n"
                               "[metric.X]\nformula = 'No_1 + No_1 + No_2 + No_2'\n"
                               "[metric.Y]\nformula = 'No_1 + No_2 / A:retire_latency'\n";

static int load(struct err *err) {
    struct model m;
    int rc = model_load(&m, good, strlen(good), "t.toml", err);
    model_free(&m);
    return rc;
}

static int check(struct err *err) {
    return model_check_text(bad, strlen(bad), "t.toml", NULL, NULL, err);
}

/* Refuses the first allocation, the second and so on, until none is left to refuse. */
static void refuse_each(const char *what, int (*run)(struct err *err), int wanted) {
    struct err err = {0};
    const unsigned long before = calls_now();
    assert_int_equal(run(&err), wanted);
    const unsigned long n = calls_now() - before;
    assert_true(n > 10);
    for (unsigned long i = 1; i <= n; i++) {
        err = (struct err){0};
        calls_refuse(i);
        int rc = run(&err);
        calls_refuse(0);
        if (rc != -ENOMEM || !strstr(err.text, "out of memory"))
            fail_msg("%s, allocation %lu of %lu: rc %d: %s", what, i, n, rc, err.text);
    }
}

static void memory_runs_out(void **state) {
    (void)state;
#ifdef SANITIZED
    print_message("skipped: the sanitizer has the allocator\n");
    skip();
#endif
    refuse_each("loading", load, 0);
    refuse_each("checking", check, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
