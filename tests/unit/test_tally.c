/* Samples by place, stack and second; what a reader copies; what has no room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/thread.h"
#include "pmu/sampling/comms.h"
#include "pmu/sampling/id_set.h"
#include "pmu/sampling/tally.h"

#include <stdio.h>

#define S 1000000000ull

/* A stack of modules 1 with these offsets, the place first. */
static void add(struct tally *t, pid_t tid, uint64_t second, uint64_t period, uint64_t place,
                uint64_t caller) {
    const struct place stack[] = {{1, place}, {1, caller}};
    tally_add(t, &(struct tally_sample){.pid = 10,
                                        .tid = tid,
                                        .time_ns = second * S,
                                        .period = period,
                                        .stack = stack,
                                        .n_stack = caller ? 2 : 1});
}

static uint64_t n_at(const struct tally_copy *c, uint64_t place) {
    uint64_t n = 0;
    for (uint32_t i = 0; i < c->n_leaf; i++)
        n += i && c->leaf[i].at.offset == place ? c->leaf_count[i].n : 0;
    return n;
}

static uint64_t sum_nodes(const struct tally_copy *c) {
    uint64_t n = 0;
    for (uint32_t i = 0; i < c->n_node; i++) {
        assert_true(i == 0 || c->node[i].parent < i);
        n += c->node_count[i].n;
    }
    return n;
}

static void samples_are_added_up(void **state) {
    (void)state;
    struct tally t;
    struct tally_copy c = {0};
    assert_int_equal(tally_init(&t, NULL), 0);
    for (int i = 0; i < 7; i++)
        add(&t, 11, 5, 100, 0xA, 0xF);
    for (int i = 0; i < 3; i++)
        add(&t, 12, 6, 100, 0xA, 0xE);
    add(&t, 12, 7, 100, 0xB, 0);
    assert_int_equal(tally_read(&t, &c), 0);
    assert_int_equal(c.n_leaf, 4); /* other, A of 11, A of 12, B */
    assert_int_equal(n_at(&c, 0xA), 10);
    assert_int_equal(n_at(&c, 0xB), 1);
    assert_int_equal(c.n_node, 2 + 2 + 2 + 1); /* root, process, F A, E A, B */
    assert_int_equal(sum_nodes(&c), 11);
    assert_int_equal(c.total.all.n, 11);
    assert_true(c.total.all.weight == 1100);
    assert_true(hot_effective(&c.total.all) == 11);
    assert_int_equal(c.total.begin_ns, 5 * S);
    assert_int_equal(c.total.end_ns, 7 * S);
    tally_copy_free(&c);
    tally_destroy(&t);
}

static void a_span_is_that_of_its_seconds(void **state) {
    (void)state;
    struct tally t;
    struct tally_copy c = {0};
    struct hot_count leaf[8], node[32], all;
    assert_int_equal(tally_init(&t, NULL), 0);
    for (uint64_t s = 10; s < 20; s++)
        for (uint64_t i = 0; i <= s - 10; i++)
            add(&t, 11, s, 3, s % 2 ? 0xA : 0xB, 0xF);
    assert_int_equal(tally_read(&t, &c), 0);
    assert_int_equal(tally_span(&c, 12, 15, leaf, node, &all), 3 + 4 + 5);
    assert_int_equal(leaf[1].n, 3 + 5); /* B came first */
    assert_int_equal(leaf[2].n, 4);
    assert_true(all.weight == 36 && hot_effective(&all) == 12);
    assert_int_equal(tally_span(&c, 0, UINT64_MAX, leaf, node, NULL), c.total.all.n);
    for (uint32_t i = 0; i < c.n_node; i++)
        assert_int_equal(node[i].n, c.node_count[i].n);
    assert_int_equal(tally_span(&c, 20, 30, NULL, NULL, &all), 0);
    assert_true(hot_effective(&all) == 0);
    tally_copy_free(&c);
    tally_destroy(&t);
}

