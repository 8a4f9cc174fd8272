/*
 * `tdtop plan`: which events would be counted together, how often, and for which metrics, as text
 * or JSON. Opens no counter; for this machine it asks the kernel how many are free.
 */
#include "base/str.h"
#include "cli/cli.h"
#include "cli/config/config.h"
#include "cli/file/json_out.h"
#include "cli/pick.h"
#include "model/eval/eval.h"
#include "model/eval/sample.h"
#include "model/load/known.h"
#include "model/load/model.h"
#include "pmu/host/fallback.h"
#include "pmu/host/machine.h"
#include "pmu/perf/probe.h"
#include "pmu/plan/focus.h"
#include "pmu/plan/plan.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct plan_view {
    struct model model;
    char why_model[256];
    char assumed[160]; /* what the plan takes for granted, or "" */
    struct consts consts;
    struct plan_options opt;
    bool *asked; /* [n_metric] what --nodes selects, or NULL */
    struct plan plan;
    struct layout layout;
    struct eval eval;
    struct focus focus;
    bool *shown;        /* [n_metric] asked for, or referred to by such */
    bool *reads;        /* [n_metric][n_group] its own formula reads an event there */
    bool *named;        /* [n_metric][n_event] its own formula names the event */
    double *duty;       /* [n_group] all of them on */
    struct frame split; /* with these duties the parts of which metrics see different times */
};

/* What opening a node of the tree costs: its children and the path to it, beside what is always in
 * focus. METRIC_NONE: nothing is open; then its metrics are those of levels 1 and 2. */
struct plan_opening {
    uint32_t n_metric; /* its children */
    uint32_t n_group;  /* on, of those that take turns */
    double duty;       /* least of its children; NAN if they read no group themselves */
};

/* What a level of the tree costs; level 0: the metrics beside it. */
struct plan_level {
    uint32_t n_metric; /* that read a group themselves */
    uint32_t n_group;
    double least, most; /* duty of such a metric; NAN if there is none */
};

/* ---- the plan, and which metric reads what of it ---- */

static bool *reads_of(const struct plan_view *v, uint32_t metric) {
    return &v->reads[(size_t)metric * (v->plan.n_group + 1u)];
}

static bool *names_of(const struct plan_view *v, uint32_t metric) {
    return &v->named[(size_t)metric * (v->model.n_event + 1u)];
}

/* General counters that it is planned for; 0, unless opt.probed: not known how many there are. */
static int plan_view_general(const struct plan_view *v) {
    return v->opt.general || v->opt.probed ? v->opt.general : v->model.general_counters;
}

/* Does the metric's own formula read an event in the group, name the event? */
static bool plan_view_reads(const struct plan_view *v, uint32_t metric, uint32_t group) {
    return reads_of(v, metric)[group];
}

static bool plan_view_names(const struct plan_view *v, uint32_t metric, uint32_t event) {
    return names_of(v, metric)[event];
}

struct showing {
    const struct plan_view *v;
};

static void show(const struct plan_view *v, int metric);

static void show_leaf(const struct ast *leaf, void *user) {
    const struct showing *s = user;
    if (leaf->op == AST_METRIC)
        show(s->v, leaf->index);
}

/* Down to all that the formula in use and the threshold refer to. */
static void show(const struct plan_view *v, int metric) {
    const struct ast *formula = eval_bound(&v->eval, metric).formula;
    if (v->shown[metric])
        return;
    v->shown[metric] = true;
    struct showing s = {v};
    if (formula)
        known_leaves(&v->model, &v->consts, formula, show_leaf, &s);
    if (formula && v->model.metric[metric].threshold)
        known_leaves(&v->model, &v->consts, v->model.metric[metric].threshold, show_leaf, &s);
}

static void show_all(const struct plan_view *v) {
    for (uint32_t i = 0; i < v->model.n_metric; i++) {
        const struct metric *mt = &v->model.metric[i];
        bool tree = mt->kind == METRIC_TREE && mt->level <= v->opt.level;
        if (v->asked ? v->asked[i] : v->opt.level == 0 || tree || mt->vital)
            show(v, (int)i);
    }
}

struct reading {
    const struct plan_view *v;
    uint32_t metric;
    uint16_t group; /* own one of the formula */
};

static void read_leaf(const struct ast *leaf, void *user) {
    struct reading *rd = user;
    const struct plan_view *v = rd->v;
    if (leaf->op == AST_METRIC && v->model.metric[leaf->index].inlined) {
        const struct ast *formula = eval_bound(&v->eval, leaf->index).formula;
        if (formula)
            known_leaves(&v->model, &v->consts, formula, read_leaf, rd);
    }
    if (leaf->op != AST_EVENT)
        return;
    names_of(v, rd->metric)[leaf->index] = true;
    int slot = eval_slot(&v->layout, leaf->index, rd->group);
    if (slot >= 0)
        reads_of(v, rd->metric)[v->layout.slot[slot].group] = true;
}

