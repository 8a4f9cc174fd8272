/* The stored runs on the screen: the list, groups, the trend, a run that is opened, and what keys
 * do there. The store is in a folder of its own. */
#include "count_malloc.h"
#include "store_box.h"
#include "ui/runs/runs_open.h"
#include "ui/runs/runs_view.h"
#include "ui/screen/settings.h"
#include "ui_fixture.h"

#include <poll.h>
#include <time.h>

#define DAY_NS (86400ll * 1000000000)
static const int64_t now_ns = 1763755200ll * 1000000000; /* 2025-11-21 20:00 UTC */

struct desk {
    struct box *box;
    struct fixture f;
    struct runs_view rv;
    char exported[64];
};

/* ---- runs of the fixture's core ---- */

static char *text(const char *s) {
    return strdup(s);
}

static void fill_counts(struct fixture *f, struct run *r, uint64_t from, uint64_t n) {
    const struct model *m = &f->s.model;
    assert_int_equal(layout_copy(&r->layout, &f->s.source.layout), 0);
    r->event = calloc(m->n_event + 1u, sizeof(*r->event));
    for (uint32_t i = 0; i < m->n_event; i++)
        r->event[i] = text(m->event[i].name);
    assert_int_equal(series_init(&r->series, &r->layout, 0), 0);
    for (uint64_t tick = from; tick < from + n; tick++) {
        fixture_sample(f, tick);
        assert_int_equal(series_push(&r->series, &f->s.sample), 0);
    }
    r->t0_ns = from * f->step_ns;
    r->t1_ns = (from + n) * f->step_ns;
}

static void make_run(struct fixture *f, struct run *r, int i) {
    struct model m;
    struct layout bound;
    struct eval ev;
    struct err err = {0};
    *r = (struct run){.begun_ns = now_ns - (20 - i) * DAY_NS / 3, .interval_ns = f->step_ns};
    memset(r->id, "0123456789abcdef"[i % 16], RUN_ID_LEN);
    snprintf(r->id, 3, "%02x", (unsigned)i % 256u);
    r->id[2] = 'c';
    fill_counts(f, r, (uint64_t)(i * 7), (uint64_t)(20 + i));
    r->ended_ns = r->begun_ns + (int64_t)(r->t1_ns - r->t0_ns);
    r->process = text(i % 5 ? "redis-server" : "memtier");
    r->target = text("redis-server 4242 · 5 threads");
    r->command = text("redis-server --io-threads 4");
    r->source = text("perf");
    r->version = text("0.1.0");
    r->note = text(i == 3 ? "with \x1b[31m huge pages" : "");
    r->parent = text("");
    r->warning = text("");
    r->model = text("hand");
    r->model_text = text(model_text(&f->s.model));
    consts_init(&r->consts);
    r->simulated = i == 4;
    if (run_bind(r, NULL, &m, &bound, &ev, &err) < 0 || run_evaluate(r, &m, &ev, &err) < 0)
        fail_msg("%s", err.text);
    eval_destroy(&ev);
    layout_destroy(&bound);
    model_free(&m);
}

static void label(struct run *r, int i) {
    static const char *const io[] = {"1", "4", "16"};
    const struct run_fact fact = {text("governor"), text("performance")};
    const struct run_mark mark = {r->t0_ns + 5 * NS_PER_S, text("warm")};
    run_label_set(r, "branch", i % 2 ? "main" : "fix-cache", false, NULL);
    if (i % 4)
        run_label_set(r, "io-threads", io[i % 3], false, NULL);
    run_label_set(r, "arch", "x86_64", true, NULL);
    assert_int_equal(array_push(&r->fact, fact), 0);
    assert_int_equal(array_push(&r->mark, mark), 0);
}

/* One run of many is quite another. */
static void stand_out(struct run *r) {
    for (size_t i = 0; i < r->node.n; i++)
        if (strcmp(r->node.at[i].name, "IPC") == 0)
            r->node.at[i].value.v = 1.9;
}

static void fill_store(struct desk *d, int n) {
    for (int i = 0; i < n; i++) {
        struct run r;
        make_run(&d->f, &r, i);
        label(&r, i);
        if (n == 20 && i == 13)
            stand_out(&r);
        ok(d->box, store_save(&d->box->st, &r, &d->box->err));
        run_free(&r);
    }
}

