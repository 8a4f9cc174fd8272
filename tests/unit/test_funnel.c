/* The funnel: widths, bands of other units, keys and mouse, whole pictures, and every size. */
#include "model/load/model_text.h"
#include "ui/app/actions.h"
#include "ui/view/funnel.h"
#include "ui_fixture.h"

/* Children that are shares of clocks and of uops, below nodes of slots. */
static const char more[] =
    "[node.ICache_Misses]\nparent = 'Fetch_Latency'\nthreshold = 0.05\ndomain = 'Clocks'\n"
    "formula = 'FE.LATENCY / SLOTS / 2'\n"
    "[node.Branch_Resteers]\nparent = 'Fetch_Latency'\nthreshold = 0.05\ndomain = 'Clocks'\n"
    "formula = 'FE.LATENCY / SLOTS / 3'\n"
    "[node.Waits]\nparent = 'Ports_Utilization'\nthreshold = 0.10\ndomain = 'Clocks'\n"
    "formula = 'BE.PORTS / SLOTS * 2'\n"
    "[node.Ports_Busy]\nparent = 'Ports_Utilization'\nthreshold = 0.10\ndomain = 'Clocks'\n"
    "formula = 'BE.PORTS / SLOTS * 3'\n"
    "[node.FP_Arith]\nparent = 'Light_Operations'\nthreshold = 0.10\ndomain = 'Uops'\n"
    "formula = 'RET.LIGHT / SLOTS / 4'\n"
    "[node.Memory_Operations]\nparent = 'Light_Operations'\nthreshold = 0.10\ndomain = 'Slots'\n"
    "formula = 'RET.LIGHT / SLOTS / 3'\n";

static void open_funnel(struct fixture *f, int intervals) {
    fixture_open_with(f, "redis-server 4242 · 5 threads", more);
    fixture_screen(f, 120, 40);
    f->sc.scene.view = &view_funnel;
    fixture_run(f, intervals);
}

static int node(const struct fixture *f, const char *name) {
    int i = model_find(&f->s.model, name);
    assert_true(i != METRIC_NONE);
    return i;
}

static void assert_at(struct fixture *f, const char *name) {
    assert_string_equal(f->s.model.metric[scene_selected(&f->sc.scene)].name, name);
}

/* ---- arithmetic ---- */

static const struct funnel_block *find(const struct funnel_block *b, int n, int metric) {
    for (int i = 0; i < n; i++)
        if (b[i].metric == metric && !b[i].unknown)
            return &b[i];
    return NULL;
}

/* Blocks of a band follow each other within the width; those of slots lie below their parents. */
static void check_bands(const struct screen *sc, int w) {
    const struct model *m = scene_model(&sc->scene);
    struct funnel_band band[FUNNEL_BANDS];
    struct funnel_block block[FUNNEL_BLOCKS], above[FUNNEL_BLOCKS];
    int n_band = funnel_bands(&sc->scene, band), n_above = 0;
    for (int i = 0; i < n_band; i++) {
        int n = funnel_blocks(&sc->scene, &band[i], w, block), end = 0;
        for (int k = 0; k < n; k++) {
            if (block[k].x < end && !block[k].unknown)
                fail_msg("w %d: %s overlaps", w, m->metric[block[k].metric].name);
            end = block[k].x + block[k].w > end ? block[k].x + block[k].w : end;
            assert_true(block[k].x >= 0 && block[k].w >= 0 && end <= w);
            int parent = m->metric[block[k].metric].parent;
            const struct funnel_block *p = find(above, n_above, parent);
            if (band[i].own || parent == METRIC_NONE || !p)
                continue;
            if (block[k].x < p->x || block[k].x + block[k].w > p->x + p->w)
                fail_msg("w %d: %s is not below its parent", w, m->metric[block[k].metric].name);
        }
        if (!band[i].own) {
            memcpy(above, block, sizeof(above));
            n_above = n;
        }
    }
}

