/*
 * Binding: which formula, which slots, which constants, for each metric in dependency order.
 *
 * A metric that is `inlined` has no fixed place: where it is used its formula is built again for
 * the slots of the user's own group, so that "per cycle" divides by the cycles of the same group.
 */
#include "model/eval/eval.h"

#include "model/eval/eval_graph.h"
#include "model/eval/eval_moves.h"
#include "model/eval/eval_one.h"
#include "model/eval/eval_parts.h"
#include "model/eval/eval_whole.h"
#include "model/load/known.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

static const uint32_t NO_NODE = UINT32_MAX;

struct binder {
    const struct model *model;
    const struct layout *layout;
    const struct consts *consts;
    struct graph graph;
    struct slot_index slots;
    const struct ast **chosen; /* [n_metric] formula in use; NULL: unavailable */
    uint32_t *result;          /* [n_metric] node, or NO_NODE before its turn */
    struct why *approx;        /* [n_metric] what makes it approximate, here or below */
    uint32_t *over;            /* [n_metric] node; without a threshold a 0 */
};

/* How names in one formula are to be read. */
struct context {
    uint16_t group; /* preferred where an event has several slots */
    bool expand;    /* build inlined metrics anew, for this group */
};

/* What a formula needs, dead branches left out. */
struct survey {
    bool missing;      /* an event has no slot */
    bool unrecorded;   /* ... because the recording does not hold it */
    struct why approx; /* the first thing that makes it approximate: a latency, or a metric below */
    bool *seen;        /* [n_event] events met */
    bool *below;       /* [n_metric] metrics met whose values are read */
    uint32_t *votes;   /* [n_group] how many of them the group holds */
};

static uint32_t build_event(struct binder *b, int event, uint16_t group) {
    const int slot = slot_index_find(&b->slots, event, group);
    if (slot == NO_SLOT) {
        const uint8_t state = b->layout->missing[event];
        return graph_unknown(&b->graph,
                             (struct why){.kind = WHY_EVENT,
                                          .code = state == COUNT_OK ? COUNT_NO_EVENT : state,
                                          .index = (uint16_t)event});
    }
    return graph_slot(&b->graph, (uint32_t)slot, (uint32_t)event);
}

static uint32_t build_known(struct binder *b, int id) {
    const double v = known_const(b->model, b->consts, id);
    if (isfinite(v))
        return graph_number(&b->graph, v);
    const struct why why =
        id < CONST_N ? (struct why){.kind = WHY_CONST, .index = (uint16_t)id}
                     : (struct why){.kind = WHY_LATENCY, .index = (uint16_t)(id - CONST_N)};
    return graph_unknown(&b->graph, why);
}

/* DURATION_S and TSC follow the interval unless the user fixed them. */
static uint32_t build_const(struct binder *b, int id) {
    const struct consts *c = b->consts;
    if ((id != CONST_DURATION_S && id != CONST_TSC) || c->fixed_by_user[id])
        return build_known(b, id);
    if (id == CONST_DURATION_S)
        return graph_time(&b->graph, EVAL_DURATION);
    if (!isfinite(c->value[CONST_SYSTEM_TSC_FREQ]))
        return build_known(b, CONST_SYSTEM_TSC_FREQ);
    if (c->fixed_by_user[CONST_DURATION_S])
        return graph_op(&b->graph, EVAL_MUL, build_known(b, CONST_SYSTEM_TSC_FREQ),
                        build_known(b, CONST_DURATION_S), 0);
    return graph_time(&b->graph, EVAL_TSC);
}

static uint32_t build(struct binder *b, const struct ast *ast, struct context in);

static uint32_t build_metric(struct binder *b, int metric, struct context in) {
    if (in.expand && b->model->metric[metric].inlined && b->chosen[metric])
        return build(b, b->chosen[metric], in);
    assert(b->result[metric] != NO_NODE); /* model->order puts it first */
    return b->result[metric];
}

/*
 * A condition as a node, and what it is if it is a constant: the planner's answer first, so that
 * both drop the same branch ("SMT_ON & EVENT > 0" is decided where SMT is off).
 */
