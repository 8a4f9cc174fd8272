/* Running a bound model: see eval_program.h for the form, eval_bind.c for how it comes about. */
#include "model/eval/eval.h"

#include "model/eval/bottleneck.h"
#include "model/eval/eval_program.h"

#include <math.h>
#include <stdio.h>

/* --- parts that were counted at different times: see eval_bind.c --- */

/* From part *i on, which is left behind the last of the same metric. */
static bool are_split(const struct program *p, size_t *i) {
    const struct part *part = &p->part.at[*i], *end = p->part.at + p->part.n;
    const uint16_t metric = part->metric;
    unsigned multiplexed = 0, always = 0;
    for (; part < end && part->metric == metric; part++) {
        const unsigned turn = p->turn[part->slot];
        multiplexed += turn & SLOT_MULTIPLEXED;
        always |= turn & (part->free ? SLOT_ALWAYS_ON : 0u);
    }
    *i = (size_t)(part - p->part.at);
    return multiplexed > 1 || (multiplexed == 1 && always);
}

/* Fills p->split from p->turn, of all values, known or not. Inherited in the order in which they
 * were noted: what is below is known by then. */
static void parts_find(struct program *p, uint32_t n_metric) {
    memset(p->split, 0, n_metric * sizeof(*p->split));
    for (size_t i = 0; i < p->part.n;) {
        const uint16_t metric = p->part.at[i].metric;
        p->split[metric] = are_split(p, &i);
    }
    for (size_t i = 0; i < p->inherits.n; i++)
        p->split[p->inherits.at[i].metric] |= p->split[p->inherits.at[i].from];
}

/* --- counts of a part of the target --- */

/*
 * Values of which only a part of the target was counted, because descriptors
 * were too few for all of its threads or CPUs. Nothing is put in for those that are missing: they
 * are no random sample, and may do something else. So a share is that of the counted ones, and is
 * marked; what means the whole target, a rate or a total in time, is unknown; and so is what
 * relates a part's counts to those of the whole (/proc, boxes outside the cores).
 */

static void withdraw(struct value *v, bool means_all, uint8_t percent) {
    if (isnan(v->v))
        return; /* it has its reason */
    v->why = (struct why){.kind = WHY_PART, .code = !means_all, .index = percent};
    v->approx = !means_all;
    if (!means_all)
        return;
    v->v = NAN;
    v->state = VALUE_NA;
    v->over = false;
}

/* Marks or withdraws values of out: needed only where a count of s is of a part. */
static void whole_run(const struct program *p, const struct sample *s, struct frame *out) {
    for (size_t i = 0; i < p->leaf.n;) {
        const uint16_t metric = p->leaf.at[i].metric;
        bool of_all = p->bound[metric].timed;
        uint8_t part = 0;
        for (; i < p->leaf.n && p->leaf.at[i].metric == metric; i++) {
            const struct count *c = &s->at[p->leaf.at[i].slot];
            of_all = of_all || c->part == 0;
            part = c->part && (!part || c->part < part) ? c->part : part;
        }
        if (part)
            withdraw(&out->at[metric], of_all, part);
    }
}

/* Running a bound model: see eval_program.h for the form, eval_bind.c for how it comes about. */

#define ODD_BELOW (-0.05) /* toplev calls shares outside of these bounds mismeasured */
#define ODD_ABOVE 1.05

/* What was seen while the counts were read. */
struct seen {
    bool turned; /* other slots are multiplexed than in the last sample: that they do not is the
                    rule */
    bool part;   /* a count is not of the whole target */
};

static struct seen read_slots(struct program *p, const struct sample *s) {
    const struct slot_read *read = p->read;
    const uint32_t n = p->n_read;
    double *v = p->v + p->first_read;
    struct origin *origin = p->origin + p->first_read;
    uint8_t *turns = p->turn; /* locals: a byte may alias whatever a pointer leads to */
    unsigned turned = 0, part = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct count *c = &s->at[read[i].slot];
        const bool counted = c->state == COUNT_OK;
        const double duty = count_duty(c);
        const uint8_t turn = counted ? parts_turn(duty) : SLOT_UNKNOWN;
        turned |= turn ^ turns[read[i].slot];
        turns[read[i].slot] = turn;
        part |= c->part;
        v[i] = c->value;
        origin[i] = (struct origin){(float)duty, 0};
        if (counted && isfinite(c->value))
            continue;
        const uint8_t state = counted ? COUNT_NOT_COUNTED : c->state;
        const struct why why = {WHY_EVENT, state, read[i].event};
        v[i] = NAN;
        origin[i] = (struct origin){0.0f, why_pack(why)};
    }
    return (struct seen){turned != 0, part != 0};
}

