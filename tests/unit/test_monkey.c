/*
 * A monkey at the keyboard: seeded random keys, mouse events, pastes, broken sequences, resizes and
 * samples go to the screen as the loop in ui.c would bring them, on simulated cores, on an opened
 * run, on the stored runs alone. Nothing may fault, draw what no terminal can show, or end where
 * there is no way home.
 *
 *   MONKEY_SECONDS=300   so long in all, with ever new seeds (1.3 s without)
 *   MONKEY_SEED=7        the first seed      MONKEY_ONLY=zen4   one of the cases
 *   MONKEY_TRACE=1       tells each step on standard error: what was done before a fault
 */
#include "base/clock.h"
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/config/config_save.h"
#include "cli/file/run_export.h"
#include "monkey_input.h"
#include "session/hybrid.h"
#include "store_fixture.h"
#include "ui/popup/popup_sql.h"
#include "ui/popup/saver.h"
#include "ui/popup/snapshot.h"
#include "ui/runs/runs_keys.h"
#include "ui/runs/runs_open.h"
#include "ui/runs/runs_view.h"
#include "ui/screen/find.h"
#include "ui/screen/keys.h"
#include "ui/screen/screen.h"
#include "ui/screen/settings.h"
#include "ui/screen/views.h"
#include "ui/term/term_draw.h"
#include "ui/term/term_key.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { W_MAX = 300, H_MAX = 100 };

enum start { FROM_LIVE, FROM_RUN, FROM_LIST };

static const struct monkey_case {
    const char *name, *model[3];
    enum start start;
    int until_s;     /* of the simulated core; 0: no end */
    bool odd_names;  /* of threads and target: wide, combining, right to left */
    int colors;      /* of the terminal */
    bool ascii, bce; /* it knows no UTF-8; erased cells get the ground that is set */
} cases[] = {
    {"spr", {"spr"}, .colors = 256, .bce = true},
    {"zen4", {"zen4"}, .colors = 8},
    {"n1", {"neoverse-n1"}, .colors = 0, .ascii = true},
    {"e-core", {"adl-grt"}, .colors = 1 << 24, .odd_names = true, .bce = true},
    {"software", {"software"}, .colors = 16, .odd_names = true},
    {"hybrid", {"adl-glc", "adl-grt"}, .colors = 256, .bce = true},
    {"ended", {"skx"}, .until_s = 25, .colors = 256},
    {"opened run", {"spr"}, .start = FROM_RUN, .colors = 256, .bce = true},
    {"stored runs alone", {"spr"}, .start = FROM_LIST, .colors = 256},
};

/* What ui.c has. */
struct house {
    struct sessions all;
    struct source_options opt[SESSIONS_MAX];
    struct types types;
    struct snapshots snapshots;
    struct runs_view runs;
    struct settings set;
    struct key_reader reader;
    const struct monkey_case *of;
    int w, h;
    uint64_t now_ns; /* for double clicks and the list of runs: a clock of its own */
};

static char folder[64], config_file[128], db[128];
static struct house *house;
static struct {
    uint64_t seed, steps, keys, frames, bytes, most_bytes, worst_ns, worst_key;
} monkey;

/* ---- what the loop does ---- */

static struct screen *shown(void) {
    return house->types.at[house->types.active];
}

static struct screen *top(void) {
    return runs_top(shown());
}

/* No file but in the folder of the test, whatever name is typed. */
static bool leads_away(const struct form_text *f) {
    return strchr(f->text, '/') || strchr(f->text, '~') || strstr(f->text, "..");
}

static uint32_t kept_here(uint32_t key) {
    const struct screen *sc = top();
    const bool away = (sc->ask.typing && leads_away(&sc->ask.text)) ||
                      (sc->popup == &popup_snapshot && leads_away(&house->snapshots.path));
    return key == KEYC_ENTER && away ? KEYC_ESC : key;
}

static void write_nothing(const char *bytes, size_t n) {
    (void)bytes;
    monkey.bytes += n;
}

