#include "model/eval/eval_parts.h"

#include <errno.h>

/* An event that could as well have been counted in another group. */
static bool is_free(const struct event *ev) {
    return (ev->pmu == EVENT_CORE || ev->pmu == EVENT_GENERIC) && !ev->perf_metrics &&
           !ev->slots_leader && !model_fixed_only(ev);
}

/* The part of the group that slot is of, of those from `first` on; NULL. */
static struct part *find_group(struct program *p, size_t first, const struct layout *l, int slot) {
    for (size_t i = first; i < p->part.n; i++)
        if (l->slot[p->part.at[i].slot].group == l->slot[slot].group)
            return &p->part.at[i];
    return NULL;
}

/* The first that is true from i on, or n: nearly all are false. */
static uint32_t next_set(const bool *all, uint32_t i, uint32_t n) {
    const bool *at = memchr(all + i, true, n - i);
    return at ? (uint32_t)(at - all) : n;
}

/* One slot stands for its group: all of them ran at the same time. */
static int note_groups(struct program *p, const struct model *m, const struct slot_index *slots,
                       uint16_t metric, const struct parts_of *of) {
    const size_t first = p->part.n;
    for (uint32_t e = next_set(of->event, 0, m->n_event); e < m->n_event;
         e = next_set(of->event, e + 1, m->n_event)) {
        const int slot = slot_index_find(slots, (int)e, of->group);
        struct part *same = slot < 0 ? NULL : find_group(p, first, slots->layout, slot);
        if (same)
            same->free |= is_free(&m->event[e]);
        else if (slot >= 0 &&
                 array_push(&p->part, (struct part){metric, (uint16_t)slot, is_free(&m->event[e])}))
            return -ENOMEM;
    }
    if (p->part.n - first < 2)
        p->part.n = first;
    return 0;
}

static bool can_have(const struct program *p, uint32_t metric) {
    for (size_t i = 0; i < p->part.n; i++)
        if (p->part.at[i].metric == metric)
            return true;
    for (size_t i = 0; i < p->inherits.n; i++)
        if (p->inherits.at[i].metric == metric)
            return true;
    return false;
}

int parts_note(struct program *p, const struct model *m, const struct slot_index *slots,
               uint16_t metric, const struct parts_of *of) {
    for (uint32_t i = next_set(of->below, 0, m->n_metric); i < m->n_metric;
         i = next_set(of->below, i + 1, m->n_metric))
        if (can_have(p, i) && array_push(&p->inherits, (struct inherits){metric, (uint16_t)i}))
            return -ENOMEM;
    return note_groups(p, m, slots, metric, of);
}

/* From part *i on, which is left behind the last of the same metric. */
static bool are_split(const struct program *p, size_t *i) {
    const struct part *part = &p->part.at[*i], *end = p->part.at + p->part.n;
    const uint16_t metric = part->metric;
    unsigned multiplexed = 0, always = 0;
    for (; part < end && part->metric == metric; part++) {
        const unsigned turn = p->turn[part->slot];
        multiplexed += turn & SLOT_MULTIPLEXED;
        always |= turn & (part->free ? SLOT_ALWAYS_ON : 0u);
    }
    *i = (size_t)(part - p->part.at);
    return multiplexed > 1 || (multiplexed == 1 && always);
}

/* Inherited in the order in which they were noted: what is below is known by then. */
void parts_find(struct program *p, uint32_t n_metric) {
    memset(p->split, 0, n_metric * sizeof(*p->split));
    for (size_t i = 0; i < p->part.n;) {
        const uint16_t metric = p->part.at[i].metric;
        p->split[metric] = are_split(p, &i);
    }
    for (size_t i = 0; i < p->inherits.n; i++)
        p->split[p->inherits.at[i].metric] |= p->split[p->inherits.at[i].from];
}
