/* Snapshots on the screen: the form, what it offers, what it stores, and what it says when it
 * cannot; marks; and that drawing all this allocates nothing. */
#include "count_malloc.h"
#include "store_fixture.h"
#include "ui/popup/snapshot_offer.h"
#include "ui_fixture.h"

#include "ui/popup/saver.h"
#include "ui/popup/snapshot.h"
#include "ui/popup/snapshot_when.h"
#include "ui/runs/runs_open.h"
#include "ui/screen/find.h"

#include <errno.h>
#include <poll.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[64];
static char db[128];

struct rig {
    struct fixture f;
    struct snapshots sn;
};

static int make_dir(void **state) {
    (void)state;
    fix_folder(dir);
    if (!mkdtemp(dir))
        return -1;
    snprintf(db, sizeof(db), "%s/runs.db", dir);
    return 0;
}

static int remove_dir(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof(command), "rm -rf %s", dir);
    return system(command);
}

static void open_at(struct rig *r, int w, int h, const char *store) {
    fixture_open(&r->f, "redis-server 4242");
    fixture_screen(&r->f, w, h);
    assert_int_equal(snapshots_init(&r->sn, store, NULL), 0);
    r->f.sc.snapshot = &r->sn;
    r->f.s.source.opt.target.kind = TARGET_NAME;
    r->f.s.source.opt.target.name = "redis-server";
    fixture_run(&r->f, 60);
    r->f.s.opened = true;
}

static void close_it(struct rig *r) {
    r->f.s.opened = false;
    snapshots_destroy(&r->sn);
    fixture_close(&r->f);
}

static void press(struct rig *r, uint32_t key) {
    screen_key(&r->f.sc, key, NULL);
}

/* Waits until the saver has said something. */
static void wait_status(struct rig *r) {
    for (int i = 0; i < 200; i++) {
        struct pollfd fd = {.fd = r->sn.saver.fd, .events = POLLIN};
        poll(&fd, 1, 50);
        if (snapshot_status(&r->f.sc) && !r->sn.saver.busy)
            return;
    }
    fail_msg("the saver says nothing");
}

/* The run that the screen says was saved. */
static struct run load_saved(const struct rig *rig) {
    struct store st;
    struct run r = {0};
    struct err err = {0};
    char id[RUN_ID_LEN + 1], prefix[9] = "";
    if (sscanf(rig->f.sc.message, "saved as %8[0-9a-f]", prefix) != 1)
        fail_msg("no id: %s", rig->f.sc.message);
    if (store_open(&st, db, STORE_READ, &err) < 0 || store_find(&st, prefix, id, &err) < 0 ||
        store_load(&st, id, RUN_ALL, &r, &err) < 0)
        fail_msg("%s", err.text);
    store_close(&st);
    return r;
}

static void test_saves(void **state) {
    (void)state;
    struct rig r;
    open_at(&r, 120, 40, db);
    fixture_keys(&r.f, "sbuild=old note=\"two words\"");
    assert_true(fixture_shows(&r.f, "▸ labels build=old note=\"two words\"_"));
    assert_true(fixture_shows(&r.f, "(•) the last 60s, since the start"));
    assert_true(fixture_shows(&r.f, "model=hand")); /* comes by itself */
    press(&r, KEYC_DOWN);
    fixture_keys(&r.f, "first try\n");
    assert_null(r.f.sc.popup);
    fixture_run(&r.f, 1); /* measuring goes on */
    wait_status(&r);
    assert_true(fixture_shows(&r.f, "saved as "));
    assert_true(fixture_shows(&r.f, ": build=old note=\"two words\" in /")); /* what, where */
    struct run run = load_saved(&r);
    assert_string_equal(run_label_get(&run, "build"), "old");
    assert_string_equal(run_label_get(&run, "note"), "two words");
    assert_string_equal(run.note, "first try");
    assert_int_equal(series_rows(&run.series), 60);
    assert_int_equal(run.measured_ns, 60 * NS_PER_S);
    run_free(&run);

    fixture_keys(&r.f, "S"); /* the same labels, at once */
    wait_status(&r);
    run = load_saved(&r);
    assert_string_equal(run_label_get(&run, "build"), "old");
    assert_string_equal(run.note, "");
    assert_int_equal(series_rows(&run.series), 61);
    run_free(&run);
    close_it(&r);
}

