/* The formula language: what each text parses to, and where each error points. */
#include "model/load/expr.h"

#include "base/str.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Nodes of one parse; freed together. */
struct pool {
    void *at[8192];
    int n, limit;
};

static void *pool_alloc(void *user, size_t size) {
    struct pool *pool = user;
    if (pool->n >= pool->limit)
        return NULL;
    pool->at[pool->n] = malloc(size);
    return pool->at[pool->n++];
}

static void pool_free(struct pool *pool) {
    for (int i = 0; i < pool->n; i++)
        free(pool->at[i]);
    pool->n = 0;
}

static const struct {
    const char *name;
    enum ast_op op;
} known[] = {
    {"a", AST_METRIC},
    {"b", AST_METRIC},
    {"c", AST_METRIC},
    {"d", AST_METRIC},
    {"4K_Aliasing", AST_METRIC},
    {"minimum", AST_METRIC},
    {"iffy", AST_METRIC},
    {"FP_ARITH_INST_RETIRED.128B_PACKED_DOUBLE", AST_EVENT},
    {"UOPS_RETIRED.MS:c1:e1", AST_EVENT},
    {"OCR.DEMAND_RFO.L3_MISS:ocr_msr_val=0x103b800002", AST_EVENT},
    {"1e", AST_EVENT},
    {"inf", AST_EVENT},
    {"SMT_ON", AST_CONST},
};

static int lookup(void *user, const char *name, enum ast_op *op, int *index) {
    (void)user;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (!strcmp(known[i].name, name)) {
            *op = known[i].op;
            *index = (int)i;
            return 0;
        }
    return -ENOENT;
}

static const char *const op_text[] = {
    [AST_NEG] = "neg", [AST_ADD] = "+",   [AST_SUB] = "-", [AST_MUL] = "*", [AST_DIV] = "/",
    [AST_MIN] = "min", [AST_MAX] = "max", [AST_LT] = "<",  [AST_GT] = ">",  [AST_LE] = "<=",
    [AST_GE] = ">=",   [AST_EQ] = "==",   [AST_AND] = "&", [AST_OR] = "|",  [AST_IF] = "if",
};

/* (+ a (* b 2)): events in braces, constants after a dollar. */
static void dump(struct strbuf *sb, const struct ast *ast) {
    switch (ast->op) {
    case AST_NUMBER:
        strbuf_add(sb, "%.17g", ast->number);
        return;
    case AST_EVENT:
        strbuf_add(sb, "{%s}", known[ast->index].name);
        return;
    case AST_METRIC:
        strbuf_add(sb, "%s", known[ast->index].name);
        return;
    case AST_CONST:
        strbuf_add(sb, "$%s", known[ast->index].name);
        return;
    default:
        break;
    }
    strbuf_add(sb, "(%s", op_text[ast->op]);
    for (int i = 0; i < 3 && ast->kid[i]; i++) {
        strbuf_add(sb, " ");
        dump(sb, ast->kid[i]);
    }
    strbuf_add(sb, ")");
}

