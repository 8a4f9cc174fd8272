/*
 * A recursive descent parser, one function per line of the grammar in expr.h. The scanner is one
 * token ahead. Nothing is folded or reordered here: a formula stays as its author wrote it, so that
 * its value is the one that the vendor's formula gives, to the last bit.
 */
#include "model/load/expr.h"

#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAME_CAP = 256,
    DEPTH_MAX = 200,  /* nested parentheses: enough for any formula, little enough for any stack */
    NODES_MAX = 4096, /* of one formula: a sum is as deep as it has terms */
};

enum token {
    TOK_END,
    TOK_NUMBER,
    TOK_NAME,
    TOK_IF,
    TOK_ELSE,
    TOK_MIN,
    TOK_MAX,
    TOK_OPEN,
    TOK_CLOSE,
    TOK_COMMA,
    TOK_PLUS,
    TOK_MINUS,
    TOK_TIMES,
    TOK_OVER,
    TOK_LT,
    TOK_GT,
    TOK_LE,
    TOK_GE,
    TOK_EQ,
    TOK_AND,
    TOK_OR,
    TOK_BAD,
};

struct parser {
    const char *text;
    const struct scope *scope;
    struct err *err;
    size_t *error_at;
    enum token tok; /* one token ahead */
    size_t start, end;
    double number;
    int depth;
    int n_nodes;
};

/* Longer spellings first. */
static const struct {
    const char *text;
    enum token tok;
} symbols[] = {
    {"<=", TOK_LE},  {">=", TOK_GE},   {"==", TOK_EQ},   {"&&", TOK_AND},
    {"||", TOK_OR},  {"<", TOK_LT},    {">", TOK_GT},    {"&", TOK_AND},
    {"|", TOK_OR},   {"(", TOK_OPEN},  {")", TOK_CLOSE}, {",", TOK_COMMA},
    {"+", TOK_PLUS}, {"-", TOK_MINUS}, {"*", TOK_TIMES}, {"/", TOK_OVER},
};

static const struct {
    const char *text;
    enum token tok;
} words[] = {{"if", TOK_IF}, {"else", TOK_ELSE}, {"min", TOK_MIN}, {"max", TOK_MAX}};

static const struct {
    enum token tok;
    enum ast_op op;
} comparisons[] = {
    {TOK_LT, AST_LT}, {TOK_GT, AST_GT}, {TOK_LE, AST_LE}, {TOK_GE, AST_GE}, {TOK_EQ, AST_EQ}};

static bool in_name(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* strtod that always takes '.' for the decimal point, whatever the locale of the program. */
static double number_at(const char *s, char **end) {
    return strtod_l(s, end, newlocale(LC_ALL_MASK, "C", (locale_t)0)); /* glibc: static, no leak */
}

/* End of the modifiers ":c1:ocr_msr_val=0x10" that may follow a name at p. */
static const char *mods_end(const char *p) {
    while (p[0] == ':' && in_name(p[1])) {
        p++;
        while (in_name(*p) || (*p == '=' && p[1] != '=' && in_name(p[1])))
            p++;
    }
    return p;
}

/* A word is a number if strtod takes all of it ("1e-9" even past the run), else a name. */
static void scan_word(struct parser *p) {
    const char *s = p->text + p->start;
    const char *end = s;
    while (in_name(*end))
        end++;
    if (isdigit((unsigned char)*s) || *s == '.') {
        char *after = NULL;
        p->number = number_at(s, &after);
        if (after >= end) {
            p->tok = TOK_NUMBER;
            p->end = (size_t)(after - p->text);
            return;
        }
    }
    p->tok = TOK_NAME;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strlen(words[i].text) == (size_t)(end - s) &&
            !strncmp(s, words[i].text, (size_t)(end - s)))
            p->tok = words[i].tok;
    if (p->tok == TOK_NAME)
        end = mods_end(end);
    p->end = (size_t)(end - p->text);
}

static void scan(struct parser *p) {
    p->start = p->end;
    while (p->text[p->start] && strchr(" \t\r\n", p->text[p->start]))
        p->start++;
    const char *s = p->text + p->start;
    if (!*s) {
        p->tok = TOK_END;
        p->end = p->start;
        return;
    }
    if (in_name(*s)) {
        scan_word(p);
        return;
    }
    p->tok = TOK_BAD;
    p->end = p->start + 1;
    for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
        if (*s == symbols[i].text[0] && str_starts(s, symbols[i].text)) {
            p->tok = symbols[i].tok;
            p->end = p->start + strlen(symbols[i].text);
            return;
        }
}

