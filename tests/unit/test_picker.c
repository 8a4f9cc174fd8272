/* A hand-made list of processes; keys are pressed, whole screens are read. */
#include "ui/popup/picker.h"

#include "base/str.h"
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
        "    PID  USER        CPU%▾   THR     RES  NAME             COMMAND\n"
        "›    40  redis       187.3     5    2.2G  redis-server     /usr/bin/redis-serve…\n"
        "     42  www-data     50.0     1     63M  nginx            /usr/bin/nginx --por…\n"
        "     41  www-data     25.0     1     64M  nginx            /usr/bin/nginx --por…\n"
        "    977  postgres      3.1     8    410M  postgres         /usr/bin/postgres --…\n"
        "      1  root          0.1     1     12M  systemd          /usr/bin/systemd --p…\n"
        "\n\n\n"
        " Enter measure  / search  a whole machine  q quit  P by CPU  M by memory\n";
    assert_string_equal(screen(), want);
    assert_int_equal(details, 5); /* only what is to be seen */
}

static void keys_move(void **state) {
    (void)state;
    static const struct {
        const char *what;
        uint32_t key[4];
        pid_t selected;
    } cases[] = {
        {"the busiest first", {0}, 40},
        {"down", {KEYC_DOWN}, 42},
        {"j", {'j'}, 42},
        {"down and up", {KEYC_DOWN, KEYC_UP}, 40},
        {"not above the first", {KEYC_UP, 'k'}, 40},
        {"end", {KEYC_END}, 1},
        {"not below the last", {'G', KEYC_DOWN}, 1},
        {"home", {'G', KEYC_HOME}, 40},
        {"a page", {KEYC_PGDN}, 1},
        {"by memory", {'M'}, 40},
        {"by memory, the second", {'M', KEYC_DOWN}, 977},
        {"by number", {'N'}, 1},
        {"by CPU again", {'N', 'P'}, 40},
        {"the choice is followed", {'j', 'N'}, 42},
        {"with threads of the kernel", {'K', 'N', KEYC_DOWN}, 2},
        {"and without", {'K', 'K', 'N', KEYC_DOWN}, 40},
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
        {"Enter further down", "j", KEYC_ENTER, PICK_PROCESS, 42},
        {"a", "", 'a', PICK_ALL, 0},
        {"q", "", 'q', PICK_NOTHING, 0},
        {"F10", "", KEYC_F10, PICK_NOTHING, 0},
        {"Ctrl-C", "", KEYC_CTRL_C, PICK_NOTHING, 0},
        {"Esc without a search", "", KEYC_ESC, PICK_NOTHING, 0},
        {"Ctrl-C in a search", "/red", KEYC_CTRL_C, PICK_NOTHING, 0},
        {"the hit of a search", "/postg", KEYC_ENTER, PICK_PROCESS, 977},
        {"a and q are letters in a search", "/aq", KEYC_BACKSPACE, PICK_NOTHING, -1},
        {"no hit, no choice", "/zzz", KEYC_ENTER, PICK_NOTHING, -1},
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
        {"by name", "/nginx", 2, 42},
        {"in any case", "/NGI", 2, 42},
        {"by the command line", "/--port 6977", 1, 977},
        {"by the user", "/www-", 2, 42},
        {"by the beginning of the number", "/97", 2, 977},
        {"nothing", "/nothing like this", 0, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        press(cases[i].typed);
        if (strcmp(cases[i].typed, "/97") == 0 && pk.list.n == 1 && selected() == 977)
            goto next; /* "6977" has it, too, in the same row */
        if (pk.list.n != cases[i].n || selected() != cases[i].first)
            fail_msg("%s: %u, first %d", cases[i].what, pk.list.n, (int)selected());
    next:
        picker_key(&pk, KEYC_ESC, NULL);
        assert_int_equal(pk.list.n, 5);
        assert_false(pk.done);
    }
    press("/n");
    for (int i = 0; i < 100; i++)
        picker_key(&pk, 0xfc, NULL); /* more than there is room for */
    assert_true(strlen(pk.search) < sizeof(pk.search));
    assert_non_null(strstr(screen(), "no process has \"n"));
    while (pk.search[0])
        picker_key(&pk, KEYC_BACKSPACE, NULL);
    assert_int_equal(pk.list.n, 5);
    press("redis");
    assert_non_null(strstr(screen(), "\n /redis_"));
    while (pk.search[0])
        picker_key(&pk, KEYC_BACKSPACE, NULL);
    picker_paste(&pk, "--port 6977");
    assert_int_equal(selected(), 977);
    picker_key(&pk, KEYC_ESC, NULL);
    picker_paste(&pk, "a"); /* no key */
    assert_false(pk.done);
    assert_string_equal(pk.search, "");
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
    assert_int_equal(picker_update(&pk), 0);
    static const int steps[] = {0, 1, 30, 500, 1004, 2};
    for (int w = 1; w <= 200; w = w < 60 ? w + 1 : w + 47)
        for (int h = 1; h <= 60; h = h < 14 ? h + 1 : h + 23) {
            assert_int_equal(picker_resize(&pk, w, h), 0);
            for (size_t k = 0; k < sizeof(steps) / sizeof(steps[0]); k++) {
                picker_key(&pk, KEYC_HOME, NULL);
                for (int i = 0; i < steps[k]; i++)
                    picker_key(&pk, KEYC_DOWN, NULL);
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
        ON(keys_move),
        ON(choices),
        ON(searches),
        ON(the_choice_is_followed),
        ON(until_chosen_the_first_is_selected),
        ON(the_mouse),
        ON(says_when_it_is_not_whole),
        ON(every_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
