/*
 * The files that a model is made of: its own, those that it extends, the user's metrics, what every
 * model has (src/model/shared); and the one text that all of them are kept as.
 */
#include "base/str.h"
#include "model/load/model_load.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- the text of all files --- */

/*
 * The exact text that a model was made of: its own file, then each that it extends, then each of
 * the user's metrics that was added, joined by a line of a form feed, which no TOML file can hold.
 * A run keeps it, so that years later its values can be explained, whatever became of the files.
 */

static const char joint[] = "\f\n";
enum { JOINT = sizeof(joint) - 1 };

/* The joint at the begin of a line, or NULL. */
static const char *find_joint(const char *text, size_t len) {
    const char *at = text, *end = text + len;
    while ((at = memchr(at, joint[0], (size_t)(end - at)))) {
        const bool line = at == text || at[-1] == '\n';
        if (line && end - at >= JOINT && memcmp(at, joint, JOINT) == 0)
            return at;
        at++;
    }
    return NULL;
}

size_t join_first(const char *text, size_t len) {
    const char *at = find_joint(text, len);
    return at ? (size_t)(at - text) : len;
}

/* The text behind the joint at *at, and its length; *at becomes its end. */
static const char *next_text(const char *text, size_t len, size_t *at, size_t *n) {
    const char *next = text + *at + JOINT;
    *n = join_first(next, len - (size_t)(next - text));
    *at = (size_t)(next - text) + *n;
    return next;
}

int joined_add(struct loader *ld, const struct load_input *in, size_t at) {
    int rc = 0;
    for (int i = 1; at < in->len && rc == 0; i++) {
        char name[512];
        size_t len;
        snprintf(name, sizeof(name), "%s, metrics %d", in->name, i);
        const char *text = next_text(in->text, in->len, &at, &len);
        rc = extra_add(ld, &(struct embedded){.name = name, .text = text, .len = len});
    }
    return rc;
}

/* Files that are not for this model added nothing. */
static bool is_part(const struct model_file *file) {
    return !file->skipped;
}

static bool ends_line(const struct model_file *file) {
    return file->len == 0 || file->text[file->len - 1] == '\n';
}

static size_t joined_size(const struct model_file *file) {
    size_t n = 1;
    for (; file; file = file->next)
        n += is_part(file) ? file->len + 1 + JOINT : 0;
    return n;
}

int texts_keep(struct loader *ld) {
    char *text = arena_alloc(&ld->mem->arena, joined_size(ld->mem->file));
    if (!text)
        return load_no_memory(ld);
    char *at = text;
    for (const struct model_file *f = ld->mem->file; f; f = f->next) {
        if (!is_part(f))
            continue;
        if (f != ld->mem->file)
            at = (char *)memcpy(at, joint, JOINT) + JOINT;
        if (f->len)
            at = (char *)memcpy(at, f->text, f->len) + f->len;
        if (!ends_line(f))
            *at++ = '\n';
    }
    *at = '\0';
    ld->mem->text = text;
    return 0;
}

const char *model_text(const struct model *m) {
    const struct model_memory *mem = m->arena_;
    return mem && mem->text ? mem->text : "";
}

/* --- files beside the model --- */

/*
 * Files that add to a model that is there already: the user's own metrics, and what every model has
 * (src/model/shared). A file for every model may name what some of them lack; a file that says
 * which models it is for may not.
 */

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

/* --- files that the model extends --- */

/*
 * `extends = "spr"`: a model that differs from a built-in one in a few lines. Keys on top of the
 * file, events, latencies and metrics that it has replace those of its base, which may itself
 * extend another; all others are taken over, but for `match` and the metrics that `without` names.
 * A metric that the base lacks comes after the one that `after` names (first if ""), else after the
 * new one before it in the file, else last of its kind.
 */

enum { BASES_MAX = 8 };

/* ---- the files ---- */

const struct embedded *model_embedded(const char *name) {
    const struct embedded *e = embedded_models;
    while (e->name && strcasecmp(e->name, name) != 0)
        e++;
    return e->name ? e : NULL;
}

static int no_base(struct loader *ld, const struct toml *extends) {
    struct str_nearest near = {.to = extends->string, .below = 3};
    for (const struct embedded *e = embedded_models; e->name; e++)
        str_nearest(&near, e->name);
    return load_err(ld, extends, "extends '%s', but no built-in model is called so%s%s%s",
                    extends->string, near.best ? "; did you mean '" : "",
                    near.best ? near.best : "", near.best ? "'?" : "; tdtop models lists them");
}

static int base_add(struct loader *ld, const char *name, const char *text, size_t len) {
    struct model_file *file = arena_alloc(&ld->mem->arena, sizeof(*file));
    char title[96];
    snprintf(title, sizeof(title), "%s.toml (built in)", name);
    const char *kept = file ? arena_text(&ld->mem->arena, title, strlen(title)) : NULL;
    if (!kept)
        return load_no_memory(ld);
    *file = (struct model_file){.text = text, .len = len, .name = kept, .base = true};
    struct model_file **last = &ld->mem->file;
    while (*last)
        last = &(*last)->next;
    *last = file;
    int rc = toml_parse(&file->doc, text, len, kept, ld->err);
    file->has_doc = rc == 0;
    return rc;
}

