/* A hand-made list of processes; keys are pressed, whole screens are read. */
#include "ui/popup/picker.h"

#include "base/str.h"
#include "model/load/model.h"
#include "ui/term/term.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "count_malloc.h"
#include "golden.h"

enum { ROWS_MAX = 1200 };

static struct process_row rows[ROWS_MAX];
static struct process_table table;
static int reads, details, read_rc;
static struct picker pk;

static int fake_read(void *user) {
    (void)user;
    reads++;
    return read_rc;
}

static int fake_detail(void *user, struct process_row *row) {
    (void)user;
    details++;
    if (!row->command &&
        asprintf(&row->command, "/usr/bin/%s --port %d", row->comm, 6000 + (int)row->pid) < 0)
        row->command = NULL;
    return row->command ? 0 : -ENOMEM;
}

static const struct picker_options options = {
    .table = &table, .read = fake_read, .detail = fake_detail};

static void add(pid_t pid, const char *comm, const char *user, double cpu, uint64_t rss_mb,
                uint32_t threads) {
    struct process_row *r = &rows[table.n++];
    *r = (struct process_row){.pid = pid, .cpu = cpu, .rss = rss_mb << 20, .n_thread = threads};
    r->state = 'S';
    r->cpu_ticks = (uint64_t)(cpu * 1000);
    str_copy(r->comm, sizeof(r->comm), comm);
    str_copy(r->user, sizeof(r->user), user);
    table.n_thread += threads;
}

static int start(void **state) {
    (void)state;
    table = (struct process_table){.row = rows, .cap = ROWS_MAX};
    reads = details = read_rc = 0;
    add(1, "systemd", "root", 0.001, 12, 1);
    add(2, "kthreadd", "root", 0, 0, 1);
    rows[1].kernel = true;
    add(40, "redis-server", "redis", 1.873, 2300, 5);
    add(41, "nginx", "www-data", 0.25, 64, 1);
    add(42, "nginx", "www-data", 0.5, 63, 1);
    add(977, "postgres", "postgres", 0.031, 410, 8);
    if (picker_init(&pk, &options) < 0 || picker_resize(&pk, 80, 12) < 0)
        return -1;
    return picker_update(&pk);
}

static int finish(void **state) {
    (void)state;
    picker_destroy(&pk);
    for (uint32_t i = 0; i < table.n; i++)
        free(rows[i].command);
    memset(rows, 0, sizeof(rows));
    return 0;
}

static const char *screen(void) {
    static char text[200 * 400 * 4];
    picker_prepare(&pk);
    picker_draw(&pk);
    canvas_dump(&pk.canvas, text, sizeof(text));
    return text;
}

static void press(const char *keys) {
    for (; *keys; keys++)
        picker_key(&pk, (uint32_t)*keys, NULL);
}

static pid_t selected(void) {
    const struct process_row *r = picker_row(&pk, pk.list.at);
    return r ? r->pid : 0;
}

static void a_whole_screen(void **state) {
    (void)state;
    static const char want[] =
        " tdtop  Which process?                                 6 processes · 17 threads\n"
        " its pipeline slots are measured as long as you look; nothing is changed in it\n"
        "    PID  USER        CPU%▾  LEVEL 1      MOST LOST       RES  NAME\n"
        "›    40  redis       187.3                              2.2G  redis-server\n"
        "     42  www-data     50.0                               63M  nginx\n"
        "     41  www-data     25.0                               64M  nginx\n"
        "    977  postgres      3.1                              410M  postgres\n"
        "      1  root          0.1                               12M  systemd\n"
        "\n\n\n"
        " Enter measure  a-z search  Ctrl-C quit  Tab sort  Ctrl-A whole machine\n";
    assert_string_equal(screen(), want);
    assert_int_equal(details, 0); /* no command line is to be seen */
    assert_int_equal(picker_resize(&pk, 160, 6), 0);
    screen();
    assert_int_equal(details, 3); /* three lines of the list */
}

enum { CTRL_A = 0x01, CTRL_K = 0x0b };

