#include "ui/screen/views.h"

#include "ui/runs/runs_keys.h"
#include "ui/runs/runs_view.h"

#include <string.h>

static bool runs_are_offered(const struct scene *sc) {
    const struct screen *screen = screen_of(sc);
    return screen->runs && !screen->opened;
}

static void runs_go(struct scene *sc) {
    struct screen *screen = screen_of(sc);
    if (!runs_shown(screen))
        runs_key_show(screen);
}

const struct view view_runs = {
    .id = "runs",
    .name = "Runs",
    .digit = '7',
    .context = IN_RUNS,
    .layout = LAYOUT_MAIN,
    .about = "Runs that were stored: mark two and compare them, or open one again.",
    .is_offered = runs_are_offered,
    .go = runs_go};

const struct view *const views[] = {
    &view_tree,    &view_funnel, &view_history, &view_threads, &view_cpus,
    &view_metrics, &view_runs,   &view_bench,   &view_doctor,
};
enum { N_VIEWS = sizeof(views) / sizeof(views[0]) };
const int n_views = N_VIEWS;

const struct view *views_find(const char *id) {
    for (int i = 0; i < N_VIEWS; i++)
        if (strcmp(views[i]->id, id) == 0)
            return views[i];
    return NULL;
}

const struct view *views_current(const struct screen *sc) {
    return runs_shown(sc) ? &view_runs : sc->scene.view;
}

enum view_layout views_layout(struct screen *sc, const struct view *v) {
    const bool wide = v->layout == LAYOUT_LIST && v->is_wide && v->is_wide(screen_scene(sc, v));
    return wide ? LAYOUT_ROWS : v->layout;
}

bool views_can_begin(const struct view *v) {
    return v != &view_runs && v != &view_bench;
}

bool views_is_offered(struct screen *sc, const struct view *v) {
    return v->is_offered ? v->is_offered(screen_scene(sc, v)) : !runs_alone(sc);
}

/* The stored runs give way to what was asked for; a stored run that is open has none above it. */
static void leave_runs(struct screen *sc) {
    if (sc->runs && !sc->runs->alone && !sc->opened)
        sc->runs->mode = RUNS_HIDDEN;
}

void views_go(struct screen *sc, const struct view *v) {
    bool offered = views_is_offered(sc, v);
    if (v != &view_runs && offered)
        leave_runs(sc);
    if (v->go)
        v->go(screen_scene(sc, v));
    else if (offered)
        screen_view(sc, v);
    else
        screen_say(sc, "nothing is measured here: there are only stored runs");
}

void views_turn(struct screen *sc, int by) {
    int at = 0; /* one without a digit is reached from the tree */
    for (int i = 0; i < N_VIEWS; i++)
        if (views[i] == views_current(sc))
            at = i;
    for (int i = 1; i < N_VIEWS; i++) {
        const struct view *v = views[(at + N_VIEWS + by * i) % N_VIEWS];
        if (views_is_offered(sc, v)) {
            views_go(sc, v);
            return;
        }
    }
}
