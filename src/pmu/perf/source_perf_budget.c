/*
 * How many counters the plan may use: asked at the start, watched while it runs. A guest's few
 * counters, the NMI watchdog or another user of the counters lead to a smaller plan and to words,
 * never to an error.
 *
 * While it runs nothing is asked as long as every group has its turn. One that has none any more
 * can only wait for others to end; then the counters are asked again, and if there really are
 * fewer, the groups are rebuilt, smaller (source_perf_regroup.c). Once that is so it
 * is asked every few seconds whether there are more again.
 */
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "pmu/perf/source_perf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    SILENT_MS = 1000,  /* that a group is enabled and never runs */
    ASK_STARVED_S = 2, /* between two questions while groups have no turn */
    ASK_SMALLER_S = 5, /* and while the groups are smaller than they could be */
    ASK_MORE_S = 1,    /* after more was seen for the first time */
};

/* ---- at the start ---- */

static void ask(const struct source *src, struct budget *out) {
    const struct perf *p = src->priv;
    bool cpus = p->target.kind == TARGET_ALL || p->target.kind == TARGET_CPUS;
    probe_counters(&p->mc, src->model, p->target.cpu, cpus ? p->target.n_cpu : 0, out);
}

void perf_budget_find(struct source *src) {
    struct perf *p = src->priv;
    ask(src, &p->budget);
    uint64_t lacking = p->budget.fixed_taken | p->budget.fixed_gone;
    p->no_perf_metrics = !p->mc.has_topdown || (lacking & probe_slots(src->model)) != 0;
}

/* ---- words ---- */

static void add_holders(const struct perf *p, int held, struct strbuf *sb) {
    bool dog = p->mc.nmi_watchdog == 1;
    if (dog && held == 1)
        strbuf_add(sb, "the NMI watchdog holds one");
    else
        strbuf_add(sb, "another user%s %s %d", dog ? " and the NMI watchdog" : "",
                   dog ? "hold" : "holds", held);
}

static void add_general(const struct perf *p, int core, struct strbuf *sb) {
    const struct budget *b = &p->budget;
    int all = core > b->there ? core : b->there, held = b->there - b->general;
    if (b->general >= all)
        return;
    strbuf_add(sb, "%d of %d general counters can be had (", b->general, all);
    if (b->there < all)
        strbuf_add(sb, "this %s has %d%s", p->mc.hypervisor ? "guest" : "machine", b->there,
                   held ? ", " : "");
    if (held)
        add_holders(p, held, sb);
    strbuf_add(sb, "): smaller plan; ");
}

static const char *counted_by(const struct model *m, int fixed) {
    for (uint32_t i = 0; i < m->n_event; i++)
        if (m->event[i].fixed == fixed)
            return m->event[i].alias ? m->event[i].alias : m->event[i].name;
    return "?";
}

/* Those of cycles and instructions have a general counter instead, the others nothing. */
static void add_fixed(const struct perf *p, const struct model *m, struct strbuf *sb) {
    bool any = false;
    for (int f = 0; f < 64; f++) {
        if (!(p->budget.fixed_taken >> f & 1))
            continue;
        strbuf_add(sb, "%s%s", any ? ", " : "held by others: the fixed counter of ",
                   counted_by(m, f));
        any = true;
    }
    if (any && p->mc.nmi_watchdog == 1)
        strbuf_add(sb, " (NMI watchdog)");
    if (any)
        strbuf_add(sb, "; ");
}

void perf_budget_words(const struct source *src, struct strbuf *sb) {
    const struct perf *p = src->priv;
    if (!p->budget.known)
        return;
    add_general(p, src->model->general_counters, sb);
    add_fixed(p, src->model, sb);
}

/* ---- while it runs ---- */

int perf_budget_begin(struct source *src) {
    struct perf *p = src->priv;
    struct perf_watch *w = &p->watch;
    size_t n = p->shape.n_group + 1u;
    w->n_group = p->shape.n_group;
    w->silent_ns = calloc(n, sizeof(*w->silent_ns));
    w->top = calloc(n, sizeof(*w->top));
    w->level1 = calloc(n, sizeof(*w->level1));
    if (!w->silent_ns || !w->top || !w->level1)
        return -ENOMEM;
    for (uint32_t g = 0; g < p->shape.n_group; g++) {
        w->top[g] = p->shape.group[g].top;
        w->level1[g] = p->shape.group[g].level1;
    }
    w->before = p->budget;
    return 0;
}

void perf_budget_end(struct perf *p) {
    free(p->watch.silent_ns);
    free(p->watch.top);
    free(p->watch.level1);
}

