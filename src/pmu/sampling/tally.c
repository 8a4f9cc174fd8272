#include "pmu/sampling/tally.h"

#include "pmu/sampling/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct tally_limits usual = {.leaves = 1 << 16,
                                          .nodes = 1 << 17,
                                          .cells = 1 << 19,
                                          .seconds = 2 * 3600,
                                          .branches = 1 << 14,
                                          .accesses = 1 << 15};

/* Of the second that goes on; what finds no place there has a cell more than it needs. */
enum { CELL_HASH = 1 << 13, CELL_TRIES = 16 };

/* ---- memory ---- */

/* Tables are as large as they have to be, so that what is looked for a thousand times a second lies
 * together; their memory is there from the start, and untouched. */
enum { HASH_LEAST = 64 };

static uint32_t table_size(uint32_t n) {
    uint32_t size = HASH_LEAST;
    while (size < n * 2)
        size *= 2;
    return size;
}

static void begin(struct tally *t) {
    struct tally_copy *c = &t->is;
    t->n_leaf_hash = t->n_node_hash = HASH_LEAST;
    memset(t->leaf_hash, 0, HASH_LEAST * sizeof(*t->leaf_hash));
    memset(t->node_hash, 0, HASH_LEAST * sizeof(*t->node_hash));
    memset(t->branch_hash, 0, t->n_branch_hash * sizeof(*t->branch_hash));
    if (c->n_access)
        memset(t->access_hash, 0, t->n_access_hash * sizeof(*t->access_hash));
    memset(t->cell_hash, 0, CELL_HASH * sizeof(*t->cell_hash));
    c->n_leaf = c->n_node = 1;
    c->n_branch = c->n_access = 0;
    c->leaf[TALLY_OTHER] = (struct tally_leaf){0};
    c->leaf_count[TALLY_OTHER] = (struct hot_count){0};
    c->node[TALLY_ROOT] = (struct tally_node){.at.module = TALLY_PROCESS};
    c->node_count[TALLY_ROOT] = (struct hot_count){0};
    c->first_second = c->n_second = c->n_cell = 0;
    c->total = (struct tally_total){0};
    c->epoch++;
    t->n_path = 0;
}

int tally_init(struct tally *t, const struct tally_limits *limits) {
    *t = (struct tally){.limits = usual};
    struct tally_limits *l = &t->limits;
    struct tally_copy *c = &t->is;
    pthread_mutex_init(&t->lock, NULL);
    if (limits) {
        l->leaves = limits->leaves ? limits->leaves : l->leaves;
        l->nodes = limits->nodes ? limits->nodes : l->nodes;
        l->cells = limits->cells ? limits->cells : l->cells;
        l->seconds = limits->seconds ? limits->seconds : l->seconds;
        l->branches = limits->branches ? limits->branches : l->branches;
        l->accesses = limits->accesses ? limits->accesses : l->accesses;
    }
    t->leaf_hash = calloc(table_size(l->leaves), sizeof(*t->leaf_hash));
    t->node_hash = calloc(table_size(l->nodes), sizeof(*t->node_hash));
    t->n_branch_hash = table_size(l->branches);
    t->branch_hash = calloc(t->n_branch_hash, sizeof(*t->branch_hash));
    t->n_access_hash = table_size(l->accesses);
    t->access_hash = calloc(t->n_access_hash, sizeof(*t->access_hash));
    t->cell_hash = calloc(CELL_HASH, sizeof(*t->cell_hash));
    c->leaf = calloc(l->leaves, sizeof(*c->leaf));
    c->leaf_count = calloc(l->leaves, sizeof(*c->leaf_count));
    c->node = calloc(l->nodes, sizeof(*c->node));
    c->node_count = calloc(l->nodes, sizeof(*c->node_count));
    c->branch = calloc(l->branches, sizeof(*c->branch));
    c->access = calloc(l->accesses, sizeof(*c->access));
    c->cell = calloc(l->cells, sizeof(*c->cell));
    c->second = calloc(l->seconds, sizeof(*c->second));
    c->cells = l->cells;
    c->seconds = l->seconds;
    if (!t->leaf_hash || !t->node_hash || !t->branch_hash || !t->cell_hash || !c->leaf ||
        !c->leaf_count || !c->node || !c->node_count || !c->branch || !c->access || !c->cell ||
        !c->second || !t->access_hash)
        return -ENOMEM;
    begin(t);
    return 0;
}

void tally_copy_free(struct tally_copy *c) {
    free(c->leaf);
    free(c->leaf_count);
    free(c->node);
    free(c->node_count);
    free(c->branch);
    free(c->access);
    free(c->cell);
    free(c->second);
    *c = (struct tally_copy){0};
}

