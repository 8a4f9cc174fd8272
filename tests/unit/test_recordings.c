/*
 * Recordings of real cores whose tools or authors published answers: the core's model must give the
 * same, within the rounding of what was printed.
 *
 * The counts in tests/data/replay are re-typed and always tried. The recordings themselves are not
 * part of the project; where their folder exists beside the checkout ($TDTOP_SHARED/recordings,
 * default ../shared/recordings) they are replayed too.
 */
#include "recordings_oracles.h"

#include "model/eval/window.h"
#include "replay_fixture.h"

static void load_model(struct model *m, const char *name) {
    struct err err = {0};
    if (model_open(m, name, NULL, &err) < 0)
        fail_msg("%s", err.text);
}

/* Sums first, ratios second: the whole recording, or one interval of it, becomes one frame. */
static void replay_to_frame(const struct model *m, const char *path, const struct oracle *o,
                            struct frame *out) {
    struct source_options opt = {.file = path, .only = o->only};
    struct source src;
    struct sample sample;
    struct window window;
    struct eval eval;
    struct err err = {0};
    consts_init(&opt.consts);
    for (int i = 0; i < GIVEN_MAX && given[o->situation][i].id != CONST_N; i++) {
        opt.consts.value[given[o->situation][i].id] = given[o->situation][i].value;
        opt.consts.fixed_by_user[given[o->situation][i].id] = true;
    }
    if (source_open(&src, &source_replay, m, &opt, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(sample_init(&sample, src.layout.n_slot), 0);
    assert_int_equal(window_init(&window, src.layout.n_slot, m->n_metric), 0);
    assert_int_equal(eval_init(&eval, m, &src.layout, &src.consts, &err), 0);
    int rc;
    for (int i = 1; (rc = src.ops->read(&src, &sample, &err)) == 0; i++)
        if (o->interval == 0 || o->interval == i)
            window_add(&window, &sample);
    if (rc != -ENODATA)
        fail_msg("%s", err.text);
    window_frame(&window, &eval, out);
    eval_destroy(&eval);
    window_destroy(&window);
    sample_destroy(&sample);
    source_close(&src);
}

static double value_of(const struct model *m, const struct frame *f, const char *metric) {
    int i = model_find(m, metric);
    if (i == METRIC_NONE)
        fail_msg("model %s has no %s", m->name, metric);
    return f->at[i].v;
}

static int check_oracle(const char *folder, const struct oracle *o) {
    struct model m;
    struct frame f;
    char path[512];
    int n = 0;
    load_model(&m, o->model);
    assert_int_equal(frame_init(&f, m.n_metric), 0);
    snprintf(path, sizeof(path), "%s/%s", folder, o->file);
    replay_to_frame(&m, path, o, &f);
    for (; n < ANSWERS_MAX && o->answers[n].metric; n++) {
        double got = 100 * value_of(&m, &f, o->answers[n].metric);
        if (!(fabs(got - o->answers[n].percent) <= o->tolerance))
            fail_msg("%s %s, model %s: %s is %.9f, published %.9f", o->file, o->only ? o->only : "",
                     o->model, o->answers[n].metric, got, o->answers[n].percent);
    }
    frame_destroy(&f);
    model_free(&m);
    return n;
}

static void check_oracles(const char *folder, const struct oracle *oracles, size_t n) {
    int checked = 0;
    for (size_t i = 0; i < n; i++)
        checked += check_oracle(folder, &oracles[i]);
    print_message("%d published values of %zu readings agree\n", checked, n);
}

static void test_typed(void **state) {
    (void)state;
    check_oracles("tests/data/replay", typed, COUNT_OF(typed));
}

/* The folder beside the checkout, or NULL with a printed reason. */
static const char *shared_folder(char *buf, size_t cap) {
    const char *shared = getenv("TDTOP_SHARED");
    snprintf(buf, cap, "%s/recordings", shared && *shared ? shared : "../shared");
    if (access(buf, R_OK) == 0)
        return buf;
    print_message("SKIP: no folder %s with recordings of real machines\n", buf);
    return NULL;
}

static void test_real(void **state) {
    (void)state;
    char buf[400];
    const char *folder = shared_folder(buf, sizeof(buf));
    if (folder)
        check_oracles(folder, real, COUNT_OF(real));
}

static void test_silent(void **state) {
    (void)state;
    char buf[400], path[512];
    const char *folder = shared_folder(buf, sizeof(buf));
    for (size_t i = 0; folder && i < COUNT_OF(silent); i++) {
        const struct oracle o = {.only = silent[i].only};
        struct model m;
        struct frame f;
        load_model(&m, silent[i].model);
        assert_int_equal(frame_init(&f, m.n_metric), 0);
        snprintf(path, sizeof(path), "%s/%s", folder, silent[i].file);
        replay_to_frame(&m, path, &o, &f);
        if (silent[i].known && isnan(value_of(&m, &f, silent[i].known)))
            fail_msg("%s: %s is unknown", silent[i].file, silent[i].known);
        if (!isnan(value_of(&m, &f, silent[i].unknown)))
            fail_msg("%s: %s is known", silent[i].file, silent[i].unknown);
        frame_destroy(&f);
        model_free(&m);
    }
}

static void test_refused(void **state) {
    (void)state;
    char buf[400], path[512];
    const char *folder = shared_folder(buf, sizeof(buf));
    struct model m;
    load_model(&m, "skx");
    for (size_t i = 0; folder && i < COUNT_OF(refused); i++) {
        struct source_options opt = {.file = path};
        struct source src;
        struct err err = {0};
        consts_init(&opt.consts);
        snprintf(path, sizeof(path), "%s/%s", folder, refused[i].file);
        int rc = source_open(&src, &source_replay, &m, &opt, &err);
        if (rc == 0)
            source_close(&src);
        if (rc == 0 || !strstr(err.text, refused[i].words))
            fail_msg("%s: rc %d, %s", refused[i].file, rc, err.text);
    }
    model_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_typed),
        cmocka_unit_test(test_real),
        cmocka_unit_test(test_silent),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests_name("recordings", tests, NULL, NULL);
}