/* Cgroups or threads of a recording: names alone, in their own order. */
static void names(void **state) {
    (void)state;
    static const char *const name[] = {"web.slice/nginx", "db.slice/redis"};
    static struct process_row of[2];
    static struct process_table t = {.row = of, .n = 2, .cap = 2};
    struct picker_options opt = {.table = &t, .read = fake_read, .question = "Which cgroup?"};
    for (int i = 0; i < 2; i++)
        of[i] = (struct process_row){.pid = i + 1, .command = strdup(name[i])};
    picker_destroy(&pk);
    assert_int_equal(picker_init(&pk, &opt), 0);
    assert_int_equal(picker_resize(&pk, 60, 12), 0);
    assert_int_equal(picker_update(&pk), 0);
    assert_string_equal(screen(), " tdtop  Which cgroup?                                     2\n"
                                  " --only NAME chooses one beforehand\n\n"
                                  "›web.slice/nginx\n db.slice/redis\n\n\n\n\n\n\n"
                                  " Enter show  a-z search  Ctrl-C quit\n");
    picker_key(&pk, KEYC_TAB, NULL); /* of processes */
    picker_key(&pk, CTRL_K, NULL);
    picker_key(&pk, CTRL_A, NULL);
    assert_false(pk.done);
    assert_int_equal(selected(), 1);
    press("redis");
    assert_int_equal(selected(), 2);
    picker_key(&pk, KEYC_ENTER, NULL);
    assert_int_equal(pk.choice, PICK_PROCESS);
    pk.done = false;
    opt.whole = true;
    picker_key(&pk, KEYC_ESC, NULL);
    picker_key(&pk, CTRL_A, NULL);
    assert_int_equal(pk.choice, PICK_ALL);
    picker_destroy(&pk);
    for (int i = 0; i < 2; i++)
        free(of[i].command);
}

/* ---- level 1 ---- */

static struct model slots, times;

static int load_models(void **state) {
    (void)state;
    struct err err = {0};
    return model_open(&slots, "spr", NULL, &err) < 0 || model_open(&times, "software", NULL, &err);
}

static int free_models(void **state) {
    (void)state;
    model_free(&slots);
    model_free(&times);
    return 0;
}

/* Shares of the four roots, in the order of the model: Frontend, Bad Speculation, Backend,
 * Retiring. */
static void put_slots(int at, float f, float bad, float back, float ret) {
    static const char *const name[] = {"Frontend_Bound", "Bad_Speculation", "Backend_Bound",
                                       "Retiring"};
    const float share[] = {f, bad, back, ret};
    struct process_level1 *l = &rows[at].level1;
    *l = (struct process_level1){.model = &slots, .n = 4};
    for (int i = 0; i < 4; i++) {
        l->root[i] = (int16_t)model_find(&slots, name[i]);
        l->share[i] = share[i];
    }
}

static void put_times(int at, float user, float kernel, float waits) {
    static const char *const name[] = {"User", "Kernel", "Run_Queue_Wait"};
    const float share[] = {user, kernel, waits};
    struct process_level1 *l = &rows[at].level1;
    *l = (struct process_level1){.model = &times, .n = 3};
    for (int i = 0; i < 3; i++) {
        l->root[i] = (int16_t)model_find(&times, name[i]);
        l->share[i] = share[i];
    }
}

static void put_all(void) {
    put_slots(2, 0.1F, 0.05F, 0.41F, 0.44F);
    put_slots(3, 0.2F, 0.45F, 0.05F, 0.3F);
    put_times(4, 0.5F, 0.3F, 0.2F);
    put_times(5, 0.2F, 0.1F, 0.7F);
}

static void pictures(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int w, h;
    } sizes[] = {{"picker_80x24", 80, 24}, {"picker_120x40", 120, 40}};
    put_all();
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        assert_int_equal(picker_resize(&pk, sizes[i].w, sizes[i].h), 0);
        screen();
        golden_compare(&pk.canvas, sizes[i].name, false);
        golden_compare(&pk.canvas, sizes[i].name, true);
    }
    press("nginx");
    screen();
    golden_compare(&pk.canvas, "picker_search_120x40", false);
}

static int cells_of(int y, enum style st) {
    int n = 0;
    for (int x = 0; x < pk.canvas.w; x++)
        n += pk.canvas.at[y * pk.canvas.w + x].style == st;
    return n;
}

static void a_bar_is_as_long_as_its_shares(void **state) {
    (void)state;
    put_slots(2, 0.25F, 0, 0.5F, 0.25F);
    assert_int_equal(picker_resize(&pk, 80, 12), 0);
    screen(); /* 12 cells */
    assert_int_equal(cells_of(3, STYLE_FRONTEND_QUIET), 3);
    assert_int_equal(cells_of(3, STYLE_BADSPEC_QUIET), 0);
    assert_int_equal(cells_of(3, STYLE_BACKEND_QUIET), 6);
    assert_int_equal(cells_of(3, STYLE_RETIRING_QUIET), 3);
    assert_int_equal(cells_of(4, STYLE_BACKEND_QUIET), 0); /* that row has none */
    assert_int_equal(picker_resize(&pk, 160, 12), 0);
    screen(); /* 40 cells */
    assert_int_equal(cells_of(3, STYLE_BACKEND_QUIET), 20);
    put_slots(2, 0.5F, 0.5F, 0.5F, 0.5F); /* more than all of it */
    screen();
    assert_int_equal(cells_of(3, STYLE_BACKEND_QUIET), 10);
    assert_int_equal(picker_resize(&pk, 30, 12), 0);
    screen(); /* no room for it */
    assert_int_equal(cells_of(3, STYLE_BACKEND_QUIET), 0);
}

