/*
 * Accounts of values: over every metric of many models, what an account computes by itself is what
 * the evaluation gave; and by hand, what it says.
 */
#include "model/eval/derivation.h"
#include "model_fixture.h"
#include "pmu/source.h"

#define SECOND 1000000000ull

/* All lines of an account, one after another. */
struct page {
    char text[1 << 16];
    struct strbuf sb;
    int lines;
};

static void add_line(void *user, const struct derivation_line *line) {
    struct page *p = user;
    assert_non_null(line->text);
    assert_true(line->text[0] != '\0');
    strbuf_add(&p->sb, "%s%s%s\n", line->label ? line->label : "", line->label ? ": " : "",
               line->text);
    p->lines++;
}

static const char *page_of(struct page *p, const struct derivation *ac) {
    p->sb = strbuf_on(p->text, sizeof(p->text));
    p->lines = 0;
    derivation_lines(ac, add_line, p);
    assert_true(p->sb.n + 1 < sizeof(p->text)); /* not cut */
    return p->text;
}

static void says(const struct page *p, const char *words) {
    if (!strstr(p->text, words))
        fail_msg("no '%s' in:\n%s", words, p->text);
}

static void says_not(const struct page *p, const char *words) {
    if (strstr(p->text, words))
        fail_msg("'%s' in:\n%s", words, p->text);
}

/* --- every metric of real models --- */

struct lab {
    struct model model;
    struct source source;
    struct eval eval;
    struct sample sample;
    struct frame frame, sum;
    struct window window;
    struct derivation derivation;
};

static void open_lab(struct lab *lab, const char *model, bool no_perf_metrics) {
    struct source_options opt = {.seed = 3, .interval_ns = SECOND};
    struct err err = {0};
    memset(lab, 0, sizeof(*lab));
    consts_init(&opt.consts);
    if (model_open(&lab->model, model, NULL, &err) < 0 ||
        source_open(&lab->source, &source_sim, &lab->model, &opt, &err) < 0)
        fail_msg("%s: %s", model, err.text);
    struct layout *l = &lab->source.layout;
    l->no_perf_metrics = no_perf_metrics;
    if (eval_init(&lab->eval, &lab->model, l, &lab->source.consts, &err) < 0)
        fail_msg("%s: %s", model, err.text);
    assert_int_equal(sample_init(&lab->sample, l->n_slot), 0);
    assert_int_equal(frame_init(&lab->frame, lab->model.n_metric), 0);
    assert_int_equal(frame_init(&lab->sum, lab->model.n_metric), 0);
    assert_int_equal(window_init(&lab->window, l->n_slot, lab->model.n_metric), 0);
    assert_int_equal(window_layout(&lab->window, &lab->model, l), 0);
    assert_int_equal(derivation_init(&lab->derivation, &lab->model, l), 0);
}

static void close_lab(struct lab *lab) {
    derivation_destroy(&lab->derivation);
    window_destroy(&lab->window);
    sample_destroy(&lab->sample);
    frame_destroy(&lab->frame);
    frame_destroy(&lab->sum);
    eval_destroy(&lab->eval);
    source_close(&lab->source);
    model_free(&lab->model);
}

/* One interval; every n-th slot has no count. */
static void next_interval(struct lab *lab, uint32_t n) {
    struct err err = {0};
    assert_int_equal(lab->source.ops->read(&lab->source, &lab->sample, &err), 0);
    for (uint32_t i = 0; n && i < lab->sample.n_slot; i += n)
        lab->sample.at[i] =
            (struct count){.value = NAN, .enabled_ns = SECOND, .state = COUNT_NOT_FOCUSED};
    eval_run(&lab->eval, &lab->sample, &lab->frame);
    window_add(&lab->window, &lab->sample);
    window_spread(&lab->window, &lab->eval, &lab->sample, &lab->frame);
}

