/*
 * Rows become a run. The file may have been damaged, or changed by hand: indexes are checked before
 * they are used, and bytes of counts against their checksum.
 */
#include "base/str.h"
#include "db/crc32c.h"
#include "db/store_find.h"
#include "db/store_names.h"
#include "db/store_sqlite.h"
#include "db/store_sqlite_hot.h"
#include "db/store_sqlite_sum.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <sha2.h> /* libmd */
#include <stdlib.h>
#include <string.h>

struct loading {
    struct sq *sq;
    struct run *r;
    int64_t run, n_group, format; /* its row, and what the row says */
    int64_t n_pinned;
    int64_t n_interval;
    bool no_perf_metrics;
    bool deleted; /* one that was deleted, too */
    struct err *err;
};

static int no_memory(struct loading *l) {
    return err_set(l->err, -ENOMEM, "run %s: out of memory while reading it", l->r->id);
}

/* Takes a text column over. */
static int take(struct loading *l, char **to, sqlite3_stmt *stmt, int column) {
    *to = sq_text(stmt, column);
    return *to ? 0 : no_memory(l);
}

/* ---- the run itself ---- */

#define HEAD(ran_through)                                                                          \
    "SELECT run, begun_ns, ended_ns, t0_ns, t1_ns, measured_ns, interval_ns, level, system_wide,"  \
    " simulated, n_group, no_perf_metrics, series_format, n_pinned, " ran_through                  \
    ", process, target, command, source, version, note, parent, model, doubt, bottleneck,"         \
    " (SELECT text FROM models WHERE ?2 AND hash = model_hash), model_hash, intervals"             \
    " FROM runs WHERE id = ?1 AND (?3 OR deleted_ns IS NULL)"
enum { HEAD_TEXTS = 15, HEAD_HASH = 26, HEAD_INTERVALS };

static void take_numbers(struct loading *l, sqlite3_stmt *s) {
    struct run *r = l->r;
    l->run = sqlite3_column_int64(s, 0);
    r->begun_ns = sqlite3_column_int64(s, 1);
    r->ended_ns = sqlite3_column_int64(s, 2);
    r->t0_ns = (uint64_t)sqlite3_column_int64(s, 3);
    r->t1_ns = (uint64_t)sqlite3_column_int64(s, 4);
    r->measured_ns = (uint64_t)sqlite3_column_int64(s, 5);
    r->interval_ns = (uint64_t)sqlite3_column_int64(s, 6);
    r->level = sqlite3_column_int(s, 7);
    r->system_wide = sqlite3_column_int(s, 8) != 0;
    r->simulated = sqlite3_column_int(s, 9) != 0;
    l->n_group = sqlite3_column_int64(s, 10);
    l->no_perf_metrics = sqlite3_column_int(s, 11) != 0;
    l->format = sqlite3_column_int64(s, 12);
    l->n_pinned = sqlite3_column_int64(s, 13);
    r->ran_through = sqlite3_column_int(s, 14) != 0;
    l->n_interval = sqlite3_column_int64(s, HEAD_INTERVALS);
}

static int take_head(struct loading *l, sqlite3_stmt *s) {
    struct run *r = l->r;
    char **const texts[] = {&r->process, &r->target,     &r->command,   &r->source,
                            &r->version, &r->note,       &r->parent,    &r->model,
                            &r->warning, &r->bottleneck, &r->model_text};
    take_numbers(l, s);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof(texts) / sizeof(texts[0]); i++)
        rc = take(l, texts[i], s, HEAD_TEXTS + (int)i);
    return rc;
}

/* What a run is evaluated with again decides its numbers: it is the text that was stored with it,
 * or there is none. */
static int check_model(struct loading *l, sqlite3_stmt *s) {
    char hash[SHA256_DIGEST_STRING_LENGTH];
    const char *text = l->r->model_text;
    if (sqlite3_column_type(s, HEAD_HASH) == SQLITE_NULL)
        return 0;
    SHA256Data((const uint8_t *)text, strlen(text), hash);
    if (strcmp(hash, sq_peek(s, HEAD_HASH)) == 0)
        return 0;
    return sq_damaged(l->sq, l->err,
                      "run %s: the text of its model %.40s is not the one that was written; "
                      "tdtop list, query and compare do without it",
                      l->r->id, l->r->model);
}