/* Reports the token ahead. Returns NULL, so `return fail(...)` is the idiom. */
static struct ast *fail(struct parser *p, const char *expected) {
    char found[80] = "the end";
    *p->error_at = p->start;
    if (p->tok != TOK_END) {
        size_t len = p->end - p->start;
        if (p->tok == TOK_BAD) { /* the whole character, not its first byte */
            size_t used = 1;
            str_decode(p->text + p->start, &used);
            len = used;
        }
        char raw[64];
        str_copy(raw, len + 1 < sizeof(raw) ? len + 1 : sizeof(raw), p->text + p->start);
        char safe[64];
        snprintf(found, sizeof(found), "'%s'", str_safe(safe, sizeof(safe), raw));
    }
    err_set(p->err, -EINVAL, "found %s, expected %s", found, expected);
    return NULL;
}

static struct ast *node(struct parser *p, enum ast_op op, struct ast *a, struct ast *b,
                        struct ast *c) {
    if (++p->n_nodes > NODES_MAX)
        return fail(p, "the end (a formula has at most 4096 parts)");
    struct ast *ast = p->scope->alloc(p->scope->user, sizeof(*ast));
    if (!ast) {
        *p->error_at = p->start;
        err_set(p->err, -ENOMEM, "out of memory");
        return NULL;
    }
    *ast = (struct ast){.op = op, .kid = {a, b, c}};
    return ast;
}

static struct ast *binary(struct parser *p, enum ast_op op, struct ast *a, struct ast *b) {
    return a && b ? node(p, op, a, b, NULL) : NULL;
}

static struct ast *parse_expr(struct parser *p);

static struct ast *parse_name(struct parser *p) {
    char name[NAME_CAP];
    size_t len = p->end - p->start;
    if (len >= sizeof(name))
        return fail(p, "a name of less than 256 characters");
    memcpy(name, p->text + p->start, len);
    name[len] = '\0';
    enum ast_op op = AST_CONST;
    int index = -1;
    int rc = p->scope->lookup(p->scope->user, name, &op, &index);
    if (rc < 0) {
        *p->error_at = p->start;
        err_set(p->err, rc, "no metric, event or constant has the name '%s'", name);
        return NULL;
    }
    struct ast *ast = node(p, op, NULL, NULL, NULL);
    if (ast)
        ast->index = index;
    scan(p);
    return ast;
}

static struct ast *parse_number(struct parser *p) {
    struct ast *ast = node(p, AST_NUMBER, NULL, NULL, NULL);
    if (ast)
        ast->number = p->number;
    scan(p);
    return ast;
}

/* min(a, b, c) becomes min(min(a, b), c). */
static struct ast *parse_min_max(struct parser *p, enum ast_op op) {
    scan(p);
    if (p->tok != TOK_OPEN)
        return fail(p, op == AST_MIN ? "'(' after min" : "'(' after max");
    scan(p);
    struct ast *ast = parse_expr(p);
    while (ast && p->tok == TOK_COMMA) {
        scan(p);
        ast = binary(p, op, ast, parse_expr(p));
    }
    if (ast && p->tok != TOK_CLOSE)
        return fail(p, "an operator, ',' or ')'");
    scan(p);
    return ast;
}

static struct ast *parse_parentheses(struct parser *p) {
    scan(p);
    struct ast *ast = parse_expr(p);
    if (ast && p->tok != TOK_CLOSE)
        return fail(p, "an operator or ')'");
    scan(p);
    return ast;
}

static struct ast *parse_atom(struct parser *p) {
    switch (p->tok) {
    case TOK_NUMBER:
        return parse_number(p);
    case TOK_NAME:
        return parse_name(p);
    case TOK_MIN:
        return parse_min_max(p, AST_MIN);
    case TOK_MAX:
        return parse_min_max(p, AST_MAX);
    case TOK_OPEN:
        return parse_parentheses(p);
    default:
        return fail(p, "a number, a name, '(', min or max");
    }
}

static struct ast *parse_unary(struct parser *p) {
    if (p->tok != TOK_MINUS)
        return parse_atom(p);
    scan(p);
    struct ast *ast = parse_atom(p);
    return ast ? node(p, AST_NEG, ast, NULL, NULL) : NULL;
}

static struct ast *parse_term(struct parser *p) {
    struct ast *ast = parse_unary(p);
    while (ast && (p->tok == TOK_TIMES || p->tok == TOK_OVER)) {
        enum ast_op op = p->tok == TOK_TIMES ? AST_MUL : AST_DIV;
        scan(p);
        ast = binary(p, op, ast, parse_unary(p));
    }
    return ast;
}