static const struct cell *build_condition(struct binder *b, const struct ast *ast,
                                          struct context in, uint32_t *node) {
    double v;
    *node =
        known_value(b->model, b->consts, ast, &v) ? graph_number(&b->graph, v) : build(b, ast, in);
    return graph_constant(&b->graph, *node);
}

/* A branch that is never taken is not even built: its events need not exist. */
static uint32_t build_if(struct binder *b, const struct ast *ast, struct context in) {
    uint32_t cond;
    const struct cell *known = build_condition(b, ast->kid[1], in, &cond);
    if (known && known->why)
        return cond;
    if (known)
        return build(b, known->v != 0.0 ? ast->kid[0] : ast->kid[2], in);
    const uint32_t yes = build(b, ast->kid[0], in);
    return graph_op(&b->graph, EVAL_IF, yes, cond, build(b, ast->kid[2], in));
}

static bool is_comparison(const struct ast *ast) {
    return ast->op >= AST_LT && ast->op <= AST_EQ;
}

/* A latency that nobody knows, for which a comparison has -1: the vendor's word for unknown. */
static bool is_guessed(const struct binder *b, const struct ast *side) {
    return side->op == AST_CONST && side->index >= CONST_N &&
           !isfinite(known_const(b->model, b->consts, side->index));
}

/* One side of a comparison. */
static uint32_t build_side(struct binder *b, const struct ast *side, struct context in) {
    return is_guessed(b, side) ? graph_number(&b->graph, -1.0) : build(b, side, in);
}

static uint32_t build(struct binder *b, const struct ast *ast, struct context in) {
    switch (ast->op) {
    case AST_NUMBER:
        return graph_number(&b->graph, ast->number);
    case AST_EVENT:
        return build_event(b, ast->index, in.group);
    case AST_METRIC:
        return build_metric(b, ast->index, in);
    case AST_CONST:
        return build_const(b, ast->index);
    case AST_IF:
        return build_if(b, ast, in);
    default:
        break;
    }
    const enum eval_op op = (enum eval_op)(EVAL_NEG + (ast->op - AST_NEG));
    if (is_comparison(ast)) {
        const uint32_t side = build_side(b, ast->kid[0], in);
        return graph_op(&b->graph, op, side, build_side(b, ast->kid[1], in), 0);
    }
    const uint32_t left = build(b, ast->kid[0], in);
    return graph_op(&b->graph, op, left, ast->kid[1] ? build(b, ast->kid[1], in) : 0, 0);
}

static uint32_t build_test(struct binder *b, const struct ast *ast);

/* "a & b & c" as a & (b & c): the ends are the thresholds of the parents, which siblings share. */
static uint32_t build_all_of(struct binder *b, const struct ast *ast, uint32_t rest) {
    if (ast->op == AST_AND)
        return build_all_of(b, ast->kid[0], build_all_of(b, ast->kid[1], rest));
    const uint32_t test = build_test(b, ast);
    return rest == NO_NODE ? test : graph_op(&b->graph, EVAL_TEST_AND, test, rest, 0);
}

/*
 * A threshold asks only "known and true?". That question may be put to the parts of `&`, `|` and
 * of a comparison one by one, so reasons and duties need not be carried through them.
 */
static uint32_t build_test(struct binder *b, const struct ast *ast) {
    const struct context in = {.expand = false}; /* what is shown is what is compared */
    if (ast->op == AST_AND)
        return build_all_of(b, ast, NO_NODE);
    if (ast->op == AST_OR) {
        const uint32_t left = build_test(b, ast->kid[0]);
        return graph_op(&b->graph, EVAL_TEST_OR, left, build_test(b, ast->kid[1]), 0);
    }
    if (!is_comparison(ast))
        return graph_op(&b->graph, EVAL_TEST_TRUE, build(b, ast, in), 0, 0);
    const enum eval_op op = (enum eval_op)(EVAL_TEST_LT + (ast->op - AST_LT));
    const uint32_t left = build_side(b, ast->kid[0], in);
    return graph_op(&b->graph, op, left, build_side(b, ast->kid[1], in), 0);
}

