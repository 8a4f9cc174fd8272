/* store_crowd FOLDER SECONDS: eight writers and four readers at once. */
#include "store_kit.h"

#include "base/clock.h"

#include <errno.h>
#include <sys/wait.h>

enum { WRITERS = 8, READERS = 4, CROWD_ROWS = 60, CROWD_SLOTS = 20 };

static bool go_on(void *user, double waited_s) {
    double *longest = user;
    *longest = waited_s > *longest ? waited_s : *longest;
    return true;
}

struct work {
    uint64_t written, deleted, read;
    double longest_s; /* waited for a lock */
};

/* Saves, labels, and deletes every fifth of its own. */
static bool write_once(struct store *st, struct run *r, struct work *w, uint64_t i) {
    struct err err = {0};
    run_new_id(r->id);
    if (!want(store_save(st, r, &err) == 0, "writer: %s", err.text) ||
        !want(store_label(st, r->id, "turn", i % 2 ? "odd" : "even", &err) == 0, "writer: %s",
              err.text))
        return false;
    w->written++;
    if (i % 5 != 4)
        return true;
    w->deleted++;
    return want(store_delete(st, r->id, &err) == 0, "writer: %s", err.text);
}

static bool read_once(struct store *st, uint64_t i) {
    struct err err = {0};
    struct run_list l;
    struct run r;
    if (!want(store_list(st, &(struct run_query){.limit = 20, .skip = i % 40}, &l, &err) == 0,
              "reader: %s", err.text))
        return false;
    int rc = 0;
    if (l.n > 0) {
        rc = store_load(st, l.row[i % l.n].id, RUN_ALL, &r, &err);
        want(rc == 0 || rc == -ENOENT, "reader: %s", err.text); /* deleted meanwhile */
        if (rc == 0)
            want(series_rows(&r.series) == CROWD_ROWS, "reader: half a run");
        run_free(&r);
    }
    run_list_free(&l);
    return !failed;
}

static void one_of_crowd(const char *path, bool writes, uint64_t seed, double seconds, int to) {
    struct store st;
    struct err err = {0};
    struct run r;
    struct work w = {0};
    fix_run(&r, seed, CROWD_ROWS, CROWD_SLOTS);
    if (!want(store_open(&st, path, STORE_WRITE, &err) == 0, "open: %s", err.text))
        exit(1);
    store_on_wait(&st, go_on, &w.longest_s);
    const uint64_t end = clock_now_ns() + (uint64_t)(seconds * 1e9);
    for (uint64_t i = 0; clock_now_ns() < end && !failed; i++) {
        if (writes)
            write_once(&st, &r, &w, i);
        else if (read_once(&st, i))
            w.read++;
    }
    store_close(&st);
    if (write(to, &w, sizeof(w)) != (ssize_t)sizeof(w))
        failed = 1;
    fflush(stdout);
    _exit(failed);
}

/* The work of all, when all have ended. */
static struct work wait_for_all(int from) {
    struct work w, sum = {0};
    int status;
    while (wait(&status) > 0)
        want(status == 0, "one of them failed");
    while (read(from, &w, sizeof(w)) == (ssize_t)sizeof(w)) {
        sum.written += w.written;
        sum.deleted += w.deleted;
        sum.read += w.read;
        sum.longest_s = w.longest_s > sum.longest_s ? w.longest_s : sum.longest_s;
    }
    return sum;
}

static void judge_crowd(const char *path, const struct work *sum) {
    struct store st;
    struct err err = {0};
    struct run_list l = {0};
    struct label_filter f = {.key = strdup("turn"), .value = strdup("")};
    if (!want(store_open(&st, path, STORE_READ, &err) == 0, "%s", err.text))
        return;
    is_sound(&st);
    f.op = LABEL_EXISTS;
    want(store_list(&st, &(struct run_query){.filter = &f, .n_filter = 1, .limit = 1}, &l, &err) ==
             0,
         "%s", err.text);
    want(l.total == sum->written - sum->deleted, "%llu runs are there",
         (unsigned long long)l.total);
    run_list_free(&l);
    label_filter_free(&f);
    store_close(&st);
    want(sum->written > WRITERS && sum->read > READERS, "too little was done");
    printf(
        "%d writers saved %llu runs and deleted %llu, %d readers read %llu; longest wait %.1f s\n",
        WRITERS, (unsigned long long)sum->written, (unsigned long long)sum->deleted, READERS,
        (unsigned long long)sum->read, sum->longest_s);
}

static int crowd(const char *folder, double seconds) {
    char path[300];
    int pipes[2];
    path_in(path, sizeof(path), folder, "crowd.db");
    if (!want(pipe(pipes) == 0, "pipe"))
        return 1;
    for (int i = 0; i < WRITERS + READERS; i++) /* there is no store yet: all want to make it */
        if (fork() == 0)
            one_of_crowd(path, i < WRITERS, (uint64_t)i, seconds, pipes[1]);
    close(pipes[1]);
    const struct work sum = wait_for_all(pipes[0]);
    close(pipes[0]);
    judge_crowd(path, &sum);
    return failed;
}

int main(int argc, char **argv) {
    return argc == 3 ? crowd(argv[1], atof(argv[2])) : 2;
}
