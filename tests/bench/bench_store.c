/*
 * The store: saving an hour (3600 intervals of 100 slots), and with 100,000 runs and 1,000,000
 * labels the list of the newest, a filter by two labels, the first page of the runs view, and what
 * a comparison loads. Prints medians; the file goes to $TDTOP_BENCH_DIR or /tmp. Exits 1 where what
 * was asked took more than ten times its goal: machines differ, orders of magnitude do not.
 */
#include "../unit/store_fixture.h"
#include "base/clock.h"
#include "ui/runs/runs_trend.h"

#include <sqlite3.h>
#include <unistd.h>

enum { RUNS = 15, HOUR = 3600, SLOTS = 100, MANY = 100000, LABELS = 10 };

static int failed;

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void die(const char *what, const struct err *err) {
    fprintf(stderr, "bench_store: %s: %s\n", what, err->text);
    exit(2);
}

struct bench {
    struct store st;
    const char *path;
    struct run hour;
    char a[RUN_ID_LEN + 1], b[RUN_ID_LEN + 1];
};

static void measure(const char *what, double goal_ms, void (*run)(struct bench *),
                    struct bench *b) {
    double ms[RUNS], cpu[RUNS];
    for (int i = 0; i < RUNS; i++) {
        const uint64_t t0 = clock_now_ns(), c0 = clock_thread_ns();
        run(b);
        ms[i] = (double)(clock_now_ns() - t0) / 1e6;
        cpu[i] = (double)(clock_thread_ns() - c0) / 1e6;
    }
    qsort(ms, RUNS, sizeof(ms[0]), by_value);
    qsort(cpu, RUNS, sizeof(cpu[0]), by_value);
    const double median = ms[RUNS / 2];
    printf("bench_store: %-44s %7.2f ms (goal %3.0f; worst %.2f, CPU %.2f)\n", what, median,
           goal_ms, ms[RUNS - 1], cpu[RUNS / 2]);
    failed |= median > 10 * goal_ms;
}

static void save_hour(struct bench *b) {
    struct err err = {0};
    run_new_id(b->hour.id);
    if (store_save(&b->st, &b->hour, &err) < 0)
        die("save", &err);
}

static void list(struct bench *b, struct run_query q, uint64_t least) {
    struct err err = {0};
    struct run_list l;
    if (store_list(&b->st, &q, &l, &err) < 0)
        die("list", &err);
    if (l.total < least || l.n == 0)
        die("list: too few runs", &err);
    run_list_free(&l);
}

static void list_newest(struct bench *b) {
    list(b, (struct run_query){.limit = 20}, MANY);
}

static void view_first(struct bench *b) {
    list(b, (struct run_query){.limit = 200}, MANY);
}

static void by_two(struct bench *b, const char *x, const char *y) {
    struct err err = {0};
    struct label_filter f[2];
    if (label_filter_parse(x, &f[0], &err) < 0 || label_filter_parse(y, &f[1], &err) < 0)
        die("filter", &err);
    list(b, (struct run_query){.filter = f, .n_filter = 2, .limit = 200}, 1);
    label_filter_free(&f[0]);
    label_filter_free(&f[1]);
}

static void by_two_common(struct bench *b) {
    by_two(b, "arch=x86_64", "branch=b1");
}

static void by_two_rare(struct bench *b) {
    by_two(b, "commit=77", "branch=b7");
}

static void by_two_other(struct bench *b) {
    by_two(b, "branch!=b3", "commit~777");
}

static void by_text(struct bench *b) {
    list(b, (struct run_query){.text = "777", .limit = 200}, 1);
}

static void by_metric(struct bench *b) {
    list(b, (struct run_query){.metric = "Backend_Bound", .order = BY_METRIC, .limit = 200}, MANY);
}

static void trend(struct bench *b) {
    static const char *none[] = {NULL};
    static char key[] = "branch", value[] = "b1";
    struct label_filter f = {.key = key, .value = value};
    list(b,
         (struct run_query){.metric = "Backend_Bound",
                            .keys = none,
                            .without_top = true,
                            .filter = &f,
                            .n_filter = 1},
         MANY / 10);
    list(b, (struct run_query){.metric = "Backend_Bound", .keys = none, .without_top = true}, MANY);
}

static void groups(struct bench *b, const char *key, size_t least) {
    struct err err = {0};
    struct run_query q = {.limit = 0};
    struct run_group_list l;
    if (store_groups(&b->st, &q, key, &l, &err) < 0 || l.n < least)
        die("groups", &err);
    run_group_list_free(&l);
}

static void groups_few(struct bench *b) {
    groups(b, "branch", 10);
}

static void groups_many(struct bench *b) {
    groups(b, "test", MANY / 10);
}

/* ---- the runs view, as the screen uses it: 60 lines ---- */

