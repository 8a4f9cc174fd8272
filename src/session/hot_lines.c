#include "session/hot_lines.h"

#include "session/hot_module.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct wanted {
    uint32_t module;
    uint64_t offset;
    char **file; /* what is found goes there */
    uint32_t *line;
};

static int by_place(const void *a, const void *b) {
    const struct wanted *x = a, *y = b;
    return x->module != y->module ? (x->module > y->module) - (x->module < y->module)
                                  : (x->offset > y->offset) - (x->offset < y->offset);
}

static int put_line(const struct wanted *w, const struct line_table *lines, size_t i) {
    const struct line_frame *frame = line_table_own(lines, i);
    char *file = frame ? strdup(frame->file) : NULL;
    if (!frame)
        return 0;
    if (!file)
        return -ENOMEM;
    free(*w->file);
    *w->file = file;
    *w->line = frame->line;
    return 0;
}

static int of_module(struct names *names, const struct module *m, const struct wanted *w,
                     size_t n) {
    uint64_t *offset = calloc(n + 1, sizeof(*offset));
    struct line_table lines;
    int rc = offset ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < n; i++)
        offset[i] = w[i].offset;
    if (rc == 0 && names_lines(names, m, offset, n, &lines, NULL) == 0) {
        for (size_t i = 0; rc == 0 && i < n; i++)
            rc = put_line(&w[i], &lines, i);
        line_table_destroy(&lines);
    }
    free(offset);
    return rc;
}

static struct wanted of_row(struct hot *h, const struct hot_row *r) {
    struct hot_function *f = &h->function.at[r->function];
    return (struct wanted){f->module, h->leaf.at[r->leaf].offset, &f->file, &f->line};
}

static struct wanted of_branch(struct hot *h, struct hot_branch *b) {
    return (struct wanted){h->function.at[b->from].module, b->from_offset, &b->file, &b->line};
}

int hot_lines(struct hot *h, struct names *names, size_t most,
              void (*module)(void *user, uint32_t number, struct module *out), void *user) {
    struct hot_row *row;
    size_t n, end;
    int rc = hot_rows(h, &row, &n);
    if (rc < 0)
        return rc;
    n = n < most ? n : most;
    const size_t n_branch = h->branch.n < most ? h->branch.n : most;
    struct wanted *w = calloc(n + n_branch + 1, sizeof(*w));
    rc = w ? 0 : -ENOMEM;
    for (size_t i = 0; w && i < n; i++)
        w[i] = of_row(h, &row[i]);
    for (size_t i = 0; w && i < n_branch; i++)
        w[n + i] = of_branch(h, &h->branch.at[i]);
    n += n_branch;
    if (w)
        qsort(w, n, sizeof(*w), by_place);
    for (size_t i = 0; rc == 0 && i < n; i = end) {
        struct module m;
        for (end = i; end < n && w[end].module == w[i].module; end++)
            continue;
        module(user, w[i].module, &m);
        rc = of_module(names, &m, &w[i], end - i);
    }
    free(w);
    free(row);
    return rc;
}

static void module_now(void *user, uint32_t number, struct module *m) {
    const struct hot *h = user;
    if (hot_module_now(&h->module.at[number], m) < 0)
        *m = (struct module){.kind = MODULE_UNKNOWN};
}

int hot_lines_now(struct hot *h, struct names *names, size_t most) {
    return hot_lines(h, names, most, module_now, h);
}
