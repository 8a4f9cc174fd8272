/*
 * The values of a run, from its counts: bound to a model, evaluated interval by interval for their
 * spread, and once more for the sums, which is what the whole run is worth.
 */
#include "model/run/run.h"

#include "model/eval/window.h"
#include "model/load/frame.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- binding ---- */

/* The model's event of that name, or that is spelt so by other tools; SLOT_NO_EVENT. */
static uint16_t find_event(const struct model *m, const char *name) {
    const int exact = model_find_event(m, name);
    if (exact >= 0)
        return (uint16_t)exact;
    for (uint32_t i = 0; i < m->n_event; i++)
        if (m->event[i].alias && !strcmp(m->event[i].alias, name))
            return (uint16_t)i;
    return SLOT_NO_EVENT;
}

int run_layout(const struct run *r, const struct model *m, struct layout *bound) {
    uint16_t *event = calloc(r->layout.n_event + 1u, sizeof(*event));
    int rc = event ? layout_init(bound, m->n_event, COUNT_ABSENT, r->layout.n_slot) : -ENOMEM;
    for (uint32_t i = 0; i < r->layout.n_event && rc == 0; i++) {
        event[i] = find_event(m, r->event[i]);
        if (event[i] != SLOT_NO_EVENT && r->layout.missing[i] != COUNT_OK)
            bound->missing[event[i]] = r->layout.missing[i];
    }
    for (uint32_t i = 0; i < r->layout.n_slot && rc == 0; i++) {
        const struct slot *slot = &r->layout.slot[i];
        const uint16_t e = slot->event < r->layout.n_event ? event[slot->event] : SLOT_NO_EVENT;
        bound->slot[i] = (struct slot){.event = e, .group = slot->group};
        if (e != SLOT_NO_EVENT)
            bound->missing[e] = COUNT_OK;
    }
    bound->n_slot = r->layout.n_slot;
    bound->n_group = r->layout.n_group;
    bound->n_pinned = r->layout.n_pinned;
    bound->no_perf_metrics = r->layout.no_perf_metrics;
    free(event);
    return rc;
}

static int check_counts(const struct run *r, struct err *err) {
    return r->layout.n_slot && series_rows(&r->series)
               ? 0
               : err_set(err, -ENODATA,
                         "run %s: it holds values but no counts, so they cannot be evaluated again",
                         r->id);
}

/* Nothing is left after a failure. */
static int bind_to(const struct run *r, const struct model *m, struct layout *bound,
                   struct eval *ev, struct err *err) {
    *bound = (struct layout){0};
    *ev = (struct eval){0};
    int rc = run_layout(r, m, bound);
    if (rc < 0)
        err_set(err, rc, "run %s: out of memory", r->id);
    else
        rc = eval_init(ev, m, bound, &r->consts, err);
    if (rc < 0)
        layout_destroy(bound);
    return rc;
}

int run_bind(const struct run *r, const char *text, struct model *m, struct layout *bound,
             struct eval *ev, struct err *err) {
    *m = (struct model){0};
    *bound = (struct layout){0};
    *ev = (struct eval){0};
    if (check_counts(r, err) < 0)
        return -ENODATA;
    if (!text && !(r->model_text && *r->model_text))
        return err_set(err, -ENODATA, "run %s: its model was not kept; name one with --model",
                       r->id);
    const char *name = text || !r->model ? "the model" : r->model;
    text = text ? text : r->model_text;
    int rc = model_load(m, text, strlen(text), name, err);
    if (rc < 0)
        return rc;
    rc = bind_to(r, m, bound, ev, err);
    if (rc < 0)
        model_free(m);
    return rc;
}

/* ---- evaluating ---- */

struct work {
    struct window sums;
    struct frame frame;
    struct frame whole; /* of the sums */
    struct sample row;
    struct moments *moments;       /* [n_metric] */
    uint64_t *n_nothing;           /* [n_metric] intervals in which there was nothing to count */
    struct moments_result *result; /* [n_metric] */
};

static void work_free(struct work *w) {
    window_destroy(&w->sums);
    frame_destroy(&w->frame);
    frame_destroy(&w->whole);
    sample_destroy(&w->row);
    free(w->moments);
    free(w->n_nothing);
    free(w->result);
}

/* So that the sums know which slots are PERF_METRICS. */
static int know_layout(struct work *w, const struct run *r, const struct model *m) {
    struct layout bound = {0};
    int rc = run_layout(r, m, &bound);
    if (rc == 0)
        rc = window_layout(&w->sums, m, &bound);
    layout_destroy(&bound);
    return rc;
}

