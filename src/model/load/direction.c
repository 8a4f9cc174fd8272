#include "model/load/direction.h"

#include "model/load/expr.h"
#include "model/load/model.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

/* ---- by name ---- */

enum { UP = 1, NONE = 0, DOWN = -1 };

/* Lower case; '^' is the begin of the name, '$' its end. The first that fits counts. */
struct rule {
    const char *part;
    int better;
};

/*
 * Nodes of the tree. Under the roots of lost slots less is better, but for those that say how busy
 * a unit is: they move among each other when the same work takes other ports.
 */
static const struct rule tree_rules[] = {
    {"^port", NONE},
    {"_utilization$", NONE},
    {"^amx_busy$", NONE},
    {"_stalls$", DOWN},
};

/* Metrics beside the tree. What says nothing (bandwidth, instruction mix, how often a level of the
 * memory is reached) is better neither way, because it follows the work that is done. */
static const struct rule rules[] = {
    {"^bottleneck_useful_work$", UP},
    {"^bottleneck_", DOWN},
    {"^info_bottleneck_", DOWN},
    {"^info_botlnk_", DOWN},

    /* Parts of what was lost or fetched: when one grows another shrinks. */
    {"bound_with_", NONE},
    {"_bound_loadhead_with_", NONE},
    {"_to_unknown_branch_ratio$", NONE},
    {"_inst_miss_cost_", NONE},
    {"bandwidth", NONE},
    {"_bw", NONE},
    {"^cpus_utilized$", NONE},

    {"^ipc$", UP},
    {"coreipc$", UP},
    {"cpi$", DOWN},
    {"^ghz$", UP},
    {"^cpu_operating_frequency$", UP},
    {"turbo_utilization$", UP},
    {"^turbo_ratio$", UP},
    {"_mlp$", UP},

    {"_bound$", DOWN},
    {"_bound_cycles$", DOWN},
    {"^info_l1_bound_", DOWN},
    {"^info_mem_exec_blocks_", DOWN},

    {"ipmisp", UP},
    {"ipfarbranch$", UP},
    {"ipassist$", UP},
    {"ipunknown_branch$", UP},
    {"ipdsb_miss", UP},
    {"mispredict", DOWN},
    {"branch_mpki$", DOWN},
    {"branch_miss", DOWN},
    {"machine_clear", DOWN},
    {"_cost$", DOWN},

    {"hit_ratio", UP},
    {"dsb_coverage$", UP},
    {"delivered_from_decoded_icache$", UP},
    {"delivered_from_legacy_decode", DOWN},
    {"delivered_from_microcode", DOWN},
    {"microcode_uop_ratio$", DOWN},
    {"_hits", NONE},
    {"mpki", DOWN},
    {"_mpi$", DOWN},
    {"_mpi_", DOWN},
    {"latency", DOWN},
    {"cycles_per_demand_load", DOWN},
    {"miss", DOWN},
    {"useless", DOWN},
    {"_walk", DOWN},
    {"tlbs_flushed", DOWN},
    {"_splits", DOWN},
    {"bus_lock", DOWN},

    {"stall", DOWN},
    {"^not_dispatched$", DOWN},
    {"^queue_empty_cycles$", DOWN},
    {"dsb_switches_ret$", DOWN},
    {"unknown_branches_ret$", DOWN},
    {"predicate_full", UP},
    {"predicate_empty", DOWN},

    {"_remote_dram$", DOWN},
    {"_local_dram$", UP},
    {"_reads_to_remote_cluster", DOWN},
    {"_reads_to_local_cluster", UP},
};

static bool fits(const char *name, const char *part) {
    const bool begins = *part == '^';
    part += begins;
    const size_t n = strlen(name), all = strlen(part);
    const bool ends = all && part[all - 1] == '$';
    const size_t len = all - ends;
    if (begins)
        return !strncmp(name, part, len) && (!ends || n == len);
    if (ends)
        return n >= len && !strncmp(name + n - len, part, len);
    return strstr(name, part) != NULL;
}

