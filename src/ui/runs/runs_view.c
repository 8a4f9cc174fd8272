#include "ui/runs/runs_view.h"

#include "base/clock.h"
#include "base/str.h"
#include "base/when.h"
#include "ui/app/keys.h"
#include "ui/app/screen.h"
#include "ui/draw/page.h"
#include "ui/draw/widget.h"
#include "ui/draw/words.h"
#include "ui/runs/runs_columns.h"
#include "ui/runs/runs_open.h"

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

int runs_resize(struct screen *sc, int w, int h) {
    int rc = screen_resize(sc, w, h);
    if (rc == 0 && runs_top(sc) != sc)
        rc = screen_resize(runs_top(sc), w, h);
    return rc;
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

static void add_choice(const struct runs *r, struct strbuf *sb) {
    char safe[160];
    if (r->filter_text[0])
        strbuf_add(sb, " · filter %s", str_safe(safe, sizeof(safe), r->filter_text));
    if (r->text[0])
        strbuf_add(sb, " · with \"%s\"", str_safe(safe, sizeof(safe), r->text));
    if (r->key[0])
        strbuf_add(sb, " · by %s: %u group%s", r->key, r->n_group, r->n_group == 1 ? "" : "s");
}

static void draw_title(const struct runs *r, struct canvas *c, struct rect at) {
    char text[512], path[256];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    strbuf_add(&sb, "%llu %srun%s", (unsigned long long)r->total, r->removed ? "removed " : "",
               r->total == 1 ? "" : "s");
    add_choice(r, &sb);
    int x = at.x + 1;
    x += canvas_text(c, at, x, at.y, STYLE_TITLE, "Runs") + 2;
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
    const char *whole; /* the name, where it has room */
} heads[RUNS_COL_N] = {
    [RUNS_COL_MARK] = {"", -1, false, NULL},
    [RUNS_COL_ID] = {"run", -1, false, NULL},
    [RUNS_COL_BEGUN] = {"begun", 0, false, NULL},
    [RUNS_COL_PROCESS] = {"process", 1, false, NULL},
    [RUNS_COL_DURATION] = {"length", 2, true, NULL},
    [RUNS_COL_FRONTEND] = {"Front", RUNS_SORT_TOP, true, "Frontend"},
    [RUNS_COL_BADSPEC] = {"BadSp", RUNS_SORT_TOP + 1, true, "Bad Spec"},
    [RUNS_COL_BACKEND] = {"Back", RUNS_SORT_TOP + 2, true, "Backend"},
    [RUNS_COL_RETIRING] = {"Retir", RUNS_SORT_TOP + 3, true, "Retiring"},
    [RUNS_COL_METRIC] = {"", RUNS_SORT_METRIC, true, NULL},
    [RUNS_COL_BOTTLENECK] = {"bottleneck", -1, false, NULL},
    [RUNS_COL_SHARE] = {"share", -1, true, NULL},
    [RUNS_COL_MODEL] = {"model", 3, false, NULL},
    [RUNS_COL_LABELS] = {"labels", -1, false, NULL},
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
    labels_text(row, text, sizeof(text));
    put(l, RUNS_COL_LABELS, STYLE_TEXT, text);
    put_bar(l);
}

static void draw_heading(const struct runs *r, const struct runs_group *g, int mark,
                         struct canvas *c, struct rect at) {
    char text[256], safe[160];
    if (g->value)
        snprintf(text, sizeof(text), "%s=%s", r->key, str_safe(safe, sizeof(safe), g->value));
    else
        snprintf(text, sizeof(text), "without %s", r->key);
    int x = at.x + 1;
    x += canvas_text(c, at, x, at.y, STYLE_MATCH, mark < 0 ? "  " : mark ? "B " : "A ");
    x += canvas_text(c, at, x, at.y, STYLE_LABEL, g->open ? "▾ " : "▸ ");
    x += widget_text(c, at, x, at.y, at.w - 20, g->value ? STYLE_TITLE : STYLE_DIM, text) + 2;
    canvas_printf(c, at, x, at.y, STYLE_VALUE, "%llu run%s", (unsigned long long)g->n,
                  g->n == 1 ? "" : "s");
}

static void draw_rows(struct screen *sc, struct canvas *c, struct rect r) {
    const struct runs *list = &sc->runs->list;
    struct runs_place place[RUNS_COL_N];
    runs_columns(r.w - 2, place);
    struct rect row;
    for (int i = 0, line; list_line(&list->rows, r, i, &row, &line); i++) {
        const uint64_t at = (uint64_t)line;
        struct line l = {c, row, place, list, runs_row(list, at), runs_marked(list, at)};
        const struct runs_group *g = runs_heading(list, at);
        if (g)
            draw_heading(list, g, l.mark, c, l.r);
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
        page_text(
            &p, STYLE_LABEL, 0, NULL,
            keys_in_words("no removed run is like that: {runs-removed} shows the others; tdtop db "
                          "prune ends removed runs for good",
                          words, sizeof(words)));
    } else if (list->text[0] || list->n_filter) {
        page_text(
            &p, STYLE_LABEL, 0, NULL,
            keys_in_words("no run is like that: {runs-back} shows all, {runs-filter} changes the "
                          "filter, {help} has its words",
                          words, sizeof(words)));
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

static void draw(struct screen *sc, struct canvas *c, struct rect r) {
    const struct runs *list = &sc->runs->list;
    const struct parts at = parts_of(r);
    struct runs_place place[RUNS_COL_N];
    runs_columns(r.w - 2, place);
    if (at.title.h)
        draw_title(list, c, at.title);
    for (int i = 0; i < RUNS_COL_N && at.head.h && list->rows.n; i++)
        if (place[i].w)
            draw_head(list, c, at.head, i, &place[i]);
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
    runs_columns(at.w - 2, place);
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
