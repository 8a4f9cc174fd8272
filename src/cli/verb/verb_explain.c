/* `tdtop explain NAME`: one entry of the knowledge base as text, JSON or Markdown; --all: every
 * one. */
#include "cli/verb/explain_view.h"

#include "base/str.h"
#include "cli/cli.h"
#include "cli/file/json_out.h"
#include "cli/out/pager.h"
#include "cli/out/plain.h"
#include "cli/out/wrap.h"
#include "cli/pick.h"
#include "cli/verb/models.h"
#include "model/knowledge/explain.h"
#include "model/knowledge/explain_text.h"
#include "model/load/model_index.h"
#include "model/load/model_text.h"
#include "pmu/host/fallback.h"
#include "pmu/host/machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* True if the model has a metric or group of this name. */
static bool explain_view_has(const struct model *m, const char *name) {
    return model_find(m, name) != METRIC_NONE || model_has_group(m, name);
}

/* False for names that the wanted model does not have. */
static bool explain_view_wants(const struct explain_view *v, const char *name) {
    return !v->wanted || explain_view_has(v->chosen, name);
}

/* The metric of the chosen model that an entry explains, or METRIC_NONE. */
static int explain_view_metric(const struct explain_view *v, const struct explain_entry *e) {
    return v->chosen ? model_find(v->chosen, e->name) : METRIC_NONE;
}

enum { LABEL_W = 14, EVENT_W = 44, NAME_W = 44 }; /* columns */
enum { NAMED_MAX = 6 };
enum { SHOWN_MAX = 24 }; /* without -v: one screen */

/* ---- its formula and events in the chosen model ---- */

struct numbers {
    FILE *out;
    int width;
};

static void put_pair(const struct numbers *n, const char *label, const char *text) {
    wrap_pair(n->out, n->width, 2, LABEL_W, label, text);
}

static void put_locate(const struct numbers *n, const struct metric *x) {
    char text[1024], name[128];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    if (!x->locate || !x->locate[0])
        return;
    for (size_t i = 0; x->locate[i]; i++)
        strbuf_add(&sb, "%s%s", i ? ", " : "", model_sample_text(x->locate[i], name, sizeof(name)));
    put_pair(n, "to sample", text);
    sb = strbuf_on(text, sizeof(text));
    strbuf_add(&sb, "perf record -e %s -p PID, then perf annotate",
               model_sample_text(x->locate[0], name, sizeof(name)));
    put_pair(n, "with perf", text);
}

/* Behind its label; what perf calls it is below the name where a line has no room for both. */
static void put_event(const struct numbers *n, const char *name, const char *text) {
    const int at = 2 + LABEL_W;
    const bool fits = at + EVENT_W + 1 + str_width(text) <= n->width;
    if (fits && str_width(name) <= EVENT_W)
        fprintf(n->out, "%-*s %s\n", EVENT_W, name, text);
    else if (text[0])
        fprintf(n->out, "%s\n%*s%s\n", name, at + 2, "", text);
    else
        fprintf(n->out, "%s\n", name);
}

static void put_events(const struct numbers *n, const struct model *m, int metric) {
    bool *seen = models_events_of(m, metric);
    char text[256];
    const char *label = "events";
    for (uint32_t i = 0; seen && i < m->n_event; i++) {
        if (!seen[i])
            continue;
        fprintf(n->out, "  %-*s", LABEL_W, label);
        put_event(n, m->event[i].name, model_event_text(m, &m->event[i], text, sizeof(text)));
        label = "";
    }
    free(seen);
}

/* The formula, threshold and events in the chosen model; nothing if it lacks the metric. */
static void explain_formula(const struct explain_view *v, const struct explain_entry *e, int width,
                            FILE *out) {
    const struct numbers n = {out, width};
    const int metric = explain_view_metric(v, e);
    if (metric == METRIC_NONE)
        return;
    const struct metric *x = &v->chosen->metric[metric];
    fprintf(out, "\nIn the model %s (%s)\n", v->chosen->name, v->chosen->title);
    put_pair(&n, "path", strcmp(x->path, x->name) != 0 ? x->path : NULL);
    put_pair(&n, "vendor's name", x->vendor);
    put_pair(&n, "formula", x->formula);
    put_pair(&n, "counts when", x->threshold_text);
    put_pair(&n, "approximate", x->approximate);
    put_pair(&n, "not available", x->unavailable);
    put_events(&n, v->chosen, metric);
    put_locate(&n, x);
}

/* ---- as text ---- */