static void read_all(const struct plan_view *v) {
    for (uint32_t i = 0; i < v->model.n_metric; i++) {
        const struct eval_bound bound = eval_bound(&v->eval, (int)i);
        struct reading rd = {v, i, bound.group};
        if (v->shown[i] && bound.formula)
            known_leaves(&v->model, &v->consts, bound.formula, read_leaf, &rd);
    }
}

/* Will the screen mark it then (÷)? */
static bool plan_view_split(const struct plan_view *v, uint32_t metric) {
    return v->split.at[metric].split;
}

struct inheriting {
    const struct plan_view *v;
    void (*each)(void *user, const char *name);
    void *user;
};

static void inherit_leaf(const struct ast *leaf, void *user) {
    struct inheriting *in = user;
    const struct plan_view *v = in->v;
    if (leaf->op != AST_METRIC)
        return;
    const struct metric *mt = &v->model.metric[leaf->index];
    const struct ast *formula = mt->inlined ? eval_bound(&v->eval, leaf->index).formula : NULL;
    if (formula)
        known_leaves(&v->model, &v->consts, formula, inherit_leaf, in);
    else if (plan_view_split(v, (uint32_t)leaf->index))
        in->each(in->user, mt->name);
}

/* Calls each with those that are marked, too, and whose values the metric's own formula reads. */
static void plan_view_inherited(const struct plan_view *v, uint32_t metric,
                                void (*each)(void *user, const char *name), void *user) {
    const struct ast *formula = eval_bound(&v->eval, (int)metric).formula;
    struct inheriting in = {v, each, user};
    if (formula)
        known_leaves(&v->model, &v->consts, formula, inherit_leaf, &in);
}

/* True if the group does not count all the time. */
static bool plan_view_turns(const struct plan_view *v, uint32_t group) {
    return plan_takes_turns(&v->plan.group[group]) && v->duty[group] < 1.0;
}

/* As the evaluation will find it, from counts with the expected duties. */
static int find_split(struct plan_view *v) {
    enum { WHOLE = 1000000 };
    struct sample s = {0};
    int rc = frame_init(&v->split, v->model.n_metric);
    if (!rc)
        rc = sample_init(&s, v->layout.n_slot);
    for (uint32_t i = 0; i < v->layout.n_slot && !rc; i++) {
        const double duty = v->duty[v->layout.slot[i].group];
        s.at[i] = (struct count){.value = 1.0,
                                 .enabled_ns = WHOLE,
                                 .running_ns = isnan(duty) ? WHOLE : (uint64_t)(duty * WHOLE),
                                 .state = COUNT_OK};
    }
    if (!rc)
        eval_split(&v->eval, &s, &v->split);
    sample_destroy(&s);
    return rc;
}

/* ---- making a plan ---- */

static int no_memory(struct err *err) {
    return err_set(err, -ENOMEM, "out of memory for the event plan");
}

static int bind(struct plan_view *v, struct err *err) {
    if (plan_layout(&v->layout, &v->plan, &v->model, &v->opt))
        return no_memory(err);
    int rc = eval_init(&v->eval, &v->model, &v->layout, &v->consts, err);
    if (!rc && focus_init(&v->focus, &v->model, &v->layout, &v->eval))
        return no_memory(err);
    return rc;
}

/* Fills the rest from model, consts, opt and asked, which are the view's own from then on. 0 or a
 * negative errno with words; plan_view_free either way. */
static int plan_view_init(struct plan_view *v, struct err *err) {
    v->opt.consts = &v->consts;
    v->opt.wanted = v->asked;
    int rc = plan_make(&v->plan, &v->model, &v->opt, err);
    if (!rc)
        rc = bind(v, err);
    if (rc)
        return rc;
    v->shown = calloc(v->model.n_metric + 1u, sizeof(*v->shown));
    v->reads = calloc(v->model.n_metric + 1u, (v->plan.n_group + 1u) * sizeof(*v->reads));
    v->named = calloc(v->model.n_metric + 1u, (v->model.n_event + 1u) * sizeof(*v->named));
    v->duty = calloc(v->plan.n_group + 1u, sizeof(*v->duty));
    if (!v->shown || !v->reads || !v->named || !v->duty)
        return no_memory(err);
    show_all(v);
    read_all(v);
    if (plan_duty(&v->plan, &v->model, &v->opt, NULL, v->duty) || find_split(v))
        return no_memory(err);
    return 0;
}

