/* `tdtop sql`: rows of a SELECT over the store, as a table, CSV or JSON. */
#include "base/json_put.h"
#include "base/str.h"
#include "cli/file/run_pick.h"
#include "cli/out/csv.h"
#include "cli/out/table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows on their way: a table is printed at the end, the others as they come. */
struct printing {
    const struct args *a;
    char **name; /* [n], owned */
    int n;
    struct csv csv;
    struct json_put json;
    struct table_column *column; /* [n]; titles are those of `name` */
    struct table table;
    uint64_t rows;
    bool lacks;
};

static void head(void *user, const char *const *name, int n) {
    struct printing *p = user;
    p->name = calloc((size_t)n + 1, sizeof(*p->name));
    p->column = calloc((size_t)n + 1, sizeof(*p->column));
    p->lacks = !p->name || !p->column;
    for (; !p->lacks && p->n < n; p->n++) {
        p->name[p->n] = strdup(name[p->n]);
        p->lacks = !p->name[p->n];
        p->column[p->n] = (struct table_column){p->name[p->n], true, 8};
    }
    if (p->lacks || p->a->json)
        return;
    if (!p->a->csv) {
        table_init(&p->table, p->column, n);
        return;
    }
    csv_init(&p->csv, stdout, p->a->separator ? p->a->separator : ",");
    for (int i = 0; i < n; i++)
        csv_text(&p->csv, p->name[i]);
    csv_end(&p->csv);
}

static void put_table(struct printing *p, int i, const struct store_cell *c) {
    char number[40];
    switch (c->kind) {
    case CELL_INTEGER:
        table_addf(&p->table, "%lld", (long long)c->integer);
        break;
    case CELL_REAL:
        table_addf(&p->table, "%.6g", c->real);
        break;
    case CELL_TEXT:
        p->column[i].right = false; /* of words */
        table_add(&p->table, c->text);
        break;
    case CELL_BYTES:
        snprintf(number, sizeof(number), "(%zu bytes)", c->n);
        table_add(&p->table, number);
        break;
    case CELL_NULL:
        table_add(&p->table, "");
        break;
    }
}

static void put_csv(struct printing *p, const struct store_cell *c) {
    if (c->kind == CELL_INTEGER)
        csv_integer(&p->csv, c->integer);
    else if (c->kind == CELL_TEXT)
        csv_text(&p->csv, c->text);
    else if (c->kind == CELL_BYTES)
        csv_integer(&p->csv, (int64_t)c->n);
    else
        csv_number(&p->csv, c->kind == CELL_REAL ? c->real : (double)NAN);
}

static void put_json(struct printing *p, int i, const struct store_cell *c) {
    if (c->kind == CELL_INTEGER)
        json_put_integer(&p->json, p->name[i], c->integer);
    else if (c->kind == CELL_TEXT)
        json_put_text(&p->json, p->name[i], c->text);
    else if (c->kind == CELL_BYTES)
        json_put_integer(&p->json, p->name[i], (int64_t)c->n);
    else
        json_put_number(&p->json, p->name[i], c->kind == CELL_REAL ? c->real : (double)NAN);
}

/* A line of JSON for each row. */
static bool row(void *user, const struct store_cell *cell, int n) {
    struct printing *p = user;
    if (p->lacks || (p->a->limit > 0 && p->rows >= (uint64_t)p->a->limit))
        return false;
    p->rows++;
    if (p->a->json)
        json_put_begin(&p->json, NULL, '{');
    for (int i = 0; i < n; i++) {
        if (p->a->json)
            put_json(p, i, &cell[i]);
        else if (p->a->csv)
            put_csv(p, &cell[i]);
        else
            put_table(p, i, &cell[i]);
    }
    if (p->a->json) {
        json_put_end(&p->json, '}');
        p->lacks = json_put_line(&p->json, stdout) < 0;
    } else if (p->a->csv) {
        csv_end(&p->csv);
    }
    return !ferror(stdout);
}

static int print(const struct args *a, struct err *err) {
    struct run_pick pick = {0};
    struct printing p = {.a = a};
    int rc = a->n_word
                 ? 0
                 : err_set(err, -EINVAL,
                           "sql: no statement; as: tdtop sql 'SELECT * FROM run_values LIMIT 5'");
    if (rc == 0)
        rc = run_pick_open(&pick, &(struct args){.db = a->db}, STORE_READ, err);
    if (rc == 0)
        rc = store_sql(&pick.store, a->word[0], &(struct store_rows){head, row, &p}, err);
    if (rc == 0 && p.n && !a->json && !a->csv && !p.lacks)
        p.lacks = table_print(&p.table, stdout) < 0;
    if (rc == 0 && p.lacks)
        rc = err_set(err, -ENOMEM, "sql: out of memory for the rows; with --csv they need none");
    run_pick_close(&pick);
    table_free(&p.table);
    json_put_free(&p.json);
    for (int i = 0; i < p.n; i++)
        free(p.name[i]);
    free(p.name);
    free(p.column);
    return rc;
}

int verb_sql(const struct args *a) {
    struct err err = {0};
    const int rc = print(a, &err);
    if (rc < 0)
        cli_error(&err);
    return rc == 0 ? EXIT_OK : rc == -EINVAL ? EXIT_USAGE : EXIT_ERROR;
}