/* Of periods 1 and 99 the small ones say next to nothing. */
static void unequal_periods_are_worth_less(void **state) {
    (void)state;
    struct tally t;
    struct tally_copy c = {0};
    assert_int_equal(tally_init(&t, NULL), 0);
    for (int i = 0; i < 50; i++) {
        add(&t, 11, 1, 1, 0xA, 0);
        add(&t, 11, 1, 99, 0xB, 0);
    }
    assert_int_equal(tally_read(&t, &c), 0);
    const double n = hot_effective(&c.total.all);
    assert_true(n > 50.9 && n < 51.1); /* (50 * 100)^2 / (50 * (1 + 99^2)) */
    tally_copy_free(&c);
    tally_destroy(&t);
}

static void expect_same(const struct tally_copy *a, const struct tally_copy *b) {
    assert_int_equal(a->n_leaf, b->n_leaf);
    assert_int_equal(a->n_node, b->n_node);
    for (uint32_t i = 0; i < a->n_leaf; i++)
        assert_true(a->leaf[i].at.offset == b->leaf[i].at.offset &&
                    a->leaf[i].tid == b->leaf[i].tid && a->leaf_count[i].n == b->leaf_count[i].n);
    for (uint32_t i = 0; i < a->n_node; i++)
        assert_true(a->node[i].at.offset == b->node[i].at.offset &&
                    a->node[i].parent == b->node[i].parent &&
                    a->node_count[i].n == b->node_count[i].n);
}

/* A copy that is brought on is the same as one that is made anew, whatever came in between. */
static void a_copy_follows(void **state) {
    (void)state;
    struct tally t;
    struct tally_copy old = {0}, new = {0};
    const struct tally_limits limits = {.leaves = 64, .nodes = 64, .cells = 32, .seconds = 8};
    uint32_t random = 1;
    assert_int_equal(tally_init(&t, &limits), 0);
    for (int i = 0; i < 5000; i++) {
        random = random * 1664525 + 1013904223;
        add(&t, 11 + (pid_t)(random >> 30), 1 + (uint64_t)i / 40, 1 + (random >> 8) % 3,
            random >> 26, 1 + (random >> 20) % 4);
        if (random % 7)
            continue;
        assert_int_equal(tally_read(&t, &old), 0);
        assert_int_equal(tally_read(&t, &new), 0);
        expect_same(&old, &new);
        const uint64_t n = tally_span(&old, 0, UINT64_MAX, NULL, NULL, NULL);
        assert_int_equal(n, tally_span(&new, 0, UINT64_MAX, NULL, NULL, NULL));
        assert_true(n > 0 && n <= old.total.all.n);
        assert_int_equal(sum_nodes(&old), old.total.all.n);
        tally_copy_free(&new);
    }
    assert_true(t.is.first_second > 0); /* the oldest had to go */
    tally_reset(&t);
    assert_int_equal(tally_read(&t, &old), 0);
    assert_int_equal(old.total.all.n, 0);
    assert_int_equal(old.n_leaf, 1);
    add(&t, 11, 500, 1, 0xA, 0);
    assert_int_equal(tally_read(&t, &old), 0);
    assert_int_equal(n_at(&old, 0xA), 1);
    tally_copy_free(&old);
    tally_destroy(&t);
}

static void what_has_no_room_is_counted(void **state) {
    (void)state;
    struct tally t;
    struct tally_copy c = {0};
    const struct tally_limits limits = {.leaves = 4, .nodes = 6, .cells = 8, .seconds = 4};
    assert_int_equal(tally_init(&t, &limits), 0);
    for (uint64_t i = 0; i < 100; i++)
        add(&t, 11, 1, 1, 0x100 + i % 50, 0xF);
    assert_int_equal(tally_read(&t, &c), 0);
    assert_int_equal(c.n_leaf, 4);
    assert_int_equal(c.n_node, 6); /* root, process, F, three places */
    assert_int_equal(c.total.all.n, 100);
    assert_int_equal(c.total.n_no_leaf, 100 - 3 * 2);
    assert_int_equal(c.leaf_count[TALLY_OTHER].n, 94);
    assert_int_equal(c.total.n_cut, 94);
    assert_int_equal(c.node_count[2].n, 94); /* at the part of the stack that is there */
    tally_copy_free(&c);
    tally_destroy(&t);
}

static void add_jumps(struct tally *t, const struct tally_jump *j, uint32_t n) {
    const struct place at = {1, 0xA};
    tally_add(t, &(struct tally_sample){.pid = 10,
                                        .tid = 10,
                                        .time_ns = S,
                                        .period = 10,
                                        .stack = &at,
                                        .n_stack = 1,
                                        .jump = j,
                                        .n_jump = n});
}