/* accepts a zeroed one */
static void plan_view_free(struct plan_view *v) {
    frame_destroy(&v->split);
    focus_destroy(&v->focus);
    eval_destroy(&v->eval);
    layout_destroy(&v->layout);
    plan_free(&v->plan);
    free(v->asked);
    free(v->shown);
    free(v->reads);
    free(v->named);
    free(v->duty);
    model_free(&v->model);
}

/* ---- what a metric, a level or a node costs ---- */

/* The least duty of the groups that a metric's own formula reads; NAN if it reads none. */
static double plan_view_duty(const struct plan_view *v, uint32_t metric, const double *duty) {
    double least = NAN;
    for (uint32_t g = 0; g < v->plan.n_group; g++)
        if (plan_view_reads(v, metric, g))
            least = fmin(least, duty[g]); /* NAN gives way */
    return least;
}

static void want_opened(const struct plan_view *v, int node, bool *wanted) {
    for (int p = node; p != METRIC_NONE; p = v->model.metric[p].parent) {
        wanted[p] = true;
        for (int c = v->model.metric[p].first_child; c != METRIC_NONE;
             c = v->model.metric[c].next_sibling)
            wanted[c] = true;
    }
}

static bool is_child(const struct metric *mt, int node) {
    if (node != METRIC_NONE)
        return mt->parent == node;
    return mt->kind == METRIC_TREE && mt->level <= 2;
}

static int measure_opening(const struct plan_view *v, int node, bool *wanted, bool *on,
                           double *duty, struct plan_opening *out) {
    struct group_set set;
    want_opened(v, node, wanted);
    focus_want(&v->focus, wanted, &set);
    for (uint32_t g = 0; g < v->plan.n_group; g++) {
        on[g] = v->plan.group[g].top || group_set_has(&set, g);
        out->n_group += on[g] && plan_takes_turns(&v->plan.group[g]);
    }
    int rc = plan_duty(&v->plan, &v->model, &v->opt, on, duty);
    for (uint32_t i = 0; i < v->model.n_tree && !rc; i++) {
        if (!v->shown[i] || !is_child(&v->model.metric[i], node))
            continue;
        out->n_metric++;
        out->duty = fmin(out->duty, plan_view_duty(v, i, duty));
    }
    return rc;
}

/* 0 or -ENOMEM. */
static int plan_view_open(const struct plan_view *v, int node, struct plan_opening *out) {
    bool *wanted = calloc(v->model.n_metric + 1u, sizeof(*wanted));
    bool *on = calloc(v->plan.n_group + 1u, sizeof(*on));
    double *duty = calloc(v->plan.n_group + 1u, sizeof(*duty));
    *out = (struct plan_opening){.duty = NAN};
    int rc = wanted && on && duty ? measure_opening(v, node, wanted, on, duty, out) : -ENOMEM;
    free(wanted);
    free(on);
    free(duty);
    return rc;
}

static struct plan_level plan_view_level(const struct plan_view *v, int level) {
    struct plan_level out = {.least = NAN, .most = NAN};
    for (uint32_t i = 0; i < v->model.n_metric; i++) {
        double duty = plan_view_duty(v, i, v->duty);
        if (!v->shown[i] || v->model.metric[i].level != level || isnan(duty))
            continue;
        out.n_metric++;
        out.least = fmin(out.least, duty);
        out.most = fmax(out.most, duty);
    }
    for (uint32_t g = 0; g < v->plan.n_group; g++) {
        bool any = false;
        for (uint32_t i = 0; i < v->model.n_metric && !any; i++)
            any = v->shown[i] && v->model.metric[i].level == level && plan_view_reads(v, i, g);
        out.n_group += any;
    }
    return out;
}

/* "fixed 1", "general 0-3", "as CPU_CYCLES". Returns buf. */
static const char *plan_seat_words(const struct plan_view *v, const struct plan_seat *seat,
                                   char *buf, size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    if (seat->kind == SEAT_FIXED)
        strbuf_add(&sb, "fixed %d", seat->fixed);
    else if (seat->kind == SEAT_METRIC)
        strbuf_add(&sb, "with the slots");
    else if (seat->kind == SEAT_SHARED)
        strbuf_add(&sb, "as %s", v->model.event[seat->same_as].name);
    else if (seat->kind == SEAT_GENERAL && seat->counters == 0)
        strbuf_add(&sb, "no counter of this plan");
    else if (seat->kind == SEAT_GENERAL) {
        strbuf_add(&sb, "general ");
        strbuf_add_mask(&sb, seat->counters);
    }
    return buf;
}

enum { COLUMNS = 100, NAMES_SHORT = 8 };

/* ---- as text: lists of names, broken into lines ---- */

struct list {
    const char *head; /* before the first */
    int indent, column;
    uint32_t n, max; /* printed so far; 0: all */
};

