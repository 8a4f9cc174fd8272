/* The store through its interface: what is saved comes back, what is changed stays changed. */
#include "store_box.h"

static void no_head(void *user, const char *const *name, int n) {
    (void)user, (void)name, (void)n;
}

static bool take_number(void *user, const struct store_cell *cell, int n) {
    assert_int_equal(n, 1);
    *(int64_t *)user = cell->kind == CELL_REAL ? (int64_t)cell->real : cell->integer;
    return false;
}

static int64_t sql_number(struct box *b, const char *sql) {
    int64_t n = -1;
    ok(b, store_sql(&b->st, sql, &(struct store_rows){no_head, take_number, &n}, &b->err));
    return n;
}

/* ---- save and load ---- */

static void test_round_trip(void **state) {
    struct box *b = *state;
    struct run r, back;
    fix_run(&r, 3, 200, 20); /* more than three chunks, more than two groups */
    r.layout.no_perf_metrics = true;
    ok(b, store_save(&b->st, &r, &b->err));
    ok(b, store_load(&b->st, r.id, RUN_ALL, &back, &b->err));
    if (fix_differ(&r, &back))
        fail_msg("%s differs", fix_differ(&r, &back));
    run_free(&back);

    ok(b, store_load(&b->st, r.id, RUN_HEAD, &back, &b->err));
    if (fix_differ_head(&r, &back))
        fail_msg("%s differs", fix_differ_head(&r, &back));
    assert_string_equal(back.model_text, "");
    assert_int_equal(back.layout.n_slot, 0);
    assert_int_equal(series_rows(&back.series), 0);
    run_free(&back);
    run_free(&r);
}

/* The rows [from, from + n) of another series: whole chunks as they are. */
static void rows_of(const struct run *r, uint64_t from, uint64_t n, struct series *out) {
    struct sample row;
    struct series_reader reader;
    assert_int_equal(series_init(out, &r->layout, 0), 0);
    assert_int_equal(sample_init(&row, r->layout.n_slot), 0);
    assert_int_equal(series_reader_init(&reader, &r->series), 0);
    for (uint64_t i = 0; i < from + n && series_reader_next(&reader, &row); i++)
        if (i >= from)
            assert_int_equal(series_push(out, &row), 0);
    series_reader_destroy(&reader);
    sample_destroy(&row);
}

/* What of the run is so far: rows [from, from + n) are still in memory. */
static void grow(struct box *b, const struct run *r, uint64_t from, uint64_t n, enum store_grow how,
                 struct store_growth *g) {
    struct run part = *r; /* borrows all but the series */
    rows_of(r, from, n, &part.series);
    part.n_stored = from;
    const int rc = store_grow(&b->st, &part, how, g, &b->err);
    series_destroy(&part.series);
    ok(b, rc);
}

/* Piece by piece it comes to the very rows that saving it at once makes. */
static void test_grow(void **state) {
    struct box *b = *state;
    struct store_growth g = {0};
    struct run r, back;
    fix_run(&r, 3, 200, 20);
    const struct {
        uint64_t from, n;
        enum store_grow how;
    } steps[] = {{0, 10, GROW_MORE},  {0, 64, GROW_MORE},      {0, 128, GROW_SETTLED},
                 {128, 3, GROW_MORE}, {128, 64, GROW_SETTLED}, {192, 1, GROW_MORE},
                 {192, 8, GROW_DONE}};
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        grow(b, &r, steps[i].from, steps[i].n, steps[i].how, &g);
        ok(b, store_load(&b->st, r.id, RUN_ALL, &back, &b->err)); /* whole at any time */
        assert_int_equal(series_rows(&back.series), steps[i].from + steps[i].n);
        run_free(&back);
        assert_int_equal(store_check(&b->st, NULL, NULL, &b->err), 0);
    }
    ok(b, store_load(&b->st, r.id, RUN_ALL, &back, &b->err));
    if (fix_differ(&r, &back))
        fail_msg("%s differs", fix_differ(&r, &back));
    run_free(&back);
    store_growth_free(&g);

    const char *sums = b->server ? "SELECT 0" : "SELECT values_sum + counts_sum FROM runs";
    const int64_t grown = sql_number(b, sums), words = sql_number(b, "SELECT sum(uses) FROM words");
    ok(b, store_delete(&b->st, r.id, &b->err));
    struct store_prune n;
    ok(b, store_prune(&b->st, 0, false, &n, &b->err));
    ok(b, store_save(&b->st, &r, &b->err));
    assert_int_equal(sql_number(b, sums), grown);
    assert_int_equal(sql_number(b, "SELECT sum(uses) FROM words"), words);
    run_free(&r);
}

