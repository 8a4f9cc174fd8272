#include "ui/view/metrics_view.h"

#include "ui/scene/app.h"
#include "ui/scene/scene.h"

static void make(struct scene *sc) {
    metrics_make(metrics_of(sc), sc->frame);
}

void metrics_enter(struct scene *sc) {
    struct metrics *mt = metrics_of(sc);
    if (!mt->model && metrics_init(mt, scene_model(sc), &sc->explain) < 0) {
        app_say(sc, "no memory for the list of metrics: close other programs");
        return;
    }
    if (mt->list.lines == 0) /* not drawn yet: what will be seen is asked for all the same */
        mt->list.lines = sc->h;
    make(sc);
    metrics_begin(mt, sc->frame);
}

struct list *metrics_list(struct scene *sc) {
    return &metrics_of(sc)->list;
}

struct search *metrics_search(struct scene *sc) {
    return &metrics_of(sc)->filter;
}

void metrics_look(struct scene *sc) {
    struct metrics *mt = metrics_of(sc);
    if (!mt->model)
        return;
    make(sc);
    mt->filter.missing = mt->filter.text[0] && mt->n_hit == 0;
    if (!mt->filter.text[0])
        return;
    int first = 0;
    while (first < mt->list.n - 1 && mt->row[first].metric == METRIC_NONE)
        first++;
    list_select(&mt->list, first);
}

/* --- keys --- */

static bool is_made(const struct scene *sc) {
    return metrics_of(sc)->model && metrics_of(sc)->list.n > 0;
}

void action_metrics_enter(struct scene *sc) {
    if (!is_made(sc))
        return;
    if (metrics_toggle(metrics_of(sc)))
        make(sc);
    else
        action_metrics_explain(sc);
}

void action_metrics_explain(struct scene *sc) {
    if (metrics_metric(metrics_of(sc)) != METRIC_NONE)
        app_explain(sc, metrics_metric(metrics_of(sc)));
    else
        app_say(sc, "{explain} explains a metric: this is a group");
}

void action_metrics_value(struct scene *sc) {
    if (metrics_metric(metrics_of(sc)) != METRIC_NONE)
        app_value(sc, metrics_metric(metrics_of(sc)));
    else
        app_say(sc, "{value} shows a value: this is a group");
}

void action_metrics_fold(struct scene *sc, int open) {
    if (!is_made(sc))
        return;
    metrics_fold(metrics_of(sc), open);
    make(sc);
}

void action_metrics_all(struct scene *sc) {
    if (!is_made(sc))
        return;
    metrics_toggle_all(metrics_of(sc));
    make(sc);
}

void action_metrics_order(struct scene *sc, int by) {
    struct metrics *mt = metrics_of(sc);
    if (!mt->model)
        return;
    mt->order = (enum metrics_order)(((int)mt->order + by + METRICS_ORDERS) % METRICS_ORDERS);
    mt->inverted = false;
    make(sc);
    app_say(sc, "by %s", metrics_order_word(mt->order));
}

void action_metrics_invert(struct scene *sc) {
    if (!metrics_of(sc)->model)
        return;
    if (metrics_of(sc)->order == METRICS_BY_GROUP) {
        app_say(sc, "groups keep the order of the model: > sorts");
        return;
    }
    metrics_of(sc)->inverted = !metrics_of(sc)->inverted;
    make(sc);
}

void action_metrics_tree(struct scene *sc) {
    if (!metrics_of(sc)->model)
        return;
    metrics_of(sc)->tree = !metrics_of(sc)->tree;
    make(sc);
    app_say(sc,
            metrics_of(sc)->tree ? "with the nodes of the tree" : "without the nodes of the tree");
}
