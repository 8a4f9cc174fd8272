#include "ui/scene/bench.h"

#include "base/str.h"
#include "ui/scene/app.h"
#include "ui/scene/scene.h"

#include <math.h>
#include <string.h>
#include <strings.h>

enum {
    TREE_LEAST = 4,     /* changes of the tree that are shown before folds take the room */
    UNSURE_MOST = 3,    /* lines of what is unsure, but large */
    BLANKS_FROM_H = 18, /* where there is room for blanks and headings */
    UNITS_FROM_H = 22,  /* and for units that have not changed */
};

const struct bench_unit bench_units[] = {
    {RUN_ELAPSED, "time taken", false},
    {"IPC", "cycles/instruction", true},
    {NULL, "instructions/s", false},
    {"Context_Switches_Per_S", "context switches/s", false},
    {"Migrations_Per_S", "migrations/s", false},
    {"Minor_Faults_Per_S", "minor faults/s", false},
    {"Major_Faults_Per_S", "major faults/s", false},
};
enum { N_UNITS = sizeof(bench_units) / sizeof(bench_units[0]) };

/* The inverse of IPC, as models that have it call it. */
static const char *const cpi_names[] = {"CPI", "Info_Thread_CPI"};
enum { N_CPI_NAMES = sizeof(cpi_names) / sizeof(cpi_names[0]) };

static const char *const fold_names[FOLDS] = {"+smaller", "+unsure", "+beside", "+same", "+alone"};

void bench_destroy(struct bench_view *d) {
    compare_free(&d->c);
    run_free(&d->a);
    run_free(&d->b);
    *d = (struct bench_view){0};
}

void bench_open(struct scene *sc) {
    if (sc->bench.stored)
        bench_destroy(&sc->bench);
    app_view(sc, &view_bench);
}

int bench_open_runs(struct scene *sc, struct run *a, struct run *b,
                    const struct bench_source from[2], struct err *err) {
    struct bench_view *d = &sc->bench;
    struct comparison c;
    struct compare_options opt = compare_defaults();
    struct compare_side side[2] = {compare_side_of(a), compare_side_of(b)};
    int rc = compare_sides(&side[0], &side[1], &opt, &c, err);
    if (rc == 0) {
        bench_destroy(d);
        d->stored = true;
        d->side = 1;
        d->a = *a;
        d->b = *b;
        d->c = c;
        for (int i = 0; from && i < 2; i++)
            d->from[i] = from[i];
        *a = *b = (struct run){0};
        app_view(sc, &view_bench);
    }
    run_free(a);
    run_free(b);
    return rc;
}

void bench_swap(struct scene *sc) {
    sc->bench.swapped = !sc->bench.swapped;
}

const struct comparison *bench_shown(const struct scene *sc) {
    return sc->bench.stored ? &sc->bench.c : &sc->base.c;
}

/* ---- from A to B ---- */

static enum verdict turned(enum verdict v) {
    switch (v) {
    case VERDICT_REGRESSED:
        return VERDICT_IMPROVED;
    case VERDICT_IMPROVED:
        return VERDICT_REGRESSED;
    case VERDICT_ONLY_A:
        return VERDICT_ONLY_B;
    case VERDICT_ONLY_B:
        return VERDICT_ONLY_A;
    default:
        return v;
    }
}

/* The value of b is that of as long as a, where it adds up with time. */
static double value_of(const struct compare_row *r, bool b) {
    const struct run_node *n = b ? r->b : r->a;
    if (!n)
        return NAN;
    return b && r->total ? r->a->value.v + r->delta : n->value.v;
}

struct bench_change bench_change(const struct bench_view *d, const struct compare_row *r) {
    struct bench_change ch = {.node = r->a ? r->a : r->b,
                              .a = value_of(r, d->swapped),
                              .b = value_of(r, !d->swapped),
                              .delta = r->delta,
                              .relative = r->relative,
                              .err = r->err,
                              .total = r->total,
                              .leads = r->leads,
                              .verdict = r->verdict};
    if (d->swapped) {
        ch.delta = -r->delta;
        ch.relative = ch.a != 0 ? ch.delta / fabs(ch.a) : NAN;
        ch.verdict = turned(r->verdict);
    }
    return ch;
}

/* ---- per unit of work ---- */

/* Of 1 / v: the interval is that of its ends. */
static struct bench_change inverse(struct bench_change ch) {
    const double low = ch.a / (ch.b + ch.err), high = ch.a / (ch.b - ch.err);
    ch.a = 1 / ch.a;
    ch.b = 1 / ch.b;
    ch.delta = ch.b - ch.a;
    ch.relative = ch.delta / ch.a;
    ch.err = low > 0 && high > 0 ? (high - low) / 2 * ch.a : NAN;
    return ch;
}

