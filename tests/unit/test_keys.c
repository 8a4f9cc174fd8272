/* Keys of the user's own: names of keys and actions, clashes, and that the screen names them. */
#include "ui_fixture.h"

#include "ui/screen/keys.h"
#include "ui/screen/views.h"
#include "ui/term/key_name.h"

#include <errno.h>
#include <glob.h>
#include <regex.h>

static int map(const char *name, const char *key, struct err *err) {
    const char *one[] = {key};
    return keys_map(name, one, 1, err);
}

static int reset(void **state) {
    (void)state;
    keys_map_reset();
    return 0;
}

static void test_names_of_keys(void **state) {
    (void)state;
    static const struct {
        const char *name;
        uint32_t key;
    } cases[] = {
        {"K", 'K'},
        {"k", 'k'},
        {"Space", ' '},
        {"space", ' '},
        {"F5", KEYC_F5},
        {"PgUp", KEYC_PGUP},
        {"Shift-Tab", KEYC_BTAB},
        {"Del", KEYC_DELETE},
        {"Ctrl-T", 0x14},
        {"ctrl-t", 0x14},
        {"Ctrl-L", KEYC_CTRL_L},
        {"é", 0xe9},
        {"?", '?'},
        {"Ctrl-I", 0},
        {"", 0},
        {"KK", 0},
        {"F13", 0},
        {"Ctrl-", 0},
        {"Ctrl-1", 0},
        {" ", 0},
        {"\x1b", 0},
        {"\xff", 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char name[24];
        uint32_t key = key_parse(cases[i].name);
        if (key != cases[i].key)
            fail_msg("\"%s\": %x, wanted %x", cases[i].name, key, cases[i].key);
        if (key)
            assert_int_equal(key_parse(key_name(key, name, sizeof(name))), key);
    }
    for (uint32_t key = KEYC_UP; key < KEYC_RESIZE; key++) {
        char name[24];
        if (key_parse(key_name(key, name, sizeof(name))) != key)
            fail_msg("key %x is called \"%s\"", key, name);
    }
}

/* Each row has a name of small letters; rows of one name are one action. */
static void test_names_of_actions(void **state) {
    (void)state;
    for (size_t i = 0; i < n_keys; i++) {
        if (keys_is_heading(&keys[i]))
            continue;
        assert_non_null(keys[i].name);
        assert_int_equal(strspn(keys[i].name, "abcdefghijklmnopqrstuvwxyz-0123456789"),
                         strlen(keys[i].name));
    }
}

/* As it comes, a key does in each context what every row says that has it there. */
static void test_no_clash(void **state) {
    (void)state;
    struct keys_clash clash;
    char key[24];
    assert_false(keys_map_clash(&clash));
    for (size_t i = 0; i < n_keys; i++)
        for (unsigned bit = 0; bit < 32; bit++)
            for (int k = 0; k < KEYS_EACH && (keys[i].where >> bit & 1) && keys[i].key[k]; k++) {
                const unsigned where = 1U << bit;
                const struct key_binding *does = keys_find(keys[i].key[k], (enum key_context)where);
                if (keys[i].key[k] == 'Z' && where == IN_HISTORY)
                    continue; /* htop's key to freeze; the history has one of its own */
                if (strcmp(does->name, keys[i].name) != 0)
                    fail_msg("keys.c: %s of '%s' is taken by '%s' where 1 << %u of key_context.h "
                             "counts: choose another, or take that out of `where`",
                             key_name(keys[i].key[k], key, sizeof(key)), keys[i].name, does->name,
                             bit);
            }
}

static void test_remap(void **state) {
    (void)state;
    struct err err = {0};
    struct fixture f;
    struct keys_clash clash;
    const char *two[] = {"K", "F7"};
    assert_int_equal(keys_map("freeze", two, 2, &err), 0);
    assert_false(keys_map_clash(&clash));
    fixture_open(&f, "redis-server 4242");
    fixture_screen(&f, 120, 100);
    fixture_run(&f, 3);
    assert_true(fixture_shows(&f, "K freeze"));
    screen_key(&f.sc, ' ', NULL);
    assert_false(f.sc.scene.frozen);
    screen_key(&f.sc, KEYC_F7, NULL);
    assert_true(f.sc.scene.frozen);
    screen_key(&f.sc, 'K', NULL);
    assert_false(f.sc.scene.frozen);
    screen_key(&f.sc, '?', NULL);
    assert_true(fixture_shows(&f, "K F7"));
    fixture_close(&f);
}

/* An action that looks at its key sees the one of the table. */
static void test_remapped_view(void **state) {
    (void)state;
    struct err err = {0};
    struct fixture f;
    assert_int_equal(map("view-threads", "Ctrl-T", &err), 0);
    fixture_open(&f, "redis-server 4242");
    fixture_screen(&f, 120, 40);
    screen_key(&f.sc, 0x14, NULL);
    assert_ptr_equal(f.sc.scene.view, &view_threads);
    fixture_close(&f);
}

/* The advice, too, names the user's key. */
static void test_advice_names_it(void **state) {
    (void)state;
    struct err err = {0};
    char name[24];
    assert_int_equal(map("explain", "V", &err), 0);
    assert_string_equal(keys_name_of("explain", name, sizeof(name)), "V");
    assert_string_equal(keys_name_of("no-such-action", name, sizeof(name)), "");
}

static void test_no_key(void **state) {
    (void)state;
    struct err err = {0};
    char text[64];
    assert_int_equal(keys_map("freeze", NULL, 0, &err), 0);
    assert_null(keys_find('p', IN_TREE));
    assert_null(keys_brief(keys_named("freeze"), text, sizeof(text)));
    assert_string_equal(keys_show(keys_named("freeze"), text, sizeof(text)), "");
}

static void test_words(void **state) {
    (void)state;
    static const struct {
        const char *action, *key, *of, *show, *brief;
    } cases[] = {
        {"freeze", NULL, "freeze", "Space p", "Space freeze"},
        {"freeze", "K", "freeze", "K", "K freeze"},
        {"earlier", NULL, "earlier", ", .", NULL},
        {"earlier", "(", "earlier", "( .", NULL}, /* a pair: the help names both */
        {"earlier", "F5", "later", NULL, "F5/. time"},
        {"later", "é", "later", NULL, ",é time"},
        {"help", "?", "help", "?", "? help"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct err err = {0};
        char text[64];
        keys_map_reset();
        if (cases[i].key)
            assert_int_equal(map(cases[i].action, cases[i].key, &err), 0);
        const struct key_binding *k = keys_named(cases[i].of);
        if (cases[i].show && strcmp(keys_show(k, text, sizeof(text)), cases[i].show) != 0)
            fail_msg("%s = %s: shown as \"%s\"", cases[i].action, cases[i].key, text);
        if (cases[i].brief && strcmp(keys_brief(k, text, sizeof(text)), cases[i].brief) != 0)
            fail_msg("%s = %s: in brief \"%s\"", cases[i].action, cases[i].key, text);
    }
}

static void test_errors(void **state) {
    (void)state;
    static const struct {
        const char *action, *key, *words;
    } cases[] = {
        {"freze", "K", "did you mean 'freeze'?"},
        {"something-else-entirely", "K", "no action is called"},
        {"freeze", "KK", "'KK' is no key"},
        {"search-accept", "K", "typed as a letter"},
        {"quit-at-once", "Q", "typed as a letter"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct err err = {0};
        if (map(cases[i].action, cases[i].key, &err) != -EINVAL ||
            !strstr(err.text, cases[i].words))
            fail_msg("%s = %s: \"%s\"", cases[i].action, cases[i].key, err.text);
    }
    struct err err = {0};
    const char *many[] = {"1", "2", "3", "4", "5"};
    assert_int_equal(keys_map("freeze", many, 5, &err), -EINVAL);
}

static void test_clashes(void **state) {
    (void)state;
    static const struct {
        const char *what, *action, *key, *words; /* NULL: no clash */
    } cases[] = {
        {"another's key in the tree", "freeze", "e", "'explain'"},
        {"a key of the runs, in the tree", "freeze", "E", NULL},
        {"a key of the tree, in the runs", "runs-mark", "F", NULL},
        {"in a popup", "help", "j", "'down'"},
        {"its own", "freeze", "p", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct err err = {0};
        struct keys_clash clash;
        char words[256] = "";
        keys_map_reset();
        assert_int_equal(map(cases[i].action, cases[i].key, &err), 0);
        bool clashes = keys_map_clash(&clash);
        if (clashes)
            keys_clash_words(&clash, words, sizeof(words));
        if (clashes != (cases[i].words != NULL) || (clashes && !strstr(words, cases[i].words)))
            fail_msg("%s: \"%s\"", cases[i].what, words);
    }
    struct err err = {0};
    struct keys_clash clash;
    keys_map_reset(); /* two change places */
    assert_int_equal(map("explain", "x", &err), 0);
    assert_true(keys_map_clash(&clash));
    assert_int_equal(map("value", "e", &err), 0);
    assert_false(keys_map_clash(&clash));
}

static void test_keys_in_words(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"{baseline} pins it", "Ctrl-B pins it"},
        {"{back}, then {runs-open}", "Esc, then Enter"},
        {"ends with {bench}", "ends with :bench"}, /* it has no key */
        {"{nobody} {", "{nobody} {"},
        {"{}{baseline", "{}{baseline"},
        {"", ""},
    };
    struct err err;
    char text[64];
    assert_int_equal(map("baseline", "Ctrl-B", &err), 0);
    assert_int_equal(keys_map("bench", NULL, 0, &err), 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(keys_in_words(cases[i][0], text, sizeof(text)), cases[i][1]);
    assert_string_equal(keys_in_words("{baseline} pins", text, 7), "Ctrl-B");
    struct fixture f;
    fixture_open(&f, "redis-server 4242");
    fixture_screen(&f, 80, 24);
    fixture_run(&f, 3);
    fixture_keys(&f, "8");
    assert_true(fixture_shows(&f, "Ctrl-B pins what is shown as A"));
    fixture_close(&f);
}

/*
 * Messages ask for the keys that they name: the sources of the screen are read for words such as
 * "b pins it", which a remapped key makes untrue, and for names of actions that there are not.
 */
static void test_messages_ask_for_keys(void **state) {
    (void)state;
    regex_t fixed, named;
    glob_t files;
    static char line[4096];
    int n_named = 0;
    assert_int_equal(
        regcomp(&fixed,
                "\"[^\"]*(^|[ (:;,\"])([a-zA-Z]|Esc|Enter|Space|Tab|F[0-9]+) "
                "(un)?(pins|goes|shows|opens|explains|brings|marks|keeps|saves|chooses|"
                "compares|closes|takes|changes)[ \";,]",
                REG_EXTENDED | REG_NOSUB),
        0);
    assert_int_equal(regcomp(&named, "\\{[a-z]+-?[a-z-]*\\} ", REG_EXTENDED), 0);
    assert_int_equal(glob("src/ui/*/*.c", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        FILE *in = fopen(files.gl_pathv[i], "r");
        assert_non_null(in);
        while (fgets(line, sizeof(line), in)) {
            regmatch_t at;
            char text[64];
            if (regexec(&fixed, line, 0, NULL, 0) == 0)
                fail_msg("%s: %s", files.gl_pathv[i], line);
            if (regexec(&named, line, 1, &at, 0) != 0 || !strchr(line, '"'))
                continue;
            snprintf(text, sizeof(text), "%.*s", (int)(at.rm_eo - at.rm_so - 3),
                     line + at.rm_so + 1);
            if (!keys_named(text))
                fail_msg("%s: no action is called %s", files.gl_pathv[i], text);
            n_named++;
        }
        fclose(in);
    }
    assert_true(n_named > 20);
    globfree(&files);
    regfree(&fixed);
    regfree(&named);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_of_keys),
        cmocka_unit_test(test_names_of_actions),
        cmocka_unit_test(test_no_clash),
        cmocka_unit_test_teardown(test_remap, reset),
        cmocka_unit_test_teardown(test_remapped_view, reset),
        cmocka_unit_test_teardown(test_advice_names_it, reset),
        cmocka_unit_test_teardown(test_keys_in_words, reset),
        cmocka_unit_test(test_messages_ask_for_keys),
        cmocka_unit_test_teardown(test_no_key, reset),
        cmocka_unit_test_teardown(test_words, reset),
        cmocka_unit_test_teardown(test_errors, reset),
        cmocka_unit_test_teardown(test_clashes, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
