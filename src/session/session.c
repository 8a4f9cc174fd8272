/* One measuring session: where its spans begin, its phases, and its life from open to close. */
#include "session/session.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "model/eval/bottleneck.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    if (!s->in_phase.at || tiers_sum(&s->timeline.tiers, t0_ns, t1_ns, &s->of_phase) == 0)
        return METRIC_NONE;
    eval_run(&s->eval, &s->of_phase, &s->in_phase);
    if (cpus != METRIC_NONE && f->at[cpus].v < STEADY_IDLE_CPUS)
        return METRIC_NONE;
    return f->bottleneck.n ? f->bottleneck.at[f->bottleneck.n - 1] : largest_root(&s->model, f);
}

/* Of the phase that goes on since t0_ns. Sums of a long phase take long and hardly change: they are
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
    timeline_reset(&s->timeline, s->sample.early ? s->sample.t0_ns : s->sample.t1_ns);
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

/* ---- memory ---- */

/* Frees everything but the model, in the reverse order of open. Accepts any half of it. */
static void release(struct session *s) {
    source_close(&s->source);
    mailbox_destroy(&s->box);
    eval_destroy(&s->eval);
    sample_destroy(&s->sample);
    sample_destroy(&s->begun);
    frame_destroy(&s->frame);
    frame_destroy(&s->in_phase);
    sample_destroy(&s->of_phase);
    window_destroy(&s->window);
    window_destroy(&s->before);
    timeline_destroy(&s->timeline);
    steady_destroy(&s->steady);
    focus_destroy(&s->focus);
    unit_table_destroy(&s->units);
    environment_close(&s->env);
    free(s->wanted);
    s->wanted = NULL;
}

static size_t bytes_to_keep(const struct session *s) {
    if (s->keep_bytes == SIZE_MAX)
        return 0;
    return s->keep_bytes ? s->keep_bytes : TIMELINE_BYTES;
}

static int allocate(struct session *s, struct err *err) {
    uint32_t n_slot = s->source.layout.n_slot, n_metric = s->model.n_metric;
    /* A recording waits for its reader: no interval of it may be lost. */
    int rc = mailbox_init(&s->box, n_slot, !s->source.live, &s->control);
    if (rc < 0)
        return err_set(err, rc, "session: %s; raise the limit of open files (ulimit -n)",
                       strerror(-rc));
    s->wanted = calloc(n_metric + 1u, sizeof(*s->wanted));
    if (!s->wanted)
        return err_set(err, -ENOMEM, "session: out of memory; close other programs");
    rc = eval_init(&s->eval, &s->model, &s->source.layout, &s->source.consts, err);
    if (rc < 0)
        return rc;
    if ((rc = sample_init(&s->sample, n_slot)) < 0 || (rc = sample_init(&s->begun, n_slot)) < 0 ||
        (rc = frame_init(&s->frame, n_metric)) < 0 ||
        (rc = window_init(&s->window, n_slot, n_metric)) < 0 ||
        (rc = window_layout(&s->window, &s->model, &s->source.layout)) < 0 ||
        (rc = window_init(&s->before, n_slot, n_metric)) < 0 ||
        (rc = sample_init(&s->of_phase, n_slot)) < 0 ||
        (rc = frame_init(&s->in_phase, n_metric)) < 0 ||
        (rc = timeline_init(&s->timeline, &s->source.layout, n_metric, bytes_to_keep(s))) < 0 ||
        (s->calm && (rc = steady_init(&s->steady, &s->model)) < 0) ||
        (rc = focus_init(&s->focus, &s->model, &s->source.layout, &s->eval)) < 0)
        return err_set(err, rc, "session: out of memory; close other programs");
    return 0;
}

/* Only what is counted now has anything to do with this machine. */
static void open_environment(struct session *s) {
    if (!s->source.live || s->source.simulated || s->first || environment_open(&s->env, "") < 0)
        return; /* without memory for that, too, numbers are numbers */
    environment_bind(&s->env, &s->model, &s->source.layout);
}

