/* From metrics as they stand in the file to the tree: parents, preorder, levels, paths, roles. */
#include "model/load/model_load.h"

#include "base/str.h"
#include "model/load/frame.h"
#include "model/load/time_parts.h"

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
