#include "model/load/frame.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const state_name[] = {
    [VALUE_EXACT] = "exact", [VALUE_SCALED] = "scaled", [VALUE_ODD] = "odd",
    [VALUE_STALE] = "stale", [VALUE_NA] = "n/a",
};

const char *value_state_name(enum value_state state) {
    return (unsigned)state <= VALUE_NA ? state_name[state] : "n/a";
}

/* A frame that nothing was measured for yet: every value is unknown, none is 0. */
int frame_init(struct frame *f, uint32_t n_metric) {
    *f = (struct frame){.n_metric = n_metric,
                        .bottleneck = {.tie = {-1, -1}},
                        .duty = NAN,
                        .here = NAN,
                        .root_sum = NAN};
    f->at = calloc(n_metric ? n_metric : 1, sizeof(*f->at));
    if (!f->at)
        return -ENOMEM;
    for (uint32_t i = 0; i < n_metric; i++)
        f->at[i] = (struct value){.v = NAN, .err = NAN, .state = VALUE_NA};
    return 0;
}

void frame_destroy(struct frame *f) {
    free(f->at);
    *f = (struct frame){0};
}

void frame_copy(struct frame *dst, const struct frame *src) {
    struct value *at = dst->at;
    if (src->n_metric)
        memcpy(at, src->at, src->n_metric * sizeof(*at));
    *dst = *src;
    dst->at = at;
}
