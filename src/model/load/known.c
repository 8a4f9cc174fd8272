#include "model/load/known.h"

#include <math.h>
#include <string.h>

const struct latency_setting *known_latency_setting(const struct consts *c, const char *event) {
    for (uint32_t i = 0; i < c->n_latency; i++)
        if (strcmp(c->latency[i].event, event) == 0)
            return &c->latency[i];
    return NULL;
}

/* The model's where --const does not give it. */
static double known_latency(const struct model *m, const struct consts *c, uint32_t i) {
    if (i >= m->n_latency)
        return NAN;
    const struct latency_setting *own = known_latency_setting(c, m->latency[i].event);
    return own ? own->cycles : m->latency[i].cycles;
}

double known_const(const struct model *m, const struct consts *c, int index) {
    if (index >= CONST_N)
        return known_latency(m, c, (uint32_t)(index - CONST_N));
    if ((index == CONST_DURATION_S || index == CONST_TSC) && !c->fixed_by_user[index])
        return NAN;
    if (isfinite(c->value[index]))
        return c->value[index];
    if (index == CONST_SLOTS_PER_CYCLE && m->slots_per_cycle > 0)
        return m->slots_per_cycle;
    return index == CONST_EBS_MODE ? 0.0 : index == CONST_TARGET_CPUS ? 1.0 : NAN;
}

/* ---- expressions ---- */

enum { STEPS_MAX = 20000 }; /* metrics that name each other twice could take for ever */

struct known {
    const struct model *m;
    const struct consts *c;
    bool told; /* EBS_MODE counts only where it was given; not 0 where it was not */
    int steps;
};

static double value_of(struct known *k, const struct ast *a);

/* One side of a comparison: a latency that is not known is -1 there. */
static double side_of(struct known *k, const struct ast *a) {
    double v = value_of(k, a);
    return isnan(v) && a->op == AST_CONST && a->index >= CONST_N ? -1.0 : v;
}

static double compare(enum ast_op op, double a, double b) {
    return op == AST_LT   ? a < b
           : op == AST_GT ? a > b
           : op == AST_LE ? a <= b
           : op == AST_GE ? a >= b
                          : a == b;
}

/* A known 0 decides an `&`, a known 1 an `|`, whatever the other side is. */
static double logic(enum ast_op op, double a, double b) {
    const bool decisive = op == AST_OR;
    if ((!isnan(a) && (a != 0.0) == decisive) || (!isnan(b) && (b != 0.0) == decisive))
        return decisive ? 1.0 : 0.0;
    return isnan(a) || isnan(b) ? NAN : decisive ? 0.0 : 1.0;
}

static double arithmetic(enum ast_op op, double a, double b) {
    if (isnan(b))
        return NAN;
    switch (op) {
    case AST_ADD:
        return a + b;
    case AST_SUB:
        return a - b;
    case AST_MUL:
        return a * b;
    case AST_DIV:
        return b == 0.0 ? NAN : a / b;
    case AST_MIN:
        return a < b ? a : b;
    default:
        return a > b ? a : b; /* AST_MAX */
    }
}

static double comparison_of(struct known *k, const struct ast *a) {
    const double x = side_of(k, a->kid[0]);
    if (isnan(x))
        return NAN;
    const double y = side_of(k, a->kid[1]);
    return isnan(y) ? NAN : compare(a->op, x, y);
}

static double choice_of(struct known *k, const struct ast *a) {
    const double cond = value_of(k, a->kid[1]);
    return isnan(cond) ? NAN : value_of(k, cond != 0.0 ? a->kid[0] : a->kid[2]);
}

static double metric_of(struct known *k, int index) {
    const struct metric *mt = &k->m->metric[index];
    return mt->ast && !mt->alt && !mt->fallback && !mt->unavailable ? value_of(k, mt->ast) : NAN;
}

static double const_of(const struct known *k, int index) {
    bool guess = index == CONST_EBS_MODE && !isfinite(k->c->value[index]);
    return guess && k->told ? NAN : known_const(k->m, k->c, index);
}

static double value_of(struct known *k, const struct ast *a) {
    if (++k->steps > STEPS_MAX)
        return NAN;
    if (a->op == AST_NUMBER)
        return a->number;
    if (a->op == AST_CONST)
        return const_of(k, a->index);
    if (a->op == AST_METRIC) /* the loader has refused cycles */
        return metric_of(k, a->index);
    if (a->op == AST_EVENT)
        return NAN;
    if (a->op == AST_NEG)
        return -value_of(k, a->kid[0]);
    if (a->op == AST_IF)
        return choice_of(k, a);
    if (ast_is_comparison(a))
        return comparison_of(k, a);
    const double x = value_of(k, a->kid[0]);
    if (a->op == AST_AND || a->op == AST_OR)
        return logic(a->op, x, value_of(k, a->kid[1]));
    return isnan(x) ? NAN : arithmetic(a->op, x, value_of(k, a->kid[1]));
}

bool known_value(const struct model *m, const struct consts *c, const struct ast *ast, double *v) {
    struct known k = {.m = m, .c = c};
    *v = value_of(&k, ast);
    return !isnan(*v);
}

enum known_warning known_warning(const struct model *m, const struct consts *c,
                                 const struct metric *mt) {
    double v;
    if (!mt->approximate)
        return WARNING_NONE;
    if (!mt->approximate_when)
        return WARNING_SURE;
    if (!known_value(m, c, mt->approximate_when, &v))
        return WARNING_NONE;
    if (v != 0.0)
        return WARNING_SURE;
    struct known k = {.m = m, .c = c, .told = true};
    return isnan(value_of(&k, mt->approximate_when)) ? WARNING_EBS_MODE : WARNING_NONE;
}

void known_leaves(const struct model *m, const struct consts *c, const struct ast *ast,
                  void (*fn)(const struct ast *leaf, void *user), void *user) {
    double cond;
    if (!ast)
        return;
    if (ast->op == AST_IF && known_value(m, c, ast->kid[1], &cond)) {
        known_leaves(m, c, ast->kid[cond != 0.0 ? 0 : 2], fn, user);
        return;
    }
    if (ast->op == AST_EVENT || ast->op == AST_METRIC || ast->op == AST_CONST)
        fn(ast, user);
    for (int i = 0; i < 3 && ast->kid[i]; i++)
        known_leaves(m, c, ast->kid[i], fn, user);
}