/* A text that was kept with a run has its bases behind it (model_text), whatever they are today.
 */
int bases_open(struct loader *ld, const struct load_input *in, size_t *at) {
    const struct toml *extends = NULL;
    struct model_file *file = ld->mem->file;
    *at = join_first(in->text, in->len);
    for (int n = 0; (extends = toml_get(file->doc.root, "extends")) != NULL; n++) {
        ld->file = file;
        if (extends->type != TOML_STRING)
            return 0; /* reading the keys tells */
        if (n == BASES_MAX)
            return load_err(ld, extends, "extends '%s': more than %d files; is it a circle?",
                            extends->string, BASES_MAX);
        const struct embedded *e = model_embedded(extends->string);
        const char *text = e ? e->text : NULL;
        size_t len = e ? e->len : 0;
        if (*at < in->len) {
            text = next_text(in->text, in->len, at, &len);
        } else if (!e) {
            return no_base(ld, extends);
        }
        int rc = base_add(ld, extends->string, text, len);
        if (rc < 0)
            return rc;
        file = file->next;
    }
    return 0;
}

const struct toml *load_root_key(struct loader *ld, const char *key) {
    const struct toml *at = NULL;
    for (struct model_file *f = ld->mem->file; f && !at && !f->extra; f = f->next)
        if ((at = toml_get(f->doc.root, key)) != NULL)
            ld->file = f;
    return at ? at : ld->mem->file->doc.root;
}

/* ---- metrics of all of them, in order ---- */

static size_t find(const struct metric_list *list, const char *name) {
    size_t i = 0;
    while (i < list->n && strcasecmp(list->at[i].table->key, name) != 0)
        i++;
    return i;
}

static void take_out(struct metric_list *list, size_t i) {
    list->n--;
    memmove(list->at + i, list->at + i + 1, (list->n - i) * sizeof(*list->at));
}

static void put_in(struct metric_list *list, size_t i, struct metric_entry entry) {
    memmove(list->at + i + 1, list->at + i, (list->n - i) * sizeof(*list->at));
    list->at[i] = entry;
    list->n++;
}

static int drop(struct loader *ld, struct metric_list list[3], const struct toml *without) {
    for (const struct toml *v = without ? without->first : NULL; v; v = v->next) {
        bool found = false;
        for (int kind = 0; kind < 3 && v->type == TOML_STRING; kind++) {
            const size_t i = find(&list[kind], v->string);
            found |= i < list[kind].n;
            if (i < list[kind].n)
                take_out(&list[kind], i);
        }
        if (!found && v->type == TOML_STRING)
            return load_go_on(
                ld, load_err(ld, v, "without '%s': the base has no such metric", v->string));
    }
    return 0;
}

/* *next: where a new one comes that does not say so. */
static int merge_one(struct loader *ld, struct metric_list *list, const struct toml *table,
                     size_t *next) {
    const struct metric_entry entry = {table, ld->file};
    const struct toml *after = table->type == TOML_TABLE ? toml_get(table, "after") : NULL;
    const size_t same = find(list, table->key);
    if (same < list->n && list->at[same].file != ld->file && !after) {
        list->at[same] = entry;
        *next = list->n;
        return 0;
    }
    if (same < list->n && list->at[same].file != ld->file)
        take_out(list, same);
    size_t at = *next < list->n ? *next : list->n;
    if (after && after->type == TOML_STRING) {
        at = after->string[0] ? find(list, after->string) + 1 : 0;
        if (at > list->n)
            return load_err(ld, after, "after '%s': no metric of that kind is called so",
                            after->string);
    }
    put_in(list, at, entry);
    *next = at + 1;
    return 0;
}

static int merge_file(struct loader *ld, struct model_file *file, struct metric_list list[3]) {
    ld->file = file;
    int rc = drop(ld, list, toml_get(file->doc.root, "without"));
    for (int kind = 0; kind < 3 && rc == 0; kind++) {
        size_t next = SIZE_MAX;
        const struct toml *t = file->metric[kind] ? file->metric[kind]->first : NULL;
        for (; t && rc == 0; t = t->next)
            rc = load_go_on(ld, merge_one(ld, &list[kind], t, &next));
    }
    return rc;
}

/* From the last base to the model's own file. */
static int merge_from(struct loader *ld, struct model_file *file, struct metric_list list[3]) {
    int rc = file->next && file->next->base ? merge_from(ld, file->next, list) : 0;
    return rc < 0 ? rc : merge_file(ld, file, list);
}

int metrics_merge(struct loader *ld, size_t n, struct metric_list list[3]) {
    for (int kind = 0; kind < 3; kind++) {
        list[kind].n = 0;
        list[kind].at = arena_alloc(&ld->mem->arena, (n + 1) * sizeof(*list[kind].at));
        if (!list[kind].at)
            return load_no_memory(ld);
    }
    return merge_from(ld, ld->mem->file, list);
}
