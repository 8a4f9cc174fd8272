/* From a session to a run: of a target that has ended, of a stored run that is replayed, and of
 * one for which memory was too short. */
#include "session/session.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"
#include "count_malloc.h"
#include "db/store.h"
#include "perf_children.h"
#include "sim_run.h"
#include "store_fixture.h"

enum { ROWS = 20 };

static void open_model(struct session *s, const char *name) {
    struct err err = {0};
    *s = (struct session){0};
    if (model_open(&s->model, name, NULL, &err) < 0)
        fail_msg("%s", err.text);
}

static void begin(struct session *s, const struct source_ops *ops, struct source_options opt) {
    struct err err = {0};
    opt.interval_ns = 1000000000;
    consts_init(&opt.consts);
    if (session_open(s, ops, &opt, &err) < 0 || session_start(s, &err) < 0)
        fail_msg("%s", err.text);
}

static bool next(struct session *s) {
    while (!session_take(s)) {
        if (s->state != STREAM_LIVE)
            return false;
        struct pollfd fd = {.fd = session_fd(s), .events = POLLIN};
        poll(&fd, 1, -1);
    }
    return true;
}

static void run_of(const struct session *s, uint64_t t0_ns, uint64_t t1_ns, struct run *r) {
    struct err err = {0};
    if (session_run(s, t0_ns, t1_ns, r, &err) < 0)
        fail_msg("%s", err.text);
}

/* ---- the target ---- */

static void comm_of(pid_t pid, char *out, size_t cap) {
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
    assert_true(str_read_small(path, out, cap) > 0);
}

static void a_target_that_has_ended_keeps_its_names(void **state) {
    (void)state;
    struct session s;
    struct run r;
    char pid_text[16], comm[64] = "";
    pid_t pid = start(be_busy);
    snprintf(pid_text, sizeof(pid_text), "%d", (int)pid);
    comm_of(getpid(), comm, sizeof(comm));
    open_model(&s, "software");
    begin(&s, &source_perf,
          (struct source_options){.target = {.kind = TARGET_PIDS, .pids = pid_text}});
    end(pid);
    while (next(&s))
        continue;
    run_of(&s, 0, 0, &r);
    assert_string_equal(r.process, comm);
    assert_non_null(strstr(r.command, comm));
    assert_string_equal(run_label_get(&r, "comm"), comm);
    assert_string_equal(run_label_get(&r, "pid"), pid_text);
    assert_string_equal(run_label_get(&r, "cmdline"), r.command);
    run_free(&r);
    session_close(&s);
}

