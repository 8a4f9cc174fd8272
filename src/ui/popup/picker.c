#include "ui/popup/picker.h"

#include "base/clock.h"
#include "base/str.h"
#include "ui/draw/form.h"
#include "ui/draw/pace.h"
#include "ui/draw/widget.h"
#include "ui/draw/words.h"
#include "ui/term/term.h"
#include "ui/term/theme.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    READ_EVERY_MS = 1000,
    /* Until the second reading CPU shares are those of whole lives, until the third nobody has been
     * counted. */
    FIRST_READS_MS = 300,
    FIRST_READS = 2,
    LINES_ABOVE = 3, /* title, hint, headings; without the hint on low screens */
    LOW = 10,
};

/* ---- the list ---- */

static const struct process_row *row_of(const struct picker *pk, uint32_t index) {
    return &pk->opt->table->row[index];
}

struct process_row *picker_row(const struct picker *pk, int at) {
    return at >= 0 && at < pk->list.n ? &pk->opt->table->row[pk->shown[at]] : NULL;
}

/* Where in a text that is shown the search is found, or NULL. */
static const char *picker_hit(const struct picker *pk, const char *text) {
    return pk->search[0] && text ? strcasestr(text, pk->search) : NULL;
}

/* By its name, its command line, its user or the beginning of its number. */
static bool is_wanted(const struct picker *pk, struct process_row *r) {
    char pid[16];
    if (r->kernel && !pk->kernel_threads)
        return false;
    if (!pk->search[0])
        return true;
    if (pk->opt->question)
        return picker_hit(pk, r->command);
    if (!r->command)
        pk->opt->detail(pk->opt->user, r);
    snprintf(pid, sizeof(pid), "%d", (int)r->pid);
    return picker_hit(pk, r->comm) || picker_hit(pk, r->command) || picker_hit(pk, r->user) ||
           str_starts(pid, pk->search);
}

/* Larger first; equal ones by what they used in all, and always in the same order. */
static int compare(const void *a, const void *b, void *user) {
    const struct picker *pk = user;
    const struct process_row *x = row_of(pk, *(const uint32_t *)a);
    const struct process_row *y = row_of(pk, *(const uint32_t *)b);
    if (pk->order == ORDER_CPU && x->cpu != y->cpu)
        return x->cpu < y->cpu ? 1 : -1;
    if (pk->order == ORDER_MEMORY && x->rss != y->rss)
        return x->rss < y->rss ? 1 : -1;
    if (pk->order != ORDER_PID && x->cpu_ticks != y->cpu_ticks)
        return x->cpu_ticks < y->cpu_ticks ? 1 : -1;
    return (x->pid > y->pid) - (x->pid < y->pid);
}

static int make_room(struct picker *pk, uint32_t n) {
    if (n <= pk->cap_shown)
        return 0;
    uint32_t *p = realloc(pk->shown, n * 2 * sizeof(*p));
    if (!p)
        return -ENOMEM;
    pk->shown = p;
    pk->cap_shown = n * 2;
    return 0;
}

static void note_selected(void *picker) {
    struct picker *pk = picker;
    const struct process_row *r = picker_row(pk, pk->list.at);
    pk->selected = r ? r->pid : 0;
}

static void fit(struct picker *pk) {
    list_fit(&pk->list, pk->canvas.h - picker_first_line(pk) - 1);
}

/* The selected process where it is now; where it ended, the one that has taken its place. */
static void follow(struct picker *pk, int n) {
    int at = 0;
    pk->list.n = n;
    while (at < n && picker_row(pk, at)->pid != pk->selected)
        at++;
    list_follow(&pk->list, n, at < n ? at : -1);
    note_selected(pk);
    fit(pk);
}

/* Room is there. */
static void arrange(struct picker *pk) {
    const struct process_table *t = pk->opt->table;
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->n && i < pk->cap_shown; i++)
        if (is_wanted(pk, &t->row[i]))
            pk->shown[n++] = i;
    if (n)
        qsort_r(pk->shown, n, sizeof(*pk->shown), compare, pk);
    follow(pk, (int)n);
}

int picker_update(struct picker *pk) {
    pk->failed = pk->opt->read(pk->opt->user);
    int rc = make_room(pk, pk->opt->table->n);
    if (rc == 0)
        arrange(pk);
    return rc;
}

