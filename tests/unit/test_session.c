/* A whole measuring session over the simulated core, and over a source that fails as told. */
#include "session/session.h"

#include "base/clock.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

/* All phases of the demo once, at one sample per second. */
enum { DEMO_S = 165 };

static void nap(uint64_t ms) {
    struct timespec ts = {.tv_nsec = (long)(ms * NS_PER_MS)};
    nanosleep(&ts, NULL);
}

static void load(struct session *s) {
    struct err err = {0};
    *s = (struct session){0};
    if (model_open(&s->model, "spr", NULL, &err) < 0)
        fail_msg("%s", err.text);
}

static void open_demo(struct session *s, uint64_t seed, uint64_t seconds) {
    struct source_options opt = {
        .seed = seed, .interval_ns = NS_PER_S, .until_ns = seconds * NS_PER_S};
    struct err err = {0};
    consts_init(&opt.consts);
    load(s);
    if (session_open(s, &source_sim, &opt, &err) < 0)
        fail_msg("%s", err.text);
}

static void start(struct session *s) {
    struct err err = {0};
    if (session_start(s, &err) < 0)
        fail_msg("%s", err.text);
}

/* Waits for the next sample; false at the end of the stream. */
static bool next(struct session *s) {
    while (!session_take(s)) {
        if (s->state != STREAM_LIVE)
            return false;
        struct pollfd fd = {.fd = session_fd(s), .events = POLLIN};
        if (poll(&fd, 1, 5000) <= 0)
            fail_msg("no sample in 5 s");
    }
    return true;
}

static void check_node(const struct session *s, uint64_t seed, uint32_t i) {
    const struct metric *m = &s->model.metric[i];
    const struct value *v = &s->frame.at[i];
    if (m->unavailable)
        return;
    if (v->state != VALUE_EXACT && v->state != VALUE_SCALED) {
        char why[160];
        fail_msg("seed %d, %s, %s: %s %g %s", (int)seed, s->phase, m->name,
                 value_state_name(v->state), v->v, why_text(&s->model, v->why, why, sizeof(why)));
    }
    if (m->share && !(v->v >= -0.05 && v->v <= 1.05))
        fail_msg("seed %d, %s, %s: %g", (int)seed, s->phase, m->name, v->v);
}

/* Slots are divided without a rest at the top: the children of level 1 make up their parent. */
static void check_sums(const struct session *s) {
    const struct value *at = s->frame.at;
    assert_true(fabs(s->frame.root_sum - 1) < 1e-9);
    for (uint32_t i = 0; i < s->model.n_tree; i++) {
        const struct metric *m = &s->model.metric[i];
        if (m->level != 1)
            continue;
        double sum = 0;
        for (int k = m->first_child; k != METRIC_NONE; k = s->model.metric[k].next_sibling)
            sum += at[k].v;
        if (!(fabs(sum - at[i].v) < 1e-9))
            fail_msg("%s, %s: %g, its children %g", s->phase, m->name, at[i].v, sum);
    }
}

static void the_demo_is_whole_at_every_level(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct session s;
        char phases[512] = "", last[48] = "";
        open_demo(&s, seed, DEMO_S);
        assert_int_equal(s.model.n_tree, 114);
        start(&s);
        while (next(&s)) {
            for (uint32_t i = 0; i < s.model.n_tree; i++)
                check_node(&s, seed, i);
            check_sums(&s);
            if (strcmp(last, s.phase))
                strcat(strcat(phases, s.phase), "; ");
            memcpy(last, s.phase, sizeof(last));
        }
        assert_int_equal(s.state, STREAM_ENDED);
        assert_int_equal(s.n_frames, DEMO_S);
        assert_int_equal(s.merged, 0);
        assert_string_equal(phases, "warm-up; Redis GET under load; working set outgrows L3; "
                                    "branchy parser; allocator storm / TLB; tuned build; "
                                    "Redis GET under load; ");
        session_close(&s);
    }
}

/* Beside the tree everything is known too, but what is outside the core, and what tdtop
 * counts nowhere. */
static void the_demo_measures_the_info_metrics(void **state) {
    (void)state;
    struct session s;
    open_demo(&s, 1, 3);
    start(&s);
    while (next(&s))
        continue;
    for (uint32_t i = 0; i < s.model.n_metric; i++) {
        const struct value *v = &s.frame.at[i];
        bool uncounted = v->why.kind == WHY_UNAVAILABLE ||
                         (v->why.kind == WHY_EVENT &&
                          (v->why.code == COUNT_NOT_SIMULATED || v->why.code == COUNT_PERCORE));
        char why[160];
        if (isnan(v->v) && !uncounted)
            fail_msg("%s: %s", s.model.metric[i].name,
                     why_text(&s.model, v->why, why, sizeof(why)));
    }
    session_close(&s);
}

