#include "ui/view/metrics_view.h"

#include "ui/app/focus_policy.h"
#include "ui/app/screen.h"
#include "ui/popup/explain_view.h"

static void make(struct screen *sc) {
    metrics_make(&sc->metrics, sc->frame);
}

void metrics_enter(struct screen *sc) {
    struct metrics *mt = &sc->metrics;
    if (!mt->model && metrics_init(mt, screen_model(sc), &sc->explain) < 0) {
        screen_say(sc, "no memory for the list of metrics: close other programs");
        return;
    }
    if (mt->page == 0) /* not drawn yet: what will be seen is asked for all the same */
        mt->page = sc->canvas.h;
    make(sc);
}

void metrics_go_by(struct screen *sc, int rows) {
    metrics_move(&sc->metrics, rows);
}

void metrics_end(struct screen *sc, bool last) {
    metrics_select(&sc->metrics, last ? sc->metrics.n_row - 1 : 0);
}

int metrics_page(const struct screen *sc) {
    return sc->metrics.page;
}

void metrics_look(struct screen *sc) {
    struct metrics *mt = &sc->metrics;
    if (!mt->model)
        return;
    make(sc);
    mt->filter.missing = mt->filter.text[0] && mt->n_hit == 0;
    if (!mt->filter.text[0])
        return;
    int first = 0;
    while (first < mt->n_row - 1 && mt->row[first].metric == METRIC_NONE)
        first++;
    metrics_select(mt, first);
}

/* --- keys --- */

static bool is_made(const struct screen *sc) {
    return sc->metrics.model && sc->metrics.selected >= 0;
}

void action_metrics_enter(struct screen *sc) {
    if (!is_made(sc))
        return;
    if (metrics_toggle(&sc->metrics))
        make(sc);
    else
        action_metrics_explain(sc);
}

void action_metrics_explain(struct screen *sc) {
    if (metrics_metric(&sc->metrics) != METRIC_NONE)
        explain_open(sc, &popup_explain, metrics_metric(&sc->metrics));
    else
        screen_say(sc, "{explain} explains a metric: this is a group");
}

void action_metrics_value(struct screen *sc) {
    if (metrics_metric(&sc->metrics) != METRIC_NONE)
        explain_open(sc, &popup_value, metrics_metric(&sc->metrics));
    else
        screen_say(sc, "{value} shows a value: this is a group");
}

void action_metrics_fold(struct screen *sc, int open) {
    if (!is_made(sc))
        return;
    metrics_fold(&sc->metrics, open);
    make(sc);
}

void action_metrics_all(struct screen *sc) {
    if (!is_made(sc))
        return;
    metrics_toggle_all(&sc->metrics);
    make(sc);
}

void action_metrics_order(struct screen *sc, int by) {
    struct metrics *mt = &sc->metrics;
    if (!mt->model)
        return;
    mt->order = (enum metrics_order)(((int)mt->order + by + METRICS_ORDERS) % METRICS_ORDERS);
    mt->inverted = false;
    make(sc);
    screen_say(sc, "by %s", metrics_order_word(mt->order));
}

void action_metrics_invert(struct screen *sc) {
    if (!sc->metrics.model)
        return;
    if (sc->metrics.order == METRICS_BY_GROUP) {
        screen_say(sc, "groups keep the order of the model: > sorts");
        return;
    }
    sc->metrics.inverted = !sc->metrics.inverted;
    make(sc);
}

void action_metrics_tree(struct screen *sc) {
    if (!sc->metrics.model)
        return;
    sc->metrics.tree = !sc->metrics.tree;
    make(sc);
    screen_say(sc, sc->metrics.tree ? "with the nodes of the tree" : "beside the tree only");
}