/* ---- life ---- */

int picker_init(struct picker *pk, const struct picker_options *opt) {
    *pk = (struct picker){.opt = opt,
                          .order = opt->question ? ORDER_PID : ORDER_CPU,
                          .selected = opt->select,
                          .note = opt->note && opt->note[0] ? opt->note : NULL,
                          .list = {.moved = note_selected, .owner = pk, .chosen = opt->select > 0}};
    return make_room(pk, 1);
}

void picker_destroy(struct picker *pk) {
    canvas_destroy(&pk->canvas);
    free(pk->shown);
    *pk = (struct picker){0};
}

int picker_first_line(const struct picker *pk) {
    return pk->canvas.h < LOW ? LINES_ABOVE - 1 : LINES_ABOVE;
}

int picker_resize(struct picker *pk, int w, int h) {
    canvas_destroy(&pk->canvas);
    int rc = canvas_init(&pk->canvas, w > 0 ? w : 1, h > 0 ? h : 1);
    if (rc < 0)
        return rc;
    fit(pk);
    return 0;
}

/* ---- what keys do ---- */

static void choose(struct picker *pk, enum picker_choice choice) {
    if (choice == PICK_PROCESS && !picker_row(pk, pk->list.at))
        return;
    pk->choice = choice;
    pk->done = true;
}

static void search_anew(struct picker *pk) {
    list_reset(&pk->list); /* the best hit is selected */
    arrange(pk);
}

static void order_by(struct picker *pk, enum picker_order order) {
    pk->order = order;
    arrange(pk);
}

static void key_up(struct picker *pk) {
    list_step(&pk->list, -1);
}
static void key_down(struct picker *pk) {
    list_step(&pk->list, 1);
}
static void key_page_up(struct picker *pk) {
    list_page(&pk->list, -1);
}
static void key_page_down(struct picker *pk) {
    list_page(&pk->list, 1);
}
static void key_first(struct picker *pk) {
    list_end(&pk->list, false);
}
static void key_last(struct picker *pk) {
    list_end(&pk->list, true);
}
static void key_pick(struct picker *pk) {
    choose(pk, PICK_PROCESS);
}
static void key_all(struct picker *pk) {
    choose(pk, PICK_ALL);
}
static void key_quit(struct picker *pk) {
    choose(pk, PICK_NOTHING);
}
static void key_search(struct picker *pk) {
    pk->typing = true;
}
static void key_order(struct picker *pk) {
    order_by(pk, (pk->order + 1) % ORDERS);
}
static void key_order_back(struct picker *pk) {
    order_by(pk, (pk->order + ORDERS - 1) % ORDERS);
}
static void key_kernel(struct picker *pk) {
    pk->kernel_threads = !pk->kernel_threads;
    arrange(pk);
}
static void key_repaint(struct picker *pk) {
    pk->repaint = true;
}
static void key_suspend(struct picker *pk) {
    pk->suspend = true;
}

/* All are shown again; who comes back from a process with one Esc too many stays here. */
static void key_escape(struct picker *pk) {
    const bool narrow = pk->search[0];
    pk->typing = false;
    pk->search[0] = '\0';
    if (narrow)
        search_anew(pk);
}

/* ---- the keys: the key line and the dispatch read the same table ---- */

enum { CTRL_A = 0x01, CTRL_K = 0x0b };
enum { PICK_LIST = 1 << 0, PICK_SEARCH = 1 << 1 /* while typing */ };

struct picker_key {
    uint32_t key[3]; /* code points and KEYC_*; 0 = none */
    unsigned where;
    void (*act)(struct picker *pk);
    const char *brief; /* key and word of the key line; NULL: not there */
};

/* Order is that of the key line, which leaves out from the end. Letters are for the search, so
 * function keys are those of htop where it has them. */