/* Each phase is bound by what its name says. */
static void the_phases_are_what_they_are_called(void **state) {
    (void)state;
    static const struct {
        const char *phase;
        uint64_t at_s;
        const char *node;
        double least;
    } cases[] = {
        {"Redis GET under load", 40, "Frontend_Bound", 0.22},
        {"working set outgrows L3", 70, "L3_Miss_Bound", 0.30},
        {"branchy parser", 95, "Branch_Mispredicts", 0.18},
        {"allocator storm / TLB", 120, "DTLB_Load", 0.15},
        {"tuned build", 150, "Retiring", 0.48},
    };
    struct session s;
    size_t c = 0;
    open_demo(&s, 3, DEMO_S);
    start(&s);
    while (next(&s)) {
        if (c >= sizeof(cases) / sizeof(cases[0]) || s.sample.t0_ns != cases[c].at_s * NS_PER_S)
            continue;
        assert_string_equal(s.phase, cases[c].phase);
        double v = s.frame.at[model_find(&s.model, cases[c].node)].v;
        if (!(v >= cases[c].least))
            fail_msg("%s: %s is only %g", s.phase, cases[c].node, v);
        c++;
    }
    assert_int_equal(c, sizeof(cases) / sizeof(cases[0]));
    session_close(&s);
}

static void a_seed_repeats_exactly(void **state) {
    (void)state;
    static const struct {
        const char *what;
        uint64_t seed;
        bool same;
    } cases[] = {{"the same seed", 7, true}, {"another seed", 8, false}};
    for (size_t c = 0; c < 2; c++) {
        struct session a, b;
        open_demo(&a, 7, 30);
        open_demo(&b, cases[c].seed, 30);
        start(&a);
        start(&b);
        bool same = true;
        while (next(&a)) {
            assert_true(next(&b));
            for (uint32_t i = 0; i < a.sample.n_slot; i++)
                same = same && a.sample.at[i].value == b.sample.at[i].value &&
                       a.sample.at[i].running_ns == b.sample.at[i].running_ns;
        }
        if (same != cases[c].same)
            fail_msg("%s: %s", cases[c].what, same ? "same counts" : "other counts");
        session_close(&a);
        session_close(&b);
    }
}

static void the_end_comes_after_the_last_sample(void **state) {
    (void)state;
    struct session s;
    open_demo(&s, 1, 3);
    start(&s);
    nap(30); /* by now the sampler has long finished */
    for (uint64_t i = 0; i < 3; i++) {
        assert_int_equal(s.state, STREAM_LIVE);
        assert_true(session_take(&s));
        assert_int_equal(s.sample.seq, i);
        assert_int_equal(s.frame.t1_ns, (i + 1) * NS_PER_S);
    }
    assert_false(session_take(&s));
    assert_int_equal(s.state, STREAM_ENDED);
    assert_int_equal(s.ended_ns, 3 * NS_PER_S);
    assert_int_equal(s.exit_code, -1);
    assert_int_equal(tiers_newest_ns(&s.timeline.tiers), 3 * NS_PER_S);
    session_close(&s);
}

static void windows_start_anew(void **state) {
    (void)state;
    struct session s;
    open_demo(&s, 1, 5);
    start(&s);
    for (int i = 0; i < 4; i++)
        assert_true(next(&s));
    assert_int_equal(s.window.n, 4);
    session_reset(&s);
    assert_int_equal(s.window.n, 0);
    assert_true(next(&s));
    assert_int_equal(s.window.n, 1);
    session_close(&s);
}

static void an_interval_asked_for_is_taken(void **state) {
    (void)state;
    struct session s;
    open_demo(&s, 1, 0); /* without end: the box stays full until it is read */
    start(&s);
    assert_true(next(&s));
    session_request(&s, 1, false);
    assert_int_equal(s.control.interval_ns, SAMPLER_MIN_INTERVAL_NS);
    int waited = 0;
    while (next(&s) && s.sample.t1_ns - s.sample.t0_ns != SAMPLER_MIN_INTERVAL_NS)
        assert_true(waited++ < 2 * MAILBOX_CAP);
    session_close(&s);
}