static const char *slow_move(int y, int x) {
    static char buf[32];
    snprintf(buf, sizeof(buf), "\033[%d;%dH", y + 1, x + 1);
    return buf;
}

static void set_color(char *out, size_t cap, int color, bool ground) {
    snprintf(out, cap, "\033[%d;5;%dm", ground ? 48 : 38, color);
}

static struct vocabulary terminal(const struct monkey_case *c) {
    return (struct vocabulary){.clear = "\033[H\033[2J",
                               .erase_row = c->bce ? "\033[K" : "",
                               .plain = "\033[m",
                               .both_default = "\033[39;49m",
                               .bold = "\033[1m",
                               .dim = c->bce ? "\033[2m" : "",
                               .underline = "\033[4m",
                               .reverse = "\033[7m",
                               .ansi_move = c->bce,
                               .ansi_erase = c->bce,
                               .keeps_ground = c->bce,
                               .ansi_default = c->bce,
                               .move = slow_move,
                               .color = set_color};
}

static void restyle(void) {
    struct settings *set = &house->set;
    if (!set->restyle)
        return;
    set->restyle = false;
    const struct vocabulary v = terminal(house->of);
    draw_restyle(&v, write_nothing, &set->theme, set->colors < 0 ? house->of->colors : set->colors,
                 set->ascii || house->of->ascii);
}

static void press(uint32_t key, struct mouse *m) {
    const uint64_t before = clock_thread_ns();
    if (key == KEYC_MOUSE)
        TELL(" mouse%d@%d,%d", (int)m->what, m->x, m->y);
    else
        TELL(key >= KEYC_BASE ? " K%u"
             : key < 0x7f     ? " %c"
                              : " U+%x",
             key >= KEYC_BASE ? key - KEYC_BASE : key);
    if (key == KEYC_PASTE)
        screen_paste(top(), house->reader.pasted);
    else
        runs_key(shown(), kept_here(key), m);
    const uint64_t took = clock_thread_ns() - before;
    if (took > monkey.worst_ns) {
        monkey.worst_ns = took;
        monkey.worst_key = key;
    }
    monkey.keys++;
    for (int i = 0; i < house->types.n; i++)
        house->types.at[i]->quit = house->types.at[i]->suspend = false;
    top()->quit = top()->suspend = top()->repaint = false;
    restyle();
}

static void look(void);

static void take_keys(void) {
    struct mouse m = {0};
    for (uint32_t key; (key = key_read(&house->reader, house->now_ns, &m)) != 0;) {
        press(key, &m);
        if (chance(4) == 0)
            look();
    }
    sent.first = sent.n = 0;
}

static void resize(int w, int h) {
    house->w = monkey_w = w;
    house->h = monkey_h = h;
    TELL(" %dx%d", w, h);
    for (int i = 0; i < house->types.n; i++)
        assert_int_equal(screen_resize(house->types.at[i], w, h), 0);
    if (house->runs.open)
        assert_int_equal(screen_resize(&house->runs.open->sc, w, h), 0);
    assert_int_equal(draw_resize(w, h), 0);
}

static void resize_anyhow(void) {
    static const struct {
        int w, h;
    } usual[] = {{80, 24}, {120, 40}, {200, 60}, {40, 6}, {1, 1}, {300, 100}};
    const uint64_t at = chance(2 * COUNT(usual));
    if (at < COUNT(usual))
        resize(usual[at].w, usual[at].h);
    else
        resize(1 + (int)chance(W_MAX), 1 + (int)chance(H_MAX));
}

/* Names that a terminal counts otherwise than a program may think. */
static void rename_rows(struct session *s) {
    static const char *const names[] = {"数据库工作线程一二三四五六七",
                                        "é́́́e\u0301\u0301",
                                        "👩‍👩‍👧‍👦 family",
                                        "שלום עולם",
                                        "ｆｕｌｌ",
                                        "\u200b\u200d",
                                        "a\u00adb",
                                        "ﷺﷺﷺ"};
    for (uint32_t i = 0; i < s->units.n; i++)
        str_copy(s->units.row[i].comm, sizeof(s->units.row[i].comm), names[i % COUNT(names)]);
    snprintf(s->source.target_text, sizeof(s->source.target_text), "%s 4242 · 5 threads",
             names[s->n_frames % COUNT(names)]);
}