/* What was changed of the run meanwhile stays; automatic labels follow. */
static void test_grow_edited(void **state) {
    struct box *b = *state;
    FILE_ONLY(b); /* a server has it when it is over */
    struct store_growth g = {0};
    struct run r, back;
    fix_run(&r, 3, 20, 4);
    ok(b, run_label_set(&r, "governor", "powersave", true, &b->err));
    ok(b, run_label_set(&r, "turbo", "on", true, &b->err));
    ok(b, run_label_set(&r, "smt", "on", true, &b->err));
    grow(b, &r, 0, 10, GROW_MORE, &g);
    ok(b, store_label(&b->st, r.id, "mine", "yes", &b->err));
    ok(b, store_label(&b->st, r.id, "turbo", "whatever", &b->err));
    ok(b, store_label(&b->st, r.id, "smt", NULL, &b->err));
    ok(b, store_note(&b->st, r.id, "seen", &b->err));
    ok(b, run_label_set(&r, "governor", "performance", true, &b->err));
    ok(b, run_label_set(&r, "turbo", "off", true, &b->err));
    grow(b, &r, 0, 20, GROW_DONE, &g);
    ok(b, store_load(&b->st, r.id, RUN_HEAD, &back, &b->err));
    assert_string_equal(run_label_get(&back, "governor"), "performance");
    assert_string_equal(run_label_get(&back, "mine"), "yes");
    assert_string_equal(run_label_get(&back, "turbo"), "whatever");
    assert_null(run_label_get(&back, "smt"));
    assert_string_equal(back.note, "seen");
    run_free(&back);
    ok(b, store_label(&b->st, r.id, "turbo", NULL, &b->err)); /* what it covered is as it is now */
    ok(b, store_load(&b->st, r.id, RUN_HEAD, &back, &b->err));
    assert_string_equal(run_label_get(&back, "turbo"), "off");
    run_free(&back);

    ok(b, store_delete(&b->st, r.id, &b->err));
    grow(b, &r, 0, 20, GROW_MORE, &g); /* deleted is only marked */
    struct store_prune n;
    ok(b, store_prune(&b->st, 0, false, &n, &b->err));
    refused(b, store_grow(&b->st, &r, GROW_DONE, &g, &b->err), -ENOENT, "not in");
    assert_int_equal(sql_number(b, "SELECT count(*) FROM chunks"), 0);
    store_growth_free(&g);
    run_free(&r);
}

/* A lock delays no measuring: it is tried again later. */
static void test_grow_locked(void **state) {
    struct box *b = *state;
    FILE_ONLY(b);
    struct store_growth g = {0};
    struct store other;
    struct run r;
    fix_run(&r, 3, 20, 4);
    ok(b, store_open(&other, b->path, STORE_WRITE, &b->err));
    ok(b, store_batch_begin(&other, &b->err));
    struct err err = {0};
    assert_int_equal(store_grow(&b->st, &r, GROW_MORE, &g, &err), -EBUSY);
    assert_false(g.begun);
    assert_int_equal(store_batch_end(&other, 0, &b->err), 0);
    store_close(&other);
    ok(b, store_grow(&b->st, &r, GROW_DONE, &g, &b->err));
    store_growth_free(&g);
    run_free(&r);
}

static void test_without_counts(void **state) {
    struct box *b = *state;
    struct run r = {.begun_ns = 5, .process = NULL}, back;
    run_new_id(r.id);
    ok(b, store_save(&b->st, &r, &b->err));
    ok(b, store_load(&b->st, r.id, RUN_ALL, &back, &b->err));
    assert_string_equal(back.process, "");
    assert_string_equal(back.model_text, "");
    assert_int_equal(back.layout.n_slot, 0);
    run_free(&back);
}

