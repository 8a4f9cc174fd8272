/* What tdtop itself costs; refreshed with every frame while it is open. */
#include "ui/app/screen.h"
#include "ui/popup/popup.h"
#include "ui/view/doctor_page.h"

enum { WIDTH = 62 };

static void draw(struct screen *sc, struct canvas *c, struct rect r) {
    cost_look(&sc->scene.cost);
    struct page all = page_on(c, (struct rect){0, 0, WIDTH + 4 < r.w ? WIDTH : r.w - 4, 0}, 0);
    doctor_cost_lines(&sc->scene, &all);
    struct page p = popup_begin(sc, c, r, WIDTH, all.line, "What tdtop costs");
    doctor_cost_lines(&sc->scene, &p);
    popup_end(sc, &p);
}

const struct overlay popup_cost = {.name = "cost", .draw = draw, .mouse = popup_mouse};
