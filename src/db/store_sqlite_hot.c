#include "db/store_sqlite_hot.h"

#include "base/str.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows of samples ---- */

struct putting {
    struct sq *sq;
    int64_t run, ord;
    const struct hot *h;
    struct err *err;
};

static int put_head(struct putting *p) {
    const struct hot *h = p->h;
    return sq_run(
        p->sq, p->err,
        "INSERT INTO sampled VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
        " ?, ?, ?, ?, ?, ?, ?, ?, NULL)",
        "iittidddiddiiiiiiiiiiiiiii", p->run, p->ord, h->asked, h->target, h->begun_ns, h->seconds,
        h->cpu_s, h->freq_hz, (int64_t)h->all.n, h->all.weight, h->all.square, (int64_t)h->n_exact,
        (int64_t)h->n_kernel, (int64_t)h->n_unknown, (int64_t)h->n_lost, (int64_t)h->n_throttled,
        (int64_t)h->n_foreign, (int64_t)h->n_garbled, (int64_t)h->n_no_room,
        (int64_t)h->n_unreadable, (int64_t)h->n_reopened, (int64_t)h->n_left_out,
        (int64_t)h->n_no_leaf, (int64_t)h->n_cut, (int64_t)h->user_only, (int64_t)h->system_wide);
}

static int put_event(struct putting *p, sqlite3_stmt *s, size_t i) {
    const struct hot_event *e = &p->h->event.at[i];
    return sq_put(p->sq, s, p->err, "iiittiitt", p->run, p->ord, (int64_t)i, e->name, e->precision,
                  (int64_t)e->precise_ip, (int64_t)e->clock, e->of, e->why);
}

static int put_note(struct putting *p, sqlite3_stmt *s, size_t i) {
    return sq_put(p->sq, s, p->err, "iiit", p->run, p->ord, (int64_t)i, p->h->note.at[i]);
}

static int put_module(struct putting *p, sqlite3_stmt *s, size_t i) {
    const struct hot_module *m = &p->h->module.at[i];
    return sq_put(p->sq, s, p->err, "iiitttit", p->run, p->ord, (int64_t)i, m->path, m->kind,
                  m->build_id, (int64_t)m->deleted, m->lack);
}

static int put_function(struct putting *p, sqlite3_stmt *s, size_t i) {
    const struct hot_function *f = &p->h->function.at[i];
    return sq_put(p->sq, s, p->err, "iiiiitti", p->run, p->ord, (int64_t)i, (int64_t)f->module,
                  (int64_t)f->start, f->name, f->file, (int64_t)f->line);
}

static int put_thread(struct putting *p, sqlite3_stmt *s, size_t i) {
    const struct hot_thread *t = &p->h->thread.at[i];
    return sq_put(p->sq, s, p->err, "iiiiit", p->run, p->ord, (int64_t)i, (int64_t)t->pid,
                  (int64_t)t->tid, t->name);
}

static int put_leaf(struct putting *p, sqlite3_stmt *s, size_t i) {
    const struct hot_leaf *l = &p->h->leaf.at[i];
    return sq_put(p->sq, s, p->err, "iiiiiiidd", p->run, p->ord, (int64_t)i, (int64_t)l->function,
                  (int64_t)l->thread, (int64_t)l->offset, (int64_t)l->count.n, l->count.weight,
                  l->count.square);
}

static int put_node(struct putting *p, sqlite3_stmt *s, size_t i) {
    const struct hot_node *n = &p->h->node.at[i];
    const struct hot_count *c = &n->count;
    return n->parent == HOT_NONE ? sq_put(p->sq, s, p->err, "iii--iidd", p->run, p->ord, (int64_t)i,
                                          (int64_t)n->thread, (int64_t)c->n, c->weight, c->square)
                                 : sq_put(p->sq, s, p->err, "iiiii-idd", p->run, p->ord, (int64_t)i,
                                          (int64_t)n->parent, (int64_t)n->function, (int64_t)c->n,
                                          c->weight, c->square);
}

