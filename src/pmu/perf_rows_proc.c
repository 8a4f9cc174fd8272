/*
 * What /proc says of single threads and CPUs. A thread costs a file to be opened, so only those are
 * read that have run since the last table; the others' times have not changed. With thousands of
 * busy threads the time is limited and they take turns.
 */
#include "pmu/perf_rows.h"

#include "base/clock.h"
#include "base/str.h"
#include "pmu/proc_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- threads ---- */

/* The n-th number (from 0) of a text of numbers. */
static bool number_at(const char *p, int n, uint64_t *out) {
    char *end;
    for (;; n--, p = end) {
        *out = strtoull(p, &end, 10);
        if (end == p)
            return false;
        if (n == 0)
            return true;
    }
}

/* /proc/PID/task/TID/stat, proc(5): "TID (comm) S ppid ..."; comm may hold anything. */
static bool read_stat(const struct perf_rows *pr, struct perf_unit *unit, uint64_t *utime,
                      uint64_t *stime) {
    enum { PPID = 4, UTIME = 14, STIME = 15, PROCESSOR = 39 };
    char path[96], text[1024];
    uint64_t cpu;
    snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)unit->pid, (int)unit->tid);
    if (str_read_small(path, text, sizeof(text)) <= 0)
        return false;
    char *open = strchr(text, '('), *close = strrchr(text, ')');
    if (!open || !close || strlen(close) < 4)
        return false;
    *close = '\0';
    str_safe(unit->proc.comm, sizeof(unit->proc.comm), open + 1);
    const char *rest = close + 4; /* ") S " */
    if (number_at(rest, PROCESSOR - PPID, &cpu))
        unit->proc.cpu = (int)cpu;
    bool ok = number_at(rest, UTIME - PPID, utime) && number_at(rest, STIME - PPID, stime);
    *utime *= pr->tick_ns;
    *stime *= pr->tick_ns;
    return ok;
}

/* schedstat of a thread: time on CPU, time waiting for one, times scheduled. */
static bool read_wait(const struct perf_unit *unit, uint64_t *wait) {
    char path[96], text[96];
    snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", (int)unit->pid, (int)unit->tid);
    return str_read_small(path, text, sizeof(text)) > 0 && number_at(text, 1, wait);
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
    if (read_stat(pr, unit, &utime, &stime) && (!pr->want_wait || read_wait(unit, &wait)))
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

/* After reading: the next difference of one that was not reached would span two intervals. */
static void conclude(struct perf_unit *unit) {
    unit->proc.known = unit->proc.known && !unit->proc.due;
}

/* Those that have run; then, while time is left, those whose name is not known; then a few others,
 * whose name may have changed. */
enum pass { RAN, NAMELESS, OTHERS, PASSES };

static bool is_due(const struct perf_unit *unit, enum pass pass) {
    const struct perf_unit_proc *p = &unit->proc;
    if (unit->state != UNIT_OPEN || unit->ended)
        return false;
    if (pass == RAN)
        return p->due;
    return unit->enabled_ns == 0 && (pass == NAMELESS) == !p->comm[0];
}

static void read_threads(struct perf_rows *pr, struct perf_units *pu) {
    enum { OTHERS_MAX = 32, BUDGET_MS = 20 };
    uint64_t until = clock_now_ns() + BUDGET_MS * NS_PER_MS;
    bool in_time = true;
    uint32_t others = 0, turn = pu->n ? pr->turn % pu->n : 0, last = turn;
    for (uint32_t u = 0; u < pu->n; u++)
        expect(&pu->unit[u]);
    for (enum pass pass = RAN; pass < PASSES && in_time; pass++)
        for (uint32_t i = 0; i < pu->n && in_time && others < OTHERS_MAX; i++) {
            struct perf_unit *unit = &pu->unit[(turn + i) % pu->n];
            if (!is_due(unit, pass))
                continue;
            read_thread(pr, unit);
            others += pass == OTHERS;
            last = (turn + i) % pu->n;
            in_time = clock_now_ns() < until;
        }
    for (uint32_t u = 0; u < pu->n; u++)
        conclude(&pu->unit[u]);
    pr->turn = last + 1;
}

/* ---- CPUs ---- */

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
        if (!number_at(numbers, i, &v[i]))
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
        if (unit && number_at(numbers, 7, &wait))
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

void perf_rows_read_proc(struct perf_rows *pr, struct perf_units *pu) {
    if (pr->scope == PROC_OF_CPUS)
        read_cpus(pr, pu);
    else if (pr->scope == PROC_OF_TASKS)
        read_threads(pr, pu);
}
