/* Tables of keys with their types, so that reading, checking and naming them is one loop. */
#include "model/load/model_load.h"

#include "base/str.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static bool type_fits(enum key_kind kind, enum toml_type type) {
    switch (kind) {
    case KEY_STRING:
    case KEY_TEXT:
        return type == TOML_STRING;
    case KEY_INTEGER:
        return type == TOML_INTEGER;
    case KEY_FLOAT:
        return type == TOML_FLOAT || type == TOML_INTEGER;
    case KEY_BOOLEAN:
        return type == TOML_BOOLEAN;
    case KEY_STRINGS:
        return type == TOML_ARRAY;
    case KEY_TABLE:
        return type == TOML_TABLE;
    case KEY_THRESHOLD:
        return type == TOML_STRING || type == TOML_INTEGER || type == TOML_FLOAT;
    }
    return false;
}

static const char *const kind_names[] = {
    [KEY_STRING] = "a string",
    [KEY_INTEGER] = "an integer",
    [KEY_FLOAT] = "a number",
    [KEY_BOOLEAN] = "a boolean",
    [KEY_STRINGS] = "an array of strings",
    [KEY_TABLE] = "a table",
    [KEY_TEXT] = "a string",
    [KEY_THRESHOLD] = "a number or a string",
};

/* Names and texts of a model reach the terminal: nothing in them may steer it. Line ends are for
 * formulas. */
static int text_check(struct loader *ld, const struct toml *v) {
    if (str_find_unsafe(v->string, "\n\t"))
        return load_err(ld, v, "'%s' holds a control character; write plain text",
                        v->key ? v->key : "list");
    return 0;
}

static int strings_read(struct loader *ld, const struct toml *array, const char ***out) {
    const char **list = arena_alloc(&ld->mem->arena, (array->n + 1) * sizeof(*list));
    if (!list)
        return load_no_memory(ld);
    size_t n = 0;
    for (const struct toml *v = array->first; v; v = v->next) {
        if (v->type != TOML_STRING)
            return load_err(ld, v, "'%s' holds a %s here, expected strings only", array->key,
                            toml_type_name(v->type));
        int rc = text_check(ld, v);
        if (rc < 0)
            return rc;
        list[n++] = v->string;
    }
    *out = list;
    return 0;
}

double toml_number(const struct toml *v) {
    return v->type == TOML_FLOAT ? v->real : (double)v->integer;
}

static int value_read(struct loader *ld, const struct key *key, const struct toml *v, void *field) {
    if (!type_fits(key->kind, v->type))
        return load_err(ld, v, "'%s' is of type %s, expected %s", key->name,
                        toml_type_name(v->type), kind_names[key->kind]);
    switch (key->kind) {
    case KEY_STRING:
        memcpy(field, &v->string, sizeof(v->string));
        return text_check(ld, v);
    case KEY_INTEGER:
        if (v->integer < key->min || v->integer > key->max)
            return load_err(ld, v, "'%s' is %" PRId64 ", expected %" PRId64 " to %" PRId64,
                            key->name, v->integer, key->min, key->max);
        memcpy(field, &v->integer, sizeof(v->integer));
        return 0;
    case KEY_FLOAT:
        memcpy(field, &(double){toml_number(v)}, sizeof(double));
        return 0;
    case KEY_BOOLEAN:
        memcpy(field, &v->boolean, sizeof(v->boolean));
        return 0;
    case KEY_STRINGS:
        return strings_read(ld, v, field);
    default:
        memcpy(field, &v, sizeof(v));
        return 0;
    }
}

/* The key that is spelt nearly so, or NULL: two wrong letters, but not half of the word. */
static const char *nearest_key(const char *name, const struct key *keys, size_t n) {
    const char *best = NULL;
    int least = 3;
    for (size_t i = 0; i < n; i++) {
        const int d = str_distance(keys[i].name, name);
        if (d < least && (size_t)d * 2 < strlen(name)) {
            least = d;
            best = keys[i].name;
        }
    }
    return best;
}

static int unknown_key(struct loader *ld, const struct toml *v, const struct key *keys, size_t n) {
    char known[512];
    const char *near = nearest_key(v->key, keys, n);
    if (near)
        return load_err(ld, v, "unknown key '%s'; did you mean '%s'?", v->key, near);
    struct strbuf sb = strbuf_on(known, sizeof(known));
    for (size_t i = 0; i < n; i++)
        strbuf_add(&sb, "%s%s", i ? ", " : "", keys[i].name);
    return load_err(ld, v, "unknown key '%s'; known: %s", v->key, known);
}

int keys_read(struct loader *ld, const struct toml *table, const struct key *keys, size_t n_keys,
              void *out) {
    for (const struct toml *v = table->first; v; v = v->next) {
        size_t k = 0;
        while (k < n_keys && (keys[k].name[0] != v->key[0] || strcmp(keys[k].name, v->key)))
            k++;
        int rc = k < n_keys ? value_read(ld, &keys[k], v, (char *)out + keys[k].offset)
                            : unknown_key(ld, v, keys, n_keys);
        if (load_go_on(ld, rc) < 0)
            return rc;
    }
    return 0;
}
