/*
 * Rows of a SELECT over the last hour. It becomes a run in a store of its own, which is gone before
 * the rows are seen: what is asked is what `tdtop sql` would be asked of the run that `s` stores.
 */
#include "ui/popup/popup_sql.h"

#include "base/clock.h"
#include "base/str.h"
#include "db/store.h"
#include "session/session.h"
#include "ui/popup/popup.h"
#include "ui/screen/screen.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH = 150, ROWS_MOST = 1000, CELL_MOST = 60 };
#define HOUR_NS (3600 * NS_PER_S)

/* Cells, row after row; the first are the heads. */
struct rows {
    ARRAY(char *) cell;
    int columns;
    uint64_t n, words; /* words: a bit for each column (of the first 64) that holds some */
    bool cut, lacks;
};

/* What the pop-up keeps. */
struct sql_page {
    struct rows rows;
    int *width; /* [rows.columns] */
    char sql[1024];
};

static void rows_free(struct rows *r) {
    for (size_t i = 0; i < r->cell.n; i++)
        free(r->cell.at[i]);
    array_free(&r->cell);
    *r = (struct rows){0};
}

/* ---- the answer ---- */

static void add(struct rows *r, const char *text) {
    char safe[CELL_MOST + 1];
    char *copy = strdup(str_safe(safe, sizeof(safe), text));
    if (copy && array_push(&r->cell, copy) == 0)
        return;
    free(copy);
    r->lacks = true;
}

static void head(void *user, const char *const *name, int n) {
    struct rows *r = user;
    r->columns = n;
    for (int i = 0; i < n; i++)
        add(r, name[i]);
}

static void add_cell(struct rows *r, const struct store_cell *c) {
    char text[40] = "";
    if (c->kind == CELL_INTEGER)
        snprintf(text, sizeof(text), "%lld", (long long)c->integer);
    else if (c->kind == CELL_REAL)
        snprintf(text, sizeof(text), "%.6g", c->real);
    else if (c->kind == CELL_BYTES)
        snprintf(text, sizeof(text), "(%zu bytes)", c->n);
    add(r, c->kind == CELL_TEXT ? c->text : text);
}

static bool row(void *user, const struct store_cell *cell, int n) {
    struct rows *r = user;
    r->cut = r->n == ROWS_MOST;
    for (int i = 0; i < n && !r->cut; i++) {
        add_cell(r, &cell[i]);
        if (i < 64 && cell[i].kind == CELL_TEXT)
            r->words |= 1ull << i;
    }
    r->n += !r->cut;
    return !r->cut && !r->lacks;
}

/* ---- what is asked ---- */

/* Each core type is a run. */
static int save_hour(struct screen *sc, struct store *st, struct err *err) {
    struct screen *all[SESSIONS_MAX];
    const int n = types_all(sc, all);
    int rc = 0;
    for (int i = 0; i < n && rc == 0; i++) {
        const struct session *s = all[i]->scene.s;
        struct session_draft d = {0};
        const uint64_t t1 = s->sample.t1_ns, t0 = t1 > HOUR_NS ? t1 - HOUR_NS : 0;
        rc = session_draft(s, t0, t1, 0, &d, err);
        if (rc < 0)
            break;
        rc = session_draft_finish(&d, err);
        if (rc == 0)
            rc = store_save(st, &d.run, err);
        session_draft_free(&d);
    }
    return rc;
}

static void remove_store(const char *folder, const char *path) {
    static const char *const with[] = {"", "-wal", "-shm"};
    char file[128];
    for (size_t i = 0; i < sizeof(with) / sizeof(with[0]); i++) {
        snprintf(file, sizeof(file), "%s%s", path, with[i]);
        unlink(file);
    }
    rmdir(folder);
}

