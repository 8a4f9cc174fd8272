#include "cli/config/config.h"

#include "base/str.h"
#include "cli/cli.h"
#include "session/session.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define MS       1000000ull

static char dir[] = "/tmp/test_config_XXXXXX";
static char file[64]; /* dir/config.toml */

static int make_dir(void **state) {
    (void)state;
    if (!mkdtemp(dir))
        return -1;
    snprintf(file, sizeof(file), "%s/config.toml", dir);
    return 0;
}

static int remove_dir(void **state) {
    (void)state;
    unlink(file);
    return rmdir(dir);
}

static void write_file(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

struct warnings {
    int n;
    char last[512];
};

static void collect(void *user, const char *line) {
    struct warnings *w = user;
    w->n++;
    str_copy(w->last, sizeof(w->last), line);
}

/* Each row of the table, so that a new setting is not forgotten. */
static void assert_same(const struct config *got, const struct config *want) {
    char is[4096], be[4096];
    for (size_t i = 0; i < config_n_settings; i++) {
        const struct setting *s = &config_settings[i];
        config_value(got, s, is, sizeof(is));
        if (strcmp(is, config_value(want, s, be, sizeof(be))) != 0)
            fail_msg("%s: is %s, not %s", s->key, is, be);
    }
}

static void defaults(void **state) {
    (void)state;
    struct config c;
    config_defaults(&c);
    const struct config want = {
        .interval_ns = 1000 * MS,
        .theme = "default",
        .mouse = true,
        .colors = -1,
        .model_dir = "",
        .model = "",
        .metrics_dir = "",
        .cputype = "",
        .speed = 1.0,
        .log = "",
        .plot = -1,
        .advice = "toplev",
        .layout = "home",
        .view = "tree",
    };
    assert_same(&c, &want);
    config_free(&c);
}

/* What is shown of an interval is what it is: who writes it back changes nothing. */
static void odd_interval_is_shown(void **state) {
    (void)state;
    struct config c;
    char value[64] = "";
    config_defaults(&c);
    c.interval_ns = 33300000;
    for (size_t i = 0; i < config_n_settings; i++)
        if (strcmp(config_settings[i].key, "interval") == 0)
            config_value(&c, &config_settings[i], value, sizeof(value));
    assert_string_equal(value, "33300us");
    config_free(&c);
}

/* Defaults pass their own limits, and every key has words. */
static void table_is_sound(void **state) {
    (void)state;
    for (size_t i = 0; i < config_n_settings; i++) {
        const struct setting *s = &config_settings[i];
        uint64_t ns = 0;
        assert_true(s->help && s->help[0]);
        if (s->type == SETTING_DURATION)
            assert_int_equal(str_duration(s->text, 0, &ns, NULL), 0);
        const double v = s->type == SETTING_DURATION ? (double)ns : s->number;
        if (s->type <= SETTING_REAL && !(v >= s->min && v <= s->max))
            fail_msg("%s: default outside its limits", s->key);
        const struct choice *ch = s->choices;
        while (ch && ch->name && strcmp(ch->name, s->text) != 0)
            ch++;
        if (s->type == SETTING_CHOICE && !(ch && ch->name))
            fail_msg("%s: its default is no choice", s->key);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(s->key, config_settings[k].key);
    }
}

/* The example yields exactly the defaults, without a warning, and leaves no key out. */
static void example_is_the_defaults(void **state) {
    (void)state;
    struct config want, c;
    struct warnings w = {0};
    struct err err = {0};
    config_defaults(&want);
    if (config_load(&c, "config.example.toml", collect, &w, &err) != 0)
        fail_msg("%s", err.text);
    if (w.n)
        fail_msg("%s", w.last);
    assert_same(&c, &want);
    config_free(&c);

    struct toml_doc doc;
    assert_int_equal(toml_parse_file(&doc, "config.example.toml", &err), 0);
    const struct toml *v = doc.root->first;
    for (size_t i = 0; i < config_n_settings; i++, v = v->next) {
        if (!toml_get(doc.root, config_settings[i].key))
            fail_msg("config.example.toml has no '%s'", config_settings[i].key);
        assert_string_equal(v->key, config_settings[i].key); /* in the order of the table */
    }
    assert_null(v);
    toml_free(&doc);
}

/* A comment stands above every key of the example. */
static void example_is_commented(void **state) {
    (void)state;
    char *text;
    size_t len;
    assert_int_equal(str_read_file("config.example.toml", 1 << 16, &text, &len, NULL), 0);
    char before = '\n';
    int keys = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (line[0] != '#') {
            keys++;
            if (before != '#')
                fail_msg("no comment above: %s", line);
        }
        before = line[0];
    }
    assert_int_equal(keys, config_n_settings);
    free(text);
}

