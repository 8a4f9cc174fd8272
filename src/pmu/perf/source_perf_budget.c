/*
 * How many counters the plan may use: asked at the start, watched while it runs. A guest's few
 * counters, the NMI watchdog or another user of the counters lead to a smaller plan and to words,
 * never to an error.
 *
 * While it runs nothing is asked as long as every group has its turn. One that has none any more
 * can only wait for others to end; then the counters are asked again, and if there really are
 * fewer, the groups are rebuilt, smaller (perf_regroup). Once that is so it
 * is asked every few seconds whether there are more again.
 */
#include "pmu/perf/source_perf.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "pmu/perf/perf_residency.h"

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

/* ---- other groups ---- */

/*
 * Other groups behind the same layout. When there are fewer counters than at the start, or more
 * again, the plan is made again for those there are, and opened; the layout, and with it history,
 * sums and the evaluation, stay what they are. Each slot gets its event from the new group that
 * has most of the slot's old one; if they cannot be opened the old ones are opened again. Where an
 * old group was cut, the parts of a formula see different times from then on, as in any plan for so
 * few counters. What no new group counts is stale.
 */

/* What is put in place of the old. */
struct regroup {
    struct plan plan;
    struct perf_shape shape;
    struct perf_units units;
    uint32_t *counter, *group; /* [n_perf] of each slot */
    uint64_t *silent_ns;
    bool *on; /* [n_group] */
    struct budget budget;
};

/* The counter that counts an event in a group of the shape; -1. */
static int64_t counter_of(const struct perf_shape *sh, uint32_t group, uint16_t event) {
    const struct perf_group *pg = &sh->group[group];
    for (uint32_t i = pg->first; i < pg->first + pg->n; i++) {
        if (sh->counter[i].event == event)
            return i;
        for (uint32_t k = 0; k < sh->n_alias; k++)
            if (sh->alias[k].event == event && sh->alias[k].of == sh->counter[i].event &&
                sh->alias[k].plan_group == pg->plan_group)
                return i;
    }
    return -1;
}

/* How many events of a group of the layout a group of the shape has. */
static uint32_t count_common(const struct source *src, const struct perf_shape *sh, uint32_t group,
                             uint32_t of_layout) {
    const struct perf *p = src->priv;
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->slots.n_perf; i++)
        n += src->layout.slot[i].group == of_layout &&
             counter_of(sh, group, src->layout.slot[i].event) >= 0;
    return n;
}

static void serve_slot(const struct source *src, const struct perf_shape *sh, uint32_t slot,
                       uint32_t *counter, uint32_t *group) {
    const struct slot *s = &src->layout.slot[slot];
    uint32_t most = 0;
    *group = NOT_SERVED;
    for (uint32_t g = 0; g < sh->n_group; g++) {
        int64_t c = counter_of(sh, g, s->event);
        uint32_t common = c < 0 ? 0 : count_common(src, sh, g, s->group);
        if (common <= most)
            continue;
        most = common;
        *group = g;
        *counter = (uint32_t)c;
    }
}

/* A group is always in focus if it serves what was. */
static void serve_all(const struct source *src, struct regroup *r) {
    const struct perf *p = src->priv;
    for (uint32_t g = 0; g < r->shape.n_group; g++)
        r->shape.group[g].top = r->shape.group[g].level1 = false;
    for (uint32_t i = 0; i < p->slots.n_perf; i++) {
        serve_slot(src, &r->shape, i, &r->counter[i], &r->group[i]);
        if (r->group[i] == NOT_SERVED)
            continue;
        struct perf_group *pg = &r->shape.group[r->group[i]];
        uint32_t old = src->layout.slot[i].group;
        pg->top |= p->watch.top[old];
        pg->level1 |= p->watch.level1[old];
    }
}

void perf_focus_groups(const struct source *src, const struct group_set *set, bool *on) {
    const struct perf *p = src->priv;
    for (uint32_t g = 0; g < p->shape.n_group; g++)
        on[g] = p->shape.group[g].top && p->stage < STAGE_LEVEL1;
    for (uint32_t i = 0; i < p->slots.n_perf; i++)
        if (p->slots.group[i] != NOT_SERVED && group_set_has(set, src->layout.slot[i].group))
            on[p->slots.group[i]] = true;
}

static void regroup_free(struct regroup *r) {
    perf_units_close(&r->units);
    perf_shape_free(&r->shape);
    plan_free(&r->plan);
    free(r->counter);
    free(r->group);
    free(r->silent_ns);
    free(r->on);
}

/* Lists the target's threads or CPUs as they are now; twice, as rows are made for what is always
 * in focus, and that is known once the shape is. */
