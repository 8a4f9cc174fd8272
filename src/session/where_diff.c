/*
 * What came and what went, against the samples of a baseline. Functions are the same by name and
 * name of their file, as in model/hot/hot_compare.h, which has the arithmetic; blocks of the flame
 * graph are if all their callers are, too. While samples come the comparison is looked at again and
 * again, so that `sure` asks for more then.
 */
#include "base/str.h"
#include "model/hot/hot_compare.h"
#include "session/hot_module.h"
#include "session/where_impl.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double confidence_stored = 0.95, confidence_live = 0.99;

/* One name in one file: functions of either side. */
struct entry {
    const char *name; /* borrowed */
    char file[48];    /* "": of the kernel, or a process */
    struct hot_count a, b;
    struct where_change change;
    uint32_t of_a; /* a function of A */
};

struct entries {
    struct entry *at; /* [n], room for all of both sides */
    uint32_t n, mask;
    uint32_t *seat; /* number + 1 */
};

static int entries_init(struct entries *e, size_t most) {
    *e = (struct entries){.mask = 63};
    while (e->mask < 2 * most)
        e->mask = 2 * e->mask + 1;
    e->at = calloc(most + 1, sizeof(*e->at));
    e->seat = calloc(e->mask + 1u, sizeof(*e->seat));
    return e->at && e->seat ? 0 : -ENOMEM;
}

static void entries_free(struct entries *e) {
    free(e->at);
    free(e->seat);
}

static uint64_t hash_text(uint64_t h, const char *text) {
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 0x100000001b3ull; /* FNV-1a */
    return h;
}

static uint32_t entry_of(struct entries *e, const char *name, const char *file) {
    uint64_t h = hash_text(hash_text(0xcbf29ce484222325ull, name), file);
    for (h ^= h >> 32;; h++) {
        uint32_t *seat = &e->seat[h & e->mask];
        if (!*seat) {
            e->at[e->n] = (struct entry){.name = name, .of_a = HOT_NONE};
            str_copy(e->at[e->n].file, sizeof(e->at[e->n].file), file);
            *seat = ++e->n;
        }
        struct entry *at = &e->at[*seat - 1];
        if (!strcmp(at->name, name) && !strcmp(at->file, file))
            return *seat - 1;
    }
}

static uint32_t entry_of_a(struct entries *e, const struct hot *a, uint32_t function) {
    const struct hot_function *f = &a->function.at[function];
    const struct hot_module *m = &a->module.at[f->module];
    char file[48] = "";
    if (!hot_module_is_kernel(m))
        where_file_name(file, sizeof(file), m->path);
    return entry_of(e, f->name, file);
}

static uint32_t entry_of_b(struct entries *e, const struct where_function *f) {
    return entry_of(e, where_function_name(f),
                    f->kernel || f->module == WHERE_PROCESS ? "" : f->file);
}

static double confidence(const struct where_live *w) {
    return w->stored ? confidence_stored : confidence_live;
}

static struct where_change change_of(const struct hot_change *c) {
    return (struct where_change){c->share_a, c->delta, c->low, c->high, c->sure};
}

/* ---- rows ---- */

static int judge(const struct where_live *w, struct entries *e) {
    const struct hot_count all = w->total.all;
    struct hot_change *list = calloc(e->n + 1u, sizeof(*list));
    size_t n = 0;
    if (!list)
        return -ENOMEM;
    for (uint32_t i = 0; i < e->n; i++) {
        e->at[i].change = (struct where_change){NAN, NAN, NAN, NAN, false};
        if (e->at[i].a.n + e->at[i].b.n >= HOT_LEAST)
            list[n++] = (struct hot_change){.name = e->at[i].name,
                                            .file = e->at[i].file,
                                            .number = i,
                                            .a = e->at[i].a,
                                            .b = e->at[i].b};
    }
    if (n)
        hot_compare_judge(list, n, &w->base->all, &all, confidence(w));
    for (size_t i = 0; i < n; i++)
        e->at[list[i].number].change = change_of(&list[i]);
    free(list);
    return 0;
}

/* Functions that have no sample any more. */
static void add_gone(struct where_live *w, const struct entries *e) {
    for (uint32_t i = 0; i < e->n; i++) {
        const struct entry *at = &e->at[i];
        bool fresh;
        if (at->b.n || at->a.n < HOT_LEAST)
            continue;
        struct where_function *f = where_function_add(w, WHERE_GONE, at->of_a, &fresh);
        if (!f || f == &w->function[WHERE_REST])
            return;
        const struct hot_function *from = &w->base->function.at[at->of_a];
        str_copy(f->text, sizeof(f->text), at->name);
        str_copy(f->file, sizeof(f->file), at->file[0] ? at->file : "kernel");
        f->kernel = !at->file[0];
        hot_source(from, f->line, sizeof(f->line));
        f->count = (struct hot_count){0};
        f->share = f->low = f->high = 0;
        f->change = at->change;
        w->row[w->n_row++] = (uint32_t)(f - w->function);
    }
}

