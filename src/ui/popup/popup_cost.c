/* What tdtop itself costs; refreshed with every frame while it is open. */
#include "ui/popup/popup.h"
#include "ui/screen/screen.h"
#include "ui/view/doctor_page.h"

enum { WIDTH = 62 };

static void fill(struct screen *sc, struct page *p) {
    doctor_cost_lines(&sc->scene, p);
}

static void draw(struct screen *sc, struct canvas *c, struct rect r) {
    cost_look(&sc->scene.cost);
    popup_page(sc, c, r, WIDTH, "What tdtop costs", fill);
}

const struct overlay popup_cost = {.name = "cost", .draw = draw, .mouse = popup_mouse};
