/* Several sessions on one target: who runs the command, what is left when one cannot be opened. */
#include "session/hybrid.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *const models[] = {"adl-glc", "adl-grt"};
static const char *const kinds[] = {"core", "atom"};

static void make(struct sessions *all, struct source_options *opt) {
    struct err err = {0};
    *all = (struct sessions){.n = 0};
    for (int i = 0; i < 2; i++) {
        struct session *s = sessions_add(all);
        assert_non_null(s);
        if (model_open(&s->model, models[i], NULL, &err) < 0)
            fail_msg("%s", err.text);
        strcpy(s->core_type, kinds[i]);
        opt[i] = (struct source_options){.level = 1,
                                         .interval_ns = 1000000000,
                                         .until_ns = 3000000000,
                                         .type_at = i,
                                         .n_type = 2};
        consts_init(&opt[i].consts);
    }
}

static void take(struct session *s) {
    struct pollfd fd = {.fd = session_fd(s), .events = POLLIN};
    while (!session_take(s))
        assert_int_equal(poll(&fd, 1, 5000), 1);
}

static void test_shares_of_the_time(void **state) {
    (void)state;
    struct sessions all;
    struct source_options opt[2];
    struct err err = {0};
    make(&all, opt);
    assert_int_equal(sessions_open(&all, &source_sim, opt, &err), 0);
    assert_int_equal(all.n, 2);
    assert_int_equal(sessions_start(&all, &err), 0);
    for (int n = 0; n < 2; n++) {
        double sum = 0;
        for (int i = 0; i < 2; i++) {
            take(all.at[i]);
            sum += all.at[i]->frame.here;
            assert_true(fabs(all.at[i]->frame.root_sum - 1) < 1e-6);
        }
        assert_true(fabs(sum - 1) < 1e-6);
    }
    assert_string_equal(session_cores(all.at[0]), "P-cores");
    assert_string_equal(session_cores(all.at[1]), "E-cores");
    assert_ptr_equal(session_environment(all.at[1]), &all.at[0]->env);
    assert_string_not_equal(all.at[0]->phase, all.at[1]->phase);
    sessions_close(&all);
}

/* ---- a source that notes how it is opened, or refuses ---- */

static int n_opened, refused; /* refused: bit n, the one of type n */
static struct target opened[2];

static int fake_open(struct source *src, struct err *err) {
    int type = src->opt.type_at;
    opened[type] = src->opt.target;
    if (refused >> type & 1)
        return err_set(err, -EBUSY, "type %d is taken", type);
    n_opened++;
    src->simulated = true;
    src->command = src->opt.target.kind == TARGET_COMMAND ? 4242 : 0;
    return layout_init(&src->layout, src->model->n_event, COUNT_NOT_PLANNED, 1);
}

static int fake_read(struct source *src, struct sample *out, struct err *err) {
    (void)src, (void)out, (void)err;
    return -ENODATA;
}

static void fake_close(struct source *src) {
    (void)src;
}

static const struct source_ops fake = {
    .name = "fake", .open = fake_open, .read = fake_read, .close = fake_close};

static int open_fake(struct sessions *all, int who, struct err *err) {
    static char name[] = "prog", *argv[] = {name, NULL};
    struct source_options opt[2];
    make(all, opt);
    n_opened = 0;
    refused = who;
    for (int i = 0; i < 2; i++)
        opt[i].target = (struct target){.kind = TARGET_COMMAND, .argv = argv};
    return sessions_open(all, &fake, opt, err);
}

static void test_a_command_is_run_once(void **state) {
    (void)state;
    struct sessions all;
    struct err err = {0};
    assert_int_equal(open_fake(&all, 0, &err), 0);
    assert_int_equal(n_opened, 2);
    assert_int_equal(opened[0].kind, TARGET_COMMAND);
    assert_false(opened[0].waits);
    assert_int_equal(opened[1].kind, TARGET_PIDS);
    assert_true(opened[1].waits);
    assert_string_equal(opened[1].pids, "4242");
    sessions_close(&all);
}

static void test_one_cannot_be_opened(void **state) {
    (void)state;
    for (int type = 0; type < 2; type++) {
        struct sessions all;
        struct err err = {0};
        assert_int_equal(open_fake(&all, 1 << type, &err), 0);
        assert_int_equal(all.n, 1);
        assert_string_equal(all.at[0]->core_type, kinds[!type]);
        assert_int_equal(opened[!type].kind, TARGET_COMMAND); /* it runs it, whichever is left */
        assert_null(all.at[0]->first);
        assert_non_null(strstr(all.at[0]->why_model, "are not counted: type"));
        sessions_close(&all);
    }
}

static void test_none_can(void **state) {
    (void)state;
    struct sessions all;
    struct err err = {0};
    assert_int_equal(open_fake(&all, 3, &err), -EBUSY);
    assert_string_equal(err.text, "type 0 is taken");
    assert_int_equal(all.at[0]->exit_code, -1); /* still there to be asked */
    sessions_close(&all);
    sessions_close(&all);
}

static void test_too_many(void **state) {
    (void)state;
    struct sessions all = {.n = 0};
    for (int i = 0; i < SESSIONS_MAX; i++)
        assert_non_null(sessions_add(&all));
    assert_null(sessions_add(&all));
    sessions_drop(&all);
    assert_int_equal(all.n, SESSIONS_MAX - 1);
    sessions_close(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares_of_the_time),
        cmocka_unit_test(test_a_command_is_run_once),
        cmocka_unit_test(test_one_cannot_be_opened),
        cmocka_unit_test(test_none_can),
        cmocka_unit_test(test_too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
