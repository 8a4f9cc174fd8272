/* Verdicts: each rule by itself, then what they are worth on runs whose truth is known. */
#include "model/compare/compare.h"

#include "model/compare/gate.h"
#include "model_fixture.h"
#include "noise.h"
#include "sim_run.h"

/* ---- sides made by hand ---- */

static char no_text[] = "", percent[] = "percent";

/* Path, share or not, good_up, value, standard error; n values with 50 degrees of freedom. */
struct given {
    const char *path;
    bool share, good_up;
    double v, se;
};

enum { NODES_MOST = 24, TEXT_MOST = 96 };

struct made {
    struct run_node node[NODES_MOST];
    char path[NODES_MOST][TEXT_MOST];
    struct compare_side side;
};

static int level_of(const char *path, bool share) {
    int level = share && strncmp(path, "Bottleneck_", 11) != 0;
    for (; level && *path; path++)
        level += *path == '.';
    return level;
}

static void make(struct made *m, const char *name, const char *model, const struct given *given,
                 size_t n) {
    memset(m, 0, sizeof(*m));
    m->side = (struct compare_side){
        .name = name, .model = model, .node = m->node, .n_node = n, .measured_s = 60};
    for (size_t i = 0; i < n; i++) {
        const struct given *g = &given[i];
        snprintf(m->path[i], TEXT_MOST, "%s", g->path);
        char *dot = strrchr(m->path[i], '.');
        m->node[i] = (struct run_node){
            .name = dot ? dot + 1 : m->path[i],
            .path = m->path[i],
            .unit = g->share ? percent : no_text,
            .reason = no_text,
            .level = level_of(g->path, g->share),
            .share = g->share,
            .good_up = g->good_up,
            .value = {.v = g->v, .duty = 1},
            .m = {.n = 60,
                  .mean = g->v,
                  .sd = g->se * 7.7,
                  .se = g->se,
                  .dof = isnan(g->se) ? 0 : 50,
                  .effective_n = isnan(g->se) ? NAN : 60},
        };
        run_node_guess(&m->node[i]);
        m->node[i].total = false;
    }
}

static void compare(const struct made *a, const struct made *b, struct comparison *c) {
    struct err err = {0};
    const struct compare_options opt = compare_defaults();
    if (compare_sides(&a->side, &b->side, &opt, c, &err) < 0)
        fail_msg("%s", err.text);
}

/* One root for direction, and the metric in question. */
static void one_pair(const struct given *a, const struct given *b, struct made *sides,
                     struct comparison *c) {
    const struct given of_a[] = {
        {"Retiring", true, true, 0.4, 1e-3}, {"Backend_Bound", true, false, 0.4, 1e-3}, *a};
    struct given of_b[] = {of_a[0], of_a[1], *b};
    make(&sides[0], "a", "spr", of_a, 3);
    make(&sides[1], "b", "spr", of_b, 3);
    compare(&sides[0], &sides[1], c);
}

static void one_metric(void **state) {
    (void)state;
    static const struct {
        const char *what;
        struct given a;
        double v, se; /* of b */
        enum verdict verdict;
    } cases[] = {
        {"stalls up",
         {"Backend_Bound.Memory_Bound", true, false, .30, .001},
         .35,
         .001,
         VERDICT_REGRESSED},
        {"stalls down",
         {"Backend_Bound.Memory_Bound", true, false, .30, .001},
         .25,
         .001,
         VERDICT_IMPROVED},
        {"useful work up",
         {"Retiring.Light_Operations", true, true, .30, .001},
         .35,
         .001,
         VERDICT_IMPROVED},
        {"heavy operations up",
         {"Retiring.Heavy_Operations", true, false, .30, .001},
         .35,
         .001,
         VERDICT_REGRESSED},
        {"below heavy operations",
         {"Retiring.Heavy_Operations.Microcode_Sequencer", true, false, .3, .001},
         .25,
         .001,
         VERDICT_IMPROVED},
        {"a kind of useful work",
         {"Retiring.Light_Operations.FP_Arith", true, false, .3, .001},
         .35,
         .001,
         VERDICT_CHANGED},
        {"bottleneck view",
         {"Bottleneck_Mispredictions", true, false, .3, .001},
         .35,
         .001,
         VERDICT_REGRESSED},
        {"IPC down", {"IPC", false, true, 2.0, .001}, 1.9, .001, VERDICT_REGRESSED},
        {"nobody says", {"CPUs_Utilized", false, false, 2.0, .001}, 1.9, .001, VERDICT_CHANGED},
        {"may be chance", {"IPC", false, true, 2.0, .1}, 1.9, .1, VERDICT_NOISE},
        {"sure, but less than a point",
         {"Bottleneck_Mispredictions", true, false, .3, 1e-4},
         .309,
         1e-4,
         VERDICT_NOISE},
        {"just a point",
         {"Bottleneck_Mispredictions", true, false, .3, 1e-4},
         .3101,
         1e-4,
         VERDICT_REGRESSED},
        {"sure, but less than 1%", {"IPC", false, true, 2.0, 1e-4}, 1.985, 1e-4, VERDICT_NOISE},
        {"one sure, one not known", {"IPC", false, true, 2.0, .001}, 1.0, NAN, VERDICT_UNSURE},
        {"neither", {"IPC", false, true, 2.0, NAN}, 1.0, NAN, VERDICT_UNSURE},
        {"constants that differ", {"IPC", false, true, 2.0, 0}, 1.0, 0, VERDICT_REGRESSED},
        {"constants that agree", {"IPC", false, true, 2.0, 0}, 2.0, 0, VERDICT_NOISE},
        {"one constant", {"IPC", false, true, 2.0, 0}, 1.0, .01, VERDICT_REGRESSED},
        {"from 0", {"IPC", false, true, 0, 0}, 1.0, .01, VERDICT_IMPROVED},
        {"0 and 0", {"IPC", false, true, 0, 0}, 0, 0, VERDICT_NOISE},
        {"only in a", {"IPC", false, true, 1, .1}, NAN, NAN, VERDICT_ONLY_A},
        {"only in b", {"IPC", false, true, NAN, NAN}, 1, .1, VERDICT_ONLY_B},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct made sides[2];
        struct comparison c;
        struct given b = cases[i].a;
        b.v = cases[i].v;
        b.se = cases[i].se;
        one_pair(&cases[i].a, &b, sides, &c);
        const struct compare_row *r = compare_find(&c, cases[i].a.path);
        assert_non_null(r);
        if (r->verdict != cases[i].verdict)
            fail_msg("%s: %s", cases[i].what, verdict_name(r->verdict));
        if (r->a && r->b)
            assert_true(same_number(r->delta, cases[i].v - cases[i].a.v, 1e-12));
        assert_true(r->a || r->b);
        assert_int_equal(c.n_verdict[cases[i].verdict], cases[i].verdict == VERDICT_NOISE ? 3 : 1);
        compare_free(&c);
    }
}