static void the_largest_loss_is_named(void **state) {
    (void)state;
    put_all();
    const char *text = screen();
    assert_non_null(strstr(text, "Backend 41%"));
    assert_non_null(strstr(text, "Bad 45%"));
    assert_non_null(strstr(text, "Kernel 30%")); /* User is no loss */
    assert_non_null(strstr(text, "Wait 70%"));
    put_slots(2, 0, 0, 0, 1);
    assert_null(strstr(screen(), "Backend 41%"));
    assert_null(strstr(screen(), "Retiring 100%"));
}

static void the_legend_says_what_is_there(void **state) {
    (void)state;
    assert_int_equal(picker_resize(&pk, 120, 12), 0);
    assert_non_null(strstr(screen(), "nothing is changed in it"));
    put_times(2, 1, 0, 0);
    assert_non_null(strstr(screen(), "CPU time wanted:"));
    assert_null(strstr(screen(), "pipeline slots:"));
    put_slots(3, 0.25F, 0.25F, 0.25F, 0.25F);
    assert_int_equal(picker_resize(&pk, 160, 12), 0);
    const char *text = screen(), *first = strstr(text, "pipeline slots:");
    assert_non_null(first);
    assert_non_null(strstr(first, "CPU time wanted:")); /* slots come first */
    assert_int_equal(picker_resize(&pk, 80, 12), 0);
    assert_non_null(strstr(screen(), " slots:"));
    assert_non_null(strstr(screen(), " time:"));
}

static void drawing_allocates_nothing(void **state) {
    (void)state;
#ifdef SANITIZED
    skip();
#endif
    put_all();
    assert_int_equal(picker_resize(&pk, 120, 40), 0);
    picker_prepare(&pk);
    picker_draw(&pk);
    const unsigned long before = calls_now();
    picker_prepare(&pk);
    picker_draw(&pk);
    assert_int_equal(calls_now(), before);
    press("n");
    picker_prepare(&pk);
    const unsigned long typed = calls_now();
    picker_draw(&pk);
    assert_int_equal(calls_now(), typed);
}

/* ---- keys ---- */

static void keys_move(void **state) {
    (void)state;
    static const struct {
        const char *what;
        uint32_t key[4];
        pid_t selected;
    } cases[] = {
        {"the busiest first", {0}, 40},
        {"down", {KEYC_DOWN}, 42},
        {"down and up", {KEYC_DOWN, KEYC_UP}, 40},
        {"not above the first", {KEYC_UP, KEYC_UP}, 40},
        {"end", {KEYC_END}, 1},
        {"not below the last", {KEYC_END, KEYC_DOWN}, 1},
        {"home", {KEYC_END, KEYC_HOME}, 40},
        {"a page", {KEYC_PGDN}, 1},
        {"by memory", {KEYC_TAB}, 40},
        {"by memory, the second", {KEYC_F6, KEYC_DOWN}, 977},
        {"by number", {KEYC_TAB, KEYC_TAB}, 1},
        {"by number, the other way round", {KEYC_BTAB}, 1},
        {"by CPU again", {KEYC_BTAB, KEYC_TAB}, 40},
        {"the choice is followed", {KEYC_DOWN, KEYC_BTAB}, 42},
        {"with threads of the kernel", {CTRL_K, KEYC_BTAB, KEYC_DOWN}, 2},
        {"and without", {CTRL_K, KEYC_F5, KEYC_BTAB, KEYC_DOWN}, 40},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (int k = 0; k < 4 && cases[i].key[k]; k++)
            picker_key(&pk, cases[i].key[k], NULL);
        if (selected() != cases[i].selected || pk.done)
            fail_msg("%s: %d", cases[i].what, (int)selected());
        finish(NULL);
        assert_int_equal(start(NULL), 0);
    }
}

