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

/* From the number at p to the one that is n numbers on; at the end of the text, to that. */
static const char *skip(const char *p, int n) {
    for (; n > 0 && *p; n--) {
        p += strcspn(p, " ");
        p += *p == ' ';
    }
    return p;
}

/* /proc/PID/task/TID/stat, proc(5): "TID (comm) S ppid ..."; comm may hold anything. */
static bool read_stat(const struct perf_rows *pr, struct perf_unit *unit, uint64_t *utime,
                      uint64_t *stime) {
    enum { PPID = 4, UTIME = 14, PROCESSOR = 39 };
    char text[1024], *end;
    if (!read_file(unit, "stat", text, sizeof(text)))
        return false;
    char *open = strchr(text, '('), *close = strrchr(text, ')');
    if (!open || !close || strlen(close) < 4)
        return false;
    *close = '\0';
    str_safe(unit->proc.comm, sizeof(unit->proc.comm), open + 1);
    const char *p = skip(close + 4, UTIME - PPID); /* ") S " */
    *utime = strtoull(p, &end, 10) * pr->tick_ns;
    if (end == p)
        return false;
    *stime = strtoull(end, &end, 10) * pr->tick_ns;
    p = skip(p, PROCESSOR - UTIME);
    if (*p)
        unit->proc.cpu = atoi(p);
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
           (read_file(unit, "schedstat", text, sizeof(text)) && number_at(text, 1, wait));
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

/* After reading: the next difference of one that was not reached would span two intervals. */
static void conclude(struct perf_unit *unit) {
    unit->proc.known = unit->proc.known && !unit->proc.due;
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
    enum { BUDGET_MS = 20 };
    uint64_t until_ns = clock_now_ns() + BUDGET_MS * NS_PER_MS;
    for (uint32_t u = 0; u < pu->n; u++)
        expect(&pu->unit[u]);
    read_counts(pr, pu, until_ns);
    for (uint32_t u = 0; u < pu->n; u++)
        conclude(&pu->unit[u]);
    read_names(pr, pu, until_ns);
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
