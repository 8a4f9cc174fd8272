/* The file itself: versions, what is no store, locks, damage. */
#include "store_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "db/crc32c.h"
#include "db/store_sqlite.h"
#include "db/store_sqlite_hot.h"
#include "db/store_sqlite_sum.h"

#define NOTHING         (~0u)
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

struct box {
    char folder[64], path[96];
    struct store st;
    struct run r;
    struct err err;
};

static int setup(void **state) {
    struct box *b = calloc(1, sizeof(*b));
    assert_non_null(b);
    fix_folder(b->folder);
    assert_non_null(mkdtemp(b->folder));
    snprintf(b->path, sizeof(b->path), "%s/runs.db", b->folder);
    fix_run(&b->r, 3, 300, 20);
    *state = b;
    return 0;
}

static int teardown(void **state) {
    struct box *b = *state;
    char command[128];
    store_close(&b->st);
    run_free(&b->r);
    snprintf(command, sizeof(command), "rm -rf %s", b->folder);
    const int rc = system(command);
    free(b);
    return rc;
}

static void ok(struct box *b, int rc) {
    if (rc < 0)
        fail_msg("rc %d: %s", rc, b->err.text);
}

/* An error that names the file and says this. */
static void refused(struct box *b, int rc, int want, const char *words) {
    if (rc != want || !strstr(b->err.text, words) || !strstr(b->err.text, b->folder))
        fail_msg("rc %d, wanted %d with '%s': %s", rc, want, words, b->err.text);
}

static void open_as(struct box *b, enum store_mode mode) {
    ok(b, store_open(&b->st, b->path, mode, &b->err));
}

/* A closed store with one run in it. */
static void make_store(struct box *b) {
    open_as(b, STORE_WRITE);
    ok(b, store_save(&b->st, &b->r, &b->err));
    store_close(&b->st);
}

static void write_file(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void run_sql(struct box *b, const char *path, const char *sql) {
    sqlite3 *db;
    (void)b;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    sqlite3_close(db);
}

static int64_t ask_sql(const char *path, const char *sql) {
    sqlite3 *db;
    sqlite3_stmt *s;
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK || sqlite3_step(s) != SQLITE_ROW)
        fail_msg("%s: %s: %s", path, sql, sqlite3_errmsg(db));
    const int64_t n = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    sqlite3_close(db);
    return n;
}

static void run_is_there(struct box *b) {
    struct run back;
    ok(b, store_load(&b->st, b->r.id, RUN_ALL, &back, &b->err));
    if (fix_differ(&b->r, &back))
        fail_msg("%s differs", fix_differ(&b->r, &back));
    run_free(&back);
}

/* ---- where it is ---- */

static void test_path(void **state) {
    struct box *b = *state;
    char path[128];
    setenv("HOME", b->folder, 1);
    unsetenv("TDTOP_DB");
    unsetenv("XDG_DATA_HOME");
    refused(b, store_open(&b->st, NULL, STORE_READ, &b->err), -ENOENT,
            "/.local/share/tdtop/runs.db");
    ok(b, store_open(&b->st, NULL, STORE_WRITE, &b->err));
    store_close(&b->st);
    snprintf(path, sizeof(path), "%s/data", b->folder);
    setenv("XDG_DATA_HOME", path, 1);
    refused(b, store_open(&b->st, NULL, STORE_READ, &b->err), -ENOENT, "/data/tdtop/runs.db");
    setenv("TDTOP_DB", b->path, 1);
    refused(b, store_open(&b->st, NULL, STORE_READ, &b->err), -ENOENT, b->path);
    unsetenv("TDTOP_DB");
    unsetenv("XDG_DATA_HOME");
    unsetenv("HOME");
    assert_int_equal(store_open(&b->st, NULL, STORE_WRITE, &b->err), -ENOENT);
    assert_non_null(strstr(b->err.text, "HOME"));
    setenv("HOME", "/root", 1);
}

static void test_no_store(void **state) {
    struct box *b = *state;
    char path[128];
    struct stat s;
    refused(b, store_open(&b->st, b->path, STORE_READ, &b->err), -ENOENT, "no store of runs yet");
    assert_int_equal(stat(b->path, &s), -1);
    refused(b, store_open(&b->st, b->folder, STORE_WRITE, &b->err), -EISDIR, "a folder");
    write_file(b->path, "");
    refused(b, store_open(&b->st, b->path, STORE_READ, &b->err), -ENOENT, "nothing is in it yet");
    snprintf(path, sizeof(path), "%s/x", b->path);
    refused(b, store_open(&b->st, path, STORE_WRITE, &b->err), -ENOTDIR, "cannot be reached");
    assert_int_equal(mkfifo((snprintf(path, sizeof(path), "%s/fifo", b->folder), path), 0600), 0);
    refused(b, store_open(&b->st, path, STORE_WRITE, &b->err), -EINVAL, "not a regular file");
    make_store(b); /* an empty file becomes one */
    open_as(b, STORE_READ);
    run_is_there(b);
}