static const struct picker_key picker_keys[] = {
    {{KEYC_ENTER}, PICK_LIST | PICK_SEARCH, key_pick, "Enter measure"},
    {{KEYC_ESC}, PICK_SEARCH, key_escape, "Esc all"},
    {{'/', KEYC_F3, KEYC_F4}, PICK_LIST, key_search, "a-z search"},
    {{KEYC_CTRL_C, KEYC_F10}, PICK_LIST | PICK_SEARCH, key_quit, "Ctrl-C quit"},
    {{KEYC_TAB, KEYC_F6}, PICK_LIST | PICK_SEARCH, key_order, "Tab sort"},
    {{CTRL_A, KEYC_F2}, PICK_LIST | PICK_SEARCH, key_all, "Ctrl-A whole machine"},
    {{CTRL_K, KEYC_F5}, PICK_LIST | PICK_SEARCH, key_kernel, "Ctrl-K kernel threads"},
    {{KEYC_BTAB}, PICK_LIST | PICK_SEARCH, key_order_back, NULL},
    {{KEYC_ESC}, PICK_LIST, key_escape, NULL},
    {{KEYC_UP}, PICK_LIST | PICK_SEARCH, key_up, NULL},
    {{KEYC_DOWN}, PICK_LIST | PICK_SEARCH, key_down, NULL},
    {{KEYC_PGUP}, PICK_LIST | PICK_SEARCH, key_page_up, NULL},
    {{KEYC_PGDN}, PICK_LIST | PICK_SEARCH, key_page_down, NULL},
    {{KEYC_HOME}, PICK_LIST | PICK_SEARCH, key_first, NULL},
    {{KEYC_END}, PICK_LIST | PICK_SEARCH, key_last, NULL},
    {{KEYC_CTRL_L}, PICK_LIST | PICK_SEARCH, key_repaint, NULL},
    {{KEYC_CTRL_Z}, PICK_LIST | PICK_SEARCH, key_suspend, NULL},
};
static const size_t n_picker_keys = sizeof(picker_keys) / sizeof(picker_keys[0]);

/* Names have no order of their own, and need not be one whole. */
static bool is_offered(const struct picker *pk, const struct picker_key *k) {
    const bool of_process = k->act == key_order || k->act == key_order_back || k->act == key_kernel;
    return !pk->opt->question || (!of_process && (k->act != key_all || pk->opt->whole));
}

static const char *brief_of(const struct picker *pk, const struct picker_key *k) {
    if (!is_offered(pk, k))
        return NULL;
    if (!pk->opt->question)
        return k->brief;
    return k->act == key_all                ? "Ctrl-A all together"
           : k->act == key_pick && k->brief ? "Enter show"
                                            : k->brief;
}

static void type(struct picker *pk, uint32_t key) {
    if (!form_end_key(pk->search, sizeof(pk->search), key))
        return;
    pk->typing = pk->search[0];
    search_anew(pk);
}

void picker_paste(struct picker *pk, const char *text) {
    if (!form_end_paste(pk->search, sizeof(pk->search), text))
        return;
    pk->typing = true;
    search_anew(pk);
}

/* ---- columns ---- */

enum field { F_PID, F_USER, F_CPU, F_BAR, F_LOSS, F_THREADS, F_MEMORY, F_NAME, F_COMMAND, F_N };
enum { RANK_LAST = 6, BAR_LEAST = 12, BAR_MOST = 40 };

/* Widths include the blank behind; rank: the highest is left out first where lines are short. */
static const struct {
    const char *title;
    int w, rank;
    bool right;
    int order; /* enum picker_order that sorts by it, or -1 */
} fields[F_N] = {
    [F_PID] = {"PID", 8, 0, true, ORDER_PID},       [F_USER] = {"USER", 11, 3, false, -1},
    [F_CPU] = {"CPU%", 8, 0, true, ORDER_CPU},      [F_BAR] = {"LEVEL 1", 13, 1, false, -1},
    [F_LOSS] = {"MOST LOST", 13, 2, false, -1},     [F_THREADS] = {"THR", 6, 5, true, -1},
    [F_MEMORY] = {"RES", 8, 4, true, ORDER_MEMORY}, [F_NAME] = {"NAME", 17, 0, false, -1},
    [F_COMMAND] = {"COMMAND", 12, 6, false, -1}, /* and all that is left */
};

/* 12 cells at 80 columns, 28 at 120, 40 from 150 on. */
static int bar_width(int room) {
    const int w = BAR_LEAST + (room - 80) * 2 / 5;
    return w < BAR_LEAST ? BAR_LEAST : w > BAR_MOST ? BAR_MOST : w;
}

