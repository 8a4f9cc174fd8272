#include "model/explain_names.h"

#include "base/str.h"
#include "model/model.h"

#include <string.h>

enum { NEAREST_MAX = 3, WORTH_SEARCHING = 3 };

static void add_choice(struct explain_choices *c, const struct explain_entry *e) {
    if (c->n < EXPLAIN_CHOICES_MAX)
        c->at[c->n++] = e;
    c->all++;
}

/* --- paths --- */

static const char *last_part(const char *path) {
    const char *part = path;
    for (const char *p = path; *p; p++)
        if (*p == '/' || *p == '.')
            part = p + 1;
    return part;
}

/* Does the path end in these parts? "Memory_Bound.L3_Bound" is an end of L3_Bound's. */
static bool ends_in(const char *path, const char *parts) {
    const size_t n = strlen(path), k = strlen(parts);
    if (k > n || !str_same_name(path + n - k, parts))
        return false;
    return k == n || path[n - k - 1] == '.';
}

static bool has_path(const struct explain_models *ms, const char *parts) {
    for (size_t i = 0; i < ms->n; i++)
        for (uint32_t k = 0; k < ms->at[i].n_metric; k++)
            if (ends_in(ms->at[i].metric[k].path, parts))
                return true;
    return false;
}

static const struct explain_entry *by_path(const struct explain *ex,
                                           const struct explain_models *ms, const char *name) {
    char path[512];
    str_copy(path, sizeof(path), name);
    for (char *p = path; *p; p++)
        if (*p == '/')
            *p = '.';
    if (!strchr(path, '.') || !has_path(ms, path))
        return NULL;
    return explain_find(ex, last_part(path));
}

/* --- what others call it --- */

static const struct explain_entry *by_vendor(const struct explain *ex,
                                             const struct explain_models *ms, const char *name) {
    for (size_t i = 0; i < ms->n; i++)
        for (uint32_t k = 0; k < ms->at[i].n_metric; k++) {
            const struct metric *mt = &ms->at[i].metric[k];
            if (mt->vendor && str_same_name(mt->vendor, name))
                return explain_find(ex, mt->name);
        }
    return NULL;
}

/* perf prefixes the names of the TMA tree, and groups of it. */
static const struct explain_entry *by_perf(const struct explain *ex, const char *name) {
    char bare[256];
    if (strncmp(name, "tma_", 4) != 0)
        return NULL;
    str_copy(bare, sizeof(bare), name + 4);
    return explain_find(ex, bare);
}

/* --- parts of names --- */

static bool begins(const char *name, const char *with) {
    char head[256];
    const size_t n = strlen(with);
    if (n + 1 > sizeof(head) || strlen(name) < n)
        return false;
    str_copy(head, n + 1, name);
    return str_same_name(head, with);
}

static bool contains(const char *name, const char *part) {
    for (; *name; name++)
        if (begins(name, part))
            return true;
    return false;
}

static void collect(const struct explain *ex, const char *name,
                    bool (*fits)(const char *, const char *), struct explain_choices *c) {
    for (size_t i = 0; i < ex->n; i++)
        if (fits(ex->at[i].name, name))
            add_choice(c, &ex->at[i]);
}

const struct explain_entry *explain_resolve(const struct explain *ex,
                                            const struct explain_models *ms, const char *name,
                                            struct explain_choices *c) {
    *c = (struct explain_choices){0};
    if (!name[0])
        return NULL;
    const struct explain_entry *e = explain_find(ex, name);
    if (!e)
        e = by_path(ex, ms, name);
    if (!e)
        e = by_vendor(ex, ms, name);
    if (!e)
        e = by_perf(ex, name);
    if (e || strpbrk(name, "/."))
        return e;
    collect(ex, name, begins, c);
    if (c->n == 0 && strlen(name) >= WORTH_SEARCHING)
        collect(ex, name, contains, c);
    if (c->all != 1)
        return NULL;
    e = c->at[0];
    *c = (struct explain_choices){0};
    return e;
}

void explain_nearest(const struct explain *ex, const char *name, struct explain_choices *c) {
    const char *leaf = last_part(name);
    int distance[NEAREST_MAX];
    const int most = (int)strlen(leaf) / 3 + 1;
    *c = (struct explain_choices){0};
    for (size_t i = 0; i < ex->n; i++) {
        const int d = str_distance(leaf, ex->at[i].name);
        if (d >= most || d >= 8 || (c->n == NEAREST_MAX && d >= distance[c->n - 1]))
            continue;
        size_t at = c->n < NEAREST_MAX ? c->n++ : c->n - 1;
        for (; at > 0 && d < distance[at - 1]; at--) {
            distance[at] = distance[at - 1];
            c->at[at] = c->at[at - 1];
        }
        distance[at] = d;
        c->at[at] = &ex->at[i];
    }
    c->all = c->n;
}
