#include "ui/app/actions.h"

#include "base/str.h"
#include "model/eval/bottleneck.h"
#include "ui/draw/split.h"
#include "ui/draw/words.h"
#include "ui/popup/palette.h"
#include "ui/popup/save_screen.h"
#include "ui/popup/snapshot.h"
#include "ui/runs/runs_keys.h"
#include "ui/scene/app.h"
#include "ui/screen/find.h"
#include "ui/screen/screen.h"
#include "ui/screen/settings.h"
#include "ui/screen/views.h"
#include "ui/term/term_glyph.h"
#include "ui/view/funnel.h"
#include "ui/view/rows.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct rows *rows_in(struct screen *sc) {
    return screen_state(sc, &view_threads);
}

/* ---- what lists do ---- */

/* The list that has the keys; NULL: what is shown is none. */
static struct list *list_in(struct screen *sc) {
    const struct view *v = sc->scene.view;
    if (sc->popup)
        return sc->popup->list ? sc->popup->list(sc) : &sc->text;
    if (runs_shown(sc))
        return runs_page.list(sc);
    return v->list ? v->list(screen_scene(sc, v)) : NULL;
}

void action_line(struct screen *sc, int lines) {
    const struct view *v = sc->scene.view;
    struct list *l = list_in(sc);
    if (l)
        list_step(l, lines);
    else if (v->move)
        v->move(screen_scene(sc, v), lines);
}

void action_row(struct screen *sc, int rows) {
    struct list *l = list_in(sc);
    if (l)
        list_move(l, rows);
}

void action_page(struct screen *sc, int pages) {
    struct list *l = list_in(sc);
    if (l)
        list_page(l, pages);
    else
        action_line(sc, pages);
}

void action_end(struct screen *sc, int last) {
    const struct view *v = sc->scene.view;
    struct list *l = sc->popup || runs_shown(sc) || !v->end ? list_in(sc) : NULL;
    if (l)
        list_end(l, last);
    else if (v->end)
        v->end(screen_scene(sc, v), last);
}

void action_branch(struct screen *sc, int by) {
    if (sc->scene.cursor.focused) {
        cursor_step(&sc->scene, by);
        return;
    }
    scene_touch(&sc->scene);
    if (by > 0)
        outline_open(&sc->scene.tree);
    else
        outline_close(&sc->scene.tree);
}

void action_toggle(struct screen *sc) {
    scene_touch(&sc->scene);
    outline_toggle(&sc->scene.tree);
}

/* Opens everything, or, if everything is open, goes back to how the tree was at the start. */
void action_all(struct screen *sc) {
    sc->scene.touched = true;
    if (outline_is_all_open(&sc->scene.tree))
        outline_forget(&sc->scene.tree, sc->level);
    else
        outline_level(&sc->scene.tree, 99);
}

/* The deepest level that is open anywhere. */
static int open_level(const struct screen *sc) {
    int level = 1;
    for (int i = 0; i < sc->scene.tree.list.n; i++) {
        int metric = sc->scene.tree.row[i];
        if (metric >= 0 && metric < (int)scene_model(&sc->scene)->n_tree &&
            scene_model(&sc->scene)->metric[metric].level > level)
            level = scene_model(&sc->scene)->metric[metric].level;
    }
    return level;
}

void action_level(struct screen *sc, int by) {
    enum { DEEPEST = 6 };
    int to = open_level(sc) + by;
    to = to < 1 ? 1 : to > DEEPEST ? DEEPEST : to;
    sc->scene.touched = true;
    outline_level(&sc->scene.tree, to);
    screen_say(sc, "open down to level %d", to);
}

void action_bottleneck(struct screen *sc) {
    if (!sc->scene.frame || sc->scene.frame->bottleneck.n == 0) {
        screen_say(sc, "no node is over its threshold");
        return;
    }
    sc->scene.touched = true;
    outline_go(&sc->scene.tree, bottleneck_named(&sc->scene.frame->bottleneck));
}

void action_block(struct screen *sc, int by) {
    if (sc->scene.cursor.focused)
        cursor_step(&sc->scene, by);
    else
        funnel_move(&sc->scene, by);
}

void action_undrill(struct screen *sc) {
    funnel_back(&sc->scene);
}

void action_column(struct screen *sc, int by) {
    rows_step(rows_in(sc), by, &sc->scene.s->eval);
}