static void test_foreign(void **state) {
    struct box *b = *state;
    write_file(b->path,
               "These are words, and quite a lot of them, more than a header of SQLite has; "
               "there is no database in here at all, whoever looks at it and however long.");
    for (int mode = STORE_READ; mode <= STORE_WRITE; mode++)
        refused(b, store_open(&b->st, b->path, (enum store_mode)mode, &b->err), -EUCLEAN,
                "not a database");
    unlink(b->path);
    run_sql(b, b->path, "CREATE TABLE cookies (name TEXT)");
    for (int mode = STORE_READ; mode <= STORE_WRITE; mode++)
        refused(b, store_open(&b->st, b->path, (enum store_mode)mode, &b->err), -EINVAL,
                "of another program");
    run_sql(b, b->path, "CREATE TABLE runs (run_id TEXT); CREATE TABLE samples (x REAL)");
    refused(b, store_open(&b->st, b->path, STORE_WRITE, &b->err), -EINVAL,
            "tdtop import --from topdown-profiler");
    assert_int_equal(ask_sql(b->path, "SELECT count(*) FROM sqlite_schema"), 3);
}

static void test_odd_names(void **state) {
    struct box *b = *state;
    static const char *const names[] = {"a b?c#d%41.db", "file:x?mode=memory",
                                        ":memory:", "'\"\n;"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct stat s;
        snprintf(b->path, sizeof(b->path), "%s/%s", b->folder, names[i]);
        make_store(b);
        assert_int_equal(stat(b->path, &s), 0);
        open_as(b, STORE_READ);
        run_is_there(b);
        store_close(&b->st);
    }
    char *back = getcwd(NULL, 0);
    assert_non_null(back);
    assert_int_equal(chdir(b->folder), 0);
    ok(b, store_open(&b->st, ":memory:", STORE_READ, &b->err));
    run_is_there(b);
    assert_int_equal(chdir(back), 0);
    free(back);
}

/* ---- versions ---- */

static const char *const to_7[] = {"ALTER TABLE runs ADD COLUMN host TEXT NOT NULL DEFAULT ''",
                                   "CREATE TABLE extra (x INTEGER) STRICT", NULL};
static const char *const to_8[] = {"INSERT INTO extra SELECT count(*) FROM runs", NULL};
static const char *const to_8_bad[] = {"INSERT INTO extra VALUES (1)",
                                       "INSERT INTO nowhere VALUES (1)", NULL};
static const char *const to_8_loose[] = {"UPDATE runs SET model_hash = 'gone'", NULL};

/* Opens it as a tdtop two versions on would. */
static int open_later(struct box *b, enum store_mode mode, const char *const *last) {
    const struct sq_step steps[] = {sq_steps[0], sq_steps[1], sq_steps[2],   sq_steps[3],
                                    sq_steps[4], sq_steps[5], {.sql = to_7}, {.sql = last}};
    struct sq *sq;
    const int rc = sq_open(&sq, b->path, mode, steps, 8, &b->err);
    if (rc == 0)
        sq_close(sq);
    return rc;
}

static void test_migration(void **state) {
    struct box *b = *state;
    char backup[128];
    make_store(b);
    refused(b, open_later(b, STORE_READ, to_8), -EPROTO, "version 6, older than 8");
    ok(b, open_later(b, STORE_WRITE, to_8));
    assert_int_equal(ask_sql(b->path, "PRAGMA user_version"), 8);
    assert_int_equal(ask_sql(b->path, "SELECT x FROM extra"), 1);
    assert_int_equal(ask_sql(b->path, "SELECT count(*) FROM runs WHERE host = ''"), 1);

    for (int mode = STORE_READ; mode <= STORE_WRITE; mode++)
        refused(b, store_open(&b->st, b->path, (enum store_mode)mode, &b->err), -EPROTO,
                "version 8, and this tdtop knows none above 6; use the newer tdtop");
    assert_int_equal(ask_sql(b->path, "PRAGMA user_version"), 8);

    snprintf(backup, sizeof(backup), "%s.v6.bak", b->path);
    assert_int_equal(rename(backup, b->path), 0);
    assert_int_equal(ask_sql(b->path, "PRAGMA user_version"), 6);
    open_as(b, STORE_READ);
    run_is_there(b);
}

