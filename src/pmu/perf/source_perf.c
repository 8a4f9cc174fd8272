/*
 * Counts from the kernel: perf_event_open(2) for events, /proc for what only it knows.
 *
 * open: target -> plan -> encodings -> descriptors; what the kernel refuses is noted in the layout.
 * read: one read() per group and thread, and one for a thread that sleeps; of /proc, where the
 * model asks for it, what those threads have changed that ran. Nothing is allocated. Before that
 * the units are maintained: opening goes on where it was not finished, new threads get rows
 * of their own if rows are asked for. A pinned group that loses its place to another user of the
 * PMU leads to everything being reopened, unpinned; this interval's counts are stale then.
 */
#include "pmu/perf/source_perf.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "pmu/perf/perf_residency.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FOCUS_MS = 40 /* of opening when the focus moves */ };

/* How long opening goes on before a read: a tenth of the time, so that thousands of threads are
 * open within a few intervals, and no sample is late by more than that. */
static uint64_t slice(const struct source *src) {
    const uint64_t least = 10 * NS_PER_MS, most = 100 * NS_PER_MS;
    uint64_t ns = src->opt.interval_ns / 10;
    return ns < least ? least : ns > most ? most : ns;
}

/* ---- what the user should see of how it is counted, in one line ---- */

static const char *units_of(const struct perf *p) {
    return perf_on_cpus(p) ? "CPUs" : "threads";
}

/* Is a group that is on not open everywhere yet? While groups are only closed nothing is missing.
 */
static bool is_opening(const struct perf_units *pu) {
    bool lacking = false;
    for (uint32_t g = 0; g < pu->shape->n_group; g++)
        lacking |= pu->on[g] && pu->have[g] < pu->n;
    return lacking && pu->next < pu->n;
}

/* Not all threads are open: not yet, or never. */
static void note_units(const struct perf *p, struct strbuf *sb) {
    const struct perf_units *pu = &p->units;
    uint32_t counted = perf_units_counted(pu), all = perf_units_present(pu);
    bool opening = is_opening(pu), hidden = pu->next == pu->n && counted < all;
    if (opening)
        strbuf_add(sb, "opening: %u of %u %s, values are approximate; ", counted, all, units_of(p));
    else if (hidden)
        strbuf_add(sb, "counting %u of %u %s: descriptor limit; ", counted, all, units_of(p));
    if (p->proc.starved || procfs_lacks(&p->proc))
        strbuf_add(sb, "nothing of /proc, which level 1 needs: descriptor limit; ");
    else if (p->level1_only || (p->stage == STAGE_LEVEL1 && p->short_of_files))
        strbuf_add(sb, "level 1 only: descriptor limit; ");
    else if (p->stage == STAGE_TOP && pu->off_state == COUNT_NO_FDS)
        strbuf_add(sb, "levels 1 and 2 only: descriptor limit; ");
    if (p->short_of_files || pu->too_many_fds || hidden)
        strbuf_add(sb, "ulimit -n %llu; ", (unsigned long long)p->files_wanted);
}

/* "CPU 1 offline, not counted", "CPUs 1-3,5 offline ...". */
static void note_offline(const struct perf_units *pu, struct strbuf *sb) {
    bool begun = false;
    for (uint32_t u = 0; u < pu->n && pu->n_offline; u++) {
        if (!perf_unit_is_offline(&pu->unit[u]))
            continue;
        uint32_t last = u;
        while (last + 1 < pu->n && perf_unit_is_offline(&pu->unit[last + 1]) &&
               pu->unit[last + 1].cpu == pu->unit[last].cpu + 1)
            last++;
        const char *before = begun ? "," : pu->n_offline > 1 ? "CPUs " : "CPU ";
        strbuf_add(sb, last > u ? "%s%d-%d" : "%s%d", before, pu->unit[u].cpu, pu->unit[last].cpu);
        begun = true;
        u = last;
    }
    if (begun)
        strbuf_add(sb, " offline, not counted; ");
}

