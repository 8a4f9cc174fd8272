/*
 * Which rows were counted in the same time? perf prints events group after group but not where a
 * group ends. Signs of an end, strongest first:
 *
 *   1. the running time changes while counters were shared: groups take turns (and another run of
 *      perf stat in the same file is another time)
 *   2. an event comes again: no group has an event twice. The end lies somewhere between the two;
 *      perf -M prints a metric beside the first event of a group, so before the first row that has
 *      one; else before the second of the two if the first began its group, else behind the first.
 *
 * Example (Zen 4, PipelineL2, every group 25.00 %): the cycles stand behind the events that they
 * belong to, or between them, so "the last cycles seen" would divide by another group's.
 */
#include "pmu/replay_plan.h"

#include <math.h>

/* perf reads the events of a group one after another, so their running times differ by the time of
 * a read: up to 6e-6 of the interval in recordings of whole machines. Turns of 4 ms are longer. */
#define SAME_TIME 5e-5

static bool changes(const struct replay_place *a, const struct replay_place *b) {
    if (a->block != b->block)
        return true;
    if (!a->counted || !b->counted || (a->share >= 1 && b->share >= 1))
        return false;
    if (isnan(a->runtime_ns) || isnan(b->runtime_ns))
        return fabs(a->share - b->share) > 1e-9;
    return fabs(a->runtime_ns - b->runtime_ns) > SAME_TIME * fmax(a->runtime_ns, b->runtime_ns);
}

/* The row from begin to at-1 with the same event as `at`, or at. */
static uint32_t find_same(const struct replay_place *place, uint32_t begin, uint32_t at) {
    for (uint32_t i = begin; i < at; i++)
        if (place[i].event == place[at].event)
            return i;
    return at;
}

static uint32_t find_cut(const struct replay_place *place, uint32_t begin, uint32_t first,
                         uint32_t second) {
    if (first == begin)
        return second;
    for (uint32_t i = first + 1; i <= second; i++)
        if (place[i].titled)
            return i;
    return first + 1;
}

void replay_form_groups(struct replay_plan *p) {
    uint32_t begin = 0;
    uint16_t group = 0;
    for (uint32_t at = 0; at < p->n_place; at++) {
        uint32_t cut = begin, same = find_same(p->place, begin, at);
        if (at > begin && changes(&p->place[at - 1], &p->place[at]))
            cut = at;
        else if (same < at)
            cut = find_cut(p->place, begin, same, at);
        if (cut > begin) {
            group++;
            begin = cut;
            for (uint32_t i = begin; i < at; i++) /* rows that turned out to be of this group */
                p->place[i].group = group;
        }
        p->place[at].group = group;
    }
}