/* ---- a desk ---- */

static struct desk *at_work; /* for export_run, which has no user */

static int export_run(const struct run *r, const char *path, struct err *err) {
    if (strcmp(path, "no.json") == 0)
        return err_set(err, -EACCES, "no.json: permission denied; give a file that can be written");
    snprintf(at_work->exported, sizeof(at_work->exported), "%.3s %d %s", r->id,
             (int)series_rows(&r->series), path);
    return 0;
}

static void begin(void **state, struct desk *d, int n, int w, int h) {
    *d = (struct desk){.box = *state};
    at_work = d;
    setenv("TZ", "UTC", 1);
    tzset();
    clock_freeze(1000 * NS_PER_S, (uint64_t)now_ns);
    fixture_open(&d->f, "redis-server 4242 · 5 threads");
    fill_store(d, n);
    fixture_screen(&d->f, w, h);
    runs_view_init(&d->rv, d->box->path);
    d->rv.export_run = export_run;
    d->rv.list.store.path[0] = '\0';
    d->f.sc.runs = &d->rv;
    fixture_run(&d->f, 30);
}

static void end(struct desk *d) {
    runs_view_destroy(&d->rv);
    fixture_close(&d->f);
}

static void press(struct desk *d, const char *keys) {
    for (; *keys; keys++)
        runs_key(&d->f.sc,
                 *keys == '<'    ? KEYC_LEFT
                 : *keys == '>'  ? KEYC_RIGHT
                 : *keys == 'v'  ? KEYC_DOWN
                 : *keys == '^'  ? KEYC_ESC
                 : *keys == '\b' ? KEYC_BACKSPACE
                 : *keys == '\n' ? KEYC_ENTER
                                 : (unsigned char)*keys,
                 NULL);
}

/* The path of the store differs from test to test: it is not in goldens. */
static void golden(struct desk *d, const char *name) {
    struct screen *sc = runs_top(&d->f.sc);
    str_copy(d->rv.list.store.path, sizeof(d->rv.list.store.path), "/home/me/runs.db");
    if (sc == &d->f.sc) {
        fixture_golden(&d->f, name);
    } else {
        struct fixture *f = calloc(1, sizeof(*f));
        f->sc = *sc;
        fixture_golden(f, name);
        free(f);
    }
    str_copy(d->rv.list.store.path, sizeof(d->rv.list.store.path), d->box->path);
}

static void sees(struct desk *d, const char *words) {
    static char got[256 * 1024];
    struct screen *sc = runs_top(&d->f.sc);
    screen_draw(sc);
    canvas_dump(&sc->canvas, got, sizeof(got));
    if (!strstr(got, words))
        fail_msg("'%s' is not on the screen:\n%s", words, got);
}

static void misses(struct desk *d, const char *words) {
    static char got[256 * 1024];
    struct screen *sc = runs_top(&d->f.sc);
    screen_draw(sc);
    canvas_dump(&sc->canvas, got, sizeof(got));
    if (strstr(got, words))
        fail_msg("'%s' is on the screen:\n%s", words, got);
}

/* What the loop does with the session of an opened run. */
static void read_all(struct desk *d) {
    struct runs_open *o = d->rv.open;
    assert_non_null(o);
    while (o->s.state == STREAM_LIVE) {
        struct pollfd fd = {.fd = session_fd(&o->s), .events = POLLIN};
        poll(&fd, 1, 5000);
        while (session_take(&o->s))
            screen_update(&o->sc);
    }
    runs_open_complete(o);
    screen_settle(&o->sc);
}

/* ---- tests ---- */

static void test_sizes(void **state) {
    static const struct {
        const char *name;
        int w, h;
    } sizes[] = {{"runs_80x24", 80, 24},
                 {"runs_120x40", 120, 40},
                 {"runs_200x60", 200, 60},
                 {"runs_40x6", 40, 6}};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        struct desk d;
        begin(state, &d, i == 0 ? 14 : 0, sizes[i].w, sizes[i].h);
        press(&d, "rvv vvv ");
        golden(&d, sizes[i].name);
        end(&d);
    }
}

