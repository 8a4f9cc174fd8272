/* A list of what is wrong with a file: noted while it is read, sorted by place. */
#include "model/load/model_load.h"

#include <errno.h>
#include <string.h>

void problems_free(struct problems *all) {
    array_free(&all->list);
    arena_free(&all->arena);
    dict_free(&all->unknown);
}

size_t problems_count(const struct loader *ld) {
    return ld->problems ? ld->problems->list.n : 0;
}

int problem_note(struct loader *ld, bool soft) {
    struct problems *all = ld->problems;
    if (ld->file->shared) /* no mistake of the file that is checked */
        return 0;
    if (all->list.n >= PROBLEMS_MAX) {
        all->full = true;
        return -E2BIG;
    }
    struct problem p = {
        .extra = ld->file->extra, .line = ld->err_line, .col = ld->err_col, .soft = soft};
    p.text = arena_text(&all->arena, ld->err->text, strlen(ld->err->text));
    if (!p.text || array_push(&all->list, p) < 0)
        all->no_memory = true;
    return all->no_memory ? -ENOMEM : 0;
}

int problem_unknown(struct loader *ld, const char *name, bool soft) {
    struct problems *all = ld->problems;
    int known = dict_get(&all->unknown, name);
    if (known >= 0) {
        all->list.at[known].more++;
        return 0;
    }
    const int index = (int)all->list.n;
    int rc = problem_note(ld, soft);
    if (rc < 0 || ld->file->shared)
        return rc;
    const char *key = arena_text(&all->arena, name, strlen(name));
    if (!key || dict_put(&all->unknown, key, index) < 0)
        all->no_memory = true;
    return all->no_memory ? -ENOMEM : 0;
}

static bool before(const struct problem *a, const struct problem *b) {
    return a->line != b->line ? a->line < b->line : a->col < b->col;
}

/* By insertion: what is noted is nearly in order. */
void problems_sort(struct problems *all) {
    struct problem *at = all->list.at;
    for (size_t i = 1; i < all->list.n; i++) {
        const struct problem p = at[i];
        size_t to = i;
        for (; to > 0 && before(&p, &at[to - 1]); to--)
            at[to] = at[to - 1];
        at[to] = p;
    }
}
