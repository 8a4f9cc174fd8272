#include "ui/view/moves.h"

#include "base/str.h"
#include "ui/draw/words.h"

#include <math.h>
#include <stdio.h>

static const double least = 0.02, part = 0.8;

/* In points of a share; 0: nothing that is sure, or not a share of slots. */
static double change_of(const struct model *m, const struct frame *then, const struct frame *now,
                        int metric) {
    const struct value *a = &then->at[metric], *b = &now->at[metric];
    const struct metric *mt = &m->metric[metric];
    if (!mt->share || metric_share_of(m, mt) || isnan(a->v) || isnan(b->v))
        return 0;
    const double d = b->v - a->v, a_err = isnan(a->err) ? 0 : a->err,
                 b_err = isnan(b->err) ? 0 : b->err;
    return fabs(d) < fmax(least, hypot(a_err, b_err)) ? 0 : d;
}

/* Where most of the change of a node comes from: itself, or the deepest one below it. */
static struct move deepest(const struct model *m, const struct frame *then, const struct frame *now,
                           int metric) {
    struct move mv = {metric, change_of(m, then, now, metric)};
    for (int i = m->metric[metric].first_child; i != METRIC_NONE;) {
        const double d = change_of(m, then, now, i);
        if (d * mv.points > 0 && fabs(d) >= part * fabs(mv.points)) {
            mv = (struct move){i, d};
            i = m->metric[i].first_child;
        } else {
            i = m->metric[i].next_sibling;
        }
    }
    return mv;
}

static void insert(struct move out[MOVES], int *n, struct move mv) {
    int at = *n;
    while (at > 0 && fabs(out[at - 1].points) < fabs(mv.points))
        at--;
    if (at == MOVES)
        return;
    *n += *n < MOVES;
    for (int i = *n - 1; i > at; i--)
        out[i] = out[i - 1];
    out[at] = mv;
}

int moves_find(const struct model *m, const struct frame *then, const struct frame *now,
               struct move out[MOVES]) {
    int n = 0;
    for (int i = 0; i < (int)m->n_tree; i++) {
        if (m->metric[i].parent != METRIC_NONE || change_of(m, then, now, i) == 0)
            continue;
        insert(out, &n, deepest(m, then, now, i));
    }
    return n;
}

void moves_draw(const struct scene *sc, struct canvas *c, struct rect r) {
    const struct frame *then = sentence_minute_ago(sc);
    struct move mv[MOVES];
    if (!then || sc->stored || sc->over)
        return;
    const int n = moves_find(scene_model(sc), then, sc->frame, mv);
    int x = r.x;
    for (int i = 0; i < n; i++) {
        char text[80];
        const bool less = mv[i].points < 0;
        snprintf(text, sizeof(text), "%s%s ", i ? " " : " in the last minute  ",
                 words_name(&scene_model(sc)->metric[mv[i].metric]));
        char points[16];
        snprintf(points, sizeof(points), "%+.0f ", mv[i].points * 100);
        if (x + str_width(text) + str_width(points) > r.x + r.w)
            return;
        x += canvas_text(c, r, x, r.y, STYLE_LABEL, text);
        x += canvas_text(c, r, x, r.y, less ? STYLE_DOWN_FADED : STYLE_UP_FADED, points);
    }
}
