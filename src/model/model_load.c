/* From a parsed document to a model: identity and the keys of all metrics. See model_load.h. */
#include "model/model_load.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int load_no_memory(struct loader *ld) {
    return err_set(ld->err, -ENOMEM, "out of memory");
}

/* --- identity --- */

struct identity {
    const char *name, *title, *tma, *vendor, *origin, *rung, *limits, *scope;
    const char **match;
    int64_t slots_per_cycle;
    const struct toml *counters, *event, *section[3]; /* by enum metric_kind */
};

#define AT(field) offsetof(struct identity, field)
static const struct key identity_keys[] = {
    {"name", KEY_STRING, AT(name), 0, 0},
    {"title", KEY_STRING, AT(title), 0, 0},
    {"tma", KEY_STRING, AT(tma), 0, 0},
    {"vendor", KEY_STRING, AT(vendor), 0, 0},
    {"origin", KEY_STRING, AT(origin), 0, 0},
    {"rung", KEY_STRING, AT(rung), 0, 0},
    {"limits", KEY_STRING, AT(limits), 0, 0},
    {"scope", KEY_STRING, AT(scope), 0, 0},
    {"match", KEY_STRINGS, AT(match), 0, 0},
    {"slots_per_cycle", KEY_INTEGER, AT(slots_per_cycle), 0, 64},
    {"counters", KEY_TABLE, AT(counters), 0, 0},
    {"event", KEY_TABLE, AT(event), 0, 0},
    {"node", KEY_TABLE, AT(section[METRIC_TREE]), 0, 0},
    {"bottleneck", KEY_TABLE, AT(section[METRIC_BOTTLENECK]), 0, 0},
    {"metric", KEY_TABLE, AT(section[METRIC_INFO]), 0, 0},
};
#undef AT

/* Keys that must be there, or must be one of a few words. */
static int identity_check(struct loader *ld, const struct identity *id) {
    static const char *const rungs[] = {"full", "generic", "software"};
    static const char *const vendors[] = {"", "Intel", "AMD", "Arm"};
    const struct toml *root = ld->mem->doc.root;
    const char *file = ld->mem->doc.name;
    if (!id->name || !id->title || !id->rung || !id->scope)
        return err_set(ld->err, -EINVAL, "%s:1:1: the model has no '%s'", file,
                       !id->name    ? "name"
                       : !id->title ? "title"
                       : !id->rung  ? "rung"
                                    : "scope");
    bool known = false;
    for (int i = 0; i < 3; i++)
        known |= !strcmp(id->rung, rungs[i]);
    if (!known)
        return load_err(ld, toml_get(root, "rung"), "rung '%s'; known: full, generic, software",
                        id->rung);
    known = false;
    for (int i = 0; i < 4; i++)
        known |= !strcmp(id->vendor, vendors[i]);
    if (!known)
        return load_err(ld, toml_get(root, "vendor"), "vendor '%s'; known: Intel, AMD, Arm",
                        id->vendor);
    return 0;
}

static int counters_read(struct loader *ld, const struct toml *table) {
    struct {
        int64_t general, fixed, perf_metrics;
    } n = {0, 0, 0};
    const struct key keys[] = {
        {"general", KEY_INTEGER, (size_t)((char *)&n.general - (char *)&n), 0, 64},
        {"fixed", KEY_INTEGER, (size_t)((char *)&n.fixed - (char *)&n), 0, 32},
        {"perf_metrics", KEY_INTEGER, (size_t)((char *)&n.perf_metrics - (char *)&n), 0, 16},
    };
    int rc = table ? keys_read(ld, table, keys, 3, &n) : 0;
    ld->m->general_counters = (int)n.general;
    ld->m->fixed_counters = (int)n.fixed;
    return rc;
}

static int identity_read(struct loader *ld, struct identity *id) {
    static const char *no_match[] = {NULL};
    *id = (struct identity){.tma = "", .vendor = "", .origin = "", .match = no_match};
    int rc = keys_read(ld, ld->mem->doc.root, identity_keys,
                       sizeof(identity_keys) / sizeof(identity_keys[0]), id);
    if (rc < 0 || (rc = identity_check(ld, id)) < 0)
        return rc;
    struct model *m = ld->m;
    m->name = id->name;
    m->title = id->title;
    m->tma = id->tma;
    m->vendor = id->vendor;
    m->origin = id->origin;
    m->rung = id->rung;
    m->limits = id->limits;
    m->scope = id->scope;
    m->match = id->match;
    m->slots_per_cycle = (int)id->slots_per_cycle;
    return counters_read(ld, id->counters);
}

/* --- metrics --- */