void tally_destroy(struct tally *t) {
    free(t->leaf_hash);
    free(t->node_hash);
    free(t->branch_hash);
    free(t->access_hash);
    free(t->cell_hash);
    tally_copy_free(&t->is);
    pthread_mutex_destroy(&t->lock);
}

void tally_reset(struct tally *t) {
    pthread_mutex_lock(&t->lock);
    begin(t);
    pthread_mutex_unlock(&t->lock);
}

/* ---- adding ---- */

/* All parts together are one. */
static void count_part(struct hot_count *c, double weight, double before) {
    c->n += before == 0;
    c->weight += weight;
    c->square += weight * (weight + 2 * before);
}

static void count(struct hot_count *c, double weight) {
    count_part(c, weight, 0);
}

static bool same_place(const struct place *a, const struct place *b) {
    return a->module == b->module && a->offset == b->offset;
}

static uint64_t hash_place(uint64_t h, const struct place *p) {
    return hash_add(hash_add(h, p->module), p->offset);
}

static uint64_t hash_leaf(const struct tally_leaf *l) {
    return hash_place(hash_add((uint64_t)l->pid, (uint64_t)l->tid), &l->at);
}

static uint64_t hash_of_leaf(const struct tally_copy *c, uint32_t i) {
    return hash_leaf(&c->leaf[i]);
}

static uint64_t hash_of_node(const struct tally_copy *c, uint32_t i) {
    return hash_place(c->node[i].parent, &c->node[i].at);
}

/* A table of n numbers is at most half full. */
static void grow(uint32_t *hash, uint32_t *size, const struct tally_copy *c, uint32_t n,
                 uint64_t (*hash_of)(const struct tally_copy *c, uint32_t i)) {
    if (2 * n <= *size)
        return;
    *size *= 2;
    memset(hash, 0, *size * sizeof(*hash));
    for (uint32_t i = 1; i < n; i++) {
        uint64_t h = hash_of(c, i);
        while (hash[h & (*size - 1)])
            h++;
        hash[h & (*size - 1)] = i;
    }
}

static uint32_t leaf_of(struct tally *t, const struct tally_sample *s) {
    struct tally_copy *c = &t->is;
    const struct tally_leaf key = {s->stack[0], s->pid, s->tid};
    for (uint64_t h = hash_leaf(&key);; h++) {
        uint32_t *at = &t->leaf_hash[h & (t->n_leaf_hash - 1)];
        const struct tally_leaf *is = &c->leaf[*at];
        if (*at && is->tid == key.tid && is->pid == key.pid && same_place(&is->at, &key.at))
            return *at;
        if (*at)
            continue;
        if (c->n_leaf == t->limits.leaves) {
            c->total.n_no_leaf++;
            return TALLY_OTHER;
        }
        c->leaf[c->n_leaf] = key;
        c->leaf_count[c->n_leaf] = (struct hot_count){0};
        *at = c->n_leaf++;
        grow(t->leaf_hash, &t->n_leaf_hash, c, c->n_leaf, hash_of_leaf);
        return c->n_leaf - 1;
    }
}

/* The child of a node; the node itself if there is no room. */
static uint32_t child_of(struct tally *t, uint32_t parent, const struct place *p) {
    struct tally_copy *c = &t->is;
    for (uint64_t h = hash_place(parent, p);; h++) {
        uint32_t *at = &t->node_hash[h & (t->n_node_hash - 1)];
        if (*at && c->node[*at].parent == parent && same_place(&c->node[*at].at, p))
            return *at;
        if (*at)
            continue;
        if (c->n_node == t->limits.nodes)
            return parent;
        c->node[c->n_node] = (struct tally_node){parent, *p};
        c->node_count[c->n_node] = (struct hot_count){0};
        *at = c->n_node++;
        grow(t->node_hash, &t->n_node_hash, c, c->n_node, hash_of_node);
        return c->n_node - 1;
    }
}

/* From the outermost caller on, most stacks are like the one before. */
static uint32_t node_of(struct tally *t, const struct tally_sample *s) {
    uint32_t node = TALLY_ROOT, i = 0;
    bool same = true, whole = true;
    for (; i <= s->n_stack && whole; i++) {
        const struct place process = {TALLY_PROCESS, (uint64_t)s->pid},
                           *at = i ? &s->stack[s->n_stack - i] : &process;
        struct tally_step *step = &t->path[i];
        same = same && i < t->n_path && same_place(&step->at, at);
        if (!same)
            *step = (struct tally_step){*at, child_of(t, node, at)};
        whole = step->node != node;
        node = step->node;
    }
    t->n_path = whole ? i : i - 1;
    t->is.total.n_cut += !whole;
    return node;
}