/* What is in percent by itself is counted in points as well: 0.685% to 0.921% is less than one.
 */
static void percent_is_in_points(void **state) {
    (void)state;
    static char unit[] = "%";
    for (int i = 0; i < 2; i++) {
        struct given a = {"Bottleneck_Big_Code", false, false, .685, .01}, b = a;
        struct made sides[2];
        struct comparison c;
        struct gate g;
        b.v = i ? 2.685 : .921;
        make(&sides[0], "a", "spr", &a, 1);
        make(&sides[1], "b", "spr", &b, 1);
        sides[0].node[0].unit = sides[1].node[0].unit = unit;
        compare(&sides[0], &sides[1], &c);
        assert_true(same_number(c.row[0].effect, i ? 2.0 : .236, 1e-9));
        assert_int_equal(c.row[0].verdict, i ? VERDICT_REGRESSED : VERDICT_NOISE);
        assert_int_equal(gate_parse("Bottleneck_Big_Code:+1", &g, NULL), 0);
        assert_non_null(strstr(gate_check(&g, &c).words, i ? "+2 ± " : "+0.236 ± "));
        assert_non_null(strstr(gate_check(&g, &c).words, " points (from "));
        compare_free(&c);
    }
}

static void welch(void **state) {
    (void)state;
    /* Welch 1947: se 0.05, dof (.03^2+.04^2)^2 / (.03^4/50 + .04^4/50) = 92.7; t = 4 */
    struct made sides[2];
    struct comparison c;
    one_pair(&(struct given){"IPC", false, true, 2.0, .03},
             &(struct given){"IPC", false, true, 2.2, .04}, sides, &c);
    const struct compare_row *r = compare_find(&c, "ipc");
    assert_true(same_number(r->p, student_tail(4.0, 92.729), 1e-4));
    assert_true(same_number(compare_err_alone(&c, r), 0.05 * student_quantile(0.95, 92.729), 1e-6));
    assert_true(same_number(r->relative, 0.1, 1e-12) && same_number(r->effect, 10, 1e-9));
    compare_free(&c);
}

/* One p of 0.02 is sure by itself, but not among twenty; 1e-5 is. */
static void one_among_many(void **state) {
    (void)state;
    for (int n = 1; n <= 20; n += 19) {
        struct given a[NODES_MOST], b[NODES_MOST];
        static char names[NODES_MOST][16];
        struct made sides[2];
        struct comparison c;
        for (int i = 0; i < n; i++) {
            snprintf(names[i], sizeof(names[i]), "M%d", i);
            a[i] = b[i] = (struct given){names[i], false, true, 10, 0.1};
        }
        b[0].v = 10 + 0.1 * 1.4142 * student_quantile(0.98, 100);
        if (n > 1)
            b[1].v = 10 - 0.1 * 1.4142 * student_quantile(0.99999, 100);
        make(&sides[0], "a", "m", a, (size_t)n);
        make(&sides[1], "b", "m", b, (size_t)n);
        compare(&sides[0], &sides[1], &c);
        const struct compare_row *r = compare_find(&c, "M0");
        assert_int_equal(r->verdict, n == 1 ? VERDICT_IMPROVED : VERDICT_UNSURE);
        if (n > 1) { /* 60 values had a z of 2.33; 3.01 is wanted of the second of 20 */
            const double times = normal_quantile(.05 / 19) / normal_quantile(.02);
            assert_true(fabs(r->needed - 60 * times * times) <= 1);
            assert_ptr_equal(compare_largest_unsure(&c), r);
        }
        assert_int_equal(c.n_verdict[VERDICT_REGRESSED], n > 1);
        for (size_t i = 0; i < c.n_row; i++) { /* ± and verdict say the same */
            const struct compare_row *each = &c.row[i];
            assert_int_equal(fabs(each->delta) > each->err, compare_is_sure(each));
            assert_true(compare_err_alone(&c, each) == compare_err_alone(&c, &c.row[0]));
        }
        assert_true(same_number(r->err,
                                compare_err_alone(&c, r) *
                                    student_quantile(1 - .05 / (n > 1 ? 19 : 1), 100) /
                                    student_quantile(.95, 100),
                                1e-9));
        compare_free(&c);
    }
}

/* What adds up with time is compared over the same time. */
static void totals(void **state) {
    (void)state;
    struct made sides[2];
    struct comparison c;
    const struct given a = {"Info_Inst_Mix_Instructions", false, false, 6e9, 1e5};
    const struct given b = {"Info_Inst_Mix_Instructions", false, false, 22e9, 1e5};
    make(&sides[0], "a", "spr", &a, 1);
    make(&sides[1], "b", "spr", &b, 1);
    sides[0].node[0].m.mean = 1e8; /* of 60 intervals */
    sides[1].node[0].m.mean = 1.1e8;
    sides[1].node[0].m.n = 200;
    sides[1].side.measured_s = 200;
    sides[0].node[0].total = sides[1].node[0].total = true;
    compare(&sides[0], &sides[1], &c);
    assert_true(c.row[0].total);
    assert_true(same_number(c.row[0].delta, 0.6e9, 1e-9));
    assert_true(same_number(c.row[0].relative, 0.1, 1e-9));
    assert_int_equal(c.row[0].verdict, VERDICT_CHANGED);
    /* Both sides' error is 60 times that of an interval. */
    assert_true(same_number(c.row[0].err, 60 * 1.41421356e5 * student_quantile(0.95, 100), 1e-6));
    compare_free(&c);
}