void action_invert(struct screen *sc) {
    rows_invert(rows_in(sc), &sc->scene.s->eval);
}

/*
 * The screen stands still on what it shows; live sampling goes on behind it, a recording waits.
 * What is shown is copied, because the session goes on writing its own frame.
 */
void action_freeze(struct screen *sc) {
    if (!sc->scene.newest)
        return;
    if (sc->opened) {
        screen_say(sc, "a stored run stands still by itself: , and . go through it");
        return;
    }
    screen_freeze(sc);
}

void action_interval(struct screen *sc, int by) {
    struct session *s = sc->scene.s;
    char text[16];
    if (!sc->scene.connected || s->state != STREAM_LIVE)
        return;
    if (!s->source.live && !s->source.simulated) {
        screen_say(sc, "a recording keeps the intervals it was made with");
        return;
    }
    const uint64_t now = s->control.interval_ns, next = settings_next_interval(now, by);
    session_request(s, next ? next : now, sc->scene.frozen);
    screen_say(sc, "interval %s", words_interval(text, sizeof(text), s->control.interval_ns));
}

void action_split(struct screen *sc) {
    struct split sp;
    const struct target *target = &sc->scene.s->source.opt.target;
    if (!sc->scene.connected)
        return;
    if (target->user_only || target->kernel_only)
        screen_say(sc, "only %s is counted, as --%s says",
                   target->user_only ? "user space" : "the kernel",
                   target->user_only ? "user" : "kernel");
    else if (!split_find(scene_model(&sc->scene), &sp))
        screen_say(sc, "model %s cannot tell user from kernel; --user or --kernel counts one",
                   scene_model(&sc->scene)->name);
    else
        sc->scene.split = !sc->scene.split;
}

void action_next_type(struct screen *sc) {
    if (types_many(sc->types))
        types_switch(sc, 1);
    else
        screen_say(sc, "one kind of core is measured here");
}

/* Opens a popup; the same key closes it again. */
static void popup(struct screen *sc, const struct overlay *over) {
    screen_open(sc, sc->popup == over ? NULL : over);
}

void action_no_explain(struct screen *sc) {
    screen_say(sc, "{explain} explains a node of the tree: {view-tree}");
}

void action_no_value(struct screen *sc) {
    screen_say(sc, "{value} shows a value of the tree: {view-tree}");
}

void action_cost(struct screen *sc) {
    cost_note(&sc->scene.cost, sc->scene.s->n_frames);
    popup(sc, &popup_cost);
}

void action_doctor(struct screen *sc) {
    popup(sc, &popup_doctor);
    if (sc->popup)
        session_examine(sc->scene.s);
}

void action_popup_close(struct screen *sc) {
    screen_open(sc, NULL);
}

void action_thread_alone(struct screen *sc) {
    struct rows *rows = rows_in(sc);
    const struct unit_row *row = rows_at(rows, rows->list.at);
    if (!row)
        return;
    if (!sc->scopes || sc->opened)
        screen_say(sc, "alone is measured a thread of a running process that was not started here");
    else if (row->ended)
        screen_say(sc, "thread %d has ended", (int)row->tid);
    else if (snapshot_may_quit(sc)) {
        sc->thread = row->tid;
        sc->quit = sc->returned = true;
    }
}

/* From the tree there is a way back where something was chosen before. */
static void leave_top(struct screen *sc) {
    if (sc->opened)
        runs_key_quit(sc);
    else if (sc->returns && snapshot_may_quit(sc))
        sc->quit = sc->returned = true;
}

void action_back(struct screen *sc) {
    if (sc->scene.view->past && sc->scene.cursor.shows != CURSOR_LIVE) {
        cursor_live(&sc->scene);
        return;
    }
    if (sc->scene.view == &view_funnel && funnel_back(&sc->scene))
        return;
    const struct view *v = sc->scene.view;
    if (v->back && !search_here(sc)->text[0] && v->back(screen_scene(sc, v)))
        return;
    if (sc->scene.visit.on) {
        if (sc->opened)
            runs_key_quit(sc);
        else
            screen_view(sc, &view_bench);
        return;
    }
    bool leaves = sc->scene.view != &view_tree && !sc->scene.view->search;
    if (leaves || (sc->scene.view != &view_tree && !search_cancel(sc)))
        screen_view(sc, &view_tree);
    else if (sc->scene.view == &view_tree && !search_cancel(sc) && !cursor_back(&sc->scene))
        leave_top(sc);
}