/* "adl-glc, arl-lnc, bdw, bdx, clx, cnl and 19 more". */
static void put_models(const struct explain_view *v, const struct explain_entry *e, int width,
                       FILE *out) {
    char text[512];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    size_t n = 0;
    for (size_t i = 0; i < v->n_model; i++)
        if (explain_view_has(&v->model[i], e->name) && ++n <= NAMED_MAX)
            strbuf_add(&sb, "%s%s", n > 1 ? ", " : "", v->model[i].name);
    if (n > NAMED_MAX)
        strbuf_add(&sb, " and %zu more", n - NAMED_MAX);
    fprintf(out, "\nModels that have it\n  ");
    wrap_put(out, width, 2, text);
}

/* Other names that what was typed is a part of: it may have meant one of them. */
static void put_also(const struct explain_view *v, int width, FILE *out) {
    char text[512];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    const size_t n = v->also ? v->also->n : 0;
    for (size_t i = 0; i < n && i < NAMED_MAX; i++)
        strbuf_add(&sb, "%s%s",
                   i ? ", "
                     : "this name alone begins so or is of this core; it is in others, too: ",
                   v->also->at[i]->name);
    if (n > NAMED_MAX)
        strbuf_add(&sb, " and %zu more", n - NAMED_MAX);
    if (n)
        wrap_put(out, width, 0, text);
}

/* Where the chosen model goes on from here; or that it does not. */
static void put_next(const struct explain_view *v, const struct explain_entry *e,
                     const struct text_sink *sink) {
    const int metric = explain_view_metric(v, e);
    const struct metric *x = metric == METRIC_NONE ? NULL : &v->chosen->metric[metric];
    const bool last = x && x->kind == METRIC_TREE && x->first_child == METRIC_NONE;
    const bool next = x && x->next && x->next[0];
    char text[512];
    if (!last && !next)
        return;
    sink->heading(sink->user, "Goes on with");
    struct strbuf sb = strbuf_on(text, sizeof(text));
    strbuf_add(&sb, "%s has nothing below it in the tree%s", v->chosen->title,
               next ? ": the next step is one of these" : ".");
    if (last)
        sink->text(sink->user, text);
    for (size_t i = 0; next && x->next[i]; i++) {
        const struct explain_entry *to = explain_find(&v->ex, x->next[i]);
        sb = strbuf_on(text, sizeof(text));
        strbuf_add(&sb, "%s%s%s", x->next[i], to ? ": " : "", to ? to->summary : "");
        sink->item(sink->user, text);
    }
}

/* Of the nodes above it in other models the nearest one that the chosen model has; or NULL. */
static const char *nearest_above(const struct explain_view *v, const char *name) {
    for (size_t i = 0; i < v->n_model; i++) {
        const struct model *m = &v->model[i];
        int at = model_find(m, name);
        while (at != METRIC_NONE && model_find(v->chosen, m->metric[at].name) == METRIC_NONE)
            at = m->metric[at].parent;
        if (at != METRIC_NONE)
            return m->metric[at].name;
    }
    return NULL;
}

/* An entry of which the chosen model has nothing is told as it is for others. */
static void put_missing(const struct explain_view *v, const struct explain_entry *e, int width,
                        FILE *out) {
    char text[512];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    if (!v->chosen || explain_view_has(v->chosen, e->name))
        return;
    strbuf_add(
        &sb,
        "%s (model %s) has no %s: this is what it means on other cores, of which --model NAME "
        "chooses one.",
        v->chosen->title, v->chosen->name, e->name);
    const char *above = nearest_above(v, e->name);
    if (above)
        strbuf_add(&sb, " What %s has nearest to it is %s.", v->chosen->name, above);
    fputc('\n', out);
    wrap_put(out, width, 0, text);
}

void explain_print(const struct explain_view *v, const struct explain_entry *e, int width,
                   FILE *out) {
    struct plain p = {.out = out, .width = width};
    const struct text_sink sink = plain_sink(&p);
    fprintf(out, "%s\n", e->name);
    if (!explain_is_first(e)) {
        char text[256];
        struct strbuf sb = strbuf_on(text, sizeof(text));
        strbuf_add(&sb, "on the page of %s", e->entry);
        wrap_put(out, width, 0, text);
    }
    put_also(v, width, out);
    put_missing(v, e, width, out);
    explain_text(e, v->wanted ? v->chosen : NULL, &sink);
    put_next(v, e, &sink);
    explain_text_on(&v->ex, e, &sink);
    explain_formula(v, e, width, out);
    put_models(v, e, width, out);
}

/* ---- as Markdown ---- */

static void put_body(const struct explain_view *v, const struct explain_entry *e,
                     const struct text_sink *sink, FILE *out) {
    markdown_line(out, "\n### ", e->name, "\n\n");
    explain_text(e, v->wanted ? v->chosen : NULL, sink);
}

static void explain_markdown(const struct explain_view *v, const struct explain_entry *e,
                             FILE *out) {
    struct plain p = {.out = out};
    const struct text_sink sink = markdown_sink(&p);
    put_body(v, e, &sink, out);
    explain_text_on(&v->ex, e, &sink);
}