static void branches_are_added_up(void **state) {
    (void)state;
    struct tally t;
    struct tally_copy c = {0};
    const struct tally_jump one[] = {{{1, 0x10}, {1, 0x20}, 8, 8, 2, 4, 40},
                                     {{1, 0x10}, {1, 0x30}, 4, 2, 1, 0, 0}};
    const struct tally_jump two[] = {{{1, 0x10}, {1, 0x20}, 2, 2, 1, 2, 6},
                                     {{2, 0x10}, {1, 0x20}, 1, 1, 0, 1, 1},
                                     {{2, 0x11}, {1, 0x20}, 3, 3, 3, 3, 3}};
    assert_int_equal(tally_init(&t, &(struct tally_limits){.branches = 3}), 0);
    add_jumps(&t, one, 2);
    assert_int_equal(tally_read(&t, &c), 0); /* which a second copy follows */
    add_jumps(&t, two, 3);
    add_jumps(&t, NULL, 0);
    assert_int_equal(tally_read(&t, &c), 0);
    assert_int_equal(c.n_branch, 3);
    const struct hot_taken *b = &c.branch[0].count;
    assert_true(b->n == 10 && b->n_told == 10 && b->n_missed == 3 && b->n_timed == 6);
    assert_int_equal(b->cycles, 46);
    assert_true(b->told == 100 && b->missed == 30); /* each stands for 10 */
    assert_true(b->told2 == 6800 && b->told_missed == 1800 && b->missed2 == 500);
    assert_true(b->missed_all == 100 * (2 * 3 + 1 * 4)); /* of 3 in the first, 4 in the second */
    assert_int_equal(c.branch[2].from.module, 2);
    assert_int_equal(c.total.n_no_branch, 3); /* the fourth */
    assert_int_equal(c.total.n_recorded, 2);
    const struct hot_taken *all = &c.total.taken;
    assert_true(all->n == 18 && all->n_told == 16 && all->n_missed == 7);
    assert_true(all->missed2 == 900 + 1600 && all->told2 == 10000 + 3600);
    tally_reset(&t);
    add_jumps(&t, &two[1], 1);
    assert_int_equal(tally_read(&t, &c), 0);
    assert_int_equal(c.n_branch, 1);
    assert_true(c.branch[0].count.n == 1 && c.total.taken.n == 1);
    tally_copy_free(&c);
    tally_destroy(&t);
}

/* By leaf, line and source; with little room left without its line. */
static void accesses_are_added_up(void **state) {
    (void)state;
    struct tally t;
    struct tally_copy c = {0};
    const struct place at = {1, 0x10}, other = {1, 0x20};
    struct tally_sample s = {
        .pid = 1, .tid = 2, .time_ns = 1, .period = 10, .stack = &at, .n_stack = 1};
    assert_int_equal(tally_init(&t, &(struct tally_limits){.accesses = 4}), 0);
    tally_add(&t, &s); /* without an address */
    for (uint64_t i = 0; i < 3; i++) {
        s.addr = 0x1000 + 8 * i;
        s.cycles = i * 100;
        s.source = DATA_L3;
        tally_add(&t, &s);
    }
    s.store = true;
    s.source = DATA_DRAM;
    tally_add(&t, &s);
    s.stack = &other;
    tally_add(&t, &s);
    assert_int_equal(tally_read(&t, &c), 0);
    assert_int_equal(c.n_access, 3);
    assert_int_equal(c.access[0].line, 0x1000 / CACHE_LINE);
    assert_int_equal(c.access[0].bytes, 0xffffff);
    const struct access_count *one = &c.access[0].sum;
    assert_true(one->count.n == 3 && one->count.weight == 30 && one->n_timed == 2);
    assert_true(one->cycles == 300 && one->n_store == 0 && c.access[1].sum.n_store == 1);
    assert_true(c.access[0].leaf == c.access[1].leaf && c.access[2].leaf != c.access[0].leaf);
    assert_true(c.total.data.n == 5 && c.total.all.n == 6 && c.total.n_no_line == 0);
    s.addr = 0x2000; /* three of four: others have no line */
    tally_add(&t, &s);
    s.addr = 0x3000;
    tally_add(&t, &s);
    s.source = DATA_L1; /* and no room at all */
    tally_add(&t, &s);
    assert_int_equal(tally_read(&t, &c), 0);
    assert_int_equal(c.n_access, 4);
    assert_true(c.access[3].line == ACCESS_NO_LINE && c.access[3].sum.count.n == 2);
    assert_true(c.access[3].bytes == 0 && c.total.n_no_line == 3 && c.total.data.n == 8);
    tally_reset(&t);
    tally_add(&t, &s);
    assert_int_equal(tally_read(&t, &c), 0);
    assert_true(c.n_access == 1 && c.access[0].sum.count.n == 1 && c.total.data.n == 1);
    tally_copy_free(&c);
    tally_destroy(&t);
}

