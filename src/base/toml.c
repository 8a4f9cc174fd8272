/*
 * Memory, lookup and typed access of TOML documents. Parsing is in toml_parse.c (keys, tables,
 * arrays), toml_string.c, toml_number.c and toml_date.c.
 */
#include "base/toml_impl.h"

#include "base/str.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory: blocks that are freed together ---- */

struct block {
    struct block *next;
    size_t used, cap;
    _Alignas(8) char bytes[];
};

/* Each block is twice the one before, up to what malloc does not yet map alone. */
enum { FIRST_BYTES = 2 * 1024, BLOCK_BYTES = 60 * 1024 };

static void *arena_alloc(struct toml_doc *doc, size_t size) {
    struct block *b = doc->arena_;
    size = (size + 7) & ~(size_t)7; /* nothing here is stricter than a pointer or a double */
    if (!b || b->cap - b->used < size) {
        const size_t next = !b ? FIRST_BYTES : b->cap < BLOCK_BYTES / 2 ? 2 * b->cap : BLOCK_BYTES;
        const size_t cap = size > next ? size : next;
        b = malloc(sizeof(*b) + cap);
        if (!b)
            return NULL;
        *b = (struct block){.next = doc->arena_, .cap = cap};
        doc->arena_ = b;
    }
    void *p = b->bytes + b->used;
    b->used += size;
    return p;
}

void *toml_alloc(struct toml_parser *ps, size_t size) {
    void *p = arena_alloc(ps->doc, size);
    if (!p) {
        err_set(ps->err, -ENOMEM, "%s: out of memory; free some", ps->doc->name);
        return NULL;
    }
    return memset(p, 0, size);
}

char *toml_alloc_text(struct toml_parser *ps, const char *text, size_t len) {
    char *copy = toml_alloc(ps, len + 1);
    return copy ? memcpy(copy, text, len) : NULL;
}

void toml_free(struct toml_doc *doc) {
    for (struct block *b = doc->arena_; b;) {
        struct block *next = b->next;
        free(b);
        b = next;
    }
    *doc = (struct toml_doc){0};
}

/* ---- tables ---- */

/* Open addressing, at most half full. Small tables have none: reading a few keys is faster. */
struct index {
    size_t cap; /* a power of two */
    struct toml *slot[];
};

enum { INDEX_FROM = 8 }; /* keys */

static size_t key_hash(const char *key) { /* FNV-1a */
    uint64_t h = 0xcbf29ce484222325u;
    for (; *key; key++)
        h = (h ^ (unsigned char)*key) * 0x100000001b3u;
    return (size_t)(h ^ h >> 32);
}

/* The slot that holds the key, or the free one where it belongs. */
static struct toml **index_slot(struct index *index, const char *key) {
    size_t i = key_hash(key) & (index->cap - 1);
    while (index->slot[i] && strcmp(index->slot[i]->key, key) != 0)
        i = (i + 1) & (index->cap - 1);
    return &index->slot[i];
}

static int index_add(struct toml_parser *ps, struct toml *table, struct toml *value) {
    struct index *index = table->index_;
    if (index && table->n * 2 <= index->cap) {
        *index_slot(index, value->key) = value;
        return 0;
    }
    const size_t cap = index ? index->cap * 2 : INDEX_FROM * 4;
    index = toml_alloc(ps, sizeof(*index) + cap * sizeof(struct toml *));
    if (!index)
        return -ENOMEM;
    index->cap = cap;
    for (struct toml *t = table->first; t; t = t->next)
        *index_slot(index, t->key) = t;
    table->index_ = index;
    return 0;
}

int toml_append(struct toml_parser *ps, struct toml *to, struct toml *value) {
    if (to->last_)
        to->last_->next = value;
    else
        to->first = value;
    to->last_ = value;
    to->n++;
    return to->type == TOML_TABLE && to->n > INDEX_FROM ? index_add(ps, to, value) : 0;
}