static void test_groups(void **state) {
    struct desk d;
    begin(state, &d, 14, 120, 40);
    press(&d, "rgio-threads\nv\n");
    golden(&d, "runs_groups_120x40");
    press(&d, "^");
    sees(&d, "14 runs  ");
    press(&d, "gbranch\n"); /* each with how many, mean and spread, on one axis */
    golden(&d, "runs_groups_closed_120x40");
    press(&d, "MBackend_Bound\n");
    sees(&d, "in 2 groups by branch · Backend_Bound");
    end(&d);
}

static void test_narrow(void **state) {
    struct desk d;
    begin(state, &d, 14, 120, 40);
    press(&d, "rfbranch=main io-threads!=4\n");
    sees(&d, "4 runs · filter branch=main io-threads!=4");
    press(&d, "fio-threads=4 branch=main\n");
    sees(&d, "3 runs");
    press(&d, "^");
    sees(&d, "14 runs  ");
    press(&d, "f"); /* a list, with how many runs each would leave */
    sees(&d, "branch=fix-cache  7 runs");
    press(&d, "thr\n");
    sees(&d, "filter io-threads=1");
    press(&d, "fmain\n"); /* and another label */
    sees(&d, "filter io-threads=1 branch=main");
    press(&d, "fthreads=4\n"); /* in the place of the same label's */
    sees(&d, "filter branch=main io-threads=4");
    press(&d, "fmain\n"); /* again: it goes */
    sees(&d, "filter io-threads=4");
    press(&d, "fall runs\n");
    sees(&d, "14 runs  ");
    press(&d, "fbranch=main\ngio-threads\n^"); /* what came last is the first to go */
    assert_string_equal(d.rv.list.key, "");
    assert_int_equal(d.rv.list.n_filter, 1);
    press(&d, "^");
    assert_int_equal(d.rv.list.n_filter, 0);
    press(&d, "f^");
    sees(&d, "14 runs  ");
    press(&d, "/main\nfthr\n^"); /* one level at a time */
    sees(&d, "filter io-threads=1");
    press(&d, "^");
    sees(&d, "14 runs  ");
    press(&d, "/branch=fi"); /* while it is typed */
    sees(&d, "7 runs · with \"branch=fi\"");
    press(&d, "\b\bmai");
    sees(&d, "7 runs · with \"branch=mai\"");
    press(&d, "^");
    sees(&d, "14 runs  ");
    press(&d, "/huge");
    sees(&d, "1 run · with \"huge\"");
    press(&d, "\n/io-thr");
    sees(&d, "10 runs · with \"io-thr\"");
    press(&d, "^"); /* what was there before */
    sees(&d, "1 run · with \"huge\"");
    press(&d, "/MEMTIER\n");
    sees(&d, "3 runs · with \"MEMTIER\"");
    press(&d, "/ nobody\n");
    sees(&d, "no run fits: Esc goes back");
    press(&d, "^f=3\n");
    sees(&d, "=3"); /* why it is no condition */
    sees(&d, "14 runs");
    press(&d, "^");
    assert_int_equal(d.rv.mode, RUNS_HIDDEN);
    end(&d);
}

/* All four keys offer lists; what is typed narrows them. */
static void test_lists(void **state) {
    struct desk d;
    begin(state, &d, 14, 120, 40);
    press(&d, "rg");
    sees(&d, "Group by");
    sees(&d, "fix-cache main");
    misses(&d, "no groups");
    press(&d, "v\n");
    assert_string_equal(d.rv.list.key, "io-threads");
    press(&d, "gno gr\n");
    assert_string_equal(d.rv.list.key, "");
    press(&d, "gnothing\n");
    sees(&d, "no run has a label nothing");
    press(&d, "^M");
    sees(&d, "Backend_Bound");
    press(&d, "backend_bound\n");
    assert_string_equal(d.rv.list.metric, "Backend_Bound");
    runs_key(&d.f.sc, '<', NULL);
    sees(&d, "Sort by");
    press(&d, "vv\n");
    assert_int_equal(d.rv.list.sort, 2);
    sees(&d, "by length, highest first");
    runs_key(&d.f.sc, '<', NULL);
    press(&d, "\n"); /* what counts now is selected: the other way round */
    assert_true(d.rv.list.inverted);
    end(&d);
}

