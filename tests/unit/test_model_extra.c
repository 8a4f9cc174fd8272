/* The user's own metrics: a folder of files that adds to a model. */
#include "model/load/model.h"

#include "base/str.h"
#include "model/load/expr.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { FILES_MAX = 4 };

struct folder {
    char dir[32];
    char path[FILES_MAX][96];
    int n;
};

static void folder_make(struct folder *f) {
    *f = (struct folder){.dir = "/tmp/tdtop-extra-XXXXXX"};
    assert_non_null(mkdtemp(f->dir));
}

static void folder_add(struct folder *f, const char *name, const char *text) {
    char *path = f->path[f->n++];
    char dir[sizeof(f->dir)];
    str_copy(dir, sizeof(dir), f->dir);
    snprintf(path, sizeof(f->path[0]), "%s/%s", dir, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void folder_remove(struct folder *f) {
    for (int i = 0; i < f->n; i++)
        unlink(f->path[i]);
    assert_int_equal(rmdir(f->dir), 0);
}

static int open_with(struct model *m, const char *name, const char *dir, struct err *err) {
    *err = (struct err){0};
    return model_open(m, name, &(struct model_places){.metrics = dir}, err);
}

static void must_open(struct model *m, const char *name, const char *dir) {
    struct err err;
    if (open_with(m, name, dir, &err) < 0)
        fail_msg("%s: %s", name, err.text);
}

static const struct metric *metric(const struct model *m, const char *name) {
    int i = model_find(m, name);
    if (i == METRIC_NONE)
        fail_msg("no metric %s", name);
    return &m->metric[i];
}

/* Files in alphabetical order, metrics in that of their file, behind all of the model's. */
static void test_order(void **state) {
    (void)state;
    static const char *const wanted[] = {"A1", "A2", "B1"};
    struct folder f;
    folder_make(&f);
    folder_add(&f, "b.toml", "[metric.B1]\nformula = 'A2 + A1'\n"); /* names one of another file */
    folder_add(&f, "a.toml",
               "[metric.A1]\nformula = 'NUM_CPUS'\nvital = true\n"
               "[metric.A2]\nformula = 'A1 * 2'\nthreshold = 1\n");
    folder_add(&f, "c.txt", "this is no TOML");
    folder_add(&f, ".hidden.toml", "nor is this");
    struct model plain, m;
    must_open(&plain, "software", NULL);
    must_open(&m, "software", f.dir);
    assert_int_equal(m.n_tree, plain.n_tree);
    assert_int_equal(m.n_metric, plain.n_metric + 3);
    for (uint32_t i = 0; i < plain.n_metric; i++)
        assert_string_equal(m.metric[i].name, plain.metric[i].name);
    for (int i = 0; i < 3; i++) {
        const struct metric *mt = &m.metric[plain.n_metric + (uint32_t)i];
        assert_string_equal(mt->name, wanted[i]);
        assert_int_equal(mt->kind, METRIC_INFO);
        assert_null(mt->unavailable);
        assert_non_null(mt->ast);
    }
    assert_true(metric(&m, "A1")->vital);
    assert_string_equal(metric(&m, "A2")->threshold_text, "A2 > 1");
    model_free(&m);
    model_free(&plain);
    folder_remove(&f);
}

static void test_events(void **state) {
    (void)state;
    struct folder f;
    folder_make(&f);
    folder_add(&f, "spr.toml",
               "for = ['spr', 'zen*']\n[event]\n"
               "'MY.EVENT' = { code = 0xd1, umask = 0x04 }\n"
               "'INST_RETIRED.ANY' = { config = 0xc0, fixed = 0 }\n" /* as in the model */
               "[latency]\n'MY.EVENT' = 3.5\n"
               "[metric.Mine]\nformula = 'MY.EVENT:c1 * MY.EVENT:retire_latency / "
               "INST_RETIRED.ANY + IPC'\n");
    struct model m;
    must_open(&m, "spr", f.dir);
    const struct event *ev = &m.event[model_find_event(&m, "MY.EVENT:c1")];
    assert_int_equal(ev->config, 0x10004d1);
    const struct latency *latency = NULL;
    for (uint32_t i = 0; i < m.n_latency; i++)
        if (!strcmp(m.latency[i].event, "MY.EVENT"))
            latency = &m.latency[i];
    assert_non_null(latency);
    assert_true(latency->cycles == 3.5 && latency->own);
    assert_non_null(metric(&m, "Mine")->ast);
    model_free(&m);
    must_open(&m, "software", f.dir); /* it is not for this one */
    assert_int_equal(model_find(&m, "Mine"), METRIC_NONE);
    model_free(&m);
    must_open(&m, "src/model/cpu/spr.toml", f.dir); /* by the model's name, not its file's */
    metric(&m, "Mine");
    model_free(&m);
    folder_remove(&f);
}

/* A latency that the user gives replaces the vendor's. */
static void test_latency_replaced(void **state) {
    (void)state;
    struct folder f;
    folder_make(&f);
    folder_add(&f, "model.toml",
               "name = 'own'\ntitle = 'T'\nrung = 'full'\nscope = 's'\n[event]\nE = { code = 1 }\n"
               "F = { code = 2 }\n[latency]\nE = 9\nF = 8\n"
               "[metric.X]\nformula = 'E:retire_latency + F:retire_latency'\n");
    struct folder extra;
    folder_make(&extra);
    folder_add(&extra, "a.toml", "[latency]\nE = 12.5\n");
    struct model m;
    must_open(&m, f.path[0], extra.dir);
    assert_int_equal(m.n_latency, 2);
    assert_true(m.latency[0].cycles == 12.5 && m.latency[0].own);
    assert_true(m.latency[1].cycles == 8 && !m.latency[1].own);
    assert_int_equal(metric(&m, "X")->ast->kid[0]->index, CONST_N);
    model_free(&m);
    folder_remove(&f);
    folder_remove(&extra);
}

/* What a metric for every model names, and this one lacks, makes it unavailable, with the reason.
 */
static void test_unavailable(void **state) {
    (void)state;
    static const struct {
        const char *name, *keys, *reason;
    } cases[] = {
        {"By_Event", "formula = 'NO_SUCH.EVENT:c1 / 2'", "'NO_SUCH.EVENT:c1'"},
        {"By_Metric", "formula = '1'\nthreshold = 'Retiring > 1'", "'Retiring'"},
        {"By_Fallback", "formula = '1'\nfallback = 'Retiring'\nfallback_note = 'n'", "'Retiring'"},
        {"By_Layout", "formula = 'MY.EVENT'", "event 'MY.EVENT': umask, cmask"},
        {"By_Modifier", "formula = 'task_clock:c1'", "modifier ':c1' is for Intel and AMD"},
    };
    char text[1024] = "event.'MY.EVENT' = { code = 1, umask = 1 }\n";
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "[metric.%s]\n%s\n",
                 cases[i].name, cases[i].keys);
    struct folder f;
    folder_make(&f);
    folder_add(&f, "a.toml", text);
    struct model m;
    must_open(&m, "software", f.dir);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct metric *mt = metric(&m, cases[i].name);
        if (!mt->unavailable || !str_starts(mt->unavailable, "not with the model software: ") ||
            !strstr(mt->unavailable, cases[i].reason))
            fail_msg("%s: %s", mt->name, mt->unavailable ? mt->unavailable : "available");
        assert_null(mt->ast);
        assert_null(mt->threshold);
        assert_non_null(mt->formula); /* it is shown all the same */
    }
    model_free(&m);
    folder_remove(&f);
}

