/*
 * A day of a session in fast motion, and what it takes of memory: the simulated core through
 * sampler, mailbox, evaluation, window, history, trend, focus and an account of a value. For
 * test_day.c (a sample every 10 s of the day) and bench_day.c (every second).
 */
#ifndef TDTOP_TESTS_DAY_H
#define TDTOP_TESTS_DAY_H

#include "base/clock.h"
#include "count_malloc.h"
#include "model/eval/derivation.h"
#include "model/run/trend.h"
#include "session/session.h"

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { HOUR_S = 3600, DAY_S = 24 * HOUR_S };

struct day_memory {
    unsigned long calls;   /* of malloc, calloc and realloc so far */
    size_t in_use;         /* bytes handed out by malloc */
    size_t data, resident; /* of the process: private and writable; in memory. Bytes */
};

struct day {
    struct session s;
    struct trend trend;
    struct derivation derivation;
    struct frame sum;
    bool *wanted;
    uint64_t hours; /* that are over */
    struct day_memory after_hour, after_day;
};

/* Without stdio, which allocates. */
static struct day_memory day_memory(void) {
    const struct mallinfo2 info = mallinfo2();
    struct day_memory m = {.calls = calls_now(), .in_use = info.uordblks + info.hblkhd};
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char text[256] = "";
    size_t pages[6] = {0}; /* proc(5), statm: size resident shared text lib data */
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && read(fd, text, sizeof(text) - 1) > 0)
        sscanf(text, "%zu %zu %zu %zu %zu %zu", &pages[0], &pages[1], &pages[2], &pages[3],
               &pages[4], &pages[5]);
    if (fd >= 0)
        close(fd);
    m.resident = pages[1] * page;
    m.data = pages[5] * page;
    return m;
}

static int day_open(struct day *d, uint64_t interval_ns, struct err *err) {
    struct source_options opt = {
        .seed = 1, .interval_ns = interval_ns, .until_ns = DAY_S * NS_PER_S};
    struct session *s = &d->s;
    memset(d, 0, sizeof(*d));
    consts_init(&opt.consts);
    if (model_open(&s->model, "spr", NULL, err) < 0 || session_open(s, &source_sim, &opt, err) < 0)
        return -1;
    const uint32_t n_slot = s->source.layout.n_slot;
    d->wanted = calloc(s->model.n_metric, sizeof(*d->wanted));
    if (!d->wanted || trend_init(&d->trend, 120, 60 * NS_PER_S, &s->model, n_slot) < 0 ||
        trend_keep_err(&d->trend) < 0 ||
        derivation_init(&d->derivation, &s->model, &s->source.layout) < 0 ||
        frame_init(&d->sum, s->model.n_metric) < 0)
        return err_set(err, -1, "out of memory");
    return session_start(s, err);
}

static void day_close(struct day *d) {
    session_close(&d->s);
    trend_destroy(&d->trend);
    derivation_destroy(&d->derivation);
    frame_destroy(&d->sum);
    free(d->wanted);
}

static void day_line(void *user, const struct derivation_line *line) {
    size_t *length = user;
    *length += strlen(line->text);
}

/* What a user does in an hour: opens another branch, zooms, asks for the whole, starts anew. */
static void day_hour(struct day *d) {
    struct session *s = &d->s;
    const int node = (int)(d->hours % s->model.n_tree);
    const struct derivation_of of = {.model = &s->model,
                                     .layout = &s->source.layout,
                                     .eval = &s->eval,
                                     .sample = &s->sample,
                                     .frame = &s->frame,
                                     .window = &s->window};
    size_t length = 0;
    memset(d->wanted, 0, s->model.n_metric * sizeof(*d->wanted));
    d->wanted[node] = true;
    session_focus(s, d->hours % 3 ? d->wanted : NULL);
    derivation_make(&d->derivation, &of, node);
    derivation_lines(&d->derivation, day_line, &length);
    window_frame(&s->window, &s->eval, &d->sum);
    trend_zoom(&d->trend, (1 + d->hours % 5) * 60 * NS_PER_S);
    if (d->hours % 8 == 7)
        session_reset(s);
    d->hours++;
}

/* Runs to the end of the day. False if the stream stands still. */
static bool day_run(struct day *d) {
    struct session *s = &d->s;
    struct pollfd fd = {.fd = session_fd(s), .events = POLLIN};
    while (s->state == STREAM_LIVE) {
        while (session_take(s)) {
            trend_update(&d->trend, &s->timeline.tiers, &s->eval, s->sample.t1_ns);
            if (s->sample.t1_ns < (d->hours + 1) * HOUR_S * NS_PER_S)
                continue;
            day_hour(d);
            if (d->hours == 1)
                d->after_hour = day_memory();
        }
        if (s->state == STREAM_LIVE && poll(&fd, 1, 10000) != 1)
            return false;
    }
    d->after_day = day_memory();
    return true;
}

#endif