static void survey_event(const struct binder *b, int event, struct survey *sv) {
    if (sv->seen[event])
        return;
    sv->seen[event] = true;
    if (b->slots.first[event] == NO_SLOT)
        sv->missing = true;
    sv->unrecorded |= b->layout->missing[event] == COUNT_ABSENT;
    for (int i = b->slots.first[event]; i != NO_SLOT; i = b->slots.next[i])
        sv->votes[b->layout->slot[i].group]++;
}

static void survey_approx(struct survey *sv, struct why why) {
    if (sv->approx.kind == WHY_NOTHING)
        sv->approx = why;
}

/* A latency that is used is exact only if the user gave it. */
static void survey_const(const struct binder *b, int id, struct survey *sv) {
    if (id < CONST_N || !isfinite(known_const(b->model, b->consts, id)))
        return;
    const uint16_t i = (uint16_t)(id - CONST_N);
    const struct latency *l = &b->model->latency[i];
    if (!l->own && !known_latency_setting(b->consts, l->event))
        survey_approx(sv, (struct why){.kind = WHY_LATENCY, .code = 1, .index = i});
}

/* A comparison that was given -1 for a latency: what it chooses is a makeshift. */
static void survey_sides(const struct binder *b, const struct ast *ast, struct survey *sv) {
    for (int i = 0; i < 2; i++)
        if (is_guessed(b, ast->kid[i]))
            survey_approx(sv, (struct why){.kind = WHY_LATENCY,
                                           .code = 2,
                                           .index = (uint16_t)(ast->kid[i]->index - CONST_N)});
}

/* Of a condition that is decided nothing else remains in the formula. */
static void survey_decided(const struct binder *b, const struct ast *cond, struct survey *sv) {
    if (!cond)
        return;
    if (is_comparison(cond))
        survey_sides(b, cond, sv);
    for (int i = 0; i < 3; i++)
        survey_decided(b, cond->kid[i], sv);
}

static void survey_ast(struct binder *b, const struct ast *ast, struct survey *sv);

static void survey_metric(struct binder *b, int metric, struct survey *sv) {
    survey_approx(sv, b->approx[metric]);
    if (b->model->metric[metric].inlined)
        survey_ast(b, b->chosen[metric], sv);
    else
        sv->below[metric] = true;
}

/* False if the condition is not decided yet. */
static bool survey_if(struct binder *b, const struct ast *ast, struct survey *sv) {
    uint32_t node;
    const struct cell *known =
        build_condition(b, ast->kid[1], (struct context){.expand = true}, &node);
    if (!known)
        return false;
    survey_decided(b, ast->kid[1], sv);
    survey_ast(b, ast->kid[known->why ? 1 : known->v != 0.0 ? 0 : 2], sv);
    return true;
}

static void survey_ast(struct binder *b, const struct ast *ast, struct survey *sv) {
    if (!ast || (ast->op == AST_IF && survey_if(b, ast, sv)))
        return;
    if (ast->op == AST_EVENT)
        survey_event(b, ast->index, sv);
    else if (ast->op == AST_METRIC)
        survey_metric(b, ast->index, sv);
    else if (ast->op == AST_CONST)
        survey_const(b, ast->index, sv);
    else if (is_comparison(ast))
        survey_sides(b, ast, sv);
    for (int i = 0; i < 3 && ast->kid[i]; i++)
        survey_ast(b, ast->kid[i], sv);
}

static void survey(struct binder *b, const struct ast *ast, struct survey *sv) {
    memset(sv->seen, 0, b->model->n_event * sizeof(*sv->seen));
    memset(sv->below, 0, b->model->n_metric * sizeof(*sv->below));
    memset(sv->votes, 0, b->layout->n_group * sizeof(*sv->votes));
    sv->missing = sv->unrecorded = false;
    sv->approx = (struct why){.kind = WHY_NOTHING};
    survey_ast(b, ast, sv);
}

