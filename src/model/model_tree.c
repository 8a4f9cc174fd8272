/* From metrics as they stand in the file to the tree: parents, preorder, levels, paths, roles. */
#include "model/model_load.h"

#include "base/str.h"
#include "model/frame.h"

#include <errno.h>
#include <string.h>

static int source_named(struct loader *ld, const char *name) {
    char *lower = load_lower_case(ld, name);
    int i = lower ? dict_get(&ld->metric_by_name, lower) : -1;
    return i >= 0 && !strcmp(ld->source[i].table->key, name) ? i : METRIC_NONE;
}

static int parent_error(struct loader *ld, const struct metric_source *s) {
    const struct toml *at = toml_get(s->table, "parent");
    const char *name = s->keys.parent;
    struct {
        const char *name;
        int distance;
    } best = {NULL, 5};
    for (int i = 0; i < ld->n_source; i++) {
        int d = str_distance(ld->source[i].table->key, name);
        if (ld->source[i].kind == METRIC_TREE && d < best.distance) {
            best.name = ld->source[i].table->key;
            best.distance = d;
        }
    }
    return load_err(ld, at, "unknown parent '%s' of '%s'%s%s%s", name, s->table->key,
                    best.name ? "; did you mean '" : "", best.name ? best.name : "",
                    best.name ? "'?" : "");
}

static int parent_link(struct loader *ld, int child) {
    struct metric_source *s = &ld->source[child];
    if (!s->keys.parent)
        return 0;
    s->parent = source_named(ld, s->keys.parent);
    if (s->parent == METRIC_NONE)
        return parent_error(ld, s);
    struct metric_source *parent = &ld->source[s->parent];
    if (parent->kind != METRIC_TREE)
        return load_err(ld, toml_get(s->table, "parent"),
                        "parent '%s' of '%s' is beside the tree, expected a node", s->keys.parent,
                        s->table->key);
    if (parent->last_child == METRIC_NONE)
        parent->first_child = child;
    else
        ld->source[parent->last_child].next_sibling = child;
    parent->last_child = child;
    return 0;
}

/* Gives the next metric index to a source. */
static void place(struct loader *ld, int source) {
    struct model *m = ld->m;
    ld->source[source].metric = (int)m->n_metric;
    ld->source_of[m->n_metric++] = &ld->source[source];
}

/* Preorder from a root down; the tree is checked to be shallow, so this may recurse. */
static int place_subtree(struct loader *ld, int source, int level) {
    const struct metric_source *s = &ld->source[source];
    if (level > PATH_MAX_LEN)
        return load_err(ld, s->table, "'%s' is at level %d, the deepest is %d", s->table->key,
                        level, PATH_MAX_LEN);
    place(ld, source);
    for (int i = s->first_child; i != METRIC_NONE; i = ld->source[i].next_sibling) {
        int rc = place_subtree(ld, i, level + 1);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* Nodes that no root leads to: their parents form a cycle. */
static int parent_cycle(struct loader *ld, int source) {
    for (int i = 0; i < ld->n_source; i++) /* walks into the cycle, wherever it begins */
        source = ld->source[source].parent;
    char names[512];
    struct strbuf sb = strbuf_on(names, sizeof(names));
    int at = source;
    do {
        strbuf_add(&sb, "%s -> ", ld->source[at].table->key);
        at = ld->source[at].parent;
    } while (at != source);
    return load_err(ld, ld->source[source].table, "parents form a cycle: %s%s", names,
                    ld->source[source].table->key);
}

static int tree_place(struct loader *ld) {
    int n_nodes = 0;
    for (int i = 0; i < ld->n_source; i++) {
        int rc = parent_link(ld, i);
        if (rc < 0)
            return rc;
        ld->source[i].metric = METRIC_NONE;
        n_nodes += ld->source[i].kind == METRIC_TREE;
    }
    for (int i = 0; i < n_nodes; i++) {
        int rc = ld->source[i].parent == METRIC_NONE ? place_subtree(ld, i, 1) : 0;
        if (rc < 0)
            return rc;
    }
    ld->m->n_tree = ld->m->n_metric;
    for (int i = 0; i < n_nodes; i++)
        if (ld->source[i].metric == METRIC_NONE)
            return parent_cycle(ld, i);
    for (int i = n_nodes; i < ld->n_source; i++)
        place(ld, i);
    for (size_t i = 0; i < ld->metric_by_name.cap; i++) /* names now mean metrics, not sources */
        if (ld->metric_by_name.at[i].key)
            ld->metric_by_name.at[i].value = ld->source[ld->metric_by_name.at[i].value].metric;
    return 0;
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
    m->vital = k->vital;
    m->unavailable = k->unavailable;
    m->fallback_note = k->fallback_note;
    m->approximate = k->approximate;
    m->locate = k->locate;
}

/* Parents come first in the order of the metrics, so theirs is known. */
static int metric_fill(struct loader *ld, struct metric *m, const struct metric_source *s) {
    metric_copy_keys(m, &s->keys);
    m->name = m->path = s->table->key;
    m->line = s->table->line;
    m->kind = s->kind;
    m->parent = metric_of(ld, s->parent);
    m->first_child = metric_of(ld, s->first_child);
    m->next_sibling = metric_of(ld, s->next_sibling);
    m->role = s->keys.role ? (enum metric_role)load_role(s->keys.role) : ROLE_NONE;
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
static int vendor_names_check(struct loader *ld) {
    for (uint32_t i = 0; i < ld->m->n_metric; i++) {
        const char *vendor = ld->m->metric[i].vendor;
        int other = vendor ? model_find(ld->m, vendor) : (int)i;
        if (other != (int)i)
            return load_err(ld, toml_get(ld->source_of[i]->table, "vendor"),
                            "vendor's name '%s' of '%s' also means '%s'", vendor,
                            ld->m->metric[i].name, ld->m->metric[other].name);
    }
    return 0;
}

int tree_build(struct loader *ld) {
    int rc = tree_place(ld);
    if (rc == 0)
        rc = metrics_fill(ld);
    return rc < 0 ? rc : vendor_names_check(ld);
}