static void lay_out(int room, int w[F_N]) {
    const int bar = bar_width(room) + 1;
    memset(w, 0, F_N * sizeof(*w));
    for (int rank = 0; rank <= RANK_LAST; rank++)
        for (int i = 0; i < F_N; i++) {
            const int wanted = i == F_BAR ? bar : fields[i].w;
            if (fields[i].rank == rank && (rank == 0 || wanted <= room)) {
                w[i] = wanted;
                room -= wanted;
            }
        }
    int last = w[F_COMMAND] ? F_COMMAND : F_NAME;
    w[last] += room; /* also less than nothing, on the smallest screens */
    w[last] = w[last] > 0 ? w[last] : 0;
}

/* ---- mouse and keys ---- */

/* A heading that sorts. */
static void press_heading(struct picker *pk, int at) {
    int w[F_N], x = 0;
    lay_out(pk->canvas.w, w);
    for (int i = 0; i < F_N; x += w[i++])
        if (at >= x && at < x + w[i] && fields[i].order >= 0)
            order_by(pk, (enum picker_order)fields[i].order);
}

static void take_mouse(struct picker *pk, const struct mouse *m) {
    const int from = picker_first_line(pk);
    const struct rect rows = {0, from, pk->canvas.w, pk->list.lines};
    if (m->what == MOUSE_PRESS && m->y == from - 1)
        press_heading(pk, m->x);
    else if (list_mouse(&pk->list, rows, m) == LIST_DOUBLE)
        choose(pk, PICK_PROCESS);
}

void picker_key(struct picker *pk, uint32_t key, const struct mouse *m) {
    pk->note = NULL;
    if (key == KEYC_MOUSE) {
        if (m)
            take_mouse(pk, m);
        return;
    }
    unsigned where = pk->typing ? PICK_SEARCH : PICK_LIST;
    for (size_t i = 0; i < n_picker_keys && key; i++)
        for (size_t k = 0; k < sizeof(picker_keys[i].key) / sizeof(picker_keys[i].key[0]); k++)
            if (picker_keys[i].key[k] == key && (picker_keys[i].where & where) &&
                is_offered(pk, &picker_keys[i])) {
                picker_keys[i].act(pk);
                return;
            }
    type(pk, key);
}

/* ---- level 1 ---- */

/* What 100 % of a row is: "pipeline slots", briefly "slots". */
static const char *whole_of(const struct model *m, bool brief) {
    if (brief)
        return model_whole(m);
    return strcmp(m->rung, "software") == 0 ? "CPU time wanted" : m->scope;
}

/* Not what did useful work; nor, where slots are told apart, what is neither. */
static bool is_loss(const struct model *m, const struct metric *mt) {
    bool known;
    if (words_useful(mt, &known) || mt->good_up)
        return false;
    return known || strcmp(m->rung, "software") == 0;
}

/* The place of the greatest one; -1: nothing is lost. */
static int greatest_loss(const struct process_level1 *l) {
    int best = -1;
    for (int i = 0; l->model && i < l->n; i++)
        if (is_loss(l->model, &l->model->metric[l->root[i]]) && l->share[i] >= 0.005F &&
            (best < 0 || l->share[i] > l->share[best]))
            best = i;
    return best;
}

/* "Backend 41%", or "Bad 12%" where the whole name has no room. */
static const char *loss_text(const struct process_level1 *l, int at, char *buf, size_t cap, int w) {
    const struct metric *mt = &l->model->metric[l->root[at]];
    const int percent = (int)lround(100 * (double)l->share[at]);
    char name[64];
    snprintf(buf, cap, "%s %d%%", words_short(name, sizeof(name), mt), percent);
    if (str_width(buf) > w)
        snprintf(buf, cap, "%s %d%%", words_brief(name, sizeof(name), mt), percent);
    return buf;
}

/* As on the home screen: more than 100 % is shrunk, about 100 % fills it, less leaves a rest. */
static void draw_bar(struct canvas *c, struct rect r, const struct process_level1 *l) {
    double sum = 0, upto = 0;
    int from = 0;
    for (int i = 0; i < l->n; i++)
        sum += (double)l->share[i];
    if (sum < 0.95)
        sum = 1;
    for (int i = 0; i < l->n; i++) {
        upto += (double)l->share[i];
        const int end = (int)lround(upto / sum * r.w);
        widget_ground(c, (struct rect){r.x + from, r.y, end - from, 1},
                      words_quiet(words_fill(l->model, l->root[i])));
        from = end;
    }
}