/* What makes it approximate by its own words, here and now; else what the survey found. */
static struct why approx_of(const struct binder *b, uint16_t metric, const struct survey *sv) {
    switch (known_warning(b->model, b->consts, &b->model->metric[metric])) {
    case WARNING_SURE:
        return (struct why){.kind = WHY_FALLBACK, .code = 0, .index = metric};
    case WARNING_EBS_MODE:
        return (struct why){.kind = WHY_CONST, .code = 1, .index = CONST_EBS_MODE};
    default:
        return sv->approx;
    }
}

/* Picks the formula of a metric and surveys it. */
static void choose(struct binder *b, uint16_t metric, struct survey *sv) {
    const struct metric *m = &b->model->metric[metric];
    const struct ast *ast = b->layout->no_perf_metrics && m->alt ? m->alt : m->ast;
    b->chosen[metric] = m->unavailable ? NULL : ast;
    survey(b, b->chosen[metric], sv);
    if (b->chosen[metric] && ast == m->alt && sv->unrecorded) {
        b->chosen[metric] = m->ast; /* its events are what one should have recorded */
        survey(b, m->ast, sv);
    }
    b->approx[metric] = approx_of(b, metric, sv);
    if (!sv->missing || !m->fallback)
        return;
    survey(b, m->fallback, sv);
    if (sv->missing) {
        survey(b, b->chosen[metric], sv);
        return;
    }
    b->chosen[metric] = m->fallback;
    b->approx[metric] = (struct why){.kind = WHY_FALLBACK, .code = 1, .index = metric};
}

static uint16_t own_group(const struct binder *b, const struct survey *sv) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < b->layout->n_group; i++)
        if (sv->votes[i] > sv->votes[best])
            best = i;
    return (uint16_t)best;
}

static void bind_metrics(struct binder *b, struct survey *sv, struct program *p) {
    for (uint32_t i = 0; i < b->model->n_metric; i++) {
        const uint16_t metric = b->model->order[i];
        choose(b, metric, sv);
        const struct context in = {.group = own_group(b, sv), .expand = true};
        p->bound[metric] = (struct bound){.formula = b->chosen[metric], .group = in.group};
        const struct parts_of parts = {sv->seen, sv->below, in.group};
        if (parts_note(p, b->model, &b->slots, metric, &parts))
            b->graph.rc = -ENOMEM;
        b->result[metric] =
            b->chosen[metric]
                ? build(b, b->chosen[metric], in)
                : graph_unknown(&b->graph, (struct why){.kind = WHY_UNAVAILABLE, .index = metric});
        graph_use(&b->graph, b->result[metric]);
        whole_note(&b->graph, p, metric, b->result[metric]);
    }
    for (uint32_t i = 0; i < b->model->n_metric; i++) {
        const struct ast *threshold = b->model->metric[i].threshold;
        b->over[i] = threshold ? build_test(b, threshold) : graph_number(&b->graph, 0.0);
        graph_use(&b->graph, b->over[i]);
    }
}

static void write_results(const struct binder *b, struct program *p) {
    const struct graph_node *node = b->graph.node.at;
    for (uint32_t i = 0; i < b->model->n_metric; i++) {
        const struct metric *m = &b->model->metric[i];
        p->result[i] = (struct result){
            .cell = (uint16_t)node[b->result[i]].cell,
            .over = (uint16_t)node[b->over[i]].cell,
            .share = m->share,
            .approx_why = why_pack(b->approx[i]),
        };
        if (m->kind == METRIC_TREE && (m->level == 1 || m->level == 2))
            p->top[p->n_top++] = (uint16_t)i;
    }
    p->tsc_freq = b->consts->value[CONST_SYSTEM_TSC_FREQ];
}

