/* The functions of samples, and their names. */
#include "base/str.h"
#include "session/where_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table ---- */

static uint32_t *place_of(const struct where_live *w, uint32_t module, uint64_t start) {
    uint64_t h = (start + 1) * 0x9e3779b97f4a7c15ull ^ (uint64_t)module * 0xbf58476d1ce4e5b9ull;
    h ^= h >> 29;
    for (;; h++) {
        uint32_t *at = &w->hash[h & (w->n_hash - 1)];
        const struct where_function *f = *at ? &w->function[*at - 1] : NULL;
        if (!f || (f->module == module && f->start == start))
            return at;
    }
}

struct where_function *where_function_find(struct where_live *w, uint32_t module, uint64_t start) {
    const uint32_t *at = w->hash ? place_of(w, module, start) : NULL;
    return at && *at ? &w->function[*at - 1] : NULL;
}

static bool make_room(struct where_live *w) {
    if (!w->hash) {
        w->n_hash = 2 * WHERE_FUNCTIONS;
        w->hash = calloc(w->n_hash, sizeof(*w->hash));
    }
    if (!w->hash)
        return false;
    if (w->n_function < w->cap_function)
        return true;
    const uint32_t cap = w->cap_function ? 2 * w->cap_function : 256;
    struct where_function *to = realloc(w->function, cap * sizeof(*to));
    if (!to)
        return false;
    w->function = to;
    uint32_t *row = realloc(w->row, cap * sizeof(*row));
    if (!row)
        return false;
    w->row = row;
    w->cap_function = cap;
    return true;
}

struct where_function *where_function_add(struct where_live *w, uint32_t module, uint64_t start,
                                          bool *fresh) {
    *fresh = false;
    if (!make_room(w))
        return NULL;
    if (w->n_function == 0)
        w->function[w->n_function++] = (struct where_function){
            .module = WHERE_PROCESS, .start = UINT64_MAX, .text = "all others"};
    uint32_t *at = place_of(w, module, start);
    if (*at)
        return &w->function[*at - 1];
    if (w->n_function >= WHERE_FUNCTIONS || !make_room(w))
        return &w->function[WHERE_REST];
    *fresh = true;
    *at = ++w->n_function;
    struct where_function *f = &w->function[*at - 1];
    *f = (struct where_function){.module = module, .start = start};
    return f;
}

/* ---- names ---- */

void where_file_name(char *buf, size_t cap, const char *path) {
    char name[64];
    str_copy(name, sizeof(name), str_base_name(path));
    size_t n = strlen(name);
    if (name[0] == '[' && n > 2 && name[n - 1] == ']') {
        memmove(name, name + 1, n - 2);
        name[n - 2] = '\0';
    }
    str_safe(buf, cap, name);
}

struct where_function *where_process_add(struct where_live *w, pid_t pid) {
    char comm[COMM_SIZE] = "";
    bool fresh;
    struct where_function *f = where_function_add(w, WHERE_PROCESS, (uint64_t)pid, &fresh);
    if (!f || !fresh)
        return f;
    if (where_comm(w, pid, pid, comm))
        str_safe(f->text, sizeof(f->text), comm);
    else
        snprintf(f->text, sizeof(f->text), "process %d", (int)pid);
    return f;
}

static bool is_kernel(enum module_kind kind) {
    return kind == MODULE_KERNEL || kind == MODULE_KMODULE || kind == MODULE_BPF;
}

/* Of a place; *again: a name may still come. */
static struct where_function *look_up(struct where_live *w, const struct place *at, bool *again) {
    struct module m;
    struct function known = {0};
    bool fresh;
    *again = false;
    if (at->module == TALLY_PROCESS)
        return where_process_add(w, (pid_t)at->offset);
    where_module(w, at->module, &m);
    const bool unknown = m.kind == MODULE_UNKNOWN; /* return addresses that are none */
    const int rc = unknown ? -ENOENT : names_peek(w->names, &m, at->offset, &known);
    struct where_function *f = where_function_add(w, at->module,
                                                  rc == 0   ? known.start
                                                  : unknown ? 0
                                                            : at->offset,
                                                  &fresh);
    if (!f || f == &w->function[WHERE_REST])
        return f;
    *again = rc == -EAGAIN || (rc < 0 && m.kind == MODULE_JIT);
    f->pending = rc == -EAGAIN;
    if (fresh) {
        f->kernel = is_kernel(m.kind);
        where_file_name(f->file, sizeof(f->file), m.path ? m.path : "");
    }
    if (rc == 0) {
        f->name = known.name;
        if (known.kmodule)
            str_safe(f->file, sizeof(f->file), known.kmodule);
    } else if (unknown) {
        str_copy(f->text, sizeof(f->text), "[unknown]");
    } else if (!f->name) {
        snprintf(f->text, sizeof(f->text), "%.40s+0x%" PRIx64, f->file, at->offset);
    }
    return f;
}

/* ---- of all places ---- */

bool where_functions_grow(int32_t **of, uint32_t *cap, uint32_t n) {
    if (n <= *cap)
        return true;
    const uint32_t to = n + n / 2 + 256;
    int32_t *p = realloc(*of, to * sizeof(*p));
    if (!p)
        return false;
    *of = p;
    *cap = to;
    return true;
}

/* Numbers below -1 are ~function: known so far, to be asked again. */
static int32_t found(struct where_live *w, const struct place *at, int32_t was) {
    bool again;
    if (was >= 0)
        return was;
    const struct where_function *f = look_up(w, at, &again);
    if (!f)
        return WHERE_NONE;
    w->n_pending += again;
    const int32_t i = (int32_t)(f - w->function);
    return again && i > 0 ? ~i : i;
}

uint32_t where_of(int32_t function) {
    return (uint32_t)(function >= 0 ? function : ~function);
}

static bool find_branches(struct where_live *w) {
    const struct tally_copy *c = &w->copy;
    if (!where_functions_grow(&w->from_function, &w->cap_from, c->n_branch) ||
        !where_functions_grow(&w->to_function, &w->cap_to, c->n_branch))
        return false;
    for (uint32_t i = 0; i < c->n_branch; i++) {
        const bool seen = i < w->n_branch;
        w->from_function[i] = found(w, &c->branch[i].from, seen ? w->from_function[i] : WHERE_NONE);
        w->to_function[i] = found(w, &c->branch[i].to, seen ? w->to_function[i] : WHERE_NONE);
    }
    w->n_branch = c->n_branch;
    return true;
}

bool where_functions_find(struct where_live *w) {
    const struct tally_copy *c = &w->copy;
    if (w->stored)
        return true; /* where_stored_read has them */
    if (!where_functions_grow(&w->leaf_function, &w->cap_leaf, c->n_leaf) ||
        !where_functions_grow(&w->node_function, &w->cap_node, c->n_node))
        return false;
    w->n_pending = 0;
    for (uint32_t i = 0; i < c->n_leaf; i++) {
        const int32_t was = i < w->n_leaf ? w->leaf_function[i] : WHERE_NONE;
        w->leaf_function[i] = i == TALLY_OTHER ? WHERE_REST : found(w, &c->leaf[i].at, was);
    }
    w->n_leaf = c->n_leaf;
    for (uint32_t i = 0; i < c->n_node && w->flame; i++) {
        const int32_t was = i < w->n_node ? w->node_function[i] : WHERE_NONE;
        w->node_function[i] = i == TALLY_ROOT ? WHERE_REST : found(w, &c->node[i].at, was);
    }
    w->n_node = w->flame ? c->n_node : 0;
    return w->by != WHERE_BY_BRANCH || find_branches(w);
}
