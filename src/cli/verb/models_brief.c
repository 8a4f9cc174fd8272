/* One model on a page or two: who it is, its tree with short thresholds, and what else there is. */
#include "base/str.h"
#include "cli/verb/models.h"
#include "model/load/model_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TREE_W = 44, UNIT_MAX_W = 6 };

/* What a threshold asks of others. */
struct others {
    const struct model *m;
    int metric;
    bool above, elsewhere;
};

static bool is_above(const struct model *m, int metric, int other) {
    for (int i = m->metric[metric].parent; i != METRIC_NONE; i = m->metric[i].parent)
        if (i == other)
            return true;
    return false;
}

static void note_other(const struct ast *leaf, void *user) {
    struct others *o = user;
    bool own = leaf->op == AST_METRIC && leaf->index == o->metric;
    bool above = leaf->op == AST_METRIC && is_above(o->m, o->metric, leaf->index);
    o->above |= above;
    o->elsewhere |= !own && !above && leaf->op != AST_NUMBER;
}

/* Does its rule hold its parent's as a whole? */
static bool holds_parents(const struct model *m, const struct metric *x) {
    const char *rule = x->parent == METRIC_NONE ? NULL : m->metric[x->parent].threshold_text;
    return rule && strstr(x->threshold_text, rule);
}

/* "> 5 %, and its parent's"; the whole rule where it is not of that kind. */
static void threshold_words(const struct model *m, int metric, struct strbuf *sb) {
    const struct metric *x = &m->metric[metric];
    struct others o = {.m = m, .metric = metric};
    double limit = model_threshold(m, metric);
    if (!x->threshold)
        return;
    expr_leaves(x->threshold, note_other, &o);
    if (holds_parents(m, x)) {
        o.above = true;
        o.elsewhere = false;
    }
    if (isnan(limit) || o.elsewhere)
        strbuf_add(sb, "%s", x->threshold_text);
    else
        strbuf_add(sb, x->share ? "> %.4g %%%s" : "> %.4g%s", limit * (x->share ? 100 : 1),
                   o.above ? ", and its parent's" : "");
}

/* "Divider  [of clocks]"; what is said in many words stands behind the rule. */
static void put_node(const struct model *m, int metric) {
    const struct metric *x = &m->metric[metric];
    const char *of = metric_share_of(m, x);
    bool brief = of && str_width(of) <= UNIT_MAX_W;
    char name[128], rule[1024] = "";
    struct strbuf sb = strbuf_on(name, sizeof(name)), rule_sb = strbuf_on(rule, sizeof(rule));
    strbuf_add(&sb, "%*s%s", 2 * x->level, "", x->name);
    if (brief)
        strbuf_add(&sb, "  [of %s]", of);
    threshold_words(m, metric, &rule_sb);
    if (of && !brief)
        strbuf_add(&rule_sb, "%s[of %s]", rule[0] ? "  " : "", of);
    if (x->unavailable)
        strbuf_add(&rule_sb, "%snot available: %s", rule[0] ? "; " : "", x->unavailable);
    int w = str_width(name) < TREE_W ? TREE_W : str_width(name) + 2;
    printf("%s%*s", name, rule[0] ? w - str_width(name) : 0, "");
    if (rule[0])
        models_put_wrapped(w, rule);
    else
        putchar('\n');
}

static void put_tree(const struct model *m) {
    char head[128];
    snprintf(head, sizeof(head), "Tree (100%% = %s)", m->scope ? m->scope : "slots");
    printf("\n%-*sover its threshold when\n", TREE_W, head);
    for (int i = 0; i < (int)m->n_tree; i++)
        put_node(m, i);
}

static void put_bottlenecks(const struct model *m) {
    char text[4096] = "";
    struct strbuf sb = strbuf_on(text, sizeof(text));
    for (uint32_t i = m->n_tree; i < m->n_metric; i++)
        if (m->metric[i].kind == METRIC_BOTTLENECK)
            strbuf_add(&sb, "%s%s", sb.n ? ", " : "", m->metric[i].name);
    if (!text[0])
        return;
    printf("\nBottlenecks (the same slots, by what one would do about them)\n  ");
    models_put_wrapped(2, text);
}

/* Is this the first metric beside the tree that names the group? */
static bool is_fresh(const struct model *m, uint32_t metric, const char *group) {
    for (uint32_t i = m->n_tree; i < metric; i++)
        if (model_in_group(&m->metric[i], group))
            return false;
    return true;
}

static unsigned group_size(const struct model *m, const char *group) {
    unsigned n = 0;
    for (uint32_t i = m->n_tree; i < m->n_metric; i++)
        n += model_in_group(&m->metric[i], group);
    return n;
}

static void add_groups_of(const struct model *m, uint32_t metric, struct strbuf *sb) {
    for (const char *g = m->metric[metric].groups; g && *g; g += strcspn(g, ";"), g += *g == ';') {
        char group[96];
        g += strspn(g, " ");
        size_t n = strcspn(g, ";");
        while (n && g[n - 1] == ' ')
            n--;
        str_copy(group, n + 1 < sizeof(group) ? n + 1 : sizeof(group), g);
        if (group[0] && is_fresh(m, metric, group))
            strbuf_add(sb, "%s%s:%u", sb->n ? ", " : "", group, group_size(m, group));
    }
}

static void put_groups(const struct model *m) {
    char text[8192] = "";
    struct strbuf sb = strbuf_on(text, sizeof(text));
    unsigned n = 0;
    for (uint32_t i = m->n_tree; i < m->n_metric; i++) {
        n += m->metric[i].kind == METRIC_INFO;
        add_groups_of(m, i, &sb);
    }
    printf("\n%u metrics beside the tree%s\n", n, text[0] ? "; groups, and how many of each:" : "");
    if (!text[0])
        return;
    printf("  ");
    models_put_wrapped(2, text);
}

static void put_events(const struct model *m) {
    static const char *const kinds[] = {[EVENT_CORE] = "of the core",
                                        [EVENT_GENERIC] = "generic",
                                        [EVENT_SOFTWARE] = "of the kernel",
                                        [EVENT_PROC] = "from /proc",
                                        [EVENT_UNCORE] = "outside the core"};
    enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };
    unsigned n[KINDS] = {0}, listed = 0;
    for (uint32_t i = 0; i < m->n_event; i++)
        n[m->event[i].pmu]++;
    printf("\n%u events: ", m->n_event);
    for (int i = 0; i < KINDS; i++)
        if (n[i])
            printf("%s%u %s", listed++ ? ", " : "", n[i], kinds[i]);
    if (m->n_latency)
        printf("; %u retire latencies", m->n_latency);
    putchar('\n');
}

void models_brief(const struct model *m) {
    models_put_head(m);
    put_tree(m);
    put_bottlenecks(m);
    put_groups(m);
    put_events(m);
    printf("\ntdtop models %s NODE or GROUP: one whole; without --summary: all of it; -j: data.\n",
           m->name);
}
