/* For programs that try a store with real processes and file systems: they exit 0 if all was as it
 * must be, 1 if not, 77 where it cannot be tried. */
#ifndef TDTOP_TESTS_STORE_KIT_H
#define TDTOP_TESTS_STORE_KIT_H

#include "../unit/store_fixture.h"

#include <stdarg.h>

static int failed;

/* Prints what was wanted and what came instead. */
static inline bool want(bool holds, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static inline bool want(bool holds, const char *fmt, ...) {
    if (holds)
        return true;
    va_list ap;
    va_start(ap, fmt);
    fputs("FAILED: ", stdout);
    vprintf(fmt, ap);
    puts("");
    va_end(ap);
    failed = 1;
    return false;
}

static inline void print_problem(void *user, const char *text) {
    (void)user;
    printf("  %s\n", text);
}

static inline bool is_sound(struct store *st) {
    struct err err = {0};
    const int n = store_check(st, print_problem, NULL, &err);
    return want(n == 0, "check: %d: %s", n, err.text);
}

/* Every run in the store is the one that its label `seed` makes. Returns how many there are. */
static inline uint64_t all_whole(struct store *st, uint32_t rows, uint32_t slots) {
    struct err err = {0};
    struct run_list l;
    if (!want(store_list(st, &(struct run_query){0}, &l, &err) == 0, "%s", err.text))
        return 0;
    for (size_t i = 0; i < l.n && !failed; i++) {
        struct run r, like;
        if (!want(store_load(st, l.row[i].id, RUN_ALL, &r, &err) == 0, "%s", err.text))
            break;
        fix_run(&like, strtoull(run_label_get(&r, "seed"), NULL, 10), rows, slots);
        strcpy(like.id, r.id);
        const char *what = fix_differ(&like, &r);
        want(!what, "run %s: %s differs", r.id, what);
        run_free(&like);
        run_free(&r);
    }
    const uint64_t n = l.total;
    run_list_free(&l);
    return n;
}

static inline void path_in(char *out, size_t cap, const char *folder, const char *name) {
    snprintf(out, cap, "%s/%s", folder, name);
}

#endif
