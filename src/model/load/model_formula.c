/*
 * Formulas and thresholds: names to events, metrics and constants; the order of evaluation; and
 * what can only be told once all metrics stand.
 */
#include "base/str.h"
#include "model/load/model_load.h"
#include "model/load/model_text.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* --- the place of an error in a formula --- */

struct place {
    int line, col; /* from 1; column in characters */
};

struct cursor {
    const char *at, *end; /* in the file's text */
    struct place place;
};

static char next_byte(const struct cursor *c) {
    return c->at < c->end ? *c->at : '\0';
}

static void step(struct cursor *c) {
    if (c->at == c->end)
        return;
    bool newline = *c->at++ == '\n';
    if (newline) {
        c->place.line++;
        c->place.col = 1;
    } else if (((unsigned char)next_byte(c) & 0xc0) != 0x80) { /* a new character begins */
        c->place.col++;
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
static void skip_quotes(struct cursor *c) {
    char quote = next_byte(c);
    bool multi = c->end - c->at >= 3 && c->at[1] == quote && c->at[2] == quote;
    for (int i = 0; i < (multi ? 3 : 1); i++)
        step(c);
    if (multi && next_byte(c) == '\r')
        step(c);
    if (multi && next_byte(c) == '\n')
        step(c);
}

/*
 * Where byte `offset` of a string value stands in its file. An escape counts as one byte, which
 * holds for all that make sense in a formula.
 */
static struct place place_in_string(const struct model_file *file, const struct toml *value,
                                    size_t offset) {
    const char *end = file->text + file->len;
    struct cursor c = {line_start(file->text, end, value->line), end, {value->line, 1}};
    while (c.at < end && c.place.col < value->col)
        step(&c);
    while (c.at < end && *c.at != '=')
        step(&c);
    while (c.at < end && *c.at != '"' && *c.at != '\'')
        step(&c);
    bool escapes = next_byte(&c) == '"';
    skip_quotes(&c);
    while (offset-- > 0) {
        if (escapes && next_byte(&c) == '\\')
            step(&c);
        step(&c);
    }
    return c.place;
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

/* "; did you mean 'X'?" for a name that no metric, event or constant has; or "". Returns buf. */
static const char *name_hint(const struct loader *ld, const char *name, char *buf, size_t cap) {
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
    const char *metric;       /* that it belongs to */
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
static int locate_take(struct loader *ld, const struct metric *m) {
    for (const char **name = m->locate; name && *name; name++) {
        struct event_def *def = event_def_of(ld, *name);
        if (def)
            def->used = true;
        if (def && !def->misfit && array_push(&ld->located, def->event) < 0)
            return load_no_memory(ld);
    }
    return 0;
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
        if ((rc = locate_take(ld, m)) < 0)
            return rc;
    }
    return 0;
}

/* --- the order of evaluation --- */

/*
 * Every metric comes after those that its formulas (all three) refer to.
 * Thresholds do not count: a sum may refer to its children while their thresholds refer to the
 * sum, so they are looked at when all values are known.
 *
 * In the same walk the formulas are measured as they are with their inlined metrics in them: sixty
 * lines of "M1 = M0 + M0" would make a formula without end for everything that reads it.
 */

enum mark { UNSEEN, ON_THE_WAY, DONE };

/* Names and constants in a formula and the metrics inlined in it; in all formulas of a model. The
 * largest of the models that come with tdtop has 116 and 1,982. */
enum { NAMES_MAX = 4096, NAMES_ALL_MAX = 65536 };

struct walk {
    struct loader *ld;
    ARRAY(int) ref;      /* metrics that formulas refer to, metric after metric */
    uint32_t *ref_start; /* [n_metric + 1] */
    uint32_t *n_name;    /* [n_metric] names in its formulas; with those inlined once DONE */
    uint32_t n_all;      /* of those that are done */
    bool told;           /* that they are too many */
    int at;              /* the metric of the formulas that are read */
    uint8_t *mark;       /* [n_metric] enum mark */
    int *way;            /* metrics on the way, from the first */
    int n_way;
    uint32_t n_done;
    int rc;
};

static void take_reference(const struct ast *leaf, void *user) {
    struct walk *w = user;
    w->n_name[w->at]++;
    if (leaf->op == AST_METRIC && array_push(&w->ref, leaf->index) < 0)
        w->rc = -ENOMEM;
}

/* Flat first, so that the walk is only as deep as metrics are, not as their formulas. */
static void take_references(struct walk *w) {
    struct model *m = w->ld->m;
    for (uint32_t i = 0; i < m->n_metric; i++) {
        w->ref_start[i] = (uint32_t)w->ref.n;
        w->at = (int)i;
        expr_leaves(m->metric[i].ast, take_reference, w);
        expr_leaves(m->metric[i].alt, take_reference, w);
        expr_leaves(m->metric[i].fallback, take_reference, w);
    }
    w->ref_start[m->n_metric] = (uint32_t)w->ref.n;
}

/* The way ends in a metric that is on it already. In a file that is checked it is cut there. */
static int cycle_error(const struct walk *w) {
    int last = w->way[w->n_way - 1];
    int from = 0;
    while (w->way[from] != last)
        from++;
    char names[512];
    struct strbuf sb = strbuf_on(names, sizeof(names));
    for (int i = from; i < w->n_way; i++)
        strbuf_add(&sb, "%s%s", i > from ? " -> " : "", w->ld->m->metric[w->way[i]].name);
    w->ld->file = w->ld->source_of[last]->file;
    return load_err(w->ld, w->ld->source_of[last]->table,
                    "metrics refer to each other in a cycle: %s", names);
}

static int too_long(const struct walk *w, int metric) {
    const struct metric_source *s = w->ld->source_of[metric];
    w->ld->file = s->file;
    return load_err(w->ld, s->table,
                    "metric '%s': its formulas have more than %d names with the metrics inlined "
                    "in them, or all formulas of the model more than %d; take out 'inline = true'",
                    s->table->key, NAMES_MAX, NAMES_ALL_MAX);
}

/* Adds the names of the metrics that are inlined. All it refers to are done, or cut off. */
static int measure(struct walk *w, int metric) {
    uint64_t n = w->n_name[metric];
    for (uint32_t i = w->ref_start[metric]; i < w->ref_start[metric + 1]; i++)
        if (w->ld->m->metric[w->ref.at[i]].inlined && w->mark[w->ref.at[i]] == DONE)
            n += w->n_name[w->ref.at[i]];
    if (w->told)
        return 0;
    w->told = n > NAMES_MAX || n + w->n_all > NAMES_ALL_MAX;
    w->n_name[metric] = (uint32_t)n;
    w->n_all += (uint32_t)n;
    return w->told ? load_go_on(w->ld, too_long(w, metric)) : 0;
}

static int visit(struct walk *w, int metric) {
    if (w->mark[metric] == DONE)
        return 0;
    w->way[w->n_way++] = metric;
    if (w->mark[metric] == ON_THE_WAY) {
        int rc = load_go_on(w->ld, cycle_error(w));
        w->n_way--;
        return rc;
    }
    w->mark[metric] = ON_THE_WAY;
    for (uint32_t i = w->ref_start[metric]; i < w->ref_start[metric + 1]; i++) {
        int rc = visit(w, w->ref.at[i]);
        if (rc < 0)
            return rc;
    }
    w->mark[metric] = DONE;
    w->ld->m->order[w->n_done++] = (uint16_t)metric;
    w->n_way--;
    return measure(w, metric);
}

int order_find(struct loader *ld) {
    struct model *m = ld->m;
    struct arena *arena = &ld->mem->arena;
    struct walk w = {.ld = ld};
    w.mark = arena_alloc(arena, m->n_metric + 1);
    w.way = arena_alloc(arena, (m->n_metric + 2) * sizeof(*w.way));
    w.ref_start = arena_alloc(arena, (m->n_metric + 1) * sizeof(*w.ref_start));
    m->order = arena_alloc(arena, (m->n_metric + 1) * sizeof(*m->order));
    w.n_name = arena_alloc(arena, (m->n_metric + 1) * sizeof(*w.n_name));
    if (!w.mark || !w.way || !w.ref_start || !w.n_name || !m->order)
        return load_no_memory(ld);
    take_references(&w);
    int rc = w.rc < 0 ? err_set(ld->err, w.rc, "out of memory") : 0;
    for (uint32_t i = 0; i < m->n_metric && rc == 0; i++)
        rc = visit(&w, (int)i);
    array_free(&w.ref);
    return rc;
}

/* --- next: names of metrics, or of groups that some metric is in --- */

/* Takes the groups of a metric ("A;B; C") into the dict. */
static int groups_take(struct loader *ld, struct dict *groups, const char *at) {
    const char *group;
    size_t n;
    while (model_group_next(&at, &group, &n)) {
        char *name = arena_text(&ld->mem->arena, group, n);
        if (!name || dict_put(groups, name, 0) == -ENOMEM)
            return load_no_memory(ld);
    }
    return 0;
}

static bool metric_exists(const struct loader *ld, const char *name) {
    for (uint32_t i = 0; i < ld->m->n_metric; i++)
        if (!strcmp(ld->m->metric[i].name, name))
            return true;
    return false;
}

/* "; did you mean 'X'?", the nearest metric or group; or "". */
static const char *next_hint(const struct loader *ld, const struct dict *groups, const char *name,
                             char *buf, size_t cap) {
    struct str_nearest near = {.to = name, .below = 5};
    for (uint32_t i = 0; i < ld->m->n_metric; i++)
        str_nearest(&near, ld->m->metric[i].name);
    for (size_t i = 0; i < groups->cap; i++)
        if (groups->at[i].key)
            str_nearest(&near, groups->at[i].key);
    struct strbuf sb = strbuf_on(buf, cap);
    if (near.best)
        strbuf_add(&sb, "; did you mean '%s'?", near.best);
    return buf;
}

static int next_check(struct loader *ld, const struct dict *groups, const struct metric_source *s) {
    int rc = 0;
    for (const char **name = s->keys.next; name && *name && rc == 0; name++) {
        char hint[320];
        if (dict_get(groups, *name) < 0 && !metric_exists(ld, *name))
            rc = load_go_on(ld, load_err(ld, toml_get(s->table, "next"),
                                         "next of '%s': no metric and no group has the name "
                                         "'%s'%s",
                                         s->table->key, *name,
                                         next_hint(ld, groups, *name, hint, sizeof(hint))));
    }
    return rc;
}

static int nexts_check(struct loader *ld) {
    const struct model *m = ld->m;
    struct dict groups = {0};
    int rc = 0;
    bool any = false;
    for (uint32_t i = 0; i < m->n_metric; i++)
        any |= m->metric[i].next != NULL;
    for (uint32_t i = 0; i < m->n_metric && any && rc == 0; i++)
        rc = groups_take(ld, &groups, m->metric[i].groups);
    for (uint32_t i = 0; i < m->n_metric && any && rc == 0; i++) {
        ld->file = ld->source_of[i]->file;
        if (!file_is_general(ld->file))
            rc = next_check(ld, &groups, ld->source_of[i]);
    }
    dict_free(&groups);
    return rc;
}

/* --- approximate_when: constants, and metrics of constants --- */

struct leaves {
    const bool *constant;  /* [n_metric] */
    const struct ast *bad; /* the first leaf that is counted */
};

static void leaf_check(const struct ast *leaf, void *user) {
    struct leaves *l = user;
    bool fine = leaf->op == AST_CONST || (leaf->op == AST_METRIC && l->constant[leaf->index]);
    if (!fine && !l->bad)
        l->bad = leaf;
}

static int when_check(struct loader *ld, const struct metric_source *s, const struct leaves *l) {
    const struct model *m = ld->m;
    return load_err(
        ld, s->keys.approximate_when,
        "approximate_when of '%s' names '%s', which is counted; expected constants", s->table->key,
        l->bad->op == AST_EVENT ? ld->event.at[l->bad->index].name : m->metric[l->bad->index].name);
}

/* Metrics come in the order of evaluation, so those a formula names are decided before it. */
static int whens_check(struct loader *ld) {
    const struct model *m = ld->m;
    bool *constant = arena_alloc(&ld->mem->arena, m->n_metric + 1);
    if (!constant)
        return load_no_memory(ld);
    for (uint32_t i = 0; i < m->n_metric; i++) {
        const struct metric *metric = &m->metric[m->order[i]];
        struct leaves l = {.constant = constant};
        expr_leaves(metric->ast, leaf_check, &l);
        expr_leaves(metric->alt, leaf_check, &l);
        expr_leaves(metric->fallback, leaf_check, &l);
        constant[m->order[i]] = metric->ast && !l.bad;
    }
    for (uint32_t i = 0; i < m->n_metric; i++) {
        struct leaves l = {.constant = constant};
        expr_leaves(m->metric[i].approximate_when, leaf_check, &l);
        ld->file = ld->source_of[i]->file;
        int rc = l.bad ? load_go_on(ld, when_check(ld, ld->source_of[i], &l)) : 0;
        if (rc < 0)
            return rc;
    }
    return 0;
}

int refs_check(struct loader *ld) {
    int rc = nexts_check(ld);
    return rc == 0 ? whens_check(ld) : rc;
}