static void list_add(struct list *l, const char *name) {
    int width = (int)strlen(name) + 2;
    if (l->max && l->n++ >= l->max)
        return;
    if (!l->column) {
        l->column = printf("%*s%s", l->indent, "", l->head);
    } else if (l->column + width > COLUMNS) {
        l->column = printf(",\n%*s", l->indent + (int)strlen(l->head), "") - 2;
    } else {
        l->column += printf(", ");
    }
    l->column += printf("%s", name);
}

static void list_end(struct list *l) {
    if (l->max && l->n > l->max)
        printf(" and %u more", l->n - l->max);
    if (l->column)
        putchar('\n');
}

static const char *percent(char buf[16], double v) {
    if (isnan(v))
        return "?";
    snprintf(buf, 16, v < 0.0995 ? "%.1f%%" : "%.0f%%", 100 * v);
    return buf;
}

/* ---- as text: the head ---- */

static uint32_t count_turns(const struct plan_view *v) {
    uint32_t n = 0;
    for (uint32_t g = 0; g < v->plan.n_group; g++)
        n += plan_view_turns(v, g);
    return n;
}

static const char *plural(uint32_t n) {
    return n == 1 ? "" : "s";
}

static void print_counters(const struct plan_view *v) {
    const struct model *m = &v->model;
    const int known = m->general_counters;
    const int planned = plan_view_general(v);
    if (planned || v->opt.probed)
        printf("# %d general counter%s", planned, plural((uint32_t)planned));
    else
        printf("# how many counters there are is not known");
    if (planned != known && known)
        printf(v->opt.probed ? " can be had now (the core has %d)" : " (the core has %d)", known);
    if (m->fixed_counters)
        printf(", %d fixed", m->fixed_counters);
    if (v->opt.fixed_taken)
        printf(", %d of them not to be had", __builtin_popcountll(v->opt.fixed_taken));
    if (v->opt.nmi_watchdog && !v->opt.probed)
        printf(", one of them the NMI watchdog's");
    if (v->opt.no_perf_metrics && model_has_perf_metrics(m))
        printf("; no topdown-* events here: alternative formulas");
    putchar('\n');
}

static void print_head(const struct plan_view *v) {
    const struct model *m = &v->model;
    uint32_t n_shown = 0, n_event = 0;
    for (uint32_t i = 0; i < m->n_metric; i++)
        n_shown += v->shown[i];
    for (uint32_t i = 0; i < m->n_event; i++)
        n_event += v->plan.missing[i] == COUNT_OK;
    printf("# %s: %s%s%s\n", m->name, m->title, v->why_model[0] ? "; " : "", v->why_model);
    print_counters(v);
    if (v->assumed[0])
        printf("# %s\n", v->assumed);
    const uint32_t turns = count_turns(v);
    printf("# %u metric%s, %u event%s, %u group%s, of which %u take%s turns\n", n_shown,
           plural(n_shown), n_event, plural(n_event), v->plan.n_group, plural(v->plan.n_group),
           turns, turns == 1 ? "s" : "");
}

/* ---- as text: groups ---- */

static const char *group_words(const struct plan_group *pg, char *buf, size_t cap) {
    static const char *const kinds[] = {[EVENT_SOFTWARE] = "counted by the kernel",
                                        [EVENT_PROC] = "read from /proc",
                                        [EVENT_UNCORE] = "outside the cores"};
    struct strbuf sb = strbuf_on(buf, cap);
    const char *kind = (size_t)pg->pmu < sizeof(kinds) / sizeof(kinds[0]) ? kinds[pg->pmu] : NULL;
    if (kind)
        strbuf_add(&sb, ", %s", kind);
    if (pg->pinned)
        strbuf_add(&sb, ", pinned");
    if (pg->top)
        strbuf_add(&sb, ", always in focus");
    if (pg->unfit)
        strbuf_add(&sb, ", has parts of cut formulas");
    return buf;
}

static void print_seats(const struct plan_view *v, uint32_t g) {
    const struct plan_group *pg = &v->plan.group[g];
    struct plan_seat seat[PLAN_GROUP_MAX];
    char words[128];
    plan_seats(&v->plan, &v->model, &v->opt, g, seat);
    for (uint32_t i = 0; i < pg->n; i++) {
        const struct event *ev = &v->model.event[v->plan.event[pg->first + i]];
        const char *on = ev->pmu == EVENT_UNCORE
                             ? ev->device ? ev->device : ""
                             : plan_seat_words(v, &seat[i], words, sizeof(words));
        printf(on[0] ? "    %-48s %s\n" : "    %s%s\n", ev->name, on);
    }
}