/* A side of 0 is a sum as well: that is said, not guessed from the numbers. */
static void totals_of_nothing(void **state) {
    (void)state;
    const struct given none = {"l3_misses", false, false, 0, 0};
    const struct given some = {"l3_misses", false, false, 6e9, 1e6};
    for (int i = 0; i < 2; i++) {
        struct made sides[2];
        struct comparison c;
        make(&sides[0], "a", "zen5", i ? &some : &none, 1);
        make(&sides[1], "b", "zen5", i ? &none : &some, 1);
        sides[0].node[0].total = sides[1].node[0].total = true;
        sides[0].node[0].better = sides[1].node[0].better = 0;
        sides[i ? 0 : 1].node[0].m.mean = 1e8;
        sides[1].side.measured_s = 30; /* half of a's */
        compare(&sides[0], &sides[1], &c);
        assert_true(c.row[0].total);
        assert_true(same_number(c.row[0].delta, i ? -6e9 : 12e9, 1e-9));
        assert_true(
            same_number(c.row[0].err, (i ? 1 : 2) * 60e6 * student_quantile(0.95, 50), 1e-6));
        assert_int_equal(c.row[0].verdict, VERDICT_CHANGED);
        compare_free(&c);
    }
}

/* Where runs are the samples, their number is not what a sum is scaled by. */
static void totals_of_runs(void **state) {
    (void)state;
    const struct given a = {"l3_misses", false, false, 6e9, 1e6};
    const struct given b = {"l3_misses", false, false, 7e9, 1e6};
    struct made sides[2];
    struct comparison c;
    make(&sides[0], "a", "zen5", &a, 1);
    make(&sides[1], "b", "zen5", &b, 1);
    for (int i = 0; i < 2; i++) {
        sides[i].node[0].total = true;
        sides[i].node[0].m.n = 3;
    }
    compare(&sides[0], &sides[1], &c);
    assert_true(same_number(c.row[0].err, 1.41421356e6 * student_quantile(0.95, 100), 1e-6));
    assert_int_equal(c.row[0].a->m.n, 3);
    compare_free(&c);
}

/* What is unknown on one side says why; so does what neither knows. */
static void reasons(void **state) {
    (void)state;
    static const struct given a[] = {
        {"L1", true, false, .2, .01}, {"L2", true, false, .2, .01}, {"L3", true, false, NAN, NAN}};
    static const struct given b[] = {{"L1", true, false, NAN, NAN}, {"L3", true, false, NAN, NAN}};
    static char why[] = "LOADS: not in the recording";
    struct made sides[2];
    struct comparison c;
    struct gate g;
    make(&sides[0], "a", "spr", a, 3);
    make(&sides[1], "b", "spr", b, 2);
    sides[1].node[0].reason = sides[0].node[2].reason = why;
    compare(&sides[0], &sides[1], &c);
    assert_int_equal(c.n_verdict[VERDICT_ONLY_A], 2);
    assert_string_equal(compare_find(&c, "L1")->reason, why);
    assert_string_equal(compare_find(&c, "L2")->reason, "");
    assert_null(compare_find(&c, "L3"));
    assert_string_equal(compare_unknown(&c, "l3"), why);
    assert_null(compare_unknown(&c, "L4"));
    assert_int_equal(gate_parse("l1:+5", &g, NULL), 0);
    assert_string_equal(gate_check(&g, &c).words, "l1: not known on both sides (l1 is only in A): "
                                                  "LOADS: not in the recording");
    assert_int_equal(gate_parse("L3:+5", &g, NULL), 0);
    assert_string_equal(gate_check(&g, &c).words,
                        "L3: not known on both sides: LOADS: not in the recording");
    compare_free(&c);
}

/* Of two numbers without an interval, or of one that was stored without a standard error. */
static void little_is_known(void **state) {
    (void)state;
    const struct given a = {"Backend_Bound", true, false, .2, NAN},
                       b = {"Backend_Bound", true, false, .9, NAN};
    for (int with_sd = 0; with_sd < 2; with_sd++) {
        struct made sides[2];
        struct comparison c;
        make(&sides[0], "a", "spr", &a, 1);
        make(&sides[1], "b", "spr", &b, 1);
        sides[0].node[0].m.sd = sides[1].node[0].m.sd = with_sd ? 0.2 : (double)NAN;
        compare(&sides[0], &sides[1], &c);
        const struct compare_row *r = &c.row[0];
        assert_true(r->verdict == VERDICT_UNSURE && isnan(r->needed) == !with_sd);
        if (with_sd) /* .2 sqrt(2) times t of 2 degrees, but a share cannot be further off than 1 */
            assert_true(r->err == 1.0 && r->p > 0.05);
        else
            assert_true(isnan(r->err) && isnan(r->p) && !compare_largest_unsure(&c));
        compare_free(&c);
    }
}

