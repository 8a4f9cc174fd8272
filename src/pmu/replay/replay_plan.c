/*
 * Two readings of the file: the first collects names, because --only must be able to list every
 * choice; the second, with the parts chosen, collects places. Where there is one part, as most
 * recordings have, the first does both. A recording of a whole machine has hundreds of parts and
 * millions of rows, so nothing is kept per row.
 */
#include "pmu/replay/replay_plan.h"

#include "base/clock.h"
#include "pmu/plan/plan_demand.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static uint32_t hash_of(const char *first, const char *second) {
    uint32_t h = 2166136261u;
    for (const char *c = first; *c; c++)
        h = (h ^ (unsigned char)*c) * 16777619u;
    h = (h ^ 0x1f) * 16777619u;
    for (const char *c = second; *c; c++)
        h = (h ^ (unsigned char)*c) * 16777619u;
    return h;
}

static bool is_pair(const struct replay_name *e, const char *first, const char *second) {
    return strcmp(e->first, first) == 0 && strcmp(e->second, second) == 0;
}

static int32_t found(struct replay_table *t, uint32_t number) {
    t->last = number;
    return (int32_t)number;
}

int32_t replay_table_find(struct replay_table *t, const char *first, const char *second) {
    if (!t->n_bucket)
        return -1;
    const uint32_t next = t->last + 1 < t->n ? t->last + 1 : 0;
    if (is_pair(&t->at[next], first, second))
        return found(t, next);
    if (is_pair(&t->at[t->last], first, second))
        return (int32_t)t->last;
    uint32_t h = hash_of(first, second), mask = t->n_bucket - 1;
    for (uint32_t i = h & mask; t->bucket[i]; i = (i + 1) & mask) {
        const struct replay_name *e = &t->at[t->bucket[i] - 1];
        if (e->hash == h && is_pair(e, first, second))
            return found(t, t->bucket[i] - 1);
    }
    return -1;
}

static void place(struct replay_table *t, uint32_t number) {
    uint32_t mask = t->n_bucket - 1, i = t->at[number].hash & mask;
    while (t->bucket[i])
        i = (i + 1) & mask;
    t->bucket[i] = number + 1;
}

/* Keeps at least half of the buckets empty. */
static int grow(struct replay_table *t) {
    if (t->n < t->cap)
        return 0;
    uint32_t cap = t->cap ? t->cap * 2 : 32;
    struct replay_name *at = realloc(t->at, cap * sizeof(*at));
    if (!at)
        return -ENOMEM;
    t->at = at;
    uint32_t *bucket = calloc(cap * 2u, sizeof(*bucket));
    if (!bucket)
        return -ENOMEM;
    free(t->bucket);
    t->bucket = bucket;
    t->n_bucket = cap * 2;
    t->cap = cap;
    for (uint32_t i = 0; i < t->n; i++)
        place(t, i);
    return 0;
}

int32_t replay_table_add(struct replay_table *t, const char *first, const char *second) {
    const int32_t known = replay_table_find(t, first, second);
    if (known >= 0)
        return known;
    if (t->n >= REPLAY_NAMES_MAX)
        return -E2BIG;
    size_t n1 = strlen(first) + 1, n2 = strlen(second) + 1;
    if (grow(t) < 0)
        return -ENOMEM;
    char *text = malloc(n1 + n2);
    if (!text)
        return -ENOMEM;
    memcpy(text, first, n1);
    memcpy(text + n1, second, n2);
    t->at[t->n] =
        (struct replay_name){.first = text, .second = text + n1, .hash = hash_of(first, second)};
    place(t, t->n);
    return (int32_t)t->n++;
}

void replay_table_free(struct replay_table *t) {
    for (uint32_t i = 0; i < t->n; i++) {
        union { /* the texts are const for everybody else */
            const char *text;
            void *memory;
        } both = {.text = t->at[i].first};
        free(both.memory);
    }
    free(t->at);
    free(t->bucket);
    *t = (struct replay_table){0};
}

/* Room for tallies of all parts: 16 bytes each. */
static const uint64_t TALLIES_MAX = 8u << 20;

static int too_much(const struct replay_reader *r, uint64_t line, int rc, const char *what,
                    struct err *err) {
    if (rc == -ENOMEM)
        return err_set(err, rc, "%s: out of memory", r->in.name);
    return err_set(err, rc, "%s:%llu: too many different %s for one recording", r->in.name,
                   (unsigned long long)line, what);
}