/* The better way by the first rule that fits, or `otherwise`. */
static int by_rule(const struct rule *r, size_t n, const char *name, int otherwise) {
    char lower[128];
    size_t len = 0;
    for (; name[len] && len < sizeof(lower) - 1; len++)
        lower[len] = (char)tolower((unsigned char)name[len]);
    lower[len] = '\0';
    for (size_t i = 0; i < n; i++)
        if (fits(lower, r[i].part))
            return r[i].better;
    return otherwise;
}

/* Useful work has no better way by itself; work that needs many operations for one instruction is
 * better the less there is. */
static int of_node(const char *path) {
    static const struct rule useful[] = {
        {"^retiring.heavy_operations", DOWN},
        {"^retiring$", UP},
        {"^active$", UP},
        {"^retiring.light_operations$", UP},
        {"^retiring.", NONE},
        {"^idle$", NONE}, /* asleep: whether it could have worked is not known */
    };
    enum { OTHER = 2 };
    const char *dot = strrchr(path, '.'), *name = dot ? dot + 1 : path;
    const int root = by_rule(useful, sizeof(useful) / sizeof(useful[0]), path, OTHER);
    if (root != OTHER)
        return root;
    return by_rule(tree_rules, sizeof(tree_rules) / sizeof(tree_rules[0]), name, DOWN);
}

int direction_find(const struct direction_of *m) {
    if (m->total)
        return NONE; /* it grows with the work that is done */
    if (m->level > 0)
        return of_node(m->path);
    const char *dot = strrchr(m->path, '.'); /* "Info.Thread.IPC" of other tools */
    return by_rule(rules, sizeof(rules) / sizeof(rules[0]), dot ? dot + 1 : m->path, NONE);
}

/* ---- by formula ---- */

/*
 * With which power of the time a value grows when everything goes on as it is: 1 of counts and
 * times, 0 of ratios. A constant beside it says nothing.
 */
static int power_of(const struct ast *a, const signed char *metric);

static int larger(int a, int b) {
    return b * b > a * a ? b : a;
}

static int power_of_kids(const struct ast *a, const signed char *metric) {
    const int x = power_of(a->kid[0], metric), y = power_of(a->kid[1], metric);
    switch (a->op) {
    case AST_MUL:
        return x + y;
    case AST_DIV:
        return x - y;
    case AST_ADD:
    case AST_SUB:
    case AST_MIN:
    case AST_MAX:
        return larger(x, y);
    case AST_IF:
        return larger(x, power_of(a->kid[2], metric));
    default:
        return a->op == AST_NEG ? x : 0; /* comparisons */
    }
}

static int power_of(const struct ast *a, const signed char *metric) {
    if (!a)
        return 0;
    switch (a->op) {
    case AST_NUMBER:
        return 0;
    case AST_EVENT:
        return 1;
    case AST_METRIC:
        return metric[a->index];
    case AST_CONST:
        return a->index == CONST_DURATION_S || a->index == CONST_TSC;
    default:
        return power_of_kids(a, metric);
    }
}

static int better_of(const struct metric *mt) {
    if (mt->good_up || mt->good_down)
        return mt->good_up ? UP : DOWN;
    return direction_find(&(struct direction_of){mt->path, mt->level, mt->total});
}

void direction_fill(struct model *m, signed char *power) {
    for (uint32_t i = 0; i < m->n_metric; i++) {
        struct metric *mt = &m->metric[m->order[i]];
        const struct ast *a = mt->ast ? mt->ast : mt->alt ? mt->alt : mt->fallback;
        power[m->order[i]] = (signed char)power_of(a, power);
        mt->total = !mt->share && power[m->order[i]] == 1;
    }
    for (uint32_t i = 0; i < m->n_metric; i++)
        m->metric[i].better = (signed char)better_of(&m->metric[i]);
}
