/*
 * A perf stat recording as a source. It is read through once or twice when it is opened, to learn
 * which events, CPUs and groups there are, and then row by row: one sample per interval, however
 * long the file.
 *
 * perf has scaled the counts for multiplexing already, so values are taken as printed; enabled and
 * running times only say how large the share was that was really counted.
 *
 * A recording without -I is one interval. It is as long as "seconds time elapsed", or as the event
 * duration_time says, or as --const DURATION_S=... says; else its length is unknown: t1 - t0 is 0
 * and the constants DURATION_S and TSC are fixed at NAN, so what depends on them is unknown too.
 */
#include "pmu/source.h"

#include "base/clock.h"
#include "base/str.h"
#include "pmu/replay/replay_plan.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One slot of the interval in work: the sum over the parts in use. */
struct sum {
    double value, enabled_ns, share;
    uint32_t counted;
    bool gap; /* a part could not count: the sum is not the whole */
    bool seen, supported;
};

struct replay {
    struct replay_reader reader;
    struct replay_plan plan;
    struct replay_clock clock;
    struct replay_row row; /* the first of the next interval */
    bool held;             /* row is yet to be added */
    struct sum *sum;       /* [n_slot] */
    uint32_t n_slot;
    uint64_t given;        /* samples */
    uint64_t end_ns;       /* of the newest sample */
    double length_ns;      /* duration_time of the interval in work, or 0 */
    double user_length_ns; /* --const DURATION_S, or 0 */
    uint32_t threads;
};

/* --- opening --- */

/* Adds the slots of a place, except for those that join another event's place: of the events that
 * are printed by their own name, or of those that only have the same code. */
static void add_slots(struct layout *l, struct replay_plan *p, struct replay_place *at,
                      int32_t *last_slot, bool by_code) {
    const struct replay_event *e = &p->event[at->event];
    for (uint32_t i = 0; i < e->n_target; i++) {
        uint16_t event = e->target[i].event;
        if (e->target[i].joins || e->target[i].by_code != by_code)
            continue;
        if (!at->ever_supported) {
            if (l->missing[event] != COUNT_OK)
                l->missing[event] = COUNT_NOT_SUPPORTED;
            continue;
        }
        int32_t slot = last_slot[event];
        if (slot >= 0 && l->slot[slot].group == at->group)
            continue; /* two names of one event in one group: one of them will do */
        last_slot[event] = layout_add(l, event, at->group);
        p->scale[at->first_slot + at->n_slot] = e->target[i].scale;
        p->slot[at->first_slot + at->n_slot++] = (uint32_t)last_slot[event];
    }
}

/* user + kernel = all: the kernel's count goes where the user's count went. */
static void join_slots(const struct layout *l, struct replay_plan *p, struct replay_place *at) {
    const struct replay_event *e = &p->event[at->event];
    if (e->partner == REPLAY_NO_EVENT || at->occurrence >= p->event[e->partner].place.n)
        return;
    const struct replay_place *other = &p->place.at[p->event[e->partner].place.at[at->occurrence]];
    for (uint32_t i = 0; i < e->n_target; i++)
        for (uint32_t k = 0; e->target[i].joins && k < other->n_slot; k++) {
            uint32_t slot = p->slot[other->first_slot + k];
            if (l->slot[slot].event != e->target[i].event)
                continue;
            p->scale[at->first_slot + at->n_slot] = e->target[i].scale;
            p->slot[at->first_slot + at->n_slot++] = slot;
        }
}

/* In each group an event's own name goes before others of its code. */
static void add_all_slots(struct layout *l, struct replay_plan *p, int32_t *last_slot) {
    for (uint32_t begin = 0, end; begin < p->place.n; begin = end) {
        for (end = begin; end < p->place.n && p->place.at[end].group == p->place.at[begin].group;)
            add_slots(l, p, &p->place.at[end++], last_slot, false);
        for (uint32_t i = begin; i < end; i++)
            add_slots(l, p, &p->place.at[i], last_slot, true);
    }
}

