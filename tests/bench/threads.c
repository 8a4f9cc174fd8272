/*
 * A process of many threads whose loads are known: threads N BUSY CPUS. Of N threads (the first one
 * not counted) BUSY work, the k-th of them k times as much as the first, and all of them together
 * CPUS of a CPU; the others sleep. Each catches up with its share every 50 ms by its own CPU clock,
 * so that the shares hold on a machine that has other work, too. The k-th is called "work-k", a
 * sleeping one "idle-n". Prints "ready" once all are there; runs until it is killed.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { PERIOD_MS = 50, STACK = 64 << 10 };

struct worker {
    int number;
    double share; /* of a CPU; 0: sleeps */
};

static pthread_barrier_t everybody;

static double seconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void work(const struct worker *w) {
    usleep((unsigned)w->number % PERIOD_MS * 1000); /* not all at the same time */
    double begin = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_THREAD_CPUTIME_ID);
    for (;;) {
        usleep(PERIOD_MS * 1000);
        double due = w->share * (seconds(CLOCK_MONOTONIC) - begin);
        while (seconds(CLOCK_THREAD_CPUTIME_ID) - used < due)
            for (volatile int i = 0; i < 2000; i++)
                continue;
    }
}

static void *run(void *arg) {
    const struct worker *w = arg;
    char name[16];
    snprintf(name, sizeof(name), "%s-%d", w->share > 0 ? "work" : "idle", w->number);
    prctl(PR_SET_NAME, name);
    pthread_barrier_wait(&everybody);
    if (w->share > 0)
        work(w);
    while (pause()) /* always -1 */
        continue;
    return NULL;
}

static int fail(const char *what, int rc) {
    fprintf(stderr, "threads: %s: %s\n", what, strerror(rc));
    return 1;
}

static int start(struct worker *w, int n, int busy, double cpus) {
    pthread_attr_t attr;
    pthread_t thread;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK > PTHREAD_STACK_MIN ? STACK : PTHREAD_STACK_MIN);
    for (int i = 1; i <= n; i++) {
        double parts = (double)busy * (busy + 1) / 2;
        w[i] = (struct worker){.number = i, .share = i <= busy ? cpus * i / parts : 0};
        int rc = pthread_create(&thread, &attr, run, &w[i]);
        if (rc)
            return rc;
    }
    return 0;
}

int main(int argc, char **argv) {
    int n = argc == 4 ? atoi(argv[1]) : 0, busy = argc == 4 ? atoi(argv[2]) : 0;
    if (n < 1 || busy < 0 || busy > n) {
        fprintf(stderr, "usage: threads N BUSY CPUS\n");
        return 2;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* it does not outlive the test */
    struct worker *w = calloc((size_t)n + 1, sizeof(*w));
    if (!w)
        return fail("memory", ENOMEM);
    pthread_barrier_init(&everybody, NULL, (unsigned)n + 1);
    int rc = start(w, n, busy, atof(argv[3]));
    if (rc)
        return fail("a thread cannot be started (ulimit -u)", rc);
    pthread_barrier_wait(&everybody);
    puts("ready");
    fflush(stdout);
    for (;;)
        pause();
}