/* The events that it lists are those that the duty and the unknown come from. */
static void check_events(const struct derivation *ac, const struct value *v) {
    double least = 1;
    bool own = true;
    for (uint32_t i = 0; i < ac->n_event; i++) {
        const struct derivation_event *e = &ac->event[i];
        if (e->own && !own)
            fail_msg("own events come first");
        own = e->own;
        if (e->slot >= 0)
            least = fmin(least, count_duty(&ac->of.sample->at[e->slot]));
    }
    if (!isnan(v->v) && least > (double)v->duty + 1e-6)
        fail_msg("duty %g comes from no event listed, least %g", (double)v->duty, least);
}

static void check_err(const struct derivation *ac, const struct value *v) {
    const struct spread_parts p = window_err(ac->of.window, ac->metric, v, ac->of.sum);
    if (!same_number(p.err, v->err, 1e-9))
        fail_msg("its parts make an error of %g, not %g", p.err, v->err);
    if (isnan(p.sd) || p.unseen == 0)
        return;
    const double made =
        p.t * p.sd * p.unseen * (p.total ? sqrt(p.intervals) : 1 / sqrt(p.intervals));
    if (!isnan(v->v) && !same_number(hypot(made, p.resolution), v->err, 1e-9))
        fail_msg("%g and %g do not make %g", made, p.resolution, v->err);
}

static void check_derivation(struct lab *lab, int metric, struct page *page) {
    const struct derivation *ac = &lab->derivation;
    const struct metric *mt = &lab->model.metric[metric];
    const struct value *v = &ac->of.frame->at[metric];
    static char text[DERIVATION_TEXT_MAX];
    const double made = derivation_value(ac);
    if (!same_number(made, v->v, 1e-9))
        fail_msg("%s %s: the account has %g, the frame %g", lab->model.name, mt->name, made, v->v);
    check_events(ac, v);
    check_err(ac, v);
    derivation_filled(ac, text, sizeof(text));
    assert_true(strlen(text) + 1 < sizeof(text)); /* not cut */
    if (!isnan(v->v) && strstr(text, "n/a") && !strstr(text, " if "))
        fail_msg("%s %s: known, but made of %s", lab->model.name, mt->name, text);
    page_of(page, ac);
    says(page, mt->name);
    if (mt->threshold && v->over)
        says(page, "so it is over its threshold");
    if (isnan(v->v) && v->why.kind != WHY_NOTHING) {
        static char why[512];
        says(page, why_text(&lab->model, v->why, why, sizeof(why)));
    }
}

static void check_all(struct lab *lab, bool sum, struct page *page) {
    const struct derivation_of of = {
        .model = &lab->model,
        .layout = &lab->source.layout,
        .eval = &lab->eval,
        .sample = sum ? window_sample(&lab->window) : &lab->sample,
        .frame = sum ? &lab->sum : &lab->frame,
        .window = &lab->window,
        .sum = sum,
    };
    for (uint32_t i = 0; i < lab->model.n_metric; i++) {
        derivation_make(&lab->derivation, &of, (int)i);
        check_derivation(lab, (int)i, page);
    }
}

static void check_model(const char *name, bool no_perf_metrics) {
    static struct page page;
    struct lab lab;
    open_lab(&lab, name, no_perf_metrics);
    for (uint32_t n = 0; n < 4; n++) {
        next_interval(&lab, n ? 3 * n + 2 : 0);
        check_all(&lab, false, &page);
        window_frame(&lab.window, &lab.eval, &lab.sum);
        check_all(&lab, true, &page);
    }
    close_lab(&lab);
}