static int32_t add_part(struct replay_plan *p, const struct replay_row *row) {
    uint32_t known = p->part_names.n;
    int32_t part = replay_table_add(&p->part_names, row->agg, row->cgroup);
    if (part < 0 || p->part_names.n == known)
        return part;
    return array_push(&p->part, (struct replay_part){.kind = row->kind}) < 0 ? -ENOMEM : part;
}

static int make_tallies(struct replay_plan *p, const char *file, struct err *err) {
    uint64_t n_event = p->event_names.n;
    for (uint32_t i = 0; i < p->part_names.n; i++)
        p->n_used_parts += p->part.at[i].used;
    if (p->n_used_parts * n_event > TALLIES_MAX)
        return err_set(err, -E2BIG,
                       "%s: %u events on %u CPUs, threads or cgroups are too many; choose one with "
                       "--only",
                       file, p->event_names.n, p->n_used_parts);
    for (uint32_t i = 0; i < p->part_names.n; i++) {
        if (!p->part.at[i].used)
            continue;
        p->part.at[i].tally = calloc(n_event, sizeof(*p->part.at[i].tally));
        if (!p->part.at[i].tally)
            return err_set(err, -ENOMEM, "%s: out of memory", file);
        p->threads |= p->part.at[i].kind == AGG_THREAD;
    }
    return 0;
}

bool replay_clock_turns(struct replay_clock *c, const struct replay_row *row) {
    bool first = c->interval == 0;
    bool other = first || row->block != c->block;
    bool back = !other && row->timed && row->time_ns < c->time_ns;
    if (!other && !(row->timed && row->time_ns != c->time_ns))
        return false;
    if (!first && (other || back))
        c->base_ns += c->time_ns;
    c->begin_ns = other || back ? 0 : c->time_ns;
    c->interval++;
    c->block = row->block;
    c->timed = row->timed;
    c->time_ns = row->timed ? row->time_ns : 0;
    return true;
}

/* Event, part and occurrence of a row; -1 if its part is not in use. */
static int32_t row_occurrence(struct replay_plan *p, const struct replay_row *row,
                              uint64_t interval, uint32_t *event) {
    if (row->timed != p->timed)
        return -1;
    int32_t e = replay_table_find(&p->event_names, row->event, "");
    int32_t part = replay_table_find(&p->part_names, row->agg, row->cgroup);
    if (e < 0 || part < 0 || !p->part.at[part].used)
        return -1;
    struct replay_tally *t = &p->part.at[part].tally[e];
    if (t->interval != interval)
        *t = (struct replay_tally){.interval = interval};
    *event = (uint32_t)e;
    return t->n < INT32_MAX ? (int32_t)t->n++ : -1;
}

struct replay_place *replay_plan_find(struct replay_plan *p, const struct replay_row *row,
                                      uint64_t interval) {
    uint32_t event;
    int32_t n = row_occurrence(p, row, interval, &event);
    if (n < 0 || (uint32_t)n >= p->event[event].place.n)
        return NULL;
    return &p->place.at[p->event[event].place.at[n]];
}

static int add_place(struct replay_plan *p, uint32_t event, uint32_t block) {
    struct replay_event *e = &p->event[event];
    if (e->place.n == REPLAY_OCCURRENCES_MAX || p->place.n == REPLAY_PLACES_MAX)
        return -E2BIG;
    const struct replay_place place = {.event = event,
                                       .occurrence = (uint32_t)e->place.n,
                                       .block = block,
                                       .runtime_ns = NAN,
                                       .share = 1};
    return array_push(&e->place, (uint32_t)p->place.n) < 0 ? -ENOMEM : array_push(&p->place, place);
}

/* Rows of parts in use. */
struct extent {
    uint64_t rows;
    uint32_t block;
};

/* What the second reading has seen of the current interval and the one before. */
struct survey {
    struct replay_clock clock;
    struct extent now, before;
    uint64_t counted, counted_best; /* places with a count */
    bool has_length;                /* duration_time */
};

