/* The table of the one kind of store there is. */
#include "db/store_sqlite.h"

static int open_store(void **impl, const char *path, enum store_mode mode,
                      bool (*wait)(void *user, double waited_s), void *user, struct err *err) {
    const struct sq with = {
        .steps = sq_steps, .version = sq_n_steps, .wait = wait, .wait_user = user};
    struct sq *sq;
    const int rc = sq_open_with(&sq, path, mode, &with, err);
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
    .grow = sq_grow,
    .list = sq_list,
    .groups = sq_groups,
    .place = sq_place,
    .find = sq_find,
    .load = sq_load,
    .batch_begin = sq_batch_begin,
    .batch_end = sq_batch_end,
    .edit = sq_edit,
    .mark_deleted = sq_mark_deleted,
    .words = sq_words,
    .stats = sq_stats,
    .check = sq_check,
    .vacuum = sq_vacuum,
    .prune = sq_prune,
};
