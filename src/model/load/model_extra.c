/*
 * Files that add to a model that is there already: the user's own metrics, and what every model has
 * (src/model/shared). A file for every model may name what some of them lack; a file that says
 * which models it is for may not.
 */
#include "model/load/model_load.h"

#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(struct model_file, field)
static const struct key extra_keys[] = {
    {"for", KEY_STRINGS, AT(only_for), 0, 0},
    {"shared", KEY_BOOLEAN, AT(shared), 0, 0},
    {"event", KEY_TABLE, AT(event), 0, 0},
    {"latency", KEY_TABLE, AT(latency), 0, 0},
    {"metric", KEY_TABLE, AT(metric[METRIC_INFO]), 0, 0},
};
#undef AT

/* A model says who it is; a file of metrics has nothing of that. */
bool extra_recognise(const struct toml *root) {
    static const char *const identity[] = {"name", "title", "match"};
    bool model = false;
    for (size_t i = 0; i < sizeof(identity) / sizeof(identity[0]); i++)
        model |= toml_get(root, identity[i]) != NULL;
    return !model;
}

static bool is_for(const struct model_file *file, const char *model) {
    if (!file->only_for)
        return true;
    for (const char **glob = file->only_for; *glob; glob++)
        if (fnmatch(*glob, model, FNM_CASEFOLD) == 0)
            return true;
    return false;
}

/* Parses a file and puts it behind those that are there. */
static int file_add(struct loader *ld, const char *name, const char *text, size_t len,
                    char *own_text) {
    struct model_file *file = arena_alloc(&ld->mem->arena, sizeof(*file));
    if (!file) {
        free(own_text);
        return load_no_memory(ld);
    }
    *file = (struct model_file){
        .text = text, .len = len, .own_text = own_text, .extra = true, .name = name};
    struct model_file **last = &ld->mem->file;
    while (*last)
        last = &(*last)->next;
    *last = file;
    int rc = toml_parse(&file->doc, text, len, name, ld->err);
    if (rc < 0)
        return rc;
    file->has_doc = true;
    file->name = file->doc.name;
    ld->file = file;
    rc =
        keys_read(ld, file->doc.root, extra_keys, sizeof(extra_keys) / sizeof(extra_keys[0]), file);
    const struct toml *only_for = toml_get(file->doc.root, "for");
    if (rc == 0 && only_for && file->only_for && !file->only_for[0])
        rc = load_go_on(ld, load_err(ld, only_for, "'for' is empty: name models, or leave it out"));
    return rc;
}

/* A file that is not for this model stays, but adds nothing. */
static void file_skip(struct model_file *file) {
    file->event = file->latency = file->metric[METRIC_INFO] = NULL;
    file->skipped = true;
}

static int extra_open(struct loader *ld, const char *path) {
    char *text = NULL;
    size_t len = 0;
    int rc = str_read_file(path, MODEL_SIZE_MAX, &text, &len, ld->err);
    if (rc < 0)
        return rc;
    rc = file_add(ld, path, text, len, text);
    if (rc == 0 && !is_for(ld->file, ld->m->name))
        file_skip(ld->file);
    return rc;
}

int extra_add(struct loader *ld, const struct embedded *extra) {
    return file_add(ld, extra->name, extra->text, extra->len, NULL);
}

int shared_add(struct loader *ld) {
    int rc = 0;
    for (const struct embedded *e = embedded_shared; e->name && rc == 0; e++)
        rc = extra_add(ld, e);
    return rc;
}

static int toml_only(const struct dirent *d) {
    return d->d_name[0] != '.' && str_ends(d->d_name, ".toml");
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

int extras_open(struct loader *ld, const char *dir) {
    struct dirent **list = NULL;
    int n = scandir(dir, &list, toml_only, by_name);
    if (n < 0 && errno == ENOENT)
        return 0;
    if (n < 0)
        return err_set(ld->err, -errno, "metrics in %s: %s; mend or remove it", dir,
                       strerror(errno));
    int rc = 0;
    for (int i = 0; i < n; i++) {
        char path[4096];
        if (rc == 0 &&
            snprintf(path, sizeof(path), "%s/%s", dir, list[i]->d_name) >= (int)sizeof(path))
            rc = err_set(ld->err, -ENAMETOOLONG, "%s/%s: too long a name", dir, list[i]->d_name);
        if (rc == 0)
            rc = extra_open(ld, path);
        free(list[i]);
    }
    free(list);
    return rc;
}
