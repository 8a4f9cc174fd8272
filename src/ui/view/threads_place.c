/* First room for who and for the column that rows are sorted by, then for more numbers, then for
 * names, then for the bar. */
#include "ui/view/threads_place.h"

#include "base/str.h"
#include "ui/draw/words.h"
#include "ui/scene/scene.h"

#include <string.h>

enum {
    ID_W = 7, /* the kernel's numbers end at 4194304 */
    NAME_MIN = 10,
    NAME_MID = 13,
    NAME_MAX = 17, /* the kernel keeps 15 characters */
    NAME_ALL = 32, /* for the longer names of processes */
    BUSY_W = 8,
    ROOT_W = 7,   /* " 48.0%" */
    METRIC_W = 6, /* " 1.86" */
    DUTY_W = 6,   /* " duty▾" */
    BAR_GAP = 2,
    BAR_MIN = 12,
    BAR_MAX = 60,
};

int threads_column(const struct scene *sc, enum row_field field) {
    int i = 0;
    while (i < rows_of(sc)->n_column - 1 && rows_of(sc)->column[i].field != field)
        i++;
    return i;
}

bool threads_is_root(const struct scene *sc, int column) {
    const struct row_column *col = &rows_of(sc)->column[column];
    return col->field == FIELD_METRIC && scene_model(sc)->metric[col->metric].level == 1;
}

/* Columns that its heading takes, whole or its first word alone, the mark of the sort included. */
static int heading_width(const struct scene *sc, int column, bool whole) {
    char name[64];
    const struct metric *mt = &scene_model(sc)->metric[rows_of(sc)->column[column].metric];
    words_short(name, sizeof(name), mt);
    return str_width(whole ? name : words_cut(name)) + 2;
}

static void give(int *w, int want, int *left) {
    int n = want - *w < *left ? want - *w : *left;
    if (n <= 0)
        return;
    *w += n;
    *left -= n;
}

/* Roots as wide as their names, or the first word of these. */
static void widen_roots(const struct scene *sc, struct places *p, bool whole, int *left) {
    for (int i = 0; i < rows_of(sc)->n_column; i++)
        if (threads_is_root(sc, i) && p->w[i] > 0)
            give(&p->w[i], heading_width(sc, i, whole), left);
}

/* CPUs have no names. */
static bool is_shown(const struct scene *sc, int column) {
    return rows_of(sc)->kind == ROWS_THREADS || rows_of(sc)->column[column].field != FIELD_NAME;
}

/* More of the name, if there is one. */
static void widen_name(const struct scene *sc, struct places *p, int want, int *left) {
    int name = threads_column(sc, FIELD_NAME);
    if (is_shown(sc, name))
        give(&p->w[name], want, left);
}

static int least_width(const struct scene *sc, int column) {
    static const int w[] = {[FIELD_ID] = ID_W,
                            [FIELD_NAME] = NAME_MIN,
                            [FIELD_BUSY] = BUSY_W,
                            [FIELD_METRIC] = METRIC_W,
                            [FIELD_DUTY] = DUTY_W};
    return threads_is_root(sc, column) ? ROOT_W : w[rows_of(sc)->column[column].field];
}

/* Columns from that one on, as many as fit. Returns the last one. */
static int place_from(const struct scene *sc, struct places *p, int first, int *left) {
    int i = first;
    for (; i < rows_of(sc)->n_column && least_width(sc, i) <= *left; i++)
        give(&p->w[i], least_width(sc, i), left);
    return i - 1;
}

/* Who, and as many numbers as fit; the one that rows are sorted by is among them. */
static void place_least(const struct scene *sc, struct places *p, int *left) {
    int busy = threads_column(sc, FIELD_BUSY), chosen = rows_of(sc)->chosen[rows_of(sc)->kind];
    for (int i = 0; i <= busy; i++)
        if (is_shown(sc, i))
            give(&p->w[i], least_width(sc, i), left);
    const struct places who = *p;
    const int room = *left;
    for (int first = busy + 1; first < rows_of(sc)->n_column; first++) {
        *p = who;
        *left = room;
        if (place_from(sc, p, first, left) >= chosen || first == chosen)
            return;
    }
}

/* What is not a root is set apart from them. */
static void widen_rest(const struct scene *sc, struct places *p, int *left) {
    for (int i = 0; i < rows_of(sc)->n_column; i++)
        if (p->w[i] > 0 && !threads_is_root(sc, i))
            give(&p->w[i], least_width(sc, i) + 1, left);
}

struct places threads_place(const struct scene *sc, struct rect r) {
    const struct rows *rows = rows_of(sc);
    struct places p = {0};
    int left = r.w - 1 - THREADS_MARK_W - 1;
    place_least(sc, &p, &left);
    widen_name(sc, &p, NAME_MID, &left);
    widen_roots(sc, &p, false, &left);
    widen_name(sc, &p, NAME_MAX, &left);
    widen_rest(sc, &p, &left);
    if (left >= BAR_GAP + BAR_MIN) {
        left -= BAR_GAP;
        give(&p.bar_w, BAR_MIN, &left);
        widen_roots(sc, &p, true, &left);
        give(&p.bar_w, BAR_MAX, &left);
        widen_name(sc, &p, NAME_ALL, &left);
    }
    int x = r.x + 1 + THREADS_MARK_W;
    for (int i = 0; i < rows->n_column; i++) {
        p.x[i] = x;
        x += p.w[i];
    }
    p.bar_x = x + BAR_GAP;
    return p;
}