/* What was read is drawn without memory: the list, groups with their dots, what is offered. */
static void test_no_memory(void **state) {
    static const char *const keys[] = {"r", "gbranch\n", "\n", "f", "^T", "^M"};
    struct desk d;
    begin(state, &d, 14, 120, 40);
    for (size_t i = 0; i < COUNT_OF(keys); i++) {
        press(&d, keys[i]);
        screen_draw(&d.f.sc);
        const unsigned long before = calls;
        screen_draw(&d.f.sc);
        if (calls != before)
            fail_msg("after '%s': %lu allocations", keys[i], calls - before);
    }
    end(&d);
}

/* Filter, group, compare: in twelve keys. */
static void test_few_keys(void **state) {
    static const char keys[] = "fmai\ng\n  d";
    struct desk d;
    begin(state, &d, 14, 120, 40);
    press(&d, "r");
    press(&d, keys);
    assert_true(strlen(keys) <= 12);
    assert_ptr_equal(d.f.sc.scene.view, &view_bench);
    end(&d);
}

static void test_trend(void **state) {
    struct desk d;
    begin(state, &d, 20, 120, 40);
    press(&d, "rTN");
    golden(&d, "runs_trend_120x40");
    press(&d, "N");
    sees(&d, "no other run stands apart");
    press(&d, "MBackend_Bound\n");
    sees(&d, "Backend_Bound over 20 runs");
    press(&d, "MNo_Such\n");
    sees(&d, "No_Such: none of these runs has such a metric");
    press(&d, "^");
    sees(&d, "20 runs");
    end(&d);
}

static void test_about(void **state) {
    struct desk d;
    begin(state, &d, 4, 80, 24);
    press(&d, "ri");
    golden(&d, "run_80x24");
    press(&d, "i");
    misses(&d, "Automatic labels");
    end(&d);
}

/* What was measured goes on behind a run that is open. */
static void test_open(void **state) {
    struct desk d;
    begin(state, &d, 5, 120, 40);
    press(&d, "rv\n");
    read_all(&d);
    golden(&d, "run_opened_120x40");
    fixture_run(&d.f, 5);
    assert_int_equal(d.f.s.n_frames, 35);
    assert_int_equal(d.rv.open->s.n_frames, 23);
    sees(&d, "WHOLE RUN");
    press(&d, ",,");
    sees(&d, "ago");
    press(&d, "^");
    sees(&d, "WHOLE RUN");
    press(&d, "i");
    sees(&d, "governor");
    sees(&d, "warm");
    sees(&d, "with ?[31m huge pages");
    press(&d, "i ");
    sees(&d, "a stored run stands still");
    press(&d, "^");
    assert_null(d.rv.open);
    sees(&d, "5 runs");
    assert_int_equal(d.rv.list.rows.at, 1); /* where it was */
    press(&d, "\n");
    read_all(&d);
    press(&d, "q");
    assert_null(d.rv.open);
    assert_false(d.f.sc.quit);
    press(&d, "\nr");
    assert_null(d.rv.open);
    press(&d, "r");
    sees(&d, "LIVE");
    misses(&d, "5 runs");
    end(&d);
}

/* What is set while a run is open is so on what is measured, too. */
static void test_settings(void **state) {
    struct desk d;
    struct settings set = {.plot = CHART_BRAILLE};
    begin(state, &d, 5, 120, 40);
    d.f.sc.settings = &set;
    press(&d, "rv\n");
    set.plot = CHART_ASCII;
    screen_draw(runs_top(&d.f.sc));
    assert_int_equal(d.rv.open->sc.scene.plot_glyph, CHART_ASCII);
    press(&d, "^r");
    screen_draw(&d.f.sc);
    assert_int_equal(d.f.sc.scene.plot_glyph, CHART_ASCII);
    end(&d);
}

/* Sums of all its counts: what the list says. */
static void test_whole(void **state) {
    struct desk d;
    begin(state, &d, 5, 120, 40);
    press(&d, "r\n");
    const struct run_row *row = runs_row(&d.rv.list, 0);
    assert_true(row->simulated);
    read_all(&d);
    sees(&d, "SIMULATED");
    const struct screen *sc = &d.rv.open->sc;
    const double v = sc->scene.frame->at[model_find(scene_model(&sc->scene), "Backend_Bound")].v;
    assert_true(fabs(v - row->top[2]) < 1e-12);
    end(&d);
}