/* Every stack of up to DEEP places of 3 has its own chain of nodes with its own count, in whatever
 * order stacks come, while the tables grow. A stack is a number: its places to the base of 4. */
enum { DEEP = 6, STACKS = 1 << (2 * DEEP) };

static void each_stack_has_its_nodes(void **state) {
    (void)state;
    static uint32_t want[3][STACKS], got[3][STACKS];
    struct tally t;
    struct tally_copy c = {0};
    uint32_t random = 7;
    memset(want, 0, sizeof(want));
    memset(got, 0, sizeof(got));
    assert_int_equal(tally_init(&t, NULL), 0);
    for (int i = 0; i < 20000; i++) {
        struct place stack[DEEP];
        random = random * 1664525 + 1013904223;
        const uint32_t n = 1 + (random >> 29) % DEEP, pid = (random >> 20) % 3;
        uint32_t number = 0;
        for (uint32_t k = n; k-- > 0;) { /* the outermost first; often that of the stack before */
            const uint32_t place = 1 + (random >> (8 + k)) % 3;
            stack[k] = (struct place){1, place};
            number = number * 4 + place;
        }
        want[pid][number]++;
        tally_add(
            &t,
            &(struct tally_sample){
                .pid = 10 + (pid_t)pid, .tid = i % 50, .time_ns = S, .stack = stack, .n_stack = n});
    }
    assert_int_equal(tally_read(&t, &c), 0);
    for (uint32_t i = 1; i < c.n_node; i++) {
        uint32_t number = 0, unit = 1, at = i;
        for (; c.node[at].at.module != TALLY_PROCESS; at = c.node[at].parent, unit *= 4)
            number += unit * (uint32_t)c.node[at].at.offset;
        assert_int_equal(c.node[at].parent, TALLY_ROOT);
        assert_true(number == 0 || got[c.node[at].at.offset - 10][number] == 0); /* once */
        got[c.node[at].at.offset - 10][number] += (uint32_t)c.node_count[i].n;
    }
    assert_memory_equal(got, want, sizeof(got));
    assert_true(c.n_node > 200 && c.n_leaf > 200); /* they have grown */
    tally_copy_free(&c);
    tally_destroy(&t);
}

static void late_samples_belong_to_the_last_second(void **state) {
    (void)state;
    struct tally t;
    struct tally_copy c = {0};
    assert_int_equal(tally_init(&t, NULL), 0);
    add(&t, 11, 5, 1, 0xA, 0);
    add(&t, 11, 4, 1, 0xA, 0);
    add(&t, 11, 6, 1, 0xA, 0);
    assert_int_equal(tally_read(&t, &c), 0);
    assert_int_equal(tally_span(&c, 5, 6, NULL, NULL, NULL), 2);
    assert_int_equal(tally_span(&c, 4, 5, NULL, NULL, NULL), 0);
    tally_copy_free(&c);
    tally_destroy(&t);
}

/* ---- a reader beside the writer ---- */

enum { TURNS = 20000 };

static void *write_all(void *user) {
    for (uint64_t i = 0; i < TURNS; i++)
        add(user, 11, 1 + i / 500, 1, i % 300, 1 + i % 7);
    return NULL;
}