static void reads_every_setting(void **state) {
    (void)state;
    struct config c;
    struct err err = {0};
    struct warnings w = {0};
    write_file(file, "interval = '250ms'\nlevel = 6\ntheme = 'light'\nmouse = false\nascii = true\n"
                     "color = 'truecolor'\nmodel_dir = '/m'\nmodel = 'spr'\nspeed = 2\nlog = '/l'\n"
                     "metrics_dir = '/x'\ncputype = 'atom'\nfocus = 'open'\nplot = 'ascii'\n"
                     "advice = 'perf-topdown'\nclipboard = true\nlayout = 'bare'\nview = 'cpus'\n");
    if (config_load(&c, file, collect, &w, &err) != 0)
        fail_msg("%s", err.text);
    const struct config want = {
        .interval_ns = 250 * MS,
        .level = 6,
        .theme = "light",
        .ascii = true,
        .colors = 1 << 24,
        .model_dir = "/m",
        .model = "spr",
        .metrics_dir = "/x",
        .cputype = "atom",
        .speed = 2.0,
        .log = "/l",
        .focus = FOCUS_OPEN,
        .plot = 2,
        .advice = "perf-topdown",
        .clipboard = true,
        .layout = "bare",
        .view = "cpus",
    };
    assert_same(&c, &want);
    assert_int_equal(w.n, 0);
    for (size_t i = 0; i < config_n_settings; i++)
        if (!config_entry(&c, config_settings[i].key))
            fail_msg("%s is not in the file of this test", config_settings[i].key);
    config_free(&c);
    config_free(&c);
}

static void single_values(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *words; /* of the error after "FILE:", NULL: accepted */
    } cases[] = {
        {"", NULL},
        {"# nothing\n", NULL},
        {"interval = '20ms'", NULL},
        {"interval = '1h'", NULL},
        {"speed = 0", NULL},
        {"speed = 0.5", NULL},
        {"color = 'mono'", NULL},
        {"level = 0", NULL},
        {"interval = '19ms'", "1:1: found \"19ms\" for 'interval'; expected 20ms to 3600s"},
        {"\n interval = '2h'", "2:2: found \"2h\" for 'interval'; expected 20ms to 3600s"},
        {"interval = 1000", "1:1: found integer for 'interval'; expected a duration in quotes"},
        {"interval = '1000'", "1:1: interval: '1000': not a duration; write a number and a unit"},
        {"interval = 'soon'", "1:1: interval: 'soon': not a duration"},
        {"level = 7", "1:1: found 7 for 'level'; expected 0 to 6"},
        {"level = -1", "1:1: found -1 for 'level'; expected 0 to 6"},
        {"level = '2'", "1:1: found string for 'level'; expected an integer"},
        {"level = 2.0", "1:1: found float for 'level'; expected an integer"},
        {"theme = 1", "1:1: found integer for 'theme'; expected a string in quotes"},
        {"mouse = 1", "1:1: found integer for 'mouse'; expected true or false"},
        {"ascii = 'yes'", "1:1: found string for 'ascii'; expected true or false"},
        {"color = 'blue'", "1:1: found \"blue\" for 'color'; expected auto, mono, 8, 16, 256"},
        {"color = 256", "1:1: found integer for 'color'; expected a string in quotes (auto, mono"},
        {"speed = -1", "1:1: found -1 for 'speed'; expected 0 to 1e+09"},
        {"speed = nan", "1:1: found nan for 'speed'; expected 0 to 1e+09"},
        {"speed = inf", "1:1: found inf for 'speed'"},
        {"speed = '2'", "1:1: found string for 'speed'; expected a number"},
        {"model = []", "1:1: found array for 'model'; expected a string in quotes"},
        {"keys = 3", "1:1: found integer for 'keys'; expected a table [keys] of lines such as"},
        {"[keys]\nhelp = 1", "2:1: keys.help: expected a key in quotes, or a list of them"},
        {"[keys]\nhelp = ['K', 1]", "2:1: keys.help: expected a key in quotes"},
        {"log = true", "1:1: found boolean for 'log'; expected a string in quotes"},
        {"level = 1\nlevel = 2", "2:1: found 'level'"},
        {"level 1", "1:7: found '1'; expected = after the key"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct config c, want;
        struct err err = {0};
        char words[256];
        write_file(file, cases[i].text);
        const int rc = config_load(&c, file, NULL, NULL, &err);
        if (!cases[i].words && rc != 0)
            fail_msg("'%s': %s", cases[i].text, err.text);
        if (cases[i].words) {
            snprintf(words, sizeof(words), "%s:%s", file, cases[i].words);
            if (rc != -EINVAL || !str_starts(err.text, words))
                fail_msg("'%s': rc %d, %s\n  expected %s", cases[i].text, rc, err.text, words);
            config_defaults(&want);
            assert_same(&c, &want);
        }
        config_free(&c);
    }
}

