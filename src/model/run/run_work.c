#include "model/run/run_work.h"

#include <math.h>
#include <string.h>

/* The product of the metrics, the factor and the time. Not const, because the texts of a run's node
 * are not: it owns them elsewhere. */
static struct {
    char name[20], unit[4], none[1];
    const char *of[3];
    double factor;
    signed char better;
} work[RUN_WORK_N] = {
    {RUN_ELAPSED, "s", "", {NULL}, 1, -1},
    {RUN_CPU_TIME, "s", "", {"CPUs_Utilized"}, 1, -1},
    {"instructions", "", "", {"IPC", "GHz", "CPUs_Utilized"}, 1e9, -1},
    {"context_switches", "", "", {"Context_Switches_Per_S"}, 1, 0},
};

static double value_of(const struct run *r, const char *path) {
    for (size_t i = 0; i < r->node.n; i++)
        if (!strcmp(r->node.at[i].path, path))
            return r->node.at[i].value.v;
    return NAN;
}

int run_work(const struct run *r, struct run_node out[RUN_WORK_N]) {
    int n = 0;
    for (size_t i = 0; i < RUN_WORK_N && r->ran_through; i++) {
        double v = work[i].factor * (double)r->measured_ns / 1e9;
        for (size_t k = 0; k < 3 && work[i].of[k]; k++)
            v *= value_of(r, work[i].of[k]);
        if (!isfinite(v))
            continue;
        out[n++] = (struct run_node){.name = work[i].name,
                                     .path = work[i].name,
                                     .unit = work[i].unit,
                                     .reason = work[i].none,
                                     .better = work[i].better,
                                     .value = {.v = v, .err = NAN, .duty = 1}};
    }
    return n;
}

bool run_is_work(const struct run_node *n) {
    for (size_t i = 0; i < RUN_WORK_N; i++)
        if (n->level == 0 && !strcmp(n->path, work[i].name))
            return true;
    return false;
}
