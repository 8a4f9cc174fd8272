/* Properties of the layout at every size: nothing outside the screen, nothing over another. */
#include "ui/draw/layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_W = 300, MAX_H = 100 };

static const char *const pane_name[PANE_N] = {"header", "clock", "funnel", "verdict", "title",
                                              "tree",   "stack", "plot",   "side",    "keys",
                                              "rows",   "type",  "strip",  "main"};

/* What is taken of a screen: panes, none over another. */
struct taken {
    int n, cells;
    struct rect r[4 * PANE_N];
    int pane[4 * PANE_N];
};

static void take(struct taken *t, int w, int h, int pane, struct rect r) {
    if (r.w == 0 && r.h == 0)
        return;
    if (r.w <= 0 || r.h <= 0 || r.x < 0 || r.y < 0 || r.x + r.w > w || r.y + r.h > h)
        fail_msg("%dx%d: %s is %dx%d at %d,%d", w, h, pane_name[pane], r.w, r.h, r.x, r.y);
    for (int i = 0; i < t->n; i++) {
        const struct rect o = t->r[i];
        if (r.x < o.x + o.w && o.x < r.x + r.w && r.y < o.y + o.h && o.y < r.y + r.h)
            fail_msg("%dx%d: %s covers %s", w, h, pane_name[pane], pane_name[t->pane[i]]);
    }
    t->r[t->n] = r;
    t->pane[t->n++] = pane;
    t->cells += r.w * r.h;
}

static bool has(const struct taken *t, int x, int y) {
    for (int i = 0; i < t->n; i++) {
        const struct rect r = t->r[i];
        if (x >= r.x && x < r.x + r.w && y >= r.y && y < r.y + r.h)
            return true;
    }
    return false;
}

/* Cells of a frame; what is in its first line may be a title's. */
static int frame_cells(const struct taken *t, int w, int h, struct rect r) {
    int n = 0;
    if (r.w < 2 || r.h < 2 || r.x < 0 || r.y < 0 || r.x + r.w > w || r.y + r.h > h)
        fail_msg("%dx%d: a frame is %dx%d at %d,%d", w, h, r.w, r.h, r.x, r.y);
    for (int y = r.y; y < r.y + r.h; y++)
        for (int x = r.x; x < r.x + r.w; x++) {
            const bool edge = y == r.y || y == r.y + r.h - 1 || x == r.x || x == r.x + r.w - 1;
            if (edge && y > r.y && has(t, x, y))
                fail_msg("%dx%d: a pane covers the frame at %d,%d", w, h, x, y);
            n += edge && !has(t, x, y);
        }
    return n;
}

/* All panes and frames of a layout. Returns the cells that none has. */
static int take_all(int w, int h, const struct panes *p) {
    struct taken t = {.n = 0};
    for (int i = 0; i < PANE_N; i++)
        take(&t, w, h, i, p->at[i]);
    int left = w * h - t.cells;
    for (int i = 0; i < p->n_frame; i++)
        left -= frame_cells(&t, w, h, p->frame[i]);
    return left;
}

/* Panes fill the screen, but for a blank column before the side and a blank line above the tree. */
static void test_every_size(void **state) {
    (void)state;
    for (int h = 1; h <= MAX_H; h++)
        for (int w = 1; w <= MAX_W; w++) {
            struct panes p;
            layout_rows(w, h, &p);
            int blank = take_all(w, h, &p);
            if (p.too_small == (p.at[PANE_ROWS].w >= w - 2 && p.at[PANE_ROWS].h >= 4))
                fail_msg("%dx%d: rows have %dx%d", w, h, p.at[PANE_ROWS].w, p.at[PANE_ROWS].h);
            if (!p.too_small && blank > w)
                fail_msg("%dx%d: rows leave %d cells", w, h, blank);
            layout_list(w, h, NULL, &p);
            blank = take_all(w, h, &p);
            if (!p.too_small && (blank > w + h || p.at[PANE_ROWS].h < 4 || p.at[PANE_ROWS].w < 40))
                fail_msg("%dx%d: a list has %dx%d", w, h, p.at[PANE_ROWS].w, p.at[PANE_ROWS].h);
            layout_main(w, h, &p);
            blank = take_all(w, h, &p);
            if (!p.too_small && (blank || p.at[PANE_MAIN].h < 4 || p.at[PANE_MAIN].w < w - 2))
                fail_msg("%dx%d: a view that takes all has %dx%d, %d cells are left", w, h,
                         p.at[PANE_MAIN].w, p.at[PANE_MAIN].h, blank);
            layout_panes(w, h, NULL, &p);
            blank = take_all(w, h, &p);
            if (p.too_small != (w < SCREEN_MIN_W || h < SCREEN_MIN_H))
                fail_msg("%dx%d: too_small is %d", w, h, p.too_small);
            if (!p.too_small && blank > w + h)
                fail_msg("%dx%d: %d cells are left", w, h, blank);
        }
}