const struct toml *toml_get(const struct toml *table, const char *key) {
    if (!table || table->type != TOML_TABLE)
        return NULL;
    if (table->index_)
        return *index_slot(table->index_, key);
    const struct toml *t = table->first;
    while (t && strcmp(t->key, key) != 0)
        t = t->next;
    return t;
}

/* ---- errors ---- */

void toml_place(struct toml_parser *ps, const char *at, int *line, int *col) {
    if (at < ps->mark) {
        ps->mark = ps->text;
        ps->mark_line = ps->mark_col = 1;
    }
    for (; ps->mark < at; ps->mark++) {
        if (*ps->mark == '\n')
            ps->mark_line++, ps->mark_col = 1;
        else if (((unsigned char)*ps->mark & 0xC0) != 0x80)
            ps->mark_col++;
    }
    *line = ps->mark_line;
    *col = ps->mark_col;
}

static int fail_at(struct toml_parser *ps, const char *at, const char *found, const char *fmt,
                   va_list ap) __attribute__((format(printf, 4, 0)));

static int fail_at(struct toml_parser *ps, const char *at, const char *found, const char *fmt,
                   va_list ap) {
    char words[512];
    int line, col;
    vsnprintf(words, sizeof(words), fmt, ap);
    toml_place(ps, at, &line, &col);
    return err_set(ps->err, -EINVAL, "%s:%d:%d: %s%s", ps->doc->name, line, col, found, words);
}

int toml_fail(struct toml_parser *ps, const char *at, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    const int rc = fail_at(ps, at, "", fmt, ap);
    va_end(ap);
    return rc;
}

int toml_fail_expected(struct toml_parser *ps, const char *at, const char *fmt, ...) {
    char found[64];
    struct strbuf sb = strbuf_on(found, sizeof(found));
    char character[5] = {0};
    for (size_t i = 0; i < 4 && at + i < ps->end; i++)
        character[i] = at[i];
    size_t used;
    const uint32_t cp = str_decode(character, &used);
    character[used] = '\0';
    if (at >= ps->end)
        strbuf_add(&sb, "found the end of the file; expected ");
    else if (cp == '\n' || cp == '\r')
        strbuf_add(&sb, "found the end of the line; expected ");
    else if (cp == ' ' || cp == '\t')
        strbuf_add(&sb, "found a %s; expected ", cp == ' ' ? "space" : "tab");
    else if (str_cp_width(cp) == 0)
        strbuf_add(&sb, "found U+%04X; expected ", (unsigned)cp);
    else
        strbuf_add(&sb, "found '%s'; expected ", character);
    va_list ap;
    va_start(ap, fmt);
    const int rc = fail_at(ps, at, found, fmt, ap);
    va_end(ap);
    return rc;
}

int toml_err(const struct toml_doc *doc, const struct toml *at, struct err *err, int code,
             const char *fmt, ...) {
    char words[sizeof(err->text)];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(words, sizeof(words), fmt, ap);
    va_end(ap);
    return err_set(err, code, "%s:%d:%d: %s", doc->name, at->line, at->col, words);
}

/* ---- parsing ---- */

int toml_parse(struct toml_doc *doc, const char *text, size_t len, const char *name,
               struct err *err) {
    *doc = (struct toml_doc){.name = name};
    const char *first = text + str_bom(text, len);
    struct toml_parser ps = {
        .text = first,
        .end = text + len,
        .p = first,
        .doc = doc,
        .err = err,
        .mark = first,
        .mark_line = 1,
        .mark_col = 1,
        .c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0),
    };
    if (!ps.c_locale)
        return err_set(err, -ENOMEM, "%s: no memory for a locale; free some", name);
    const char *copy = toml_alloc_text(&ps, name, strlen(name));
    int rc = -ENOMEM;
    if (copy) {
        doc->name = copy;
        rc = toml_parse_document(&ps);
    }
    freelocale(ps.c_locale);
    if (rc < 0)
        toml_free(doc);
    return rc;
}