static void test_widths(void **state) {
    (void)state;
    struct fixture f;
    open_funnel(&f, 30);
    for (int w = 1; w <= 300; w++)
        check_bands(&f.sc, w);
    struct funnel_band band[FUNNEL_BANDS];
    struct funnel_block block[FUNNEL_BLOCKS];
    funnel_bands(&f.sc.scene, band);
    int n = funnel_blocks(&f.sc.scene, &band[0], 1000, block);
    assert_int_equal(n, 4);
    for (int i = 0; i < n; i++) /* in proportion, but for the dead band of what is shown */
        assert_true(fabs(block[i].w / 1000.0 - f.sc.scene.frame->at[block[i].metric].v) < 0.012);
    assert_int_equal(block[n - 1].x + block[n - 1].w, 1000);
    fixture_close(&f);
}

/* Shares of clocks have no width among slots; together more than 100 % they are all there. */
static void test_units(void **state) {
    (void)state;
    struct fixture f;
    open_funnel(&f, 30);
    struct funnel_band band[FUNNEL_BANDS];
    struct funnel_block block[FUNNEL_BLOCKS];
    funnel_go(&f.sc.scene, node(&f, "Ports_Busy"));
    int n_band = funnel_bands(&f.sc.scene, band);
    int at = funnel_band_of(band, n_band, &f.s.model, node(&f, "Ports_Busy"));
    assert_true(at > 0 && band[at].own);
    assert_string_equal(band[at].of, "clocks");
    assert_int_equal(band[at].parent, node(&f, "Ports_Utilization"));
    assert_int_equal(funnel_blocks(&f.sc.scene, &band[at], 100, block), 2);
    assert_int_equal(block[1].x, block[0].x + block[0].w);
    assert_true(band[at].whole >= 1);
    for (int i = 0; i < n_band; i++)
        for (int k = 0; !band[i].own && k < funnel_blocks(&f.sc.scene, &band[i], 100, block); k++)
            assert_true(funnel_is_slots(&f.s.model, block[k].metric));
    assert_false(funnel_is_slots(&f.s.model, node(&f, "ICache_Misses")));
    assert_true(funnel_is_slots(&f.s.model, node(&f, "Memory_Operations")));
    funnel_go(&f.sc.scene, node(&f, "FP_Arith"));
    at = funnel_band_of(band, funnel_bands(&f.sc.scene, band), &f.s.model, node(&f, "FP_Arith"));
    assert_string_equal(band[at].of, "uops");
    funnel_go(&f.sc.scene, node(&f, "Machine_Clears")); /* which leads nowhere */
    n_band = funnel_bands(&f.sc.scene, band);
    assert_int_equal(n_band, 2);
    assert_int_equal(band[1].parent, node(&f, "Bad_Speculation"));
    assert_int_equal(funnel_bands_most(&f.s.model), 4);
    fixture_close(&f);
}

/* ---- keys and mouse ---- */

static void test_moves(void **state) {
    (void)state;
    struct fixture f;
    open_funnel(&f, 30);
    funnel_go(&f.sc.scene, node(&f, "Frontend_Bound"));
    funnel_move(&f.sc.scene, 1);
    assert_at(&f, "Bad_Speculation");
    funnel_move(&f.sc.scene, 1);
    funnel_move_level(&f.sc.scene, 1); /* to what lies on the path */
    assert_at(&f, "Memory_Bound");
    funnel_move(&f.sc.scene, 1);
    assert_at(&f, "Core_Bound");
    funnel_move(&f.sc.scene, 1); /* the last part of its parent */
    assert_at(&f, "Core_Bound");
    funnel_move(&f.sc.scene, -99);
    assert_at(&f, "Memory_Bound");
    funnel_move_level(&f.sc.scene, -1);
    assert_at(&f, "Backend_Bound");
    funnel_move(&f.sc.scene, -99);
    assert_at(&f, "Frontend_Bound");
    funnel_move_level(&f.sc.scene, -1); /* there is nothing above */
    assert_at(&f, "Frontend_Bound");
    fixture_close(&f);
}