/* A copy of its own: who asks later what a branch was decided by must see the same. */
static int keep_consts(const struct binder *b, struct program *p) {
    p->consts = *b->consts;
    p->consts.latency = NULL;
    if (p->consts.n_latency == 0)
        return 0;
    p->latency = calloc(p->consts.n_latency, sizeof(*p->latency));
    if (!p->latency)
        return -ENOMEM;
    memcpy(p->latency, b->consts->latency, p->consts.n_latency * sizeof(*p->latency));
    p->consts.latency = p->latency;
    return 0;
}

static int bind(struct binder *b, struct survey *sv, struct program *p) {
    bind_metrics(b, sv, p);
    const int rc = b->graph.rc < 0 ? b->graph.rc : graph_schedule(&b->graph, p);
    if (rc < 0)
        return rc;
    write_results(b, p);
    return moves_note(p, b->model) < 0 || one_reserve(p) < 0 ? -ENOMEM : keep_consts(b, p);
}

static bool binder_alloc(struct binder *b, struct survey *sv, struct program *p) {
    const size_t n_metric = b->model->n_metric, n_event = b->model->n_event;
    b->chosen = calloc(n_metric + 1, sizeof(*b->chosen));
    b->result = malloc((n_metric + 1) * sizeof(*b->result));
    b->approx = calloc(n_metric + 1, sizeof(*b->approx));
    b->over = calloc(n_metric + 1, sizeof(*b->over));
    sv->seen = calloc(n_event + 1, sizeof(*sv->seen));
    sv->below = calloc(n_metric + 1, sizeof(*sv->below));
    sv->votes = calloc(b->layout->n_group + 1u, sizeof(*sv->votes));
    p->result = calloc(n_metric + 1, sizeof(*p->result));
    p->bound = calloc(n_metric + 1, sizeof(*p->bound));
    p->top = calloc(n_metric + 1, sizeof(*p->top));
    p->turn = calloc(b->layout->n_slot + 1u, sizeof(*p->turn)); /* SLOT_UNKNOWN: nothing parted */
    p->split = calloc(n_metric + 1, sizeof(*p->split));
    if (slot_index_init(&b->slots, b->layout) < 0 || !b->chosen || !b->result || !b->approx ||
        !b->over || !sv->seen || !sv->below || !sv->votes || !p->result || !p->bound || !p->top ||
        !p->turn || !p->split)
        return false;
    memset(b->result, 0xff, (n_metric + 1) * sizeof(*b->result)); /* NO_NODE */
    return true;
}

static void binder_free(struct binder *b, struct survey *sv) {
    graph_destroy(&b->graph);
    slot_index_destroy(&b->slots);
    free(b->chosen);
    free(b->result);
    free(b->approx);
    free(b->over);
    free(sv->seen);
    free(sv->below);
    free(sv->votes);
}

int eval_init(struct eval *ev, const struct model *model, const struct layout *layout,
              const struct consts *consts, struct err *err) {
    struct binder b = {.model = model, .layout = layout, .consts = consts};
    struct survey sv = {0};
    struct program *p = calloc(1, sizeof(*p));
    *ev = (struct eval){.model = model, .program_ = p};

    int rc = p && binder_alloc(&b, &sv, p) ? graph_init(&b.graph) : -ENOMEM;
    if (rc == 0)
        rc = bind(&b, &sv, p);
    binder_free(&b, &sv);
    if (rc == 0)
        return 0;
    eval_destroy(ev);
    return err_set(err, rc, "model %s: %s", model->name,
                   rc == -E2BIG ? "its formulas need more than 65000 operations; split the model"
                                : "out of memory for its formulas; close other programs");
}

void eval_destroy(struct eval *ev) {
    struct program *p = ev->program_;
    if (p) {
        free(p->v);
        free(p->origin);
        free(p->read);
        free(p->step);
        free(p->run);
        free(p->result);
        free(p->bound);
        array_free(&p->part);
        array_free(&p->inherits);
        array_free(&p->leaf);
        array_free(&p->reach);
        array_free(&p->redo);
        array_free(&p->reached);
        free(p->kept);
        one_destroy(p);
        free(p->turn);
        free(p->split);
        free(p->top);
        free(p->latency);
        free(p);
    }
    *ev = (struct eval){0};
}
