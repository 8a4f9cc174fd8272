/* Branches and cache lines as `tdtop where --branches` and `--accesses` print them: text, CSV,
 * JSON; and why there are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/str.h"
#include "cli/verb/where_view.h"

static char path[64];

static void put_function(struct hot *h, const char *name, uint64_t start) {
    const struct hot_function f = {.start = start, .name = strdup(name), .file = strdup("")};
    assert_int_equal(array_push(&h->function, f), 0);
}

/* 100 samples of 8 records of the first branch, of which 2 are mispredicted; one of 4 of the other.
 */
static void make(struct hot *h) {
    *h = (struct hot){.target = strdup("prog 42"),
                      .asked = strdup("Branch_Mispredicts"),
                      .no_branches = strdup(""),
                      .seconds = 2,
                      .all = {100, 100, 100},
                      .branches = true,
                      .n_recorded = 100,
                      .n_no_branch = 3,
                      .taken = {804, 804, 201, 804, 9654, 804, 201, 6496, 1604, 401, 401}};
    const struct hot_event e = {strdup("BR_MISP"),
                                strdup("precise"),
                                strdup("BR_MISP events"),
                                strdup("it was asked for"),
                                3,
                                false};
    const struct hot_module m = {
        .path = strdup("/bin/prog"), .kind = strdup("file"), .lack = strdup("")};
    assert_int_equal(array_push(&h->event, e) | array_push(&h->module, m), 0);
    put_function(h, "find", 0x1000);
    put_function(h, "next", 0x2000);
    const struct hot_branch b[] = {
        {0,
         1,
         0x102a,
         0x2000,
         strdup("/src/dict.c"),
         512,
         {800, 800, 200, 800, 9600, 800, 200, 6400, 1600, 400, 400}},
        {1, 0, 0x2008, 0x1004, strdup(""), 0, {4, 4, 1, 4, 54, 4, 1, 16, 4, 1, 1}}};
    for (int i = 0; i < 2; i++)
        assert_int_equal(array_push(&h->branch, b[i]), 0);
}

static char *printed(const struct hot *h, bool json, bool csv) {
    const struct args a = {.json = json, .csv = csv, .branches = true, .limit = -1, .output = path};
    struct err err;
    char *text = calloc(1, 1 << 14);
    assert_int_equal(where_write(h, &a, &err), 0);
    assert_true(str_read_small(path, text, 1 << 14) > 0);
    return text;
}

static void has(char *text, const char *want) {
    if (!strstr(text, want))
        fail_msg("no %s in\n%s", want, text);
    free(text);
}

static void branches_are_printed(void **state) {
    (void)state;
    struct hot h;
    make(&h);
    has(printed(&h, false, false),
        "# branch records of 100 samples: 804 taken, 201 of them mispredicted\n"
        "# without room: the branches of 3 records\n"
        "of mispredicted  95% interval  of taken  95% interval  taken  cycles  from");
    has(printed(&h, false, false), " 99.5%   97.2 - 99.9     25.0%   17.5 - 34.3    800    12.0  "
                                   "find+0x2a  next      dict.c:");
    has(printed(&h, false, false),
        "  0.5%     0.1 - 2.8         -                    4    13.5  next+0x8   find+0x4");
    has(printed(&h, false, true), ",800,200,12,find,42,next,0,/src/dict.c,512,/bin/prog\n"
                                  "0.004975124378109453,");
    has(printed(&h, false, true), ",,,,4,1,13.5,next,8,find,4,,,/bin/prog");
    has(printed(&h, true, false), "\"branch_samples\":100,\"taken\":804,\"mispredicted\":201,"
                                  "\"branches_without_room\":3,\"branches\":[{\"share\":0.995");
    has(printed(&h, true, false),
        "\"taken\":800,\"mispredicted\":200,\"cycles\":12,\"from\":{\"name\":\"find\",\"at\":42,"
        "\"file\":\"/bin/prog\",\"offset\":\"0x102a\"},\"to\":{\"name\":\"next\",\"at\":0,");
    hot_free(&h);
}

