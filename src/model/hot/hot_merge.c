#include "model/hot/hot_merge.h"

#include "model/hot/hot_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct merging {
    struct hot *to;
    const struct hot *from;
    struct hot_index functions, threads, leaves, nodes, branches, accesses; /* of to */
    uint32_t *module, *function, *thread, *node; /* number in to; of each of from */
};

static char *own(const char *text, int *rc) {
    char *to = strdup(text);
    *rc = to ? *rc : -ENOMEM;
    return to;
}

/* ---- what there is ---- */

/* Functions of one place with other names are others: code that is made at run time. */
static uint64_t name_key(const char *name) {
    uint64_t h = 0xcbf29ce484222325ull;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 0x100000001b3ull; /* FNV-1a */
    return h;
}

static uint32_t *function_seat(struct merging *m, uint32_t module, const struct hot_function *f) {
    return hot_index_at(&m->functions, module, f->start, name_key(f->name));
}

static uint32_t *thread_seat(struct merging *m, const struct hot_thread *t) {
    return hot_index_at(&m->threads, (uint64_t)(uint32_t)t->pid, (uint64_t)(uint32_t)t->tid, 0);
}

static uint32_t *leaf_seat(struct merging *m, const struct hot_leaf *l) {
    return hot_index_at(&m->leaves, l->function, l->thread, l->offset);
}

static uint32_t *node_seat(struct merging *m, const struct hot_node *n) {
    return hot_index_at(&m->nodes, n->parent, n->function, n->thread);
}

static uint32_t *branch_seat(struct merging *m, const struct hot_branch *b) {
    return hot_index_at(&m->branches, (uint64_t)b->from << 32 | b->to, b->from_offset,
                        b->to_offset);
}

static uint32_t *access_seat(struct merging *m, const struct hot_access *a) {
    return hot_index_at(&m->accesses, (uint64_t)a->function << 32 | a->thread, a->line,
                        (uint64_t)a->source);
}

static void index_all(struct merging *m) {
    struct hot *h = m->to;
    for (uint32_t i = 0; i < h->function.n; i++)
        *function_seat(m, h->function.at[i].module, &h->function.at[i]) = i + 1;
    for (uint32_t i = 0; i < h->thread.n; i++)
        *thread_seat(m, &h->thread.at[i]) = i + 1;
    for (uint32_t i = 0; i < h->leaf.n; i++)
        *leaf_seat(m, &h->leaf.at[i]) = i + 1;
    for (uint32_t i = 0; i < h->node.n; i++)
        *node_seat(m, &h->node.at[i]) = i + 1;
    for (uint32_t i = 0; i < h->branch.n; i++)
        *branch_seat(m, &h->branch.at[i]) = i + 1;
    for (uint32_t i = 0; i < h->access.n; i++)
        *access_seat(m, &h->access.at[i]) = i + 1;
}

/* ---- what comes ---- */

static uint32_t find_module(const struct hot *h, const struct hot_module *like) {
    for (uint32_t i = 0; i < h->module.n; i++) {
        const struct hot_module *m = &h->module.at[i];
        if (!strcmp(m->path, like->path) && !strcmp(m->kind, like->kind) &&
            !strcmp(m->build_id, like->build_id))
            return i;
    }
    return HOT_NONE;
}

static int add_modules(struct merging *m) {
    int rc = 0;
    for (uint32_t i = 0; i < m->from->module.n && rc == 0; i++) {
        const struct hot_module *from = &m->from->module.at[i];
        m->module[i] = find_module(m->to, from);
        if (m->module[i] != HOT_NONE)
            continue;
        struct hot_module to = *from;
        to.path = own(from->path, &rc);
        to.kind = own(from->kind, &rc);
        to.lack = own(from->lack, &rc);
        m->module[i] = (uint32_t)m->to->module.n;
        if (rc < 0 || array_push(&m->to->module, to) < 0) {
            free(to.path);
            free(to.kind);
            free(to.lack);
            rc = -ENOMEM;
        }
    }
    return rc;
}

