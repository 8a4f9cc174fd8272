/* Saving on a thread of its own: what is saved is in the store, what failed can be saved elsewhere.
 */
#include "store_fixture.h"
#include "ui/popup/saver.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char dir[64];

static int make_dir(void **state) {
    (void)state;
    fix_folder(dir);
    return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof(command), "rm -rf %s", dir);
    return system(command);
}

static const char *place(const char *name) {
    static char path[128];
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    return path;
}

static struct run make_run(void) {
    struct run r = {.begun_ns = 1000, .ended_ns = 2000, .t1_ns = 1000, .measured_ns = 1000};
    char **const text[] = {&r.process, &r.target, &r.command, &r.source,     &r.version,   &r.note,
                           &r.parent,  &r.model,  &r.warning, &r.model_text, &r.bottleneck};
    run_new_id(r.id);
    for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++)
        *text[i] = strdup("");
    return r;
}

/* A run that has all its values. */
static int add(struct saver *sv, struct run *r, const char *path) {
    struct session_draft d = {.run = *r, .whole = true};
    *r = (struct run){0};
    return saver_add(sv, &d, 1, path, "", NULL);
}

static bool wait_for(struct saver *sv, struct saver_result *done) {
    for (int i = 0; i < 200; i++) {
        struct pollfd fd = {.fd = sv->fd, .events = POLLIN};
        poll(&fd, 1, 50);
        if (saver_take(sv, done))
            return true;
    }
    return false;
}

static uint64_t runs_in(const char *path) {
    struct store st;
    struct store_stats stats = {0};
    if (store_open(&st, path, STORE_READ, NULL) < 0)
        return 0;
    assert_int_equal(store_stats(&st, &stats, NULL), 0);
    store_close(&st);
    return stats.n_run;
}

static void test_saves(void **state) {
    (void)state;
    struct saver sv;
    struct saver_result done;
    char id[5][RUN_ID_LEN + 1], path[128];
    snprintf(path, sizeof(path), "%s", place("runs.db"));
    assert_int_equal(saver_init(&sv, NULL), 0);
    for (int i = 0; i < 5; i++) {
        struct run r = make_run();
        memcpy(id[i], r.id, sizeof(r.id));
        assert_int_equal(add(&sv, &r, path), 0);
        assert_null(r.process); /* it has been taken over */
    }
    for (int i = 0; i < 5; i++) {
        assert_true(wait_for(&sv, &done));
        if (done.err.code)
            fail_msg("%s", done.err.text);
        assert_string_equal(done.id, id[i]);
        assert_string_equal(done.at, path);
    }
    assert_int_equal(saver_unsaved(&sv), 0);
    assert_false(saver_take(&sv, &done));
    saver_destroy(&sv);
    assert_int_equal(runs_in(path), 5);
}

static void test_elsewhere(void **state) {
    (void)state;
    struct saver sv;
    struct saver_result done;
    struct run r = make_run(), second = make_run();
    char path[128];
    assert_int_equal(mkdir(place("folder"), 0700), 0);
    assert_int_equal(saver_init(&sv, NULL), 0);
    assert_int_equal(add(&sv, &r, place("folder")), 0);
    assert_true(wait_for(&sv, &done));
    assert_true(done.err.code < 0 && strstr(done.err.text, "folder"));
    assert_int_equal(saver_unsaved(&sv), 1);
    assert_non_null(sv.failed);
    assert_int_equal(add(&sv, &second, place("folder")), 0); /* one more */
    assert_true(wait_for(&sv, &done));
    assert_int_equal(saver_unsaved(&sv), 2);
    snprintf(path, sizeof(path), "%s", place("other.db"));
    saver_retry(&sv, path);
    assert_int_equal(saver_finish(&sv, 5, NULL), 0);
    assert_int_equal(saver_unsaved(&sv), 0);
    saver_destroy(&sv);
    assert_int_equal(runs_in(path), 2);
}

/* The end of the program waits for what is on its way, and says what was lost. */
static void test_finish(void **state) {
    (void)state;
    struct saver sv;
    struct err err = {0};
    struct run r = make_run();
    assert_int_equal(saver_init(&sv, NULL), 0);
    assert_int_equal(add(&sv, &r, "/proc/nowhere/runs.db"), 0);
    assert_int_equal(saver_finish(&sv, 5, &err), 1);
    assert_non_null(strstr(err.text, "/proc/nowhere"));
    saver_destroy(&sv);
    saver_destroy(&sv); /* accepts what is destroyed */
}

