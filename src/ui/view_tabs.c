/*
 * The line of names: every view with its digit, the one that is shown between brackets, so that it
 * is told without colour, too. Where the line is short names are cut alike, at last to the digits.
 * A click goes there, the wheel to the next one.
 */
#include "base/str.h"
#include "ui/keys.h"
#include "ui/views.h"
#include "ui/widget.h"

#include <stdio.h>

enum { LEAST_NAME = 3, MARK_W = 2 /* digit and blank */, WIDE_GAP = 3 };

/* Columns of all with names of at most `most` columns; a blank or a bracket between them. */
static int width_of(const struct home_view *v, int n, int most, int gap) {
    int w = 2 - gap;
    for (int i = 0; i < n; i++) {
        int name = str_width(v[i].name);
        w += (most ? MARK_W : 1) + (name < most ? name : most) + gap;
    }
    return w;
}

/* How names are written in a line of a width. */
struct form {
    int most; /* columns of a name; 0: digits alone */
    int gap;
};

static struct form form_of(const struct home_view *v, int n, int w) {
    enum { LONGEST = 12 };
    struct form f = {LONGEST, WIDE_GAP};
    if (width_of(v, n, f.most, f.gap) <= w)
        return f;
    f.gap = 1;
    while (f.most >= LEAST_NAME && width_of(v, n, f.most, f.gap) > w)
        f.most--;
    if (f.most < LEAST_NAME)
        f.most = 0;
    return f;
}

/* Columns from the digit to the end of the name. */
static int tab_width(const struct home_view *v, int most) {
    int name = str_width(v->name);
    return most ? MARK_W + (name < most ? name : most) : 1;
}

/* Its digit; or the user's own key, where that is one character. */
static uint32_t sign_of(const struct home_view *v) {
    char name[32];
    snprintf(name, sizeof(name), "view-%s", v->id);
    const struct key_binding *k = keys_named(name);
    if (!k || !keys_is_own(k))
        return (uint32_t)(unsigned char)v->digit;
    uint32_t key = keys_of(k)[0];
    return key > ' ' && key < KEYC_BASE && str_cp_width(key) == 1 ? key : ' ';
}

static void draw_tab(struct screen *sc, struct canvas *c, struct rect r, int x,
                     const struct home_view *v, int most) {
    bool on = views_current(sc) == v;
    enum style st = on ? STYLE_TAB_ON : views_is_offered(sc, v) ? STYLE_TAB : STYLE_DIM;
    int w = tab_width(v, most);
    char name[32];
    if (on) {
        canvas_put(c, r, x - 1, r.y, STYLE_TAB_ON, '[');
        canvas_put(c, r, x + w, r.y, STYLE_TAB_ON, ']');
    }
    canvas_put(c, r, x, r.y, on ? STYLE_TAB_ON : STYLE_KEY, sign_of(v));
    if (!most)
        return;
    canvas_put(c, r, x + 1, r.y, st, ' ');
    str_copy(name, (size_t)most + 1 < sizeof(name) ? (size_t)most + 1 : sizeof(name), v->name);
    canvas_text(c, r, x + MARK_W, r.y, st, name);
}

static void draw(struct screen *sc, struct canvas *c, struct rect r) {
    int n, x = r.x + 1;
    const struct home_view *v = views_all(&n);
    const struct form f = form_of(v, n, r.w);
    for (int i = 0; i < n; i++) {
        draw_tab(sc, c, r, x, &v[i], f.most);
        x += tab_width(&v[i], f.most) + f.gap;
    }
    if (!f.most) /* which one it is, in full */
        widget_text(c, r, x + 1, r.y, r.x + r.w - x - 1, STYLE_TAB_ON, views_current(sc)->name);
}

static void mouse(struct screen *sc, struct rect r, const struct mouse *m) {
    int n, x = r.x + 1;
    const struct home_view *v = views_all(&n);
    const struct form f = form_of(v, n, r.w);
    if (m->what == MOUSE_WHEEL_UP || m->what == MOUSE_WHEEL_DOWN)
        views_turn(sc, m->what == MOUSE_WHEEL_UP ? -1 : 1);
    for (int i = 0; i < n && m->what == MOUSE_PRESS; i++) {
        int w = tab_width(&v[i], f.most);
        if (m->x >= x && m->x < x + w) {
            views_go(sc, &v[i]);
            return;
        }
        x += w + f.gap;
    }
}

const struct view_ops view_tabs = {.name = "tabs", .draw = draw, .mouse = mouse};
