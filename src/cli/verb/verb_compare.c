/*
 * `tdtop compare`: what really changed between two runs, or two sets of runs; and a gate for
 * scripts. Exit: 0 ok; 1 a condition of --fail-on failed; 2 an error, or a condition that cannot be
 * judged.
 */
#include "base/str.h"
#include "cli/verb/compare_view.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- options ---- */

/* "1", "2%", "1,2%". */
static int set_least(const char *text, struct compare_options *o, struct err *err) {
    for (const char *at = text; at;) {
        char *end;
        const double v = strtod(at, &end);
        const bool percent = *end == '%';
        if (end == at || !(v > 0) || !isfinite(v) || (end[percent] && end[percent] != ','))
            return err_set(err, -EINVAL,
                           "--least %s: it takes points of shares (1), a percentage of everything "
                           "else (2%%), or both (1,2%%), more than 0",
                           text);
        *(percent ? &o->least_relative : &o->least_points) = v / 100;
        at = end[percent] ? end + percent + 1 : NULL;
    }
    return 0;
}

static int set_options(struct compare_view *v, struct err *err) {
    const struct args *a = v->a;
    v->opt = compare_defaults();
    v->opt.question = a->by;
    if (!isnan(a->confidence))
        v->opt.confidence = a->confidence / 100;
    if (v->opt.confidence >= 1)
        return err_set(err, -EINVAL, "--confidence 100: nothing is that sure; give less, 99.9");
    return a->least ? set_least(a->least, &v->opt, err) : 0;
}

/* ---- conditions ---- */

static int add_gate(struct compare_view *v, const struct gate *g, bool preset, struct err *err) {
    struct gate_line line = {.result = {.gate = *g}, .preset = preset};
    return array_push(&v->gate, line) == 0 ? 0 : err_set(err, -ENOMEM, "compare: out of memory");
}

static int add_preset(struct compare_view *v, const char *name, struct err *err) {
    size_t n;
    char names[128];
    const struct gate *g = gate_preset(name, &n);
    struct strbuf sb = strbuf_on(names, sizeof(names));
    for (int i = 0; gate_presets[i]; i++)
        strbuf_add(&sb, "%s%s", i ? ", " : "", gate_presets[i]);
    int rc =
        g ? 0 : err_set(err, -EINVAL, "--preset %s: no such preset; there are %s", name, names);
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = add_gate(v, &g[i], true, err);
    return rc;
}

static int read_gates(struct compare_view *v, struct err *err) {
    const struct args *a = v->a;
    int rc = a->preset ? add_preset(v, a->preset, err) : 0;
    for (int i = 0; i < a->fail_on.n && rc == 0; i++) {
        struct gate g;
        if ((rc = gate_parse(a->fail_on.at[i], &g, err)) < 0)
            err_prefix(err, "--fail-on");
        else
            rc = add_gate(v, &g, false, err);
    }
    return rc;
}

/*
 * Within the limit, of values that do not tell so small a change: that is no answer either. What
 * a preset names and this model does not have is left out.
 */
static enum gate_state state_of(const struct gate_line *g) {
    const struct gate_result *r = &g->result;
    if (r->missing)
        return g->preset ? GATE_SKIPPED : GATE_UNCLEAR;
    if (r->failed)
        return GATE_FAILED;
    return r->unsure || (r->near && r->coarse) ? GATE_UNCLEAR : GATE_OK;
}

static int judge_gates(struct compare_view *v) {
    struct gate_result **all = calloc(v->gate.n + 1, sizeof(struct gate_result *));
    for (size_t i = 0; all && i < v->gate.n; i++) {
        all[i] = &v->gate.at[i].result;
        *all[i] = gate_check(&all[i]->gate, &v->c);
    }
    const int rc = all ? gate_correct(all, v->gate.n, v->c.confidence) : -ENOMEM;
    free(all);
    return rc;
}

static void check_gate(struct compare_view *v, struct gate_line *g) {
    g->state = state_of(g);
    v->n_gate[g->state]++;
    const struct gate_result *r = &g->result;
    if (g->state == GATE_UNCLEAR && !r->missing && !r->unsure) {
        const size_t n = strlen(r->words);
        snprintf(g->result.words + n, sizeof(g->result.words) - n,
                 ", but a change as large as the limit would not be seen: measure longer, or more "
                 "often");
    }
}