/* The newest sample that was counted with the groups asked for last. */
static void settle(struct session *s) {
    for (int i = 0; i < 2 * MAILBOX_CAP + 2; i++)
        assert_true(next(s));
}

static int state_of(const struct session *s, const char *metric) {
    return s->frame.at[model_find(&s->model, metric)].state;
}

static void only_levels_1_and_2_until_more_is_wanted(void **state) {
    (void)state;
    struct session s;
    struct source_options opt = {.seed = 1, .interval_ns = NS_PER_S, .focus = true};
    struct err err = {0};
    bool wanted[512] = {false};
    consts_init(&opt.consts);
    load(&s);
    assert_int_equal(session_open(&s, &source_sim, &opt, &err), 0);
    assert_true(session_can_focus(&s));
    start(&s);
    assert_true(next(&s));
    assert_int_equal(state_of(&s, "Memory_Bound"), VALUE_EXACT);
    assert_true(state_of(&s, "IPC") != VALUE_NA);
    assert_int_equal(state_of(&s, "L3_Bound"), VALUE_NA);
    int l3 = model_find(&s.model, "L3_Bound");
    assert_int_equal(s.frame.at[l3].why.code, COUNT_NOT_FOCUSED);

    assert_false(session_focus(&s, wanted)); /* that is what is counted */
    wanted[l3] = true;
    assert_true(session_focus(&s, wanted));
    assert_false(session_focus(&s, wanted));
    settle(&s);
    assert_true(state_of(&s, "L3_Bound") != VALUE_NA);
    assert_int_equal(state_of(&s, "ICache_Misses"), VALUE_NA);
    float few = s.frame.at[l3].duty;
    assert_true(session_focus(&s, NULL));
    settle(&s);
    assert_int_equal(state_of(&s, "ICache_Misses"), VALUE_SCALED);
    assert_true(few > 4 * s.frame.at[l3].duty);
    session_close(&s);
}

/* Rows have nobody who opens branches: the focus goes down the path by itself. */
static void the_focus_follows_the_path(void **state) {
    (void)state;
    struct session s;
    struct source_options opt = {.seed = 1, .interval_ns = NS_PER_S, .focus = true};
    struct err err = {0};
    consts_init(&opt.consts);
    load(&s);
    s.follows = true;
    assert_int_equal(session_open(&s, &source_sim, &opt, &err), 0);
    start(&s);
    for (int i = 0; i < 78; i++) /* "working set outgrows L3" */
        assert_true(next(&s));
    const struct bottleneck *b = &s.frame.bottleneck;
    assert_true(b->n >= 4);
    assert_string_equal(s.model.metric[b->at[2]].name, "DRAM_Bound");
    assert_int_equal(state_of(&s, "MEM_Latency"), VALUE_SCALED);
    assert_int_equal(state_of(&s, "ICache_Misses"), VALUE_NA);
    session_close(&s);
}

/* A source that is live and counts nothing but its reads, or fails. */
static struct {
    int open_rc, start_rc, read_rc;
    int n, away_at, n_away; /* reads; of these the target was not there in */
    uint64_t start_ns;
} fake;

static int fake_open(struct source *src, struct err *err) {
    src->live = true;
    strcpy(src->target_text, "first 42 · 1 thread");
    if (fake.open_rc < 0)
        return err_set(err, fake.open_rc, "fake: cannot be opened");
    int rc = layout_init(&src->layout, src->model->n_event, COUNT_ABSENT, 1);
    if (rc == 0)
        layout_add(&src->layout, 0, 0);
    return rc;
}

static int fake_start(struct source *src, struct err *err) {
    (void)src;
    fake.start_ns = clock_now_ns();
    return fake.start_rc < 0 ? err_set(err, fake.start_rc, "fake: cannot be started") : 0;
}

static int fake_read(struct source *src, struct sample *out, struct err *err) {
    __atomic_add_fetch(&fake.n, 1, __ATOMIC_RELAXED);
    out->away = fake.n >= fake.away_at && fake.n < fake.away_at + fake.n_away;
    out->ended = fake.n == fake.away_at - 1;
    if (out->away && fake.n == fake.away_at + fake.n_away - 1)
        strcpy(src->name, "next 43 · 2 threads");
    out->t0_ns = out->t1_ns; /* the sampler's buffer has the one before */
    out->t1_ns = clock_now_ns() - fake.start_ns;
    out->at[0] = (struct count){.value = 1, .state = COUNT_OK};
    return fake.read_rc < 0 ? err_set(err, fake.read_rc, "fake: cannot be read") : 0;
}

