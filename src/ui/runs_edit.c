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

int runs_edit_note(const char *path, const char *id, const char *note, struct err *err) {
    struct store st;
    int rc = open_store(&st, path, err);
    if (rc == 0)
        rc = store_note(&st, id, note, err);
    store_close(&st);
    return rc;
}

/* ---- removed, and back ---- */

void runs_undo_free(struct runs_undo *u) {
    array_free(&u->run);
}

static int push(struct runs_undo *u, const char *id, struct err *err) {
    struct runs_gone gone = {.together = u->last};
    str_copy(gone.id, sizeof(gone.id), id);
    if (array_push(&u->run, gone) == 0)
        return 0;
    return err_set(err, -ENOMEM, "run %.8s: removed, but out of memory: tdtop rm --undo %.8s", id,
                   id);
}

int runs_edit_remove(const char *path, char (*id)[RUN_ID_LEN + 1], size_t n, struct runs_undo *u,
                     struct err *err) {
    struct store st;
    int rc = open_store(&st, path, err);
    u->last++;
    for (size_t i = 0; i < n && rc == 0; i++) {
        rc = store_delete(&st, id[i], err);
        if (rc == 0)
            rc = push(u, id[i], err);
    }
    store_close(&st);
    return rc;
}

/* One that somebody else has brought back, or pruned, must not be in the way of the others. */
static int undo_together(struct store *st, struct runs_undo *u, char id[RUN_ID_LEN + 1],
                         struct err *err) {
    const unsigned together = u->run.at[u->run.n - 1].together;
    int n = 0, rc = 0;
    while (u->run.n && u->run.at[u->run.n - 1].together == together) {
        const char *last = u->run.at[u->run.n - 1].id;
        rc = store_undelete(st, last, err);
        if (rc < 0 && rc != -ENOENT)
            break;
        if (rc == 0) {
            memcpy(id, last, RUN_ID_LEN + 1);
            n++;
        }
        u->run.n--;
    }
    return n ? n : rc;
}

int runs_edit_undo(const char *path, struct runs_undo *u, char id[RUN_ID_LEN + 1],
                   struct err *err) {
    if (u->run.n == 0)
        return err_set(err, -ENOENT, "nothing was removed here; X lists what was removed before");
    struct store st;
    int rc = open_store(&st, path, err);
    if (rc == 0)
        rc = undo_together(&st, u, id, err);
    store_close(&st);
    return rc;
}

static void forget(struct runs_undo *u, const char *id) {
    size_t kept = 0;
    for (size_t i = 0; i < u->run.n; i++)
        if (strcmp(u->run.at[i].id, id) != 0)
            u->run.at[kept++] = u->run.at[i];
    u->run.n = kept;
}

int runs_edit_restore(const char *path, struct runs_undo *u, const char *id, struct err *err) {
    struct store st;
    int rc = open_store(&st, path, err);
    if (rc == 0)
        rc = store_undelete(&st, id, err);
    store_close(&st);
    if (rc == 0)
        forget(u, id);
    return rc;
}
