/* Formulas and thresholds: names to events, metrics and constants. */
#include "model/load/model_load.h"

#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* --- names --- */

struct nearest {
    const char *name;
    int distance;
};

static void consider(struct nearest *best, const char *name, const char *want) {
    int d = str_same_name(name, want) ? 0 : str_distance(name, want);
    if (d < best->distance)
        *best = (struct nearest){name, d};
}

const char *name_hint(const struct loader *ld, const char *name, char *buf, size_t cap) {
    char base[256]; /* modifiers are not what was misspelt */
    str_copy(base, sizeof(base), name);
    base[strcspn(base, ":")] = '\0';
    struct nearest best = {NULL, 5};
    for (uint32_t i = 0; i < ld->m->n_metric; i++)
        consider(&best, ld->m->metric[i].name, base);
    for (size_t i = 0; i < ld->n_def; i++)
        consider(&best, ld->def[i].event.name, base);
    for (int i = 0; i < CONST_N; i++)
        consider(&best, const_name((enum const_id)i), base);
    struct strbuf sb = strbuf_on(buf, cap);
    if (best.name && strcmp(best.name, base) != 0)
        strbuf_add(&sb, "; did you mean '%s'?", best.name);
    return buf;
}

static int metric_named(const struct loader *ld, const char *name) {
    char lower[256];
    str_copy(lower, sizeof(lower), name);
    for (char *c = lower; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    int i = dict_get(&ld->metric_by_name, lower);
    return i >= 0 && !strcmp(ld->m->metric[i].name, name) ? i : METRIC_NONE;
}

/* The scope of a formula, and why its last look-up failed. */
struct names {
    struct loader *ld;
    const struct toml *value; /* the formula */
    const char *metric;       /* whose it is */
    struct err why;
};

static int formula_err(struct loader *ld, const struct toml *value, const char *metric,
                       size_t offset, const struct err *why) {
    if (why->code == -ENOMEM)
        return load_no_memory(ld);
    struct place p = place_in_string(ld->file, value, offset);
    return load_err_at(ld, p.line, p.col, "%s of %s: %s", value->key, metric, why->text);
}

/* Where a name stands in a formula. */
static size_t name_offset(const char *formula, const char *name) {
    size_t len = strlen(name);
    for (const char *at = formula; (at = strstr(at, name)); at++) {
        char before = at > formula ? at[-1] : ' ', after = at[len];
        if (!isalnum((unsigned char)before) && !strchr("_.:", before) &&
            !isalnum((unsigned char)after) && (!after || !strchr("_.:", after)))
            return (size_t)(at - formula);
    }
    return 0;
}

/* In a file that is checked the rest of the formula may hold more; the name stands for a number. */
static int unknown_noted(struct names *names, const char *name, enum ast_op *op, int *index) {
    struct loader *ld = names->ld;
    size_t at = name_offset(names->value->string, name);
    int rc = formula_err(ld, names->value, names->metric, at, &names->why);
    if (rc != -EINVAL)
        return rc;
    rc = problem_unknown(ld, name, false);
    if (rc < 0)
        return rc;
    names->why = (struct err){0}; /* told: what ends the formula, if anything does, is another */
    *op = AST_CONST;
    *index = CONST_DURATION_S;
    return 0;
}

static int name_find(struct loader *ld, const char *name, enum ast_op *op, struct err *why) {
    *op = AST_METRIC;
    int index = metric_named(ld, name);
    if (index >= 0)
        return index;
    *op = AST_CONST;
    index = const_find(name);
    if (index >= 0)
        return index;
    index = latency_of_spelling(ld, name);
    if (index != -ENOENT)
        return index < 0 ? index : CONST_N + index;
    *op = AST_EVENT;
    return event_of_spelling(ld, name, why);
}

static int name_lookup(void *user, const char *name, enum ast_op *op, int *index) {
    struct names *names = user;
    struct loader *ld = names->ld;
    *index = name_find(ld, name, op, &names->why);
    if (*index >= 0)
        return 0;
    char hint[320];
    if (*index == -ENOENT)
        err_set(&names->why, -EINVAL, "no such event, metric or constant: '%s'%s", name,
                name_hint(ld, name, hint, sizeof(hint)));
    if (ld->problems && names->why.code == -EINVAL && !file_is_general(ld->file))
        return unknown_noted(names, name, op, index);
    return names->why.code ? names->why.code : *index;
}

static void *name_alloc(void *user, size_t size) {
    struct names *names = user;
    return arena_alloc(&names->ld->mem->arena, size);
}

/* --- formulas --- */

/* A metric for every model may name what this one lacks: then it is there, but unavailable. */
static int lacking(struct loader *ld, struct metric *m, const struct err *why) {
    char text[320];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    strbuf_add(&sb, "not with the model %s: %s", ld->m->name, why->text);
    int rc = ld->problems ? problem_note(ld, true) : 0;
    if (rc < 0)
        return rc;
    m->unavailable = arena_text(&ld->mem->arena, text, sb.n);
    return m->unavailable ? 0 : load_no_memory(ld);
}

static int compile(struct loader *ld, const struct toml *value, struct metric *m,
                   struct ast **out) {
    struct names names = {.ld = ld, .value = value, .metric = m->name};
    struct scope scope = {.lookup = name_lookup, .user = &names, .alloc = name_alloc};
    struct err syntax = {0};
    size_t at = 0;
    *out = expr_parse(value->string, &scope, &at, &syntax);
    if (*out)
        return 0;
    int rc = formula_err(ld, value, m->name, at, names.why.code ? &names.why : &syntax);
    if (rc == -EINVAL && names.why.code == -EINVAL && file_is_general(ld->file))
        return lacking(ld, m, &names.why);
    return rc;
}

static bool is_one_line(const char *s) {
    bool space = true; /* none in front */
    for (; *s; s++) {
        if (isspace((unsigned char)*s) && (space || *s != ' '))
            return false;
        space = *s == ' ';
    }
    return !space;
}

/* The formula as it is shown: on one line. NULL when out of memory. */
static const char *one_line(struct loader *ld, const char *text) {
    if (is_one_line(text)) /* as nearly all are: the document keeps it */
        return text;
    char *copy = arena_text(&ld->mem->arena, text, strlen(text));
    if (!copy)
        return NULL;
    char *to = copy;
    for (const char *from = copy; *from; from++) {
        if (!isspace((unsigned char)*from))
            *to++ = *from;
        else if (to > copy && to[-1] != ' ')
            *to++ = ' ';
    }
    if (to > copy && to[-1] == ' ')
        to--;
    *to = '\0';
    return copy;
}

static int formula_take(struct loader *ld, const struct toml *value, struct metric *m,
                        struct ast **ast, const char **text) {
    if (!value)
        return 0;
    int rc = compile(ld, value, m, ast);
    if (rc < 0)
        return rc;
    *text = one_line(ld, value->string);
    return *text ? 0 : load_no_memory(ld);
}

static int when_take(struct loader *ld, const struct toml *value, struct metric *m) {
    return value ? compile(ld, value, m, &m->approximate_when) : 0;
}

/* --- thresholds --- */

static struct ast *ast_new(struct loader *ld, enum ast_op op, struct ast *a, struct ast *b) {
    struct ast *ast = arena_alloc(&ld->mem->arena, sizeof(*ast));
    if (ast)
        *ast = (struct ast){.op = op, .kid = {a, b}};
    return ast;
}

/* The words for "name > n & the parent's". */
static const char *threshold_words(struct loader *ld, const struct metric *m,
                                   const struct metric *parent, double n) {
    char own[300];
    struct strbuf sb = strbuf_on(own, sizeof(own));
    strbuf_add(&sb, "%s > %g", m->name, n);
    if (!parent || !parent->threshold_text)
        return arena_text(&ld->mem->arena, own, sb.n);
    const char *above = parent->threshold_text;
    bool loose = strchr(above, '|') || strstr(above, " if ");
    size_t cap = sb.n + strlen(above) + 8;
    char *text = arena_alloc(&ld->mem->arena, cap);
    if (!text)
        return NULL;
    struct strbuf all = strbuf_on(text, cap);
    strbuf_add(&all, loose ? "%s & (%s)" : "%s & %s", own, above);
    return text;
}

/* value > n, and the parent over its own threshold where it has one. */
static int threshold_number(struct loader *ld, struct metric *m, double n) {
    const struct metric *parent = m->parent == METRIC_NONE ? NULL : &ld->m->metric[m->parent];
    struct ast *value = ast_new(ld, AST_METRIC, NULL, NULL);
    struct ast *number = ast_new(ld, AST_NUMBER, NULL, NULL);
    m->threshold = ast_new(ld, AST_GT, value, number);
    m->threshold_text = threshold_words(ld, m, parent, n);
    if (!value || !number || !m->threshold || !m->threshold_text)
        return load_no_memory(ld);
    value->index = (int)(m - ld->m->metric);
    number->number = n;
    if (!parent || !parent->threshold)
        return 0;
    m->threshold = ast_new(ld, AST_AND, m->threshold, parent->threshold);
    return m->threshold ? 0 : load_no_memory(ld);
}

static int threshold_take(struct loader *ld, const struct toml *value, struct metric *m) {
    if (!value)
        return 0;
    if (value->type == TOML_STRING)
        return formula_take(ld, value, m, &m->threshold, &m->threshold_text);
    return threshold_number(ld, m, toml_number(value));
}

/* --- all of a metric --- */

static int metric_compile(struct loader *ld, struct metric *m, const struct metric_keys *k) {
    const struct {
        const struct toml *value;
        struct ast **ast;
        const char **text;
    } formulas[] = {
        {k->formula, &m->ast, &m->formula},
        {k->alt, &m->alt, &m->alt_formula},
        {k->fallback, &m->fallback, &m->fallback_formula},
    };
    int rc = 0;
    for (int i = 0; i < 3 && rc == 0; i++)
        rc = load_go_on(ld,
                        formula_take(ld, formulas[i].value, m, formulas[i].ast, formulas[i].text));
    if (rc == 0)
        rc = load_go_on(ld, when_take(ld, k->approximate_when, m));
    return rc == 0 ? load_go_on(ld, threshold_take(ld, k->threshold, m)) : rc;
}

/* What a metric lacks in one of its formulas, it lacks. */
static void drop_formulas(struct metric *m) {
    m->ast = m->alt = m->fallback = m->approximate_when = m->threshold = NULL;
}

/* Events to sample are not counted here; vendors name some that their formulas do not. */
static void locate_take(struct loader *ld, const struct metric *m) {
    for (const char **name = m->locate; name && *name; name++) {
        struct event_def *def = event_def_of(ld, *name);
        if (def)
            def->used = true;
    }
}

/* Parents come before their children, so a threshold can build on the parent's. */
int formulas_compile(struct loader *ld) {
    for (uint32_t i = 0; i < ld->m->n_metric; i++) {
        struct metric *m = &ld->m->metric[i];
        ld->file = ld->source_of[i]->file;
        int rc = metric_compile(ld, m, &ld->source_of[i]->keys);
        if (rc < 0)
            return rc;
        if (m->unavailable && !ld->source_of[i]->keys.unavailable)
            drop_formulas(m);
        locate_take(ld, m);
    }
    return 0;
}
