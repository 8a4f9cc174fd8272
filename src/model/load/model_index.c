#include "model/load/model_index.h"

#include "model/load/model_load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *text_at(uint16_t place) {
    return model_index_text + place;
}

static const char *text_or_null(uint16_t place) {
    return place ? text_at(place) : NULL;
}

static void outline_identity(struct model *m, const struct model_index *x) {
    m->name = text_at(x->name);
    m->title = text_at(x->title);
    m->tma = text_at(x->tma);
    m->vendor = text_at(x->vendor);
    m->origin = text_at(x->origin);
    m->rung = text_at(x->rung);
    m->core_type = text_or_null(x->core_type);
    m->limits = text_or_null(x->limits);
    m->scope = text_at(x->scope);
    m->slots_per_cycle = x->slots_per_cycle;
    m->n_metric = x->n_metric;
    m->n_tree = x->n_tree;
    m->n_event = x->n_event;
    m->n_latency = x->n_latency;
}

static const char *path_of(struct arena *a, const struct metric *parent, const char *name) {
    const size_t n = strlen(parent->path), len = strlen(name);
    char *path = arena_alloc(a, n + len + 2);
    if (!path)
        return NULL;
    memcpy(path, parent->path, n);
    path[n] = '.';
    memcpy(path + n + 1, name, len);
    return path;
}

/* Parents come before their children, siblings in their order. */
static void link_sibling(struct model *m, int *last, int metric) {
    const int parent = m->metric[metric].parent;
    int *of = &last[parent == METRIC_NONE ? (int)m->n_tree : parent];
    if (*of != METRIC_NONE)
        m->metric[*of].next_sibling = metric;
    else if (parent != METRIC_NONE)
        m->metric[parent].first_child = metric;
    *of = metric;
}

static bool outline_metric(struct model *m, struct arena *a, const struct model_index *x,
                           uint32_t i) {
    const struct model_index_metric *from = &model_index_metrics[x->metric + i];
    struct metric *mt = &m->metric[i];
    mt->name = mt->path = text_at(from->name);
    mt->vendor = text_or_null(from->vendor);
    mt->groups = text_or_null(from->groups);
    mt->kind = i < x->n_tree                     ? METRIC_TREE
               : i < x->n_tree + x->n_bottleneck ? METRIC_BOTTLENECK
                                                 : METRIC_INFO;
    mt->level = i < x->n_tree;
    mt->parent = from->parent;
    mt->first_child = mt->next_sibling = METRIC_NONE;
    if (mt->parent == METRIC_NONE)
        return true;
    mt->level = m->metric[mt->parent].level + 1;
    mt->path = path_of(a, &m->metric[mt->parent], mt->name);
    return mt->path != NULL;
}

static int outline_metrics(struct model *m, struct arena *a, const struct model_index *x) {
    int *last = malloc((x->n_tree + 1u) * sizeof(*last)); /* child of each node; root */
    m->metric = arena_alloc(a, x->n_metric * sizeof(*m->metric));
    bool ok = last && m->metric;
    for (uint32_t i = 0; ok && i <= x->n_tree; i++)
        last[i] = METRIC_NONE;
    for (uint32_t i = 0; ok && i < x->n_metric; i++) {
        ok = outline_metric(m, a, x, i);
        if (i < x->n_tree)
            link_sibling(m, last, (int)i);
    }
    free(last);
    return ok ? 0 : -ENOMEM;
}

static int no_memory(const struct model_index *x, struct err *err) {
    return err_set(err, -ENOMEM, "%s: out of memory", text_at(x->name));
}

int model_outline(struct model *m, size_t i, struct err *err) {
    const struct model_index *x = &model_indexes[i];
    struct model_memory *mem = calloc(1, sizeof(*mem));
    *m = (struct model){.arena_ = mem};
    m->match = mem ? arena_alloc(&mem->arena, (x->n_match + 1u) * sizeof(*m->match)) : NULL;
    if (!m->match)
        return no_memory(x, err);
    for (uint16_t k = 0; k < x->n_match; k++)
        m->match[k] = text_at(model_index_matches[x->match + k]);
    outline_identity(m, x);
    return 0;
}

int model_outline_metrics(struct model *m, size_t i, struct err *err) {
    const int rc = model_outline(m, i, err);
    struct model_memory *mem = m->arena_;
    if (rc == 0 && outline_metrics(m, &mem->arena, &model_indexes[i]) < 0)
        return no_memory(&model_indexes[i], err);
    return rc;
}
