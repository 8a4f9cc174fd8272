/* What Prometheus is told: sums of intervals, each event once, nothing that is not known; entries
 * of several targets that come and go while others read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/thread.h"
#include "serve/exposition.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>

/* Three counts: cycles in two groups, and another event. */
enum { CYCLES_A, CYCLES_B, OTHER, SLOTS };

static struct session s;
static struct slot slot[SLOTS];
static struct exposition e;
static struct exposed *x;

static const char *const labels[] = {"host=y", "a-b=c", "event=c", "host=x\ny"};
static const struct exposition_who who = {"a \"b\"\\\n\033[2J", labels, 4};

/* A session of that model, measured. */
static void begin_session(const char *model, const char *cycles) {
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
    assert_int_equal(sample_init(&s.sample, SLOTS), 0);
    assert_int_equal(frame_init(&s.frame, s.model.n_metric), 0);
}

static void end_session(void) {
    sample_destroy(&s.sample);
    frame_destroy(&s.frame);
    model_free(&s.model);
}

static void begin(const char *model, const char *cycles) {
    begin_session(model, cycles);
    exposition_init(&e);
    x = NULL;
    assert_int_equal(exposition_enter(&e, &x, &s, &who, false), 0);
}

static void end(void) {
    exposition_destroy(&e);
    end_session();
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
    exposition_add(&e, x, &s);
}

static char *text(bool open) {
    size_t n = 0;
    char *at = exposition_text(&e, open, &n);
    assert_non_null(at);
    assert_int_equal(strlen(at), n);
    return at;
}

static void has(bool open, const char *want, bool is) {
    char *at = text(open);
    if ((strstr(at, want) != NULL) != is)
        fail_msg("%s %s in\n%.4000s", is ? "no" : "there is", want, at);
    free(at);
}

#define OF(name, more) "tdtop_" name "{target=\"a \\\"b\\\"\\\\??[2J\",host=\"x?y\"" more "} "

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
    interval(true);
    has(false, OF("measured_seconds_total", "") "1\n", true); /* the time away is none */
    has(false, "tdtop_share_ratio{", false);
    has(false, OF("target_up", "") "0\n", true);
    end();
}

/* A run, and the next one: sums go on, gauges are there only while it is measured. */
static void run_after_run(void **state) {
    (void)state;
    exposition_init(&e);
    begin_session("neoverse-v2", "CPU_CYCLES");
    x = NULL;
    assert_int_equal(exposition_enter(&e, &x, &s, &who, true), 0); /* waited for */
    has(false, OF("target_up", "") "0\n", true);
    has(false, "tdtop_model_info{", false);
    assert_int_equal(exposition_enter(&e, &x, &s, &who, false), 0);
    has(false, OF("target_up", "") "1\n", true);
    has(false, OF("intervals_total", "") "0\n", true);
    put(CYCLES_A, 1000, 1, 1);
    interval(true);
    const unsigned long long change = exposition_change(&e);
    exposition_rest(&e, x, NAN);
    assert_true(exposition_change(&e) != change);
    has(false, "tdtop_target_up{", false);
    has(false, "tdtop_share_ratio{", false);
    has(false, OF("events_total", ",event=\"CPU_CYCLES\"") "1000\n", true);
    assert_int_equal(exposition_enter(&e, &x, &s, &who, true), 0); /* absent: sums stay */
    has(false, OF("target_up", "") "0\n", true);
    end_session();
    begin_session("neoverse-v2", "CPU_CYCLES");
    assert_int_equal(exposition_enter(&e, &x, &s, &who, false), 0);
    put(CYCLES_A, 500, 1, 1);
    interval(true);
    has(false, OF("events_total", ",event=\"CPU_CYCLES\"") "1500\n", true);
    has(false, OF("intervals_total", "") "2\n", true);
    has(false, "tdtop_share_ratio{", true);
    end_session();
    begin_session("neoverse-n1", "CPU_CYCLES"); /* other series: it begins again */
    assert_int_equal(exposition_enter(&e, &x, &s, &who, false), 0);
    has(false, OF("intervals_total", "") "0\n", true);
    has(false, "tdtop_events_total{", false);
    has(false, "model=\"neoverse-v2\"", false);
    s.source.simulated = true; /* other labels, too */
    snprintf(s.source.cgroup, sizeof(s.source.cgroup), "/a.slice/b.service");
    snprintf(s.core_type, sizeof(s.core_type), "atom");
    interval(true);
    assert_int_equal(exposition_enter(&e, &x, &s, &who, false), 0);
    has(false,
        "tdtop_intervals_total{target=\"a \\\"b\\\"\\\\??[2J\",simulated=\"true\","
        "core_type=\"atom\",cgroup=\"/a.slice/b.service\",host=\"x?y\"} 0\n",
        true);
    exposition_drop(&e, &x);
    assert_null(x);
    has(false, "target=", false);
    assert_null(e.catalogs);
    end();
}

