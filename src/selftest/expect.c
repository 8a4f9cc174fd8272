#include "selftest/expect.h"

#include "base/str.h"
#include "model/load/select.h"

#include <math.h>
#include <string.h>

/* A row is a path or a limit. */
struct row {
    const char *kernel;
    const char *only; /* a model's name, its rung or its vendor: instead of the rows without */
    const char *node[EXPECT_DEEP];
    const char *metric;
    double min, max;
};

#define LEADS(k, ...)                                                                              \
    {                                                                                              \
        .kernel = k, .node = { __VA_ARGS__ }                                                       \
    }
#define LEADS_ON(who, k, ...)                                                                      \
    {                                                                                              \
        .kernel = k, .only = who, .node = { __VA_ARGS__ }                                          \
    }
#define LIMIT(k, m, lo, hi)                                                                        \
    { .kernel = k, .metric = m, .min = lo, .max = hi }
#define LIMIT_ON(w, k, m, l, h)                                                                    \
    { .kernel = k, .only = w, .metric = m, .min = l, .max = h }

#define BE      "Backend_Bound"
#define MEM     BE, "Memory_Bound"
#define FETCH   "Frontend_Bound", "Fetch_Latency"
#define N3_DATA BE, "Backend_Mem_Bound", "Backend_Mem_Cache_Bound"

/*
 * Neoverse N3 and V3 have names of their own below level 1, Intel's E-cores from Gracemont on have
 * Resource_Bound for all that waits in the scheduler or the reorder buffer. AMD's Memory_Bound is
 * of loads, so stores and locks are asked for level 1. Neoverse N1 counts cycles without a reason.
 * Limits stand a factor of two or more from what cores of the last fifteen years do.
 */
static const struct row rows[] = {
    LEADS("chase-dram", MEM, "DRAM_Bound", "MEM_Latency"),
    LEADS("chase-dram", BE, "Resource_Bound"),
    LEADS("chase-dram", N3_DATA, "Backend_Cache_L2D_Bound"),
    LEADS_ON("neoverse-n1", "chase-dram", "Backend_Stalls"),
    LIMIT_ON("generic", "chase-dram", "IPC", 0, 0.3),

    /* An L2 that answers fast shows in part as L1_Bound: the latency of a hit is in both. */
    LEADS("chase-l2", MEM, "L2_Bound"),
    LEADS("chase-l2", MEM, "L1_Bound"),
    LEADS("chase-l2", BE, "Resource_Bound"),
    LEADS("chase-l2", N3_DATA, "Backend_Cache_L1D_Bound"),
    LEADS_ON("neoverse-n1", "chase-l2", "Backend_Stalls"),
    LIMIT_ON("generic", "chase-l2", "IPC", 0, 0.6),

    /* The architecture's common events do not tell what a flush costs. */
    LEADS("branches", "Bad_Speculation", "Branch_Mispredicts"),
    LIMIT_ON("arm-sbsa", "branches", "branch_misprediction_ratio", 0.1, 1),
    LIMIT_ON("neoverse-n1", "branches", "branch_misprediction_ratio", 0.1, 1),
    LIMIT_ON("generic", "branches", "Branch_Miss_Ratio", 0.1, 1),

    /* Code that large does not fit the branch predictor either; which of the two takes longer
     * depends on the core. */
    LEADS("code", FETCH, "ICache_Misses"),
    LEADS("code", FETCH, "Branch_Resteers", "Unknown_Branches"),
    LEADS("code", FETCH, "Branch_Detect"),
    LEADS("code", "Frontend_Bound", "Frontend_Mem_Bound", "Frontend_Mem_Cache_Bound"),
    LEADS_ON("neoverse-n1", "code", "Frontend_Stalls"),
    LIMIT_ON("generic", "code", "IPC", 0, 1),

    LEADS("divide", BE, "Core_Bound", "Divider"),
    LEADS("divide", BE, "Resource_Bound"),
    LEADS("divide", BE, "Backend_Core_Bound"),
    LEADS("divide", BE, "Backend_Busy_Bound"),
    LEADS_ON("neoverse-n1", "divide", "Backend_Stalls"),
    LIMIT_ON("generic", "divide", "IPC", 0, 1),

    LEADS("integer", "Retiring"),
    LIMIT_ON("neoverse-n1", "integer", "IPC", 1.5, 16),
    LIMIT_ON("generic", "integer", "IPC", 1.5, 16),

    LEADS("vector", "Retiring", "Light_Operations"),
    LIMIT("vector", "FP_Vector", 0.15, 1),
    LIMIT_ON("neoverse-n1", "vector", "IPC", 1.5, 16),
    LIMIT_ON("generic", "vector", "IPC", 1.2, 16),

    LEADS("stores", MEM, "Store_Bound"),
    LEADS("stores", BE, "Resource_Bound"),
    LEADS("stores", BE, "Backend_Mem_Bound"),
    LEADS_ON("AMD", "stores", BE),
    LEADS_ON("neoverse-n1", "stores", "Backend_Stalls"),
    LIMIT_ON("generic", "stores", "IPC", 0, 1.5),

    /* Whom the wait is booked to depends on what of a locked operation missed: its load, which
     * finds the line changed in the other core, or its store. */
    LEADS("contend", MEM, "L3_Bound", "Contested_Accesses"),
    LEADS("contend", MEM, "L1_Bound", "Lock_Latency"),
    LEADS("contend", MEM, "Store_Bound", "False_Sharing"),
    LEADS("contend", BE, "Resource_Bound"),
    LEADS("contend", BE, "Backend_Mem_Bound"),
    LEADS_ON("AMD", "contend", BE),
    LEADS_ON("neoverse-n1", "contend", "Backend_Stalls"),
    LIMIT_ON("generic", "contend", "IPC", 0, 0.5),

    LEADS_ON("software", "busy", "User"),
    LEADS_ON("software", "syscalls", "Kernel"),
};
enum { N_ROWS = sizeof(rows) / sizeof(rows[0]) };

