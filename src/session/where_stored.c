/* The samples of a stored run as if they had just been sampled: its places, stacks and functions
 * take the places of those of a sampler. */
#include "base/str.h"
#include "session/hot_module.h"
#include "session/where_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void where_module(const struct where_live *w, uint32_t id, struct module *m) {
    *m = (struct module){.kind = MODULE_UNKNOWN};
    if (!w->stored)
        sampling_module(w->sampling, id, m);
    else if (id < w->stored->module.n)
        hot_module_now(&w->stored->module.at[id], m);
}

static void describe(struct where_live *w) {
    const struct hot *h = w->stored;
    struct sampling_info *i = &w->info;
    *i = (struct sampling_info){.user_only = h->user_only,
                                .system_wide = h->system_wide,
                                .n_lost = h->n_lost,
                                .n_throttled = h->n_throttled,
                                .n_unreadable = h->n_unreadable,
                                .n_left_out = (uint32_t)h->n_left_out,
                                .n_evicted = h->n_no_room,
                                .branches = h->branches,
                                .accesses = h->data.n > 0};
    str_copy(i->no_branches, sizeof(i->no_branches), h->no_branches);
    for (size_t k = 0; k < h->event.n && k < sizeof(i->event) / sizeof(i->event[0]); k++) {
        struct sampling_event *e = &i->event[i->n_event++];
        str_copy(e->name, sizeof(e->name), h->event.at[k].name);
        str_copy(e->of, sizeof(e->of), h->event.at[k].of);
        str_copy(e->why, sizeof(e->why), h->event.at[k].why);
        e->precision = h->event.at[k].precision;
        e->precise_ip = h->event.at[k].precise_ip;
        e->clock = h->event.at[k].clock;
        e->off_cpu = hot_is_off_cpu(h);
        e->node = h->event.at[k].why[0] ? METRIC_NONE : w->node;
    }
    w->now_ns = (uint64_t)(h->seconds * 1e9);
    w->copy.total = (struct tally_total){.all = h->all,
                                         .n_exact = h->n_exact,
                                         .n_kernel = h->n_kernel,
                                         .n_unknown = h->n_unknown,
                                         .n_no_leaf = h->n_no_leaf,
                                         .n_cut = h->n_cut,
                                         .taken = h->taken,
                                         .n_recorded = h->n_recorded,
                                         .n_no_branch = h->n_no_branch,
                                         .data = h->data,
                                         .n_no_line = h->n_no_line};
}

/* *number [function.n]: of the functions here. */
static int read_functions(struct where_live *w, int32_t *number) {
    const struct hot *h = w->stored;
    for (uint32_t i = 0; i < h->function.n; i++) {
        const struct hot_function *from = &h->function.at[i];
        const struct hot_module *m = &h->module.at[from->module];
        bool fresh;
        struct where_function *f = where_function_add(w, from->module, from->start, &fresh);
        if (!f)
            return -ENOMEM;
        number[i] = (int32_t)(f - w->function);
        if (!fresh)
            continue;
        f->name = from->name;
        f->kernel = hot_module_is_kernel(m);
        where_file_name(f->file, sizeof(f->file), m->path);
        hot_source(from, f->line, sizeof(f->line));
    }
    return 0;
}

/* What was not kept of the places counts for TALLY_OTHER. */
static void read_leaves(struct where_live *w, const int32_t *number) {
    const struct hot *h = w->stored;
    struct tally_copy *c = &w->copy;
    struct hot_count rest = h->all;
    rest.n = h->n_no_leaf;
    for (uint32_t i = 0; i < h->leaf.n; i++) {
        const struct hot_leaf *from = &h->leaf.at[i];
        const struct hot_thread *t = &h->thread.at[from->thread];
        c->leaf[i + 1] = (struct tally_leaf){
            .at = {h->function.at[from->function].module, from->offset}, t->pid, t->tid};
        c->leaf_count[i + 1] = from->count;
        w->leaf_function[i + 1] = number[from->function];
        rest.weight -= from->count.weight;
        rest.square -= from->count.square;
    }
    w->leaf_function[TALLY_OTHER] = WHERE_REST;
    c->leaf_count[TALLY_OTHER] = rest.n ? rest : (struct hot_count){0};
    c->n_leaf = w->n_leaf = (uint32_t)h->leaf.n + 1;
}

