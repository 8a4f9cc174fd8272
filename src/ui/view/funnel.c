#include "ui/view/funnel.h"

#include "ui/scene/app.h"
#include "ui/scene/scene.h"

#include <math.h>
#include <string.h>

struct span {
    double from, to; /* of the width, 0..1 */
};

/* ---- which nodes ---- */

const char *funnel_unit(const struct model *m, int metric) {
    return metric_share_of(m, &m->metric[metric]);
}

bool funnel_is_slots(const struct model *m, int metric) {
    enum { DEEPEST = 3 };
    if (m->metric[metric].level > DEEPEST)
        return false;
    for (int i = metric; i != METRIC_NONE; i = m->metric[i].parent)
        if (!m->metric[i].share || funnel_unit(m, i))
            return false;
    return true;
}

/* A share of the tree; what is counted in other ways has no width. */
bool funnel_is_block(const struct model *m, int metric) {
    const struct metric *mt = &m->metric[metric];
    return mt->kind == METRIC_TREE && mt->share && mt->level >= 1 && mt->level <= FUNNEL_LEVELS;
}

static int first_root(const struct model *m) {
    for (int i = 0; i < (int)m->n_tree; i++)
        if (m->metric[i].level == 1 && funnel_is_block(m, i))
            return i;
    return METRIC_NONE;
}

/* The next one at the same level below the same parent; roots follow each other, too. */
static int next_of(const struct model *m, int metric) {
    if (m->metric[metric].parent != METRIC_NONE)
        return m->metric[metric].next_sibling;
    for (int i = metric + 1; i < (int)m->n_tree; i++)
        if (m->metric[i].level == 1)
            return i;
    return METRIC_NONE;
}

static int first_of(const struct model *m, int parent) {
    return parent == METRIC_NONE ? first_root(m) : m->metric[parent].first_child;
}

/* The value that widths are made of: it follows the measured one with a small dead band. */
static double funnel_value(const struct scene *sc, int metric) {
    if (!sc->frame)
        return NAN;
    double v = sc->frame->at[metric].v, steady = (double)sc->shown[metric].bar;
    if (isnan(v))
        return v;
    if (!isnan(steady) && sc->columns.bar > 1) /* else its dead band is as wide as a bar */
        v = steady;
    return v < 0 ? 0 : v;
}

static double known(const struct scene *sc, int metric) {
    double v = funnel_value(sc, metric);
    return isnan(v) ? 0 : v;
}

/* ---- what is selected ---- */

int funnel_path_end(const struct scene *sc) {
    const struct bottleneck *b = sc->frame ? &sc->frame->bottleneck : NULL;
    return b && b->n > 0 ? b->at[b->n - 1] : METRIC_NONE;
}

int funnel_at(const struct scene *sc) {
    const struct model *m = scene_model(sc);
    int at = scene_selected(sc);
    if (at == METRIC_NONE || at >= (int)m->n_tree || !funnel_is_block(m, at))
        at = funnel_path_end(sc);
    return at != METRIC_NONE && funnel_is_block(m, at) ? at : first_root(m);
}

/* What another view has selected may lie outside: then the width shows what holds both. */
int funnel_zoom(const struct scene *sc) {
    const struct model *m = scene_model(sc);
    int zoom = sc->funnel_zoom, at = funnel_at(sc);
    if (zoom >= (int)m->n_tree || at == METRIC_NONE)
        return METRIC_NONE;
    while (zoom != METRIC_NONE && !outline_is_below(&sc->tree, at, zoom) &&
           !outline_is_below(&sc->tree, zoom, at))
        zoom = m->metric[zoom].parent;
    return zoom;
}

/* The child that matters most: on the path, else the largest. */
static int main_child(const struct scene *sc, int metric) {
    const struct model *m = scene_model(sc);
    int best = METRIC_NONE;
    for (int i = first_of(m, metric); i != METRIC_NONE; i = next_of(m, i)) {
        if (!funnel_is_block(m, i))
            continue;
        if (sc->frame && bottleneck_has(&sc->frame->bottleneck, i))
            return i;
        if (best == METRIC_NONE || known(sc, i) > known(sc, best))
            best = i;
    }
    return best;
}