/* Seconds never go back: what comes late belongs to the last. */
static void to_second(struct tally *t, uint64_t s) {
    struct tally_copy *c = &t->is;
    if (c->n_second > c->first_second && s <= c->second[(c->n_second - 1) % c->seconds].s)
        return;
    if (c->n_second - c->first_second == c->seconds)
        c->first_second++;
    c->second[c->n_second++ % c->seconds] = (struct tally_second){s, c->n_cell};
    memset(t->cell_hash, 0, CELL_HASH * sizeof(*t->cell_hash));
}

/* Room for a cell: the oldest second gives way, unless it is the only one. */
static bool make_room(struct tally_copy *c) {
    if (c->n_cell - c->second[c->first_second % c->seconds].first < c->cells)
        return true;
    if (c->n_second - c->first_second < 2)
        return false;
    c->first_second++;
    return c->n_cell - c->second[c->first_second % c->seconds].first < c->cells;
}

static void add_cell(struct tally *t, uint32_t leaf, uint32_t node, double weight) {
    struct tally_copy *c = &t->is;
    const uint64_t first = c->second[(c->n_second - 1) % c->seconds].first;
    uint64_t h = hash_add(leaf, node);
    uint32_t *free_at = NULL;
    for (int i = 0; i < CELL_TRIES && !free_at; i++, h++) {
        uint32_t *at = &t->cell_hash[h & (CELL_HASH - 1)];
        struct tally_cell *cell = &c->cell[(first + *at - 1) % c->cells];
        if (!*at) {
            free_at = at;
        } else if (cell->leaf == leaf && cell->node == node) {
            cell->n++;
            cell->weight += (float)weight;
            return;
        }
    }
    if (!make_room(c))
        return; /* more than all cells in one second: it is in the sums, not in the span */
    if (free_at)
        *free_at = (uint32_t)(c->n_cell - first) + 1;
    c->cell[c->n_cell++ % c->cells] = (struct tally_cell){leaf, node, 1, (float)weight};
}

/* NULL: there is no room. */
static struct hot_taken *branch_of(struct tally *t, const struct tally_jump *j) {
    struct tally_copy *c = &t->is;
    for (uint64_t h = hash_place(hash_place(0, &j->from), &j->to);; h++) {
        uint32_t *at = &t->branch_hash[h & (t->n_branch_hash - 1)];
        struct tally_branch *is = *at ? &c->branch[*at - 1] : NULL;
        if (is && same_place(&is->from, &j->from) && same_place(&is->to, &j->to))
            return &is->count;
        if (is)
            continue;
        if (c->n_branch == t->limits.branches)
            return NULL;
        c->branch[c->n_branch] = (struct tally_branch){.from = j->from, .to = j->to};
        *at = ++c->n_branch;
        return &c->branch[*at - 1].count;
    }
}

static struct hot_taken taken_of(const struct tally_jump *j, double weight, uint32_t n_missed) {
    const double told = weight * j->n_told, missed = weight * j->n_missed;
    return (struct hot_taken){.n = j->n,
                              .n_told = j->n_told,
                              .n_missed = j->n_missed,
                              .n_timed = j->n_timed,
                              .cycles = j->cycles,
                              .told = told,
                              .missed = missed,
                              .told2 = told * told,
                              .told_missed = told * missed,
                              .missed2 = missed * missed,
                              .missed_all = missed * weight * n_missed};
}

static void add_jumps(struct tally *t, const struct tally_sample *s, double weight) {
    struct tally_total *total = &t->is.total;
    struct tally_jump all = {0};
    for (uint32_t i = 0; i < s->n_jump; i++) {
        all.n += s->jump[i].n;
        all.n_told += s->jump[i].n_told;
        all.n_missed += s->jump[i].n_missed;
        all.n_timed += s->jump[i].n_timed;
        all.cycles += s->jump[i].cycles;
    }
    for (uint32_t i = 0; i < s->n_jump; i++) {
        struct hot_taken *to = branch_of(t, &s->jump[i]);
        const struct hot_taken one = taken_of(&s->jump[i], weight, all.n_missed);
        if (to)
            hot_taken_add(to, &one);
        else
            total->n_no_branch += one.n;
    }
    const struct hot_taken sum = taken_of(&all, weight, all.n_missed);
    hot_taken_add(&total->taken, &sum);
    total->n_recorded += s->n_jump > 0;
}

