#include "ui/runs/runs_view.h"

#include "base/clock.h"
#include "base/str.h"
#include "base/when.h"
#include "ui/draw/page.h"
#include "ui/draw/widget.h"
#include "ui/draw/words.h"
#include "ui/runs/runs_columns.h"
#include "ui/runs/runs_open.h"
#include "ui/screen/keys.h"
#include "ui/screen/screen.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LOOK_NS NS_PER_S /* another process's runs are seen this soon */

void runs_view_init(struct runs_view *rv, const char *path) {
    *rv = (struct runs_view){0};
    runs_init(&rv->list, path);
}

void runs_view_destroy(struct runs_view *rv) {
    runs_open_free(rv->open);
    runs_trend_free(&rv->trend);
    runs_undo_free(&rv->undo);
    run_free(&rv->about);
    runs_mark_free(&rv->asked_of);
    runs_destroy(&rv->list);
    *rv = (struct runs_view){0};
}

bool runs_shown(const struct screen *sc) {
    return sc->runs && sc->runs->mode != RUNS_HIDDEN && !sc->opened &&
           sc->scene.view != &view_bench;
}

bool runs_alone(const struct screen *sc) {
    return sc->runs && sc->runs->alone && !sc->opened;
}

struct screen *runs_top(struct screen *sc) {
    return sc->runs && sc->runs->open ? &sc->runs->open->sc : sc;
}

void runs_key(struct screen *sc, uint32_t key, const struct mouse *m) {
    struct runs_view *rv = sc->runs;
    screen_key(runs_top(sc), key, m);
    if (!rv || !rv->closing)
        return;
    rv->closing = false;
    runs_open_free(rv->open);
    rv->open = NULL;
    sc->repaint = true;
}

uint64_t runs_due_ns(const struct runs_view *rv) {
    return rv->mode == RUNS_LIST && !rv->open ? rv->looked_ns + LOOK_NS : 0;
}

bool runs_tick(struct runs_view *rv, uint64_t now_ns) {
    const uint64_t due_ns = runs_due_ns(rv);
    if (!due_ns || now_ns < due_ns)
        return false;
    rv->looked_ns = now_ns;
    return runs_look(&rv->list);
}

const char *runs_value(const struct runs *r, double v, char *buf, size_t cap) {
    const struct metric mt = {.name = r->metric, .share = r->share, .unit = r->unit};
    return words_value(buf, cap, &mt, v);
}

const char *runs_mean(const struct runs *r, double mean, double sd, char *buf, size_t cap) {
    const struct metric mt = {.name = r->metric, .share = r->share, .unit = r->unit};
    char value[32], spread[32];
    if (isnan(sd))
        return runs_value(r, mean, buf, cap);
    words_err(spread, sizeof(spread), &mt, mean, sd);
    words_value(value, sizeof(value), &mt, mean);
    const size_t digits = strspn(value, "-0123456789.");
    snprintf(buf, cap, "%.*s ± %s%s", (int)digits, value, spread, value + digits);
    return buf;
}

/* ---- drawing ---- */

/* Above the lines what is meant and how many that are; below them the selected one in full. */

/* ---- where ---- */

struct parts {
    struct rect title, head, rows, foot;
};

static struct parts parts_of(struct rect r) {
    struct parts p = {.title = {r.x, r.y, r.w, r.h >= 5}};
    p.head = (struct rect){r.x, r.y + p.title.h, r.w, r.h >= 3};
    const int foot = r.h >= 14 ? 2 : r.h >= 6 ? 1 : 0;
    p.foot = (struct rect){r.x, r.y + r.h - foot, r.w, foot};
    const int above = p.title.h + p.head.h;
    p.rows = (struct rect){r.x, r.y + above, r.w, r.h - above - foot};
    return p;
}

/* Lines of runs in r. */
static int lines_in(struct rect r) {
    const int h = parts_of(r).rows.h;
    return h > 0 ? h : 0;
}

void runs_prepare(struct screen *sc, struct rect r) {
    struct runs *list = &sc->runs->list;
    list_fit(&list->rows, lines_in(r));
    runs_fetch(list, (uint64_t)list->rows.top, (uint64_t)list->rows.lines);
}

/* ---- above ---- */