#define PUT_TAKEN(t)                                                                               \
    (int64_t)(t)->n, (int64_t)(t)->n_told, (int64_t)(t)->n_missed, (int64_t)(t)->n_timed,          \
        (int64_t)(t)->cycles, (t)->told, (t)->missed, (t)->told2, (t)->told_missed, (t)->missed2,  \
        (t)->missed_all

static int put_records(struct putting *p, sqlite3_stmt *s, size_t i) {
    const struct hot *h = p->h;
    (void)i;
    return sq_put(p->sq, s, p->err, "iiitiiiiiiidddddd", p->run, p->ord, (int64_t)h->branches,
                  h->no_branches, (int64_t)h->n_recorded, (int64_t)h->n_no_branch,
                  PUT_TAKEN(&h->taken));
}

static int put_branch(struct putting *p, sqlite3_stmt *s, size_t i) {
    const struct hot_branch *b = &p->h->branch.at[i];
    return sq_put(p->sq, s, p->err, "iiiiiiitiiiiiidddddd", p->run, p->ord, (int64_t)i,
                  (int64_t)b->from, (int64_t)b->from_offset, (int64_t)b->to, (int64_t)b->to_offset,
                  b->file, (int64_t)b->line, PUT_TAKEN(&b->count));
}

static int put_data(struct putting *p, sqlite3_stmt *s, size_t i) {
    const struct hot_count *c = &p->h->data;
    (void)i;
    return sq_put(p->sq, s, p->err, "iiiddi", p->run, p->ord, (int64_t)c->n, c->weight, c->square,
                  (int64_t)p->h->n_no_line);
}

static int put_access(struct putting *p, sqlite3_stmt *s, size_t i) {
    const struct hot_access *a = &p->h->access.at[i];
    return sq_put(p->sq, s, p->err, "iiiiiiitiddiii", p->run, p->ord, (int64_t)i,
                  (int64_t)a->function, (int64_t)a->thread, (int64_t)a->line, (int64_t)a->bytes,
                  data_source_name(a->source), (int64_t)a->sum.count.n, a->sum.count.weight,
                  a->sum.count.square, (int64_t)a->sum.n_store, (int64_t)a->sum.n_timed,
                  (int64_t)a->sum.cycles);
}

static int put_rows(struct putting *p, const char *sql, size_t n,
                    int (*put)(struct putting *p, sqlite3_stmt *s, size_t i)) {
    sqlite3_stmt *s;
    int rc = sq_prepare(p->sq, &s, p->err, sql, "");
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = put(p, s, i);
    sqlite3_finalize(s);
    return rc;
}

static int put_all(struct putting *p) {
    const struct hot *h = p->h;
    const struct {
        const char *sql;
        size_t n;
        int (*put)(struct putting *p, sqlite3_stmt *s, size_t i);
    } rows[] = {
        {"INSERT INTO sampled_events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", h->event.n, put_event},
        {"INSERT INTO sampled_notes VALUES (?, ?, ?, ?)", h->note.n, put_note},
        {"INSERT INTO sampled_modules VALUES (?, ?, ?, ?, ?, ?, ?, ?)", h->module.n, put_module},
        {"INSERT INTO sampled_functions VALUES (?, ?, ?, ?, ?, ?, ?, ?)", h->function.n,
         put_function},
        {"INSERT INTO sampled_threads VALUES (?, ?, ?, ?, ?, ?)", h->thread.n, put_thread},
        {"INSERT INTO sampled_places VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", h->leaf.n, put_leaf},
        {"INSERT INTO sampled_stacks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", h->node.n, put_node},
        {"INSERT INTO sampled_records VALUES"
         " (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
         h->branches || h->no_branches[0], put_records},
        {"INSERT INTO sampled_branches VALUES"
         " (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
         h->branch.n, put_branch},
        {"INSERT INTO sampled_data VALUES (?, ?, ?, ?, ?, ?)", h->data.n > 0, put_data},
        {"INSERT INTO sampled_accesses VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
         h->access.n, put_access},
    };
    int rc = put_head(p);
    for (size_t i = 0; rc == 0 && i < sizeof(rows) / sizeof(rows[0]); i++)
        rc = put_rows(p, rows[i].sql, rows[i].n, rows[i].put);
    return rc;
}

