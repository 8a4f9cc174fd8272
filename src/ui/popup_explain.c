/* The selected node explained; it follows the selection and the counts while it is open. */
#include "ui/explain_page.h"
#include "ui/popup.h"
#include "ui/screen.h"

enum { WIDTH = 92 };

/* Lines that the page will take: the same page, with no place to be drawn. */
static int height(struct screen *sc, struct canvas *c, int w, int metric) {
    struct page p = page_on(c, (struct rect){0, 0, w, 0}, 0);
    explain_page(sc, &p, metric);
    return p.line;
}

static void draw(struct screen *sc, struct canvas *c, struct rect r) {
    int metric = screen_selected(sc);
    if (metric == METRIC_NONE)
        return;
    int w = WIDTH + 4 < r.w ? WIDTH : r.w - 4, h = height(sc, c, w, metric);
    struct page p = popup_begin(sc, c, r, w, h, screen_model(sc)->metric[metric].name);
    explain_page(sc, &p, metric);
    popup_end(sc, &p);
}

const struct view_ops popup_explain = {.name = "explain", .draw = draw, .mouse = popup_mouse};