/* Each mistake names the file of the user's, the line and the column. */
static void test_mistakes(void **state) {
    (void)state;
    static const struct {
        const char *what, *text, *says;
    } cases[] = {
        {"not TOML", "x\n", ":1:"},
        {"syntax", "[metric.X]\nformula = '1 +'\n", ":2:15: formula of X: found the end"},
        {"unknown key", "title = 'x'\n", ":1:1: unknown key 'title'; known: for, shared, event"},
        {"a name of the model's", "[metric.IPC]\nformula = '1'\n",
         ":1:9: metric 'IPC' is one of the model spr; choose another name"},
        {"in another case", "[metric.ipc]\nformula = '1'\n", ":1:9: metric 'ipc' is one of"},
        {"a vendor's name of the model's", "[metric.Info_Thread_IPC]\nformula = '1'\n",
         ":1:9: metric 'Info_Thread_IPC' has the vendor's name of 'IPC' of the model spr"},
        {"an event for it that it lacks", "for = ['spr']\n[metric.X]\nformula = 'NO.SUCH'\n",
         ":3:12: formula of X: no such event, metric or constant: 'NO.SUCH'"},
        {"an event of the model's, encoded otherwise",
         "[event]\n'INST_RETIRED.ANY' = { code = 0xc1 }\n",
         ":2:1: event 'INST_RETIRED.ANY' is in spr.toml (built in) already, encoded otherwise"},
        {"an event of the model's, scaled otherwise",
         "[event]\n'UNC_M_CAS_COUNT.RD' = { pmu = 'uncore', device = 'uncore_imc', "
         "sysfs = 'cas_count_read', scale = 2 }\n",
         ":2:1: event 'UNC_M_CAS_COUNT.RD' is in spr.toml (built in) already, encoded otherwise"},
        {"an event with a metric's name", "[event]\nIPC = { code = 0xc1 }\n",
         ":2:1: event 'IPC' has the name of a metric of the model spr"},
        {"next to nowhere, for it",
         "for = ['s*']\n[metric.X]\nformula = '1'\nnext = ['No_Such_X']\n", ":4:1: next of 'X'"},
        {"a cycle", "[metric.X]\nformula = 'X'\n", ":1:9: metrics refer to each other"},
        {"approximate_when",
         "[metric.X]\nformula = '1'\napproximate = 'a'\napproximate_when = 'IPC > 1'\n",
         ":4:1: approximate_when of 'X' names 'IPC', which is counted"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct folder f;
        struct model m;
        struct err err;
        folder_make(&f);
        folder_add(&f, "bad.toml", cases[i].text);
        int rc = open_with(&m, "spr", f.dir, &err);
        if (rc != -EINVAL || !str_starts(err.text, f.path[0]) ||
            !str_starts(err.text + strlen(f.path[0]), cases[i].says))
            fail_msg("%s: rc %d: %s", cases[i].what, rc, err.text);
        model_free(&m);
        folder_remove(&f);
    }
}

static void test_twice(void **state) {
    (void)state;
    struct folder f;
    struct model m;
    struct err err;
    folder_make(&f);
    folder_add(&f, "a.toml", "[metric.X]\nformula = '1'\n");
    folder_add(&f, "b.toml", "\n[metric.x]\nformula = '1'\n");
    assert_int_equal(open_with(&m, "spr", f.dir, &err), -EINVAL);
    assert_true(str_starts(err.text, f.path[1]));
    assert_non_null(strstr(err.text, ":2:9: metric 'x' is in "));
    assert_non_null(strstr(err.text, "a.toml already"));
    folder_remove(&f);
}

static void test_folders(void **state) {
    (void)state;
    struct folder f;
    struct model m;
    struct err err;
    must_open(&m, "spr", "/nowhere/at/all"); /* nobody must have one */
    model_free(&m);
    folder_make(&f);
    folder_add(&f, "a.toml", "");
    must_open(&m, "spr", f.dir); /* an empty file adds nothing */
    model_free(&m);
    assert_int_equal(open_with(&m, "spr", f.path[0], &err), -ENOTDIR);
    assert_non_null(strstr(err.text, f.path[0]));
    unlink(f.path[0]);
    assert_int_equal(mkdir(f.path[0], 0700), 0); /* "a.toml" that cannot be read as a file */
    assert_true(open_with(&m, "spr", f.dir, &err) < 0);
    assert_non_null(strstr(err.text, "a.toml"));
    assert_int_equal(rmdir(f.path[0]), 0);
    folder_remove(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_latency_replaced),
        cmocka_unit_test(test_unavailable),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_twice),
        cmocka_unit_test(test_folders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