struct all {
    const struct explain_view *v;
    FILE *out;
    bool *done; /* [ex.n] */
    bool contents;
};

/* Anchors of our own: what sites make of headings differs, and there are CISC and Cisc. */
static void put_anchor(const struct all *a, const char *name) {
    fprintf(a->out, "<a id=\"%s\"></a>", name);
}

/* "- [L3_Bound](#L3_Bound): its summary"; the name alone where nothing is said of it here. */
static void put_link(const struct all *a, const char *name) {
    const struct explain_entry *e = explain_find(&a->v->ex, name);
    if (!e || !explain_view_wants(a->v, e->name)) {
        markdown_line(a->out, "- ", name, "\n");
        return;
    }
    markdown_line(a->out, "- [", e->name, "]");
    fprintf(a->out, "(#%s)", e->name);
    markdown_line(a->out, ": ", e->summary, "\n");
}

/* An alias is listed with its own summary below what explains it. */
static void put_others(const struct all *a, const struct explain_entry *e) {
    bool first = true;
    for (size_t i = 0; i < a->v->ex.n; i++) {
        const struct explain_entry *other = &a->v->ex.at[i];
        if (other->entry != e->entry || explain_is_first(other) ||
            !explain_view_wants(a->v, other->name))
            continue;
        fputs(first ? "\n**Explained by the same words**\n\n- " : "- ", a->out);
        put_anchor(a, other->name);
        markdown_line(a->out, "", other->name, ": ");
        markdown_line(a->out, "", other->summary, "\n");
        first = false;
    }
}

static void put_page(const struct all *a, const struct explain_entry *e) {
    struct plain p = {.out = a->out};
    const struct text_sink sink = markdown_sink(&p);
    fputc('\n', a->out);
    put_anchor(a, e->name);
    fputc('\n', a->out);
    put_body(a->v, e, &sink, a->out);
    if (e->related[0])
        fputs("\n**Related**\n\n", a->out);
    for (size_t i = 0; e->related[i]; i++)
        put_link(a, e->related[i]);
    explain_text_references(&a->v->ex, e, &sink);
    put_others(a, e);
}

static void put_entry(struct all *a, const char *name) {
    const struct explain_entry *e = explain_find(&a->v->ex, name);
    if (!e || !explain_view_wants(a->v, e->name))
        return;
    e = explain_find(&a->v->ex, e->entry);
    if (!e || a->done[e - a->v->ex.at])
        return;
    a->done[e - a->v->ex.at] = true;
    if (a->contents)
        put_link(a, e->name);
    else
        put_page(a, e);
}

static void put_nodes(struct all *a) {
    fputs(a->contents ? "\n**Nodes of the tree**\n\n" : "\n## Nodes of the tree\n", a->out);
    for (size_t i = 0; i < a->v->n_model; i++)
        for (uint32_t k = 0; k < a->v->model[i].n_tree; k++)
            put_entry(a, a->v->model[i].metric[k].name);
}

static void put_rest(struct all *a) {
    fputs(a->contents ? "\n**Metrics and groups of metrics**\n\n"
                      : "\n## Metrics and groups of metrics\n",
          a->out);
    for (size_t i = 0; i < a->v->ex.n; i++)
        put_entry(a, a->v->ex.at[i].name);
}

/* All entries with a table of contents: nodes in the order of the trees, then groups and metrics.
 */
static void explain_markdown_all(const struct explain_view *v, FILE *out) {
    fputs("# What the metrics mean, why they are high, what to try\n\n## Contents\n", out);
    for (int pass = 0; pass < 2; pass++) {
        struct all a = {.v = v, .out = out, .contents = pass == 0};
        a.done = calloc(v->ex.n + 1, sizeof(*a.done));
        if (!a.done) {
            cli_lack();
            return;
        }
        put_nodes(&a);
        put_rest(&a);
        free(a.done);
    }
}

/* ---- as JSON ---- */

static json_t *list_json(const char **list) {
    json_t *all = json_array();
    for (size_t i = 0; list && list[i]; i++)
        json_array_append_new(all, json_string(list[i]));
    return all;
}

static json_t *models_of_note(const struct explain_view *v, const struct explain_note *note) {
    json_t *all = json_array();
    for (size_t i = 0; i < v->n_model; i++)
        if (explain_note_fits(note, &v->model[i]))
            json_array_append_new(all, json_string(v->model[i].name));
    return all;
}

static json_t *notes_json(const struct explain_view *v, const struct explain_entry *e) {
    json_t *all = json_array();
    for (size_t i = 0; i < e->n_note; i++) {
        char of[192];
        explain_note_of(&e->note[i], of, sizeof(of));
        json_array_append_new(all,
                              json_pack("{s:s, s:o, s:s}", "for", of, "models",
                                        models_of_note(v, &e->note[i]), "text", e->note[i].text));
    }
    return all;
}

