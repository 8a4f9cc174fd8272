/*
 * sample -> frame. A model is bound to the layout of a source once: all formulas become one list of
 * operations without repetition (the same sub-expression over the same slots is computed once), in
 * which value, duty and reason travel together. Running it is one pass, without allocation or
 * branches on data.
 *
 * Which slot an event means: for each formula the group that holds most of its events is its own
 * group (lowest number on a tie); an event counted there is taken from there, else from its first
 * slot in the layout. So a ratio's parts saw the same time wherever the plan made that possible.
 */
#ifndef TDTOP_MODEL_EVAL_H
#define TDTOP_MODEL_EVAL_H

#include "base/err.h"
#include "model/eval/sample.h"
#include "model/load/expr.h"
#include "model/load/frame.h"
#include "model/load/model.h"

struct eval {
    const struct model *model; /* borrowed */
    void *program_;            /* private */
};

/* Binds. The layout is not kept, of the constants a copy is. 0, -ENOMEM, or -E2BIG (over 65000
 * operations). */
int eval_init(struct eval *ev, const struct model *model, const struct layout *layout,
              const struct consts *consts, struct err *err);
void eval_destroy(struct eval *ev);

/* True if v is unknown for a reason that holds in every interval of the layout: an event without a
 * slot, a constant or a latency that is not known, or the model has no formula. */
bool eval_is_absent(const struct layout *layout, const struct value *v);

/* Fills every field of out but `err` of the values (see window.h). Never allocates. */
void eval_run(struct eval *ev, const struct sample *sample, struct frame *out);

/*
 * The value of one metric alone, as eval_run gives it, by the steps that it is made of: for the
 * counts of one thread or CPU (that of a target of which a part is not counted differs: WHY_PART).
 * NAN: not known. Fast for the same metric again and again. Never allocates.
 */
double eval_value(struct eval *ev, const struct sample *sample, int metric);

/*
 * Adds to square[metric] the square of what each value would move by if the count of that slot, of
 * an event of PERF_METRICS, were `count`. f is what ev evaluated last.
 */
void eval_moves(struct eval *ev, uint32_t slot, double count, const struct frame *f,
                double *square);

/* Fills `split` alone, of unknown values, too: from states and times of the counts, whatever they
 * are. */
void eval_split(const struct eval *ev, const struct sample *sample, struct frame *out);

/* What a metric was bound to. */
struct eval_bound {
    const struct ast
        *formula;   /* its ast, alt or fallback; NULL: unavailable, or nothing is bound */
    uint16_t group; /* its own group */
};
struct eval_bound eval_bound(const struct eval *ev, int metric);
/* The constants it was bound with: what known_value and known_leaves need to see what it sees. */
const struct consts *eval_consts(const struct eval *ev);
/* The slot that an event means to a formula with that group of its own; -1: it has no slot. */
int eval_slot(const struct layout *layout, int event, uint16_t group);

/* The sentence of a value's reason, for an unknown or an approximate one: "EXE.AMX_BUSY: not in the
 * recording". Returns buf; "" if there is none. */
const char *why_text(const struct model *model, struct why why, char *buf, size_t cap);

#endif
