#include "pmu/host/fallback_find.h"

#include "base/log.h"
#include "base/str.h"
#include "base/toml.h"
#include "model/load/model_index.h"
#include "model/load/model_load.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { NO_MATCH = 99 };

struct best {
    int rank; /* 0 is what was wished for */
    char *name;
    size_t cap;
};

/* How well a model's core type fits: 0 best, NO_MATCH not at all. */
static int rank_kind(const char *core_type, const char *kind) {
    static const char *const sizes[] = {"", "core", "atom", "lowpower"};
    if (kind[0])
        return strcmp(core_type, kind) == 0 ? 0 : NO_MATCH;
    for (int i = 0; i < (int)(sizeof(sizes) / sizeof(sizes[0])); i++)
        if (strcmp(sizes[i], core_type) == 0)
            return i;
    return NO_MATCH;
}

static const char *text_of(const struct toml *root, const char *key, const char *absent) {
    const struct toml *v = toml_get(root, key);
    return v && v->type == TOML_STRING ? v->string : absent;
}

/* What a file lacks is as in the built-in model that it extends. */
static const char *inherited(const struct toml *root, const char *key, bool rung) {
    const char *base = text_of(root, "extends", "");
    size_t i = 0;
    while (embedded_models[i].name && strcasecmp(embedded_models[i].name, base) != 0)
        i++;
    const struct model_index *x = embedded_models[i].name ? &model_indexes[i] : NULL;
    return text_of(root, key, x ? model_index_text + (rung ? x->rung : x->core_type) : "");
}

static bool has_match(const struct toml *root, const char *id) {
    const struct toml *match = toml_get(root, "match");
    if (!match || match->type != TOML_ARRAY)
        return false;
    for (const struct toml *p = match->first; p; p = p->next)
        if (p->type == TOML_STRING && machine_matches(p->string, id))
            return true;
    return false;
}

/*
 * Only the keys before the first table are parsed: the identity stands there, and a whole model is
 * a thousand times as long. What cannot be read fits nothing, and the log says why.
 */
static int rank_text(const char *text, size_t len, const char *file,
                     const struct fallback_wish *wish) {
    const char *end = len && text[0] == '[' ? text : strstr(text, "\n[");
    size_t head = end ? (size_t)(end - text) : len;
    struct toml_doc doc = {0};
    struct err err = {0};
    if (toml_parse(&doc, text, head, file, &err)) {
        log_line("ladder: %s", err.text);
        return NO_MATCH;
    }
    int rank = NO_MATCH;
    if (strcmp(inherited(doc.root, "rung", true), wish->rung) == 0 && has_match(doc.root, wish->id))
        rank = rank_kind(inherited(doc.root, "core_type", false), wish->kind);
    toml_free(&doc);
    return rank;
}

static void keep_better(struct best *best, int rank, const char *name, size_t len) {
    if (rank >= best->rank)
        return;
    best->rank = rank;
    snprintf(best->name, best->cap, "%.*s", (int)len, name);
}

/* ---- the user's folder ---- */

/* Editors keep their own copies in dot files. */
static int toml_only(const struct dirent *d) {
    return d->d_name[0] != '.' && str_ends(d->d_name, ".toml");
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void search_file(const char *dir, const char *file, const struct fallback_wish *wish,
                        struct best *best) {
    char path[4096], *text = NULL;
    struct err err = {0};
    size_t len = 0, n_name = strlen(file) - strlen(".toml");
    if (n_name >= best->cap ||
        snprintf(path, sizeof(path), "%s/%s", dir, file) >= (int)sizeof(path)) {
        log_line("ladder: %s/%s: too long a name", dir, file);
        return;
    }
    if (str_read_file(path, MODEL_SIZE_MAX, &text, &len, &err) == 0)
        keep_better(best, rank_text(text, len, path, wish), file, n_name);
    else
        log_line("ladder: %s", err.text);
    free(text);
}

/* Of files that fit alike the first by name is taken, wherever the file system has put them. */
static void search_dir(const char *dir, const struct fallback_wish *wish, struct best *best) {
    struct dirent **list = NULL;
    int n = scandir(dir, &list, toml_only, by_name);
    if (n < 0 && errno != ENOENT)
        log_line("ladder: %s: %s", dir, strerror(errno));
    for (int i = 0; i < n; i++) {
        if (best->rank > 0)
            search_file(dir, list[i]->d_name, wish, best);
        free(list[i]);
    }
    free(list);
}

/* ---- the built-in ones ---- */

static int rank_embedded(const struct model_index *x, const struct fallback_wish *wish) {
    if (strcmp(model_index_text + x->rung, wish->rung) != 0)
        return NO_MATCH;
    for (uint16_t i = 0; i < x->n_match; i++)
        if (machine_matches(model_index_text + model_index_matches[x->match + i], wish->id))
            return rank_kind(model_index_text + x->core_type, wish->kind);
    return NO_MATCH;
}

/* A file of the user's goes before the built-in one of its name, fit or not. */
static void search_embedded(const struct model_places *places, const struct fallback_wish *wish,
                            struct best *best) {
    for (size_t i = 0; embedded_models[i].name && best->rank > 0; i++) {
        const char *name = embedded_models[i].name;
        const int rank = rank_embedded(&model_indexes[i], wish);
        if (rank < best->rank && !model_is_users(places, name))
            keep_better(best, rank, name, strlen(name));
    }
}

bool fallback_search(const struct model_places *places, const struct fallback_wish *wish,
                     char *name, size_t cap) {
    struct best best = {.rank = NO_MATCH, .name = name, .cap = cap};
    if (places && places->models)
        search_dir(places->models, wish, &best);
    if (best.rank < NO_MATCH)
        return true;
    search_embedded(places, wish, &best);
    return best.rank < NO_MATCH;
}

bool fallback_find(const struct model_places *places, const char *id, const char *kind, char *name,
                   size_t cap) {
    struct fallback_wish wish = {"full", id, kind ? kind : ""};
    return fallback_search(places, &wish, name, cap);
}
