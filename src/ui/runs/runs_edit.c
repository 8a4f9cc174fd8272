#include "ui/runs/runs_edit.h"

#include "base/str.h"
#include "ui/draw/label_text.h"
#include "ui/runs/runs_pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What is to be changed is there: no file is made. */
static int open_store(struct store *st, const char *path, struct err *err) {
    return store_open_waiting(st, path, STORE_CHANGE, runs_wait_a_little, NULL, err);
}

/* ---- labels ---- */

/* From the labels of a run to those that are wanted; has room for all of both. Returns how many. */
static size_t list_changes(const struct run *old, const struct run *wanted,
                           struct label_change *change) {
    size_t n = 0;
    for (size_t i = 0; i < wanted->label.n; i++) {
        const struct run_label *l = &wanted->label.at[i];
        const char *was = run_label_get(old, l->key);
        if (!was || strcmp(was, l->value) != 0)
            change[n++] = (struct label_change){l->key, l->value};
    }
    for (size_t i = 0; i < old->label.n; i++) {
        const struct run_label *l = &old->label.at[i];
        if (!l->automatic && !run_label_get(wanted, l->key))
            change[n++] = (struct label_change){l->key, NULL};
    }
    return n;
}

static int change_labels(struct store *st, const struct run *old, const struct run *wanted,
                         struct err *err) {
    struct label_change *change = calloc(old->label.n + wanted->label.n + 1, sizeof(*change));
    if (!change)
        return err_set(err, -ENOMEM, "labels: out of memory; close other programs");
    const size_t n = list_changes(old, wanted, change);
    const int rc = n ? store_edit(st, old->id, change, n, NULL, err) : 0;
    free(change);
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
        rc = change_labels(&st, &old, &wanted, err);
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

/* Before they are removed: what cannot be remembered could not be undone. */
static int remember(struct runs_undo *u, char (*id)[RUN_ID_LEN + 1], size_t n, struct err *err) {
    const size_t before = u->run.n;
    struct runs_gone gone = {.together = ++u->last};
    for (size_t i = 0; i < n; i++) {
        str_copy(gone.id, sizeof(gone.id), id[i]);
        if (array_push(&u->run, gone) == 0)
            continue;
        u->run.n = before;
        return err_set(err, -ENOMEM, "nothing was removed: out of memory; close other programs");
    }
    return 0;
}

static int remove_all(struct store *st, char (*id)[RUN_ID_LEN + 1], size_t n, struct err *err) {
    int rc = store_batch_begin(st, err);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = store_delete(st, id[i], err);
    return store_batch_end(st, rc, err);
}

int runs_edit_remove(const char *path, char (*id)[RUN_ID_LEN + 1], size_t n, struct runs_undo *u,
                     struct err *err) {
    const size_t before = u->run.n;
    struct store st = {0};
    int rc = remember(u, id, n, err);
    if (rc < 0)
        return rc;
    rc = open_store(&st, path, err);
    if (rc == 0)
        rc = n == 1 ? store_delete(&st, id[0], err) : remove_all(&st, id, n, err);
    if (rc < 0)
        u->run.n = before;
    store_close(&st);
    return rc;
}

/* Those that went last together: the first of them. */
static size_t first_together(const struct runs_undo *u) {
    size_t first = u->run.n;
    while (first > 0 && u->run.at[first - 1].together == u->run.at[u->run.n - 1].together)
        first--;
    return first;
}

/* One that somebody else has pruned must not be in the way of the others. */
static int bring_back(struct store *st, const struct runs_undo *u, size_t first,
                      char id[RUN_ID_LEN + 1], struct err *err) {
    struct err none = {0};
    int n = 0, rc = store_batch_begin(st, err);
    if (rc < 0)
        return rc;
    for (size_t i = u->run.n; i > first; i--) {
        rc = store_undelete(st, u->run.at[i - 1].id, err);
        if (rc < 0 && rc != -ENOENT)
            return store_batch_end(st, rc, err);
        if (rc == -ENOENT)
            none = *err;
        else
            str_copy(id, RUN_ID_LEN + 1, u->run.at[i - 1].id);
        n += rc == 0;
    }
    if ((rc = store_batch_end(st, 0, err)) < 0)
        return rc;
    if (n == 0)
        *err = none;
    return n ? n : -ENOENT;
}

/* What was brought back, or is gone for good, is not undone again; after any other failure it is
 * as it was. */
static int undo_together(struct store *st, struct runs_undo *u, char id[RUN_ID_LEN + 1],
                         struct err *err) {
    const size_t first = first_together(u);
    const int rc = bring_back(st, u, first, id, err);
    if (rc > 0 || rc == -ENOENT)
        u->run.n = first;
    return rc;
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