static void test_parses(void **state) {
    (void)state;
    static const struct {
        const char *what, *text, *tree;
    } cases[] = {
        {"a number", "0.25", "0.25"},
        {"a number with an exponent", "1e9", "1000000000"},
        {"a number with a signed exponent", "25e-2*a", "(* 0.25 a)"},
        {"an exponent with a plus", "1e+3", "1000"},
        {"no exponent: the name ends at the minus", "1e - 2", "(- {1e} 2)"},
        {"a number, then a minus", "2-3", "(- 2 3)"},
        {"a number that begins with a point", ".5", "0.5"},
        {"a hexadecimal number", "0x10", "16"},
        {"inf is a name, not a number", "inf", "{inf}"},
        {"a name that begins with a digit", "4K_Aliasing + 4", "(+ 4K_Aliasing 4)"},
        {"a name with a digit after the point", "FP_ARITH_INST_RETIRED.128B_PACKED_DOUBLE/2",
         "(/ {FP_ARITH_INST_RETIRED.128B_PACKED_DOUBLE} 2)"},
        {"modifiers", "3*UOPS_RETIRED.MS:c1:e1", "(* 3 {UOPS_RETIRED.MS:c1:e1})"},
        {"a modifier with a value", "a*OCR.DEMAND_RFO.L3_MISS:ocr_msr_val=0x103b800002+b",
         "(+ (* a {OCR.DEMAND_RFO.L3_MISS:ocr_msr_val=0x103b800002}) b)"},
        {"== right after modifiers", "UOPS_RETIRED.MS:c1:e1==2", "(== {UOPS_RETIRED.MS:c1:e1} 2)"},
        {"a constant", "SMT_ON", "$SMT_ON"},
        {"names that begin like words", "minimum + iffy", "(+ minimum iffy)"},
        {"product before sum", "a + b * c", "(+ a (* b c))"},
        {"left associative sum", "a - b - c", "(- (- a b) c)"},
        {"left associative product", "a / b / c * d", "(* (/ (/ a b) c) d)"},
        {"parentheses", "a * (b + c)", "(* a (+ b c))"},
        {"minus binds to its atom", "-a * b", "(* (neg a) b)"},
        {"minus after an operator", "a * -b - -2", "(- (* a (neg b)) (neg 2))"},
        {"sum before comparison", "a + b > c - d", "(> (+ a b) (- c d))"},
        {"& looser than comparison", "a > 1 & b < 2", "(& (> a 1) (< b 2))"},
        {"& tighter than |", "a | b & c | d", "(| (| a (& b c)) d)"},
        {"doubled signs", "a && b || c", "(| (& a b) c)"},
        {"all comparisons", "(a<=1) & (a>=1) & (a==1)", "(& (& (<= a 1) (>= a 1)) (== a 1))"},
        {"a condition", "a if b else c", "(if a b c)"},
        {"a condition is lowest", "a + 1 if b > 2 & c else d * 2",
         "(if (+ a 1) (& (> b 2) c) (* d 2))"},
        {"conditions associate to the right", "a if b else c if d else 1", "(if a b (if c d 1))"},
        {"a condition in parentheses", "(a if b else c) * 2", "(* (if a b c) 2)"},
        {"a condition as an argument", "max(a if b else c, 0)", "(max (if a b c) 0)"},
        {"three arguments", "min(a, b, c)", "(min (min a b) c)"},
        {"one argument", "max(a)", "a"},
        {"nested calls", "max(min(a, b) / c, 0)", "(max (/ (min a b) c) 0)"},
        {"lines and tabs", "\n a\r\n\t+ b\n", "(+ a b)"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pool pool = {.limit = 100};
        struct scope scope = {.lookup = lookup, .alloc = pool_alloc, .user = &pool};
        struct err err = {0};
        size_t at = 0;
        struct ast *ast = expr_parse(cases[i].text, &scope, &at, &err);
        if (!ast)
            fail_msg("%s: at %zu: %s", cases[i].what, at, err.text);
        char buf[512];
        struct strbuf sb = strbuf_on(buf, sizeof(buf));
        dump(&sb, ast);
        if (strcmp(buf, cases[i].tree))
            fail_msg("%s: %s, not %s", cases[i].what, buf, cases[i].tree);
        pool_free(&pool);
    }
}

static void test_refuses(void **state) {
    (void)state;
    static const struct {
        const char *what, *text;
        size_t at;
        const char *says;
    } cases[] = {
        {"nothing", "", 0, "found the end, expected a number"},
        {"spaces", "  ", 2, "found the end"},
        {"an unknown name", "a + zz * 2", 4, "'zz'"},
        {"an unknown name with modifiers", "a + UOPS_RETIRED.MS:c9", 4, "'UOPS_RETIRED.MS:c9'"},
        {"a missing operand", "a + ", 4, "found the end"},
        {"two names", "a b", 2, "found 'b', expected an operator"},
        {"a number stuck to a name", "1e-9foo", 4, "found 'foo'"},
        {"a missing parenthesis", "(a + b", 6, "expected an operator or ')'"},
        {"one too many", "a)", 1, "found ')'"},
        {"an unknown sign", "a % b", 2, "found '%'"},
        {"a sign of several bytes", "a \xc3\x97 b", 2, "found '\xc3\x97'"},
        {"a lone =", "a = b", 2, "found '='"},
        {"two minuses", "--a", 1, "found '-'"},
        {"chained comparisons", "a < b < c", 6, "'&' between two comparisons"},
        {"if without else", "a if b", 6, "'else'"},
        {"if without a condition", "a if else b", 5, "found 'else'"},
        {"else without if", "a else b", 2, "'if' before 'else'"},
        {"min without parentheses", "min a", 4, "'(' after min"},
        {"empty call", "max()", 4, "found ')'"},
        {"a missing argument", "max(a,)", 6, "found ')'"},
        {"an open call", "max(a, b", 8, "',' or ')'"},
        {"a colon without a name", ":c1", 0, "found ':'"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pool pool = {.limit = 100};
        struct scope scope = {.lookup = lookup, .alloc = pool_alloc, .user = &pool};
        struct err err = {0};
        size_t at = 999;
        if (expr_parse(cases[i].text, &scope, &at, &err))
            fail_msg("%s: was taken", cases[i].what);
        if (at != cases[i].at || !strstr(err.text, cases[i].says) || err.code >= 0)
            fail_msg("%s: at %zu, code %d: %s", cases[i].what, at, err.code, err.text);
        pool_free(&pool);
    }
}

/* A text that nests or grows without end must be refused, not overflow the stack. */
static void test_limits(void **state) {
    (void)state;
    static char text[20001];
    static const struct {
        const char *what, *unit;
        size_t times;
        bool fits;
    } cases[] = {
        {"199 parentheses", "(", 199, true},      {"200 parentheses", "(", 200, false},
        {"10000 parentheses", "(", 10000, false}, {"1000 terms", "a+", 1000, true},
        {"9000 terms", "a+", 9000, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pool pool = {.limit = 8192};
        struct scope scope = {.lookup = lookup, .alloc = pool_alloc, .user = &pool};
        struct strbuf sb = strbuf_on(text, sizeof(text));
        for (size_t k = 0; k < cases[i].times; k++)
            strbuf_add(&sb, "%s", cases[i].unit);
        strbuf_add(&sb, "a");
        for (size_t k = 0; k < cases[i].times && cases[i].unit[0] == '('; k++)
            strbuf_add(&sb, ")");
        struct err err = {0};
        bool fits = expr_parse(text, &scope, NULL, &err) != NULL;
        if (fits != cases[i].fits)
            fail_msg("%s: %s", cases[i].what, fits ? "was taken" : err.text);
        pool_free(&pool);
    }
    struct pool pool = {.limit = 3};
    struct scope scope = {.lookup = lookup, .alloc = pool_alloc, .user = &pool};
    struct err err = {0};
    assert_null(expr_parse("a + b * c", &scope, NULL, &err));
    assert_int_equal(err.code, -ENOMEM);
    pool_free(&pool);
}

static void collect(const struct ast *leaf, void *user) {
    strbuf_add(user, "%s ", known[leaf->index].name);
}

static void test_leaves(void **state) {
    (void)state;
    struct pool pool = {.limit = 100};
    struct scope scope = {.lookup = lookup, .alloc = pool_alloc, .user = &pool};
    struct err err = {0};
    struct ast *ast = expr_parse("max(a, 2) / inf if SMT_ON else -b + a", &scope, NULL, &err);
    assert_non_null(ast);
    char buf[128];
    struct strbuf sb = strbuf_on(buf, sizeof(buf));
    expr_leaves(ast, collect, &sb);
    assert_string_equal(buf, "a inf SMT_ON b a ");
    expr_leaves(NULL, collect, &sb);
    pool_free(&pool);
}

static void test_consts(void **state) {
    (void)state;
    struct consts c;
    memset(&c, 0xff, sizeof(c)); /* nothing of what was there remains */
    consts_init(&c);
    assert_int_equal(c.n_latency, 0);
    assert_null(c.latency);
    for (int i = 0; i < CONST_N; i++) {
        assert_true(isnan(c.value[i]));
        assert_false(c.fixed_by_user[i]);
        assert_int_equal(const_find(const_name((enum const_id)i)), i);
    }
    assert_int_equal(const_find("NUM_CPUS"), CONST_NUM_CPUS);
    assert_int_equal(const_find("EBS_MODE"), CONST_EBS_MODE);
    assert_int_equal(const_find("SLOTS_PER_CYCLE"), CONST_SLOTS_PER_CYCLE);
    assert_int_equal(const_find("NUM_CATS"), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parses), cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_limits), cmocka_unit_test(test_leaves),
        cmocka_unit_test(test_consts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
