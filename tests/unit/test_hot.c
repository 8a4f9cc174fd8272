/* Samples that are kept: taken in bounds, checked when they come from a file, and exported whatever
 * the names are. */
#include "base/str.h"
#include "model/hot/hot_compare.h"
#include "model/hot/hot_export.h"
#include "model/hot/hot_merge.h"
#include "session/hot_take.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- taken ---- */

static bool comm(void *user, pid_t pid, pid_t tid, char name[COMM_SIZE]) {
    (void)user;
    (void)pid;
    snprintf(name, COMM_SIZE, "t%d", (int)tid);
    return tid != 9;
}

struct box {
    struct tally tally;
    struct tally_copy copy;
    struct names *names;
    struct sampling_info info;
    struct module module[3];
};

static int set_up(void **state) {
    struct box *b = calloc(1, sizeof(*b));
    assert_int_equal(tally_init(&b->tally, NULL), 0);
    assert_int_equal(names_open(&b->names, NULL), 0);
    b->module[0] = (struct module){.kind = MODULE_UNKNOWN, .path = "[unknown]"};
    b->module[1] = (struct module){.kind = MODULE_KERNEL, .path = "[kernel]"};
    b->module[2] = (struct module){.kind = MODULE_FILE, .path = "/nowhere/prog\033[2J"};
    b->info = (struct sampling_info){.n_event = 1, .n_lost = 3};
    str_copy(b->info.event[0].name, sizeof(b->info.event[0].name), "cycles");
    b->info.event[0].precision = "precise";
    *state = b;
    return 0;
}

static int tear_down(void **state) {
    struct box *b = *state;
    tally_copy_free(&b->copy);
    tally_destroy(&b->tally);
    names_close(b->names);
    free(b);
    return 0;
}

static void sample(struct box *b, pid_t tid, uint64_t at, uint64_t caller, uint64_t period) {
    const struct place stack[] = {{2, at}, {2, caller}};
    tally_add(&b->tally, &(struct tally_sample){.pid = 8,
                                                .tid = tid,
                                                .time_ns = 1000000000,
                                                .period = period,
                                                .stack = stack,
                                                .n_stack = 2});
}

static void take(struct box *b, struct hot *h, const struct hot_options *opt) {
    struct err err = {0};
    assert_int_equal(tally_read(&b->tally, &b->copy), 0);
    assert_int_equal(hot_take(h,
                              &(struct hot_source){.copy = &b->copy,
                                                   .info = &b->info,
                                                   .module = b->module,
                                                   .n_module = 3,
                                                   .comm = comm},
                              b->names, opt),
                     0);
    assert_int_equal(hot_check(h, &err), 0);
}

static void test_take(void **state) {
    struct box *b = *state;
    struct hot h;
    struct hot_row *row;
    struct binomial in;
    size_t n;
    for (int i = 0; i < 30; i++)
        sample(b, 8, 0x10, 0x100, 2);
    for (int i = 0; i < 9; i++)
        sample(b, 9, 0x20, 0x100, 2);
    take(b, &h, &(struct hot_options){.target = "prog 8", .asked = "L3_Bound", .seconds = 2});
    assert_string_equal(h.target, "prog 8");
    assert_string_equal(h.asked, "L3_Bound");
    assert_int_equal(h.all.n, 39);
    assert_true(h.all.weight == 78);
    assert_int_equal(h.n_lost, 3);
    assert_int_equal(h.leaf.n, 2);
    assert_int_equal(h.node.n, 4); /* the process, the caller, two functions */
    assert_string_equal(h.thread.at[h.leaf.at[0].thread].name, "t8");
    assert_string_equal(h.thread.at[h.leaf.at[1].thread].name, "");
    assert_int_equal(hot_rows(&h, &row, &n), 0);
    assert_int_equal(n, 2);
    assert_string_equal(h.function.at[row[0].function].name, "prog?[2J+0x10");
    assert_true(fabs(hot_share(&h, &row[0].count, &in) - 30.0 / 39) < 1e-12);
    assert_true(in.low > 0.5 && in.high < 0.9);
    assert_true(isnan(hot_share(&h, &row[1].count, &in)) && isnan(in.low)); /* too few */
    free(row);
    struct hot_count *sum = hot_sums(&h);
    assert_int_equal(sum[0].n, 39);
    free(sum);
    hot_free(&h);
}

