#include "ui/draw/outline.h"

#include "base/clock.h"

#include <errno.h>
#include <stdlib.h>

static bool is_leaf(const struct outline *o, int metric) {
    return o->model->metric[metric].first_child == METRIC_NONE;
}

enum {
    SMALL_TREE = 12, /* models whose tree is not larger show what is beside it from the start */
    FOLD = -2,       /* and below: a row of quiet siblings, by their parent */
    FOLD_LEAST = 2,  /* one alone is itself */
};
#define FOLD_AFTER_NS (10 * NS_PER_S)

static int fold_row(int parent) {
    return FOLD - parent;
}

static int parent_of_fold(int row) {
    return row <= FOLD ? FOLD - row : METRIC_NONE;
}

static int n_beside(const struct outline *o) {
    return (int)(o->model->n_metric - o->model->n_tree);
}

/* The user's own are the last of the model, and the first beside the tree. */
static int n_own(const struct outline *o) {
    int n = 0;
    while (n < n_beside(o) && o->model->metric[(int)o->model->n_metric - 1 - n].own)
        n++;
    return n;
}

/* The metric that stands at place i beside the tree. */
static int beside_at(const struct outline *o, int i) {
    int own = n_own(o), first = (int)o->model->n_tree;
    return i < own ? (int)o->model->n_metric - own + i : first + i - own;
}

/* Place of a metric in the whole, if all were open: metrics are even, the heading lies before those
 * beside the tree. */
static int place(const struct outline *o, int metric) {
    int own = n_own(o), first = (int)o->model->n_tree;
    if (metric == METRIC_NONE)
        return 2 * first - 1;
    if (metric < first)
        return 2 * metric;
    int first_own = (int)o->model->n_metric - own;
    return 2 * (metric >= first_own ? first + metric - first_own : metric + own);
}

static int metric_of(int row) {
    return row <= FOLD ? parent_of_fold(row) : row;
}

static bool folds(const struct outline *o, int metric, int keep) {
    const int parent = o->model->metric[metric].parent;
    return o->quiet[metric] && parent != METRIC_NONE && o->by[parent] != BY_USER &&
           !(keep >= 0 && keep < (int)o->model->n_tree && outline_is_below(o, keep, metric));
}

static int n_folds(const struct outline *o, int parent, int keep) {
    int n = 0;
    for (int i = o->model->metric[parent].first_child; i != METRIC_NONE;
         i = o->model->metric[i].next_sibling)
        n += folds(o, i, keep);
    return n < FOLD_LEAST ? 0 : n;
}

/* The rows of a node and of what is open below it, from row n on. Returns the row after them. */
static int add_rows(struct outline *o, int n, int metric, int keep) {
    o->row[n++] = metric;
    if (!o->open[metric])
        return n;
    const int quiet = n_folds(o, metric, keep);
    for (int i = o->model->metric[metric].first_child; i != METRIC_NONE;
         i = o->model->metric[i].next_sibling)
        if (!quiet || !folds(o, i, keep))
            n = add_rows(o, n, i, keep);
    if (quiet)
        o->row[n++] = fold_row(metric);
    return n;
}

/* The row itself; else the last one before it, which is the branch it is in. */
static int find_row(const struct outline *o, int n, int keep) {
    int at = 0;
    for (int r = 0; r < n; r++) {
        if (o->row[r] == keep)
            return r;
        if (o->row[r] > FOLD && place(o, o->row[r]) <= place(o, metric_of(keep)))
            at = r;
    }
    return at;
}

/* Rows from the open flags. `keep`, a row as in `row`, stays selected. */
static void rebuild(struct outline *o, int keep) {
    int n = 0;
    o->kept = keep;
    for (int i = 0; i < (int)o->model->n_tree; i++)
        if (o->model->metric[i].parent == METRIC_NONE)
            n = add_rows(o, n, i, keep);
    if (n_beside(o) > 0)
        o->row[n++] = METRIC_NONE;
    for (int i = 0; o->beside && i < n_beside(o); i++)
        o->row[n++] = beside_at(o, i);
    o->list.chosen = true;
    list_follow(&o->list, n, find_row(o, n, keep));
}

int outline_init(struct outline *o, const struct model *m, int level) {
    *o = (struct outline){.model = m};
    if (m->n_metric == 0)
        return 0;
    o->beside = m->n_tree <= SMALL_TREE;
    o->open = calloc(m->n_tree + 1, sizeof(*o->open));
    o->by = calloc(m->n_tree + 1, sizeof(*o->by));
    o->quiet = calloc(m->n_tree + 1, sizeof(*o->quiet));
    o->loud_ns = calloc(m->n_tree + 1, sizeof(*o->loud_ns));
    o->row = calloc(m->n_metric + 1, sizeof(*o->row));
    if (!o->open || !o->by || !o->quiet || !o->loud_ns || !o->row) {
        outline_destroy(o);
        return -ENOMEM;
    }
    outline_forget(o, level);
    list_reset(&o->list);
    return 0;
}

void outline_destroy(struct outline *o) {
    free(o->open);
    free(o->by);
    free(o->quiet);
    free(o->loud_ns);
    free(o->row);
    *o = (struct outline){0};
}

int outline_at(const struct outline *o, int i) {
    return metric_of(o->row[i]);
}

int outline_fold(const struct outline *o, int i) {
    return parent_of_fold(o->row[i]);
}

bool outline_is_folded(const struct outline *o, int metric) {
    return folds(o, metric, o->kept);
}

/* What is selected, as in `row`. */
static int selected(const struct outline *o) {
    return o->list.n ? o->row[o->list.at] : METRIC_NONE;
}

