/*
 * Metrics as they stand in the files: their names and keys; and the tree that is made of them:
 * parents, preorder, levels, paths, roles.
 */
#include "base/str.h"
#include "model/load/frame.h"
#include "model/load/model_load.h"
#include "model/load/time_parts.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- keys --- */

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

/* enum metric_role, or -1 */
static int role_named(const char *name) {
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

/* Names are unique whatever their case, so that the user may type them in any case. */
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
    s->keys.role = role_named(role) < 0 ? NULL : role;
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

/* --- the tree --- */

static int source_named(struct loader *ld, const char *name) {
    char *lower = load_lower_case(ld, name);
    int i = lower ? dict_get(&ld->metric_by_name, lower) : -1;
    return i >= 0 && !strcmp(ld->source[i].table->key, name) ? i : METRIC_NONE;
}

static int parent_error(struct loader *ld, const struct metric_source *s) {
    const struct toml *at = toml_get(s->table, "parent");
    const char *name = s->keys.parent;
    struct str_nearest near = {.to = name, .below = 5};
    for (int i = 0; i < ld->n_source; i++)
        if (ld->source[i].kind == METRIC_TREE)
            str_nearest(&near, ld->source[i].table->key);
    return load_err(ld, at, "unknown parent '%s' of '%s'%s%s%s", name, s->table->key,
                    near.best ? "; did you mean '" : "", near.best ? near.best : "",
                    near.best ? "'?" : "");
}

/* A parent that is not there counts as none. */
static int parent_find(struct loader *ld, struct metric_source *s) {
    if (!s->keys.parent)
        return 0;
    int parent = source_named(ld, s->keys.parent);
    if (parent == METRIC_NONE)
        return parent_error(ld, s);
    if (ld->source[parent].kind != METRIC_TREE)
        return load_err(ld, toml_get(s->table, "parent"),
                        "parent '%s' of '%s' is beside the tree, expected a node", s->keys.parent,
                        s->table->key);
    s->parent = parent;
    return 0;
}

static int parents_find(struct loader *ld) {
    for (int i = 0; i < ld->n_source; i++) {
        ld->source[i].metric = METRIC_NONE;
        ld->file = ld->source[i].file;
        int rc = load_go_on(ld, parent_find(ld, &ld->source[i]));
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int parent_cycle(struct loader *ld, int source) {
    char names[512];
    struct strbuf sb = strbuf_on(names, sizeof(names));
    int at = source;
    do {
        strbuf_add(&sb, "%s -> ", ld->source[at].table->key);
        at = ld->source[at].parent;
    } while (at != source);
    ld->file = ld->source[source].file;
    return load_err(ld, ld->source[source].table, "parents form a cycle: %s%s", names,
                    ld->source[source].table->key);
}

/* Walks up from every node, marking the way; a node of this very way closes a cycle. It is cut. */
static int cycles_find(struct loader *ld) {
    int *way = arena_alloc(&ld->mem->arena, ((size_t)ld->n_source + 1) * sizeof(*way));
    if (!way)
        return load_no_memory(ld);
    for (int i = 0; i < ld->n_source; i++) {
        int at = i;
        for (; at != METRIC_NONE && !way[at]; at = ld->source[at].parent)
            way[at] = i + 1;
        if (at == METRIC_NONE || way[at] != i + 1)
            continue;
        int rc = load_go_on(ld, parent_cycle(ld, at));
        if (rc < 0)
            return rc;
        ld->source[at].parent = METRIC_NONE;
    }
    return 0;
}

static void children_link(struct loader *ld) {
    for (int i = 0; i < ld->n_source; i++) {
        if (ld->source[i].parent == METRIC_NONE)
            continue;
        struct metric_source *parent = &ld->source[ld->source[i].parent];
        if (parent->last_child == METRIC_NONE)
            parent->first_child = i;
        else
            ld->source[parent->last_child].next_sibling = i;
        parent->last_child = i;
    }
}

/* Gives the next metric index to a source. */
static void place(struct loader *ld, int source) {
    struct model *m = ld->m;
    ld->source[source].metric = (int)m->n_metric;
    ld->source_of[m->n_metric++] = &ld->source[source];
}

/* Preorder from a root down; one message for all that is below the deepest level. */
static int place_subtree(struct loader *ld, int source, int level) {
    const struct metric_source *s = &ld->source[source];
    int rc = 0;
    ld->file = s->file;
    if (level == PATH_MAX_LEN + 1)
        rc = load_go_on(ld, load_err(ld, s->table, "'%s' is at level %d, the deepest is %d",
                                     s->table->key, level, PATH_MAX_LEN));
    place(ld, source);
    for (int i = s->first_child; i != METRIC_NONE && rc == 0; i = ld->source[i].next_sibling)
        rc = place_subtree(ld, i, level + 1);
    return rc;
}

/* In the order of the files, but the user's own last. */
static void place_beside(struct loader *ld, bool own) {
    for (int i = 0; i < ld->n_source; i++) {
        const struct model_file *file = ld->source[i].file;
        if (ld->source[i].kind != METRIC_TREE && (file->extra && !file->shared) == own)
            place(ld, i);
    }
}

static int tree_place(struct loader *ld) {
    int n_nodes = 0, rc = 0;
    for (int i = 0; i < ld->n_source; i++)
        n_nodes += ld->source[i].kind == METRIC_TREE;
    for (int i = 0; i < n_nodes && rc == 0; i++)
        if (ld->source[i].parent == METRIC_NONE)
            rc = place_subtree(ld, i, 1);
    ld->m->n_tree = ld->m->n_metric;
    place_beside(ld, false);
    place_beside(ld, true);
    for (size_t i = 0; i < ld->metric_by_name.cap; i++) /* names now mean metrics, not sources */
        if (ld->metric_by_name.at[i].key)
            ld->metric_by_name.at[i].value = ld->source[ld->metric_by_name.at[i].value].metric;
    return rc;
}

static int metric_of(const struct loader *ld, int source) {
    return source == METRIC_NONE ? METRIC_NONE : ld->source[source].metric;
}

static void metric_copy_keys(struct metric *m, const struct metric_keys *k) {
    m->vendor = k->vendor;
    m->unit = k->unit ? k->unit : k->share ? "percent" : NULL;
    m->domain = k->domain;
    m->groups = k->groups;
    m->summary = k->summary;
    m->share = k->share;
    m->inlined = k->inlined;
    m->good_up = k->good_up;
    m->good_down = k->good_down;
    m->vital = k->vital;
    m->unavailable = k->unavailable;
    m->fallback_note = k->fallback_note;
    m->zero_note = k->zero_note;
    m->approximate = k->approximate;
    m->locate = k->locate;
    m->next = k->next;
}

/* Parents come first in the order of the metrics, so theirs is known. */
static int metric_fill(struct loader *ld, struct metric *m, const struct metric_source *s) {
    metric_copy_keys(m, &s->keys);
    m->name = m->path = s->table->key;
    m->line = s->table->line;
    m->own = s->file->extra && !s->file->shared;
    m->kind = s->kind;
    m->time = time_part_find(m->name);
    m->parent = metric_of(ld, s->parent);
    m->first_child = metric_of(ld, s->first_child);
    m->next_sibling = metric_of(ld, s->next_sibling);
    m->role = s->keys.role ? (enum metric_role)role_named(s->keys.role) : ROLE_NONE;
    m->level = s->kind == METRIC_TREE ? 1 : 0;
    if (m->parent == METRIC_NONE)
        return 0;
    const struct metric *parent = &ld->m->metric[m->parent];
    m->role = parent->role;
    m->level = parent->level + 1;
    size_t cap = strlen(parent->path) + strlen(m->name) + 2;
    char *path = arena_alloc(&ld->mem->arena, cap);
    if (!path)
        return load_no_memory(ld);
    struct strbuf sb = strbuf_on(path, cap);
    strbuf_add(&sb, "%s.%s", parent->path, m->name);
    m->path = path;
    return 0;
}

/* Roots follow each other as siblings, too. */
static void link_roots(struct model *m) {
    int last = METRIC_NONE;
    for (uint32_t i = 0; i < m->n_tree; i++) {
        if (m->metric[i].parent != METRIC_NONE)
            continue;
        if (last != METRIC_NONE)
            m->metric[last].next_sibling = (int)i;
        last = (int)i;
    }
}

static int metrics_fill(struct loader *ld) {
    struct model *m = ld->m;
    m->metric = arena_alloc(&ld->mem->arena, m->n_metric * sizeof(*m->metric));
    if (!m->metric)
        return load_no_memory(ld);
    for (uint32_t i = 0; i < m->n_metric; i++) {
        int rc = metric_fill(ld, &m->metric[i], ld->source_of[i]);
        if (rc < 0)
            return rc;
    }
    link_roots(m);
    return 0;
}

/* A vendor's name must not lead to a second metric. */
static int vendor_name_take(struct loader *ld, int metric) {
    const struct metric *m = &ld->m->metric[metric];
    char *lower = load_lower_case(ld, m->vendor);
    if (!lower)
        return load_no_memory(ld);
    int other = dict_get(&ld->metric_by_name, lower);
    if (other == metric)
        return 0;
    int rc = dict_put(&ld->vendor_by_name, lower, metric);
    if (rc == -ENOMEM)
        return load_no_memory(ld);
    if (rc == -EEXIST)
        other = dict_get(&ld->vendor_by_name, lower);
    if (other < 0)
        return 0;
    const struct metric_source *of = ld->source_of[metric];
    if (ld->source_of[other]->file->extra && !ld->file->extra) { /* then the user is to choose */
        ld->file = ld->source_of[other]->file;
        return load_err(ld, ld->source_of[other]->table,
                        "metric '%s' has the vendor's name of '%s' of the model %s; choose another",
                        ld->m->metric[other].name, m->name, ld->m->name);
    }
    return load_err(ld, toml_get(of->table, "vendor"), "vendor's name '%s' of '%s' also means '%s'",
                    m->vendor, m->name, ld->m->metric[other].name);
}

static int vendor_names_take(struct loader *ld) {
    for (uint32_t i = 0; i < ld->m->n_metric; i++) {
        ld->file = ld->source_of[i]->file;
        int rc = ld->m->metric[i].vendor ? load_go_on(ld, vendor_name_take(ld, (int)i)) : 0;
        if (rc < 0)
            return rc;
    }
    return 0;
}

int tree_build(struct loader *ld) {
    int rc = parents_find(ld);
    if (rc == 0)
        rc = cycles_find(ld);
    if (rc < 0)
        return rc;
    children_link(ld);
    rc = tree_place(ld);
    if (rc == 0)
        rc = metrics_fill(ld);
    return rc < 0 ? rc : vendor_names_take(ld);
}
