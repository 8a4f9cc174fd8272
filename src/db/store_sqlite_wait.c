/*
 * Waiting for another process that holds the lock: short sleeps, and the caller is asked a few
 * times a second whether to go on. Nobody asked: half a minute at most. Counted in time slept, so
 * that a clock that tests have stopped does not wait for ever.
 *
 * And a watch on statements: what is in a file may have been made so that they do not end.
 */
#include "base/clock.h"
#include "base/thread.h"
#include "db/store_sqlite.h"

#include <errno.h>
#include <time.h>

enum { ASK_MS = 200, PATIENCE_S = 30 };

/* The last again and again: short, because who sleeps while the lock is free gets it late. */
static const uint8_t sleep_ms[] = {1, 1, 2, 2, 3, 4, 5};

void sq_wait_reset(struct sq *sq) {
    sq->waited_ns = sq->asked_ns = 0;
}

static bool goes_on(struct sq *sq) {
    if (sq->impatient)
        return false;
    if (!sq->wait)
        return sq->waited_ns < PATIENCE_S * NS_PER_S;
    if (sq->waited_ns < sq->asked_ns + ASK_MS * NS_PER_MS)
        return true;
    sq->asked_ns = sq->waited_ns;
    return sq->wait(sq->wait_user, (double)sq->waited_ns / (double)NS_PER_S);
}

/* n: how often it was called for this lock. Writers that began at the same time get out of step by
 * the address of their handle. */
int sq_busy(void *user, int n) {
    struct sq *sq = user;
    if (n == 0)
        sq_wait_reset(sq);
    if (!goes_on(sq))
        return 0;
    const int last = (int)(sizeof(sleep_ms) / sizeof(sleep_ms[0])) - 1;
    const uint64_t ns =
        sleep_ms[n < last ? n : last] * NS_PER_MS + ((uintptr_t)sq >> 4) % NS_PER_MS;
    struct timespec left = {.tv_sec = 0, .tv_nsec = (long)ns};
    while (nanosleep(&left, &left) < 0 && errno == EINTR)
        ;
    sq->waited_ns += ns;
    return 1;
}

/* ---- statements that do not end ---- */

/* Operations of SQLite's machine between two looks: about a millisecond. */
enum { LOOK_EVERY = 100000 };

/* Of this thread: a process that waits for the disk is not a statement without an end. */
static double cpu_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int look(void *user) {
    const struct sq_watch *w = user;
    const double took = cpu_s() - w->begin_s;
    return (w->limit_s > 0 && took > w->limit_s) || (w->hears && took > 1 && thread_end_waits());
}

void sq_watch_open(sqlite3 *db, struct sq_watch *watch) {
    sqlite3_progress_handler(db, LOOK_EVERY, look, watch);
}

void sq_watch_reset(struct sq_watch *watch, double limit_s) {
    watch->limit_s = limit_s;
    watch->begin_s = cpu_s();
}
