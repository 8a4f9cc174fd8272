/* Metrics as they stand in the files: their names and keys. */
#include "model/load/model_load.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(struct metric_keys, field)
static const struct key metric_key_table[] = {
    {"parent", KEY_STRING, AT(parent), 0, 0},
    {"formula", KEY_TEXT, AT(formula), 0, 0},
    {"alt", KEY_TEXT, AT(alt), 0, 0},
    {"fallback", KEY_TEXT, AT(fallback), 0, 0},
    {"fallback_note", KEY_STRING, AT(fallback_note), 0, 0},
    {"zero_note", KEY_STRING, AT(zero_note), 0, 0},
    {"approximate", KEY_STRING, AT(approximate), 0, 0},
    {"approximate_when", KEY_TEXT, AT(approximate_when), 0, 0},
    {"threshold", KEY_THRESHOLD, AT(threshold), 0, 0},
    {"domain", KEY_STRING, AT(domain), 0, 0},
    {"unit", KEY_STRING, AT(unit), 0, 0},
    {"role", KEY_STRING, AT(role), 0, 0},
    {"groups", KEY_STRING, AT(groups), 0, 0},
    {"locate", KEY_STRINGS, AT(locate), 0, 0},
    {"next", KEY_STRINGS, AT(next), 0, 0},
    {"vendor", KEY_STRING, AT(vendor), 0, 0},
    {"summary", KEY_STRING, AT(summary), 0, 0},
    {"unavailable", KEY_STRING, AT(unavailable), 0, 0},
    {"share", KEY_BOOLEAN, AT(share), 0, 0},
    {"inline", KEY_BOOLEAN, AT(inlined), 0, 0},
    {"good_up", KEY_BOOLEAN, AT(good_up), 0, 0},
    {"good_down", KEY_BOOLEAN, AT(good_down), 0, 0},
    {"vital", KEY_BOOLEAN, AT(vital), 0, 0},
    {"after", KEY_STRING, AT(after), 0, 0},
};
#undef AT

static const char *const role_names[] = {
    [ROLE_NONE] = "none",
    [ROLE_FRONTEND] = "frontend",
    [ROLE_BAD_SPECULATION] = "bad_speculation",
    [ROLE_BACKEND] = "backend",
    [ROLE_RETIRING] = "retiring",
};

int load_role(const char *name) {
    for (int i = 0; i < (int)(sizeof(role_names) / sizeof(role_names[0])); i++)
        if (!strcmp(role_names[i], name))
            return i;
    return -1;
}

/* --- names --- */

/* A name in a formula must read as one name. */
static bool is_name(const char *s) {
    if (!*s)
        return false;
    for (; *s; s++)
        if (!isalnum((unsigned char)*s) && *s != '_')
            return false;
    return true;
}

static int name_is_taken(struct loader *ld, const struct toml *at, const char *lower) {
    const struct metric_source *other = &ld->source[dict_get(&ld->metric_by_name, lower)];
    if (other->file == ld->file)
        return load_err(ld, at, "duplicate metric '%s': line %d has '%s'", at->key,
                        other->table->line, other->table->key);
    if (other->file->extra)
        return load_err(ld, at, "metric '%s' is in %s already; choose another name", at->key,
                        other->file->name);
    return load_err(ld, at, "metric '%s' is one of the model %s; choose another name", at->key,
                    ld->m->name);
}

/* Names are unique whatever their case, so that the user may type them as he likes. */
static int name_take(struct loader *ld, const struct toml *at, int source) {
    if (!is_name(at->key))
        return load_err(ld, at, "'%s' cannot be a metric's name; expected letters, digits and '_'",
                        at->key);
    if (dict_get(&ld->def_by_name, at->key) >= 0 || const_find(at->key) >= 0)
        return load_err(ld, at, "metric '%s' has the name of %s", at->key,
                        const_find(at->key) >= 0 ? "a constant" : "an event");
    char *lower = load_lower_case(ld, at->key);
    int rc = lower ? dict_put(&ld->metric_by_name, lower, source) : -ENOMEM;
    if (rc == -EEXIST)
        return name_is_taken(ld, at, lower);
    return rc < 0 ? load_no_memory(ld) : 0;
}

/* --- what keys need of each other; a key of a wrong type is there, too --- */

static bool has(const struct metric_source *s, const char *key) {
    return toml_get(s->table, key) != NULL;
}

static int formula_check(struct loader *ld, struct metric_source *s) {
    if (has(s, "formula") || has(s, "unavailable"))
        return 0;
    return load_err(ld, s->table, "'%s' has neither a formula nor a reason why it is unavailable",
                    s->table->key);
}

static int fallback_check(struct loader *ld, struct metric_source *s) {
    if (has(s, "fallback") == has(s, "fallback_note"))
        return 0;
    return load_err(ld, s->table, "'%s' needs both fallback and fallback_note, or neither",
                    s->table->key);
}

static int approximate_check(struct loader *ld, struct metric_source *s) {
    const struct toml *when = toml_get(s->table, "approximate_when");
    if (!when || has(s, "approximate"))
        return 0;
    return load_err(ld, when, "'%s' has approximate_when, but no approximate to say why",
                    s->table->key);
}

static int after_check(struct loader *ld, struct metric_source *s) {
    if (!s->keys.after || (s->file->next && s->file->next->base))
        return 0;
    return load_err(ld, toml_get(s->table, "after"),
                    "'%s' has 'after', but its file extends no model: move it instead",
                    s->table->key);
}