/* ---- a stored run that is measured again (`tdtop replay RUN`) ---- */

/* CLOCK_REALTIME at time 0 of a session that replays `from`: the beginning of its first interval
 * (pmu/replay/source_run.c). */
static uint64_t stored_wall_ns(const struct run *from) {
    return (uint64_t)from->begun_ns + series_begin_ns(&from->series) - from->t0_ns;
}

/* Its marks up to the newest interval come onto the session's time line. Allocates nothing. */
static void stored_marks(struct session *s) {
    const struct run *from = s->source.opt.run;
    const uint64_t begin = series_begin_ns(&from->series), now = begin + s->sample.t1_ns;
    for (; s->n_past_mark < from->mark.n; s->n_past_mark++) {
        const struct run_mark *m = &from->mark.at[s->n_past_mark];
        if (m->t_ns > now)
            return;
        if (m->t_ns > begin)
            timeline_mark(&s->timeline, m->t_ns - begin, m->name);
    }
}

/* ---- open, start ---- */

int session_open(struct session *s, const struct source_ops *ops, const struct source_options *opt,
                 struct err *err) {
    s->state = STREAM_LIVE;
    s->exit_code = -1;
    s->control = (struct control){.interval_ns = sampler_interval(opt->interval_ns)};
    int rc = source_open(&s->source, ops, &s->model, opt, err);
    if (rc < 0)
        return rc;
    rc = allocate(s, err);
    if (rc < 0)
        release(s);
    s->opened = rc == 0;
    if (rc == 0 && s->calm)
        change_point_init(&s->change, &s->model);
    if (rc == 0) {
        auto_names_read(&s->source, &s->names);
        open_environment(s);
    }
    if (rc == 0 && opt->focus)
        session_focus(s, s->wanted); /* nothing besides what always is */
    return rc;
}

int session_start(struct session *s, struct err *err) {
    s->t_start_ns = clock_now_ns();
    s->t_wall_ns = s->source.opt.run ? stored_wall_ns(s->source.opt.run) : clock_wall_ns();
    if (s->source.ops->start) {
        int rc = s->source.ops->start(&s->source, err);
        if (rc < 0) {
            if (s->source.ops->exit_code) /* a command that cannot be run has one all the same */
                s->exit_code = s->source.ops->exit_code(&s->source);
            return rc;
        }
    }
    if (s->source.started_ns) { /* what was done before takes some 20 ms */
        s->t_wall_ns += s->source.started_ns - s->t_start_ns;
        s->t_start_ns = s->source.started_ns;
    }
    s->alone = s->alone && s->source.live;
    return (s->alone ? sampler_prepare : sampler_start)(&s->sampler, &s->source, &s->box,
                                                        s->env.files, err);
}

int session_pid(const struct session *s) {
    const struct target *t = &s->source.opt.target;
    if (t->kind == TARGET_COMMAND)
        return (int)s->source.command;
    return t->kind == TARGET_PIDS && t->pids && !strpbrk(t->pids, ", ") ? atoi(t->pids) : 0;
}

int session_fd(const struct session *s) {
    return s->opened ? s->box.event_fd : -1;
}

/* The rest of an interval that an early sample has shown the begin of comes as the whole. */
static bool pop_sample(struct session *s) {
    const bool begun = s->sample.early;
    if (begun)
        sample_copy(&s->begun, &s->sample);
    if (!mailbox_pop(&s->box, &s->sample, s->control.units ? &s->units : NULL))
        return false;
    if (begun) {
        sample_merge(&s->begun, &s->sample);
        sample_copy(&s->sample, &s->begun);
    }
    return true;
}

bool session_wait(struct session *s, int fd, int most_ms) {
    struct pollfd fds[] = {{.fd = session_fd(s), .events = POLLIN}, {.fd = fd, .events = POLLIN}};
    if (s->alone && s->sampler.started)
        return sampler_wait(&s->sampler, fd);
    return poll(fds, 2, most_ms) > 0 && fds[1].revents;
}