/* Instructions are IPC * GHz * CPUs_Utilized: if each is in its interval, so is the product,
 * whatever they have to do with each other. */
static struct bench_change instructions(const struct scene *sc) {
    static const char *const factor[] = {"IPC", "GHz", "CPUs_Utilized"};
    const struct compare_counts *k = &bench_shown(sc)->counts;
    const bool turn = sc->bench.swapped;
    struct bench_change ch = {.a = turn ? k->instructions_b : k->instructions_a,
                              .b = turn ? k->instructions_a : k->instructions_b,
                              .verdict = VERDICT_UNSURE};
    double low = 1, high = 1;
    for (size_t i = 0; i < sizeof(factor) / sizeof(factor[0]); i++) {
        const struct compare_row *r = compare_find(bench_shown(sc), factor[i]);
        if (!r || !r->a || !r->b)
            return (struct bench_change){.a = NAN, .b = NAN};
        const struct bench_change of = bench_change(&sc->bench, r);
        low *= fmax(of.b - of.err, 0) / of.a;
        high *= (of.b + of.err) / of.a;
    }
    ch.delta = ch.b - ch.a;
    ch.relative = ch.delta / ch.a;
    ch.err = (high - low) / 2 * ch.a;
    if (compare_work_is_sure(bench_shown(sc)) &&
        fabs(ch.relative) >= compare_defaults().least_relative)
        ch.verdict = VERDICT_CHANGED;
    return ch;
}

/* The row of a metric that both sides know, or NULL. */
static const struct compare_row *find_both(const struct scene *sc, const char *metric) {
    const struct compare_row *r = compare_find(bench_shown(sc), metric);
    return r && r->a && r->b ? r : NULL;
}

struct bench_change bench_unit_change(const struct scene *sc, const struct bench_unit *u) {
    if (!u->metric)
        return instructions(sc);
    /* A metric that is the inverse itself has a verdict and an interval of its own. */
    for (int i = 0; u->inverse && i < N_CPI_NAMES; i++) {
        const struct compare_row *cpi = find_both(sc, cpi_names[i]);
        if (cpi)
            return bench_change(&sc->bench, cpi);
    }
    const struct compare_row *r = find_both(sc, u->metric);
    if (!r)
        return (struct bench_change){.a = NAN, .b = NAN};
    const struct bench_change ch = bench_change(&sc->bench, r);
    return u->inverse ? inverse(ch) : ch;
}

bool bench_is_unit(const struct compare_row *r) {
    const char *path = (r->a ? r->a : r->b)->path;
    for (int i = 0; i < N_CPI_NAMES; i++)
        if (strcasecmp(path, cpi_names[i]) == 0)
            return true;
    for (int i = 0; i < N_UNITS; i++)
        if (bench_units[i].metric && strcmp(path, bench_units[i].metric) == 0)
            return true;
    return false;
}

/* ---- lines ---- */

static bool in_tree(const struct compare_row *r) {
    return (r->a ? r->a : r->b)->level > 0;
}

static const char *path_of(const struct compare_row *r) {
    return (r->a ? r->a : r->b)->path;
}

/* What is paid for a unit of work has a line of its own. */
static bool is_unsure(const struct compare_row *r) {
    return r->verdict == VERDICT_UNSURE && !bench_is_unit(r);
}

/* Whether a fold stands for the row; `nth` counts those of its kind before it. */
static bool is_in(const struct compare_row *r, enum bench_fold f, int nth, int shown) {
    const bool sure = bench_is_sure(r->verdict);
    switch (f) {
    case FOLD_SMALLER:
        return sure && in_tree(r) && nth >= shown;
    case FOLD_UNSURE:
        return is_unsure(r) && nth >= shown;
    case FOLD_BESIDE:
        return sure && !in_tree(r) && !bench_is_unit(r);
    case FOLD_SAME:
        return r->verdict == VERDICT_NOISE;
    default:
        return r->verdict == VERDICT_ONLY_A || r->verdict == VERDICT_ONLY_B;
    }
}

static bool is_counted(const struct compare_row *r, enum bench_fold f) {
    return f == FOLD_SMALLER ? bench_is_sure(r->verdict) && in_tree(r) : is_unsure(r);
}

int bench_folded(const struct comparison *c, enum bench_fold f, int shown) {
    int n = 0, nth = 0;
    for (size_t i = 0; i < c->n_row; i++) {
        n += is_in(&c->row[i], f, nth, shown);
        nth += is_counted(&c->row[i], f);
    }
    return n;
}

static void put(struct bench_view *d, enum bench_kind kind, int depth, int row, const char *text) {
    if (d->list.n < BENCH_LINES)
        d->line[d->list.n++] = (struct bench_line){
            .kind = (uint8_t)kind, .depth = (uint8_t)depth, .row = (int16_t)row, .text = text};
}

