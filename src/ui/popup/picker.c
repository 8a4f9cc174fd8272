#include "ui/popup/picker.h"

#include "base/clock.h"
#include "base/str.h"
#include "ui/draw/form.h"
#include "ui/draw/pace.h"
#include "ui/draw/widget.h"
#include "ui/term/term.h"
#include "ui/term/theme.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    READ_EVERY_MS = 1000,
    SECOND_READ_MS = 300, /* until then CPU shares are those of whole lives */
    LINES_ABOVE = 3,      /* title, hint, headings; without the hint on low screens */
    LOW = 10,
};

/* ---- the list ---- */

static const struct process_row *row_of(const struct picker *pk, uint32_t index) {
    return &pk->opt->table->row[index];
}

struct process_row *picker_row(const struct picker *pk, int at) {
    return at >= 0 && at < pk->list.n ? &pk->opt->table->row[pk->shown[at]] : NULL;
}

const char *picker_hit(const struct picker *pk, const char *text) {
    return pk->search[0] && text ? strcasestr(text, pk->search) : NULL;
}

/* By its name, its command line, its user or the beginning of its number. */
static bool is_wanted(const struct picker *pk, struct process_row *r) {
    char pid[16];
    if (r->kernel && !pk->kernel_threads)
        return false;
    if (!pk->search[0])
        return true;
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
    *pk = (struct picker){.opt = opt, .list = {.moved = note_selected, .owner = pk}};
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
static void key_by_cpu(struct picker *pk) {
    order_by(pk, ORDER_CPU);
}
static void key_by_memory(struct picker *pk) {
    order_by(pk, ORDER_MEMORY);
}
static void key_by_pid(struct picker *pk) {
    order_by(pk, ORDER_PID);
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

/* Out of the search, if there is one; else out of the picker. */
static void key_escape(struct picker *pk) {
    if (!pk->typing && !pk->search[0]) {
        key_quit(pk);
        return;
    }
    pk->typing = false;
    pk->search[0] = '\0';
    search_anew(pk);
}

/* ---- the keys: the key line and the dispatch read the same table ---- */

enum { PICK_LIST = 1 << 0, PICK_SEARCH = 1 << 1 /* while typing */ };

struct picker_key {
    uint32_t key[3]; /* code points and KEYC_*; 0 = none */
    unsigned where;
    void (*act)(struct picker *pk);
    const char *brief; /* key and word of the key line; NULL: not there */
};

/* Order is that of the key line, which leaves out from the end; those of htop do what they do
 * there. */
static const struct picker_key picker_keys[] = {
    {{KEYC_ENTER}, PICK_LIST | PICK_SEARCH, key_pick, "Enter measure"},
    {{'/', KEYC_F3, KEYC_F4}, PICK_LIST, key_search, "/ search"},
    {{'a'}, PICK_LIST, key_all, "a whole machine"},
    {{'q', KEYC_F10}, PICK_LIST, key_quit, "q quit"},
    {{KEYC_ESC}, PICK_SEARCH, key_escape, "Esc all"},
    {{'P'}, PICK_LIST, key_by_cpu, "P by CPU"},
    {{'M'}, PICK_LIST, key_by_memory, "M by memory"},
    {{'N'}, PICK_LIST, key_by_pid, "N by number"},
    {{'K'}, PICK_LIST, key_kernel, "K kernel threads"},
    {{KEYC_ESC}, PICK_LIST, key_escape, NULL},
    {{KEYC_F10, KEYC_CTRL_C}, PICK_SEARCH | PICK_LIST, key_quit, NULL},
    {{KEYC_UP}, PICK_LIST | PICK_SEARCH, key_up, NULL},
    {{KEYC_DOWN}, PICK_LIST | PICK_SEARCH, key_down, NULL},
    {{'k'}, PICK_LIST, key_up, NULL},
    {{'j'}, PICK_LIST, key_down, NULL},
    {{KEYC_PGUP}, PICK_LIST | PICK_SEARCH, key_page_up, NULL},
    {{KEYC_PGDN}, PICK_LIST | PICK_SEARCH, key_page_down, NULL},
    {{KEYC_HOME, 'g'}, PICK_LIST, key_first, NULL},
    {{KEYC_END, 'G'}, PICK_LIST, key_last, NULL},
    {{KEYC_CTRL_L}, PICK_LIST | PICK_SEARCH, key_repaint, NULL},
    {{KEYC_CTRL_Z}, PICK_LIST | PICK_SEARCH, key_suspend, NULL},
};
static const size_t n_picker_keys = sizeof(picker_keys) / sizeof(picker_keys[0]);

static void type(struct picker *pk, uint32_t key) {
    if (form_end_key(pk->search, sizeof(pk->search), key))
        search_anew(pk);
}

void picker_paste(struct picker *pk, const char *text) {
    if (pk->typing && form_end_paste(pk->search, sizeof(pk->search), text))
        search_anew(pk);
}

static void take_mouse(struct picker *pk, const struct mouse *m) {
    const int from = picker_first_line(pk);
    const struct rect rows = {0, from, pk->canvas.w, pk->list.lines};
    if (list_mouse(&pk->list, rows, m) == LIST_DOUBLE)
        choose(pk, PICK_PROCESS);
}

void picker_key(struct picker *pk, uint32_t key, const struct mouse *m) {
    if (key == KEYC_MOUSE) {
        if (m)
            take_mouse(pk, m);
        return;
    }
    unsigned where = pk->typing ? PICK_SEARCH : PICK_LIST;
    for (size_t i = 0; i < n_picker_keys && key; i++)
        for (size_t k = 0; k < sizeof(picker_keys[i].key) / sizeof(picker_keys[i].key[0]); k++)
            if (picker_keys[i].key[k] == key && (picker_keys[i].where & where)) {
                picker_keys[i].act(pk);
                return;
            }
    if (pk->typing)
        type(pk, key);
}

/* ---- drawing ---- */

enum field { F_PID, F_USER, F_CPU, F_THREADS, F_MEMORY, F_NAME, F_COMMAND, F_N };

/* Widths include the blank behind; rank: the highest is left out first where lines are short. */
static const struct {
    const char *title;
    int w, rank;
    bool right;
    int order; /* enum picker_order that sorts by it, or -1 */
} fields[F_N] = {
    [F_PID] = {"PID", 8, 0, true, ORDER_PID},       [F_USER] = {"USER", 11, 3, false, -1},
    [F_CPU] = {"CPU%", 8, 0, true, ORDER_CPU},      [F_THREADS] = {"THR", 6, 1, true, -1},
    [F_MEMORY] = {"RES", 8, 2, true, ORDER_MEMORY}, [F_NAME] = {"NAME", 17, 0, false, -1},
    [F_COMMAND] = {"COMMAND", 12, 4, false, -1}, /* and all that is left */
};

static void lay_out(int room, int w[F_N]) {
    memset(w, 0, F_N * sizeof(*w));
    for (int rank = 0; rank <= 4; rank++)
        for (int i = 0; i < F_N; i++)
            if (fields[i].rank == rank && (rank == 0 || fields[i].w <= room)) {
                w[i] = fields[i].w;
                room -= fields[i].w;
            }
    int last = w[F_COMMAND] ? F_COMMAND : F_NAME;
    w[last] += room; /* also less than nothing, on the smallest screens */
    w[last] = w[last] > 0 ? w[last] : 0;
}

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

static const char *cell_text(struct picker *pk, struct process_row *r, enum field f, char *buf,
                             size_t cap) {
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
    default:
        if (!r->command)
            pk->opt->detail(pk->opt->user, r);
        return r->command ? r->command : "";
    }
}

static enum style cell_style(const struct process_row *r, enum field f) {
    const bool idle = r->cpu < 0.0005;
    if (f == F_CPU && !r->fresh && !idle)
        return STYLE_VALUE;
    if (r->kernel || f == F_COMMAND || f == F_USER || (f == F_CPU && (r->fresh || idle)))
        return STYLE_DIM;
    return f == F_NAME ? STYLE_VALUE : STYLE_TEXT;
}

static void draw_row(struct picker *pk, struct process_row *r, int y, const int w[F_N]) {
    char buf[32];
    int x = 0;
    for (int i = 0; i < F_N; x += w[i++]) {
        if (w[i] < 2)
            continue;
        struct rect cell = {x + 1, y, w[i] - 1, 1};
        if (fields[i].right)
            cell.x--; /* the blank stands behind */
        put_text(pk, cell, cell_style(r, (enum field)i),
                 cell_text(pk, r, (enum field)i, buf, sizeof(buf)), fields[i].right);
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
    int x = 1 + canvas_text(c, r, 1, 0, STYLE_LABEL, "tdtop") + 2;
    x += widget_text(c, r, x, 0, c->w - x, STYLE_TITLE, "Which process?");
    if (x + str_width(count) < c->w)
        widget_right(c, r, x, 0, c->w - x, STYLE_TEXT, count);
}

static void draw_hint(struct picker *pk) {
    struct canvas *c = &pk->canvas;
    char text[128];
    if (pk->failed)
        snprintf(text, sizeof(text), "the list is not whole: %s", strerror(-pk->failed));
    else
        snprintf(text, sizeof(text),
                 "its pipeline slots are measured as long as you look; nothing is changed in it");
    widget_text(c, canvas_rect(c), 1, 1, c->w - 2, pk->failed ? STYLE_WARN : STYLE_DIM, text);
}

static void draw_none(struct picker *pk, int y) {
    struct canvas *c = &pk->canvas;
    char text[128];
    if (pk->search[0])
        snprintf(text, sizeof(text), "no process has \"%s\" in its name, command line or user",
                 pk->search);
    else
        snprintf(text, sizeof(text), "no process can be seen; a measures the whole machine");
    widget_text(c, canvas_rect(c), 1, y, c->w - 2, STYLE_WARN, text);
}

static void draw_keys(struct picker *pk, int y) {
    struct canvas *c = &pk->canvas;
    struct rect r = {0, y, c->w, 1};
    int x = 1;
    canvas_fill(c, r, STYLE_KEY_TEXT, ' ');
    if (pk->typing || pk->search[0]) {
        x += canvas_text(c, r, x, y, STYLE_KEY, "/");
        x += canvas_text(c, r, x, y, pk->list.n ? STYLE_VALUE : STYLE_ERROR, pk->search);
        if (pk->typing)
            canvas_put(c, r, x, y, STYLE_TEXT, '_');
        x += 3;
    }
    unsigned where = pk->typing ? PICK_SEARCH : PICK_LIST;
    for (size_t i = 0; i < n_picker_keys; i++) {
        const char *brief = picker_keys[i].brief, *word = brief ? strchr(brief, ' ') : NULL;
        if (!word || !(picker_keys[i].where & where) || x + str_width(brief) >= c->w)
            continue;
        x += canvas_printf(c, r, x, y, STYLE_KEY, "%.*s", (int)(word - brief), brief);
        x += canvas_text(c, r, x, y, STYLE_KEY_TEXT, word) + 2;
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
    draw_headings(pk, y - 1, w);
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

static int read_again(struct run *r, int wait_ms) {
    r->due_ns = clock_now_ns() + (uint64_t)wait_ms * NS_PER_MS;
    r->dirty = true;
    return picker_update(&r->pk);
}

static int turn(struct run *r) {
    struct pollfd fd[] = {{.fd = term_fd(), .events = POLLIN},
                          {.fd = term_signal_fd(), .events = POLLIN},
                          {.fd = term_room_fd(), .events = POLLOUT}};
    if (poll(fd, 3, r->keys_wait ? 0 : pace_timeout_ms(0, r->due_ns, clock_now_ns())) < 0) {
        if (errno != EINTR)
            return -errno;
        memset(fd, 0, sizeof(fd)); /* a signal: its byte is waiting */
    }
    int rc = take_signals(r);
    if (rc == 0 && (r->keys_wait || (fd[0].revents & POLLIN)))
        rc = take_keys(r);
    if (fd[0].revents & (POLLHUP | POLLERR | POLLNVAL))
        key_quit(&r->pk); /* the terminal is gone */
    if (fd[2].revents)
        r->dirty = true;
    if (rc == 0 && clock_now_ns() >= r->due_ns)
        rc = read_again(r, READ_EVERY_MS);
    return rc;
}

static int loop(struct run *r) {
    int rc = resize(r);
    if (rc == 0)
        rc = read_again(r, SECOND_READ_MS);
    while (rc == 0 && !r->pk.done) {
        r->full = r->full || r->pk.repaint;
        if (r->dirty || r->full) {
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

int picker_run(const struct picker_options *opt, enum picker_choice *choice, pid_t *pid,
               struct err *err) {
    struct run r = {.dirty = true};
    struct theme theme;
    struct term_options to = {.mouse = opt->mouse, .ascii = opt->ascii, .colors = opt->colors};
    *choice = PICK_NOTHING;
    int rc = theme_load(&theme, opt->theme ? opt->theme : "default", err);
    if (rc == 0)
        rc = term_open(&to, &theme, err);
    if (rc < 0)
        return rc;
    rc = picker_init(&r.pk, opt);
    if (rc == 0)
        rc = loop(&r);
    *choice = rc == 0 ? r.pk.choice : PICK_NOTHING;
    *pid = r.pk.selected;
    picker_destroy(&r.pk);
    if (*choice == PICK_NOTHING)
        term_close();
    return rc < 0 ? err_set(err, rc, "list of processes: %s", strerror(-rc)) : 0;
}