static int add_functions(struct merging *m) {
    int rc = 0;
    for (uint32_t i = 0; i < m->from->function.n && rc == 0; i++) {
        const struct hot_function *from = &m->from->function.at[i];
        uint32_t *seat = function_seat(m, m->module[from->module], from);
        if (!*seat) {
            struct hot_function to = *from;
            to.module = m->module[from->module];
            to.name = own(from->name, &rc);
            to.file = own(from->file, &rc);
            if (rc < 0 || array_push(&m->to->function, to) < 0) {
                free(to.name);
                free(to.file);
                return -ENOMEM;
            }
            *seat = (uint32_t)m->to->function.n;
        }
        m->function[i] = *seat - 1;
    }
    return rc;
}

static int add_threads(struct merging *m) {
    int rc = 0;
    for (uint32_t i = 0; i < m->from->thread.n; i++) {
        const struct hot_thread *from = &m->from->thread.at[i];
        uint32_t *seat = thread_seat(m, from);
        if (!*seat) {
            struct hot_thread to = *from;
            to.name = own(from->name, &rc);
            if (rc < 0 || array_push(&m->to->thread, to) < 0) {
                free(to.name);
                return -ENOMEM;
            }
            *seat = (uint32_t)m->to->thread.n;
        }
        m->thread[i] = *seat - 1;
    }
    return rc;
}

static int add_leaves(struct merging *m) {
    for (uint32_t i = 0; i < m->from->leaf.n; i++) {
        struct hot_leaf l = m->from->leaf.at[i];
        l.function = m->function[l.function];
        l.thread = m->thread[l.thread];
        uint32_t *seat = leaf_seat(m, &l);
        if (*seat) {
            hot_add(&m->to->leaf.at[*seat - 1].count, &l.count);
            continue;
        }
        if (m->to->leaf.n >= HOT_LEAVES) {
            m->to->n_no_leaf += l.count.n;
            continue;
        }
        if (array_push(&m->to->leaf, l) < 0)
            return -ENOMEM;
        *seat = (uint32_t)m->to->leaf.n;
    }
    return 0;
}

/* What a node without room had ends in its parent. */
static int add_nodes(struct merging *m) {
    for (uint32_t i = 0; i < m->from->node.n; i++) {
        struct hot_node n = m->from->node.at[i];
        n.parent = n.parent == HOT_NONE ? HOT_NONE : m->node[n.parent];
        n.function = n.function == HOT_NONE ? HOT_NONE : m->function[n.function];
        n.thread = n.thread == HOT_NONE ? HOT_NONE : m->thread[n.thread];
        const bool orphan = n.parent == HOT_NONE && n.function != HOT_NONE;
        uint32_t *seat = orphan ? NULL : node_seat(m, &n);
        if (seat && *seat) {
            hot_add(&m->to->node.at[*seat - 1].count, &n.count);
        } else if (orphan || m->to->node.n >= HOT_NODES) {
            m->to->n_cut += n.count.n;
            m->node[i] = n.parent;
            if (n.parent != HOT_NONE)
                hot_add(&m->to->node.at[n.parent].count, &n.count);
            continue;
        } else {
            if (array_push(&m->to->node, n) < 0)
                return -ENOMEM;
            *seat = (uint32_t)m->to->node.n;
        }
        m->node[i] = *seat - 1;
    }
    return 0;
}

static int add_branches(struct merging *m) {
    int rc = 0;
    for (uint32_t i = 0; i < m->from->branch.n && rc == 0; i++) {
        struct hot_branch b = m->from->branch.at[i];
        b.from = m->function[b.from];
        b.to = m->function[b.to];
        uint32_t *seat = branch_seat(m, &b);
        if (*seat) {
            hot_taken_add(&m->to->branch.at[*seat - 1].count, &b.count);
            continue;
        }
        if (m->to->branch.n >= HOT_BRANCHES) {
            m->to->n_no_branch += b.count.n;
            continue;
        }
        b.file = own(b.file, &rc);
        if (rc < 0 || array_push(&m->to->branch, b) < 0) {
            free(b.file);
            return -ENOMEM;
        }
        *seat = (uint32_t)m->to->branch.n;
    }
    hot_sort_branches(m->to);
    return rc;
}

