#include "ui/draw/layout.h"

/*
 * Rows of each pane by the height of the screen: the last line whose `from` is reached. The tree
 * takes what is left, and gives `plot` and `stack` percent of that away.
 */
static const struct {
    int from;
    int header, clock, funnel, gap, verdict, title, plot, stack;
} rows[] = {
    {SCREEN_MIN_H, 1, 0, 2, 0, 2, 0, 0, 0}, /* no tree: level 1, the verdict and the keys */
    {12, 1, 0, 1, 0, 1, 1, 0, 0},
    {18, 1, 1, 1, 0, 2, 1, 0, 0}, /* on 24 lines 16 rows of the tree */
    {28, 1, 1, 2, 0, 2, 1, 30, 0},
    {36, 1, 1, 2, 1, 2, 1, 35, 0},
    {54, 1, 1, 2, 1, 4, 1, 27, 22}, /* what is first is larger on a large screen */
};

enum {
    PLOT_MIN_H = 6,
    ROWS_MIN_H = 4,
    TREE_LEAST_H = 5, /* what a split that is moved leaves to the tree */
    TREE_LEAST_W = 60,
    SIDE_LEAST_W = 24,
    SIDE_FROM_W = 150, /* screens this wide explain the selected node beside the tree */
    SIDE_PERCENT = 34,
    SIDE_MAX_W = 78,   /* longer lines are hard to read */
    COLUMN_MIN_W = 59, /* of one core type beside others: two on 120 columns */
    COLUMN_MIN_H = 20,
    BETWEEN_W = 2,      /* a blank and a line */
    VERDICT_LEAVES = 8, /* rows below which a view that takes all has no verdict above it */
    VERDICT_LARGE = 4,  /* rows of it beside one large picture, */
    LARGE_FROM_H = 30,  /* on screens of so many */
    STRIP_LEAVES = 5,   /* rows that the tree keeps at least */
    FRAME_FROM_W = 100, /* screens this large have frames */
    FRAME_FROM_H = 36,
};

static const struct layout_preset presets[] = {
    {"home", "as the size of the screen says", {0, 0, 0}},
    {"tree", "the tree instead of plots", {0, SPLIT_NONE, SPLIT_NONE}},
    {"plots", "most room for the past", {SPLIT_NONE, 450, 280}},
    {"words", "half of the screen for the explanation", {500, 0, SPLIT_NONE}},
    {"bare", "the tree and nothing else", {SPLIT_NONE, SPLIT_NONE, SPLIT_NONE}},
};
enum { PRESETS = sizeof(presets) / sizeof(presets[0]) };

const struct layout_preset *layout_presets(int *n) {
    *n = PRESETS;
    return presets;
}

const struct layout_preset *layout_preset_of(const struct splits *splits) {
    for (int i = 0; i < PRESETS; i++) {
        const struct splits *p = &presets[i].splits;
        if (p->side == splits->side && p->plot == splits->plot && p->stack == splits->stack)
            return &presets[i];
    }
    return NULL;
}

static struct rect take_top(struct rect *left, int h) {
    struct rect r = {left->x, left->y, left->w, h < left->h ? h : left->h};
    left->y += r.h;
    left->h -= r.h;
    return r.h > 0 ? r : (struct rect){0};
}

static struct rect take_bottom(struct rect *left, int h) {
    if (h > left->h)
        h = left->h;
    left->h -= h;
    return h > 0 ? (struct rect){left->x, left->y + left->h, left->w, h} : (struct rect){0};
}

static struct rect take_right(struct rect *left, int w) {
    left->w -= w + 1; /* a blank column between them */
    return (struct rect){left->x + left->w + 1, left->y, w, left->h};
}

/* The line of the table for a height. */
static size_t row_of(int h) {
    size_t at = 0;
    while (at + 1 < sizeof(rows) / sizeof(rows[0]) && h >= rows[at + 1].from)
        at++;
    return at;
}

/* What is the same with every view: the header on top, the keys at the bottom. */
static struct rect between(int w, int h, size_t at, struct rect *pane) {
    struct rect left = {0, 0, w, h};
    pane[PANE_KEYS] = take_bottom(&left, 1);
    pane[PANE_HEADER] = take_top(&left, rows[at].header);
    return left;
}