/* The first row that was counted by another model than the one before; NULL: there is none. */
static const struct process_level1 *counted_by(const struct process_table *t,
                                               const struct model *other) {
    for (uint32_t i = 0; i < t->n; i++)
        if (t->row[i].level1.model && t->row[i].level1.model != other)
            return &t->row[i].level1;
    return NULL;
}

enum { CHIP_W = 4 /* of its colour, a blank around it */ };

static const char *legend_name(const struct process_level1 *l, int i, bool brief, char *buf,
                               size_t cap) {
    const struct metric *mt = &l->model->metric[l->root[i]];
    return brief ? words_brief(buf, cap, mt) : words_short(buf, cap, mt);
}

/* "pipeline slots: ██ Frontend ██ Bad Speculation ...". */
static int legend_width(const struct process_level1 *l, bool brief) {
    int w = str_width(whole_of(l->model, brief)) + 1;
    char name[64];
    for (int i = 0; i < l->n; i++)
        w += CHIP_W + str_width(legend_name(l, i, brief, name, sizeof(name)));
    return w;
}

static void draw_legend(struct canvas *c, int x, const struct process_level1 *l, bool brief) {
    const struct rect line = {0, 1, c->w, 1};
    char name[64];
    x += canvas_printf(c, line, x, 1, STYLE_LABEL, "%s:", whole_of(l->model, brief));
    for (int i = 0; i < l->n; i++) {
        const enum style fill = words_quiet(words_fill(l->model, l->root[i]));
        widget_ground(c, (struct rect){x + 1, 1, CHIP_W - 2, 1}, fill);
        x += CHIP_W;
        x += canvas_text(c, line, x, 1, STYLE_LABEL, legend_name(l, i, brief, name, sizeof(name)));
    }
}

/* ---- drawing ---- */

/* In units that htop's users know: powers of 1024, three digits. */
static const char *memory_words(char *buf, size_t cap, uint64_t bytes) {
    static const char unit[] = "KMGTP";
    double v = (double)bytes / 1024;
    int i = 0;
    for (; v >= 999.5 && unit[i + 1]; i++)
        v /= 1024;
    snprintf(buf, cap, v < 9.95 && i > 0 ? "%.1f%c" : "%.0f%c", v, unit[i]);
    return buf;
}

/* The text; what was searched for stands out. */
static void put_text(struct picker *pk, struct rect cell, enum style st, const char *text,
                     bool right) {
    struct canvas *c = &pk->canvas;
    if (right) {
        widget_right(c, cell, cell.x, cell.y, cell.w, st, text);
        return;
    }
    widget_text(c, cell, cell.x, cell.y, cell.w, st, text);
    const char *hit = picker_hit(pk, text);
    if (!hit)
        return;
    char part[256];
    snprintf(part, sizeof(part), "%.*s", (int)(hit - text), text);
    int before = str_width(part);
    snprintf(part, sizeof(part), "%.*s", (int)strlen(pk->search), hit);
    int len = str_width(part);
    if (before + len < cell.w)
        canvas_text(c, cell, cell.x + before, cell.y, STYLE_MATCH, part);
}

static const char *cell_text(const struct process_row *r, enum field f, char *buf, size_t cap) {
    switch (f) {
    case F_PID:
        snprintf(buf, cap, "%d", (int)r->pid);
        return buf;
    case F_USER:
        return r->user;
    case F_CPU:
        snprintf(buf, cap, "%.1f", r->cpu * 100);
        return buf;
    case F_THREADS:
        snprintf(buf, cap, "%u", r->n_thread);
        return buf;
    case F_MEMORY:
        return r->kernel ? "" : memory_words(buf, cap, r->rss);
    case F_NAME:
        return r->comm;
    case F_LOSS: {
        const int at = greatest_loss(&r->level1);
        return at < 0 ? "" : loss_text(&r->level1, at, buf, cap, fields[F_LOSS].w - 1);
    }
    default:
        return r->command ? r->command : "";
    }
}

