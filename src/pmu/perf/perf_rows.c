#include "pmu/perf/perf_rows.h"

#include "base/str.h"

#include <errno.h>
#include <math.h>
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
    *pr = (struct perf_rows){.proc = proc, .scope = scope, .stat_fd = -1, .schedstat_fd = -1};
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
