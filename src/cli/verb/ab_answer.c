/* What the pairs say: the answer, and the comparison as `tdtop compare` prints it. */
#include "base/str.h"
#include "cli/verb/ab.h"
#include "model/run/run.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* ---- one core type ---- */

static void name_sides(const struct ab *ab, int type, struct compare_view *v) {
    for (int i = 0; i < 2; i++) {
        const struct ab_side *from = &ab->side[i];
        struct side *s = &v->side[i];
        s->kind = SIDE_RUNS;
        s->n_run = s->n_matched = ab->n;
        s->n_interval = (i ? &ab->pairs[type].b : &ab->pairs[type].a)->n_interval;
        s->shortest_s = from->shortest_s;
        s->longest_s = from->longest_s;
        snprintf(s->labels, sizeof(s->labels), "ab=%c", from->name);
        for (size_t k = 0; k < ab->n && k < from->id[type].n; k++) {
            struct side_span span = {0}; /* in turns: none overlaps */
            str_copy(span.id, sizeof(span.id), from->id[type].at[k]);
            if (array_push(&s->span, span) < 0)
                return;
        }
    }
}

/* Compares the pairs of a core type. runs is borrowed by v until compare_view_free. */
static int compare_type(struct ab *ab, int type, struct compare_view *v, struct run *difference,
                        struct err *err) {
    struct pairs_runs runs;
    int rc = compare_view_init(v, ab->a, err);
    if (rc == 0 && (rc = pairs_runs(&ab->pairs[type], &runs, err)) == 0) {
        v->side[0].run = runs.a;
        v->side[1].run = runs.b;
        *difference = runs.difference;
        v->opt.pairs = difference;
        for (int i = 0; i < 2 && rc == 0; i++)
            rc = run_set_text(&v->side[i].run.process, ab->side[i].words);
        name_sides(ab, type, v);
        rc = rc == 0 ? compare_view_sides(v, err) : err_set(err, rc, "ab: out of memory");
    }
    return rc;
}

/* ---- words ---- */

/* "elapsed +3.1 % (±0.9 %)". */
static void add_change(struct strbuf *sb, const struct compare_row *by) {
    char delta[64], margin[64];
    strbuf_add(sb, "%s %s", compare_node(by)->name, compare_delta_words(by, delta, sizeof(delta)));
    if (compare_err_words(by, margin, sizeof(margin))[0])
        strbuf_add(sb, " (±%s)", margin);
}

static void add_least(struct strbuf *sb, const struct compare_view *v,
                      const struct compare_row *by) {
    if (compare_point(compare_node(by)) > 0)
        strbuf_add(sb, "%g point%s", v->opt.least_points * 100,
                   v->opt.least_points == 0.01 ? "" : "s");
    else
        strbuf_add(sb, "%g %%", v->opt.least_relative * 100);
}

/* Other load makes a command wait for a CPU: the time that it had one tells more. */
static void add_steadier(struct strbuf *sb, const struct compare_view *v,
                         const struct compare_row *by) {
    const struct compare_row *cpu = compare_find(&v->c, RUN_CPU_TIME);
    char margin[64];
    if (cpu && cpu->a && cpu->b && 3 * cpu->err / cpu->a->value.v < by->err / by->a->value.v)
        strbuf_add(sb, "; --by " RUN_CPU_TIME " is steadier here (±%s)",
                   compare_err_words(cpu, margin, sizeof(margin)));
}

static void say_answer(struct ab_result *out, const struct compare_view *v,
                       const struct compare_row *by, enum pairs_answer answer) {
    struct strbuf sb = strbuf_on(out->words, sizeof(out->words));
    const bool time = by && compare_node(by)->better < 0 && !strcmp(compare_node(by)->unit, "s");
    if (!by) {
        strbuf_add(&sb, "nothing to decide by: level 1 is not known on both sides");
        return;
    }
    if (answer == PAIRS_CHANGED)
        strbuf_add(&sb, "%s: ", !time ? "changed" : by->delta > 0 ? "B is slower" : "B is faster");
    else if (answer == PAIRS_SAME) {
        strbuf_add(&sb, "no change above ");
        add_least(&sb, v, by);
        strbuf_add(&sb, ": ");
    } else {
        strbuf_add(&sb, "not sure: ");
    }
    add_change(&sb, by);
    strbuf_add(&sb, "%s after %zu pair%s", answer == PAIRS_OPEN ? "" : ", sure", out->n,
               out->n == 1 ? "" : "s");
    const double needed = pairs_needed(by, &v->opt, (double)out->n);
    if (answer == PAIRS_OPEN && isfinite(needed) && needed < 1e5)
        strbuf_add(&sb, "; about %.0f would do", needed);
    if (answer == PAIRS_OPEN && by->asked && !v->a->by)
        add_steadier(&sb, v, by);
}

static enum pairs_answer say_type(struct ab *ab, const struct compare_view *v, struct err *err) {
    static const char *const names[] = {"open", "changed", "same"};
    const struct compare_row *by;
    enum pairs_answer answer = pairs_answer(&v->c, &v->opt, &by);
    if (!by && ab->a->by && ab->n > 1) /* what a command took is of two */
        err_set(err, -EINVAL, "--by %s: not known on both sides; elapsed, cpu_time, IPC are",
                ab->a->by);
    if (ab->n < PAIRS_LEAST)
        answer = PAIRS_OPEN;
    ab->result.n = ab->n;
    ab->result.answer = names[answer];
    say_answer(&ab->result, v, by, answer);
    return answer;
}

enum pairs_answer ab_look(struct ab *ab, struct err *err) {
    enum pairs_answer all = PAIRS_SAME;
    for (int i = 0; i < ab->n_type && all != PAIRS_CHANGED; i++) {
        struct compare_view v;
        struct run difference = {0};
        if (compare_type(ab, i, &v, &difference, err) == 0) {
            const enum pairs_answer one = say_type(ab, &v, err);
            all = one == PAIRS_SAME ? all : one;
        }
        run_free(&difference);
        compare_view_free(&v);
        if (err->code)
            return PAIRS_OPEN;
    }
    return all;
}

/* ---- printed ---- */

static int print_type(struct ab *ab, int type) {
    struct compare_view v;
    struct run difference = {0};
    struct err err = {0};
    int code = EXIT_UNCLEAR;
    if (compare_type(ab, type, &v, &difference, &err) == 0) {
        say_type(ab, &v, &err);
        str_copy(ab->result.cores, sizeof(ab->result.cores), ab->cores[type]);
        v.ab = &ab->result;
        code = compare_view_print(&v);
    } else {
        cli_error(&err);
    }
    run_free(&difference);
    compare_view_free(&v);
    return code;
}

int ab_print(struct ab *ab) {
    int code = EXIT_OK;
    for (int i = 0; i < ab->n_type; i++) {
        const int one = print_type(ab, i);
        code = code > one ? code : one;
    }
    return code;
}