static int unknown_run(struct sq *sq, const char *id, struct err *err) {
    int64_t deleted;
    if (sq_number(sq, &deleted, NULL, "SELECT 1 FROM runs WHERE id = ?1", "t", id) == 0)
        return err_set(err, -ENOENT, "run %s: it was deleted; undelete it first", id);
    return store_find_no_run(sq->path, id, err);
}

static int load_head(struct loading *l, unsigned parts) {
    sqlite3_stmt *s;
    int rc = sq_prepare(l->sq, &s, l->err,
                        l->sq->file_version >= SQ_HAS_KINDS ? HEAD("ran_through") : HEAD("0"),
                        "tii", l->r->id, (int64_t)((parts & RUN_MODEL) != 0), (int64_t)l->deleted);
    if (rc == 0)
        rc = sq_step(l->sq, s, l->err);
    if (rc == 0)
        rc = unknown_run(l->sq, l->r->id, l->err);
    if (rc > 0)
        rc = take_head(l, s);
    if (rc == 0 && (parts & RUN_MODEL))
        rc = check_model(l, s);
    sqlite3_finalize(s);
    return rc;
}

/* Rows that are not those that were written. Runs of older versions have no sums. */
static int check_sum(struct loading *l, const char *sql, const char *what) {
    int64_t same = 1;
    int rc = 0;
    if (l->sq->file_version >= SQ_HAS_SUMS)
        rc = sq_number(l->sq, &same, l->err, sql, "i", l->run);
    if (rc == 0 && !same)
        rc = sq_damaged(l->sq, l->err, "run %s: its %s are not those that were written", l->r->id,
                        what);
    return rc;
}

static int check_values(struct loading *l) {
    return check_sum(l, "SELECT values_sum IS " SQ_VALUES_SUM " FROM runs WHERE run = ?1",
                     "values");
}

/* ---- lists ---- */

/* Calls row for each row of the statement about this run. */
static int each(struct loading *l, const char *sql, int (*row)(struct loading *, sqlite3_stmt *)) {
    sqlite3_stmt *s;
    int rc = sq_prepare(l->sq, &s, l->err, sql, "i", l->run);
    while (rc == 0 && (rc = sq_step(l->sq, s, l->err)) > 0)
        rc = row(l, s);
    sqlite3_finalize(s);
    return rc;
}

static int add_label(struct loading *l, sqlite3_stmt *s) {
    if (array_push(&l->r->label, (struct run_label){.automatic = sqlite3_column_int(s, 2)}) < 0)
        return no_memory(l);
    struct run_label *label = &l->r->label.at[l->r->label.n - 1];
    int rc = take(l, &label->key, s, 0);
    if (rc == 0)
        rc = take(l, &label->value, s, 1);
    if (rc == 0 && sqlite3_column_type(s, 3) != SQLITE_NULL)
        rc = take(l, &label->covered, s, 3);
    return rc;
}

/* A file of version 1 that is only read has no table of covered ones. */
static int load_labels(struct loading *l) {
    return each(l,
                l->sq->file_version >= SQ_HAS_COVERED
                    ? "SELECT l.key, l.value, l.automatic, c.value FROM labels l"
                      " LEFT JOIN covered c ON c.run = l.run AND c.key = l.key"
                      " WHERE l.run = ?1 ORDER BY l.key"
                    : "SELECT key, value, automatic, NULL FROM labels WHERE run = ?1 ORDER BY key",
                add_label);
}

static int add_fact(struct loading *l, sqlite3_stmt *s) {
    if (array_push(&l->r->fact, (struct run_fact){0}) < 0)
        return no_memory(l);
    struct run_fact *fact = &l->r->fact.at[l->r->fact.n - 1];
    const int rc = take(l, &fact->key, s, 0);
    return rc < 0 ? rc : take(l, &fact->value, s, 1);
}

