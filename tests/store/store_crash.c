/* store_crash FOLDER TIMES: a process that saves is killed at random moments. */
#include "store_kit.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static void pause_us(uint64_t us) {
    nanosleep(&(struct timespec){(time_t)(us / 1000000), (long)(us % 1000000 * 1000)}, NULL);
}

enum { CRASH_ROWS = 400, CRASH_SLOTS = 40 };

/* Saves one run after the other, and says which are committed. */
static void save_for_ever(const char *path, uint64_t seed, int to) {
    struct store st;
    struct err err = {0};
    if (store_open(&st, path, STORE_WRITE, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        _exit(2);
    }
    struct run r;
    fix_run(&r, seed, CRASH_ROWS, CRASH_SLOTS);
    if (write(to, "opened...........", RUN_ID_LEN + 1) < 0)
        _exit(2);
    for (;;) {
        if (store_save(&st, &r, &err) < 0) {
            fprintf(stderr, "%s\n", err.text);
            _exit(2);
        }
        if (write(to, r.id, RUN_ID_LEN + 1) < 0)
            _exit(2);
        run_new_id(r.id);
    }
}

struct crash {
    char path[300];
    char (*id)[RUN_ID_LEN + 1]; /* that were committed */
    size_t n, cap;
    uint64_t seed;
};

static void read_ids(struct crash *c, int from) {
    char id[RUN_ID_LEN + 1];
    while (read(from, id, sizeof(id)) == (ssize_t)sizeof(id)) {
        if (id[0] == 'o')
            continue;
        if (c->n == c->cap) {
            c->cap = c->cap ? 2 * c->cap : 256;
            c->id = realloc(c->id, c->cap * sizeof(*c->id));
            if (!c->id)
                abort();
        }
        strcpy(c->id[c->n++], id);
    }
}

/* Every fourth is killed while it opens the store, the others while they save. */
static void crash_once(struct crash *c, int round) {
    int pipes[2];
    if (!want(pipe(pipes) == 0, "pipe"))
        return;
    const pid_t pid = fork();
    if (pid == 0) {
        close(pipes[0]);
        save_for_ever(c->path, (uint64_t)round % 7, pipes[1]);
    }
    close(pipes[1]);
    char opened[RUN_ID_LEN + 1];
    if (round % 4 != 0 && read(pipes[0], opened, sizeof(opened)) != (ssize_t)sizeof(opened))
        want(false, "the writer did not open the store");
    pause_us(fix_random(&c->seed) % 30000);
    kill(pid, SIGKILL);
    int status;
    waitpid(pid, &status, 0);
    want(WIFSIGNALED(status), "the writer ended by itself");
    read_ids(c, pipes[0]);
    close(pipes[0]);
}

static void after_crash(struct crash *c, size_t before) {
    struct store st;
    struct err err = {0};
    struct run r;
    if (!want(store_open(&st, c->path, STORE_WRITE, &err) == 0, "open: %s", err.text))
        return;
    is_sound(&st);
    for (size_t i = before; i < c->n; i++) {
        want(store_load(&st, c->id[i], RUN_HEAD, &r, &err) == 0, "lost: %s", err.text);
        run_free(&r);
    }
    store_close(&st);
}

static int crash(const char *folder, int times) {
    struct crash c = {.seed = (uint64_t)getpid() ^ (uint64_t)time(NULL)};
    path_in(c.path, sizeof(c.path), folder, "crash.db");
    for (int i = 0; i < times && !failed; i++) {
        const size_t before = c.n;
        crash_once(&c, i);
        after_crash(&c, before);
    }
    struct store st;
    struct err err = {0};
    if (failed || !want(store_open(&st, c.path, STORE_READ, &err) == 0, "%s", err.text))
        return 1;
    const uint64_t n = all_whole(&st, CRASH_ROWS, CRASH_SLOTS);
    want(n >= c.n, "%llu runs are there, %zu were committed", (unsigned long long)n, c.n);
    printf("killed %d times: %zu runs were committed, %llu are there, all whole\n", times, c.n,
           (unsigned long long)n);
    store_close(&st);
    free(c.id);
    return failed;
}

int main(int argc, char **argv) {
    return argc == 3 ? crash(argv[1], atoi(argv[2])) : 2;
}
