#include "ui/view/stack.h"

#include "base/str.h"
#include "ui/draw/area.h"
#include "ui/draw/widget.h"
#include "ui/draw/words.h"

int stack_roots(const struct model *m, int *out) {
    int n = 0;
    for (int i = (int)m->n_tree - 1; i >= 0 && n < ROOTS_MAX; i--)
        if (m->metric[i].level == 1 && m->metric[i].share)
            out[n++] = i;
    return n;
}

enum { KEY_W = STACK_CHIP_W + 1, KEY_GAP = 2 }; /* the chip and a blank; between two of them */

void stack_chip(const struct scene *sc, struct canvas *c, struct rect clip, int x, int y,
                int metric) {
    const struct model *m = scene_model(sc);
    const enum style st = words_quiet(words_fill(m, metric)); /* at some time it may have counted */
    const int room = clip.x + clip.w - x;
    if (axis_glyph(sc) == CHART_ASCII)
        canvas_printf(c, clip, x, y, st, "%c ", words_letter(m, metric));
    else if (room > 0)
        widget_ground(c, (struct rect){x, y, room < STACK_CHIP_W ? room : STACK_CHIP_W, 1}, st);
}

static const char *legend_name(const struct metric *mt, bool brief, char *buf, size_t cap) {
    return brief ? words_brief(buf, cap, mt) : words_short(buf, cap, mt);
}

int stack_legend(const struct scene *sc, struct canvas *c, struct rect clip, int x, int y, int w) {
    const struct model *m = scene_model(sc);
    int root[ROOTS_MAX], n = stack_roots(m, root), used = 0;
    bool brief = false;
    char name[64];
    for (int pass = 0; pass < 2; pass++) {
        used = -KEY_GAP;
        brief = pass > 0;
        for (int i = 0; i < n; i++)
            used += KEY_GAP + KEY_W +
                    str_width(legend_name(&m->metric[root[i]], brief, name, sizeof(name)));
        if (used <= w)
            break;
    }
    if (n == 0 || used > w)
        return 0;
    for (int i = n - 1; i >= 0; i--) {
        legend_name(&m->metric[root[i]], brief, name, sizeof(name));
        stack_chip(sc, c, clip, x, y, root[i]);
        x += STACK_CHIP_W;
        x += canvas_printf(c, clip, x, y, STYLE_LABEL, " %s%*s", name, i > 0 ? KEY_GAP : 0, "");
    }
    return used;
}

/* What the lane names: each metric once. */
struct names {
    struct area_key key[AREA_KEYS_MAX];
    int16_t metric[AREA_KEYS_MAX];
    int n;
};

static int key_of(struct names *names, const struct model *m, int metric) {
    for (int i = 0; i < names->n; i++)
        if (names->metric[i] == metric)
            return i;
    if (names->n == AREA_KEYS_MAX)
        return AREA_UNKNOWN;
    names->metric[names->n] = (int16_t)metric;
    names->key[names->n] =
        (struct area_key){words_name(&m->metric[metric]), words_quiet(words_fill(m, metric)),
                          words_letter(m, metric)};
    return names->n++;
}

/* Metrics become keys, in place. */
static void name_ends(struct names *names, const struct model *m, int16_t *end, int n) {
    for (int i = 0; i < n; i++)
        if (end[i] >= 0)
            end[i] = (int16_t)key_of(names, m, end[i]);
}

void stack_draw(const struct scene *sc, struct canvas *c, struct rect r, const struct trend *t,
                const struct chart *ch) {
    const struct model *m = scene_model(sc);
    struct area_root root[ROOTS_MAX];
    struct names names = {.n = 0};
    int metric[ROOTS_MAX];
    struct area a = {.chart = *ch, .root = root, .n_root = stack_roots(m, metric)};
    for (int i = 0; i < a.n_root; i++) {
        float *v = sc->trends.pile + (size_t)i * (size_t)sc->trends.n_dots;
        const struct chart_values cv = axis_values(sc, t, metric[i], v, NULL);
        const enum style fill = words_fill(m, metric[i]);
        root[i] = (struct area_root){v, words_hue(m, metric[i]), words_quiet(fill),
                                     words_grey(fill), words_letter(m, metric[i])};
        a.n = cv.n;
        a.first_ns = cv.first_ns;
        a.step_ns = cv.step_ns;
    }
    if (a.n_root == 0)
        return;
    name_ends(&names, m, sc->trends.lane, axis_ends(sc, t, sc->trends.lane));
    a.lane = sc->trends.lane;
    a.key = names.key;
    a.n_key = names.n;
    area_draw(c, r, &a);
}