/* The verdict in h rows, and the title of what is below. */
static void take_verdict(struct rect *left, size_t at, int h, struct rect *pane) {
    pane[PANE_VERDICT] = take_top(left, h);
    pane[PANE_TITLE] = take_top(left, rows[at].title);
}

static bool is_too_small(int w, int h, struct panes *out) {
    *out = (struct panes){0};
    out->too_small = w < SCREEN_MIN_W || h < SCREEN_MIN_H;
    return out->too_small;
}

/* Of `whole` what a split says, or `usual` where it was not moved. */
static int share_of(int whole, int split, int usual) {
    if (split == SPLIT_NONE)
        return 0;
    return split > 0 ? whole * split / 1000 : usual;
}

/* 0 where there is no room for the least. */
static int within(int v, int least, int most) {
    if (most < least)
        return 0;
    return v > most ? most : v < least ? least : v;
}

/* Plots below the tree, and the tree itself. */
static void fill_tree(struct rect left, size_t row, const struct splits *splits, struct rect *at) {
    const struct splits by = splits ? *splits : (struct splits){0};
    int h = left.h;
    int plot = rows[row].plot ? share_of(h, by.plot, h * rows[row].plot / 100) : 0;
    int stack = rows[row].stack ? share_of(h, by.stack, h * rows[row].stack / 100) : 0;
    if (by.plot > 0 && rows[row].plot)
        plot = within(plot, PLOT_MIN_H, h - TREE_LEAST_H);
    if (plot >= PLOT_MIN_H)
        at[PANE_PLOT] = take_bottom(&left, plot);
    if (by.stack > 0 && rows[row].stack)
        stack = within(stack, PLOT_MIN_H, left.h - TREE_LEAST_H);
    if (stack >= PLOT_MIN_H)
        at[PANE_STACK] = take_bottom(&left, stack);
    if (left.h > 0)
        at[PANE_TREE] = left;
}

static int side_width(int w, const struct splits *splits) {
    int usual = w * SIDE_PERCENT / 100;
    if (!splits || !splits->side)
        return usual < SIDE_MAX_W ? usual : SIDE_MAX_W;
    int side = w * splits->side / 1000;
    if (side < SIDE_LEAST_W)
        return SIDE_LEAST_W;
    return side < w - TREE_LEAST_W ? side : w - TREE_LEAST_W;
}

static void arrange_tree(int w, int h, const struct splits *splits, struct panes *out) {
    if (is_too_small(w, h, out))
        return;
    size_t row = row_of(h);
    struct rect left = between(w, h, row, out->at);
    out->at[PANE_CLOCK] = take_top(&left, rows[row].clock);
    out->at[PANE_FUNNEL] = take_top(&left, rows[row].funnel);
    take_top(&left, rows[row].gap);
    take_verdict(&left, row, rows[row].verdict, out->at);
    const bool side = w >= SIDE_FROM_W && left.h >= PLOT_MIN_H;
    if (side && !(splits && splits->side == SPLIT_NONE))
        out->at[PANE_SIDE] = take_right(&left, side_width(w, splits));
    fill_tree(left, row, splits, out->at);
}

/* ---- frames ---- */

static void add_frame(struct panes *p, struct rect outer) {
    p->frame[p->n_frame++] = outer;
}

/* A pane whose first line is its title. */
static void frame_titled(struct panes *p, enum pane pane) {
    struct rect *r = &p->at[pane];
    if (r->w == 0)
        return;
    add_frame(p, *r);
    *r = (struct rect){r->x + 1, r->y, r->w - 2, r->h - 1};
}

/* The pane below PANE_TITLE. */
static void frame_below(struct panes *p, enum pane pane) {
    struct rect *r = &p->at[pane], *title = &p->at[PANE_TITLE];
    if (r->w == 0)
        return;
    add_frame(p, (struct rect){r->x, title->y, r->w, r->h + 1});
    *title = (struct rect){r->x + 1, title->y, r->w - 2, 1};
    *r = (struct rect){r->x + 1, r->y, r->w - 2, r->h - 1};
}

