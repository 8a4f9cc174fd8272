/* On wide screens the selected node is explained beside the tree, without a key. */
#include "ui/draw/widget.h"
#include "ui/draw/words.h"
#include "ui/scene/scene.h"
#include "ui/view/explain_page.h"

#include <stdio.h>

static void prepare(struct scene *sc, struct rect r) {
    (void)r;
    explain_page_read(sc, scene_selected(sc));
}

static void draw(const struct scene *sc, struct canvas *c, struct rect r) {
    for (int y = 0; y < r.h; y++)
        canvas_put(c, r, r.x, r.y + y, STYLE_BORDER, 0x2502);
    int metric = scene_selected(sc);
    if (metric == METRIC_NONE)
        return;
    const struct model *m = scene_model(sc);
    struct rect inner = {r.x + 2, r.y + 1, r.w - 3, r.h - 1};
    widget_text(c, r, inner.x, r.y, inner.w, words_hue(m, metric), m->metric[metric].name);
    struct page p = page_on(c, inner, 0);
    explain_page(sc, &p, metric);
    char text[32];
    if (p.line <= inner.h)
        return;
    snprintf(text, sizeof(text), " %d more: e ", p.line - inner.h + 1);
    canvas_fill(c, (struct rect){inner.x, r.y + r.h - 1, inner.w, 1}, STYLE_TEXT, ' ');
    widget_right(c, inner, inner.x, r.y + r.h - 1, inner.w, STYLE_LABEL, text);
}

const struct view pane_side = {.prepare = prepare, .draw = draw};