static struct ast *parse_sum(struct parser *p) {
    struct ast *ast = parse_term(p);
    while (ast && (p->tok == TOK_PLUS || p->tok == TOK_MINUS)) {
        enum ast_op op = p->tok == TOK_PLUS ? AST_ADD : AST_SUB;
        scan(p);
        ast = binary(p, op, ast, parse_term(p));
    }
    return ast;
}

static int comparison(enum token tok) {
    for (size_t i = 0; i < sizeof(comparisons) / sizeof(comparisons[0]); i++)
        if (comparisons[i].tok == tok)
            return (int)comparisons[i].op;
    return -1;
}

static struct ast *parse_comparison(struct parser *p) {
    struct ast *ast = parse_sum(p);
    int op = comparison(p->tok);
    if (!ast || op < 0)
        return ast;
    scan(p);
    ast = binary(p, (enum ast_op)op, ast, parse_sum(p));
    if (ast && comparison(p->tok) >= 0)
        return fail(p, "'&' between two comparisons");
    return ast;
}

static struct ast *parse_and(struct parser *p) {
    struct ast *ast = parse_comparison(p);
    while (ast && p->tok == TOK_AND) {
        scan(p);
        ast = binary(p, AST_AND, ast, parse_comparison(p));
    }
    return ast;
}

static struct ast *parse_or(struct parser *p) {
    struct ast *ast = parse_and(p);
    while (ast && p->tok == TOK_OR) {
        scan(p);
        ast = binary(p, AST_OR, ast, parse_and(p));
    }
    return ast;
}

/* VALUE if CONDITION else OTHER, where OTHER may go on with another if. */
static struct ast *parse_if(struct parser *p) {
    struct ast *value = parse_or(p);
    if (!value || p->tok != TOK_IF)
        return value;
    scan(p);
    struct ast *condition = parse_or(p);
    if (condition && p->tok != TOK_ELSE)
        return fail(p, "an operator or 'else'");
    scan(p);
    struct ast *other = condition ? parse_expr(p) : NULL;
    return other ? node(p, AST_IF, value, condition, other) : NULL;
}

static struct ast *parse_expr(struct parser *p) {
    if (p->depth >= DEPTH_MAX)
        return fail(p, "less nesting (200 levels at most)");
    p->depth++;
    struct ast *ast = parse_if(p);
    p->depth--;
    return ast;
}

struct ast *expr_parse(const char *text, const struct scope *scope, size_t *at, struct err *err) {
    size_t ignored;
    struct parser p = {.text = text, .scope = scope, .err = err, .error_at = at ? at : &ignored};
    scan(&p);
    struct ast *ast = parse_expr(&p);
    if (ast && p.tok != TOK_END)
        return fail(&p, p.tok == TOK_ELSE ? "'if' before 'else'" : "an operator or the end");
    return ast;
}

void expr_leaves(const struct ast *ast, void (*fn)(const struct ast *leaf, void *user),
                 void *user) {
    if (!ast)
        return;
    if (ast->op == AST_EVENT || ast->op == AST_METRIC || ast->op == AST_CONST)
        fn(ast, user);
    for (int i = 0; i < 3 && ast->kid[i]; i++)
        expr_leaves(ast->kid[i], fn, user);
}

static const char *const const_names[CONST_N] = {
    [CONST_DURATION_S] = "DURATION_S",
    [CONST_TSC] = "TSC",
    [CONST_SYSTEM_TSC_FREQ] = "SYSTEM_TSC_FREQ",
    [CONST_SMT_ON] = "SMT_ON",
    [CONST_NUM_CPUS] = "NUM_CPUS",
    [CONST_SOCKET_COUNT] = "SOCKET_COUNT",
    [CONST_CHAS_PER_SOCKET] = "CHAS_PER_SOCKET",
    [CONST_CORES_PER_SOCKET] = "CORES_PER_SOCKET",
    [CONST_EBS_MODE] = "EBS_MODE",
    [CONST_SLOTS_PER_CYCLE] = "SLOTS_PER_CYCLE",
    [CONST_TARGET_CPUS] = "TARGET_CPUS",
};

void consts_init(struct consts *c) {
    *c = (struct consts){.latency = NULL};
    for (int i = 0; i < CONST_N; i++)
        c->value[i] = NAN;
}

const char *const_name(enum const_id id) {
    return const_names[id];
}

int const_find(const char *name) {
    for (int i = 0; i < CONST_N; i++)
        if (!strcmp(name, const_names[i]))
            return i;
    return -1;
}
