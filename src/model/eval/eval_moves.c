#include "model/eval/eval_moves.h"

#include "model/eval/eval.h"

#include <errno.h>
#include <stdlib.h>

/* ---- binding ---- */

/* The cells that values are made of: the others are those of thresholds. */
static void find_needed(const struct program *p, uint32_t n_metric, bool *needed) {
    for (uint32_t i = 0; i < n_metric; i++)
        needed[p->result[i].cell] = true;
    for (uint32_t i = p->n_step; i-- > 0;) {
        const struct step *s = &p->step[i];
        if (needed[program_cell_of(p, i)])
            needed[s->a] = needed[s->b] = needed[s->c] = true;
    }
}

static int note_steps(struct program *p, const bool *needed, bool *reached) {
    uint32_t i = 0, end = 0;
    for (uint32_t run = 0; run < p->n_run; run++)
        for (end += p->run[run].n; i < end; i++) {
            const struct step *s = &p->step[i];
            const uint32_t cell = program_cell_of(p, i);
            reached[cell] = needed[cell] && (reached[s->a] || reached[s->b] || reached[s->c]);
            if (reached[cell] && array_push(&p->redo, (struct redo){p->run[run].op, (uint16_t)i}))
                return -ENOMEM;
        }
    return 0;
}

static int note_reach(struct program *p, uint32_t n_metric, uint32_t read, const bool *needed,
                      bool *reached) {
    struct reach r = {.slot = p->read[read].slot,
                      .cell = p->first_read + read,
                      .redo = (uint32_t)p->redo.n,
                      .metric = (uint32_t)p->reached.n};
    memset(reached, 0, p->n_cell * sizeof(*reached));
    reached[r.cell] = true;
    if (note_steps(p, needed, reached))
        return -ENOMEM;
    for (uint32_t i = 0; i < n_metric; i++)
        if (reached[p->result[i].cell] && array_push(&p->reached, (uint16_t)i))
            return -ENOMEM;
    r.n_redo = (uint32_t)p->redo.n - r.redo;
    r.n_metric = (uint32_t)p->reached.n - r.metric;
    return array_push(&p->reach, r);
}

int moves_note(struct program *p, const struct model *m) {
    bool *needed = calloc(p->n_cell, sizeof(*needed));
    bool *reached = calloc(p->n_cell, sizeof(*reached));
    int rc = needed && reached ? 0 : -ENOMEM;
    if (rc == 0)
        find_needed(p, m->n_metric, needed);
    for (uint32_t i = 0; i < p->n_read && rc == 0; i++)
        if (m->event[p->read[i].event].perf_metrics)
            rc = note_reach(p, m->n_metric, i, needed, reached);
    uint32_t most = 0;
    for (size_t i = 0; i < p->reach.n; i++)
        most = p->reach.at[i].n_redo > most ? p->reach.at[i].n_redo : most;
    p->kept = calloc(most + 1u, sizeof(*p->kept));
    free(needed);
    free(reached);
    return p->kept ? rc : -ENOMEM;
}

/* ---- running ---- */

static void redo(struct program *p, const struct reach *r) {
    const struct redo *todo = p->redo.at + r->redo;
    double *const v = p->v, *const kept = p->kept, *const out = v + program_cell_of(p, 0);
    for (uint32_t i = 0; i < r->n_redo; i++) {
        const struct step *s = &p->step[todo[i].step];
        kept[i] = out[todo[i].step];
        out[todo[i].step] = value_apply((enum eval_op)todo[i].op, v[s->a], v[s->b], v[s->c]);
    }
}

static void undo(struct program *p, const struct reach *r) {
    for (uint32_t i = 0; i < r->n_redo; i++)
        p->v[program_cell_of(p, p->redo.at[r->redo + i].step)] = p->kept[i];
}

void eval_moves(struct eval *ev, uint32_t slot, double count, const struct frame *f,
                double *square) {
    struct program *p = ev->program_;
    for (size_t k = 0; k < p->reach.n; k++) {
        const struct reach *r = &p->reach.at[k];
        if (r->slot != slot)
            continue;
        const double was = p->v[r->cell];
        p->v[r->cell] = count;
        redo(p, r);
        for (uint32_t i = 0; i < r->n_metric; i++) {
            const uint16_t metric = p->reached.at[r->metric + i];
            const double by = p->v[p->result[metric].cell] - f->at[metric].v;
            if (isfinite(by))
                square[metric] += by * by;
        }
        undo(p, r);
        p->v[r->cell] = was;
    }
}