static void frame_all(int w, int h, struct panes *p) {
    if (w < FRAME_FROM_W || h < FRAME_FROM_H)
        return;
    struct rect *side = &p->at[PANE_SIDE];
    if (side->w) { /* beside what has PANE_TITLE, and as high */
        side->y--;
        side->h++;
    }
    frame_below(p, PANE_TREE);
    frame_below(p, PANE_ROWS);
    frame_titled(p, PANE_SIDE);
    frame_titled(p, PANE_PLOT);
    frame_titled(p, PANE_STACK);
}

void layout_panes(int w, int h, const struct splits *splits, struct panes *out) {
    arrange_tree(w, h, splits, out);
    frame_all(w, h, out);
}

/* The panes of one type, below each other, from the top of `left` down. */
static void fill_column(struct rect left, size_t row, const struct splits *splits,
                        struct rect *at) {
    at[PANE_TYPE] = take_top(&left, 1);
    at[PANE_CLOCK] = take_top(&left, rows[row].clock);
    at[PANE_FUNNEL] = take_top(&left, 2);
    at[PANE_VERDICT] = take_top(&left, rows[row].verdict + rows[row].gap);
    fill_tree(left, row, splits, at);
}

bool layout_beside(int w, int h, int n, int at, const struct splits *splits, struct panes *out) {
    int column = (w - (n - 1) * BETWEEN_W) / n;
    if (n < 2 || column < COLUMN_MIN_W || h < COLUMN_MIN_H)
        return false;
    size_t row = row_of(h);
    *out = (struct panes){0};
    struct rect left = between(w, h, row, out->at);
    out->at[PANE_TITLE] = take_top(&left, 1);
    left.x = at * (column + BETWEEN_W);
    left.w = column;
    fill_column(left, row, splits, out->at);
    return true;
}

void layout_strip(struct panes *p, int n) {
    struct rect *from = &p->at[p->at[PANE_ROWS].w > 0 ? PANE_ROWS : PANE_TREE];
    if (from->h < n + STRIP_LEAVES)
        return;
    p->at[PANE_STRIP] = (struct rect){from->x, from->y, from->w, n};
    from->y += n;
    from->h -= n;
}

/* Rows are there even where a tree is not: they take the place of level 1 then. */
static void arrange_rows(int w, int h, struct panes *out) {
    arrange_tree(w, h, NULL, out);
    if (out->too_small)
        return;
    struct rect *at = out->at, tree = at[PANE_TREE];
    if (tree.h < ROWS_MIN_H) {
        at[PANE_CLOCK] = at[PANE_FUNNEL] = at[PANE_VERDICT] = at[PANE_TITLE] = (struct rect){0};
        tree.y = at[PANE_HEADER].h;
    }
    at[PANE_TREE] = at[PANE_STACK] = at[PANE_PLOT] = at[PANE_SIDE] = (struct rect){0};
    at[PANE_ROWS] = (struct rect){0, tree.y, w, at[PANE_KEYS].y - tree.y};
}

void layout_rows(int w, int h, struct panes *out) {
    arrange_rows(w, h, out);
    frame_all(w, h, out);
}

void layout_list(int w, int h, const struct splits *splits, struct panes *out) {
    struct panes tree;
    arrange_rows(w, h, out);
    arrange_tree(w, h, splits, &tree);
    if (tree.at[PANE_SIDE].w && tree.at[PANE_STACK].w) {
        struct rect *list = &out->at[PANE_ROWS];
        out->at[PANE_SIDE] = tree.at[PANE_SIDE];
        list->w = tree.at[PANE_TREE].w;
        out->at[PANE_STACK] = take_bottom(list, tree.at[PANE_STACK].h);
    }
    frame_all(w, h, out);
}

void layout_main(int w, int h, struct panes *out) {
    if (is_too_small(w, h, out))
        return;
    struct rect left = between(w, h, row_of(h), out->at);
    if (left.h >= VERDICT_LEAVES)
        take_verdict(&left, row_of(h), h >= LARGE_FROM_H ? VERDICT_LARGE : rows[row_of(h)].verdict,
                     out->at);
    out->at[PANE_MAIN] = left;
}

