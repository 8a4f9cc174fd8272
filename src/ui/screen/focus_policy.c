#include "ui/screen/focus_policy.h"

#include "base/clock.h"
#include "ui/draw/split.h"
#include "ui/screen/screen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The path must end elsewhere for so long before the tree follows; deeper is followed at once. */
#define HOLD_NS (2 * NS_PER_S)
/* What the path has left stays open and counted for so long. */
#define LEAVE_NS (10 * NS_PER_S)

static const char *const means[] = {
    [FOCUS_AUTO] = "what is open, and the bottleneck path as it moves",
    [FOCUS_OPEN] = "what is open on the screen",
    [FOCUS_OFF] = "everything is counted, in turn",
};
enum { MODES = sizeof(means) / sizeof(means[0]) };

int focus_policy_init(struct focus_policy *a, const struct model *m) {
    focus_policy_destroy(a);
    a->wanted = calloc(m->n_metric + 1u, sizeof(*a->wanted));
    a->on_ns = calloc(m->n_tree + 1u, sizeof(*a->on_ns));
    if (a->wanted && a->on_ns)
        return 0;
    focus_policy_destroy(a);
    return -ENOMEM;
}

void focus_policy_destroy(struct focus_policy *a) {
    free(a->wanted);
    free(a->on_ns);
    *a = (struct focus_policy){.end = METRIC_NONE, .followed = METRIC_NONE};
}

bool focus_policy_follows(const struct screen *sc) {
    return sc->scene.focus != FOCUS_OPEN && !sc->opened;
}

/* ---- the tree follows the path ---- */

static bool was_on_path(const struct focus_policy *a, int node, uint64_t now_ns) {
    return a->on_ns[node] && now_ns - a->on_ns[node] < LEAVE_NS;
}

static void note_path(struct focus_policy *a, const struct frame *f) {
    const struct bottleneck *b = &f->bottleneck;
    for (int i = 0; i < b->n; i++)
        a->on_ns[b->at[i]] = f->t1_ns;
    int end = b->n > 0 ? b->at[b->n - 1] : METRIC_NONE;
    if (end != a->end)
        a->end_ns = f->t1_ns;
    a->end = end;
}

/* Opens what leads to the end of the path, and the end where two of its children tie. */
static void open_path(struct screen *sc, const struct bottleneck *b) {
    if (b->n > 1)
        outline_path_open(&sc->scene.tree, b->at[b->n - 2]);
    if (b->tie[0] != METRIC_NONE &&
        scene_model(&sc->scene)->metric[b->tie[0]].parent == b->at[b->n - 1])
        outline_path_open(&sc->scene.tree, b->at[b->n - 1]);
}

/* Not while the selection is there: what the user looks at does not vanish. */
static void close_left(struct screen *sc, uint64_t now_ns) {
    struct focus_policy *a = &sc->focus_policy;
    for (int i = 0; i < (int)scene_model(&sc->scene)->n_tree; i++) {
        if (!outline_path_opened(&sc->scene.tree, i) || was_on_path(a, i, now_ns))
            continue;
        if (outline_is_below(&sc->scene.tree, scene_selected(&sc->scene), i))
            a->on_ns[i] = now_ns;
        else
            outline_path_close(&sc->scene.tree, i);
    }
}

/* In focus open the rows stay as they are, but nothing is said of the bottleneck of before: what
 * explains and plots the selected node follows until the user chooses one. */
static void select_end(struct screen *sc) {
    int end = sc->focus_policy.end;
    if (end == METRIC_NONE || sc->scene.touched || sc->popup || sc->opened ||
        scene_selected(&sc->scene) == end)
        return;
    outline_show(&sc->scene.tree, end);
}

