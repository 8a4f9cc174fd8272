#include "ui/popup/palette.h"

#include "base/str.h"
#include "ui/draw/widget.h"
#include "ui/popup/popup.h"
#include "ui/screen/keys.h"
#include "ui/screen/screen.h"
#include "ui/screen/settings.h"
#include "ui/screen/views.h"
#include "ui/term/key_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    QUERY_MAX = 32,
    NAME_MAX = 64,
    HIT = 16,        /* a letter */
    IN_A_ROW = 14,   /* the letter before it is the one before */
    WORD_BEGIN = 12, /* of name, or behind a dash */
    FIRST = 8,       /* of the name */
    WHOLE = 60,      /* nothing is left over */
    LEAST_EACH = 14, /* letters strewn over a name by chance have less */
    GAP_MAX = 8,     /* what the widest gap costs */
    NEVER = -10000,
};

/* Small letters; blank, - and _ are one. */
static int palette_fold(int c) {
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 'a';
    return c == '_' || c == ' ' ? '-' : c;
}

struct palette *palette_of(const struct screen *sc) {
    return screen_popup(sc, &popup_palette);
}

static int bonus(const char *name, int i) {
    if (i == 0)
        return WORD_BEGIN + FIRST;
    return palette_fold(name[i - 1]) == '-' ? WORD_BEGIN : 0;
}

/* The letters of the query; what is blank at its ends does not count. */
static int letters(const char *query, char *out) {
    int n = 0;
    while (*query == ' ')
        query++;
    for (; *query && n < QUERY_MAX; query++)
        out[n++] = (char)palette_fold((unsigned char)*query);
    while (n > 0 && out[n - 1] == '-')
        n--;
    return n;
}

/* All letters are in the name, in order. */
static bool has_all(const char *q, int n, const char *name, int m) {
    int i = 0;
    for (int j = 0; j < m && i < n; j++)
        i += palette_fold((unsigned char)name[j]) == q[i];
    return i == n;
}

/*
 * best[i][j]: of the first i letters, the last of them at place j of the name. A gap costs a little
 * for each character up to GAP_MAX, so that of two places the nearer wins; of those farther away
 * the best is carried along. So it takes n * m steps.
 */