/* Wherever borders are dragged to: the tree stays, nothing overlaps, and it goes where one drags.
 */
static void test_splits(void **state) {
    (void)state;
    static const int at[] = {1, 50, 200, 333, 500, 800, 999};
    enum { N = sizeof(at) / sizeof(at[0]) };
    for (int h = 1; h <= MAX_H; h += 3)
        for (int w = 1; w <= MAX_W; w += 13)
            for (int i = 0; i < N * N * N; i++) {
                const struct splits by = {at[i % N], at[i / N % N], at[i / N / N]};
                struct panes p;
                layout_panes(w, h, &by, &p);
                int blank = take_all(w, h, &p);
                if (!p.too_small && blank > w + h)
                    fail_msg("%dx%d: %d cells are left", w, h, blank);
                if (p.at[PANE_TREE].w && (p.at[PANE_SIDE].w || p.at[PANE_PLOT].w) &&
                    (p.at[PANE_TREE].h < 4 || (p.at[PANE_SIDE].w && p.at[PANE_TREE].w < 57)))
                    fail_msg("%dx%d, %d %d %d: the tree has %dx%d", w, h, by.side, by.plot,
                             by.stack, p.at[PANE_TREE].w, p.at[PANE_TREE].h);
            }
    struct panes usual, moved;
    layout_panes(200, 60, NULL, &usual);
    layout_panes(200, 60, &(struct splits){.side = 250}, &moved);
    assert_int_equal(moved.at[PANE_SIDE].w, 48); /* in a frame of 50 */
    assert_true(moved.at[PANE_TREE].w > usual.at[PANE_TREE].w);
    layout_panes(200, 60, &(struct splits){.plot = 500}, &moved);
    assert_true(moved.at[PANE_PLOT].h > usual.at[PANE_PLOT].h);
    assert_true(moved.at[PANE_TREE].h < usual.at[PANE_TREE].h);
}

/* Each preset at every size: nothing outside, no two on one cell, none lost; the tree is the most
 * of "bare" and "tree", and has a place in all. */
static void test_presets(void **state) {
    (void)state;
    int n;
    const struct layout_preset *all = layout_presets(&n);
    for (int i = 0; i < n; i++)
        for (int h = 1; h <= MAX_H; h++)
            for (int w = 1; w <= MAX_W; w += 3) {
                struct panes p, usual;
                layout_panes(w, h, NULL, &usual);
                layout_panes(w, h, &all[i].splits, &p);
                if (!p.too_small && take_all(w, h, &p) > w + h)
                    fail_msg("%s at %dx%d: cells are left", all[i].name, w, h);
                assert_int_equal(p.at[PANE_TREE].w > 0, usual.at[PANE_TREE].w > 0);
                if (i == 0)
                    assert_memory_equal(&p, &usual, sizeof(p));
            }
    struct panes p;
    layout_panes(200, 60, &all[1].splits, &p); /* tree */
    assert_true(p.at[PANE_SIDE].w && !p.at[PANE_PLOT].w && !p.at[PANE_STACK].w);
    layout_panes(200, 60, &all[2].splits, &p); /* plots */
    assert_true(!p.at[PANE_SIDE].w && p.at[PANE_PLOT].h + p.at[PANE_STACK].h > p.at[PANE_TREE].h);
    layout_panes(200, 60, &all[3].splits, &p); /* words */
    assert_int_equal(p.at[PANE_SIDE].w, 98);
    layout_panes(200, 60, &all[4].splits, &p); /* bare */
    assert_int_equal(p.at[PANE_TREE].w, 198);
}

static void test_what_is_there(void **state) {
    (void)state;
    static const struct {
        int w, h;
        const char *panes; /* first letters in the order of enum pane; '-' = left out */
    } cases[] = {
        {39, 6, "--------------"},   {40, 5, "--------------"},   {40, 6, "H-FV-----K----"},
        {40, 12, "H-FVIT---K----"},  {80, 24, "HCFVIT---K----"},  {100, 32, "HCFVIT-P-K----"},
        {120, 40, "HCFVIT-P-K----"}, {200, 60, "HCFVITLPSK----"}, {300, 100, "HCFVITLPSK----"}};
    static const char letter[] = "HCFVITLPSKRYOM";
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct panes p;
        layout_panes(cases[i].w, cases[i].h, NULL, &p);
        char got[PANE_N + 1] = {0};
        for (int k = 0; k < PANE_N; k++)
            got[k] = p.at[k].w > 0 ? letter[k] : '-';
        if (strcmp(got, cases[i].panes) != 0)
            fail_msg("%dx%d: %s, wanted %s", cases[i].w, cases[i].h, got, cases[i].panes);
    }
}

