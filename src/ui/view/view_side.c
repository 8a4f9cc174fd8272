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
    int metric = scene_selected(sc);
    if (metric == METRIC_NONE)
        return;
    const struct model *m = scene_model(sc);
    const struct rect inner = {r.x + 1, r.y + 1, r.w - 2, r.h - 1};
    char text[96];
    snprintf(text, sizeof(text), " %s ", m->metric[metric].name);
    widget_text(c, r, r.x, r.y, r.w, words_hue(m, metric), text);
    struct page p = page_on(c, inner, 0);
    explain_page(sc, &p, metric);
    if (p.line <= inner.h)
        return;
    snprintf(text, sizeof(text), " %d more: e ", p.line - inner.h + 1);
    canvas_fill(c, (struct rect){inner.x, r.y + r.h - 1, inner.w, 1}, STYLE_TEXT, ' ');
    widget_right(c, inner, inner.x, r.y + r.h - 1, inner.w, STYLE_LABEL, text);
}

const struct view pane_side = {.prepare = prepare, .draw = draw};
