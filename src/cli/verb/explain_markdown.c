/* The knowledge base as one document: nodes in the order of the trees, then groups and metrics. */
#include "base/str.h"
#include "cli/cli.h"
#include "cli/out/plain.h"
#include "cli/verb/explain_view.h"
#include "model/knowledge/explain_text.h"

#include <stdlib.h>

static void put_body(const struct explain_view *v, const struct explain_entry *e,
                     const struct text_sink *sink, FILE *out) {
    markdown_line(out, "\n### ", e->name, "\n\n");
    explain_text(e, v->wanted ? v->chosen : NULL, sink);
}

void explain_markdown(const struct explain_view *v, const struct explain_entry *e, FILE *out) {
    struct plain p = {.out = out};
    const struct text_sink sink = markdown_sink(&p);
    put_body(v, e, &sink, out);
    explain_text_on(&v->ex, e, &sink);
}

/* --- all --- */

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

void explain_markdown_all(const struct explain_view *v, FILE *out) {
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
