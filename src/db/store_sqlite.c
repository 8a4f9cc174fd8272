/* The table of the one kind of store there is. */
#include "db/store_sqlite.h"

static int open_store(void **impl, const char *path, enum store_mode mode, struct err *err) {
    struct sq *sq;
    const int rc = sq_open(&sq, path, mode, sq_steps, sq_n_steps, err);
    *impl = sq;
    return rc;
}

static void close_store(void *impl) {
    sq_close(impl);
}

static void on_wait(void *impl, bool (*wait)(void *user, double waited_s), void *user) {
    struct sq *sq = impl;
    sq->wait = wait;
    sq->wait_user = user;
}

const struct store_ops store_sqlite = {
    .name = "sqlite",
    .open = open_store,
    .close = close_store,
    .on_wait = on_wait,
    .save = sq_save,
    .list = sq_list,
    .groups = sq_groups,
    .find = sq_find,
    .load = sq_load,
    .label = sq_label,
    .note = sq_note,
    .mark_deleted = sq_mark_deleted,
    .words = sq_words,
    .stats = sq_stats,
    .check = sq_check,
    .vacuum = sq_vacuum,
    .prune = sq_prune,
};
