/*
 * What /proc says of single threads and CPUs. A thread costs a file to be opened, so only those are
 * read that have run since the last table; the others' times have not changed. What they waited for
 * a CPU is known already (procfs.h). With thousands of busy threads the time is limited and they
 * alternate.
 *
 * The name of a thread that slept is another thread's to change, of the same process (comm_write):
 * once one has run all names are read again, a few in each table.
 */
#include "pmu/perf/perf_rows.h"

#include "base/clock.h"
#include "base/str.h"
#include "pmu/host/proc_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- which slots ---- */

/* Where a unit's row has the count of a slot; NOT_SERVED. */
static uint32_t place_of(const struct perf_slots *ps, const struct perf_units *pu, uint32_t slot) {
    const uint32_t g = ps->group[slot];
    if (g == NOT_SERVED || pu->row_at[g] == UINT32_MAX)
        return NOT_SERVED;
    return pu->row_at[g] + ps->counter[slot] - pu->shape->group[g].first;
}

/* The slots that perf fills come first in the layout. */
static void take_counters(struct perf_rows *pr, const struct perf_slots *ps,
                          const struct perf_units *pu) {
    for (uint32_t i = 0; i < ps->n_perf; i++) {
        uint32_t at = place_of(ps, pu, i);
        if (at == NOT_SERVED)
            continue;
        pr->slot[pr->n] = (uint16_t)i;
        pr->from[pr->n++] = (struct perf_row_from){.proc = -1, .at = at};
    }
}

void perf_rows_rebind(struct perf_rows *pr, const struct perf_slots *ps,
                      const struct perf_units *pu) {
    for (uint32_t i = 0; i < pr->n; i++)
        if (pr->from[i].proc < 0)
            pr->from[i].at = place_of(ps, pu, pr->slot[i]);
}

static void take_proc(struct perf_rows *pr, const struct perf_slots *ps) {
    for (uint32_t i = 0; i < ps->n_proc && pr->scope != PROC_OF_CGROUP; i++) {
        int what = ps->proc[i].what;
        if (what == PROC_THREADS)
            continue;
        pr->want_wait |= what == PROC_RUN_WAIT_NS;
        pr->slot[pr->n] = (uint16_t)ps->proc[i].slot;
        pr->from[pr->n++] = (struct perf_row_from){.proc = what};
    }
}

int perf_rows_init(struct perf_rows *pr, const struct perf_slots *ps, const struct perf_units *pu,
                   const struct procfs *proc, enum proc_scope scope) {
    *pr = (struct perf_rows){.proc = proc,
                             .scope = scope,
                             .budget_ns = 20 * NS_PER_MS,
                             .stat_fd = -1,
                             .schedstat_fd = -1};
    pr->tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
    size_t most = ps->n_perf + ps->n_proc + 1u;
    pr->slot = calloc(most, sizeof(*pr->slot));
    pr->from = calloc(most, sizeof(*pr->from));
    pr->text = malloc(PERF_ROWS_TEXT);
    if (!pr->slot || !pr->from || !pr->text)
        return -ENOMEM;
    take_counters(pr, ps, pu);
    take_proc(pr, ps);
    return 0;
}

void perf_rows_free(struct perf_rows *pr) {
    if (pr->text && pr->stat_fd >= 0)
        close(pr->stat_fd);
    if (pr->text && pr->schedstat_fd >= 0)
        close(pr->schedstat_fd);
    free(pr->text);
    free(pr->slot);
    free(pr->from);
    *pr = (struct perf_rows){0};
}

/* ---- /proc of threads ---- */

/* Such a file says all in one read. */
static bool read_file(const struct perf_unit *unit, const char *name, char *text, size_t cap) {
    char path[96];
    snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)unit->pid, (int)unit->tid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, text, cap - 1);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

static bool read_stat(const struct perf_rows *pr, struct perf_unit *unit, uint64_t *utime,
                      uint64_t *stime) {
    char text[1024];
    int64_t field[STAT_N];
    if (!read_file(unit, "stat", text, sizeof(text)) ||
        !proc_stat(text, STAT_CPU, field, unit->proc.comm, sizeof(unit->proc.comm)))
        return false;
    *utime = (uint64_t)field[STAT_UTIME] * pr->tick_ns;
    *stime = (uint64_t)field[STAT_STIME] * pr->tick_ns;
    unit->proc.cpu = (int)field[STAT_CPU];
    return true;
}