static void put_fold(struct scene *sc, enum bench_fold f, int shown) {
    struct bench_view *d = &sc->bench;
    const struct comparison *c = bench_shown(sc);
    if (bench_folded(c, f, shown) == 0)
        return;
    put(d, BENCH_FOLD, 0, f, NULL);
    int nth = 0;
    for (size_t i = 0; i < c->n_row && (d->open >> f & 1); i++) {
        if (is_in(&c->row[i], f, nth, shown))
            put(d, BENCH_CHANGE, 1, (int)i, NULL);
        nth += is_counted(&c->row[i], f);
    }
}

/* Worth a line where there are few. Instructions per second are unsure by default. */
static bool has_news(const struct bench_unit *u, enum verdict v) {
    return bench_is_sure(v) || u->inverse || (u->metric && v == VERDICT_UNSURE);
}

/* What stands below the changes of the tree. */
static void put_tail(struct scene *sc, int h) {
    struct bench_view *d = &sc->bench;
    const struct comparison *c = bench_shown(sc);
    const int most = h >= BLANKS_FROM_H ? UNSURE_MOST : 1;
    int n = 0;
    for (size_t i = 0; i < c->n_row && n < most; i++)
        if (is_unsure(&c->row[i])) {
            put(d, BENCH_UNSURE, 0, (int)i, NULL);
            n++;
        }
    const int before = d->list.n;
    for (int i = 0; i < N_UNITS; i++) {
        const struct bench_change ch = bench_unit_change(sc, &bench_units[i]);
        if (isnan(ch.a) || isnan(ch.b) || (ch.a == 0 && ch.b == 0) ||
            (h < UNITS_FROM_H && !has_news(&bench_units[i], ch.verdict)))
            continue;
        if (d->list.n == before && h >= BLANKS_FROM_H) {
            put(d, BENCH_WORDS, 0, 0, "");
            put(d, BENCH_WORDS, 0, 0, "per unit of work");
        }
        put(d, BENCH_UNIT, 0, i, NULL);
    }
    if (h >= BLANKS_FROM_H)
        put(d, BENCH_WORDS, 0, 0, "");
    for (int f = FOLD_UNSURE; f < FOLDS; f++)
        put_fold(sc, (enum bench_fold)f, n);
}

/* The nearest ancestor among the first n rows that are in the list of the tree; -1. */
static int ancestor(const struct comparison *c, int n, int row) {
    const char *path = path_of(&c->row[row]);
    size_t best_len = 0;
    int best = -1;
    for (int i = 0; i < n; i++) {
        const char *above = path_of(&c->row[i]);
        const size_t len = strlen(above);
        if (i != row && in_tree(&c->row[i]) && len > best_len && strncmp(path, above, len) == 0 &&
            path[len] == '.') {
            best = i;
            best_len = len;
        }
    }
    return best;
}

static void put_below(struct bench_view *d, const struct comparison *c, int n, int parent,
                      int depth) {
    for (int i = 0; i < n; i++)
        if (in_tree(&c->row[i]) && d->parent_[i] == parent) {
            put(d, BENCH_CHANGE, depth, i, NULL);
            put_below(d, c, n, i, depth + 1);
        }
}

/* The first `shown` changes of the tree: they are in order of their size. */
static void put_tree(struct scene *sc, int shown) {
    struct bench_view *d = &sc->bench;
    const struct comparison *c = bench_shown(sc);
    int n = 0;
    for (int k = 0; n < (int)c->n_row && n < BENCH_LINES && bench_is_sure(c->row[n].verdict); n++)
        if (in_tree(&c->row[n]) && ++k > shown)
            break;
    for (int i = 0; i < n; i++)
        d->parent_[i] = (int16_t)ancestor(c, n, i);
    put_below(d, c, n, -1, 0);
}

static int tree_changes(const struct comparison *c) {
    return bench_folded(c, FOLD_SMALLER, 0);
}

/* ---- the selection ---- */

/* Lines change places as verdicts do: the selection stays with what it is on. */
static const char *name_of(const struct scene *sc, int line) {
    const struct bench_line *l = &sc->bench.line[line];
    const char *metric;
    switch ((enum bench_kind)l->kind) {
    case BENCH_WORDS:
        return "";
    case BENCH_FOLD:
        return fold_names[l->row];
    case BENCH_UNIT:
        metric = bench_units[l->row].metric;
        return metric ? metric : "+instructions";
    default:
        return path_of(&bench_shown(sc)->row[l->row]);
    }
}

/* The line of the name; the first that can be selected; -1. */
static int line_of(const struct scene *sc, const char *name) {
    const struct bench_view *d = &sc->bench;
    int first = -1;
    for (int i = 0; i < d->list.n; i++) {
        if (name[0] && strcmp(name_of(sc, i), name) == 0)
            return i;
        if (first < 0 && d->line[i].kind != BENCH_WORDS)
            first = i;
    }
    return first;
}