/* What all of them have in common, beside what was asked for. */
static void add_common(const struct runs *r, struct strbuf *sb) {
    const struct runs_survey *s = &r->survey;
    char safe[160], pair[160];
    if (s->process[0])
        strbuf_add(sb, " · %s", str_safe(safe, sizeof(safe), s->process));
    for (unsigned i = 0; i < s->n_label && s->whole && s->n > 1; i++) {
        if (s->label[i].varies || s->label[i].automatic)
            continue;
        snprintf(pair, sizeof(pair), "%s=%s", s->label[i].key, s->label[i].value);
        if (!strstr(r->filter_text, pair))
            strbuf_add(sb, " · %s", str_safe(safe, sizeof(safe), pair));
    }
}

/* All groups are closed: the line above them is the axis of their dots. */
static bool has_axis(const struct runs *r) {
    return r->key[0] && r->rows.n == (int)r->n_group;
}

static void add_choice(const struct runs *r, struct strbuf *sb) {
    char safe[160], least[64], most[64];
    if (r->key[0])
        strbuf_add(sb, " in %u group%s by %s · %s", r->n_group, r->n_group == 1 ? "" : "s", r->key,
                   r->metric);
    if (r->key[0] && !has_axis(r) && !isnan(r->survey.least))
        strbuf_add(sb, " %s to %s", runs_value(r, r->survey.least, least, sizeof(least)),
                   runs_value(r, r->survey.most, most, sizeof(most)));
    if (r->filter_text[0])
        strbuf_add(sb, " · filter %s", str_safe(safe, sizeof(safe), r->filter_text));
    if (r->text[0])
        strbuf_add(sb, " · with \"%s\"", str_safe(safe, sizeof(safe), r->text));
}

static void draw_title(const struct runs *r, struct canvas *c, struct rect at) {
    char text[512], path[256];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    strbuf_add(&sb, "%s%llu %srun%s",
               r->newest ? "the newest "
               : r->more ? "more than "
                         : "",
               (unsigned long long)r->total, r->removed ? "removed " : "",
               r->total == 1 ? "" : "s");
    add_choice(r, &sb);
    add_common(r, &sb);
    int x = at.x + 1;
    if (r->survey.simulated)
        x += canvas_text(c, at, x, at.y, STYLE_SIMULATED, "SIMULATED") + 1;
    if (r->state == RUNS_READY)
        x += widget_text(c, at, x, at.y, at.x + at.w - x - 1, STYLE_VALUE, text) + 2;
    str_safe(path, sizeof(path), r->store.path);
    const int room = at.x + at.w - 1 - x, w = str_width(path);
    if (w <= room)
        widget_right(c, at, x, at.y, room, STYLE_DIM, path);
}

static const struct {
    const char *name;
    int sort; /* of runs_sorts, or -1 */
    bool right;
    const char *whole; /* the name, where all four have room */
} heads[RUNS_COL_N] = {
    [RUNS_COL_MARK] = {"", -1, false, NULL},
    [RUNS_COL_ID] = {"run", -1, false, NULL},
    [RUNS_COL_BEGUN] = {"begun", 0, false, NULL},
    [RUNS_COL_PROCESS] = {"process", 1, false, NULL},
    [RUNS_COL_DURATION] = {"length", 2, true, NULL},
    [RUNS_COL_FRONTEND] = {"FE", RUNS_SORT_TOP, true, "Frontend"},
    [RUNS_COL_BADSPEC] = {"BS", RUNS_SORT_TOP + 1, true, "Bad spec"},
    [RUNS_COL_BACKEND] = {"BE", RUNS_SORT_TOP + 2, true, "Backend"},
    [RUNS_COL_RETIRING] = {"RET", RUNS_SORT_TOP + 3, true, "Retiring"},
    [RUNS_COL_METRIC] = {"", RUNS_SORT_METRIC, true, NULL},
    [RUNS_COL_BOTTLENECK] = {"bottleneck", -1, false, NULL},
    [RUNS_COL_SHARE] = {"share", -1, true, NULL},
    [RUNS_COL_MODEL] = {"model", 3, false, NULL},
    [RUNS_COL_LABELS] = {"", -1, false, NULL},
    [RUNS_COL_BAR] = {"level 1", -1, false, NULL},
};
static const enum style hues[] = {STYLE_FRONTEND, STYLE_BADSPEC, STYLE_BACKEND, STYLE_RETIRING};

