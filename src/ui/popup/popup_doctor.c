/* What else decides the numbers: the checks of doctor_page.h. They are made when the popup opens,
 * what changes follows. */
#include "ui/app/actions.h"
#include "ui/app/screen.h"
#include "ui/popup/popup.h"
#include "ui/view/doctor_page.h"

enum { WIDTH = 92 };

static void draw(struct screen *sc, struct canvas *c, struct rect r) {
    int w = WIDTH + 4 < r.w ? WIDTH : r.w - 4;
    struct page measure = page_on(c, (struct rect){0, 0, w, 0}, 0);
    doctor_checks(&sc->scene,
                  &measure); /* lines that it takes: the same page, with no place to be drawn */
    struct page p = popup_begin(sc, c, r, w, measure.line, "Doctor");
    doctor_checks(&sc->scene, &p);
    popup_end(sc, &p);
}

const struct overlay popup_doctor = {.name = "doctor", .draw = draw, .mouse = popup_mouse};

void action_doctor(struct screen *sc) {
    sc->popup = sc->popup == &popup_doctor ? NULL : &popup_doctor;
    list_reset(&sc->text);
    if (sc->popup)
        session_examine(sc->scene.s);
}
