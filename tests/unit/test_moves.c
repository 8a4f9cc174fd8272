/* The largest changes of a minute: which, in what order, and that each is said once. */
#include "ui/view/moves.h"

#include "ui_fixture.h"

struct pair {
    struct fixture f;
    struct frame then, now;
};

static void set(struct pair *p, const char *name, double then, double now, double err) {
    const int i = model_find(&p->f.s.model, name);
    assert_true(i >= 0);
    p->then.at[i] = (struct value){.v = then, .err = err};
    p->now.at[i] = (struct value){.v = now, .err = err};
}

static void open_pair(struct pair *p) {
    fixture_open(&p->f, "redis-server 4242");
    const uint32_t n = p->f.s.model.n_metric;
    assert_int_equal(frame_init(&p->then, n), 0);
    assert_int_equal(frame_init(&p->now, n), 0);
    for (uint32_t i = 0; i < n; i++)
        p->then.at[i] = p->now.at[i] = (struct value){.v = NAN};
    set(p, "Frontend_Bound", .25, .09, .002);
    set(p, "Bad_Speculation", .03, .03, .002);
    set(p, "Backend_Bound", .30, .71, .002);
    set(p, "Retiring", .42, .17, .002);
}

static void close_pair(struct pair *p) {
    frame_destroy(&p->then);
    frame_destroy(&p->now);
    fixture_close(&p->f);
}

/* "Backend_Bound +41 Retiring -25" */
static const char *found(struct pair *p) {
    static char text[160];
    struct move mv[MOVES];
    const int n = moves_find(&p->f.s.model, &p->then, &p->now, mv);
    size_t len = 0;
    text[0] = '\0';
    for (int i = 0; i < n; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s %+.0f", i ? " " : "",
                                p->f.s.model.metric[mv[i].metric].name, mv[i].points * 100);
    return text;
}

static void the_largest_first(void **state) {
    (void)state;
    struct pair p;
    open_pair(&p);
    assert_string_equal(found(&p), "Backend_Bound +41 Retiring -25 Frontend_Bound -16");
    set(&p, "Bad_Speculation", .03, .50, .002);
    assert_string_equal(found(&p), "Bad_Speculation +47 Backend_Bound +41 Retiring -25");
    close_pair(&p);
}

static void one_of_a_chain(void **state) {
    (void)state;
    struct pair p;
    open_pair(&p);
    set(&p, "Memory_Bound", .20, .60, .002);
    set(&p, "Core_Bound", .10, .11, .002);
    assert_string_equal(found(&p), "Memory_Bound +40 Retiring -25 Frontend_Bound -16");
    set(&p, "L3_Bound", .10, .20, .002); /* a part of it: not what it comes from */
    assert_string_equal(found(&p), "Memory_Bound +40 Retiring -25 Frontend_Bound -16");
    set(&p, "Memory_Bound", .60, .20, .002); /* the other way */
    assert_string_equal(found(&p), "Backend_Bound +41 Retiring -25 Frontend_Bound -16");
    close_pair(&p);
}

static void only_what_is_sure(void **state) {
    (void)state;
    struct pair p;
    open_pair(&p);
    set(&p, "Frontend_Bound", .25, .09, .12); /* both ± together: 0.17 */
    assert_string_equal(found(&p), "Backend_Bound +41 Retiring -25");
    set(&p, "Retiring", .17, .189, .001); /* less than two points */
    assert_string_equal(found(&p), "Backend_Bound +41");
    set(&p, "Backend_Bound", .30, .71, (double)NAN); /* counted all the time */
    assert_string_equal(found(&p), "Backend_Bound +41");
    set(&p, "Backend_Bound", (double)NAN, .71, .002);
    assert_string_equal(found(&p), "");
    close_pair(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_first),
        cmocka_unit_test(one_of_a_chain),
        cmocka_unit_test(only_what_is_sure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
