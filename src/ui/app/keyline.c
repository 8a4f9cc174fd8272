/*
 * The last line: the views, help and the way out; in their place a question or a search while it is
 * typed, a message for a while, the keys of a pop-up. And the line of PANE_TITLE above what is
 * shown: its name, what there is to know of it, its keys. Keys are drawn from the key table; a
 * click presses one.
 */
#include "base/clock.h"
#include "base/str.h"
#include "ui/app/tabs.h"
#include "ui/draw/widget.h"
#include "ui/popup/snapshot.h"
#include "ui/screen/find.h"
#include "ui/screen/keys.h"
#include "ui/screen/screen.h"
#include "ui/screen/views.h"
#include "ui/view/status.h"

#include <stdio.h>
#include <string.h>

enum { HERE_MAX = 128 /* keys of a place that have words: 40 or so */ };
enum { HINTS_MAX = 24, RANKS = 16, GAP = 2, WAYS_OUT_W = 10 /* " q quit  ─" */ };
enum { KEYS_FROM_W = 100 }; /* titles this long have room for keys whatever there is to say */

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
    if (is_named(k, "thread-alone"))
        return sc->scopes;
    if (is_named(k, "back"))
        return sc->returns && sc->scene.view == &view_tree;
    if (is_named(k, "reset-sums") && k->where != IN_WHERE)
        return sc->scene.base.on && !sc->opened;
    return !is_named(k, "snapshot") || snapshot_is_offered(sc);
}

/* Which keys of a context. */
enum which {
    KEYS_ALL,
    KEYS_OWN,    /* without help and the ways out, which are in the last line */
    KEYS_COMMON, /* those */
    KEYS_HELP,   /* help alone */
    KEYS_BUT_HELP,
};

static bool is_of(const struct key_binding *k, enum which which) {
    const bool help = k->name && is_named(k, "help"), common = help || k->rank == 0;
    switch (which) {
    case KEYS_ALL:
        return true;
    case KEYS_HELP:
    case KEYS_BUT_HELP:
        return help == (which == KEYS_HELP);
    default:
        return common == (which == KEYS_COMMON);
    }
}

/*
 * What fits into w columns, by rank; the way out (rank 0) has its place whatever else is left out,
 * and comes last. Returns how many.
 */