/* What is sure first, by how much it is; the others by their weight. */
static int by_change(const void *a, const void *b, void *user) {
    const struct where_live *w = user;
    const struct where_function *x = &w->function[*(const uint32_t *)a],
                                *y = &w->function[*(const uint32_t *)b];
    if (x->change.sure != y->change.sure)
        return x->change.sure ? -1 : 1;
    const double d = x->change.sure ? fabs(y->change.delta) - fabs(x->change.delta)
                                    : y->count.weight - x->count.weight;
    return d != 0 ? (d > 0 ? 1 : -1) : (x > y) - (x < y);
}

void where_diff_rows(struct where_live *w) {
    const struct hot *a = w->base;
    struct hot_row *row = NULL;
    struct entries e = {0};
    size_t n = 0;
    uint32_t *of = calloc(w->n_row + 1u, sizeof(*of));
    if (w->by == WHERE_BY_FUNCTION && !w->only && a->all.n && w->total.all.n && of &&
        hot_rows(a, &row, &n) == 0 && entries_init(&e, n + w->n_row) == 0) {
        for (size_t i = 0; i < n; i++) {
            struct entry *at = &e.at[entry_of_a(&e, a, row[i].function)];
            hot_add(&at->a, &row[i].count);
            at->of_a = row[i].function;
        }
        for (uint32_t i = 0; i < w->n_row; i++) {
            const struct where_function *f = &w->function[w->row[i]];
            of[i] = entry_of_b(&e, f);
            hot_add(&e.at[of[i]].b, &f->count);
        }
        if (judge(w, &e) == 0) {
            for (uint32_t i = 0; i < w->n_row; i++)
                if (w->row[i] != WHERE_REST)
                    w->function[w->row[i]].change = e.at[of[i]].change;
            add_gone(w, &e);
            if (w->n_row)
                qsort_r(w->row, w->n_row, sizeof(*w->row), by_change, w);
        }
    }
    entries_free(&e);
    free(row);
    free(of);
}

/* ---- blocks ---- */

/* A's stacks, those of the same names merged: nodes by (parent, entry). */
struct stacks {
    struct stack {
        uint32_t parent, entry;
        double weight;
    } * at; /* [n]; 0 is the root */
    uint32_t n, mask;
    uint32_t *seat; /* number; 0: free */
};

static uint32_t *stack_seat(const struct stacks *s, uint32_t parent, uint32_t entry) {
    uint64_t h = ((uint64_t)parent << 32 | entry) * 0x9e3779b97f4a7c15ull;
    for (h ^= h >> 29;; h++) {
        uint32_t *seat = &s->seat[h & s->mask];
        if (!*seat || (s->at[*seat].parent == parent && s->at[*seat].entry == entry))
            return seat;
    }
}

static uint32_t stack_put(struct stacks *s, uint32_t parent, uint32_t entry) {
    uint32_t *seat = stack_seat(s, parent, entry);
    if (!*seat) {
        *seat = s->n++;
        s->at[*seat] = (struct stack){parent, entry, 0};
    }
    return *seat;
}

static void read_stacks(struct stacks *s, struct entries *e, const struct hot *a,
                        uint32_t *number) {
    s->n = 1;
    for (uint32_t i = 0; i < a->node.n; i++) {
        const struct hot_node *n = &a->node.at[i];
        const uint32_t parent = n->parent == HOT_NONE ? 0 : number[n->parent];
        const uint32_t entry = n->function == HOT_NONE
                                   ? entry_of(e, a->thread.at[n->thread].name, "")
                                   : entry_of_a(e, a, n->function);
        number[i] = stack_put(s, parent, entry);
        s->at[number[i]].weight += n->count.weight;
    }
    for (uint32_t i = s->n; i-- > 1;) /* numbers grow downwards */
        s->at[s->at[i].parent].weight += s->at[i].weight;
}

static void judge_block(const struct where_live *w, struct where_block *b, double before) {
    const struct hot *a = w->base;
    const struct hot_count all = w->total.all;
    struct hot_change c = {
        .name = "", .file = "", .a.weight = before, .b.weight = b->w * all.weight};
    hot_compare_judge(&c, 1, &a->all, &all, confidence(w));
    b->change = change_of(&c);
    if (c.share_a * hot_effective(&a->all) + c.share_b * hot_effective(&all) < HOT_LEAST)
        b->change.sure = false;
}

void where_diff_blocks(struct where_live *w) {
    const struct hot *a = w->base;
    const size_t n_a = a->node.n;
    struct entries e = {0};
    struct stacks s = {.mask = 63};
    while (s.mask < 2 * n_a)
        s.mask = 2 * s.mask + 1;
    s.at = calloc(n_a + 2, sizeof(*s.at));
    s.seat = calloc(s.mask + 1u, sizeof(*s.seat));
    uint32_t *number = calloc(n_a + w->n_block + 1, sizeof(*number)), *of = number + n_a;
    if (s.at && s.seat && number && a->all.n && w->total.all.n &&
        entries_init(&e, n_a + w->n_block) == 0) {
        read_stacks(&s, &e, a, number);
        for (uint32_t i = 1; i < w->n_block; i++) {
            struct where_block *b = &w->block[i];
            const bool known = b->parent == 0 || of[b->parent];
            of[i] = known
                        ? *stack_seat(&s, of[b->parent], entry_of_b(&e, &w->function[b->function]))
                        : 0;
            judge_block(w, b, of[i] ? s.at[of[i]].weight : 0);
        }
    }
    entries_free(&e);
    free(number);
    free(s.seat);
    free(s.at);
}
