/* tdtop's own cost: rates from two points, and what the kernel says about this very process. */
#include "ui/scene/cost.h"

#include "base/clock.h"

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define S NS_PER_S

static void rates(void **state) {
    (void)state;
    const struct cost_point a = {10 * S, S, S / 2, 100, 10, 20, 3000};
    const struct cost_point b = {14 * S, S + S / 10, S / 2 + S / 50, 108, 14, 30, 7000};
    struct cost_rate r = cost_rate(&a, &b);
    assert_true(r.seconds == 4);
    assert_true(fabs(r.cpu - 0.025) < 1e-12 && fabs(r.screen - 0.005) < 1e-12);
    assert_true(r.wakes == 2 && r.samples == 1 && r.frames == 2.5 && r.bytes == 1000);
    r = cost_rate(&a, &a);
    assert_true(isnan(r.seconds) && isnan(r.cpu) && isnan(r.bytes));
}

/* Lately is what the ring holds; since the start is everything. */
static void lately_forgets(void **state) {
    (void)state;
    struct cost c;
    cost_begin(&c);
    c.start.at_ns = 100 * S;
    assert_true(isnan(cost_since_start(&c).cpu) && isnan(cost_lately(&c).cpu));
    for (uint64_t i = 1; i <= 3 * COST_POINTS; i++) { /* twice as much in the newer part */
        uint64_t cpu = i <= 2 * COST_POINTS ? i : 2 * i - 2 * COST_POINTS;
        cost_add(&c, &(struct cost_point){.at_ns = (100 + i) * S, .cpu_ns = cpu * S / 100});
    }
    assert_true(fabs(cost_lately(&c).seconds - (COST_POINTS - 1)) < 1e-9);
    assert_true(fabs(cost_lately(&c).cpu - 0.02) < 1e-9);
    assert_true(fabs(cost_since_start(&c).cpu - 4.0 / 300) < 1e-9);
}

static void at_most_one_point_a_second(void **state) {
    (void)state;
    struct cost c;
    cost_begin(&c);
    cost_note(&c, 1);
    cost_note(&c, 2);
    assert_int_equal(c.n, 1);
    assert_int_equal(c.ring[0].samples, 1);
    c.ring[0].at_ns -= S; /* a second ago */
    c.frames = 7;
    cost_note(&c, 3);
    assert_int_equal(c.n, 2);
    assert_int_equal(c.ring[1].samples, 3);
    assert_int_equal(c.ring[1].frames, 7);
}

static void spin(uint64_t ns) {
    uint64_t until = clock_now_ns() + ns;
    while (clock_now_ns() < until)
        continue;
}

static void the_kernel_is_asked(void **state) {
    (void)state;
    struct cost c;
    cost_begin(&c);
    cost_note(&c, 0);
    struct cost_point before = c.ring[0];
    spin(60 * NS_PER_MS);
    usleep(1000); /* a wake-up */
    c.ring[0].at_ns -= S;
    cost_note(&c, 0);
    struct cost_point after = c.ring[1];
    assert_true(after.cpu_ns > before.cpu_ns + 5 * NS_PER_MS); /* on a busy machine, too */
    assert_true(after.screen_ns > before.screen_ns && after.screen_ns <= after.cpu_ns + NS_PER_MS);
    assert_true(after.wakes > before.wakes);
}

static void descriptors_and_memory(void **state) {
    (void)state;
    enum { SIZE = 32 << 20 };
    struct cost c;
    cost_begin(&c);
    assert_true(c.descriptors < 0 && c.resident_bytes < 0);
    cost_look(&c);
    int64_t fds = c.descriptors, bytes = c.resident_bytes;
    assert_true(fds >= 3 && c.descriptors_max >= fds && bytes > 0);
    int fd[3];
    for (int i = 0; i < 3; i++)
        fd[i] = open("/dev/null", O_RDONLY);
    char *block =
        mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    assert_true(block != MAP_FAILED);
    cost_look(&c); /* too soon: what was read is still shown */
    assert_int_equal(c.descriptors, fds);
    c.looked_ns = 0;
    cost_look(&c);
    assert_int_equal(c.descriptors, fds + 3);
    assert_true(c.resident_bytes >= bytes + SIZE / 2);
    munmap(block, SIZE);
    for (int i = 0; i < 3; i++)
        close(fd[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates),
        cmocka_unit_test(lately_forgets),
        cmocka_unit_test(at_most_one_point_a_second),
        cmocka_unit_test(the_kernel_is_asked),
        cmocka_unit_test(descriptors_and_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
