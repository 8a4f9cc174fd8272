#include "cli/verb/plan_view.h"

#include "base/str.h"
#include "model/load/known.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static bool *reads_of(const struct plan_view *v, uint32_t metric) {
    return &v->reads[(size_t)metric * (v->plan.n_group + 1u)];
}

static bool *names_of(const struct plan_view *v, uint32_t metric) {
    return &v->named[(size_t)metric * (v->model.n_event + 1u)];
}

int plan_view_general(const struct plan_view *v) {
    return v->opt.general || v->opt.probed ? v->opt.general : v->model.general_counters;
}

bool plan_view_reads(const struct plan_view *v, uint32_t metric, uint32_t group) {
    return reads_of(v, metric)[group];
}

bool plan_view_names(const struct plan_view *v, uint32_t metric, uint32_t event) {
    return names_of(v, metric)[event];
}

/* ---- who is there ---- */

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

/* ---- who reads what ---- */

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

bool plan_view_split(const struct plan_view *v, uint32_t metric) {
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

void plan_view_inherited(const struct plan_view *v, uint32_t metric,
                         void (*each)(void *user, const char *name), void *user) {
    const struct ast *formula = eval_bound(&v->eval, (int)metric).formula;
    struct inheriting in = {v, each, user};
    if (formula)
        known_leaves(&v->model, &v->consts, formula, inherit_leaf, &in);
}

bool plan_view_turns(const struct plan_view *v, uint32_t group) {
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

/* ---- life ---- */

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

int plan_view_init(struct plan_view *v, struct err *err) {
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

void plan_view_free(struct plan_view *v) {
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

/* ---- questions ---- */

double plan_view_duty(const struct plan_view *v, uint32_t metric, const double *duty) {
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

int plan_view_open(const struct plan_view *v, int node, struct plan_opening *out) {
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

struct plan_level plan_view_level(const struct plan_view *v, int level) {
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

/* "0-3" or "1,5" of a mask. */
static void add_counters(struct strbuf *sb, uint64_t mask) {
    const char *comma = " ";
    for (int from = 0; from < 64; from++) {
        if (!(mask >> from & 1))
            continue;
        int to = from;
        while (to < 63 && (mask >> (to + 1) & 1))
            to++;
        strbuf_add(sb, "%s%d", comma, from);
        if (to > from)
            strbuf_add(sb, "-%d", to);
        comma = ",";
        from = to;
    }
}

const char *plan_seat_words(const struct plan_view *v, const struct plan_seat *seat, char *buf,
                            size_t cap) {
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
        strbuf_add(&sb, "general");
        add_counters(&sb, seat->counters);
    }
    return buf;
}