static void the_derivation_is_the_value(void **state) {
    (void)state;
    static const char *const names[] = {"spr",  "icx",  "skx",         "gnr",     "adl-grt",
                                        "zen4", "zen2", "neoverse-v1", "generic", "software"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        check_model(names[i], false);
    check_model("spr", true);
    check_model("icx", true);
}

/* --- by hand --- */

static const char small[] =
    MODEL_HEAD "[latency]\n'C' = 12.5\n"
               "[node.Top]\nformula = 'A / Clocks'\nthreshold = 'Top > 0.2'\n"
               "[node.Exact]\nformula = 'D / Clocks'\nfallback = '(B - A) / Clocks'\n"
               "fallback_note = 'without the D'\n"
               "[metric.Clocks]\nformula = 'CYCLES'\ninline = true\nunit = 'cycles'\n"
               "[metric.Wall]\nformula = 'A / DURATION_S if SMT_ON else B'\n"
               "[metric.Beyond]\nformula = 'Top * C:retire_latency * NUM_CPUS'\n"
               "[metric.Never]\nformula = 'A'\nunavailable = 'nobody knows'\n";

struct hand {
    struct rig rig;
    struct window window;
    struct derivation derivation;
    struct page page;
};

static void open_hand(struct hand *h) {
    struct rig *r = &h->rig;
    rig_load(r, small);
    r->consts.value[CONST_SMT_ON] = 1;
    r->consts.fixed_by_user[CONST_SMT_ON] = true;
    r->consts.value[CONST_NUM_CPUS] = 4;
    rig_slot(r, "CYCLES", 0);
    rig_slot(r, "A", 1);
    rig_slot(r, "CYCLES", 1);
    rig_slot(r, "B", 0);
    rig_bind(r);
    r->sample.t1_ns = 2 * SECOND;
    r->sample.at[0] =
        (struct count){.value = 4000, .enabled_ns = 2 * SECOND, .running_ns = 2 * SECOND};
    r->sample.at[1] =
        (struct count){.value = 1001, .enabled_ns = 2 * SECOND, .running_ns = SECOND / 2};
    r->sample.at[2] =
        (struct count){.value = 4004, .enabled_ns = 2 * SECOND, .running_ns = SECOND / 2};
    r->sample.at[3] =
        (struct count){.value = 1401, .enabled_ns = 2 * SECOND, .running_ns = 2 * SECOND};
    eval_run(&r->eval, &r->sample, &r->frame);
    assert_int_equal(window_init(&h->window, 4, r->model.n_metric), 0);
    window_add(&h->window, &r->sample);
    window_spread(&h->window, &r->eval, &r->sample, &r->frame);
    assert_int_equal(derivation_init(&h->derivation, &r->model, &r->layout), 0);
}

static const struct page *derivation_for(struct hand *h, const char *metric) {
    struct rig *r = &h->rig;
    const struct derivation_of of = {.model = &r->model,
                                     .layout = &r->layout,
                                     .eval = &r->eval,
                                     .sample = &r->sample,
                                     .frame = &r->frame,
                                     .window = &h->window};
    derivation_make(&h->derivation, &of, model_find(&r->model, metric));
    page_of(&h->page, &h->derivation);
    return &h->page;
}

static void close_hand(struct hand *h) {
    derivation_destroy(&h->derivation);
    derivation_destroy(&h->derivation);
    window_destroy(&h->window);
    rig_free(&h->rig);
}

static void in_words(void **state) {
    (void)state;
    static struct hand h;
    static const struct {
        const char *metric, *words;
    } cases[] = {
        {"Top", "Top = 25.00%, scaled, duty 25.0%, over\n"},
        {"Top", "exact\nA / Clocks\n"},
        {"Top", "1001 / 4004\n= 0.25\n"},
        {"Top", "Clocks: 4004 cycles, read in group 1: CYCLES\n"},
        {"Top", "A:             250 counted, scaled to 1001 · enabled 2000.0 ms · running  500.0 "
                "ms ·  25.0% · group 1\n"},
        {"Top", "Top > 0.2\n0.25 > 0.2\nso it is over its threshold\n"},
        {"Top", "not known yet: 1 of the 3 values that a spread needs\n"},
        {"Exact", "the fallback: an event of the exact one is not measured; without the D\n"},
        {"Exact", "(1401 - 1001) / 4000\n= 0.1\n"},
        {"Exact", "D: not in the recording\n"},
        {"Exact", "Exact is approximate: without the D\n"},
        {"Wall", "A / DURATION_S if SMT_ON else B\n"},
        {"Wall", "1001 / 2\n= 500.5\n"},
        {"Wall", "SMT_ON: 1, as --const says; it decides which branch is taken\n"},
        {"Wall", "DURATION_S: 2, length of the interval\n"},
        {"Beyond", "0.25 * 12.5 * 4\n= 12.5\n"},
        {"Beyond", "Top: 25.00%, scaled, duty 25.0%\n"},
        {"Beyond", "C:retire_latency: 12.5, the vendor's average, not measured here\n"},
        {"Beyond", "NUM_CPUS: 4, found by tdtop, or in the recording\n"},
        {"Beyond", "Events behind the metrics in it\nA:             250"},
        {"Never", "Never = n/a, n/a\nnobody knows\nFormula\nnone: nobody knows\n"},
    };
    open_hand(&h);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        says(derivation_for(&h, cases[i].metric), cases[i].words);
    says_not(derivation_for(&h, "Wall"), "B:"); /* the branch not taken has no events */
    says_not(derivation_for(&h, "Top"), "Constants");
    close_hand(&h);
}

/* What is unknown says why, and shows where. */
static void the_unknown(void **state) {
    (void)state;
    static struct hand h;
    open_hand(&h);
    struct rig *r = &h.rig;
    r->sample.at[1] =
        (struct count){.value = NAN, .enabled_ns = 2 * SECOND, .state = COUNT_NOT_FOCUSED};
    eval_run(&r->eval, &r->sample, &r->frame);
    says(derivation_for(&h, "Top"), "Top = n/a, n/a\nA: not counted: out of focus\n");
    says(&h.page, "n/a / 4004\n= n/a\n");
    says(&h.page, "A: not counted: out of focus · enabled 2000.0 ms · running    0.0 ms ·   0.0%");
    says(&h.page, "an unknown value is never over\n");
    says_not(&h.page, "±");
    close_hand(&h);
}

/* Two groups that take turns: a ratio across them is marked, one inside is not. */
static void at_different_times(void **state) {
    (void)state;
    static const char model[] = MODEL_HEAD "[node.Across]\nformula = 'A / B'\n"
                                           "[node.Inside]\nformula = 'A / Clocks'\n"
                                           "[node.Named]\nformula = '(A + B) / Clocks'\n"
                                           "[node.Below]\nformula = '1 - Across'\n"
                                           "[metric.Clocks]\nformula = 'CYCLES'\ninline = true\n";
    static const struct {
        const char *what;
        uint64_t first, second; /* running of 1000 */
        const char *split;      /* which nodes */
    } cases[] = {
        {"both take turns", 400, 600, "Across Named Below "},
        {"one is on all the time", 1000, 600, "Across Named Below "},
        {"both are", 1000, 1000, ""},
        {"one has no count", 0, 600, ""},
    };
    static struct hand h;
    struct rig *r = &h.rig;
    rig_load(r, model);
    rig_slot(r, "CYCLES", 0);
    rig_slot(r, "A", 0);
    rig_slot(r, "B", 1);
    rig_bind(r);
    r->sample.t1_ns = SECOND;
    assert_int_equal(window_init(&h.window, 3, r->model.n_metric), 0);
    assert_int_equal(derivation_init(&h.derivation, &r->model, &r->layout), 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char split[64] = "";
        for (int k = 0; k < 3; k++) {
            uint64_t on = k < 2 ? cases[i].first : cases[i].second;
            r->sample.at[k] = (struct count){.value = 100 + k,
                                             .enabled_ns = 1000,
                                             .running_ns = on,
                                             .state = on ? COUNT_OK : COUNT_STALE};
        }
        eval_run(&r->eval, &r->sample, &r->frame);
        for (uint32_t k = 0; k < r->model.n_metric; k++)
            if (r->frame.at[k].split) {
                strcat(split, r->model.metric[k].name);
                strcat(split, " ");
            }
        if (strcmp(split, cases[i].split) != 0)
            fail_msg("%s: \"%s\"", cases[i].what, split);
        if (i == 0)
            says(derivation_for(&h, "Across"), "parts counted at different times: group 0 40.0% of "
                                               "the time, group 1 60.0% of the time; no group");
        if (i == 0)
            says(derivation_for(&h, "Below"),
                 "parts counted at different times: those of Across\n");
        else if (i == 1)
            says(derivation_for(&h, "Across"), "group 0 100.0% of the time, group 1 60.0% of");
        else
            says_not(derivation_for(&h, "Across"), "different times");
    }
    close_hand(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_different_times),
        cmocka_unit_test(the_derivation_is_the_value),
        cmocka_unit_test(in_words),
        cmocka_unit_test(the_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