/* Columns of core types: none over another, the same places in all, and names and values in each.
 */
static void test_beside(void **state) {
    (void)state;
    assert_false(layout_beside(119, 40, 2, 0, NULL, &(struct panes){0}));
    assert_true(layout_beside(120, 40, 2, 0, NULL, &(struct panes){0}));
    assert_false(layout_beside(120, 40, 3, 0, NULL, &(struct panes){0}));
    for (int n = 1; n <= 4; n++)
        for (int h = 1; h <= MAX_H; h++)
            for (int w = 1; w <= MAX_W; w++) {
                struct panes first, p;
                if (!layout_beside(w, h, n, 0, NULL, &first))
                    continue;
                struct taken t = {.n = 0};
                for (int at = 0; at < n; at++) {
                    assert_true(layout_beside(w, h, n, at, NULL, &p));
                    for (int i = 0; i < PANE_N; i++)
                        if (at == 0 || (i != PANE_HEADER && i != PANE_KEYS && i != PANE_TITLE))
                            take(&t, w, h, i, p.at[i]);
                    assert_true(p.at[PANE_TREE].h >= 8 && p.at[PANE_TREE].w >= 59);
                    assert_int_equal(p.at[PANE_TREE].y, first.at[PANE_TREE].y);
                    assert_int_equal(p.at[PANE_TREE].w, first.at[PANE_TREE].w);
                }
            }
}

static void test_strip(void **state) {
    (void)state;
    struct panes with, without;
    for (int h = SCREEN_MIN_H; h <= MAX_H; h++)
        for (int rows = 0; rows < 2; rows++) {
            struct taken t = {.n = 0};
            if (rows)
                layout_rows(80, h, &without);
            else
                layout_panes(80, h, NULL, &without);
            with = without;
            layout_strip(&with, 2);
            for (int i = 0; i < PANE_N; i++)
                take(&t, 80, h, i, with.at[i]);
            int big = rows ? PANE_ROWS : PANE_TREE;
            assert_int_equal(with.at[PANE_STRIP].h, without.at[big].h >= 7 ? 2 : 0);
        }
}

/* 80x24 must show level 1 and 2 of a full model: 4 + 8 rows and the heading. */
static void test_tree_of_the_small_screen(void **state) {
    (void)state;
    struct panes p;
    layout_panes(80, 24, NULL, &p);
    assert_int_equal(p.at[PANE_TREE].h, 17); /* 16 rows */
    layout_panes(120, 40, NULL, &p);
    assert_true(p.at[PANE_TREE].h >= 18);
    assert_true(p.at[PANE_PLOT].h >= 8);
}

static void test_columns(void **state) {
    (void)state;
    struct columns before = {0};
    for (int w = 1; w <= MAX_W; w++) {
        struct columns c;
        layout_columns(w, false, false, &c);
        int sum = c.name + c.mark + c.value + c.err + c.bar + c.spark + c.duty;
        if (sum > w)
            fail_msg("%d wide: columns take %d", w, sum);
        if (w >= 58 && (c.bar < 8 || c.spark < 9 || c.name < 18)) /* a bar of 3 and "clk" */
            fail_msg("%d wide: name %d, bar %d, spark %d", w, c.name, c.bar, c.spark);
        if (w >= SCREEN_MIN_W && (c.name < 18 || c.value < 8))
            fail_msg("%d wide: name %d, value %d", w, c.name, c.value);
        if (w > 80 && (c.spark < before.spark || c.bar < before.bar || c.name < before.name))
            fail_msg("%d wide: a column is narrower than at %d", w, w - 1);
        before = c;
    }
    struct columns c;
    layout_columns(80, false, false, &c);
    assert_true(c.err && c.bar && c.spark && c.duty);
    layout_columns(58, false, true, &c); /* half of 120 */
    assert_true(c.bar >= 17 && c.spark == 0);
    layout_columns(98, false, true, &c);
    assert_true(c.bar >= 17 && c.spark);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_size),
        cmocka_unit_test(test_splits),
        cmocka_unit_test(test_presets),
        cmocka_unit_test(test_what_is_there),
        cmocka_unit_test(test_tree_of_the_small_screen),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_beside),
        cmocka_unit_test(test_strip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