int palette_score(const char *query, const char *name, uint64_t *marks) {
    int best[QUERY_MAX][NAME_MAX], from[QUERY_MAX][NAME_MAX];
    char q[QUERY_MAX];
    int n = letters(query, q), m = (int)strlen(name);
    m = m < NAME_MAX ? m : NAME_MAX;
    if (marks)
        *marks = 0;
    if (n == 0)
        return 1;
    if (!has_all(q, n, name, m))
        return 0;
    for (int i = 0; i < n; i++) {
        int far = -1; /* the best place of the letter before, wider than GAP_MAX away */
        for (int j = 0; j < m; j++) {
            const int left = j - 1 - GAP_MAX; /* the newest of these */
            if (i > 0 && left >= 0 && best[i - 1][left] > NEVER &&
                (far < 0 || best[i - 1][left] > best[i - 1][far]))
                far = left;
            best[i][j] = NEVER;
            if (palette_fold((unsigned char)name[j]) != q[i])
                continue;
            int gain = HIT + bonus(name, j);
            if (i == 0) {
                best[0][j] = gain - (j < GAP_MAX ? j : GAP_MAX);
                continue;
            }
            if (far >= 0) {
                best[i][j] = best[i - 1][far] + gain - GAP_MAX;
                from[i][j] = far;
            }
            for (int k = left < 0 ? 0 : left + 1; k < j; k++) {
                int gap = j - k - 1;
                int sum = best[i - 1][k] + gain + (gap == 0 ? IN_A_ROW : -gap);
                if (best[i - 1][k] > NEVER && sum > best[i][j]) {
                    best[i][j] = sum;
                    from[i][j] = k;
                }
            }
        }
    }
    int end = -1;
    for (int j = 0; j < m; j++)
        if (best[n - 1][j] > NEVER && (end < 0 || best[n - 1][j] > best[n - 1][end]))
            end = j;
    if (end < 0)
        return 0;
    int score = best[n - 1][end] + (n == m ? WHOLE : 0) - m / 8;
    if (score < n * LEAST_EACH)
        return 0;
    for (int i = n - 1, j = end; marks && i >= 0; i--) {
        *marks |= 1ULL << j;
        j = i > 0 ? from[i][j] : j;
    }
    return score;
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- actions ---- */

/* What a row of a pair of keys does, whose words stand with the other one. */
static const char *words_of(const struct key_binding *k) {
    static const struct {
        const char *name, *words;
    } others[] = {
        {"level-shallower", "open one level less"},
        {"level-deeper", "open one level more"},
        {"earlier", "go to an earlier moment"},
        {"later", "go to a later moment"},
        {"begin-span", "a span of time begins here"},
        {"end-span", "the span ends here; its sums are shown"},
        {"column-left", "sort by the column to the left, or show that share"},
        {"column-right", "sort by the column to the right, or show that share"},
        {"runs-fold", "close the group"},
        {"runs-unfold", "open the group"},
        {"runs-back", "back from the stored runs"},
        {"quit", "end tdtop"},
        {"themes", "choose a theme; each is shown at once"},
        {"copy-table", "copy the table as it is seen"},
        {"sql", "rows of the last hour: sql SELECT metric, value FROM run_values"},
        {"when", "store the minutes around what a rule finds: when DRAM_Bound > 30% for 2s"},
    };
    for (size_t i = 0; i < COUNT(others); i++)
        if (strcmp(others[i].name, k->name) == 0)
            return others[i].words;
    return k->words;
}

static const struct view *view_of(const struct key_binding *k) {
    return k->back ? NULL : k->view;
}

/* Views are moved in with arrows, not by typing; what is typed into has keys of its own. */
static bool is_offered(const struct key_binding *k) {
    static const char *const moves[] = {"up",   "down",  "page-up", "page-down",
                                        "left", "right", "palette"};
    unsigned typing =
        IN_TYPING | IN_POPUP | IN_OVER | IN_EXPLAIN | IN_HELP | IN_SETTINGS | IN_THEMES;
    if (keys_is_heading(k) || !k->name || !(k->where & ~typing))
        return false;
    for (size_t i = 0; i < COUNT(moves); i++)
        if (strcmp(k->name, moves[i]) == 0)
            return false;
    if (str_starts(k->name, "view-") && !view_of(k))
        return strcmp(k->name, "view-next") == 0 || strcmp(k->name, "view-previous") == 0;
    return view_of(k) || words_of(k);
}

static bool is_first_of_name(size_t i) {
    for (size_t k = 0; k < i; k++)
        if (keys[k].name && is_offered(&keys[k]) && strcmp(keys[k].name, keys[i].name) == 0)
            return false;
    return true;
}

/* The row of that name that counts in a context, or NULL. */
static const struct key_binding *binding_in(const char *name, unsigned where) {
    for (size_t i = 0; i < n_keys; i++)
        if (keys[i].name && strcmp(keys[i].name, name) == 0 && (keys[i].where & where))
            return &keys[i];
    return NULL;
}

/* "Tree, Threads": the views in which an action counts; "" if in all. */
static const char *places(const char *name, char *buf, size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    buf[0] = '\0';
    for (int i = 0; i < n_views; i++)
        if (binding_in(name, keys_context_of(views[i])))
            strbuf_add(&sb, "%s%s", sb.n ? ", " : "", views[i]->name);
    if (binding_in(name, keys_context_of(&view_where))) /* no tab leads there */
        strbuf_add(&sb, "%s%s", sb.n ? ", " : "", view_where.name);
    return buf;
}

static const char *key_text(const struct key_binding *k, char *buf, size_t cap) {
    if (view_of(k)) /* the help names one for all of them */
        return key_name(keys_of(k)[0], buf, cap);
    keys_show(k, buf, cap);
    return buf[0] ? buf : key_name(keys_of(k)[0], buf, cap);
}

/* ---- settings ---- */

int palette_values(struct screen *sc, int setting, const char **out, int cap) {
    struct settings *set = sc->settings;
    const struct setting_row *r = &set->row[setting];
    int n = 0;
    if (strcmp(r->key, "theme") == 0)
        for (int i = 0; i < set->themes.n && n < cap; i++)
            out[n++] = set->themes.at[i].name;
    for (int i = 0; i < SETTING_CHOICES && r->choice[i] && n < cap; i++)
        out[n++] = r->choice[i];
    return n;
}

/* The setting that the text begins with, if a blank follows; *rest gets what is behind. Or -1. */
static int setting_in(const struct screen *sc, const char *text, const char **rest) {
    const struct settings *set = sc->settings;
    size_t n = strcspn(text, " ");
    for (int i = 0; set && text[n] == ' ' && i < set->n; i++)
        if (strlen(set->row[i].key) == n && strncmp(set->row[i].key, text, n) == 0) {
            *rest = text + n + strspn(text + n, " ");
            return i;
        }
    return -1;
}

/* ---- the list ---- */

static void add(struct palette *p, enum palette_kind kind, int at, bool here, int score,
                uint64_t marks) {
    if (score > 0 && p->list.n < PALETTE_HITS)
        p->hit[p->list.n++] = (struct palette_hit){kind, at, here, score, marks};
}

/* All words of the query are in the description: less than any hit of a name. */
static int score_words(const char *query, const char *words) {
    enum { LEAST = 3 };
    char low[320], q[FORM_CAP];
    size_t i = 0;
    if (!words || strlen(query) < LEAST)
        return 0;
    for (; words[i] && i + 1 < sizeof(low); i++)
        low[i] = (char)palette_fold((unsigned char)words[i]);
    low[i] = '\0';
    for (i = 0; query[i] && i + 1 < sizeof(q); i++)
        q[i] = (char)(query[i] == ' ' ? ' ' : palette_fold((unsigned char)query[i]));
    q[i] = '\0';
    char *save = NULL;
    for (char *w = strtok_r(q, " ", &save); w; w = strtok_r(NULL, " ", &save))
        if (!strstr(low, w))
            return 0;
    return 2;
}

/* What can be done here comes before what cannot. */
static int rank(const char *query, const char *name, const char *words, bool here,
                uint64_t *marks) {
    enum { HERE = 6 };
    int score = palette_score(query, name, marks);
    if (score == 0)
        score = score_words(query, words);
    return score ? score + (here ? HERE : 0) : 0;
}

/* The action that a text goes with, which stands behind its name: "mark warm-up". NULL: none. */
static const struct key_binding *with_text(const char *line, const char **text) {
    const size_t n = strcspn(line, " ");
    for (size_t i = 0; i < n_keys && line[n]; i++)
        if (keys[i].with && strlen(keys[i].name) == n && strncmp(keys[i].name, line, n) == 0) {
            *text = line + n + strspn(line + n, " ");
            return **text ? &keys[i] : NULL;
        }
    return NULL;
}

/* They are the same as long as it is open. */
static void find_names(struct palette *p) {
    p->n_name = 0;
    for (size_t i = 0; i < n_keys && p->n_name < PALETTE_NAMES; i++)
        if (is_offered(&keys[i]) && is_first_of_name(i))
            p->name[p->n_name++] =
                (struct palette_name){(int)i, binding_in(keys[i].name, p->where) != NULL};
}

static void list_names(struct screen *sc, const char *query) {
    struct palette *p = palette_of(sc);
    uint64_t marks;
    const char *text;
    const struct key_binding *with = with_text(query, &text);
    query = with ? with->name : query;
    for (int i = 0; i < p->n_name; i++) {
        const struct palette_name *nm = &p->name[i];
        const struct key_binding *k = &keys[nm->at];
        if (with && strcmp(k->name, with->name) != 0)
            continue;
        int score = rank(query, k->name, words_of(k), nm->here, &marks);
        add(p, PALETTE_ACTION, nm->at, nm->here, score, marks);
    }
    for (int i = 0; sc->settings && !with && i < sc->settings->n; i++) {
        const struct setting_row *r = &sc->settings->row[i];
        int score = rank(query, r->key, r->help, true, &marks);
        add(p, PALETTE_SETTING, i, true, score, marks);
    }
}

static void list_values(struct screen *sc, const char *query) {
    struct palette *p = palette_of(sc);
    const char *value[THEMES_MAX + SETTING_CHOICES];
    int n = palette_values(sc, p->setting, value, COUNT(value));
    uint64_t marks;
    for (int i = 0; i < n; i++) {
        int score = palette_score(query, value[i], &marks);
        add(p, PALETTE_VALUE, i, true, score, marks);
    }
}

/* Of equals the order of the tables stays. */
static int by_score(const void *a, const void *b) {
    const struct palette_hit *x = a, *y = b;
    if (x->score != y->score)
        return y->score - x->score;
    return x->kind != y->kind ? (int)x->kind - (int)y->kind : x->at - y->at;
}

/* The text has changed. What fits it is looked for when it is needed: whole lines may come at once.
 */
static void changed(struct palette *p) {
    p->stale = true;
    p->problem[0] = '\0';
}

void palette_settle(struct screen *sc) {
    struct palette *p = palette_of(sc);
    const char *rest = "";
    if (!p->stale)
        return;
    p->stale = false;
    list_reset(&p->list);
    p->list.n = 0;
    p->setting = setting_in(sc, p->text.text, &rest);
    if (p->setting >= 0)
        list_values(sc, rest);
    else
        list_names(sc, p->text.text);
    qsort(p->hit, (size_t)p->list.n, sizeof(p->hit[0]), by_score);
}

/* Of a theme: whose it is, or why it cannot be used. */
static const char *theme_words(const struct screen *sc, const struct setting_row *r, int at) {
    const struct theme_list *l = &sc->settings->themes;
    if (strcmp(r->key, "theme") != 0 || at >= l->n)
        return "";
    return l->at[at].problem[0] ? l->at[at].problem : l->at[at].own ? "yours" : "";
}

void palette_row(struct screen *sc, const struct palette_hit *h, struct palette_row *out) {
    const char *value[THEMES_MAX + SETTING_CHOICES];
    *out = (struct palette_row){"", "", "", ""};
    if (h->kind == PALETTE_ACTION) {
        const struct key_binding *k = &keys[h->at];
        const struct key_binding *here = binding_in(k->name, palette_of(sc)->where);
        k = here ? here : k;
        out->name = k->name;
        out->keys = key_text(k, out->buf, 24);
        const char *words = words_of(k) ? words_of(k) : words_of(&keys[h->at]);
        char where[96];
        if (view_of(k))
            snprintf(out->buf + 24, sizeof(out->buf) - 24, "the view %s", view_of(k)->name);
        else if (!h->here)
            snprintf(out->buf + 24, sizeof(out->buf) - 24, "(in %s) %s",
                     places(k->name, where, sizeof(where)), words ? words : "");
        else
            str_copy(out->buf + 24, sizeof(out->buf) - 24, words ? words : "");
        out->words = out->buf + 24;
        return;
    }
    const struct setting_row *r =
        &sc->settings->row[h->kind == PALETTE_VALUE ? palette_of(sc)->setting : h->at];
    if (h->kind == PALETTE_SETTING) {
        out->name = r->key;
        snprintf(out->buf, sizeof(out->buf), "= %s", r->value[0] ? r->value : "\"\"");
        out->keys = out->buf;
        out->words = r->help;
        return;
    }
    int n = palette_values(sc, palette_of(sc)->setting, value, COUNT(value));
    out->name = h->at < n ? value[h->at] : "";
    out->keys = strcmp(out->name, r->value) == 0 ? "now" : "";
    out->words = strcmp(out->name, r->preset) == 0 ? "the default" : theme_words(sc, r, h->at);
}

/* ---- life ---- */

void palette_open(struct screen *sc, const char *text) {
    struct palette *p = palette_of(sc);
    sc->popup = NULL; /* what is done is done to what lies below */
    p->where = keys_context(sc);
    screen_open(sc, &popup_palette);
    if (sc->settings) {
        theme_list_read(&sc->settings->themes, NULL);
        settings_look(sc);
    }
    find_names(p);
    form_set(&p->text, text);
    p->past_at = 0;
    changed(p);
}

void palette_close(struct screen *sc) {
    sc->popup = NULL;
}

static void type(struct screen *sc, uint32_t key) {
    struct palette *p = palette_of(sc);
    if (key == KEYC_BACKSPACE && !p->text.text[0]) {
        palette_close(sc);
        return;
    }
    if (form_key(&p->text, key)) {
        p->past_at = 0;
        changed(p);
    }
}

static bool paste(struct screen *sc, const char *text) {
    form_paste(&palette_of(sc)->text, text);
    palette_of(sc)->past_at = 0;
    changed(palette_of(sc));
    return true;
}

static void show_past(struct screen *sc) {
    struct palette *p = palette_of(sc);
    form_set(&p->text, p->past_at ? p->past[p->n_past - p->past_at] : "");
    changed(p);
}

/* Who goes down the list does not go back in what was typed before. */
static void leave_past(void *palette) {
    struct palette *p = palette;
    p->past_at = 0;
}

/* For keys and mouse to move in. */
static struct list *palette_list(struct screen *sc) {
    struct palette *p = palette_of(sc);
    palette_settle(sc);
    p->list.wheel = 1;
    p->list.moved = leave_past;
    p->list.owner = p;
    return &p->list;
}

void palette_move(struct screen *sc, int rows) {
    struct palette *p = palette_of(sc);
    palette_settle(sc);
    if (rows < 0 && (p->list.at == 0 || p->past_at)) {
        if (p->past_at < p->n_past) {
            p->past_at++;
            show_past(sc);
        }
        return;
    }
    if (rows > 0 && p->past_at) {
        p->past_at--;
        show_past(sc);
        return;
    }
    list_move(palette_list(sc), rows);
}

static void remember(struct palette *p, const char *line) {
    if (!line[0] || strlen(line) >= PALETTE_LINE ||
        (p->n_past && strcmp(p->past[p->n_past - 1], line) == 0))
        return;
    if (p->n_past == PALETTE_PAST) {
        memmove(p->past[0], p->past[1], sizeof(p->past) - sizeof(p->past[0]));
        p->n_past--;
    }
    str_copy(p->past[p->n_past++], PALETTE_LINE, line);
}

/* The line that the selected row stands for; "" if there is none. */
static void line_of(struct screen *sc, char *out, size_t cap) {
    struct palette *p = palette_of(sc);
    struct palette_row row;
    out[0] = '\0';
    if (p->list.n == 0)
        return;
    const struct palette_hit *h = &p->hit[p->list.at];
    palette_row(sc, h, &row);
    if (h->kind == PALETTE_VALUE)
        snprintf(out, cap, "%s %s", sc->settings->row[p->setting].key, row.name);
    else
        snprintf(out, cap, "%s%s", row.name, h->kind == PALETTE_SETTING ? " " : "");
}

void palette_complete(struct screen *sc) {
    char line[PALETTE_LINE];
    palette_settle(sc);
    line_of(sc, line, sizeof(line));
    if (!line[0])
        return;
    palette_of(sc)->past_at = 0;
    form_set(&palette_of(sc)->text, line);
    changed(palette_of(sc));
}

/* ---- Enter ---- */

static void run_action(struct screen *sc, const struct palette_hit *h) {
    struct palette *p = palette_of(sc);
    const char *name = keys[h->at].name;
    const struct key_binding *k = binding_in(name, p->where);
    char where[96];
    if (!k) {
        snprintf(p->problem, sizeof(p->problem), "%s counts in %s: go there first", name,
                 places(name, where, sizeof(where)));
        return;
    }
    const char *text;
    const bool with = with_text(p->text.text, &text) && k->with;
    remember(p, with ? p->text.text : name);
    palette_close(sc);
    if (with)
        k->with(sc, text);
    else
        keys_do(sc, k);
}

/* The row that is selected; what is typed where nothing fits it, or where values are many and those
 * that are listed only the usual ones. */
static void run_value(struct screen *sc, const char *typed) {
    struct palette *p = palette_of(sc);
    const struct setting_row *r = &sc->settings->row[p->setting];
    struct palette_row row = {.name = ""};
    char value[SETTING_CAP], line[PALETTE_LINE + SETTING_CAP];
    if (p->list.n > 0)
        palette_row(sc, &p->hit[p->list.at], &row);
    bool takes =
        r->open && typed[0] && sc->settings->check && sc->settings->check(r->key, typed, NULL) == 0;
    bool chosen = p->list.n > 0 && (p->list.at > 0 || !takes);
    str_copy(value, sizeof(value), chosen ? row.name : typed);
    for (size_t n = strlen(value); n > 0 && value[n - 1] == ' ';)
        value[--n] = '\0';
    if (settings_set(sc, r->key, value) < 0) {
        str_copy(p->problem, sizeof(p->problem), sc->message);
        sc->message[0] = '\0';
        return;
    }
    snprintf(line, sizeof(line), "%s %s", r->key, value);
    remember(p, line);
    palette_close(sc);
}

void palette_accept(struct screen *sc) {
    struct palette *p = palette_of(sc);
    const char *rest = "";
    palette_settle(sc);
    p->problem[0] = '\0';
    if (setting_in(sc, p->text.text, &rest) >= 0)
        run_value(sc, rest);
    else if (p->list.n == 0)
        snprintf(p->problem, sizeof(p->problem),
                 "no action and no setting has these letters in this order");
    else if (p->hit[p->list.at].kind == PALETTE_SETTING)
        palette_complete(sc); /* its values */
    else
        run_action(sc, &p->hit[p->list.at]);
}

/* ---- drawing ---- */

enum {
    WIDTH = 92,
    HEIGHT = 22,
    NAME_W = 18,
    VALUE_W = 32,
    KEYS_W = 13,
    ABOVE = 2 /* lines over the list */
};

/* Lines of the list in a room; the last line of the box is for a problem. */
static int list_lines(int h) {
    return h - ABOVE - 1 > 1 ? h - ABOVE - 1 : 1;
}

static int box_lines(struct rect r) {
    return HEIGHT + 2 < r.h ? HEIGHT : r.h >= 8 ? r.h - 2 : r.h;
}

static struct rect rows_in(struct rect in) {
    return (struct rect){in.x, in.y + ABOVE, in.w, list_lines(in.h)};
}

static void prepare(struct screen *sc, struct rect r) {
    list_reset(&sc->text);
    list_fit(palette_list(sc), list_lines(popup_inner(r, WIDTH, box_lines(r)).h));
}

/* The letters that were typed stand out. */
static void draw_name(struct canvas *c, struct rect r, int x, int y, enum style st,
                      const char *name, int w, uint64_t marks) {
    struct rect cell = {x, y, w - 1, 1};
    cell.w = x + cell.w > r.x + r.w ? r.x + r.w - x : cell.w;
    widget_text(c, cell, x, y, cell.w, st, name);
    for (int i = 0; i < cell.w - 1 && name[i] && i < 64; i++)
        if (marks & (1ULL << i))
            canvas_put(c, cell, x + i, y, STYLE_MATCH, (unsigned char)name[i]);
}

static void draw_row(struct screen *sc, struct canvas *c, struct rect r, int at) {
    const struct palette *p = palette_of(sc);
    const struct palette_hit *h = &p->hit[at];
    struct palette_row row;
    palette_row(sc, h, &row);
    enum style st = h->here ? STYLE_POPUP : STYLE_DIM;
    bool on = at == p->list.at && !p->past_at;
    if (at == p->list.at)
        canvas_text(c, r, r.x, r.y, STYLE_VALUE, "▸");
    int w = h->kind == PALETTE_VALUE ? VALUE_W : NAME_W;
    draw_name(c, r, r.x + 2, r.y, h->here ? STYLE_VALUE : STYLE_DIM, row.name, w, h->marks);
    int x = r.x + 2 + w, end = r.x + r.w;
    if (x < end)
        widget_text(c, r, x, r.y, KEYS_W - 1 < end - x ? KEYS_W - 1 : end - x,
                    h->here ? STYLE_KEY : STYLE_DIM, row.keys);
    x += KEYS_W;
    if (x < end)
        widget_text(c, r, x, r.y, end - x, st, row.words);
    if (on)
        canvas_select(c, r);
}

static void draw_input(const struct palette *p, struct canvas *c, struct rect r) {
    char text[32];
    snprintf(text, sizeof(text), "%d", p->list.n);
    canvas_text(c, r, r.x, r.y, STYLE_KEY, ":");
    widget_right(c, r, r.x + r.w - 6, r.y, 6, STYLE_LABEL, text);
    form_draw(&p->text, c, r, r.x + 2, r.y, r.w - 9, STYLE_VALUE, true);
}

static void draw_foot(const struct palette *p, struct canvas *c, struct rect r) {
    int y = r.y + r.h - 1;
    char words[64];
    if (p->problem[0])
        widget_text(c, r, r.x, y, r.w, STYLE_ERROR, p->problem);
    else if (p->past_at)
        widget_text(
            c, r, r.x, y, r.w, STYLE_LABEL,
            keys_in_words("typed before: {palette-accept} does it again", words, sizeof(words)));
    else if (p->list.n == 0 && p->setting >= 0)
        widget_text(c, r, r.x, y, r.w, STYLE_LABEL,
                    keys_in_words("{palette-accept} takes what is typed", words, sizeof(words)));
    else if (p->list.n == 0)
        widget_text(c, r, r.x, y, r.w, STYLE_WARN,
                    "no action and no setting has these letters in this order");
    else if (p->n_past && !p->text.text[0])
        widget_text(c, r, r.x, y, r.w, STYLE_LABEL, "Up: what was typed before");
}

static void draw(struct screen *sc, struct canvas *c, struct rect r) {
    struct palette *p = palette_of(sc);
    char title[96];
    if (p->setting >= 0)
        snprintf(title, sizeof(title), "Palette: values of %s", sc->settings->row[p->setting].key);
    else
        str_copy(title, sizeof(title), "Palette");
    struct page page = popup_begin(sc, c, r, WIDTH, box_lines(r), title);
    struct rect in = page.r;
    struct rect line;
    draw_input(p, c, in);
    for (int i = 0, at; list_line(&p->list, rows_in(in), i, &line, &at); i++)
        draw_row(sc, c, line, at);
    draw_foot(p, c, in);
}

static void mouse(struct screen *sc, struct rect r, const struct mouse *m) {
    if (list_mouse(palette_list(sc), rows_in(popup_inner(r, WIDTH, box_lines(r))), m) == LIST_AGAIN)
        palette_accept(sc);
}

const struct overlay popup_palette = {.name = "palette",
                                      .context = IN_PALETTE,
                                      .own_keys = true,
                                      .state_size = sizeof(struct palette),
                                      .prepare = prepare,
                                      .draw = draw,
                                      .mouse = mouse,
                                      .list = palette_list,
                                      .type = type,
                                      .paste = paste};
