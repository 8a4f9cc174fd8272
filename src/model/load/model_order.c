/*
 * The order of evaluation: every metric after those that its formulas (all three) refer to.
 * Thresholds do not count: a sum may refer to its children while their thresholds refer to the
 * sum, so they are looked at when all values are known.
 *
 * In the same walk the formulas are measured as they are with their inlined metrics in them: sixty
 * lines of "M1 = M0 + M0" would make a formula without end for everything that reads it.
 */
#include "model/load/model_load.h"

#include "base/str.h"

#include <errno.h>

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
    int at;              /* the metric whose formulas are read */
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