static void draw_head(const struct runs *r, struct canvas *c, struct rect at, int column,
                      const struct runs_place *p) {
    const bool sorted = heads[column].sort == r->sort;
    const char *mark = !sorted ? "" : runs_descend(r) ? "▾" : "▴";
    const char *name = column == RUNS_COL_METRIC                ? r->metric
                       : column == RUNS_COL_BEGUN && r->removed ? "removed"
                                                                : heads[column].name;
    if (heads[column].whole && str_width(heads[column].whole) + str_width(mark) <= p->w)
        name = heads[column].whole;
    enum style st = STYLE_LABEL;
    if (column >= RUNS_COL_FRONTEND && column <= RUNS_COL_RETIRING)
        st = hues[column - RUNS_COL_FRONTEND];
    if (sorted)
        st = STYLE_TITLE;
    int x = at.x + 1 + p->x, w = p->w - str_width(mark);
    if (heads[column].right)
        widget_right(c, at, x, at.y, w, st, name), x += w;
    else
        x += widget_text(c, at, x, at.y, w, st, name);
    canvas_text(c, at, x, at.y, st, mark);
}

/* ---- labels that vary ---- */

static void place_columns(const struct runs *r, int w, struct runs_place *out) {
    const struct runs_differ d = {.labels = runs_survey_width(r),
                                  .process = !r->survey.process[0],
                                  .model = !r->survey.model[0],
                                  .slots = r->survey.slots};
    runs_columns(w, &d, out);
}

/* The next label from *i on that has a column, and where that is in the column of all; NULL. */
static const struct survey_label *next_label(const struct runs *r, unsigned *i,
                                             const struct runs_place *all, struct runs_place *at) {
    enum { LEAST = 3 };
    at->x = *i == 0 ? all->x : at->x + at->w + 1;
    for (; *i < r->survey.n_label; ++*i) {
        const struct survey_label *l = &r->survey.label[*i];
        const int room = all->x + all->w - at->x;
        if (!runs_survey_is_column(r, l))
            continue;
        at->w = l->w < room ? l->w : room;
        ++*i;
        return at->w >= LEAST || at->w == l->w ? l : NULL;
    }
    return NULL;
}

static void draw_label_heads(const struct runs *r, struct canvas *c, struct rect at,
                             const struct runs_place *all) {
    const struct survey_label *l;
    struct runs_place p = {0, 0};
    char safe[80];
    for (unsigned i = 0; all->w && (l = next_label(r, &i, all, &p));)
        widget_text(c, at, at.x + 1 + p.x, at.y, p.w, STYLE_LABEL,
                    str_safe(safe, sizeof(safe), l->key));
}

/* ---- a run ---- */

struct line {
    struct canvas *c;
    struct rect r;
    const struct runs_place *place;
    const struct runs *runs;
    const struct run_row *row;
    int mark; /* 0, 1, or -1 */
};

static void put(const struct line *l, int column, enum style st, const char *text) {
    const struct runs_place *p = &l->place[column];
    const int x = l->r.x + 1 + p->x;
    if (p->w == 0)
        return;
    if (heads[column].right)
        widget_right(l->c, l->r, x, l->r.y, p->w, st, text);
    else
        widget_text(l->c, l->r, x, l->r.y, p->w, st, text);
}

static void put_safe(const struct line *l, int column, enum style st, const char *text) {
    char safe[256];
    put(l, column, st, str_safe(safe, sizeof(safe), text));
}

static void put_labels(const struct line *l) {
    const struct survey_label *label;
    struct runs_place p = {0, 0};
    char safe[256];
    const struct runs_place *all = &l->place[RUNS_COL_LABELS];
    for (unsigned i = 0; all->w && (label = next_label(l->runs, &i, all, &p));) {
        const char *value = run_row_label(l->row, label->key);
        widget_text(l->c, l->r, l->r.x + 1 + p.x, l->r.y, p.w, value ? STYLE_TEXT : STYLE_DIM,
                    value ? str_safe(safe, sizeof(safe), value) : "-");
    }
}

/* The last name of a path: "L3_Bound". */
static const char *leaf(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : path;
}

/* That of the root the path begins with. */
static enum style hue_of(const char *path) {
    for (int i = 0; i < 4; i++)
        if (str_starts(path, runs_sorts[RUNS_SORT_TOP + i].metric))
            return hues[i];
    return path[0] ? STYLE_VALUE : STYLE_DIM;
}