enum { FILE_BYTES_MAX = 16 << 20 };

int toml_parse_file(struct toml_doc *doc, const char *path, struct err *err) {
    *doc = (struct toml_doc){0};
    char *text;
    size_t len;
    int rc = str_read_file(path, FILE_BYTES_MAX, &text, &len, err);
    if (rc < 0)
        return rc;
    rc = toml_parse(doc, text, len, path, err);
    free(text);
    return rc;
}

/* ---- typed access ---- */

const char *toml_type_name(enum toml_type type) {
    static const char *const names[] = {
        [TOML_TABLE] = "table",
        [TOML_ARRAY] = "array",
        [TOML_STRING] = "string",
        [TOML_INTEGER] = "integer",
        [TOML_FLOAT] = "float",
        [TOML_BOOLEAN] = "boolean",
        [TOML_OFFSET_DATETIME] = "offset date-time",
        [TOML_LOCAL_DATETIME] = "local date-time",
        [TOML_LOCAL_DATE] = "local date",
        [TOML_LOCAL_TIME] = "local time",
    };
    return names[type];
}

static int wrong_type(const struct toml_doc *doc, const struct toml *t, enum toml_type wanted,
                      struct err *err) {
    return toml_err(doc, t, err, -EINVAL, "found %s for '%s'; expected %s", toml_type_name(t->type),
                    t->key, toml_type_name(wanted));
}

int toml_take_string(const struct toml_doc *doc, const struct toml *table, const char *key,
                     const char **out, struct err *err) {
    const struct toml *t = toml_get(table, key);
    if (!t)
        return 0;
    if (t->type != TOML_STRING)
        return wrong_type(doc, t, TOML_STRING, err);
    *out = t->string;
    return 0;
}

int toml_take_int(const struct toml_doc *doc, const struct toml *table, const char *key,
                  int64_t min, int64_t max, int64_t *out, struct err *err) {
    const struct toml *t = toml_get(table, key);
    if (!t)
        return 0;
    if (t->type != TOML_INTEGER)
        return wrong_type(doc, t, TOML_INTEGER, err);
    if (t->integer < min || t->integer > max)
        return toml_err(doc, t, err, -EINVAL,
                        "found %" PRId64 " for '%s'; expected %" PRId64 " to %" PRId64, t->integer,
                        key, min, max);
    *out = t->integer;
    return 0;
}

int toml_take_real(const struct toml_doc *doc, const struct toml *table, const char *key,
                   double *out, struct err *err) {
    const struct toml *t = toml_get(table, key);
    if (!t)
        return 0;
    if (t->type != TOML_FLOAT && t->type != TOML_INTEGER)
        return wrong_type(doc, t, TOML_FLOAT, err);
    *out = t->type == TOML_FLOAT ? t->real : (double)t->integer;
    return 0;
}

int toml_take_bool(const struct toml_doc *doc, const struct toml *table, const char *key, bool *out,
                   struct err *err) {
    const struct toml *t = toml_get(table, key);
    if (!t)
        return 0;
    if (t->type != TOML_BOOLEAN)
        return wrong_type(doc, t, TOML_BOOLEAN, err);
    *out = t->boolean;
    return 0;
}

int toml_strings(const struct toml_doc *doc, const struct toml *value, const char ***out,
                 struct err *err) {
    if (value->type != TOML_ARRAY)
        return toml_err(doc, value, err, -EINVAL, "found %s for '%s'; expected array of strings",
                        toml_type_name(value->type), value->key);
    const char **list = calloc(value->n + 1, sizeof(*list));
    if (!list)
        return err_set(err, -ENOMEM, "%s: out of memory; free some", doc->name);
    *out = list;
    for (const struct toml *t = value->first; t; t = t->next) {
        if (t->type != TOML_STRING)
            return toml_err(doc, t, err, -EINVAL, "found %s in '%s'; expected string",
                            toml_type_name(t->type), value->key);
        *list++ = t->string;
    }
    return 0;
}
