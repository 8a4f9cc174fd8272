/*
 * Formulas: names to events, metrics and constants; places of errors inside a string; thresholds.
 */
#include "model/model_load.h"

#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* --- the place of an offset inside a string of the file --- */

struct place {
    const char *at, *end; /* in the file's text */
    int line, col;        /* from 1; column in characters */
};

static char next_byte(const struct place *p) {
    return p->at < p->end ? *p->at : '\0';
}

static void step(struct place *p) {
    if (p->at == p->end)
        return;
    bool newline = *p->at++ == '\n';
    if (newline) {
        p->line++;
        p->col = 1;
    } else if (((unsigned char)next_byte(p) & 0xc0) != 0x80) { /* a new character begins */
        p->col++;
    }
}

static const char *line_start(const char *text, const char *end, int line) {
    for (; line > 1; line--) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        if (!newline)
            return end;
        text = newline + 1;
    }
    return text;
}

/* Skips the opening quotes; of a multi-line string also the newline that is not part of it. */
static void skip_quotes(struct place *p) {
    char quote = next_byte(p);
    bool multi = p->end - p->at >= 3 && p->at[1] == quote && p->at[2] == quote;
    for (int i = 0; i < (multi ? 3 : 1); i++)
        step(p);
    if (multi && next_byte(p) == '\r')
        step(p);
    if (multi && next_byte(p) == '\n')
        step(p);
}

/*
 * Where byte `offset` of a string value stands in the file. An escape counts as one byte, which
 * holds for all that make sense in a formula.
 */
static struct place place_in_string(const struct loader *ld, const struct toml *value,
                                    size_t offset) {
    const char *end = ld->text + ld->len;
    struct place p = {line_start(ld->text, end, value->line), end, value->line, 1};
    while (p.at < end && p.col < value->col)
        step(&p);
    while (p.at < end && *p.at != '=')
        step(&p);
    while (p.at < end && *p.at != '"' && *p.at != '\'')
        step(&p);
    bool escapes = next_byte(&p) == '"';
    skip_quotes(&p);
    while (offset-- > 0) {
        if (escapes && next_byte(&p) == '\\')
            step(&p);
        step(&p);
    }
    return p;
}

static int formula_err(struct loader *ld, const struct toml *value, const char *metric,
                       size_t offset, const struct err *why) {
    struct place p = place_in_string(ld, value, offset);
    return err_set(ld->err, why->code, "%s:%d:%d: %s of %s: %s", ld->mem->doc.name, p.line, p.col,
                   value->key, metric, why->text);
}

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
        consider(&best, ld->def[i].name, base);
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
    struct err why;
};

static int name_lookup(void *user, const char *name, enum ast_op *op, int *index) {
    struct names *names = user;
    *op = AST_METRIC;
    if ((*index = metric_named(names->ld, name)) >= 0)
        return 0;
    *op = AST_CONST;
    if ((*index = const_find(name)) >= 0)
        return 0;
    *op = AST_EVENT;
    if ((*index = event_of_spelling(names->ld, name, &names->why)) >= 0)
        return 0;
    char hint[320];
    if (*index == -ENOENT)
        err_set(&names->why, -EINVAL, "no such event, metric or constant: '%s'%s", name,
                name_hint(names->ld, name, hint, sizeof(hint)));
    return *index;
}

static void *name_alloc(void *user, size_t size) {
    struct names *names = user;
    return arena_alloc(&names->ld->mem->arena, size);
}

/* --- formulas --- */

static int compile(struct loader *ld, const struct toml *value, const char *metric,
                   struct ast **out) {
    struct names names = {.ld = ld};
    struct scope scope = {.lookup = name_lookup, .user = &names, .alloc = name_alloc};
    struct err syntax = {0};
    size_t at = 0;
    *out = expr_parse(value->string, &scope, &at, &syntax);
    if (*out)
        return 0;
    return formula_err(ld, value, metric, at, names.why.code ? &names.why : &syntax);
}

/* The formula as it is shown: on one line. NULL when out of memory. */
static const char *one_line(struct loader *ld, const char *text) {
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

static int formula_take(struct loader *ld, const struct toml *value, const char *metric,
                        struct ast **ast, const char **text) {
    if (!value)
        return 0;
    int rc = compile(ld, value, metric, ast);
    if (rc < 0)
        return rc;
    *text = one_line(ld, value->string);
    return *text ? 0 : load_no_memory(ld);
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
        return formula_take(ld, value, m->name, &m->threshold, &m->threshold_text);
    return threshold_number(ld, m,
                            value->type == TOML_FLOAT ? value->real : (double)value->integer);
}

/* Events to sample are not counted here, but must exist. */
static int locate_check(struct loader *ld, const struct metric_source *source) {
    for (const char **name = source->keys.locate; name && *name; name++) {
        char hint[320];
        if (dict_get(&ld->def_by_name, *name) < 0)
            return load_err(ld, toml_get(source->table, "locate"), "no such event: '%s'%s", *name,
                            name_hint(ld, *name, hint, sizeof(hint)));
    }
    return 0;
}

/* Parents come before their children, so a threshold can build on the parent's. */
int formulas_compile(struct loader *ld) {
    for (uint32_t i = 0; i < ld->m->n_metric; i++) {
        struct metric *m = &ld->m->metric[i];
        const struct metric_keys *k = &ld->source_of[i]->keys;
        int rc = formula_take(ld, k->formula, m->name, &m->ast, &m->formula);
        if (rc == 0)
            rc = formula_take(ld, k->alt, m->name, &m->alt, &m->alt_formula);
        if (rc == 0)
            rc = formula_take(ld, k->fallback, m->name, &m->fallback, &m->fallback_formula);
        if (rc == 0)
            rc = threshold_take(ld, k->threshold, m);
        if (rc == 0)
            rc = locate_check(ld, ld->source_of[i]);
        if (rc < 0)
            return rc;
    }
    return 0;
}
