#include "model/load/model_text.h"

#include "model/load/code.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* --- events --- */

const char *model_core_pmu(const struct model *m) {
    static const struct {
        const char *type, *pmu;
    } hybrid[] = {{"core", "cpu_core"}, {"atom", "cpu_atom"}, {"lowpower", "cpu_lowpower"}};
    if (m->vendor && !strcmp(m->vendor, "Arm"))
        return "armv8_pmuv3_0";
    for (size_t i = 0; m->core_type && i < sizeof(hybrid) / sizeof(hybrid[0]); i++)
        if (!strcmp(hybrid[i].type, m->core_type))
            return hybrid[i].pmu;
    return "cpu";
}

/* The code by the names of format/; as a whole where it has bits that have no name. */
static void add_code(const struct model *m, const struct event *e, struct strbuf *sb) {
    const struct code_field *layout = code_layout(m->vendor);
    uint64_t rest = e->config;
    for (const struct code_field *f = layout; f && f->name; f++)
        rest = code_set(f, rest, 0);
    if (!layout || rest) {
        strbuf_add(sb, "config=0x%" PRIx64, e->config);
        return;
    }
    for (const struct code_field *f = layout; f->name; f++) {
        uint64_t v = code_get(f, e->config);
        if (f > layout && v == 0)
            continue;
        strbuf_add(sb, "%s%s", f > layout ? "," : "", f->name);
        if (code_width(f) > 1)
            strbuf_add(sb, "=0x%" PRIx64, v);
    }
}

static void add_core_terms(const struct model *m, const struct event *e, struct strbuf *sb) {
    if (e->has_code)
        add_code(m, e, sb);
    else
        strbuf_add(sb, "%s", e->sysfs ? e->sysfs : "");
    if (e->has_code && e->config1)
        strbuf_add(sb, ",%s=0x%" PRIx64, code_config1_name(m->vendor, e->config), e->config1);
    if (e->percore && sb->n)
        strbuf_add(sb, ",percore");
}

/* Names of perf_event_open(2)'s generic events, as perf prints them. */
static const char *const hardware[] = {"cycles",
                                       "instructions",
                                       "cache-references",
                                       "cache-misses",
                                       "branches",
                                       "branch-misses",
                                       "bus-cycles",
                                       "stalled-cycles-frontend",
                                       "stalled-cycles-backend",
                                       "ref-cycles"};
static const char *const software[] = {"cpu-clock",        "task-clock",      "page-faults",
                                       "context-switches", "cpu-migrations",  "minor-faults",
                                       "major-faults",     "alignment-faults"};
static const char *const caches[] = {"L1-dcache", "L1-icache", "LLC", "dTLB",
                                     "iTLB",      "branch",    "node"};
static const char *const accesses[] = {"load", "store", "prefetch"};

enum { TYPE_HARDWARE = 0, TYPE_SOFTWARE = 1, TYPE_HW_CACHE = 3 }; /* perf_event_attr.type */

#define N(array) (sizeof(array) / sizeof((array)[0]))

static void add_generic(const struct event *e, struct strbuf *sb) {
    uint64_t c = e->config, cache = c & 0xff, op = c >> 8 & 0xff, miss = c >> 16;
    if (e->type == TYPE_HARDWARE && c < N(hardware))
        strbuf_add(sb, "%s", hardware[c]);
    else if (e->type == TYPE_SOFTWARE && c < N(software))
        strbuf_add(sb, "%s", software[c]);
    else if (e->type == TYPE_HW_CACHE && cache < N(caches) && op < N(accesses) && miss <= 1)
        strbuf_add(sb, "%s-%s%s", caches[cache], accesses[op], miss ? "-misses" : "s");
    else
        strbuf_add(sb, "%s", e->alias ? e->alias : "");
}

static void add_uncore(const struct event *e, struct strbuf *sb) {
    if (e->device && (e->terms || e->sysfs))
        strbuf_add(sb, "%s/%s/", e->device, e->terms ? e->terms : e->sysfs);
}

char *model_event_text(const struct model *m, const struct event *e, char *buf, size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    switch (e->pmu) {
    case EVENT_GENERIC:
    case EVENT_SOFTWARE:
        add_generic(e, &sb);
        break;
    case EVENT_UNCORE:
        add_uncore(e, &sb);
        break;
    case EVENT_CORE:
        if (!e->has_code && !e->sysfs)
            break;
        strbuf_add(&sb, "%s/", model_core_pmu(m));
        add_core_terms(m, e, &sb);
        strbuf_add(&sb, "/%s", e->user_only ? "u" : e->kernel_only ? "k" : "");
        break;
    case EVENT_PROC:
        break;
    }
    return buf;
}

/* --- expressions --- */

/* How an operation is written, and how tightly it binds (expr.h). */
static const struct {
    const char *sign;
    int rank;
} ops[] = {
    [AST_IF] = {"", 1},     [AST_OR] = {" | ", 2},  [AST_AND] = {" & ", 3}, [AST_LT] = {" < ", 4},
    [AST_GT] = {" > ", 4},  [AST_LE] = {" <= ", 4}, [AST_GE] = {" >= ", 4}, [AST_EQ] = {" == ", 4},
    [AST_ADD] = {" + ", 5}, [AST_SUB] = {" - ", 5}, [AST_MUL] = {" * ", 6}, [AST_DIV] = {" / ", 6},
    [AST_NEG] = {"-", 7},   [AST_MIN] = {"min", 8}, [AST_MAX] = {"max", 8}, [AST_NUMBER] = {"", 8},
    [AST_EVENT] = {"", 8},  [AST_METRIC] = {"", 8}, [AST_CONST] = {"", 8},
};