static int direction_check(struct loader *ld, struct metric_source *s) {
    if (!s->keys.good_up || !s->keys.good_down)
        return 0;
    return load_err(ld, toml_get(s->table, "good_down"),
                    "'%s' cannot be better both ways; good_up or good_down, or neither",
                    s->table->key);
}

static int parent_check(struct loader *ld, struct metric_source *s) {
    if (!s->keys.parent || s->kind == METRIC_TREE)
        return 0;
    s->keys.parent = NULL;
    return load_err(ld, toml_get(s->table, "parent"), "'%s' is not a node: it cannot have a parent",
                    s->table->key);
}

static int role_check(struct loader *ld, struct metric_source *s) {
    const char *role = s->keys.role;
    if (!role)
        return 0;
    const struct toml *at = toml_get(s->table, "role");
    s->keys.role = load_role(role) < 0 ? NULL : role;
    if (has(s, "parent") || s->kind != METRIC_TREE)
        return load_err(ld, at, "role of '%s': only roots of the tree have one", s->table->key);
    return s->keys.role ? 0
                        : load_err(ld, at,
                                   "role '%s'; known: frontend, bad_speculation, backend, "
                                   "retiring, none",
                                   role);
}

/* After a bad key, which may be a misspelt one, what is missing is not told, too. */
static int metric_check(struct loader *ld, struct metric_source *s, bool bad_key) {
    static int (*const checks[])(struct loader *, struct metric_source *) = {
        parent_check,      role_check,      formula_check, fallback_check,
        approximate_check, direction_check, after_check,
    };
    size_t n = bad_key ? 2 : sizeof(checks) / sizeof(checks[0]);
    int rc = 0;
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = load_go_on(ld, checks[i](ld, s));
    return rc;
}

/* --- all --- */

/* A name that a metric or an event has already, in a file of what every model has. */
static bool is_left_out(struct loader *ld, const char *name) {
    if (!ld->file->shared)
        return false;
    const char *lower = load_lower_case(ld, name);
    return dict_get(&ld->def_by_name, name) >= 0 ||
           (lower && dict_get(&ld->metric_by_name, lower) >= 0);
}

/* -EINVAL if there is no metric to speak of: no table, or no name of its own. */
static int metric_read(struct loader *ld, const struct toml *table, enum metric_kind kind) {
    struct metric_source *s = &ld->source[ld->n_source];
    *s = (struct metric_source){.file = ld->file, .table = table, .kind = kind};
    s->parent = s->first_child = s->last_child = s->next_sibling = METRIC_NONE;
    s->keys.share = kind == METRIC_TREE;
    if (table->type != TOML_TABLE)
        return load_err(ld, table, "'%s' is of type %s, expected a table", table->key,
                        toml_type_name(table->type));
    int rc = name_take(ld, table, ld->n_source);
    if (rc < 0)
        return rc;
    ld->n_source++;
    size_t before = problems_count(ld);
    rc = keys_read(ld, table, metric_key_table,
                   sizeof(metric_key_table) / sizeof(metric_key_table[0]), &s->keys);
    return rc < 0 ? rc : metric_check(ld, s, problems_count(ld) > before);
}

/* Of the model itself. */
static int own_read(struct loader *ld, size_t n) {
    struct metric_list list[3];
    int rc = metrics_merge(ld, n, list);
    for (int kind = 0; kind < 3; kind++)
        for (size_t i = 0; rc == 0 && i < list[kind].n; i++) {
            ld->file = list[kind].at[i].file;
            rc = load_go_on(ld, metric_read(ld, list[kind].at[i].table, (enum metric_kind)kind));
        }
    return rc;
}

/* Of a file beside the model. */
static int extras_read(struct loader *ld, struct model_file *file) {
    const struct toml *t = file->metric[METRIC_INFO] ? file->metric[METRIC_INFO]->first : NULL;
    int rc = 0;
    ld->file = file;
    for (; t && rc == 0; t = t->next)
        if (!is_left_out(ld, t->key))
            rc = load_go_on(ld, metric_read(ld, t, METRIC_INFO));
    return rc;
}

static size_t metrics_of(const struct model_file *file) {
    size_t n = 0;
    for (int kind = 0; kind < 3; kind++)
        n += file->metric[kind] ? file->metric[kind]->n : 0;
    return n;
}

int metrics_read(struct loader *ld) {
    size_t n = 0;
    int rc = 0;
    ld->file = ld->mem->file;
    if (metrics_of(ld->file) == 0 && !(ld->file->next && ld->file->next->base))
        rc = load_go_on(ld, load_err_at(ld, 1, 1, "the model has 0 metrics, expected some"));
    for (struct model_file *f = ld->mem->file; f && rc == 0; f = f->next) {
        n += metrics_of(f);
        ld->file = f;
        if (n > METRICS_MAX)
            return load_err_at(ld, 1, 1, "the model has %zu metrics, expected at most %d", n,
                               METRICS_MAX);
    }
    ld->source = calloc(n + 1, sizeof(*ld->source));
    ld->source_of = calloc(n + 1, sizeof(*ld->source_of));
    if (!ld->source || !ld->source_of)
        return load_no_memory(ld);
    if (rc == 0)
        rc = own_read(ld, n);
    for (struct model_file *f = ld->mem->file; f && rc == 0; f = f->next)
        if (f->extra)
            rc = extras_read(ld, f);
    return rc;
}
