#include "ui/app/actions.h"

#include "base/clock.h"
#include "ui/app/screen.h"
#include "ui/app/views.h"
#include "ui/draw/split.h"
#include "ui/draw/words.h"
#include "ui/runs/runs_keys.h"
#include "ui/view/funnel.h"

/* Rows that PgUp and PgDn move. */
static int page(const struct screen *sc) {
    const struct home_view *v = views_row(sc->view);
    return v->page ? v->page(sc) : 1;
}

/* The user is at the tree: its selection and its arrow keys are his. */
static void touch(struct screen *sc) {
    sc->touched = true;
    sc->cursor.focused = false;
}

static void move(struct screen *sc, int rows) {
    const struct home_view *v = views_row(sc->view);
    if (v->move)
        v->move(sc, rows);
}

static void go_to_end(struct screen *sc, bool last) {
    const struct home_view *v = views_row(sc->view);
    if (v->end)
        v->end(sc, last);
}

/* One line up or down; a line of the map has many CPUs. */
static void move_line(struct screen *sc, int lines) {
    move(sc, screen_has_rows(sc) ? lines * sc->rows.per_line : lines);
}

void action_up(struct screen *sc, uint32_t key) {
    (void)key;
    move_line(sc, -1);
}

void action_down(struct screen *sc, uint32_t key) {
    (void)key;
    move_line(sc, 1);
}

void action_page_up(struct screen *sc, uint32_t key) {
    (void)key;
    move(sc, -page(sc));
}

void action_page_down(struct screen *sc, uint32_t key) {
    (void)key;
    move(sc, page(sc));
}

void action_first(struct screen *sc, uint32_t key) {
    (void)key;
    go_to_end(sc, false);
}

void action_last(struct screen *sc, uint32_t key) {
    (void)key;
    go_to_end(sc, true);
}

void action_open(struct screen *sc, uint32_t key) {
    (void)key;
    if (sc->cursor.focused) {
        cursor_step(sc, 1);
        return;
    }
    touch(sc);
    outline_open(&sc->tree);
}

void action_close(struct screen *sc, uint32_t key) {
    (void)key;
    if (sc->cursor.focused) {
        cursor_step(sc, -1);
        return;
    }
    touch(sc);
    outline_close(&sc->tree);
}

void action_toggle(struct screen *sc, uint32_t key) {
    (void)key;
    touch(sc);
    outline_toggle(&sc->tree);
}

/* Opens everything, or, if everything is open, goes back to how the tree was at the start. */
void action_all(struct screen *sc, uint32_t key) {
    (void)key;
    sc->touched = true;
    if (outline_is_all_open(&sc->tree))
        outline_forget(&sc->tree, sc->level);
    else
        outline_level(&sc->tree, 99);
}

/* The deepest level that is open anywhere. */
static int open_level(const struct screen *sc) {
    int level = 1;
    for (int i = 0; i < sc->tree.n_row; i++) {
        int metric = sc->tree.row[i];
        if (metric != METRIC_NONE && metric < (int)screen_model(sc)->n_tree &&
            screen_model(sc)->metric[metric].level > level)
            level = screen_model(sc)->metric[metric].level;
    }
    return level;
}

static void set_level(struct screen *sc, int by) {
    enum { DEEPEST = 6 };
    int to = open_level(sc) + by;
    to = to < 1 ? 1 : to > DEEPEST ? DEEPEST : to;
    sc->touched = true;
    outline_level(&sc->tree, to);
    screen_say(sc, "open down to level %d", to);
}

void action_deeper(struct screen *sc, uint32_t key) {
    (void)key;
    set_level(sc, 1);
}

void action_shallower(struct screen *sc, uint32_t key) {
    (void)key;
    set_level(sc, -1);
}

void action_bottleneck(struct screen *sc, uint32_t key) {
    (void)key;
    if (!sc->frame || sc->frame->bottleneck.n == 0) {
        screen_say(sc, "no node is over its threshold");
        return;
    }
    sc->touched = true;
    outline_go(&sc->tree, sc->frame->bottleneck.at[sc->frame->bottleneck.n - 1]);
}

void action_block_left(struct screen *sc, uint32_t key) {
    (void)key;
    if (sc->cursor.focused)
        cursor_step(sc, -1);
    else
        funnel_move(sc, -1);
}

void action_block_right(struct screen *sc, uint32_t key) {
    (void)key;
    if (sc->cursor.focused)
        cursor_step(sc, 1);
    else
        funnel_move(sc, 1);
}