/* One straight loop per operation: the compiler sees each with a constant op. */
#define LOOP(op, set)                                                                              \
    case op:                                                                                       \
        for (uint32_t i = 0; i < n; i++) {                                                         \
            const struct cell a = {v[s[i].a], origin[s[i].a].duty, origin[s[i].a].why};            \
            const struct cell b = {v[s[i].b], origin[s[i].b].duty, origin[s[i].b].why};            \
            const struct cell c = {v[s[i].c], origin[s[i].c].duty, origin[s[i].c].why};            \
            const struct cell r = cell_apply(op, &a, &b, &c);                                      \
            v_out[i] = r.v;                                                                        \
            set;                                                                                   \
        }                                                                                          \
        break
#define VALUE(op) LOOP(op, (origin_out[i] = (struct origin){r.duty, r.why}))
#define TEST(op)  LOOP(op, (void)0) /* known, as it stands there */

static void run_loop(enum eval_op op, const struct step *restrict s, uint32_t n, struct program *p,
                     uint32_t out) {
    const double *v = p->v;
    const struct origin *origin = p->origin;
    double *restrict v_out = p->v + out; /* no operand of this loop */
    struct origin *restrict origin_out = p->origin + out;
    switch (op) {
        VALUE(EVAL_NEG);
        VALUE(EVAL_ADD);
        VALUE(EVAL_SUB);
        VALUE(EVAL_MUL);
        VALUE(EVAL_DIV);
        VALUE(EVAL_MIN);
        VALUE(EVAL_MAX);
        VALUE(EVAL_LT);
        VALUE(EVAL_GT);
        VALUE(EVAL_LE);
        VALUE(EVAL_GE);
        VALUE(EVAL_EQ);
        VALUE(EVAL_AND);
        VALUE(EVAL_OR);
        VALUE(EVAL_IF);
        TEST(EVAL_TEST_LT);
        TEST(EVAL_TEST_GT);
        TEST(EVAL_TEST_LE);
        TEST(EVAL_TEST_GE);
        TEST(EVAL_TEST_EQ);
        TEST(EVAL_TEST_TRUE);
        TEST(EVAL_TEST_AND);
        TEST(EVAL_TEST_OR);
    default:
        break; /* leaves are not steps */
    }
}

static void run_steps(struct program *p) {
    uint32_t step = 0;
    for (uint32_t i = 0; i < p->n_run; i++) {
        const uint32_t n = p->run[i].n;
        run_loop((enum eval_op)p->run[i].op, p->step + step, n, p, program_cell_of(p, step));
        step += n;
    }
}

static uint8_t known_state(double v, float duty, bool share) {
    if (share && (v < ODD_BELOW || v > ODD_ABOVE))
        return VALUE_ODD;
    return duty < SCALED_BELOW ? VALUE_SCALED : VALUE_EXACT;
}

static void write_unknown(uint32_t bits, uint16_t metric, struct value *out) {
    struct why why = why_unpack(bits);
    if (why.kind == WHY_NOTHING) /* counts are finite: a quotient by next to nothing overflowed */
        why.kind = WHY_DIV_ZERO;
    if (why.kind == WHY_DIV_ZERO)
        why = (struct why){.kind = WHY_DIV_ZERO, .code = 1, .index = metric};
    out->v = NAN;
    out->state = why.kind == WHY_EVENT && why.code == COUNT_STALE ? VALUE_STALE : VALUE_NA;
    out->over = out->near = out->split = out->approx = false;
    out->why = why;
}