int sq_save_hot(struct sq *sq, int64_t run, const struct run *r, struct err *err) {
    int rc = sq_run(sq, err, "DELETE FROM sampled WHERE run = ?1", "i", run);
    for (size_t i = 0; rc == 0 && i < r->hot.n; i++)
        rc = put_all(&(struct putting){sq, run, (int64_t)i, &r->hot.at[i], err});
    return rc < 0 || !r->hot.n
               ? rc
               : sq_run(sq, err, "UPDATE sampled SET row_sum = " SQ_HOT_SUM " WHERE run = ?1", "i",
                        run);
}

/* ---- samples of rows ---- */

struct taking {
    struct sq *sq;
    struct hot *h;
    const struct run *r;
    struct err *err;
};

static int no_memory(const struct taking *t) {
    return err_set(t->err, -ENOMEM, "run %s: out of memory while reading its samples", t->r->id);
}

static uint64_t number(sqlite3_stmt *s, int column) {
    return (uint64_t)sqlite3_column_int64(s, column);
}

/* A number of another row; what cannot be one is none. */
static uint32_t index_of(sqlite3_stmt *s, int column) {
    const int64_t v = sqlite3_column_int64(s, column);
    return sqlite3_column_type(s, column) == SQLITE_NULL || v < 0 || v >= HOT_NONE ? HOT_NONE
                                                                                   : (uint32_t)v;
}

static struct hot_count count_of(sqlite3_stmt *s, int column) {
    return (struct hot_count){number(s, column), sq_real(s, column + 1), sq_real(s, column + 2)};
}

static int take_head(struct taking *t, sqlite3_stmt *s) {
    struct hot *h = t->h;
    h->asked = sq_text(s, 0);
    h->target = sq_text(s, 1);
    h->begun_ns = sqlite3_column_int64(s, 2);
    h->seconds = sq_real(s, 3);
    h->cpu_s = sq_real(s, 4);
    h->freq_hz = sq_real(s, 5);
    h->all = count_of(s, 6);
    uint64_t *const counts[] = {&h->n_exact,      &h->n_kernel,   &h->n_unknown,  &h->n_lost,
                                &h->n_throttled,  &h->n_foreign,  &h->n_garbled,  &h->n_no_room,
                                &h->n_unreadable, &h->n_reopened, &h->n_left_out, &h->n_no_leaf,
                                &h->n_cut};
    int at = 9;
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        *counts[i] = number(s, at++);
    h->no_branches = strdup("");
    h->user_only = number(s, at++) != 0;
    h->system_wide = number(s, at) != 0;
    return h->asked && h->target && h->no_branches ? 0 : -ENOMEM;
}

static int take_event(struct taking *t, sqlite3_stmt *s) {
    struct hot_event e = {.name = sq_text(s, 0),
                          .precision = sq_text(s, 1),
                          .precise_ip = sqlite3_column_int(s, 2),
                          .clock = sqlite3_column_int(s, 3) != 0,
                          .of = sq_text(s, 4),
                          .why = sq_text(s, 5)};
    if (e.name && e.precision && e.of && e.why && array_push(&t->h->event, e) == 0)
        return 0;
    free(e.name);
    free(e.precision);
    free(e.of);
    free(e.why);
    return -ENOMEM;
}

static int take_note(struct taking *t, sqlite3_stmt *s) {
    char *text = sq_text(s, 0);
    if (text && array_push(&t->h->note, text) == 0)
        return 0;
    free(text);
    return -ENOMEM;
}

static int take_module(struct taking *t, sqlite3_stmt *s) {
    struct hot_module m = {.path = sq_text(s, 0),
                           .kind = sq_text(s, 1),
                           .deleted = sqlite3_column_int(s, 3) != 0,
                           .lack = sq_text(s, 4)};
    str_copy(m.build_id, sizeof(m.build_id), sq_peek(s, 2));
    if (m.path && m.kind && m.lack && array_push(&t->h->module, m) == 0)
        return 0;
    free(m.path);
    free(m.kind);
    free(m.lack);
    return -ENOMEM;
}