static void test_save_refused(void **state) {
    struct box *b = *state;
    struct run r;
    fix_run(&r, 3, 10, 4);
    ok(b, store_save(&b->st, &r, &b->err));
    refused(b, store_save(&b->st, &r, &b->err), -EEXIST, "in the store already");
    strcpy(r.id, "..//////////runs"); /* would be another file's name */
    refused(b, store_save(&b->st, &r, &b->err), -EINVAL, "without an id");
    r.id[3] = '\0';
    refused(b, store_save(&b->st, &r, &b->err), -EINVAL, "without an id");
    run_new_id(r.id);
    strcpy(r.label.at[0].value, "\xff");
    refused(b, store_save(&b->st, &r, &b->err), -EINVAL, "UTF-8");
    assert_int_equal(sql_number(b, "SELECT count(*) FROM runs"), 1);
    run_free(&r);
}

static void test_load_refused(void **state) {
    struct box *b = *state;
    struct run r;
    save(b, 1, "a", "p", NULL, 5);
    refused(b, store_load(&b->st, "0123456789abcdef", RUN_ALL, &r, &b->err), -ENOENT,
            "no such run");
    ok(b, store_delete(&b->st, "aaaaaaaaaaaaaaaa", &b->err));
    refused(b, store_load(&b->st, "aaaaaaaaaaaaaaaa", RUN_ALL, &r, &b->err), -ENOENT,
            "was deleted");
}