static enum style cell_style(const struct process_row *r, enum field f) {
    const bool idle = r->cpu < 0.0005;
    if (f == F_LOSS && r->level1.model && greatest_loss(&r->level1) >= 0)
        return words_hue(r->level1.model, r->level1.root[greatest_loss(&r->level1)]);
    if (f == F_CPU && !r->fresh && !idle)
        return STYLE_VALUE;
    if (r->kernel || f == F_COMMAND || f == F_USER || (f == F_CPU && (r->fresh || idle)))
        return STYLE_DIM;
    return f == F_NAME ? STYLE_VALUE : STYLE_TEXT;
}

static void draw_row(struct picker *pk, const struct process_row *r, int y, const int w[F_N]) {
    char buf[96];
    int x = 0;
    for (int i = 0; i < F_N; x += w[i++]) {
        if (w[i] < 2)
            continue;
        struct rect cell = {x + 1, y, w[i] - 1, 1};
        if (fields[i].right)
            cell.x--; /* the blank stands behind */
        if (i == F_BAR && r->level1.model)
            draw_bar(&pk->canvas, cell, &r->level1);
        else if (i != F_BAR)
            put_text(pk, cell, pk->opt->question ? STYLE_TEXT : cell_style(r, (enum field)i),
                     cell_text(r, (enum field)i, buf, sizeof(buf)), fields[i].right);
    }
}

static void draw_headings(struct picker *pk, int y, const int w[F_N]) {
    int x = 0;
    for (int i = 0; i < F_N; x += w[i++]) {
        char title[24];
        if (w[i] < 2)
            continue;
        bool sorted = fields[i].order == (int)pk->order;
        const enum style st = sorted ? STYLE_TITLE : STYLE_LABEL;
        snprintf(title, sizeof(title), "%s%s", fields[i].title, sorted ? "▾" : "");
        struct rect cell = {x + 1 - fields[i].right, y, w[i] - 1, 1};
        /* not put_text: a heading is nothing to be found */
        if (fields[i].right)
            widget_right(&pk->canvas, cell, cell.x, y, cell.w, st, title);
        else
            widget_text(&pk->canvas, cell, cell.x, y, cell.w, st, title);
    }
}

static void draw_title(struct picker *pk) {
    struct canvas *c = &pk->canvas;
    const struct process_table *t = pk->opt->table;
    struct rect r = {0, 0, c->w, 1};
    char count[96];
    snprintf(count, sizeof(count), "%u process%s · %u threads ", t->n, t->n == 1 ? "" : "es",
             t->n_thread);
    if (pk->opt->question)
        snprintf(count, sizeof(count), "%u ", t->n);
    int x = 1 + canvas_text(c, r, 1, 0, STYLE_LABEL, "tdtop") + 2;
    x += widget_text(c, r, x, 0, c->w - x, STYLE_TITLE,
                     pk->opt->question ? pk->opt->question : "Which process?");
    if (x + str_width(count) < c->w)
        widget_right(c, r, x, 0, c->w - x, STYLE_TEXT, count);
}

/* What the colours are, once there are bars; the counters' model first. */
static bool draw_legends(struct picker *pk) {
    const struct process_level1 *one = counted_by(pk->opt->table, NULL);
    const struct process_level1 *two = one ? counted_by(pk->opt->table, one->model) : NULL;
    if (one && two && strcmp(one->model->rung, "software") == 0) {
        const struct process_level1 *slots = two;
        two = one;
        one = slots;
    }
    const int room = pk->canvas.w - 1;
    bool brief = false;
    int w1 = one ? 1 + legend_width(one, brief) : 0, w2 = two ? 2 + legend_width(two, brief) : 0;
    if (one && w1 + w2 > room) {
        brief = true;
        w1 = 1 + legend_width(one, brief);
        w2 = two ? 2 + legend_width(two, brief) : 0;
    }
    if (!one || w1 > room)
        return false;
    draw_legend(&pk->canvas, 1, one, brief);
    if (two && w1 + w2 <= room)
        draw_legend(&pk->canvas, w1 + 2, two, brief);
    return true;
}

