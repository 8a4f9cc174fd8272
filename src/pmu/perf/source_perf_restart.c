/*
 * -P NAME follows a restart. When all processes of the name have ended nothing is counted until one
 * begins; its threads are then opened behind the same layout, as when the counters change
 * (source_perf_regroup.c), so that history, sums and the evaluation go on.
 */
#include "base/clock.h"
#include "base/log.h"
#include "pmu/perf/source_perf.h"

#include <errno.h>
#include <math.h>
#include <string.h>

void perf_go_away(struct source *src) {
    struct perf *p = src->priv;
    p->away = true;
    src->wait_fd = -1;
    perf_note(src, src->status, sizeof(src->status));
}

/* The files of /proc of other processes; what they say so far is the beginning. */
static int reopen_proc(struct perf *p) {
    bool want[PROC_EVENTS];
    struct count ignored[PROC_EVENTS];
    memcpy(want, p->proc.want, sizeof(want));
    procfs_close(&p->proc);
    int rc = procfs_open(&p->proc, "/proc", &p->target, want);
    if (!rc)
        procfs_read(&p->proc, NULL, ignored);
    return rc;
}

/* 0 if processes of the name are counted now; they may have ended before they could be. */
static int come_back(struct source *src) {
    struct perf *p = src->priv;
    struct err err = {0};
    int rc = target_again(&p->target, src->opt.target.name, &err);
    if (!rc)
        rc = reopen_proc(p);
    if (!rc)
        rc = perf_regroup(src, &p->budget);
    if (rc && rc != -ENOENT)
        log_line("perf: %s again: %s", src->opt.target.name,
                 err.text[0] ? err.text : strerror(-rc));
    if (rc)
        return rc;
    perf_units_read(&p->units);
    p->ended = (struct err){0};
    p->away = false;
    src->wait_fd = p->target.n_process == 1 ? p->target.process[0].pidfd : -1;
    p->n_thread = perf_units_present(&p->units);
    perf_describe(src, p->n_thread, src->name, sizeof(src->name));
    perf_note(src, src->status, sizeof(src->status));
    return 0;
}

void perf_read_away(struct source *src, struct sample *out) {
    struct perf *p = src->priv;
    come_back(src);
    const uint64_t now = clock_now_ns();
    out->away = true;
    out->t0_ns = p->last_ns - p->start_ns;
    out->t1_ns = now - p->start_ns;
    out->n_slot = src->layout.n_slot;
    out->target_threads = 0;
    out->busy_ns = out->resident_ns = 0;
    for (uint32_t i = 0; i < out->n_slot; i++)
        out->at[i] = (struct count){.value = NAN, .state = COUNT_NOT_COUNTED};
    p->last_ns = now;
}