static int choose(const struct screen *sc, enum key_context where, enum which which, int w,
                  struct hint *out) {
    const struct key_binding *here[HERE_MAX];
    int n = 0, x = 1, room = w - 1, n_here = 0;
    for (size_t i = 0; i < n_keys && n_here < HERE_MAX; i++)
        if (keys[i].brief && (keys[i].where & where) && is_of(&keys[i], which))
            here[n_here++] = &keys[i];
    for (int i = 0; i < n_here; i++)
        if (here[i]->rank == 0)
            room -= width_of(here[i]);
    for (int rank = 1; rank <= RANKS; rank++)
        for (int i = 0; i < n_here; i++) {
            const struct key_binding *k = here[i];
            bool last = rank == RANKS && k->rank == 0;
            if ((k->rank != rank && !last) || !is_offered(sc, k))
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

/* Columns of n keys, with a blank before the first. */
static int width_of_all(const struct hint *hints, int n) {
    return n > 0 ? hints[n - 1].x + hints[n - 1].w - GAP : 0;
}

static void draw_hints(struct canvas *c, struct rect r, const struct hint *hints, int n) {
    char text[64];
    for (int i = 0; i < n; i++) {
        const char *brief = keys_brief(hints[i].key, text, sizeof(text));
        const char *word = strchr(brief, ' ');
        int x = r.x + hints[i].x;
        const struct rect room = {x, r.y, hints[i].w - GAP, 1};
        x += canvas_printf(c, room, x, r.y, STYLE_KEY, "%.*s", (int)(word - brief), brief);
        canvas_text(c, room, x, r.y, STYLE_KEY_TEXT, word);
    }
}

static void draw_keys(const struct screen *sc, struct canvas *c, struct rect r,
                      enum key_context where) {
    struct hint hints[HINTS_MAX];
    draw_hints(c, r, hints, choose(sc, where, KEYS_ALL, r.w, hints));
}

static void press_in(struct screen *sc, struct rect r, const struct mouse *m,
                     const struct hint *hints, int n) {
    for (int i = 0; i < n; i++)
        if (m->x - r.x >= hints[i].x && m->x - r.x < hints[i].x + hints[i].w - 1) {
            screen_key(sc, keys_of(hints[i].key)[0], NULL);
            return;
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

/* ---- the last line ---- */

static bool is_view(enum key_context where) {
    return where & (IN_VIEW | IN_STORE);
}

/* What stands beside the names of the views: help and the ways out; of 80 columns whole names leave
 * room for the key of help alone, and the ways out are with the keys of the view. */
static enum which beside_names(const struct screen *sc) {
    enum { ALL_FROM_W = 90, NAMES_FROM_W = 80 };
    const int w = sc->canvas.w;
    const bool room = w >= ALL_FROM_W || w < NAMES_FROM_W;
    return room || runs_alone(sc) || !sc->panes[LAYOUT_WHOLE].at[PANE_TITLE].h ? KEYS_COMMON
                                                                               : KEYS_HELP;
}

static struct rect common_keys(const struct screen *sc, struct rect r, enum key_context where,
                               struct hint *hints, int *n) {
    enum { WORD_FROM_W = 85 };
    const enum which which = beside_names(sc);
    char text[64];
    *n = choose(sc, where, which, r.w, hints);
    for (int i = 0; which == KEYS_HELP && sc->canvas.w < WORD_FROM_W && i < *n; i++)
        hints[i].w = (int)strcspn(keys_brief(hints[i].key, text, sizeof(text)), " ") + GAP;
    const int w = width_of_all(hints, *n) + 1;
    return (struct rect){r.x + r.w - w, r.y, w, 1};
}

static bool has_message(const struct screen *sc) {
    return sc->message[0] && clock_now_ns() - sc->message_ns < SCREEN_MESSAGE_NS;
}

static void draw(struct screen *sc, struct canvas *c, struct rect r) {
    const enum key_context where = keys_context(sc);
    struct hint hints[HINTS_MAX];
    int n;
    canvas_fill(c, r, STYLE_KEY_TEXT, ' ');
    if (sc->ask.typing)
        ask_draw(&sc->ask, c, r);
    else if (search_is_typed(sc))
        draw_search(sc, search_here(sc), c, r);
    else if (has_message(sc))
        widget_text(c, r, r.x + 1, r.y, r.w - 2, STYLE_VALUE, sc->message);
    else if (!is_view(where))
        draw_keys(sc, c, r, where);
    else {
        const struct rect right = common_keys(sc, r, where, hints, &n);
        draw_hints(c, right, hints, n);
        if (!runs_alone(sc))
            tabs_draw(sc, c, (struct rect){r.x, r.y, right.x - r.x, 1});
    }
}

static void mouse(struct screen *sc, struct rect r, const struct mouse *m) {
    const enum key_context where = keys_context(sc);
    struct hint hints[HINTS_MAX];
    int n;
    if (search_is_typed(sc) || sc->ask.typing)
        return;
    if (!is_view(where)) {
        if (m->what == MOUSE_PRESS)
            press_in(sc, r, m, hints, choose(sc, where, KEYS_ALL, r.w, hints));
        return;
    }
    const struct rect right = common_keys(sc, r, where, hints, &n);
    if (m->x >= right.x && m->what == MOUSE_PRESS)
        press_in(sc, right, m, hints, n);
    else if (m->x < right.x && !runs_alone(sc))
        tabs_mouse(sc, (struct rect){r.x, r.y, right.x - r.x, 1}, m);
}

const struct overlay pane_keyline = {.name = "keyline", .draw = draw, .mouse = mouse};

/* ---- the title of what is shown ---- */

/* Its own keys, at the right end of what words leave. */
static struct rect own_keys(const struct screen *sc, struct rect r, int from, struct hint *hints,
                            int *n) {
    const enum key_context where = keys_context(sc);
    const enum which which = beside_names(sc) == KEYS_HELP ? KEYS_BUT_HELP : KEYS_OWN;
    *n = is_view(where) ? choose(sc, where, which, r.x + r.w - from - 2, hints) : 0;
    const int w = width_of_all(hints, *n) + 1;
    return (struct rect){r.x + r.w - w - 1, r.y, w, 1};
}

/* Where words end: they come first. */
static int draw_words(struct screen *sc, struct canvas *c, struct rect r) {
    int x = r.x + 2;
    x += canvas_printf(c, r, x, r.y, STYLE_TITLE, " %s ", views_current(sc)->name);
    const int ways_out = beside_names(sc) == KEYS_HELP ? WAYS_OUT_W : 0;
    const int left = r.x + r.w - x - 2 - ways_out, most = r.w >= KEYS_FROM_W ? r.w * 3 / 5 : left;
    const struct rect room = {x + 1, r.y, left < most ? left : most, 1};
    if (runs_shown(sc))
        return x;
    canvas_put(c, r, x, r.y, STYLE_BORDER, 0x2500);
    const int end = status_draw(&sc->scene, c, (struct rect){room.x + 1, r.y, room.w - 1, 1});
    if (end == room.x + 1)
        return x;
    canvas_put(c, r, room.x, r.y, STYLE_TEXT, ' ');
    canvas_put(c, r, end, r.y, STYLE_TEXT, ' ');
    return end + 1;
}

static void draw_title(struct screen *sc, struct canvas *c, struct rect r) {
    struct hint hints[HINTS_MAX];
    int n;
    widget_rule(c, r, r.x, r.y, r.w, STYLE_BORDER);
    const int from = draw_words(sc, c, r);
    const struct rect keys_at = own_keys(sc, r, from, hints, &n);
    if (n)
        canvas_fill(c, keys_at, STYLE_KEY_TEXT, ' ');
    draw_hints(c, keys_at, hints, n);
}

/* Drawn again, to nowhere, to know where the keys are. */
static void mouse_title(struct screen *sc, struct rect r, const struct mouse *m) {
    struct hint hints[HINTS_MAX];
    struct canvas nowhere = {0};
    int n;
    const struct rect keys_at = own_keys(sc, r, draw_words(sc, &nowhere, r), hints, &n);
    if (m->what == MOUSE_PRESS)
        press_in(sc, keys_at, m, hints, n);
}

const struct overlay pane_title = {.name = "title", .draw = draw_title, .mouse = mouse_title};