static json_t *references_json(const struct explain_view *v, const struct explain_entry *e) {
    char text[512];
    json_t *all = json_array();
    for (size_t i = 0; e->references[i]; i++)
        json_array_append_new(
            all, json_string(explain_reference(&v->ex, e->references[i], text, sizeof(text))));
    return all;
}

static json_t *models_of_json(const struct explain_view *v, const struct explain_entry *e) {
    json_t *all = json_array();
    for (size_t i = 0; i < v->n_model; i++)
        if (explain_view_has(&v->model[i], e->name))
            json_array_append_new(all, json_string(v->model[i].name));
    return all;
}

static const char *kind_of(const struct explain_view *v, const struct explain_entry *e) {
    for (size_t i = 0; i < v->n_model; i++) {
        const int metric = model_find(&v->model[i], e->name);
        if (metric != METRIC_NONE)
            return v->model[i].metric[metric].kind == METRIC_TREE ? "node" : "metric";
    }
    return "group";
}

/* As data; the caller owns it. */
static json_t *explain_json(const struct explain_view *v, const struct explain_entry *e) {
    const int metric = explain_view_metric(v, e);
    json_t *o = json_object();
    const struct {
        const char *key, *text;
    } texts[] = {
        {"name", e->name},       {"kind", kind_of(v, e)},         {"entry", e->entry},
        {"summary", e->summary}, {"description", e->description}, {"counts", e->counts},
        {"healthy", e->healthy}, {"worrying", e->worrying},       {"values_from", e->values_from}};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        json_object_set_new(o, texts[i].key, json_string(texts[i].text));
    json_object_set_new(o, "causes", list_json(e->causes));
    json_object_set_new(o, "hints", list_json(e->hints));
    json_object_set_new(o, "confirm", list_json(e->confirm));
    json_object_set_new(o, "notes", notes_json(v, e));
    json_object_set_new(o, "related", list_json(e->related));
    json_object_set_new(o, "references", references_json(v, e));
    json_object_set_new(o, "models", models_of_json(v, e));
    json_object_set_new(
        o, "metric", metric == METRIC_NONE ? json_null() : models_json_metric(v->chosen, metric));
    return o;
}

/* ---- a name that is unknown or ambiguous ---- */

/* For scripts: what is wrong, and what could have been meant. */
static void print_choices_json(const struct args *a, const char *error,
                               const struct explain_choices *c) {
    json_t *names = json_array();
    for (size_t i = 0; i < c->n; i++)
        json_array_append_new(names, json_string(c->at[i]->name));
    json_print(json_pack("{s:s, s:s, s:o}", "error", error, "name", a->word[0], "choices", names),
               JSON_INDENT(1));
}

/* What is said where a name (the word of a) is none, or several: in words on standard error, with
 * --json as data on standard output, too. Both return an exit code. */
static int explain_say_none(const struct args *a, const struct explain_view *v) {
    struct explain_choices near;
    char text[512];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    explain_nearest(&v->ex, a->word[0], &near);
    for (size_t i = 0; i < near.n; i++)
        strbuf_add(&sb, "%s%s", i == 0 ? "; did you mean " : " or ", near.at[i]->name);
    cli_note("explain: %s: no metric, node or group has this name%s%s", a->word[0], text,
             near.n ? "?" : "; tdtop explain --all lists them");
    if (a->json)
        print_choices_json(a, "unknown", &near);
    return EXIT_ERROR;
}

static int explain_say_several(const struct args *a, const struct explain_choices *c) {
    const size_t shown = a->verbose || c->n <= SHOWN_MAX ? c->n : SHOWN_MAX;
    const int width = wrap_list_width(stderr);
    cli_note("explain: %s: %zu names begin so or have it in them; say more of one:", a->word[0],
             c->n);
    if (a->json) {
        print_choices_json(a, "ambiguous", c);
        return EXIT_ERROR;
    }
    for (size_t i = 0; i < shown; i++)
        wrap_row(stderr, width, 2, NAME_W, c->at[i]->name, c->at[i]->summary);
    if (c->n > shown)
        fprintf(stderr, "  ... and %zu more; -v lists all\n", c->n - shown);
    return EXIT_ERROR;
}

/* ---- entries and models ---- */

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

/* ---- the verb ---- */

static int print_json(const struct explain_view *v, const struct explain_entry *e) {
    if (e) {
        json_print(explain_json(v, e), JSON_INDENT(1));
        return EXIT_OK;
    }
    json_t *all = json_array();
    for (size_t i = 0; i < v->ex.n; i++)
        if (explain_view_wants(v, v->ex.at[i].name))
            json_array_append_new(all, explain_json(v, &v->ex.at[i]));
    json_print(all, JSON_INDENT(1));
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
            wrap_row(out, width, 0, NAME_W, name, summary ? summary : "");
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