void layout_whole(int w, int h, bool alone, struct panes *out) {
    if (is_too_small(w, h, out))
        return;
    struct rect left = between(w, h, row_of(h), out->at);
    if (alone) {
        left = (struct rect){0, 0, w, out->at[PANE_KEYS].y};
        out->at[PANE_HEADER] = (struct rect){0};
    }
    out->at[PANE_TITLE] = take_top(&left, rows[row_of(h)].title);
    out->at[PANE_MAIN] = left;
}

enum {
    NAME_MIN = 18,
    NAME_MAX = 38,
    MARK_W = 2,
    VALUE_W = 8,
    DELTA_W = 10, /* " +12.3% ✗ " */
    ERR_W = 6,
    DUTY_W = 5,
    BAR_MIN = 6,
    BAR_UNIT = 8, /* room for a short bar and its unit, "clk" */
    BAR_SHORT = 13,
    BAR_MAX = 41,
    SPARK_MIN = 7,
    SPARK_WORD = 9,    /* room for "last 30s" */
    SPARK_MINUTE = 21, /* 20 buckets of 3 s */
    SPARK_MAX = 61,
};

/* Gives column *col at most `want` of what is left. */
static void give(int *col, int want, int *left) {
    int n = want < *left ? want : *left;
    if (n < 0)
        n = 0;
    *col += n;
    *left -= n;
}

static void divide(int w, struct columns *out) {
    *out = (struct columns){0};
    int left = w;
    give(&out->name, NAME_MIN, &left);
    give(&out->value, VALUE_W, &left);
    give(&out->mark, MARK_W, &left);
    if (left >= ERR_W + DUTY_W + BAR_MIN + SPARK_MIN) {
        give(&out->err, ERR_W, &left);
        give(&out->duty, DUTY_W, &left);
    }
    if (left >= BAR_MIN + SPARK_MIN) {
        give(&out->bar, BAR_MIN, &left);
        give(&out->spark, SPARK_MIN, &left);
        /* First room for deep names, bars that can be compared and "last 30s", then a minute of
         * the past, then longer bars, then more past. */
        give(&out->name, left / 3 < 12 ? left / 3 : 12, &left);
        give(&out->spark, SPARK_WORD - SPARK_MIN, &left);
        give(&out->bar, BAR_SHORT - BAR_MIN, &left);
        give(&out->spark, SPARK_MINUTE - SPARK_WORD, &left);
        give(&out->bar, left / 2 < BAR_MAX - BAR_SHORT ? left / 2 : BAR_MAX - BAR_SHORT, &left);
        give(&out->spark, SPARK_MAX - out->spark, &left);
    } else if (left >= BAR_MIN) {
        give(&out->bar, left, &left);
    }
    give(&out->name, out->spark ? NAME_MAX - out->name : left, &left);
}

/* Takes from a column what it has above `least`, at most `want`. */
static int take(int *col, int least, int want) {
    int n = *col - least < want ? *col - least : want;
    if (n < 0)
        n = 0;
    *col -= n;
    return n;
}

static void spare_columns(struct columns *out) {
    int less = out->bar > 0 && out->bar < BAR_UNIT ? BAR_UNIT - out->bar : 0;
    if (out->spark + out->name - SPARK_WORD - NAME_MIN < less)
        return;
    less -= take(&out->spark, SPARK_WORD, less);
    take(&out->name, NAME_MIN, less);
    out->bar = out->bar > 0 && out->bar < BAR_UNIT ? BAR_UNIT : out->bar;
}

void layout_columns(int w, bool delta, bool half, struct columns *out) {
    bool room = delta && w >= NAME_MIN + VALUE_W + MARK_W + DELTA_W;
    divide(room ? w - DELTA_W : w, out);
    spare_columns(out);
    if (half && out->bar < BAR_SHORT) {
        out->bar += out->spark;
        out->spark = 0;
    }
    out->delta = room ? DELTA_W : 0;
}