static void take_samples(struct screen *sc, uint64_t most) {
    struct session *s = sc->scene.s;
    const enum stream_state before = s->state;
    struct pollfd fd = {.fd = session_fd(s), .events = POLLIN};
    if (fd.fd < 0 || (s->state == STREAM_LIVE && poll(&fd, 1, 20) <= 0))
        return;
    for (uint64_t n = 0; n < most && session_take(s); n++) {
        if (house->of->odd_names)
            rename_rows(s);
        screen_update(sc);
    }
    if (s->state == before)
        return;
    if (sc->opened)
        runs_open_complete(sc->opened);
    screen_settle(sc);
}

/* Monkeys type no statements: seen once, and closed. */
static void look_at_rows(struct screen *sc) {
    if (sc->popup || runs_shown(sc) || monkey.frames % 7)
        return;
    sql_show(sc, "SELECT * FROM run_intervals LIMIT 30");
    screen_draw(sc);
    sc->popup = NULL;
}

static void time_passes(void) {
    const uint64_t most = 1 + chance(6);
    struct pollfd saved = {.fd = house->snapshots.saver.fd, .events = POLLIN};
    for (int i = 0; i < house->types.n && !house->runs.alone; i++)
        take_samples(house->types.at[i], most);
    if (house->runs.open)
        take_samples(&house->runs.open->sc, MAILBOX_CAP);
    if (poll(&saved, 1, 0) > 0)
        snapshot_status(top());
    runs_tick(&house->runs, house->now_ns);
    look_at_rows(top());
    house->now_ns += chance(2 * NS_PER_S);
    TELL(" t+%d", (int)most);
}

/* ---- where it has been ---- */

static const struct overlay *const popups[] = {
    &popup_help, &popup_explain, &popup_value, &popup_cost,     &popup_doctor, &popup_snapshot,
    &popup_run,  &popup_palette, &popup_theme, &popup_settings, &popup_choose,
};
static uint64_t been_view[16], been_popup[COUNT(popups)], been_opened, been_trend, been_where;

static void note_place(const struct screen *sc) {
    for (int i = 0; i < n_views; i++)
        been_view[i] += views_current(sc) == views[i];
    been_opened += sc->opened != NULL;
    been_where += views_current(sc) == &view_where;
    been_trend += house->runs.mode == RUNS_TREND;
    for (size_t i = 0; i < COUNT(popups); i++)
        been_popup[i] += sc->popup == popups[i];
}

static void tell_places(void) {
    for (int i = 0; i < n_views; i++)
        printf("%s %llu, ", views[i]->name, (unsigned long long)been_view[i]);
    for (size_t i = 0; i < COUNT(popups); i++)
        printf("%s %llu, ", popups[i]->name, (unsigned long long)been_popup[i]);
    printf("opened %llu, trend %llu, Where %llu\n", (unsigned long long)been_opened,
           (unsigned long long)been_trend, (unsigned long long)been_where);
}

/* A monkey that sits in a corner proves nothing. */
static void check_places(void) {
    for (int i = 0; i < n_views; i++)
        if (!been_view[i])
            fail_msg("it was never in the view %s", views[i]->name);
    for (size_t i = 0; i < COUNT(popups); i++)
        if (!been_popup[i])
            fail_msg("it never saw the pop-up %s", popups[i]->name);
    assert_true(been_opened > 0);
    assert_true(been_trend > 0);
    assert_true(been_where > 0);
}

/* ---- what must be true ---- */

