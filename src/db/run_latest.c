#include "db/run_latest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *parent_of(const struct run_row *row) {
    for (size_t i = 0; i < row->n_label; i++)
        if (!strcmp(row->label[i].key, RUN_REEVAL_OF))
            return row->label[i].value;
    return NULL;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

long run_latest(struct run_list *list) {
    const char **parent = calloc(list->n + 1, sizeof(*parent));
    size_t n_parent = 0, kept = 0;
    if (!parent)
        return -ENOMEM;
    for (size_t i = 0; i < list->n; i++)
        if (parent_of(&list->row[i]))
            parent[n_parent++] = parent_of(&list->row[i]);
    qsort(parent, n_parent, sizeof(*parent), by_text);
    for (size_t i = 0; i < list->n; i++) {
        const char *id = list->row[i].id;
        if (n_parent == 0 || !bsearch(&id, parent, n_parent, sizeof(*parent), by_text))
            list->row[kept++] = list->row[i];
    }
    const long gone = (long)(list->n - kept);
    list->n = kept;
    free(parent);
    return gone;
}