static int make_layout(struct source *src, struct replay *r, struct err *err) {
    struct replay_plan *p = &r->plan;
    const struct model *m = src->model;
    uint32_t cap = 0;
    for (uint32_t i = 0; i < p->place.n; i++) {
        p->place.at[i].first_slot = cap;
        cap += p->event[p->place.at[i].event].n_target;
    }
    int32_t *last_slot = malloc((m->n_event + 1) * sizeof(*last_slot));
    p->slot = calloc(cap + 1, sizeof(*p->slot));
    p->scale = calloc(cap + 1, sizeof(*p->scale));
    if (!last_slot || !p->slot || !p->scale ||
        layout_init(&src->layout, m->n_event, COUNT_ABSENT, cap) < 0) {
        free(last_slot);
        return err_set(err, -ENOMEM, "%s: out of memory", r->reader.in.name);
    }
    memset(last_slot, 0xff, (m->n_event + 1) * sizeof(*last_slot));
    add_all_slots(&src->layout, p, last_slot);
    for (uint32_t i = 0; i < p->place.n; i++)
        join_slots(&src->layout, p, &p->place.at[i]);
    free(last_slot);
    if (src->layout.n_slot == 0)
        return err_set(
            err, -EINVAL,
            "%s: every event of it that model %s has is <not supported>: it was recorded "
            "where these counters do not exist",
            r->reader.in.name, m->name);
    r->n_slot = src->layout.n_slot;
    r->sum = calloc(r->n_slot, sizeof(*r->sum));
    return r->sum ? 0 : err_set(err, -ENOMEM, "%s: out of memory", r->reader.in.name);
}

/* Without the kernel's topdown-* events the model's alternative formulas serve. */
static bool lacks_perf_metrics(const struct model *m, const struct layout *l) {
    for (uint32_t i = 0; i < m->n_event; i++)
        if (m->event[i].perf_metrics && l->missing[i] == COUNT_OK)
            return false;
    return model_has_perf_metrics(m);
}

static void fix_lengths(struct source *src, struct replay *r) {
    struct consts *c = &src->consts;
    double seconds = c->fixed_by_user[CONST_DURATION_S] ? c->value[CONST_DURATION_S] : NAN;
    if (r->plan.lengths_known)
        return;
    if (seconds > 0 && seconds < 1e9)
        r->user_length_ns = seconds * 1e9;
    c->value[CONST_DURATION_S] = seconds;
    c->fixed_by_user[CONST_DURATION_S] = true;
    if (!c->fixed_by_user[CONST_TSC])
        c->value[CONST_TSC] = seconds * c->value[CONST_SYSTEM_TSC_FREQ];
    c->fixed_by_user[CONST_TSC] = true;
}

static const char *join(const struct strbuf *sb) {
    return sb->n ? "; " : "";
}

static void write_note(struct source *src, const struct replay *r) {
    const struct replay_plan *p = &r->plan;
    struct strbuf sb = strbuf_on(src->note, sizeof(src->note));
    if (p->dropped_last)
        strbuf_add(&sb, "the last interval lacks rows and is left out");
    if (r->reader.broken)
        strbuf_add(&sb, "%sunreadable lines left out: %" PRIu64 ", the first is line %" PRIu64,
                   join(&sb), r->reader.broken, r->reader.first_broken);
    if (p->other_pmu[0])
        strbuf_add(&sb,
                   src->model->core_type ? "%s%s is shown; %s needs the model of those cores"
                                         : "%s%s is shown; --only %s for the other cores",
                   join(&sb), p->pmu, p->other_pmu);
    if (p->user_only || p->kernel_only)
        strbuf_add(&sb, "%scounts are of %s mode only", join(&sb),
                   p->user_only ? "user" : "kernel");
    if (r->reader.groups && (src->layout.no_perf_metrics || !model_has_perf_metrics(src->model)))
        strbuf_add(&sb,
                   "%sits top-down percentages have no counts and cannot be recomputed (import "
                   "--from percent stores them)",
                   join(&sb));
    if (!p->lengths_known && r->user_length_ns <= 0)
        strbuf_add(&sb, "%sits length is not recorded: rates need --const DURATION_S=SECONDS",
                   join(&sb));
}

static void write_texts(struct source *src, struct replay *r) {
    const struct replay_plan *p = &r->plan;
    char file[sizeof(src->target_text)];
    struct strbuf sb = strbuf_on(src->target_text, sizeof(src->target_text));
    strbuf_add(&sb, "%s", str_safe(file, sizeof(file), str_base_name(r->reader.in.name)));
    if (p->chosen[0])
        strbuf_add(&sb, " · %s", p->chosen);
    for (uint32_t i = 0; i < p->part_names.n; i++)
        r->threads += p->part.at[i].used && p->part.at[i].kind == AGG_THREAD;
    write_note(src, r);
}

static int replay_open(struct source *src, struct err *err) {
    struct replay *r = calloc(1, sizeof(*r));
    if (!r)
        return err_set(err, -ENOMEM, "replay: out of memory");
    src->priv = r;
    r->reader.in.fd = r->reader.in.pipe = -1;
    int rc = replay_reader_open(&r->reader, src->opt.file, err);
    if (rc == 0)
        rc = replay_plan_make(&r->plan, &r->reader, src->model, src->opt.only, err);
    if (rc == 0)
        rc = make_layout(src, r, err);
    if (rc < 0)
        return rc;
    src->layout.no_perf_metrics = lacks_perf_metrics(src->model, &src->layout);
    fix_lengths(src, r);
    write_texts(src, r);
    return replay_reader_rewind(&r->reader, err);
}

