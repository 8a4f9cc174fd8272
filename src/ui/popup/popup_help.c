/*
 * The help: what can be done in the view below it, then every key, from the key table, what the
 * signs on the screen mean, and what the model cannot see. "/" leaves only lines with a text.
 */
#include "base/str.h"
#include "ui/popup/help.h"
#include "ui/popup/popup.h"
#include "ui/runs/runs_view.h"
#include "ui/screen/find.h"
#include "ui/screen/keys.h"
#include "ui/screen/screen.h"
#include "ui/screen/views.h"
#include "ui/view/explain_page.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *sign, *words;
} signs[] = {
    {"◀", "the bottleneck: the largest node over its threshold, followed downwards"},
    {"◁", "the bottleneck is inside this closed node: {bottleneck} goes there"},
    {"!", "metrics and parts: over its threshold"},
    {"✗ ✓", "against the baseline: worse, better; ◆ changed, ~ noise, ? too little data"},
    {"╱", "neither useful nor wasted: slots of the other thread of the core"},
    {"≈", "two siblings within 5 points (level 1: their ±): look at both; the path ends above"},
    {"~", "approximate: a simpler formula, or an average in it ({explain} says which)"},
    {"?", "odd: a share outside -5 .. 105%; kept as it came"},
    {"n/a", "not measured, and why"},
    {"stale", "its counters had no turn in this interval"},
    {"·", "not in focus, so not counted ({focus})"},
    {"dim", "below its threshold, or its parent is: no problem here"},
    {"+ -", "threads: has come since the last interval; has ended in this one"},
    {"±", "half of the 95% interval: how far off the time not counted may be"},
    {"duty", "how much of the time its rarest event was really counted"},
    {"÷", "more events than counters: parts counted at different times ({value})"},
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

static const struct {
    const char *what, *words;
} mouse[] = {
    {"click", "select a row; a key of the last line; a view by its name"},
    {"", "the heading of a column: sort by it; again: the other way round"},
    {"double click", "open it: a branch, a block of the slots, a run, a change"},
    {"wheel", "rows and lines; slots: the level; a plot: time; the history: zoom"},
    {"drag", "on the time line: the moment that is shown; on a border: another size"},
    {"Shift", "held: the terminal selects text itself, as without tdtop"},
};

#define MOUSE_HEADING "Mouse"

enum { KEYS_W = 14, WIDTH = 76 };

static struct help *help_of(const struct screen *sc) {
    return screen_popup(sc, &popup_help);
}

/* A page that is made of what has the text that is looked for. */
struct maker {
    struct screen *sc;
    struct page *p;
    char heading[128]; /* not put yet; "": it is, or there is none */
    int hits;
};

static bool is_wanted(const struct maker *mk, const char *left, const char *right) {
    const char *find = help_of(mk->sc)->find.text;
    return !find[0] || strcasestr(left, find) || strcasestr(right, find);
}

/* A heading is put when something below it is. */
static void put_heading(struct maker *mk) {
    struct help *h = help_of(mk->sc);
    if (!mk->heading[0])
        return;
    page_heading(mk->p, mk->heading);
    if (h->n_section < HELP_SECTIONS)
        h->section[h->n_section++] = mk->p->line - 1;
    mk->heading[0] = '\0';
}

static void put_line(struct maker *mk, enum style st, const char *left, const char *right) {
    put_heading(mk);
    page_item(mk->p, KEYS_W, st, left, STYLE_POPUP, right);
    mk->hits++;
}

static void put_item(struct maker *mk, enum style st, const char *left, const char *right) {
    if (is_wanted(mk, left, right))
        put_line(mk, st, left, right);
}

static void put_text(struct maker *mk, enum style st, const char *text) {
    if (!is_wanted(mk, "", text))
        return;
    put_heading(mk);
    page_text(mk->p, st, 0, NULL, text);
    mk->hits++;
}

/* --- sections --- */

/* Keys and words of a row; those of the key line where it has no others. False: it has neither. */
static bool row_words(const struct key_binding *k, char *left, size_t cap, const char **right) {
    const char *blank = k->brief ? strchr(k->brief, ' ') : NULL;
    char brief[64];
    *right = k->words ? k->words : blank ? blank + 1 : NULL;
    if (k->words)
        keys_show(k, left, cap);
    else if (blank && keys_brief(k, brief, sizeof(brief)))
        snprintf(left, cap, "%.*s", (int)strcspn(brief, " "), brief);
    return *right != NULL;
}

/* What counts in all views need not be said of one of them. */
static bool is_special(const struct key_binding *k, unsigned context) {
    return !keys_is_heading(k) && (k->where & context) &&
           (k->where & (IN_VIEW & ~IN_TREE)) != (IN_VIEW & ~IN_TREE);
}

static unsigned context_of(const struct screen *sc) {
    if (runs_shown(sc))
        return sc->runs->mode == RUNS_TREND ? IN_TREND : IN_RUNS;
    return keys_context_of(sc->scene.view);
}

/* Some rows share words: "< >" names the keys of two. */
static bool is_named_elsewhere(const struct key_binding *k, unsigned context) {
    char show[64];
    uint32_t key = keys_of(k)[0];
    for (size_t i = 0; !k->words && i < n_keys; i++)
        if (is_special(&keys[i], context) && keys[i].words && key < 0x7f &&
            strchr(keys_show(&keys[i], show, sizeof(show)), (int)key))
            return true;
    return false;
}

/* What is needed in any view, in a few words. */
static const struct {
    const char *name, *words; /* of the row; NULL words: its own */
} everywhere[] = {
    {"view-next", "the next view; or 1 .. 9"},
    {"snapshot", "store a snapshot"},
    {"baseline", "pin a baseline"},
    {"bench", "what has changed"},
    {"explain", "explain what is selected"},
    {"value", "where its value is from"},
    {"search", "search, filter"},
    {"mark", "mark this moment"},
    {"freeze", "freeze, go on"},
    {"slower", "interval longer; - shorter"},
    {"runs", "the stored runs"},
    {"palette", "any command by name"},
    {"settings", "settings"},
    {"save-screen", "save what is seen"},
    {"back", "back"},
    {"help", NULL},
    {"quit", NULL},
};

static const char *everywhere_words(const struct key_binding *k) {
    for (size_t i = 0; k->name && i < sizeof(everywhere) / sizeof(everywhere[0]); i++)
        if (strcmp(k->name, everywhere[i].name) == 0)
            return everywhere[i].words ? everywhere[i].words : k->words;
    return NULL;
}

/* The next row with words that is of this view alone (`here`), or is needed anywhere. */
static bool next_of(size_t *at, bool here, unsigned context, char *left, size_t cap,
                    const char **right) {
    while (++*at < n_keys) {
        const struct key_binding *k = &keys[*at];
        const char *general = everywhere_words(k);
        if (here ? !general && is_special(k, context) && !is_named_elsewhere(k, context) &&
                       row_words(k, left, cap, right)
                 : general && (k->where & context) && row_words(k, left, cap, right)) {
            *right = here ? *right : general;
            return true;
        }
    }
    return false;
}

/* Two columns of keys in one line; words with nothing beside them have all of it. */
static void put_columns(struct maker *mk, const char *const text[2][2], enum style st) {
    enum { GAP = 2, COLUMN_KEYS_W = 11 };
    const int w = (mk->p->r.w - GAP) / 2;
    put_heading(mk);
    struct page half[2] = {*mk->p, *mk->p};
    half[1].r.x += w + GAP;
    for (int i = 0; i < 2; i++) {
        half[i].r.w = i == 0 && !text[1][0][0] ? mk->p->r.w : w;
        page_pair(&half[i], COLUMN_KEYS_W, st, text[i][0], STYLE_POPUP, text[i][1]);
    }
    mk->p->line = half[0].line;
    mk->hits++;
}

/* What can be done in the view that the help lies over, beside what is needed anywhere: on one
 * screen. */
static void put_here(struct maker *mk) {
    enum { TWO_COLUMNS_FROM_W = 70 };
    const bool finds = help_of(mk->sc)->find.text[0], two = mk->p->r.w >= TWO_COLUMNS_FROM_W;
    const struct view *v = views_current(mk->sc);
    const unsigned context = context_of(mk->sc);
    char left[2][64] = {"", ""};
    size_t at[2] = {(size_t)-1, (size_t)-1};
    snprintf(mk->heading, sizeof(mk->heading), "Here: %s", context == IN_TREND ? "Trend" : v->name);
    if (v->about && context != IN_TREND)
        put_text(mk, STYLE_POPUP, v->about);
    for (bool more = true; more && !finds;) {
        const char *right[2] = {"", ""};
        const bool here = next_of(&at[0], true, context, left[0], sizeof(left[0]), &right[0]);
        const bool any =
            two && next_of(&at[1], false, context, left[1], sizeof(left[1]), &right[1]);
        const char *const text[2][2] = {{here ? left[0] : "", here ? right[0] : ""},
                                        {any ? left[1] : "", any ? right[1] : ""}};
        more = here || any;
        if (more && two)
            put_columns(mk, text, STYLE_KEY);
        else if (more)
            put_line(mk, STYLE_KEY, text[0][0], text[0][1]);
    }
}

/* The keys below one heading. */
static void put_keys(struct maker *mk, size_t heading) {
    char left[64];
    str_copy(mk->heading, sizeof(mk->heading), keys[heading].words);
    for (size_t i = heading + 1; i < n_keys && !keys_is_heading(&keys[i]); i++)
        if (keys[i].words)
            put_item(mk, STYLE_KEY, keys_show(&keys[i], left, sizeof(left)), keys[i].words);
}

static void put_all_keys(struct maker *mk) {
    for (size_t i = 0; i < n_keys; i++)
        if (keys_is_heading(&keys[i]))
            put_keys(mk, i);
}

static void put_filters(struct maker *mk) {
    str_copy(mk->heading, sizeof(mk->heading), "Words of a filter of runs");
    for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
        put_item(mk, STYLE_KEY, filters[i].word, filters[i].words);
}

/* A search for its heading finds all of it. */
static void put_mouse(struct maker *mk) {
    const char *find = help_of(mk->sc)->find.text;
    const bool all = find[0] && strcasestr(MOUSE_HEADING, find);
    str_copy(mk->heading, sizeof(mk->heading), MOUSE_HEADING);
    for (size_t i = 0; i < sizeof(mouse) / sizeof(mouse[0]); i++)
        if (all || is_wanted(mk, mouse[i].what, mouse[i].words))
            put_line(mk, STYLE_KEY, mouse[i].what, mouse[i].words);
}

static void put_signs(struct maker *mk) {
    char words[160];
    str_copy(mk->heading, sizeof(mk->heading), "Signs");
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
        put_item(mk, STYLE_VALUE, signs[i].sign,
                 keys_in_words(signs[i].words, words, sizeof(words)));
}

static void put_limits(struct maker *mk) {
    const struct model *m = scene_model(&mk->sc->scene);
    if (!m->limits || !m->limits[0])
        return;
    snprintf(mk->heading, sizeof(mk->heading), EXPLAIN_LIMITS, m->name);
    put_text(mk, STYLE_POPUP, m->limits);
}

/* --- the guide --- */

static void guide_heading(void *user, const char *text) {
    struct maker *mk = user;
    str_copy(mk->heading, sizeof(mk->heading), text);
}

static void guide_text(void *user, const char *text) {
    put_text(user, STYLE_POPUP, text);
}

static void guide_item(void *user, const char *text) {
    struct maker *mk = user;
    if (!is_wanted(mk, "", text))
        return;
    put_heading(mk);
    page_text(mk->p, STYLE_POPUP, 2, "•", text);
    mk->hits++;
}

/* The method, as `tdtop guide` prints it. */
static void put_guide(struct maker *mk) {
    const struct guide *g = &help_of(mk->sc)->guide;
    const struct text_sink sink = {guide_heading, guide_text, guide_text, guide_item, mk};
    for (size_t i = 0; i < g->n; i++) {
        snprintf(mk->heading, sizeof(mk->heading), "Guide %zu: %s", i + 1, g->page[i].title);
        guide_tell(&g->page[i], &sink);
    }
}

/* Returns how many lines of it there are to be shown; none: nothing was found. */
static int help_page(struct screen *sc, struct page *p) {
    struct maker mk = {.sc = sc, .p = p};
    char none[64];
    help_of(sc)->n_section = 0;
    p->match = help_of(sc)->find.text;
    put_here(&mk);
    if (runs_shown(sc))
        put_filters(&mk);
    put_all_keys(&mk);
    if (!runs_shown(sc))
        put_filters(&mk);
    put_mouse(&mk);
    put_signs(&mk);
    put_guide(&mk);
    put_limits(&mk);
    if (mk.hits == 0)
        page_text(p, STYLE_WARN, 0, NULL,
                  keys_in_words("No line has that. {close} shows all.", none, sizeof(none)));
    return mk.hits;
}

/* --- the popup --- */

/* The guide is read when help is opened for the first time; without memory it is left out. */
static void prepare(struct screen *sc, struct rect r) {
    (void)r;
    if (!help_of(sc)->guide.page)
        guide_load(&help_of(sc)->guide, NULL);
}

/* Pages as high as the popup: where in them one is. */
static void title_of(const struct screen *sc, int lines, int h, char *buf, size_t cap) {
    int n = h > 0 ? (lines + h - 1) / h : 1, at = h > 0 ? (sc->text.top + h - 1) / h + 1 : 1;
    struct strbuf sb = strbuf_on(buf, cap);
    strbuf_add(&sb, "Help");
    if (help_of(sc)->find.text[0])
        strbuf_add(&sb, ": lines with \"%s\"", help_of(sc)->find.text);
    if (n > 1)
        strbuf_add(&sb, " · page %d of %d", at < n ? at : n, n);
}

static void draw(struct screen *sc, struct canvas *c, struct rect r) {
    int w = WIDTH + 4 < r.w ? WIDTH : r.w - 4, h = r.h >= 8 ? r.h - 2 : r.h;
    struct page all = page_on(c, (struct rect){0, 0, w, 0}, 0); /* its lines, drawn nowhere */
    help_of(sc)->find.missing = help_page(sc, &all) == 0;
    sc->text.n = all.line;
    list_fit(&sc->text, h);
    char title[128];
    title_of(sc, all.line, h < all.line ? h : all.line, title, sizeof(title));
    struct page p = popup_begin(sc, c, r, WIDTH, all.line, title);
    help_page(sc, &p);
    popup_end(sc, &p);
}

static struct search *search(struct screen *sc) {
    return &help_of(sc)->find;
}

/* It is made again with each drawing, which says whether anything was found. */
static void look(struct screen *sc) {
    sc->text.top = 0;
}

static void destroy(void *state) {
    struct help *h = state;
    guide_free(&h->guide);
}

const struct overlay popup_help = {.name = "help",
                                   .context = IN_HELP,
                                   .state_size = sizeof(struct help),
                                   .destroy = destroy,
                                   .prepare = prepare,
                                   .draw = draw,
                                   .mouse = popup_mouse,
                                   .search = search,
                                   .look = look};

/* --- keys --- */

void action_help(struct screen *sc) {
    help_of(sc)->find = (struct search){.from = METRIC_NONE};
    screen_open(sc, sc->popup == &popup_help ? NULL : &popup_help);
}

void action_help_section(struct screen *sc, int by) {
    const struct help *h = help_of(sc);
    int to = by < 0 ? 0 : sc->text.top;
    for (int i = 0; i < h->n_section; i++) {
        const int at = h->section[i];
        if (by < 0 && at < sc->text.top)
            to = at;
        if (by > 0 && at > sc->text.top) {
            to = at;
            break;
        }
    }
    list_select(&sc->text, to);
}

void action_help_back(struct screen *sc) {
    if (!search_cancel(sc))
        screen_open(sc, NULL);
}