static void fake_close(struct source *src) {
    (void)src;
}

static const struct source_ops source_fake = {
    .name = "fake", .open = fake_open, .start = fake_start, .read = fake_read, .close = fake_close};

static int open_fake_as(struct session *s, struct source_options opt, struct err *err) {
    consts_init(&opt.consts);
    return session_open(s, &source_fake, &opt, err);
}

static int open_fake(struct session *s, struct err *err) {
    return open_fake_as(s, (struct source_options){.interval_ns = 1}, err);
}

static void after_a_failed_open_another_source_may_be_tried(void **state) {
    (void)state;
    struct session s;
    struct err err = {0};
    load(&s);
    memset(&fake, 0, sizeof(fake));
    fake.open_rc = -EACCES;
    assert_int_equal(open_fake(&s, &err), -EACCES);
    assert_string_equal(err.text, "fake: cannot be opened");
    assert_int_equal(session_fd(&s), -1);
    assert_false(session_take(&s));
    fake.open_rc = 0;
    assert_int_equal(open_fake(&s, &err), 0);
    fake.start_rc = -ENOENT;
    assert_int_equal(session_start(&s, &err), -ENOENT);
    session_close(&s);
}

static void a_source_that_fails_says_why(void **state) {
    (void)state;
    struct session s;
    load(&s);
    memset(&fake, 0, sizeof(fake));
    fake.read_rc = -EIO;
    assert_int_equal(open_fake(&s, NULL), 0);
    start(&s);
    assert_false(next(&s));
    assert_int_equal(s.state, STREAM_FAILED);
    assert_string_equal(s.last.text, "fake: cannot be read");
    assert_true(s.ended_ns > 0);
    session_close(&s);
}

static void what_a_slow_reader_finds_is_all_there_was(void **state) {
    (void)state;
    struct session s;
    load(&s);
    memset(&fake, 0, sizeof(fake));
    assert_int_equal(open_fake(&s, NULL), 0);
    start(&s);
    uint64_t ticks = MAILBOX_CAP + 4;
    for (int i = 0; i < 1000 && __atomic_load_n(&fake.n, __ATOMIC_RELAXED) < (int)ticks; i++)
        nap(SAMPLER_MIN_INTERVAL_NS / NS_PER_MS); /* a late sampler skips some */
    session_halt(&s);
    assert_int_equal(s.n_frames, 0);
    while (session_take(&s))
        continue;
    assert_int_equal(s.n_frames, MAILBOX_CAP);
    assert_true(s.merged > 0);
    assert_int_equal(s.sample.seq + 1, s.n_frames + s.merged);
    assert_int_equal(s.window.sum.t0_ns, 0);
    assert_int_equal(s.window.covered_ns, s.sample.t1_ns); /* without a hole */
    session_close(&s);
}

/* It is shown, but sums, history and record know whole intervals only. */
static void an_early_sample_is_the_begin_of_the_first_interval(void **state) {
    (void)state;
    const uint64_t interval = 5 * SAMPLER_EARLY_NS;
    struct session s;
    load(&s);
    memset(&fake, 0, sizeof(fake));
    assert_int_equal(
        open_fake_as(&s, (struct source_options){.interval_ns = interval, .early = true}, NULL), 0);
    start(&s);
    assert_true(next(&s));
    assert_true(s.sample.early);
    assert_true(s.frame.t1_ns >= SAMPLER_EARLY_NS && s.frame.t1_ns < interval);
    assert_int_equal(s.window.n, 0);
    assert_int_equal(tiers_newest_ns(&s.timeline.tiers), 0);
    assert_int_equal(series_rows(&s.timeline.series), 0);
    session_reset(&s); /* nothing of the interval is lost by it */
    assert_int_equal(s.timeline.reset_ns, 0);
    for (uint64_t i = 1; i <= 2; i++) {
        assert_true(next(&s));
        assert_false(s.sample.early);
        assert_int_equal(s.sample.merged, 0);
        assert_true(s.sample.at[0].value == (i == 1 ? 2 : 1)); /* reads */
        assert_true(s.frame.t1_ns >= i * interval);
        assert_int_equal(s.window.n, i);
        assert_int_equal(s.window.covered_ns, s.frame.t1_ns);
        assert_int_equal(series_rows(&s.timeline.series), i);
    }
    session_close(&s);
}

