/*
 * Private to eval*.c: the bound form of a model, and what each operation does to value, duty and
 * reason. The binder folds constants with the same function that the runner inlines into its loops,
 * so both always agree.
 *
 * All cells lie in one sequence: constants, then the two times, then slots, then one cell per step.
 * Steps are sorted by depth and operation, so they run as a few hundred straight loops of one
 * operation each, and every operand has been written before it is read. A cell's value and its
 * origin are in two arrays: the CPU then finds both by one index, without arithmetic.
 */
#ifndef TDTOP_MODEL_EVAL_PROGRAM_H
#define TDTOP_MODEL_EVAL_PROGRAM_H

#include "base/array.h"
#include "model/eval/sample.h"
#include "model/load/expr.h"
#include "model/load/frame.h"
#include "model/load/model.h"

#include <math.h>
#include <string.h>

enum eval_op {
    EVAL_NUMBER, /* leaves */
    EVAL_DURATION,
    EVAL_TSC,
    EVAL_SLOT,
    EVAL_NEG, /* as in enum ast_op, same order */
    EVAL_ADD,
    EVAL_SUB,
    EVAL_MUL,
    EVAL_DIV,
    EVAL_MIN,
    EVAL_MAX,
    EVAL_LT,
    EVAL_GT,
    EVAL_LE,
    EVAL_GE,
    EVAL_EQ,
    EVAL_AND,
    EVAL_OR,
    EVAL_IF,
    EVAL_TEST_LT, /* thresholds: 1 or 0, unknown counts as 0; duty and reason are not needed */
    EVAL_TEST_GT,
    EVAL_TEST_LE,
    EVAL_TEST_GE,
    EVAL_TEST_EQ,
    EVAL_TEST_TRUE, /* known and not 0 */
    EVAL_TEST_AND,
    EVAL_TEST_OR,
    EVAL_OPS,
};

/* What a value is made of. */
struct origin {
    float duty;
    uint32_t why; /* struct why as bytes, so that it travels in one register; 0 = known */
};

/* Invariant: v is NAN if and only if why is not 0. */
struct cell {
    double v;
    float duty; /* of its origin */
    uint32_t why;
};

static inline uint32_t why_pack(struct why why) {
    uint32_t bits;
    _Static_assert(sizeof(bits) == sizeof(why), "struct why fits a cell");
    memcpy(&bits, &why, sizeof(bits));
    return bits;
}

static inline struct why why_unpack(uint32_t bits) {
    struct why why;
    memcpy(&why, &bits, sizeof(why));
    return why;
}

struct step {
    uint16_t a, b, c; /* cells */
};

struct run { /* n steps of one operation that do not need each other */
    uint16_t op, n;
};

enum { CELL_NONE = 0xffff };

#define SCALED_BELOW 0.9995f /* a duty that would print as less than 100.0 % */

struct result { /* of one metric */
    uint16_t cell;
    uint16_t over; /* cell of its threshold; without one a cell that is 0 */
    bool share;
    uint32_t approx_why; /* packed: what makes it approximate, here or below; or 0 */
};

struct bound {                 /* of one metric; for those who explain it */
    const struct ast *formula; /* borrowed from the model; NULL: unavailable */
    uint16_t group;
    bool timed; /* the length of the interval is in it */
};

/* A group that a metric's formula reads, told by one of its slots; only where there are several. */
struct part {
    uint16_t metric, slot;
    bool free; /* an event that it reads there could as well stand in another group */
};

/* A metric that reads the value of another. */
struct inherits {
    uint16_t metric, from;
};

struct slot_read {
    uint16_t slot, event;
};

struct redo { /* a step to be run again */
    uint16_t op, step;
};

/* What follows from the count in a slot of PERF_METRICS. */
struct reach {
    uint16_t slot;
    uint32_t cell;             /* of the count */
    uint32_t redo, n_redo;     /* steps between it and values: a part of program.redo */
    uint32_t metric, n_metric; /* these values: a part of program.reached */
};

/* The steps of the metric that eval_value was last asked for. */
struct one {
    int metric;     /* -1: none */
    bool *needed;   /* scratch: [n_cell] */
    uint16_t *read; /* [n_read] places in program.read */
    struct redo *redo;
    uint32_t n_read, n_redo;
};

struct program {
    double *v;             /* [n_cell] */
    struct origin *origin; /* [n_cell]; of the results of tests as program_put left it: known */
    uint32_t n_cell;
    uint32_t duration, tsc; /* cells of the times */
    double tsc_freq;        /* NAN: not known */
    uint32_t first_read;    /* cell of read[0] */
    struct slot_read *read;
    uint32_t n_read;
    struct step *step; /* results go to the cells after the slots, in order */
    uint32_t n_step;
    struct run *run;
    uint32_t n_run;
    struct result *result;           /* [n_metric] */
    struct bound *bound;             /* [n_metric] */
    ARRAY(struct part) part;         /* of all metrics, one after another */
    ARRAY(struct inherits) inherits; /* parts of others, in the order of model->order */
    ARRAY(struct part) leaf;         /* all slots that each metric's value is made of */
    ARRAY(struct reach) reach;       /* of the slots of PERF_METRICS */
    ARRAY(struct redo) redo;         /* of all of them, one after another */
    ARRAY(uint16_t) reached;         /* metrics of all of them, one after another */
    double *kept;                    /* scratch: values of the steps of the longest of them */
    struct one one;
    uint8_t *turn; /* [n_slot] of the slots that are read: enum slot_turn */
    bool *split;   /* [n_metric] what followed from it */
    uint16_t *top; /* tree metrics of level 1 and 2, and how many */
    uint32_t n_top;
    struct consts consts;            /* as they were when it was bound */
    struct latency_setting *latency; /* those of consts, owned */
};