static void unknown_keys_warn(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int n, line;
        const char *words;
    } cases[] = {
        {"levle = 1", 1, 1, "unknown setting 'levle' is ignored; did you mean 'level'?"},
        {"# x\n\nfoobarbaz = 1", 1, 3, "unknown setting 'foobarbaz' is ignored; config.example"},
        {"[ui]\ntheme = 'x'\ncolor = 1", 1, 1, "unknown setting 'ui' is ignored"},
        {"a = 1\nintervall = 2", 2, 2, "did you mean 'interval'?"},
        {"\"\\u001b[31m\" = 1", 1, 1, "unknown setting '?[31m' is ignored"},
        {"level = 1", 0, 0, ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct config c;
        struct err err = {0};
        struct warnings w = {0};
        char place[96];
        write_file(file, cases[i].text);
        if (config_load(&c, file, collect, &w, &err) != 0)
            fail_msg("'%s': %s", cases[i].text, err.text);
        snprintf(place, sizeof(place), "%s:%d: ", file, cases[i].line);
        if (w.n != cases[i].n || !strstr(w.last, cases[i].words) ||
            (w.n && !str_starts(w.last, place)))
            fail_msg("'%s': %d warnings, %s", cases[i].text, w.n, w.last);
        assert_string_equal(c.theme, "default");
        config_free(&c);
        assert_int_equal(config_load(&c, file, NULL, NULL, &err), 0); /* warn may be NULL */
        config_free(&c);
    }
}

/* Names and keys are the screen's; the order of the file stays. */
static void keys_of_the_user(void **state) {
    (void)state;
    struct config c;
    struct err err = {0};
    struct warnings w = {0};
    write_file(file, "view = 'cpus'\n[keys]\nsnapshot = 'K'\nhelp = ['F1', '?']\n");
    assert_int_equal(config_load(&c, file, collect, &w, &err), 0);
    assert_int_equal(w.n, 0);
    assert_true(c.has_file);
    assert_string_equal(c.view, "cpus");
    assert_non_null(c.keys);
    assert_string_equal(c.keys->first->key, "snapshot");
    assert_string_equal(c.keys->first->string, "K");
    assert_string_equal(c.keys->first->next->first->next->string, "?");
    assert_int_equal(config_err(&c, c.keys->first, -EINVAL, "no", &err), -EINVAL);
    assert_true(strstr(err.text, "config.toml:3:1: no") != NULL);
    assert_int_equal(config_entry(&c, "view")->line, 1);
    assert_null(config_entry(&c, "theme"));
    config_free(&c);
    assert_null(c.keys);
    assert_null(config_entry(&c, "view"));
}

