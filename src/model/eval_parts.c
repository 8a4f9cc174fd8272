#include "model/eval_parts.h"

#include "model/eval.h"

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

/* One slot stands for its group: all of them ran at the same time. */
static int note_groups(struct program *p, const struct model *m, const struct layout *l,
                       uint16_t metric, const struct parts_of *of) {
    const size_t first = p->part.n;
    for (uint32_t e = 0; e < l->n_event; e++) {
        const int slot = of->event[e] ? eval_slot(l, (int)e, of->group) : -1;
        struct part *same = slot < 0 ? NULL : find_group(p, first, l, slot);
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

int parts_note(struct program *p, const struct model *m, const struct layout *layout,
               uint16_t metric, const struct parts_of *of) {
    for (uint32_t i = 0; i < m->n_metric; i++)
        if (of->below[i] && can_have(p, i) &&
            array_push(&p->inherits, (struct inherits){metric, (uint16_t)i}))
            return -ENOMEM;
    return note_groups(p, m, layout, metric, of);
}

static bool took_turns(const struct count *c) {
    return count_duty(c) < (double)SCALED_BELOW;
}

/* From part *i on, which is left behind the last of the same metric. */
static bool are_parted(const struct program *p, const struct sample *s, size_t *i) {
    const uint16_t metric = p->part.at[*i].metric;
    unsigned turns = 0, always = 0;
    for (; *i < p->part.n && p->part.at[*i].metric == metric; (*i)++) {
        const struct part *part = &p->part.at[*i];
        const struct count *c = &s->at[part->slot];
        if (c->state != COUNT_OK)
            continue;
        turns += took_turns(c);
        always += !took_turns(c) && part->free;
    }
    return turns > 1 || (turns == 1 && always > 0);
}

/* Inherited in the order in which they were noted: what is below is known by then. */
void parts_find(const struct program *p, const struct sample *s, struct frame *out) {
    for (uint32_t i = 0; i < out->n_metric; i++)
        out->at[i].parted = false;
    for (size_t i = 0; i < p->part.n;) {
        const uint16_t metric = p->part.at[i].metric;
        out->at[metric].parted = are_parted(p, s, &i);
    }
    for (size_t i = 0; i < p->inherits.n; i++)
        out->at[p->inherits.at[i].metric].parted |= out->at[p->inherits.at[i].from].parted;
}
