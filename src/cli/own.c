#include "cli/own.h"

#include "base/str.h"
#include "base/toml.h"

#include <dirent.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

static void note_metrics(const struct model *m, struct strbuf *sb) {
    const struct metric *first = NULL;
    unsigned n = 0;
    for (uint32_t i = 0; i < m->n_metric; i++) {
        if (!m->metric[i].own || !m->metric[i].unavailable)
            continue;
        if (n++ == 0)
            first = &m->metric[i];
    }
    if (n == 0)
        return;
    strbuf_add(sb,
               n == 1 ? "%u own metric is unavailable: " : "%u own metrics are unavailable: ", n);
    strbuf_add(sb, "%s: %s", first->name, first->unavailable);
}

/* A model in a folder of the user's counts too: that it is the one in use is all that is known. */
static bool fits_any(const struct toml *globs, const struct model *m) {
    for (const struct toml *g = globs->first; g; g = g->next) {
        if (g->type != TOML_STRING || fnmatch(g->string, m->name, FNM_CASEFOLD) == 0)
            return true;
        for (const struct embedded *e = embedded_models; e->name; e++)
            if (fnmatch(g->string, e->name, FNM_CASEFOLD) == 0)
                return true;
    }
    return globs->n == 0;
}

static void note_file(const struct model *m, const char *dir, const char *file, struct strbuf *sb) {
    char path[4096];
    struct toml_doc doc = {0};
    if (snprintf(path, sizeof(path), "%s/%s", dir, file) >= (int)sizeof(path) ||
        toml_parse_file(&doc, path, NULL) < 0)
        return; /* model_open has said so */
    const struct toml *globs = toml_get(doc.root, "for");
    if (globs && globs->type == TOML_ARRAY && !fits_any(globs, m))
        strbuf_add(sb, "%s%s: 'for' fits no model, so nothing of it is used (tdtop models --check)",
                   sb->n ? "; " : "", file);
    toml_free(&doc);
}

static int toml_only(const struct dirent *d) {
    return d->d_name[0] != '.' && str_ends(d->d_name, ".toml");
}

const char *own_note(const struct model *m, const char *dir, char *buf, size_t cap) {
    struct strbuf sb = strbuf_on(buf, cap);
    struct dirent **list = NULL;
    buf[0] = '\0';
    note_metrics(m, &sb);
    int n = dir ? scandir(dir, &list, toml_only, alphasort) : 0;
    for (int i = 0; i < n; i++) {
        note_file(m, dir, list[i]->d_name, &sb);
        free(list[i]);
    }
    free(list);
    return buf;
}
