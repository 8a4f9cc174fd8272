/* Small models from text, and samples whose counts a test writes by event name. */
#ifndef TDTOP_TESTS_MODEL_FIXTURE_H
#define TDTOP_TESTS_MODEL_FIXTURE_H

#include "model/eval/eval.h"
#include "model/load/model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define MODEL_HEAD                                                                                 \
    "name = 'tiny'\ntitle = 'Tiny core'\nrung = 'full'\nscope = 'pipeline slots'\nmatch = []\n"    \
    "[event]\n"                                                                                    \
    "'A' = { code = 1 }\n'B' = { code = 2 }\n'C' = { code = 3 }\n'D' = { code = 4 }\n"             \
    "'CYCLES' = { code = 5 }\n"

/* A model, a layout, and one evaluation of it. */
struct rig {
    struct model model;
    struct layout layout;
    struct consts consts;
    struct eval eval;
    struct sample sample;
    struct frame frame;
};

static inline void rig_load(struct rig *r, const char *text) {
    struct err err = {0};
    memset(r, 0, sizeof(*r));
    if (model_load(&r->model, text, strlen(text), "tiny.toml", &err) < 0)
        fail_msg("%s", err.text);
    consts_init(&r->consts);
    if (layout_init(&r->layout, r->model.n_event, COUNT_ABSENT, 64) < 0)
        fail_msg("out of memory");
}

/* Adds a slot; events that no formula names have none. Returns the slot or -1. */
static inline int rig_slot(struct rig *r, const char *event, uint16_t group) {
    const int e = model_find_event(&r->model, event);
    return e < 0 ? -1 : layout_add(&r->layout, (uint16_t)e, group);
}

/* Every event of the model in one group, in model order. */
static inline void rig_all_slots(struct rig *r) {
    for (uint32_t e = 0; e < r->model.n_event; e++)
        layout_add(&r->layout, (uint16_t)e, 0);
}

/* Binds; the sample lasts one second and has no counts yet. */
static inline void rig_bind(struct rig *r) {
    struct err err = {0};
    if (eval_init(&r->eval, &r->model, &r->layout, &r->consts, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(sample_init(&r->sample, r->layout.n_slot), 0);
    assert_int_equal(frame_init(&r->frame, r->model.n_metric), 0);
    r->sample.t1_ns = 1000000000;
}

static inline void rig_count(struct rig *r, int slot, double value) {
    if (slot >= 0)
        r->sample.at[slot] = (struct count){.value = value, .state = COUNT_OK};
}

/* The count of an event's first slot. */
static inline struct count *rig_at(struct rig *r, const char *event) {
    const int e = model_find_event(&r->model, event);
    for (uint32_t i = 0; i < r->layout.n_slot; i++)
        if (r->layout.slot[i].event == e)
            return &r->sample.at[i];
    fail_msg("%s has no slot", event);
    return NULL;
}

static inline void rig_set(struct rig *r, const char *event, double value) {
    *rig_at(r, event) = (struct count){.value = value, .state = COUNT_OK};
}

static inline const struct value *rig_value(struct rig *r, const char *metric) {
    const int m = model_find(&r->model, metric);
    if (m == METRIC_NONE)
        fail_msg("no metric %s", metric);
    return &r->frame.at[m];
}

static inline void rig_free(struct rig *r) {
    eval_destroy(&r->eval);
    sample_destroy(&r->sample);
    frame_destroy(&r->frame);
    layout_destroy(&r->layout);
    model_free(&r->model);
}

/* NAN equals NAN. */
static inline bool same_number(double a, double b, double relative) {
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    return fabs(a - b) <= relative * fmax(1e-300, fmax(fabs(a), fabs(b)));
}

#endif