/* Five points of all slots are not called noise; how much longer B alone must be, if that helps. */
static void what_is_open(void **state) {
    (void)state;
    static const struct {
        const char *what, *path;
        double b, se_a, se_b;
        enum verdict verdict;
        bool helps;
    } cases[] = {
        {"a small part of level 1", "Backend_Bound", .22, .05, .05, VERDICT_NOISE, false},
        {"a large part", "Backend_Bound", .30, .10, .10, VERDICT_UNSURE, false},
        {"a large part below level 1", "Backend_Bound.Core_Bound", .30, .10, .10, VERDICT_NOISE,
         false},
        {"B is what is not known", "Backend_Bound", .30, .001, .06, VERDICT_UNSURE, true},
        {"A is", "Backend_Bound", .30, .06, .001, VERDICT_UNSURE, false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct given a = {cases[i].path, true, false, .2, cases[i].se_a},
                           b = {cases[i].path, true, false, cases[i].b, cases[i].se_b};
        struct made sides[2];
        struct comparison c;
        make(&sides[0], "a", "spr", &a, 1);
        make(&sides[1], "b", "spr", &b, 1);
        compare(&sides[0], &sides[1], &c);
        const struct compare_row *r = &c.row[0];
        if (r->verdict != cases[i].verdict ||
            (r->verdict == VERDICT_UNSURE && isfinite(r->needed_of_b) != cases[i].helps))
            fail_msg("%s: %s, %g more of B", cases[i].what, verdict_name(r->verdict),
                     r->needed_of_b);
        compare_free(&c);
    }
}

static void order_and_leads(void **state) {
    (void)state;
    static const struct given a[] = {
        {"Frontend_Bound", true, false, .20, .001},
        {"Backend_Bound", true, false, .40, .001},
        {"Backend_Bound.Core_Bound", true, false, .10, .001},
        {"Backend_Bound.Memory_Bound", true, false, .30, .001},
        {"Backend_Bound.Memory_Bound.L3_Bound", true, false, .10, .001},
        {"Backend_Bound.Memory_Bound.DRAM_Bound", true, false, .10, .001},
        {"Retiring", true, true, .40, .001},
        {"Old", false, false, 1, .1},
        {"Late", false, false, 1, NAN},
        {"Gone", false, false, NAN, NAN},
    };
    static const struct given b[] = {
        {"FRONTEND_BOUND", true, false, .201, .001},
        {"Backend_Bound", true, false, .50, .001},
        {"Backend_Bound.Core_Bound", true, false, .12, .001},
        {"Backend_Bound.Memory_Bound", true, false, .38, .001},
        {"Backend_Bound.Memory_Bound.L3_Bound", true, false, .115, .001},
        {"Backend_Bound.Memory_Bound.DRAM_Bound", true, false, .17, .001},
        {"Retiring", true, true, .31, .001},
        {"New", false, false, 1, .1},
        {"Late", false, false, 1.5, NAN},
        {"Gone", false, false, NAN, NAN},
    };
    static const struct {
        const char *name;
        enum verdict verdict;
        bool leads;
    } want[] = {
        {"Backend_Bound", VERDICT_REGRESSED, false},
        {"Retiring", VERDICT_REGRESSED, true},
        {"Memory_Bound", VERDICT_REGRESSED, false},
        {"DRAM_Bound", VERDICT_REGRESSED, true},
        {"Core_Bound", VERDICT_REGRESSED, true},
        {"L3_Bound", VERDICT_REGRESSED, false}, /* the fourth */
        {"Late", VERDICT_UNSURE, false},
        {"Old", VERDICT_ONLY_A, false},
        {"New", VERDICT_ONLY_B, false},
        {"Frontend_Bound", VERDICT_NOISE, false},
    };
    struct made sides[2];
    struct comparison c;
    make(&sides[0], "a", "spr", a, COUNT_OF(a));
    make(&sides[1], "b", "spr", b, COUNT_OF(b));
    compare(&sides[0], &sides[1], &c);
    assert_int_equal(c.n_row, COUNT_OF(want));
    for (size_t i = 0; i < COUNT_OF(want); i++) {
        const struct compare_row *r = &c.row[i];
        const char *name = r->a ? r->a->name : r->b->name;
        if (strcmp(name, want[i].name) != 0 || r->verdict != want[i].verdict ||
            r->leads != want[i].leads)
            fail_msg("row %zu: %s %s%s", i, name, verdict_name(r->verdict),
                     r->leads ? " leads" : "");
    }
    assert_string_equal(c.shared, "");
    compare_free(&c);
}

static void counts(void **state) {
    (void)state;
    static const struct given a[] = {{"IPC", false, true, 2.0, .01},
                                     {"GHz", false, true, 3.0, .01},
                                     {"CPUs_Utilized", false, false, 1.5, .01},
                                     {"Info_Thread_SLOTS", false, false, 6e12, .01}};
    struct made sides[2];
    struct comparison c;
    make(&sides[0], "a", "spr", a, 4);
    make(&sides[1], "b", "spr", a, 1);
    sides[0].node[3].total = true;
    compare(&sides[0], &sides[1], &c);
    assert_true(same_number(c.counts.instructions_a, 9e9, 1e-12));
    assert_true(c.counts.cpi_a == 0.5 && c.counts.cpi_b == 0.5);
    assert_true(same_number(c.counts.slots_a, 1e11, 1e-12));
    assert_true(isnan(c.counts.instructions_b) && isnan(c.counts.slots_b));
    compare_free(&c);
    sides[0].node[3].total = false; /* a mean: what it is per second is not known */
    compare(&sides[0], &sides[1], &c);
    assert_true(isnan(c.counts.slots_a));
    compare_free(&c);
}

static void different_models(void **state) {
    (void)state;
    static const struct given a[] = {{"Frontend_Bound", true, false, .2, .01},
                                     {"Retiring", true, true, .2, .01},
                                     {"Retiring.Light_Operations", true, true, .2, .01},
                                     {"L3_Bound", false, false, .2, .01},
                                     {"IPC", false, true, 2, .01}};
    static const struct given b[] = {{"Frontend_Bound", true, false, .2, .01},
                                     {"Retiring", true, true, .2, .01},
                                     {"Retiring.Light_Operations", true, true, .2, .01},
                                     {"L3_Bound", true, false, .2, .01},
                                     {"IPC", false, true, 2, .01}};
    static const struct given other = {"User", true, true, .2, .01};
    struct made sides[2];
    struct comparison c;
    make(&sides[0], "a", "spr", a, COUNT_OF(a));
    make(&sides[1], "b", "zen5", b, COUNT_OF(b));
    compare(&sides[0], &sides[1], &c);
    assert_string_equal(c.shared,
                        "the models differ (spr, zen5): compared are level 1 (2 nodes), level 2 "
                        "(1 node), 1 metric beside the tree; the same name need not be the same "
                        "formula");
    assert_int_equal(c.n_row, 6); /* L3_Bound of each side by itself */
    assert_int_equal(c.n_verdict[VERDICT_ONLY_A] + c.n_verdict[VERDICT_ONLY_B], 2);
    compare_free(&c);
    make(&sides[1], "b", "software", &other, 1);
    compare(&sides[0], &sides[1], &c);
    assert_string_equal(c.shared,
                        "the models differ (spr, software): they share no metric that both know");
    assert_int_equal(c.n_row, 6);
    compare_free(&c);
}

static void nothing_at_all(void **state) {
    (void)state;
    struct made sides[2];
    struct comparison c;
    make(&sides[0], "a", "", NULL, 0);
    make(&sides[1], "b", "", NULL, 0);
    compare(&sides[0], &sides[1], &c);
    assert_int_equal(c.n_row, 0);
    compare_free(&c);
    compare_free(&c);
}

/* ---- gates ---- */

static void gates_are_read(void **state) {
    (void)state;
    static const struct {
        const char *text, *name;
        double limit;
        bool relative;
        const char *words;
    } cases[] = {
        {"Backend_Bound:+2", "Backend_Bound", 2, false, NULL},
        {"IPC:-5%", "IPC", -0.05, true, NULL},
        {"a:b:+0.5", "a:b", 0.5, false, NULL},
        {"IPC", NULL, 0, 0, "condition 'IPC': it has no ':'; write METRIC:+2"},
        {":+2", NULL, 0, 0, "names no metric"},
        {"IPC:5", NULL, 0, 0, "no signed number"},
        {"IPC:+", NULL, 0, 0, "no signed number"},
        {"IPC:+0", NULL, 0, 0, "no signed number"},
        {"IPC:+2x", NULL, 0, 0, "no signed number"},
        {"IPC:+2%%", NULL, 0, 0, "no signed number"},
        {"IPC:+inf", NULL, 0, 0, "no signed number"},
        {"", NULL, 0, 0, "it has no ':'"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct gate g;
        struct err err = {0};
        const int rc = gate_parse(cases[i].text, &g, &err);
        assert_int_equal(rc, cases[i].words ? -EINVAL : 0);
        if (cases[i].words && !strstr(err.text, cases[i].words))
            fail_msg("%s: %s", cases[i].text, err.text);
        if (cases[i].words)
            continue;
        assert_string_equal(g.name, cases[i].name);
        assert_true(same_number(g.limit, cases[i].limit, 1e-12) && g.relative == cases[i].relative);
    }
}

/* Within the limit: does what is not known of the change reach it? */
static void gates_that_are_near(void **state) {
    (void)state;
    static const struct given a[] = {{"IPC", false, true, 2.0, .01},
                                     {"Few", false, false, 100, NAN}};
    static const struct given b[] = {{"IPC", false, true, 1.95, .01},
                                     {"Few", false, false, 101, NAN}};
    static const struct {
        const char *text;
        bool near;
    } cases[] = {
        {"IPC:-5%", false}, {"IPC:-3.5%", true}, /* -2.5 ± 1.4% */
        {"IPC:-1%", false},                      /* beyond it */
        {"IPC:+1%", false}, {"Few:+80%", true},  {"None:+5%", false},
    };
    struct made sides[2];
    struct comparison c;
    make(&sides[0], "a", "spr", a, COUNT_OF(a));
    make(&sides[1], "b", "spr", b, COUNT_OF(b));
    compare(&sides[0], &sides[1], &c);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct gate g;
        assert_int_equal(gate_parse(cases[i].text, &g, NULL), 0);
        const struct gate_result got = gate_check(&g, &c);
        if (got.near != cases[i].near)
            fail_msg("%s: %s", cases[i].text, got.words);
    }
    compare_free(&c);
}

static void gates_are_checked(void **state) {
    (void)state;
    static const struct given a[] = {{"Backend_Bound", true, false, .21, .002},
                                     {"IPC", false, true, 2.0, .01},
                                     {"Wide", false, false, 100, 30},
                                     {"Few", false, false, 100, NAN},
                                     {"Zero", false, false, 0, .1},
                                     {"Same", false, false, 100, 0}};
    static const struct given b[] = {{"Backend_Bound", true, false, .244, .002},
                                     {"IPC", false, true, 1.95, .01},
                                     {"Wide", false, false, 150, 30},
                                     {"Few", false, false, 150, NAN},
                                     {"Zero", false, false, 1, .1},
                                     {"Same", false, false, 150, 0}};
    static const struct {
        const char *text;
        bool failed, unsure, missing;
        const char *words;
    } cases[] = {
        {"backend_bound:+2", 1, 0, 0,
         "Backend_Bound: +3.4 ± 0.56 points (from 21.0% to 24.4%): beyond the limit of +2"},
        {"Backend_Bound:+5", 0, 0, 0, "within the limit of +5"},
        {"Backend_Bound:-1", 0, 0, 0, "within the limit of -1"},
        {"Backend_Bound:+10%", 1, 0, 0,
         "+16.2 ± 2.7% (from 21.0% to 24.4%): beyond the limit of +10%"},
        {"IPC:-5%", 0, 0, 0, "IPC: -2.5 ± 1.4% (from 2 to 1.95): within the limit of -5%"},
        {"IPC:-2%", 1, 0, 0, "beyond the limit of -2%"},
        {"IPC:-0.04", 1, 0, 0, "beyond the limit of -0.04"},
        {"Wide:+20%", 0, 1, 0, "beyond the limit of +20%, but that may be chance: measure longer"},
        {"Few:+20%", 0, 1, 0, "but there is not enough data to tell: measure longer"},
        {"Few:+80%", 0, 0, 0, "within the limit"},
        {"Zero:+5%", 0, 0, 1, "Zero: it was 0, of which there is no percentage"},
        {"Zero:+0.5", 1, 0, 0, "beyond the limit of +0.5"},
        {"None:+5%", 0, 0, 1, "None: not known on both sides; tdtop compare lists what is"},
        {"None|IPC:-2%", 1, 0, 0, "IPC: "},
        {"Same:+1%", 1, 0, 0, "Same: +50 ± 0% (from 100 to 150): beyond the limit of +1%"},
        {"elapsed:+5%", 0, 1, 0, "elapsed: +10% (from 60 s to 66 s): beyond the limit of +5%, but"},
        {"Elapsed:+20", 0, 0, 0, "elapsed: +6 s (from 60 s to 66 s): within the limit of +20"},
    };
    struct made sides[2];
    struct comparison c;
    make(&sides[0], "a", "spr", a, COUNT_OF(a));
    make(&sides[1], "b", "spr", b, COUNT_OF(b));
    sides[1].side.measured_s = 66;
    sides[0].side.ran_through = sides[1].side.ran_through = true;
    compare(&sides[0], &sides[1], &c);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct gate g;
        struct err err = {0};
        if (gate_parse(cases[i].text, &g, &err) < 0)
            fail_msg("%s", err.text);
        const struct gate_result got = gate_check(&g, &c);
        if (got.failed != cases[i].failed || got.unsure != cases[i].unsure ||
            got.missing != cases[i].missing || !strstr(got.words, cases[i].words))
            fail_msg("%s: %d %d %d %s", cases[i].text, got.failed, got.unsure, got.missing,
                     got.words);
    }
    compare_free(&c);
}

