/* What else decides the numbers: the checks of doctor_page.h. They are made when the popup opens,
 * what changes follows. */
#include "ui/popup/popup.h"
#include "ui/screen/screen.h"
#include "ui/view/doctor_page.h"

enum { WIDTH = 92 };

static void fill(struct screen *sc, struct page *p) {
    doctor_checks(&sc->scene, p);
}

static void draw(struct screen *sc, struct canvas *c, struct rect r) {
    popup_page(sc, c, r, WIDTH, "Doctor", fill);
}

const struct overlay popup_doctor = {.name = "doctor", .draw = draw, .mouse = popup_mouse};
