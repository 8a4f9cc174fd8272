/*
 * The formula language of model files.
 *
 *   expr   := or [ "if" or "else" expr ]          lowest, right associative; lazy
 *   or     := and { "|" and }       and := cmp { "&" cmp }      ("||", "&&" too)
 *   cmp    := sum [ ("<"|">"|"<="|">="|"==") sum ]    & and | bind looser than comparisons
 *   sum    := term { ("+"|"-") term }    term := unary { ("*"|"/") unary }    unary := ["-"] atom
 *   atom   := NUMBER | NAME | "min(" expr {"," expr} ")" | "max(...)" | "(" expr ")"
 *
 * A NAME is a run of letters, digits, '_' and '.', with modifiers ":c1:e1:ocr_msr_val=0x10"; it may
 * begin with a digit ("4K_Aliasing"). It means a metric, an event or a constant: see struct scope.
 * Values are doubles. Unknown is NAN and spreads through everything, except that `&` with a
 * known 0 is 0, `|` with a known 1 is 1, and if/else looks only at the branch it takes.
 * x/0 is unknown. Comparisons give 1 or 0.
 */
#ifndef TDTOP_MODEL_EXPR_H
#define TDTOP_MODEL_EXPR_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ast_op {
    AST_NUMBER,
    AST_EVENT,  /* index: model event */
    AST_METRIC, /* index: model metric */
    AST_CONST,  /* index: enum const_id, or CONST_N + i for latency i of the model */
    AST_NEG,
    AST_ADD,
    AST_SUB,
    AST_MUL,
    AST_DIV,
    AST_MIN,
    AST_MAX,
    AST_LT,
    AST_GT,
    AST_LE,
    AST_GE,
    AST_EQ,
    AST_AND,
    AST_OR,
    AST_IF, /* kid[0] if kid[1] else kid[2] */
};

struct ast {
    enum ast_op op;
    double number;
    int index;
    struct ast *kid[3]; /* NULL from the first that is unused */
};

static inline bool ast_is_comparison(const struct ast *a) {
    return a->op >= AST_LT && a->op <= AST_EQ;
}

/* Constants that a formula may name. The first two change with every interval. */
enum const_id {
    CONST_DURATION_S,
    CONST_TSC,             /* TSC ticks in the interval */
    CONST_SYSTEM_TSC_FREQ, /* Hz */
    CONST_SMT_ON,
    CONST_NUM_CPUS,
    CONST_SOCKET_COUNT,
    CONST_CHAS_PER_SOCKET,
    CONST_CORES_PER_SOCKET,
    /* 1: the counts are of hardware threads whose siblings' work is not in them (a process, a
     * thread, a CPU without its sibling), so that what a core did must be estimated; 0: of whole
     * cores. Intel's TMA tables call it EBS mode. */
    CONST_EBS_MODE,
    CONST_SLOTS_PER_CYCLE, /* the model's, unless the kernel knows better (Arm caps/slots) */
    CONST_TARGET_CPUS,     /* CPUs that are measured as such (-a, -C); 1 for processes, threads */
    CONST_N,               /* CONST_N + i: struct model's latency[i] */
};

/* A retire latency that the user has measured: --const 'EVENT:retire_latency=12.5'. */
struct latency_setting {
    char event[96];
    double cycles;
};

/* Values of the constants; NAN = not known. --const sets them. */
struct consts {
    double value[CONST_N];
    bool fixed_by_user[CONST_N];           /* DURATION_S and TSC then do not follow the interval */
    const struct latency_setting *latency; /* borrowed; n_latency of them */
    uint32_t n_latency;
};
void consts_init(struct consts *c); /* all NAN, no latencies */
const char *const_name(enum const_id id);
int const_find(const char *name); /* or -1 */

/* What a name means; filled by the model loader. Returns 0 and sets op and index, or -ENOENT. */
struct scope {
    int (*lookup)(void *user, const char *name, enum ast_op *op, int *index);
    void *user;
    void *(*alloc)(void *user, size_t size); /* memory of the nodes; freed by its owner */
};

/*
 * Parses text. On error *at is the offset of the offending character (in bytes from 0) and err says
 * what was found and expected. Returns the tree, or NULL.
 */
struct ast *expr_parse(const char *text, const struct scope *scope, size_t *at, struct err *err);

/* Calls fn for each leaf (AST_EVENT, AST_METRIC, AST_CONST), left to right. */
void expr_leaves(const struct ast *ast, void (*fn)(const struct ast *leaf, void *user), void *user);

#endif