/* A file of version 1 is read as it is, and becomes one of version 6 when something is written. */
static void test_version_1(void **state) {
    struct box *b = *state;
    struct run_list l;
    char backup[128];
    struct stat s;
    make_store(b);
    run_sql(b, b->path,
            "DROP TABLE covered; ALTER TABLE nodes DROP COLUMN total;"
            "ALTER TABLE nodes DROP COLUMN better; ALTER TABLE runs DROP COLUMN ran_through;"
            "ALTER TABLE runs DROP COLUMN values_sum; ALTER TABLE runs DROP COLUMN counts_sum;"
            "DROP VIEW run_accesses; DROP TABLE sampled_accesses; DROP TABLE sampled_data;"
            "DROP VIEW run_branches; DROP TABLE sampled_branches; DROP TABLE sampled_records;"
            "DROP VIEW run_functions; DROP TABLE sampled_events; DROP TABLE sampled_notes;"
            "DROP TABLE sampled_modules; DROP TABLE sampled_functions; DROP TABLE sampled_threads;"
            "DROP TABLE sampled_places; DROP TABLE sampled_stacks; DROP TABLE sampled;"
            "PRAGMA user_version = 1");
    for (size_t i = 0; i < b->r.hot.n; i++)
        hot_free(&b->r.hot.at[i]);
    b->r.hot.n = 0;
    b->r.ran_through = false; /* it did not say */
    for (size_t i = 0; i < b->r.node.n; i++)
        run_node_guess(&b->r.node.at[i]);
    open_as(b, STORE_READ);
    run_is_there(b);
    ok(b, store_list(&b->st, &(struct run_query){0}, &l, &b->err));
    assert_int_equal(l.total, 1);
    run_list_free(&l);
    store_close(&b->st);
    assert_int_equal(ask_sql(b->path, "PRAGMA user_version"), 1);

    open_as(b, STORE_WRITE);
    run_is_there(b);
    ok(b, store_label(&b->st, b->r.id, "arch", "mine", &b->err));
    ok(b, store_label(&b->st, b->r.id, "arch", NULL, &b->err));
    run_is_there(b);
    assert_int_equal(ask_sql(b->path, "PRAGMA user_version"), 6);
    snprintf(backup, sizeof(backup), "%s.v1.bak", b->path);
    assert_int_equal(stat(backup, &s), 0);
    assert_int_equal(ask_sql(backup, "PRAGMA user_version"), 1);
}

static void forget_accesses(struct run *r) {
    for (size_t i = 0; i < r->hot.n; i++) {
        struct hot *h = &r->hot.at[i];
        h->access.n = 0;
        h->data = (struct hot_count){0};
        h->n_no_line = 0;
    }
}

/* Samples of version 5 have no accesses, and their sums hold in version 6. */
static void test_version_5(void **state) {
    struct box *b = *state;
    forget_accesses(&b->r);
    make_store(b);
    run_sql(b, b->path,
            "DROP VIEW run_accesses; DROP TABLE sampled_accesses; DROP TABLE sampled_data;"
            "PRAGMA user_version = 5");
    open_as(b, STORE_READ);
    run_is_there(b);
    store_close(&b->st);
    open_as(b, STORE_WRITE);
    ok(b, store_label(&b->st, b->r.id, "arch", "mine", &b->err));
    ok(b, store_label(&b->st, b->r.id, "arch", NULL, &b->err));
    run_is_there(b);
    assert_int_equal(ask_sql(b->path, "PRAGMA user_version"), 6);
}

/* Samples of version 4 have no branch records, and their sums hold in version 6. */
static void test_version_4(void **state) {
    struct box *b = *state;
    for (size_t i = 0; i < b->r.hot.n; i++) {
        struct hot *h = &b->r.hot.at[i];
        for (size_t k = 0; k < h->branch.n; k++)
            free(h->branch.at[k].file);
        h->branch.n = 0;
        h->branches = false;
        h->taken = (struct hot_taken){0};
        h->n_recorded = h->n_no_branch = 0;
    }
    forget_accesses(&b->r);
    make_store(b);
    run_sql(b, b->path,
            "DROP VIEW run_accesses; DROP TABLE sampled_accesses; DROP TABLE sampled_data;"
            "DROP VIEW run_branches; DROP TABLE sampled_branches; DROP TABLE sampled_records;"
            "PRAGMA user_version = 4");
    open_as(b, STORE_READ);
    run_is_there(b);
    store_close(&b->st);
    assert_int_equal(ask_sql(b->path, "PRAGMA user_version"), 4);
    open_as(b, STORE_WRITE);
    ok(b, store_label(&b->st, b->r.id, "arch", "mine", &b->err));
    ok(b, store_label(&b->st, b->r.id, "arch", NULL, &b->err));
    run_is_there(b);
    assert_int_equal(ask_sql(b->path, "PRAGMA user_version"), 6);
}