static int add_mark(struct loading *l, sqlite3_stmt *s) {
    const uint64_t t = (uint64_t)sqlite3_column_int64(s, 0);
    if (array_push(&l->r->mark, (struct run_mark){.t_ns = t}) < 0)
        return no_memory(l);
    return take(l, &l->r->mark.at[l->r->mark.n - 1].name, s, 1);
}

#define NODES(kinds)                                                                               \
    "SELECT m.level, m.good_up, m.share, n.value, n.err, n.state, n.duty, n.is_over, "             \
    "n.approximate, n.parted,"                                                                     \
    " n.n, n.mean, n.sd, n.min, n.max, n.se, n.dof, n.effective_n, m.name, m.path, m.unit,"        \
    " n.reason, " kinds                                                                            \
    " FROM nodes n JOIN metrics m ON m.metric = n.metric WHERE n.run = ?1 ORDER BY n.ord"

/* Runs of version 1 do not say. */
static void take_kind(struct run_node *n, sqlite3_stmt *s, int column) {
    run_node_guess(n);
    if (sqlite3_column_type(s, column) == SQLITE_NULL)
        return;
    n->total = sqlite3_column_int(s, column) != 0;
    n->better = (signed char)sqlite3_column_int(s, column + 1);
}

static int add_node(struct loading *l, sqlite3_stmt *s) {
    const int state = store_value_state_find(sq_peek(s, 5));
    if (state < 0)
        return sq_damaged(l->sq, l->err, "run %s: a value of state '%.20s'", l->r->id,
                          sq_peek(s, 5));
    const struct run_node n = {
        .level = sqlite3_column_int(s, 0),
        .good_up = sqlite3_column_int(s, 1),
        .share = sqlite3_column_int(s, 2),
        .value = {.v = sq_real(s, 3),
                  .err = sq_real(s, 4),
                  .state = (uint8_t)state,
                  .duty = (float)sq_real(s, 6),
                  .over = sqlite3_column_int(s, 7),
                  .approx = sqlite3_column_int(s, 8),
                  .split = sqlite3_column_int(s, 9)},
        .m = {.n = (uint64_t)sqlite3_column_int64(s, 10),
              .mean = sq_real(s, 11),
              .sd = sq_real(s, 12),
              .least = sq_real(s, 13),
              .most = sq_real(s, 14),
              .se = sq_real(s, 15),
              .dof = sq_real(s, 16),
              .effective_n = sq_real(s, 17)},
    };
    if (array_push(&l->r->node, n) < 0)
        return no_memory(l);
    struct run_node *at = &l->r->node.at[l->r->node.n - 1];
    char **const texts[] = {&at->name, &at->path, &at->unit, &at->reason};
    int rc = 0;
    for (int i = 0; rc == 0 && i < 4; i++)
        rc = take(l, texts[i], s, 18 + i);
    if (rc == 0)
        take_kind(at, s, 22);
    return rc;
}

static int load_nodes(struct loading *l) {
    return each(
        l, l->sq->file_version >= SQ_HAS_KINDS ? NODES("n.total, n.better") : NODES("NULL, NULL"),
        add_node);
}

/* ---- constants ---- */

static int add_constant(struct consts *c, struct latency_setting *latency, sqlite3_stmt *s) {
    const char *name = sq_peek(s, 0), *colon = strrchr(name, ':');
    const int id = const_find(name);
    if (id >= 0) {
        c->value[id] = sq_real(s, 1);
        c->fixed_by_user[id] = sqlite3_column_int(s, 2);
        return 0;
    }
    if (!colon || strcmp(colon, ":retire_latency") != 0)
        return 0; /* of a newer tdtop: not needed by what this one can evaluate */
    struct latency_setting *to = &latency[c->n_latency++];
    str_copy(to->event, sizeof(to->event), name);
    if ((size_t)(colon - name) < sizeof(to->event))
        to->event[colon - name] = '\0';
    to->cycles = sq_real(s, 1);
    return 0;
}