static int work_init(struct work *w, const struct run *r, const struct model *m) {
    *w = (struct work){.moments = calloc(m->n_metric + 1u, sizeof(*w->moments)),
                       .n_nothing = calloc(m->n_metric + 1u, sizeof(*w->n_nothing)),
                       .result = calloc(m->n_metric + 1u, sizeof(*w->result))};
    if (w->moments && w->n_nothing && w->result &&
        window_init(&w->sums, r->series.n_slot, m->n_metric) == 0 &&
        frame_init(&w->frame, m->n_metric) == 0 && frame_init(&w->whole, m->n_metric) == 0 &&
        sample_init(&w->row, r->series.n_slot) == 0 && know_layout(w, r, m) == 0)
        return 0;
    work_free(w);
    return -ENOMEM;
}

/* All was counted, but there was nothing of what the value is a share of. */
static bool has_nothing(const struct value *v) {
    return isnan(v->v) && v->why.kind == WHY_DIV_ZERO;
}

static void add_row(struct work *w, struct eval *ev) {
    eval_run(ev, &w->row, &w->frame);
    window_remember(&w->sums, &w->frame);
    for (uint32_t i = 0; i < w->frame.n_metric; i++) {
        moments_add(&w->moments[i], w->frame.at[i].v);
        w->n_nothing[i] += has_nothing(&w->frame.at[i]);
    }
    window_add(&w->sums, &w->row);
}

/* All but the first `skip`. */
static int add_rows(struct work *w, const struct series *se, uint64_t skip, struct eval *ev) {
    struct series_reader reader;
    int rc = series_reader_init(&reader, se);
    if (rc < 0)
        return rc;
    for (uint64_t i = 0; series_reader_next(&reader, &w->row); i++)
        if (i >= skip)
            add_row(w, ev);
    series_reader_destroy(&reader);
    return 0;
}

/* ---- nodes ---- */

static bool is_kept(const struct metric *mt, const struct value *v) {
    if (!isnan(v->v))
        return true;
    return !mt->unavailable && v->why.kind != WHY_UNAVAILABLE &&
           !(v->why.kind == WHY_EVENT && v->why.code == COUNT_NOT_PLANNED);
}

/*
 * The parts of a value need not have been counted in the same intervals (a recording has an event
 * only at times, a group waits in some), and then the formula of the sums may give what no interval
 * showed. Such a value becomes the mean of the intervals that have all parts, approximate.
 * Intervals in which there was nothing to count belong to the whole: its share of time is that much
 * smaller.
 */
static void keep_in_range(struct run_node *n, uint64_t n_nothing, uint64_t n_row) {
    const struct moments_result *m = &n->m;
    if (n->total || m->n == 0 || m->n + n_nothing >= n_row || isnan(n->value.v))
        return;
    if (n->value.v < m->least || n->value.v > m->most) {
        n->value.v = m->mean;
        n->value.approx = true;
    }
}

static struct run_node make_node(const struct work *w, const struct model *m, int metric) {
    const struct metric *mt = &m->metric[metric];
    char why[512];
    struct run_node n = {.level = mt->level,
                         .good_up = mt->good_up,
                         .share = mt->share,
                         .total = mt->total,
                         .better = mt->better,
                         .value = w->whole.at[metric],
                         .m = w->result[metric]};
    keep_in_range(&n, w->n_nothing[metric], w->sums.n);
    n.name = strdup(mt->name);
    n.path = strdup(mt->path);
    n.unit = strdup(mt->unit ? mt->unit : "");
    n.reason = strdup(why_text(m, n.value.why, why, sizeof(why)));
    return n;
}

static int add_nodes(struct run *part, const struct work *w, const struct model *m) {
    for (uint32_t i = 0; i < m->n_metric; i++) {
        if (!is_kept(&m->metric[i], &w->whole.at[i]))
            continue;
        struct run_node n = make_node(w, m, (int)i);
        if (!n.name || !n.path || !n.unit || !n.reason || array_push(&part->node, n) < 0) {
            run_node_free(&n);
            return -ENOMEM;
        }
    }
    return 0;
}

static int add_texts(struct run *part, const struct work *w, const struct model *m) {
    const struct bottleneck *b = &w->whole.bottleneck;
    part->bottleneck = strdup(b->n ? m->metric[b->at[b->n - 1]].path : "");
    part->model = strdup(m->name);
    part->model_text = strdup(model_text(m));
    return part->bottleneck && part->model && part->model_text ? 0 : -ENOMEM;
}