static void view_lines(struct runs *r, uint64_t line) {
    list_select(&r->rows, (int)line);
    list_fit(&r->rows, 60);
    runs_fetch(r, r->rows.top, 60);
    if (r->state != RUNS_READY || !runs_row(r, r->rows.at))
        die("runs view", &r->err);
}

static void view_open(struct bench *b) {
    struct runs r;
    runs_init(&r, b->path);
    runs_reload(&r);
    view_lines(&r, 0);
    runs_destroy(&r);
}

static struct runs view; /* stays open */

static void view_end(struct bench *b) {
    (void)b;
    runs_reload(&view);
    view_lines(&view, UINT64_MAX);
}

static void view_metric(struct bench *b) {
    (void)b;
    runs_sort_by(&view, RUNS_SORT_METRIC);
    view_lines(&view, 50000);
    runs_sort_by(&view, 0);
}

/* The selected run is followed to where another order puts it. */
static void view_follow(struct bench *b) {
    (void)b;
    view_lines(&view, 70000);
    runs_sort_by(&view, 1);
    list_fit(&view.rows, 60);
    runs_fetch(&view, (uint64_t)view.rows.top, 60);
    runs_sort_by(&view, 0);
    if (view.rows.at != 70000)
        die("runs view: not followed", &view.err);
}

static void view_filter(struct bench *b) {
    struct err err = {0};
    (void)b;
    if (runs_filter(&view, "arch=x86_64 branch=b1", &err) < 0)
        die("filter", &err);
    view_lines(&view, 0);
    runs_filter(&view, "", &err);
}

static void view_group(struct bench *b) {
    (void)b;
    runs_group_by(&view, "branch");
    runs_fold(&view, 5, 1);
    view_lines(&view, 5000);
    runs_group_by(&view, "");
}

static void view_trend(struct bench *b) {
    struct err err = {0};
    struct runs_trend t = {.n = 0};
    (void)b;
    if (runs_trend_read(&t, &view, NULL, &err) < 0 || t.n == 0)
        die("trend", &err);
    runs_trend_free(&t);
}

static void words(struct bench *b) {
    char **w;
    struct err err = {0};
    if (store_words(&b->st, NULL, "", 20, &w, &err) < 0)
        die("words", &err);
    store_words_free(w);
}

static void find(struct bench *b) {
    char id[RUN_ID_LEN + 1];
    struct err err = {0};
    if (store_find(&b->st, b->a, id, &err) < 0)
        die("find", &err);
}

static void load_two(struct bench *b) {
    struct err err = {0};
    struct run r;
    const char *const ids[] = {b->a, b->b};
    for (int i = 0; i < 2; i++) {
        if (store_load(&b->st, ids[i], RUN_HEAD, &r, &err) < 0)
            die("load", &err);
        run_free(&r);
    }
}

static void load_hour(struct bench *b) {
    struct err err = {0};
    struct run r;
    if (store_load(&b->st, b->a, RUN_ALL, &r, &err) < 0)
        die("load", &err);
    run_free(&r);
}

static void open_list(struct bench *b) {
    struct bench other = {.path = b->path};
    struct err err = {0};
    if (store_open(&other.st, b->path, STORE_READ, &err) < 0)
        die("open", &err);
    list_newest(&other);
    store_close(&other.st);
}

/* Plain SQL, because a hundred thousand commits would take minutes. Ten labels a run, of which one
 * differs in every run and one in every tenth; twelve values. */
static void fill(const char *path) {
    static const char sql[] =
        "PRAGMA synchronous = OFF; BEGIN;"
        "CREATE TEMP TABLE n AS WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c"
        "  WHERE i + 1 < 100000) SELECT i, 1000000 + i AS run FROM c;"
        "INSERT INTO runs (run, id, process, target, note, begun_ns, ended_ns, t0_ns, t1_ns,"
        "  measured_ns, interval_ns, intervals, model, level, system_wide, simulated, bottleneck,"
        "  doubt, command, source, version, parent, series_format, n_group, n_pinned, "
        "no_perf_metrics)"
        "  SELECT run, printf('%016x', i * 7919 + 1), 'process-' || (i % 10),"
        "  'process-' || (i % 10) || ' ' || i || ', 5 threads', '', 1600000000000000000 + i *"
        "  1000000000, 0, 0, 60000000000 + i % 100, 60000000000, 1000000000, 0, 'spr', 2, 0, 0,"
        "  'Backend_Bound.Memory_Bound', '', '/usr/bin/process-' || (i % 10) || ' --port 6379',"
        "  'perf', '0.1.0', '', 1, 0, 0, 0 FROM n;"
        "INSERT INTO labels SELECT run, key, CASE WHEN key = 'commit' THEN '' || i"
        "  WHEN key = 'branch' THEN 'b' || (i % 10) WHEN key = 'test' THEN 't' || (i / 10)"
        "  WHEN key = 'arch' THEN 'x86_64' ELSE 'value of ' || key END, key = 'arch'"
        "  FROM n, (SELECT 'commit' AS key UNION SELECT 'branch' UNION SELECT 'test' UNION SELECT"
        "  'arch' UNION SELECT 'kernel' UNION SELECT 'cpu' UNION SELECT 'host' UNION SELECT"
        "  'governor' UNION SELECT 'turbo' UNION SELECT 'compiler');"
        "INSERT OR IGNORE INTO metrics (name, path, unit, level, good_up, share) VALUES"
        "  ('IPC', 'IPC', '', 0, 1, 0), ('CPI', 'CPI', '', 0, 0, 0);"
        "INSERT INTO nodes (run, ord, metric, value, err, state, duty, is_over, parted, "
        "approximate,"
        "  n, mean, sd, min, max, se, dof, effective_n, reason) SELECT run, row_number() OVER "
        "(PARTITION BY run), metric,"
        "  (i * 31 + metric * 17) % 1000 / 1000.0, 0.01, 'exact', 1, 0, 0, 0, 60, 0.5, 0.02, 0.1, "
        "0.9,"
        "  0.003, 11.5, 44, '' FROM n, (SELECT metric FROM metrics ORDER BY metric LIMIT 12);"
        "COMMIT";
    sqlite3 *db;
    char *said = NULL;
    if (sqlite3_open(path, &db) != SQLITE_OK || sqlite3_exec(db, sql, NULL, NULL, &said)) {
        fprintf(stderr, "bench_store: filling: %s\n", said ? said : sqlite3_errmsg(db));
        exit(2);
    }
    sqlite3_close(db);
}