static void draw_hint(struct picker *pk) {
    struct canvas *c = &pk->canvas;
    char text[256];
    const bool warns = pk->note || pk->failed;
    if (!warns && draw_legends(pk))
        return;
    if (pk->note)
        snprintf(text, sizeof(text), "%s", pk->note);
    else if (pk->failed)
        snprintf(text, sizeof(text), "the list is not whole: %s", strerror(-pk->failed));
    else
        snprintf(
            text, sizeof(text), "%s",
            pk->opt->question
                ? "--only NAME chooses one beforehand"
                : "its pipeline slots are measured as long as you look; nothing is changed in it");
    widget_text(c, canvas_rect(c), 1, 1, c->w - 2, warns ? STYLE_WARN : STYLE_DIM, text);
}

static void draw_none(struct picker *pk, int y) {
    struct canvas *c = &pk->canvas;
    char text[128];
    if (pk->opt->question)
        snprintf(text, sizeof(text), "none has \"%s\" in its name", pk->search);
    else if (pk->search[0])
        snprintf(text, sizeof(text), "no process has \"%s\" in its name, command line or user",
                 pk->search);
    else
        snprintf(text, sizeof(text), "no process can be seen; Ctrl-A measures the whole machine");
    widget_text(c, canvas_rect(c), 1, y, c->w - 2, STYLE_WARN, text);
}

static void draw_keys(struct picker *pk, int y) {
    struct canvas *c = &pk->canvas;
    struct rect r = {0, y, c->w, 1};
    int x = 1;
    canvas_fill(c, r, STYLE_KEY_TEXT, ' ');
    if (pk->typing) {
        x += canvas_text(c, r, x, y, STYLE_KEY, "/");
        x += canvas_text(c, r, x, y, pk->list.n ? STYLE_VALUE : STYLE_ERROR, pk->search);
        canvas_put(c, r, x, y, STYLE_TEXT, '_');
        x += 3;
    }
    unsigned where = pk->typing ? PICK_SEARCH : PICK_LIST;
    for (size_t i = 0; i < n_picker_keys; i++) {
        const char *brief = brief_of(pk, &picker_keys[i]),
                   *word = brief ? strchr(brief, ' ') : NULL;
        if (!word || !(picker_keys[i].where & where) || x + str_width(brief) >= c->w)
            continue;
        x += canvas_printf(c, r, x, y, STYLE_KEY, "%.*s", (int)(word - brief), brief);
        x += canvas_text(c, r, x, y, STYLE_KEY_TEXT, word) + 2;
    }
}

/* The command lines of what is to be seen. */
void picker_prepare(struct picker *pk) {
    int w[F_N];
    lay_out(pk->canvas.w, w);
    list_fit(&pk->list, pk->list.lines);
    for (int i = 0; w[F_COMMAND] && i < pk->list.lines; i++) {
        struct process_row *r = picker_row(pk, pk->list.top + i);
        if (r && !r->command)
            pk->opt->detail(pk->opt->user, r);
    }
}

void picker_draw(struct picker *pk) {
    struct canvas *c = &pk->canvas;
    int w[F_N], y = picker_first_line(pk);
    canvas_clear(c);
    draw_title(pk);
    if (y > 2 || pk->failed)
        draw_hint(pk);
    lay_out(c->w, w);
    if (pk->opt->question) {
        memset(w, 0, sizeof(w));
        w[F_COMMAND] = c->w;
    } else {
        draw_headings(pk, y - 1, w);
    }
    list_fit(&pk->list, pk->list.lines);
    const struct rect rows = {0, y, c->w, pk->list.lines};
    struct rect line;
    for (int i = 0, at; list_line(&pk->list, rows, i, &line, &at); i++) {
        draw_row(pk, picker_row(pk, at), line.y, w);
        if (at == pk->list.at)
            list_mark(c, line, 0);
    }
    if (pk->list.n == 0 && pk->list.lines)
        draw_none(pk, y);
    draw_keys(pk, c->h - 1);
}

/* ---- on the terminal ---- */

struct run {
    struct picker pk;
    bool dirty, full;
    bool keys_wait;  /* more keys came than were taken */
    uint64_t due_ns; /* of the next reading */
    int readings;    /* so far */
    struct term_options looks;
    struct theme theme;
    bool light; /* the theme is that, by itself */
};

static int resize(struct run *r) {
    int w, h;
    term_size(&w, &h);
    r->dirty = r->full = true;
    return picker_resize(&r->pk, w, h);
}