/* What people read with sqlite3. */
static void test_plain_sql(void **state) {
    struct box *b = *state;
    FILE_ONLY(b);
    struct run r;
    fix_run(&r, 3, 50, 8);
    double sum = 0;
    struct sample s;
    struct series_reader reader;
    assert_int_equal(sample_init(&s, 8), 0);
    assert_int_equal(series_reader_init(&reader, &r.series), 0);
    while (series_reader_next(&reader, &s))
        sum += s.at[1].value;
    series_reader_destroy(&reader);
    sample_destroy(&s);
    ok(b, store_save(&b->st, &r, &b->err));
    const struct {
        const char *sql;
        int64_t want;
    } cases[] = {
        {"SELECT round(total) FROM events WHERE slot = 1", (int64_t)round(sum)},
        {"SELECT count(*) FROM events WHERE counted_in IS NULL AND state = 'not_supported'", 1},
        {"SELECT total IS NULL FROM events WHERE slot = 8", 1},
        {"SELECT count(*) FROM run_values WHERE process = 'redis-server'", FIX_NODES},
        {"SELECT count(*) FROM run_values WHERE value IS NULL AND state = 'na' AND reason <> ''",
         4},
        {"SELECT labels LIKE '%test=fixture%' FROM run_labels_text", 1},
        {"SELECT begun = '2023-11-14 22:13:23' FROM run_labels_text", 1},
        {"SELECT count(*) FROM run_labels WHERE automatic", 1},
        {"SELECT sum(intervals) FROM chunks", 50},
        {"SELECT length(hash) FROM models", 64},
        {"SELECT count(*) FROM run_intervals", 50 * 8},
        {"SELECT round(sum(count)) FROM run_intervals WHERE slot = 1", (int64_t)round(sum)},
        {"SELECT sum(i.count) = e.total FROM runs r JOIN run_intervals i USING (id) JOIN events e"
         " ON e.run = r.run AND e.slot = i.slot WHERE i.slot = 5",
         1},
        {"SELECT max(t1_ns) = (SELECT t1_ns - t0_ns FROM runs) FROM run_intervals", 1},
        {"SELECT count(*) FROM run_intervals WHERE count IS NULL AND state = 'stale'", 3},
        {"SELECT count(*) FROM run_intervals WHERE id = 'none'", 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (sql_number(b, cases[i].sql) != cases[i].want)
            fail_msg("%s: %lld, wanted %lld", cases[i].sql, (long long)sql_number(b, cases[i].sql),
                     (long long)cases[i].want);
    run_free(&r);
}

/* ---- changes ---- */

static void label_value(struct box *b, const char *value) {
    struct run r;
    struct run_list l;
    ok(b, store_label(&b->st, "a1aaaaaaaaaaaaaa", "odd", value, &b->err));
    ok(b, store_load(&b->st, "a1aaaaaaaaaaaaaa", RUN_HEAD, &r, &b->err));
    assert_string_equal(run_label_get(&r, "odd"), value);
    run_free(&r);
    struct label_filter f = {.key = strdup("odd"), .value = strdup(value)};
    for (f.op = LABEL_IS; f.op <= LABEL_HAS; f.op += LABEL_HAS) {
        ok(b, store_list(&b->st, &(struct run_query){.filter = &f, .n_filter = 1}, &l, &b->err));
        assert_int_equal(l.total, 1);
        assert_int_equal(l.row[0].n_label, 7);
        run_list_free(&l);
    }
    label_filter_free(&f);
}

static void test_labels(void **state) {
    struct box *b = *state;
    four_runs(b);
    static char longest[4097], too_long[10241];
    memset(longest, 'x', 4096);
    memset(too_long, 'y', 10240);
    const char *const values[] = {
        "it's \"quoted\"; DROP TABLE runs; --",
        "two\nlines\n\tand a tab",
        "100% _sure_ \\ %",
        "\xc3\xa4\xf0\x9f\x90\x8c",
        "",
        longest,
    };
    for (size_t i = 0; i < COUNT_OF(values); i++)
        label_value(b, values[i]);
    const char *const id = "a1aaaaaaaaaaaaaa";
    refused(b, store_label(&b->st, id, "odd", too_long, &b->err), -EINVAL, "10240 bytes");
    refused(b, store_label(&b->st, id, "odd", "\xf0\x28\x8c\x28", &b->err), -EINVAL, "UTF-8");
    refused(b, store_label(&b->st, id, "odd", "\x1b[31mred", &b->err), -EINVAL, "0x1b (ESC)");
    refused(b, store_label(&b->st, id, "a b", "c", &b->err), -EINVAL, "key");
    refused(b, store_label(&b->st, "a1", "a", "c", &b->err), -ENOENT, "no such run");
    struct run r;
    ok(b, store_label(&b->st, id, "odd", NULL, &b->err));
    ok(b, store_note(&b->st, id, "it's\nbetter", &b->err));
    ok(b, store_load(&b->st, id, RUN_HEAD, &r, &b->err));
    assert_null(run_label_get(&r, "odd"));
    assert_string_equal(r.note, "it's\nbetter");
    run_free(&r);
    refused(b, store_note(&b->st, "a1", "x", &b->err), -ENOENT, "no such run");
    refused(b, store_note(&b->st, id, "a\x9b", &b->err), -EINVAL, "not UTF-8");
    refused(b, store_note(&b->st, id, "a\x1b", &b->err), -EINVAL, "the note has a control");
}

/* The label of a run as the store has it; covered NULL: nothing is below. */
static void label_is(struct box *b, const char *id, const char *value, bool automatic,
                     const char *covered) {
    struct run r;
    const struct run_label *l = NULL;
    ok(b, store_load(&b->st, id, RUN_HEAD, &r, &b->err));
    for (size_t i = 0; i < r.label.n; i++)
        if (!strcmp(r.label.at[i].key, "arch"))
            l = &r.label.at[i];
    assert_non_null(l);
    assert_string_equal(l->value, value);
    assert_int_equal(l->automatic, automatic);
    assert_int_equal(!l->covered, !covered);
    if (covered)
        assert_string_equal(l->covered, covered);
    run_free(&r);
}

/* A label of the user's covers what tdtop found, and gives it back. */
static void test_covered(void **state) {
    struct box *b = *state;
    const char *const id = "a1aaaaaaaaaaaaaa";
    struct run r;
    four_runs(b);
    ok(b, store_load(&b->st, id, RUN_ALL, &r, &b->err));
    char *found = strdup(run_label_get(&r, "arch"));
    assert_non_null(found);
    label_is(b, id, found, true, NULL);
    ok(b, store_label(&b->st, id, "arch", "mine", &b->err));
    ok(b, store_label(&b->st, id, "arch", "mine too", &b->err));
    label_is(b, id, "mine too", false, found);
    run_free(&r);

    ok(b, store_load(&b->st, id, RUN_ALL, &r, &b->err)); /* and so it is in a copy */
    run_new_id(r.id);
    ok(b, store_save(&b->st, &r, &b->err));
    label_is(b, r.id, "mine too", false, found);
    ok(b, store_label(&b->st, r.id, "arch", NULL, &b->err));
    label_is(b, r.id, found, true, NULL);
    ok(b, store_label(&b->st, id, "arch", NULL, &b->err));
    label_is(b, id, found, true, NULL);
    if (!b->server)
        assert_int_equal(sql_number(b, "SELECT count(*) FROM covered"), 0);
    assert_int_equal(store_check(&b->st, NULL, NULL, &b->err), 0);
    free(found);
    run_free(&r);
}

/* All changes of a run at once: one that is refused leaves the others undone. */
static void test_edit(void **state) {
    struct box *b = *state;
    const char *const id = "a1aaaaaaaaaaaaaa";
    const struct label_change good[] = {{"p", "1"}, {"q", "2"}, {"io", NULL}};
    const struct label_change bad[] = {{"p", "3"}, {"q", "\x1b"}};
    struct run r;
    four_runs(b);
    ok(b, store_edit(&b->st, id, good, COUNT_OF(good), "both", &b->err));
    refused(b, store_edit(&b->st, id, bad, COUNT_OF(bad), "not", &b->err), -EINVAL, "label q");
    refused(b, store_edit(&b->st, "ff", good, 1, NULL, &b->err), -ENOENT, "no such run");
    ok(b, store_load(&b->st, id, RUN_HEAD, &r, &b->err));
    assert_string_equal(run_label_get(&r, "p"), "1");
    assert_string_equal(run_label_get(&r, "q"), "2");
    assert_null(run_label_get(&r, "io"));
    assert_string_equal(r.note, "both");
    run_free(&r);
    ok(b, store_edit(&b->st, id, NULL, 0, "", &b->err));
    ok(b, store_load(&b->st, id, RUN_HEAD, &r, &b->err));
    assert_string_equal(r.note, "");
    run_free(&r);
}

/* A batch is there whole, or not at all. */
static void test_batch(void **state) {
    struct box *b = *state;
    ok(b, store_batch_begin(&b->st, &b->err));
    save(b, 1, "01", "p", NULL, 3);
    save(b, 2, "02", "p", NULL, 3);
    assert_int_equal(store_batch_end(&b->st, -EINVAL, &b->err), -EINVAL);
    listed(b, &(struct run_query){0}, "taken back", "", 0);
    ok(b, store_batch_begin(&b->st, &b->err));
    save(b, 1, "01", "p", NULL, 3);
    listed(b, &(struct run_query){0}, "within", "01", 1);
    ok(b, store_batch_end(&b->st, 0, &b->err));
    listed(b, &(struct run_query){0}, "kept", "01", 1);
    assert_int_equal(sql_number(b, "SELECT count(*) FROM runs"), 1);
}

/* ---- care ---- */

static void test_delete(void **state) {
    struct box *b = *state;
    const char *const id = "c3cccccccccccccc";
    char found[RUN_ID_LEN + 1];
    struct store_prune n;
    four_runs(b);
    ok(b, store_delete(&b->st, id, &b->err));
    listed(b, &(struct run_query){0}, "one deleted", "c4 b2 a1", 3);
    listed(b, &(struct run_query){.process = "redis"}, "one deleted", "c4 a1", 2);
    ok(b, store_find(&b->st, "c", found, &b->err));
    assert_string_equal(found, "c4cccccccccccccc");
    refused(b, store_delete(&b->st, id, &b->err), -ENOENT, "no such run");
    store_close(&b->st);
    ok(b, store_open(&b->st, b->path, STORE_WRITE, &b->err));
    ok(b, store_undelete(&b->st, id, &b->err));
    listed(b, &(struct run_query){0}, "back", "c3 c4 b2 a1", 4);

    ok(b, store_delete(&b->st, id, &b->err));
    ok(b, store_prune(&b->st, 0, true, &n, &b->err));
    assert_int_equal(n.n, 1);
    assert_int_equal(n.n_removed, 1);
    assert_true(n.oldest_ns == 1700000000000000000ll + 40 * 1000000000ll &&
                n.newest_ns == n.oldest_ns);
    assert_int_equal(sql_number(b, "SELECT count(*) FROM runs"), 4);
    ok(b, store_prune(&b->st, 0, false, &n, &b->err));
    assert_int_equal(n.n, 1);
    refused(b, store_undelete(&b->st, id, &b->err), -ENOENT, "pruned");
    if (!b->server)
        assert_int_equal(sql_number(b, "SELECT count(*) FROM chunks"), 3);
    ok(b, store_prune(&b->st, 1700000000000000000ll + 30 * 1000000000ll, false, &n, &b->err));
    assert_int_equal(n.n, 2);
    listed(b, &(struct run_query){0}, "older ones removed", "c4", 1);
}

static void test_prune_leaves_nothing(void **state) {
    struct box *b = *state;
    struct store_prune n;
    struct store_stats before, after;
    for (int i = 0; i < 120; i++) { /* more than one transaction of it */
        char id[4];
        snprintf(id, sizeof(id), "%03x", i);
        save(b, (uint64_t)i, id, "p", NULL, 3);
    }
    ok(b, store_stats(&b->st, &before, &b->err));
    assert_int_equal(before.n_run, 120);
    assert_int_equal(before.n_interval, 360);
    assert_int_equal(before.n_model, 1);
    assert_int_equal(before.version, b->server ? 1 : 6);
    ok(b, store_prune(&b->st, INT64_MAX, false, &n, &b->err));
    assert_int_equal(n.n, 120);
    ok(b, store_vacuum(&b->st, &b->err));
    ok(b, store_stats(&b->st, &after, &b->err));
    assert_true(after.bytes < before.bytes && after.free_bytes == 0);
    const char *const of_server[] = {"runs", "models", "metrics", "shapes",
                                     "(SELECT FROM words WHERE uses <> 0 OR live <> 0) x"};
    const char *const of_file[] = {"runs",
                                   "labels",
                                   "words",
                                   "facts",
                                   "constants",
                                   "marks",
                                   "nodes",
                                   "events",
                                   "chunks",
                                   "models",
                                   "metrics",
                                   "covered",
                                   "sampled",
                                   "sampled_events",
                                   "sampled_notes",
                                   "sampled_modules",
                                   "sampled_functions",
                                   "sampled_threads",
                                   "sampled_places",
                                   "sampled_stacks",
                                   "sampled_records",
                                   "sampled_branches",
                                   "sampled_data",
                                   "sampled_accesses"};
    const char *const *tables = b->server ? of_server : of_file;
    for (size_t i = 0; i < (b->server ? COUNT_OF(of_server) : COUNT_OF(of_file)); i++) {
        char sql[96];
        snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s", tables[i]);
        if (sql_number(b, sql) != 0)
            fail_msg("%s still has rows", tables[i]);
    }
}

static void test_reader(void **state) {
    struct box *b = *state;
    struct store reader;
    struct store_prune n;
    four_runs(b);
    ok(b, store_open(&reader, b->path, STORE_READ, &b->err));
    struct run r = {.id = "0123456789abcdef"};
    refused(b, store_save(&reader, &r, &b->err), -EROFS, "for reading only");
    refused(b, store_label(&reader, "c3", "a", "b", &b->err), -EROFS, "for reading only");
    refused(b, store_prune(&reader, 1, false, &n, &b->err), -EROFS, "for reading only");
    ok(b, store_prune(&reader, INT64_MAX, true, &n, &b->err));
    assert_int_equal(n.n, 4);
    save(b, 50, "ee", "late", NULL, 3); /* is seen by a reader that was there before */
    struct run_list l;
    ok(b, store_list(&reader, &(struct run_query){.limit = 1}, &l, &b->err));
    assert_string_equal(l.row[0].process, "late");
    run_list_free(&l);
    store_close(&reader);
}

int main(void) {
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(test_round_trip),   CASE(test_without_counts),
        CASE(test_save_refused), CASE(test_load_refused),
        CASE(test_plain_sql),    CASE(test_labels),
        CASE(test_delete),       CASE(test_prune_leaves_nothing),
        CASE(test_reader),       CASE(test_covered),
        CASE(test_edit),         CASE(test_batch),
        CASE(test_grow),         CASE(test_grow_edited),
        CASE(test_grow_locked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