/* Without its line where little room is left; NULL: there is none even so. */
static struct tally_access *access_of(struct tally *t, uint32_t leaf, enum data_source source,
                                      uint64_t line) {
    struct tally_copy *c = &t->is;
    for (uint64_t h = hash_add(hash_add(leaf, source), line);; h++) {
        uint32_t *at = &t->access_hash[h & (t->n_access_hash - 1)];
        struct tally_access *is = *at ? &c->access[*at - 1] : NULL;
        if (is && is->leaf == leaf && is->line == line && is->source == source)
            return is;
        if (is)
            continue;
        if (line != ACCESS_NO_LINE && c->n_access >= t->limits.accesses - t->limits.accesses / 4) {
            c->total.n_no_line++;
            return access_of(t, leaf, source, ACCESS_NO_LINE);
        }
        if (c->n_access == t->limits.accesses)
            return NULL;
        c->access[c->n_access] =
            (struct tally_access){.leaf = leaf, .source = source, .line = line};
        *at = ++c->n_access;
        return &c->access[*at - 1];
    }
}

static void add_access(struct tally *t, const struct tally_sample *s, uint32_t leaf,
                       double weight) {
    const uint64_t line = s->addr / CACHE_LINE;
    if (!s->addr)
        return;
    struct tally_access *a = access_of(t, leaf, s->source, line);
    count(&t->is.total.data, weight);
    if (!a)
        return;
    count(&a->sum.count, weight);
    a->sum.n_store += s->store;
    a->sum.n_timed += s->cycles > 0;
    a->sum.cycles += s->cycles;
    if (a->line == line)
        a->bytes |= 0xffull << (s->addr % CACHE_LINE & ~7ull);
}

void tally_add(struct tally *t, const struct tally_sample *s) {
    struct tally_copy *c = &t->is;
    const double weight = s->period ? (double)s->period : 1.0;
    pthread_mutex_lock(&t->lock);
    to_second(t, s->time_ns / 1000000000u);
    const uint32_t leaf = leaf_of(t, s), node = node_of(t, s);
    count_part(&c->leaf_count[leaf], weight, s->before);
    count_part(&c->node_count[node], weight, s->before);
    count_part(&c->total.all, weight, s->before);
    add_cell(t, leaf, node, weight);
    add_jumps(t, s, weight);
    add_access(t, s, leaf, weight);
    c->total.n_exact += s->exact && s->before == 0;
    c->total.n_kernel += s->kernel && s->before == 0;
    c->total.n_unknown += s->stack[0].module == MODULES_UNKNOWN && s->before == 0;
    if (!c->total.begin_ns)
        c->total.begin_ns = s->time_ns;
    if (c->total.end_ns < s->time_ns)
        c->total.end_ns = s->time_ns;
    pthread_mutex_unlock(&t->lock);
}

/* ---- reading ---- */

static bool resize(void **at, size_t n, size_t size) {
    void *p = realloc(*at, n * size);
    if (p)
        *at = p;
    return p;
}

/* Room for n of two arrays that go together. */
static bool room(void **a, size_t size_a, void **b, size_t size_b, uint32_t *cap, uint32_t n) {
    const uint32_t more = n + n / 2;
    if (n <= *cap)
        return true;
    if (!resize(a, more, size_a) || !resize(b, more, size_b))
        return false;
    *cap = more;
    return true;
}

/* Room for n of one array. */
static bool room_one(void **at, size_t size, uint32_t *cap, uint32_t n) {
    if (n <= *cap)
        return true;
    if (!resize(at, n + n / 2, size))
        return false;
    *cap = n + n / 2;
    return true;
}

static bool room_for_records(struct tally_copy *copy, uint32_t branches, uint32_t accesses) {
    void *branch = copy->branch, *access = copy->access;
    const bool ok = room_one(&branch, sizeof(*copy->branch), &copy->cap_branch, branches) &&
                    room_one(&access, sizeof(*copy->access), &copy->cap_access, accesses);
    copy->branch = branch;
    copy->access = access;
    return ok;
}

static bool room_for(struct tally_copy *copy, const struct tally *t, uint32_t leaves,
                     uint32_t nodes) {
    void *leaf = copy->leaf, *leaf_count = copy->leaf_count, *node = copy->node,
         *node_count = copy->node_count;
    const bool ok = room(&leaf, sizeof(*copy->leaf), &leaf_count, sizeof(*copy->leaf_count),
                         &copy->cap_leaf, leaves) &&
                    room(&node, sizeof(*copy->node), &node_count, sizeof(*copy->node_count),
                         &copy->cap_node, nodes);
    copy->leaf = leaf;
    copy->leaf_count = leaf_count;
    copy->node = node;
    copy->node_count = node_count;
    if (!copy->cell) { /* pages that are not written cost nothing */
        copy->cells = t->limits.cells;
        copy->seconds = t->limits.seconds;
        copy->cell = calloc(copy->cells, sizeof(*copy->cell));
    }
    if (!copy->second)
        copy->second = calloc(copy->seconds, sizeof(*copy->second));
    return ok && copy->cell && copy->second;
}