/* Another session runs the command: before its exec /proc would say what we are called. */
static void a_command_is_called_what_was_typed(void **state) {
    (void)state;
    char *argv[] = {(char[]){"/bin/sh"}, (char[]){"-c"}, (char[]){"exit 0"}, NULL};
    static const struct {
        const char *what;
        struct target target;
        pid_t command;
    } cases[] = {
        {"the one that runs it", {.kind = TARGET_COMMAND}, 42},
        {"one that waits for it", {.kind = TARGET_PIDS, .pids = "42", .waits = true}, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct source src = {.opt.target = cases[i].target, .command = cases[i].command};
        struct auto_names names;
        src.opt.target.argv = argv;
        auto_names_read(&src, &names);
        if (strcmp(names.process, "sh") || strcmp(names.command, "/bin/sh -c exit 0") ||
            strcmp(names.pid, "42"))
            fail_msg("%s: %s, %s, %s", cases[i].what, names.process, names.command, names.pid);
    }
}

static void processes_of_a_name_have_their_command_line(void **state) {
    (void)state;
    char comm[64], pid_text[16];
    pid_t pid = start(be_idle);
    struct auto_names names;
    comm_of(pid, comm, sizeof(comm));
    snprintf(pid_text, sizeof(pid_text), "%d", (int)pid);
    struct source src = {.opt.target = {.kind = TARGET_NAME, .name = comm}};
    auto_names_read(&src, &names);
    end(pid);
    assert_string_equal(names.process, comm);
    assert_non_null(strstr(names.pid, pid_text));
    assert_non_null(strstr(names.command, comm));
}

/* ---- a stored run ---- */

static void text(char **at, const char *value) {
    assert_int_equal(run_set_text(at, value), 0);
}

/* As if it had been measured on another machine, a year ago. */
static void make_stored(struct run *r) {
    struct model m;
    assert_int_equal(model_open(&m, "spr", NULL, NULL), 0);
    sim_run(r, &m, 7, 2, 3, ROWS);
    model_free(&m);
    r->simulated = false;
    text(&r->process, "redis-server");
    text(&r->target, "redis-server 4242, 5 threads");
    text(&r->command, "redis-server --io-threads 4");
    text(&r->source, "perf");
    text(&r->version, "0.0.9");
    text(&r->note, "before the change");
    assert_int_equal(run_label_set(r, "build", "old", false, NULL), 0);
    assert_int_equal(run_label_set(r, "node", "web1", true, NULL), 0);
    assert_int_equal(run_label_set(r, "collector", "perf", true, NULL), 0);
    assert_int_equal(run_label_set(r, "model", "spr", true, NULL), 0);
    assert_int_equal(run_label_set(r, RUN_REEVAL_OF, "0123456789abcdef", true, NULL), 0);
    const struct run_fact fact = {strdup("governor"), strdup("performance")};
    assert_int_equal(array_push(&r->fact, fact), 0);
    const struct run_mark marks[] = {{r->t0_ns + 5500000000, strdup("warm")},
                                     {r->t1_ns, strdup("end")}};
    for (int i = 0; i < 2; i++)
        assert_int_equal(array_push(&r->mark, marks[i]), 0);
}

static void replay(struct session *s, const struct run *from, const char *model) {
    open_model(s, model);
    begin(s, &source_run, (struct source_options){.run = from});
    while (next(s))
        continue;
}

static void check_same(const struct run *from, const struct run *r) {
    const struct {
        const char *what, *is, *was;
    } texts[] = {
        {"process", r->process, from->process},
        {"target", r->target, from->target},
        {"command", r->command, from->command},
        {"source", r->source, from->source},
        {"version", r->version, from->version},
        {"build", run_label_get(r, "build"), "old"},
        {"node", run_label_get(r, "node"), "web1"},
        {"collector", run_label_get(r, "collector"), "perf"},
        {"parent", r->parent, from->id},
        {"note", r->note, ""},
        {"fact", r->fact.n == 1 ? r->fact.at[0].value : "", "performance"},
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (strcmp(texts[i].is, texts[i].was) != 0)
            fail_msg("%s: \"%s\", it was \"%s\"", texts[i].what, texts[i].is, texts[i].was);
    assert_null(run_label_get(r, RUN_REEVAL_OF));
    assert_int_equal(r->level, from->level);
    assert_int_equal(r->interval_ns, from->interval_ns);
    assert_string_not_equal(r->id, from->id);
    for (size_t i = 0; i < r->label.n; i++)
        if (strcmp(r->label.at[i].key, "build") != 0)
            assert_true(r->label.at[i].automatic);
}

static void a_stored_run_stays_who_it_was(void **state) {
    (void)state;
    struct session s;
    struct run from, whole, part, offered;
    make_stored(&from);
    replay(&s, &from, "spr");
    run_of(&s, 0, 0, &whole);
    check_same(&from, &whole);
    assert_int_equal(whole.begun_ns, from.begun_ns);
    assert_int_equal(whole.ended_ns, from.ended_ns);
    assert_int_equal(whole.mark.n, 2);
    assert_int_equal(whole.mark.at[0].t_ns, 5500000000);
    assert_string_equal(whole.warning, "");
    assert_int_equal(series_rows(&whole.series), ROWS);

    run_of(&s, 5000000000, 8000000000, &part); /* a marked span */
    check_same(&from, &part);
    assert_int_equal(part.begun_ns, from.begun_ns + 5000000000);
    assert_int_equal(part.ended_ns, from.begun_ns + 8000000000);
    assert_int_equal(part.mark.n, 1);
    assert_string_equal(part.mark.at[0].name, "warm");

    assert_int_equal(session_labels(&s, &offered, NULL), 0); /* as the form shows them */
    assert_string_equal(run_label_get(&offered, "node"), "web1");
    run_free(&offered);
    run_free(&part);
    run_free(&whole);
    session_close(&s);
    run_free(&from);
}

/* What its model does not know has counts and a name all the same, so that it can be stored. */
static void another_model_loses_no_event(void **state) {
    (void)state;
    char folder[64] = "/tmp/tdtop-test-again-XXXXXX", path[96], cmd[96];
    struct session s;
    struct run from, r, back = {0};
    struct store st;
    struct err err = {0};
    make_stored(&from);
    replay(&s, &from, "generic");
    run_of(&s, 0, 0, &r);
    assert_string_equal(run_label_get(&r, "model"), "generic");
    assert_string_equal(r.model, "generic");
    assert_int_equal(r.layout.n_slot, from.layout.n_slot);
    for (uint32_t i = 0; i < r.layout.n_slot; i++)
        assert_string_equal(r.event[r.layout.slot[i].event], from.event[from.layout.slot[i].event]);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/runs.db", folder);
    if (store_open(&st, path, STORE_WRITE, &err) < 0 || store_save(&st, &r, &err) < 0 ||
        store_load(&st, r.id, RUN_ALL, &back, &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(back.parent, from.id);
    assert_int_equal(series_rows(&back.series), ROWS);
    store_close(&st);
    snprintf(cmd, sizeof(cmd), "rm -rf '%s'", folder);
    assert_int_equal(system(cmd), 0);
    run_free(&back);
    run_free(&r);
    session_close(&s);
    run_free(&from);
}

/* ---- memory ---- */

/* Counts that memory is too short for are missing, sums go on, and the run says so. */
static void without_memory_measuring_goes_on(void **state) {
    (void)state;
#ifdef SANITIZED
    print_message("SKIP: the sanitizer brings its own malloc\n");
    skip();
#endif
    struct session s;
    struct run r;
    open_model(&s, "spr");
    s.keep_bytes = SIZE_MAX;
    begin(&s, &source_sim, (struct source_options){.seed = 1, .until_ns = 400000000000});
    sleep_ms(1); /* what the thread itself needs to begin is not meant */
    assert_true(next(&s));
    calls_refuse_all(1);
    while (s.timeline.n_lost == 0 && s.n_frames < 400)
        assert_true(next(&s));
    calls_refuse_all(0);
    const uint64_t lost_ns = s.sample.t1_ns;
    while (next(&s))
        continue;
    assert_int_equal(s.timeline.n_lost, 1);
    assert_int_equal(s.n_frames, 400);
    assert_true(window_sample(&s.window)->t1_ns == s.sample.t1_ns);
    run_of(&s, 0, 0, &r);
    assert_int_equal(series_rows(&r.series), 399);
    assert_string_equal(r.warning, "1 interval is missing: memory was too short");
    run_free(&r);
    run_of(&s, lost_ns, s.sample.t1_ns, &r); /* all that came later is whole */
    assert_string_equal(r.warning, "");
    run_free(&r);
    session_close(&s);
}

/* ---- in two steps ---- */

/* A draft needs the session no more: what it becomes when that is gone is what the run was. */
static void a_draft_outlives_the_session(void **state) {
    (void)state;
    enum { N = 400, SECOND = 1000000000 };
    static const struct {
        const char *what;
        uint64_t t0_s, t1_s;
        size_t keep_bytes; /* 40000: the oldest are in the history alone */
    } cases[] = {{"all", 0, 0, 0},
                 {"some, within packed chunks", 100, 333, 0},
                 {"one", 199, 200, 0},
                 {"all, the oldest from the history", 0, 0, 40000},
                 {"from the history on", 250, 390, 40000}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct session s;
        struct session_draft d;
        struct run want;
        struct err err = {0};
        open_model(&s, "spr");
        s.keep_bytes = cases[i].keep_bytes;
        begin(&s, &source_sim, (struct source_options){.seed = 3});
        for (int n = 0; n < N; n++)
            assert_true(next(&s));
        const uint64_t t0_ns = cases[i].t0_s * SECOND, t1_ns = cases[i].t1_s * SECOND;
        assert_true((series_dropped(&s.timeline.series) > 0) == (cases[i].keep_bytes > 0));
        run_of(&s, t0_ns, t1_ns, &want);
        if (session_draft(&s, t0_ns, t1_ns, 0, &d, &err) < 0)
            fail_msg("%s: %s", cases[i].what, err.text);
        assert_int_equal(d.run.node.n + series_rows(&d.run.series), 0); /* nothing was worked out */
        session_close(&s);
        if (session_draft_finish(&d, &err) < 0 || session_draft_finish(&d, &err) < 0)
            fail_msg("%s: %s", cases[i].what, err.text);
        str_copy(want.id, sizeof(want.id), d.run.id);
        if (fix_differ(&want, &d.run))
            fail_msg("%s: %s differs", cases[i].what, fix_differ(&want, &d.run));
        if (cases[i].t1_s)
            assert_int_equal(want.measured_ns, t1_ns - t0_ns);
        session_draft_free(&d);
        run_free(&want);
    }
}

/* Said at once, not when it is saved: a pause of the span's whole length, or what is yet to come.
 */
static void a_draft_of_nothing_is_refused(void **state) {
    (void)state;
    enum { SECOND = 1000000000 };
    struct session s;
    struct session_draft d;
    struct err err = {0};
    open_model(&s, "spr");
    begin(&s, &source_sim, (struct source_options){.seed = 3});
    for (int n = 0; n < 70; n++)
        assert_true(next(&s));
    assert_int_equal(session_draft(&s, 100ull * SECOND, 200ull * SECOND, 0, &d, &err), -ENODATA);
    assert_int_equal(session_draft(&s, 10ull * SECOND, 10ull * SECOND + SECOND / 2, 0, &d, &err),
                     -ENODATA);
    assert_int_equal(session_draft(&s, 10ull * SECOND, 11ull * SECOND, 0, &d, &err), 0);
    session_draft_free(&d);
    session_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_target_that_has_ended_keeps_its_names),
        cmocka_unit_test(a_command_is_called_what_was_typed),
        cmocka_unit_test(processes_of_a_name_have_their_command_line),
        cmocka_unit_test(a_stored_run_stays_who_it_was),
        cmocka_unit_test(another_model_loses_no_event),
        cmocka_unit_test(without_memory_measuring_goes_on),
        cmocka_unit_test(a_draft_outlives_the_session),
        cmocka_unit_test(a_draft_of_nothing_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