/* How long was measured is how long -d said, where no command ended by itself. */
static void elapsed_needs_commands(void **state) {
    (void)state;
    struct made sides[2];
    struct gate g;
    assert_int_equal(gate_parse("elapsed:+5%", &g, NULL), 0);
    for (int i = 0; i < 3; i++) {
        struct comparison c;
        make(&sides[0], "a", "spr", NULL, 0);
        make(&sides[1], "b", "spr", NULL, 0);
        sides[1].side.measured_s = 120;
        sides[0].side.ran_through = i == 1;
        sides[1].side.ran_through = i == 2;
        compare(&sides[0], &sides[1], &c);
        const struct gate_result got = gate_check(&g, &c);
        assert_true(got.missing && !got.failed && !got.unsure);
        assert_non_null(strstr(got.words, "not measured of a command that ended by itself"));
        compare_free(&c);
    }
}

/* A p of 0.02 fails one condition, but not one of four; 0.004 and 0.016 are what two of four need
 * to be below: 0.05 / 4, 0.05 / 3. */
static void gates_are_corrected(void **state) {
    (void)state;
    static const struct {
        double p[4];
        int n;
        int failed;
    } cases[] = {
        {{.02}, 1, 1},
        {{.02, .9, .9, .9}, 4, 0},
        {{.004, .9, .9, .9}, 4, 1},
        {{.016, .004, .9, .9}, 4, 2},
        {{.018, .004, .9, .9}, 4, 1},
        {{.04, .02, .012, .012}, 4, 4},
        {{.04, .02, .012, .012}, 3, 1 + 1 + 1},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct given a[4], b[4];
        static const char *const names[] = {"M0", "M1", "M2", "M3"};
        struct gate_result got[4], *all[4];
        struct made sides[2];
        struct comparison c;
        for (int k = 0; k < cases[i].n; k++) {
            a[k] = b[k] = (struct given){names[k], false, false, 10, 0.1};
            b[k].v += 0.1 * 1.41421356 * student_quantile(1 - cases[i].p[k], 100);
        }
        make(&sides[0], "a", "m", a, (size_t)cases[i].n);
        make(&sides[1], "b", "m", b, (size_t)cases[i].n);
        compare(&sides[0], &sides[1], &c);
        for (int k = 0; k < cases[i].n; k++) {
            char text[32];
            struct gate g;
            snprintf(text, sizeof(text), "%s:+0.001", names[k]);
            assert_int_equal(gate_parse(text, &g, NULL), 0);
            got[k] = gate_check(&g, &c);
            all[k] = &got[k];
        }
        assert_int_equal(gate_correct(all, (size_t)cases[i].n, 0.95), 0);
        int failed = 0;
        for (int k = 0; k < cases[i].n; k++) {
            failed += got[k].failed;
            assert_true(got[k].failed != got[k].unsure);
            assert_true(!strstr(got[k].words, "conditions one may come so far by chance") ||
                        got[k].unsure);
        }
        if (failed != cases[i].failed)
            fail_msg("%zu: %d failed", i, failed);
        compare_free(&c);
    }
}

