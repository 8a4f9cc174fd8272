/*
 * What is seen and what to look at next, in words, and whose limits say so. One line above the key
 * line, two where there is room: then the second says what to do.
 */
#include "base/str.h"
#include "ui/draw/widget.h"
#include "ui/scene/scene.h"

enum { SOURCE_FROM_W = 100 }; /* lines this long have room for the name of the source */

static void prepare(struct scene *sc, struct rect r) {
    (void)r;
    sentence_follow(sc);
}

/* At the right end, in a place of its own. Returns the columns it leaves. */
static int draw_source(struct canvas *c, struct rect r, const char *source) {
    int w = str_width(source);
    if (r.w < SOURCE_FROM_W || !w || w > r.w / 3)
        return r.w - 2;
    widget_right(c, r, r.x + r.w - w - 1, r.y, w, STYLE_LABEL, source);
    return r.w - w - 4;
}

static void draw(const struct scene *sc, struct canvas *c, struct rect r) {
    char text[512];
    const struct advice_text *t = &sc->sentence.text;
    if (!sc->sentence.made || !sc->frame || scene_is_away(sc))
        return;
    enum advice_part first = r.h >= 2 ? ADVICE_SEEN : ADVICE_BOTH;
    int room = r.h >= 2 ? draw_source(c, r, t->source) : r.w - 2;
    canvas_text(c, r, r.x + 1, r.y, STYLE_ADVICE, advice_fit(t, first, room, text, sizeof(text)));
    if (r.h >= 2)
        canvas_text(c, r, r.x + 1, r.y + 1, STYLE_ADVICE,
                    advice_fit(t, ADVICE_NEXT, r.w - 2, text, sizeof(text)));
}

const struct view pane_advice = {.prepare = prepare, .draw = draw};
