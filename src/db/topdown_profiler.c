#include "db/topdown_profiler.h"

#include "base/clock.h"
#include "base/str.h"
#include "db/store_sqlite.h"
#include "model/run/run_values.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct topdown_profiler {
    sqlite3 *db;
    sqlite3_stmt *run, *sample;
    const char *path; /* borrowed */
    struct sq_watch watch;
};

/* Times are texts of ISO 8601; without a zone they are UTC. Milliseconds are all that it resolves.
 */
#define MS_OF(column) "CAST(round((julianday(" column ") - 2440587.5) * 86400000) AS INTEGER)"

static const char run_sql[] = "SELECT run_id, " MS_OF("started_at") ", " MS_OF(
    "ended_at") ", duration_seconds, process_name,"
                " level, system_wide, labels FROM runs ORDER BY started_at, run_id";
enum { RUN_ID, STARTED, ENDED, DURATION, PROCESS, LEVEL, SYSTEM_WIDE, LABELS };

/* Of several CPUs at one moment the mean, which is what topdown-profiler itself shows. */
static const char sample_sql[] =
    "SELECT metric_name, unit, avg(value) FROM samples WHERE run_id = ?1 AND value IS NOT NULL"
    " GROUP BY timestamp, metric_name, unit ORDER BY timestamp, min(sample_id)";

static int fail(const struct topdown_profiler *p, struct err *err) {
    if (sqlite3_errcode(p->db) == SQLITE_INTERRUPT)
        return err_set(err, -EINTR, "%s: reading it was stopped by a signal, or took too long",
                       p->path);
    return err_set(err, -EIO, "%s: %s; is the file complete, and may it be read?", p->path,
                   sqlite3_errmsg(p->db));
}

static const char *text(sqlite3_stmt *s, int column) {
    const char *t = (const char *)sqlite3_column_text(s, column);
    return t ? t : "";
}

/* ---- opening ---- */

/* "file:PATH?MODE", with what means something in an URI escaped; malloc'ed. */
static char *make_uri(const char *path, const char *mode) {
    const size_t cap = 3 * strlen(path) + strlen(mode) + 8;
    char *uri = malloc(cap);
    struct strbuf sb = strbuf_on(uri, uri ? cap : 0);
    if (!uri)
        return NULL;
    strbuf_add(&sb, "file:");
    for (const char *c = path; *c; c++)
        strbuf_add(&sb, strchr("?#%", *c) ? "%%%02X" : "%c", (unsigned)(unsigned char)*c);
    strbuf_add(&sb, "?%s", mode);
    return uri;
}

