#include "ui/runs/runs_view.h"

#include "base/clock.h"
#include "ui/app/screen.h"
#include "ui/draw/words.h"
#include "ui/runs/runs_open.h"

#define LOOK_NS NS_PER_S /* another process's runs are seen this soon */

void runs_view_init(struct runs_view *rv, const char *path) {
    *rv = (struct runs_view){0};
    runs_init(&rv->list, path);
}

void runs_view_destroy(struct runs_view *rv) {
    runs_open_free(rv->open);
    runs_trend_free(&rv->trend);
    runs_undo_free(&rv->undo);
    run_free(&rv->about);
    runs_mark_free(&rv->asked_of);
    runs_destroy(&rv->list);
    *rv = (struct runs_view){0};
}

bool runs_shown(const struct screen *sc) {
    return sc->runs && sc->runs->mode != RUNS_HIDDEN && !sc->opened &&
           sc->scene.view != &view_bench;
}

bool runs_alone(const struct screen *sc) {
    return sc->runs && sc->runs->alone && !sc->opened;
}

struct screen *runs_top(struct screen *sc) {
    return sc->runs && sc->runs->open ? &sc->runs->open->sc : sc;
}

void runs_key(struct screen *sc, uint32_t key, const struct mouse *m) {
    struct runs_view *rv = sc->runs;
    screen_key(runs_top(sc), key, m);
    if (!rv || !rv->closing)
        return;
    rv->closing = false;
    runs_open_free(rv->open);
    rv->open = NULL;
    sc->repaint = true;
}

int runs_resize(struct screen *sc, int w, int h) {
    int rc = screen_resize(sc, w, h);
    if (rc == 0 && runs_top(sc) != sc)
        rc = screen_resize(runs_top(sc), w, h);
    return rc;
}

uint64_t runs_due_ns(const struct runs_view *rv) {
    return rv->mode == RUNS_LIST && !rv->open ? rv->looked_ns + LOOK_NS : 0;
}

bool runs_tick(struct runs_view *rv, uint64_t now_ns) {
    const uint64_t due_ns = runs_due_ns(rv);
    if (!due_ns || now_ns < due_ns)
        return false;
    rv->looked_ns = now_ns;
    return runs_look(&rv->list);
}

const char *runs_value(const struct runs *r, double v, char *buf, size_t cap) {
    const struct metric mt = {.name = r->metric, .share = r->share, .unit = r->unit};
    return words_value(buf, cap, &mt, v);
}
