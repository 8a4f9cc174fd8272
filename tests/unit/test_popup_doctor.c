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

static void fixture_screen_size(struct fixture *f, int w, int h) {
    assert_int_equal(screen_resize(&f->sc, w, h), 0);
}

static void warnings_in_the_title(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 120, 40);
    assert_false(fixture_shows(&f, "(D)"));
    static const char *const words[] = {
        "throttled 12x", "steal 8%", "3.9 -> 2.1 GHz", "NMI watchdog", "paranoid 2",
        "turbo",         "SMT"};
    for (int i = 0; i < 7; i++) {
        str_copy(f.s.env.word[i].text, sizeof(f.s.env.word[i].text), words[i]);
        f.s.env.word[i].state = i < 5 ? CHECK_WARN : CHECK_NOTE;
    }
    f.s.env.n_word = 2;
    assert_true(fixture_shows(&f, "throttled 12x, steal 8% (D)"));
    f.s.env.n_word = 7;
    assert_true(
        fixture_shows(&f, "throttled 12x, steal 8%, 3.9 -> 2.1 GHz, NMI watchdog, paranoid 2 (D)"));
    /* Where there is less room: the first ones, and how many more; the state always stays. */
    fixture_screen_size(&f, 75, 24);
    assert_true(fixture_shows(&f, "throttled 12x, steal 8%, 3.9 -> 2.1 GHz, NMI watchdog +1 (D)"));
    fixture_screen_size(&f, 68, 24);
    assert_true(fixture_shows(&f, "throttled 12x, steal 8%, 3.9 -> 2.1 GHz +2 (D)"));
    for (int w = 40; w <= 200; w += 7) {
        fixture_screen_size(&f, w, 24);
        if (!fixture_shows(&f, "throttled 12x") || !fixture_shows(&f, "LIVE 00:"))
            fail_msg("at %d columns", w);
    }
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
    add_note(env, CHECK_WARN, "clock_change", "2.10 GHz now, 2.10 to 3.90 GHz so far",
             "memory does not become slower", "cpupower frequency-set -g performance");
    f.sc.popup = &popup_doctor;
    char text[120 * 40 * 4];
    screen_draw(&f.sc);
    canvas_dump(&f.sc.canvas, text, sizeof(text));
    const char *clock =
        strstr(text, "clock_change: 2.10 GHz now, 2.10 to 3.90 GHz so far (warning)");
    const char *steal = strstr(text, "✓ steal: 0.0% now");
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
            assert_true(f.sc.text.top == f.sc.text.n - f.sc.text.lines);
        }
    env->open = false;
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warnings_in_the_title),
        cmocka_unit_test(made_up_numbers_need_no_doctor),
        cmocka_unit_test(what_is_wrong_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
