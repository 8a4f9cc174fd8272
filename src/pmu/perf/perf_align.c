#include "pmu/perf/perf_align.h"

#include "pmu/perf/perf_units.h"

#include <errno.h>
#include <stdlib.h>

/* What a group lacks may be borrowed up to this part of the interval. */
static const double borrowed_most = 0.5;

int perf_align_init(struct perf_units *pu) {
    pu->ahead = calloc(pu->shape->n_group + 1u, sizeof(*pu->ahead));
    pu->ahead_value = calloc(pu->shape->n_counter + 1u, sizeof(*pu->ahead_value));
    return pu->ahead && pu->ahead_value ? 0 : -ENOMEM;
}

void perf_align_free(struct perf_units *pu) {
    free(pu->ahead);
    free(pu->ahead_value);
    pu->ahead = NULL;
    pu->ahead_value = NULL;
}

static void scale(struct perf_units *pu, uint32_t g, double by) {
    const struct perf_group *pg = &pu->shape->group[g];
    for (uint32_t i = pg->first; i < pg->first + pg->n; i++)
        pu->value[i] *= by;
}

static uint64_t rounded(double ns) {
    return ns > 0 ? (uint64_t)(ns + 0.5) : 0;
}

/* The whole of what was read was borrowed: of this interval nothing is known. */
static void forget(struct perf_units *pu, uint32_t g) {
    scale(pu, g, 0.0);
    pu->sum[g].enabled_ns = pu->sum[g].running_ns = pu->sum[g].counted_ns = 0;
}

/* What was left of the last interval comes first. */
static void take_ahead(struct perf_units *pu, uint32_t g) {
    const struct perf_group *pg = &pu->shape->group[g];
    struct perf_align *ahead = &pu->ahead[g];
    struct perf_sum *sum = &pu->sum[g];
    const double enabled = (double)sum->enabled_ns + ahead->enabled_ns;
    if (ahead->unknown && sum->enabled_ns)
        scale(pu, g, enabled / (double)sum->enabled_ns);
    for (uint32_t i = pg->first; i < pg->first + pg->n; i++) {
        pu->value[i] += pu->ahead_value[i];
        pu->ahead_value[i] = 0.0;
    }
    sum->running_ns = rounded((double)sum->running_ns + ahead->running_ns);
    sum->enabled_ns = rounded(enabled);
    if (ahead->enabled_ns < 0 && sum->enabled_ns == 0)
        forget(pu, g);
    *ahead = (struct perf_align){0};
}

/* The interval of a group ends when it has been enabled for that long. */
static void end_at(struct perf_units *pu, uint32_t g, uint64_t end_ns) {
    const struct perf_group *pg = &pu->shape->group[g];
    struct perf_sum *sum = &pu->sum[g];
    const double enabled = (double)sum->enabled_ns, part = 1.0 - (double)end_ns / enabled;
    const double running = (double)sum->running_ns * part;
    pu->ahead[g] = (struct perf_align){enabled * part, running, sum->counted_ns == 0};
    sum->enabled_ns = end_ns;
    sum->running_ns = rounded((double)sum->running_ns - running);
    if (sum->running_ns > end_ns)
        sum->running_ns = end_ns;
    if (sum->counted_ns)
        sum->counted_ns = end_ns;
    for (uint32_t i = pg->first; i < pg->first + pg->n; i++) {
        pu->ahead_value[i] = pu->value[i] * part;
        pu->value[i] -= pu->ahead_value[i];
    }
}

/* Is it open everywhere, all the time, and was it read as often as the first? */
static bool is_whole(const struct perf_units *pu, uint32_t g, uint32_t n, uint32_t reads) {
    return pu->on[g] && pu->have[g] == n && !pu->changed[g] && pu->sum[g].reads == reads;
}

static bool can_end_at(const struct perf_sum *sum, uint64_t end_ns) {
    return sum->enabled_ns > 0 && sum->enabled_ns != end_ns &&
           (double)sum->enabled_ns >= (1.0 - borrowed_most) * (double)end_ns;
}

void perf_align(struct perf_units *pu, uint32_t n) {
    uint32_t first = 0;
    while (first < pu->shape->n_group &&
           (pu->sum[first].reads == 0 || pu->shape->group[first].turns))
        first++;
    if (pu->mode.hybrid || first == pu->shape->n_group)
        return;
    take_ahead(pu, first); /* left from when another group was the first */
    const uint32_t reads = pu->sum[first].reads;
    const uint64_t end_ns = pu->sum[first].enabled_ns;
    const bool whole = is_whole(pu, first, n, reads);
    for (uint32_t g = first + 1; g < pu->shape->n_group; g++) {
        take_ahead(pu, g);
        if (whole && is_whole(pu, g, n, reads) && can_end_at(&pu->sum[g], end_ns))
            end_at(pu, g, end_ns);
    }
}