/* Each condition of a preset means some metric of most of the built-in models. */
static void presets(void **state) {
    (void)state;
    size_t n;
    assert_null(gate_preset("none", &n));
    assert_int_equal(n, 0);
    for (const char *const *name = gate_presets; *name; name++) {
        const struct gate *g = gate_preset(*name, &n);
        assert_non_null(g);
        for (size_t i = 0; i < n; i++) {
            if (!strcmp(g[i].name, "elapsed"))
                continue;
            char names[GATE_NAME];
            snprintf(names, sizeof(names), "%s", g[i].name);
            for (char *one = strtok(names, "|"); one; one = strtok(NULL, "|")) {
                int models = 0;
                for (const struct embedded *e = embedded_models; e->name; e++)
                    models += strstr(e->text, one) != NULL;
                if (models == 0)
                    fail_msg("%s: no model has %s", *name, one);
            }
        }
    }
    const struct gate *g = gate_preset("Tutorial", &n);
    assert_int_equal(n, 4);
    assert_true(g[0].limit == 0.05 && g[1].limit == 0.20 && g[2].limit == -0.10 &&
                g[3].limit == 0.15);
}

/* ---- what verdicts are worth: more of it in tests/bench/bench_compare.c ---- */

/* Arithmetic of one thread, many times: nothing for that sanitizer, and too slow with it. */
static void skip_where_slow(void) {
#ifdef __SANITIZE_THREAD__
    skip();
#endif
}

