/*
 * Events outside the cores. Where they are counted comes from a fake /sys; that the counts of
 * several boxes add up is seen with "boxes" that are really the kernel's CPU clock, which every
 * machine has.
 */
#include "pmu/perf/uncore.h"

#include "base/clock.h"
#include "model/eval/sample.h"
#include "pmu/perf/perf_slots.h"

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static char root[64];

static void put(const char *path, const char *text) {
    char full[512], cmd[600];
    snprintf(full, sizeof(full), "%s/sys/bus/event_source/devices/%s", root, path);
    snprintf(cmd, sizeof(cmd), "mkdir -p \"$(dirname '%s')\"", full);
    assert_int_equal(system(cmd), 0);
    FILE *f = fopen(full, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int setup(void **state) {
    (void)state;
    snprintf(root, sizeof(root), "/tmp/tdtop-uncore-XXXXXX");
    if (!mkdtemp(root))
        return -1;
    /* Two sockets: each box has a CPU on either. Number 10 is no sign of an order by spelling. */
    static const char *const cha[] = {"0", "1", "10", "2"};
    for (int i = 0; i < 4; i++) {
        char path[64], type[16];
        snprintf(path, sizeof(path), "uncore_cha_%s/type", cha[i]);
        snprintf(type, sizeof(type), "%d\n", 30 + atoi(cha[i]));
        put(path, type);
        snprintf(path, sizeof(path), "uncore_cha_%s/cpumask", cha[i]);
        put(path, "0,28\n");
    }
    put("uncore_cha_0/format/event", "config:0-7\n");
    put("uncore_cha_0/format/umask", "config:8-15,32-63\n");
    put("uncore_cha_0/format/thresh", "config:24-31\n");
    put("uncore_cha_0/format/filter_opc", "config1:9-28\n");
    put("uncore_imc/type", "50\n"); /* a client's only one, without cpumask */
    put("uncore_imc/cpus", "3\n");
    put("uncore_imc/format/event", "config:0-7\n");
    put("uncore_imc_free_running_0/type", "51\n");
    put("power/type", "9\n"); /* and without both */
    put("power/format/event", "config:0-7\n");
    put("power/events/energy-pkg", "event=0x02\n");
    put("power/events/energy-pkg.scale", "2.3283064365386962890625e-10\n");
    put("uncore_clock_0/type", "1\n"); /* PERF_TYPE_SOFTWARE */
    put("uncore_clock_0/cpumask", "0\n");
    put("uncore_clock_1/type", "1\n");
    put("uncore_clock_1/cpumask", "0\n");
    return 0;
}

static int teardown(void **state) {
    (void)state;
    char cmd[96];
    snprintf(cmd, sizeof(cmd), "rm -rf '%s'", root);
    return system(cmd);
}

/* ---- which boxes, CPUs and codes ---- */

#define UNCORE(...)                                                                                \
    { .pmu = EVENT_UNCORE, __VA_ARGS__ }

static void places(void **state) {
    (void)state;
    static const struct {
        const char *what;
        struct event ev;
        enum count_state why;
        uint64_t config[3];
        struct uncore_place place[8];
        uint32_t n;
    } cases[] = {
        {"every box on every socket, in the order of the numbers",
         UNCORE(.device = "uncore_cha", .terms = "event=0x35,umask=0xc816fe01"),
         COUNT_OK,
         {0xc816fe00000135, 0},
         {{30, 0}, {30, 28}, {31, 0}, {31, 28}, {32, 0}, {32, 28}, {40, 0}, {40, 28}},
         8},
        {"one unit: the first box on one socket",
         UNCORE(.device = "uncore_cha", .terms = "event=1", .one_unit = true),
         COUNT_OK,
         {1},
         {{30, 0}},
         1},
        {"terms of modifiers",
         UNCORE(.device = "uncore_cha",
                .terms = "event=0x36,umask=0x21,thresh=1,filter_opc=0x182,config2=7"),
         COUNT_OK,
         {0x1002136, 0x182 << 9, 7},
         {{30, 0}, {30, 28}, {31, 0}, {31, 28}, {32, 0}, {32, 28}, {40, 0}, {40, 28}},
         8},
        {"a PMU without a number, and with cpus in place of a cpumask",
         UNCORE(.device = "uncore_imc", .terms = "event=4"),
         COUNT_OK,
         {4},
         {{50, 3}},
         1},
        {"by the kernel's name; its scale is not ours",
         UNCORE(.device = "power", .sysfs = "energy-pkg"),
         COUNT_OK,
         {2},
         {{9, 0}},
         1},
        {"no such name",
         UNCORE(.device = "power", .sysfs = "energy-ram"),
         COUNT_NO_EVENT,
         {0},
         {{0}},
         0},
        {"no such PMU",
         UNCORE(.device = "uncore_upi", .terms = "event=2"),
         COUNT_NOT_SUPPORTED,
         {0},
         {{0}},
         0},
        {"a field that the PMU has not",
         UNCORE(.device = "uncore_imc", .terms = "event=4,umask=3"),
         COUNT_NOT_SUPPORTED,
         {0},
         {{0}},
         0},
        {"a value that is too big",
         UNCORE(.device = "uncore_imc", .terms = "event=0x104"),
         COUNT_NOT_SUPPORTED,
         {0},
         {{0}},
         0},
        {"known by name only", UNCORE(.device = "uncore_cha"), COUNT_NO_EVENT, {0}, {{0}}, 0},
        {"not even a device", UNCORE(.name = "x"), COUNT_NO_EVENT, {0}, {{0}}, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct event ev = cases[i].ev;
        struct model m = {.event = &ev, .n_event = 1};
        struct uncore u;
        uint8_t why = 99;
        ev.name = cases[i].what;
        ev.scale = 1.0;
        assert_int_equal(uncore_find(&u, &m, root, &why), 0);
        if (why != cases[i].why || u.n_event != (why == COUNT_OK))
            fail_msg("%s: %s", cases[i].what, count_state_text(why));
        if (why == COUNT_OK) {
            const struct uncore_event *ue = &u.event[0];
            if (ue->n_place != cases[i].n ||
                memcmp(ue->config, cases[i].config, sizeof(ue->config)) != 0 ||
                memcmp(u.device[ue->device].place, cases[i].place,
                       cases[i].n * sizeof(cases[i].place[0])) != 0)
                fail_msg("%s: %u places, 0x%llx:0x%llx", cases[i].what, ue->n_place,
                         (unsigned long long)ue->config[0], (unsigned long long)ue->config[1]);
        }
        uncore_free(&u);
        uncore_free(&u);
    }
}

static void others_are_left_alone(void **state) {
    (void)state;
    struct event ev[] = {
        {.name = "core", .pmu = EVENT_CORE},
        UNCORE(.name = "a", .scale = 1.0, .device = "uncore_cha", .terms = "event=1"),
        UNCORE(.name = "b", .scale = 1.0, .device = "uncore_cha", .terms = "event=2")};
    struct model m = {.event = ev, .n_event = 3};
    uint8_t why[3] = {77, 77, 77};
    struct uncore u;
    assert_int_equal(uncore_find(&u, &m, root, why), 0);
    assert_int_equal(why[0], 77);
    assert_int_equal(u.n_event, 2);
    assert_int_equal(u.n_device, 1); /* looked for once */
    uncore_free(&u);
    assert_int_equal(uncore_find(&u, &m, "/nonexistent", why), 0); /* no sysfs: no PMU */
    assert_int_equal(why[1], COUNT_NOT_SUPPORTED);
    assert_int_equal(u.n_event, 0);
    uncore_free(&u);
}

/* ---- counting ---- */

static struct event clocks[] = {
    UNCORE(.name = "clock", .scale = 1.0, .device = "uncore_clock", .terms = "config=0"),
    UNCORE(.name = "refused", .scale = 1.0, .device = "uncore_clock", .terms = "config=9999"),
    UNCORE(.name = "one", .scale = 1.0, .device = "uncore_clock", .terms = "config=0",
           .one_unit = true),
    UNCORE(.name = "half", .device = "uncore_clock", .terms = "config=0", .scale = 0.5),
    UNCORE(.name = "not planned", .scale = 1.0, .device = "uncore_clock", .terms = "config=0"),
};
enum { CLOCK, REFUSED, ONE, HALF, NOT_PLANNED, N_CLOCKS };

static const struct model clock_model = {.event = clocks, .n_event = N_CLOCKS};
static uint16_t planned[] = {CLOCK, REFUSED, ONE, HALF};
static struct plan_group groups[] = {{.pmu = EVENT_UNCORE, .first = 0, .n = 1},
                                     {.pmu = EVENT_UNCORE, .first = 1, .n = 1},
                                     {.pmu = EVENT_UNCORE, .first = 2, .n = 1},
                                     {.pmu = EVENT_UNCORE, .first = 3, .n = 1}};
static const struct plan clock_plan = {
    .event = planned, .n_event = 4, .group = groups, .n_group = 4};

static int count_open(void) {
    int n = 0;
    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static void open_clocks(struct uncore *u, uint64_t room, uint8_t why[N_CLOCKS]) {
    assert_int_equal(uncore_find(u, &clock_model, root, why), 0);
    assert_int_equal(u->n_event, N_CLOCKS);
    assert_int_equal(uncore_fds(u, &clock_plan), 7);
    uncore_open(u, &clock_model, &clock_plan, room, why);
    if (why[CLOCK] == COUNT_NOT_PERMITTED) {
        uncore_free(u);
        print_message("SKIP: whole CPUs may not be counted here\n");
        skip();
    }
}

static void boxes_add_up(void **state) {
    (void)state;
    struct uncore u;
    uint8_t why[N_CLOCKS];
    int before = count_open();
    open_clocks(&u, 100, why);
    assert_int_equal(count_open(), before + 5);
    assert_int_equal(why[CLOCK], COUNT_OK);
    assert_int_equal(why[REFUSED], COUNT_NOT_SUPPORTED); /* and the others are none the worse */
    assert_int_equal(why[ONE], COUNT_OK);
    assert_false(u.event[NOT_PLANNED].open);
    for (int i = 0; i < 2; i++) {
        uncore_read(&u, 0);
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        uncore_read(&u, 40000000); /* later than the interval has ended, as on a busy machine */
        assert_true(fabs(u.event[ONE].value - 40e6) < 2e6);
        assert_true(fabs(u.event[CLOCK].value - 80e6) < 4e6); /* two boxes */
        assert_true(fabs(u.event[HALF].value - 40e6) < 4e6);  /* times a half */
        assert_int_equal(u.event[CLOCK].sum.reads, 2);
        assert_int_equal(u.event[CLOCK].sum.enabled_ns, u.event[CLOCK].sum.running_ns);
    }
    uncore_close(&u);
    assert_int_equal(count_open(), before);
    uncore_open(&u, &clock_model, &clock_plan, 100, why); /* once more */
    assert_true(u.event[CLOCK].open);
    uncore_free(&u);
    assert_int_equal(count_open(), before);
}

/* What the sample gets of an event. */
static struct count sampled(const struct uncore *u, uint32_t event) {
    struct uncore_slot slot = {.slot = 0, .event = event};
    struct perf_slots ps = {.uncore = &slot, .n_uncore = 1};
    struct count c = {0}, proc[PROC_EVENTS] = {{0}};
    struct sample out = {.n_slot = 1, .at = &c};
    perf_slots_fill(&ps, &(struct perf_units){0}, u, proc, &out);
    return c;
}

/* The sum of the others would pass for the whole. */
static void a_lost_box_is_no_sum(void **state) {
    (void)state;
    struct uncore u;
    uint8_t why[N_CLOCKS];
    open_clocks(&u, 100, why);
    int box = u.counter[u.event[CLOCK].first + 1].fd, kept = dup(box);
    int none = open("/dev/null", O_RDONLY);
    assert_true(kept >= 0 && none >= 0 && dup2(none, box) == box);
    uncore_read(&u, NS_PER_S);
    assert_int_equal(sampled(&u, CLOCK).state, COUNT_LOST);
    assert_true(isnan(sampled(&u, CLOCK).value));
    assert_int_equal(sampled(&u, ONE).state, COUNT_OK); /* other events have all of theirs */
    assert_int_equal(dup2(kept, box), box);
    uncore_read(&u, NS_PER_S); /* since when it counted is not known */
    assert_int_equal(sampled(&u, CLOCK).state, COUNT_LOST);
    uncore_read(&u, NS_PER_S);
    assert_int_equal(sampled(&u, CLOCK).state, COUNT_OK);
    assert_true(sampled(&u, CLOCK).value >= 0);
    close(kept);
    close(none);
    uncore_free(&u);
}

static int to_box;

static void answer(int signal) {
    static const uint64_t counts[3] = {1ull << 50, 1ull << 50, 1ull << 50};
    (void)signal;
    if (write(to_box, counts, sizeof(counts)) != (ssize_t)sizeof(counts))
        abort();
}

/* A signal in the middle of a read is no loss. */
static void an_interrupted_read_goes_on(void **state) {
    (void)state;
    struct uncore u;
    uint8_t why[N_CLOCKS];
    int end[2];
    open_clocks(&u, 100, why);
    assert_int_equal(pipe(end), 0);
    to_box = end[1];
    assert_true(dup2(end[0], u.counter[u.event[ONE].first].fd) >= 0);
    struct sigaction before, act = {.sa_handler = answer};
    sigaction(SIGALRM, &act, &before);
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {.tv_usec = 20000}}, NULL);
    uncore_read(&u, NS_PER_S);
    sigaction(SIGALRM, &before, NULL);
    assert_int_equal(sampled(&u, ONE).state, COUNT_OK);
    close(end[0]);
    close(end[1]);
    uncore_free(&u);
}

/* Read late after a burst, then in time: the burst is where it was, and the sum is what it was. */
static void what_is_read_late_is_not_lost(void **state) {
    (void)state;
    static const uint64_t ms = NS_PER_S / 1000;
    static const struct {
        uint64_t span_ms, count, at_ms; /* of the counter, from its begin */
        double value;
    } reads[] = {{0, 700, 100, 0},
                 {1000, 3700, 1600, 2000},
                 {1000, 3700, 2150, 1000 / 1.05},
                 {1000, 3700, 3100, 1000 - 1000 / 1.05},
                 {1000, 5700, 4100, 2000}};
    struct uncore u;
    uint8_t why[N_CLOCKS];
    int end[2];
    double sum = 0;
    open_clocks(&u, 100, why);
    assert_int_equal(pipe(end), 0);
    assert_true(dup2(end[0], u.counter[u.event[ONE].first].fd) >= 0);
    for (size_t i = 0; i < sizeof(reads) / sizeof(reads[0]); i++) {
        const uint64_t ns = reads[i].at_ms * ms, now[3] = {reads[i].count, ns, ns};
        assert_int_equal(write(end[1], now, sizeof(now)), sizeof(now));
        uncore_read(&u, reads[i].span_ms * ms);
        sum += u.event[ONE].value;
        if (fabs(u.event[ONE].value - reads[i].value) > 1)
            fail_msg("read %zu: %g, not %g", i, u.event[ONE].value, reads[i].value);
    }
    assert_true(fabs(sum - 5000) < 1); /* since the first */
    close(end[0]);
    close(end[1]);
    uncore_free(&u);
}

static void descriptors_are_bounded(void **state) {
    (void)state;
    static const struct {
        uint64_t room;
        enum count_state clock, one, half;
        int open;
    } cases[] = {{0, COUNT_NO_FDS, COUNT_NO_FDS, COUNT_NO_FDS, 0},
                 {1, COUNT_NO_FDS, COUNT_OK, COUNT_NO_FDS, 1},
                 {2, COUNT_OK, COUNT_NO_FDS, COUNT_NO_FDS, 2},
                 {3, COUNT_OK, COUNT_OK, COUNT_NO_FDS, 3}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct uncore u;
        uint8_t why[N_CLOCKS];
        int before = count_open();
        open_clocks(&u, cases[i].room, why);
        assert_int_equal(why[CLOCK], cases[i].clock);
        assert_int_equal(why[ONE], cases[i].one);
        assert_int_equal(why[HALF], cases[i].half);
        assert_int_equal(count_open(), before + cases[i].open);
        uncore_read(&u, NS_PER_S);
        uncore_free(&u);
        assert_int_equal(count_open(), before);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places),
        cmocka_unit_test(others_are_left_alone),
        cmocka_unit_test(boxes_add_up),
        cmocka_unit_test(a_lost_box_is_no_sum),
        cmocka_unit_test(an_interrupted_read_goes_on),
        cmocka_unit_test(what_is_read_late_is_not_lost),
        cmocka_unit_test(descriptors_are_bounded),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