/* Without a thread each fails in turn, none is stranded, and what comes later is saved. */
static void test_no_thread(void **state) {
    (void)state;
    struct saver sv;
    struct saver_result done;
    pthread_attr_t was, huge;
    char id[3][RUN_ID_LEN + 1], path[128];
    snprintf(path, sizeof(path), "%s", place("threads.db"));
    assert_int_equal(saver_init(&sv, NULL), 0);
    assert_int_equal(pthread_getattr_default_np(&was), 0);
    assert_int_equal(pthread_getattr_default_np(&huge), 0);
    assert_int_equal(pthread_attr_setstacksize(&huge, (size_t)1 << 52), 0);
    assert_int_equal(pthread_setattr_default_np(&huge), 0);
    for (int i = 0; i < 3; i++) {
        struct run r = make_run();
        memcpy(id[i], r.id, sizeof(r.id));
        assert_int_equal(add(&sv, &r, path), 0);
    }
    for (int i = 0; i < 2; i++) {
        assert_true(wait_for(&sv, &done));
        assert_string_equal(done.id, id[i]);
        assert_int_equal(done.err.code, -EAGAIN);
        assert_non_null(strstr(done.err.text, "no thread"));
    }
    assert_int_equal(saver_finish(&sv, 1, NULL), 3); /* where saver_rescue takes them from */
    saver_retry(&sv, NULL);
    assert_int_equal(pthread_setattr_default_np(&was), 0);
    assert_int_equal(saver_finish(&sv, 5, NULL), 1); /* the first of them was begun before */
    saver_retry(&sv, NULL);
    assert_int_equal(saver_finish(&sv, 5, NULL), 0);
    assert_int_equal(runs_in(path), 3);
    assert_int_equal(pthread_setattr_default_np(&huge), 0);
    struct run r = make_run();
    assert_int_equal(add(&sv, &r, path), 0);
    assert_int_equal(pthread_setattr_default_np(&was), 0);
    pthread_attr_destroy(&was);
    pthread_attr_destroy(&huge);
    saver_destroy(&sv); /* there is no thread to join */
}

static void *slow_disk(void *user) {
    struct saver *sv = user;
    const uint64_t one = 1;
    usleep(700000);
    atomic_store(&sv->ended, true);
    return write(sv->fd, &one, sizeof(one)) == sizeof(one) ? NULL : sv;
}

/* Who waits for the disk is told so, once. */
static void test_slow(void **state) {
    (void)state;
    struct saver sv;
    char text[512] = "";
    FILE *to = tmpfile();
    assert_non_null(to);
    assert_int_equal(saver_init(&sv, NULL), 0);
    sv.waiting = calloc(1, sizeof(*sv.waiting));
    sv.waiting->draft.run = make_run();
    sv.busy = true;
    const int before = dup(STDERR_FILENO);
    dup2(fileno(to), STDERR_FILENO);
    assert_int_equal(pthread_create(&sv.thread, NULL, slow_disk, &sv), 0);
    const int n = saver_finish(&sv, 0.2, NULL);
    dup2(before, STDERR_FILENO);
    close(before);
    assert_int_equal(n, 0);
    rewind(to);
    const size_t got = fread(text, 1, sizeof(text) - 1, to);
    assert_true(got > 0);
    assert_string_equal(text, "tdtop: waiting for the disk to take 1 snapshot ...\n");
    fclose(to);
    saver_destroy(&sv);
}

static int refuse(const struct run *r, const char *path, struct err *err) {
    (void)r;
    return err_set(err, -EROFS, "%s: not here", path);
}

static int write_id(const struct run *r, const char *path, struct err *err) {
    FILE *f = fopen(path, "w");
    if (!f)
        return err_set(err, -errno, "%s: %s", path, strerror(errno));
    fputs(r->id, f);
    return fclose(f);
}

/* At the end, what is in memory only goes into files, in the first folder that takes it. */
static void test_rescue(void **state) {
    (void)state;
    struct saver sv;
    struct saver_result done;
    struct err err = {0};
    char id[2][RUN_ID_LEN + 1], at[300], good[128];
    snprintf(good, sizeof(good), "%s", dir);
    const char *const folders[] = {"/proc/nowhere", good, NULL}, *const none[] = {NULL};
    assert_int_equal(saver_init(&sv, NULL), 0);
    for (int i = 0; i < 2; i++) {
        struct run r = make_run();
        memcpy(id[i], r.id, sizeof(r.id));
        assert_int_equal(add(&sv, &r, "/proc/nowhere/runs.db"), 0);
        assert_true(wait_for(&sv, &done));
    }
    assert_int_equal(saver_rescue(&sv, folders, refuse, at, sizeof(at), &err), 0);
    assert_int_equal(saver_rescue(&sv, none, write_id, at, sizeof(at), &err), 0);
    assert_int_equal(saver_unsaved(&sv), 2);
    assert_int_equal(saver_rescue(&sv, folders, write_id, at, sizeof(at), &err), 2);
    assert_int_equal(saver_unsaved(&sv), 0);
    for (int i = 0; i < 2; i++) {
        snprintf(at, sizeof(at), "%s/tdtop-unsaved-%s.json", dir, id[i]);
        assert_int_equal(access(at, R_OK), 0);
    }
    saver_destroy(&sv);
}

/* What was saved says which labels the user gave it, as far as there is room. */
static void test_labels(void **state) {
    (void)state;
    struct saver sv;
    struct saver_result done;
    struct run r = make_run();
    assert_int_equal(saver_init(&sv, NULL), 0);
    assert_int_equal(run_label_set(&r, "host", "web1", true, NULL), 0);
    assert_int_equal(run_label_set(&r, "build", "two words", false, NULL), 0);
    for (int i = 0; i < 20; i++) {
        char key[16];
        snprintf(key, sizeof(key), "key-%02d", i);
        assert_int_equal(run_label_set(&r, key, "value", false, NULL), 0);
    }
    assert_int_equal(add(&sv, &r, place("labels.db")), 0);
    assert_true(wait_for(&sv, &done));
    assert_int_equal(strncmp(done.labels, "build=\"two words\" key-00=value", 30), 0);
    assert_string_equal(done.labels + strlen(done.labels) - 4, " ...");
    saver_destroy(&sv);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_saves),  cmocka_unit_test(test_elsewhere),
        cmocka_unit_test(test_finish), cmocka_unit_test(test_rescue),
        cmocka_unit_test(test_labels), cmocka_unit_test(test_no_thread),
        cmocka_unit_test(test_slow),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