static void false_alarms(void **state) {
    (void)state;
    skip_where_slow();
    static const struct {
        const char *name;
        struct noise how;
        int n, times;
    } cases[] = {
        {"white", {NOISE_AR1, 0, 0, 0, 0}, 20, 60},
        {"white", {NOISE_AR1, 0, 0, 0, 0}, 60, 100},
        {"white", {NOISE_AR1, 0, 0, 0, 0}, 300, 20},
        {"AR(1) 0.5", {NOISE_AR1, 0.5, 0, 0, 0}, 60, 60},
        {"AR(1) 0.8", {NOISE_AR1, 0.8, 0, 0, 0}, 60, 60},
        {"AR(1) 0.8", {NOISE_AR1, 0.8, 0, 0, 0}, 300, 20},
        {"AR(1) 0.95", {NOISE_AR1, 0.95, 0, 0, 0}, 60, 60},
        {"half AR(1) 0.8", {NOISE_HALF, 0.8, 0, 0, 0}, 30, 300},
        {"AR(1) 0.95", {NOISE_AR1, 0.95, 0, 0, 0}, 300, 20},
        {"phases", {NOISE_PHASES, 0, 27, 8, 0}, 60, 60},
        {"phases", {NOISE_PHASES, 0, 27, 8, 0}, 300, 20},
    };
    int alarms = 0, times = 0;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct noise_score s =
            noise_score(77 + i, &cases[i].how, cases[i].n, 0, 0, cases[i].times);
        if (s.alarms * 20 > s.times)
            fail_msg("%s, %d intervals: %d alarms in %d", cases[i].name, cases[i].n, s.alarms,
                     s.times);
        alarms += s.alarms;
        times += s.times;
    }
    print_message("%d false alarms in %d comparisons\n", alarms, times);
}

/* ---- looked at with every interval ---- */

static void looking_often_finds_nothing_false(void **state) {
    (void)state;
    skip_where_slow();
    static const struct noise white = {NOISE_AR1, 0, 0, 0, 0}, slow = {NOISE_AR1, 0.5, 0, 0, 0},
                              slower = {NOISE_AR1, 0.8, 0, 0, 0};
    const int times = 20, n = 60;
    const int once = noise_looks(31, &white, false, n, n, 0, times).alarms;
    const int often = noise_looks(31, &white, true, n, n, 0, times).alarms +
                      noise_looks(32, &slow, true, n, n, 0, times).alarms +
                      noise_looks(33, &slower, true, n, n, 0, times).alarms;
    print_message("looked at %d times: %d of %d have a false alarm, watched %d of %d\n", n, once,
                  times, often, 3 * times);
    assert_true(often * 20 <= 3 * times);
    assert_true(once > 0);
}

static void a_large_change_is_seen_at_once(void **state) {
    (void)state;
    skip_where_slow();
    static const struct noise white = {NOISE_AR1, 0, 0, 0, 0}, slow = {NOISE_AR1, 0.5, 0, 0, 0};
    const struct noise_looks ten = noise_looks(7, &white, true, 60, 60, 0.20, 40),
                             two = noise_looks(8, &white, true, 60, 60, 0.04, 40),
                             slowly = noise_looks(9, &slow, true, 60, 60, 0.20, 40);
    print_message(
        "found after: 10 sd %.0f (95 in 100: %.0f), 2 sd %.0f, 10 sd of slow noise %.0f\n",
        ten.found, ten.latest, two.found, slowly.found);
    assert_true(ten.latest <= 8 && two.found <= 30 && slowly.found <= 12);
}

/* The time that commands took is judged by itself and comes first; another metric of the same
 * chance is one of many. */
static void elapsed_is_its_own_question(void **state) {
    (void)state;
    struct given a[NODES_MOST], b[NODES_MOST];
    char path[NODES_MOST][TEXT_MOST];
    struct made sides[2];
    struct comparison c;
    const struct compare_options opt = compare_defaults();
    for (int i = 0; i < NODES_MOST; i++) {
        snprintf(path[i], TEXT_MOST, "Other_%d", i);
        a[i] = b[i] = (struct given){path[i], false, false, 1.0, .03};
    }
    snprintf(path[7], TEXT_MOST, RUN_ELAPSED);
    b[7].v = b[9].v = 1.12; /* 2.8 standard errors of the difference */
    make(&sides[0], "a", "m", a, NODES_MOST);
    make(&sides[1], "b", "m", b, NODES_MOST);
    assert_int_equal(compare_sides(&sides[0].side, &sides[1].side, &opt, &c, NULL), 0);
    assert_string_equal(c.row[0].a->path, RUN_ELAPSED);
    assert_true(c.row[0].verdict == VERDICT_CHANGED || c.row[0].verdict == VERDICT_REGRESSED);
    assert_int_equal(compare_find(&c, "Other_9")->verdict, VERDICT_UNSURE);
    compare_free(&c);
}