static void a_reader_sees_whole_samples(void **state) {
    (void)state;
    struct tally t;
    struct tally_copy c = {0};
    pthread_t thread;
    assert_int_equal(tally_init(&t, NULL), 0);
    assert_int_equal(thread_start(&thread, "writer", write_all, &t), 0);
    while (c.total.all.n < TURNS) {
        uint64_t n = 0;
        assert_int_equal(tally_read(&t, &c), 0);
        for (uint32_t i = 0; i < c.n_leaf; i++)
            n += c.leaf_count[i].n;
        assert_int_equal(n, c.total.all.n);
        assert_int_equal(sum_nodes(&c), n);
        assert_int_equal(tally_span(&c, 0, UINT64_MAX, NULL, NULL, NULL), n);
    }
    pthread_join(thread, NULL);
    tally_copy_free(&c);
    tally_destroy(&t);
}

/* ---- small tables ---- */

static void names_stay_until_there_are_too_many(void **state) {
    (void)state;
    struct comms c;
    char name[COMM_SIZE];
    assert_int_equal(comms_init(&c), 0);
    assert_false(comms_get(&c, 5, name));
    assert_false(comms_get(&c, 0, name));
    comms_put(&c, 5, "a name that is longer than it may be");
    comms_fork(&c, 6, 5);
    comms_put(&c, 5, "redis");
    assert_true(comms_get(&c, 6, name));
    assert_string_equal(name, "a name that is ");
    assert_true(comms_get(&c, 5, name));
    assert_string_equal(name, "redis");
    comms_fork(&c, 7, 8);
    assert_false(comms_get(&c, 7, name));
    for (pid_t tid = 1000; tid < 100000; tid++)
        comms_put(&c, tid, "x");
    assert_true(comms_get(&c, 99999, name));
    comms_destroy(&c);
}

static void sets_of_ids(void **state) {
    (void)state;
    struct id_set set;
    static const pid_t ids[] = {1, 63, 64, 65, 4000000, ID_MOST - 1};
    assert_int_equal(id_set_init(&set), 0);
    id_set_put(&set, 0, true);
    id_set_put(&set, -1, true);
    id_set_put(&set, ID_MOST, true);
    assert_int_equal(id_set_next(&set, 0), 0);
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
        id_set_put(&set, ids[i], true);
    pid_t at = 0;
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        at = id_set_next(&set, at);
        assert_int_equal(at, ids[i]);
        assert_true(id_set_has(&set, at));
    }
    assert_int_equal(id_set_next(&set, at), 0);
    id_set_put(&set, 64, false);
    assert_false(id_set_has(&set, 64));
    id_set_clear(&set);
    assert_int_equal(id_set_next(&set, 0), 0);
    id_set_destroy(&set);
}

/* A wait is counted while it goes on. */
static void parts_are_one(void **state) {
    (void)state;
    struct tally t[2];
    struct tally_copy copy[2] = {{0}, {0}};
    const struct place at = {1, 7};
    for (int i = 0; i < 2; i++)
        assert_int_equal(tally_init(&t[i], NULL), 0);
    struct tally_sample s = {
        .pid = 1, .tid = 1, .time_ns = 9 * S, .period = 600, .stack = &at, .n_stack = 1};
    tally_add(&t[0], &s);
    for (int i = 0; i < 3; i++) {
        s.period = (uint64_t)(i + 1) * 100;
        tally_add(&t[1], &s);
        s.before += (double)s.period;
    }
    for (int i = 0; i < 2; i++)
        assert_int_equal(tally_read(&t[i], &copy[i]), 0);
    assert_memory_equal(&copy[0].total, &copy[1].total, sizeof(copy[0].total));
    assert_memory_equal(&copy[0].leaf_count[1], &copy[1].leaf_count[1], sizeof(struct hot_count));
    for (int i = 0; i < 2; i++) {
        tally_copy_free(&copy[i]);
        tally_destroy(&t[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_added_up),
        cmocka_unit_test(a_span_is_that_of_its_seconds),
        cmocka_unit_test(unequal_periods_are_worth_less),
        cmocka_unit_test(a_copy_follows),
        cmocka_unit_test(what_has_no_room_is_counted),
        cmocka_unit_test(branches_are_added_up),
        cmocka_unit_test(accesses_are_added_up),
        cmocka_unit_test(each_stack_has_its_nodes),
        cmocka_unit_test(late_samples_belong_to_the_last_second),
        cmocka_unit_test(a_reader_sees_whole_samples),
        cmocka_unit_test(names_stay_until_there_are_too_many),
        cmocka_unit_test(sets_of_ids),
        cmocka_unit_test(parts_are_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
