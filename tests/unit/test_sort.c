/* Sorting without memory: against qsort, on every kind of order. */
#include "base/sort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "count_malloc.h"

#include <string.h>

enum { MOST = 600 };

struct item {
    char before[3]; /* an odd size */
    unsigned char key;
    char after;
};

static int by_key(const void *a, const void *b) {
    return ((const struct item *)a)->key - ((const struct item *)b)->key;
}

static unsigned key_of(int kind, unsigned i, unsigned n) {
    switch (kind) {
    case 0:
        return i * 255 / n; /* in order */
    case 1:
        return 255 - i * 255 / n;
    case 2:
        return 7; /* all the same */
    default:
        return (i * 2654435761u) >> 13;
    }
}

static void as_qsort_does(void **state) {
    (void)state;
    static struct item a[MOST], b[MOST];
    for (int kind = 0; kind < 4; kind++)
        for (unsigned n = 0; n < MOST; n += n < 20 ? 1 : 97) {
            memset(a, 0, sizeof(a));
            for (unsigned i = 0; i < n; i++) {
                a[i].key = (unsigned char)key_of(kind, i, n);
                a[i].after = (char)a[i].key;
            }
            memcpy(b, a, sizeof(a));
            const unsigned long before = calls_now();
            sort_in_place(a, n, sizeof(*a), by_key);
            assert_true(calls_now() == before);
            qsort(b, n, sizeof(*b), by_key);
            if (memcmp(a, b, sizeof(a)) != 0)
                fail_msg("kind %d, %u elements", kind, n);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_qsort_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
