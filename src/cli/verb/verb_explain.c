/* `tdtop explain NAME`: one entry of the knowledge base; --all: every one. */
#include "base/str.h"
#include "cli/cli.h"
#include "cli/out/pager.h"
#include "cli/out/wrap.h"
#include "cli/pick.h"
#include "cli/verb/explain_view.h"
#include "cli/verb/models.h"
#include "model/knowledge/explain.h"
#include "model/load/model_index.h"
#include "pmu/host/fallback_find.h"
#include "pmu/host/machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- what there is --- */

static int load_models(struct explain_view *v, struct err *err) {
    size_t n = 0;
    while (embedded_models[n].name)
        n++;
    v->model = calloc(n, sizeof(*v->model));
    if (!v->model)
        return err_set(err, -ENOMEM, "explain: out of memory; free some");
    int rc = 0;
    while (v->n_model < n && rc == 0) {
        rc = model_outline_metrics(&v->model[v->n_model], v->n_model, err);
        v->n_model++;
    }
    return rc;
}

/* Names with their lines: what shells ask for to complete one. */
static bool is_list(const struct args *a) {
    return a->all && !a->json && !a->markdown;
}

/* The model of --model or --cpuid, else of this CPU; without either there are no formulas. */
static int choose(struct explain_view *v, const struct args *a, struct err *err) {
    struct pick p = {0};
    char name[64] = "";
    const int rc = pick_named(&p, a, err);
    if (rc < 0)
        return rc;
    v->wanted = p.name[0] != '\0';
    if (!v->wanted && is_list(a))
        return 0;
    if (!v->wanted) {
        struct machine mc;
        machine_detect(&mc, "");
        struct fallback_wish wish = {"full", mc.id, mc.n_core ? mc.core[mc.chosen].kind : ""};
        if (!mc.id[0] || !fallback_search(&a->places, &wish, name, sizeof(name)))
            return 0;
    }
    const int opened = model_open(&v->chosen_, v->wanted ? p.name : name, &a->places, err);
    if (opened == 0)
        v->chosen = &v->chosen_;
    return opened;
}

static void view_free(struct explain_view *v) {
    for (size_t i = 0; i < v->n_model; i++)
        model_free(&v->model[i]);
    free(v->model);
    if (v->chosen)
        model_free(&v->chosen_);
    explain_free(&v->ex);
}

/* Without a name or a model it is the reference for all of them. A name, and the list of all names,
 * ask for few entries or none: those are read one by one. */
static int load_entries(struct explain_view *v, const struct args *a, struct err *err) {
    const struct model *of = v->wanted || !a->all ? v->chosen : NULL;
    if (!a->all || is_list(a))
        return explain_load_for(&v->ex, of, err);
    const int rc = explain_load(&v->ex, err);
    return rc == 0 && of ? explain_fit(&v->ex, of) : rc;
}

static int view_load(struct explain_view *v, const struct args *a, struct err *err) {
    int rc = is_list(a) ? 0 : load_models(v, err);
    if (rc == 0)
        rc = choose(v, a, err);
    if (rc == 0)
        rc = load_entries(v, a, err);
    return rc == -ENOMEM ? err_set(err, rc, "explain: out of memory; free some") : rc;
}

bool explain_view_has(const struct model *m, const char *name) {
    return model_find(m, name) != METRIC_NONE || models_has_group(m, name);
}

bool explain_view_wants(const struct explain_view *v, const char *name) {
    return !v->wanted || explain_view_has(v->chosen, name);
}

int explain_view_metric(const struct explain_view *v, const struct explain_entry *e) {
    return v->chosen ? model_find(v->chosen, e->name) : METRIC_NONE;
}

/* --- printing --- */

static int print_json(const struct explain_view *v, const struct explain_entry *e) {
    if (e) {
        models_print_json(explain_json(v, e));
        return EXIT_OK;
    }
    json_t *all = json_array();
    for (size_t i = 0; i < v->ex.n; i++)
        if (explain_view_wants(v, v->ex.at[i].name))
            json_array_append_new(all, explain_json(v, &v->ex.at[i]));
    models_print_json(all);
    return EXIT_OK;
}

/* Every name, with its line. */
static void list_all(const struct explain_view *v, FILE *out) {
    const int width = wrap_list_width(stdout);
    for (size_t i = 0; i < explain_n_names(&v->ex); i++) {
        const char *name = explain_name(&v->ex, i);
        char buf[512];
        const char *summary = explain_summary(&v->ex, name, buf, sizeof(buf));
        if (explain_view_wants(v, name))
            wrap_row(out, width, 0, EXPLAIN_NAME_W, name, summary ? summary : "");
    }
}

static int print_text(const struct args *a, const struct explain_view *v,
                      const struct explain_entry *e) {
    struct pager p;
    if (pager_begin(&p) < 0)
        return EXIT_ERROR;
    if (e && a->markdown)
        explain_markdown(v, e, p.out);
    else if (e)
        explain_print(v, e, wrap_width(stdout), p.out);
    else if (a->markdown)
        explain_markdown_all(v, p.out);
    else
        list_all(v, p.out);
    return pager_end(&p) < 0 ? EXIT_ERROR : EXIT_OK;
}

static int run(const struct args *a, struct explain_view *v) {
    const struct explain_models ms = {v->model, v->n_model, v->chosen};
    struct explain_choices c = {.n = 0};
    const struct explain_entry *e = NULL;
    if (!a->all)
        e = explain_resolve(&v->ex, &ms, a->word[0], &c);
    if (!e && !a->all)
        return c.n ? explain_say_several(a, &c) : explain_say_none(a, v);
    v->also = &c;
    return a->json ? print_json(v, e) : print_text(a, v, e);
}

int verb_explain(const struct args *a) {
    struct explain_view v = {0};
    struct err err = {0};
    int code = EXIT_ERROR;
    if (!a->all == !a->word[0]) {
        cli_note("explain: %s; tdtop explain L3_Bound, or tdtop explain --all",
                 a->all ? "both a name and --all" : "no name");
        return EXIT_USAGE;
    }
    if (view_load(&v, a, &err) < 0)
        cli_error(&err);
    else
        code = run(a, &v);
    view_free(&v);
    return code;
}