static int read_nodes(struct where_live *w, const int32_t *number) {
    const struct hot *h = w->stored;
    struct tally_copy *c = &w->copy;
    w->node_function[TALLY_ROOT] = WHERE_REST;
    for (uint32_t i = 0; i < h->node.n; i++) {
        const struct hot_node *from = &h->node.at[i];
        const bool process = from->function == HOT_NONE;
        const pid_t pid = process ? h->thread.at[from->thread].pid : 0;
        struct where_function *f = process ? where_process_add(w, pid) : NULL;
        if (process && !f)
            return -ENOMEM;
        c->node[i + 1].parent = from->parent == HOT_NONE ? TALLY_ROOT : from->parent + 1;
        c->node_count[i + 1] = from->count;
        w->node_function[i + 1] = process ? (int32_t)(f - w->function) : number[from->function];
    }
    c->n_node = w->n_node = (uint32_t)h->node.n + 1;
    return 0;
}

static int read_branches(struct where_live *w, const int32_t *number) {
    const struct hot *h = w->stored;
    for (uint32_t i = 0; i < h->branch.n; i++) {
        const struct hot_branch *b = &h->branch.at[i];
        bool fresh;
        w->copy.branch[i] =
            (struct tally_branch){.from = {h->function.at[b->from].module, b->from_offset},
                                  .to = {h->function.at[b->to].module, b->to_offset},
                                  .count = b->count};
        w->from_function[i] = number[b->from];
        w->to_function[i] = number[b->to];
        struct where_function *f = where_function_add(w, WHERE_BRANCH, i, &fresh);
        if (!f)
            return -ENOMEM;
        if (f == &w->function[WHERE_REST])
            continue;
        hot_branch_source(b, f->line, sizeof(f->line));
        f->pending = true; /* its name is made when it is shown */
    }
    w->copy.n_branch = w->n_branch = (uint32_t)h->branch.n;
    return 0;
}

static int make_room(struct where_live *w) {
    const struct hot *h = w->stored;
    struct tally_copy *c = &w->copy;
    tally_copy_free(c);
    *c = (struct tally_copy){0};
    c->leaf = calloc(h->leaf.n + 1, sizeof(*c->leaf));
    c->leaf_count = calloc(h->leaf.n + 1, sizeof(*c->leaf_count));
    c->node = calloc(h->node.n + 1, sizeof(*c->node));
    c->node_count = calloc(h->node.n + 1, sizeof(*c->node_count));
    c->branch = calloc(h->branch.n + 1, sizeof(*c->branch));
    return c->leaf && c->leaf_count && c->node && c->node_count && c->branch &&
                   where_functions_grow(&w->from_function, &w->cap_from, (uint32_t)h->branch.n) &&
                   where_functions_grow(&w->to_function, &w->cap_to, (uint32_t)h->branch.n) &&
                   where_functions_grow(&w->leaf_function, &w->cap_leaf, (uint32_t)h->leaf.n + 1) &&
                   where_functions_grow(&w->node_function, &w->cap_node, (uint32_t)h->node.n + 1)
               ? 0
               : -ENOMEM;
}

int where_stored_read(struct where_live *w) {
    int32_t *number = calloc(w->stored->function.n + 1, sizeof(*number));
    int rc = number ? make_room(w) : -ENOMEM;
    if (rc == 0)
        rc = read_functions(w, number);
    if (rc == 0) {
        read_leaves(w, number);
        rc = read_nodes(w, number);
        rc = rc == 0 ? read_branches(w, number) : rc;
        rc = rc == 0 && !where_access_store(w, number) ? -ENOMEM : rc;
    }
    if (rc == 0)
        describe(w);
    free(number);
    return rc;
}