static int take_function(struct taking *t, sqlite3_stmt *s) {
    struct hot_function f = {.module = index_of(s, 0),
                             .start = number(s, 1),
                             .name = sq_text(s, 2),
                             .file = sq_text(s, 3),
                             .line = (uint32_t)number(s, 4)};
    if (f.name && f.file && array_push(&t->h->function, f) == 0)
        return 0;
    free(f.name);
    free(f.file);
    return -ENOMEM;
}

static int take_thread(struct taking *t, sqlite3_stmt *s) {
    struct hot_thread h = {
        .pid = sqlite3_column_int(s, 0), .tid = sqlite3_column_int(s, 1), .name = sq_text(s, 2)};
    if (h.name && array_push(&t->h->thread, h) == 0)
        return 0;
    free(h.name);
    return -ENOMEM;
}

static int take_leaf(struct taking *t, sqlite3_stmt *s) {
    const struct hot_leaf l = {index_of(s, 0), index_of(s, 1), number(s, 2), count_of(s, 3)};
    return array_push(&t->h->leaf, l);
}

static int take_node(struct taking *t, sqlite3_stmt *s) {
    const struct hot_node n = {index_of(s, 0), index_of(s, 1), index_of(s, 2), count_of(s, 3)};
    return array_push(&t->h->node, n);
}

static struct hot_taken taken_of(sqlite3_stmt *s, int column) {
    return (struct hot_taken){
        number(s, column),      number(s, column + 1),  number(s, column + 2),
        number(s, column + 3),  number(s, column + 4),  sq_real(s, column + 5),
        sq_real(s, column + 6), sq_real(s, column + 7), sq_real(s, column + 8),
        sq_real(s, column + 9), sq_real(s, column + 10)};
}

static int take_records(struct taking *t, sqlite3_stmt *s) {
    struct hot *h = t->h;
    free(h->no_branches);
    h->branches = number(s, 0) != 0;
    h->no_branches = sq_text(s, 1);
    h->n_recorded = number(s, 2);
    h->n_no_branch = number(s, 3);
    h->taken = taken_of(s, 4);
    return h->no_branches ? 0 : -ENOMEM;
}

static int take_branch(struct taking *t, sqlite3_stmt *s) {
    struct hot_branch b = {.from = index_of(s, 0),
                           .from_offset = number(s, 1),
                           .to = index_of(s, 2),
                           .to_offset = number(s, 3),
                           .file = sq_text(s, 4),
                           .line = (uint32_t)number(s, 5),
                           .count = taken_of(s, 6)};
    if (b.file && array_push(&t->h->branch, b) == 0)
        return 0;
    free(b.file);
    return -ENOMEM;
}

static int take_data(struct taking *t, sqlite3_stmt *s) {
    t->h->data = count_of(s, 0);
    t->h->n_no_line = number(s, 3);
    return 0;
}

static int take_access(struct taking *t, sqlite3_stmt *s) {
    const struct hot_access a = {
        .function = index_of(s, 0),
        .thread = index_of(s, 1),
        .line = number(s, 2),
        .bytes = number(s, 3),
        .source = data_source_named(sq_peek(s, 4)),
        .sum = {count_of(s, 5), number(s, 8), number(s, 9), number(s, 10)}};
    return array_push(&t->h->access, a);
}

static int take_rows(struct taking *t, const char *sql, int64_t run, int64_t ord,
                     int (*take)(struct taking *t, sqlite3_stmt *s)) {
    sqlite3_stmt *s;
    int rc = sq_prepare(t->sq, &s, t->err, sql, "ii", run, ord);
    while (rc == 0 && (rc = sq_step(t->sq, s, t->err)) > 0)
        if ((rc = take(t, s)) < 0)
            no_memory(t);
    sqlite3_finalize(s);
    return rc;
}

#define ROWS_OF(columns, table, by)                                                                \
    "SELECT " columns " FROM " table " WHERE run = ?1 AND ord = ?2 ORDER BY " by

