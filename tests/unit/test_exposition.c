/* What Prometheus is told: sums of intervals, each event once, nothing that is not known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "serve/exposition.h"

#include <math.h>

/* Three counts: cycles in two groups, and another event. */
enum { CYCLES_A, CYCLES_B, OTHER, SLOTS };

static struct session s;
static struct slot slot[SLOTS];
static struct exposition e;

static void begin(const char *model, const char *cycles) {
    struct err err = {0};
    s = (struct session){.state = STREAM_LIVE, .n_frames = 1};
    assert_int_equal(model_open(&s.model, model, NULL, &err), 0);
    const int event = model_find_event(&s.model, cycles);
    assert_true(event >= 0);
    slot[CYCLES_A] = (struct slot){(uint16_t)event, 0};
    slot[CYCLES_B] = (struct slot){(uint16_t)event, 1};
    slot[OTHER] = (struct slot){event ? 0 : 1, 1};
    s.source.layout =
        (struct layout){.slot = slot, .n_slot = SLOTS, .n_group = 2, .n_event = s.model.n_event};
    snprintf(s.names.process, sizeof(s.names.process), "a \"b\"\\\n\033[2J");
    assert_int_equal(sample_init(&s.sample, SLOTS), 0);
    assert_int_equal(frame_init(&s.frame, s.model.n_metric), 0);
    struct session *one = &s;
    const struct exposition_label label = {"host", "x\ny"};
    assert_int_equal(exposition_init(&e, &one, 1, &label, 1), 0);
}

static void end(void) {
    exposition_free(&e);
    sample_destroy(&s.sample);
    frame_destroy(&s.frame);
    model_free(&s.model);
}

static void put(int at, double value, uint64_t enabled_s, uint64_t running_s) {
    s.sample.at[at] = (struct count){.value = value,
                                     .enabled_ns = enabled_s * 1000000000,
                                     .running_ns = running_s * 1000000000,
                                     .state = isnan(value) ? COUNT_LOST : COUNT_OK};
}

/* An interval of 1 s whose level 1 is 0.25 each, or not known. */
static void interval(bool known) {
    s.frame.t0_ns = s.frame.t1_ns;
    s.frame.t1_ns += 1000000000;
    s.frame.root_sum = known ? 1 : (double)NAN;
    for (uint32_t i = 0; i < s.model.n_metric; i++)
        s.frame.at[i].v = known && s.model.metric[i].level == 1 ? 0.25 : (double)NAN;
    exposition_add(&e, 0);
}

static char *text(bool open) {
    char *at = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&at, &n);
    exposition_write(&e, open, out);
    assert_int_equal(fclose(out), 0);
    return at;
}

static void has(bool open, const char *want, bool is) {
    char *at = text(open);
    if ((strstr(at, want) != NULL) != is)
        fail_msg("%s %s in\n%.4000s", is ? "no" : "there is", want, at);
    free(at);
}

#define OF(name, more) "tdtop_" name "{target=\"a \\\"b\\\"\\\\??[2J\",host=\"x\\ny\"" more "} "

static void counters_are_sums(void **state) {
    (void)state;
    begin("neoverse-v2", "CPU_CYCLES");
    put(CYCLES_A, 1000, 2, 1);
    put(CYCLES_B, 1010, 2, 2); /* on a counter for longer: this is it */
    put(OTHER, 7, 1, 1);
    interval(true);
    put(CYCLES_A, 500, 2, 2);
    put(CYCLES_B, NAN, 2, 0);
    put(OTHER, NAN, 3, 0);
    interval(true);
    has(false, OF("events_total", ",event=\"CPU_CYCLES\"") "1510\n", true);
    has(false, OF("event_enabled_seconds_total", ",event=\"CPU_CYCLES\"") "4\n", true);
    has(false, OF("event_running_seconds_total", ",event=\"CPU_CYCLES\"") "4\n", true);
    has(false, OF("measured_seconds_total", "") "2\n", true);
    /* 8 slots a cycle */
    has(false, OF("slots_total", ",category=\"retiring\"") "3020\n", true);
    interval(false); /* level 1 is not known: nothing of it, rather than a part */
    has(false, OF("slots_total", ",category=\"retiring\"") "3020\n", true);
    has(false, "tdtop_share_ratio{", false);
    has(true, "# TYPE tdtop_slots counter\n", true);
    has(true, "# UNIT tdtop_measured_seconds seconds\n", true);
    has(false, "# TYPE tdtop_slots_total counter\n", true);
    has(false, "# EOF", false);
    end();
}

static void time_is_no_slots(void **state) {
    (void)state;
    struct err err = {0};
    s = (struct session){0};
    assert_int_equal(model_open(&s.model, "software", NULL, &err), 0);
    const char *first = s.model.event[0].name;
    char name[96];
    snprintf(name, sizeof(name), "%s", first);
    model_free(&s.model);
    begin("software", name);
    put(CYCLES_A, 1000, 2, 2);
    interval(true);
    has(false, "tdtop_slots_total{", false);
    has(false, "tdtop_share_ratio{", true);
    s.sample.away = true;
    has(false, OF("target_up", "") "0\n", true);
    end();
}

static void names_of_labels(void **state) {
    (void)state;
    static const char *const good[] = {"a", "_a", "A9_b"}, *const bad[] = {"", "9", "__a", "a-b",
                                                                           "ä"};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        assert_true(exposition_label_is_good(good[i]));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(exposition_label_is_good(bad[i]));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(counters_are_sums),
                                       cmocka_unit_test(time_is_no_slots),
                                       cmocka_unit_test(names_of_labels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
