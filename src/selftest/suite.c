#include "selftest/suite.h"

#include "base/clock.h"
#include "base/str.h"
#include "pmu/host/fallback.h"
#include "selftest/child.h"
#include "selftest/place.h"
#include "session/session.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INTERVAL_NS (100 * NS_PER_MS)
#define STEADY_S    1.0             /* measured of a kernel that runs on */
#define PATIENCE_NS (30 * NS_PER_S) /* for a counted kernel, on a busy machine */
#define QUIET_SHARE 0.85            /* of a CPU; with less, time shares tell of other programs */

/* One measurement. */
struct trial {
    const struct suite *suite;
    const struct kernel *kernel;
    struct child child;
    struct session session;
    struct frame whole;
    struct expect expect;
    bool *wanted;
    char pid[16];
    struct suite_result *out;
};

int suite_open(struct suite *s, const char *core_type, const char *want,
               const struct model_places *places, struct err *err) {
    *s = (struct suite){.core_type = core_type, .want = want, .places = *places};
    machine_detect(&s->mc, "");
    int rc = core_type ? machine_choose(&s->mc, core_type, err) : 0;
    if (rc < 0)
        return err_prefix(err, "--cputype"), rc;
    rc = fallback_pick(&s->model, &s->mc, want, places, s->why_model, sizeof(s->why_model), err);
    if (rc < 0)
        return rc;
    const char *cpus = s->mc.n_core ? s->mc.core[s->mc.chosen].cpus : "";
    rc = place_find(&s->place, "", cpus, err);
    if (rc < 0)
        suite_close(s);
    return rc;
}

void suite_close(struct suite *s) {
    model_free(&s->model);
}

/* ---- the session ---- */

/* Each session owns its model, so it is opened again. */
static int open_model(struct trial *r, struct err *err) {
    const struct suite *s = r->suite;
    const char *name = r->kernel->judge != JUDGE_PATH ? "software"
                       : s->want                      ? s->want
                                                      : s->model.name;
    int rc = model_open(&r->session.model, name, &s->places, err);
    if (rc < 0)
        return rc;
    str_copy(r->session.why_model, sizeof(r->session.why_model), s->why_model);
    expect_find(&r->session.model, r->kernel->name, NULL, &r->expect);
    r->wanted = calloc(r->session.model.n_metric + 1, sizeof(*r->wanted));
    if (!r->wanted || frame_init(&r->whole, r->session.model.n_metric) < 0)
        return err_set(err, -ENOMEM, "out of memory");
    expect_wanted(&r->session.model, &r->expect, r->wanted);
    return 0;
}

static int open_session(struct trial *r, struct err *err) {
    int rc = open_model(r, err);
    if (rc < 0)
        return rc;
    bool by_path = r->kernel->judge == JUDGE_PATH;
    struct source_options opt = {.core_type = r->suite->core_type, .interval_ns = INTERVAL_NS};
    snprintf(r->pid, sizeof(r->pid), "%d", (int)r->child.pid);
    opt.target = (struct target){.kind = TARGET_PIDS, .pids = r->pid};
    opt.level = by_path ? expect_level(&r->session.model, &r->expect) : 0;
    opt.wanted = by_path ? r->wanted : NULL;
    consts_init(&opt.consts);
    machine_consts(&r->suite->mc, &opt.consts);
    rc = session_open(&r->session, &source_perf, &opt, err);
    return rc < 0 ? rc : session_start(&r->session, err);
}

/* One more interval. False when none came. */
static bool take(struct trial *r) {
    struct pollfd fd = {.fd = session_fd(&r->session), .events = POLLIN};
    while (!session_take(&r->session))
        if (r->session.state != STREAM_LIVE || poll(&fd, 1, 5000) <= 0)
            return false;
    return true;
}

/* The first interval begins with opening the counters. */
static int measure_steady(struct trial *r, struct err *err) {
    bool more = take(r);
    session_reset(&r->session);
    while (more && r->session.window.covered_s < STEADY_S)
        more = take(r);
    return more ? 0 : err_set(err, -ECHILD, "%s", r->session.last.text);
}

/* From before the first round until an interval that began after the last one is over. */
static int measure_counted(struct trial *r, struct err *err) {
    uint64_t begin = clock_now_ns();
    bool more = true;
    child_go(&r->child);
    while (more && child_state(&r->child) == CHILD_READY && clock_now_ns() - begin < PATIENCE_NS)
        more = take(r);
    for (int i = 0; i < 2 && more; i++)
        more = take(r);
    if (!more || child_state(&r->child) == CHILD_FAILED)
        return err_set(err, -ECHILD, "%s",
                       r->session.last.text[0] ? r->session.last.text : "it ended");
    if (child_state(&r->child) != CHILD_DONE)
        return err_set(err, -ETIMEDOUT, "its rounds took more than 30 s");
    return 0;
}

/* ---- what came of it ---- */

static double sum_of(struct trial *r, const char *event) {
    const struct session *s = &r->session;
    int at = model_find_event(&s->model, event);
    int slot = at < 0 ? -1 : eval_slot(&s->source.layout, at, 0);
    const struct sample *sum = window_sample(&s->window);
    return slot < 0 || sum->at[slot].state != COUNT_OK ? NAN : sum->at[slot].value;
}

