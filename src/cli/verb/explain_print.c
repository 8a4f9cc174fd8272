#include "base/str.h"
#include "cli/out/plain.h"
#include "cli/out/wrap.h"
#include "cli/verb/explain_view.h"
#include "model/knowledge/explain_text.h"

enum { NAMED_MAX = 6 };

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