/* How well a row is meant for a model; 0: not at all. */
static int row_rank(const struct row *r, const struct model *m, const char *kernel) {
    if (strcmp(r->kernel, kernel) != 0)
        return 0;
    if (!r->only)
        return 1;
    return strcmp(r->only, m->name) == 0     ? 4
           : strcmp(r->only, m->rung) == 0   ? 3
           : strcmp(r->only, m->vendor) == 0 ? 2
                                             : 0;
}

static bool is_known(const struct model *m, int metric, const struct frame *f) {
    return metric != METRIC_NONE && !m->metric[metric].unavailable &&
           (!f || !isnan(f->at[metric].v));
}

/* As deep as the model goes. True if that is all of it. */
static bool path_in(const struct model *m, const struct row *r, const struct frame *f,
                    struct expect_path *out) {
    out->n = 0;
    for (int i = 0; i < EXPECT_DEEP && r->node[i]; i++) {
        int at = model_find(m, r->node[i]);
        int parent = i > 0 ? out->node[i - 1] : METRIC_NONE;
        if (!is_known(m, at, f) || m->metric[at].kind != METRIC_TREE ||
            m->metric[at].parent != parent || !m->metric[at].threshold)
            return false;
        out->node[out->n++] = at;
    }
    return true;
}

static bool has_prefix(const struct expect_path *p, const struct expect_path *prefix) {
    return prefix->n <= p->n &&
           memcmp(p->node, prefix->node, (size_t)prefix->n * sizeof(p->node[0])) == 0;
}

/*
 * A path that had to be cut says less than one that goes on from there; of the same ones, the first
 * stays.
 */
