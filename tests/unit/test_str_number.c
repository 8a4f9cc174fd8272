/* Numbers in rows: what is read is what was written, in no more digits than that needs. */
#include "base/str.h"
#include "random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_texts(void **state) {
    (void)state;
    static const struct {
        double v;
        const char *text;
    } cases[] = {
        {0, "0"},
        {-0.0, "-0"},
        {1, "1"},
        {-12, "-12"},
        {0.1, "0.1"},
        {0.100731464, "0.100731464"},
        {0.1 + 0.2, "0.30000000000000004"},
        {48.25, "48.25"},
        {1.0 / 3, "0.3333333333333333"},
        {2.0 / 3, "0.6666666666666666"},
        {9007199254740993.0, "9007199254740992"},
        {1e15, "1e+15"},
        {123456789012345.6, "123456789012345.6"},
        {5e-324, "5e-324"},
        {1e-7, "1e-07"},
        {0.25e-6, "2.5e-07"},
        {0.0001, "0.0001"},
        {0.00012500000000000003, "0.00012500000000000003"},
        {9.9999999999999991e-05, "9.999999999999999e-05"},
        {-1.5e-15, "-1.5e-15"},
        {1e-15, "1e-15"},
        {9.9e-16, "9.9e-16"},
        {999999999999999.9, "999999999999999.9"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {INFINITY, "inf"},
        {0.99999999999999989, "0.9999999999999999"},
        {0.5, "0.5"},
        {1.0000000000000002, "1.0000000000000002"},
    };
    char text[STR_NUMBER];
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (strcmp(str_number(text, sizeof(text), cases[i].v), cases[i].text) != 0)
            fail_msg("%.17g: %s, not %s", cases[i].v, text, cases[i].text);
    assert_string_equal(str_number(text, 8, 1.5), "");
}

/* Significant digits, whatever the notation. */
static int digits_of(const char *text) {
    char digit[64];
    int n = 0;
    for (; *text && *text != 'e'; text++)
        if (*text >= '0' && *text <= '9' && (n > 0 || *text != '0'))
            digit[n++] = *text;
    while (n > 0 && digit[n - 1] == '0')
        n--;
    return n;
}

static void check(double v) {
    char text[STR_NUMBER], plain[64];
    str_number(text, sizeof(text), v);
    const double again = strtod(text, NULL);
    if (memcmp(&again, &v, sizeof(v)) != 0)
        fail_msg("%.17g: %s reads as %.17g", v, text, again);
    int digits = 15;
    for (; digits < 17; digits++) {
        snprintf(plain, sizeof(plain), "%.*g", digits, v);
        if (strtod(plain, NULL) == v)
            break;
    }
    snprintf(plain, sizeof(plain), "%.*g", digits, v);
    if (digits_of(text) > digits_of(plain))
        fail_msg("%.17g: %s has more digits than %s", v, text, plain);
}

/* Any bits; quotients such as metrics are; decimals; what lies beside powers of two. */
static void test_any(void **state) {
    (void)state;
    for (int i = 0; i < 100000; i++) {
        const uint64_t bits = next_random();
        double v;
        memcpy(&v, &bits, sizeof(v));
        if (isfinite(v))
            check(v);
        const double a = (double)(next_random() % 100000000),
                     b = (double)(next_random() % 1000000 + 1);
        check(a / b);
        check(-b / (a + 1));
        check((double)(next_random() % 1000000000) / 1e6);
        check(pow(10, (int)(next_random() % 36) - 18) *
              (1 + ldexp((int)(next_random() % 5) - 2, -52)));
        check(a / b * pow(10, -(int)(next_random() % 20)));
        check(
            nextafter(ldexp(1, (int)(next_random() % 100) - 50), next_random() & 1 ? 0 : INFINITY));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_texts), cmocka_unit_test(test_any)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
