/* What a run is: labels, its exact model, values from its counts, a part of it. */
#include "base/str.h"
#include "model/run/run.h"

#include "model/eval/window.h"
#include "model_fixture.h"
#include "sim_run.h"

#include <ctype.h>

/* ---- identity and labels ---- */

static void ids(void **state) {
    (void)state;
    char a[RUN_ID_LEN + 1], b[RUN_ID_LEN + 1];
    run_new_id(a);
    run_new_id(b);
    assert_int_equal(strlen(a), RUN_ID_LEN);
    assert_string_not_equal(a, b);
    for (const char *c = a; *c; c++)
        assert_true(isxdigit((unsigned char)*c) && !isupper((unsigned char)*c));
}

static void labels_are_checked(void **state) {
    (void)state;
    static char long_value[10241], most[4097];
    memset(long_value, 'x', 10240);
    memset(most, 'y', 4096);
    static const struct {
        const char *what, *key, *value, *words; /* words NULL: it is fine */
    } cases[] = {
        {"plain", "git_hash", "3f9a1c", NULL},
        {"every character", "a-Z_0.9/b:c", "v", NULL},
        {"empty value", "k", "", NULL},
        {"quotes, newline, tab", "k", "it's \"so\"\n\tor so", NULL},
        {"an escape sequence in the value", "k", "ab\x1b[31mred",
         "label k: its value has a control character: byte 3 is 0x1b (ESC); take it out"},
        {"carriage return", "k", "a\rb", "byte 2 is 0x0d (carriage return)"},
        {"DEL", "k", "\x7f", "byte 1 is 0x7f (DEL)"},
        {"C1, which begins a sequence in one byte", "k",
         "a\xc2\x9b"
         "31m",
         "byte 2 is 0xc2 (CSI)"},
        {"UTF-8", "k", "größer ≥ 3 \xf0\x9f\x98\x80 \xef\xbf\xbd", NULL},
        {"as long as can be", "k", most, NULL},
        {"no key", "", "v", "label: the key is empty; write key=value"},
        {"a space", "a b", "v", "label 'a b': a key has at most 64"},
        {"an escape sequence", "a\x1b[2Jb", "v", "label 'a?[2Jb': a key"},
        {"a long key", "k123456789k123456789k123456789k123456789k123456789k123456789k1234", "v",
         "label 'k123456789k1234567"},
        {"10 kB", "k", long_value, "label k: its value has 10240 bytes, and 4096 is the most"},
        {"broken UTF-8", "k", "ab\xff", "label k: its value is not UTF-8 (byte 3 is 0xff)"},
        {"cut UTF-8", "k", "a\xe2\x82", "label k: its value is not UTF-8 (byte 2 is 0xe2)"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err = {0};
        const int rc = run_label_check(cases[i].key, cases[i].value, &err);
        if (rc != (cases[i].words ? -EINVAL : 0))
            fail_msg("%s: %d %s", cases[i].what, rc, err.text);
        if (cases[i].words && !strstr(err.text, cases[i].words))
            fail_msg("%s: %s", cases[i].what, err.text);
    }
}

static void labels_are_set(void **state) {
    (void)state;
    struct run r = {0};
    struct err err = {0};
    assert_null(run_label_get(&r, "a"));
    assert_int_equal(run_label_set(&r, "a", "1", true, &err), 0);
    assert_int_equal(run_label_set(&r, "b", "2", false, &err), 0);
    assert_int_equal(run_label_set(&r, "c", "3", false, &err), 0);
    assert_int_equal(run_label_set(&r, "a", "one", false, &err), 0);
    assert_int_equal(run_label_set(&r, "x y", "3", false, &err), -EINVAL);
    assert_string_equal(run_label_get(&r, "a"), "one");
    assert_false(r.label.at[0].automatic);
    assert_int_equal(run_label_set(&r, "b", NULL, false, &err), 0);
    assert_int_equal(run_label_set(&r, "none", NULL, false, &err), 0);
    assert_int_equal(r.label.n, 2);
    assert_string_equal(r.label.at[1].key, "c");
    run_free(&r);
    run_free(&r);
}

/* What tdtop found and what the user says stand side by side, whichever came first. */
static void labels_cover(void **state) {
    (void)state;
    struct run r = {0};
    struct err err = {0};
    for (int user_first = 0; user_first < 2; user_first++) {
        assert_int_equal(
            run_label_set(&r, "host", user_first ? "mine" : "found", !user_first, &err), 0);
        assert_int_equal(run_label_set(&r, "host", user_first ? "found" : "mine", user_first, &err),
                         0);
        assert_string_equal(run_label_get(&r, "host"), "mine");
        assert_false(r.label.at[0].automatic);
        assert_string_equal(r.label.at[0].covered, "found");
        assert_int_equal(run_label_set(&r, "host", "mine too", false, &err), 0);
        assert_int_equal(run_label_set(&r, "host", "found again", true, &err), 0);
        assert_string_equal(run_label_get(&r, "host"), "mine too");
        assert_int_equal(run_label_set(&r, "host", NULL, false, &err), 0);
        assert_string_equal(run_label_get(&r, "host"), "found again");
        assert_true(r.label.at[0].automatic && !r.label.at[0].covered);
        assert_int_equal(run_label_set(&r, "host", NULL, false, &err), 0);
        assert_int_equal(r.label.n, 0);
    }
    run_free(&r);
}

/* Of what tdtop finds nothing is refused: it is cleaned, and cut. */
static void automatic_labels_are_cleaned(void **state) {
    (void)state;
    static char longest[8001];
    memset(longest, 'x', 8000);
    struct run r = {0};
    struct err err = {0};
    assert_int_equal(run_label_set(&r, "cmd",
                                   "a\x1b[2J\xff"
                                   "b",
                                   true, &err),
                     0);
    assert_string_equal(run_label_get(&r, "cmd"), "a?[2J?b");
    assert_int_equal(run_label_set(&r, "long", longest, true, &err), 0);
    assert_int_equal(strlen(run_label_get(&r, "long")), 4096);
    assert_int_equal(run_label_set(&r, "a b", "x", true, &err), -EINVAL);
    run_free(&r);
}

static void notes_are_checked(void **state) {
    (void)state;
    struct err err = {0};
    static char longest[65538];
    memset(longest, 'x', 65537);
    assert_int_equal(run_note_check("two\nlines", &err), 0);
    assert_int_equal(run_note_check("\x1b]0;x\x07", &err), -EINVAL);
    assert_non_null(strstr(err.text, "the note has a control character: byte 1 is 0x1b (ESC)"));
    assert_int_equal(run_note_check(longest, &err), -EINVAL);
    assert_int_equal(run_note_check(longest + 1, &err), 0);
}

static void labels_are_split(void **state) {
    (void)state;
    static const struct {
        const char *text, *key, *value;
    } cases[] = {
        {"a=b", "a", "b"}, {"a=", "a", ""},    {"a=b=c", "a", "b=c"},
        {"a", NULL, NULL}, {"=b", NULL, NULL}, {"", NULL, NULL},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err = {0};
        char *key = NULL;
        const char *value = NULL;
        const int rc = run_label_split(cases[i].text, &key, &value, &err);
        assert_int_equal(rc, cases[i].key ? 0 : -EINVAL);
        if (rc == 0) {
            assert_string_equal(key, cases[i].key);
            assert_string_equal(value, cases[i].value);
        } else {
            assert_non_null(strstr(err.text, "write key=value"));
        }
        free(key);
    }
}

/* ---- the exact model ---- */

static const char tiny[] = MODEL_HEAD "[metric.Ratio]\nformula = 'A / B'\ngood_up = true\n"
                                      "[metric.Other]\nformula = 'C'\n";

static void a_text_is_kept(void **state) {
    (void)state;
    for (const struct embedded *e = embedded_models; e->name; e++) {
        struct model m;
        struct err err = {0};
        if (model_open(&m, e->name, NULL, &err) < 0)
            fail_msg("%s", err.text);
        assert_true(str_starts(model_text(&m), e->text)); /* then those that it extends */
        assert_true(str_ends(model_text(&m), embedded_shared[0].text)); /* what every model has */
        model_free(&m);
    }
}

/* Two texts of the user's metrics behind a model's own: one names what is not there. */
static void joined_texts_are_a_model(void **state) {
    (void)state;
    static const char joined[] =
        MODEL_HEAD "[metric.Ratio]\nformula = 'A / B'\n" /* and a newline */
                   "\f\n[metric.Mine]\nformula = 'Ratio * 2'\n"
                   "\f\nfor = ['tin?']\n[metric.Yours]\nformula = 'Mine + A'"; /* but none here */
    struct model m, again;
    struct err err = {0};
    if (model_load(&m, joined, strlen(joined), "tiny", &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(m.n_metric, 3);
    assert_true(m.metric[model_find(&m, "Yours")].own && !m.metric[0].own);
    assert_memory_equal(model_text(&m), joined, strlen(joined));
    assert_string_equal(model_text(&m) + strlen(joined), "\n");
    if (model_load(&again, model_text(&m), strlen(model_text(&m)), "tiny", &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(model_text(&again), model_text(&m));
    for (uint32_t i = 0; i < m.n_metric; i++) {
        assert_string_equal(m.metric[i].name, again.metric[i].name);
        assert_string_equal(m.metric[i].formula, again.metric[i].formula);
        assert_int_equal(m.metric[i].own, again.metric[i].own);
    }
    model_free(&m);
    model_free(&again);
    static const char wrong[] = MODEL_HEAD "[metric.Ratio]\nformula = 'A / B'\n"
                                           "\f\n[metric.Mine]\nformula = '1 +'\n";
    assert_int_equal(model_load(&m, wrong, strlen(wrong), "tiny", &err), -EINVAL);
    assert_non_null(strstr(err.text, "tiny, metrics 1:2:"));
}

/* ---- counts ---- */

struct tiny_run {
    struct run run;
    struct model model;
    struct layout bound;
    struct eval eval;
};

/* A counted in group 0, B in group 1, C refused; 30 intervals, B waits in every third. */
static void make_tiny(struct run *r) {
    static const char *const events[] = {"A", "B", "C"};
    struct sample s;
    *r = (struct run){.begun_ns = 5000000000000, .t1_ns = 30000000000};
    run_new_id(r->id);
    assert_int_equal(layout_init(&r->layout, 3, COUNT_NOT_PERMITTED, 4), 0);
    layout_add(&r->layout, 0, 0);
    layout_add(&r->layout, 1, 1);
    r->event = calloc(4, sizeof(*r->event));
    for (size_t i = 0; i < COUNT_OF(events); i++)
        r->event[i] = strdup(events[i]);
    r->model = strdup("tiny");
    r->model_text = strdup(tiny);
    struct consts c;
    consts_init(&c);
    assert_int_equal(run_set_consts(r, &c), 0);
    assert_int_equal(series_init(&r->series, &r->layout, 0), 0);
    assert_int_equal(sample_init(&s, 2), 0);
    for (uint64_t i = 0; i < 30; i++) {
        s.t0_ns = i * 1000000000;
        s.t1_ns = s.t0_ns + 1000000000;
        s.at[0] =
            (struct count){.value = (double)(100 + i), .enabled_ns = 1000, .running_ns = 1000};
        s.at[1] = (struct count){.value = 50, .enabled_ns = 1000, .running_ns = 500};
        if (i % 3 == 2)
            s.at[1] = (struct count){.value = NAN, .enabled_ns = 1000, .state = COUNT_STALE};
        assert_int_equal(series_push(&r->series, &s), 0);
    }
    sample_destroy(&s);
}

static void bind_tiny(struct tiny_run *t, const char *text) {
    struct err err = {0};
    if (run_bind(&t->run, text, &t->model, &t->bound, &t->eval, &err) < 0)
        fail_msg("%s", err.text);
}

static void unbind_tiny(struct tiny_run *t) {
    eval_destroy(&t->eval);
    layout_destroy(&t->bound);
    model_free(&t->model);
}

static const struct run_node *node_of(const struct run *r, const char *name) {
    for (size_t i = 0; i < r->node.n; i++)
        if (!strcmp(r->node.at[i].name, name))
            return &r->node.at[i];
    return NULL;
}

static void evaluating(void **state) {
    (void)state;
    struct tiny_run t = {0};
    struct err err = {0};
    make_tiny(&t.run);
    bind_tiny(&t, NULL);
    assert_int_equal(run_evaluate(&t.run, &t.model, &t.eval, &err), 0);
    const struct run_node *ratio = node_of(&t.run, "Ratio"), *other = node_of(&t.run, "Other");
    assert_non_null(ratio);
    assert_true(ratio->good_up && ratio->level == 0 && !ratio->share);
    /* 3435 of A; B counted 1000 in 20 intervals, and 10 were waited for */
    assert_true(same_number(ratio->value.v, 3435.0 / 1500.0, 1e-12));
    assert_int_equal(ratio->m.n, 20);
    assert_true(ratio->m.least == 2.0 && ratio->m.most == 128.0 / 50.0);
    assert_true(ratio->value.duty < 0.4f && ratio->value.err > 0);
    assert_non_null(other);
    assert_true(isnan(other->value.v) && other->m.n == 0);
    assert_string_equal(other->reason, "C: not permitted");
    assert_int_equal(t.run.measured_ns, 30000000000);
    assert_string_equal(t.run.bottleneck, "");
    assert_int_equal(run_evaluate(&t.run, &t.model, &t.eval, &err), 0); /* again: the same */
    assert_int_equal(t.run.node.n, 2);
    unbind_tiny(&t);
    run_free(&t.run);
}

static void make_without_rows(struct run *r, struct sample *row) {
    make_tiny(r);
    series_destroy(&r->series);
    assert_int_equal(series_init(&r->series, &r->layout, 0), 0);
    assert_int_equal(sample_init(row, 2), 0);
}

/* A is counted in every second interval, in which B is large: summed, A / B would be below any of
 * the intervals. The mean of those that have both is in the place of it. */
static void parts_of_other_intervals(void **state) {
    (void)state;
    struct tiny_run t = {0};
    struct err err = {0};
    struct sample s;
    make_without_rows(&t.run, &s);
    for (uint64_t i = 0; i < 10; i++) {
        s.t0_ns = i * 1000000000;
        s.t1_ns = s.t0_ns + 1000000000;
        s.at[0] = (struct count){.value = 100, .enabled_ns = 1000, .running_ns = 1000};
        s.at[1] = (struct count){.value = i < 5 ? 50 : 40, .enabled_ns = 1000, .running_ns = 1000};
        if (i % 2)
            s.at[0] = (struct count){.value = NAN, .state = COUNT_NOT_COUNTED};
        assert_int_equal(series_push(&t.run.series, &s), 0);
    }
    sample_destroy(&s);
    bind_tiny(&t, NULL);
    assert_int_equal(run_evaluate(&t.run, &t.model, &t.eval, &err), 0);
    const struct run_node *ratio = node_of(&t.run, "Ratio");
    assert_int_equal(ratio->m.n, 5);
    assert_true(same_number(ratio->value.v, (3 * 2.0 + 2 * 2.5) / 5, 1e-12)); /* not 500 / 450 */
    assert_true(ratio->value.approx);
    unbind_tiny(&t);
    run_free(&t.run);
}

/* In four of five seconds there was nothing to count: they belong to the time of the whole. */
static void parts_of_seconds_without_any(void **state) {
    (void)state;
    static const char text[] = MODEL_HEAD "[metric.Per_S]\nformula = 'A * A / B / DURATION_S'\n";
    struct tiny_run t = {0};
    struct err err = {0};
    struct sample s;
    make_without_rows(&t.run, &s);
    for (uint64_t i = 0; i < 5; i++) {
        s.t0_ns = i * 1000000000;
        s.t1_ns = s.t0_ns + 1000000000;
        s.at[0] = (struct count){.value = i ? 0 : 100, .enabled_ns = 1000, .running_ns = 1000};
        s.at[1] = (struct count){.value = i ? 0 : 50, .enabled_ns = 1000, .running_ns = 1000};
        assert_int_equal(series_push(&t.run.series, &s), 0);
    }
    sample_destroy(&s);
    bind_tiny(&t, text);
    assert_int_equal(run_evaluate(&t.run, &t.model, &t.eval, &err), 0);
    const struct run_node *per_s = node_of(&t.run, "Per_S");
    assert_int_equal(per_s->m.n, 1);
    assert_true(same_number(per_s->m.mean, 200, 1e-12));
    assert_true(same_number(per_s->value.v, 40, 1e-12) && !per_s->value.approx);
    unbind_tiny(&t);
    run_free(&t.run);
}

/* Values of a run that grows: asked for in between, they come out as those of the whole. */
static void evaluating_in_parts(void **state) {
    (void)state;
    struct run whole = {0}, part = {0};
    struct run_tally t = {0};
    struct series all;
    struct err err = {0};
    make_tiny(&whole);
    make_tiny(&part);
    assert_int_equal(run_evaluate_by(&whole, NULL, &err), 0);
    assert_int_equal(run_tally_begin(&t, &part, NULL, &err), 0);
    assert_int_equal(series_init(&all, &part.layout, 0), 0);
    for (uint64_t done = 0; done < 30; done = series_rows(&all)) {
        assert_int_equal(
            series_copy(&all, &part.series, done * 1000000000, (done + 7) * 1000000000), 0);
        assert_int_equal(run_tally_add(&t, &all, done), 0);
        assert_int_equal(run_tally_values(&t, &part), 0);
        assert_int_equal(part.measured_ns, series_rows(&all) * 1000000000);
    }
    assert_int_equal(part.node.n, whole.node.n);
    for (size_t i = 0; i < whole.node.n; i++) {
        const struct run_node *a = &whole.node.at[i], *b = &part.node.at[i];
        assert_string_equal(a->path, b->path);
        assert_memory_equal(&a->value.v, &b->value.v, sizeof(a->value.v));
        assert_memory_equal(&a->value.err, &b->value.err, sizeof(a->value.err));
        assert_memory_equal(&a->m, &b->m, sizeof(a->m));
    }
    run_tally_end(&t);
    series_destroy(&all);
    run_free(&whole);
    run_free(&part);
}

static void another_model(void **state) {
    (void)state;
    static const char newer[] = MODEL_HEAD "'E' = { code = 9 }\n"
                                           "[metric.Half]\nformula = 'A / 2'\n"
                                           "[metric.New]\nformula = 'E'\n";
    struct tiny_run t = {0};
    struct err err = {0};
    make_tiny(&t.run);
    bind_tiny(&t, newer); /* knows no B */
    assert_int_equal(t.bound.slot[1].event, SLOT_NO_EVENT);
    assert_int_equal(t.bound.n_slot, 2);
    assert_int_equal(run_evaluate(&t.run, &t.model, &t.eval, &err), 0);
    assert_true(node_of(&t.run, "Half")->value.v == 3435 / 2.0);
    assert_string_equal(node_of(&t.run, "New")->reason, "E: not in the recording");
    assert_null(node_of(&t.run, "Ratio"));
    assert_string_equal(t.run.model_text, newer);
    unbind_tiny(&t);
    run_free(&t.run);
}

static void what_cannot_be_bound(void **state) {
    (void)state;
    struct tiny_run t = {0};
    struct err err = {0};
    assert_int_equal(run_bind(&t.run, NULL, &t.model, &t.bound, &t.eval, &err), -ENODATA);
    assert_non_null(strstr(err.text, "values but no counts"));
    assert_int_equal(run_evaluate(&t.run, &t.model, &t.eval, &err), -ENODATA);
    make_tiny(&t.run);
    free(t.run.model_text);
    t.run.model_text = NULL;
    assert_int_equal(run_bind(&t.run, NULL, &t.model, &t.bound, &t.eval, &err), -ENODATA);
    assert_non_null(strstr(err.text, "--model"));
    assert_int_equal(run_bind(&t.run, "x", &t.model, &t.bound, &t.eval, &err), -EINVAL);
    assert_null(t.eval.program_);
    run_free(&t.run);
}

static void latencies_are_owned(void **state) {
    (void)state;
    struct run r = {0};
    struct consts c;
    consts_init(&c);
    struct latency_setting own[] = {{"EVENT", 12.5}};
    c.latency = own;
    c.n_latency = 1;
    assert_int_equal(run_set_consts(&r, &c), 0);
    memset(own, 0, sizeof(own));
    assert_string_equal(r.consts.latency[0].event, "EVENT");
    assert_int_equal(run_set_consts(&r, &r.consts), 0); /* of itself */
    assert_true(r.consts.latency[0].cycles == 12.5 && r.consts.latency == r.latency);
    run_free(&r);
}

/* ---- the full model ---- */

/* The same values as a window of the same intervals. */
static void as_a_window(void **state) {
    (void)state;
    struct tiny_run t = {0};
    struct err err = {0};
    struct window w;
    struct frame f;
    struct sample s;
    struct series_reader reader;
    struct model spr;
    if (model_open(&spr, "spr", NULL, &err) < 0)
        fail_msg("%s", err.text);
    sim_run_counts(&t.run, &spr, 7, 0, 0, 40);
    bind_tiny(&t, NULL);
    assert_int_equal(run_evaluate(&t.run, &t.model, &t.eval, &err), 0);
    const uint32_t n_slot = t.run.series.n_slot;
    assert_int_equal(window_init(&w, n_slot, spr.n_metric), 0);
    assert_int_equal(frame_init(&f, spr.n_metric), 0);
    assert_int_equal(sample_init(&s, n_slot), 0);
    assert_int_equal(series_reader_init(&reader, &t.run.series), 0);
    while (series_reader_next(&reader, &s))
        window_add(&w, &s);
    window_frame(&w, &t.eval, &f);
    size_t known = 0;
    for (uint32_t i = 0; i < spr.n_metric; i++) {
        const struct run_node *n = node_of(&t.run, spr.metric[i].name);
        known += n && !isnan(n->value.v);
        if (!isnan(f.at[i].v))
            assert_true(n && n->value.v == f.at[i].v && n->m.n == 40);
    }
    assert_true(known > 200);
    assert_string_equal(t.run.bottleneck, spr.metric[f.bottleneck.at[f.bottleneck.n - 1]].path);
    series_reader_destroy(&reader);
    sample_destroy(&s);
    frame_destroy(&f);
    window_destroy(&w);
    unbind_tiny(&t);
    run_free(&t.run);
    model_free(&spr);
}

/* Each core type has samples of its own. */
static void samples_of_all_core_types(void **state) {
    (void)state;
    struct run r = {0};
    char l3[] = "L3_Bound", dram[] = "DRAM_Bound", cycles[] = "cycles", miss[] = "MEM.MISS";
    struct hot_event e[] = {{.name = miss}, {.name = cycles}, {.name = cycles}};
    const struct hot h[] = {{.asked = dram, .event = {.at = &e[0], .n = 1, .cap = 1}},
                            {.asked = l3, .event = {.at = &e[1], .n = 1, .cap = 1}},
                            {.asked = dram, .event = {.at = &e[2], .n = 1, .cap = 1}}};
    for (int i = 0; i < 3; i++)
        assert_int_equal(array_push(&r.hot, h[i]), 0);
    const struct hot *at = run_samples(&r, "dram_bound", NULL);
    assert_ptr_equal(at, &r.hot.at[0]);
    at = run_samples(&r, "DRAM_Bound", at);
    assert_ptr_equal(at, &r.hot.at[2]);
    assert_null(run_samples(&r, "DRAM_Bound", at));
    at = run_samples(&r, "Cycles", NULL);
    assert_ptr_equal(at, &r.hot.at[1]);
    assert_ptr_equal(run_samples(&r, NULL, at), &r.hot.at[2]);
    assert_null(run_samples(&r, NULL, &r.hot.at[2]));
    assert_null(run_samples(&r, "mem.mis", NULL));
    array_free(&r.hot);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids),
        cmocka_unit_test(samples_of_all_core_types),
        cmocka_unit_test(labels_are_checked),
        cmocka_unit_test(labels_are_set),
        cmocka_unit_test(labels_cover),
        cmocka_unit_test(automatic_labels_are_cleaned),
        cmocka_unit_test(notes_are_checked),
        cmocka_unit_test(labels_are_split),
        cmocka_unit_test(a_text_is_kept),
        cmocka_unit_test(joined_texts_are_a_model),
        cmocka_unit_test(evaluating),
        cmocka_unit_test(parts_of_other_intervals),
        cmocka_unit_test(parts_of_seconds_without_any),
        cmocka_unit_test(evaluating_in_parts),
        cmocka_unit_test(another_model),
        cmocka_unit_test(what_cannot_be_bound),
        cmocka_unit_test(latencies_are_owned),
        cmocka_unit_test(as_a_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