static void check_cells(const struct canvas *c) {
    assert_int_equal(c->w, house->w);
    assert_int_equal(c->h, house->h);
    for (int i = 0; i < c->w * c->h; i++) {
        const struct cell *at = &c->at[i];
        const bool wide = i % c->w && str_cp_width(at[-1].cp) == 2;
        if (at->style >= STYLE_N || (at->cp == 0) != wide || (at->cp && str_cp_width(at->cp) < 1) ||
            (i % c->w == c->w - 1 && str_cp_width(at->cp) == 2))
            fail_msg("%s, seed %llu, step %llu, %dx%d: cell %d,%d is U+%04x in style %d",
                     house->of->name, (unsigned long long)monkey.seed,
                     (unsigned long long)monkey.steps, c->w, c->h, i % c->w, i / c->w, at->cp,
                     at->style);
    }
}

static void look(void) {
    struct screen *sc = top();
    const uint64_t before = monkey.bytes;
    screen_draw(sc);
    check_cells(&sc->canvas);
    if (chance(50) == 0)
        draw_forget();
    draw_canvas(&sc->canvas);
    if (monkey.bytes - before > monkey.most_bytes)
        monkey.most_bytes = monkey.bytes - before;
    sc->scene.cost.frames++;
    monkey.frames++;
    note_place(sc);
}

static bool on_screen(const char *text) {
    static char got[512 * 1024];
    look();
    canvas_dump(&top()->canvas, got, sizeof(got));
    return strstr(got, text) != NULL;
}

/* Whatever was done: Esc closes what is open, and 1 is the tree. */
static void goes_home(void) {
    const char *home = house->runs.alone ? " runs " : "Tree]";
    sent.first = sent.n = 0;
    resize(120, 40);
    for (int i = 0; i < 30 && (i < 12 || !on_screen(home)); i++)
        press(KEYC_ESC, NULL);
    if (!house->runs.alone)
        press('1', NULL);
    if (on_screen(home))
        return;
    for (int y = 0; y < house->h; y++, puts(""))
        for (int x = 0; x < house->w; x++) {
            char text[5] = {0};
            str_encode(top()->canvas.at[y * house->w + x].cp, text);
            fputs(text, stdout);
        }
    fail_msg("%s, seed %llu: no way home to %s", house->of->name, (unsigned long long)monkey.seed,
             home);
}

/* ---- one visit ---- */

static int check_setting(const char *key, const char *value, struct err *err) {
    char out[2 * SETTING_CAP];
    return config_toml(key, value, out, sizeof(out), err);
}

static int save_settings(void *user, const struct setting_change *at, int n, struct err *err) {
    struct config_change ch[SETTINGS_MAX];
    (void)user;
    for (int i = 0; i < n; i++)
        ch[i] = (struct config_change){at[i].key, at[i].value};
    return config_save(config_file, ch, n, err);
}

static void make_settings(struct settings *set) {
    static const char *const flags[] = {"true", "false"};
    struct config c;
    config_defaults(&c);
    for (size_t i = 0; i < config_n_settings && set->n < SETTINGS_MAX; i++) {
        const struct setting *s = &config_settings[i];
        struct setting_row *r = &set->row[set->n++];
        int n = 0;
        r->key = s->key;
        r->help = s->help;
        for (const struct choice *ch = s->choices; ch && ch->name && n < SETTING_CHOICES - 1; ch++)
            r->choice[n++] = ch->name;
        for (; s->type == SETTING_BOOL && n < 2; n++)
            r->choice[n] = flags[n];
        str_copy(r->preset, sizeof(r->preset), config_value(&c, s, r->value, sizeof(r->value)));
        str_copy(r->kept, sizeof(r->kept), r->value);
    }
    config_free(&c);
    set->path = config_file;
    set->check = check_setting;
    set->save = save_settings;
    set->send = write_nothing;
    set->colors = set->plot = -1;
    set->clip_way = CLIP_PLAIN;
    assert_int_equal(settings_begin(set, NULL), 0);
}

static void add_screen(struct house *h, struct session *s) {
    struct err err = {0};
    struct screen *sc = calloc(1, sizeof(*sc));
    assert_non_null(sc);
    if (screen_init(sc, s, 2, &err) < 0)
        fail_msg("%s", err.text);
    sc->scene.type = h->types.n;
    sc->types = &h->types;
    sc->snapshot = &h->snapshots;
    sc->runs = &h->runs;
    sc->settings = &h->set;
    h->types.at[h->types.n++] = sc;
}

