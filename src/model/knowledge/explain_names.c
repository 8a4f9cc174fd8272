#include "model/knowledge/explain_names.h"

#include "base/str.h"
#include "model/load/model.h"
#include "model/load/model_text.h"

#include <string.h>

enum { NEAREST_MAX = 3, WORTH_SEARCHING = 3 };

static void add_choice(struct explain_choices *c, const struct explain_entry *e) {
    if (c->n < EXPLAIN_CHOICES_MAX)
        c->at[c->n++] = e;
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

static bool begins(const char *name, const char *with) {
    char head[256];
    const size_t n = strlen(with);
    if (n + 1 > sizeof(head) || strlen(name) < n)
        return false;
    str_copy(head, n + 1, name);
    return str_same_name(head, with);
}

/* Levels are groups: perf has TopdownL1 and tma_L1_group for TmaL1. */
static const struct explain_entry *by_level(const struct explain *ex, const char *level) {
    char name[16];
    if ((level[0] != 'L' && level[0] != 'l') || !level[1] || level[2])
        return NULL;
    struct strbuf sb = strbuf_on(name, sizeof(name));
    strbuf_add(&sb, "TmaL%c", level[1]);
    return explain_find(ex, name);
}

/* tma_l3_bound, tma_info_thread_ipc; the group of what is below L3_Bound, tma_l3_bound_group. */
static const struct explain_entry *by_tma(const struct explain *ex, const struct explain_models *ms,
                                          const char *bare) {
    static const char group[] = "_group";
    const size_t n = strlen(bare), tail = sizeof(group) - 1;
    char name[256];
    const struct explain_entry *e = explain_find(ex, bare);
    if (!e)
        e = by_vendor(ex, ms, bare);
    if (e || n <= tail || n - tail >= sizeof(name) || !str_same_name(bare + n - tail, group))
        return e;
    str_copy(name, n - tail + 1, bare);
    e = by_level(ex, name);
    return e ? e : explain_find(ex, name);
}

/* What perf stat -M calls it: names of the TMA tree have a prefix there. */
static const struct explain_entry *by_perf(const struct explain *ex,
                                           const struct explain_models *ms, const char *name) {
    if (begins(name, "tma_"))
        return by_tma(ex, ms, name + 4);
    if (begins(name, "Topdown"))
        return by_level(ex, name + 7);
    return str_same_name(name, "insn_per_cycle") ? explain_find(ex, "IPC") : NULL;
}

/* --- parts of names --- */

static bool contains(const char *name, const char *part) {
    for (; *name; name++)
        if (begins(name, part))
            return true;
    return false;
}

static bool has_choice(const struct explain_choices *c, const struct explain_entry *e) {
    for (size_t i = 0; i < c->n; i++)
        if (c->at[i] == e)
            return true;
    return false;
}

static bool model_has(const struct model *m, const char *name) {
    bool has = model_find(m, name) != METRIC_NONE;
    for (uint32_t i = 0; i < m->n_metric && !has; i++)
        has = model_in_group(&m->metric[i], name);
    return has;
}

/* m: only what this model has; NULL: all. */
static void collect(const struct explain *ex, const struct model *m, const char *name,
                    bool (*fits)(const char *, const char *), struct explain_choices *c) {
    for (size_t i = 0; i < explain_n_names(ex); i++) {
        const char *own = explain_name(ex, i);
        if (!fits(own, name) || (m && !model_has(m, own)))
            continue;
        const struct explain_entry *e = explain_find(ex, own);
        if (e && !has_choice(c, e))
            add_choice(c, e);
    }
}

static void drop_choice(struct explain_choices *c, const struct explain_entry *e) {
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        if (c->at[i] != e)
            c->at[n++] = c->at[i];
    c->n = n;
}

/* Of the model first: how its names begin, what they have in them; then of all. The first of these
 * that has one name alone decides; what else has it is left in c. */
static const struct explain_entry *by_part(const struct explain *ex, const struct model *chosen,
                                           const char *name, struct explain_choices *c) {
    const bool worth = strlen(name) >= WORTH_SEARCHING;
    size_t first = 0;
    if (chosen) {
        collect(ex, chosen, name, begins, c);
        first = c->n;
        if (worth)
            collect(ex, chosen, name, contains, c);
        first = first ? first : c->n;
    }
    collect(ex, NULL, name, begins, c);
    first = first ? first : c->n;
    if (worth && (first <= 1 || !begins(c->at[0]->name, name)))
        collect(ex, NULL, name, contains, c);
    first = first ? first : c->n;
    if (first != 1)
        return NULL;
    const struct explain_entry *e = c->at[0];
    drop_choice(c, e);
    return e;
}

/* --- parts of paths --- */

enum { PARTS_MAX = 8 };

/* Cuts a path in place; returns how many parts it has. */
static size_t cut(char *path, const char *part[PARTS_MAX]) {
    size_t n = 0;
    char *rest = path;
    for (char *p = strtok_r(path, "/.", &rest); p && n < PARTS_MAX; p = strtok_r(NULL, "/.", &rest))
        part[n++] = p;
    return n;
}

/* "Retiring/Light" for Retiring.Light_Operations, "Mem/L3" for Backend_Bound.Memory_Bound.L3_Bound:
 * what was typed are beginnings of the last parts. */
static bool parts_begin(const char *path, const char *const *typed, size_t n) {
    char text[512];
    const char *part[PARTS_MAX];
    str_copy(text, sizeof(text), path);
    const size_t k = cut(text, part);
    for (size_t i = 0; i < n; i++)
        if (k < n || !begins(part[k - n + i], typed[i]))
            return false;
    return n > 0;
}

static void collect_paths(const struct explain *ex, const struct model *m, const char *name,
                          struct explain_choices *c) {
    char text[512];
    const char *typed[PARTS_MAX];
    str_copy(text, sizeof(text), name);
    const size_t n = cut(text, typed);
    for (uint32_t i = 0; i < m->n_tree; i++) {
        const struct explain_entry *e =
            parts_begin(m->metric[i].path, typed, n) ? explain_find(ex, m->metric[i].name) : NULL;
        if (e && !has_choice(c, e))
            add_choice(c, e);
    }
}

static const struct explain_entry *by_path_part(const struct explain *ex,
                                                const struct explain_models *ms, const char *name,
                                                struct explain_choices *c) {
    if (ms->chosen)
        collect_paths(ex, ms->chosen, name, c);
    for (size_t i = 0; i < ms->n && !(i == 0 && c->n); i++)
        collect_paths(ex, &ms->at[i], name, c);
    if (c->n != 1)
        return NULL;
    const struct explain_entry *e = c->at[0];
    *c = (struct explain_choices){0};
    return e;
}

/* --- all ways --- */

static const struct explain_entry *
by_other_name(const struct explain *ex, const struct explain_models *ms, const char *name) {
    const struct explain_entry *e = by_path(ex, ms, name);
    if (!e)
        e = by_vendor(ex, ms, name);
    return e ? e : by_perf(ex, ms, name);
}

const struct explain_entry *explain_resolve(const struct explain *ex,
                                            const struct explain_models *ms, const char *name,
                                            struct explain_choices *c) {
    c->n = 0;
    if (!name[0])
        return NULL;
    const struct explain_entry *e = explain_find(ex, name), *other;
    if (e && (!ms->chosen || strcmp(e->name, name) == 0 || model_has(ms->chosen, e->name)))
        return e;
    other = e ? NULL : by_other_name(ex, ms, name);
    if (other || (!e && strpbrk(name, "/.")))
        return other ? other : by_path_part(ex, ms, name, c);
    if (!e)
        return by_part(ex, ms->chosen, name, c);
    /* TLB, where AMD's group "tlb" is not in the model, but much that has TLB in its name is. */
    collect(ex, ms->chosen, name, contains, c);
    if (c->n == 0)
        return e;
    add_choice(c, e);
    return NULL;
}

void explain_nearest(const struct explain *ex, const char *name, struct explain_choices *c) {
    const char *leaf = last_part(name);
    int distance[NEAREST_MAX];
    const int most = (int)strlen(leaf) / 3 + 1;
    c->n = 0;
    const char *nearest[NEAREST_MAX];
    for (size_t i = 0; i < explain_n_names(ex); i++) {
        const char *own = explain_name(ex, i);
        const int d = str_distance(leaf, own);
        if (d >= most || d >= 8 || (c->n == NEAREST_MAX && d >= distance[c->n - 1]))
            continue;
        size_t at = c->n < NEAREST_MAX ? c->n++ : c->n - 1;
        for (; at > 0 && d < distance[at - 1]; at--) {
            distance[at] = distance[at - 1];
            nearest[at] = nearest[at - 1];
        }
        distance[at] = d;
        nearest[at] = own;
    }
    const size_t n = c->n;
    c->n = 0;
    for (size_t i = 0; i < n; i++) {
        const struct explain_entry *e = explain_find(ex, nearest[i]);
        if (e)
            add_choice(c, e);
    }
}