static void test_drill(void **state) {
    (void)state;
    struct fixture f;
    open_funnel(&f, 30);
    struct funnel_band band[FUNNEL_BANDS];
    struct funnel_block block[FUNNEL_BLOCKS];
    int memory = node(&f, "Memory_Bound");
    funnel_go(&f.sc.scene, memory);
    funnel_drill(&f.sc.scene);
    assert_int_equal(funnel_zoom(&f.sc.scene), memory);
    funnel_bands(&f.sc.scene, band);
    assert_int_equal(funnel_blocks(&f.sc.scene, &band[1], 100, block), 1);
    assert_true(block[0].metric == memory && block[0].w == 100);
    int n = funnel_blocks(&f.sc.scene, &band[2], 100, block);
    assert_true(n >= 4);
    check_bands(&f.sc, 100);
    funnel_go(&f.sc.scene, node(&f, "Retiring")); /* as another view would: outside */
    assert_int_equal(funnel_zoom(&f.sc.scene), METRIC_NONE);
    funnel_go(&f.sc.scene, memory);
    assert_int_equal(funnel_zoom(&f.sc.scene), memory);
    assert_true(funnel_back(&f.sc.scene));
    assert_int_equal(funnel_zoom(&f.sc.scene), node(&f, "Backend_Bound"));
    assert_true(funnel_back(&f.sc.scene));
    assert_false(funnel_back(&f.sc.scene));
    funnel_go(&f.sc.scene, node(&f, "Machine_Clears"));
    funnel_drill(&f.sc.scene); /* a leaf has nothing to show */
    assert_int_equal(funnel_zoom(&f.sc.scene), METRIC_NONE);
    assert_non_null(strstr(f.sc.message, "Machine_Clears"));
    fixture_close(&f);
}

static void test_mouse(void **state) {
    (void)state;
    struct fixture f;
    open_funnel(&f, 30);
    struct rect r = {3, 2, 100, 30};
    struct mouse m = {.what = MOUSE_PRESS};
    const char *found[200] = {0};
    int n = 0;
    for (m.y = 0; m.y < 40; m.y++)
        for (m.x = 0; m.x < 120; m.x++) {
            funnel_go(&f.sc.scene, node(&f, "Frontend_Bound"));
            view_funnel.mouse(&f.sc.scene, r, &m);
            const char *name = f.s.model.metric[scene_selected(&f.sc.scene)].name;
            int i = 0;
            while (i < n && found[i] != name)
                i++;
            if (i == n)
                found[n++] = name;
        }
    assert_true(n >= 8); /* level 1, and the parts of Frontend_Bound and of the larger of them */
    m = (struct mouse){.x = r.x + 60, .y = r.y + 2, .what = MOUSE_DOUBLE};
    funnel_go(&f.sc.scene, node(&f, "Retiring"));
    view_funnel.mouse(&f.sc.scene, r, &m);
    assert_true(funnel_zoom(&f.sc.scene) != METRIC_NONE);
    assert_int_equal(funnel_zoom(&f.sc.scene), scene_selected(&f.sc.scene));
    fixture_close(&f);
}

static void test_keys(void **state) {
    (void)state;
    struct fixture f;
    fixture_open_with(&f, "redis-server 4242", more);
    fixture_screen(&f, 120, 40);
    fixture_run(&f, 30);
    fixture_keys(&f, "2");
    assert_ptr_equal(f.sc.scene.view, &view_funnel);
    funnel_go(&f.sc.scene, node(&f, "Frontend_Bound"));
    fixture_keys(&f, ">>"); /* the right arrow */
    assert_at(&f, "Backend_Bound");
    fixture_keys(&f, "\n");
    assert_int_equal(funnel_zoom(&f.sc.scene), node(&f, "Backend_Bound"));
    assert_true(fixture_shows(&f, "full width = Backend_Bound"));
    screen_key(&f.sc, KEYC_DOWN, NULL);
    assert_at(&f, "Memory_Bound");
    fixture_keys(&f, "\n");
    screen_key(&f.sc, KEYC_BACKSPACE, NULL);
    assert_int_equal(funnel_zoom(&f.sc.scene), node(&f, "Backend_Bound"));
    screen_key(&f.sc, KEYC_ESC, NULL);
    assert_int_equal(funnel_zoom(&f.sc.scene), METRIC_NONE);
    assert_ptr_equal(f.sc.scene.view, &view_funnel);
    screen_key(&f.sc, KEYC_ESC, NULL);
    assert_ptr_equal(f.sc.scene.view, &view_tree);
    assert_at(&f, "Memory_Bound"); /* one selection for both */
    fixture_close(&f);
}