static void test_migration_fails(void **state) {
    struct box *b = *state;
    char backup[128];
    make_store(b);
    refused(b, open_later(b, STORE_WRITE, to_8_bad), -EUCLEAN, "no such table: nowhere");
    refused(b, open_later(b, STORE_WRITE, to_8_loose), -EUCLEAN, "not there");
    assert_int_equal(ask_sql(b->path, "PRAGMA user_version"), 6);
    open_as(b, STORE_WRITE);
    run_is_there(b);
    store_close(&b->st);
    snprintf(backup, sizeof(backup), "%s.v6.bak", b->path);
    assert_int_equal(access(backup, F_OK), -1); /* the file is as it was: no copy is left of it */
    write_file(backup, "another's");
    ok(b, open_later(b, STORE_WRITE, to_8));
    snprintf(backup, sizeof(backup), "%s.v6.bak.2", b->path); /* copies of before are not lost */
    struct stat s;
    assert_int_equal(stat(backup, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0600);
    assert_int_equal(stat(b->path, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0600);
}

/* The copy cannot be made: nothing is migrated. */
static void test_no_backup(void **state) {
    struct box *b = *state;
    char backup[128];
    make_store(b);
    snprintf(backup, sizeof(backup), "%s.v6.bak.tmp", b->path);
    assert_int_equal(mkdir(backup, 0700), 0);
    if (open_later(b, STORE_WRITE, to_8) >= 0)
        fail_msg("migrated without a copy");
    assert_non_null(strstr(b->err.text, b->path));
    assert_int_equal(ask_sql(b->path, "PRAGMA user_version"), 6);
}

/* ---- what happens to the file while it is open ---- */

static void test_migrated_meanwhile(void **state) {
    struct box *b = *state;
    struct run_list l;
    make_store(b);
    open_as(b, STORE_WRITE);
    ok(b, open_later(b, STORE_WRITE, to_8));
    refused(b, store_note(&b->st, b->r.id, "x", &b->err), -EPROTO, "use the newer tdtop");
    refused(b, store_list(&b->st, &(struct run_query){0}, &l, &b->err), -EPROTO, "version 8");
}

static void runs_are(struct box *b, struct store *st, uint64_t want) {
    struct run_list l;
    ok(b, store_list(st, &(struct run_query){0}, &l, &b->err));
    assert_int_equal(l.total, want);
    run_list_free(&l);
}

/* Moved away or removed: what is saved is in the file of that name. */
static void test_replaced(void **state) {
    struct box *b = *state;
    struct store reader;
    struct run_list l;
    char away[128];
    make_store(b);
    open_as(b, STORE_WRITE);
    ok(b, store_open(&reader, b->path, STORE_READ, &b->err));
    runs_are(b, &b->st, 1);
    snprintf(away, sizeof(away), "%s.away", b->path);
    assert_int_equal(rename(b->path, away), 0);
    refused(b, store_list(&reader, &(struct run_query){0}, &l, &b->err), -ENOENT, "No such file");
    for (int i = 0; i < 2; i++) {
        run_new_id(b->r.id);
        ok(b, store_save(&b->st, &b->r, &b->err));
    }
    assert_int_equal(ask_sql(b->path, "SELECT count(*) FROM runs"), 2);
    runs_are(b, &reader, 2);
    assert_int_equal(ask_sql(away, "SELECT count(*) FROM runs"), 1);
    store_close(&reader);
}

/* ---- locks ---- */

struct waiting {
    int calls, give_up_after;
    double waited_s;
    sqlite3 *locker; /* lets go then; NULL: never */
};

static bool wait(void *user, double waited_s) {
    struct waiting *w = user;
    w->calls++;
    w->waited_s = waited_s;
    if (w->locker && w->calls == w->give_up_after)
        sqlite3_exec(w->locker, "ROLLBACK", NULL, NULL, NULL);
    return w->locker || w->calls < w->give_up_after;
}

static void test_locked(void **state) {
    struct box *b = *state;
    make_store(b);
    open_as(b, STORE_WRITE);
    struct waiting w = {.give_up_after = 2};
    assert_int_equal(sqlite3_open(b->path, &w.locker), SQLITE_OK);
    sqlite3 *locker = w.locker;
    assert_int_equal(sqlite3_exec(locker, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    w.locker = NULL;
    store_on_wait(&b->st, wait, &w);
    run_is_there(b); /* readers do not wait */
    assert_int_equal(w.calls, 0);
    refused(b, store_note(&b->st, b->r.id, "x", &b->err), -EBUSY, "another process holds its lock");
    assert_int_equal(w.calls, 2);
    assert_true(w.waited_s >= 0.3 && w.waited_s < 2);

    w = (struct waiting){.give_up_after = 2, .locker = locker};
    ok(b, store_note(&b->st, b->r.id, "x", &b->err));
    assert_int_equal(w.calls, 2);
    sqlite3_close(locker);
}

/* ---- damage ---- */

static void overwrite(const char *path, off_t at, const void *bytes, size_t n) {
    const int fd = open(path, O_RDWR);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, bytes, n, at), (ssize_t)n);
    close(fd);
}

static void note_problem(void *user, const char *text) {
    char *all = user;
    strncat(all, text, 2000 - strlen(all));
    strncat(all, "\n", 2000 - strlen(all));
}

/* Where the file holds these bytes. */
static off_t find_bytes(const char *path, const void *bytes, size_t n) {
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    static char all[4 << 20];
    const size_t len = fread(all, 1, sizeof(all), f);
    fclose(f);
    const char *at = memmem(all, len, bytes, n);
    assert_non_null(at);
    return at - all;
}

static void test_damaged_header(void **state) {
    struct box *b = *state;
    make_store(b);
    overwrite(b->path, 0, "garbage garbage ", 16);
    refused(b, store_open(&b->st, b->path, STORE_READ, &b->err), -EUCLEAN,
            "its begin was overwritten");
    refused(b, store_open(&b->st, b->path, STORE_WRITE, &b->err), -EUCLEAN, ".bak");
}

static void test_damaged_schema(void **state) {
    struct box *b = *state;
    char page[3000];
    make_store(b);
    memset(page, 0x5a, sizeof(page));
    overwrite(b->path, 100, page, sizeof(page));
    refused(b, store_open(&b->st, b->path, STORE_READ, &b->err), -EUCLEAN, ".recover");
}

/* A byte of the counts: SQLite sees nothing, the checksum does; all else can be read. */
static void test_damaged_counts(void **state) {
    struct box *b = *state;
    char problems[2048] = "";
    struct run back;
    make_store(b);
    const struct series_chunk c = series_chunk_at(&b->r.series, 1);
    const off_t at = find_bytes(b->path, c.at + 100, 40);
    const uint8_t wrong = (uint8_t)(c.at[110] ^ 1);
    overwrite(b->path, at + 10, &wrong, 1);
    open_as(b, STORE_WRITE);
    refused(b, store_load(&b->st, b->r.id, RUN_ALL, &back, &b->err), -EUCLEAN,
            "not what was written");
    ok(b, store_load(&b->st, b->r.id, RUN_HEAD | RUN_MODEL, &back, &b->err));
    assert_null(fix_differ_head(&b->r, &back));
    run_free(&back);
    assert_int_equal(store_check(&b->st, note_problem, problems, &b->err), 1);
    assert_non_null(strstr(problems, "part 1 of its counts"));
}

static void test_damaged_rows(void **state) {
    struct box *b = *state;
    make_store(b);
    const struct {
        const char *sql, *words; /* what check says */
        unsigned loads;          /* what can be read */
    } cases[] = {
        {"UPDATE models SET text = text || ' '", "model tiny", RUN_COUNTS | RUN_SAMPLES},
        {"UPDATE runs SET intervals = 7", "values are not those that were written", NOTHING},
        {"UPDATE words SET uses = 9 WHERE key = 'arch'", "label arch", RUN_ALL},
        {"PRAGMA foreign_keys = OFF; UPDATE runs SET model_hash = 'x'",
         "runs belongs to a row of models", NOTHING},
        {"UPDATE events SET event = 900 WHERE slot = 3", "its counts are not those",
         RUN_MODEL | RUN_SAMPLES},
        {"UPDATE events SET total = total + 1 WHERE slot = 3", "its counts",
         RUN_MODEL | RUN_SAMPLES},
        {"DELETE FROM events WHERE slot = 3", "its counts", RUN_MODEL | RUN_SAMPLES},
        {"UPDATE nodes SET state = 'strange' WHERE ord = 3", "its values", NOTHING},
        {"UPDATE nodes SET value = value * 2 WHERE ord = 3", "its values are not", NOTHING},
        {"UPDATE nodes SET sd = NULL WHERE ord = 3", "its values", NOTHING},
        {"UPDATE metrics SET name = name || 'x' WHERE metric = 3", "its values", NOTHING},
        {"UPDATE facts SET value = 'x' WHERE ord = 0", "its values", NOTHING},
        {"UPDATE runs SET values_sum = NULL", "its values", NOTHING},
        {"UPDATE chunks SET intervals = 60 WHERE ord = 1", "its counts", RUN_MODEL | RUN_SAMPLES},
        {"UPDATE chunks SET bytes = x'', crc32c = 0 WHERE ord = 1", "its counts",
         RUN_MODEL | RUN_SAMPLES},
        {"UPDATE runs SET n_group = 1", "its counts", RUN_MODEL | RUN_SAMPLES},
        {"UPDATE runs SET deleted_ns = 1; UPDATE nodes SET value = 9", "its values", NOTHING},
        {"UPDATE sampled_places SET samples = 3", "its samples are not", RUN_MODEL | RUN_COUNTS},
        {"DELETE FROM sampled_stacks", "its samples are not", RUN_MODEL | RUN_COUNTS},
        {"UPDATE sampled SET row_sum = NULL", "its samples are not", RUN_MODEL | RUN_COUNTS},
        {"DELETE FROM sampled_functions WHERE function = 1", "its samples", RUN_MODEL | RUN_COUNTS},
        {"UPDATE labels SET automatic = 1; UPDATE runs SET note = 'other'", NULL, RUN_ALL},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char problems[2048] = "";
        struct run back;
        unlink(b->path);
        make_store(b);
        run_sql(b, b->path, cases[i].sql);
        open_as(b, STORE_READ);
        const int n = store_check(&b->st, note_problem, problems, &b->err);
        if (cases[i].words && (n < 1 || !strstr(problems, cases[i].words)))
            fail_msg("%s: %d problems: %s", cases[i].sql, n, problems);
        if (!cases[i].words && n != 0)
            fail_msg("%s: %d problems: %s", cases[i].sql, n, problems);
        for (unsigned parts = RUN_HEAD; parts <= RUN_ALL; parts++) {
            const bool loads = cases[i].loads != NOTHING && !(parts & ~cases[i].loads);
            const int rc = store_load(&b->st, b->r.id, parts, &back, &b->err);
            if (rc != (loads ? 0 : -EUCLEAN) && rc != -ENOENT)
                fail_msg("%s: parts %u: rc %d: %s", cases[i].sql, parts, rc, b->err.text);
            run_free(&back);
        }
        store_close(&b->st);
    }
}

/* Sums that are right of rows that are not: made by who can write the file. What is read is checked
 * nevertheless. */
static void test_false_rows(void **state) {
    struct box *b = *state;
    static const struct {
        const char *sql, *words;
    } cases[] = {
        {"UPDATE events SET event = 900 WHERE slot = 3", "of its events is not one"},
        {"UPDATE events SET counted_in = 70000 WHERE slot = 3", "of its events is not one"},
        {"UPDATE events SET state = 'strange' WHERE slot = 3", "of its events is not one"},
        {"DELETE FROM events WHERE slot = 3", "of its events is not one"},
        {"UPDATE nodes SET state = 'strange' WHERE ord = 3", "a value of state 'strange'"},
        {"UPDATE chunks SET intervals = 60 WHERE ord = 1", "part 1 of its counts"},
        {"UPDATE chunks SET bytes = x'', crc32c = 0 WHERE ord = 1", "part 1 of its counts"},
        {"UPDATE runs SET n_group = 1", "1 groups"},
        {"UPDATE runs SET intervals = 7", "7 intervals are told of, and 300 are there"},
        {"DELETE FROM sampled_functions WHERE function = 1", "samples: place 1 is none"},
        {"UPDATE sampled_functions SET module = 9", "samples: function 0 is none"},
        {"UPDATE sampled_stacks SET parent = node WHERE node = 2", "samples: stack 2 is none"},
        {"UPDATE sampled_stacks SET thread = -1 WHERE node = 0", "samples: stack 0 is none"},
        {"UPDATE sampled SET weight = NULL", "samples: sum 0 is none"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char problems[2048] = "";
        sqlite3 *db;
        struct run back;
        unlink(b->path);
        make_store(b);
        assert_int_equal(sqlite3_open(b->path, &db), SQLITE_OK);
        assert_int_equal(sq_add_sum(db), SQLITE_OK);
        assert_int_equal(sqlite3_exec(db, cases[i].sql, NULL, NULL, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_exec(db,
                                      "UPDATE runs SET values_sum = " SQ_VALUES_SUM
                                      ", counts_sum = " SQ_COUNTS_SUM
                                      "; UPDATE sampled SET row_sum = " SQ_HOT_SUM,
                                      NULL, NULL, NULL),
                         SQLITE_OK);
        sqlite3_close(db);
        open_as(b, STORE_READ);
        refused(b, store_load(&b->st, b->r.id, RUN_ALL, &back, &b->err), -EUCLEAN, cases[i].words);
        run_free(&back);
        const int n = store_check(&b->st, note_problem, problems, &b->err);
        if (n != 1 || !strstr(problems, cases[i].words))
            fail_msg("%s: %d problems: %s", cases[i].sql, n, problems);
        store_close(&b->st);
    }
}

/* A model's text that was damaged is mended by the next run of that model. */
static void test_model_mended(void **state) {
    struct box *b = *state;
    struct run back;
    make_store(b);
    run_sql(b, b->path, "UPDATE models SET text = text || ' '");
    open_as(b, STORE_WRITE);
    refused(b, store_load(&b->st, b->r.id, RUN_MODEL, &back, &b->err), -EUCLEAN,
            "the text of its model tiny is not the one that was written; tdtop list, query");
    run_free(&back);
    char first[RUN_ID_LEN + 1];
    strcpy(first, b->r.id);
    run_new_id(b->r.id);
    ok(b, store_save(&b->st, &b->r, &b->err));
    strcpy(b->r.id, first);
    run_is_there(b);
}

/* ---- what another program put into it ---- */

static void test_hostile_schema(void **state) {
    struct box *b = *state;
    static const struct {
        const char *sql, *words;
    } cases[] = {
        {"CREATE TRIGGER bad AFTER INSERT ON labels BEGIN DELETE FROM runs; END", "trigger bad"},
        {"CREATE VIEW endless AS WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x FROM c)"
         " SELECT x FROM c",
         "view endless"},
        {"ALTER TABLE nodes RENAME TO old; CREATE VIEW nodes AS WITH RECURSIVE c (x) AS"
         " (SELECT 1 UNION ALL SELECT x FROM c) SELECT x AS run, x AS metric, x AS value FROM c",
         "index nodes_by_metric"},
        {"CREATE TABLE mine (x)", "table mine"},
        {"CREATE INDEX slow ON runs (hex(note))", "index slow"},
        {"DROP VIEW run_labels; CREATE VIEW run_labels AS SELECT 1", "view run_labels is not as"},
        {"DROP TRIGGER label_removed", "trigger label_removed is not there"},
        {"ALTER TABLE runs ADD COLUMN more TEXT DEFAULT ''", "table runs is not as"},
        {"CREATE VIRTUAL TABLE lost_and_found USING fts5 (x)", "table lost_and_found"},
        {"PRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES ('trigger', 'sqlite_stat1',"
         " 'labels', 0, 'CREATE TRIGGER sqlite_stat1 AFTER INSERT ON labels BEGIN DELETE FROM runs;"
         " END'); PRAGMA schema_version = 9999",
         "trigger sqlite_stat1"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        unlink(b->path);
        make_store(b);
        open_as(b, STORE_WRITE); /* it comes while the file is open, too */
        run_sql(b, b->path, cases[i].sql);
        refused(b, store_note(&b->st, b->r.id, "x", &b->err), -EUCLEAN, cases[i].words);
        store_close(&b->st);
        for (int mode = STORE_READ; mode <= STORE_WRITE; mode++)
            refused(b, store_open(&b->st, b->path, (enum store_mode)mode, &b->err), -EUCLEAN,
                    cases[i].words);
        assert_int_equal(ask_sql(b->path, "SELECT count(*) FROM runs"), 1);
    }
    unlink(b->path);
    make_store(b); /* what sqlite3 itself leaves */
    run_sql(b, b->path, "CREATE TABLE lost_and_found (rootpgno INT, c0); ANALYZE");
    open_as(b, STORE_WRITE);
    run_is_there(b);
}

/* It ends by its CPU time, whatever the file holds; with no limit, by a signal that is blocked. */
static void run_endless(struct box *b, double limit_s) {
    int64_t n;
    struct sq *sq = b->st.impl;
    ok(b, sq_begin(sq, "counting", SQ_READS, &b->err));
    sq_watch_reset(&sq->watch, limit_s);
    const int rc = sq_number(sq, &n, &b->err,
                             "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x FROM c)"
                             " SELECT count(*) FROM c",
                             "");
    refused(b, sq_end(sq, rc, &b->err), -EINTR, "took too long");
}

static void test_endless_statement(void **state) {
    struct box *b = *state;
    sigset_t set, before;
    int got;
    make_store(b);
    open_as(b, STORE_READ);
    run_endless(b, 0.05);
    run_is_there(b);
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    assert_int_equal(sigprocmask(SIG_BLOCK, &set, &before), 0);
    raise(SIGINT);
    run_endless(b, 0);
    run_is_there(b);
    assert_int_equal(sigwait(&set, &got), 0);
    assert_int_equal(sigprocmask(SIG_SETMASK, &before, NULL), 0);
}

/* Anything anywhere: it is read, or refused with words; check finds words too, or nothing. */
static void try_all(struct box *b) {
    struct run back;
    struct run_list l;
    int rc = store_open(&b->st, b->path, STORE_WRITE, &b->err);
    if (rc < 0) {
        assert_non_null(strstr(b->err.text, b->path));
        return;
    }
    rc = store_list(&b->st, &(struct run_query){.metric = "Node_7"}, &l, &b->err);
    assert_true(rc == 0 || strstr(b->err.text, b->path));
    run_list_free(&l);
    rc = store_load(&b->st, b->r.id, RUN_ALL, &back, &b->err);
    assert_true(rc == 0 || rc == -ENOENT || strstr(b->err.text, b->path));
    run_free(&back);
    rc = store_check(&b->st, NULL, NULL, &b->err);
    assert_true(rc >= 0 || strstr(b->err.text, b->path));
    run_new_id(b->r.id);
    rc = store_save(&b->st, &b->r, &b->err);
    assert_true(rc == 0 || strstr(b->err.text, b->path));
    store_close(&b->st);
}

static void test_damaged_anywhere(void **state) {
    struct box *b = *state;
    const char *many = getenv("TDTOP_STORE_LONG");
    uint64_t seed = many ? (uint64_t)getpid() : 1;
    char keep[128], command[400];
    make_store(b);
    snprintf(keep, sizeof(keep), "%s.keep", b->path);
    assert_int_equal(rename(b->path, keep), 0);
    struct stat s;
    assert_int_equal(stat(keep, &s), 0);
    for (int i = 0; i < (many ? 2000 : 40); i++) {
        uint8_t bytes[64];
        snprintf(command, sizeof(command), "rm -f %s-*; cp %s %s", b->path, keep, b->path);
        assert_int_equal(system(command), 0);
        for (int k = 0; k < 1 + i % 8; k++) {
            for (size_t j = 0; j < sizeof(bytes); j++)
                bytes[j] = (uint8_t)fix_random(&seed);
            overwrite(b->path, fix_random(&seed) % (s.st_size - 64), bytes,
                      1 + fix_random(&seed) % 64);
        }
        if (i % 5 == 4)
            assert_int_equal(truncate(b->path, fix_random(&seed) % s.st_size), 0);
        try_all(b);
    }
}

/* A row's number that somebody changed: no list of it can be had, whatever it is. */
static void test_rows_far_away(void **state) {
    struct box *b = *state;
    static const char *const rows[] = {"2305843009213693952", "9223372036854775807", "4294967296",
                                       "-9"};
    struct label_filter any = {
        .key = (char[]){"no"}, .value = (char[]){"where"}, .op = LABEL_IS_NOT};
    const struct run_query queries[] = {{.filter = &any, .n_filter = 1},
                                        {.order = BY_METRIC, .metric = "IPC"}};
    make_store(b);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char sql[160];
        struct run_list l;
        snprintf(sql, sizeof(sql), "PRAGMA foreign_keys = 0; UPDATE runs SET run = %s", rows[i]);
        run_sql(b, b->path, sql);
        open_as(b, STORE_READ);
        for (size_t k = 0; k < COUNT_OF(queries); k++)
            refused(b, store_list(&b->st, &queries[k], &l, &b->err), -EUCLEAN,
                    "it has a run in row");
        store_close(&b->st);
    }
}

/* Check values: RFC 3720, B.4 (32 bytes of zeros), and the one of every catalogue. */
static void test_crc(void **state) {
    (void)state;
    const uint8_t zeros[32] = {0};
    assert_int_equal(crc32c("123456789", 9), 0xe3069283u);
    assert_int_equal(crc32c(zeros, 32), 0x8a9136aau);
    assert_int_equal(crc32c("", 0), 0);
}

int main(void) {
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(test_path),
        CASE(test_no_store),
        CASE(test_foreign),
        CASE(test_odd_names),
        CASE(test_migration),
        CASE(test_version_1),
        CASE(test_version_4),
        CASE(test_version_5),
        CASE(test_migration_fails),
        CASE(test_no_backup),
        CASE(test_migrated_meanwhile),
        CASE(test_replaced),
        CASE(test_locked),
        CASE(test_damaged_header),
        CASE(test_damaged_schema),
        CASE(test_damaged_counts),
        CASE(test_damaged_rows),
        CASE(test_false_rows),
        CASE(test_model_mended),
        CASE(test_hostile_schema),
        CASE(test_endless_statement),
        CASE(test_damaged_anywhere),
        CASE(test_rows_far_away),
        cmocka_unit_test(test_crc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