static void note_place(struct survey *s, struct replay_place *at, const struct replay_row *row) {
    bool first = at->seen != s->clock.interval; /* the first part that has it speaks for all */
    at->seen = s->clock.interval;
    at->ever_supported |= row->state != COUNT_NOT_SUPPORTED;
    at->titled |= row->titled;
    if (!first && (at->now_counted || row->state != COUNT_OK))
        return;
    at->now_counted = row->state == COUNT_OK;
    at->now_runtime_ns = row->runtime_ns;
    at->now_share = row->share;
    s->counted += at->now_counted;
}

/* Groups are formed by running times of the interval in which most was counted. */
static void end_interval(struct replay_plan *p, struct survey *s, const struct replay_reader *r) {
    bool best = s->counted > s->counted_best;
    for (uint32_t i = 0; i < p->place.n && best; i++) {
        struct replay_place *at = &p->place.at[i];
        if (at->seen != s->clock.interval)
            continue;
        at->runtime_ns = at->now_runtime_ns;
        at->share = at->now_share;
        at->counted = at->now_counted;
    }
    if (best)
        s->counted_best = s->counted;
    bool printed = r->has_elapsed && r->elapsed_block == s->clock.block;
    p->lengths_known &= s->clock.timed || printed || s->has_length;
    p->intervals = s->clock.interval;
    s->before = (struct extent){.rows = s->now.rows, .block = s->clock.block};
    s->now = (struct extent){0};
    s->counted = 0;
    s->has_length = false;
}

static int add_row(struct replay_plan *p, struct replay_reader *r, struct survey *s,
                   const struct replay_row *row, struct err *err) {
    uint32_t event;
    int32_t n = row_occurrence(p, row, s->clock.interval, &event);
    if (n < 0)
        return 0;
    s->now.rows++;
    s->has_length |= (int32_t)event == p->duration_event && row->value > 0;
    if ((uint32_t)n >= p->event[event].place.n) {
        int rc = add_place(p, event, row->block);
        if (rc < 0)
            return too_much(r, row->line, rc, "counter lines in one interval", err);
    }
    note_place(s, &p->place.at[p->event[event].place.at[n]], row);
    return 0;
}

/*
 * Was the file cut within its last interval? perf prints the same rows in every interval, except
 * for threads that did not run.
 */
static bool lacks_rows(const struct replay_plan *p, const struct survey *s) {
    if (s->clock.interval < 2 || s->before.block != s->clock.block || p->threads)
        return false;
    for (uint32_t i = 0; i < p->place.n; i++)
        if (p->place.at[i].seen == s->clock.interval - 1)
            return true;
    return s->now.rows < s->before.rows;
}

static int survey_row(struct replay_plan *p, struct replay_reader *r, struct survey *s,
                      const struct replay_row *row, struct err *err) {
    struct replay_clock next = s->clock;
    if (replay_clock_turns(&next, row)) {
        if (s->clock.interval > 0)
            end_interval(p, s, r);
        s->clock = next;
    }
    return add_row(p, r, s, row, err);
}

static void survey_end(struct replay_plan *p, struct survey *s, const struct replay_reader *r) {
    p->dropped_last = lacks_rows(p, s);
    end_interval(p, s, r);
    p->intervals -= p->dropped_last;
}

/* ---- first reading ---- */

/* Room for all that there may be, so that places can be noted while names are still to come: what
 * is not touched costs nothing. */
static int make_events(struct replay_plan *p, const char *file, struct err *err) {
    p->event = calloc(REPLAY_EVENTS_MAX + 1, sizeof(*p->event));
    p->sole_tally = calloc(REPLAY_EVENTS_MAX + 1, sizeof(*p->sole_tally));
    return p->event && p->sole_tally ? 0 : err_set(err, -ENOMEM, "%s: out of memory", file);
}

/* A recording of one part: it will be in use, so that its places can be noted at once. */
static bool is_sole(const struct replay_plan *p) {
    return p->part_names.n == 1;
}

static void forget_places(struct replay_plan *p) {
    for (uint32_t i = 0; i < p->event_names.n; i++)
        p->event[i].place.n = 0;
    p->place.n = 0;
    p->threads = p->dropped_last = false;
    p->intervals = 0;
    p->surveyed = false;
}