void action_drill(struct screen *sc, uint32_t key) {
    (void)key;
    funnel_drill(sc);
}

void action_undrill(struct screen *sc, uint32_t key) {
    (void)key;
    funnel_back(sc);
}

void action_next_view(struct screen *sc, uint32_t key) {
    (void)key;
    views_turn(sc, 1);
}

void action_previous_view(struct screen *sc, uint32_t key) {
    (void)key;
    views_turn(sc, -1);
}

void action_view(struct screen *sc, uint32_t key) {
    int n;
    const struct home_view *v = views_all(&n);
    for (int i = 0; i < n; i++)
        if ((uint32_t)(unsigned char)v[i].digit == key)
            views_go(sc, &v[i]);
}

void action_threads(struct screen *sc, uint32_t key) {
    (void)key;
    views_go(sc, views_row(sc->view == VIEW_THREADS ? VIEW_TREE : VIEW_THREADS));
}

void action_cpus(struct screen *sc, uint32_t key) {
    (void)key;
    views_go(sc, views_row(sc->view == VIEW_CPUS ? VIEW_TREE : VIEW_CPUS));
}

void action_column_left(struct screen *sc, uint32_t key) {
    (void)key;
    rows_step(&sc->rows, -1, &sc->s->eval);
}

void action_column_right(struct screen *sc, uint32_t key) {
    (void)key;
    rows_step(&sc->rows, 1, &sc->s->eval);
}

void action_invert(struct screen *sc, uint32_t key) {
    (void)key;
    rows_invert(&sc->rows, &sc->s->eval);
}

void action_left(struct screen *sc, uint32_t key) {
    (void)key;
    move(sc, -1);
}

void action_right(struct screen *sc, uint32_t key) {
    (void)key;
    move(sc, 1);
}

/*
 * The screen stands still on what it shows; live sampling goes on behind it, a recording waits.
 * What is shown is copied, because the session goes on writing its own frame.
 */
void action_freeze(struct screen *sc, uint32_t key) {
    (void)key;
    if (!sc->newest)
        return;
    if (sc->opened) {
        screen_say(sc, "a stored run stands still by itself: , and . go through it");
        return;
    }
    sc->frozen = !sc->frozen;
    if (sc->frozen) {
        frame_copy(&sc->held, &sc->s->frame);
        sample_copy(&sc->held_sample, &sc->s->sample);
        sc->newest = &sc->held;
        if (sc->cursor.shows == CURSOR_LIVE)
            screen_shows_newest(sc);
    }
    session_request(sc->s, sc->s->control.interval_ns, sc->frozen);
    if (!sc->frozen)
        screen_update(sc);
}

static const uint64_t intervals[] = {20 * NS_PER_MS,  50 * NS_PER_MS,  100 * NS_PER_MS,
                                     200 * NS_PER_MS, 500 * NS_PER_MS, NS_PER_S,
                                     2 * NS_PER_S,    5 * NS_PER_S,    10 * NS_PER_S};

static void request_interval(struct screen *sc, uint64_t ns) {
    struct session *s = sc->s;
    if (!sc->connected || s->state != STREAM_LIVE)
        return;
    if (!s->source.live && !s->source.simulated) {
        screen_say(sc, "a recording keeps the intervals it was made with");
        return;
    }
    char text[16];
    if (ns == 0)
        ns = s->control.interval_ns;
    session_request(s, ns, sc->frozen);
    screen_say(sc, "interval %s", words_interval(text, sizeof(text), s->control.interval_ns));
}

void action_slower(struct screen *sc, uint32_t key) {
    (void)key;
    uint64_t next = 0;
    for (size_t i = sizeof(intervals) / sizeof(intervals[0]); i-- > 0;)
        if (intervals[i] > sc->s->control.interval_ns)
            next = intervals[i];
    request_interval(sc, next);
}

void action_faster(struct screen *sc, uint32_t key) {
    (void)key;
    uint64_t next = 0;
    for (size_t i = 0; i < sizeof(intervals) / sizeof(intervals[0]); i++)
        if (intervals[i] < sc->s->control.interval_ns)
            next = intervals[i];
    request_interval(sc, next);
}

void action_focus(struct screen *sc, uint32_t key) {
    (void)key;
    focus_policy_cycle(sc);
}

void action_split(struct screen *sc, uint32_t key) {
    (void)key;
    struct split sp;
    const struct target *target = &sc->s->source.opt.target;
    if (!sc->connected)
        return;
    if (target->user_only || target->kernel_only)
        screen_say(sc, "only %s is counted, as --%s says",
                   target->user_only ? "user space" : "the kernel",
                   target->user_only ? "user" : "kernel");
    else if (!split_find(screen_model(sc), &sp))
        screen_say(sc, "model %s cannot tell user from kernel; --user or --kernel counts one",
                   screen_model(sc)->name);
    else
        sc->split = !sc->split;
}

