#include "ui/popup/popup.h"

#include "ui/draw/widget.h"
#include "ui/screen/screen.h"

#include <stdio.h>

/* On the smallest screens every line is for the text. */
static bool is_framed(struct rect r) {
    return r.h >= 8;
}

static struct rect box_in(struct rect r, int w, int h) {
    struct rect box = {0, 0, w + 4 < r.w ? w + 4 : r.w, h + 2 < r.h ? h + 2 : r.h};
    box.x = r.x + (r.w - box.w) / 2;
    box.y = r.y + (r.h - box.h) / 2;
    return box;
}

struct rect popup_inner(struct rect r, int w, int h) {
    const struct rect box = box_in(r, w, h);
    if (!is_framed(r))
        return (struct rect){box.x + 1, box.y, box.w - 2, box.h};
    return (struct rect){box.x + 2, box.y + 1, box.w - 4, box.h - 2};
}

struct page popup_begin(struct screen *sc, struct canvas *c, struct rect r, int w, int h,
                        const char *title) {
    const struct rect box = box_in(r, w, h);
    struct page p = page_on(c, popup_inner(r, w, h), sc->text.top);
    char text[128];
    enum { STRIPS_W = 40 }; /* half words on both sides of a page from top to bottom say nothing */
    if (box.h == r.h && r.w - box.w < STRIPS_W)
        canvas_fill(c, r, STYLE_TEXT, ' ');
    canvas_fill(c, box, STYLE_POPUP, ' ');
    p.framed = is_framed(r);
    if (!p.framed)
        return p;
    widget_box(c, box);
    snprintf(text, sizeof(text), " %s ", title);
    widget_text(c, box, box.x + 2, box.y, box.w - 4, STYLE_POPUP_TITLE, text);
    return p;
}

void popup_end(struct screen *sc, const struct page *p) {
    sc->text.n = p->line;
    list_fit(&sc->text, p->r.h);
    int below = p->line - sc->text.top - p->r.h;
    if ((below <= 0 && sc->text.top == 0) || !p->framed)
        return;
    char text[48];
    struct rect edge = {p->r.x, p->r.y + p->r.h, p->r.w, 1};
    if (below > 0)
        snprintf(text, sizeof(text), " %d more ↓ ", below);
    else
        snprintf(text, sizeof(text), " end ");
    widget_right(p->c, edge, edge.x, edge.y, edge.w, STYLE_LABEL, text);
}

void popup_page(struct screen *sc, struct canvas *c, struct rect r, int w, const char *title,
                void (*fill)(struct screen *sc, struct page *p)) {
    struct page measure = page_on(c, (struct rect){0, 0, popup_inner(r, w, 1).w, 0}, 0);
    fill(sc, &measure);
    struct page p = popup_begin(sc, c, r, w, measure.line, title);
    fill(sc, &p);
    popup_end(sc, &p);
}

void popup_mouse(struct screen *sc, struct rect r, const struct mouse *m) {
    list_mouse(&sc->text, r, m);
}