/* The file is another program's: nothing that its tables carry with them is run. */
static int distrust(struct topdown_profiler *p) {
    sqlite3_db_config(p->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(p->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(p->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(p->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sq_watch_open(p->db, &p->watch);
    sq_watch_reset(&p->watch, SQ_LIMIT_S);
    p->watch.hears = true;
    return sqlite3_exec(p->db, "PRAGMA cell_size_check = ON", NULL, NULL, NULL);
}

static int try_mode(struct topdown_profiler *p, const char *mode) {
    char *uri = make_uri(p->path, mode);
    sqlite3_close(p->db);
    p->db = NULL;
    int rc = uri ? sqlite3_open_v2(uri, &p->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL)
                 : SQLITE_NOMEM;
    if (rc == SQLITE_OK)
        rc = distrust(p);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(p->db, "SELECT 1 FROM sqlite_schema LIMIT 1", NULL, NULL, NULL);
    free(uri);
    return rc;
}

/* A log beside it: a writer may be at work, and the newest is in the log. */
static bool has_log(const char *path) {
    char log[4096];
    struct stat st;
    struct strbuf sb = strbuf_on(log, sizeof(log));
    strbuf_add(&sb, "%s-wal", path);
    return stat(log, &st) == 0 && st.st_size > 0;
}

/* Without a log it is read as it is, so that nothing is made beside it. */
static int open_file(struct topdown_profiler *p, struct err *err) {
    const char *mode = has_log(p->path) ? "mode=ro" : "mode=ro&immutable=1";
    if (try_mode(p, mode) != SQLITE_OK)
        return fail(p, err);
    sqlite3_busy_timeout(p->db, 10000);
    return 0;
}

/* A view or a virtual table of one of these names is a program. */
static int check_tables(struct topdown_profiler *p, struct err *err) {
    static const char sql[] = "SELECT type, name FROM sqlite_schema WHERE lower(name) IN ('runs',"
                              " 'samples') AND (type <> 'table' OR rootpage = 0)";
    sqlite3_stmt *s = NULL;
    int rc = 0;
    if (sqlite3_prepare_v2(p->db, sql, -1, &s, NULL) != SQLITE_OK)
        return fail(p, err);
    if (sqlite3_step(s) == SQLITE_ROW)
        rc = err_set(err, -EINVAL,
                     "%s: not a store of topdown-profiler: its %s is a %s, where a table is read",
                     p->path, text(s, 1),
                     strcmp(text(s, 0), "view") == 0 ? "view" : "virtual table");
    sqlite3_finalize(s);
    return rc;
}

static int prepare(struct topdown_profiler *p, struct err *err) {
    const int rc = check_tables(p, err);
    if (rc < 0)
        return rc;
    if (sqlite3_prepare_v2(p->db, run_sql, -1, &p->run, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(p->db, sample_sql, -1, &p->sample, NULL) == SQLITE_OK)
        return 0;
    return err_set(err, -EINVAL,
                   "%s: not a store of topdown-profiler (%s); runs of tdtop are in the store that "
                   "--db names",
                   p->path, sqlite3_errmsg(p->db));
}

int topdown_profiler_open(struct topdown_profiler **out, const char *path, struct err *err) {
    struct topdown_profiler *p = *out = calloc(1, sizeof(*p));
    if (!p)
        return err_set(err, -ENOMEM, "%s: out of memory", path);
    p->path = path;
    int rc = open_file(p, err);
    if (rc == 0)
        rc = prepare(p, err);
    if (rc < 0) {
        topdown_profiler_close(p);
        *out = NULL;
    }
    return rc;
}

void topdown_profiler_close(struct topdown_profiler *p) {
    if (!p)
        return;
    sqlite3_finalize(p->run);
    sqlite3_finalize(p->sample);
    sqlite3_close(p->db);
    free(p);
}

/* ---- one run ---- */

static int set_label(struct run *r, const char *key, const char *value, bool automatic) {
    struct err ignored = {0};
    char name[65], safe[4096];
    size_t n = 0;
    for (; key[n] && n < sizeof(name) - 1; n++)
        name[n] = strchr("_.-/:", key[n]) || (key[n] >= '0' && key[n] <= '9') ||
                          ((key[n] | 32) >= 'a' && (key[n] | 32) <= 'z')
                      ? key[n]
                      : '_';
    name[n] = '\0';
    if (n == 0)
        return 0;
    const int rc = run_label_set(r, name, str_safe(safe, sizeof(safe), value), automatic, &ignored);
    return rc == -ENOMEM ? rc : 0;
}

/* Those that it finds by itself. */
static bool is_automatic(const char *key) {
    static const char *const keys[] = {
        "arch",         "kernel_version",    "node",        "cpu",
        "pmu_name",     "platform",          "comm",        "pid",
        "cmdline",      "collector",         "tma_level",   "toplev_level",
        "perf_version", "pmu_tools_version", "tool_version"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (!strcmp(key, keys[i]))
            return true;
    return false;
}

static int read_labels(struct run *r, const char *json) {
    json_error_t why;
    json_t *o = json_loads(json, 0, &why), *v;
    const char *key;
    int rc = !o && json_error_code(&why) == json_error_out_of_memory ? -ENOMEM : 0;
    json_object_foreach(o, key, v) {
        char *dumped = json_is_string(v) ? NULL : json_dumps(v, JSON_ENCODE_ANY);
        if (!dumped && !json_is_string(v))
            rc = -ENOMEM;
        if (rc == 0)
            rc = set_label(r, key, dumped ? dumped : json_string_value(v), is_automatic(key));
        free(dumped);
    }
    json_decref(o);
    return rc;
}

/* Times that nanoseconds in 64 bits can hold, with room for sums: the years 1970 to 2116. */
#define MS_MAX    (((int64_t)1 << 62) / 1000000)
#define LONGEST_S 1e9

static bool is_time(sqlite3_stmt *s, int column) {
    const int64_t ms = sqlite3_column_int64(s, column);
    return sqlite3_column_type(s, column) != SQLITE_NULL && ms >= 0 && ms <= MS_MAX;
}

/* -ENODATA: the run is passed over, the others are not. */
static int read_times(const struct topdown_profiler *p, struct run *r, struct err *err) {
    sqlite3_stmt *s = p->run;
    const double seconds = sqlite3_column_double(s, DURATION); /* NULL: 0 */
    const bool ended = sqlite3_column_type(s, ENDED) != SQLITE_NULL;
    const char *wrong = !is_time(s, STARTED)                     ? "started_at"
                        : ended && !is_time(s, ENDED)            ? "ended_at"
                        : !(seconds >= 0 && seconds < LONGEST_S) ? "duration_seconds"
                                                                 : NULL;
    if (wrong)
        return err_set(err, -ENODATA,
                       "%s: run %s: its %s is no time that can be (negative, too large or none); "
                       "it is passed over",
                       p->path, text(s, RUN_ID), wrong);
    r->measured_ns = clock_ns_of(seconds);
    r->begun_ns = sqlite3_column_int64(s, STARTED) * 1000000;
    r->ended_ns =
        ended ? sqlite3_column_int64(s, ENDED) * 1000000 : r->begun_ns + (int64_t)r->measured_ns;
    r->t1_ns = r->measured_ns;
    return 0;
}

static int read_head(struct topdown_profiler *p, struct run *r) {
    sqlite3_stmt *s = p->run;
    char target[160];
    struct strbuf sb = strbuf_on(target, sizeof(target));
    run_new_id(r->id);
    r->level = sqlite3_column_int(s, LEVEL);
    r->level = r->level < 0 || r->level > 100 ? 0 : r->level;
    r->system_wide = sqlite3_column_int(s, SYSTEM_WIDE) != 0;
    const char *process = text(s, PROCESS);
    strbuf_add(&sb, "%s", *process ? process : r->system_wide ? "system" : "");
    int rc = run_set_text(&r->process, target);
    if (rc == 0)
        rc = run_set_text(&r->target, target);
    if (rc == 0)
        rc = run_set_text(&r->source, "import");
    if (rc == 0)
        rc = run_set_text(&r->version, "topdown-profiler");
    if (rc == 0)
        rc = read_labels(r, text(s, LABELS));
    return rc == 0 ? set_label(r, TOPDOWN_PROFILER_ID, text(s, RUN_ID), true) : rc;
}

static int read_values(struct topdown_profiler *p, struct run *r, struct err *err) {
    struct run_values rv = {0};
    int rc = 0, got;
    sqlite3_reset(p->sample);
    sqlite3_bind_text(p->sample, 1, text(p->run, RUN_ID), -1, SQLITE_TRANSIENT);
    while ((got = sqlite3_step(p->sample)) == SQLITE_ROW && rc == 0) {
        const struct run_value v = {.path = text(p->sample, 0),
                                    .unit = text(p->sample, 1),
                                    .v = sqlite3_column_double(p->sample, 2),
                                    .duty = 1};
        rc = run_values_add(&rv, &v);
    }
    if (rc == 0 && got != SQLITE_DONE)
        rc = fail(p, err);
    else if (rc == 0)
        rc = run_values_finish(&rv,
                               "the mean of what topdown-profiler stored per interval; it keeps "
                               "neither counts nor how long they were counted",
                               r, err);
    run_values_free(&rv);
    return rc;
}

int topdown_profiler_next(struct topdown_profiler *p, bool (*known)(void *user, const char *id),
                          void *user, uint64_t *passed, struct run *out, struct err *err) {
    *out = (struct run){0};
    int got;
    sq_watch_reset(&p->watch, SQ_LIMIT_S);
    while ((got = sqlite3_step(p->run)) == SQLITE_ROW && known(user, text(p->run, RUN_ID)))
        (*passed)++;
    if (got == SQLITE_DONE)
        return 0;
    if (got != SQLITE_ROW)
        return fail(p, err);
    int rc = read_times(p, out, err);
    if (rc < 0)
        return rc;
    rc = read_head(p, out);
    if (rc < 0)
        return err_set(err, rc, "%s: out of memory", p->path);
    rc = read_values(p, out, err);
    if (rc < 0)
        err_prefix(err, "%s: run %s", p->path, text(p->run, RUN_ID));
    return rc < 0 ? rc : 1;
}