static bool is_silent(struct perf *p) {
    bool any = false;
    for (uint32_t g = 0; g < p->shape.n_group; g++) {
        const struct perf_sum *sum = &p->units.sum[g];
        uint64_t *silent = &p->watch.silent_ns[g];
        *silent = sum->running_ns || !p->units.on[g] ? 0 : *silent + sum->enabled_ns;
        any |= *silent >= SILENT_MS * NS_PER_MS;
    }
    return any;
}

static uint64_t highest_of(uint64_t set) {
    return set ? 1ull << (63 - __builtin_clzll(set)) : 0;
}

/* What our own pinned groups hold where it was asked, others cannot have; but we can. The
 * kernel had moved it out of the way of events that are limited to the lower counters. */
static void add_own(const struct source *src, struct budget *b) {
    const struct perf *p = src->priv;
    const struct plan_options opt = perf_plan_options(src);
    const uint64_t all = (1ull << b->there) - 1;
    struct plan_seat seat[PLAN_GROUP_MAX];
    for (uint32_t g = 0; g < p->plan.n_group && !p->units.mode.no_pin; g++) {
        if (!p->plan.group[g].pinned)
            continue;
        plan_seats(&p->plan, src->model, &opt, g, seat);
        for (uint32_t i = 0; i < p->plan.group[g].n; i++) {
            if (seat[i].kind == SEAT_GENERAL) {
                const struct event *ev =
                    &src->model->event[p->plan.event[p->plan.group[g].first + i]];
                b->general++;
                b->free |= highest_of((ev->counters ? ev->counters : all) & all & ~b->free);
            }
            if (seat[i].kind == SEAT_FIXED)
                b->fixed_taken &= ~(1ull << seat[i].fixed);
        }
    }
}

/* The thread that ran most in the last interval. */
static pid_t busiest(const struct perf *p) {
    const struct perf_unit *most = NULL;
    for (uint32_t u = 0; u < p->units.n; u++) {
        const struct perf_unit *unit = &p->units.unit[u];
        if (unit->state == UNIT_OPEN && !unit->ended &&
            (!most || unit->enabled_ns > most->enabled_ns))
            most = unit;
    }
    return most ? most->tid : -1;
}

/* Where we count: others may have pinned events of the same CPUs or threads. */
static void ask_there(const struct source *src, struct budget *out) {
    struct perf *p = src->priv;
    perf_turns_yield(&p->turns, &p->units, clock_now_ns());
    const pid_t tid = perf_on_cpus(p) ? -1 : busiest(p);
    if (tid > 0)
        probe_thread(&p->mc, src->model, tid, out);
    else
        ask(src, out);
    bool own = tid > 0 || p->target.kind == TARGET_ALL || p->target.kind == TARGET_CPUS;
    if (own && out->known && !p->units.pin_failed)
        add_own(src, out);
}

/* Without slots there is no level 1 in this layout: its groups wait for them as they are. */
static struct budget ask_again(const struct source *src) {
    const struct perf *p = src->priv;
    struct budget now;
    ask_there(src, &now);
    if (!p->no_perf_metrics)
        now.fixed_taken &= ~probe_slots(src->model);
    return now;
}

static bool slots_are_free(const struct source *src) {
    struct budget now;
    ask_there(src, &now);
    return now.known && !(now.fixed_taken & probe_slots(src->model));
}

/* More is believed only if it was there the last time, too. */
static bool is_worth_it(const struct source *src, const struct budget *now, bool starved) {
    const struct perf *p = src->priv;
    const struct budget *last = &p->watch.before;
    if (!now->known || !p->budget.known)
        return false;
    if (budget_is_less(now, &p->budget))
        return starved;
    bool more = budget_is_less(&p->budget, now) && budget_is_same(now, last);
    return more || (p->units.mode.no_pin && slots_are_free(src));
}

bool perf_budget_watch(struct source *src) {
    struct perf *p = src->priv;
    struct perf_watch *w = &p->watch;
    bool pin_failed = p->units.pin_failed && !p->units.mode.no_pin;
    bool starved = is_silent(p) || pin_failed;
    bool smaller =
        p->units.mode.no_pin || p->budget.general < p->budget.there || p->budget.fixed_taken;
    uint64_t now_ns = clock_now_ns();
    if ((!starved && !smaller) || (now_ns < w->due_ns && !pin_failed))
        return false;
    w->due_ns = now_ns + (starved ? ASK_STARVED_S : ASK_SMALLER_S) * NS_PER_S;
    const struct budget now = ask_again(src);
    bool again = is_worth_it(src, &now, starved) && perf_regroup(src, &now) == 0;
    if (!again && budget_is_less(&p->budget, &now))
        w->due_ns = now_ns + ASK_MORE_S * NS_PER_S;
    w->before = now;
    return again;
}