/* Groups of one PMU that are not pinned are multiplexed. */
static void note_turns(const struct perf *p, struct strbuf *sb) {
    unsigned turns = 0;
    for (uint32_t g = 0; g < p->shape.n_group; g++) {
        const struct perf_group *pg = &p->shape.group[g];
        turns += p->units.on[g] && !pg->pinned && plan_competes(&p->plan.group[pg->plan_group]);
    }
    if (turns > 1)
        strbuf_add(sb,
                   "duty will be low: %u groups of events are multiplexed; a lower "
                   "level (-l) needs fewer; ",
                   turns);
}

/* What each new thread inherits. */
static void note_thread_cost(const struct perf *p, struct strbuf *sb) {
    uint32_t n = 0, pending = 0;
    for (uint32_t g = 0; g < p->shape.n_group && p->units.mode.inherit; g++) {
        n += p->units.on[g] ? p->shape.group[g].n : 0;
        pending += p->units.on[g] && !p->shape.group[g].top ? p->shape.group[g].n : 0;
    }
    thread_cost_format(&p->thread_cost, n, pending, sb);
}

/* Tasks are counted wherever they run; of CPUs only those that we know of. */
static void note_cut(const struct perf *p, struct strbuf *sb) {
    char words[128];
    if (!perf_on_cpus(p) || !p->mc.n_core)
        return;
    machine_cut_words(&p->mc.core[p->mc.chosen], words, sizeof(words));
    if (words[0])
        strbuf_add(sb, "%s; ", words);
}

/* What the target is called, with its threads. */
static void describe(const struct source *src, uint32_t n_thread, char *buf, size_t cap) {
    const struct perf *p = src->priv;
    struct strbuf sb = strbuf_on(buf, cap);
    char words[128];
    target_words(&p->target, words, sizeof(words));
    strbuf_add(&sb, "%s", words);
    if (p->target.kind == TARGET_PIDS || p->target.kind == TARGET_NAME)
        strbuf_add(&sb, " · %u thread%s", n_thread, n_thread == 1 ? "" : "s");
}

/* What the user should see now. */
static void write_note(const struct source *src, char *buf, size_t cap) {
    const struct perf *p = src->priv;
    struct strbuf sb = strbuf_on(buf, cap);
    if (p->away) {
        strbuf_add(&sb, "%s; waiting for a process of that name", p->ended.text);
        return;
    }
    if (p->focus_failed[0])
        strbuf_add(&sb, "%s; ", p->focus_failed);
    note_units(p, &sb);
    note_offline(&p->units, &sb);
    if (p->said[0])
        strbuf_add(&sb, "%s; ", p->said);
    perf_budget_words(src, &sb);
    note_cut(p, &sb);
    note_turns(p, &sb);
    note_thread_cost(p, &sb);
    if (sb.n >= 2 && str_ends(buf, "; "))
        buf[sb.n - 2] = '\0';
}

/* ---- opening ---- */

static int perf_open(struct source *src, struct err *err) {
    struct perf *p = calloc(1, sizeof(*p));
    if (!p)
        return err_set(err, -ENOMEM, "out of memory");
    src->priv = p;
    src->live = true;
    int rc = perf_source_open(src, err);
    if (rc)
        return rc;
    p->n_thread = perf_units_present(&p->units);
    describe(src, p->n_thread, src->target_text, sizeof(src->target_text));
    write_note(src, src->note, sizeof(src->note));
    src->wait_fd = p->target.n_process == 1 ? p->target.process[0].pidfd : -1;
    p->start_ns = p->last_ns = clock_now_ns();
    return 0;
}

/* ---- measuring ---- */

/*
 * Not all threads have counters: what /proc knows of the whole target it is asked. Not where counts
 * are not of all that the threads do.
 */
static void want_whole(struct perf *p) {
    if (perf_on_cpus(p) || perf_counts_here(p) || p->how.user_only || p->how.kernel_only)
        return;
    if (!p->proc.want[PROC_RUN_WAIT_NS]) /* files of threads have not been reckoned with */
        procfs_keep(&p->proc, p->proc.kept);
    for (int i = PROC_RUN_NS; i <= PROC_MAJOR_FAULTS; i++)
        p->proc.want[i] = true;
}

