/* A file that says it is a store: listed, and each run of it loaded whole. */
#include "db/store.h"
#include "fuzz.h"
#include "model/run/run.h"

#include <fcntl.h>

static char path[64];

static void clean_up(void) {
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        char name[96];
        snprintf(name, sizeof(name), "%s%s", path, endings[i]);
        unlink(name);
    }
}

static void load_all(struct store *st) {
    struct run_query all = {.limit = 20};
    struct run_list list = {0};
    struct err err = {0};
    if (store_list(st, &all, &list, &err) < 0)
        return;
    for (size_t i = 0; i < list.n; i++) {
        struct run run = {0};
        err = (struct err){0};
        if (store_load(st, list.row[i].id, RUN_ALL, &run, &err) == 0)
            run_free(&run);
        else if (!err.text[0])
            abort();
    }
    run_list_free(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct store st = {0};
    struct err err = {0};
    if (!path[0]) {
        snprintf(path, sizeof(path), "/dev/shm/tdtop-fuzz-%d.db", (int)getpid());
        atexit(clean_up);
    }
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size || close(fd) < 0)
        abort();
    if (store_open(&st, path, STORE_READ, &err) == 0)
        load_all(&st);
    else if (!err.text[0])
        abort();
    store_close(&st);
    clean_up();
    return 0;
}