void action_palette(struct screen *sc) {
    palette_open(sc, "");
}

void action_search_cancel(struct screen *sc) {
    search_cancel(sc);
}

void action_repaint(struct screen *sc) {
    sc->repaint = true;
}

void action_suspend(struct screen *sc) {
    sc->suspend = true;
}

void action_quit_at_once(struct screen *sc) {
    if (snapshot_may_quit(sc))
        sc->quit = true;
}

void action_quit(struct screen *sc) {
    if (sc->opened)
        runs_key_quit(sc);
    else
        action_quit_at_once(sc);
}

/* --- sums and marks --- */

void action_reset(struct screen *sc) {
    struct screen *all[SESSIONS_MAX];
    int n = types_all(sc, all);
    if (!sc->scene.connected)
        return;
    for (int i = 0; i < n; i++)
        baseline_restart(&all[i]->scene);
    screen_say(sc, sc->scene.base.on ? "what is compared with the baseline starts anew"
                                     : "sums start anew");
}

void action_mark_as(struct screen *sc, const char *name) {
    if (!sc->scene.connected)
        return;
    struct screen *all[SESSIONS_MAX];
    int n = types_all(sc, all);
    char number[32];
    if (!name[0]) {
        snprintf(number, sizeof(number), "mark %d", sc->scene.s->timeline.n_mark + 1);
        name = number;
    }
    for (int i = 0; i < n; i++)
        session_mark(all[i]->scene.s, name);
    screen_say(sc, "marked: %s", name);
}

void action_mark(struct screen *sc) {
    if (sc->scene.connected)
        ask_begin(sc, "mark now, with the name:", "", action_mark_as);
}

/* --- the baseline --- */

void action_baseline(struct screen *sc) {
    struct screen *all[SESSIONS_MAX];
    struct err err = {0};
    char words[192];
    int n = types_all(sc, all), rc = 0;
    bool on = sc->scene.base.on;
    for (int i = 0; i < n; i++) {
        all[i]->scene.bench.swapped = false;
        if (on)
            baseline_unpin(&all[i]->scene);
        else if (baseline_pin_live(&all[i]->scene, &err) < 0 && all[i] == sc)
            rc = err.code;
    }
    if (rc < 0)
        screen_say(sc, "%s", err.text);
    else if (on)
        screen_say(sc, "the baseline is unpinned");
    else
        screen_say(sc, "%s", baseline_pinned(&sc->scene, words, sizeof(words)));
    if (rc == 0 && !on)
        cursor_live(&sc->scene);
    baseline_label(&sc->scene);
}

/* --- A and B --- */

void action_bench(struct screen *sc) {
    if (sc->scene.view == &view_bench)
        screen_view(sc, &view_tree);
    else
        bench_open(&sc->scene);
}

/* Two stored runs stand still. */
static bool is_live(struct screen *sc) {
    if (sc->scene.bench.stored)
        screen_say(sc, "A and B are stored runs; {baseline} in another view pins what is live");
    return !sc->scene.bench.stored;
}

void action_bench_pin(struct screen *sc) {
    struct screen *all[SESSIONS_MAX];
    struct err err = {0};
    int rc = 0;
    if (!is_live(sc))
        return;
    const int n = types_all(sc, all);
    for (int i = 0; i < n; i++)
        if (baseline_advance(&all[i]->scene, &err) < 0 && all[i] == sc)
            rc = err.code;
    if (rc < 0) {
        screen_say(sc, "%s", err.text);
        return;
    }
    screen_say(sc, "A: %s; B begins with the next interval", sc->scene.base.name);
    cursor_live(&sc->scene);
}

void action_bench_restart(struct screen *sc) {
    struct screen *all[SESSIONS_MAX];
    if (!is_live(sc))
        return;
    const int n = types_all(sc, all);
    for (int i = 0; i < n; i++)
        baseline_begin_again(&all[i]->scene);
    if (sc->scene.base.on)
        screen_say(sc, "%s begins with the next interval", sc->scene.bench.swapped ? "A" : "B");
}