static void write_values(const struct program *p, struct frame *f) {
    const double *v = p->v;
    const struct origin *origin = p->origin;
    const bool *split = p->split;
    const struct result *r = p->result;
    struct value *out = f->at;
    for (uint32_t i = 0, n = f->n_metric; i < n; i++, r++, out++) {
        out->v = v[r->cell];
        out->duty = origin[r->cell].duty;
        if (!isfinite(out->v)) {
            write_unknown(origin[r->cell].why, (uint16_t)i, out);
            continue;
        }
        out->over = v[r->over] != 0.0;
        out->split = split[i];
        out->state = known_state(out->v, out->duty, r->share);
        out->approx = r->approx_why != 0;
        out->why = why_unpack(r->approx_why);
    }
}

/* Level 1 sum, and the least duty of what level 1 and 2 know. */
static void write_top(const struct eval *ev, const struct program *p, struct frame *out) {
    double sum = 0.0;
    float duty = NAN;
    bool any = false;
    for (uint32_t i = 0; i < p->n_top; i++) {
        const struct metric *m = &ev->model->metric[p->top[i]];
        const struct value *v = &out->at[p->top[i]];
        if (!isnan(v->v) && !(duty <= v->duty))
            duty = v->duty;
        if (m->level != 1 || !m->share)
            continue;
        sum += v->v;
        any = true;
    }
    out->root_sum = any ? sum : NAN;
    out->duty = duty;
}

void eval_split(const struct eval *ev, const struct sample *sample, struct frame *out) {
    struct program *p = ev->program_;
    if (read_slots(p, sample).turned)
        parts_find(p, out->n_metric);
    for (uint32_t i = 0; i < out->n_metric; i++)
        out->at[i].split = p->split[i];
}

void eval_run(struct eval *ev, const struct sample *sample, struct frame *out) {
    struct program *p = ev->program_;
    program_put_times(p, sample);
    const struct seen seen = read_slots(p, sample);
    run_steps(p);
    if (seen.turned)
        parts_find(p, out->n_metric);
    write_values(p, out);
    if (seen.part) /* as it nearly never is */
        whole_run(p, sample, out);
    out->seq = sample->seq;
    out->t0_ns = sample->t0_ns;
    out->t1_ns = sample->t1_ns;
    out->here = sample->busy_ns ? (double)sample->resident_ns / (double)sample->busy_ns : NAN;
    out->threads = sample->target_threads;
    write_top(ev, p, out);
    out->idle = false;
    bottleneck_find(ev->model, out, &out->bottleneck);
}

struct eval_bound eval_bound(const struct eval *ev, int metric) {
    const struct program *p = ev->program_;
    if (!p)
        return (struct eval_bound){0};
    return (struct eval_bound){p->bound[metric].formula, p->bound[metric].group};
}

const struct consts *eval_consts(const struct eval *ev) {
    return &((const struct program *)ev->program_)->consts;
}

int eval_slot(const struct layout *layout, int event, uint16_t group) {
    int first = -1;
    for (uint32_t i = 0; i < layout->n_slot; i++) {
        if (layout->slot[i].event != event)
            continue;
        if (layout->slot[i].group == group)
            return (int)i;
        if (first < 0)
            first = (int)i;
    }
    return first;
}

/* ---- one metric by itself ---- */

/* From its value down to the counts. */
static void mark_needed(const struct program *p, int metric, bool *needed) {
    memset(needed, 0, p->n_cell * sizeof(*needed));
    needed[p->result[metric].cell] = true;
    for (uint32_t i = p->n_step; i-- > 0;) {
        const struct step *s = &p->step[i];
        if (needed[program_cell_of(p, i)])
            needed[s->a] = needed[s->b] = needed[s->c] = true;
    }
}