static int begin(const struct source *src, struct regroup *r, struct err *err) {
    const struct perf *p = src->priv;
    int rc = perf_shape_wish(&r->shape, src->model, &r->plan, &p->mc, &p->how, err);
    for (int round = 0; round < 2 && !rc; round++) {
        if (round)
            serve_all(src, r);
        perf_units_close(&r->units);
        r->units = (struct perf_units){
            .plan = &r->plan, .target = &p->target, .shape = &r->shape, .mode = p->units.mode};
        r->units.mode.no_pin = false;
        rc = perf_units_begin(&r->units);
    }
    return rc;
}

static int make(struct source *src, struct regroup *r, struct err *err) {
    const struct perf *p = src->priv;
    struct plan_options opt = perf_plan_options(src);
    opt.general = r->budget.general;
    opt.free = r->budget.free;
    opt.fixed_taken = r->budget.fixed_taken | r->budget.fixed_gone;
    int rc = plan_make(&r->plan, src->model, &opt, err);
    r->counter = calloc(p->slots.n_perf + 1u, sizeof(*r->counter));
    r->group = calloc(p->slots.n_perf + 1u, sizeof(*r->group));
    if (!rc && (!r->counter || !r->group))
        rc = -ENOMEM;
    if (!rc)
        rc = begin(src, r, err);
    if (rc)
        return rc;
    r->silent_ns = calloc(r->shape.n_group + 1u, sizeof(*r->silent_ns));
    r->on = calloc(r->shape.n_group + 1u, sizeof(*r->on));
    return r->silent_ns && r->on ? 0 : -ENOMEM;
}

#define SWAP(a, b)                                                                                 \
    do {                                                                                           \
        __typeof__(a) kept_ = (a);                                                                 \
        (a) = (b);                                                                                 \
        (b) = kept_;                                                                               \
    } while (0)

/* Twice: all is as it was. */
static void exchange(struct perf *p, struct regroup *r) {
    SWAP(p->on, r->on);
    SWAP(p->plan, r->plan);
    SWAP(p->shape, r->shape);
    SWAP(p->units, r->units);
    SWAP(p->slots.counter, r->counter);
    SWAP(p->slots.group, r->group);
    SWAP(p->watch.silent_ns, r->silent_ns);
    SWAP(p->budget, r->budget);
    p->units.plan = &p->plan;
    p->units.shape = &p->shape;
    r->units.plan = &r->plan;
    r->units.shape = &r->shape;
    perf_rows_rebind(&p->rows, &p->slots, &p->units);
}

enum { FOCUS_MS = 40 };

/* What was opened last by focus, too. */
static int count_again(struct source *src, struct err *err) {
    struct perf *p = src->priv;
    int rc = perf_count(src, err);
    if (rc || !p->watch.focused)
        return rc;
    perf_focus_groups(src, &p->watch.asked, p->on);
    p->units.off_state = COUNT_NOT_FOCUSED;
    rc = perf_units_focus(&p->units, p->on, clock_now_ns() + FOCUS_MS * NS_PER_MS);
    perf_residency_plan(src);
    return rc;
}

/* The new groups cannot be opened: the old ones once more. */
static void go_back(struct source *src, struct regroup *r) {
    struct perf *p = src->priv;
    perf_units_shut(&p->units);
    exchange(p, r);
    int rc = perf_units_open(&p->units, clock_now_ns() + FOCUS_MS * NS_PER_MS);
    if (rc && rc != -EAGAIN)
        log_line("perf: the groups as they were: %s", strerror(-rc));
    perf_residency_plan(src);
}

/* The old groups are closed before the new ones are opened: for both there may be no descriptors.
 */
static int put_in_place(struct source *src, struct regroup *r, struct err *err) {
    struct perf *p = src->priv;
    const enum perf_stage stage = p->stage;
    const bool short_of_files = p->short_of_files;
    const uint64_t files_wanted = p->files_wanted;
    exchange(p, r);
    perf_units_shut(&r->units);
    int rc = count_again(src, err);
    if (!rc)
        return 0;
    go_back(src, r);
    p->stage = stage;
    p->short_of_files = short_of_files;
    p->files_wanted = files_wanted;
    return rc;
}

int perf_regroup(struct source *src, const struct budget *budget) {
    const struct perf *p = src->priv;
    struct regroup r = {.budget = *budget};
    struct err err = {0};
    const uint64_t begin_ns = clock_now_ns();
    int rc = make(src, &r, &err);
    if (!rc)
        rc = put_in_place(src, &r, &err);
    regroup_free(&r);
    log_line("perf: %d general counters now: %u groups%s%s; %llu us", budget->general,
             p->shape.n_group, rc ? " as before: " : "",
             !rc           ? ""
             : err.text[0] ? err.text
                           : strerror(-rc),
             (unsigned long long)(clock_now_ns() - begin_ns) / 1000);
    return rc;
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

/* More is believed only if it was there in the last answer, too. */
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
    if (now.known) /* else the target did not run: that says nothing about the counters */
        w->before = now;
    if (!again && budget_is_less(&p->budget, &now))
        w->due_ns = now_ns + ASK_MORE_S * NS_PER_S;
    return again;
}
