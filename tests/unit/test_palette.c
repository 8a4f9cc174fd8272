#include "ui_fixture.h"

#include "settings_fixture.h"

#include "ui/popup/palette.h"
#include "ui/screen/keys.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- how well names fit ---- */

static void scores(void **state) {
    (void)state;
    static const struct {
        const char *query, *better, *worse; /* worse NULL: better does not fit at all */
    } cases[] = {
        {"lede", "level-deeper", "level-shallower"},
        {"vh", "view-history", "view-threads"},
        {"view history", "view-history", "view-next"},
        {"VIEW_HIST", "view-history", "view-threads"},
        {"help", "help", "level-shallower"},
        {"runs", "runs", "runs-open"},
        {"op", "open-close", "runs-open"},
        {"mark", "mark", "runs-mark"},
        {"ba", "baseline", "runs-back"},
        {"xyz", "baseline", NULL},
        {"enilesab", "baseline", NULL},
        {"helper", "help", NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        int a = palette_score(cases[i].query, cases[i].better, NULL);
        int b = cases[i].worse ? palette_score(cases[i].query, cases[i].worse, NULL) : a;
        if (cases[i].worse ? a <= b : a != 0)
            fail_msg("%s: %s has %d, %s has %d", cases[i].query, cases[i].better, a,
                     cases[i].worse ? cases[i].worse : "-", b);
    }
    uint64_t marks;
    assert_true(palette_score("vh", "view-history", &marks) > 0);
    assert_int_equal(marks, 1U << 0 | 1U << 5);
    assert_true(palette_score("", "anything", &marks) > 0);
    assert_int_equal(marks, 0);
    static char longest[300];
    memset(longest, 'a', sizeof(longest) - 1);
    assert_true(palette_score(longest, longest, &marks) >= 0);
}

/* ---- on a screen ---- */

struct setup {
    struct fixture f;
    struct settings *set;
};

static void open_setup(struct setup *s, int w, int h) {
    setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    fixture_open(&s->f, "redis-server 4242 · 5 threads");
    fixture_screen(&s->f, w, h);
    s->set = fixture_settings(&s->f);
    fixture_run(&s->f, 12);
}

static void close_setup(struct setup *s) {
    fixture_close(&s->f);
    free(s->set);
}

static const char *first_name(struct setup *s) {
    static struct palette_row row;
    palette_settle(&s->f.sc);
    assert_true(palette_of(&s->f.sc)->list.n > 0);
    palette_row(&s->f.sc, &palette_of(&s->f.sc)->hit[0], &row);
    return row.name;
}

static void actions(void **state) {
    (void)state;
    struct setup s;
    open_setup(&s, 80, 24);
    struct screen *sc = &s.f.sc;

    fixture_keys(&s.f, ":");
    assert_ptr_equal(sc->popup, &popup_palette);
    palette_settle(sc);
    assert_true(palette_of(sc)->list.n > 40); /* all there is */
    fixture_keys(&s.f, "view thr");
    assert_string_equal(first_name(&s), "threads"); /* a value of the setting */
    fixture_keys(&s.f, "\n");
    assert_null(sc->popup);
    assert_ptr_equal(sc->scene.view, &view_threads);
    fixture_keys(&s.f, ":vtree\n");
    assert_ptr_equal(sc->scene.view, &view_tree);
    fixture_keys(&s.f, ":view-thr");
    assert_string_equal(first_name(&s), "view-threads");
    fixture_keys(&s.f, "\n");
    assert_ptr_equal(sc->scene.view, &view_threads);

    /* What does not count here is found, dimmed, and says where it counts. */
    fixture_keys(&s.f, ":open-all");
    assert_string_equal(first_name(&s), "open-all");
    assert_false(palette_of(sc)->hit[0].here);
    fixture_keys(&s.f, "\n");
    assert_ptr_equal(sc->popup, &popup_palette);
    assert_true(fixture_shows(&s.f, ": go there first"));
    fixture_key(&s.f, KEYC_ESC);
    assert_null(sc->popup);

    /* By what it does, too. */
    fixture_keys(&s.f, ":forget noise");
    palette_settle(sc);
    assert_int_equal(palette_of(sc)->list.n, 0);
    fixture_keys(&s.f, "\n");
    assert_true(fixture_shows(&s.f, "no action and no setting"));
    for (int i = 0; i < 12; i++)
        fixture_key(&s.f, KEYC_BACKSPACE);
    fixture_keys(&s.f, "osts");
    fixture_key(&s.f, KEYC_ESC);
    fixture_keys(&s.f, ":what has changed");
    assert_string_equal(first_name(&s), "bench");
    fixture_key(&s.f, KEYC_ESC);

    /* Backspace on nothing closes, as in other editors. */
    fixture_keys(&s.f, ":");
    fixture_key(&s.f, KEYC_BACKSPACE);
    assert_null(sc->popup);
    close_setup(&s);
}

/* Every row can be drawn, has words, and is there once. */
static void every_row(void **state) {
    (void)state;
    struct setup s;
    open_setup(&s, 120, 40);
    struct screen *sc = &s.f.sc;
    struct palette_row a, b;
    fixture_keys(&s.f, ":");
    palette_settle(sc);
    assert_true(palette_of(sc)->list.n > 0);
    for (int i = 0; i < palette_of(sc)->list.n; i++) {
        palette_row(sc, &palette_of(sc)->hit[i], &a);
        if (!a.name[0] || !a.words[0])
            fail_msg("row %d, '%s', has no words", i, a.name);
        for (int k = 0; k < i; k++) {
            palette_row(sc, &palette_of(sc)->hit[k], &b);
            if (palette_of(sc)->hit[k].kind == palette_of(sc)->hit[i].kind &&
                !strcmp(a.name, b.name))
                fail_msg("'%s' is there twice", a.name);
        }
    }
    close_setup(&s);
}

static void settings(void **state) {
    (void)state;
    struct setup s;
    open_setup(&s, 80, 24);
    struct screen *sc = &s.f.sc;

    fixture_keys(&s.f, ":interval 250ms\n");
    assert_null(sc->popup);
    assert_int_equal(s.f.s.control.interval_ns, 250 * NS_PER_MS);
    assert_string_equal(settings_find(s.set, "interval")->value, "250ms");

    fixture_keys(&s.f, ":interval fast\n");
    assert_ptr_equal(sc->popup, &popup_palette);
    assert_true(fixture_shows(&s.f, "interval: \"fast\" is not one of its values"));
    fixture_key(&s.f, KEYC_ESC);

    fixture_keys(&s.f, ":theme no"); /* the first that fits */
    assert_string_equal(first_name(&s), "nord");
    fixture_keys(&s.f, "\n");
    assert_string_equal(s.set->theme.name, "nord");
    assert_true(s.set->restyle);

    fixture_keys(&s.f, ":thm"); /* its name, then Enter shows its values */
    palette_settle(sc);
    palette_of(sc)->list.at = 0;
    while (palette_of(sc)->hit[palette_of(sc)->list.at].kind != PALETTE_SETTING)
        fixture_key(&s.f, KEYC_DOWN);
    fixture_keys(&s.f, "\n");
    assert_string_equal(palette_of(sc)->text.text, "theme ");
    palette_settle(sc);
    assert_true(palette_of(sc)->list.n >= 8);
    fixture_key(&s.f, KEYC_ESC);

    fixture_keys(&s.f, ":advice perf-topdown\n");
    assert_string_equal(sc->scene.sentence.advice.name, "perf-topdown");
    fixture_keys(&s.f, ":view cpus\n");
    assert_ptr_equal(sc->scene.view, &view_cpus);
    fixture_keys(&s.f, ":plot blocks\n");
    screen_draw(sc);
    assert_int_equal(sc->scene.plot_glyph, CHART_BLOCKS);
    fixture_keys(&s.f, ":ascii true\n");
    assert_true(s.set->ascii);
    fixture_keys(&s.f, ":model xyz\n");
    assert_string_equal(settings_find(s.set, "model")->value, "xyz");
    assert_non_null(strstr(sc->message, "next start"));
    assert_int_equal(settings_n_changed(s.set), 7);
    close_setup(&s);
}

static void history(void **state) {
    (void)state;
    struct setup s;
    open_setup(&s, 80, 24);
    struct palette *p = palette_of(&s.f.sc);
    fixture_keys(&s.f, ":level 2\n:view-threads\n:view-threads\n:");
    assert_int_equal(p->n_past, 2); /* the same twice is once */
    fixture_key(&s.f, KEYC_UP);
    assert_string_equal(p->text.text, "view-threads");
    fixture_key(&s.f, KEYC_UP);
    assert_string_equal(p->text.text, "level 2");
    fixture_key(&s.f, KEYC_UP); /* there is no older one */
    assert_string_equal(p->text.text, "level 2");
    fixture_key(&s.f, KEYC_DOWN);
    fixture_key(&s.f, KEYC_DOWN);
    assert_string_equal(p->text.text, "");
    fixture_key(&s.f, KEYC_DOWN);
    assert_int_equal(p->list.at, 1);
    fixture_key(&s.f, KEYC_UP);
    assert_int_equal(p->list.at, 0);
    fixture_key(&s.f, KEYC_UP);
    fixture_key(&s.f, KEYC_UP);
    fixture_keys(&s.f, "\n");
    assert_non_null(strstr(s.f.sc.message, "level 2"));
    for (int i = 0; i < 50; i++) {
        char line[64];
        snprintf(line, sizeof(line), ":interval %dms\n", 100 + i);
        fixture_keys(&s.f, line);
    }
    assert_int_equal(p->n_past, PALETTE_PAST);
    assert_string_equal(p->past[PALETTE_PAST - 1], "interval 149ms");
    close_setup(&s);
}

/* At once; what fits it is there when it is asked for, by a key as by a drawing. */
static void pastes(void **state) {
    (void)state;
    struct setup s;
    open_setup(&s, 80, 24);
    struct screen *sc = &s.f.sc;
    fixture_keys(&s.f, ":");
    screen_paste(sc, "view-cpus");
    assert_string_equal(first_name(&s), "view-cpus");
    fixture_keys(&s.f, "\n:");
    assert_ptr_equal(sc->scene.view, &view_cpus);
    screen_paste(sc, "adv");
    fixture_key(&s.f, KEYC_TAB);
    screen_paste(sc, "perf");
    fixture_keys(&s.f, "\n");
    assert_string_equal(sc->scene.sentence.advice.name, "perf-topdown");
    fixture_keys(&s.f, ":");
    for (int i = 0; i < 3; i++)
        screen_paste(sc, "no such name");
    assert_true(fixture_shows(&s.f, "no action and no setting"));
    close_setup(&s);
}

static void completion_and_mouse(void **state) {
    (void)state;
    struct setup s;
    open_setup(&s, 80, 24);
    struct screen *sc = &s.f.sc;
    fixture_keys(&s.f, ":adv");
    fixture_key(&s.f, KEYC_TAB);
    assert_string_equal(palette_of(sc)->text.text, "advice ");
    fixture_keys(&s.f, "perf");
    fixture_key(&s.f, KEYC_TAB);
    assert_string_equal(palette_of(sc)->text.text, "advice perf-topdown");
    fixture_key(&s.f, KEYC_ESC);

    fixture_keys(&s.f, ":");
    screen_draw(sc);
    const struct mouse wheel = {40, 12, MOUSE_WHEEL_DOWN};
    screen_key(sc, KEYC_MOUSE, &wheel);
    assert_int_equal(palette_of(sc)->list.at, 1);
    /* A click selects what it is on; the mark is drawn there. */
    const struct mouse click = {20, 8, MOUSE_PRESS};
    screen_key(sc, KEYC_MOUSE, &click);
    screen_draw(sc);
    uint32_t mark = 0;
    for (int x = 0; x < 10; x++)
        mark = sc->canvas.at[8 * 80 + x].cp == 0x25b8 ? 0x25b8 : mark;
    assert_int_equal(mark, 0x25b8);
    fixture_key(&s.f, KEYC_PGDN);
    assert_true(palette_of(sc)->list.at > 10);
    for (int i = 0; i < 40; i++)
        fixture_key(&s.f, KEYC_PGDN);
    assert_int_equal(palette_of(sc)->list.at, palette_of(sc)->list.n - 1);
    close_setup(&s);
}

static void pictures(void **state) {
    (void)state;
    struct setup s;
    open_setup(&s, 80, 24);
    fixture_keys(&s.f, ":");
    fixture_key(&s.f, 'v');
    fixture_key(&s.f, 'i');
    fixture_goldens(&s.f, "palette");
    fixture_all_sizes(&s.f);
    fixture_key(&s.f, KEYC_ESC);
    fixture_keys(&s.f, ":theme ");
    assert_int_equal(screen_resize(&s.f.sc, 80, 24), 0);
    fixture_draw_popup(&s.f);
    golden_compare(&s.f.sc.canvas, "palette_values_80x24", false);
    close_setup(&s);
}

/* Without settings, as in a picture of a test: actions alone. */
static void without_settings(void **state) {
    (void)state;
    struct setup s;
    open_setup(&s, 80, 24);
    s.f.sc.settings = NULL;
    fixture_keys(&s.f, ":theme nord\n");
    fixture_all_sizes(&s.f);
    fixture_key(&s.f, KEYC_ESC);
    fixture_key(&s.f, KEYC_F2);
    assert_null(s.f.sc.popup);
    fixture_keys(&s.f, "C");
    close_setup(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores),
        cmocka_unit_test(actions),
        cmocka_unit_test(every_row),
        cmocka_unit_test(settings),
        cmocka_unit_test(history),
        cmocka_unit_test(pastes),
        cmocka_unit_test(completion_and_mouse),
        cmocka_unit_test(pictures),
        cmocka_unit_test(without_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
