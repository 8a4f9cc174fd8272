/* The doctor's popup and the header's warnings, over a session made by hand. */
#include "ui_fixture.h"

static void add_note(struct environment *env, enum check_state state, const char *name,
                     const char *found, const char *effect, const char *fix) {
    struct check *c = &env->note[env->n_note++];
    c->state = state;
    str_copy(c->name, sizeof(c->name), name);
    str_copy(c->found, sizeof(c->found), found);
    str_copy(c->effect, sizeof(c->effect), effect);
    str_copy(c->fix, sizeof(c->fix), fix);
}

static void open_at(struct fixture *f, int w, int h) {
    fixture_open(f, "redis-server 4242");
    fixture_screen(f, w, h);
    fixture_run(f, 12);
}

static void warnings_in_the_header(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    assert_false(fixture_shows(&f, "(D)"));
    str_copy(f.s.env.warning[0], sizeof(f.s.env.warning[0]), "throttled 12x");
    str_copy(f.s.env.warning[1], sizeof(f.s.env.warning[1]), "3.9 -> 2.1 GHz");
    f.s.env.n_warning = 2;
    assert_true(fixture_shows(&f, "throttled 12x, 3.9 -> 2.1 GHz (D)"));
    fixture_close(&f);
}

static void made_up_numbers_need_no_doctor(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    f.s.source.simulated = true;
    fixture_keys(&f, "D");
    assert_true(fixture_shows(&f, "These numbers are simulated"));
    f.s.source.simulated = false;
    assert_true(fixture_shows(&f, "These numbers were recorded"));
    fixture_keys(&f, "D");
    assert_false(fixture_shows(&f, "These numbers"));
    fixture_close(&f);
}

/* What is worst stands first; every size can be drawn, and all of it can be scrolled to. */
static void what_is_wrong_first(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    struct environment *env = &f.s.env;
    env->open = true; /* the checks are those of this machine */
    add_note(env, CHECK_OK, "steal", "0.0% now", "", "");
    add_note(env, CHECK_WARN, "clock", "2.10 GHz now, 2.10 to 3.90 GHz so far",
             "memory does not become slower", "cpupower frequency-set -g performance");
    f.sc.popup = &popup_doctor;
    char text[120 * 40 * 4];
    screen_draw(&f.sc);
    canvas_dump(&f.sc.canvas, text, sizeof(text));
    const char *clock = strstr(text, "clock: 2.10 GHz now, 2.10 to 3.90 GHz so far (warning)");
    const char *steal = strstr(text, "steal: 0.0% now (ok)");
    assert_non_null(clock);
    assert_non_null(steal);
    assert_true(clock < steal);
    assert_non_null(strstr(text, "→ cpupower frequency-set -g performance"));
    f.sc.popup = NULL;
    fixture_keys(&f, "D");
    assert_true(env->n_check > 3);
    assert_true(fixture_shows(&f, "perf_event_paranoid"));
    for (int h = 6; h <= 50; h += 4)
        for (int w = 40; w <= 200; w += 16) {
            assert_int_equal(screen_resize(&f.sc, w, h), 0);
            screen_draw(&f.sc);
            fixture_keys(&f, "G"); /* the end */
            screen_draw(&f.sc);
            assert_true(f.sc.scroll == f.sc.scroll_max);
        }
    env->open = false;
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warnings_in_the_header),
        cmocka_unit_test(made_up_numbers_need_no_doctor),
        cmocka_unit_test(what_is_wrong_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