static void open_sessions(struct house *h) {
    static const char *const kinds[] = {"core", "atom"};
    const struct monkey_case *c = h->of;
    struct err err = {0};
    for (int i = 0; c->model[i]; i++) {
        struct session *s = sessions_add(&h->all);
        assert_non_null(s);
        if (model_open(&s->model, c->model[i], NULL, &err) < 0)
            fail_msg("%s", err.text);
        if (c->model[1])
            str_copy(s->core_type, sizeof(s->core_type), kinds[i]);
        h->opt[i] = (struct source_options){.interval_ns = NS_PER_S,
                                            .until_ns = (uint64_t)c->until_s * NS_PER_S,
                                            .seed = monkey.seed,
                                            .type_at = i,
                                            .focus = true,
                                            .n_type = c->model[1] ? 2 : 0};
        consts_init(&h->opt[i].consts);
    }
    if (c->start != FROM_LIST && (sessions_open(&h->all, &source_sim, h->opt, &err) < 0 ||
                                  sessions_start(&h->all, &err) < 0))
        fail_msg("%s: %s", c->name, err.text);
}

/* A run of what the core does in its first seconds, so that there are some. */
static void store_one(const char *labels) {
    struct err err = {0};
    for (int i = 0; i < 4; i++)
        time_passes();
    if (snapshot_take(shown(), labels, &err) < 0)
        fail_msg("%s", err.text);
}

/* Every view and most pop-ups once, however short the visit. */
static void tour(void) {
    static const char *const stops[] = {
        "2",     "3",        "4",          "5",         "6",     "7",
        "T",     "\033",     "i",          "\033\0339", "b8",    "b1",
        "s",     "\033e",    "\033x",      "\033W",     "\033D", "\033?",
        "\033:", "themes\r", "\033\033OQ", "\033\0331", "rg",    "\033\033\0331h",
        "\0331",
    };
    for (size_t i = 0; i < COUNT(stops); i++) {
        send_text(stops[i]);
        take_keys();
        look();
    }
}

static void move_in(struct house *h) {
    struct err err = {0};
    const struct vocabulary v = terminal(h->of);
    h->reader.next = next;
    h->now_ns = NS_PER_S;
    make_settings(&h->set);
    runs_view_init(&h->runs, db);
    h->runs.export_run = run_export_file;
    h->runs.alone = h->of->start == FROM_LIST;
    assert_int_equal(snapshots_init(&h->snapshots, db, &err), 0);
    open_sessions(h);
    draw_open(&v, write_nothing, &h->set.theme, h->of->colors, h->of->ascii);
    for (int i = 0; i < h->all.n; i++)
        add_screen(h, h->all.at[i]);
    resize(120, 40);
    for (int i = 0; i < h->all.n && !h->runs.alone; i++)
        assert_int_equal(screen_attach(h->types.at[i], &err), 0);
    if (!h->runs.alone)
        store_one("monkey=1 case=first");
    if (h->of->start != FROM_LIVE)
        saver_finish(&h->snapshots.saver, 5, &err);
    if (h->of->start == FROM_LIST)
        runs_key_show(shown());
    send_text(h->of->start == FROM_RUN ? "r\r" : "");
    look();
    take_keys();
    if (h->of->start != FROM_LIST)
        tour();
}

static void move_out(struct house *h) {
    struct err err = {0};
    saver_finish(&h->snapshots.saver, 5, &err);
    snapshots_destroy(&h->snapshots);
    runs_view_destroy(&h->runs);
    draw_close();
    for (int i = 0; i < h->types.n; i++) {
        screen_destroy(h->types.at[i]);
        free(h->types.at[i]);
    }
    sessions_close(&h->all);
}

