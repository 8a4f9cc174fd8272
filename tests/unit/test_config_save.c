#include "cli/config/config_save.h"

#include "base/str.h"
#include "cli/config/config.h"

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

static char dir[] = "/tmp/test_config_save_XXXXXX";

static int make_dir(void **state) {
    (void)state;
    return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state) {
    (void)state;
    return rmdir(dir);
}

static void values_of_each_type(void **state) {
    (void)state;
    static const struct {
        const char *key, *value, *want; /* want NULL: refused */
    } cases[] = {
        {"interval", "250ms", "\"250ms\""},
        {"interval", "5", NULL},
        {"interval", "1ms", NULL},
        {"interval", "", NULL},
        {"level", "3", "3"},
        {"level", "7", NULL},
        {"level", "3\ntheme = \"nord\"", NULL},
        {"level", "3 # three", NULL},
        {"theme", "nord", "\"nord\""},
        {"theme", "a \"b\" \\c", "\"a \\\"b\\\" \\\\c\""},
        {"theme", "tab\there", "\"tab\\u0009here\""},
        {"theme", "Grün", "\"Grün\""},
        {"mouse", "false", "false"},
        {"mouse", "no", NULL},
        {"color", "256", "\"256\""},
        {"color", "257", NULL},
        {"focus", "open", "\"open\""},
        {"speed", "2.5", "2.5"},
        {"speed", "-1", NULL},
        {"nonsense", "1", NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char out[128];
        struct err err = {0};
        int rc = config_toml(cases[i].key, cases[i].value, out, sizeof(out), &err);
        if ((rc == 0) != (cases[i].want != NULL) || (rc == 0 && strcmp(out, cases[i].want) != 0))
            fail_msg("%s = %s: rc %d, %s, %s", cases[i].key, cases[i].value, rc, out, err.text);
        if (rc < 0)
            assert_non_null(strstr(err.text, cases[i].key));
    }
}

/* Only those lines change; everything else stays byte for byte. */
static void edits(void **state) {
    (void)state;
    static const struct {
        const char *what, *text;
        struct config_change ch[2];
        const char *want; /* NULL: refused */
        const char *words;
    } cases[] = {
        {"an empty file", "", {{"theme", "nord"}}, "theme = \"nord\"\n", NULL},
        {"a byte order mark",
         "\xEF\xBB\xBF[keys]\n",
         {{"theme", "nord"}},
         "\xEF\xBB\xBF"
         "theme = \"nord\"\n\n[keys]\n",
         NULL},
        {"a line",
         "# mine\ntheme = \"default\"\nmouse = true\n",
         {{"theme", "nord"}},
         "# mine\ntheme = \"nord\"\nmouse = true\n",
         NULL},
        {"blanks and a comment behind",
         "  theme='default'   # why not\n",
         {{"theme", "nord"}},
         "  theme=\"nord\"   # why not\n",
         NULL},
        {"a comment that looks like one",
         "# theme = \"light\"\ntheme = \"a # b\" # c\n",
         {{"theme", "nord"}},
         "# theme = \"light\"\ntheme = \"nord\" # c\n",
         NULL},
        {"an escaped quote",
         "theme = \"a\\\"b\"\n",
         {{"theme", "nord"}},
         "theme = \"nord\"\n",
         NULL},
        {"a bare value", "level = 3#x\n", {{"level", "2"}}, "level = 2#x\n", NULL},
        {"two at once, one of them new",
         "mouse = true\n",
         {{"mouse", "false"}, {"level", "2"}},
         "mouse = false\nlevel = 2\n",
         NULL},
        {"no end of line at the end",
         "mouse = true",
         {{"level", "2"}},
         "mouse = true\nlevel = 2\n",
         NULL},
        {"before a table and its comment",
         "mouse = true\n\n# my keys\n[keys]\nsnapshot = \"K\"\n",
         {{"level", "2"}},
         "mouse = true\n\nlevel = 2\n\n# my keys\n[keys]\nsnapshot = \"K\"\n",
         NULL},
        {"the same key in a table is another one",
         "[other]\nlevel = 5\n",
         {{"level", "2"}},
         "level = 2\n\n[other]\nlevel = 5\n",
         NULL},
        {"before a table whose parent comes later",
         "mouse = true\n[x.y]\na = 1\n[x]\nb = 2\n",
         {{"level", "2"}},
         "mouse = true\nlevel = 2\n\n[x.y]\na = 1\n[x]\nb = 2\n",
         NULL},
        {"before an element of an array of tables",
         "[[x.y]]\na = 1\n[x]\nb = 2\n",
         {{"level", "2"}},
         "level = 2\n\n[[x.y]]\na = 1\n[x]\nb = 2\n",
         NULL},
        {"a list that looks like a table",
         "foo = [\n[1]]\n [x]\n",
         {{"level", "2"}},
         "foo = [\n[1]]\nlevel = 2\n\n [x]\n",
         NULL},
        {"a string that ends like a comment",
         "foo = \"\"\"\n# bar\"\"\"\n# baz\n[x]\n",
         {{"level", "2"}},
         "foo = \"\"\"\n# bar\"\"\"\n# baz\nlevel = 2\n\n[x]\n",
         NULL},
        {"unknown keys stay",
         "foo = [1,\n[2]]\nmouse = true\n",
         {{"mouse", "false"}},
         "foo = [1,\n[2]]\nmouse = false\n",
         NULL},
        {"line ends of another system",
         "mouse = true\r\n",
         {{"mouse", "false"}, {"level", "2"}},
         "mouse = false\r\nlevel = 2\r\n",
         NULL},
        {"over several lines",
         "theme = \"\"\"\nx\"\"\"\n",
         {{"theme", "nord"}},
         NULL,
         "f:1:1: theme is written in a way"},
        {"a broken file", "mouse = \n", {{"theme", "nord"}}, NULL, "f:1:"},
        {"a wrong value elsewhere", "level = 9\n", {{"theme", "nord"}}, NULL, "f:1:1"},
        {"a wrong value of ours", "level = 1\n", {{"level", "x"}}, NULL, "level: \"x\""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *out = NULL;
        struct err err = {0};
        int n = cases[i].ch[1].key ? 2 : 1;
        int rc = config_edit(cases[i].text, strlen(cases[i].text), "f", cases[i].ch, n, &out, &err);
        if (cases[i].want && (rc < 0 || strcmp(out, cases[i].want) != 0))
            fail_msg("%s: rc %d %s; got\n%s", cases[i].what, rc, err.text, out ? out : "");
        if (!cases[i].want && (rc == 0 || !strstr(err.text, cases[i].words)))
            fail_msg("%s: rc %d, %s", cases[i].what, rc, err.text);
        free(out);
    }
}

/* The example with every setting changed is read back with every value. */
static void the_example(void **state) {
    (void)state;
    char *text, *out;
    size_t len;
    struct err err = {0};
    static const struct config_change ch[] = {{"interval", "250ms"}, {"theme", "nord"},
                                              {"mouse", "false"},    {"color", "16"},
                                              {"speed", "0"},        {"clipboard", "true"}};
    assert_int_equal(str_read_file("config.example.toml", 1 << 16, &text, &len, NULL), 0);
    assert_int_equal(config_edit(text, len, "example", ch, COUNT(ch), &out, &err), 0);
    size_t lines = 0, same = 0;
    for (char *a = text, *b = out; *a && *b; lines++) {
        size_t n = strcspn(a, "\n"), m = strcspn(b, "\n");
        same += n == m && memcmp(a, b, n) == 0;
        a += n + (a[n] != '\0');
        b += m + (b[m] != '\0');
    }
    assert_int_equal(lines - same, COUNT(ch));
    free(text);
    free(out);
}

static void write_file(const char *path, const char *text, mode_t mode) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    assert_int_equal(chmod(path, mode), 0);
}

static void assert_file(const char *path, const char *want) {
    char *text;
    size_t len;
    assert_int_equal(str_read_file(path, 1 << 16, &text, &len, NULL), 0);
    assert_string_equal(text, want);
    free(text);
}

static void files(void **state) {
    (void)state;
    char path[128], link[128], folder[128];
    struct err err = {0};
    struct stat st;
    static const struct config_change ch = {"theme", "nord"}, bad = {"level", "x"};
    snprintf(folder, sizeof(folder), "%s/new", dir);
    snprintf(path, sizeof(path), "%s/new/config.toml", dir);
    snprintf(link, sizeof(link), "%s/link.toml", dir);

    assert_int_equal(config_save(path, &ch, 1, &err), 0); /* makes folder and file */
    assert_file(path, "theme = \"nord\"\n");
    write_file(path, "# x\nmouse = false\n", 0600);
    assert_int_equal(config_save(path, &ch, 1, &err), 0);
    assert_file(path, "# x\nmouse = false\ntheme = \"nord\"\n");
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);

    assert_int_equal(symlink(path, link), 0); /* the link stays one */
    static const struct config_change other = {"mouse", "true"};
    assert_int_equal(config_save(link, &other, 1, &err), 0);
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_file(path, "# x\nmouse = true\ntheme = \"nord\"\n");

    assert_int_equal(config_save(path, &bad, 1, &err), -EINVAL); /* and nothing has changed */
    assert_non_null(strstr(err.text, "not saved: level"));
    assert_file(path, "# x\nmouse = true\ntheme = \"nord\"\n");
    assert_int_equal(config_save("", &ch, 1, &err), -ENOENT);
    assert_true(config_save("/proc/tdtop/config.toml", &ch, 1, &err) < 0);
    assert_non_null(strstr(err.text, "not saved"));

    unlink(link);
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* nothing was left beside it */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_each_type),
        cmocka_unit_test(edits),
        cmocka_unit_test(the_example),
        cmocka_unit_test_setup_teardown(files, make_dir, remove_dir),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