/* fixture_keys has other uses for > */
static void type_rule(struct rig *r, const char *rule) {
    fixture_keys(&r->f, ":when ");
    for (; *rule; rule++)
        press(r, (unsigned char)*rule);
    press(r, KEYC_ENTER);
}

static void run_when(struct rig *r, int n) {
    for (int i = 0; i < n; i++) {
        fixture_run(&r->f, 1);
        snapshot_when_sample(&r->f.sc);
    }
}

/* A rule that was typed into the palette: the minutes around are stored, with a mark. */
static void test_when(void **state) {
    (void)state;
    struct rig r;
    open_at(&r, 120, 40, db);
    type_rule(&r, "Nothing > 5");
    assert_true(fixture_shows(&r.f, "no metric Nothing"));
    fixture_keys(&r.f, ":mark warm-up\n"); /* any action that takes a text */
    assert_true(fixture_shows(&r.f, "marked: warm-up"));
    fixture_keys(&r.f, ":when\n");
    assert_true(fixture_shows(&r.f, "store what is around: "));
    press(&r, KEYC_ESC);
    type_rule(&r, "Machine_Clears > 25% for 2s");
    assert_true(fixture_shows(&r.f, "the minute before and the one behind it will be stored"));
    run_when(&r, 10);
    assert_false(fixture_shows(&r.f, "stored in 60 s"));
    r.f.more_clears = .3;
    run_when(&r, 2);
    assert_true(fixture_shows(&r.f, "> 25.0% for 2 s: stored in 60 s as run "));
    run_when(&r, 59);
    assert_false(r.sn.saver.busy);
    run_when(&r, 1);
    wait_status(&r);
    struct run run = load_saved(&r);
    assert_string_equal(run_label_get(&run, "trigger"), "Machine_Clears > 25% for 2s");
    assert_non_null(strstr(run.note, "> 25.0% for 2 s"));
    assert_int_equal(series_rows(&run.series), 120);
    assert_int_equal(run.mark.n, 1);
    assert_string_equal(run.mark.at[0].name, "Machine_Clears > 25% for 2s");
    run_free(&run);

    fixture_keys(&r.f, ":when\n"); /* the rule is there to be changed, or ended */
    assert_true(fixture_shows(&r.f, "store what is around: Machine_Clears > 25% for 2s_"));
    for (int i = 0; i < 40; i++)
        press(&r, KEYC_BACKSPACE);
    fixture_keys(&r.f, "\n");
    assert_true(fixture_shows(&r.f, "no rule is watched any more"));
    r.f.more_clears = 0;
    run_when(&r, 5);
    r.f.more_clears = .3;
    run_when(&r, 70);
    assert_false(r.sn.saver.busy);

    type_rule(&r, "Machine_Clears > 25%");
    run_when(&r, 2);
    snapshot_when_end(&r.f.sc); /* who quits keeps what is waited for */
    wait_status(&r);
    run = load_saved(&r);
    assert_true(series_rows(&run.series) < 70);
    run_free(&run);
    close_it(&r);
}

/* At once, the first time, too: no key after it goes into a form. */
static void test_at_once(void **state) {
    (void)state;
    struct rig r;
    open_at(&r, 120, 40, db);
    fixture_keys(&r.f, "S");
    assert_null(r.f.sc.popup);
    fixture_keys(&r.f, "81");
    assert_ptr_equal(r.f.sc.scene.view, &view_tree);
    wait_status(&r);
    assert_true(fixture_shows(&r.f, "saved as "));
    assert_true(fixture_shows(&r.f, ", 60s, no labels in /"));
    struct run run = load_saved(&r);
    assert_int_equal(series_rows(&run.series), 60);
    run_free(&run);
    assert_false(snapshot_is_asked(&r.f.sc));
    fixture_keys(&r.f, "s");
    assert_true(snapshot_is_asked(&r.f.sc));
    close_it(&r);
}

static void test_spans(void **state) {
    (void)state;
    struct rig r;
    open_at(&r, 120, 40, db);
    fixture_keys(&r.f, "s");
    press(&r, KEYC_UP);
    fixture_keys(&r.f, "12"); /* seconds */
    assert_true(fixture_shows(&r.f, "(•) the last 12 s"));
    fixture_keys(&r.f, "\n");
    wait_status(&r);
    struct run run = load_saved(&r);
    assert_int_equal(series_rows(&run.series), 12);
    run_free(&run);

    fixture_keys(&r.f, ",,,,[..]s");
    assert_true(fixture_shows(&r.f, "(•) the marked span, 3s until 00:00:58"));
    fixture_keys(&r.f, "\n");
    wait_status(&r);
    run = load_saved(&r);
    assert_int_equal(series_rows(&run.series), 3);
    assert_int_equal(run.t0_ns, 55 * NS_PER_S);
    run_free(&run);
    close_it(&r);
}

