/* Branch records of a sample: those of one branch together, in user space and kernel. */
#include "fake_root.h"

#include "pmu/sampling/branches.h"

#include <linux/perf_event.h>

enum { PID = 42, MOST = 200 };
#define KERNEL 0xffffffff81000000u

static const char maps[] = "00401000-00405000 r-xp 00001000 08:01 100     /bin/prog\n";

static struct perf_branch_entry entry(uint64_t from, uint64_t to, bool missed, uint64_t cycles) {
    return (struct perf_branch_entry){
        .from = from, .to = to, .mispred = missed, .predicted = !missed, .cycles = cycles & 0xffff};
}

static uint32_t find(const struct perf_branch_entry *e, uint64_t n,
                     struct tally_jump out[TALLY_JUMPS]) {
    struct modules modules;
    struct spaces spaces;
    put("/proc/42/maps", maps);
    assert_int_equal(modules_init(&modules, 64), 0);
    assert_int_equal(spaces_init(&spaces, &modules, root, &(struct spaces_limits){8, 100}), 0);
    const struct record r = {
        .kind = RECORD_SAMPLE, .pid = PID, .sample = {.branch = e, .n_branch = n}};
    const uint32_t found = branches_find(&spaces, &r, out);
    spaces_destroy(&spaces);
    modules_destroy(&modules);
    return found;
}

static void those_of_one_branch_go_together(void **state) {
    (void)state;
    struct tally_jump j[TALLY_JUMPS];
    struct perf_branch_entry e[] = {
        entry(0x401010, 0x401000, true, 7), entry(0x401010, 0x402000, false, 9),
        entry(0x401010, 0x401000, false, 0), entry(KERNEL + 8, KERNEL, false, 1),
        entry(0x401010, 0x401000, false, 4)};
    e[4].predicted = 0; /* it does not say */
    assert_int_equal(find(e, 5, j), 3);
    assert_int_equal(j[0].from.offset, 0x1010); /* in the file */
    assert_int_equal(j[0].to.offset, 0x1000);
    assert_int_equal(j[0].from.module, j[1].to.module);
    assert_int_equal(j[0].n, 3);
    assert_int_equal(j[0].n_told, 2);
    assert_int_equal(j[0].n_missed, 1);
    assert_int_equal(j[0].n_timed, 2);
    assert_int_equal(j[0].cycles, 11);
    assert_int_equal(j[1].to.offset, 0x2000);
    assert_int_equal(j[1].n, 1);
    assert_int_equal(j[2].from.module, MODULES_KERNEL);
    assert_int_equal(j[2].to.module, MODULES_KERNEL);
}

/* One end only, and a path that was not taken in the end. */
static void what_is_no_branch_is_left_out(void **state) {
    (void)state;
    struct tally_jump j[TALLY_JUMPS];
    struct perf_branch_entry e[] = {entry(0, 0x401000, true, 7), entry(0x401010, 0, true, 9),
                                    entry(0x401010, 0x401000, true, 0),
                                    entry(0x401020, 0x401000, false, 4)};
    e[2].spec = PERF_BR_SPEC_WRONG_PATH;
    e[3].spec = PERF_BR_NON_SPEC_CORRECT_PATH;
    assert_int_equal(find(e, 4, j), 1);
    assert_int_equal(j[0].from.offset, 0x1020);
    assert_int_equal(find(NULL, 0, j), 0);
}

static void more_than_there_can_be_are_not_read(void **state) {
    (void)state;
    struct tally_jump j[TALLY_JUMPS];
    struct perf_branch_entry e[MOST];
    for (uint64_t i = 0; i < MOST; i++)
        e[i] = entry(0x401000 + i, 0x402000, false, 1);
    assert_int_equal(find(e, MOST, j), TALLY_JUMPS);
    assert_int_equal(j[TALLY_JUMPS - 1].n, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_of_one_branch_go_together),
        cmocka_unit_test(what_is_no_branch_is_left_out),
        cmocka_unit_test(more_than_there_can_be_are_not_read),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
