/* The doctor as a view, and what tdtop costs: whole, in every size. */
#include "alone.h"

#include "ui/view/doctor_page.h"

static struct doctor_state *doctor_in(const struct fixture *f) {
    return screen_state(&f->sc, &view_doctor);
}

static void add_note(struct environment *env, enum check_state state, const char *name,
                     const char *found, const char *effect, const char *fix) {
    struct check *c = &env->note[env->n_note++];
    *c = (struct check){.state = state};
    str_copy(c->name, sizeof(c->name), name);
    str_copy(c->found, sizeof(c->found), found);
    str_copy(c->effect, sizeof(c->effect), effect);
    str_copy(c->fix, sizeof(c->fix), fix);
}

/* Checks made by hand: those of this machine are others on each. */
static void open_at(struct fixture *f, int w, int h) {
    fixture_open(f, "redis-server 4242");
    f->s.model.limits = "an estimate: slots that nobody counted are shared out by cycles";
    str_copy(f->s.why_model, sizeof(f->s.why_model), "the full model, because this CPU is known");
    fixture_screen(f, w, h);
    fixture_run(f, 20);
    struct environment *env = &f->s.env;
    env->open = true;
    add_note(env, CHECK_OK, "steal", "0.0% now", "", "");
    add_note(env, CHECK_WARN, "nmi_watchdog", "on",
             "it holds one counter of each CPU: fewer events fit, more are multiplexed",
             "sysctl kernel.nmi_watchdog=0");
    add_note(env, CHECK_FAIL, "perf_event_open", "EPERM", "nothing can be counted",
             "--cap-add PERFMON --security-opt seccomp=unconfined, or run outside the container");
    f->sc.scene.view = &view_doctor;
    screen_draw(&f->sc);
}

/* What tdtop costs is another number each time: only the names of those lines are compared. */
static const char *without_numbers(char *text) {
    static const char *const names[] = {"CPU (100",     "drawing the",      "sampling and",
                                        "wake-ups a",   "samples a",        "frames drawn a",
                                        "bytes to the", "descriptors open", "memory in use"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char *at = strstr(text, names[i]);
        if (!at)
            continue;
        at += strlen(names[i]);
        memmove(at, at + strcspn(at, "\n"), strlen(at + strcspn(at, "\n")) + 1);
    }
    return text;
}

static void test_golden(void **state) {
    (void)state;
    static char text[256 * 1024];
    for (size_t i = 0; i < sizeof(alone_sizes) / sizeof(alone_sizes[0]); i++) {
        struct fixture f;
        char name[64];
        open_at(&f, alone_sizes[i].w, alone_sizes[i].h);
        doctor_in(&f)->text.top = 0;
        f.sc.scene.cost = (struct cost){.descriptors = 7, .descriptors_max = 1024};
        snprintf(name, sizeof(name), "doctor_%s", alone_sizes[i].name);
        for (int ascii = 0; ascii <= (alone_sizes[i].w == 120); ascii++) {
            str_copy(text, sizeof(text), alone_text(&f, &view_doctor, ascii));
            if (ascii)
                str_copy(name + strlen(name), sizeof(name) - strlen(name), "_ascii");
            golden_compare_text(without_numbers(text), name);
        }
        f.s.env.open = false;
        fixture_close(&f);
    }
}

static void test_order(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 80, 80);
    const char *text = alone_text(&f, &view_doctor, false);
    const char *fail = strstr(text, "perf_event_open: EPERM (FAIL)");
    const char *warn = strstr(text, "nmi_watchdog: on (warning)"),
               *ok = strstr(text, "steal: 0.0%");
    assert_true(fail && warn && ok && fail < warn && warn < ok);
    static const char *const parts[] = {"1 FAIL, 1 warning, 1 ok",
                                        "→ sysctl kernel.nmi_watchdog=0",
                                        "still works: everything, with a lower duty",
                                        "What tdtop itself costs",
                                        "the full model, because this CPU is known",
                                        "Models built in:",
                                        "zen4",
                                        "What the model hand cannot see",
                                        "Limits of what is kept"};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (!strstr(text, parts[i]))
            fail_msg("not \"%s\":\n%s", parts[i], text);
    f.s.env.open = false;
    fixture_close(&f);
}

static void test_scrolls(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 80, 24);
    assert_true(doctor_in(&f)->text.n - doctor_in(&f)->text.lines > 10);
    fixture_keys(&f, "jj");
    assert_int_equal(doctor_in(&f)->text.top, 2);
    fixture_keys(&f, "G");
    assert_true(fixture_shows(&f, "history"));
    assert_int_equal(doctor_in(&f)->text.top, doctor_in(&f)->text.n - doctor_in(&f)->text.lines);
    fixture_keys(&f, "gk");
    assert_int_equal(doctor_in(&f)->text.top, 0);
    f.s.env.open = false;
    fixture_close(&f);
}

/* Numbers that are not of this machine: it is looked at all the same, and that is said. */
static void test_simulated(void **state) {
    (void)state;
    struct fixture f;
    fixture_open(&f, "simulated core");
    f.s.source.live = false;
    f.s.source.simulated = true;
    fixture_screen(&f, 120, 40);
    fixture_run(&f, 3);
    fixture_keys(&f, "9");
    assert_ptr_equal(f.sc.scene.view, &view_doctor);
    assert_true(f.s.env.n_check > 3);
    assert_true(alone_shows(&f, &view_doctor, "nothing of this machine is in them"));
    assert_true(alone_shows(&f, &view_doctor, "perf_event_paranoid"));
    fixture_close(&f);
}

static void test_inside(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 80, 24);
    for (int i = 0; i < 200; i++)
        f.s.env.note[0].found[i] = 'w';
    alone_inside(&f, &view_doctor, 300, 100);
    alone_inside(&f, &popup_doctor, 200, 60);
    alone_inside(&f, &popup_cost, 200, 60);
    f.s.env.open = false;
    fixture_close(&f);
    struct session s = {0}; /* before anything is known */
    struct fixture none = {0};
    struct err err;
    assert_int_equal(screen_init(&none.sc, &s, 2, &err), 0);
    none.sc.scene.view = &view_doctor;
    alone_inside(&none, &view_doctor, 120, 40);
    screen_destroy(&none.sc);
}

/* Numbers are never cut, names are. */
static void test_cost_is_whole(void **state) {
    (void)state;
    struct fixture f;
    open_at(&f, 40, 24);
    assert_true(alone_shows(&f, &popup_cost, "since start"));
    f.s.env.open = false;
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),  cmocka_unit_test(test_order),
        cmocka_unit_test(test_scrolls), cmocka_unit_test(test_simulated),
        cmocka_unit_test(test_inside),  cmocka_unit_test(test_cost_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
