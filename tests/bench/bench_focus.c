/*
 * Moving the focus: how long the sampler is kept from sampling while other groups are programmed on
 * every thread of a process, and when the last thread has them. The events are the kernel's, in
 * groups of four as a PMU has them; a move closes two groups and opens two others. Prints medians;
 * exits 1 if a move takes longer than the limit, or the sample after it lacks the new counts.
 */
#include "base/clock.h"
#include "base/str.h"
#include "session/session.h"

#include <libgen.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    GROUPS = 15,
    EACH = 4,
    MOVES = 31,
    LIMIT_US = 50000,
    OURS = 200,
    WORK_US = 60000 /* in which the threads have run */
};

static char text[16384];

/* Metric g reads group g; the first two are vital, so they are always counted. The kernel ignores
 * config1 of software events: it keeps the events apart. */
static size_t write_model(void) {
    static const int number[EACH] = {1, 3, 4, 5}; /* linux/perf_event.h: task-clock ... faults */
    struct strbuf sb = strbuf_on(text, sizeof(text));
    strbuf_add(&sb,
               "name = \"moves\"\ntitle = \"groups of four\"\norigin = \"bench_focus.c\"\n"
               "rung = \"generic\"\nscope = \"events\"\ncounters = { general = 4 }\n[event]\n");
    for (int g = 0; g < GROUPS; g++)
        for (int i = 0; i < EACH; i++)
            strbuf_add(&sb,
                       "e%d_%d = { pmu = \"generic\", type = \"software\", config = %d, "
                       "config1 = %d }\n",
                       g, i, number[i], g);
    for (int g = 0; g < GROUPS; g++)
        strbuf_add(&sb, "[metric.M%d]\nformula = \"e%d_0 + e%d_1 + e%d_2 + e%d_3\"\nvital = %s\n",
                   g, g, g, g, g, g < 2 ? "true" : "false");
    return sb.n;
}

/* The program of threads.c beside this one. Returns its pid once all threads are there. */
static pid_t start_threads(char *self, int n) {
    char program[4096], count[16];
    int ready[2];
    snprintf(program, sizeof(program), "%s/threads", dirname(self));
    snprintf(count, sizeof(count), "%d", n - 1);
    if (pipe(ready) < 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        dup2(ready[1], STDOUT_FILENO);
        execl(program, program, count, n > 10 ? "10" : "1", "0.2", (char *)NULL);
        _exit(127);
    }
    close(ready[1]);
    bool ok = pid > 0 && read(ready[0], count, sizeof(count)) > 0;
    close(ready[0]);
    return ok ? pid : -1;
}

static int by_value(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

struct times {
    uint64_t kept[MOVES], whole[MOVES]; /* ns: of the call; until every thread has the groups */
};

static bool is_known(struct session *s, const char *name) {
    eval_run(&s->eval, &s->sample, &s->frame);
    return !isnan(s->frame.at[model_find(&s->model, name)].v);
}

/* To two groups that are off, by what a metric of each needs. False if the next sample lacks them.
 */
static bool move(struct session *s, int i, struct times *t, struct err *err) {
    const struct source_ops *ops = s->source.ops;
    bool wanted[GROUPS] = {false};
    char name[2][8];
    struct group_set groups;
    for (int k = 0; k < 2; k++) {
        snprintf(name[k], sizeof(name[k]), "M%d", 2 + (2 * i + k) % (GROUPS - 3));
        wanted[model_find(&s->model, name[k])] = true;
    }
    uint64_t begin = clock_now_ns();
    focus_want(&s->focus, wanted, &groups);
    if (ops->focus(&s->source, &groups, err) < 0)
        return false;
    t->kept[i] = clock_now_ns() - begin;
    while (ops->work(&s->source, clock_now_ns() + 10 * NS_PER_MS))
        continue;
    t->whole[i] = clock_now_ns() - begin;
    usleep(WORK_US);
    if (ops->read(&s->source, &s->sample, err) < 0)
        return false;
    if (is_known(s, name[0]) && is_known(s, name[1]))
        return true;
    err_set(err, -1, "%s and %s are not known after the move", name[0], name[1]);
    return false;
}

/* Median of the call in microseconds, or -1. */
static long bench(struct session *s, int threads, struct err *err) {
    static struct times t;
    for (int i = 0; i < MOVES; i++)
        if (!move(s, i, &t, err))
            return -1;
    qsort(t.kept, MOVES, sizeof(t.kept[0]), by_value);
    qsort(t.whole, MOVES, sizeof(t.whole[0]), by_value);
    printf("focus of %4d threads, 2 groups of %d: median %.1f ms (longest %.1f), limit %d; every "
           "thread has them after %.1f ms\n",
           threads, EACH, (double)t.kept[MOVES / 2] / 1e6, (double)t.kept[MOVES - 1] / 1e6,
           LIMIT_US / 1000, (double)t.whole[MOVES / 2] / 1e6);
    return (long)(t.kept[MOVES / 2] / 1000);
}

static long run(char *self, int threads, struct err *err) {
    static struct session s;
    char pids[16];
    pid_t pid = start_threads(self, threads);
    if (pid < 0)
        return err_set(err, -1, "the program `threads` cannot be started");
    snprintf(pids, sizeof(pids), "%d", (int)pid);
    struct source_options opt = {
        .target = {.kind = TARGET_PIDS, .pids = pids}, .interval_ns = NS_PER_S, .focus = true};
    s = (struct session){0};
    consts_init(&opt.consts);
    long us = -1;
    if (model_load(&s.model, text, strlen(text), "moves", err) == 0 &&
        session_open(&s, &source_perf, &opt, err) == 0 &&
        s.source.ops->start(&s.source, err) == 0) {
        while (s.source.ops->work(&s.source, clock_now_ns() + NS_PER_S))
            continue;
        us = bench(&s, threads, err);
    }
    session_close(&s);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return us;
}

int main(int argc, char **argv) {
    static const int wanted[] = {2, 100, 1000};
    struct rlimit files;
    struct err err = {0};
    char self[4096];
    int missed = 0;
    (void)argc;
    getrlimit(RLIMIT_NOFILE, &files);
    int most = (int)((files.rlim_max > 1u << 20 ? 1u << 20 : files.rlim_max) - OURS) / (4 * EACH);
    write_model();
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        str_copy(self, sizeof(self), argv[0]);
        long us = run(self, wanted[i] < most ? wanted[i] : most, &err);
        if (us < 0) {
            fprintf(stderr, "bench_focus: %s\n", err.text);
            return 2;
        }
        missed += us > LIMIT_US;
    }
    return missed > 0;
}