struct writer {
    const struct model *m;
    const struct expr_style *style;
    struct strbuf *sb;
};

static void add_expr(const struct writer *w, const struct ast *a, int rank);

static void add_leaf(const struct writer *w, const struct ast *a) {
    const struct model *m = w->m;
    struct strbuf *sb = w->sb;
    char name[128];
    if (a->op == AST_NUMBER)
        strbuf_add(sb, "%.10g", a->number);
    else if (w->style->leaf)
        w->style->leaf(w->style->user, a, sb);
    else if (a->op == AST_EVENT)
        strbuf_add(sb, "%s", m->event[a->index].name);
    else if (a->op == AST_METRIC)
        strbuf_add(sb, "%s", m->metric[a->index].name);
    else
        strbuf_add(sb, "%s", model_const_text(m, a->index, name, sizeof(name)));
}

/* a - b - c is (a - b) - c; a < b < c, and an if before an if, need parentheses. */
static bool chains(enum ast_op op) {
    return op != AST_IF && !(op >= AST_LT && op <= AST_EQ);
}

static void add_operation(const struct writer *w, const struct ast *a) {
    struct strbuf *sb = w->sb;
    int rank = ops[a->op].rank;
    if (a->op == AST_NEG) {
        strbuf_add(sb, "-");
        add_expr(w, a->kid[0], rank + 1);
        return;
    }
    bool call = a->op == AST_MIN || a->op == AST_MAX;
    if (call)
        strbuf_add(sb, "%s(", ops[a->op].sign);
    add_expr(w, a->kid[0], call ? 0 : chains(a->op) ? rank : rank + 1);
    strbuf_add(sb, "%s", call ? ", " : a->op == AST_IF ? " if " : ops[a->op].sign);
    add_expr(w, a->kid[1], call ? 0 : rank + 1);
    if (a->op == AST_IF) {
        strbuf_add(sb, " else ");
        add_expr(w, a->kid[2], rank);
    }
    if (call)
        strbuf_add(sb, ")");
}

/* In parentheses where what stands around it binds tighter than `a`. */
static void add_expr(const struct writer *w, const struct ast *a, int rank) {
    if (w->style->pick)
        a = w->style->pick(w->style->user, a);
    bool leaf =
        a->op == AST_NUMBER || a->op == AST_EVENT || a->op == AST_METRIC || a->op == AST_CONST;
    bool inside = ops[a->op].rank < rank;
    strbuf_add(w->sb, "%s", inside ? "(" : "");
    if (leaf)
        add_leaf(w, a);
    else
        add_operation(w, a);
    strbuf_add(w->sb, "%s", inside ? ")" : "");
}

void model_expr_text_as(const struct model *m, const struct ast *ast,
                        const struct expr_style *style, struct strbuf *sb) {
    const struct writer w = {m, style, sb};
    if (ast)
        add_expr(&w, ast, 0);
}

void model_expr_text(const struct model *m, const struct ast *ast, struct strbuf *sb) {
    const struct expr_style plain = {NULL, NULL, NULL};
    model_expr_text_as(m, ast, &plain, sb);
}

char *model_const_text(const struct model *m, int index, char *buf, size_t cap) {
    if (index < CONST_N)
        return str_copy(buf, cap, const_name((enum const_id)index));
    uint32_t i = (uint32_t)(index - CONST_N);
    snprintf(buf, cap, "%s:retire_latency", i < m->n_latency ? m->latency[i].event : "?");
    return buf;
}

/* --- thresholds --- */

/* Finds "metric > number" in a rule; only & may stand above it. */
static double compared_with(const struct ast *a, int metric) {
    if (!a)
        return NAN;
    if (a->op == AST_AND) {
        double left = compared_with(a->kid[0], metric);
        return isnan(left) ? compared_with(a->kid[1], metric) : left;
    }
    bool over = a->op == AST_GT || a->op == AST_GE;
    if (over && a->kid[0]->op == AST_METRIC && a->kid[0]->index == metric &&
        a->kid[1]->op == AST_NUMBER)
        return a->kid[1]->number;
    return NAN;
}

double model_threshold(const struct model *m, int metric) {
    return compared_with(m->metric[metric].threshold, metric);
}

/* --- groups --- */

bool model_group_next(const char **list, const char **name, size_t *n) {
    const char *p = *list ? *list + strspn(*list, "; ") : "";
    *name = p;
    *n = strcspn(p, ";");
    *list = p + *n;
    while (*n && p[*n - 1] == ' ')
        --*n;
    return *n > 0;
}

bool model_in_group(const struct metric *mt, const char *name) {
    const char *list = mt->groups, *group;
    size_t n;
    while (model_group_next(&list, &group, &n))
        if (n == strlen(name) && !strncasecmp(group, name, n))
            return true;
    return false;
}

bool model_has_group(const struct model *m, const char *name) {
    for (uint32_t i = 0; i < m->n_metric; i++)
        if (model_in_group(&m->metric[i], name))
            return true;
    return false;
}

/* Intel's tables of events, "PEBS": these families are precise on all cores that have them. */
static const char *const precise[] = {"FRONTEND_RETIRED.*", "MEM_LOAD*_RETIRED.*",
                                      "MEM_INST_RETIRED.*", "BR_MISP_RETIRED.*",
                                      "BR_INST_RETIRED.*"};

char *model_sample_text(const char *event, char *buf, size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    strbuf_add(&sb, "%s", event);
    for (size_t i = 0; i < sizeof(precise) / sizeof(precise[0]); i++)
        if (fnmatch(precise[i], event, 0) == 0 && !strchr(event, ':'))
            strbuf_add(&sb, ":pp");
    return buf;
}