static void test_compare(void **state) {
    struct desk d;
    begin(state, &d, 14, 120, 40);
    press(&d, "rd");
    sees(&d, "Space marks two runs");
    press(&d, "  d");
    assert_ptr_equal(d.f.sc.scene.view, &view_bench);
    assert_true(d.f.sc.scene.bench.stored);
    assert_memory_equal(d.f.sc.scene.bench.a.id, "0cc", 3);
    assert_memory_equal(d.f.sc.scene.bench.b.id, "0dc", 3);
    sees(&d, "0dcddddd");
    misses(&d, "0 restart B"); /* nor any other key that would do nothing */
    misses(&d, "s snapshot");
    press(&d, "ge"); /* its first line is a metric */
    assert_ptr_equal(d.f.sc.popup, &popup_explain);
    press(&d, "^");
    const char *path = d.f.sc.scene.bench.selected;
    press(&d, "\n"); /* the metric over time in B, then in A */
    assert_non_null(d.rv.open);
    assert_memory_equal(d.rv.open->run.id, "0dc", 3);
    assert_ptr_equal(d.rv.open->sc.scene.view, &view_history);
    sees(&d, "Esc goes back to A and B");
    const struct screen *o = &d.rv.open->sc;
    assert_string_equal(scene_model(&o->scene)->metric[scene_selected(&o->scene)].path, path);
    press(&d, "^");
    assert_null(d.rv.open);
    assert_ptr_equal(d.f.sc.scene.view, &view_bench);
    assert_string_equal(d.f.sc.scene.bench.selected, path);
    press(&d, "\n1^q"); /* who looks around in the run comes back with q */
    assert_null(d.rv.open);
    assert_ptr_equal(d.f.sc.scene.view, &view_bench);
    screen_key(&d.f.sc, KEYC_LEFT, NULL);
    press(&d, "\n");
    assert_memory_equal(d.rv.open->run.id, "0cc", 3);
    press(&d, "^");
    press(&d, "^");
    sees(&d, "14 runs"); /* back at the list, not at the tree */
    press(&d, "d\x72");
    sees(&d, "14 runs");
    end(&d);
}

/* The runs that were called from the bench go back there. */
static void test_from_bench(void **state) {
    static const char *const there_and_back[] = {"7q", "7^", "r^", "rr"};
    struct desk d;
    begin(state, &d, 3, 120, 40);
    press(&d, "b8");
    for (size_t i = 0; i < sizeof(there_and_back) / sizeof(there_and_back[0]); i++) {
        char key[2] = {there_and_back[i][0]};
        press(&d, key);
        sees(&d, "3 runs");
        press(&d, there_and_back[i] + 1);
        assert_false(runs_shown(&d.f.sc));
        assert_ptr_equal(d.f.sc.scene.view, &view_bench);
    }
    press(&d, "71rq"); /* not from the bench */
    assert_ptr_equal(d.f.sc.scene.view, &view_tree);
    end(&d);
}

static void test_baseline(void **state) {
    struct desk d;
    begin(state, &d, 3, 120, 40);
    press(&d, "rvb");
    sees(&d, "is the baseline");
    assert_true(d.f.sc.scene.base.on);
    assert_memory_equal(d.f.sc.scene.base.run.id, "01c", 3);
    end(&d);
}

/* Of an opened run nothing is live. */
static void test_bench_of_opened(void **state) {
    struct desk d;
    begin(state, &d, 3, 120, 40);
    press(&d, "r\n");
    read_all(&d);
    press(&d, ",,,bLd");
    assert_ptr_equal(d.rv.open->sc.scene.view, &view_bench);
    sees(&d, "this run");
    sees(&d, "22s · 22 intervals");
    misses(&d, "since it was pinned");
    misses(&d, "live");
    end(&d);
}