enum slot_turn { SLOT_UNKNOWN, SLOT_MULTIPLEXED = 1, SLOT_ALWAYS_ON = 2 }; /* bits */

/* Of a slot with a count. */
static inline uint8_t parts_turn(double duty) {
    return duty < (double)SCALED_BELOW ? SLOT_MULTIPLEXED : SLOT_ALWAYS_ON;
}

/* min without a branch; duties are never NAN. */
static inline float duty_min(float a, float b) {
    return a < b ? a : b;
}

static inline struct cell cell_unknown(struct why why) {
    return (struct cell){NAN, 0.0f, why_pack(why)};
}

static inline struct cell program_cell(const struct program *p, uint32_t i) {
    return (struct cell){p->v[i], p->origin[i].duty, p->origin[i].why};
}

static inline uint32_t program_cell_of(const struct program *p, uint32_t step) {
    return p->first_read + p->n_read + step;
}

static inline void program_put(struct program *p, uint32_t i, struct cell c) {
    p->v[i] = c.v;
    p->origin[i] = (struct origin){c.duty, c.why};
}

static inline void program_put_times(struct program *p, const struct sample *s) {
    const double seconds = (double)(s->t1_ns - s->t0_ns) / 1e9;
    program_put(p, p->duration, (struct cell){seconds, 1.0f, 0});
    program_put(p, p->tsc, (struct cell){seconds * p->tsc_freq, 1.0f, 0}); /* unused if not known */
}

/* `a & b` where a known 0 decides, `a | b` where a known 1 decides. */
static inline struct cell cell_logic(const struct cell *a, const struct cell *b, bool decides) {
    const bool a_decides = !a->why && (a->v != 0.0) == decides;
    const bool b_decides = !b->why && (b->v != 0.0) == decides;
    const float both = duty_min(a->duty, b->duty);
    if (a_decides || b_decides)
        return (struct cell){decides, a->why ? b->duty : b->why ? a->duty : both, 0};
    const uint32_t why = a->why ? a->why : b->why;
    return (struct cell){why ? NAN : !decides, both, why};
}

/* One operation. Always inlined with a constant op: the switch is gone then. */
static inline __attribute__((always_inline)) struct cell
cell_apply(enum eval_op op, const struct cell *a, const struct cell *b, const struct cell *c) {
    const float duty = duty_min(a->duty, b->duty);
    const uint32_t why = a->why ? a->why : b->why;
#define KNOWN(expr) ((struct cell){why ? NAN : (double)(expr), duty, why})
    switch (op) {
    case EVAL_NEG:
        return (struct cell){-a->v, a->duty, a->why};
    case EVAL_ADD:
        return (struct cell){a->v + b->v, duty, why};
    case EVAL_SUB:
        return (struct cell){a->v - b->v, duty, why};
    case EVAL_MUL:
        return (struct cell){a->v * b->v, duty, why};
    case EVAL_DIV:
        if (__builtin_expect(b->v == 0.0, 0))
            return (struct cell){NAN, duty,
                                 why ? why : why_pack((struct why){.kind = WHY_DIV_ZERO})};
        return (struct cell){a->v / b->v, duty, why};
    case EVAL_MIN:
        return KNOWN(a->v < b->v ? a->v : b->v);
    case EVAL_MAX:
        return KNOWN(a->v > b->v ? a->v : b->v);
    case EVAL_LT:
        return KNOWN(a->v < b->v);
    case EVAL_GT:
        return KNOWN(a->v > b->v);
    case EVAL_LE:
        return KNOWN(a->v <= b->v);
    case EVAL_GE:
        return KNOWN(a->v >= b->v);
    case EVAL_EQ:
        return KNOWN(a->v == b->v);
    case EVAL_AND:
        return cell_logic(a, b, false);
    case EVAL_OR:
        return cell_logic(a, b, true);
    case EVAL_IF: { /* a if b else c */
        const struct cell *taken = b->v != 0.0 ? a : c;
        const float both = duty_min(b->duty, taken->duty);
        return (struct cell){b->why ? NAN : taken->v, both, b->why ? b->why : taken->why};
    }
    case EVAL_TEST_LT:
        return (struct cell){a->v < b->v, 1.0f, 0}; /* false for NAN: unknown is never over */
    case EVAL_TEST_GT:
        return (struct cell){a->v > b->v, 1.0f, 0};
    case EVAL_TEST_LE:
        return (struct cell){a->v <= b->v, 1.0f, 0};
    case EVAL_TEST_GE:
        return (struct cell){a->v >= b->v, 1.0f, 0};
    case EVAL_TEST_EQ:
        return (struct cell){a->v == b->v, 1.0f, 0};
    case EVAL_TEST_TRUE:
        return (struct cell){!a->why && a->v != 0.0, 1.0f, 0};
    case EVAL_TEST_AND:
        return (struct cell){a->v * b->v, 1.0f, 0};
    case EVAL_TEST_OR:
        return (struct cell){a->v > b->v ? a->v : b->v, 1.0f, 0};
    default:
        return cell_unknown((struct why){.kind = WHY_NOTHING});
    }
#undef KNOWN
}

/* The same of values alone, by the invariant of a cell: what the others come to is not worked out.
 */
static inline double value_apply(enum eval_op op, double a, double b, double c) {
    const struct cell of[] = {{a, 1.0f, isnan(a)}, {b, 1.0f, isnan(b)}, {c, 1.0f, isnan(c)}};
    return cell_apply(op, &of[0], &of[1], &of[2]).v;
}

#endif