void session_spawn(struct session *s) {
    struct err err = {0};
    if (!s->alone)
        return;
    if (sampler_spawn(&s->sampler, &err) < 0)
        log_line("session: %s", err.text);
    s->alone = s->sampler.started && !s->sampler.threaded;
}

static bool pop(struct session *s) {
    if (pop_sample(s))
        return true;
    enum stream_state state = mailbox_state(&s->box, NULL, NULL);
    if (state == STREAM_LIVE || s->state != STREAM_LIVE)
        return false;
    s->state = mailbox_state(&s->box, &s->exit_code, &s->last);
    s->ended_ns = s->source.live ? clock_now_ns() - s->t_start_ns : s->sample.t1_ns;
    return false;
}

static void follow_path(struct session *s) {
    memset(s->wanted, 0, s->model.n_metric * sizeof(*s->wanted));
    session_want_path(s, &s->frame.bottleneck, s->wanted);
    session_focus(s, s->wanted);
}

/* True if the newest interval has a part in which a pause was on. */
static bool is_in_pause(const struct session *s) {
    return s->source.live && s->pause_ns && s->sample.t1_ns > s->pause_ns &&
           (s->pausing || s->sample.t0_ns < s->resume_ns);
}

/* Sums and tiers still have what is lost; runs of that time will say so. */
static void keep_interval(struct session *s) {
    if (timeline_push(&s->timeline, &s->sample, &s->frame) < 0 && s->timeline.n_lost == 1)
        log_line("session: out of memory: intervals are missing from %.1f s on; close other "
                 "programs",
                 (double)s->sample.t1_ns / 1e9);
    if (s->source.opt.run)
        stored_marks(s);
}

static void post(struct session *s) {
    if (s->opened)
        mailbox_request(&s->box, &s->control);
}

/* The sampler reads the files: one that is slow delays no frame. */
static void follow_machine(struct session *s) {
    struct env_look look;
    const bool looked = mailbox_take_look(&s->box, &look);
    environment_take(&s->env, &s->frame, &s->sample, looked ? &look : NULL);
    const bool clock = s->env.open && environment_wants_clock(&s->env);
    if (clock == s->control.look_clock)
        return;
    s->control.look_clock = clock;
    post(s);
}

/* -P follows a restart: a mark says when the process ended, and when the next began. */
static void mark_restart(struct session *s) {
    const char *who = s->source.target_text, *end = strstr(who, " · "), *colon = strstr(who, ": ");
    char words[MARK_NAME];
    if (s->sample.away == s->away)
        return;
    s->away = s->sample.away;
    end = colon ? colon : end; /* "3 processes: ..." */
    snprintf(words, sizeof(words), "%.*s %s", end ? (int)(end - who) : 48, who,
             s->away ? "ended" : "began");
    timeline_mark(&s->timeline, s->sample.t0_ns, words);
    if (!s->away)
        session_break(s, BREAK_RESTART);
}

bool session_take(struct session *s) {
    if (!s->opened || !pop(s))
        return false;
    s->merged += s->sample.merged;
    mailbox_take_status(&s->box, s->source.note, sizeof(s->source.note));
    if (s->sample.away) /* before its successor's name */
        mark_restart(s);
    mailbox_take_name(&s->box, s->source.target_text, sizeof(s->source.target_text));
    mark_restart(s);
    eval_run(&s->eval, &s->sample, &s->frame);
    if (s->sample.early || s->sample.away || is_in_pause(s)) { /* is shown, and enters no sum */
        if (!s->sample.away)
            steady_take(&s->steady, &s->model, &s->frame);
        s->n_frames++;
        return true;
    }
    if (s->sample.ended) {
        s->end_t0_ns = s->sample.t0_ns;
        s->end_t1_ns = s->sample.t1_ns;
    }
    window_add(&s->window, &s->sample);
    window_spread(&s->window, &s->eval, &s->sample, &s->frame);
    if (!s->passes)
        keep_interval(s);
    if (s->calm)
        steady_take(&s->steady, &s->model, &s->frame);
    else
        steady_rest(&s->model, &s->frame);
    session_follow_changes(s);
    follow_machine(s);
    if (s->source.ops->phase)
        str_copy(s->phase, sizeof(s->phase),
                 s->source.ops->phase(&s->source, s->sample.t0_ns, s->sample.t1_ns));
    s->n_frames++;
    if (s->follows)
        follow_path(s);
    return true;
}