static void put_process(const struct line *l) {
    const struct runs_place *p = &l->place[RUNS_COL_PROCESS];
    char safe[128];
    int x = l->r.x + 1 + p->x, w = p->w;
    if (w && l->row->simulated) {
        const int used = canvas_text(l->c, l->r, x, l->r.y, STYLE_SIMULATED, "SIM") + 1;
        x += used;
        w -= used;
    }
    widget_text(l->c, l->r, x, l->r.y, w, STYLE_TEXT,
                str_safe(safe, sizeof(safe), l->row->process));
}

static void put_share(const struct line *l, int column, enum style st, double v) {
    char text[16];
    if (isnan(v))
        str_copy(text, sizeof(text), "n/a");
    else
        snprintf(text, sizeof(text), "%.1f%%", v * 100);
    put(l, column, isnan(v) ? STYLE_DIM : st, text);
}

static void put_bottleneck(const struct line *l) {
    const char *path = l->row->bottleneck;
    put_safe(l, RUNS_COL_BOTTLENECK, hue_of(path), path[0] ? leaf(path) : "none");
    if (path[0])
        put_share(l, RUNS_COL_SHARE, hue_of(path), l->row->bottleneck_share);
}

/* Calmer than the bottleneck, which is in its hue. */
static void put_tops(const struct line *l) {
    for (int i = 0; i < 4; i++)
        put_share(l, RUNS_COL_FRONTEND + i, STYLE_TEXT, l->row->top[i]);
}

/* A line, not a block: rows under each other would become a wall. Each root has a sign of its own:
 * dashes, crosses, squares, a double line. */
static void put_bar(const struct line *l) {
    static const uint32_t sign[4] = {0x2505, 0x2573, 0x25a0, 0x2550};
    const struct runs_place *p = &l->place[RUNS_COL_BAR];
    double at = 0;
    int from = 0;
    for (int i = 0; i < 4 && p->w; i++) {
        const double v = l->row->top[i];
        at += v > 0 ? v : 0;
        const int to = (int)lround((at < 1 ? at : 1) * p->w);
        for (; from < to; from++)
            canvas_put(l->c, l->r, l->r.x + 1 + p->x + from, l->r.y, hues[i], sign[i]);
    }
}

static void labels_text(const struct run_row *row, char *buf, size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    char safe[256];
    for (size_t i = 0; i < row->n_label; i++)
        if (!row->label[i].automatic)
            strbuf_add(&sb, "%s%s=%s", sb.n ? " " : "", row->label[i].key,
                       str_safe(safe, sizeof(safe), row->label[i].value));
}

static void draw_run(const struct line *l) {
    const struct run_row *row = l->row;
    char text[512];
    put(l, RUNS_COL_MARK, STYLE_MATCH, l->mark < 0 ? "" : l->mark ? "B" : "A");
    snprintf(text, sizeof(text), "%.8s", row->id);
    put(l, RUNS_COL_ID, STYLE_LABEL, text);
    put(l, RUNS_COL_BEGUN, STYLE_TEXT,
        when_short(row->removed_ns ? row->removed_ns : row->begun_ns, (int64_t)clock_wall_ns(),
                   text, sizeof(text)));
    put_process(l);
    put(l, RUNS_COL_DURATION, STYLE_TEXT, when_duration(row->duration_ns, text, sizeof(text)));
    put_tops(l);
    put(l, RUNS_COL_METRIC, isnan(row->value) ? STYLE_DIM : STYLE_VALUE,
        runs_value(l->runs, row->value, text, sizeof(text)));
    put_bottleneck(l);
    put_safe(l, RUNS_COL_MODEL, STYLE_TEXT, row->model);
    put_labels(l);
    put_bar(l);
}

/* ---- a group ---- */

/* "branch=main  7  1.10 ± 0.02  ··•●·": columns of all groups, from the left edge. */
struct group_place {
    struct runs_place name, n, mean, plot;
};

static const char *group_name(const struct runs *r, const struct runs_group *g, char *buf,
                              size_t cap) {
    char safe[160];
    if (g->value)
        snprintf(buf, cap, "%s=%s", r->key, str_safe(safe, sizeof(safe), g->value));
    else
        snprintf(buf, cap, "without %s", r->key);
    return buf;
}