/* A node of each level: those above the selected one, itself, and what it leads to. */
static void chain(const struct scene *sc, int at[FUNNEL_LEVELS + 1]) {
    const struct model *m = scene_model(sc);
    for (int level = 0; level <= FUNNEL_LEVELS; level++)
        at[level] = METRIC_NONE;
    int selected = funnel_at(sc);
    for (int i = selected; i != METRIC_NONE; i = m->metric[i].parent)
        at[m->metric[i].level] = i;
    for (int i = selected; i != METRIC_NONE && m->metric[i].level < FUNNEL_LEVELS;) {
        i = m->metric[i].first_child == METRIC_NONE ? METRIC_NONE : main_child(sc, i);
        if (i != METRIC_NONE)
            at[m->metric[i].level] = i;
    }
}

/* ---- widths of slots ---- */

static bool is_any_unknown(const struct scene *sc, int parent) {
    const struct model *m = scene_model(sc);
    for (int i = first_of(m, parent); i != METRIC_NONE; i = next_of(m, i))
        if (funnel_is_slots(m, i) && isnan(funnel_value(sc, i)))
            return true;
    return false;
}

/*
 * What the children of a node are laid out in: its own value; their sum if they are more, or so
 * nearly all of it that the difference is noise.
 */
static double whole_of(const struct scene *sc, int parent) {
    const struct model *m = scene_model(sc);
    double sum = 0, all = parent == METRIC_NONE ? 1 : known(sc, parent);
    for (int i = first_of(m, parent); i != METRIC_NONE; i = next_of(m, i))
        if (funnel_is_slots(m, i))
            sum += known(sc, i);
    bool full = sum > all || (sum > 0.95 * all && !is_any_unknown(sc, parent));
    double whole = full ? sum : all;
    return whole > 0 ? whole : 1;
}

/* The slots that take the full width: the node itself, or, of other units, what it lies in. */
static int funnel_root(const struct scene *sc) {
    int i = funnel_zoom(sc);
    while (i != METRIC_NONE && !funnel_is_slots(scene_model(sc), i))
        i = scene_model(sc)->metric[i].parent;
    return i;
}

static struct span span_of(const struct scene *sc, int metric) {
    const struct model *m = scene_model(sc);
    int root = funnel_root(sc);
    if (metric == METRIC_NONE || outline_is_below(&sc->tree, root, metric))
        return (struct span){0, 1};
    if (!outline_is_below(&sc->tree, metric, root))
        return (struct span){0, 0};
    int parent = m->metric[metric].parent;
    struct span in = span_of(sc, parent);
    double scale = (in.to - in.from) / whole_of(sc, parent), from = in.from;
    for (int i = first_of(m, parent); i != metric; i = next_of(m, i))
        if (funnel_is_slots(m, i))
            from += known(sc, i) * scale;
    return (struct span){from, from + known(sc, metric) * scale};
}

static int cell_of(double at, int w) {
    int x = (int)lround(at * w);
    return x < 0 ? 0 : x > w ? w : x;
}

static void add(struct funnel_block *out, int *n, int metric, struct span s, int w, bool unknown) {
    int x = cell_of(s.from, w);
    if (*n < FUNNEL_BLOCKS)
        out[(*n)++] = (struct funnel_block){metric, x, cell_of(s.to, w) - x, unknown};
}

/* The children of a node; the first that is not known gets what the others leave. */
static void add_family(const struct scene *sc, int parent, int w, struct funnel_block *out,
                       int *n) {
    const struct model *m = scene_model(sc);
    struct span in = span_of(sc, parent);
    double from = in.from;
    int unknown = METRIC_NONE;
    for (int i = first_of(m, parent); i != METRIC_NONE; i = next_of(m, i)) {
        if (!funnel_is_slots(m, i) || !funnel_is_block(m, i))
            continue;
        struct span s = span_of(sc, i);
        if (isnan(funnel_value(sc, i)))
            unknown = unknown == METRIC_NONE ? i : unknown;
        else if (s.to > 0 || outline_is_below(&sc->tree, i, funnel_root(sc)))
            add(out, n, i, s, w, false);
        from = s.to > from ? s.to : from;
    }
    if (unknown != METRIC_NONE && outline_is_below(&sc->tree, unknown, funnel_root(sc)))
        add(out, n, unknown, (struct span){from, in.to}, w, true);
}

/* ---- widths of other units ---- */

static bool same_unit(const char *a, const char *b) {
    return a == b || (a && b && !strcmp(a, b));
}

static bool is_own(const struct model *m, int metric) {
    return funnel_is_block(m, metric) && !funnel_is_slots(m, metric);
}

static int first_own(const struct model *m, int parent) {
    for (int i = first_of(m, parent); i != METRIC_NONE; i = next_of(m, i))
        if (is_own(m, i))
            return i;
    return METRIC_NONE;
}