/* The bound and the chance are the same thing seen from two sides. */
static void watched_bounds(void **state) {
    (void)state;
    struct compare_options opt = compare_defaults();
    struct given a = {"IPC", false, true, 2.0, .03}, b = {"IPC", false, true, 2.0, .04};
    struct made sides[2];
    struct comparison c;
    opt.watched = true;
    make(&sides[0], "a", "m", &a, 1);
    make(&sides[1], "b", "m", &b, 1);
    assert_int_equal(compare_sides(&sides[0].side, &sides[1].side, &opt, &c, NULL), 0);
    const double err = c.row[0].err;
    compare_free(&c);
    assert_true(err > 0.05 * student_quantile(0.95, 92.7));
    for (int i = 0; i < 2; i++) {
        b.v = 2.0 + err * (i ? 1.0001 : 0.9999);
        make(&sides[1], "b", "m", &b, 1);
        assert_int_equal(compare_sides(&sides[0].side, &sides[1].side, &opt, &c, NULL), 0);
        assert_true((c.row[0].p < 0.05) == (i == 1) && fabs(c.row[0].p - 0.05) < 1e-4);
        compare_free(&c);
    }
}

/* What the data allow (tests/bench/bench_compare.c statistics has all of it). */
static void a_change_is_found(void **state) {
    (void)state;
    skip_where_slow();
    static const struct {
        const char *name;
        struct noise how;
        int n;
        double change, least; /* part of 60 */
        double wide;          /* of the ideal; 0: not asked */
    } cases[] = {
        {"white", {NOISE_AR1, 0, 0, 0, 0}, 20, 0.04, 0.80, 2},
        {"white", {NOISE_AR1, 0, 0, 0, 0}, 30, 0.04, 0.95, 2},
        {"AR(1) 0.5", {NOISE_AR1, 0.5, 0, 0, 0}, 30, 0.10, 0.80, 2},
        {"AR(1) 0.5", {NOISE_AR1, 0.5, 0, 0, 0}, 60, 0.04, 0.80, 2},
        {"AR(1) 0.8", {NOISE_AR1, 0.8, 0, 0, 0}, 60, 0.10, 0.55, 3},
        {"one cause, white", {NOISE_ONE, 0, 0, 0, 0}, 60, 0.03, 0.80, 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct noise_score s =
            noise_score(5, &cases[i].how, cases[i].n, cases[i].change, 0.01, 60);
        const double wide = s.width / noise_ideal(cases[i].how.phi, cases[i].n);
        if (s.found < cases[i].least * s.times || (cases[i].wide > 0 && wide > cases[i].wide))
            fail_msg("%s, %d: found %d of %d, intervals %.2f times the ideal", cases[i].name,
                     cases[i].n, s.found, s.times, wide);
    }
}

/* The demo with other noise at the same time of its phases is the same program. */
static void the_demo_is_the_demo(void **state) {
    (void)state;
    struct model m;
    struct err err = {0};
    if (model_open(&m, "spr", NULL, &err) < 0)
        fail_msg("%s", err.text);
    for (uint64_t i = 0; i < 6; i++) {
        struct run a, b;
        struct comparison c;
        const struct compare_options opt = compare_defaults();
        const int n = i < 4 ? 60 : 600;
        sim_run(&a, &m, 2 * i + 1, 2, 20, n);
        sim_run(&b, &m, 2 * i + 2, 2, 20, n);
        const struct compare_side sa = compare_side_of(&a), sb = compare_side_of(&b);
        assert_int_equal(compare_sides(&sa, &sb, &opt, &c, &err), 0);
        for (size_t k = 0; k < c.n_row; k++)
            if (noise_is_alarm(c.row[k].verdict))
                fail_msg("%d intervals: %s %s", n, c.row[k].a->name,
                         verdict_name(c.row[k].verdict));
        assert_true(c.n_row > 15);
        compare_free(&c);
        run_free(&a);
        run_free(&b);
    }
    model_free(&m);
}

/* Two phases of the demo are two programs: 27 intervals within each. */
static void another_phase_is_another_program(void **state) {
    (void)state;
    struct model m;
    struct run a, b;
    struct comparison c;
    struct err err = {0};
    const struct compare_options opt = compare_defaults();
    if (model_open(&m, "spr", NULL, &err) < 0)
        fail_msg("%s", err.text);
    sim_run(&a, &m, 1, 2, 22, 27); /* Redis */
    sim_run(&b, &m, 2, 2, 52, 27); /* its working set outgrows L3 */
    const struct compare_side sa = compare_side_of(&a), sb = compare_side_of(&b);
    assert_int_equal(compare_sides(&sa, &sb, &opt, &c, &err), 0);
    const struct compare_row *r = compare_find(&c, "Backend_Bound");
    assert_true(r && r->delta > 0.3);
    assert_true(r->verdict == VERDICT_REGRESSED || r->verdict == VERDICT_UNSURE);
    compare_free(&c);
    run_free(&a);
    run_free(&b);
    model_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_metric),
        cmocka_unit_test(percent_is_in_points),
        cmocka_unit_test(welch),
        cmocka_unit_test(one_among_many),
        cmocka_unit_test(totals),
        cmocka_unit_test(totals_of_nothing),
        cmocka_unit_test(totals_of_runs),
        cmocka_unit_test(reasons),
        cmocka_unit_test(little_is_known),
        cmocka_unit_test(what_is_open),
        cmocka_unit_test(order_and_leads),
        cmocka_unit_test(counts),
        cmocka_unit_test(different_models),
        cmocka_unit_test(nothing_at_all),
        cmocka_unit_test(gates_are_read),
        cmocka_unit_test(gates_are_checked),
        cmocka_unit_test(gates_that_are_near),
        cmocka_unit_test(elapsed_needs_commands),
        cmocka_unit_test(gates_are_corrected),
        cmocka_unit_test(presets),
        cmocka_unit_test(watched_bounds),
        cmocka_unit_test(looking_often_finds_nothing_false),
        cmocka_unit_test(a_large_change_is_seen_at_once),
        cmocka_unit_test(elapsed_is_its_own_question),
        cmocka_unit_test(false_alarms),
        cmocka_unit_test(a_change_is_found),
        cmocka_unit_test(the_demo_is_the_demo),
        cmocka_unit_test(another_phase_is_another_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
