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

static const struct {
    const char *word, *words;
} filters[] = {
    {"key=value", "the label has this value"},
    {"key!=value", "it has another, or there is no such label"},
    {"key~part", "its value has this in it, in capitals or not"},
    {"key  !key", "there is such a label; there is none"},
    {"is:removed", "runs that were removed, until tdtop db prune ends them"},
    {"a=1 b~2", "all of several must hold; quotes keep blanks together"},
};

enum { KEYS_W = 14, WIDTH = 76 };

/* The keys below one heading. */
static void page_keys(struct page *p, size_t heading) {
    page_heading(p, keys[heading].words);
    for (size_t i = heading + 1; i < n_keys && !keys_is_heading(&keys[i]); i++)
        if (keys[i].words)
            page_pair(p, KEYS_W, STYLE_KEY, keys[i].show, STYLE_POPUP, keys[i].words);
}

/* The headings of a context, or all but those. */
static void page_headings(struct page *p, unsigned where, bool others) {
    for (size_t i = 0; i < n_keys; i++)
        if (keys_is_heading(&keys[i]) && ((keys[i].where & where) != 0) != others)
            page_keys(p, i);
}

static void page_filters(struct page *p) {
    page_heading(p, "Words of a filter");
    for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
        page_pair(p, KEYS_W, STYLE_KEY, filters[i].word, STYLE_POPUP, filters[i].words);
}

static void page_signs(struct page *p) {
    page_heading(p, "Signs");
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
        page_pair(p, KEYS_W, STYLE_VALUE, signs[i].sign, STYLE_POPUP, signs[i].words);
}

/* What can be done here comes first. */
static void help_page(struct screen *sc, struct page *p) {
    const bool runs = runs_shown(sc), trend = runs && sc->runs->mode == RUNS_TREND;
    if (trend)
        page_headings(p, IN_TREND, false);
    if (runs) {
        page_headings(p, IN_RUNS, false);
        page_filters(p);
    }
    page_headings(p, trend ? IN_STORE : runs ? IN_RUNS : 0, true);
    page_signs(p);
    explain_limits(sc, p);
}

static void draw(struct screen *sc, struct canvas *c, struct rect r) {
    int w = WIDTH + 4 < r.w ? WIDTH : r.w - 4;
    struct page all = page_on(c, (struct rect){0, 0, w, 0}, 0); /* its lines, drawn nowhere */
    help_page(sc, &all);
    struct page p =
        popup_begin(sc, c, r, WIDTH, all.line, runs_shown(sc) ? "Help: stored runs" : "Help");
    help_page(sc, &p);
    popup_end(sc, &p);
}

const struct view_ops popup_help = {.name = "help", .draw = draw, .mouse = popup_mouse};
