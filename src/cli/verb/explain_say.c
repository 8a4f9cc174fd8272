/* What `tdtop explain` says where a name is none, or several. */
#include "base/str.h"
#include "cli/cli.h"
#include "cli/out/wrap.h"
#include "cli/verb/explain_view.h"
#include "cli/verb/models.h"

enum { SHOWN_MAX = 24 }; /* without -v: a screenful */

/* For scripts: what is wrong, and what could have been meant. */
static void put_json(const struct args *a, const char *error, const struct explain_choices *c) {
    json_t *names = json_array();
    for (size_t i = 0; i < c->n; i++)
        json_array_append_new(names, json_string(c->at[i]->name));
    models_print_json(
        json_pack("{s:s, s:s, s:o}", "error", error, "name", a->word[0], "choices", names));
}

int explain_say_none(const struct args *a, const struct explain_view *v) {
    struct explain_choices near;
    char text[512];
    struct strbuf sb = strbuf_on(text, sizeof(text));
    explain_nearest(&v->ex, a->word[0], &near);
    for (size_t i = 0; i < near.n; i++)
        strbuf_add(&sb, "%s%s", i == 0 ? "; did you mean " : " or ", near.at[i]->name);
    cli_note("explain: %s: no metric, node or group has this name%s%s", a->word[0], text,
             near.n ? "?" : "; tdtop explain --all lists them");
    if (a->json)
        put_json(a, "unknown", &near);
    return EXIT_ERROR;
}

int explain_say_several(const struct args *a, const struct explain_choices *c) {
    const size_t shown = a->verbose || c->n <= SHOWN_MAX ? c->n : SHOWN_MAX;
    const int width = wrap_list_width(stderr);
    cli_note("explain: %s: %zu names begin so or have it in them; say more of one:", a->word[0],
             c->n);
    if (a->json) {
        put_json(a, "ambiguous", c);
        return EXIT_ERROR;
    }
    for (size_t i = 0; i < shown; i++)
        wrap_row(stderr, width, 2, EXPLAIN_NAME_W, c->at[i]->name, c->at[i]->summary);
    if (c->n > shown)
        fprintf(stderr, "  ... and %zu more; -v lists all\n", c->n - shown);
    return EXIT_ERROR;
}
