#include "model/load/select.h"

#include "base/str.h"
#include "model/load/model_text.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

struct item {
    bool removes, related, below; /* "-X", "X^", "X*" */
    int level;                    /* 0 = any */
    char pattern[128];
};

void select_level(const struct model *m, int level, bool *wanted) {
    for (uint32_t i = 0; i < m->n_metric; i++) {
        const struct metric *mt = &m->metric[i];
        wanted[i] = level == 0 || mt->vital || mt->time != TIME_NONE ||
                    (mt->kind == METRIC_TREE && mt->level <= level);
    }
}

/* ---- reading an item ---- */

static int item_level(const char *text, struct item *it, struct err *err) {
    char *end;
    long v = strtol(text, &end, 10);
    if (end == text || *end || v < 1 || v > 99)
        return err_set(err, -EINVAL, "--nodes: '/%s' is no level; write /1 to /6 behind a name",
                       text);
    it->level = (int)v;
    return 0;
}

static char *trim(char *s) {
    s += strspn(s, " \t");
    for (size_t n = strlen(s); n > 0 && isspace((unsigned char)s[n - 1]);)
        s[--n] = '\0';
    return s;
}

static int item_read(const char *text, size_t len, struct item *it, struct err *err) {
    *it = (struct item){0};
    char buf[sizeof(it->pattern)];
    if (len >= sizeof(buf))
        return err_set(err, -EINVAL, "--nodes: an item of %zu characters; names are shorter", len);
    str_copy(buf, len + 1, text);
    char *p = trim(buf);
    if (*p == '+' || *p == '-' || *p == '^')
        it->removes = *p++ != '+';
    char *slash = strchr(p, '/');
    int rc = slash ? item_level(slash + 1, it, err) : 0;
    if (slash)
        *slash = '\0';
    size_t n = strlen(p);
    it->related = n > 0 && p[n - 1] == '^';
    if (it->related)
        p[--n] = '\0';
    it->below = n > 0 && p[n - 1] == '*';
    if (!rc && n == 0)
        return err_set(
            err, -EINVAL,
            "--nodes: an empty item; write names between the commas, as in '+L1_Bound*,-DSB'");
    str_copy(it->pattern, sizeof(it->pattern), p);
    return rc;
}

/* ---- what it names ---- */

static bool fits(const char *pattern, const char *name) {
    return fnmatch(pattern, name, FNM_CASEFOLD) == 0;
}

/* The next of "a;b;c", which is cut off its front; false at the end. */
static bool next_group(const char **groups, char one[64]) {
    const char *name;
    size_t n;
    if (!model_group_next(groups, &name, &n))
        return false;
    str_copy(one, n + 1 < 64 ? n + 1 : 64, name);
    return true;
}

static bool in_group(const char *groups, const char *pattern) {
    char one[64];
    while (next_group(&groups, one))
        if (fits(pattern, one))
            return true;
    return false;
}

static bool named(const struct metric *mt, const char *pattern) {
    return fits(pattern, mt->name) || fits(pattern, mt->path) ||
           (mt->vendor && fits(pattern, mt->vendor)) || in_group(mt->groups, pattern);
}

/* Itself, or below a node that the pattern without its last "*" names. */
static bool item_names(const struct model *m, const struct item *it, int metric) {
    if (it->level && m->metric[metric].level > it->level)
        return false;
    if (named(&m->metric[metric], it->pattern))
        return true;
    if (!it->below)
        return false;
    char stem[sizeof(it->pattern)];
    str_copy(stem, strlen(it->pattern), it->pattern);
    for (int p = metric; stem[0] && p != METRIC_NONE; p = m->metric[p].parent)
        if (named(&m->metric[p], stem))
            return true;
    return false;
}

static bool share_group(const char *a, const char *b) {
    char one[64];
    while (next_group(&a, one))
        if (in_group(b, one))
            return true;
    return false;
}

static bool is_related(const struct metric *a, const struct metric *b) {
    if (b->kind == METRIC_TREE)
        return a->kind == METRIC_TREE && a->parent == b->parent;
    return share_group(b->groups, a->groups);
}

static void add_related(const struct model *m, int metric, bool value, bool *wanted) {
    for (uint32_t i = 0; i < m->n_metric; i++)
        if (is_related(&m->metric[metric], &m->metric[i]))
            wanted[i] = value;
}

/* ---- all ---- */

static int nothing_named(const struct model *m, const struct item *it, struct err *err) {
    const char *best = model_nearest(m, it->pattern);
    return err_set(
        err, -EINVAL,
        "--nodes: model %s has nothing called '%s'%s%s%s%s; tdtop models %s lists its names",
        m->name, it->pattern, it->level ? " at that level or above" : "",
        best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "", m->name);
}

static int item_apply(const struct model *m, const struct item *it, bool *wanted, struct err *err) {
    bool any = false;
    for (uint32_t i = 0; i < m->n_metric; i++) {
        if (!item_names(m, it, (int)i))
            continue;
        any = true;
        wanted[i] = !it->removes;
        if (it->related)
            add_related(m, (int)i, !it->removes, wanted);
    }
    return any ? 0 : nothing_named(m, it, err);
}

static void add_ancestors(const struct model *m, bool *wanted) {
    for (uint32_t i = 0; i < m->n_tree; i++)
        for (int p = m->metric[i].parent; wanted[i] && p != METRIC_NONE; p = m->metric[p].parent)
            wanted[p] = true;
}

int select_nodes(const struct model *m, const char *spec, bool *wanted, struct err *err) {
    spec += strspn(spec, " \t");
    if (*spec == '!') {
        memset(wanted, 0, m->n_metric * sizeof(*wanted));
        spec++;
    }
    for (;;) {
        struct item it;
        size_t n = strcspn(spec, ",");
        int rc = item_read(spec, n, &it, err);
        if (!rc)
            rc = item_apply(m, &it, wanted, err);
        if (rc)
            return rc;
        if (!spec[n])
            break;
        spec += n + 1;
    }
    add_ancestors(m, wanted);
    return 0;
}
