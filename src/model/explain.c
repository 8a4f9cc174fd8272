/*
 * The knowledge base. A file of src/model/explain holds entries by the name of the metric:
 *
 *   [entry.L3_Bound]
 *   summary     = "one line"
 *   description = "two to four sentences"
 *   causes      = ["...", "..."]     what usually makes it high
 *   hints       = ["...", "..."]     what to try
 *   confirm     = ["...", "..."]     where to look before trying; may be left out
 *
 * Everything else in such a file is an error, and so is a name that occurs twice.
 */
#include "model/explain.h"

#include "base/array.h"
#include "base/str.h"
#include "model/model.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct docs { /* grown by array_push */
    struct toml_doc *at;
    void *grown_;
    size_t n, cap;
};

enum field_type { FIELD_TEXT, FIELD_LIST };

static const struct field {
    const char *key;
    enum field_type type;
    size_t at; /* in struct explain_entry */
    bool required;
} fields[] = {
    {"summary", FIELD_TEXT, offsetof(struct explain_entry, summary), true},
    {"description", FIELD_TEXT, offsetof(struct explain_entry, description), true},
    {"causes", FIELD_LIST, offsetof(struct explain_entry, causes), true},
    {"hints", FIELD_LIST, offsetof(struct explain_entry, hints), true},
    {"confirm", FIELD_LIST, offsetof(struct explain_entry, confirm), false},
};
enum { N_FIELDS = sizeof(fields) / sizeof(fields[0]) };

static void *field_of(struct explain_entry *e, const struct field *f) {
    return (char *)e + f->at;
}

static int take_field(const struct toml_doc *doc, const struct toml *table, const struct field *f,
                      struct explain_entry *e, struct err *err) {
    const struct toml *value = toml_get(table, f->key);
    if (!value && f->required)
        return toml_err(doc, table, err, -EINVAL, "found no '%s' in entry '%s'; expected one",
                        f->key, table->key);
    if (!value)
        return 0;
    if (f->type == FIELD_LIST)
        return toml_strings(doc, value, field_of(e, f), err);
    return toml_take_string(doc, table, f->key, field_of(e, f), err);
}

static int check_keys(const struct toml_doc *doc, const struct toml *table, struct err *err) {
    for (const struct toml *t = table->first; t; t = t->next) {
        int i = 0;
        while (i < N_FIELDS && strcmp(fields[i].key, t->key) != 0)
            i++;
        if (i == N_FIELDS)
            return toml_err(doc, t, err, -EINVAL,
                            "found '%s'; expected summary, description, causes, hints or confirm",
                            t->key);
    }
    return 0;
}

static int take_entry(const struct toml_doc *doc, const struct toml *table, struct explain_entry *e,
                      struct err *err) {
    e->name = table->key;
    if (table->type != TOML_TABLE)
        return toml_err(doc, table, err, -EINVAL, "found %s for '%s'; expected table",
                        toml_type_name(table->type), table->key);
    int rc = check_keys(doc, table, err);
    for (int i = 0; rc == 0 && i < N_FIELDS; i++)
        rc = take_field(doc, table, &fields[i], e, err);
    return rc;
}

/* The entries of one document, behind those that are there. */
static int take_document(struct explain *ex, const struct toml_doc *doc, struct err *err) {
    for (const struct toml *t = doc->root->first; t; t = t->next)
        if (strcmp(t->key, "entry") != 0 || t->type != TOML_TABLE)
            return toml_err(doc, t, err, -EINVAL, "found '%s'; expected tables [entry.NAME]",
                            t->key);
    const struct toml *entries = toml_get(doc->root, "entry");
    if (!entries)
        return 0;
    struct explain_entry *at = realloc(ex->at, (ex->n + entries->n + 1) * sizeof(*at));
    if (!at)
        return err_set(err, -ENOMEM, "%s: out of memory; free some", doc->name);
    ex->at = at;
    for (const struct toml *t = entries->first; t; t = t->next) {
        if (explain_find(ex, t->key))
            return toml_err(doc, t, err, -EINVAL, "found a second entry '%s'; expected one",
                            t->key);
        at[ex->n] = (struct explain_entry){0};
        const int rc = take_entry(doc, t, &at[ex->n++], err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int load_text(struct explain *ex, struct docs *docs, const struct embedded *file,
                     struct err *err) {
    struct toml_doc doc;
    char name[128];
    struct strbuf sb = strbuf_on(name, sizeof(name));
    strbuf_add(&sb, "explain/%s.toml", file->name);
    const int rc = toml_parse(&doc, file->text, file->len, name, err);
    if (rc < 0)
        return rc;
    if (array_push(docs, doc) < 0) {
        toml_free(&doc);
        return err_set(err, -ENOMEM, "%s: out of memory; free some", name);
    }
    return take_document(ex, &doc, err);
}

int explain_load_from(struct explain *ex, const struct embedded *files, struct err *err) {
    *ex = (struct explain){0};
    struct docs *docs = calloc(1, sizeof(*docs));
    if (!docs)
        return err_set(err, -ENOMEM, "explain: out of memory; free some");
    ex->docs_ = docs;
    int rc = 0;
    for (const struct embedded *f = files; f->name && rc == 0; f++)
        rc = load_text(ex, docs, f, err);
    if (rc < 0)
        explain_free(ex);
    return rc;
}

int explain_load(struct explain *ex, struct err *err) {
    return explain_load_from(ex, embedded_explain, err);
}

void explain_free(struct explain *ex) {
    for (size_t i = 0; i < ex->n; i++) {
        free(ex->at[i].causes);
        free(ex->at[i].hints);
        free(ex->at[i].confirm);
    }
    free(ex->at);
    struct docs *docs = ex->docs_;
    for (size_t i = 0; docs && i < docs->n; i++)
        toml_free(&docs->at[i]);
    if (docs)
        array_free(docs);
    free(docs);
    *ex = (struct explain){0};
}

/* A few dozen entries: a walk is faster than what it would take to be clever. */
const struct explain_entry *explain_find(const struct explain *ex, const char *name) {
    for (size_t i = 0; i < ex->n; i++)
        if (str_same_name(ex->at[i].name, name))
            return &ex->at[i];
    return NULL;
}
