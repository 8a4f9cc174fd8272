/*
 * The last line: keys and what they do here, drawn from the key table; the search while it is
 * typed; a message until the next key. A click presses the key.
 */
#include "base/str.h"
#include "ui/app/find.h"
#include "ui/app/keys.h"
#include "ui/app/screen.h"
#include "ui/draw/widget.h"

#include <stdio.h>
#include <string.h>

enum { HINTS_MAX = 24, RANKS = 16, GAP = 2 };

struct hint {
    const struct key_binding *key;
    int x, w; /* columns it takes, with the blank behind it */
};

/* Columns of a binding's words; 0: it is not in the line. */
static int width_of(const struct key_binding *k) {
    char text[64];
    const char *brief = keys_brief(k, text, sizeof(text));
    return brief ? str_width(brief) : 0;
}

static bool is_named(const struct key_binding *k, const char *name) {
    return strcmp(k->name, name) == 0;
}

/* Of the bench, what there is something for. False: any view has the key. */
static bool is_of_bench(const struct screen *sc, const struct key_binding *k, bool *offered) {
    const bool stored = sc->scene.bench.stored;
    const struct {
        const char *name;
        bool offered;
    } keys_there[] = {
        {"baseline", !stored},
        {"snapshot", !stored && sc->scene.base.on && snapshot_is_offered(sc)},
        {"reset-sums", !stored && sc->scene.base.on},
        {"bench-undo", sc->scene.moves.can_undo},
        {"bench-swap", stored || sc->scene.base.on},
        {"bench-enter", sc->scene.bench.list.n > 0},
        {"bench-b", stored},
    };
    for (size_t i = 0; k->where == IN_BENCH && i < sizeof(keys_there) / sizeof(keys_there[0]); i++)
        if (is_named(k, keys_there[i].name)) {
            *offered = keys_there[i].offered;
            return true;
        }
    return false;
}

/* What changes a session, or looks at what it measured, is not offered where there is none. */
static bool is_offered(const struct screen *sc, const struct key_binding *k) {
    static const char *const of_session[] = {"freeze",        "slower",   "later",
                                             "history-right", "end-span", "snapshot",
                                             "baseline",      "bench",    "mark"};
    bool offered;
    if (is_of_bench(sc, k, &offered))
        return offered;
    for (size_t i = 0; runs_alone(sc) && i < sizeof(of_session) / sizeof(of_session[0]); i++)
        if (is_named(k, of_session[i]))
            return false;
    if (is_named(k, "reset-sums"))
        return sc->scene.base.on && !sc->opened;
    return !is_named(k, "snapshot") || snapshot_is_offered(sc);
}

/*
 * What fits into w columns, by rank; the way out (rank 0) has its place whatever else is left out,
 * and comes last. Returns how many.
 */
static int choose(const struct screen *sc, enum key_context where, int w, struct hint *out) {
    int n = 0, x = 1, room = w - 1;
    for (size_t i = 0; i < n_keys; i++)
        if (keys[i].rank == 0 && (keys[i].where & where))
            room -= width_of(&keys[i]);
    for (int rank = 1; rank <= RANKS; rank++)
        for (size_t i = 0; i < n_keys; i++) {
            const struct key_binding *k = &keys[i];
            bool last = rank == RANKS && k->rank == 0;
            if (!k->brief || !(k->where & where) || (k->rank != rank && !last) ||
                !is_offered(sc, k))
                continue;
            int cols = width_of(k) ? width_of(k) + GAP : 0;
            if (!cols || (!last && cols > room) || n == HINTS_MAX)
                continue;
            out[n++] = (struct hint){k, x, cols};
            x += cols;
            room -= last ? 0 : cols;
        }
    return n;
}

static void draw_keys(const struct screen *sc, struct canvas *c, struct rect r,
                      enum key_context where) {
    struct hint hints[HINTS_MAX];
    char text[64];
    int n = choose(sc, where, r.w, hints);
    for (int i = 0; i < n; i++) {
        const char *brief = keys_brief(hints[i].key, text, sizeof(text));
        const char *word = strchr(brief, ' ');
        int x = r.x + hints[i].x;
        x += canvas_printf(c, r, x, r.y, STYLE_KEY, "%.*s", (int)(word - brief), brief);
        canvas_text(c, r, x, r.y, STYLE_KEY_TEXT, word);
    }
}

static void draw_search(const struct screen *sc, const struct search *se, struct canvas *c,
                        struct rect r) {
    int x = r.x + 1;
    x += canvas_text(c, r, x, r.y, STYLE_KEY, "/");
    x += canvas_text(c, r, x, r.y, se->missing ? STYLE_ERROR : STYLE_VALUE, se->text);
    canvas_put(c, r, x, r.y, STYLE_TEXT, '_');
    x += 2;
    if (se->missing)
        x += canvas_text(c, r, x, r.y, STYLE_WARN, "not found") + 1;
    if (x < r.x + r.w - 28)
        draw_keys(sc, c, (struct rect){r.x + r.w - 28, r.y, 28, 1}, IN_SEARCH);
}

/* For who is here for the first time. */
static void draw_hint(struct canvas *c, struct rect r) {
    static const struct {
        const char *action, *usual, *word;
    } first[] = {{"view-tree", "1", "-9 views"},
                 {"help", "?", " help"},
                 {"explain", "e", " explains"},
                 {"quit", "q", " quits"}};
    char name[24];
    int x = r.x + 1;
    for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++) {
        bool own = keys_is_own(keys_named(first[i].action));
        keys_name_of(first[i].action, name, sizeof(name));
        if (i)
            x += canvas_text(c, r, x, r.y, STYLE_DIM, " · ");
        x += canvas_text(c, r, x, r.y, STYLE_KEY, own ? name : first[i].usual);
        x += canvas_text(c, r, x, r.y, STYLE_KEY_TEXT, first[i].word);
    }
}

static void draw(struct screen *sc, struct canvas *c, struct rect r) {
    canvas_fill(c, r, STYLE_KEY_TEXT, ' ');
    if (sc->ask.typing)
        ask_draw(&sc->ask, c, r);
    else if (search_is_typed(sc))
        draw_search(sc, screen_search(sc), c, r);
    else if (sc->message[0])
        widget_text(c, r, r.x + 1, r.y, r.w - 2, STYLE_VALUE, sc->message);
    else if (sc->hint && !sc->popup)
        draw_hint(c, r);
    else
        draw_keys(sc, c, r, keys_context(sc));
}

static void mouse(struct screen *sc, struct rect r, const struct mouse *m) {
    struct hint hints[HINTS_MAX];
    if (m->what != MOUSE_PRESS || search_is_typed(sc) || sc->ask.typing)
        return;
    int n = choose(sc, keys_context(sc), r.w, hints);
    for (int i = 0; i < n; i++)
        if (m->x - r.x >= hints[i].x && m->x - r.x < hints[i].x + hints[i].w - 1) {
            screen_key(sc, keys_of(hints[i].key)[0], NULL);
            return;
        }
}

const struct overlay pane_keyline = {.name = "keyline", .draw = draw, .mouse = mouse};