static void missing_files(void **state) {
    (void)state;
    struct config c, want;
    struct err err = {0};
    config_defaults(&want);
    assert_int_equal(config_load(&c, "/nonexistent/c.toml", NULL, NULL, &err), -ENOENT);
    assert_true(str_starts(err.text, "/nonexistent/c.toml: No such file"));
    assert_same(&c, &want);
    assert_int_equal(config_load(&c, dir, NULL, NULL, &err), -EISDIR);
    assert_int_equal(config_load(&c, "", NULL, NULL, &err), -EINVAL);

    err = (struct err){0};
    setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    assert_int_equal(config_load(&c, NULL, NULL, NULL, &err), 0);
    assert_int_equal(err.code, 0);
    assert_same(&c, &want);
    setenv("XDG_CONFIG_HOME", "/dev/null", 1); /* not even a folder */
    assert_int_equal(config_load(&c, NULL, NULL, NULL, &err), 0);
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("HOME");
    assert_int_equal(config_load(&c, NULL, NULL, NULL, &err), 0);
    config_free(&c);
}

static void default_places(void **state) {
    (void)state;
    static const struct {
        const char *xdg, *home, *want;
    } cases[] = {
        {"/x", "/h", "/x/tdtop/config.toml"},
        {NULL, "/h", "/h/.config/tdtop/config.toml"},
        {"", "/h", "/h/.config/tdtop/config.toml"},
        {"relative", "/h", "/h/.config/tdtop/config.toml"},
        {"relative", NULL, ""},
        {NULL, "", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char buf[128];
        unsetenv("XDG_CONFIG_HOME");
        unsetenv("HOME");
        if (cases[i].xdg)
            setenv("XDG_CONFIG_HOME", cases[i].xdg, 1);
        if (cases[i].home)
            setenv("HOME", cases[i].home, 1);
        assert_string_equal(config_path(buf, sizeof(buf)), cases[i].want);
    }

    char sub[64], path[96];
    snprintf(sub, sizeof(sub), "%s/tdtop", dir);
    snprintf(path, sizeof(path), "%s/config.toml", sub);
    assert_int_equal(mkdir(sub, 0700), 0);
    write_file(path, "level = 3\n");
    setenv("XDG_CONFIG_HOME", dir, 1);
    struct config c;
    struct err err = {0};
    assert_int_equal(config_load(&c, NULL, NULL, NULL, &err), 0);
    assert_int_equal(c.level, 3);
    config_free(&c);
    write_file(path, "level = 'x'\n"); /* there, but wrong: not passed over in silence */
    assert_int_equal(config_load(&c, NULL, NULL, NULL, &err), -EINVAL);
    unlink(path);
    rmdir(sub);
}

/* ---- together with the command line ---- */

static void command_line_wins(void **state) {
    (void)state;
    struct config c;
    struct err err = {0};
    write_file(file,
               "interval = '250ms'\nlevel = 3\ntheme = 'light'\ncolor = '256'\nmodel = 'spr'\n"
               "model_dir = '/m'\nspeed = 4\nlog = '/l'\n");
    unsetenv("TDTOP_LOG");
    struct args a = {.config = file, .speed = 1, .level = -1};
    assert_int_equal(config_for(&c, &a, &err), 0);
    assert_int_equal(a.interval_ns, 250 * MS);
    assert_int_equal(a.level, 3);
    assert_string_equal(a.model, "spr");
    assert_string_equal(a.places.models, "/m");
    assert_true(a.speed == 4.0 && !a.speed_given);
    assert_string_equal(c.theme, "light");
    assert_int_equal(c.colors, 256);
    assert_true(c.mouse && !c.ascii);
    assert_string_equal(c.log, "/l");
    config_free(&c);

    a = (struct args){.config = file,
                      .interval_ns = 100 * MS,
                      .level = 0, /* said, though it is the default */
                      .theme = "mono",
                      .color = "8",
                      .model = "generic",
                      .places.models = "/n",
                      .speed = 9,
                      .speed_given = true,
                      .log = "/k",
                      .ascii = true,
                      .no_mouse = true};
    assert_int_equal(config_for(&c, &a, &err), 0);
    assert_int_equal(a.interval_ns, 100 * MS);
    assert_int_equal(a.level, 0);
    assert_string_equal(a.model, "generic");
    assert_string_equal(a.places.models, "/n");
    assert_true(a.speed == 9.0);
    assert_string_equal(c.theme, "mono");
    assert_int_equal(c.colors, 8);
    assert_true(c.ascii && !c.mouse);
    assert_string_equal(c.log, "/k");
    config_free(&c);
}

/* What the screen would hide is kept for it: the first one, and with few columns. */
static void what_is_odd_is_kept(void **state) {
    (void)state;
    struct config c;
    struct err err = {0};
    write_file(file, "level = 2\nthme = 'nord'\nfoo = 1\n");
    struct args a = {.config = file};
    char want[160];
    snprintf(want, sizeof(want), "%s:2: unknown setting 'thme' is ignored; did you mean 'theme'?",
             strrchr(file, '/') ? strrchr(file, '/') + 1 : file);
    assert_int_equal(config_for(&c, &a, &err), 0);
    assert_string_equal(c.note, want);
    config_free(&c);
    write_file(file, "level = 2\n");
    assert_int_equal(config_for(&c, &a, &err), 0);
    assert_string_equal(c.note, "");
    config_free(&c);
}

static void settings_and_verbs(void **state) {
    (void)state;
    struct config c;
    struct err err = {0};
    write_file(file, "model = 'spr'\nlog = '/l'\n");
    struct args a = {.config = file, .verb = VERB_REPLAY};
    setenv("TDTOP_LOG", "/env", 1);
    assert_int_equal(config_for(&c, &a, &err), 0);
    assert_null(a.model); /* a recording may come from another machine */
    assert_string_equal(c.log, "/env");
    config_free(&c);
    unsetenv("TDTOP_LOG");

    a = (struct args){.config = file, .color = "blue"};
    assert_int_equal(config_for(&c, &a, &err), -EINVAL);
    assert_true(str_starts(err.text, "--color: found 'blue'; expected auto, mono, 8, 16, 256 or"));
    config_free(&c);
    a = (struct args){.config = "/nonexistent/c.toml"};
    assert_int_equal(config_for(&c, &a, &err), -ENOENT);
    config_free(&c);
}

/* The user's metrics: a folder that was named must be there, the usual one need not. */
static void metrics_folders(void **state) {
    (void)state;
    char sub[64], metrics[96], buf[128];
    struct config c;
    struct err err = {0};
    write_file(file, "");
    setenv("XDG_CONFIG_HOME", dir, 1);
    struct args a = {.config = file};
    assert_int_equal(config_for(&c, &a, &err), 0);
    assert_null(a.places.metrics);
    config_free(&c);

    snprintf(sub, sizeof(sub), "%s/tdtop", dir);
    snprintf(metrics, sizeof(metrics), "%s/metrics.d", sub);
    assert_string_equal(config_metrics_dir(buf, sizeof(buf)), metrics);
    assert_int_equal(mkdir(sub, 0700) | mkdir(metrics, 0700), 0);
    a = (struct args){.config = file};
    assert_int_equal(config_for(&c, &a, &err), 0);
    assert_string_equal(a.places.metrics, metrics);
    config_free(&c);

    snprintf(buf, sizeof(buf), "metrics_dir = '%s'\ncputype = 'atom'\n", sub);
    write_file(file, buf);
    a = (struct args){.config = file};
    assert_int_equal(config_for(&c, &a, &err), 0);
    assert_string_equal(a.places.metrics, sub);
    assert_string_equal(a.core_type, "atom");
    config_free(&c);
    a = (struct args){.config = file, .verb = VERB_DEMO, .places.metrics = dir, .core_type = "x"};
    assert_int_equal(config_for(&c, &a, &err), 0);
    assert_string_equal(a.places.metrics, dir); /* the option wins */
    assert_string_equal(a.core_type, "x");
    config_free(&c);
    rmdir(metrics);
    rmdir(sub);

    a = (struct args){.config = file};
    assert_int_equal(config_for(&c, &a, &err), -ENOENT);
    assert_true(str_starts(err.text, "metrics_dir /"));
    config_free(&c);
    a = (struct args){.config = file, .places.metrics = file};
    assert_int_equal(config_for(&c, &a, &err), -ENOTDIR);
    assert_true(str_starts(err.text, "--metrics-dir /"));
    config_free(&c);
    unsetenv("XDG_CONFIG_HOME");
}

/* --const: constants of all formulas, and latencies of single events. */
static void constants(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int rc;
        const char *words;
    } cases[] = {
        {"SMT_ON=1", 0, ""},
        {"EBS_MODE=0", 0, ""},
        {"MEM.X:retire_latency=12.5", 0, ""},
        {"MEM.Y:retire_latency=0", 0, ""},
        {"MEM.X:retire_latency=13", 0, ""}, /* the last one counts */
        {"OCR.Z:ocr_msr_val=0x10:retire_latency=7", 0, ""},
        {"MEM.X:retire_latency=-1", -EINVAL, "a latency is a number of cycles"},
        {"MEM.X:retire_latency=many", -EINVAL, "many is not a number"},
        {"MEM.X:retire_latency=nan", -EINVAL, "nan is not a number"},
        {"MEM.X:retire_latency=", -EINVAL, "nothing is not a number"},
        {":retire_latency=1", -EINVAL, "no constant of this name"},
        {"retire_latency=1", -EINVAL, "SMT_ON"},
        {"MEM.X=1", -EINVAL, "and EVENT:retire_latency"},
        {"SMT_ON", -EINVAL, "not NAME=VALUE"},
        {"=1", -EINVAL, "not NAME=VALUE"},
    };
    struct args a = {0};
    consts_init(&a.consts);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct err err = {0};
        int rc = cli_set_const(&a, cases[i].text, &err);
        if (rc != cases[i].rc || !strstr(err.text, cases[i].words))
            fail_msg("%s: %d, %s", cases[i].text, rc, err.text);
    }
    assert_true(a.consts.value[CONST_SMT_ON] == 1 && a.consts.fixed_by_user[CONST_SMT_ON]);
    assert_int_equal(a.consts.n_latency, 3);
    assert_ptr_equal(a.consts.latency, a.latency);
    assert_string_equal(a.latency[0].event, "MEM.X");
    assert_true(a.latency[0].cycles == 13);
    assert_string_equal(a.latency[2].event, "OCR.Z:ocr_msr_val=0x10");
    for (int i = 0; i < LATENCIES_MAX + 1; i++) {
        char text[64];
        struct err err = {0};
        snprintf(text, sizeof(text), "E%d:retire_latency=1", i);
        int rc = cli_set_const(&a, text, &err);
        if (rc != (i < LATENCIES_MAX - 3 ? 0 : -EINVAL))
            fail_msg("%s: %d, %s", text, rc, err.text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(table_is_sound),
        cmocka_unit_test(odd_interval_is_shown),
        cmocka_unit_test(example_is_the_defaults),
        cmocka_unit_test(example_is_commented),
        cmocka_unit_test(reads_every_setting),
        cmocka_unit_test(single_values),
        cmocka_unit_test(unknown_keys_warn),
        cmocka_unit_test(keys_of_the_user),
        cmocka_unit_test(missing_files),
        cmocka_unit_test(default_places),
        cmocka_unit_test(command_line_wins),
        cmocka_unit_test(what_is_odd_is_kept),
        cmocka_unit_test(settings_and_verbs),
        cmocka_unit_test(metrics_folders),
        cmocka_unit_test(constants),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
