#include "cli/verb/query_nodes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool in_tree(const struct run_node *n, int level) {
    return n->level > 0 && (!level || n->level <= level);
}

/* "A.B" is above "A.B.C" and "A.B.C.D". */
static bool is_above(const struct run_node *up, const struct run_node *n) {
    const size_t len = strlen(up->path);
    return up != n && !strncmp(n->path, up->path, len) && n->path[len] == '.';
}

static bool is_child(const struct run_node *up, const struct run_node *n) {
    return is_above(up, n) && n->level == up->level + 1;
}

const struct run_node *nodes_root(const struct run *r, const struct run_node *n) {
    for (size_t i = 0; i < r->node.n && n->level > 0; i++) {
        const struct run_node *up = &r->node.at[i];
        if (up->level == 1 && (up == n || is_above(up, n)))
            return up;
    }
    return NULL;
}

/* Largest first, unknown last, then as the model has them. */
static int by_value(const void *a, const void *b) {
    const struct run_node *const *x = a, *const *y = b;
    const double v = (*x)->value.v, w = (*y)->value.v;
    if (isnan(v) != isnan(w))
        return isnan(v) ? 1 : -1;
    if (v > w || v < w)
        return v > w ? -1 : 1;
    return *x < *y ? -1 : *x > *y;
}

static void sort(struct node_list *l, size_t from) {
    if (l->n > from)
        qsort(l->at + from, l->n - from, sizeof(*l->at), by_value);
}

const char *nodes_share_of(const struct model *m, const struct run_node *n) {
    const int i = m ? model_find(m, n->name) : METRIC_NONE;
    return i == METRIC_NONE ? NULL : metric_share_of(m, &m->metric[i]);
}

/* Shares of something else behind those of the scope. 0 or -ENOMEM. */
static int rank(struct node_list *l, const struct model *m, size_t from, size_t limit) {
    struct node_list others = {0};
    size_t n = from;
    int rc = 0;
    sort(l, from);
    for (size_t i = from; i < l->n && rc == 0; i++)
        if (nodes_share_of(m, l->at[i]))
            rc = array_push(&others, l->at[i]);
        else
            l->at[n++] = l->at[i];
    for (size_t i = 0; i < others.n && rc == 0; i++)
        l->at[n++] = others.at[i];
    array_free(&others);
    if (limit && l->n > limit)
        l->n = limit;
    return rc;
}

/* ---- depth first ---- */

/* The children of a node; of NULL, those that no other is above. */
static int children(const struct run *r, const struct run_node *up, int level,
                    struct node_list *out) {
    int rc = 0;
    for (size_t i = 0; i < r->node.n && rc == 0; i++) {
        const struct run_node *n = &r->node.at[i];
        if (in_tree(n, level) && (up ? is_child(up, n) : n->level == 1))
            rc = array_push(out, n);
    }
    sort(out, 0);
    return rc;
}

static int walk(const struct run *r, const struct run_node *up, int level, struct node_list *out) {
    struct node_list below = {0};
    int rc = children(r, up, level, &below);
    for (size_t i = 0; i < below.n && rc == 0; i++) {
        rc = array_push(out, below.at[i]);
        if (rc == 0)
            rc = walk(r, below.at[i], level, out);
    }
    array_free(&below);
    return rc;
}

int nodes_in_order(const struct run *r, int level, bool beside, struct node_list *out) {
    int rc = walk(r, NULL, level, out);
    for (size_t i = 0; i < r->node.n && rc == 0 && beside; i++)
        if (r->node.at[i].level == 0)
            rc = array_push(out, &r->node.at[i]);
    return rc;
}

/* ---- by value ---- */

int nodes_over(const struct run *r, const struct model *m, double least, int level, size_t limit,
               struct node_list *out) {
    int rc = 0;
    for (size_t i = 0; i < r->node.n && rc == 0; i++) {
        const struct run_node *n = &r->node.at[i];
        if (in_tree(n, level) && n->value.over && n->value.v >= least)
            rc = array_push(out, n);
    }
    return rc < 0 ? rc : rank(out, m, 0, limit);
}

static bool is_deeper(const struct run_node *n, const struct run_node *than) {
    if (!than || n->level != than->level)
        return !than || n->level > than->level;
    return n->value.v > than->value.v;
}

/* The end of the bottleneck's path, or of as much of it as the level allows; NULL: there is none.
 */
static const struct run_node *limiting(const struct run *r, int level) {
    const struct run_node *end = NULL;
    const size_t len = strlen(r->bottleneck);
    for (size_t i = 0; i < r->node.n && len; i++) {
        const struct run_node *n = &r->node.at[i];
        const size_t at = strlen(n->path);
        const bool on_path = at <= len && !strncmp(r->bottleneck, n->path, at) &&
                             (r->bottleneck[at] == '.' || r->bottleneck[at] == '\0');
        if (on_path && in_tree(n, level) && !isnan(n->value.v) && (!end || n->level > end->level))
            end = n;
    }
    return end;
}

static const struct run_node *deepest_of(const struct run *r, const struct run_node *root,
                                         double least, int level) {
    const struct run_node *deepest = NULL;
    for (size_t k = 0; k < r->node.n; k++) {
        const struct run_node *n = &r->node.at[k];
        if (in_tree(n, level) && (n == root || is_above(root, n)) && n->value.v >= least &&
            is_deeper(n, deepest))
            deepest = n;
    }
    return deepest;
}

int nodes_deepest(const struct run *r, const struct model *m, double least, int level, size_t limit,
                  struct node_list *out) {
    const struct run_node *first = limiting(r, level);
    int rc = first ? array_push(out, first) : 0;
    for (size_t i = 0; i < r->node.n && rc == 0; i++) {
        const struct run_node *root = &r->node.at[i], *deepest;
        if (root->level != 1 || (first && (root == first || is_above(root, first))))
            continue;
        if ((deepest = deepest_of(r, root, least, level)))
            rc = array_push(out, deepest);
    }
    return rc < 0 ? rc : rank(out, m, first ? 1 : 0, limit);
}