/* Time shares of a process that had to wait tell of the others, whatever it does itself. */
static void forgive_waiting(const struct trial *r, struct judgement *j) {
    double share = r->out->cpu_share;
    if (j->verdict == VERDICT_NOT && share < QUIET_SHARE)
        judge_skip(j, "other programs took %.0f%% of CPU %d", 100 * (1 - share),
                   r->suite->place.cpu[0]);
}

static void judge_counted(struct trial *r, const struct child_usage *u) {
    const struct kernel *k = r->kernel;
    struct judge_count c = {.event = k->event, .tolerance = 16};
    struct judgement path;
    c.measured = sum_of(r, k->event);
    c.known = (double)(k->per_round * k->rounds);
    c.truth = (double)(!strcmp(k->event, "minor_faults") ? u->minor_faults : u->switches);
    if (!k->per_round) {
        c.truth = (double)u->cpu_ns;
        c.tolerance = 2e6; /* what it needs to start and to wait */
    }
    judge_count(&c, &r->out->said);
    if (!r->expect.n_path)
        return;
    judge_frame(&r->session.model, k->name, &r->whole, &path);
    forgive_waiting(r, &path);
    judge_add(&r->out->said, &path);
}

static void note_vitals(struct trial *r) {
    const struct frame *f = &r->whole;
    int ipc = model_find(&r->session.model, "IPC");
    r->out->ipc = ipc == METRIC_NONE ? NAN : f->at[ipc].v;
    for (uint32_t i = 0; i < f->n_metric; i++)
        if (r->wanted[i] && !isnan(f->at[i].v) && !(r->out->duty <= f->at[i].duty))
            r->out->duty = f->at[i].duty;
}

static int measure(struct trial *r, struct err *err) {
    bool counted = r->kernel->judge == JUDGE_COUNT;
    int rc = counted ? measure_counted(r, err) : measure_steady(r, err);
    if (rc < 0)
        return rc;
    window_frame(&r->session.window, &r->session.eval, &r->whole);
    note_vitals(r);
    return 0;
}

static void judge(struct trial *r, const struct child_usage *u) {
    r->out->cpu_share = u->wall_ns ? (double)u->cpu_ns / (double)u->wall_ns : NAN;
    if (r->kernel->judge == JUDGE_COUNT)
        judge_counted(r, u);
    else
        judge_frame(&r->session.model, r->kernel->name, &r->whole, &r->out->said);
    if (r->kernel->judge == JUDGE_SHARE)
        forgive_waiting(r, &r->out->said);
}

/* Nothing to be run for: said before anything is started. */
static bool cannot_judge(const struct suite *s, const struct kernel *k, struct judgement *out) {
    struct expect e;
    bool may_see_kernel = s->mc.paranoid < 2 || s->mc.cap_perfmon;
    if (k->judge != JUDGE_PATH) {
        if (k->sees_kernel && !may_see_kernel)
            judge_skip(
                out, "only user space may be counted: perf_event_paranoid is %d; see tdtop doctor",
                s->mc.paranoid);
        return k->sees_kernel && !may_see_kernel;
    }
    expect_find(&s->model, k->name, NULL, &e);
    if (e.n_path || e.n_limit)
        return false;
    if (!strcmp(s->model.rung, "software"))
        judge_skip(out, "software counters do not see the pipeline");
    else
        judge_skip(out, "model %s has none of the nodes that this kernel leads to", s->model.name);
    return true;
}

/* Of what could be started, nothing may go wrong. */
static void say_failed(struct trial *r, bool started, const struct err *err) {
    judge_skip(&r->out->said, "%s", err->text);
    if (started)
        r->out->said.verdict = VERDICT_NOT;
}

static void run_child(struct trial *r) {
    struct err err = {0};
    struct child_usage usage = {0};
    int rc = child_start(&r->child, r->kernel, &r->suite->place, &err);
    if (rc < 0) {
        say_failed(r, rc == -ECHILD, &err);
        return;
    }
    rc = open_session(r, &err);
    bool started = rc == 0;
    if (rc == 0)
        rc = measure(r, &err);
    r->out->rounds = child_rounds(&r->child);
    int ended = child_stop(&r->child, &usage, rc == 0 ? &err : NULL);
    if (rc == 0 && ended == 0)
        judge(r, &usage);
    else
        say_failed(r, started, &err);
    session_close(&r->session);
}

void suite_run(const struct suite *s, const struct kernel *k, struct suite_result *out) {
    *out = (struct suite_result){.kernel = k, .ipc = NAN, .duty = NAN, .cpu_share = NAN};
    if (cannot_judge(s, k, &out->said))
        return;
    struct trial *r = calloc(1, sizeof(*r));
    if (!r) {
        judge_skip(&out->said, "out of memory");
        return;
    }
    r->suite = s;
    r->kernel = k;
    r->out = out;
    run_child(r);
    frame_destroy(&r->whole);
    free(r->wanted);
    free(r);
}