/* The nearest line from there on that can be selected; -1. */
static int next_of(const struct bench_view *d, int line, int step) {
    while (line >= 0 && line < d->list.n && d->line[line].kind == BENCH_WORDS)
        line += step;
    return line < d->list.n ? line : -1;
}

/* Words cannot be selected: on in the same direction, or back from the end. */
static void selected(void *scene) {
    struct scene *sc = scene;
    struct bench_view *d = &sc->bench;
    const int step = d->list.at < line_of(sc, d->selected) ? -1 : 1;
    const int on = next_of(d, d->list.at, step);
    const int to = on >= 0 ? on : next_of(d, d->list.at, -step);
    if (to >= 0)
        str_copy(d->selected, sizeof(d->selected), name_of(sc, to));
    d->list.at = line_of(sc, d->selected);
}

static void follow(struct scene *sc) {
    struct list *l = &sc->bench.list;
    l->chosen = true;
    l->moved = selected;
    l->owner = sc;
    list_follow(l, l->n, line_of(sc, sc->bench.selected));
}

int bench_selected(const struct scene *sc) {
    return line_of(sc, sc->bench.selected);
}

struct list *bench_list(struct scene *sc) {
    bench_make(sc, sc->bench.room_); /* the comparison may be another than that of the last frame */
    return &sc->bench.list;
}

void bench_make(struct scene *sc, int h) {
    struct bench_view *d = &sc->bench;
    const int n = tree_changes(bench_shown(sc));
    d->room_ = h;
    const unsigned open = d->open;
    d->open = 0; /* how much there is while all is closed */
    d->list.n = 0;
    put_tail(sc, h);
    d->open = open;
    int room = h - d->list.n, shown = n;
    if (n > room)
        shown = room - 1 > TREE_LEAST ? room - 1 : TREE_LEAST;
    d->list.n = 0;
    put_tree(sc, shown);
    if (n == 0)
        put(d, BENCH_WORDS, 0, 0, "nothing in the tree has changed for sure");
    put_fold(sc, FOLD_SMALLER, shown);
    put_tail(sc, h);
    follow(sc);
}

/* ---- further on ---- */

bool bench_go(struct scene *sc, const struct run_node *n) {
    const struct model *m = scene_model(sc);
    for (int i = 0; i < (int)m->n_metric; i++)
        if (strcmp(m->metric[i].path, n->path) == 0) {
            app_view(sc, &view_history);
            sc->visit = (struct visit){true, outline_place(&sc->tree), sc->touched};
            sc->touched = true;
            outline_go(&sc->tree, i);
            return true;
        }
    app_say(sc, "model %s has no %s", m->name, n->name);
    return false;
}

/* The metric that a line is about; instructions per second are in the IPC. */
static const struct run_node *node_of(const struct scene *sc, const struct bench_line *l) {
    const char *unit = l->kind == BENCH_UNIT ? bench_units[l->row].metric : "";
    const struct compare_row *r = l->kind == BENCH_UNIT
                                      ? compare_find(bench_shown(sc), unit ? unit : "IPC")
                                      : &bench_shown(sc)->row[l->row];
    return r->a ? r->a : r->b;
}

int bench_metric(const struct scene *sc) {
    const struct model *m = scene_model(sc);
    const int at = bench_selected(sc);
    const struct run_node *n =
        at < 0 || sc->bench.line[at].kind == BENCH_FOLD ? NULL : node_of(sc, &sc->bench.line[at]);
    for (int i = 0; n && i < (int)m->n_metric; i++)
        if (strcmp(m->metric[i].path, n->path) == 0)
            return i;
    return METRIC_NONE;
}

void bench_explain(struct scene *sc) {
    const int metric = bench_metric(sc);
    if (metric != METRIC_NONE)
        app_explain(sc, metric);
    else
        app_say(sc, "{explain} explains a metric that this model has");
}

void bench_enter(struct scene *sc) {
    struct bench_view *d = &sc->bench;
    bench_list(sc);
    const int at = bench_selected(sc);
    if (at < 0)
        return;
    const struct bench_line *l = &d->line[at];
    if (l->kind == BENCH_FOLD) {
        const int before = d->list.n;
        d->open ^= 1u << l->row;
        str_copy(d->selected, sizeof(d->selected), fold_names[l->row]);
        bench_list(sc);
        const int more = d->list.n - before, end = d->list.top + d->list.lines;
        if (more > 0 && at + more >= end) /* what has opened is seen, its line stays */
            d->list.top = more < d->list.lines ? at + more + 1 - d->list.lines : at;
    } else if (!d->stored ||
               !app_open_source(sc, &d->from[d->side != d->swapped], node_of(sc, l))) {
        bench_go(sc, node_of(sc, l));
    }
}