/* The places and stacks of most samples stay; what is cut is counted, and sums stay right. */
static void test_bounds(void **state) {
    struct box *b = *state;
    struct hot h;
    for (int i = 0; i < 100; i++)
        for (int k = 0; k <= i; k++)
            sample(b, 8, 0x1000 + 16 * (uint64_t)i, 0x100, 1);
    take(b, &h, &(struct hot_options){.leaves = 10, .nodes = 12});
    assert_int_equal(h.leaf.n, 10);
    assert_true(h.node.n <= 12 && h.node.n >= 11);
    uint64_t leaves = 0, least = UINT64_MAX, nodes = 0;
    for (size_t i = 0; i < h.leaf.n; i++) {
        leaves += h.leaf.at[i].count.n;
        least = h.leaf.at[i].count.n < least ? h.leaf.at[i].count.n : least;
    }
    for (size_t i = 0; i < h.node.n; i++)
        nodes += h.node.at[i].count.n;
    assert_int_equal(least, 91);
    assert_int_equal(leaves + h.n_no_leaf, 5050);
    assert_int_equal(nodes, 5050); /* what is cut off ends in its caller */
    assert_true(h.n_cut > 0 && h.n_cut < 5050);
    hot_free(&h);
}

static uint64_t sum_of(const struct hot *h, bool nodes) {
    uint64_t n = 0;
    for (size_t i = 0; i < (nodes ? h->node.n : h->leaf.n); i++)
        n += nodes ? h->node.at[i].count.n : h->leaf.at[i].count.n;
    return n;
}

static void some(struct box *b, int first, int last) {
    for (int i = first; i < last; i++)
        for (int k = 0; k <= i % 7; k++)
            sample(b, 8 + i % 2, 0x10 + (uint64_t)(i % 20), 0x100 + (uint64_t)(i % 3), 2);
}

/* What is taken in two parts is what is taken at once, whatever the order of the parts. */
static void test_merge(void **state) {
    struct box *b = *state;
    struct hot whole, part[2];
    const struct hot_options opt = {.target = "", .asked = "", .seconds = 1};
    some(b, 0, 100);
    take(b, &whole, &opt);
    for (int i = 0; i < 2; i++) {
        tally_reset(&b->tally);
        some(b, i ? 35 : 0, i ? 100 : 35);
        take(b, &part[i], &opt);
    }
    assert_int_equal(hot_merge(&part[1], &part[0]), 0);
    const struct hot *both = &part[1];
    struct err err = {0};
    assert_int_equal(hot_check(&part[1], &err), 0);
    assert_int_equal(both->all.n, whole.all.n);
    assert_true(both->all.weight == whole.all.weight && both->seconds == 2);
    assert_int_equal(sum_of(both, false), both->all.n);
    assert_int_equal(sum_of(both, true), both->all.n);
    assert_int_equal(both->module.n, whole.module.n);
    assert_int_equal(both->function.n, whole.function.n);
    assert_int_equal(both->thread.n, whole.thread.n);
    assert_int_equal(both->leaf.n, whole.leaf.n);
    assert_int_equal(both->node.n, whole.node.n);
    struct hot_row *a, *c;
    size_t n_a, n_c;
    assert_int_equal(hot_rows(&whole, &a, &n_a), 0);
    assert_int_equal(hot_rows(both, &c, &n_c), 0);
    assert_int_equal(n_a, n_c);
    for (size_t i = 0; i < n_a; i++)
        assert_int_equal(a[i].count.n, c[i].count.n);
    free(a);
    free(c);
    for (int i = 0; i < 2; i++)
        hot_free(&part[i]);
    hot_free(&whole);
}

/* ---- from a file ---- */

static void put_module(struct hot *h, const char *path) {
    assert_int_equal(array_push(&h->module, (struct hot_module){.path = strdup(path),
                                                                .kind = strdup("file"),
                                                                .lack = strdup("")}),
                     0);
}

