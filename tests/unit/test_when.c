#include "base/when.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define S        1000000000ll

/* 2026-11-21 14:30:00 UTC; the clocks of Berlin went back on October 25. */
#define NOW 1795271400

static void zone(const char *name) {
    setenv("TZ", name, 1);
    tzset();
}

static void test_spans(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t s; /* -1: refused */
    } cases[] = {
        {"30m", 1800},    {"36h", 129600}, {"90d", 7776000}, {"2w", 1209600},
        {"1.5d", 129600}, {"45s", 45},     {"0s", 0},        {"", -1},
        {"5", -1},        {"5 m", -1},     {"-5m", -1},      {"5mm", -1},
        {"m", -1},        {"nan", -1},     {"1e1d", -1},     {"99999999999999999999d", -1},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct err err = {0};
        uint64_t ns = 0;
        const int rc = when_span(cases[i].text, &ns, &err);
        if ((rc == 0) != (cases[i].s >= 0) || (rc == 0 && ns != (uint64_t)(cases[i].s * S)))
            fail_msg("'%s': rc %d, %llu ns", cases[i].text, rc, (unsigned long long)ns);
        if (rc < 0 && !strstr(err.text, "write 30m"))
            fail_msg("'%s': no remedy in: %s", cases[i].text, err.text);
    }
    struct err err = {0};
    int64_t at;
    assert_int_equal(when_point("99999999999d", 0, &at, &err), -ERANGE); /* the right reason */
    assert_non_null(strstr(err.text, "longer than 200 years"));
    assert_int_equal(when_point("9999-01-01", 0, &at, &err), -EINVAL); /* 64 bits do not reach */
    assert_int_equal(when_point("9999-01-01T00:00:00Z", 0, &at, &err), -EINVAL);
}

static void test_points(void **state) {
    (void)state;
    static const struct {
        const char *zone, *text;
        int64_t s; /* since 1970; -1: refused */
        long ns;
    } cases[] = {
        {"UTC", "now", NOW, 0},
        {"UTC", "30m", NOW - 1800, 0},
        {"UTC", "2d", NOW - 172800, 0},
        {"UTC", "today", NOW - 14 * 3600 - 1800, 0},
        {"UTC", "yesterday", NOW - 38 * 3600 - 1800, 0},
        {"UTC", "12:00", NOW - 9000, 0},
        {"UTC", "2026-11-21", NOW - 14 * 3600 - 1800, 0},
        {"UTC", "2026-11-21 14:30", NOW, 0},
        {"UTC", "2026-11-21T14:30:15.25", NOW + 15, 250000000},
        {"UTC", "2026-11-21T14:30:00Z", NOW, 0},
        {"UTC", "2026-11-21T15:30:00+01:00", NOW, 0},
        {"UTC", "2026-11-21T13:00:00-0130", NOW, 0},
        {"Europe/Berlin", "2026-11-21 15:30", NOW, 0},
        {"Europe/Berlin", "2026-07-01 02:00", 1782864000, 0}, /* summer time */
        {"Europe/Berlin", "2026-11-21T14:30:00Z", NOW, 0},
        {"UTC", "2026-02-30", -1, 0},
        {"UTC", "2026-13-01", -1, 0},
        {"UTC", "2026-11-21 25:00", -1, 0},
        {"UTC", "2026-11-21 14", -1, 0},
        {"UTC", "2026-11-21x", -1, 0},
        {"UTC", "2026-11-21T14:30:00+99:00", -1, 0},
        {"UTC", "2026-11-21T14:30:00.", -1, 0},
        {"UTC", "tomorrow", -1, 0},
        {"UTC", "", -1, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct err err = {0};
        int64_t ns = 0;
        zone(cases[i].zone);
        const int rc = when_point(cases[i].text, NOW * S, &ns, &err);
        if ((rc == 0) != (cases[i].s >= 0) || (rc == 0 && ns != cases[i].s * S + cases[i].ns))
            fail_msg("%s, '%s': rc %d, %lld, wanted %lld", cases[i].zone, cases[i].text, rc,
                     (long long)ns, (long long)(cases[i].s * S + cases[i].ns));
    }
}

/* What was written is read back as the same time, in any zone and in summer. */
static void test_round_trip(void **state) {
    (void)state;
    static const char *const zones[] = {"UTC", "Europe/Berlin", "America/St_Johns", "Asia/Kolkata"};
    for (size_t i = 0; i < COUNT(zones); i++) {
        zone(zones[i]);
        for (int64_t s = NOW; s < NOW + 400ll * 86400; s += 86400 * 7 + 3661) {
            char iso[64], text[64];
            int64_t back = 0, local = 0;
            assert_int_equal(
                when_point(when_iso(s * S + 123000000, iso, sizeof(iso)), 0, &back, NULL), 0);
            assert_int_equal(back, s * S + 123000000);
            assert_int_equal(when_point(when_text(s * S, text, sizeof(text)), 0, &local, NULL), 0);
            assert_int_equal(local, s * S);
        }
    }
}

static void test_durations(void **state) {
    (void)state;
    static const struct {
        double s;
        const char *text;
    } cases[] = {{0, "0 s"},        {0.5, "0.5 s"},     {2.25, "2.2 s"}, {9.99, "10.0 s"},
                 {30, "30 s"},      {59.6, "1:00"},     {65, "1:05"},    {3599.7, "1:00:00"},
                 {7380, "2:03:00"}, {90000, "25:00:00"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        char buf[32];
        assert_string_equal(when_duration((uint64_t)(cases[i].s * (double)S), buf, sizeof(buf)),
                            cases[i].text);
    }
}

static void test_short(void **state) {
    (void)state;
    char buf[32];
    zone("UTC");
    assert_string_equal(when_short(NOW * S, NOW * S, buf, sizeof(buf)), "14:30:00");
    assert_string_equal(when_short((NOW - 86400) * S, NOW * S, buf, sizeof(buf)), "Nov 20 14:30");
    assert_string_equal(when_short((NOW - 16 * 86400) * S, NOW * S, buf, sizeof(buf)),
                        "Nov  5 14:30");
    assert_string_equal(when_short((NOW - 184 * 86400) * S, NOW * S, buf, sizeof(buf)),
                        "May 21 14:30"); /* of this year */
    assert_string_equal(when_short((NOW - 400 * 86400) * S, NOW * S, buf, sizeof(buf)),
                        "Oct 17  2025");
    assert_string_equal(when_short((NOW + 184 * 86400) * S, NOW * S, buf, sizeof(buf)),
                        "May 24  2027");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spans),      cmocka_unit_test(test_points),
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_durations),
        cmocka_unit_test(test_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
