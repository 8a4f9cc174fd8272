/* The knowledge base as one document: nodes in the order of the trees, then groups and metrics. */
#include "base/str.h"
#include "cli/explain_view.h"
#include "cli/plain.h"
#include "model/explain_text.h"

#include <stdlib.h>

void explain_markdown(const struct explain_view *v, const struct explain_entry *e, FILE *out) {
    struct plain p = {.out = out};
    const struct text_sink sink = markdown_sink(&p);
    markdown_line(out, "\n### ", e->name, "\n\n");
    explain_text(e, v->wanted ? v->chosen : NULL, &sink);
    explain_text_on(&v->ex, e, &sink);
}

/* --- all --- */

struct all {
    const struct explain_view *v;
    FILE *out;
    bool *done; /* [ex.n] */
    bool contents;
};

/* An alias is listed with its own summary below what explains it. */
static void put_others(const struct all *a, const struct explain_entry *e) {
    bool first = true;
    for (size_t i = 0; i < a->v->ex.n; i++) {
        const struct explain_entry *other = &a->v->ex.at[i];
        if (other->entry != e->entry || explain_is_first(other))
            continue;
        fputs(first ? "\n**Explained by the same words**\n\n" : "", a->out);
        markdown_line(a->out, "- ", other->name, ": ");
        markdown_line(a->out, "", other->summary, "\n");
        first = false;
    }
}

static void put_entry(struct all *a, const char *name) {
    const struct explain_entry *e = explain_find(&a->v->ex, name);
    e = e ? explain_find(&a->v->ex, e->entry) : NULL;
    if (!e || a->done[e - a->v->ex.at])
        return;
    a->done[e - a->v->ex.at] = true;
    if (a->contents) {
        markdown_line(a->out, "- ", e->name, ": ");
        markdown_line(a->out, "", e->summary, "\n");
    } else {
        explain_markdown(a->v, e, a->out);
        put_others(a, e);
    }
}

static void put_nodes(struct all *a) {
    fputs("\n## Nodes of the tree\n\n", a->out);
    for (size_t i = 0; i < a->v->n_model; i++)
        for (uint32_t k = 0; k < a->v->model[i].n_tree; k++)
            put_entry(a, a->v->model[i].metric[k].name);
}

static void put_rest(struct all *a) {
    fputs("\n## Metrics and groups of metrics\n\n", a->out);
    for (size_t i = 0; i < a->v->ex.n; i++)
        put_entry(a, a->v->ex.at[i].name);
}

void explain_markdown_all(const struct explain_view *v, FILE *out) {
    fputs("# What the metrics mean, why they are high, what to try\n", out);
    for (int pass = 0; pass < 2; pass++) {
        struct all a = {.v = v, .out = out, .contents = pass == 0};
        a.done = calloc(v->ex.n + 1, sizeof(*a.done));
        if (!a.done)
            return;
        put_nodes(&a);
        put_rest(&a);
        free(a.done);
    }
}