/* What has no block is not found. */
static void test_search(void **state) {
    (void)state;
    struct fixture f;
    open_funnel(&f, 30);
    fixture_keys(&f, "/core_b\n");
    assert_at(&f, "Core_Bound");
    fixture_keys(&f, "/bound\n");
    const int first = scene_selected(&f.sc.scene);
    fixture_keys(&f, "n");
    assert_int_not_equal(scene_selected(&f.sc.scene), first);
    fixture_keys(&f, "N");
    assert_int_equal(scene_selected(&f.sc.scene), first);
    fixture_keys(&f, "/ipc\n");
    assert_true(funnel_is_block(&f.s.model, scene_selected(&f.sc.scene)));
    assert_true(fixture_shows(&f, "nothing has \"ipc\""));
    fixture_close(&f);
}

/* ---- pictures ---- */

static void golden(struct fixture *f, const char *what, int w, int h, bool ascii) {
    char name[64];
    struct canvas c;
    assert_int_equal(canvas_init(&c, w, h), 0);
    view_funnel.draw(&f->sc.scene, &c, canvas_rect(&c));
    snprintf(name, sizeof(name), "%s_%dx%d", what, w, h);
    golden_compare(&c, name, ascii);
    canvas_destroy(&c);
}

static const struct { int w, h; } sizes[] = {{80, 24}, {120, 40}, {200, 60}, {40, 6}};
enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };

static void test_goldens(void **state) {
    (void)state;
    static const struct {
        const char *name, *select;
        bool drill;
    } cases[] = {
        {"funnel", "L3_Bound", false},
        {"funnel_drilled", "Memory_Bound", true},
        {"funnel_clocks", "Ports_Busy", false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fixture f;
        open_funnel(&f, 95);
        funnel_go(&f.sc.scene, node(&f, cases[i].select));
        if (cases[i].drill)
            funnel_drill(&f.sc.scene);
        for (int k = 0; k < 2 * (i == 0 ? SIZES : 2); k++)
            golden(&f, cases[i].name, sizes[k / 2].w, sizes[k / 2].h, k % 2);
        fixture_close(&f);
    }
}

/* A tall block that is selected has brackets in its corners, not a ladder of them. */
static void test_brackets(void **state) {
    (void)state;
    struct fixture f;
    struct canvas c;
    open_funnel(&f, 30);
    assert_int_equal(canvas_init(&c, 200, 60), 0);
    funnel_go(&f.sc.scene, node(&f, "Light_Operations"));
    view_funnel.draw(&f.sc.scene, &c, canvas_rect(&c));
    int opens = 0, closes = 0, first = 0, last = 0;
    for (int i = 0; i < c.w * c.h; i++) {
        opens += c.at[i].cp == '[';
        closes += c.at[i].cp == ']';
        if (c.at[i].cp == '[') {
            first = first ? first : i / c.w;
            last = i / c.w;
        }
    }
    assert_int_equal(opens, 2);
    assert_int_equal(closes, 2);
    assert_true(last - first >= 2);
    canvas_destroy(&c);
    fixture_close(&f);
}

/* ---- every size ---- */

/* Draws into a rect within a larger canvas: what is around it stays. */
static void draw_within(struct screen *sc, struct canvas *c, int w, int h) {
    struct rect r = {3, 2, w, h};
    canvas_fill(c, canvas_rect(c), STYLE_MATCH, '@');
    canvas_fill(c, r, STYLE_TEXT, ' ');
    view_funnel.draw(&sc->scene, c, r);
    for (int y = 0; y < c->h; y++)
        for (int x = 0; x < c->w; x++) {
            const struct cell *cell = &c->at[y * c->w + x];
            bool in = x >= r.x && x < r.x + w && y >= r.y && y < r.y + h;
            if (!in && (cell->cp != '@' || cell->style != STYLE_MATCH || cell->selected))
                fail_msg("%dx%d: draws at %d,%d", w, h, x - r.x, y - r.y);
        }
}

static void draw_sizes(struct screen *sc, int step) {
    struct canvas c;
    assert_int_equal(canvas_init(&c, 306, 104), 0);
    for (int h = 1; h <= 100; h += h < 12 ? 1 : step)
        for (int w = 1; w <= 300; w += w < 12 ? 1 : 3 * step)
            draw_within(sc, &c, w, h);
    canvas_destroy(&c);
}

static void test_sizes(void **state) {
    (void)state;
    struct fixture f;
    open_funnel(&f, 0);
    draw_sizes(&f.sc, 29);
    fixture_run(&f, 5);
    draw_sizes(&f.sc, 13);
    funnel_go(&f.sc.scene, node(&f, "Waits"));
    draw_sizes(&f.sc, 29);
    funnel_go(&f.sc.scene, node(&f, "Backend_Bound"));
    funnel_drill(&f.sc.scene);
    draw_sizes(&f.sc, 29);
    fixture_close(&f);
}

/* ---- every model ---- */

/* A screen on a model with values made of its indexes; every seventh is not known. */
static void open_model(struct screen *sc, struct session *s, struct frame *f) {
    assert_int_equal(outline_init(&sc->scene.tree, &s->model, 2), 0);
    assert_int_equal(frame_init(f, s->model.n_metric), 0);
    sc->scene.s = s;
    sc->scene.funnel_zoom = METRIC_NONE;
    sc->scene.view = &view_funnel;
    sc->scene.shown = calloc(s->model.n_metric + 1, sizeof(*sc->scene.shown));
    for (uint32_t i = 0; i < s->model.n_metric; i++) {
        double v = (i * 37 % 100) / 150.0;
        f->at[i] = (struct value){.v = i % 7 == 6 ? (double)NAN : v, .err = 0.01, .duty = 1};
        f->at[i].over = !isnan(f->at[i].v) && v > model_threshold(&s->model, (int)i);
        if (isnan(f->at[i].v))
            f->at[i].why.kind = WHY_NOTHING;
        sc->scene.shown[i] = (struct shown){.err = 0.01F, .bar = (float)f->at[i].v, .duty = 1};
    }
    bottleneck_find(&s->model, f, &f->bottleneck);
    sc->scene.frame = f;
}

static void close_model(struct screen *sc, struct session *s, struct frame *f) {
    free(sc->scene.shown);
    outline_destroy(&sc->scene.tree);
    frame_destroy(f);
    model_free(&s->model);
}

static void walk(struct screen *sc) {
    static const struct { int w, h; } all[] = {{80, 19}, {200, 50}, {33, 7}};
    struct canvas c;
    assert_int_equal(canvas_init(&c, 206, 54), 0);
    for (int i = 0; i < 24; i++) {
        if (i % 5 == 4)
            funnel_drill(&sc->scene);
        else if (i % 11 == 10)
            funnel_back(&sc->scene);
        else if (i % 3 == 0)
            funnel_move_level(&sc->scene, i % 2 ? 1 : -1);
        else
            funnel_move(&sc->scene, i % 4 ? 1 : -1);
        check_bands(sc, 20 + i * 4);
        draw_within(sc, &c, all[i % 3].w, all[i % 3].h);
    }
    canvas_destroy(&c);
}

/* Draws a built-in model at w x h; returns how many cells are hatched. */
static int draw_model(const char *name, int w, int h, char *text, size_t cap) {
    struct session s = {0};
    struct screen sc = {0};
    struct frame f;
    struct canvas c;
    const struct embedded *e = embedded_models;
    int hatched = 0;
    while (strcmp(e->name, name) != 0)
        e++;
    assert_int_equal(model_load(&s.model, e->text, e->len, e->name, NULL), 0);
    open_model(&sc, &s, &f);
    for (uint32_t i = 0; i < s.model.n_tree; i++)
        if (s.model.metric[i].level == 1) {
            f.at[i].v = 0.2;
            sc.scene.shown[i].bar = 0.2F;
        }
    assert_int_equal(canvas_init(&c, w, h), 0);
    view_funnel.draw(&sc.scene, &c, canvas_rect(&c));
    canvas_dump(&c, text, cap);
    for (int i = 0; i < w * h; i++)
        hatched += c.at[i].cp == 0x2571 && c.at[i].style == STYLE_BORDER;
    canvas_destroy(&c);
    close_model(&sc, &s, &f);
    return hatched;
}

/* Slots of the other thread are neither useful nor lost: no hole, and no colour either. */
static void test_neutral(void **state) {
    (void)state;
    char text[32768];
    assert_true(draw_model("zen4", 120, 34, text, sizeof(text)) > 20);
    assert_non_null(strstr(text, "╱ 20.0% SMT Contention"));
    assert_true(draw_model("zen4", 80, 19, text, sizeof(text)) > 8);
    assert_int_equal(draw_model("neoverse-v2", 120, 34, text, sizeof(text)), 0);
}

/* Where a model of few levels leaves rows, level 1 over time is below; else the blocks grow. */
static void test_past(void **state) {
    (void)state;
    static const struct {
        const char *model;
        int w, h;
        bool past;
    } cases[] = {{"neoverse-v2", 120, 34, true}, {"neoverse-v2", 80, 19, true},
                 {"zen4", 120, 34, true},        {"zen4", 80, 19, false},
                 {"spr", 120, 34, false},        {"spr", 200, 54, true}};
    char text[32768];
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        draw_model(cases[i].model, cases[i].w, cases[i].h, text, sizeof(text));
        if ((strstr(text, "── level 1 ") != NULL) != cases[i].past)
            fail_msg("%s %dx%d:\n%s", cases[i].model, cases[i].w, cases[i].h, text);
    }
}

