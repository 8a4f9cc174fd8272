#include "pmu/plan/plan_fit.h"

#include "model/load/code.h"
#include "pmu/plan/plan.h"

#include <string.h>

bool plan_same_count(const struct event *a, const struct event *b) {
    if (a->pmu != b->pmu || a->type != b->type || a->percore != b->percore ||
        a->kernel_only != b->kernel_only || a->user_only != b->user_only)
        return false;
    if (a->has_code && b->has_code)
        return a->config == b->config && a->config1 == b->config1;
    return strcmp(a->name, b->name) == 0;
}

struct event_set set_of(uint16_t event) {
    return (struct event_set){.at = {event}, .n = 1, .filter = set_filter(event)};
}

bool set_search(const struct event_set *s, uint16_t event) {
    for (uint32_t i = 0; i < s->n; i++)
        if (s->at[i] == event)
            return true;
    return false;
}

bool set_search_all(const struct event_set *s, const struct event_set *all) {
    for (uint32_t i = 0; i < all->n; i++)
        if (!set_has(s, all->at[i]))
            return false;
    return true;
}

void set_add(struct event_set *s, uint16_t event) {
    if (s->n == sizeof(s->at) / sizeof(s->at[0]) || set_has(s, event))
        return;
    s->at[s->n++] = event;
    s->filter |= set_filter(event);
}

void set_cut(struct event_set *s, uint32_t n) {
    s->n = n;
    s->filter = 0;
    for (uint32_t i = 0; i < n; i++)
        s->filter |= set_filter(s->at[i]);
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
static void find_counters(struct fit *f, const struct model *m, const struct plan_options *opt) {
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

void fit_init(struct fit *f, const struct model *m, const struct plan_options *opt) {
    static const struct event_set nothing;
    find_counters(f, m, opt);
    f->free = opt->free ? opt->free : f->general >= 64 ? UINT64_MAX : (1ull << f->general) - 1;
    fit_hold(f, &nothing);
}

/* ---- general counters: bipartite matching by augmenting paths (Kuhn) ---- */

static bool settle(struct fit_taken *t, int event, int counter) {
    t->now.owner[counter] = (int16_t)event;
    t->now.in_use |= 1ull << counter;
    return true;
}

static bool augment(struct fit_taken *t, int event, uint64_t *seen) {
    const uint64_t free = t->mask[event] & ~t->now.in_use;
    if (free) /* the highest: choosy events may use the lower ones, as a rule */
        return settle(t, event, 63 - __builtin_clzll(free));
    for (uint64_t left; (left = t->mask[event] & ~*seen) != 0;) {
        const int c = __builtin_ctzll(left);
        *seen |= 1ull << c;
        if (augment(t, t->now.owner[c], seen))
            return settle(t, event, c);
    }
    return false;
}

/* ---- the rest of the rules ---- */

static bool is_offcore(const struct model *m, const struct event *ev) {
    return ev->pmu == EVENT_CORE && ev->config1 &&
           strcmp(code_config1_name(m->vendor, ev->config), "offcore_rsp") == 0;
}

/* One value of MSR 0x3F7 at a time, two of the offcore response. */
static bool take_msr(const struct model *m, struct fit_state *t, const struct event *ev) {
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
    if (t->n_offcore == FIT_OFFCORE_MAX)
        return false;
    t->offcore[t->n_offcore++] = ev->config1;
    return true;
}

/* Notes what an event takes. False if that cannot be. */
static bool take(const struct fit *f, struct fit_taken *t, const struct event *ev) {
    if (ev->perf_metrics)
        return true;
    if (!take_msr(f->model, &t->now, ev))
        return false;
    uint64_t bit = ev->fixed >= 0 ? 1ull << ev->fixed : 0, seen = 0;
    if (bit && !(t->now.fixed & bit)) {
        t->now.fixed |= bit;
        return true;
    }
    if ((bit && model_fixed_only(ev)) || t->now.n == FIT_EVENTS_MAX)
        return false;
    t->mask[t->now.n] = ev->counters ? ev->counters & f->free : f->free;
    return augment(t, t->now.n++, &seen);
}

/* Of events that are the same to the kernel the same bits; all of what has no code. */
static uint64_t code_bit(const struct event *ev) {
    return ev->has_code ? 1ull << (ev->config * 0x9e3779b97f4a7c15ull >> 58) : UINT64_MAX;
}

/* Same counts within one group share a counter. */
static bool is_shared(const struct fit *f, const struct fit_taken *t, const struct event *ev) {
    if (!(t->now.codes & code_bit(ev)))
        return false;
    for (uint32_t i = 0; i < t->now.n_event; i++)
        if (plan_same_count(ev, &f->model->event[t->event[i]]))
            return true;
    return false;
}

bool fit_add(const struct fit *f, struct fit_taken *t, const struct event_set *s) {
    for (uint32_t i = 0; i < s->n && t->now.fits; i++) {
        const struct event *ev = &f->model->event[s->at[i]];
        if (is_shared(f, t, ev))
            continue;
        t->now.fits = t->now.n_event < PLAN_GROUP_MAX && take(f, t, ev);
        if (!t->now.fits)
            break;
        t->event[t->now.n_event++] = s->at[i];
        t->now.codes |= code_bit(ev);
    }
    return t->now.fits;
}

static void fit_end_group(struct fit_taken *t) {
    t->now.n_event = 0;
    t->now.codes = 0;
}

bool fit_add_group(const struct fit *f, struct fit_taken *t, const struct event_set *s) {
    fit_end_group(t);
    return fit_add(f, t, s);
}

bool fit_has_room(const struct fit *f, struct fit_taken *t, const struct event_set *s) {
    const struct fit_state before = t->now;
    const bool room = fit_add(f, t, s);
    t->now = before;
    return room;
}

static void take_nothing(const struct fit *f, struct fit_taken *t) {
    t->now = (struct fit_state){.fixed = f->fixed_taken, .fits = true};
}

void fit_hold(struct fit *f, const struct event_set *always) {
    f->always = *always;
    take_nothing(f, &f->held);
    fit_add_group(f, &f->held, always);
}

/* The pinned group is another one than what comes: no sharing. */
void fit_begin(const struct fit *f, struct fit_taken *t) {
    t->now = f->held.now;
    fit_end_group(t);
    memcpy(t->mask, f->held.mask, (size_t)t->now.n * sizeof(*t->mask));
}

int fit_room(const struct fit *f) {
    if (!f->held.now.fits)
        return 0;
    uint64_t fixed = (1ull << f->model->fixed_counters) - 1;
    return f->general - f->held.now.n + __builtin_popcountll(fixed & ~f->held.now.fixed);
}

bool fit_together(const struct fit *f, const struct event_set *a, const struct event_set *b) {
    struct fit_taken t;
    fit_begin(f, &t);
    return fit_add(f, &t, a) && (!b || fit_add(f, &t, b));
}

int fit_general(const struct fit *f, const struct event_set *set) {
    struct fit_taken t;
    take_nothing(f, &t);
    return fit_add(f, &t, set) ? t.now.n : -1;
}