/* Where not all of them count, of how many. */
static const char *group_n(const struct runs_group *g, char *buf, size_t cap) {
    if (g->n_value == g->n)
        snprintf(buf, cap, "%zu", g->n_value);
    else
        snprintf(buf, cap, "%zu of %llu", g->n_value, (unsigned long long)g->n);
    return buf;
}

static const char *group_mean(const struct runs *r, const struct runs_group *g, char *buf,
                              size_t cap) {
    return runs_mean(r, g->mean, g->sd, buf, cap);
}

static int wider(int w, const char *text) {
    return str_width(text) > w ? str_width(text) : w;
}

static struct group_place place_groups(const struct runs *r, int w) {
    enum { BEFORE = 5 /* marks */, GAP = 2, NAME_MOST = 36, PLOT_LEAST = 10, PLOT_MOST = 80 };
    struct group_place p = {.name = {.w = 8}, .n = {.w = 1}, .mean = {.w = 9}};
    char text[256];
    for (uint32_t i = 0; i < r->n_group; i++) {
        p.name.w = wider(p.name.w, group_name(r, &r->group[i], text, sizeof(text)));
        p.n.w = wider(p.n.w, group_n(&r->group[i], text, sizeof(text)));
        p.mean.w = wider(p.mean.w, group_mean(r, &r->group[i], text, sizeof(text)));
    }
    p.name.w = p.name.w < NAME_MOST ? p.name.w : NAME_MOST;
    p.name.x = BEFORE;
    p.n.x = p.name.x + p.name.w + GAP;
    p.mean.x = p.n.x + p.n.w + GAP;
    p.plot.x = p.mean.x + p.mean.w + GAP;
    p.plot.w = w - 1 - p.plot.x < PLOT_MOST ? w - 1 - p.plot.x : PLOT_MOST;
    if (p.plot.w < PLOT_LEAST)
        p.plot.w = 0;
    return p;
}

static int cell_of(const struct runs_survey *s, double v, int w) {
    const double span = s->most - s->least;
    return span > 0 ? (int)lround((v - s->least) / span * (w - 1)) : (w - 1) / 2;
}

/* A dot for each run, larger where there are more; the mean is a line. All groups have one axis. */
static void draw_dots(const struct runs *r, const struct runs_group *g, struct canvas *c,
                      struct rect at) {
    enum { MOST = 128 };
    unsigned n[MOST] = {0};
    const int w = at.w < MOST ? at.w : MOST;
    for (size_t i = 0; i < g->n_value && w > 0; i++)
        n[cell_of(&r->survey, r->survey.value[g->at + i], w)]++;
    const int mean = g->n_value > 1 ? cell_of(&r->survey, g->mean, w) : -1;
    for (int x = 0; x < w; x++) {
        const uint32_t dot = n[x] >= 2 ? 0x25cf : 0x2022;
        if (n[x])
            canvas_put(c, at, at.x + x, at.y, x == mean ? STYLE_TITLE : STYLE_VALUE, dot);
        else if (x == mean)
            canvas_put(c, at, at.x + x, at.y, STYLE_LABEL, 0x2502);
    }
}

static void draw_group_head(const struct runs *r, struct canvas *c, struct rect at,
                            const struct group_place *p) {
    char text[64];
    const struct rect plot = {at.x + p->plot.x, at.y, p->plot.w, 1};
    widget_right(c, at, at.x + p->n.x, at.y, p->n.w, STYLE_LABEL, "n");
    widget_right(c, at, at.x + p->mean.x, at.y, p->mean.w, STYLE_LABEL, "mean ± sd");
    if (r->sort == RUNS_SORT_METRIC)
        canvas_text(c, at, at.x + p->mean.x + p->mean.w, at.y, STYLE_LABEL,
                    runs_descend(r) ? "▾" : "▴");
    if (plot.w == 0 || isnan(r->survey.least))
        return;
    widget_text(c, at, plot.x, at.y, plot.w / 2, STYLE_LABEL,
                runs_value(r, r->survey.least, text, sizeof(text)));
    widget_right(c, at, plot.x + plot.w / 2, at.y, plot.w - plot.w / 2, STYLE_LABEL,
                 runs_value(r, r->survey.most, text, sizeof(text)));
}

