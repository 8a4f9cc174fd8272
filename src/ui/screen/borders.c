#include "ui/screen/borders.h"

#include "base/str.h"
#include "ui/screen/screen.h"
#include "ui/screen/views.h"

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
        return m->x >= r.x - (p->n_frame ? 2 : 1) && m->x <= r.x && m->y >= r.y && m->y < r.y + r.h;
    return m->y == r.y && m->x >= r.x && m->x < r.x + r.w;
}

bool borders_press(struct screen *sc, const struct mouse *m) {
    const bool press = m->what == MOUSE_PRESS || m->what == MOUSE_DOUBLE;
    sc->border = 0;
    for (int i = 0; i < BORDERS && sc->scene.view == &view_tree && press; i++)
        if (is_on(&sc->panes[LAYOUT_TREE], i, m))
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
    const struct rect *at = sc->panes[LAYOUT_TREE].at;
    if (pane == PANE_SIDE)
        return share(sc->canvas.w - m->x - (sc->panes[LAYOUT_TREE].n_frame ? 0 : 1), sc->canvas.w);
    int bottom = sc->panes[LAYOUT_TREE].at[PANE_KEYS].y;
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

/* --- presets --- */

void borders_next(struct screen *sc) {
    int n;
    const struct layout_preset *all = layout_presets(&n), *now = layout_preset_of(&sc->splits);
    const struct layout_preset *next = &all[now ? (now - all + 1) % n : 0];
    const struct panes before = sc->panes[LAYOUT_TREE];
    if (borders_put(sc, &next->splits) < 0) {
        screen_say(sc, "no memory for the panes: close other programs");
        return;
    }
    const bool same = memcmp(&before, &sc->panes[LAYOUT_TREE], sizeof(before)) == 0;
    screen_say(sc, "layout %s: %s%s", next->name, next->words,
               same ? "; at this size the same as before" : "");
}

/* --- as text --- */

const char *borders_text(const struct splits *sp, char *buf, size_t cap) {
    const struct layout_preset *preset = layout_preset_of(sp);
    struct splits copy = *sp;
    struct strbuf sb = strbuf_on(buf, cap);
    if (preset)
        return str_copy(buf, cap, preset->name);
    for (int i = 0; i < BORDERS; i++) {
        const int split = *split_of(&copy, i);
        if (split == SPLIT_NONE)
            strbuf_add(&sb, "%s%s none", sb.n ? ", " : "", borders[i].name);
        else if (split > 0)
            strbuf_add(&sb, "%s%s %g%%", sb.n ? ", " : "", borders[i].name, split / 10.0);
    }
    return buf;
}

static int border_named(const char *name, size_t len) {
    for (int i = 0; i < BORDERS; i++)
        if (strlen(borders[i].name) == len && strncmp(borders[i].name, name, len) == 0)
            return i;
    return -1;
}

static int wrong(const char *text, struct err *err) {
    int n;
    const struct layout_preset *all = layout_presets(&n);
    char names[96] = "";
    struct strbuf sb = strbuf_on(names, sizeof(names));
    for (int i = 0; i < n; i++)
        strbuf_add(&sb, "%s%s", i ? ", " : "", all[i].name);
    return err_set(err, -EINVAL,
                   "found \"%s\" for 'layout'; expected %s, or what panes take, such as \"side "
                   "30%%, plot 40%%, stack none\"",
                   text, names);
}

static bool preset_named(const char *name, struct splits *out) {
    int n;
    const struct layout_preset *all = layout_presets(&n);
    for (int i = 0; i < n; i++)
        if (strcmp(all[i].name, name) == 0) {
            *out = all[i].splits;
            return true;
        }
    return false;
}

/* " 30%" or " none": thousandths, and what follows. False if it is neither. */
static bool take_split(const char *p, int *out, const char **rest) {
    char *end;
    if (strncmp(p, " none", 5) == 0 && (!p[5] || p[5] == ',' || p[5] == ' ')) {
        *out = SPLIT_NONE;
        *rest = p + 5;
        return true;
    }
    const double percent = strtod(p, &end);
    if (end == p || !(percent >= 0.1 && percent < 100) || *end != '%')
        return false;
    *out = (int)lround(percent * 10);
    *rest = end + 1;
    return true;
}

int borders_parse(const char *text, struct splits *out, struct err *err) {
    *out = (struct splits){0};
    if (preset_named(text, out))
        return 0;
    for (const char *p = text + strspn(text, " ,"); *p; p += strspn(p, " ,")) {
        const size_t len = strcspn(p, " ");
        const int i = border_named(p, len);
        if (i < 0 || !take_split(p + len, split_of(out, i), &p))
            return wrong(text, err);
    }
    return 0;
}
