#include "ui/borders.h"

#include "base/str.h"
#include "ui/screen.h"
#include "ui/views.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHOLE = 1000 };

static const struct {
    enum pane pane;
    const char *name;
    size_t at; /* in struct splits */
} borders[] = {
    {PANE_SIDE, "side", offsetof(struct splits, side)},
    {PANE_PLOT, "plot", offsetof(struct splits, plot)},
    {PANE_STACK, "stack", offsetof(struct splits, stack)},
};
enum { BORDERS = sizeof(borders) / sizeof(borders[0]) };

static int *split_of(struct splits *sp, int i) {
    return (int *)(void *)((char *)sp + borders[i].at);
}

/* --- the mouse --- */

/* The plots' first lines are their titles; the side begins with a line, left of it is a blank. */
static bool is_on(const struct panes *p, int i, const struct mouse *m) {
    const struct rect r = p->at[borders[i].pane];
    if (r.w == 0)
        return false;
    if (borders[i].pane == PANE_SIDE)
        return (m->x == r.x - 1 || m->x == r.x) && m->y >= r.y && m->y < r.y + r.h;
    return m->y == r.y && m->x >= r.x && m->x < r.x + r.w;
}

bool borders_press(struct screen *sc, const struct mouse *m) {
    sc->border = 0;
    for (int i = 0; i < BORDERS && sc->view == VIEW_TREE && m->what == MOUSE_PRESS; i++)
        if (is_on(&sc->panes, i, m))
            sc->border = i + 1;
    return sc->border > 0;
}

/* In thousandths, rounded up, so that the layout gives the same number of cells again. */
static int share(int cells, int whole) {
    if (whole <= 0 || cells <= 0)
        return 1;
    int split = (cells * WHOLE + whole - 1) / whole;
    return split < WHOLE ? split : WHOLE - 1;
}

static int split_at(const struct screen *sc, enum pane pane, const struct mouse *m) {
    const struct rect *at = sc->panes.at;
    if (pane == PANE_SIDE)
        return share(sc->canvas.w - m->x - 1, sc->canvas.w);
    int bottom = at[PANE_ADVICE].h ? at[PANE_ADVICE].y : at[PANE_KEYS].y;
    int end = pane == PANE_STACK && at[PANE_PLOT].h ? at[PANE_PLOT].y : bottom;
    int top = at[PANE_STRIP].h ? at[PANE_STRIP].y : at[PANE_TREE].y;
    return share(end - m->y, bottom - top);
}

bool borders_drag(struct screen *sc, const struct mouse *m) {
    if (sc->border <= 0)
        return false;
    struct splits to = sc->splits;
    int i = sc->border - 1, split = split_at(sc, borders[i].pane, m);
    if (*split_of(&to, i) == split)
        return true;
    *split_of(&to, i) = split;
    if (borders_put(sc, &to) < 0)
        screen_say(sc, "no memory for the panes: close other programs");
    return true;
}

int borders_put(struct screen *sc, const struct splits *to) {
    int n = types_many(sc->types) ? sc->types->n : 1, rc = 0;
    for (int i = 0; i < n && rc == 0; i++) {
        struct screen *each = n > 1 ? sc->types->at[i] : sc;
        each->splits = *to;
        rc = screen_place(each);
    }
    return rc;
}

/* --- as text --- */

const char *borders_text(const struct splits *sp, char *buf, size_t cap) {
    struct splits copy = *sp;
    struct strbuf sb = strbuf_on(buf, cap);
    for (int i = 0; i < BORDERS; i++)
        if (*split_of(&copy, i) > 0)
            strbuf_add(&sb, "%s%s %g%%", sb.n ? ", " : "", borders[i].name,
                       *split_of(&copy, i) / 10.0);
    return buf;
}

static int border_named(const char *name, size_t len) {
    for (int i = 0; i < BORDERS; i++)
        if (strlen(borders[i].name) == len && strncmp(borders[i].name, name, len) == 0)
            return i;
    return -1;
}

static int wrong(const char *text, struct err *err) {
    return err_set(
        err, -EINVAL,
        "found \"%s\" for 'layout'; expected what panes take, such as \"side 30%%, plot 40%%, "
        "stack 20%%\", or nothing",
        text);
}

int borders_parse(const char *text, struct splits *out, struct err *err) {
    *out = (struct splits){0};
    for (const char *p = text + strspn(text, " ,"); *p; p += strspn(p, " ,")) {
        char *end;
        size_t len = strcspn(p, " ");
        int i = border_named(p, len);
        double percent = i >= 0 ? strtod(p + len, &end) : NAN;
        if (!(percent >= 0.1 && percent < 100) || *end != '%')
            return wrong(text, err);
        *split_of(out, i) = (int)lround(percent * 10);
        p = end + 1;
    }
    return 0;
}