void action_next_type(struct screen *sc, uint32_t key) {
    (void)key;
    if (types_many(sc->types))
        types_switch(sc, 1);
    else
        screen_say(sc, "one kind of core is measured here");
}

/* Opens a popup; the same key closes it again. */
static void popup(struct screen *sc, const struct view_ops *view) {
    sc->popup = sc->popup == view ? NULL : view;
    sc->scroll = 0;
    sc->scroll_max = 0;
}

void action_help(struct screen *sc, uint32_t key) {
    (void)key;
    sc->help.find = (struct search){.from = METRIC_NONE};
    popup(sc, &popup_help);
}

void action_no_explain(struct screen *sc, uint32_t key) {
    (void)key;
    screen_say(sc, "{explain} explains a node of the tree: {view-tree}");
}

void action_no_value(struct screen *sc, uint32_t key) {
    (void)key;
    screen_say(sc, "{value} shows a value of the tree: {view-tree}");
}

void action_cost(struct screen *sc, uint32_t key) {
    (void)key;
    cost_note(&sc->cost, sc->s->n_frames);
    popup(sc, &popup_cost);
}

static void scroll(struct screen *sc, int lines) {
    int to = sc->scroll + lines;
    sc->scroll = to > sc->scroll_max ? sc->scroll_max : to;
    if (sc->scroll < 0)
        sc->scroll = 0;
}

void action_scroll_up(struct screen *sc, uint32_t key) {
    (void)key;
    scroll(sc, -1);
}

void action_scroll_down(struct screen *sc, uint32_t key) {
    (void)key;
    scroll(sc, 1);
}

static int popup_page(const struct screen *sc) {
    return sc->canvas.h > 8 ? sc->canvas.h - 6 : 2;
}

void action_scroll_page_up(struct screen *sc, uint32_t key) {
    (void)key;
    scroll(sc, -popup_page(sc));
}

void action_scroll_page_down(struct screen *sc, uint32_t key) {
    (void)key;
    scroll(sc, popup_page(sc));
}

void action_scroll_first(struct screen *sc, uint32_t key) {
    (void)key;
    sc->scroll = 0;
}

void action_scroll_last(struct screen *sc, uint32_t key) {
    (void)key;
    sc->scroll = sc->scroll_max;
}

void action_popup_close(struct screen *sc, uint32_t key) {
    (void)key;
    sc->popup = NULL;
}

void action_back(struct screen *sc, uint32_t key) {
    (void)key;
    if (views_row(sc->view)->past && sc->cursor.shows != CURSOR_LIVE) {
        cursor_live(sc);
        return;
    }
    if (sc->view == VIEW_FUNNEL && funnel_back(sc))
        return;
    if (sc->visit.on) {
        if (sc->opened)
            runs_key_quit(sc, key);
        else
            screen_view(sc, VIEW_BENCH);
        return;
    }
    bool leaves = sc->view != VIEW_TREE && sc->view != VIEW_THREADS && sc->view != VIEW_METRICS;
    if (leaves || (sc->view != VIEW_TREE && !search_cancel(sc)))
        screen_view(sc, VIEW_TREE);
    else if (sc->view == VIEW_TREE && !search_cancel(sc) && !cursor_back(sc) && sc->opened)
        runs_key_quit(sc, key);
}

void action_search(struct screen *sc, uint32_t key) {
    (void)key;
    search_begin(sc);
}

void action_search_next(struct screen *sc, uint32_t key) {
    (void)key;
    search_next(sc, 1);
}

void action_search_previous(struct screen *sc, uint32_t key) {
    (void)key;
    search_next(sc, -1);
}

void action_search_accept(struct screen *sc, uint32_t key) {
    (void)key;
    search_accept(sc);
}

void action_search_cancel(struct screen *sc, uint32_t key) {
    (void)key;
    search_cancel(sc);
}

void action_repaint(struct screen *sc, uint32_t key) {
    (void)key;
    sc->repaint = true;
}

void action_suspend(struct screen *sc, uint32_t key) {
    (void)key;
    sc->suspend = true;
}

void action_quit(struct screen *sc, uint32_t key) {
    if (sc->opened && key == 'q')
        runs_key_quit(sc, key);
    else if (snapshot_may_quit(sc))
        sc->quit = true;
}