/* Two lines: threads take the first from each other; the other is one thread's. */
static void make_accesses(struct hot *h) {
    const struct hot_thread threads[] = {{42, 42, strdup("prog")}, {42, 43, strdup("io")}};
    const struct hot_access a[] = {
        {0, 0, 0, 0x40, 0x0f, DATA_OTHER_CORE, {{40, 40, 40}, 10, 40, 3600}},
        {1, 1, 0, 0x40, 0xf0, DATA_OTHER_CORE, {{20, 20, 20}, 0, 20, 1800}},
        {1, 1, 0, 0x41, 0xf0, DATA_DRAM, {{36, 36, 36}, 0, 36, 10800}},
        {1, 1, 0, ACCESS_NO_LINE, 0, DATA_UNKNOWN, {{4, 4, 4}, 0, 0, 0}}};
    for (int i = 0; i < 2; i++)
        assert_int_equal(array_push(&h->thread, threads[i]), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(array_push(&h->access, a[i]), 0);
    h->data = (struct hot_count){100, 100, 100};
    h->n_no_line = 4;
}

static char *print_accesses(const struct hot *h, bool json, bool csv) {
    const struct args a = {.json = json, .csv = csv, .accesses = true, .limit = -1, .output = path};
    struct err err;
    char *text = calloc(1, 1 << 14);
    assert_int_equal(where_write(h, &a, &err), 0);
    assert_true(str_read_small(path, text, 1 << 14) > 0);
    return text;
}

static void accesses_are_printed(void **state) {
    (void)state;
    struct hot h;
    make(&h);
    has(print_accesses(&h, false, false), "# no sample says which address it accessed");
    char *json = print_accesses(&h, true, false);
    assert_null(strstr(json, "access"));
    free(json);
    make_accesses(&h);
    has(print_accesses(&h, false, false),
        "# data from (not said) 4.0%, other core 60.0% 90 cycles, DRAM 36.0% 300 cycles; of 100 "
        "samples with an address\n"
        "# without room: the cache lines of 4 accesses\n");
    has(print_accesses(&h, false, false),
        "60.0%   50.2 - 69.1      90  other core 100%        2  false sharing  0x1000      find");
    has(print_accesses(&h, false, false),
        "36.0%   27.3 - 45.8     300        DRAM 100%        1                 0x1040      next");
    has(print_accesses(&h, false, true), "0x1000,0.6,");
    has(print_accesses(&h, false, true), ",60,10,90,other core,2,2,false sharing,find,,,/bin/prog");
    has(print_accesses(&h, true, false), "\"accesses\":100,\"lines_without_room\":4,\"sources\":[");
    has(print_accesses(&h, true, false), "\"from\":{\"other core\":1}");
    has(print_accesses(&h, true, false),
        "\"cycles\":90,\"mostly_from\":\"other core\",\"threads\":2,\"functions\":2,\"sharing\":"
        "\"false sharing\",\"bytes\":\"0x00000000000000ff\",\"function\":\"find\",\"tid\":42}");
    hot_free(&h);
}

static void why_there_are_none(void **state) {
    (void)state;
    struct hot h;
    make(&h);
    while (h.branch.n)
        free(h.branch.at[--h.branch.n].file);
    h.taken = (struct hot_taken){0};
    has(printed(&h, false, false), "# no branch record");
    h.branches = false;
    has(printed(&h, false, false), "# these samples were taken without branch records");
    char *json = printed(&h, true, false);
    assert_null(strstr(json, "branch"));
    free(json);
    free(h.no_branches);
    h.no_branches = strdup("the CPU has none");
    has(printed(&h, false, false), "# no branch records: the CPU has none\n");
    has(printed(&h, true, false), "\"no_branches\":\"the CPU has none\"");
    hot_free(&h);
}

int main(void) {
    snprintf(path, sizeof(path), "/tmp/tdtop-where.XXXXXX");
    close(mkstemp(path));
    const struct CMUnitTest tests[] = {cmocka_unit_test(branches_are_printed),
                                       cmocka_unit_test(accesses_are_printed),
                                       cmocka_unit_test(why_there_are_none)};
    const int rc = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return rc;
}