static int add_names(struct replay_plan *p, const struct replay_reader *r,
                     const struct replay_row *row, struct err *err) {
    const uint32_t known = p->event_names.n;
    int32_t event = replay_table_add(&p->event_names, row->event, "");
    if (p->event_names.n > REPLAY_EVENTS_MAX)
        event = -E2BIG;
    if (event < 0)
        return too_much(r, row->line, event, "events", err);
    if (p->event_names.n > known && strcmp(row->event, "duration_time") == 0)
        p->duration_event = event;
    const int32_t part = add_part(p, row);
    return part < 0 ? too_much(r, row->line, part, "CPUs, threads or cgroups", err) : 0;
}

/* What goes wrong with places is told by the second reading, when it is their turn. */
static void try_places(struct replay_plan *p, struct replay_reader *r, struct survey *s,
                       const struct replay_row *row) {
    if (is_sole(p)) {
        p->part.at[0].used = true;
        p->part.at[0].tally = p->sole_tally;
        p->threads = p->part.at[0].kind == AGG_THREAD;
    }
    if (!is_sole(p) || survey_row(p, r, s, row, NULL) < 0)
        forget_places(p);
}

static void unuse(struct replay_plan *p) {
    for (uint32_t i = 0; i < p->part_names.n; i++) {
        p->part.at[i].used = false;
        p->part.at[i].tally = NULL;
    }
}

static int collect_names(struct replay_plan *p, struct replay_reader *r, struct err *err) {
    struct survey s = {0};
    struct replay_row row;
    int rc = make_events(p, r->in.name, err);
    bool first = true;
    p->surveyed = p->lengths_known = true;
    while (rc == 0 && (rc = replay_reader_next(r, &row, err)) > 0) {
        if (first)
            p->timed = row.timed;
        first = false;
        rc = 0;
        if (row.timed != p->timed) /* totals that --summary prints behind the intervals */
            continue;
        rc = add_names(p, r, &row, err);
        if (rc == 0 && p->surveyed)
            try_places(p, r, &s, &row);
    }
    if (rc == 0 && first)
        rc = err_set(err, -EINVAL, "%s: holds no counts, only totals or percentages", r->in.name);
    if (rc == 0 && p->surveyed)
        survey_end(p, &s, r);
    unuse(p);
    return rc;
}

static void name_events(struct replay_plan *p) {
    for (uint32_t i = 0; i < p->event_names.n; i++) {
        p->event[i].partner = REPLAY_NO_EVENT;
        p->event[i].named = event_name_parse(p->event_names.at[i].first, &p->event[i].name) == 0;
    }
}

/* ---- second reading ---- */

static int collect_places(struct replay_plan *p, struct replay_reader *r, struct err *err) {
    struct survey s = {0};
    struct replay_row row;
    int rc;
    p->lengths_known = true;
    while ((rc = replay_reader_next(r, &row, err)) > 0) {
        if (row.timed != p->timed)
            continue;
        rc = survey_row(p, r, &s, &row, err);
        if (rc < 0)
            return rc;
    }
    if (rc == 0)
        survey_end(p, &s, r);
    return rc;
}

/* Tallies begin again with each reading. */
static void reset_tallies(struct replay_plan *p) {
    for (uint32_t i = 0; i < p->part_names.n; i++)
        if (p->part.at[i].tally)
            memset(p->part.at[i].tally, 0, p->event_names.n * sizeof(*p->part.at[i].tally));
}

/* ---- groups ---- */

/*
 * Which rows were counted in the same time? perf prints events group after group but not where a
 * group ends. Signs of an end, strongest first:
 *
 *   1. the running time changes while counters were shared: groups take turns (and another run of
 *      perf stat in the same file is another time)
 *   2. an event comes again: no group has an event twice, so the end lies somewhere between the
 *      two
 *
 * Where it is between them is told by, in this order:
 *
 *   a. where running times change at all, if they are not all equal there: the events of a group
 *      are mostly read together
 *
 *   b. where the most formulas of the model keep their events together: perf -M counts the events
 *      of a metric as a group
 *
 *   c. before the first row with a metric beside it, as the first event of a group mostly has one;
 *      so may others of the group, so that this comes late
 *
 *   d. before the second of the two if the first began its group, else behind the first
 *
 * Examples (Zen 4, all shares equal): the cycles stand behind the events that they belong to, or
 * between them, so "the last cycles seen" would divide by another group's; and in the group of
 * bad_speculation, "retiring" is printed beside the last event.
 */

