/* A day of measuring takes no more memory than its first hour. */
#include "day.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A sanitizer makes everything slower, and its own memory stands before ours. */
#ifdef SANITIZED
enum { INTERVAL_S = 120 };
#else
enum { INTERVAL_S = 10 };
#endif

static struct day day;

/* Pages of the history and of the packed counts are there when they are first written: its tiers
 * fill up for 3 days, their ring for hours; both were taken at the start and never grow. */
static void compare(const struct day_memory *hour, const struct day_memory *all) {
#ifdef SANITIZED
    (void)hour;
    (void)all;
    printf("SKIP test_day: the sanitizer brings its own malloc, memory is not compared\n");
#else
    assert_true(hour->calls > 0 && hour->in_use > 0 && hour->resident > 0);
    assert_int_equal(all->calls, hour->calls);
    assert_int_equal(all->in_use, hour->in_use);
    assert_int_equal(all->data, hour->data);
    if (all->resident > hour->resident + tiers_bytes(&day.s.timeline.tiers) + TIMELINE_BYTES)
        fail_msg("%zu bytes after an hour, %zu after a day", hour->resident, all->resident);
#endif
}

static void a_day_is_no_bigger_than_an_hour(void **state) {
    (void)state;
    struct err err = {0};
    if (day_open(&day, INTERVAL_S * NS_PER_S, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(day_run(&day));
    assert_int_equal(day.s.state, STREAM_ENDED);
    assert_int_equal(day.s.n_frames, DAY_S / INTERVAL_S);
    assert_int_equal(day.hours, 24);
    assert_true(day.s.timeline.tiers.tier[2].pushed > 10);
    compare(&day.after_hour, &day.after_day);
    day_close(&day);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_day_is_no_bigger_than_an_hour),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
