/* A recording from text or a file, opened for a small model. */
#ifndef TDTOP_TESTS_REPLAY_FIXTURE_H
#define TDTOP_TESTS_REPLAY_FIXTURE_H

#include "base/str.h"
#include "model_fixture.h"
#include "pmu/source.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Events of an Intel core in all kinds, and software events. Only what a formula names is an event
 * of the model. */
#define REPLAY_MODEL                                                                               \
    "name = 'rec'\ntitle = 'Recorded core'\nvendor = 'Intel'\nrung = 'full'\n"                     \
    "scope = 'pipeline slots'\nmatch = []\n[event]\n"                                              \
    "'CPU_CLK_UNHALTED.THREAD' = { config = 0x3c, alias = 'cycles' }\n"                            \
    "'CPU_CLK_UNHALTED.THREAD_P' = { code = 0x3c }\n"                                              \
    "'INST_RETIRED.ANY' = { config = 0xc0, alias = 'instructions' }\n"                             \
    "'TOPDOWN.SLOTS' = { config = 0x400, sysfs = 'slots' }\n"                                      \
    "'PERF_METRICS.RETIRING' = { config = 0x8000, sysfs = 'topdown-retiring', perf_metrics = "     \
    "true }\n"                                                                                     \
    "'UOPS.A' = { code = 0x10 }\n'UOPS.B' = { code = 0x11 }\n'UOPS.C' = { code = 0x12 }\n"         \
    "'UOPS.D' = { code = 0x13 }\n"                                                                 \
    "'task_clock' = { pmu = 'software', config = 1, alias = 'task-clock' }\n"                      \
    "'cpu_clock' = { pmu = 'software', config = 0, alias = 'cpu-clock' }\n"                        \
    "'switches' = { pmu = 'software', config = 3, alias = 'context-switches' }\n"                  \
    "'faults' = { pmu = 'software', config = 2, alias = 'page-faults' }\n"                         \
    "[node.Retiring]\nformula = 'PERF_METRICS.RETIRING / TOPDOWN.SLOTS:perf_metrics'\n"            \
    "alt = 'UOPS.A / TOPDOWN.SLOTS'\n"                                                             \
    "[node.A]\nformula = 'UOPS.A / CPU_CLK_UNHALTED.THREAD'\n"                                     \
    "[node.B]\nformula = 'UOPS.B / CPU_CLK_UNHALTED.THREAD'\n"                                     \
    "[node.C]\nformula = 'UOPS.C / CPU_CLK_UNHALTED.THREAD'\n"                                     \
    "[node.A1]\nformula = 'UOPS.A:c1:e1 / CPU_CLK_UNHALTED.THREAD'\n"                              \
    "[node.Kernel]\nformula = 'CPU_CLK_UNHALTED.THREAD_P:SUP / CPU_CLK_UNHALTED.THREAD_P'\n"       \
    "[node.AD]\nformula = '(UOPS.A - UOPS.D) / CPU_CLK_UNHALTED.THREAD'\n"                         \
    "[node.Rest]\nformula = 'INST_RETIRED.ANY + UOPS.D + task_clock + cpu_clock + switches + "     \
    "faults + DURATION_S'\n"

struct recording {
    struct model model;
    struct source source;
    struct sample sample;
    char path[64]; /* of a temporary file, or "" */
    struct err err;
};

static inline void recording_write(struct recording *r, const char *text, size_t len) {
    strcpy(r->path, "/tmp/tdtop-test-XXXXXX");
    int fd = mkstemp(r->path);
    if (fd < 0 || write(fd, text, len) != (ssize_t)len || close(fd) < 0)
        fail_msg("%s: %s", r->path, strerror(errno));
}

/* Opens; r->err has words on failure. Returns what source_open does. recording_close either way. */
static inline int recording_open_file(struct recording *r, const char *model, const char *path,
                                      const char *only) {
    struct source_options opt = {.file = path, .only = only};
    consts_init(&opt.consts);
    if (model_load(&r->model, model, strlen(model), "rec.toml", &r->err) < 0)
        fail_msg("%s", r->err.text);
    int rc = source_open(&r->source, &source_replay, &r->model, &opt, &r->err);
    if (rc == 0)
        assert_int_equal(sample_init(&r->sample, r->source.layout.n_slot), 0);
    else
        assert_int_equal(r->err.code, rc);
    return rc;
}

static inline int recording_open(struct recording *r, const char *text, const char *only) {
    memset(r, 0, sizeof(*r));
    recording_write(r, text, strlen(text));
    return recording_open_file(r, REPLAY_MODEL, r->path, only);
}

static inline int recording_read(struct recording *r) {
    return r->source.ops->read(&r->source, &r->sample, &r->err);
}

/* The n-th slot of an event; NULL if there is none. */
static inline const struct count *recording_slot(const struct recording *r, const char *event,
                                                 int n) {
    int e = model_find_event(&r->model, event);
    for (uint32_t i = 0; i < r->source.layout.n_slot; i++)
        if (r->source.layout.slot[i].event == e && n-- == 0)
            return &r->sample.at[i];
    return NULL;
}

/* The value of an event's first slot; NAN without one. */
static inline double recording_value(const struct recording *r, const char *event) {
    const struct count *c = recording_slot(r, event, 0);
    return c ? c->value : NAN;
}

static inline void recording_close(struct recording *r) {
    sample_destroy(&r->sample);
    source_close(&r->source);
    model_free(&r->model);
    if (r->path[0])
        unlink(r->path);
}

#endif
