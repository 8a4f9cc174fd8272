/* `tdtop selftest`: does what is measured here agree with what is known? A table of small programs,
 * each measured for a second. */
#include "cli/cli.h"
#include "cli/config/config.h"
#include "cli/file/json_out.h"
#include "selftest/suite.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SELFTEST_CANNOT = 2 }; /* exit code: nothing could be judged */

struct tally {
    int n[VERDICT_SKIPPED + 1];
};

/* ---- rows ---- */

static void print_head(const struct suite *s) {
    printf("# %s\n# CPU %d", s->why_model, s->place.cpu[0]);
    if (s->place.cpu[1] >= 0)
        printf(" and %d", s->place.cpu[1]);
    printf("; caches: L1 %zu kB, L2 %zu kB, last %zu MB\n", s->place.l1d >> 10, s->place.l2 >> 10,
           s->place.l3 >> 20);
    printf("%-8s %-11s %6s %5s  %s\n", "verdict", "kernel", "IPC", "duty", "expected, measured");
    fflush(stdout);
}

static const char *number(char buf[16], double v, int decimals, const char *unit) {
    if (isnan(v))
        return "-";
    snprintf(buf, 16, "%.*f%s", decimals, v, unit);
    return buf;
}

static void print_row(const struct suite_result *r, bool verbose) {
    char ipc[16], duty[16], share[16];
    const struct judgement *said = &r->said;
    const char *first = said->expected[0] ? said->expected : said->why;
    printf("%-8s %-11s %6s %5s  %s\n", judged_name(said->verdict), r->kernel->name,
           number(ipc, r->ipc, 2, ""), number(duty, 100 * (double)r->duty, 0, "%"), first);
    if (said->measured[0])
        printf("%33s  %s\n", "", said->measured);
    if (said->why[0] && first != said->why)
        printf("%33s  %s\n", "", said->why);
    if (verbose && r->rounds)
        printf("%33s  it %s: %llu rounds, %s of a CPU\n", "", r->kernel->what,
               (unsigned long long)r->rounds, number(share, 100 * r->cpu_share, 0, "%"));
    fflush(stdout);
}

static json_t *json_row(const struct suite_result *r) {
    json_t *o =
        json_pack("{ssssssss}", "kernel", r->kernel->name, "verdict", judged_name(r->said.verdict),
                  "expected", r->said.expected, "measured", r->said.measured);
    json_object_set_new(o, "what", json_string(r->kernel->what));
    json_object_set_new(o, "why", json_string(r->said.why));
    json_object_set_new(o, "ipc", json_number(r->ipc));
    json_object_set_new(o, "duty", json_number((double)r->duty));
    json_object_set_new(o, "cpu_share", json_number(r->cpu_share));
    json_object_set_new(o, "rounds", json_integer((json_int_t)r->rounds));
    return o;
}

/* ---- the run ---- */

static void print_json(const struct suite *s, json_t *rows, const struct tally *t) {
    json_t *o = json_pack("{sssssisoss}", "model", s->model.name, "why", s->why_model, "cpu",
                          s->place.cpu[0], "kernels", rows, "version", TDTOP_VERSION);
    for (int v = VERDICT_OK; v <= VERDICT_SKIPPED; v++)
        json_object_set_new(o, judged_name((enum judged)v), json_integer(t->n[v]));
    json_print(o, JSON_INDENT(1));
}

static int exit_of(const struct tally *t) {
    return t->n[VERDICT_NOT] ? EXIT_ERROR : t->n[VERDICT_OK] ? EXIT_OK : SELFTEST_CANNOT;
}

static int run_all(const struct suite *s, const struct args *a, const char *only) {
    struct tally t = {{0}};
    json_t *rows = json_array();
    if (!a->json)
        print_head(s);
    for (size_t i = 0; i < kernel_count; i++) {
        struct suite_result r;
        if (only && strcmp(kernels[i].name, only) != 0)
            continue;
        suite_run(s, &kernels[i], &r);
        t.n[r.said.verdict]++;
        if (a->json)
            json_array_append_new(rows, json_row(&r));
        else
            print_row(&r, a->verbose);
    }
    if (a->json) {
        print_json(s, rows, &t);
    } else {
        printf("# %d ok, %d NOT, %d skipped\n", t.n[VERDICT_OK], t.n[VERDICT_NOT],
               t.n[VERDICT_SKIPPED]);
        json_decref(rows);
    }
    return exit_of(&t);
}

static int say_no_kernel(const char *name) {
    struct err err = {0};
    size_t n = (size_t)snprintf(err.text, sizeof(err.text), "selftest %s: no such kernel;", name);
    for (size_t i = 0; i < kernel_count && n < sizeof(err.text); i++)
        n += (size_t)snprintf(err.text + n, sizeof(err.text) - n, "%s %s", i ? "," : " there are",
                              kernels[i].name);
    cli_error(&err);
    return EXIT_USAGE;
}

int verb_selftest(const struct args *said) {
    struct args a = *said; /* the settings add to it */
    struct config cfg;
    struct suite suite;
    struct err err = {0};
    const char *only = a.n_word ? a.word[0] : NULL;
    if (only && !kernel_find(only))
        return say_no_kernel(only);
    a.here = true; /* the settings of this machine hold */
    int code = SELFTEST_CANNOT;
    if (config_for(&cfg, &a, &err) < 0 ||
        suite_open(&suite, a.core_type, a.model, &a.places, &err) < 0) {
        cli_error(&err);
    } else {
        code = run_all(&suite, &a, only);
        suite_close(&suite);
    }
    config_free(&cfg);
    return code;
}
