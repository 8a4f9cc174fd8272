#include "pmu/plan_fit.h"

#include "model/code.h"
#include "pmu/plan.h"

#include <string.h>

bool plan_same_count(const struct event *a, const struct event *b) {
    if (a->pmu != b->pmu || a->type != b->type || a->percore != b->percore ||
        a->kernel_only != b->kernel_only || a->user_only != b->user_only)
        return false;
    if (a->has_code && b->has_code)
        return a->config == b->config && a->config1 == b->config1;
    return strcmp(a->name, b->name) == 0;
}

bool set_has(const struct event_set *s, uint16_t event) {
    for (uint32_t i = 0; i < s->n; i++)
        if (s->at[i] == event)
            return true;
    return false;
}

bool set_has_all(const struct event_set *s, const struct event_set *all) {
    for (uint32_t i = 0; i < all->n; i++)
        if (!set_has(s, all->at[i]))
            return false;
    return true;
}

void set_add(struct event_set *s, uint16_t event) {
    if (s->n < sizeof(s->at) / sizeof(s->at[0]) && !set_has(s, event))
        s->at[s->n++] = event;
}

void set_add_all(struct event_set *s, const struct event_set *all) {
    for (uint32_t i = 0; i < all->n; i++)
        set_add(s, all->at[i]);
}

/* ---- what there is ---- */

/* PMUs that a model knows nothing about: four general counters and the usual two fixed ones of
 * Intel, six of AMD and Arm. The kernel splits what is too much. */
enum { GENERAL_UNKNOWN = 6 };

/* What was found by opening leaves out what the watchdog holds. */
void fit_init(struct fit *f, const struct model *m, const struct plan_options *opt) {
    const int known = m->general_counters ? m->general_counters : GENERAL_UNKNOWN;
    *f = (struct fit){.model = m,
                      .general = opt->general > 0 || opt->probed ? opt->general : known,
                      .fixed_taken = opt->fixed_taken};
    if (!opt->nmi_watchdog || opt->probed)
        return;
    /* The watchdog counts cycles: on a fixed counter where there is one, Intel's second, Arm's
     * only one. */
    const int cycles = strcmp(m->vendor, "Arm") == 0 ? 0 : 1;
    if (m->fixed_counters > cycles)
        f->fixed_taken = 1u << cycles;
    else if (opt->general <= 0)
        f->general--;
}

/* ---- general counters: bipartite matching by augmenting paths (Kuhn) ---- */

enum { MATCHED_MAX = 3 * PLAN_GROUP_MAX };

struct matching {
    uint64_t mask[MATCHED_MAX]; /* of each event: counters it may use */
    int n;
    int owner[64]; /* event on each counter, -1 = free */
};

static bool augment(struct matching *mt, int event, uint64_t *seen) {
    for (uint64_t left; (left = mt->mask[event] & ~*seen) != 0;) {
        const int c = __builtin_ctzll(left);
        *seen |= 1ull << c;
        if (mt->owner[c] < 0 || augment(mt, mt->owner[c], seen)) {
            mt->owner[c] = event;
            return true;
        }
    }
    return false;
}

static bool all_match(struct matching *mt) {
    memset(mt->owner, -1, sizeof(mt->owner));
    for (int i = 0; i < mt->n; i++) {
        uint64_t seen = 0;
        if (!augment(mt, i, &seen))
            return false;
    }
    return true;
}

/* ---- the rest of the rules ---- */

/* MSR_OFFCORE_RSP_0 and _1: the kernel moves an event to the one that is free
 * (arch/x86/events/intel/core.c, intel_alt_er). */
enum { OFFCORE_MAX = 2 };

/* What has been taken so far. */
struct taken {
    struct matching mt;
    uint64_t fixed;
    uint64_t alone;
    bool has_alone;
    uint64_t offcore[OFFCORE_MAX];
    int n_offcore;
    struct event_set events;
};