static void note_one(struct program *p, int metric) {
    struct one *one = &p->one;
    mark_needed(p, metric, one->needed);
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
        note_one(p, metric);
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

/* ---- what a count of PERF_METRICS moves ---- */

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

/* ---- reasons in words ---- */

/* What to give a constant, where VALUE alone would leave one guessing. */
static const char *const const_remedy[CONST_N] = {
    [CONST_SMT_ON] = "1 where cores run two hardware threads, 0 where they run one",
    [CONST_EBS_MODE] = "1 for counts of single hardware threads, 0 for those of whole cores",
    [CONST_SLOTS_PER_CYCLE] = "WIDTH sets it, the slots that the core has per cycle",
    [CONST_CORES_PER_SOCKET] = "NUMBER sets it, the cores of one socket",
};

static void const_text(struct why why, char *buf, size_t cap) {
    if (why.index >= CONST_N) {
        snprintf(buf, cap, "a constant of the formula is not known");
        return;
    }
    if (why.code) { /* perf and sim say what they count */
        snprintf(buf, cap,
                 "the recording does not tell whether its counts are of whole cores; --const "
                 "EBS_MODE=0 says that they are");
        return;
    }
    const char *name = const_name((enum const_id)why.index), *remedy = const_remedy[why.index];
    snprintf(buf, cap, "%s: not known; --const %s=%s", name, name,
             remedy ? remedy : "VALUE sets it");
}

static void latency_text(const struct model *m, struct why why, char *buf, size_t cap) {
    if (why.index >= m->n_latency) {
        snprintf(buf, cap, "a retire latency is not known");
        return;
    }
    const struct latency *l = &m->latency[why.index];
    if (why.code == 1)
        snprintf(buf, cap,
                 "retire latency of %s is the vendor's average, %.1f cycles, not measured here",
                 l->event, l->cycles);
    else
        snprintf(buf, cap,
                 "retire latency of %s is not known%s: --const '%s:retire_latency=CYCLES'",
                 l->event, why.code ? ", a fixed cost is used" : "", l->event);
}

static void approximate_text(const struct model *m, struct why why, char *buf, size_t cap) {
    const struct metric *mt = why.index < m->n_metric ? &m->metric[why.index] : NULL;
    const char *note = !mt ? NULL : why.code ? mt->fallback_note : mt->approximate;
    snprintf(buf, cap, "%s is approximate: %s", mt ? mt->name : "a metric",
             note ? note : "a simpler formula is used");
}

static void part_text(struct why why, char *buf, size_t cap) {
    if (why.code)
        snprintf(buf, cap, "descriptor limit: it is that of %u%% of the threads or CPUs",
                 why.index);
    else
        snprintf(buf, cap,
                 "descriptor limit: %u%% of the threads or CPUs are counted, and do not tell what "
                 "all do",
                 why.index);
}

bool eval_is_absent(const struct layout *layout, const struct value *v) {
    if (!isnan(v->v))
        return false;
    if (v->why.kind == WHY_EVENT)
        return v->why.index < layout->n_event && layout->missing[v->why.index] != COUNT_OK;
    return v->why.kind == WHY_CONST || v->why.kind == WHY_LATENCY || v->why.kind == WHY_UNAVAILABLE;
}

const char *why_text(const struct model *model, struct why why, char *buf, size_t cap) {
    const struct metric *m = why.index < model->n_metric ? &model->metric[why.index] : NULL;
    const char *event = why.index < model->n_event ? model->event[why.index].name : "an event";
    if (cap > 0)
        buf[0] = '\0';
    switch ((enum why_kind)why.kind) {
    case WHY_NOTHING:
        break;
    case WHY_EVENT:
        if (why.code == COUNT_ELSEWHERE) /* so it is with all events */
            snprintf(buf, cap, "%s", count_state_text(COUNT_ELSEWHERE));
        else
            snprintf(buf, cap, "%s: %s", event, count_state_text((enum count_state)why.code));
        break;
    case WHY_CONST:
        const_text(why, buf, cap);
        break;
    case WHY_DIV_ZERO:
        snprintf(buf, cap, "%s",
                 why.code && m && m->zero_note
                     ? m->zero_note
                     : "divides by zero: what it is a share of was not seen");
        break;
    case WHY_UNAVAILABLE:
        snprintf(buf, cap, "%s", m && m->unavailable ? m->unavailable : "not available");
        break;
    case WHY_FALLBACK:
        approximate_text(model, why, buf, cap);
        break;
    case WHY_LATENCY:
        latency_text(model, why, buf, cap);
        break;
    case WHY_PART:
        part_text(why, buf, cap);
        break;
    }
    return buf;
}