bool session_can_focus(const struct session *s) {
    return s->opened && s->source.ops->focus;
}

void session_want_path(const struct session *s, const struct bottleneck *path, bool *wanted) {
    const struct metric *m = s->model.metric;
    for (int i = 0; i < path->n; i++) {
        wanted[path->at[i]] = true;
        for (int k = m[path->at[i]].first_child; k != METRIC_NONE; k = m[k].next_sibling)
            wanted[k] = true;
    }
}

bool session_focus(struct session *s, const bool *wanted) {
    struct group_set groups = {0};
    if (!session_can_focus(s))
        return false;
    if (wanted)
        focus_want(&s->focus, wanted, &groups);
    if (group_set_same(&groups, &s->control.groups))
        return false;
    s->control.groups = groups;
    post(s);
    return true;
}

void session_examine(struct session *s) {
    if (s->first)
        s = s->first;
    if (s->env.open)
        environment_examine(&s->env);
}

void session_examine_machine(struct session *s) {
    if (s->first)
        s = s->first;
    environment_examine(&s->env);
}

void session_units(struct session *s, bool on) {
    if (s->control.units == on)
        return;
    s->control.units = on;
    post(s);
}

void session_request(struct session *s, uint64_t interval_ns, bool paused) {
    s->still = paused;
    s->control.interval_ns = sampler_interval(interval_ns);
    s->control.paused = paused || (s->pausing && !s->source.live);
    post(s);
}

uint64_t session_now_ns(const struct session *s) {
    if (!s->source.live || s->state != STREAM_LIVE)
        return s->sample.t1_ns;
    return clock_now_ns() - s->t_start_ns;
}

void session_pause(struct session *s, bool pause) {
    if (s->pausing == pause || !s->opened)
        return;
    s->pausing = pause;
    if (!s->source.live)
        session_request(s, s->control.interval_ns, s->still);
    else if (!pause) {
        s->resume_ns = session_now_ns(s);
        breaks_add(&s->breaks, s->pause_ns, s->resume_ns, BREAK_PAUSE);
    } else if (s->resume_ns <= s->sample.t1_ns) /* else it still is one pause with the last */
        s->pause_ns = session_now_ns(s);
}

bool session_model_warning(const struct session *s) {
    const bool recording = !s->source.live && !s->source.opt.run;
    return !s->source.simulated && (recording || strstr(s->why_model, "--model"));
}

const char *session_warning_words(const struct frame *f, bool model_warned, char *buf, size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    char words[64];
    strbuf_add(&sb, "%s", bottleneck_warning(f, words, sizeof(words)));
    if (words[0] && model_warned)
        strbuf_add(&sb, ": is --model right?");
    return buf;
}

const char *session_warning(const struct session *s, const struct frame *f, char *buf, size_t cap) {
    return session_warning_words(f, session_model_warning(s), buf, cap);
}

/* For whoever holds them against another counter's. */
static void log_totals(const struct session *s) {
    const struct layout *l = &s->source.layout;
    const struct sample *sum = window_sample(&s->window);
    for (uint32_t i = 0; i < l->n_slot && s->n_frames; i++)
        if (l->slot[i].event != SLOT_NO_EVENT)
            log_line("session: in all %.0f %s, group %u", sum->at[i].value,
                     s->model.event[l->slot[i].event].name, l->slot[i].group);
}

void session_halt(struct session *s) {
    sampler_join(&s->sampler);
}

void session_close(struct session *s) {
    session_halt(s);
    if (s->opened)
        log_totals(s);
    release(s);
    s->opened = false;
    model_free(&s->model);
}