/* The two core types of a rig: the second has measured nothing yet. */
static void add_type(struct rig *r, struct fixture *other, struct types *types) {
    fixture_open(other, "redis-server 4242");
    fixture_screen(other, 120, 40);
    str_copy(other->s.core_type, sizeof(other->s.core_type), "atom");
    *types = (struct types){.at = {&r->f.sc, &other->sc}, .n = 2};
    r->f.sc.types = other->sc.types = types;
    other->sc.snapshot = &r->sn;
}

static void drop_type(struct rig *r, struct fixture *other) {
    r->f.sc.types = other->sc.types = NULL;
    other->sc.snapshot = NULL;
    fixture_close(other);
}

/* Of a core type that had no interval in the span there is no run, and it is said. */
static void test_types(void **state) {
    (void)state;
    struct rig r;
    struct fixture other;
    struct types types;
    struct err err = {0};
    open_at(&r, 120, 40, db);
    add_type(&r, &other, &types);
    assert_int_equal(snapshot_take(&r.f.sc, "set=types", &err), 0);
    assert_int_equal(saver_unsaved(&r.sn.saver), 1);
    wait_status(&r);
    assert_true(fixture_shows(&r.f, "nothing was measured then on E-cores"));
    other.s.control.interval_ns = NS_PER_S;
    fixture_run(&other, 5);
    assert_int_equal(snapshot_take(&r.f.sc, "set=types", &err), 0);
    assert_int_equal(saver_unsaved(&r.sn.saver), 2);
    wait_status(&r);
    drop_type(&r, &other);
    close_it(&r);
}