static void test_edits(void **state) {
    struct desk d;
    begin(state, &d, 5, 120, 40);
    press(&d, "rvx"); /* explains elsewhere */
    sees(&d, "5 runs");
    press(&d, "Dn");
    sees(&d, "nothing was removed");
    press(&d, "D");
    screen_paste(&d.f.sc, "yes");
    press(&d, "\n"); /* what was pasted by mistake is no yes */
    sees(&d, "nothing was removed");
    sees(&d, "5 runs");
    press(&d, "D");
    sees(&d, "remove run 03c33333? y:");
    press(&d, "^");
    sees(&d, "5 runs");
    press(&d, "Dy");
    sees(&d, "removed 03c33333; u undoes");
    sees(&d, "4 runs");
    assert_int_equal(d.rv.list.rows.at, 1);
    assert_memory_equal(runs_row(&d.rv.list, 1)->id, "02c", 3); /* what Enter would open */
    press(&d, "u");
    sees(&d, "run 03c33333 is back");
    sees(&d, "5 runs");
    assert_int_equal(d.rv.list.rows.at, 1);
    press(&d, "u");
    sees(&d, "nothing was removed here");
    press(&d, "l z='a b'\n");
    sees(&d, "run 03c33333: labels: ");
    sees(&d, "branch=main io-threads=1 z=a b");
    press(&d, "n!\n");
    sees(&d, "note set");
    sees(&d, "huge pages!");
    press(&d, "n");
    for (int i = 0; i < 40; i++)
        press(&d, "\b");
    press(&d, "\n");
    sees(&d, "note removed");
    misses(&d, "huge pages");
    press(&d, "l =\n");
    sees(&d, "=");
    sees(&d, "branch=main io-threads=1 z=a b");
    end(&d);
}

/* Removed runs are a list of their own; nothing is done to them but to bring them back. */
static void test_removed(void **state) {
    struct desk d;
    begin(state, &d, 5, 120, 40);
    press(&d, "rX");
    sees(&d, "no removed runs");
    press(&d, "XvDyDy");
    sees(&d, "removed 02c22222; u undoes");
    press(&d, "X");
    sees(&d, "2 removed runs · filter is:removed");
    press(&d, "\n");
    sees(&d, "run 03c33333 is removed: u brings it back");
    assert_null(d.rv.open);
    press(&d, "D");
    sees(&d, "tdtop db prune ends it");
    press(&d, "l");
    assert_false(d.f.sc.ask.typing);
    press(&d, "vu");
    sees(&d, "run 02c22222 is back");
    sees(&d, "1 removed run ");
    press(&d, "^");
    sees(&d, "4 runs  ");
    struct err err = {0};
    assert_int_equal(runs_filter(&d.rv.list, "branch=fix-cache is:removed", &err), 0);
    sees(&d, "0 removed runs");
    press(&d, "X");
    sees(&d, "3 runs · filter branch=fix-cache");
    press(&d, "u"); /* 02c is back already: only 03c is left to undo */
    sees(&d, "run 03c33333 is back; the filter hides it");
    end(&d);
}

/* A group is removed after a question only. */
static void test_remove_group(void **state) {
    struct desk d;
    begin(state, &d, 14, 120, 40);
    press(&d, "rgio-threads\nvD");
    sees(&d, "remove the 4 runs of this group? y:");
    press(&d, "n");
    sees(&d, "nothing was removed");
    sees(&d, "14 runs");
    press(&d, "Dy");
    sees(&d, "removed 4 runs; u undoes");
    sees(&d, "10 runs");
    assert_string_equal(runs_heading(&d.rv.list, d.rv.list.rows.at)->value, "16");
    press(&d, "u");
    sees(&d, "4 runs are back");
    sees(&d, "14 runs");
    end(&d);
}

/* The answer is about the group that was asked about, wherever the list has gone meanwhile. */
static void test_remove_group_asked(void **state) {
    struct desk d;
    struct run r;
    struct mouse m = {.x = 20, .y = 6, .what = MOUSE_PRESS};
    begin(state, &d, 14, 120, 40);
    press(&d, "rgio-threads\nvD"); /* 16 is the third group by its size; 4 of 1 are asked about */
    const uint64_t selected = d.rv.list.rows.at;
    char *value = strdup(runs_heading(&d.rv.list, selected)->value);
    runs_key(&d.f.sc, KEYC_MOUSE, &m);
    m.what = MOUSE_WHEEL_DOWN;
    runs_key(&d.f.sc, KEYC_MOUSE, &m);
    assert_int_equal(d.rv.list.rows.at, selected);
    list_select(&d.rv.list.rows, 0); /* whatever may have moved it */
    press(&d, "y");
    sees(&d, "removed 4 runs; u undoes");
    for (uint32_t i = 0; i < d.rv.list.n_group; i++)
        assert_true(!d.rv.list.group[i].value || strcmp(d.rv.list.group[i].value, value) != 0);
    press(&d, "u");
    sees(&d, "4 runs are back");

    for (int i = 0; i < d.rv.list.rows.n; i++) /* one more comes while it is asked */
        if (strcmp(runs_heading(&d.rv.list, i)->value, value) == 0) {
            list_select(&d.rv.list.rows, i);
            break;
        }
    press(&d, "D");
    make_run(&d.f, &r, 15);
    run_label_set(&r, "io-threads", value, false, NULL);
    ok(d.box, store_save(&d.box->st, &r, &d.box->err));
    run_free(&r);
    press(&d, "y");
    sees(&d, "nothing was removed: the group has 5 runs by now, not 4");

    press(&d, "D");
    const struct run_row *row;
    runs_fold(&d.rv.list, d.rv.list.rows.at, 1);
    for (uint64_t i = 1; i <= 5; i++) { /* or somebody else removes them */
        const uint64_t line = d.rv.list.rows.at + i;
        runs_fetch(&d.rv.list, line, 1);
        assert_non_null(row = runs_row(&d.rv.list, line));
        ok(d.box, store_delete(&d.box->st, row->id, &d.box->err));
    }
    press(&d, "y");
    sees(&d, "nothing was removed: the group is gone");
    free(value);
    end(&d);
}