static int load_constants(struct loading *l) {
    int64_t n = 0;
    int rc =
        sq_number(l->sq, &n, l->err, "SELECT count(*) FROM constants WHERE run = ?1", "i", l->run);
    if (rc < 0)
        return rc;
    struct consts c;
    consts_init(&c);
    struct latency_setting *latency = calloc((size_t)n + 1, sizeof(*latency));
    if (!latency)
        return no_memory(l);
    c.latency = latency;
    sqlite3_stmt *s;
    rc = sq_prepare(l->sq, &s, l->err,
                    "SELECT name, value, fixed FROM constants WHERE run = ?1 ORDER BY name", "i",
                    l->run);
    while (rc == 0 && (rc = sq_step(l->sq, s, l->err)) > 0)
        rc = add_constant(&c, latency, s);
    sqlite3_finalize(s);
    if (rc == 0 && run_set_consts(l->r, &c) < 0)
        rc = no_memory(l);
    free(latency);
    return rc;
}

/* ---- counts ---- */

static int make_layout(struct loading *l) {
    int64_t slots = 0, events = 0;
    int rc = sq_number(l->sq, &slots, l->err,
                       "SELECT count(*) FROM events WHERE run = ?1 AND counted_in IS NOT NULL", "i",
                       l->run);
    if (rc == 0)
        rc = sq_number(l->sq, &events, l->err,
                       "SELECT count(DISTINCT event) FROM events WHERE run = ?1", "i", l->run);
    if (rc < 0)
        return rc;
    if (events >= SLOT_NO_EVENT || slots >= UINT16_MAX)
        return sq_damaged(l->sq, l->err, "run %s: %lld events in %lld slots", l->r->id,
                          (long long)events, (long long)slots);
    l->r->event = calloc((size_t)events + 1, sizeof(*l->r->event));
    if (!l->r->event ||
        layout_init(&l->r->layout, (uint32_t)events, COUNT_ABSENT, (uint32_t)slots) < 0)
        return no_memory(l);
    return 0;
}

static int bad_event(struct loading *l, sqlite3_stmt *s) {
    return sq_damaged(l->sq, l->err, "run %s: row %d of its events is not one", l->r->id,
                      sqlite3_column_int(s, 0));
}

static int add_event(struct loading *l, sqlite3_stmt *s) {
    struct layout *to = &l->r->layout;
    const int64_t slot = sqlite3_column_int64(s, 0), event = sqlite3_column_int64(s, 1);
    const int64_t group = sqlite3_column_int64(s, 3);
    const bool counted = sqlite3_column_type(s, 3) != SQLITE_NULL;
    const int state = store_count_state_find(sq_peek(s, 4));
    if (event < 0 || event >= to->n_event || state < 0)
        return bad_event(l, s);
    if (!l->r->event[event] && take(l, &l->r->event[event], s, 2) < 0)
        return -ENOMEM;
    if (!counted) {
        to->missing[event] = (uint8_t)state;
        return 0;
    }
    if (slot != to->n_slot || group < 0 || group >= UINT16_MAX)
        return bad_event(l, s);
    layout_add(to, (uint16_t)event, (uint16_t)group);
    return 0;
}

static int load_layout(struct loading *l) {
    int rc = make_layout(l);
    if (rc == 0)
        rc = each(l,
                  "SELECT slot, event, name, counted_in, state FROM events WHERE run = ?1"
                  " ORDER BY slot",
                  add_event);
    if (rc == 0 && (l->n_group < l->r->layout.n_group || l->n_group > UINT16_MAX ||
                    l->n_pinned < 0 || l->n_pinned > l->n_group))
        rc = sq_damaged(l->sq, l->err, "run %s: %lld groups, %lld pinned", l->r->id,
                        (long long)l->n_group, (long long)l->n_pinned);
    if (rc < 0)
        return rc;
    l->r->layout.n_group = (uint32_t)l->n_group;
    l->r->layout.n_pinned = (uint16_t)l->n_pinned;
    l->r->layout.no_perf_metrics = l->no_perf_metrics;
    return 0;
}