static double sum_of_own(const struct scene *sc, int parent, const char *of) {
    const struct model *m = scene_model(sc);
    double sum = 0;
    for (int i = first_of(m, parent); i != METRIC_NONE; i = next_of(m, i))
        if (is_own(m, i) && same_unit(funnel_unit(m, i), of))
            sum += known(sc, i);
    return sum;
}

/* What was drilled into, in the unit of a band: itself, or all of its parts. 0: has none. */
static double zoom_whole(const struct scene *sc, const struct funnel_band *b) {
    int zoom = funnel_zoom(sc);
    if (zoom == METRIC_NONE || !outline_is_below(&sc->tree, b->parent, zoom))
        return 0;
    if (same_unit(funnel_unit(scene_model(sc), zoom), b->of))
        return known(sc, zoom);
    return sum_of_own(sc, zoom, b->of);
}

/* 100 % of the unit, or of what was drilled into; more where the children are more. */
static double own_whole(const struct scene *sc, const struct funnel_band *b) {
    double sum = sum_of_own(sc, b->parent, b->of), whole = zoom_whole(sc, b);
    if (!(whole > 0))
        whole = 1;
    return sum > whole ? sum : whole;
}

static double left_of(const struct scene *sc, const struct funnel_band *b);

/* The left edge of a node. */
static double edge_of(const struct scene *sc, int metric) {
    const struct model *m = scene_model(sc);
    if (metric == METRIC_NONE || !is_own(m, metric))
        return span_of(sc, metric).from;
    struct funnel_band b = {.parent = m->metric[metric].parent, .of = funnel_unit(m, metric)};
    b.whole = own_whole(sc, &b);
    double from = left_of(sc, &b);
    for (int i = first_of(m, b.parent); i != metric; i = next_of(m, i))
        if (is_own(m, i) && same_unit(funnel_unit(m, i), b.of))
            from += known(sc, i) / b.whole;
    return from;
}

/* Parts begin below the left edge of their node, or so far to the left of it that all have room. */
static double left_of(const struct scene *sc, const struct funnel_band *b) {
    const double left = edge_of(sc, b->parent);
    const double room = 1 - sum_of_own(sc, b->parent, b->of) / b->whole;
    return left < room ? left : room > 0 ? room : 0;
}

static int blocks_of_own(const struct scene *sc, const struct funnel_band *b, int w,
                         struct funnel_block *out) {
    const struct model *m = scene_model(sc);
    int n = 0, zoom = funnel_zoom(sc);
    double from = left_of(sc, b);
    bool above = zoom != METRIC_NONE && m->metric[zoom].level >= b->level && is_own(m, zoom);
    for (int i = first_of(m, b->parent); i != METRIC_NONE; i = next_of(m, i)) {
        if (!is_own(m, i) || !same_unit(funnel_unit(m, i), b->of))
            continue;
        double share = isnan(funnel_value(sc, i)) ? 0 : known(sc, i) / b->whole;
        if (above && outline_is_below(&sc->tree, zoom, i))
            add(out, &n, i, (struct span){0, 1}, w, false);
        else if (!above && !isnan(funnel_value(sc, i)))
            add(out, &n, i, (struct span){from, from + share}, w, false);
        from += share;
    }
    return n;
}

int funnel_blocks(const struct scene *sc, const struct funnel_band *b, int w,
                  struct funnel_block *out) {
    int n = 0;
    if (b->own)
        return blocks_of_own(sc, b, w, out);
    add_family(sc, b->parent, w, out, &n);
    return n;
}

/* ---- bands ---- */

static bool has_slots(const struct model *m, int parent) {
    for (int i = first_of(m, parent); i != METRIC_NONE; i = next_of(m, i))
        if (funnel_is_block(m, i) && funnel_is_slots(m, i))
            return true;
    return false;
}

/* The unit of a band of its own, and what its full width means. Of several units that of the node
 * that is looked at. */
static void fill_own(const struct scene *sc, int here, struct funnel_band *b) {
    const struct model *m = scene_model(sc);
    const bool looked_at =
        here != METRIC_NONE && is_own(m, here) && m->metric[here].parent == b->parent;
    b->own = true;
    b->of = funnel_unit(m, looked_at ? here : first_own(m, b->parent));
    b->whole = own_whole(sc, b);
}