static void read_name(struct perf_unit *unit) {
    char text[64];
    if (!read_file(unit, "comm", text, sizeof(text)))
        return;
    text[strlen(text) - 1] = '\0'; /* the end of the line: a name may hold others */
    str_safe(unit->proc.comm, sizeof(unit->proc.comm), text);
}

/* schedstat of a thread: time on CPU, time waiting for one, times scheduled. Threads of processes
 * that the target has started are read here alone. */
static bool read_wait(const struct perf_rows *pr, const struct perf_unit *unit, uint64_t *wait) {
    char text[96];
    return procfs_waited(pr->proc, unit->pid, unit->tid, wait) ||
           (read_file(unit, "schedstat", text, sizeof(text)) && proc_number(text, 1, wait));
}

/* Takes new totals; the first ones only set the beginning. */
static void take(struct perf_unit_proc *p, uint64_t utime, uint64_t stime, uint64_t wait) {
    bool known = p->known && utime >= p->utime_ns && stime >= p->stime_ns && wait >= p->wait_ns;
    p->utime = known ? (double)(utime - p->utime_ns) : NAN;
    p->stime = known ? (double)(stime - p->stime_ns) : NAN;
    p->wait = known ? (double)(wait - p->wait_ns) : NAN;
    p->utime_ns = utime;
    p->stime_ns = stime;
    p->wait_ns = wait;
    p->known = true;
}

static void read_thread(const struct perf_rows *pr, struct perf_unit *unit) {
    uint64_t utime = 0, stime = 0, wait = 0;
    unit->proc.due = false;
    if (read_stat(pr, unit, &utime, &stime) && (!pr->want_wait || read_wait(pr, unit, &wait)))
        take(&unit->proc, utime, stime, wait);
    else
        unit->proc.known = false;
}

/* Before reading: a thread that has not run has used nothing, and need not be read to know it. */
static void expect(struct perf_unit *unit) {
    struct perf_unit_proc *p = &unit->proc;
    p->due = unit->enabled_ns > 0;
    p->utime = p->stime = p->wait = p->known && !p->due ? 0.0 : NAN;
}

/* Those that have run; then, while time is left, those that not all is known of. */
enum pass { RAN, UNKNOWN, PASSES };

static bool is_shown(const struct perf_unit *unit) {
    return unit->state == UNIT_OPEN && !unit->ended;
}

static bool is_due(const struct perf_unit *unit, enum pass pass) {
    const struct perf_unit_proc *p = &unit->proc;
    if (!is_shown(unit))
        return false;
    if (pass == RAN)
        return p->due;
    return unit->enabled_ns == 0 && (!p->known || !p->comm[0]);
}

static void read_counts(struct perf_rows *pr, struct perf_units *pu, uint64_t until_ns) {
    bool in_time = true;
    uint32_t turn = pu->n ? pr->turn % pu->n : 0, last = turn;
    for (enum pass pass = RAN; pass < PASSES && in_time; pass++)
        for (uint32_t i = 0; i < pu->n && in_time; i++) {
            struct perf_unit *unit = &pu->unit[(turn + i) % pu->n];
            if (!is_due(unit, pass))
                continue;
            read_thread(pr, unit);
            last = (turn + i) % pu->n;
            in_time = clock_now_ns() < until_ns;
        }
    pr->turn = last + 1;
}

/* How many names are read this time: all of them within ROUND_S. */
static uint32_t names_due(struct perf_rows *pr, uint32_t n) {
    enum { ROUND_S = 4, MOST = 64 };
    const uint64_t round_ns = ROUND_S * NS_PER_S, now = clock_now_ns();
    pr->names_ns = pr->names_ns ? pr->names_ns : now;
    uint64_t gone = now - pr->names_ns < round_ns ? now - pr->names_ns : round_ns;
    uint32_t due = (uint32_t)(n * gone / round_ns);
    if (due > 0 || n == 0)
        pr->names_ns = now;
    due = due < pr->names_old ? due : pr->names_old;
    return due < MOST ? due : MOST;
}

static void read_names(struct perf_rows *pr, struct perf_units *pu, uint64_t until_ns) {
    bool any_ran = false;
    for (uint32_t u = 0; u < pu->n; u++)
        any_ran |= pu->unit[u].enabled_ns > 0;
    pr->names_old = any_ran || pr->names_old > pu->n ? pu->n : pr->names_old;
    uint32_t due = names_due(pr, pu->n);
    pr->names_old -= due;
    for (; due > 0 && clock_now_ns() < until_ns; due--) {
        struct perf_unit *unit = &pu->unit[pr->name_turn++ % pu->n];
        if (is_shown(unit) && unit->enabled_ns == 0)
            read_name(unit);
    }
}