#define SWAP(type, a, b)                                                                           \
    do {                                                                                           \
        type swapped_ = (a);                                                                       \
        (a) = (b);                                                                                 \
        (b) = swapped_;                                                                            \
    } while (0)

static void take_values(struct run *r, struct run *part) {
    SWAP(char *, r->bottleneck, part->bottleneck);
    SWAP(char *, r->model, part->model);
    SWAP(char *, r->model_text, part->model_text);
    SWAP(struct run_node *, r->node.at, part->node.at);
    SWAP(size_t, r->node.n, part->node.n);
    SWAP(size_t, r->node.cap, part->node.cap);
}

/* What the rows so far come to; more may follow. */
static int set_values(struct work *w, const struct model *m, struct eval *ev, struct run *r) {
    struct run part = {0}; /* the new values, until all of them are there */
    window_frame(&w->sums, ev, &w->whole);
    moments_results(w->moments, m->n_metric, w->result);
    int rc = add_nodes(&part, w, m);
    if (rc == 0)
        rc = add_texts(&part, w, m);
    if (rc == 0) {
        take_values(r, &part);
        r->measured_ns = w->sums.covered_ns;
    }
    run_free(&part);
    return rc;
}

int run_evaluate(struct run *r, const struct model *m, struct eval *ev, struct err *err) {
    if (series_rows(&r->series) == 0)
        return err_set(err, -ENODATA, "run %s: it holds no counts to evaluate", r->id);
    struct work w;
    int rc = work_init(&w, r, m);
    if (rc < 0)
        return err_set(err, rc, "run %s: out of memory", r->id);
    rc = add_rows(&w, &r->series, 0, ev);
    if (rc == 0)
        rc = set_values(&w, m, ev, r);
    work_free(&w);
    return rc < 0 ? err_set(err, rc, "run %s: out of memory", r->id) : 0;
}

/* ---- a run that grows ---- */

struct tally {
    struct model own;          /* empty where another's is used */
    const struct model *model; /* that one, or its own */
    struct layout bound;
    struct eval eval;
    struct work work;
};

/* With `model`, or where that is NULL with the one of the text. */
static int begin_tally(struct run_tally *t, const struct run *r, const struct model *model,
                       const char *text, struct err *err) {
    struct tally *at = t->impl_ = calloc(1, sizeof(*at));
    if (!at)
        return err_set(err, -ENOMEM, "run %s: out of memory", r->id);
    at->model = model ? model : &at->own;
    int rc = model ? check_counts(r, err) : run_bind(r, text, &at->own, &at->bound, &at->eval, err);
    if (rc == 0 && model)
        rc = bind_to(r, model, &at->bound, &at->eval, err);
    if (rc == 0 && (rc = work_init(&at->work, r, at->model)) < 0) {
        err_set(err, rc, "run %s: out of memory", r->id);
        eval_destroy(&at->eval);
        layout_destroy(&at->bound);
        model_free(&at->own);
    }
    if (rc < 0) {
        free(at);
        t->impl_ = NULL;
    }
    return rc;
}

int run_tally_begin(struct run_tally *t, const struct run *r, const char *text, struct err *err) {
    return begin_tally(t, r, NULL, text, err);
}

int run_tally_begin_by(struct run_tally *t, const struct run *r, const struct model *m,
                       struct err *err) {
    return begin_tally(t, r, m, NULL, err);
}

int run_tally_add(struct run_tally *t, const struct series *se, uint64_t skip) {
    struct tally *at = t->impl_;
    return add_rows(&at->work, se, skip, &at->eval);
}

int run_tally_values(struct run_tally *t, struct run *r) {
    struct tally *at = t->impl_;
    return set_values(&at->work, at->model, &at->eval, r);
}

const struct model *run_tally_model(const struct run_tally *t) {
    const struct tally *at = t->impl_;
    return at->model;
}

void run_tally_end(struct run_tally *t) {
    struct tally *at = t->impl_;
    if (at) {
        work_free(&at->work);
        eval_destroy(&at->eval);
        layout_destroy(&at->bound);
        model_free(&at->own);
    }
    free(at);
    t->impl_ = NULL;
}

int run_evaluate_by(struct run *r, const char *text, struct err *err) {
    struct run_tally t;
    int rc = run_tally_begin(&t, r, text, err);
    if (rc < 0)
        return rc;
    rc = run_tally_add(&t, &r->series, 0);
    if (rc == 0)
        rc = run_tally_values(&t, r);
    run_tally_end(&t);
    return rc < 0 ? err_set(err, rc, "run %s: out of memory", r->id) : 0;
}
