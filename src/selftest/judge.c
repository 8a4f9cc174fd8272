#include "selftest/judge.h"

#include "base/str.h"
#include "model/eval/bottleneck.h"
#include "model/eval/eval.h"
#include "model/load/select.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
               metric->share ? "%" : "");
}

const char *expect_text(const struct model *m, const struct expect *e, char *buf, size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    for (int i = 0; i < e->n_path; i++)
        path_words(m, e, i, &sb);
    for (int i = 0; i < e->n_limit; i++)
        limit_words(m, &e->limit[i], &sb);
    return buf;
}

#include "selftest/judge.h"

#include "base/str.h"
#include "model/eval/bottleneck.h"
#include "model/eval/eval.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *judged_name(enum judged v) {
    static const char *const names[] = {
        [VERDICT_OK] = "ok", [VERDICT_NOT] = "NOT", [VERDICT_SKIPPED] = "skipped"};
    return names[v];
}

void judge_skip(struct judgement *out, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(out->why, sizeof(out->why), fmt, ap);
    va_end(ap);
    out->verdict = VERDICT_SKIPPED;
}

static void join(char *text, size_t cap, const char *more) {
    size_t n = strlen(text);
    if (*more)
        snprintf(text + n, cap - n, "%s%s", n ? "; " : "", more);
}

/* ---- paths ---- */

/* Two siblings too close to call, one of them the end of the path that was expected. */
static bool ends_in_tie(const struct bottleneck *b, const struct expect_path *p) {
    int last = p->node[p->n - 1];
    return p->n > 1 && b->n == p->n - 1 && (b->tie[0] == last || b->tie[1] == last);
}

static bool follows(const struct bottleneck *b, const struct expect_path *p) {
    for (int i = 0; i < p->n && i < b->n; i++)
        if (b->at[i] != p->node[i])
            return false;
    return b->n >= p->n || ends_in_tie(b, p);
}

static bool follows_one(const struct bottleneck *b, const struct expect *e) {
    for (int i = 0; i < e->n_path; i++)
        if (follows(b, &e->path[i]))
            return true;
    return e->n_path == 0;
}

static void value_words(const struct model *m, const struct frame *f, int metric,
                        struct strbuf *sb) {
    const struct metric *at = &m->metric[metric];
    double v = f->at[metric].v;
    strbuf_add(sb, at->share ? "%s %.1f%%" : "%s %.2f", at->name, at->share ? 100 * v : v);
}

static void measured_path_words(const struct model *m, const struct frame *f, struct strbuf *sb) {
    const struct bottleneck *b = &f->bottleneck;
    char none[256];
    for (int i = 0; i < b->n; i++) {
        strbuf_add(sb, i ? " > " : "");
        value_words(m, f, b->at[i], sb);
    }
    if (b->n == 0)
        strbuf_add(sb, "%s", bottleneck_text(m, f, b, none, sizeof(none)));
    if (b->tie[0] == METRIC_NONE)
        return;
    strbuf_add(sb, " (");
    value_words(m, f, b->tie[0], sb);
    strbuf_add(sb, " ≈ ");
    value_words(m, f, b->tie[1], sb);
    strbuf_add(sb, ")");
}

/* The first thing that a kernel's expectation names and this frame does not know. */
static void say_unknown(const struct model *m, const char *kernel, const struct frame *f,
                        struct judgement *out) {
    struct expect all;
    char why[256];
    expect_find(m, kernel, NULL, &all);
    expect_text(m, &all, out->expected, sizeof(out->expected));
    int at = all.n_path ? all.path[0].node[0] : all.n_limit ? all.limit[0].metric : METRIC_NONE;
    if (at == METRIC_NONE)
        judge_skip(out, "model %s has none of the nodes that this kernel leads to", m->name);
    else
        judge_skip(out, "%s is not known: %s", m->metric[at].name,
                   why_text(m, f->at[at].why, why, sizeof(why)));
}

void judge_frame(const struct model *m, const char *kernel, const struct frame *f,
                 struct judgement *out) {
    struct expect e;
    *out = (struct judgement){.verdict = VERDICT_OK};
    struct strbuf measured = strbuf_on(out->measured, sizeof(out->measured));
    expect_find(m, kernel, f, &e);
    if (!e.n_path && !e.n_limit) {
        say_unknown(m, kernel, f, out);
        return;
    }
    expect_text(m, &e, out->expected, sizeof(out->expected));
    if (e.n_path)
        measured_path_words(m, f, &measured);
    if (!follows_one(&f->bottleneck, &e)) {
        out->verdict = VERDICT_NOT;
        str_copy(out->why, sizeof(out->why), "the path leads elsewhere");
    }
    for (int i = 0; i < e.n_limit; i++) {
        const struct expect_limit *l = &e.limit[i];
        double v = f->at[l->metric].v;
        strbuf_add(&measured, measured.n ? "; " : "");
        value_words(m, f, l->metric, &measured);
        if (v >= l->min && v <= l->max)
            continue;
        out->verdict = VERDICT_NOT;
        snprintf(out->why, sizeof(out->why), "%s is not what it must be",
                 m->metric[l->metric].name);
    }
}

/* ---- counts ---- */

/* CPU time is counted in ns and read in ms. */
static void count_words(const struct judge_count *c, double v, struct strbuf *sb) {
    bool time = strcmp(c->event, "task_clock") == 0;
    strbuf_add(sb, time ? "%.1f ms" : "%.0f", time ? v / 1e6 : v);
}

static bool is_near(double measured, double truth, double tolerance) {
    return fabs(measured - truth) <= 0.01 * truth + tolerance;
}

void judge_count(const struct judge_count *c, struct judgement *out) {
    *out = (struct judgement){.verdict = VERDICT_OK};
    struct strbuf expected = strbuf_on(out->expected, sizeof(out->expected)),
                  measured = strbuf_on(out->measured, sizeof(out->measured));
    strbuf_add(&expected, "%s ", c->event);
    if (c->known > 0) {
        count_words(c, c->known, &expected);
        strbuf_add(&expected, " at least, ");
    }
    count_words(c, c->truth, &expected);
    strbuf_add(&expected, " by getrusage");
    if (isnan(c->measured)) {
        judge_skip(out, "%s is not counted here", c->event);
        return;
    }
    strbuf_add(&measured, "%s ", c->event);
    count_words(c, c->measured, &measured);
    if (c->truth < c->known) {
        out->verdict = VERDICT_NOT;
        str_copy(out->why, sizeof(out->why), "the operating system knows of fewer than were made");
    } else if (c->measured < c->known || !is_near(c->measured, c->truth, c->tolerance)) {
        out->verdict = VERDICT_NOT;
        str_copy(out->why, sizeof(out->why), "more than 1% beside what happened");
    }
}

void judge_add(struct judgement *to, const struct judgement *more) {
    join(to->expected, sizeof(to->expected), more->expected);
    join(to->measured, sizeof(to->measured), more->measured);
    join(to->why, sizeof(to->why), more->why);
    if (to->verdict == VERDICT_OK || more->verdict == VERDICT_NOT)
        to->verdict = more->verdict == VERDICT_OK ? to->verdict : more->verdict;
}
