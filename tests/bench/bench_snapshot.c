/*
 * A snapshot of 60 minutes at 1 s, from the key to stored: the simulated core's hour in fast
 * motion, the screen on it, the form accepted. Meanwhile another session samples every 20 ms, as
 * often as tdtop can, and none is merged; and a thread that wakes as the sampler does says how late
 * it was. Exits 1 if it took ten times as long as it should, or intervals were merged.
 */
#include "base/clock.h"
#include "ui/popup/snapshot.h"
#include "ui/screen/screen.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HOUR_S = 3600, RUNS = 7, GOAL_MS = 150, TICK_MS = 20 };

static void must(int rc, const char *what, const struct err *err) {
    if (rc >= 0)
        return;
    fprintf(stderr, "bench_snapshot: %s: %s\n", what, err->text);
    exit(2);
}

static void open_session(struct session *s, const char *model, const struct source_ops *ops,
                         struct source_options *opt) {
    struct err err = {0};
    consts_init(&opt->consts);
    must(model_open(&s->model, model, NULL, &err), "model", &err);
    must(session_open(s, ops, opt, &err), "session", &err);
    must(session_start(s, &err), "session", &err);
}

/* The simulated core, as fast as it can. */
static void open_hour(struct session *s) {
    struct source_options opt = {.seed = 1, .interval_ns = NS_PER_S};
    opt.until_ns = HOUR_S * NS_PER_S;
    open_session(s, "spr", &source_sim, &opt);
}

/* Counters of the kernel, of this process: nothing that could be late unseen. */
static void open_live(struct session *s) {
    static char pid[16];
    struct source_options opt = {.interval_ns = TICK_MS * NS_PER_MS};
    snprintf(pid, sizeof(pid), "%d", (int)getpid());
    opt.target = (struct target){.kind = TARGET_PIDS, .pids = pid};
    open_session(s, "software", &source_perf, &opt);
}

static void take_hour(struct session *s) {
    struct pollfd fd = {.fd = session_fd(s), .events = POLLIN};
    while (s->state == STREAM_LIVE)
        if (!session_take(s) && s->state == STREAM_LIVE)
            poll(&fd, 1, 10000);
}

/* ---- one snapshot ---- */

static uint64_t longest_ns; /* of the intervals that were sampled meanwhile */

struct took {
    double key_ms, all_ms, cpu_ms; /* until the key was done, until it was stored; CPU of the key */
};

static struct took snapshot(struct screen *sc, struct session *live) {
    struct saver *sv = &sc->snapshot->saver;
    struct took t = {0};
    screen_key(sc, 's', NULL);
    const uint64_t t0 = clock_now_ns(), c0 = clock_thread_ns();
    screen_key(sc, KEYC_ENTER, NULL);
    t.key_ms = (double)(clock_now_ns() - t0) / 1e6;
    t.cpu_ms = (double)(clock_thread_ns() - c0) / 1e6;
    while (sv->busy) {
        struct pollfd fd[2] = {{.fd = sv->fd, .events = POLLIN},
                               {.fd = session_fd(live), .events = POLLIN}};
        poll(fd, 2, 1000);
        while (session_take(live)) {
            const uint64_t dt_ns = live->sample.t1_ns - live->sample.t0_ns;
            longest_ns = dt_ns > longest_ns ? dt_ns : longest_ns;
        }
        snapshot_status(sc);
    }
    t.all_ms = (double)(clock_now_ns() - t0) / 1e6;
    if (!strncmp(sc->message, "saved as ", 9))
        return t;
    fprintf(stderr, "bench_snapshot: %s\n", sc->message);
    exit(2);
}

static int by_all(const void *a, const void *b) {
    const struct took *x = a, *y = b;
    return x->all_ms < y->all_ms ? -1 : x->all_ms > y->all_ms;
}

int main(void) {
    static struct session hour, live;
    static struct screen sc;
    static struct snapshots sn;
    struct err err = {0};
    struct took t[RUNS];
    char path[400];
    const char *folder = getenv("TDTOP_BENCH_DIR");
    snprintf(path, sizeof(path), "%s/tdtop-bench-snapshot-%d.db", folder ? folder : "/tmp",
             getpid());
    open_hour(&hour);
    take_hour(&hour);
    open_live(&live);
    must(screen_init(&sc, &hour, 2, &err), "screen", &err);
    must(screen_resize(&sc, 120, 40), "screen", &err);
    must(screen_attach(&sc, &err), "screen", &err);
    screen_update(&sc);
    must(snapshots_init(&sn, path, &err), "snapshots", &err);
    sc.snapshot = &sn;
    for (int i = 0; i < RUNS; i++)
        t[i] = snapshot(&sc, &live);
    qsort(t, RUNS, sizeof(t[0]), by_all);
    const struct took mid = t[RUNS / 2];
    printf("bench_snapshot: %llu intervals from the key to stored %.1f ms (goal %d; worst %.1f), "
           "keys wait for %.1f ms of it (CPU %.1f)\n",
           (unsigned long long)series_rows(&hour.timeline.series), mid.all_ms, GOAL_MS,
           t[RUNS - 1].all_ms, mid.key_ms, mid.cpu_ms);
    printf("bench_snapshot: meanwhile, sampling every %d ms: %llu intervals, the longest %.1f ms, "
           "%llu merged into others\n",
           TICK_MS, (unsigned long long)live.n_frames, (double)longest_ns / 1e6,
           (unsigned long long)live.merged);
    const bool failed = mid.all_ms > 10 * GOAL_MS || live.merged > 0;
    sc.snapshot = NULL;
    snapshots_destroy(&sn);
    screen_destroy(&sc);
    session_close(&hour);
    session_close(&live);
    for (int i = 0; i < 3; i++) {
        static const char *const ends[] = {"", "-wal", "-shm"};
        char name[420];
        snprintf(name, sizeof(name), "%s%s", path, ends[i]);
        unlink(name);
    }
    return failed;
}