static void remove_store(const char *path) {
    char name[512];
    static const char *const ends[] = {"", "-wal", "-shm"};
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof(name), "%s%s", path, ends[i]);
        unlink(name);
    }
}

static void prepare(struct bench *b) {
    struct err err = {0};
    if (store_open(&b->st, b->path, STORE_WRITE, &err) < 0)
        die("open", &err);
    fix_run(&b->hour, 1, HOUR, SLOTS);
    run_new_id(b->hour.id);
    strcpy(b->a, b->hour.id);
    struct store_stats before, after;
    store_stats(&b->st, &before, &err);
    save_hour(b);
    strcpy(b->a, b->hour.id);
    store_stats(&b->st, &after, &err);
    const double each = (double)(after.bytes - before.bytes) / HOUR / SLOTS;
    printf("bench_store: %-44s %7.2f bytes (goal  12)\n", "on disk, per event and interval", each);
    failed |= each > 12;
}

int main(void) {
    char path[400];
    const char *folder = getenv("TDTOP_BENCH_DIR");
    snprintf(path, sizeof(path), "%s/tdtop-bench-store-%d.db", folder ? folder : "/tmp", getpid());
    struct bench b = {.path = path};
    prepare(&b);
    measure("save 3600 intervals x 100 slots", 150, save_hour, &b);
    strcpy(b.b, b.hour.id);
    measure("load it with its counts", 150, load_hour, &b);
    fill(path);
    measure("100k runs: save 3600 intervals x 100 slots", 150, save_hour, &b);
    measure("100k runs: newest 20", 50, list_newest, &b);
    measure("100k runs: open, newest 20, close", 50, open_list, &b);
    measure("100k runs: runs view, 200 rows and total", 50, view_first, &b);
    measure("100k runs: two common labels, 200 of 10,000", 50, by_two_common, &b);
    measure("100k runs: two labels, one run", 50, by_two_rare, &b);
    measure("100k runs: not equal and contains", 50, by_two_other, &b);
    measure("100k runs: a text anywhere", 150, by_text, &b);
    measure("100k runs: highest 200 of a metric", 150, by_metric, &b);
    measure("100k runs: a metric of 10,000 and of all runs", 150, trend, &b);
    measure("100k runs: 10 groups of a label", 50, groups_few, &b);
    measure("100k runs: 10,000 groups of a label", 100, groups_many, &b);
    struct err err = {0};
    runs_init(&view, path);
    runs_reload(&view);
    if (runs_show_metric(&view, "Backend_Bound", &err) < 0)
        die("metric", &err);
    measure("100k runs: the view: opened, 60 lines", 50, view_open, &b);
    measure("100k runs: the view: to the end", 50, view_end, &b);
    measure("100k runs: the view: by a metric, to the middle", 200, view_metric, &b);
    measure("100k runs: the view: sorted twice, followed", 100, view_follow, &b);
    measure("100k runs: the view: a filter, and without", 50, view_filter, &b);
    measure("100k runs: the view: grouped, one open", 100, view_group, &b);
    measure("100k runs: the view: trend of the newest 10,000", 150, view_trend, &b);
    runs_destroy(&view);
    measure("100k runs: keys for completion", 50, words, &b);
    measure("100k runs: an id", 10, find, &b);
    measure("100k runs: two runs to compare", 10, load_two, &b);
    store_close(&b.st);
    run_free(&b.hour);
    if (!getenv("TDTOP_BENCH_KEEP"))
        remove_store(path);
    return failed;
}