static void print_groups(const struct plan_view *v) {
    for (uint32_t g = 0; g < v->plan.n_group; g++) {
        const struct plan_group *pg = &v->plan.group[g];
        char duty[16], words[128];
        printf("\ngroup %u: %u event%s, duty %s%s\n", g, pg->n, pg->n == 1 ? "" : "s",
               percent(duty, v->duty[g]), group_words(pg, words, sizeof(words)));
        print_seats(v, g);
        struct list l = {.head = "for ", .indent = 4};
        for (uint32_t i = 0; i < v->model.n_metric; i++)
            if (v->shown[i] && plan_view_reads(v, i, g))
                list_add(&l, v->model.metric[i].name);
        list_end(&l);
    }
}

/* ---- as text: events that several metrics share ---- */

static uint32_t count_users(const struct plan_view *v, uint32_t event) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < v->model.n_metric; i++)
        n += v->shown[i] && plan_view_names(v, i, event);
    return n;
}

static uint32_t count_groups(const struct plan *p, uint32_t event) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n_event; i++)
        n += p->event[i] == event;
    return n;
}

static void print_shared(const struct plan_view *v, bool verbose) {
    printf("\n# events that serve several metrics\n");
    for (uint32_t e = 0; e < v->model.n_event; e++) {
        uint32_t users = count_users(v, e);
        if (users < 2 || v->plan.missing[e] != COUNT_OK)
            continue;
        uint32_t n = count_groups(&v->plan, e);
        printf("%s: %u metrics, in %u group%s\n", v->model.event[e].name, users, n,
               n == 1 ? "" : "s");
        struct list l = {.head = "for ", .indent = 4, .max = verbose ? 0 : NAMES_SHORT};
        for (uint32_t i = 0; i < v->model.n_metric; i++)
            if (v->shown[i] && plan_view_names(v, i, e))
                list_add(&l, v->model.metric[i].name);
        list_end(&l);
    }
}

/* ---- as text: duties ---- */

static void print_level(const struct plan_view *v, int level) {
    const struct plan_level lv = plan_view_level(v, level);
    char name[32], least[16], most[16];
    if (lv.n_metric == 0)
        return;
    const bool deeper = v->opt.level > 0 && level > v->opt.level && !v->asked;
    snprintf(name, sizeof(name), level ? "level %d%s" : "beside the tree", level,
             deeper ? " (referred to)" : "");
    printf("%-26s %7u %7u %9s", name, lv.n_metric, lv.n_group, percent(least, lv.least));
    if (lv.most > lv.least)
        printf(" to %s", percent(most, lv.most));
    putchar('\n');
}

static void print_levels(const struct plan_view *v) {
    int deepest = 0;
    for (uint32_t i = 0; i < v->model.n_tree; i++)
        deepest = v->model.metric[i].level > deepest ? v->model.metric[i].level : deepest;
    printf("\n# expected duty with all groups on\n%-26s %7s %7s %9s\n", "", "metrics", "groups",
           "duty");
    for (int level = 1; level <= deepest; level++)
        print_level(v, level);
    print_level(v, 0);
}

static bool has_shown_child(const struct plan_view *v, uint32_t node) {
    for (int c = v->model.metric[node].first_child; c != METRIC_NONE;
         c = v->model.metric[c].next_sibling)
        if (v->shown[c])
            return true;
    return false;
}

/* In focus: levels 1 and 2, the path to a node and what is below it. */
static void print_opening(const struct plan_view *v, int node, int indent, const char *name) {
    struct plan_opening open;
    char duty[16];
    if (plan_view_open(v, node, &open) == 0)
        printf("%*s%-*s %7u %7u %9s\n", indent, "", 26 - indent, name, open.n_metric, open.n_group,
               percent(duty, open.duty));
}

static void print_openings(const struct plan_view *v, bool verbose) {
    printf("\n# expected duty in focus: levels 1 and 2, and this node open\n%-26s %7s %7s %9s\n",
           "", "metrics", "turns", "duty");
    print_opening(v, METRIC_NONE, 0, "nothing open");
    for (uint32_t i = 0; i < v->model.n_tree; i++) {
        const struct metric *mt = &v->model.metric[i];
        if (mt->level >= 2 && (mt->level == 2 || verbose) && has_shown_child(v, i))
            print_opening(v, (int)i, mt->level - 2, mt->name);
    }
}

/* ---- as text: split formulas, missing events ---- */

static void add_name(void *user, const char *name) {
    list_add(user, name);
}

/* "groups 0, 5", "with the parts of Memory_Bound", or both. */
static void print_parts(const struct plan_view *v, uint32_t metric) {
    struct list groups = {.head = "groups "}, names = {.head = ""};
    printf("%-40s ", v->model.metric[metric].name);
    for (uint32_t g = 0; g < v->plan.n_group; g++) {
        char number[16];
        snprintf(number, sizeof(number), "%u", g);
        if (plan_view_reads(v, metric, g))
            list_add(&groups, number);
    }
    names.head = groups.column ? "; with the parts of " : "with the parts of ";
    plan_view_inherited(v, metric, add_name, &names);
    putchar('\n');
}