enum { GROUP_MAX = 64 }; /* events of a hardware group: no PMU has more counters */

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

/* a: running times */

static bool same_reading(const struct replay_place *a, const struct replay_place *b) {
    return a->counted == b->counted && a->share == b->share &&
           (a->runtime_ns == b->runtime_ns || isnan(a->runtime_ns) || isnan(b->runtime_ns));
}

/* b: formulas */

/* The formulas that two or more of the recorded events are in. */
struct formulas {
    struct event_set *set; /* [n] */
    uint32_t n;
    uint32_t *low, *high; /* [n_event] of the model: first and last row of the window that has it */
};

static int find_formulas(struct formulas *f, const struct replay_plan *p) {
    const struct model *m = p->model;
    struct demand_from from = {.model = m, .no_perf_metrics = true};
    uint8_t *blocked = malloc(m->n_event + 1u);
    f->set = calloc(m->n_metric + 1u, sizeof(*f->set));
    f->low = calloc(m->n_event + 1u, sizeof(*f->low));
    f->high = calloc(m->n_event + 1u, sizeof(*f->high));
    if (!blocked || !f->set || !f->low || !f->high) {
        free(blocked);
        return -ENOMEM;
    }
    memset(blocked, COUNT_ABSENT, m->n_event + 1u);
    for (uint32_t i = 0; i < p->event_names.n; i++)
        for (uint32_t k = 0; k < p->event[i].n_target; k++) {
            const uint16_t event = p->event[i].target[k].event;
            blocked[event] = COUNT_OK;
            from.no_perf_metrics &= !m->event[event].perf_metrics;
        }
    from.blocked = blocked;
    consts_init(&from.consts);
    for (uint32_t i = 0; i < m->n_metric; i++) {
        const struct demand d = demand_of(&from, demand_formula(&from, &m->metric[i]));
        if (d.events.n > 1)
            f->set[f->n++] = d.events;
    }
    free(blocked);
    return 0;
}

static void free_formulas(struct formulas *f) {
    free(f->set);
    free(f->low);
    free(f->high);
}

/* Where the model's events are in rows begin..end-1. */
static void locate(struct formulas *f, const struct replay_plan *p, uint32_t begin, uint32_t end) {
    memset(f->low, 0xff, p->model->n_event * sizeof(*f->low));
    for (uint32_t i = begin; i < end; i++) {
        const struct replay_event *e = &p->event[p->place.at[i].event];
        for (uint32_t k = 0; k < e->n_target; k++) {
            const uint16_t event = e->target[k].event;
            f->low[event] = f->low[event] < i ? f->low[event] : i;
            f->high[event] = i;
        }
    }
}

/* How many formulas have all their events on one side of a cut before row `begin + i`: whole[i], i
 * up to n. */
static void count_whole(const struct formulas *f, uint32_t begin, uint32_t n, uint32_t *whole) {
    memset(whole, 0, (n + 1) * sizeof(*whole));
    for (uint32_t k = 0; k < f->n; k++) {
        uint32_t behind = 0,
                 before = UINT32_MAX; /* whole if cut behind the one or before the other */
        for (uint32_t i = 0; i < f->set[k].n && behind != UINT32_MAX; i++) {
            const uint16_t event = f->set[k].at[i];
            behind = f->low[event] > behind ? f->low[event] : behind;
            before =
                f->low[event] != UINT32_MAX && f->high[event] < before ? f->high[event] : before;
        }
        for (uint32_t i = 0; i <= n && behind != UINT32_MAX; i++)
            whole[i] += begin + i > behind || begin + i <= before;
    }
}

/* the cut */

/* Candidates: rows from + 0..n, before one of which the group ends. */
struct cuts {
    uint32_t from, n;
    bool in[GROUP_MAX + 1];
};

static void keep_changes(struct cuts *c, const struct replay_place *place) {
    bool any = false;
    for (uint32_t i = 0; i <= c->n; i++)
        any |= !same_reading(&place[c->from + i - 1], &place[c->from + i]);
    for (uint32_t i = 0; any && i <= c->n; i++)
        c->in[i] = !same_reading(&place[c->from + i - 1], &place[c->from + i]);
}