static int take_signals(struct run *r) {
    int rc = 0;
    for (int sig; rc == 0 && (sig = term_signal()) != 0;) {
        if (sig == SIGTERM || sig == SIGHUP || sig == SIGINT || sig == SIGQUIT)
            key_quit(&r->pk);
        if (sig == SIGTSTP)
            r->pk.suspend = true;
        if (sig == SIGWINCH || sig == SIGCONT)
            rc = resize(r);
    }
    return rc;
}

static int take_keys(struct run *r) {
    const uint64_t until_ns = clock_now_ns() + TERM_KEYS_NS;
    struct mouse m = {0};
    uint32_t key = 0;
    int rc = 0;
    while (rc == 0 && !r->pk.done && clock_now_ns() < until_ns && (key = term_key(&m)) != 0) {
        if (key == KEYC_RESIZE)
            rc = resize(r);
        else if (key == KEYC_PASTE)
            picker_paste(&r->pk, term_pasted());
        else
            picker_key(&r->pk, key, &m);
        r->dirty = true;
    }
    r->keys_wait = key != 0;
    return rc;
}

static int read_again(struct run *r) {
    const uint64_t wait_ms = r->readings++ < FIRST_READS ? FIRST_READS_MS : READ_EVERY_MS;
    r->due_ns = clock_now_ns() + wait_ms * NS_PER_MS;
    r->dirty = true;
    return picker_update(&r->pk);
}

static int turn(struct run *r) {
    struct pollfd fd[] = {{.fd = term_fd(), .events = POLLIN},
                          {.fd = term_signal_fd(), .events = POLLIN},
                          {.fd = term_room_fd(), .events = POLLOUT}};
    const uint64_t answer_ns = term_ground_due_ns();
    const uint64_t due_ns = answer_ns && answer_ns < r->due_ns ? answer_ns : r->due_ns;
    if (poll(fd, 3, r->keys_wait ? 0 : pace_timeout_ms(0, due_ns, clock_now_ns())) < 0) {
        if (errno != EINTR)
            return -errno;
        memset(fd, 0, sizeof(fd)); /* a signal: its byte is waiting */
    }
    int rc = take_signals(r);
    if (rc == 0 && (r->keys_wait || (fd[0].revents & POLLIN)))
        rc = take_keys(r);
    if (term_goes_light(&r->looks, &r->theme))
        r->light = r->dirty = r->full = true;
    if (fd[0].revents & (POLLHUP | POLLERR | POLLNVAL))
        key_quit(&r->pk); /* the terminal is gone */
    if (fd[2].revents)
        r->dirty = true;
    if (rc == 0 && clock_now_ns() >= r->due_ns)
        rc = read_again(r);
    return rc;
}

static int loop(struct run *r) {
    int rc = resize(r);
    if (rc == 0)
        rc = read_again(r);
    while (rc == 0 && !r->pk.done) {
        r->full = r->full || r->pk.repaint;
        if (r->dirty || r->full) {
            picker_prepare(&r->pk);
            picker_draw(&r->pk);
            term_show(&r->pk.canvas, r->full);
            r->dirty = r->full = r->pk.repaint = false;
        }
        rc = turn(r);
        if (rc == 0 && r->pk.suspend) {
            r->pk.suspend = false;
            term_suspend();
            rc = resize(r);
        }
    }
    return rc;
}

int picker_run(const struct picker_options *opt, struct picked *picked, struct err *err) {
    struct run r = {.dirty = true};
    r.looks =
        (struct term_options){.mouse = opt->mouse, .ascii = opt->ascii, .colors = opt->colors};
    *picked = (struct picked){.choice = PICK_NOTHING};
    int rc = theme_load(&r.theme, opt->theme ? opt->theme : "default", err);
    if (rc == 0)
        rc = term_open(&r.looks, &r.theme, err);
    if (rc < 0)
        return rc;
    if (opt->any_theme)
        term_ask_ground();
    rc = picker_init(&r.pk, opt);
    if (rc == 0)
        rc = loop(&r);
    *picked = (struct picked){rc == 0 ? r.pk.choice : PICK_NOTHING, r.pk.selected, r.light};
    picker_destroy(&r.pk);
    if (picked->choice == PICK_NOTHING)
        term_close();
    return rc < 0 ? err_set(err, rc, "list of processes: %s", strerror(-rc)) : 0;
}