static int ask_store(struct screen *sc, const char *sql, struct rows *to, struct err *err) {
    char folder[64], path[96];
    struct store st = {0};
    snprintf(folder, sizeof(folder), "%s/tdtop-sql-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(folder))
        return err_set(err, -errno, "sql: %s: %s", folder, strerror(errno));
    snprintf(path, sizeof(path), "%s/hour.db", folder);
    int rc = store_open(&st, path, STORE_WRITE, err);
    if (rc == 0)
        rc = save_hour(sc, &st, err);
    if (rc == 0)
        rc = store_sql(&st, sql, &(struct store_rows){head, row, to}, err);
    if (rc == 0 && to->lacks)
        rc = err_set(err, -ENOMEM, "sql: out of memory for the rows; ask for fewer");
    store_close(&st);
    remove_store(folder, path);
    return rc;
}

/* ---- the page ---- */

static int *widths(const struct rows *r) {
    int *w = calloc((size_t)r->columns + 1, sizeof(*w));
    for (size_t i = 0; w && i < r->cell.n; i++) {
        const int here = str_width(r->cell.at[i]), k = (int)(i % (size_t)r->columns);
        w[k] = here > w[k] ? here : w[k];
    }
    return w;
}

static void destroy(void *state) {
    struct sql_page *p = state;
    rows_free(&p->rows);
    free(p->width);
    *p = (struct sql_page){0};
}

void sql_show(struct screen *sc, const char *sql) {
    struct sql_page *p = screen_popup(sc, &popup_sql);
    struct rows rows = {0};
    struct err err = {0};
    if (!sql[0] || !sc->scene.connected)
        return;
    const int rc = ask_store(sc, sql, &rows, &err);
    int *width = rc == 0 ? widths(&rows) : NULL;
    if (rc < 0 || !width) {
        screen_say(sc, "%s", rc < 0 ? err.text : "sql: out of memory");
        rows_free(&rows);
        free(width);
        return;
    }
    destroy(p);
    p->rows = rows;
    p->width = width;
    str_copy(p->sql, sizeof(p->sql), sql);
    screen_open(sc, &popup_sql);
}

void sql_ask(struct screen *sc) {
    const struct sql_page *p = screen_popup(sc, &popup_sql);
    if (sc->scene.connected)
        ask_begin(sc, "sql:",
                  p->sql[0] ? p->sql : "SELECT metric, value, err FROM run_values WHERE is_over",
                  sql_show);
}

/* One line of cells, each as wide as its column. */
static void put_line(const struct sql_page *s, struct page *p, size_t first, enum style st) {
    char line[WIDTH * 4] = "";
    struct strbuf sb = strbuf_on(line, sizeof(line));
    for (int k = 0; k < s->rows.columns; k++) {
        const char *cell = s->rows.cell.at[first + (size_t)k];
        const int room = s->width[k] - str_width(cell);
        const bool words = k >= 64 || s->rows.words >> k & 1;
        strbuf_add(&sb, "%*s%s%*s  ", words ? 0 : room, "", cell, words ? room : 0, "");
    }
    page_pair(p, 0, st, "", st, line);
}

static void fill(struct screen *sc, struct page *p) {
    const struct sql_page *s = screen_popup(sc, &popup_sql);
    const size_t columns = (size_t)s->rows.columns;
    char words[96];
    for (size_t at = 0; columns && at + columns <= s->rows.cell.n; at += columns)
        put_line(s, p, at, at ? STYLE_POPUP : STYLE_LABEL);
    snprintf(words, sizeof(words), "%llu row%s%s", (unsigned long long)s->rows.n,
             s->rows.n == 1 ? "" : "s", s->rows.cut ? ", and more: add LIMIT, or a condition" : "");
    page_blank(p);
    page_text(p, STYLE_DIM, 0, NULL, words);
}

static void draw(struct screen *sc, struct canvas *c, struct rect r) {
    const struct sql_page *s = screen_popup(sc, &popup_sql);
    popup_page(sc, c, r, WIDTH, s->sql, fill);
}

const struct overlay popup_sql = {.name = "sql",
                                  .state_size = sizeof(struct sql_page),
                                  .destroy = destroy,
                                  .draw = draw,
                                  .mouse = popup_mouse};
