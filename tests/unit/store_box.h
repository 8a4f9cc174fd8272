/* A store in a folder of its own, with some runs in it; or in the database that TDTOP_TEST_POSTGRES
 * names (postgresql://...), which it empties. */
#ifndef TDTOP_TESTS_STORE_BOX_H
#define TDTOP_TESTS_STORE_BOX_H

#include "store_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

struct box {
    char folder[64], path[200];
    bool server;
    struct store st;
    struct err err;
};

static inline void empty_database(const char *address) {
    char command[300];
    snprintf(command, sizeof(command),
             "PGOPTIONS='-c client_min_messages=error' psql -qX '%s' -c 'DROP SCHEMA IF EXISTS "
             "tdtop CASCADE'",
             address);
    assert_int_equal(system(command), 0);
}

/* What only a file has. */
#define FILE_ONLY(b)                                                                               \
    do {                                                                                           \
        if ((b)->server)                                                                           \
            skip();                                                                                \
    } while (0)

static inline int setup(void **state) {
    const char *server = getenv("TDTOP_TEST_POSTGRES");
    struct box *b = calloc(1, sizeof(*b));
    assert_non_null(b);
    fix_folder(b->folder);
    assert_non_null(mkdtemp(b->folder));
    snprintf(b->path, sizeof(b->path), "%s/in/it/runs.db", b->folder);
    setenv("TDTOP_DB", b->path, 1); /* what waits for a server waits beside it */
    if (server && (b->server = true)) {
        snprintf(b->path, sizeof(b->path), "%s", server);
        empty_database(b->path);
    }
    if (store_open(&b->st, b->path, STORE_WRITE, &b->err) < 0)
        fail_msg("%s", b->err.text);
    *state = b;
    return 0;
}

static inline int teardown(void **state) {
    struct box *b = *state;
    char command[128];
    store_close(&b->st);
    snprintf(command, sizeof(command), "rm -rf %s", b->folder);
    const int rc = system(command);
    free(b);
    return rc;
}

static inline void ok(struct box *b, int rc) {
    if (rc < 0)
        fail_msg("rc %d: %s", rc, b->err.text);
}

/* An error with these words in it. */
static inline void refused(struct box *b, int rc, int want, const char *words) {
    if (rc != want || !strstr(b->err.text, words))
        fail_msg("rc %d, wanted %d with '%s': %s", rc, want, words, b->err.text);
}

/* Saves a run whose id is given by its first digit. */
static inline void save(struct box *b, uint64_t seed, const char *id, const char *process,
                        const char *labels[][2], uint32_t rows) {
    struct run r;
    fix_run(&r, seed, rows, 4);
    memset(r.id, *id, RUN_ID_LEN);
    memcpy(r.id, id, strlen(id));
    free(r.process);
    r.process = strdup(process);
    for (size_t i = 0; labels && labels[i][0]; i++)
        ok(b, run_label_set(&r, labels[i][0], labels[i][1], false, &b->err));
    ok(b, store_save(&b->st, &r, &b->err));
    run_free(&r);
}

static const char *labels_a[][2] = {{"branch", "main"}, {"io", "1"}, {"x", "50% of_it\\"}, {0}};
static const char *labels_b[][2] = {{"branch", "fix"}, {"io", "4"}, {0}};
static const char *labels_c[][2] = {{"branch", "main"}, {"io", "4"}, {"y", "Quick"}, {0}};

static inline void four_runs(struct box *b) {
    save(b, 10, "a1", "redis", labels_a, 30);
    save(b, 20, "b2", "nginx", labels_b, 10);
    save(b, 40, "c3", "redis", labels_c, 20); /* saved before an older one */
    save(b, 30, "c4", "redis", NULL, 40);
}

/* The first two digits of what is listed. */
struct each_row {
    const struct run_list *list;
    size_t n;
};

static inline int same_row(void *user, const struct run_row *row) {
    struct each_row *e = user;
    assert_true(e->n < e->list->n);
    const struct run_row *want = &e->list->row[e->n++];
    assert_string_equal(row->id, want->id);
    assert_string_equal(row->process, want->process);
    assert_string_equal(row->bottleneck, want->bottleneck);
    assert_int_equal(row->begun_ns, want->begun_ns);
    assert_memory_equal(row->top, want->top, sizeof(row->top));
    assert_memory_equal(&row->value, &want->value, sizeof(row->value));
    assert_int_equal(row->n_label, want->n_label);
    for (size_t i = 0; i < row->n_label; i++)
        assert_string_equal(row->label[i].value, want->label[i].value);
    return 0;
}

static inline void listed(struct box *b, const struct run_query *q, const char *what,
                          const char *want, uint64_t total) {
    char got[64] = "";
    struct run_list l;
    ok(b, store_list(&b->st, q, &l, &b->err));
    for (size_t i = 0; i < l.n; i++) {
        strncat(got, l.row[i].id, 2);
        strcat(got, i + 1 < l.n ? " " : "");
    }
    if (strcmp(got, want) != 0 || l.total != total)
        fail_msg("%s: '%s' of %llu, wanted '%s' of %llu", what, got, (unsigned long long)l.total,
                 want, (unsigned long long)total);
    struct each_row each = {.list = &l}; /* one by one they are the same */
    ok(b, store_list_each(&b->st, q, same_row, &each, &b->err));
    assert_int_equal(each.n, l.n);
    run_list_free(&l);
}

#endif