/* A process, and in it a function that calls another of the name. */
static void make(struct hot *h, const char *name) {
    const struct hot_count ten = {10, 10, 10};
    *h = (struct hot){.target = strdup("t"),
                      .asked = strdup(""),
                      .no_branches = strdup(""),
                      .all = ten,
                      .seconds = 1};
    put_module(h, "/bin/x");
    for (int i = 0; i < 2; i++)
        assert_int_equal(array_push(&h->function, (struct hot_function){.start = 16,
                                                                        .name = strdup(name),
                                                                        .file = strdup("a.c"),
                                                                        .line = 7}),
                         0);
    assert_int_equal(
        array_push(&h->thread, (struct hot_thread){.pid = 1, .tid = 1, .name = strdup(name)}), 0);
    assert_int_equal(array_push(&h->leaf, (struct hot_leaf){.function = 1, .count = ten}), 0);
    assert_int_equal(array_push(&h->node, (struct hot_node){HOT_NONE, HOT_NONE, 0, {0}}), 0);
    assert_int_equal(array_push(&h->node, (struct hot_node){0, 0, HOT_NONE, {0}}), 0);
    assert_int_equal(array_push(&h->node, (struct hot_node){1, 1, HOT_NONE, ten}), 0);
}

static void test_check(void **state) {
    (void)state;
    for (int bad = 0; bad < 10; bad++) {
        struct hot h;
        struct err err = {0};
        make(&h, "f\033");
        assert_int_equal(
            array_push(&h.branch, (struct hot_branch){.to = 1, .file = strdup("\033")}), 0);
        if (bad == 1)
            h.node.at[2].parent = 2;
        else if (bad == 2)
            h.node.at[1].function = 2;
        else if (bad == 3)
            h.node.at[0].thread = 1;
        else if (bad == 4)
            h.leaf.at[0].function = 2;
        else if (bad == 5)
            h.function.at[0].module = 1;
        else if (bad == 6)
            h.all.weight = NAN;
        else if (bad == 7)
            h.branch.at[0].from = 2;
        else if (bad == 8)
            h.branch.at[0].count.n_missed = 1;
        else if (bad == 9)
            h.taken.told2 = -1;
        assert_int_equal(hot_check(&h, &err), bad ? -EINVAL : 0);
        if (!bad)
            assert_string_equal(h.function.at[0].name, "f?");
        hot_free(&h);
    }
}

/* ---- exported ---- */

static char *text_of(const struct hot *h, int (*write)(const struct hot *h, FILE *out)) {
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    assert_int_equal(write(h, out), 0);
    fclose(out);
    return text;
}

static void test_names(void **state) {
    (void)state;
    struct hot h;
    make(&h, "std::less<a>&\"; ]]> \xff\x01\xEF\xBF\xBF");
    char *folded = text_of(&h, hot_folded), *svg = text_of(&h, hot_svg),
         *json = text_of(&h, hot_speedscope);
    assert_int_equal(strncmp(folded, "std::less<a>&\": ]]>", 19), 0);
    const char *space = strrchr(folded, ' ');
    assert_string_equal(space, " 10\n");
    assert_null(strstr(svg, "less<a>"));
    assert_non_null(strstr(svg, "std::less&#60;a&#62;&#38;&#34;; ]]&#62; \xEF\xBF\xBD"));
    for (const char *c = svg; *c; c++)
        assert_true((unsigned char)*c >= 0x20 || *c == '\n');
    assert_non_null(strstr(json, "std::less<a>&\\\"; ]]> "));
    free(folded);
    free(svg);
    free(json);
    hot_free(&h);
}

/* Nothing was sampled: all of them say so. */
static void test_empty(void **state) {
    (void)state;
    static const char *const endings[] = {"x.folded", "x.svg", "x.speedscope.json", "x.pprof"};
    struct hot h = {.target = strdup(""), .asked = strdup(""), .no_branches = strdup("")};
    for (size_t i = 0; i < 4; i++) {
        char *text = text_of(&h, hot_format_of(endings[i])->write);
        assert_null(strstr(text, "nan"));
        free(text);
    }
    assert_null(hot_format_of("x.json"));
    assert_null(hot_format_of(NULL));
    hot_free(&h);
}

/* ---- branches ---- */

static double chance(uint64_t *seed) {
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull; /* Knuth, MMIX */
    return (double)(*seed >> 33) / 2147483648.0;
}

static void recorded(struct box *b, const struct tally_jump *j, uint32_t n) {
    const struct place at = {2, 0x10};
    tally_add(&b->tally, &(struct tally_sample){.pid = 8,
                                                .tid = 8,
                                                .time_ns = 1000000000,
                                                .stack = &at,
                                                .n_stack = 1,
                                                .jump = j,
                                                .n_jump = n});
}