void focus_policy_frame(struct screen *sc) {
    struct focus_policy *a = &sc->focus_policy;
    const struct frame *f = sc->scene.frame;
    note_path(a, f);
    bool first = a->followed == METRIC_NONE, steady = f->t1_ns - a->end_ns >= HOLD_NS;
    if (!focus_policy_follows(sc)) {
        if (steady)
            select_end(sc);
        return;
    }
    bool deeper = !first && outline_is_below(&sc->scene.tree, a->end, a->followed);
    if (a->end != METRIC_NONE && (first || deeper || steady)) {
        a->followed = a->end;
        open_path(sc, &f->bottleneck);
        if (!sc->scene.touched && !sc->popup) /* or what is being read changes under the eye */
            outline_show(&sc->scene.tree, a->end);
    }
    close_left(sc, f->t1_ns);
}

/* ---- what is wanted ---- */

static void want_children(const struct screen *sc, int parent, bool *wanted) {
    const struct metric *mt = scene_model(&sc->scene)->metric;
    for (int i = mt[parent].first_child; i != METRIC_NONE; i = mt[i].next_sibling)
        wanted[i] = true;
}

/* What is to be seen, and a screenful on both sides of it: scrolling finds it counted. */
static void want_rows(const struct screen *sc, bool *wanted) {
    const struct outline *o = &sc->scene.tree;
    int h = sc->panes[LAYOUT_TREE].at[PANE_TREE].h;
    if (sc->popup && sc->popup->want)
        sc->popup->want(sc, wanted);
    for (int i = o->list.top - h; i < o->list.top + 2 * h; i++)
        if (i >= 0 && i < o->list.n && outline_at(o, i) != METRIC_NONE) {
            wanted[outline_at(o, i)] = true;
            if (outline_fold(o, i) != METRIC_NONE)
                want_children(sc, outline_at(o, i), wanted);
        }
    if (scene_selected(&sc->scene) != METRIC_NONE)
        wanted[scene_selected(&sc->scene)] = true;
}

static void want_split(const struct screen *sc, bool *wanted) {
    struct split sp;
    if (!sc->scene.split || !split_find(scene_model(&sc->scene), &sp))
        return;
    wanted[sp.kernel] = true;
    if (sp.user != METRIC_NONE)
        wanted[sp.user] = true;
}

/* The path of the last seconds, each node with its children. */
static void want_path(const struct screen *sc, bool *wanted) {
    const struct focus_policy *a = &sc->focus_policy;
    uint64_t now_ns = scene_newest_ns(&sc->scene);
    for (int i = 0; i < (int)scene_model(&sc->scene)->n_tree; i++)
        if (was_on_path(a, i, now_ns)) {
            const struct bottleneck one = {.at = {(int16_t)i}, .n = 1};
            session_want_path(sc->scene.s, &one, wanted);
        }
}

void focus_policy_tell(struct screen *sc) {
    struct focus_policy *a = &sc->focus_policy;
    if (!a->wanted || !session_can_focus(sc->scene.s) || a->asked == sc->scene.s->n_frames + 1)
        return;
    memset(a->wanted, 0, scene_model(&sc->scene)->n_metric * sizeof(*a->wanted));
    want_rows(sc, a->wanted);
    want_split(sc, a->wanted);
    if (sc->scene.view->want)
        sc->scene.view->want(screen_scene(sc, sc->scene.view), a->wanted);
    if (sc->scene.focus == FOCUS_AUTO)
        want_path(sc, a->wanted);
    if (session_focus(sc->scene.s, sc->scene.focus == FOCUS_OFF ? NULL : a->wanted))
        a->asked = sc->scene.s->n_frames + 1;
}

void focus_policy_cycle(struct screen *sc) {
    struct focus_policy *a = &sc->focus_policy;
    if (!sc->scene.connected)
        return;
    if (!session_can_focus(sc->scene.s)) {
        screen_say(sc, "focus: this source always gives all that it has");
        return;
    }
    sc->scene.focus = (enum focus_mode)((sc->scene.focus + 1) % MODES);
    a->asked = 0; /* a key is answered at once */
    screen_say(sc, "focus %s: %s", scene_focus_word(sc->scene.focus), means[sc->scene.focus]);
}