/* Each run that is saved says what it left out, not what one asked for later left out. */
static void test_types_later(void **state) {
    (void)state;
    struct rig r;
    struct fixture other;
    struct types types;
    struct err err = {0};
    char own[96];
    sqlite3 *lock;
    snprintf(own, sizeof(own), "%s/later.db", dir);
    open_at(&r, 120, 40, own);
    add_type(&r, &other, &types);
    assert_int_equal(sqlite3_open(own, &lock), SQLITE_OK);
    assert_int_equal(sqlite3_exec(lock, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(snapshot_take(&r.f.sc, "set=first", &err), 0);
    fixture_run(&other, 5);
    assert_int_equal(snapshot_take(&r.f.sc, "set=second", &err), 0);
    assert_int_equal(sqlite3_exec(lock, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(lock);
    int n = 0;
    for (int i = 0; i < 200 && n < 3; i++) {
        struct pollfd fd = {.fd = r.sn.saver.fd, .events = POLLIN};
        struct saver_result done;
        poll(&fd, 1, 50);
        if (!saver_take(&r.sn.saver, &done))
            continue;
        assert_int_equal(done.err.code, 0);
        assert_string_equal(done.skipped, n == 0 ? "E-cores" : "");
        n++;
    }
    assert_int_equal(n, 3);
    drop_type(&r, &other);
    close_it(&r);
}

/* Of several runs all wait to be saved or none does: who tries again has each once. */
static void test_all_or_none(void **state) {
    (void)state;
#ifdef SANITIZED
    skip();
#endif
    struct rig r;
    struct fixture other;
    struct types types;
    struct err err = {0};
    int rc = -ENOMEM, refused = 0;
    char own[96];
    snprintf(own, sizeof(own), "%s/once.db", dir);
    open_at(&r, 120, 40, own);
    add_type(&r, &other, &types);
    fixture_run(&other, 5);
    const unsigned long before = calls_of_thread(); /* not those of the saver, which has begun */
    assert_int_equal(snapshot_take(&r.f.sc, "set=once", &err), 0);
    const unsigned long all = calls_of_thread() - before;
    assert_int_equal(saver_finish(&r.sn.saver, 5, &err), 0);
    for (unsigned long at = 1; at <= all; at++) {
        calls_refuse(at);
        rc = snapshot_take(&r.f.sc, "set=once", &err);
        calls_refuse(0);
        const int waiting = saver_unsaved(&r.sn.saver);
        if (waiting != (rc < 0 ? 0 : 2))
            fail_msg("allocation %lu: rc %d, %d wait", at, rc, waiting);
        refused += rc < 0;
        if (saver_finish(&r.sn.saver, 5, NULL) > 0) { /* the saver met the one that was refused */
            saver_retry(&r.sn.saver, NULL);
            assert_int_equal(saver_finish(&r.sn.saver, 5, NULL), 0);
        }
    }
    assert_true(refused > 10);
    drop_type(&r, &other);
    close_it(&r);
}

static void test_refused(void **state) {
    (void)state;
    static const struct {
        const char *labels;
        int up; /* to the span, and so often to the right */
        const char *says;
    } cases[] = {
        {"oops", 0, "="},
        {"b@d=1", 0, "b@d"},
        {"", 4, "none is marked"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct rig r;
        open_at(&r, 120, 40, db);
        fixture_keys(&r.f, "s");
        fixture_keys(&r.f, cases[i].labels);
        if (cases[i].up)
            press(&r, KEYC_UP);
        for (int k = 0; k < cases[i].up; k++)
            press(&r, KEYC_RIGHT);
        fixture_keys(&r.f, "\n");
        assert_ptr_equal(r.f.sc.popup, &popup_snapshot);
        if (!strstr(r.sn.problem, cases[i].says))
            fail_msg("%s: %s", cases[i].labels, r.sn.problem);
        press(&r, KEYC_ESC);
        assert_null(r.f.sc.popup);
        assert_int_equal(saver_unsaved(&r.sn.saver), 0);
        close_it(&r);
    }
}

/* Runs of the tests before have build=old: offered, completed, value after key. */
static void test_offers(void **state) {
    (void)state;
    struct rig r;
    open_at(&r, 120, 40, db);
    r.f.s.source.live = false; /* or labels of this machine are on the golden screen */
    fixture_keys(&r.f, "s");
    assert_true(fixture_shows(&r.f, "Tab:  build=old  note=\"two words\""));
    fixture_golden(&r.f, "snapshot_120x40");
    fixture_keys(&r.f, "bu");
    press(&r, KEYC_TAB);
    assert_string_equal(r.sn.labels.text, "build=");
    press(&r, KEYC_TAB);
    assert_string_equal(r.sn.labels.text, "build=old ");
    fixture_keys(&r.f, "note=tw");
    press(&r, KEYC_TAB);
    assert_string_equal(r.sn.labels.text, "build=old note=\"two words\" ");
    press(&r, KEYC_TAB); /* no word is begun: on to the next line, and in a ring back */
    assert_int_equal(r.sn.line, SNAPSHOT_NOTE);
    press(&r, KEYC_TAB);
    assert_int_equal(r.sn.line, SNAPSHOT_SPAN);
    press(&r, KEYC_BTAB);
    assert_int_equal(r.sn.line, SNAPSHOT_NOTE);
    press(&r, KEYC_BTAB);
    fixture_keys(&r.f, "zz");
    assert_int_equal(r.sn.n_offer, 0);
    press(&r, KEYC_TAB); /* nothing fits it */
    assert_int_equal(r.sn.line, SNAPSHOT_NOTE);
    assert_string_equal(r.sn.labels.text, "build=old note=\"two words\" zz");
    close_it(&r);
}

/* As a shell does it: what all agree on, then one after the other; nothing is glued to them. */
static void test_completion(void **state) {
    (void)state;
    static const struct {
        const char *keys; /* a tab is Tab, a vertical tab Shift-Tab, | Backspace */
        const char *text;
        enum snapshot_line line;
    } cases[] = {
        {"th\t", "thr", SNAPSHOT_LABELS},
        {"th\t\t", "threads=", SNAPSHOT_LABELS},
        {"th\t\t\t", "throttle=", SNAPSHOT_LABELS},
        {"th\t\t\t\t", "threads=", SNAPSHOT_LABELS},
        {"th\t\t\v", "throttle=", SNAPSHOT_LABELS},
        {"th\t\t8", "threads=8", SNAPSHOT_LABELS}, /* a key: its value follows */
        {"threads=\t", "threads=1", SNAPSHOT_LABELS},
        {"threads=\t\t", "threads=1", SNAPSHOT_LABELS},
        {"threads=\t\t\t", "threads=12", SNAPSHOT_LABELS},
        {"threads=\t\t\tx", "threads=12 x", SNAPSHOT_LABELS}, /* a value is whole */
        {"threads=\t\t\t|8", "threads=18", SNAPSHOT_LABELS},
        {"threads=12\t", "threads=12", SNAPSHOT_NOTE}, /* it is all there */
        {"thro\t", "throttle=", SNAPSHOT_LABELS},
        {"thro\t\t", "throttle=no ", SNAPSHOT_LABELS},
        {"nothing=\t", "nothing=", SNAPSHOT_NOTE},
        {"\v", "", SNAPSHOT_SPAN},
    };
    char own[96];
    struct rig r;
    snprintf(own, sizeof(own), "%s/completion.db", dir);
    open_at(&r, 120, 40, own);
    fixture_keys(&r.f, "sthreads=1 throttle=no\n");
    wait_status(&r);
    fixture_keys(&r.f, "s");
    form_set(&r.sn.labels, "");
    fixture_keys(&r.f, "threads=12\n");
    wait_status(&r);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fixture_keys(&r.f, "s");
        form_set(&r.sn.labels, "");
        for (const char *k = cases[i].keys; *k; k++)
            press(&r, *k == '\t'   ? KEYC_TAB
                      : *k == '\v' ? KEYC_BTAB
                      : *k == '|'  ? KEYC_BACKSPACE
                                   : (uint32_t)*k);
        size_t n = strlen(cases[i].text);
        if (strncmp(r.sn.labels.text, cases[i].text, n) || r.sn.line != cases[i].line ||
            (r.sn.labels.text[n] && r.sn.labels.text[n] != ' '))
            fail_msg("%s: '%s' in line %d", cases[i].keys, r.sn.labels.text, r.sn.line);
        press(&r, KEYC_ESC);
    }
    close_it(&r);
}

/* What tells the newest runs apart is offered before what all of them have. */
static void test_offers_differing(void **state) {
    (void)state;
    static const char *const labels[] = {"arch=x86 threads=1", "arch=x86 threads=4"};
    char own[96];
    struct rig r;
    snprintf(own, sizeof(own), "%s/differing.db", dir);
    open_at(&r, 120, 40, own);
    for (size_t i = 0; i < 2; i++) {
        fixture_keys(&r.f, "s");
        form_set(&r.sn.labels, "");
        fixture_keys(&r.f, labels[i]);
        fixture_keys(&r.f, "\n");
        wait_status(&r);
    }
    fixture_keys(&r.f, "s");
    form_set(&r.sn.labels, "");
    offer_changed(&r.sn);
    offer_settle(&r.sn);
    assert_int_equal(r.sn.n_offer, 4);
    assert_string_equal(r.sn.offer[0], labels[1]); /* those of the last, as a whole */
    assert_true(str_starts(r.sn.offer[1], "threads=") && str_starts(r.sn.offer[2], "threads="));
    assert_string_equal(r.sn.offer[3], "arch=x86");
    close_it(&r);
}

/* A question where else to save does not take the keys from what is typed. */
static void test_question_waits(void **state) {
    (void)state;
    static const struct {
        const char *open, *typed;
    } cases[] = {{"s", "b=2"}, {"m", "b=2"}, {"/", "L3"}, {"6/", "ipc"}};
    char folder[96];
    snprintf(folder, sizeof(folder), "%s/folder2", dir);
    assert_int_equal(mkdir(folder, 0700), 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct rig r;
        open_at(&r, 120, 40, folder);
        fixture_keys(&r.f, "s\n");
        fixture_keys(&r.f, cases[i].open);
        wait_status(&r);
        assert_non_null(r.sn.saver.failed);
        assert_true(i != 0 || r.sn.line == SNAPSHOT_LABELS);
        fixture_keys(&r.f, cases[i].typed);
        const char *text = i == 0   ? r.sn.labels.text
                           : i == 1 ? r.f.sc.ask.text.text
                                    : search_here(&r.f.sc)->text;
        assert_string_equal(text, cases[i].typed);
        press(&r, KEYC_ESC);
        assert_ptr_equal(r.f.sc.popup, &popup_snapshot);
        assert_int_equal(r.sn.line, SNAPSHOT_PATH);
        assert_true(fixture_shows(&r.f, "Nothing is lost"));
        press(&r, KEYC_ESC);
        fixture_keys(&r.f, "j"); /* it is asked once */
        assert_null(r.f.sc.popup);
        close_it(&r);
    }
}

/* A stored run is stored: but a span of it can be a run of its own. */
static void test_stored(void **state) {
    (void)state;
    struct rig r;
    static struct runs_open o;
    struct err err = {0};
    open_at(&r, 120, 40, db);
    o = (struct runs_open){.run = {.id = "0123456789abcdef"}};
    assert_int_equal(run_label_set(&o.run, "build", "old", false, &err), 0);
    r.f.sc.opened = &o;
    r.f.sc.scene.stored = &o.run;
    assert_false(fixture_shows(&r.f, "s snapshot"));
    fixture_keys(&r.f, "s");
    assert_null(r.f.sc.popup);
    assert_true(fixture_shows(&r.f, "this run is stored, as 01234567"));
    fixture_keys(&r.f, "S");
    assert_true(fixture_shows(&r.f, "this run is stored, as 01234567"));
    fixture_keys(&r.f, ",,,,[..]s");
    assert_ptr_equal(r.f.sc.popup, &popup_snapshot);
    assert_true(fixture_shows(&r.f, "(•) the marked span"));
    assert_false(fixture_shows(&r.f, "since the"));
    assert_true(fixture_shows(&r.f, "labels build=old _"));
    fixture_keys(&r.f, "\n");
    wait_status(&r);
    struct run run = load_saved(&r);
    assert_int_equal(series_rows(&run.series), 3);
    run_free(&run);
    run_free(&o.run);
    r.f.sc.opened = NULL;
    r.f.sc.scene.stored = NULL;
    close_it(&r);
}

/* The store is locked: nothing stands still, and it is said until it is over. */
static void test_locked(void **state) {
    (void)state;
    struct rig r;
    char own[96];
    sqlite3 *other;
    snprintf(own, sizeof(own), "%s/locked.db", dir);
    open_at(&r, 120, 40, own);
    assert_int_equal(sqlite3_open(own, &other), SQLITE_OK); /* a new file, and not ours alone */
    assert_int_equal(sqlite3_exec(other, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    uint64_t before = clock_now_ns();
    fixture_keys(&r.f, "sbuild=locked\n");
    assert_true(clock_now_ns() - before < NS_PER_S);
    for (int i = 0; i < 60 && !fixture_shows(&r.f, "waiting for the store"); i++) {
        struct pollfd fd = {.fd = r.sn.saver.fd, .events = POLLIN};
        poll(&fd, 1, 50);
        snapshot_status(&r.f.sc);
    }
    assert_true(fixture_shows(&r.f, "waiting for the store"));
    fixture_keys(&r.f, "jjk"); /* not only until the next key */
    assert_true(fixture_shows(&r.f, "waiting for the store"));
    assert_int_equal(sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(other);
    wait_status(&r);
    assert_true(fixture_shows(&r.f, "saved as "));
    assert_false(fixture_shows(&r.f, "waiting for the store"));
    close_it(&r);
}

/* What could not be saved stays in memory, is not forgotten on the way out, and goes elsewhere. */
static void test_elsewhere(void **state) {
    (void)state;
    struct rig r;
    char folder[96];
    snprintf(folder, sizeof(folder), "%s/folder", dir);
    assert_int_equal(mkdir(folder, 0700), 0);
    open_at(&r, 120, 40, folder);
    fixture_keys(&r.f, "sbuild=new\n");
    wait_status(&r);
    assert_ptr_equal(r.f.sc.popup, &popup_snapshot);
    assert_true(fixture_shows(&r.f, "Nothing is lost"));
    assert_true(fixture_shows(&r.f, folder));
    press(&r, KEYC_ESC);
    assert_true(fixture_shows(&r.f, "1 snapshot is in memory only"));
    fixture_keys(&r.f, "q");
    assert_false(r.f.sc.quit);
    assert_true(fixture_shows(&r.f, "q again quits without"));
    fixture_keys(&r.f, "s");
    for (size_t i = strlen(r.sn.path.text); i > 0; i--)
        press(&r, KEYC_BACKSPACE);
    fixture_keys(&r.f, "\n");
    assert_true(fixture_shows(&r.f, "it is empty"));
    fixture_keys(&r.f, db);
    fixture_keys(&r.f, "\n");
    wait_status(&r);
    assert_true(fixture_shows(&r.f, "saved as"));
    struct run run = load_saved(&r);
    assert_string_equal(run_label_get(&run, "build"), "new");
    run_free(&run);
    fixture_keys(&r.f, "q");
    assert_true(r.f.sc.quit);
    close_it(&r);
}

static void test_quit_all_the_same(void **state) {
    (void)state;
    struct rig r;
    char folder[96];
    snprintf(folder, sizeof(folder), "%s/folder", dir);
    open_at(&r, 80, 24, folder);
    fixture_keys(&r.f, "s\n");
    wait_status(&r);
    press(&r, KEYC_ESC);
    fixture_keys(&r.f, "q");
    assert_false(r.f.sc.quit);
    fixture_keys(&r.f, "q");
    assert_true(r.f.sc.quit);
    close_it(&r);
}

static void test_nothing(void **state) {
    (void)state;
    struct fixture f;
    fixture_open(&f, "redis-server 4242");
    fixture_screen(&f, 80, 24);
    fixture_keys(&f, "s");
    assert_null(f.sc.popup);
    assert_true(fixture_shows(&f, "nothing can be stored"));
    fixture_keys(&f, "S");
    assert_true(fixture_shows(&f, "nothing can be stored"));
    fixture_close(&f);
}

static void test_marks(void **state) {
    (void)state;
    struct rig r;
    open_at(&r, 80, 24, db);
    fixture_keys(&r.f, "mwarm q"); /* q is a letter here */
    assert_true(fixture_shows(&r.f, "mark now, with the name: warm q_"));
    fixture_keys(&r.f, "\n");
    assert_string_equal(r.f.s.timeline.mark[0].name, "warm q");
    fixture_keys(&r.f, "m");
    press(&r, KEYC_ESC);
    assert_int_equal(r.f.s.timeline.n_mark, 1);
    fixture_keys(&r.f, "m\n");
    assert_string_equal(r.f.s.timeline.mark[1].name, "mark 2");
    close_it(&r);
}

/* --- drawing allocates nothing --- */

static void test_noalloc(void **state) {
    (void)state;
#ifdef SANITIZED
    print_message("SKIP: the sanitizer brings its own malloc, calls are not counted\n");
    skip();
#endif
    static const char *const screens[] = {"",      ",,,", ",,,,[..]", "s",   "sbuild=x y=z",
                                          "mwarm", "b",   "bd",       "m1\n"};
    for (size_t i = 0; i < sizeof(screens) / sizeof(screens[0]); i++) {
        struct rig r;
        open_at(&r, 200, 60, db);
        fixture_keys(&r.f, screens[i]);
        fixture_run(&r.f, 2);
        screen_prepare(&r.f.sc);
        for (int k = 0; k < 3; k++) {
            const unsigned long before = calls_now();
            screen_draw(&r.f.sc);
            if (calls_now() != before)
                fail_msg("'%s': %lu allocations", screens[i], calls_now() - before);
        }
        close_it(&r);
    }
}

/* Every size: the form and the question draw inside the screen, and leave it when told so. */
static void test_sizes(void **state) {
    (void)state;
    static const int size[][2] = {{80, 24}, {40, 6}, {40, 12}, {20, 3}, {200, 60}};
    for (size_t i = 0; i < sizeof(size) / sizeof(size[0]); i++) {
        struct rig r;
        open_at(&r, size[i][0], size[i][1], db);
        fixture_keys(&r.f, "sa=b c=d");
        screen_draw(&r.f.sc);
        press(&r, KEYC_ESC);
        fixture_keys(&r.f, "mname");
        screen_draw(&r.f.sc);
        press(&r, KEYC_ESC);
        assert_null(r.f.sc.popup);
        assert_false(r.f.sc.ask.typing);
        close_it(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types_later),
        cmocka_unit_test(test_all_or_none),
        cmocka_unit_test(test_saves),
        cmocka_unit_test(test_offers),
        cmocka_unit_test(test_at_once),
        cmocka_unit_test(test_spans),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_elsewhere),
        cmocka_unit_test(test_quit_all_the_same),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_noalloc),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_completion),
        cmocka_unit_test(test_question_waits),
        cmocka_unit_test(test_stored),
        cmocka_unit_test(test_locked),
        cmocka_unit_test(test_when),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_offers_differing),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