static void test_models(void **state) {
    (void)state;
    for (const struct embedded *e = embedded_models; e->name; e++) {
        struct session s = {0};
        struct screen sc = {0};
        struct frame f;
        struct err err;
        if (model_load(&s.model, e->text, e->len, e->name, &err) < 0)
            fail_msg("%s", err.text);
        open_model(&sc, &s, &f);
        walk(&sc);
        close_model(&sc, &s, &f);
    }
}

/* 0 to 500 nodes with names of 200 characters: more than a level has blocks. */
static void test_many(void **state) {
    (void)state;
    static const int counts[] = {0, 1, 64, 65, 500};
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        char *text = NULL, name[240];
        size_t len = 0;
        FILE *out = open_memstream(&text, &len);
        memset(name, 'N', 196);
        fputs("name = 'many'\ntitle = 'Many'\ntma = ''\nvendor = ''\norigin = 'made for tests'\n"
              "rung = 'full'\nscope = 'pipeline slots'\nmatch = []\n[event]\n'A' = { code = 1 }\n",
              out);
        for (int k = 0; k < counts[i]; k++) {
            snprintf(name + 196, sizeof(name) - 196, "_%03d", k);
            fprintf(out, "[node.%s]\nformula = 'A / %d'\nthreshold = 0.1\n", name, k + 2);
            snprintf(name + 196, sizeof(name) - 196, "_%03d", k / 3);
            if (k > 0)
                fprintf(out, "parent = '%s'\n", name);
        }
        fputs("[metric.IPC]\nformula = 'A'\n", out);
        fclose(out);
        struct session s = {0};
        struct screen sc = {0};
        struct frame f;
        struct err err;
        if (model_load(&s.model, text, len, "many.toml", &err) < 0)
            fail_msg("%s", err.text);
        open_model(&sc, &s, &f);
        walk(&sc);
        close_model(&sc, &s, &f);
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_widths),  cmocka_unit_test(test_units),
        cmocka_unit_test(test_moves),   cmocka_unit_test(test_drill),
        cmocka_unit_test(test_keys),    cmocka_unit_test(test_mouse),
        cmocka_unit_test(test_goldens), cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_models),  cmocka_unit_test(test_many),
        cmocka_unit_test(test_search),  cmocka_unit_test(test_neutral),
        cmocka_unit_test(test_past),    cmocka_unit_test(test_brackets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