/* The second that went on when the copy was made has grown: from its first cell on. */
static void copy_cells(struct tally_copy *to, const struct tally_copy *from) {
    uint64_t i = to->n_second > from->first_second ? to->n_second - 1 : from->first_second;
    uint64_t k = i < from->n_second ? from->second[i % from->seconds].first : from->n_cell;
    for (; i < from->n_second; i++)
        to->second[i % to->seconds] = from->second[i % from->seconds];
    while (k < from->n_cell) {
        const uint64_t at = k % from->cells;
        const uint64_t left = from->n_cell - k, to_end = from->cells - at;
        const uint64_t n = left < to_end ? left : to_end;
        memcpy(&to->cell[at], &from->cell[at], n * sizeof(*to->cell));
        k += n;
    }
}

int tally_read(struct tally *t, struct tally_copy *copy) {
    const struct tally_copy *is = &t->is;
    pthread_mutex_lock(&t->lock);
    for (;;) {
        const uint32_t leaves = is->n_leaf, nodes = is->n_node, branches = is->n_branch,
                       accesses = is->n_access;
        if (leaves <= copy->cap_leaf && nodes <= copy->cap_node && branches <= copy->cap_branch &&
            accesses <= copy->cap_access && copy->cell && copy->second)
            break;
        pthread_mutex_unlock(&t->lock);
        if (!room_for(copy, t, leaves, nodes) || !room_for_records(copy, branches, accesses))
            return -ENOMEM;
        pthread_mutex_lock(&t->lock);
    }
    if (copy->epoch != is->epoch) {
        copy->n_leaf = copy->n_node = 0;
        copy->first_second = copy->n_second = copy->n_cell = 0;
    }
    memcpy(&copy->leaf[copy->n_leaf], &is->leaf[copy->n_leaf],
           (is->n_leaf - copy->n_leaf) * sizeof(*copy->leaf));
    memcpy(&copy->node[copy->n_node], &is->node[copy->n_node],
           (is->n_node - copy->n_node) * sizeof(*copy->node));
    memcpy(copy->leaf_count, is->leaf_count, is->n_leaf * sizeof(*copy->leaf_count));
    memcpy(copy->node_count, is->node_count, is->n_node * sizeof(*copy->node_count));
    if (is->n_branch)
        memcpy(copy->branch, is->branch, is->n_branch * sizeof(*copy->branch));
    if (is->n_access)
        memcpy(copy->access, is->access, is->n_access * sizeof(*copy->access));
    copy_cells(copy, is);
    copy->epoch = is->epoch;
    copy->n_leaf = is->n_leaf;
    copy->n_node = is->n_node;
    copy->n_branch = is->n_branch;
    copy->n_access = is->n_access;
    copy->first_second = is->first_second;
    copy->n_second = is->n_second;
    copy->n_cell = is->n_cell;
    copy->total = is->total;
    pthread_mutex_unlock(&t->lock);
    return 0;
}

/* ---- a span ---- */

static void add_span(struct hot_count *to, const struct tally_cell *cell) {
    to->n += cell->n;
    to->weight += (double)cell->weight;
    to->square += (double)cell->weight * (double)cell->weight / cell->n; /* as if all were equal */
}

uint64_t tally_span(const struct tally_copy *c, uint64_t from_s, uint64_t to_s,
                    struct hot_count *leaf, struct hot_count *node, struct hot_count *all) {
    uint64_t n = 0;
    if (leaf)
        memset(leaf, 0, c->n_leaf * sizeof(*leaf));
    if (node)
        memset(node, 0, c->n_node * sizeof(*node));
    if (all)
        *all = (struct hot_count){0};
    for (uint64_t i = c->first_second; i < c->n_second; i++) {
        const struct tally_second *s = &c->second[i % c->seconds];
        const uint64_t end =
            i + 1 < c->n_second ? c->second[(i + 1) % c->seconds].first : c->n_cell;
        if (s->s < from_s || s->s >= to_s)
            continue;
        for (uint64_t k = s->first; k < end; k++) {
            const struct tally_cell *cell = &c->cell[k % c->cells];
            n += cell->n;
            if (leaf)
                add_span(&leaf[cell->leaf], cell);
            if (node)
                add_span(&node[cell->node], cell);
            if (all)
                add_span(all, cell);
        }
    }
    return n;
}