#define AT(field) offsetof(struct metric_keys, field)
static const struct key metric_key_table[] = {
    {"parent", KEY_STRING, AT(parent), 0, 0},
    {"formula", KEY_TEXT, AT(formula), 0, 0},
    {"alt", KEY_TEXT, AT(alt), 0, 0},
    {"fallback", KEY_TEXT, AT(fallback), 0, 0},
    {"fallback_note", KEY_STRING, AT(fallback_note), 0, 0},
    {"approximate", KEY_STRING, AT(approximate), 0, 0},
    {"threshold", KEY_THRESHOLD, AT(threshold), 0, 0},
    {"domain", KEY_STRING, AT(domain), 0, 0},
    {"unit", KEY_STRING, AT(unit), 0, 0},
    {"role", KEY_STRING, AT(role), 0, 0},
    {"groups", KEY_STRING, AT(groups), 0, 0},
    {"locate", KEY_STRINGS, AT(locate), 0, 0},
    {"vendor", KEY_STRING, AT(vendor), 0, 0},
    {"summary", KEY_STRING, AT(summary), 0, 0},
    {"unavailable", KEY_STRING, AT(unavailable), 0, 0},
    {"share", KEY_BOOLEAN, AT(share), 0, 0},
    {"inline", KEY_BOOLEAN, AT(inlined), 0, 0},
    {"good_up", KEY_BOOLEAN, AT(good_up), 0, 0},
    {"vital", KEY_BOOLEAN, AT(vital), 0, 0},
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

char *load_lower_case(struct loader *ld, const char *name) {
    char *lower = arena_text(&ld->mem->arena, name, strlen(name));
    for (char *c = lower; c && *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return lower;
}

/* A name in a formula must read as one name. */
static bool is_name(const char *s) {
    if (!*s)
        return false;
    for (; *s; s++)
        if (!isalnum((unsigned char)*s) && *s != '_')
            return false;
    return true;
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
    if (rc == -EEXIST) {
        const struct toml *other = ld->source[dict_get(&ld->metric_by_name, lower)].table;
        return load_err(ld, at, "duplicate metric '%s': line %d has '%s'", at->key, other->line,
                        other->key);
    }
    return rc < 0 ? load_no_memory(ld) : 0;
}

static int metric_check(struct loader *ld, const struct metric_source *s) {
    const struct metric_keys *k = &s->keys;
    const struct toml *at = s->table;
    if (!k->formula && !k->unavailable)
        return load_err(ld, at, "'%s' has neither a formula nor a reason why it is unavailable",
                        at->key);
    if (!k->fallback != !k->fallback_note)
        return load_err(ld, at, "'%s' needs both fallback and fallback_note, or neither", at->key);
    if (k->parent && s->kind != METRIC_TREE)
        return load_err(ld, toml_get(at, "parent"), "'%s' is not a node: it cannot have a parent",
                        at->key);
    if (k->role && (k->parent || s->kind != METRIC_TREE))
        return load_err(ld, toml_get(at, "role"), "role of '%s': only roots of the tree have one",
                        at->key);
    if (k->role && load_role(k->role) < 0)
        return load_err(ld, toml_get(at, "role"),
                        "role '%s'; known: frontend, bad_speculation, backend, retiring, none",
                        k->role);
    return 0;
}

static int metric_read(struct loader *ld, const struct toml *table, enum metric_kind kind) {
    struct metric_source *s = &ld->source[ld->n_source];
    *s = (struct metric_source){.table = table, .kind = kind};
    s->parent = s->first_child = s->last_child = s->next_sibling = METRIC_NONE;
    s->keys.share = kind == METRIC_TREE;
    if (table->type != TOML_TABLE)
        return load_err(ld, table, "'%s' is of type %s, expected a table", table->key,
                        toml_type_name(table->type));
    int rc = keys_read(ld, table, metric_key_table,
                       sizeof(metric_key_table) / sizeof(metric_key_table[0]), &s->keys);
    if (rc < 0 || (rc = metric_check(ld, s)) < 0)
        return rc;
    return name_take(ld, table, ld->n_source++);
}

static int metrics_read(struct loader *ld, const struct identity *id) {
    size_t n = 0;
    for (int kind = 0; kind < 3; kind++)
        n += id->section[kind] ? id->section[kind]->n : 0;
    if (n == 0 || n > METRICS_MAX)
        return err_set(ld->err, -EINVAL, "%s:1:1: the model has %zu metrics, expected 1 to %d",
                       ld->mem->doc.name, n, METRICS_MAX);
    ld->source = calloc(n, sizeof(*ld->source));
    ld->source_of = calloc(n, sizeof(*ld->source_of));
    if (!ld->source || !ld->source_of)
        return load_no_memory(ld);
    for (int kind = 0; kind < 3; kind++) {
        const struct toml *section = id->section[kind];
        for (const struct toml *t = section ? section->first : NULL; t; t = t->next) {
            int rc = metric_read(ld, t, (enum metric_kind)kind);
            if (rc < 0)
                return rc;
        }
    }
    return 0;
}

/* --- all --- */

static int events_move(struct loader *ld) {
    struct model *m = ld->m;
    m->event = arena_alloc(&ld->mem->arena, (ld->event.n + 1) * sizeof(*m->event));
    if (!m->event)
        return load_no_memory(ld);
    if (ld->event.n)
        memcpy(m->event, ld->event.at, ld->event.n * sizeof(*m->event));
    m->n_event = (uint32_t)ld->event.n;
    return 0;
}

int model_build(struct loader *ld) {
    struct identity id;
    int rc;
    if ((rc = identity_read(ld, &id)) < 0 || (rc = events_read(ld, id.event)) < 0 ||
        (rc = metrics_read(ld, &id)) < 0 || (rc = tree_build(ld)) < 0 ||
        (rc = formulas_compile(ld)) < 0 || (rc = order_find(ld)) < 0)
        return rc;
    return events_move(ld);
}

void loader_free(struct loader *ld) {
    dict_free(&ld->def_by_name);
    dict_free(&ld->event_by_name);
    dict_free(&ld->metric_by_name);
    array_free(&ld->event);
    free(ld->source);
    free(ld->source_of);
}