static bool is_offcore(const struct model *m, const struct event *ev) {
    return ev->pmu == EVENT_CORE && ev->config1 &&
           strcmp(code_config1_name(m->vendor, ev->config), "offcore_rsp") == 0;
}

/* One value of MSR 0x3F7 at a time, two of the offcore response. */
static bool take_msr(const struct model *m, struct taken *t, const struct event *ev) {
    if (ev->alone) {
        if (t->has_alone && t->alone != ev->config1)
            return false;
        t->has_alone = true;
        t->alone = ev->config1;
    }
    if (!is_offcore(m, ev))
        return true;
    for (int i = 0; i < t->n_offcore; i++)
        if (t->offcore[i] == ev->config1)
            return true;
    if (t->n_offcore == OFFCORE_MAX)
        return false;
    t->offcore[t->n_offcore++] = ev->config1;
    return true;
}

/* Notes what an event takes. False if that cannot be; general counters are matched at the end. */
static bool take(const struct fit *f, struct taken *t, const struct event *ev) {
    if (ev->perf_metrics)
        return true;
    if (!take_msr(f->model, t, ev))
        return false;
    uint64_t bit = ev->fixed >= 0 ? 1ull << ev->fixed : 0;
    if (bit && !(t->fixed & bit)) {
        t->fixed |= bit;
        return true;
    }
    if (bit && model_fixed_only(ev))
        return false;
    uint64_t general = f->general >= 64 ? UINT64_MAX : (1ull << f->general) - 1;
    t->mt.mask[t->mt.n++] = ev->counters ? ev->counters & general : general;
    return true;
}

/* Same counts within one group share a counter. The pinned group is another group: no sharing. */
static bool take_set(const struct fit *f, struct taken *t, const struct event_set *s) {
    for (uint32_t i = 0; i < s->n; i++) {
        const struct event *ev = &f->model->event[s->at[i]];
        bool shared = false;
        for (uint32_t k = 0; k < t->events.n && !shared; k++)
            shared = plan_same_count(ev, &f->model->event[t->events.at[k]]);
        if (shared)
            continue;
        if (t->events.n == PLAN_GROUP_MAX || t->mt.n == MATCHED_MAX || !take(f, t, ev))
            return false;
        t->events.at[t->events.n++] = s->at[i];
    }
    return true;
}

/* A set that is not among those taken so far. */
static bool take_group(const struct fit *f, struct taken *t, const struct event_set *s) {
    t->events.n = 0;
    return take_set(f, t, s);
}

/* Only what is read before it is written is cleared: this is asked some 10,000 times per plan. */
static void take_nothing(const struct fit *f, struct taken *t) {
    t->mt.n = 0;
    t->fixed = f->fixed_taken;
    t->has_alone = false;
    t->n_offcore = 0;
    t->events.n = 0;
}

int fit_room(const struct fit *f) {
    struct taken t;
    take_nothing(f, &t);
    if (!take_group(f, &t, &f->always))
        return 0;
    uint64_t fixed = (1ull << f->model->fixed_counters) - 1;
    return f->general - t.mt.n + __builtin_popcountll(fixed & ~t.fixed);
}

bool fit_together(const struct fit *f, const struct event_set *a, const struct event_set *b) {
    struct taken t;
    take_nothing(f, &t);
    return take_group(f, &t, &f->always) && take_group(f, &t, a) && (!b || take_set(f, &t, b)) &&
           all_match(&t.mt);
}

bool fit_beside(const struct fit *f, const struct event_set *const *groups, uint32_t n) {
    struct taken t;
    take_nothing(f, &t);
    if (!take_group(f, &t, &f->always))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (!take_group(f, &t, groups[i]))
            return false;
    return all_match(&t.mt);
}

int fit_general(const struct fit *f, const struct event_set *set) {
    struct taken t;
    take_nothing(f, &t);
    return take_group(f, &t, set) && all_match(&t.mt) ? t.mt.n : -1;
}