static int add_chunk(struct loading *l, sqlite3_stmt *s) {
    const struct series_chunk c = {
        .t0_ns = (uint64_t)sqlite3_column_int64(s, 0),
        .t1_ns = (uint64_t)sqlite3_column_int64(s, 1),
        .n_row = (uint32_t)sqlite3_column_int64(s, 2),
        .at = sqlite3_column_blob(s, 4),
        .n_byte = (uint32_t)sqlite3_column_bytes(s, 4),
    };
    if (crc32c(c.at, c.n_byte) != (uint32_t)sqlite3_column_int64(s, 3))
        return sq_damaged(l->sq, l->err,
                          "run %s: part %u of its counts is not what was written: its values are "
                          "there, its intervals are not",
                          l->r->id, series_chunks(&l->r->series));
    const int rc = series_push_chunk(&l->r->series, &c);
    if (rc == -ENOMEM)
        return no_memory(l);
    return rc < 0 ? sq_damaged(l->sq, l->err, "run %s: part %u of its counts cannot be read",
                               l->r->id, series_chunks(&l->r->series))
                  : 0;
}

static int load_counts(struct loading *l) {
    int rc = 0;
    if (l->format != SERIES_FORMAT)
        rc = err_set(l->err, -EPROTO,
                     "run %s: its counts are packed in format %lld, and this tdtop knows %d; use "
                     "the newer tdtop",
                     l->r->id, (long long)l->format, SERIES_FORMAT);
    if (rc == 0)
        rc = check_sum(l, "SELECT counts_sum IS " SQ_COUNTS_SUM " FROM runs WHERE run = ?1",
                       "counts");
    if (rc == 0)
        rc = load_layout(l);
    if (rc == 0 && series_init(&l->r->series, &l->r->layout, 0) < 0)
        rc = no_memory(l);
    if (rc == 0)
        rc = each(l,
                  "SELECT t0_ns, t1_ns, intervals, crc32c, bytes FROM chunks WHERE run = ?1"
                  " ORDER BY ord",
                  add_chunk);
    if (rc == 0 && series_rows(&l->r->series) != (uint64_t)l->n_interval)
        rc = sq_damaged(l->sq, l->err, "run %s: %lld intervals are told of, and %llu are there",
                        l->r->id, (long long)l->n_interval,
                        (unsigned long long)series_rows(&l->r->series));
    return rc;
}

static int load(struct loading *l, unsigned parts) {
    int rc = load_head(l, parts);
    if (rc == 0)
        rc = check_values(l);
    if (rc == 0)
        rc = load_labels(l);
    if (rc == 0)
        rc = each(l, "SELECT key, value FROM facts WHERE run = ?1 ORDER BY ord", add_fact);
    if (rc == 0)
        rc = each(l, "SELECT t_ns, name FROM marks WHERE run = ?1 ORDER BY ord", add_mark);
    if (rc == 0)
        rc = load_nodes(l);
    if (rc == 0)
        rc = load_constants(l);
    if (rc == 0 && (parts & RUN_COUNTS))
        rc = load_counts(l);
    if (rc == 0 && (parts & RUN_SAMPLES))
        rc = sq_load_hot(l->sq, l->run, l->r, l->err);
    return rc;
}

int sq_load_here(struct sq *sq, const char *id, unsigned parts, struct run *out, struct err *err) {
    struct loading l = {.sq = sq, .r = out, .deleted = true, .err = err};
    str_copy(out->id, sizeof(out->id), id);
    return load(&l, parts);
}

int sq_load(void *impl, const char *id, unsigned parts, struct run *out, struct err *err) {
    struct loading l = {.sq = impl, .r = out, .err = err};
    str_copy(out->id, sizeof(out->id), id);
    int rc = sq_begin(l.sq, "reading a run", SQ_READS, err);
    if (rc == 0)
        rc = load(&l, parts);
    return sq_end(l.sq, rc, err);
}
