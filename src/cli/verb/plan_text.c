/* `tdtop plan` for people: groups, what is shared, duties, what is cut, what is not there. */
#include "cli/verb/plan_view.h"

#include "base/str.h"
#include "model/eval/sample.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 100, NAMES_SHORT = 8 };

/* ---- lists of names, broken into lines ---- */

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
    snprintf(buf, 16, v < 0.0995 ? "%.1f %%" : "%.0f %%", 100 * v);
    return buf;
}

/* ---- the head ---- */

static uint32_t count_turns(const struct plan_view *v) {
    uint32_t n = 0;
    for (uint32_t g = 0; g < v->plan.n_group; g++)
        n += plan_view_turns(v, g);
    return n;
}

static const char *plural(uint32_t n) {
    return n == 1 ? "" : "s";
}

static bool has_perf_metrics(const struct model *m) {
    for (uint32_t i = 0; i < m->n_event; i++)
        if (m->event[i].perf_metrics)
            return true;
    return false;
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
    if (v->opt.no_perf_metrics && has_perf_metrics(m))
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

/* ---- groups ---- */

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

/* ---- what shares what ---- */

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

/* ---- how often ---- */

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

/* ---- what is not whole, what is not there ---- */

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

void plan_print_text(const struct plan_view *v, bool verbose) {
    print_head(v);
    print_groups(v);
    print_shared(v, verbose);
    print_levels(v);
    print_openings(v, verbose);
    print_unfit(v);
    print_missing(v, verbose);
}
