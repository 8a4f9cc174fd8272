/* The shape that is found on a made PMU with room for so many counters at once (perf_open_fd is
 * replaced by the linker: Makefile). */
#include "pmu/perf/perf_shape.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { GROUPS = 12, EACH = 4, EVENTS = GROUPS * EACH, UNKNOWN = 9 };

static struct {
    int room;    /* for the counters of a group */
    int members; /* of the one that is being opened */
    int limit;   /* descriptors that there will be; then none */
} pmu;

int __wrap_perf_open_fd(const struct perf_event_attr *attr, pid_t tid, int cpu, int group_fd);

int __wrap_perf_open_fd(const struct perf_event_attr *attr, pid_t tid, int cpu, int group_fd) {
    (void)tid, (void)cpu;
    if (pmu.limit-- <= 0)
        return -EMFILE;
    if (attr->config == UNKNOWN)
        return -ENOENT;
    if (group_fd < 0)
        pmu.members = 0;
    if (pmu.members == pmu.room)
        return -EINVAL;
    pmu.members++;
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* Groups of four events, of which the first is a divisor; each event is wanted once. */
struct fixture {
    uint16_t event[EVENTS];
    struct plan_group group[GROUPS];
    struct plan plan;
    struct perf_shape shape;
    uint16_t tried;
};

static struct fixture *begin(int room) {
    struct fixture *f = calloc(1, sizeof(*f));
    struct perf_shape *sh = &f->shape;
    assert_non_null(f);
    sh->wish = calloc(EVENTS, sizeof(*sh->wish));
    sh->missing = calloc(EVENTS, sizeof(*sh->missing));
    assert_non_null(sh->wish);
    assert_non_null(sh->missing);
    sh->n_wish = EVENTS;
    for (uint16_t i = 0; i < EVENTS; i++) {
        f->event[i] = i;
        sh->wish[i] = (struct perf_counter){.event = i, .shared = i % EACH == 0, .attr.config = i};
    }
    for (uint32_t g = 0; g < GROUPS; g++)
        f->group[g] = (struct plan_group){.first = g * EACH, .n = EACH, .n_shared = 1};
    f->plan =
        (struct plan){.event = f->event, .n_event = EVENTS, .group = f->group, .n_group = GROUPS};
    pmu.room = room;
    pmu.limit = INT32_MAX;
    return f;
}

static int find(struct fixture *f) {
    const struct perf_mode mode = {.cgroup_fd = -1};
    return perf_shape_find(&f->shape, &mode, &f->plan, -1, 0, &f->tried);
}

static void end(struct fixture *f) {
    perf_shape_free(&f->shape);
    free(f);
}

/* The words of a unit: two times and the counts of each group, one behind the other. */
static void check_words(const struct perf_shape *sh) {
    uint32_t at = 0, first = 0;
    for (uint32_t g = 0; g < sh->n_group; g++) {
        assert_int_equal(sh->group[g].at, at);
        assert_int_equal(sh->group[g].first, first);
        at += 2 + sh->group[g].n;
        first += sh->group[g].n;
    }
    assert_int_equal(sh->n_word, at);
    assert_int_equal(sh->n_counter, first);
}

static void groups_as_planned(void **state) {
    (void)state;
    struct fixture *f = begin(EACH);
    assert_int_equal(find(f), 0);
    assert_int_equal(f->shape.n_group, GROUPS);
    check_words(&f->shape);
    for (uint16_t i = 0; i < EVENTS; i++)
        if (i != UNKNOWN)
            assert_true(perf_shape_has(&f->shape, i));
    assert_int_equal(f->shape.missing[UNKNOWN], COUNT_NOT_SUPPORTED);
    assert_int_equal(f->shape.group[UNKNOWN / EACH].n, EACH - 1);
    assert_int_equal(find(f), 0); /* again: nothing of before is left */
    assert_int_equal(f->shape.n_group, GROUPS);
    check_words(&f->shape);
    end(f);
}

/* Room for two: the divisor and one of the three others, three times. */
static void split_groups_repeat_the_divisor(void **state) {
    (void)state;
    struct fixture *f = begin(2);
    assert_int_equal(find(f), 0);
    assert_int_equal(f->shape.n_group, GROUPS * (EACH - 1) - 1);
    check_words(&f->shape);
    for (uint32_t g = 0; g < f->shape.n_group; g++) {
        const struct perf_counter *c = &f->shape.counter[f->shape.group[g].first];
        assert_int_equal(f->shape.group[g].n, 2);
        assert_true(c[0].shared);
        assert_int_equal(c[0].event, f->shape.group[g].plan_group * EACH);
        assert_int_equal(c[1].event / EACH, f->shape.group[g].plan_group);
    }
    end(f);
}

/* Room for one: without the divisors, else there would be no end. */
static void each_by_itself(void **state) {
    (void)state;
    struct fixture *f = begin(1);
    assert_int_equal(find(f), 0);
    check_words(&f->shape);
    for (uint16_t i = 0; i < EVENTS; i++)
        assert_int_equal(perf_shape_has(&f->shape, i), i != UNKNOWN);
    end(f);
}

static void no_descriptors_left(void **state) {
    (void)state;
    struct fixture *f = begin(EACH);
    pmu.limit = 30;
    assert_int_equal(find(f), -EMFILE);
    assert_int_equal(f->tried, 30);
    assert_int_equal(f->shape.n_group, 0);
    assert_int_equal(f->shape.n_counter, 0);
    pmu.limit = INT32_MAX;
    assert_int_equal(find(f), 0);
    check_words(&f->shape);
    end(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_as_planned),
        cmocka_unit_test(split_groups_repeat_the_divisor),
        cmocka_unit_test(each_by_itself),
        cmocka_unit_test(no_descriptors_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