static void draw_heading(const struct runs *r, const struct runs_group *g, int mark,
                         const struct group_place *p, struct canvas *c, struct rect at) {
    char text[256];
    const int x = at.x + 1;
    canvas_text(c, at, x, at.y, STYLE_MATCH, mark < 0 ? "" : mark ? "B" : "A");
    canvas_text(c, at, x + 2, at.y, STYLE_LABEL, g->open ? "▾" : "▸");
    widget_text(c, at, at.x + p->name.x, at.y, p->name.w, g->value ? STYLE_TITLE : STYLE_DIM,
                group_name(r, g, text, sizeof(text)));
    widget_right(c, at, at.x + p->n.x, at.y, p->n.w, STYLE_TEXT, group_n(g, text, sizeof(text)));
    widget_right(c, at, at.x + p->mean.x, at.y, p->mean.w, g->n_value ? STYLE_VALUE : STYLE_DIM,
                 group_mean(r, g, text, sizeof(text)));
    draw_dots(r, g, c, (struct rect){at.x + p->plot.x, at.y, p->plot.w, 1});
}

static void draw_rows(struct screen *sc, struct canvas *c, struct rect r) {
    const struct runs *list = &sc->runs->list;
    struct runs_place place[RUNS_COL_N];
    place_columns(list, r.w - 2, place);
    const struct group_place groups = place_groups(list, r.w);
    struct rect row;
    for (int i = 0, line; list_line(&list->rows, r, i, &row, &line); i++) {
        const uint64_t at = (uint64_t)line;
        struct line l = {c, row, place, list, runs_row(list, at), runs_marked(list, at)};
        const struct runs_group *g = runs_heading(list, at);
        if (g)
            draw_heading(list, g, l.mark, &groups, c, l.r);
        else if (l.row)
            draw_run(&l);
        if (line == list->rows.at)
            list_mark(c, row, r.x);
    }
}

/* ---- what is to be said instead of rows ---- */

/* What makes a run, where there is none. */
static void page_first_steps(struct page *p, bool alone) {
    static const char *const steps[][2] = {
        {"tdtop collect -d 30s -- COMMAND", "measures a command and keeps it"},
        {"tdtop collect -P NAME -d 30s", "a process that runs already"},
        {"tdtop collect --demo -d 60s", "a simulated core, to look around"},
        {"tdtop, then s", "keeps what the live screen shows"},
    };
    char words[160];
    page_text(p, STYLE_LABEL, 0, NULL,
              keys_in_words(alone ? "no runs yet; these make some:"
                                  : "no runs yet: press {snapshot} on the live screen ({runs-back} "
                                    "goes there) to keep what was measured; or:",
                            words, sizeof(words)));
    page_blank(p);
    for (int i = 0; i < 3 + alone; i++)
        page_pair(p, 34, STYLE_KEY, steps[i][0], STYLE_TEXT, steps[i][1]);
}

static void draw_empty(const struct screen *sc, struct canvas *c, struct rect r) {
    const struct runs *list = &sc->runs->list;
    char words[160];
    struct page p = page_on(c, (struct rect){r.x + 1, r.y, r.w - 2, r.h}, 0);
    if (list->state == RUNS_FAILED) {
        char safe[sizeof(list->err.text)];
        page_text(&p, STYLE_ERROR, 0, NULL, str_safe(safe, sizeof(safe), list->err.text));
    } else if (list->removed) {
        page_text(&p, STYLE_LABEL, 0, NULL,
                  keys_in_words("no removed runs; {runs-removed} shows the others", words,
                                sizeof(words)));
    } else if (list->text[0] || list->n_filter) {
        page_text(&p, STYLE_LABEL, 0, NULL,
                  keys_in_words("no run fits: {runs-back} goes back, {runs-filter} filters", words,
                                sizeof(words)));
    } else {
        page_first_steps(&p, sc->runs->alone);
    }
}

/* ---- below ---- */

/* What of it has no room in its row; the path first. */
static void draw_who(const struct run_row *row, struct canvas *c, struct rect r) {
    char text[768], safe[160], when[48];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    strbuf_add(&sb, "%s", row->id);
    if (row->bottleneck[0])
        strbuf_add(&sb, " · %s", str_safe(safe, sizeof(safe), row->bottleneck));
    strbuf_add(&sb, " · %s", str_safe(safe, sizeof(safe), row->target));
    strbuf_add(&sb, " · %s", when_text(row->begun_ns, when, sizeof(when)));
    strbuf_add(&sb, " · %llu interval%s", (unsigned long long)row->n_interval,
               row->n_interval == 1 ? "" : "s");
    int x = r.x + 1;
    if (row->simulated)
        x += canvas_text(c, r, x, r.y, STYLE_SIMULATED, "SIMULATED") + 1;
    widget_text(c, r, x, r.y, r.x + r.w - 1 - x, STYLE_LABEL, text);
}