static void read_threads(struct perf_rows *pr, struct perf_units *pu) {
    const uint64_t until_ns = clock_now_ns() + pr->budget_ns;
    for (uint32_t u = 0; u < pu->n; u++)
        expect(&pu->unit[u]);
    read_counts(pr, pu, until_ns);
    /* The next difference of a thread that was not reached would span two intervals. */
    for (uint32_t u = 0; u < pu->n; u++) {
        struct perf_unit_proc *p = &pu->unit[u].proc;
        p->known = p->known && !p->due;
    }
    read_names(pr, pu, until_ns);
}

/* ---- /proc of CPUs ---- */

/* Opened once, then read again. */
static struct proc_lines lines_of(struct perf_rows *pr, int *fd, const char *path) {
    if (*fd < 0)
        *fd = open(path, O_RDONLY | O_CLOEXEC);
    return proc_lines_of(*fd, pr->text, PERF_ROWS_TEXT);
}

/* Lines and units are ascending, so the search goes on where it was. */
static struct perf_unit *unit_of(struct perf_units *pu, uint32_t *from, int cpu) {
    for (uint32_t i = 0; i < pu->n; i++) {
        uint32_t u = (*from + i) % pu->n;
        if (pu->unit[u].cpu == cpu) {
            *from = u + 1;
            return &pu->unit[u];
        }
    }
    return NULL;
}

/* /proc/stat, proc(5): user nice system idle iowait irq softirq steal ... in ticks. */
static void take_times(const struct perf_rows *pr, struct perf_unit *unit, const char *numbers,
                       uint64_t wait) {
    uint64_t v[7] = {0};
    for (int i = 0; i < 7; i++)
        if (!proc_number(numbers, i, &v[i]))
            return;
    take(&unit->proc, (v[0] + v[1]) * pr->tick_ns, (v[2] + v[5] + v[6]) * pr->tick_ns, wait);
}

/* /proc/schedstat, Documentation/scheduler/sched-stats: the 8th number is the ns that tasks
 * waited. Kept in wait until the times are taken. */
static void read_waits(struct perf_rows *pr, struct perf_units *pu) {
    const char *numbers;
    uint32_t from = 0;
    if (!pr->want_wait)
        return;
    struct proc_lines l = lines_of(pr, &pr->schedstat_fd, "/proc/schedstat");
    for (const char *line; (line = proc_lines_next(&l));) {
        int cpu = proc_lines_cpu(line, &numbers);
        struct perf_unit *unit = cpu < 0 ? NULL : unit_of(pu, &from, cpu);
        uint64_t wait;
        if (unit && proc_number(numbers, 7, &wait))
            unit->proc.wait = (double)wait;
    }
}

static void read_cpus(struct perf_rows *pr, struct perf_units *pu) {
    const char *numbers;
    uint32_t from = 0;
    for (uint32_t u = 0; u < pu->n; u++)
        pu->unit[u].proc.utime = pu->unit[u].proc.stime = pu->unit[u].proc.wait = NAN;
    read_waits(pr, pu);
    struct proc_lines l = lines_of(pr, &pr->stat_fd, "/proc/stat");
    for (const char *line; (line = proc_lines_next(&l)) && strncmp(line, "cpu", 3) == 0;) {
        int cpu = proc_lines_cpu(line, &numbers);
        struct perf_unit *unit = cpu < 0 ? NULL : unit_of(pu, &from, cpu);
        if (!unit)
            continue;
        double wait = unit->proc.wait;
        take_times(pr, unit, numbers, isnan(wait) ? 0 : (uint64_t)wait);
        if (isnan(wait))
            unit->proc.wait = NAN;
    }
}

void perf_rows_forget(struct perf_units *pu) {
    for (uint32_t u = 0; u < pu->n; u++)
        pu->unit[u].proc.known = false;
}

void perf_rows_read_proc(struct perf_rows *pr, struct perf_units *pu) {
    if (pr->scope == PROC_OF_CPUS)
        read_cpus(pr, pu);
    else if (pr->scope == PROC_OF_TASKS)
        read_threads(pr, pu);
}