void action_bench_keep(struct screen *sc) {
    if (is_live(sc))
        snapshot_open(sc);
}

void action_bench_swap(struct screen *sc) {
    struct screen *all[SESSIONS_MAX];
    const int n = types_all(sc, all);
    for (int i = 0; i < n; i++)
        baseline_exchange(&all[i]->scene);
}

void action_bench_undo(struct screen *sc) {
    struct screen *all[SESSIONS_MAX];
    const int n = types_all(sc, all);
    bool undone = false;
    for (int i = 0; i < n; i++)
        undone |= baseline_undo(&all[i]->scene);
    screen_say(sc, undone ? "A and B are as they were" : "there is nothing to undo");
}

void action_bench_side(struct screen *sc, int by) {
    if (sc->scene.bench.stored)
        sc->scene.bench.side = by > 0;
    else
        cursor_step(&sc->scene, by);
}

/* --- P saves the screen into a file --- */

/* "~/a.svg": a shell would have done that. */
static const char *at_home(const char *path, char *buf, size_t cap) {
    const char *home = getenv("HOME");
    if (path[0] != '~' || path[1] != '/' || !home)
        return path;
    snprintf(buf, cap, "%s%s", home, path + 1);
    return buf;
}

struct minute {
    struct screen *sc;
    uint64_t from_ns, to_ns; /* what is recorded */
    const struct save_options *opt;
};

enum { MINUTE_S = 60 };

/* A frame of each second, by the time cursor. */
static bool at_moment(void *user, int i, double *at_s) {
    const struct minute *mi = user;
    struct scene *sc = &mi->sc->scene;
    const uint64_t t_ns = mi->from_ns + (uint64_t)i * NS_PER_S;
    const bool more = t_ns < mi->to_ns;
    if (more)
        cursor_go(sc, t_ns);
    else
        cursor_live(sc);
    screen_draw(mi->sc);
    if (mi->opt->ascii)
        glyph_spell_out(&mi->sc->canvas);
    *at_s = i;
    return more;
}

static int save(struct screen *sc, const char *path, bool overwrite, struct err *err) {
    char title[192], whole[FORM_CAP + 256];
    struct theme plain;
    const struct settings *set = sc->settings;
    int rc = set ? 0 : theme_load(&plain, "default", err);
    if (rc < 0)
        return rc;
    snprintf(title, sizeof(title), "tdtop: %s", sc->scene.s->source.target_text);
    const struct sentence *se = &sc->scene.sentence;
    const uint64_t now_ns = scene_newest_ns(&sc->scene);
    struct minute minute = {sc,
                            now_ns > MINUTE_S * NS_PER_S ? now_ns - MINUTE_S * NS_PER_S : NS_PER_S,
                            now_ns + 1, NULL};
    struct save_options opt = {.theme = set ? &set->theme : &plain,
                               .colors = set && set->colors >= 0 ? set->colors : 256,
                               .ascii = set && set->ascii,
                               .title = title,
                               .user = &minute};
    minute.opt = &opt;
    if (se->made)
        opt.seen = se->text.seen, opt.next = se->text.next;
    if (sc->scene.view->past && !runs_shown(sc) && sc->scene.cursor.shows == CURSOR_LIVE)
        opt.moment = at_moment;
    screen_draw(sc); /* without the question in the key line */
    if (opt.ascii)
        glyph_spell_out(&sc->canvas);
    return save_screen(&sc->canvas, &opt, at_home(path, whole, sizeof(whole)), overwrite, err);
}

static void save_as(struct screen *sc, const char *path, bool overwrite);

static void save_over(struct screen *sc, const char *answer) {
    if (answer[0])
        save_as(sc, sc->save_path, true);
    else
        screen_say(sc, "not saved: %s is as it was", sc->save_path);
}

static void save_as(struct screen *sc, const char *path, bool overwrite) {
    struct err err = {0};
    int rc = save(sc, path, overwrite, &err);
    if (rc == 0) {
        screen_say(sc, "saved: %s", path);
        return;
    }
    if (rc == -EEXIST) {
        str_copy(sc->save_path, sizeof(sc->save_path), path);
        ask_yes(sc, "it is there already; overwrite it? y:", save_over);
        return;
    }
    screen_say(sc, "%s", err.text);
}

static void save_named(struct screen *sc, const char *name) {
    if (name[0])
        save_as(sc, name, false);
    else
        screen_say(sc, "not saved: no name was given");
}