static void draw_words(const struct run_row *row, struct canvas *c, struct rect r, int y) {
    char text[512], safe[256];
    int x = r.x + 1;
    labels_text(row, text, sizeof(text));
    x += widget_text(c, r, x, y, r.x + r.w - 1 - x, STYLE_VALUE, text);
    if (!row->note[0])
        return;
    snprintf(text, sizeof(text), "%s%s", x > r.x + 1 ? " · " : "",
             str_safe(safe, sizeof(safe), row->note));
    widget_text(c, r, x, y, r.x + r.w - 1 - x, STYLE_TEXT, text);
}

/* "5 of 100000" at the right end. Returns the columns it takes. */
static int draw_place(const struct runs *r, struct canvas *c, struct rect at) {
    char text[64];
    if (r->rows.n == 0)
        return 0;
    snprintf(text, sizeof(text), "%d of %d", r->rows.at + 1, r->rows.n);
    widget_right(c, at, at.x, at.y, at.w - 1, STYLE_LABEL, text);
    return str_width(text) + 2;
}

static void draw_foot(const struct runs *r, struct canvas *c, struct rect at) {
    const struct run_row *row = runs_row(r, (uint64_t)r->rows.at);
    const int place = draw_place(r, c, at);
    if (row && at.w > place)
        draw_who(row, c, (struct rect){at.x, at.y, at.w - place, 1});
    if (row && at.h >= 2)
        draw_words(row, c, at, at.y + 1);
}

/* Of groups while all are closed, else of runs. */
static void draw_heads(const struct runs *r, struct canvas *c, struct rect at) {
    struct runs_place place[RUNS_COL_N];
    if (has_axis(r)) {
        const struct group_place groups = place_groups(r, at.w);
        draw_group_head(r, c, at, &groups);
        return;
    }
    place_columns(r, at.w - 2, place);
    for (int i = 0; i < RUNS_COL_N; i++)
        if (place[i].w)
            draw_head(r, c, at, i, &place[i]);
    draw_label_heads(r, c, at, &place[RUNS_COL_LABELS]);
}

static void draw(struct screen *sc, struct canvas *c, struct rect r) {
    const struct runs *list = &sc->runs->list;
    const struct parts at = parts_of(r);
    if (at.title.h)
        draw_title(list, c, at.title);
    if (at.head.h && list->rows.n)
        draw_heads(list, c, at.head);
    if (list->state != RUNS_READY || list->rows.n == 0)
        draw_empty(sc, c, at.rows);
    else
        draw_rows(sc, c, at.rows);
    if (at.foot.h && list->state == RUNS_READY)
        draw_foot(list, c, at.foot);
}

/* A click on a heading of a column sorts by it; again, the other way round. */
static void click_head(struct runs *r, struct rect at, int x) {
    struct runs_place place[RUNS_COL_N];
    place_columns(r, at.w - 2, place);
    for (int i = 0; i < RUNS_COL_N; i++) {
        const int from = at.x + 1 + place[i].x;
        if (heads[i].sort < 0 || x < from || x >= from + place[i].w)
            continue;
        if (heads[i].sort == r->sort)
            runs_invert(r);
        else
            runs_sort_by(r, heads[i].sort);
    }
}

static void mouse(struct screen *sc, struct rect r, const struct mouse *m) {
    const struct parts at = parts_of(r);
    if (m->what == MOUSE_PRESS && at.head.h && m->y == at.head.y)
        click_head(&sc->runs->list, at.head, m->x);
    else if (list_mouse(&sc->runs->list.rows, at.rows, m) == LIST_DOUBLE)
        screen_key(sc, KEYC_ENTER, NULL);
}

static struct list *rows_of(struct screen *sc) {
    return &sc->runs->list.rows;
}

const struct overlay runs_page = {.name = "runs",
                                  .prepare = runs_prepare,
                                  .draw = draw,
                                  .mouse = mouse,
                                  .list = rows_of,
                                  .twice = true};