static void test_compare_groups(void **state) {
    struct desk d;
    begin(state, &d, 14, 120, 40);
    press(&d, "rgbranch\n  d");
    assert_ptr_equal(d.f.sc.scene.view, &view_bench);
    sees(&d, "branch=fix-cache");
    sees(&d, "branch=main");
    sees(&d, "each · 7 runs");
    assert_int_equal(d.f.sc.scene.bench.c.row[0].a->m.n, 7); /* each run is a sample */
    press(&d, "\n");                                         /* the metric over the runs of B */
    assert_int_equal(d.rv.mode, RUNS_TREND);
    assert_int_equal(d.rv.trend.n, 7);
    sees(&d, "branch=main");
    press(&d, "^");
    assert_ptr_equal(d.f.sc.scene.view, &view_bench);
    press(&d, "^");
    sees(&d, "in 2 groups by branch");
    press(&d, "  "); /* takes B from where it was */
    runs_unmark(&d.rv.list);
    list_select(&d.rv.list.rows, 0);
    press(&d, " d"); /* the marked one against the selected one */
    sees(&d, "7 runs");
    press(&d, "^");
    runs_unmark(&d.rv.list);
    press(&d, "d"); /* there are only these two */
    sees(&d, "each · 7 runs");
    end(&d);
}

/* Of the only two runs the one that began earlier is what it was. */
static void test_compare_both(void **state) {
    struct desk d;
    begin(state, &d, 2, 120, 40);
    press(&d, "rd");
    assert_ptr_equal(d.f.sc.scene.view, &view_bench);
    const struct bench_source *from = d.f.sc.scene.bench.from;
    assert_string_not_equal(from[0].id, from[1].id);
    assert_string_equal(from[0].id, runs_row(&d.rv.list, 1)->id); /* newest first */
    end(&d);
}

/* The keys of the list come first, and none of what can be done to the tree behind it. */
static void test_help(void **state) {
    struct desk d;
    begin(state, &d, 3, 120, 40);
    press(&d, "r");
    sees(&d, "D remove");
    sees(&d, "l labels");
    press(&d, "?");
    sees(&d, "Here: Runs");
    sees(&d, "mark as A");
    misses(&d, "Space freeze");
    press(&d, "e"); /* nothing of the tree behind it */
    assert_ptr_equal(d.f.sc.popup, &popup_help);
    press(&d, "?T?");
    sees(&d, "Here: Trend");
    sees(&d, "a run that stands out");
    end(&d);
    begin(state, &d, 0, 80, 24);
    press(&d, "r?");
    sees(&d, "mark as A");
    misses(&d, "one row up");
    end(&d);
}

static void test_export(void **state) {
    struct desk d;
    begin(state, &d, 5, 120, 40);
    press(&d, "rE\n");
    sees(&d, "run 04c44444 is in run-04c44444.json");
    assert_string_equal(d.exported, "04c 24 run-04c44444.json");
    press(&d, "E\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b\bno.json\n");
    sees(&d, "no.json: permission denied");
    d.rv.export_run = NULL;
    press(&d, "E");
    sees(&d, "tdtop export 04c44444");
    end(&d);
}

