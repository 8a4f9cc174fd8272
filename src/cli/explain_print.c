#include "base/str.h"
#include "cli/explain_view.h"
#include "cli/plain.h"
#include "cli/wrap.h"
#include "model/explain_text.h"

enum { NAMED_MAX = 6 };

/* "25 models: adl-glc, arl-lnc ... and 23 more". */
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
    explain_text(e, v->wanted ? v->chosen : NULL, &sink);
    explain_text_on(&v->ex, e, &sink);
    explain_formula(v, e, width, out);
    put_models(v, e, width, out);
}