static void print_unfit(const struct plan_view *v) {
    bool any = false;
    for (uint32_t i = 0; i < v->model.n_metric; i++) {
        if (!plan_view_split(v, i) || !v->shown[i])
            continue;
        if (!any)
            printf("\n# formulas that do not fit one group, or read one that does not: their parts "
                   "see different times\n");
        any = true;
        print_parts(v, i);
    }
}

/* Metrics that one of those events was for. */
static void print_losers(const struct plan_view *v, uint8_t state, bool verbose) {
    struct list l = {.head = "named by ", .indent = 4, .max = verbose ? 0 : NAMES_SHORT};
    for (uint32_t i = 0; i < v->model.n_metric; i++) {
        bool any = false;
        for (uint32_t e = 0; e < v->model.n_event && v->shown[i] && !any; e++)
            any = v->plan.missing[e] == state && plan_view_names(v, i, e);
        if (any)
            list_add(&l, v->model.metric[i].name);
    }
    list_end(&l);
}

static bool is_lacking(const struct plan_view *v) {
    bool any = false;
    for (uint32_t e = 0; e < v->model.n_event; e++)
        any |= v->plan.missing[e] != COUNT_OK;
    for (uint32_t i = 0; i < v->model.n_metric; i++)
        any |= v->shown[i] && v->model.metric[i].unavailable;
    return any;
}

static void print_missing(const struct plan_view *v, bool verbose) {
    if (!is_lacking(v))
        return;
    printf("\n# not planned\n");
    for (uint8_t state = COUNT_OK + 1; state < COUNT_STATES; state++) {
        uint32_t n = 0;
        struct list l = {.head = "", .indent = 4, .max = verbose ? 0 : NAMES_SHORT};
        for (uint32_t e = 0; e < v->model.n_event; e++)
            n += v->plan.missing[e] == state;
        if (n == 0)
            continue;
        printf("%u event%s: %s\n", n, n == 1 ? "" : "s",
               state == COUNT_NOT_PLANNED ? "nothing that is wanted asks for them"
                                          : count_state_text((enum count_state)state));
        for (uint32_t e = 0; e < v->model.n_event; e++)
            if (v->plan.missing[e] == state)
                list_add(&l, v->model.event[e].name);
        list_end(&l);
        print_losers(v, state, verbose);
    }
    for (uint32_t i = 0; i < v->model.n_metric; i++)
        if (v->shown[i] && v->model.metric[i].unavailable)
            printf("%s: %s\n", v->model.metric[i].name, v->model.metric[i].unavailable);
}

/* Each prints all of it; verbose: every event and every name. */
static void plan_print_text(const struct plan_view *v, bool verbose) {
    print_head(v);
    print_groups(v);
    print_shared(v, verbose);
    print_levels(v);
    print_openings(v, verbose);
    print_unfit(v);
    print_missing(v, verbose);
}

/* ---- as JSON ---- */

static json_t *metrics_of(const struct plan_view *v, uint32_t group) {
    json_t *out = json_array();
    for (uint32_t i = 0; i < v->model.n_metric; i++)
        if (v->shown[i] && plan_view_reads(v, i, group))
            json_array_append_new(out, json_string(v->model.metric[i].name));
    return out;
}

static json_t *events_of(const struct plan_view *v, uint32_t group) {
    const struct plan_group *pg = &v->plan.group[group];
    struct plan_seat seat[PLAN_GROUP_MAX];
    json_t *out = json_array();
    plan_seats(&v->plan, &v->model, &v->opt, group, seat);
    for (uint32_t i = 0; i < pg->n; i++) {
        char words[128];
        json_array_append_new(
            out, json_pack("{ssss}", "event", v->model.event[v->plan.event[pg->first + i]].name,
                           "counter", plan_seat_words(v, &seat[i], words, sizeof(words))));
    }
    return out;
}

static json_t *json_groups(const struct plan_view *v) {
    static const char *const kinds[] = {[EVENT_CORE] = "core",
                                        [EVENT_GENERIC] = "generic",
                                        [EVENT_SOFTWARE] = "software",
                                        [EVENT_PROC] = "proc",
                                        [EVENT_UNCORE] = "uncore"};
    json_t *out = json_array();
    for (uint32_t g = 0; g < v->plan.n_group; g++) {
        const struct plan_group *pg = &v->plan.group[g];
        json_t *o =
            json_pack("{sissso}", "group", (int)g, "of", kinds[pg->pmu], "events", events_of(v, g));
        json_object_set_new(o, "metrics", metrics_of(v, g));
        json_object_set_new(o, "duty", json_number(v->duty[g]));
        json_object_set_new(o, "pinned", json_boolean(pg->pinned));
        json_object_set_new(o, "always_in_focus", json_boolean(pg->top));
        json_object_set_new(o, "parts_of_cut_formulas", json_boolean(pg->unfit));
        json_array_append_new(out, o);
    }
    return out;
}

