/*
 * The knowledge base. A file of src/model/explain holds entries by the name of a metric, node or
 * group:
 *
 *   [entry.L3_Bound]
 *   summary     = "one line"
 *   description = "two to five sentences"
 *   counts      = "what is counted: domain, overlap with siblings, when it misleads"
 *   causes      = ["...", "..."]     what usually makes it high
 *   hints       = ["...", "..."]     what to try, most effective first
 *   confirm     = ["...", "..."]     how to make sure
 *   healthy     = "..."              values, with units
 *   worrying    = "..."
 *   values_from = "..."              where they are from
 *   related     = ["NAME", "..."]    metrics, nodes and groups
 *   references  = ["key: section"]
 *   [entry.L3_Bound.also]            what else this entry explains
 *   OTHER_NAME  = "one line"
 *   [entry.L3_Bound.notes]           may be left out, as `also`
 *   amd         = "..."
 *
 * and [reference] tables: key = "the book". Everything else in such a file is an error, and so is a
 * name that occurs twice.
 */
#include "model/knowledge/explain.h"

#include "base/array.h"
#include "base/str.h"
#include "model/load/model.h"
#include "model/load/name_set.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* --- places --- */

static const char *name_at(size_t i) {
    return explain_place_names + explain_places[i].name;
}

/* Ignoring case, but of two names that differ in nothing else the one that is spelt so. Or NULL. */
static const struct explain_place *place_find(const char *name) {
    size_t low = 0, high = explain_n_places; /* the first that is not before it */
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (str_order_names(name_at(mid), name) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    const struct explain_place *found = NULL;
    for (; low < explain_n_places && str_same_name(name_at(low), name); low++)
        if (!found || strcmp(name_at(low), name) == 0)
            found = &explain_places[low];
    return found;
}

/* --- what fits a model --- */

/* What is known of the model, for all texts. */
struct explain_fit {
    struct name_set names;
    bool intel;
};

static bool is_name_char(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Names of metrics are Capitalised_Words; MEM_LOAD_RETIRED is an event, perf_event_open neither. */
static bool is_metric_name(const char *word) {
    bool lower = false;
    for (const char *p = word; *p; p++)
        lower |= islower((unsigned char)*p) != 0;
    return isupper((unsigned char)word[0]) && strchr(word, '_') && lower;
}

/* MEM_LOAD_RETIRED.L3_HIT: events are spelt so by Intel alone. */
static bool is_intel_event(const char *word, size_t len) {
    bool dot = false;
    for (size_t i = 0; i < len; i++) {
        dot |= word[i] == '.' && i > 0 && i + 1 < len;
        if (islower((unsigned char)word[i]))
            return false;
    }
    return dot && isupper((unsigned char)word[0]) && memchr(word, '_', len);
}

/* False if the text names a metric which the model does not have, or an event of Intel's where the
 * core is another's. */
static bool fits_text(const struct explain_fit *f, const char *text) {
    while (*text) {
        char word[96];
        size_t n = 0, dotted = 0;
        while (is_name_char(text[dotted]) || text[dotted] == '.')
            dotted++;
        if (!f->intel && is_intel_event(text, dotted))
            return false;
        while (is_name_char(text[n]))
            n++;
        str_copy(word, n + 1 < sizeof(word) ? n + 1 : sizeof(word), text);
        if (is_metric_name(word) && !name_set_has(&f->names, text, n))
            return false;
        text += n ? n : 1;
    }
    return true;
}

/* True if the model has a metric, node or group of this name. */
static bool fits_name(const struct explain_fit *f, const char *name) {
    return name_set_has(&f->names, name, strlen(name));
}

/* Leaves what is kept, in its order. */
static void fit_list(const struct explain_fit *f, const char **list,
                     bool (*is_kept)(const struct explain_fit *f, const char *text)) {
    size_t n = 0;
    for (size_t i = 0; list[i]; i++)
        if (is_kept(f, list[i]))
            list[n++] = list[i];
    list[n] = NULL;
}

/* In entries of what the model has: drops the causes, hints and places to look at that do not fit,
 * and what is related but not there. */
static void fit_entries(const struct explain_fit *f, struct explain *ex) {
    for (size_t i = 0; i < ex->n; i++) {
        struct explain_entry *e = &ex->at[i];
        if (!fits_name(f, e->name))
            continue; /* of other cores: what is said of it stays whole */
        fit_list(f, e->causes, fits_text);
        fit_list(f, e->hints, fits_text);
        fit_list(f, e->confirm, fits_text);
        fit_list(f, e->related, fits_name);
    }
}

/* 0 or -ENOMEM */
static int fit_init(struct explain_fit *f, const struct model *m) {
    f->intel = str_same_name(m->vendor, "Intel");
    return name_set_init(&f->names, m);
}

static void fit_destroy(struct explain_fit *f) {
    name_set_destroy(&f->names);
}

int explain_fit(struct explain *ex, const struct model *m) {
    struct explain_fit f;
    const int rc = fit_init(&f, m);
    if (rc == 0)
        fit_entries(&f, ex);
    fit_destroy(&f);
    return rc;
}

/* --- the knowledge base --- */

/* What was asked for of the embedded texts, a piece at a time. */
struct read_piece {
    struct read_piece *next;
    const struct explain_place *place; /* of one of its names */
    struct explain ex;
};

struct docs { /* grown by array_push */
    struct toml_doc *at;
    void *grown_;
    size_t n, cap;
    ARRAY(struct explain_entry) entry;
    bool by_piece;           /* pieces are read; else all is in `entry` */
    struct explain_fit *fit; /* of these; owned; NULL: nothing is left out */
    struct read_piece *pieces;
};

enum field_type { FIELD_TEXT, FIELD_LIST, FIELD_TABLE };

static const struct field {
    const char *key;
    enum field_type type;
    size_t at; /* in struct explain_entry; not of tables */
} fields[] = {
    {"summary", FIELD_TEXT, offsetof(struct explain_entry, summary)},
    {"description", FIELD_TEXT, offsetof(struct explain_entry, description)},
    {"counts", FIELD_TEXT, offsetof(struct explain_entry, counts)},
    {"causes", FIELD_LIST, offsetof(struct explain_entry, causes)},
    {"hints", FIELD_LIST, offsetof(struct explain_entry, hints)},
    {"confirm", FIELD_LIST, offsetof(struct explain_entry, confirm)},
    {"healthy", FIELD_TEXT, offsetof(struct explain_entry, healthy)},
    {"worrying", FIELD_TEXT, offsetof(struct explain_entry, worrying)},
    {"values_from", FIELD_TEXT, offsetof(struct explain_entry, values_from)},
    {"related", FIELD_LIST, offsetof(struct explain_entry, related)},
    {"references", FIELD_LIST, offsetof(struct explain_entry, references)},
    {"also", FIELD_TABLE, 0},
    {"notes", FIELD_TABLE, 0},
};
enum { N_FIELDS = sizeof(fields) / sizeof(fields[0]) };

/* --- one entry --- */

static int take_list(const struct toml_doc *doc, const struct toml *value, const char ***out,
                     struct err *err) {
    if (value->type == TOML_ARRAY && value->n == 0)
        return toml_err(doc, value, err, -EINVAL, "found an empty '%s'; expected texts",
                        value->key);
    return toml_strings(doc, value, out, err);
}

static int take_field(const struct toml_doc *doc, const struct toml *table, const struct field *f,
                      struct explain_entry *e, struct err *err) {
    const struct toml *value = toml_get(table, f->key);
    if (f->type == FIELD_TABLE)
        return 0;
    if (!value)
        return toml_err(doc, table, err, -EINVAL, "found no '%s' in entry '%s'; expected one",
                        f->key, table->key);
    void *at = (char *)e + f->at;
    return f->type == FIELD_LIST ? take_list(doc, value, at, err)
                                 : toml_take_string(doc, table, f->key, at, err);
}

/* A table of texts by name, or none: *first is NULL then. */
static int texts_of(const struct toml_doc *doc, const struct toml *entry, const char *key,
                    const struct toml **first, size_t *n, struct err *err) {
    const struct toml *table = toml_get(entry, key);
    *first = NULL;
    *n = 0;
    if (!table)
        return 0;
    if (table->type != TOML_TABLE)
        return toml_err(doc, table, err, -EINVAL, "found %s for '%s'; expected a table of texts",
                        toml_type_name(table->type), key);
    *first = table->first;
    *n = table->n;
    return toml_check_strings(doc, table, err);
}

static int take_notes(const struct toml_doc *doc, const struct toml *table, struct explain_entry *e,
                      struct err *err) {
    const struct toml *t;
    size_t n;
    const int rc = texts_of(doc, table, "notes", &t, &n, err);
    if (rc < 0 || n == 0)
        return rc;
    struct explain_note *note = calloc(n, sizeof(*note));
    if (!note)
        return err_set(err, -ENOMEM, "%s: out of memory; free some", doc->name);
    for (; t; t = t->next)
        note[e->n_note++] = (struct explain_note){.of = t->key, .text = t->string};
    e->note = note;
    return 0;
}

static int take_entry(const struct toml_doc *doc, const struct toml *table, struct explain_entry *e,
                      struct err *err) {
    if (table->type != TOML_TABLE)
        return toml_err(doc, table, err, -EINVAL, "found %s for '%s'; expected table",
                        toml_type_name(table->type), table->key);
    int rc = toml_check_keys(doc, table, fields, N_FIELDS, sizeof(fields[0]),
                             "a key of entries: summary, description, counts, causes, hints, "
                             "confirm, healthy, worrying, values_from, related, references, also "
                             "or notes",
                             err);
    for (int i = 0; rc == 0 && i < N_FIELDS; i++)
        rc = take_field(doc, table, &fields[i], e, err);
    return rc < 0 ? rc : take_notes(doc, table, e, err);
}

/* The entry once more under each name of its `also` table. */
static int take_others(struct docs *docs, const struct toml_doc *doc, const struct toml *table,
                       struct err *err) {
    const struct toml *t;
    size_t n;
    const int rc = texts_of(doc, table, "also", &t, &n, err);
    for (; rc == 0 && t; t = t->next) {
        struct explain_entry e = docs->entry.at[docs->entry.n - 1];
        e.name = t->key;
        e.summary = t->string;
        e.at_ = t;
        if (array_push(&docs->entry, e) < 0)
            return err_set(err, -ENOMEM, "%s: out of memory; free some", doc->name);
    }
    return rc;
}

/* --- the files --- */

static int take_entries(struct docs *docs, const struct toml_doc *doc, const struct toml *entries,
                        struct err *err) {
    int rc = 0;
    for (const struct toml *t = entries->first; t && rc == 0; t = t->next) {
        /* It is in the array at once, so that explain_free finds what it took before it failed. */
        if (array_push(&docs->entry,
                       (struct explain_entry){
                           .name = t->key, .entry = t->key, .at_ = t, .doc_ = docs->n - 1}) < 0)
            return err_set(err, -ENOMEM, "%s: out of memory; free some", doc->name);
        rc = take_entry(doc, t, &docs->entry.at[docs->entry.n - 1], err);
        if (rc == 0)
            rc = take_others(docs, doc, t, err);
    }
    return rc;
}

static int take_document(struct docs *docs, const struct toml_doc *doc, struct err *err) {
    int rc = 0;
    for (const struct toml *t = doc->root->first; t && rc == 0; t = t->next) {
        const bool table = t->type == TOML_TABLE;
        if (table && strcmp(t->key, "entry") == 0)
            rc = take_entries(docs, doc, t, err);
        else if (table && strcmp(t->key, "reference") == 0)
            rc = toml_check_strings(doc, t, err);
        else
            rc = toml_err(doc, t, err, -EINVAL,
                          "found '%s'; expected tables [entry.NAME] or [reference]", t->key);
    }
    return rc;
}

static int load_text(struct docs *docs, const char *file, const char *text, size_t len,
                     struct err *err) {
    struct toml_doc doc;
    char name[128];
    struct strbuf sb = strbuf_on(name, sizeof(name));
    strbuf_add(&sb, "explain/%s.toml", file);
    const int rc = toml_parse(&doc, text, len, name, err);
    if (rc < 0)
        return rc;
    if (array_push(docs, doc) < 0) {
        toml_free(&doc);
        return err_set(err, -ENOMEM, "%s: out of memory; free some", name);
    }
    return take_document(docs, &docs->at[docs->n - 1], err);
}

/* --- all of it --- */

/* One name twice: in the order of the files, so that the second is complained of. */
static int by_place(const struct explain_entry *a, const struct explain_entry *b) {
    if (a->doc_ != b->doc_)
        return a->doc_ < b->doc_ ? -1 : 1;
    return a->at_->line - b->at_->line;
}

static int by_name(const void *a, const void *b) {
    const struct explain_entry *x = a, *y = b;
    const int order = str_order_names(x->name, y->name);
    if (order)
        return order;
    const int exact = strcmp(x->name, y->name); /* CISC of P-cores is not Cisc of E-cores */
    return exact ? exact : by_place(x, y);
}

static int check_twice(const struct docs *docs, struct err *err) {
    for (size_t i = 1; i < docs->entry.n; i++) {
        const struct explain_entry *e = &docs->entry.at[i];
        if (strcmp(e[-1].name, e->name) == 0)
            return toml_err(&docs->at[e->doc_], e->at_, err, -EINVAL,
                            "found a second entry for '%s'; expected one", e->name);
    }
    return 0;
}

/* Of what was loaded with this result; on failure nothing is left. */
static int finish(struct explain *ex, struct docs *docs, int rc, struct err *err) {
    *ex = (struct explain){.at = docs->entry.at, .n = docs->entry.n, .docs_ = docs};
    if (rc == 0 && ex->n) {
        qsort(ex->at, ex->n, sizeof(*ex->at), by_name);
        rc = check_twice(docs, err);
    }
    if (rc < 0)
        explain_free(ex);
    return rc;
}

static struct docs *docs_new(struct explain *ex, struct err *err) {
    struct docs *docs = calloc(1, sizeof(*docs));
    *ex = (struct explain){.docs_ = docs};
    if (!docs)
        err_set(err, -ENOMEM, "explain: out of memory; free some");
    return docs;
}

int explain_load_from(struct explain *ex, const struct embedded *files, struct err *err) {
    struct docs *docs = docs_new(ex, err);
    int rc = docs ? 0 : -ENOMEM;
    for (const struct embedded *f = files; f->name && rc == 0; f++)
        rc = load_text(docs, f->name, f->text, f->len, err);
    return docs ? finish(ex, docs, rc, err) : rc;
}

int explain_load(struct explain *ex, struct err *err) {
    return explain_load_from(ex, embedded_explain, err);
}

int explain_load_for(struct explain *ex, const struct model *m, struct err *err) {
    struct docs *docs = docs_new(ex, err);
    if (!docs)
        return -ENOMEM;
    docs->by_piece = true;
    if (!m)
        return 0;
    docs->fit = calloc(1, sizeof(*docs->fit));
    if (docs->fit && fit_init(docs->fit, m) == 0)
        return 0;
    explain_free(ex);
    return err_set(err, -ENOMEM, "explain: out of memory; free some");
}

static void free_entry(struct explain_entry *e) {
    for (int i = 0; i < N_FIELDS; i++)
        if (fields[i].type == FIELD_LIST)
            free(*(const char ***)((char *)e + fields[i].at));
    free(e->note);
}

void explain_free(struct explain *ex) {
    struct docs *docs = ex->docs_;
    for (size_t i = 0; i < ex->n; i++)
        if (explain_is_first(&ex->at[i]))
            free_entry(&ex->at[i]);
    for (size_t i = 0; docs && i < docs->n; i++)
        toml_free(&docs->at[i]);
    for (struct read_piece *p = docs ? docs->pieces : NULL; p;) {
        struct read_piece *next = p->next;
        explain_free(&p->ex);
        free(p);
        p = next;
    }
    if (docs && docs->fit)
        fit_destroy(docs->fit);
    if (docs) {
        free(docs->fit);
        array_free(&docs->entry);
        array_free(docs);
    }
    free(docs);
    *ex = (struct explain){0};
}

/* --- looking up --- */

static const struct embedded *file_of(const struct explain_place *place) {
    return &embedded_explain[place->file];
}

static int read_piece(struct explain *ex, const struct explain_place *at,
                      const struct explain_fit *fit) {
    const struct embedded *f = file_of(at);
    struct docs *docs = docs_new(ex, NULL);
    if (!docs)
        return -ENOMEM;
    int rc = finish(ex, docs, load_text(docs, f->name, f->text + at->at, at->len, NULL), NULL);
    if (rc == 0 && fit)
        fit_entries(fit, ex);
    return rc;
}

/* The entries that were read with the one of this name, now or before; or NULL. */
static const struct explain *piece_with(struct docs *docs, const char *name) {
    const struct explain_place *place = place_find(name);
    struct read_piece *p = docs->pieces;
    while (place && p && (p->place->file != place->file || p->place->at != place->at))
        p = p->next;
    if (!place || p)
        return place ? &p->ex : NULL;
    p = calloc(1, sizeof(*p));
    if (!p || read_piece(&p->ex, place, docs->fit) < 0) {
        free(p);
        return NULL;
    }
    p->place = place;
    p->next = docs->pieces;
    docs->pieces = p;
    return &p->ex;
}

/* ---- single texts of an entry, as they stand in the file ---- */

/* True where they are read so: `place` is that of the name, or NULL. */
static bool by_place_only(const struct explain *ex, const char *name,
                          const struct explain_place **place) {
    const struct docs *docs = ex->docs_;
    *place = docs && docs->by_piece ? place_find(name) : NULL;
    return docs && docs->by_piece;
}

static const char *copy_to_quote(const char *text, char *buf, size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    strbuf_add(&sb, "%.*s", (int)strcspn(text, "\""), text);
    return buf;
}

/* Behind "KEY = " of an entry. */
static const char *value_of(const struct explain_place *place, const char *key) {
    const char *at = file_of(place)->text + place->at, *end = at + place->len;
    const size_t len = strlen(key);
    while (at < end && (strncmp(at, key, len) != 0 || strncmp(at + len, " = ", 3) != 0))
        at += strcspn(at, "\n") + 1;
    return at < end ? at + len + 3 : "";
}

const char *explain_summary(const struct explain *ex, const char *name, char *buf, size_t cap) {
    const struct explain_place *place;
    if (by_place_only(ex, name, &place))
        return place ? copy_to_quote(file_of(place)->text + place->summary, buf, cap) : NULL;
    const struct explain_entry *e = explain_find(ex, name);
    return e ? str_copy(buf, cap, e->summary) : NULL;
}

const char *explain_description(const struct explain *ex, const char *name, char *buf, size_t cap) {
    const struct explain_place *place;
    if (by_place_only(ex, name, &place))
        return place ? copy_to_quote(value_of(place, "description") + 1, buf, cap) : NULL;
    const struct explain_entry *e = explain_find(ex, name);
    return e ? str_copy(buf, cap, e->description) : NULL;
}

const char *explain_hint(const struct explain *ex, const char *name, char *buf, size_t cap) {
    const struct explain_place *place;
    if (!by_place_only(ex, name, &place)) {
        const struct explain_entry *e = explain_find(ex, name);
        return e && e->hints[0] ? str_copy(buf, cap, e->hints[0]) : NULL;
    }
    const struct explain_fit *fit = ((const struct docs *)ex->docs_)->fit;
    const bool all = !fit || !fits_name(fit, name);
    const char *at = place ? value_of(place, "hints") : "";
    while (*(at += strcspn(at, "\"]")) == '"') {
        copy_to_quote(++at, buf, cap);
        if (all || fits_text(fit, buf))
            return buf;
        at += strcspn(at, "\"") + 1;
    }
    return NULL;
}

const struct explain_entry *explain_find(const struct explain *ex, const char *name) {
    struct docs *docs = ex->docs_;
    if (docs && docs->by_piece && !(ex = piece_with(docs, name)))
        return NULL;
    size_t low = 0, high = ex->n; /* the first that is not before it */
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (str_order_names(ex->at[mid].name, name) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    const struct explain_entry *found = NULL;
    for (; low < ex->n && str_same_name(ex->at[low].name, name); low++)
        if (!found || strcmp(ex->at[low].name, name) == 0)
            found = &ex->at[low];
    return found;
}

static bool is_by_piece(const struct explain *ex) {
    const struct docs *docs = ex->docs_;
    return docs && docs->by_piece;
}

size_t explain_n_names(const struct explain *ex) {
    return is_by_piece(ex) ? explain_n_places : ex->n;
}

const char *explain_name(const struct explain *ex, size_t i) {
    return is_by_piece(ex) ? explain_place_names + explain_places[i].name : ex->at[i].name;
}

bool explain_is_first(const struct explain_entry *e) {
    return e->name == e->entry;
}

/* Names of models; those that begin with "-" are ends of names. */
static const char *const ecores[] = {"-grt", "-cmt", "-skt", "-dkt", "srf", "cwf",
                                     "grr",  "snr",  "ehl",  "glm",  "glp"};

bool explain_is_ecore(const struct model *m) {
    for (size_t i = 0; i < sizeof(ecores) / sizeof(ecores[0]); i++)
        if (ecores[i][0] == '-' ? str_ends(m->name, ecores[i]) : !strcmp(m->name, ecores[i]))
            return true;
    return false;
}

bool explain_globs_match(const char *globs, const char *name) {
    char glob[32];
    for (const char *g = globs; *g; g += strspn(g, " ")) {
        const size_t n = strcspn(g, " ");
        str_copy(glob, n + 1 < sizeof(glob) ? n + 1 : sizeof(glob), g);
        if (fnmatch(glob, name, 0) == 0)
            return true;
        g += n;
    }
    return false;
}

bool explain_note_fits(const struct explain_note *note, const struct model *m) {
    if (str_same_name(note->of, "ecore"))
        return explain_is_ecore(m);
    if (str_same_name(note->of, "intel"))
        return str_same_name(m->vendor, "intel") && !explain_is_ecore(m);
    return str_same_name(note->of, m->vendor) || explain_globs_match(note->of, m->name);
}

static const char *book_of(struct docs *docs, const char *key) {
    if (docs && docs->by_piece && docs->n == 0)
        for (const struct embedded *f = embedded_explain; f->name; f++)
            if (strcmp(f->name, "references") == 0)
                load_text(docs, f->name, f->text, f->len, NULL);
    for (size_t i = 0; docs && i < docs->n; i++) {
        const struct toml *table = toml_get(docs->at[i].root, "reference");
        const struct toml *book = table ? toml_get(table, key) : NULL;
        if (book)
            return book->string;
    }
    return NULL;
}

void explain_read(const struct explain *ex, const char *name) {
    explain_find(ex, name);
    book_of(ex->docs_, "");
}

const char *explain_reference(const struct explain *ex, const char *reference, char *buf,
                              size_t cap) {
    char key[64];
    const size_t len = strcspn(reference, ":");
    str_copy(key, len + 1 < sizeof(key) ? len + 1 : sizeof(key), reference);
    const char *book = book_of(ex->docs_, key);
    struct strbuf sb = strbuf_on(buf, cap);
    strbuf_add(&sb, "%s%s", book ? book : "", book ? reference + len : reference);
    return buf;
}
