/* The kernel's source with the software model, on a target of the test's; for tests of source_perf.
 */
#ifndef TDTOP_TESTS_PERF_SOURCE_FIXTURE_H
#define TDTOP_TESTS_PERF_SOURCE_FIXTURE_H

#include "pmu/source.h"

#include <math.h>

#include "perf_children.h"

static struct model software;

static inline int setup(void **state) {
    (void)state;
    return model_open(&software, "software", NULL, NULL);
}

static inline int teardown(void **state) {
    (void)state;
    model_free(&software);
    return 0;
}

/* ---- measuring ---- */

struct run {
    struct source src;
    struct sample sample;
    struct err err;
    double total[16]; /* of each slot */
};

static inline int run_open(struct run *r, const struct target *target) {
    struct source_options opt = {.target = *target};
    *r = (struct run){0};
    consts_init(&opt.consts);
    int rc = source_open(&r->src, &source_perf, &software, &opt, &r->err);
    if (rc == 0)
        assert_int_equal(sample_init(&r->sample, r->src.layout.n_slot), 0);
    return rc;
}

static inline int run_open_pid(struct run *r, pid_t pid) {
    char text[32];
    snprintf(text, sizeof(text), "%d", (int)pid);
    return run_open(r, &(struct target){.kind = TARGET_PIDS, .pids = text});
}

static inline int run_read(struct run *r) {
    int rc = r->src.ops->read(&r->src, &r->sample, &r->err);
    for (uint32_t i = 0; i < r->sample.n_slot; i++)
        if (r->sample.at[i].state == COUNT_OK)
            r->total[i] += r->sample.at[i].value;
    return rc;
}

static inline void run_close(struct run *r) {
    sample_destroy(&r->sample);
    source_close(&r->src);
}

/* Index of an event's slot, or -1. */
static inline int slot_of(const struct run *r, const char *event) {
    for (uint32_t i = 0; i < r->src.layout.n_slot; i++)
        if (strcmp(software.event[r->src.layout.slot[i].event].name, event) == 0)
            return (int)i;
    return -1;
}

static inline double total_of(const struct run *r, const char *event) {
    int i = slot_of(r, event);
    return i < 0 ? NAN : r->total[i];
}

#endif