/* Types what "/" asks for, and clicks a view meanwhile. */
static void click_while_typing(void) {
    static const char *const typed[] = {"/L3", "4/io", "6/ip", "2/b", "?/time", "1/"};
    send_text(typed[chance(COUNT(typed))]);
    take_keys();
    const struct rect r = shown()->panes[LAYOUT_TREE].at[PANE_KEYS];
    if (r.w > 0)
        send_mouse(0, r.x + (int)chance((uint64_t)r.w), r.y, 'M');
    take_keys();
    if (keys_context(shown()) == IN_SEARCH && !search_is_typed(shown()))
        fail_msg("seed %llu: the keys go into a text that nobody sees",
                 (unsigned long long)monkey.seed);
}

static void step(void) {
    static void (*const does[])(void) = {
        bound_key, bound_key,     bound_key,   bound_key,   bound_key,
        bound_key, click,         click,       click,       drag,
        phrase,    phrase,        phrase,      paste,       click_while_typing,
        broken,    resize_anyhow, time_passes, time_passes, time_passes,
    };
    monkey.steps++;
    TELL("\n%llu:", (unsigned long long)monkey.steps);
    does[chance(COUNT(does))]();
    if (chance(4) == 0)
        send(any_character());
    for (uint64_t n = chance(6) ? 0 : chance(4); n > 0; n--)
        send(KEYC_ESC); /* out of what is typed, or it would type for ever */
    take_keys();
    look();
}

static void visit(const struct monkey_case *c, uint64_t seed, uint64_t for_ns) {
    const uint64_t end_ns = clock_now_ns() + for_ns;
    monkey.seed = monkey_state = seed;
    monkey.steps = 0;
    house = calloc(1, sizeof(*house));
    assert_non_null(house);
    house->of = c;
    TELL("\n== %s, seed %llu", c->name, (unsigned long long)seed);
    move_in(house);
    while (clock_now_ns() < end_ns || monkey.steps < 20)
        step();
    goes_home();
    move_out(house);
    free(house);
}

/* ---- */

static double number(const char *name, double otherwise) {
    const char *text = getenv(name);
    return text ? atof(text) : otherwise;
}

static void test_monkey(void **state) {
    (void)state;
    const bool is_long = getenv("MONKEY_SECONDS") != NULL;
    const double seconds = number("MONKEY_SECONDS", 1.3);
    const char *only = getenv("MONKEY_ONLY");
    const uint64_t for_ns = (uint64_t)(is_long ? 5e9 : seconds * 1e9 / (double)COUNT(cases));
    const uint64_t end_ns = clock_now_ns() + (uint64_t)(seconds * 1e9);
    uint64_t seed = (uint64_t)number("MONKEY_SEED", 3), first = seed;
    do {
        for (size_t i = 0; i < COUNT(cases) && (!is_long || clock_now_ns() < end_ns); i++)
            if (!only || strcmp(only, cases[i].name) == 0)
                visit(&cases[i], seed, for_ns);
        seed++;
    } while (is_long && clock_now_ns() < end_ns);
    tell_places();
    if (!only)
        check_places();
    printf("monkey: seeds %llu..%llu, %llu keys, %llu frames, worst key %u: %.1f ms, largest frame "
           "%llu "
           "bytes\n",
           (unsigned long long)first, (unsigned long long)seed - 1, (unsigned long long)monkey.keys,
           (unsigned long long)monkey.frames, (unsigned)monkey.worst_key,
           (double)monkey.worst_ns / 1e6, (unsigned long long)monkey.most_bytes);
}

/* ---- a place of its own: P, E and w write files ---- */

static int make_folder(void **state) {
    (void)state;
    static const char *const homes[] = {"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
                                        "XDG_STATE_HOME"};
    fix_folder(folder);
    if (!mkdtemp(folder) || chdir(folder) < 0)
        return -1;
    for (size_t i = 0; i < COUNT(homes); i++)
        setenv(homes[i], folder, 1);
    snprintf(config_file, sizeof(config_file), "%s/config.toml", folder);
    snprintf(db, sizeof(db), "%s/runs.db", folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    char command[80];
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_monkey)};
    return cmocka_run_group_tests_name("monkey", tests, make_folder, remove_folder);
}
