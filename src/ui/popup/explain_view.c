#include "ui/popup/explain_view.h"

#include "ui/app/actions.h"
#include "ui/app/screen.h"

void explain_open(struct screen *sc, const struct overlay *popup, int metric) {
    links_begin(&sc->links, metric);
    sc->page_find = (struct search){.from = 0};
    sc->popup = popup;
    list_reset(&sc->text);
}

int explain_metric(const struct screen *sc) {
    return sc->links.metric;
}

/* The same key closes it; from one of the two to the other it stays with the metric. */
static void open_or_close(struct screen *sc, const struct overlay *popup,
                          const struct overlay *other) {
    if (sc->popup == popup) {
        sc->popup = NULL;
    } else if (sc->popup == other) {
        sc->popup = popup;
        list_reset(&sc->text);
        sc->links.chosen = -1;
    } else if (scene_selected(&sc->scene) != METRIC_NONE) {
        explain_open(sc, popup, scene_selected(&sc->scene));
    } else {
        screen_say(sc, "no node is selected: {down} goes to one");
    }
}

void action_explain(struct screen *sc) {
    open_or_close(sc, &popup_explain, &popup_value);
}

void action_value(struct screen *sc) {
    open_or_close(sc, &popup_value, &popup_explain);
}

void action_find_next(struct screen *sc) {
    struct search *find = &sc->page_find;
    if (!find->text[0]) {
        screen_say(sc, "nothing to search for yet: press {search} first");
        return;
    }
    find->from++;
    find->seek = true;
}

void action_link(struct screen *sc, int by) {
    sc->text.top = links_step(&sc->links, by, sc->text.top, sc->links.r.h);
    if (sc->links.n == 0)
        screen_say(sc, "no other metric is named here");
}

void action_link_follow(struct screen *sc) {
    int to = links_chosen(&sc->links);
    if (to == METRIC_NONE) {
        action_popup_close(sc);
        return;
    }
    links_follow(&sc->links, to, sc->text.top);
    sc->text.top = 0;
}

void action_link_back(struct screen *sc) {
    int scroll = links_return(&sc->links);
    if (scroll >= 0)
        sc->text.top = scroll;
    else
        screen_say(sc, "this is where it began: {close} closes");
}