int outline_metric(const struct outline *o) {
    return metric_of(selected(o));
}

void outline_hear(struct outline *o, bool (*loud)(const void *user, int metric), const void *user,
                  uint64_t now_ns, bool live) {
    for (int i = 0; i < (int)o->model->n_tree; i++)
        o->quiet[i] = !loud(user, i);
    for (int i = (int)o->model->n_tree - 1; i >= 0; i--) { /* children stand behind their parent */
        const int parent = o->model->metric[i].parent;
        if (!o->quiet[i] && parent != METRIC_NONE)
            o->quiet[parent] = false;
        if (!o->quiet[i] && live)
            o->loud_ns[i] = now_ns;
        else if (live && o->loud_ns[i])
            o->quiet[i] = now_ns - o->loud_ns[i] >= FOLD_AFTER_NS;
    }
    rebuild(o, selected(o));
}

/* The user wants to see this: nobody else closes what it lies in. */
static void open_above(struct outline *o, int metric) {
    if (metric >= (int)o->model->n_tree)
        o->beside = true;
    for (int p = o->model->metric[metric].parent; p != METRIC_NONE;
         p = o->model->metric[p].parent) {
        o->open[p] = true;
        o->by[p] = BY_USER;
    }
}

void outline_go(struct outline *o, int metric) {
    open_above(o, metric);
    rebuild(o, metric);
}

struct outline_place outline_place(const struct outline *o) {
    return (struct outline_place){outline_metric(o), o->list.top, o->beside};
}

void outline_return(struct outline *o, const struct outline_place *to) {
    o->beside = to->beside;
    o->list.top = to->top;
    rebuild(o, to->metric);
}

void outline_reveal(struct outline *o, int metric) {
    int keep = selected(o);
    open_above(o, metric);
    rebuild(o, keep);
}

/* The row of quiet siblings opens; the first of them is selected. */
static void unfold(struct outline *o) {
    const int parent = outline_metric(o);
    int first = o->model->metric[parent].first_child;
    while (!folds(o, first, METRIC_NONE))
        first = o->model->metric[first].next_sibling;
    outline_go(o, first);
}

static bool is_on_fold(const struct outline *o) {
    return selected(o) <= FOLD;
}

/* The flag that the selected row opens and closes, or NULL for a leaf. */
static bool *flag(struct outline *o) {
    int at = outline_metric(o);
    if (o->list.n == 0)
        return NULL;
    if (at == METRIC_NONE)
        return &o->beside;
    return at >= (int)o->model->n_tree || is_leaf(o, at) ? NULL : &o->open[at];
}

static void set(struct outline *o, bool open) {
    bool *f = flag(o);
    if (!f)
        return;
    *f = open;
    if (f != &o->beside) {
        open_above(o, outline_metric(o));
        o->by[outline_metric(o)] = BY_USER;
    }
    rebuild(o, outline_metric(o));
}

void outline_open(struct outline *o) {
    bool *f = flag(o);
    if (is_on_fold(o))
        unfold(o);
    else if (f && *f)
        list_move(&o->list, 1);
    else
        set(o, true);
}

void outline_close(struct outline *o) {
    bool *f = flag(o);
    int at = outline_metric(o);
    if (is_on_fold(o))
        rebuild(o, at);
    else if (f && *f)
        set(o, false);
    else if (at >= (int)o->model->n_tree)
        rebuild(o, METRIC_NONE);
    else if (at != METRIC_NONE && o->model->metric[at].parent != METRIC_NONE)
        rebuild(o, o->model->metric[at].parent);
}

void outline_toggle(struct outline *o) {
    bool *f = flag(o);
    if (is_on_fold(o))
        unfold(o);
    else if (f)
        set(o, !*f);
}

void outline_level(struct outline *o, int level) {
    int keep = selected(o);
    for (int i = 0; i < (int)o->model->n_tree; i++) {
        bool open = !is_leaf(o, i) && o->model->metric[i].level < level;
        if (open != o->open[i] || open)
            o->by[i] = BY_USER;
        o->open[i] = open;
    }
    if (o->row)
        rebuild(o, keep);
}

void outline_forget(struct outline *o, int level) {
    outline_level(o, level);
    for (int i = 0; i < (int)o->model->n_tree; i++)
        o->by[i] = BY_START;
}

void outline_show(struct outline *o, int metric) {
    rebuild(o, metric);
}

bool outline_path_open(struct outline *o, int metric) {
    bool changed = false;
    for (int p = metric; p != METRIC_NONE; p = o->model->metric[p].parent)
        if (!o->open[p] && o->by[p] == BY_USER)
            return false;
    for (int p = metric; p != METRIC_NONE; p = o->model->metric[p].parent)
        if (!o->open[p] && !is_leaf(o, p)) {
            o->open[p] = changed = true;
            o->by[p] = BY_PATH;
        }
    if (changed)
        rebuild(o, selected(o));
    return changed;
}

bool outline_path_opened(const struct outline *o, int metric) {
    return o->open[metric] && o->by[metric] == BY_PATH;
}

bool outline_path_close(struct outline *o, int metric) {
    if (!outline_path_opened(o, metric))
        return false;
    o->open[metric] = false;
    o->by[metric] = BY_START;
    rebuild(o, selected(o));
    return true;
}

bool outline_is_below(const struct outline *o, int metric, int below) {
    while (metric != METRIC_NONE && metric != below)
        metric = o->model->metric[metric].parent;
    return metric == below;
}

bool outline_is_all_open(const struct outline *o) {
    for (int i = 0; i < (int)o->model->n_tree; i++)
        if (!o->open[i] && !is_leaf(o, i))
            return false;
    return true;
}
