#include "ui/app/tabs.h"

#include "base/str.h"
#include "ui/draw/widget.h"
#include "ui/screen/keys.h"
#include "ui/screen/views.h"

#include <stdio.h>

enum { LEAST_NAME = 3, LONGEST_NAME = 12 };

/* How names are written in a line of a width. */
struct form {
    int most;  /* columns of a name; 0: digits alone */
    int blank; /* between digit and name */
    int gap;   /* between tabs; a bracket takes one of its columns */
};

/* Columns from the digit to the end of the name. */
static int tab_width(const struct view *v, const struct form *f) {
    int name = str_width(v->name);
    return 1 + (f->most ? f->blank + (name < f->most ? name : f->most) : 0);
}

static bool fits(const struct form *f, int w) {
    for (int i = 0; i < n_views; i++)
        w -= tab_width(views[i], f) + f->gap;
    return w >= 2 - f->gap;
}

/* The first that has room. Two columns between tabs: a bracket touches none. */
static struct form form_of(int w) {
    static const struct form forms[] = {{LONGEST_NAME, 1, 3}, {LONGEST_NAME, 1, 2}};
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
        if (fits(&forms[i], w))
            return forms[i];
    struct form f = {LONGEST_NAME, 0, 2};
    while (f.most >= LEAST_NAME && !fits(&f, w))
        f.most--;
    if (f.most >= LEAST_NAME)
        return f;
    f = (struct form){0, 0, 2};
    f.gap = fits(&f, w - LONGEST_NAME) ? 2 : 1; /* its name stands behind them */
    return f;
}

/* Its digit; or the user's own key, where that is one character. */
static uint32_t sign_of(const struct view *v) {
    char name[32];
    snprintf(name, sizeof(name), "view-%s", v->id);
    const struct key_binding *k = keys_named(name);
    if (!k || !keys_is_own(k))
        return (uint32_t)(unsigned char)v->digit;
    uint32_t key = keys_of(k)[0];
    return key > ' ' && key < KEYC_BASE && str_cp_width(key) == 1 ? key : ' ';
}

static void draw_tab(struct screen *sc, struct canvas *c, struct rect r, int x,
                     const struct view *v, const struct form *f) {
    const struct view *now = views_current(sc);
    bool on = now == v || (!now->digit && v == &view_tree); /* which it was reached from */
    enum style st = on ? STYLE_TAB_ON : views_is_offered(sc, v) ? STYLE_TAB : STYLE_DIM;
    int w = tab_width(v, f);
    char name[32];
    if (on) {
        canvas_put(c, r, x - 1, r.y, STYLE_TAB_ON, '[');
        canvas_put(c, r, x + w, r.y, STYLE_TAB_ON, ']');
    }
    canvas_put(c, r, x, r.y, on ? STYLE_TAB_ON : STYLE_KEY, sign_of(v));
    if (!f->most)
        return;
    if (f->blank)
        canvas_put(c, r, x + 1, r.y, st, ' ');
    str_copy(name, (size_t)f->most + 1 < sizeof(name) ? (size_t)f->most + 1 : sizeof(name),
             v->name);
    canvas_text(c, r, x + 1 + f->blank, r.y, st, name);
}

void tabs_draw(struct screen *sc, struct canvas *c, struct rect r) {
    int x = r.x + 1;
    const struct form f = form_of(r.w);
    for (int i = 0; i < n_views; i++) {
        draw_tab(sc, c, r, x, views[i], &f);
        x += tab_width(views[i], &f) + f.gap;
    }
    if (!f.most) /* which one it is, in full */
        widget_text(c, r, x + 1, r.y, r.x + r.w - x - 1, STYLE_TAB_ON, views_current(sc)->name);
}

void tabs_mouse(struct screen *sc, struct rect r, const struct mouse *m) {
    int x = r.x + 1;
    const struct form f = form_of(r.w);
    if (m->what == MOUSE_WHEEL_UP || m->what == MOUSE_WHEEL_DOWN)
        views_turn(sc, m->what == MOUSE_WHEEL_UP ? -1 : 1);
    for (int i = 0; i < n_views && m->what == MOUSE_PRESS; i++) {
        int w = tab_width(views[i], &f);
        if (m->x >= x && m->x < x + w) {
            views_go(sc, views[i]);
            return;
        }
        x += w + f.gap;
    }
}