static void drop_weaker(struct expect *e, const bool *cut) {
    bool drop[EXPECT_MAX] = {false};
    for (int i = 0; i < e->n_path; i++)
        for (int k = 0; k < e->n_path; k++) {
            bool same = e->path[k].n == e->path[i].n;
            if (k != i && has_prefix(&e->path[k], &e->path[i]) && (same ? k < i : cut[i]))
                drop[i] = true;
        }
    int n = 0;
    for (int i = 0; i < e->n_path; i++)
        if (!drop[i])
            e->path[n++] = e->path[i];
    e->n_path = n;
}

void expect_find(const struct model *m, const char *kernel, const struct frame *f,
                 struct expect *out) {
    bool cut[EXPECT_MAX] = {false};
    int best = 1;
    *out = (struct expect){0};
    for (int i = 0; i < N_ROWS; i++)
        if (row_rank(&rows[i], m, kernel) > best)
            best = row_rank(&rows[i], m, kernel);
    for (int i = 0; i < N_ROWS; i++) {
        const struct row *r = &rows[i];
        if (row_rank(r, m, kernel) != best)
            continue;
        int metric = r->metric ? model_find(m, r->metric) : METRIC_NONE;
        if (is_known(m, metric, f) && out->n_limit < EXPECT_MAX)
            out->limit[out->n_limit++] = (struct expect_limit){metric, r->min, r->max};
        if (r->metric || out->n_path == EXPECT_MAX)
            continue;
        cut[out->n_path] = !path_in(m, r, f, &out->path[out->n_path]);
        out->n_path += out->path[out->n_path].n > 0;
    }
    drop_weaker(out, cut);
}

static int path_level(const struct expect *e) {
    int level = 1;
    for (int i = 0; i < e->n_path; i++)
        if (e->path[i].n > level)
            level = e->path[i].n;
    return level;
}

int expect_level(const struct model *m, const struct expect *e) {
    int level = path_level(e);
    for (int i = 0; i < e->n_limit; i++) {
        const struct metric *metric = &m->metric[e->limit[i].metric];
        if (metric->kind != METRIC_TREE && !metric->vital)
            return 0;
        if (metric->level > level)
            level = metric->level;
    }
    return level;
}

void expect_wanted(const struct model *m, const struct expect *e, bool *wanted) {
    select_level(m, path_level(e) > 2 ? 2 : path_level(e), wanted);
    for (int p = 0; p < e->n_path; p++)
        for (int i = 0; i < e->path[p].n; i++) /* and its siblings: it must be the largest */
            for (uint32_t k = 0; k < m->n_tree; k++)
                wanted[k] |= m->metric[k].parent == m->metric[e->path[p].node[i]].parent;
    for (int i = 0; i < e->n_limit; i++)
        for (int at = e->limit[i].metric; at != METRIC_NONE; at = m->metric[at].parent)
            wanted[at] = true;
}

/* From its second on, an alternative is named from where it leaves the first. */
static void path_words(const struct model *m, const struct expect *e, int which,
                       struct strbuf *sb) {
    const struct expect_path *p = &e->path[which], *first = &e->path[0];
    int from = 0;
    while (which > 0 && from + 1 < p->n && from < first->n && p->node[from] == first->node[from])
        from++;
    strbuf_add(sb, which > 0 ? ", or " : "");
    for (int i = from; i < p->n; i++)
        strbuf_add(sb, "%s%s", i > from ? " > " : "", m->metric[p->node[i]].name);
}

static void limit_words(const struct model *m, const struct expect_limit *l, struct strbuf *sb) {
    const struct metric *metric = &m->metric[l->metric];
    double unit = metric->share ? 100 : 1;
    bool at_most = l->min <= 0;
    strbuf_add(sb, "%s%s %s %g%s", sb->n ? "; " : "", metric->name,
               at_most ? "at most" : "at least", (at_most ? l->max : l->min) * unit,
               metric->share ? " %" : "");
}

const char *expect_text(const struct model *m, const struct expect *e, char *buf, size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    for (int i = 0; i < e->n_path; i++)
        path_words(m, e, i, &sb);
    for (int i = 0; i < e->n_limit; i++)
        limit_words(m, &e->limit[i], &sb);
    return buf;
}
