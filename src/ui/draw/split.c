#include "ui/draw/split.h"

#include <math.h>

static const struct {
    const char *kernel, *user;
} known[] = {
    {"Info_System_Kernel_Utilization", NULL}, /* Intel: cycles of ring 0 */
    {"Kernel", "User"},                       /* software.toml: CPU time as the kernel keeps it */
};

bool split_find(const struct model *m, struct split *out) {
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        *out = (struct split){model_find(m, known[i].kernel), METRIC_NONE};
        if (known[i].user)
            out->user = model_find(m, known[i].user);
        bool whole = !known[i].user || out->user != METRIC_NONE;
        if (out->kernel != METRIC_NONE && whole && !m->metric[out->kernel].unavailable)
            return true;
    }
    return false;
}

void split_shares(const struct split *sp, const struct frame *f, double *user, double *kernel) {
    double k = f->at[sp->kernel].v;
    double u = sp->user == METRIC_NONE ? 1 - k : f->at[sp->user].v;
    double sum = u + k; /* waiting for a CPU is neither */
    *user = sum > 0 ? u / sum : NAN;
    *kernel = sum > 0 ? k / sum : NAN;
}