static int add_accesses(struct merging *m) {
    for (uint32_t i = 0; i < m->from->access.n; i++) {
        struct hot_access a = m->from->access.at[i];
        a.function = m->function[a.function];
        a.thread = m->thread[a.thread];
        uint32_t *seat = access_seat(m, &a);
        if (*seat) {
            struct hot_access *to = &m->to->access.at[*seat - 1];
            access_add(&to->sum, &a.sum);
            to->bytes |= a.bytes;
            continue;
        }
        if (array_push(&m->to->access, a) < 0)
            return -ENOMEM;
        *seat = (uint32_t)m->to->access.n;
    }
    hot_fold_accesses(m->to, HOT_ACCESSES);
    return 0;
}

/* Of some with branch records and some without those that have them are told. */
static void add_numbers(struct hot *to, const struct hot *from) {
    to->seconds += from->seconds;
    to->cpu_s += from->cpu_s;
    hot_add(&to->all, &from->all);
    to->n_exact += from->n_exact;
    to->n_kernel += from->n_kernel;
    to->n_unknown += from->n_unknown;
    to->n_lost += from->n_lost;
    to->n_throttled += from->n_throttled;
    to->n_foreign += from->n_foreign;
    to->n_garbled += from->n_garbled;
    to->n_no_room += from->n_no_room;
    to->n_unreadable += from->n_unreadable;
    to->n_reopened += from->n_reopened;
    to->n_left_out = to->n_left_out > from->n_left_out ? to->n_left_out : from->n_left_out;
    to->n_no_leaf += from->n_no_leaf;
    to->n_cut += from->n_cut;
    to->branches |= from->branches;
    hot_taken_add(&to->taken, &from->taken);
    to->n_recorded += from->n_recorded;
    to->n_no_branch += from->n_no_branch;
    hot_add(&to->data, &from->data);
    to->n_no_line += from->n_no_line;
}

int hot_merge(struct hot *to, const struct hot *from) {
    static int (*const parts[])(struct merging *) = {
        add_modules, add_functions, add_threads, add_leaves, add_nodes, add_branches, add_accesses};
    struct merging m = {.to = to, .from = from};
    int rc = hot_index_init(&m.functions, to->function.n + from->function.n);
    rc = rc ? rc : hot_index_init(&m.threads, to->thread.n + from->thread.n);
    rc = rc ? rc : hot_index_init(&m.leaves, to->leaf.n + from->leaf.n);
    rc = rc ? rc : hot_index_init(&m.nodes, to->node.n + from->node.n);
    rc = rc ? rc : hot_index_init(&m.branches, to->branch.n + from->branch.n);
    rc = rc ? rc : hot_index_init(&m.accesses, to->access.n + from->access.n);
    m.module = calloc(from->module.n + 1, sizeof(*m.module));
    m.function = calloc(from->function.n + 1, sizeof(*m.function));
    m.thread = calloc(from->thread.n + 1, sizeof(*m.thread));
    m.node = calloc(from->node.n + 1, sizeof(*m.node));
    if (!m.module || !m.function || !m.thread || !m.node)
        rc = -ENOMEM;
    if (rc == 0) {
        index_all(&m);
        add_numbers(to, from);
    }
    for (size_t i = 0; rc == 0 && i < sizeof(parts) / sizeof(parts[0]); i++)
        rc = parts[i](&m);
    hot_index_free(&m.functions);
    hot_index_free(&m.threads);
    hot_index_free(&m.leaves);
    hot_index_free(&m.nodes);
    hot_index_free(&m.branches);
    hot_index_free(&m.accesses);
    free(m.module);
    free(m.function);
    free(m.thread);
    free(m.node);
    return rc;
}
