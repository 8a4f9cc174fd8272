#include "ui/draw/list.h"

#include "base/str.h"
#include "ui/term/term.h"

static int rows_each(const struct list *l) {
    return l->per_line > 1 ? l->per_line : 1;
}

static int within(int v, int most) {
    return v > most ? most > 0 ? most : 0 : v > 0 ? v : 0;
}

static void place(struct list *l, int row) {
    if (l->text)
        l->top = within(row, l->n - l->lines);
    else
        l->at = within(row, l->n - 1);
}

void list_select(struct list *l, int row) {
    place(l, row);
    l->chosen = l->n > 0;
    if (l->moved)
        l->moved(l->owner);
}

void list_move(struct list *l, int rows) {
    list_select(l, (l->text ? l->top : l->at) + rows);
}

void list_step(struct list *l, int lines) {
    list_move(l, lines * rows_each(l));
}

void list_page(struct list *l, int pages) {
    list_step(l, pages * (l->lines > 2 ? l->lines - 1 : 1));
}

void list_end(struct list *l, bool last) {
    place(l, last ? l->n - 1 : 0);
    l->chosen = last && l->n > 0;
    if (l->moved)
        l->moved(l->owner);
}

enum list_did list_mouse(struct list *l, struct rect r, const struct mouse *m) {
    enum { WHEEL = 3 };
    const int by = l->wheel ? l->wheel : WHEEL, row = l->top + m->y - r.y;
    const bool inside = m->x >= r.x && m->x < r.x + r.w && m->y >= r.y && m->y < r.y + r.h;
    if (m->what == MOUSE_WHEEL_UP || m->what == MOUSE_WHEEL_DOWN) {
        list_step(l, m->what == MOUSE_WHEEL_UP ? -by : by);
        return LIST_MOVED;
    }
    if (l->text || !inside || row >= l->n || (m->what != MOUSE_PRESS && m->what != MOUSE_DOUBLE))
        return LIST_NOTHING;
    const bool again = row == l->at;
    list_select(l, row);
    return m->what == MOUSE_DOUBLE ? LIST_DOUBLE : again ? LIST_AGAIN : LIST_MOVED;
}

bool list_follow(struct list *l, int n, int at) {
    l->n = n;
    place(l, !l->chosen ? 0 : at >= 0 ? at : l->at);
    return at >= 0 || !l->chosen;
}

void list_fit(struct list *l, int lines) {
    const int each = rows_each(l), line = l->at / each, all = (l->n + each - 1) / each;
    l->lines = lines > 0 ? lines : 0;
    if (l->lines == 0)
        return;
    if (line < l->top && !l->text)
        l->top = line;
    if (line >= l->top + l->lines && !l->text)
        l->top = line - l->lines + 1;
    l->top = within(l->top, all - l->lines);
}

void list_reset(struct list *l) {
    l->at = l->top = 0;
    l->chosen = false;
}

bool list_line(const struct list *l, struct rect r, int i, struct rect *line, int *row) {
    *line = (struct rect){r.x, r.y + i, r.w, 1};
    *row = l->top + i;
    return i < r.h && *row < l->n;
}

void list_mark(struct canvas *c, struct rect line, int x) {
    canvas_put(c, (struct rect){x, line.y, 1, 1}, x, line.y, STYLE_SELECTED, 0x203a);
    canvas_select(c, line);
}

const char *list_more(const struct list *l, char *buf, size_t cap) {
    const int above = l->top * rows_each(l), below = l->n - above - l->lines * rows_each(l);
    struct strbuf sb = strbuf_on(buf, cap);
    if (above > 0)
        strbuf_add(&sb, " ↑%d", above);
    if (below > 0)
        strbuf_add(&sb, " ↓%d", below);
    return buf;
}