static int perf_start(struct source *src, struct err *err) {
    struct perf *p = src->priv;
    struct count ignored[PROC_EVENTS];
    if (p->short_of_files || p->units.too_many_fds)
        want_whole(p);
    procfs_read(&p->proc, NULL, ignored);
    perf_units_read(&p->units);
    uncore_read(&p->uncore, 0);
    if (p->units.mode.inherit)
        thread_cost_measure(&p->thread_cost);
    if (p->rows.scope == PROC_OF_CPUS) /* one file; threads would be a file each */
        perf_rows_read_proc(&p->rows, &p->units);
    p->rows_asked = p->rows.scope == PROC_OF_CPUS;
    src->started_ns = p->start_ns = p->last_ns = clock_now_ns();
    int rc = target_start(&p->target, err);
    p->units.mode.enable_on_exec = false; /* what is opened from now on is past its exec */
    return rc;
}

/* Another program uses the counters that the pinned group needs: from now on it is multiplexed. */
static void give_up_pin(struct perf *p) {
    perf_turns_end(&p->turns, &p->units);
    log_line("perf: the pinned group has lost its place; opening all groups unpinned");
    p->units.mode.no_pin = true;
    int rc = perf_units_reopen_all(&p->units);
    if (rc)
        log_line("perf: opening unpinned: %s", strerror(-rc));
}

/* The units may have taken up CPUs that were not there before. */
static bool has_more_cpus(struct perf *p) {
    bool any = false;
    for (uint32_t u = 0; u < p->units.n && p->units.n > (uint32_t)p->target.n_cpu; u++)
        any |= p->units.adopts && !perf_unit_is_offline(&p->units.unit[u]) &&
               target_add_cpu(&p->target, p->units.unit[u].cpu);
    return any;
}

/*
 * An exec changes the name, threads come and go. Of one that has ended the last is kept: its
 * threads end one after the other, so fewer are believed when they are seen twice.
 */
static void say_name(struct source *src, uint32_t n_thread) {
    struct perf *p = src->priv;
    bool renamed = target_renamed(&p->target, p->last_ns), more = has_more_cpus(p);
    const bool fewer = n_thread && n_thread < p->n_thread;
    const bool others = n_thread > p->n_thread || (fewer && p->fewer);
    p->fewer = fewer;
    if (others)
        p->n_thread = n_thread;
    if (renamed || more || others)
        describe(src, p->n_thread, src->name, sizeof(src->name));
}

static bool has_slept(const void *units, pid_t tid) {
    return perf_units_slept(units, tid);
}

static void read_proc(struct perf *p, const struct proc_sleepers *sleepers,
                      struct count proc[PROC_EVENTS]) {
    if (p->units.part)
        want_whole(p);
    procfs_read(&p->proc, sleepers, proc);
    p->rows.utime = proc[PROC_UTIME_NS].state == COUNT_OK ? proc[PROC_UTIME_NS].value : NAN;
    p->rows.stime = proc[PROC_STIME_NS].state == COUNT_OK ? proc[PROC_STIME_NS].value : NAN;
}

/*
 * Processes that come and go between two reads are counted, but not seen in /proc: they are taken
 * to have waited for a CPU as those did that were seen. Where that is little of all that ran, how
 * long they waited is not known. A clock that stands still until the next tick is no such lack.
 */
static void add_unseen(const struct perf *p, struct count *wait) {
    const double much = 0.9, little = 0.2, ticks_ns = 10.0 * NS_PER_MS;
    const double ran = (double)p->units.span_ns;
    uint64_t ran_ns;
    if (wait->state != COUNT_OK || p->units.part || !procfs_ran(&p->proc, &ran_ns))
        return;
    const double seen = (double)ran_ns;
    if (seen >= much * ran || ran - seen < ticks_ns)
        return;
    if (seen < little * ran)
        *wait = (struct count){.value = NAN, .state = COUNT_UNSEEN};
    else
        wait->value *= ran / seen;
}

/*
 * Of one that has ended first /proc, before it is reaped: the counters stay, and nothing is added
 * to either. Else first the counters: they say which threads need not be read in /proc.
 */
static void read_all(struct perf *p, bool gone, uint64_t span_ns, struct count proc[PROC_EVENTS]) {
    const struct proc_sleepers sleepers = {.slept = has_slept, .who = &p->units};
    if (gone)
        read_proc(p, NULL, proc);
    perf_units_read(&p->units);
    uncore_read(&p->uncore, span_ns);
    if (gone)
        target_reap(&p->target);
    else
        read_proc(p, &sleepers, proc);
    add_unseen(p, &proc[PROC_RUN_WAIT_NS]);
}