static json_t *json_shared(const struct plan_view *v) {
    json_t *out = json_array();
    for (uint32_t e = 0; e < v->model.n_event; e++) {
        json_t *users = json_array();
        json_int_t groups = 0;
        for (uint32_t i = 0; i < v->model.n_metric; i++)
            if (v->shown[i] && plan_view_names(v, i, e))
                json_array_append_new(users, json_string(v->model.metric[i].name));
        for (uint32_t i = 0; i < v->plan.n_event; i++)
            groups += v->plan.event[i] == e;
        if (groups > 0 && json_array_size(users) > 1)
            json_array_append_new(out, json_pack("{sssIsO}", "event", v->model.event[e].name,
                                                 "groups", groups, "metrics", users));
        json_decref(users);
    }
    return out;
}

static json_t *json_levels(const struct plan_view *v) {
    enum { LEVELS = 16 };
    json_t *out = json_array();
    for (int level = 0; level < LEVELS; level++) {
        const struct plan_level lv = plan_view_level(v, level);
        if (lv.n_metric)
            json_array_append_new(out, json_pack("{sisisisoso}", "level", level, "metrics",
                                                 (int)lv.n_metric, "groups", (int)lv.n_group,
                                                 "duty_least", json_number(lv.least), "duty_most",
                                                 json_number(lv.most)));
    }
    return out;
}

static void add_opening(json_t *to, const struct plan_view *v, int node) {
    struct plan_opening open;
    if (plan_view_open(v, node, &open) < 0) {
        cli_lack();
        return;
    }
    json_t *o = json_pack("{sisiso}", "metrics", (int)open.n_metric, "turns", (int)open.n_group,
                          "duty", json_number(open.duty));
    json_object_set_new(
        o, "node", node == METRIC_NONE ? json_null() : json_string(v->model.metric[node].name));
    json_array_append_new(to, o);
}

static json_t *json_openings(const struct plan_view *v) {
    json_t *out = json_array();
    add_opening(out, v, METRIC_NONE);
    for (uint32_t i = 0; i < v->model.n_tree; i++) {
        const struct metric *mt = &v->model.metric[i];
        if (mt->level >= 2 && mt->first_child != METRIC_NONE && v->shown[mt->first_child])
            add_opening(out, v, (int)i);
    }
    return out;
}

static json_t *json_unfit(const struct plan_view *v) {
    json_t *out = json_object();
    for (uint32_t i = 0; i < v->model.n_metric; i++) {
        if (!plan_view_split(v, i) || !v->shown[i])
            continue;
        json_t *groups = json_array();
        for (uint32_t g = 0; g < v->plan.n_group; g++)
            if (plan_view_reads(v, i, g))
                json_array_append_new(groups, json_integer(g));
        json_object_set_new(out, v->model.metric[i].name, groups);
    }
    return out;
}

static void append_name(void *user, const char *name) {
    json_array_append_new(user, json_string(name));
}

/* Formulas that read such values. */
static json_t *json_inherited(const struct plan_view *v) {
    json_t *out = json_object();
    for (uint32_t i = 0; i < v->model.n_metric; i++) {
        json_t *names = json_array();
        if (v->shown[i])
            plan_view_inherited(v, i, append_name, names);
        if (json_array_size(names))
            json_object_set(out, v->model.metric[i].name, names);
        json_decref(names);
    }
    return out;
}

static json_t *json_missing(const struct plan_view *v) {
    json_t *out = json_object();
    for (uint32_t e = 0; e < v->model.n_event; e++)
        if (v->plan.missing[e] != COUNT_OK)
            json_object_set_new(
                out, v->model.event[e].name,
                json_string(count_state_text((enum count_state)v->plan.missing[e])));
    return out;
}

static void plan_print_json(const struct plan_view *v) {
    const struct model *m = &v->model;
    json_t *o = json_pack("{ssssssssss}", "model", m->name, "title", m->title, "why", v->why_model,
                          "assumed", v->assumed, "version", TDTOP_VERSION);
    json_object_set_new(o, "general_counters", json_integer(plan_view_general(v)));
    json_object_set_new(o, "probed", json_boolean(v->opt.probed));
    json_object_set_new(o, "fixed_taken", json_integer(__builtin_popcountll(v->opt.fixed_taken)));
    json_object_set_new(o, "fixed_counters", json_integer(m->fixed_counters));
    json_object_set_new(o, "nmi_watchdog", json_boolean(v->opt.nmi_watchdog));
    json_object_set_new(o, "perf_metrics", json_boolean(!v->opt.no_perf_metrics));
    json_object_set_new(o, "groups", json_groups(v));
    json_object_set_new(o, "shared", json_shared(v));
    json_object_set_new(o, "levels", json_levels(v));
    json_object_set_new(o, "openings", json_openings(v));
    json_object_set_new(o, "unfit", json_unfit(v));
    json_object_set_new(o, "unfit_below", json_inherited(v));
    json_object_set_new(o, "missing", json_missing(v));
    json_print(o, JSON_INDENT(1));
}

