/* `tdtop guide [PAGE]`: the pages of the guide; without one, which there are. */
#include "base/str.h"
#include "cli/cli.h"
#include "cli/file/json_out.h"
#include "cli/out/pager.h"
#include "cli/out/plain.h"
#include "cli/out/wrap.h"
#include "model/knowledge/guide.h"

#include <stdlib.h>

static void list_pages(const struct guide *g, FILE *out, int width) {
    fputs("The method, on a few short pages\n\n", out);
    for (size_t i = 0; i < g->n; i++) {
        fprintf(out, "  %zu  %-14s", i + 1, g->page[i].name);
        wrap_put(out, width, 19, g->page[i].summary);
    }
    fputs("\ntdtop guide slots, or guide 1; guide --all is everything\n", out);
}

static void print_page(const struct args *a, const struct guide_page *page, struct plain *p) {
    const struct text_sink sink = a->markdown ? markdown_sink(p) : plain_sink(p);
    if (a->markdown)
        markdown_line(p->out, "\n## ", page->title, "\n\n");
    else
        fprintf(p->out, "%s\n", page->title);
    guide_tell(page, &sink);
}

static void print_all(const struct args *a, const struct guide *g, struct plain *p) {
    if (a->markdown)
        fputs("# Top-down analysis with tdtop\n", p->out);
    for (size_t i = 0; i < g->n; i++) {
        fputs(i && !a->markdown ? "\n\n" : "", p->out);
        print_page(a, &g->page[i], p);
    }
}

/* --- as data --- */

static void json_heading(void *user, const char *text) {
    json_array_append_new(user, json_pack("{s:s}", "heading", text));
}

static void json_summary(void *user, const char *text) {
    json_array_append_new(user, json_pack("{s:s}", "summary", text));
}

static void json_text(void *user, const char *text) {
    json_array_append_new(user, json_pack("{s:s}", "text", text));
}

static void json_item(void *user, const char *text) {
    json_array_append_new(user, json_pack("{s:s}", "item", text));
}

static json_t *page_json(const struct guide_page *page) {
    json_t *parts = json_array();
    const struct text_sink sink = {json_heading, json_summary, json_text, json_item, parts};
    guide_tell(page, &sink);
    return json_pack("{s:s, s:s, s:o}", "name", page->name, "title", page->title, "parts", parts);
}

static void print_json(const struct guide *g, const struct guide_page *page) {
    json_t *all = json_array();
    for (size_t i = 0; i < g->n; i++)
        if (!page || page == &g->page[i])
            json_array_append_new(all, page_json(&g->page[i]));
    json_print(all, JSON_INDENT(1));
}

static int print_text(const struct args *a, const struct guide *g, const struct guide_page *page) {
    struct pager pg;
    if (pager_begin(&pg) < 0)
        return EXIT_ERROR;
    struct plain p = {.out = pg.out, .width = wrap_width(stdout)};
    if (page)
        print_page(a, page, &p);
    else if (a->all || a->markdown)
        print_all(a, g, &p);
    else
        list_pages(g, pg.out, p.width);
    return pager_end(&pg) < 0 ? EXIT_ERROR : EXIT_OK;
}

static int no_such_page(const struct guide *g, const char *name) {
    char names[256];
    struct strbuf sb = strbuf_on(names, sizeof(names));
    for (size_t i = 0; i < g->n; i++)
        strbuf_add(&sb, "%s%s", i ? ", " : "", g->page[i].name);
    cli_note("guide: %s: there is no such page; there are %s", name, names);
    return EXIT_ERROR;
}

int verb_guide(const struct args *a) {
    struct guide g;
    struct err err = {0};
    if (a->all && a->word[0]) {
        cli_note("guide: both a page and --all; leave one out");
        return EXIT_USAGE;
    }
    if (guide_load(&g, &err) < 0) {
        cli_error(&err);
        return EXIT_ERROR;
    }
    const struct guide_page *page = a->word[0] ? guide_find(&g, a->word[0]) : NULL;
    int code = EXIT_OK;
    if (a->word[0] && !page)
        code = no_such_page(&g, a->word[0]);
    else if (a->json)
        print_json(&g, page);
    else
        code = print_text(a, &g, page);
    guide_free(&g);
    return code;
}