/* ---- restarts ---- */

/*
 * -P NAME follows a restart. When all processes of the name have ended nothing is counted until one
 * begins; its threads are then opened behind the same layout, as when the counters change
 * (perf_regroup), so that history, sums and the evaluation go on.
 */

/* The target of -P has ended: what follows is away until a process of its name comes. */
static void go_away(struct source *src) {
    struct perf *p = src->priv;
    p->away = true;
    src->wait_fd = -1;
    write_note(src, src->status, sizeof(src->status));
}

/* The files of /proc of other processes; what they say so far is the beginning. */
static int reopen_proc(struct perf *p) {
    bool want[PROC_EVENTS];
    struct count ignored[PROC_EVENTS];
    memcpy(want, p->proc.want, sizeof(want));
    procfs_close(&p->proc);
    int rc = procfs_open(&p->proc, "/proc", &p->target, want);
    if (!rc)
        rc = procfs_follow(&p->proc, "/proc");
    if (!rc)
        procfs_read(&p->proc, NULL, ignored);
    return rc;
}

/* 0 if processes of the name are counted now; they may have ended before they could be. */
static int come_back(struct source *src) {
    struct perf *p = src->priv;
    struct err err = {0};
    int rc = target_again(&p->target, src->opt.target.name, &err);
    if (!rc)
        rc = reopen_proc(p);
    if (!rc)
        rc = perf_regroup(src, &p->budget);
    if (rc && rc != -ENOENT)
        log_line("perf: %s again: %s", src->opt.target.name,
                 err.text[0] ? err.text : strerror(-rc));
    if (rc)
        return rc;
    perf_units_read(&p->units);
    p->ended = (struct err){0};
    p->away = false;
    src->wait_fd = p->target.n_process == 1 ? p->target.process[0].pidfd : -1;
    p->n_thread = perf_units_present(&p->units);
    describe(src, p->n_thread, src->name, sizeof(src->name));
    write_note(src, src->status, sizeof(src->status));
    return 0;
}

/* The sample of an interval that begins so; at its end the processes that have come by then are
 * opened behind the same layout. */
static void read_away(struct source *src, struct sample *out) {
    struct perf *p = src->priv;
    come_back(src);
    const uint64_t now = clock_now_ns();
    out->away = true;
    out->t0_ns = p->last_ns - p->start_ns;
    out->t1_ns = now - p->start_ns;
    out->n_slot = src->layout.n_slot;
    out->target_threads = 0;
    out->busy_ns = out->resident_ns = 0;
    for (uint32_t i = 0; i < out->n_slot; i++)
        out->at[i] = (struct count){.value = NAN, .state = COUNT_NOT_COUNTED};
    p->last_ns = now;
}

/* ---- reading ---- */

static int perf_read(struct source *src, struct sample *out, struct err *err) {
    struct perf *p = src->priv;
    struct count proc[PROC_EVENTS];
    out->away = out->ended = false;
    if (p->away) {
        read_away(src, out);
        return 0;
    }
    perf_units_maintain(&p->units, p->rows_asked, slice(src));
    p->rows_follow = p->rows_asked;
    p->rows_asked = false;
    uint64_t now = clock_now_ns();
    out->t0_ns = p->last_ns - p->start_ns;
    out->t1_ns = now - p->start_ns;
    out->n_slot = src->layout.n_slot;
    p->last_ns = now;
    /* Whether it has ended comes first, so that a last sample holds everything. */
    bool seen = src->alive && p->target.kind != TARGET_TIDS; /* of these the threads count */
    bool gone = !seen && target_gone(&p->target);
    out->ended = gone;
    read_all(p, gone, out->t1_ns - out->t0_ns, proc);
    out->target_threads = proc[PROC_THREADS].state == COUNT_OK && p->proc.want[PROC_THREADS] &&
                                  p->rows.scope != PROC_OF_CPUS
                              ? (uint32_t)proc[PROC_THREADS].value
                              : 0;
    perf_slots_fill(&p->slots, &p->units, &p->uncore, proc, out);
    if (!gone) /* the name that it had last is kept */
        say_name(src, out->target_threads);
    if (gone) {
        if (!p->ended.code) {
            char words[256];
            target_last_words(&p->target, clock_wall_ns(), words, sizeof(words));
            err_set(&p->ended, -ESRCH, "%s", words);
        }
        if (src->opt.target.follows) {
            go_away(src);
            return 0;
        }
        return err_set(err, -ESRCH, "%s", p->ended.text);
    }
    thread_cost_update(&p->thread_cost);
    const bool failed = p->units.pin_failed || perf_turns_failed(&p->turns, &p->units);
    if (!perf_budget_watch(src) && failed && !p->units.mode.no_pin)
        give_up_pin(p);
    write_note(src, src->status, sizeof(src->status));
    return 0;
}