/* One family has the series of all; those of one model share its names. */
static void families_are_whole(void **state) {
    (void)state;
    struct exposed *more = NULL;
    const struct exposition_who other = {.target = "other"};
    begin("neoverse-v2", "CPU_CYCLES");
    put(CYCLES_A, 1000, 1, 1);
    interval(true);
    assert_int_equal(exposition_enter(&e, &more, &s, &other, false), 0);
    exposition_add(&e, more, &s);
    char *at = text(true), *after, family[64] = "";
    for (char *line = strtok_r(at, "\n", &after); line; line = strtok_r(NULL, "\n", &after)) {
        const size_t n = strlen(family);
        if (sscanf(line, "# TYPE %63s", family) != 1 && line[0] != '#' &&
            (strncmp(line, family, n) != 0 || (line[n] != '{' && line[n] != '_')))
            fail_msg("%s below %s", line, family);
    }
    free(at);
    has(false, "tdtop_slots_total{target=\"other\",category=\"retiring\"} 2000\n", true);
    has(false, OF("slots_total", ",category=\"retiring\"") "2000\n", true);
    exposition_drop(&e, &more);
    has(false, "target=\"other\"", false);
    has(false, OF("slots_total", ",category=\"retiring\"") "2000\n", true);
    end();
}

static atomic_int n_reader;

static void *read_on(void *user) {
    for (int i = 0; i < 200; i++)
        free(text(user != NULL));
    atomic_fetch_sub(&n_reader, 1);
    return user;
}

/* What comes, goes and is added to while two read is whole in each text. */
static void others_read(void **state) {
    (void)state;
    pthread_t reader[2];
    begin("neoverse-v2", "CPU_CYCLES");
    put(CYCLES_A, 1000, 1, 1);
    interval(true);
    const struct exposition_who other = {.target = "other"};
    atomic_store(&n_reader, 2);
    for (int i = 0; i < 2; i++)
        assert_int_equal(thread_start(&reader[i], "reader", read_on, i ? &e : NULL), 0);
    for (int i = 0; i < 200 || atomic_load(&n_reader); i++) {
        struct exposed *more = NULL;
        assert_int_equal(exposition_enter(&e, &more, &s, &other, i % 2), 0);
        exposition_add(&e, x, &s);
        exposition_rest(&e, more, 0);
        exposition_drop(&e, &more);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(reader[i], NULL);
    end();
}

static void names_of_labels(void **state) {
    (void)state;
    static const char *const good[] = {"a=", "_a=b", "A9_b==", "targets=1"};
    static const char *const bad[] = {"",      "a",   "=b",   "9=",      "__a=1",
                                      "a-b=1", "ä=1", "of=1", "target=", "cgroup=x"};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        assert_null(exposition_label_fault(good[i]));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_non_null(exposition_label_fault(bad[i]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_are_sums), cmocka_unit_test(time_is_no_slots),
        cmocka_unit_test(run_after_run),     cmocka_unit_test(families_are_whole),
        cmocka_unit_test(others_read),       cmocka_unit_test(names_of_labels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
