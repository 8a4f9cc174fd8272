#include "model/eval/eval_one.h"

#include "model/eval/eval.h"

#include <errno.h>
#include <stdlib.h>

int one_reserve(struct program *p) {
    p->one.metric = -1;
    p->one.needed = calloc(p->n_cell + 1u, sizeof(*p->one.needed));
    p->one.read = calloc(p->n_read + 1u, sizeof(*p->one.read));
    p->one.redo = calloc(p->n_step + 1u, sizeof(*p->one.redo));
    return p->one.needed && p->one.read && p->one.redo ? 0 : -ENOMEM;
}

void one_destroy(struct program *p) {
    free(p->one.needed);
    free(p->one.read);
    free(p->one.redo);
}

/* From its value down to the counts. */
static void mark(const struct program *p, int metric, bool *needed) {
    memset(needed, 0, p->n_cell * sizeof(*needed));
    needed[p->result[metric].cell] = true;
    for (uint32_t i = p->n_step; i-- > 0;) {
        const struct step *s = &p->step[i];
        if (needed[program_cell_of(p, i)])
            needed[s->a] = needed[s->b] = needed[s->c] = true;
    }
}

static void note(struct program *p, int metric) {
    struct one *one = &p->one;
    mark(p, metric, one->needed);
    one->metric = metric;
    one->n_read = one->n_redo = 0;
    for (uint32_t i = 0; i < p->n_read; i++)
        if (one->needed[p->first_read + i])
            one->read[one->n_read++] = (uint16_t)i;
    uint32_t i = 0, end = 0;
    for (uint32_t run = 0; run < p->n_run; run++)
        for (end += p->run[run].n; i < end; i++)
            if (one->needed[program_cell_of(p, i)])
                one->redo[one->n_redo++] = (struct redo){p->run[run].op, (uint16_t)i};
}

double eval_value(struct eval *ev, const struct sample *s, int metric) {
    struct program *p = ev->program_;
    struct one *one = &p->one;
    if (one->metric != metric)
        note(p, metric);
    program_put_times(p, s);
    for (uint32_t i = 0; i < one->n_read; i++) {
        const struct slot_read *read = &p->read[one->read[i]];
        const struct count *c = &s->at[read->slot];
        const bool known = c->state == COUNT_OK && isfinite(c->value);
        program_put(p, p->first_read + one->read[i],
                    known ? (struct cell){c->value, 1.0f, 0}
                          : cell_unknown((struct why){.kind = WHY_EVENT}));
    }
    for (uint32_t i = 0; i < one->n_redo; i++) {
        const struct step *st = &p->step[one->redo[i].step];
        const struct cell a = program_cell(p, st->a), b = program_cell(p, st->b),
                          c = program_cell(p, st->c);
        program_put(p, program_cell_of(p, one->redo[i].step),
                    cell_apply((enum eval_op)one->redo[i].op, &a, &b, &c));
    }
    const double v = p->v[p->result[metric].cell];
    return isfinite(v) ? v : (double)NAN;
}
