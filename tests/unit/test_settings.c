/* The settings screen, the chooser of themes, saving and copying. */
#include "ui_fixture.h"

#include "settings_fixture.h"

#include "ui/popup/palette.h"
#include "ui/screen/keys.h"
#include "ui/screen/settings.h"

#include <sys/stat.h>
#include <unistd.h>

struct setup {
    struct fixture f;
    struct settings *set;
};

static char dir[] = "/tmp/test_settings_XXXXXX";

static void write_file(const char *name, const char *text) {
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void remove_file(const char *name) {
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    assert_int_equal(unlink(path), 0);
}

static int make_dir(void **state) {
    (void)state;
    char path[128];
    if (!mkdtemp(dir))
        return -1;
    snprintf(path, sizeof(path), "%s/tdtop", dir);
    mkdir(path, 0700);
    snprintf(path, sizeof(path), "%s/tdtop/themes", dir);
    mkdir(path, 0700);
    setenv("XDG_CONFIG_HOME", dir, 1);
    write_file("tdtop/themes/mine.toml",
               "base = \"nord\"\n[style]\nvalue = { fg = \"#123456\" }\n");
    write_file("tdtop/themes/bad.toml", "[style]\nvalu = { fg = \"#123456\" }\n");
    write_file("tdtop/themes/notes.txt", "no theme");
    return 0;
}

static int remove_dir(void **state) {
    (void)state;
    char command[160];
    snprintf(command, sizeof(command), "rm -rf %s", dir);
    return system(command);
}

static void open_setup(struct setup *s, int w, int h) {
    fixture_open(&s->f, "redis-server 4242 · 5 threads");
    fixture_screen(&s->f, w, h);
    s->set = fixture_settings(&s->f);
    fixture_run(&s->f, 12);
}

static void close_setup(struct setup *s) {
    fixture_close(&s->f);
    free(s->set);
}

static void go_to(struct setup *s, const char *key) {
    fixture_key(&s->f, KEYC_HOME);
    while (strcmp(s->set->row[s->set->list.at].key, key) != 0)
        fixture_key(&s->f, KEYC_DOWN);
}

static const char *value(struct setup *s, const char *key) {
    return settings_find(s->set, key)->value;
}

/* ---- settings ---- */

static void changes(void **state) {
    (void)state;
    struct setup s;
    open_setup(&s, 80, 24);
    struct screen *sc = &s.f.sc;
    fixture_key(&s.f, KEYC_F2);
    assert_ptr_equal(sc->popup, &popup_settings);

    go_to(&s, "mouse");
    fixture_keys(&s.f, "\n");
    assert_string_equal(value(&s, "mouse"), "false");
    assert_false(s.set->mouse);
    assert_true(s.set->restyle);
    fixture_key(&s.f, KEYC_RIGHT);
    assert_string_equal(value(&s, "mouse"), "true");

    go_to(&s, "color");
    fixture_key(&s.f, KEYC_LEFT); /* round the end */
    assert_string_equal(value(&s, "color"), "256");
    assert_int_equal(s.set->colors, 256);
    fixture_key(&s.f, KEYC_LEFT);
    assert_int_equal(s.set->colors, 0);
    fixture_keys(&s.f, "d");
    assert_int_equal(s.set->colors, -1);
    assert_int_equal(settings_n_changed(s.set), 0);

    go_to(&s, "interval"); /* any value: typed */
    fixture_keys(&s.f, "\n");
    assert_true(sc->ask.typing);
    fixture_key(&s.f, KEYC_BACKSPACE);
    fixture_key(&s.f, KEYC_BACKSPACE);
    fixture_keys(&s.f, "333ms\n");
    assert_string_equal(value(&s, "interval"), "333ms");
    assert_int_equal(s.f.s.control.interval_ns, 333 * NS_PER_MS);
    fixture_key(&s.f, KEYC_RIGHT); /* from what is none of the usual: the first */
    assert_string_equal(value(&s, "interval"), "100ms");
    fixture_keys(&s.f, "\nnonsense\n");
    assert_non_null(strstr(sc->message, "interval"));
    assert_string_equal(value(&s, "interval"), "100ms");

    go_to(&s, "clipboard");
    fixture_keys(&s.f, " ");
    assert_true(s.set->clipboard);
    fixture_keys(&s.f, "q");
    assert_null(sc->popup);
    assert_non_null(strstr(sc->message, "2 settings changed"));
    close_setup(&s);
}

/* Rows without choices get those that the screen has; keys for the interval go by the same ones. */
static void offers_what_the_screen_has(void **state) {
    (void)state;
    struct settings *set = calloc(1, sizeof(*set));
    struct err err = {0};
    assert_non_null(set);
    fixture_row(set, "interval", "1s", "", NULL, false);
    fixture_row(set, "view", "tree", "", NULL, false);
    fixture_row(set, "layout", "home", "", NULL, false);
    fixture_row(set, "advice", "toplev", "", NULL, false);
    fixture_row(set, "model", "", "", NULL, false);
    assert_int_equal(settings_begin(set, &err), 0);
    const struct setting_row *r = set->row;
    uint64_t before = 0, ns;
    for (int i = 0; r->choice[i]; i++) {
        assert_int_equal(str_duration(r->choice[i], 0, &ns, NULL), 0);
        assert_int_equal(settings_next_interval(before, 1), ns);
        assert_int_equal(settings_next_interval(ns, -1), before);
        before = ns;
    }
    assert_int_equal(settings_next_interval(before, 1), 0);
    assert_int_equal(settings_next_interval(250 * NS_PER_MS, -1), 200 * NS_PER_MS);
    assert_true(r[0].open && !r[1].open && r[2].open);
    assert_string_equal(r[1].choice[0], "tree");
    for (int i = 0; r[1].choice[i]; i++)
        assert_true(strcmp(r[1].choice[i], "runs") != 0 && strcmp(r[1].choice[i], "bench") != 0);
    assert_string_equal(r[2].choice[0], "home");
    assert_string_equal(r[3].choice[0], "toplev");
    assert_null(r[4].choice[0]);
    free(set);
}

static void keys_are_followed(void **state) {
    (void)state;
    struct setup s;
    open_setup(&s, 80, 24);
    fixture_keys(&s.f, "+");
    fixture_key(&s.f, KEYC_F2);
    assert_string_equal(value(&s, "interval"), "2s");
    assert_true(settings_changed(settings_find(s.set, "interval")));
    s.f.s.source.live = false; /* a recording keeps its intervals */
    assert_true(settings_set(&s.f.sc, "interval", "1s") < 0);
    assert_non_null(strstr(s.f.sc.message, "recording"));
    assert_true(settings_set(&s.f.sc, "focus", "auto") < 0);
    assert_true(settings_set(&s.f.sc, "intervall", "1s") < 0);
    assert_non_null(strstr(s.f.sc.message, "did you mean interval?"));
    assert_true(settings_set(&s.f.sc, "advice", "nobody") < 0);
    assert_true(settings_set(&s.f.sc, "view", "runs") < 0);
    assert_string_equal(value(&s, "advice"), "toplev");
    close_setup(&s);
}

static void saves_when_asked(void **state) {
    (void)state;
    struct setup s;
    open_setup(&s, 80, 24);
    fixture_key(&s.f, KEYC_F2);
    fixture_keys(&s.f, "w");
    assert_int_equal(fixture_host.n_saved, 0);
    assert_non_null(strstr(s.f.sc.message, "nothing was changed"));
    settings_set(&s.f.sc, "theme", "nord");
    settings_set(&s.f.sc, "mouse", "false");
    assert_int_equal(fixture_host.n_saved, 0); /* never unasked */
    fixture_host.save_rc = -EACCES;
    fixture_keys(&s.f, "w");
    assert_non_null(strstr(s.f.sc.message, "Permission denied"));
    assert_int_equal(settings_n_changed(s.set), 2);
    fixture_host.save_rc = 0;
    fixture_keys(&s.f, "w");
    assert_int_equal(fixture_host.n_saved, 2);
    assert_string_equal(fixture_host.saved[0].key, "theme");
    assert_string_equal(fixture_host.saved[0].value, "nord");
    assert_string_equal(fixture_host.saved[1].value, "false");
    assert_int_equal(settings_n_changed(s.set), 0);
    assert_non_null(strstr(s.f.sc.message, "2 settings saved in"));
    close_setup(&s);
}

static void settings_pictures(void **state) {
    (void)state;
    struct setup s;
    open_setup(&s, 80, 24);
    fixture_key(&s.f, KEYC_F2);
    go_to(&s, "focus");
    settings_set(&s.f.sc, "level", "2");
    s.f.sc.message[0] = '\0';
    fixture_goldens(&s.f, "settings");
    fixture_all_sizes(&s.f);
    fixture_key(&s.f, KEYC_END);
    fixture_all_sizes(&s.f);
    assert_int_equal(screen_resize(&s.f.sc, 80, 24), 0);
    screen_draw(&s.f.sc);
    const struct mouse wheel = {40, 12, MOUSE_WHEEL_UP}, click = {30, 5, MOUSE_PRESS};
    screen_key(&s.f.sc, KEYC_MOUSE, &wheel);
    assert_int_equal(s.set->list.at, s.set->n - 2);
    screen_draw(&s.f.sc);
    screen_key(&s.f.sc, KEYC_MOUSE, &click);
    screen_draw(&s.f.sc);
    assert_int_equal(s.f.sc.canvas.at[5 * 80 + 2].cp, 0x25b8); /* it is what was clicked */
    close_setup(&s);
}

/* A click chooses only where the box is. */
static void test_click_beside(void **state) {
    (void)state;
    static const char *const opens[] = {":settings\n", ":themes\n", ":"};
    for (size_t i = 0; i < sizeof(opens) / sizeof(opens[0]); i++) {
        struct setup s;
        open_setup(&s, 120, 40);
        fixture_keys(&s.f, opens[i]);
        const struct overlay *popup = s.f.sc.popup;
        assert_non_null(popup);
        screen_draw(&s.f.sc);
        const int at = s.set->list.at, theme = s.set->theme_list.at,
                  row = palette_of(&s.f.sc)->list.at;
        for (int y = 0; y < 39; y++) {
            const struct mouse click = {5, y, MOUSE_PRESS};
            screen_key(&s.f.sc, KEYC_MOUSE, &click);
            screen_draw(&s.f.sc);
            if (s.f.sc.popup != popup || s.set->list.at != at || s.set->theme_list.at != theme ||
                palette_of(&s.f.sc)->list.at != row)
                fail_msg("%s: a click on column 5 of line %d", opens[i], y);
        }
        close_setup(&s);
    }
}

/* ---- themes ---- */

static int theme_row(struct setup *s, const char *name) {
    int i = theme_list_find(&s->set->themes, name);
    assert_true(i >= 0);
    return i;
}

static void themes(void **state) {
    (void)state;
    struct setup s;
    open_setup(&s, 80, 24);
    struct screen *sc = &s.f.sc;
    fixture_keys(&s.f, ":themes\n");
    assert_ptr_equal(sc->popup, &popup_theme);
    assert_string_equal(s.set->themes.at[s.set->theme_list.at].name, "default");

    list_select(&s.set->theme_list, theme_row(&s, "nord"));
    assert_string_equal(s.set->theme.name, "nord"); /* shown at once */
    assert_true(s.set->restyle);
    assert_string_equal(value(&s, "theme"), "default"); /* and not kept */
    fixture_key(&s.f, KEYC_ESC);
    assert_null(sc->popup);
    assert_string_equal(s.set->theme.name, "default");

    /* The user's own; a broken one says where. */
    fixture_keys(&s.f, ":themes\n");
    list_select(&s.set->theme_list, theme_row(&s, "mine"));
    assert_int_equal(s.set->theme.look[STYLE_VALUE].fg, 0x123456);
    list_select(&s.set->theme_list, theme_row(&s, "bad"));
    assert_string_equal(s.set->theme.name, "mine");
    assert_true(fixture_shows(&s.f, "broken"));
    assert_true(fixture_shows(&s.f, "bad.toml:2:1:"));
    fixture_keys(&s.f, "\n");
    assert_ptr_equal(sc->popup, &popup_theme);
    assert_non_null(strstr(sc->message, "bad.toml:2:1"));
    list_select(&s.set->theme_list, theme_row(&s, "mine"));
    fixture_keys(&s.f, "\n");
    assert_null(sc->popup);
    assert_string_equal(value(&s, "theme"), "mine");
    assert_int_equal(theme_list_find(&s.set->themes, "notes"), -1);

    /* From the settings it goes back there. */
    fixture_key(&s.f, KEYC_F2);
    go_to(&s, "theme");
    fixture_keys(&s.f, "\n");
    assert_ptr_equal(sc->popup, &popup_theme);
    fixture_key(&s.f, KEYC_UP);
    fixture_key(&s.f, KEYC_ESC);
    assert_ptr_equal(sc->popup, &popup_settings);
    assert_string_equal(s.set->theme.name, "mine");
    close_setup(&s);
}

/* Esc brings back what was there, whatever became of its file, or of a setting without a name. */
static void theme_comes_back(void **state) {
    (void)state;
    struct setup s;
    open_setup(&s, 80, 24);
    struct screen *sc = &s.f.sc;
    for (int round = 0; round < 2; round++) {
        write_file("tdtop/themes/brief.toml",
                   "base = \"nord\"\n[style]\nvalue = { fg = \"#654321\" }\n");
        assert_int_equal(settings_set(sc, "theme", "brief"), 0);
        if (round == 1)
            settings_find(s.set, "theme")->value[0] = '\0';
        else
            remove_file("tdtop/themes/brief.toml");
        fixture_keys(&s.f, ":themes\n");
        list_select(&s.set->theme_list, theme_row(&s, "nord"));
        assert_string_equal(s.set->theme.name, "nord");
        fixture_key(&s.f, KEYC_ESC);
        assert_string_equal(s.set->theme.name, "brief");
        assert_int_equal(s.set->theme.look[STYLE_VALUE].fg, 0x654321);
    }
    remove_file("tdtop/themes/brief.toml");
    close_setup(&s);
}

/* The row says the interval that is asked for, to the nanosecond. */
static void interval_is_exact(void **state) {
    (void)state;
    struct setup s;
    open_setup(&s, 80, 24);
    s.f.s.control.interval_ns = 33300000;
    settings_look(&s.f.sc);
    assert_string_equal(value(&s, "interval"), "33300us");
    close_setup(&s);
}

static void themes_pictures(void **state) {
    (void)state;
    struct setup s;
    setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    open_setup(&s, 80, 24);
    fixture_keys(&s.f, ":themes\n");
    fixture_goldens(&s.f, "themes");
    fixture_all_sizes(&s.f);
    setenv("XDG_CONFIG_HOME", dir, 1);
    close_setup(&s);
}

/* ---- saving the screen ---- */

static void type_path(struct setup *s, const char *path) {
    struct form_text *text = &s->f.sc.ask.text;
    assert_true(s->f.sc.ask.typing);
    form_set(text, path);
    fixture_keys(&s->f, "\n");
}

static bool file_has(const char *path, const char *text) {
    static char all[512 * 1024];
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    all[fread(all, 1, sizeof(all) - 1, f)] = '\0';
    fclose(f);
    return strstr(all, text) != NULL;
}

static void saving(void **state) {
    (void)state;
    struct setup s;
    char path[128];
    open_setup(&s, 80, 24);
    struct screen *sc = &s.f.sc;
    fixture_keys(&s.f, "P");
    assert_true(str_starts(sc->ask.text.text, "tdtop-"));
    assert_true(str_ends(sc->ask.text.text, ".svg"));
    snprintf(path, sizeof(path), "%s/a.svg", dir);
    type_path(&s, path);
    assert_true(file_has(path, "<svg"));
    assert_true(file_has(path, "Backend_Bound"));
    assert_false(file_has(path, "save the screen")); /* not its own question */

    /* Over one that is there only after yes. */
    write_file("a.svg", "precious");
    fixture_keys(&s.f, "P");
    type_path(&s, path);
    assert_true(sc->ask.typing);
    fixture_keys(&s.f, "n\n");
    assert_true(file_has(path, "precious"));
    fixture_keys(&s.f, "P");
    type_path(&s, path);
    fixture_key(&s.f, KEYC_ESC);
    assert_true(file_has(path, "precious"));
    fixture_keys(&s.f, "P");
    type_path(&s, path);
    fixture_keys(&s.f, "yes\n");
    assert_true(file_has(path, "<svg"));

    snprintf(path, sizeof(path), "%s/a.txt", dir);
    fixture_keys(&s.f, "P");
    type_path(&s, path);
    assert_true(file_has(path, "Backend_Bound"));
    setenv("HOME", dir, 1);
    fixture_keys(&s.f, "P");
    type_path(&s, "~/b.ansi");
    snprintf(path, sizeof(path), "%s/b.ansi", dir);
    assert_true(file_has(path, "\033["));
    fixture_keys(&s.f, "P");
    type_path(&s, "/tmp/x.gif");
    assert_non_null(strstr(sc->message, "ending"));
    fixture_keys(&s.f, "P");
    type_path(&s, "");
    assert_non_null(strstr(sc->message, "no name"));
    fixture_keys(&s.f, "P");
    type_path(&s, "/nonexistent/x.svg");
    assert_non_null(strstr(sc->message, "/nonexistent/x.svg"));
    close_setup(&s);
}

/* ---- copying ---- */

static void copying(void **state) {
    (void)state;
    struct setup s;
    open_setup(&s, 80, 24);
    struct screen *sc = &s.f.sc;
    fixture_keys(&s.f, "C");
    assert_int_equal(fixture_host.n_sent, 0);
    assert_non_null(strstr(sc->message, "clipboard = true"));

    settings_set(sc, "clipboard", "true");
    fixture_keys(&s.f, "C");
    assert_true(str_starts(fixture_host.sent, "\033]52;c;"));
    assert_true(str_starts(sc->message, "copied: L3_Bound "));
    assert_non_null(strstr(sc->message, "±"));
    size_t value_n = fixture_host.n_sent;
    fixture_keys(&s.f, ":copy-table\n");
    assert_true(fixture_host.n_sent > 2 * value_n);

    s.set->clip_way = CLIP_NEVER;
    fixture_host.n_sent = 0;
    fixture_keys(&s.f, "C");
    assert_int_equal(fixture_host.n_sent, 0);
    assert_non_null(strstr(sc->message, "no clipboard"));
    close_setup(&s);
}

/* ---- whatever is pressed ---- */

/* Not P, which would write files here, and not what ends the program. */
static void any_keys(void **state) {
    (void)state;
    static const uint32_t keys_of_it[] = {
        ':',         ':',       KEYC_F2,    KEYC_F2,    KEYC_UP,
        KEYC_DOWN,   KEYC_LEFT, KEYC_RIGHT, KEYC_PGUP,  KEYC_PGDN,
        KEYC_HOME,   KEYC_END,  KEYC_ENTER, KEYC_ENTER, KEYC_ESC,
        KEYC_TAB,    KEYC_BTAB, 'C',        ' ',        KEYC_BACKSPACE,
        KEYC_DELETE, 't',       'h',        'e',        'm',
        'v',         'i',       'w',        'd',        '2',
        '0',         0x4e2d,    KEYC_F1,    'a'};
    struct setup s;
    uint32_t seed = 7;
    open_setup(&s, 80, 24);
    for (int i = 0; i < 1500; i++) {
        seed = seed * 1664525 + 1013904223;
        uint32_t pick = (seed >> 16) % (sizeof(keys_of_it) / sizeof(keys_of_it[0]) + 2);
        const struct mouse m = {(int)(seed >> 8) % 90, (int)(seed >> 4) % 30,
                                (seed & 1) ? MOUSE_PRESS : MOUSE_WHEEL_DOWN};
        if (pick >= sizeof(keys_of_it) / sizeof(keys_of_it[0]))
            screen_key(&s.f.sc, KEYC_MOUSE, &m);
        else
            fixture_key(&s.f, keys_of_it[pick]);
        if (i % 5 == 0)
            screen_draw(&s.f.sc);
        if (i % 500 == 0)
            assert_int_equal(screen_resize(&s.f.sc, 20 + i % 130, 3 + i % 50), 0);
        s.f.sc.quit = false;
    }
    close_setup(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_click_beside),
        cmocka_unit_test(theme_comes_back),
        cmocka_unit_test(interval_is_exact),
        cmocka_unit_test(changes),
        cmocka_unit_test(offers_what_the_screen_has),
        cmocka_unit_test(keys_are_followed),
        cmocka_unit_test(saves_when_asked),
        cmocka_unit_test(settings_pictures),
        cmocka_unit_test(themes),
        cmocka_unit_test(themes_pictures),
        cmocka_unit_test(saving),
        cmocka_unit_test(copying),
        cmocka_unit_test(any_keys),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