static int say_no_focus(struct source *src, int rc, struct err *err) {
    struct perf *p = src->priv;
    struct rlimit now = p->files;
    getrlimit(RLIMIT_NOFILE, &now);
    bool files = rc == -EMFILE || rc == -ENFILE;
    err_set(err, rc, "focus stays as it was: %s; %s", files ? "too few descriptors" : strerror(-rc),
            files ? "raise ulimit -n" : "see tdtop doctor");
    str_copy(p->focus_failed, sizeof(p->focus_failed), err->text);
    if (files)
        log_line("perf: focus needs %llu descriptors, the limit is %llu",
                 (unsigned long long)perf_units_need(&p->units, p->on),
                 (unsigned long long)now.rlim_cur);
    return rc;
}

/* Boxes outside the cores stay: nothing has to make way for them. */
static int perf_focus(struct source *src, const struct group_set *groups, struct err *err) {
    struct perf *p = src->priv;
    if (p->away) { /* for whom comes next */
        p->watch.asked = *groups;
        p->watch.focused = true;
        return 0;
    }
    perf_focus_groups(src, groups, p->on);
    int rc = perf_units_focus(&p->units, p->on, clock_now_ns() + FOCUS_MS * NS_PER_MS);
    p->focus_failed[0] = '\0';
    if (rc) {
        say_no_focus(src, rc, err);
    } else {
        p->units.off_state = COUNT_NOT_FOCUSED; /* by choice from now on */
        perf_residency_plan(src);
        p->watch.asked = *groups;
        p->watch.focused = true;
        p->stage = STAGE_TOP;
        p->short_of_files = false;
    }
    write_note(src, src->status, sizeof(src->status));
    return rc;
}

static bool perf_work(struct source *src, uint64_t until_ns) {
    struct perf *p = src->priv;
    return !p->away && perf_units_work(&p->units, until_ns);
}

static uint64_t perf_turn(struct source *src, uint64_t now_ns) {
    struct perf *p = src->priv;
    return p->away ? UINT64_MAX : perf_turns_go_on(&p->turns, &p->units, now_ns);
}

static int perf_rows(struct source *src, struct unit_table *out) {
    struct perf *p = src->priv;
    if (p->away) {
        out->n = out->n_hidden = 0;
        return 0;
    }
    bool first = !p->units.rows;
    if (!p->rows_follow)
        perf_rows_forget(&p->units);
    int rc = perf_rows_fill(&p->rows, &p->units, out);
    p->rows_asked = true;
    if (!rc && first) /* so that the next table has all threads */
        perf_units_maintain(&p->units, true, slice(src));
    return rc;
}

static int perf_exit_code(struct source *src) {
    struct perf *p = src->priv;
    return p ? p->target.status : -1;
}

static void perf_close(struct source *src) {
    struct perf *p = src->priv;
    if (!p)
        return;
    perf_units_close(&p->units);
    perf_rows_free(&p->rows);
    uncore_free(&p->uncore);
    procfs_close(&p->proc);
    target_close(&p->target);
    perf_shape_free(&p->shape);
    plan_free(&p->plan);
    free(p->refused);
    free(p->on);
    perf_slots_free(&p->slots);
    perf_budget_end(p);
    free(p);
    src->priv = NULL;
}

const struct source_ops source_perf = {
    .name = "perf",
    .open = perf_open,
    .start = perf_start,
    .read = perf_read,
    .focus = perf_focus,
    .work = perf_work,
    .turn = perf_turn,
    .units = perf_rows,
    .exit_code = perf_exit_code,
    .close = perf_close,
};
