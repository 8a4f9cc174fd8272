/* Where spans of a session begin, and its phases. */
#include "session/session_spans.h"

#include "model/eval/bottleneck.h"
#include "session/session.h"

#include <math.h>

/* ---- phases ---- */

static int largest_root(const struct model *m, const struct frame *f) {
    int best = METRIC_NONE;
    for (int i = 0; i < (int)m->n_tree; i++) {
        if (m->metric[i].level != 1 || !m->metric[i].share || isnan(f->at[i].v))
            continue;
        if (best == METRIC_NONE || f->at[i].v > f->at[best].v)
            best = i;
    }
    return best;
}

/* Of what was measured in (t0_ns, t1_ns]. */
static int main_of(struct session *s, uint64_t t0_ns, uint64_t t1_ns) {
    const struct frame *f = &s->in_phase;
    const int cpus = model_find(&s->model, "CPUs_Utilized");
    if (!s->in_phase.at || history_sum(&s->history, t0_ns, t1_ns, &s->of_phase) == 0)
        return METRIC_NONE;
    eval_run(&s->eval, &s->of_phase, &s->in_phase);
    if (cpus != METRIC_NONE && f->at[cpus].v < STEADY_IDLE_CPUS)
        return METRIC_NONE;
    return f->bottleneck.n ? f->bottleneck.at[f->bottleneck.n - 1] : largest_root(&s->model, f);
}

/* Of the phase that goes on since t0_ns. Sums of a long phase are dear and hardly move: they are
 * taken again once it is a quarter longer. */
static int main_of_newest(struct session *s, uint64_t t0_ns) {
    const uint64_t now_ns = s->sample.t1_ns;
    const bool known = s->newest_main_ns > t0_ns && s->newest_t0_ns == t0_ns &&
                       now_ns - t0_ns < (s->newest_main_ns - t0_ns) / 4 * 5;
    if (!known) {
        s->newest_main = main_of(s, t0_ns, now_ns);
        s->newest_main_ns = now_ns;
        s->newest_t0_ns = t0_ns;
    }
    return s->newest_main;
}

/* The begin of the phase before the break at place i. */
static uint64_t phase_begin(const struct breaks *b, int i) {
    while (--i >= 0)
        if (break_is_phase(&b->at[i]))
            return b->at[i].t_ns;
    return 0;
}

static void begin_phase(struct session *s, uint64_t left_ns, uint64_t t_ns,
                        enum break_cause cause) {
    struct breaks *b = &s->breaks;
    struct break_point *p = breaks_add(b, left_ns, t_ns, cause);
    p->main_before = main_of(s, phase_begin(b, (int)(p - b->at)), left_ns);
}

int session_phases(struct session *s, struct session_phase *out, int cap) {
    const struct breaks *b = &s->breaks;
    struct session_phase p = {.main = METRIC_NONE};
    int n = 0;
    for (int i = 0; i < b->n && cap > 0; i++) {
        if (!break_is_phase(&b->at[i]))
            continue;
        p.t1_ns = b->at[i].left_ns;
        p.main = b->at[i].main_before;
        if (n == cap) { /* the oldest gives way */
            for (int k = 1; k < n; k++)
                out[k - 1] = out[k];
            n--;
        }
        out[n++] = p;
        p.t0_ns = b->at[i].t_ns;
    }
    if (n == cap || s->sample.t1_ns <= p.t0_ns)
        return n;
    p.t1_ns = s->sample.t1_ns;
    p.main = main_of_newest(s, p.t0_ns);
    out[n++] = p;
    return n;
}

/* ---- changes ---- */

void session_follow_changes(struct session *s) {
    const struct change_point *cp = &s->change;
    if (s->marked) { /* the interval in which it was put belongs to neither side */
        s->marked = false;
        breaks_add(&s->breaks, s->sample.t0_ns, s->sample.t1_ns, BREAK_MARK);
    }
    if (cp->n_metric == 0 || s->passes)
        return;
    const enum change_status status = change_point_take(&s->change, &s->frame);
    if (status == CHANGE_FOUND)
        begin_phase(s, cp->left_ns, cp->level_ns, BREAK_LEVEL);
    else if (status == CHANGE_MOVED)
        breaks_move(&s->breaks, cp->level_ns);
}

void session_break(struct session *s, enum break_cause cause) {
    const uint64_t now_ns = s->sample.early ? s->sample.t0_ns : s->sample.t1_ns;
    if (cause == BREAK_MARK && s->source.live && s->state == STREAM_LIVE) {
        s->marked = true;
    } else if (cause == BREAK_RESTART) {
        change_point_begin(&s->change);
        begin_phase(s, s->sample.t0_ns, s->sample.t0_ns, cause);
    } else {
        breaks_add(&s->breaks, now_ns, now_ns, cause);
    }
}

/* ---- the newest span ---- */

/* A pin or a snapshot changes nothing: it counts once a span came after it; a mark once anything
 * did. */
static bool counts(const struct session *s, const struct break_point *p) {
    const uint64_t interval_ns = s->control.interval_ns;
    if (p->cause == BREAK_MARK)
        return p->t_ns < s->sample.t1_ns;
    if (p->cause != BREAK_PIN && p->cause != BREAK_SNAPSHOT)
        return true;
    return p->t_ns + SINCE_LEAST * interval_ns - interval_ns / 2 <= s->sample.t1_ns;
}

struct break_point session_since(const struct session *s) {
    const struct breaks *b = &s->breaks;
    for (int i = b->n - 1; i >= 0; i--)
        if (counts(s, &b->at[i]))
            return b->at[i];
    return (struct break_point){.cause = BREAK_START, .main_before = METRIC_NONE};
}

/* ---- sums ---- */

void session_reset(struct session *s) {
    if (!s->opened)
        return;
    if (s->before.stale_ns)
        window_join(&s->before, &s->window);
    window_reset(&s->window);
    record_reset(&s->record, s->sample.early ? s->sample.t0_ns : s->sample.t1_ns);
    session_break(s, BREAK_RESET);
}

void session_whole(struct session *s, struct frame *out, struct sample *sum) {
    const struct sample *all =
        window_frame_joined(s->before.n ? &s->before : NULL, &s->window, &s->eval, out);
    if (sum)
        sample_copy(sum, all);
    const int cpus = model_find(&s->model, "CPUs_Utilized");
    out->idle = cpus != METRIC_NONE && out->at[cpus].v < STEADY_IDLE_CPUS;
    for (uint32_t i = 0; out->idle && i < s->model.n_tree; i++)
        out->at[i].over = false;
    if (out->idle)
        out->bottleneck.n = 0;
}
