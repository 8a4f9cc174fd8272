/* One view or pop-up drawn alone, compared with tests/screen/golden/NAME.txt and, as ASCII shows
 * it, NAME_ascii.txt; and a check that it stays inside its place. */
#ifndef TDTOP_TESTS_ALONE_H
#define TDTOP_TESTS_ALONE_H

#include "ui_fixture.h"

/* A view, or what lies over the views. */
struct alone {
    const struct view *view;
    const struct overlay *over;
};

static inline struct alone alone_view(const struct view *view) {
    return (struct alone){.view = view};
}

static inline struct alone alone_over(const struct overlay *over) {
    return (struct alone){.over = over};
}

#define ALONE(what)                                                                                \
    _Generic((what), const struct view * : alone_view, const struct overlay * : alone_over)(what)

static void alone_prepare(struct fixture *f, struct alone a, struct rect r) {
    if (a.view && a.view->prepare)
        a.view->prepare(screen_scene(&f->sc, a.view), r);
    if (a.over && a.over->prepare)
        a.over->prepare(&f->sc, r);
}

static void alone_put(struct fixture *f, struct alone a, struct rect r) {
    if (a.view)
        a.view->draw(screen_scene(&f->sc, a.view), &f->sc.canvas, r);
    else
        a.over->draw(&f->sc, &f->sc.canvas, r);
}

static void alone_draw_(struct fixture *f, struct alone a, struct rect r) {
    canvas_clear(&f->sc.canvas);
    alone_prepare(f, a, r);
    alone_put(f, a, r);
}
#define alone_draw(f, what, r) alone_draw_(f, ALONE(what), r)

static const char *alone_text_(struct fixture *f, struct alone a, bool ascii) {
    alone_draw_(f, a, canvas_rect(&f->sc.canvas));
    return golden_text(&f->sc.canvas, ascii);
}
#define alone_text(f, what, ascii) alone_text_(f, ALONE(what), ascii)

static inline void alone_golden_(struct fixture *f, struct alone a, const char *name) {
    alone_draw_(f, a, canvas_rect(&f->sc.canvas));
    golden_compare(&f->sc.canvas, name, false);
    golden_compare(&f->sc.canvas, name, true);
}
#define alone_golden(f, what, name) alone_golden_(f, ALONE(what), name)

static inline bool alone_shows_(struct fixture *f, struct alone a, const char *text) {
    return strstr(alone_text_(f, a, false), text) != NULL;
}
#define alone_shows(f, what, text) alone_shows_(f, ALONE(what), text)

/* Draws into every size up to w x h in the middle of a screen that is filled with a sign: none of
 * it may be lost outside. */
static inline void alone_inside_(struct fixture *f, struct alone a, int w, int h) {
    enum { EDGE = 3, SIGN = '@' };
    struct canvas *c = &f->sc.canvas;
    assert_int_equal(screen_resize(&f->sc, w + 2 * EDGE, h + 2 * EDGE), 0);
    for (int rh = 1; rh <= h; rh += rh < 12 ? 1 : 23)
        for (int rw = 1; rw <= w; rw += rw < 45 ? 4 : 41) {
            struct rect r = {EDGE, EDGE, rw, rh};
            alone_prepare(f, a, r);
            canvas_fill(c, canvas_rect(c), STYLE_TEXT, SIGN);
            alone_put(f, a, r);
            for (int y = 0; y < c->h; y++)
                for (int x = 0; x < c->w; x++) {
                    bool in = x >= r.x && x < r.x + rw && y >= r.y && y < r.y + rh;
                    if (!in && c->at[y * c->w + x].cp != SIGN)
                        fail_msg("%dx%d writes at %d,%d", rw, rh, x - EDGE, y - EDGE);
                }
        }
}

#define alone_inside(f, what, w, h) alone_inside_(f, ALONE(what), w, h)

/* A model with n metrics and n nodes more, of names with 200 characters. */
static inline void alone_crowd(struct fixture *f, int n) {
    static char more[1 << 18];
    struct strbuf sb = strbuf_on(more, sizeof(more));
    char name[201];
    for (int i = 0; i < n; i++) {
        memset(name, 'a' + i % 26, sizeof(name) - 1);
        name[200] = '\0';
        snprintf(name, 16, "%s%05d_", i % 2 ? "N" : "M", i);
        name[strlen(name)] = 'x';
        if (i % 2)
            strbuf_add(&sb, "[node.%s]\nparent='L3_Bound'\nformula='BE.L3 / SLOTS'\n", name);
        else
            strbuf_add(&sb, "[metric.%s]\ngroups='G%d;All'\nformula='BE.L3 / SLOTS'\n", name,
                       i % 40);
    }
    fixture_open_with(f, "crowd", more);
    fixture_screen(f, 80, 24);
    fixture_run(f, 12);
}

static const struct {
    int w, h;
    const char *name;
} alone_sizes[] = {{80, 24, "80x24"}, {120, 40, "120x40"}, {200, 60, "200x60"}};

#endif
