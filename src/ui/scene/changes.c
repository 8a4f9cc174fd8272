#include "ui/scene/changes.h"

#include "ui/scene/scene.h"

#include <errno.h>
#include <stdlib.h>

int changes_init(struct changes *ch, const struct model *m) {
    changes_destroy(ch);
    ch->at = calloc(m->n_metric ? m->n_metric : 1, sizeof(*ch->at));
    return ch->at ? 0 : -ENOMEM;
}

void changes_destroy(struct changes *ch) {
    free(ch->at);
    *ch = (struct changes){0};
}

void changes_frame(struct scene *sc) {
    const struct frame *f = sc->newest;
    if (!sc->changes.at || !f || sc->stored) /* a stored run stands still */
        return;
    for (uint32_t i = 0; i < f->n_metric; i++) {
        struct fade *fade = &sc->changes.at[i];
        const struct value *v = &f->at[i];
        fade_push(fade, f->t1_ns, v->v, v->err, fade_least(fade, scene_model(sc)->metric[i].share));
    }
}

struct fade_mark changes_mark(const struct scene *sc, int metric) {
    if (!sc->changes.at || !sc->frame || sc->frame != sc->newest || sc->over || sc->frame->idle)
        return (struct fade_mark){0, 0};
    return fade_at(&sc->changes.at[metric], sc->newest->t1_ns);
}

void changes_draw(const struct scene *sc, struct canvas *c, struct rect clip, int x, int y,
                  int metric, enum style ground) {
    struct fade_mark m = changes_mark(sc, metric);
    if (m.step > 0)
        canvas_put(c, clip, x, y, ground == STYLE_TEXT ? fade_style(m) : ground, fade_glyph(m));
}