/* Two branches; the second is taken in phases, in which it is mispredicted more or less, so that
 * the records of a sample are alike. The true values are in nearly all of the intervals that are
 * said to have 95 % of them. */
static void test_rates(void **state) {
    (void)state;
    uint64_t seed = 3;
    int n_out[3] = {0};
    enum { ROUNDS = 400, SAMPLES = 150 };
    for (int round = 0; round < ROUNDS; round++) {
        struct tally t;
        struct tally_copy c = {0};
        struct binomial in;
        assert_int_equal(tally_init(&t, NULL), 0);
        for (int i = 0; i < SAMPLES; i++) {
            const struct place at = {2, 0x10};
            struct tally_jump j[2] = {{.from.offset = 1}, {.from.offset = 2}};
            const double rate = chance(&seed) < 1 / 3.0 ? 0.02 : 0.38;
            for (int k = 0; k < 32; k++) {
                const int of = chance(&seed) < 0.5;
                j[of].n++;
                j[of].n_told++;
                j[of].n_missed += chance(&seed) < (of ? rate : 0.05);
            }
            /* Those of the half of rate 0.02 stand for twice as much each, and are half as many. */
            tally_add(&t, &(struct tally_sample){.stack = &at,
                                                 .n_stack = 1,
                                                 .period = rate < 0.1 ? 2000 : 1000,
                                                 .jump = j,
                                                 .n_jump = 2});
        }
        assert_int_equal(tally_read(&t, &c), 0);
        const double want[] = {0.05, 0.2};
        for (int k = 0; k < 2; k++) {
            const struct hot_taken *b = &c.branch[k].count;
            assert_true(hot_missed_rate(b, &in) > 0);
            n_out[c.branch[k].from.offset - 1] += want[c.branch[k].from.offset - 1] < in.low ||
                                                  want[c.branch[k].from.offset - 1] > in.high;
        }
        const double share = hot_missed_share(&c.branch[0].count, &c.total.taken, &in);
        const double of = c.branch[0].from.offset == 1 ? 0.2 : 0.8; /* 0.05 : 0.2 */
        assert_true(share > 0 && share < 1);
        n_out[2] += of < in.low || of > in.high;
        tally_copy_free(&c);
        tally_destroy(&t);
    }
    for (int k = 0; k < 3; k++) /* 5 % would be 20 */
        if (n_out[k] < 6 || n_out[k] > 36)
            fail_msg("%d: %d of %d are outside", k, n_out[k], ROUNDS);
}

/* Few samples have no rate, however many records they have; one that is never mispredicted is not
 * sure to be so. */
static void test_rate_of_few(void **state) {
    (void)state;
    struct binomial in;
    struct hot_taken t = {.n = 9 * 32, .n_told = 9 * 32, .told = 9 * 32, .told2 = 9 * 32 * 32};
    assert_true(isnan(hot_missed_rate(&t, &in)) && isnan(in.low));
    assert_true(isnan(hot_missed_rate(&(struct hot_taken){0}, &in)));
    assert_true(isnan(hot_missed_share(&t, &(struct hot_taken){0}, &in)));
    assert_true(isnan(hot_taken_cycles(&t)));
    t = (struct hot_taken){.n = 20 * 32, .n_told = 20 * 32, .told = 20 * 32, .told2 = 20 * 32 * 32};
    assert_true(hot_missed_rate(&t, &in) == 0);
    assert_true(in.low == 0 && in.high > 0.1 && in.high < 0.2); /* of 20, not of 640 */
}