static void choices(void **state) {
    (void)state;
    static const struct {
        const char *what, *typed;
        uint32_t key;
        enum picker_choice choice;
        pid_t pid;
    } cases[] = {
        {"Enter", "", KEYC_ENTER, PICK_PROCESS, 40},
        {"Ctrl-A", "", CTRL_A, PICK_ALL, 0},
        {"F2", "", KEYC_F2, PICK_ALL, 0},
        {"F10", "", KEYC_F10, PICK_NOTHING, 0},
        {"Ctrl-C", "", KEYC_CTRL_C, PICK_NOTHING, 0},
        {"Esc without a search", "", KEYC_ESC, PICK_NOTHING, -1},
        {"Ctrl-C in a search", "red", KEYC_CTRL_C, PICK_NOTHING, 0},
        {"the hit of a search", "postg", KEYC_ENTER, PICK_PROCESS, 977},
        {"the same behind /", "/postg", KEYC_ENTER, PICK_PROCESS, 977},
        {"the second hit", "nginx", KEYC_DOWN, PICK_NOTHING, -1},
        {"a and q are letters", "aq", KEYC_BACKSPACE, PICK_NOTHING, -1},
        {"no hit, no choice", "zzz", KEYC_ENTER, PICK_NOTHING, -1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        press(cases[i].typed);
        picker_key(&pk, cases[i].key, NULL);
        bool still_there = cases[i].pid < 0;
        if (pk.done == still_there || pk.choice != cases[i].choice ||
            (pk.choice == PICK_PROCESS && pk.selected != cases[i].pid))
            fail_msg("%s: done %d, choice %d, pid %d", cases[i].what, pk.done, (int)pk.choice,
                     (int)pk.selected);
        finish(NULL);
        assert_int_equal(start(NULL), 0);
    }
}

static void searches(void **state) {
    (void)state;
    static const struct {
        const char *what, *typed;
        int n;
        pid_t first;
    } cases[] = {
        {"by name", "nginx", 2, 42},
        {"behind /", "/nginx", 2, 42},
        {"in any case", "NGI", 2, 42},
        {"by the command line", "--port 6977", 1, 977},
        {"by the user", "www-", 2, 42},
        {"by the beginning of the number", "97", 1, 977},
        {"a second / is a letter", "//usr/bin/po", 1, 977},
        {"as is one in the middle", "n/ngi", 2, 42},
        {"letters that were keys once", "postgres", 1, 977},
        {"nothing", "nothing like this", 0, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        press(cases[i].typed);
        if (pk.list.n != cases[i].n || selected() != cases[i].first)
            fail_msg("%s: %d, first %d", cases[i].what, pk.list.n, (int)selected());
        picker_key(&pk, KEYC_ESC, NULL);
        assert_int_equal(pk.list.n, 5);
        assert_false(pk.done || pk.typing);
    }
    press("n");
    for (int i = 0; i < 100; i++)
        picker_key(&pk, 0xfc, NULL); /* more than there is room for */
    assert_true(strlen(pk.search) < sizeof(pk.search));
    assert_non_null(strstr(screen(), "no process has \"n"));
    while (pk.search[0])
        picker_key(&pk, KEYC_BACKSPACE, NULL);
    assert_int_equal(pk.list.n, 5);
    assert_false(pk.typing);
    press("redis");
    assert_non_null(strstr(screen(), "\n /redis_"));
    assert_non_null(strstr(screen(), "Esc all"));
    picker_key(&pk, KEYC_ESC, NULL);
    assert_null(strstr(screen(), "Esc all"));
    picker_paste(&pk, "--port 6977");
    assert_int_equal(selected(), 977);
}

/* Back from a process: it is selected, whatever is the busiest by now. */
static void back_from_a_process(void **state) {
    (void)state;
    struct picker_options back = options;
    back.select = 41;
    picker_destroy(&pk);
    assert_int_equal(picker_init(&pk, &back), 0);
    assert_int_equal(picker_resize(&pk, 80, 12), 0);
    assert_int_equal(picker_update(&pk), 0);
    assert_int_equal(selected(), 41);
    rows[5].cpu = 7;
    assert_int_equal(picker_update(&pk), 0);
    assert_int_equal(selected(), 41);
    picker_destroy(&pk);
    back.select = 31; /* it has ended */
    assert_int_equal(picker_init(&pk, &back), 0);
    assert_int_equal(picker_update(&pk), 0);
    assert_int_equal(selected(), 977);
}

static void the_choice_is_followed(void **state) {
    (void)state;
    picker_key(&pk, KEYC_DOWN, NULL);
    assert_int_equal(selected(), 42);
    rows[2].cpu = 0; /* the order turns round */
    rows[3].cpu = 9;
    assert_int_equal(picker_update(&pk), 0);
    assert_int_equal(selected(), 42);
    assert_int_equal(picker_row(&pk, 0)->pid, 41);
    free(rows[4].command);
    rows[4] = rows[5]; /* 42 ends: what stands in its place is selected */
    table.n--;
    uint32_t at = pk.list.at;
    assert_int_equal(picker_update(&pk), 0);
    assert_int_equal(pk.list.at, at);
    assert_int_not_equal(selected(), 42);
    table.n = 0;
    assert_int_equal(picker_update(&pk), 0);
    assert_int_equal(selected(), 0);
    picker_key(&pk, KEYC_ENTER, NULL);
    assert_false(pk.done);
    assert_non_null(strstr(screen(), "no process can be seen"));
    table.n = 5;
}

static void until_chosen_the_first_is_selected(void **state) {
    (void)state;
    rows[5].cpu = 7;
    assert_int_equal(picker_update(&pk), 0);
    assert_int_equal(selected(), 977);
}

static void the_mouse(void **state) {
    (void)state;
    struct mouse m = {.x = 5, .y = picker_first_line(&pk) + 2, .what = MOUSE_PRESS};
    picker_key(&pk, KEYC_MOUSE, &m);
    assert_int_equal(selected(), 41);
    assert_false(pk.done);
    m.what = MOUSE_WHEEL_DOWN;
    picker_key(&pk, KEYC_MOUSE, &m);
    assert_int_equal(selected(), 1);
    m.what = MOUSE_PRESS;
    m.y = 11; /* the key line */
    picker_key(&pk, KEYC_MOUSE, &m);
    m.y = 0;
    picker_key(&pk, KEYC_MOUSE, &m);
    assert_int_equal(selected(), 1);
    m.y = picker_first_line(&pk) - 1; /* the headings: those of what sorts */
    m.x = 3;
    picker_key(&pk, KEYC_MOUSE, &m);
    assert_int_equal(pk.order, ORDER_PID);
    m.x = 12;
    picker_key(&pk, KEYC_MOUSE, &m);
    assert_int_equal(pk.order, ORDER_PID);
    m.x = 22;
    picker_key(&pk, KEYC_MOUSE, &m);
    assert_int_equal(pk.order, ORDER_CPU);
    m.y = picker_first_line(&pk);
    m.what = MOUSE_DOUBLE;
    picker_key(&pk, KEYC_MOUSE, &m);
    assert_true(pk.done && pk.choice == PICK_PROCESS && pk.selected == 40);
}

static void says_when_it_is_not_whole(void **state) {
    (void)state;
    read_rc = -EMFILE;
    assert_int_equal(picker_update(&pk), 0);
    assert_non_null(strstr(screen(), "the list is not whole: Too many open files"));
}

/* Any size, any number of rows: drawn inside, the selected row to be seen. */
static void every_size(void **state) {
    (void)state;
    for (int i = 0; i < 1000; i++)
        add(2000 + i, "worker", "nobody", 0.001 * i, 1, 1);
    put_all();
    assert_int_equal(picker_update(&pk), 0);
    static const int steps[] = {0, 1, 30, 500, 1004, 2};
    for (int w = 1; w <= 200; w = w < 60 ? w + 1 : w + 47)
        for (int h = 1; h <= 60; h = h < 14 ? h + 1 : h + 23) {
            assert_int_equal(picker_resize(&pk, w, h), 0);
            for (size_t k = 0; k < sizeof(steps) / sizeof(steps[0]); k++) {
                picker_key(&pk, KEYC_HOME, NULL);
                for (int i = 0; i < steps[k]; i++)
                    picker_key(&pk, KEYC_DOWN, NULL);
                picker_prepare(&pk);
                picker_draw(&pk);
                if (pk.list.lines &&
                    (pk.list.at < pk.list.top || pk.list.at >= pk.list.top + pk.list.lines))
                    fail_msg("%dx%d: row %u is not among %u from %u", w, h, pk.list.at,
                             pk.list.lines, pk.list.top);
            }
        }
}

int main(void) {
#define ON(test) cmocka_unit_test_setup_teardown(test, start, finish)
    const struct CMUnitTest tests[] = {
        ON(a_whole_screen),
        ON(names),
        ON(pictures),
        ON(a_bar_is_as_long_as_its_shares),
        ON(the_largest_loss_is_named),
        ON(the_legend_says_what_is_there),
        ON(drawing_allocates_nothing),
        ON(back_from_a_process),
        ON(keys_move),
        ON(choices),
        ON(searches),
        ON(the_choice_is_followed),
        ON(until_chosen_the_first_is_selected),
        ON(the_mouse),
        ON(says_when_it_is_not_whole),
        ON(every_size),
    };
    return cmocka_run_group_tests(tests, load_models, free_models);
}
