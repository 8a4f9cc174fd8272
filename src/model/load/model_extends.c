/*
 * `extends = "spr"`: a model that differs from a built-in one in a few lines. Keys on top of the
 * file, events, latencies and metrics that it has replace those of its base, which may itself
 * extend another; all others are taken over, but for `match` and the metrics that `without` names.
 * A metric that the base lacks comes after the one that `after` names (first if ""), else after the
 * new one before it in the file, else last of its kind.
 */
#include "model/load/model_load.h"

#include "base/str.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { BASES_MAX = 8 };

/* ---- the files ---- */

const struct embedded *model_embedded(const char *name) {
    const struct embedded *e = embedded_models;
    while (e->name && strcasecmp(e->name, name) != 0)
        e++;
    return e->name ? e : NULL;
}

static int no_base(struct loader *ld, const struct toml *extends) {
    const char *nearest = NULL;
    int least = 3;
    for (const struct embedded *e = embedded_models; e->name; e++) {
        const int d = str_distance(extends->string, e->name);
        if (d < least) {
            least = d;
            nearest = e->name;
        }
    }
    return load_err(ld, extends, "extends '%s', but no built-in model is called so%s%s%s",
                    extends->string, nearest ? "; did you mean '" : "", nearest ? nearest : "",
                    nearest ? "'?" : "; tdtop models lists them");
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

/* A text that was kept with a run has its bases behind it (model_join.c), whatever they are today.
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
            text = join_next(in->text, in->len, at, &len);
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