static void test_empty(void **state) {
    struct desk d;
    begin(state, &d, 0, 80, 24);
    char path[128];
    snprintf(path, sizeof(path), "%s/none.db", d.box->folder);
    d.rv.list.path = path;
    press(&d, "r");
    sees(&d, "no runs yet: press s on the live screen");
    press(&d, "v\nDlniEbd T*g\n<>I");
    sees(&d, "no runs yet");
    d.rv.alone = true;
    sees(&d, "tdtop collect -d 30s -- COMMAND");
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 100; i++)
        fputs("no database at all ", file);
    fclose(file);
    d.rv.looked_ns = 0;
    assert_true(runs_tick(&d.rv, 1000 * NS_PER_S));
    sees(&d, "none.db");
    press(&d, "q");
    assert_true(d.f.sc.quit);
    end(&d);
}

/* Another process's run is seen within a second, and no look is taken at what nobody sees. */
static void test_status(void **state) {
    struct desk d;
    begin(state, &d, 2, 80, 24);
    assert_int_equal(runs_due_ns(&d.rv), 0);
    press(&d, "r");
    sees(&d, "2 runs");
    assert_int_equal(runs_due_ns(&d.rv), 1001 * NS_PER_S);
    struct run r;
    make_run(&d.f, &r, 9);
    ok(d.box, store_save(&d.box->st, &r, &d.box->err));
    run_free(&r);
    assert_false(runs_tick(&d.rv, 1000 * NS_PER_S));
    assert_true(runs_tick(&d.rv, 1001 * NS_PER_S));
    sees(&d, "3 runs");
    assert_false(runs_tick(&d.rv, 1002 * NS_PER_S));
    end(&d);
}

static void test_mouse(void **state) {
    struct desk d;
    begin(state, &d, 14, 120, 40);
    press(&d, "r");
    sees(&d, "14 runs");
    struct mouse m = {.x = 20, .y = 7, .what = MOUSE_PRESS};
    runs_key(&d.f.sc, KEYC_MOUSE, &m);
    assert_int_equal(d.rv.list.rows.at, 3);
    m = (struct mouse){.x = 14, .y = 3, .what = MOUSE_PRESS};
    runs_key(&d.f.sc, KEYC_MOUSE, &m);
    assert_true(d.rv.list.inverted);
    assert_int_equal(d.rv.list.rows.at, 10); /* the same run */
    m.what = MOUSE_WHEEL_DOWN;
    runs_key(&d.f.sc, KEYC_MOUSE, &m);
    assert_int_equal(d.rv.list.rows.at, 13);
    m = (struct mouse){.x = 20, .y = 5, .what = MOUSE_DOUBLE};
    runs_key(&d.f.sc, KEYC_MOUSE, &m);
    assert_non_null(d.rv.open);
    end(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sizes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_groups, setup, teardown),
        cmocka_unit_test_setup_teardown(test_narrow, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lists, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(test_few_keys, setup, teardown),
        cmocka_unit_test_setup_teardown(test_trend, setup, teardown),
        cmocka_unit_test_setup_teardown(test_about, setup, teardown),
        cmocka_unit_test_setup_teardown(test_open, setup, teardown),
        cmocka_unit_test_setup_teardown(test_settings, setup, teardown),
        cmocka_unit_test_setup_teardown(test_whole, setup, teardown),
        cmocka_unit_test_setup_teardown(test_compare, setup, teardown),
        cmocka_unit_test_setup_teardown(test_from_bench, setup, teardown),
        cmocka_unit_test_setup_teardown(test_baseline, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bench_of_opened, setup, teardown),
        cmocka_unit_test_setup_teardown(test_edits, setup, teardown),
        cmocka_unit_test_setup_teardown(test_removed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_remove_group, setup, teardown),
        cmocka_unit_test_setup_teardown(test_remove_group_asked, setup, teardown),
        cmocka_unit_test_setup_teardown(test_compare_groups, setup, teardown),
        cmocka_unit_test_setup_teardown(test_compare_both, setup, teardown),
        cmocka_unit_test_setup_teardown(test_help, setup, teardown),
        cmocka_unit_test_setup_teardown(test_export, setup, teardown),
        cmocka_unit_test_setup_teardown(test_empty, setup, teardown),
        cmocka_unit_test_setup_teardown(test_status, setup, teardown),
        cmocka_unit_test_setup_teardown(test_mouse, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