/* ---- rows ---- */

static double proc_value(const struct perf_unit_proc *p, int what) {
    switch (what) {
    case PROC_UTIME_NS:
        return p->utime;
    case PROC_STIME_NS:
        return p->stime;
    case PROC_RUN_WAIT_NS:
        return p->wait;
    default: /* PROC_BUSY */
        return p->utime + p->stime;
    }
}

static void fill_values(const struct perf_rows *pr, const struct perf_units *pu, uint32_t u,
                        bool known, double *value) {
    const double *row = pu->row + (size_t)u * pu->n_row;
    for (uint32_t i = 0; i < pr->n; i++) {
        const struct perf_row_from *f = &pr->from[i];
        bool counted = f->proc >= 0 || f->at != NOT_SERVED;
        if (!known || !counted)
            value[i] = NAN;
        else
            value[i] = f->proc < 0 ? row[f->at] : proc_value(&pu->unit[u].proc, f->proc);
    }
}

/* A CPU that went offline has a last row, too. */
static bool is_ending(const struct perf_unit *unit) {
    return unit->ended || (unit->cpu >= 0 && unit->state == UNIT_AWAY);
}

static bool has_row(const struct perf_unit *unit) {
    if (is_ending(unit))
        return unit->shown;
    return unit->state == UNIT_OPEN;
}

static struct unit_row make_row(const struct perf_rows *pr, const struct perf_unit *unit,
                                bool known) {
    const struct perf_unit_proc *p = &unit->proc;
    struct unit_row row = {.pid = unit->pid,
                           .tid = unit->tid,
                           .cpu = unit->cpu >= 0 ? unit->cpu : p->cpu,
                           .enabled_ns = unit->enabled_ns,
                           .running_ns = unit->running_ns,
                           .fresh = !unit->shown && pr->again,
                           .ended = is_ending(unit),
                           .begins = p->known && isnan(p->utime)};
    memcpy(row.comm, p->comm, sizeof(row.comm));
    double ns = pr->scope == PROC_OF_CPUS ? p->utime + p->stime : (double)unit->enabled_ns;
    row.busy = known ? ns / 1e9 : NAN;
    return row;
}

static bool is_hidden(const struct perf_unit *unit) {
    return !unit->ended && (unit->state == UNIT_PENDING || unit->state == UNIT_HIDDEN);
}

/* More is no matter of ticks: threads that ended unseen, say. */
#define AGREE 1.5

static void scale(const struct perf_rows *pr, struct unit_table *t, int what, double whole) {
    for (uint32_t i = 0; i < pr->n; i++) {
        double sum = 0;
        if (pr->from[i].proc != what)
            continue;
        for (uint32_t r = 0; r < t->n; r++)
            sum += t->value[(size_t)r * t->n_slot + i];
        const double by = whole / sum;
        if (!(by > 1 / AGREE && by < AGREE)) /* false for NAN: a row that is not known */
            continue;
        for (uint32_t r = 0; r < t->n; r++)
            t->value[(size_t)r * t->n_slot + i] *= by;
    }
}

void perf_rows_agree(const struct perf_rows *pr, struct unit_table *t) {
    if (pr->scope != PROC_OF_TASKS)
        return;
    scale(pr, t, PROC_UTIME_NS, pr->utime);
    scale(pr, t, PROC_STIME_NS, pr->stime);
}

int perf_rows_fill(struct perf_rows *pr, struct perf_units *pu, struct unit_table *out) {
    int rc = out->slot ? 0 : unit_table_init(out, pr->slot, pr->n);
    if (!rc)
        rc = unit_table_reserve(out, pu->n);
    if (rc)
        return rc;
    perf_rows_read_proc(pr, pu);
    out->n = 0;
    out->n_hidden = pu->n_unlisted;
    for (uint32_t u = 0; u < pu->n; u++) {
        struct perf_unit *unit = &pu->unit[u];
        out->n_hidden += is_hidden(unit);
        bool show = has_row(unit);
        if (show) {
            bool known = !unit->partial && (!is_ending(unit) || unit->cpu < 0);
            out->row[out->n] = make_row(pr, unit, known);
            fill_values(pr, pu, u, known, out->value + (size_t)out->n++ * out->n_slot);
        }
        unit->shown = show && !is_ending(unit);
    }
    pr->again = true;
    if (out->n_hidden == 0)
        perf_rows_agree(pr, out);
    return 0;
}
