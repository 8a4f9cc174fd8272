/*
 * The exact text that a model was made of: its own file, then each that it extends, then each of
 * the user's metrics that was added, joined by a line of a form feed, which no TOML file can hold.
 * A run keeps it, so that years later its values can be explained, whatever became of the files.
 */
#include "model/load/model_load.h"

#include <stdio.h>
#include <string.h>

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

const char *join_next(const char *text, size_t len, size_t *at, size_t *n) {
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
        const char *text = join_next(in->text, in->len, &at, &len);
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