static int check_gates(struct compare_view *v) {
    if (judge_gates(v) < 0) {
        cli_note("compare: out of memory; close other programs");
        return EXIT_UNCLEAR;
    }
    for (size_t i = 0; i < v->gate.n; i++)
        check_gate(v, &v->gate.at[i]);
    const bool unclear = v->n_gate[GATE_UNCLEAR] || v->n_gate[GATE_SKIPPED] == (int)v->gate.n;
    v->result = v->gate.n == 0           ? ""
                : v->n_gate[GATE_FAILED] ? "regressed"
                : unclear                ? "unclear"
                                         : "ok";
    if (v->gate.n == 0)
        return EXIT_OK;
    return v->n_gate[GATE_FAILED] ? EXIT_REGRESSED : unclear ? EXIT_UNCLEAR : EXIT_OK;
}

/* ---- rows ---- */

static int by_name(const void *a, const void *b) {
    const struct compare_row *const *x = a, *const *y = b;
    return strcasecmp(compare_node(*x)->path, compare_node(*y)->path);
}

static void reverse(struct compare_view *v) {
    for (size_t i = 0; i < v->n_row / 2; i++) {
        const struct compare_row *r = v->row[i];
        v->row[i] = v->row[v->n_row - 1 - i];
        v->row[v->n_row - 1 - i] = r;
    }
}

/* The comparison's own order is that of the effect. */
static int sort_rows(struct compare_view *v, struct err *err) {
    const char *key = v->a->sort ? v->a->sort : "effect";
    const bool reversed = key[0] == '-' || str_ends(key, "-");
    const size_t skip = key[0] == '-', n = strlen(key) - reversed;
    const bool name = n == 4 && !strncmp(key + skip, "name", n);
    if (!name && !(n == 6 && !strncmp(key + skip, "effect", n)))
        return err_set(err, -EINVAL, "--sort %s: compare sorts by effect or name", key);
    if (name)
        qsort(v->row, v->n_row, sizeof(*v->row), by_name);
    if (reversed)
        reverse(v);
    return 0;
}

static int choose_rows(struct compare_view *v, struct err *err) {
    const struct text_list *only = &v->a->metrics;
    v->row = calloc(v->c.n_row + (size_t)only->n + 1, sizeof(struct compare_row *));
    if (!v->row)
        return err_set(err, -ENOMEM, "compare: out of memory");
    for (size_t i = 0; i < v->c.n_row && only->n == 0; i++)
        v->row[v->n_row++] = &v->c.row[i];
    for (int i = 0; i < only->n; i++) {
        const struct compare_row *r = compare_find(&v->c, only->at[i]);
        const char *reason = r ? NULL : compare_unknown(&v->c, only->at[i]);
        if (!r)
            return err_set(err, -EINVAL, "--metric %s: neither side %s%s", only->at[i],
                           reason && *reason ? "knows it: " : "has it",
                           reason && *reason ? reason : "");
        v->row[v->n_row++] = r;
    }
    return sort_rows(v, err);
}

/* ---- the verb ---- */

int compare_view_init(struct compare_view *v, const struct args *a, struct err *err) {
    *v = (struct compare_view){.a = a};
    const int rc = set_options(v, err);
    return rc == 0 ? read_gates(v, err) : rc;
}

int compare_view_sides(struct compare_view *v, struct err *err) {
    const struct compare_side a = compare_side_of(&v->side[0].run),
                              b = compare_side_of(&v->side[1].run);
    const int rc = compare_sides(&a, &b, &v->opt, &v->c, err);
    return rc < 0 ? rc : choose_rows(v, err);
}

int compare_view_print(struct compare_view *v) {
    const struct args *a = v->a;
    const int code = check_gates(v);
    const int printed = (a->json       ? compare_print_json
                         : a->csv      ? compare_print_csv
                         : a->markdown ? compare_print_markdown
                                       : compare_print_text)(v);
    return cli_finish(printed) == EXIT_OK ? code : EXIT_UNCLEAR;
}

void compare_view_free(struct compare_view *v) {
    compare_free(&v->c);
    for (int i = 0; i < 2; i++)
        side_free(&v->side[i]);
    free(v->row);
    array_free(&v->gate);
}

int verb_compare(const struct args *a) {
    struct compare_view v;
    struct err err = {0};
    int code = EXIT_UNCLEAR, rc = compare_view_init(&v, a, &err);
    if (rc == 0)
        rc = side_open_all(&v, &err);
    if (rc == 0)
        rc = compare_view_sides(&v, &err);
    if (rc < 0)
        cli_error(&err);
    else
        code = compare_view_print(&v);
    compare_view_free(&v);
    return code;
}
