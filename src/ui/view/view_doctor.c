/*
 * The doctor as a whole view: what the machine does to the numbers, with effect, remedy and what
 * works without it; what tdtop itself costs; which model is used, and what it cannot see. The
 * machine is examined when the view is entered. On wide screens the checks stand on the left.
 */
#include "base/str.h"
#include "ui/draw/widget.h"
#include "ui/scene/scene.h"
#include "ui/view/doctor_page.h"

#include <stdio.h>
#include <string.h>

static struct doctor_state *doctor_of(const struct scene *sc) {
    return sc->state;
}

static struct list *text_of(struct scene *sc) {
    doctor_of(sc)->text.text = true;
    return &doctor_of(sc)->text;
}

enum { TWO_FROM_W = 110, LEFT_PERCENT = 56, LINE_MAX_W = 100 };

static void put_rest(const struct scene *sc, struct page *p) {
    doctor_cost(sc, p);
    doctor_model(sc, p);
    doctor_limits(sc, p);
    doctor_models(sc, p);
}

/* "3 warnings, 12 ok", and how many lines there are above and below. */
static void draw_heading(const struct scene *sc, struct canvas *c, struct rect r) {
    char text[160], more[48];
    const int w = str_width(list_more(&doctor_of(sc)->text, more, sizeof(more)));
    doctor_summary(sc, text, sizeof(text));
    widget_text(c, r, r.x + 1, r.y, r.w - w - 2, STYLE_LABEL, text);
    widget_right(c, r, r.x, r.y, r.w - 1, STYLE_LABEL, more);
}

static int max(int a, int b) {
    return a > b ? a : b;
}

/* Both halves are one page: they scroll together. Returns its lines. */
static int put_pages(const struct scene *sc, struct canvas *c, struct rect r) {
    struct rect left = {r.x + 1, r.y, r.w - 2, r.h};
    if (r.w < TWO_FROM_W) {
        if (left.w > LINE_MAX_W)
            left.w = LINE_MAX_W;
        struct page p = page_on(c, left, doctor_of(sc)->text.top);
        doctor_checks(sc, &p);
        put_rest(sc, &p);
        return p.line;
    }
    left.w = r.w * LEFT_PERCENT / 100 - 2;
    struct rect right = {left.x + left.w + 3, r.y, r.w - left.w - 5, r.h};
    for (int y = 0; y < r.h; y++)
        canvas_put(c, r, right.x - 2, r.y + y, STYLE_BORDER, 0x2502);
    struct page a = page_on(c, left, doctor_of(sc)->text.top),
                b = page_on(c, right, doctor_of(sc)->text.top);
    doctor_checks(sc, &a);
    put_rest(sc, &b);
    return max(a.line, b.line);
}

static struct rect body_of(struct rect r) {
    const int heading = r.h >= 3 ? 1 : 0;
    return (struct rect){r.x, r.y + heading, r.w, r.h - heading};
}

static void draw(const struct scene *sc, struct canvas *c, struct rect r) {
    const struct rect body = body_of(r), nowhere = {r.x, r.y, r.w, 0};
    doctor_of(sc)->text.n = put_pages(sc, c, nowhere); /* its lines, drawn nowhere */
    list_fit(&doctor_of(sc)->text, body.h);
    put_pages(sc, c, body);
    if (body.h < r.h)
        draw_heading(sc, c, (struct rect){r.x, r.y, r.w, 1});
}

static void prepare(struct scene *sc, struct rect r) {
    text_of(sc)->lines = body_of(r).h;
    cost_look(&sc->cost);
}

static void enter(struct scene *sc) {
    list_reset(text_of(sc));
    cost_note(&sc->cost, sc->s->n_frames);
    if (sc->s->source.live)
        session_examine(sc->s);
    else
        session_examine_machine(sc->s);
}

static void mouse(struct scene *sc, struct rect r, const struct mouse *m) {
    list_mouse(text_of(sc), r, m);
}

const struct view view_doctor = {
    .id = "doctor",
    .name = "Doctor",
    .digit = '9',
    .context = IN_DOCTOR,
    .layout = LAYOUT_MAIN,
    .about = "What else decides the numbers: the machine, tdtop itself, the model. Looked at "
             "anew whenever the view is entered.",
    .state_size = sizeof(struct doctor_state),
    .prepare = prepare,
    .draw = draw,
    .mouse = mouse,
    .enter = enter,
    .list = text_of};