/* --- reading --- */

/* A part that did not run added nothing; a counter that was never scheduled is a gap. */
static void add_to_sum(struct sum *s, const struct replay_row *row, double scale) {
    s->seen = true;
    s->supported |= row->state != COUNT_NOT_SUPPORTED;
    if (row->state != COUNT_OK) {
        s->gap |= row->state == COUNT_NOT_SUPPORTED || row->share < 1;
        return;
    }
    /* "0.00" beside a count is less than half of the last digit, but not nothing. */
    double share = fmax(row->share, 0.000025);
    double running = row->runtime_ns > 0 ? row->runtime_ns : (double)NS_PER_S * share;
    s->share = s->counted ? fmin(s->share, share) : share;
    s->value += row->value * scale;
    s->enabled_ns += running / share;
    s->counted++;
}

static void add_row(struct replay *r, const struct replay_row *row) {
    const struct replay_place *at = replay_plan_find(&r->plan, row, r->clock.interval);
    if (!at)
        return;
    if ((int32_t)at->event == r->plan.duration_event && row->state == COUNT_OK)
        r->length_ns = fmax(r->length_ns, row->value);
    for (uint32_t i = at->first_slot; i < at->first_slot + at->n_slot; i++)
        add_to_sum(&r->sum[r->plan.slot[i]], row, r->plan.scale[i]);
}

static struct count count_of(const struct sum *s) {
    struct count c = {.value = NAN, .state = COUNT_NOT_COUNTED};
    if (s->counted && !s->gap) {
        uint64_t enabled = (uint64_t)fmin(s->enabled_ns, 9e18);
        c = (struct count){.value = s->value, .enabled_ns = enabled, .running_ns = enabled};
        if (s->share < 1)
            c.running_ns = (uint64_t)((double)enabled * s->share);
        return c;
    }
    if (!s->seen)
        c.state = COUNT_ABSENT;
    else if (!s->supported)
        c.state = COUNT_NOT_SUPPORTED;
    return c;
}

static uint64_t interval_length(const struct replay *r) {
    const struct replay_reader *in = &r->reader;
    if (in->has_elapsed && in->elapsed_block == r->clock.block)
        return in->elapsed_ns;
    double ns = r->length_ns > 0 ? r->length_ns : r->user_length_ns;
    return (uint64_t)fmin(ns, 1e18);
}

static void fill(struct replay *r, struct sample *out) {
    if (r->clock.timed) {
        out->t0_ns = r->clock.base_ns + r->clock.begin_ns;
        out->t1_ns = r->clock.base_ns + r->clock.time_ns;
    } else {
        out->t0_ns = r->end_ns;
        out->t1_ns = r->end_ns + interval_length(r);
    }
    r->end_ns = out->t1_ns;
    out->target_threads = r->threads;
    for (uint32_t i = 0; i < r->n_slot; i++)
        out->at[i] = count_of(&r->sum[i]);
}

/* The next row of the kind that is replayed. */
static int next_row(struct replay *r, struct err *err) {
    int rc = 1;
    while (!r->held && rc > 0) {
        rc = replay_reader_next(&r->reader, &r->row, err);
        r->held = rc > 0 && r->row.timed == r->plan.timed;
    }
    return rc;
}

static int replay_read(struct source *src, struct sample *out, struct err *err) {
    struct replay *r = src->priv;
    if (r->given == r->plan.intervals)
        return err_set(err, -ENODATA, "%s: end of the recording", r->reader.in.name);
    memset(r->sum, 0, r->n_slot * sizeof(*r->sum));
    r->length_ns = 0;
    bool any = false;
    int rc;
    while ((rc = next_row(r, err)) > 0) {
        struct replay_clock next = r->clock;
        bool turns = replay_clock_turns(&next, &r->row);
        if (turns && any)
            break;
        r->clock = next;
        add_row(r, &r->row);
        r->held = false;
        any = true;
    }
    if (rc < 0)
        return rc;
    if (!any) /* it was shortened while we read */
        return err_set(err, -ENODATA, "%s: end of the recording", r->reader.in.name);
    fill(r, out);
    r->given++;
    return 0;
}

static void replay_close(struct source *src) {
    struct replay *r = src->priv;
    if (!r)
        return;
    replay_plan_free(&r->plan);
    replay_reader_close(&r->reader);
    free(r->sum);
    free(r);
    src->priv = NULL;
}

const struct source_ops source_replay = {
    .name = "replay", .open = replay_open, .read = replay_read, .close = replay_close};