/* The most mispredicted first, as many as there is room for; the others are counted. */
static void test_branches(void **state) {
    struct box *b = *state;
    struct hot h, copy;
    enum { MORE = 10 };
    for (uint32_t i = 0; i < HOT_BRANCHES + MORE; i++) {
        const struct tally_jump j = {{2, 0x1000 + i},          {2, 0x10}, 2, 2,
                                     i % 2 + (i == 7 ? 1 : 0), 2,         5};
        recorded(b, &j, 1);
    }
    b->info.branches = true;
    take(b, &h, &(struct hot_options){0});
    assert_int_equal(h.branch.n, HOT_BRANCHES);
    assert_int_equal(h.n_no_branch, 2 * MORE);
    assert_true(h.branches && h.n_recorded == HOT_BRANCHES + MORE);
    assert_int_equal(h.branch.at[0].from_offset, 0x1007);
    assert_int_equal(h.branch.at[0].count.n_missed, 2);
    for (uint32_t i = 1; i < HOT_BRANCHES; i++)
        assert_true(h.branch.at[i].count.n_missed <= h.branch.at[i - 1].count.n_missed);
    assert_true(hot_taken_cycles(&h.branch.at[0].count) == 2.5);
    assert_int_equal(hot_copy(&copy, &h), 0);
    /* Of the same ones twice as often; of others none, as there is no room. */
    assert_int_equal(hot_merge(&h, &copy), 0);
    assert_int_equal(h.branch.n, HOT_BRANCHES);
    assert_int_equal(h.branch.at[0].count.n_missed, 4);
    assert_int_equal(h.taken.n, 4 * (HOT_BRANCHES + MORE));
    assert_int_equal(h.n_no_branch, 4 * MORE);
    copy.branch.at[0].from_offset = 7;
    assert_int_equal(hot_merge(&h, &copy), 0);
    assert_int_equal(h.n_no_branch, 6 * MORE + 2);
    hot_free(&copy);
    hot_free(&h);
}

/* ---- compared ---- */

/* Of 16 functions so many samples each, which stand for `weight` events. */
static void make_shares(struct hot *h, const char *path, const uint64_t n[16], double weight) {
    *h = (struct hot){.target = strdup(""), .asked = strdup(""), .no_branches = strdup("")};
    put_module(h, path);
    array_push(&h->thread, (struct hot_thread){.pid = 1, .tid = 1, .name = strdup("")});
    for (uint32_t i = 0; i < 16; i++) {
        char name[16];
        const double w = (double)n[i] * weight;
        const struct hot_count c = {n[i], w, w * weight};
        snprintf(name, sizeof(name), "f%u", i);
        array_push(&h->function, (struct hot_function){.start = 16 * i + (uint64_t)weight,
                                                       .name = strdup(name),
                                                       .file = strdup("")});
        array_push(&h->leaf, (struct hot_leaf){.function = i, .count = c});
        hot_add(&h->all, &c);
    }
}

static uint64_t draw(uint64_t *seed, uint64_t n, double p) {
    uint64_t k = 0;
    for (uint64_t i = 0; i < n; i++) {
        *seed = *seed * 6364136223846793005ull + 1442695040888963407ull; /* Knuth, MMIX */
        k += (double)(*seed >> 33) / 2147483648.0 < p;
    }
    return k;
}

/* Of the same program twice something is `sure` in at most 5 % of the comparisons; intervals hold
 * no difference in at least 94 % of the functions; a change of 3 points of 2,000 samples is seen.
 */
static void test_compare(void **state) {
    (void)state;
    uint64_t seed = 7;
    int n_false = 0, n_out = 0, n_all = 0, n_seen = 0;
    for (int round = 0; round < 400; round++) {
        struct hot h[2];
        struct hot_change *c;
        size_t n;
        for (int side = 0; side < 2; side++) {
            uint64_t k[16];
            for (int i = 0; i < 16; i++)
                k[i] = draw(&seed, 2000, 1.0 / 16 + (round >= 200 && side && !i ? 0.03 : 0));
            make_shares(&h[side], side ? "/b/prog" : "/a/prog", k, side ? 3 : 1);
        }
        assert_int_equal(hot_compare(&h[0], &h[1], 0.95, &c, &n), 0);
        assert_int_equal(n, 16);
        for (size_t i = 0; i < n && round < 200; i++) {
            n_out += c[i].low > 0 || c[i].high < 0;
            n_all++;
        }
        n_false += round < 200 && c[0].sure;
        if (round >= 200 && c[0].sure && !strcmp(c[0].function->name, "f0")) {
            n_seen++;
            assert_true(c[0].low > 0 && c[0].low < c[0].delta && c[0].delta < c[0].high);
        }
        free(c);
        hot_free(&h[0]);
        hot_free(&h[1]);
    }
    if (n_false > 20 || n_out > 0.06 * n_all || n_seen < 120)
        fail_msg("%d of 200 false, %d of %d intervals miss, %d of 200 seen", n_false, n_out, n_all,
                 n_seen);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_take, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bounds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_merge, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_branches, set_up, tear_down),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_rate_of_few),
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_compare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