int funnel_bands(const struct scene *sc, struct funnel_band *out) {
    const struct model *m = scene_model(sc);
    int at[FUNNEL_LEVELS + 1], n = 0;
    chain(sc, at);
    for (int level = 1; level <= FUNNEL_LEVELS; level++) {
        const int parent = at[level - 1];
        const struct funnel_band band = {.level = level, .parent = parent, .whole = 1};
        if (level > 1 && parent == METRIC_NONE)
            break;
        if (has_slots(m, parent))
            out[n++] = band;
        if (first_own(m, parent) != METRIC_NONE) {
            out[n] = band;
            fill_own(sc, at[level], &out[n++]);
        }
    }
    return n;
}

int funnel_bands_most(const struct model *m) {
    int n = 0;
    for (int i = 0; i < (int)m->n_tree; i++)
        if (funnel_is_block(m, i) && m->metric[i].level > n)
            n = m->metric[i].level;
    return n;
}

int funnel_band_of(const struct funnel_band *b, int n, const struct model *m, int metric) {
    for (int i = 0; metric != METRIC_NONE && i < n; i++)
        if (b[i].level == m->metric[metric].level && b[i].own == !funnel_is_slots(m, metric))
            return i;
    return -1;
}

/* ---- what the user does ---- */

void funnel_go(struct scene *sc, int metric) {
    if (metric == METRIC_NONE)
        return;
    sc->touched = true;
    sc->cursor.focused = false;
    outline_go(&sc->tree, metric);
}

/* All nodes of the band in their order, also those that are not known or too small to be seen. */
static int members(const struct scene *sc, const struct funnel_band *b, int out[FUNNEL_BLOCKS]) {
    const struct model *m = scene_model(sc);
    int n = 0, root = funnel_root(sc);
    for (int i = 0; i < (int)m->n_tree && n < FUNNEL_BLOCKS; i++) {
        bool here = funnel_is_block(m, i) && m->metric[i].level == b->level &&
                    m->metric[i].parent == b->parent && funnel_is_slots(m, i) == !b->own;
        if (here && !b->own)
            here = outline_is_below(&sc->tree, i, root) || outline_is_below(&sc->tree, root, i);
        if (here)
            out[n++] = i;
    }
    return n;
}

void funnel_move(struct scene *sc, int by) {
    struct funnel_band band[FUNNEL_BANDS];
    int at = funnel_at(sc), member[FUNNEL_BLOCKS], n = 0;
    int b = funnel_band_of(band, funnel_bands(sc, band), scene_model(sc), at);
    if (b >= 0)
        n = members(sc, &band[b], member);
    for (int i = 0; i < n; i++)
        if (member[i] == at) {
            int to = i + by < 0 ? 0 : i + by >= n ? n - 1 : i + by;
            funnel_go(sc, member[to]);
            return;
        }
}

void funnel_move_level(struct scene *sc, int by) {
    const struct model *m = scene_model(sc);
    int at = funnel_at(sc);
    for (; at != METRIC_NONE && by < 0; by++)
        at = m->metric[at].parent == METRIC_NONE ? at : m->metric[at].parent;
    for (; at != METRIC_NONE && by > 0; by--) {
        int child = m->metric[at].first_child == METRIC_NONE ? METRIC_NONE : main_child(sc, at);
        at = child == METRIC_NONE ? at : child;
    }
    funnel_go(sc, at);
}

void funnel_drill(struct scene *sc) {
    const struct model *m = scene_model(sc);
    int at = funnel_at(sc);
    if (at == METRIC_NONE)
        return;
    if (at == funnel_zoom(sc)) {
        funnel_back(sc); /* the same key goes back */
        return;
    }
    if (m->metric[at].first_child == METRIC_NONE) {
        app_say(sc, "%s has no parts: {explain} explains it", m->metric[at].name);
        return;
    }
    funnel_go(sc, at);
    sc->funnel_zoom = at;
}

bool funnel_back(struct scene *sc) {
    int zoom = funnel_zoom(sc);
    if (zoom == METRIC_NONE)
        return false;
    sc->funnel_zoom = scene_model(sc)->metric[zoom].parent;
    return true;
}

void funnel_want(const struct scene *sc, bool *wanted) {
    struct funnel_band band[FUNNEL_BANDS];
    int member[FUNNEL_BLOCKS], n_band = funnel_bands(sc, band);
    for (int b = 0; b < n_band; b++) {
        const int n = members(sc, &band[b], member);
        for (int i = 0; i < n; i++)
            wanted[member[i]] = true;
    }
}