static void keep_whole(struct cuts *c, struct formulas *f, const struct replay_plan *p,
                       uint32_t begin, uint32_t second) {
    uint32_t whole[GROUP_MAX + 1], most = 0, end = second + 1;
    while (end < p->place.n && end < second + GROUP_MAX &&
           !changes(&p->place.at[end - 1], &p->place.at[end]) &&
           find_same(p->place.at, second, end) == end)
        end++;
    locate(f, p, begin, end);
    count_whole(f, c->from, c->n, whole);
    for (uint32_t i = 0; i <= c->n; i++)
        most = c->in[i] && whole[i] > most ? whole[i] : most;
    for (uint32_t i = 0; i <= c->n; i++)
        c->in[i] &= whole[i] == most;
}

/* The group from `begin` on holds `first`, and `second` is the same event: where does it end? */
static uint32_t find_cut(const struct replay_plan *p, struct formulas *f, uint32_t begin,
                         uint32_t first, uint32_t second) {
    struct cuts c = {.from = first + 1, .n = second - first - 1};
    if (c.n > GROUP_MAX)
        return first == begin ? second : first + 1;
    memset(c.in, true, sizeof(c.in));
    keep_changes(&c, p->place.at);
    keep_whole(&c, f, p, begin, second);
    uint32_t best = UINT32_MAX, titled = UINT32_MAX;
    for (uint32_t i = 0; i <= c.n; i++) {
        const uint32_t at = first == begin ? c.n - i : i; /* the likelier first */
        if (c.in[at] && best == UINT32_MAX)
            best = at;
        if (c.in[at] && titled == UINT32_MAX && p->place.at[c.from + at].titled)
            titled = at;
    }
    if (titled == UINT32_MAX || (first == begin && best == c.n))
        return c.from + best;
    return c.from + titled;
}

static void form(struct replay_plan *p, struct formulas *f) {
    uint32_t begin = 0;
    uint16_t group = 0;
    for (uint32_t at = 0; at < p->place.n; at++) {
        uint32_t cut = begin, same = find_same(p->place.at, begin, at);
        if (at > begin && changes(&p->place.at[at - 1], &p->place.at[at]))
            cut = at;
        else if (same < at)
            cut = find_cut(p, f, begin, same, at);
        if (cut > begin) {
            group++;
            begin = cut;
            for (uint32_t i = begin; i < at; i++) /* rows that turned out to be of this group */
                p->place.at[i].group = group;
        }
        p->place.at[at].group = group;
    }
}

/* 0 or -ENOMEM. */
static int form_groups(struct replay_plan *p) {
    struct formulas f = {.n = 0};
    const int rc = find_formulas(&f, p);
    if (rc == 0)
        form(p, &f);
    free_formulas(&f);
    return rc;
}

/* ---- the plan ---- */

int replay_plan_make(struct replay_plan *p, struct replay_reader *r, const struct model *model,
                     const char *only, struct err *err) {
    *p = (struct replay_plan){.model = model, .duration_event = -1};
    int rc = collect_names(p, r, err);
    if (rc == 0)
        name_events(p);
    if (rc == 0)
        rc = replay_choose_parts(p, only, r->in.name, err);
    if (rc == 0)
        rc = make_tallies(p, r->in.name, err);
    if (rc == 0)
        rc = replay_match_events(p, r->in.name, err);
    if (rc == 0 && p->surveyed && !p->part.at[0].used) /* it was not wanted after all */
        forget_places(p);
    if (rc == 0 && !p->surveyed)
        rc = replay_reader_rewind(r, err);
    if (rc == 0 && !p->surveyed)
        rc = collect_places(p, r, err);
    if (rc < 0)
        return rc;
    reset_tallies(p);
    return form_groups(p) < 0 ? err_set(err, -ENOMEM, "%s: out of memory", r->in.name) : 0;
}

void replay_plan_free(struct replay_plan *p) {
    for (uint32_t i = 0; p->event && i < p->event_names.n; i++) {
        free(p->event[i].target);
        array_free(&p->event[i].place);
    }
    for (size_t i = 0; i < p->part.n; i++)
        free(p->part.at[i].tally);
    free(p->event);
    free(p->sole_tally);
    array_free(&p->part);
    array_free(&p->place);
    free(p->slot);
    free(p->scale);
    replay_table_free(&p->event_names);
    replay_table_free(&p->part_names);
    *p = (struct replay_plan){0};
}