void action_save_screen(struct screen *sc) {
    char name[64];
    ask_begin(sc, "save the screen as (.svg .ansi .txt .cast .md):",
              save_name(name, sizeof(name), time(NULL), SAVE_SVG), save_named);
}

/* --- C copies from it --- */

/* "L3_Bound 12.8% ± 0.9%": what the tree says of the selected node. */
static bool value_text(struct screen *sc, char *buf, size_t cap) {
    int metric = scene_selected(&sc->scene);
    char value[48], err[48];
    if (sc->scene.view != &view_tree || runs_shown(sc) || metric == METRIC_NONE || !sc->scene.frame)
        return false;
    const struct metric *mt = &scene_model(&sc->scene)->metric[metric];
    const struct value *v = &sc->scene.frame->at[metric];
    struct strbuf sb = strbuf_on(buf, cap);
    strbuf_add(&sb, "%s %s", mt->name, words_cell(value, sizeof(value), mt, v));
    if (!isnan(v->v) && !isnan(v->err))
        strbuf_add(&sb, " ± %s", words_value(err, sizeof(err), mt, v->err));
    return true;
}

/* The part of the screen that is the table, as it is seen. */
static struct rect table_place(struct screen *sc) {
    static const enum pane pane[LAYOUT_N] = {[LAYOUT_TREE] = PANE_TREE,
                                             [LAYOUT_ROWS] = PANE_ROWS,
                                             [LAYOUT_LIST] = PANE_ROWS,
                                             [LAYOUT_MAIN] = PANE_MAIN,
                                             [LAYOUT_WHOLE] = PANE_MAIN};
    const enum view_layout layout =
        runs_shown(sc) ? LAYOUT_WHOLE : views_layout(sc, views_current(sc));
    return sc->panes[layout].at[pane[layout]];
}

/* Lines of a part of the canvas, without trailing blanks. Returns bytes. */
static size_t text_of(const struct canvas *c, struct rect r, char *out, size_t cap) {
    size_t n = 0;
    for (int y = r.y; y < r.y + r.h && y < c->h; y++) {
        size_t end = n;
        for (int x = r.x; x < r.x + r.w && x < c->w && n + 5 < cap; x++) {
            uint32_t cp = c->at[y * c->w + x].cp;
            if (cp)
                n += str_encode(cp, out + n);
            if (cp && cp != ' ')
                end = n;
        }
        n = end;
        if (n + 1 < cap)
            out[n++] = '\n';
    }
    while (n > 1 && out[n - 1] == '\n' && out[n - 2] == '\n')
        n--;
    out[n] = '\0';
    return n;
}

static int copy(struct screen *sc, const char *text, size_t n, struct err *err) {
    const struct settings *set = sc->settings;
    bool on = set && set->clipboard;
    enum clip_way way = set && set->send ? set->clip_way : CLIP_NEVER;
    size_t cap = clip_room(n);
    char *bytes = malloc(cap);
    if (!bytes)
        return err_set(err, -ENOMEM, "copy: out of memory");
    long len = clip_bytes(on, way, text, n, bytes, cap, err);
    if (len > 0)
        set->send(bytes, (size_t)len);
    free(bytes);
    return len < 0 ? (int)len : 0;
}

void action_copy_table(struct screen *sc) {
    struct err err = {0};
    enum { TEXT_MAX = 256 * 1024 };
    char *text = malloc(TEXT_MAX);
    if (!text)
        return;
    screen_draw(sc);
    size_t n = text_of(&sc->canvas, table_place(sc), text, TEXT_MAX);
    if (copy(sc, text, n, &err) < 0)
        screen_say(sc, "%s", err.text);
    else
        screen_say(sc, "copied: the table, as it is seen");
    free(text);
}

void action_copy(struct screen *sc) {
    char text[256];
    struct err err = {0};
    if (!value_text(sc, text, sizeof(text)))
        action_copy_table(sc);
    else if (copy(sc, text, strlen(text), &err) < 0)
        screen_say(sc, "%s", err.text);
    else
        screen_say(sc, "copied: %s", text);
}

/* --- what views ask for (ui/scene/app.h) --- */

void app_reset_sums(struct scene *sc) {
    action_reset(screen_of(sc));
}
