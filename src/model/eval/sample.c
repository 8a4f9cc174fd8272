#include "model/eval/sample.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const state_text[COUNT_STATES] = {
    [COUNT_OK] = "counted",
    [COUNT_STALE] = "not scheduled in this interval",
    [COUNT_NOT_COUNTED] = "not counted",
    [COUNT_NOT_SUPPORTED] = "not supported",
    [COUNT_NOT_PERMITTED] = "not permitted",
    [COUNT_NO_EVENT] = "no such event here",
    [COUNT_ABSENT] = "not in the recording",
    [COUNT_UNCORE] = "outside the core: only with -a",
    [COUNT_NOT_FOCUSED] = "not counted: out of focus",
    [COUNT_NOT_PLANNED] = "not measured at this level",
    [COUNT_NO_FDS] = "out of file descriptors",
    [COUNT_LOST] = "can no longer be read",
    [COUNT_NOT_SIMULATED] = "outside the core: not simulated",
    [COUNT_PERCORE] = "of both threads of a core: tdtop does not count it",
    [COUNT_HELD] = "another user of the counters holds the one that it needs",
    [COUNT_UNSEEN] = "most processes that ran came and went between two looks at /proc",
    [COUNT_ELSEWHERE] = "ran on cores of another type",
};

const char *count_state_text(enum count_state state) {
    return (unsigned)state < COUNT_STATES ? state_text[state] : "unknown state";
}

bool count_waits(enum count_state state) {
    return state == COUNT_STALE || state == COUNT_NOT_FOCUSED;
}

int layout_init(struct layout *l, uint32_t n_event, enum count_state why, uint32_t cap_slots) {
    *l = (struct layout){.n_event = n_event};
    l->slot = calloc(cap_slots ? cap_slots : 1, sizeof(*l->slot));
    l->missing = malloc(n_event ? n_event : 1);
    if (!l->slot || !l->missing) {
        layout_destroy(l);
        return -ENOMEM;
    }
    memset(l->missing, (int)why, n_event);
    return 0;
}

int layout_add(struct layout *l, uint16_t event, uint16_t group) {
    l->slot[l->n_slot] = (struct slot){.event = event, .group = group};
    l->missing[event] = COUNT_OK;
    if (group >= l->n_group)
        l->n_group = group + 1u;
    return (int)l->n_slot++;
}

int layout_copy(struct layout *dst, const struct layout *src) {
    int rc = layout_init(dst, src->n_event, COUNT_OK, src->n_slot);
    if (rc < 0)
        return rc;
    if (src->n_slot)
        memcpy(dst->slot, src->slot, src->n_slot * sizeof(*dst->slot));
    if (src->n_event)
        memcpy(dst->missing, src->missing, src->n_event);
    dst->n_slot = src->n_slot;
    dst->n_group = src->n_group;
    dst->n_pinned = src->n_pinned;
    dst->no_perf_metrics = src->no_perf_metrics;
    return 0;
}

void layout_destroy(struct layout *l) {
    free(l->slot);
    free(l->missing);
    *l = (struct layout){0};
}

int sample_init(struct sample *s, uint32_t n_slot) {
    *s = (struct sample){.n_slot = n_slot};
    s->at = calloc(n_slot ? n_slot : 1, sizeof(*s->at));
    if (!s->at)
        return -ENOMEM;
    for (uint32_t i = 0; i < n_slot; i++)
        s->at[i] = (struct count){.value = NAN, .state = COUNT_NOT_COUNTED};
    return 0;
}

void sample_destroy(struct sample *s) {
    free(s->at);
    *s = (struct sample){0};
}

void sample_copy(struct sample *dst, const struct sample *src) {
    struct count *at = dst->at;
    if (src->n_slot)
        memcpy(at, src->at, src->n_slot * sizeof(*at));
    *dst = *src;
    dst->at = at;
}

static bool has_count(const struct count *c) {
    return c->state == COUNT_OK && !isnan(c->value);
}

uint8_t count_lesser_part(uint8_t a, uint8_t b) {
    return a && b ? (a < b ? a : b) : a | b;
}

/* Enabled time in which nothing was counted is filled up from the time in which something was. */
static void add_waiting(struct count *c, uint64_t waited_ns) {
    if (has_count(c) && c->enabled_ns > 0)
        c->value *= 1.0 + (double)waited_ns / (double)c->enabled_ns;
    c->enabled_ns += waited_ns;
}

static void merge_count(struct count *into, const struct count *next) {
    const struct count was = *into;
    const bool had = has_count(&was), has = has_count(next);
    if (had && has) {
        into->value += next->value;
        into->enabled_ns += next->enabled_ns;
        into->running_ns += next->running_ns;
        into->part = count_lesser_part(was.part, next->part);
    } else if (has) {
        *into = *next;
        if (count_waits((enum count_state)was.state))
            add_waiting(into, was.enabled_ns);
    } else if (count_waits((enum count_state)next->state)) {
        if (!had && !count_waits((enum count_state)was.state))
            *into = *next;
        else
            add_waiting(into, next->enabled_ns);
    } else if (!had && !count_waits((enum count_state)was.state)) {
        *into = *next;
    }
}

void sample_merge(struct sample *into, const struct sample *next) {
    for (uint32_t i = 0; i < into->n_slot; i++)
        merge_count(&into->at[i], &next->at[i]);
    into->seq = next->seq;
    into->merged += next->merged + !into->early;
    into->early = next->early;
    into->t1_ns = next->t1_ns;
    into->target_threads = next->target_threads;
    into->away = into->away && next->away;
    into->ended = into->ended || next->ended;
    into->busy_ns += next->busy_ns;
    into->resident_ns += next->resident_ns;
}

int count_scale(double raw, uint64_t enabled_ns, uint64_t running_ns, double *out) {
    if (running_ns > enabled_ns)
        return -ERANGE;
    if (running_ns == 0)
        return -ENODATA;
    *out = running_ns == enabled_ns ? raw : raw * ((double)enabled_ns / (double)running_ns);
    return 0;
}

/* --- slots by event --- */

int slot_index_init(struct slot_index *x, const struct layout *layout) {
    *x = (struct slot_index){.layout = layout};
    x->first = malloc((layout->n_event + 1u) * sizeof(*x->first));
    x->next = malloc((layout->n_slot + 1u) * sizeof(*x->next));
    if (!x->first || !x->next)
        return -ENOMEM;
    for (uint32_t e = 0; e < layout->n_event; e++)
        x->first[e] = NO_SLOT;
    for (int i = (int)layout->n_slot - 1; i >= 0; i--) { /* so the first slot ends up first */
        if (layout->slot[i].event == SLOT_NO_EVENT)
            continue;
        int *first = &x->first[layout->slot[i].event];
        x->next[i] = *first;
        *first = i;
    }
    return 0;
}

void slot_index_destroy(struct slot_index *x) {
    free(x->first);
    free(x->next);
    *x = (struct slot_index){.layout = NULL};
}

int slot_index_find(const struct slot_index *x, int event, uint16_t group) {
    for (int i = x->first[event]; i != NO_SLOT; i = x->next[i])
        if (x->layout->slot[i].group == group)
            return i;
    return x->first[event];
}