/* One of a run's. */
static int take_all(struct taking *t, int64_t run, int64_t ord) {
    static const struct {
        const char *sql;
        int (*take)(struct taking *t, sqlite3_stmt *s);
        int since; /* version of the file */
    } rows[] = {
        {ROWS_OF("event, precision, precise_ip, is_time, share_of, why", "sampled_events", "i"),
         take_event, 0},
        {ROWS_OF("note", "sampled_notes", "i"), take_note, 0},
        {ROWS_OF("path, kind, build_id, deleted, lack", "sampled_modules", "module"), take_module,
         0},
        {ROWS_OF("module, start, name, source, line", "sampled_functions", "function"),
         take_function, 0},
        {ROWS_OF("pid, tid, name", "sampled_threads", "thread"), take_thread, 0},
        {ROWS_OF("function, thread, at, samples, weight, square", "sampled_places", "place"),
         take_leaf, 0},
        {ROWS_OF("parent, function, thread, samples, weight, square", "sampled_stacks", "node"),
         take_node, 0},
        {ROWS_OF("recorded, why, samples, left_out, " SQ_TAKEN, "sampled_records", "recorded"),
         take_records, SQ_HAS_BRANCHES},
        {ROWS_OF("from_function, from_at, to_function, to_at, source, line, " SQ_TAKEN,
                 "sampled_branches", "branch"),
         take_branch, SQ_HAS_BRANCHES},
        {ROWS_OF("samples, weight, square, left_out", "sampled_data", "samples"), take_data,
         SQ_HAS_ACCESSES},
        {ROWS_OF("function, thread, line, bytes, source, samples, weight, square, stores, timed,"
                 " cycles",
                 "sampled_accesses", "access"),
         take_access, SQ_HAS_ACCESSES},
    };
    int rc = take_rows(t,
                       ROWS_OF("asked, target, begun_ns, seconds, cpu_s, freq_hz, samples, weight,"
                               " square, exact, kernel, unknown, lost, throttled, others, garbled,"
                               " no_room, unreadable, reopened, threads_left_out, cut_places,"
                               " cut_stacks, user_only, system_wide",
                               "sampled", "ord"),
                       run, ord, take_head);
    for (size_t i = 0; rc == 0 && i < sizeof(rows) / sizeof(rows[0]); i++)
        if (t->sq->file_version >= rows[i].since)
            rc = take_rows(t, rows[i].sql, run, ord, rows[i].take);
    struct err why = {0};
    if (rc == 0 && hot_check(t->h, &why) < 0)
        rc = sq_damaged(t->sq, t->err, "run %s: its %s", t->r->id, why.text);
    return rc;
}

static int check_sum(struct sq *sq, int64_t run, const struct run *r, struct err *err) {
#define SAME(sum) "SELECT min(row_sum IS " sum ") FROM sampled WHERE run = ?1"
    int64_t same = 1;
    const int rc = sq_number(sq, &same, err,
                             sq->file_version >= SQ_HAS_ACCESSES   ? SAME(SQ_HOT_SUM)
                             : sq->file_version >= SQ_HAS_BRANCHES ? SAME(SQ_HOT_SUM_5)
                                                                   : SAME(SQ_HOT_SUM_4),
                             "i", run);
    return rc == 0 && !same
               ? sq_damaged(sq, err, "run %s: its samples are not those that were written", r->id)
               : rc;
}

int sq_load_hot(struct sq *sq, int64_t run, struct run *r, struct err *err) {
    int64_t n = 0;
    if (sq->file_version < SQ_HAS_HOT)
        return 0;
    int rc = sq_number(sq, &n, err, "SELECT count(*) FROM sampled WHERE run = ?1", "i", run);
    if (rc < 0 || n == 0)
        return rc;
    rc = check_sum(sq, run, r, err);
    for (int64_t i = 0; rc == 0 && i < n; i++) {
        if (array_push(&r->hot, (struct hot){0}) < 0)
            return err_set(err, -ENOMEM, "run %s: out of memory", r->id);
        rc = take_all(&(struct taking){sq, &r->hot.at[r->hot.n - 1], r, err}, run, i);
    }
    return rc;
}