/* It is shown, and is a gap in all that is kept; marks say what happened. */
static void a_restart_leaves_a_gap_and_two_marks(void **state) {
    (void)state;
    struct session s;
    load(&s);
    memset(&fake, 0, sizeof(fake));
    fake.away_at = 3;
    fake.n_away = 2;
    assert_int_equal(open_fake(&s, NULL), 0);
    start(&s);
    uint64_t left_ns = 0, back_ns = 0;
    for (int i = 1; i <= 6; i++) {
        assert_true(next(&s));
        if (s.sample.merged) /* a machine too slow to tell them apart */
            skip();
        assert_int_equal(s.away, i == 3 || i == 4);
        assert_int_equal(s.sample.ended, i == 2);
        assert_int_equal(s.end_t1_ns > 0, i >= 2);
        left_ns = i == 3 ? s.sample.t0_ns : left_ns;
        back_ns = i == 5 ? s.sample.t0_ns : back_ns;
        assert_int_equal(s.window.n, i < 3 ? i : i < 5 ? 2 : i - 2);
        assert_int_equal(series_rows(&s.timeline.series), s.window.n);
    }
    assert_int_equal(s.state, STREAM_LIVE);
    assert_int_equal(s.timeline.n_mark, 2);
    assert_string_equal(s.timeline.mark[0].name, "first 42 ended");
    assert_int_equal(s.timeline.mark[0].t_ns, left_ns);
    assert_string_equal(s.timeline.mark[1].name, "next 43 began");
    assert_int_equal(s.timeline.mark[1].t_ns, back_ns);
    assert_true(s.window.covered_ns < s.sample.t1_ns);
    assert_int_equal(s.end_t1_ns, left_ns);
    session_close(&s);
}

static void no_sample_is_early(void **state) {
    (void)state;
    static const struct {
        const char *what;
        struct source_options opt;
        int read_rc;
    } cases[] = {
        {"not asked for", {.interval_ns = 2 * SAMPLER_EARLY_NS}, 0},
        {"short intervals", {.interval_ns = SAMPLER_EARLY_NS, .early = true}, 0},
        {"it was the last", {.interval_ns = 2 * SAMPLER_EARLY_NS, .early = true}, -ESRCH},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct session s;
        load(&s);
        memset(&fake, 0, sizeof(fake));
        fake.read_rc = cases[i].read_rc;
        assert_int_equal(open_fake_as(&s, cases[i].opt, NULL), 0);
        start(&s);
        assert_true(next(&s));
        if (s.sample.early || s.window.n != 1)
            fail_msg("%s: early %d, %d in the sums", cases[i].what, s.sample.early,
                     (int)s.window.n);
        session_close(&s);
    }
}

static void any_half_of_a_session_can_be_closed(void **state) {
    (void)state;
    static const char *const halves[] = {"nothing", "a model", "opened", "started", "half read"};
    for (int half = 0; half < 5; half++) {
        struct session s = {0};
        if (half == 1)
            load(&s);
        if (half >= 2)
            open_demo(&s, 1, 0);
        if (half >= 3)
            start(&s);
        if (half >= 4)
            assert_true(next(&s));
        uint64_t t = clock_now_ns();
        session_close(&s);
        t = clock_now_ns() - t;
        if (t > NS_PER_S / 2) /* it waits for no interval */
            fail_msg("%s: closing took %llu ms", halves[half], (unsigned long long)t / NS_PER_MS);
        session_close(&s); /* again is harmless */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_demo_is_whole_at_every_level),
        cmocka_unit_test(the_demo_measures_the_info_metrics),
        cmocka_unit_test(the_phases_are_what_they_are_called),
        cmocka_unit_test(a_seed_repeats_exactly),
        cmocka_unit_test(the_end_comes_after_the_last_sample),
        cmocka_unit_test(windows_start_anew),
        cmocka_unit_test(an_interval_asked_for_is_taken),
        cmocka_unit_test(only_levels_1_and_2_until_more_is_wanted),
        cmocka_unit_test(the_focus_follows_the_path),
        cmocka_unit_test(after_a_failed_open_another_source_may_be_tried),
        cmocka_unit_test(a_source_that_fails_says_why),
        cmocka_unit_test(what_a_slow_reader_finds_is_all_there_was),
        cmocka_unit_test(an_early_sample_is_the_begin_of_the_first_interval),
        cmocka_unit_test(a_restart_leaves_a_gap_and_two_marks),
        cmocka_unit_test(no_sample_is_early),
        cmocka_unit_test(any_half_of_a_session_can_be_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
