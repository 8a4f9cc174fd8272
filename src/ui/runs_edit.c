#include "ui/runs_edit.h"

#include "base/str.h"
#include "ui/label_text.h"

#include <errno.h>
#include <string.h>

static bool wait_a_little(void *user, double waited_s) {
    (void)user;
    return waited_s < 1;
}

static int open_store(struct store *st, const char *path, struct err *err) {
    const int rc = store_open(st, path, STORE_WRITE, err);
    if (rc == 0)
        store_on_wait(st, wait_a_little, NULL);
    return rc;
}

/* ---- labels ---- */

static int set_wanted(struct store *st, const struct run *old, const struct run *wanted,
                      struct err *err) {
    int rc = 0;
    for (size_t i = 0; i < wanted->label.n && rc == 0; i++) {
        const struct run_label *l = &wanted->label.at[i];
        const char *was = run_label_get(old, l->key);
        if (!was || strcmp(was, l->value) != 0)
            rc = store_label(st, old->id, l->key, l->value, err);
    }
    return rc;
}

static int remove_others(struct store *st, const struct run *old, const struct run *wanted,
                         struct err *err) {
    int rc = 0;
    for (size_t i = 0; i < old->label.n && rc == 0; i++) {
        const struct run_label *l = &old->label.at[i];
        if (!l->automatic && !run_label_get(wanted, l->key))
            rc = store_label(st, old->id, l->key, NULL, err);
    }
    return rc;
}

int runs_edit_labels(const char *path, const char *id, const char *text, struct err *err) {
    struct run wanted = {0}, old = {0};
    struct store st = {0};
    int rc = label_text_set(text, &wanted, err);
    if (rc == 0)
        rc = open_store(&st, path, err);
    if (rc == 0)
        rc = store_load(&st, id, RUN_HEAD, &old, err);
    if (rc == 0)
        rc = set_wanted(&st, &old, &wanted, err);
    if (rc == 0)
        rc = remove_others(&st, &old, &wanted, err);
    store_close(&st);
    run_free(&wanted);
    run_free(&old);
    return rc;
}

bool runs_edit_text(const struct run_row *row, char *text, size_t cap) {
    text[0] = '\0';
    for (size_t i = 0; i < row->n_label; i++)
        if (!row->label[i].automatic &&
            !label_text_add(text, cap, row->label[i].key, row->label[i].value))
            return false;
    return true;
}

/* ---- the rest ---- */

/* One change of one run. */
static int change(const char *path, const char *id, const char *text,
                  int (*how)(struct store *st, const char *id, const char *text, struct err *err),
                  struct err *err) {
    struct store st;
    int rc = open_store(&st, path, err);
    if (rc == 0)
        rc = how(&st, id, text, err);
    store_close(&st);
    return rc;
}

static int delete_run(struct store *st, const char *id, const char *text, struct err *err) {
    (void)text;
    return store_delete(st, id, err);
}

static int undelete_run(struct store *st, const char *id, const char *text, struct err *err) {
    (void)text;
    return store_undelete(st, id, err);
}

int runs_edit_note(const char *path, const char *id, const char *note, struct err *err) {
    return change(path, id, note, store_note, err);
}

static void push(struct runs_undo *u, const char *id) {
    if (u->n == RUNS_UNDO)
        memmove(u->id[0], u->id[1], sizeof(u->id[0]) * (size_t)--u->n);
    str_copy(u->id[u->n++], sizeof(u->id[0]), id);
}

int runs_edit_delete(const char *path, const char *id, struct runs_undo *u, struct err *err) {
    const int rc = change(path, id, NULL, delete_run, err);
    if (rc == 0)
        push(u, id);
    return rc;
}

int runs_edit_undo(const char *path, struct runs_undo *u, char id[RUN_ID_LEN + 1],
                   struct err *err) {
    if (u->n == 0)
        return err_set(err, -ENOENT,
                       "nothing was deleted here; tdtop rm --undo @0 brings back what was deleted "
                       "elsewhere");
    memcpy(id, u->id[u->n - 1], RUN_ID_LEN + 1);
    const int rc = change(path, id, NULL, undelete_run, err);
    if (rc == 0)
        u->n--;
    return rc;
}