/* ---- the verb ---- */

static void note_const(const struct ast *leaf, void *user) {
    bool *named = user;
    if (leaf->op == AST_CONST && leaf->index < CONST_N)
        named[leaf->index] = true;
}

static void find_consts(const struct model *m, bool named[CONST_N]) {
    for (uint32_t i = 0; i < m->n_metric; i++) {
        const struct ast *all[] = {m->metric[i].ast, m->metric[i].alt, m->metric[i].fallback};
        for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++)
            if (all[k])
                expr_leaves(all[k], note_const, named);
    }
}

/*
 * A process on cores whose siblings do other things is the usual case, and the one that needs most
 * events; -a sees all there is.
 */
static void assume(struct plan_view *v, const struct args *a) {
    double *value = v->consts.value;
    bool named[CONST_N] = {false}, smt_unknown = isnan(value[CONST_SMT_ON]);
    find_consts(&v->model, named);
    if (smt_unknown)
        value[CONST_SMT_ON] = 1.0;
    if (isnan(value[CONST_EBS_MODE]))
        value[CONST_EBS_MODE] = !a->all && value[CONST_SMT_ON] != 0.0;
    struct strbuf sb = strbuf_on(v->assumed, sizeof(v->assumed));
    strbuf_add(&sb, a->all ? "for the whole system (-a)" : "for a process (-a: the whole system)");
    if (smt_unknown && (named[CONST_SMT_ON] || named[CONST_EBS_MODE]))
        strbuf_add(&sb, "; SMT taken to be on (--const SMT_ON=0: off)");
}

/* What is free now; a number that was asked for goes before it. */
static void ask_counters(struct plan_view *v, const struct machine *mc, const struct args *a) {
    struct budget b;
    if (a->counters)
        return;
    probe_counters(mc, &v->model, NULL, 0, &b);
    if (!b.known)
        return;
    v->opt.probed = true;
    v->opt.general = b.general;
    v->opt.free = b.free;
    v->opt.fixed_taken = b.fixed_taken | b.fixed_gone;
    v->opt.no_perf_metrics |= (v->opt.fixed_taken & probe_slots(&v->model)) != 0;
}

static int open_here(struct plan_view *v, const struct args *a, struct err *err) {
    struct machine mc;
    machine_detect(&mc, "");
    int rc = a->core_type ? machine_choose(&mc, a->core_type, err) : 0;
    if (rc < 0)
        return err_prefix(err, "--cputype"), rc;
    machine_detect_tsc(&mc);
    machine_consts(&mc, &v->consts);
    v->opt.no_perf_metrics = !mc.has_topdown;
    v->opt.nmi_watchdog = mc.nmi_watchdog == 1;
    rc = fallback_pick(&v->model, &mc, a->model, &a->places, v->why_model, sizeof(v->why_model),
                       err);
    if (rc == 0)
        ask_counters(v, &mc, a);
    return rc;
}

static int view_open(struct plan_view *v, const struct args *a, struct err *err) {
    struct pick want;
    int rc = pick_named(&want, a, err);
    v->consts = a->consts;
    v->opt.level = (int)a->level;
    v->opt.general = (int)a->counters;
    v->opt.uncore = a->all;
    if (rc == 0)
        rc = a->here ? open_here(v, a, err) : model_open(&v->model, want.name, &a->places, err);
    if (rc == 0)
        rc = nodes_wanted(a, &v->model, &v->asked, err);
    if (rc < 0)
        return rc;
    assume(v, a);
    return plan_view_init(v, err);
}

int verb_plan(const struct args *said) {
    struct args a = *said; /* the settings add to it */
    struct config cfg;
    struct plan_view *v = calloc(1, sizeof(*v));
    struct err err = {0};
    a.here = !a.model && !a.cpuid; /* then the settings of this machine hold */
    int rc = v ? config_for(&cfg, &a, &err) : err_set(&err, -ENOMEM, "out of memory");
    if (rc == 0)
        rc = view_open(v, &a, &err);
    if (rc < 0)
        cli_error(&err);
    else if (a.json)
        plan_print_json(v);
    else
        plan_print_text(v, a.verbose);
    if (v) {
        plan_view_free(v);
        config_free(&cfg);
    }
    free(v);
    return rc == 0 ? EXIT_OK : cli_is_usage(&err) ? EXIT_USAGE : EXIT_ERROR;
}
