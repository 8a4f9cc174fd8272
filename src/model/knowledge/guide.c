#include "model/knowledge/guide.h"

#include "base/str.h"
#include "model/load/model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int take_part(const struct toml_doc *doc, const struct toml *table, struct guide_part *part,
                     struct err *err) {
    static const char *const keys[] = {"heading", "text", "items"};
    if (table->type != TOML_TABLE)
        return toml_err(doc, table, err, -EINVAL, "found %s; expected a table [[part]]",
                        toml_type_name(table->type));
    int rc = toml_check_keys(doc, table, keys, 3, sizeof(keys[0]), "heading, text or items", err);
    if (rc == 0)
        rc = toml_take_string(doc, table, "heading", &part->heading, err);
    if (rc == 0)
        rc = toml_take_string(doc, table, "text", &part->text, err);
    const struct toml *items = toml_get(table, "items");
    if (rc == 0 && items)
        rc = toml_strings(doc, items, &part->items, err);
    if (rc == 0 && !part->text && (!items || items->n == 0))
        rc = toml_err(doc, table, err, -EINVAL, "found an empty part; expected text or items");
    return rc;
}

static int take_parts(struct guide_page *page, struct err *err) {
    const struct toml_doc *doc = &page->doc_;
    const struct toml *parts = toml_get(doc->root, "part");
    if (!parts || parts->type != TOML_ARRAY || parts->n == 0)
        return toml_err(doc, parts ? parts : doc->root, err, -EINVAL,
                        "found no [[part]]; expected one or more");
    page->part = calloc(parts->n, sizeof(*page->part));
    if (!page->part)
        return err_set(err, -ENOMEM, "%s: out of memory; free some", doc->name);
    int rc = 0;
    for (const struct toml *t = parts->first; t && rc == 0; t = t->next)
        rc = take_part(doc, t, &page->part[page->n_part++], err);
    return rc;
}

static int take_page(struct guide_page *page, const struct embedded *file, struct err *err) {
    static const char *const keys[] = {"title", "summary", "part"};
    char name[128];
    struct strbuf sb = strbuf_on(name, sizeof(name));
    strbuf_add(&sb, "guide/%s.toml", file->name);
    int rc = toml_parse(&page->doc_, file->text, file->len, name, err);
    if (rc < 0)
        return rc;
    const char *dash = strchr(file->name, '-');
    const struct toml *root = page->doc_.root;
    page->name = dash ? dash + 1 : file->name;
    rc = toml_check_keys(&page->doc_, root, keys, 3, sizeof(keys[0]), "title, summary or [[part]]",
                         err);
    if (rc == 0)
        rc = toml_take_string(&page->doc_, root, "title", &page->title, err);
    if (rc == 0)
        rc = toml_take_string(&page->doc_, root, "summary", &page->summary, err);
    if (rc == 0 && (!page->title || !page->summary))
        rc = toml_err(&page->doc_, root, err, -EINVAL, "found no '%s'; expected one",
                      page->title ? "summary" : "title");
    return rc < 0 ? rc : take_parts(page, err);
}

int guide_load_from(struct guide *g, const struct embedded *files, struct err *err) {
    size_t n = 0;
    while (files[n].name)
        n++;
    *g = (struct guide){.page = calloc(n + 1, sizeof(*g->page))};
    if (!g->page)
        return err_set(err, -ENOMEM, "guide: out of memory; free some");
    int rc = 0;
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = take_page(&g->page[g->n++], &files[i], err);
    if (rc < 0)
        guide_free(g);
    return rc;
}

int guide_load(struct guide *g, struct err *err) {
    return guide_load_from(g, embedded_guide, err);
}

void guide_free(struct guide *g) {
    for (size_t i = 0; i < g->n; i++) {
        for (size_t k = 0; k < g->page[i].n_part; k++)
            free(g->page[i].part[k].items);
        free(g->page[i].part);
        toml_free(&g->page[i].doc_);
    }
    free(g->page);
    *g = (struct guide){0};
}

/* The only page whose name begins so, or NULL. */
static const struct guide_page *find_begin(const struct guide *g, const char *begin) {
    const struct guide_page *found = NULL;
    for (size_t i = 0; i < g->n; i++) {
        if (!str_starts(g->page[i].name, begin))
            continue;
        if (found)
            return NULL;
        found = &g->page[i];
    }
    return found;
}

const struct guide_page *guide_find(const struct guide *g, const char *name) {
    char *end;
    const unsigned long number = strtoul(name, &end, 10);
    if (!*name)
        return NULL;
    if (!*end && number >= 1 && number <= g->n)
        return &g->page[number - 1];
    for (size_t i = 0; i < g->n; i++)
        if (str_same_name(g->page[i].name, name))
            return &g->page[i];
    return find_begin(g, name);
}

void guide_tell(const struct guide_page *page, const struct text_sink *sink) {
    sink->summary(sink->user, page->summary);
    for (size_t i = 0; i < page->n_part; i++) {
        const struct guide_part *part = &page->part[i];
        if (part->heading)
            sink->heading(sink->user, part->heading);
        if (part->text)
            sink->text(sink->user, part->text);
        for (size_t k = 0; part->items && part->items[k]; k++)
            sink->item(sink->user, part->items[k]);
    }
}
