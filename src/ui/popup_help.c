/* The help: every key, from the key table, what the signs on the screen mean, and what the model
 * cannot see. */
#include "ui/explain_more.h"
#include "ui/keys.h"
#include "ui/popup.h"
#include "ui/screen.h"

static const struct {
    const char *sign, *words;
} signs[] = {
    {"◀", "the bottleneck: the largest node over its threshold, followed downwards"},
    {"◁", "the bottleneck is inside this closed node: B goes there"},
    {"▲ ▼", "against the baseline: worse, better; ◆ changed, ~ noise, ? too little data"},
    {"≈", "two siblings too close to choose between: the path ends above them"},
    {"~", "approximate: a simpler formula, or an average in it (e says which)"},
    {"?", "odd: a share outside -5 .. 105 %; kept as it came"},
    {"n/a", "not measured, and why"},
    {"stale", "its counters had no turn in this interval"},
    {"·", "not in focus: nobody looks, so nothing is counted for it (F)"},
    {"dim", "below its threshold, or its parent is: no problem here"},
    {"+ -", "threads: has come since the last interval; has ended in this one"},
    {"±", "half of the 95 % interval: how far off the time not counted may be"},
    {"duty", "how much of the time its rarest event was really counted"},
    {"÷", "more events than counters: parts counted at different times (x)"},
};

enum { KEYS_W = 14, WIDTH = 76 };

static void help_page(struct screen *sc, struct page *p) {
    for (size_t i = 0; i < n_keys; i++) {
        if (keys[i].where == 0)
            page_heading(p, keys[i].words);
        else if (keys[i].words)
            page_pair(p, KEYS_W, STYLE_KEY, keys[i].show, STYLE_POPUP, keys[i].words);
    }
    page_heading(p, "Signs");
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
        page_pair(p, KEYS_W, STYLE_VALUE, signs[i].sign, STYLE_POPUP, signs[i].words);
    explain_limits(sc, p);
}

static void draw(struct screen *sc, struct canvas *c, struct rect r) {
    int w = WIDTH + 4 < r.w ? WIDTH : r.w - 4;
    struct page all = page_on(c, (struct rect){0, 0, w, 0}, 0); /* its lines, drawn nowhere */
    help_page(sc, &all);
    struct page p = popup_begin(sc, c, r, WIDTH, all.line, "Help");
    help_page(sc, &p);
    popup_end(sc, &p);
}

const struct view_ops popup_help = {.name = "help", .draw = draw, .mouse = popup_mouse};
